/* SPDX-License-Identifier: GPL-2.0-or-later */
/* turns.c - the order of turns, and the exchange of holds
 *
 * Groups are served in the order of their turns. Nonstrict gangs keep their
 * nodes, so two of them can hold nodes that the other needs. Such a deadlock
 * ends by this rule: a group that cannot be completed from free nodes is tried
 * once more as if it were strict, on free nodes, its own and those held by
 * groups after it. If this completes the group, the groups after it keep the
 * holds that are left. If not, nothing changes. doc/internals.md proves that
 * this ends every deadlock.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"
#include "plugins/log.h"

/* A search for a way out of a deadlock is repeated after a change, or after
 * this many seconds. */
#define LEND_SECONDS 60

/* A pass begins no turn but the first after this time (microseconds); the next
 * pass takes the others, after slurmctld has had its locks. */
#define PASS_BUDGET 5000

/* ---- a group ---- */

/* True if the gang is still to be placed. */
static bool wants_nodes(const struct gang *g)
{
	return !sgang_gang_ordinary(&g->tally) &&
	       !sgang_gang_placed(&g->tally) && !sgang_hold_begun(g);
}

/* Not for a group, which starts together, nor for an exclusive gang, whose
 * domains would have to be reserved. */
static bool may_slice(struct gang **group, size_t n)
{
	bool one_hold = group[0]->attempt.one_hold;

	group[0]->attempt.one_hold = false;
	return n == 1 && !one_hold && !group[0]->tally.spec.exclusive[0];
}

/* Ask the host about all waiting members of these gangs. False: it has no such
 * call, or says so. */
static bool ask_for(bool (*ask)(struct sgang_job *const *jobs, size_t n),
		    struct gang *const *gangs, size_t n)
{
	struct sgang_job **jobs;
	size_t n_jobs = 0;
	bool any;

	if (!ask)
		return false;
	for (size_t i = 0; i < n; i++)
		n_jobs += gangs[i]->n_entries;
	jobs = calloc(n_jobs ? n_jobs : 1, sizeof(*jobs));
	n_jobs = 0;
	for (size_t i = 0; jobs && i < n; i++) {
		for (size_t j = 0; j < gangs[i]->n_entries; j++) {
			const struct entry *e = gangs[i]->entries[j];

			if (e->m.state == SGANG_MEMBER_PENDING)
				jobs[n_jobs++] = e->job;
		}
	}
	any = n_jobs && ask(jobs, n_jobs);
	free(jobs);
	return any;
}

/* Count the CPUs of jobs as free that Slurm would suspend for them. */
static bool suspend_for(struct sgang_conductor *c, struct gang *const *gangs,
			size_t n)
{
	return ask_for(c->host->preempt.suspend, gangs, n);
}

/* True if they start where Slurm tries jobs first: --prefer, MAGNETIC
 * reservations. */
static bool attempt_preferred(struct sgang_conductor *c, struct gang **gangs,
			      size_t n)
{
	bool done = false;

	while (!done && ask_for(c->host->nodes.prefer, gangs, n))
		done = sgang_attempt(c, gangs, n, false);
	if (done)
		(void)c->host->nodes.prefer(NULL, 0);
	return done;
}

bool sgang_turns_try_more(struct sgang_conductor *c, struct gang *g)
{
	if (ask_for(c->host->nodes.prefer, &g, 1)) {
		(void)c->host->nodes.prefer(NULL, 0);
		return true;
	}
	if (!suspend_for(c, &g, 1))
		return false;
	c->host->preempt.leave_out(NULL, 0);
	return true;
}

/* First on free nodes, as Slurm does. An attempt that Slurm has refused is
 * repeated there before other nodes are tried. */
static bool attempt(struct sgang_conductor *c, struct gang **gangs, size_t n,
		    bool slices)
{
	bool done = attempt_preferred(c, gangs, n) ||
		    sgang_attempt(c, gangs, n, slices);

	if (done || gangs[0]->attempt.only_min || gangs[0]->attempt.one_hold ||
	    !suspend_for(c, gangs, n))
		return done;
	done = sgang_attempt(c, gangs, n, false);
	c->host->preempt.leave_out(NULL, 0);
	return done;
}

