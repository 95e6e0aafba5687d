#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0900-same-as-stock.t - jobs without a gang get what stock Slurm gives them
#
# A seeded queue of 200 mixed jobs goes through a cluster of nodes that have no
# slurmd: jobs get their allocation and keep it until they are cancelled. It is
# done in steps. While the partition is down some of the running jobs, chosen by
# the seed, are cancelled and more are submitted; then the partition is up until
# nothing more starts. So neither a clock nor the order of requests decides.
# What is compared: in which order jobs started, and step by step the nodes,
# cores and devices of all that run.
#
# Once the main scheduler alone does it and once backfill alone, because who of
# the two is first is a matter of time. Two runs of stock Slurm must agree
# before the run with the plugins is held against them.

test_description='the same queue with and without the plugins'

. /usr/share/sharness/sharness.sh

seed=${SGANG_SEED:-20220508}
echo "# seed $seed"
jobs=200
batch=70
nodes=24

# Random numbers that are the same everywhere: the generator of the C standard's
# example.
random='
	function random(n) {
		seed = (seed * 1103515245 + 12345) % 2147483648
		return int(seed / 65536) % n
	}'

# Print the options of one job a line. No two have time limits that differ by
# less than 100 minutes, and the sum of two, when one follows the other, differs
# from each by 15: limits are 55 to 94 minutes above multiples of 150, sums 110 to
# 188. So the minutes that a run takes never change which of two jobs ends first.
# The tasks of an array have one limit, so theirs is beyond what backfill looks at
# (bf_window).
make_queue()
{
	awk -v seed="$seed" -v jobs="$jobs" "$random"'
	function shape(kind) {
		if (kind == 0)
			return "-n " 1 + random(24)
		if (kind == 1)
			return "-N " 1 + random(6) " --exclusive"
		if (kind == 2)
			return "-N " 1 + random(4) \
				" --ntasks-per-node=" 1 + random(4)
		if (kind == 3)
			return "-n 1 --mem=" 500 * (1 + random(12))
		if (kind == 4)
			return "-N 1 -n " 1 + random(3) \
				" --gres=gpu:" 1 + random(4)
		if (kind == 5)
			return "-n " 1 + random(4) " --array=1-" 2 + random(4)
		if (kind == 6)
			return "-N 1-" 2 + random(3) " -n " 6 + random(8) \
				" --mem-per-cpu=" 100 * (1 + random(8))
		return "-n " 1 + random(6) " -c " 1 + random(4)
	}
	BEGIN {
		for (j = 1; j <= jobs; j++) {
			other = 1 + random(j)
			limit[j] = limit[other]
			limit[other] = 150 * j
		}
		for (j = 1; j <= jobs; j++) {
			o = "-J j" j " --priority=" 1000 * (1 + random(900)) + j
			kind = random(8)
			o = o " -t " limit[j] + 55 + random(40) + \
				(kind == 5 ? 45000 : 0) " " shape(kind)
			# what a leaf of four can never hold waits for ever
			if (kind != 1 && random(8) == 0)
				o = o " --switches=1@30-0"
			if (random(12) == 0)
				o = o " --spread-job"
			if (random(12) == 0)
				o = o " --contiguous"
			if (random(15) == 0)
				o = o " -x n[" 1 + random(6) "-" 7 + random(4) "]"
			print o
		}
	}'
}

make_topology()
{
	awk -v n=$nodes 'BEGIN {
		for (l = 0; l < n / 4; l++)
			printf "SwitchName=l%d Nodes=n[%d-%d]\n", l, 4 * l + 1,
				4 * l + 4
		printf "SwitchName=top Switches=l[0-%d]\n", n / 4 - 1
	}'
}

# By day backfill plans a minute ahead: who starts then does not depend on the
# clock. At night it plans thirty days: on a busy machine two runs of stock Slurm
# differ there once in a while, as plans meet within the time that a run takes.
# Neither scheduler breaks off a pass, or lets others in between, because it takes
# seconds on a busy machine.
cluster_conf()
{
	cat <<-END
	SchedulerParameters=$1,default_queue_depth=10000,sched_min_interval=0,batch_sched_delay=0,bf_window=$(by_day 1 43200),bf_max_time=60,bf_continue,bf_max_job_test=10000,bf_max_job_array_resv=1000,bf_yield_interval=10000000,max_sched_time=15
	GresTypes=gpu
	MaxArraySize=100
	MinJobAge=2
	DebugFlags=HetJob
	END
}

# How often the scheduler has gone through the queue: of sdiag's two counters
# the one that moves in this cluster.
passes() { sdiag | awk '/Total cycles:/ { n += $3 } END { print n }'; }

# Backfill sleeps while nothing changes, so something must. With nobody waiting
# there are no passes to wait for.
passed()
{
	local id

	id=$(squeue -h -t PD -o %A | tail -n 1)
	test -n "$id" || return 0
	scontrol update "JobId=$id" Comment="$EPOCHREALTIME"
	test "$(passes)" -ge "$1"
}

running() { squeue -h -r -t CF,R -O "$1" | sort; }

# Of two passes at least one began after this was called. When one has started
# nothing, none will.
settle()
{
	local before=none now

	while now=$(running JobID | md5sum); test "$now" != "$before"; do
		before=$now
		wait_for 60 passed $(($(passes) + 2)) || return 1
	done
}

