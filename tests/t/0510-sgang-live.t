#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0510-sgang-live.t - sgang list and show against a cluster with gangs
#
# Gangs are brought into one phase after the other and stay there; what follows
# only looks at them.

test_description='sgang shows the gangs of a running cluster'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

switches left=n[1-3] right=n[4-7] top:left,right >topology.conf
slurm_setup -n 7 -c 2 --gang --topology "$PWD/topology.conf" --conf \
'PartitionName=side Nodes=n[6-7] MaxTime=INFINITE State=UP'
gate_setup

# Where a user who cannot look into the build tree finds everything.
for file in "$slurm_dir"/lib/*.so "$top_builddir/src/cmd/sgang"; do
	cp --remove-destination "$(readlink -f "$file")" "$slurm_dir/lib/"
done
sgang=$(checked_sgang "$slurm_dir/lib/sgang")
slurm_start

! runuser -u daemon -- squeue >/dev/null 2>&1 || test_set_prereq OTHER_USER

# Run it: exit 0 and not a word on stderr.
quietly() { "$@" 2>err && test_must_be_empty err; }

# The table with these filters, single blanks between the columns, and sorted:
# gangs of one second are in the order of their names.
table()
{
	quietly "$sgang" list --noheader "$@" >lines || echo "sgang failed"
	tr -s ' ' <lines | sort
}

# The table has this line, the one for the gang.
line_is() { test "$(table | grep "^${1%% *} ")" = "$1"; }
gangs() { table "$@" | awk '{ printf "%s ", $1 }'; }

# Every word is among what sgang shows of the gang: shows GANG WORD...
shows() { quietly "$sgang" show $1 >out && has_words out "${@:2}"; }

# What jq's filter prints of its JSON: json_is WANTED FILTER VERB [ARG]
json_is()
{
	local wanted=$1 filter=$2

	quietly "$sgang" "${@:3}" --json >json &&
		test "$(wc -l <json)" = 1 &&
		test "$(jq -c "$filter" json)" = "$wanted" ||
		{ cat json >&2; return 1; }
}

member() { submit -o /dev/null --gang="$@"; }

test_expect_success 'no gang' '
	echo "GANG PHASE MEMBERS MODE WAITING NODES RING CROSS TIER REASON" >wanted &&
	quietly "$sgang" list >out && test_cmp wanted out &&
	quietly "$sgang" >out && test_cmp wanted out &&
	quietly "$sgang" list --noheader >out && test_must_be_empty out &&
	echo "{\"gangs\":[]}" >wanted &&
	quietly "$sgang" list --json >json &&
	without_meta <json | test_cmp wanted - &&
	sgang_refuses 1 "there is no gang none, see sgang list" show none
'
test_expect_success 'a job that is in no gang' '
	id=$(complete_job -n 1 --comment="gang=root/plain" --wrap=true) &&
	table >out && test_must_be_empty out &&
	sgang_refuses 1 "there is no gang root/plain, see sgang list" show root/plain
'
test_expect_success '3.14 4.34 a gang that has finished' '
	set -- -N 1 --exclusive --gang-min-member=2 --wrap=true &&
	first=$(member done "$@") &&
	second=$(member done "$@") &&
	wait_for 15 all_in COMPLETED $first $second &&
	nodes="$(job_field $first NodeList),$(job_field $second NodeList)" &&
	wait_for 10 line_is "root/done Finished 2/2/2 strict - 2 8 0 leaf -" &&
	wait_for 10 shows done GangName=done Namespace=root Phase=Finished Members=2 \
		Running=0 Ended=2 RingCost=8 NumNodes=2 State=COMPLETED &&
	test "$(scontrol show hostlistsorted $nodes)" = \
		"$(sed -n "s/.*NumNodes=.*NodeList=//p" out)" &&
	wait_for 10 nodes_idle
'
test_expect_success '3.14 4.34 one that runs, on both sides of the top' '
	left=$(member run -J "$(printf "gr\303\266n\tode")" -N 1 --exclusive -w n3 \
		--gang-min-member=2) &&
	right=$(member run -N 1 --exclusive -w n4) &&
	wait_for 15 all_in RUNNING $left $right &&
	wait_for 10 line_is "root/run Running 2/2/2 strict - 2 32 2 spine -" &&
	wait_for 10 shows root/run Phase=Running Satisfied=yes Attempts=1 Members=2 \
		MinMember=2 Total=2 Pending=0 Held=0 Running=2 Ended=0 \
		RingCost=32 RingBest=32 CrossLinks=2 Tier=spine Ranks=2 \
		Exact=yes StartedMembers=2 "NodeList=n\[3-4\]" Reason=None &&
	grep " MemberRank=0 .* NodeList=n3 " out |
		grep -F "JobId=$left JobName=$(printf "gr\303\266n?ode") UserId=root " &&
	grep " MemberRank=1 .* NodeList=n4 " out | grep "JobId=$right "
'
test_expect_success '3.14 one of an array: a task is a member, one still waits' '
	array=$(member tasks -n 1 -w n5 -a 2-6:2 --gang-min-member=2 \
		--gang-total-number=3) &&
	wait_for 15 "test \$(squeue -h -r -t R -j $array | wc -l) = 2" &&
	wait_for 10 squeue_says ${array}_6 Resources &&
	wait_for 10 line_is "root/tasks Running 3/2/3 strict - 1 2 0 island Resources" &&
	wait_for 10 shows tasks Phase=Running Satisfied=yes Members=3 MinMember=2 Total=3 \
		Pending=1 Running=2 StartedMembers=2 Ranks=2 &&
	grep " ArrayJobId=$array ArrayTaskId=2 .* MemberRank=0 " out &&
	grep " ArrayJobId=$array ArrayTaskId=4 .* MemberRank=1 " out &&
	grep " ArrayTaskId=6 .* State=PENDING .* Reason=Resources\$" out
'
test_expect_success '3.14 one that starts: its nodes are being prepared' '
	gate_close &&
	set -- -N 1 --exclusive -x n7 --gang-min-member=2 &&
	first=$(member start "$@") &&
	second=$(member start "$@") &&
	wait_for 15 all_in CONFIGURING $first $second &&
	wait_for 10 line_is "root/start Starting 2/2/2 strict - 2 8 0 leaf -" &&
	wait_for 10 shows start Phase=Starting Satisfied=no Held=2 Running=0 \
		State=CONFIGURING
'
test_expect_success '3.14 3.28 4.34 one that waits for nodes says so' '
	set -- -N 2 --exclusive --gang-min-member=2 --nice=100 \
		--gang-topology=require:spine --gang-min-tres=cpu=2 &&
	waiting=$(member wait --gang-order=1 "$@") &&
	member wait --gang-order=0 "$@" &&
	why="Gang root/wait waits: 4 nodes are needed, 2 are free (5 busy)" &&
	wait_for 15 line_is "root/wait Waiting 2/2/2 strict - 0 - - - ${why#*: }" &&
	wait_for 10 shows wait Phase=Waiting Satisfied=no "Attempts=[1-9][0-9]*" \
		Pending=2 Held=0 Running=0 NumNodes=0 \
		Topology=require:spine MinTRES=cpu=2 &&
	! grep -e RingCost= -e Tier= -e Parallel= -e Account= \
		-e " NodeList=" -e "(null)" out &&
	grep " JobId=$waiting .* Order=1 " out &&
	grep -x -F "   Reason=$why" out
'
test_expect_success '3.14 gangs of two users and of accounts that gather' '
	member gather -p side --gang-min-member=2 --uid=daemon &&
	member gather -p side -a 1-3 --gang-min-member=5 \
		--gang-total-number=6 &&
	for account in one two; do
		member $account/both -A $account --gang-min-member=2 ||
			return 1
	done &&
	why="Gang root/gather gathering 3/5 members" &&
	wait_for 10 line_is "root/gather Gathering 3/5/6 strict - 0 - - - ${why#* * }" &&
	why="Gang daemon/gather gathering 1/2 members" &&
	wait_for 10 line_is "daemon/gather Gathering 1/2/2 strict - 0 - - - ${why#* * }" &&
	wait_for 10 shows gather Namespace=root Phase=Gathering Pending=3 Attempts=0 \
		"ArrayTaskId=1-3" &&
	wait_for 10 shows daemon/gather Namespace=daemon MinMember=2 UserId=daemon &&
	why="gathering 1/2 members" &&
	for gang in one/both two/both; do
		wait_for 10 shows $gang Account=${gang%/*} &&
		wait_for 10 line_is \
			"$gang Gathering 1/2/2 strict - 0 - - - $why" || return 1
	done
'

# The command prints the table, and neither of them a word on stderr. Slurm takes the
# reason of a job away while it looks at it, and one of them may ask in between.
alike()
{
	"$sgang" list >mine 2>>said && "$@" >other 2>>said && cmp -s mine other
}
same_table()
{
	>said
	wait_for 10 alike "$@" && test_must_be_empty said ||
		{ diff mine other; cat said; return 1; }
}
json_table()
{
	"$sgang" list --json >json 2>>said &&
		jq -r ".gangs[] | [.gang, .phase,
		\"\(.members)/\(.min_member)/\(.total)\", .mode,
		.wait_ends // \"-\", (.nodes | length),
		.ring_cost // \"-\",
		if .cross_links == null then \"-\" else .cross_links end,
		.tier // \"-\", (.reason // \"-\" |
			sub(\"^Gang [^ ]+ (waits: )?\"; \"\"))] |
		map(tostring) | join(\" \")" json | sort
}
json_is_table() { json_table >out && table >wanted && cmp -s wanted out; }

test_expect_success '0.36 3.14 the table has all of them, in columns' '
	quietly "$sgang" list >out &&
	cat out &&
	test "$(wc -l <out)" = 10 &&
	test "$(gangs)" = "daemon/gather one/both root/done root/gather\
 root/run root/start root/tasks root/wait two/both " &&
	before=$(sed -n "1s/REASON.*//p" out) &&
	test "$(cut -c${#before} out | sort -u)" = " " &&
	same_table "$sgang"
