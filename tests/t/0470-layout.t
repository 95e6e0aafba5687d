#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0470-layout.t - a plugin that was built for another Slurm

test_description='Records laid out otherwise: the plugin says so, gangs are refused'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

make_says()
{
	printf 'include Makefile\nsays:\n\t@echo %s\n' "$1" |
		env -u MAKEFLAGS -u MAKELEVEL \
		make -s --no-print-directory -C "$top_builddir" -f - says
}

source=$(make_says '$(SLURM_SOURCE)')
compile="$(make_says '$(CC)') -std=gnu11 -fPIC -shared"
flags="$(make_says '$(SLURM_CPPFLAGS) $(CPPFLAGS)')"
libs="$(make_says '$(YAML_LIBS) $(HWLOC_LIBS)')"

# The records of a Slurm that this was not built for: a folder NAME with a header
# in which one record has eight bytes more, behind the field.
shifted_header()
{
	local name=$1 field=$2 header

	header=$(cd "$source" && grep -lsP "^\t$field;" \
		src/slurmctld/slurmctld.h \
		src/common/{job_record,part_record,node_conf}.h)
	test -n "$header" &&
	mkdir -p $name/${header%/*} &&
	sed "s/^\t$field;.*/&\n\tuint64_t added_by_the_test;/" \
		"$source/$header" >$name/$header || return 1
	test "$(diff "$source/$header" $name/$header |
		grep -c "^> .*added_by_the_test")" = 1
}

# shifted_plugin NAME PLUGIN FILES...: compile these with its header and link
# them, and objects that were built before, to NAME/PLUGIN.so.
shifted_plugin()
{
	local here=$PWD name=$1 plugin=$2

	shift 2
	(
		cd "$top_builddir" &&
		eval "$compile" '-o "$here/$name/$plugin.so" -I"$here/$name"' \
			'-I"$top_srcdir/src"' "$flags" '"$@"' \
			src/core/.libs/libsgang-core.a "$libs" \
			'-Wl,--version-script="$top_srcdir/src/plugins/$plugin/$plugin.map"'
	)
}

# The sources of libraries in the Makefile, as seen from the build tree.
c_files()
{
	local library

	for library; do
		make_says "\$(addprefix \$(top_srcdir)/,\$(filter %.c,\$(${library}_la_SOURCES)))"
	done
}

# All of both plugins that looks at records.
shifted_plugins()
{
	shifted_header all "uint64_t bit_flags" &&
	shifted_plugin all select \
		$(c_files src_slurm_libselect src_slurm_libboth) \
		src/plugins/select/.libs/libconductor.a \
		src/files/.libs/libsgangfiles.a &&
	shifted_plugin all job_submit \
		$(c_files src_plugins_job_submit_job_submit_gang src_slurm_libboth) \
		src/plugins/job_submit/.libs/libadmission.a
}

# The select plugin as it is, but for what its self-test takes for the record.
shifted_test()
{
	local object objects=()

	for object in "$top_builddir"/src/slurm/.libs/lib{select,both}_la-*.o; do
		case $object in
		*-layout.o) ;;
		*) objects+=("$object") ;;
		esac
	done
	shifted_header $1 "$2" &&
	shifted_plugin $1 select "$top_srcdir/src/slurm/layout.c" \
		"${objects[@]}" src/plugins/select/.libs/libconductor.a \
		src/files/.libs/libsgangfiles.a
}

logged() { grep -c "$1" "$slurm_dir/log/slurmctld.log"; }

# A process of slurmctld says it once; a reconfigure may be another process.
says_so_once()
{
	local starts

	starts=$(logged "gang: slurm-gang for Slurm")
	test "$starts" -gt 0 &&
		test "$(logged "error: gang: .*not laid out as in the headers")" \
			= "$starts"
}

slurm_setup -n 2 -c 2 --gang

test_expect_success 'plugins that know another layout of the records' 'shifted_plugins'

ln -sf "$PWD/all/select.so" "$slurm_dir/lib/select_cons_tres.so"
ln -sf "$PWD/all/job_submit.so" "$slurm_dir/lib/job_submit_gang.so"
slurm_start

# The records of jobs are not known to be others before there is a job.
test_expect_success '5.1 the first job of all is a member: it does not start' '
	test_must_fail submit -N 1 --gang=a --gang-min-member=2 --wrap=true &&
	queue_empty &&
	says_so_once
'
test_expect_success 'ordinary jobs are only forwarded' '
	first=$(submit -N 2 --exclusive --wrap=true) &&
	second=$(submit -n 1 --mem=10 --wrap=true) &&
	wait_for 20 all_in COMPLETED $first $second &&
	says_so_once
'
test_expect_success '5.1 gangs are refused, and the cause is named' '
	for i in {1..10}; do
		test_must_fail submit -N 1 --exclusive --gang=a$i \
			--gang-min-member=2 --wrap=true 2>err &&
		grep "gangs are off .* records are not laid out as in" err &&
		test_must_fail submit -a 1-9 -H --gang=a$i 2>err &&
		grep "gangs are off .* records are not laid out as in" err ||
			return 1
	done &&
	queue_empty &&
	says_so_once
'
test_expect_success 'also after a reconfigure' '
	scontrol reconfigure &&
	id=$(complete_job -N 1 --exclusive --wrap=true) &&
	says_so_once
'
test_expect_success 'also with jobs that were there before' '
	id=$(run_job -N 1 --exclusive) &&
	slurm_saved $id &&
	ctld_dies &&
	job_is $id RUNNING &&
	next=$(submit -N 1 --wrap=true) &&
	scancel $id &&
	wait_state $next COMPLETED 20
'
test_expect_success 'nothing is left of it' '
	nothing_left "not laid out as in the headers"
'

slurm_stop
cp "$top_builddir/src/plugins/job_submit/.libs/job_submit_gang.so" unshifted.so
ln -sf "$PWD/unshifted.so" "$slurm_dir/lib/job_submit_gang.so"

# A slurmctld without nodes is enough to see what each comparison is worth. The
# job that the first one leaves is there when the next one starts.
while read -r name says field; do
	test_expect_success "eight bytes more in $name: found" '
		shifted_test $name "$field" &&
		ln -sf "$PWD/$name/select.so" \
			"$slurm_dir/lib/select_cons_tres.so" &&
		rm -f "$slurm_dir/log/slurmctld.log" &&
		slurm_start_munge && slurm_start_ctld &&
		submit -N 1 --exclusive &&
		wait_for 10 says_so_once &&
		test_must_fail submit -N 1 --gang=a --gang-min-member=1 2>err &&
		grep "gangs are off .* ${says//_/ } are not laid out" err &&
		grep "slurmctld.s ${says//_/ } are not laid out" \
			"$slurm_dir/log/slurmctld.log" &&
		slurm_saved $(squeue -h -o %A | head -n 1)
	'
	slurm_stop_ctld
done <<'END'
node node_records char \*node_hostname
partition partition_records uint32_t max_cpu_cnt
details details_of_jobs char \*work_dir
job job_records char \*wckey
END

test_expect_success 'nothing more in any: it works' '
	ln -sf "$top_builddir/src/plugins/select/.libs/select_cons_tres.so" \
		"$slurm_dir/lib/select_cons_tres.so" &&
	rm -f "$slurm_dir/log/slurmctld.log" &&
	slurm_start_ctld &&
	id=$(submit -N 1 --gang=b --gang-min-member=2) &&
	wait_for 10 squeue_says $id "gathering 1/2" &&
	! grep "not laid out" "$slurm_dir/log/slurmctld.log"
'

test_done
