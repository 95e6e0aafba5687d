#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0320-kinds.t - members of every kind, and what they are told about the gang

test_description='Batch, array, salloc and srun members in several partitions'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

switches left=n[1-3] right=n[4-6] top:left,right >topology.conf
slurm_cluster -n 6 -c 2 --gang --topology "$PWD/topology.conf" --conf \
'PartitionName=left Nodes=n[1-3] MaxTime=INFINITE State=UP
PartitionName=right Nodes=n[4-6] MaxTime=INFINITE State=UP'

# Each member writes what it was told to NAME.JOB, what a step of it was told to
# NAME.JOB.step, the nodes it has to NAME.JOB.nodes, and tells NAME.log.
write_member()
{
	cat >"$1.sh" <<-END
	#!/bin/bash
	cd "$PWD"
	me=$1.\$SLURM_JOB_ID
	env | grep ^SLURM_GANG_ | sort >\$me
	scontrol show hostnames "\$SLURM_JOB_NODELIST" >\$me.nodes
	case \$SLURM_STEP_ID in
	"" | -5 | 4294967291)		# no step but a batch script
		srun -n 1 -N 1 env | grep ^SLURM_GANG_ | sort >\$me.step ;;
	esac
	echo "\$SLURM_JOB_ID start \$EPOCHREALTIME" >>$1.log
	END
}

# The members of run $1, by their rank.
told() { grep -l "^SLURM_GANG_MEMBER_RANK=$2\$" $1.*[0-9]; }

# What variable $2 says in file $1.
value() { sed -n "s/^SLURM_GANG_$2=//p" "$1"; }

# The one value that all members of run $1 were told in variable $2.
common()
{
	local file

	for file in $1.*[0-9]; do
		value $file $2
	done | sort -u
}

all_ended() { queue_empty; }

test_expect_success '4.1 members in two partitions start together' '
	gang_script parts &&
	options="-N 3 --exclusive --gang=parts --gang-min-member=2" &&
	one=$(submit -p left $options parts.sh) &&
	wait_for 10 squeue_says $one "gathering 1/2" &&
	two=$(submit -p right $options parts.sh) &&
	start_together 15 $one $two &&
	test "$(job_field $one NodeList)" = "n[1-3]" &&
	test "$(job_field $two NodeList)" = "n[4-6]" &&
	touch parts.go &&
	wait_for 10 all_in COMPLETED $one $two
'
test_expect_success '4.1 one partition is busy: nobody starts in the other' '
	gang_script busy &&
	busy=$(run_job -p right -N 1 --exclusive busy.sh) &&
	rm parts.go &&
	one=$(submit -p left $options parts.sh) &&
	two=$(submit -p right $options parts.sh) &&
	wait_for 15 gang_attempted $one 1 &&
	all_in PENDING $one $two &&
	touch busy.go &&
	start_together 15 $one $two &&
	touch parts.go &&
	wait_for 10 all_in COMPLETED $one $two &&
	ran_once parts 4
'
test_expect_success '4.1 a member that may go to two partitions' '
	gang_script choice &&
	options="-N 3 --exclusive --gang=choice --gang-min-member=2" &&
	one=$(submit -p left,right $options choice.sh) &&
	two=$(submit -p left $options choice.sh) &&
	start_together 15 $one $two &&
	test "$(job_field $one Partition)" = right &&
	test "$(job_field $two Partition)" = left &&
	touch choice.go &&
	wait_for 10 all_in COMPLETED $one $two &&
	ran_once choice 2
'
test_expect_success '3.7 3.10 batch, array, salloc and srun in one gang' '
	write_member kinds &&
	options="--exclusive --gang=kinds --gang-min-member=5" &&
	{
		salloc -N 1 $options bash kinds.sh >salloc.out 2>&1 &
		srun -N 1 $options bash kinds.sh >srun.out 2>&1 &
	} &&
	submit -N 1 -a 7-8 $options kinds.sh &&
	wait_for 10 "test \$(squeue -h -r | wc -l) = 4" &&
	submit -N 2 -n 4 $options kinds.sh &&
	wait_for 20 "test \$(starts_of kinds) = 5" &&
	wait_for 20 all_ended &&
	wait_for 10 "test -z \"\$(jobs -r)\"" &&
	ran_once kinds 5 &&
	! grep -i error salloc.out srun.out
'
test_expect_success '4.28 all are told the same about the gang' '
	test "$(common kinds NAME)" = kinds &&
	test "$(common kinds NAMESPACE)" = root &&
	test "$(common kinds MEMBERS)" = 5 &&
	test "$(common kinds RANKS)" = 8 &&
	test "$(common kinds NNODES)" = 6 &&
	test "$(common kinds HEAD_ADDR)" = 127.0.0.1 &&
	for key in JOB_IDS NODELIST HEAD_NODE RING_COST RING_COST_BEST \
		CROSS_LINKS TIER
	do
		test "$(common kinds $key | wc -l)" = 1 || return 1
	done
