#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0531-reasons.t - what a gang that waits shows is so
#
# Reason, Helps and StartTime are held against a count of the nodes that is made
# here, from what scontrol says of nodes, jobs and reservations.

test_description='The reason, what helps and the start time are true'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

sgang=$(checked_sgang)

slurm_setup -n 6 -c 4 --gang \
	--node "Gres=gpu:2,mps:200" --conf "GresTypes=gpu,mps
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0,sched_min_interval=0,bf_continue
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=part Nodes=n[1-4] MaxTime=INFINITE State=UP"
# Slurm counts GPUs that have a file each.
touch "$slurm_dir"/run/gpu{0..1}
cat >"$slurm_dir/etc/gres.conf" <<END
Name=gpu File=$slurm_dir/run/gpu[0-1]
Name=mps Count=200
END
slurm_start

# What scontrol says of each node, one a line: "NAME CPUS USED MB USED GPUS USED
# FLAGS", where FLAGS are of the state.
nodes_now()
{
	scontrol -d show node -o | awk '
	{
		delete v
		for (i = 1; i <= NF; i++) {
			at = index($i, "=")
			v[substr($i, 1, at - 1)] = substr($i, at + 1)
		}
		used = v["GresUsed"]
		sub(/^gpu[^:]*:/, "", used); sub(/^[^0-9]*/, "", used)
		sub(/[^0-9].*/, "", used)
		print v["NodeName"], v["CPUTot"], v["CPUAlloc"],
			v["RealMemory"], v["AllocMem"], 2, used + 0, v["State"]
	}'
}

# Why a member has no room, node by node, as "N CAUSE" lines: recount WHOLE CPUS
# MB GPUS REQUESTED EXCLUDED RESERVED PARTITION, the last four as lists of names
# with commas around, "-" being all or none.
recount()
{
	nodes_now | awk -v whole=$1 -v cpus=$2 -v mb=$3 -v gpus=$4 \
		-v want="$5" -v off="$6" -v resv="$7" -v part="$8" '
	function has(list) { return index("," list ",", "," $1 ",") }
	function cause() {
		if (part != "-" && !has(part)) return "not in the partition"
		if (has(off)) return "excluded"
		if (want != "-" && !has(want)) return "not requested"
		if (cpus > $2) return "with too few CPUs"
		if (mb > $4) return "with too little memory"
		if (gpus > $6) return "with too few GPUs"
		if ($8 ~ /DRAIN/) return "drained"
		if ($8 ~ /DOWN/) return "down"
		if (has(resv)) return "reserved"
		if (whole && $3 > 0 || cpus > $2 - $3) return "busy"
		if (gpus > $6 - $7) return "with too few free GPUs"
		if (mb > $4 - $5) return "with too little free memory"
		return "room"
	}
	{ count[cause()]++ }
	END { for (c in count) print count[c], c }' | sort
}

# The same of the reason: what stands in its brackets, and as room the rest of
# the six nodes.
told()
{
	squeue -h -j ${members[0]} -o %r | sed -n 's/.*(\(.*\)).*/\1/p' |
		sed 's/^nodes without room: //' | tr ',' '\n' | sed 's/^ //' |
		awk '{ sum += $1; print }
		END { if (sum < 6) print 6 - sum, "room" }' | sort
}

reasons_true() { recount "$@" >counted && told >said && test_cmp counted said; }

# The reason of all members contains this.
waits()
{
	wait_for 15 squeue_says ${members[0]} "$1" || {
		squeue -h -o '%i %r'
		return 1
	}
}

helps()
{
	"$sgang" explain $1 | sed -n '/^   Helps=/,/^   [A-Z]/p' |
		sed '2,${/^   [A-Z]/d}' | tr -s '\n ' ' ' |
		sed 's/^ Helps=//; s/ $//'
}

# wait_helps NAME TEXT
wait_helps()
{
	wait_for 20 "test \"\$(helps $1)\" = \"$2\"" || {
		helps $1
		return 1
	}
}

