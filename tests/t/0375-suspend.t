#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0375-suspend.t - where jobs are suspended for others, they are for a gang
#
# PreemptMode=SUSPEND,GANG, PreemptType=preempt/partition_prio: jobs in a higher
# partition have the CPUs of those in a lower one, and Slurm suspends these.
# Memory stays with them.

test_description='A gang starts where jobs of a lower partition are suspended for it'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

switches a=n[1-2] b=n3 top:a,b >topology.conf
slurm_cluster -n 3 -c 2 --gang --topology topology.conf --conf \
"$quick_sched
SelectTypeParameters=CR_Core_Memory
PreemptType=preempt/partition_prio
PreemptMode=SUSPEND,GANG
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP PriorityTier=1
PartitionName=keep Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=OFF
PartitionName=high Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=10"

# A gang of three with these options, in "gang": gather NAME OPTION...
gather() { submit_gang $1 3 -p high -t 5 "${@:2}" && gang=(${members[@]}); }

# A job on each node, in "low": occupy OPTION...
occupy() { on_nodes "n1 n2 n3" -t 10 "$@" && low=(${jobs[@]}); }
starts() { start_together 20 ${gang[@]}; }

low_goes_on()
{
	scancel ${gang[@]} && wait_for 60 all_in RUNNING ${low[@]} &&
		test "$(restarts_of ${low[@]})" = 0
}

test_expect_success 'a job of the higher partition starts at once' '
	occupy -n 2 &&
	high=$(submit -p high -n 2 -t 5) &&
	wait_state $high RUNNING 15 &&
	scancel $high &&
	wait_for 60 all_in RUNNING ${low[@]}
'
test_expect_success '3.24: so does a gang, and what was there is suspended' '
	gather train -N 1 -n 2 &&
	starts &&
	wait_for 10 all_in SUSPENDED ${low[@]} &&
	low_goes_on
'
test_expect_success '3.24: so does one of whole nodes' '
	gather whole -N 1 --exclusive &&
	starts &&
	wait_for 10 all_in SUSPENDED ${low[@]} &&
	low_goes_on
'
test_expect_success '3.24: and one whose members come as there is room' '
	gather some -N 1 -n 2 --gang-mode=nonstrict &&
	starts &&
	wait_for 10 all_in SUSPENDED ${low[@]} &&
	low_goes_on
'
test_expect_success '3.24: so does one of members that differ' '
	gang=($(submit -p high -N 1 -n 1 -t 5 --gang=mixed --gang-min-member=2)
		$(submit -p high -N 2 -n 4 -t 5 --gang=mixed \
			--gang-min-member=2)) &&
	starts &&
	wait_for 10 all_in SUSPENDED ${low[@]} &&
	low_goes_on
'
test_expect_success '3.24: so does one that is to be in one leaf' '
	submit_gang leaf 2 -p high -N 1 -n 2 -t 5 \
		--gang-topology=require:leaf && gang=(${members[@]}) &&
	starts &&
	wait_for 10 all_in SUSPENDED ${low[0]} ${low[1]} &&
	job_is ${low[2]} RUNNING &&
	low_goes_on
'
test_expect_success '3.24: nobody is suspended where there is room beside' '
	scancel ${low[1]} ${low[2]} &&
	wait_for 20 "test \"\$(nodes_in idle)\" = 2" &&
	submit_gang beside 2 -p high -N 1 -n 2 -t 5 && gang=(${members[@]}) &&
	starts &&
	job_is ${low[0]} RUNNING &&
	end_now ${gang[@]} ${low[0]}
'
# Of 2000 MB there are 500 left.
test_expect_success '3.24: memory stays with those who are suspended' '
	occupy -n 2 --mem=1500 &&
	gather memory -N 1 -n 2 --mem=1000 &&
	wait_for 20 gang_attempted ${gang[0]} 1 &&
	wait_for 20 squeue_says ${gang[0]} memory &&
	all_in PENDING ${gang[@]} &&
	all_in RUNNING ${low[@]} &&
	scancel ${low[@]} &&
	starts &&
	end_now ${gang[@]}
'
test_expect_success '3.24: no job of a partition with PreemptMode=OFF is' '
	occupy -n 2 -p keep &&
	gather off -N 1 -n 2 &&
	wait_for 20 gang_attempted ${gang[0]} 1 &&
	all_in RUNNING ${low[@]} &&
	all_in PENDING ${gang[@]} &&
	scancel ${low[@]} &&
	starts &&
	scancel ${gang[@]}
'
last_case
