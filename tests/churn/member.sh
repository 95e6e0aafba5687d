#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# member.sh - a member that notes what it is told of its gang
#
# ID.told gets a line when it starts, and for each epoch that the file
# of its gang tells:
#
#	starts TIME ID RUN GANG NODE
#	told TIME ID RUN GANG EPOCH IDS NODES SPARES
#	owns TIME ID RUN GANG RANK SINCE
#
# The last line follows when the member has the lock of its rank, for which it
# may have had to wait: the kernel gives that to one process at a time, and
# takes it back when the process has ended. Therefore no child must have it:
# only flock itself is started, which is gone at once. ID.pid is the member's
# process. The script ends with 1 when there is ID.fail, with 0 when there is
# ID.done.

id=$SLURM_JOB_ID run=${SLURM_RESTART_COUNT:-0} gang=$SLURM_GANG_NAME
state=$SLURM_GANG_STATE
echo $$ >$id.pid.part && mv $id.pid.part $id.pid
echo "$state" >$id.state.part && mv $id.state.part $id.state

# A pipe to which nobody writes: to wait without a child.
exec {nothing}<> <(:)

# The file into "epoch", "ids", "nodes" and "spares". Another one may be in its
# place when it is opened anew, so it is read once.
look()
{
	local lines line

	mapfile -t lines <"$state" && test "${lines[-1]}" = "# end" || return 1
	spares=-
	for line in "${lines[@]}"; do
		line=${line//\'/}
		case $line in
		SLURM_GANG_EPOCH=*) epoch=${line#*=} ;;
		SLURM_GANG_JOB_IDS=*) ids=${line#*=} ;;
		SLURM_GANG_NODELIST=*) nodes=${line#*=} ;;
		SLURM_GANG_SPARE_JOB_IDS=?*) spares=${line#*=} ;;
		esac
	done
}

# Its member rank now, or nothing.
rank_of()
{
	local list i

	IFS=, read -ra list <<<"$ids"
	rank=
	for i in "${!list[@]}"; do
		test "${list[i]}" != $id || rank=$i
	done
}

# Only one process has it: a child would keep it open.
take()
{
	test -n "$want" || return 0
	test -n "$lock" || exec {lock}>>"$gang.rank.$want"
	flock -n $lock || return 0
	tell owns $gang $want $since
	want=
}

tell()
{
	local what=$1

	shift
	echo "$what $EPOCHREALTIME $id $run $*" >>$id.told
}

was= had= want= lock=
tell starts $gang $SLURMD_NODENAME
while :; do
	if look && test "$epoch" != "$was"; then
		was=$epoch
		tell told $gang $epoch $ids $nodes $spares
		rank_of
		if test -n "$rank" && test "$rank" != "$had"; then
			test -z "$lock" || exec {lock}>&-
			lock= had=$rank want=$rank since=$EPOCHREALTIME
		fi
	fi
	take
	test ! -e $id.fail || { rm -f $id.fail; exit 1; }
	test ! -e $id.done || exit 0
	read -r -t 0.1 -u $nothing
done
