#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0546-rest.t - members that programs submit by slurmrestd
#
# Where slurmrestd has a field for the options of plugins they are members as any
# other. Where it has none, as in Slurm 22.05, a job that names a gang is refused:
# it must not run as an ordinary job.

test_description='Gangs and slurmrestd'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

if ! command -v slurmrestd >/dev/null; then
	test -z "$SGANG_NO_SKIP" || slurm_fatal "there is no slurmrestd"
	skip_all="there is no slurmrestd"
	test_done
fi
slurm_setup -n 4 -c 2 --gang
users_setup
if ! as $alice slurmrestd -V >/dev/null 2>&1; then # not one that root has built
	skip_all="other users cannot run slurmrestd"
	test_done
fi
slurm_start

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
rest_at_exit()
{
	local code=$?

	trap '' HUP INT TERM
	kill $rest_pid 2>/dev/null
	rm -rf "$socket_dir"
	(exit $code)
	$rest_next_at_exit
}
trap rest_at_exit EXIT

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

wait_for 20 test -S "$socket_dir/socket"

test_expect_success 'an ordinary job is submitted' '
	id=$(rest_submit .) &&
	wait_state $id RUNNING &&
	scancel $id
'
for name in _SLURM_SPANK_OPTION_gang_gang \
	SLURM_SPANK__SLURM_SPANK_OPTION_gang_gang; do
	test_expect_success "a gang named in the environment is refused: $name" '
		before=$(squeue -h | wc -l) &&
		rest_submit "$(in_environment $name train)" >said &&
		cat said &&
		! grep -qx "[0-9]*" said &&
		test "$(squeue -h -n rest -t PD,R,CF | wc -l)" = 0
	'
done
test_expect_success '... and the log and the user have the reason' '
	grep -q "environment of the job says --gang" said ||
		grep -q "environment of the job says --gang" \
			"$slurm_dir/log/slurmrestd.log" \
			"$slurm_dir/log/slurmctld.log"
'
test_expect_success '... other names are nobody'\''s options' '
	id=$(rest_submit "$(in_environment SLURM_GANG_NAME train)") &&
	wait_state $id RUNNING &&
	scancel $id
'
test_expect_success !SPANK_ENVIRONMENT 'there is no field for them' '
	rest_submit ".spank_environment = [\"_SLURM_SPANK_OPTION_gang_gang=t\"]" >said &&
	grep "Unknown key" said &&
	test "$(squeue -h -n rest -t PD,R,CF | wc -l)" = 0
'
options='.spank_environment = ["_SLURM_SPANK_OPTION_gang_gang=train",
	"_SLURM_SPANK_OPTION_gang_gang_min_member=2"]'
test_expect_success SPANK_ENVIRONMENT '0.1 members are submitted, and start together' '
	one=$(rest_submit "$options") &&
	wait_for 20 squeue_says $one "Gang $alice/train gathering 1/2 members" &&
	two=$(rest_submit "$options") &&
	wait_for 30 all_in RUNNING $one $two &&
	started_together $one $two &&
	for rank in 0 1; do
		wait_for 20 grep -qx "train $rank" \
			"$slurm_dir/out/$one" "$slurm_dir/out/$two" ||
			{ cat "$slurm_dir/out/"*; return 1; }
	done &&
	scancel $one $two
'
test_expect_success SPANK_ENVIRONMENT '0.20 what is wrong is refused' '
	rest_submit "${options/min_member=2/min_member=0}" >said &&
	cat said &&
	! grep -qx "[0-9]*" said
'
test_expect_success SPANK_ENVIRONMENT '0.22 a stranger'\''s gang is refused' '
	rest_submit "${options/gang=train/gang=$bob\/train}" >said &&
	cat said &&
	! grep -qx "[0-9]*" said
'
test_expect_success 'nothing is left' '
	nothing_left
'
test_done
