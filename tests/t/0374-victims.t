#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0374-victims.t - whom a job may preempt, and what becomes of them, step by step
#
# The tests' build of the plugin tells what the conductor would be told of a gang
# in the partition `high`, and lets it preempt and spare jobs. Then the same with
# preempt/qos: the mode, the grace, the time of exemption and the priority are those
# of the victim's QOS.

test_description='Candidates, their grace, and how it is taken back'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 6 -c 2 --faults --conf \
"SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0,sched_min_interval=0
KillWait=2
MessageTimeout=10
$(partition_prio low=2 cancel=3,PreemptMode=CANCEL grace=4,GraceTime=600 \
	short=4,GraceTime=3 some=4,GraceTime=15 off=1,PreemptMode=OFF high=10)"
# Epilogs wait while this stands.
epilogs=$PWD/epilogs
cat >"$slurm_dir/etc/epilog" <<END
#!/bin/bash
while test -e "$epilogs"; do read -rt 0.1 <> <(:) || :; done
END
chmod 755 "$slurm_dir/etc/epilog"
echo "Epilog=$slurm_dir/etc/epilog" >>"$SLURM_CONF"
gate_setup
slurmdbd_setup 'AccountingStorageEnforce=associations,qos'
acct add qos low,killed,exempt,other,high
acct modify qos low set Priority=5
acct modify qos killed set Priority=7 PreemptMode=cancel GraceTime=600
acct modify qos exempt set Priority=8 PreemptExemptTime=00:00:20
acct modify qos other set Priority=9
acct modify qos high set Priority=100 Preempt=low,killed,exempt
acct add account lab
acct add user root account=lab defaultaccount=lab
acct modify user root set qos=normal,low,killed,exempt,other,high
slurm_start

# do LINE...: what the plugin does from now on, for the gang of $high
do_lines()
{
	printf '%s\n' "candidates-of $high" "$@" >faults.new
	mv faults.new "$SGANG_FAULT_FILE"
}

# candidate ID [WORD]: its line, or the value of WORD there
candidate()
{
	sed -n "s/^JobId=$1 / /p" "$SGANG_FAULT_FILE.candidates" |
		if test -n "$2"; then
			sed -n "s/.* $2=\([^ ]*\).*/\1/p"
		else
			cat
		fi
}

# It has been looked at once more, after this was called.
look()
{
	local now=$(date +%s)

	wait_for 20 "looked_since $now"
}
looked_since()
{
	scontrol update JobId=$high Comment="$RANDOM $RANDOM"
	test "$(candidates_now)" -gt $1
}
candidates_now() { sed -n 's/.*now=//p' "$SGANG_FAULT_FILE.candidates"; }

# is ID WORDS: the candidate's line has these words
is()
{
	local word

	for word in ${@:2}; do
		case "$(candidate $1) " in
		*" $word "*) ;;
		*) echo "$1: no $word in '$(candidate $1)'"; return 1 ;;
		esac
	done
}

on()
{
	local node=$1 id

	id=$(submit -w $node --exclusive "${@:2}") && wait_state $id RUNNING &&
		echo $id
}

drop_all()
{
	scancel -Q "$@"
	wait_for 30 nodes_idle
}

# lasts_until TIME ID: the job runs until then
lasts_until()
{
	while test $(date +%s) -lt $1; do
		job_is $2 RUNNING || return 1
		look || return 1
	done
}

high=$(submit -p high --gang=high --gang-min-member=2 -N 1)
do_lines

job_on() { squeue -h -t R -w $1 -o %A; }

# A job of each kind, each on its node.
submit_all()
{
	low=$(on n1) && keeps=$(on n2 --no-requeue) &&
		cancel=$(on n3 -p cancel) && off=$(on n4 -p off) &&
		same=$(on n5 -p high) || return 1
	salloc -Q -w n6 --exclusive sleep 600 >salloc.out 2>&1 &
	salloc=$!
	wait_for 20 'test -n "$(job_on n6)"' && inner=$(job_on n6)
}

