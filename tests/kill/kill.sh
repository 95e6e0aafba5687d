# SPDX-License-Identifier: GPL-2.0-or-later
# kill.sh - slurmctld is killed at a point, is started again, and all is judged
#
# For a test with a private cluster (slurm_setup --faults). The rows of the file
# "kinds" here that name the script say which gangs there are, and which points.
# A kind is these functions, which get the arguments in its row:
#
#	KIND_up		brings the gang to just before the step
#	KIND_step	what leads to the point; slurmctld may die of it
#	KIND_dead	while slurmctld is dead
#	KIND_on		when it is back: says again what it may not have saved
#	KIND_judged	is all as without a kill?
#	KIND_show	what there is to see when it is not
#
# of which it needs the first and _judged. They may read point, nth, died_at and
# n_kills, which is another number for each case. A point is a word of faults.h,
# with -N for its N-th passage (1), or
#
#	now	slurmctld is killed when the gang is up
#	any	the same within a second, while the step is done

kill_kinds=$top_srcdir/tests/kill/kinds
kill_script=${SHARNESS_TEST_FILE##*/} kill_script=${kill_script%.t}

# The rows of this script: fields without blanks around them, between bars.
kill_rows()
{
	sed -n "s/ *| */|/g; s/^$kill_script|//p" "$kill_kinds"
}

died()
{
	! slurm_alive slurmctld
}

# kill_part FUNCTION [ARGUMENT...]: a kind need not have each of them
kill_part()
{
	! declare -F $1 >/dev/null || "$@"
}

# What slurmctld does not survive.
kill_it()
{
	local pause

	case $point in
	now)	slurm_kill9_ctld ;;
	any)	pause=$(printf '0.%03d' $((RANDOM % 1000)))
		{ read -rt $pause <> <(:)
		  slurm_kill9_ctld && slurm_start_ctld; } &
		kill_part ${kind}_step "$@"
		wait $! ;;
	*)	slurm_fault kill-$point $nth && { kill_part ${kind}_step "$@" || :; } &&
			wait_for 40 died ;;
	esac
}

lives_again()
{
	slurm_fault && { slurm_alive slurmctld || slurm_start_ctld; }
}

# kill_case POINT KIND [ARGUMENT...]
kill_case()
{
	local kind=$2

	point=${1%-*} nth=1
	test $point = $1 || nth=${1#*-}
	shift 2
	n_kills=$((n_kills + 1))
	slurm_fault && ${kind}_up "$@" && kill_it "$@" &&
		died_at=$EPOCHREALTIME && kill_part ${kind}_dead "$@" &&
		lives_again && kill_part ${kind}_on "$@" &&
		${kind}_judged "$@" && return
	kill_part ${kind}_show "$@" >&2
	lives_again
	return 1
}

# One case for each point of these kinds, or of all: kill_cases [KIND...]
kill_cases()
{
	local rows row kind what behaviours day more at

	mapfile -t rows < <(kill_rows)
	for row in "${rows[@]}"; do
		IFS='|' read -r kind what behaviours day more <<<"$row"
		test $# = 0 || [[ " $* " = *" ${kind%% *} "* ]] || continue
		for at in $day $(by_day '' "$more"); do
			test_expect_success "$behaviours $what, killed: $at" \
				"kill_case $at $kind"
		done
	done
}

n_kills=0
