#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0310-two-gangs.t - gangs that each need the whole cluster do not share it; and once
# a gang has started, members are ordinary jobs

test_description='Several gangs that each need all nodes; members after the start'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cluster -n 4 -c 2 --gang

# Gangs of four that need four nodes each, submitted member by member in turn.
# The third argument is the nice value of a member: $g its gang's number, $i its
# own. The ids of gang G are in the file LOG.G.
interleave()
{
	local log=$1 gangs=$2 nice=$3 g i

	for i in 1 2 3 4; do
		for ((g = 1; g <= gangs; g++)); do
			submit -N 1 --exclusive --nice=$((nice)) \
				--gang=$log-$g --gang-min-member=4 $log.sh \
				>>$log.$g || return 1
		done
	done
}

# The number of the gang that has four members running while no other has any.
who_runs()
{
	local log=$1 gangs=$2 g whole=

	for ((g = 1; g <= gangs; g++)); do
		if all_in RUNNING $(cat $log.$g); then
			test -z "$whole" || return 1
			whole=$g
		else
			none_in RUNNING $(cat $log.$g) || return 1
		fi
	done
	test -n "$whole" && echo $whole
}

# Whichever gang runs is ended, until each of them has run.
each_in_its_turn()
{
	local log=$1 gangs=$2 turn g

	for ((turn = 1; turn <= gangs; turn++)); do
		wait_for 20 "who_runs $log $gangs >now" || return 1
		g=$(cat now)
		wait_for 10 "test \$(starts_of $log) = $((4 * turn))" &&
			started_together $(cat $log.$g) &&
			test ! -e $log-$g.go || return 1
		touch $log-$g.go
		wait_for 10 all_in COMPLETED $(cat $log.$g) || return 1
	done
}

# All of them have run by themselves and whole.
all_whole()
{
	local log=$1 gangs=$2

	wait_for 40 all_in COMPLETED $(cat $log.[0-9]) &&
		test "$(restarts_of $(cat $log.[0-9]))" = 0 &&
		ran_once $log $((4 * gangs)) &&
		one_by_one $log 4
}

gang_scripts two three nice quick

test_expect_success '3.3 4.6 of two gangs one runs whole, then the other' '
	interleave two 2 0 &&
	each_in_its_turn two 2 &&
	all_whole two 2
'
test_expect_success '3.3 4.6 of three gangs one after the other' '
	interleave three 3 0 &&
	each_in_its_turn three 3 &&
	all_whole three 3
'
test_expect_success '3.3 priorities that go across the gangs change nothing' '
	interleave nice 3 "100 * ((i + g) % 4) + 10 * g" &&
	each_in_its_turn nice 3 &&
	all_whole nice 3
'
test_expect_success '4.6 gangs of jobs that end at once' '
	touch quick.go &&
	interleave quick 5 "10 * ((i * g) % 5)" &&
	all_whole quick 5
'
test_expect_success 'nothing is left so far' 'nothing_left'

# --- members after the start, a requeue, the name used again ---

member()
{
	submit -N 1 --exclusive --gang=late --gang-min-member=3 \
		--gang-total-number=3 "$@"
}

# Slurm lets a requeued job begin two minutes later, so that no slurmd takes it
# for the one that was killed; a few seconds are enough for that.
gang_scripts first again

test_expect_success '0.1 three members start together' '
	members=($(member first.sh) $(member first.sh) $(member first.sh)) &&
	start_together 15 ${members[@]} &&
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
	let_end first ${members[@]} $fifth &&
	wait_for 10 gang_log root/late finished
'
test_expect_success '1.52 the name is free: a new gang gathers afresh' '
	members=($(member again.sh) $(member again.sh)) &&
	wait_for 10 squeue_says ${members[0]} \
		"Gang root/late gathering 2/3 members" &&
	other=$(complete_job -N 4 --exclusive --wrap=true) &&
	all_in PENDING ${members[@]} &&
	test "$(gang_record ${members[0]} satisfied)" = 0
'
test_expect_success '1.52 and starts as a whole' '
	members+=($(member again.sh)) &&
	start_together 15 ${members[@]} &&
	let_end again ${members[@]} &&
	ran_once again 3
'

# The node of each task is known before Slurm starts it and splits it off.
tasks_on() { squeue -h -r -t R -n "$1" -o %N | sort | xargs; }
waits() { test "$(squeue -h -r -t PD -n "$1" -o x | wc -l)" = 1; }

test_expect_success '0.11 the rest of an array goes where no task has been' '
	other=$(run_job -w n4 --exclusive) &&
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
	other=$(run_job -w n4 --exclusive) &&
	submit -J rest --array=1-3 -N 1 --exclusive --exclude=n1 \
		--gang=rest --gang-min-member=2 &&
	wait_for 15 "test \"\$(tasks_on rest)\" = \"n2 n3\"" &&
	waits rest &&
	scancel $other &&
	wait_for 15 "test \"\$(tasks_on rest)\" = \"n2 n3 n4\"" &&
	scancel -n rest
'
last_case