static void attempt_some(struct sgang_conductor *c, struct gang *g)
{
	while (ask_for(c->host->nodes.prefer, &g, 1)) {
		(void)sgang_attempt_some(c, g);
		if (wants_nodes(g) && sgang_gang_may_try(&g->tally))
			continue;
		(void)c->host->nodes.prefer(NULL, 0);
		return;
	}
	(void)sgang_attempt_some(c, g);
	if (!wants_nodes(g) || !sgang_gang_may_try(&g->tally) ||
	    !suspend_for(c, &g, 1))
		return;
	(void)sgang_attempt_some(c, g);
	c->host->preempt.leave_out(NULL, 0);
}

/* Nonstrict gangs take the nodes there are. Strict gangs hold no nodes while
 * they wait, so their turn comes when the others are placed. */
static bool serve(struct sgang_conductor *c, struct gang **group, size_t n)
{
	struct gang **strict = calloc(n, sizeof(*strict));
	size_t n_strict = 0;
	bool waiting = false, done = false;

	if (!strict)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct gang *g = group[i];

		if (!wants_nodes(g))
			continue;
		if (sgang_gang_strict(&g->tally)) {
			strict[n_strict++] = g;
			continue;
		}
		if (sgang_gang_may_try(&g->tally))
			attempt_some(c, g);
		waiting |= wants_nodes(g);
	}
	if (!waiting)
		done = !n_strict ||
		       attempt(c, strict, n_strict, may_slice(group, n));
	free(strict);
	return done;
}

/* ---- the exchange of holds ---- */

/* A hold given back to see whether a group before it can start. */
struct lent {
	struct gang *g;
	uint32_t job_id;
	struct sgang_nodeset *nodes, *islands;
	struct sgang_record record;
	int64_t since, hold_since;
	uint32_t held_for; /* before it was given back */
	bool lost;         /* not returned */
};

struct loan {
	struct lent *lent;
	size_t n, cap;
};

static int lend_hold(struct sgang_conductor *c, struct loan *loan,
		     struct gang *g, const struct hold *hold)
{
	struct sgang_job *job = c->host->jobs.find(hold->job_id);
	const struct entry *e = sgang_registry_entry(c, hold->job_id);
	struct lent *lent;

	if (loan->n == loan->cap) {
		size_t cap = loan->cap ? loan->cap * 2 : 16;
		struct lent *more = realloc(loan->lent, cap * sizeof(*more));

		if (!more)
			return -1;
		loan->lent = more;
		loan->cap = cap;
	}
	lent = &loan->lent[loan->n];
	*lent = (struct lent){
		.g = g,
		.job_id = hold->job_id,
		.record = hold->record,
		.since = g->hold.since,
		.hold_since = hold->since,
		.held_for = e ? e->m.held_for : 0,
		.nodes = sgang_nodeset_create(c->host->nodes.count()),
	};
	if (!lent->nodes)
		return -1;
	loan->n++;
	if (job) {
		c->host->jobs.nodes(job, lent->nodes);
		lent->islands = sgang_describe_islands(c, job, lent->nodes);
	}
	return 0;
}

/* All is written down before any change. */
static int write_down(struct sgang_conductor *c, struct loan *loan,
		      struct gang *g)
{
	for (size_t i = 0; i < g->hold.n; i++) {
		if (lend_hold(c, loan, g, &g->hold.members[i]) < 0)
			return -1;
	}
	return 0;
}

static void free_loan(struct loan *loan)
{
	for (size_t i = 0; i < loan->n; i++) {
		sgang_nodeset_destroy(loan->lent[i].nodes);
		sgang_nodeset_destroy(loan->lent[i].islands);
	}
	free(loan->lent);
}

