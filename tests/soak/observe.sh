# SPDX-License-Identifier: GPL-2.0-or-later
# observe.sh - ask Slurm's commands again and again, and let judge.awk judge
#
# Observations go, a line each, to the file "seen":
#
#   d|TIME|EVENT			what the soak did
#   s|TIME|ID|NAME|NODES		the job says that it starts
#   e|TIME|ID|NAME|NODES		and ends
#   @|TIME				squeue answered, with these jobs:
#   j|ID|STATE|NAME|RESTARTS|START|NODES|REASON
#   .|TIME				the last of them
#   x|TIME				squeue did not answer
#   n, l, a				at the end, see last_look()

job_fields='JobArrayID:24,State:14,Name:24,RestartCnt:6,StartTime:22,'
job_fields+='NodeList:40,Reason:80'

observe_start()
{
	: >>"$work/events"
	: >>"$work/told"
	observe | tee "$work/seen" |
		awk -v seed="$seed" -f "$top_srcdir/tests/soak/judge.awk" \
			>"$work/verdict" &
	observer=$!
}

observe_end()
{
	touch "$work/stop"
	wait $observer
	cat "$work/verdict"
	tail -n 1 "$work/verdict" | grep -q ' 0 violations$' || exit 1
	exit 0
}

observe()
{
	local last=

	exec {events}<"$work/events" {told}<"$work/told"
	while test -z "$last"; do
		# Read what comes with the last question, too.
		test ! -e "$work/stop" || last=t
		cat <&$events
		cat <&$told
		ask_squeue
		sleep 0.3
	done
	last_look
}

ask_squeue()
{
	local rows

	if rows=$(timeout 30 squeue -h -r -a -t all -O "$job_fields" 2>/dev/null)
	then
		echo "@|$EPOCHREALTIME"
		split_rows <<<"$rows"
		echo ".|$EPOCHREALTIME"
	else
		echo "x|$EPOCHREALTIME"
	fi
}

# A blank field stays one.
split_rows()
{
	awk '
		function field(from, width,   s) {
			s = substr($0, from, width)
			sub(/ +$/, "", s)
			return s
		}
		NF {
			print "j|" field(1, 24) "|" field(25, 14) "|" \
				field(39, 24) "|" field(63, 6) "|" \
				field(69, 22) "|" field(91, 40) "|" \
				field(131, 80)
		}'
}

# When all should have ended:
#   n|NODE|STATE|CPUS IN USE|REASON
#   l|LICENCES IN USE
#   a|ID|STATE			sacct's word about a job's last run
#   w|WHAT			something that soak_end() waited for in vain
last_look()
{
	scontrol -o show node | awk '
		{
			node = state = cpus = reason = ""
			for (i = 1; i <= NF; i++) {
				if ($i ~ /^NodeName=/) node = substr($i, 10)
				if ($i ~ /^State=/) state = substr($i, 7)
				if ($i ~ /^CPUAlloc=/) cpus = substr($i, 10)
			}
			if (match($0, /Reason=.*/))
				reason = substr($0, RSTART + 7)
			print "n|" node "|" state "|" cpus "|" reason
		}'
	scontrol -o show licenses | tr ' ' '\n' | sed -n 's/^Used=/l|/p'
	timeout 120 sacct -n -P -X -a -S 2020-01-01 -E now+3650days \
		-o JobID,State | sed 's/^/a|/'
	cat "$work/in_vain" 2>/dev/null
}
