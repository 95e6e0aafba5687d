#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0352-heir-nodes.t - an heir's nodes are the cheapest, the others where they are
#
# SEED=N and ROUNDS=N choose other rounds.

test_description='The nodes of heirs by ring cost, compared with a search'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

seed=${SEED:-352} rounds=${ROUNDS:-12}

switches leaf1=n[1-3] leaf2=n[4-6] leaf3=n[7-9] leaf4=n[10-12] \
	spine1:leaf[1-2] spine2:leaf[3-4] core:spine[1-2] >spines.conf
slurm_cluster -n 12 -c 2 --gang --topology "$PWD/spines.conf"

RANDOM=$seed

# What a ring along these nodes costs; by the topology above and nothing else.
ring_cost()
{
	awk -v nodes="$*" 'BEGIN {
		n = split(nodes, node, " ")
		for (i = 1; i <= n; i++) {
			a = substr(node[i], 2) - 1
			b = substr(node[i % n + 1], 2) - 1
			if (a == b) sum += 2
			else if (int(a / 3) == int(b / 3)) sum += 4
			else if (int(a / 6) == int(b / 6)) sum += 16
			else sum += 64
		}
		print sum
	}'
}

idle_nodes() { sinfo -h -N -t idle -o %N; }

# The members' nodes by rank, "-" for one without: nodes_by_rank ID...
nodes_by_rank()
{
	local id rank list=()

	for id in "${members[@]}"; do list+=(-); done
	for id in "${members[@]}"; do
		rank=$(gang_record $id rank)
		list[${rank%/*}]=$(job_field $id NodeList)
	done
	echo "${list[@]}"
}

# round: a gang between other jobs, one member is lost, its node is taken, and
# the heir has the cheapest of those that are idle.
round()
{
	local blockers=() id n lost at before after node cost least= free

	for n in $(shuf -i 1-12 -n $((RANDOM % 4 + 2)) \
		--random-source=<(yes $RANDOM)); do
		blockers+=($(submit -w n$n -N1 --exclusive -t 10)) || return 1
	done
	wait_for 20 all_in RUNNING ${blockers[@]} || return 1
	gang_of_nodes g $((RANDOM % 3 + 3)) -t 10 --gang-min-member=3 || return 1
	wait_for 20 all_in RUNNING ${members[@]} || return 1
	wait_for 10 "test -n \"\$(gang_record ${members[-1]} rank)\"" || return 1
	# some of the others end, so that there is a choice
	scancel ${blockers[@]:0:RANDOM % ${#blockers[@]}}
	lost=$((RANDOM % ${#members[@]}))
	id=${members[lost]} at=$(gang_record $id rank)
	at=${at%/*} node=$(job_field $id NodeList)
	scancel $id
	blockers+=($(submit -w $node -N1 --exclusive -t 10 --nice=-1000)) &&
	wait_state ${blockers[-1]} RUNNING 20 || return 1
	unset "members[lost]"
	members=(${members[@]})
	wait_for 15 "! squeue -h -t CG -o x | grep x >/dev/null" || return 1
	free=$(idle_nodes)
	id=$(submit -N1 --exclusive -t 10 --gang=g --gang-min-member=3) &&
	wait_state $id RUNNING 20 &&
	wait_for 10 "test -n \"\$(gang_record $id rank)\"" || return 1
	members+=($id)
	after=($(nodes_by_rank))
	echo "# $(gang_record $id rank): ${after[*]}, free: $(xargs <<<"$free")"
	test "$(gang_record $id rank)" = $at/${#members[@]} || return 1
	before=(${after[@]})
	for node in $free; do
		before[at]=$node
		cost=$(ring_cost ${before[@]})
		test -n "$least" && test $least -le $cost || least=$cost
	done
	cost=$(ring_cost ${after[@]})
	test $cost = $least && test "$(gang_record $id ring)" = $cost &&
	return
	echo "seed $seed: $cost, record $(gang_record $id ring), least $least" >&2
	return 1
}

# The new member has a node beside each of its neighbours, and the order of names is
# not the cheapest.
test_cleared '6.4: of several nodes, those nearest to a neighbour are beside it' '
	blockers=($(submit -w "n[1-6]" -N6 --exclusive) \
		$(submit -w "n[7,10]" -N2 --exclusive)) &&
	wait_for 20 all_in RUNNING ${blockers[@]} &&
	members=($(submit -N2 --exclusive --gang=wide --gang-min-member=2)
		$(submit -N2 --exclusive --gang=wide)) &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	scancel ${blockers[1]} &&
	wait_for 20 "test \"\$(idle_nodes | xargs)\" = \"n7 n10\"" &&
	id=$(submit -N2 --exclusive --gang=wide) && wait_state $id RUNNING &&
	wait_for 10 "test \"\$(gang_record $id ring)\" = \
		$(ring_cost n8 n9 n11 n12 n10 n7)"
'
# A leaf of its own: not one node of each of two leaves.
test_cleared '4.24: of several nodes, all are in one leaf' '
	on_nodes "n8 n9 n11 n12" -N1 --exclusive && blockers=(${jobs[@]}) &&
	wait_for 20 all_in RUNNING ${blockers[@]} &&
	spread="-N2 --exclusive --gang=apart --gang-topology=spread:leaf" &&
	members=($(submit $spread --gang-min-member=2) $(submit $spread)) &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	id=$(submit $spread) &&
	wait_for 15 squeue_says $id "Gang root/apart is spread: this member\
 waits for room in a leaf without another" &&
	wait_cycles 3 && job_is $id PENDING &&
	idle_nodes >free && grep -x n7 free && grep -x n10 free &&
	scancel ${blockers[2]} && wait_state $id RUNNING &&
	test "$(job_field $id NodeList)" = "n[10-11]"
'
for i in $(seq $rounds); do
	test_expect_success "6.4: seed $seed, $i" 'round; r=$?; clear_cluster; test $r = 0'
done
last_case 'clear_cluster; nothing_left'
