#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0598-soak.t - two minutes of contrib/soak, and does its observer see anything
#
# MINUTES=N, SEED=N	so long, with that seed, instead
# FAULTS=LIST		those faults alone

test_description='Gangs start whole and once, whatever fails'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

# judge 'LINES': what the observer says of what was seen.
judge()
{
	printf '%s\n' "d|10.0|gang g 3" "$1" |
		awk -v seed=7 -f "$top_srcdir/tests/soak/judge.awk" >verdict
	cat verdict
}

violations()
{
	tail -n 1 verdict | grep -q ", $1 violations\$"
}

# squeue 'ID STATE NAME'...: an answer at second 20.
squeue_at()
{
	local t=$1 row

	shift
	echo "@|$t.0"
	for row; do
		set -- $row
		echo "j|$1|$2|$3|0|N/A|n1|None"
	done
	echo ".|$t.0"
}

test_expect_success 'the observer: a gang that starts whole' '
	judge "$(squeue_at 20 "1 RUNNING g" "2 RUNNING g" "3 COMPLETED g")" &&
	violations 0 &&
	grep "1 gangs started whole" verdict
'
test_expect_success 'the observer: a later member in place of one that was refused' '
	judge "$(squeue_at 20 "1 RUNNING g" "2 RUNNING g" "3 RUNNING g.late")" &&
	violations 0 &&
	grep "1 gangs started whole" verdict
'
test_expect_success 'the observer: a number that was given twice' '
	judge "$(squeue_at 15 "1 PENDING g" "2 PENDING g" "3 PENDING g")
$(squeue_at 20 "1 RUNNING j" "2 PENDING g" "3 PENDING g")" &&
	violations 0
'
test_expect_success 'the observer: one that waits and holds' '
	judge "$(squeue_at 20 "1 CONFIGURING g" "2 PENDING g" "3 CANCELLED g")" &&
	violations 0 &&
	grep "0 gangs started whole, 1 not at all" verdict
'
test_expect_success 'the observer: one that starts below its minimum' '
	judge "$(squeue_at 20 "1 RUNNING g" "2 CONFIGURING g" "3 RUNNING g")" &&
	violations 1 &&
	grep "VIOLATION.*seed 7): of gang g 2 started, it needs 3" verdict
'
test_expect_success 'the observer: a member says that it runs, squeue does not' '
	judge "s|15.0|1|g|n1
$(squeue_at 20 "1 PENDING g" "2 PENDING g" "3 PENDING g")" &&
	violations 1
'
test_expect_success 'the observer: slurmctld was killed in the middle of a start' '
	middle="$(squeue_at 20 "1 PENDING g" "2 PENDING g" "3 PENDING g")
d|21.0|died
$(squeue_at 25 "1 RUNNING g" "2 CONFIGURING g" "3 CONFIGURING g")" &&
	judge "$middle
$(squeue_at 60 "1 RUNNING g" "2 RUNNING g" "3 RUNNING g")" &&
	violations 0 &&
	judge "$middle
$(squeue_at 300 "1 RUNNING g" "2 CONFIGURING g" "3 CONFIGURING g")" &&
	violations 1
'
test_expect_success 'the observer: a reconfigure, which can be a new slurmctld' '
	middle="$(squeue_at 20 "1 PENDING g" "2 PENDING g" "3 PENDING g")
d|20.1|fault conf_bad 7
s|20.8|1|g|n1
$(squeue_at 21 "1 CONFIGURING g" "2 CONFIGURING g" "3 CONFIGURING g")" &&
	judge "$middle
$(squeue_at 25 "1 RUNNING g" "2 RUNNING g" "3 RUNNING g")" &&
	violations 0 &&
	judge "$middle
d|290.0|fault conf_bad 8
$(squeue_at 300 "1 RUNNING g" "2 CONFIGURING g" "3 CONFIGURING g")" &&
	violations 1
'
test_expect_success 'the observer: one gang of a group without the other' '
	judge "d|10.0|gang h 2
