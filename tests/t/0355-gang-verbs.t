#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0355-gang-verbs.t - sgang hold, release and requeue act on a whole gang; requeue on
# all of it in one step, or on none

test_description='sgang hold, sgang release, sgang requeue'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang --conf KillWait=2
users_setup
gate_setup
slurm_start
sgang=$(checked_sgang "$slurm_dir/lib/sgang")

# Members of one node in the array "members", which run $script or sleep: gather
# USER GANG MIN COUNT OPTION...
gather()
{
	by=$1 gang_of_nodes $2 $4 --gang-min-member=$3 "${@:5}" \
		--wrap="${script-sleep 300}"
}

# It says exactly this on stdout and nothing else: says USER TEXT ARGS
says()
{
	local user=$1 text=$2

	as $user "$sgang" "${@:3}" >out 2>err
	test $? = 0 && test_must_be_empty err && echo "$text" | test_cmp - out || {
		cat err >&2
		return 1
	}
}

# It refuses with this line: refuses USER TEXT ARGS
refuses()
{
	local user=$1 text=$2

	as $user "$sgang" "${@:3}" >out 2>err
	test $? = 1 && test_must_be_empty out && grep -x "sgang: $text" err
}

all_held()
{
	local id

	for id; do
		test "$(job_field $id Priority)" = 0 || return 1
	done
}

# --- hold and release ---

test_expect_success '6.14 a gang that waits is held as a whole' '
	busy=$(run_job -N 4 --exclusive --wrap="sleep 300") &&
	gather $alice wait 4 2 && one=(${members[@]}) &&
	array=$(submit_as $alice -N 1 --exclusive -a 1-2 --gang=wait \
		--wrap="sleep 300") &&
	wait_for 10 squeue_says ${one[0]} "Gang $alice/wait waits" &&
	says $alice "held $alice/wait: 4 members" hold wait &&
	all_held ${one[@]} $array &&
	all_in PENDING ${one[@]} $array
'
test_expect_success '6.14 show and explain say so' '
	as $alice "$sgang" show wait >out && grep " Reason=JobHeldUser" out &&
	as $alice "$sgang" explain wait >out &&
	grep "Helps=sgang release $alice/wait: 4 members are held" out
'
test_expect_success '6.14 it does not start on free nodes, and others do' '
	drop $busy &&
	id=$(complete_job -N 1 --exclusive --nice=100 --wrap=true) &&
	all_in PENDING ${one[@]} $array
'
test_expect_success '6.14 released, its members gather and start together' '
	says $alice "released $alice/wait: 4 members" release wait &&
	start_together 20 ${one[@]} ${array}_1 ${array}_2 &&
	test "$(restarts_of ${one[@]})" = 0
'
test_expect_success '6.14 nobody waits, nobody is held' '
	refuses $alice "gang $alice/wait: no member waits" hold wait &&
	refuses $alice "gang $alice/wait: no member is held" release wait &&
	refuses $alice "gang $alice/none: there is no such gang.*" hold none &&
	all_in RUNNING ${one[@]} &&
	as $alice "$sgang" cancel wait && wait_for 15 nodes_idle
'
test_expect_success 'where there is no slurmdbd nobody waits for its answer' '
	refuses $alice "there is no gang none, see sgang list" show none
'
test_expect_success '6.14 members that have nodes and were not launched give them back' '
	gate_close &&
	gather $alice gate 3 3 &&
	wait_for 20 all_in CONFIGURING ${members[@]} &&
	says $alice "held $alice/gate: 3 members" hold gate &&
	wait_for 15 all_in PENDING ${members[@]} && all_held ${members[@]} &&
	wait_for 15 nodes_idle
'
test_expect_success '6.14 and start together when they are released' '
	gate_open &&
	says $alice "released $alice/gate: 3 members" release gate &&
	start_together 20 ${members[@]} &&
	as $alice "$sgang" cancel gate && wait_for 15 nodes_idle
'
# slurmctld forgets who held a job while its PrologSlurmctld runs on: its
# scheduler has looked at it when it says so.
cleaning()
{
	wait_for 20 "submit -N 1 --wrap=true >/dev/null
		reasons_are Cleaning $*"
}
reasons_are()
{
	local id

	for id in ${@:2}; do
		test "$(squeue -h -j $id -o %r)" = $1 || return 1
	done
}

