#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0403-living-kill.t - slurmctld is killed while a lost member is replaced, by a
# spare or by itself
#
# The points are in tests/kill/kinds.

test_description='kill -9 of slurmctld in every step of a replacement'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"
. "$top_srcdir/tests/kill/living.sh"

lost_up() { runs "$@" && loses ${members[1]}; }
lost_judged()
{
	settle && judged && restarted 1 ${members[1]} &&
		restarted 0 ${members[0]} ${members[@]:2}
}
lost_show() { living_show; }

kill_cases

# Slurm says so when a job is requeued that had ended before slurmctld was started.
last_case '
	end_season && nothing_left "build_cg_bitmap: node_bitmap is NULL"
'
