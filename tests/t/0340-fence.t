#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0340-fence.t - jobs behind a gang do not take its nodes before it does

test_description='Jobs of lower priority do not slip in between turn and start'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cluster -n 4 -c 2 --faults --conf \
"$quick_sched,bf_min_age_reserve=600
PartitionName=side Nodes=n[1-3] MaxTime=INFINITE State=UP"

# Jobs that end at once and come after everything else, in both partitions:
# one of them that starts is found in small.log for ever.
small_jobs()
{
	local i

	for ((i = 0; i < $1; i++)); do
		small+=($(submit -n 1 --nice=1000 small.sh)) &&
			small+=($(submit -p side -N 1 --exclusive --nice=1000 \
				small.sh)) || return 1
	done
}

# The whole cluster is busy, the gang waits, small jobs wait behind it.
queue_up()
{
	rm -f *.go small.log
	members=() small=()
	block=$(submit -N 4 --exclusive block.sh) &&
		wait_state $block RUNNING || return 1
	gang_of_nodes fence 4 gang.sh && small_jobs 3 && wait_for 15 gang_attempted ${members[0]} 1
}

# Seconds that the gang waited with all nodes free: $1 is the job that had them.
# A busy slurmctld takes some.
waited()
{
	echo $(($(date -d "$(job_field ${members[0]} StartTime)" +%s) -
		$(date -d "$(job_field $1 EndTime)" +%s)))
}

# The gang has started and none of the small jobs has.
gang_is_next()
{
	wait_for 15 all_in RUNNING ${members[@]} &&
		test "$(starts_of small)" = 0 &&
		all_in PENDING ${small[@]} &&
		started_together ${members[@]}
}

then_the_others()
{
	touch gang.go small.go &&
		wait_for 30 all_in COMPLETED ${members[@]} ${small[@]} &&
		ran_once small ${#small[@]} &&
		wait_for 10 nodes_idle
}

gang_script block
gang_script gang
gang_script small

for round in 1 2 3 4; do
	test_expect_success "4.1 the nodes come free, round $round" '
		queue_up &&
		touch block.go &&
		small_jobs 4 &&
		gang_is_next &&
		test "$(waited $block)" -le 20 &&
		then_the_others
	'
done
for round in 1 2 3 4; do
	test_expect_success "4.1 the last member comes with them, round $round" '
		rm -f *.go small.log &&
		members=() small=() &&
		for i in 1 2 3 4; do
			test $i != 4 || wait_for 10 squeue_says ${members[2]} \
				"gathering 3/4" || return 1
			members+=($(submit -N 1 --exclusive --gang=fence \
				--gang-min-member=4 gang.sh)) || return 1
		done &&
		small_jobs 5 &&
		gang_is_next &&
		then_the_others
	'
done
both_cycles() { sdiag | awk '/cycles:/ { printf "%s ", $NF }'; }

# Since "$1 $2" both schedulers have gone through the queue three times.
cycled()
{
	set -- $1 $(both_cycles)
	test $3 -ge $(($1 + 3)) && test $4 -ge $(($2 + 3))
}

test_expect_success '4.1 the conductor is slow: the nodes stay idle for it' '
	queue_up &&
	slurm_fault delay 1 &&
	touch block.go &&
	wait_state $block COMPLETED &&
	small_jobs 4 &&
	since=$(both_cycles) &&
	wait_for 20 "cycled \"$since\"" &&
	test "$(starts_of small)" = 0 &&
	all_in PENDING ${members[@]} ${small[@]} &&
	test "$(scontrol -o show node | grep -c CPUAlloc=0)" = 4 &&
	slurm_fault &&
	gang_is_next &&
	then_the_others
'
last_case
