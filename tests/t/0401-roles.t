#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0401-roles.t - gangs whose members form a tree of groups; such that preempt and are
# preempted, their epochs, and members that name their nodes
#
# The observer trusts Slurm's commands alone: squeue says who runs where, and
# the rule is told anew by tree_holds, over the roles as they were submitted.

test_description='Trees of groups start, are preempted and preempt as a whole'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

switches leaf1=n[1-3] leaf2=n[4-6] leaf3=n[7-9] core:leaf[1-3] >topology.conf
slurm_setup -n 9 -c 2 --gang --topology "$PWD/topology.conf" --conf \
"$quick_sched
PreemptType=preempt/qos
PreemptMode=REQUEUE
KillWait=2"
slurmdbd_setup 'AccountingStorageEnforce=associations,limits,qos'
acct add qos low,high
acct modify qos low set Priority=5
acct modify qos high set Priority=100 Preempt=low
acct add account lab
acct add user root account=lab defaultaccount=lab
acct modify user root set qos=normal,low,high
slurm_start

sgang=$(checked_sgang)
gang_scripts busy role
sed -i "2i env | grep ^SLURM_GANG_ROLE >\"$PWD/env.\$SLURM_JOB_ID\"
	2i echo \$SLURM_GANG_ROLE_HEADS >\"$PWD/heads.\$SLURM_JOB_ID\"" role.sh

# member GANG ROLE [OPTIONS]: one whole node, in "members" and "role_of"
declare -A role_of
member()
{
	local id

	id=$(submit -N 1 --exclusive --gang=$1 --gang-role=$2 "${@:3}" \
		role.sh) || return 1
	members+=($id)
	role_of[$id]=$2
}

# replica GANG NAME ENCODERS DECODERS [OPTIONS]: needs 1 and 2 of them, in one
# leaf switch
replica()
{
	local i group=$2:min=2:require=leaf

	for ((i = 0; i < $3; i++)); do
		member $1 $group/encode:min=1 --gang-min-member=2 "${@:5}" ||
			return 1
	done
	for ((i = 0; i < $4; i++)); do
		member $1 $group/decode:min=2:weight=10 --gang-min-member=2 \
			"${@:5}" || return 1
	done
}

occupy() { on_nodes "$*" --exclusive busy.sh && busy=(${jobs[@]}); }

# The leaf switches on which members of that group run: leaves_of GROUP
leaves_of()
{
	local id

	for id in ${members[@]}; do
		case ${role_of[$id]} in
		$1:*) squeue -h -j $id -t R -o %N ;;
		esac
	done | sed "s/n//" | awk "{ print int((\$1 - 1) / 3) + 1 }" | sort -u
}

idle_are() { test "$(nodes_in idle)" = $1; }
end_gang() { touch $1.go && wait_for 20 all_in COMPLETED ${members[@]}; }

# lacks MEMBER GROUP COUNT MIN: its reason is that the group has too few
lacks()
{
	wait_for 20 squeue_says $1 \
		"SubGroup $2 does not have enough children ($3 < $4)"
}

test_expect_success '2.15 2.16 2.17 a tree starts as a whole, each replica in one leaf' '
	members=() && replica serve replica1 1 2 && replica serve replica2 1 2 &&
	start_together 20 ${members[@]} &&
	test "$(leaves_of replica1 | wc -l)" = 1 &&
	test "$(leaves_of replica2 | wc -l)" = 1
'
# What a member was told: told ID NAME
told() { sed -n "s/^SLURM_GANG_$2=//p" env.$1; }

# The nodes of the members of a group, in the order of their names.
nodes_of()
{
	local id

	for id in ${members[@]}; do
		case $(echo "${role_of[$id]}" | sed "s/:[^\/]*//g") in
		$1) squeue -h -j $id -o %N ;;
		esac
	done | sort | paste -sd, -
}

