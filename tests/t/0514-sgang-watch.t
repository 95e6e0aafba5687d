#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0514-sgang-watch.t - sgang watch on a terminal, and where there is none

test_description='sgang watch draws in place, ends with its gang, and cleans up'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cluster -n 4 -c 2 --gang
sgang=$(checked_sgang)
export TERM=xterm
unset NO_COLOR SGANG_FORMAT SGANG_SORT

esc=$(printf '\033')
enter="$esc[?1049h"
leave="$esc[?1049l"

# Run "sgang watch ARGS" on a terminal of 24 lines and 80 columns: what it shows
# is in NAME.page, its exit status in NAME.code, and NAME.tty is the terminal.
# Keys come from the fifo NAME.keys, which descriptor 9 holds open.
watch()
{
	local name=$1

	shift
	cat >$name.sh <<-END
	stty rows 24 cols 80
	tty >$name.tty
	stty -g >$name.before
	"$sgang" watch $*
	echo \$? >$name.new
	stty -g >$name.after
	mv $name.new $name.code
	END
	rm -f $name.code
	mkfifo $name.keys && exec 9<>$name.keys &&
		{ script -qfc "sh $name.sh" $name.page <$name.keys \
			>/dev/null 9>&- & } &&
		wait_for 15 "grep -qF \"\$enter\" $name.page"
}

shown() { grep -qF -- "$2" $1.page; }

# It has ended with that status, and the terminal is as it was.
ended()
{
	wait_for 15 "test -s $1.code" &&
		exec 9>&- &&
		test "$(cat $1.code)" = $2 &&
		test_cmp $1.before $1.after &&
		grep -qF "$leave" $1.page
}

# The program that runs on the terminal.
watcher() { pgrep -x -t "$(sed s,/dev/,, $1.tty)" sgang; }

gang_script work

test_expect_success 'a gang that gathers, starts and completes' '
	first=$(submit -N 1 --exclusive --gang=one --gang-min-member=3 \
		work.sh) &&
	second=$(submit -N 1 --exclusive --gang=one work.sh) &&
	wait_for 10 squeue_says $first "2/3 members" &&
	watch one -i 1 one &&
	wait_for 10 shown one "Phase     Gathering" &&
	wait_for 10 shown one \
		"Progress  [++++++++++++++++++++++++++..............] 2/3" &&
	shown one "Reason    gathering 2/3" &&
	third=$(submit -N 1 --exclusive --gang=one work.sh) &&
	wait_for 20 shown one \
		"[########################################] 3/3 members, 3 with"
'
test_expect_success 'its phase has a colour' '
	wait_for 10 shown one "Phase     $esc[32mRunning$esc[0m"
'
test_expect_success 'it ends with the gang, and the last page stays' '
	touch work.go &&
	ended one 0 &&
	sed -n "/1049l/,\$p" one.page >last &&
	grep "3 members ended" last &&
	test "$(grep -c " COMPLETED " last)" = 3 &&
	rm work.go
'
test_expect_success 'a gang of which a member fails' '
	submit -N 1 --gang=two --gang-min-member=2 --wrap=true &&
	submit -N 1 --gang=two --wrap=false &&
	wait_for 10 "\"$sgang\" show two" &&
	"$sgang" watch -i 1 two >out 2>err; test $? = 1 &&
	cat out err &&
	grep "^sgang: gang root/two has failed: 1 of 2 members did not complete\$" err &&
	grep "Phase     Failed" out &&
	wait_for 10 gang_log root/two failed
'
test_expect_success 'no terminal: page after page, and no escape' '
	! grep "$esc" out &&
	grep "  root/two\$" out
'
test_expect_success 'a gang that is not there' '
	test_expect_code 1 "$sgang" watch on >out 2>err &&
	test_must_be_empty out &&
	echo "sgang: there is no gang on, did you mean root/one?" |
		test_cmp - err
'

test_expect_success 'q ends it' '
	id=$(submit -N 1 --gang=slow --gang-min-member=2 --wrap=true) &&
	watch quit -i 60 slow &&
	wait_for 10 shown quit "1/2 members" &&
	printf xq >&9 &&
	ended quit 1
'
test_expect_success 'a reason that is too long for a line has several' '
	long=$(printf "a%.0s" $(seq 63)) &&
	late=$(submit -N 1 --gang=late --gang-min-member=1 \
		--gang-groups=root/$long --wrap=true) &&
	wait_for 10 squeue_says $late "is not there" &&
	watch long -i 60 late &&
	wait_for 10 shown long "JOBID" &&
	printf q >&9 &&
	ended long 1 &&
	sed "s/$esc[^A-Za-z]*[A-Za-z]//g" long.page | tr -d "\r" >lines &&
	cat >wanted <<-END &&
	Reason    gang
	          root/$long
	          is not there
	END
	grep -A 2 "^Reason" lines | test_cmp wanted - &&
	scancel $late
