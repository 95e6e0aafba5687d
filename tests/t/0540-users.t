#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0540-users.t - what one user can do to another's gang: nothing
#
# $alice has gangs, $bob wants something of them. Then both meet in the namespace of
# account proj, and what one says ends, requeues or holds no job of the other.

test_description="A gang belongs to its user; nobody's words end another's jobs"

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang
users_setup
slurm_start

# bob's command fails and alice's jobs, with all that is known of them, are as
# before. What schedulers write is left out.
in_vain()
{
	alices >before
	"$@" >out 2>err
	test $? -ne 0 || { echo "not refused: $*"; return 1; }
	alices | test_cmp before -
}

alices()
{
	local id fields="JobId JobName UserId Priority Nice Account JobState \
Requeue Restarts TimeLimit Partition SystemComment Comment"

	for id in $(squeue -h -r -u $alice -o %A | sort -n); do
		scontrol -o show job $id | tr ' ' '\n' |
			grep -E "^($(tr ' ' '|' <<<"$fields"))="
	done
}

# Slurm's sentence and the one above it: says TEXT
says()
{
	grep -qF -- "$1" err || { echo "does not say: $1"; cat err; return 1; }
}

test_expect_success 'a gang of one user waits for its second member' '
	one=$(submit_as $alice --gang=train --gang-min-member=2) &&
	wait_for 10 squeue_says $one "Gang $alice/train gathering 1/2 members"
'

foreign="the gang's namespace \"$alice\" is neither your user name ($bob) nor\
 the account that the job is charged to (none)"

for command in sbatch srun salloc; do
	test_expect_success "0.22 $command: nobody joins it by name" '
		wrap= && test $command != sbatch || wrap=--wrap=
		in_vain as $bob $command -N 1 --gang=$alice/train ${wrap}true &&
		says "$foreign"
	'
done
test_expect_success '0.22 nor by an account called like its user' '
	in_vain submit_as $bob --gang=$alice/train --account=$alice &&
	says "the gang'\''s namespace \"$alice\" is the name of another user"
'
for command in sbatch srun salloc; do
	test_expect_success "0.22 $command: nor by a variable" '
		wrap= && test $command != sbatch || wrap=--wrap= &&
		in_vain as $bob env \
			SLURM_SPANK__SLURM_SPANK_OPTION_gang_gang=$alice/train \
			$command -N 1 ${wrap}true &&
		says "$foreign"
	'
done
test_expect_success '0.22 variables of other names are not heard' '
	for name in _SLURM_SPANK_OPTION_gang_gang \
		SPANK__SLURM_SPANK_OPTION_gang_gang \
		SLURM_SPANK_SPANK__SLURM_SPANK_OPTION_gang_gang; do
		as $bob env $name=$alice/train srun -N 1 true || return 1
	done &&
	squeue_says $one "Gang $alice/train gathering 1/2 members"
'
test_expect_success '0.22 nor past the commands' '
	entry=_SLURM_SPANK_OPTION_gang_gang &&
	in_vain as $bob $raw_submit $entry=$alice/train &&
	says "$foreign" &&
	in_vain as $bob $raw_submit $entry=x $entry=$alice/train &&
	says "give one of them" &&
	for entry in SPANK_$entry SLURM_SPANK_$entry; do
		same=$(as $bob $raw_submit -H $entry=$alice/train) &&
		as $bob scancel $same || return 1
	done &&
	squeue_says $one "Gang $alice/train gathering 1/2 members"
'
test_expect_success '0.15 nobody defines it for its user' '
	in_vain as $bob $raw_submit -H \
		_SLURM_SPANK_OPTION_gang_gang=$alice/train \
		_SLURM_SPANK_OPTION_gang_gang_min_member=1 \
		_SLURM_SPANK_OPTION_gang_gang_object=1 &&
	says "$foreign" &&
	in_vain as $bob "$sgang" create $alice/train --min-member 1 &&
	says "the gang'\''s namespace \"$alice\" is neither your user name"
