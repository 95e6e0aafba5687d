#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0512-sgang-list.t - sgang list: filters, fields and order, colours; sgang submit
# and sgang create on a cluster
#
# What each field says: tests/unit/cmd/test_columns.c. What is in a file and what is
# wrong with one: 0121-sgang-submit-file.t. What the tests of users say of
# definitions, 0540-users.t, is not said again here.

test_description='sgang list, submit, create, delete, retry and cancel'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang --conf \
'PartitionName=side Nodes=n4 MaxTime=INFINITE State=UP'

# Where a user who cannot look into the build tree finds everything.
for file in "$slurm_dir"/lib/*.so "$top_builddir/src/cmd/sgang"; do
	cp --remove-destination "$(readlink -f "$file")" "$slurm_dir/lib/"
done
sgang=$(checked_sgang "$slurm_dir/lib/sgang")
slurm_start
unset NO_COLOR SGANG_FORMAT SGANG_SORT

# Exactly this on stdout, and nothing on stderr: lists TEXT ARGS
lists()
{
	local text=$1

	"$sgang" list "${@:2}" >out 2>err && test_must_be_empty err &&
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
	lists "n[1-2]\n(gathering 1/3 members)\n" \
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
test_expect_success 'nothing is left so far' 'leave_nothing'

# --- sgang submit: all roles of a file start, or nothing is submitted ---

gang_script role

# Submit it; the ids are in $ids then, in the order of the file.
submit_file()
{
	"$sgang" submit "$@" >out 2>err && test_must_be_empty err &&
		ids=$(sed -n 's/^JobId=\([0-9]*\) .*/\1/p' out)
}

cat >filed.yaml <<'END'
gang: filed
options: [--output=/dev/null]
roles:
  - name: driver
    order: 0
    options: [--nodes=1, --exclusive]
    script: role.sh
  - name: worker
    count: 2
    array: yes
    options: [-n1]
    script: role.sh
  - name: logger
    options: [--partition=side, -n1, "--comment=the fourth"]
    command: "sleep 3600"
END

test_expect_success 'all roles start together' '
	submit_file filed.yaml &&
	set -- $ids &&
	test $# = 3 &&
	tail -n 1 out >last &&
	echo "submitted root/filed: 4 members" | test_cmp - last &&
	start_together 15 $1 ${2}_0 ${2}_1 $3 &&
	test "$(job_field $1 JobName)" = driver &&
	test "$(job_field $3 Partition)" = side &&
	test "$(job_field $3 Comment)" = "the fourth" &&
	"$sgang" show filed | grep " Members=4 MinMember=4 Total=4 "
'
test_expect_success 'sgang cancel ends them' '
	"$sgang" cancel filed >out &&
	echo "cancelled root/filed: 4 members" | test_cmp - out &&
	wait_for 15 queue_empty && wait_for 15 nodes_idle
'
test_expect_success 'a role that Slurm refuses: the others are taken back' '
	sed "s/partition=side/partition=none/" filed.yaml >refused.yaml &&
	"$sgang" submit refused.yaml >out 2>err; test $? = 1 &&
	test_must_be_empty out &&
	grep "^sbatch: error: .*nvalid partition" err &&
	grep -x "sgang: role \"logger\" was refused; 2 jobs submitted before\
 were cancelled" err &&
	wait_for 15 queue_empty &&
	wait_for 15 nodes_idle
'
test_expect_success '0.20 a gang that is refused: not one job' '
	last=$(squeue -h -t all -o %A | sort -n | tail -n 1) &&
	sed "2i min-member: 99" filed.yaml >never.yaml &&
	"$sgang" submit never.yaml 2>err; test $? = 1 &&
	grep "the gang can never start: its 99 members need" err &&
	grep "role \"driver\" was refused; nothing was submitted" err &&
	test "$(squeue -h -t all -o %A | sort -n | tail -n 1)" = $last
'
test_expect_success 'a dry run submits nothing, and its lines are good' '
	"$sgang" submit --dry-run filed.yaml >lines &&
	queue_empty &&
	sh -e lines >ids &&
	set -- $(cat ids) &&
	wait_for 15 all_in RUNNING $1 ${2}_0 ${2}_1 $3 &&
	scancel "$@" && wait_for 15 nodes_idle
