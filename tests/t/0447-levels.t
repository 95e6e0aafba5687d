#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0447-levels.t - what gangs ask of the levels of the fabric
#
# --gang-topology, --gang-exclusive, --gang-group-topology and --gang-parallel
# on two pods of two leaves of four nodes. In the first cluster no slurmd runs;
# the jobs stay CONFIGURING. Nodes n[13-14] have fewer GPUs than the others, and
# n15 lacks the feature "fast".

test_description='Policies of levels, groups of ranks, wait or start'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

sgang=$(checked_sgang)

# A line of slurm.conf; the ports are those of nobody.
cloud_nodes()
{
	echo "NodeName=$1 NodeAddr=127.0.0.1 Port=1 State=CLOUD CPUs=8" \
		"Sockets=1 CoresPerSocket=8 ThreadsPerCore=1 RealMemory=8000 $2"
}

nodes_of()
{
	squeue -h -j "$(tr ' ' , <<<"$*")" -o %N | while read -r list; do
		scontrol show hostnames "$list"
	done | sort -V
}

# The numbers from 0 of the domains of SIZE nodes that jobs are in, each once.
domains_of()
{
	local size=$1

	shift
	nodes_of "$@" | sed 's/n//' |
		awk -v size=$size '{ print int(($1 - 1) / size) }' | sort -u |
		xargs
}

# Submit a gang: gang NAME COUNT [OPTIONS]; "members" has the ids.
gang() { submit_gang "$@"; }

# The same, of whole nodes.
whole() { gang "$@" -N 1 --exclusive; }
starts() { wait_for ${1:-20} all_in CONFIGURING ${members[@]}; }

# The gang waits, for a reason that contains the text.
waits()
{
	wait_for 15 squeue_says ${members[0]} "$1" || {
		squeue -h -j ${members[0]} -o %r >&2
		gang_record ${members[0]} >&2
		return 1
	}
	all_in PENDING ${members[@]}
}

# The record of the first member: record_has WORD=VALUE...
record_has() { recorded ${members[0]} "$@"; }

explains()
{
	"$sgang" explain $1 | tr -s ' \n' ' ' >explained &&
		grep -F "$2" explained || { cat explained >&2; return 1; }
}

# When Slurm expects the job to start, as seconds, is between these.
expected_between()
{
	local at

	at=$(started_at $1 2>/dev/null) && test $at -ge $2 && test $at -le $3
}

# refused TEXT OPTION...: sbatch says so
refused()
{
	local text=$1

	test_must_fail submit --gang=bad --gang-min-member=2 "${@:2}" 2>err &&
		grep -F -- "$text" err || { cat err >&2; return 1; }
}

slurm_cluster --cloud 16 --gang \
	--topology "$top_srcdir/tests/data/pods-2x2x4.conf" \
	--conf "GresTypes=gpu
$(cloud_nodes n[1-12,16] 'Gres=gpu:4 Feature=fast')
$(cloud_nodes n[13-14] 'Gres=gpu:2 Feature=fast')
$(cloud_nodes n15 Gres=gpu:4)"

test_expect_success '4.24, 4.25 require: what each leaf lacks, and why' '
	jobs_on n1 n6 &&
	scontrol update nodename=n5 state=drain reason=test &&
	scontrol create reservation reservationname=r users=daemon \
		nodes=n[9-10] starttime=now duration=60 &&
	whole tight 4 --gres=gpu:4 -C fast --gang-topology=require:leaf &&
	waits "Gang root/tight waits: 8 nodes are free, but no leaf has 4:\
 l1 has 3 (1 busy)" &&
	wait_for 10 record_has lacks=l1:3/4:busy=1,l2:2/4:busy=1:drained=1,\
l3:2/4:reserved=2,l4:1/4:gpus=2:feature=1
'
test_expect_success '4.24 sgang explain has a line for each of them' '
	explains tight "Place=l1 Free=3 Needed=4 Unit=node Causes=busy=1" &&
	explains tight "Place=l2 Free=2 Needed=4 Unit=node Causes=busy=1,drained=1" &&
	explains tight "Place=l3 Free=2 Needed=4 Unit=node Causes=reserved=2" &&
	explains tight "Place=l4 Free=1 Needed=4 Unit=node Causes=gpus=2,feature=1"
