#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0391-replace.t - the lost member alone is requeued, at once, with its rank

test_description='--gang-on-failure=replace, and how soon restarts begin'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cred_expire=120
slurm_setup -n 4 -c 2 --gang --conf 'SlurmdTimeout=30
KillWait=5'
users_setup
slurm_start
in_proj="--account=proj --gang=proj/joint"

# Tells GANG.log when it starts and with which rank; ID.fail makes it fail,
# GANG.go end.
cat >member.sh <<-'END'
	#!/bin/bash
	cd "$SLURM_SUBMIT_DIR"
	tell() { echo "$SLURM_JOB_ID $1 $SLURM_GANG_MEMBER_RANK" >>"$SLURM_GANG_NAME.log"; }
	echo "$SLURM_GANG_STATE" >state.$SLURM_JOB_ID
	tell start
	until test -e "$SLURM_GANG_NAME.go"; do
		if rm "$SLURM_JOB_ID.fail" 2>/dev/null; then exit 3; fi
		read -rt 0.1 <> <(:) || :
	done
	tell stop
END

# Nobody is left of a case that failed; then three members, one node each, in the
# array "members"; all run: run GANG [OPTIONS]
run()
{
	local gang=$1

	squeue -h -o %A | xargs -r scancel
	wait_for 15 queue_empty || return 1
	gang_of_nodes $gang 3 --gang-on-failure=replace "${@:2}" member.sh &&
		wait_for 15 all_in RUNNING ${members[@]} &&
		wait_for 10 'test $(starts_of '$gang') = 3'
}

# How often each started with another rank than before: ranks_kept GANG
ranks_kept()
{
	test -z "$(awk '$2 == "start" && $1 in rank && rank[$1] != $3 { print }
		{ rank[$1] = $3 }' $1.log)"
}

epoch_of() { gang_record $1 epoch; }

# The files of the members of three in "members" say this epoch, and all their jobs.
all_know()
{
	local id

	for id in ${members[@]}; do
		grep -qx "SLURM_GANG_EPOCH='$1'" "$(cat state.$id)" &&
			grep -qx "SLURM_GANG_JOB_IDS='${members[0]},${members[1]},${members[2]}'" \
				"$(cat state.$id)" || return 1
	done
}

# The member of rank 1 is lost where late members join those that run, and is back
# as it was, for the others, too: comes_back_to GANG [OPTIONS]
comes_back_to()
{
	local before id

	run $1 --gang-match=waiting-and-running "${@:2}" &&
		members=($(in_rank_order ${members[@]})) &&
		before=$(epoch_of ${members[0]}) &&
		touch ${members[1]}.fail &&
		wait_for 40 runs_again 1 ${members[@]} &&
		test "$(job_field ${members[1]} Restarts)" = 1 &&
		wait_for 10 "test \$(starts_of $1) = 4" && ranks_kept $1 || return 1
	for id in 0 1 2; do
		test "$(gang_record ${members[id]} rank)" = $id/3 || return 1
	done
	wait_for 10 all_know $((before + 2)) && let_end $1 ${members[@]}
}

test_expect_success '6.6 one fails: it alone starts again, soon, with its rank' '
	run ring && before=$(epoch_of ${members[1]}) &&
	touch ${members[0]}.fail &&
	wait_for 40 runs_again 1 ${members[@]} &&
	test "$(job_field ${members[0]} Restarts)" = 1 &&
	wait_for 10 "test \$(starts_of ring) = 4" &&
	test "$(starts_of ring ${members[0]})" = 2 &&
	ranks_kept ring &&
	gang_log root/ring "member ${members[0]} is lost and requeued" &&
	! gang_log root/ring "the gang is"
'
test_expect_success '6.3 6.6 the loss and the return are epochs' '
	wait_for 10 "test \"\$(epoch_of ${members[1]})\" = $((before + 2))"
'
test_expect_success '6.13 the second restart of a job waits, for less than Slurm lets it' '
	touch ${members[0]}.fail &&
	wait_for 20 job_is ${members[0]} PENDING &&
	wait_for 20 "test -z \"\$(gang_record ${members[0]} restart)\"" &&
	begins=$(date -d "$(job_field ${members[0]} StartTime)" +%s) &&
	left=$((begins - $(date +%s))) && echo "$left s" &&
	test $left -gt 0 && test $left -le 16 &&
	wait_for 40 runs_again 2 ${members[@]} && ranks_kept ring
'
test_expect_success '6.2 6.6 two fail at once: both are back with their ranks' '
	touch ${members[1]}.fail ${members[2]}.fail &&
	wait_for 40 runs_again 4 ${members[@]} &&
	wait_for 10 "test \$(starts_of ring) = 7" && ranks_kept ring
'
test_expect_success '3.19 6.6 a node dies: its member runs on another one' '
	node=$(job_field ${members[1]} NodeList) &&
	slurm_kill_node $node &&
	wait_for 100 runs_again 5 ${members[@]} &&
	test "$(job_field ${members[1]} NodeList)" != $node &&
	wait_for 10 "test \$(starts_of ring) = 8" && ranks_kept ring &&
	let_end ring ${members[@]} &&
	slurm_start_node $node &&
	node_returns $node && wait_for 20 nodes_idle
'
test_expect_success '0.47 6.3 6.6 waiting-and-running: the lost one has its rank, and epochs say so' '
	comes_back_to joins