'

cat >two.yaml <<'END'
gang: ps
options: [--output=/dev/null, -n1]
roles:
  - {name: server, command: sleep 3600}
  - name: worker
    gang: workers
    count: 2
    min-member: 2
    mode: nonstrict
    options: [-wn4]
    command: sleep 3600
END

test_expect_success '0.30 roles in two gangs start together' '
	block=$(run_job -N1 --exclusive -w n4) &&
	submit_file two.yaml &&
	set -- $ids &&
	test $# = 3 &&
	for gang in ps:1:workers workers:2:ps; do
		IFS=: read -r name members other <<<"$gang"
		grep -x "submitted root/$name: $members members*" out &&
		"$sgang" show $name >shown &&
		grep -E " Groups=root/$other( |$)" shown || return 1
	done &&
	wait_for 10 gang_attempted $2 1 &&
	all_in PENDING "$@" &&
	scancel $block &&
	wait_for 15 all_in RUNNING "$@" &&
	scancel "$@" && wait_for 15 nodes_idle
'
test_expect_success 'nothing is left so far' 'leave_nothing "invalid partition" \
	"gang: .*never start"'

# --- sgang create: gangs that are defined apart from their members ---
#
# A definition is a held job of its user.

! runuser -u daemon -- squeue >/dev/null 2>&1 || test_set_prereq OTHER_USER

# Run it: exit 0 and not a word on stderr.
quietly() { "$@" >out 2>err && test_must_be_empty err; }

# Define a gang and print the id of the job: create NAME OPTION...
create()
{
	quietly "$sgang" create "$@" &&
		sed -n 's|^created root/'"$1"' (JobId=\([0-9]*\))$|\1|p' out |
		grep .
}

# Every word is among what sgang shows of the gang: shows GANG WORD...
shows() { quietly "$sgang" show $1 && has_words out "${@:2}"; }

line_is() { "$sgang" list --noheader | tr -s ' ' | grep -qxF -- "$1"; }

# A step that tells in a file of its job that it is there, and of each SIGUSR1.
cat >"$slurm_dir/out/step" <<END
#!/bin/bash
tell() { touch "$slurm_dir/out/\$1.\$SLURM_JOB_ID"; }
trap 'tell usr1' USR1
tell ready
while :; do sleep 0.1; done
END
chmod 755 "$slurm_dir/out/step"

# told WHAT ID...
told()
{
	local what=$1 id

	for id in "${@:2}"; do
		test -e "$slurm_dir/out/$what.$id" || return 1
	done
}

# Who has no record yet is of no gang for sgang.
member()
{
	local id

	id=$(submit -N 1 -o /dev/null --gang="$@") &&
		wait_for 10 "test -n \"\$(gang_record $id)\"" && echo $id
}

test_expect_success '0.15, 0.17, 3.13 a definition is a held job of the user' '
	object=$(create train --min-member 2 --total-number=3 \
		--mode=nonstrict --waiting-time=5 --match only-waiting \
		--on-failure=kill --topology prefer:leaf --groups= \
		--min-tres=cpu=1) &&
	test "$(job_field $object JobName)" = gang/train &&
	test "$(job_field $object Priority)" = 0 &&
	test "$(job_field $object TimeLimit)" = 00:01:00 &&
	squeue -h -u root -t PD -n gang/train -o %i | grep -x $object
'
test_expect_success '0.36, 3.14 it is there at once, and no member' '
	shows train Phase=Gathering Members=0 MinMember=2 Total=3 Pending=0 \
		Mode=nonstrict Match=only-waiting OnFailure=kill \
		WaitingTime=00:05:00 Definition=$object &&
	! grep -e Groups= -e JobId= out
'
test_expect_success '0.15 squeue shows the phase of the gang in its line' '
	wait_for 10 squeue_says $object \
		"Gang root/train gathering 0/2 members" &&
	wait_for 10 line_is "root/train Gathering 0/2/3 nonstrict - 0 - - - \
gathering 0/2 members"
'
test_expect_success '0.24 a second one is refused' '
	sgang_refuses 1 "gang root/train: it has a definition (JobId=$object), use\
 --replace" create train --min-member=3 &&
	"$sgang" create train --min-member=3 --json >out 2>err; test $? = 1 &&
	test_must_be_empty err &&
	echo "{\"gang\":\"root/train\",\"reason\":\"it has a definition (JobId=$object), use --replace\"}" >wanted &&
	without_meta <out | test_cmp wanted -
