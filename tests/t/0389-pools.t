#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0389-pools.t - a pool has cold spares for several gangs of its namespace

test_description='sgang create --pool, --gang-spare-pool'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"
. "$top_srcdir/tests/kill/kill.sh"

slurm_setup -n 8 -c 2 --faults --conf \
"KillWait=2
$(partition_prio main=1 other=1 high=9)"
users_setup
slurm_start

tells_script
umask 0
: >begun

# gather GANG [OPTIONS]: a gang of two, with the pool
gather()
{
	local gang=$1

	members=($(member $gang "${@:2}") $(member $gang "${@:2}")) &&
		wait_for 20 all_in RUNNING ${members[@]}
}

member()
{
	local gang=$1

	submit -N1 -n2 --exclusive -t 10 --gang=$gang --gang-min-member=2 \
		--gang-spare-pool=reserve "${@:2}" "$PWD/tells.sh"
}

gang_of() { gang_record $1 gang; }
in_pool() { is_cold $1 && test "$(gang_record $1 pool)" = 1 &&
	test "$(gang_of $1)" = root/reserve; }
nodes_of() { job_field $1 NodeList; }

# The member with that rank: with_rank RANK ID...
with_rank()
{
	local rank=$1 id

	shift
	for id; do test "$(rank_of $id)" != $rank || echo $id; done
}

# add_spare [OPTIONS]: one more spare in the pool
add_spare()
{
	spare=$(submit -N1 -n2 --exclusive -t 10 --gang=reserve "$@" \
		"$PWD/tells.sh") && wait_for 20 in_pool $spare
}

# takes_over ID GANG RANK: it is that member of the gang, and runs
takes_over()
{
	job_is $1 RUNNING && test "$(gang_of $1)" = root/$2 &&
		test "$(rank_of $1)" = $3 && test -s env.$1.0 &&
		test "$(told $1 NAME)" = $2 && test "$(told $1 MEMBER_RANK)" = $3
}

# The same in its second run.
takes_over_again()
{
	job_is $1 RUNNING && test "$(rank_of $1)" = $3 && test -s env.$1.1 &&
		test "$(told $1 MEMBER_RANK 1)" = $3
}

# fails ID...: these are lost
fails() { local id; for id; do touch $id.fail || return 1; done; }

complete()
{
	touch $1.go && wait_for 20 "test -z \"\$(gang_phase root/$1)\"" &&
		rm -f $1.go
}

test_expect_success '6.5 a member of no pool is told that there is none' '
	test_must_fail sbatch -N1 --gang=ring --gang-min-member=2 \
		--gang-spare-pool=reserve tells.sh 2>err && cat err &&
	grep "there is no pool root/reserve; create it first" err
'
test_expect_success '6.5 a pool is created, and holds its members' '
	"$sgang" create reserve --pool && add_spare && first=$spare &&
	add_spare && second=$spare && ! grep . begun &&
	test -n "$(nodes_of $first)" &&
	squeue -h -j $first -o %r | grep "Gang root/reserve: cold spare"
'
test_expect_success '6.5 it is shown' '
	"$sgang" show reserve >shown && cat shown && grep "Pool=yes" shown &&
	grep "JobId=$first .*Spare=cold" shown &&
	"$sgang" list >listed && cat listed && grep reserve listed &&
	"$sgang" explain reserve >said && cat said &&
	"$sgang" show reserve --json >json && grep "\"pool\": *\"yes\"" json
'
test_expect_success '6.5 a gang loses a member: a spare of the pool is launched in its place' '
	gather ring && "$sgang" show ring | grep "SparePool=reserve Pool=no" &&
	lost=$(with_rank 1 ${members[@]}) && keeps=$(with_rank 0 ${members[@]}) &&
	from=$(date +%s%N) && fails $lost &&
	wait_for 20 "takes_over $first ring 1 || takes_over $second ring 1" &&
	echo "$((($(date +%s%N) - from) / 1000000)) ms" &&
	job_is $keeps RUNNING && test "$(cat begun | wc -l)" = 3
'
test_expect_success '6.5 it is a member like any other' '
	if job_is $first RUNNING; then
		is=$first other=$second
	else
		is=$second other=$first
	fi && in_pool $other &&
	test "$(told $is MEMBERS)" = 2 && test -z "$(told $is SPARE_JOB_IDS)" &&
	test "$(told $is JOB_IDS)" = "$keeps,$is" &&
	test "$(told $is NODELIST)" = "$(nodes_of $keeps),$(nodes_of $is)" &&
	wait_for 15 "test -z \"\$(gang_record $is cold)\"" &&
	test -z "$(gang_record $is pool)" &&
	"$sgang" show ring >shown && cat shown && grep "JobId=$is " shown &&
	! "$sgang" show reserve | grep "JobId=$is " &&
	"$sgang" explain ring && "$sgang" map ring && "$sgang" epoch ring >said &&
	cat said && grep "JOB_IDS=.$keeps,$is." said