# What runs, and on what: "j7 3 n5 CPU_IDs=0-1 Mem=20 GRES=gpu:1(IDX:0)".
layout()
{
	scontrol -d show job | awk '
		/^JobId=/ {
			task = "-"
			if (match($0, /ArrayTaskId=[0-9]+ /))
				task = substr($0, RSTART + 12, RLENGTH - 13)
			name = $NF
			sub(/.*=/, "", name)
		}
		/^ *JobState=/ { runs = $1 ~ /RUNNING|CONFIGURING/ }
		/^ *Nodes=.*CPU_IDs=/ && runs {
			sub(/^ *Nodes=/, "")
			print name, task, $0
		}' | sort
}

# Choose about three quarters of what runs.
victims()
{
	running 'JobArrayID:20,Name' | awk '{ print $2, $1 }' | sort -V |
		awk -v seed="$((seed + $1))" "$random"'
			{ if (random(4)) print $2 }'
}

cancel_some()
{
	local ids

	ids=$(victims "$1")
	test -n "$ids" || return 0
	scancel $ids && wait_for 30 cancelled $ids
}

# Nodes of those that complete are not free yet.
cancelled()
{
	test -z "$(squeue -h -t CG)" &&
	! running JobArrayID | tr -d ' ' | grep -qxF "$(tr ' ' '\n' <<<"$*")"
}

submit_batch()
{
	local options

	sed -n "$((($1 - 1) * batch + 1)),$(($1 * batch))p" queue |
		while read -r options; do
			submit $options >/dev/null || return 1
		done
}

# Wait for the other runs: where two of them reach a step at other times, a limit
# may pass a minute of backfill's plan in one of them alone. NAME STEP
together()
{
	local other

	: >$1.at.$2
	for other in stock1 stock2 gang; do
		wait_for 60 "test -e $other.at.$2 -o -e $other.ended" || return 1
	done
}

# Run the whole queue: NAME SCHEDULERPARAMETERS, options of slurm_setup. What
# happened is left in NAME.order, NAME.layout and NAME.errors. To be called in a
# subshell, which stops its own cluster when it ends.
run_queue()
{
	local name=$1 conf step=0

	EXIT_OK=t

	conf=$(cluster_conf "$2")
	shift 2
	slurm_setup --cloud $nodes -c 8 --topology topology.conf \
		--node Gres=gpu:4 --gres 'Name=gpu Count=4' --conf "$conf" "$@"
	slurm_start
	: >$name.layout
	while step=$((step + 1)); test $step -le 40; do
		scontrol update PartitionName=main State=DOWN &&
			cancel_some $step && submit_batch $step &&
			together $name $step &&
			scontrol update PartitionName=main State=UP &&
			settle || return 1
		{ echo "step $step"; layout; } >>$name.layout
		test -n "$(squeue -h -o %i)" || break
	done
	: >$name.ended
	# backfill of later releases says so if asked for jobs of several parts
	sed -n 's/^[^ ]* \(sched: Allocate\|sched\/backfill: _start_job: \(HETJOB: \)*Started\) \(JobId=.*\)/\3/p' \
		"$slurm_dir/log/slurmctld.log" >$name.order
	errors_left | sed 's/^[^ ]* //' >$name.errors
	slurm_cleanup
	echo "# $name: $step steps, $(wc -l <$name.order) starts"
}

stop_all()
{
	local code=$?

	trap '' HUP INT TERM
	kill $(jobs -p) 2>/dev/null
	wait
	(exit $code)
	die
}

# The three clusters live at the same time, each in a subshell.
slurm_prepare --gang
trap stop_all EXIT

make_queue >queue
make_topology >topology.conf

test_expect_success "the queue has $jobs jobs of all kinds" '
	test "$(wc -l <queue)" = $jobs &&
	for option in exclusive array gres mem mem-per-cpu ntasks-per-node \
		spread-job contiguous switches
	do
		grep -q -e "--$option" queue || return 1
	done
'

compare()
{
	local title=$1 parameters=$2

	rm -f ./*.order ./*.layout ./*.errors ./*.at.* ./*.ended
	(run_queue stock1 "$parameters" --stock) &
	(run_queue stock2 "$parameters" --stock) &
	(run_queue gang "$parameters" --gang) &
	wait -n && wait -n && wait -n ||
		slurm_fatal "the queue does not get through"

	test_expect_success "$title: every job has run" '
		test "$(grep -c . stock1.order)" -ge '$jobs' &&
		test "$(awk "NF > 2 { print \$1 }" stock1.layout | sort -u |
			wc -l)" = '$jobs'
	'
	test_expect_success "$title: two runs of stock Slurm are the same" '
		test_cmp stock1.order stock2.order &&
		test_cmp stock1.layout stock2.layout
	'
	test_expect_success "$title: jobs start in the same order" '
		test_cmp stock1.order gang.order
	'
	test_expect_success "$title: they get the same nodes, cores, devices" '
		test_cmp stock1.layout gang.layout
	'
	test_expect_success "$title: nobody logs an error" '
		cat stock1.errors stock2.errors gang.errors >errors &&
		cat errors && test ! -s errors
	'
}

compare 'main scheduler' 'sched_interval=1,bf_interval=-1'
compare 'backfill' 'sched_interval=-1,bf_interval=1'

test_done
