#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0362-impossible.t - a gang that can never start is in nobody's way

test_description='Gangs that do not fit on the empty cluster are parked at once'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 8 -c 2 --gang --node 'RealMemory=8000' --conf \
'SelectTypeParameters=CR_Core_Memory
SchedulerParameters=bf_interval=3600,sched_interval=3600,batch_sched_delay=0,sched_min_interval=0
TopologyPlugin=topology/tree
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=four Nodes=n[1-4] MaxTime=INFINITE State=UP'
switches l1=n[1-4] l2=n[5-8] top:l[1-2] >"$slurm_dir/etc/topology.conf"
slurm_start

# Milliseconds from the submission of a job until it has begun.
time_of()
{
	local begun=${EPOCHREALTIME/./} id

	id=$(submit -N 1 --mem=100 "$@" --wrap=true) &&
		wait_state $id 'RUNNING|COMPLETED' 20 &&
		echo $(((${EPOCHREALTIME/./} - begun) / 1000))
}

# A plain job behind the gang starts as on the empty cluster.
delays_nobody()
{
	local with

	wait_for 10 squeue_says ${members[0]} "$1" &&
		with=$(time_of --nice=1000) &&
		echo "$with ms, and $alone ms alone" &&
		test $with -lt $((alone + 2000)) &&
		all_in PENDING ${members[@]} &&
		clear_cluster
}

test_expect_success 'a plain job alone' 'alone=$(time_of)'
# refused "SENTENCE" COMMAND...: by us, with Slurm's own words below it
refused()
{
	local sentence=$1

	shift
	! "$@" >out 2>err || { echo "not refused: $*" >&2; return 1; }
	cat err
	grep -F "the gang can never start: $sentence" err >/dev/null &&
		grep "Requested node configuration is not available" err \
			>/dev/null
}

# one NAME COUNT OPTIONS...: another member of it
one()
{
	local name=$1 count=$2

	submit -N 1 --gang=$name --gang-min-member=$count "${@:3}"
}

running() { test "$(squeue -h -r -t R | wc -l)" = $1; }

whole="--exclusive --mem=100"
leaf="$whole --gang-topology=require:leaf"
five="5 nodes in one leaf are needed, the largest (l1) has 4 that fit"
test_cleared '5.4 five nodes of one leaf, where leaves have four' '
	for i in 1 2 3 4; do one five 5 $leaf || return 1; done &&
	refused "$five" one five 5 $leaf &&
	wait_for 10 squeue_says 2 "gathering 4/5"
'
test_cleared '5.4 all at once: arrays, nodes of one member, test-only' '
	refused "$five" one array 5 --array=0-4 $leaf &&
	refused "$five" one nodes 1 -N5 $leaf &&
	refused "$five" one test 5 --array=0-4 $leaf --test-only &&
	one fits 4 --array=0-3 $leaf
'
test_expect_success '5.4 srun and salloc' '
	refused "$five" timeout 120 srun -N5 --gang=run --gang-min-member=1 $leaf true &&
	refused "$five" timeout 120 salloc -N5 --gang=alloc --gang-min-member=1 $leaf true
'
test_expect_success '5.4 sgang submit takes back the members before it' '
	cat >gang.yaml <<-END &&
	gang: taken-back
	topology: require:leaf
	roles:
	  - name: worker
	    count: 5
	    options: [-N1, --exclusive, --mem=100, --output=/dev/null]
	    script: sleep.sh
	END
	printf "#!/bin/bash\nsleep 60\n" >sleep.sh &&
	! "$top_builddir/src/cmd/sgang" submit gang.yaml >out 2>err &&
	grep -F "$five" err &&
	queue_empty
'
test_expect_success '5.4 three members in different leaves, of two' '
	refused "3 members are to be in different leaf domains" \
		one three 3 $whole --gang-topology=spread:leaf
'
test_cleared '5.4 five times 7000 MB on four nodes of 8000 MB' '
	for i in 1 2 3 4; do one memory 5 -p four --mem=7000 || return 1; done &&
	refused "5 places are needed, all nodes together have 4" \
		one memory 5 -p four --mem=7000
'
test_cleared '5.4 memory that is enough, but not on one node' '
	for i in 1 2 3 4; do one mixed 5 -p four --mem=5000 || return 1; done &&
	refused "its members do not fit together" \
		one mixed 5 -p four --mem=3500 &&
	one mixed 5 -p four --mem=3000 &&
	wait_for 20 running 5
