#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0410-node-loss.t - nodes that die under members that are held

test_description='A node dies while a gang is held: all start later, none twice'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

# A node that an admin has taken does not return by an answer that it gave before.
slurm_cred_expire=120
slurm_setup -n 5 -c 2 --gang --conf 'SlurmdTimeout=30
ReturnToService=1'
gate_setup
slurm_start

gang_scripts told silent on

# Members of one node in the array "members": gather GANG MIN COUNT. Those that
# depend on one job become eligible at the same moment.
gather()
{
	gang_of_nodes $1 $3 --gang-min-member=$2 --gang-total-number=$3 \
		"${@:4}" $1.sh
}

node_of() { squeue -h -j $1 -o %N; }

test_expect_success 'a gang of three is held' '
	gate_close &&
	gather told 3 3 &&
	wait_for 20 all_in CONFIGURING ${members[@]} &&
	lost=${members[1]} &&
	node=$(node_of $lost) &&
	test -n "$node"
'
test_expect_success '0.2 2.13 a node is lost and all are in the queue again' '
	slurm_kill_node $node &&
	scontrol update NodeName=$node State=DOWN Reason=test &&
	wait_for 10 all_in PENDING ${members[@]} &&
	wait_for 10 "test \$(nodes_in idle) = 4" &&
	test "$(starts_of told)" = 0 &&
	gang_log root/told "held member $lost is lost" &&
	gang_log root/told "2 of 3 members are held and cannot start: rolled back"
'
test_expect_success '0.53 all start on other nodes, without the two minutes of a requeue' '
	gate_open &&
	start_together 30 ${members[@]} &&
	for id in ${members[@]}; do
		test "$(node_of $id)" != $node || return 1
	done
'
test_expect_success '0.2 none of them ran twice' '
	let_end told ${members[@]} &&
	ran_once told 3 &&
	test "$(restarts_of ${members[0]} ${members[2]})" = 0
'
test_expect_success 'the node comes back' '
	slurm_start_node $node &&
	node_returns $node &&
	wait_for 20 nodes_idle
'

test_expect_success 'slurmctld finds out by itself: all are in the queue again' '
	gate_close &&
	gather silent 4 4 &&
	wait_for 20 all_in CONFIGURING ${members[@]} &&
	node=$(node_of ${members[3]}) &&
	slurm_kill_node $node &&
	wait_for 60 all_in PENDING ${members[@]} &&
	test "$(starts_of silent)" = 0
'
test_expect_success '0.2 they start on the others' '
	gate_open &&
	start_together 30 ${members[@]} &&
	let_end silent ${members[@]} &&
	ran_once silent 4 &&
	slurm_start_node $node &&
	wait_for 20 nodes_idle
'

test_expect_success 'a gang of five with a minimum of two is held' '
	gate_close &&
	gun=$(submit --hold) &&
	gather on 2 5 --dependency=afterany:$gun &&
	scancel $gun &&
	wait_for 20 all_in CONFIGURING ${members[@]} &&
	lost=${members[0]} &&
	node=$(node_of $lost) &&
	slurm_kill_node $node &&
	scontrol update NodeName=$node State=DOWN Reason=test
'
test_expect_success '2.13 enough are left: they go on' '
	wait_for 10 gang_log root/on "held member $lost is lost" &&
	gate_open &&
	start_together 20 ${members[@]:1}
'
test_expect_success '0.11 the lost one starts later by itself' '
	all_in PENDING $lost &&
	slurm_start_node $node &&
	node_returns $node &&
	wait_state $lost RUNNING 30 &&
	let_end on ${members[@]} &&
	ran_once on 5
'

last_case
