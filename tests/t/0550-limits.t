#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0550-limits.t - limits of associations and QOS hold for the gang as a whole

test_description='A gang whose total breaks a limit holds and starts nothing'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 4 --gang --conf \
'PriorityType=priority/multifactor
PriorityWeightQOS=100000
PriorityWeightAge=0'
slurmdbd_setup 'AccountingStorageEnforce=associations,limits,qos'
gate_setup
slurm_start
cluster_state >before

# Members of the gang in the array "members": gather GANG COUNT OPTIONS...
gather() { submit_gang "$@" $1.sh; }

# Change a limit. That alone is no event for a gang that waits; a partition that
# was touched is one.
limit() { acct modify "$@" && scontrol update PartitionName=main State=UP; }

# Tried, and nothing is left of it: no start, no node, nothing counted.
holds_nothing()
{
	local gang=$1 account=$2

	wait_for 15 gang_attempted ${members[0]} 1 &&
		all_in PENDING ${members[@]} &&
		test "$(starts_of $gang)" = 0 &&
		nothing_counted $account &&
		cluster_state >now && test_cmp before now
}

# The limit, in Slurm's own word, where a user looks for it.
says()
{
	wait_for 15 squeue_says ${members[0]} "$2" &&
		sgang show root/$1 | grep Reason= | grep -F "$2"
}

starts_whole()
{
	start_together 20 ${members[@]} &&
		wait_for 10 "test \$(starts_of $1) = ${#members[@]}"
}

