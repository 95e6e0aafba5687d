#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0553-which-members.t - members are known whatever number Slurm gives to them

test_description='A submission knows the members of its gang'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 2 -c 8 --gang --conf 'FirstJobId=100
DebugFlags=NO_CONF_HASH'
slurm_start

raw_submit=$top_builddir/tests/t/raw_submit
option=_SLURM_SPANK_OPTION_gang_gang

# known GANG JOB: who contradicts the gang is told of that job
known()
{
	test_must_fail sbatch --gang=$1 --gang-min-member=7 --wrap=true \
		2>err &&
		{ grep "(job $2 of " err || { cat err; return 1; }; }
}

# Another job, so that the next one is not the first that is looked at.
other() { submit --gang=other --gang-min-member=12 >/dev/null; }

# 0.1
test_expect_success 'one that came after others' '
	other &&
	other &&
	job=$(submit --gang=a --gang-min-member=2) &&
	other &&
	known a $job
'
test_expect_success 'until it ends' '
	scancel $job &&
	wait_state $job CANCELLED &&
	sbatch --gang=a --gang-min-member=7 --wrap=true
'
# The task that has started has a new number, the others have the old one.
test_expect_success 'tasks of an array that was split' '
	array=$(submit --gang=b --gang-min-member=1 --array=1-3%1) &&
	wait_state ${array}_1 RUNNING &&
	other &&
	known b "[0-9]*" &&
	scancel ${array}_1 &&
	wait_state ${array}_2 RUNNING &&
	known b "[0-9]*" &&
	scancel $array
'
test_expect_success 'one that is requeued after it has ended' '
	job=$(submit --gang=c --gang-min-member=1 --wrap=true) &&
	wait_state $job COMPLETED &&
	other &&
	scontrol requeuehold $job &&
	wait_state $job PENDING &&
	other &&
	known c $job
'
test_expect_success 'one whose number begins the row anew' '
	high=$(submit --gang=other) &&
	slurm_stop_ctld &&
	sed -i "s/^FirstJobId=.*/FirstJobId=1\nMaxJobId=$((high + 2))/" \
		"$SLURM_CONF" &&
	slurm_start_ctld &&
	other &&
	other &&
	low=$(submit --gang=d --gang-min-member=2) &&
	test $low -lt $high &&
	other &&
	known d $low &&
	known c $job
'
test_expect_success 'one that has the number that was asked for' '
	asked=$((high + 50)) &&
	test $asked = $("$raw_submit" -j $asked $option=e \
		${option}_min_member=2) &&
	other &&
	known e $asked
'
test_expect_success 'nothing is wrong in the log' '
	! errors_left
'

test_done
