#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0322-mixed.t - members that differ in GPUs, memory and nodes

test_description='A mixed gang that fits starts, whatever its members differ in'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cluster --cloud 2 --gang --conf 'GresTypes=gpu' \
	--node 'Gres=gpu:8' --gres 'Name=gpu Count=8'

# gang NAME OPTIONS...: a member with each of the options, in this order
gang()
{
	local name=$1

	test -z "${members[*]}" || scancel -Q ${members[@]}
	shift
	submit_each "$@" -- -N1 -n1 --gang=$name --gang-min-member=$# &&
		test ${#members[@]} = $#
}

# starts NAME OPTIONS...: it runs soon, and is gone again
starts()
{
	gang "$@" && wait_for 15 all_in CONFIGURING ${members[@]} && drop ${members[@]}
}

test_expect_success 'n2 has half of its GPUs left' '
	busy=$(placed_job -w n2 -N1 -n1 --gres=gpu:4 --mem=10)
'
test_expect_success '5.5 4 GPUs and 8 GPUs' '
	starts small --mem=10\ --gres=gpu:4 --mem=10\ --gres=gpu:8
'
test_expect_success '5.5 8 GPUs and 4 GPUs' '
	starts large --mem=10\ --gres=gpu:8 --mem=10\ --gres=gpu:4
'
test_expect_success '5.5 a whole node and a GPU' '
	starts whole --mem=10\ --gres=gpu:1 --exclusive\ --mem=10
'
test_expect_success '5.6 what is short is named: GPUs' '
	gang none --mem=10\ --gres=gpu:5 --mem=10\ --gres=gpu:8 &&
	wait_for 15 squeue_says ${members[0]} GPUs &&
	! squeue_says ${members[0]} drained &&
	all_in PENDING ${members[@]} &&
	drop ${members[@]}
'
test_expect_success 'n1 has 1000 MB left, n2 has 500' '
	drop $busy &&
	busy="$(submit -w n1 -N1 -n1 --mem=7000) \
		$(submit -w n2 -N1 -n1 --mem=7500)" &&
	wait_for 15 all_in CONFIGURING $busy
'
test_expect_success '5.5 400 MB and 900 MB' 'starts little --mem=400 --mem=900'
test_expect_success '5.5 900 MB and 400 MB' 'starts much --mem=900 --mem=400'
test_expect_success '5.6 what is short is named: memory' '
	gang never --mem=600 --mem=900 &&
	wait_for 15 squeue_says ${members[0]} memory &&
	! squeue_says ${members[0]} drained &&
	all_in PENDING ${members[@]} &&
	drop ${members[@]}
'
last_case 'clear_cluster && nothing_left'
