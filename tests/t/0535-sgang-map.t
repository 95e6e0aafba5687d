#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0535-sgang-map.t - sgang map says where each rank of a gang is
#
# Two leaves whose nodes alternate in Slurm's node table, so that the ring of a
# member goes another way than Slurm's lists; nodes with two sockets of two
# cores and four GPUs.

test_description='sgang map: hostfile, rankfile and JSON'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

cat >topology.conf <<'TOPOLOGY'
SwitchName=odd Nodes=n[1,3]
SwitchName=even Nodes=n[2,4]
SwitchName=top Switches=odd,even
TOPOLOGY
slurm_setup -n 4 -c 4 --gang --topology "$PWD/topology.conf" \
	--node "Boards=1 SocketsPerBoard=2 CoresPerSocket=2 Gres=gpu:4" \
	--conf 'GresTypes=gpu'
sed -i 's/ Sockets=1 CoresPerSocket=4 / /' "$SLURM_CONF"
# Slurm numbers GPUs that have a file each.
touch "$slurm_dir"/run/gpu{0..3}
echo "Name=gpu File=$slurm_dir/run/gpu[0-3]" >"$slurm_dir/etc/gres.conf"
slurm_start

sgang=$(checked_sgang)
! command -v jq >/dev/null || test_set_prereq JQ

# sgang says exactly this on stderr and nothing else: refuses CODE TEXT ARGS
refuses()
{
	local code=$1 text=$2

	shift 2
	"$sgang" "$@" >out 2>err
	test $? = $code &&
		test_must_be_empty out &&
		echo "sgang: $text" | test_cmp - err
}

# A member that writes where its ranks are, as Slurm has them: "RANK NODE LOCAL"
# over the whole gang, to NAME.JOBID, and waits for NAME.go.
cat >member.sh <<SCRIPT
#!/bin/bash
cd "$PWD"
srun -l bash -c 'echo \$((SLURM_GANG_RANK_OFFSET + SLURM_PROCID)) \\
	\$SLURMD_NODENAME \$SLURM_LOCALID' | cut -d ' ' -f 2- \\
	>\$SLURM_GANG_NAME.\$SLURM_JOB_ID.now
cp "\$SLURM_GANG_HOSTFILE" \$SLURM_GANG_NAME.\$SLURM_JOB_ID.hosts
mv \$SLURM_GANG_NAME.\$SLURM_JOB_ID.now \$SLURM_GANG_NAME.\$SLURM_JOB_ID
until test -e \$SLURM_GANG_NAME.go; do read -rt 0.1 <> <(:) || :; done
SCRIPT

# Start a gang of members with these options each: gang NAME OPTIONS -- OPTIONS
gang()
{
	local name=$1 member
	local -a options

	shift
	ids=
	for member; do
		read -ra options <<<"$member"
		ids="$ids $(submit --gang=$name --gang-min-member=$# \
			"${options[@]}" member.sh)"
	done
	for member in $ids; do
		wait_for 30 test -e $name.$member || return 1
	done
}

# Let the gang end.
finish()
{
	touch $1.go && wait_for 15 all_in COMPLETED $ids
}

test_expect_success '4.28 the map is where the ranks are' '
	gang two "-N 2 -n 4 --exclusive" "-N 2 -n 8 --exclusive" &&
	"$sgang" map two --format=hostfile >hosts 2>err &&
	test_must_be_empty err &&
	for id in $ids; do cat two.$id; done | sort -n >slurm &&
	cut -d " " -f 2 slurm | test_cmp - hosts &&
	test "$(wc -l <hosts)" = 12 &&
	"$sgang" map root/two >again && test_cmp hosts again
'
test_expect_success '4.28 by the id of a job, and of that job alone' '
	for id in $ids; do
		"$sgang" map $id >again && test_cmp hosts again &&
		"$sgang" map --member $id >own &&
		test_cmp two.$id.hosts own &&
		sort -n two.$id | cut -d " " -f 2 | test_cmp - own || return 1
	done
'
test_expect_success JQ '4.28 JSON: rank, member, job, node, local rank' '
	"$sgang" map two --json >json && test "$(wc -l <json)" = 1 &&
	jq -r ".[] | \"\(.rank) \(.node) \(.local_rank)\"" json |
		test_cmp slurm - &&
	jq -r "map([.member, .job_id]) | unique | .[] | \"\(.[0]) \(.[1])\"" \
		json >members &&
	for id in $ids; do
		echo "$(gang_record $id rank | cut -d / -f 1) $id"
	done | sort -n | test_cmp - members &&
	jq -e "all(.[]; .island == null and .nic == null)" json &&
	"$sgang" map two --format=json | test_cmp json -
'
test_expect_success '4.28 the rankfile numbers the cores of each socket' '
	"$sgang" map two --format=rankfile >ranks &&
	test "$(cut -d " " -f 2 ranks | cut -d = -f 1 | xargs)" = \
		"$(seq 0 11 | xargs)" &&
	cut -d = -f 2 ranks | cut -d " " -f 1 | test_cmp hosts - &&
	set -- $ids &&
	"$sgang" map --member --format=rankfile $1 | sed "s/=n[0-9]*//" >own &&
	cat >wanted <<-RANKS &&
	rank 0 slot=0:0-1
	rank 1 slot=1:0-1
	rank 2 slot=0:0-1
	rank 3 slot=1:0-1
	RANKS
	test_cmp wanted own &&
	"$sgang" map --member --format=rankfile $2 | sed "s/=n[0-9]*//" |
		head -n 4 >own &&
	cat >wanted <<-RANKS &&
	rank 0 slot=0:0
	rank 1 slot=0:1
	rank 2 slot=1:0
	rank 3 slot=1:1
	RANKS
	test_cmp wanted own &&
	finish two
