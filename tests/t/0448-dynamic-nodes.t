#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0448-dynamic-nodes.t - nodes that come and go without a reconfigure
#
# scontrol create and delete change Slurm's table of nodes. The topology file
# knows the new node before. No slurmd runs; the jobs stay CONFIGURING.

test_description='The fabric is read again when nodes are created and deleted'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

switches a=n[1,4] b=n[2-3] top:a,b >leaves.conf
slurm_setup --cloud 3 --gang --conf 'MaxNodeCount=5
DebugFlags=Backfill'
cp leaves.conf "$slurm_dir/etc/leaves.conf"
echo "TopologyFile=$slurm_dir/etc/leaves.conf" >>"$slurm_dir/etc/gang.conf"
slurm_start

log=$slurm_dir/log/slurmctld.log

create()
{
	scontrol create nodename=$1 state=cloud nodeaddr=127.0.0.1 port=1 \
		cpus=$(scontrol show node n1 |
			sed -n 's/.*CPUTot=\([0-9]*\).*/\1/p') \
		realmemory=8000
}

# Slurm 22.05 dies when a node is deleted that backfill has planned for in its
# last cycle. One without jobs forgets such plans.
idle_cycles() { grep -c "no jobs to backfill" "$log" || :; }
has_idle_cycle_since() { test $(idle_cycles) -gt $1; }

member()
{
	submit -N 1 --exclusive --gang=$1 --gang-min-member=2 \
		--gang-topology=require:leaf
}

test_expect_success '4.13 a gang waits for a leaf that has room' '
	busy=$(placed_job -w n2 -N 1 --exclusive) &&
	a=$(member pair) && b=$(member pair) &&
	wait_for 15 squeue_says $a "no leaf has 2" && all_in PENDING $a $b
'
test_expect_success '4.13 and gets the node that comes' '
	create n4 &&
	wait_for 15 all_in CONFIGURING $a $b &&
	squeue -h -j $a,$b -o %N | sort | xargs >nodes &&
	test "$(cat nodes)" = "n1 n4" &&
	test "$(gang_record $a tier)" = leaf
'
test_expect_success '4.13 of one that has gone nothing is left' '
	before=$(idle_cycles) &&
	drop $a $b &&
	wait_for 15 "sinfo -h -n n4 -o %T | grep idle" &&
	wait_for 15 has_idle_cycle_since $before &&
	scontrol delete nodename=n4 &&
	a=$(member pair) && b=$(member pair) &&
	wait_for 15 squeue_says $a "no leaf has 2" && all_in PENDING $a $b &&
	scancel $a $b $busy
'
# Slurm 24.11 starts nothing on a node that has a deleted one's place in the
# table, until it was down.
test_expect_success 'a new node in its place is another one' '
	create n9 &&
	scontrol update nodename=n9 state=down reason=new &&
	scontrol update nodename=n9 state=resume &&
	a=$(placed_job -w n9 -N 1 --exclusive --gang=nine \
		--gang-min-member=1) &&
	test "$(gang_record $a at)" = n9 && scancel $a
'
test_expect_success 'nothing went wrong' '! grep -E "error: gang:|fatal" "$log"'

test_done
