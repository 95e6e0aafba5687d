#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0390-on-failure.t - a member is lost: what becomes of the others

test_description='--gang-on-failure: ignore, kill, requeue'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang --conf 'SlurmdTimeout=30
KillWait=20'

# A node can be told to launch nobody.
cat >"$slurm_dir/etc/prolog" <<END
#!/bin/sh
test ! -e "$slurm_dir/etc/refuse.\$SLURMD_NODENAME"
END
chmod 755 "$slurm_dir/etc/prolog"
echo "Prolog=$slurm_dir/etc/prolog" >>"$SLURM_CONF"
slurm_start

refuse() { touch "$slurm_dir/etc/refuse.$1"; }

# As gang_script; but the members tell when they are asked to end, which they do
# unless there is GANG.RANK.deaf, and one that finds ID.fail fails.
end_script()
{
	cat >"$1.sh" <<-END
	#!/bin/bash
	tell()
	{
		echo "\$SLURM_JOB_ID \$1 \$EPOCHREALTIME" >>"$PWD/$1.log"
	}
	ends()
	{
		tell term
		test -e "$PWD/$1.\$SLURM_GANG_MEMBER_RANK.deaf" || exit 0
	}
	trap ends TERM
	tell start
	until test -e "$PWD/$1.go"; do
		if test -e "$PWD/\$SLURM_JOB_ID.fail"; then
			rm "$PWD/\$SLURM_JOB_ID.fail"
			exit 1
		fi
		read -rt 0.1 <> <(:) || :
	done
	tell stop
	END
}

# Three members, one node each, in the array "members"; all run:
# run GANG POLICY
run()
{
	local gang=$1

	end_script $gang
	gang_of_nodes $gang 3 --gang-on-failure=$2 $gang.sh &&
		wait_for 15 all_in RUNNING ${members[@]} &&
		wait_for 10 'test $(starts_of '$gang') = 3'
}

# Three members on n1 to n3, of which n1 launches nobody.
launch()
{
	end_script $1
	refuse n1
	submit_each -wn1 -wn2 -wn3 -- -N 1 --gang=$1 --gang-min-member=3 \
		"${@:2}" $1.sh
}

# These members were asked to end: asked GANG ID...
asked()
{
	local gang=$1 id

	for id in "${@:2}"; do
		grep "^$id term " $gang.log || return 1
	done
}

# They were asked and have ended before their time.
all_ended()
{
	local gang=$1

	wait_for 15 all_in 'CANCELLED|COMPLETED' "${@:2}" &&
		asked $gang "${@:2}" &&
		! grep stop $gang.log
}

node_of() { squeue -h -j $1 -o %N; }

# A node is as good as new.
repair()
{
	rm -f "$slurm_dir/etc/refuse.$1"
	slurm_alive $1 || slurm_start_node $1 || return 1
	node_returns $1 && wait_for 20 nodes_idle
}

# --- ignore ---

test_expect_success '0.53 ignore: a member fails, the others go on' '
	run ignore ignore &&
	touch ${members[0]}.fail &&
	wait_state ${members[0]} FAILED &&
	other=$(complete_job -n 1 --wrap=true) &&
	all_in RUNNING ${members[1]} ${members[2]} &&
	test "$(gang_phase root/ignore)" = running &&
	let_end ignore ${members[1]} ${members[2]} &&
	! grep term ignore.log
'
test_expect_success '0.52 0.53 ignore: one cannot be launched, it alone is undone' '
	launch launch &&
	wait_for 20 "test \$(starts_of launch) = 2" &&
	wait_state ${members[0]} PENDING &&
	other=$(complete_job -n 1 --wrap=true) &&
	all_in RUNNING ${members[1]} ${members[2]} &&
	test "$(starts_of launch ${members[0]})" = 0
'
test_expect_success '0.11 0.53 it starts later, as an ordinary job' '
	rm "$slurm_dir/etc/refuse.n1" &&
	node_returns n1 &&
	scontrol release ${members[0]} &&
	begins_now ${members[0]} &&
	wait_state ${members[0]} RUNNING 30 &&
	let_end launch ${members[@]} &&
	ran_once launch 3 &&
	repair n1
'

# --- kill ---

