# SPDX-License-Identifier: GPL-2.0-or-later
# maps.awk - are the maps of gangs true, and are members where they should be?
#
# Part of judge. A place is what a member has of a ring: the names of its nodes in
# the order of the ring, with commas. A vacant rank is left out of the ring. Of
# several members that come in one event the order is not known, so whatever stood in
# the places of the others will do.

# --- the fabric ---

# n[1-3,5],n7 into part[], returns how many.
function expand(list, part,   base, i, j, n, m, piece, ends, inside) {
	n = split(list, piece, ",")
	m = 0
	for (i = 1; i <= n; i++) {
		if (piece[i] ~ /\[/) {
			inside = 1
			base = piece[i]
			sub(/\[.*/, "", base)
			sub(/.*\[/, "", piece[i])
		}
		if (!inside) {
			part[++m] = piece[i]
			continue
		}
		inside = sub(/\]/, "", piece[i]) == 0
		if (split(piece[i], ends, "-") == 1)
			ends[2] = ends[1]
		for (j = ends[1]; j <= ends[2]; j++)
			part[++m] = base j
	}
	return m
}

# The nodes of a list, sorted, with commas around them.
function as_set(list,   part, n, i, j, swap, text) {
	n = expand(list, part)
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && part[j] < part[j - 1]; j--) {
			swap = part[j]
			part[j] = part[j - 1]
			part[j - 1] = swap
		}
	for (i = 1; i <= n; i++)
		text = text "," part[i]
	return text ","
}

/^SwitchName=/ {
	n = split($2, word, "=")
	n = expand(word[n], child)
	for (i = 1; i <= n; i++)
		parent[child[i]] = substr($1, length("SwitchName=") + 1)
	next
}

# 2 within a node, 4 through a leaf, four times more for each level above.
function hop(a, b,   cost) {
	for (cost = 2; a != b; cost *= cost == 2 ? 2 : 4) {
		a = parent[a]
		b = parent[b]
		if (a == "")
			return 1000000
	}
	return cost
}

# The cost of the ring over the places seat[0] to seat[n - 1]; "" is none.
function ring_cost(seat, n,   i, j, k, stop, first, last, sum) {
	for (i = 0; i < n; i++) {
		k = split(seat[i], stop, ",")
		for (j = 1; j <= k; j++) {
			if (first == "")
				first = stop[j]
			else
				sum += hop(last, stop[j])
			last = stop[j]
		}
	}
	return first == "" ? 0 : sum + hop(last, first)
}

# The places on so many of the nodes that are the keys of "on".
function places_of(on, width, places,   a, b) {
	for (a in on) {
		if (width == 1)
			places[a]
		for (b in on)
			if (width == 2 && a != b)
				places[a "," b]
	}
}

# --- what members were told ---

function rank_in(id, ids,   i, n, list) {
	n = split(ids, list, ",")
	for (i = 1; i <= n; i++)
		if (list[i] == id)
			return i - 1
	return ""
}

$1 == "told" {
	key = $5 " " $6
	map = $7 " " $8 " " $9
	if (!(key in map_of)) {
		map_of[key] = map
		ids_of[key] = $7
		nodes_of[key] = $8
		spares_of[key] = $9
		maps++
		n = split($7 "," $9, list, ",")
		split("", seen)
		for (i = 1; i <= n; i++)
			if (list[i] !~ /^(0|-)$/ && seen[list[i]]++)
				bad("gang " $5 ", epoch " $6 " has job " list[i] \
				    " twice: " map)
	} else if (map_of[key] != map) {
		bad("gang " $5 ", epoch " $6 " is " map_of[key] " and " map)
	}
	me = $3 " " $4
	if (me in epoch_of && epoch_of[me] >= $6)
		bad("job " $3 " was told epoch " $6 " after " epoch_of[me])
	epoch_of[me] = $6
	rank = rank_in($3, $7)
	if (me in rank_of && rank_of[me] != "" && rank_of[me] != rank)
		bad("job " $3 " had rank " rank_of[me] " and has " \
		    (rank == "" ? "none" : "rank " rank))
	rank_of[me] = rank
	# The first report of this epoch, and those of the next ones.
	tells[++n_tells] = $2 " " $3 " " $4 " " key
	next
}

$1 == "has" { has[$3] = $4; next }
$1 == "owns" {
	owned[$3 " " $4] = $6
	waited = $2 - $7
	if (waited > longest_wait)
		longest_wait = waited
	if (waited > overlap)
		bad(sprintf("rank %s of gang %s had two owners for %.1f s, " \
			    "job %s is the second", $6, $5, waited, $3))
	next
}

# --- what Slurm and the driver said ---

$1 == "event" {
	event = $3
	kind = $4
	hit = $5
	event_at = $2
	n_tells = 0
	split("", avoid)
	split("", gone)
	split("", free)
	split("", at)
	next
}
$1 == "free" { for (i = 3; i <= NF; i++) free[$i]; next }
$1 == "avoid" { avoid[$3]; failed[hit, $3]; next }
$1 == "gone" { gone[$3] = $2; gone_after[$3] = $4; next }
$1 == "at" { at[$3] = $4; run[$3] = $5; node[$3] = $6; next }

# --- when all is settled ---

function late(what, from, to, bound, least,   took) {
	took = to - from
	if (to - least > longest[what])
		longest[what] = to - least
	timed[what]++
	if (took > bound)
		bad(sprintf("%s: %.1f s", what, took))
}

# Since the event began: when was each survivor told a map without the one that is
# lost, or with the one that has come?
function check_times(g,   i, w, j, first, m, s, done) {
	if (died >= event_at)
		return
	for (i = 1; i <= n_tells; i++) {
		split(tells[i], w, " ")
		if (w[4] != g)
			continue
		m = g " " w[5]
		for (j in gone) {
			if (old_gang[j] != g || (w[2], j) in done ||
			    !was_there(w[2], w[3]))
				continue
			s = "," ids_of[m] "," spares_of[m] ","
			if (index(s, "," j ",") && index(old_all[g], "," j ",") \
			    && old_seat(g, j) == rank_in(j, ids_of[m]) "")
				continue
			done[w[2], j]
			late("from a loss to the epoch", gone[j], w[1], limit,
			     gone_after[j])
		}
		# The first map that it was told itself.
		if (!was_there(w[2], w[3]) && !(w[2] in first))
			first[w[2]] = w[1]
	}
	split("", done)
	for (i = 1; i <= n_tells; i++) {
		split(tells[i], w, " ")
		m = g " " w[5]
		if (w[4] != g || !was_there(w[2], w[3]))
			continue
		s = "," ids_of[m] "," spares_of[m] ","
		for (j in first) {
			if (!index(s, "," j ",") || (w[2], j) in done ||
			    w[1] < first[j] - 2 || policy[g] == "requeue")
				continue
			if (index(old_all[g], "," j ",") &&
			    w[1] < first[j] - 2)
				continue
			done[w[2], j]
			late("from a start to the epoch", first[j], w[1], limit,
			     first[j])
		}
	}
}

function was_there(id, r) {
	return (id in old_run) && old_run[id] == r && id in at && run[id] == r
}

function old_seat(g, id) {
	return rank_in(id, old_ids[g]) ""
}

# All that stood in other places that changed in this event: what was there,
# nothing, or what is there now. Sets "seat" to the way-th of them; 0: no more.
function stand(g, n, r, way,   i, what, which) {
	which = way
	for (i = 0; i < n; i++) {
		seat[i] = now_node[i]
		if (i == r || !changed[i])
			continue
		what = which % 3
		which = int(which / 3)
		if (what == 1)
			seat[i] = ""
		if (what == 2)
			seat[i] = old_node[g, i]
	}
	return which == 0
}

# True if there is a way in which no candidate costs less than the chosen one.
function least_cost(g, n, r, candidates,   way, c, cost, best, text) {
	for (way = 0; stand(g, n, r, way); way++) {
		cost = ring_cost(seat, n)
		best = ""
		for (c in candidates) {
			seat[r] = c
			if (ring_cost(seat, n) < cost)
				best = c
		}
		if (best == "")
			return ""
		text = best
	}
	return text
}

function check_heir(g, n, r, id,   c, f, i, k, part, any, taken, n_any,
		    n_failed, which) {
	split("", c)
	for (f in at) {
		k = expand(node[f], part)
		for (i = 1; i <= k; i++)
			taken[part[i]]
	}
	for (f in free)
		if (!((g, f) in failed) && !(f in taken)) {
			any[f]
			n_any++
		}
	k = expand(node[id], part)
	for (i = 1; i <= k; i++)
		if ((g, part[i]) in failed) {
			n_failed++
			which = part[i]
		}
	if (n_failed && n_any >= n_failed) {
		bad("job " id " of " g " is on " which \
		    ", which has failed " g ", and others were free")
		return
	}
	for (i = 1; i <= k; i++)
		any[part[i]]
	places_of(any, k, c)
	choices += n_any
	heirs++
	f = least_cost(g, n, r, c)
	if (f != "")
		bad("heir " id " of rank " r " of " g " is on " now_node[r] ", " f \
		    " costs less: " nodes_of[g " " now_epoch[g]])
}

# The places on these very nodes.
function places_on(nodes, places,   part, on, i, k) {
	k = expand(nodes, part)
	for (i = 1; i <= k; i++)
		on[part[i]]
	places_of(on, k, places)
}

function check_spare(g, n, r, id,   i, m, list, c, f) {
	m = split(old_spares[g], list, ",")
	split("", c)
	for (i = 1; i <= m; i++)
		if (list[i] != id && list[i] in at && !(list[i] in gone) &&
		    rank_in(list[i], ids_of[g " " now_epoch[g]]) == "")
			places_on(node[list[i]], c)
	promoted++
	for (f in c)
		choices++
	places_on(node[id], c)
	f = least_cost(g, n, r, c)
	if (f != "")
		bad("spare " id " has rank " r " of " g " on " now_node[r] \
		    ", that on " f " costs less")
}

# The nodes that a rank has in the map, of which it has as many as in Slurm. Of a job
# that is not there "" is passed on: gawk 5.2 frees an element that is not there twice.
function next_place(id, places,   k, names, text) {
	text = places[++n_places]
	for (k = expand(node[id] "", names); k > 1; k--) {
		text = text "," places[++n_places]
		is_wide = 1
	}
	return text
}

# What members know of their own nodes is the map.
function check_own(g, m, n, list,   i, k, k_own, part, text) {
	for (i = 1; i <= n; i++) {
		if (!(list[i] in has))
			return
		k_own = expand(has[list[i]], part)
		for (k = 1; k <= k_own; k++)
			text = text (text == "" ? "" : ",") part[k]
	}
	if (text != nodes_of[m])
		bad("members of " g " have nodes " text " by themselves, " \
		    nodes_of[m] " by the map")
}

function check_rank(g, i, id) {
	now_id[i] = id
	if (at[id] != g || as_set(node[id] "") != as_set(now_node[i]))
		bad("rank " i " of " g " is job " id " on " now_node[i] \
		    " by the file, " node[id] " by squeue")
	else if (g in policy && owned[id " " run[id]] "" != i "")
		bad("job " id " has not taken rank " i " of " g)
}

# Were all that run told the same? Sets n_jobs_at, too.
function same_epoch(g,   id, last) {
	now_epoch[g] = ""
	n_jobs_at = 0
	for (id in at) {
		if (at[id] != g)
			continue
		n_jobs_at++
		last = epoch_of[id " " run[id]]
		if (now_epoch[g] == "")
			now_epoch[g] = last
		if (now_epoch[g] != last) {
			bad("members of " g " were told epochs " now_epoch[g] \
			    " and " last " in the end")
			return 0
		}
	}
	return 1
}

# A map that was told to all that run, and is true.
function check_map(g,   list, n, i, m, names, places, k) {
	if (!same_epoch(g))
		return 0
	n_places = is_wide = 0
	m = g " " now_epoch[g]
	if (!(m in map_of)) {
		bad("nobody of " g " was told anything")
		return 0
	}
	n = split(ids_of[m], list, ",")
	if (n != ranks[g])
		bad(g " has " n " ranks, not " ranks[g])
	k = expand(nodes_of[m], places)
	for (i = 1; i <= n; i++) {
		now_node[i - 1] = next_place(list[i], places)
		check_rank(g, i - 1, list[i])
	}
	if (n_places != k)
		bad(g " has " k " nodes for " n " ranks: " map_of[m])
	check_own(g, m, n, list)
	wide += is_wide
	n_jobs_at -= n
	for (i = split(spares_of[m], names, ","); i > 0; i--)
		if (names[i] != "-") {
			n_jobs_at--
			if (at[names[i]] != g)
				bad("spare " names[i] " of " g " does not run")
		}
	if (n_jobs_at)
		bad(n_jobs_at " jobs of " g " run and are not in " map_of[m])
	if (split(spares_of[m], names, ",") > (spares[g] ? spares[g] : 1))
		bad(g " has too many spares: " spares_of[m])
	return n
}

function check_epoch(g,   m, o) {
	if (!(g in old_epoch))
		return
	m = map_of[g " " now_epoch[g]]
	o = map_of[g " " old_epoch[g]]
	if (now_epoch[g] < old_epoch[g])
		bad("the epoch of " g " went from " old_epoch[g] " to " now_epoch[g])
	else if (g == hit && now_epoch[g] == old_epoch[g])
		bad("the epoch of " g " is " now_epoch[g] " as before")
	else if (g != hit && now_epoch[g] != old_epoch[g])
		bad("the epoch of " g " went from " old_epoch[g] " to " \
		    now_epoch[g] ", with nothing done to it")
}

function check_seats(g, n,   i, id) {
	if (!(g in old_epoch))
		return
	for (i = 0; i < n; i++) {
		id = now_id[i]
		changed[i] = id != old_id[g, i] || run[id] != old_run[id]
		if (!changed[i])
			kept++
		if (changed[i] && was_there(old_id[g, i], old_run[old_id[g, i]]))
			bad("rank " i " of " g " went from job " old_id[g, i] \
			    ", which runs, to job " id)
	}
	if (policy[g] == "requeue")
		return
	for (i = 0; i < n; i++) {
		id = now_id[i]
		if (!changed[i])
			continue
		if (was_there(id, run[id]) && old_seat(g, id) == "")
			check_spare(g, n, i, id)
		else if (!was_there(id, run[id]))
			check_heir(g, n, i, id)
	}
}

# A gang that begins again is where it was, unless it lost a node.
function check_restart(g, n,   i, j, k, part, was, a, w) {
	if (policy[g] != "requeue" || !(g in old_epoch) || g != hit)
		return
	for (a in failed) {
		split(a, w, SUBSEP)
		if (w[1] == g)
			delete failed[a]
	}
	for (i = 0; i < n; i++) {
		k = split(old_node[g, i], part, ",")
		for (j = 1; j <= k; j++)
			was[part[j]]
	}
	for (a in avoid)
		return
	restarts++
	if (kind !~ /^(fail|kill)/)
		return
	for (i = 0; i < n; i++) {
		k = split(now_node[i], part, ",")
		for (j = 1; j <= k; j++)
			if (!(part[j] in was))
				bad(g " began again on " part[j] \
				    ", which it had not")
	}
}

function remember(g, n,   i, id) {
	old_epoch[g] = now_epoch[g]
	old_ids[g] = ids_of[g " " now_epoch[g]]
	old_spares[g] = spares_of[g " " now_epoch[g]]
	old_all[g] = "," old_ids[g] "," old_spares[g] ","
	for (i = 0; i < n; i++) {
		old_id[g, i] = now_id[i]
		old_node[g, i] = now_node[i]
	}
}

$1 == "settled" {
	n_events += event != 0
	disagree = agree = 0
	for (g in ranks) {
		before = violations
		split("", now_node)
		split("", now_id)
		split("", changed)
		n = check_map(g)
		if (n && violations == before)
			agree++
		else
			disagree++
		if (!n)
			continue
		check_epoch(g)
		if (g == hit)
			check_times(g)
		check_seats(g, n)
		check_restart(g, n)
		remember(g, n)
	}
	split("", old_run)
	split("", old_gang)
	for (id in at) {
		old_run[id] = run[id]
		old_gang[id] = at[id]
	}
	next
}
$1 == "unsettled" { bad("nothing comes of it"); next }

function say_maps() {
	if (agree && !disagree)
		print "# all agree"
	for (what in timed)
		printf "# %s: %d, at most %.2f s\n", what, timed[what], longest[what]
	if (longest_wait != "")
		printf "# a rank was waited for at most %.2f s\n", longest_wait
	if (maps)
		printf "# %d events, %d maps, %d wide, %d ranks kept, %d heirs, " \
			"%d spares, %d choices, %d restarts\n", n_events, maps,
			wide, kept, heirs, promoted, choices, restarts
}
