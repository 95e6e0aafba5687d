#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0356-max-restarts.t - a gang that runs with fewer members than its minimum; one that
# fails again and again, and what is said then

test_description='--gang-on-stale, --gang-max-restarts, and sgang explain of failures'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang --conf KillWait=2
users_setup
slurm_start
in_proj="--account=proj --gang=proj/joint"

# --- fewer members than the minimum ---

# Three members run: gather GANG OPTION...
gather()
{
	gang_of_nodes $1 3 "${@:2}" && wait_for 15 all_in RUNNING ${members[@]}
}

has_clock() { test "$(gang_record $1 stale)" -gt 0; }

test_expect_success '6.10, 2.23, 2.25: kill: too few run for too long' '
	gather kill --gang-on-stale=kill --gang-stale-grace=0:04 &&
	drop ${members[0]} &&
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
	id=$(run_job -N 1 --exclusive --gang=late --wrap="sleep 300") &&
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
	mark=$(complete_job -N 1 --wrap="sleep 3") &&
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
	mark=$(complete_job -N 1 --wrap="sleep 2") &&
	all_in RUNNING $one && scancel $one
'
test_expect_success 'without the option nothing is done, and nothing written' '
	gather plain && drop ${members[0]} &&
	mark=$(complete_job -N 1 --wrap="sleep 2") &&
	all_in RUNNING ${members[1]} ${members[2]} &&
	test -z "$(gang_record ${members[1]} stale)" &&
	test -z "$(gang_record ${members[1]} done)"
'
test_expect_success 'nothing is left so far' 'leave_nothing'

# --- restarts ---

# One that runs until there is FILE, and then does what it says.
until_file()
{
	echo "until test -e '$PWD/$1'; do sleep 0.1; done; . '$PWD/$1'"
}

# Two members, of which the first fails when told: pair GANG OPTION...
pair()
{
	local gang=$1

	shift
	set -- -N 1 --exclusive --gang=$gang --gang-min-member=2 "$@"
	members=($(submit "$@" --wrap="$(until_file $gang.cmd)") \
		$(submit "$@" --wrap="sleep 300")) &&
		wait_for 15 all_in RUNNING ${members[@]}
}

# What the running first member does: does GANG COMMAND
does() { echo "rm '$PWD/$1.cmd'; $2" >$1.new && mv $1.new $1.cmd; }

again()
{
	wait_for 15 'test "$(job_field ${members[1]} Restarts)" = '$1 &&
		wait_for 40 all_in RUNNING ${members[@]}
}

ended() { wait_for 15 none_in "PENDING|RUNNING|COMPLETING" "$@"; }

explained()
{
	"$sgang" explain "$@" >out 2>err && test_must_be_empty err && cat out
}

test_expect_success '6.13 requeued as often as it says' '
	pair train --gang-on-failure=requeue --gang-max-restarts=2 &&
	test "$(gang_record ${members[1]} maxrestarts)" = 2 &&
	does train "exit 1" && again 1
'
test_expect_success '6.13 over a restart of slurmctld, then its members are ended' '
	slurm_saved ${members[1]} && slurm_kill9_ctld && slurm_start_ctld &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	does train "exit 1" && again 2 &&
	node=$(job_field ${members[0]} NodeList) &&
	does train "exit 3" && ended ${members[@]} &&
	test "$(restarts_of ${members[@]})" = 4
'
test_expect_success '6.13 the reason says why' '
	why="Gang root/train ended: job ${members[0]} was lost, restarts 2 of 2" &&
	wait_for 10 "test \"\$(squeue -h -t all -j ${members[1]} -o %r)\" = \"$why\"" &&
	test "$(squeue -h -t all -j ${members[0]} -o %r)" = "$why"
'
test_expect_success '6.13 6.14 explain names member, exit code, node, restarts' '
	explained train &&
	grep "Phase=Failed" out &&
	grep "OnFailure=requeue Restarts=2 MaxRestarts=2" out &&
	grep "Failed=${members[0]} MemberRank=0 State=FAILED ExitCode=3 Signal=0 NodeList=$node Restarts=2 " out &&
	test $(grep -c " Failed=" out) = 1 &&
	"$sgang" explain train --json >json &&
	grep "\"failed\":{\"on_failure\":\"requeue\",\"restarts\":2,\"max_restarts\":2," json &&
	grep "\"exit_code\":3,\"signal\":0" json
'
test_expect_success '6.13 a signal' '
	pair killed --gang-on-failure=kill &&
	does killed "kill -9 \$\$" && ended ${members[@]} &&
	explained killed &&
	grep "Failed=${members[0]} .*State=FAILED ExitCode=0 Signal=9" out &&
	test $(grep -c " Failed=" out) = 1
'
test_expect_success '6.14 sgang list says Failed where all members failed' '
	set -- -N 1 --exclusive --gang=all --gang-min-member=2 &&
	one=$(submit "$@" --wrap="exit 4") &&
	two=$(submit "$@" --wrap="exit 5") &&
	ended $one $two &&
	wait_for 10 "\"$sgang\" list -h -o %n -t failed | grep -x \"all *\"" &&
	test "$("$sgang" list -h -o %T -t failed | sort -u)" = Failed &&
	explained all &&
	grep "Failed=$one .*ExitCode=4" out && grep "Failed=$two .*ExitCode=5" out
'
test_expect_success '6.14 and also where one completed' '
	set -- -N 1 --exclusive --gang=some --gang-min-member=2 &&
	one=$(submit "$@" --wrap="exit 4") &&
	two=$(submit "$@" --wrap=true) &&
	ended $one $two &&
	wait_for 10 "\"$sgang\" list -h -o %n -t failed | grep -x \"some *\"" &&
	explained some && grep "Failed=$one .*ExitCode=4" out &&
	test $(grep -c " Failed=" out) = 1
'
test_expect_success '6.13 what one user says ends no job of another' '
	one=$(submit_as $alice -N 1 $in_proj --gang-min-member=2 \
		--gang-on-failure=requeue --wrap="sleep 300") &&
	two=$(submit_as $bob -N 1 $in_proj --gang-on-failure=requeue \
		--gang-max-restarts=1 --wrap="sleep 2; exit 1") &&
	wait_for 30 "test \$(restarts_of $one $two) = 2" &&
	wait_for 15 all_in PENDING $one $two &&
	begins_now $one $two && wait_state $two FAILED 40 &&
	wait_for 15 all_in PENDING $one &&
	test "$(job_field $one Restarts)" = 2 &&
	test "$(squeue -h -t all -j $two -o %r)" = \
		"Gang proj/joint ended: job $two was lost, restarts 1 of 1" &&
	test "$(gang_record $one phase)" = gathering &&
	scancel $one
'
test_expect_success '6.13 nonsense is refused' '
	! submit -N 1 --gang=x --gang-max-restarts=0 2>err &&
	grep "max-restarts=0: expected a number from 1" err
'

last_case 'leave_nothing'
