#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0530-sgang-explain.t - sgang explain: gangs that run, wait, have ended

test_description='sgang explains where a gang is and what it waits for'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

sgang=$(checked_sgang)

# Nothing was said, but on a cluster without plugins that nobody could be asked
# for the names of levels.
said_nothing()
{
	test -n "$slurm_gang" || sed -i "/(it has no job_submit\/gang/d" err
	test_must_be_empty err
}

# explains OPERAND [OPTION...] <LINES: it prints exactly this
explains()
{
	cat >expected
	"$sgang" explain "$@" >out 2>err && said_nothing &&
		test_cmp expected out
}

# Every word is among what sgang explains: tells OPERAND WORD...
tells()
{
	"$sgang" explain $1 >out 2>err && said_nothing && has_words out "${@:2}"
}

# refuses CODE TEXT ARGUMENTS: exactly this on stderr
refuses()
{
	local code=$1 text=$2

	test_expect_code $code "$sgang" explain "${@:3}" >out 2>err &&
		test_must_be_empty out &&
		echo "sgang: $text" | test_cmp - err
}

# --- records that were written by hand ---

# Until a plugin has seen it, the record of a definition is what its user has
# written into the comment. So a cluster without plugins shows any record.
slurm_cluster -n 1 --stock

# with_record NAME WORDS: prints the id of the job that carries it
with_record()
{
	submit -H -n 1 --job-name=gang/$1 --comment="gang=root/$1 \
phase=running min=1 total=1 object=1 $2"
}

placed="rank=0/1 ring=40 best=16 cross=2 tier=spine off=0 ranks=4 exact=1"

test_expect_success '4.12 to 4.16, 4.34: all that a record can tell' '
	first=$(with_record full "$placed hops=leaf:2,spine:2 stock=136 \
others=p1:40,p3:52,p4:2/4") &&
	explains full <<-END
	GangName=full Namespace=root Phase=Running
	   RingCost=40 CrossLinks=2 Tier=spine Ranks=4 Hops=leaf:2,spine:2
	   RingBest=16 StockCost=136 StockEstimate=no Exact=yes Bound=40
	   Other=p1 Cost=40 Why=same cost
	   Other=p3 Cost=52 Why=52 > 40
	   Other=p4 Free=2 Needed=4 Why=2 of 4 fit
	END
'
test_expect_success '4.34: by the number of its job' '
	tells $first GangName=full JobId=$first RingCost=40 &&
	refuses 1 "no job of a gang has the number 4000000" 4000000 &&
	refuses 1 "no job of a gang has the number ${first}_3" ${first}_3 &&
	refuses 1 "there is no gang none, see sgang list" none
'
test_expect_success '4.34: a record that does not tell much' '
	with_record short "${placed%1}0 bound=36 wcost=832 wbest=416" &&
	explains short --bytes=2K <<-END
	GangName=short Namespace=root Phase=Running
	   RingCost=40 CrossLinks=2 Tier=spine Ranks=4
	   RingBest=16 Exact=no Bound=36
	   WeightedCost=832 WeightedBest=416
	END
'
test_expect_success '4.25: what places lack' '
	submit -H -n 1 --job-name=gang/lacks --comment="gang=root/lacks \
phase=waiting min=2 total=3 attempts=4 object=1 \
lacks=r1:2/4:busy=1:drained=1,r2:0/4,r3:x,r4:1/4 unit=node" &&
	"$sgang" explain lacks >out &&
	sed -n "/Place=/p;2p" out >got &&
	cat >expected <<-END &&
	   Members=0 MinMember=2 Total=3 Attempts=4
	   Place=r1 Free=2 Needed=4 Unit=node Causes=busy=1,drained=1
	   Place=r2 Free=0 Needed=4 Unit=node
	END
	test_cmp expected got
'
test_expect_success JQ '4.25: and as JSON' '
	"$sgang" explain --json lacks >json &&
	test "$(jq -c .waits.places json)" = "[{\"place\":\"r1\",\"free\":2,\
\"needed\":4,\"unit\":\"node\",\"causes\":{\"busy\":1,\"drained\":1}},\
{\"place\":\"r2\",\"free\":0,\"needed\":4,\"unit\":\"node\",\"causes\":{}}]"
'
test_expect_success 'others= that cannot be read ends the list' '
	with_record odd "$placed others=p1:50,p2,p3:60" &&
	"$sgang" explain odd >out &&
	grep -c Other= out >count && echo 1 | test_cmp - count
