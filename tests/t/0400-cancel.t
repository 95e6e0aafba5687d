#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0400-cancel.t - members that are cancelled while they wait or are held

test_description='A cancelled member: the rest waits, gives back or goes on'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cred_expire=120
slurm_setup -n 4 -c 2 --gang --conf 'Licenses=lic:8'
gate_setup
slurm_start

gang_scripts busy wait back on all mix loose

# Members of one node in the array "members": gather GANG MIN TOTAL COUNT.
# Those that depend on one job become eligible at the same moment.
gather()
{
	gang_of_nodes $1 $4 -L lic:1 --gang-min-member=$2 \
		--gang-total-number=$3 "${@:5}" $1.sh
}

test_expect_success 'three of four nodes are busy' '
	gather busy 1 1 3 &&
	wait_for 15 all_in RUNNING ${members[@]} &&
	busy=(${members[@]})
'
test_expect_success 'a gang of three waits for nodes' '
	gather wait 3 3 3 &&
	wait_for 20 squeue_says ${members[0]} "Gang root/wait waits: " &&
	test "$(gang_phase root/wait)" = waiting
'
test_expect_success '0.54 without one of them it gathers again' '
	drop ${members[1]} &&
	wait_for 10 squeue_says ${members[0]} "2/3" &&
	squeue_says ${members[2]} "2/3" &&
	test "$(gang_phase root/wait)" = gathering &&
	all_in PENDING ${members[0]} ${members[2]}
'
test_expect_success '4.5 and stands in nobodys way' '
	id=$(complete_job -N 1 --exclusive --nice=100 --wrap=true)
'
test_expect_success '0.54 with a new member it starts as soon as it fits' '
	let_end busy ${busy[@]} &&
	all_in PENDING ${members[0]} ${members[2]} &&
	members[1]=$(submit -N 1 --exclusive -L lic:1 --gang=wait wait.sh) &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	started_together ${members[0]} ${members[2]} ${members[1]} &&
	let_end wait ${members[@]} &&
	ran_once wait 3
'

test_expect_success 'a gang of three is held' '
	gate_close &&
	gather back 3 3 3 &&
	wait_for 20 all_in CONFIGURING ${members[@]} &&
	test "$(gang_phase root/back)" = starting &&
	test "$(licences_in_use)" = 3
'
test_expect_success '0.54 2.13 below the minimum the rest is rolled back' '
	drop ${members[0]} &&
	wait_for 10 all_in PENDING ${members[1]} ${members[2]} &&
	wait_for 10 nodes_idle &&
	test "$(licences_in_use)" = 0 &&
	test "$(starts_of back)" = 0 &&
	gang_log root/back "2 of 3 members are held and cannot start: rolled back"
'
test_expect_success '0.54 a replacement starts it, without the two minutes of a requeue' '
	members[0]=$(submit -N 1 --exclusive -L lic:1 --gang=back back.sh) &&
	gate_open &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	started_together ${members[1]} ${members[2]} ${members[0]} &&
	test "$(restarts_of ${members[@]})" = 0 &&
	let_end back ${members[@]} &&
	ran_once back 3
'

test_expect_success 'a gang of four with a minimum of two is held' '
	gate_close &&
	gun=$(submit --hold) &&
	gather on 2 4 4 --dependency=afterany:$gun &&
	scancel $gun &&
	wait_for 20 all_in CONFIGURING ${members[@]}
'
test_expect_success '2.13 without one of them it goes on' '
	drop ${members[1]} &&
	wait_for 10 gang_log root/on "held member ${members[1]} is lost" &&
	all_in CONFIGURING ${members[0]} ${members[2]} ${members[3]} &&
	gate_open &&
	rest="${members[0]} ${members[2]} ${members[3]}" &&
	wait_for 20 all_in RUNNING $rest
'
test_expect_success '2.13 and the rest knows that there are three' '
	started_together $rest &&
	let_end on $rest &&
	ran_once on 3 &&
	wait_for 10 nodes_idle
'

test_expect_success '2.13 all of a held gang are cancelled: nobody ever ran' '
	gate_close &&
	gather all 4 4 4 &&
	wait_for 20 all_in CONFIGURING ${members[@]} &&
	drop ${members[@]} &&
	gate_open &&
	wait_for 10 nodes_idle &&
	test "$(licences_in_use)" = 0 &&
	test "$(starts_of all)" = 0
'

test_expect_success 'a held gang of two jobs, an array task and an srun' '
	gate_close &&
	set -- --gang=mix --gang-min-member=4 &&
	first=$(submit -N 1 --exclusive "$@" mix.sh) &&
	array=$(submit -N 1 --exclusive --array=7 "$@" mix.sh) &&
	second=$(submit -N 1 --exclusive "$@" mix.sh) &&
	{ srun -N 1 --exclusive -J asker "$@" true 2>srun.err & } &&
	asker=$! &&
	wait_for 20 "test \$(squeue -h -r -t CF -o %i | wc -l) = 4"
'
test_expect_success '0.54 2.13 an interrupted srun takes it back' '
	interrupt $asker &&
	wait_for 10 all_in PENDING $first ${array}_7 $second &&
	wait $asker; test $? != 0 &&
	wait_for 10 nodes_idle &&
	test "$(starts_of mix)" = 0
'
test_expect_success '0.54 another job takes its place' '
	gate_open &&
	last=$(submit -N 1 --exclusive --gang=mix mix.sh) &&
	wait_for 20 all_in RUNNING $first ${array}_7 $second $last &&
	let_end mix $first ${array}_7 $second $last &&
	test "$(restarts_of $first ${array}_7 $second $last)" = 0 &&
	ran_once mix 4
'

# salloc then says that its job has completed, which is no start of the gang.
test_expect_success '0.8 salloc that holds is interrupted: nobody starts' '
	full=$(run_job -N 3 --exclusive) &&
	loose="-N 1 --exclusive --gang=loose --gang-min-member=2" &&
	{ salloc -J asks $loose --gang-mode=nonstrict true 2>asks.err & } &&
	asker=$! &&
	wait_for 10 "test -n \"\$(squeue -h -n asks -o %i)\"" &&
	other=$(submit $loose --gang-mode=nonstrict loose.sh) &&
	wait_for 20 "test \"\$(squeue -h -n asks -o %t)\" = CF" &&
	test "$(job_state $other)" = PENDING &&
	interrupt $asker &&
	wait_for 10 "test -z \"\$(squeue -h -n asks -o %i)\"" &&
	wait_for 10 squeue_says $other "gathering 1/2 members" &&
	drop $full &&
	wait_for 10 squeue_says $other "gathering 1/2 members" &&
	test "$(starts_of loose)" = 0 &&
	scancel $other
'

# returns PID: it is no more there, and has failed
returns() { wait_for 15 "! kill -0 $1 2>/dev/null" && ! wait $1; }

loose="-N 1 --exclusive --gang=loose --gang-min-member=2"
for tool in salloc srun; do
	test_expect_success "6.16 $tool that holds and is cancelled returns" '
		full=$(run_job -N 3 --exclusive) &&
		{ $tool -J asks $loose --gang-mode=nonstrict true 2>asks.err & } &&
		asker=$! &&
		wait_for 10 "test -n \"\$(squeue -h -n asks -o %i)\"" &&
		other=$(submit $loose --gang-mode=nonstrict loose.sh) &&
		wait_for 20 "test \"\$(squeue -h -n asks -o %t)\" = CF" &&
		scancel -n asks && returns $asker && cat asks.err &&
		scancel $full $other && wait_for 15 queue_empty &&
		test "$(starts_of loose)" = 0
	'
done

last_case
