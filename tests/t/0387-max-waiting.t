#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0387-max-waiting.t - nobody holds nodes for ever: MaxWaitingTime=, MaxTime of the
# partition; and a hold does not lie to those who plan

test_description='Holds are bounded'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 3 -c 2 --gang --conf \
'PartitionName=brief Nodes=ALL MaxTime=1 State=UP'
slurm_start
sgang=$top_builddir/src/cmd/sgang

max_waiting()
{
	echo "MaxWaitingTime=$1" >"$slurm_dir/etc/gang.conf" &&
		scontrol reconfigure
}

# One of two members holds, since $blocker has all other nodes: half OPTION...
half()
{
	blocker=$(submit -N 2 --exclusive) &&
	wait_state $blocker RUNNING &&
	one=$(submit -N 1 --exclusive --gang=g --gang-min-member=2 \
		--gang-mode=nonstrict --gang-waiting-time=UNLIMITED "$@") &&
	two=$(submit -N 1 --exclusive --gang=g "$@") &&
	wait_for 10 "test \$(held_in $one $two) = 1"
}

test_expect_success '0.28 MaxWaitingTime bounds UNLIMITED' '
	max_waiting 0:04 &&
	half &&
	wait_for 10 "test -n \"\$(gang_record $one until)\"" &&
	test $(gang_record $one until) = $(($(gang_record $one since) + 4)) &&
	wait_for 20 squeue_says $one GangTimeout &&
	wait_for 10 squeue_says $two GangTimeout
'
test_expect_success '0.13 what it held is counted' '
	for id in $one $two; do
		gang_record $id heldfor
	done >held &&
	test $(cat held) -ge 4
'
test_expect_success '0.2 0.28 tried again, it waits and holds nothing' '
	"$sgang" retry root/g &&
	wait_for 10 "gang_attempted $one 2" &&
	wait_for 10 squeue_says $one "Gang root/g waits" &&
	test "$(held_in $one $two)" = 0 &&
	"$sgang" show root/g >out && grep HeldTime= out
'
test_expect_success '0.28 and starts as a strict gang does' '
	scancel $blocker &&
	wait_for 20 all_in RUNNING $one $two &&
	started_together $one $two &&
	clear_cluster
'
test_expect_success '0.28 to let go before the time is over is no way around' '
	half &&
	held=$(held_of $one $two) &&
	since=$(date +%s) &&
	wait_for 10 "test \$(date +%s) -ge $((since + 2))" &&
	scontrol hold $held &&
	wait_for 10 "test \$(gang_record $held heldfor) -ge 2" &&
	scontrol release $held &&
	wait_for 10 "test \$(held_in $one $two) = 1" &&
	wait_for 20 squeue_says $one GangTimeout &&
	clear_cluster
'
test_expect_success '0.28 MaxTime of the partition bounds a hold' '
	max_waiting UNLIMITED &&
	half -p brief &&
	wait_for 10 "test -n \"\$(gang_record $one until)\"" &&
	held=$(held_of $one $two) &&
	test $(gang_record $held until) = \
		$(($(gang_record $held since) + 60)) &&
	clear_cluster
'
test_expect_success 'EndTime of a hold is a time limit from now' '
	half -t 1 &&
	held=$(held_of $one $two) &&
	begun=$(date +%s) &&
	wait_for 40 "test \$(date +%s) -gt $((begun + 25))" &&
	left=$(($(ends_at $held) - $(date +%s))) &&
	test $left -ge 45 && test $left -le 60 &&
	clear_cluster
'

test_expect_success 'nothing is left' 'nothing_left'

test_done
