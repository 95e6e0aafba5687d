#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0545-objects.t - what defines a gang is a held job that never runs
#
# Here such a job is made with Slurm's library alone, by the words that sgang
# create leaves in one, so that it can also be made wrong.

test_description='The definition of a gang apart from its members'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 2 -c 2 --gang \
	--gang-conf 'GangName=root/listed MinMember=2 MinTRES=node=1'
slurm_start

raw_submit=$top_builddir/tests/t/raw_submit

# raw OPTIONS ENTRY...: the entries without what stands in front of each
raw()
{
	local words=() word

	for word; do
		case $word in
		gang*=*) words+=("_SLURM_SPANK_OPTION_gang_$word") ;;
		*) words+=("$word") ;;
		esac
	done
	timeout 120 "$raw_submit" "${words[@]}"
}

# define NAME ENTRY...: prints the id of the job that defines it
define()
{
	local name=$1

	shift
	raw -H -n "gang/$name" gang="$name" gang_object=1 "$@"
}

# refuses SENTENCE OPTIONS ENTRY...
refuses()
{
	local sentence=$1

	shift
	test_must_fail raw "$@" >out 2>err &&
		test_must_be_empty out &&
		{ grep -F -- "$sentence" err || { cat err; return 1; }; } &&
		queue_empty
}

is_held()
{
	job_is "$1" PENDING && test "$(job_field "$1" Priority)" = 0
}

test_expect_success '0.15 it must be held' '
	refuses "the definition of a gang is not a job to run: submit it held" \
		gang=solo gang_object=1 gang_min_member=1
'
test_expect_success '0.15 it must not be an array' '
	refuses "the definition of a gang cannot be a job array" \
		-H -a 1-3 gang=solo gang_object=1 gang_min_member=1
'
test_expect_success '0.15 it must say how many members there are' '
	refuses "--gang-min-member" -H gang=solo gang_object=1
'
test_expect_success '0.15 it must say which gang' '
	refuses "add --gang=NAME" -H gang_object=1 gang_min_member=1
'
test_expect_success '0.15 it must not be impossible' '
	refuses "wants 3 nodes to be free and the cluster has 2" \
		-H gang=solo gang_object=1 gang_min_member=1 \
		gang_min_tres=node=3
'
test_expect_success '0.22 it must be of the user' '
	refuses "the gang'\''s namespace \"nobody\" is neither your user name" \
		-H gang=nobody/solo gang_object=1 gang_min_member=1
'
test_expect_success '0.20 entries that nobody can type' '
	refuses "there is no such gang option" gang=solo gang_color=blue &&
	refuses "--gang=solo and --gang=other: give one of them" \
		gang=solo gang=other &&
	refuses "expected 1" -H gang=solo gang_object=maybe gang_min_member=1
'
test_expect_success '0.15 it is no member' '
	id=$(define train gang_min_member=2) &&
	is_held $id &&
	one=$(submit -N 1 --gang=train 2>err) &&
	test_must_be_empty err &&
	wait_for 10 squeue_says $one "Gang root/train gathering 1/2 members" &&
	wait_for 10 squeue_says $id "Gang root/train gathering 1/2 members"
'
test_expect_success '0.15 nobody can let it run' '
	test_must_fail scontrol release $id &&
	test_must_fail scontrol update JobId=$id Priority=100 &&
	test_must_fail scontrol update JobId=$id Nice=100 &&
	test_must_fail scontrol update JobId=$id Nice=-100 &&
	test_must_fail scontrol requeue $id &&
	scontrol hold $id &&
	scontrol uhold $id &&
	is_held $id
'
test_expect_success '0.15 what else can be changed is Slurm'\''s matter' '
	scontrol update JobId=$id TimeLimit=5 Comment=mine &&
	test "$(job_field $id Comment)" = mine &&
	is_held $id
'
test_expect_success '0.15 its gang starts, and it stays' '
	two=$(submit -N 1 --gang=train) &&
	wait_for 15 all_in RUNNING $one $two &&
	started_together $one $two &&
	is_held $id &&
	scancel $one $two &&
	wait_for 15 nodes_idle &&
	is_held $id
'
test_expect_success '0.24 it takes no room: both nodes are for two members' '
	one=$(submit -N 1 --exclusive --gang=train) &&
	two=$(submit -N 1 --exclusive --gang=train) &&
	wait_for 15 all_in RUNNING $one $two &&
	scancel $one $two &&
	wait_for 15 nodes_idle
'
test_expect_success '0.24 the newest one counts' '
	old=$id &&
	id=$(define train gang_min_member=1) &&
	one=$(submit -N 1 --gang=train --wrap=true) &&
	wait_state $one COMPLETED &&
	is_held $old &&
	scancel $id
'
test_expect_success '0.24 and without it the one before' '
	one=$(submit -N 1 --gang=train) &&
	wait_for 10 squeue_says $one "Gang root/train gathering 1/2 members" &&
	scancel $one
'
test_expect_success '0.29 what a member says goes before it' '
	one=$(submit -N 1 --gang=train --gang-min-member=1 --wrap=true) &&
	wait_state $one COMPLETED &&
	scancel $old
'
test_expect_success '0.25 members first, then it' '
	one=$(submit -N 1 --gang=late 2>err) &&
	grep "gang root/late is not defined yet" err &&
	two=$(submit -N 1 --gang=late 2>err) &&
	wait_for 10 squeue_says $one "Gang root/late undefined" &&
	id=$(define late gang_min_member=2) &&
	wait_for 15 all_in RUNNING $one $two &&
	started_together $one $two &&
	scancel $one $two $id &&
	wait_for 15 nodes_idle
'
test_expect_success '0.15 a gang of gang.conf' '
	one=$(submit -N 1 --gang=listed 2>err) &&
	test_must_be_empty err &&
	wait_for 10 squeue_says $one "Gang root/listed gathering 1/2 members" &&
	test_must_fail sbatch -N 1 --gang=listed --array=1-2%1 --wrap=true \
		2>err &&
	grep "limit of 1 tasks at a time is below --gang-min-member=2" err &&
	scancel $one
'
test_expect_success '0.29 an object goes before gang.conf' '
	id=$(define listed gang_min_member=1) &&
	one=$(submit -N 1 --gang=listed --wrap=true) &&
	wait_state $one COMPLETED &&
	scancel $id
'
test_expect_success '0.24 gang.conf is read again' '
	echo "GangName=root/listed MinMember=1 MinTRES=node=3" \
		>"$slurm_dir/etc/gang.conf" &&
	scontrol reconfigure &&
	test_must_fail sbatch -N 1 --gang=listed --wrap=true 2>err &&
	grep "wants 3 nodes to be free and the cluster has 2" err &&
	rm "$slurm_dir/etc/gang.conf" &&
	scontrol reconfigure &&
	one=$(submit -N 1 --gang=listed 2>err) &&
	grep "gang root/listed is not defined yet" err &&
	scancel $one
'
test_expect_success 'nothing is left' 'nothing_left'

test_done
