#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0555-sacct.t - what slurmdbd hears of a gang: a start that lasted, nothing else

test_description='Accounting records of attempts, holds and starts'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 4 --faults
slurmdbd_setup 'AccountingStorageEnforce=associations,limits,qos'
gate_setup
slurm_start

# Something has changed, so a failed gang is tried again at once.
nudge() { srun -Q --immediate=60 -n 1 --mem=1 true; }

# Of the jobs with this name, array tasks apart.
ids_of() { squeue -h -r -n $1 -o %i | sort -V; }

# Let attempts fail at the last of $2 members, as many as $3, $4, ... count.
fail_attempts()
{
	local name=$1 count=$2 times

	for times in "${@:3}"; do
		test $times = 1 || nudge
		wait_for 20 "test \$(gang_log root/$name \
			'$((count - 1)) rolled back' | wc -l) -ge $times" ||
			return 1
	done
}

# slurmdbd has heard of the end of the job. Of one without a row slurmctld may
# tell five seconds late.
recorded()
{
	wait_for 15 "test \"\$(slurmdbd_has 'count(*) from @job where
		state > 2 and time_end > 0 and id_job = $1')\" = 1"
}

# All that slurmctld has said so far has arrived.
heard()
{
	local mark

	mark=$(submit -n 1 --mem=1 --wrap true) &&
		wait_state $mark COMPLETED && recorded $mark
}

# Wait until there are that many rows of jobs with this name.
rows_of()
{
	test "$(slurmdbd_has "count(*) from @job where job_name = '$1.sh'")" = $2
}

# As long as a gang has not started no row of it has a start, nodes, or an end.
none_started()
{
	slurmdbd_has "* from @job where job_name = '$1.sh' and (state != 0 or
		time_start > 0 or time_end > 0 or nodes_alloc > 0 or
		tres_alloc != '')" >rows
	test_must_be_empty rows
}

# The short record of a member, from what slurmctld shows of it: brief_of ID PHASE
brief_of()
{
	local word verdict

	printf "gang=%s phase=%s" "$(gang_record $1 gang)" $2
	for word in rank ring cross tier; do
		printf " %s=%s" $word "$(gang_record $1 $word)"
	done
	verdict=$(gang_record $1 verdict)
	echo ${verdict:+" verdict=$verdict"}
}

sacct_says() { test "$(sacct_rows $(sacct_name $1) SystemComment)" = "$2"; }

# Each job has one row, which says what slurmctld says, and the start is the
# release. Its step is filed with it.
one_row_each()
{
	local name=$1 id start end

	shift
	wait_for 10 rows_of $name $# || return 1
	for id; do
		start=$(job_field $id StartTime)
		end=$(job_field $id EndTime)
		recorded $id || return 1
		printf "%s|%s|%s|%s|%s\n" COMPLETED $start $end \
			$(($(date -d $end +%s) - $(date -d $start +%s))) \
			$(job_field $id NodeList) >expected
		sacct_rows $(sacct_name $id) \
			State,Start,End,ElapsedRaw,NodeList >actual
		test_cmp expected actual || return 1
		sacct -n -P -j $(sacct_name $id) -o JobID | grep '\.batch$' ||
			return 1
		wait_for 60 "sacct_says $id \"\$(brief_of $id finished)\"" ||
			return 1
	done
	test "$(restarts_of "$@")" = 0
}

# sacct knows a task by its array.
sacct_name()
{
	local array task

	array=$(job_field $1 ArrayJobId)
	task=$(job_field $1 ArrayTaskId)
	echo ${array:-$1}${array:+_$task}
}

# The numbers of the jobs, that of a task apart: squeue's %A.
numbers_of() { squeue -h -r -n $1 -o %A | sort -n; }

# The N tasks of the array GANG.sh start together, and each has one row in the
# end: all_run_once GANG N
all_run_once()
{
	local members

	wait_for 20 "test \$(squeue -h -r -n $1.sh -t R | wc -l) = $2" &&
		members=($(numbers_of $1.sh)) &&
		started_together ${members[@]} &&
		let_end $1 ${members[@]} &&
		one_row_each $1 ${members[@]}
}

acct add account lab
acct add user root account=lab defaultaccount=lab
gang_script known

test_expect_success '2.27 members that slurmdbd knows, four attempts fail' '
	slurm_fault commit 3 &&
	submit_gang known 3 -J known.sh -n 2 --nice=100 known.sh &&
	wait_for 15 rows_of known 3 &&
	fail_attempts known 3 1 2 3 4 &&
	heard &&
	none_started known &&
	rows_of known 3 &&
	for id in $(ids_of known.sh); do
		sacct_rows $id State,Start,NodeList,AllocTRES >>pending ||
			return 1
	done &&
	printf "PENDING|Unknown|None assigned|\n%.0s" 1 2 3 >expected &&
	test_cmp expected pending
