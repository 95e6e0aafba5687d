#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0373-preempt.t - a gang preempts: whole, the least harm, and keeps what it freed,
# whatever users and nodes do meanwhile

test_description='A gang preempts all that it takes, or nobody; each claim ends'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang --conf \
"$quick_sched
KillWait=2
PartitionName=left Nodes=n[1-2] MaxTime=INFINITE State=UP PriorityTier=10
PartitionName=right Nodes=n[3-4] MaxTime=INFINITE State=UP PriorityTier=10
$(partition_prio main=1 mid=5 high=10 grace=1,GraceTime=8 \
	firm=1,PreemptMode=OFF)"
users_setup
slurm_start
sgang=$(checked_sgang "$slurm_dir/lib/sgang")

# Who has the ordinary jobs, and who the gangs; nobody: root
has_lows= has_gangs=

# low NODE PARTITION [OPTIONS...]: an ordinary job on that node alone
low() { by=$has_lows submit_by -w $1 -p $2 --exclusive -N1 -t 10 "${@:3}"; }

# gang NAME COUNT [OPTIONS...]: members of one node each, in the array members
gang() { by=$has_gangs gang_of_nodes $1 $2 -t 10 "${@:3}"; }

# fill PARTITION: a job on each node, in the array lows
fill()
{
	local node

	clear_cluster || return 1
	lows=()
	for node in n1 n2 n3 n4; do
		lows+=($(low $node $1)) || return 1
	done
	wait_for 15 all_in RUNNING ${lows[@]}
}

# How many of these jobs run now
running() { squeue -h -t R -j "$(IFS=,; echo "$*")" -o %i | wc -l; }

# The gang has been tried again and again.
tried() { wait_for 60 gang_attempted ${members[0]} 3; }

# ran_on JOB SECONDS: it runs on for so long from now
ran_on()
{
	local until=$(($(date +%s) + $2))

	wait_for $(($2 + 20)) "test \$(date +%s) -ge $until" &&
		all_in RUNNING $1
}

test_expect_success '3.24, 3.29, 3.30: three of four go for a gang of three' '
	fill main &&
	gang a 3 -p high &&
	start_together 20 ${members[@]} &&
	test "$(running ${lows[@]})" = 1 &&
	gang_log root/a "preempts job" >log && test "$(wc -l <log)" = 3 &&
	test "$(restarts_of ${lows[@]})" = 3 &&
	drop ${lows[@]} ${members[@]}
'
test_expect_success '3.24: of two partitions without a common node one goes in each' '
	fill main &&
	members=($(submit -p left --exclusive -N1 -t 10 --gang=apart \
			--gang-min-member=2)
		$(submit -p right --exclusive -N1 -t 10 --gang=apart)) &&
	start_together 20 ${members[@]} &&
	gang_log root/apart "preempts job" >log && test "$(wc -l <log)" = 2 &&
	drop ${lows[@]} ${members[@]}
'
test_expect_success '1.58, 3.24: the same for one that is an array' '
	fill main &&
	array=$(submit -N1 --exclusive -t 10 -p high --array=1-3 --gang=tasks \
		--gang-min-member=3) &&
	wait_for 20 "test \"\$(squeue -h -r -t R -j $array | wc -l)\" = 3" &&
	gang_log root/tasks "starting 3/3 members" &&
	test "$(running ${lows[@]})" = 1 &&
	test "$(restarts_of ${lows[@]})" = 3 &&
	drop ${lows[@]} $array
'
test_expect_success '3.30, 4.11: of a nonstrict gang two go' '
	clear_cluster && gang loose 4 -p main --gang-mode=nonstrict &&
	loose=(${members[@]}) &&
	wait_for 20 all_in RUNNING ${loose[@]} &&
	gang two 2 -p high &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	test "$(running ${loose[@]})" = 2 &&
	drop ${loose[@]} ${members[@]}
'
test_expect_success '3.29: all or nobody: one of the nodes cannot be had' '
	fill main &&
	scancel ${lows[3]} &&
	wait_for 15 "test \"\$(nodes_in idle)\" = 1" &&
	firm=$(low n4 firm) && wait_state $firm RUNNING &&
	gang b 4 -p high &&
	tried &&
	$sgang explain root/b | grep -F "Preempts=nobody: it would not fit without the 3 jobs" &&
	test "$(running ${lows[@]:0:3} $firm)" = 4 &&
	drop ${lows[@]} ${members[@]} $firm
'
test_expect_success '3.29: --gang-preempt=no' '
	fill main &&
	gang c 2 -p high --gang-preempt=no &&
	tried &&
	wait_for 10 "test -n \"\$(gang_record ${members[0]} would)\"" &&
	$sgang explain --json root/c >explained &&
	[[ $(gang_record ${members[0]} victims) =~ ^([0-9]+):root,([0-9]+):root$ ]] &&
	grep -F "nobody: --gang-preempt=no; it would preempt 2 jobs, root\
 ${BASH_REMATCH[1]} and ${BASH_REMATCH[2]}, on $(gang_record ${members[0]} would)" \
		explained &&
	test "$(scontrol show hostnames "$(gang_record ${members[0]} would)" |
		wc -l)" = 2 &&
	test "$(running ${lows[@]})" = 4 &&
	scancel ${lows[0]} ${lows[1]} &&
	wait_for 15 all_in RUNNING ${members[@]} &&
	drop ${lows[@]} ${members[@]}
