# SPDX-License-Identifier: GPL-2.0-or-later
# x_ac_slurm.m4 - which Slurm to build for, and where its headers are
#
# X_AC_SLURM wants --with-slurm-source=DIR or --without-slurm and checks that
# DIR is the source of exactly the Slurm that is installed: job records change
# in micro releases. --enable-other-micro takes that of another micro release,
# for those who know that the records are the same, or have made them so. The
# plugins carry the version of what is installed. It sets
#
#   with_slurm           yes or no, also as conditional WITH_SLURM
#   SLURM_VERSION        as in 22.05.8
#   SLURM_RELEASE        of the adapters in src/slurm, as in 22_05; the oldest
#                        and the newest also as conditionals, SLURM_22_05
#                        and SLURM_26_05
#   SLURM_TREE           a conditional: nodes can carry their place, as since
#                        25.05
#   SLURM_SOURCE         the source, absolute
#   SLURM_CPPFLAGS       for whatever includes Slurm's private headers
#   SLURM_LIBS           libslurm, for whatever asks slurmctld as a client
#   SLURM_PLUGINDIR      the folder of the stock plugins
#   SGANG_STOCK_RULE     how that Slurm places jobs, see core/stock.h; also in C
#
# To add a release: a row in _X_AC_SLURM_RELEASE and src/slurm/release_X_Y.h.

AC_DEFUN([X_AC_SLURM], [
AC_ARG_WITH([slurm],
	[AS_HELP_STRING([--without-slurm],
		[build the core library, offline sgang and their tests only])],
	[], [with_slurm=yes])
AC_ARG_WITH([slurm-source],
	[AS_HELP_STRING([--with-slurm-source=DIR],
		[the unpacked source of the installed Slurm
		 (contrib/slurm-source fetches it)])],
	[], [with_slurm_source=no])
AC_ARG_ENABLE([other-micro],
	[AS_HELP_STRING([--enable-other-micro],
		[take a source of another micro release than the installed
		 one: if records differ, the plugins stay out])],
	[], [enable_other_micro=no])
AC_ARG_WITH([slurm-plugindir],
	[AS_HELP_STRING([--with-slurm-plugindir=DIR],
		[the folder of Slurm's own plugins @<:@where sinfo finds its
		 library@:>@])],
	[], [with_slurm_plugindir=])

AS_IF([test "$with_slurm" != no], [
	with_slurm=yes
	AS_CASE([$with_slurm_source], [no|yes|''], [AC_MSG_ERROR(
		[m4_normalize([say --with-slurm-source=DIR
		 (contrib/slurm-source DIR fetches it) or
		 --without-slurm])])])
	_X_AC_SLURM_SOURCE
	_X_AC_SLURM_INSTALLED
	_X_AC_SLURM_RELEASE
	_X_AC_SLURM_PLUGINDIR
	_X_AC_SLURM_FLAGS
])

AC_SUBST([SLURM_VERSION])
AC_SUBST([SLURM_RELEASE])
AC_SUBST([SLURM_SOURCE])
AC_SUBST([SLURM_CPPFLAGS])
AC_SUBST([SLURM_LIBS])
AC_SUBST([SLURM_PLUGINDIR])
AC_SUBST([SGANG_STOCK_RULE], [${sgang_stock_rule-SGANG_STOCK_26_05}])
AC_DEFINE_UNQUOTED([SGANG_STOCK_RULE], [$SGANG_STOCK_RULE],
	[How Slurm by itself places jobs, an enum sgang_stock_rule.])
AM_CONDITIONAL([WITH_SLURM], [test "$with_slurm" = yes])
AM_CONDITIONAL([SLURM_22_05], [test "$SLURM_RELEASE" = 22_05])
AM_CONDITIONAL([SLURM_26_05], [test "$SLURM_RELEASE" = 26_05])
AM_CONDITIONAL([SLURM_TREE], [test -n "$sgang_slurm_tree"])
])

# What the source says it is: the Version line of its META file.
AC_DEFUN([_X_AC_SLURM_SOURCE], [
	AC_MSG_CHECKING([for the Slurm source])
	SLURM_SOURCE=`cd "$with_slurm_source" 2>/dev/null && pwd`
	AS_IF([test ! -f "$SLURM_SOURCE/META" ||
	       test ! -f "$SLURM_SOURCE/src/slurmctld/slurmctld.h"],
		[AC_MSG_ERROR([m4_normalize([$with_slurm_source is no Slurm
		 source: it has no META or no src/slurmctld/slurmctld.h])])])
	SLURM_VERSION=`$AWK '$[]1 == "Version:" { print $[]2 }' \
		"$SLURM_SOURCE/META"`
	AC_MSG_RESULT([$SLURM_VERSION])
])

