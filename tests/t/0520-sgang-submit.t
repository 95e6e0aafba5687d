#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0520-sgang-submit.t - a whole gang from one file, on a cluster
#
# What is in such a file and what is wrong with one: 0121-sgang-submit-file.t.

test_description='sgang submit starts all roles of a gang, or submits nothing'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang \
	--conf 'PartitionName=side Nodes=n4 MaxTime=INFINITE State=UP'
slurm_start

sgang=$top_builddir/src/cmd/sgang
gang_script role

# Submit it; the ids are in $ids then, in the order of the file.
submit_file()
{
	"$sgang" submit "$@" >out 2>err && test_must_be_empty err &&
		ids=$(sed -n 's/^JobId=\([0-9]*\) .*/\1/p' out)
}

# Slurm knows as many jobs as before, and none that waits or runs.
nothing_new()
{
	queue_empty
}

cat >train.yaml <<'END'
gang: train
options: [--output=/dev/null]
roles:
  - name: driver
    order: 0
    options: [--nodes=1, --exclusive]
    script: role.sh
  - name: worker
    count: 2
    array: yes
    options: [-n1]
    script: role.sh
  - name: logger
    options: [--partition=side, -n1, "--comment=the fourth"]
    command: "sleep 3600"
END

test_expect_success 'all roles start together' '
	submit_file train.yaml &&
	set -- $ids &&
	test $# = 3 &&
	tail -n 1 out >last &&
	echo "submitted root/train: 4 members" | test_cmp - last &&
	wait_for 15 all_in RUNNING $1 ${2}_0 ${2}_1 $3 &&
	started_together $1 ${2}_0 ${2}_1 $3 &&
	test "$(job_field $1 JobName)" = driver &&
	test "$(job_field $3 Partition)" = side &&
	test "$(job_field $3 Comment)" = "the fourth" &&
	"$sgang" show train | grep " Members=4 MinMember=4 Total=4 "
'
test_expect_success 'sgang cancel ends them' '
	"$sgang" cancel train >out &&
	echo "cancelled root/train: 4 members" | test_cmp - out &&
	wait_for 15 nothing_new && wait_for 15 nodes_idle
'
test_expect_success 'a role that Slurm refuses: the others are taken back' '
	sed "s/partition=side/partition=none/" train.yaml >refused.yaml &&
	"$sgang" submit refused.yaml >out 2>err; test $? = 1 &&
	test_must_be_empty out &&
	grep "^sbatch: error: .*nvalid partition" err &&
	grep -x "sgang: role \"logger\" was refused; 2 jobs submitted before\
 were cancelled" err &&
	wait_for 15 nothing_new &&
	wait_for 15 nodes_idle
'
test_expect_success '0.20 a gang that is refused: not one job' '
	last=$(squeue -h -t all -o %A | sort -n | tail -n 1) &&
	sed "2i min-member: 99" train.yaml >never.yaml &&
	"$sgang" submit never.yaml 2>err; test $? = 1 &&
	grep "the gang can never start: its 99 members need" err &&
	grep "role \"driver\" was refused; nothing was submitted" err &&
	test "$(squeue -h -t all -o %A | sort -n | tail -n 1)" = $last
'
test_expect_success 'a dry run submits nothing, and its lines are good' '
	"$sgang" submit --dry-run train.yaml >lines &&
	nothing_new &&
	sh -e lines >ids &&
	set -- $(cat ids) &&
	wait_for 15 all_in RUNNING $1 ${2}_0 ${2}_1 $3 &&
	scancel "$@" && wait_for 15 nodes_idle
'

cat >two.yaml <<'END'
gang: ps
options: [--output=/dev/null, -n1]
roles:
  - {name: server, command: sleep 3600}
  - name: worker
    gang: workers
    count: 2
    min-member: 2
    mode: nonstrict
    options: [-wn4]
    command: sleep 3600
END

test_expect_success '0.30 roles in two gangs start together' '
	block=$(submit -N1 --exclusive -w n4) &&
	wait_state $block RUNNING &&
	submit_file two.yaml &&
	set -- $ids &&
	test $# = 3 &&
	for gang in ps:1:workers workers:2:ps; do
		IFS=: read -r name members other <<<"$gang"
		grep -x "submitted root/$name: $members members*" out &&
		"$sgang" show $name >shown &&
		grep " Groups=root/$other " shown || return 1
	done &&
	wait_for 10 gang_attempted $2 1 &&
	all_in PENDING "$@" &&
	scancel $block &&
	wait_for 15 all_in RUNNING "$@" &&
	scancel "$@" && wait_for 15 nodes_idle
'
test_expect_success 'nothing is left' 'nothing_left "invalid partition" \
	"gang: .*never start"'

test_done
