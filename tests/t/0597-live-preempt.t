#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0597-live-preempt.t - random gangs preempt, against a search of all victims
#
# By day a few rounds, at night five minutes of them.
#
# ROUNDS=N, SEED=N	so many rounds, from that seed on, instead

test_description='A gang preempts with the least harm, or nobody'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

switches a=n[1-3] b=n[4-6] top:a,b >topology.conf
slurm_cluster -n 6 -c 4 --gang --topology topology.conf --node 'Gres=tile:2' \
	--gres 'Name=tile Count=2' --conf \
"$quick_sched
GresTypes=tile
SelectTypeParameters=CR_Core_Memory
KillWait=1
$(partition_prio main=1 mid=3 cancel=1,PreemptMode=CANCEL \
	grace=1,GraceTime=3 firm=1,PreemptMode=OFF high=10)"
least_harm=$top_builddir/tests/live-random/least_harm

# pick WORD...: one of them
pick() { shift $((RANDOM % $#)); echo "$1"; }

# low: a random job or gang that may be preempted
low()
{
	local part=$(pick main main main mid mid cancel grace grace firm firm) i n min
	local options="-p $part -t 60 $(pick -N1 -N1 -N1 -N2)"

	options+=" --mem=$(pick 100 1000 2000 3500)"
	options+=$(pick "" "" " --gres=tile:1" " --gres=tile:2")
	case $(pick whole part part) in
	whole) options+=" --exclusive" ;;
	part) options+=" --ntasks-per-node=$((RANDOM % 3 + 1))" ;;
	esac
	case $(pick job job job gang extras) in
	job) submit $options $(pick "" "" --no-requeue) ;;
	gang)
		gangs=$((gangs + 1))
		for i in 1 2; do
			submit $options --gang=low$gangs --gang-min-member=2
		done
		;;
	extras)
		gangs=$((gangs + 1)) min=$((RANDOM % 2 + 1))
		for i in 1 2 3; do
			submit $options --gang=low$gangs \
				--gang-min-member=$min --gang-total-number=3
		done
		;;
	esac
}

# Whatever runs now is there to stay.
settled()
{
	test -z "$(squeue -h -t CG,CF)" &&
		test "$(squeue -h -t R -o %i | wc -l)" = "$1"
}

settle()
{
	local n=-1

	while ! settled $n; do
		n=$(squeue -h -t R -o %i | wc -l)
		wait_for 10 "test \"\$(sdiag_cycles)\" -gt $(($(sdiag_cycles) + 1))" ||
			return 1
	done
}

# A job in its grace ends whether its preemptor is there or not, so whoever takes
# its nodes does no harm; it may be requeued then, and preempt others.
nobody_is_going()
{
	scancel --state=PENDING -u root
	! scontrol -o show job |
		grep 'JobState=RUNNING.* PreemptTime=[0-9]' >/dev/null &&
		test -z "$(squeue -h -t PD,CG)"
}

# So many times the main scheduler and backfill have looked at all jobs.
sdiag_cycles() { sdiag | awk '/Total cycles/ { n += $3 } END { print n }'; }

# What least_harm is to know of all that runs.
snapshot()
{
	local id part nodes tier kind gang min requeue cpus start mem tiles

	printf 'node n%d %s 4 4000 2\n' 1 a 2 a 3 a 4 b 5 b 6 b
	squeue -h -t R -o '%i %P %N' | while read -r id part nodes; do
		case $part in
		mid) tier=3 kind=requeue ;;
		main | grace) tier=1 kind=requeue ;;
		cancel) tier=1 kind=kill ;;
		firm) tier=1 kind=firm ;;
		esac
		requeue=$(job_field $id Requeue)
		test $kind != requeue || test "$requeue" = 1 || kind=kill
		gang=$(gang_record $id gang) min=$(gang_record $id min)
		cpus=$(job_field $id NumCPUs) start=$(job_field $id StartTime)
		start=$(date -d "$start" +%s)
		set -- $(scontrol show hostnames "$nodes")
		mem=$(squeue -h -j $id -o %m | tr -d M)
		tiles=$(job_field $id TresPerNode | sed "s/.*tile:*//")
		echo "job $id $tier $kind ${gang:--} $start $((cpus / $#))" \
			"$mem ${tiles:-0} $*"
		test -z "$gang" || echo "gang $gang $min"
	done | sort -u
}

# Those of the snapshot that did not keep their nodes.
gone()
{
	local id start

	awk '$1 == "job" { print $2, $6 }' before | while read -r id start; do
		test "$(job_field $id JobState)" = RUNNING &&
			test "$(date -d "$(job_field $id StartTime)" +%s)" = \
				$start || echo "gone $id"
	done
}