'
test_expect_success 'and so does Ctrl-C, at once' '
	watch interrupt -i 60 &&
	wait_for 10 shown interrupt "root/slow" &&
	printf "\003" >&9 &&
	ended interrupt 130
'
test_expect_success 'a signal leaves the terminal as it was' '
	watch terminate -i 60 slow &&
	wait_for 10 shown terminate "1/2 members" &&
	kill -TERM $(watcher terminate) &&
	ended terminate 143
'
test_expect_success 'all gangs, cut at the width, also of a window that changes' '
	watch all -i 60 &&
	wait_for 10 shown all "PROGRESS" &&
	wait_for 10 shown all "+++++....." &&
	stty cols 30 <"$(cat all.tty)" &&
	kill -WINCH $(watcher all) &&
	wait_for 10 "tail -n 6 all.page | grep -F \"GANG\" |
		sed \"s/$esc[^A-Za-z]*[A-Za-z]//g\" | tr -d \"\\r\\n\" |
		wc -c | grep -x 30" &&
	printf q >&9 &&
	ended all 0
'
test_expect_success 'a slurmctld that is away for a while' '
	watch away -i 1 slow &&
	wait_for 10 shown away "1/2 members" &&
	slurm_stop_ctld &&
	wait_for 30 shown away "cannot read the jobs from slurmctld" &&
	slurm_start_ctld &&
	rm -f work.go &&
	submit -N 1 --gang=slow --wrap=true &&
	ended away 0
'
test_expect_success 'without one from the beginning it ends' '
	slurm_stop_ctld &&
	test_expect_code 2 "$sgang" watch >out 2>err &&
	test_must_be_empty out && grep "scontrol ping" err &&
	slurm_start_ctld
'
test_expect_success 'JSON is a line for each look' '
	id=$(submit -N 1 --gang=json --gang-min-member=1 work.sh) &&
	wait_for 10 "\"$sgang\" show json" &&
	{ "$sgang" watch -i 1 --json json >out & } && pid=$! &&
	wait_for 15 "test \$(wc -l <out) -ge 2" &&
	touch work.go &&
	wait $pid &&
	jq -e .gang out >names && test "$(sort -u names)" = "\"root/json\"" &&
	{ json_prereq; ! test_have_prereq JSONSCHEMA || json_keeps out; } &&
	tail -n 1 out | jq -e ".phase == \"Finished\""
'
test_expect_success 'a spare that nobody needs is no failure' '
	rm -f work.go &&
	set -- -N 1 --gang=spared --gang-min-member=2 --gang-spares=1 \
		--gang-on-failure=replace &&
	first=$(submit "$@" work.sh) &&
	second=$(submit "$@" work.sh) &&
	wait_for 20 all_in RUNNING $first $second &&
	spare=$(submit "$@" --wrap "sleep 600") &&
	wait_for 20 all_in RUNNING $spare &&
	wait_for 10 "test \"\$(gang_record $spare spare)\" = 1" &&
	touch work.go &&
	"$sgang" watch -i 1 spared >out 2>err &&
	rm work.go &&
	test_must_be_empty err &&
	all_in COMPLETED $first $second && all_in CANCELLED $spare &&
	tail -n 12 out | grep "Phase     Finished" &&
	wait_for 10 gang_log root/spared finished &&
	wait_for 10 "gang_record $spare verdict | grep -x finished" &&
	test "$("$sgang" list -h -o %n%T -t finished | grep spared)" = \
		sparedFinished &&
	"$sgang" show --json spared | jq -e ".phase == \"Finished\""
'
test_expect_success 'a gang that is cancelled before it ever starts' '
	id=$(submit -N 1 --gang=never --gang-min-member=2 --wrap=true) &&
	wait_for 10 squeue_says $id "1/2 members" &&
	scancel $id &&
	wait_for 10 gang_log root/never cancelled &&
	test_expect_code 1 "$sgang" watch -i 1 never >out 2>err &&
	echo "sgang: gang root/never was cancelled: 1 of 1 members did not complete" |
		test_cmp - err &&
	grep "Phase     Cancelled" out &&
	"$sgang" list -h -o "%n %T" -t cancelled | grep "^never *Cancelled"
'
test_expect_success 'odd options' '
	for value in 0 -1 x 1.5 86401; do
		test_expect_code 2 "$sgang" watch --iterate=$value 2>err &&
		grep "^sgang: --iterate=$value: expected a number of" err ||
			return 1
	done &&
	test_expect_code 2 "$sgang" watch a b 2>err
'
last_case '
	squeue -h -o %A | xargs -r scancel &&
	nothing_left
'
