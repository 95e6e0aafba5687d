#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# elastic.sh COMMAND... - run it on all members, anew whenever one is lost or joins
#
# For a batch script of a gang; each member runs one. COMMAND is started as a
# step, with the variables of gang_env.sh, as soon as this member has a rank and
# no other rank is without a member: a spare waits until one is lost. When a
# member is lost or another one has its rank, COMMAND is ended with SIGTERM and
# started with the new ranks; it goes on from a checkpoint of its own.
#
# COMMAND ends with 75 if it has lost a peer: then the next epoch is waited for,
# and if there is none within two minutes the member ends as well.
# With any other code the member ends.

lost=75 patience=120
cd "$(dirname "$0")" || exit 1

# Read who is in the gang; true if every rank has a member, and this one a rank.
look()
{
	. "$SLURM_GANG_STATE" || exit 1
	case ,$SLURM_GANG_JOB_IDS, in
	*,0,*) return 1 ;;
	*,"$SLURM_JOB_ID",*) return 0 ;;
	*) return 1 ;;
	esac
}

# Run COMMAND until it ends or other members have the ranks.
run()
{
	local members=$SLURM_GANG_JOB_IDS step

	srun --kill-on-bad-exit bash -c '. ./gang_env.sh && exec "$@"' elastic "$@" &
	step=$!
	while kill -0 $step 2>/dev/null; do
		if ! look || test "$SLURM_GANG_JOB_IDS" != "$members"; then
			kill $step
			wait $step
			return $lost
		fi
		sleep 0.2
	done
	wait $step
}

since=$SECONDS epoch=
while :; do
	until look && test "$SLURM_GANG_EPOCH" != "$epoch"; do
		test "$SLURM_GANG_EPOCH" != "$epoch" ||
			test $((SECONDS - since)) -le $patience || exit $lost
		sleep 0.2
	done
	epoch=$SLURM_GANG_EPOCH
	run "$@"
	code=$?
	test $code = $lost || exit $code
	since=$SECONDS
done
