#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0450-stays-out.t - what Slurm does with jobs that are no gangs, and with the text
# of nodes: gangs are named in it, and an admin's is kept

test_description='The stock plugin for jobs without a gang; the Extra field of nodes'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cluster -n 4 -c 4 --gang

# --- the Extra field of nodes, and formats that show it ---

gang_script train
gang_script small
gang_script hold

# What sinfo shows of a node.
extra() { sinfo -h -n $1 -O Extra:120 | sed 's/ *$//;s/^(null)$//'; }

shows()
{
	test "$(extra $1)" = "$2" ||
		{ echo "$1: $(extra $1)" >&2; return 1; }
}

test_expect_success 'two nodes have text of an admin' '
	scontrol update NodeName=n1 Extra="rack 7" &&
	scontrol update NodeName=n4 Extra="rack 8; spare"
'
test_expect_success 'a gang that runs is named with its ranks' '
	ids=($(submit -N 1 -n 3 --gang=train --gang-min-member=2 train.sh) \
		$(submit -N 1 -n 3 --gang=train train.sh)) &&
	wait_for 20 all_in RUNNING ${ids[@]} &&
	wait_for 10 "sinfo -h -N -O Extra:120 | grep -q gang=root/train" &&
	for id in ${ids[@]}; do
		node=$(job_field $id NodeList) &&
		case $node in n1) text="rack 7 " ;; n4) text="rack 8; spare " ;;
		*) text= ;; esac &&
		wait_for 10 shows $node "${text}gang=root/train ranks=3" ||
			return 1
	done
'
test_expect_success 'so is a second one beside it, and a job of no gang is not' '
	node=$(job_field ${ids[0]} NodeList) &&
	small=$(submit -n 1 -w $node --gang=small --gang-min-member=1 \
		small.sh) &&
	wait_for 20 all_in RUNNING $small &&
	plain=$(submit -N 1 -n 1) &&
	wait_for 20 all_in RUNNING $plain &&
	wait_for 10 "extra $node | grep -q \
		\"gang=root/small ranks=1;gang=root/train ranks=3\"" &&
	scancel $small &&
	wait_for 10 "! extra $node | grep -q small" &&
	scontrol show node $node | grep "Extra=.*gang=root/train ranks=3" &&
	scancel $plain
'
test_expect_success 'what an admin writes meanwhile is kept' '
	scontrol update NodeName=$node Extra="rack 9" &&
	wait_for 10 shows $node "rack 9 gang=root/train ranks=3"
'
test_expect_success 'scontrol reconfigure and a restart change nothing' '
	scontrol reconfigure &&
	wait_for 10 shows $node "rack 9 gang=root/train ranks=3" &&
	ctld_restarts &&
	wait_for 20 shows $node "rack 9 gang=root/train ranks=3"
'
test_expect_success 'when the gang is gone the text of the admin is left' '
	let_end train ${ids[@]} &&
	wait_for 10 shows $node "rack 9" &&
	wait_for 10 "! sinfo -h -N -O Extra:120 | grep gang=" &&
	wait_for 20 nodes_idle
'
test_expect_success 'a gang that holds is named where it holds, and there alone' '
	block=$(run_job -N 3 --exclusive) &&
	ids=($(submit -N 1 -n 2 --exclusive --gang=hold --gang-min-member=2 \
			--gang-mode=nonstrict hold.sh) \
		$(submit -N 1 -n 2 --exclusive --gang=hold hold.sh)) &&
	wait_for 20 "test \"\$(held_in ${ids[*]})\" = 1" &&
	held=$(held_places ${ids[@]}) &&
	wait_for 10 "extra ${held##* } | grep -q \"gang=root/hold ranks=2\"" &&
	test $(sinfo -h -N -O Extra:120 | grep -c gang=) = 1 &&
	scancel ${ids[@]} &&
	wait_for 10 "! sinfo -h -N -O Extra:120 | grep -q gang="