static void add_held_nodes(struct sgang_conductor *c, const struct gang *g,
			   struct sgang_nodeset *nodes)
{
	for (size_t i = 0; i < g->hold.n; i++) {
		struct sgang_job *job =
			c->host->jobs.find(g->hold.members[i].job_id);

		if (job)
			c->host->jobs.nodes(job, nodes);
	}
}

/* True if the holder's nodes, or the domains from which it bars the gang, are
 * of use to the gang. */
static bool useful_to(struct sgang_conductor *c, const struct gang *g,
		      const struct gang *holder,
		      const struct sgang_nodeset *held)
{
	struct sgang_nodeset *around;
	bool useful;

	if (g->attempt.wants_more)
		return true;
	if (!g->partitions.nodes)
		return false;
	around = sgang_exclusive_around(c, g, &holder->tally.spec, held);
	useful = around &&
		 sgang_nodeset_intersects(around, g->partitions.nodes);
	sgang_nodeset_destroy(around);
	return useful;
}

/* True if it holds nodes that the group, which comes before it, could use. If a
 * member of the group lacks something other than nodes, such as licences, any
 * hold may be of use. */
static bool gives_way(struct sgang_conductor *c, struct gang *holder,
		      struct gang **group, size_t n)
{
	struct sgang_nodeset *nodes;
	bool useful = false;

	if (!holder->hold.n || holder->stale || sgang_hold_doubtful(holder) ||
	    sgang_hold_begun(holder) || sgang_gang_strict(&holder->tally) ||
	    sgang_group_placed(holder) ||
	    sgang_group_turn_order(group[0], holder) >= 0)
		return false;
	nodes = sgang_nodeset_create(c->host->nodes.count());
	if (!nodes)
		return false;
	add_held_nodes(c, holder, nodes);
	for (size_t i = 0; i < n && !useful; i++)
		useful = useful_to(c, group[i], holder, nodes);
	sgang_nodeset_destroy(nodes);
	return useful;
}

static int write_down_all(struct sgang_conductor *c, struct loan *loan,
			  struct gang **group, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (wants_nodes(group[i]) || group[i]->hold.n) {
			if (write_down(c, loan, group[i]) < 0)
				return -1;
		}
	}
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (gives_way(c, g, group, n) && write_down(c, loan, g) < 0)
			return -1;
	}
	return 0;
}

static int by_turn(const void *a, const void *b)
{
	const struct lent *x = a, *y = b;

	return sgang_group_turn_order(x->g, y->g);
}

/* True if the gang may still use these nodes. An exclusive gang may have taken
 * their domain. */
static bool may_return(struct sgang_conductor *c, const struct lent *lent)
{
	struct sgang_nodeset *left = sgang_nodeset_copy(lent->nodes);
	bool may;

	if (left)
		sgang_exclusive_cut(c, lent->g, left);
	may = left && sgang_nodeset_equal(left, lent->nodes);
	sgang_nodeset_destroy(left);
	return may;
}

/* Return its nodes to a hold, if they are free. */
static bool take_again(struct sgang_conductor *c, const struct lent *lent)
{
	struct sgang_job *lost = c->host->jobs.find(lent->job_id), *job = NULL;
	struct sgang_bounds bounds = { .nodes = lent->nodes,
				       .islands = lent->islands };
	struct sgang_refusal refusal;
	struct hold *hold;
	struct entry *e;

	if (!lost || !may_return(c, lent))
		return false;
	job = c->host->holds.commit(lost, &bounds, &refusal);
	if (!job && bounds.islands) {
		bounds.islands = NULL;
		job = c->host->holds.commit(lost, &bounds, &refusal);
	}
	if (!job)
		return false;
	if (sgang_hold_add(c, lent->g, &job, 1) < 0) {
		c->host->holds.undo(job);
		return false;
	}
	lent->g->hold.since = lent->since;
	lent->g->tally.since = lent->since;
	hold = &lent->g->hold.members[lent->g->hold.n - 1];
	hold->record = lent->record;
	hold->since = lent->hold_since;
	e = sgang_registry_entry(c, hold->job_id);
	if (e)
		e->m.held_for = lent->held_for; /* as if it had never stopped */
	return true;
}

