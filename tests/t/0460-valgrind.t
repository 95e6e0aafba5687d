#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0460-valgrind.t - slurmctld under valgrind, with SGANG_VALGRIND=1

test_description='No invalid access and no leak of ours in slurmctld'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

test -n "$SGANG_VALGRIND" || skip_test 'SGANG_VALGRIND is not set'
needs valgrind

slurm_setup -n 4 -c 8 --gang --topology \
	"$top_srcdir/tests/data/pods-2x2x4.conf" --gres Name=gpu \
	--conf "SlurmdTimeout=300
GresTypes=gpu
MaxNodeCount=6
KillWait=2
$(partition_prio main=1 high=10 grace=1,GraceTime=40 firm=1,PreemptMode=OFF)" \
	--gang-conf 'NodeTopology=n[1-4] Hwloc=two.xml'
cp "$top_srcdir/tests/data/two-islands.xml" "$slurm_dir/etc/two.xml"
sed -i 's/n\[5-8\]/n4/; s/n\[1-4\]/n[1-3]/; /l[34]\|p2/d; s/p\[1-2\]/p1/' \
	"$slurm_dir/etc/topology.conf"
sed -i '/^NodeName=n\[1/s/$/ Gres=gpu:8/' "$SLURM_CONF"
mkdir "$slurm_dir/dev" && touch "$slurm_dir"/dev/gpu{0..7}
printf 'Name=gpu File=%s Cores=%s\n' "$slurm_dir/dev/gpu[0-3]" 0-3 \
	"$slurm_dir/dev/gpu[4-7]" 4-7 >"$slurm_dir/etc/gres.conf"
echo "MetricsFile=$slurm_dir/metrics" >>"$slurm_dir/etc/gang.conf"
gate_setup
slurm_start

gang_script gang

gather() { gang_of_nodes $1 $2 gang.sh; }

# Later releases make a new process for it, in which valgrind is not.
read_again()
{
	if slurm_release 22.05; then
		scontrol reconfigure && wait_for 20 slurm_ctld_answers
	else
		ctld_restarts
	fi
}

test_expect_success 'a gang of jobs waits, and starts' '
	busy=$(run_job -N 2 --exclusive gang.sh) &&
	gather waits 4 &&
	wait_for 20 gang_attempted ${members[0]} 2 &&
	touch gang.go &&
	wait_state $busy COMPLETED &&
	wait_for 60 all_in COMPLETED ${members[@]}
'
test_expect_success 'a gang of array tasks and a gang of one' '
	array=$(submit -N 1 --exclusive --array=1-3 --gang=array \
		--gang-min-member=3 gang.sh) &&
	one=$(submit -N 2 --exclusive --gang=one --gang-min-member=1 gang.sh) &&
	wait_for 60 all_in COMPLETED ${array}_{1,2,3} $one
'
test_expect_success 'a held member is cancelled, the rest rolled back' '
	gate_close &&
	gather held 3 &&
	wait_for 30 all_in CONFIGURING ${members[@]} &&
	scancel ${members[0]} &&
	wait_for 20 all_in PENDING ${members[1]} ${members[2]} &&
	gate_open &&
	scancel ${members[1]} ${members[2]}
'
test_expect_success 'members hold, time out, and go on when one is released' '
	busy=$(submit -N 2 --exclusive) &&
	wait_state $busy RUNNING 30 &&
	gang_of_nodes loose 3 --gang-mode=nonstrict --gang-waiting-time=1-0 \
		gang.sh &&
	wait_for 40 all_in CONFIGURING ${members[0]} ${members[1]} &&
	echo MaxWaitingTime=0:01 >>"$slurm_dir/etc/gang.conf" &&
	read_again &&
	wait_for 40 squeue_says ${members[2]} GangTimeout &&
	scancel $busy &&
	wait_state $busy CANCELLED &&
	sed -i /^MaxWaitingTime=/d "$slurm_dir/etc/gang.conf" &&
	read_again &&
	scontrol release ${members[2]} &&
	wait_for 60 all_in COMPLETED ${members[@]}
