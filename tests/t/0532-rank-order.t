#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0532-rank-order.t - the ranks of a gang's steps stand in ring order, and sgang map
# says where each rank of a gang is
#
# The nodes of a leaf are not neighbours in Slurm's node table, so the two
# orders differ: n1 n3 n2 n4, and n1 to n4. They have two sockets of two cores and
# four GPUs.

test_description='hostfile and rank order inside the jobs of a gang; sgang map'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

switches odd=n[1,3] even=n[2,4] top:odd,even >topology.conf
slurm_setup -n 4 -c 4 --gang --topology "$PWD/topology.conf" \
	--node "Boards=1 SocketsPerBoard=2 CoresPerSocket=2 Gres=gpu:4" \
	--conf 'GresTypes=gpu'
sed -i 's/ Sockets=1 CoresPerSocket=4 / /' "$SLURM_CONF"
# Slurm numbers GPUs that have a file each.
touch "$slurm_dir"/run/gpu{0..3}
echo "Name=gpu File=$slurm_dir/run/gpu[0-3]" >"$slurm_dir/etc/gres.conf"
slurm_start

ring="n1 n3 n2 n4"
table="n1 n2 n3 n4"

# Along which nodes Slurm deals blocks of ranks by itself; only 22.05 takes a
# hostfile for a step with --nodes.
blocks=$table nodes_too=$ring
! slurm_since 24.11 || nodes_too=$table
! slurm_since 26.05 || blocks=$ring nodes_too=$ring
twice=$(printf "%s\n" $blocks | sed p | xargs)

# A batch script that runs the lines of a file NAME.lines, each an srun's
# options, and writes for each the nodes of its ranks to NAME.places; then waits
# for NAME.go. What it was told is in NAME.env, its hostfile in NAME.hosts.
places_script()
{
	cat <<-SCRIPT
	#!/bin/bash
	cd "$PWD"
	name=$1
	env | grep ^SLURM_ | sort >\$name.env
	ls -ld "\$SLURM_GANG_HOSTFILE" >\$name.ls 2>&1
	cat "\$SLURM_GANG_HOSTFILE" >\$name.hosts 2>&1
	while read -r line; do
		while squeue -h -s -j \$SLURM_JOB_ID -o %i |
				grep -qE '[.][0-9]'; do
			read -rt 0.1 <> <(:) || :
		done
		eval "srun \$line bash -c 'echo \\\$SLURM_PROCID \\\$SLURMD_NODENAME'" \\
			2>>\$name.err </dev/null | sort -n | cut -d " " -f 2 | xargs
	done <\$name.lines >\$name.now
	mv \$name.now \$name.places
	SCRIPT
}

# Run it as a gang of one: places_of NAME SBATCH-OPTIONS...; lines on stdin.
places_of()
{
	local name=$1

	places_of_job $name --gang=$name --gang-min-member=1 "${@:2}"
}

# The same without a gang.
places_of_job()
{
	local name=$1

	cat >$name.lines
	places_script $name >$name.sh
	id=$(submit "${@:2}" $name.sh) &&
		wait_state $id "COMPLETED|FAILED" 40 &&
		job_is $id COMPLETED ||
		{ cat $name.err; return 1; }
}

told() { sed -n "s/^$2=//p" $1.env; }

# Both NAME.wanted (stdin) and NAME.places say the same of each line.
all_as_wanted()
{
	cat >$1.wanted
	paste -d "|" $1.lines $1.wanted >a
	paste -d "|" $1.lines $1.places >b
	test_cmp a b || { cat $1.err; return 1; }
}

test_expect_success '4.21 4.28 a step without options follows the ring' '
	echo | places_of plain -N 4 --exclusive &&
	test "$(cat plain.places)" = "$ring" &&
	test "$(told plain SLURM_GANG_MEMBER_NODELIST)" = n1,n3,n2,n4
'
test_expect_success '4.28 the hostfile of a batch script' '
	test "$(xargs <plain.hosts)" = "$ring" &&
	hostfile=$(told plain SLURM_GANG_HOSTFILE) &&
	grep "^-rw------- 1 root root .* $hostfile\$" plain.ls
'
test_expect_success 'it is gone with the job, and nobody complains' '
	wait_for 10 "test ! -e \"$(dirname $hostfile)\"" &&
	test "${hostfile#$slurm_dir/spool/n1/job}" != "$hostfile" &&
	! grep -i -E "rmdir|hostfile" "$slurm_dir/log/n1.log"
