#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0386-waiting-time.t - a gang that holds too long gives everything back

test_description='The waiting time, and how a gang is re-armed'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 5 -c 2 --gang --gang-conf 'WaitingTime=1:00:00' --conf \
'PartitionName=main Nodes=n[1-4] Default=YES MaxTime=INFINITE State=UP
PartitionName=side Nodes=n5 MaxTime=INFINITE State=UP'

# Another user finds here what is in the build tree.
for file in "$slurm_dir"/lib/*.so; do
	cp --remove-destination "$(readlink -f "$file")" "$slurm_dir/lib/"
done
slurm_start

sgang=$(checked_sgang)
! runuser -u daemon -- squeue >/dev/null 2>&1 || test_set_prereq OTHER_USER

gang_scripts site own mixed other patient

# member GANG MIN [OPTION...]: one node each
member()
{
	local gang=$1 min=$2

	submit -N 1 --exclusive --gang=$gang --gang-min-member=$min \
		--gang-mode=nonstrict "${@:3}" $gang.sh
}

# Two of the four nodes are busy.
block_two()
{
	block=($(submit -w n3 --exclusive) $(submit -w n4 --exclusive)) &&
		wait_for 15 all_in RUNNING ${block[@]}
}

# Jobs are found by the names of their scripts.
holds() { test "$(squeue -h -r -t CF -n $1.sh | wc -l)" = $2; }

# One look at all members: how many hold, how many are stopped.
look()
{
	squeue -h -r -n $1.sh -o '%t %r' | awk '
		$1 == "CF" { held++ }
		$2 == "GangTimeout" { stopped++ }
		END { print held + 0, stopped + 0 }'
}

# The waiting time is over now: look until all $3 are stopped; nothing is seen
# between all and none: ends GANG HELD MEMBERS
ends()
{
	local seen

	gang_setting WaitingTime 0:08 &&
	wait_for 20 'seen=$(look '$1'); test "$seen" != "'$2' 0"' || return 1
	test "$seen" = "0 $3" || { echo "half: $seen" >&2; return 1; }
}

# The records of those that hold say that the hold ends so long after it began.
holds_for()
{
	local id since until

	for id in $(squeue -h -r -t CF -n $1.sh -o %A); do
		since=$(gang_record $id since) until=$(gang_record $id until)
		test -n "$since" && test "$until" = $((since + $2)) || return 1
	done
}

# For how long have these jobs held, each in all its holds? The seconds, added up.
held_by()
{
	local id sum=0

	for id; do
		sum=$((sum + $(gang_record $id heldfor | grep . || echo 0)))
	done
	echo $sum
}

# Somebody else can use all nodes of the partition, before the gang does.
others_run()
{
	local id

	id=$(complete_job -N 4 --exclusive --nice=100 --wrap=true)
}

test_expect_success '0.51 a gang without a limit begins to hold' '
	half=$(run_job -p side -n 1) &&
	patient=($(submit -p side -n 1 -c 1 --gang=patient \
			--gang-min-member=2 --gang-mode=nonstrict \
			--gang-waiting-time=UNLIMITED patient.sh) \
		$(submit -p side -n 1 -c 1 --gang=patient patient.sh)) &&
	wait_for 15 holds patient 1 &&
	patient_since=$EPOCHSECONDS
'
test_expect_success '0.12 two of four hold: the clock runs from the first' '
	block_two &&
	members=($(member site 4) $(member site 4)) &&
	array=$(member site 4 --array=0-1) &&
	members+=(${array}_0 ${array}_1) &&
	wait_for 15 holds site 2 &&
	wait_for 10 holds_for site 3600
'
test_expect_success '0.13 0.28 8 s, as gang.conf says: all is given back in one step' '
	ends site 2 4 &&
	wait_for 10 "test \$(held_by ${members[*]}) -ge 8"
'
test_expect_success '0.13 0.14 every member says so, nodes are idle, nobody ran' '
	wait_for 10 stopped_by_timeout ${members[@]} &&
	test "$(cpus_in_use n1)" = 0 -a "$(cpus_in_use n2)" = 0 &&
	test "$(starts_of site)" = 0 &&
	test "$(squeue -h -r -j ${members[0]} -o %R)" = "(GangTimeout)" &&
	"$sgang" show --json $(gang_record ${members[0]} gang) |
		jq -e ".jobs[] | select(.hold_ended == \"timeout\")" >/dev/null &&
	gang_log root/site "waiting time is over"
'
test_expect_success '0.14 0.44 it does not start when all nodes are free' '
	scancel ${block[@]} &&
	others_run &&
	stopped_by_timeout ${members[@]} &&
	test "$(starts_of site)" = 0
'
test_expect_success '0.14 a member that comes later is stopped too' '
	late=$(member site 4) &&
	wait_for 10 stopped_by_timeout $late &&
	others_run &&
	stopped_by_timeout ${members[@]} $late &&
	scancel $late
'
test_expect_success '0.14 0.36 slurmctld is killed: it still knows' '
	slurm_saved ${members[0]} &&
	ctld_dies &&
	others_run &&
	stopped_by_timeout ${members[@]}
'
test_expect_success '0.14 scontrol release of one re-arms all of them' '
	scontrol release ${members[3]} &&
	start_together 15 ${members[@]} &&
	gang_log root/site "re-armed" &&
	let_end site ${members[@]} &&
	ran_once site 4
'

test_expect_success '0.28 the gang says 5 s itself' '
	gang_setting WaitingTime 1:00:00 &&
	block_two &&
	members=($(member own 3 --gang-waiting-time=0:00:05) \
		$(member own 3) $(member own 3)) &&
	wait_for 30 stopped_by_timeout ${members[@]} &&
	before=$(held_by ${members[@]}) &&
	test $before -ge 5
'
test_expect_success '0.12 re-armed, the clock begins again' '
	scontrol release ${members[0]} &&
	wait_for 30 "test \$(held_by ${members[*]}) -ge $((before + 5))" &&
	wait_for 10 stopped_by_timeout ${members[@]}
'
test_expect_success '0.14 members of a stopped gang can be cancelled' '
	drop ${members[@]} &&
	test "$(starts_of own)" = 0
'

test_expect_success OTHER_USER '0.14 the user who owns it can release it' '
	mkdir -p "$slurm_dir/out/daemon" &&
	chown daemon "$slurm_dir/out/daemon" &&
	members=() &&
	for i in 1 2 3; do
		members+=($(cd "$slurm_dir/out/daemon" &&
			runuser -u daemon -- sbatch --parsable -o out -N 1 \
			--exclusive --gang=his --gang-min-member=3 -J his.sh \
			--gang-mode=nonstrict --gang-waiting-time=0:03 \
			--wrap="sleep 3600")) || return 1
	done &&
	wait_for 30 stopped_by_timeout ${members[@]} &&
	drop ${block[@]} &&
	runuser -u daemon -- scontrol release ${members[1]} &&
	start_together 15 ${members[@]} &&
	runuser -u daemon -- scancel ${members[@]} &&
	wait_for 15 all_in CANCELLED ${members[@]}
'

test_expect_success '0.47 two gangs of a group hold one node each' '
	drop ${block[@]} &&
	block_two &&
	members=($(member mixed 2 -w n1 --gang-groups=root/other \
			--gang-waiting-time=UNLIMITED) \
		$(member mixed 2 -w n3)) &&
	others=($(member other 2 -w n2 --gang-groups=root/mixed) \
		$(member other 2 -w n4)) &&
	wait_for 15 holds mixed 1 &&
	wait_for 15 holds other 1
'
test_expect_success '0.13 one times out: the other gives back too and waits' '
	ends other 1 2 &&
	holds mixed 0 &&
	wait_for 10 stopped_by_timeout ${others[@]} &&
	wait_for 10 squeue_says ${members[0]} \
		"Gang root/mixed waits: gang root/other has timed out" &&
	all_in PENDING ${members[@]} &&
	test "$(job_field ${members[0]} Priority)" != 0
'
test_expect_success '0.14 0.10 released, both start' '
	gang_setting WaitingTime 1:00:00 &&
	scancel ${block[@]} &&
	scontrol release ${others[1]} &&
	wait_for 15 all_in RUNNING ${members[@]} ${others[@]} &&
	started_together ${members[@]} &&
	touch mixed.go other.go &&
	wait_for 15 all_in COMPLETED ${members[@]} ${others[@]}
'
test_expect_success '0.51 the one without a limit holds until now' '
	wait_for 20 "test \$EPOCHSECONDS -gt $((patient_since + 16))" &&
	holds patient 1 &&
	scancel $half &&
	start_together 15 ${patient[@]} &&
	let_end patient ${patient[@]} &&
	ran_once patient 2
'

last_case
