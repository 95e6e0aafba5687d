#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0354-epochs.t - each change of who is in a gang is a number that all members see

test_description='SLURM_GANG_EPOCH, and the file that SLURM_GANG_STATE names'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 6 -c 2 --gang
slurm_start
sgang=$(checked_sgang)

# A member, which tells what it was told and runs until it is cancelled.
cat >tells.sh <<-'EOF'
	#!/bin/bash
	env | grep ^SLURM_GANG_ >"$SLURM_SUBMIT_DIR/env.$SLURM_JOB_ID"
	while :; do
		test ! -e "$SLURM_SUBMIT_DIR/step.$SLURM_JOB_ID" || {
			rm "$SLURM_SUBMIT_DIR/step.$SLURM_JOB_ID"
			srun -n2 --overlap sh -c 'echo $SLURM_GANG_EPOCH \
				$SLURM_GANG_JOB_IDS' \
				>"$SLURM_SUBMIT_DIR/said.$SLURM_JOB_ID"
		}
		read -rt 0.1 <> <(:) || :
	done
EOF
chmod 755 tells.sh

member()
{
	local name=$1

	shift
	submit -N1 -n2 --exclusive -t 10 --gang=$name --gang-min-member=3 "$@" \
		"$PWD/tells.sh"
}

# told ID NAME: what the member was started with
told() { sed -n "s/^SLURM_GANG_$2=//p" env.$1; }
has_told() { wait_for 15 "grep -q STATE= env.$1"; }

# now ID NAME: what its file says
now() { (. "$(told $1 STATE)" && eval "echo \$SLURM_GANG_$2"); }

# all_know EPOCH IDS ID...: the files of these
all_know()
{
	local epoch=$1 ids=$2 id

	shift 2
	for id; do
		test "$(now $id EPOCH) $(now $id JOB_IDS)" = "$epoch $ids" ||
			return 1
	done
}

in_rank_order()
{
	local id

	for id; do echo "$(gang_record $id rank) $id"; done | sort -n |
		cut -d' ' -f2
}

joined() { local IFS=,; echo "$*"; }

test_expect_success '6.3: all begin with the first epoch' '
	members=($(member ring) $(member ring) $(member ring)) &&
	wait_for 15 all_in RUNNING ${members[@]} &&
	for id in ${members[@]}; do has_told $id || return 1; done &&
	members=($(in_rank_order ${members[@]})) &&
	for id in ${members[@]}; do
		test "$(told $id EPOCH)" = 1 || return 1
	done &&
	test "$(told ${members[0]} NODES_PER_MEMBER)" = 1,1,1 &&
	test "$(told ${members[0]} RANKS_PER_MEMBER)" = 2,2,2 &&
	all_know 1 $(joined ${members[@]}) ${members[@]} &&
	test "$(gang_record ${members[0]} epoch)" = 1
'
test_expect_success '6.3: the file is its user'\''s, and nobody else reads it' '
	file=$(told ${members[0]} STATE) &&
	test "$(stat -c "%a %U" "$file")" = "400 root" &&
	tail -1 "$file" | grep -x "# end"
'
test_expect_success '6.3: sgang epoch says the same, from outside and in a member' '
	"$sgang" epoch ring >outside &&
	grep -x "SLURM_GANG_EPOCH=.1." outside &&
	grep -x "SLURM_GANG_JOB_IDS=.$(joined ${members[@]})." outside &&
	grep -x "SLURM_GANG_NODELIST=.$(told ${members[0]} NODELIST)." outside &&
	grep -x "SLURM_GANG_NODES_PER_MEMBER=.1,1,1." outside &&
	SLURM_GANG_STATE=$file "$sgang" epoch ring >inside &&
	test_cmp "$file" inside &&
	SLURM_GANG_STATE=$file "$sgang" epoch --json ring |
		jq -e ".epoch == 1 and .job_ids == [$(joined ${members[@]})] and
			.ranks_per_member == [2,2,2] and .name == \"ring\"" &&
	test_expect_code 1 "$sgang" epoch nothing 2>err &&
	grep -F "there is no gang nothing" err &&
	test_expect_code 2 "$sgang" epoch --wait=0 ring 2>err &&
	grep -F "expected a number from 1" err
'
test_expect_success '6.3: a loss is an epoch, for which sgang epoch --wait waits' '
	{ SLURM_GANG_STATE=$file "$sgang" epoch --wait=2 ring >next & } &&
	inside=$! &&
	{ "$sgang" epoch --wait=2 --format=json ring >other & } &&
	outside=$! &&
	scancel ${members[1]} &&
	lost=${members[1]} &&
	wait_for 15 "all_know 2 ${members[0]},0,${members[2]} \
		${members[0]} ${members[2]}" &&
	test "$(now ${members[0]} NODES_PER_MEMBER)" = 1,0,1 &&
	wait $inside && wait $outside &&
	grep -x "SLURM_GANG_JOB_IDS=.${members[0]},0,${members[2]}." next &&
	jq -e ".epoch == 2 and .job_ids == [${members[0]},0,${members[2]}]" other
'
test_expect_success '6.3: an heir is one, which it is started with' '
	heir=$(member ring) &&
	wait_state $heir RUNNING && has_told $heir &&
	test "$(told $heir EPOCH)" = 3 &&
	members[1]=$heir &&
	wait_for 15 "all_know 3 $(joined ${members[@]}) ${members[*]}" &&
	test "$(gang_record ${members[0]} epoch)" = 3
'
test_expect_success '6.3: a step that starts now knows it' '
	touch step.${members[0]} &&
	wait_for 15 "test \"\$(grep -cx \"3 $(joined ${members[@]})\" \
		said.${members[0]})\" = 2"
'
test_expect_success '6.3: slurmctld that died neither forgets nor makes one up' '
	wait_for 20 "test -z \"\$(gang_record ${members[0]} since)\"" &&
	slurm_saved ${members[0]} &&
	slurm_kill9_ctld && slurm_start_ctld &&
	wait_for 15 "gang_log root/ring running" &&
	test "$(gang_record ${members[0]} epoch)" = 3 &&
	all_know 3 $(joined ${members[@]}) ${members[@]} &&
	slurm_kill9_ctld &&
	kill -KILL $(pgrep -f "$slurm_dir/spool/.*/job0*${members[2]}/slurm_script") &&
	slurm_start_ctld &&
	wait_for 60 "all_know 4 ${members[0]},${members[1]},0 \
		${members[0]} ${members[1]}"
'
test_expect_success '6.3: a restart of slurmd keeps the file, and the next epoch comes' '
	node=$(job_field ${members[0]} NodeList) &&
	slurm_stop_node $node && slurm_start_node $node &&
	wait_for 30 "test \"\$(node_field $node State)\" = ALLOCATED" &&
	all_know 4 ${members[0]},${members[1]},0 ${members[0]} &&
	heir=$(member ring) && members[2]=$heir &&
	wait_for 60 "all_know 5 $(joined ${members[@]}) ${members[*]}"
'
test_expect_success 'the files are gone with the members' '
	file=$(told ${members[0]} STATE) &&
	{ "$sgang" epoch --wait=99 ring 2>err & } && waits=$! &&
	scancel ${members[@]} &&
	test_expect_code 1 wait $waits && grep -F "the gang ring has ended" err &&
	wait_for 30 "test ! -e \"$file\" && test ! -e \"$file.lock\""
'
test_expect_success 'nothing is left' '
	clear_cluster && nothing_left
'

test_done
