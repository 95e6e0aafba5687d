#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0533-rank-order-ring.t - the planner chooses the order of a gang's members
#
# Members of two partitions in turn: of each of two pods a leaf of 16 nodes is a
# partition; then two leaves of two nodes with a slurmd each.

test_description='--gang-rank-order=ring: members as the ring costs the least'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

sgang=$(checked_sgang)

switches l1=n[1-16] l2=n33 l3=n[17-32] l4=n34 a:l[1-2] b:l[3-4] top:a,b \
	>pods.conf
slurm_cluster --cloud 34 --gang --topology "$PWD/pods.conf" --conf \
	'PartitionName=left Nodes=n[1-16] MaxTime=INFINITE State=UP
PartitionName=right Nodes=n[17-32] MaxTime=INFINITE State=UP'

# in_turn NAME COUNT MIN OPTION...: members of one node, left, right, left, ...
# in the array "members"
in_turn()
{
	local name=$1 count=$2 min=$3 part i

	members=()
	for ((i = 0; i < count; i++)); do
		part=left
		((i % 2 == 0)) || part=right
		members+=($(submit -p $part -N 1 --exclusive --gang=$name \
			--gang-min-member=$min "${@:4}")) || return 1
	done
}

# The numbers of the members, from 0, in the order of their ranks.
ranks()
{
	local i

	for ((i = 0; i < ${#members[@]}; i++)); do
		echo $(gang_record ${members[i]} rank | cut -d / -f 1) $i
	done | sort -n | cut -d " " -f 2 | xargs
}

# costs COUNT COST WORD...: it starts, at this cost, and the record of the first
# has these words and no OrderCost if it does not say so
costs()
{
	local count=$1 cost=$2 word

	wait_for 60 all_in CONFIGURING ${members[@]} || return 1
	gang_record ${members[0]}
	test "$(gang_record ${members[0]} ring)" = $cost || return 1
	for word in "${@:3}"; do
		test "$(gang_record ${members[0]} ${word%%=*})" = \
			"${word#*=}" || return 1
	done
}

test_cleared '7.9 as submitted: 1024, and explain knows of 184' '
	in_turn submit 16 16 && costs 16 1024 ordercost=184 sorted= &&
	test "$(ranks)" = "$(seq 0 15 | xargs)" &&
	"$sgang" explain submit >explain && cat explain &&
	grep -x "   OrderCost=184" explain && ! grep RankOrder explain &&
	"$sgang" explain submit --json >json && cat json &&
	grep "\"order_cost\":184" json
'

test_cleared '7.9 ring: 184, the first member first, then its partition' '
	in_turn ring 16 16 --gang-rank-order=ring &&
	costs 16 184 ordercost= sorted=1 rank=0/16 exact=1 &&
	test "$(ranks)" = "$(echo $(seq 0 2 14) $(seq 1 2 15))" &&
	"$sgang" explain ring >explain && cat explain &&
	grep -x "   RankOrder=ring" explain && ! grep OrderCost explain &&
	"$sgang" show ring >show && grep "RankOrder=ring" show
'

test_cleared '7.9 32 members: 2048 and 248' '
	in_turn long 32 32 && costs 32 2048 ordercost=248 &&
	clear_cluster &&
	in_turn short 32 32 --gang-rank-order=ring && costs 32 248
'

test_cleared '7.9 --gang-rank keeps its order, whatever gang.conf says' '
	echo RankOrder=ring >>"$slurm_dir/etc/gang.conf" &&
	scontrol reconfigure && wait_for 10 slurm_ctld_answers &&
	in_turn site 16 16 && costs 16 184 sorted=1 && clear_cluster &&
	in_turn own 15 16 &&
	members+=($(submit -p right -N 1 --exclusive --gang=own --gang-rank=0)) &&
	costs 16 1024 sorted= rank=1/16 && clear_cluster &&
	in_turn said 16 16 --gang-rank-order=submit &&
	costs 16 1024 sorted=
'

test_expect_success '7.9 what says by itself where ranks are is refused' '
	for other in --gang-rank=1 --gang-parallel=tp=2; do
		test_must_fail submit -N 1 --gang=no --gang-min-member=2 \
			--gang-rank-order=ring $other 2>err &&
		cat err && grep -e "--gang-rank-order=ring: ${other%%=*} " err \
			|| return 1
	done &&
	test_must_fail submit -N 1 --gang=no --gang-rank-order=node \
		2>err && grep "expected one of submit|ring" err
'

test_cleared '7.9 members that hold one after the other are sorted, too' '
	block=$(placed_job -p right -N 16 --exclusive) &&
	in_turn some 16 16 --gang-mode=nonstrict --gang-rank-order=ring &&
	wait_for 60 all_in CONFIGURING ${members[0]} ${members[14]} &&
	test -z "$(gang_record ${members[0]} rank)" && scancel $block &&
	costs 16 184 sorted=1 rank=0/16
'

slurm_cleanup
switches s1=n[1-2] s2=n[3-4] top:s[1-2] >leaves.conf
slurm_cluster -n 4 -c 2 --gang --topology "$PWD/leaves.conf" --conf \
	'PartitionName=left Nodes=n[1-2] MaxTime=INFINITE State=UP
PartitionName=right Nodes=n[3-4] MaxTime=INFINITE State=UP'

cat >env.sh <<'SCRIPT'
#!/bin/bash
echo "$SLURM_GANG_MEMBER_RANK $SLURM_GANG_RANK_OFFSET" \
	"$SLURM_GANG_MEMBER_NODELIST $SLURM_GANG_RING_COST" \
	"$SLURM_GANG_NODELIST $SLURM_GANG_JOB_IDS" >env.$SLURM_JOB_ID
while ! test -e go; do
	read -rt 0.1 <> <(:) || :
done
SCRIPT

told()
{
	local id

	for id in ${members[@]}; do
		test -s env.$id || return 1
	done
}

# What each member was told of its place in the ring.
places_agree()
{
	local ids="${members[0]},${members[2]},${members[1]},${members[3]}"
	local i rank=(0 2 1 3) nodes

	nodes=$(cut -d " " -f 5 env.${members[0]})
	echo "$nodes" | grep -xE "n[12],n[12],n[34],n[34]" || return 1
	for ((i = 0; i < 4; i++)); do
		cat env.${members[i]}
		test "$(cat env.${members[i]})" = "$(echo ${rank[i]} ${rank[i]} \
			$(echo $nodes | cut -d , -f $((rank[i] + 1))) 40 \
			$nodes $ids)" || return 1
	done
}

test_expect_success '7.9 what jobs are told, and sgang map, have that order' '
	in_turn told 4 4 --gang-rank-order=ring env.sh &&
	wait_for 60 told && places_agree &&
	"$sgang" map told >map && cat map &&
	sed "s/ .*//" map | paste -sd, | grep -xE "n[12],n[12],n[34],n[34]"
'

test_expect_success '7.9 a death of slurmctld keeps it' '
	for id in ${members[@]}; do
		gang_record $id rank
	done >before &&
	slurm_saved ${members[-1]} && slurm_kill9_ctld && slurm_start_ctld &&
	for id in ${members[@]}; do
		gang_record $id rank
	done >after && test_cmp before after &&
	"$sgang" explain told >explain && grep RankOrder=ring explain &&
	touch go && wait_for 30 all_in COMPLETED ${members[@]}
'

slurm_cleanup
test_done
