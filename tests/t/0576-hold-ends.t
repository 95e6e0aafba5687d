#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0576-hold-ends.t - why a hold ended: each cause, made to happen
#
# Each is looked for in the log, in the records of the members that wait again,
# in sgang show and in the counters for monitoring.

test_description='Each end of a hold has its cause, in log, record and metrics'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

sgang=$(checked_sgang)
slurm_setup -n 4 -c 2 --gang --conf \
"$quick_sched
$(partition_prio main=1 high=10)"
echo "MetricsFile=\"$PWD/gang.prom\"" >>"$slurm_dir/etc/gang.conf"
slurmdbd_setup 'AccountingStorageEnforce=associations,limits'

# In the end there is a PrologSlurmctld that waits, and fails when told to.
cat >"$slurm_dir/etc/prolog" <<-END
#!/bin/bash
while test -e "$PWD/closed"; do read -rt 0.1 <> <(:) || :; done
! test -e "$PWD/fails"
END
chmod 755 "$slurm_dir/etc/prolog"
slurm_start
acct add account lab
acct add user root account=lab defaultaccount=lab
acct add account small GrpTRES=cpu=1
acct add user root account=small

for name in user timeout preempted limited replaced winner node limit failed \
	incomplete; do
	gang_script $name
done

# Two of the four nodes are busy with jobs of no gang that nobody preempts.
block=
block_two() { block=$(run_job -p high -w n[3-4] -N 2 --exclusive); }

# Of a gang of four, in "members", two hold n1 and n2: hold NAME [OPTION...]
hold()
{
	local name=$1 i

	gang_of_nodes $name 4 --gang-mode=nonstrict --gang-waiting-time=1-0 \
		"${@:2}" $name.sh
	wait_for 20 "test \"\$(held_in ${members[*]})\" = 2"
}

# What the counters say of a cause. They are written every 15 seconds.
counted()
{
	"$sgang" metrics 2>/dev/null | awk -v cause="$1" '
		$1 == "slurm_gang_holds_ended_total{cause=\"" cause "\"}" {
			print $2
		}'
}

# Nobody holds, all that are left wait and know why: ended CAUSE NAME COUNT
# COUNTED [MEMBER...], where so many members are in all that was counted.
ended()
{
	local cause=$1 name=$2 lost=$3 counts=$4 id

	shift 4
	wait_for 20 "test \"\$(held_in ${members[*]})\" = 0" &&
		gang_log root/$name "hold of $lost members ended: $cause" &&
		for id; do
			wait_for 10 \
				"test \"\$(gang_record $id holdend)\" = $cause" ||
				return 1
		done &&
		"$sgang" show --json root/$name |
			jq -e "[.jobs[] | select(.hold_ended == \"$cause\")] |
				length >= $#" >/dev/null &&
		wait_for 40 "test \"\$(counted $cause)\" = $counts" &&
		test "$(starts_of $name)" = 0
}

# Nobody is left: gone [JOB...]. Those that hold are cancelled before the others, and
# JOBs and what else is in their way last: nothing here counts as another cause.
gone()
{
	local held=$(held_of ${members[@]})

	{ test -z "$held" || scancel $held; } &&
		scancel ${members[@]} && scancel $block "$@" && block= &&
		wait_for 20 queue_empty && wait_for 20 nodes_idle
}

test_expect_success '1.61 user: somebody cancels a member that holds' '
	block_two &&
	hold user &&
	lost=$(held_on n1 ${members[@]}) &&
	scancel $lost &&
	left=($(living_of ${members[@]})) &&
	ended user user 1 2 ${left[@]} &&
	gang_log root/user "held member $lost is lost: user" &&
	gone
'
test_expect_success '1.61 user: somebody requeues one' '
	block_two &&
	hold user &&
	lost=$(held_on n2 ${members[@]}) &&
	scontrol requeuehold $lost &&
	ended user user 1 4 &&
	gone
'
test_expect_success '1.47 1.61 timeout: the waiting time is over' '
	block_two &&
	test_when_finished gang_setting MaxWaitingTime 1-0 &&
	hold timeout &&
	gang_setting MaxWaitingTime 0:01 &&
	ended timeout timeout 2 2 ${members[@]} &&
	stopped_by_timeout ${members[@]} &&
	gone
