#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0305-rollback.t - a commit that fails in the middle leaves nothing behind

test_description='A member that fails to start takes back those before it'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cluster -n 5 -c 2 --faults --conf 'Licenses=lic:10'
cluster_state >before

# A job of higher priority comes and goes: something has changed, so that the
# failed gang is tried again before its back-off ends.
nudge() { srun -Q --immediate=60 -n 1 --mem=1 true; }

# What a job has from its submission on, in later releases also a number that is
# not its id; a task of an array gets one when it leaves the array.
as_submitted()
{
	local id

	for id; do
		squeue -h -r -j $id -o '%i %Q %V'
		test "$id" != "${id%_*}" ||
			scontrol -d show job $id | sed -n 's/^ *\(SLUID=\)/\1/p'
	done
}

# All members pending and nothing in use.
untouched()
{
	all_in PENDING "$@" && cluster_state >after && test_cmp before after
}

# Fail gang $1 of the jobs after $2 in each of its $2 positions.
fail_at_each_position()
{
	local name=$1 count=$2 at

	as_submitted "${@:3}" >jobs
	for ((at = 1; at <= count; at++)); do
		slurm_fault commit $at
		test $at = 1 || nudge
		wait_for 20 gang_log root/$name "member $at of $count cannot\
 start (injected failure): $((at - 1)) rolled back, $((count - at))\
 not tried" || return 1
		wait_for 5 untouched "${@:3}" || return 1
		as_submitted "${@:3}" >jobs.now
		test_cmp jobs jobs.now || return 1
	done
	test "$(starts_of $name)" = 0
}

# Without the fault they all run, as if nothing had been.
then_start()
{
	local name=$1 count=$2

	slurm_fault
	nudge
	start_together 20 "${@:3}" &&
		wait_for 10 "test \$(starts_of $name) = $count" &&
		let_end $name "${@:3}" &&
		test "$(restarts_of "${@:3}")" = 0 &&
		ran_once $name $count &&
		wait_for 10 queue_empty &&
		wait_for 10 nodes_idle
}

# Of the jobs with this name, array tasks apart.
ids_of() { squeue -h -r -n $1 -o %i | sort -V; }

for name in five array mixed ten licence; do
	gang_script $name
done

test_expect_success '0.2 2.6 2.7 2.12 3.26 five jobs, a failure at each of them' '
	slurm_fault commit 1 &&
	submit_gang five 5 -J five -n 1 -L lic:1 --nice=100 five.sh &&
	fail_at_each_position five 5 $(ids_of five)
'
test_expect_success '2.27 they start when nothing fails' '
	then_start five 5 $(ids_of five)
'
test_expect_success '2.20 tasks of an array and two jobs, the same' '
	slurm_fault commit 1 &&
	submit -J array -a 1-3 -n 1 -L lic:1 --nice=100 --gang=array \
		--gang-min-member=5 array.sh &&
	submit_gang array 2 -J array -n 1 -L lic:1 --nice=100 --gang-min-member=5 \
		array.sh &&
	test "$(ids_of array | wc -l)" = 5 &&
	fail_at_each_position array 5 $(ids_of array)
'
test_expect_success '2.27 they start, each task by itself' '
	then_start array 5 $(ids_of array)
'
test_expect_success '2.20 salloc, srun and three jobs, the same' '
	slurm_fault commit 1 &&
	options="-J mixed -n 1 -L lic:1 --nice=100 --gang=mixed
		--gang-min-member=5" &&
	{
		salloc $options bash mixed.sh >salloc.out 2>&1 &
		srun $options bash mixed.sh >srun.out 2>&1 &
	} &&
	for i in 1 2 3; do
		submit $options mixed.sh || return 1
	done &&
	wait_for 10 "test \$(ids_of mixed | wc -l) = 5" &&
	fail_at_each_position mixed 5 $(ids_of mixed)
'
test_expect_success '2.27 they start, and salloc and srun end well' '
	then_start mixed 5 $(ids_of mixed) &&
	wait_for 10 "test -z \"\$(jobs -r)\"" &&
	grep -i "granted job" salloc.out &&
	! grep -i "error" srun.out
'
test_expect_success '0.4 the 6th of ten fails: 5 rolled back, 4 not tried' '
	slurm_fault commit 6 &&
	submit_gang ten 10 -J ten -n 1 -L lic:1 --nice=100 ten.sh &&
	wait_for 20 gang_log root/ten "member 6 of 10 cannot start (injected\
 failure): 5 rolled back, 4 not tried" &&
	wait_for 5 untouched $(ids_of ten) &&
	then_start ten 10 $(ids_of ten)
'
test_expect_success '2.27 two licences for three members: none starts' '
	busy=$(run_job -n 1 -L lic:8) &&
	cluster_state >before &&
	submit_gang licence 3 -J licence -n 1 -L lic:1 --nice=100 licence.sh &&
	wait_for 20 gang_log root/licence "2 rolled back, 0 not tried" &&
	wait_for 5 untouched $(ids_of licence) &&
	wait_for 10 squeue_says $(ids_of licence | head -n 1) icence
'
test_expect_success '2.27 with a third licence all three start' '
	scancel $busy &&
	then_start licence 3 $(ids_of licence)
'
last_case
