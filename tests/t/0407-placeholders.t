#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0407-placeholders.t - placeholders keep nodes for members to come
#
# The observer trusts Slurm's commands alone. Jobs of a higher priority wait for
# the same nodes all the time, and must get none of them.

test_description='Placeholders: nodes for members to come'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"
. "$top_srcdir/tests/kill/kill.sh"

slurm_cluster -n 4 -c 2 --faults --conf \
"KillWait=2
PriorityType=priority/multifactor
PriorityWeightPartition=1000
$(partition_prio main=1 high=9)"

gang_script driver
gang_script executor
gang_script rival
sed -i "2i env | grep ^SLURM_GANG_ >'$PWD'/env.\$SLURM_JOB_ID" executor.sh

# A gang that has a driver and wants so many executors: file GANG N [LINE...]
file()
{
	local line

	cat >$1.yaml <<-END
		gang: $1
		placeholders: ${style:-soft}
		options: [--exclusive, -N1, -t10]
	END
	for line in "${@:3}"; do
		echo "$line" >>$1.yaml
	done
	cat >>$1.yaml <<-END
		roles:
		  - {name: driver, min: 1, script: driver.sh}
		  - {name: executor, min: $2}
	END
}

# The placeholders and the driver of a gang: begin FILE
begin()
{
	"$sgang" submit $1.yaml >submitted && cat submitted &&
		places=($(sed -n 's/^JobId=\([0-9]*\) .*Placeholders=yes/\1/p' \
			submitted)) &&
		driver=$(sed -n '/Placeholders/d; s/^JobId=\([0-9]*\) .*/\1/p' \
			submitted)
}

# A member that comes: executor GANG [OPTIONS]
executor()
{
	submit -N1 --exclusive -t10 --gang=$1 --gang-role=executor "${@:2}" \
		executor.sh
}

# Jobs that want every node, before all others.
rivals()
{
	local i

	rivals=()
	for i in 1 2 3 4; do
		rivals+=($(submit -N1 --exclusive -t5 --nice=-100 "$@" \
			rival.sh)) || return 1
	done
}

# Placeholders with nodes, "NODE" each.
kept() { squeue -h -r -t CF -o '%N %j' | sed -n 's/ .*placeholder$//p' | sort; }
n_kept() { test $(kept | wc -l) = $1; }
waits() { all_in PENDING ${rivals[@]} && test ! -e rival.log; }
node_of() { job_field $1 NodeList; }

test_expect_success '1.1 1.2 1.5 1.19 1.23 1.24 all placeholders have nodes before the driver runs' '
	file etl 3 && begin etl && wait_state $driver RUNNING &&
	wait_for 20 n_kept 3 && wait_for 10 ran_once driver 1
'
test_expect_success '1.4 1.64 1.66 they are shown, and the nodes are in use' '
	squeue -h -r && test $(squeue -h -r -n executor.placeholder -t CF | wc -l) = 3 &&
	test "$(sinfo -h -t alloc -o %D)" = 4 &&
	"$sgang" show etl >shown && cat shown && grep "Placeholders=3" shown &&
	test $(grep -c "Role=executor.* Placeholder=yes" shown) = 3 &&
	squeue -h -r -n executor.placeholder -o %r |
		grep "Gang root/etl: placeholder of role executor"
'
test_expect_success '1.13 1.30 rivals of a higher priority wait' '
	rivals && wait_cycles && waits
'
test_expect_success '1.6 1.26 1.27 1.28 1.29 1.30 each member takes the node of a placeholder' '
	before=$(kept) && first=$(executor etl) && wait_state $first RUNNING &&
	n_kept 2 && echo "$before" | grep -x $(node_of $first) &&
	waits &&
	others=($(executor etl) $(executor etl)) &&
	wait_for 20 all_in RUNNING ${others[@]} && n_kept 0 && waits &&
	test "$(for id in $first ${others[@]}; do node_of $id; done | sort)" = "$before"
