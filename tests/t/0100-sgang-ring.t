#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0100-sgang-ring.t - ring costs: the golden numbers and the ways to say a place
#
# Behaviours 4.14 to 4.18. The cases are tests/data/ring/*.in: a comment with
# the title, then the arguments of sgang; *.expected is the standard output and
# the exit status. To add a case add the two files.

test_description='sgang ring'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

SGANG=$(checked_sgang)

for case in "$top_srcdir"/tests/data/ring/*.in; do
	name=$(basename "$case" .in)
	test_expect_success "$name: $(sed -n '1s/^# //p' "$case")" '
		run_case "$case" &&
		test_cmp "${case%.in}.expected" out &&
		test_must_be_empty err
	'
done

textbook="--topology=$top_srcdir/topology/textbook.conf --slots=4"

test_expect_success '4.15: the cost stays when the ring is rotated' '
	$SGANG ring $textbook n1:0,n3:1,n4,n8:2,n2:3 >one &&
	$SGANG ring $textbook n4,n8:2,n2:3,n1:0,n3:1 >other &&
	test_cmp one other
'

test_expect_success '4.15: and when it is walked backwards' '
	$SGANG ring $textbook n2:3,n8:2,n4,n3:1,n1:0 >back &&
	test_cmp one back
'

test_expect_success 'the JSON is valid and says the same as the text' '
	$SGANG ring $textbook --json n1:0,n3:1,n4,n8:2,n2:3 >json &&
	sed "s/.*\"ring_cost\":\([0-9]*\),\"cross_links\":\([0-9]*\),\"tier\":\"\([a-z]*\)\",\"ranks\":\([0-9]*\).*/ring_cost=\1 cross_links=\2 tier=\3 ranks=\4/" json >text &&
	test_cmp one text
'

test_expect_success 'a full disk is no answer' '
	test_expect_code 2 $SGANG ring $textbook n1 >/dev/full 2>err &&
	test $(wc -l <err) -eq 1
'

test_done
