#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0545-objects.t - what defines a gang is a held job that never runs; and members
# that programs submit by slurmrestd
#
# Such a job is made with Slurm's library alone, by the words that sgang create
# leaves in one, so that it can also be made wrong.
#
# Where slurmrestd has a field for the options of plugins members are as any other.
# Where it has none, as in Slurm 22.05, a job that names a gang is refused: it must
# not run as an ordinary job.

test_description='The definition of a gang apart from its members; slurmrestd'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 2 -c 2 --gang \
	--gang-conf 'GangName=root/listed MinMember=2 MinTRES=node=1'
users_setup
slurm_start

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

	raw -H -n "gang/$name" gang="$name" gang_object=1 "${@:2}"
}

# refuses SENTENCE OPTIONS ENTRY...
refuses()
{
	local sentence=$1

	test_must_fail raw "${@:2}" >out 2>err &&
		test_must_be_empty out &&
		{ grep -F -- "$sentence" err || { cat err; return 1; }; } &&
		queue_empty
}

is_held() { job_is "$1" PENDING && test "$(job_field "$1" Priority)" = 0; }

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
	start_together 15 $one $two &&
	is_held $id &&
	end_now $one $two &&
	is_held $id
'
test_expect_success '0.24 it takes no room: both nodes are for two members' '
	one=$(submit -N 1 --exclusive --gang=train) &&
	two=$(submit -N 1 --exclusive --gang=train) &&
	wait_for 15 all_in RUNNING $one $two &&
	end_now $one $two
'
test_expect_success '0.24 the newest one counts' '
	old=$id &&
	id=$(define train gang_min_member=1) &&
	one=$(complete_job -N 1 --gang=train --wrap=true) &&
	is_held $old &&
	scancel $id
'
test_expect_success '0.24 and without it the one before' '
	one=$(submit -N 1 --gang=train) &&
	wait_for 10 squeue_says $one "Gang root/train gathering 1/2 members" &&
	scancel $one
'
test_expect_success '0.29 what a member says goes before it' '
	one=$(complete_job -N 1 --gang=train --gang-min-member=1 --wrap=true) &&
	scancel $old
'
test_expect_success '0.25 members first, then it' '
	one=$(submit -N 1 --gang=late 2>err) &&
	grep "gang root/late is not defined yet" err &&
	two=$(submit -N 1 --gang=late 2>err) &&
	wait_for 10 squeue_says $one "Gang root/late undefined" &&
	id=$(define late gang_min_member=2) &&
	start_together 15 $one $two &&
	end_now $one $two $id
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
	one=$(complete_job -N 1 --gang=listed --wrap=true) &&
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
test_expect_success 'nothing is left so far' 'nothing_left'

# --- members by slurmrestd ---

if ! command -v slurmrestd >/dev/null; then
	test -z "$SGANG_NO_SKIP" || slurm_fatal "there is no slurmrestd"
	say "# skipped: there is no slurmrestd"
elif ! as $alice slurmrestd -V >/dev/null 2>&1; then # not one that root has built
	say "# skipped: other users cannot run slurmrestd"
else
	test_set_prereq REST
fi

rest_at_exit()
{
	local code=$?

	trap '' HUP INT TERM
	kill $rest_pid 2>/dev/null
	rm -rf "$socket_dir"
	(exit $code)
	$rest_next_at_exit
}

# As $alice, until the test ends.
rest_start()
{
	case $(slurmrestd -V) in
	*" 22.05."*)
		api=v0.0.38 openapi=openapi/v0.0.38 ;;
	*)
		api=v0.0.42 openapi=openapi/slurmctld
		test_set_prereq SPANK_ENVIRONMENT ;;
	esac
	socket_dir=$(mktemp -d "${TMPDIR:-/tmp}/slurm-gang-rest.XXXXXX") &&
		chown $alice "$socket_dir"
	setpriv --reuid $alice --regid "$(id -g $alice)" --clear-groups -- slurmrestd -a rest_auth/local -s $openapi \
		"unix:$socket_dir/socket" >"$slurm_dir/log/slurmrestd.log" 2>&1 &
	rest_pid=$!
	rest_next_at_exit=$(trap -p EXIT | cut -d "'" -f 2)
	trap rest_at_exit EXIT
	wait_for 20 test -S "$socket_dir/socket"
}