test_expect_success '2.15 members know their roles, and where the others are' '
	for id in ${members[@]}; do wait_for 20 test -s env.$id || return 1; done &&
	test "$(told ${members[4]} ROLE)" = replica2/decode &&
	test "$(told ${members[4]} ROLE_NODELIST | tr , "\n" | sort | paste -sd, -)" = \
		"$(nodes_of replica2/decode)" &&
	test "$(told ${members[3]} ROLE_RANK)" = 0 &&
	test "$(for id in ${members[@]:4}; do told $id ROLE_RANK; done | sort | paste -sd, -)" = 0,1 &&
	for id in ${members[@]}; do told $id ROLE_HEADS; done | sort -u >heads &&
	test "$(wc -l <heads)" = 1 &&
	grep "replica1/encode=$(nodes_of replica1/encode)," heads &&
	grep "replica2/encode=$(nodes_of replica2/encode)" heads &&
	for id in ${members[@]}; do told $id ROLE_HEAD_ADDRS; done | sort -u >addrs &&
	test "$(wc -l <addrs)" = 1 &&
	tr , "\n" <heads | while IFS== read -r role node; do
		echo "$role=$(scontrol -o show node $node | sed "s/.* NodeAddr=\([^ ]*\).*/\1/")"
	done | paste -sd, | test_cmp - addrs
'
test_expect_success '2.15 the roles are in the records' '
	test "$(gang_record ${members[0]} role)" = \
		replica1:min=2:require=leaf/encode:min=1 &&
	end_gang serve
'

# ---- one short, at each level ----

test_expect_success '2.18 2.19 a replica without decoders: nothing starts, and the group is named' '
	members=() && replica short replica1 1 2 && replica short replica2 1 1 &&
	lacks ${members[0]} replica2/decode 1 2 &&
	all_in PENDING ${members[@]} && wait_for 20 idle_are 9
'
test_expect_success '2.18 sgang explain lists the groups' '
	"$sgang" explain short >out && cat out &&
	grep "Group=(gang) Min=2 There=1 Running=0 Of=groups" out &&
	grep "Group=replica2 Min=2 There=1 .* Require=leaf" out &&
	grep "Group=replica2/decode Min=2 There=1 .* Of=members Weight=10" out
'
test_expect_success '2.16 2.18 a replica with one of its two groups' '
	scancel ${members[4]} && unset "members[4]" &&
	lacks ${members[0]} replica2 1 2 &&
	all_in PENDING ${members[@]}
'
test_expect_success '2.17 2.19 one replica of two' '
	scancel ${members[3]} && unset "members[3]" &&
	lacks ${members[0]} "(gang)" 1 2 &&
	all_in PENDING ${members[@]} && wait_for 20 idle_are 9
'
test_expect_success '2.15 the rest comes: all start' '
	replica short replica2 1 2 &&
	wait_for 20 all_in RUNNING ${members[@]} && end_gang short
'

# ---- room ----

test_expect_success '2.15 six free nodes, two in each leaf: no replica fits' '
	occupy n{1,4,7} && members=() &&
	replica room replica1 1 2 && replica room replica2 1 2 &&
	wait_for 10 gang_attempted ${members[5]} 1 &&
	wait_for 20 squeue_says ${members[0]} "Gang root/room waits: " &&
	all_in PENDING ${members[@]} && wait_for 20 idle_are 6
'
test_expect_success '2.15 one leaf is free: still nothing' '
	scancel ${busy[0]} && wait_for 20 idle_are 7 &&
	wait_for 10 gang_attempted ${members[5]} 2 &&
	all_in PENDING ${members[@]}
'
test_expect_success '2.15 the tree is read again after a restart' '
	slurm_saved ${members[-1]} && slurm_kill9_ctld && slurm_start_ctld &&
	wait_for 30 squeue_says ${members[0]} "Gang root/room waits: " &&
	all_in PENDING ${members[@]}
'
test_expect_success '2.15 2.16 two leaves are free: both replicas start' '
	scancel ${busy[1]} && wait_for 40 all_in RUNNING ${members[@]} &&
	started_together ${members[@]} &&
	test "$(leaves_of replica1 | wc -l)" = 1 &&
	test "$(leaves_of replica2 | wc -l)" = 1 && end_gang room && scancel ${busy[2]}
'

# ---- after the start ----

