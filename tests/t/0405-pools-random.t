#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0405-pools-random.t - two gangs lose members at any time, and slurmctld dies: who
# of their pool runs, where and how often
#
# Each member takes its seat as a folder in the file system, which fails where
# another one has it, and says what it was told. That and squeue decide; what
# slurm-gang writes is not asked. SEED=N and ROUNDS=N choose other rounds.

test_description='Random losses in two gangs with one pool of spares'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

seed=${SEED:-405} rounds=${ROUNDS:-8}

slurm_setup -n 9 -c 2 --gang --conf KillWait=2
slurm_start
sgang=$top_builddir/src/cmd/sgang

RANDOM=$seed

# ID.fail makes it fail, and GANG.go end.
cat >sits.sh <<-'EOF'
	#!/bin/bash
	cd "$SLURM_SUBMIT_DIR"
	seat=seat.$SLURM_GANG_NAME.$SLURM_GANG_MEMBER_RANK
	mkdir $seat || echo $SLURM_JOB_ID at $seat >>clashes
	echo $SLURM_JOB_ID.${SLURM_RESTART_COUNT:-0} >>begun
	echo $SLURM_JOB_ID >$seat/id.part && mv $seat/id.part $seat/id
	code=0
	until test -e $SLURM_GANG_NAME.go; do
		if rm $SLURM_JOB_ID.fail 2>/dev/null; then code=3; break; fi
		read -rt 0.1 <> <(:) || :
	done
	rm -r $seat
	exit $code
EOF
chmod 755 sits.sh
touch begun clashes

member()
{
	submit -N1 -n2 --exclusive -t 30 --gang=$1 --gang-min-member=3 \
		--gang-spare-pool=reserve "$PWD/sits.sh"
}

# The jobs that have a seat, or that Slurm says are in the state.
seated() { cat seat.$1.*/id 2>/dev/null | sort -n; }
jobs_of() { squeue -h -t $1 -n sits.sh -o %A | sort -n; }

# Both gangs are whole: three seats each, none twice, all of jobs that run; the
# others only hold nodes; no job has begun twice.
whole()
{
	local gang

	for gang in one two; do
		test "$(echo seat.$gang.*)" = \
			"seat.$gang.0 seat.$gang.1 seat.$gang.2" &&
			test "$(seated $gang | uniq | wc -l)" = 3 || return 1
	done
	test "$( (seated one; seated two) | sort -n)" = "$(jobs_of R)" &&
		test "$(jobs_of CF | wc -l)" = $pooled
}

sound()
{
	test ! -s clashes && test "$(sort begun | uniq -d)" = "" &&
		test "$(echo seat.reserve*)" = "seat.reserve*" ||
		{ cat clashes begun; ls -d seat.*; return 1; }
}

# As many spares as there are nodes for.
refill()
{
	while test $pooled -lt 3; do
		submit -N1 -n2 --exclusive -t 30 --gang=reserve \
			"$PWD/sits.sh" || return 1
		pooled=$((pooled + 1))
	done && wait_for 60 whole && sound
}

# loses GANG: any of its members fails
loses()
{
	local ids=($(seated $1))

	touch ${ids[RANDOM % 3]}.fail && pooled=$((pooled - 1))
}

restarts() { slurm_kill9_ctld && slurm_start_ctld; }

round()
{
	local any=$(jobs_of R | head -n 1) gangs=(one two)

	case $1 in
	0)	echo "# one goes"
		loses ${gangs[RANDOM % 2]} ;;
	1)	echo "# one of each goes"
		loses one && loses two ;;
	2)	echo "# one of each goes, slurmctld dies"
		slurm_saved $any && loses two && loses one && restarts ;;
	3)	echo "# slurmctld dies, one of each goes"
		slurm_saved $any && slurm_kill9_ctld && loses one && loses two &&
			slurm_start_ctld ;;
	4)	echo "# one goes, and a spare is cancelled"
		loses ${gangs[RANDOM % 2]} &&
			wait_for 60 whole && scancel $(jobs_of CF | head -n 1) &&
			pooled=$((pooled - 1)) ;;
	esac && wait_for 90 whole && sound && refill
}

test_expect_success '6.5 the pool and the gangs begin' '
	"$sgang" create reserve --pool && pooled=0 &&
	for i in 1 2 3; do member one && member two || return 1; done &&
	refill
'
for i in $(seq $rounds); do
	kind=$((RANDOM % 5))
	test_expect_success "6.5 seed $seed, $i" "
		round $kind || { squeue; cat clashes begun; ls -d seat.*; false; }
	"
done
test_expect_success '6.5 the gangs end, and the spares stay until their pool is gone' '
	touch one.go two.go && wait_for 30 "test -z \"\$(jobs_of R)\"" &&
	test "$(jobs_of CF | wc -l)" = 3 && sound &&
	"$sgang" delete reserve && wait_for 20 queue_empty && sound
'
test_expect_success 'nothing is left' 'clear_cluster; nothing_left'

test_done