'
test_expect_success '3.14 filters' '
	test "$(gangs --phase=running)" = "root/run root/tasks " &&
	test "$(gangs --phase=STARTING)" = "root/start " &&
	test "$(gangs --phase=Waiting)" = "root/wait " &&
	test "$(gangs --phase=finished)" = "root/done " &&
	test -z "$(gangs --phase=timeout)" &&
	test "$(gangs --partition=side)" = "daemon/gather root/gather " &&
	test -z "$(gangs --partition=none)" &&
	test "$(gangs --user=daemon)" = "daemon/gather " &&
	test "$(gangs --user=root | wc -w)" = 8 &&
	test "$(gangs --user=root --phase=gathering --partition=side)" = \
		"root/gather " &&
	sgang_refuses 2 "--phase=asleep: expected a phase like Waiting or Running" \
		list --phase=asleep
'
test_expect_success 'a gang that is not there, or not the only one' '
	sgang_refuses 1 "there is no gang nothing, see sgang list" show nothing &&
	sgang_refuses 1 "there is no gang tasky, did you mean root/tasks?" \
		show tasky &&
	sgang_refuses 1 "there is no gang daemon/run, did you mean root/run?" \
		show daemon/run &&
	sgang_refuses 2 "2 namespaces have a gang both, say one/both or two/both" \
		show both &&
	sgang_refuses 2 "--gang=Run: a gang'\''s name has no upper-case letters" \
		show Run
