#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0440-placement.t - which nodes, on a fabric of nodes without a slurmd
#
# The two fragmentations are those for which Slurm's own choice is known to be
# three times as dear as the best one (doc/behaviours.md, section 4). The jobs
# stay CONFIGURING, and what they cost stands in their record.

test_description='Gangs, and with PlaceAll all jobs, go where their ring is cheap'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

two_pods=$top_srcdir/tests/data/pods-2x2x4.conf
three_pods=$top_srcdir/tests/data/pods-3x3x4.conf

# A job that gets its nodes now.
take()
{
	local id

	id=$(submit "$@") && wait_state $id CONFIGURING && echo $id
}

nodes_of() { squeue -h -j $1 -o %N; }

# recorded ID WORD=VALUE...: what the record of the job says
# costs ID TOPOLOGY COST: several choices may be equally good
costs()
{
	echo "# job $1 is on $(nodes_of $1)" &&
	test "$(ring_cost $2 $(nodes_of $1))" = $3
}

# free 2,1 | 4,4
fragment_two_pods() { jobs_on n[3-4] n[6-8]; }

# free 2,2,3 | 1,1,3 | 2,1,1
fragment_three_pods()
{
	jobs_on n[3-5] n7 n9 n[13-15] n[17-19] n23 n[25-26] n[29-31] \
		n[33-35]
}

free_nodes()
{
	scontrol show hostlistsorted \
		"$(sinfo -h -N -o '%N %T' | awk '$2 ~ /^idle/ { print $1 }' |
			sort -u | paste -sd,)"
}

# What the ring over these nodes costs, one rank a node: computed from the
# fabric's description alone. Level by level, every domain that is used and
# not common to all adds the difference between a hop in it and one above.
ring_cost()
{
	scontrol show hostnames "$2" | awk -v file="$1" '
		BEGIN {
			while ((getline line < file) > 0) {
				if (line !~ /^SwitchName=l/)
					continue
				leaves++
			}
		}
		{ node[NR] = substr($1, 2) + 0 }
		function hop(a, b,   leaf_a, leaf_b) {
			leaf_a = int((a - 1) / 4)
			leaf_b = int((b - 1) / 4)
			if (leaf_a == leaf_b)
				return 4
			per = (leaves == 4) ? 2 : 3
			if (int(leaf_a / per) == int(leaf_b / per))
				return 16
			return 64
		}
		END {
			for (i = 1; i <= NR; i++)
				cost += hop(node[i], node[i % NR + 1])
			print cost
		}'
}

slurm_cluster --cloud 16 --stock --topology "$two_pods"

test_expect_success 'the cost that this test computes is the documented one' '
	test "$(ring_cost $two_pods "n[9-14]")" = 48 &&
	test "$(ring_cost $two_pods "n[1-2,9-12]")" = 144 &&
	test "$(ring_cost $three_pods "n[1,10-12]")" = 40
'

test_expect_success 'stock, two pods' '
	fragment_two_pods &&
	id=$(take -N 6 --exclusive) &&
	stock=$(nodes_of $id) &&
	echo "# stock places six nodes on $stock: $(ring_cost $two_pods $stock)"
'
# Later releases take four nodes of one leaf first.
! slurm_release 22.05 || test_set_prereq SLURM_22_05
test_expect_success SLURM_22_05 'their cost: 144' '
	test "$(ring_cost $two_pods $stock)" = 144
'
slurm_cleanup

slurm_cluster --cloud 16 --gang --topology "$two_pods"

test_expect_success '4.20 a gang of one job, two pods: 48' '
	fragment_two_pods &&
	id=$(take -N 6 --exclusive --gang=one --gang-min-member=1) &&
	costs $id $two_pods 48 &&
	recorded $id ring=48 best=48 cross=2 tier=spine ranks=6 exact=1
'
test_expect_success '4.19 an ordinary job is placed by Slurm as before' '
	drop $id &&
	id=$(take -N 6 --exclusive) &&
	test "$(nodes_of $id)" = "$stock"
'
test_expect_success '4.19 with PlaceAll=yes it is placed too: 48' '
	drop $id &&
	echo "PlaceAll=yes" >"$slurm_dir/etc/gang.conf" &&
	scontrol reconfigure &&
	wait_for 10 "grep -q \"placement of all jobs\" \
		$slurm_dir/log/slurmctld.log" &&
	id=$(take -N 6 --exclusive) &&
	costs $id $two_pods 48
'
test_expect_success '4.28 a gang of one takes the same, in ring order' '
	clear_cluster &&
	id=$(take -N 4 --exclusive --gang=four --gang-min-member=1) &&
	recorded $id ring=16 best=16 tier=leaf cross=0
'

# Submit members of the shape of the arguments; "members" has their ids.
gather() { submit_gang "$@" && wait_for 20 all_in CONFIGURING ${members[@]}; }

nodes_together()
{
	squeue -h -j "$(tr ' ' , <<<"$*")" -o %N | while read -r list; do
		scontrol show hostnames "$list"
	done | sort -V
}

test_expect_success '4.20 four members of two nodes, two leaves free: one pod' '
	clear_cluster &&
	jobs_on n[1-3] n[5-7] &&
	gather pairs 4 -N 2 --exclusive &&
	test "$(nodes_together ${members[@]} | tr "\n" " ")" = \
		"n9 n10 n11 n12 n13 n14 n15 n16 " &&
	recorded ${members[0]} ring=56 tier=spine &&
	recorded ${members[3]} rank=3/4 off=6
'
test_expect_success '4.20 and no member is cut by a leaf' '
	for id in ${members[@]}; do
		leaves=$(nodes_together $id |
			sed "s/n//" | awk "{ print int((\$1 - 1) / 4) }" |
			sort -u | wc -l) &&
		test $leaves = 1 || return 1
	done
