#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0360-backfill.t - backfill keeps nodes for a gang that does not fit yet; and no gang
# starts on a job state that cannot be saved
#
# A folder in the place of the file that is written first lets each save fail,
# for root too. In the end the file system is full.

test_description='Short jobs fill the gap before a gang; what is not saved waits'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang --conf \
"$quick_sched,bf_resolution=60
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
echo "MetricsFile=\"$PWD/gang.prom\"" >>"$slurm_dir/etc/gang.conf"
slurm_start

# Backfill expects the job to start when the other ends, or so many seconds later
# at the most. It rounds up to its bf_resolution.
expected_after()
{
	local start

	start=$(started_at "$1" 2>/dev/null) && test -n "$start" &&
		test "$start" -ge "$2" && test "$start" -le $(($2 + $3))
}

gang_scripts short long

test_expect_success '4.7 all members have the start time at which the gang fits' '
	busy=$(run_job -N 1 --exclusive -t 60) &&
	free=$(ends_at $busy) &&
	gang_of_nodes all 4 -t 30 &&
	wait_for 10 gang_attempted ${members[0]} 1 &&
	for id in ${members[@]}; do
		wait_for 20 expected_after $id $free 60 || return 1
	done &&
	all_in PENDING ${members[@]}
'
test_expect_success '4.8 3.34 a job that ends before it starts in the gap' '
	id=$(submit -N 1 --exclusive -t 2 --nice=1000 short.sh) &&
	wait_state $id RUNNING 20 &&
	touch short.go &&
	wait_state $id COMPLETED
'
test_expect_success '4.8 one that does not, waits' '
	id=$(submit -N 1 --exclusive -t 120 --nice=1000 long.sh) &&
	wait_for 20 expected_after $id $free 3600 &&
	test "$(job_state $id)" = PENDING &&
	all_in PENDING ${members[@]}
'
test_expect_success '4.9 the gang starts as soon as it fits, the long job behind it' '
	scancel $busy &&
	start_together 20 ${members[@]} &&
	test "$(job_state $id)" = PENDING &&
	scancel ${members[@]} &&
	wait_state $id RUNNING 20 &&
	touch long.go &&
	wait_state $id COMPLETED
'
test_expect_success 'a gang that no end of jobs helps is in nobody'\''s way' '
	gang_of_nodes near 2 -x n[2-4] &&
	wait_for 10 squeue_says ${members[0]} "Gang root/near waits: " &&
	id=$(submit -N 4 --exclusive -t 60 --nice=1000 --wrap=true) &&
	wait_state $id COMPLETED 20 &&
	all_in PENDING ${members[@]} &&
	scancel ${members[@]}
'
# The start times that squeue --start shows of a job's tasks, each once.
starts_shown() { squeue --start -h -r -j "$1" -o %S | sort -u; }

# All tasks of an array have one, when the job ends. Backfill may round it up to
# its bf_resolution; before it has planned, it is the moment of the last attempt.
shown_from_end_of()
{
	local shown late

	shown=$(starts_shown $2) && test $(wc -l <<<"$shown") = 1 &&
		test "$shown" != N/A &&
		late=$(($(date -d "$shown" +%s) - $(ends_at $1))) &&
		test $late -ge 0 && test $late -le 60
}

test_expect_success '4.7 squeue --start shows it for every task of an array' '
	busy=$(run_job -N 1 --exclusive -t 10) &&
	array=$(submit -N 1 --exclusive -t 30 --array=1-4 --gang=tasks \
		--gang-min-member=4) &&
	wait_for 20 shown_from_end_of $busy $array &&
	scancel $busy $array &&
	wait_for 20 queue_empty
'
# How often backfill has planned.
plans() { sdiag | sed -n 's/.*Total cycles: //p' | tail -n 1; }

test_expect_success '4.7 and where several tasks share a node' '
	busy=$(run_job -N 1 --exclusive -t 10) &&
	array=$(submit -n 1 -t 30 --array=1-7 --gang=sharing \
		--gang-min-member=7) &&
	wait_for 20 gang_attempted $array 1 &&
	planned=$(plans) &&
	wait_for 20 "test \$(plans) -gt $((planned + 2))" &&
	shown_from_end_of $busy $array &&
	scancel $busy $array &&
	wait_for 20 queue_empty
