# SPDX-License-Identifier: GPL-2.0-or-later
# stream.sh - the gangs and jobs that a soak submits
#
# The name of a job is that of its gang; the observer knows from "event gang NAME
# MIN" how many must start together. A job reports its start and end, and
# runs for the seconds that it is given. Everything is submitted in the
# background: slurmctld may be away.
#
#	gang NAME KIND MEMBERS SECONDS NUMBER
#	job NAME SECONDS NUMBER
#
# NUMBER, 0 to 999, decides the rest.

stream_kinds="strict strict some nonstrict nonstrict array group mixed whole
	licences partitions kill late defined solo spread leaf ordered cancelled
	exclusive"

# A fact that the observer hears of.
event()
{
	local what=$1

	shift
	echo "$what $EPOCHREALTIME $*" >>"$work/events"
}

write_job_script()
{
	cat >"$work/job" <<-END
	#!/bin/bash
	id=\$SLURM_JOB_ID
	test -z "\$SLURM_ARRAY_TASK_ID" ||
		id=\${SLURM_ARRAY_JOB_ID}_\$SLURM_ARRAY_TASK_ID
	tell()
	{
		echo "\$1 \$EPOCHREALTIME \$id \${SLURM_RESTART_COUNT:-0}" \\
			"\$SLURM_JOB_NAME \$SLURM_JOB_NODELIST" >>"$work/told"
	}
	tell starts
	sleep "\$1"
	tell ends
	exit "\${2:-0}"
	END
	chmod 755 "$work/job"
}

# sbatch gives up by itself when there is no slurmctld for long. Whether the job
# was submitted is then unknown.
batch()
{
	timeout 90 sbatch --parsable -o /dev/null -e /dev/null -J $name "$@" \
		2>>"$work/refused" || { event refused $name; return 1; }
}

# Submit a member of the gang: member [sbatch's options]
member()
{
	batch --gang=$name "$@" "$work/job" $seconds
}

members_of()
{
	local count=$1 i

	shift
	for ((i = 0; i < count; i++)); do
		member "$@"
	done
}

gang()
{
	local name=$1 kind=$2 members=$3 seconds=$4 number=$5

	gang_$kind >>"$work/submitted" 2>&1 &
}

# Needs NAME MIN: the observer must know these before the first job exists.
needs()
{
	event gang $1 $2
}

gang_strict()
{
	needs $name $members
	members_of $members --gang-min-member=$members
}

gang_some()
{
	needs $name 2
	members_of $members --gang-min-member=2 --gang-total-number=$members
}

gang_nonstrict()
{
	needs $name $members
	members_of $members --gang-min-member=$members \
		--gang-mode=nonstrict --gang-waiting-time=0:$((10 + number % 50))
}

gang_array()
{
	needs $name $members
	member --gang-min-member=$members -a 1-$members
}

# Two gangs, each of which names the other.
gang_group()
{
	local both=$name of

	needs $both.a $members
	needs $both.b 2
	event group $both.a $both.b
	of=root/$both-b name=$both.a
	batch_group $both-a $members --gang-min-member=$members
	of=root/$both-a name=$both.b
	batch_group $both-b 2 --gang-min-member=2 --gang-mode=nonstrict
}

batch_group()
{
	local gang=$1 count=$2 i

	shift 2
	for ((i = 0; i < count; i++)); do
		batch --gang=$gang --gang-groups=$of "$@" "$work/job" $seconds
	done
}

# salloc and srun wait for their end, or are told that there is none.
gang_mixed()
{
	needs $name $members
	timeout 600 salloc -J $name --gang=$name \
		--gang-min-member=$members "$work/job" $seconds </dev/null &
	test $members = 2 || timeout 600 srun -J $name --gang=$name \
		--gang-min-member=$members "$work/job" $seconds </dev/null &
	members_of $((members - 1 - (members > 2))) \
		--gang-min-member=$members
	wait
}

gang_whole()
{
	needs $name 2
	members_of 2 --gang-min-member=2 -N $((1 + number % 2)) --exclusive
}

gang_licences()
{
	needs $name $members
	members_of $members --gang-min-member=$members -L lic:1
}

gang_partitions()
{
	needs $name 2
	member --gang-min-member=2 -p left
	member --gang-min-member=2 -p right,left
}

# The last member fails, and with it all.
gang_kill()
{
	needs $name $members
	members_of $((members - 1)) --gang-min-member=$members \
		--gang-on-failure=kill
	batch --gang=$name --gang-min-member=$members --gang-on-failure=kill \
		"$work/job" 1 1
}

# A late member, which is an ordinary job when it comes after the start.
gang_late()
{
	needs $name $members
	members_of $members --gang-min-member=$members
	sleep $((number % 7))
	name+=.late
	batch --gang=${name%.late} "$work/job" $seconds
}

gang_defined()
{
	needs $name $members
	members_of 1
	timeout 60 "$top_builddir/src/cmd/sgang" create $name \
		--min-member=$members || event refused $name
	members_of $((members - 1))
}

gang_solo()
{
	needs $name 1
	member --gang-min-member=1
}

gang_spread()
{
	needs $name 2
	members_of 2 --gang-min-member=2 --gang-topology=spread:leaf
}

gang_leaf()
{
	needs $name $members
	members_of $members --gang-min-member=$members \
		--gang-topology=require:leaf
}

gang_ordered()
{
	needs $name 2
	member --gang-min-member=2 --gang-total-number=$members \
		--gang-order=0 -n 2
	members_of $((members - 1)) --gang-min-member=2
}

gang_exclusive()
{
	needs $name 2
	members_of 2 --gang-min-member=2 --gang-exclusive=leaf \
		--gang-topology=require:leaf
}

# A member too many, and one is cancelled: before the start, while it holds or
# runs.
gang_cancelled()
{
	local id

	needs $name $members
	id=$(member --gang-min-member=$members --gang-mode=nonstrict) || return
	members_of $members --gang-min-member=$members
	sleep $((number % 5))
	timeout 60 scancel -Q ${id%%;*}
}

job()
{
	local name=$1 seconds=$2 number=$3 more=

	case $((number % 6)) in
	0) more="-N 2 --exclusive" ;;
	1) more="-a 1-3" ;;
	2) more="-L lic:2" ;;
	3) more="-n 4 -N 2-4" ;;
	esac
	batch $more "$work/job" $seconds >>"$work/submitted" 2>&1 &
}
