#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0394-elastic.t - the elastic launcher of contrib/examples loses members

test_description='examples: a launcher that goes on when members are lost'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 5 -c 2 --gang --conf KillWait=2
slurm_start

cp "$top_srcdir"/contrib/examples/* .
chmod u+w ./*
: "${CC:=cc}"

# A rank that tells what it was told: JOB RANK OFFSET NODES
cat >tell.sh <<-'END'
	#!/bin/bash
	echo "$SLURM_JOB_ID $SLURM_GANG_MEMBER_RANK $SLURM_GANG_RANK_OFFSET" \
		"$SLURM_GANG_MEMBER_NODELIST" >>told
	exec ./rendezvous "$@"
END
chmod 755 tell.sh

# Members, of which three have a rank: gather GANG COUNT STEPS [OPTIONS]
gather()
{
	local gang=$1 n=$2 steps=$3

	shift 3
	sed "s/rendezvous checkpoint 1000/tell.sh $gang.done $steps/" elastic.sbatch >$gang.sbatch
	members=()
	while test $n -gt 0; do
		members+=($(submit -N1 -n1 --exclusive --gang=$gang \
			--gang-min-member=3 --gang-on-failure=replace "$@" \
			$gang.sbatch)) || return 1
		n=$((n - 1))
	done
}

# Of those that run: whom no rank has is a spare: of_rank RANK|spare
of_rank()
{
	local id

	for id in ${members[@]}; do
		job_is $id RUNNING || continue
		case $1 in
		spare) test "$(gang_record $id spare)" != 1 || echo $id ;;
		*) test "$(gang_record $id rank)" != "$1/3" || echo $id ;;
		esac
	done
}

has_one() { test -n "$(of_rank $1)"; }

# The gang has done more than so many steps: beyond GANG STEPS
beyond() { test "$(cut -d" " -f1 $1.done 2>/dev/null || echo 0)" -gt $2; }

# It goes on after what it has done by now.
goes_on() { wait_for 60 beyond $1 $(($(cut -d" " -f1 $1.done) + 25)); }

# The batch script of a member is killed: lose ID
lose() { scancel --batch --signal=KILL $1; }

# The sum of the ranks' numbers, each once a step: all_added GANG STEPS
all_added() { test "$(cat $1.done)" = "$2 $((6 * $2))"; }

test_expect_success '6.5 three members and a spare work' '
	$CC -Wall -Wextra -Werror -o rendezvous rendezvous.c &&
	gather one 4 600 --gang-spares=1 &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	wait_for 20 has_one spare &&
	wait_for 30 beyond one 25
'
for lost in 1 0; do
	test_expect_success "6.5 6.6 rank $lost is lost: the spare has it, all go on" '
		wait_for 30 has_one spare && spare=$(of_rank spare) &&
		gone=$(of_rank $lost) && lose $gone &&
		wait_for 40 "test \"\$(of_rank $lost)\" = $spare" &&
		goes_on one &&
		grep -x "$spare $lost $lost $(job_field $spare NodeList)" told
	'
done
test_expect_success '6.5 nothing was added twice, and the spare is let go' '
	wait_for 60 none_in "PENDING|RUNNING|COMPLETING" ${members[@]} &&
	all_added one 600 &&
	test "$(for id in ${members[@]}; do job_state $id; done | grep -c COMPLETED)" -ge 3
'
test_expect_success '6.6 without a spare the lost member comes back' '
	gather two 3 400 &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	wait_for 30 beyond two 25 &&
	gone=$(of_rank 2) && lose $gone &&
	wait_for 60 "test \"\$(job_field $gone Restarts)\" = 1 && job_is $gone RUNNING" &&
	goes_on two &&
	wait_for 60 all_in COMPLETED ${members[@]} &&
	all_added two 400
'

# The node of a job is lost as if its power failed, and Slurm is told: lose_node ID
lose_node()
{
	node=$(job_field $1 NodeList) &&
		slurm_kill_node $node && rm -f "$slurm_dir/run/$node.pid" &&
		scontrol update NodeName=$node State=DOWN Reason=test
}

# Slurm may have resumed it by itself when slurmd is there again.
node_comes_back()
{
	slurm_start_node $node || return 1
	scontrol update NodeName=$node State=RESUME 2>/dev/null
	wait_for 30 nodes_idle
}

test_expect_success '6.5 6.6 the node of rank 0 is lost: the spare has it, all go on' '
	test_when_finished node_comes_back &&
	gather three 4 400 --gang-spares=1 &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	wait_for 20 has_one spare && wait_for 30 beyond three 25 &&
	spare=$(of_rank spare) && gone=$(of_rank 0) && lose_node $gone &&
	wait_for 40 "test \"\$(of_rank 0)\" = $spare" &&
	goes_on three &&
	wait_for 60 none_in "PENDING|RUNNING|COMPLETING" ${members[@]} &&
	all_added three 400
'
test_expect_success '6.6 without a spare the member comes back on another node' '
	test_when_finished node_comes_back &&
	gather four 3 400 &&
	wait_for 20 all_in RUNNING ${members[@]} && wait_for 30 beyond four 25 &&
	gone=$(of_rank 1) && lose_node $gone &&
	wait_for 60 "job_is $gone RUNNING && test \"\$(job_field $gone NodeList)\" != $node" &&
	test "$(of_rank 1)" = $gone && goes_on four &&
	wait_for 60 all_in COMPLETED ${members[@]} &&
	all_added four 400
'
test_expect_success 'nothing is left' '
	nothing_left
'

test_done
