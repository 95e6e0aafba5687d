#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0010-symbols.t - who knows whom, seen in the symbols of what was built
#
# The core knows libc alone and has no state of its own; a plugin shows Slurm
# its entry points and nothing else (a global of the same name in slurmctld
# would silently replace ours); and it can be loaded where slurmctld's variables
# do not exist. What sits in every srun and every submission has what it needs of
# the core, and no more.

test_description='symbols of the core library and of the plugins'

. /usr/share/sharness/sharness.sh

: "${NM:=nm}" "${CC:=cc}"
core=$top_builddir/src/core/.libs/libsgang-core.a
select=$top_builddir/src/plugins/select/.libs/select_cons_tres.so
submit=$top_builddir/src/plugins/job_submit/.libs/job_submit_gang.so
spank=$top_builddir/src/plugins/spank/.libs/gang.so

test "$SGANG_WITH_SLURM" = no || test_set_prereq SLURM
"$NM" "$core" | grep -q __asan_ || test_set_prereq PLAIN

# Names that FILE shows: exports it, wants it.
exported() { "$NM" -D --defined-only "$1" | awk '{ print $NF }' | sort; }
wanted() { "$NM" -D --undefined-only "$1" | awk '$1 == "U" { print $2 }' |
	sed 's/@.*//' | sort; }

# All that FILE exports matches the pattern, and something does.
exports_only() {
	exported "$1" >names &&
	grep -Ex "$2" names >/dev/null &&
	! grep -Evx "$2" names
}

test_expect_success 'the core wants nothing of Slurm' '
	"$NM" -u "$core" | awk "NF == 2 { print \$2 }" | sort -u >names &&
	grep -x malloc names &&
	! grep -E "^(slurm|spank|sgang_log|x(malloc|free|str)|bit_|list_)" names
'
test_expect_success PLAIN 'the core links with libc alone' '
	$CC -shared -o core.so -Wl,-z,defs -Wl,--whole-archive "$core" \
		-Wl,--no-whole-archive
'
test_expect_success PLAIN 'the core has no variable that can change' '
	size -A "$core" | awk "
		/:\$/ { object = \$1 }
		\$1 == \".data\" || \$1 == \".bss\" {
			seen++
			if (\$2 > 0) { print object, \$1, \$2; bad = 1 }
		}
		END { exit bad || !seen }"
'
test_expect_success 'the core does not log, exit or abort' '
	! grep -Ex "_?exit|_Exit|abort|__assert_fail|syslog|v?printf|puts|perror" names
'
test_expect_success 'all that the core defines is called sgang_' '
	"$NM" --defined-only -g "$core" | awk "NF == 3 { print \$3 }" >defined &&
	grep ^sgang_ defined >/dev/null &&
	! grep -v -e ^sgang_ -e ^__odr_asan defined
'

# Who calls whom, by the symbols of these object files or archives: "caller called" a line.
arrows()
{
	"$NM" -A "$@" | awk '
		{ file = $1; sub(/:[0-9a-f]*$/, "", file) }
		$(NF - 1) == "U" { wants[file " " $NF] }
		$(NF - 1) ~ /^[BDRTV]$/ { home[$NF] = file }
		END {
			for (pair in wants) {
				split(pair, part, " ")
				to = home[part[2]]
				if (to != "" && to != part[1]) print part[1], to
			}
		}' | sort -u
}

# Nobody calls who calls him: tsort names those who do.
test_expect_success 'no circle of files in the core and in what reads files' '
	arrows "$top_builddir"/src/core/*/.libs/*.o \
		"$top_builddir"/src/files/.libs/*.o >pairs &&
	grep "plan/.*tree.o$" pairs >/dev/null &&
	tsort pairs >order
'
test_expect_success 'rooms of the core: base, fabric, gang, plan, each on those before' '
	sed -E "s,[^ ]*/src/core/([a-z]+)/[^ ]*,\\1,g" pairs |
		grep -Ev "^(base|fabric|gang|plan) \\S*/" | sort -u >rooms &&
	grep -x "plan fabric" rooms &&
	! grep -Ex "base (fabric|gang|plan)|fabric (gang|plan)|gang plan" rooms