# rest_submit FILTER: a job of a minute, changed by a filter of jq; its number,
# or the errors.
rest_submit()
{
	local none='.environment = ["PATH=/bin:/usr/bin"]'

	test $api != v0.0.38 || none='.environment = {PATH: "/bin:/usr/bin"}'
	jq -n "{script: \"#!/bin/sh\necho \$SLURM_GANG_NAME \$SLURM_GANG_MEMBER_RANK\nsleep 60\n\",
		job: ({name: \"rest\", partition: \"main\", nodes: 1,
		current_working_directory: \"/tmp\",
		standard_output: \"$slurm_dir/out/%j\"} | $none | $1)}" |
		sed "$(test $api = v0.0.38 || echo 's/"nodes": 1/"nodes": "1"/')" |
		as $alice curl -s --unix-socket "$socket_dir/socket" -d @- \
			-H 'Content-Type: application/json' \
			http://localhost/slurm/$api/job/submit |
		jq -r 'if (.errors | length) > 0 then
			.errors[] | .error, .description, .job_submit_user_msg
			else .job_id end'
}

in_environment()
{
	if test $api = v0.0.38; then
		echo ".environment[\"$1\"] = \"$2\""
	else
		echo ".environment += [\"$1=$2\"]"
	fi
}

! test_have_prereq REST || rest_start

test_expect_success REST 'an ordinary job is submitted' '
	id=$(rest_submit .) &&
	wait_state $id RUNNING &&
	scancel $id
'
for name in _SLURM_SPANK_OPTION_gang_gang \
	SLURM_SPANK__SLURM_SPANK_OPTION_gang_gang; do
	test_expect_success REST "a gang named in the environment is refused: $name" '
		before=$(squeue -h | wc -l) &&
		rest_submit "$(in_environment $name train)" >said &&
		cat said &&
		! grep -qx "[0-9]*" said &&
		test "$(squeue -h -n rest -t PD,R,CF | wc -l)" = 0
	'
done
test_expect_success REST '... and the log and the user have the reason' '
	grep -q "environment of the job says --gang" said ||
		grep -q "environment of the job says --gang" \
			"$slurm_dir/log/slurmrestd.log" \
			"$slurm_dir/log/slurmctld.log"
'
test_expect_success REST '... other names are nobody'\''s options' '
	id=$(rest_submit "$(in_environment SLURM_GANG_NAME train)") &&
	wait_state $id RUNNING &&
	scancel $id
'
test_expect_success REST,!SPANK_ENVIRONMENT 'there is no field for them' '
	rest_submit ".spank_environment = [\"_SLURM_SPANK_OPTION_gang_gang=t\"]" >said &&
	grep "Unknown key" said &&
	test "$(squeue -h -n rest -t PD,R,CF | wc -l)" = 0
'
options='.spank_environment = ["_SLURM_SPANK_OPTION_gang_gang=train",
	"_SLURM_SPANK_OPTION_gang_gang_min_member=2"]'
test_expect_success REST,SPANK_ENVIRONMENT '0.1 members are submitted, and start together' '
	one=$(rest_submit "$options") &&
	wait_for 20 squeue_says $one "Gang $alice/train gathering 1/2 members" &&
	two=$(rest_submit "$options") &&
	start_together 30 $one $two &&
	for rank in 0 1; do
		wait_for 20 grep -qx "train $rank" \
			"$slurm_dir/out/$one" "$slurm_dir/out/$two" ||
			{ cat "$slurm_dir/out/"*; return 1; }
	done &&
	scancel $one $two
'
test_expect_success REST,SPANK_ENVIRONMENT '0.20 what is wrong is refused' '
	rest_submit "${options/min_member=2/min_member=0}" >said &&
	cat said &&
	! grep -qx "[0-9]*" said
'
test_expect_success REST,SPANK_ENVIRONMENT '0.22 a stranger'\''s gang is refused' '
	rest_submit "${options/gang=train/gang=$bob\/train}" >said &&
	cat said &&
	! grep -qx "[0-9]*" said
'
last_case
