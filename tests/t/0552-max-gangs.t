#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0552-max-gangs.t - how many gangs and members one user, and all, may have; and
# members are known whatever number Slurm gives to them

test_description='MaxGangs, MaxGangMembers and the like; which jobs are members'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 2 -c 8 --gang --conf \
'FirstJobId=100
PartitionName=main Nodes=ALL Default=YES State=UP
PartitionName=test Nodes=ALL State=UP'
users_setup
slurm_start

limits()
{
	printf '%s\n' "$@" >"$slurm_dir/etc/gang.conf" && scontrol reconfigure
}

# refused SENTENCE USER OPTION...
refused()
{
	local sentence=$1

	test_must_fail submit_as "${@:2}" 2>err &&
		{ grep -F -- "$sentence" err || { cat err; return 1; }; }
}

test_expect_success 'a user'\''s members are counted, tasks of arrays too' '
	limits MaxGangMembersPerUser=4 &&
	one=$(submit_as $alice --gang=a --gang-min-member=9 --array=1-3) &&
	refused "MaxGangMembersPerUser=4 of gang.conf: $alice has 3, and with\
 this job 5; wait until some have ended, or cancel some" \
		$alice --gang=b --gang-min-member=9 --array=1-2 &&
	two=$(submit_as $alice --gang=b --gang-min-member=9) &&
	refused "MaxGangMembersPerUser=4" $alice --gang=a
'
test_expect_success 'definitions count' '
	test_must_fail as $alice "$sgang" create c --min-member 2 2>err &&
	grep "MaxGangMembersPerUser=4" err
'
test_expect_success 'others, and jobs without a gang, are not concerned' '
	three=$(submit_as $bob --gang=a --gang-min-member=9 --array=1-4) &&
	plain=$(submit_as $alice --wrap=true) &&
	wait_state $plain COMPLETED
'
test_expect_success 'who cancels one may submit another' '
	as $alice scancel $two &&
	wait_state $two CANCELLED &&
	two=$(submit_as $alice --gang=b --gang-min-member=9)
'
test_expect_success 'a user'\''s gangs are counted' '
	limits MaxGangsPerUser=2 &&
	refused "MaxGangsPerUser=2 of gang.conf: $alice has 2, and with this\
 job 3" $alice --gang=c --gang-min-member=2 &&
	four=$(submit_as $alice --gang=$alice/b)
'
test_expect_success 'in all' '
	limits MaxGangs=3 MaxGangMembers=10 &&
	refused "MaxGangs=3 of gang.conf: the cluster has 3, and with this\
 job 4" $bob --gang=b --gang-min-member=2 &&
	refused "MaxGangMembers=10 of gang.conf: the cluster has 9, and with\
 this job 11" $bob --gang=a --array=1-2 &&
	five=$(submit_as $bob --gang=a)
'
test_expect_success 'a throttled array counts whole' '
	limits MaxGangMembers=11 &&
	refused "MaxGangMembers=11" $alice --gang=a --array=1-9%9
'

test_expect_success 'what is charged to an account is counted' '
	limits AccountMaxGangMembers=Physics:3,*:2 AccountMaxGangs=physics:1 &&
	of_physics=$(submit_as $alice -A physics --gang=p --gang-min-member=9 \
		--array=1-2) &&
	refused "AccountMaxGangMembers=3 of gang.conf: account physics has 2,\
 and with this job 4; wait until some have ended, or cancel some" \
		$alice -A physics --gang=p --array=1-2 &&
	refused "AccountMaxGangs=1 of gang.conf: account physics has 1, and\
 with this job 2" $bob -A physics --gang=b &&
	refused "AccountMaxGangMembers=2 of gang.conf: account lab has 0, and\
 with this job 3" $bob -A lab --gang=b --array=1-3 &&
	free=$(submit_as $bob --gang=b --gang-min-member=9 --array=1-4)
'
test_expect_success 'and a job cannot be charged to it later' '
	test_must_fail as $bob scontrol update JobId=$free Account=physics &&
	grep "change of job $free by uid .* refused: AccountMaxGangMembers=3 of gang.conf: account physics has 2" \
		"$slurm_dir/log/slurmctld.log" &&
	scancel $of_physics $free
