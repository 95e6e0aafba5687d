#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0367-short-jobs.t - a gang of half the cluster among many short jobs
#
# 16 cores: three nodes are taken, the gang needs 8, short jobs want the rest.
# Nothing may be lost to members that run without the others, and what is free
# until the gang starts must be used.

test_description='Short jobs fill the gap before a gang, and nothing is half started'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cluster -n 4 -c 4 --gang --conf \
"$quick_sched,bf_resolution=1
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP"

cores=16 members=8

gang_script member
gang_script long

# Start and end of every job of that name that has run, in seconds.
times_of()
{
	SLURM_TIME_FORMAT=%s squeue -h -r -t all -n "$1" -o '%T %S %e' |
		awk '$1 == "COMPLETED" || $1 == "RUNNING" { print $2, $3 }'
}

short_done()
{
	test "$(SLURM_TIME_FORMAT=%s squeue -h -r -t CD -n short -o x |
		wc -l)" -ge "$1"
}

test_expect_success '4.10: the gap before the gang is used by what ends in time' '
	for i in 1 2 3; do
		long[i]=$(submit -J long -N 1 --exclusive -t 10 long.sh) || return 1
	done &&
	wait_for 15 all_in RUNNING ${long[@]} &&
	ids=() &&
	for i in $(seq $members); do
		ids+=($(submit -J member -n 1 -t 10 --gang=half \
			--gang-min-member=$members member.sh)) || return 1
	done &&
	submit -J short -n 1 -t 1 --nice=1000 --array=1-60 --wrap "sleep 2" &&
	begin=$(date +%s) &&
	wait_for 30 short_done 12 &&
	none_in RUNNING ${ids[@]}
'
test_expect_success '4.10: the gang starts whole when a node is given back' '
	touch long.go &&
	start_together 20 ${ids[@]} &&
	wait_for 15 ran_once member $members
'
# The short jobs had 4 cores. Each second one of them ends can be followed by
# one until the next cycle of backfill: a quarter is what a busy machine gives.
test_expect_success '4.10: at least a quarter of the gap was used' '
	start=$(date -d "$(job_field ${ids[0]} StartTime)" +%s) &&
	used=$(times_of short | awk -v from=$begin -v to=$start "
		\$1 < to {
			end = \$2 < to ? \$2 : to
			sum += end - (\$1 > from ? \$1 : from)
		}
		END { print sum + 0 }") &&
	gap=$((4 * (start - begin))) &&
	echo "# $used of $gap core-seconds in the gap were used" >&5 &&
	test $((4 * used)) -ge $gap
'
# slurmctld has started them in one step, as the case before last has seen. What
# the launch takes after that is the machine's affair.
test_expect_success '4.10: no member ran without the others' '
	let_end member ${ids[@]} &&
	one_by_one member $members &&
	test "$(gang_log root/half "started " | wc -l)" = 1 &&
	gang_log root/half "started $members members" &&
	lost=$(sort -k 3,3n member.log | awk "
		\$2 == \"start\" { at[n++] = \$3 }
		END {
			for (i in at)
				sum += at[n - 1] - at[i]
			printf \"%.1f\", sum
		}") &&
	echo "# $lost core-seconds between first and last launch" >&5 &&
	scancel -n short
'
test_expect_success '4.6: of two gangs that need more than half, one waits in peace' '
	wait_for 20 queue_empty &&
	for gang in left right; do
		gang_script $gang &&
		eval "$gang=()" &&
		for i in 1 2 3; do
			eval "$gang+=(\$(submit -N 1 --exclusive -t 10 \
				--gang=$gang --gang-min-member=3 $gang.sh))" ||
				return 1
		done
	done &&
	wait_for 20 all_in RUNNING ${left[@]} &&
	wait_for 20 gang_attempted ${right[0]} 1 &&
	begin=$SECONDS attempts=$(gang_record ${right[0]} attempts) &&
	wait_for 15 "! all_in PENDING ${right[*]} ||
		test \$SECONDS -ge $((SECONDS + 8))" &&
	all_in PENDING ${right[@]} &&
	attempts=$(($(gang_record ${right[0]} attempts) - attempts)) &&
	seconds=$((SECONDS - begin)) &&
	echo "# $attempts attempts in $seconds s of the gang that waits" >&5 &&
	test $attempts -le $((2 + seconds / 2)) &&
	touch left.go &&
	wait_for 20 all_in RUNNING ${right[@]} &&
	let_end right ${right[@]} &&
	ran_once left 3 &&
	ran_once right 3
'
last_case
