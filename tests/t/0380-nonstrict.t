#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0380-nonstrict.t - members of a nonstrict gang keep what they get and wait

test_description='A nonstrict gang accumulates, and starts in one step'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cluster -n 4 -c 4 --gang --gang-conf 'WaitingTime=1-0' --node 'Gres=tile:2' --gres 'Name=tile Count=2' \
	--conf 'GresTypes=tile
OverTimeLimit=UNLIMITED
PartitionName=main Nodes=n[1-3] Default=YES MaxTime=INFINITE State=UP
PartitionName=slow Nodes=n4 MaxTime=INFINITE State=UP'

gang_script train
gang_script slow

# On each node there is room for one of them.
member()
{
	submit -N 1 -n 1 -c 3 --gres=tile:1 --mem=500 --gang=train \
		--gang-min-member=3 --gang-total-number=4 \
		--gang-mode=nonstrict "$@" train.sh
}

slow_member()
{
	submit -p slow -N 1 -n 1 -c 2 --time=1 --gang=slow \
		--gang-min-member=2 --gang-mode=nonstrict slow.sh
}

# The held members are where they were and nobody was launched.
still_held()
{
	test "$(held_places ${members[@]})" = "$places" &&
		test "$(starts_of train)" = 0 &&
		test "$(cpus_in_use n1)" = 4 &&
		test "$(cpus_in_use n2)" = 3 &&
		test "$(cpus_in_use n3)" = 4 &&
		test "$(held_in ${slow[@]})" = 1
}

# What a node has for it: nobody has more than was asked for.
has_its_share()
{
	scontrol -d show job $1 >job
	grep -E "Nodes=$2 CPU_IDs=[0-3]-[0-3] Mem=500 GRES=tile[(]CNT:1[)]" job ||
		{ cat job >&2; return 1; }
}

all_nodes_answer() { ! sinfo -h -N -o "%N %T" | grep -E "drain|down|unk" >&2; }

test_expect_success 'all nodes are busy, one half of n4 is free' '
	block=($(submit -w n1 --exclusive) $(submit -w n2 --exclusive) \
		$(submit -w n3 --exclusive) $(submit -p slow -n 1 -c 2)) &&
	wait_for 15 all_in RUNNING ${block[@]}
'
test_expect_success '0.8 0.12 a gang whose time limit is a minute begins to hold' '
	slow=($(slow_member) $(slow_member)) &&
	wait_for 15 "test \$(held_in \${slow[@]}) = 1" &&
	slow_since=$EPOCHSECONDS
'
test_expect_success '0.8 a gang without any room waits and holds nothing' '
	members=($(member) $(member) $(member) $(member)) &&
	wait_for 15 gang_attempted ${members[0]} 1 &&
	all_in PENDING ${members[@]} &&
	squeue_says ${members[0]} "Gang root/train "
'
test_expect_success '0.7 0.8 a node is free: one member is held on it' '
	scancel ${block[0]} &&
	wait_for 15 "test \$(held_in \${members[@]}) = 1" &&
	wait_for 10 "test \"\$(gang_phase root/train)\" = holding" &&
	held=$(held_of ${members[@]}) &&
	has_its_share $held n1 &&
	test "$(cpus_in_use n1)" = 3 &&
	test "$(node_field n1 AllocMem)" = 500 &&
	node_field n1 AllocTRES | grep cpu=3,mem=500M &&
	scontrol -d show node n1 | grep "GresUsed=tile:1"
'
test_expect_success '0.8 1.14 others use what it leaves' '
	rest=$(run_job -w n1 -n 1 -c 1 --gres=tile:1 --mem=500) &&
	test "$(cpus_in_use n1)" = 4 &&
	sleeper=$(submit -n 1 -c 3 --nice=100 --wrap=true) &&
	test "$(job_state $sleeper)" = PENDING
'
test_expect_success '0.8 another node: the next one is held, nobody runs' '
	scancel ${block[1]} $sleeper &&
	wait_for 15 "test \$(held_in \${members[@]}) = 2" &&
	places=$(held_places ${members[@]}) &&
	test $(wc -l <<<"$places") = 2 &&
	still_held
