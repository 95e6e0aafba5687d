#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0373-preempt.t - a gang preempts: whole, the least harm, and keeps what it freed

test_description='A gang preempts all that it takes, or nobody'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang --conf \
'SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0,sched_min_interval=0,bf_continue
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
KillWait=2
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP PriorityTier=1
PartitionName=mid Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=5
PartitionName=high Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=10
PartitionName=grace Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=1 GraceTime=6
PartitionName=firm Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=OFF'
slurm_start
sgang=$(checked_sgang)

# low NODE PARTITION [OPTIONS...]: an ordinary job on that node alone
low()
{
	local node=$1 partition=$2

	shift 2
	submit -w $node -p $partition --exclusive -N1 -t 10 "$@"
}

# gang NAME COUNT [OPTIONS...]: members of one node each, in the array members
gang()
{
	local name=$1 count=$2 i

	shift 2
	members=()
	for ((i = 0; i < count; i++)); do
		members+=($(submit -N1 --exclusive -t 10 --gang=$name \
			--gang-min-member=$count "$@")) || return 1
	done
}

# fill PARTITION: a job on each node, in the array lows
fill()
{
	local node

	clear_cluster || return 1
	lows=()
	for node in n1 n2 n3 n4; do
		lows+=($(low $node $1)) || return 1
	done
	wait_for 15 all_in RUNNING ${lows[@]}
}

# How many of these jobs run now
running() { squeue -h -t R -j "$(IFS=,; echo "$*")" -o %i | wc -l; }

# The gang has been tried again and again.
tried() { wait_for 60 gang_attempted ${members[0]} 3; }

# ran_on JOB SECONDS: it runs on for so long from now
ran_on()
{
	local until=$(($(date +%s) + $2))

	wait_for $(($2 + 20)) "test \$(date +%s) -ge $until" &&
		all_in RUNNING $1
}

test_expect_success '3.24, 3.29, 3.30: three of four go for a gang of three' '
	fill main &&
	gang a 3 -p high &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	started_together ${members[@]} &&
	test "$(running ${lows[@]})" = 1 &&
	gang_log root/a "preempts job" >log && test "$(wc -l <log)" = 3 &&
	test "$(restarts_of ${lows[@]})" = 3 &&
	drop ${lows[@]} ${members[@]}
'
test_expect_success '1.58, 3.24: the same for one that is an array' '
	fill main &&
	array=$(submit -N1 --exclusive -t 10 -p high --array=1-3 --gang=tasks \
		--gang-min-member=3) &&
	wait_for 20 "test \"\$(squeue -h -r -t R -j $array | wc -l)\" = 3" &&
	gang_log root/tasks "starting 3/3 members" &&
	test "$(running ${lows[@]})" = 1 &&
	test "$(restarts_of ${lows[@]})" = 3 &&
	drop ${lows[@]} $array
'
test_expect_success '3.30, 4.11: of a nonstrict gang two go' '
	clear_cluster && gang loose 4 -p main --gang-mode=nonstrict &&
	loose=(${members[@]}) &&
	wait_for 20 all_in RUNNING ${loose[@]} &&
	gang two 2 -p high &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	test "$(running ${loose[@]})" = 2 &&
	drop ${loose[@]} ${members[@]}
'
test_expect_success '3.29: all or nobody: one of the nodes cannot be had' '
	fill main &&
	scancel ${lows[3]} &&
	wait_for 15 "test \"\$(nodes_in idle)\" = 1" &&
	firm=$(low n4 firm) && wait_state $firm RUNNING &&
	gang b 4 -p high &&
	tried &&
	$sgang explain root/b | grep -F "Preempts=nobody: it would not fit without the 3 jobs" &&
	test "$(running ${lows[@]:0:3} $firm)" = 4 &&
	drop ${lows[@]} ${members[@]} $firm
