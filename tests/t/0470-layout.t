#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0470-layout.t - a plugin that was built for another Slurm

test_description='Records laid out otherwise: the plugin says so and stays out'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

# The records of a Slurm that this was not built for: the same plugin, built
# with a header in which most fields of a job are eight bytes further back.
make_says()
{
	printf 'include Makefile\nsays:\n\t@echo %s\n' "$1" |
		env -u MAKEFLAGS -u MAKELEVEL \
		make -s --no-print-directory -C "$top_builddir" -f - says
}

shifted_plugin()
{
	local header=src/slurmctld/slurmctld.h source file files=

	source=$(make_says '$(SLURM_SOURCE)') &&
	{ grep -q 'uint64_t bit_flags;' "$source/$header" ||
		header=src/common/job_record.h; } &&
	mkdir -p shifted/${header%/*} &&
	sed 's/^\tuint64_t bit_flags;.*/&\n\tuint64_t added_by_the_test;/' \
		"$source/$header" >shifted/$header || return 1
	test "$(diff "$source/$header" shifted/$header |
		grep -c "^> .*added_by_the_test")" = 1 || return 1
	for file in $(make_says '$(select_sources)'); do
		case $file in *.c) files+=" \"\$top_srcdir/$file\"" ;; esac
	done
	(
		here=$PWD
		cd "$top_builddir" &&
		eval "$(make_says '$(CC)') -std=gnu11 -fPIC -shared" \
			'-o "$here/shifted.so" -I"$here/shifted"' \
			'-I"$top_srcdir/src"' "$(make_says '$(SLURM_CPPFLAGS)')" \
			"$files" src/plugins/select/.libs/libconductor.a \
			src/files/.libs/libsgangfiles.a \
			src/core/.libs/libsgang-core.a \
			"$(make_says '$(YAML_LIBS) $(HWLOC_LIBS)')" '-Wl,--version-script="$top_srcdir/src/plugins/select/select.map"'
	)
}

logged()
{
	grep -c "$1" "$slurm_dir/log/slurmctld.log"
}

# A process of slurmctld says it once; a reconfigure may be another process.
says_so_once()
{
	test "$(logged "error: gang: .*not laid out as in the headers")" = \
		"$(logged "gang: slurm-gang for Slurm")"
}

slurm_setup -n 2 -c 2 --gang

test_expect_success 'a plugin that knows another layout of the records' '
	shifted_plugin
'

ln -sf "$PWD/shifted.so" "$slurm_dir/lib/select_cons_tres.so"
slurm_start

test_expect_success 'it only forwards, and says so once' '
	first=$(submit -N 2 --exclusive --wrap=true) &&
	second=$(submit -n 1 --mem=10 --wrap=true) &&
	wait_for 20 all_in COMPLETED $first $second &&
	says_so_once
'
test_expect_success 'members of a gang are ordinary jobs to it' '
	id=$(submit -N 1 --exclusive --gang=a --gang-min-member=2 \
		--wrap=true) &&
	wait_state $id COMPLETED &&
	says_so_once
'
test_expect_success 'also after a reconfigure' '
	scontrol reconfigure &&
	id=$(submit -N 1 --exclusive --wrap=true) &&
	wait_state $id COMPLETED &&
	says_so_once
'
test_expect_success 'also with jobs that were there before' '
	id=$(submit -N 1 --exclusive --gang=b --gang-min-member=2) &&
	wait_state $id RUNNING &&
	slurm_saved $id &&
	slurm_kill9_ctld &&
	slurm_start_ctld &&
	job_is $id RUNNING &&
	next=$(submit -N 1 --wrap=true) &&
	scancel $id &&
	wait_state $next COMPLETED 20
'
test_expect_success 'nothing is left of it' '
	nothing_left "not laid out as in the headers"
'

test_done
