#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0388-after-the-gang.t - who belongs to the minimum, and who comes after it

test_description='Order, total number, and --gang-match'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cluster -n 4 -c 4 --gang

# member GANG MIN [OPTION...]
member()
{
	local gang=$1 min=$2

	test -f $gang.sh || gang_script $gang
	submit --gang=$gang --gang-min-member=$min "${@:3}" $gang.sh
}

node_member() { member "$@" -N 1 --exclusive; }

# One node each for as many jobs as there are nodes in the way.
block() { on_nodes "$*" --exclusive && blocked=(${jobs[@]}); }
unblock() { scancel ${blocked[@]} && wait_for 15 nodes_idle; }
running_of() { jobs_in RUNNING "$@" | wc -w; }
finish() { touch $1.go && shift && wait_for 15 all_in COMPLETED "$@"; }

# Members that depend on one job become eligible at the same moment.
load() { members=() gun=$(submit --hold); }
fire() { scancel $gun; }

# So many more, of a node each: nodes_of_gun GANG MIN COUNT [OPTION...]
nodes_of_gun()
{
	local i

	for ((i = 0; i < $3; i++)); do
		members+=($(node_member $1 $2 --dependency=afterany:$gun \
			"${@:4}")) || return 1
	done
}

# --- attempts ---

test_expect_success '0.4 ten members and room for five: none starts' '
	blocked=($(submit -w n1 --exclusive) $(submit -w n2 --exclusive) \
		$(submit -w n3 -n 1 -c 3)) &&
	wait_for 15 all_in RUNNING ${blocked[@]} &&
	load &&
	for i in {1..10}; do
		members+=($(member ten 10 -n 1 -c 1 \
			--dependency=afterany:$gun)) || return 1
	done &&
	fire &&
	wait_for 15 gang_attempted ${members[0]} 1 &&
	all_in PENDING ${members[@]} &&
	test "$(starts_of ten)" = 0 &&
	test "$(cpus_in_use n4)" = 0
'
test_expect_success '0.3 0.4 0.41 2.5 six of them were tried, four were not' '
	recorded ${members[0]} tried=6 skipped=4
'
test_expect_success '0.39 0.40 each at most once in an attempt' '
	attempts=$(gang_record ${members[0]} attempts) &&
	for id in ${members[@]}; do
		round=$(gang_record $id round) &&
		test "${round:-0}" -le $(gang_record $id attempts) || return 1
	done &&
	test "$(gang_record ${members[5]} round)" -ge $attempts &&
	wait_for 15 gang_attempted ${members[0]} $((attempts + 1)) &&
	test -z "$(gang_record ${members[9]} round)"
'
test_expect_success '0.5 2.26 room for ten: the next attempt starts them at once' '
	scancel ${blocked[@]} &&
	start_together 15 ${members[@]} &&
	for id in ${blocked[@]}; do
		ends_at $id
	done | sort -n >ends &&
	test $(($(started_at ${members[0]}) - $(tail -n 1 ends))) -le 20 &&
	finish ten ${members[@]} &&
	ran_once ten 10
'

# --- total number ---

test_expect_success '0.19 2.5 min 2 of total 3, room for two: two start' '
	block n1 n2 &&
	load && nodes_of_gun three 2 3 --gang-total-number=3 && fire &&
	wait_for 15 "test \$(running_of \${members[@]}) = 2" &&
	pair=($(jobs_in RUNNING ${members[@]})) &&
	third=$(pending_of ${members[@]}) &&
	started_together ${pair[@]}
'
test_expect_success '0.11 0.19 the third joins later, as an ordinary job' '
	wait_for 15 squeue_says $third Resources &&
	test "$(starts_of three $third)" = 0 &&
	scancel ${blocked[0]} &&
	wait_state $third RUNNING &&
	all_in RUNNING ${pair[@]} &&
	finish three ${members[@]} &&
	ran_once three 3 &&
	unblock
'
test_expect_success '0.19 min 2 of total 3, room for all: one attempt takes them' '
	load && nodes_of_gun all 2 3 --gang-total-number=3 && fire &&
	start_together 15 ${members[@]} &&
	finish all ${members[@]}
'

# --- order ---

# One driver and three executors with room for two of them, the driver being the
# one that is submitted as number AT: drive GANG AT [OPTION...]
drive()
{
	local gang=$1 at=$2 i order

	load
	for i in 1 2 3 4; do
		# One of the executors says something too.
		order=
		test $i != $((at % 4 + 1)) || order=10
		test $i != $at || order=0
		members+=($(node_member $gang 2 --dependency=afterany:$gun \
			${order:+--gang-order=$order} "${@:3}")) || return 1
	done
	driver=${members[at - 1]}
	fire
	wait_for 15 'test $(running_of ${members[@]}) = 2'
}

