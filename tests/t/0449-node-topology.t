#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0449-node-topology.t - nodes that carry their place
#
# Topology= of a node, in slurm.conf, by scontrol update or by slurmd --conf,
# takes it out of the place that topology.yaml gives it. After each of a number of
# random changes the same is asked of three: Slurm, by scontrol show topology;
# sgang, which draws its picture; and the select plugin, in which two members
# that are bound to two nodes meet at the level at which these nodes do. No slurmd
# runs for most of it; the jobs stay CONFIGURING.
#
# SGANG_PLACE_CHANGES=N	that many changes [12]
# SGANG_PLACE_SEED=N	other ones

test_description='The fabric is that of slurmctld, whatever a file says'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

needs_slurm "before 25.05 nodes have no Topology=" slurm_since 25.05
needs jq

: "${SGANG_PLACE_CHANGES:=12}" "${SGANG_PLACE_SEED:=1}"

slurm_setup --cloud 8 --gang --conf 'MaxNodeCount=14
SuspendTime=2000000
SuspendTimeout=2
PartitionName=parted Nodes=ALL Topology=racks MaxTime=INFINITE State=UP
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP'
# n9 to n12 are there before there are such nodes.
{
	yaml_tree fabric,default top:s[1-2] s1:a,b s2:c,d a=n[1-2,9] b=n[3-4,10] \
		c=n[5-6,11] d=n[7-8,12]
	yaml_blocks racks "2, 4, 8" r1=n[1,5] r2=n[2,6] r3=n[3,7] r4=n[4,8]
} >"$slurm_dir/etc/topology.yaml"
slurm_start

log=$slurm_dir/log/slurmctld.log
cpus=$(node_field n1 CPUTot)

bound() { submit --exclusive -N 1 -w $1 --gang=pair "${@:2}" 2>>refused; }

# Until 26.05 Slurm refuses a job that is bound to a node without a place.
refused()
{
	! slurm_since 26.05 &&
		grep "Requested topology configuration is not available" refused
}

waits_for_switch()
{
	squeue_says $1 "no switch has 2" || squeue_says $1 "kept for others"
}

# starts_at LEVEL JOB JOB: no gang is on nodes that nothing joins. Its reason may
# be another one where backfill looks at a member first.
starts_at()
{
	if test $1 = unconnected; then
		wait_for 20 waits_for_switch $2
	else
		wait_for 20 all_in CONFIGURING $2 $3 &&
			test "$(gang_record $2 tier)" = $1
	fi
}

# same_plan NODE NODE [PARTITION TOPOLOGY]
same_plan()
{
	local a b level ok=

	slurm_domains $4 >domains
	level=$(meet $1 $2)
	rm -f refused
	a=$(bound $1 --gang-min-member=2 ${3:+-p $3}) &&
		b=$(bound $2 ${3:+-p $3}) &&
		starts_at $level $a $b && ok=t
	test $level != unconnected || test -n "$ok" || ! refused || ok=t
	test -n "$ok" || {
		echo "for Slurm $1 and $2 meet at $level, but not for the plugin:"
		squeue -j $a,$b -o "%i %T %N %r"
		sinfo -N -o "%n %P %T %E"
		grep -E "JobId=($a|$b)[^0-9]" "$log" | tail -n 20
		gang_record $a
	}
	test -z "$a$b" || { scancel $a $b &&
		wait_for 20 all_in CANCELLED $a $b; } && test -n "$ok"
}

create()
{
	scontrol create nodename=$1 state=cloud nodeaddr=127.0.0.1 port=1 \
		cpus=$cpus realmemory=8000 ${2:+topology=$2}
}

pick()
{
	local n=$((RANDOM % $# + 1))

	echo "${!n}"
}

place()
{
	local place=

	case $((RANDOM % 4)) in
	0) place=fabric:$(pick a b c d) ;;
	1) place=fabric:top:s1:$(pick a b) ;;
	2) place=racks:$(pick r1 r2 r3 r4) ;;
	3) place=fabric:top:s2:$(pick c d e$((RANDOM % 3))),racks:$(pick r1 r3) ;;
	esac
	echo $place
}

