#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0384-groups.t - gangs that list each other start together

test_description='Gang groups: consent, roles, and all in one step'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cluster -n 6 -c 2 --gang --gang-conf 'WaitingTime=1-0' --conf \
'PartitionName=side Nodes=n[5-6] MaxTime=INFINITE State=UP'

# member GANG MIN GROUPS [OPTION...]: the script has the name of the gang
member()
{
	local gang=$1 min=$2 groups=$3

	test -f $gang.sh || gang_script $gang
	submit --gang=$gang --gang-min-member=$min --gang-groups=$groups \
		"${@:4}" $gang.sh
}

# Nobody has run so far: starts_none GANG...
starts_none()
{
	local gang

	for gang; do
		test "$(starts_of $gang)" = 0 || return 1
	done
}

# All of these were released in one step; on a busy machine it takes a while.
in_one_step()
{
	local id times=

	for id; do
		times+=$(started_at $id)$'\n' || return 1
	done
	times=($(sort -n <<<"${times%?}"))
	test $((times[-1] - times[0])) -le 3 ||
		{ echo "started at ${times[*]}" >&2; return 1; }
}

# Somebody else gets all of the cluster: nothing is held, nobody is in the way.
others_run()
{
	local id

	id=$(complete_job -N 6 --exclusive --nice=100 --wrap=true)
}

# finish GANG...: and each member ran once
finish()
{
	local gang

	touch "${@/%/.go}" &&
		wait_for 15 queue_empty || return 1
	for gang; do
		test "$(starts_of $gang)" = \
			"$(awk '$2 == "stop"' $gang.log | wc -l)" &&
		ran_once $gang $(starts_of $gang) || return 1
	done
}

test_expect_success '0.10 0.30 a role waits for the one that is not there' '
	driver=$(member driver 1 root/worker -n 1 --mem=100) &&
	wait_for 10 squeue_says $driver \
		"Gang root/driver waits: gang root/worker is not there" &&
	others_run &&
	job_is $driver PENDING
'
test_expect_success '0.10 0.43 one gang incomplete: nothing starts, nothing is held' '
	workers=($(member worker 2 root/driver -N 2 --exclusive)) &&
	wait_for 10 squeue_says ${workers[0]} \
		"Gang root/worker gathering 1/2 members" &&
	wait_for 10 squeue_says $driver \
		"Gang root/driver waits: Gang root/worker gathering 1/2" &&
	others_run &&
	all_in PENDING $driver ${workers[0]} &&
	starts_none driver worker
'
test_expect_success '0.10 0.30 complete: roles of different shapes start at once' '
	workers+=($(member worker 2 root/driver -N 2 --exclusive)) &&
	wait_for 15 all_in RUNNING $driver ${workers[@]} &&
	in_one_step $driver ${workers[@]} &&
	started_together ${workers[@]} &&
	test "$(gang_record $driver rank)" = 0/1 &&
	wait_for 10 "test \$(starts_of worker) = 2" &&
	finish driver worker
'

test_expect_success '0.22 consent: who is listed and does not list is not concerned' '
	free=$(member free 1 "" -N 1) &&
	lonely=$(member lonely 1 root/free -N 1) &&
	wait_state $free RUNNING &&
	wait_for 10 squeue_says $lonely \
		"Gang root/lonely waits: gang root/free does not list it" &&
	others=$(complete_job -N 1 --exclusive --nice=100 --wrap=true) &&
	job_is $lonely PENDING &&
	scancel $lonely &&
	finish free
'
test_expect_success '0.21 0.31 empty lists, or itself alone: each starts by itself' '
	one=($(member one 2 "" -N 1)) &&
	two=$(member two 1 "" -N 1) &&
	self=$(member self 1 root/self -N 1) &&
	wait_for 15 all_in RUNNING $two $self &&
	job_is $one PENDING &&
	scancel $one &&
	finish two self
'

# A year is what backfill gives a job that has no limit: no start to wait for.
test_expect_success '0.22 0.47 roles in two partitions; room in one only' '
	block=($(submit -w n5 --exclusive -t 365-0) \
		$(submit -w n6 --exclusive -t 365-0)) &&
	wait_for 15 all_in RUNNING ${block[@]} &&
	near=($(member near 2 root/near,root/far -N 1 --exclusive) \
		$(member near 2 root/near,root/far -N 1 --exclusive)) &&
	far=$(member far 1 root/near,root/far -p side -N 2 --exclusive) &&
	wait_for 15 gang_attempted $far 1 &&
	scancel ${block[0]} &&
	wait_for 15 gang_attempted $far 2 &&
	id=$(complete_job -w n1,n2,n3,n4,n5 -N 5 --exclusive --nice=100 \
		--wrap=true) &&
	all_in PENDING ${near[@]} $far &&
	starts_none near far
