#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0406-group-kill.t - slurmctld is killed while a tree of groups starts, a group of
# it follows, or a gang has placeholders, in all their states
#
# Which points of which kinds is in tests/kill/kinds. How many placeholders there
# are is drawn. The observer trusts Slurm's commands, the marks that scripts leave
# when they run, and what slurmd launches. SEED=N draws others.

test_description='kill -9 of slurmctld: trees, what follows them, placeholders'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"
. "$top_srcdir/tests/kill/kill.sh"

switches leaf1=n[1-3] leaf2=n[4-6] core:leaf[1-2] >topology.conf
slurm_cluster -n 6 -c 2 --faults --topology "$PWD/topology.conf" --conf 'KillWait=2
BatchStartTimeout=10'

seed=${SEED:-1}
echo "# seed=$seed"

# A member says where it runs.
for name in role driver executor helper rival; do
	gang_script $name
	sed -i 's|\$SLURM_GANG_NAME"|$SLURMD_NODENAME"|' $name.sh
done

# All free nodes are busy until the members are on the disk.
block()
{
	blocker=$(submit -N $1 --exclusive -t 600 -J blocker) &&
		wait_state $blocker RUNNING 20
}

# That it has been cancelled may be lost with slurmctld.
unblock() { scancel -Q $blocker || :; }

# --- a tree ---

# tree_member GROUP: of the gang of this case
tree_member()
{
	members+=($(submit -N 1 --exclusive --gang=$gang --gang-min-member=1 \
		--gang-role=$1 role.sh))
}

# A replica of one encoder and two decoders in one leaf: replica NAME
replica()
{
	tree_member $1:min=2:require=leaf/encode:min=1 &&
		tree_member $1/decode:min=2 && tree_member $1/decode
}

