# SPDX-License-Identifier: GPL-2.0-or-later
# gangs.awk - do gangs start whole, and jobs once, and is nothing left?
#
# Part of judge. A job has started for sure when squeue shows it running, completed
# or out of time, or when it says so itself. A job that ended otherwise, or is not
# known any more, may have started. CONFIGURING is no start.

BEGIN {
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
	printf "VIOLATION %s (%d s, seed %s%s): %s\n", clock(now), now - first,
		seed, event == "" ? "" : ", event " event " " kind, what
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
		delete nodes_at[id]
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

# True if one of these nodes was lost since.
function lost_since(nodes, since,   i, n, list) {
	n = expand(nodes, list)
	for (i = 1; i <= n; i++)
		if (list[i] in lost && lost[list[i]] >= since)
			return 1
	return all_lost >= since
}

# The reason why stock Slurm would have run it again; "": it would not.
function may_run_again(id, t,   i) {
	if (lost_since(nodes_at[id], last_start[id] - 120))
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

# Members that may be requeued have a number for each run.
function starts(id, t, r, nodes,   why) {
	if (gang_of(name_of[id]) in policy) {
		if ((id, r) in has_started)
			bad("job " id " started twice with " r " restarts", id)
		has_started[id, r]
	} else if (id in last_start) {
		why = may_run_again(id, t)
		note(id, "starts again on " nodes " (" why ")")
		if (why == "")
			bad("job " id " of " name_of[id] " runs twice", id)
		else
			again++
	}
	note(id, "says that it starts on " nodes)
	last_start[id] = t
	nodes_at[id] = nodes
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

$2 + 0 > now { now = $2 + 0; if (!first) first = now }

# Shown with a violation: what was done to the cluster, and what to gangs.
$1 !~ /^(SwitchName=.*|starts|ends|told|has|owns|look|job|seen|silent|at|node|licences|account)$/ {
	events = events "  " clock(now) " " $0 "\n"
	if (length(events) > 3000)
		events = substr(events, length(events) - 2000)
}

$1 ~ /^(fault|mend)$/ && $3 ~ /^conf_/ { reconfigures[++n_reconfigures] = now }
$1 == "gang" {
	min[$3] = ranks[$3] = $4
	if (NF > 4)
		policy[$3] = $5
	spares[$3] = $6
	waits[$3] = 1
	none_at[$3] = now
	gangs++
	next
}
$1 == "ranks" { ranks[$3] = $4; next }
$1 == "group" { other[$3] = $4; other[$4] = $3; next }
$1 == "end" { delete policy[$3]; delete ranks[$3]; next }
$1 == "fault" { faults++; kinds[$3]++; next }
$1 == "died" { died = deaths[++n_deaths] = now; away = 1; next }
$1 == "stopped" { away = 1; next }
$1 == "lives" { away = 0; last_answer = now; next }
$1 == "lost" { lost[$3] = now; next }
$1 == "clock" { if ($3 > 15 || $3 < 0) all_lost = now; next }
$1 == "resumed" { if ($4 != "soak") resumed[$4]++; next }
$1 == "abandoned" { abandoned++; next }
$1 == "unsaved" { unsaved_from[++n_unsaved] = now; next }
$1 == "saved" {
	if (n_unsaved && !(n_unsaved in saved_at))
		saved_at[n_unsaved] = now
	next
}
$1 == "fatal" { fatals++; next }
$1 == "crashed" { crashes++; next }
$1 == "quit" { bad("the controller of " $3 ".log has ended by itself"); next }

$1 == "starts" { known_as($3, $5); starts($3, $2, $4, $6); next }
$1 == "ends" {
	known_as($3, $5)
	ended[$3] = $2
	note($3, "says that it ends")
	next
}

$1 == "look" { looks++; last_answer = now; next }
$1 == "silent" {
	if (!away && last_answer && now - last_answer > silence_max) {
		bad("slurmctld does not answer\n" events)
		last_answer = now
	}
	next
}
$1 == "job" {
	known_as($3, $5)
	row = $0
	sub(/^job [^ ]* [^ ]* /, "", row)
	if (row != state_of[$3]) {
		state_of[$3] = row
		note($3, "squeue: " row)
	}
	seen_in[$3] = looks
	now_in[$3] = $4
	if ($4 ~ /^(RUNNING|COMPLETED|TIMEOUT)$/)
		started[$3] = 1
	jobs[$3 " " $5] = 1
	next
}
$1 == "seen" {
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
		else if (seen_in[list[i]] != looks ||
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

$1 == "vain" {
	sub(/^vain [^ ]* /, "")
	bad($0 "\n" events)
	next
}
$1 == "node" {
	if ($4 !~ /^IDLE(\+PLANNED)?$/ || $5 != 0)
		bad("node " $3 " is " $4 " with " $5 " CPUs in use: " \
		    substr($0, index($0, " " $5 " ") + length($5) + 2))
	next
}
$1 == "licences" { if ($3 != 0) bad($3 " licences are in use"); next }
# slurmdbd never gets what slurmctld had not sent yet when it was killed.
$1 == "account" {
	if ($4 ~ /^(RUNNING|PENDING)$/ && died < 0 && name_of[$3] in min)
		bad("sacct says that job " $3 " is " $4, $3)
	next
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
	if (looks)
		printf "# %d jobs, %d looks at them; %d gangs started whole, %d " \
			"not at all; %d jobs ran again, as in stock Slurm\n",
			n_jobs, looks, whole, never, again
	if (said)
		print "# faults:" said
	say_maps()
	printf "%d gangs, %d faults, %d violations\n", gangs, faults, violations
	exit violations > 0
}