'
test_expect_success '4.24 the reason counts GPUs for those who asked for GPUs' '
	drop ${members[@]} &&
	gang gpus 13 -N 1 -n 1 --mem=10 --gres=gpu:1 -C fast \
		--gang-topology=require:leaf &&
	waits "Gang root/gpus waits: 36 places with 1 GPU, 1 CPU and 10M\
 are free, but no leaf has 13: l1 has 12 (nodes without room: 1 busy)"
'
test_expect_success '4.24 and places with so many of them where it must be one node' '
	drop ${members[@]} &&
	one=$(placed_job -w n2 -N 1 -n 1 --mem=10 --gres=gpu:1 -t 60) &&
	gang fours 4 -N 1 -n 1 --mem=10 --gres=gpu:4 -C fast \
		--gang-topology=require:leaf &&
	waits "Gang root/fours waits: 7 places with 4 GPUs, 1 CPU and 10M\
 are free, but no leaf has 4: l1 has 2 (nodes without room: 1 busy, 1 with too\
 few free GPUs)" &&
	scancel $one
'
test_expect_success '4.24, 4.25 require:spine may span leaves' '
	drop ${members[@]} &&
	whole loose 4 --gres=gpu:4 -C fast --gang-topology=require:spine &&
	starts && record_has tier=spine cross=2 &&
	test $(domains_of 8 ${members[@]}) = 0
'
test_cleared '4.24 what was drained and reserved is used again' '
	drop ${members[@]} &&
	whole tight 4 --gres=gpu:4 --gang-topology=require:leaf &&
	waits "no leaf has 4" &&
	scontrol delete reservationname=r && starts && record_has tier=leaf &&
	test "$(nodes_of ${members[@]} | xargs)" = "n9 n10 n11 n12" &&
	scontrol update nodename=n5 state=resume
'
test_expect_success '4.24 prefer without a time does not wait' '
	jobs_on n1 n5 n9 n13 &&
	whole now 4 --gang-topology=prefer:leaf && starts &&
	record_has tier=spine && drop ${members[@]}
'
test_expect_success '4.24 prefer with a time waits, and says until when' '
	whole later 4 --gang-topology=prefer:leaf@1:00:00 &&
	waits "12 nodes are free, but no leaf has 4: " &&
	since=$(date -d "$(job_field ${members[3]} SubmitTime)" +%s) &&
	wait_for 10 expected_between ${members[0]} $((since + 3599)) \
		$((since + 3660)) &&
	drop ${members[@]}
'
test_expect_success '4.24 and then takes any place' '
	whole soon 4 --gang-topology=prefer:leaf@0:15 &&
	since=$(date -d "$(job_field ${members[3]} SubmitTime)" +%s) &&
	starts 30 && record_has tier=spine ring=40 &&
	test $(($(started_at ${members[0]}) - since)) -ge 14 &&
	drop ${members[@]}
'
test_cleared '4.24 a place of that level that gets free ends the wait' '
	whole content 4 --gang-topology=prefer:leaf@1:00:00 &&
	waits "no leaf has 4" &&
	scancel $(squeue -h -w n9 -o %i) && starts && record_has tier=leaf &&
	test "$(nodes_of ${members[@]} | xargs)" = "n9 n10 n11 n12"
'
test_expect_success '4.24 spread: each member in another leaf' '
	whole apart 4 --gang-topology=spread:leaf && starts &&
	test "$(domains_of 4 ${members[@]})" = "0 1 2 3" &&
	drop ${members[@]}
'
test_expect_success '4.24 more members than leaves are refused' '
	! whole five 5 --gang-topology=spread:leaf 2>err &&
	grep "5 members are to be in different leaf domains, but only 4 have\
 room for one" err
'
test_expect_success '--gang-exclusive=leaf: no other gang beside it' '
	jobs_on n[5-16] &&
	whole alone 2 --gang-exclusive=leaf && starts &&
	alone=(${members[@]}) &&
	whole other 1 && waits "Gang root/other waits: " &&
	waits "1 node is needed, 0 are free (14 busy, 2 kept for others)" &&
	record_has lacks=top:0/1:busy=14:kept=2