'
test_expect_success '0.24 --replace: the new one counts, the old one goes' '
	old=$object &&
	object=$(create train --min-member=3 --replace -p side -A proj) &&
	wait_state $old CANCELLED &&
	test "$(job_field $object Partition)" = side &&
	test "$(job_field $object Account)" = proj &&
	wait_for 10 squeue_says $object \
		"Gang root/train gathering 0/3 members" &&
	shows train MinMember=3 Total=3 Mode=strict Definition=$object &&
	! grep WaitingTime= out
'
test_expect_success '0.24 twice within a second' '
	last=$(create quick --min-member=2) &&
	sgang_refuses 1 "gang root/quick: it has a definition (JobId=$last), use\
 --replace" create quick --min-member=2 &&
	again=$(create quick --min-member=4 --replace) &&
	wait_state $last CANCELLED &&
	wait_for 10 squeue_says $again "Gang root/quick gathering 0/4 members"
'
test_expect_success 'it is never run' '
	scontrol release $again 2>err; test $? != 0 &&
	scontrol update JobId=$again Priority=10000 2>err; test $? != 0 &&
	scontrol top $again 2>err
	job_is $again PENDING && test "$(job_field $again Priority)" = 0
'
test_expect_success '0.24 sgang delete, and scancel, take it back' '
	quietly "$sgang" delete quick &&
	echo "deleted root/quick: 0 members, 1 definition" | test_cmp - out &&
	wait_state $again CANCELLED &&
	sgang_refuses 1 "gang root/quick: there is no such gang, see sgang list" \
		delete quick &&
	other=$(create other --min-member=2) &&
	drop $other &&
	sgang_refuses 1 "there is no gang other, see sgang list" show other
'

test_expect_success '0.15, 0.16 members of a defined gang say its name alone' '
	first=$(member train) &&
	wait_for 10 squeue_says $first "Gang root/train gathering 1/3 members" &&
	second=$(member train) &&
	wait_for 10 line_is "root/train Gathering 2/3/3 strict - 0 - - - \
gathering 2/3 members" &&
	wait_for 10 squeue_says $object "Gang root/train gathering 2/3 members"
'
test_expect_success '0.15 the minimum of them starts' '
	third=$(member train) &&
	start_together 15 $first $second $third &&
	wait_for 10 squeue_says $object "Gang root/train running 3/3 members" &&
	shows train Phase=Running Members=3 Definition=$object &&
	job_is $object PENDING
'
test_expect_success '3.14 sgang cancel ends the members, the definition stays' '
	quietly "$sgang" cancel train &&
	echo "cancelled root/train: 3 members" | test_cmp - out &&
	wait_for 15 all_in CANCELLED $first $second $third &&
	job_is $object PENDING &&
	sgang_refuses 1 "gang root/train: no member waits or runs" cancel train
'
# A gang is told from the one before by the second in which it came to be.
test_expect_success '0.24 it serves the next gang of that name' '
	ended=$EPOCHSECONDS && wait_for 5 "test \$EPOCHSECONDS -gt $ended" &&
	first=$(member train) &&
	wait_for 10 squeue_says $first "Gang root/train gathering 1/3 members" &&
	shows train Phase=Gathering Members=1 Ended=0 Satisfied=no &&
	quietly "$sgang" cancel train --all --json &&
	echo "{\"gang\":\"root/train\",\"cancelled\":1,\"definitions\":1,\"refused\":[]}" >wanted &&
	without_meta <out | test_cmp wanted - &&
	wait_for 10 all_in CANCELLED $first $object
'

test_expect_success '0.25 members that come before any definition wait' '
	early=$(member late) &&
	wait_for 10 squeue_says $early "Gang root/late undefined" &&
	shows late Phase=Undefined Members=1 &&
	! grep -e MinMember= -e Total= -e Definition= out &&
	"$sgang" list --noheader | grep "^root/late  *Undefined 1/-/- " &&
	second=$(member late) &&
	job_is $early PENDING
