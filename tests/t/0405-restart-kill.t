#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0405-restart-kill.t - slurmctld is killed while a gang restarts
#
# The points are in tests/kill/kinds.

test_description='kill -9 of slurmctld in every step of a restart'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"
. "$top_srcdir/tests/kill/living.sh"

# On other nodes than those that it would choose.
restart_up()
{
	fresh && blockers=($(submit -w n[1-3] -N3 --exclusive -t 600)) &&
		wait_state $blockers RUNNING 20 &&
		begin $gang requeue 3 0 && opened && members_of $gang &&
		scancel $blockers && blockers=() &&
		wait_for 20 'test $(nodes_in idle) = 3' && loses ${members[1]}
}
restart_judged() { settle && judged && restarted 1 ${members[@]}; }

# Found again just after its start, it begins once more: its epoch is another one.
refound_up()
{
	fresh && partition_is DOWN && begin $gang requeue 3 0 && slurm_saved $came
}
refound_step() { partition_is UP; }
refound_on() { partition_is UP && opened && members_of $gang; }
refound_judged()
{
	victim_is ${members[1]} && kill_follows &&
		touch "$season/${members[1]}.fail" && settle && judged
}
restart_show() { living_show; }
refound_show() { living_show; }

kill_cases

# Slurm says so when a job is requeued that had ended before slurmctld was started.
last_case '
	end_season && nothing_left "build_cg_bitmap: node_bitmap is NULL"
'
