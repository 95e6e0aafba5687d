#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0376-victims-qos.t - whom a job may preempt by QOS
#
# As 0374-victims.t, with preempt/qos: the mode, the grace, the time of exemption
# and the priority are those of the victim's QOS.

test_description='Candidates by QOS'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 5 -c 2 --faults --conf \
'SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0,sched_min_interval=0
PreemptType=preempt/qos
PreemptMode=REQUEUE'
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

do_lines()
{
	printf '%s\n' "candidates-of $high" "$@" >faults.new
	mv faults.new "$SGANG_FAULT_FILE"
}

candidate()
{
	sed -n "s/^JobId=$1 / /p" "$SGANG_FAULT_FILE.candidates"
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
	test "$(sed -n 's/.*now=//p' "$SGANG_FAULT_FILE.candidates")" -gt $1
}

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

test_expect_success 'nothing is left' 'scancel -Q -u root; nothing_left "No fed_mgr state file"'

test_done
