#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0110-sgang-place.t - placements: packed, within the required level, or a no
#
# Behaviours 2.15 to 2.18, 2.20, 4.14, 4.20 to 4.26, 4.31, 4.32, 4.34, 5.5, 7.9. The cases are tests/data/place/*.in, in the form
# that 0100-sgang-ring.t explains.

test_description='sgang place'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

SGANG=$(checked_sgang)

# expected_of FILE: what Slurm by itself would choose depends on its release.
expected_of() {
	local expected=${1%.in}.expected

	test "$SGANG_STOCK_RULE" = SGANG_STOCK_22_05 ||
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
	grep -q "^{\"fits\":false,\"certain\":true,\"reason\":\"[^\"][^\"]*\",\"domains\":\[{\"domain\":\"root\",\"level\":\"spine\",\"free\":7,\"needed\":8}\],\"meta\":" json
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

# Two members of four slots leave two on each node; that no three slots are left
# on any takes longer to see than the planner looks.
test_expect_success '4.1: a no that is not proved says so' '
	echo "SwitchName=s Nodes=n[1-150]" >wide.conf &&
	wide="--topology=wide.conf --slots=10" &&
	test_expect_code 1 $SGANG place $wide --member="300*1x4" \
		--member="10*1x3" 2>err &&
	grep "^sgang: no place was found for the gang: " err &&
	test_expect_code 1 $SGANG place $wide --member="300*1x4" \
		--member="10*1x3" --json >out &&
	grep "\"certain\":false" out &&
	test_expect_code 1 $SGANG place $wide --member="301*1x6" --json >out &&
	grep "\"certain\":true" out
'

roles="$top_srcdir/tests/data/roles/serve.yaml"

# refuse WORDS SCRIPT: the file of roles, changed by a script of sed, is refused
refuse() {
	sed "$2" "$roles" >changed.yaml &&
	test_expect_code 2 $SGANG place $textbook --slots=4 \
		--roles=changed.yaml >out 2>err &&
	test_must_be_empty out &&
	grep -F "$1" err || { cat err; false; }
}

test_expect_success '2.16, 2.17, 2.18: minima that cannot be, in numbers' '
	refuse "changed.yaml:1: SubGroup (gang) does not have enough children (2 < 3)" \
		"1s/.*/min: 3/" &&
	refuse "SubGroup replica1 does not have enough children (2 < 3)" \
		"s/weight: 10\$/min: 3/" &&
	refuse "SubGroup replica2 does not have enough children (2 < 3)" \
		"s/like: replica1/&, min: 3/" &&
	refuse "SubGroup replica1/decode does not have enough children (2 < 5)" \
		"s/min: 1/min: 5/"
'

test_expect_success '2.15, 4.26: what a tree of roles cannot be' '
	refuse "there is a role \"encode\" already" "s/name: decode/name: encode/" &&
	refuse "like: \"replica3\": expected a role that comes before" \
		"s/like: replica1/like: replica3/" &&
	refuse "like: \"replica2\": expected a role that comes before" \
		"s/like: replica1/like: replica2/" &&
	refuse "replica1 requires spine, and (gang) above it leaf, which is less" \
		"s/require:spine/require:rack/;s/require:leaf/require:spine/;s/rack/leaf/" &&
	refuse "require:rack: there is no such level; the levels are" \
		"s/require:spine/require:rack/" &&
	refuse "roles have require:LEVEL and prefer:LEVEL only" \
		"s/require:leaf/spread:leaf/" &&
	refuse "name: \"Encode\": expected small letters" "s/encode/Encode/" &&
	refuse "unknown key \"wieght\"" "s/weight: 100/wieght: 100/" &&
	refuse "count: it has roles" "s/weight: 10\$/count: 2/" &&
	refuse "options: --nodelist=n1 is not known to sgang place" \
		"s/\[-N1\]}/[--nodelist=n1]}/" &&
	refuse "3 tasks on 2 nodes: say --ntasks-per-node" \
		"s/\[-N1\]}/[-N2, -n3]}/" &&
	refuse "weight: expected a number from 0 to 1000000" \
		"s/weight: 100/weight: 1000001/"
'

test_expect_success '2.15: roles in each other, at most four; what does not go with them' '
	cat >deep.yaml <<-EOF &&
	gang: deep
	roles:
	- name: a
	  roles:
	  - name: b
	    roles:
	    - name: c
	      roles:
	      - name: d
	        roles:
	        - name: e
	EOF
	test_expect_code 2 $SGANG place $textbook --roles=deep.yaml 2>err &&
	grep "deep.yaml:10: roles: at most 4 roles may be in each other" err &&
	for word in --member=1x1 --parallel=dp=2 --gang-topology=require:leaf \
		--rank-order=ring; do
		test_expect_code 2 $SGANG place $textbook --roles="$roles" \
			$word 2>err || return 1
	done &&
	test_expect_code 2 $SGANG place $textbook --member=1x1 --minimum 2>err &&
	grep "minimum is for --roles" err
'

test_expect_success '4.26: the cost of a tree is that of its rings, as sgang ring has them' '
	$SGANG place $textbook --slots=4 --roles="$roles" --minimum >placed &&
	sed -n "s/^role=.* weight=\([0-9]*\) cost=\([0-9]*\) .*/\1 \2/p" placed |
		awk "{ sum += \$1 * \$2 } END { print sum }" >expected &&
	sed -n "s/.* weighted_cost=//p" placed | test_cmp expected - &&
	nodes=$(sed -n "s/^member=[01] role=replica1.* nodes=\([^ ]*\) .*/\1/p" \
		placed | paste -sd,) &&
	$SGANG ring $textbook --slots=4 "$nodes" >ring &&
	cost=$(sed -n "s/^role=replica1 .* cost=\([0-9]*\) .*/\1/p" placed) &&
	grep "^ring_cost=$cost " ring
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

# Nodes of two islands of four GPUs.
cp "$top_srcdir/topology/pcie-8gpu.xml" two-islands.xml
echo "NodeTopology=n[1-8] Hwloc=two-islands.xml" >inside.conf
inside="$textbook --conf=inside.conf"

# places TEXT ARGUMENTS: a line that begins with the text is among those of place
places()
{
	local text=$1

	$SGANG place $inside "${@:2}" >out && grep -F -- "$text" out ||
		{ cat out >&2; return 1; }
}

test_expect_success '4.20, 4.22: two halves of a node are its two islands' '
	places "member=1 nodes=n1 slots=4 islands=1" --member="2*1x4" &&
	grep -x "ring_cost=10 cross_links=0 tier=node ranks=8" out &&
	$SGANG ring $inside n1 >measured && grep ^ring_cost out >claimed &&
	test_cmp measured claimed
'
test_expect_success '4.20: a member is in one island whenever one has room' '
	places "member=0 nodes=n2 slots=4 islands=1" --free="n1=8,n2=4,n3=3" \
		--member=1x4 &&
	grep -x "ring_cost=4 cross_links=0 tier=island ranks=4" out &&
	places "member=0 nodes=n3 slots=5 islands=1+0" --free="n3=6" \
		--member=1x5 &&
	grep -x "ring_cost=7 cross_links=0 tier=node ranks=5" out
'
test_expect_success '4.14: nodes as a whole cost what is inside them' '
	places "member=0 nodes=n[1-2] slots=8(x2) islands=0+1(x2)" \
		--member=2x8 --explain &&
	grep -x "ring_cost=24 cross_links=0 tier=leaf ranks=16" out &&
	grep "^stock: ring_cost=24 .* nodes=n\[1-2\]" out &&
	grep "^other: domain=r2 level=leaf ring_cost=24 why=same cost" out &&
	$SGANG ring $inside "n[1-2]" >measured &&
	grep ^ring_cost out >claimed && test_cmp measured claimed
'
switches l1=n[1-2] l2=n3 l3=n4 l4=n5 l5=n6 a:l[1-2] b:l[3-5] top:a,b \
	>pods.conf
test_expect_success '4.14, 4.34: and so it is in places that were not chosen' '
	$SGANG place --topology=pods.conf --conf=inside.conf --member=3x8 \
		--explain >out &&
	grep -x "ring_cost=60 cross_links=2 tier=spine ranks=24" out &&
	grep -x "other: domain=b level=spine ring_cost=72 why=72 > 60" out &&
	$SGANG ring --topology=pods.conf --conf=inside.conf "n[4-6]" >measured &&
	grep "^ring_cost=72 " measured
'
test_expect_success '4.31: islands are no nodes' '
	test_expect_code 1 $SGANG place $inside --member=1x8 \
		--gang-topology=require:island 2>err &&
	grep "no island has room for 1 piece of 8 free slots" err &&
	test_expect_code 1 $SGANG place $inside --member=2x8 --explain \
		--parallel=tp=8,dp=2 --gang-topology=require:tp:island 2>err &&
	grep "group tp: its rings must be within one island each, in the best \
place they are within one node" err &&
	places "group=tp size=4 weight=100 cost=16 cross_links=0 tier=island" \
		--member=2x8 --parallel=tp=4,dp=4 \
		--gang-topology=require:tp:island
'
test_expect_success '4.32: the heaviest group is as large as an island' '
	places "parallel=tp=4,dp=4 weighted_cost=2080" --member=2x8 \
		--parallel="tp=?,dp=?" && head -n 1 out | grep "^parallel=tp=4,"
'
test_expect_success JQ 'islands as JSON' '
	places "" --free="n1=6,n2=8" --member=0x12 --json &&
	echo "n1 1 4 n2 0 4 n2 1 4" >expected &&
	jq -r ".members[0].nodes[] | \"\(.node) \(.island) \(.slots)\"" out |
		xargs >got && test_cmp expected got
'

test_expect_success '5.6: the least cost, but perhaps not the least weight' '
	$SGANG place --topology="$top_srcdir/tests/data/pods-2x2x4.conf" \
		--free="n[1-16]=2" --weight="n1=5" --gang-topology=spread:leaf \
		--member=1x1 --member=2x1 --json >out 2>err &&
	jq -e ".exact == false and .bound == .ring_cost" out &&
	$SGANG place --topology="$top_srcdir/tests/data/pods-2x2x4.conf" \
		--free="n[1-16]=2" --weight="n1=5" --gang-topology=spread:leaf \
		--member=1x1 --member=2x1 2>err &&
	grep "no placement costs less; not proved" err
'

test_expect_success '7.3: on blocks a member is within one, or in segments' '
	printf "BlockName=b%d Nodes=n[%s]\n" 1 1-3 2 4-6 3 7-9 >blocks.conf &&
	echo "BlockSizes=3" >>blocks.conf &&
	blocks="--topology=blocks.conf --slots=1" &&
	$SGANG place $blocks --member="3*2x1" >out &&
	cat >expected <<-END &&
	member=0 nodes=n[1-2] slots=1(x2)
	member=1 nodes=n[4-5] slots=1(x2)
	member=2 nodes=n[7-8] slots=1(x2)
	END
	grep ^member out >got && test_cmp expected got &&
	$SGANG place $blocks --free="n[2-9]=1" --member=6x1:segment=3 >out &&
	grep "^member=0 nodes=n\[4-9\] " out &&
	test_expect_code 1 $SGANG place $blocks --free="n[1-2,4-5,7-8]=1" \
		--member=6x1:segment=3 >out 2>err &&
	grep "no blocks with room for its segments of 3 nodes" out err &&
	test_expect_code 2 $SGANG place $blocks --member=4x1:segment=3 2>err &&
	grep "segment=3 does not divide its 4 nodes" err
'

test_expect_success '4.2: the same question twice has the same answer' '
	$SGANG place $textbook --free="n[1-8]=3" --member="5*1x2" >first &&
	$SGANG place $textbook --free="n[1-8]=3" --member="5*1x2" >second &&
	test_cmp first second
'

test_done