'
test_expect_success '4.21 options that leave the ranks in their places' '
	places_of same -N 4 --exclusive <<-LINES &&
	-l -o same.labelled
	-N 4
	-N4 -n4
	--ntasks=4 --nodes=4
	-n 4 --ntasks-per-node=1
	--exact
	--overlap
	--export=ALL --kill-on-bad-exit=1
	-K1 -u -v
	-K -W 300 -J name -t 10
	--mpi=none --cpu-bind=none --
	LINES
	all_as_wanted same <<-WANTED &&
	
	$nodes_too
	$nodes_too
	$nodes_too
	$ring
	$ring
	$ring
	$ring
	$ring
	$ring
	$ring
	WANTED
	test "$(sort -n same.labelled | cut -d " " -f 3 | xargs)" = "$ring"
'
test_expect_success '4.21 a step of a part of the job goes as Slurm says' '
	places_of part -N 4 --exclusive <<-LINES &&
	-n 2
	-N 2
	-N 1-4
	-n 8
	-w n4,n3 -n 2
	-r 1 -N 3 -n 3
	-x n1 -N 3 -n 3
	LINES
	places_of_job apart -N 4 --exclusive <part.lines &&
	all_as_wanted part <apart.places &&
	grep -x "$blocks" part.places &&
	grep -x "$twice" part.places &&
	grep -x "n2 n3 n4" part.places
'
test_expect_success '4.21 what the user says about the order is done' '
	places_of said -N 4 -n 8 --ntasks-per-node=2 <<-LINES &&
	
	--distribution=block
	-m cyclic
	--distribution=plane=2
	-n 8 -m arbitrary -w n2,n2,n1,n1,n4,n4,n3,n3
	LINES
	all_as_wanted said <<-WANTED
	n1 n1 n3 n3 n2 n2 n4 n4
	$twice
	n1 n2 n3 n4 n1 n2 n3 n4
	n1 n1 n2 n2 n3 n3 n4 n4
	n2 n2 n1 n1 n4 n4 n3 n3
	WANTED
'
test_expect_success '4.21 or by the options of sbatch and the environment' '
	echo | places_of sbatch -N 4 --exclusive -m cyclic &&
	test "$(cat sbatch.places)" = "$table" &&
	printf "n4\nn3\nn2\nn1\n" >mine &&
	echo | places_of hosts -N 4 --exclusive \
		--export=ALL,SLURM_HOSTFILE=mine &&
	test "$(cat hosts.places)" = "n4 n3 n2 n1"
'
test_expect_success '4.21 the hostfile says the same as the default' '
	places_of file -N 4 -n 8 --ntasks-per-node=2 <<-LINES &&
	
	-n 8 --distribution=arbitrary -w \$SLURM_GANG_HOSTFILE
	LINES
	test "$(sed -n 1p file.places)" = "n1 n1 n3 n3 n2 n2 n4 n4" &&
	test "$(sed -n 2p file.places)" = "$(sed -n 1p file.places)" &&
	test "$(xargs <file.hosts)" = "$(sed -n 1p file.places)"
'
test_expect_success '4.21 CPUs for each rank' '
	places_of cpus -N 4 -n 8 -c 2 <<-LINES &&
	
	-c 2
	-c \$SLURM_CPUS_PER_TASK --exact
	-c 1
	LINES
	all_as_wanted cpus <<-WANTED
	n1 n1 n3 n3 n2 n2 n4 n4
	n1 n1 n3 n3 n2 n2 n4 n4
	n1 n1 n3 n3 n2 n2 n4 n4
	$twice
	WANTED
'
test_expect_success '4.21 nodes of which the job has unequal parts' '
	echo | places_of uneven -N 4 -n 6 &&
	told uneven SLURM_TASKS_PER_NODE | grep , &&
	test "$(wc -l <uneven.hosts)" = 6 &&
	test "$(cat uneven.places)" = "$(xargs <uneven.hosts)" &&
	test "$(uniq uneven.hosts | xargs)" = "$ring"
'
test_expect_success '4.21 a step inside a step, and two steps at a time' '
	cat >nested.sh <<-SCRIPT &&
	#!/bin/bash
	cd "$PWD"
	srun -l bash -c "env | grep -E \"^SLURM_(DISTRIBUTION|HOSTFILE|GANG_(RANK_ORDER|HOSTFILE))=\"" |
		sort >nested.env
	srun bash -c "test \\\$SLURM_PROCID != 1 ||
		srun --overlap --mem=0 -n 1 -N 1 -w n2 hostname" >nested.inner 2>&1
	echo \$? >nested.rc
	srun -n 2 -N 2 --exact sh -c "echo \\\$SLURMD_NODENAME; >two.1.up
		until test -e two.2.up; do sleep 0.1; done" >two.1 &
	srun -n 2 -N 2 --exact sh -c "echo \\\$SLURMD_NODENAME; >two.2.up
		until test -e two.1.up; do sleep 0.1; done" >two.2 &
	wait
	SCRIPT
	id=$(submit -N 4 -n 4 --exclusive --gang=nested --gang-min-member=1 \
		nested.sh) &&
	wait_state $id COMPLETED 40 &&
	test "$(cat nested.rc)" = 0 &&
	test "$(grep -v "^srun: " nested.inner)" = "$(uname -n)" &&
	printf "%s: SLURM_GANG_RANK_ORDER=ring\n" 0 1 2 3 | test_cmp - nested.env &&
	test "$(sort two.1 two.2 | xargs)" = "$table"
