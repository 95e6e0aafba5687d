#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0141-kill-kinds.t - each point at which slurmctld can be killed is tried, by day

test_description='tests/kill/kinds has all points, and scripts have all kinds'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

select=$top_srcdir/src/plugins/select

# "SCRIPT|KIND|WHAT|BEHAVIOURS|DAY|MORE" for each row.
grep -v "^#" "$top_srcdir/tests/kill/kinds" | sed "/^$/d; s/ *| */|/g" >rows

# The points of the rows' fields without their numbers: points_in FIELDS
points_in() { cut -d'|' -f$1 rows | tr '| ' '\n\n' | sed '/^$/d; s/-[0-9]*$//' | sort -u; }

test_expect_success 'faults.h names the points that there are' '
	sed -n "s/.*sgang_fault_die(\"\\([a-z]*\\)\".*/\\1/p" \
		"$select"/*.c | sort -u >points &&
	test $(wc -l <points) -gt 30 &&
	sed -n "/kill-X N/,/^ \\*\\//s/^ \\*\\t//p" "$select/faults.h" | tr -d "\\n" |
		sed "s/.*passage of X://; s/([^)]*)//g" | tr ",\\t" "\\n " |
		tr -d " " | sort -u >named &&
	test_cmp points named
'
test_expect_success 'each of them is tried by day' '
	points_in 5 >day && comm -23 points day >left_out &&
	test_must_be_empty left_out
'
test_expect_success 'there are no others' '
	points_in 5,6 | grep -vx "now\|any" | comm -13 points - >unknown &&
	test_must_be_empty unknown
'
test_expect_success 'a row has six fields and a point, and no point twice' '
	awk -F"|" "
		NF != 6 || \$5 == \"\" { print; bad = 1 }
		{
			n = split(\$5 \" \" \$6, list, \" \")
			for (i = 1; i <= n; i++)
				if (seen[\$1, \$2, list[i]]++) { print; bad = 1 }
		}
		END { exit bad }" rows
'
test_expect_success 'the script of each row runs its kind' '
	while IFS="|" read -r script kind rest
	do
		grep -q "^${kind%% *}_up()" "$top_srcdir/tests/t/$script.t" || {
			echo "$script has no $kind"
			return 1
		}
	done <rows
'

test_done