'
test_expect_success 'ordinary jobs are not kept out' '
	id=$(submit -N 1 --exclusive --nice=-100) &&
	wait_state $id CONFIGURING && test $(domains_of 4 $id) = 0 && drop $id
'
test_expect_success 'it ends, and the other comes in' 'drop ${alone[@]} && starts'
test_cleared 'an exclusive gang waits for a leaf without gangs' '
	other=${members[0]} &&
	whole late 2 --gang-exclusive=leaf && waits "Gang root/late waits: " &&
	drop $other && starts
'
# A gang of one node in each leaf, the one in the second for half an hour.
one_in_each_leaf()
{
	whole first 1 -w n1 -t 60 && starts &&
	whole second 1 -w n5 -t 30 && starts && second=${members[0]} &&
	whole third 1 -w n9 -t 60 && starts &&
	whole fourth 1 -w n13 -t 60 && starts
}

test_expect_success 'it is told when the first leaf will be without gangs' '
	one_in_each_leaf && at=$(ends_at $second) &&
	whole late 2 --gang-exclusive=leaf -t 10 && late=(${members[@]}) &&
	waits "Gang root/late waits: " &&
	wait_for 20 expected_between ${late[0]} $at $((at + 2))
'
test_expect_success 'gangs that come after it and run longer keep off there' '
	small= &&
	for i in 1 2 3 4 5 6 7 8 9; do
		whole small$i 1 -t 60 && starts &&
		small+=" ${members[0]}" || return 1
	done &&
	test "$(domains_of 4 $small)" = "0 2 3" &&
	whole tenth 1 -t 60 && tenth=${members[0]} &&
	wait_for 20 expected_between $tenth $at $((at + 7200)) &&
	all_in PENDING $tenth
'
test_expect_success 'and others off the two nodes that it will use' '
	id=$(placed_job -N 1 --exclusive -t 60) &&
	test "$(domains_of 4 $id)" = 1 &&
	submit -N 1 --exclusive -t 60 &&
	more=$(submit -N 1 --exclusive -t 60) &&
	wait_for 20 expected_between $more $at $((at + 3600)) &&
	all_in PENDING $more $tenth ${late[@]}
'
test_cleared 'the leaf is its own when the gang there has ended' '
	scancel $second && members=(${late[@]}) && starts &&
	test "$(domains_of 4 ${late[@]})" = 1 &&
	all_in PENDING $tenth
'
test_expect_success '--gang-group-topology=require: all gangs in one pod' '
	jobs_on n[1-3] n[9-10] &&
	whole a 3 --gang-groups=root/b --gang-group-topology=require:spine &&
	a=(${members[@]}) &&
	whole b 3 --gang-groups=root/a &&
	members+=(${a[@]}) && starts &&
	test "$(domains_of 8 ${members[@]})" = 1 && drop ${members[@]}
'
test_expect_success 'and they wait for it' '
	jobs_on n[11-12] &&
	whole a 3 --gang-groups=root/b --gang-group-topology=require:spine &&
	a=(${members[@]}) &&
	whole b 3 --gang-groups=root/a &&
	members+=(${a[@]}) &&
	waits "Gang root/b waits: 9 nodes are free, but no spine has 6: p1 has 5\
 (3 busy)" &&
	drop ${members[@]}
'
test_cleared '--gang-group-topology=spread: each gang in another pod' '
	whole a 3 --gang-groups=root/b --gang-group-topology=spread:spine &&
	a=(${members[@]}) &&
	whole b 3 --gang-groups=root/a &&
	starts && wait_for 10 all_in CONFIGURING ${a[@]} &&
	test "$(domains_of 8 ${members[@]} ${a[@]})" = "0 1" &&
	test "$(domains_of 8 ${members[@]})" != "$(domains_of 8 ${a[@]})"
