# SPDX-License-Identifier: GPL-2.0-or-later
# 03-slurm.sh - private clusters for the shell tests
#
# sharness reads this file by itself. A test that needs a cluster says
#
#	slurm_cluster -n 4 --gang
#	test_expect_success '...' '...'
#	test_done
#
# outside of its test cases. That is slurm_setup, whose options it takes, and
# slurm_start (contrib/cluster.sh); a test may change settings between the two.
# Where there can be no cluster all of the test is skipped, and where one does not
# start the whole run is stopped. All that was started is stopped when the test ends,
# also by a signal; a failed test prints the end of slurmctld's log first. In the
# environment:
#
#	SGANG_KEEP=1		keep the cluster's folder
#	SGANG_VALGRIND=1	run slurmctld under valgrind
#	SGANG_NO_SKIP=1		a cluster that is impossible is a failure

# A test without a cluster may run in a smaller shell.
test -n "$BASH_VERSION" || return 0

: "${top_srcdir:=$(cd "$SHARNESS_TEST_SRCDIR/../.." && pwd)}"
: "${top_builddir:=$SHARNESS_TEST_DIRECTORY}"
sgang=$top_builddir/src/cmd/sgang

slurm_fatal()
{
	slurm_logs
	echo >&5 "Bail out! $*"
	EXIT_OK=t
	exit 1
}

. "$top_srcdir/contrib/cluster.sh"

slurm_cluster()
{
	slurm_setup "$@"
	slurm_start
}

# Tests that run at the same time have different numbers: 0310-words.t looks
# for its ports from 22240 on.
slurm_test_number=$(basename "$SHARNESS_TEST_FILE" |
	sed 's/^[^0-9]*0*\([0-9]*\).*/\1/')
slurm_first_port=$((21000 +
	slurm_port_step * (${slurm_test_number:-0} / 10 % 225)))

# Is this the release of Slurm here? As in slurm_release 22.05; for what Slurm
# itself does otherwise.
slurm_release() { [[ $(slurmctld -V 2>/dev/null) = *" $1."* ]]; }

# This release of Slurm, or a later one?
slurm_since()
{
	local version

	version=$(slurmctld -V 2>/dev/null) && [[ ! ${version#* } < $1 ]]
}

# Why there can be no cluster here, or nothing.
slurm_missing()
{
	local command file

	test "$SGANG_WITH_SLURM" != no || { echo "built without Slurm"; return; }
	test "$(id -u)" = 0 || { echo "only root can run a cluster"; return; }
	for command in flock munged mungekey scontrol sinfo slurmctld slurmd; do
		command -v $command >/dev/null ||
			{ echo "there is no $command"; return; }
	done
	slurm_find_stock || { echo "Slurm's plugins are not found"; return; }
	test -x "$top_builddir/tests/t/await" ||
		{ echo "tests/t/await is not built"; return; }
	case " $* " in
	*" --faults "*) slurm_faults=t ;;
	*" --gang "*) slurm_faults= ;;
	*) return ;;
	esac
	for file in $(slurm_plugin_files); do
		test -f "$file" || { echo "$file is not built"; return; }
	done
}

# skip_test WHY: all of it
skip_test()
{
	skip_all=$1
	test_done
}

# skip_missing WHY [FATAL]: all of the test, if there is a reason; where nothing may
# be missing the run ends with slurm_fatal, or that command
skip_missing()
{
	test -n "$1" || return 0
	test -z "$SGANG_NO_SKIP" || ${2:-slurm_fatal} "$1"
	skip_test "$1"
}

# needs COMMAND: without it the test is skipped
needs() { command -v $1 >/dev/null || skip_test "there is no $1"; }

# needs_slurm WHY CONDITION...: what slurm_release or slurm_since say of the release
# that is here
needs_slurm() { test "$SGANG_WITH_SLURM" = no || "${@:2}" || skip_test "$1"; }

slurm_prepare()
{
	skip_missing "$(slurm_missing "$@")"
	trap slurm_at_exit EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

slurm_at_exit()
{
	local code=$?

	trap '' HUP INT TERM
	test "$code" = 0 || slurm_logs
	slurm_cleanup
	(exit $code)
	die
}
