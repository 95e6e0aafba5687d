#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0365-starvation.t - a stream of small jobs does not starve a gang
#
# Small jobs of the gang's own priority keep coming while a gang of the whole
# cluster waits. They ask for as much time as those that run, and end much
# earlier, so none of them fits into the gap before the gang. What a single job
# of the whole cluster gets from Slurm, a gang must get too; also where
# backfill's settings let it keep nodes for some of the members alone.

test_description='A stream of small jobs does not starve a gang'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

often=bf_interval=1,sched_interval=1,batch_sched_delay=0,sched_min_interval=0,bf_continue
slurm_cluster -n 4 -c 2 --gang --conf "SchedulerParameters=$often
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=other Nodes=ALL MaxTime=INFINITE State=UP"

# Seconds from the end of the last job before it to its start: a cycle of each
# scheduler, the launch, and clocks that count seconds; on a machine that has
# much else to do. That nobody overtakes it does not depend on the machine.
patience=30

# Slurm's settings, from now on.
settings()
{
	sed -i "s/^SchedulerParameters=.*/SchedulerParameters=$often$1/" \
		"$SLURM_CONF" && scontrol reconfigure
}

small_pending() { squeue -h -r -t PD -n small -o x | wc -l; }
small_running() { squeue -h -r -t R -n small -o x | wc -l; }

stream_is_off() { ! test -e "$slurm_dir/stream"; }

# It ends when its file is gone, also with the cluster's folder.
stream()
{
	touch "$slurm_dir/stream"
	until stream_is_off; do
		submit -Q -J small -n 1 -t 10 --priority=1000 --array=1-16 \
			"$@" --wrap 'sleep $((1 + RANDOM % 2)).$((RANDOM % 10))'
		wait_for 60 'stream_is_off || test "$(small_pending)" -le 24' ||
			return 1
	done >/dev/null
}

stream_on()
{
	stream "$@" &
	stream_pid=$!
	wait_for 15 'test "$(small_running)" = 8 && test "$(small_pending)" -gt 0'
}

stream_off()
{
	rm -f "$slurm_dir/stream"
	wait $stream_pid
	scancel -u "$(id -un)"
	scancel -n small
	wait_for 20 queue_empty
}

# Every job and task: the id it was submitted under, name, start, end, state,
# submission.
all_jobs() { SLURM_TIME_FORMAT=%s squeue -h -r -t all -o '%F %j %S %e %T %V'; }

# How long after the last small job that was submitted before it has ended, or
# after its own submission, did everything of this name start?
delay_of()
{
	all_jobs | awk -v name="$1" '
		$2 == name {
			if (!first || $1 < first)
				first = $1
			if ($3 > start)
				start = $3
			if ($6 > ready)
				ready = $6
		}
		$2 == "small" && $5 == "COMPLETED" { end[NR] = $4; id[NR] = $1 }
		END {
			for (i in end) {
				if (id[i] < first && end[i] > ready)
					ready = end[i]
			}
			print start - ready
		}'
}

# How many small jobs have started before it that were submitted after it? Those
# that wait have an expected start, which may be over. One that starts in the same
# second as the last of those before it has to end in the same second as that one,
# so it fits into the gap.
overtakers_of()
{
	all_jobs | awk -v name="$1" '
		$2 == name {
			if (!first || $1 < first)
				first = $1
			if ($1 > last)
				last = $1
			if ($3 > start)
				start = $3
		}
		$2 == "small" && $5 != "PENDING" { begin[NR] = $3; id[NR] = $1 }
		END {
			for (i in begin) {
				if (id[i] < first && begin[i] > gap)
					gap = begin[i]
			}
			for (i in begin) {
				if (id[i] > last && begin[i] > gap &&
				    begin[i] <= start)
					n++
			}
			print n + 0
		}'
}

name_started() { test -z "$(squeue -h -r -t PD -n "$1" -o x)"; }

# The jobs of this name have been submitted: they start in time, and the small
# ones are still waiting then.
starts_in_time()
{
	local delay overtakers

	wait_for 30 name_started $1 &&
		test "$(small_pending)" -gt 0 &&
		delay=$(delay_of $1) &&
		overtakers=$(overtakers_of $1) &&
		echo "# $1: $delay s after the last job before it," \
			"$overtakers jobs overtook it" >&5 &&
		test "$overtakers" = 0 &&
		test "$delay" -le $patience
}

one_job()
{
	submit -J $1 -N 4 --exclusive -t 10 --priority=1000 --wrap 'sleep 1'
}

gang_of_jobs()
{
	gang_of_nodes $1 4 -J $1 -t 10 --priority=1000 --wrap 'sleep 1'
}

gang_of_tasks()
{
	submit -J $1 -N 1 --exclusive -t 10 --priority=1000 --array=1-4 \
		--gang=$1 --gang-min-member=4 --wrap 'sleep 1'
}

# A stream with the options $3..., and in it what $2 submits as $1.
in_stream()
{
	local name=$1 what=$2 rc=0

	stream_on "${@:3}" && $what $name && starts_in_time $name || rc=1
	stream_off && return $rc
}

test_expect_success 'what Slurm does for one job of the whole cluster' '
	in_stream job one_job
'
test_expect_success '4.9: a gang of the whole cluster starts in time' '
	in_stream jobs gang_of_jobs
'
test_expect_success '4.9: small jobs of an overlapping partition' '
	settings ,bf_max_job_test=2 &&
	in_stream other gang_of_jobs -p other
'
test_expect_success '3.33: an array, of which backfill keeps nodes for one task' '
	settings ,bf_max_job_array_resv=1 &&
	in_stream tasks gang_of_tasks
'
test_expect_success '3.33: backfill looks at one job of each user' '
	settings ,bf_max_job_user=1 &&
	in_stream user gang_of_jobs --uid=daemon --gid=daemon -D /
'
last_case