static void return_loan(struct sgang_conductor *c, struct loan *loan,
			const struct gang *winner)
{
	qsort(loan->lent, loan->n, sizeof(*loan->lent), by_turn);
	for (size_t i = 0; i < loan->n; i++) {
		struct lent *lent = &loan->lent[i];

		/* The group that was placed has other holds now. */
		if (winner && !sgang_group_turn_order(winner, lent->g))
			continue;
		lent->lost = !take_again(c, lent);
		if (!lent->lost)
			continue;
		sgang_metrics_hold_ended(&c->metrics, SGANG_HOLD_END_REPLACED,
					 1);
		sgang_log(SGANG_LOG_INFO, "%s/%s: member %u gave way: %s",
			  lent->g->ns, lent->g->name, lent->job_id,
			  sgang_hold_end_word(SGANG_HOLD_END_REPLACED));
	}
	for (size_t i = 0; i < loan->n; i++) {
		if (loan->lent[i].lost)
			loan->lent[i].g->hold.end = SGANG_HOLD_END_REPLACED;
	}
}

/* Attempt all gangs of the group that are not placed yet, as if strict. */
static bool serve_as_strict(struct sgang_conductor *c, struct gang **group,
			    size_t n)
{
	struct gang **all = calloc(n, sizeof(*all));
	size_t n_all = 0;
	bool done = false;

	for (size_t i = 0; all && i < n; i++) {
		if (wants_nodes(group[i]))
			all[n_all++] = group[i];
	}
	if (n_all)
		done = sgang_attempt(c, all, n_all, false);
	free(all);
	return done;
}

/* True if the exchange could help. Call before any change. */
static bool may_help(struct sgang_conductor *c, const struct loan *loan,
		     struct gang **group, size_t n)
{
	struct sgang_nodeset *lent =
		sgang_nodeset_create(c->host->nodes.count());
	struct gang **all = calloc(n, sizeof(*all));
	size_t n_all = 0;
	bool hope = false;

	if (!lent || !all)
		goto out;
	for (size_t i = 0; i < loan->n; i++)
		sgang_nodeset_or(lent, loan->lent[i].nodes);
	for (size_t i = 0; i < n; i++) {
		if (!sgang_gang_ordinary(&group[i]->tally))
			all[n_all++] = group[i];
	}
	hope = n_all && sgang_probe_could(c, all, n_all, lent);
out:
	sgang_nodeset_destroy(lent);
	free(all);
	return hope;
}

/* If holds cannot be returned, the others give them up, and the group has the
 * next turn, alone, after that. */
static void give_up(struct sgang_conductor *c, const struct loan *loan,
		    struct gang *first)
{
	for (size_t i = 0; i < loan->n; i++) {
		struct gang *g = loan->lent[i].g;

		if (!sgang_group_turn_order(first, g) || !g->hold.n)
			continue;
		sgang_log(SGANG_LOG_INFO, "%s/%s: gives way to %s/%s", g->ns,
			  g->name, first->ns, first->name);
		sgang_hold_give_back(c, g, SGANG_HOLD_END_REPLACED);
		first->turn.yielded_to = true;
	}
}

static bool lent_before(struct sgang_conductor *c, const struct gang *g)
{
	/* Holds that cannot be returned are not requested at every change. */
	return g->loan.in_vain &&
	       (g->loan.stamp == c->host->stamp() ||
		!c->host->holds.recommits()) &&
	       c->host->now() - g->loan.time < LEND_SECONDS;
}

static void note_loan(struct sgang_conductor *c, struct gang *g, bool done)
{
	g->loan.in_vain = !done;
	g->loan.stamp = c->host->stamp();
	g->loan.of = g->requests;
	g->loan.time = c->host->now();
}

