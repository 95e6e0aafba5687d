#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0552-max-gangs.t - how many gangs and members one user, and all, may have

test_description='MaxGangs, MaxGangsPerUser, MaxGangMembers, MaxGangMembersPerUser'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 2 -c 8 --gang
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

	shift
	test_must_fail submit_as "$@" 2>err &&
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

test_expect_success 'nobody shuts all others out of the cluster' '
	limits MaxGangs=100 &&
	refused "--gang-exclusive=core is above MaxExclusive=leaf of gang.conf" \
		$bob --gang=x --gang-min-member=1 --gang-exclusive=core &&
	limits MaxExclusive=core &&
	six=$(submit_as $bob --gang=x --gang-min-member=2 \
		--gang-exclusive=core)
'

test_expect_success 'nothing is left' '
	scancel -u $alice && scancel -u $bob && nothing_left
'

test_done