test_expect_success '3.24 who may be preempted, and how' '
	submit_all &&
	look &&
	cat "$SGANG_FAULT_FILE.candidates" &&
	grep -q "^enabled=1 " "$SGANG_FAULT_FILE.candidates" &&
	is $low going=0 requeues=1 priority=2 occupies=1 gone_by=0 &&
	is $keeps going=0 requeues=0 priority=2 &&
	is $cancel going=0 requeues=0 priority=3 &&
	is $inner going=0 requeues=0 priority=2 &&
	test -z "$(candidate $off)$(candidate $same)$(candidate $high)" &&
	test "$(candidate $low started)" = "$(started_at $low)"
'

test_expect_success '3.30 one is requeued, others are killed' '
	for id in $low $keeps $cancel $inner; do
		do_lines "preempt $id" &&
		wait_for 20 "look && test -z \"\$(candidate $id)\"" || return 1
	done &&
	job_is $low PENDING && test "$(restarts_of $low)" = 1 &&
	for id in $keeps $cancel $inner; do
		job_is $id PREEMPTED || return 1
	done &&
	all_in RUNNING $off $same &&
	do_lines && drop_all $low $off $same
'

# began SEEN ID NODES: since when the job works, as its loss tells. Slurm does not
# count the time of its prologs, and does not show it.
began()
{
	look && cp "$SGANG_FAULT_FILE.candidates" at_once &&
		set -- $1 $(started_at $2) $3 $(lost_at_once $2) $(now_at_once) &&
		test $(($4 % $3)) = 0 && began=$(($5 - $4 / $3)) &&
		test $began -ge $2 && test $began -le $1
}
lost_at_once() { sed -n "s/^JobId=$1 .* lost=\([^ ]*\).*/\1/p" at_once; }
now_at_once() { sed -n "s/.*now=//p" at_once; }

# lost_since ID NODES TIME: node-seconds since then are lost, and no more
lost_since()
{
	look && cp "$SGANG_FAULT_FILE.candidates" at_once && cat at_once &&
		test "$(lost_at_once $1)" = $(($2 * ($(now_at_once) - $3)))
}

test_expect_success '3.24 what is lost: since the start, or the last checkpoint' '
	test_when_finished "do_lines; drop_all \$two" &&
	two=$(submit -N 2 --exclusive) && wait_state $two RUNNING &&
	began $(date +%s) $two 2 &&
	wait_for 10 "test \$(date +%s) -gt $((began + 1))" &&
	lost_since $two 2 $began &&
	saved=$(date +%s) &&
	scontrol update JobId=$two AdminComment="ckpt=$saved" &&
	lost_since $two 2 $saved &&
	scontrol update JobId=$two AdminComment="ckpt=2099-01-01T00:00:00" &&
	lost_since $two 2 $began &&
	saved=$(date +%s) &&
	scontrol update JobId=$two \
		Comment="x ckpt=$(date -d @$saved +%Y-%m-%dT%H:%M:%S)" &&
	lost_since $two 2 $saved
'

# The grace is longer than the test.
test_expect_success '3.30 a job in its grace is going, and is gone by its end and KillWait' '
	long=$(on n1 -p grace -t 60) &&
	ends=$(ends_at $long) &&
	do_lines "preempt $long" &&
	wait_for 20 "look && is $long going=1" &&
	look && job_is $long RUNNING &&
	is $long occupies=1 requeues=1 gone_by=$(($(ends_at $long) + 12)) &&
	test "$(ends_at $long)" -lt $ends
'
test_expect_success '3.32 spared it ends when it would have' '
	do_lines "spare $long" &&
	wait_for 20 "look && is $long going=0 gone_by=0" &&
	test "$(ends_at $long)" = $ends &&
	job_is $long RUNNING &&
	do_lines && drop_all $long
'
test_expect_success '3.32 nobody ends whom it spares' '
	some=$(on n1 -p some) &&
	do_lines "preempt $some" &&
	wait_for 15 "look && is $some going=1" &&
	do_lines "spare $some" &&
	wait_for 15 "look && is $some going=0" &&
	lasts_until $(($(date +%s) + 17)) $some &&
	do_lines && drop_all $some
'
test_expect_success '3.31 it is requeued when it is preempted again after its grace' '
	short=$(on n1 -p short) &&
	do_lines "preempt $short" &&
	wait_for 30 "look; test \"\$(restarts_of $short)\" = 1" &&
	do_lines && drop_all $short
