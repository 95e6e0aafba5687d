#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0330-incomplete.t - a gang that is not complete is in nobody's way

test_description='An incomplete gang waits beside the queue, not in it'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cluster -n 4 -c 2 --gang

# A member of gang $1 of four with the options that follow. Each needs a node.
member()
{
	local name=$1

	submit -N 1 --exclusive --gang=$name --gang-min-member=4 "${@:2}" $name.sh
}

# A job that comes later, of lower priority, for the whole cluster: if the gang
# were in the queue, it would have to wait behind it.
others_start_at_once()
{
	local id

	id=$(submit -N 4 --exclusive --nice=1000 --wrap=true) &&
		wait_state $id COMPLETED 8 &&
		wait_for 5 nodes_idle
}

# The gang of four in "members" starts and is ended.
runs_whole()
{
	start_together 15 ${members[@]} &&
		touch $1.go &&
		wait_for 10 all_in COMPLETED ${members[@]} &&
		ran_once $1 4 &&
		wait_for 10 nodes_idle
}

for name in three held begin depend; do
	gang_script $name
done

test_expect_success '0.43 0.25 squeue tells that one of four is missing' '
	members=($(member three) $(member three) $(member three)) &&
	for id in ${members[@]}; do
		wait_for 10 squeue_says $id \
			"Gang root/three gathering 3/4 members" || return 1
	done &&
	test "$(gang_phase root/three)" = gathering &&
	test "$(gang_record ${members[0]} attempts)" = 0
'
test_expect_success '4.5 jobs behind it start at once on what it could use' '
	others_start_at_once &&
	others_start_at_once &&
	all_in PENDING ${members[@]}
'
test_expect_success '0.43 their priority is their own' '
	for id in ${members[@]}; do
		test "$(job_field $id Priority)" -gt 1000 || return 1
	done
'
test_expect_success '0.43 3.37 it starts when the fourth arrives' '
	members+=($(member three)) &&
	runs_whole three
'
test_expect_success '0.43 a member that the user holds does not count' '
	members=($(member held) $(member held) $(member held)
		$(member held --hold)) &&
	wait_for 10 squeue_says ${members[0]} \
		"Gang root/held waits for 1 of 4 members to be eligible" &&
	squeue_says ${members[3]} JobHeldUser
'
test_expect_success '4.5 nor is this gang in the way' '
	others_start_at_once &&
	all_in PENDING ${members[@]}
'
test_expect_success '0.43 released, it makes the gang start' '
	scontrol release ${members[3]} &&
	runs_whole held
'
test_expect_success '0.43 nor one that begins later' '
	members=($(member begin) $(member begin) $(member begin)
		$(member begin --begin=now+1hour)) &&
	wait_for 10 squeue_says ${members[0]} \
		"Gang root/begin waits for 1 of 4 members to be eligible" &&
	squeue_says ${members[3]} BeginTime &&
	others_start_at_once &&
	scontrol update JobId=${members[3]} StartTime=now &&
	runs_whole begin
'
test_expect_success '0.43 nor one that waits for another job' '
	first=$(submit -n 1 --hold --wrap=true) &&
	members=($(member depend) $(member depend) $(member depend)
		$(member depend --dependency=afterok:$first)) &&
	wait_for 10 squeue_says ${members[0]} \
		"Gang root/depend waits for 1 of 4 members to be eligible" &&
	squeue_says ${members[3]} Dependency &&
	others_start_at_once &&
	scontrol release $first &&
	runs_whole depend
'
test_expect_success '0.43 a member on hold again takes the gang out' '
	members=($(member held --nice=7) $(member held) $(member held)) &&
	wait_for 10 squeue_says ${members[0]} "gathering 3/4" &&
	scontrol uhold ${members[0]} &&
	wait_for 10 squeue_says ${members[0]} JobHeld &&
	members+=($(member held)) &&
	wait_for 10 squeue_says ${members[1]} \
		"Gang root/held waits for 1 of 4 members to be eligible" &&
	all_in PENDING ${members[@]} &&
	scancel ${members[@]} &&
	all_in CANCELLED ${members[@]}
'
last_case
