#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0397-living-kill.t - slurmctld is killed while a lost member is replaced
#
# Between every two steps: by a spare, and by the same job elsewhere.

test_description='kill -9 of slurmctld in every step of a replacement'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"
. "$top_srcdir/tests/churn/deaths.sh"

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
# Slurm says so when a job is requeued that had ended before slurmctld was started.
test_expect_success 'nothing is left' '
	end_season && nothing_left "build_cg_bitmap: node_bitmap is NULL"
'

test_done
