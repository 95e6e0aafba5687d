#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0383-cold-spares.t - spares that have nodes and are launched when one is lost

test_description='--gang-spares=N:cold'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"
. "$top_srcdir/tests/kill/kill.sh"

slurm_cluster -n 6 -c 2 --faults --conf \
"KillWait=2
$(partition_prio main=1 high=9)"

tells_script

# gather GANG COUNT [OPTIONS]: so many members, three of which have a rank
gather()
{
	gang_of_nodes $1 $2 -n2 -t 10 --gang-min-member=3 "${@:3}" "$PWD/tells.sh"
}

nodes_of() { job_field $1 NodeList; }

# One more member of a gang that runs, as its cold spare.
add_cold()
{
	spare=$(submit -N1 -n2 --exclusive -t 10 --gang=$1 \
		--gang-min-member=3 --gang-spares=1:cold "$PWD/tells.sh") &&
		wait_for 20 is_cold $spare
}

# The member with rank 1 is lost, and the spare has its place.
replaced()
{
	local id lost=

	for id in ${members[@]}; do
		test "$(rank_of $id)" != 1 || lost=$id
	done
	touch $lost.fail && wait_for 20 takes_over && begun $spare
}

takes_over()
{
	job_is $spare RUNNING && test "$(rank_of $spare)" = 1 &&
		test -s env.$spare.0
}

complete() { touch $1.go && wait_for 20 nodes_idle && rm -f $1.go; }

test_expect_success '6.5 three start, and a cold spare has nodes' '
	gather ring 3 --gang-spares=1:cold && wait_for 20 all_in RUNNING ${members[@]} &&
	add_cold ring && test -n "$(job_field $spare NodeList)" &&
	! grep -x $spare begun &&
	squeue -h -j $spare -o %r | grep "Gang root/ring: cold spare"
'
test_expect_success '6.5 it is shown' '
	node=$(nodes_of $spare) &&
	"$sgang" show ring >shown && cat shown && grep "Spare=cold" shown &&
	grep "Spares=1:cold" shown &&
	"$sgang" explain ring >said && cat said &&
	grep "Spare=cold JobId=$spare NodeList=$node" said &&
	"$sgang" list && "$sgang" epoch ring >said && cat said &&
	grep "SPARE_JOB_IDS=.$spare." said &&
	sinfo -h -N -n $node -o %n\ %T && scontrol show node $node | grep root/ring
'
test_expect_success '6.5 a member that says otherwise is refused' '
	test_must_fail sbatch -N1 --gang=ring --gang-spares=1 tells.sh 2>err &&
	cat err && grep "gang-spares" err
'
test_expect_success '6.5 a member is lost: it starts at once with all of its place' '
	from=$(date +%s%N) && replaced &&
	echo "$((($(date +%s%N) - from) / 1000000)) ms" &&
	test "$(told $spare MEMBER_RANK)" = 1 &&
	test "$(told $spare MEMBERS)" = 3 &&
	test "$(told $spare NODELIST | tr , "\n" | sed -n 2p)" = \
		"$(nodes_of $spare)" &&
	wait_for 15 "test -z \"\$(gang_record $spare cold)\"" &&
	test "$(restarts_of $spare)" = 0
'
test_expect_success '6.5 another is lost without a spare: nobody has its place' '
	lost=$(for id in ${members[@]}; do test "$(rank_of $id)" != 2 || echo $id; done) &&
	touch $lost.fail && wait_state $lost FAILED && complete ring
'
test_expect_success '6.5 it ends with its gang, and says why' '
	gather fine 3 --gang-spares=1:cold && wait_for 20 all_in RUNNING ${members[@]} &&
	add_cold fine && complete fine && ! grep -x $spare begun &&
	wait_for 10 queue_empty &&
	squeue -h -t all -j $spare -o %r |
		grep "Gang root/fine ended: no spare is needed"
'
test_expect_success '6.5 who begins: a drained node is left' '
	gather many 3 --gang-spares=1:cold && wait_for 20 all_in RUNNING ${members[@]} &&
	add_cold many && was=$(nodes_of $spare) &&
	scontrol update NodeName=$was State=DRAIN Reason=test &&
	wait_for 20 "is_cold $spare && test \$(nodes_of $spare) != $was" &&
	scontrol update NodeName=$was State=RESUME && ! grep -x $spare begun
'
test_expect_success '6.5 scontrol hold, release; scancel' '
	scontrol hold $spare && wait_state $spare PENDING &&
	scontrol release $spare && wait_for 20 is_cold $spare &&
	scancel $spare && wait_state $spare CANCELLED && add_cold many
