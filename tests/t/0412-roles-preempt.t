#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0412-roles-preempt.t - trees of groups that preempt and are preempted, their
# epochs, and members that name their nodes

test_description='Trees are preempted whole, preempt for all they need, and have epochs'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

cat >topology.conf <<'END'
SwitchName=leaf1 Nodes=n[1-3]
SwitchName=leaf2 Nodes=n[4-6]
SwitchName=leaf3 Nodes=n[7-9]
SwitchName=core Switches=leaf[1-3]
END
slurm_setup -n 9 -c 2 --gang --topology "$PWD/topology.conf" --conf \
'SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0,sched_min_interval=0,bf_continue
PreemptType=preempt/qos
PreemptMode=REQUEUE
KillWait=2'
slurmdbd_setup 'AccountingStorageEnforce=associations,limits,qos'
acct add qos low,high
acct modify qos low set Priority=5
acct modify qos high set Priority=100 Preempt=low
acct add account lab
acct add user root account=lab defaultaccount=lab
acct modify user root set qos=normal,low,high
slurm_start

sgang=$(checked_sgang)
gang_script role
sed -i "2i echo \$SLURM_GANG_ROLE_HEADS >\"$PWD/heads.\$SLURM_JOB_ID\"" role.sh

# member GANG ROLE MINIMUM OPTIONS...: one whole node, in "members" and "role_of"
declare -A role_of
member()
{
	local id

	id=$(submit -N 1 --exclusive -t 30 --gang=$1 --gang-role=$2 \
		--gang-min-member=$3 "${@:4}" role.sh) || return 1
	members+=($id)
	role_of[$id]=$2
}

# A replica of one encoder and two decoders in one leaf: replica GANG NAME MINIMUM
# OPTIONS...
replica()
{
	member $1 $2:min=2:require=leaf/encode:min=1 $3 "${@:4}" &&
		member $1 $2/decode:min=2 $3 "${@:4}" &&
		member $1 $2/decode $3 "${@:4}"
}

# The leaf switches of three members from the i-th on: leaves I
leaves()
{
	squeue -h -t R -j "$(echo ${members[@]:$1:3} | tr ' ' ,)" -o %N |
		sed 's/n//' | awk '{ print int(($1 - 1) / 3) + 1 }' | sort -u
}

