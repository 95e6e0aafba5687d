#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0392-spares.t - members without a member rank, which take that of one that is lost

test_description='--gang-spares'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cluster -n 7 -c 2 --gang --conf KillWait=2

tells_script

# gather GANG COUNT [OPTIONS]: so many members, three of which have a rank
gather()
{
	gang_of_nodes $1 $2 -n2 -t 10 --gang-min-member=3 "${@:3}" "$PWD/tells.sh"
}

# now ID NAME [RESTART]: what its file says
now() { (. "$(told $1 STATE $3)" && eval "echo \$SLURM_GANG_$2"); }

# Of those that run, the ranked ones by rank, as "ids", and the spares.
sort_out()
{
	ids=() spares=()
	local id rank

	for id in ${members[@]}; do
		job_is $id RUNNING || continue
		rank=$(gang_record $id rank)
		if test -n "$rank"; then
			ids[${rank%/*}]=$id
		elif test "$(gang_record $id spare)" = 1; then
			spares+=($id)
		fi
	done
	echo "ranked: ${ids[*]}, spares: ${spares[*]}"
}

joined() { local IFS=,; echo "$*"; }

# All that run know the same: all_know IDS SPARES ID...
all_know()
{
	local ids=$1 spares=$2 id

	for id in "${@:3}"; do
		test "$(now $id JOB_IDS) $(now $id SPARE_JOB_IDS)" = \
			"$ids $spares" || return 1
	done
}

test_expect_success '6.5 three start with ranks, and two as spares' '
	gather ring 5 --gang-spares=2 &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	for id in ${members[@]}; do
		wait_for 15 "grep -q STATE= env.$id.0" || return 1
	done &&
	sort_out && test ${#ids[@]} = 3 && test ${#spares[@]} = 2 &&
	started_together ${ids[@]}
'
test_expect_success '6.1 6.5 a spare knows its gang, and has no member rank' '
	test -z "$(told ${spares[0]} MEMBER_RANK)" &&
	test "$(told ${spares[0]} JOB_IDS)" = $(joined ${ids[@]}) &&
	test "$(told ${ids[0]} SPARE_JOB_IDS)" = "" &&
	wait_for 15 all_know $(joined ${ids[@]}) $(joined ${spares[@]}) \
		${members[@]} &&
	"$sgang" epoch ring >said && cat said &&
	grep "SLURM_GANG_SPARE_JOB_IDS=.${spares[0]},${spares[1]}." said
'
test_expect_success '6.5 one is lost: a spare has its rank at once, the others keep theirs' '
	epoch=$(now ${ids[0]} EPOCH) && lost=${ids[1]} &&
	touch $lost.fail && wait_state $lost FAILED &&
	from=$(date +%s%N) &&
	wait_for 15 "test \$(now ${ids[0]} EPOCH) -gt $epoch" &&
	echo "$((($(date +%s%N) - from) / 1000000)) ms" &&
	old=(${ids[@]}) && sort_out &&
	test "${ids[0]} ${ids[2]}" = "${old[0]} ${old[2]}" &&
	test ${ids[1]} != $lost && test ${#spares[@]} = 1 &&
	wait_for 15 all_know $(joined ${ids[@]}) ${spares[0]} ${ids[@]} \
		${spares[0]} &&
	test "$(restarts_of ${ids[@]} ${spares[@]})" = 0
'
test_expect_success '6.5 a new member is a spare, as one is missing' '
	old=(${ids[@]}) && new=(${members[@]}) && gather ring 1 --gang-spares=2 &&
	more=$members && members=(${new[@]} $more) &&
	wait_state $more RUNNING && wait_for 15 "grep -q STATE= env.$more.0" &&
	test "$(gang_record $more spare)" = 1 &&
	test "$(told $more JOB_IDS)" = $(joined ${old[@]}) &&
	wait_for 15 all_know $(joined ${ids[@]}) ${spares[0]},$more ${ids[@]}
'
test_expect_success '6.12 the next has a new rank, as enough spares are there' '
	new=(${members[@]}) && gather ring 1 --gang-spares=2 && more=$members &&
	members=(${new[@]} $more) && wait_state $more RUNNING &&
	test "$(gang_record $more rank)" = 3/4
'
test_expect_success '6.5 a spare is cancelled: nobody has lost anything' '
	sort_out && gone=${spares[0]} && scancel $gone &&
	wait_state $gone CANCELLED &&
	wait_for 15 all_know $(joined ${ids[@]}) ${spares[1]} ${ids[@]} &&
	all_in RUNNING ${ids[@]} ${spares[1]}
'
test_expect_success '6.5 slurmctld is killed before the spare is told' '
	old=(${ids[@]}) && slurm_saved ${ids[0]} && slurm_kill9_ctld &&
	touch ${ids[2]}.fail && wait_for 10 "test ! -e ${ids[2]}.fail" &&
	slurm_start_ctld && wait_state ${old[2]} FAILED 60 &&
	wait_for 30 "sort_out && test -z \"\${spares[*]}\"" && sort_out &&
	test "${ids[0]} ${ids[1]} ${ids[3]}" = "${old[0]} ${old[1]} ${old[3]}" &&
	test -n "${ids[2]}" && test ${ids[2]} != ${old[2]} &&
	wait_for 30 all_know $(joined ${ids[@]}) "" ${ids[@]}
'
test_expect_success '6.5 all complete' 'let_end ring ${ids[@]}'
test_expect_success '6.6 6.5 replaced: the spare has the rank, who comes back is the spare' '
	gather back 4 --gang-spares=1 --gang-on-failure=replace &&
	wait_for 20 all_in RUNNING ${members[@]} &&
	wait_for 20 "sort_out && test \${#spares[@]} = 1" &&
	lost=${ids[0]} spare=${spares[0]} && touch $lost.fail &&
	wait_for 30 "test \"\$(gang_record $lost spare)\" = 1" &&
	wait_for 20 "sort_out && test \"\${ids[0]} \${spares[0]}\" = \"$spare $lost\"" &&
	wait_for 15 "grep -q STATE= env.$lost.1" &&
	grep -x "SLURM_GANG_MEMBER_RANK=" env.$lost.1 &&
	wait_for 15 "test \"\$(now $lost SPARE_JOB_IDS 1)\" = $lost"
'
test_expect_success '6.5 a member that completes is not lost; in the end the spare ends' '
	touch back.go && wait_for 30 queue_empty &&
	gang_log root/back "starts with member rank 0 of 3" >log &&
	test $(wc -l <log) = 1
'
test_expect_success '6.5 one completes: no spare takes its place, and the last ends them' '
	gather fine 4 --gang-spares=1 && wait_for 20 all_in RUNNING ${members[@]} &&
	sort_out && wait_for 15 "grep -q STATE= env.${ids[1]}.0" &&
	scancel -b --signal=USR1 ${ids[0]} && wait_state ${ids[0]} COMPLETED &&
	wait_for 10 "test \"\$(now ${ids[1]} JOB_IDS)\" = 0,${ids[1]},${ids[2]}" &&
	test "$(gang_record ${spares[0]} spare)" = 1 &&
	scancel -b --signal=USR1 ${ids[1]} ${ids[2]} &&
	wait_for 20 queue_empty &&
	test "$(squeue -h -t all -j ${spares[0]} -o %r)" = \
		"Gang root/fine ended: no spare is needed"
'
test_expect_success '6.5 the gang waits for its minimum, and not for spares' '
	blocker=$(run_job -N 4 --exclusive --wrap="sleep 300") &&
	gather few 5 --gang-total-number=5 --gang-spares=2 &&
	wait_for 20 "test \$(squeue -h -t R -o %A -j $(joined ${members[@]}) | wc -l) = 3" &&
	scancel $blocker && wait_for 20 all_in RUNNING ${members[@]} &&
	sort_out && test ${#ids[@]} = 3 && test ${#spares[@]} = 2 &&
	scancel ${members[@]} && wait_for 15 nodes_idle
'

test_expect_success '6.2 6.5 a spare has the ranks of the seat that it takes' '
	gather groups 6 --gang-min-member=4 --gang-spares=2 \
		--gang-parallel=dp=2,tp=4:dp=1,tp=9 &&
	wait_for 20 all_in RUNNING ${members[@]} && sort_out &&
	for id in ${members[@]}; do
		wait_for 15 "grep -q STATE= env.$id.0" || return 1
	done &&
	all=$(told ${ids[0]} LAYOUTS) && lost=(${ids[1]} ${ids[2]}) &&
	for i in 1 2; do
		was[$i]=$(told ${ids[i]} LAYOUT) && test -n "${was[i]}" || return 1
	done &&
	epoch=$(now ${ids[0]} EPOCH) && touch ${lost[0]}.fail &&
	wait_for 15 "sort_out && test \${#spares[@]} = 1" &&
	touch ${lost[1]}.fail &&
	wait_for 15 "sort_out && test \${#spares[@]} = 0" && sort_out &&
	wait_for 15 all_know $(joined ${ids[@]}) "" ${ids[@]} &&
	test "$(now ${ids[1]} LAYOUTS)" = $all &&
	"$sgang" epoch groups | grep -x "SLURM_GANG_LAYOUTS=.$all." &&
	for i in 1 2; do
		srun --jobid=${ids[i]} --overlap -n1 sh -c \
			"echo \$SLURM_GANG_MEMBER_RANK \$SLURM_GANG_LAYOUT" \
			>step && cat step && grep -x "$i ${was[i]}" step ||
			return 1
	done &&
	touch groups.go && wait_for 15 nodes_idle
'
test_expect_success '1.58 6.5 the tasks of an array' '
	array=$(submit --array=0-4 -N1 -n2 --exclusive -t 10 --gang=tasks \
		--gang-min-member=3 --gang-spares=2 "$PWD/tells.sh") &&
	wait_for 20 "test \$(squeue -h -r -t R -j $array | wc -l) = 5" &&
	members=($(squeue -h -r -j $array -o %A | sort -n)) && sort_out &&
	test ${#ids[@]} = 3 && test ${#spares[@]} = 2 && lost=${ids[2]} &&
	touch $lost.fail && wait_state $lost FAILED &&
	wait_for 15 "sort_out && test \${#spares[@]} = 1" && sort_out &&
	test -n "${ids[2]}" && test ${ids[2]} != $lost &&
	scancel $array && wait_for 15 nodes_idle
'

last_case '
	squeue -h -o %A | xargs -r scancel && nothing_left
'
