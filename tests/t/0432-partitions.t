#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0432-partitions.t - partitions that have a topology of their own
#
# Of the four nodes those that share a leaf in one topology do not in the other.
# That slurm.conf gives a partition its topology: see 0594-topologies.t.

test_description='PartitionTopology= in gang.conf: a topology for a partition'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang --conf \
	'PartitionName=racked Nodes=ALL MaxTime=INFINITE State=UP'
topologies=$(realpath "$top_srcdir/tests/data/two-topologies.yaml")
conf=$slurm_dir/etc/gang.conf
use_racks()
{
	printf '%s\n' "TopologyFile=\"$topologies\"" \
		"PartitionTopology=racked:racks" "$@" >"$conf"
}
use_racks
slurm_start

reread()
{
	scontrol reconfigure && wait_for 10 slurm_ctld_answers &&
		wait_for 10 nodes_idle
}

nodes_of()
{
	local id

	for id; do
		job_field $id NodeList
	done | sort | xargs
}

# A gang of two, of which the members are in these partitions, starts on these
# pairs of nodes, in one leaf: pair NAME PARTITION PARTITION "NODES|NODES"
pair()
{
	local name=$1 ids

	ids=($(submit -N 1 --exclusive --gang=$name --gang-min-member=2 -p $2 \
			--wrap=true)
		$(submit -N 1 --exclusive --gang=$name -p $3 --wrap=true)) &&
		wait_for 20 all_in COMPLETED ${ids[@]} &&
		nodes_of ${ids[@]} && nodes_of ${ids[@]} | grep -xE "$4" &&
		test "$(gang_record ${ids[0]} tier)" = leaf
}

odd_or_even="n1 n3|n2 n4" low_or_high="n1 n2|n3 n4"

test_expect_success '4.27 gangs of two partitions, each by its own topology' '
	grep "gang: 4 nodes in 3 domains" "$slurm_dir/log/slurmctld.log" &&
	grep "gang: 3 domains in topology racks" "$slurm_dir/log/slurmctld.log" &&
	pair racks racked racked "$low_or_high" &&
	pair fabric main main "$odd_or_even"
'
test_expect_success '4.27 one of members in both: that of the cluster' '
	pair both racked main "$odd_or_even"
'
test_expect_success '4.24 require:leaf is a leaf of its own topology' '
	gang_script busy &&
	busy=($(submit -n 2 -w n1 busy.sh) $(submit -n 2 -w n3 busy.sh)) &&
	wait_for 20 all_in RUNNING ${busy[@]} &&
	racks=($(submit -N 1 --exclusive --gang=waits --gang-min-member=2 \
			-p racked --gang-topology=require:leaf --wrap=true)
		$(submit -N 1 --exclusive --gang=waits -p racked --wrap=true \
			--gang-topology=require:leaf)) &&
	wait_for 20 "squeue_says ${racks[0]} \"no leaf has 2: low has 1\" ||
		squeue_says ${racks[0]} \"no leaf has 2: high has 1\"" &&
	fabric=($(submit -N 1 --exclusive --gang=starts --gang-min-member=2 \
			--gang-topology=require:leaf --wrap=true)
		$(submit -N 1 --exclusive --gang=starts --wrap=true \
			--gang-topology=require:leaf)) &&
	wait_for 20 all_in COMPLETED ${fabric[@]} &&
	test "$(nodes_of ${fabric[@]})" = "n2 n4" &&
	all_in PENDING ${racks[@]} &&
	let_end busy ${racks[@]} &&
	nodes_of ${racks[@]} | grep -xE "$low_or_high"
'
test_expect_success '4.19 PlaceAll=yes: jobs without a gang, too' '
	use_racks PlaceAll=yes &&
	reread &&
	racks=$(complete_job -N 2 --exclusive -p racked --wrap=true) &&
	nodes_of $racks | grep -xE "n\[1-2\]|n\[3-4\]" &&
	fabric=$(complete_job -N 2 --exclusive --wrap=true) &&
	nodes_of $fabric | grep -xE "n\[1,3\]|n\[2,4\]"
'
test_expect_success 'sgang conf tells where it comes from' '
	wait_for 10 "\"$sgang\" conf >out" &&
	grep "^PartitionTopology=\"racked:racks\"  *# $conf:2\$" out
'
test_expect_success '4.27 sgang topology draws what the partition has' '
	rm busy.go &&
	members=($(submit -N 1 --exclusive --gang=drawn --gang-min-member=2 \
			-p racked busy.sh)
		$(submit -N 1 --exclusive --gang=drawn -p racked busy.sh)) &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	"$sgang" topology >out && grep odd out && ! grep low out &&
	"$sgang" topology --partition=main >out && grep odd out &&
	"$sgang" topology -p racked >out && grep low out &&
	! grep odd out &&
	"$sgang" topology --gang=drawn >out && grep low out &&
	grep "ring cost $(gang_record ${members[0]} ring), " out &&
	grep ", tier leaf\$" out &&
	test_expect_code 1 "$sgang" topology --partition=none >out 2>err &&
	test_must_be_empty out &&
	grep "^sgang: there is no partition none" err &&
	let_end busy ${members[@]}
'
test_expect_success 'a topology that is not there: that of the cluster' '
	sed "s/racked:racks/racked:cages/" "$conf" >new && mv new "$conf" &&
	reread &&
	wait_for 10 "grep -F \"error: gang: $topologies:2: expected a topology that is called as PartitionTopology in gang.conf says, found \\\"cages\\\"; that partition has the topology of the cluster\" \
		\"$slurm_dir/log/slurmctld.log\"" &&
	pair cages racked racked "$odd_or_even"
'
test_expect_success 'a partition that is not there: the others have theirs' '
	use_racks &&
	sed "s/racked:racks/rocked:racks,racked:racks/" "$conf" >new &&
	mv new "$conf" &&
	reread &&
	wait_for 10 "grep -F \"error: gang: PartitionTopology in gang.conf: there is no partition rocked; the rest of it counts\" \
		\"$slurm_dir/log/slurmctld.log\"" &&
	pair rocked racked racked "$low_or_high"
'
test_expect_success 'a mistake in gang.conf leaves what was' '
	use_racks && reread && pair again racked racked "$low_or_high" &&
	sed "s/racked:racks/racked/" "$conf" >new && mv new "$conf" &&
	reread &&
	wait_for 10 "grep -F \"error: gang: $conf:2: PartitionTopology: \" \
		\"$slurm_dir/log/slurmctld.log\"" &&
	pair stays racked racked "$low_or_high"
'
test_expect_success 'nothing is left but the errors that were asked for' '
	nothing_left \
		"gang: .*(stay.* as .* w|has the topology of the cluster|the rest of it counts)"
'

test_done