d|10.0|group g h
$(squeue_at 20 "1 RUNNING g" "2 RUNNING g" "3 RUNNING g" "4 RUNNING h" \
	"5 PENDING h")" &&
	violations 2 &&
	middle="d|10.0|gang h 2
d|10.0|group g h
$(squeue_at 20 "1 PENDING g" "2 PENDING g" "3 PENDING g" "4 PENDING h" \
	"5 PENDING h")
d|20.5|fault conf_good 1
$(squeue_at 21 "1 RUNNING g" "2 RUNNING g" "3 RUNNING g" "4 PENDING h" \
	"5 PENDING h")" &&
	judge "$middle" &&
	violations 0 &&
	judge "$middle
$(squeue_at 300 "4 PENDING h" "5 PENDING h")" &&
	violations 1
'
test_expect_success 'the observer: a job that runs twice, and its node is well' '
	judge "s|15.0|1|g|n1
s|30.0|1|g|n2" &&
	violations 1 &&
	judge "s|15.0|1|j|n1
s|30.0|1|j|n2" &&
	violations 1
'
test_expect_success 'the observer: one whose node was lost' '
	judge "s|15.0|1|g|n[1-3]
d|20.0|lost n2
s|30.0|1|g|n4" &&
	violations 0
'
test_expect_success 'the observer: one whose end was not saved' '
	judge "s|15.0|1|g|n1
e|18.0|1|g|n1
d|20.0|died
s|30.0|1|g|n2" &&
	violations 0 &&
	judge "s|15.0|1|g|n1
d|20.0|died
s|30.0|1|g|n2" &&
	violations 1
'
test_expect_success 'the observer: what is left in the end' '
	judge "n|n1|IDLE|0|
n|n2|IDLE|1|
n|n3|DOWN|0|Not responding
l|2
w|jobs that do not end" &&
	violations 4
'
test_expect_success 'the observer: nobody killed slurmctld' '
	judge "d|11.0|gone backup" &&
	violations 1 &&
	judge "@|11.0
x|20.0
x|900.0" &&
	violations 1
'

# race 'FRAME' 'FRAME': two accesses, as the thread sanitizer tells of them.
race()
{
	printf '%s\n' "WARNING: ThreadSanitizer: data race (pid=1)" \
		"  Write of size 8 at 0x1 by thread T1:" \
		"    #0 strlen ../libsanitizer/x.inc:3 (libtsan.so.2+0x1)" \
		"    #1 $1" "" \
		"  Previous write of size 8 at 0x1 by thread T2:" \
		"    #0 $2" "" \
		"  Location is heap block of size 9 at 0x1 allocated by T3:" \
		"    #0 init ../src/slurm/select.c:275 (select_cons_tres.so+0x1)" \
		"" "SUMMARY: ThreadSanitizer: data race in $1"
}

test_expect_success 'the observer: a race of slurm-gang, and those of Slurm' '
	ours="turn ../src/conductor.c:2 (select_cons_tres.so+0x2)" &&
	theirs="xstrdup <null> (libslurmfull.so+0x3)" &&
	{ race "$theirs" "$theirs"; race "$theirs" "$ours"
	  race "$ours" "$theirs"; race "$theirs" "$theirs"; } |
		awk -f "$top_srcdir/tests/soak/races.awk" >races &&
	test $(grep -c "^ours " races) = 2 &&
	grep -x "theirs 2" races
'

test_expect_success 'the observer: salloc that could not tell that it ended' '
	printf "%s\n" "s|100|1|g|n1" "e|110|1|g|n1" "e|110|2|g|n1" \
		"e|110|3|g|n1" "s|120|3|g|n1" "e|390|4|g|n1" >told &&
	printf "%s\n" "1 RUNNING g" "2 COMPLETING g" "3 RUNNING g" \
		"4 RUNNING g" "5 RUNNING g" >living &&
	awk -f "$top_srcdir/tests/soak/abandoned.awk" -v now=400 told living >ids &&
	test "$(cat ids)" = 1
'

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
