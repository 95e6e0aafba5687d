#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0358-stale.t - a gang that runs with fewer members than its minimum

test_description='--gang-on-stale and --gang-stale-grace'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang --conf KillWait=2
users_setup
slurm_start
in_proj="--account=proj --gang=proj/joint"

# Three members run: gather GANG OPTION...
gather()
{
	local gang=$1 i

	shift
	members=()
	for i in 1 2 3; do
		members+=($(submit -N 1 --exclusive --gang=$gang \
			--gang-min-member=3 "$@" --wrap="sleep 300")) ||
			return 1
	done
	wait_for 15 all_in RUNNING ${members[@]}
}

has_clock()
{
	test "$(gang_record $1 stale)" -gt 0
}

test_expect_success '6.10, 2.23, 2.25: kill: too few run for too long' '
	gather kill --gang-on-stale=kill --gang-stale-grace=0:04 &&
	scancel ${members[0]} && wait_state ${members[0]} CANCELLED &&
	wait_for 5 has_clock ${members[1]} &&
	all_in RUNNING ${members[1]} ${members[2]} &&
	wait_for 20 all_in CANCELLED ${members[1]} ${members[2]} &&
	grep "Gang root/kill is stale: running 2 of 3 for [4-9] s" \
		"$slurm_dir/log/slurmctld.log" &&
	squeue -h -t all -j ${members[1]} -o %r |
		grep "^Gang root/kill is stale: running 2 of 3 for [4-9] s\$" &&
	test "$("$sgang" list -h -o %T -t failed)" = Failed
'
test_expect_success '6.10 requeue: they gather, and start with another' '
	gather again --gang-on-stale=requeue --gang-stale-grace=0:02 &&
	scancel ${members[0]} &&
	wait_for 20 all_in PENDING ${members[1]} ${members[2]} &&
	begins_now ${members[1]} ${members[2]} &&
	wait_for 15 squeue_says ${members[1]} "gathering 2/3" &&
	members[0]=$(submit -N 1 --exclusive --gang=again --wrap="sleep 300") &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	started_together ${members[1]} ${members[2]} ${members[0]} &&
	test "$(restarts_of ${members[1]} ${members[2]})" = 2 &&
	scancel ${members[@]} && wait_for 15 nodes_idle
'
test_expect_success '6.10 a restart of slurmctld does not wind the clock up' '
	gather late --gang-on-stale=kill --gang-stale-grace=0:15 &&
	scancel ${members[0]} && wait_for 5 has_clock ${members[1]} &&
	since=$(gang_record ${members[1]} stale) &&
	"$sgang" explain late >why &&
	grep " Stale=2/3 Completed=0 Since=20.* OnStale=kill Ends=20" why &&
	slurm_saved ${members[1]} && slurm_kill9_ctld && slurm_start_ctld &&
	wait_for 20 all_in RUNNING ${members[1]} ${members[2]} &&
	test "$(gang_record ${members[1]} stale)" = $since
'
test_expect_success '6.10, 2.24: another in time ends it' '
	id=$(submit -N 1 --exclusive --gang=late --wrap="sleep 300") &&
	wait_state $id RUNNING &&
	wait_for 5 "test -z \"\$(gang_record ${members[1]} stale)\"" &&
	scancel $id ${members[@]:1} && wait_for 15 nodes_idle
'
test_expect_success '6.10 who has completed counts as there, over a restart too' '
	set -- -N 1 --exclusive --gang=ends --gang-min-member=3 \
		--gang-on-stale=kill --gang-stale-grace=0:01 &&
	one=$(submit "$@" --wrap=true) &&
	two=$(submit "$@" --wrap="sleep 300") &&
	three=$(submit "$@" --wrap="sleep 300") &&
	wait_state $one COMPLETED && wait_for 5 "test \"\$(gang_record $two done)\" = 1" &&
	slurm_saved $two && slurm_kill9_ctld && slurm_start_ctld &&
	wait_for 20 all_in RUNNING $two $three &&
	mark=$(submit -N 1 --wrap="sleep 3") && wait_state $mark COMPLETED &&
	all_in RUNNING $two $three &&
	test "$(gang_record $two done)" = 1 &&
	test -z "$(gang_record $two stale)" &&
	scancel $two $three && wait_for 15 nodes_idle
'
test_expect_success '6.10 what one user says ends no job of another' '
	set -- -N 1 --exclusive $in_proj &&
	one=$(submit_as $alice "$@" --gang-min-member=3 --wrap="sleep 300") &&
	two=$(submit_as $bob "$@" --gang-on-stale=kill \
		--gang-stale-grace=0:01 --wrap="sleep 300") &&
	three=$(submit_as $bob "$@" --wrap="sleep 300") &&
	wait_for 15 all_in RUNNING $one $two $three &&
	scancel $three && wait_state $two CANCELLED &&
	mark=$(submit -N 1 --wrap="sleep 2") && wait_state $mark COMPLETED &&
	all_in RUNNING $one && scancel $one
'
test_expect_success 'without the option nothing is done, and nothing written' '
	gather plain && scancel ${members[0]} &&
	wait_state ${members[0]} CANCELLED &&
	mark=$(submit -N 1 --wrap="sleep 2") && wait_state $mark COMPLETED &&
	all_in RUNNING ${members[1]} ${members[2]} &&
	test -z "$(gang_record ${members[1]} stale)" &&
	test -z "$(gang_record ${members[1]} done)"
'

test_expect_success 'nothing is left' '
	squeue -h -o %A | xargs -r scancel && nothing_left
'

test_done