'
test_expect_success JQ '4.34: the same as JSON' '
	"$sgang" explain --json full >json &&
	jq -c .placement json >out &&
	cat >expected <<-END &&
	{"ring_cost":40,"cross_links":2,"tier":"spine","ranks":4,\
"hops":{"leaf":2,"spine":2},"device":null,"bytes":1000000000,"slowest":null,"seconds":null,\
"ring_best":16,"stock_cost":136,"stock_estimate":false,"exact":true,"bound":40,"rank_order":null,\
"order_cost":null,"weighted_cost":null,\
"weighted_best":null,"others":[\
{"domain":"p1","fits":true,"cost":40,"why":"same cost"},\
{"domain":"p3","fits":true,"cost":52,"why":"52 > 40"},\
{"domain":"p4","fits":false,"free":2,"needed":4,"why":"2 of 4 fit"}]}
	END
	test_cmp expected out &&
	test "$(jq -c "[.gang, .job_id, .phase, .waits]" json)" = \
		"[\"root/full\",null,\"Running\",null]" &&
	test_expect_code 1 "$sgang" explain --json 4000000 >json &&
	test "$(without_meta <json)" = "{\"job\":\"4000000\",\"reason\":\"no job of \
a gang has the number\"}"
'
slurm_cleanup

# --- gangs ---

slurm_cluster --cloud 8 --gang --topology \
	"$top_srcdir/topology/textbook.conf" \
	--gang-conf 'LevelBandwidth=300,100,50,5'

test_expect_success '4.12 to 4.16: a gang that has nodes' '
	a=$(submit -N 2 --exclusive -t 60 --gang=two --gang-min-member=2) &&
	b=$(submit -N 2 --exclusive -t 60 --gang=two) &&
	wait_for 20 all_in CONFIGURING $a $b &&
	wait_for 10 tells two Phase=Starting "RingCost=40" CrossLinks=2 Tier=spine \
		Ranks=4 Hops=leaf:2,spine:2 RingBest=40 Exact=yes Bound=40 &&
	tells $b JobId=$b RingCost=40
'
test_expect_success '4.12, 4.13: the time of an all-reduce, by gang.conf' '
	tells two Slowest=spine Seconds=0.3 Bytes=1000000000 &&
	echo "LevelBandwidth=300,100,50,10" >fast.conf &&
	"$sgang" explain two --conf=fast.conf --bytes=4G >out &&
	grep -x "   Slowest=spine Seconds=0.6 Bytes=4000000000" out
'
test_expect_success '4.25, 4.34: one that waits says why, and what helps' '
	c=$(submit -N 5 --exclusive -t 60 --gang=five --gang-min-member=1) &&
	wait_for 15 squeue_says $c "Gang root/five waits: " &&
	why=$(squeue -h -j $c -o %r) &&
	"$sgang" explain five >out &&
	cat out &&
	grep -x "GangName=five Namespace=root Phase=Waiting" out &&
	sed -n "/^   Reason=/,/^   Helps=/{/Helps=/!p}" out |
		tr -s "\n " " " >said &&
	echo " Reason=$why " | tr -d "\n" | test_cmp - said &&
	! grep -E "^.{79}" out &&
	! grep RingCost= out
'
test_expect_success '4.34: when it is expected to start' '
	wait_for 20 "tells five \"StartTime=2[-0-9]*T[0-9:]*\"" &&
	start=$(sed -n "s/.* StartTime=//p" out) &&
	sed -n "/^   Helps=/,\$p" out | tr -s "\n " " " >helps &&
	grep -F "the end of running jobs, expected by $start" helps
'
test_expect_success '4.34: one that has ended can be asked too' '
	drop $a $b &&
	wait_for 10 tells two Phase=Cancelled RingCost=40 RingBest=40 &&
	tells $a Phase=Cancelled JobId=$a
'
test_expect_success 'one that gathers, and one that nobody has defined' '
	d=$(submit -N 1 --gang=three --gang-min-member=3) &&
	wait_for 15 tells three Phase=Gathering Members=1 MinMember=3 &&
	grep -x "   Helps=2 more members" out &&
	e=$(submit -N 1 --gang=undefined) &&
	wait_for 15 tells undefined Phase=Undefined Members=1 &&
	! grep MinMember= out &&
	grep "Helps=a member with --gang-min-member, or sgang create" out
'
test_expect_success JQ '4.34: slurm-gang(7) says which field of squeue --json to read' '
	squeue --json | jq -c ".jobs[] | select(.job_id == $d) |
		[.state_reason, .state_description]" >out && cat out &&
	echo "[\"JobHoldMaxRequeue\",\"Gang root/three gathering 1/3 members\"]" |
		test_cmp - out
'
test_expect_success JQ 'what waits, as JSON' '
	"$sgang" explain --json three >json &&
	test "$(jq -c "[.phase, .waits.members, .waits.min_member,
		.waits.start_time, .waits.helps, .placement]" json)" = \
		"[\"Gathering\",1,3,null,\"2 more members\",null]"