test_expect_success '5.6 nodes that are not requested are not busy' '
	submit_gang want 2 -w n2 -N 1 --exclusive -t 5 &&
	waits "2 nodes are needed, 1 is free (5 not requested)" &&
	reasons_true 1 1 0 0 n2 - - - &&
	wait_helps want "nothing: it cannot start even if all its nodes are idle\
 and in service" &&
	test -z "$(squeue -h --start -j ${members[0]} -o %S | grep -v N/A)" &&
	drop ${members[@]}
'
test_expect_success '5.6 nor are those that are excluded' '
	submit_gang off 3 -x n[1-4] -N 1 --exclusive -t 5 &&
	waits "3 nodes are needed, 2 are free (4 excluded)" &&
	reasons_true 1 1 0 0 - n1,n2,n3,n4 - - &&
	drop ${members[@]}
'
test_expect_success '5.6 nodes of other partitions' '
	one=$(run_job -w n1 -N 1 -n 1 --mem=10 -t 60) &&
	submit_gang part 4 -p part -N 1 --exclusive -t 5 &&
	waits "4 nodes are needed, 3 are free (1 busy, 2 not in the partition)" &&
	reasons_true 1 1 0 0 - - - n1,n2,n3,n4 &&
	drop ${members[@]} $one
'
test_expect_success '5.6 memory that others have' '
	one=$(submit -w n1 -N 1 -n 1 --mem=2000 -t 60) &&
	two=$(submit -w n2 -N 1 --exclusive -t 60) &&
	wait_for 10 all_in RUNNING $one $two &&
	submit_gang mem 5 -N 1 -n 1 --mem=3000 -t 5 &&
	waits "5 places with 1 CPU and 3000M are needed, 4 are free (nodes\
 without room: 1 busy, 1 with too little free memory)" &&
	reasons_true 0 1 3000 0 - - - - &&
	"$sgang" explain mem >out &&
	grep -E "Free=4 Needed=5 Unit=place Causes=busy=1,busy_memory=1" out &&
	drop ${members[@]} &&
	submit_gang large 1 -N 1 -n 1 --mem=3500 -t 5 -x n[3-6] &&
	waits "1 place with 1 CPU and 3500M is needed, 0 are free (nodes without\
 room: 1 busy, 1 with too little free memory, 4 excluded)" &&
	reasons_true 0 1 3500 0 - n3,n4,n5,n6 - - &&
	drop ${members[@]} $one $two
'
test_expect_success '5.6 GPUs that others have' '
	one=$(submit -w n1 -N 1 -n 1 --mem=10 --gres=gpu:1 -t 60) &&
	two=$(submit -w n2 -N 1 -n 4 --mem=10 -t 60) &&
	wait_for 10 all_in RUNNING $one $two &&
	submit_gang gpus 5 -N 1 -n 1 --mem=10 --gres=gpu:2 -t 5 &&
	waits "5 places with 2 GPUs, 1 CPU and 10M are needed, 4 are free (nodes\
 without room: 1 busy, 1 with too few free GPUs)" &&
	reasons_true 0 1 10 2 - - - - &&
	drop ${members[@]} $two &&
	submit_gang gpus 6 -N 1 -n 1 --mem=10 --gres=gpu:2 -t 5 &&
	waits "6 places with 2 GPUs are needed, 5 are free (nodes without room:\
 1 with too few free GPUs)" &&
	reasons_true 0 1 10 2 - - - - &&
	drop ${members[@]} $one
'
# Of the GPUs of a node jobs have one at a time by mps.
test_expect_success '5.6 mps are had of one GPU' '
	busy=$(run_job -w n1 -N 1 -n 1 --mem=10 --gres=mps:50 -t 60) &&
	submit_gang mps 2 -x n[2-6] -N 1 -n 1 --mem=10 --gres=mps:40 -t 5 &&
	waits "Gang root/mps waits: needs 40 mps of one GPU, n1 has 10 free" &&
	drop ${members[@]} $busy