'
test_expect_success '1.33 1.34 one for one, and the ring is that of the placeholders' '
	wait_for 10 test -s env.$first && test "$(cat env.$first | sed -n "s/^SLURM_GANG_NODELIST=//p" | tr , "\n" | sort | xargs)" = "n1 n2 n3 n4" &&
	test "$(sed -n "s/^SLURM_GANG_MEMBERS=//p" env.$first)" = 4 &&
	test "$(for id in $driver $first ${others[@]}; do gang_record $id rank; done | sort | xargs)" = "0/4 1/4 2/4 3/4" &&
	test $(gang_log root/etl "replaces placeholder" | wc -l) = 4
'
test_expect_success '1.59 1.61 1.62 replaced: record and log say so' '
	test $(gang_log root/etl "ends, replaced" | wc -l) = 4 &&
	test $(scontrol -o show job | grep -c "placeholder=1.*ended=replaced") = 4
'
test_expect_success '1.15 1.25 one more is an ordinary member' '
	more=$(executor etl) && wait_cycles && job_is $more PENDING &&
	scancel ${rivals[@]} && touch rival.go &&
	touch driver.go && wait_state $more RUNNING &&
	touch executor.go && wait_for 20 queue_empty &&
	rm -f driver.go executor.go rival.go
'

# One gang after the other, with a driver and two executors of two nodes.
fresh()
{
	finish $1 && rm -f *.go *.log env.* && file $1 ${n:-2} "${@:2}" && begin $1 &&
		wait_state $driver RUNNING && wait_for 20 n_kept ${n:-2}
}
finish()
{
	scontrol update NodeName=ALL State=RESUME 2>/dev/null
	scancel -u root && wait_for 20 queue_empty &&
		wait_for 20 nodes_idle
}

test_expect_success '1.26 a larger member is refused with both sizes; the placeholder stays' '
	style=hard fresh large && large=$(submit -N2 --exclusive -t10 --gang=large \
		--gang-role=executor executor.sh) &&
	wait_for 10 squeue_says $large \
		"Gang root/large: larger than the placeholders of role executor (nodes:2 > nodes:1)" &&
	wait_cycles && n_kept 2 && job_is $large PENDING &&
	wait_for 5 squeue_says $large "larger than the placeholders of role executor" &&
	equal=$(executor large) && wait_state $equal RUNNING && n_kept 1
'
test_expect_success '1.31 Slurm refuses a member there: the placeholder has its node again' '
	finish refused && n=3 style=hard fresh refused && rivals && before=$(kept) &&
	odd=$(executor refused -w $(node_of $driver)) &&
	wait_for 10 "gang_log root/refused \"job $odd cannot replace placeholder\"" &&
	wait_for 20 "test \$(gang_log root/refused \"job $odd cannot replace\" | wc -l) -ge 2" &&
	test "$(kept)" = "$before" && job_is $odd PENDING && waits &&
	one=$(executor refused) && wait_state $one RUNNING && n_kept 2 && waits
'
test_expect_success '1.15 soft: it may start elsewhere, as an ordinary member' '
	finish large && fresh loose && scancel $driver && wait_state $driver CANCELLED &&
	large=$(submit -N2 --exclusive -t10 --gang=loose --gang-role=executor \
		executor.sh) && wait_state $large RUNNING && n_kept 2 && finish loose
'
test_expect_success '1.61 stopped: a cancelled one' '
	fresh stop && one=$(squeue -h -r -t CF -n executor.placeholder -o %i | head -n 1) &&
	scancel $one && wait_for 10 n_kept 1 &&
	scontrol -o show job $one | grep "ended=stopped" && job_is $driver RUNNING
'
test_expect_success '1.31 a node drains: its placeholder ends, a member goes elsewhere' '
	node=$(kept) && scontrol update NodeName=$node State=DRAIN Reason=test &&
	wait_for 10 n_kept 0 && last=$(executor stop) && wait_state $last RUNNING &&
	test $(node_of $last) != $node &&
	scontrol update NodeName=$node State=RESUME && finish stop
