#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0595-compose.t - gang options in pairs
#
# By day a few rows of a fixed seed, at night more; see tests/compose/run for
# hours of them.

test_description='Each pair of options keeps what both of them promise'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

why=$(slurm_missing --gang)
command -v python3 >/dev/null || why='no python3'
if test -n "$why"; then
	test -z "$SGANG_NO_SKIP" || slurm_fatal "$why"
	skip_all=$why
	test_done
fi

export slurm_first_port SEEDS ROWS SECONDS_MAX
: "${SEEDS:=2}" "${ROWS:=$(by_day 8 1000)}" "${SECONDS_MAX:=$(by_day 90 600)}"

test_expect_success '0.1, 4.28 rows of options, judged from outside' '
	"$top_srcdir/tests/compose/run"
'

test_done
