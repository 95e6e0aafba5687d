#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0425-kill.t - slurmctld is killed in every phase of a gang and comes back
#
# The kinds of gangs and the points are in tests/kill/kinds.

test_description='kill -9 of slurmctld: every gang runs whole, and once'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"
. "$top_srcdir/tests/kill/kill.sh"

slurm_cluster -n 4 -c 2 --faults --conf 'Licenses=lic:8'

state=$slurm_dir/state/job_state

# As gang_script, but a member tells its node, and can be told to end alone, and
# to fail.
script()
{
	gang_script $1
	echo "test ! -e \"$PWD/\$SLURM_JOB_ID.fail\"" >>$1.sh
	sed -i -e "s|^until |&test -e \"$PWD/\$SLURM_JOB_ID.go\" \|\| |" \
		-e "s|\$SLURM_GANG_NAME\"|$1 \$SLURMD_NODENAME\"|" $1.sh
}

# Options of a member that takes a node: member GANG [OPTIONS...]
member()
{
	local gang=$1

	echo -J $gang -N 1 --exclusive -L lic:1 --gang=$gang "${@:2}"
}

batch() { submit $(member "$@") $name.sh; }

# --- kinds of gangs: all submit four members, each for a node of its own, and
# call the gangs that they are in ---

# several COUNT [OPTIONS...]
several()
{
	local i

	for ((i = 0; i < $1; i++)); do
		members+=($(batch $name --gang-min-member=4 "${@:2}")) || return 1
	done
}

submit_strict() { several 4; }
submit_three() { several 3; }
submit_kill() { several 4 --gang-on-failure=kill; }
submit_nonstrict() { several 4 --gang-mode=nonstrict; }

submit_array()
{
	local id

	id=$(batch $name --gang-min-member=4 -a 1-4) || return 1
	members=(${id}_1 ${id}_2 ${id}_3 ${id}_4)
}

submit_group()
{
	local i

	gangs="root/$name-a root/$name-b"
	for i in 1 2; do
		members+=($(batch $name-a --gang-min-member=2 \
			--gang-groups=root/$name-b)) || return 1
		members+=($(batch $name-b --gang-min-member=2 \
			--gang-groups=root/$name-a \
			--gang-mode=nonstrict)) || return 1
	done
}

# salloc and srun are no batch jobs: nobody asks a node whether they run.
submit_mixed()
{
	salloc $(member $name --gang-min-member=4) bash $name.sh \
		>$name.salloc 2>&1 &
	srun $(member $name --gang-min-member=4) bash $name.sh \
		>$name.srun 2>&1 &
	members=($(batch $name --gang-min-member=4) \
		$(batch $name --gang-min-member=4)) &&
	wait_for 15 "test \$(ids_of $name | wc -l) = 4" &&
	members=($(ids_of $name))
}

ids_of() { squeue -h -r -n $1 -o %i | sort -V; }

# --- what must come of them ---

# The members of each gang are 0 to n-1 of n, and started by one release.
rings_are_whole()
{
	local gang id ids

	for gang in $gangs; do
		ids=
		for id in ${members[@]}; do
			test "$(gang_record $id gang)" != $gang || ids+=" $id"
		done
		started_together $ids || return 1
	done
}

# Either all scripts began before the death of slurmctld or all did after it.
on_one_side()
{
	awk -v died=$died_at '$2 == "start" { $3 < died ? before++ : after++ }
		END { exit before && after }' $name.log || {
		echo "slurmctld was dead at $died_at:" >&2
		cat $name.log >&2
		return 1
	}
}

no_node_lost() { ! sinfo -h -N -o "%N %T %E" | grep -E "drain|down" >&2; }

# A salloc or srun that was sent half a message ends, as it does without us. Then
# its gang is not whole, and what is left of it must go away cleanly.
client_gave_up()
{
	grep -sE "has been (revoked|cancelled)|Force Terminated|error: Unable to" \
		$name.salloc $name.srun
}

without_client()
{
	echo "# a client of Slurm gave up in the middle of a message" &&
	scancel ${members[@]} &&
	touch $name.go &&		# for what salloc runs on this host
	{ wait_for 5 "test -z \"\$(jobs -r)\"" 2>/dev/null ||
		kill -KILL $(jobs -pr); } &&
	wait_for 15 "test -z \"\$(jobs -r)\"" &&
	no_node_lost &&
	wait_for 40 nodes_idle &&
	test "$(licences_in_use)" = 0
}

# Whole: all run, told of one ring. Once: one start each, no restart. With an
# argument some may have been launched before slurmctld died.
whole_and_once()
{
	wait_for 60 "client_gave_up >/dev/null ||
		all_in RUNNING ${members[*]}" || return 1
	if client_gave_up; then without_client; return; fi
	rings_are_whole &&
	wait_for 10 "test \$(starts_of $name) = 4" &&
	{ test -n "$1" || on_one_side; } &&
	touch $name.go &&
	wait_for 40 all_in COMPLETED ${members[@]} &&
	left_clean
}

left_clean()
{
	test "$(restarts_of ${members[@]})" = 0 &&
	ran_once $name 4 &&
	no_node_lost &&
	wait_for 20 nodes_idle &&
	test "$(licences_in_use)" = 0 &&
	wait_for 15 "test -z \"\$(jobs -r)\""
}

# --- what all kinds do ---

# begin KIND NODES: with so many nodes busy the gang waits.
begin()
{
	name=k$n_kills gangs=root/k$n_kills members=()
	script $name
	busy=
	test $2 = 0 || {
		busy=$(run_job -N $2 --exclusive)
	} || return 1
	submit_$1
}

saved() { slurm_saved ${members[-1]%_*}; }

