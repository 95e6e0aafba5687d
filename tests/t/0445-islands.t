#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0445-islands.t - parts of nodes: GPUs and cores of one island
#
# Four nodes of 8 GPUs and 8 cores on two leaves; gres.conf says which cores are
# near to which GPUs, and two-islands.xml says the same. What a job got inside of
# its node is read from its cores and from the indices of its GPUs.

test_description='Members get their GPUs and cores from one island where they can'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

# gres.conf with the GPUs' files, which slurmd wants to see.
start_cluster()
{
	slurm_setup -n 4 -c 8 --gang --topology "$PWD/two-leaves.conf" \
		--node 'Gres=gpu:8' --conf 'GresTypes=gpu' \
		--gang-conf 'NodeTopology=n[1-4] Hwloc=two.xml'
	cp "$top_srcdir/tests/data/two-islands.xml" "$slurm_dir/etc/two.xml"
	mkdir "$slurm_dir/dev" && touch "$slurm_dir"/dev/gpu{0..7}
	printf '%s\n' "$1" | sed "s|/dev/|$slurm_dir/dev/|" \
		>"$slurm_dir/etc/gres.conf"
	# Slurm binds GPUs to sockets, not to cores
	sed -i "s/Sockets=1 CoresPerSocket=8/Sockets=2 CoresPerSocket=4/" \
		"$SLURM_CONF"
	slurm_start
}

switches a=n[1-2] b=n[3-4] top:a,b >two-leaves.conf

# The cores of the job on its only node: "0-3".
cores_of()
{
	scontrol -d show job $1 | sed -n 's/.* CPU_IDs=\([^ ]*\) .*/\1/p'
}

# In which island are they all: 0, 1 or "both"?
island_of()
{
	local cores

	cores=$(cores_of $1)
	case $cores in
	[0-3]|[0-3]-[0-3]|[0-3],[0-3]*) ;;
	[4-7]|[4-7]-[4-7]|[4-7],[4-7]*) echo 1; return ;;
	*) echo both; return ;;
	esac
	case $cores in *[4-7]*) echo both ;; *) echo 0 ;; esac
}

node_of() { squeue -h -j $1 -o %N; }

# Are all of its GPUs in the island of its cores?
gpus_match()
{
	local island=$(island_of $1) gpus

	gpus=$(scontrol -d show job $1 | sed -n 's/.*GRES=gpu:4(IDX:\(.*\))/\1/p')
	case $island:$gpus in 0:0-3|1:4-7) ;; *) false ;; esac
}

# A member of half a node: four GPUs and as many cores.
half() { submit -N 1 -n 4 --gres=gpu:4 --mem=100 "$@"; }

start_cluster 'Name=gpu File=/dev/gpu[0-3] Cores=0-3
Name=gpu File=/dev/gpu[4-7] Cores=4-7'

test_expect_success 'the description is taken' '
	wait_for 10 grep -q "4 nodes described inside" \
		"$slurm_dir/log/slurmctld.log"
'

test_expect_success '4.20 sgang topology show has nothing to complain of' '
	"$sgang" topology show n1 >out 2>err && test -s out && ! test -s err
'

test_expect_success '4.20, 4.22 two members of half a node fill it as two islands' '
	a=$(half --gang=pair --gang-min-member=2) &&
	b=$(half --gang=pair) &&
	wait_for 10 all_in RUNNING $a $b &&
	scontrol -d show job $a && scontrol -d show job $b &&
	test "$(node_of $a)" = "$(node_of $b)" &&
	gpus_match $a && gpus_match $b &&
	test "$(echo $(island_of $a) $(island_of $b) | tr " " "\n" | sort |
		tr "\n" " ")" = "0 1 "
'

test_cleared '4.14, 4.34 and it costs what it is' '
	gang_record $a &&
	recorded $a tier=node ring=10 hops=island:6,node:2 exact=1
'

test_cleared '4.20 a member is in one island whenever one is free' '
	on_nodes "n1 n2 n3 n4" -N 1 -n 1 --gres=gpu:1 --mem=10 &&
	wait_for 10 all_in RUNNING ${jobs[@]} &&
	for o in ${jobs[@]}; do test "$(island_of $o)" = 0 || return 1; done &&
	a=$(half --gang=free --gang-min-member=2) &&
	b=$(half --gang=free) &&
	wait_for 10 all_in RUNNING $a $b &&
	gang_record $a &&
	test $(island_of $a) = 1 && test $(island_of $b) = 1 &&
	gpus_match $a && gpus_match $b &&
	test "$(gang_record $a hops)" = island:6,leaf:2
