#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0403-restart-kill.t - slurmctld is killed while a gang restarts
#
# Between every two steps, from the loss of a member to the start of all.

test_description='kill -9 of slurmctld in every step of a restart'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"
. "$top_srcdir/tests/churn/deaths.sh"

# The same on other nodes than those that it would choose.
runs_aside()
{
	fresh && blockers=($(submit -w n[1-3] -N3 --exclusive -t 600)) &&
		wait_state $blockers RUNNING 20 &&
		begin $gang "$@" && opened && members_of $gang &&
		scancel $blockers && blockers=() &&
		wait_for 20 'test $(nodes_in idle) = 3'
}

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

# Slurm says so when a job is requeued that had ended before slurmctld was started.
test_expect_success 'nothing is left' '
	end_season && nothing_left "build_cg_bitmap: node_bitmap is NULL"
'

test_done
