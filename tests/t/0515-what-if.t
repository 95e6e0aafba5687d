#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0515-what-if.t - when would a gang start, asked before it is submitted
#
# The oracle is a count of nodes: a job of known end on each, and the gang needs
# as many as it has members.

test_description='sbatch --test-only --gang and sgang place --live are true'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

sgang=$(checked_sgang)
seed=${SGANG_SEED:-$RANDOM}
echo "# SGANG_SEED=$seed"
RANDOM=$seed

slurm_cluster -n 8 -c 2 --gang --conf "SchedulerParameters=\
bf_interval=1,sched_interval=1,batch_sched_delay=0,sched_min_interval=0,bf_continue
PartitionName=side Nodes=n[7-8] MaxTime=INFINITE State=UP"

# What sbatch says: at=SECONDS, cpus=, nodes=.
asked()
{
	sbatch --test-only -o /dev/null "$@" --wrap=true 2>said || {
		cat said
		return 1
	}
	at=$(sed -n 's/.* to start at \([^ ]*\) .*/\1/p' said)
	at=$(date -d "$at" +%s) &&
		cpus=$(sed -n 's/.* using \([0-9]*\) processors.*/\1/p' said) &&
		nodes=$(sed -n 's/.* on nodes \([^ ]*\) .*/\1/p' said)
}

# fill SECONDS...: a job on as many nodes, each ending so many seconds from when
# all of them run.
fill()
{
	local id i=0 now

	jobs=() ends=()
	for end; do
		cat >job.sh <<-END
		#!/bin/bash
		end="$PWD/\$SLURM_JOB_ID.end"
		until test -s "\$end" && test \$(date +%s) -ge \$(cat "\$end"); do
			read -rt 0.2 <> <(:) || :
		done
		END
		id=$(submit -N 1 --exclusive -t 60 job.sh) || return 1
		jobs+=($id)
	done
	for id in ${jobs[@]}; do
		wait_state $id RUNNING || return 1
	done
	now=$(date +%s)
	for id in ${jobs[@]}; do
		shift $((i > 0))
		ends[i]=$((now + $1))
		scontrol update jobid=$id EndTime=$(date -d @${ends[i]} \
			+%Y-%m-%dT%H:%M:%S) && echo ${ends[i++]} >$id.end || return 1
	done
}

