#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0369-preemption.t - members of gangs are the last victims of preemption, and an
# ordinary job preempts a strict gang as a whole, or not

test_description='Members are the last victims; all of a strict gang go, or none'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cluster -n 3 -c 2 --gang --conf \
"$quick_sched
$(partition_prio main=1 kill=1,PreemptMode=CANCEL keep=1,PreemptMode=OFF \
	high=10)"

gang_of_two()
{
	gang_of_nodes $1 2 -t 10 &&
		wait_for 15 all_in RUNNING ${members[@]}
}

# Slurm alone takes a member here: their nodes come first.
test_expect_success '4.11, 3.18: another job is preempted, no member' '
	gang_of_two old &&
	other=$(run_job -N 1 --exclusive -t 10) &&
	small=$(submit -p high -n 1 -t 5) &&
	wait_state $small RUNNING 20 &&
	job_is $other "PENDING|CANCELLED|PREEMPTED|COMPLETING" &&
	all_in RUNNING ${members[@]} &&
	test "$(restarts_of ${members[@]})" = 0 &&
	scancel $small $other
'
test_expect_success '3.18: members are, where nothing else will do' '
	wait_for 15 "test \"\$(nodes_in idle)\" = 1" &&
	big=$(submit -p high -N 3 --exclusive -t 5) &&
	wait_state $big RUNNING 30 &&
	none_in RUNNING ${members[@]} &&
	scancel $big ${members[@]}
'
# Slurm alone takes the job on n1.
test_expect_success '4.11: a gang of one is a victim as any other' '
	wait_for 20 nodes_idle &&
	members=($(submit -w n1 --exclusive -t 10 --gang=two --gang-min-member=2)
		 $(submit -w n2 --exclusive -t 10 --gang=two --gang-min-member=2)) &&
	solo=$(submit -w n3 --exclusive -t 10 --gang=solo --gang-min-member=1) &&
	wait_for 15 all_in RUNNING $solo ${members[@]} &&
	small=$(submit -p high -n 1 -t 5) &&
	wait_state $small RUNNING 20 &&
	none_in RUNNING $solo &&
	all_in RUNNING ${members[@]} &&
	scancel $small $solo
'
test_expect_success '4.11: so is the last of a gang that has nodes' '
	scancel ${members[0]} &&
	wait_for 20 "test \"\$(nodes_in idle)\" = 2" &&
	others=($(submit -w n1 --exclusive -t 10 --gang=new --gang-min-member=2)
		$(submit -w n3 --exclusive -t 10 --gang=new --gang-min-member=2)) &&
	wait_for 15 all_in RUNNING ${others[@]} ${members[1]} &&
	small=$(submit -p high -n 1 -t 5) &&
	wait_state $small RUNNING 20 &&
	none_in RUNNING ${members[1]} &&
	all_in RUNNING ${others[@]} &&
	scancel $small ${others[@]} ${members[1]}
'
test_expect_success 'nothing is left so far' 'nothing_left'

# --- gangs that go as a whole ---

# Members of whole nodes, in "members", that run: gang NAME MIN COUNT OPTION...
gang()
{
	gang_of_nodes $1 $3 -t 30 --gang-min-member=$2 "${@:4}" &&
		wait_for 20 all_in RUNNING ${members[@]}
}

high() { high=$(submit -p high -N $1 --exclusive -t 5); }
done_with() { scancel "$@" && wait_for 30 nodes_idle; }

test_expect_success '1.17: one beyond the minimum is preempted, the last that came' '
	gang extra 2 3 &&
	high 1 &&
	wait_state $high RUNNING 30 &&
	all_in RUNNING ${members[0]} ${members[1]} &&
	none_in RUNNING ${members[2]} &&
	done_with $high ${members[@]}