# The ranks in the records of these jobs are 0 to n-1, each once.
ranks_differ()
{
	local id

	for id; do
		gang_record $id rank | cut -d/ -f1
	done | sort -n >has
	seq 0 $(($# - 1)) | test_cmp - has
}

test_expect_success '2.15 2.16 one replica of two is enough: the other has no room' '
	occupy n{7,8,9} && occupied=(${busy[@]}) && occupy n4 && members=() &&
	replica grow replica1 1 2 --gang-min-member=1 &&
	replica grow replica2 1 2 --gang-min-member=1 &&
	replica_1=(${members[@]:0:3}) replica_2=(${members[@]:3}) &&
	wait_for 20 all_in RUNNING ${replica_1[@]} &&
	all_in PENDING ${replica_2[@]} && wait_for 20 idle_are 2
'
test_expect_success '2.15 a group that follows starts as a whole' '
	scancel ${busy[0]} && wait_for 40 all_in RUNNING ${replica_2[@]} &&
	test "$(job_field ${replica_2[0]} StartTime)" = \
		"$(job_field ${replica_2[2]} StartTime)" &&
	wait_for 20 ranks_differ ${members[@]} &&
	test "$(leaves_of replica2)" = 2
'
test_expect_success '2.15 2.18 part of a third replica does not' '
	scancel ${occupied[@]} && replica grow replica3 1 1 --gang-min-member=1 &&
	lacks ${members[6]} replica3/decode 1 2 &&
	wait_for 20 idle_are 3 && all_in PENDING ${members[@]:6}
'
test_expect_success '2.15 the rest of it comes: it starts' '
	member grow replica3/decode && wait_for 40 all_in RUNNING ${members[@]} &&
	wait_for 20 ranks_differ ${members[@]} && end_gang grow
'
test_expect_success '2.15 4.24 a late member keeps to the leaf of its group, and says so' '
	occupy n{3,6,9} && members=() &&
	member late a:require=leaf/b --gang-min-member=1 &&
	wait_for 20 all_in RUNNING ${members[0]} &&
	leaf=$(leaves_of a) && member late a/b && wait_for 20 all_in RUNNING ${members[1]} &&
	role_of[${members[1]}]=a:b && test "$(leaves_of a)" = $leaf &&
	member late a/b && wait_for 20 idle_are 4 &&
	wait_for 20 squeue_says ${members[2]} "Gang root/late: group a runs in leaf\
 leaf$leaf, where this member waits for room" && all_in PENDING ${members[2]} &&
	scancel ${busy[$((leaf - 1))]} && wait_for 40 all_in RUNNING ${members[2]} &&
	role_of[${members[2]}]=a:b && test "$(leaves_of a)" = $leaf &&
	end_gang late && scancel ${busy[@]}
'

# ---- heirs, and what is remembered ----

test_expect_success '2.15 an heir has the rank of its role' '
	wait_for 30 idle_are 9 && members=() &&
	replica heir replica1 1 2 && replica heir replica2 1 2 &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	rank=$(gang_record ${members[5]} rank) &&
	wait_for 20 test -s env.${members[5]} &&
	scancel ${members[0]} ${members[5]} &&
	wait_for 20 all_in CANCELLED ${members[0]} ${members[5]} &&
	member heir replica2/decode && heir=${members[6]} &&
	wait_for 40 all_in RUNNING $heir &&
	test "$(gang_record $heir rank)" = "$rank" &&
	wait_for 20 test -s env.$heir &&
	test "$(told $heir ROLE)" = replica2/decode &&
	test "$(told $heir ROLE_RANK)" = "$(told ${members[5]} ROLE_RANK)" &&
	scancel ${members[@]}
'
# A member beyond the minimum of its group, which runs without a rank.
is_spare() { gang_record $1 spare | grep -qx 1; }

test_expect_success '2.15 6.5 a spare takes the rank of a lost member of its own group, and of no other' '
	wait_for 30 idle_are 9 && members=() &&
	for role in replica{1,2}:min=2/{encode:min=1,decode:min=2,decode}; do
		member spare $role --gang-min-member=2 --gang-spares=1 || return 1
	done &&
	start_together 20 ${members[@]} &&
	member spare replica2/decode --gang-spares=1 && spare=${members[6]} &&
	wait_for 40 all_in RUNNING $spare && wait_for 20 is_spare $spare &&
	wait_for 20 test -s env.$spare && test "$(told $spare ROLE)" = replica2/decode &&
	scancel ${members[1]} && wait_for 20 all_in CANCELLED ${members[1]} &&
	wait_for 20 gang_log root/spare "epoch 3" && is_spare $spare &&
	rank=$(gang_record ${members[5]} rank) &&
	scancel ${members[5]} && wait_for 20 all_in CANCELLED ${members[5]} &&
	wait_for 20 "! is_spare $spare" &&
	test "$(gang_record $spare rank)" = "$rank" &&
	scancel ${members[@]}
'
test_expect_success '2.16 the minima of members that are gone are remembered' '
	wait_for 30 idle_are 9 && members=() &&
	member memory a:min=2/b:min=2 --gang-min-member=1 && first=$members &&
	member memory a/b && member memory a/c:min=3 &&
	lacks ${members[2]} a/c 1 3 &&
	scancel $first ${members[2]} && unset "members[0]" "members[2]" &&
	member memory a/c && member memory a/c && member memory a/c &&
	lacks ${members[1]} a/b 1 2 &&
	all_in PENDING ${members[@]} && scancel ${members[@]}
'

# ---- definitions ----

test_expect_success '2.15 groups of gang.conf, and of sgang create' '
	cat >>$slurm_dir/etc/gang.conf <<-END &&
	GangName=root/conf MinMember=1
	GangGroup=root/conf/a MinMember=2 Topology=require:leaf
	GangGroup=root/conf/a/b MinMember=2 Weight=5
	END
	scontrol reconfigure && members=() && wait_for 30 idle_are 9 &&
	member conf a/b && member conf a/c &&
	lacks ${members[0]} a/b 1 2 &&
	member conf a/b && wait_for 20 all_in RUNNING ${members[@]} &&
	role_of[${members[0]}]=a:b role_of[${members[1]}]=a:b &&
	test "$(leaves_of a | wc -l)" = 1 && end_gang conf &&
	"$sgang" create made --min-member=1 --tree=x:min=2 && members=() &&
	member made x && lacks ${members[0]} x 1 2 &&
	member made x && wait_for 20 all_in RUNNING ${members[@]} &&
	end_gang made && "$sgang" delete made
'

# ---- words that are refused ----

refused()
{
	test_must_fail submit -N 1 --gang=odd "${@:2}" --wrap=true 2>err &&
		grep -e "$1" err
}

test_expect_success '2.18 contradictions are refused, with what to do' '
	id=$(submit -N 1 --gang=odd --gang-role=a:min=2/b --wrap=true) &&
	refused "min=3 and min=2 are said of it: all members must say the same" \
		--gang-role=a:min=3/c &&
	refused "has members and groups in it: put these members into a group" \
		--gang-role=a/b/c &&
	refused "has members and groups in it" --gang-role=a &&
	refused "give each --gang-role" --gang-rank=0 &&
	refused "at most 4 groups may be in each other" --gang-role=a/b/c/d/e &&
	refused "more than 383 characters" \
		--gang-role=$(printf "a%.0s" {1..400}) &&
	refused "there is no level \"rack\"" --gang-role=a/d:require=rack &&
	refused "has no --gang-spares=N:cold" --gang-role=a/d --gang-spares=1:cold &&
	scancel $id
'

# ---- the example ----

test_expect_success '2.15 contrib/examples/serve.yaml: decoders find their encoders' '
	wait_for 30 idle_are 9 &&
	"$sgang" submit "$top_srcdir/contrib/examples/serve.yaml" >out &&
	members=($(sed -n "s/^JobId=\([0-9]*\) .*/\1/p" out)) &&
	test ${#members[@]} = 6 && wait_for 40 all_in COMPLETED ${members[@]} &&
	node=$(sed -n "s,^replica2/encode on ,,p" serve-*.out) && test -n "$node" &&
	grep -h "^replica2/decode" serve-*.out | sort >read &&
	printf "replica2/decode %s reads $node\n" 0 1 | test_cmp - read
'

# ---- a file ----

cat >serve.yaml <<END
gang: file
min: 2
options: [-N1, --exclusive]
roles:
  - name: replica1
    min: 2
    topology: require:leaf
    roles:
      - {name: encode, min: 1, count: 1, script: $PWD/role.sh}
      - {name: decode, min: 1, count: 2, script: $PWD/role.sh, weight: 10}
  - {name: replica2, like: replica1}
END

test_expect_success '2.15 sgang submit passes each member its groups' '
	"$sgang" submit --dry-run serve.yaml >plan &&
	test "$(grep -c -e --gang-role=replica1:min=2:require=leaf/decode:min=1:weight=10 plan)" = 2 &&
	grep -e --gang-role=replica2:min=2:require=leaf/encode:min=1 plan &&
	grep -e "--gang-min-member=2 --gang-total-number=6" plan
'
test_expect_success '2.15 2.16 the tree of a file starts with all its members' '
	"$sgang" submit serve.yaml >out && cat out &&
	members=($(sed -n "s/^JobId=\([0-9]*\) .*/\1/p" out)) &&
	test ${#members[@]} = 6 &&
	grep "Role=replica2/decode" out &&
	start_together 20 ${members[@]}
'
test_expect_success '2.15 sgang show has the role of each member' '
	"$sgang" show file --json >json &&
	test "$(jq -r ".jobs[].role" json | sort | uniq -c | tr -s " " | tr "\n" ,)" = \
		" 2 replica1/decode, 1 replica1/encode, 2 replica2/decode, 1 replica2/encode," &&
	"$sgang" show file | grep "Role=replica1/encode"
'
# The nodes of the members of a group of the file, by squeue: file_nodes ROLE
file_nodes()
{
	"$sgang" show file --json | jq -r ".jobs[] | select(.role == \"$1\") | .job_id" |
		while read -r id; do squeue -h -j $id -o %N; done
}

test_expect_success "2.15 sgang map has the role of each rank, and a group's ranks alone" '
	"$sgang" map file --json >json &&
	for role in replica1/encode replica1/decode replica2/encode replica2/decode; do
		file_nodes $role | sort >nodes && test -s nodes &&
		jq -r ".[] | select(.role == \"$role\") | .node" json | sort -u |
			test_cmp nodes - &&
		"$sgang" map file --role=$role | sort -u | test_cmp nodes - || return 1
	done &&
	{ file_nodes replica2/encode && file_nodes replica2/decode; } | sort >nodes &&
	"$sgang" map file --role=replica2 | sort -u | test_cmp nodes - &&
	test_must_fail "$sgang" map file --role=replica 2>err &&
	grep "no member of gang root/file that has a place is in group replica\$" err
'
test_expect_success "2.15 sgang topology shows the nodes of each role" '
	decoders=$(file_nodes replica1/decode | sort | paste -sd,) &&
	"$sgang" topology --gang=file --width=80 >out && cat out &&
	test "$(scontrol show hostnames "$(sed -n "s,^  replica1/decode  *,,p" out)" |
		sort | paste -sd,)" = "$decoders" &&
	"$sgang" topology --gang=file --json >json &&
	test "$(jq -r ".gangs[].stops[] | select(.role == \"replica1/decode\") | .node" json |
		sort | paste -sd,)" = "$decoders" &&
	"$sgang" topology --html=page.html &&
	grep "<td>replica1/decode</td>" page.html &&
	"$sgang" explain ${members[0]} --json >json && cat json && end_gang file
'

test_expect_success 'nothing is left so far' 'nothing_left "No fed_mgr state file"'

# A member for half an hour of a gang that needs so many groups: timed GANG ROLE
# MINIMUM OPTIONS...
timed() { member $1 $2 -t 30 --gang-min-member=$3 "${@:4}"; }

# A replica of one encoder and two decoders in one leaf: three GANG NAME MINIMUM
# OPTIONS...
three()
{
	timed $1 $2:min=2:require=leaf/encode:min=1 $3 "${@:4}" &&
		timed $1 $2/decode:min=2 $3 "${@:4}" &&
		timed $1 $2/decode $3 "${@:4}"
}

# The leaf switches of three members from the i-th on: leaves I
leaves()
{
	squeue -h -t R -j "$(echo ${members[@]:$1:3} | tr ' ' ,)" -o %N |
		sed 's/n//' | awk '{ print int(($1 - 1) / 3) + 1 }' | sort -u
}

apart()
{
	local i

	for ((i = 0; i < ${#members[@]}; i += 3)); do
		test "$(leaves $i | wc -l)" = 1 || return 1
	done
}

# ---- preempted ----

test_cleared '2.15 4.11 one job of a higher QOS: the tree goes whole, and starts again whole' '
	members=() && three whole r1 2 --qos=low && three whole r2 2 --qos=low &&
	wait_for 20 all_in RUNNING ${members[@]} && apart &&
	high=$(submit -N 4 --exclusive -t 5 --qos=high --wrap="sleep 300") &&
	wait_state $high RUNNING 30 && wait_for 20 all_in PENDING ${members[@]} &&
	begins_now ${members[@]} && wait_for 20 gang_attempted ${members[0]} 2 &&
	all_in PENDING ${members[@]} &&
	scancel $high && wait_for 40 all_in RUNNING ${members[@]} &&
	started_together ${members[@]} && apart
'
test_cleared '2.15 4.11 so does one of which a group waits to follow' '
	block=($(submit -N 3 -w n[7-9] --exclusive -t 30 --qos=high --wrap="sleep 300")) &&
	wait_state $block RUNNING 20 && members=() &&
	three part r1 1 --qos=low && wait_for 20 all_in RUNNING ${members[@]} &&
	three part r2 1 --qos=low && wait_for 20 all_in RUNNING ${members[@]} &&
	three part r3 1 --qos=low && first=(${members[@]:0:6}) &&
	wait_for 20 squeue_says ${members[6]} "Gang root/part " &&
	all_in PENDING ${members[@]:6} &&
	high=$(submit -N 1 --exclusive -t 5 --qos=high --wrap="sleep 300") &&
	wait_state $high RUNNING 30 && wait_for 20 all_in PENDING ${first[@]} &&
	test "$(restarts_of ${first[@]})" = 6
'

# ---- preempts ----

# A low job on each of these nodes, in "lows".
low()
{
	on_nodes "$*" -N 1 --exclusive -t 30 --qos=low --wrap="sleep 300" &&
		lows=(${jobs[@]})
}

# So many of these jobs run.
run_are() { test "$(squeue -h -t R -j "$(echo ${lows[@]} | tr ' ' ,)" | wc -l)" = $1; }

test_cleared '2.15 3.29 a tree preempts for all that it needs' '
	low n{1..9} && members=() && three need r1 2 --qos=high &&
	three need r2 2 --qos=high &&
	start_together 40 ${members[@]} &&
	apart && run_are 3
'
test_cleared '2.15 3.29 and for nothing where part of it cannot have a leaf' '
	keep=($(submit -w n1 -N 1 --exclusive -t 30 --qos=high --wrap="sleep 300")
		$(submit -w n4 -N 1 --exclusive -t 30 --qos=high --wrap="sleep 300")) &&
	wait_for 20 all_in RUNNING ${keep[@]} && low n{2,3,5,6,7,8,9} &&
	members=() && three none r1 2 --qos=high && three none r2 2 --qos=high &&
	wait_for 20 gang_attempted ${members[5]} 1 &&
	wait_for 20 squeue_says ${members[0]} "Gang root/none waits: " &&
	run_are 7 && all_in PENDING ${members[@]}
'

# ---- nodes by name ----

test_cleared '2.15 5.5 a member that names its node brings its group there' '
	members=() && timed named r1:min=2:require=leaf/encode:min=1 1 -w n5 &&
	timed named r1/decode:min=2 1 && timed named r1/decode 1 &&
	start_together 20 ${members[@]} &&
	test "$(squeue -h -j ${members[0]} -o %N)" = n5 && test "$(leaves 0)" = 2
'
test_cleared '2.15 5.4 members that name nodes of two leaves do not start' '
	members=() && timed torn r1:min=2:require=leaf/encode:min=1 1 -w n5 &&
	timed torn r1/decode:min=2 1 && timed torn r1/decode 1 -w n7 &&
	wait_for 20 gang_attempted ${members[2]} 1 &&
	wait_for 20 squeue_says ${members[0]} "Gang root/torn waits: " &&
	all_in PENDING ${members[@]}
'
test_cleared '2.15 5.6 one that names some of its nodes is told that it must name all' '
	members=() && id=$(submit -N 2 -w n5 --exclusive -t 30 --gang=some \
		--gang-role=r1/encode --gang-min-member=1 role.sh) &&
	wait_for 20 squeue_says $id "members that require some of their nodes"
'

# ---- epochs ----

# The head of a group in the epoch: head_of GANG ROLE
head_of()
{
	"$sgang" epoch $1 --json | jq -r .role_heads | tr , "\n" |
		sed -n "s,^$2=,,p"
}

# As its environment has them.
told_heads() { wait_for 20 test -s heads.$1 && cat heads.$1; }

test_cleared '2.15 6.3 an epoch after the loss of a member with a role names its heir' '
	members=() && three epoch r1 2 && three epoch r2 2 &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	"$sgang" epoch epoch --wait=1 >out && cat out &&
	test "$(told_heads ${members[0]})" = "$("$sgang" epoch epoch --json | jq -r .role_heads)" &&
	scancel ${members[3]} && wait_for 20 all_in CANCELLED ${members[3]} &&
	timed epoch r2/encode 2 && heir=${members[6]} &&
	wait_for 40 all_in RUNNING $heir &&
	"$sgang" epoch epoch --json >json && cat json &&
	head=$(head_of epoch r2/encode) && test -n "$head" &&
	test "$head" = "$(squeue -h -j $heir -o %N)" &&
	test "$(gang_record $heir rank)" = "$(gang_record ${members[3]} rank)"
'
last_case 'nothing_left "No fed_mgr state file"'