test_expect_success '6.14 whom its user held while PrologSlurmctld ran its user releases' '
	gate_close &&
	gather $alice forgot 3 3 &&
	wait_for 20 all_in CONFIGURING ${members[@]} &&
	says $alice "held $alice/forgot: 3 members" hold forgot &&
	wait_for 15 all_in PENDING ${members[@]} &&
	cleaning ${members[@]} && gate_open &&
	wait_for 20 "submit -N 1 --wrap=true >/dev/null
		reasons_are JobHeldAdmin ${members[*]}" &&
	says $alice "released $alice/forgot: 3 members" release forgot &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	as $alice "$sgang" cancel forgot && wait_for 15 nodes_idle
'
test_expect_success '6.14 and whom an operator held then he does not' '
	gate_close &&
	gather $alice forgot 3 3 &&
	wait_for 20 all_in CONFIGURING ${members[@]} &&
	says $alice "held $alice/forgot: 3 members" hold forgot &&
	wait_for 15 all_in PENDING ${members[@]} &&
	cleaning ${members[@]} &&
	says root "held $alice/forgot: 3 members" hold $alice/forgot &&
	says $alice "held $alice/forgot: 3 members" hold forgot &&
	cleaning ${members[@]} && gate_open &&
	wait_for 20 "submit -N 1 --wrap=true >/dev/null
		reasons_are JobHeldAdmin ${members[*]}" &&
	refuses $alice "job ${members[0]}: .*" release forgot &&
	all_held ${members[@]} &&
	says root "released $alice/forgot: 3 members" release $alice/forgot &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	as $alice "$sgang" cancel forgot && wait_for 15 nodes_idle
'
test_expect_success '6.14 one member that is held holds the gang, and explain says so' '
	one=$(submit_as $alice -N 1 --gang=single --gang-min-member=2 \
		--hold --wrap="sleep 300") &&
	two=$(submit_as $alice -N 1 --gang=single --wrap="sleep 300") &&
	wait_for 10 squeue_says $two "Gang $alice/single waits for 1 of 2" &&
	as $alice "$sgang" explain single >out &&
	grep "Helps=sgang release $alice/single: 1 member is held" out
'
test_expect_success '6.14 Slurm says who may: another user may not' '
	refuses $bob "job $two: .* (a job of $alice)" hold $alice/single &&
	grep "job $one: " err &&
	refuses $bob "job $one: .* (a job of $alice)" release $alice/single &&
	all_held $one && ! all_held $two
'
test_expect_success '6.14 an operator may, and what he holds no user releases' '
	says root "held $alice/single: 2 members" hold $alice/single &&
	refuses $alice "job $two: .*" release single &&
	all_held $one $two &&
	says root "released $alice/single: 2 members" release $alice/single &&
	start_together 20 $one $two
'
test_expect_success '6.14 JSON' '
	gather $alice json 3 2 &&
	wait_for 10 squeue_says ${members[0]} "gathering 2/3" &&
	as $alice "$sgang" hold json --json >out &&
	grep "\"held\":2" out && grep "\"refused\":\[\]" out &&
	as $alice "$sgang" release json --json >out && grep "\"released\":2" out
'
test_expect_success 'nothing is left so far' '
	leave_nothing "Security violation, JOB_UPDATE RPC" \
		"Attempt to modify priority"
'

# --- sgang requeue ---

in_proj="--account=proj --gang=proj/joint"

# Three members of alice's, in the array "members", run: run GANG OPTION...
run()
{
	gather $alice $1 3 3 "${@:2}" && wait_for 15 all_in RUNNING ${members[@]}
}

again()
{
	test "$(restarts_of ${members[@]})" = $1 &&
		start_together 40 ${members[@]}
}

for policy in ignore kill requeue; do
	test_expect_success "6.14 $policy: all are requeued and start together" '
		run $policy --gang-on-failure=$policy &&
		says $alice "requeued $alice/$policy: 3 members" \
			requeue $policy &&
		again 3 &&
		gang_log $alice/$policy "was requeued as a whole" &&
		! gang_log $alice/$policy "is lost" &&
		as $alice "$sgang" cancel $policy && wait_for 15 nodes_idle
	'
done
test_expect_success '6.14 it is held while it waits to begin, and released' '
	script="trap : TERM; while :; do sleep 1; done" run late &&
	says $alice "requeued $alice/late: 3 members" requeue late &&
	says $alice "held $alice/late: 3 members" hold late &&
	refuses $alice "gang $alice/late: no member runs" requeue late &&
	wait_for 20 all_in PENDING ${members[@]} &&
	begins_now ${members[@]} &&
	says $alice "released $alice/late: 3 members" release late &&
	start_together 40 ${members[@]}
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
	mark=$(complete_job -N 1 --wrap=true) &&
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
last_case '
	leave_nothing "Security violation, JOB_UPDATE RPC" \
		"Attempt to modify priority"
'
