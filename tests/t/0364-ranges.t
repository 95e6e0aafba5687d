#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0364-ranges.t - members that may have fewer nodes than they would like, and members
# whose tasks Slurm does not share out evenly

test_description='A gang starts on as many nodes, and in such shares, as there are'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

switches l1=n[1-2] l2=n[3-4] top:l[1-2] >topology.conf
slurm_cluster --cloud 4 -c 4 --gang --topology topology.conf --node 'Gres=gpu:4' \
	--gres 'Name=gpu Count=4' --conf 'GresTypes=gpu'

# gang OPTIONS...: a member with each of the options, and with those that all have,
# in this order
of_all=
gang()
{
	count=$((count + 1))
	submit_each "$@" -- $of_all --gang=g$count --gang-min-member=$# &&
		test ${#members[@]} = $#
}

# Nodes of the members, added up.
nodes_of()
{
	echo $(($(squeue -h -j "$(IFS=,; echo "$*")" -o %D | paste -s -d +)))
}

# starts_on NODES OPTIONS...: it runs soon, on so many nodes, and is gone again
starts_on()
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

# waits_for REASON OPTIONS...
waits_for()
{
	local reason=$1

	gang "${@:2}" && wait_for 15 squeue_says ${members[0]} "$reason" &&
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
		starts_on $((most < 4 ? most : 4)) "${options[@]}" || return 1
		tried=$((tried + 1))
	done < <(lists $1 1 1-2 1-4 2-3 3-4)
}

test_expect_success '5.5 two members of 1 to 2 nodes, three nodes are free' '
	busy=$(placed_job -w n4 -N1 --exclusive --mem=10) &&
	starts_on 3 -N1-2\ --exclusive\ --mem=10 -N1-2\ --exclusive\ --mem=10 &&
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
	starts_on 4 -N1-100\ --exclusive\ --mem=10 -N2-100000\ --exclusive\ --mem=10
'
test_expect_success '5.5 the tasks of an array' '
	id=$(submit --array=0-2 -N1-3 --exclusive --mem=10 --gang=array \
		--gang-min-member=3) &&
	wait_for 15 all_in CONFIGURING ${id}_0 ${id}_1 ${id}_2 &&
	test "$(nodes_of $id)" = 4 &&
	scancel $id && wait_for 10 nodes_idle
'
test_expect_success '5.6 shares beside GPUs that were not found may be there' '
	gang "-N1 -n3 --gpus=3" "-N1 -n3 --gpus=3" "-N1 -n3 --gpus=3" \
		"-N1 -n3 --gpus=3" "-N2 -n3 --gpus=4" &&
	wait_for 15 gang_attempted ${members[0]} 1 &&
	"$top_builddir/src/cmd/sgang" explain g$count >out && cat out &&
	grep "Reason=" out && ! grep "Helps=" out &&
	drop ${members[@]}
'
test_expect_success '5.5 members held one by one' '
	submit_gang slow 3 -N1-3 --exclusive --mem=10 --gang-mode=nonstrict &&
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
	starts_on 4 -N1-3\ --ntasks-per-node=2\ --mem=10 \
		-N1-3\ --ntasks-per-node=2\ --mem=10
'
test_expect_success '5.5 as many tasks on fewer nodes' '
	starts_on 4 -N1-2\ -n4\ --mem=10 -N1-2\ -n4\ --mem=10
'
test_expect_success '5.5 the same after another kind' '
	starts_on 4 -N1\ -n2\ --mem=10 -N1-2\ -n2\ --mem=10 -N1-3\ -n4\ --mem=10
'
test_expect_success '5.6 a task too many' '
	waits_for "CPU" -N1-2\ -n4\ --mem=10 -N1-2\ -n5\ --mem=10
'
test_expect_success '5.5 it starts later when a node becomes free' '
	gang -N2-3\ --exclusive\ --mem=10 -N1-2\ -n2\ --mem=10 &&
	wait_for 15 squeue_says ${members[0]} "waits: " &&
	all_in PENDING ${members[@]} &&
	drop $busy &&
	wait_for 20 all_in CONFIGURING ${members[@]} &&
	drop ${members[@]}
'
# On one node each of them lacks GPUs, on three both lack nodes: two are right.
test_expect_success '5.6 it is foretold when it starts between both ends of a range' '
	busy=$(placed_job -w n4 -N1 --exclusive --mem=10 -t 30) &&
	gang -N1-3\ -n4\ --gpus-per-task=2\ --mem=10 \
		-N1-3\ -n4\ --gpus-per-task=2\ --mem=10 &&
	wait_for 15 squeue_says ${members[0]} "waits: " &&
	ends=$(job_field $busy EndTime) &&
	wait_for 15 "test \"\$(job_field ${members[0]} StartTime)\" = $ends" &&
	drop $busy &&
	wait_for 20 all_in CONFIGURING ${members[@]} &&
	test "$(nodes_of ${members[@]})" = 4 && drop ${members[@]}
'
test_expect_success 'n4 has no CPU left' 'busy=$(placed_job -w n4 -N1 -n4 --mem=10)'
# Two share three nodes; the third would like four, and has room on three.
test_expect_success '5.5 one that differs gives up no more than it must' '
	starts_on 6 -N1-3\ --ntasks-per-node=3\ --mem=10 \
		-N1-3\ --ntasks-per-node=3\ --mem=10 -N1-4\ --mem=10 &&
	drop $busy
'
test_expect_success 'n1 has 4000 MB left, the others have 1000' '
	on_nodes "n2 n3 n4" -N1 -n1 --mem=3000
'
test_expect_success '5.5 memory on each node' '
	starts_on 5 -N1-4\ --mem=1000 -N1-4\ --mem=2500
'
test_expect_success '5.5 memory for each CPU, more on fewer nodes' '
	starts_on 3 -N1-2\ -n3\ --mem-per-cpu=1000 -N1-2\ -n2\ --mem-per-cpu=1000
'
test_expect_success 'nothing is left so far' 'clear_cluster && nothing_left'

# --- shares of tasks ---

of_all=--mem=10

# leave_of WHAT FREE...: of the four of each node, which the option WHAT asks for, so
# many are free on n1, n2 ...
leave_of()
{
	local what=$1 free node=0 busy=()

	for free in "${@:2}"; do
		node=$((node + 1))
		test $free -lt 4 || continue
		busy+=($(submit -w n$node -N1 -n1 $what$((4 - free)) --mem=10)) ||
			return 1
	done
	wait_for 15 all_in CONFIGURING ${busy[@]}
}

# leave CPUS..., leave_gpus GPUS...
leave() { leave_of -n "$@"; }
leave_gpus() { leave_of --gres=gpu: "$@"; }

# starts OPTIONS...: it runs soon, and is gone again
starts()
{
	gang "$@" && wait_for 15 all_in CONFIGURING ${members[@]} || {
		echo "$*: $(squeue -h -o "%i %T %r")" >&2
		return 1
	}
	drop ${members[@]}
}

# stock OPTIONS...: the same of jobs without a gang
stock()
{
	submit_each "$@" -- --mem=10 &&
		wait_for 15 all_in CONFIGURING ${members[@]} && drop ${members[@]}
}

# waits REASON PLACE OPTIONS...: the reason is shown, and that line of the places
# that sgang explain tells of
waits()
{
	local reason=$1 place=$2

	gang "${@:3}" && wait_for 15 squeue_says ${members[0]} "$reason" &&
		explains "$place" && all_in PENDING ${members[@]} &&
		drop ${members[@]}
}

explains()
{
	"$sgang" explain root/g$count >explained && cat explained &&
		grep -- "$1" explained
}

test_expect_success 'n1 has 4 CPUs left, n2 and n3 have 2, n4 has 1' 'leave 4 2 2 1'
test_expect_success '5.5 seven tasks on four nodes' '
	stock "-N4 -n7" &&
	starts "-N4 -n7"
'
test_expect_success '5.5 as many as the nodes have CPUs' '
	stock "-N4 -n9" &&
	starts "-N4 -n9"
'
test_expect_success '5.5 two members on the same nodes' '
	starts "-N3 -n5" "-N2 -n4" &&
	starts "-N4 -n5" "-N3 -n4" &&
	starts "-N2 -n4" "-N2 -n4" "-N1 -n1"
'
test_expect_success '5.5 with another kind' 'starts "-N3 -n4" "-N1 -n3" "-n2"'
test_expect_success '5.5 fewer nodes, and uneven there' 'starts "-N2-3 -n5" "-N1 -n4"'
test_expect_success '5.5 two CPUs for each task' 'starts "-N3 -n4 -c2" "-N1 -n1"'
test_expect_success '5.6 a task too many' '
	waits "10 CPUs are needed, 9 are free" \
		"Place=top Free=9 Needed=10 Unit=CPU$" \
		"-N4 -n6" "-N3 -n4" &&
	waits "10 CPUs are needed, 8 are free (nodes without room: 1 busy)" \
		"Place=top Free=8 Needed=10 Unit=CPU Causes=busy=1" \
		"-N3 -n5 -c2"
'
test_expect_success '5.6 the least of each node has no room' '
	waits "4 places with 2 CPUs are needed, 3 are free" \
		"Place=top Free=3 Needed=4 Unit=2xCPU" "-N4 -n4 -c2"
'
test_expect_success 'all nodes are empty' 'clear_cluster'
test_expect_success '5.5 every CPU of the cluster' '
	stock "-N4 -n16" &&
	starts "-N3 -n8" "-N3 -n8" &&
	starts "-N2 -n5" "-N3 -n6" "-N4 -n5"
'
test_expect_success '5.4 no shares fit on the empty cluster: it is in nobodys way' '
	gang "-N2 -n8" "-N3 -n5" &&
	wait_for 20 squeue_says ${members[0]} \
		"each member has room, all together have not" &&
	id=$(placed_job -N4 -n16 --mem=10 --nice=100) &&
	drop $id ${members[@]}
'
test_expect_success '4.20 where no other shares fit the even ones are the cheapest' '
	gang "-N2 -n8" &&
	wait_for 15 all_in CONFIGURING ${members[@]} &&
	gang_record ${members[0]} | tee record &&
	grep "exact=1" record &&
	drop ${members[@]}
'
test_expect_success '5.5 it starts when a job ends that stands in its way' '
	busy=$(placed_job -w n1 -N1 -n1 --mem=10) &&
	gang "-N3 -n8" "-N3 -n8" &&
	wait_for 15 gang_attempted ${members[0]} 1 &&
	all_in PENDING ${members[@]} &&
	"$top_builddir/src/cmd/sgang" explain g$count >out && cat out &&
	grep "Helps=the end of job $busy, which no time limit ends" out &&
	drop $busy &&
	wait_for 20 all_in CONFIGURING ${members[@]} &&
	drop ${members[@]}
'
test_expect_success '5.5 members held one by one' '
	submit_gang uneven 2 -N3 -n8 --mem=10 --gang-mode=nonstrict &&
	wait_for 20 all_in CONFIGURING ${members[@]} &&
	drop ${members[@]}
'
test_cleared '5.6 CPUs enough, but no shares' '
	leave 4 4 3 0 &&
	waits "11 CPUs are free where it may be, but its tasks do not fit on its nodes, however many each has" \
		"Place=top Free=11 Needed=11 Unit=CPU Causes=busy=1" \
		"-N2 -n7" "-N3 -n4"
'
test_expect_success '4.20 even shares are not called the cheapest' '
	leave 2 1 2 0 &&
	gang "-N2 -n3" &&
	wait_for 15 all_in CONFIGURING ${members[@]} &&
	gang_record ${members[0]} >record && cat record &&
	test "$(job_field ${members[0]} NodeList)" = "n[1,3]" &&
	! grep "exact=1" record &&
	test "$(gang_record ${members[0]} bound)" -lt \
		"$(gang_record ${members[0]} ring)" &&
	drop ${members[@]}
'
# Two ranks on each of two nodes, one in each leaf: two hops inside, two across.
# One rank on each would have room in a leaf, which is asked for the bound alone.
test_expect_success '5.6 what Slurm would have chosen is of the shares planned' '
	clear_cluster &&
	leave 4 1 4 1 &&
	gang "-N2 -n4" &&
	wait_for 15 all_in CONFIGURING ${members[@]} &&
	gang_record ${members[0]} >record && cat record &&
	recorded ${members[0]} ring=34 stock=34 &&
	drop ${members[@]}
'
test_expect_success 'nothing is left so far' 'clear_cluster && nothing_left'

# --- GPUs ---

test_expect_success '5.5 GPUs of a job of which no node has so many' '
	stock "--gpus=6" "--gpus=6" &&
	starts "--gpus=6" &&
	starts "--gpus=6" "--gpus=6" &&
	starts "--gpus=10" "--gpus=6"
'
test_expect_success '5.5 with tasks' '
	stock "--gpus=6 -n6" "--gpus=6 -n6" &&
	starts "--gpus=6 -n6" "--gpus=6 -n6" &&
	starts "--gpus=6 -n2" "--gpus=10 -n3"
'
test_expect_success '5.5 two CPUs for each task' '
	starts "--gpus=6 -n2 -c2" "--gpus=6 -c2"
'
test_expect_success '4.20 what Slurm shares out is not called the cheapest' '
	gang "--gpus=6" &&
	wait_for 15 all_in CONFIGURING ${members[@]} &&
	gang_record ${members[0]} >record && cat record &&
	! grep "exact=1" record &&
	drop ${members[@]}
'
test_expect_success '5.6 a GPU too many: it waits, for the node that is needed' '
	busy=$(placed_job -w n4 -N1 -n1 --gres=gpu:1 --mem=10) &&
	gang "--gpus=8" "--gpus=8" &&
	wait_for 15 squeue_says ${members[0]} \
		"16 GPUs are needed, 15 are free" &&
	explains "Free=15 Needed=16 Unit=GPU$" &&
	all_in PENDING ${members[@]} &&
	drop $busy &&
	wait_for 20 all_in CONFIGURING ${members[@]} &&
	drop ${members[@]}
'
test_expect_success '5.5 four GPUs are free on one node, two on another' '
	leave_gpus 4 2 0 0 &&
	stock "--gpus=6" &&
	starts "--gpus=6" &&
	starts "-N2 --gpus=6" &&
	starts "-N2 -n2 --gpus=6" &&
	starts "-N1-2 -n2 --gpus=6" &&
	starts "--gpus=6 -n6" &&
	starts "--gpus=6 -n4" &&
	starts "--gpus=2 -n4" "--gpus=4" &&
	waits "7 GPUs are needed, 6 are free (nodes without room: 2 with too few free GPUs)" \
		"Free=6 Needed=7 Unit=GPU Causes=busy_gpus=2" "-N2 --gpus=7"
'
test_expect_success 'all GPUs are free again' 'clear_cluster'
test_expect_success '5.5 as many as are left, on three nodes' '
	leave_gpus 3 2 2 0 &&
	stock "--gpus=7" &&
	starts "--gpus=7" &&
	starts "-N3 --gpus=7" &&
	starts "--gpus=7 -n3"
'
last_case 'clear_cluster && nothing_left'