# All run, with ranks that differ, and none was started twice.
whole()
{
	local id

	wait_for 60 all_in RUNNING ${members[@]} &&
	wait_for 20 "test \"\$(starts_of role)\" = ${#members[@]}" &&
	for id in ${members[@]}; do
		test "$(starts_of role $id)" = 1 || return 1
		gang_record $id rank | cut -d/ -f1
	done | sort -n >ranks &&
	seq 0 $((${#members[@]} - 1)) | test_cmp - ranks
}

# One leaf for each replica of three members.
apart()
{
	local i

	for ((i = 0; i < ${#members[@]}; i += 3)); do
		squeue -h -j "$(echo ${members[@]:i:3} | tr ' ' ,)" -o %N |
			sed 's/n//' | awk '{ print int(($1 - 1) / 3) }' |
			sort -u | wc -l | grep -qx 1 || return 1
	done
}

# All of it starts, or the second replica follows the first.
tree_up()
{
	clear_cluster && rm -f *.go *.log && gang=tree$n_kills members=() &&
	if test $1 = starts; then
		block 6 && replica r1
	else
		replica r1 && wait_for 20 all_in RUNNING ${members[@]} &&
			block 3 && replica r2
	fi && slurm_saved ${members[-1]}
}
tree_step() { unblock; }
tree_on() { unblock; }
tree_judged()
{
	whole && apart && touch role.go &&
		wait_for 30 all_in COMPLETED ${members[@]} &&
		wait_for 30 nodes_idle
}
tree_show() { squeue -o '%i %T %r %N'; cat *.log; }

# --- placeholders: a driver, 1 to 3 executors, 0 to 1 helpers ---

common()
{
	echo -N1 --exclusive -t10 --gang=$gang --gang-min-member=$((2 + n_helpers))
}

# placeholders ROLE COUNT
placeholders()
{
	local id

	test $2 -gt 0 || return 0
	id=$(submit $(common) -J $1.placeholder --gang-placeholders=$style \
		--gang-role=$1:min=$2 --gang-placeholder=1 -a 1-$2 \
		driver.sh) || return 1
	arrays+=($id)
}

member()
{
	submit $(common) -J $1 --gang-role=$1 --gang-placeholders=$style "${@:2}" \
		$1.sh
}

declare_gang()
{
	placeholders driver 1 && placeholders executor $n_executors &&
		placeholders helper $n_helpers && driver=$(member driver) &&
		slurm_saved $driver
}

# How many of a role are not gone; a submission may be lost with slurmctld.
count() { squeue -h -n $1 -o %A | wc -l; }
fill_up()
{
	while test $(count $1) -lt $2; do
		member $1 >/dev/null || return 1
	done
}
all_members()
{
	fill_up executor $((n_executors - n_left)) && fill_up helper $n_helpers &&
		wait_for 60 all_run
}
all_run()
{
	test "$(squeue -h -t R -n driver,executor,helper -o %A | wc -l)" = \
		$((1 + n_executors - n_left + n_helpers)) &&
		test $(starts) = $((1 + n_executors - n_left + n_helpers))
}
starts() { cat driver.log executor.log helper.log 2>/dev/null | grep -c start; }

# "NODE" for each placeholder of a role that has one.
kept() { squeue -h -r -t CF -n $1.placeholder -o %N | sort; }
all_kept()
{
	job_is $driver RUNNING && test $(kept driver | wc -l) = 0 &&
		test $(kept executor | wc -l) = $n_executors &&
		test $(kept helper | wc -l) = $n_helpers
}

# From now on its nodes are its own.
firm()
{
	wait_for 60 all_kept && slurm_saved $driver && {
		echo "driver $(squeue -h -j $driver -o %N)"
		kept executor | sed 's/^/executor /'
		kept helper | sed 's/^/helper /'
	} >places && echo $EPOCHREALTIME >firm
}

# Jobs of a higher priority for every node.
rivals() { submit -N1 --exclusive -t5 --nice=-100 -J rival -a 1-8 rival.sh; }

# --- what is seen, again and again ---

watch_cluster()
{
	local lines from

	while test -e watching; do
		from=$EPOCHREALTIME
		lines=$(squeue -h -r -t R,CF,CG -o '%A %j %N') || continue
		sed "s/^/$from $EPOCHREALTIME /" <<<"$lines" >>seen
		read -rt 0.1 <> <(:) || :
	done
} 2>/dev/null

# No node has two jobs, and no rival a node that is kept.
judge_seen()
{
	test $(wc -l <seen) -gt 5 &&
	awk -v firm=$(cat firm) -v over=$(cat over) '
		FILENAME == "places" { kept[$2]; next }
		NF < 5 { next }
		$1 != at { delete has; at = $1 }
		$5 in has {
			print "two jobs on a node: " has[$5] ", " $3 ": " $0
			bad = 1
		}
		{ has[$5] = $3 }
		$4 == "rival" && ($5 in kept) && $1 >= firm && $2 <= over {
			print "a rival on a kept node: " $0
			bad = 1
		}
		END { exit bad }' places seen
}

# Each member ran once, on the node of a placeholder of its role, one for one.
judge_members()
{
	local role

	for role in driver executor helper; do
		test -e $role.log || continue
		awk '$2 == "start" { print $1 }' $role.log | sort | uniq -d |
			grep . && return 1
		awk '$2 == "start" { print $4 }' $role.log | sort >took
		sed -n "s/^$role //p" places | sort | uniq >had
		test "$(uniq -d took)" = "" && test -z "$(comm -23 took had)" || {
			echo "$role: nodes $(xargs <took), kept $(xargs <had)"
			return 1
		}
	done
}

# All placeholders have ended, none has run, so many were replaced.
judge_placeholders()
{
	local id

	no_placeholder_launched && ! squeue -h -r -o %j | grep placeholder &&
	for id in ${arrays[@]}; do
		scontrol -o show job $id
	done >ended && test $(wc -l <ended) = $((1 + n_executors + n_helpers)) &&
	! grep -v "JobState=CANCELLED" ended &&
	! grep -v "ended=\(replaced\|stopped\|timeout\)" ended &&
	test $(grep -c "ended=replaced" ended) = $(starts) &&
	test $(grep -c "ended=\(stopped\|timeout\)" ended) = $n_left
}

# --- their states ---

# Not by a substitution: a subshell draws other numbers each time.
one_of() { shift $((RANDOM % $#)); one=$1; }

declared_up() { block 6 && declare_gang; }
declared_on() { unblock && firm; }

accumulates_up() { block 6 && declare_gang; }
accumulates_step() { unblock; }
accumulates_on() { unblock && firm; }

held_up() { declare_gang && firm && rivals; }

# Some members are there, and the next one comes.
swaps_up()
{
	declare_gang && firm && rivals &&
		fill_up executor $((RANDOM % (n_executors - n_left))) &&
		one_of executor ${helper:-executor} && next=$(member $one -H) &&
		slurm_saved $next
}
swaps_step() { scontrol release $next; }
swaps_on() { release_each $next; }

# They are on the disk: the number of one that is lost would be given again while
# its script still runs.
fills_up()
{
	local i

	filled=() && held_up &&
	for ((i = 0; i < n_executors - n_left; i++)); do
		filled+=($(member executor -H)) && slurm_saved ${filled[-1]} || return 1
	done
}
fills_step() { release_each ${filled[@]}; }
fills_on() { release_each ${filled[@]}; }
release_each()
{
	local id

	for id; do
		scontrol release $id || :
	done
}

# The one that is left ends.
ends_up()
{
	n_left=1 && declare_gang && firm && rivals && all_members &&
		slurm_saved $driver && echo $EPOCHREALTIME >over
}
ends_step() { scancel $(squeue -h -r -t CF -n executor.placeholder -o %A); }

holder_open()
{
	RANDOM=$((seed++)) gang=etl$n_kills arrays=() helper=
	clear_cluster && rm -f *.go *.log seen places firm over watching &&
	n_executors=$((RANDOM % 3 + 1)) n_helpers=$((RANDOM % 2)) &&
	n_left=$((RANDOM % 2)) && one_of soft hard && style=$one || return 1
	test $n_executors -gt 1 || n_left=0
	test $n_helpers = 0 || helper=helper
	touch watching
	watch_cluster &
	watcher=$!
}
holder_close()
{
	rm -f watching
	wait $watcher
}

holder_up() { holder_open && $1_up; }
holder_step() { kill_part $1_step; }
holder_on() { kill_part $1_on; }
holder_judged()
{
	{ test -e firm || firm; } && all_members && end_gang &&
		scancel -u root -n rival && holder_close && judge_seen &&
		judge_members && judge_placeholders
}
holder_show()
{
	echo "--- $1, $style, $n_executors executors ($n_left left), $n_helpers helpers"
	squeue -r
	cat places
	grep . *.log
	scontrol -o show job | grep -o 'JobId=[0-9]*\|JobName=[^ ]*\|JobState=[A-Z]*\|Reason=[^ ]*\|NodeList=[^ ]*\|SystemComment=.*' | xargs -n 8
	gang_log root/$gang
	holder_close
}

# By a user, or some time after the last member.
end_gang()
{
	test -e over || echo $EPOCHREALTIME >over
	if test $n_left = 1 && test $((RANDOM % 4)) != 0; then
		scancel -Q $(squeue -h -r -t CF -n executor.placeholder -o %A)
	fi
	touch driver.go executor.go helper.go &&
		wait_for 90 "test -z \"\$(squeue -h -r -o %j | grep -v ^rival)\""
}

kill_cases tree
test_expect_success 'so far nothing is left' 'nothing_left'

kill_cases holder
# A rival whose start was lost with slurmctld starts again elsewhere.
last_case '
	scancel -u root; nothing_left "Orphan .*StepId=" \
		"Registered JobId=" "Batch completion for .* wrong node" \
		"is non-running slurmctld and slurmd out of sync"
'
