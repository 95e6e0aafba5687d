#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0351-heirs.t - members that start after their gang know who they are, and each change
# of who is in a gang, or of which of its nodes drain, is a number that all see

test_description='Member ranks of late members; SLURM_GANG_EPOCH and _STATE'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cluster -n 6 -c 2 --gang

sgang=$(checked_sgang)

# A member, which tells what it was told and runs until it is cancelled.
cat >tells.sh <<-'EOF'
	#!/bin/bash
	env | grep ^SLURM_GANG_ \
		>"$SLURM_SUBMIT_DIR/env.$SLURM_JOB_ID.$SLURM_RESTART_COUNT"
	while :; do
		test ! -e "$SLURM_SUBMIT_DIR/step.$SLURM_JOB_ID" || {
			rm "$SLURM_SUBMIT_DIR/step.$SLURM_JOB_ID"
			srun -n2 --overlap sh -c 'echo $SLURM_GANG_EPOCH \
				$SLURM_GANG_JOB_IDS
				echo $SLURM_GANG_EPOCH drains $SLURM_GANG_DRAINING' \
				>"$SLURM_SUBMIT_DIR/said.$SLURM_JOB_ID"
		}
		read -rt 0.1 <> <(:) || :
	done
EOF
chmod 755 tells.sh

# member NAME [OPTIONS]: two tasks on a node of its own
member()
{
	local name=$1

	submit -N1 -n2 --exclusive -t 10 --gang=$name --gang-min-member=3 "${@:2}" \
		"$PWD/tells.sh"
}

# told ID NAME [RESTARTS]: what SLURM_GANG_NAME the member has
told() { sed -n "s/^SLURM_GANG_$2=//p" env.$1.${3-}; }

has_told() { wait_for 15 "grep -q STATE= env.$1.${2-}"; }

# Each job has the rank that is its place among them: ranks NAME ID...
ranks()
{
	local name=$1 rank=0 id

	shift
	for id; do
		test "$(gang_record $id rank)" = "$rank/$#" || return 1
		rank=$((rank + 1))
	done
}

test_expect_success '6.1 the gang starts' '
	members=($(member ring) $(member ring) $(member ring)) &&
	wait_for 15 all_in RUNNING ${members[@]} &&
	for id in ${members[@]}; do has_told $id || return 1; done &&
	members=($(in_rank_order ${members[@]})) &&
	ranks ring ${members[@]}
'
test_expect_success '6.1, 6.2: an heir has the rank of the member that was lost' '
	drop ${members[1]} &&
	heir=$(member ring) &&
	wait_state $heir RUNNING && has_told $heir &&
	test "$(told $heir MEMBER_RANK) $(told $heir MEMBERS)" = "1 3" &&
	test "$(told $heir RANK_OFFSET) $(told $heir RANKS)" = "2 6" &&
	test "$(told $heir NAME)" = ring &&
	test "$(told $heir JOB_IDS)" = "${members[0]},$heir,${members[2]}" &&
	nodes=($(job_field ${members[0]} NodeList) $(job_field $heir NodeList) \
		$(job_field ${members[2]} NodeList)) &&
	test "$(told $heir NODELIST)" = "${nodes[0]},${nodes[1]},${nodes[2]}" &&
	test "$(told $heir HEAD_NODE)" = ${nodes[0]} &&
	members[1]=$heir &&
	ranks ring ${members[@]}
'
test_expect_success '6.1: show and map know it' '
	wait_for 10 "\"$sgang\" show root/ring >show.out &&
		grep \"${members[1]}.*MemberRank=1\" show.out" &&
	"$sgang" map root/ring >map.out &&
	for i in 0 1 2 3 4 5; do echo ${nodes[i / 2]}; done >nodes.want &&
	"$sgang" map --format=hostfile root/ring >hosts.out &&
	test_cmp nodes.want hosts.out
'
test_expect_success '6.2: two that are requeued have their own ranks again' '
	scontrol requeue ${members[0]} && scontrol requeue ${members[2]} &&
	wait_for 30 all_in PENDING ${members[0]} ${members[2]} &&
	wait_for 15 squeue_says ${members[2]} BeginTime &&
	scontrol update JobId=${members[2]} StartTime=now+2 &&
	wait_state ${members[2]} RUNNING 20 && has_told ${members[2]} 1 &&
	test "$(told ${members[2]} MEMBER_RANK 1)" = 2 &&
	test "$(told ${members[2]} JOB_IDS 1)" = "0,${members[1]},${members[2]}" &&
	scontrol update JobId=${members[0]} StartTime=now+2 &&
	wait_state ${members[0]} RUNNING 20 && has_told ${members[0]} 1 &&
	test "$(told ${members[0]} MEMBER_RANK 1)" = 0 &&
	ranks ring ${members[@]}
