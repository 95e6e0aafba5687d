#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0140-behaviours.t - doc/behaviours.md tells the truth about the tests

test_description='Each behaviour is in the tests that are said to prove it'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

list=$top_srcdir/doc/behaviours.md
# Its rows are part of the script that they name.
kinds=$top_srcdir/tests/kill/kinds

# "NUMBER FILE" for each pair.
sed -n 's/^| \([0-9]\.[0-9]*\) | \([^|]*\) |.*/\1 \2/p' "$list" |
	while read -r number files; do
		for file in $files; do
			echo "$number $(echo "$file" | tr -d '`,')"
		done
	done >pairs

test_expect_success 'all five documents are listed without a gap' '
	sed -n "s/^| \([0-4]\.[0-9]*\) |.*/\1/p" "$list" >numbers &&
	for part in "0 55" "1 66" "2 30" "3 37" "4 38"; do
		set -- $part &&
		seq -f "$1.%g" 1 $2 || return 1
	done >wanted &&
	test_cmp wanted numbers
'

test_expect_success 'a number without a test says why' '
	! grep -E "^\| [0-9]\.[0-9]+ \|  \|  \|" "$list"
'

test_expect_success 'each named test names the number' '
	test $(wc -l <pairs) -gt 100 &&
	while read -r number file; do
		case $file in
		*.t) path=$top_srcdir/tests/t/$file ;;
		*) path=$top_srcdir/tests/unit/$file ;;
		esac
		{ cat "$path" && grep "^${file%.t} " "$kinds"; } |
			grep -qE "(^|[^0-9.])${number/./[.]}([^0-9]|\$)" || {
			echo "$file does not name $number"
			return 1
		}
	done <pairs
'

test_done
