#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0541-whose-word.t - what one user says in a gang that several share ends,
# requeues or holds no job of another
#
# $alice and $bob meet in the namespace of account proj.

test_description="Nobody's words end another's jobs"

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang
users_setup
slurm_start

in_proj="--account=proj --gang=proj/joint"

# Both users have members that run: one alice's, two bob's.
# share [OPTION of alice's...] -- [OPTION of bob's...]
share()
{
	local hers=()

	while test "$1" != --; do
		hers+=("$1")
		shift
	done
	shift
	one=$(submit_as $alice $in_proj --gang-min-member=2 "${hers[@]}") &&
	two=$(submit_as $bob $in_proj "$@") &&
	wait_for 15 all_in RUNNING $one $two
}

# A late member of that user's fails, and a pass has seen it: fails USER OPTION...
fails()
{
	local user=$1

	shift
	late=$(submit_as $user $in_proj "$@" --wrap="exit 1") &&
	wait_state $late FAILED &&
	wait_for 10 "test \"\$(gang_record $late phase)\" = failed ||
		test \"\$(gang_record $late phase)\" = finished" &&
	mark=$(submit_as $bob --gang=mark --gang-min-member=1 --wrap=true) &&
	wait_state $mark COMPLETED
}

cleared()
{
	scancel -u $alice && scancel -u $bob &&
	wait_for 15 queue_empty && wait_for 15 nodes_idle
}

test_expect_success '3.36 a late member with kill ends nobody else'\''s jobs' '
	share -- &&
	fails $bob --gang-on-failure=kill &&
	all_in RUNNING $one
'
test_expect_success '3.36 nor its own user'\''s, which had started before' '
	all_in RUNNING $two && cleared
'
test_expect_success '3.36 who says kill from the start ends his own alone' '
	share -- --gang-on-failure=kill &&
	test "$(gang_record $one onfailure)" = ignore &&
	test "$(gang_record $two onfailure)" = kill &&
	fails $bob &&
	wait_for 15 all_in CANCELLED $two &&
	all_in RUNNING $one && cleared
'
test_expect_success '3.36 and so when it is another'\''s member that is lost' '
	share --gang-on-failure=kill -- &&
	fails $bob &&
	wait_for 15 all_in CANCELLED $one &&
	all_in RUNNING $two && cleared
'
test_expect_success '3.36 3.2 requeue too counts for its own user' '
	share -- --gang-on-failure=requeue &&
	fails $alice &&
	wait_for 15 "test \$(restarts_of $two) = 1" &&
	all_in RUNNING $one &&
	test $(restarts_of $one) = 0 && cleared
'
test_expect_success '3.36 a definition of another user ends nothing' '
	as $bob "$sgang" create --account proj proj/joint --min-member 2 \
		--on-failure kill >out &&
	share -- &&
	fails $bob &&
	wait_for 15 all_in CANCELLED $two &&
	all_in RUNNING $one && cleared
'
test_expect_success '3.36 one of an operator does, for all' '
	"$sgang" create --account proj proj/joint --min-member 2 \
		--on-failure kill >out &&
	share -- &&
	fails $bob &&
	wait_for 15 all_in CANCELLED $one $two &&
	scancel -u root && cleared
'
test_expect_success '3.36 so does gang.conf' '
	echo "GangName=proj/joint MinMember=2 OnFailure=kill" \
		>>"$slurm_dir/etc/gang.conf" &&
	scontrol reconfigure &&
	share -- &&
	fails $bob &&
	wait_for 15 all_in CANCELLED $one $two &&
	cleared
'
sed -i '/^GangName/d' "$slurm_dir/etc/gang.conf"
test_expect_success '3.36 a definition that comes late changes nothing' '
	scontrol reconfigure &&
	share -- &&
	"$sgang" create --account proj proj/joint --min-member 2 \
		--on-failure kill >out &&
	fails $bob &&
	all_in RUNNING $one $two &&
	scancel -u root && cleared
'

whole="-N 1 --exclusive $in_proj"

test_expect_success '0.13 0.28 a short waiting time stops nobody else'\''s jobs' '
	other=$(submit_as $bob -N 3 --exclusive) &&
	wait_state $other RUNNING &&
	one=$(submit_as $alice $whole --gang-min-member=2 \
		--gang-mode=nonstrict) &&
	two=$(submit_as $bob $whole --gang-waiting-time=0:02) &&
	wait_for 15 "test \$(held_in $one $two) = 1" &&
	since=$(date +%s) &&
	wait_for 15 "test \$(date +%s) -gt $((since + 5))" &&
	test "$(held_in $one $two)" = 1 &&
	! squeue_says $one GangTimeout && ! squeue_says $two GangTimeout &&
	cleared
'
test_expect_success '0.13 0.28 what all of them say counts' '
	other=$(submit_as $bob -N 3 --exclusive) &&
	wait_state $other RUNNING &&
	one=$(submit_as $alice $whole --gang-min-member=2 \
		--gang-mode=nonstrict --gang-waiting-time=0:02) &&
	two=$(submit_as $bob $whole --gang-waiting-time=0:02) &&
	wait_for 20 squeue_says $one GangTimeout &&
	wait_for 10 squeue_says $two GangTimeout && cleared
'

test_expect_success 'nothing is left' 'nothing_left'

test_done
