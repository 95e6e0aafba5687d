#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0421-backup.t - a backup controller in control: the job state is saved by
# slurmctld's own thread alone
#
# The first controller is a host that does not answer. Two threads that save take
# each other for a second slurmctld, and a backup controller ends then.

test_description='Gangs start under a backup controller'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 2 -c 2 --gang --conf \
'SlurmctldTimeout=10
CommunicationParameters=NoCtldInAddrAny'
# Where it listens is an address of its name, in some releases whatever is here.
here=$(getent ahostsv4 "$(uname -n)" | awk 'NR == 1 { print $1 }')
sed -i "s/^SlurmctldHost=\([^(]*\).*/SlurmctldHost=nobody(127.0.0.3)\n\
SlurmctldHost=\1(${here:-127.0.0.1})/" "$SLURM_CONF"

gang_script pair

# Some releases wait for the first sign of life of the other.
other_has_lived()
{
	local bytes

	bytes=$(printf '%016x%016x' $((EPOCHSECONDS - 600)) 0)
	printf "$(echo $bytes | sed 's/../\\x&/g')" \
		>"$slurm_dir/state/heartbeat"
}

takes_control()
{
	other_has_lived && slurm_start_munge && { slurm_start_ctld || :; } &&
		wait_for 120 "timeout 30 squeue -h" &&
		slurm_start_node n1 n2 && wait_for 60 nodes_idle
}

gang_of_two()
{
	members=($(submit -N 1 --exclusive --gang=$1 --gang-min-member=2 pair.sh)
		$(submit -N 1 --exclusive --gang=$1 pair.sh))
}

# The second in which the state that is there was begun.
saved_at()
{
	od -An -v -tu1 -N 64 "$slurm_dir/state/job_state" | tr -s ' \n' ' ' |
		awk '{ at = 4 + $4 + 2; t = 0
			for (i = 1; i <= 8; i++) t = t * 256 + $(at + i)
			print t }'
}

takes_control || slurm_fatal "the backup does not take control"

test_expect_success 'the backup is in control' '
	scontrol ping | grep "backup.* UP\|is UP" &&
	grep -i "standby\|backup" "$slurm_dir/log/slurmctld.log"
'
test_expect_success '0.1 a gang starts when what it holds is on disk' '
	gang_of_two first &&
	start_together 60 ${members[@]} &&
	since=$(gang_record ${members[0]} since) &&
	test "$(saved_at)" -ge "$since"
'
test_expect_success 'again and again, and slurmctld finds no other that writes' '
	touch pair.go &&
	wait_for 60 all_in COMPLETED ${members[@]} &&
	gang_of_two second &&
	wait_for 60 all_in COMPLETED ${members[@]} &&
	ran_once pair 4 &&
	! grep "Bad job state save file time" "$slurm_dir/log/slurmctld.log"
'
test_expect_success 'it says what is in force' '
	"$top_builddir/src/cmd/sgang" topology >out 2>err &&
	grep "^flat  2 nodes" out &&
	test_must_be_empty err
'
test_expect_success 'its end does not wait' '
	gang_of_two third && rm pair.go &&
	SECONDS=0 &&
	slurm_stop_ctld &&
	test $SECONDS -lt 40 &&
	! slurm_alive slurmctld
'

test_done