'
test_expect_success '3.32: what was freed is kept while the last victim ends' '
	clear_cluster &&
	lows=($(low n1 main) $(low n2 main) $(low n3 grace) $(low n4 firm)) &&
	wait_for 15 all_in RUNNING ${lows[@]} &&
	gang d 3 -p high &&
	wait_for 15 squeue_says ${members[0]} "preempted jobs are ending" &&
	$sgang explain root/d >explained &&
	grep -F "Preempts=jobs ${lows[0]} (root), ${lows[1]} (root), ${lows[2]} (root)" \
		explained &&
	grep -F "for n[1-3] since" explained &&
	other=$(submit -p mid -N1 --exclusive -t 1) &&
	small=$(submit -p main -N1 --exclusive -t 1) &&
	start_together 30 ${members[@]} &&
	all_in PENDING $other $small &&
	drop ${lows[@]} ${members[@]} $other $small
'
test_expect_success '3.29: a gang that is cancelled gives its claim up' '
	clear_cluster &&
	lows=($(low n1 main) $(low n2 main) $(low n3 grace) $(low n4 firm)) &&
	wait_for 15 all_in RUNNING ${lows[@]} &&
	gang e 3 -p high &&
	wait_for 15 squeue_says ${members[0]} "preempted jobs are ending" &&
	small=$(submit -p main -N1 --exclusive -t 5) &&
	scancel ${members[@]} &&
	wait_state $small RUNNING 15 &&
	wait_for 15 gang_log root/e "gives up its claim" &&
	ran_on ${lows[2]} 12 &&
	all_in RUNNING ${lows[3]} &&
	drop ${lows[@]} $small
'
test_expect_success '3.29, 4.11: a gang goes as a whole, and starts again whole' '
	clear_cluster &&
	gang low 3 && lowgang=(${members[@]}) &&
	wait_for 15 all_in RUNNING ${lowgang[@]} &&
	gang f 2 -p high &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	none_in RUNNING ${lowgang[@]} &&
	wait_for 20 all_in PENDING ${lowgang[@]} &&
	test "$(restarts_of ${lowgang[@]})" = 3 &&
	wait_for 10 "$sgang show root/low | grep -q Phase=Waiting" &&
	scancel ${members[@]} &&
	start_together 180 ${lowgang[@]} &&
	drop ${lowgang[@]}
'
test_expect_success '3.24: a single job goes before a gang' '
	clear_cluster &&
	gang low2 2 && lowgang=(${members[@]}) &&
	wait_for 15 all_in RUNNING ${lowgang[@]} &&
	lows=($(submit -N1 --exclusive -t 10) $(submit -N1 --exclusive -t 10)) &&
	wait_for 15 all_in RUNNING ${lows[@]} &&
	gang g 2 -p high &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	all_in RUNNING ${lowgang[@]} &&
	drop ${lowgang[@]} ${lows[@]} ${members[@]}
'
test_expect_success '1.17: members above the minimum go before other jobs' '
	clear_cluster &&
	gang_of_nodes ext 3 -t 10 --gang-min-member=1 --gang-total-number=3 &&
	lowgang=(${members[@]}) &&
	wait_for 15 all_in RUNNING ${lowgang[@]} &&
	single=$(run_job -N1 --exclusive -t 10) &&
	gang h 2 -p high &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	test "$(running ${lowgang[@]})" = 1 &&
	all_in RUNNING $single &&
	drop ${lowgang[@]} $single ${members[@]}
'
test_expect_success 'nothing is left so far' 'nothing_left'

# --- users and nodes do what they can against a claim ---

ctld=$(slurm_pid slurmctld) has_lows=$bob has_gangs=$alice

# Two have gone for the gang of three, the third has its grace, and another job
# waits for any node.
claims()
{
	clear_all &&
	lows=($(low n1 main) $(low n2 main) $(low n3 grace)) &&
	firm=$(low n4 firm) &&
	wait_for 15 all_in RUNNING ${lows[@]} $firm &&
	other=$(submit_as $bob -N1 --exclusive -t 1 -J other) &&
	gang $alice/$1 3 -p high &&
	wait_for 20 squeue_says ${members[0]} "preempted jobs are ending" &&
	wait_for 20 all_in PENDING ${lows[0]} ${lows[1]}
}

same_ctld() { test "$(slurm_pid slurmctld)" = "$ctld"; }

claimed()
{
	local id

	for id in ${members[@]}; do
		test -z "$(gang_record $id claim)" || return 0
	done
	return 1
}

