#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0372-updates.t - what is changed of a member that waits counts at once

test_description='Updates, deadlines and holds of members'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 6 -c 2 --gang --conf \
'SchedulerParameters=bf_interval=2,sched_interval=2,batch_sched_delay=0,sched_min_interval=0,bf_continue,bf_resolution=60
PartitionName=main Nodes=n[1-4] Default=YES MaxTime=INFINITE State=UP
PartitionName=other Nodes=n[5-6] MaxTime=INFINITE State=UP'
gate_setup
slurm_start

# Two members of gang $1 that ask for the rest.
pair()
{
	local name=$1

	submit_gang $name 2 --exclusive "${@:2}"
}

# Backfill knows when it can start, so it keeps the nodes from a longer job.
expected_after()
{
	local start

	start=$(started_at $1 2>/dev/null) && test -n "$start" &&
		test $start -ge $(ends_at $2)
}

test_expect_success '5.5 a gang waits for nodes, and a job behind it' '
	busy=$(run_job -w n1 --exclusive -t 60) &&
	pair nodes -N 2 &&
	wait_for 20 gang_attempted ${members[0]} 1 &&
	wait_for 20 expected_after ${members[0]} $busy &&
	wait_for 20 expected_after ${members[1]} $busy &&
	behind=$(submit -N 3 --exclusive --nice=1000 -t 120) &&
	wait_for 20 squeue_says ${members[0]} "Gang root/nodes waits: "
'
test_cleared '5.5 with fewer nodes it starts at once, before that job' '
	scontrol update jobid=${members[0]} numnodes=1-1 &&
	start_together 15 ${members[@]} &&
	test "$(job_state $behind)" = PENDING
'
test_cleared '5.5 so does one that is sent to another partition' '
	busy=$(run_job -w n1 --exclusive) &&
	pair parts -N 2 &&
	wait_for 20 gang_attempted ${members[0]} 1 &&
	wait_for 20 squeue_says ${members[0]} "Gang root/parts waits: " &&
	scontrol update jobid=${members[1]} partition=other &&
	start_together 15 ${members[@]}
'
test_cleared '5.5 so does one that may use a node it excluded' '
	pair excluded -N 2 -x n4 &&
	wait_for 20 gang_attempted ${members[0]} 1 &&
	wait_for 20 squeue_says ${members[0]} "Gang root/excluded waits: " &&
	scontrol update jobid=${members[0]} excnodelist= &&
	scontrol update jobid=${members[1]} excnodelist= &&
	start_together 15 ${members[@]}
'
gang_script held

# Two members that have their nodes and wait for PrologSlurmctld.
starting()
{
	gate_close &&
	gang_of_nodes $1 2 held.sh &&
	wait_for 20 all_in CONFIGURING ${members[@]}
}

# The second of them is held, and none has been started.
is_held()
{
	wait_for 10 all_in PENDING ${members[@]} &&
	gate_open &&
	test "$(job_field ${members[1]} Priority)" = 0 &&
	wait_for 10 squeue_says ${members[0]} \
		"waits for 1 of 2 members to be eligible" &&
	wait_for 10 nodes_idle &&
	test "$(starts_of held ${members[0]})" = 0 &&
	test "$(starts_of held ${members[1]})" = 0
}

all_start()
{
	start_together 20 ${members[@]} &&
	test "$(starts_of held ${members[1]})" = 1 &&
	clear_cluster
}

for op in hold uhold requeuehold; do
	test_expect_success "$op takes the nodes of a member before its start" '
		starting $op &&
		scontrol $op ${members[1]} &&
		is_held
	'
	test_expect_success "the gang of $op starts when it is released" '
		scontrol release ${members[1]} &&
		all_start
	'
done
test_expect_success 'scontrol requeue lets both wait for another start' '
	starting requeue &&
	scontrol requeue ${members[1]} &&
	wait_for 10 all_in PENDING ${members[@]} &&
	gate_open &&
	all_start
'
# They would last an hour longer than there is until their deadline.
miss_deadline() { scontrol update JobId=$1 TimeLimit=120; }

test_expect_success 'a member that waits is ended when it misses its deadline' '
	id=$(submit -N 1 -t 1 --deadline=now+1hour --gang=late \
		--gang-min-member=2) &&
	wait_for 10 squeue_says $id "Gang root/late gathering 1/2 members" &&
	miss_deadline $id &&
	wait_state $id DEADLINE
'
test_expect_success 'so is one that holds its node' '
	busy=$(run_job -w n1 --exclusive) &&
	id=$(submit -N 1 -t 1 --deadline=now+1hour --gang=later \
		--gang-min-member=2 --gang-mode=nonstrict) &&
	other=$(submit -N 3 --exclusive --gang=later --gang-min-member=2 \
		--gang-mode=nonstrict) &&
	wait_for 10 all_in CONFIGURING $id &&
	miss_deadline $id &&
	wait_state $id DEADLINE &&
	end_now $busy $other
'
last_case