test_expect_success '3.36 kill: a member fails, the others are asked and end' '
	touch fails.2.deaf &&
	run fails kill &&
	test "$(gang_record ${members[2]} rank)" = 2/3 &&
	touch ${members[0]}.fail &&
	wait_state ${members[0]} FAILED &&
	all_ended fails ${members[1]} ${members[2]} &&
	gang_log root/fails "member ${members[0]} is lost: the gang is ended" &&
	test "$(gang_record ${members[1]} phase)" = failed &&
	test "$(restarts_of ${members[@]})" = 0
'
test_expect_success '3.36 kill: who does not obey is killed' '
	wait_for 10 nodes_idle &&
	asked fails ${members[2]} &&
	! grep "^${members[2]} stop" fails.log
'
test_expect_success '3.36 kill: a member is cancelled' '
	run cancelled kill &&
	scancel ${members[1]} &&
	wait_state ${members[1]} CANCELLED &&
	all_ended cancelled ${members[0]} ${members[2]} &&
	wait_for 10 nodes_idle
'
test_expect_success '3.19 3.36 kill: the admin takes a node' '
	run down kill &&
	lost=${members[1]} node=$(node_of ${members[1]}) &&
	scontrol update NodeName=$node State=DOWN Reason=test &&
	all_ended down ${members[0]} ${members[2]} &&
	wait_state $lost "CANCELLED|NODE_FAIL" &&
	repair $node
'
test_expect_success '3.19 3.36 kill: a node dies' '
	run dead kill &&
	lost=${members[0]} node=$(node_of ${members[0]}) &&
	slurm_kill_node $node &&
	wait_state $lost "CANCELLED|NODE_FAIL" 60 &&
	all_ended dead ${members[1]} ${members[2]} &&
	repair $node
'
test_expect_success '3.2 kill: one cannot be launched, all end, who waits too' '
	end_script nolaunch &&
	held=$(submit --hold --gang=nolaunch --gang-min-member=3 \
		--gang-on-failure=kill nolaunch.sh) &&
	launch nolaunch --gang-on-failure=kill &&
	members+=($held) &&
	wait_for 20 all_in "CANCELLED|COMPLETED" ${members[@]} &&
	! grep stop nolaunch.log &&
	repair n1
'
test_expect_success '1.58 3.36 kill: a task that left its array as it started' '
	end_script late &&
	blocker=$(submit -N 2 -w "n[1-2]" --exclusive --wrap="sleep 300") &&
	members=($(submit -N 1 --exclusive --gang=late --gang-min-member=2 \
		--gang-total-number=4 --gang-order=0 --gang-on-failure=kill \
		late.sh)) &&
	array=$(submit -N 1 --exclusive --array=1-3 --gang=late \
		--gang-min-member=2 --gang-total-number=4 \
		--gang-on-failure=kill late.sh) &&
	wait_state ${members[0]} RUNNING &&
	scancel $blocker &&
	wait_for 30 "test \$(starts_of late) = 4" &&
	scancel ${members[0]} &&
	wait_for 15 "test -z \"\$(squeue -h -j $array)\"" &&
	test $(grep -c " term " late.log) -ge 3 &&
	! grep stop late.log &&
	wait_for 10 nodes_idle
'
test_expect_success 'kill: to complete is no failure' '
	run fine kill &&
	let_end fine ${members[@]} &&
	ran_once fine 3
'

# --- requeue ---

# 6.7: all start together again: again GANG STARTS
again()
{
	wait_for 60 'test $(starts_of '$1') = '$2 &&
		all_in RUNNING ${members[@]} &&
		started_together ${members[@]}
}

test_expect_success '3.2 3.36 requeue: a member fails, all run again together' '
	run requeued requeue &&
	touch ${members[2]}.fail &&
	again requeued 6 &&
	asked requeued ${members[0]} ${members[1]} &&
	gang_log root/requeued \
		"member ${members[2]} is lost: the gang is requeued" &&
	for id in ${members[@]}; do
		test "$(job_field $id Restarts)" = 1 || return 1
	done &&
	test "$(gang_phase root/requeued)" = running
'
test_expect_success '3.19 requeue: the admin takes a node' '
	node=$(node_of ${members[0]}) &&
	scontrol update NodeName=$node State=DOWN Reason=test &&
	again requeued 9 &&
	let_end requeued ${members[@]} &&
	repair $node
'
test_expect_success '3.2 requeue: what somebody cancels is not requeued' '
	run gone requeue &&
	scancel ${members[0]} &&
	all_ended gone ${members[1]} ${members[2]} &&
	wait_for 10 nodes_idle
'

last_case '
	nothing_left "Prolog or job env setup failure on node n1"
'
