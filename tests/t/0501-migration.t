#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0501-migration.t - doc/migration.md: what it says in the place of other
# schedulers' options is accepted, row by row

test_description='Every row of doc/migration.md is submitted'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

switches a=n[1-2] b=n[3-4] top:a,b >tree.conf
slurm_cluster -n 4 -c 4 --gang --topology tree.conf \
	--gang-conf 'MaxExclusive=leaf'
sgang=$(checked_sgang)
PATH=$(dirname "$sgang"):$PATH
page=$top_srcdir/doc/migration.md

# spans: of the right column of all tables, one a line
spans()
{
	awk -F ' \\| ' '/^\| / && !/^\| there \| here \|$/ { print $2 }' "$page" |
		grep -o '`[^`]*`' | tr -d '`'
}

# blocks LANGUAGE: the files LANGUAGE.1, LANGUAGE.2, ... have them
blocks()
{
	awk -v kind="$1" '
		$0 == "```" kind { n++; inside = 1; next }
		/^```/ { inside = 0 }
		inside { print >kind "." n }' "$page"
}

# A gang of its own, of which this is one member of two if it does not say more.
# sbatch has nothing to object, and the plugin has it.
accepted()
{
	local -a option
	local word id

	count=$((count + 1))
	for word in $1; do
		[[ $word = --gang=* ]] || option+=("$word")
	done
	[[ $1 = *--gang-min-* && $1 != *--gang-min-tres* ]] ||
		option+=(--gang-min-member=2)
	id=$(sbatch --parsable -t 10 --gang=m$count "${option[@]}" --wrap=true \
		2>err)
	if test $? != 0 || test -s err; then
		echo "$1: $(cat err)" >&2
		return 1
	fi
	wait_for 10 "\"$sgang\" show root/m$count >shown 2>&1" ||
		{ cat shown >&2; return 1; }
	"$sgang" cancel m$count >cancelled 2>&1 || { cat cancelled >&2; return 1; }
}

test_expect_success 'each table has rows, and each row says something' '
	grep -c "^## " "$page" >sections &&
	grep -c "^| there | here |\$" "$page" | test_cmp sections - &&
	test $(cat sections) -ge 9 &&
	test $(grep -c "^| " "$page") -ge 65 &&
	! grep -E "^\|[^|]*\| *\|" "$page" &&
	! grep "^| " "$page" | grep -vE "^\|[^|]+\|[^|]+\|\$"
'
test_expect_success 'options: all are accepted, and each has an effect' '
	spans >spans && grep "^--" spans | sort -u >options &&
	test $(wc -l <options) -ge 35 &&
	count=0 && bad= &&
	while read -r option; do
		accepted "$option" </dev/null || bad=yes
	done <options &&
	test -z "$bad"
'
test_expect_success 'verbs, variables and keys: there are such' '
	grep -v "^--" spans | sort -u >others && bad= &&
	while read -r span; do
		case $span in
		"sgang "*) "$sgang" ${span#sgang } --help >/dev/null </dev/null ;;
		SLURM_*) grep "^\.It Ev $span\$" "$top_srcdir/man/spank_gang.8" ;;
		*=) grep "^\.It Cm ${span%=} " "$top_srcdir/man/gang.conf.5" ;;
		count) grep "^    count: " "$top_srcdir/man/sgang.1" ;;
		*) false ;;
		esac || { echo "not there: $span" >&2; bad=yes; }
	done <others &&
	test -z "$bad"
'
test_expect_success 'files: sgang submit takes them, and their gangs start' '
	clear_cluster && blocks yaml && test -e yaml.3 &&
	for file in yaml.*; do
		"$sgang" submit $file >out 2>err </dev/null || { cat err >&2; return 1; }
		gang=$(sed -n "s/^gang: //p" $file) &&
		wait_for 30 "\"$sgang\" show root/$gang | grep Satisfied=yes" &&
		clear_cluster || return 1
	done
'
test_expect_success 'commands: both parts start together, and one step is over both' '
	blocks sh && bash -e sh.1 >out && test $(grep -c Submitted out) = 2 &&
	first=$(sed -n "1s/.* //p" out) &&
	wait_state $first COMPLETED &&
	sort slurm-$first.out | tr "\n" " " | grep -x "0 1 2 "
'
test_expect_success 'the levels are what the page says: four nodes are a spine, no leaf' '
	clear_cluster &&
	submit_gang four 2 -N2 --exclusive --gang-topology=require:spine &&
	wait_for 15 all_in RUNNING ${members[@]} && clear_cluster &&
	submit_gang leaf 2 -N1 --exclusive --gang-topology=require:leaf &&
	wait_for 15 all_in RUNNING ${members[@]} && clear_cluster &&
	one=$(submit -N2 --exclusive --gang=none --gang-min-member=2 \
		--gang-topology=require:leaf) &&
	test_must_fail submit -N2 --exclusive --gang=none 2>err &&
	grep "leaf" err
'
last_case 'clear_cluster && nothing_left'
