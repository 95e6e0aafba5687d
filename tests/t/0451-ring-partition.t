#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0451-ring-partition.t - a partition whose topology is one without gangs
#
# topology/ring and topology/torus3d are not planned for. A partition that has
# one for itself has no gangs, and the others go on. No slurmd runs; the jobs
# stay CONFIGURING.

test_description='Gangs in a partition with topology/ring or topology/torus3d'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

needs_slurm "before 26.05 there is neither of them" slurm_release 26.05

slurm_setup --cloud 8 --gang --conf '
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=ringed Nodes=ALL Topology=rings MaxTime=INFINITE State=UP
PartitionName=cubed Nodes=ALL Topology=cubes MaxTime=INFINITE State=UP'
yaml_tree fabric,default top:a,b a=n[1,3,5,7] b=n[2,4,6,8] \
	>"$slurm_dir/etc/topology.yaml"
cat >>"$slurm_dir/etc/topology.yaml" <<'END'
- topology: rings
  ring:
    rings:
      - ring: r1
        nodes: n[1-4]
      - ring: r2
        nodes: n[5-8]
- topology: cubes
  torus3d:
    toruses:
      - name: pod
        dims: { x: 2, y: 2, z: 2 }
        nodes: n[1-8]
        placements:
          - dims: { x: 2, y: 1, z: 1 }
          - dims: { x: 1, y: 1, z: 1 }
END
slurm_start

log=$slurm_dir/log/slurmctld.log

# refused PARTITION KIND [OPTION...]: a member is, and the sentence says why.
refused()
{
	test_must_fail sbatch -p $1 --gang=no --gang-min-member=1 "${@:3}" \
		--wrap=true >out 2>&1 &&
		cat out &&
		grep "partition ${1##*,}: .* topology/$2, on which slurm-gang cannot place" out
}

# A pair in this partition starts on one leaf of the tree.
pair_starts()
{
	ids=($(submit --exclusive -N 1 --gang=pair --gang-min-member=2 -p $1) \
		$(submit --exclusive -N 1 --gang=pair -p $1)) &&
		wait_for 20 all_in CONFIGURING ${ids[@]} &&
		test "$(gang_record ${ids[0]} tier)" = leaf &&
		test "$(job_field ${ids[0]} Partition)" = main
}

test_expect_success '7.3 the log names the partitions' '
	grep "error: gang: partition ringed: .*topology/ring" "$log" &&
	grep "error: gang: partition cubed: .*topology/torus3d" "$log"
'
test_expect_success '7.3 members are refused at submission' '
	refused ringed ring && refused cubed torus3d && refused cubed,ringed ring &&
	refused ringed ring --test-only
'
test_cleared '7.3 gangs of other partitions go on' '
	pair_starts main && drop ${ids[@]} &&
	pair_starts ringed,main
'
test_cleared '7.3 jobs without --gang have the topology of Slurm' '
	echo PlaceAll=yes >"$slurm_dir/etc/gang.conf" &&
	scontrol reconfigure && wait_for 15 slurm_ctld_answers &&
	id=$(placed_job --exclusive -N 3 -p ringed) &&
	squeue -h -j $id -o %N | grep -xE "n\[(1-3|2-4|5-7|6-8)\]" &&
	id=$(placed_job --exclusive -N 2 -p cubed)
'
test_cleared '7.3 a member cannot be moved there' '
	busy=$(placed_job --exclusive -N 8) &&
	ids=($(submit --exclusive -N 1 --gang=moved --gang-min-member=2) \
		$(submit --exclusive -N 1 --gang=moved)) &&
	test_must_fail scontrol update jobid=${ids[1]} partition=ringed &&
	test "$(job_field ${ids[1]} Partition)" = main &&
	drop $busy && wait_for 20 all_in CONFIGURING ${ids[@]}
'
test_cleared '7.3 a gang waits while its partition is on a ring' '
	busy=$(placed_job --exclusive -N 8) &&
	ids=($(submit --exclusive -N 1 --gang=wait --gang-min-member=2) \
		$(submit --exclusive -N 1 --gang=wait)) &&
	sed -i "/^PartitionName=main/s/\$/ Topology=rings/" "$SLURM_CONF" &&
	scontrol reconfigure && wait_for 15 slurm_ctld_answers &&
	drop $busy &&
	wait_for 20 squeue_says ${ids[0]} "partition main: " &&
	wait_cycles && all_in PENDING ${ids[@]} &&
	refused main ring &&
	sed -i "/^PartitionName=main/s/ Topology=rings//" "$SLURM_CONF" &&
	scontrol reconfigure && wait_for 15 slurm_ctld_answers &&
	wait_for 20 all_in CONFIGURING ${ids[@]}
'
test_expect_success '7.3 sgang topology does not draw another fabric for it' '
	"$sgang" topology -p main >out && grep b out &&
	test_must_fail "$sgang" topology -p ringed >out 2>err &&
	grep "topology/ring" err && test_must_be_empty out
'
test_cleared '7.3 PartitionTopology gives gangs another one' '
	echo PartitionTopology=ringed:fabric >"$slurm_dir/etc/gang.conf" &&
	scontrol reconfigure && wait_for 15 slurm_ctld_answers &&
	ids=($(submit --exclusive -N 1 --gang=other --gang-min-member=2 -p ringed) \
		$(submit --exclusive -N 1 --gang=other -p ringed)) &&
	wait_for 20 all_in CONFIGURING ${ids[@]}
'
last_case '
	nothing_left "partition (ringed|cubed|main): .*topology/(ring|torus3d)"
'
