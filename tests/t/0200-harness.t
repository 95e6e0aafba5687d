#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0200-harness.t - the private cluster itself, with stock Slurm

test_description='A private cluster of stock Slurm starts, works and stops'

. /usr/share/sharness/sharness.sh

slurm_cluster -n 16 --topology demo.conf --node 'Weight=3' \
	--conf 'SlurmdTimeout=30'

test_expect_success 'all 16 nodes are idle' 'test "$(nodes_in idle)" = 16'
test_expect_success 'a line of the test replaces the default one' '
	scontrol show config >config &&
	grep "^SlurmdTimeout *= 30 sec" config &&
	test "$(grep -c "^SlurmdTimeout=" "$SLURM_CONF")" = 1 &&
	scontrol show node n3 | grep "Weight=3 "
'
test_expect_success 'nothing of it is where the machine has its own Slurm' '
	scontrol show config >config &&
	for key in StateSaveLocation SlurmctldPidFile SlurmctldLogFile \
		SlurmdSpoolDir SlurmdPidFile SlurmdLogFile AuthInfo \
		PlugStackConfig SLURM_CONF
	do
		grep "^$key .*$slurm_dir/" config || return 1
	done
'
test_expect_success 'a batch job runs and its output is read' '
	id=$(submit -N 2 --wrap="srun hostname; echo \$SLURM_JOB_NODELIST") &&
	wait_state $id COMPLETED &&
	test "$(job_output $id | grep -c "^$(uname -n)")" = 2 &&
	job_output $id | grep "n\["
'
test_expect_success 'srun runs a step on all nodes' '
	test "$(srun -N 16 sh -c "echo \$SLURMD_NODENAME" | sort -u |
		wc -l)" = 16
'
test_expect_success 'the fields of a job are told apart' '
	id=$(submit --hold --comment="two words" -J name) &&
	test "$(job_field $id Comment)" = "two words" &&
	test "$(job_field $id JobName)" = name &&
	test "$(job_field $id Reason)" = JobHeldUser &&
	test "$(job_field $id Priority)" = 0 &&
	test "$(job_state $id)" = PENDING &&
	scancel $id &&
	wait_state $id CANCELLED
'
test_expect_success 'a wait that is not fulfilled fails and says for what' '
	! (wait_for 0 test 1 = 2) 2>err &&
	grep "not within 0 s: test 1 = 2" err
'
test_expect_success 'slurmctld is killed and comes back with the jobs' '
	id=$(run_job -N 1) &&
	slurm_saved $id &&
	slurm_kill9_ctld &&
	! slurm_alive slurmctld &&
	slurm_start_ctld &&
	test "$(job_state $id)" = RUNNING &&
	scancel $id
'
test_expect_success 'a node is killed with its job, and comes back' '
	id=$(run_job -w n7 --no-requeue) &&
	wait_for 10 "test -n \"\$(slurm_strays n7)\"" &&
	slurm_kill_node n7 &&
	! slurm_alive n7 &&
	test -z "$(slurm_strays n7)" &&
	wait_state $id NODE_FAIL 40 &&
	slurm_start_node n7 &&
	wait_for 20 nodes_idle
'
test_expect_success 'no error in the log of slurmctld' '! errors_left'
test_expect_success 'a stop and a start keep the jobs' '
	id=$(run_job -w n2) &&
	slurm_stop &&
	! slurm_alive slurmctld &&
	! slurm_alive munged &&
	slurm_start_munge &&
	slurm_start_ctld &&
	slurm_start_node n{1..16} &&
	test "$(job_state $id)" = RUNNING
'
dir=$slurm_dir
slurm_cleanup

test_expect_success 'the end leaves no folder and no process' '
	test ! -e "$dir" &&
	test -z "$(grep -lzsF "$dir/" /proc/[0-9]*/environ)"
'

seq 4 | while read -r i; do
	echo "SwitchName=s$i Nodes=n[$((16 * i - 15))-$((16 * i))]"
done >cloud.conf
echo "SwitchName=top Switches=s[1-4]" >>cloud.conf
slurm_cluster --cloud 64 --topology cloud.conf

test_expect_success 'nodes without a slurmd are idle and give allocations' '
	test "$(nodes_in idle)" = 64 &&
	submit -N 16 &&
	wait_for 10 "test \"\$(squeue -h -o \"%D %t\")\" = \"16 CF\""
'

test_done
