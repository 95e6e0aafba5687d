#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0351-heirs.t - members that start after their gang know who they are

test_description='Member ranks of late, requeued and replacing members'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 6 -c 2 --gang
slurm_start

sgang=$top_builddir/src/cmd/sgang

cat >tells.sh <<-'EOF'
	#!/bin/bash
	env | grep ^SLURM_GANG >"$SLURM_SUBMIT_DIR/env.$SLURM_JOB_ID.$SLURM_RESTART_COUNT" &&
	exec sleep 600
EOF
chmod 755 tells.sh

# member NAME [OPTIONS]: two tasks on a node of its own
member()
{
	local name=$1

	shift
	submit -N1 -n2 --exclusive -t 10 --gang=$name --gang-min-member=3 "$@" \
		"$PWD/tells.sh"
}

# told ID NAME [RESTARTS]: what SLURM_GANG_NAME the member has
told()
{
	sed -n "s/^SLURM_GANG_$2=//p" env.$1.${3-}
}

has_told() { wait_for 15 "test -s env.$1.${2-}"; }

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
test_expect_success '6.2: after a restart of slurmctld vacant ranks are known' '
	scancel $wide ${members[3]} && wait_state $wide CANCELLED &&
	slurm_saved ${members[0]} &&
	slurm_kill9_ctld && slurm_start_ctld &&
	heir=$(member ring) &&
	wait_state $heir RUNNING 30 && has_told $heir &&
	test "$(told $heir MEMBER_RANK) $(told $heir RANK_OFFSET)" = "1 2" &&
	clear_cluster
'
test_expect_success '6.1: srun joins as an heir' '
	members=($(member step) $(member step) $(member step)) &&
	wait_for 15 all_in RUNNING ${members[@]} &&
	lost=$(in_rank_order ${members[@]} | sed -n 3p) &&
	drop $lost &&
	srun -N1 -n2 --exclusive -t 10 --gang=step --gang-min-member=3 \
		env | grep ^SLURM_GANG_MEMBER_RANK= | sort -u >rank.out &&
	test "$(cat rank.out)" = SLURM_GANG_MEMBER_RANK=2 &&
	clear_cluster
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
test_expect_success 'nothing is left' 'clear_cluster; nothing_left'

test_done
