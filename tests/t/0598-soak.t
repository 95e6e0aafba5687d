#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0598-soak.t - two minutes of contrib/soak
#
# MINUTES=N, SEED=N	so long, with that seed, instead
# FAULTS=LIST		those faults alone

test_description='Gangs start whole and once, whatever fails'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

schedule_of()
{
	(
		minutes=2 seed=$1 faults=ctl,node,conf,state,dbd,clock
		. "$top_srcdir/tests/soak/stream.sh"
		. "$top_srcdir/tests/soak/schedule.sh"
		make_schedule
	)
}

test_expect_success 'the seed decides what happens when' '
	schedule_of 1 >one &&
	schedule_of 1 >again &&
	schedule_of 2 >two &&
	test_cmp one again &&
	! cmp -s one two &&
	test $(grep -c " fault " one) -ge 15
'

why=$(slurm_missing --gang)
if test -z "$why"; then
	why=$(. "$top_srcdir/tests/soak/cluster.sh" && soak_missing)
fi
if test -z "$why"; then
	test_set_prereq SOAK
elif test -n "$SGANG_NO_SKIP"; then
	slurm_fatal "$why"
fi
export slurm_first_port

# Gangs that cannot start are few: else nothing was tried.
test_expect_success SOAK '0.1 5.1 two minutes of everything' '
	"$top_srcdir/contrib/soak" --build "$top_builddir" \
		${FAULTS:+--faults "$FAULTS"} "${MINUTES:-2}" "${SEED:-1}" \
		>out || { cat out; false; } &&
	cat out &&
	whole=$(sed -n "s/.* \([0-9]*\) gangs started whole.*/\1/p" out) &&
	test $whole -ge $((3 * ${MINUTES:-2}))
'

test_done