'
test_expect_success 'nothing is left so far' 'nothing_left'

# --- what cannot be saved ---

gang_scripts train later full

said() { grep -cF -- "$1" "$slurm_dir/log/slurmctld.log"; }

# How many saves have failed. Counters are written every 15 seconds.
failures()
{
	"$sgang" metrics | awk '$1 == "slurm_gang_save_failures_total" {
		print $2 }'
}

gang_of_two() { gang_of_nodes $1 2 $1.sh; }

test_expect_success '0.1: no member is launched while saving fails' '
	wait_for 10 mkdir "$slurm_dir/state/job_state.new" &&
	gang_of_two train && train=(${members[@]}) &&
	wait_for 15 "test \"\$(held_in ${train[*]})\" = 2" &&
	wait_for 15 squeue_says ${train[0]} "Gang root/train starting 2/2 members: slurmctld cannot save its state (Is a directory)" &&
	"$sgang" show root/train | grep "^   Reason=.*cannot save its state"
'
test_expect_success 'the log says so once' '
	test "$(said "gang: slurmctld cannot save its state")" = 1
'
test_expect_success '0.1: a gang that comes then waits, and says why' '
	gang_of_two later && later=(${members[@]}) &&
	wait_for 15 squeue_says ${later[0]} "Gang root/later waits: slurmctld cannot save its state (Is a directory)" &&
	all_in PENDING ${later[@]}
'
test_expect_success 'other jobs start as they would without us' '
	other=$(run_job -N 2 --exclusive --nice=100)
'
test_expect_success 'it is counted, and tried again and again' '
	wait_for 60 "test 0\$(failures) -ge 3" &&
	test "$(starts_of train)" = 0 &&
	test "$(starts_of later)" = 0 &&
	test "$(said "gang: slurmctld cannot save its state")" = 1
'
test_expect_success '0.1: when saving works again all goes on by itself' '
	rmdir "$slurm_dir/state/job_state.new" &&
	wait_for 15 all_in RUNNING ${train[@]} &&
	test "$(said "gang: slurmctld saves its state again")" = 1 &&
	! squeue_says ${train[0]} Gang &&
	scancel $other &&
	wait_for 15 all_in RUNNING ${later[@]} &&
	touch train.go later.go &&
	wait_for 15 all_in COMPLETED ${train[@]} ${later[@]} &&
	ran_once train 2 &&
	ran_once later 2
'

# A small file system for the state alone.
small_disk()
{
	slurm_stop_ctld &&
		mv "$slurm_dir/state" "$slurm_dir/state.was" &&
		mkdir "$slurm_dir/state" &&
		mount -t tmpfs -o size=2m none "$slurm_dir/state" &&
		cp -a "$slurm_dir/state.was/." "$slurm_dir/state/" &&
		slurm_start_ctld &&
		wait_for 20 nodes_idle
}

mkdir probe
if mount -t tmpfs none probe 2>/dev/null; then
	umount probe
	test_set_prereq MOUNT
fi

test_expect_success MOUNT '0.1: on a full disk no gang starts' '
	small_disk &&
	gang_of_nodes full 2 -H full.sh &&
	{ cat /dev/zero >"$slurm_dir/state/filler" 2>/dev/null || :; } &&
	scontrol release ${members[@]} &&
	wait_for 20 "test \"\$(said \"cannot save its state (No space left\")\" = 1" &&
	wait_for 15 squeue_says ${members[0]} "cannot save its state (No space" &&
	test "$(starts_of full)" = 0 &&
	rm "$slurm_dir/state/filler" &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	let_end full ${members[@]} &&
	ran_once full 2
'
test_expect_success 'nothing is left' '
	nothing_left "save state|No space left on device|Is a directory"
'
slurm_stop_ctld
! mountpoint -q "$slurm_dir/state" || umount "$slurm_dir/state"

test_done
