#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0130-manpages.t - the manual pages are sound and know the same options as sgang

test_description='manual pages'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

SGANG=$top_builddir/src/cmd/sgang
MANDOC=${MANDOC:-$(command -v mandoc)}
test -n "$MANDOC" && test_set_prereq MANDOC

verbs=$("$SGANG" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p')

# Cut the part of sgang.1 that begins at ".Ss $1".
section() {
	awk -v title="$1" '/^\.S[sh] /{ on = $0 == ".Ss " title } on' \
		"$top_srcdir/man/sgang.1"
}

# Options as the items of a list: ".It Fl -slots Ns = Ns Ar N" is "--slots N".
page_options() {
	section "$1" |
	sed -n 's/^\.It Fl -\([a-z-]*\) Ns = Ns Ar \([A-Z]*\)$/--\1 \2/p
		s/^\.It Fl -\([a-z-]*\)$/--\1/p' | sort
}

# "  --slots=N   text" is "--slots N" too. Each verb has --help, the page says
# so once.
help_options() {
	"$SGANG" $1 --help |
	sed -n 's/^  \(--[a-z-]*\)=\([A-Z]*\) .*/\1 \2/p
		s/^  \(--[a-z-]*\)  *[^ ].*/\1/p' | sort
}

# Every "--word" of --help stands in the synopsis.
in_synopsis() {
	local option
	sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' \
		"$top_srcdir/man/sgang.1" >synopsis
	for option in $("$SGANG" $1 --help | grep -o '^  --[a-z-]*'); do
		grep -q -e "Fl -${option#--}\( \|\$\)" synopsis || {
			echo "$option of $1 is not in the synopsis"
			return 1
		}
	done
}

# A macro within another one's quotes, as "Ql a , Ql b", has quotes in quotes.
test_expect_success MANDOC 'no quotes within quotes' '
	for page in "$top_srcdir"/man/*.[1578]; do
		"$MANDOC" -Tutf8 "$page" | sed "s/.\x08//g" | tr "\n" " " |
			grep -oE "‘[^’]{0,60}‘[^’]{0,60}|’’" | sed "s|^|${page##*/}: |"
	done >nested &&
	test_must_be_empty nested
'
test_expect_success 'sgang --help names the verbs' '
	test "$(echo $verbs)" = "list show explain watch map epoch run submit cancel hold release requeue retry create delete ring place simulate topology conf metrics web"
'

for verb in $verbs; do
	test_expect_success "$verb: the page and --help have the same options" '
		help_options $verb | grep -v "^--help\$" >help &&
		page_options "sgang $verb" >page &&
		test -s help &&
		test_cmp help page
	'
	test_expect_success "$verb: all options stand in the synopsis" '
		in_synopsis $verb
	'
	test_expect_success "$verb: --help says what the list of verbs says" '
		summary=$("$SGANG" --help | sed -n "s/^  $verb  *//p") &&
		"$SGANG" $verb --help >help &&
		grep -q -x -e "$summary" help
	'
done

test_expect_success 'sgang: the page and --help have the same options' '
	help_options "" >help &&
	page_options "Without a verb" >page &&
	test -s help &&
	test_cmp help page
'

test_expect_success 'no line of --help is longer than 80 columns' '
	for verb in "" $verbs; do
		"$SGANG" $verb --help || return 1
	done >help &&
	! grep -E ".{81}" help
'

test_expect_success '--version is a name and a version' '
	"$SGANG" --version >version &&
	grep -q -E "^sgang [0-9A-Za-z]" version
'

# The examples of the page are run; "\e" is the page'"'"'s backslash.
test_expect_success 'the examples of the page print what it says' '
	sed -n "/^\.Sh EXAMPLES/,/^\.Sh SEE/{/^\.Bd/,/^\.Ed/{/^\./!p}}" \
		"$top_srcdir/man/sgang.1" | sed "s/\\\\e\$/\\\\/" >examples &&
	grep -v "^\\$ " examples | grep -v "^    " >expected &&
	sed -n "/\\\\\$/{N;s/\\\\\\n//};s/^\\$ sgang //p" examples >commands &&
	test -s commands &&
	(cd "$top_srcdir" &&
	 while IFS= read -r args; do eval "$SGANG $args" || exit 1; done) \
		<commands >actual &&
	test_cmp expected actual
'

# Style remarks about pages that are not installed here do not count.
for page in "$top_srcdir"/man/*.[1-8]; do
	test_expect_success MANDOC "$(basename "$page"): mandoc -T lint" '
		"$MANDOC" -T lint "$page" >lint 2>&1
		grep -v -e "referenced manual not found" \
			-e "outdated mandoc.db" lint >faults
		test_must_be_empty faults
	'
done

test_done