'
test_expect_success '6.5 the gang ends, and the pool stays' '
	complete ring && wait_state $is COMPLETED && in_pool $other &&
	! grep -x $other begun
'
test_expect_success '6.5 two gangs lose members at once: none gets the spare of the other' '
	add_spare && third=$spare && gather one && one=(${members[@]}) &&
	gather two && two=(${members[@]}) &&
	lost=($(with_rank 1 ${one[@]}) $(with_rank 0 ${two[@]})) &&
	slurm_fault delay 1 && fails ${lost[@]} &&
	wait_for 20 all_in FAILED ${lost[@]} && slurm_fault &&
	wait_for 20 "takes_over $other one 1 && takes_over $third two 0 ||
		takes_over $other two 0 && takes_over $third one 1" &&
	begun $other && begun $third && complete one && complete two
'
test_expect_success '6.5 what differs is not taken: nodes, tasks, partition, features' '
	scancel -u root && wait_for 10 nodes_idle && "$sgang" create reserve --pool &&
	scontrol update NodeName=n[7-8] AvailableFeatures=fast ActiveFeatures=fast &&
	not=() && for how in "-N2 -n2" "-n1" "-p other" "-C fast"; do
		add_spare $how && not+=($spare) || return 1
	done && gather picky && lost=$(with_rank 1 ${members[@]}) &&
	fails $lost && wait_state $lost FAILED &&
	spare=$(submit -N1 -n2 --exclusive -t 9 --gang=reserve "$PWD/tells.sh") &&
	wait_for 20 takes_over $spare picky 1 &&
	for id in ${not[@]}; do in_pool $id || return 1; done && complete picky
'
test_expect_success '6.5 a spare of its own comes first, and of the pool only the rest' '
	drop ${not[@]} && add_spare && pooled=$spare &&
	gather own --gang-spares=1:cold && spare=$(member own --gang-spares=1:cold) &&
	wait_for 20 is_cold $spare && test "$(gang_of $spare)" = root/own &&
	fails $(with_rank 1 ${members[@]}) && wait_for 20 takes_over $spare own 1 &&
	in_pool $pooled && fails $spare && wait_for 20 takes_over $pooled own 1 &&
	complete own
'
test_expect_success '6.5 a lost member that is replaced comes back as a spare of its gang' '
	add_spare && gather back --gang-on-failure=replace &&
	lost=$(with_rank 1 ${members[@]}) && fails $lost &&
	wait_for 20 takes_over $spare back 1 && begins_now $lost &&
	wait_for 30 is_cold $lost && test "$(gang_of $lost)" = root/back &&
	fails $spare && wait_for 20 takes_over_again $lost back 1 &&
	let_end back $lost &&
	clear_cluster; rm -f back.go
'
test_expect_success '6.5 an array of spares; a drained node is left; hold, release' '
	"$sgang" create reserve --pool && : >begun &&
	id=$(submit -a 1-2 -N1 -n2 --exclusive -t 10 --gang=reserve "$PWD/tells.sh") &&
	wait_for 20 "in_pool ${id}_1 && in_pool ${id}_2" &&
	was=$(nodes_of ${id}_1) && scontrol update NodeName=$was State=DRAIN Reason=test &&
	wait_for 20 "in_pool ${id}_1 && test \$(nodes_of ${id}_1) != $was" &&
	scontrol update NodeName=$was State=RESUME && scontrol hold ${id}_1 &&
	wait_state ${id}_1 PENDING && scontrol release ${id}_1 &&
	wait_for 20 in_pool ${id}_1 && gather task &&
	fails $(with_rank 0 ${members[@]}) &&
	wait_for 20 "test -n \"\$(with_rank 0 ${id}_1 ${id}_2)\"" && complete task &&
	test "$(wc -l <begun)" = 3
'
test_expect_success '6.5 6.8 a gang that is preempted as a whole takes no spare' '
	gather low && spare=$(squeue -h -t CF -o %A) &&
	wait_for 20 in_pool $spare &&
	rest=$(sbatch --parsable -p high -N7 --exclusive -t 5 --wrap="sleep 300") &&
	wait_state $rest RUNNING && wait_for 20 all_in PENDING ${members[@]} &&
	in_pool $spare && drop ${members[@]} $rest