'
test_expect_success '1.61 preempted: a job that preempts has its nodes, the driver runs on' '
	fresh low && boss=$(submit -p high -N3 --exclusive -t5 rival.sh) &&
	wait_state $boss RUNNING && n_kept 0 && job_is $driver RUNNING &&
	test $(scontrol -o show job | grep -c "gang=root/low.*ended=preempted") = 2 &&
	scancel $boss && finish low
'
test_expect_success '1.38 1.44 unused ones are given back in time' '
	fresh few "placeholder-unused: 0:08" && one=$(executor few) &&
	wait_state $one RUNNING && n_kept 1 && wait_for 20 n_kept 0 &&
	test $(scontrol -o show job | grep -c "gang=root/few.*ended=timeout") = 1 &&
	all_in RUNNING $driver $one && more=$(executor few) &&
	wait_state $more RUNNING && finish few
'
test_expect_success '1.35 1.40 1.42 1.50 1.51 1.52 after the last member the gang is closed, its name is free' '
	fresh cron && touch driver.go && wait_state $driver COMPLETED && n_kept 2 &&
	test_must_fail "$sgang" submit cron.yaml 2>err && cat err &&
	grep "the gang has started: its name is free" err &&
	wait_for 60 n_kept 0 &&
	test $(scontrol -o show job | grep -c "gang=root/cron.*ended=timeout") = 2 &&
	wait_for 10 queue_empty &&
	fresh cron && one=$(executor cron) && wait_state $one RUNNING && n_kept 1 &&
	finish cron
'
test_expect_success '1.6 1.32 srun, salloc and array members' '
	fresh kinds && srun -N1 --exclusive -t5 --gang=kinds --gang-role=executor \
		hostname >out && cat out && n_kept 1 &&
	salloc -N1 --exclusive -t5 --gang=kinds --gang-role=executor hostname &&
	n_kept 0 && finish kinds &&
	fresh kinds && array=$(executor kinds -a 1-3) &&
	wait_for 20 all_in RUNNING ${array}_1 ${array}_2 && n_kept 0 &&
	wait_for 20 all_in RUNNING ${array}_3 && finish kinds
'
test_expect_success '1.5 the example runs: a driver submits executors' '
	finish && cp "$top_srcdir"/contrib/examples/etl* . && "$sgang" submit etl.yaml >out &&
	cat out && ids=$(sed -n "s/^JobId=\([0-9]*\) .*/\1/p" out) &&
	driver=$(echo $ids | cut -d" " -f3) && wait_state $driver COMPLETED &&
	test $(scontrol -o show job |
		grep -c "JobName=executor-[12] .*JobState=COMPLETED") = 2 &&
	test $(gang_log root/etl "replaces placeholder" | wc -l) = 7 && finish
'
# A driver as that of Spark or Ray: it submits its executors when it knows of work,
# and others when that is done.
cat >spark.sh <<END
#!/bin/bash
cd "$PWD"
for part in 1 2; do
	until test -e work.\$part; do read -rt 0.1 <> <(:) || :; done
	for i in 1 2 3; do
		sbatch --wait -N1 --exclusive -t10 --gang=spark \\
			--gang-role=executor -J part\$part -o /dev/null work.sh &
	done
	wait
