#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0572-sinfo.t - nodes name the gangs on them, and an admin's text is kept

test_description='The Extra field of nodes, and formats that show it'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 4 --gang
slurm_start

gang_script train
gang_script small
gang_script hold

# What sinfo shows of a node.
extra()
{
	sinfo -h -n $1 -O Extra:120 | sed 's/ *$//;s/^(null)$//'
}

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
	slurm_stop_ctld && slurm_start_ctld &&
	wait_for 20 shows $node "rack 9 gang=root/train ranks=3"
'
test_expect_success 'when the gang is gone the text of the admin is left' '
	touch train.go &&
	wait_for 30 all_in COMPLETED ${ids[@]} &&
	wait_for 10 shows $node "rack 9" &&
	wait_for 10 "! sinfo -h -N -O Extra:120 | grep gang=" &&
	wait_for 20 nodes_idle
'
test_expect_success 'a gang that holds is named where it holds, and there alone' '
	block=$(submit -N 3 --exclusive) &&
	wait_state $block RUNNING &&
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
test_expect_success 'NodeExtra=no leaves the field alone' '
	echo NodeExtra=no >>"$slurm_dir/etc/gang.conf" &&
	scontrol reconfigure &&
	rm -f train.go &&
	scancel $block &&
	ids=($(submit -N 1 -n 3 --gang=train --gang-min-member=1 train.sh)) &&
	wait_for 20 all_in RUNNING ${ids[@]} &&
	! sinfo -h -N -O Extra:120 | grep gang= &&
	scancel ${ids[@]}
'
test_expect_success 'nothing is left' '
	nothing_left
'
test_done