'
# Four nodes are free in each pod: those of a leaf, and two in each of two.
test_cleared 'a pod in which one of them does not get along is not all' '
	jobs_on n[5-8] n[9-10] n[13-14] &&
	whole a 2 --gang-groups=root/b --gang-topology=spread:leaf \
		--gang-group-topology=require:spine &&
	a=(${members[@]}) &&
	whole b 2 --gang-groups=root/a &&
	starts && wait_for 10 all_in CONFIGURING ${a[@]} &&
	test "$(domains_of 8 ${members[@]} ${a[@]})" = 1 &&
	test "$(domains_of 4 ${a[@]})" = "2 3"
'
# One leaf of four nodes and half of one are free, all in a pod.
test_cleared '4.24 a gang of a group keeps to what it asked itself' '
	jobs_on n[1-8] n[9-10] &&
	for own in "a b" "b a"; do
		set -- $own &&
		whole $1 3 --gang-groups=root/$2 \
			--gang-topology=require:leaf &&
		own=(${members[@]}) &&
		whole $2 3 --gang-groups=root/$1 \
			--gang-group-topology=require:spine &&
		starts && wait_for 10 all_in CONFIGURING ${own[@]} &&
		test "$(domains_of 4 ${own[@]})" = 3 &&
		drop ${members[@]} ${own[@]} || return 1
	done
'
# Four ranks a node: four tp rings of four hops inside of a node, four dp rings
# of four hops between nodes of a leaf.
test_expect_success '4.29, 4.34, 4.36 the weighted sum is recorded' '
	whole train 4 -n 4 --gang-parallel=tp=4,dp=4 && starts &&
	record_has wcost=$((100 * 16 * 1 + 10 * 16 * 4)) wbest=2240 exact=1 \
		layout= tier=leaf && drop ${members[@]} &&
	whole light 4 -n 4 --gang-parallel=tp=4,dp=4:tp=7,dp=3 && starts &&
	record_has wcost=$((7 * 16 + 3 * 64)) && drop ${members[@]}
'
test_expect_success '4.30 the heaviest group stays lowest, first or not' '
	whole train 4 -n 4 --gang-parallel=dp=4,tp=4:dp=1,tp=100 && starts &&
	record_has wcost=$((100 * 16 + 64)) layout=0,4,8,12 &&
	drop ${members[@]}
'
test_cleared '4.29 groups in fragments cost what they must' '
	jobs_on n[1-2] n[5-6] n[9-16] &&
	whole train 4 -n 4 --gang-parallel=tp=4,dp=2,pp=2 && starts &&
	record_has wcost=$((100 * 16 + 10 * 8 * 2 * 4 + 1 * 8 * 2 * 16)) \
		wbest=2304 tier=spine
'
test_expect_success '4.31 require:tp:node: never across nodes' '
	whole train 2 -n 4 --gang-parallel=tp=4,dp=2 \
		--gang-topology=require:tp:node && starts &&
	record_has wcost=$((100 * 8 + 10 * 4 * 2 * 4)) && drop ${members[@]} &&
	whole wide 2 -n 4 --gang-parallel=tp=8 \
		--gang-topology=require:tp:node &&
	waits "group tp: 1 ring of 8 ranks must be within one node, 0 fit" &&
	drop ${members[@]}
'
test_cleared '4.29 groups of another number of ranks are told' '
	whole wrong 4 -n 4 --gang-parallel=tp=4,dp=2 &&
	waits "Gang root/wrong waits: the groups tp=4,dp=2 make 8 ranks, but the\
 gang has 16"
'

# Free now: three nodes of a leaf and one in the other pod, 2 * 4 + 2 * 64;
# after ten minutes a leaf, 4 * 4. That is 7.5 times less.
fragment() { jobs_on n[1-4] n[9-12] n[13-15] && limit=-t10 jobs_on n5; }

test_expect_success '4.37 auto waits for a place that saves more than that' '
	fragment &&
	at=$(ends_at $(squeue -h -w n5 -o %i)) &&
	whole long 4 --gang-topology=auto --gang-run-time=60 \
		--gang-comm-share=0.5 &&
	waits "a place of ring cost 16 is expected at $(date -d @$at +%T); here\
 it costs 136, which adds 13500 s to the run" &&
	wait_for 10 expected_between ${members[0]} $at $((at + 2))
