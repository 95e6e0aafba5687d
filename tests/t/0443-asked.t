#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0443-asked.t - members that ask Slurm for nodes of a certain shape
#
# The plan knows nothing of --contiguous or --switches: there Slurm has the last
# word, and a gang must not wait for ever for what was planned. Nodes of one leaf
# are no neighbours in Slurm's node table.

test_description='Gangs whose members say themselves which nodes they want'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

switches odd=n[1,3,5,7] even=n[2,4,6,8] top:odd,even >topology.conf

# member NAME OPTION...
member()
{
	local name=$1

	submit --exclusive --gang=$name "${@:2}"
}

# The nodes of a job, one a line.
nodes_of() { scontrol show hostnames "$(squeue -h -j $1 -o %N)"; }
count_of() { nodes_of $1 | wc -l; }

neighbours()
{
	nodes_of $1 | tr -d n | sort -n |
		awk 'NR > 1 && $1 != last + 1 { bad = 1 } { last = $1 }
			END { exit bad }'
}

on_one_leaf()
{
	test $(nodes_of $1 | tr -d n | awk '{ print $1 % 2 }' | sort -u |
		wc -l) = 1
}

slurm_cluster --cloud 8 --gang --topology "$PWD/topology.conf"

test_cleared '4.19 --contiguous: neighbours, which no leaf has' '
	ids=($(member row -N 2 --contiguous --gang-min-member=2) \
		$(member row -N 3 --contiguous)) &&
	wait_for 20 all_in CONFIGURING ${ids[@]} &&
	test $(count_of ${ids[0]}) = 2 && neighbours ${ids[0]} &&
	test $(count_of ${ids[1]}) = 3 && neighbours ${ids[1]} &&
	test "$(gang_record ${ids[0]} tier)" = spine
'
test_cleared '4.19 --switches: each member on one leaf' '
	block=$(placed_job --exclusive -N 2 -w n[7-8]) &&
	ids=($(member leaf -N 2 --switches=1@1:00:00 --gang-min-member=3) \
		$(member leaf -N 3 --switches=1@1:00:00) \
		$(member leaf -N 1 --switches=1@1:00:00)) &&
	wait_for 20 all_in CONFIGURING ${ids[@]} &&
	for id in ${ids[@]}; do
		on_one_leaf $id || return 1
	done
'
test_cleared '5.6 --switches where no leaf has room: that is the reason' '
	half=$(placed_job --exclusive -N 4 -w n[1-4]) &&
	one=$(member wide -N 3 --switches=1@1:00:00 --gang-min-member=1) &&
	wait_for 20 squeue_says $one \
		"Gang root/wide waits: there is no room within --switches=1"
'
test_cleared '4.19 --nodelist and --exclude' '
	ids=($(member named -N 2 -w n2,n7 --gang-min-member=2) \
		$(member named -N 2 -x n[1,3-4,6])) &&
	wait_for 20 all_in CONFIGURING ${ids[@]} &&
	test "$(nodes_of ${ids[0]} | xargs)" = "n2 n7" &&
	test "$(nodes_of ${ids[1]} | xargs)" = "n5 n8"
'
test_cleared 'nodes that two of them name: nobody starts' '
	ids=($(member never -N 2 -w n2,n7 --gang-min-member=2) \
		$(member never -N 1 -w n2)) &&
	wait_for 20 squeue_says ${ids[0]} "Gang root/never waits" &&
	test -z "$(nodes_of ${ids[0]})"
'
last_case