'
test_expect_success '4.21 the shell of salloc' '
	timeout 180 salloc -N 4 --exclusive --gang=shell --gang-min-member=1 bash -c "
		env | grep ^SLURM_GANG_HOSTFILE= >shell.hostfile
		srun bash -c \"echo \\\$SLURM_PROCID \\\$SLURMD_NODENAME\"" \
		2>err | sort -n | cut -d " " -f 2 | xargs >places &&
	test "$(cat places)" = "$ring" &&
	test_must_be_empty shell.hostfile
'
test_expect_success '4.21 a job that srun starts, and one in no gang: as in Slurm' '
	timeout 180 srun -N 4 --exclusive --gang=direct --gang-min-member=1 bash -c \
		"echo \$SLURM_PROCID \$SLURMD_NODENAME" >out 2>err &&
	test "$(sort -n out | cut -d " " -f 2 | xargs)" = "$blocks" &&
	echo >none.lines &&
	places_script none >none.sh &&
	id=$(submit -N 4 --exclusive none.sh) &&
	wait_state $id COMPLETED 40 &&
	test "$(cat none.places)" = "$table" &&
	! grep SLURM_GANG none.env
'
test_expect_success '4.21 members that are parts of a gang, of an array' '
	echo >array.1.lines && echo >array.2.lines &&
	places_script "array.\$SLURM_ARRAY_TASK_ID" >array.sh &&
	id=$(submit --gang=array --gang-min-member=2 -a 1-2 -N 2 --exclusive \
		array.sh) &&
	wait_for 40 "test -e array.1.places && test -e array.2.places" &&
	test "$(cat array.[12].places | sort)" = "n1 n3${LF}n2 n4" &&
	for task in 1 2; do
		test "$(told array.$task SLURM_GANG_MEMBER_NODELIST)" = \
			"$(tr " " , <array.$task.places)" || return 1
	done
'
test_expect_success 'nothing is left so far' '
	nothing_left "msg_type=SRUN_STEP_SIGNAL. failed: Connection reset by peer" &&
	! grep -F "ring order" "$slurm_dir"/log/n*.log
'

# --- sgang map ---

sgang=$(checked_sgang)

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
finish() { touch $1.go && wait_for 15 all_in COMPLETED $ids; }

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
	sgang_refuses 2 "none.conf: cannot be opened: No such file or\
 directory" map gpus --json \
		--conf=none.conf &&
	finish gpus
'
test_expect_success 'a gang that is not placed, that is over, that is not' '
	id=$(submit --gang=wait --gang-min-member=2) &&
	wait_for 10 squeue_says $id "gathering 1/2" &&
	sgang_refuses 1 "gang root/wait is not placed yet" map wait &&
	sgang_refuses 1 "job $id has no place in the ring of gang root/wait" \
		map --member $id &&
	scancel $id &&
	test_expect_code 1 "$sgang" map gpus 2>err &&
	grep -E "^sgang: gang root/gpus: job [0-9]+ has ended, and Slurm" err &&
	sgang_refuses 1 "there is no gang nobody/gpus, did you mean root/gpus?" \
		map nobody/gpus &&
	sgang_refuses 1 "there is no gang with job 4711" map 4711
'
test_expect_success 'wrong usage' '
	sgang_refuses 2 "expected the name of one gang or the id of one job, see\
 sgang map --help" map &&
	sgang_refuses 2 "--format=xml: expected hostfile, rankfile or json" \
		map two --format=xml &&
	sgang_refuses 2 "--member needs the id of a job instead of the name of a\
 gang" map two --member
'
test_expect_success 'nothing is left' '
	nothing_left "msg_type=SRUN_STEP_SIGNAL. failed: Connection reset by peer"
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
slurm_cluster --cloud 192 --gang --topology "$PWD/wide.conf"

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
	ctld_restarts &&
	wait_for 30 gang_log root/wide "found 2 held members again" &&
	"$sgang" map wide >again &&
	test_cmp hosts again
'
test_done