'
test_expect_success '0.18 a gang of the same name is another one' '
	same=$(submit_as $bob --gang=train --gang-min-member=3) &&
	wait_for 10 squeue_says $same "Gang $bob/train gathering 1/3 members" &&
	squeue_says $one "Gang $alice/train gathering 1/2 members" &&
	as $bob scancel $same
'
test_expect_success 'a record that somebody writes is not one' '
	fake="gang=$alice/train phase=running min=1 total=1 satisfied=1" &&
	same=$(submit_as $bob --comment="$fake" --job-name=gang/train --hold) &&
	for field in SystemComment AdminComment; do
		as $bob scontrol update JobId=$same $field="$fake"
	done
	as $bob scontrol update JobId=$same Comment="$fake x=1" &&
	test "$(job_field $same SystemComment)" = "" &&
	test "$("$sgang" list --noheader | grep -c "$alice/train")" = 1 &&
	squeue_says $one "Gang $alice/train gathering 1/2 members" &&
	as $bob scancel $same
'

# What bob tries on every job of alice in turn, waiting or running.
foreign_commands()
{
	cat <<-END
	scancel JOB
	scancel --signal=TERM JOB
	scontrol hold JOB
	scontrol release JOB
	scontrol requeue JOB
	scontrol requeuehold JOB
	scontrol suspend JOB
	scontrol update JobId=JOB Nice=7
	scontrol update JobId=JOB Account=mine
	scontrol update JobId=JOB TimeLimit=1
	END
}