make_room() { scancel $busy && wait_for 20 nodes_idle; }

partition_is() { scontrol update PartitionName=main State=$1; }

# --- a gang starts ---

# The nodes become free, all of them at once: else some members have theirs before
# the others. The members are on the disk when they are held, else they must be
# now; that the job on the nodes has ended may not be.
start_up()
{
	begin $1 4 && case $point in commit*) saved ;; esac &&
		partition_is DOWN && make_room
}
start_step() { partition_is UP; }
start_on() { partition_is UP && scancel -Q $busy; }
# Where some may run before slurmctld dies the others start when it is back.
start_judged()
{
	case $point in
	release | released | known) whole_and_once partly ;;
	*) whole_and_once ;;
	esac
}

# --- its waiting time ends, then it is told to start ---

late_up()
{
	test_when_finished gang_setting WaitingTime 10:00
	begin $1 2 && wait_for 20 "test \$(held_in \${members[@]}) = 2"
}
late_step() { gang_setting WaitingTime 0:01; }
late_on()
{
	wait_for 30 stopped_by_timeout ${members[@]} &&
	gang_setting WaitingTime 10:00 && make_room &&
	scontrol release ${members[0]}
}
late_judged() { whole_and_once; }

# --- slurmctld is killed from outside, in each phase ---

phase_is()
{
	local gang

	for gang in $gangs; do
		test "$(gang_phase $gang)" = $1 &&
		"$sgang" show $gang | grep -iqw $1 || return 1
	done
}

# The phase is the same when it is back, and so are the reasons: phase WHEN
phase_up() { $1_up && wait_for 20 phase_is $phase && saved; }
phase_on() { wait_for 20 phase_is $phase; }
phase_judged() { kill_part $1_judged && whole_and_once; }

gathers_up() { phase=gathering && begin three 0; }
gathers_judged()
{
	wait_for 10 squeue_says ${members[0]} "Gang root/$name gathering 3/4" &&
	members+=($(batch $name))
}

waits_up() { phase=waiting && begin array 2; }
waits_judged()
{
	wait_for 10 squeue_says ${members[0]} "Gang root/$name waits: " &&
	scancel $busy
}

# Two hold.
holds_up()
{
	phase=holding
	begin nonstrict 2 &&
	wait_for 20 "test \$(held_in \${members[@]}) = 2"
}
holds_judged()
{
	wait_for 10 gang_log root/$name "found 2 held members again" &&
	test "$(held_in ${members[@]})" = 2 &&
	test "$(licences_in_use)" = 2 &&
	scancel $busy
}

# Two held, and their waiting time has ended.
timed_out_up()
{
	phase=timeout
	late_up nonstrict && late_step &&
	wait_for 20 stopped_by_timeout ${members[@]}
}
timed_out_judged()
{
	stopped_by_timeout ${members[@]} &&
	gang_setting WaitingTime 10:00 && make_room &&
	scontrol release ${members[2]}
}

runs_up()
{
	phase=running
	begin mixed 0 &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	wait_for 10 "test \$(starts_of $name) = 4"
}

# --- it was launched, and what was saved before is all that slurmctld has ---

# again WHAT KIND: a gang runs. slurmctld comes back with the state in which it was
# held, after its nodes and members have done what WHAT says.
again_up() { start_up $2; }
again_step() { start_step; }
again_dead() { cp $state held.state; }
again_on()
{
	partition_is UP &&
	wait_for 30 all_in RUNNING ${members[@]} &&
	wait_for 10 "test \$(starts_of $name) = 4" &&
	slurm_kill9_ctld &&
	kill_part $1_dead &&
	cp held.state $state &&
	died_at=$EPOCHREALTIME && slurm_start_ctld && partition_is UP
}
again_judged() { $1_judged; }

launched_judged()
{
	whole_and_once && gang_log root/$name "found 4 held members again"
}

node_of() { awk -v id=$1 '$1 == id && $2 == "start" { print $5 }' $name.log; }

# As if these members had never been launched.
partly_dead()
{
	local id node

	for id in ${members[1]} ${members[2]}; do
		node=$(node_of $id) &&
		slurm_kill_node $node &&
		rm -f $slurm_dir/run/$node.pid &&
		sed -i "/^$id /d" $name.log &&
		slurm_start_node $node || return 1
	done
}
partly_judged() { whole_and_once partly; }

short_dead()
{
	touch ${members[0]}.go &&
	wait_for 10 grep "^${members[0]} stop" $name.log
}
short_judged()
{
	wait_for 30 all_in RUNNING ${members[@]:1} &&
	wait_for 60 all_in COMPLETED ${members[0]} &&
	touch $name.go &&
	wait_for 40 all_in COMPLETED ${members[@]} &&
	left_clean
}

# What follows is what follows with slurmctld there.
failed_dead() { touch ${members[0]}.fail && short_dead; }
failed_judged()
{
	wait_for 60 all_in CANCELLED ${members[@]:1} &&
	job_is ${members[0]} FAILED &&
	gang_log root/$name \
		"member ${members[0]} is lost: the gang is ended" &&
	gang_log root/$name \
		"member ${members[0]} was started and has failed" &&
	! gang_log root/$name "held member ${members[0]}" &&
	test "$(restarts_of ${members[@]})" = 0 &&
	no_node_lost &&
	wait_for 20 nodes_idle &&
	test "$(licences_in_use)" = 0 &&
	"$sgang" explain root/$name >$name.why &&
	grep "Phase=Failed" $name.why && grep "Failed=${members[0]} " $name.why
}

told_judged()
{
	wait_for 60 "test \$(grep -c \"does not listen any more\" \
		$slurm_dir/log/slurmctld.log) = 2" &&
	whole_and_once
}

kill_cases

last_case
