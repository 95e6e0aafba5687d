#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0512-sgang-list.t - sgang list: filters, fields and order, colours
#
# What each field says: tests/unit/cmd/test_columns.c.

test_description='sgang list feels like squeue'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang --conf \
'PartitionName=side Nodes=n4 MaxTime=INFINITE State=UP'
slurm_start
sgang=$(checked_sgang)
unset NO_COLOR SGANG_FORMAT SGANG_SORT

# Exactly this on stdout, and nothing on stderr: lists TEXT ARGS
lists()
{
	local text=$1

	shift
	"$sgang" list "$@" >out 2>err && test_must_be_empty err &&
		printf "$text" | test_cmp - out
}

# On a terminal.
on_terminal()
{
	script -qec "stty cols 200; $*" /dev/null </dev/null | tr -d '\r'
}

test_expect_success 'three gangs' '
	set -- -N 1 --exclusive --gang-min-member=2 &&
	first=$(submit -w n1 -A chem --gang=run "$@") &&
	second=$(submit -w n2 -A phys --gang=run "$@") &&
	wait_for 15 all_in RUNNING $first $second &&
	submit -p side -A chem --gang=alone --gang-min-member=3 --uid=daemon &&
	submit --gang=a-gang-with-a-name-that-is-quite-a-bit-longer -a 1-3 \
		--gang-min-member=4 --gang-total-number=6 &&
	wait_for 10 "test \$(\"$sgang\" list -h -t gathering | wc -l) = 2"
'
test_expect_success 'filters' '
	all="alone\nrun\na-gang-with-a-name-that-is-quite-a-bit-longer\n" &&
	lists "run\n" -h -o %n -t running &&
	lists "$(printf "$all" | sort)\n" -h -o %n -t RUNNING,gathering -S n &&
	lists "alone\n" -h -o %n -u daemon &&
	lists "$(printf "$all" | sort)\n" -h -o %n -u daemon,root -S n &&
	lists "alone\nrun\n" -h -o %n -A chem -S n &&
	lists "run\n" -h -o %n -A phys,none &&
	lists "alone\n" -h -o %n -p side &&
	lists "run\n" -h -o %n -w "n[2-3]" &&
	lists "" -h -o %n -w "n[3-9]" &&
	lists "" -h -o %n -u daemon -t running &&
	lists "" -h -o %n -u no,body &&
	lists "a-gang-with-a-name-that-is-quite-a-bit-longer\nrun\n" \
		-h -o %n --me -S n
'
test_expect_success 'all that is asked of jobs is asked of one' '
	lists "" -h -o %n -A chem -w n2 -u daemon &&
	lists "" -h -o %n -A phys -p side &&
	lists "run\n" -h -o %n -A phys -u root
'
test_expect_success 'fields and order' '
	lists "daemon     1/3/3\nroot       2/2/2\nroot       3/4/6\n" \
		-h -o "%7u%.9m" -S u,m &&
	lists "GANG     |NODES\nroot/run |2\n" -o "%9j|%6D" -t running &&
	lists "daemon/a+|     0\nroot/a-g+|     0\n" \
		-h -o "%9j|%.6D" -t gathering -S +j &&
	lists "n[1-2]\n(Gang daemon/alone gathering 1/3 members)\n" \
		-h -o %R -A chem -S -T
'
test_expect_success 'columns stay columns, whatever the names' '
	"$sgang" list >out && cat out &&
	before=$(sed -n "1s/PHASE.*//p" out) &&
	test "$(cut -c${#before} out | sort -u)" = " " &&
	test "$(cut -c1-8 out | sort | tr "\n" " ")" = \
		"GANG     daemon/a root/a-g root/run "
'
test_expect_success 'SGANG_FORMAT and SGANG_SORT, and the options before them' '
	SGANG_FORMAT="%n %T" SGANG_SORT=-n \
		lists "run   Running\nalone Gathering\n" -h -A chem &&
	SGANG_FORMAT=%n lists "Running\n" -h -o %T -t running &&
	SGANG_FORMAT= lists "run\n" -h -o %n -t running
'
test_expect_success 'what is left of the waiting time of the site' '
	set -- -N 1 --exclusive --gang=hold --gang-mode=nonstrict \
		--gang-min-member=2 &&
	submit -w n3 "$@" && submit -w n1 "$@" &&
	wait_for 15 "\"$sgang\" list -h -t holding -o \"%n %M %L %p\" |
		grep -E \"^hold nonstrict 00:0[1-9]:[0-9]{2} #####[+]{5}\$\"" &&
	lists "hold -\n" -h -t holding -o "%n %l"
'
test_expect_success 'colours on a terminal' '
	esc=$(printf "\033") &&
	on_terminal TERM=xterm "$sgang" list -h -t running >out &&
	grep "root/run $esc\[32mRunning$esc\[0m" out &&
	on_terminal TERM=xterm NO_COLOR=1 "$sgang" list -h -t running >out &&
	grep "root/run Running" out && ! grep "$esc" out &&
	on_terminal TERM=dumb "$sgang" list -h -t running >out &&
	grep "root/run Running" out && ! grep "$esc" out &&
	TERM=xterm "$sgang" list -h -t running >out &&
	grep "root/run Running" out && ! grep "$esc" out
'
test_expect_success 'JSON and YAML have the same gangs, filtered and sorted' '
	"$sgang" list -A chem -S -n --json >json &&
	jq -e "[.gangs[].name] == [\"run\", \"alone\"] and
		.gangs[0].accounts == [\"chem\", \"phys\"] and
		.gangs[1].users == [\"daemon\"] and
		.gangs[1].partitions == [\"side\"]" json &&
	"$sgang" list -A chem -S -n --yaml >yaml &&
	test "$(head -n 1 yaml)" = --- &&
	test "$(sed -n "s/^  name: //p" yaml | tr "\n" " ")" = "run alone "
'
test_expect_success 'nothing is left' '
	squeue -h -o %A | xargs -r scancel &&
	nothing_left
'

test_done
