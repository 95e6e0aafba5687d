#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0406-roles-kill.t - slurmctld is killed while a tree of groups starts, or a
# group of it follows

test_description='kill -9 of slurmctld: a tree, and what follows it, starts whole'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

cat >topology.conf <<'END'
SwitchName=leaf1 Nodes=n[1-3]
SwitchName=leaf2 Nodes=n[4-6]
SwitchName=core Switches=leaf[1-2]
END
slurm_setup -n 6 -c 2 --faults --topology "$PWD/topology.conf" --conf \
	'BatchStartTimeout=10'
slurm_start

gang_script role
: >role.log

# member GANG ROLE
member()
{
	members+=($(submit -N 1 --exclusive --gang=$1 --gang-min-member=1 \
		--gang-role=$2 role.sh))
}

# A replica of one encoder and two decoders in one leaf: replica GANG NAME
replica()
{
	member $1 $2:min=2:require=leaf/encode:min=1 &&
		member $1 $2/decode:min=2 && member $1 $2/decode
}

# All free nodes are busy until the members are on the disk.
block()
{
	blocker=$(submit -N $1 --exclusive -t 600 --wrap="sleep 600") &&
		wait_state $blocker RUNNING 20
}

begin()
{
	slurm_saved ${members[-1]} && slurm_fault $1 $2 && scancel $blocker
}

died() { ! slurm_alive slurmctld; }

# That the blocker has been cancelled may be lost, too.
lives_again()
{
	wait_for 30 died && slurm_fault && slurm_start_ctld &&
		scancel -Q $blocker
}

# All run, with ranks that differ, and none was started twice.
whole()
{
	local id

	wait_for 60 all_in RUNNING ${members[@]} &&
	wait_for 20 "test \"\$(starts_of role)\" = $((before + ${#members[@]}))" &&
	for id in ${members[@]}; do
		test "$(starts_of role $id)" = 1 || return 1
		gang_record $id rank | cut -d/ -f1
	done | sort -n >ranks &&
	seq 0 $((${#members[@]} - 1)) | test_cmp - ranks
}

# One leaf for each replica of three members.
apart()
{
	local i

	for ((i = 0; i < ${#members[@]}; i += 3)); do
		squeue -h -j "$(echo ${members[@]:i:3} | tr ' ' ,)" -o %N |
			sed 's/n//' | awk '{ print int(($1 - 1) / 3) }' |
			sort -u | wc -l | grep -qx 1 || return 1
	done
}

end_gang()
{
	touch $1.go && wait_for 30 all_in COMPLETED ${members[@]} &&
		wait_for 30 nodes_idle
}

n=0
for at in 'commit 2' 'committed 1' 'saved 1' 'release 2' 'released 1'; do
	n=$((n + 1))
	test_expect_success "2.15 2.20 4.1 a tree starts, killed at $at" '
		members=() before=$(starts_of role) && gang=start$n &&
		block 6 && replica $gang r1 && begin kill-'"$at"' && lives_again &&
		whole && apart && end_gang $gang
	'
	test_expect_success "2.15 2.20 4.1 a group follows, killed at $at" '
		members=() before=$(starts_of role) && gang=follow$n &&
		replica $gang r1 &&
		wait_for 20 all_in RUNNING ${members[@]} &&
		block 3 && replica $gang r2 && begin kill-'"$at"' && lives_again &&
		whole && apart && end_gang $gang
	'
done
test_expect_success 'nothing is left' 'slurm_fault && nothing_left'

test_done
