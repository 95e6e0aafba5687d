#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0378-preempt-qos.t - gangs preempt by QOS: modes, graces, exemption and limits

test_description='A gang preempts as the QOS of its victims say'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang --conf \
"$quick_sched
PreemptType=preempt/qos
PreemptMode=REQUEUE
KillWait=2
Licenses=lic:4"
slurmdbd_setup 'AccountingStorageEnforce=associations,limits,qos'
acct add qos low,killed,gracy,exempt,mid,high,peruser,peracct
acct modify qos low set Priority=5
acct modify qos killed set Priority=5 PreemptMode=cancel
acct modify qos gracy set Priority=5 GraceTime=5
acct modify qos exempt set Priority=5 PreemptExemptTime=00:00:20
acct modify qos mid set Priority=50 Preempt=low
acct modify qos high set Priority=100 Preempt=low,killed,gracy,exempt,mid
acct modify qos peruser set Priority=100 Preempt=low MaxTRESPerUser=node=2
acct modify qos peracct set Priority=100 Preempt=low MaxTRESPerAccount=node=2
acct add account lab
acct add account few GrpTRES=cpu=4
acct add account jobs GrpJobs=4
acct add account nodes GrpTRES=node=2
acct add user root account=lab,few,jobs,nodes defaultaccount=lab
acct modify user root set \
	qos=normal,low,killed,gracy,exempt,mid,high,peruser,peracct
slurm_start

low() { submit -w $1 --qos=$2 --exclusive -N1 -t 10 "${@:3}"; }

# fill QOS [OPTIONS...]: a job on each node, in the array lows
fill()
{
	local node

	clear_cluster || return 1
	lows=()
	for node in n1 n2 n3 n4; do
		lows+=($(low $node "$@")) || return 1
	done
	wait_for 15 all_in RUNNING ${lows[@]}
}

# gang NAME COUNT QOS [OPTIONS...]: members of one node each, in members
gang() { gang_of_nodes $1 $2 -t 10 --qos="${@:3}"; }

running() { squeue -h -t R -j "$(IFS=,; echo "$*")" -o %i | wc -l; }

# Why the gang preempts nobody, as its record says.
spares() { test "$(gang_record ${members[0]} preempts)" = "$1"; }

# still SECONDS CONDITION: it holds so long
still()
{
	local until=$(($(date +%s) + $1))

	while test $(date +%s) -lt $until; do
		eval "$2" || { echo "no more: $2" >&2; squeue >&2; return 1; }
		sleep 0.5
	done
}