'
test_expect_success 'a group starts; one of a gang is lost and the gang ends' '
	first=$(sbatch --parsable -H --gang=whole --gang-min-member=2 \
		-N 1 --exclusive --gang-on-failure=kill \
		--gang-groups=root/part --wrap="sleep 600") &&
	members=($first
		 $(submit -N 1 --exclusive --gang=whole)
		 $(submit -N 1 --exclusive --gang=part --gang-min-member=1 \
			--gang-groups=root/whole)) &&
	scontrol release $first &&
	wait_for 60 all_in RUNNING ${members[@]} &&
	scontrol requeue ${members[1]} &&
	wait_for 60 all_in CANCELLED ${members[0]} ${members[1]} &&
	scancel ${members[2]}
'
# 4.20, 4.24, 4.29, 4.37: members inside nodes, and what gangs ask of levels.
test_expect_success 'islands, policies of levels, communication groups' '
	half() { submit -N 1 -n 4 --mem=100 "$@" --wrap=true; } &&
	busy=$(submit -w n1 -N 1 -n 2 --mem=10 -t 1) &&
	wait_state $busy RUNNING 30 &&
	members=($(half --gang=inside --gang-min-member=2 \
			--gang-parallel=dp=2,tp=4:tp=100,dp=1)
		$(half --gang=inside)
		$(half --gang=apart --gang-min-member=2 \
			--gang-topology=spread:node --gang-exclusive=node)
		$(half --gang=apart)
		$(half --gang=near --gang-min-member=2 \
			--gang-topology=prefer:node@0:05)
		$(half --gang=near)
		$(submit -N 3 --exclusive --gang=auto --gang-min-member=1 \
			--gang-topology=auto --gang-run-time=1 --wrap=true)) &&
	never=$(half --gang=never --gang-min-member=1 -N 4 -n 4 \
		--gang-topology=require:leaf) &&
	wait_for 90 all_in COMPLETED ${members[@]} &&
	wait_for 20 "gang_record $never helps | grep never" &&
	scancel $never $busy
'
# Slurm would take more GPUs of their first nodes than the plan has there.
test_expect_success 'GPUs of jobs on several nodes' '
	members=$(submit -N 2 -n 2 -c 2 --gpus=8 --mem=400 --array=1-4 \
		--gang=gpus --gang-min-member=4 --wrap=true) &&
	wait_for 60 all_in COMPLETED ${members}_{1,2,3,4}
'
test_expect_success 'a user asks when a gang would start' '
	sbatch --test-only -N 1 --gang=when --gang-min-member=1 --wrap=true
'
test_expect_success 'members come late to a gang that is spread and alone' '
	members=($(submit -N 1 -n 1 --mem=100 --gang=late --gang-min-member=1 \
		--gang-topology=spread:node --gang-exclusive=leaf gang.sh)) &&
	rm -f gang.go &&
	wait_state ${members[0]} RUNNING 60 &&
	wait_for 20 "sinfo -h -N -O Extra:80 | grep late" &&
	for i in 1 2 3; do
		members+=($(submit -N 1 -n 1 --mem=100 --gang=late gang.sh)) ||
			return 1
	done &&
	wait_for 60 all_in RUNNING ${members[1]} ${members[2]} &&
	touch gang.go &&
	wait_for 60 all_in COMPLETED ${members[@]}
'
# 3.24 to 3.32: fill PARTITION...: an ordinary job on each node, in lows
fill()
{
	local node=0 partition

	clear_cluster || return 1
	lows=()
	for partition; do
		node=$((node + 1))
		lows+=($(submit -w n$node -p $partition --exclusive -N 1 \
			-t 10)) || return 1
	done
	test $# = 0 || wait_for 60 all_in RUNNING ${lows[@]}
}

# preempting NAME COUNT: a gang that preempts, in members
preempting() { gang_of_nodes $1 $2 -p high -t 10; }
ending() { wait_for 60 squeue_says ${members[0]} "preempted jobs are ending"; }

test_expect_success 'a gang preempts, and starts when the last grace is over' '
	fill main main grace firm &&
	preempting strikes 3 && ending &&
	read_again &&
	wait_for 120 all_in RUNNING ${members[@]} &&
	test "$(restarts_of ${lows[@]})" = 3
'
test_expect_success 'a claim is planned anew, and then given up' '
	fill grace grace grace grace &&
	preempting gives-up 2 && ending &&
	scontrol update nodename=n1 state=drain reason=test &&
	scontrol update nodename=n2 state=drain reason=test &&
	wait_for 60 "gang_log root/gives-up \"plans anew\"" &&
	ending &&
	scontrol update nodename=n[1-2] state=resume &&
	scancel ${members[@]} &&
	wait_for 60 "gang_log root/gives-up \"gives up its claim\"" &&
	all_in RUNNING ${lows[@]}
