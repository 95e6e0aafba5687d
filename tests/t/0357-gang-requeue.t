#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0357-gang-requeue.t - sgang requeue requeues all of a gang in one step, or none

test_description='sgang requeue'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang --conf KillWait=2
users_setup
slurm_start
in_proj="--account=proj --gang=proj/joint"

# Three members in the array "members" run: gather GANG OPTION...
gather()
{
	local gang=$1 i

	shift
	members=()
	for i in 1 2 3; do
		members+=($(submit_as $alice -N 1 --exclusive --gang=$gang \
			--gang-min-member=3 "$@" \
			--wrap="${script-sleep 300}")) ||
			return 1
	done
	wait_for 15 all_in RUNNING ${members[@]}
}

says()
{
	local user=$1 text=$2

	shift 2
	as $user "$sgang" "$@" >out 2>err
	test $? = 0 && test_must_be_empty err && echo "$text" | test_cmp - out || {
		cat err >&2
		return 1
	}
}

refuses()
{
	local user=$1 text=$2

	shift 2
	as $user "$sgang" "$@" >out 2>err
	test $? = 1 && test_must_be_empty out && grep -x "sgang: $text" err
}

again()
{
	test "$(restarts_of ${members[@]})" = $1 &&
		wait_for 40 all_in RUNNING ${members[@]} &&
		started_together ${members[@]}
}

for policy in ignore kill requeue; do
	test_expect_success "6.14 $policy: all are requeued and start together" '
		gather $policy --gang-on-failure=$policy &&
		says $alice "requeued $alice/$policy: 3 members" \
			requeue $policy &&
		again 3 &&
		gang_log $alice/$policy "was requeued as a whole" &&
		! gang_log $alice/$policy "is lost" &&
		as $alice "$sgang" cancel $policy && wait_for 15 nodes_idle
	'
done
test_expect_success '6.14 it is held while it waits to begin, and released' '
	script="trap : TERM; while :; do sleep 1; done" gather late &&
	says $alice "requeued $alice/late: 3 members" requeue late &&
	says $alice "held $alice/late: 3 members" hold late &&
	refuses $alice "gang $alice/late: no member runs" requeue late &&
	wait_for 20 all_in PENDING ${members[@]} &&
	begins_now ${members[@]} &&
	says $alice "released $alice/late: 3 members" release late &&
	wait_for 40 all_in RUNNING ${members[@]} &&
	started_together ${members[@]}
'
test_expect_success '6.14 nobody else may' '
	refuses $bob "job ${members[0]}: .* (a job of $alice)" \
		requeue $alice/late &&
	all_in RUNNING ${members[@]} &&
	test "$(restarts_of ${members[@]})" = 3 &&
	test -z "$(gang_record ${members[0]} recall)"
'
test_expect_success '6.14 an operator may' '
	says root "requeued $alice/late: 3 members" requeue $alice/late &&
	again 6 && as $alice "$sgang" cancel late && wait_for 15 nodes_idle
'
test_expect_success '6.14 of two users each can requeue none of the other, together all' '
	set -- -N 1 --exclusive $in_proj --gang-min-member=2 &&
	one=$(submit_as $alice "$@" --wrap="sleep 300") &&
	two=$(submit_as $bob "$@" --wrap="sleep 300") &&
	members=($one $two) && wait_for 15 all_in RUNNING $one $two &&
	refuses $alice "job $two: .* (a job of $bob)" requeue proj/joint &&
	test -n "$(gang_record $one recall)" &&
	mark=$(submit -N 1 --wrap=true) && wait_state $mark COMPLETED &&
	all_in RUNNING $one $two && test "$(restarts_of $one $two)" = 0 &&
	refuses $bob "job $one: .* (a job of $alice)" requeue proj/joint &&
	wait_for 15 all_in PENDING $one $two && again 2 &&
	scancel $one $two && wait_for 15 nodes_idle
'
test_expect_success '6.14 where one cannot be requeued none is' '
	set -- -N 1 --exclusive --gang=fixed --gang-min-member=2 &&
	one=$(submit_as $alice "$@" --wrap="sleep 300") &&
	two=$(submit_as $alice "$@" --no-requeue --wrap="sleep 300") &&
	wait_for 15 all_in RUNNING $one $two &&
	refuses $alice "gang $alice/fixed: job $two is none that Slurm requeues, so nobody is" \
		requeue fixed &&
	all_in RUNNING $one $two &&
	test -z "$(gang_record $one recall)"
'

test_expect_success 'nothing is left' '
	squeue -h -o %A | xargs -r scancel && nothing_left "Security violation, JOB_UPDATE RPC"
'

test_done
