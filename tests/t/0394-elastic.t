#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0394-elastic.t - the elastic launcher of contrib/examples loses members

test_description='examples: a launcher that goes on when members are lost'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cluster -n 5 -c 2 --gang --conf KillWait=2

cp "$top_srcdir"/contrib/examples/* .
chmod u+w ./*
: "${CC:=cc}"

# A rank that tells what it was told: JOB RANK OFFSET NODES. GANG.steps says how
# many steps are to be done.
cat >tell.sh <<-'END'
	#!/bin/bash
	echo "$SLURM_JOB_ID $SLURM_GANG_MEMBER_RANK $SLURM_GANG_RANK_OFFSET" \
		"$SLURM_GANG_MEMBER_NODELIST" >>told
	exec ./rendezvous $1.done $(cat $1.steps)
END
chmod 755 tell.sh

# Members, of which three have a rank: gather GANG COUNT [OPTIONS]
gather()
{
	gang=$1
	sed "s/rendezvous checkpoint 1000/tell.sh $gang/" elastic.sbatch >$gang.sbatch
	echo 1000000 >$gang.steps
	gang_of_nodes $1 $2 -n1 --gang-min-member=3 --gang-on-failure=replace \
		"${@:3}" $gang.sbatch
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

done_by_now() { cut -d" " -f1 $gang.done 2>/dev/null || echo 0; }

# The gang has done more than so many steps: beyond STEPS
beyond() { test "$(done_by_now)" -gt $1; }

# The next loss is the last: who begins again after it ends some time later.
last_loss()
{
	echo $(($(done_by_now) + 600)) >$gang.part && mv $gang.part $gang.steps
}

# It goes on after what it had done when one was lost.
goes_on() { wait_for 60 beyond $((had_done + 25)); }

# The batch script of a member is killed: lose ID
lose()
{
	had_done=$(done_by_now)
	scancel --batch --signal=KILL $1
}

# The sum of the ranks' numbers, each once a step.
all_added()
{
	local steps=$(cat $gang.steps)

	test "$(cat $gang.done)" = "$steps $((6 * steps))"
}

test_expect_success '6.5 three members and a spare work' '
	$CC -Wall -Wextra -Werror -o rendezvous rendezvous.c &&
	gather one 4 --gang-spares=1 &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	wait_for 20 has_one spare &&
	wait_for 30 beyond 25
'
for lost in 1 0; do
	test_expect_success "6.5 6.6 rank $lost is lost: the spare has it, all go on" '
		wait_for 30 has_one spare && spare=$(of_rank spare) &&
		gone=$(of_rank $lost) && { test $lost = 1 || last_loss; } &&
		lose $gone &&
		wait_for 40 "test \"\$(of_rank $lost)\" = $spare" &&
		goes_on &&
		grep -x "$spare $lost $lost $(job_field $spare NodeList)" told
	'
done
test_expect_success '6.5 nothing was added twice, and the spare is let go' '
	wait_for 60 none_in "PENDING|RUNNING|COMPLETING" ${members[@]} &&
	all_added &&
	test "$(for id in ${members[@]}; do job_state $id; done | grep -c COMPLETED)" -ge 3
'
test_expect_success '6.6 without a spare the lost member comes back' '
	gather two 3 &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	wait_for 30 beyond 25 &&
	gone=$(of_rank 2) && last_loss && lose $gone &&
	wait_for 60 "test \"\$(job_field $gone Restarts)\" = 1 && job_is $gone RUNNING" &&
	goes_on &&
	wait_for 60 all_in COMPLETED ${members[@]} &&
	all_added
'

# The node of a job is lost as if its power failed, and Slurm is told: lose_node ID
lose_node()
{
	node=$(job_field $1 NodeList) && had_done=$(done_by_now) &&
		slurm_kill_node $node &&
		scontrol update NodeName=$node State=DOWN Reason=test
}

node_comes_back()
{
	slurm_start_node $node && node_returns $node && wait_for 30 nodes_idle
}

test_expect_success '6.5 6.6 the node of rank 0 is lost: the spare has it, all go on' '
	test_when_finished node_comes_back &&
	gather three 4 --gang-spares=1 &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	wait_for 20 has_one spare && wait_for 30 beyond 25 &&
	spare=$(of_rank spare) && gone=$(of_rank 0) &&
	last_loss && lose_node $gone &&
	wait_for 40 "test \"\$(of_rank 0)\" = $spare" &&
	goes_on &&
	wait_for 60 none_in "PENDING|RUNNING|COMPLETING" ${members[@]} &&
	all_added
'
test_expect_success '6.6 without a spare the member comes back on another node' '
	test_when_finished node_comes_back &&
	gather four 3 &&
	wait_for 20 all_in RUNNING ${members[@]} && wait_for 30 beyond 25 &&
	gone=$(of_rank 1) && last_loss && lose_node $gone &&
	wait_for 60 "job_is $gone RUNNING && test \"\$(job_field $gone NodeList)\" != $node" &&
	test "$(of_rank 1)" = $gone && goes_on &&
	wait_for 60 all_in COMPLETED ${members[@]} &&
	all_added
'
last_case
