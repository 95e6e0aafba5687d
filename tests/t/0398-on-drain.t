#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0398-on-drain.t - members leave nodes that drain, one after the other

test_description='--gang-on-drain=replace'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"
. "$top_srcdir/tests/kill/kill.sh"

slurm_setup -n 6 -c 2 --faults --conf 'SlurmdTimeout=30
KillWait=5'
users_setup
sgang=$slurm_dir/lib/sgang
slurm_start

# Tells GANG.log when it starts, on which node and with which rank; GANG.go ends it.
cat >member.sh <<-'END'
	#!/bin/bash
	cd "$SLURM_SUBMIT_DIR"
	env | grep ^SLURM_GANG_ >env.$SLURM_JOB_ID
	echo "$SLURM_JOB_ID start $SLURM_GANG_MEMBER_RANK $SLURMD_NODENAME" >>"$SLURM_GANG_NAME.log"
	until test -e "$SLURM_GANG_NAME.go"; do read -rt 0.1 <> <(:) || :; done
END

# A gang of COUNT members, one node each, in the array "members"; all run, with
# nobody left of a case before: run COUNT GANG [OPTIONS]
run()
{
	local count=$1 gang=$2

	squeue -h -o %A | xargs -r scancel
	wait_for 15 queue_empty && undrain_all &&
		wait_for 15 nodes_idle || return 1
	gang_of_nodes $gang $count --gang-on-drain=replace \
		--gang-on-failure=kill "${@:3}" member.sh &&
		wait_for 15 all_in RUNNING ${members[@]} &&
		wait_for 10 "test \$(starts_of $gang) = $count"
}

undrain_all()
{
	local node

	for node in n1 n2 n3 n4 n5 n6; do
		case $(node_field $node State) in
		*DRAIN* | *FAIL* | *DOWN*)
			scontrol update NodeName=$node State=RESUME ;;
		esac
	done
	:
}

drain() { scontrol update NodeName=$1 State=${2:-DRAIN} Reason=test; }

node_of() { job_field $1 NodeList; }
rank_of() { gang_record $1 rank; }

# It has left the node that it had, and no other member started anew:
# moved ID NODE
moved() { job_is $1 RUNNING && test "$(node_of $1)" != $2; }

# The jobs take all nodes that are idle, in the array "others".
take_all()
{
	local i

	others=()
	for ((i = $(sinfo -h -t idle -o %D); i > 0; i--)); do
		others+=($(submit -N 1 --exclusive --wrap "sleep 1000"))
	done
	wait_for 15 all_in RUNNING ${others[@]}
}

stays() { test "$(gang_record $1 stays)" = "$2"; }

test_expect_success '6.3 without the option members stay where they are' '
	run 3 ignore --gang-on-drain=ignore && drain $(node_of ${members[0]}) &&
	wait_for 15 "test \"\$(gang_record ${members[1]} epoch)\" = 2" &&
	other=$(submit -n 1 --wrap=true) && wait_state $other COMPLETED &&
	all_in RUNNING ${members[@]} && test "$(restarts_of ${members[@]})" = 0
'
test_expect_success '6.6 a node drains: its member alone starts on another, with its rank' '
	run 3 one && node=$(node_of ${members[1]}) &&
	rank=$(rank_of ${members[1]}) && drain $node &&
	wait_for 40 runs_again 1 ${members[@]} && moved ${members[1]} $node &&
	test "$(job_field ${members[1]} Restarts)" = 1 &&
	wait_for 10 "test \$(starts_of one) = 4" &&
	test "$(rank_of ${members[1]})" = $rank &&
	wait_for 15 "test \"\$(sinfo -h -n $node -o %t)\" = drain" &&
	gang_log root/one "a node of member ${members[1]} drains: it is requeued" &&
	! gang_log root/one "is lost" &&
	"$sgang" show one | grep "OnDrain=replace"
'
test_expect_success '6.6 one that fails, too' '
	node=$(node_of ${members[0]}) && drain $node FAIL &&
	wait_for 40 runs_again 2 ${members[@]} && moved ${members[0]} $node &&
	wait_for 10 "test \$(starts_of one) = 5"
'
test_expect_success '6.6 all nodes drain: one after the other leaves' '
	run 3 all && nodes=$(for id in ${members[@]}; do node_of $id; done) &&
	for node in $nodes; do drain $node || return 1; done &&
	wait_for 90 runs_again 3 ${members[@]} &&
	for id in ${members[@]}; do
		grep -w "$(node_of $id)" <<<"$nodes" && return 1
	done
	wait_for 10 "test \$(starts_of all) = 6"
