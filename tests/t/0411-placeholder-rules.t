#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0411-placeholder-rules.t - placeholders of several gangs and users; what is
# counted; reservations; nodes that are powered up; placeholders by one sbatch:
# --gang-reserve
#
# The observer trusts Slurm's commands alone.

test_description='Placeholders of several gangs and users, CLOUD nodes, --gang-reserve'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang --conf 'KillWait=2
PriorityType=priority/multifactor'
users_setup
slurm_start

# A driver and so many executors: file GANG N [LINE...]
file()
{
	local line

	{
		echo "gang: $1"
		echo "placeholders: soft"
		echo "options: [--exclusive, -N1, -t10]"
		for line in "${@:3}"; do echo "$line"; done
		echo "roles:"
		echo "  - {name: driver, min: 1, script: driver.sh}"
		echo "  - {name: executor, min: $2}"
	} >$1.yaml
}
begin()
{
	rm -f *.log *.go
	"$sgang" submit $1.yaml >submitted && cat submitted && driver_of submitted
}
driver_of()
{
	driver=$(sed -n '/Placeholders/d; s/^JobId=\([0-9]*\) .*/\1/p' $1)
	test -n "$driver"
}
executor()
{
	submit -N1 --exclusive -t10 --gang=$1 --gang-role=executor "${@:2}" \
		executor.sh
}
n_kept() { test "$(squeue -h -r -t CF -n executor.placeholder -o %N | wc -l)" = $1; }
# Names of gangs of which something has nodes.
have_nodes()
{
	scontrol -o show job | grep -E 'JobState=(RUNNING|CONFIGURING)' |
		sed -n 's|.*[ =]gang=root/\([a-z0-9]*\) .*|\1|p' | sort -u
}

# --- a driver and the nodes of its executors by one sbatch ---

gang_scripts driver executor
sed -i "2i env | sort >'$PWD'/env.\$SLURM_JOB_ID" driver.sh

n_jobs() { test "$(squeue -h -r -o %A | wc -l)" = $1; }
options=(--exclusive -N1 -t10)
reserve()
{
	sbatch "${options[@]}" --gang-role=driver --gang-reserve=driver:1,executor:3 "$@"
}
# Tasks have numbers of their own from the first look of the scheduler on.
submitted()
{
	scontrol -o show job |
		sed -n 's/^JobId=[0-9]* ArrayJobId=\([0-9]*\) .*JobName=executor.placeholder .*/\1/p' |
		sort -u
}
refused()
{
	test_must_fail "$@" >out 2>err
	cat out err
	test ! -s out && n_jobs 0
}

test_expect_success '1.1 1.2 one command: the driver runs on one node, three are kept' '
	reserve --parsable --gang=etl driver.sh >number && cat number &&
	driver=$(cat number) && wait_state $driver RUNNING && wait_for 20 n_kept 3 &&
	n_jobs 4 && wait_for 10 ran_once driver 1 &&
	test "$(job_field $driver JobName)" = driver.sh
'
test_expect_success 'the job has no trace of how it was submitted' '
	wait_for 10 test -s env.$driver && cat env.$driver &&
	! grep -E "RESERVE|SBATCH|ARRAY|placeholder=" env.$driver &&
	grep -x "SLURM_GANG_ROLE=driver" env.$driver &&
	grep -x "SLURM_GANG_MEMBERS=4" env.$driver
'
test_expect_success '1.6 1.26 its executors take the nodes' '
	for i in 1 2 3; do one=$(executor etl) && wait_state $one RUNNING || return 1; done &&
	n_kept 0 && n_jobs 4
'
test_expect_success '1.57 a placeholder has no script but exit 0' '
	clear_cluster && reserve --gang=script driver.sh && wait_for 20 n_kept 3 &&
	id=$(squeue -h -n executor.placeholder -o %A | head -1) &&
	scontrol write batch_script $id - >script && cat script &&
	printf "#!/bin/sh\nexit 0\n" | test_cmp - script