'
test_expect_success OTHER_USER 'another user sees the same, and his own by name' '
	same_table runuser -u daemon -- "$sgang" list &&
	quietly runuser -u daemon -- "$sgang" show gather >out &&
	grep "^GangName=gather Namespace=daemon\$" out
'

test_expect_success JQ '0.36 the JSON of all is the table' '
	>said &&
	{ wait_for 10 json_is_table || test_cmp wanted out; } &&
	test_must_be_empty said
'
test_expect_success JQ '0.36 4.34 the JSON of a running gang' '
	json_is "{\"phase\":\"Running\",\"members\":2,\"min_member\":2,\
\"total\":2,\"pending\":0,\"held\":0,\"running\":2,\"ended\":0,\
\"satisfied\":true,\"ring_cost\":32,\"ring_best\":32,\"cross_links\":2,\
\"ranks\":2,\"started_members\":2,\"tier\":\"spine\",\"exact\":true,\
\"nodes\":[\"n3\",\"n4\"]}" \
		"{phase, members, min_member, total, pending, held, running,
		ended, satisfied, ring_cost, ring_best, cross_links, ranks,
		started_members, tier, exact, nodes}" show run &&
	json_is "[[$left,0,0,\"n3\"],[$right,1,1,\"n4\"]]" \
		"[.jobs[] | [.job_id, .member_rank, .rank_offset, .nodes]]" \
		show run