# Preempted, its members wait together.
whole_again()
{
	local gang

	awk '$1 == "gang" { print $2, $3 }' before | while read -r gang min; do
		running=0 waiting=0
		for id in $(awk -v g=$gang '$1 == "job" && $5 == g { print $2 }' \
			before); do
			case $(job_field $id JobState) in
			RUNNING) running=$((running + 1)) ;;
			esac
		done
		phase=$(gang_phase $gang)
		case $running:$phase in
		0:waiting | 0: | [1-9]*) ;;
		*) echo "gang $gang: phase $phase" ;;
		esac
		test $running = 0 || test $running -ge $min ||
			echo "gang $gang is torn: $running of $min run"
	done
}

# It can never start, so it is not taken.
refused() { grep -q "can never start" refused && echo refused >>verdicts; }

# One that comes while victims end gets none of their nodes before the gang.
late_job()
{
	late=
	wait_for 15 "all_in RUNNING ${members[*]} ||
		squeue_says ${members[0]} ending ||
		test -n \"\$(gang_record ${members[0]} preempts)\"" || return 1
	! squeue_says ${members[0]} ending ||
		late=$(submit -p main -n 1 --mem=100 -t 9)
}

# slipped_in: says so if it did
slipped_in()
{
	local at on start

	test -n "$late" || return 0
	test "$(job_field $late JobState)" = RUNNING || return 0
	at=$(date -d "$(job_field $late StartTime)" +%s)
	start=$(date -d "$(job_field ${members[0]} StartTime)" +%s)
	on=$(job_field $late NodeList)
	test $at -ge $start || ! squeue -h -t R -o %N -n high | grep -qx $on ||
		echo "job $late was on $on before the gang"
}

# No record tells of one that is over.
claims_left() { scontrol -o show job | grep -o "gang=[^ ]* .*claim=[^ ]*"; }

round()
{
	local seed=$1 i size leaf options count mem tiles

	RANDOM=$seed
	clear_cluster || return 1
	for ((i = RANDOM % 6 + 4; i > 0; i--)); do
		low >/dev/null || return 1
	done
	settle && wait_for 40 nobody_is_going || return 1
	snapshot >before
	count=$((RANDOM % 5 + 1)) size=$((RANDOM % 5)) leaf=$((RANDOM % 3 == 0))
	mem=$(pick 100 1000 2500) tiles=$((RANDOM % 4))
	test $tiles -lt 3 || tiles=0
	options="-J high -p high -N1 -t 10 --gang=high --gang-min-member=$count"
	if test $size = 0; then
		options+=" --exclusive"
	else
		options+=" -n $size"
	fi
	test $leaf = 0 || options+=" --gang-topology=require:leaf"
	options+=" --mem=$mem"
	test $tiles = 0 || options+=" --gres=tile:$tiles"
	members=()
	for ((i = 0; i < count; i++)); do
		members+=($(submit $options 2>refused)) ||
			{ refused && return 0; } || return 1
	done
	late_job || return 1
	echo "ask $count $size $mem $tiles $leaf" >asked
	wait_for 40 "all_in RUNNING ${members[*]} ||
		{ gang_attempted ${members[0]} 2 &&
		test -n \"\$(gang_record ${members[0]} preempts)\"; }" || {
		echo "round $seed: neither started nor refused" >&2
		squeue -o '%i %P %T %N %r' >&2
		return 1
	}
	if all_in RUNNING ${members[@]}; then
		started_together ${members[@]} || return 1
		echo started 1 >>asked
	else
		echo started 0 >>asked
	fi
	wait_for 20 'test -z "$(squeue -h -t CG)"' || return 1
	{ cat before asked; gone; } >said
	{ whole_again; slipped_in; claims_left; } >torn
	if "$least_harm" <said >verdict && test ! -s torn; then
		cat verdict >>verdicts
		return 0
	fi
	echo "round $seed: $(cat verdict torn)" >&2
	cat said >&2
	grep -F "gang: " "$slurm_dir/log/slurmctld.log" | tail -12 >&2
	return 1
}

gangs=0
: "${ROUNDS:=$(by_day 5 '')}"
until=$((SECONDS + ${SECONDS_MAX:-300}))
test_expect_success '3.24 3.29 1.17: the least harm, by a search of all sets' '
	failed=0 &&
	for ((seed = ${SEED:-1}; seed < ${SEED:-1} + ${ROUNDS:-100000}; seed++)); do
		test -n "$ROUNDS" || test $SECONDS -lt $until || break
		round $seed || failed=$((failed + 1))
	done &&
	sort verdicts | uniq -c &&
	test $failed = 0
'
last_case 'clear_cluster && nothing_left'
