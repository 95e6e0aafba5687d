#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0594-topologies.t - blocks, and a topology.yaml with several topologies
#
# Nodes of one leaf are not neighbours in Slurm's node table, so that a gang that
# is on one leaf shows that the file was read.

test_description='The kinds of topology that newer releases of Slurm have'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

test "$SGANG_WITH_SLURM" = no || ! slurm_release 22.05 ||
	skip_test "Slurm 22.05 has none of them"
! slurm_since 25.05 || test_set_prereq YAML

# Two members start on one of these pairs of nodes, which are a leaf:
# on_pair "NODES|NODES" NAME [OPTION...]
on_pair()
{
	local pairs=$1 name=$2 ids

	ids=($(submit -N 1 --exclusive --gang=$name --gang-min-member=2 "${@:3}" \
			$name.sh)
		$(submit -N 1 --exclusive --gang=$name "${@:3}" $name.sh)) &&
		wait_for 20 all_in COMPLETED ${ids[@]} &&
		test "$(gang_record ${ids[0]} tier)" = leaf || return 1
	for id in ${ids[@]}; do
		job_field $id NodeList
	done | sort | xargs | grep -xE "$pairs"
}

on_one_leaf() { on_pair "n1 n3|n2 n4" "$@"; }

domains()
{
	grep -o "gang: [0-9]* nodes in [0-9]* domains" \
		"$slurm_dir/log/slurmctld.log" | tail -n 1
}

for name in blocks trees parted; do
	gang_script $name
	touch $name.go
done

slurm_setup -n 4 -c 2 --gang --conf 'TopologyPlugin=topology/block'
cat >"$slurm_dir/etc/topology.conf" <<'END'
BlockName=odd Nodes=n[1,3]
BlockName=even Nodes=n[2,4]
BlockSizes=2
END
slurm_start

test_expect_success 'topology/block: the topology.conf of Slurm is read' '
	test "$(domains)" = "gang: 4 nodes in 3 domains" &&
	on_one_leaf blocks
'
test_expect_success 'nothing is left' 'nothing_left'
slurm_cleanup

# Four nodes would be three of a block and one of the other for us.
slurm_setup --cloud 6 --gang --conf 'TopologyPlugin=topology/block'
cat >"$slurm_dir/etc/topology.conf" <<'END'
BlockName=odd Nodes=n[1,3,5]
BlockName=even Nodes=n[2,4,6]
BlockSizes=3,6
END
slurm_start

test_cleared 'topology/block: a member that asks for segments' '
	ids=($(submit --exclusive -N 4 --segment=2 --gang=parts \
			--gang-min-member=2) \
		$(submit --exclusive -N 1 --gang=parts)) &&
	wait_for 20 all_in CONFIGURING ${ids[@]} &&
	test $(scontrol show hostnames "$(squeue -h -j ${ids[0]} -o %N)" |
		tr -d n | awk "\$1 % 2" | wc -l) = 2
'
test_expect_success 'nothing is left of that' 'nothing_left'
slurm_cleanup

slurm_setup --cloud 14 --gang --gang-conf AllowUnconnected=yes \
	--conf 'TopologyPlugin=topology/block
PartitionName=apart Nodes=n[13-14] MaxTime=INFINITE State=UP'
cat >"$slurm_dir/etc/topology.conf" <<'END'
BlockName=b1 Nodes=n[1,5,9]
BlockName=b2 Nodes=n[2,6,10]
BlockName=b3 Nodes=n[3,7,11]
BlockName=b4 Nodes=n[4,8,12]
BlockSizes=3,6,12
END
slurm_start

# Two blocks have room for segments, and the other member must leave them alone.
test_cleared '7.3 a member whose segments need certain blocks starts' '
	for node in n3 n4 n8 n12; do
		submit --exclusive -N 1 -w $node >>busy || return 1
	done &&
	wait_for 20 all_in CONFIGURING $(cat busy) &&
	ids=($(submit --exclusive -N 1 --gang=need --gang-min-member=2) \
		$(submit --exclusive -N 6 --segment=3 --gang=need)) &&
	wait_for 20 all_in CONFIGURING ${ids[@]} &&
	test "$(squeue -h -j ${ids[1]} -o %N)" = "n[1-2,5-6,9-10]"
'
test_cleared 'nodes in no block: a member of two has both' '
	ids=$(placed_job -p apart --exclusive -N 2 --gang=apart \
		--gang-min-member=1) &&
	test "$(squeue -h -j $ids -o %N)" = "n[13-14]"
'
test_cleared '7.3 two members that differ in their segments alone' '
	ids=($(submit --exclusive -N 4 --segment=1 --gang=differ \
			--gang-min-member=2) \
		$(submit --exclusive -N 4 --segment=2 --gang=differ)) &&
	wait_for 20 all_in CONFIGURING ${ids[@]}
'
test_cleared '7.3 one that finds no blocks says so, and starts later' '
	rm busy &&
	for node in n1 n2 n3; do
		submit --exclusive -N 1 -w $node >>busy || return 1
	done &&
	wait_for 20 all_in CONFIGURING $(cat busy) &&
	ids=($(submit --exclusive -N 1 --gang=wait --gang-min-member=2) \
		$(submit --exclusive -N 6 --segment=3 --gang=wait)) &&
	wait_for 20 squeue_says ${ids[0]} \
		"no blocks with room for its segments of 3 nodes" &&
	scancel $(head -n 1 busy) &&
	wait_for 20 all_in CONFIGURING ${ids[@]}
'
test_expect_success 'nothing is left of these' 'nothing_left'

if test_have_prereq YAML; then
	slurm_cleanup
	slurm_setup -n 4 -c 2 --gang --conf \
'PartitionName=parted Nodes=ALL Topology=racks MaxTime=INFINITE State=UP'
	cp "$top_srcdir/tests/data/two-topologies.yaml" \
		"$slurm_dir/etc/topology.yaml"
	slurm_start
fi

test_expect_success YAML 'topology.yaml: the default of the cluster is read' '
	test "$(domains)" = "gang: 4 nodes in 3 domains" &&
	on_one_leaf trees
'
test_expect_success YAML '4.27 members in a partition with another one of its own' '
	grep "gang: 3 domains in topology racks" "$slurm_dir/log/slurmctld.log" &&
	on_pair "n1 n2|n3 n4" parted -p parted
'
test_expect_success YAML 'TopologyName chooses another of them' '
	echo TopologyName=racks >"$slurm_dir/etc/gang.conf" &&
	scontrol reconfigure && wait_for 15 slurm_ctld_answers &&
	wait_for 15 nodes_idle &&
	! on_one_leaf trees &&
	test "$(gang_record $(tail -n 1 "$slurm_dir/jobs") tier)" = leaf
'
test_expect_success YAML 'nothing is left of these either' 'nothing_left'

test_done
