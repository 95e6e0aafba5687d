#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0408-placeholder-times.t - placeholders that are not ready in time; limits,
# GRES, PrologSlurmctld and settings of the site
#
# PrologSlurmctld keeps a job from being ready as long as the file NODE.busy is
# there for a node that it has.

test_description='Placeholders: times, limits, GRES, PrologSlurmctld'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 3 -c 5 --gang --node 'Gres=tape:2' --gres 'Name=tape Count=2' --conf \
'KillWait=2
GresTypes=tape
AccountingStorageTRES=gres/tape
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=plain Nodes=ALL MaxTime=INFINITE State=UP'
slurmdbd_setup 'AccountingStorageEnforce=associations,limits'
set_up_accounts()
{
	acct add account upper && acct add account joint parent=upper &&
	acct add user root account=joint &&
	acct modify user root set defaultaccount=joint
}
set_up_accounts || slurm_fatal "the accounts cannot be made"
cat >"$slurm_dir/etc/ctld.sh" <<END
#!/bin/bash
while test -e $slurm_dir/\$SLURM_JOB_NODELIST.busy; do read -rt 0.1 <> <(:) || :; done
echo \$SLURM_JOB_ID >>$slurm_dir/ctld
END
chmod 755 "$slurm_dir/etc/ctld.sh"
echo "PrologSlurmctld=$slurm_dir/etc/ctld.sh" >>"$slurm_dir/etc/slurm.conf"
cat >"$slurm_dir/etc/epilog.sh" <<END
#!/bin/bash
while test -e $slurm_dir/\$SLURMD_NODENAME.ends; do read -rt 0.1 <> <(:) || :; done
END
chmod 755 "$slurm_dir/etc/epilog.sh"
echo "Epilog=$slurm_dir/etc/epilog.sh" >>"$slurm_dir/etc/slurm.conf"
slurm_start

gang_scripts driver executor

# A driver and two executors, the latter with GRES: begin GANG STYLE [LINE...]
begin()
{
	local line

	{
		echo "gang: $1"
		echo "placeholders: $2"
		for line in "${@:3}"; do echo "$line"; done
		cat <<-END
			options: [-N1, -n2, -t10]
			roles:
			  - {name: driver, min: 1, script: driver.sh}
			  - {name: executor, min: 2, options: [--gres=tape:2]}
		END
	} >$1.yaml
	rm -f *.log; "$sgang" submit $1.yaml >submitted; cat submitted
	driver=$(sed -n '/Placeholders/d; s/^JobId=\([0-9]*\) .*/\1/p' submitted)
	test -n "$driver"
}
executor()
{
	submit -N1 -n2 -t10 --gang=$1 --gang-role=executor "${@:2}" executor.sh
}
kept() { squeue -h -r -t CF -o '%N %j' | sed -n 's/ .*placeholder$//p' | sort; }
n_kept() { test $(kept | wc -l) = $1; }
# Placeholders of a gang that Slurm knows and that have ended so: ended GANG WORD
ended() { scontrol -o show job | grep -c "gang=root/$1 .*ended=$2"; }
limit() { acct modify account joint set GrpJobs=$1 && knows assoc GrpJobs=$1; }
# slurmctld has heard of a limit: knows assoc|qos WORDS
knows() { wait_for 10 "scontrol show assoc_mgr flags=$1 | grep -F \"$2\""; }
# A gang of three placeholders with two CPUs is refused: beyond WHY
beyond()
{
	begin beyond soft 2>err
	cat err
	grep -F "the gang can never start: its 3 placeholders are together above $1" \
		err && queue_empty
}

test_expect_success '1.29 PrologSlurmctld: a member has the same node and the same GRES' '
	begin gres soft && wait_state $driver RUNNING && wait_for 20 n_kept 2 &&
	two=$(executor gres --gres=tape:2) &&
	wait_state $two RUNNING && n_kept 1 && wait_for 10 ran_once executor 1 &&
	grep -x $two "$slurm_dir/ctld" &&
	scontrol -o show job $two | grep "tape:2\|tape=2"
'
test_expect_success '1.26 a smaller one has a placeholder, a larger one none, and both sizes are named' '
	many=$(executor gres --gres=tape:2 -n4) &&
	wait_for 10 gang_log root/gres \
		"job $many is larger than the placeholders of role executor (cpus:4 > cpus:2)" &&
	n_kept 1 && scancel $many && one=$(executor gres --gres=tape:1) &&
	wait_state $one RUNNING && n_kept 0 && clear_cluster
