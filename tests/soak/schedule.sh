# SPDX-License-Identifier: GPL-2.0-or-later
# schedule.sh - the times of all events, drawn from the seed before the start
#
# A line of the schedule is "MS WHAT ARGUMENTS...": so many milliseconds from
# the start. WHAT is a function of stream.sh, or "fault" or "mend" with one of
# faults.sh. Faults of one time line never overlap; those of two time lines do.

soak_nodes=6

# draw FIRST LAST: a number, in the variable "drawn".
draw()
{
	drawn=$(($1 + (RANDOM * 32768 + RANDOM) % ($2 - $1 + 1)))
}

# pick WORD...: one of them, in the variable "drawn".
pick()
{
	draw 1 $#
	drawn=${!drawn}
}

make_schedule()
{
	local ms end=$((minutes * 60000)) part

	{
		# A subshell has a RANDOM of its own.
		RANDOM=$seed
		schedule_gangs
		schedule_jobs
		for part in ${faults//,/ }; do
			schedule_$part
		done
	} | sort -s -n -k 1,1
}

schedule_gangs()
{
	local n=0 kind members seconds more

	ms=0
	while draw 2500 5500; ms=$((ms + drawn)); test $ms -lt $end; do
		pick $stream_kinds
		kind=$drawn
		draw 2 5
		members=$drawn
		draw 0 5
		seconds=$drawn
		draw 0 999
		echo "$ms gang g$((++n)) $kind $members $seconds $drawn"
	done
}

schedule_jobs()
{
	local n=0 seconds

	ms=0
	while draw 1500 5500; ms=$((ms + drawn)); test $ms -lt $end; do
		draw 0 8
		seconds=$drawn
		draw 0 999
		echo "$ms job j$((++n)) $seconds $drawn"
	done
}

# time_line QUIET_MIN QUIET_MAX BROKEN_MIN BROKEN_MAX FUNCTION: call it again and
# again with "broken" set to how long; it prints what begins and ends then.
time_line()
{
	local quiet_min=$1 quiet_max=$2 broken_min=$3 broken_max=$4 function=$5

	ms=5000
	while draw $quiet_min $quiet_max; ms=$((ms + drawn))
	      test $ms -lt $end; do
		draw $broken_min $broken_max
		broken=$drawn
		$function
		ms=$((ms + broken))
	done
}

fault_from_to()
{
	echo "$ms fault $*"
	echo "$((ms + broken)) mend $*"
}

schedule_ctl()
{
	time_line 8000 50000 500 8000 draw_ctl
}

draw_ctl()
{
	pick kill9 kill9 kill9 stop stop takeover failover
	case $drawn in
	takeover | failover) broken=$((broken + 10000)) ;;
	esac
	fault_from_to $drawn
}

schedule_node()
{
	time_line 5000 20000 2000 40000 draw_first_node
	time_line 5000 40000 2000 40000 draw_other_node
}

# The two time lines have nodes of their own.
draw_first_node()
{
	draw 1 $((soak_nodes / 2))
	draw_node n$drawn
}

draw_other_node()
{
	draw $((soak_nodes / 2 + 1)) $soak_nodes
	draw_node n$drawn
}

draw_node()
{
	pick lost lost drain drain frozen restarted
	fault_from_to $drawn $1
}

schedule_conf()
{
	time_line 4000 25000 2000 12000 draw_conf
}

draw_conf()
{
	local which

	pick good good bad
	which=$drawn
	draw 0 999
	fault_from_to conf_$which $drawn
}

schedule_state()
{
	time_line 20000 60000 2000 20000 draw_state
}

draw_state()
{
	pick full readonly
	fault_from_to $drawn
}

schedule_dbd()
{
	time_line 8000 40000 2000 20000 draw_dbd
}

draw_dbd()
{
	pick dbd_kill9 dbd_stop
	fault_from_to $drawn
}

schedule_clock()
{
	time_line 10000 70000 0 0 draw_clock
}

# Far ahead is more than SlurmdTimeout: all nodes are lost then, as with stock
# Slurm.
draw_clock()
{
	pick near near near near back back back far
	case $drawn in
	near) draw 1 15 ;;
	back) draw 1 40; drawn=-$drawn ;;
	far) draw 60 4000 ;;
	esac
	echo "$ms fault clock $drawn"
}