'
test_cleared '5.5 nodes that are down count' '
	scontrol update nodename=n[1-2] state=down reason=test &&
	one down 4 --array=0-3 $leaf -p four &&
	scontrol update nodename=n[1-2] state=idle &&
	wait_for 20 running 4
'
test_cleared '5.4 who joins cannot spoil the gang' '
	busy=$(run_job -N 4 -p four --exclusive --mem=100) &&
	members=($(one spoil 2 -p four $whole) $(one spoil 2 -p four $whole)) &&
	refused "" one spoil 2 -N4 -p four $whole --gang-order=0 &&
	large=$(one spoil 2 -N4 -p four $whole --nice=-100) &&
	one spoil 2 -N3 -p four $whole --array=0-4 &&
	wait_for 20 squeue_says $large "Gang root/spoil waits: " &&
	scancel $busy &&
	start_together 20 ${members[@]} &&
	all_in PENDING $large &&
	later=$(submit -N4 -p four --gang=spoil $whole)
'
# six OPTIONS...: another member of it, who does not say how many it needs
six() { submit $whole --gang=six "$@"; }

test_cleared '5.5 any five of six start: the first two take one node twice' '
	first=$(six -N3 -p four) &&
	second=$(six -N3 -p four) &&
	others=($(six -N1 -p four) $(six -N1 -x n[1-4]) $(six -N1 -x n[1-4])) &&
	last=$(six -N1 -x n[1-4] --gang-min-member=5) &&
	start_together 20 $first ${others[@]} $last &&
	all_in PENDING $second
'
# n1 has a job for ten minutes, n5 for an hour.
test_cleared '5.5 it says when the first of them start, and does then' '
	soon=$(submit -w n1 -t 10 $whole) &&
	later=$(submit -w n5 -t 60 $whole) &&
	wait_for 20 all_in RUNNING $soon $later &&
	slow=$(six -N4 -x n[1-4]) &&
	early=($(six -N2 -w n[1-2]) $(six -N1 -w n3 --gang-min-member=2)) &&
	wait_for 20 squeue_says ${early[0]} "Gang root/six waits: " &&
	kept=$(squeue -h -j ${early[0]} -o %r) &&
	case $kept in *n1*|*"2 nodes are needed"*) ;; *) echo "$kept"; false ;; esac &&
	scancel $soon &&
	wait_for 20 all_in RUNNING ${early[@]} &&
	all_in PENDING $slow
'
test_cleared '5.4 --time-min has no meaning' '
	! one time 2 --mem=100 -t 10 --time-min=5 2>err &&
	grep -e "--time-min: a member of a gang has the time limit" err &&
	id=$(one time 2 --mem=100 -t 10) &&
	! scontrol update jobid=$id timemin=5
'
test_expect_success '5.4 an update is as with stock: it waits, in nobodys way' '
	busy=$(run_job -N 8 --exclusive --mem=100) &&
	submit_gang five 5 $whole &&
	for id in ${members[@]}; do
		scontrol update jobid=$id partition=four || return 1
	done &&
	scancel $busy &&
	delays_nobody "5 nodes are needed, and 4 have what its members ask for"
'
test_expect_success '5.4 what Slurm alone knows, such as excluded nodes' '
	submit_gang excluded 5 --exclusive --mem=100 -x n[1-4] &&
	delays_nobody "Gang root/excluded waits: "
'
test_cleared '5.4 it starts when an update makes it possible' '
	busy=$(run_job -N 8 --exclusive --mem=100) &&
	submit_gang later 5 --mem=7000 &&
	for id in ${members[@]}; do
		scontrol update jobid=$id partition=four || return 1
	done &&
	scancel $busy &&
	wait_for 10 squeue_says ${members[0]} "5 places are needed" &&
	scontrol update jobid=${members[0]} partition=main &&
	start_together 20 ${members[@]}
'

# ---- trees of groups ----

# decode NAME GROUP MINIMUM OPTIONS...: a member of a group that needs so many
decode()
{
	local name=$1 group=$2 min=$3

	submit -N 1 $whole --gang=$name --gang-role=$group/decode:min=$min "${@:4}"
}

tree_five="with group r1/decode: $five"
test_cleared '2.15 5.4 five decoders of a replica that may not leave a leaf of four' '
	for i in 1 2 3 4; do decode tree r1:require=leaf 5 || return 1; done &&
	! decode tree r1:require=leaf 5 2>err &&
	grep -F "the gang can never start $tree_five" err &&
	! decode array r1:require=leaf 5 --array=0-4 2>err &&
	grep -F "the gang can never start $tree_five" err &&
	decode four r1:require=leaf 4 --array=0-3 &&
	decode apart r1 5 --array=0-4