all_in_vain()
{
	local line

	while read -r line; do
		in_vain as $bob ${line//JOB/$1} || return 1
	done <<<"$(foreign_commands)"
}

test_expect_success '0.22 nobody touches a member that waits' 'all_in_vain $one'
test_expect_success 'nobody cancels it as a whole' '
	in_vain as $bob "$sgang" cancel $alice/train &&
	says "denied" &&
	as $bob "$sgang" cancel $alice/train >out 2>err
	test $? = 1 &&
	test_must_be_empty out &&
	! grep -v "^sgang: job [0-9_]*: .*denied.* (a job of $alice)" err &&
	as $bob "$sgang" cancel --json $alice/train >out
	test $? = 1 &&
	grep "\"cancelled\":0,.*\"refused\":\[{" out
'
test_expect_success 'nobody reads its script' '
	as $alice scontrol write batch_script $one - >out &&
	grep "sleep 3600" out &&
	as $bob scontrol write batch_script $one - >out 2>&1
	! grep "sleep 3600" out
'
test_expect_success '0.22 nobody releases one that is held' '
	as $alice scontrol hold $one &&
	in_vain as $bob scontrol release $one &&
	as $alice scontrol release $one
'

test_expect_success '0.22 its user completes it' '
	two=$(submit_as $alice --gang=train --wrap="echo \$\$; sleep 3600") &&
	start_together 15 $one $two
'
test_expect_success '0.22 nobody touches a member that runs' '
	all_in_vain $two &&
	in_vain as $bob srun --jobid=$two true &&
	all_in RUNNING $one $two
'
test_expect_success 'nobody reads what its members are told' '
	wait_for 10 test -s "$slurm_dir/out/$two" &&
	pid=$(job_output $two) &&
	as $alice cat /proc/$pid/environ | tr "\0" "\n" >environment &&
	grep "^SLURM_GANG_JOB_IDS=$one,$two\$" environment &&
	test_must_fail as $bob cat /proc/$pid/environ &&
	as $bob scontrol show job -dd $two >out &&
	! grep SLURM_GANG out
'
test_expect_success 'sgang shows others what squeue shows' '
	as $bob "$sgang" show $alice/train >out &&
	! grep -e SLURM_ -e "$slurm_dir" out
'
test_expect_success 'PrivateData=jobs: and not even that' '
	echo PrivateData=jobs >>"$SLURM_CONF" &&
	scontrol reconfigure &&
	wait_for 10 "test -z \"\$(as $bob squeue -h -u $alice)\"" &&
	as $bob "$sgang" list --json >out &&
	! grep $alice out &&
	test_must_fail as $bob "$sgang" show $alice/train >out 2>err &&
	test_must_be_empty out &&
	grep "^sgang: there is no gang $alice/train, " err &&
	! grep "did you mean $alice" err &&
	as $alice "$sgang" show $alice/train >out &&
	grep -w $two out
'
sed -i '/^PrivateData=/d' "$SLURM_CONF"
test_expect_success 'its user ends it' '
	scontrol reconfigure &&
	ended_as $alice $one $two
'

test_expect_success '0.13 a gang has timed out' '
	other=$(submit_as $bob -N 3 --exclusive) &&
	wait_state $other RUNNING &&
	set -- -N 1 --exclusive --gang=train --gang-min-member=2 \
		--gang-mode=nonstrict --gang-waiting-time=0:02 &&
	one=$(submit_as $alice "$@") &&
	two=$(submit_as $alice "$@") &&
	wait_for 20 squeue_says $one GangTimeout &&
	wait_for 10 squeue_says $two GangTimeout
'
test_expect_success '0.14 nobody tries it again but its user' '
	for id in $one $two; do
		in_vain as $bob scontrol release $id || return 1
	done &&
	in_vain as $bob "$sgang" retry $alice/train &&
	says "Invalid user id" &&
	squeue_says $one GangTimeout &&
	squeue_says $two GangTimeout &&
	ended_as $bob $other &&
	as $alice "$sgang" retry $alice/train &&
	wait_for 15 all_in RUNNING $one $two &&
	ended_as $alice $one $two
'

# ---- changes of what was admitted ----

test_expect_success '0.22 a member stays in the account of its gang' '
	one=$(submit_as $alice --account=proj --gang=proj/joint \
		--gang-min-member=2 --job-name=first) &&
	for account in "" other $bob; do
		test_must_fail as $alice scontrol update JobId=$one \
			"Account=$account" || return 1
	done &&
	test "$(job_field $one Account)" = proj &&
	as $alice scontrol update JobId=$one JobName=gang/joint \
		Comment="gang=$bob/x" &&
	wait_for 10 squeue_says $one "Gang proj/joint gathering 1/2 members"
'
test_expect_success '0.22 two users meet in the namespace of an account' '
	two=$(submit_as $bob --account=proj --gang=proj/joint) &&
	start_together 15 $one $two
'
test_expect_success '0.22 and still cannot touch what is the other'\''s' '
	in_vain as $bob scancel $one &&
	test_must_fail as $alice scontrol requeue $two &&
	all_in RUNNING $one $two &&
	as $alice scancel $one &&
	ended_as $bob $two
'

# ---- groups ----

waits_for_train="Gang $bob/x waits: gang $alice/train is not there or does not\
 list it in --gang-groups"

test_expect_success '0.22 a gang that another lists does not wait for it' '
	own=$(submit_as $bob --gang=x --gang-min-member=1 \
		--gang-groups=$alice/train --gang-waiting-time=0:05) &&
	wait_for 10 squeue_says $own "$waits_for_train" &&
	one=$(submit_as $alice --gang=train --gang-min-member=2) &&
	wait_for 10 squeue_says $one "Gang $alice/train gathering 1/2 members" &&
	squeue_says $own "$waits_for_train" &&
	two=$(submit_as $alice --gang=train) &&
	start_together 15 $one $two &&
	squeue_says $own "$waits_for_train"
'
test_expect_success '0.22 nor is anybody kept off the nodes that it wants' '
	three=$(submit_as $alice -N 2 --exclusive) &&
	wait_state $three RUNNING &&
	ended_as $alice $one $two $three &&
	job_is $own PENDING &&
	as $bob scancel $own
'
test_expect_success '0.22 nor when it would hold them' '
	own=$(submit_as $bob -N 4 --exclusive --gang=x --gang-min-member=1 \
		--gang-mode=nonstrict --gang-groups=$alice/train \
		--gang-waiting-time=0:05) &&
	one=$(submit_as $alice -N 2 --exclusive --gang=train \
		--gang-mode=nonstrict --gang-min-member=2) &&
	wait_for 10 squeue_says $own "$waits_for_train" &&
	two=$(submit_as $alice -N 2 --exclusive --gang=train) &&
	start_together 15 $one $two &&
	squeue_says $own "$waits_for_train" &&
	test "$("$sgang" show $alice/train | grep -c $bob)" = 0 &&
	as $bob scancel $own &&
	as $alice scancel $one $two &&
	wait_for 15 queue_empty &&
	wait_for 15 nodes_idle
'
test_expect_success '0.22, 0.30 two users in one group start together' '
	told="--wrap=env | grep ^SLURM_GANG_ | sort; sleep 3600" &&
	one=$(submit_as $alice --gang=train --gang-min-member=1 \
		--gang-groups=$bob/x "$told") &&
	wait_for 10 squeue_says $one "$bob/x" &&
	job_is $one PENDING &&
	own=$(submit_as $bob --gang=x --gang-min-member=2 --array=1-2 \
		--gang-groups=$alice/train "$told") &&
	wait_for 15 all_in RUNNING $one ${own}_1 ${own}_2
'
test_expect_success '0.30 and are told of their own gang only' '
	wait_for 10 "test \$(cat \"$slurm_dir\"/out/* |
		grep -c ^SLURM_GANG_TIER=) = 3" &&
	grep "^SLURM_GANG_JOB_IDS=$one\$" "$slurm_dir/out/$one" &&
	grep "^SLURM_GANG_MEMBERS=1\$" "$slurm_dir/out/$one" &&
	grep "^SLURM_GANG_NODELIST=$(job_field $one NodeList)\$" \
		"$slurm_dir/out/$one" &&
	! grep $bob "$slurm_dir/out/$one" &&
	test "$(grep -lr "^SLURM_GANG_NAMESPACE=$bob\$" "$slurm_dir/out" |
		wc -l)" = 2 &&
	! grep -lr "^SLURM_GANG_NAMESPACE=$bob\$" "$slurm_dir/out" |
		xargs grep $alice &&
	in_vain as $bob scancel $one &&
	as $alice scancel $one &&
	ended_as $bob $own