'
test_expect_success JQ '0.36 the JSON of others: what is not known is null' '
	json_is "[\"Waiting\",false,2,null,null,null,null,[]]" \
		"[.phase, .satisfied, .pending, .ring_cost, .cross_links,
		.tier, .exact, .nodes]" show wait &&
	json_is "[\"Starting\",false,2,0,8]" \
		"[.phase, .satisfied, .held, .running, .ring_cost]" \
		show start &&
	json_is "[\"Finished\",true,2]" "[.phase, .satisfied, .ended]" \
		show done &&
	json_is "[[$array,\"2\",1],[$array,\"4\",1],[$array,\"6\",1]]" \
		"[.jobs[] | [.array_job_id, .array_task_id, .members]]" \
		show tasks &&
	json_is "[[\"1-3\",3,null]]" \
		"[.jobs[] | [.array_task_id, .members, .nodes]]" \
		show root/gather
'
test_expect_success JQ 'the JSON of a gang that is not there' '
	"$sgang" show --json daemon/none >json 2>err; test $? = 1 &&
	test_must_be_empty err &&
	test "$(without_meta <json)" = "$(jq -nc "{namespace: \"daemon\", name: \"none\",
		reason: \"no such gang\"}")"
'

# Commands of 25.05 and later releases load no select plugin.
test_expect_success 'what is linked to the public libslurm loads our plugin' '
	ldd "$slurm_dir/lib/sgang" | grep "libslurm\.so" &&
	! ldd "$sgang" | grep libslurmfull &&
	LD_DEBUG=files "$sgang" topology 2>loads >out &&
	grep -F "calling init: " loads | grep libslurm &&
	if slurm_since 25.05; then
		! grep "calling init: .*/select_" loads
	else
		grep -F "calling init: $slurm_dir/lib/select_cons_tres.so" loads
	fi
'
test_expect_success 'and so does Slurm, without a word' '
	for command in squeue "squeue --start" "squeue -o %all" sinfo \
		"sinfo -N -l" "scontrol show job" "scontrol show job $array" \
		"scontrol show node" "scontrol show partition" \
		"scontrol show step"
	do
		quietly $command >out && test -s out ||
			{ echo "$command"; cat err; return 1; }
	done
'

test_expect_success '3.14 the gang that was starting runs' '
	gate_open &&
	wait_for 15 all_in RUNNING $first $second &&
	wait_for 10 line_is "root/start Running 2/2/2 strict - 2 8 0 leaf -" &&
	wait_for 10 shows start Satisfied=yes Held=0 Running=2 StartedMembers=2
'
test_expect_success '3.14 one that is cancelled, and one that is smaller now' '
	drop $left &&
	wait_for 10 line_is "root/run Running 1/2/2 strict - 1 32 2 spine -" &&
	wait_for 10 shows run Running=1 Ended=1 StartedMembers=2 &&
	scancel -p side -u daemon &&
	wait_for 10 "gangs --user=daemon --phase=cancelled | grep gather" &&
	wait_for 10 shows daemon/gather Phase=Cancelled Satisfied=no Members=1 Ended=1 \
		State=CANCELLED
'
test_expect_success '3.14 a name that is used again is the new gang' '
	again=$(member done -N 1 --gang-min-member=3) &&
	why="Gang root/done gathering 1/3 members" &&
	wait_for 10 line_is "root/done Gathering 1/3/3 strict - 0 - - - ${why#* * }" &&
	wait_for 10 shows done Ended=0 Satisfied=no JobId=$again
'
test_expect_success '0.36 4.34 after a restart of slurmctld all is as before' '
	table --phase=running >before &&
	table --phase=gathering >>before &&
	slurm_stop_ctld &&
	sgang_refuses 2 "cannot read the jobs from slurmctld: Unable to contact\
 slurm controller (connect failure); see scontrol ping" list &&
	slurm_start_ctld &&
	wait_for 15 "{ table --phase=running && table --phase=gathering; } |
		test_cmp before -"
'
last_case 'leave_nothing'
