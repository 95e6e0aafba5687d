#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0411-placeholder-rules.t - placeholders of several gangs and users; what is
# counted; reservations; nodes that are powered up

test_description='Placeholders of several gangs and users, CLOUD nodes'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang --conf 'KillWait=2
PriorityType=priority/multifactor'
users_setup
slurm_start

gang_scripts driver executor

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
	wait_for 10 n_kept 2 &&
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

# --- what is lost ---

# One executor fails, another one's node is kept: begin_failing GANG POLICY
begin_failing()
{
	clear_cluster && file $1 2 "on-failure: $2" && begin $1 &&
		wait_state $driver RUNNING && wait_for 20 n_kept 2 &&
		one=$(executor $1) && wait_state $one RUNNING && n_kept 1 &&
		scancel --signal=KILL --batch $one
}
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
		scontrol update NodeName=$node State=RESUME && one=$(executor node-$how) &&
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
	wait_for 10 nodes_off && file cloud 2 && begin cloud &&
	wait_for 30 test -s "$slurm_dir/resumed" && job_is $driver PENDING &&
	up=$(scontrol show hostnames $(cat "$slurm_dir/resumed")) &&
	test $(wc -w <<<"$up") = 3 && power_up $up &&
	wait_state $driver RUNNING 60 && n_kept 2 && one=$(executor cloud) &&
	wait_state $one RUNNING && wait_for 10 n_kept 1 &&
	test $(wc -l <"$slurm_dir/resumed") = 1 && scancel -u root &&
	wait_for 20 queue_empty
'

test_expect_success '1.1 no placeholder was launched' 'no_placeholder_launched'

test_done
