#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0145-release-table.t - the table of tested releases is made, not typed

test_description='contrib/release-table'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

table=$top_srcdir/contrib/release-table

# results VERSION PASSED: a file of results with that line
results() { printf "%s\tDebian trixie\tall\t2026-11-21\t%s\t0\n" "$1" "$2"; }

test_expect_success 'one row for each line' '
	{ results 24.11.5 10; results 26.05.5 12; } >two.tsv &&
	cat >wanted <<-END &&
	| Slurm | on | tests | run on | passed | failed |
	|---|---|---|---|---|---|
	| 24.11.5 | Debian trixie | all | 2026-11-21 | 10 | 0 |
	| 26.05.5 | Debian trixie | all | 2026-11-21 | 12 | 0 |
	END
	"$table" two.tsv >out &&
	test_cmp wanted out
'
test_expect_success 'it takes the place of the one in a text' '
	printf "before\n<!-- releases -->\nold\n<!-- /releases -->\nafter\n" >text &&
	{ printf "before\n<!-- releases -->\n"; cat wanted
	  printf "<!-- /releases -->\nafter\n"; } >new &&
	"$table" --write text two.tsv &&
	test_cmp new text
'
test_expect_success 'a text without a place for it, results that are none' '
	echo text >text &&
	test_must_fail "$table" --write text two.tsv 2>err &&
	grep "text has no lines <!-- releases -->" err &&
	test "$(cat text)" = text &&
	echo 24.11.5 >bad.tsv &&
	test_must_fail "$table" bad.tsv 2>err &&
	grep "bad.tsv is not what contrib/check --results writes" err &&
	test_must_fail "$table" none.tsv 2>err &&
	grep "none.tsv has no results" err
'
test_expect_success 'README has the table of doc/releases.tsv' '
	cp "$top_srcdir/README.md" readme &&
	chmod u+w readme &&
	"$table" --write readme &&
	test_cmp "$top_srcdir/README.md" readme
'

test_done