'
test_expect_success 'no circle of files in sgang' '
	arrows "$top_builddir"/src/cmd/*.o >pairs &&
	test -s pairs &&
	tsort pairs >order
'
test_expect_success 'no circle of files in the conductor' '
	arrows "$top_builddir"/src/plugins/select/.libs/libconductor.a >pairs &&
	grep ":hold.o$" pairs >/dev/null &&
	tsort pairs >order
'
test_expect_success SLURM 'no circle of files in src/slurm' '
	arrows "$top_builddir"/src/slurm/.libs/lib{select,both}_la-*.o >pairs &&
	grep "host_fit.o$" pairs >/dev/null &&
	tsort pairs >order
'
test_expect_success SLURM 'no circle of files in job_submit' '
	arrows "$top_builddir"/src/plugins/job_submit/.libs/*.o \
		"$top_builddir"/src/slurm/.libs/{plugins_job_submit_,libboth_la-}*.o >pairs &&
	test -s pairs &&
	tsort pairs >order
'
test_expect_success SLURM 'no circle of files in spank' '
	arrows "$top_builddir"/src/plugins/spank/.libs/*.o >pairs &&
	test -s pairs &&
	tsort pairs >order
'

common='init|fini|plugin_(name|type|version|id)'
# SelectTypeParameters, whose names are others since 25.11
test_expect_success 'no name that a later release has not, but in release_*.h' '
	! grep -nE "\bCR_[A-Z]" "$top_srcdir"/src/slurm/*.c |
		grep -vE ":[[:space:]]*/?\*"
'

test_expect_success SLURM 'select exports its entry points only' '
	exports_only "$select" \
		"$common|pstate_version|select_p_[a-z_]+|sgang_select_(alike|answer|barred|never|off|written|moved)"
'
test_expect_success SLURM 'select has all that the stock plugin has' '
	exported "$SGANG_SLURM_PLUGINDIR/select_cons_tres.so" |
		grep ^select_p_ >stock &&
	exported "$select" | grep ^select_p_ >ours &&
	test_cmp stock ours
'
test_expect_success SLURM 'job_submit exports its entry points only' '
	exports_only "$submit" "$common|job_submit|job_modify"
'
test_expect_success SLURM 'spank exports its entry points only' '
	exports_only "$spank" "$common|spank_[a-z_]+|slurm_spank_[a-z_]+"
'
test_expect_success SLURM 'nothing of ours is missing in a plugin' '
	for so in "$select" "$submit" "$spank" \
		"$top_builddir/src/plugins/select/faults/.libs/select_cons_tres.so"
	do
		! wanted "$so" | grep ^sgang_ || return 1
	done
'

# All that ROOM... of the core define.
of_rooms()
{
	for room; do
		"$NM" --defined-only -g "$top_builddir/src/core/$room"/.libs/*.o
	done | awk "NF == 3 { print \$3 }" | sort
}
# None of those names is in FILE, which is not stripped.
has_none() {
	"$NM" --defined-only "$1" | awk "{ print \$NF }" | sort >names &&
	grep -x sgang_spec_set names &&
	comm -12 names "$2" >both &&
	test_must_be_empty both
}

test_expect_success SLURM 'who runs in srun and slurmstepd has no planner and no fabric' '
	of_rooms fabric plan >big && grep -x sgang_plan big &&
	has_none "$spank" big
'
test_expect_success SLURM 'who looks at submissions has no planner' '
	of_rooms plan >big && grep -x sgang_plan big &&
	has_none "$submit" big
'
test_expect_success SLURM 'variables of slurmctld are wanted weakly' '
	"$NM" -D --defined-only "$(command -v slurmctld || \
		echo /usr/sbin/slurmctld)" |
		awk "\$2 ~ /^[BDRVbdrv]\$/ { print \$3 }" | sort >variables &&
	test -s variables &&
	for so in "$select" "$submit"; do
		wanted "$so" >names &&
		test -z "$(comm -12 variables names)" || return 1
	done
'
test_expect_success SLURM 'spank wants nothing but the public interface' '
	wanted "$spank" >names &&
	! grep -E "^slurm_" names |
		grep -Evx "slurm_(error|info|verbose|debug[23]?|spank_log|conf|load_ctl_conf|free_(ctl_)?conf)"
'
test_expect_success SLURM 'no failure on demand in what is installed' '
	! strings -a "$select" | grep SGANG_FAULT &&
	"$NM" --defined-only "$select" >names &&
	! grep sgang_tell_ names &&
	awk "\$3 == \"sgang_faults\" { print \$2 }" names >pointer &&
	echo b >wanted && test_cmp wanted pointer
'

test_done