/* Nonstrict members start one by one, so there is no common start for which
 * backfill should reserve nodes, and no number of nodes to wait for. */
static void forget_common_start(struct gang **group, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!sgang_gang_strict(&group[i]->tally)) {
			group[i]->joint.start = 0;
			group[i]->joint.whole_nodes = 0;
		}
	}
}

static bool give_way(struct sgang_conductor *c, struct gang **group, size_t n)
{
	struct loan loan = { NULL, 0, 0 };
	char why[sizeof(group[0]->attempt.why)];
	bool done = false;

	if (lent_before(c, group[0]) ||
	    write_down_all(c, &loan, group, n) < 0 || !loan.n)
		goto out;
	if (!may_help(c, &loan, group, n)) {
		note_loan(c, group[0], false);
		goto out;
	}
	if (!c->host->holds.recommits()) {
		give_up(c, &loan, group[0]);
		note_loan(c, group[0], false);
		goto out;
	}
	memcpy(why, group[0]->attempt.why, sizeof(why));
	for (size_t i = 0; i < loan.n; i++)
		sgang_hold_give_back(c, loan.lent[i].g, SGANG_HOLD_END_NONE);
	done = serve_as_strict(c, group, n);
	return_loan(c, &loan, done ? group[0] : NULL);
	if (!done) {
		memcpy(group[0]->attempt.why, why, sizeof(why));
		forget_common_start(group, n);
	}
	note_loan(c, group[0], done);
out:
	free_loan(&loan);
	return done;
}

/* ---- turns ---- */

static void note_result(struct sgang_conductor *c, struct gang **group,
			size_t n, bool done)
{
	bool limited = false;

	for (size_t i = 0; i < n; i++)
		limited |= group[i]->turn.limit != NULL;
	for (size_t i = 0; i < n; i++) {
		struct gang *g = group[i];

		/* If not all has been tried yet, the next turn need not wait
		 * for a change. */
		g->attempt.failed = !done && !g->attempt.only_min &&
				    !g->attempt.one_hold;
		g->failed_at.limited = limited;
		/* what backfill offers next is not known */
		if (limited)
			g->lack.members = 0;
		sgang_retry_note(c, g);
	}
}

/* True if the scheduler reached a gang of the group. */
static bool reached(struct gang **group, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (group[i]->turn.due && !group[i]->turn.own)
			return true;
	}
	return false;
}

/* True if holds of the group may be running jobs. */
static bool any_doubtful(struct gang **group, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (sgang_hold_doubtful(group[i]))
			return true;
	}
	return false;
}

/* If the nodes freed for a gang did not help, preemption is planned again. */
static void try_preemption(struct sgang_conductor *c, struct gang **group,
			   size_t n)
{
	struct gang **all;
	size_t n_all = 0;

	for (size_t i = 0; i < n; i++) {
		struct gang *g = group[i];
		bool shares;

		if (!g->preempt.claim || !g->preempt.claim->ripe)
			continue;
		shares = g->preempt.claim->n_shares;
		sgang_claim_lost(c, g, g->attempt.why);
		for (size_t k = 0; k < n; k++) {
			if (k != i && !shares)
				continue;
			sgang_nodeset_destroy(group[k]->turn.limit);
			group[k]->turn.limit = NULL;
		}
	}
	if (group[0]->attempt.only_min || group[0]->attempt.one_hold)
		return; /* tried again first */
	all = calloc(n, sizeof(*all));
	for (size_t i = 0; all && i < n; i++) {
		if (wants_nodes(group[i]))
			all[n_all++] = group[i];
	}
	if (n_all)
		(void)sgang_preempt(c, all, n_all);
	free(all);
}

/* The nodes of a gang's turn. */
struct about {
	bool known;
	bool due;
	struct sgang_nodeset *limit;
};

static void change_places(struct gang *g, struct about *about)
{
	const struct about was = { true, g->turn.due, g->turn.limit };

	g->turn.due = about->due;
	g->turn.limit = about->limit;
	*about = was;
}

