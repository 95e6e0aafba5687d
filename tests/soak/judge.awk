# SPDX-License-Identifier: GPL-2.0-or-later
# judge.awk - are the observations of a soak allowed?
#
# Reads the lines that observe.sh describes, prints a line for each violation
# with what was seen of the jobs in question, and in the end how much there was.
# -v seed=N is printed with each.
#
# A job has started for sure when squeue shows it running, completed or out of
# time, or when it says so itself. A job that ended otherwise, or is not known
# any more, may have started. CONFIGURING is no start.

BEGIN {
	FS = "|"
	died = all_lost = -1000
	# Changes in the moment before slurmctld was killed may be not on the
	# disk.
	moment = 15
	# After a restart it must find out first what runs already.
	find_out = 180
	# scontrol reconfigure may take so long until it is heard.
	hear = 60
	# A machine can be very slow.
	silence_max = 600
}

function bad(what, ids,   i, n, list) {
	violations++
	printf "VIOLATION %s (%d s, seed %s): %s\n", clock(now), now - first,
		seed, what
	n = split(ids, list, " ")
	for (i = 1; i <= n; i++)
		if (list[i] in history)
			printf "%s", history[list[i]]
	fflush()
}

# The time of day, UTC.
function clock(t) {
	return sprintf("%02d:%02d:%02d", t / 3600 % 24, t / 60 % 60, t % 60)
}

function note(id, what) {
	history[id] = history[id] sprintf("  %s %s: %s\n", clock(now), id, what)
	# The last two thousand letters are enough.
	if (length(history[id]) > 3000)
		history[id] = substr(history[id], length(history[id]) - 2000)
}

# A late member can make up for one that was refused.
function gang_of(name) {
	sub(/[.]late$/, "", name)
	return name
}

# An id that was given twice, because its job was not saved, is another job.
function known_as(id, name) {
	if (id in name_of && name_of[id] != name) {
		delete started[id]
		delete ended[id]
		delete last_start[id]
		delete nodes_of[id]
		delete state_of[id]
		delete counted[id]
	}
	name_of[id] = name
	# Not before the observer has heard what the gang needs.
	name = gang_of(name)
	if (name in min && !(id in counted)) {
		counted[id] = 1
		members[name] = members[name] " " id
	}
}

