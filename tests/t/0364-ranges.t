#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0364-ranges.t - members that may have fewer nodes than they would like

test_description='A gang with ranges of nodes (-N1-4) starts on as many as there are'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

cat >leaves.conf <<-END
SwitchName=l1 Nodes=n[1-2]
SwitchName=l2 Nodes=n[3-4]
SwitchName=top Switches=l[1-2]
END
slurm_setup --cloud 4 -c 4 --gang --topology leaves.conf
slurm_start

# gang OPTIONS...: a member with each of the options, in this order
gang()
{
	local options

	count=$((count + 1))
	members=()
	for options; do
		members+=($(submit $options --gang=g$count \
			--gang-min-member=$#)) || return 1
	done
	test ${#members[@]} = $#
}

# Nodes of the members, added up.
nodes_of()
{
	squeue -h -j "$(IFS=,; echo "$*")" -o %D | paste -s -d + | bc
}

# starts NODES OPTIONS...: it runs soon, on so many nodes, and is gone again
starts()
{
	local nodes=$1 has

	shift
	gang "$@" &&
		wait_for 15 all_in CONFIGURING ${members[@]} || return 1
	has=$(nodes_of ${members[@]})
	drop ${members[@]} &&
		test "$has" = $nodes || {
		echo "$*: $has nodes, and not $nodes" >&2
		return 1
	}
}

# waits REASON OPTIONS...
waits()
{
	local reason=$1

	shift
	gang "$@" && wait_for 15 squeue_says ${members[0]} "$reason" &&
		all_in PENDING ${members[@]} && drop ${members[@]}
}

# lists COUNT RANGE...: all ways to choose so many ranges, one on each line
lists()
{
	local count=$1 rest

	shift
	test $count -gt 0 || { echo; return; }
	while test $# -gt 0; do
		lists $((count - 1)) "$@" | while read -r rest; do
			echo "$1 $rest"
		done
		shift
	done
}

# All gangs of COUNT members with whole nodes and these ranges that fit on four
# nodes start, and leave no node idle that one of them would like.
all_lists()
{
	local list range least most options

	while read -r list; do
		least=0 most=0 options=()
		for range in $list; do
			least=$((least + ${range%-*}))
			most=$((most + ${range#*-}))
			options+=("-N$range --exclusive --mem=10")
		done
		test $least -le 4 || continue
		starts $((most < 4 ? most : 4)) "${options[@]}" || return 1
		tried=$((tried + 1))
	done < <(lists $1 1 1-2 1-4 2-3 3-4)
}

test_expect_success '5.5 two members of 1 to 2 nodes, three nodes are free' '
	busy=$(submit -w n4 -N1 --exclusive --mem=10) &&
	wait_state $busy CONFIGURING &&
	starts 3 -N1-2\ --exclusive\ --mem=10 -N1-2\ --exclusive\ --mem=10 &&
	drop $busy
'
tried=0
test_expect_success '5.5 all gangs of two' 'all_lists 2'
test_expect_success '5.5 all gangs of three' 'all_lists 3'
test_expect_success '5.5 all gangs of four' 'all_lists 4'
test_expect_success 'so many gangs' 'test $tried = 44'
test_expect_success '5.4 too many nodes at the lower end' '
	! gang -N2-4\ --exclusive\ --mem=10 -N3-4\ --exclusive\ --mem=10 \
		2>err &&
	grep "2 of its members need 5 whole nodes" err &&
	drop ${members[@]}
'
test_expect_success '5.5 more nodes than there are' '
	starts 4 -N1-100\ --exclusive\ --mem=10 -N2-100000\ --exclusive\ --mem=10
'
test_expect_success '5.5 the tasks of an array' '
	id=$(submit --array=0-2 -N1-3 --exclusive --mem=10 --gang=array \
		--gang-min-member=3) &&
	wait_for 15 all_in CONFIGURING ${id}_0 ${id}_1 ${id}_2 &&
	test "$(nodes_of $id)" = 4 &&
	scancel $id && wait_for 10 nodes_idle
'
test_expect_success '5.5 members held one by one' '
	members=() &&
	for i in 1 2 3; do
		members+=($(submit -N1-3 --exclusive --mem=10 --gang=slow \
			--gang-min-member=3 --gang-mode=nonstrict)) || return 1
	done &&
	wait_for 20 all_in CONFIGURING ${members[@]} &&
	drop ${members[@]}
'
# Slurm gives a job no more nodes than it has tasks, which until 24.05 are those
# on the lower end. A plan for more of them puts each member into a leaf.
test_expect_success '5.5 no more nodes are planned than the tasks need' '
	gang -N1-2\ --ntasks-per-node=1\ --exclusive\ --mem=10 \
		-N1-2\ --ntasks-per-node=1\ --exclusive\ --mem=10 &&
	wait_for 15 all_in CONFIGURING ${members[@]} &&
	case "$(nodes_of ${members[@]}) $(gang_record ${members[0]} ring)" in
	"2 8" | "4 40") drop ${members[@]} ;;
	*) false ;;
	esac
'
# Slurm 22.05 gives a job with --ntasks-per-node as many tasks as its nodes have,
# and would ask for as many nodes again. On two nodes "small" leaves no room.
test_expect_success '5.5 fewer nodes than those that were given back' '
	members=($(submit -N1-2 --ntasks-per-node=2 -c2 --mem=10 --gang=small \
			--gang-min-member=1 --gang-groups=root/large) \
		$(submit -N3 --exclusive --mem=10 --gang=large \
			--gang-min-member=1 --gang-groups=root/small)) &&
	wait_for 15 all_in CONFIGURING ${members[@]} &&
	test "$(nodes_of ${members[@]})" = 4 &&
	scontrol show job ${members[0]} | grep " NumTasks=2 " &&
	drop ${members[@]}
'
test_expect_success 'n1 has 4 CPUs left, n2 and n3 have 2' '
	busy="$(submit -w n2 -N1 -n2 --mem=10) $(submit -w n3 -N1 -n2 --mem=10)
		$(submit -w n4 -N1 --exclusive --mem=10)" &&
	wait_for 10 all_in CONFIGURING $busy
'
test_expect_success '5.5 tasks on each node' '
	starts 4 -N1-3\ --ntasks-per-node=2\ --mem=10 \
		-N1-3\ --ntasks-per-node=2\ --mem=10
'
test_expect_success '5.5 as many tasks on fewer nodes' '
	starts 4 -N1-2\ -n4\ --mem=10 -N1-2\ -n4\ --mem=10
'
test_expect_success '5.5 the same after another kind' '
	starts 4 -N1\ -n2\ --mem=10 -N1-2\ -n2\ --mem=10 -N1-3\ -n4\ --mem=10
'
test_expect_success '5.6 a task too many' '
	waits "CPU" -N1-2\ -n4\ --mem=10 -N1-2\ -n5\ --mem=10
'
test_expect_success '5.5 it starts later when a node becomes free' '
	gang -N2-3\ --exclusive\ --mem=10 -N1-2\ -n2\ --mem=10 &&
	wait_for 15 squeue_says ${members[0]} "waits: " &&
	all_in PENDING ${members[@]} &&
	drop $busy &&
	wait_for 20 all_in CONFIGURING ${members[@]} &&
	drop ${members[@]}
'
test_expect_success 'n4 has no CPU left' '
	busy=$(submit -w n4 -N1 -n4 --mem=10) &&
	wait_for 10 all_in CONFIGURING $busy
'
# Two share three nodes; the third would like four, and has room on three.
test_expect_success '5.5 one that differs gives up no more than it must' '
	starts 6 -N1-3\ --ntasks-per-node=3\ --mem=10 \
		-N1-3\ --ntasks-per-node=3\ --mem=10 -N1-4\ --mem=10 &&
	drop $busy
'
test_expect_success 'n1 has 4000 MB left, the others have 1000' '
	busy=$(submit -w n2 -N1 -n1 --mem=3000) &&
	busy+=" $(submit -w n3 -N1 -n1 --mem=3000)" &&
	busy+=" $(submit -w n4 -N1 -n1 --mem=3000)" &&
	wait_for 10 all_in CONFIGURING $busy
'
test_expect_success '5.5 memory on each node' '
	starts 5 -N1-4\ --mem=1000 -N1-4\ --mem=2500
'
test_expect_success '5.5 memory for each CPU, more on fewer nodes' '
	starts 3 -N1-2\ -n3\ --mem-per-cpu=1000 -N1-2\ -n2\ --mem-per-cpu=1000
'
test_expect_success 'nothing is left' '
	clear_cluster && nothing_left
'
test_done