'
test_expect_success '6.15: three that requeue themselves come back as one gang' '
	back=($(member back) $(member back) $(member back)) &&
	wait_for 15 all_in RUNNING ${back[@]} &&
	back=($(in_rank_order ${back[@]})) &&
	for i in 2 1 0; do
		has_told ${back[i]} && scontrol requeue ${back[i]} &&
		wait_for 15 squeue_says ${back[i]} BeginTime || return 1
	done &&
	wait_for 10 "gang_log root/back \"has lost all members, waits again\"" &&
	for i in 0 1; do begins_now ${back[i]} || return 1; done &&
	wait_for 10 squeue_says ${back[0]} "eligible" &&
	begins_now ${back[2]} &&
	start_together 20 ${back[@]} &&
	ranks back ${back[@]} &&
	for i in 0 1 2; do
		has_told ${back[i]} 1 &&
		test "$(told ${back[i]} MEMBER_RANK 1)" = $i &&
		test "$(told ${back[i]} JOB_IDS 1)" = "${back[0]},${back[1]},${back[2]}" ||
			return 1
	done &&
	drop ${back[@]}
'
test_expect_success '6.12: a fourth member has a new rank at the end' '
	fourth=$(member ring) &&
	wait_state $fourth RUNNING && has_told $fourth &&
	test "$(told $fourth MEMBER_RANK) $(told $fourth MEMBERS)" = "3 4" &&
	test "$(told $fourth RANK_OFFSET) $(told $fourth RANKS)" = "6 8" &&
	members+=($fourth) &&
	wait_for 10 ranks ring ${members[@]} &&
	"$sgang" map --format=hostfile root/ring >hosts.out &&
	test "$(wc -l <hosts.out)" = 8
'
test_expect_success '6.12: one with more tasks takes no vacant rank of another size' '
	drop ${members[1]} &&
	wide=$(run_job -N2 -n4 --exclusive -t 10 --gang=ring \
		--gang-min-member=3 "$PWD/tells.sh") && has_told $wide &&
	test "$(told $wide MEMBER_RANK) $(told $wide RANK_OFFSET)" = "4 8" &&
	test "$(told $wide RANKS)" = 12 &&
	test "$(told $wide JOB_IDS)" = \
		"${members[0]},0,${members[2]},${members[3]},$wide"
'
test_cleared '6.2: after a restart of slurmctld vacant ranks are known' '
	scancel $wide ${members[3]} && wait_state $wide CANCELLED &&
	slurm_saved ${members[0]} &&
	ctld_dies &&
	heir=$(member ring) &&
	wait_state $heir RUNNING 30 && has_told $heir &&
	test "$(told $heir MEMBER_RANK) $(told $heir RANK_OFFSET)" = "1 2"
'
test_cleared '6.1: srun joins as an heir' '
	members=($(member step) $(member step) $(member step)) &&
	wait_for 15 all_in RUNNING ${members[@]} &&
	lost=$(in_rank_order ${members[@]} | sed -n 3p) &&
	drop $lost &&
	srun -N1 -n2 --exclusive -t 10 --gang=step --gang-min-member=3 \
		env | grep ^SLURM_GANG_MEMBER_RANK= | sort -u >rank.out &&
	test "$(cat rank.out)" = SLURM_GANG_MEMBER_RANK=2
'
test_expect_success '6.1: the next tasks of a throttled array have ranks of their own' '
	array=$(submit --array=0-5%4 -N1 -n2 --exclusive -t 10 --gang=array \
		--gang-min-member=3 "$PWD/tells.sh") &&
	wait_for 30 "test \$(squeue -h -r -t R -n tells.sh -o x | wc -l) = 4" &&
	wait_for 15 "test \$(cat env.* | grep -c ^SLURM_GANG_NAME=array) = 4" &&
	grep -h -A99 . $(grep -l ^SLURM_GANG_NAME=array env.*) |
		sed -n s/^SLURM_GANG_MEMBER_RANK=//p | sort -n | xargs >ranks.out &&
	test "$(cat ranks.out)" = "0 1 2 3"
'
test_expect_success '6.1: and the ranks of those that were lost' '
	scancel ${array}_1 ${array}_2 &&
	wait_for 15 "test \$(cat env.* | grep -c ^SLURM_GANG_NAME=array) = 6" &&
	squeue -h -r -t R -o "%A" | while read id; do
		gang_record $id rank
	done | cut -d/ -f1 | sort -n | xargs >ranks.out &&
	test "$(cat ranks.out)" = "0 1 2 3"