'
test_expect_success '2.15 5.4 sgang submit of such a tree' '
	cat >tree.yaml <<-END &&
	gang: tree-file
	min: 1
	roles:
	  - name: r1
	    topology: require:leaf
	    roles:
	      - {name: decode, min: 5, count: 5, options: [-N1, --exclusive, --mem=100], script: sleep.sh}
	END
	! "$top_builddir/src/cmd/sgang" submit tree.yaml >out 2>err &&
	grep -F "the gang can never start $tree_five" err &&
	queue_empty
'
# Two roles of three, each of which fits into a leaf.
six_of_a_leaf()
{
	members=($(decode $1 r1:min=2:require=leaf 3) $(decode $1 r1 3) $(decode $1 r1 3)) &&
	for i in 1 2 3; do
		members+=($(submit -N 1 $whole --gang=$1 --gang-role=r1/encode:min=3)) ||
			return 1
	done
}

test_expect_success '2.15 5.4 two roles together larger than the leaf of their group' '
	six_of_a_leaf both && wait_for 10 gang_attempted ${members[5]} 1 &&
	"$top_builddir/src/cmd/sgang" explain both >out && cat out &&
	grep "Helps=nothing: it cannot start even if all its nodes are idle" out &&
	delays_nobody "Gang root/both waits: group r1: 1 group of 6 units or more must be within one leaf"
'
test_cleared '2.16 5.5 another group is enough: not impossible' '
	busy=$(run_job -N 8 $whole) &&
	six_of_a_leaf either && members+=($(decode either r2 2) $(decode either r2 2)) &&
	wait_for 10 gang_attempted ${members[7]} 1 &&
	"$top_builddir/src/cmd/sgang" explain either >out && cat out &&
	! grep "Helps=nothing" out &&
	scancel $busy && wait_for 20 all_in RUNNING ${members[@]:6} &&
	all_in PENDING ${members[@]:0:6}
'
test_expect_success 'nothing is left' 'nothing_left "specified more than once"'
slurm_stop
slurm_cleanup

# Nodes without a slurmd, with 4 GPUs each.
slurm_cluster --cloud 8 -c 4 --gang --node 'Gres=gpu:4' \
	--gres 'Name=gpu Count=4' --conf 'GresTypes=gpu
PartitionName=four Nodes=n[1-4] MaxTime=INFINITE State=UP'

# gpu NAME COUNT OPTIONS...: another member of it
gpu()
{
	local name=$1 count=$2

	submit --mem=100 --gang=$name --gang-min-member=$count "${@:3}"
}

held() { test "$(squeue -h -r -t CF | wc -l)" = $1; }

# Two nodes with a GPU are there for each member: the sum is too much.
gpus="its members need 24 GPUs together, all their nodes have 16"
test_cleared '5.4 --gpus: 24 of the 16 in its partition' '
	for i in 1 2; do
		gpu sum 3 -N2 --gpus=8 -p four || return 1
	done &&
	refused "$gpus" gpu sum 3 -N2 --gpus=8 -p four &&
	gpu sum 3 -N2 --gpus=8 -p main &&
	wait_for 20 held 3
'
test_expect_success '5.4 --gpus-per-task: 3 members, 4 tasks each, of 2' '
	refused "$gpus" gpu task 3 --array=0-2 -N2 -n4 --gpus-per-task=2 \
		-p four
'
test_cleared '5.4 members of two partitions: 36 of all 32' '
	gpu parts 3 -N4 --gpus=16 -p four &&
	gpu parts 3 -N2 --gpus=5 -p main &&
	refused "its members need 36 GPUs together, all their nodes have 32" \
		gpu parts 3 -N4 --gpus=15 -p main &&
	gpu parts 3 -N2 --gpus=4 -p main &&
	wait_for 20 held 3
'
test_expect_success '5.4 a node without room for a GPU of each task' '
	! gpu node 1 -N1 -n1 --gpus-per-task=5 2>err &&
	grep "Requested node configuration is not available" err
'
test_cleared '5.5 GPUs of one job on several nodes are not refused' '
	gpu open 1 --gpus=8 &&
	gpu uneven 1 -N2 --gpus=5 &&
	gpu tasks 1 -n3 --gpus-per-task=3
'
test_expect_success 'nothing is left again' 'nothing_left'

test_done