'
test_cleared 'a gang goes as a whole, each member in its own grace' '
	fill &&
	victims=($(submit -N 1 --exclusive --gang=taken --gang-min-member=3)
		 $(submit -N 1 --exclusive --gang=taken)
		 $(submit -N 1 --exclusive --gang=taken -p grace)) &&
	wait_for 60 all_in RUNNING ${victims[@]} &&
	preempting takes 4 && ending &&
	wait_for 120 all_in RUNNING ${members[@]} &&
	test "$(restarts_of ${victims[@]})" = 3 &&
	wait_for 60 "gang_log root/taken \"was preempted as a whole\""
'
# No switch of topology.conf has it, so Slurm starts nothing there.
test_expect_success 'a node comes and goes' '
	scontrol create nodename=n5 state=cloud nodeaddr=127.0.0.1 port=1 \
		cpus=8 realmemory=1000 &&
	gather comes 2 && wait_for 60 all_in COMPLETED ${members[@]} &&
	scontrol delete nodename=n5 &&
	gather goes 2 && wait_for 60 all_in COMPLETED ${members[@]}
'
test_expect_success 'what it did is counted' '
	wait_for 30 "grep -q ^slurm_gang_starts_total \"\$slurm_dir/metrics\"" &&
	"$top_builddir/src/cmd/sgang" metrics >metrics &&
	grep -q slurm_gang_starts_total metrics
'
test_expect_success 'the files are read again while a gang gathers' '
	gather gathers 3 &&
	scancel ${members[2]} &&
	read_again &&
	echo "HopCosts=9,1" >"$slurm_dir/etc/gang.conf" &&
	read_again &&
	echo "NodeTopology=n[1-4] Hwloc=none.xml" >"$slurm_dir/etc/gang.conf" &&
	read_again &&
	: >"$slurm_dir/etc/gang.conf" &&
	read_again &&
	scancel -u root
'
# 4.27
test_expect_success 'a partition has a topology of its own, then a wrong one' '
	topologies=$(realpath "$top_srcdir/tests/data/two-topologies.yaml") &&
	for topology in racks cages racks; do
		printf "%s\n" "TopologyFile=\"$topologies\"" \
			PartitionTopology=main:$topology \
			"NodeTopology=n[1-4] Hwloc=two.xml" \
			>"$slurm_dir/etc/gang.conf" &&
		read_again && gather $topology 2 &&
		wait_for 60 all_in COMPLETED ${members[@]} || return 1
	done &&
	"$top_builddir/src/cmd/sgang" topology --partition=main | grep low
'
test_expect_success 'nothing is left' '
	nothing_left "switches lack access" "lookup failure for node .n5" \
		"gang: .*stay as they were" \
		"gang: .*inside nodes stays as it was" \
		"gang: .*has the topology of the cluster" \
		"gang: .*gangs and placement are off" \
		"slurm_msg_sendto: .*Socket timed out"
'
test_expect_success 'slurmctld ends and valgrind has seen nothing of ours' '
	slurm_stop_ctld &&
	wait_for 30 grep -q "ERROR SUMMARY" "$slurm_dir"/log/valgrind.*.log &&
	reports=$(grep -l "ERROR SUMMARY" "$slurm_dir"/log/valgrind.*.log) &&
	ours=$(cd "$top_srcdir" &&
		printf "|%s" src/core/*.c src/files/*.c src/slurm/*.c \
			src/plugins/select/*.c src/plugins/job_submit/*.c |
			sed "s,src/[^|]*/,,g; s,[.]c,[.]c,g; s,^|,,") &&
	for report in $reports; do
		grep "definitely lost:\|ERROR SUMMARY" "$report"
		! awk "
			/Invalid (read|write|free)|uninitialised|definitely lost in/ {
				bad = 1
				text = \"\"
			}
			bad { text = text \$0 \"\n\" }
			bad && /(Invalid|uninitialised)/ { always = 1 }
			bad && (/==[0-9]+== \$/) {
				if (always || text ~ /sgang_|[(]($ours):/)
					printf \"%s\", text
				bad = always = 0
			}" "$report" | grep . || return 1
	done
'

test_done