'
# The ranks of a member in full, as its record has them.
layout_of()
{
	gang_record $1 layout | tr , "\n" | while IFS=- read from upto; do
		seq $from ${upto:-$from}
	done | xargs | tr " " ,
}

# By member rank.
rank_layouts()
{
	local id

	for id in ${members[@]}; do
		echo "$(gang_record $id rank) $(layout_of $id)"
	done | sort -n
}

test_expect_success '6.1: with communication groups no rank has two owners' '
	clear_cluster &&
	submit_gang groups 4 -N1 -n2 --exclusive -t 10 \
		--gang-parallel=dp=2,tp=4:dp=1,tp=9 "$PWD/tells.sh" &&
	wait_for 15 all_in RUNNING ${members[@]} &&
	for id in ${members[@]}; do has_told $id || return 1; done &&
	rank_layouts >before &&
	scancel ${members[1]} ${members[2]} &&
	wait_state ${members[2]} CANCELLED &&
	members[1]=$(submit -N1 -n2 --exclusive -t 10 --gang=groups \
		--gang-min-member=4 --gang-parallel=dp=2,tp=4:dp=1,tp=9 \
		"$PWD/tells.sh") &&
	members[2]=$(submit -N1 -n2 --exclusive -t 10 --gang=groups \
		--gang-min-member=4 --gang-parallel=dp=2,tp=4:dp=1,tp=9 \
		"$PWD/tells.sh") &&
	wait_for 15 all_in RUNNING ${members[@]} &&
	for id in ${members[@]}; do
		has_told $id || return 1
		layout=$(told $id LAYOUT) offset=$(told $id RANK_OFFSET)
		echo ${layout:-$offset,$((offset + 1))}
	done | tr , "\n" | sort -n | xargs >ranks.out &&
	test "$(cat ranks.out)" = "0 1 2 3 4 5 6 7"
'
test_expect_success '6.1 6.2: each has the ranks of the member whose place it takes' '
	rank_layouts >after && test_cmp before after &&
	for id in ${members[@]}; do
		test "$(told $id LAYOUT)" = "$(layout_of $id)" || return 1
	done
'
test_expect_success 'nothing is left so far' 'clear_cluster; nothing_left'

# --- epochs ---

# now ID NAME: what its file says
now() { (. "$(told $1 STATE)" && eval "echo \"\$SLURM_GANG_$2\""); }

# all_know EPOCH IDS ID...: the files of these
all_know()
{
	local epoch=$1 ids=$2 id

	for id in "${@:3}"; do
		test "$(now $id EPOCH) $(now $id JOB_IDS)" = "$epoch $ids" ||
			return 1
	done
}

joined() { local IFS=,; echo "$*"; }

test_expect_success '6.3: all begin with the first epoch' '
	members=($(member circle) $(member circle) $(member circle)) &&
	wait_for 15 all_in RUNNING ${members[@]} &&
	for id in ${members[@]}; do has_told $id || return 1; done &&
	members=($(in_rank_order ${members[@]})) &&
	for id in ${members[@]}; do
		test "$(told $id EPOCH)" = 1 || return 1
	done &&
	test "$(told ${members[0]} NODES_PER_MEMBER)" = 1,1,1 &&
	test "$(told ${members[0]} RANKS_PER_MEMBER)" = 2,2,2 &&
	all_know 1 $(joined ${members[@]}) ${members[@]} &&
	test "$(gang_record ${members[0]} epoch)" = 1
'
test_expect_success '6.3: the file is its user'\''s, and nobody else reads it' '
	file=$(told ${members[0]} STATE) &&
	test "$(stat -c "%a %U" "$file")" = "400 root" &&
	tail -1 "$file" | grep -x "# end"
'
test_expect_success '6.3: sgang epoch says the same, from outside and in a member' '
	"$sgang" epoch circle >outside &&
	grep -x "SLURM_GANG_EPOCH=.1." outside &&
	grep -x "SLURM_GANG_JOB_IDS=.$(joined ${members[@]})." outside &&
	grep -x "SLURM_GANG_NODELIST=.$(told ${members[0]} NODELIST)." outside &&
	grep -x "SLURM_GANG_NODES_PER_MEMBER=.1,1,1." outside &&
	SLURM_GANG_STATE=$file "$sgang" epoch circle >inside &&
	test_cmp "$file" inside &&
	SLURM_GANG_STATE=$file "$sgang" epoch --json circle |
		jq -e ".epoch == 1 and .job_ids == [$(joined ${members[@]})] and
			.ranks_per_member == [2,2,2] and .name == \"circle\"" &&
	test_expect_code 1 "$sgang" epoch nothing 2>err &&
	grep -F "there is no gang nothing" err &&
	test_expect_code 2 "$sgang" epoch --wait=0 circle 2>err &&
	grep -F "expected a number from 1" err