/* The nodes on which each gang that wants nodes is tried first. False: any, or
 * no memory. */
static bool find_first(struct gang **group, size_t n, struct about *first)
{
	bool any = false, all = true;

	for (size_t i = 0; i < n && all; i++) {
		const struct gang *g = group[i];

		if (!wants_nodes(g))
			continue;
		if (g->partitions.nodes)
			first[i].limit =
				sgang_nodeset_copy(g->partitions.nodes);
		first[i].known = first[i].due = true;
		all = first[i].limit != NULL;
		if (!all)
			break;
		sgang_probe_limit(g, first[i].limit);
		any |= sgang_keep_limit(g, first[i].limit);
	}
	return any && all;
}

/* Serve gangs that start again on their earlier nodes, or away from failed
 * nodes, if this serves all. */
static bool serve_where_they_were(struct sgang_conductor *c,
				  struct gang **group, size_t n)
{
	struct about *first = calloc(n, sizeof(*first));
	bool done = false;

	if (first && find_first(group, n, first)) {
		for (size_t i = 0; i < n; i++)
			if (first[i].known)
				change_places(group[i], &first[i]);
		done = serve(c, group, n);
		for (size_t i = 0; i < n; i++)
			if (first[i].known)
				change_places(group[i], &first[i]);
	}
	for (size_t i = 0; first && i < n; i++)
		sgang_nodeset_destroy(first[i].limit);
	free(first);
	return done;
}

/* True if a gang of the group starts again on its earlier nodes when these have
 * registered. */
static bool waits_for_nodes(const struct sgang_conductor *c,
			    struct gang *const *group, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (wants_nodes(group[i]) && sgang_keep_waits(c, group[i]))
			return true;
	}
	return false;
}

/* On any nodes; if there are too few, others give way, or are preempted. */
static bool serve_anywhere(struct sgang_conductor *c, struct gang **group,
			   size_t n)
{
	bool done = serve(c, group, n);

	if (!done && !group[0]->attempt.only_min)
		done = give_way(c, group, n);
	if (!done)
		try_preemption(c, group, n);
	return done;
}

static void take_turn(struct sgang_conductor *c, struct gang *g)
{
	struct gang *alone, **group;
	bool done;
	size_t n;

	group = sgang_group_of(g, &alone, &n);
	if (!c->fabric || !sgang_group_complete(g, NULL, 0) ||
	    sgang_group_placed(g) || any_doubtful(group, n) ||
	    sgang_never_any(g))
		return;
	/* Free nodes are for groups that the scheduler has reached. */
	if (!reached(group, n)) {
		(void)give_way(c, group, n);
		return;
	}
	done = serve_where_they_were(c, group, n) ||
	       (!waits_for_nodes(c, group, n) && serve_anywhere(c, group, n));
	note_result(c, group, n, done);
	if (!done)
		sgang_never_after(c, group[0]);
}

static void end_turn(struct gang *g)
{
	struct gang *alone, **group;
	size_t n;

	group = sgang_group_of(g, &alone, &n);
	for (size_t i = 0; i < n; i++) {
		group[i]->turn.due = false;
		group[i]->turn.own = false;
		group[i]->turn.wishes = false;
		sgang_retry_drop_plan(group[i]);
		sgang_nodeset_destroy(group[i]->turn.limit);
		group[i]->turn.limit = NULL;
	}
}

/* After nodes were given up for a group, the groups after it wait until it has
 * been tried on them. */
static bool yielded_to(struct sgang_conductor *c, struct gang *g)
{
	struct gang *first = g->group.n ? g->group.gangs[0] : g;

	if (!first->turn.yielded_to)
		return false;
	first->turn.yielded_to = false;
	for (struct gang *other = c->gangs; other; other = other->next) {
		if (sgang_group_turn_order(first, other))
			end_turn(other);
	}
	g->turn.due = true;
	return true;
}