# And nothing stays counted.
ends()
{
	let_end $1 ${members[@]} &&
		ran_once $1 ${#members[@]} &&
		wait_for 10 nothing_counted $2
}

nothing_counted()
{
	local word

	for word in cpu node mem GrpJobs GrpTRESRunMins=cpu; do
		test "$(acct_used $word $1)" = 0 || return 1
	done
}

acct add account lab,other
acct add qos small,urgent
acct modify qos urgent set priority=100
acct add user root account=lab,other defaultaccount=other
acct modify user root set qos=normal,small,urgent

gang_scripts total share qos-cpu qos-jobs qos-user qos-user-cpu jobs wall node-job \
	cpu-job below safe held greedy patient eager

test_expect_success '2.1 2.3 the total breaks GrpTRES: nothing, and it says so' '
	limit account lab set GrpTRES=cpu=14 &&
	gather total 4 -A lab -N 1 --exclusive &&
	holds_nothing total lab &&
	says total AssocGrpCpuLimit
'
# Though the gang is before them, could use all nodes and is still pending.
both_run()
{
	wait_state $theirs RUNNING 10 && wait_state $ours RUNNING 10 &&
		test "$(acct_used cpu lab)" = 1
}

test_expect_success '2.1 jobs behind it start, of others and of the account' '
	theirs=$(submit -A other -n 1) &&
	ours=$(submit -A lab -n 1) &&
	both_run
	result=$?
	scancel $theirs $ours &&
	test $result = 0 &&
	wait_for 15 nodes_idle &&
	holds_nothing total lab
'
test_expect_success '2.1 1.66 the limit is raised: it starts whole and counts' '
	limit account lab set GrpTRES=cpu=16 &&
	starts_whole total &&
	test "$(acct_used cpu lab)" = 16 &&
	test "$(acct_used GrpJobs lab)" = 4 &&
	ends total lab
'

test_expect_success '2.4 the rest of the limit is used by a job: the gang waits' '
	limit account lab set GrpTRES=cpu=8 &&
	busy=$(run_job -A lab -n 4) &&
	gather share 3 -A lab -n 2 &&
	says share AssocGrpCpuLimit &&
	all_in PENDING ${members[@]} &&
	test "$(acct_used cpu lab)" = 4
'
test_expect_success '2.4 the job ends: the gang starts whole' '
	scancel $busy &&
	starts_whole share &&
	test "$(acct_used cpu lab)" = 6 &&
	ends share lab &&
	limit account lab set GrpTRES=cpu=-1
'

# Each limit stops three members of two CPUs and lets them go when it is gone.
limited()
{
	local gang=$1 word=$2 options=$3

	gather $gang 3 -A lab -n 2 $options &&
		holds_nothing $gang lab && says $gang $word
}

unlimited()
{
	starts_whole $1 && ends $1 lab &&
		test "$(qos_used cpu small)" = 0 &&
		test "$(qos_used GrpJobs small)" = 0
}

while read -r what name limit value none gang reason options; do
	test_expect_success "2.1 $limit of the ${what/qos/QOS}" '
		limit $what $name set $limit=$value &&
		limited $gang $reason $options &&
		limit $what $name set $limit=$none &&
		unlimited $gang
	'
done <<END
account lab GrpJobs 2 -1 jobs AssocGrpJobsLimit
qos small GrpTRES cpu=4 cpu=-1 qos-cpu QOSGrpCpuLimit --qos=small
qos small GrpJobs 2 -1 qos-jobs QOSGrpJobsLimit --qos=small
qos small MaxJobsPerUser 2 -1 qos-user QOSMaxJobsPerUserLimit --qos=small
qos small MaxTRESPerUser cpu=4 cpu=-1 qos-user-cpu QOSMaxCpuPerUserLimit --qos=small
END

# What a member alone breaks is nothing a gang is tried for.
member_limited()
{
	wait_for 15 squeue_says ${members[-1]} $2 &&
		all_in PENDING ${members[@]} &&
		test "$(starts_of $1)" = 0 &&
		test "$(acct_used cpu lab)" = 0
}

while IFS='|' read -r title limit none gang good bad reason; do
	test_expect_success "2.3 $title of one member keeps all" '
		limit account lab set $limit &&
		members=($(submit --gang=$gang --gang-min-member=2 -A lab \
			$good $gang.sh)
			$(submit --gang=$gang --gang-min-member=2 -A lab \
			$bad $gang.sh)) &&
		member_limited $gang $reason &&
		limit account lab set $none &&
		starts_whole $gang &&
		ends $gang lab
	'
done <<END
MaxTRESPerJob|MaxTRESPerJob=cpu=3|MaxTRESPerJob=cpu=-1|cpu-job|-n 2|-n 4|AssocMaxCpuPerJobLimit
MaxNodesPerJob|MaxTRESPerJob=node=1|MaxTRESPerJob=node=-1|node-job|-N 1|-N 2|AssocMaxNodePerJobLimit
MaxWall|MaxWall=10|MaxWall=-1|wall|-n 1 -t 5|-n 1 -t 20|AssocMaxWallDurationPerJobLimit
END
test_expect_success '2.3 members below it are a gang whose total may be above' '
	limit account lab set MaxTRESPerJob=cpu=3 &&
	gather below 3 -A lab -n 3 &&
	starts_whole below &&
	ends below lab &&
	limit account lab set MaxTRESPerJob=cpu=-1
'

test_expect_success '1.66 held members count, and stop who would break it' '
	limit account lab set GrpTRES=cpu=6 &&
	gate_close &&
	gather held 3 -A lab -n 2 &&
	wait_for 15 all_in CONFIGURING ${members[@]} &&
	test "$(acct_used cpu lab)" = 6 &&
	test "$(acct_used GrpJobs lab)" = 3 &&
	late=$(submit -A lab -n 1) &&
	wait_for 15 squeue_says $late AssocGrpCpuLimit
'
test_expect_success '1.66 one is cancelled: what was held is free at once' '
	scancel ${members[2]} &&
	wait_for 15 all_in PENDING ${members[0]} ${members[1]} &&
	gate_open &&
	wait_state $late RUNNING &&
	wait_for 10 "test \$(acct_used cpu lab) = 1" &&
	test "$(acct_used GrpJobs lab)" = 1 &&
	scancel $late ${members[@]} &&
	wait_for 15 nothing_counted lab &&
	limit account lab set GrpTRES=cpu=-1
'

test_expect_success '2.1 0.7 a nonstrict gang gives back what it holds' '
	limit account lab set GrpTRES=cpu=4 &&
	gather greedy 3 -A lab -n 2 --gang-mode=nonstrict &&
	says greedy AssocGrpCpuLimit &&
	wait_for 15 holds_nothing greedy lab &&
	ours=$(run_job -A lab -n 4) &&
	scancel $ours &&
	limit account lab set GrpTRES=cpu=6 &&
	starts_whole greedy &&
	ends greedy lab &&
	limit account lab set GrpTRES=cpu=-1
'

test_expect_success '2.3 a QOS of higher priority goes first' '
	busy=$(run_job -A other -N 4 --exclusive) &&
	gather patient 4 -A lab -N 1 --exclusive &&
	patient=(${members[@]}) &&
	gather eager 4 -A lab --qos=urgent -N 1 --exclusive &&
	wait_for 15 gang_attempted ${members[0]} 1 &&
	scancel $busy &&
	starts_whole eager &&
	all_in PENDING ${patient[@]} &&
	touch eager.go &&
	members=(${patient[@]}) &&
	starts_whole patient &&
	ends patient lab
'

# Who may run where, by account and QOS: first an ordinary job, then a gang of one
# with the same request. PARTITION; REQUEST; ENDS
acct add qos part,over,deny,big,reserved
acct modify qos part set maxtresperjob=cpu=2
acct modify qos over set flags=OverPartQOS maxtresperjob=cpu=4
acct modify qos deny set flags=DenyOnLimit maxtresperjob=cpu=2
acct modify qos big set flags=PartitionMaxNodes,PartitionTimeLimit
acct modify qos reserved set flags=RequiresReservation
acct modify user root set qos+=over,deny,big,reserved

ends_so()
{
	local id

	id=$(submit -p rule "${@:2}") || { test $1 = refused; return; }
	case $1 in
	run) wait_state $id RUNNING ;;
	wait) wait_cycles && all_in PENDING $id ;;
	*) false ;;
	esac && drop $id
}