apart()
{
	local i

	for ((i = 0; i < ${#members[@]}; i += 3)); do
		test "$(leaves $i | wc -l)" = 1 || return 1
	done
}

# ---- preempted ----

test_expect_success '2.15 4.11 one job of a higher QOS: the tree goes whole, and starts again whole' '
	test_when_finished clear_cluster &&
	members=() && replica whole r1 2 --qos=low && replica whole r2 2 --qos=low &&
	wait_for 20 all_in RUNNING ${members[@]} && apart &&
	high=$(submit -N 4 --exclusive -t 5 --qos=high --wrap="sleep 300") &&
	wait_state $high RUNNING 30 && wait_for 20 all_in PENDING ${members[@]} &&
	begins_now ${members[@]} && wait_for 20 gang_attempted ${members[0]} 2 &&
	all_in PENDING ${members[@]} &&
	scancel $high && wait_for 40 all_in RUNNING ${members[@]} &&
	started_together ${members[@]} && apart
'
test_expect_success '2.15 4.11 so does one of which a group waits to follow' '
	test_when_finished clear_cluster &&
	block=($(submit -N 3 -w n[7-9] --exclusive -t 30 --qos=high --wrap="sleep 300")) &&
	wait_state $block RUNNING 20 && members=() &&
	replica part r1 1 --qos=low && wait_for 20 all_in RUNNING ${members[@]} &&
	replica part r2 1 --qos=low && wait_for 20 all_in RUNNING ${members[@]} &&
	replica part r3 1 --qos=low && first=(${members[@]:0:6}) &&
	wait_for 20 squeue_says ${members[6]} "Gang root/part " &&
	all_in PENDING ${members[@]:6} &&
	high=$(submit -N 1 --exclusive -t 5 --qos=high --wrap="sleep 300") &&
	wait_state $high RUNNING 30 && wait_for 20 all_in PENDING ${first[@]} &&
	test "$(restarts_of ${first[@]})" = 6
'

# ---- preempts ----

# A low job on each of these nodes, in "lows".
low()
{
	local node

	lows=()
	for node; do
		lows+=($(submit -w $node -N 1 --exclusive -t 30 --qos=low \
			--wrap="sleep 300")) || return 1
	done
	wait_for 20 all_in RUNNING ${lows[@]}
}

# So many of these jobs run.
run_are() { test "$(squeue -h -t R -j "$(echo ${lows[@]} | tr ' ' ,)" | wc -l)" = $1; }

test_expect_success '2.15 3.29 a tree preempts for all that it needs' '
	test_when_finished clear_cluster &&
	low n{1..9} && members=() && replica need r1 2 --qos=high &&
	replica need r2 2 --qos=high &&
	wait_for 40 all_in RUNNING ${members[@]} && started_together ${members[@]} &&
	apart && run_are 3
'
test_expect_success '2.15 3.29 and for nothing where part of it cannot have a leaf' '
	test_when_finished clear_cluster &&
	keep=($(submit -w n1 -N 1 --exclusive -t 30 --qos=high --wrap="sleep 300")
		$(submit -w n4 -N 1 --exclusive -t 30 --qos=high --wrap="sleep 300")) &&
	wait_for 20 all_in RUNNING ${keep[@]} && low n{2,3,5,6,7,8,9} &&
	members=() && replica none r1 2 --qos=high && replica none r2 2 --qos=high &&
	wait_for 20 gang_attempted ${members[5]} 1 &&
	wait_for 20 squeue_says ${members[0]} "Gang root/none waits: " &&
	run_are 7 && all_in PENDING ${members[@]}
'

# ---- nodes by name ----

test_expect_success '2.15 5.5 a member that names its node brings its group there' '
	test_when_finished clear_cluster &&
	members=() && member named r1:min=2:require=leaf/encode:min=1 1 -w n5 &&
	member named r1/decode:min=2 1 && member named r1/decode 1 &&
	wait_for 20 all_in RUNNING ${members[@]} && started_together ${members[@]} &&
	test "$(squeue -h -j ${members[0]} -o %N)" = n5 && test "$(leaves 0)" = 2
'
test_expect_success '2.15 5.4 members that name nodes of two leaves do not start' '
	test_when_finished clear_cluster &&
	members=() && member torn r1:min=2:require=leaf/encode:min=1 1 -w n5 &&
	member torn r1/decode:min=2 1 && member torn r1/decode 1 -w n7 &&
	wait_for 20 gang_attempted ${members[2]} 1 &&
	wait_for 20 squeue_says ${members[0]} "Gang root/torn waits: " &&
	all_in PENDING ${members[@]}
'
test_expect_success '2.15 5.6 one that names some of its nodes is told that it must name all' '
	test_when_finished clear_cluster &&
	members=() && id=$(submit -N 2 -w n5 --exclusive -t 30 --gang=some \
		--gang-role=r1/encode --gang-min-member=1 role.sh) &&
	wait_for 20 squeue_says $id "members that require some of their nodes"
'

# ---- epochs ----

# The head of a group in the epoch: head_of GANG ROLE
head_of()
{
	"$sgang" epoch $1 --json | jq -r .role_heads | tr , "\n" |
		sed -n "s,^$2=,,p"
}

# As its environment has them.
told_heads()
{
	wait_for 20 test -s heads.$1 && cat heads.$1
}

test_expect_success '2.15 6.3 an epoch after the loss of a member with a role names its heir' '
	test_when_finished clear_cluster &&
	members=() && replica epoch r1 2 && replica epoch r2 2 &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	"$sgang" epoch epoch --wait=1 >out && cat out &&
	test "$(told_heads ${members[0]})" = "$("$sgang" epoch epoch --json | jq -r .role_heads)" &&
	scancel ${members[3]} && wait_for 20 all_in CANCELLED ${members[3]} &&
	member epoch r2/encode 2 && heir=${members[6]} &&
	wait_for 40 all_in RUNNING $heir &&
	"$sgang" epoch epoch --json >json && cat json &&
	head=$(head_of epoch r2/encode) && test -n "$head" &&
	test "$head" = "$(squeue -h -j $heir -o %N)" &&
	test "$(gang_record $heir rank)" = "$(gang_record ${members[3]} rank)"
'

test_expect_success 'nothing is left' 'nothing_left "No fed_mgr state file"'

test_done
