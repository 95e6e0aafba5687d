#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0369-preemption.t - members of gangs are the last victims of preemption

test_description='Members of gangs are the last victims of preemption'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 3 -c 2 --gang --conf \
'SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0,sched_min_interval=0,bf_continue
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP PriorityTier=1
PartitionName=high Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=10'
slurm_start

gang_of_two()
{
	members=($(submit -N 1 --exclusive -t 10 --gang=$1 --gang-min-member=2)
		 $(submit -N 1 --exclusive -t 10 --gang=$1 --gang-min-member=2)) &&
		wait_for 15 all_in RUNNING ${members[@]}
}

# Slurm alone takes a member here: their nodes come first.
test_expect_success '4.11, 3.18: another job is preempted, no member' '
	gang_of_two old &&
	other=$(submit -N 1 --exclusive -t 10) &&
	wait_state $other RUNNING &&
	small=$(submit -p high -n 1 -t 5) &&
	wait_state $small RUNNING 20 &&
	job_is $other "PENDING|CANCELLED|PREEMPTED|COMPLETING" &&
	all_in RUNNING ${members[@]} &&
	test "$(restarts_of ${members[@]})" = 0 &&
	scancel $small $other
'
test_expect_success '3.18: members are, where nothing else will do' '
	wait_for 15 "test \"\$(nodes_in idle)\" = 1" &&
	big=$(submit -p high -N 3 --exclusive -t 5) &&
	wait_state $big RUNNING 30 &&
	none_in RUNNING ${members[@]} &&
	scancel $big ${members[@]}
'
# Slurm alone takes the job on n1.
test_expect_success '4.11: a gang of one is a victim as any other' '
	wait_for 20 nodes_idle &&
	members=($(submit -w n1 --exclusive -t 10 --gang=two --gang-min-member=2)
		 $(submit -w n2 --exclusive -t 10 --gang=two --gang-min-member=2)) &&
	solo=$(submit -w n3 --exclusive -t 10 --gang=solo --gang-min-member=1) &&
	wait_for 15 all_in RUNNING $solo ${members[@]} &&
	small=$(submit -p high -n 1 -t 5) &&
	wait_state $small RUNNING 20 &&
	none_in RUNNING $solo &&
	all_in RUNNING ${members[@]} &&
	scancel $small $solo
'
test_expect_success '4.11: so is the last of a gang that has nodes' '
	scancel ${members[0]} &&
	wait_for 20 "test \"\$(nodes_in idle)\" = 2" &&
	others=($(submit -w n1 --exclusive -t 10 --gang=new --gang-min-member=2)
		$(submit -w n3 --exclusive -t 10 --gang=new --gang-min-member=2)) &&
	wait_for 15 all_in RUNNING ${others[@]} ${members[1]} &&
	small=$(submit -p high -n 1 -t 5) &&
	wait_state $small RUNNING 20 &&
	none_in RUNNING ${members[1]} &&
	all_in RUNNING ${others[@]} &&
	scancel $small ${others[@]} ${members[1]}
'
test_expect_success 'nothing is left' 'nothing_left'

test_done
