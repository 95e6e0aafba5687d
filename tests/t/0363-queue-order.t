#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0363-queue-order.t - who comes before a gang is Slurm's to say
#
# With preempt/qos a job comes before those that it may preempt, whatever their
# priorities are. With priority/basic each job has a lower one than all before.

test_description='Jobs that Slurm puts before a gang are not kept off its nodes'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 2 -c 2 --gang --conf \
"$quick_sched,bf_resolution=1
PriorityType=priority/basic
PreemptType=preempt/qos
PreemptMode=REQUEUE
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
slurmdbd_setup 'AccountingStorageEnforce=associations,limits,qos'
acct add qos low,high
acct modify qos high set preempt=low
acct add account lab
acct add user root account=lab defaultaccount=lab
acct modify user root set qos=normal,low,high
slurm_start

# A gang waits for the node of a job that nobody preempts.
test_expect_success 'a gang of two waits for its second node' '
	block=$(run_job -w n1 -N 1 --exclusive -t 10) &&
	gang_of_nodes train 2 -t 10 --qos=low && gang=(${members[@]}) &&
	wait_for 20 gang_attempted ${gang[0]} 1 &&
	wait_for 20 "test \"\$(job_field ${gang[0]} StartTime)\" != Unknown"
'
# Of the same QOS it is after the gang by its number.
test_expect_success '3.16 3.17 4.9: a job behind it does not take the other' '
	behind=$(submit -N 1 --exclusive -t 30 --qos=low)
'
test_expect_success '3.16 3.17 4.9: one of a QOS that preempts comes before it' '
	high=$(submit -N 1 --exclusive -t 30 --qos=high) &&
	test "$(job_field $high Priority)" -lt \
		"$(job_field ${gang[0]} Priority)" &&
	wait_state $high RUNNING 40 &&
	none_in RUNNING ${gang[@]} $behind
'
test_expect_success '4.9: the gang is next' '
	scancel $high $block &&
	start_together 30 ${gang[@]} &&
	job_is $behind PENDING &&
	scancel ${gang[@]} $behind
'
last_case 'nothing_left "No fed_mgr state file"'