# When the gang began to preempt, in seconds since the epoch.
struck_at()
{
	local line

	line=$(gang_log $1 "preempts job" | head -n 1) && test -n "$line" &&
		line=${line#[} && date -d "${line%%]*}" +%s
}

test_expect_success '3.30: the mode is that of the QOS of the victim' '
	clear_cluster &&
	lows=($(low n1 killed) $(low n2 killed) $(low n3 low) $(low n4 low)) &&
	wait_for 15 all_in RUNNING ${lows[@]} &&
	gang modes 4 high &&
	start_together 20 ${members[@]} &&
	all_in PREEMPTED ${lows[0]} ${lows[1]} &&
	all_in PENDING ${lows[2]} ${lows[3]} &&
	test "$(restarts_of ${lows[2]} ${lows[3]})" = 2
'
test_expect_success '3.30, 3.32: the grace of the QOS, and victims that ignore SIGTERM' '
	fill gracy --wrap="trap \"\" TERM; while :; do sleep 1; done" &&
	gang grace 3 high &&
	wait_for 20 struck_at root/grace &&
	struck=$(struck_at root/grace) &&
	wait_for 40 all_in RUNNING ${members[@]} &&
	took=$(($(started_at ${members[0]}) - struck)) &&
	echo "# started $took s after the signal" &&
	test $took -ge 5 && test $took -le $((5 + 2 + 6)) &&
	test "$(running ${lows[@]})" = 1
'
test_expect_success '3.24: the end of an exemption is the moment, without any event' '
	fill exempt &&
	until=0 &&
	for id in ${lows[@]}; do
		at=$(($(started_at $id) + 20))
		test $at -le $until || until=$at
	done &&
	gang exempt 4 high &&
	wait_for 60 struck_at root/exempt &&
	struck=$(struck_at root/exempt) &&
	echo "# preempts $((struck - until)) s after the end" &&
	test $struck -ge $until && test $struck -le $((until + 4)) &&
	wait_for 15 all_in RUNNING ${members[@]}
'
test_expect_success '3.29: a limit stops the gang: nobody is touched' '
	fill low &&
	gang few 3 high -A few &&
	wait_for 20 squeue_says ${members[0]} AssocGrp &&
	still 8 "test \$(running \${lows[@]}) = 4" &&
	acct modify account few set GrpTRES=cpu=6 &&
	scontrol update PartitionName=main State=UP &&
	wait_for 40 all_in RUNNING ${members[@]} &&
	test "$(running ${lows[@]})" = 1
'
# Whatever it does, nobody ends for a gang that cannot start.
starts_or_spares()
{
	local slurm_patience=1

	wait_for 12 all_in RUNNING ${members[@]} 2>/dev/null ||
		still 5 'test $(running ${lows[@]}) = 4'
}
test_expect_success '3.29: its victims count against the same limit' '
	fill low -A jobs &&
	gang jobs 3 high -A jobs &&
	starts_or_spares && squeue -o "%i %T %r"
'
# Nodes of a limit are counted when they are known.
test_expect_success '3.29: a limit of nodes stops the gang: nobody is touched' '
	fill low &&
	gang nodes 3 high -A nodes &&
	wait_for 20 spares limit &&
	still 8 "test \$(running \${lows[@]}) = 4"
'
# Two members that need two nodes each, which nothing counts before they have a
# place.
for qos in peruser peracct; do
	test_expect_success "3.29: nodes of a QOS, $qos: nobody is touched" '
		fill low &&
		submit_gang $qos 2 -n4 -t 10 --qos=$qos &&
		wait_for 20 spares limit &&
		still 8 "test \$(running \${lows[@]}) = 4" &&
		acct modify qos $qos set MaxTRESPerUser=node=4 \
			MaxTRESPerAccount=node=4 &&
		scontrol update PartitionName=main State=UP &&
		wait_for 40 all_in RUNNING ${members[@]}
	'
done
test_expect_success '3.29: licences are missing for all: nobody is touched' '
	clear_cluster &&
	holder=$(low n4 normal -L lic:2) &&
	lows=($(low n1 low) $(low n2 low) $(low n3 low)) &&
	wait_for 15 all_in RUNNING ${lows[@]} $holder &&
	gang lics 3 high -L lic:1 &&
	wait_for 20 spares limit &&
	still 8 "test \$(running \${lows[@]}) = 3" &&
	scancel $holder &&
	wait_for 40 all_in RUNNING ${members[@]}
'
test_expect_success '3.29: its victims have the licences' '
	fill low -L lic:1 &&
	gang lics2 3 high -L lic:1 &&
	starts_or_spares && squeue -o "%i %T %r"
'
test_expect_success '3.29, 4.11: three classes of gangs: no ping-pong' '
	clear_cluster &&
	gang bottom 4 low && bottom=(${members[@]}) &&
	wait_for 15 all_in RUNNING ${bottom[@]} &&
	gang middle 4 mid && middle=(${members[@]}) &&
	wait_for 20 all_in RUNNING ${middle[@]} &&
	gang top 4 high &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	still 30 "all_in RUNNING ${members[*]}" &&
	all_in PENDING ${bottom[@]} ${middle[@]} &&
	test "$(restarts_of ${members[@]})" = 0 &&
	for id in ${bottom[@]} ${middle[@]}; do
		test "$(restarts_of $id)" = 1 || return 1
	done
'
test_expect_success '3.29: gangs of one class do not preempt each other' '
	fill low &&
	gang one 3 high && one=(${members[@]}) &&
	gang two 3 high && two=(${members[@]}) &&
	wait_for 20 "all_in RUNNING ${one[*]} || all_in RUNNING ${two[*]}" &&
	still 15 "test \$(running ${one[*]} ${two[*]}) = 3 &&
		test \$(running ${lows[*]}) = 1" &&
	test "$(restarts_of ${one[@]} ${two[@]})" = 0
'
test_expect_success '3.30: who would be killed goes where no others do' '
	clear_cluster || return 1
	salloc -K -w n1 -N1 --exclusive --qos=low -t 10 -J alloc sleep 600 \
		>salloc.out 2>&1 &
	salloc=$!
	wait_for 15 "test -n \"\$(squeue -h -t R -n alloc -o %i)\"" &&
	alloc=$(squeue -h -n alloc -o %i) &&
	lows=($(low n2 low --no-requeue) $(low n3 low) $(low n4 low)) &&
	wait_for 15 all_in RUNNING ${lows[@]} &&
	gang first 2 high && first=(${members[@]}) &&
	wait_for 20 all_in RUNNING ${first[@]} &&
	all_in RUNNING $alloc ${lows[0]} &&
	all_in PENDING ${lows[1]} ${lows[2]} &&
	gang second 2 high &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	all_in PREEMPTED $alloc ${lows[0]} &&
	{ wait $salloc || :; }
'
if acct modify qos low set PreemptMode=within,requeue; then
	test_expect_success '3.29: WITHIN: the priority within a QOS' '
		fill low --priority=1000 &&
		gang within 3 low --priority=5000 && within=(${members[@]}) &&
		gang equal 3 low --priority=1000 && equal=(${members[@]}) &&
		wait_for 20 all_in RUNNING ${within[@]} &&
		still 15 "none_in RUNNING ${equal[*]}" &&
		test "$(running ${lows[@]})" = 1 &&
		test "$(restarts_of ${within[@]})" = 0
	'
else
	say "this slurmdbd has no WITHIN"
fi

last_case 'clear_cluster; nothing_left "No fed_mgr state file"'