# What is installed must be the same.
AC_DEFUN([_X_AC_SLURM_INSTALLED], [
	AC_CHECK_HEADERS([slurm/slurm_version.h slurm/spank.h], [],
		[AC_MSG_ERROR([slurm/spank.h is missing: install libslurm-dev])])
	AC_MSG_CHECKING([that it is the source of the installed Slurm])
	for part in MAJOR MINOR MICRO; do
		AC_COMPUTE_INT([x_number],
			[SLURM_VERSION_$part(SLURM_VERSION_NUMBER)],
			[#include <slurm/slurm_version.h>],
			[AC_MSG_ERROR([slurm/slurm_version.h has no number])])
		AS_CASE([$part],
			[MAJOR], [x_installed=`printf %02d $x_number`],
			[MINOR], [x_installed=$x_installed.`printf %02d $x_number`],
			[x_installed=$x_installed.$x_number])
	done
	AS_IF([test "$x_installed" = "$SLURM_VERSION"],
		[AC_MSG_RESULT([yes])],
	[test "$enable_other_micro" = yes &&
	 test "${x_installed%.*}" = "${SLURM_VERSION%.*}"], [
		AC_MSG_RESULT([no, another micro release])
		AC_MSG_WARN([m4_normalize([the headers of Slurm
		 $SLURM_VERSION are used for the installed Slurm
		 $x_installed: if job records differ, the plugins will say so
		 in slurmctld's log and do nothing])])], [
		AC_MSG_RESULT([no])
		AC_MSG_ERROR([m4_normalize([$SLURM_SOURCE is Slurm
		 $SLURM_VERSION but Slurm $x_installed is installed: the two
		 must be the same (--enable-other-micro takes another micro
		 release)])])])
	SLURM_VERSION=$x_installed
])

# The adapters that fit it.
AC_DEFUN([_X_AC_SLURM_RELEASE], [
	AS_CASE([$SLURM_VERSION],
		[22.05.*], [SLURM_RELEASE=22_05
			sgang_stock_rule=SGANG_STOCK_22_05],
		[24.11.*], [SLURM_RELEASE=24_11
			sgang_stock_rule=SGANG_STOCK_24_05],
		[25.05.*], [SLURM_RELEASE=25_05 sgang_slurm_tree=yes
			sgang_stock_rule=SGANG_STOCK_24_05],
		[25.11.*], [SLURM_RELEASE=25_11 sgang_slurm_tree=yes
			sgang_stock_rule=SGANG_STOCK_24_05],
		[26.05.*], [SLURM_RELEASE=26_05 sgang_slurm_tree=yes],
		[AC_MSG_ERROR([m4_normalize([no plugin for Slurm $SLURM_VERSION
		 yet, src/slurm has adapters for 22.05, 24.11, 25.05, 25.11 and
		 26.05])])])
])

# The stock plugins lie beside the library that Slurm's commands are linked to.
AC_DEFUN([_X_AC_SLURM_PLUGINDIR], [
	AC_MSG_CHECKING([for Slurm's own plugins])
	SLURM_PLUGINDIR=$with_slurm_plugindir
	AS_IF([test -z "$SLURM_PLUGINDIR"], [
		x_sinfo=`command -v sinfo`
		x_full=`ldd "$x_sinfo" 2>/dev/null |
			$AWK '$[]1 ~ /libslurmfull/ { print $[]3 }'`
		AS_IF([test -n "$x_full"],
			[SLURM_PLUGINDIR=`AS_DIRNAME(["$x_full"])`])
	])
	AS_IF([test -f "$SLURM_PLUGINDIR/select_cons_tres.so"],
		[AC_MSG_RESULT([$SLURM_PLUGINDIR])],
		[SLURM_PLUGINDIR=
		 AC_MSG_RESULT([not found, tests on a cluster will be skipped])])
])

# Slurm's private headers want a config.h, of which a few lines are enough; see
# build-aux/slurm-config.h.in. Debian builds Slurm with NDEBUG and so must we.
AC_DEFUN([_X_AC_SLURM_FLAGS], [
	AC_CHECK_HEADERS([slurm/slurm.h], [],
		[AC_MSG_ERROR([slurm/slurm.h is missing: install libslurm-dev])])
	AC_CHECK_LIB([slurm], [slurm_load_jobs], [SLURM_LIBS=-lslurm],
		[AC_MSG_ERROR([libslurm is missing: install libslurm-dev])])
	AC_CONFIG_FILES([slurm-private/config.h:build-aux/slurm-config.h.in])
	AC_CONFIG_LINKS([slurm-private/sgang_release.h:src/slurm/release_$SLURM_RELEASE.h])
	SLURM_CPPFLAGS="-I\$(abs_top_builddir)/slurm-private"
	SLURM_CPPFLAGS="$SLURM_CPPFLAGS -isystem \$(SLURM_SOURCE) -DNDEBUG"
])