runs_whole()
{
	start_together 60 ${members[@]} &&
	all_in PENDING $other && ! claimed && same_ctld
}

# Without the gang the rest goes on: nothing is kept.
others_go_on()
{
	scancel ${members[@]} && wait_for 30 all_in RUNNING $other && same_ctld
}

show()
{
	squeue -o "%i %u %j %P %T %r %N" >&2
	return 1
}

test_expect_success '3.24: what jobs say of checkpoints that cannot be is not believed' '
	clear_all &&
	lows=($(low n1 main) $(low n2 main)) &&
	wait_for 15 all_in RUNNING ${lows[@]} &&
	old=$(started_at ${lows[1]}) &&
	wait_for 15 "test \$(date +%s) -gt $((old + 4))" &&
	lows+=($(low n3 main) $(low n4 main)) &&
	wait_for 15 all_in RUNNING ${lows[@]} &&
	as $bob scontrol update JobId=${lows[0]} Comment=ckpt=$(($(date +%s) + 999999)) &&
	as $bob scontrol update JobId=${lows[1]} Comment=ckpt=2199-01-01T00:00:00 &&
	gang $alice/lies 2 -p high &&
	wait_for 30 all_in RUNNING ${members[@]} &&
	all_in RUNNING ${lows[0]} ${lows[1]} && same_ctld || show
'
test_expect_success '3.24: nonsense about checkpoints' '
	for text in ckpt= ckpt=-1 ckpt=%s%n%s ckpt=99999999999999999999999999 \
		"ckpt=$(printf "%500s" | tr " " 9)" ckpt=2026-13-45T99:99:99 \
		"ckpt=1 ckpt=2 claim=n[1-4] claimed=1" "ckpt=n[1-"; do
		as $bob scontrol update JobId=${lows[0]} Comment="$text" &&
		as $alice scontrol update JobId=${members[0]} Comment="$text" ||
			return 1
	done &&
	gang $alice/more 1 -p high && wait_for 30 all_in RUNNING ${members[@]} && same_ctld || show
'

# What the user of the victim does to it; Slurm may refuse.
n=0
for what in requeue hold requeuehold release cancel \
	"update TimeLimit=1 JobId=" "update Comment=ckpt=9999999999 JobId=" \
	"update Requeue=0 JobId=" "update Partition=firm JobId="; do
	n=$((n + 1))
	test_expect_success "3.30, 3.32: the user of the victim: $what" '
		claims v$n &&
		case $what in
		cancel) as $bob scancel ${lows[2]} ;;
		update*) as $bob scontrol ${what}${lows[2]} || : ;;
		*) as $bob scontrol $what ${lows[2]} || : ;;
		esac &&
		runs_whole && others_go_on || show
	'
done

# What the owner does to a member. The gang starts, or its claim ends.
for what in "Partition=main" "Features=none" "Priority=1" "Nice=1000" \
	"NumNodes=2" "ReqNodeList=n4" "ExcNodeList=n1" "Dependency=afterany:1" \
	"StartTime=now+1hour" "TimeLimit=1" hold cancel requeue; do
	n=$((n + 1))
	test_expect_success "3.29, 3.32: the owner of the gang: $what" '
		claims o$n &&
		case $what in
		cancel) as $alice scancel ${members[1]} ;;
		*=*) as $alice scontrol update JobId=${members[1]} $what || : ;;
		*) as $alice scontrol $what ${members[1]} || : ;;
		esac &&
		wait_for 60 "all_in RUNNING \${members[*]} || ! claimed" &&
		others_go_on || show
	'
done

# It is not claimed once n1 is in that state; a late answer of its slurmd may have
# returned it to service.
unclaimed_if()
{
	scontrol update NodeName=n1 State=$1 Reason=test && ! claimed
}

# Long before the victim has ended, on a busy machine, too.
scontrol update PartitionName=grace GraceTime=300
for state in DOWN DRAIN; do
	test_expect_success "3.32: a node of the claim is set to $state" '
		test_when_finished "scontrol update NodeName=n1 State=RESUME || :" &&
		claims node-${state,,} &&
		wait_for 40 unclaimed_if $state && wait_for 40 all_in RUNNING $other &&
		same_ctld || show
	'
done
test_expect_success '3.32: a node of the claim dies' '
	claims ndies &&
	slurm_kill_node n1 && scontrol update NodeName=n1 State=DOWN Reason=dead &&
	wait_for 40 "! claimed" && wait_for 40 all_in RUNNING $other &&
	slurm_start_node n1 &&
	{ scontrol update NodeName=n1 State=RESUME || :; } &&
	same_ctld || show
'
scontrol update PartitionName=grace GraceTime=8
test_expect_success '3.32: scontrol reconfigure in the grace' '
	claims reconf && scontrol reconfigure && wait_for 15 slurm_ctld_answers &&
	start_together 60 ${members[@]} && all_in PENDING $other &&
	test "$(restarts_of ${lows[@]})" = 3 || show
'
last_case 'leave_nothing'