'

# Ten times three cores on four times eight: not all have theirs on one node.
test_cleared 'shares that differ are not counted by islands' '
	submit_gang odd 10 --nodes=1-2 -n 3 --mem=100 &&
	start_together 15 ${members[@]}
'

# The number of nodes is not said, but follows: Slurm puts so many tasks on each.
for tasks in 4 3; do
	test_cleared "GPUs of a job whose $tasks tasks fill a node are its GPUs" '
		submit_gang full$tasks 4 -n $tasks --ntasks-per-node=$tasks \
			--gpus=8 --mem=100 &&
		start_together 15 ${members[@]}
	'
done

test_cleared 'where no island has room, several will do' '
	id=$(run_job -N 1 -n 6 --gres=gpu:6 --mem=100 --gang=big \
		--gang-min-member=1) &&
	test $(island_of $id) = both &&
	test "$(gang_record $id tier)" = node
'

test_cleared '4.20 a member of two nodes has one island of each' '
	a=$(submit -N 2 -n 8 --ntasks-per-node=4 --gres=gpu:4 --mem=100 \
		--gang=two --gang-min-member=2) &&
	b=$(submit -N 2 -n 8 --ntasks-per-node=4 --gres=gpu:4 --mem=100 \
		--gang=two) &&
	wait_for 10 all_in RUNNING $a $b &&
	scontrol -d show job $a && gang_record $a &&
	scontrol -d show job $a | grep "CPU_IDs=" >cores &&
	! grep -v -E "CPU_IDs=(0-3|4-7) " cores
'

test_cleared 'cores alone: tasks of one member share an island' '
	for i in 1 2 3; do
		submit -w n$i -N 1 -n 2 --mem=10 >/dev/null || return 1
	done &&
	a=$(submit -N 1 -n 4 --mem=100 --gang=cores --gang-min-member=2) &&
	b=$(submit -N 1 -n 4 --mem=100 --gang=cores) &&
	wait_for 10 all_in RUNNING $a $b &&
	test $(island_of $a) != both && test $(island_of $b) != both
'
slurm_stop
slurm_cleanup

# Nodes without a slurmd: of these Slurm knows no more than how many GPUs.
slurm_setup --cloud 4 --gang --topology "$PWD/two-leaves.conf" \
	--node 'Gres=gpu:8' --conf 'GresTypes=gpu' --gres 'Name=gpu Count=8' \
	--gang-conf 'NodeTopology=n[1-4] Hwloc=two.xml'
cp "$top_srcdir/tests/data/two-islands.xml" "$slurm_dir/etc/two.xml"
slurm_start

test_cleared 'GPUs that are bound to nothing: device=any' '
	a=$(half --gang=any --gang-min-member=2) &&
	b=$(half --gang=any) &&
	wait_for 10 all_in CONFIGURING $a $b &&
	gang_record $a &&
	test "$(gang_record $a device)" = any &&
	"$sgang" explain any | grep -x "   Device=any"
'

test_expect_success 'nothing is left, and nothing went wrong' 'nothing_left'

# How many processes of slurmctld there have been: a reconfigure may be another.
processes()
{
	grep -c "gang: slurm-gang for Slurm" "$slurm_dir/log/slurmctld.log"
}

test_cleared '4.14 a description of another machine is not used, and told once' '
	before=$(processes) &&
	sed -i "s/gpu:8/gpu:4/" "$SLURM_CONF" &&
	sed -i "s/Count=8/Count=4/" "$slurm_dir/etc/gres.conf" &&
	slurm_stop && slurm_start &&
	said="node n1 and 3 others count as one island each: the description \
\\\"two\\\" has 8 GPUs, for Slurm the node has 4: correct Gres=" &&
	wait_for 10 grep -q "$said" "$slurm_dir/log/slurmctld.log" &&
	scontrol reconfigure &&
	wait_for 10 "test \$(grep -c \"0 nodes described inside\" \
		$slurm_dir/log/slurmctld.log) -ge 2" &&
	test $(grep -c "$said" "$slurm_dir/log/slurmctld.log") = \
		$(($(processes) - before)) &&
	"$sgang" topology show n2 >out 2>err && test -s out &&
	grep "^sgang: node n2 counts as one island: the description \
.two. has 8 GPUs, for Slurm the node has 4: correct Gres=" err &&
	a=$(placed_job -N 1 -n 4 --gres=gpu:4 --mem=100 --gang=plain \
		--gang-min-member=1) &&
	recorded $a device="" tier=island
'

test_done
