# SPDX-License-Identifier: GPL-2.0-or-later
# observe.sh - ask Slurm's commands again and again, and let the judge judge
#
# Facts, as tests/judge/judge has them, go to the file "seen".

job_fields='JobArrayID:24,State:14,Name:24,RestartCnt:6,StartTime:22,'
job_fields+='NodeList:40,Reason:80'

observe_start()
{
	: >>"$work/events"
	: >>"$work/told"
	observe | tee "$work/seen" |
		"$top_srcdir/tests/judge/judge" -v seed="$seed" \
			>"$work/verdict" &
	observer=$!
}

observe_end()
{
	local code

	touch "$work/stop"
	wait $observer
	code=$?
	cat "$work/verdict"
	exit $code
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
		echo "look $EPOCHREALTIME"
		split_rows <<<"$rows"
		echo "seen $EPOCHREALTIME"
	else
		echo "silent $EPOCHREALTIME"
	fi
}

# A blank field is "-".
split_rows()
{
	awk -v now=$EPOCHREALTIME '
		function field(from, width,   s) {
			s = substr($0, from, width)
			sub(/ +$/, "", s)
			return s == "" ? "-" : s
		}
		NF {
			print "job", now, field(1, 24), field(25, 14), \
				field(39, 24), field(63, 6), field(69, 22), \
				field(91, 40), field(131, 80)
		}'
}

# When all should have ended.
last_look()
{
	scontrol -o show node | awk -v now=$EPOCHREALTIME '
		{
			node = state = cpus = reason = ""
			for (i = 1; i <= NF; i++) {
				if ($i ~ /^NodeName=/) node = substr($i, 10)
				if ($i ~ /^State=/) state = substr($i, 7)
				if ($i ~ /^CPUAlloc=/) cpus = substr($i, 10)
			}
			if (match($0, /Reason=.*/))
				reason = substr($0, RSTART + 7)
			print "node", now, node, state, cpus, reason
		}'
	scontrol -o show licenses | tr ' ' '\n' |
		sed -n "s/^Used=/licences $EPOCHREALTIME /p"
	timeout 120 sacct -n -P -X -a -S 2020-01-01 -E now+3650days \
		-o JobID,State | sed "s/^/account $EPOCHREALTIME /; s/|/ /"
	cat "$work/in_vain" 2>/dev/null
}
