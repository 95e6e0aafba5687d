# SPDX-License-Identifier: GPL-2.0-or-later
# deaths.sh - slurmctld is killed in a step of a gang that runs
#
# For a test of its own private cluster, which this file starts. judge.awk says
# whether two jobs had a rank, an epoch two maps, or a job two starts.

seed=397 n_seasons=0 n_events=0
churn=$(cd "$top_srcdir/tests/churn" && pwd)
. "$churn/churn.sh"

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

show()
{
	judged
	cat "$season/verdict"
	squeue
	grep -v '^at' "$season/all"
	scontrol -o show job | grep -o 'JobId=[0-9]*\|JobState=[A-Z]*\|Restarts=[0-9]*\|SystemComment=.*order' |
		xargs -n 12
	return 1
} >&2

died() { ! slurm_alive slurmctld; }

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

# The next event, which slurmctld does not survive: kill_at POINT N
kill_at()
{
	fact event $((++n_events)) kill-$1-$2 $gang ${victims[@]}
	fact free $(sinfo -h -N -t idle -o %N)
	fact died
	seen_at=$EPOCHREALTIME
}

lives_again()
{
	wait_for 40 died && slurm_fault && slurm_start_ctld
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

# lost_at POINT N VICTIM: it fails, and slurmctld dies there.
lost_at()
{
	victims=($3) run_at=([$3]=0)
	kill_at $1 $2 && ends_saved $3 fail FAILED &&
		slurm_fault kill-$1 $2 && lives_again && settle && judged
}