'
test_expect_success '4.28 ranks are distinct and their offsets add up' '
	offset=0 &&
	for rank in 0 1 2 3 4; do
		file=$(told kinds $rank) &&
		test "$(value $file RANK_OFFSET)" = $offset &&
		id=${file#*.} &&
		test "$(common kinds JOB_IDS | cut -d, -f$((rank + 1)))" = $id &&
		offset=$((offset + $(job_field $id NumTasks))) || return 1
	done &&
	test "$(common kinds RANKS)" = $offset
'
test_expect_success '4.28 NODELIST is the nodes of the members in that order' '
	for rank in 0 1 2 3 4; do
		file=$(told kinds $rank) &&
		count=$(wc -l <$file.nodes) &&
		common kinds NODELIST | tr , "\n" >nodelist &&
		tail -n +$((${passed:-0} + 1)) nodelist | head -n $count |
			sort >part &&
		sort $file.nodes | test_cmp - part &&
		passed=$((${passed:-0} + count)) || return 1
	done &&
	test $passed = 6 &&
	test "$(sort -u nodelist | wc -l)" = 6 &&
	test "$(common kinds HEAD_NODE)" = "$(head -n 1 nodelist)"
'
test_expect_success '4.15 4.16 4.34 the cost of a ring over two leaves' '
	cost=0 cross=0 last=$(tail -n 1 nodelist) &&
	for node in $(cat nodelist); do
		case "$last $node" in
		n[123]" "n[123] | n[456]" "n[456]) : $((cost += 4)) ;;
		*) : $((cost += 16, cross += 1)) ;;
		esac
		last=$node
	done &&
	# two tasks on one node, twice
	test "$(common kinds RING_COST)" = $((cost + 2)) &&
	test "$(common kinds CROSS_LINKS)" = $cross &&
	test $cross = 2 &&
	test "$(common kinds RING_COST_BEST)" = "$(common kinds RING_COST)" &&
	test "$(common kinds TIER)" = spine
'
# Only some members have a hostfile, and an order that Slurm was told; only tasks
# have a place of their own.
told_always()
{
	grep -vE "^SLURM_GANG_(HOSTFILE|NATIVE_ORDER|STATE|NODE_RANK|RANK)=" "$1"
}

# What FILE has, of another epoch than OTHER what no epoch changes: comparable
# FILE OTHER
comparable()
{
	local epoch=$(grep ^SLURM_GANG_EPOCH= "$1") pattern='HOSTFILE|STATE|NODE_RANK|RANK'

	grep -qx "$epoch" "$2" ||
		pattern+='|EPOCH|HEAD_(NODE|ADDR)|NNODES|JOB_IDS|NODELIST|(NODE|RANK)S_PER_MEMBER|RING_COST|DRAINING|SPARE_JOB_IDS'
	grep -vE "^SLURM_GANG_($pattern)=" "$1"
}

test_expect_success '4.28 a step is told the same as its job' '
	ls kinds.*.step >steps &&
	test "$(wc -l <steps)" = 4 &&
	for step in $(cat steps); do
		test "$(told_always $step | wc -l)" = 21 &&
		comparable ${step%.step} $step >job.told &&
		comparable $step ${step%.step} >step.told &&
		test_cmp job.told step.told || return 1
	done &&
	for file in kinds.*[0-9]; do
		test "$(told_always $file | wc -l)" = 21 || return 1
	done
'
test_expect_success '4.21 --gang-rank says the order of the ring' '
	write_member ring &&
	for rank in 2 0 3 1; do
		id=$(submit -N 1 --exclusive --gang=ring --gang-min-member=4 \
			--gang-rank=$rank ring.sh) &&
		echo $rank $id >>wanted || return 1
	done &&
	wait_for 15 "test \$(starts_of ring) = 4" &&
	wait_for 15 all_ended &&
	for rank in 0 1 2 3; do
		id=$(sed -n "s/^$rank //p" wanted) &&
		test "$(told ring $rank)" = ring.$id &&
		test "$(common ring NODELIST | cut -d, -f$((rank + 1)))" = \
			"$(cat ring.$id.nodes)" || return 1
	done &&
	test "$(common ring CROSS_LINKS)" = 2
'
test_expect_success '1.15 a job submitted from a member is not in the gang' '
	cat >parent.sh <<-END &&
	#!/bin/bash
	cd "$PWD"
	sbatch --parsable -n 1 -o child.out --wrap="env | grep ^SLURM_GANG; true" \
		>child
	sbatch --parsable -n 1 -o sibling.out --gang=other --gang-min-member=1 \
		--wrap="env | grep ^SLURM_GANG; true" >sibling
	END
	submit -n 1 --gang=parent --gang-min-member=2 parent.sh &&
	submit -n 1 --gang=parent --gang-min-member=2 --wrap=true &&
	wait_for 15 "test -s sibling" &&
	wait_for 15 all_ended &&
	wait_state $(cat child) COMPLETED &&
	test -z "$(gang_record $(cat child))" &&
	test ! -s child.out &&
	test "$(gang_record $(cat sibling) gang)" = root/other &&
	test "$(value sibling.out NAME)" = other &&
	test "$(value sibling.out MEMBERS)" = 1
'
last_case
