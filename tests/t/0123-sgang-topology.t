#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0123-sgang-topology.t - sgang topology shows nodes and draws a fabric, without a cluster
#
# What makes an island: tests/unit/files/test_node_topo_hwloc.c. How nodes are
# asked: 0537-sgang-collect.t. How the page looks and behaves in a browser:
# 0126-sgang-page.t. A running cluster: 0578-topology-live.t.

test_description='sgang topology: nodes, this machine; text, SVG, page, JSON of fabrics'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

sgang=$(checked_sgang)
shapes=$top_srcdir/topology
unset SLURM_CONF

# The command ends with that status, prints nothing, and its one line on stderr
# matches the pattern.
refused()
{
	local status=$1 pattern=$2

	"$sgang" topology "${@:3}" >out 2>err
	test $? = $status && test_must_be_empty out &&
		test "$(wc -l <err)" = 1 && grep -E "$pattern" err
}

cat >pairs.expected <<'END'
Shape=nvlink-4gpu-pairs Islands=2 GPUs=4 Cores=32 NICs=2
  Island=0 GPUs=0-1 Cores=0-15
  Island=1 GPUs=2-3 Cores=16-31
  GPU=0 Name=nvml0 Bus=0000:01:00.0 Island=0 NIC=mlx5_0
  GPU=1 Name=nvml1 Bus=0000:41:00.0 Island=0 NIC=mlx5_0
  GPU=2 Name=nvml2 Bus=0000:81:00.0 Island=1 NIC=mlx5_1
  GPU=3 Name=nvml3 Bus=0000:c1:00.0 Island=1 NIC=mlx5_1
  NIC=mlx5_0 Bus=0000:02:00.0 Island=0
  NIC=mlx5_1 Bus=0000:82:00.0 Island=1
END

test_expect_success '4.27 a file' '
	"$sgang" topology show "$shapes/nvlink-4gpu-pairs.xml" >out &&
	test_cmp pairs.expected out
'
test_expect_success 'each shape that we ship says what it is' '
	for shape in dgx-h100:1:8:112 pcie-8gpu:2:8:64 gb200-tray:1:4:144 \
		cpu-2socket:2:0:32; do
		IFS=: read -r name islands gpus cores <<<"$shape"
		"$sgang" topology show "$shapes/$name.xml" >out &&
		grep "^Shape=$name Islands=$islands GPUs=$gpus Cores=$cores " \
			out || return 1
	done