'
test_cleared '4.37 and takes it when it is there before' '
	scancel $(squeue -h -w n5 -o %i) && starts && record_has ring=16
'
test_expect_success '4.37 auto: a short run starts at once' '
	fragment &&
	at=$(ends_at $(squeue -h -w n5 -o %i)) &&
	whole short 4 --gang-topology=auto --gang-run-time=1 \
		--gang-comm-share=0.5 && starts &&
	record_has ring=136 best=16 choice=136:225 && drop ${members[@]}
'
test_expect_success '4.37 auto: who hardly communicates starts at once' '
	whole quiet 4 --gang-topology=auto --gang-run-time=60 \
		--gang-comm-share=0.001 && starts &&
	record_has ring=136 && explains quiet "Auto=start Cost=136 AddsSeconds=" &&
	drop ${members[@]}
'
test_cleared '4.37 auto: a run of the time limit, 0.3 of it talk' '
	whole limit 4 --gang-topology=auto -t 60 &&
	waits "which adds $((3600 * 3 / 10 * 15 / 2)) s to the run" &&
	drop ${members[@]} &&
	whole limit 4 --gang-topology=auto -t 1 && starts &&
	record_has choice=136:135
'
test_expect_success '4.26 a policy names levels, and bad ones are refused' '
	refused "--gang-topology: there is no level \"n1\"; the levels are\
 island, node, leaf, spine, core" --gang-topology=require:n1 &&
	refused "--gang-topology=prefer" --gang-topology=prefer &&
	refused "--gang-parallel=tp=0: tp=0: expected a number from 1 to" \
		--gang-parallel=tp=0 &&
	refused "--gang-comm-share=2: expected a fraction above 0 and at most 1" \
		--gang-comm-share=2 &&
	refused "--gang-exclusive: there is no level \"rack\"" \
		--gang-exclusive=rack
'
test_expect_success 'nothing is left' '
	clear_cluster &&
	nothing_left
'
slurm_cleanup

# --- where jobs run: what they are told ---

switches a=n[1-2] b=n[3-4] top:a,b >two-leaves.conf
slurm_cluster -n 4 -c 4 --gang --topology "$PWD/two-leaves.conf"

# A member that writes its variables to NAME.RANK and waits for NAME.go.
cat >member.sh <<SCRIPT
#!/bin/bash
cd "$PWD"
env | grep ^SLURM_GANG_ >now.\$SLURM_JOB_ID
mv now.\$SLURM_JOB_ID \$SLURM_GANG_NAME.\$SLURM_GANG_MEMBER_RANK
until test -e \$SLURM_GANG_NAME.go; do read -rt 0.1 <> <(:) || :; done
SCRIPT

# As gang(), and wait until all have written theirs.
run()
{
	local i

	submit_gang "$@" member.sh || return 1
	for ((i = 0; i < $2; i++)); do
		wait_for 20 test -e $1.$i || return 1
	done
}

finish() { touch $1.go && wait_for 15 all_in COMPLETED ${members[@]}; }

# The nodes of the ranks from 0 on, by sgang map.
map_nodes()
{
	"$sgang" map $1 --json | jq -r "sort_by(.rank) | .[] |
		\"\(.rank) \(.node)\""
}

test_expect_success '4.28, 4.30 groups in ring order need no layout' '
	run train 2 -N 1 -n 4 --gang-parallel=tp=4,dp=2 &&
	! grep "LAYOUTS\?=." train.0 train.1 &&
	test "$(gang_record ${members[0]} layout)" = "" &&
	record_has wcost=$((100 * 8 + 10 * 4 * 2 * 4))
'
test_expect_success JQ '4.28, 4.30 nor does the map' '
	map_nodes train >map &&
	for i in 0 1; do
		node=$(nodes_of ${members[i]}) &&
		for rank in 0 1 2 3; do echo $((4 * i + rank)) $node; done ||
			return 1
	done >wanted &&
	test_cmp wanted map