'

test_expect_success 'nothing is left so far' '
	nothing_left "Security violation" "SECURITY VIOLATION" \
		"Attempt to change admin_comment"
'

# --- gangs that several users share ---

in_proj="--account=proj --gang=proj/joint"

# Both users have members that run: one alice's, two bob's.
# share [OPTION of alice's...] -- [OPTION of bob's...]
share()
{
	local hers=()

	while test "$1" != --; do
		hers+=("$1")
		shift
	done
	shift
	one=$(submit_as $alice $in_proj --gang-min-member=2 "${hers[@]}") &&
	two=$(submit_as $bob $in_proj "$@") &&
	wait_for 15 all_in RUNNING $one $two
}

# A late member of that user's fails, and a pass has seen it: fails USER OPTION...
fails()
{
	local user=$1

	late=$(submit_as $user $in_proj "${@:2}" --wrap="exit 1") &&
	wait_state $late FAILED &&
	wait_for 10 "test \"\$(gang_record $late phase)\" = failed ||
		test \"\$(gang_record $late phase)\" = finished" &&
	mark=$(submit_as $bob --gang=mark --gang-min-member=1 --wrap=true) &&
	wait_state $mark COMPLETED
}

cleared()
{
	scancel -u $alice && scancel -u $bob &&
	wait_for 15 queue_empty && wait_for 15 nodes_idle
}

