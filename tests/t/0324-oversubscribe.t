#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0324-oversubscribe.t - a gang shares nodes where ordinary jobs do

test_description='OverSubscribe=FORCE:n, and YES:n with -s'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cluster -n 4 -c 4 --gang --conf \
'PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
PartitionName=force Nodes=ALL MaxTime=INFINITE State=UP OverSubscribe=FORCE:2
PartitionName=yes Nodes=ALL MaxTime=INFINITE State=UP OverSubscribe=YES:2'

# fill PARTITION [OPTIONS...]: a job on all CPUs of each node
fill()
{
	on_nodes "n1 n2 n3 n4" -p $1 -N1 -n4 --mem=100 "${@:2}" &&
		busy=(${jobs[@]})
}

# gang NAME SIZE OPTIONS...
gang()
{
	test -z "${members[*]}" || scancel -Q ${members[@]}
	submit_gang $1 $2 -N1 --mem=100 "${@:3}"
}

starts()
{
	gang "$@" && wait_for 15 all_in RUNNING ${members[@]} &&
		drop ${members[@]}
}

waits()
{
	gang "$@" && wait_for 15 gang_attempted ${members[0]} 1 &&
		wait_for 10 squeue_says ${members[0]} "Gang root/$1 waits" &&
		all_in PENDING ${members[@]} && drop ${members[@]}
}

test_expect_success 'each node is full once, with -s' 'fill yes -s'
test_expect_success '5.5 YES:2 and -s: beside them' 'starts shares 4 -p yes -s -n4'
test_expect_success '5.6 YES:2 without -s: no room' 'waits alone 4 -p yes -n4'
test_expect_success 'all nodes but one are full, without -s' '
	drop ${busy[@]} &&
	on_nodes "n2 n3 n4" -p yes -N1 -n4 --mem=100 && busy=(${jobs[@]})
'

# both NAME CPUS-WITHOUT CPUS-WITH...: a member without -s, the others with it
both()
{
	local name=$1 n=$(($# - 1)) alone=$2

	test -z "${members[*]}" || scancel -Q ${members[@]}
	shift 2
	submit_each -n$alone "${@/#/-s -n}" -- -p yes -N1 --mem=100 --gang=$name \
		--gang-min-member=$n
}

test_expect_success '5.5 YES:2, with and without -s: on one node' '
	both one 2 2 2 && wait_for 15 all_in RUNNING ${members[@]} &&
	drop ${members[@]}
'
test_expect_success '5.6 no CPUs are left for those without' '
	both full 2 4 2 && wait_for 15 gang_attempted ${members[0]} 1 &&
	wait_for 10 squeue_says ${members[0]} "Gang root/full waits" &&
	for job in ${members[@]}; do
		test "$(squeue -h -j $job -o %S)" = N/A || return 1
	done &&
	all_in PENDING ${members[@]}
'
test_expect_success '5.6 of one too large its own CPUs are told' '
	drop ${members[@]} && members=() &&
	half=$(run_job -p yes -w n1 -N1 -n2 --mem=100) && both large 3 1 &&
	wait_for 15 squeue_says ${members[0]} \
		"needs 3 CPUs on a node, at most 2 are free on one" &&
	drop ${members[@]} $half && members=() && both full 2 4 2
'
test_expect_success '5.5 they start when there is a node for each sort' '
	drop ${busy[2]} && wait_for 15 all_in RUNNING ${members[@]} &&
	drop ${members[@]}
'
test_expect_success '5.5 nonstrict gangs do as well' '
	submit_each "" -s -s -- -p yes -N1 -n2 --mem=100 -w n1 --gang=loose \
		--gang-mode=nonstrict --gang-min-member=3 &&
	wait_for 15 all_in RUNNING ${members[@]} && drop ${members[@]}
'
test_expect_success 'all nodes are empty' 'drop ${busy[0]} ${busy[1]}'

# Last, because 24.11 takes a node where a job has ever run in this partition, and
# one with -s runs in any, for shared by both: a job without -s waits.
test_expect_success 'each node is full once' 'fill force'
test_expect_success '5.5 FORCE:2: four whole rows beside them' '
	starts four 4 -p force -n4
'
test_expect_success '5.5 FORCE:2: members that differ' '
	submit_each -n1 -n2 -n3 -n4 -- -p force -N1 --mem=100 --gang=mix \
		--gang-min-member=4 &&
	wait_for 15 all_in RUNNING ${members[@]} && drop ${members[@]}
'
test_expect_success '5.6 FORCE:2: a fifth has no room, nor has anybody in main' '
	waits five 5 -p force -n4 &&
	waits other 1 -p main -n1
'
test_expect_success 'an ordinary job does as well' '
	id=$(run_job -p force -N4 -n16 --mem=100) && drop $id ${busy[@]}
'
last_case