'
test_expect_success '2.27 then they start: one row each, from the release' '
	members=($(ids_of known.sh)) &&
	slurm_fault &&
	nudge &&
	start_together 20 ${members[@]} &&
	for id in ${members[@]}; do
		wait_for 20 "sacct_says $id \"$(brief_of $id running)\"" ||
			return 1
	done &&
	let_end known ${members[@]} &&
	one_row_each known ${members[@]}
'

gang_script tasks

# The row of the array itself stands for one task by now.
array_rows_are_up_to_date()
{
	test "$(slurmdbd_has "count(*) from @job where job_name = 'tasks.sh'
		and array_task_pending > 1")" = 0
}

test_expect_success '2.27 tasks of an array and a job, three attempts fail' '
	slurm_fault commit 4 &&
	submit -J tasks.sh -a 1-3 -n 2 --nice=100 --gang=tasks \
		--gang-min-member=4 tasks.sh &&
	wait_for 15 rows_of tasks 1 &&
	submit -J tasks.sh -n 2 --nice=100 --gang=tasks tasks.sh &&
	fail_attempts tasks 4 1 2 3 &&
	wait_for 15 rows_of tasks 4 &&
	heard &&
	none_started tasks &&
	wait_for 10 array_rows_are_up_to_date
'
test_expect_success '2.27 then they start: one row each' '
	slurm_fault &&
	nudge &&
	all_run_once tasks 4
'

gang_script noted

# What somebody wrote there stays in front of the record. A text with a quote
# cannot be sent back to slurmdbd, so it stays alone.
test_expect_success "an operator's text in SystemComment stays" '
	submit_gang noted 2 -J noted.sh -n 2 noted.sh &&
	set -- ${members[@]} &&
	for id in ${members[@]}; do
		wait_state $id RUNNING &&
		wait_for 20 "sacct_says $id \"$(brief_of $id running)\"" ||
			return 1
	done &&
	acct modify job where jobid=$1 set systemcomment="ask bob" &&
	mariadb_ask "use accounting; update private_job_table
		set system_comment = \"ask \\\"Bob\\\"\" where id_job = $2" &&
	let_end noted ${members[@]} &&
	wait_for 20 "sacct_says $1 \"ask bob \$(brief_of $1 finished)\"" &&
	heard &&
	sacct_says $2 "ask \"Bob\""
'

gang_script held

# Later releases do not start after a kill before what associations have used
# was saved once; slurmctld does that when it ends.
test_expect_success '2.27 held members have no start, nor after kill -9' '
	ctld_restarts &&
	gate_close &&
	submit_gang held 3 -J held.sh -n 2 held.sh &&
	wait_for 20 all_in CONFIGURING ${members[@]} &&
	slurm_saved ${members[-1]} &&
	ctld_dies &&
	wait_for 20 gang_log root/held "found 3 held members again" &&
	all_in CONFIGURING ${members[@]} &&
	waiting=$(submit -J waiting.sh --hold -n 1 --wrap true) &&
	wait_for 15 rows_of waiting 1 &&
	none_started held
'
test_expect_success '2.27 then they start: one row each, from the release' '
	gate_open &&
	start_together 20 ${members[@]} &&
	let_end held ${members[@]} &&
	one_row_each held ${members[@]} &&
	scancel $waiting
'

gang_script parts

# One task leaves the array when its user changes it, two in an attempt that is
# taken back, the others when they are held. It is tried again when a job ends,
# since one that begins (nudge) would wait at the gate.
test_expect_success '2.27 tasks that left their array one by one are held' '
	before=$(run_job -n 1 --mem=1 --wrap "sleep 999") &&
	array=$(submit -J parts.sh -a 1-4 -n 2 --nice=100 --gang=parts \
		--gang-min-member=5 parts.sh) &&
	wait_for 15 rows_of parts 1 &&
	scontrol update JobId=${array}_3 Nice=90 &&
	slurm_fault commit 3 &&
	single=$(submit -J parts.sh -n 2 --nice=100 --gang=parts parts.sh) &&
	fail_attempts parts 3 1 &&
	gate_close &&
	slurm_fault &&
	scancel $before &&
	wait_for 20 "test \$(held_in \$(numbers_of parts.sh)) = 5" &&
	slurm_saved $single &&
	ctld_dies &&
	wait_for 20 gang_log root/parts "found 5 held members again" &&
	last=$(submit -J last.sh --hold -n 1 --wrap true) &&
	wait_for 15 rows_of last 1 &&
	none_started parts &&
	scancel $last
'
test_expect_success '2.27 then they start: one row each, none twice' '
	gate_open &&
	all_run_once parts 5
'

gang_script lost

