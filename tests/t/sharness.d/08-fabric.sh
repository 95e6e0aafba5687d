# SPDX-License-Identifier: GPL-2.0-or-later
# 08-fabric.sh - fabrics: those that a test writes down, and large ones for tests that
# need no cluster
#
#   switches NAME=NODES... NAME:SWITCHES...
#                      a topology.conf, a line for each
#   yaml_tree TOPOLOGY[,default] NAME=NODES... NAME:SWITCHES...
#   yaml_blocks TOPOLOGY "SIZES" NAME=NODES...
#                      a topology of these, for a topology.yaml
#   fabric_of NODES    a topology.conf: leaves l1, l2 ... of 32 nodes each, c1,
#                      c2 ..., below spines s1, s2 ... of 16 leaves, below core
#   fabric_of_4096     that one

switches()
{
	printf '%s\n' "$@" | sed 's/^\([^=:]*\)=/SwitchName=\1 Nodes=/
		s/^\([^=:]*\):/SwitchName=\1 Switches=/'
}

yaml_topology()
{
	echo "- topology: ${1%,default}"
	test $1 = ${1%,default} || echo "  cluster_default: true"
}

yaml_tree()
{
	yaml_topology $1
	printf '  tree:\n    switches:\n'
	printf '      - switch: %s\n' "${@:2}" |
		sed 's/ \([^ =:]*\)=\(.*\)/ \1\n        nodes: \2/
			s/ \([^ =:]*\):\([^ ].*\)/ \1\n        children: \2/'
}

yaml_blocks()
{
	yaml_topology $1
	printf '  block:\n    block_sizes: [%s]\n    blocks:\n' "$2"
	printf '      - block: %s\n' "${@:3}" | sed 's/=/\n        nodes: /'
}

fabric_of()
{
	awk -v nodes="$1" '
	function least(a, b) { return a < b ? a : b }
	BEGIN {
		leaves = int((nodes + 31) / 32)
		for (i = 0; i < leaves; i++)
			printf "SwitchName=l%d Nodes=c[%d-%d]\n", i + 1,
				32 * i + 1, least(32 * i + 32, nodes)
		spines = int((leaves + 15) / 16)
		for (i = 0; i < spines; i++)
			printf "SwitchName=s%d Switches=l[%d-%d]\n", i + 1,
				16 * i + 1, least(16 * i + 16, leaves)
		printf "SwitchName=core Switches=s[1-%d]\n", spines
	}'
}

fabric_of_4096() { fabric_of 4096; }
