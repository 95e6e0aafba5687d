#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0300-all-or-none.t - a gang that does not fit as a whole starts nothing

test_description='Room for some of a gang: none starts, and it holds nothing'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cluster -n 10 -c 2 --gang --conf 'Licenses=lic:10'

gang_scripts busy ten eight

occupy() { on_nodes "$*" --exclusive -L lic:1 busy.sh && busy=(${jobs[@]}); }

# Members that run until NAME.go is there, in the array "members".
gather() { gang_of_nodes $1 $2 -L lic:1 --nice=100 $1.sh; }

test_expect_success '5 of 10 nodes are busy' '
	occupy n{1..5} &&
	cluster_state >before &&
	test "$(nodes_in idle)" = 5
'
test_expect_success '0.1 2.28 3.1 4.1 five of ten could start: the attempt fails' '
	gather ten 10 &&
	wait_for 30 gang_attempted ${members[9]} 1 &&
	wait_for 10 squeue_says ${members[0]} "Gang root/ten waits: "
'
test_expect_success '0.1 0.2 0.4 none of them started or has anything' '
	all_in PENDING ${members[@]} &&
	test "$(starts_of ten)" = 0 &&
	for id in ${members[@]}; do
		test -z "$(squeue -h -j $id -o %N)" || return 1
	done
'
test_expect_success '0.2 4.2 nodes and licences are as they were before' '
	cluster_state >after &&
	test_cmp before after
'
test_expect_success '4.2 a job of higher priority gets a free node at once' '
	id=$(complete_job -N 1 --exclusive -L lic:1 --wrap="true") &&
	all_in PENDING ${members[@]}
'
test_expect_success '0.1 2.26 3.1 3.25 4.1 when all ten fit, all ten start together' '
	touch busy.go &&
	start_together 30 ${members[@]} &&
	test "$(squeue -h -t R -o %N | sort -u | wc -l)" = 10 &&
	test "$(licences_in_use)" = 10
'
test_expect_success '0.2 none of them was ever started before' '
	let_end ten ${members[@]} &&
	test "$(restarts_of ${members[@]})" = 0 &&
	ran_once ten 10
'
test_expect_success '4.35 seven of eight is none of eight' '
	rm busy.go &&
	occupy n{1..3} &&
	cluster_state >before &&
	gather eight 8 &&
	wait_for 30 gang_attempted ${members[7]} 1 &&
	all_in PENDING ${members[@]} &&
	cluster_state >after &&
	test_cmp before after
'
test_expect_success '4.35 eight of eight is all of them' '
	scancel ${busy[0]} &&
	start_together 30 ${members[@]} &&
	touch eight.go busy.go &&
	wait_for 20 all_in COMPLETED ${members[@]} &&
	test "$(restarts_of ${members[@]})" = 0 &&
	ran_once eight 8
'
last_case
