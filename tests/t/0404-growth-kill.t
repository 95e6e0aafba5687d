#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0404-growth-kill.t - slurmctld is killed while a gang grows, or is done
#
# The points are in tests/kill/kinds.

test_description='kill -9 of slurmctld in every step of a growth, and of an end'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"
. "$top_srcdir/tests/kill/living.sh"

by_rank()
{
	case $(gang_record ${members[0]} rank) in
	1/*) members=(${members[1]} ${members[0]}) ;;
	esac
}

# An heir has taken rank 0 of a gang that is just released, and slurmctld dies: it
# cannot know which of the members that it finds were launched. Passes stop at once,
# because the sixth second of the gang would be too late for that.
inherits_at_once()
{
	runs ignore 2 0 && slurm_fault delay 1 && by_rank &&
		victim_is ${members[0]} && kill_follows &&
		lose ${members[0]} cancel && wait_for 20 all_gone && gone=0 &&
		join $gang && wait_for 20 test -s "$season/$came.told" &&
		slurm_saved $came && test -n "$(gang_record ${members[1]} since)"
}
heir_up()
{
	local try

	for try in {1..8}; do ! inherits_at_once || return 0; done
	return 1
}
heir_judged()
{
	settle && judged &&
		test "$(gang_record ${members[1]} rank) $(gang_record $came rank)" = "1/2 0/2"
}

# A new member is there, and Slurm must not start it before its partition is up.
# slurmctld dies within its start: nothing was sent to its node. Or it runs, and
# that is on the disk before a pass has seen it. Slurm saves a start up to five
# seconds later, and repeats one that it has not saved: then the job runs twice, if
# its node had the first message.
grows_up()
{
	runs ignore 3 0 && victims=() && kill_follows && fact ranks $gang 4 &&
		partition_is DOWN && join $gang && slurm_saved $came || return 1
	test $1 = starts || { slurm_fault delay 1 && partition_is UP &&
		wait_for 20 test -s "$season/$came.told" && slurm_saved $came; }
}
grows_step() { test $1 = runs || partition_is UP; }
grows_on() { partition_is UP; }
grows_judged() { settle && judged && restarted 0 ${members[@]} $came; }

# --- the gang is done ---

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

# The leader has completed, and that is on the disk.
done_up()
{
	runs ignore 4 0 --gang-on-success=leader && leader_first &&
		victims=() && kill_follows &&
		ends_saved ${members[0]} done COMPLETED
}
done_judged()
{
	wait_for 60 all_in CANCELLED ${members[@]:1} && wait_for 30 nodes_idle &&
		all_in COMPLETED ${members[0]} && restarted 0 ${members[@]} &&
		all_done && judged
}
heir_show() { living_show; }
grows_show() { living_show; }
done_show() { living_show; }

kill_cases
last_case 'end_season && nothing_left'
