#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0452-slurmd-topology.t - slurmd tells slurmctld where its node is
#
# slurmd -Z --conf "... Topology=" creates a node in its place, and slurmd --conf
# topology= puts a cloud node that has been started elsewhere than the file does.
# Two slurmds run: d1 or d2, on SlurmdPort, and that of the cloud node n1. Other
# nodes have none; their jobs stay CONFIGURING.

test_description='A slurmd with --conf topology= has the place that it says'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

needs_slurm "this was tried with Slurm 26.05 only" slurm_release 26.05
needs jq

slurm_setup --cloud 6 --gang -c 2 --conf '
MaxNodeCount=8
SlurmdParameters=config_overrides
SuspendTime=2000000
SuspendTimeout=2
PartitionName=parted Nodes=ALL Topology=racks MaxTime=INFINITE State=UP
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP'
echo "SlurmdPort=$((slurm_port + 2))" >>"$SLURM_CONF"
{
	yaml_tree fabric,default top:s[1-2] s1:a,b s2:c a=n[1-2],d2 b=n[3-4],d1 \
		c=n[5-6]
	yaml_blocks racks "2, 4" r1=n[1,3,5] r2=n[2,4,6]
} >"$slurm_dir/etc/topology.yaml"
slurm_start

log=$slurm_dir/log/slurmctld.log

# start_slurmd NODE [OPTION...]
start_slurmd()
{
	mkdir -p "$slurm_dir/spool/$1"
	slurm_launch slurmd -N "$@" &
	wait_for 20 slurm_alive $1
}

has_registered()
{
	[[ $(node_field $1 State) = IDLE* ]] &&
		test "$(node_field $1 BootTime)" != None &&
		[[ ! $(node_field $1 State) =~ POWERING|POWERED|NOT_RESP ]]
}

powered_down() { [[ $(node_field $1 State) == *POWERED_DOWN* ]]; }

# A slurmd that has booted. slurmctld reads its place when that was after the last
# word of the node, in whole seconds.
boots()
{
	slurm_end TERM n1 && start_slurmd n1 -b --conf topology=$1 &&
		wait_for 30 has_registered n1 &&
		test "$(node_field n1 Topology)" = $1
}

# dynamic NODE PLACE
dynamic()
{
	start_slurmd $1 -Z --conf "CPUs=2 RealMemory=2000${2:+ Topology=$2}" &&
		wait_for 20 has_registered $1
}

both_pictures() { same_picture && same_picture parted racks; }

# on LEAF... NODE: these are the domains of the node, as Slurm and sgang say.
on()
{
	both_pictures && same_picture && grep -x "$(echo ${*: -1} ${*:1:$#-1})" drawn
}

# meet_at LEVEL NODE NODE [PARTITION]: two members that are bound to them
meet_at()
{
	ids=($(submit -N 1 --exclusive -w $2 --gang=pair --gang-min-member=2 \
			${4:+-p $4})
		$(submit -N 1 --exclusive -w $3 --gang=pair ${4:+-p $4})) &&
		wait_for 20 none_in PENDING ${ids[@]} &&
		test "$(gang_record ${ids[0]} tier)" = $1 ||
		{ gang_record ${ids[0]}; return 1; }
	drop ${ids[@]}
}

test_expect_success '7.1 slurmd -Z --conf Topology=: the node is in that place' '
	dynamic d1 fabric:top:s1:a,racks:r2 && on a s1 top d1 &&
	meet_at leaf d1 n2 && meet_at spine d1 n3 && meet_at core d1 n5 &&
	meet_at leaf d1 n4 parted
'
test_expect_success '7.1 another dynamic node with a new switch' '
	slurm_end TERM d1 && scontrol delete nodename=d1 && both_pictures &&
	dynamic d2 fabric:top:s2:e && on e s2 top d2 &&
	meet_at spine d2 n5 && meet_at core d2 n2
'
test_expect_success '7.1 one without a place is nowhere' '
	slurm_end TERM d2 && scontrol delete nodename=d2 && both_pictures &&
	dynamic d2 && on d2
'
test_expect_success '7.1 and one whose place does not exist as well' '
	slurm_end TERM d2 && scontrol delete nodename=d2 && both_pictures &&
	start_slurmd d2 -Z --conf "CPUs=2 RealMemory=2000 Topology=none:x" &&
	wait_for 20 node_field d2 State && on d2
'
test_expect_success '7.1 a cloud node is in the place that the file gives it' '
	slurm_end TERM d2 && scontrol delete nodename=d2 &&
	dynamic d1 fabric:top:s1:a,racks:r2 && on a s1 top d1 && on a s1 top n1
'
test_expect_success '7.1 until its slurmd says another one' '
	id=$(placed_job -N 1 --exclusive -w n1) &&
	start_slurmd n1 -b --conf topology=fabric:top:s2:c &&
	wait_for 30 all_in RUNNING $id && drop $id &&
	wait_for 60 boots fabric:top:s2:c && on c s2 top n1 &&
	meet_at leaf n1 n6 && meet_at core n1 n2
'
test_expect_success '7.1 a gang runs on both, by the places that they said' '
	gang_script both && touch both.go &&
	ids=($(submit -N 1 --exclusive -w d1 --gang=both --gang-min-member=2 \
			both.sh)
		$(submit -N 1 --exclusive -w n1 --gang=both both.sh)) &&
	wait_for 20 all_in COMPLETED ${ids[@]} &&
	test "$(gang_record ${ids[0]} tier)" = core && ran_once both 2
'
test_expect_success '7.1 slurmctld starts again: both are where they were' '
	ctld_restarts &&
	wait_for 30 has_registered n1 && wait_for 30 has_registered d1 &&
	on c s2 top n1 && on a s1 top d1 && meet_at core n1 d1
'
test_expect_success '7.1 the cloud node is powered down, and back in its place' '
	slurm_end TERM n1 &&
	scontrol update nodename=n1 state=power_down_force &&
	wait_for 60 powered_down n1 &&
	on a s1 top n1
'
test_expect_success 'nothing went wrong' '! grep -E "error: gang:|fatal" "$log"'

test_done