# The first moment at which so many of the eight nodes are free: 0 is now.
counted()
{
	local need=$(($1 - (8 - ${#ends[@]})))

	test $need -gt 0 || { echo 0; return; }
	printf '%s\n' "${ends[@]}" | sort -n | sed -n ${need}p
}

# Somebody else has asked: the queue is as before.
nothing_changed()
{
	test -z "$(squeue -h -t PD -o %i)" &&
		test -z "$("$sgang" list --noheader --phase=Gathering,Waiting)"
}

test_expect_success 'on free nodes: now, for all members' '
	before=$(date +%s) &&
	asked -N 2 --exclusive --gang=a --gang-min-member=3 &&
	test $at -ge $before && test $at -le $(date +%s) && test $cpus = 12 &&
	test $(scontrol show hostnames $nodes | wc -l) = 6 && nothing_changed
'
test_expect_success 'a gang that can never start has no time' '
	! asked -N 3 --exclusive --gang=a --gang-min-member=3 -p side &&
	grep "can never start" said && nothing_changed
'
test_expect_success 'random ends: each size of gang starts when its last node is free' '
	for i in 1 2 3 4 5 6; do gone[i]=$((600 + RANDOM % 3000)); done &&
	fill ${gone[@]} &&
	for n in 1 2 3 4 5 6 7 8; do
		asked -N 1 --exclusive --gang=a --gang-min-member=$n &&
		wanted=$(counted $n) || return 1
		echo "$n members: at $at, counted $wanted, $nodes"
		test $(scontrol show hostnames $nodes | wc -l) = $n || return 1
		if test $wanted = 0; then
			test $at -le $(date +%s)
		else
			test $at = $wanted
		fi || return 1
	done && nothing_changed
'
test_expect_success 'members of several nodes, and an array that is the gang' '
	asked -N 2 --exclusive --gang=a --gang-min-member=3 &&
	test $at = $(counted 6) &&
	asked -N 2 --exclusive --array=1-4 --gang=a --gang-min-member=4 &&
	test $at = $(counted 8)
'
test_expect_success 'with the members that are there, whoever they are' '
	first=$(submit -N 3 --exclusive -t 5 --gang=b --gang-min-member=2) &&
	wait_for 10 squeue_says $first "gathering 1/2" &&
	asked -N 1 --exclusive --gang=b && echo "at $at, counted $(counted 4), $nodes" && test $at = $(counted 4) &&
	asked -N 4 --exclusive --gang=b && echo "at $at, counted $(counted 7), $nodes" && test $at = $(counted 7) &&
	test $(scontrol show hostnames $nodes | wc -l) = 7 &&
	squeue_says $first "gathering 1/2" && drop $first
'
# The same question by sgang: live ARGUMENTS..., sets at= and nodes=
live()
{
	"$sgang" place --live --json "$@" >answer 2>err && test_must_be_empty err &&
		at=$(jq .start_time answer) && nodes=$(jq ".nodes | length" answer)
}

test_expect_success JQ 'sgang place --live says the same' '
	live --member=3*1xall && test $nodes = 3 && test $at = $(counted 3) &&
	live --member=2*2xall --time=10 && test $nodes = 4 &&
	test $at = $(counted 4) && jq -e "(.fits | not) and .partition == \"main\"" answer &&
	live --member=2*1x1 && jq -e .fits answer &&
	live --member=5*1x2 && test $nodes = 5 && test $at = $(counted 5) &&
	live --member=4*1xall --partition=main --gang-topology=prefer:leaf &&
	test $at = $(counted 4) && nothing_changed
'
test_expect_success JQ 'sgang place --live about a gang that waits, and one more member' '
	first=$(submit -N 3 --exclusive -t 5 --gang=b --gang-min-member=1) &&
	wait_for 10 squeue_says $first "waits" &&
	live --gang=b && test $nodes = 3 && test $at = $(counted 3) &&
	live --gang=b --member=2xall && test $nodes = 2 && jq -e .fits answer &&
	"$sgang" place --live --gang=b >out &&
	grep -xE "start=2[-0-9]*T[0-9:]* nodes=n\[[-0-9,]*\] partition=main now=no" out &&
	drop $first
'
test_expect_success JQ 'sgang place --live: no, and what it does not take' '
	test_expect_code 1 "$sgang" place --live --json --member=9*1xall >answer 2>err &&
	jq -e "(.fits | not) and .reason" answer && grep "can never start" err &&
	test_expect_code 1 "$sgang" place --live --member=1xall --partition=none 2>err &&
	grep "would not start: .*artition" err &&
	for bad in "" --gang=none "--member=1x1 --free=n1" "--member=1x1 --member=2x1" \
		"--member=1x1:gpu=1" "--member=1x1 --time=soon"; do
		test_expect_code 2 "$sgang" place --live $bad 2>err &&
			test $(wc -l <err) = 1 || return 1
	done &&
	test_expect_code 2 "$sgang" place --member=1x1 --time=5 2>err &&
	grep "are for --live" err
'
positions()
{
	"$sgang" list --noheader --format="%n %q" --sort=q --phase=Waiting | xargs
}

test_expect_success JQ 'sgang list: the position in the queue' '
	place=() &&
	for name in q1 q2; do
		place+=($(submit -N 6 --exclusive -t 5 --gang=$name --gang-min-member=1)) || return 1
	done &&
	low=$(submit -N 7 --exclusive -t 5) && place+=($low) &&
	place+=($(submit -N 5 --exclusive -t 5 --gang=q3 --gang-min-member=1)) &&
	held=$(submit -H -N 7 --exclusive -t 5) && place+=($held) &&
	wait_for 20 "test \"\$(positions)\" = \"q1 1 q2 2 q3 4\"" &&
	scontrol update jobid=${place[1]} nice=-1000 &&
	wait_for 10 "test \"\$(\"$sgang\" show q2 --json | jq .position)\" = 1" &&
	"$sgang" list --json >json && "$sgang" explain q1 --json |
		jq -e ".waits.position == 2" &&
	drop ${place[@]}
'
test_expect_success 'a drained node is not promised' '
	test_when_finished "scontrol update nodename=n8 state=resume" &&
	scontrol update nodename=n8 state=drain reason=test &&
	! asked -N 1 --exclusive --gang=a --gang-min-member=8 &&
	asked -N 1 --exclusive --gang=a --gang-min-member=7 &&
	test $(scontrol show hostnames $nodes | grep -c n8) = 0
'
test_expect_success 'what was said comes true: not earlier, and not later' '
	drop ${jobs[@]} && wait_for 10 nodes_idle &&
	fill 6 9 $((10 + RANDOM % 5)) 40 40 40 &&
	need=$((3 + RANDOM % 3)) && asked -N 1 --exclusive --gang=c \
		--gang-min-member=$need -t 5 &&
	said_at=$at && test $at = $(counted $need) &&
	gang_of_nodes c $need -t 5 &&
	start_together 40 ${members[@]} &&
	last=$(for id in ${jobs[@]}; do
		squeue -h -t R -j $id >/dev/null 2>&1 &&
			test -n "$(squeue -h -t R -j $id)" || ends_at $id
	done | sort -n | tail -n 1) &&
	started=$(started_at ${members[0]}) &&
	echo "said $said_at, last node free at $last, started at $started" &&
	test $started -ge $said_at &&
	test $((started - last)) -le 10
'
test_expect_success 'nothing is left' '
	scancel -u root &&
	nothing_left
'
slurm_cleanup

test_done
