#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0359-on-success.t - a gang that is done before all of its members are

test_description='--gang-on-success'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang --conf KillWait=3
users_setup
slurm_start
in_proj="--account=proj --gang=proj/joint"

# A member that serves the others: SIGTERM is written down, and ends it or not.
cat >serves.sh <<-'EOF'
	#!/bin/bash
	cd "$SLURM_SUBMIT_DIR"
	trap "date +%s >>term.$SLURM_JOB_ID; test -e stubborn || exit 0" TERM
	while :; do read -rt 0.1 <> <(:) || :; done
EOF
# ... and one that completes when it is told to.
cat >completes.sh <<-'EOF'
	#!/bin/bash
	cd "$SLURM_SUBMIT_DIR"
	until test -e done.$SLURM_JOB_ID; do read -rt 0.1 <> <(:) || :; done
EOF
chmod 755 serves.sh completes.sh

# gather GANG SCRIPT,SCRIPT,... OPTION...: they run
gather()
{
	local gang=$1 scripts=(${2//,/ }) script

	shift 2
	members=()
	for script in ${scripts[@]}; do
		members+=($(submit -N 1 --exclusive --gang=$gang \
			--gang-min-member=${#scripts[@]} "$@" \
			"$PWD/$script.sh")) || return 1
	done
	wait_for 15 all_in RUNNING ${members[@]} &&
		wait_for 5 has_rank ${members[@]}
}
has_rank()
{
	local id

	for id; do
		gang_record $id rank | grep -q / || return 1
	done
}

says_done()
{
	local text=$1 id

	for id in "${@:2}"; do
		squeue -h -t all -j $id -o %r | grep -x "$text" || return 1
	done
}

test_expect_success '6.11 leader: the others get SIGTERM and are done' '
	gather lead completes,serves,serves --gang-on-success=leader &&
	gang_record ${members[0]} rank | grep "^0/" &&
	touch done.${members[0]} &&
	wait_for 15 all_in CANCELLED ${members[@]:1} &&
	all_in COMPLETED ${members[0]} &&
	wait_for 15 nodes_idle &&
	test -s term.${members[1]} && test -s term.${members[2]} &&
	says_done "Gang root/lead is done: its leader, job ${members[0]}, has completed" \
		${members[@]:1} &&
	test "$(gang_record ${members[1]} phase)" = finished &&
	test "$("$sgang" list -h -o %T -t finished)" = Finished
'
test_expect_success '6.11 one that does not end by SIGTERM is killed after KillWait' '
	touch stubborn &&
	gather hard completes,serves --gang-on-success=leader &&
	touch done.${members[0]} &&
	wait_for 15 all_in CANCELLED ${members[1]} &&
	wait_for 5 test -s term.${members[1]} &&
	wait_for 15 nodes_idle && rm stubborn
'
test_expect_success '6.11 another member that completes is not the leader, nor one that fails' '
	gather wait completes,completes,serves,serves --gang-on-success=leader &&
	touch done.${members[1]} && wait_state ${members[1]} COMPLETED &&
	scancel ${members[2]} && wait_state ${members[2]} CANCELLED &&
	mark=$(submit -N 1 --wrap=true) && wait_state $mark COMPLETED &&
	all_in RUNNING ${members[0]} ${members[3]} &&
	touch done.${members[0]} && wait_for 15 all_in CANCELLED ${members[3]} &&
	wait_for 15 nodes_idle
'
test_expect_success '6.11 N members' '
	gather two completes,completes,serves,serves --gang-on-success=2 &&
	touch done.${members[1]} && wait_state ${members[1]} COMPLETED &&
	mark=$(submit -N 1 --wrap=true) && wait_state $mark COMPLETED &&
	all_in RUNNING ${members[0]} ${members[@]:2} &&
	touch done.${members[0]} &&
	wait_for 15 all_in CANCELLED ${members[@]:2} &&
	says_done "Gang root/two is done: 2 of its members have completed" \
		${members[@]:2} &&
	wait_for 15 nodes_idle
'
test_expect_success '6.11 it is no loss: nothing is requeued or replaced' '
	for policy in requeue replace kill; do
		gather $policy completes,serves,serves --gang-on-success=leader \
			--gang-on-failure=$policy &&
		touch done.${members[0]} &&
		wait_for 15 all_in CANCELLED ${members[@]:1} &&
		wait_for 15 nodes_idle || return 1
		mark=$(submit -N 4 --wrap=true) && wait_state $mark COMPLETED &&
		all_in CANCELLED ${members[@]:1} &&
		test "$(restarts_of ${members[@]})" = 0 || return 1
	done
'
test_expect_success '6.11 spares and those that wait end too' '
	gather more completes,serves --gang-on-success=leader --gang-spares=1 &&
	spare=$(run_job -N 1 --exclusive --gang=more "$PWD/serves.sh") &&
	waits=$(submit -N 4 --exclusive --gang=more "$PWD/serves.sh") &&
	wait_for 10 "test -n \"\$(gang_record $waits phase)\"" &&
	touch done.${members[0]} &&
	wait_for 15 all_in CANCELLED ${members[1]} $spare $waits &&
	wait_for 15 nodes_idle
'
test_expect_success '6.11 the next gang of that name is another' '
	gather more completes,serves --gang-on-success=leader &&
	mark=$(submit -N 2 --exclusive --wrap=true) &&
	wait_state $mark COMPLETED && all_in RUNNING ${members[@]} &&
	scancel ${members[@]} && wait_for 15 nodes_idle
'
test_expect_success '6.11 slurmctld dies as the leader completes' '
	gather dies completes,serves,serves --gang-on-success=leader &&
	slurm_saved ${members[0]} && slurm_kill9_ctld &&
	touch done.${members[0]} && slurm_start_ctld &&
	wait_for 60 all_in COMPLETED ${members[0]} &&
	wait_for 30 all_in CANCELLED ${members[@]:1} &&
	wait_for 15 nodes_idle
'
test_expect_success '6.11 ... and when one of two has, and is saved' '
	gather dies2 completes,completes,serves --gang-on-success=2 &&
	touch done.${members[0]} && wait_state ${members[0]} COMPLETED &&
	wait_for 5 "test \"\$(gang_record ${members[2]} done)\" = 1" &&
	slurm_saved ${members[2]} && slurm_kill9_ctld && slurm_start_ctld &&
	wait_for 20 all_in RUNNING ${members[@]:1} &&
	mark=$(submit -N 1 --exclusive --wrap=true) &&
	wait_state $mark COMPLETED && all_in RUNNING ${members[@]:1} &&
	touch done.${members[1]} &&
	wait_for 15 all_in CANCELLED ${members[2]} && wait_for 15 nodes_idle
'
test_expect_success '6.11 what one user says ends no job of another' '
	one=$(submit_as $alice -N 1 --exclusive $in_proj --gang-min-member=3 \
		--wrap="until test -e \"$slurm_dir/out/own.done\"; do sleep 0.1; done") &&
	two=$(submit_as $bob -N 1 --exclusive $in_proj \
		--gang-on-success=leader --wrap="sleep 300") &&
	three=$(submit_as $alice -N 1 --exclusive $in_proj \
		--wrap="sleep 300") &&
	wait_for 15 all_in RUNNING $one $two $three &&
	touch "$slurm_dir/out/own.done" && wait_state $one COMPLETED &&
	wait_for 15 all_in CANCELLED $two &&
	mark=$(submit -N 1 --exclusive --wrap=true) &&
	wait_state $mark COMPLETED && all_in RUNNING $three &&
	scancel $three && wait_for 15 nodes_idle
'
test_expect_success '6.11 what is no number of members is refused' '
	test_must_fail sbatch --gang=bad --gang-on-success=most --wrap=true 2>err &&
	grep "expected leader, all or a number of members" err &&
	test_must_fail sbatch --gang=bad --gang-on-success=0 --wrap=true
'

last_case '
	squeue -h -o %A | xargs -r scancel && nothing_left
'
