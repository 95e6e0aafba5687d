#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0350-later-members.t - once a gang has started, members are ordinary jobs

test_description='Members after the start, a requeue, the name used again'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang
slurm_start

member()
{
	submit -N 1 --exclusive --gang=late --gang-min-member=3 \
		--gang-total-number=3 "$@"
}

# Slurm lets a requeued job begin two minutes later, so that no slurmd takes it
# for the one that was killed; a few seconds are enough for that.
gang_script first
gang_script again

test_expect_success '0.1 three members start together' '
	members=($(member first.sh) $(member first.sh) $(member first.sh)) &&
	wait_for 15 all_in RUNNING ${members[@]} &&
	started_together ${members[@]} &&
	test "$(gang_phase root/late)" = running &&
	test "$(gang_record ${members[0]} satisfied)" = 1
'
test_expect_success '0.11 1.15 a fourth starts alone' '
	fourth=$(member first.sh) &&
	wait_state $fourth RUNNING &&
	wait_for 10 "test \$(starts_of first $fourth) = 1"
'
test_expect_success '0.11 a fifth waits as an ordinary job' '
	fifth=$(member --nice=100 first.sh) &&
	wait_for 10 squeue_says $fifth Resources &&
	small=$(submit -n 1 --wrap=true) &&
	all_in PENDING $fifth $small
'
test_expect_success '0.11 it starts when one node is free' '
	scancel $small $fourth &&
	wait_state $fifth RUNNING
'
test_expect_success '0.11 a requeued member starts alone' '
	wait_for 10 "test \$(starts_of first ${members[1]}) = 1" &&
	scontrol requeue ${members[1]} &&
	wait_for 15 squeue_says ${members[1]} BeginTime &&
	test "$(restarts_of ${members[1]})" = 1 &&
	scontrol update JobId=${members[1]} StartTime=now+3 &&
	wait_state ${members[1]} RUNNING 20 &&
	wait_for 10 "test \$(starts_of first ${members[1]}) = 2" &&
	all_in RUNNING ${members[0]} ${members[2]} $fifth &&
	test "$(restarts_of ${members[0]} ${members[2]} $fifth)" = 0
'
test_expect_success '0.38 it is still the gang that has started' '
	for id in ${members[@]} $fifth; do
		test "$(gang_record $id satisfied)" = 1 || return 1
	done &&
	test "$(gang_phase root/late)" = running
'
test_expect_success '1.35 all end' '
	touch first.go &&
	wait_for 15 all_in COMPLETED ${members[@]} $fifth &&
	wait_for 10 gang_log root/late finished
'
test_expect_success '1.52 the name is free: a new gang gathers afresh' '
	members=($(member again.sh) $(member again.sh)) &&
	wait_for 10 squeue_says ${members[0]} \
		"Gang root/late gathering 2/3 members" &&
	other=$(submit -N 4 --exclusive --wrap=true) &&
	wait_state $other COMPLETED &&
	all_in PENDING ${members[@]} &&
	test "$(gang_record ${members[0]} satisfied)" = 0
'
test_expect_success '1.52 and starts as a whole' '
	members+=($(member again.sh)) &&
	wait_for 15 all_in RUNNING ${members[@]} &&
	started_together ${members[@]} &&
	touch again.go &&
	wait_for 15 all_in COMPLETED ${members[@]} &&
	ran_once again 3
'

# The node of each task is known before Slurm starts it and splits it off.
tasks_on() { squeue -h -r -t R -n "$1" -o %N | sort | xargs; }
waits() { test "$(squeue -h -r -t PD -n "$1" -o x | wc -l)" = 1; }

test_expect_success '0.11 the rest of an array goes where no task has been' '
	other=$(submit -w n4 --exclusive) &&
	wait_state $other RUNNING &&
	submit -J rest --array=1-4 -N 1 --exclusive --gang=rest \
		--gang-min-member=3 &&
	wait_for 15 "test \"\$(tasks_on rest)\" = \"n1 n2 n3\"" &&
	waits rest &&
	scancel $other &&
	wait_for 15 "test \"\$(tasks_on rest)\" = \"n1 n2 n3 n4\"" &&
	scancel -n rest
'
test_expect_success '0.11 and not where its user forbids it' '
	wait_for 15 nodes_idle &&
	other=$(submit -w n4 --exclusive) &&
	wait_state $other RUNNING &&
	submit -J rest --array=1-3 -N 1 --exclusive --exclude=n1 \
		--gang=rest --gang-min-member=2 &&
	wait_for 15 "test \"\$(tasks_on rest)\" = \"n2 n3\"" &&
	waits rest &&
	scancel $other &&
	wait_for 15 "test \"\$(tasks_on rest)\" = \"n2 n3 n4\"" &&
	scancel -n rest
'
test_expect_success 'nothing is left' 'nothing_left'

test_done