'
test_expect_success '5.6 a reservation that begins before the members would end' '
	scontrol create reservation reservationname=soon users=daemon \
		nodes=n[5-6] starttime=now+30minutes duration=60 &&
	submit_gang resv 5 -N 1 --exclusive -t 60 &&
	waits "5 nodes are needed, 4 are free (2 reserved)" &&
	reasons_true 1 1 0 0 - - n5,n6 - &&
	wait_for 20 "helps resv | grep -xE \
		\"the end of reservations of node n[56]\"" &&
	drop ${members[@]} &&
	submit_gang early 6 -N 1 --exclusive -t 5 &&
	wait_for 15 all_in RUNNING ${members[@]} &&
	drop ${members[@]} &&
	scontrol delete reservationname=soon
'
test_expect_success '5.6 nodes that are drained, named' '
	scontrol update nodename=n[2-3] state=drain reason=test &&
	submit_gang all 5 -N 1 --exclusive -t 5 &&
	waits "5 nodes are needed, 4 are free (2 drained)" &&
	reasons_true 1 1 0 0 - - - - &&
	wait_for 20 "helps all | grep -xE \
		\"node n[23] in service again, now down or drained\"" &&
	drop ${members[@]} &&
	submit_gang all 6 -N 1 --exclusive -t 5 &&
	wait_helps all "nodes n[2-3] in service again, now down or drained" &&
	drop ${members[@]} &&
	submit_gang shared 21 -N 1 -n 1 --mem=10 -t 5 &&
	waits "21 CPUs are needed, 16 are free (nodes without room: 2 drained)" &&
	wait_helps shared "nodes n[2-3] in service again, now down or drained" &&
	drop ${members[@]} &&
	scontrol update nodename=n[2-3] state=resume
'
test_expect_success '5.6 a job without a time limit, named' '
	on_nodes "n1 n2" -N 1 --exclusive -t UNLIMITED && endless=(${jobs[@]}) &&
	wait_for 10 all_in RUNNING ${endless[@]} &&
	submit_gang rest 5 -N 1 --exclusive -t 5 &&
	waits "5 nodes are needed, 4 are free (2 busy)" &&
	reasons_true 1 1 0 0 - - - - &&
	wait_for 20 "helps rest | grep -xE \"the end of job\
 (${endless[0]}|${endless[1]}), which no time limit ends\"" &&
	drop ${members[@]} &&
	submit_gang rest 6 -N 1 --exclusive -t 5 &&
	wait_helps rest "the end of jobs ${endless[0]},${endless[1]}, which no\
 time limit ends" &&
	drop ${members[@]} ${endless[@]}
'

# All members show one start, the end of that job, and so does sgang explain.
start_is_end_of()
{
	local end shown

	end=$(date -d @$(ends_at $1) +%Y-%m-%dT%H:%M:%S)
	shift
	shown=$(squeue -h --start -j "$(echo "$@" | tr ' ' ,)" -o %S | sort -u)
	test "$shown" = "$end"
}

test_expect_success '5.6 4.7 members that share a node start together' '
	busy=$(run_job -w n1 -N 1 --exclusive -t 60) &&
	submit_gang stack 3 -w n1 -N 1 -n 1 --mem=10 -t 60 &&
	waits "Gang root/stack waits: " &&
	wait_for 20 start_is_end_of $busy ${members[@]} &&
	cycles=$(sdiag | sed -n "s/.*Total cycles: //p" | tail -n 1) &&
	wait_for 20 "test \$(sdiag | sed -n \"s/.*Total cycles: //p\" |
		tail -n 1) -gt $((cycles + 2))" &&
	wait_for 5 start_is_end_of $busy ${members[@]} &&
	start=$(squeue -h --start -j ${members[0]} -o %S) &&
	"$sgang" explain stack >out && grep "StartTime=$start" out &&
	wait_helps stack "the end of running jobs, expected by $start" &&
	drop ${members[@]} $busy