'
test_expect_success 'the output is that of sbatch for the job alone' '
	clear_cluster && reserve --gang=out driver.sh >out 2>err && cat out err &&
	test "$(cat out)" = "Submitted batch job $(squeue -h -n driver.sh -o %A)" &&
	test ! -s err
'
test_expect_success 'options in the script, and a script from a file as standard input' '
	clear_cluster && { echo "#!/bin/bash" && printf "#SBATCH --%s\n" exclusive nodes=1 \
		time=10 gang=lines gang-role=driver gang-reserve=driver:1,executor:2 &&
		tail -n +2 driver.sh; } >lines.sh && sbatch --parsable <lines.sh >number &&
	wait_state $(cat number) RUNNING && n_kept 2 && n_jobs 3 &&
	clear_cluster && sbatch --parsable lines.sh >number &&
	wait_state $(cat number) RUNNING && n_kept 2 && n_jobs 3
'
test_expect_success 'a script from a pipe is gone when it was read' '
	clear_cluster && cat lines.sh | test_must_fail sbatch >out 2>err; cat out err &&
	test ! -s out && n_jobs 0 && grep "from a pipe can be read once" err
'
test_expect_success 'several of its own group, and a command by --wrap' '
	clear_cluster && sbatch --parsable "${options[@]}" --gang=wrap --gang-role=worker \
		--gang-reserve=worker:3 --wrap="sleep 60" -J mine >number && job=$(cat number) &&
	wait_state $job RUNNING && test "$(job_field $job JobName)" = mine &&
	n_jobs 3 && test $(squeue -h -r -t CF -o %A | wc -l) = 2
'
test_expect_success '--wait waits for the job alone, and ends as it does' '
	clear_cluster && rm -f driver.go && reserve --gang=wait -W driver.sh >out 2>&1 &
	pid=$! &&
	wait_for 20 "squeue -h -t R -n driver.sh | grep ." && n_kept 3 &&
	touch driver.go && wait $pid && cat out && rm -f driver.go && clear_cluster &&
	reserve --gang=wait -W --wrap="exit 7" >out 2>&1; test $? = 7
'
test_expect_success '6.19 a driver without a placeholder starts with those of its workers' '
	clear_cluster && rm -f driver.go driver.log executor.log &&
	driver=$(submit "${options[@]}" --gang=own --gang-role=driver \
		--gang-min-member=2 --gang-placeholders=soft driver.sh) &&
	wait_for 10 squeue_says $driver "Gang root/own gathering" &&
	kept=$(submit "${options[@]}" --gang=own --gang-role=executor:min=1 -J executor.placeholder \
		--gang-placeholders=soft --gang-placeholder=1 driver.sh) &&
	wait_state $driver RUNNING && wait_for 20 n_kept 1 && job_is $kept CONFIGURING &&
	wait_for 10 ran_once driver 1 && one=$(executor own) && wait_state $one RUNNING &&
	n_kept 0 && test "$(job_state $driver)" = RUNNING
'
test_expect_success '--quiet is quiet' '
	clear_cluster && reserve --gang=quiet -Q driver.sh >out 2>&1 && test ! -s out &&
	wait_for 20 n_kept 3
'

# --- refused: nothing is left ---

test_expect_success 'without a group of its own' '
	clear_cluster && refused sbatch -N1 --gang=a --gang-reserve=driver:1 driver.sh &&
	grep "gang-role=GROUP says which of these groups the job itself is in" err &&
	refused sbatch -N1 --gang=a --gang-role=x --gang-reserve=driver:1 driver.sh &&
	grep "gang-role=GROUP says" err
'
test_expect_success 'a list that is none' '
	for list in "" , driver driver: driver:0 driver:x :1 driver:1, driver:1,driver:2 \
		driver:min=2:1 a/driver:1 Driver:1 $(printf "a%s:1," {1..200})b:1; do
		refused sbatch -N1 --gang=a --gang-role=driver "--gang-reserve=$list" driver.sh &&
		grep "gang-reserve" err || return 1
	done
