#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0444-weights.t - nodes that are to be kept for last
#
# The nodes have slurmds: those that are powered down come after all others, and in
# 22.05 they have one Weight.

test_description='The Weight of nodes'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

PATH=$top_builddir/src/cmd:$PATH

# A job that gets its nodes now, and which these are.
take()
{
	id=$(submit --exclusive "$@") && wait_state $id RUNNING &&
	nodes=$(squeue -h -j $id -o %N) && echo "# $id has $nodes"
}

drop()
{
	scancel $id &&
	wait_for 20 'test -z "$(squeue -h -o %i)"' &&
	wait_for 20 nodes_idle
}

one="--gang=one --gang-min-member=1"

# weigh LIST=WEIGHT...
weigh()
{
	local word

	scontrol update nodename="n[1-6]" weight=10 || return 1
	for word; do
		scontrol update nodename="${word%=*}" weight=${word##*=} ||
			return 1
	done
}

# Slurm's own choice for a job of one node, then that of a gang of one, for
# seeded weights of which no two are the same.
same_node_as_stock()
{
	local round n words stock seen=

	RANDOM=$1
	for round in 1 2 3 4; do
		words=
		for n in 1 2 3 4 5 6; do
			words+=" n$n=$((RANDOM % 1000 * 20 + n))"
		done
		weigh $words && take -N1 && stock=$nodes && drop &&
		take -N1 $one && test $nodes = $stock && drop || return 1
		seen+="$nodes "
	done
	test $(tr " " "\n" <<<"$seen" | sort -u | wc -l) -gt 2
}

switches l1=n[1-2] l2=n[3-4] l3=n[5-6] top:l[1-3] >leaves.conf
slurm_cluster -n 6 --gang --topology leaves.conf

test_expect_success '5.5 a gang of one job on one node has the node that Slurm gives' '
	same_node_as_stock 7
'
# Slurm looks at the lightest nodes first, of which the plan has one.
test_expect_success '5.5 a range of nodes gets what is planned, over several weights' '
	weigh "n[1-2]=100" n4=20 n6=20 &&
	take -N1-2 $one && test "$(squeue -h -j $id -o %D)" = 2 && drop
'
test_expect_success '5.5 of leaves that cost the same the lighter one' '
	weigh "n[1-2]=100" "n[3-4]=20" &&
	take -N2 $one && test $nodes = "n[5-6]" &&
	test "$(gang_record $id exact)" = 1
'
test_expect_success '5.5 sgang explain names weight where it decided' '
	sgang explain one >said &&
	grep "Other=l1 .*Why=same cost, but heavier nodes" said && drop
'
test_expect_success '5.5 ring cost comes before weight' '
	weigh "n[1-6]=100" "n1=1" "n5=1" &&
	take -N2 $one && test "$(gang_record $id ring)" = 8 && drop
'
test_expect_success '5.5 WeightFirst=yes: the lightest nodes, like Slurm' '
	echo "WeightFirst=yes" >"$slurm_dir/etc/gang.conf" &&
	scontrol reconfigure &&
	wait_for 10 "sgang conf | grep -q WeightFirst=yes" &&
	weigh "n[1-6]=100" "n[2,5]=1" &&
	take -N2 && stock=$nodes && drop &&
	take -N2 $one && test $nodes = "$stock" &&
	test $nodes = "n[2,5]" && drop
'
slurm_cleanup

test_done