'
test_expect_success 'the formats of contrib/formats.sh are understood' '
	. "$top_srcdir/contrib/formats.sh" &&
	ids=($(submit -N 1 -n 2 --gang=hold --gang-min-member=2 hold.sh)) &&
	wait_for 10 squeue_says ${ids[0]} "Gang root/hold gathering 1/2" &&
	squeue -j ${ids[0]} >queue && cat queue &&
	grep "^ *JOBID .*REASON.*SYSTEM_COMMENT" queue &&
	grep "PD .* Gang root/hold gathering 1/2 members  *gang=root/hold \
phase=gathering " queue &&
	sinfo -O "$SINFO_GANG_FORMAT" >nodes && cat nodes &&
	grep "^ *NODELIST .*EXTRA" nodes &&
	unset SQUEUE_FORMAT2 SINFO_GANG_FORMAT &&
	scancel ${ids[@]}
'
test_expect_success 'PrivateData=jobs: nodes, which all can read, name no gang' '
	scancel $block && rm -f train.go &&
	ids=($(submit -N 1 -n 3 --gang=train --gang-min-member=1 train.sh)) &&
	wait_for 20 all_in RUNNING ${ids[@]} &&
	wait_for 10 "sinfo -h -N -O Extra:120 | grep -q gang=root/train" &&
	echo PrivateData=jobs >>"$SLURM_CONF" && scontrol reconfigure &&
	wait_for 15 slurm_ctld_answers &&
	wait_for 10 "! sinfo -h -N -O Extra:120 | grep -q gang=" &&
	wait_for 15 all_in RUNNING ${ids[@]} &&
	sed -i /^PrivateData=jobs/d "$SLURM_CONF" && scontrol reconfigure &&
	wait_for 15 slurm_ctld_answers &&
	wait_for 10 "sinfo -h -N -O Extra:120 | grep -q gang=root/train" &&
	scancel ${ids[@]}
'
test_expect_success 'NodeExtra=no leaves the field alone' '
	echo NodeExtra=no >>"$slurm_dir/etc/gang.conf" &&
	scontrol reconfigure &&
	ids=($(submit -N 1 -n 3 --gang=train --gang-min-member=1 train.sh)) &&
	wait_for 20 all_in RUNNING ${ids[@]} &&
	! sinfo -h -N -O Extra:120 | grep gang= &&
	scancel ${ids[@]}
'
test_expect_success 'nothing is left so far' 'clear_cluster && nothing_left'

# --- jobs that are no gangs ---

gang_script run

# A batch script is not cancelled on its way to the node.
end_jobs()
{
	local id

	for id; do
		job_is $id RUNNING || continue
		wait_for 10 test -e "$slurm_dir/out/$id" || return 1
	done
	scancel "$@" && wait_for 15 queue_empty
}

finish() { end_jobs "$@" && wait_for 15 nodes_idle; }
node_count() { scontrol show hostnames "$(squeue -h -j $1 -o %N)" | wc -l; }

test_expect_success 'a job array with a limit of two' '
	id=$(submit -N 1 -n 1 --array=1-4%2 run.sh) &&
	wait_for 15 "test \$(squeue -h -t R -r -j $id | wc -l) = 2" &&
	squeue_says $id JobArrayTaskLimit &&
	let_end run ${id}_1 ${id}_2 ${id}_3 ${id}_4 &&
	ran_once run 4
'
test_expect_success 'exclusive jobs and jobs that share' '
	first=$(submit -N 2 --exclusive) &&
	second=$(submit -n 4 -c 2 --mem-per-cpu=10) &&
	third=$(submit -N 1 --exclusive --nice=100) &&
	wait_for 15 all_in RUNNING $first $second &&
	job_is $third PENDING &&
	test "$(node_count $first)" = 2 &&
	test "$(node_count $second)" = 2 &&
	finish $third $first $second
