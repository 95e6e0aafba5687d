#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0110-sgang-place.t - placements: packed, within the required level, or a no
#
# Behaviours 4.20 to 4.26, 4.34. The cases are tests/data/place/*.in, in the form
# that 0100-sgang-ring.t explains.

test_description='sgang place'

top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$top_srcdir}
SHARNESS_TEST_SRCDIR=$top_srcdir/tests/t
. /usr/share/sharness/sharness.sh

SGANG=$top_builddir/src/cmd/sgang

# run_case FILE: its arguments are split and unquoted by the shell
run_case() {
	local args
	args=$(grep -v '^#' "$1") &&
	(cd "$top_srcdir" && eval "$SGANG $args") >out 2>err
	echo "exit $?" >>out
}

# expected_of FILE: what Slurm by itself would choose depends on its release.
expected_of() {
	local expected=${1%.in}.expected

	test "$SGANG_STOCK_RULE" != SGANG_STOCK_24_05 ||
		! test -e "$expected-24.05" || expected+=-24.05
	echo "$expected"
}

# A no without --json gives its reason in one line, else nothing is said.
check_err() {
	if grep -qx 'exit 1' out && ! grep -q '^{' out; then
		test $(wc -l <err) -eq 1
	else
		test_must_be_empty err
	fi
}

for case in "$top_srcdir"/tests/data/place/*.in; do
	name=$(basename "$case" .in)
	test_expect_success "$name: $(sed -n '1s/^# //p' "$case")" '
		run_case "$case" &&
		test_cmp "$(expected_of "$case")" out &&
		check_err
	'
done

textbook="--topology=$top_srcdir/topology/textbook.conf"

test_expect_success 'what place prints, ring confirms' '
	$SGANG place $textbook --slots=4 --member=6x4 >placed &&
	nodes=$(sed -n "s/^member=0 nodes=\([^ ]*\) .*/\1/p" placed) &&
	$SGANG ring $textbook --slots=4 "$nodes" >measured &&
	tail -n 1 placed >claimed &&
	test_cmp measured claimed
'

# Which two of the four leaves' places are left over does not matter here.
test_expect_success 'six nodes where the order of leaves misleads' '
	$SGANG place --topology="$top_srcdir/tests/data/pods-2x2x4.conf" \
		--free="n[1-2,5,9-16]=1" --member="6*1x1" >placed &&
	tail -n 1 placed >cost &&
	echo "ring_cost=48 cross_links=2 tier=spine ranks=6" >expected &&
	test_cmp expected cost
'

test_expect_success '4.1, 4.35: no fit as JSON names the domain that is short' '
	test_expect_code 1 $SGANG place $textbook --free="n[1-7]=1" \
		--member="8*1x1" --json >json 2>err &&
	test_must_be_empty err &&
	grep -q "^{\"fits\":false,\"reason\":\"[^\"][^\"]*\",\"domains\":\[{\"domain\":\"root\",\"level\":\"spine\",\"free\":7,\"needed\":8}\]}\$" json
'

test_expect_success '4.26: a policy names a level, so it holds in any cluster' '
	for shape in textbook demo; do
		$SGANG place --topology="$top_srcdir/topology/$shape.conf" \
			--member="2*1x1" --gang-topology=require:leaf >out &&
		grep -q " tier=leaf " out || return 1
	done
'

test_expect_success '4.1, 4.26: too few domains for a spread, in numbers' '
	test_expect_code 1 $SGANG place $textbook --free="n[1-5]=4" \
		--member="4*2x4" --gang-topology=spread:leaf 2>err &&
	echo "sgang: the gang does not fit: 4 members are to be in different" \
		"leaf domains, but only 2 have room for one: r3 has 1 of 2" \
		>expected &&
	test_cmp expected err &&
	test_expect_code 1 $SGANG place $textbook --member="2*1x1" \
		--gang-topology=spread:leaf,require:leaf 2>err &&
	grep "can never be" err
'

test_expect_success 'what --explain adds changes nothing of the rest' '
	$SGANG place $textbook --slots=4 --member=6x4 >plain &&
	$SGANG place $textbook --slots=4 --member=6x4 --explain >explained &&
	head -n $(wc -l <plain) explained >same &&
	test_cmp plain same &&
	test $(wc -l <explained) -gt $(wc -l <plain)
'

test_expect_success '4.34: eight other domains are looked at, the rest counted' '
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		echo "SwitchName=r$i Nodes=n[$((2 * i - 1))-$((2 * i))]"
	done >racks &&
	echo "SwitchName=top Switches=r[1-12]" >>racks &&
	$SGANG place --topology=racks --free="n[1-23]=1" --member=2x1 \
		--explain >out &&
	test $(grep -c "^other: " out) = 8 &&
	grep -x "others_left_out=3" out &&
	grep -x "other: domain=r2 level=leaf ring_cost=8 why=same cost, but comes later" out
'

test_expect_success '4.30 4.32: sizes of groups that are left open are suggested' '
	$SGANG place $textbook --slots=4 --member=4x4 \
		--parallel="tp=?,dp=?,pp=?" >out &&
	test $(wc -l <out) = 15 &&
	cat >expected <<-EOF &&
	parallel=tp=4,dp=2,pp=2 weighted_cost=2496 cross_links=16 tiers=island,leaf,spine
	parallel=tp=4,dp=1,pp=4 weighted_cost=1760 cross_links=8 tiers=island,island,spine
	parallel=tp=4,dp=4,pp=1 weighted_cost=3200 cross_links=8 tiers=island,spine,island
	EOF
	head -n 3 out | test_cmp expected - &&
	# with one size open it is what is left; the cost is that of a plan
	$SGANG place $textbook --slots=4 --member=4x4 \
		--parallel="tp=?,dp=2,pp=2" --json |
		jq -r ".suggestions[] | \"\(.parallel) \(.weighted_cost)\"" >out &&
	echo "tp=4,dp=2,pp=2 2496" | test_cmp - out &&
	$SGANG place $textbook --slots=4 --member=4x4 \
		--parallel="tp=4,dp=2,pp=2" | grep "weighted_cost=2496\$"
'

test_expect_success '4.32: sizes that cannot be, and a gang that does not fit' '
	test_expect_code 2 $SGANG place $textbook --slots=4 --member=4x4 \
		--parallel="tp=?,dp=3" 2>err &&
	grep "make 3, by which the gang.s 16 ranks cannot be divided" err &&
	test_expect_code 2 $SGANG place $textbook --slots=4 --member=4x4 \
		--parallel="tp=?,dp=2" --explain 2>err &&
	grep "give all sizes" err &&
	test_expect_code 1 $SGANG place $textbook --slots=4 --member=40x4 \
		--parallel="tp=?,dp=2" >out 2>err &&
	test_must_be_empty out &&
	grep "does not fit, whatever the sizes" err
'

test_expect_success '4.2: the same question twice has the same answer' '
	$SGANG place $textbook --free="n[1-8]=3" --member="5*1x2" >first &&
	$SGANG place $textbook --free="n[1-8]=3" --member="5*1x2" >second &&
	test_cmp first second
'

test_done