'
test_expect_success '6.5 salloc is told when it starts' '
	scancel $spare && wait_state $spare CANCELLED &&
	salloc -N1 -n2 --exclusive -t 10 --gang=many --gang-min-member=3 \
		--gang-spares=1:cold -J inter ./tells.sh >inter.out 2>&1 &
	wait_for 20 "test -n \"\$(squeue -h -n inter -o %A)\"" &&
	spare=$(squeue -h -n inter -o %A) && wait_for 20 is_cold $spare &&
	! grep Granted inter.out && replaced && complete many &&
	wait_for 20 queue_empty
'
# salloc waits as the cold spare of a gang that runs: asks GANG
asks()
{
	gather $1 3 --gang-spares=1:cold && wait_for 20 all_in RUNNING ${members[@]} ||
		return 1
	salloc -N1 -n2 --exclusive -t 10 --gang=$1 --gang-min-member=3 \
		--gang-spares=1:cold -J inter true >inter.out 2>&1 &
	asker=$!
	wait_for 20 "test -n \"\$(squeue -h -n inter -o %A)\"" &&
		spare=$(squeue -h -n inter -o %A) && wait_for 20 is_cold $spare
}

test_expect_success '6.16 salloc as a cold spare returns when it is cancelled' '
	asks told && scancel $spare &&
	wait_for 15 "! kill -0 $asker 2>/dev/null" && ! wait $asker &&
	cat inter.out && complete told && wait_for 20 queue_empty
'
test_expect_success '6.16 and when its gang ends' '
	asks over && touch over.go &&
	wait_for 25 "! kill -0 $asker 2>/dev/null" && ! wait $asker &&
	cat inter.out && wait_for 20 queue_empty
'
test_expect_success '6.5 6.8 it yields to a job that preempts, at once' '
	gather low 3 --gang-spares=1:cold && wait_for 20 all_in RUNNING ${members[@]} &&
	add_cold low && rest=$(sbatch --parsable -p high -N3 --exclusive \
		-t 5 --wrap="sleep 300") && wait_state $rest RUNNING &&
	wait_state $spare PENDING && all_in RUNNING ${members[@]} &&
	test "$(restarts_of ${members[@]} $spare)" = 0 &&
	scancel $rest && wait_for 20 is_cold $spare
'
test_expect_success '6.5 slurmctld restarts and reconfigures: it holds on' '
	scontrol reconfigure && slurm_stop_ctld && slurm_start_ctld &&
	wait_for 20 "gang_log root/low \"found cold spare $spare again\"" &&
	is_cold $spare && ! grep -x $spare begun && replaced && complete low
'
# The member ends, and that is on the disk before a pass has seen it: Slurm asks a
# node late, or never, for a job that was about to end when slurmctld died.
ends_saved()
{
	slurm_fault delay 1 && touch $1.fail && wait_state $1 FAILED &&
		slurm_saved $spare
}

cold_up()
{
	test_when_finished clear_cluster
	rm -f begun && gather die-$point 3 --gang-spares=1:cold &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	wait_for 20 "test \$(wc -l <begun) = 3" && slurm_saved $members &&
	if test $point = reserved; then
		spare=$(submit -N1 -n2 --exclusive -t 10 --gang=die-$point \
			--gang-min-member=3 -H --gang-spares=1:cold \
			"$PWD/tells.sh") && slurm_saved $spare
	else
		add_cold die-$point && slurm_saved $spare &&
		ends_saved $(for id in ${members[@]}; do
			test "$(rank_of $id)" != 1 || echo $id; done)
	fi
}
cold_step() { test $point != reserved || scontrol release $spare; }
cold_judged()
{
	if test $point = reserved; then
		wait_for 20 scontrol release $spare &&
		wait_for 40 is_cold $spare && replaced
	else
		wait_for 60 takes_over && begun $spare
	fi && complete die-$point && begun $spare &&
	test "$(sort begun | uniq -d)" = ""
}
kill_cases
# slurmd reads the launch message when slurmctld is dead, and gives up the launch.
test_cleared '6.5 the launch of a spare is lost with slurmctld: it has its node again' '
	rm -f begun && gather gone 3 --gang-spares=1:cold &&
	wait_for 20 all_in RUNNING ${members[@]} && slurm_saved $members &&
	with_long_env add_cold gone && node=$(nodes_of $spare) && slurm_saved $spare &&
	lost=$(for id in ${members[@]}; do
		test "$(rank_of $id)" != 1 || echo $id; done) &&
	slurmd_signal STOP $node && touch $lost.fail &&
	wait_state $spare RUNNING && slurm_saved $spare &&
	wait_for 8 slurmd_has_launch $node &&
	slurm_kill9_ctld && slurmd_signal CONT $node && slurm_start_ctld &&
	wait_for 60 "gang_log root/gone \"the launch of member $spare was lost\"" &&
	wait_for 60 takes_over && begun $spare &&
	test "$(nodes_of $spare)" = $node && complete gone
'
last_case 'clear_cluster; nothing_left'