'
# Slurm alone takes a job on n1 or n2.
test_expect_success '1.17: it goes before other jobs of the same standing' '
	others=($(submit -w n1 -N 1 --exclusive -t 30)
		$(submit -w n2 -N 1 --exclusive -t 30)) &&
	wait_for 20 all_in RUNNING ${others[@]} &&
	scancel ${others[1]} &&
	wait_for 20 "test \"\$(nodes_in idle)\" = 2" &&
	gang some 1 2 &&
	high 1 &&
	wait_state $high RUNNING 30 &&
	all_in RUNNING ${others[0]} ${members[0]} &&
	none_in RUNNING ${members[1]} &&
	done_with $high ${members[@]} ${others[0]}
'
test_expect_success '4.11: a gang at its minimum goes whole' '
	gang whole 3 3 &&
	high 1 &&
	wait_state $high RUNNING 30 &&
	wait_for 20 all_in PENDING ${members[@]} &&
	test "$(restarts_of ${members[@]})" = 3
'
test_expect_success '4.11: and is then one that has never started' '
	wait_for 10 "test \"\$(gang_record ${members[2]} satisfied)\" = 0" &&
	for id in ${members[@]}; do
		test "$(gang_record $id satisfied)" = 0 &&
			test -z "$(gang_record $id started)" || return 1
	done
'
test_expect_success '4.11: it starts again when all of it can' '
	begins_now ${members[@]} &&
	wait_for 20 gang_attempted ${members[0]} 2 &&
	all_in PENDING ${members[@]} &&
	scancel $high &&
	start_together 30 ${members[@]} &&
	done_with ${members[@]}
'
test_expect_success '1.58, 4.11: so does one that is an array' '
	array=$(submit -N 1 --exclusive -t 30 --array=1-3 --gang=tasks \
		--gang-min-member=3) &&
	wait_for 20 "test \"\$(squeue -h -r -t R -j $array | wc -l)\" = 3" &&
	high 1 &&
	wait_state $high RUNNING 30 &&
	wait_for 20 "test \"\$(squeue -h -r -t PD -j $array | wc -l)\" = 3" &&
	gang_log root/tasks "was preempted as a whole" &&
	scancel $high &&
	members=($(squeue -h -j $array -o %A)) &&
	begins_now ${members[@]} &&
	wait_for 40 "test \"\$(squeue -h -r -t R -j $array | wc -l)\" = 3" &&
	done_with $array
'
test_expect_success '4.11: --gang-on-failure does not take it for a loss' '
	gang care 3 3 --gang-on-failure=kill &&
	high 1 &&
	wait_state $high RUNNING 30 &&
	wait_for 20 all_in PENDING ${members[@]} &&
	begins_now ${members[@]} &&
	wait_for 20 gang_attempted ${members[0]} 2 &&
	all_in PENDING ${members[@]} &&
	done_with $high ${members[@]}
'
test_expect_success '4.11: where jobs are killed nothing of it is requeued' '
	gang killed 3 3 -p kill --gang-on-failure=requeue &&
	high 1 &&
	wait_state $high RUNNING 30 &&
	wait_for 20 all_in PREEMPTED ${members[@]} &&
	done_with $high
'
# The stock plugin would take the others.
test_expect_success '4.11: with a member that is not preempted nobody is' '
	members=($(submit -N 1 --exclusive -t 30 -p keep --gang=mixed \
			--gang-min-member=3)
		$(submit -N 1 --exclusive -t 30 --gang=mixed \
			--gang-min-member=3)
		$(submit -N 1 --exclusive -t 30 --gang=mixed \
		--gang-min-member=3)) &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	high 1 &&
	wait_for 20 squeue_says $high Resources &&
	wait_for 20 "test \"\$(job_field $high StartTime)\" != Unknown" &&
	all_in RUNNING ${members[@]} &&
	done_with $high ${members[@]}
'
test_expect_success '4.11: of a nonstrict gang one may go' '
	gang loose 3 3 --gang-mode=nonstrict &&
	high 1 &&
	wait_state $high RUNNING 30 &&
	test "$(restarts_of ${members[@]})" = 1 &&
	done_with $high ${members[@]}
'
last_case