'
test_expect_success '4.24 4.25 require:leaf does not span leaves' '
	clear_cluster &&
	jobs_on n[2-4] n[6-8] n[9-10] n[13-14] &&
	members=($(submit -N 3 --exclusive --gang=tight --gang-min-member=1 \
		--gang-topology=require:leaf)) &&
	wait_for 10 squeue_says ${members[0]} leaf &&
	wait_for 10 gang_attempted ${members[0]} 1 &&
	job_is ${members[0]} PENDING &&
	test "$(nodes_in idle)" = 6
'
test_expect_success '4.25 require:spine may, and takes the pod' '
	id=$(take -N 3 --exclusive --nice=-100 --gang=loose --gang-min-member=1 \
		--gang-topology=require:spine) &&
	recorded $id tier=spine ring=36 &&
	job_is ${members[0]} PENDING
'
test_expect_success '4.24 it starts when a leaf has the room' '
	drop $id &&
	scancel $(squeue -h -w n13 -o %i) &&
	wait_state ${members[0]} CONFIGURING 20 &&
	recorded ${members[0]} tier=leaf ring=12
'
test_expect_success '4.20 members that share nodes: eight single CPUs, one node' '
	clear_cluster &&
	gather cpus 8 -n 1 -c 1 --mem=10 &&
	test "$(nodes_together ${members[@]} | sort -u | wc -l)" = 1 &&
	recorded ${members[0]} ring=8 tier=island
'
test_expect_success '4.20 twelve with five CPUs left here and there: one leaf' '
	clear_cluster &&
	on_nodes "$(echo n{1..12})" -N 1 -c 6 --mem=10 &&
	jobs_on n[13-16] &&
	gather dozen 6 -n 1 -c 1 --mem=10 &&
	test "$(nodes_together ${members[@]} | sort -u | sed "s/n//" |
		awk "{ print int((\$1 - 1) / 4) }" | sort -u | wc -l)" = 1 &&
	test "$(nodes_together ${members[@]} | sort -u | wc -l)" = 3 &&
	test "$(gang_record ${members[0]} ring)" = 15
'
test_expect_success 'memory is counted: one member a node where it is short' '
	clear_cluster &&
	gather fat 4 -n 1 -c 1 --mem=5000 &&
	test "$(nodes_together ${members[@]} | sort -u | wc -l)" = 4 &&
	recorded ${members[0]} tier=leaf ring=16
'
test_expect_success 'nothing is left, two pods' '
	clear_cluster &&
	nothing_left
'
slurm_cleanup

slurm_cluster --cloud 36 --stock --topology "$three_pods"

test_expect_success 'stock, three pods: 136' '
	fragment_three_pods &&
	test "$(free_nodes)" = \
		"n[1-2,6,8,10-12,16,20-22,24,27-28,32,36]" &&
	id=$(take -N 4 --exclusive) &&
	stock=$(nodes_of $id) &&
	echo "# stock places four nodes on $stock: $(ring_cost $three_pods $stock)" &&
	test "$(ring_cost $three_pods $stock)" = 136
'
slurm_cleanup

slurm_cluster --cloud 36 --gang --topology "$three_pods" \
	--gang-conf 'PlaceAll=yes'

test_expect_success '4.20 three pods: 40 for a gang' '
	fragment_three_pods &&
	id=$(take -N 4 --exclusive --gang=one --gang-min-member=1) &&
	costs $id $three_pods 40 &&
	recorded $id ring=40 best=16 exact=1 &&
	drop $id
'
test_expect_success '4.19 and the same for an ordinary job' '
	id=$(take -N 4 --exclusive) &&
	costs $id $three_pods 40
'
test_expect_success 'nothing is left, three pods' '
	clear_cluster &&
	nothing_left
'
slurm_cleanup

# Two leaves that nothing joins, and two nodes in no switch.
switches a=n[1-4] b=n[5-8] >islands.conf
slurm_cluster --cloud 10 --gang --topology islands.conf \
	--conf 'GresTypes=gpu' --node 'Gres=gpu:4' --gres 'Name=gpu Count=4'

test_expect_success '4.13 what no switch joins is not joined' '
	gang_of_nodes far 5 &&
	wait_for 15 squeue_says ${members[0]} "Gang root/far waits: " &&
	wait_for 15 gang_attempted ${members[0]} 1 &&
	all_in PENDING ${members[@]} &&
	drop ${members[@]}
'
test_expect_success '4.13 but each part by itself is used' '
	id=$(take -N 4 --exclusive --gang=near --gang-min-member=1) &&
	test "$(gang_record $id tier)" = leaf &&
	drop $id &&
	wait_for 10 nodes_idle
'
test_expect_success '4.20 four members of two GPUs: two nodes of one leaf' '
	jobs_on n[2-4] &&
	gather gpus 4 -N 1 -n 1 --gres=gpu:2 --mem=10 &&
	test "$(nodes_together ${members[@]} | uniq -c | awk "{ print \$1 }" |
		tr "\n" " ")" = "2 2 " &&
	test "$(nodes_together ${members[@]} | sed "s/n//" |
		awk "{ print int((\$1 - 1) / 4) }" | sort -u)" = 1 &&
	test "$(gang_record ${members[0]} tier)" = leaf
'
test_expect_success '4.4 more GPUs than there are on joined nodes wait' '
	clear_cluster &&
	submit_gang many 5 -N 1 -n 1 --gres=gpu:4 --mem=10 &&
	wait_for 15 gang_attempted ${members[0]} 1 &&
	all_in PENDING ${members[@]}
'
test_expect_success 'nothing is left, islands' '
	clear_cluster &&
	nothing_left "WARNING: switches lack access"
'

test_done
