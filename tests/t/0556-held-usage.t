#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0556-held-usage.t - what a gang holds before it starts is used: fairshare is
# charged for it, and sacct tells

test_description='Nodes that are held count as used'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 3 -c 2 --gang --conf \
'PriorityType=priority/multifactor
PriorityWeightFairshare=1000'
slurmdbd_setup 'AccountingStorageEnforce=associations,limits'
set_up_accounts()
{
	acct add account joint &&
	acct add user root account=joint &&
	acct modify user root set defaultaccount=joint
}
set_up_accounts || slurm_fatal "the accounts cannot be made"
slurm_start

# CPU seconds; priority/multifactor itself counts every five minutes.
usage() { sshare -n -P -A joint -o RawUsage | head -n 1; }

# More than that since it was $used. A second's usage has decayed by its end.
charged()
{
	local now

	now=$(usage) && echo "$used, then $now" && test "$now" -ge $((used + $1))
}

# One of two members holds two CPUs, since $blocker has all other nodes: half OPTION...
half()
{
	blocker=$(run_job -A root -N 2 --exclusive) &&
	one=$(submit -A joint -N 1 --exclusive --gang=g --gang-min-member=2 \
		--gang-mode=nonstrict "$@") &&
	two=$(submit -A joint -N 1 --exclusive --gang=g) &&
	wait_for 20 "test \$(held_in $one $two) = 1" &&
	since=$(date +%s) &&
	wait_for 10 "test \$(date +%s) -ge $((since + 3))"
}

test_expect_success 'a hold that ends in a start is charged at once' '
	used=$(usage) &&
	test "$used" = 0 &&
	half &&
	scancel $blocker &&
	wait_for 20 all_in RUNNING $one $two &&
	charged 5
'
test_expect_success 'sacct tells for how long the member had held' '
	wait_for 60 "sacct_rows $one,$two SystemComment | grep heldfor="
'
test_cleared 'a hold that is given back is charged' '
	clear_cluster &&
	used=$(usage) &&
	half &&
	gang_setting MaxWaitingTime 0:01 &&
	wait_for 20 squeue_says $one GangTimeout &&
	charged 5
'

# Two CPUs are kept, then used, for so many seconds in all.
test_expect_success '1.66 a placeholder and then its member are charged, once' '
	clear_cluster &&
	used=$(usage) && since=$(date +%s) &&
	gang=(-A joint -N 1 --exclusive --gang=p --gang-role=w:min=1
		--gang-placeholders=soft) &&
	kept=$(submit "${gang[@]}" --gang-placeholder=1 --wrap="exit 0") &&
	wait_for 20 squeue_says $kept "placeholder of role w" &&
	begun=$(date +%s) &&
	wait_for 10 "test \$(date +%s) -ge $((begun + 4))" &&
	member=$(run_job "${gang[@]}") &&
	charged 6 &&
	begun=$(date +%s) &&
	wait_for 10 "test \$(date +%s) -ge $((begun + 4))" &&
	scancel $member &&
	wait_for 20 charged 12 &&
	test $(($(usage) - used)) -le $((2 * ($(date +%s) - since)))
'

# A slurmctld that is new, as after a reconfigure since 23.11, gives back all of a
# limit for a job that ends before its first round of priorities, and says so.
! slurm_since 23.11 || underflow="tres_run_secs underflow"
last_case 'nothing_left "No fed_mgr state file" ${underflow:+"$underflow"}'
