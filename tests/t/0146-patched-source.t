#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0146-patched-source.t - a row of the table of releases says what was patched

test_description='source_patches() of contrib/lib.sh'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

eval "$(declare -f say | sed '1s/say/sharness_say/')"
. "$top_srcdir/contrib/lib.sh"
say() { sharness_say "$@"; }

needs git

test_expect_success 'of a folder that is no clone nothing is known' '
	mkdir plain && echo "  Version: 25.11.7" >plain/META &&
	test -z "$(source_patches plain)" &&
	test "$(source_version plain)" = 25.11.7
'
test_expect_success 'of a clone as it was fetched there is nothing to say' '
	git init -q clone && mkdir clone/src && cp plain/META clone &&
	touch clone/src/a.c clone/src/b.c &&
	git -C clone add . &&
	git -C clone -c user.name=a -c user.email=a@b commit -qm first &&
	touch clone/build.log &&
	test -z "$(source_patches clone)"
'
test_expect_success 'files that were changed are named' '
	echo >clone/src/b.c && echo >>clone/META &&
	test "$(source_patches clone)" = "META src/b.c"
'

test_done