# n[1-3,5] as " n1 n2 n3 n5 "
function expand(list,   i, j, n, part, ends, out) {
	if (list !~ /\[/)
		return " " list " "
	sub(/^n\[/, "", list)
	sub(/\]$/, "", list)
	n = split(list, part, ",")
	out = " "
	for (i = 1; i <= n; i++) {
		split(part[i], ends, "-")
		if (ends[2] == "")
			ends[2] = ends[1]
		for (j = ends[1]; j <= ends[2]; j++)
			out = out "n" j " "
	}
	return out
}

# True if one of these nodes was lost since.
function lost_since(nodes, since,   i, n, list) {
	n = split(expand(nodes), list, " ")
	for (i = 1; i <= n; i++)
		if (list[i] in lost && lost[list[i]] >= since)
			return 1
	return all_lost >= since
}

# The reason why stock Slurm would have run it again; "": it would not.
function may_run_again(id, t,   i) {
	if (lost_since(nodes_of[id], last_start[id] - 120))
		return "its node was lost"
	if (!died_in(last_start[id] - moment, t))
		return ""
	if (!(gang_of(name_of[id]) in min))
		return "slurmctld was killed"
	# Its end was not saved.
	if (!(id in ended))
		return ""
	if (died_in(last_start[id] - moment, ended[id] + moment))
		return "slurmctld was killed"
	for (i = 1; i <= n_unsaved; i++)
		if (ended[id] > unsaved_from[i] - moment &&
		    ended[id] < unsaved_to(i) &&
		    died_in(unsaved_from[i], unsaved_to(i)))
			return "slurmctld was killed and could not save"
	return ""
}

# True if slurmctld was killed, or replaced, in these seconds.
function died_in(from, to,   i) {
	for (i = n_deaths; i; i--)
		if (deaths[i] >= from && deaths[i] <= to)
			return 1
	return 0
}

# The time until which nothing was saved, as far as known.
function unsaved_to(i) {
	return i in saved_at ? saved_at[i] + moment : now
}

function starts(id, t, nodes,   why) {
	if (id in last_start) {
		why = may_run_again(id, t)
		note(id, "starts again on " nodes " (" why ")")
		if (why == "")
			bad("job " id " of " name_of[id] " runs twice", id)
		else
			again++
	} else {
		note(id, "says that it starts on " nodes)
	}
	last_start[id] = t
	nodes_of[id] = nodes
	delete ended[id]
	started[id] = 1
}

# True if it cannot be known yet which members of this gang run. slurmctld was
# killed in the middle of its start, or told to reconfigure, which makes a new
# process since 23.11. That goes on, so events after the start are no excuse.
function not_found_out(gang,   i, t) {
	if (died >= none_at[gang] - 1 && died > now - find_out)
		return 1
	if (now > none_at[gang] + find_out)
		return 0
	for (i = n_reconfigures; i; i--) {
		t = reconfigures[i]
		if (t >= none_at[gang] - hear && t <= none_at[gang] + moment)
			return 1
	}
	return 0
}

function event(w) {
	if (w[2] ~ /^conf_/)
		reconfigures[++n_reconfigures] = now
	if (w[1] == "gang") {
		min[w[2]] = w[3]
		waits[w[2]] = 1
		none_at[w[2]] = now
		gangs++
	} else if (w[1] == "group") {
		other[w[2]] = w[3]
		other[w[3]] = w[2]
	} else if (w[1] == "fault") {
		faults++
		kinds[w[2]]++
	} else if (w[1] == "died") {
		died = deaths[++n_deaths] = now
		away = 1
	} else if (w[1] == "stopped") {
		away = 1
	} else if (w[1] == "lives") {
		away = 0
		last_answer = now
	} else if (w[1] == "lost") {
		lost[w[2]] = now
	} else if (w[1] == "clock" && (w[2] > 15 || w[2] < 0)) {
		all_lost = now
	} else if (w[1] == "resumed" && w[3] != "soak") {
		resumed[w[3]]++
	} else if (w[1] == "abandoned") {
		abandoned++
	} else if (w[1] == "unsaved") {
		unsaved_from[++n_unsaved] = now
	} else if (w[1] == "saved" && n_unsaved &&
		   !(n_unsaved in saved_at)) {
		saved_at[n_unsaved] = now
	} else if (w[1] == "fatal") {
		fatals++
	} else if (w[1] == "crashed") {
		crashes++
	} else if (w[1] == "gone") {
		bad("the controller of " w[2] ".log has ended by itself")
	}
}

$1 != "j" && $2 > now { now = $2; if (!first) first = now }

$1 == "d" {
	split("", w)
	split($3, w, " ")
	event(w)
	events = events sprintf("  %s %s\n", clock(now), $3)
	if (length(events) > 3000)
		events = substr(events, length(events) - 2000)
	next
}
$1 == "s" { known_as($3, $4); starts($3, $2, $5); next }
$1 == "e" { known_as($3, $4); ended[$3] = $2; note($3, "says that it ends")
	next }

$1 == "@" { looks++; last_answer = now; next }
$1 == "x" {
	if (!away && last_answer && now - last_answer > silence_max) {
		bad("slurmctld does not answer\n" events)
		last_answer = now
	}
	next
}
$1 == "j" {
	known_as($2, $4)
	row = $3 " restarts=" $5 " start=" $6 " nodes=" $7 " " $8
	if (row != state_of[$2]) {
		state_of[$2] = row
		note($2, "squeue: " row)
	}
	seen[$2] = looks
	now_in[$2] = $3
	if ($3 ~ /^(RUNNING|COMPLETED|TIMEOUT)$/)
		started[$2] = 1
	jobs[$2 " " $4] = 1
	next
}
$1 == "." {
	for (gang in waits)
		look_at(gang)
	for (gang in owed)
		look_at_other(gang, owed[gang])
	next
}

# Counts in n_started, n_maybe.
function count_members(gang,   i, n, list) {
	n = split(members[gang], list, " ")
	n_started = n_maybe = 0
	for (i = 1; i <= n; i++)
		if (gang_of(name_of[list[i]]) != gang)
			n_maybe++
		else if (started[list[i]])
			n_started++
		else if (seen[list[i]] != looks ||
			 now_in[list[i]] !~ /^(PENDING|CONFIGURING)$/)
			n_maybe++
}

function look_at(gang) {
	count_members(gang)
	if (!n_started) {
		none_at[gang] = now
		return
	}
	if (n_started >= min[gang]) {
		whole++
		delete waits[gang]
		if (gang in other)
			look_at_other(other[gang], gang)
		return
	}
	if (n_started + n_maybe >= min[gang])
		return
	if (not_found_out(gang))
		return
	bad("of gang " gang " " n_started " started, it needs " min[gang] \
	    "\n" events, members[gang])
	delete waits[gang]
}

# The other gang of the group must have started with it.
function look_at_other(gang, with) {
	count_members(gang)
	delete owed[gang]
	if (n_started + n_maybe >= min[gang])
		return
	if (died > now - find_out || not_found_out(with))
		owed[gang] = with
	else
		bad("gang " with " started without gang " gang ", which has " \
		    n_started " of " min[gang], members[gang] members[with])
}

# --- when all should have ended ---

$1 == "w" { bad($2 "\n" events) }
$1 == "n" {
	if ($3 !~ /^IDLE(\+PLANNED)?$/ || $4 != 0)
		bad("node " $2 " is " $3 " with " $4 " CPUs in use: " $5)
}
$1 == "l" && $2 != 0 { bad($2 " licences are in use") }
# slurmdbd never gets what slurmctld had not sent yet when it was killed.
$1 == "a" && ($3 == "RUNNING" || $3 == "PENDING") {
	if (died < 0 && $2 in name_of && name_of[$2] in min)
		bad("sacct says that job " $2 " is " $3, $2)
	else
		runaway++
}

END {
	for (kind in kinds)
		said = said sprintf(" %d %s,", kinds[kind], kind)
	sub(/,$/, "", said)
	for (gang in waits)
		never++
	if (fatals)
		printf "# %d times a controller ended as Slurm has it (fatal)\n",
			fatals
	if (crashes)
		printf "# %d times a daemon crashed, not in slurm-gang\n",
			crashes
	if (abandoned)
		printf "# %d times salloc or srun could not tell that it ended\n",
			abandoned
	for (reason in resumed)
		printf "# %d times a node was resumed: %s\n", resumed[reason], reason
	for (job in jobs)
		n_jobs++
	printf "# %d jobs, %d looks at them; %d gangs started whole, %d not at " \
		"all; %d jobs ran again, as in stock Slurm\n", n_jobs, looks,
		whole, never, again
	print "# faults:" said
	printf "%d gangs, %d faults, %d violations\n", gangs, faults, violations
}
