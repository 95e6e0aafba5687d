#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0387-max-waiting.t - nobody holds nodes for ever: MaxWaitingTime=, MaxTime of the
# partition; and a hold does not lie to those who plan

test_description='Holds are bounded'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cluster -n 3 -c 2 --gang --conf \
'PartitionName=brief Nodes=ALL MaxTime=30 State=UP
PartitionName=quick Nodes=ALL State=UP
PartitionName=long Nodes=ALL State=UP'

# One of two members holds, since $blocker has all other nodes: half OPTION...
half()
{
	blocker=$(run_job -N 2 --exclusive) &&
	one=$(submit -N 1 --exclusive --gang=g --gang-min-member=2 \
		--gang-mode=nonstrict --gang-waiting-time=UNLIMITED "$@") &&
	two=$(submit -N 1 --exclusive --gang=g "$@") &&
	wait_held
}

wait_held()
{
	wait_for 60 "test \$(held_in $one $two) = 1" &&
		held=$(held_of $one $two)
}

# The record of the one that holds says that it ends so many seconds after its
# begin.
ends_after()
{
	local since until

	since=$(gang_record $held since) && until=$(gang_record $held until) &&
		test -n "$since" && test "$until" = $((since + $1))
}

held_for()
{
	local seconds

	seconds=$(gang_record $held heldfor)
	test "${seconds:-0}" -ge $1
}

test_expect_success '0.28 MaxWaitingTime bounds UNLIMITED' '
	gang_setting MaxWaitingTime 1:00:00 &&
	half &&
	wait_for 60 ends_after 3600 &&
	gang_setting MaxWaitingTime 0:04 &&
	wait_for 60 squeue_says $one GangTimeout &&
	wait_for 60 squeue_says $two GangTimeout
'
test_expect_success '0.13 what it held is counted, and it was not less' '
	wait_for 60 held_for 4 &&
	for id in $one $two; do
		gang_record $id heldfor
	done >out &&
	test $(wc -l <out) = 1
'
test_expect_success '0.2 0.28 tried again, it waits and holds nothing' '
	"$sgang" retry root/g &&
	wait_for 60 gang_attempted $one 2 &&
	wait_for 60 squeue_says $one "Gang root/g waits" &&
	test "$(held_in $one $two)" = 0 &&
	"$sgang" show root/g >out && grep HeldTime= out
'
test_cleared '0.28 and starts as a strict gang does' '
	scancel $blocker &&
	start_together 60 $one $two
'
test_cleared '0.28 to let go before the time is over is no way around' '
	gang_setting MaxWaitingTime 1:00:00 &&
	half &&
	since=$(gang_record $held since) &&
	wait_for 60 "test \$EPOCHSECONDS -ge $((since + 2))" &&
	scontrol hold $held &&
	wait_for 60 held_for 2 &&
	before=$(gang_record $held heldfor) &&
	scontrol release $held &&
	wait_held &&
	wait_for 60 ends_after $((3600 - before)) &&
	gang_setting MaxWaitingTime \
		$((before / 60)):$((before % 60)) &&
	wait_for 60 squeue_says $one GangTimeout
'
test_cleared '0.28 MaxTime of the partition bounds a hold' '
	gang_setting MaxWaitingTime UNLIMITED &&
	half -p brief &&
	wait_for 60 ends_after 1800
'
test_cleared '0.28 PartitionMaxWaitingTime counts instead' '
	gang_setting MaxWaitingTime 1:00:00 &&
	gang_setting PartitionMaxWaitingTime quick:0:50:00,long:UNLIMITED,none:1 &&
	half -p quick &&
	wait_for 60 ends_after 3000 &&
	gang_setting PartitionMaxWaitingTime quick:0:0:4,long:UNLIMITED &&
	wait_for 60 squeue_says $one GangTimeout &&
	wait_for 60 squeue_says $two GangTimeout
'
test_expect_success 'a partition that is not there: the others have theirs' '
	grep "error: gang: PartitionMaxWaitingTime in gang.conf: there is no partition none; the rest of it counts" \
		"$slurm_dir/log/slurmctld.log"
'
test_cleared '0.28 more than for the cluster, and of several the strictest' '
	gang_setting MaxWaitingTime 0:04 &&
	half -p long &&
	since=$(gang_record $held since) &&
	wait_for 60 "test \$EPOCHSECONDS -ge $((since + 7))" &&
	test "$(held_in $one $two)" = 1 &&
	clear_cluster &&
	half -p long,quick &&
	wait_for 60 squeue_says $one GangTimeout
'
test_cleared 'EndTime of a hold is a time limit from now' '
	gang_setting MaxWaitingTime UNLIMITED &&
	half -t 1 &&
	first=$(ends_at $held) &&
	wait_for 120 "test \$(ends_at $held) -ge $((first + 20))" &&
	test $(ends_at $held) -le $(($(date +%s) + 60))
'

last_case 'nothing_left "there is no partition none"'
