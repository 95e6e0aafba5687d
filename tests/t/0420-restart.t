#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0420-restart.t - slurmctld reads its files again, or is killed and comes back

test_description='Gangs survive scontrol reconfigure and the death of slurmctld'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang --faults --conf 'Licenses=lic:8'
gate_setup
slurm_start

# Members of one node each in the array "members": gather GANG MIN COUNT
gather() { gang_of_nodes $1 $3 -L lic:1 --gang-min-member=$2 $1.sh; }

# What is not on the disk may be lost; what is must come back. The state of all
# jobs is one file.
die() { slurm_saved ${members[-1]} && slurm_kill9_ctld && slurm_start_ctld; }
reread() { scontrol reconfigure && wait_for 15 slurm_ctld_answers; }

# A node that is being asked again who it is does not count as lost.
no_node_lost() { ! sinfo -h -N -o "%N %T" | grep -E "drain|down" >&2; }

all_once()
{
	let_end $1 ${members[@]} &&
	test "$(restarts_of ${members[@]})" = 0 &&
	ran_once $1 ${#members[@]} &&
	no_node_lost &&
	wait_for 20 nodes_idle
}

for how in reread die; do
	gang_script gathering-$how
	gang_script waiting-$how
	gang_script held-$how
	gang_script running-$how
	gang_script busy-$how

	test_expect_success "0.43 $how: a gang that gathers goes on gathering" '
		gather gathering-$how 4 3 &&
		wait_for 10 squeue_says ${members[0]} "gathering 3/4" &&
		$how &&
		wait_for 10 squeue_says ${members[0]} "gathering 3/4" &&
		all_in PENDING ${members[@]} &&
		id=$(complete_job -N 4 --exclusive --nice=100 --wrap=true)
	'
	test_expect_success "0.1 $how: and starts whole with the last member" '
		members+=($(submit -N 1 --exclusive -L lic:1 \
			--gang=gathering-$how gathering-$how.sh)) &&
		start_together 30 ${members[@]} &&
		all_once gathering-$how
	'

	test_expect_success "0.1 $how: a gang that waits for nodes waits on" '
		gather busy-$how 1 1 &&
		wait_state ${members[0]} RUNNING &&
		busy=${members[0]} &&
		gather waiting-$how 4 4 &&
		wait_for 20 squeue_says ${members[0]} \
			"Gang root/waiting-$how waits: " &&
		members+=($busy) &&
		$how &&
		unset "members[4]" &&
		wait_for 10 job_is $busy RUNNING &&
		wait_for 20 squeue_says ${members[0]} \
			"Gang root/waiting-$how waits: " &&
		all_in PENDING ${members[@]}
	'
	test_expect_success "0.1 $how: and starts whole when they are free" '
		touch busy-$how.go &&
		start_together 30 ${members[@]} &&
		all_once waiting-$how
	'

	test_expect_success "0.50 $how: a gang that is held is still held" '
		gate_close &&
		gather held-$how 4 4 &&
		wait_for 20 all_in CONFIGURING ${members[@]} &&
		$how &&
		{ test $how != die || wait_for 10 gang_log root/held-$how \
			"found 4 held members again"; } &&
		wait_for 10 "test \"\$(gang_phase root/held-$how)\" = starting" &&
		all_in CONFIGURING ${members[@]} &&
		test "$(licences_in_use)" = 4 &&
		test "$(starts_of held-$how)" = 0
	'
	test_expect_success "0.50 $how: and is launched together" '
		gate_open &&
		start_together 20 ${members[@]} &&
		all_once held-$how
	'

	test_expect_success "0.38 $how: a gang that runs goes on running" '
		gather running-$how 3 3 &&
		wait_for 20 all_in RUNNING ${members[@]} &&
		$how &&
		wait_for 10 all_in RUNNING ${members[@]} &&
		test "$(gang_phase root/running-$how)" = running
	'
	test_expect_success "0.11 0.38 $how: a later member is an ordinary job" '
		members+=($(submit -N 1 --exclusive -L lic:1 \
			--gang=running-$how running-$how.sh)) &&
		wait_state ${members[3]} RUNNING 20 &&
		all_once running-$how
	'
done

gang_script twice

test_expect_success 'killed right behind the launch: nobody runs twice' '
	gate_close &&
	gather twice 4 4 &&
	wait_for 20 all_in CONFIGURING ${members[@]} &&
	gate_open &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	ctld_dies &&
	start_together 20 ${members[@]} &&
	all_once twice
'

# The file has a record for each job, without a sum over it. Both copies of the
# first member's are damaged, in the text and in nothing else.
damage()
{
	perl -0777 -pi -e "s|(gang=root/$1 phase=)holding|\$1h#lding|" \
		"$slurm_dir/state/job_state"
}

# Two members of four hold nodes, the others wait for a job to end.
half_held()
{
	local gang=$1 i

	block=$(submit -w "n[3-4]" --exclusive) &&
	wait_state $block RUNNING || return 1
	gang_of_nodes $gang 4 --gang-mode=nonstrict $gang.sh
	wait_for 30 "test \$(held_in \${members[@]}) = 2" &&
	wait_for 10 "test \"\$(gang_phase root/$gang)\" = holding" &&
	slurm_saved ${members[-1]}
}

held_again()
{
	wait_for 20 "grep -F \"root/$1: found 2 held members again\" \
		\"$slurm_dir/log/slurmctld.log\"" &&
	wait_for 20 no_node_lost &&
	test "$(held_in ${members[@]})" = 2 &&
	test "$(starts_of $1)" = 0
}

all_start()
{
	scancel $block &&
	start_together 30 ${members[@]} &&
	let_end $1 ${members[@]}
}

gang_script hurt

test_expect_success '5.2 a record that is damaged: held members start no earlier' '
	scancel ${members[@]} &&
	half_held hurt &&
	slurm_kill9_ctld &&
	damage hurt &&
	grep -a "root/hurt phase=h#lding" "$slurm_dir/state/job_state" &&
	slurm_start_ctld &&
	held_again hurt &&
	all_start hurt
'

# slurmctld runs PrologSlurmctld again, and the end of that starts a job.
passed()
{
	test "$(grep -cxE "$(tr " " "|" <<<"${members[*]}")" \
		"$slurm_dir/etc/passed")" = $1
}

gang_script early

test_expect_success '5.2 prologs end before the first pass: held members start no earlier' '
	half_held early &&
	wait_for 10 passed 2 &&
	slurm_kill9_ctld &&
	slurm_fault delay 1 &&
	slurm_start_ctld &&
	wait_for 20 passed 4 &&
	wait_cycles 2 &&
	slurm_fault &&
	held_again early &&
	all_start early
'

last_case
