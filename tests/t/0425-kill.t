#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0425-kill.t - slurmctld is killed in every phase of a gang and comes back

test_description='kill -9 of slurmctld: every gang runs whole, and once'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --faults --conf 'Licenses=lic:8'
slurm_start

sgang=$top_builddir/src/cmd/sgang
state=$slurm_dir/state/job_state

# As gang_script, but a member tells its node, and can be told to end alone.
script()
{
	gang_script $1
	sed -i -e "s|^until |&test -e \"$PWD/\$SLURM_JOB_ID.go\" \|\| |" \
		-e "s|\$SLURM_GANG_NAME\"|$1 \$SLURMD_NODENAME\"|" $1.sh
}

# Options of a member that takes a node: member GANG [OPTIONS...]
member()
{
	local gang=$1

	shift
	echo -J $gang -N 1 --exclusive -L lic:1 --gang=$gang "$@"
}

batch()
{
	submit $(member "$@") $name.sh
}

# --- kinds of gangs: all submit four members, each for a node of its own, and
# call the gangs that they are in ---

submit_strict()
{
	local i

	for i in 1 2 3 4; do
		members+=($(batch $name --gang-min-member=4)) || return 1
	done
}

submit_three()
{
	local i

	for i in 1 2 3; do
		members+=($(batch $name --gang-min-member=4)) || return 1
	done
}

submit_array()
{
	local id

	id=$(batch $name --gang-min-member=4 -a 1-4) || return 1
	members=(${id}_1 ${id}_2 ${id}_3 ${id}_4)
}

submit_nonstrict()
{
	local i

	for i in 1 2 3 4; do
		members+=($(batch $name --gang-min-member=4 \
			--gang-mode=nonstrict)) || return 1
	done
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

ids_of()
{
	squeue -h -r -n $1 -o %i | sort -V
}

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

no_node_lost()
{
	! sinfo -h -N -o "%N %T %E" | grep -E "drain|down" >&2
}

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

# --- kills ---

died()
{
	! slurm_alive slurmctld
}

come_back()
{
	died_at=$EPOCHREALTIME
	slurm_fault &&
	slurm_start_ctld
}

# begin NAME KIND NODES: with so many nodes busy the gang waits.
begin()
{
	name=$1 gangs=root/$1 members=()
	script $name
	busy=
	test $3 = 0 || {
		busy=$(submit -N $3 --exclusive) &&
		wait_state $busy RUNNING
	} || return 1
	submit_$2
}

saved()
{
	slurm_saved ${members[-1]%_*}
}

make_room()
{
	scancel $busy &&
	wait_for 20 nodes_idle
}

partition_is()
{
	scontrol update PartitionName=main State=$1
}

# The nodes become free, and slurmctld dies at that point of what follows. All of
# them come at once: else some members have theirs before the others.
dies_at()
{
	partition_is DOWN &&
	make_room &&
	slurm_fault kill-$1 $2 &&
	{ partition_is UP || died; } &&
	wait_for 30 died
}

# The members are on the disk when they are held, else they must be now; that the
# job on the nodes has ended may not be.
killed_at()
{
	case $1 in
	commit*) saved ;;
	esac &&
	dies_at $1 $2 &&
	come_back && partition_is UP &&
	scancel -Q $busy
}

# --- slurmctld is killed from outside, in each phase ---

phase_is()
{
	local gang

	for gang in $gangs; do
		test "$(gang_phase $gang)" = $1 &&
		"$sgang" show $gang | grep -iqw $1 || return 1
	done
}

# The phase is the same when it is back, and so are the reasons.
killed_in()
{
	wait_for 20 phase_is $1 &&
	saved &&
	slurm_kill9_ctld &&
	come_back &&
	wait_for 20 phase_is $1
}

test_expect_success '0.36 0.38 killed while it gathers' '
	begin gathers three 0 &&
	killed_in gathering &&
	wait_for 10 squeue_says ${members[0]} "Gang root/gathers gathering 3/4" &&
	members+=($(batch $name)) &&
	whole_and_once
'
test_expect_success '0.36 0.38 killed while it waits' '
	begin waits array 2 &&
	killed_in waiting &&
	wait_for 10 squeue_says ${members[0]} "Gang root/waits waits: " &&
	scancel $busy &&
	whole_and_once
'
test_expect_success '0.36 0.38 killed while it holds' '
	begin holds nonstrict 2 &&
	wait_for 20 "test \$(held_in \${members[@]}) = 2" &&
	killed_in holding &&
	wait_for 10 gang_log root/holds "found 2 held members again" &&
	test "$(held_in ${members[@]})" = 2 &&
	test "$(licences_in_use)" = 2 &&
	scancel $busy &&
	whole_and_once