/* The nodes of all gangs that hold and wait. */
static struct sgang_nodeset *nodes_in_waiting(struct sgang_conductor *c)
{
	struct sgang_nodeset *nodes =
		sgang_nodeset_create(c->host->nodes.count());

	for (struct gang *g = c->gangs; nodes && g; g = g->next) {
		if (!sgang_group_placed(g))
			add_held_nodes(c, g, nodes);
	}
	return nodes;
}

static bool might_exchange(struct sgang_conductor *c, const struct gang *g)
{
	const struct gang *first = g->group.n ? g->group.gangs[0] : g;

	return !g->turn.due && !g->never.starts &&
	       (g->hold.n || g->turn.wishes) &&
	       sgang_group_complete(g, NULL, 0) && !sgang_group_placed(g) &&
	       !lent_before(c, first);
}

/* Slurm does not try members while no node has room, and holders can be the
 * cause. So if some gang holds and waits, groups that hold, or that backfill
 * has planned, get a turn of their own, but only on the nodes of holders. */
static void offer_turns(struct sgang_conductor *c)
{
	struct sgang_nodeset *nodes;

	if (!c->holders)
		return;
	nodes = nodes_in_waiting(c);
	for (struct gang *g = c->gangs; nodes && g; g = g->next) {
		if (!might_exchange(c, g))
			continue;
		sgang_nodeset_destroy(g->turn.limit);
		g->turn.limit = sgang_nodeset_copy(nodes);
		if (!g->turn.limit)
			break;
		g->turn.due = true;
		g->turn.own = true;
	}
	sgang_nodeset_destroy(nodes);
}

static struct gang **list_turns(struct sgang_conductor *c, size_t *n)
{
	struct gang **list;

	*n = 0;
	for (struct gang *g = c->gangs; g; g = g->next)
		*n += g->turn.due;
	list = calloc(*n ? *n : 1, sizeof(*list));
	if (!list)
		return NULL;
	*n = 0;
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (g->turn.due)
			list[(*n)++] = g;
	}
	sgang_group_sort_turns(list, *n);
	return list;
}

/* An attempt that could not be saved is not begun, and no job is kept off for
 * it. */
static void refuse_turns(struct sgang_conductor *c)
{
	struct gang *slicing = sgang_slices_gang(c);

	if (slicing && !slicing->stale) {
		sgang_hold_give_back(c, slicing, SGANG_HOLD_END_INCOMPLETE);
		c->wake_scheduler = true;
	}
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (g->turn.due)
			end_turn(g);
	}
	c->turns = sgang_slices_gang(c);
}

/* A gang that is being committed comes before all turns. False: it is not
 * finished. */
static bool end_slices(struct sgang_conductor *c)
{
	struct gang *g = sgang_slices_gang(c);
	enum sgang_progress progress;

	if (!g)
		return true;
	if (g->stale)
		return false;
	progress = sgang_slices_go_on(c, g);
	if (progress == SGANG_PAUSED)
		return false;
	note_result(c, &g, 1, progress == SGANG_DONE);
	return true;
}

void sgang_turns_take(struct sgang_conductor *c)
{
	uint64_t begun = c->host->clock_us();
	struct gang **list;
	size_t n, i;

	if (c->save.error) {
		refuse_turns(c);
		return;
	}
	if (!end_slices(c))
		return; /* the turns stay */
	offer_turns(c);
	list = list_turns(c, &n);
	if (!list)
		return; /* the turns stay, the next pass takes them */
	for (i = 0; i < n; i++) {
		if (c->host->clock_us() - begun > PASS_BUDGET)
			break;
		if (!list[i]->turn.due)
			continue; /* taken with another of its group */
		take_turn(c, list[i]);
		if (yielded_to(c, list[i]))
			break;
		end_turn(list[i]);
		if (sgang_hold_committing(list[i])) {
			i++;
			break;
		}
	}
	c->turns = i < n || sgang_slices_gang(c);
	if (c->turns)
		sgang_conductor_poke(c);
	free(list);
}