'
test_expect_success '1.61 6.8 preempted: a member that holds yields to another job' '
	block_two &&
	hold preempted &&
	lost=$(held_on n1 ${members[@]}) keeps=$(held_on n2 ${members[@]}) &&
	big=$(submit -p high -w n1 -N 1 --exclusive) &&
	wait_state $big RUNNING 30 &&
	gang_log root/preempted "member $lost yields to job $big: preempted" &&
	wait_for 10 "test \"\$(gang_record $lost holdend)\" = preempted" &&
	wait_for 40 "test \"\$(counted preempted)\" = 1" &&
	test "$(restarts_of $lost)" = 0 &&
	job_is $keeps CONFIGURING &&
	gone $big
'
test_expect_success '6.8: it does not where a limit stops the other job' '
	block_two &&
	hold limited &&
	big=$(submit -A small -p high -w n1 -n 1 --exclusive) &&
	wait_for 20 squeue_says $big AssocGrpCpuLimit &&
	acct modify account small set GrpTRES=cpu=-1 &&
	wait_state $big RUNNING 30 &&
	test "$(gang_log root/limited "yields to" | wc -l)" = 1 &&
	gone $big
'
test_expect_success '1.61 replaced: a gang before it can start with its nodes' '
	block_two &&
	hold replaced --nice=100 &&
	winner=($(submit -N 1 --exclusive --gang=winner --gang-min-member=2 \
		--gang-mode=nonstrict winner.sh) \
		$(submit -N 1 --exclusive --gang=winner winner.sh)) &&
	wait_for 30 all_in RUNNING ${winner[@]} &&
	gang_log root/replaced "gave way: replaced" &&
	wait_for 10 "test \"\$(held_in ${members[*]})\" = 0" &&
	for id in ${members[@]}; do
		wait_for 10 "test \"\$(gang_record $id holdend)\" = replaced" ||
			return 1
	done &&
	wait_for 40 "test \"\$(counted replaced)\" = 2" &&
	gone ${winner[@]}
'
# The slurmd is alive, and the node may be back before somebody says so.
test_expect_success '1.61 node: a node is lost under a member that holds' '
	block_two &&
	hold node --no-requeue &&
	lost=$(held_on n2 ${members[@]}) &&
	scontrol update NodeName=n2 State=DOWN Reason=test &&
	wait_for 10 "test \"\$(held_in ${members[*]})\" = 0" &&
	gang_log root/node "held member $lost is lost: node" &&
	left=($(pending_of ${members[@]})) &&
	test ${#left[@]} = 3 &&
	ended node node 1 2 ${left[@]} &&
	node_returns n2 &&
	gone
'
test_expect_success '1.61 limit: a limit stops a gang that holds' '
	block_two &&
	hold limit &&
	acct modify account lab set GrpTRES=node=3 &&
	scontrol update PartitionName=main State=UP &&
	ended limit limit 2 2 ${members[@]} &&
	gone &&
	acct modify account lab set GrpTRES=node=-1
'
test_expect_success '1.61 incomplete: too few are left of a gang that holds' '
	block_two &&
	hold incomplete &&
	late=($(pending_of ${members[@]})) &&
	scancel ${late[0]} &&
	left=($(living_of ${members[@]})) &&
	ended incomplete incomplete 2 2 ${left[@]} &&
	gone
'
# Both are tried once more at once, or others in their place; who fails first then
# ends the hold of the other, and Slurm lets it wait.
test_expect_success '1.61 failed: the PrologSlurmctld of those that hold fails' '
	echo "PrologSlurmctld=$slurm_dir/etc/prolog" >>"$SLURM_CONF" &&
	slurm_stop_ctld && slurm_start_ctld && wait_for 20 nodes_idle &&
	block_two &&
	touch closed &&
	hold failed &&
	lost=($(held_of ${members[@]})) &&
	touch fails &&
	rm closed &&
	wait_for 20 "test \$(restarts_of ${lost[*]}) -ge 3" &&
	rm fails &&
	for id in ${lost[@]}; do
		gang_log root/failed "held member $id is lost: failed" &&
		wait_for 10 "test \"\$(gang_record $id holdend)\" = failed" ||
			return 1
	done &&
	wait_for 40 "test 0\$(counted failed) -ge 3" &&
	test "$(starts_of failed)" = 0 &&
	gone
'
test_expect_success 'promtool reads a counter with causes' '
	! command -v promtool >/dev/null ||
	"$sgang" metrics --prometheus | promtool check metrics
'
last_case '
	nothing_left "prolog_slurmctld .* prolog exit status" "No fed_mgr state file"
'