'
test_expect_success 'an array, by option and by environment' '
	refused reserve --gang=a -a1-2 driver.sh && grep "leave --array out" err &&
	refused reserve --gang=a -a1-3 driver.sh && grep "leave --array out" err &&
	refused env SBATCH_ARRAY_INX=1-2 sbatch -N1 --gang=a --gang-role=driver \
		--gang-reserve=driver:1 driver.sh && grep "leave --array out" err
'
test_expect_success 'the job is refused after its placeholders were submitted' '
	submitted >before &&
	refused env SBATCH_ARRAY_INX=1-2 sbatch "${options[@]}" --gang=a --gang-role=driver \
		--gang-reserve=driver:1,executor:3 driver.sh && grep "leave --array out" err &&
	submitted | comm -13 before - >new && test "$(wc -l <new)" = 1 &&
	! scontrol -o show job | grep "JobName=executor.placeholder " |
		grep -v "JobState=CANCELLED"
'
test_expect_success 'no command but sbatch, and no file' '
	refused srun -N1 --gang=a --gang-role=driver --gang-reserve=driver:1 true &&
	grep "only sbatch" err &&
	refused salloc -N1 --gang=a --gang-role=driver --gang-reserve=driver:1 true &&
	grep "only sbatch" err &&
	printf "%s\n" "gang: a" "reserve: driver:1" "command: true" >a.yaml &&
	refused "$sgang" submit a.yaml && grep "reserve: say placeholders" err
'
test_expect_success '--test-only submits nothing' '
	clear_cluster && reserve --gang=test --test-only driver.sh; n_jobs 0
'
test_expect_success '1.1 no placeholder was launched so far, and nothing is left' '
	clear_cluster && no_placeholder_launched && nothing_left
'

gang_scripts driver executor

# --- several gangs ---

test_expect_success '1.11 1.13 of two gangs that want the same nodes one has all, the other none' '
	for round in 1 2 3 4; do
		clear_cluster && file red$round 2 && file blue$round 2 && rm -f *.log &&
		{ "$sgang" submit red$round.yaml >red &
		  "$sgang" submit blue$round.yaml >blue; wait $!; } &&
		wait_for 30 "test \$(squeue -h -t R -n driver -o %A | wc -l) = 1" &&
		wait_for 20 n_kept 2 && wait_cycles &&
		test $(have_nodes | wc -l) = 1 && first=$(have_nodes) &&
		"$sgang" cancel $first && case $first in
		red*) driver_of blue ;;
		*) driver_of red ;;
		esac && wait_state $driver RUNNING 30 && wait_for 20 n_kept 2 ||
			return 1
	done
'
test_expect_success '1.3 1.14 placeholders wait in turn, as other jobs: who is first in the queue starts' '
	clear_cluster && busy=$(submit -N4 --exclusive -t5) && wait_state $busy RUNNING &&
	first=$(submit -N2 --exclusive -t5 --nice=-10) && file queue 2 &&
	begin queue && scancel $busy && wait_state $first RUNNING && wait_cycles &&
	n_kept 0 && job_is $driver PENDING && scancel $first &&
	wait_state $driver RUNNING && wait_for 20 n_kept 2
'

# --- what is counted ---

test_expect_success '1.36 1.64 what keeps nodes and what runs are counted apart' '
	clear_cluster && file count 3 && begin count && wait_state $driver RUNNING &&
	wait_for 20 n_kept 3 && one=$(executor count) && wait_state $one RUNNING &&
	wait_for 20 n_kept 2 &&
	gang_log root/count " members, 4 placeholders" &&
	"$sgang" list -h -o "%h %t" | grep -x " *2  *2" &&
	"$sgang" metrics | tee metrics &&
	grep -x "slurm_gang_members{state=\"placeholder\"} 2" metrics &&
	grep -x "slurm_gang_members{state=\"running\"} 2" metrics &&
	grep -x "slurm_gang_held_nodes 2" metrics &&
	"$sgang" show count --json | tr -d " \n" | grep "\"running\":2" &&
	"$sgang" show count --json | tr -d " \n" | grep "\"placeholders\":2"