'

test_expect_success 'nobody shuts all others out of a partition' '
	limits PartitionMaxExclusive=main:none,test:core,none:leaf &&
	refused "--gang-exclusive=leaf is above PartitionMaxExclusive=main:none\
 of gang.conf" $bob -p main,test \
		--gang=x --gang-min-member=1 --gang-exclusive=leaf &&
	wait_for 10 "grep \"error: gang: PartitionMaxExclusive in gang.conf: there is no partition none; the rest of it counts\" \
		\"$slurm_dir/log/slurmctld.log\"" &&
	strict=$(submit_as $bob -p test --gang=x --gang-min-member=9 \
		--gang-exclusive=core) &&
	refused "--gang-exclusive=core is above PartitionMaxExclusive=main:none"\
		$bob -p main --gang=x &&
	test_must_fail as $bob scontrol update JobId=$strict Partition=main &&
	scancel $strict
'
test_expect_success 'sgang conf shows these settings' '
	wait_for 10 "\"$sgang\" conf >out" &&
	grep "^PartitionMaxExclusive=\"main:none,test:core,none:leaf\"  *# $slurm_dir/etc/gang.conf:1\$" out &&
	grep "^AccountMaxGangs=\"\"  *# default\$" out
'

test_expect_success 'nobody shuts all others out of the cluster' '
	limits MaxGangs=100 &&
	refused "--gang-exclusive=core is above MaxExclusive=leaf of gang.conf" \
		$bob --gang=x --gang-min-member=1 --gang-exclusive=core &&
	limits MaxExclusive=core &&
	six=$(submit_as $bob --gang=x --gang-min-member=2 \
		--gang-exclusive=core)
'

test_expect_success 'nothing is left so far' '
	limits && leave_nothing "there is no partition none"
'

# --- which jobs are members ---

option=_SLURM_SPANK_OPTION_gang_gang

# known GANG JOB: who contradicts the gang is told of that job
known()
{
	test_must_fail sbatch --gang=$1 --gang-min-member=7 --wrap=true \
		2>err &&
		{ grep "(job $2 of " err || { cat err; return 1; }; }
}

# Another job, so that the next one is not the first that is looked at.
other() { submit --gang=other --gang-min-member=12 >/dev/null; }

# 0.1
test_expect_success 'one that came after others' '
	other &&
	other &&
	job=$(submit --gang=a --gang-min-member=2) &&
	other &&
	known a $job
'
test_expect_success 'until it ends' '
	drop $job &&
	sbatch --gang=a --gang-min-member=7 --wrap=true
'
# The task that has started has a new number, the others have the old one.
test_expect_success 'tasks of an array that was split' '
	array=$(submit --gang=b --gang-min-member=1 --array=1-3%1) &&
	wait_state ${array}_1 RUNNING &&
	other &&
	known b "[0-9]*" &&
	scancel ${array}_1 &&
	wait_state ${array}_2 RUNNING &&
	known b "[0-9]*" &&
	scancel $array
'
test_expect_success 'one that is requeued after it has ended' '
	job=$(complete_job --gang=c --gang-min-member=1 --wrap=true) &&
	other &&
	scontrol requeuehold $job &&
	wait_state $job PENDING &&
	other &&
	known c $job
'
test_expect_success 'one whose number begins the row anew' '
	high=$(submit --gang=other) &&
	slurm_stop_ctld &&
	sed -i "s/^FirstJobId=.*/FirstJobId=1\nMaxJobId=$((high + 2))/" \
		"$SLURM_CONF" &&
	slurm_start_ctld &&
	other &&
	other &&
	low=$(submit --gang=d --gang-min-member=2) &&
	test $low -lt $high &&
	other &&
	known d $low &&
	known c $job
'
test_expect_success 'one that has the number that was asked for' '
	asked=$((high + 50)) &&
	test $asked = $("$raw_submit" -j $asked $option=e \
		${option}_min_member=2) &&
	other &&
	known e $asked
'
last_case 'leave_nothing "there is no partition none"'