'
test_expect_success '0.47 6.3 6.6 ... also where the three are one communication group' '
	comes_back_to groups --gang-parallel=tp=3 &&
	! gang_log root/groups "but the gang has 1"
'
test_expect_success '6.6 whom somebody cancels is not replaced' '
	run cancelled &&
	scancel ${members[0]} && wait_state ${members[0]} CANCELLED &&
	other=$(submit -n 1 --wrap=true) && wait_state $other COMPLETED &&
	all_in RUNNING ${members[1]} ${members[2]} &&
	let_end cancelled ${members[1]} ${members[2]}
'
test_expect_success '6.6 6.7 all fail at once: they start together again' '
	run all &&
	touch ${members[0]}.fail ${members[1]}.fail ${members[2]}.fail &&
	wait_for 40 runs_again 3 ${members[@]} &&
	started_together ${members[@]} &&
	wait_for 10 "test \$(starts_of all) = 6" && ranks_kept all &&
	gang_log root/all "has lost all members, waits again"
'
test_expect_success '6.6 one after the other: they start together again' '
	scontrol hold ${members[0]} && touch ${members[0]}.fail &&
	wait_for 20 job_is ${members[0]} PENDING &&
	touch ${members[1]}.fail && wait_for 20 job_is ${members[1]} PENDING &&
	scontrol hold ${members[1]} && touch ${members[2]}.fail &&
	wait_for 20 job_is ${members[2]} PENDING &&
	wait_for 20 "test \$(gang_log root/all \"has lost all\" | wc -l) = 2" &&
	scontrol release ${members[0]} ${members[1]} &&
	wait_for 60 runs_again 6 ${members[@]} && started_together ${members[@]} &&
	wait_for 10 "test \$(starts_of all) = 9" && ranks_kept all &&
	let_end all ${members[@]}
'
test_expect_success '6.6 the others have completed: the lost one runs alone' '
	run last &&
	scontrol hold ${members[0]} && touch ${members[0]}.fail &&
	wait_for 20 job_is ${members[0]} PENDING && touch last.go &&
	wait_for 15 all_in COMPLETED ${members[1]} ${members[2]} &&
	scontrol release ${members[0]} &&
	wait_state ${members[0]} COMPLETED 40 &&
	test "$(job_field ${members[0]} Restarts)" = 1
'
test_expect_success '6.13 restarts are used up: all end, and say so' '
	run used --gang-max-restarts=1 &&
	touch ${members[2]}.fail && wait_for 40 runs_again 1 ${members[@]} &&
	wait_for 10 "test \$(starts_of used) = 4" &&
	touch ${members[2]}.fail &&
	wait_for 20 none_in "PENDING|RUNNING|COMPLETING" ${members[@]} &&
	why="Gang root/used ended: job ${members[2]} was lost, restarts 1 of 1" &&
	wait_for 10 "test \"\$(squeue -h -t all -j ${members[0]} -o %r)\" = \"$why\"" &&
	"$top_builddir/src/cmd/sgang" list -h -o %n -t failed | grep -x "used *"
'
test_expect_success '6.6 one that Slurm does not requeue: all end' '
	run never --no-requeue && touch ${members[1]}.fail &&
	wait_for 20 none_in "PENDING|RUNNING|COMPLETING" ${members[@]} &&
	test "$(restarts_of ${members[@]})" = 0
'
test_expect_success '6.6 slurmctld is killed: the lost one comes back all the same' '
	run killed && slurm_saved ${members[2]} &&
	scontrol hold ${members[1]} && touch ${members[1]}.fail &&
	wait_for 20 job_is ${members[1]} PENDING && slurm_kill9_ctld &&
	slurm_start_ctld && scontrol release ${members[1]} &&
	wait_for 60 all_in RUNNING ${members[@]} &&
	wait_for 20 "test \$(starts_of killed) = 4" && ranks_kept killed &&
	let_end killed ${members[@]}
'
test_expect_success '6.6 of several users each has an own word' '
	one=$(submit_as $alice -N 1 $in_proj --gang-min-member=2 \
		--gang-on-failure=replace --wrap="
		test \"\${SLURM_RESTART_COUNT:-0}\" = 0 || exec sleep 300
		until test -e \"$slurm_dir/out/own.fail\"; do sleep 0.1; done
		exit 1") &&
	two=$(submit_as $bob -N 1 $in_proj --wrap="sleep 300") &&
	wait_for 15 all_in RUNNING $one $two && touch "$slurm_dir/out/own.fail" &&
	wait_for 40 runs_again 1 $one && job_is $two RUNNING &&
	scancel $one && wait_state $one CANCELLED &&
	job_is $two RUNNING && scancel $two && wait_for 10 nodes_idle
'
test_expect_success '6.7 requeue: all run again long before the two minutes' '
	run whole --gang-on-failure=requeue &&
	touch ${members[0]}.fail && wait_for 15 "test ! -e ${members[0]}.fail" &&
	from=$(date +%s) &&
	wait_for 60 runs_again 3 ${members[@]} &&
	took=$(($(date +%s) - from)) && echo "$took s" && test $took -lt 60 &&
	started_together ${members[@]} &&
	let_end whole ${members[@]}
'

last_case '
	squeue -h -o %A | xargs -r scancel &&
	nothing_left
'