'
test_expect_success 'suspend and resume' '
	id=$(run_job -N 2 --exclusive) &&
	scontrol suspend $id &&
	wait_state $id SUSPENDED &&
	scontrol resume $id &&
	wait_state $id RUNNING &&
	finish $id
'
test_expect_success 'requeue' '
	id=$(run_job -N 1 --exclusive) &&
	scontrol requeuehold $id &&
	wait_state $id PENDING &&
	wait_for 15 nodes_idle &&
	test "$(restarts_of $id)" = 1 &&
	finish $id
'
test_expect_success 'a reservation of nodes keeps others out' '
	scontrol create reservation ReservationName=named StartTime=now \
		Duration=60 Users=root Nodes=n[1-2] &&
	id=$(submit -N 3 --exclusive) &&
	inside=$(run_job -N 2 --exclusive --reservation=named) &&
	job_is $id PENDING &&
	end_jobs $id $inside &&
	scontrol delete ReservationName=named &&
	wait_for 15 nodes_idle
'
test_expect_success 'a reservation of a number of nodes and of cores' '
	scontrol create reservation ReservationName=counted StartTime=now \
		Duration=60 Users=root NodeCnt=2 &&
	scontrol show reservation counted | grep "NodeCnt=2" &&
	scontrol create reservation ReservationName=cores \
		StartTime=now+1hours Duration=60 Users=root NodeCnt=1 \
		CoreCnt=2 &&
	scontrol show reservation cores | grep "CoreCnt=2" &&
	id=$(run_job -N 2 --exclusive --reservation=counted) &&
	end_jobs $id &&
	scontrol delete ReservationName=counted &&
	scontrol delete ReservationName=cores &&
	wait_for 15 nodes_idle
'
test_expect_success 'when would it start: --test-only and squeue --start' '
	id=$(run_job -N 4 --exclusive -t 10) &&
	sbatch --test-only -N 2 --exclusive -t 5 --wrap=true 2>&1 |
		grep "to start at" &&
	next=$(submit -N 4 --exclusive -t 10) &&
	wait_for 20 "squeue --start -h -j $next -o %S | grep T" &&
	finish $next $id
'
test_expect_success 'a heterogeneous job' '
	id=$(submit -N 1 -n 1 --mem-per-cpu=10 : -N 2 --exclusive \
		--wrap="sleep 3600") &&
	wait_for 30 "test \$(squeue -h -t R -j $id | wc -l) = 2" &&
	finish $id
'
test_expect_success 'salloc, srun and a step of part of a job' '
	test "$(salloc -Q -N 2 --exclusive srun -N 2 sh -c \
		"echo \$SLURMD_NODENAME" | sort -u | wc -l)" = 2 &&
	test "$(srun -N 1 -n 2 --mem-per-cpu=10 sh -c \
		"echo \$SLURM_PROCID" | sort | tr "\n" " ")" = "0 1 "
'
test_expect_success 'reconfigure and restart with jobs that run and wait' '
	first=$(submit -N 4 --exclusive) &&
	second=$(submit -N 4 --exclusive) &&
	wait_state $first RUNNING &&
	scontrol reconfigure &&
	slurm_saved $second &&
	job_is $first RUNNING &&
	ctld_dies &&
	job_is $first RUNNING &&
	job_is $second PENDING &&
	scancel $first &&
	wait_state $second RUNNING 20 &&
	finish $second
'
# Slurm 24.11 does not start all that could use these nodes for some seconds, so
# nothing comes after it.
test_expect_success 'a running job shrinks' '
	id=$(run_job -N 3 --exclusive) &&
	(cd "$slurm_dir/out" && scontrol update JobId=$id NumNodes=1) &&
	wait_for 10 "test \$(node_count $id) = 1" &&
	wait_for 10 "test \$(nodes_in idle) = 3" &&
	finish $id
'
# On a busy machine Slurm 25.11 may be told the end of a job on a node twice.
last_case 'nothing_left "job_epilog_complete: .* slurmctld and slurmd out of sync"'