'
# Two hold, and their waiting time ends when somebody has seen that.
hold_then_time_out()
{
	begin $1 nonstrict 2 &&
	wait_for 20 "test \$(held_in \${members[@]}) = 2" &&
	{ test $# = 1 || slurm_fault kill-$2 $3; } &&
	{ gang_setting WaitingTime 0:01 || died; }
}

test_expect_success '0.36 0.38 killed when its waiting time was over' '
	test_when_finished gang_setting WaitingTime 10:00 &&
	hold_then_time_out late &&
	wait_for 20 stopped_by_timeout ${members[@]} &&
	killed_in timeout &&
	stopped_by_timeout ${members[@]} &&
	gang_setting WaitingTime 10:00 &&
	make_room &&
	scontrol release ${members[2]} &&
	whole_and_once
'
test_expect_success '0.36 0.38 killed while it runs' '
	begin runs mixed 0 &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	wait_for 10 "test \$(starts_of $name) = 4" &&
	killed_in running &&
	whole_and_once
'

# --- it was launched, and what was saved before is all that slurmctld has ---

# A gang runs. slurmctld comes back with the state in which it was held, after
# its nodes and members have done what the other arguments say.
held_again()
{
	cp $state held.state &&
	come_back && partition_is UP &&
	wait_for 30 all_in RUNNING ${members[@]} &&
	wait_for 10 "test \$(starts_of $name) = 4" &&
	slurm_kill9_ctld &&
	"$@" &&
	cp held.state $state &&
	come_back && partition_is UP
}

held_and_killed()
{
	begin $1 $2 4 &&
	dies_at saved 1
}

node_of()
{
	awk -v id=$1 '$1 == id && $2 == "start" { print $5 }' $name.log
}

# As if these members had never been launched.
never_launched()
{
	local id node

	for id; do
		node=$(node_of $id) &&
		slurm_kill_node $node &&
		rm -f $slurm_dir/run/$node.pid &&
		sed -i "/^$id /d" $name.log &&
		slurm_start_node $node || return 1
	done
}

ended()
{
	touch $1.go &&
	wait_for 10 grep "^$1 stop" $name.log
}

test_expect_success '0.38 all members were launched: they run on' '
	held_and_killed launched strict &&
	held_again true &&
	whole_and_once &&
	gang_log root/launched "found 4 held members again"
'
test_expect_success '0.38 two of them were: the others follow' '
	held_and_killed partly nonstrict &&
	held_again never_launched ${members[1]} ${members[2]} &&
	whole_and_once partly
'
test_expect_success '0.38 one has ended meanwhile: it is not missed' '
	held_and_killed short group &&
	held_again ended ${members[0]} &&
	wait_for 30 all_in RUNNING ${members[@]:1} &&
	wait_for 60 all_in COMPLETED ${members[0]} &&
	touch $name.go &&
	wait_for 40 all_in COMPLETED ${members[@]} &&
	left_clean
'

test_expect_success '0.38 salloc and srun that have their nodes keep them' '
	held_and_killed told mixed &&
	held_again true &&
	wait_for 60 "test \$(grep -c \"does not listen any more\" \
		$slurm_dir/log/slurmctld.log) = 2" &&
	whole_and_once
'

# --- kill points inside of a pass, chosen by a fixed seed ---

seed=425

# A number from 0 to $1 - 1 in $picked.
pick()
{
	seed=$(((seed * 1103515245 + 12345) & 0x7fffffff))
	picked=$(((seed >> 8) % $1))
}

pick_one()
{
	pick $#
	shift $picked
	picked=$1
}

# Its waiting time ends, then it is told to start.
killed_at_timeout()
{
	hold_then_time_out $name $1 $2 &&
	wait_for 30 died &&
	come_back &&
	wait_for 30 stopped_by_timeout ${members[@]} &&
	gang_setting WaitingTime 10:00 &&
	make_room &&
	scontrol release ${members[0]}
}

# Where some may run before slurmctld dies the others start when it is back.
for round in {1..20}; do
	pick_one commit committed saved release released known release released \
		giveback timeout
	point=$picked apart=
	pick_one strict array nonstrict group mixed
	kind=$picked
	case $point-$kind in
	commit-group | giveback-*) pick 2 ;;
	release-group) pick 2; apart=partly ;;
	commit-* | timeout-*) pick 4 ;;
	release-*) pick 4; apart=partly ;;
	released-* | known-*) pick 1; apart=partly ;;
	*) pick 1 ;;
	esac
	at=$((picked + 1))
	name=r$round
	case $point in
	giveback | timeout)
		test_expect_success "0.36 0.38 seed 425, $round: $point $at" '
			test_when_finished gang_setting WaitingTime 10:00 &&
			killed_at_timeout $point $at &&
			whole_and_once
		' ;;
	*)
		test_expect_success "0.36 0.38 seed 425, $round: $point $at, $kind" '
			begin $name $kind 4 &&
			killed_at $point $at &&
			whole_and_once $apart
		' ;;
	esac
done

test_expect_success 'nothing is left' 'nothing_left'

test_done
