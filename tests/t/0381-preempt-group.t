#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0381-preempt-group.t - a group whose gangs ask for levels preempts as a whole

test_description='Gangs of a group that ask for levels preempt together, or nobody'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

switches l1=n[1-2] l2=n[3-4] l3=n[5-6] top:l[1-3] >leaves.conf
slurm_cluster -n 6 -c 2 --gang --topology "$PWD/leaves.conf" --conf \
"$quick_sched
KillWait=2
$(partition_prio main=1 high=10 firm=1,PreemptMode=OFF)"

# fill NODE=PARTITION...: jobs of one node, in the array lows
fill()
{
	local one

	clear_cluster || return 1
	lows=()
	for one; do
		lows+=($(submit -w ${one%=*} -p ${one#*=} --exclusive -N1 \
			-t 10)) || return 1
	done
	wait_for 20 all_in RUNNING ${lows[@]}
}

# both MIN COUNT [OPTIONS...]: gangs a and b of a group, members of one node, in
# the arrays a and b
both()
{
	local min=$1 count=$2 i

	a=() b=()
	for ((i = 0; i < count; i++)); do
		a+=($(member a $min "${@:3}")) && b+=($(member b $min "${@:3}")) ||
			return 1
	done
}

# member GANG MIN [OPTIONS...]
member()
{
	local name=$1 min=$2

	submit -p high -N1 --exclusive -t 10 --gang=$name \
		--gang-min-member=$min --gang-groups=root/a,root/b "${@:3}"
}

# one_leaf JOB...: all of them are in the same one
one_leaf()
{
	squeue -h -j "$(IFS=,; echo "$*")" -o %N | tr -d n |
		awk '{ seen[int(($1 + 1) / 2)] } END { exit length(seen) != 1 }'
}

running() { squeue -h -t R -j "$(IFS=,; echo "$*")" -o %i | wc -l; }

# n2 is free, so without their levels three victims would do.
test_expect_success '3.24, 4.24: each gang of the group has a leaf freed' '
	fill n1=firm n3=main n4=main n5=main n6=main &&
	both 2 2 --gang-topology=require:leaf &&
	wait_for 40 all_in RUNNING ${a[@]} ${b[@]} &&
	started_together ${a[@]} && started_together ${b[@]} &&
	one_leaf ${a[@]} && one_leaf ${b[@]} &&
	all_in RUNNING ${lows[0]} &&
	test "$(restarts_of ${lows[@]})" = 4 &&
	drop ${lows[@]} ${a[@]} ${b[@]}
'
test_expect_success '3.24, 4.11: a gang on nodes of no use is spared' '
	fill n2=firm n3=main n4=main n5=main n6=main &&
	low=$(submit -w n1 --exclusive -N1 -t 10 --gang=low \
		--gang-min-member=1) &&
	wait_state $low RUNNING 20 &&
	both 2 2 --gang-topology=require:leaf &&
	wait_for 40 all_in RUNNING ${a[@]} ${b[@]} &&
	all_in RUNNING $low &&
	drop ${lows[@]} $low ${a[@]} ${b[@]}
'
test_expect_success '3.24: where not all of the group fits nobody goes' '
	fill n1=firm n3=firm n5=main n6=main &&
	both 2 2 --gang-topology=require:leaf &&
	wait_for 60 gang_attempted ${a[0]} 3 &&
	all_in RUNNING ${lows[@]} &&
	none_in RUNNING ${a[@]} ${b[@]} &&
	drop ${lows[@]} ${a[@]} ${b[@]}
'
# Each has room for its minimum, and one could take all of it.
test_expect_success '3.29: no gang of the group takes what was freed for another' '
	fill n1=firm n2=firm n3=firm n4=firm n5=main n6=main &&
	both 1 2 --gang-topology=require:leaf &&
	wait_for 40 "test \"\$(running ${a[*]})\$(running ${b[*]})\" = 11" &&
	test "$(restarts_of ${lows[@]})" = 2 &&
	! gang_log root/a "plans anew" && ! gang_log root/b "plans anew" &&
	drop ${lows[@]} ${a[@]} ${b[@]}
'
test_expect_success '4.25: all of the group in a leaf of its own, by its option' '
	fill n1=firm n3=main n4=main n5=firm &&
	both 1 1 --gang-topology=require:leaf \
		--gang-group-topology=require:leaf &&
	wait_for 40 all_in RUNNING ${a[@]} ${b[@]} &&
	one_leaf ${a[@]} ${b[@]} &&
	test "$(restarts_of ${lows[@]})" = 2 &&
	drop ${lows[@]} ${a[@]} ${b[@]}
'
test_expect_success '4.25: or each gang in a leaf of its own' '
	fill n1=firm n2=firm n3=main n4=main n5=main n6=main &&
	both 1 1 --gang-topology=require:leaf \
		--gang-group-topology=spread:leaf &&
	wait_for 40 all_in RUNNING ${a[@]} ${b[@]} &&
	! one_leaf ${a[@]} ${b[@]} &&
	test "$(restarts_of ${lows[@]})" = 2 &&
	drop ${lows[@]} ${a[@]} ${b[@]}
'
last_case