'
# The leaves have two nodes each; two of the gang of five are by themselves.
test_expect_success '4.25, 4.34: one leaf is the reason: it is named, with what it lacks' '
	gang_of_nodes near 2 -t 60 --gang-topology=require:leaf && near=(${members[@]}) &&
	wait_for 15 all_in CONFIGURING $c ${near[@]} &&
	drop ${near[@]} &&
	last=$(placed_job -N 2 --exclusive -t 60) &&
	gang_of_nodes close 2 -t 60 --gang-topology=require:leaf && near=(${members[@]}) &&
	free=$(comm -23 <(scontrol show hostnames n[1-8]) \
		<(squeue -h -t CF,R -o %N | xargs -n 1 scontrol show hostnames | sort)) &&
	test $(wc -w <<<"$free") = 1 && rack=r$(((${free#n} + 1) / 2)) &&
	why="Gang root/close waits: 2 nodes are needed in one leaf, 1 is free: \
$rack has 1 (1 busy)" &&
	wait_for 20 squeue_says ${near[0]} "$why" &&
	wait_for 20 tells close Place=$rack Free=1 Needed=2 &&
	sed -n "/^   Reason=/,/^   Helps=/{/Helps=/!p}" out | tr -s "\n " " " >said &&
	echo " Reason=$why " | tr -d "\n" | test_cmp - said &&
	"$sgang" list --noheader --format=%r | grep -Fx "${why#*waits: }"
'
test_expect_success '4.34: its begin time is no end of running jobs' '
	f=$(submit -N 1 --gang=begins --gang-min-member=2 --begin=now+1hour) &&
	g=$(submit -N 1 --gang=begins --begin=now+1hour) &&
	wait_for 15 tells begins Members=2 &&
	begins=$(job_field $f StartTime) &&
	sed -n "/^   Helps=/,\$p" out | tr -s "\n " " " >helps &&
	echo " Helps=the begin time of its members, expected by $begins " |
		tr -d "\n" | test_cmp - helps &&
	drop $f $g
'
test_expect_success 'nothing is left' '
	scancel -u root &&
	nothing_left
'
slurm_cleanup

# --- jobs that slurmctld has forgotten ---

slurm_setup -n 1 --gang --conf 'MinJobAge=2'
slurmdbd_setup ''
slurm_start

test_expect_success '4.34: members that slurmctld has forgotten' '
	a=$(submit -n 1 --gang=gone --gang-min-member=2 --wrap=true) &&
	b=$(submit -n 1 --gang=gone --gang-min-member=2 --wrap=true) &&
	wait_for 60 "! scontrol show job $a && ! scontrol show job $b" \
		2>/dev/null &&
	for id in $a $b; do
		wait_for 20 tells $id GangName=gone Namespace=root JobId=$id \
			Phase=Finished RingCost=2 CrossLinks=0 Tier=island \
			StartedMembers=2 || return 1
	done &&
	wait_for 20 tells gone GangName=gone Namespace=root Phase=Finished \
		RingCost=2 StartedMembers=2 &&
	$sgang show root/gone >shown &&
	grep "^GangName=gone Namespace=root" shown &&
	grep "Phase=Finished" shown &&
	grep "RingCost=2 CrossLinks=0" shown &&
	! grep -e RingBest= -e "(null)" shown &&
	test "$(grep -c "State=COMPLETED .*MemberRank=" shown)" = 2 &&
	$sgang show gone --json | jq -e ".jobs | length == 2" &&
	refuses 1 "there is no gang gonee, see sgang list" gonee &&
	refuses 1 "there is no gang daemon/gone, see sgang list" daemon/gone
'
# Who knows the whole record can give it to slurmdbd.
test_expect_success '4.34: what slurmdbd has of jobs that are forgotten' '
	a=$(submit -n 1 --wrap=true) &&
	b=$(submit -n 1 --wrap=true) &&
	wait_for 60 "! scontrol show job $a && ! scontrol show job $b" \
		2>/dev/null &&
	wait_for 15 "test \"\$(slurmdbd_has \
		\"count(*) from @job where state = 3\")\" = 4" &&
	acct modify job where jobid=$a set systemcomment="gang=root/past \
phase=finished min=1 total=1 $placed stock=136" &&
	tells $a GangName=past Namespace=root JobId=$a Phase=Finished \
		RingCost=40 Tier=spine StockCost=136 &&
	tells past GangName=past Namespace=root RingCost=40 StockCost=136 &&
	refuses 1 "no job of a gang has the number $b" $b
'
# libslurm has its say first.
test_expect_success 'without slurmdbd it is no "no"' '
	slurm_end KILL slurmdbd &&
	test_expect_code 2 "$sgang" explain $a >out 2>err &&
	test_must_be_empty out &&
	tail -n 1 err >last &&
	echo "sgang: slurmctld does not know job $a, and slurmdbd does not\
 answer" | test_cmp - last &&
	test_expect_code 2 "$sgang" show gone >out 2>err &&
	test_must_be_empty out &&
	tail -n 1 err >last &&
	echo "sgang: slurmctld does not know gang gone, and slurmdbd does not\
 answer" | test_cmp - last
'
slurm_cleanup

test_done