'
test_expect_success '0.10 0.47 and in the other: both start' '
	scancel ${block[1]} &&
	wait_for 15 all_in RUNNING ${near[@]} $far &&
	in_one_step ${near[@]} $far &&
	started_together ${near[@]} &&
	test "$(squeue -h -j $far -o %N)" = "n[5-6]" &&
	finish near far
'

test_expect_success '0.55 strict and nonstrict: only the nonstrict one holds' '
	block=($(submit -N 4 -w n[1-4] --exclusive)) &&
	wait_state $block RUNNING &&
	loose=($(member loose 3 root/tight -N 1 --exclusive \
			--gang-mode=nonstrict) \
		$(member loose 3 root/tight -N 1 --exclusive) \
		$(member loose 3 root/tight -N 1 --exclusive)) &&
	tight=($(member tight 2 root/loose -N 1 --exclusive) \
		$(member tight 2 root/loose -N 1 --exclusive)) &&
	wait_for 15 "test \$(held_in \${loose[@]}) = 2" &&
	wait_for 10 "test \"\$(gang_phase root/loose)\" = holding" &&
	test $(held_in ${tight[@]}) = 0 &&
	wait_for 10 "test \"\$(gang_phase root/tight)\" = waiting" &&
	starts_none loose tight
'
test_expect_success '0.8 0.10 room for the loose one alone: it waits for the other' '
	half=($(submit -w n2 --exclusive --nice=-100) \
		$(submit -w n3 --exclusive --nice=-100) \
		$(submit -w n4 --exclusive --nice=-100)) &&
	scancel $block &&
	wait_for 15 all_in RUNNING ${half[@]} &&
	wait_for 15 "test \$(held_in \${loose[@]}) = 3" &&
	scancel ${half[0]} &&
	wait_for 15 job_is ${half[0]} CANCELLED &&
	id=$(complete_job -w n2 -n 1 --nice=100 --wrap=true) &&
	test $(held_in ${loose[@]}) = 3 &&
	test $(held_in ${tight[@]}) = 0 &&
	starts_none loose tight
'
test_expect_success '0.10 room for both: all start in one step' '
	scancel ${half[@]} &&
	wait_for 15 all_in RUNNING ${loose[@]} ${tight[@]} &&
	in_one_step ${loose[@]} ${tight[@]} &&
	started_together ${loose[@]} &&
	started_together ${tight[@]} &&
	finish loose tight
'

test_expect_success '0.10 three gangs: two wait for the third' '
	groups=root/x,root/y,root/z &&
	x=$(member x 1 $groups -N 1) &&
	y=($(member y 2 $groups -N 1 --gang-mode=nonstrict) \
		$(member y 2 $groups -N 1)) &&
	wait_for 10 squeue_says $x "gang root/z is not there" &&
	wait_for 10 squeue_says ${y[1]} "gang root/z is not there" &&
	others_run &&
	z=$(member z 1 $groups -N 3) &&
	wait_for 15 all_in RUNNING $x ${y[@]} $z &&
	in_one_step $x ${y[@]} $z &&
	finish x y z
'
test_expect_success '0.10 a chain is a group too: who is listed brings its own' '
	left=$(member left 1 root/middle -N 1) &&
	middle=$(member middle 1 root/left,root/right -N 1) &&
	wait_for 10 squeue_says $left "root/right is not there" &&
	wait_for 10 squeue_says $middle "root/right is not there" &&
	others_run &&
	all_in PENDING $left $middle &&
	right=$(member right 1 root/middle -N 1) &&
	wait_for 15 all_in RUNNING $left $middle $right &&
	in_one_step $left $middle $right &&
	finish left middle right
'
test_expect_success '0.31 0.32 two groups do not wait for each other' '
	a=$(member a 1 root/b -N 1) &&
	b=$(member b 2 root/a -N 1) &&
	c=$(member c 1 root/d -N 1) &&
	d=$(member d 1 root/c -N 1) &&
	wait_for 15 all_in RUNNING $c $d &&
	in_one_step $c $d &&
	all_in PENDING $a $b &&
	b+=" $(member b 2 root/a -N 1)" &&
	wait_for 15 all_in RUNNING $a $b &&
	finish a b c d
'

last_case