'
test_expect_success '4.28, 4.30 others are told which ranks they have' '
	finish train &&
	run heavy 2 -N 1 -n 4 --gang-parallel=dp=2,tp=4:dp=1,tp=100 &&
	grep -x SLURM_GANG_LAYOUT=0,2,4,6 heavy.0 &&
	grep -x SLURM_GANG_LAYOUT=1,3,5,7 heavy.1 &&
	record_has layout=0,2,4,6 wcost=$((100 * 8 + 4 * 2 * 4))
'
test_expect_success JQ '4.28, 4.30 and the map has them where they are' '
	first=$(sed -n s/SLURM_GANG_MEMBER_NODELIST=//p heavy.0) &&
	second=$(sed -n s/SLURM_GANG_MEMBER_NODELIST=//p heavy.1) &&
	for rank in 0 2 4 6; do echo $rank $first; done >wanted &&
	for rank in 1 3 5 7; do echo $rank $second; done >>wanted &&
	map_nodes heavy >map && sort wanted | test_cmp - map &&
	finish heavy
'
# --- members that start after their gang ---

block() { jobs_on "$@" && wait_for 20 all_in RUNNING ${jobs[@]}; }

# One more member of the gang NAME: later NAME [OPTIONS]
later()
{
	local name=$1

	late=$(submit --gang=$name --gang-min-member=1 -N 1 --exclusive "${@:2}")
}

# The gang NAME of one member, on that node: begun NAME NODE [OPTIONS]
begun()
{
	local name=$1 node=$2

	later $name "${@:3}" && first=$late && wait_for 20 all_in RUNNING $first &&
		test "$(nodes_of $first)" = $node &&
		wait_for 10 'test "$(gang_phase root/$name)" = running'
}

test_expect_success '4.24 a member that comes later keeps to the leaf of its gang' '
	limit=-t10 block n1 && begun team n2 --gang-topology=require:leaf &&
	later team --gang-topology=require:leaf &&
	wait_for 15 squeue_says $late "Gang root/team runs in leaf a, where\
 this member waits for room" &&
	all_in PENDING $late
'
test_expect_success '4.24 it is expected when there is room' '
	at=$(ends_at $jobs) &&
	wait_for 40 expected_between $late $at $((at + 60))
'
test_expect_success '4.24 and starts there' '
	scancel $jobs && wait_for 20 all_in RUNNING $late &&
	test "$(nodes_of $late)" = n1
'
test_cleared '4.24 so does a member that is requeued' '
	block n3 && scontrol requeue $late &&
	wait_for 15 squeue_says $late BeginTime &&
	scontrol update JobId=$late StartTime=now+3 &&
	wait_for 20 all_in RUNNING $late &&
	test "$(nodes_of $late)" = n1 && all_in RUNNING $first
'
test_cleared '4.20 without a policy the leaf only comes first' '
	block n[1-2] && begun near n3 && scancel $jobs &&
	wait_for 10 all_in CANCELLED $jobs &&
	later near && wait_for 20 all_in RUNNING $late &&
	test "$(nodes_of $late)" = n4 &&
	later near && wait_for 20 all_in RUNNING $late
'
test_cleared '4.24 prefer is the order too' '
	block n[1-2] && begun near n3 --gang-topology=prefer:leaf@60 &&
	drop $jobs &&
	for i in 1 2; do
		later near --gang-topology=prefer:leaf@60 &&
		wait_for 20 all_in RUNNING $late || return 1
	done &&
	test $(nodes_of $late | tr -d n) -le 2
'
test_cleared '4.24 spread: a later member has a leaf of its own' '
	block n1 && begun apart n2 --gang-topology=spread:leaf &&
	drop $jobs &&
	later apart --gang-topology=spread:leaf &&
	wait_for 20 all_in RUNNING $late &&
	test $(nodes_of $late | tr -d n) -ge 3 &&
	later apart --gang-topology=spread:leaf &&
	wait_for 15 squeue_says $late "Gang root/apart is spread: this member\
 waits for room in a leaf without another" &&
	all_in PENDING $late
'
test_expect_success 'nothing is left where jobs ran' 'nothing_left'

test_done