'
test_expect_success '0.25 and go on when it comes' '
	object=$(create late --min-member=3) &&
	wait_for 10 squeue_says $early "Gang root/late gathering 2/3 members" &&
	object=$(create late --min-member=2 --replace) &&
	start_together 15 $early $second &&
	shows late Phase=Running Definition=$object &&
	quietly "$sgang" cancel late --all &&
	wait_for 15 nodes_idle
'
test_expect_success '0.29 what a member says goes before the definition' '
	create said --min-member=4 --mode=nonstrict --on-failure=kill \
		>object &&
	one=$(member said --gang-min-member=2 --gang-mode=strict) &&
	wait_for 10 squeue_says $one "Gang root/said gathering 1/2 members" &&
	shows said MinMember=2 Mode=strict OnFailure=kill &&
	two=$(member said) &&
	wait_for 15 all_in RUNNING $one $two &&
	quietly "$sgang" cancel --all said &&
	wait_for 15 nodes_idle
'

test_expect_success 'an array is cancelled as a whole, also what runs' '
	gang_script array &&
	array=$(submit -n 1 -o /dev/null -a 1-8 --gang=array \
		--gang-min-member=2 --gang-total-number=8 array.sh) &&
	single=$(submit -n 1 -o /dev/null --gang=array array.sh) &&
	wait_for 15 "test \$(squeue -h -r -t R -j $array | wc -l) -ge 2" &&
	quietly "$sgang" cancel array &&
	echo "cancelled root/array: 9 members" | test_cmp - out &&
	wait_for 15 "test -z \"\$(squeue -h -j $array,$single)\"" &&
	wait_for 15 nodes_idle
'
test_expect_success 'a signal goes to the members that run' '
	set -- --wrap="exec srun \"$slurm_dir/out/step\"" &&
	one=$(member signal --gang-min-member=2 "$@") &&
	two=$(member signal "$@") &&
	wait_for 15 told ready $one $two &&
	quietly "$sgang" cancel signal --signal=usr1 &&
	echo "signalled root/signal: 2 members" | test_cmp - out &&
	wait_for 10 told usr1 $one $two &&
	all_in RUNNING $one $two &&
	quietly "$sgang" cancel signal &&
	wait_for 15 nodes_idle &&
	sgang_refuses 1 "gang root/signal: no member runs" cancel signal -s TERM
'

test_expect_success '0.14 nothing to retry' '
	sgang_refuses 1 "gang root/none: there is no such gang, see sgang list" retry none &&
	one=$(member still --gang-min-member=2) &&
	wait_for 10 squeue_says $one "gathering 1/2 members" &&
	sgang_refuses 1 "gang root/still: no member has timed out" retry still &&
	"$sgang" retry still --json >out; test $? = 1 &&
	echo "{\"gang\":\"root/still\",\"reason\":\"no member has timed out\"}" >wanted &&
	without_meta <out | test_cmp wanted - &&
	scancel $one
'
test_expect_success '0.13, 0.14 a gang that held for too long' '
	block=$(run_job -N 2 --exclusive -w n[3-4]) &&
	array=$(submit -N 1 --exclusive -o /dev/null -a 1-2 --gang=slow \
		--gang-min-member=3 --gang-mode=nonstrict \
		--gang-waiting-time=10:00) &&
	single=$(submit -N 1 --exclusive -o /dev/null --gang=slow) &&
	wait_for 10 "shows slow Phase=Holding Held=2 WaitingTime=00:10:00" &&
	since=$(sed -n "s/.* Since=\([^ ]*\).*/\1/p" out) &&
	ends=$(sed -n "s/.* WaitEnds=\([^ ]*\).*/\1/p" out) &&
	test $(($(date -d $ends +%s) - $(date -d $since +%s))) = 600 &&
	gang_setting MaxWaitingTime 0:01 &&
	wait_for 15 "shows slow Phase=Timeout" &&
	shows slow Held=0 Pending=3 Reason=GangTimeout &&
	! grep Since= out &&
	for id in $single ${array}_1 ${array}_2; do
		squeue_says $id GangTimeout || return 1
	done &&
	gang_setting MaxWaitingTime 1-0
