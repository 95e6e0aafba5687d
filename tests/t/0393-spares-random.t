#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0393-spares-random.t - members and spares are lost, slurmctld dies: who has which rank
#
# What the files of the members say is compared with Slurm's own word on who runs
# and with who had which rank before. Then the same with cold spares, which have
# no file, and begin once at the most between two losses. SEED=N and ROUNDS=N
# choose other rounds, KIND=hot or KIND=cold one of the two.

test_description='Random losses in gangs with spares, replaced or not'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

seed=${SEED:-393} rounds=${ROUNDS:-8}

slurm_setup -n 7 -c 2 --gang --conf KillWait=2
slurm_start

RANDOM=$seed

cat >tells.sh <<-'EOF'
	#!/bin/bash
	echo $SLURM_JOB_ID $SLURM_RESTART_COUNT >>"$SLURM_SUBMIT_DIR/begun"
	echo $$ >"$SLURM_SUBMIT_DIR/pid.$SLURM_JOB_ID"
	echo $SLURM_GANG_STATE >"$SLURM_SUBMIT_DIR/state.$SLURM_JOB_ID.part" &&
	mv "$SLURM_SUBMIT_DIR/state.$SLURM_JOB_ID.part" \
		"$SLURM_SUBMIT_DIR/state.$SLURM_JOB_ID" &&
	exec sleep 600
EOF
chmod 755 tells.sh

# Four ranks, and one or two spares.
choose()
{
	policies=(ignore replace)
	policy=${policies[RANDOM % 2]} wanted=$((RANDOM % 2 + 1))
	cold= && test $1 = hot || cold=:cold
	had=() live=() epoch=1 gone=$((4 + wanted))
	rm -f state.* begun
}

member()
{
	submit -N1 -n2 --exclusive -t 30 --gang=churn --gang-min-member=4 \
		--gang-spares=$wanted$cold --gang-on-failure=$policy \
		--gang-max-restarts=100 "$PWD/tells.sh"
}

# Both are of one look at the queue. A cold spare is CONFIGURING.
look() { queue=$(squeue -h -t R,CF -n tells.sh -o "%A %T" | sort -n); }
running() { sed "s/ .*//" <<<"$queue"; }
launched() { sed -n "s/ RUNNING//p" <<<"$queue"; }

# What a file says: said ID NAME
said()
{
	sed -n "s/^SLURM_GANG_$2='\\(.*\\)'\$/\\1/p" "$(cat state.$1)"
}

words() { tr , ' ' <<<"$1"; }
sorted() { printf "%s\n" "$@" | sed /^$/d | sort -n; }

# All that should live run, and their files say the same: each of them is there
# once, with a rank or as a spare, and nobody else; nobody is a spare while a rank
# is vacant. In "ranks" and "spares".
agree()
{
	local id first= file

	look
	test "$(running)" = "$(sorted ${live[@]})" || return 1
	test -n "$cold" || test "$(launched)" = "$(running)" || return 1
	test $policy = replace || test "$(sort begun | uniq -d)" = "" ||
		return 1
	for id in $(launched); do
		test -s state.$id && file=$(cat state.$id) && test -s "$file" ||
			return 1
		test -z "$first" || cmp -s "$first" "$file" || return 1
		first=$file
	done
	first=$(launched | head -n 1) && test -n "$first" || return 1
	ranks=($(words "$(said $first JOB_IDS)"))
	spares=($(words "$(said $first SPARE_JOB_IDS)"))
	# it is a moment until a spare has the place of who was lost
	[[ " ${ranks[*]} " != *" 0 "* ]] || test -z "${spares[*]}" || return 1
	test -z "$cold" ||
		test "$(sorted ${ranks[@]} | grep -vx 0)" = \
			"$(sorted $(launched))" || return 1
	test "$(sorted ${ranks[@]} ${spares[@]} | grep -vx 0)" = \
		"$(sorted ${live[@]})"
}

# Who had a rank has it; the epoch has not gone back.
holds()
{
	local i now

	wait_for 90 agree || return 1
	echo "ranks ${ranks[*]}, spares ${spares[*]}"
	for i in 0 1 2 3; do
		test -z "${had[i]}" || test "${had[i]}" = ${ranks[i]} || return 1
		had[i]=${ranks[i]#0}
	done
	test ${#spares[@]} -le $wanted || return 1
	now=$(said $(launched | head -n 1) EPOCH) && test $now -ge $epoch &&
		epoch=$now
}

# Not by a substitution: a subshell draws other numbers each time.
any() { any=${live[RANDOM % ${#live[@]}]}; }

drop()
{
	local left=() id

	for id in ${live[@]}; do test $id = $1 || left+=($id); done
	live=(${left[@]})
}

# Nothing of it runs that could fail.
is_cold() { test -n "$cold" && printf "%s\n" ${spares[@]} | grep -qx $1; }

# It is cancelled, or fails: then it comes back if it is replaced.
lose()
{
	local id=$1 i

	for i in 0 1 2 3; do test "${had[i]}" != $id || had[i]=; done
	if test $((RANDOM % 2)) = 0 || is_cold $id; then
		cancelled=t
		scancel $id && drop $id && gone=$((gone + 1))
		return
	fi
	struck=$(cat pid.$id) && rm -f state.$id &&
		scancel -b --signal=KILL $id || return 1
	test $policy = replace || { drop $id && gone=$((gone + 1)); }
}

is_dead() { ! kill -0 $1 2>/dev/null; }

# Slurm forgets a cancellation that it had no time to save, and a signal that it
# had no time to send, and the job runs.
cancel_saved()
{
	test -z "$cancelled" || slurm_saved $live || return 1
	test -z "$struck" || wait_for 30 is_dead $struck
}

# As many as are gone come anew.
refill()
{
	while test $gone -gt 0; do
		live+=($(member)) && gone=$((gone - 1)) || return 1
	done
}

round()
{
	local id other cancelled= struck=

	gone=0
	case $((RANDOM % 5)) in
	0)	echo "# one goes"
		any && lose $any && holds ;;
	1)	echo "# two go"
		any; id=$any
		while test $any = $id; do any; done; other=$any
		lose $id && lose $other && holds ;;
	2)	echo "# one goes, slurmctld dies"
		slurm_saved $live && any && lose $any && cancel_saved &&
			slurm_kill9_ctld && slurm_start_ctld && holds ;;
	3)	echo "# slurmctld dies, one goes"
		slurm_saved $live && any && id=$any && slurm_kill9_ctld &&
			slurm_start_ctld && lose $id && holds ;;
	4)	echo "# one goes as another one comes"
		any && lose $any && refill && holds ;;
	esac && refill && holds
}

for kind in ${KIND:-hot cold}; do
	choose $kind
	test_expect_success "6.5 $policy, $wanted $kind spares: the gang starts" '
		refill && holds && test ${#spares[@]} = $wanted
	'
	for i in $(seq $rounds); do
		test_expect_success "6.2 6.3 6.5 6.6: $kind, seed $seed, $i" '
			round || {
				squeue >&2
				for id in $(launched); do
					cat "$(cat state.$id)" |
						grep "EPOCH\|JOB_IDS" >&2
				done
				false
			}
		'
	done
	test_expect_success "$kind: nothing is left" 'clear_cluster; nothing_left'
done

test_done
