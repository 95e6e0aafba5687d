#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0593-recorded-state.t - gangs of an earlier version are all there after an upgrade
#
# Each folder of tests/data/upgrade has what a cluster knew of its gangs. A slurmctld
# finds it in its StateSaveLocation. Without a slurmd nothing starts or ends, so what
# it says of each gang must be what was said then.

test_description='A slurmctld with the state that an earlier version saved'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

# Slurm reads the state of two releases before it. The state of 22.05:
test "$SGANG_WITH_SLURM" = no || ! slurm_since 24.11 ||
	skip_test 'Slurm reads no state that is more than two releases old'
sgang=$(checked_sgang)

# Answers in JSON, one gang or job a line, without times that go on, and without what
# a gang was told since.
steady()
{
	without_meta | sed 's/},{/},\n{/g' | sed -E \
		's/"(since|wait_ends|position|attempts|tried|skipped|round|reason|hold_ended|held_seconds|kept_nodes|kept_until)": *("([^"\\]|\\.)*"|[^],}]*),?//g'
}

# A recorded answer, in today's words: version 1.0 of the format has none for a gang
# that was cancelled. recorded FILE
recorded()
{
	local words='/"name":"end-cancelled"/s/"phase":"Finished"/"phase":"Cancelled"/'

	grep -q '"version":"1\.0"' "$1" || words=
	steady <"$1" | sed "$words"
}

# What differs is in list.diff and gang.diff. Recorded is the order of submission.
list_as_recorded()
{
	recorded "$data/list.json" >list.recorded &&
		"$sgang" list --sort=V --json | steady | diff list.recorded - >list.diff
}
gangs_as_recorded()
{
	local file name

	for file in gangs/*.json; do
		name=${file##*/}
		recorded $file >gang.recorded &&
			"$sgang" show --json ${name%.json} | steady |
			diff gang.recorded - >gang.diff ||
			{ cat gang.diff >&2; return 1; }
	done
}
wait_list() { wait_for 5 list_as_recorded || { cat list.diff >&2; return 1; }; }

# What a record says for ever: "ID WORD" a line, of those on stdin.
steady_words()
{
	awk '{
		for (i = 2; i <= NF; i++)
			if ($i ~ /^(gang|phase|rank|min|total|mode|match|role|spare|cold|pool|placeholder|ended|started|created|epoch|epochof|at|layout|asks|onfailure|groups)=/)
				print $1, $i
	}' | sort
}
records()
{
	scontrol -o show job | sed -n \
		's/^JobId=\([0-9]*\) .* SystemComment=\(.*gang=[^ ]* .*\) StdErr=.*/\1 \2/p'
}

records_as_recorded()
{
	steady_words <"$data/records.txt" >words.recorded && test -s words.recorded &&
		records | steady_words | diff words.recorded -
}

# The jobs of these gangs: ids_of GANG...
ids_of()
{
	local gang

	for gang; do
		grep -o '"job_id": *[0-9]*' "gangs/$gang.json" | sed 's/.*[: ]//'
	done
}

begin_with()
{
	rm -rf "$slurm_dir/state" && cp -r $1 "$slurm_dir/state" &&
		slurm_start_munge && slurm_start_ctld
}

# By the command, or as a node that has come says that it runs no such job.
all_begin_again()
{
	test $(restarts_of "$@") = 4 || { "$sgang" requeue run-again && false; }
}

for data in "$top_srcdir"/tests/data/upgrade/*/; do
data=${data%/}
test -z "$slurm_dir" || slurm_cleanup
slurm_setup -n 9 -c 10 --gang --topology "$data/topology.conf" \
	--gang-conf "$(cat "$data/gang.conf")" \
	--conf "$(cat "$data/cluster.conf")"$'\nSlurmdTimeout=0'
gate_setup
gate_close

test_expect_success "${data##*/}: what slurmctld saved before it was killed is taken up" '
	rm -rf gangs killed nodes saved && tar -xJf "$data/state.tar.xz" &&
	begin_with killed && wait_list && records_as_recorded
'
test_expect_success "${data##*/}: what it saved when it was stopped is taken up" '
	slurm_kill9_ctld && begin_with saved && wait_list && wait_cycles &&
	wait_list && gangs_as_recorded
'
test_expect_success "${data##*/}: records say what they said" 'records_as_recorded'
test_expect_success "${data##*/}: no error is in the log" '! errors_left >&2'
test_expect_success "${data##*/}: slurmds come: who waits starts, who ran can begin again" '
	again=($(ids_of run-again)) && waits=($(ids_of wait-plain wait-tree)) &&
	squeue -h -o %A | sort -u | grep -vxF \
		"$(printf "%s\n" ${again[@]} ${waits[@]})" | xargs scancel &&
	gate_open && slurm_start_node $(slurm_node_names) &&
	wait_for 20 all_in RUNNING ${waits[@]} &&
	wait_for 20 all_begin_again ${again[@]} && begins_now ${again[@]} &&
	start_together 20 ${again[@]}
'
test_expect_success "${data##*/}: nothing is left" 'scancel -u root && nothing_left'
done

test_done