done
END
cat >work.sh <<END
#!/bin/bash
echo \$SLURMD_NODENAME >>"$PWD/worked.\$SLURM_JOB_NAME"
until test -e "$PWD/\$SLURM_JOB_NAME.go"; do read -rt 0.1 <> <(:) || :; done
END
cat >short.sh <<END
#!/bin/bash
echo \$SLURMD_NODENAME >>"$PWD/shorts"
END
# Short jobs of a higher priority, as long as there is the file "stream".
stream()
{
	while test -e stream; do
		submit -N1 --exclusive -t5 --nice=-100 -J short short.sh
		read -rt 0.2 <> <(:) || :
	done >/dev/null
}
test_expect_success '1.5 1.6 1.30 competitors get no node of a driver that submits executors later' '
	finish && rm -f *.go shorts worked.* work.[12] && touch shorts stream &&
	file spark 3 && sed -i "s/driver.sh/spark.sh/; s/min: 3/min: 2/" spark.yaml &&
	begin spark && wait_state $driver RUNNING && wait_for 20 n_kept 2 &&
	keep=$(kept; node_of $driver) && { stream & } && streaming=$! &&
	wait_for 20 "test \$(wc -l <shorts) -ge 5" && touch work.1 &&
	wait_for 20 "test \$(cat worked.part1 | wc -l) = 2" && n_kept 0 &&
	before=$(wc -l <shorts) &&
	wait_for 20 "test \$(wc -l <shorts) -ge $((before + 5))" &&
	! sort -u shorts | comm -12 - <(echo "$keep" | sort) | grep . &&
	! sort worked.part1 | comm -23 - <(echo "$keep" | sort) | grep . &&
	rm stream && wait $streaming && touch part1.go part2.go work.2 &&
	wait_state $driver COMPLETED 60 && test $(wc -l <worked.part1) = 3 &&
	test $(wc -l <worked.part2) = 3 && finish
'
test_expect_success 'one refused member does not keep others from placeholders' '
	fresh many && odd=$(executor many -w $(node_of $driver)) &&
	wait_for 10 "gang_log root/many \"job $odd cannot replace\"" &&
	two=($(executor many) $(executor many)) &&
	wait_for 20 all_in RUNNING ${two[@]} && n_kept 0 && finish
'

# --- kills ---

held_again() { n_kept 2 && job_is $driver RUNNING; }

test_expect_success '1.54 1.55 a restart: placeholders hold on, members come' '
	fresh again && slurm_saved $driver && slurm_stop_ctld && slurm_start_ctld &&
	wait_for 20 "gang_log root/again \"found placeholder\"" && n_kept 2 &&
	scontrol reconfigure && one=$(executor again) && wait_state $one RUNNING &&
	n_kept 1 && finish again
'
# Placeholders get their nodes.
keeps_up() { finish && rm -f *.go *.log env.* && file die-$point 2; }
keeps_step() { begin die-$point; }
keeps_on()
{
	test $(squeue -h -o %A | wc -l) -ge 3 ||
		{ scancel -u root; begin die-$point; }
}
keeps_judged()
{
	driver=$(squeue -h -n driver -o %A) &&
	wait_for 60 held_again && wait_for 10 ran_once driver 1 &&
	one=$(executor die-$point) && wait_state $one RUNNING && n_kept 1 &&
	finish die-$point
}

# A member comes. The launch may be lost with slurmctld. Then Slurm requeues the
# member, and it has its node again.
comes_up()
{
	n=3 fresh out-$point && slurm_saved $driver && rivals &&
	one=$(executor out-$point -H) && slurm_saved $one
}
comes_step() { scontrol release $one; }
comes_on() { scontrol release $one || :; }
comes_judged()
{
	wait_for 60 all_in RUNNING $one && wait_for 10 ran_once executor 1 &&
	wait_for 20 n_kept 2 && waits && finish out-$point
}
kill_cases
# slurmd reads the launch message when slurmctld is dead, and gives up the launch.
test_expect_success '1.30 1.54 a launch is lost with slurmctld: the member has its node again' '
	n=3 fresh lost && slurm_saved $driver && rivals && nodes=$(kept) &&
	slurmd_signal STOP $nodes && one=$(with_long_env executor lost) &&
	wait_state $one RUNNING && slurm_saved $one && node=$(node_of $one) &&
	wait_for 8 slurmd_has_launch $node &&
	slurm_kill9_ctld && slurmd_signal CONT $nodes && slurm_start_ctld &&
	wait_for 60 "gang_log root/lost \"the launch of member $one was lost\"" &&
	wait_for 60 ran_once executor 1 && job_is $one RUNNING &&
	test $(node_of $one) = $node && n_kept 2 && waits && finish lost
'
test_expect_success '1.1 no placeholder has ever run' '
	no_placeholder_launched && test -z "$(errors_left |
		grep "is not launched")" && ! grep "never runs" "$slurm_dir/log/slurmctld.log"
'
last_case
