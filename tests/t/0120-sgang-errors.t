#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0120-sgang-errors.t - every bad input ends with one line and exit status 2
#
# bad TITLE PATTERN ARG... is one row: sgang with these arguments must exit with
# 2, print nothing on the standard output, and on the standard error exactly one
# printable line that starts with "sgang: " and matches the pattern. In a table the
# row is TITLE | PATTERN | ARG...

test_description='what sgang says about bad input'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

SGANG=$top_builddir/src/cmd/sgang
T=--topology=$top_srcdir/topology/textbook.conf

bad_run() {
	local pattern=$1
	shift
	test_expect_code 2 timeout 180 "$SGANG" "$@" >out 2>err &&
	test_must_be_empty out &&
	test $(wc -l <err) -eq 1 &&
	! LC_ALL=C grep -q '[^ -~]' err &&
	grep -q '^sgang: .' err &&
	grep -E -q -e "$pattern" err
}

bad() {
	local title=$1
	shift
	bad_args=("$@")
	test_expect_success "$title" 'bad_run "${bad_args[@]}" || {
		cat err
		false
	}'
}

# The same of a row of a table, in which the shell takes the arguments apart.
bad_row() {
	test $# = 3 || slurm_fatal "a row with $# fields: $1"
	eval "bad \"\$1\" \"\$2\" $3"
}