while IFS=';' read -r partition request ends <&9; do
	test_expect_success "5.8 $(echo $partition:$request:$ends)" '
		test_when_finished "clear_cluster; scontrol delete PartitionName=rule" &&
		scontrol create PartitionName=rule Nodes=ALL $partition &&
		ends_so $ends $request &&
		ends_so $ends $request --gang=rule --gang-min-member=1
	'
done 9<<'END'
AllowAccounts=lab; -n1 -A lab; run
AllowAccounts=lab; -n1 -A other; wait
DenyAccounts=lab; -n1 -A lab; wait
AllowQos=small; -n1 --qos=small; run
AllowQos=small; -n1; wait
DenyQos=small; -n1 --qos=small; wait
QOS=part; -n2; run
QOS=part; -n3; wait
QOS=part; -n3 --qos=over; run
MaxNodes=2; -n3 --qos=deny; refused
MaxNodes=1; -N2; wait
MaxNodes=1; -N2 --qos=big; run
MaxTime=10; -n1 -t 20; wait
MaxTime=10; -n1 -t 20 --qos=big; run
MaxNodes=2; -n1 --qos=reserved; refused
END

# So many minutes that those of the gangs before do not matter.
test_expect_success '2.1 safe limits: minutes that the gang has not left' '
	sed -i "s/^AccountingStorageEnforce=.*/&,safe/" "$SLURM_CONF" &&
	ctld_restarts &&
	wait_for 60 nodes_idle &&
	limit account lab set GrpTRESMins=cpu=6000 &&
	gather safe 3 -A lab -n 2 -t 1500 &&
	holds_nothing safe lab &&
	says safe AssocGrpCPUMinutesLimit &&
	limit account lab set GrpTRESMins=cpu=10000 &&
	starts_whole safe &&
	ends safe lab
'

# What the rules are about, and their partition is gone when slurmctld reads the jobs
# again.
last_case '
	nothing_left "No fed_mgr state file" "Invalid partition .rule. for JobId" \
		"qos reserved can only be used in a reservation"
'