'
test_expect_success '4.28 unequal parts of nodes, and two CPUs a rank' '
	gang parts "-N 4 -n 6" "-n 2 -c 2" &&
	"$sgang" map parts >hosts &&
	for id in $ids; do cat parts.$id; done | sort -n | cut -d " " -f 2 |
		test_cmp - hosts &&
	finish parts
'
test_expect_success JQ '4.28 GPUs: the indices that Slurm has given' '
	gang gpus "-w n1 -n 2 --gres=gpu:2" "-w n3 -n 1 --gres=gpu:2" \
		"-w n1 -n 2 --gres=gpu:1" &&
	"$sgang" map gpus --json >json &&
	set -- $ids &&
	for id; do
		scontrol show job -d $id | grep "Nodes=.*GRES=" >gres.$id &&
		jq -r ".[] | select(.job_id == $id) | .gpu" json | xargs \
			>gpu.$id || return 1
	done &&
	grep "gpu:2(IDX:0-1)" gres.$1 && test "$(cat gpu.$1)" = "0 1" &&
	grep "gpu:2(IDX:0-1)" gres.$2 && test "$(cat gpu.$2)" = 0 &&
	grep "gpu:1(IDX:2)" gres.$3 && test "$(cat gpu.$3)" = "2 2" &&
	cp "$top_srcdir/topology/nvlink-4gpu-pairs.xml" . &&
	echo "NodeTopology=n[1-2] Hwloc=nvlink-4gpu-pairs.xml" >inside.conf &&
	"$sgang" map gpus --json --conf=inside.conf >inside.json &&
	jq -c "[.[] | [.node, .gpu, .island]]" inside.json >inside &&
	echo "[[\"n1\",0,0],[\"n1\",1,0],[\"n3\",0,null]," \
		"[\"n1\",2,1],[\"n1\",2,1]]" | tr -d " " | test_cmp - inside &&
	jq -e "map(select(.node == \"n1\") | .nic) | all(. != null)" \
		inside.json &&
	refuses 2 "none.conf: cannot be opened: No such file or\
 directory" map gpus --json \
		--conf=none.conf &&
	finish gpus
'
test_expect_success 'a gang that is not placed, that is over, that is not' '
	id=$(submit --gang=wait --gang-min-member=2) &&
	wait_for 10 squeue_says $id "gathering 1/2" &&
	refuses 1 "gang root/wait is not placed yet" map wait &&
	refuses 1 "job $id has no place in the ring of gang root/wait" \
		map --member $id &&
	scancel $id &&
	test_expect_code 1 "$sgang" map gpus 2>err &&
	grep -E "^sgang: gang root/gpus: job [0-9]+ has ended, and Slurm" err &&
	refuses 1 "there is no gang nobody/gpus, did you mean root/gpus?" \
		map nobody/gpus &&
	refuses 1 "there is no gang with job 4711" map 4711
'
test_expect_success 'wrong usage' '
	refuses 2 "expected the name of one gang or the id of one job, see\
 sgang map --help" map &&
	refuses 2 "--format=xml: expected hostfile, rankfile or json" \
		map two --format=xml &&
	refuses 2 "--member needs the id of a job instead of the name of a\
 gang" map two --member
'
test_expect_success 'nothing is left' '
	nothing_left
'

slurm_cleanup

# --- more nodes than the record has room for ---

# Sixteen leaves of twelve nodes whose names ignore them: neighbours by name are
# never in one leaf.
for leaf in {0..15}; do
	nodes=
	for slot in {0..11}; do
		nodes+=,n$(((leaf * 12 + slot) * 35 % 192 + 1))
	done
	echo "SwitchName=l$leaf Nodes=${nodes#,}"
done >wide.conf
echo "SwitchName=top Switches=l[0-15]" >>wide.conf
slurm_setup --cloud 192 --gang --topology "$PWD/wide.conf"
slurm_start

# What the ring along the lines of a hostfile costs.
cost_along()
{
	"$sgang" ring --topology="$PWD/wide.conf" --json \
		"$(paste -sd , "$1")" | jq .ring_cost
}

test_expect_success JQ '4.28 5.6 the order of 160 nodes is that of the ring' '
	big=$(submit -N 160 --exclusive --gang=wide --gang-min-member=2) &&
	small=$(submit -N 20 --exclusive --gang=wide) &&
	wait_for 30 all_in CONFIGURING $big $small &&
	"$sgang" map wide >hosts &&
	test "$(sort -u hosts | wc -l)" = 180 &&
	test "$(cost_along hosts)" = "$(gang_record $big ring)" &&
	test -z "$(gang_record $big at)" &&
	gang_record $big order | grep -E "^[0-9,-]+$"
'
test_expect_success JQ '4.28 5.6 and so it is in the picture' '
	"$sgang" topology --gang=wide --json |
		jq -r ".gangs[].stops[] | select(.ring) | .node" >stops &&
	test_cmp hosts stops
'
test_expect_success '4.28 5.6 slurmctld has it after a restart too' '
	slurm_stop_ctld && slurm_start_ctld &&
	wait_for 30 gang_log root/wide "found 2 held members again" &&
	"$sgang" map wide >again &&
	test_cmp hosts again
'
test_done