'
test_expect_success '6.3: a loss is an epoch, for which sgang epoch --wait waits' '
	{ SLURM_GANG_STATE=$file "$sgang" epoch --wait=2 circle >next & } &&
	inside=$! &&
	{ "$sgang" epoch --wait=2 --format=json circle >other & } &&
	outside=$! &&
	scancel ${members[1]} &&
	lost=${members[1]} &&
	wait_for 15 "all_know 2 ${members[0]},0,${members[2]} \
		${members[0]} ${members[2]}" &&
	test "$(now ${members[0]} NODES_PER_MEMBER)" = 1,0,1 &&
	wait $inside && wait $outside &&
	grep -x "SLURM_GANG_JOB_IDS=.${members[0]},0,${members[2]}." next &&
	jq -e ".epoch == 2 and .job_ids == [${members[0]},0,${members[2]}]" other
'
test_expect_success '6.3: an heir is one, which it is started with' '
	heir=$(member circle) &&
	wait_state $heir RUNNING && has_told $heir &&
	test "$(told $heir EPOCH)" = 3 &&
	members[1]=$heir &&
	wait_for 15 "all_know 3 $(joined ${members[@]}) ${members[*]}" &&
	test "$(gang_record ${members[0]} epoch)" = 3
'
test_expect_success '6.3: a step that starts now knows it' '
	touch step.${members[0]} &&
	wait_for 15 "test \"\$(grep -cx \"3 $(joined ${members[@]})\" \
		said.${members[0]})\" = 2"
'
test_expect_success '6.3: slurmctld that died neither forgets nor makes one up' '
	wait_for 20 "test -z \"\$(gang_record ${members[0]} since)\"" &&
	slurm_saved ${members[0]} &&
	ctld_dies &&
	wait_for 15 "gang_log root/circle running" &&
	test "$(gang_record ${members[0]} epoch)" = 3 &&
	all_know 3 $(joined ${members[@]}) ${members[@]} &&
	slurm_kill9_ctld &&
	kill -KILL $(pgrep -f "$slurm_dir/spool/.*/job0*${members[2]}/slurm_script") &&
	slurm_start_ctld &&
	wait_for 60 "all_know 4 ${members[0]},${members[1]},0 \
		${members[0]} ${members[1]}"
'
test_expect_success '6.3: a restart of slurmd keeps the file, and the next epoch comes' '
	node=$(job_field ${members[0]} NodeList) &&
	slurm_stop_node $node && slurm_start_node $node &&
	wait_for 30 "test \"\$(node_field $node State)\" = ALLOCATED" &&
	all_know 4 ${members[0]},${members[1]},0 ${members[0]} &&
	heir=$(member circle) && members[2]=$heir &&
	wait_for 60 "all_know 5 $(joined ${members[@]}) ${members[*]}"
'
test_expect_success 'the files are gone with the members' '
	file=$(told ${members[0]} STATE) &&
	{ "$sgang" epoch --wait=99 circle 2>err & } && waits=$! &&
	scancel ${members[@]} &&
	test_expect_code 1 wait $waits && grep -F "the gang circle has ended" err &&
	wait_for 30 "test ! -e \"$file\" && test ! -e \"$file.lock\""
'
test_expect_success 'nothing is left so far' 'clear_cluster && nothing_left'

# --- nodes that drain ---

# drained_member NAME N NODES: of a gang of N
drained_member()
{
	submit -N$3 -n$3 --exclusive -t 10 --gang=$1 --gang-min-member=$2 \
		"$PWD/tells.sh"
}

# all_drain EPOCH DRAINING ID...: the files of these, and their records
all_drain()
{
	local epoch=$1 draining=$2 id

	for id in "${@:3}"; do
		test "$(now $id EPOCH) $(now $id DRAINING)" = \
			"$epoch $draining" &&
			test "$(gang_record $id epoch)" = $epoch || return 1
	done
}