test_expect_success '2.27 a held member is cancelled: it has ended, never begun' '
	gate_close &&
	submit_gang lost 3 -J lost.sh -n 2 lost.sh &&
	wait_for 20 all_in CONFIGURING ${members[@]} &&
	scancel ${members[-1]} &&
	wait_for 20 all_in PENDING ${members[@]:0:2} &&
	recorded ${members[-1]} &&
	test "$(sacct_rows ${members[-1]} Start,ElapsedRaw)" = "None|0" &&
	case $(sacct_rows ${members[-1]} State) in
	CANCELLED*) ;;
	*) return 1 ;;
	esac &&
	wait_for 15 rows_of lost 3 &&
	test "$(slurmdbd_has "count(*) from @job where job_name = \"lost.sh\" and
		time_start = 0 and nodes_alloc = 0")" -ge 2 &&
	scancel ${members[@]:0:2} &&
	gate_open
'

gang_script gone

# A task has a row of its own since it left the array.
test_expect_success '2.27 a held task of an array is cancelled' '
	gate_close &&
	array=$(submit -J gone.sh -a 1-3 -n 2 --gang=gone \
		--gang-min-member=3 gone.sh) &&
	wait_for 20 "test \$(held_in \$(numbers_of gone.sh)) = 3" &&
	task=$(job_field ${array}_2 JobId) &&
	scancel ${array}_2 &&
	recorded $task &&
	test "$(sacct_rows ${array}_2 Start,ElapsedRaw)" = "None|0" &&
	case $(sacct_rows ${array}_2 State) in
	CANCELLED*) ;;
	*) return 1 ;;
	esac &&
	scancel $array &&
	gate_open
'

# In microseconds, how long slurmctld takes to answer, until there is a file "enough".
watch_ping()
{
	local since

	until test -e enough; do
		since=${EPOCHREALTIME/./}
		slurm_ctld_answers || echo 999999999
		echo $((${EPOCHREALTIME/./} - since))
		sleep 0.1
	done >pings
}

gang_script deaf

test_expect_success '2.27 slurmdbd is down: attempts fail, nobody waits for it' '
	slurmdbd_stop &&
	{ watch_ping & } &&
	pinger=$! &&
	slurm_fault commit 3 &&
	submit_gang deaf 2 -J deaf.sh -n 2 --nice=100 --gang-min-member=4 deaf.sh &&
	submit -J deaf.sh -a 1-2 -n 2 --nice=100 --gang=deaf deaf.sh &&
	wait_for 20 gang_log root/deaf "2 rolled back" &&
	nudge &&
	wait_for 20 "test \$(gang_log root/deaf \"2 rolled back\" | wc -l) -ge 2"
'
test_expect_success '2.27 they start, run and end without it' '
	slurm_fault &&
	nudge &&
	wait_for 20 "test \$(squeue -h -r -n deaf.sh -t R | wc -l) = 4" &&
	members=($(numbers_of deaf.sh)) &&
	started_together ${members[@]} &&
	let_end deaf ${members[@]} &&
	touch enough &&
	wait $pinger &&
	sort -n pings | tail -n 1 >slowest &&
	test "$(wc -l <pings)" -ge 10 &&
	test "$(cat slowest)" -lt 20000000
'
test_expect_success '2.27 when it is back it hears of one start each' '
	slurmdbd_start &&
	wait_for 30 rows_of deaf 4 &&
	one_row_each deaf ${members[@]}
'

sgang=$(checked_sgang)
"$sgang" simulate --jobs=/dev/null --slots=1 2>&1 | grep libcsv ||
	test_set_prereq LIBCSV

# simulated NODES: gangs and jobs that sgang simulate finds in queue.txt.
simulated()
{
	"$sgang" simulate --jobs=queue.txt --nodes=$1 --conf=stock --json \
		>answer 2>effort || { cat effort; return 1; }
	jq -r '.configurations[0] | "\(.gangs.all.submitted) \(.gangs.all.started)"' \
		answer
}

# Of the members of noted.sh only one still has a record; those of lost.sh and
# gone.sh never ran.
test_expect_success LIBCSV,JQ '8.1 accounting is a queue to replay, and its cluster is known' '
	SLURM_TIME_FORMAT=%s sacct --allusers --allocations --parsable2 \
		--starttime=now-1days \
		--format=JobIDRaw,JobID,User,Account,Partition,QOS,JobName,Submit,Start,ElapsedRaw,TimelimitRaw,State,AllocNodes,AllocTRES,Priority,SystemComment \
		>queue.txt &&
	grep "gang=root/parts" queue.txt &&
	{ scontrol -o show node && scontrol -o show partition; } >cluster.txt &&
	simulated cluster.txt >shown && echo 6 6 >expected &&
	test_cmp expected shown &&
	simulated "$SLURM_CONF" >read && test_cmp expected read
'

no_row_runs()
{
	test "$(slurmdbd_has "count(*) from @job where time_end = 0 or
		state < 3")" = 0
}

test_expect_success '2.27 no row is left that runs' '
	sacctmgr -n show runawayjobs </dev/null >runaway 2>&1;
	grep -i "no runaway jobs" runaway &&
	wait_for 15 no_row_runs
'
last_case '
	nothing_left "slurmdbd" "PersistInit" "DBD_" "persistent connection" \
		"Failure sending message" "No fed_mgr state file"
'
