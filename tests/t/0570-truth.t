#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0570-truth.t - what jobs tell of their gangs is never wrong about the phase

test_description='Reason and record fit the state in every message'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang
slurm_start

poll=$top_builddir/tests/t/poll_truth
gang_script run

# One round of all that can happen to gangs, side by side.
strict()
{
	local name=strict$1 ids

	ids=($(submit -n 2 --exclusive -N 2 --gang=$name --gang-min-member=2 \
		--wrap="sleep 1")) || return 1
	wait_for 20 squeue_says ${ids[0]} "gathering 1/2" &&
	ids+=($(submit -n 1 --gang=$name --wrap="sleep 1")) &&
	wait_for 40 all_in "COMPLETED" ${ids[@]}
}

holders()
{
	local name=holders$1 block ids

	block=$(submit -N 2 --exclusive) &&
	wait_state $block RUNNING 40 &&
	ids=$(submit -n 2 -N 1 --gang=$name --gang-min-member=4 \
		--gang-mode=nonstrict --array=1-4) &&
	wait_for 20 "squeue -h -r -j $ids -t PD -o %r |
		grep -q \"Gang root/$name holding 2/4 members since\"" &&
	gang_setting WaitingTime 0:01 &&
	wait_for 40 squeue_says ${ids}_4 GangTimeout &&
	gang_setting WaitingTime 10:00 &&
	scancel $ids $block
}

plain()
{
	local ids

	ids=($(submit -n 1 --wrap=true) $(submit -N 2 --wrap=true)) &&
	wait_for 60 all_in "COMPLETED" ${ids[@]}
}

test_expect_success '2000 messages are asked for from now on' '
	{ $poll 2000 stop >polled 2>&1 & } &&
	poller=$!
'
for round in 1 2 3; do
	test_expect_success "$round: a gang gathers, starts and ends" '
		strict $round
	'
	test_expect_success "$round: members hold, time out and are cancelled" '
		holders $round
	'
	test_expect_success "$round: plain jobs between them" '
		plain
	'
	test_expect_success "$round: members that wait are held and cancelled" '
		ids=($(submit -n 1 --gang=wait --gang-min-member=3) \
			$(submit -n 1 --gang=wait) $(submit -n 1 --gang=wait \
			--hold)) &&
		wait_for 20 squeue_says ${ids[0]} "waits for 1 of 3 members" &&
		scontrol hold ${ids[1]} &&
		wait_for 20 squeue_says ${ids[0]} "waits for 2 of 3 members" &&
		scancel ${ids[0]} &&
		scontrol release ${ids[1]} &&
		wait_for 20 squeue_says ${ids[1]} "gathering 2/3" &&
		scontrol reconfigure &&
		scancel ${ids[@]:1}
	'
	test_expect_success "$round: of a gang that runs one is requeued, one\
 cancelled" '
		ids=($(submit -n 1 --gang=run --gang-min-member=2 run.sh) \
			$(submit -n 1 --gang=run run.sh)) &&
		wait_for 40 all_in RUNNING ${ids[@]} &&
		scontrol requeue ${ids[0]} &&
		wait_for 20 "test \"\$(restarts_of ${ids[0]})\" = 1" &&
		scancel ${ids[1]} &&
		wait_state ${ids[1]} CANCELLED 40 &&
		scancel ${ids[0]}
	'
done
test_expect_success 'slurmctld is started again while a gang runs and one waits' '
	ids=($(submit -n 1 --gang=over --gang-min-member=2 run.sh) \
		$(submit -n 1 --gang=over run.sh)) &&
	wait_for 40 all_in RUNNING ${ids[@]} &&
	ids+=($(submit -n 1 --gang=lone --gang-min-member=2 run.sh)) &&
	wait_for 20 squeue_says ${ids[2]} "gathering 1/2" &&
	slurm_stop_ctld &&
	slurm_start_ctld &&
	wait_for 20 squeue_says ${ids[2]} "gathering 1/2" &&
	scancel ${ids[@]}
'
test_expect_success 'all that was told in 2000 messages was so' '
	touch stop &&
	wait_for 240 "! kill -0 $poller 2>/dev/null" &&
	cat polled &&
	wait $poller &&
	for phase in Gathering Waiting Holding Running Timeout Finished; do
		grep -q "^$phase [1-9]" polled || return 1
	done
'
test_expect_success 'nothing is left' '
	nothing_left
'
test_done