'
test_expect_success '0.36 squeue and sgang tell that it holds' '
	held=$(held_of ${members[@]}) &&
	wait_for 10 "test \"\$(gang_phase root/train)\" = holding" &&
	squeue -h -j ${held%% *} -O system_comment:200 |
		grep "gang=root/train phase=holding .*mode=nonstrict" &&
	"$sgang" list --noheader | grep "root/train" | grep -i holding &&
	"$sgang" show root/train | grep -i holding &&
	waiting=($(pending_of ${members[@]})) &&
	wait_for 10 squeue_says ${waiting[0]} \
		"Gang root/train holding 2/3 members since "
'
test_expect_success '0.54 scontrol reconfigure: they still hold' '
	scontrol reconfigure &&
	wait_for 15 slurm_ctld_answers &&
	wait_for 20 still_held &&
	wait_for 20 all_nodes_answer
'
times_found() { gang_log root/train "found 2 held members again" | wc -l; }

test_expect_success '0.36 0.54 slurmctld is stopped and started' '
	ctld_restarts &&
	wait_for 10 gang_log root/train "found 2 held members again" &&
	still_held &&
	test "$(gang_phase root/train)" = holding
'
test_expect_success '0.36 0.54 slurmctld is killed and started' '
	slurm_saved ${members[0]} &&
	slurm_kill9_ctld &&
	before=$(times_found) &&
	slurm_start_ctld &&
	wait_for 10 "test \$(times_found) = $((before + 1))" &&
	still_held &&
	test "$(gang_phase root/train)" = holding
'
test_expect_success '0.54 a held member is cancelled: its node is for the next' '
	held=($(held_of ${members[@]})) &&
	scancel ${held[0]} &&
	wait_state ${held[0]} CANCELLED &&
	wait_for 15 "test \$(held_in \${members[@]}) = 2" &&
	job_is ${held[1]} CONFIGURING &&
	test "$(held_places ${members[@]} | cut -d " " -f 2 | sort | xargs)" = \
		"n1 n2" &&
	test "$(restarts_of ${members[@]})" = 0
'
# With a slurmd that answers it would be back with the next ping.
test_expect_success '0.7 a node is down: its member waits, the other holds on' '
	keeps=$(held_on n1 ${members[@]}) &&
	lost=$(held_on n2 ${members[@]}) &&
	slurm_stop_node n2 &&
	scontrol update NodeName=n2 State=DOWN Reason=test &&
	wait_state $lost PENDING &&
	wait_for 10 gang_log root/train "held member $lost is lost" &&
	wait_for 10 "test \$(held_in \${members[@]}) = 1" &&
	wait_for 10 job_is $keeps CONFIGURING &&
	wait_for 10 "test \"\$(squeue -h -j $keeps -o %N)\" = n1" &&
	test "$(restarts_of $keeps)" = 0
'
test_expect_success '0.7 0.8 when it is back a member is held on it again' '
	slurm_start_node n2 &&
	wait_for 20 "test \$(held_in \${members[@]}) = 2" &&
	job_is $keeps CONFIGURING &&
	test "$(starts_of train)" = 0
'
test_expect_success '0.1 0.50 the third node: all start in one step, now' '
	before=$EPOCHSECONDS &&
	scancel ${block[2]} &&
	left=($(living_of ${members[@]})) &&
	test ${#left[@]} = 3 &&
	start_together 20 ${left[@]} &&
	for id in ${left[@]}; do
		test $(started_at $id) -ge $before || return 1
	done &&
	wait_for 10 "test \$(starts_of train) = 3" &&
	test "$(gang_record ${left[0]} satisfied)" = 1 &&
	test "$(gang_phase root/train)" = running
'
test_expect_success 'they end, each ran once' '
	let_end train ${left[@]} &&
	ran_once train 3 &&
	scancel $rest
'
test_expect_success '0.8 held for longer than the time limit: it still holds' '
	wait_for 80 "test \$EPOCHSECONDS -gt $((slow_since + 62))" &&
	test "$(held_in ${slow[@]})" = 1 &&
	test "$(starts_of slow)" = 0
'
test_expect_success '0.8 the time limit runs from the release' '
	before=$EPOCHSECONDS &&
	scancel ${block[3]} &&
	start_together 20 ${slow[@]} &&
	for id in ${slow[@]}; do
		test $(started_at $id) -ge $before &&
		test $(ends_at $id) = $(($(started_at $id) + 60)) || return 1
	done &&
	let_end slow ${slow[@]} &&
	ran_once slow 2
'

last_case
