#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0450-stays-out.t - what Slurm does with jobs that are no gangs

test_description='Without gangs every call reaches the stock plugin'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 4 --gang
slurm_start

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

finish()
{
	end_jobs "$@" && wait_for 15 nodes_idle
}

node_count()
{
	scontrol show hostnames "$(squeue -h -j $1 -o %N)" | wc -l
}

test_expect_success 'a job array with a limit of two' '
	id=$(submit -N 1 -n 1 --array=1-4%2 run.sh) &&
	wait_for 15 "test \$(squeue -h -t R -r -j $id | wc -l) = 2" &&
	squeue_says $id JobArrayTaskLimit &&
	touch run.go &&
	wait_for 20 all_in COMPLETED ${id}_1 ${id}_2 ${id}_3 ${id}_4 &&
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
	id=$(submit -N 2 --exclusive) &&
	wait_state $id RUNNING &&
	scontrol suspend $id &&
	wait_state $id SUSPENDED &&
	scontrol resume $id &&
	wait_state $id RUNNING &&
	finish $id
'
test_expect_success 'requeue' '
	id=$(submit -N 1 --exclusive) &&
	wait_state $id RUNNING &&
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
	inside=$(submit -N 2 --exclusive --reservation=named) &&
	wait_state $inside RUNNING &&
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
	id=$(submit -N 2 --exclusive --reservation=counted) &&
	wait_state $id RUNNING &&
	end_jobs $id &&
	scontrol delete ReservationName=counted &&
	scontrol delete ReservationName=cores &&
	wait_for 15 nodes_idle
'
test_expect_success 'when would it start: --test-only and squeue --start' '
	id=$(submit -N 4 --exclusive -t 10) &&
	wait_state $id RUNNING &&
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
	slurm_kill9_ctld &&
	slurm_start_ctld &&
	job_is $first RUNNING &&
	job_is $second PENDING &&
	scancel $first &&
	wait_state $second RUNNING 20 &&
	finish $second
'
# Slurm 24.11 does not start all that could use these nodes for some seconds, so
# nothing comes after it.
test_expect_success 'a running job shrinks' '
	id=$(submit -N 3 --exclusive) &&
	wait_state $id RUNNING &&
	(cd "$slurm_dir/out" && scontrol update JobId=$id NumNodes=1) &&
	wait_for 10 "test \$(node_count $id) = 1" &&
	wait_for 10 "test \$(nodes_in idle) = 3" &&
	finish $id
'
test_expect_success 'nothing is left' 'nothing_left'

test_done
