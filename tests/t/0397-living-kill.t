#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0397-living-kill.t - slurmctld is killed while a gang that runs changes
#
# Between every two steps of a replacement, a restart, a growth and an end by
# success. tests/churn/judge.awk says whether two jobs had a rank, an epoch two
# maps, or a job two starts.

test_description='kill -9 of slurmctld in every step of a living gang'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

seed=397 n_seasons=0
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

# The same on other nodes than those that it would choose.
runs_aside()
{
	fresh && blockers=($(submit -w n[1-3] -N3 --exclusive -t 600)) &&
		wait_state $blockers RUNNING 20 &&
		begin $gang "$@" && opened && members_of $gang &&
		scancel $blockers && blockers=() &&
		wait_for 20 'test $(nodes_in idle) = 3'
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

# Of "members" the leader is the first.
leader_first()
{
	local id others=() leader

	for id in ${members[@]}; do
		case $(gang_record $id rank) in
		0/*) leader=$id ;;
		*) others+=($id) ;;
		esac
	done
	members=($leader ${others[@]})
	test ${#members[@]} = 4
}

# Each of the others says why it has ended.
all_done()
{
	local id

	for id in ${members[@]:1}; do
		squeue -h -t all -j $id -o %r | grep "Gang root/$gang is done: " &&
			test "$(gang_record $id phase)" = finished || return 1
	done
}

n_events=0
for at in 'replace 1' 'requeued 1' 'fill 1' 'filled 1' 'epoch 1' 'tell 1' \
	'told 1' 'begins 1' 'begun 1' 'seat 1' 'seated 1'; do
	test_expect_success "6.2 6.3 6.5 6.6 a spare replaces, killed at $at" '
		runs replace 3 1 && lost_at '"$at"' ${members[1]} &&
		restarted 1 ${members[1]} &&
		restarted 0 ${members[0]} ${members[2]} ${members[3]} || show
	'
done
for at in 'requeued 1' 'begins 1' 'begun 1' 'seat 1' 'seated 1'; do
	test_expect_success "6.2 6.3 6.6 a member replaced, killed at $at" '
		runs replace 3 0 && lost_at '"$at"' ${members[1]} &&
		restarted 1 ${members[1]} &&
		restarted 0 ${members[0]} ${members[2]} || show
	'
done
for at in 'requeue 1' 'requeue 2' 'requeue 3' 'requeued 1' 'begins 1' 'begun 1' \
	'commit 1' 'commit 3' 'committed 1' 'saved 1' 'release 1' 'release 3' \
	'released 1' 'known 1'; do
	test_expect_success "6.2 6.3 6.7 a gang restarts, killed at $at" '
		runs_aside requeue 3 0 && lost_at '"$at"' ${members[1]} &&
		restarted 1 ${members[@]} || show
	'
done
# Found again just after its start, it begins once more: its epoch is another one.
starts_found_again()
{
	fresh && slurm_fault kill-known 1 && begin $gang requeue 3 0 && lives_again &&
		opened && members_of $gang
}
test_expect_success '6.3 a gang that was found again has another epoch when it restarts' '
	starts_found_again && victims=(${members[1]}) &&
	run_at=([${members[1]}]=0) && kill_at nowhere 0 &&
	touch "$season/${members[1]}.fail" && settle && judged || show
'

# A new member is there, and Slurm must not start it before its partition is up.
grows()
{
	runs ignore 3 0 && victims=() && kill_at $1 $2 && fact grow $gang 4 &&
		scontrol update PartitionName=main State=DOWN &&
		join $gang && slurm_saved $came
}

up()
{
	scontrol update PartitionName=main State=UP
}

# slurmctld dies within the start of the new member: nothing was sent to its node.
for at in 'seat 1' 'seated 1'; do
	test_expect_success "6.3 6.12 a gang grows, killed at $at" '
		grows '"$at"' && slurm_fault kill-'"$at"' &&
		{ up || died; } && lives_again && up &&
		settle && judged && restarted 0 ${members[@]} $came || show
	'
done

# The new member runs, and that is on the disk before a pass has seen it. Slurm
# saves a start up to five seconds later, and repeats one that it has not saved:
# then the job runs twice, if its node had the first message.
runs_saved()
{
	slurm_fault delay 1 && up && wait_for 20 test -s "$season/$came.told" &&
		slurm_saved $came
}

for at in 'epoch 1' 'tell 1' 'told 1'; do
	test_expect_success "6.3 6.12 a gang grows, killed at $at" '
		grows '"$at"' && runs_saved && slurm_fault kill-'"$at"' &&
		lives_again && up &&
		settle && judged && restarted 0 ${members[@]} $came || show
	'
done
# The leader has completed, and that is on the disk.
for at in 'end 1' 'end 2' 'end 3' 'ended 1'; do
	test_expect_success "6.11 a gang is done, killed at $at" '
		runs ignore 4 0 --gang-on-success=leader && leader_first &&
		victims=() && kill_at '"$at"' && ends_saved ${members[0]} done COMPLETED &&
		slurm_fault kill-'"$at"' && lives_again &&
		wait_for 60 all_in CANCELLED ${members[@]:1} &&
		wait_for 30 nodes_idle && all_in COMPLETED ${members[0]} &&
		restarted 0 ${members[@]} && all_done && judged || show
	'
done
# Slurm says so when a job is requeued that had ended before slurmctld was started.
test_expect_success 'nothing is left' '
	end_season && nothing_left "build_cg_bitmap: node_bitmap is NULL"
'

test_done
