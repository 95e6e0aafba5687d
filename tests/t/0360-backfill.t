#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0360-backfill.t - backfill keeps nodes for a gang that does not fit yet

test_description='A gang that does not fit has a start time; short jobs fill the gap'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang --conf \
'SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0,sched_min_interval=0,bf_continue,bf_resolution=60
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP'
slurm_start

# Backfill expects the job to start when the other ends, or so many seconds later
# at the most. It rounds up to its bf_resolution.
expected_after()
{
	local start

	start=$(started_at "$1" 2>/dev/null) && test -n "$start" &&
		test "$start" -ge "$2" && test "$start" -le $(($2 + $3))
}

gang_scripts short long

test_expect_success '4.7 all members have the start time at which the gang fits' '
	busy=$(run_job -N 1 --exclusive -t 60) &&
	free=$(ends_at $busy) &&
	gang_of_nodes all 4 -t 30 &&
	wait_for 10 gang_attempted ${members[0]} 1 &&
	for id in ${members[@]}; do
		wait_for 20 expected_after $id $free 60 || return 1
	done &&
	all_in PENDING ${members[@]}
'
test_expect_success '4.8 3.34 a job that ends before it starts in the gap' '
	id=$(submit -N 1 --exclusive -t 2 --nice=1000 short.sh) &&
	wait_state $id RUNNING 20 &&
	touch short.go &&
	wait_state $id COMPLETED
'
test_expect_success '4.8 one that does not, waits' '
	id=$(submit -N 1 --exclusive -t 120 --nice=1000 long.sh) &&
	wait_for 20 expected_after $id $free 3600 &&
	test "$(job_state $id)" = PENDING &&
	all_in PENDING ${members[@]}
'
test_expect_success '4.9 the gang starts as soon as it fits, the long job behind it' '
	scancel $busy &&
	start_together 20 ${members[@]} &&
	test "$(job_state $id)" = PENDING &&
	scancel ${members[@]} &&
	wait_state $id RUNNING 20 &&
	touch long.go &&
	wait_state $id COMPLETED
'
test_expect_success 'a gang that no end of jobs helps is in nobody'\''s way' '
	members=($(submit -N 1 --exclusive --gang=near --gang-min-member=2 \
			-x n[2-4])
		 $(submit -N 1 --exclusive --gang=near --gang-min-member=2 \
			-x n[2-4])) &&
	wait_for 10 squeue_says ${members[0]} "Gang root/near waits: " &&
	id=$(submit -N 4 --exclusive -t 60 --nice=1000 --wrap=true) &&
	wait_state $id COMPLETED 20 &&
	all_in PENDING ${members[@]} &&
	scancel ${members[@]}
'
# The start times that squeue --start shows of a job's tasks, each once.
starts_shown()
{
	squeue --start -h -r -j "$1" -o %S | sort -u
}

# All tasks of an array have one, when the job ends. Backfill may round it up to
# its bf_resolution; before it has planned, it is the moment of the last attempt.
shown_from_end_of()
{
	local shown late

	shown=$(starts_shown $2) && test $(wc -l <<<"$shown") = 1 &&
		test "$shown" != N/A &&
		late=$(($(date -d "$shown" +%s) - $(ends_at $1))) &&
		test $late -ge 0 && test $late -le 60
}

test_expect_success '4.7 squeue --start shows it for every task of an array' '
	busy=$(run_job -N 1 --exclusive -t 10) &&
	array=$(submit -N 1 --exclusive -t 30 --array=1-4 --gang=tasks \
		--gang-min-member=4) &&
	wait_for 20 shown_from_end_of $busy $array &&
	scancel $busy $array &&
	wait_for 20 queue_empty
'
# How often backfill has planned.
plans() { sdiag | sed -n 's/.*Total cycles: //p' | tail -n 1; }

test_expect_success '4.7 and where several tasks share a node' '
	busy=$(run_job -N 1 --exclusive -t 10) &&
	array=$(submit -n 1 -t 30 --array=1-7 --gang=sharing \
		--gang-min-member=7) &&
	wait_for 20 gang_attempted $array 1 &&
	planned=$(plans) &&
	wait_for 20 "test \$(plans) -gt $((planned + 2))" &&
	shown_from_end_of $busy $array &&
	scancel $busy $array &&
	wait_for 20 queue_empty
'
test_expect_success 'nothing is left' 'nothing_left'

test_done
