#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0542-accounts.t - gangs in the namespace of an account that Slurm checks
#
# Both users may charge account joint, only $alice account hers; and there is
# an account that is called like her, which $bob may charge and she may not.

test_description='Who may charge an account may join its gangs'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 2 -c 2 --gang
slurmdbd_setup 'AccountingStorageEnforce=associations'
users_setup

set_up_accounts()
{
	acct add account joint &&
	acct add account hers &&
	acct add account $alice &&
	acct add user $alice account=joint,hers &&
	acct modify user $alice set defaultaccount=joint &&
	acct add user $bob account=joint,$alice &&
	acct modify user $bob set defaultaccount=$alice
}
set_up_accounts || slurm_fatal "the accounts cannot be made"
slurm_start

# bob_is_refused SENTENCE OPTION...
bob_is_refused()
{
	local sentence=$1

	test_must_fail submit_as $bob "${@:2}" 2>err &&
		{ grep -F -- "$sentence" err || { cat err; return 1; }; }
}

test_expect_success '0.22 two users of an account have a gang together' '
	one=$(submit_as $alice --gang=joint/train --gang-min-member=2) &&
	wait_for 10 squeue_says $one "Gang joint/train gathering 1/2 members" &&
	two=$(submit_as $bob -A joint --gang=joint/train) &&
	start_together 15 $one $two &&
	as $alice scancel $one &&
	ended_as $bob $two
'
test_expect_success '0.22 a stranger to the account does not join' '
	one=$(submit_as $alice -A hers --gang=hers/train \
		--gang-min-member=2) &&
	bob_is_refused "Invalid account" -A hers --gang=hers/train &&
	bob_is_refused "neither your user name" --gang=hers/train &&
	bob_is_refused "neither your user name" -A joint --gang=hers/train &&
	wait_for 10 squeue_says $one "Gang hers/train gathering 1/2 members"
'
test_expect_success '0.22 nor by a change of the account' '
	two=$(submit_as $bob -A joint --gang=joint/train \
		--gang-min-member=2) &&
	test_must_fail as $bob scontrol update JobId=$two Account=hers &&
	test_must_fail as $bob scontrol update JobId=$two Account=$alice &&
	test "$(job_field $two Account)" = joint &&
	as $bob scancel $two &&
	as $alice scancel $one
'
test_expect_success '0.22 the account that a job gets by default counts' '
	bob_is_refused "charged to ($alice)" --gang=joint/train \
		--gang-min-member=1
'
test_expect_success '0.22 an account that is called like a user is not hers' '
	one=$(submit_as $alice --gang=train --gang-min-member=2) &&
	bob_is_refused "is the name of another user" --gang=$alice/train &&
	bob_is_refused "is the name of another user" -A $alice \
		--gang=$alice/train &&
	wait_for 10 squeue_says $one "Gang $alice/train gathering 1/2 members"
'
test_expect_success '0.22 unless she may charge it too' '
	acct add user $alice account=$alice &&
	two=$(submit_as $bob --gang=$alice/train) &&
	wait_for 15 all_in RUNNING $one $two &&
	as $alice scancel $one &&
	ended_as $bob $two
'
test_expect_success '0.22 the reason says whose job the others wait for' '
	one=$(submit_as $bob -A joint --hold --gang=joint/block \
		--gang-min-member=4) &&
	two=$(submit_as $alice -A joint --gang=joint/block) &&
	wait_for 10 squeue_says $two "(job $one of $bob says how many)" &&
	test_must_fail submit_as $alice -A joint --gang=joint/block \
		--gang-min-member=2 2>err &&
	grep "(job $one of $bob)" err
'
test_expect_success '0.22 so it does where --gang-order puts it first' '
	as $bob scancel $one && as $alice scancel $two &&
	busy=$(submit_as $bob -A joint -w n1 --exclusive) &&
	wait_state $busy RUNNING &&
	one=$(submit_as $bob -A joint -w n1 --gang=joint/order \
		--gang-order=0 --gang-min-member=2) &&
	two=$(submit_as $alice -A joint --gang=joint/order) &&
	three=$(submit_as $alice -A joint --gang=joint/order) &&
	wait_for 15 squeue_says $two \
		"(job $one of $bob goes first by --gang-order)" &&
	job_is $two PENDING && job_is $three PENDING
'
test_expect_success '0.22 a coordinator of the account can cancel it' '
	test_must_fail as $alice scancel $one &&
	acct add coordinator account=joint names=$alice &&
	wait_for 10 "as $alice scancel $one && job_is $one CANCELLED" &&
	wait_for 15 all_in RUNNING $two $three &&
	as $alice scancel $two $three && as $bob scancel $busy &&
	wait_for 15 nodes_idle
'
test_expect_success '0.22 GangAccountRules closes a namespace to its list' '
	echo "GangAccountRules=joint:$alice,nobody;hers:$bob" \
		>"$slurm_dir/etc/gang.conf" &&
	scontrol reconfigure &&
	bob_is_refused "GangAccountRules of gang.conf does not let you have gangs\
 in the namespace of account \"joint\"" -A joint --gang=joint/train \
		--gang-min-member=2 &&
	test_must_fail as $bob "$sgang" create -A joint joint/train \
		--min-member 2 2>err &&
	grep GangAccountRules err &&
	own=$(submit_as $bob -A joint --gang=train --gang-min-member=2) &&
	one=$(submit_as $alice -A joint --gang=joint/train \
		--gang-min-member=2) &&
	as $bob scancel $own && as $alice scancel $one
'

last_case 'nothing_left "No fed_mgr state file" \
	"Security violation"'