'
# One text, and the gang's own.
all_say_the_same()
{
	local said

	said=$(squeue -h -j "$(echo "$@" | tr ' ' ,)" -o %r | sort -u)
	[[ $said == "Gang "* && $said != *$'\n'* ]]
}

test_expect_success '5.6 members that name a node say it too' '
	busy=$(run_job -w n1 -N 1 -n 3 -t 10) &&
	submit_gang named 2 -w n1 -N 2 --ntasks-per-node=2 --mem=10 -t 60 &&
	wait_for 20 all_say_the_same ${members[@]} &&
	drop ${members[@]} $busy
'
# When part has a member that waits, Slurm plans for its nodes no more.
test_expect_success '5.6 and members of partitions that have nodes in common' '
	busy=$(run_job -w n1 -N 1 --exclusive -t 10) &&
	members=($(submit --gang=common --gang-min-member=2 -p part -N 3 \
			--exclusive -t 60)
		 $(submit --gang=common --gang-min-member=2 -N 2 -x n6 \
			--exclusive -t 60)) &&
	waits "Gang root/common waits: " &&
	cycles=$(sdiag | sed -n "s/.*Total cycles: //p" | tail -n 1) &&
	wait_for 20 "test \$(sdiag | sed -n \"s/.*Total cycles: //p\" |
		tail -n 1) -gt $((cycles + 2))" &&
	wait_for 5 all_say_the_same ${members[@]} &&
	drop ${members[@]} $busy
'
test_expect_success '5.6 one that wants a drained node: nobody knows when, no node is kept' '
	scontrol update nodename=n2 state=drain reason=test &&
	members=($(submit --gang=away --gang-min-member=3 -N 1 --exclusive)
		 $(submit --gang=away --gang-min-member=3 -N 1 --exclusive)
		 $(submit --gang=away --gang-min-member=3 -N 1 --exclusive \
			-w n2)) &&
	waits "Gang root/away waits: JobId=${members[2]}: n2, which it requires,\
 is drained" &&
	cycles=$(sdiag | sed -n "s/.*Total cycles: //p" | tail -n 1) &&
	wait_for 20 "test \$(sdiag | sed -n \"s/.*Total cycles: //p\" |
		tail -n 1) -gt $((cycles + 3))" &&
	squeue -h -j "$(echo ${members[@]} | tr " " ,)" -o %S | sort -u >out &&
	echo N/A | test_cmp - out &&
	scontrol show node -o | test_must_fail grep PLANNED &&
	scontrol update nodename=n2 state=resume &&
	wait_for 15 all_in RUNNING ${members[@]} &&
	drop ${members[@]}
'
# Slurm asks nobody about them, and 24.11 says that n2 may be reserved.
test_expect_success '5.6 all want a drained node: which it is' '
	scontrol update nodename=n2 state=drain reason=test &&
	submit_gang out 2 -N 2 -n 2 --mem=10 -w n2 &&
	waits n2 &&
	wait_helps out "node n2 in service again, now down or drained" &&
	scontrol update nodename=n2 state=resume &&
	wait_for 15 all_in RUNNING ${members[@]} &&
	drop ${members[@]}
'
test_expect_success JQ '5.6 the same as JSON' '
	busy=$(run_job -w n1 -N 1 --exclusive -t 60) &&
	submit_gang json 6 -N 1 --exclusive -t 60 -x n6 &&
	waits "6 nodes are needed, 4 are free (1 busy, 1 excluded)" &&
	"$sgang" explain --json json >out &&
	jq -e ".waits.places[0] | del(.place) == {free: 4, needed: 6,
		unit: \"node\", causes: {busy: 1, excluded: 1}}" out &&
	drop ${members[@]} $busy
'
last_case