'
test_expect_success '1.36 a placeholder is no success: two members have to complete' '
	clear_cluster && file done 3 "on-success: 2" && begin done && wait_state $driver RUNNING &&
	wait_for 20 n_kept 3 && one=$(executor done) && two=$(executor done) &&
	wait_for 20 all_in RUNNING $one $two && touch driver.go &&
	wait_state $driver COMPLETED && wait_cycles && all_in RUNNING $one $two &&
	n_kept 1 && touch executor.go && wait_for 20 queue_empty &&
	wait_for 20 nodes_idle
'
test_expect_success '1.35 1.37 1.53 a member that comes before the close keeps the gang open' '
	clear_cluster && file open 3 && begin open && wait_state $driver RUNNING && n_kept 3 &&
	touch driver.go && wait_state $driver COMPLETED && passes 8 &&
	one=$(executor open) && wait_state $one RUNNING && passes 25 &&
	n_kept 2 && job_is $one RUNNING
'
test_expect_success '1.36 all placeholders time out beside a member: it gathers, and nobody says that it runs' '
	clear_cluster && file alone 4 "placeholder-unused: 0:05" &&
	sed -i "/name: driver/d" alone.yaml && rm -f *.go &&
	"$sgang" submit alone.yaml && one=$(executor alone -H) &&
	wait_for 30 "test \$(scontrol -o show job | grep -c \"gang=root/alone .*ended=timeout\") = 4" &&
	scontrol release $one && wait_for 10 squeue_says $one \
		"Gang root/alone gathering: SubGroup executor does not have enough children (1 < 4)" &&
	"$sgang" list -h >listed && cat listed &&
	grep "^root/alone  *Gathering 1/4/4 " listed &&
	recorded $one phase=gathering && job_is $one PENDING &&
	rest=($(executor alone) $(executor alone) $(executor alone)) &&
	wait_for 20 all_in RUNNING $one ${rest[@]}
'

# --- what is lost ---

# One executor fails, another one's node is kept: begin_failing GANG POLICY
begin_failing()
{
	clear_cluster && file $1 2 "on-failure: $2" && begin $1 &&
		wait_state $driver RUNNING && wait_for 20 n_kept 2 &&
		one=$(executor $1) && wait_state $one RUNNING && n_kept 1 &&
		wait_for 10 "test \$(starts_of executor $one) = 1" &&
		scancel --signal=KILL --batch $one
}
test_expect_success '6.17 an array has replaced all placeholders: what its role needs is not forgotten' '
	clear_cluster && file promise 3 "on-stale: kill" "stale-grace: 0:04" &&
	begin promise && wait_state $driver RUNNING && wait_for 20 n_kept 3 &&
	array=$(executor promise -a 1-3) &&
	wait_for 20 all_in RUNNING ${array}_1 ${array}_2 ${array}_3 && n_kept 0 &&
	recorded $driver min=4 && scancel ${array}_1 ${array}_2 &&
	wait_for 20 queue_empty && all_in CANCELLED $driver ${array}_3
'
test_expect_success '1.40 6.17 placeholders time out: the gang goes on, too few for --gang-on-stale' '
	clear_cluster && file unused 3 "placeholder-unused: 0:03" && begin unused &&
	wait_state $driver RUNNING && wait_for 20 n_kept 3 && recorded $driver min=4 &&
	wait_for 20 n_kept 0 && wait_for 10 recorded $driver min=2 &&
	one=$(executor unused) && wait_state $one RUNNING && job_is $driver RUNNING &&
	clear_cluster && file few 3 "placeholder-unused: 0:03" "on-stale: kill" \
		"stale-grace: 0:04" && begin few && wait_state $driver RUNNING &&
	wait_for 20 n_kept 3 && one=$(executor few) && wait_state $one RUNNING &&
	wait_for 20 n_kept 0 && recorded $driver min=4 &&
	wait_for 20 queue_empty && all_in CANCELLED $driver $one