'
# Slurm gives a node to no job while another one ends there.
test_cleared '1.30 while other jobs end on their nodes, placeholders keep them' '
	begin shared soft && wait_state $driver RUNNING && wait_for 20 n_kept 2 &&
	nodes=$(kept) && others=($(for node in $nodes; do
		submit -w $node -n1 -t5; done)) &&
	wait_for 20 all_in RUNNING ${others[@]} &&
	for node in $nodes; do touch "$slurm_dir/$node.ends"; done &&
	scancel ${others[@]} && wait_for 10 "test \$(squeue -h -t CG | wc -l) = 2" &&
	one=$(executor shared --gres=tape:2) && wait_cycles && job_is $one PENDING &&
	test "$(kept)" = "$nodes" && rm "$slurm_dir"/*.ends &&
	wait_state $one RUNNING && n_kept 1 && echo "$nodes" | grep -x $(job_field $one NodeList)
'
test_cleared '1.66 1.13 limits count a placeholder or its member, once' '
	limit 3 && begin once soft && wait_state $driver RUNNING && n_kept 2 &&
	two=($(executor once --gres=tape:2) $(executor once --gres=tape:2)) &&
	wait_for 20 all_in RUNNING ${two[@]} &&
	more=$(executor once --gres=tape:1) && wait_cycles && job_is $more PENDING
'
test_expect_success '1.13 1.14 none accumulates as long as the quota has no room for all' '
	other=$(submit -n1 -t5) && wait_state $other RUNNING && begin none soft &&
	wait_for 10 squeue_says $driver \
		"Gang root/none waits: JobId=" && squeue_says $driver AssocGrpJobsLimit &&
	wait_cycles && n_kept 0 &&
	job_is $driver PENDING && small=$(submit -n1 -t5) &&
	wait_state $small RUNNING && scancel $other $small &&
	wait_state $driver RUNNING && n_kept 2 && clear_cluster && limit 9
'
test_expect_success '1.21 1.22 1.39 no member starts before all placeholders are ready' '
	touch "$slurm_dir/n2.busy" && begin wait soft "placeholder-timeout: 0:30" &&
	wait_for 20 "test \$(squeue -h -r -t CF | wc -l) = 3" && wait_cycles &&
	job_is $driver PENDING && test "$(gang_record $driver phase)" = starting &&
	one=$(executor wait --gres=tape:2) && wait_cycles && job_is $one PENDING && rm "$slurm_dir/n2.busy" &&
	wait_for 20 all_in RUNNING $driver $one && n_kept 1 && clear_cluster
'
test_expect_success '1.18 1.41 1.44 soft: in time it starts with what is ready' '
	touch "$slurm_dir/n2.busy" && begin soft soft "placeholder-timeout: 0:06" &&
	wait_for 20 "test \$(squeue -h -r -t CF | wc -l) = 3" &&
	wait_for 20 "test \$(ended soft timeout) -ge 1" &&
	rm "$slurm_dir/n2.busy" && wait_state $driver RUNNING &&
	one=$(executor soft --gres=tape:2) &&
	wait_state $one RUNNING && clear_cluster
'
test_expect_success '1.45 1.46 1.47 1.48 1.49 hard: in time it fails, and all its members end' '
	touch "$slurm_dir/n2.busy" && begin hard hard "placeholder-timeout: 0:06" &&
	wait_for 20 "test \$(squeue -h -r -t CF | wc -l) = 3" &&
	wait_state $driver CANCELLED && wait_for 10 "test \$(ended hard timeout) = 3" &&
	squeue -h -t all -j $driver -o %r | grep "not ready in time" &&
	rm "$slurm_dir/n2.busy" && wait_for 20 queue_empty &&
	wait_for 20 nodes_idle
'
test_expect_success '1.43 the time does not begin before the first has its nodes' '
	busy=$(submit -N3 --exclusive -t5) && wait_state $busy RUNNING &&
	begin queue hard "placeholder-timeout: 0:05" && passes 6 &&
	job_is $driver PENDING && scancel $busy && wait_state $driver RUNNING &&
	n_kept 2 && clear_cluster
'
test_expect_success '1.8 a total that is never there is refused' '
	sed "s/min: 2/min: 9/; s/-N1,/-N1, --exclusive,/" hard.yaml >large.yaml &&
	test_must_fail "$sgang" submit large.yaml 2>err; cat err &&
	grep "can never start" err && queue_empty
'
test_expect_success '1.7 1.8 1.16 a total above a limit of any level is refused, with both numbers' '
	acct modify account upper set GrpTRES=cpu=5 && knows assoc cpu=5 &&
	beyond "GrpTRES=cpu=5 of account upper, they need cpu=6" &&
	acct modify account upper set GrpTRES=cpu=6 && knows assoc cpu=6 &&
	begin fits soft && wait_state $driver RUNNING && clear_cluster &&
	limit 2 && beyond "GrpJobs=2 of account joint, they need jobs=3" &&
	limit 9 && acct modify user root set MaxJobs=2 &&
	knows assoc MaxJobs=2 &&
	beyond "MaxJobs=2 of user root, they need jobs=3" &&
	acct modify user root set MaxJobs=-1 && knows assoc "MaxJobs= "
'
test_expect_success '1.8 ... and of a QOS' '
	acct modify qos normal set MaxTRESPerUser=gres/tape=3 &&
	knows qos gres/tape=3 &&
	beyond "MaxTRESPerUser=gres/tape=3 of QOS normal, they need gres/tape=4" &&
	acct modify qos normal set MaxTRESPerUser=gres/tape=4 GrpJobs=3 &&
	knows qos GrpJobs=3 && limit 2 && begin fits soft &&
	wait_state $driver RUNNING && clear_cluster && limit 9 &&
	acct modify qos normal set MaxTRESPerUser=gres/tape=-1 GrpJobs=-1
'
test_expect_success '1.10 partitions without placeholders' '
	gang_setting PartitionPlaceholders plain:no &&
	sed "s/-N1,/-N1, -pplain,/" hard.yaml >plain.yaml &&
	test_must_fail "$sgang" submit plain.yaml 2>err; cat err &&
	grep "PartitionPlaceholders=plain:no" err && queue_empty &&
	begin fine soft && wait_state $driver RUNNING && clear_cluster
'
test_expect_success '1.4 sacct shows them, and none has run' '
	sacct -n -P -a -X -S now-1hour -o JobName,State,Elapsed >rows &&
	grep "^executor.placeholder|CANCELLED" rows | tail -n 3 &&
	! grep "placeholder|COMPLETED" rows
'
test_expect_success '1.1 no placeholder was launched' 'no_placeholder_launched'
last_case 'nothing_left "No fed_mgr state file"'
