#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0395-kept-nodes.t - who begins again has its nodes back, and no other ones

test_description='nodes of members that were requeued'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 6 -c 2 --faults --conf 'SlurmdTimeout=30
KillWait=5'
users_setup
sgang=$slurm_dir/lib/sgang
slurm_start

# Tells GANG.log when it starts and fails, ID.pid its process; ID.fail makes it fail,
# GANG.go end.
cat >member.sh <<-'END'
	#!/bin/bash
	cd "$SLURM_SUBMIT_DIR"
	echo $$ >$SLURM_JOB_ID.pid
	tell() { echo "$SLURM_JOB_ID $1 $EPOCHREALTIME $SLURMD_NODENAME" >>"$SLURM_GANG_NAME.log"; }
	# it may have been ended for another one before it saw that
	test -z "$SLURM_RESTART_COUNT" || rm -f "$SLURM_JOB_ID.fail"
	tell start
	until test -e "$SLURM_GANG_NAME.go"; do
		if rm "$SLURM_JOB_ID.fail" 2>/dev/null; then
			tell fails
			exit 3
		fi
		read -rt 0.1 <> <(:) || :
	done
END

# COUNT members, one node each, in the array "members"; all run:
# start COUNT GANG POLICY [OPTIONS]
start()
{
	local count=$1 gang=$2

	gang_of_nodes $gang $count --gang-on-failure=$3 "${@:4}" member.sh &&
		wait_for 15 all_in RUNNING ${members[@]} &&
		wait_for 10 "test \$(starts_of $gang) = $count"
}

# The same, with nobody left of a case before.
run() { clear_all && start "$@"; }

# A job of one node that waits, and would end soon. It is behind the gang, which was
# submitted before, in all releases: since 24.11 Slurm gives whom it requeues a new
# priority. waits [OPTIONS]
waits() { submit -N 1 --exclusive -t 1 "$@" --wrap 'sleep 1000'; }

nodes_of()
{
	squeue -h -o %N -j "$(IFS=,; echo "$*")" | xargs -n1 scontrol show hostnames |
		sort | xargs
}

# Never ran, as Slurm tells: untouched ID
untouched() { test "$(squeue -h -j $1 -o '%T %M')" = 'PENDING 0:00'; }

# The scheduler had a look at it since then: tried_since SECONDS ID
tried_since() { test $(date -d "$(job_field $2 LastSchedEval)" +%s) -gt $1; }

test_expect_success '6.7 a job behind the gang gets none of its nodes' '
	run 6 whole requeue && low=$(waits) &&
	touch ${members[2]}.fail &&
	wait_for 40 runs_again 6 ${members[@]} && started_together ${members[@]} &&
	untouched $low
'
test_expect_success '6.7 nor when it is requeued by its user' '
	"$sgang" requeue whole && wait_for 40 runs_again 12 ${members[@]} &&
	untouched $low
'
test_expect_success '6.7 a job before it does; then the gang waits for that' '
	high=$(waits -t 10) && scontrol update JobId=$high Priority=4294950000 &&
	touch ${members[0]}.fail && wait_state $high RUNNING &&
	wait_for 20 all_in PENDING ${members[@]} && untouched $low
'
test_expect_success '6.7 ... for so long only: then others have the nodes' '
	wait_for 60 job_is $low RUNNING && all_in PENDING ${members[@]}
'
test_expect_success '6.7 nor before a pass has seen the loss' '
	run 6 unseen requeue && low=$(waits) && slurm_fault delay 1 &&
	touch ${members[3]}.fail && wait_state ${members[3]} FAILED &&
	from=$(date +%s) && wait_for 20 tried_since $from $low &&
	wait_for 20 tried_since $((from + 3)) $low && untouched $low &&
	slurm_fault && wait_for 40 runs_again 6 ${members[@]} && untouched $low
'
test_expect_success '6.7 a replaced member has its node back' '
	run 6 one replace && low=$(waits --nice=5000) && nodes=$(nodes_of ${members[1]}) &&
	touch ${members[1]}.fail &&
	wait_for 40 runs_again 1 ${members[@]} && untouched $low &&
	test "$(nodes_of ${members[1]})" = "$nodes"
'
test_expect_success '6.7 nor one that is lost with its node, which is back at once' '
	node=$(nodes_of ${members[2]}) &&
	scontrol update NodeName=$node State=DOWN Reason=lost &&
	wait_for 20 job_is ${members[2]} PENDING && node_returns $node &&
	wait_for 60 runs_again 2 ${members[@]} && untouched $low &&
	test "$(nodes_of ${members[2]})" = "$node"
'
test_expect_success '6.7 nor one that is killed' '
	kill -9 $(cat ${members[3]}.pid) &&
	wait_for 60 runs_again 3 ${members[@]} && untouched $low
'
test_expect_success '6.7 slurmctld dies in between' '
	touch ${members[4]}.fail && wait_for 20 job_is ${members[4]} PENDING &&
	wait_for 20 "test -n \"\$(gang_record ${members[4]} kept)\"" &&
	"$sgang" show one | grep " KeptNodes=n[1-6] KeptUntil=2" &&
	ctld_dies &&
	wait_for 60 runs_again 4 ${members[@]} && untouched $low
