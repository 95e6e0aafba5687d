# SPDX-License-Identifier: GPL-2.0-or-later
# 12-places.sh - where nodes are: for Slurm, and for us
#
#   all_nodes                       the names of all nodes
#   same_picture [PARTITION TOPOLOGY]
#                                   sgang draws this topology, that of the
#                                   partition, as scontrol show topology says;
#                                   without them the cluster's
#   slurm_domains [TOPOLOGY]        what Slurm says of it
#   meet NODE NODE                  the level at which they do by the file
#                                   'domains' that has this
#
# jq is needed.

test -n "$BASH_VERSION" || return 0

all_nodes()
{
	scontrol -o show node | sed -n 's/NodeName=\([^ ]*\) .*/\1/p' | sort -V
}

# "NAME LEVEL NODE" for each node below each switch or block, as Slurm says.
slurm_domains()
{
	scontrol show topology ${1:+"$1"} | while read -r line; do
		name=$(sed 's/^[^=]*=\([^ ]*\).*/\1/' <<<"$line")
		level=$(sed -n 's/.* Level=\([0-9]*\).*/\1/p' <<<"$line")
		size=$(sed -n 's/.* BlockSize=\([0-9]*\).*/\1/p' <<<"$line")
		test -z "$size" || level=$((size == 8 ? 2 : size / 4))
		list=$(sed -n 's/.* Nodes=\([^ ]*\).*/\1/p' <<<"$line")
		test -n "$list" || continue
		scontrol show hostnames "$list" | sed "s/^/$name $level /"
	done
}

# A line "NODE DOMAIN..." for each node, the lowest of its domains first.
slurm_places()
{
	slurm_domains "$1" | sort -k 2,2n >domains
	# there may be no domains
	all_nodes | awk '
		FILENAME == "domains" { at[$3] = at[$3] " " $1; next }
		{ print $1 at[$1] }' domains -
}

# The same as sgang draws it. One that is nowhere has a leaf of its own name.
sgang_places()
{
	"$top_builddir/src/cmd/sgang" topology --json ${1:+-p "$1"} >json && jq -r '
		.domains as $all |
		def chain($i): if $i == null then [] else
			[$all[$i].name] + chain($all[$i].parent) end;
		.nodes[] | .name as $name |
		[$name] + (chain(.domain) - ["", $name]) | join(" ")' json |
		sort -V
}

pictures_agree()
{
	slurm_places $2 >expected && sgang_places $1 >drawn &&
		cmp -s expected drawn
}

# sgang asks slurmctld for the fabric in force, which is read again soon after a
# change, and before gangs are placed.
same_picture()
{
	wait_for 20 "pictures_agree $1 $2" || test_cmp expected drawn
}

# The level at which two nodes meet: tier NODE NODE, by the file 'domains'.
meet()
{
	awk -v a=$1 -v b=$2 '
		$3 == a { on[$1] = 1 }
		$3 == b { also[$1] = $2 + 1 }
		END {
			split("leaf spine core level5 level6", name)
			for (d in on)
				if (also[d] && (!best || also[d] < best))
					best = also[d]
			print best ? name[best] : "unconnected"
		}' domains
}
