#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0310-two-gangs.t - gangs that each need the whole cluster do not share it

test_description='Several gangs that each need all nodes: one, then the other'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang
slurm_start

# Gangs of four that need four nodes each, submitted member by member in turn.
# The third argument is the nice value of a member: $g its gang's number, $i its
# own. The ids of gang G are in the file LOG.G.
interleave()
{
	local log=$1 gangs=$2 nice=$3 g i

	for i in 1 2 3 4; do
		for ((g = 1; g <= gangs; g++)); do
			submit -N 1 --exclusive --nice=$((nice)) \
				--gang=$log-$g --gang-min-member=4 $log.sh \
				>>$log.$g || return 1
		done
	done
}

# The number of the gang that has four members running while no other has any.
who_runs()
{
	local log=$1 gangs=$2 g whole=

	for ((g = 1; g <= gangs; g++)); do
		if all_in RUNNING $(cat $log.$g); then
			test -z "$whole" || return 1
			whole=$g
		else
			none_in RUNNING $(cat $log.$g) || return 1
		fi
	done
	test -n "$whole" && echo $whole
}

# Whichever gang runs is ended, until each of them has run.
each_in_its_turn()
{
	local log=$1 gangs=$2 turn g

	for ((turn = 1; turn <= gangs; turn++)); do
		wait_for 20 "who_runs $log $gangs >now" || return 1
		g=$(cat now)
		wait_for 10 "test \$(starts_of $log) = $((4 * turn))" &&
			started_together $(cat $log.$g) &&
			test ! -e $log-$g.go || return 1
		touch $log-$g.go
		wait_for 10 all_in COMPLETED $(cat $log.$g) || return 1
	done
}

# All of them have run by themselves and whole.
all_whole()
{
	local log=$1 gangs=$2

	wait_for 40 all_in COMPLETED $(cat $log.[0-9]) &&
		test "$(restarts_of $(cat $log.[0-9]))" = 0 &&
		ran_once $log $((4 * gangs)) &&
		one_by_one $log 4
}

for name in two three nice quick; do
	gang_script $name
done

test_expect_success '3.3 4.6 of two gangs one runs whole, then the other' '
	interleave two 2 0 &&
	each_in_its_turn two 2 &&
	all_whole two 2
'
test_expect_success '3.3 4.6 of three gangs one after the other' '
	interleave three 3 0 &&
	each_in_its_turn three 3 &&
	all_whole three 3
'
test_expect_success '3.3 priorities that go across the gangs change nothing' '
	interleave nice 3 "100 * ((i + g) % 4) + 10 * g" &&
	each_in_its_turn nice 3 &&
	all_whole nice 3
'
test_expect_success '4.6 gangs of jobs that end at once' '
	touch quick.go &&
	interleave quick 5 "10 * ((i * g) % 5)" &&
	all_whole quick 5
'
test_expect_success 'nothing is left' 'nothing_left'

test_done