'
test_expect_success '6.7 nothing is kept for a gang that cannot begin any more' '
	run 6 cut requeue && low=$(waits) && touch ${members[0]}.fail &&
	wait_for 20 all_in PENDING ${members[@]} && scancel ${members[5]} &&
	wait_for 20 job_is $low RUNNING && all_in PENDING ${members[@]::5}
'
test_expect_success '6.7 nor for one that is held' '
	run 6 held requeue && low=$(waits) && touch ${members[0]}.fail &&
	wait_for 20 all_in PENDING ${members[@]} && "$sgang" hold held &&
	wait_for 20 job_is $low RUNNING
'
test_expect_success '6.7 it begins again where it was' '
	clear_all && first=$(submit -N 3 --exclusive -w n[1-3] --wrap "sleep 1000") &&
	wait_state $first RUNNING && start 2 same requeue &&
	nodes=$(nodes_of ${members[@]}) && scancel $first &&
	wait_for 15 "test \$(sinfo -h -t idle -o %D) = 4" &&
	touch ${members[0]}.fail && wait_for 40 runs_again 2 ${members[@]} &&
	test "$(nodes_of ${members[@]})" = "$nodes"
'
test_expect_success '6.4 but not on a node that it was lost on' '
	run 2 away requeue && node=$(nodes_of ${members[0]}) &&
	scontrol update NodeName=$node State=DOWN Reason=test &&
	wait_for 20 all_in PENDING ${members[@]} &&
	node_returns $node &&
	wait_for 60 runs_again 2 ${members[@]} &&
	case " $(nodes_of ${members[@]}) " in *" $node "*) false ;; esac
'
test_expect_success '6.4 nor a replaced member' '
	run 3 heir replace && node=$(nodes_of ${members[0]}) &&
	scontrol update NodeName=$node State=DOWN Reason=test &&
	wait_for 20 job_is ${members[0]} PENDING &&
	node_returns $node &&
	wait_for 60 runs_again 1 ${members[@]} &&
	test "$(nodes_of ${members[0]})" != $node
'

# A new member of a gang of 3 that loses nobody else: joins GANG
joins()
{
	came=$(submit -N 1 --exclusive --no-requeue --gang=$1 --gang-min-member=3 \
		--gang-on-failure=ignore member.sh) && wait_state $came RUNNING 20
}

test_expect_success '6.4 nor a new member' '
	run 3 new ignore --no-requeue && node=$(nodes_of ${members[1]}) &&
	scontrol update NodeName=$node State=DOWN Reason=test &&
	wait_state ${members[1]} NODE_FAIL && node_returns $node &&
	joins new && test "$(nodes_of $came)" != $node
'
test_expect_success '6.4 nor one that comes when slurmctld has died' '
	test "$(gang_record ${members[0]} lost)" = $node &&
	slurm_saved ${members[0]} && slurm_kill9_ctld && slurm_start_ctld &&
	wait_for 30 "sinfo -h -n $node -t idle -o x | grep x" &&
	drop $came && wait_for 20 "test \$(nodes_in idle) = 4" &&
	joins new && test "$(nodes_of $came)" != $node
'
test_expect_success '6.4 unless there is no other' '
	run 6 all requeue && node=$(nodes_of ${members[0]}) &&
	scontrol update NodeName=$node State=DOWN Reason=test &&
	wait_for 20 all_in PENDING ${members[@]} &&
	node_returns $node &&
	wait_for 60 runs_again 6 ${members[@]}
'

# What the jobs tell is all that is looked at: between a loss and the last start
# after it no short job began on a node that the gang had.
intruders()
{
	awk -v gang=$1.log -v low=$1.low '
		FILENAME == gang && $2 == "fails" && !lost { lost = $3 }
		FILENAME == gang && $2 == "start" {
			if (!lost) had[$4] = 1
			last = $3
		}
		FILENAME == low && $2 in had && $1 > lost && $1 < last {
			print "on", $2, $1 - lost, "s after the loss"
		}' $1.log $1.low
}

# A gang of 2 to 5 loses some of its members, while the other nodes are taken and
# four short jobs wait for any: loses SEED
loses()
{
	local gang=random-$1 count lost i policy=requeue again

	RANDOM=$1
	count=$((2 + RANDOM % 4)) lost=$((1 + RANDOM % 2))
	test $((RANDOM % 2)) = 0 || policy=replace
	run $count $gang $policy || return 1
	for ((i = count; i < 6; i++)); do
		wait_state $(submit -N 1 --exclusive) RUNNING || return 1
	done
	for i in 1 2 3 4; do
		submit -N 1 --exclusive -t 1 --wrap \
			"echo \$(date +%s.%N) \$SLURMD_NODENAME >>'$PWD/$gang.low'; sleep 1"
	done
	touch $gang.low
	again=$lost
	test $policy = replace && test $lost -lt $count || again=$count
	for ((i = 0; i < lost; i++)); do
		touch ${members[i]}.fail
	done
	echo "$gang: $lost of $count lost, $policy"
	wait_for 60 "test \$(starts_of $gang) = $((count + again))" &&
		wait_for 20 all_in RUNNING ${members[@]} &&
		! intruders $gang | grep . && touch $gang.go &&
		wait_for 30 "test \$(cat $gang.low | wc -l) = 4"
}

for seed in ${KEPT_SEEDS:-1 2 3 4}; do
	test_expect_success "6.7 short jobs all the time: seed $seed" 'loses '$seed
done

last_case '
	squeue -h -o %A | xargs -r scancel && nothing_left
'