# Where the driver is, is of a seed.
seed=38
echo "# seed $seed"
RANDOM=$seed

test_expect_success 'room for two' 'block n3 n4'

for mode in strict nonstrict; do
	for try in 1 2 3; do
		at=$((RANDOM % 4 + 1))
		test $try != 3 || at=4
		gang=$mode-$try

		test_expect_success "0.49 3.8 $mode, driver is number $at: it is one of the two" '
			drive $gang $at --gang-mode=$mode &&
			job_is $driver RUNNING &&
			pair=($(jobs_in RUNNING ${members[@]})) &&
			started_together ${pair[@]} &&
			scancel $(pending_of ${members[@]}) &&
			finish $gang ${pair[@]} &&
			ran_once $gang 2
		'
	done
done
test_expect_success '3.8 a driver of lower priority still is' '
	load && nodes_of_gun nice 2 3 --gang-order=5 &&
	driver=$(node_member nice 2 --dependency=afterany:$gun \
		--gang-order=0 --nice=1000) &&
	fire &&
	wait_state $driver RUNNING &&
	test "$(running_of ${members[@]})" = 1 &&
	scancel $(pending_of ${members[@]}) &&
	let_end nice $driver
'
test_expect_success '3.8 a driver that is held keeps the others waiting' '
	driver=$(node_member stay 2 --gang-order=0 --hold) &&
	members=($(node_member stay 2) $(node_member stay 2)) &&
	wait_for 10 squeue_says ${members[0]} \
		"Gang root/stay waits for job $driver, which --gang-order" &&
	id=$(complete_job -N 2 --exclusive --nice=100 --wrap=true) &&
	all_in PENDING ${members[@]} &&
	scontrol release $driver &&
	wait_state $driver RUNNING &&
	test "$(running_of ${members[@]})" = 1 &&
	scancel $(pending_of ${members[@]}) &&
	touch stay.go &&
	wait_state $driver COMPLETED &&
	unblock
'

# --- match ---

test_expect_success '0.11 once-satisfied: a third starts by itself' '
	members=($(node_member once 2 --gang-match=once-satisfied) \
		$(node_member once 2)) &&
	wait_for 15 all_in RUNNING ${members[@]} &&
	third=$(node_member once 2) &&
	wait_state $third RUNNING &&
	finish once ${members[@]} $third
'
test_expect_success '0.37 only-waiting: a third waits for a fourth' '
	members=($(node_member waits 2 --gang-match=only-waiting) \
		$(node_member waits 2)) &&
	wait_for 15 all_in RUNNING ${members[@]} &&
	later=($(node_member waits 2)) &&
	wait_for 10 squeue_says ${later[0]} \
		"Gang root/waits gathering 1/2 members" &&
	id=$(complete_job -N 2 --exclusive --nice=100 --wrap=true) &&
	job_is ${later[0]} PENDING &&
	later+=($(node_member waits 2)) &&
	start_together 15 ${later[@]} &&
	all_in RUNNING ${members[@]} &&
	finish waits ${members[@]} ${later[@]} &&
	ran_once waits 4
'
test_expect_success '0.47 3.21 waiting-and-running: those that run count' '
	members=($(node_member both 3 --gang-match=waiting-and-running) \
		$(node_member both 3) $(node_member both 3)) &&
	start_together 15 ${members[@]} &&
	drop ${members[0]} &&
	fourth=$(node_member both 3) &&
	wait_state $fourth RUNNING &&
	all_in RUNNING ${members[1]} ${members[2]}
'
test_expect_success '0.47 and when too few run, the new ones wait for each other' '
	drop $fourth ${members[1]} &&
	later=($(node_member both 3)) &&
	wait_for 10 squeue_says ${later[0]} \
		"Gang root/both gathering 2/3 members" &&
	id=$(complete_job -N 3 --exclusive --nice=100 --wrap=true) &&
	job_is ${later[0]} PENDING &&
	later+=($(node_member both 3)) &&
	wait_for 15 all_in RUNNING ${later[@]} &&
	grep -q "gang: root/both: started 2 members" \
		"$slurm_dir/log/slurmctld.log" &&
	for id in ${later[@]} ${members[2]}; do
		gang_record $id rank
	done | sort | tr "\n" " " >ranks &&
	test "$(cat ranks)" = "0/3 1/3 2/3 " &&
	finish both ${members[2]} ${later[@]}
'

last_case