powered() { ! scontrol -o show node | grep -qE "POWER(ING)?_DOWN"; }

# It takes slurmctld a while.
power_down()
{
	scontrol update nodename=$1 state=power_down_force
	wait_for 60 powered
}

# Until 26.05 a node in the place of one that was deleted takes no job before its
# slurmd has registered; and a node that is created once more is deleted.
without_reuse()
{
	case $*,$(all_nodes | grep -x "$2") in
	create*,n*) echo "scontrol update nodename=$2 topology=$3" ;;
	"scontrol delete "*) echo true ;;
	*) echo "$*" ;;
	esac
}

# One random change of slurmctld's topologies. It may be refused, as the one
# more switch below a switch that has nodes.
change()
{
	local node what

	node=$(pick $(all_nodes))
	case $((RANDOM % 100 < 1 ? 10 : RANDOM % 10)) in
	[0-4]) what="scontrol update nodename=$node topology=$(place)" ;;
	5) what="scontrol update nodename=$node topology=" ;;
	6) what="scontrol update nodename=$node topology=fabric:$(pick s1 nowhere a:x)" ;;
	7 | 8) what="create n$((9 + RANDOM % 6)) $(pick "" $(place))" ;;
	9) what="scontrol delete nodename=n$((9 + RANDOM % 6))" ;;
	10) what="power_down $node" ;;
	esac
	slurm_since 26.05 || what=$(without_reuse $what)
	echo "change $1: $what"
	$what 2>&1
	: # what is refused changes nothing
}

# Nodes in one of these short states.
idle()
{
	sinfo -h -N -p main -o "%n %t" | awk -v states="$*" '
		index(" " states " ", " " $2 " ") { print $1 }' | sort -uV
}

has_no_topology() { test -z "$(node_field $1 Topology)"; }

# Two different nodes that can take a job. One that had a job before a restart
# of slurmctld cannot until it was powered down.
two_nodes()
{
	local all=($(idle "${@:-idle~ idle#}")) first

	first=$(pick "${all[@]}")
	echo $first $(pick $(printf '%s\n' "${all[@]}" | grep -vx $first))
}

# same_racks COMMAND...: in the other topology. Until 25.11 a node stays where it was
# in a topology that its Topology= does not name, and Slurm tells where that is in
# the default one alone.
same_racks() { ! slurm_since 25.11 || "$@" parted racks; }

test_expect_success '7.1 at the start it is as in the file' '
	same_picture && same_picture parted racks &&
	same_plan n1 n2 && same_plan n1 n3 && same_plan n1 n8 &&
	same_plan n1 n5 parted racks && same_plan n1 n2 parted racks
'
test_expect_success '7.1 a node that is put elsewhere' '
	! grep "slurmctld has node" "$log" &&
	scontrol update nodename=n2 topology=fabric:top:s2:d,racks:r1 &&
	same_picture && same_picture parted racks &&
	same_plan n1 n2 && same_plan n2 n7 && same_plan n1 n2 parted racks &&
	grep "slurmctld has node n2 on d, which .*topology.yaml puts on a" "$log"
'
test_expect_success '7.1 a new switch, a node without a place' '
	scontrol update nodename=n3 topology=fabric:top:s2:e &&
	scontrol update nodename=n4 topology= &&
	same_picture && same_picture parted racks &&
	same_plan n3 n2 && same_plan n3 n4 && same_plan n1 n4 &&
	same_plan n3 n7 parted racks
'
test_expect_success '7.1 a new node is where it says, not where the file does' '
	create n9 && same_picture && same_plan n9 n1 &&
	create n10 fabric:top:s1:a && same_picture && same_plan n10 n1 &&
	create n11 fabric:top:s1:a,racks:r3 &&
	same_picture && same_picture parted racks &&
	same_plan n11 n1 && same_plan n11 n5 && same_plan n11 n7 parted racks &&
	scontrol delete nodename=n11