'
test_expect_success '6.5 6.8 it yields to a job that preempts' '
	spare=$(squeue -h -t CF -o %A) && in_pool $spare &&
	rest=$(sbatch --parsable -p high -N8 --exclusive -t 5 --wrap="sleep 300") &&
	wait_state $rest RUNNING && wait_state $spare PENDING && scancel $rest &&
	wait_for 20 in_pool $spare
'
test_expect_success '6.5 slurmctld restarts and reconfigures: it holds on' '
	scontrol reconfigure && slurm_stop_ctld && slurm_start_ctld &&
	wait_for 20 "gang_log root/reserve \"found cold spare $spare again\"" &&
	in_pool $spare
'
test_expect_success '6.5 a pool is deleted, and its spares end' '
	waits=$(submit -N9 --gang=reserve -H tells.sh 2>/dev/null ||
		submit -N8 --exclusive --gang=reserve -H "$PWD/tells.sh") &&
	wait_for 10 "test \"\$(gang_record $waits pool)\" = 1" &&
	"$sgang" delete reserve >said && cat said &&
	wait_state $spare CANCELLED && wait_state $waits CANCELLED &&
	wait_for 10 queue_empty
'
test_expect_success '6.5 cancelled, its members are gone and the pool is not' '
	"$sgang" create reserve --pool && add_spare && "$sgang" cancel reserve &&
	wait_state $spare CANCELLED && add_spare && wait_for 10 in_pool $spare &&
	drop $spare
'

test_expect_success '6.16 salloc as a spare of a pool returns when the pool is deleted' '
	scancel -u root && wait_for 20 nodes_idle &&
	{ "$sgang" delete reserve || :; } && "$sgang" create reserve --pool &&
	{ salloc -N1 -n2 --exclusive -t 10 --gang=reserve -J asks true 2>asks.err & } &&
	asker=$! && wait_for 20 "test -n \"\$(squeue -h -n asks -o %A)\"" &&
	spare=$(squeue -h -n asks -o %A) && wait_for 20 in_pool $spare &&
	"$sgang" delete reserve && wait_for 15 "! kill -0 $asker 2>/dev/null" &&
	! wait $asker && cat asks.err && "$sgang" create reserve --pool
'

# refuses TEXT COMMAND...
refuses()
{
	local text=$1

	test_must_fail "${@:2}" 2>err || return 1
	cat err && grep -e "$text" err
}

test_expect_success '6.5 what makes no sense is refused' '
	spare=$(submit --gang=plain --gang-min-member=2 -H "$PWD/tells.sh") &&
	refuses "gang root/plain is no pool; name one" \
		sbatch --gang=x --gang-min-member=1 --gang-spare-pool=plain tells.sh &&
	refuses "gang root/plain is no pool; name one" \
		"$sgang" create x --min-member=1 --spare-pool=plain &&
	refuses "there is no pool root/other" \
		"$sgang" create x --min-member=1 --spare-pool=other &&
	refuses "--spare-pool is given for a pool" \
		"$sgang" create x --pool --spare-pool=reserve &&
	refuses "a gang is not its own pool" \
		"$sgang" create x --min-member=1 --spare-pool=x &&
	refuses "a pool is of the gang.s own namespace: give its name alone" \
		sbatch --gang=x --gang-min-member=1 --gang-spare-pool=bob/p tells.sh &&
	for option in min-member=2 total-number=2 parallel=tp=2 groups=root/plain \
		topology=require:leaf exclusive=leaf spares=1 waiting-time=1 \
		on-failure=kill; do
		refuses "--${option%%=*} is given for a pool, whose members are spares" \
			"$sgang" create x --pool --$option &&
		refuses "--gang-${option%%=*} is given for a pool" \
			sbatch --gang=reserve --gang-$option tells.sh || return 1
	done &&
	refuses "root/plain is a gang and has members: cancel them" \
		"$sgang" create plain --pool &&
	held=$(submit --gang=reserve -H "$PWD/tells.sh") &&
	refuses "root/reserve is a pool and has members: cancel them" \
		"$sgang" create reserve --replace --min-member=2 &&
	drop $held $spare
'
test_expect_success '6.5 a spare replaces only members of its own user' '
	clear_cluster &&
	in="--account=proj -N1 -n2 --exclusive -t 10" &&
	as $bob "$sgang" create proj/shared --pool -A proj &&
	its=$(submit_as $bob $in --gang=proj/shared --wrap="touch $slurm_dir/out/stolen") &&
	wait_for 20 is_cold $its &&
	for i in 1 2; do
		submit_as $alice $in --gang=proj/a --gang-min-member=2 \
			--gang-spare-pool=shared --wrap="sleep 300" || return 1
	done >ids && ids=($(cat ids)) && wait_for 20 all_in RUNNING ${ids[@]} &&
	script_fails ${ids[1]} && wait_state ${ids[1]} FAILED &&
	hers=$(submit_as $alice $in --gang=proj/shared --wrap="sleep 300") &&
	wait_for 20 "job_is $hers RUNNING && test \$(gang_of $hers) = proj/a" &&
	is_cold $its && test "$(gang_of $its)" = proj/shared &&
	test ! -e $slurm_dir/out/stolen &&
	test_must_fail as $bob "$sgang" create $alice/p --pool &&
	test_must_fail submit_as $bob --gang=$alice/p --gang-spare-pool=shared