'

test_expect_success '3.29 a job that is completing is going, whoever ended it' '
	>"$epilogs" &&
	done=$(on n1 -p off) &&
	scancel $done &&
	wait_for 20 "test \"\$(nodes_in completing)\" = 1" &&
	look && is $done going=1 lost=0 occupies=1 &&
	now=$(date +%s) &&
	test $(candidate $done gone_by) -le $((now + 12)) &&
	rm "$epilogs" &&
	wait_for 20 nodes_idle &&
	look && test -z "$(candidate $done)"
'

test_expect_success '3.30 one task of an array is a victim by itself' '
	tasks=$(submit --array=1-2 --exclusive) &&
	wait_for 20 all_in RUNNING ${tasks}_1 ${tasks}_2 &&
	first=$(job_field ${tasks}_1 JobId) &&
	do_lines "preempt $first" &&
	wait_for 20 "test \"\$(restarts_of ${tasks}_1)\" = 1" &&
	job_is ${tasks}_2 RUNNING &&
	do_lines && drop_all $tasks
'

test_expect_success '3.30 a heterogeneous job is one victim' '
	het=$(submit -N 1 --exclusive : -N 1 --exclusive) &&
	wait_for 60 all_in RUNNING $het+0 $het+1 &&
	look && is $het going=0 requeues=1 occupies=1 &&
	test -z "$(candidate $((het + 1)))" &&
	do_lines "preempt $het" &&
	wait_for 20 none_in RUNNING $het+0 $het+1 &&
	do_lines && drop_all $het
'

test_expect_success '3.24 what a gang holds may be preempted, and nothing is lost' '
	gate_close &&
	held=($(submit --gang=held --gang-min-member=2 -N 1 --exclusive -w n1)
		$(submit --gang=held --gang-min-member=2 -N 1 --exclusive -w n2)) &&
	wait_for 20 all_in CONFIGURING ${held[@]} &&
	look && is ${held[0]} requeues=1 lost=0 occupies=1 &&
	do_lines "preempt ${held[0]}" &&
	wait_for 20 "look; test \"\$(restarts_of ${held[0]})\" = 1" &&
	wait_for 20 none_in "CONFIGURING|RUNNING" ${held[@]} &&
	gate_open &&
	do_lines && drop_all ${held[@]}
'

test_expect_success 'nothing is left so far' 'leave_nothing "No fed_mgr state file"'

# --- by QOS ---

test_expect_success 'slurmctld preempts by QOS from now on' '
	sed -i "s,^PreemptType=.*,PreemptType=preempt/qos," "$SLURM_CONF" &&
	slurm_stop_ctld && slurm_start_ctld && wait_for 20 nodes_idle
'
high=$(submit --qos=high --gang=high --gang-min-member=2 -N 1)
do_lines

test_expect_success '3.24 whom the QOS names, and how it says' '
	exempt=$(on n3 --qos=exempt) &&
	low=$(on n1 --qos=low) &&
	killed=$(on n2 -t 60 --qos=killed) &&
	other=$(on n4 --qos=other) &&
	look &&
	is $low going=0 requeues=1 priority=5 &&
	is $killed going=0 requeues=0 priority=7 &&
	test -z "$(candidate $other)$(candidate $high)"
'
test_expect_success '3.24 who is exempt is none until that is over' '
	until=$(($(started_at $exempt) + 20)) &&
	if test $(date +%s) -lt $((until - 2)); then
		test -z "$(candidate $exempt)" || return 1
	fi &&
	wait_for 40 "test \$(date +%s) -gt $until" &&
	look && is $exempt going=0 requeues=1 priority=8
'
test_expect_success '3.30 the grace is that of its QOS' '
	do_lines "preempt $killed" &&
	wait_for 20 "look && is $killed going=1" &&
	job_is $killed RUNNING &&
	left=$(($(ends_at $killed) - $(date +%s))) &&
	test $left -gt 400 && test $left -le 600 &&
	do_lines "preempt $low" &&
	wait_for 20 "look; test \"\$(restarts_of $low)\" = 1"
'
last_case 'leave_nothing "No fed_mgr state file"'
