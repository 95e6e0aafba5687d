#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0361-drained-nodes.t - the members of a gang hear that a node of theirs drains

test_description='A node that drains, and one that does not any more, is an epoch'

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
				$SLURM_GANG_DRAINING' \
				>"$SLURM_SUBMIT_DIR/said.$SLURM_JOB_ID"
		}
		read -rt 0.1 <> <(:) || :
	done
EOF
chmod 755 tells.sh

# member NAME N NODES: of a gang of N
member()
{
	submit -N$3 -n$3 --exclusive -t 10 --gang=$1 --gang-min-member=$2 \
		"$PWD/tells.sh"
}

# told ID NAME: what the member was started with
told() { sed -n "s/^SLURM_GANG_$2=//p" env.$1; }
has_told() { wait_for 15 "grep -q STATE= env.$1"; }

# now ID NAME: what its file says
now() { (. "$(told $1 STATE)" && eval "echo \"\$SLURM_GANG_$2\""); }

# all_know EPOCH DRAINING ID...: the files of these, and their records
all_know()
{
	local epoch=$1 draining=$2 id

	shift 2
	for id; do
		test "$(now $id EPOCH) $(now $id DRAINING)" = \
			"$epoch $draining" &&
			test "$(gang_record $id epoch)" = $epoch || return 1
	done
}

nodes_of() { told $1 MEMBER_NODELIST | tr , ' '; }
first_of() { set -- $(nodes_of $1); echo $1; }
last_of() { set -- $(nodes_of $1); echo ${!#}; }

drain() { scontrol update NodeName=$1 State=${2:-DRAIN} Reason="$1 is tested"; }
undrain() { scontrol update NodeName=$1 State=RESUME; }

# slurmctld has heard of it since it is there.
answers() { node_field $1 State | grep -q "^ALLOCATED+"; }

# In the order of the ring.
in_ring_order()
{
	tr , '\n' <<<"$(told ${ring[0]} NODELIST)" |
		grep -x "$(printf -- '%s\n' "$@")" | paste -sd,
}

test_expect_success 'two gangs and an idle node' '
	ring=($(member ring 2 2) $(member ring 2 2)) &&
	other=$(member other 1 1) &&
	wait_for 15 all_in RUNNING ${ring[@]} $other &&
	for id in ${ring[@]} $other; do has_told $id || return 1; done &&
	idle=$(sinfo -h -t idle -o %N) && test -n "$idle" &&
	all_know 1 "" ${ring[@]} $other &&
	grep -x SLURM_GANG_DRAINING= env.${ring[0]}
'
test_expect_success '6.3: a node that drains is an epoch of the gang that has it alone' '
	drain $idle &&
	drain $(first_of $other) &&
	wait_for 15 "all_know 2 $(first_of $other) $other" &&
	all_know 1 "" ${ring[@]} &&
	undrain $(first_of $other) &&
	wait_for 15 "all_know 3 \"\" $other" &&
	all_know 1 "" ${ring[@]}
'
test_expect_success '6.3: all of its members hear of it' '
	a=$(first_of ${ring[0]}) b=$(last_of ${ring[1]}) &&
	{ "$sgang" epoch --wait=2 ring >outside & } && waits=$! &&
	drain $a &&
	wait_for 15 "all_know 2 $a ${ring[*]}" &&
	wait $waits &&
	grep -x "SLURM_GANG_DRAINING=.$a." outside &&
	all_in RUNNING ${ring[@]} &&
	drain $b &&
	wait_for 15 "all_know 3 $(in_ring_order $a $b) ${ring[*]}"
'
test_expect_success '6.3: sgang epoch names the nodes, outside and in a member' '
	file=$(told ${ring[0]} STATE) &&
	"$sgang" epoch ring >outside &&
	SLURM_GANG_STATE=$file "$sgang" epoch ring >inside &&
	for says in outside inside; do
		grep -x "SLURM_GANG_DRAINING=.$(in_ring_order $a $b)." $says ||
			return 1
	done &&
	"$sgang" epoch --json ring |
		jq -e ".epoch == 3 and (.draining | sort) ==
			([\"$a\", \"$b\"] | sort)" &&
	SLURM_GANG_STATE=$file "$sgang" epoch --json ring |
		jq -e ".epoch == 3 and (.draining | length) == 2"
'
test_expect_success '6.3: a step that starts now knows it' '
	touch step.${ring[0]} &&
	wait_for 15 "test \"\$(grep -cx \"3 $(in_ring_order $a $b)\" \
		said.${ring[0]})\" = 2"
'
test_expect_success '6.3: slurmctld that died makes no other number' '
	wait_for 20 "test -z \"\$(gang_record ${ring[0]} since)\"" &&
	wait_for 20 grep -aq "$b is tested" "$slurm_dir/state/node_state" &&
	slurm_saved ${ring[0]} &&
	slurm_kill9_ctld && slurm_start_ctld &&
	wait_for 15 "gang_log root/ring running" &&
	all_know 3 $(in_ring_order $a $b) ${ring[@]} &&
	wait_for 30 "answers $a" && wait_for 30 "answers $b" &&
	all_know 3 $(in_ring_order $a $b) ${ring[@]}
'
test_expect_success '6.3: a node that is used again is an epoch' '
	undrain $a &&
	wait_for 15 "all_know 4 $b ${ring[*]}" &&
	"$sgang" epoch --json ring |
		jq -e ".epoch == 4 and .draining == [\"$b\"]" &&
	undrain $b &&
	wait_for 15 "all_know 5 \"\" ${ring[*]}" &&
	"$sgang" epoch --json ring |
		jq -e ".epoch == 5 and .draining == []" &&
	"$sgang" epoch ring | grep -x "SLURM_GANG_DRAINING=.."
'
test_expect_success '6.3: so is one that is failing' '
	drain $a FAIL &&
	wait_for 15 "all_know 6 $a ${ring[*]}" &&
	undrain $a &&
	wait_for 15 "all_know 7 \"\" ${ring[*]}" &&
	all_know 3 "" $other &&
	all_in RUNNING ${ring[@]} $other
'
test_expect_success 'nothing is left' '
	undrain $idle &&
	clear_cluster && nothing_left
'

test_done
