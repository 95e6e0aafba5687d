#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0370-guards.t - what an attempt must not do to others, nor others to a hold

test_description='Attempts have no side effects; holds cannot be suspended'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 4 --gang --node 'Sockets=2 CoresPerSocket=2' --conf \
'PreemptType=preempt/partition_prio
PreemptMode=CANCEL
PartitionName=low Nodes=n[1-4] State=UP MaxTime=INFINITE PriorityTier=1
PartitionName=high Nodes=n[1-4] State=UP MaxTime=INFINITE PriorityTier=10
PartitionName=main Nodes=ALL Default=YES State=UP MaxTime=INFINITE
Licenses=lic:1'
gate_setup
: >mails
cat >"$slurm_dir/etc/mail" <<END
#!/bin/bash
echo "\$*" >>"$PWD/mails"
END
chmod 755 "$slurm_dir/etc/mail"
sed -i "s,^MailProg=.*,MailProg=$slurm_dir/etc/mail," "$SLURM_CONF"
slurm_start

began() { grep -c Began mails; }

# A member of gang $1 in the partition above all others. There is one licence.
high() { submit -p high --mem=10 --gang=$1 --gang-min-member=2 "${@:2}"; }

test_expect_success '2.27 a gang that cannot start preempts nobody' '
	on_nodes "n1 n2 n3 n4" -p low -n 2 -B 1:2 -m block:block &&
	low=(${jobs[@]}) &&
	layout="-N 1 -n 2 -B 2:1:1 --ntasks-per-socket=1 -L lic:1" &&
	members=($(high greedy $layout) $(high greedy $layout)) &&
	wait_for 20 gang_attempted ${members[0]} 2 &&
	all_in RUNNING ${low[@]} &&
	! grep preempted "$slurm_dir/log/slurmctld.log" &&
	end_now ${members[@]} ${low[@]}
'

test_expect_success '2.27 an attempt that is rolled back sends no mail' '
	: >mails &&
	members=($(high mail -N 1 -L lic:1 --mail-type=BEGIN)
		 $(high mail -N 1 -L lic:1 --mail-type=BEGIN)) &&
	wait_for 20 gang_attempted ${members[0]} 2 &&
	test "$(began)" = 0 &&
	scontrol update jobid=${members[1]} licenses= &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	wait_for 10 "test \$(began) = 2" &&
	end_now ${members[@]}
'

test_expect_success '0.1 a held member cannot be suspended' '
	gang_script pause &&
	gate_close &&
	gang_of_nodes pause 3 pause.sh &&
	wait_for 10 all_in CONFIGURING ${members[@]} &&
	! scontrol suspend ${members[1]} &&
	all_in CONFIGURING ${members[@]} &&
	gate_open &&
	start_together 10 ${members[@]} &&
	let_end pause ${members[@]} &&
	ran_once pause 3
'

test_expect_success '4.4 features with counts are judged by Slurm' '
	for i in 1 2; do
		scontrol update nodename=n$i availablefeatures=a \
			activefeatures=a || return 1
	done &&
	for i in 3 4; do
		scontrol update nodename=n$i availablefeatures=b \
			activefeatures=b || return 1
	done &&
	submit_gang count 2 -N 2 --exclusive -C "[a*1&b*1]" &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	for id in ${members[@]}; do
		scontrol show hostnames "$(job_field $id NodeList)" >nodes &&
		test "$(grep -c "n[12]" nodes)" = 1 &&
		test "$(grep -c "n[34]" nodes)" = 1 || return 1
	done &&
	scancel ${members[@]}
'

# Stock Slurm waits two minutes before a job whose prolog failed may run again.
test_expect_success '2.13 a member whose prolog fails is not run every second' '
	cat >"$slurm_dir/etc/gate" <<-END &&
	#!/bin/bash
	echo \$SLURM_JOB_ID >>"$PWD/prologs"
	test "\$SLURM_JOB_ID" != "\$(cat "$PWD/bad")"
	END
	gang_of_nodes prolog 2 -H &&
	echo ${members[1]} >bad &&
	scontrol release ${members[@]} &&
	wait_for 20 squeue_says ${members[1]} BeginTime &&
	test "$(grep -cx ${members[1]} prologs)" -le 3 &&
	scancel ${members[@]}
'

last_case 'nothing_left "prolog exit status" "specified more than once"'