'
test_expect_success '0.14 sgang retry re-arms all of it' '
	quietly "$sgang" retry slow &&
	echo "released root/slow: 3 members" | test_cmp - out &&
	wait_for 10 "shows slow Phase=Holding Held=2" &&
	scancel $block &&
	start_together 15 $single ${array}_1 ${array}_2 &&
	sgang_refuses 1 "gang root/slow: no member has timed out" retry slow &&
	quietly "$sgang" cancel slow &&
	wait_for 15 nodes_idle
'

test_expect_success OTHER_USER '0.22 the gang of another user' '
	runuser -u daemon -- "$sgang" create root/mine --min-member=2 \
		>out 2>err; test $? = 1 &&
	test_must_be_empty out &&
	test "$(grep -c "^sgang: gang root/mine: " err)" = 1 &&
	grep "neither your user name (daemon) nor the account" err &&
	object=$(create mine --min-member=2) &&
	one=$(member mine --gang-min-member=2) &&
	for verb in delete cancel; do
		runuser -u daemon -- "$sgang" $verb root/mine >out 2>err
		test $? = 1 &&
			grep "^sgang: job [0-9]*: .*denied (a job of root)\$" \
				err || { cat out err; return 1; }
	done &&
	runuser -u daemon -- "$sgang" cancel root/mine --json >out 2>err
	test $? = 1 && test_must_be_empty err &&
	grep "\"cancelled\":0,.*\"refused\":\[{\"job\":\"$one\",\"reason\":\".*denied (a job of root)\"}\],\"meta\":" out &&
	all_in PENDING $object $one
'
test_expect_success OTHER_USER '0.22 each user has a definition of the name' '
	runuser -u daemon -- "$sgang" create mine --min-member=3 >out &&
	grep "^created daemon/mine (JobId=" out &&
	runuser -u daemon -- "$sgang" delete mine >out &&
	grep "^deleted daemon/mine: 0 members, 1 definition\$" out &&
	shows mine Namespace=root MinMember=2 Definition=$object
'
test_expect_success '0.22 the namespace of an account' '
	create=$(quietly "$sgang" create proj/joint --min-member=2 -A proj; \
		cat out err) &&
	wait_for 10 shows proj/joint Phase=Gathering MinMember=2 &&
	sgang_refuses 1 "gang root/joint: there is no such gang, did you mean\
 proj/joint?" delete joint &&
	quietly "$sgang" delete proj/joint
'

test_expect_success '0.15 a definition survives slurmctld' '
	slurm_saved $object &&
	ctld_dies &&
	wait_for 15 squeue_says $object "Gang root/mine gathering 1/2 members" &&
	shows mine Definition=$object &&
	two=$(member mine) &&
	wait_for 15 all_in RUNNING $one $two &&
	quietly "$sgang" cancel --all mine
'

# --- words
test_expect_success '0.18, 0.20 what cannot be' '
	sgang_refuses 2 "--min-member=N is missing: how many members does the gang\
 need to start?" create bad &&
	sgang_refuses 2 "--min-member=0: expected a number from 1 to 100000" \
		create bad --min-member=0 &&
	sgang_refuses 2 "--mode=loose: expected one of strict|nonstrict" \
		create bad --min-member=2 --mode=loose &&
	sgang_refuses 2 "--min-member=3 is above --total-number=2: a gang cannot need\
 more members than it has" \
		create bad --min-member=3 --total-number=2 &&
	sgang_refuses 2 "--gang=Bad: a gang'\''s name has no upper-case letters" \
		create Bad --min-member=3 &&
	sgang_refuses 2 "--signal=NONE: expected a signal such as TERM or 15" \
		cancel train -s NONE &&
	for verb in create cancel delete retry; do
		sgang_refuses 2 "expected the name of one gang, see sgang $verb\
 --help" $verb a b || return 1
	done &&
	sgang_refuses 2 "a value is missing: -A, see sgang create --help" \
		create bad -A
'
test_expect_success 'what Slurm refuses, in its own words' '
	"$sgang" create bad --min-member=2 --partition=none >out 2>err
	test $? = 1 && test_must_be_empty out &&
	grep -x "sgang: gang root/bad: Invalid partition name specified" err
'
last_case '
	leave_nothing "invalid partition" "gang: .*never start" \
		"Security violation" "denied" "Access"
'
