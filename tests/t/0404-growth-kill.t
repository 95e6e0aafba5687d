#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0404-growth-kill.t - slurmctld is killed while a gang grows, or is done
#
# Between every two steps of the start of a new member, and of an end by success.

test_description='kill -9 of slurmctld in every step of a growth, and of an end'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"
. "$top_srcdir/tests/churn/deaths.sh"

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

# An heir has taken rank 0 of a gang that is just released, and slurmctld dies: it
# cannot know which of the members that it finds were launched. Passes stop at once,
# because the sixth second of the gang would be too late for that.
inherits_at_once()
{
	runs ignore 2 0 && slurm_fault delay 1 && by_rank &&
		victims=(${members[0]}) && run_at=([${members[0]}]=0) &&
		kill_at nowhere 0 && lose ${members[0]} cancel &&
		wait_for 20 all_gone && gone=0 && join $gang &&
		wait_for 20 test -s "$season/$came.told" && slurm_saved $came &&
		test -n "$(gang_record ${members[1]} since)"
}

by_rank()
{
	case $(gang_record ${members[0]} rank) in
	1/*) members=(${members[1]} ${members[0]}) ;;
	esac
}

test_expect_success '6.2 6.3 an heir at once, and slurmctld is killed' '
	{ inherits_at_once || inherits_at_once || inherits_at_once; } &&
	slurm_kill9_ctld && slurm_fault && slurm_start_ctld &&
	settle && judged &&
	test "$(gang_record ${members[1]} rank) $(gang_record $came rank)" = "1/2 0/2" ||
	show
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
test_expect_success 'nothing is left' 'end_season && nothing_left'

test_done
