#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0371-holds-yield.t - a held member gives its nodes to a job that preempts it
#
# Nothing of it runs, so nothing has to be ended: no time of grace, no restart,
# no two minutes, and the other job starts in the same second.

test_description='A held member that is preempted yields at once'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

# A job is tried when it was submitted or a job ends, and never because time
# passes; and a time of grace is longer than any deadline here.
slurm_cluster -n 4 -c 2 --gang --gang-conf 'WaitingTime=1-0' --conf \
"SchedulerParameters=bf_interval=3600,sched_interval=3600,batch_sched_delay=0,sched_min_interval=0
$(partition_prio main=1,GraceTime=3600 \
	kill=1,GraceTime=3600,PreemptMode=CANCEL short=1,GraceTime=3600 high=10)"

gang_scripts plain kill mixed shared

# Two of the nodes are busy with a job that nobody preempts.
test_expect_success 'n3 and n4 are busy' '
	block=$(run_job -p high -w n[3-4] -N 2 --exclusive)
'

# Of a gang of three, in "members", two hold n1 and n2: hold NAME [OPTION...]
hold()
{
	gang_of_nodes $1 3 --gang-mode=nonstrict "${@:2}" $1.sh &&
		wait_for 20 "test \"\$(held_in ${members[*]})\" = 2"
}

# The member waits as if it had never had nodes.
as_before()
{
	job_is $1 PENDING &&
		test "$(restarts_of $1)" = 0 &&
		test "$(date -d "$(job_field $1 EligibleTime)" +%s)" -le \
			$EPOCHSECONDS || {
		scontrol show job $1 >&2
		return 1
	}
}

test_expect_success '6.8: the other job starts at once' '
	hold plain &&
	lost=$(held_on n1 ${members[@]}) keeps=$(held_on n2 ${members[@]}) &&
	high=$(run_job -p high -w n1 -N 1 --exclusive) &&
	as_before $lost &&
	job_is $keeps CONFIGURING &&
	gang_log root/plain "member $lost yields to job $high: preempted" &&
	wait_for 10 "test \"\$(gang_record $lost holdend)\" = preempted"
'
test_expect_success '6.8: when that has ended a member is held there again' '
	scancel $high &&
	wait_for 10 "test \"\$(held_in ${members[*]})\" = 2" &&
	test "$(starts_of plain)" = 0
'
test_expect_success '6.8: when there is room the gang starts, each once' '
	scancel $block &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	test "$(restarts_of ${members[@]})" = 0 &&
	let_end plain ${members[@]} &&
	ran_once plain 3
'
test_expect_success '6.8: it is not cancelled where others would be' '
	block=$(run_job -p high -w n[3-4] -N 2 --exclusive) &&
	hold kill -p kill &&
	lost=$(held_on n1 ${members[@]}) &&
	high=$(run_job -p high -w n1 -N 1 --exclusive) &&
	as_before $lost &&
	scancel $high ${members[@]} &&
	wait_for 20 "test \"\$(nodes_in idle)\" = 2"
'
test_expect_success '6.8: it yields its part of a node, and no more' '
	submit_each -wn1 -wn2 -wn3 -- -N 1 -n 1 -c 1 --gang=shared \
		--gang-min-member=3 --gang-mode=nonstrict shared.sh &&
	wait_for 20 "test \"\$(held_in ${members[*]})\" = 2" &&
	small=$(run_job -p high -w n1 -n 1 -c 1) &&
	test "$(held_in ${members[*]})" = 2 &&
	second=$(run_job -p high -w n1 -n 1 -c 1) &&
	as_before ${members[0]} &&
	job_is ${members[1]} CONFIGURING &&
	scancel $small $second ${members[@]} &&
	wait_for 20 "test \"\$(nodes_in idle)\" = 2"
'
# Until the job on n2 has ended the other cannot start, and it would lose the
# node to the gang again.
test_expect_success '6.8: it holds on while another victim has its time of grace' '
	busy=$(run_job -p short -w n2 -N 1 --exclusive) &&
	gang_of_nodes mixed 2 --gang-mode=nonstrict mixed.sh &&
	wait_for 20 "test \"\$(held_in ${members[*]})\" = 1" &&
	lost=$(held_on n1 ${members[@]}) &&
	high=$(submit -p high -w n[1-2] -N 2 --exclusive) &&
	wait_for 10 "scontrol -o show job $busy | grep PreemptTime=2" &&
	job_is $lost CONFIGURING &&
	job_is $high PENDING &&
	scancel $busy &&
	wait_state $high RUNNING 60 &&
	as_before $lost &&
	gang_log root/mixed "member $lost yields to job $high: preempted" &&
	scancel $high ${members[@]} $block
'
last_case