'
test_expect_success '6.6 no node can take it: it stays, says so, and goes when one can' '
	run 3 full && take_all && node=$(node_of ${members[2]}) && drain $node &&
	wait_for 15 stays ${members[2]} nodes && all_in RUNNING ${members[@]} &&
	"$sgang" explain full >why && grep "Stays=${members[2]} MemberRank=[0-2] NodeList=$node Why=no.other.node.can.take.it.now" why &&
	scancel ${others[0]} && wait_for 40 runs_again 1 ${members[@]} &&
	moved ${members[2]} $node && stays ${members[2]} ""
'
test_expect_success '6.6 the node is used again meanwhile: it stays for good' '
	run 3 back && take_all && node=$(node_of ${members[0]}) && drain $node &&
	wait_for 15 stays ${members[0]} nodes &&
	scontrol update NodeName=$node State=RESUME &&
	wait_for 15 stays ${members[0]} "" && scancel ${others[@]} &&
	wait_for 15 "test \$(sinfo -h -t idle -o %D) = 3" &&
	all_in RUNNING ${members[@]} && test "$(restarts_of ${members[@]})" = 0
'
test_expect_success '6.6 one that Slurm does not requeue stays' '
	run 3 never --no-requeue && drain $(node_of ${members[0]}) &&
	wait_for 15 stays ${members[0]} requeue && all_in RUNNING ${members[@]} &&
	"$sgang" explain never | grep "Stays=${members[0]} .*Slurm.does.not.requeue.it"
'
test_expect_success '6.13 so does one that was restarted as often as it may be' '
	run 3 most --gang-max-restarts=1 && drain $(node_of ${members[0]}) &&
	wait_for 40 runs_again 1 ${members[@]} &&
	wait_for 10 "test \$(starts_of most) = 4" &&
	drain $(node_of ${members[0]}) &&
	wait_for 15 stays ${members[0]} restarts && all_in RUNNING ${members[@]}
'
test_expect_success '6.5 a spare has the seat at once, though no node is free' '
	run 3 spare --gang-spares=1 &&
	spare=$(submit -N 1 --exclusive --gang=spare --gang-on-drain=replace \
		--gang-spares=1 member.sh) && wait_state $spare RUNNING &&
	wait_for 15 "test \"\$(gang_record $spare spare)\" = 1" && take_all &&
	node=$(node_of ${members[1]}) && rank=$(rank_of ${members[1]}) &&
	drain $node && wait_for 15 "test \"\$(rank_of $spare)\" = $rank" &&
	wait_for 20 job_is ${members[1]} PENDING &&
	all_in RUNNING ${members[0]} ${members[2]} $spare &&
	scancel ${others[0]} && wait_for 60 runs_again 1 ${members[@]} &&
	wait_for 15 "test \"\$(gang_record ${members[1]} spare)\" = 1"
'
test_expect_success '6.6 of several users each has an own word' '
	run 1 none && squeue -h -o %A | xargs -r scancel &&
	in_proj="--account=proj --gang=proj/joint" &&
	one=$(submit_as $alice -N 1 --exclusive $in_proj --gang-min-member=2 \
		--gang-on-drain=replace --wrap="sleep 300") &&
	two=$(submit_as $bob -N 1 --exclusive $in_proj --wrap="sleep 300") &&
	wait_for 15 all_in RUNNING $one $two &&
	drain $(node_of $two) && drain $(node_of $one) &&
	wait_for 40 runs_again 1 $one && job_is $two RUNNING &&
	test "$(job_field $two Restarts)" = 0
'

# Who leaves does so once, and no other member starts anew.
drain_up()
{
	run 3 $point && slurm_saved ${members[1]} &&
		wait_for 20 "test -z \"\$(gang_record ${members[1]} since)\"" &&
		slurm_saved ${members[1]} && node=$(node_of ${members[1]})
}
drain_step() { drain $node; }
drain_on() { drain $node; }	# slurmctld had no time to save it
drain_judged()
{
	wait_for 90 runs_again 1 ${members[@]} && moved ${members[1]} $node &&
		wait_for 10 "test \$(starts_of $point) = 4" &&
		! gang_log root/$point "is lost"
}
kill_cases

last_case '
	squeue -h -o %A | xargs -r scancel &&
	wait_for 15 queue_empty && undrain_all &&
	nothing_left
'
