#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0912-rpm.t - the RPMs that contrib/slurm-gang.spec makes, on a Debian
#
# The two commands at the top of the spec are run, and rpm says what came of
# them. rpm on a Debian knows neither Slurm nor what else the spec wants to be
# there, and nobody runs what is compiled: so --nodeps, the version of Slurm in
# the command, and -O0.

test_description='RPMs: files, requirements and scripts'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

made() { sed -n "s/^$1 = //p" "$top_builddir/Makefile"; }

test "$SGANG_WITH_SLURM" != no || skip_test "built without Slurm"
command -v rpmbuild >/dev/null || skip_missing "there is no rpmbuild"

slurm=$(made SLURM_VERSION)
next=${slurm%.*}.$((${slurm##*.} + 1))~
series=${slurm%.*}
# A path with a blank, which that of this test has, is none for rpm.
top=$(mktemp -d "${TMPDIR:-/tmp}/slurm-gang-rpm.XXXXXX") || exit 1
cleanup 'rm -rf "$top"'
# A Slurm that was built for the tests alone is where gcc does not look.
C_INCLUDE_PATH=$(made CPPFLAGS | tr ' ' '\n' | sed -n 's/^-I//p' | paste -sd :)
LIBRARY_PATH=$(made LDFLAGS | tr ' ' '\n' | sed -n 's/^-L//p' | paste -sd :)
export C_INCLUDE_PATH LIBRARY_PATH

# Of the package PART, which is alone of that name.
query() { rpm -qp --dbpath "$top/db" "${@:2}" "$top"/RPMS/*/slurm-gang-$1-[0-9]*.rpm; }
files()
{
	query $1 --list | grep -v -e /licenses/ -e /.build-id | sed "s,^$libdir/,LIBDIR/," | sort
}
# What else than libraries and programs, of which rpm knows by itself.
requires() { query $1 --requires | grep -v -e '\.so\.' -e '^/' -e '^[a-z]*(' | sort; }
# A script of a package: script PART preun
script()
{
	query $1 --scripts | awk -v start="^$2(install|uninstall)? scriptlet" '
		/^[a-z]* ?(program|scriptlet)/ { inside = $0 ~ start; next } inside'
}

test_expect_success 'make dist' '
	env -u MAKEFLAGS -u MFLAGS -u MAKEOVERRIDES -u MAKELEVEL make -s \
		-C "$top_builddir" XZ_OPT=-0 dist >dist.log 2>&1 ||
		{ tail -n 20 dist.log; return 1; } &&
	mv "$top_builddir/slurm-gang-$(made VERSION).tar.xz" "$top"
'
test_expect_success 'rpmbuild -tb' '
	rpmbuild -tb "$top"/slurm-gang-*.tar.xz --nodeps --without tests \
		--define "_topdir $top" --define "_dbpath $top/db" \
		--define "slurm_source $(made SLURM_SOURCE)" --define "slurm $slurm" \
		--define "optflags -O0" --define "debug_package %{nil}" >rpm.log 2>&1 ||
		{ tail -n 40 rpm.log; return 1; } &&
	test $(ls "$top"/RPMS/*/*.rpm | wc -l) = 4 &&
	libdir=$(query plugins --list | sed -n "s,/slurm-gang/select_cons_tres.so$,,p") &&
	test -n "$libdir"
'
test_expect_success 'plugins: for slurmctld of that micro release alone' '
	cat >wanted <<-END &&
	slurm-gang-client = $(query client --qf "%{VERSION}-%{RELEASE}")
	slurm-slurmctld < $next
	slurm-slurmctld >= $slurm
	END
	requires plugins >requires &&
	test_cmp wanted requires &&
	files plugins >files &&
	cat >wanted <<-END &&
	LIBDIR/slurm-gang
	LIBDIR/slurm-gang/job_submit_gang.so
	LIBDIR/slurm-gang/select_cons_tres.so
	END
	test_cmp wanted files
'
test_expect_success 'client: for the series of Slurm, with the SPANK plugin and its line' '
	printf "%s\n" "slurm < ${series%.*}.$(printf %02d $((10#${series#*.} + 1)))~" \
		"slurm >= $series" >wanted &&
	requires client >requires &&
	test_cmp wanted requires &&
	files client | sed "s/\.gz\$//" >files &&
	for file in /usr/bin/sgang LIBDIR/slurm-gang/gang.so /usr/share/slurm-gang/unpark \
		/usr/share/slurm-gang/install-check /etc/slurm/plugstack.conf.d/slurm-gang.conf \
		/usr/share/bash-completion/completions/sgang \
		/usr/share/man/man1/sgang.1 /usr/share/man/man5/gang.conf.5 \
		/usr/share/man/man7/slurm-gang.7 /usr/share/man/man8/spank_gang.8
	do
		grep -x "$file" files || return 1
	done &&
	! grep -e libsgang -e /include/ files &&
	query client --configfiles | grep -x /etc/slurm/plugstack.conf.d/slurm-gang.conf &&
	(cd "$top" && rpm2cpio RPMS/*/slurm-gang-client-*.rpm |
		cpio -i --to-stdout --quiet "./etc/slurm/plugstack.conf.d/*") >line &&
	grep -x "optional $libdir/slurm-gang/gang.so" line
'
test_expect_success 'libs and devel: no Slurm is needed' '
	test -z "$(requires libs)" &&
	requires devel | grep "^slurm-gang-libs" &&
	files libs >files &&
	printf "LIBDIR/libsgang.so.0%s\n" "" .0.0 >wanted &&
	test_cmp wanted files &&
	files devel >files &&
	for file in LIBDIR/libsgang.so LIBDIR/pkgconfig/sgang.pc /usr/include/sgang/plan/plan.h
	do
		grep -x "$file" files || return 1
	done
'
test_expect_success 'no file is in two packages, but for the licence and a folder' '
	for part in plugins client libs devel; do files $part; done | sort |
		uniq -d >twice &&
	echo LIBDIR/slurm-gang >wanted &&
	test_cmp wanted twice
'
# The scripts, with files of here in place of those in /etc and of rpm.
test_expect_success 'a removal warns where slurm.conf still needs what goes' '
	echo "PluginDir=$top/lib/slurm-gang:/stock" >slurm.conf &&
	script client postun >postun && script plugins preun >preun &&
	sed -i "s,$libdir/slurm-gang,$top/lib/slurm-gang,g; s,/etc/slurm/slurm.conf,slurm.conf,; \
		s,/run/slurm/conf/slurm.conf,," postun preun &&
	sh postun 1 2>err && test_must_be_empty err && test ! -e "$top/lib" &&
	sh postun 0 2>err && grep "still names .* in PluginDir" err && test -d "$top/lib/slurm-gang" &&
	sh preun 0 2>err && test_must_be_empty err &&
	echo "JobSubmitPlugins=lua,gang" >>slurm.conf &&
	sh preun 1 2>err && test_must_be_empty err &&
	sh preun 0 2>err && grep "will not start again" err
'

test_done