'
test_expect_success '1.61 3.19 kill: a member fails, and the gang ends with its placeholders' '
	begin_failing kill kill && wait_for 20 queue_empty &&
	job_is $driver CANCELLED && wait_for 20 nodes_idle
'
test_expect_success '1.61 3.19 replace: the member takes the place of another placeholder' '
	begin_failing replace replace && wait_for 20 "test \$(restarts_of $one) = 1" &&
	wait_state $one RUNNING && n_kept 0 && job_is $driver RUNNING
'
test_expect_success '1.61 3.19 the node of a placeholder fails: the gang goes on' '
	for how in kill replace; do
		clear_cluster && file node-$how 2 "on-failure: $how" && begin node-$how &&
		wait_state $driver RUNNING && wait_for 20 n_kept 2 &&
		node=$(squeue -h -r -t CF -o %N | head -n 1) &&
		scontrol update NodeName=$node State=DOWN Reason=test && wait_for 20 n_kept 1 &&
		wait_cycles && job_is $driver RUNNING && n_kept 1 &&
		node_returns $node && one=$(executor node-$how) &&
		two=$(executor node-$how) && wait_for 20 all_in RUNNING $one $two || return 1
	done
'
test_expect_success '1.61 requeue: placeholders that were replaced would not come again' '
	clear_cluster && file again 2 "on-failure: requeue" &&
	test_must_fail "$sgang" submit again.yaml 2>err; cat err &&
	grep "has no on-failure=requeue" err && queue_empty
'

# --- at any time, and by anybody who may ---

test_expect_success '1.60 1.63 sgang cancel ends all of them, and a pending one by scancel' '
	clear_cluster && file all 3 && begin all && wait_state $driver RUNNING && n_kept 3 &&
	"$sgang" cancel all && wait_for 20 queue_empty &&
	busy=$(submit -N4 --exclusive -t5) && wait_state $busy RUNNING &&
	begin all && ids=$(squeue -h -n executor.placeholder -o %A) &&
	scancel ${ids}_0 && wait_for 10 "test \$(squeue -h -r -n executor.placeholder -o %i | wc -l) = 2"
'
test_expect_success '1.20 a member that comes before its placeholders waits for them' '
	clear_cluster && early=$(executor late --gang-placeholders=soft --gang-min-member=2) && wait_cycles &&
	job_is $early PENDING && scancel $early
'
test_expect_success '1.65 --time holds for the member, not for the time it is waited for' '
	clear_cluster && file short 1 && sed -i "s/-t10/-t1/" short.yaml && begin short &&
	wait_state $driver RUNNING && n_kept 1 && one=$(executor short -t1) &&
	wait_state $one RUNNING && test "$(job_field $one TimeLimit)" = 00:01:00
'
test_expect_success '1.56 1.57 without --gang-placeholder a job is a member like others' '
	clear_cluster && file plain 1 && begin plain && wait_state $driver RUNNING && n_kept 1 &&
	odd=$(submit -N1 --exclusive -t10 -J executor.placeholder --gang=plain \
		--gang-role=driver executor.sh) && wait_state $odd RUNNING &&
	wait_for 10 starts_of executor $odd && n_kept 1 && clear_cluster &&
	test_must_fail sbatch -N1 --gang-placeholder=1 --wrap=true 2>err; cat err &&
	grep "gang" err
'

# --- users ---

