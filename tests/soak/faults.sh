# SPDX-License-Identifier: GPL-2.0-or-later
# faults.sh - the faults of a soak, and their end
#
#	fault NAME [ARGUMENTS]	begin a fault
#	mend NAME [ARGUMENTS]	end it
#
# Neither waits for Slurm. A fault that finds nothing to break is none.

fault()
{
	local name=$1

	shift
	break_$name "$@" && event fault $name "$@"
}

mend()
{
	local name=$1

	shift
	mend_$name "$@" && event mend $name "$@"
}

# --- slurmctld ---

# Report to the observer: nobody can answer, or what was not saved is lost.
break_kill9()
{
	local pid

	pid=$(slurm_pid slurmctld) || return 1
	event died
	runs_since[slurmctld]=
	kill -KILL "$pid"
}

mend_kill9()
{
	slurm_alive slurmctld || controller_launch slurmctld
	event lives
}

break_stop()
{
	local pid

	pid=$(slurm_pid slurmctld) && event stopped && kill -STOP "$pid"
}

mend_stop()
{
	local pid

	pid=$(slurm_pid slurmctld) && kill -CONT "$pid"
	event lives
}

# An ordinary end, but messages not yet sent to the nodes are lost.
break_takeover()
{
	slurm_alive slurmctld && event died || return 1
	runs_since[slurmctld]=
	timeout 60 scontrol takeover >>"$work/submitted" 2>&1 &
}

# A slurmctld that starts asks the other to stand back, and waits for one that
# has not ended yet: two would write to one folder.
mend_takeover()
{
	runs_since[slurmctld]=$((SECONDS + 60))
	{
		wait_for 10 '! slurm_alive slurmctld' 2>/dev/null ||
			event controller did not give up
		slurm_alive slurmctld || controller_launch slurmctld
		event lives
	} &
}

break_failover()
{
	break_kill9 || return 1
	timeout 60 scontrol takeover >>"$work/submitted" 2>&1 &
}

mend_failover()
{
	mend_takeover
}

# --- nodes ---

break_lost()
{
	event lost $1
	slurm_kill_node $1
}

mend_lost()
{
	slurm_alive $1 || slurm_launch slurmd -N $1 &
}

update_node()
{
	timeout 60 scontrol update NodeName=$1 State=$2 $3 \
		>>"$work/submitted" 2>&1 &
}

break_drain()
{
	update_node $1 drain Reason=soak
}

mend_drain()
{
	update_node $1 resume
}

break_frozen()
{
	local pid

	event lost $1
	pid=$(slurm_pid $1) && kill -STOP $pid
}

mend_frozen()
{
	local pid

	event lost $1
	pid=$(slurm_pid $1) && kill -CONT $pid
}

# Its jobs live on.
break_restarted()
{
	event lost $1
	slurm_end TERM $1
}

mend_restarted()
{
	mend_lost $1
}

# --- gang.conf ---

reconfigure()
{
	timeout 60 scontrol reconfigure >>"$work/submitted" 2>&1 &
}

good_conf()
{
	case $(($1 % 4)) in
	0) echo "WaitingTime=$((1 + $1 % 7))" ;;
	1) echo "Placement=no" ;;
	2) printf 'HopCosts=1,3,9,27,81\nPlaceAll=yes\n' ;;
	3) printf 'NodeExtra=no\nLogLevel=debug\n' ;;
	esac
}

bad_conf()
{
	case $(($1 % 4)) in
	0) echo "WaitingTim=3" ;;
	1) echo "HopCosts=1,two" ;;
	2) printf 'LevelNames=\001\377,\n' ;;
	3) echo "TopologyFile=/nowhere" ;;
	esac
}

break_conf_good()
{
	good_conf $1 >"$slurm_dir/etc/gang.conf"
	reconfigure
}

break_conf_bad()
{
	bad_conf $1 >"$slurm_dir/etc/gang.conf"
	reconfigure
}

mend_conf_good()
{
	: >"$slurm_dir/etc/gang.conf"
	reconfigure
}

mend_conf_bad()
{
	mend_conf_good
}

# --- StateSaveLocation ---

break_full()
{
	event unsaved
	dd if=/dev/zero of="$slurm_dir/state/filler" bs=64k 2>/dev/null
	true
}

mend_full()
{
	rm -f "$slurm_dir/state/filler"
	event saved
}

# Not while somebody writes a file.
break_readonly()
{
	event unsaved
	wait_for 1 'mount -o remount,ro "$slurm_dir/state" 2>/dev/null' \
		2>/dev/null || { event saved; return 1; }
}

mend_readonly()
{
	mount -o remount,rw "$slurm_dir/state"
	event saved
}

# --- slurmdbd ---

break_dbd_kill9()
{
	slurm_end KILL slurmdbd
}

break_dbd_stop()
{
	slurm_end TERM slurmdbd
}

mend_dbd_kill9()
{
	slurm_alive slurmdbd || slurm_launch slurmdbd &
}

mend_dbd_stop()
{
	mend_dbd_kill9
}

# --- clock: that of all daemons, which is one machine's ---

soak_clock=0

set_clock()
{
	printf '%+d\n' $soak_clock >"$slurm_dir/etc/clock.new"
	mv "$slurm_dir/etc/clock.new" "$slurm_dir/etc/clock"
}

break_clock()
{
	soak_clock=$((soak_clock + $1))
	event clock $1
	set_clock
}
