#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0426-preempt-kill.t - slurmctld is killed while a gang preempts, and comes back
#
# The points are in tests/kill/kinds.

test_description='kill -9 of slurmctld in every phase of a preemption'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"
. "$top_srcdir/tests/kill/kill.sh"

slurm_cluster -n 4 -c 2 --faults --conf \
"$quick_sched
KillWait=2
$(partition_prio main=1 high=10 grace=1,GraceTime=12 firm=1,PreemptMode=OFF)"

# low NODE PARTITION: an ordinary job on that node alone
low() { submit -w $1 -p $2 --exclusive -N1 -t 10; }

# Three jobs that can be preempted, on n1 to n3; the third in this partition. A
# fourth job of their class waits for any node, and a short one too.
begin()
{
	name=k$n_kills
	clear_cluster || return 1
	lows=($(low n1 main) $(low n2 main) $(low n3 $1)) firm=$(low n4 firm)
	wait_for 15 all_in RUNNING ${lows[@]} $firm || return 1
	others=($(submit -p main -N1 --exclusive -t 10) \
		$(submit -p main -N1 --exclusive -t 1))
	slurm_saved ${others[1]} && gang
}

# The gang is on the disk before it is its turn.
gang()
{
	scontrol update PartitionName=high State=DOWN &&
		gang_of_nodes $name 3 -p high -t 10 && slurm_saved ${members[2]}
}

no_claim_left()
{
	local id

	for id in ${members[@]} ${lows[@]} ${others[@]}; do
		test -z "$(gang_record $id claim)" || return 1
	done
	! "$sgang" explain root/$name | grep "Preempts=jobs"
}

# Nobody else has begun: those that wait have not run at all.
never_ran()
{
	local id

	for id; do
		test "$(job_field $id JobState)" = PENDING &&
		test ! -e "$slurm_dir/out/$id" || return 1
	done
}

# It was requeued. Or its script died of the strike, and slurmctld of the fault
# before it had saved that the job is to be requeued: then Slurm takes the job as
# failed.
gave_way()
{
	local id

	for id; do
		case $(job_state $id) in
		PENDING) test "$(restarts_of $id)" = 1 || return 1 ;;
		FAILED) test $point = strike || return 1 ;;
		*) return 1 ;;
		esac
	done
}

# The end is the one that it has without a kill.
as_without_a_kill()
{
	start_together 60 ${members[@]} &&
	test "$(restarts_of ${members[@]})" = 0 &&
	never_ran ${others[@]} &&
	all_in RUNNING $firm &&
	wait_for 30 gave_way ${lows[@]} &&
	wait_for 20 no_claim_left
}

# --- while it preempts: claim PARTITION ---

claim_up() { begin $1; }
claim_step() { scontrol update PartitionName=high State=UP; }
# The partition is up from the start, as in slurm.conf: that it is may not have
# been saved.
claim_dead() { rm -f "$slurm_dir"/state/part_state*; }
claim_judged() { as_without_a_kill; }
claim_show() { squeue -o '%i %P %T %r %N'; }

# --- two have gone, the third has its grace ---

grace_up()
{
	begin grace && claim_step &&
	wait_for 20 all_in PENDING ${lows[0]} ${lows[1]} &&
	wait_for 20 squeue_says ${members[0]} "1 of 3 preempted jobs are ending" &&
	test "$(gang_record ${members[0]} claim)" = "n[1-3]" &&
	"$sgang" explain root/$name | grep "Preempts=jobs" &&
	case $1 in
	saved) slurm_saved ${members[0]} ;;
	cancelled)
		slurm_saved ${members[0]} && scancel ${members[@]} &&
		wait_for 20 gang_log root/$name "gives up its claim" &&
		slurm_saved ${lows[0]} ;;
	esac
}
grace_dead() { claim_dead; }
grace_judged()
{
	test $1 = cancelled || { as_without_a_kill; return; }
	wait_for 30 all_in RUNNING ${others[0]} && all_in RUNNING ${lows[2]}
}
grace_show() { claim_show; }

kill_cases
last_case 'clear_cluster; nothing_left'