# The lines from the third argument on, or else what comes on standard input.
lines_of() { test $# -lt 3 && cat || printf '%s\n' "${@:3}"; }

# topo TITLE PATTERN LINE...: the same for a topology.conf of these lines, or read
# from standard input
topo() {
	lines_of "$@" >topology.conf
	bad "topology: $1" "$2" ring --topology=topology.conf n1
}

# twice TITLE PATTERN LINE...: one that has n2 twice is taken, with one line
twice() {
	lines_of "$@" >topology.conf
	twice_pattern=$2
	test_expect_success "topology: $1" '
		"$SGANG" ring --topology=topology.conf n1 >out 2>err &&
		test -s out && test $(wc -l <err) = 1 &&
		grep -E "^sgang: $twice_pattern" err &&
		grep "node n2 is .*: it is left out of the fabric" err || {
			cat err
			false
		}
	'
}

# conf TITLE PATTERN LINE...: the same for a gang.conf
conf() {
	lines_of "$@" >gang.conf
	bad "gang.conf: $1" "$2" ring "$T" --conf=gang.conf n1
}

# --- usage
rows bad_row <<'END'
unknown verb | unknown verb "frob" | frob
empty verb | unknown verb "" | ''
unknown option before a verb | --frob | --frob
unknown option of ring | unknown option --frob | ring --frob n1
unknown option of place | unknown option --frob=3 | place --frob=3
unknown short option | unknown option -x | ring "$T" n1 -x n2
unknown short option in a bundle | unknown option -y | ring "$T" n1 -yx
option without its value | value is missing: --slots | ring --slots
option with a value it does not take | --json=yes | ring "$T" --json=yes n1
ring without a topology | topology=FILE is missing | ring n1
ring without a place | no place | ring "$T"
place without a topology | topology=FILE is missing | place --member=1x1
place without a member | no --member | place "$T"
bytes without explain | bytes is for --explain | place "$T" --member=1x1 --bytes=1G
END
for value in '' 0 G 1g 1GB -1 1.5G 18446744073709551616 18446744073709551615K \
	99999999999999999999999999; do
	bad "bytes that are \"$value\"" 'bytes=.*: expected a number' \
		place "$T" --member=1x1 --explain "--bytes=$value"
done
rows bad_row <<'END'
explain without a gang | the name of one gang or a job | explain
explain with two | the name of one gang or a job | explain a b
explain of no name | no upper-case letters | explain Train
explain with odd bytes | bytes=many: expected | explain --bytes=many a
explain with a gang.conf that is not there | none/gang.conf | explain --conf=none/gang.conf a
place with a word too many | unexpected word "n1" | place "$T" --member=1x1 n1
list with a word too many | unexpected word "n1" | list n1
list of an unknown phase | phase=Sleeping | list --phase=Sleeping
show without a name | name of one gang | show
show of two names | name of one gang | show one two
show of a name that cannot be | gang=Not_A_Label | show Not_A_Label
END

# --- communication groups
rows bad_row <<'END'
no group | --parallel=: "": expected GROUP=NUMBER | ring "$T" --parallel= n1
group without a size | --parallel=tp=: tp=: expected a number | ring "$T" --parallel=tp= n1
a resource without a number | "gpu": expected RESOURCE=NUMBER | place "$T" --member=1x1:gpu
a resource that no node has | no node has any gpu | place "$T" --free=n1=8:mem=100 --member=1x1:gpu=1
more free than there is | n1 has 5 gpu free and 4 in all$ | place "$T" --total=n1=8:gpu=4 --free=n1=8:gpu=5 --member=1x1:gpu=1
group twice | the group tp is named twice | place "$T" --parallel=tp=2,tp=2 --member=4x1
weights of some groups only | the weight of dp is missing | place "$T" --parallel=tp=2,dp=2:tp=7 --member=4x1
group with a byte that is no character | the name of a group has | ring "$T" --parallel="$(printf 't\033p=2')" n1
ring of other ranks than the groups | dp=2 make 4 ranks.* has 3$ | ring "$T" --parallel=tp=2,dp=2 n1,n2,n3
place of other ranks than the groups | tp=3 make 3 ranks.* has 2$ | place "$T" --parallel=tp=3 --member=2x1
groups of many ranks | more than 2147483647 ranks | place "$T" --parallel=a=1000000,b=1000000 --member=2x1
END

# --- places and numbers
rows bad_row <<'END'
unknown node | node "n99" is not | ring "$T" n99
empty place | empty | ring "$T" ''
empty place in a list | empty | ring "$T" n1,,n2
open bracket | n\[1-2 | ring "$T" 'n[1-2'
reversed range | backwards | ring "$T" 'n[4-1]'
huge range | too many|too long | ring "$T" 'n[1-99999999]'
huge number in a range | too many|too long | ring "$T" 'n[1-99999999999999999999999999]'
many brackets | too many|too long | ring "$T" 'n[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]'
very long name | too long | ring "$T" "$(printf 'n%.0s' {1..100000})"
control characters in a name | printable | ring "$T" $'n1\n\033[31m'
bytes that are no ASCII | . | ring "$T" $'\xff\xfe'
slot above the last | n1:1: expected a number from 0 to 0 | ring "$T" n1:1
slot that is no number | n1:x | ring "$T" n1:x
slot that is empty | n1: | ring "$T" n1:
negative slot | n1:-1 | ring "$T" --slots=4 n1:-1
huge slot | n1:9999 | ring "$T" --slots=4 n1:99999999999999999999999
place named twice | n1:2 is named twice | ring "$T" --slots=4 n1:2,n2,n1:2
node and its slot | all slots of node n1 | ring "$T" --slots=4 n1:2,n1
node named twice | n2 is named|node n2 | ring "$T" n2 n1 n2
END
for value in '' 0 -1 +1 1.5 4x 0x4 ' 4' 65534 4294967297 18446744073709551617 \
	99999999999999999999999999999999999999; do
	bad "--slots='$value'" '--slots=.*from 1 to' ring "$T" --slots="$value" n1
done

# --- members and free lists
for value in '' x 4 4x 4x0 0x0 x8 -1x2 4x-8 4X8 4x8x2 '*4x8' '0*4x8' '3*' \
	'3**1x1' '1000000*1x1' 4x99999 99999999x1 \
	99999999999999999999x99999999999999999999; do
	bad "--member='$value'" '--member=.*expected' \
		place "$T" --member="$value"
done
rows bad_row <<'END'
too many members altogether | at most | place "$T" --member='100000*1x1' --member=1x1
free list without numbers | expected NODE=SLOTS | place "$T" --free=n1 --member=1x1
free list that is empty | --free | place "$T" --free= --member=1x1
free list with an unknown node | "n9" | place "$T" --free=n9=1 --member=1x1
ranks of a member twice | ranks= is given twice | place "$T" --member=1x1:ranks=2:ranks=3
free list with a node twice | n1 is named twice | place "$T" --free=n1=1,n1=1 --member=1x1
free list with a node twice, none free | n1 is named twice | place "$T" --free=n1=0,n1=0 --member=1x1
more free slots than there are | n1=5 | place "$T" --slots=4 --free=n1=5 --member=1x1
free slots that are no number | n1=many | place "$T" --free=n1=many --member=1x1
unknown level | no level "shelf"; the levels are island, node, leaf, spine, core | place "$T" --member=1x1 --gang-topology=require:shelf
policy of an unknown communication group | require:tp:leaf: there is no communication group "tp"; --parallel | place "$T" --member=2x1 --parallel=dp=2 --gang-topology=require:tp:leaf
policy of a communication group without any | group "tp"; --parallel | place "$T" --member=2x1 --gang-topology=require:tp:leaf
policy of a group with an unknown level | level "shelf" | place "$T" --member=2x1 --parallel=tp=2 --gang-topology=require:tp:shelf
unknown policy | gang-topology=insist:leaf | place "$T" --member=1x1 --gang-topology=insist:leaf
policy without a level | gang-topology | place "$T" --member=1x1 --gang-topology=require
END

# --- files that are none
bad 'no such topology' '/no/such/file' ring --topology=/no/such/file n1
cp "$top_srcdir/topology/pcie-8gpu.xml" eight.xml
cp "$top_srcdir/topology/nvlink-4gpu-pairs.xml" four.xml
echo 'NodeTopology=n[1-8] Hwloc=eight.xml' >eight.conf
printf 'NodeTopology=n[1-4] Hwloc=eight.xml\nNodeTopology=n5 Hwloc=four.xml\n' \
	>mixed.conf
echo 'NodeTopology=n1 Hwloc=none.xml' >none.conf
rows bad_row <<'END'
other slots than the nodes have | expected --slots=8 | place "$T" --conf=eight.conf --slots=4 --member=1x4
a slot that the nodes do not have | n1:8: expected a number from 0 to 7 | ring "$T" --conf=eight.conf n1:8
nodes of different size | node n5 has 4 GPUs | place "$T" --conf=mixed.conf --member=1x4
a description that is not there | none.xml | place "$T" --conf=none.conf --member=1x4
no such gang.conf | /no/such/file | ring "$T" --conf=/no/such/file n1
empty name of a topology | . | ring --topology= n1
directory as topology | . | ring --topology=. n1
directory as gang.conf | . | ring "$T" --conf=. n1
name of a topology with a line feed | . | ring --topology=$'a\nb' n1
END
head -c 20000 "$SGANG" >junk
bad 'binary junk as topology' 'junk' ring --topology=junk n1
bad 'binary junk as gang.conf' 'junk' ring "$T" --conf=junk n1
head -c 1000 /dev/zero >zeroes
bad 'zero bytes as topology' 'zeroes' ring --topology=zeroes n1
bad 'zero bytes as gang.conf' 'zeroes' ring "$T" --conf=zeroes n1

# --- topology.conf: file and line are named
topo 'empty' 'topology.conf' </dev/null
rows topo <<'END'
only comments | topology.conf | # nothing
unknown key | topology.conf:2:  | SwitchName=a Nodes=n1 | SwitchName=b Colour=red Nodes=n2
no name | topology.conf:1:  | Nodes=n[1-4]
junk behind | topology.conf:3:  | # a comment |  | SwitchName=a Nodes=n1 junk
neither nodes nor switches | topology.conf:2:  | SwitchName=a Nodes=n1 | SwitchName=b
both nodes and switches | topology.conf:2:  | SwitchName=a Nodes=n1 | SwitchName=b Nodes=n2 Switches=a
defined twice | topology.conf:2:  | SwitchName=a Nodes=n1 | SwitchName=a Nodes=n2
unknown child | topology.conf:2:  | SwitchName=a Nodes=n1 | SwitchName=b Switches=a,c
two parents and no tree | topology.conf:5: .*conf:4 .*TopologyFile= | SwitchName=a Nodes=n1 | SwitchName=b Nodes=n2 | SwitchName=c Nodes=n3 | SwitchName=p Switches=a,b | SwitchName=q Switches=b,c
a cycle | topology.conf:[123]:  | SwitchName=a Nodes=n1 | SwitchName=p Switches=q | SwitchName=q Switches=p
a switch under itself | topology.conf:2:  | SwitchName=a Nodes=n1 | SwitchName=p Switches=p,a
END
twice 'a node under two leaves' 'topology.conf:2: .*topology.conf:1' \
	'SwitchName=a Nodes=n[1-2]' 'SwitchName=b Nodes=n[2-3]'
rows topo <<'END'
bad node list | topology.conf:1:  | SwitchName=a Nodes=n[1-
huge node list | topology.conf:1:  | SwitchName=a Nodes=n[1-99999999]
line of a continued entry | topology.conf:2:  | SwitchName=a Nodes=n1 | SwitchName=b \ |  Colour=red
included file that is not there | topology.conf:2:  | SwitchName=a Nodes=n1 | Include no-such-file
file that includes itself | topology.conf | SwitchName=a Nodes=n1 | Include topology.conf
END
{
	echo 'SwitchName=s0 Nodes=n1'
	for i in $(seq 1 40); do
		echo "SwitchName=s$i Switches=s$((i - 1))"
	done
} >deep
topo 'too many levels' 'topology.conf' <deep
twice 'a node in two blocks' 'topology.conf:2: .*topology.conf:1' \
	'BlockName=a Nodes=n[1-2]' 'BlockName=b Nodes=n[2-3]'
topo 'a block size that joins no blocks' 'topology.conf:2: .*30' \
	'BlockName=a Nodes=n[1-18]' 'BlockSizes=18,30'
topo 'switches and blocks' 'topology.conf:2: .*topology.conf:1' \
	'SwitchName=a Nodes=n[1-2]' 'BlockName=b Nodes=n[3-4]'
twice 'yaml: a node under two leaves' 'topology.conf:6: .*topology.conf:4' \
	'- topology: t' '  tree:' '    switches:' '      - switch: a' \
	'        nodes: n[1-2]' '      - switch: b' '        nodes: n[2-3]'
topo 'yaml: a kind that is not understood' 'topology.conf:2: .*ring' '- topology: t' \
	'  ring:' '    rings: []'
topo 'yaml: not well formed' 'topology.conf:3: ' '- topology: t' '  tree: ['

# --- gang.conf: file and line are named
rows conf <<'END'
unknown key | gang.conf:2:  | # a comment | Colour=red
no value | gang.conf:1:  | HopCosts
not a number | gang.conf:1:  | HopCosts=1,two,4
costs that fall | gang.conf:1:  | HopCosts=4,2,1
cost 0 | gang.conf:1:  | HopCosts=0,1
huge cost | gang.conf:1:  | HopCosts=1,99999999999999999999999
level named twice | gang.conf:1:  | LevelNames=island,node,node
neither yes nor no | gang.conf:2:  | Gangs=yes | PlaceAll=perhaps
bandwidth 0 | gang.conf:1:  | LevelBandwidth=900,0
a topology that the file does not have | TopologyName | TopologyName=racks
NVLink across leaf switches | gang.conf:1: .*conf:[0-9]+ .*conf:[0-9]+ | NVLinkDomain=nv Nodes=n[2-3]
key twice | gang.conf:2:  | PlaceAll=yes | PlaceAll=no
END

# --- nothing at all comes with 2 and one line when Slurm cannot be asked
test_expect_success 'list without a cluster does not say no' '
	SLURM_CONF=/no/such/file \
		test_expect_code 2 timeout 180 "$SGANG" list >out 2>err &&
	test_must_be_empty out &&
	test -s err
'

test_expect_success 'show without a cluster does not say no' '
	SLURM_CONF=/no/such/file \
		test_expect_code 2 timeout 180 "$SGANG" show train >out 2>err &&
	test_must_be_empty out &&
	test -s err
'

# --- random bytes, the same in every run
seed=20261120
test_expect_success "random input neither crashes nor hangs (seed $seed)" '
	awk -v seed=$seed "BEGIN {
		srand(seed)
		set = \"n[]-,:=*x0123456789/ #\\\\\\\"abSwitchName=Nodes\"
		for (i = 0; i < 150; i++) {
			line = \"\"
			for (n = int(rand() * 40) + 1; n > 0; n--)
				line = line substr(set, int(rand() * length(set)) + 1, 1)
			print line
		}
	}" >random &&
	test $(wc -l <random) -eq 150 &&
	while IFS= read -r word; do
		printf "%s\n" "$word" >file
		for args in "ring;$T;--;$word" "place;$T;--member=$word" \
			"place;$T;--member=1x1;--free=$word" \
			"ring;--topology=file;n1" "ring;$T;--conf=file;n1"; do
			IFS=";" read -r -a list <<<"$args"
			timeout 180 "$SGANG" "${list[@]}" >out 2>err
			code=$?
			if test $code -gt 2; then
				echo "exit $code: $args"
				return 1
			fi
			if test $code -eq 2; then
				test $(wc -l <err) -eq 1 || return 1
			fi
		done
	done <random
'

test_done
