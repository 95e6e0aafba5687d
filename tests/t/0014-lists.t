#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0014-lists.t - every file is packed, and every test is run
#
# make knows the files that a Makemodule.am lists, and no others. A test that
# is missing there is run by nobody, and nothing else would tell.

test_description='files that make does not know'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

git -C "$top_srcdir" rev-parse --is-inside-work-tree >/dev/null 2>&1 &&
	test_set_prereq GIT
test "$SGANG_WITH_SLURM" = no || test_set_prereq SLURM

# The words of VARIABLE... in the Makefile, one a line, without the source tree in
# front. What the make was asked for that runs this test is of no account.
words_of()
{
	{
		echo "include Makefile"
		printf 'words-of: ; @printf "%%s\\n"'
		printf ' $(%s)' "$@"
	} >words.mk &&
	env -u MAKEFLAGS -u MFLAGS -u MAKEOVERRIDES -u MAKELEVEL \
		make -s --no-print-directory -C "$top_builddir" \
		-f "$PWD/words.mk" words-of |
		sed "s,^$top_srcdir/,,; s,^$(srcdir_of_make)/,," | sort
}
# What make calls the source tree.
srcdir_of_make() { sed -n "s/^srcdir = //p" "$top_builddir/Makefile"; }

# No line of FILE stands there twice.
no_line_twice() { sort "$1" | uniq -d >twice && test_must_be_empty twice; }

# Those of one release of Slurm, which another one does not build.
only_one_release()
{
	sed -n "/^if SLURM_/,/^endif/s,^.*\\(tests/unit/[^ ]*\\).*,\\1,p" \
		"$top_srcdir/tests/unit/plugins/Makemodule.am"
}

# autoreconf adds what make packs by itself.
test_expect_success GIT 'each file of the repository is packed' '
	words_of DISTFILES >packed &&
	grep -x src/core/plan/tree.c packed &&
	git -C "$top_srcdir" ls-files |
		grep -v -e "^\\.ci/" -e "\\.gitignore$" >files &&
	awk "
		NR == FNR { packed[\$0]; next }
		{
			for (name = \$0; ; ) {
				if (name in packed) next
				if (!sub(\"/[^/]*\$\", \"\", name)) break
			}
			print
		}" packed files >left_out &&
	test_must_be_empty left_out
'
test_expect_success 'installed pages link to what is installed' '
	env -u MAKEFLAGS -u MFLAGS -u MAKEOVERRIDES -u MAKELEVEL \
		make -s -C "$top_builddir" DESTDIR="$PWD/root" \
		install-dist_docDATA install-dist_pagesDATA &&
	readme=$(find root -name README.md) && test -n "$readme" &&
	find root -name "*.md" >pages &&
	while read -r page; do
		sed "s/](/\n](/g" "$page" |
			sed -n "s/^](\([a-zA-Z.][^ :)]*\.[a-z]*\)[#)].*/\1/p" |
			while read -r link; do
				test -e "${page%/*}/$link" || echo "$page: $link"
			done
	done <pages >broken &&
	test_must_be_empty broken
'
test_expect_success 'each shell test is run, once' '
	words_of TESTS NIGHT_TESTS slow_unit_tests >run &&
	grep "\\.t$" run >listed &&
	(cd "$top_srcdir" && find tests -name "*.t") | sort >there &&
	test_cmp there listed
'
test_expect_success SLURM 'each unit test is run, once' '
	grep "^tests/unit/" run >programs &&
	no_line_twice programs &&
	only_one_release >others && test -s others &&
	sort -u programs others >some_release &&
	(cd "$top_srcdir" && find tests/unit -name "test_*.c") |
		sed "s/\\.c$//" | sort >sources &&
	grep -x tests/unit/core/test_ring sources &&
	test_cmp sources some_release
'
for list in RELEASE_TESTS QUICK_TESTS; do
	test_expect_success "what $list names are tests, each once" '
		words_of '$list' >listed &&
		test -s listed &&
		no_line_twice listed &&
		comm -23 listed run >unknown &&
		test_must_be_empty unknown
	'
done
# Each folder is the name of a parser; contrib/fuzz begins with what is there.
test_expect_success 'each folder of inputs belongs to a parser that is fuzzed' '
	ls "$top_srcdir/tests/data/fuzz" >folders &&
	test -s folders &&
	while read -r parser
	do
		grep "^	{ \"$parser\"," "$top_srcdir/tests/fuzz/fuzz.c" || return 1
	done <folders
'

test_done