test_expect_success '3.36 a late member with kill ends nobody else'\''s jobs' '
	share -- &&
	fails $bob --gang-on-failure=kill &&
	all_in RUNNING $one
'
test_expect_success '3.36 nor its own user'\''s, which had started before' '
	all_in RUNNING $two && cleared
'
test_expect_success '3.36 who says kill from the start ends his own alone' '
	share -- --gang-on-failure=kill &&
	test "$(gang_record $one onfailure)" = ignore &&
	test "$(gang_record $two onfailure)" = kill &&
	fails $bob &&
	wait_for 15 all_in CANCELLED $two &&
	all_in RUNNING $one && cleared
'
test_expect_success '3.36 and so when it is another'\''s member that is lost' '
	share --gang-on-failure=kill -- &&
	fails $bob &&
	wait_for 15 all_in CANCELLED $one &&
	all_in RUNNING $two && cleared
'
test_expect_success '3.36 3.2 requeue too counts for its own user' '
	share -- --gang-on-failure=requeue &&
	fails $alice &&
	wait_for 15 "test \$(restarts_of $two) = 1" &&
	all_in RUNNING $one &&
	test $(restarts_of $one) = 0 && cleared
'
test_expect_success '3.36 a definition of another user ends nothing' '
	as $bob "$sgang" create --account proj proj/joint --min-member 2 \
		--on-failure kill >out &&
	share -- &&
	fails $bob &&
	wait_for 15 all_in CANCELLED $two &&
	all_in RUNNING $one && cleared
'
test_expect_success '3.36 one of an operator does, for all' '
	"$sgang" create --account proj proj/joint --min-member 2 \
		--on-failure kill >out &&
	share -- &&
	fails $bob &&
	wait_for 15 all_in CANCELLED $one $two &&
	scancel -u root && cleared
'
test_expect_success '3.36 so does gang.conf' '
	echo "GangName=proj/joint MinMember=2 OnFailure=kill" \
		>>"$slurm_dir/etc/gang.conf" &&
	scontrol reconfigure &&
	share -- &&
	fails $bob &&
	wait_for 15 all_in CANCELLED $one $two &&
	cleared
'
sed -i '/^GangName/d' "$slurm_dir/etc/gang.conf"
test_expect_success '3.36 a definition that comes late changes nothing' '
	scontrol reconfigure &&
	share -- &&
	"$sgang" create --account proj proj/joint --min-member 2 \
		--on-failure kill >out &&
	fails $bob &&
	all_in RUNNING $one $two &&
	scancel -u root && cleared
'

whole="-N 1 --exclusive $in_proj"

test_expect_success '0.13 0.28 a short waiting time stops nobody else'\''s jobs' '
	other=$(submit_as $bob -N 3 --exclusive) &&
	wait_state $other RUNNING &&
	one=$(submit_as $alice $whole --gang-min-member=2 \
		--gang-mode=nonstrict) &&
	two=$(submit_as $bob $whole --gang-waiting-time=0:02) &&
	wait_for 15 "test \$(held_in $one $two) = 1" &&
	since=$(date +%s) &&
	wait_for 15 "test \$(date +%s) -gt $((since + 5))" &&
	test "$(held_in $one $two)" = 1 &&
	! squeue_says $one GangTimeout && ! squeue_says $two GangTimeout &&
	cleared
'
test_expect_success '0.13 0.28 what all of them say counts' '
	other=$(submit_as $bob -N 3 --exclusive) &&
	wait_state $other RUNNING &&
	one=$(submit_as $alice $whole --gang-min-member=2 \
		--gang-mode=nonstrict --gang-waiting-time=0:02) &&
	two=$(submit_as $bob $whole --gang-waiting-time=0:02) &&
	wait_for 20 squeue_says $one GangTimeout &&
	wait_for 10 squeue_says $two GangTimeout && cleared
'
last_case '
	nothing_left "Security violation" "SECURITY VIOLATION" \
		"Attempt to change admin_comment"
'