'
test_expect_success '3.29: --gang-preempt=no' '
	fill main &&
	gang c 2 -p high --gang-preempt=no &&
	tried &&
	wait_for 10 "test -n \"\$(gang_record ${members[0]} would)\"" &&
	$sgang explain --json root/c >explained &&
	[[ $(gang_record ${members[0]} victims) =~ ^([0-9]+):root,([0-9]+):root$ ]] &&
	grep -F "nobody: --gang-preempt=no; it would preempt 2 jobs, root\
 ${BASH_REMATCH[1]} and ${BASH_REMATCH[2]}, on $(gang_record ${members[0]} would)" \
		explained &&
	test "$(scontrol show hostnames "$(gang_record ${members[0]} would)" |
		wc -l)" = 2 &&
	test "$(running ${lows[@]})" = 4 &&
	scancel ${lows[0]} ${lows[1]} &&
	wait_for 15 all_in RUNNING ${members[@]} &&
	drop ${lows[@]} ${members[@]}
'
test_expect_success '3.32: what was freed is kept while the last victim ends' '
	clear_cluster &&
	lows=($(low n1 main) $(low n2 main) $(low n3 grace) $(low n4 firm)) &&
	wait_for 15 all_in RUNNING ${lows[@]} &&
	gang d 3 -p high &&
	wait_for 15 squeue_says ${members[0]} "preempted jobs are ending" &&
	$sgang explain root/d >explained &&
	grep -F "Preempts=jobs ${lows[0]} (root), ${lows[1]} (root), ${lows[2]} (root)" \
		explained &&
	grep -F "for n[1-3] since" explained &&
	other=$(submit -p mid -N1 --exclusive -t 1) &&
	small=$(submit -p main -N1 --exclusive -t 1) &&
	wait_for 30 all_in RUNNING ${members[@]} &&
	started_together ${members[@]} &&
	all_in PENDING $other $small &&
	drop ${lows[@]} ${members[@]} $other $small
'
test_expect_success '3.29: a gang that is cancelled gives its claim up' '
	clear_cluster &&
	lows=($(low n1 main) $(low n2 main) $(low n3 grace) $(low n4 firm)) &&
	wait_for 15 all_in RUNNING ${lows[@]} &&
	gang e 3 -p high &&
	wait_for 15 squeue_says ${members[0]} "preempted jobs are ending" &&
	small=$(submit -p main -N1 --exclusive -t 5) &&
	scancel ${members[@]} &&
	wait_state $small RUNNING 15 &&
	wait_for 15 gang_log root/e "gives up its claim" &&
	ran_on ${lows[2]} 10 &&
	all_in RUNNING ${lows[3]} &&
	drop ${lows[@]} $small
'
test_expect_success '3.29, 4.11: a gang goes as a whole, and starts again whole' '
	clear_cluster &&
	gang low 3 && lowgang=(${members[@]}) &&
	wait_for 15 all_in RUNNING ${lowgang[@]} &&
	gang f 2 -p high &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	none_in RUNNING ${lowgang[@]} &&
	wait_for 20 all_in PENDING ${lowgang[@]} &&
	test "$(restarts_of ${lowgang[@]})" = 3 &&
	wait_for 10 "$sgang show root/low | grep -q Phase=Waiting" &&
	scancel ${members[@]} &&
	wait_for 180 all_in RUNNING ${lowgang[@]} &&
	started_together ${lowgang[@]} &&
	drop ${lowgang[@]}
'
test_expect_success '3.24: a single job goes before a gang' '
	clear_cluster &&
	gang low2 2 && lowgang=(${members[@]}) &&
	wait_for 15 all_in RUNNING ${lowgang[@]} &&
	lows=($(submit -N1 --exclusive -t 10) $(submit -N1 --exclusive -t 10)) &&
	wait_for 15 all_in RUNNING ${lows[@]} &&
	gang g 2 -p high &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	all_in RUNNING ${lowgang[@]} &&
	drop ${lowgang[@]} ${lows[@]} ${members[@]}
'
test_expect_success '1.17: members above the minimum go before other jobs' '
	clear_cluster &&
	lowgang=() &&
	for i in 1 2 3; do
		lowgang+=($(submit -N1 --exclusive -t 10 --gang=ext \
			--gang-min-member=1 --gang-total-number=3)) || return 1
	done &&
	wait_for 15 all_in RUNNING ${lowgang[@]} &&
	single=$(submit -N1 --exclusive -t 10) &&
	wait_state $single RUNNING &&
	gang h 2 -p high &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	test "$(running ${lowgang[@]})" = 1 &&
	all_in RUNNING $single &&
	drop ${lowgang[@]} $single ${members[@]}
'
test_expect_success 'nothing is left' 'nothing_left'

test_done