# A Slurm that was built for the tests may be in a folder that only root reads.
! as $alice sbatch --version >/dev/null 2>&1 || test_set_prereq USERS
test_expect_success USERS 'another user gets no node that a placeholder keeps' '
	clear_cluster && cat >"$slurm_dir/out/shared.yaml" <<-END &&
	gang: lab/shared
	placeholders: soft
	options: [--exclusive, -N1, -t10, --account=lab]
	roles:
	  - {name: driver, min: 1, command: sleep 600}
	  - {name: executor, min: 2}
	END
	as $alice "$sgang" submit shared.yaml >submitted && driver_of submitted &&
	wait_state $driver RUNNING && wait_for 20 n_kept 2 &&
	test_must_fail submit_as $bob --gang=$alice/shared --gang-role=executor 2>err &&
	theirs=$(submit_as $bob --exclusive --account=lab --gang=lab/shared \
		--gang-role=executor) &&
	wait_state $theirs RUNNING && n_kept 2 &&
	second=$(submit_as $bob --exclusive --account=lab --gang=lab/shared \
		--gang-role=executor) && wait_cycles && job_is $second PENDING && n_kept 2 &&
	own=$(submit_as $alice --exclusive --account=lab --gang=lab/shared \
		--gang-role=executor) && wait_state $own RUNNING && n_kept 1 &&
	job_is $second PENDING && scancel -u $alice && scancel -u $bob &&
	wait_for 20 queue_empty
'

# --- reservations ---

test_expect_success 'in a reservation they keep its nodes' '
	clear_cluster && scontrol create reservation=mine nodes=n[2-3] users=root starttime=now \
		duration=10 && file resv 1 &&
	sed -i "s/-t10/-t5, --reservation=mine/" resv.yaml && begin resv &&
	wait_state $driver RUNNING && n_kept 1 &&
	one=$(executor resv -t5 --reservation=mine) && wait_state $one RUNNING &&
	n_kept 0 && squeue -h -t R -o %N | sort | xargs | grep -x "n2 n3" &&
	scancel -u root && wait_for 10 queue_empty &&
	scontrol delete reservation=mine
'

# --- nodes that are powered up ---

# A slurmd of a node that has just been started.
power_up()
{
	local node

	for node; do
		mkdir -p "$slurm_dir/spool/$node"
		slurm_launch slurmd -b -N "$node" &
	done
	wait_for 20 slurm_all_alive "$@"
}
nodes_off() { test "$(sinfo -h -N -o %T | sort | uniq -c | xargs)" = "4 idle~"; }
test_expect_success '1.12 nodes are powered up for placeholders, once' '
	slurm_stop && cat >"$slurm_dir/etc/resume.sh" <<-END &&
	#!/bin/sh
	echo "\$1" >>"$slurm_dir/resumed"
	END
	chmod 755 "$slurm_dir/etc/resume.sh" &&
	sed -i "/^NodeName=/s/\$/ State=CLOUD/" "$SLURM_CONF" &&
	cat >>"$SLURM_CONF" <<-END &&
	PrivateData=cloud
	SlurmctldParameters=cloud_dns
	ResumeProgram=$slurm_dir/etc/resume.sh
	SuspendProgram=/bin/true
	ResumeTimeout=600
	SuspendTime=3000
	END
	rm -rf "$slurm_dir"/state/* && slurm_start_munge && slurm_start_ctld &&
	wait_for 30 nodes_off && file cloud 2 && begin cloud &&
	wait_for 30 test -s "$slurm_dir/resumed" && job_is $driver PENDING &&
	up=$(scontrol show hostnames $(cat "$slurm_dir/resumed")) &&
	test $(wc -w <<<"$up") = 3 && power_up $up &&
	wait_state $driver RUNNING 60 && wait_for 20 n_kept 2 && one=$(executor cloud) &&
	wait_state $one RUNNING && wait_for 20 n_kept 1 &&
	test $(wc -l <"$slurm_dir/resumed") = 1 && scancel -u root &&
	wait_for 20 queue_empty
'

test_expect_success '1.1 no placeholder was launched' 'no_placeholder_launched'

test_done