'
# One is of libxml2, the other, of hwloc itself, knows no comments.
test_expect_success 'both of the parsers that hwloc has' '
	for shape in "$shapes"/*.xml; do
		HWLOC_LIBXML=1 "$sgang" topology show "$shape" >expected &&
		HWLOC_LIBXML=0 "$sgang" topology show "$shape" >out &&
		test_cmp expected out || return 1
	done
'
test_expect_success 'as JSON' '
	"$sgang" topology show --json "$shapes/cpu-2socket.xml" >out &&
	jq -e ".shape == \"cpu-2socket\" and .cores == 32 and .gpus == [] and
		.islands[1] == {gpus: \"\", cores: \"16-31\"} and
		.nics[0].name == \"mlx5_0\"" out &&
	"$sgang" topology show --json "$shapes/pcie-8gpu.xml" >out &&
	jq -e ".gpus[4] == {name: \"gpu4\", bus: \"0000:81:00.0\", island: 1,
		nic: \"mlx5_1\"}" out
'

mkdir site
cat >site/gang.conf <<END
NodeTopology=n[1-4] Hwloc="$shapes/nvlink-4gpu-pairs.xml"
NodeTopologyDir=found
END

test_expect_success 'a node of gang.conf' '
	"$sgang" topology show --conf=site/gang.conf n3 >out &&
	test_cmp pairs.expected out &&
	SLURM_CONF=site/slurm.conf "$sgang" topology show n4 >out &&
	test_cmp pairs.expected out
'
test_expect_success 'a node that was asked' '
	refused 1 "nothing describes node n5" show --conf=site/gang.conf n5 &&
	mkdir site/found &&
	cp "$shapes/cpu-2socket.xml" site/found/shape-1.xml &&
	echo "NodeTopology=n[1-9] Hwloc=shape-1.xml" >site/found/nodes.conf &&
	"$sgang" topology show --conf=site/gang.conf n5 >out &&
	grep "^Shape=shape-1 Islands=2 GPUs=0" out &&
	"$sgang" topology show --conf=site/gang.conf n4 >out &&
	test_cmp pairs.expected out
'
# What hwloc asks the hardware with leaves some memory behind; a build with
# sanitizers would complain.
test_expect_success 'this machine, or what stands in for it' '
	ASAN_OPTIONS=detect_leaks=0 "$sgang" topology show >out &&
	grep "^Shape=this-machine Islands=[1-9]" out &&
	HWLOC_XMLFILE="$shapes/dgx-h100.xml" "$sgang" topology show >out &&
	grep "^Shape=this-machine Islands=1 GPUs=8 Cores=112 NICs=8" out
'
test_expect_success 'a probe is readable, short of line and tells no names' '
	sed "s,<object type=\"Machine\".*,&<info name=\"HostName\"\
 value=\"secret\"/>," "$shapes/dgx-h100.xml" >named.xml &&
	grep -c secret named.xml &&
	SLURMD_NODENAME=n7 HWLOC_XMLFILE=named.xml "$sgang" topology probe \
		>probe &&
	! grep -v "^sgang-probe n7 [+.]" probe &&
	! grep -E "secret|.{1000}" probe &&
	tail -n 1 probe | grep -x "sgang-probe n7 ." &&
	sed -n "s/^sgang-probe n7 +//p" probe | tr -d "\n" |
		sed "s/\\\\n/\n/g" >back.xml &&
	"$sgang" topology show back.xml >out &&
	"$sgang" topology show "$shapes/dgx-h100.xml" |
		sed "s/^Shape=dgx-h100/Shape=back/" | test_cmp - out
'
test_expect_success 'what is wrong is said in one line' '
	refused 2 "expected show \[NODE\|FILE\], collect" draw &&
	refused 2 "show takes --conf and --json alone" show --width=80 &&
	refused 2 "expected show" show a b &&
	refused 2 "no-such.xml: cannot be opened" show no-such.xml &&
	echo Gang=no >bad.conf &&
	refused 2 "bad.conf:1: unknown key" show --conf=bad.conf n1 &&
	refused 2 "no.conf: cannot be opened" show --conf=no.conf n1
'
test_expect_success 'a broken description names file, line and remedy' '
	sed "/Package/s/ complete_cpuset=/ cpu=/" "$shapes/pcie-8gpu.xml" \
		>broken.xml &&
	refused 2 "broken.xml:[0-9]+: the object of type .Package. has no\
 complete_cpuset" show broken.xml &&
	: >empty.xml &&
	refused 2 "empty.xml: is no description .*; write one with lstopo" \
		show empty.xml &&
	head -n 50 "$shapes/dgx-h100.xml" >cut.xml &&
	refused 2 "cut.xml: hwloc cannot read it; lstopo -i FILE" show \
		cut.xml &&
	refused 2 "collect runs this" probe
'

# --- fabrics ---

unset NO_COLOR
export LC_ALL=C TERM=xterm

! command -v xmllint >/dev/null || test_set_prereq XMLLINT
! command -v script >/dev/null || test_set_prereq SCRIPT
test "$(LC_ALL=C.UTF-8 locale charmap 2>/dev/null)" != UTF-8 ||
	test_set_prereq UTF8

draw() { "$sgang" topology --topology="$@"; }

# No line of FILE has more than N columns.
fits() { ! grep -E ".{$(($2 + 1))}" "$1"; }

demo=(--slots=4 --free='n[3-4,7-16]' --with='alice/train=n[9-16]'
	--with=bob/x=n3=2 --down=n8)

cat >demo.expected <<'END'
core  16 nodes, 64 slots: 10 free, 16 busy, 34 gangs, 4 down
|- spine1  8 nodes, 32 slots: 10 free, 16 busy, 2 gangs, 4 down
|  |- leaf1  n1 xxxx  n2 xxxx  n3 oo..  n4 ....
|  `- leaf2  n5 xxxx  n6 xxxx  n7 ....  n8 !!!!
`- spine2  8 nodes, 32 slots: 32 gangs
   |- leaf3  n9  oooo  n10 oooo  n11 oooo  n12 oooo
   `- leaf4  n13 oooo  n14 oooo  n15 oooo  n16 oooo

o gangs   x busy   . free   ! down
a hop costs core 64, spine 16, leaf 4, node 2, island 1

GANG        PHASE     MEMBERS  SLOTS   RING CROSS TIER
alice/train Running         -     32     80     2 spine
bob/x       Running         -      2      2     0 island
END
cat >picked.expected <<'END'
core  16 nodes, 64 slots: 10 free, 16 busy, 32 alice/train, 2 other gangs,
      4 down
├─ spine1  8 nodes, 32 slots: 10 free, 16 busy, 2 other gangs, 4 down
│  ├─ leaf1  n1 ▒▒▒▒   n2 ▒▒▒▒   n3 ▚▚··   n4 ····
│  └─ leaf2  n5 ▒▒▒▒   n6 ▒▒▒▒   n7 ····   n8 ××××
└─ spine2  8 nodes, 32 slots: 32 alice/train
   ├─ leaf3  n9  ████   n10 ████   n11 ████   n12 ████→
   └─ leaf4  n13 ████   n14 ████   n15 ████   n16 ████→

█ alice/train   ▚ other gangs   ▒ busy   · free   × down
→ the ring leaves the leaf
a hop costs core 64, spine 16, leaf 4, node 2, island 1

alice/train  Running, 32 slots
  ring cost 80, 2 cross links, tier spine
  island 24 x 1 = 24, leaf 6 x 4 = 24, spine 2 x 16 = 32
  n[9-12] ══spine 16══▶ n[13-16] ══spine 16══▶ back to n9
END
switches zeta=x9,alpha,x10 a=m[2,1],beta top:zeta,a >shuffled.conf
cat >shuffled.expected <<'END'
top  6 nodes, 6 slots: 3 free, 3 t
|- zeta  alpha #   x9    .   x10   #>
`- a     beta .   m1   .   m2   #>

# t   o other gangs   x busy   . free   ! down   > the ring leaves the leaf
a hop costs spine 16, leaf 4, node 2, island 1

t  Running, 3 slots
  ring cost 36, 2 cross links, tier spine
  leaf 1 x 4 = 4, spine 2 x 16 = 32
  m2 ==spine 16==> alpha,x10 ==spine 16==> back to m2
END
cat >one.conf <<'END'
SwitchName=only Nodes=n[1-3]
END
cat >one.expected <<'END'
only  3 nodes, 3 slots: 2 free, 1 busy
`- n1 .  n2 x  n3 .

o gangs   x busy   . free   ! down
a hop costs leaf 4, node 2, island 1
END

test_expect_success 'a tree, with gangs' '
	draw "$shapes/demo.conf" "${demo[@]}" >out &&
	test_cmp demo.expected out
'
test_expect_success UTF8 'one gang and its ring, in UTF-8' '
	LC_ALL=C.UTF-8 draw "$shapes/demo.conf" "${demo[@]}" \
		--gang=alice/train >out &&
	test_cmp picked.expected out
'
test_expect_success 'the ring costs what sgang ring says' '
	"$sgang" ring --topology="$shapes/demo.conf" --slots=4 "n[9-16]" >ring &&
	grep "^ring_cost=80 cross_links=2 tier=spine ranks=32" ring
'
test_expect_success 'names in any order, nodes in that of slurmctld' '
	draw shuffled.conf --with=t=m2,alpha,x10 --gang=t >out &&
	test_cmp shuffled.expected out
'
test_expect_success 'a single leaf' '
	draw one.conf --free=n1,n3 >out &&
	test_cmp one.expected out
'
test_expect_success 'more slots than marks: shares, and nobody is lost' '
	draw one.conf --slots=128 --with=t=n1=1,n2=64 >out &&
	grep -x "\`- n1 o\.\{7\}  n2 oooo\.\.\.\.  n3 \.\{8\}" out &&
	grep -x "marks are shares of a node" out
'
test_expect_success 'blocks: a rack wraps under itself' '
	draw "$shapes/nvl72.conf" --slots=4 --width=60 --with="a/b=gb[001-020]" \
		--gang=b >out &&
	fits out 60 &&
	grep -x "|  |  |- rack1  gb001 ####   gb002 ####   gb003 ####" out &&
	grep -x "|  |  |         gb016 ####   gb017 ####   gb018 ####>" out &&
	grep -x "  gb\[001-018\] ==spine 16==> gb\[019-020\] ==spine 16==>" out
'
test_expect_success 'racks that NVLink joins are a level' '
	draw "$shapes/nvl72-tree.conf" \
		--conf="$top_srcdir/tests/data/nvlink.conf" \
		--with="t=gb[018-019]" --gang=t >out &&
	grep "ring cost 32, 2 cross links, tier spine" out &&
	grep "a hop costs spine 16, leaf 4, nvlink 1, node 1, island 1" out
'
test_expect_success 'no width is exceeded' '
	for width in 40 41 64 79 120; do
		draw "$shapes/demo.conf" "${demo[@]}" --gang=train \
			--width=$width >out && fits out $width || return 1
	done
'

fabric_of_4096 >big.conf
big=(--free='c[1-100,200-700]=8,c[1000-2100]=8,c[2200-2600]=4,c[3000-4096]=8'
	--with='alice/train=c[200-327]' --with='bob/llm=c[1000-1511]'
	--with='c/d=c[2200-2216]=4' --down='c[4000-4040]')

test_expect_success '4,096 nodes: leaves that show the same are one line' '
	draw big.conf "${big[@]}" --gang=llm --width=80 >out &&
	fits out 80 &&
	test "$(wc -l <out)" -le 64 &&
	grep -x "|- s4  512 nodes, 4096 slots: 4096 free" out &&
	grep -x "|  |- l\[1-3\]      \.\{16\}  96 nodes: 768 free  c\[1-96\]" \
		out &&
	grep -x "|  |- l\[33-47\]    #\{16\}  480 nodes: 3840 bob/llm  c\[1025-1504\]" \
		out &&
	grep -x "|  \`- l\[71-80\]    x\{8\}\.\{8\}  320 nodes: 1280 free, 1280 busy" \
		out &&
	grep -x "   |- l127        \.\{12\}!!!!  32 nodes: 192 free, 64 down  c\[4033-4064\]" \
		out
'
test_expect_success '4,096 nodes that are all the same are nine lines' '
	draw big.conf --slots=8 >out &&
	sed "/^\$/,\$d" out >tree &&
	test "$(wc -l <tree)" = 9 &&
	test "$(grep -c "512 nodes, 4096 slots: 4096 free" tree)" = 8
'

test_expect_success JQ 'JSON says the same' '
	draw "$shapes/demo.conf" "${demo[@]}" --gang=train --json >out &&
	test "$(wc -l <out)" = 1 &&
	jq -e "[.picked, .unit, (.nodes | length), (.domains | length)] ==
		[\"alice/train\", \"slot\", 16, 7] and
		.domains[0].free == 10 and .domains[0].this_gang == 32 and
		(.nodes[2] | [.name, .slots, .free, .gangs]) ==
			[\"n3\", 4, 2, 2] and
		.gangs[0].ring_cost == 80 and .gangs[0].cross_links == 2 and
		(.gangs[0].stops | length) == 8 and
		([.gangs[0].hops[] | .hops * .hop_cost] | add) == 80" out
'

test_expect_success 'SVG and page are written, and nothing else' '
	draw "$shapes/demo.conf" "${demo[@]}" --gang=train --svg=demo.svg \
		--html=demo.html >out 2>&1 &&
	test_must_be_empty out &&
	draw "$shapes/demo.conf" "${demo[@]}" --gang=train --svg=- >out &&
	test_cmp demo.svg out &&
	grep "<title id=\"fabric-title\">Fabric core</title>" demo.svg &&
	grep "16 nodes with 64 slots: 10 free, 16 busy, 34 in gangs, 4 down" \
		demo.svg &&
	grep "<desc .*alice/train: ring cost 80, 2 cross links, tier spine" \
		demo.svg &&
	test "$(grep -c "class=\"costly" demo.svg)" = 1 &&
	test "$(grep -c "class=\"costly" demo.html)" = 2
'
test_expect_success XMLLINT 'the SVG is well formed' 'xmllint --noout demo.svg'
test_expect_success 'the page asks for nothing but itself' '
	grep -oE "(src|href)=[^ >]*|url\([^)]*|@import" demo.html >links &&
	! grep -v -e "^href=\"data:,\"" -e "^url(#" links
'
test_expect_success 'no marker of the template is left' '
	! grep -E "^@[A-Z]+@\$" demo.html
'

# Names as nobody should have, but could.
cat >evil.conf <<'END'
SwitchName=<b>&"'x' Nodes=a<i>,b</script><!--,c"onload="x
END
evil_gang="<script>alert(1)</script>&'\""
test_expect_success 'whatever names hold is text' '
	draw evil.conf --slots=2 --with="$evil_gang=a<i>" --svg=evil.svg \
		--html=evil.html &&
	! grep -E "<(i|b)>|alert\(1\)</script>|onload=\"x" evil.svg evil.html &&
	grep "a&lt;i&gt;" evil.svg &&
	test "$(grep -c "</script>" evil.html)" = 2 &&
	! grep "<!--" evil.html
'
test_expect_success XMLLINT 'and the SVG is still well formed' '
	xmllint --noout evil.svg
'
test_expect_success JQ 'and the data of the page are still the names' '
	sed -n "/id=\"data\">/,/<\/script>/p" evil.html | sed "1d;\$d" >data &&
	jq -e --arg gang "$evil_gang" ".gangs[0].gang == \$gang and
		.nodes[1].name == \"b</script><!--\"" data
'
test_expect_success 'a name is first looked for in the namespace of the caller' '
	draw one.conf --with="$(id -un)/t=n1" --with=zzz/t=n2 --with=yyy/u=n3 \
		--gang=t >out &&
	grep "^$(id -un)/t  Running" out &&
	draw one.conf --with=zzz/t=n2 --with=yyy/u=n3 --gang=u >out &&
	grep "^yyy/u  Running" out &&
	refused 1 "or several of that name" --topology=one.conf --gang=u \
		--with=zzz/u=n2 --with=yyy/u=n3
'
test_expect_success 'control characters do not reach the terminal' '
	draw one.conf --with="$(printf "a\033[31mb")=n1" >out &&
	grep "^a?\[31mb " out
'

test_expect_success SCRIPT 'colours are for terminals, unless NO_COLOR says no' '
	draw one.conf >plain && ! grep "$(printf "\033")" plain &&
	script -qec "\"$sgang\" topology --topology=one.conf" /dev/null >tty &&
	grep -q "$(printf "\033")\[32m" tty &&
	NO_COLOR=1 script -qec "\"$sgang\" topology --topology=one.conf" \
		/dev/null >tty &&
	! grep "$(printf "\033")\[[0-9]" tty
'

test_expect_success 'what is wrong is said in one line' '
	refused 2 "n9.* is not in the topology" --topology=one.conf \
		--with=t=n9 &&
	refused 2 "expected GANG=NODES" --topology=one.conf --with=t &&
	refused 2 "expected GANG=NODES" --topology=one.conf --with==n1 &&
	refused 2 "gang u takes 1 slots of node n1, which has 0" \
		--topology=one.conf --with=t=n1 --with=u=n1 &&
	refused 2 "gang t takes 1 slots of node n2, which has 0" \
		--topology=one.conf --free=n1 --with=t=n2 &&
	refused 2 "node n1 has 2 slots, not 3" --topology=one.conf --slots=2 \
		--free=n1=3 &&
	refused 2 "expected a number of columns from 40" --topology=one.conf \
		--width=39 &&
	refused 2 "slots=0: expected a number" --topology=one.conf --slots=0 &&
	refused 1 "no gang x has nodes" --topology=one.conf --gang=x &&
	refused 2 "no/such.svg: cannot be written" --topology=one.conf \
		--svg=no/such.svg &&
	refused 2 "no.conf" --topology=no.conf &&
	refused 2 "that --topology=FILE describes" --free=n1
'
test_expect_success 'a full disk is no picture' '
	refused 2 "/dev/full: cannot be written" --topology=one.conf \
		--svg=/dev/full &&
	test -e /dev/full
'

test_done