'
! slurm_since 25.11 || test_set_prereq GIVES_BACK
test_expect_success GIVES_BACK '7.1 power saving gives it back its place' '
	scontrol update nodename=n2 state=power_down_force &&
	wait_for 20 has_no_topology n2 &&
	same_picture && same_plan n1 n2
'
test_expect_success '7.1 after random changes' '
	RANDOM=$SGANG_PLACE_SEED &&
	for i in $(seq $SGANG_PLACE_CHANGES); do
		change $i &&
		same_picture && same_racks same_picture || return 1
		if test $((i % 2)) = 0; then
			same_plan $(two_nodes) || return 1
		else
			same_racks same_plan $(two_nodes) || return 1
		fi
	done
'
test_expect_success '7.1 a difference from the file is named once' '
	test $(grep -c "slurmctld has node" "$log") = 1
'
test_expect_success '7.1 after a reconfigure and a restart' '
	for node in $(idle idle#); do
		scontrol update nodename=$node state=power_down_force || return 1
	done &&
	wait_for 60 powered &&
	scontrol update nodename=n1 topology=fabric:top:s2:d &&
	scontrol update nodename=n2 topology=racks:r4 &&
	scontrol reconfigure && wait_for 15 slurm_ctld_answers &&
	same_picture && same_picture parted racks &&
	same_plan $(two_nodes idle~) &&
	ctld_restarts &&
	same_picture && same_picture parted racks && same_plan $(two_nodes idle~)
'
test_expect_success 'nothing went wrong' '! grep -E "error: gang:|fatal" "$log"'

# conf_cluster KIND: the same with a topology.conf, read from stdin
conf_cluster()
{
	slurm_cleanup
	slurm_setup --cloud 6 --gang --conf "TopologyPlugin=topology/$1"
	cat >"$slurm_dir/etc/topology.conf"
	slurm_start
	log=$slurm_dir/log/slurmctld.log
}

conf_cluster tree <<'END'
SwitchName=a Nodes=n[1-3]
SwitchName=b Nodes=n[4-6]
SwitchName=top Switches=a,b
END
test_expect_success '7.1 switches of a topology.conf' '
	same_picture && same_plan n1 n2 && same_plan n1 n4 &&
	scontrol update nodename=n2 topology=default:b &&
	scontrol update nodename=n[1,5] topology=default:top:c &&
	same_picture && same_plan n2 n4 && same_plan n1 n5 && same_plan n1 n2 &&
	! grep -E "error: gang:|fatal" "$log"
'

conf_cluster block <<'END'
BlockName=b1 Nodes=n[1-2]
BlockName=b2 Nodes=n[3-4]
BlockName=b3 Nodes=n[5-6]
BlockSizes=2,4,8
END
test_expect_success '7.1 blocks of a topology.conf' '
	same_picture && same_plan n1 n2 && same_plan n1 n3 && same_plan n1 n5 &&
	scontrol update nodename=n2 topology=default:b3 &&
	same_picture && same_plan n1 n2 && same_plan n2 n5 && same_plan n1 n3 &&
	! grep -E "error: gang:|fatal" "$log"
'

# Older ones have no such plugin.
slurm_since 26.05 || test_done

conf_cluster ring <<'END'
RingName=r Nodes=n[1-6]
END
test_expect_success '7.1 gangs on a ring are refused by its name' '
	test_must_fail sbatch --gang=ring --gang-min-member=1 --wrap=true \
		>out 2>&1 &&
	grep "TopologyPlugin=topology/ring: slurm-gang cannot place gangs" out &&
	grep "TopologyPlugin=topology/ring: .*are off" "$log" &&
	id=$(placed_job --exclusive -N 2)
'

test_done
