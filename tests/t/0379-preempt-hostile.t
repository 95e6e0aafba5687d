#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0379-preempt-hostile.t - users and nodes that do what they can while a gang preempts

test_description='Whatever happens to a claim, it ends, and slurmctld lives'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang --conf \
'SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0,sched_min_interval=0,bf_continue
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
KillWait=2
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP PriorityTier=1
PartitionName=high Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=10
PartitionName=grace Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=1 GraceTime=8
PartitionName=firm Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=OFF'
users_setup
slurm_start
ctld=$(slurm_pid slurmctld)

low()
{
	submit_as $bob -w $1 -p $2 --exclusive -N1 -t 10
}

gang()
{
	local i

	name=$1 members=()
	for ((i = 0; i < $2; i++)); do
		members+=($(submit_as $alice -p high -N1 --exclusive -t 10 \
			--gang=$alice/$name --gang-min-member=$2)) || return 1
	done
}

# Two have gone for the gang of three, the third has its grace, and another job
# waits for any node.
claims()
{
	clear_all &&
	lows=($(low n1 main) $(low n2 main) $(low n3 grace)) &&
	firm=$(low n4 firm) &&
	wait_for 15 all_in RUNNING ${lows[@]} $firm &&
	other=$(submit_as $bob -N1 --exclusive -t 1 -J other) &&
	gang $1 3 &&
	wait_for 20 squeue_says ${members[0]} "preempted jobs are ending" &&
	wait_for 20 all_in PENDING ${lows[0]} ${lows[1]}
}

clear_all()
{
	scancel -u $alice; scancel -u $bob
	wait_for 20 queue_empty && wait_for 20 nodes_idle
}

same_ctld()
{
	test "$(slurm_pid slurmctld)" = "$ctld"
}

claimed()
{
	local id

	for id in ${members[@]}; do
		test -z "$(gang_record $id claim)" || return 0
	done
	return 1
}

runs_whole()
{
	wait_for 60 all_in RUNNING ${members[@]} && started_together ${members[@]} &&
	all_in PENDING $other && ! claimed && same_ctld
}

# Without the gang the rest goes on: nothing is kept.
others_go_on()
{
	scancel ${members[@]} && wait_for 30 all_in RUNNING $other && same_ctld
}

show()
{
	squeue -o "%i %u %j %P %T %r %N" >&2
	return 1
}

test_expect_success '3.24: what jobs say of checkpoints that cannot be is not believed' '
	clear_all &&
	lows=($(low n1 main) $(low n2 main)) &&
	wait_for 15 all_in RUNNING ${lows[@]} &&
	old=$(started_at ${lows[1]}) &&
	wait_for 15 "test \$(date +%s) -gt $((old + 4))" &&
	lows+=($(low n3 main) $(low n4 main)) &&
	wait_for 15 all_in RUNNING ${lows[@]} &&
	as $bob scontrol update JobId=${lows[0]} Comment=ckpt=$(($(date +%s) + 999999)) &&
	as $bob scontrol update JobId=${lows[1]} Comment=ckpt=2199-01-01T00:00:00 &&
	gang lies 2 &&
	wait_for 30 all_in RUNNING ${members[@]} &&
	all_in RUNNING ${lows[0]} ${lows[1]} && same_ctld || show
'
test_expect_success '3.24: nonsense about checkpoints' '
	for text in ckpt= ckpt=-1 ckpt=%s%n%s ckpt=99999999999999999999999999 \
		"ckpt=$(printf "%500s" | tr " " 9)" ckpt=2026-13-45T99:99:99 \
		"ckpt=1 ckpt=2 claim=n[1-4] claimed=1" "ckpt=n[1-"; do
		as $bob scontrol update JobId=${lows[0]} Comment="$text" &&
		as $alice scontrol update JobId=${members[0]} Comment="$text" ||
			return 1
	done &&
	gang more 1 && wait_for 30 all_in RUNNING ${members[@]} && same_ctld || show
'

# What the user of the victim does to it; Slurm may refuse.
n=0
for what in requeue hold requeuehold release cancel \
	"update TimeLimit=1 JobId=" "update Comment=ckpt=9999999999 JobId=" \
	"update Requeue=0 JobId=" "update Partition=firm JobId="; do
	n=$((n + 1))
	test_expect_success "3.30, 3.32: the user of the victim: $what" '
		claims v$n &&
		case $what in
		cancel) as $bob scancel ${lows[2]} ;;
		update*) as $bob scontrol ${what}${lows[2]} || : ;;
		*) as $bob scontrol $what ${lows[2]} || : ;;
		esac &&
		runs_whole && others_go_on || show
	'
done

# What the owner does to a member. The gang starts, or its claim ends.
for what in "Partition=main" "Features=none" "Priority=1" "Nice=1000" \
	"NumNodes=2" "ReqNodeList=n4" "ExcNodeList=n1" "Dependency=afterany:1" \
	"StartTime=now+1hour" "TimeLimit=1" hold cancel requeue; do
	n=$((n + 1))
	test_expect_success "3.29, 3.32: the owner of the gang: $what" '
		claims o$n &&
		case $what in
		cancel) as $alice scancel ${members[1]} ;;
		*=*) as $alice scontrol update JobId=${members[1]} $what || : ;;
		*) as $alice scontrol $what ${members[1]} || : ;;
		esac &&
		wait_for 60 "all_in RUNNING \${members[*]} || ! claimed" &&
		others_go_on || show
	'
done

for state in DOWN DRAIN; do
	test_expect_success "3.32: a node of the claim is set to $state" '
		test_when_finished "scontrol update NodeName=n1 State=RESUME || :" &&
		claims node-${state,,} &&
		scontrol update NodeName=n1 State=$state Reason=test &&
		wait_for 40 "! claimed" && wait_for 40 all_in RUNNING $other &&
		same_ctld || show
	'
done
test_expect_success '3.32: a node of the claim dies' '
	claims ndies &&
	slurm_kill_node n1 && scontrol update NodeName=n1 State=DOWN Reason=dead &&
	wait_for 40 "! claimed" && wait_for 40 all_in RUNNING $other &&
	slurm_start_node n1 &&
	{ scontrol update NodeName=n1 State=RESUME || :; } &&
	same_ctld || show
'
test_expect_success '3.32: scontrol reconfigure in the grace' '
	claims reconf && scontrol reconfigure && wait_for 15 slurm_ctld_answers &&
	wait_for 60 all_in RUNNING ${members[@]} &&
	started_together ${members[@]} && all_in PENDING $other &&
	test "$(restarts_of ${lows[@]})" = 3 || show
'
test_expect_success 'nothing is left' 'clear_all; nothing_left'

test_done
