#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0361-behind-a-gang.t - short jobs start behind a gang as behind a job
#
# Six nodes, of which two are taken. What waits at the head of the queue, a job
# or a gang, of whole nodes or of parts, needs more than the other four; short
# jobs behind it can start by backfill alone. The time in which a number of them
# has started is compared. PAIRS=N: so many times (one; contrib/check --night:
# five), and the median counts.

test_description='Short jobs start behind a gang that waits as behind a job'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 6 -c 2 --gang --conf \
'SchedulerParameters=bf_interval=2,sched_interval=60,bf_continue,bf_resolution=1
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP'
slurm_start

: "${PAIRS:=$(by_day 1 5)}"
# Some 20 seconds of them, at night 90: a cycle of backfill takes two, so fewer
# do not show a twentieth.
shorts=$(by_day 48 200)

gang_script long

# Those of the run that is counted.
short_starts()
{
	SLURM_TIME_FORMAT=%s squeue -h -r -t all -n short$run -o '%T %S' |
		awk '$1 == "RUNNING" || $1 ~ /^COMPLET/ { print $2 }' | sort -n
}
enough_started() { test "$(short_starts | wc -l)" -ge $shorts; }

# What waits at the head: gang MEMBERS OPTION...
gang()
{
	local n=$1 i

	for ((i = 0; i < n; i++)); do
		submit -t 60 --gang=head --gang-min-member="$@" --wrap true ||
			return 1
	done
}
behind_job_whole() { submit -N 5 --exclusive -t 60 --wrap true; }
behind_job_parts() { submit -n 10 -t 60 --wrap true; }
behind_gang_whole() { gang 5 -N 1 --exclusive; }
behind_gang_parts() { gang 10 -n 1; }

# Seconds until the short jobs behind that have started, in the file.
run=0
seconds_behind()
{
	local begin

	run=$((run + 1))
	"$1" >heads &&
	submit -J short$run -n 1 -t 1 --nice=1000 --array=1-$((shorts + 16)) \
		--wrap 'sleep $((1 + SLURM_ARRAY_TASK_ID % 3))' >/dev/null &&
	begin=$(date +%s) &&
	wait_for 300 enough_started &&
	none_in RUNNING $(cat heads) &&
	echo $(($(short_starts | sed -n ${shorts}p) - begin)) >"$2" &&
	scancel -n short$run && scancel $(cat heads) &&
	wait_for 30 only_long
}
only_long() { test "$(squeue -h -o %A)" = "$long"; }

compare()
{
	local i

	: >pairs
	for ((i = 0; i < PAIRS; i++)); do
		seconds_behind behind_job_$1 job &&
		seconds_behind behind_gang_$1 gang || return 1
		echo "# $1: $shorts short jobs in $(cat job) s behind a job, $(cat gang) s behind a gang" >&5
		echo "$(cat job) $(cat gang)" >>pairs
	done
	# One pair is known to a cycle or two of backfill.
	awk -v give=$((PAIRS > 1 ? 0 : 4)) '{ print ($2 - give) / $1 }' pairs |
		sort -n | awk '{ r[NR] = $1 }
			END { exit !(r[int((NR + 1) / 2)] <= 1 / 0.95) }'
}

test_expect_success 'two of six nodes are taken' '
	long=$(submit -N 2 --exclusive -t 60 long.sh) &&
	wait_for 15 all_in RUNNING $long
'
test_expect_success '12.1: of whole nodes' 'compare whole'
test_expect_success '12.1: of parts of nodes' 'compare parts'
test_expect_success 'nothing is left' '
	scancel $long && nothing_left
'

test_done
