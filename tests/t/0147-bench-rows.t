#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0147-bench-rows.t - the rows of the table of make bench

test_description='A row says what was measured, and no more than that'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"
. "$top_srcdir/tests/bench/rows.sh"

# rows KIND NUMBER...: so many lines
rows()
{
	local kind=$1 n

	for n in "${@:2}"; do
		echo "$kind $n"
	done
}

test_expect_success '8.4 medians, the middle half, and what is more' '
	{ rows stock 10 12 14 16 18; rows again 11 13 15 17 19
	  rows gang 30 31 32 33 34; } >ms &&
	echo "| start | ms | 14 (12 to 16) | 32 (31 to 33) | 1 | 18 | +20 | ok |" \
		>wanted &&
	bench_row start ms +20 ms >row && test_cmp wanted row
'
test_expect_success '8.4 a target is missed' '
	bench_row start ms +10 ms >row && grep "| +10 | missed |$" row
'
test_expect_success '8.4 noise that could hide it: no conclusion' '
	{ rows stock 100; rows again 160; rows gang 150; } >ms &&
	bench_row start ms +10 ms >row && grep "| 60 | 20 | +10 | no conclusion |$" row &&
	{ rows stock 100; rows again 160; rows gang 130; } >ms &&
	bench_row start ms +10 ms >row && grep "| 60 | 0 | +10 | no conclusion |$" row
'
test_expect_success '8.4 noise that could not: it is far from the target' '
	bench_row start ms +100 ms >row && grep "| 60 | 0 | +100 | ok |$" row &&
	{ rows stock 100; rows again 160; rows gang 500; } >ms &&
	bench_row start ms +10 ms >row && grep "| +10 | missed |$" row
'
test_expect_success '8.4 a share of stock' '
	{ rows stock 200 200; rows gang 199 197; } >rate &&
	bench_row jobs 1/s x0.98 rate >row && grep "| x0.98 | ok |$" row &&
	bench_row jobs 1/s x0.999 rate >row && grep "| x0.999 | missed |$" row
'
test_expect_success '8.4 numbers with nothing to compare them with' '
	rows gang 0.5 0.25 1 >ms &&
	bench_row pass ms 1 ms >row &&
	echo "| pass | ms |  | 0.50 (0.50 to 1) |  |  | 1 | ok |" >wanted &&
	test_cmp wanted row &&
	bench_row pass ms 0.4 ms >row && grep "| 0.4 | missed |$" row &&
	bench_row pass ms - ms >row && grep "|  |  |$" row
'
test_expect_success '8.4 the table has all rows' '
	BENCH_ROWS=all && rm -f all &&
	bench_row one ms 1 ms && bench_row two ms 1 ms &&
	bench_table >table && test $(wc -l <table) = 4 &&
	test $(awk -F"|" "{ print NF }" table | sort -u) = 10
'
test_done
