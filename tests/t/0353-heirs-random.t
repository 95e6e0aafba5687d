#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0353-heirs-random.t - members come and go, slurmctld dies: no rank twice
#
# What each member was told when it started is what counts, and Slurm's own word
# on who runs. SEED=N and ROUNDS=N choose other rounds.

test_description='Random losses, requeues, heirs and deaths of slurmctld'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

seed=${SEED:-353} rounds=${ROUNDS:-12}

slurm_setup -n 7 -c 2 --gang
slurm_start

RANDOM=$seed

cat >tells.sh <<-'EOF'
	#!/bin/bash
	env | grep ^SLURM_GANG_ >"$SLURM_SUBMIT_DIR/env.$SLURM_JOB_ID.part" &&
	mv "$SLURM_SUBMIT_DIR/env.$SLURM_JOB_ID.part" \
		"$SLURM_SUBMIT_DIR/env.$SLURM_JOB_ID.${SLURM_RESTART_COUNT:-0}" &&
	exec sleep 600
EOF
chmod 755 tells.sh

member()
{
	submit -N1 -n${1:-2} --exclusive --requeue -t 30 --gang=churn \
		--gang-min-member=5 "$PWD/tells.sh"
}

# told ID NAME: by its present start
told()
{
	sed -n "s/^SLURM_GANG_$2=//p" env.$1.$(job_field $1 Restarts)
}

running() { squeue -h -t R -n tells.sh -o %A; }

# All that live run, and have said who they are.
settled()
{
	local id

	test "$(running | wc -l)" = ${#live[@]} || return 1
	for id in ${live[@]}; do
		test -s env.$id.$(job_field $id Restarts) || return 1
	done
}

# No member rank twice, none beyond their number, no rank of the ring twice; who
# was not touched keeps its rank; and the record says what the member was told.
whole()
{
	local id rank offset n

	wait_for 60 settled || return 1
	for id in ${live[@]}; do
		rank=$(told $id MEMBER_RANK) offset=$(told $id RANK_OFFSET)
		n=$(job_field $id NumTasks)
		test -n "$rank" && test $rank -lt $(told $id MEMBERS) || return 1
		test "$(gang_record $id rank | cut -d/ -f1)" = $rank || return 1
		test -z "${had[id]}" || test "${had[id]}" = $rank || return 1
		had[id]=$rank
		echo "rank $rank"
		seq -f "place %g" $offset $((offset + n - 1))
	done | sort >places
	test ${PIPESTATUS[0]} = 0 && test -z "$(uniq -d places)" || {
		uniq -d places >&2
		return 1
	}
	# as the loop ran in a shell of its own
	for id in ${live[@]}; do had[id]=$(told $id MEMBER_RANK); done
}

# in_file FILE NAME: its value there
in_file() { sed -n "s/^SLURM_GANG_$2='\\(.*\\)'\$/\\1/p" "$1"; }

# The files of all who live say the same: who has which rank, and nobody else.
agree()
{
	local id file first= ids

	for id in ${live[@]}; do
		file=$(told $id STATE)
		test -s "$file" || return 1
		test -z "$first" || cmp -s "$first" "$file" || return 1
		first=$file
	done
	IFS=, read -ra ids <<<"$(in_file "$first" JOB_IDS)"
	for id in ${live[@]}; do
		test "${ids[$(told $id MEMBER_RANK)]}" = $id || return 1
	done
	test "$(printf "%s\n" ${ids[@]} | grep -vcx 0)" = ${#live[@]}
}

# Their epoch never goes back.
epochs()
{
	local file=$(told ${live[0]} STATE) now

	wait_for 15 agree || { cat "${file%/*}"/[0-9]* >&2; return 1; }
	now=$(in_file "$file" EPOCH)
	test $now -ge $epoch && epoch=$now
}

# Not by a substitution: a subshell draws other numbers each time.
any() { any=${live[RANDOM % ${#live[@]}]}; }

lose()
{
	local left=() id

	for id in ${live[@]}; do test $id = $1 || left+=($id); done
	live=(${left[@]}) && unset "had[$1]"
}

# The requeued member may begin at once.
again()
{
	wait_for 30 "test \"\$(job_state $1)\" = PENDING" &&
	wait_for 20 squeue_says $1 BeginTime &&
	scontrol update JobId=$1 StartTime=now+1
}

round()
{
	local id other

	case $((RANDOM % 5)) in
	0)	echo "# one is cancelled, another comes"
		any && id=$any && scancel $id && lose $id && live+=($(member)) ;;
	1)	echo "# two are cancelled, two come, of other sizes"
		for other in 2 $((RANDOM % 2 + 1)); do
			any && id=$any && scancel $id && lose $id || return 1
		done
		live+=($(member 1)) && live+=($(member 2)) ;;
	2)	echo "# one is requeued"
		any && id=$any && scontrol requeue $id && again $id ;;
	3)	echo "# one is requeued, one is cancelled, one comes first"
		any && id=$any && scontrol requeue $id && unset "had[$id]"
		any; while test $any = $id; do any; done; other=$any
		scancel $other && lose $other && live+=($(member)) &&
		wait_state ${live[-1]} RUNNING 30 && again $id ;;
	4)	echo "# one is cancelled, slurmctld dies, one comes"
		any && id=$any && scancel $id && lose $id && slurm_saved ${live[0]} &&
		slurm_kill9_ctld && slurm_start_ctld && live+=($(member)) ;;
	esac && whole && epochs
}

test_expect_success '6.1: the gang starts' '
	had=() live=() epoch=1 &&
	for i in 1 2 3 4 5; do live+=($(member)) || return 1; done &&
	whole
'
for i in $(seq $rounds); do
	test_expect_success "6.1, 6.2, 6.3: seed $seed, $i" '
		round || { squeue >&2; grep -H "RANK\|OFFSET" env.* >&2; false; }
	'
done
test_expect_success 'nothing is left' 'clear_cluster; nothing_left'

test_done
