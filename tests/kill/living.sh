# SPDX-License-Identifier: GPL-2.0-or-later
# living.sh - slurmctld is killed in a step of a gang that runs
#
# For tests of their own private clusters, which this file starts.
# tests/judge/judge says whether two jobs had a rank, an epoch two maps, or a
# job two starts.

seed=397 first_seed=397 n_seasons=0 n_events=0
churn=$(cd "$top_srcdir/tests/churn" && pwd)
. "$churn/churn.sh"
. "$top_srcdir/tests/kill/kill.sh"

cat >topology.conf <<'END'
SwitchName=leaf1 Nodes=n[1-3]
SwitchName=leaf2 Nodes=n[4-6]
SwitchName=core Switches=leaf[1-2]
END
slurm_setup -n 6 -c 2 --faults --topology "$PWD/topology.conf" --conf 'KillWait=2
BatchStartTimeout=10
SlurmdTimeout=300'
slurm_start

churn_limit=$((2 * slurm_patience)) churn_overlap=$((5 * slurm_patience))

living_show()
{
	judged
	cat "$season/verdict"
	squeue
	grep -v '^at' "$season/all"
	scontrol -o show job | grep -o 'JobId=[0-9]*\|JobState=[A-Z]*\|Restarts=[0-9]*\|SystemComment=.*order' |
		xargs -n 12
}

fresh()
{
	slurm_fault && end_season && open_season && gang=k$n_seasons
}

# A gang of its own for each case: runs POLICY RANKS SPARES [OPTIONS]
runs()
{
	fresh && begin $gang "$@" && opened && members_of $gang
}

# The job ends, and that is on the disk before a pass has seen it. Slurm changes
# nothing of a job that has ended, so another one says when all is saved.
ends_saved()
{
	local id=$1 how=$2 state=$3 other=${members[2]}

	slurm_saved $other && slurm_fault delay 1 && touch "$season/$id.$how" &&
		wait_state $id $state && slurm_saved $other
}

# The next event, which slurmctld does not survive.
kill_follows()
{
	fact event $((++n_events)) kill-$point-$nth $gang ${victims[@]}
	fact free $(sinfo -h -N -t idle -o %N)
	fact died
	seen_at=$EPOCHREALTIME
}

# Each has been started so often again, which Slurm counts: restarted COUNT ID...
restarted()
{
	local count=$1 id

	shift
	for id; do
		test "$(job_field $id Restarts)" = $count || return 1
	done
}

partition_is() { scontrol update PartitionName=main State=$1; }

victim_is()
{
	victims=($1) run_at=([$1]=0)
}

loses()
{
	victim_is $1 && kill_follows && ends_saved $1 fail FAILED
}