'
cat >gang.yaml <<-EOS
	gang: filed
	spare-pool: filed-pool
	options: [--nodes=1, --ntasks=2, --exclusive, --time=10]
	roles:
	  - {name: worker, count: 2, script: $PWD/tells.sh}
	  - {name: spare, gang: filed-pool, pool: yes, script: $PWD/tells.sh}
EOS
test_expect_success '6.5 a file has a gang and its pool' '
	"$sgang" submit --dry-run gang.yaml >said && cat said &&
	head -n 1 said | grep -x "sgang create root/filed-pool --pool" &&
	"$sgang" submit gang.yaml >said && cat said &&
	ids=($(sed -n "s/^JobId=\([0-9]*\) .*/\1/p" said)) &&
	wait_for 20 all_in RUNNING ${ids[0]} ${ids[1]} &&
	wait_for 20 is_cold ${ids[2]} && "$sgang" show filed-pool | grep Pool=yes &&
	fails $(with_rank 0 ${ids[0]} ${ids[1]}) &&
	wait_for 20 takes_over ${ids[2]} filed 0 && complete filed &&
	"$sgang" submit gang.yaml >said &&
	test "$(squeue -h -n gang/filed-pool | wc -l)" = 1 &&
	sed "s/worker,/worker, options: [--no-such-option],/; s/filed/new/g" \
		gang.yaml >bad.yaml && test_must_fail "$sgang" submit bad.yaml &&
	wait_for 10 "test -z \"\$(squeue -h -n gang/new-pool)\""
'
# Since 23.11 another process reads it, after scontrol has ended.
listed_in_force()
{
	"$sgang" conf 2>err | grep "GangName=root/listed-pool Pool=yes" &&
		! test -s err && slurm_ctld_answers
}

test_expect_success '6.5 gang.conf defines a gang and its pool' '
	scancel -u $alice && scancel -u $bob && clear_cluster &&
	cat >>"$slurm_dir/etc/gang.conf" <<-EOS &&
		GangName=root/listed MinMember=2 SparePool=listed-pool
		GangName=root/listed-pool Pool=yes
	EOS
	scontrol reconfigure && wait_for 30 listed_in_force &&
	ids=($(for gang in listed-pool listed listed; do
		submit -N1 -n2 --exclusive -t 10 --gang=$gang "$PWD/tells.sh" ||
			exit
	done)) && wait_for 20 is_cold ${ids[0]} &&
	wait_for 20 all_in RUNNING ${ids[1]} ${ids[2]} &&
	"$sgang" show listed | grep SparePool=listed-pool &&
	fails $(with_rank 1 ${ids[1]} ${ids[2]}) &&
	wait_for 20 takes_over ${ids[0]} listed 1 && complete listed
'
test_expect_success 'so far nothing is left' 'clear_cluster; nothing_left'

# The member ends, and that is on the disk before a pass has seen it: Slurm asks a
# node late, or never, for a job that was about to end when slurmctld died.
ends_saved()
{
	slurm_fault delay 1 && touch $1.fail && wait_state $1 FAILED &&
		slurm_saved $spare
}

pool_up()
{
	test_when_finished clear_cluster
	: >begun && "$sgang" create reserve --pool && gather die-$point &&
	slurm_saved $members &&
	if test $point = reserved; then
		spare=$(submit -N1 -n2 --exclusive -t 10 -H --gang=reserve \
			"$PWD/tells.sh") && slurm_saved $spare
	else
		add_spare && slurm_saved $spare &&
		ends_saved $(with_rank 1 ${members[@]})
	fi
}
pool_step() { test $point != reserved || scontrol release $spare; }
pool_judged()
{
	if test $point = reserved; then
		wait_for 20 scontrol release $spare &&
		wait_for 40 in_pool $spare &&
		fails $(with_rank 1 ${members[@]})
	fi &&
	wait_for 60 takes_over $spare die-$point 1 && begun $spare &&
	add_spare && in_pool $spare && complete die-$point &&
	test "$(sort begun | uniq -d)" = "" && test $(wc -l <begun) = 3 &&
	in_pool $spare
}
kill_cases
last_case 'clear_cluster; nothing_left'
