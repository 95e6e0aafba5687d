#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0427-slices.t - a commit that pauses, and what happens in between

test_description='A gang that is committed in slices starts whole or not at all'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cluster -n 5 -c 2 --faults --conf 'Licenses=lic:10'
cluster_state >before

# begin NAME [OPTIONS]: three of five members have their nodes.
begin()
{
	slurm_fault
	scancel -u root
	wait_for 30 'queue_empty && nodes_idle' || return 1
	name=$1
	gang_script $name
	slurm_fault pause 3
	gang_of_nodes $name 5 -J $name -L lic:1 "${@:2}" $name.sh && paused
}

paused()
{
	wait_for 30 "test \$(held_in ${members[*]}) = 3" &&
	held=$(held_of ${members[@]}) && held=${held%% *} &&
	waits=$(pending_of ${members[@]}) && waits=${waits##* } &&
	test "$(starts_of $name)" = 0
}

# It gives back what it holds. The next try would pause at the same member.
given_back()
{
	wait_for 30 gang_log root/$name "${1:-and cannot start: rolled back}" &&
	slurm_fault
}

# All run, told of one ring, each with one start.
whole_and_once()
{
	start_together 60 ${members[@]} &&
	wait_for 15 "test \$(starts_of $name) = 5" &&
	touch $name.go &&
	wait_for 40 all_in COMPLETED ${members[@]} &&
	test "$(restarts_of ${members[@]})" = 0 &&
	ran_once $name 5 &&
	wait_for 20 clean
}

clean() { cluster_state >after && test_cmp before after; }

# None of them has anything, and what is left of them goes.
gone()
{
	wait_for 20 clean &&
	test "$(starts_of $name)" = 0 &&
	scancel ${members[@]} &&
	wait_for 20 queue_empty
}

test_expect_success '0.1 0.2 nobody is launched before all have their nodes' '
	begin all &&
	wait_for 10 squeue_says $waits "Gang root/all holding 3/5 members" &&
	test "$(gang_record $held phase)" = holding &&
	slurm_fault &&
	whole_and_once
'
test_expect_success '0.1 the planned nodes are kept from other jobs' '
	begin fence &&
	ordinary=$(submit -N 1 --exclusive --priority=4294967000) &&
	other=$(submit -N 1 --exclusive --gang=other --gang-min-member=1) &&
	test_must_fail srun -Q --immediate=3 -N 1 true &&
	test "$(held_in ${members[@]})" = 3 &&
	all_in PENDING $ordinary $other &&
	slurm_fault &&
	wait_for 60 all_in RUNNING ${members[@]} &&
	scancel $ordinary $other &&
	whole_and_once
'
for one in waits held; do
	test_expect_success "0.2 0.4 a member that $one is cancelled" '
		begin cancel-$one &&
		scancel ${!one} &&
		given_back && gone
	'
done
test_expect_success '0.2 0.4 a member is refused, in the second slice' '
	begin refused &&
	slurm_fault commit 5 &&
	wait_for 20 gang_log root/refused "member 5 of 5 cannot start\
 (injected failure): 4 rolled back, 0 not tried" &&
	wait_for 20 clean &&
	slurm_fault &&
	whole_and_once
'
test_expect_success '0.2 0.4 scontrol hold of a member that waits, and release' '
	begin stopped &&
	scontrol hold $waits &&
	given_back &&
	wait_for 20 clean &&
	scontrol release $waits &&
	whole_and_once
'
test_expect_success '0.2 0.4 a member is updated' '
	begin updated &&
	scontrol update JobId=$waits TimeLimit=7 &&
	given_back &&
	whole_and_once
'
test_expect_success '0.2 0.4 a planned node is drained' '
	begin drained &&
	node=$(sinfo -h -N -t idle -o %N | head -n 1) &&
	scontrol update NodeName=$node State=drain Reason=test &&
	slurm_fault &&
	wait_for 30 gang_log root/drained "rolled back" &&
	wait_for 20 all_in PENDING ${members[@]} &&
	scontrol update NodeName=$node State=resume &&
	whole_and_once
'
test_expect_success '0.12 it waits for nobody: its waiting time does not end' '
	begin long --gang-waiting-time=0:02 &&
	wait_for 20 "test $SECONDS -lt \$((SECONDS - 4))" &&
	test "$(held_in ${members[@]})" = 3 &&
	slurm_fault &&
	whole_and_once
'
# Since 23.11 this is another slurmctld, which finds the nodes held.
gives_back="rolled back"
! slurm_since 23.11 || gives_back="hold of 3 members ended: incomplete"
test_expect_success '0.2 scontrol reconfigure' '
	begin reconfigured &&
	scontrol reconfigure &&
	given_back "$gives_back" &&
	whole_and_once
'
stopped() { slurm_stop_ctld; }
killed() { slurm_saved $held && slurm_kill9_ctld; }

for how in stopped killed; do
	test_expect_success "0.38 slurmctld is $how, with three on the disk" '
		begin ctld-$how &&
		$how &&
		slurm_fault &&
		slurm_start_ctld &&
		wait_for 30 gang_log root/$name \
			"found 3 held members again" &&
		wait_for 30 gang_log root/$name \
			"hold of 3 members ended: incomplete" &&
		whole_and_once
	'
done
last_case