nodes_of() { told $1 MEMBER_NODELIST | tr , ' '; }
first_of() { set -- $(nodes_of $1); echo $1; }
last_of() { set -- $(nodes_of $1); echo ${!#}; }

drain() { scontrol update NodeName=$1 State=${2:-DRAIN} Reason="$1 is tested"; }
undrain() { scontrol update NodeName=$1 State=RESUME; }

# slurmctld has heard of it since it is there.
answers() { node_field $1 State | grep -q "^ALLOCATED+"; }

# In the order of the ring.
in_ring_order()
{
	tr , '\n' <<<"$(told ${ring[0]} NODELIST)" |
		grep -x "$(printf -- '%s\n' "$@")" | paste -sd,
}

test_expect_success 'two gangs and an idle node' '
	ring=($(drained_member train 2 2) $(drained_member train 2 2)) &&
	other=$(drained_member other 1 1) &&
	wait_for 15 all_in RUNNING ${ring[@]} $other &&
	for id in ${ring[@]} $other; do has_told $id || return 1; done &&
	idle=$(sinfo -h -t idle -o %N) && test -n "$idle" &&
	all_drain 1 "" ${ring[@]} $other &&
	grep -x SLURM_GANG_DRAINING= env.${ring[0]}.
'
test_expect_success '6.3: a node that drains is an epoch of the gang that has it alone' '
	drain $idle &&
	drain $(first_of $other) &&
	wait_for 15 "all_drain 2 $(first_of $other) $other" &&
	all_drain 1 "" ${ring[@]} &&
	undrain $(first_of $other) &&
	wait_for 15 "all_drain 3 \"\" $other" &&
	all_drain 1 "" ${ring[@]}
'
test_expect_success '6.3: all of its members hear of it' '
	a=$(first_of ${ring[0]}) b=$(last_of ${ring[1]}) &&
	{ "$sgang" epoch --wait=2 train >outside & } && waits=$! &&
	drain $a &&
	wait_for 15 "all_drain 2 $a ${ring[*]}" &&
	wait $waits &&
	grep -x "SLURM_GANG_DRAINING=.$a." outside &&
	all_in RUNNING ${ring[@]} &&
	drain $b &&
	wait_for 15 "all_drain 3 $(in_ring_order $a $b) ${ring[*]}"
'
test_expect_success '6.3: sgang epoch names the nodes, outside and in a member' '
	file=$(told ${ring[0]} STATE) &&
	"$sgang" epoch train >outside &&
	SLURM_GANG_STATE=$file "$sgang" epoch train >inside &&
	for says in outside inside; do
		grep -x "SLURM_GANG_DRAINING=.$(in_ring_order $a $b)." $says ||
			return 1
	done &&
	"$sgang" epoch --json train |
		jq -e ".epoch == 3 and (.draining | sort) ==
			([\"$a\", \"$b\"] | sort)" &&
	SLURM_GANG_STATE=$file "$sgang" epoch --json train |
		jq -e ".epoch == 3 and (.draining | length) == 2"
'
test_expect_success '6.3: a step that starts now knows it' '
	touch step.${ring[0]} &&
	wait_for 15 "test \"\$(grep -cx \"3 drains $(in_ring_order $a $b)\" \
		said.${ring[0]})\" = 2"
'
test_expect_success '6.3: slurmctld that died makes no other number' '
	wait_for 20 "test -z \"\$(gang_record ${ring[0]} since)\"" &&
	wait_for 20 grep -aq "$b is tested" "$slurm_dir/state/node_state" &&
	slurm_saved ${ring[0]} &&
	ctld_dies &&
	wait_for 15 "gang_log root/train running" &&
	all_drain 3 $(in_ring_order $a $b) ${ring[@]} &&
	wait_for 30 "answers $a" && wait_for 30 "answers $b" &&
	all_drain 3 $(in_ring_order $a $b) ${ring[@]}
'
test_expect_success '6.3: a node that is used again is an epoch' '
	undrain $a &&
	wait_for 15 "all_drain 4 $b ${ring[*]}" &&
	"$sgang" epoch --json train |
		jq -e ".epoch == 4 and .draining == [\"$b\"]" &&
	undrain $b &&
	wait_for 15 "all_drain 5 \"\" ${ring[*]}" &&
	"$sgang" epoch --json train |
		jq -e ".epoch == 5 and .draining == []" &&
	"$sgang" epoch train | grep -x "SLURM_GANG_DRAINING=.."
'
test_expect_success '6.3: so is one that is failing' '
	drain $a FAIL &&
	wait_for 15 "all_drain 6 $a ${ring[*]}" &&
	undrain $a &&
	wait_for 15 "all_drain 7 \"\" ${ring[*]}" &&
	all_drain 3 "" $other &&
	all_in RUNNING ${ring[@]} $other
'
last_case '
	undrain $idle &&
	clear_cluster && nothing_left
'
