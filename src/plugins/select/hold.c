/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hold.c - members that have nodes and wait: kept, lost, ended, released
 *
 * A strict gang holds from its commit to its release, a nonstrict one from its
 * first member on. If a hold ends and the gang cannot start without it, all its
 * holds end, within one hold of the locks.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"
#include "faults.h"
#include "plugins/log.h"

/* ---- taking and giving back ---- */

/* The time held counts, whatever ended the hold: otherwise a user could hold
 * for ever by releasing now and then. A strict gang does not count it. */
static void count_hold(struct sgang_conductor *c, const struct gang *g,
		       const struct hold *hold)
{
	struct entry *e = sgang_registry_entry(c, hold->job_id);
	int64_t held = c->host->now() - hold->since;

	if (e && held > 0 &&
	    sgang_spec_mode(&g->tally.spec) == SGANG_MODE_NONSTRICT)
		e->m.held_for += (uint32_t)held;
}

/* A Prolog that fails for a gang on any node would drain one node after
 * another. After so many lost members the next stays held, as Slurm leaves it.
 */
#define PREPARE_FAILURES 3

int sgang_hold_add(struct sgang_conductor *c, struct gang *g,
		   struct sgang_job *const *jobs, size_t n)
{
	struct hold *more = realloc(g->hold.members,
				    (g->hold.n + n) * sizeof(*more));
	struct sgang_job_info info;

	if (!more)
		return -1;
	g->hold.members = more;
	if (!g->hold.n)
		g->hold.since = c->host->now();
	if (g->hold.state == SGANG_HOLD_NONE)
		(void)sgang_hold_move(g, SGANG_HOLD_HOLDING);
	g->hold.end = SGANG_HOLD_END_NONE;
	for (size_t i = 0; i < n; i++) {
		struct hold *hold = &g->hold.members[g->hold.n];

		c->host->jobs.info(jobs[i], &info);
		memset(hold, 0, sizeof(*hold));
		hold->job_id = info.job_id;
		hold->since = c->host->now();
		g->hold.n++;
		sgang_registry_note(c, jobs[i]);
	}
	g->hold.described = false;
	g->hold.saved = false;
	sgang_registry_refresh(c, g);
	return 0;
}

static void undo_holds(struct sgang_conductor *c, struct gang *g,
		       enum sgang_hold_end why)
{
	size_t n = g->hold.n;

	while (n-- > 0) {
		struct sgang_job *job =
			c->host->jobs.find(g->hold.members[n].job_id);

		count_hold(c, g, &g->hold.members[n]);
		sgang_fault_die("giveback", n + 1);
		/* A job cancelled or requeued meanwhile holds no longer. */
		if (job && c->host->holds.held(job))
			c->host->holds.undo(job);
		else if (job)
			c->host->holds.drop(job,
					    why == SGANG_HOLD_END_PREEMPTED);
	}
	/* The entries are updated when the holds are gone. */
	n = g->hold.n;
	g->hold.n = 0;
	g->hold.adopted = 0;
	for (size_t i = 0; i < n; i++) {
		struct sgang_job *job =
			c->host->jobs.find(g->hold.members[i].job_id);

		if (job)
			sgang_registry_note(c, job);
	}
}

void sgang_hold_give_back(struct sgang_conductor *c, struct gang *g,
			  enum sgang_hold_end why)
{
	size_t n = g->hold.n;

	sgang_slices_end(g);
	if (n && why) {
		g->hold.end = why;
		sgang_metrics_hold_ended(&c->metrics, why, n);
		sgang_log(SGANG_LOG_INFO,
			  "%s/%s: hold of %zu members ended: %s", g->ns,
			  g->name, n, sgang_hold_end_word(why));
	}
	undo_holds(c, g, why);
	(void)sgang_hold_move(g, SGANG_HOLD_NONE);
	if (!n)
		return;
	g->hold.since = 0;
	g->hold.described = false;
	g->hold.saved = false;
	c->changed = true;
	sgang_registry_refresh(c, g);
}

/* ---- after a restart ---- */

static int64_t earlier(int64_t a, int64_t b)
{
	return (!a || (b && b < a)) ? b : a;
}

static int by_rank(const void *a, const void *b)
{
	const struct hold *x = a, *y = b;

	if (x->record.member_rank != y->record.member_rank)
		return (x->record.member_rank < y->record.member_rank) ? -1 : 1;
	return 0;
}

/* True if the records describe one ring with all members present. Some members
 * may run with this description, so the others must keep it. */
static bool told_of_ring(struct gang *g)
{
	qsort(g->hold.members, g->hold.n, sizeof(*g->hold.members), by_rank);
	for (size_t i = 0; i < g->hold.n; i++) {
		const struct sgang_record *r = &g->hold.members[i].record;

		if (!r->placed || r->members != g->hold.n ||
		    r->member_rank != i)
			return false;
	}
	return true;
}

/* The time from the launch message until the node shows the job (measured in
 * doc/internals.md). An earlier "no" does not count. */
#define SHOWN_SECONDS 5

/* The time to wait for a member whose launch was lost. */
#define TAKE_UP_SECONDS 60

/* Whether some were not launched, or some are not known. */
struct answers {
	bool no, unknown;
};

/* One launched member means that all were released. */
static struct answers nodes_say(struct sgang_conductor *c, struct gang *g)
{
	struct answers say = { false, false };

	for (size_t i = 0; i < g->hold.n; i++) {
		struct sgang_job *job =
			c->host->jobs.find(g->hold.members[i].job_id);
		struct sgang_job_info info = { .launch = SGANG_LAUNCH_NO };

		if (job)
			c->host->jobs.info(job, &info);
		if (info.launch == SGANG_LAUNCH_UNKNOWN)
			say.unknown = true;
		else if (info.launch == SGANG_LAUNCH_YES)
			g->hold.begun = g->hold.since;
		else
			say.no = true;
	}
	return say;
}

static void doubt(struct gang *g)
{
	if (!sgang_hold_doubtful(g))
		(void)sgang_hold_move(g, SGANG_HOLD_DOUBTFUL);
}

static void ask_again(struct sgang_conductor *c, struct gang *g)
{
	if (c->host->now() - g->hold.adopted < SHOWN_SECONDS)
		return;
	g->hold.asked_again = true;
	for (size_t i = 0; i < g->hold.n; i++) {
		struct sgang_job *job =
			c->host->jobs.find(g->hold.members[i].job_id);

		if (job)
			c->host->holds.ask(job);
	}
}

/* True if its record was saved after the release. */
static bool was_released(const struct hold *hold)
{
	return hold->record.phase == SGANG_PHASE_RUNNING;
}

/* A strict gang that was being committed in slices gives all back. A nonstrict
 * gang holds on, or times out (0.28). */
static void end_partial(struct sgang_conductor *c, struct gang *g)
{
	bool partial = false;

	for (size_t i = 0; i < g->hold.n; i++)
		partial |= g->hold.members[i].record.phase ==
			   SGANG_PHASE_HOLDING;
	if (partial && !sgang_hold_recovered(g) &&
	    sgang_spec_mode(&g->tally.spec) == SGANG_MODE_STRICT)
		sgang_hold_give_back(c, g, SGANG_HOLD_END_INCOMPLETE);
}

/* The remaining holds are of the later round. */
static void begin_later_round(struct sgang_conductor *c, struct gang *g)
{
	(void)sgang_hold_move(g, SGANG_HOLD_DOUBTFUL);
	g->hold.since = 0;
	for (size_t i = 0; i < g->hold.n; i++)
		g->hold.since = earlier(g->hold.since,
					g->hold.members[i].since);
	g->hold.begun = g->hold.started = 0;
	(void)nodes_say(c, g);
	g->hold.described = told_of_ring(g);
	sgang_registry_refresh(c, g);
}

/* With --gang-match a gang has rounds. If slurmctld died when one had just been
 * released and the next already held, the first is released member by member
 * and does not count for the next. False: a member of it is not ready. */
static bool part_rounds(struct sgang_conductor *c, struct gang *g)
{
	size_t kept = 0, n = g->hold.n;
	bool waits = false;

	for (size_t i = 0; i < n; i++) {
		struct hold *hold = &g->hold.members[i];
		struct sgang_job *job = c->host->jobs.find(hold->job_id);

		if (was_released(hold) && job && c->host->holds.ready(job)) {
			c->host->holds.release(job, true);
			sgang_account_started(c, job, &hold->record);
			continue;
		}
		waits |= was_released(hold);
		g->hold.members[kept++] = *hold;
	}
	g->hold.n = kept;
	if (kept < n) {
		g->hold.unconfirmed = c->host->now();
		c->changed = true;
		sgang_registry_refresh(c, g);
	}
	if (!waits)
		begin_later_round(c, g);
	return !waits;
}

/* True if the nodes have answered for every member whether it was launched.
 * "No" counts after two answers. */
static bool all_known(struct sgang_conductor *c, struct gang *g)
{
	struct answers say;

	/* these are never launched */
	if (g->placeholders.any && sgang_placeholder_all(c, g))
		return true;
	say = nodes_say(c, g);
	if (!say.no || g->hold.asked_again)
		return !say.unknown;
	ask_again(c, g);
	return false;
}

/* If slurmctld is killed between the release and the next save, running members
 * are held in the saved state. Only the nodes know. The gang is left alone
 * until the nodes have answered; one running member means that all were
 * released. */
static void find_out(struct sgang_conductor *c, struct gang *g)
{
	if (!sgang_hold_recovered(g))
		return;
	if (!all_known(c, g)) {
		doubt(g);
		return;
	}
	if (g->hold.state == SGANG_HOLD_TWO_ROUNDS && !part_rounds(c, g))
		return;
	if (sgang_hold_begun(g)) {
		(void)sgang_hold_move(g, SGANG_HOLD_RELEASED);
		return;
	}
	doubt(g);
	(void)sgang_hold_move(g,
			      g->hold.n ? SGANG_HOLD_HOLDING : SGANG_HOLD_NONE);
	g->hold.described = told_of_ring(g);
	end_partial(c, g);
}

/* Count a member that holds according to its record. */
static void note_found(struct gang *g, enum sgang_phase phase)
{
	if (phase != SGANG_PHASE_HOLDING ||
	    g->hold.state == SGANG_HOLD_RELEASED)
		doubt(g);
	else if (g->hold.state == SGANG_HOLD_NONE)
		(void)sgang_hold_move(g, SGANG_HOLD_HOLDING);
}

/* After a restart of slurmctld only the job records have the holds. Whether
 * these are complete is determined again. */
static void adopt(struct sgang_conductor *c, struct gang *g)
{
	size_t before = g->hold.n, released = 0;

	if (g->stale)
		return;
	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];
		struct hold *more;

		if (e->m.state != SGANG_MEMBER_HELD || e->hold)
			continue;
		more = realloc(g->hold.members,
			       (g->hold.n + 1) * sizeof(*more));
		if (!more) {
			g->stale = true; /* the next pass tries again */
			return;
		}
		g->hold.members = more;
		g->hold.members[g->hold.n].job_id = e->job_id;
		g->hold.members[g->hold.n].lost_launch = false;
		g->hold.members[g->hold.n].again = e->record.phase !=
						   SGANG_PHASE_HOLDING;
		g->hold.members[g->hold.n].since = e->record.since ?
							   e->record.since :
							   c->host->now();
		g->hold.members[g->hold.n++].record = e->record;
		g->hold.since = earlier(g->hold.since, e->record.since);
		note_found(g, e->record.phase);
		if (e->record.phase == SGANG_PHASE_RUNNING) {
			g->hold.begun = e->record.since;
			g->hold.started = e->record.started;
		}
		e->hold = g->hold.marked = true;
		c->host->holds.adopt(e->job);
	}
	if (g->hold.n == before)
		return;
	if (!g->hold.since)
		g->hold.since = c->host->now();
	g->tally.since = g->hold.since;
	g->hold.adopted = c->host->now();
	g->hold.asked_again = false;
	g->hold.saved = true;
	g->hold.described = told_of_ring(g);
	for (size_t i = 0; i < g->hold.n; i++)
		released += was_released(&g->hold.members[i]);
	if (released && released < g->hold.n)
		(void)sgang_hold_move(g, SGANG_HOLD_TWO_ROUNDS);
	sgang_log(SGANG_LOG_INFO, "%s/%s: found %zu held members again", g->ns,
		  g->name, g->hold.n - before);
	end_partial(c, g);
}

/* ---- ends of holds ---- */

/* True of a member that was found after a restart and has ended, if it had been
 * released, or ended in a way that only a released one does. */
static bool has_run(struct sgang_conductor *c, const struct gang *g,
		    struct sgang_job *job, bool released,
		    struct sgang_job_info *info)
{
	if (!job || !sgang_hold_recovered(g))
		return false;
	c->host->jobs.info(job, info);
	return info->state == SGANG_JOB_ENDED &&
	       (released || info->launch == SGANG_LAUNCH_YES);
}

static void drop(struct sgang_conductor *c, struct gang *g,
		 struct sgang_job *job)
{
	struct sgang_job_info info;

	if (has_run(c, g, job, false, &info)) {
		g->hold.begun = g->hold.since;
		g->hold.ended = true;
	}
	c->host->holds.drop(job,
			    g->hold.state == SGANG_HOLD_PREPARING ||
				    g->hold.end == SGANG_HOLD_END_PREEMPTED);
}

/* Commit the same nodes, because the other members were told of them. */
static bool hold_again(struct sgang_conductor *c, struct gang *g,
		       struct hold *hold, struct sgang_job *job)
{
	bool told = c->fabric && hold->record.at[0];
	struct sgang_nodeset *nodes =
		told ? sgang_node_list_read(c, hold->record.at) : NULL;
	const struct sgang_bounds bounds = { .nodes = nodes };
	struct sgang_refusal refusal;
	struct sgang_job *again = NULL;

	if (nodes)
		again = c->host->holds.commit(job, &bounds, &refusal);
	sgang_nodeset_destroy(nodes);
	if (!again)
		return false;
	hold->lost_launch = false;
	g->hold.saved = false;
	c->changed = true;
	(void)sgang_publish_write(c, again, &hold->record);
	sgang_registry_note(c, again);
	sgang_registry_refresh(c, g);
	return true;
}

/* If slurmctld dies after the launch message and before the answer, slurmd
 * gives up the launch, and slurmctld later requeues and holds the job. Other
 * members may run, so the member gets its nodes again when they are clean.
 * False: it is lost. */
static bool take_up(struct sgang_conductor *c, struct gang *g,
		    struct hold *hold, struct sgang_job *job)
{
	struct sgang_job_info info;

	if (!sgang_hold_recovered(g))
		return false;
	if (!hold->lost_launch && c->host->holds.refused(job)) {
		sgang_log(
			SGANG_LOG_INFO,
			"%s/%s: the launch of member %u was lost with slurmctld, it is held again",
			g->ns, g->name, hold->job_id);
		c->host->holds.drop(job, false);
		hold->lost_launch = true;
	}
	if (!hold->lost_launch ||
	    c->host->now() - g->hold.adopted > TAKE_UP_SECONDS)
		return false;
	c->host->holds.clear_launch_failure(job, true);
	c->host->jobs.look(job, &info);
	if (info.state != SGANG_JOB_PENDING)
		return false;
	doubt(g);
	return !info.eligible || hold_again(c, g, hold, job);
}

/* The cause, which sgang_conductor_ended() has written into its record. */
static enum sgang_hold_end why_lost(struct sgang_conductor *c,
				    struct sgang_job *job)
{
	struct sgang_job_info info;
	struct sgang_record r;

	if (!job)
		return SGANG_HOLD_END_USER; /* purged, as after scancel */
	if (c->host->holds.refused(job))
		return SGANG_HOLD_END_FAILED; /* the Prolog of a node */
	c->host->jobs.info(job, &info);
	if (sgang_record_parse(info.comment, &r) == 1 && r.hold_end)
		return r.hold_end;
	return (info.cancelled || !info.failed) ? SGANG_HOLD_END_USER :
						  SGANG_HOLD_END_FAILED;
}

/* A member that was held by scontrol, or would miss its deadline, gives its
 * nodes back and waits; but not if it may have been launched before slurmctld
 * died. False: it keeps them. */
static bool withdraw(struct sgang_conductor *c, struct gang *g,
		     struct sgang_job *job)
{
	struct sgang_job_info info;

	if (sgang_hold_recovered(g) || sgang_hold_begun(g))
		return false;
	c->host->jobs.info(job, &info);
	if (!info.withdrawn)
		return false;
	g->hold.end = SGANG_HOLD_END_USER;
	sgang_metrics_hold_ended(&c->metrics, g->hold.end, 1);
	sgang_log(SGANG_LOG_INFO, "%s/%s: member %u gives its nodes back: %s",
		  g->ns, g->name, info.job_id,
		  info.priority ? "it would not end before its deadline" :
				  "it was held by scontrol");
	c->host->holds.undo(job);
	return true;
}

/* ---- yielding to a job that preempts ---- */

bool sgang_conductor_may_yield(struct sgang_conductor *c,
			       const struct sgang_spec *spec,
			       struct sgang_job *job)
{
	const struct gang *g = sgang_registry_find(c, spec->ns, spec->name);
	const struct entry *e;
	struct sgang_job_info info;

	c->host->jobs.info(job, &info);
	e = sgang_registry_entry(c, info.job_id);
	if (g && sgang_cold_has(g, info.job_id))
		return sgang_cold_may_yield(c, g, info.job_id);
	if (g && sgang_placeholder_has(g, info.job_id))
		return c->host->holds.held(job);
	return g && e && e->hold &&
	       (g->hold.state == SGANG_HOLD_HOLDING ||
		sgang_hold_committing(g)) &&
	       !sgang_hold_begun(g) && c->host->holds.held(job);
}

/* Slices and questions to nodes end in the next pass. */
static void nobody_holds(struct gang *g)
{
	g->hold.since = g->hold.started = 0;
	if (!sgang_hold_committing(g) && !sgang_hold_doubtful(g))
		(void)sgang_hold_move(g, SGANG_HOLD_NONE);
}

void sgang_hold_remove(struct sgang_conductor *c, struct gang *g,
		       uint32_t job_id)
{
	size_t kept = 0;

	for (size_t i = 0; i < g->hold.n; i++) {
		if (g->hold.members[i].job_id != job_id)
			g->hold.members[kept++] = g->hold.members[i];
		else
			count_hold(c, g, &g->hold.members[i]);
	}
	g->hold.n = kept;
	g->hold.described = false;
	if (!kept)
		nobody_holds(g);
}

/* The next pass adds up the rest of the gang. */
void sgang_conductor_yield(struct sgang_conductor *c,
			   const struct sgang_spec *spec, struct sgang_job *job,
			   uint32_t to)
{
	struct gang *g = sgang_registry_find(c, spec->ns, spec->name);
	struct sgang_job_info info;

	c->host->jobs.info(job, &info);
	if (sgang_cold_has(g, info.job_id)) {
		sgang_cold_yield(c, g, job, info.job_id);
		sgang_conductor_poke(c);
		return;
	}
	if (sgang_placeholder_has(g, info.job_id)) {
		sgang_placeholder_yield(c, g, job);
		sgang_conductor_poke(c);
		return;
	}
	g->hold.end = SGANG_HOLD_END_PREEMPTED;
	sgang_metrics_hold_ended(&c->metrics, g->hold.end, 1);
	sgang_log(SGANG_LOG_INFO, "%s/%s: member %u yields to job %u: %s",
		  g->ns, g->name, info.job_id, to,
		  sgang_hold_end_word(g->hold.end));
	c->host->holds.undo(job);
	sgang_hold_remove(c, g, info.job_id);
	sgang_registry_entry(c, info.job_id)->hold = false;
	sgang_conductor_poke(c);
}

/* ---- ends of holds, as a pass finds them ---- */

/* If its Prolog fails, Slurm drains the node and holds the job. The hold is
 * removed, so that the gang can start elsewhere. */
static void lose_prepared(struct sgang_conductor *c, struct gang *g,
			  struct sgang_job *job)
{
	if (c->host->holds.refused(job) &&
	    ++g->hold.prepare_failures <= PREPARE_FAILURES)
		c->host->holds.clear_launch_failure(job, false);
}

/* A member that ended while slurmctld was away has lost no hold. */
static void note_lost(struct sgang_conductor *c, struct gang *g,
		      const struct hold *hold, struct sgang_job *job)
{
	struct sgang_job_info info;

	if (has_run(c, g, job, was_released(hold), &info)) {
		sgang_publish_tell_ended(g, &info);
		return;
	}
	count_hold(c, g, hold);
	g->hold.end = why_lost(c, job);
	sgang_metrics_hold_ended(&c->metrics, g->hold.end, 1);
	sgang_log(SGANG_LOG_INFO, "%s/%s: held member %u is lost: %s", g->ns,
		  g->name, hold->job_id, sgang_hold_end_word(g->hold.end));
}

static void forget_lost(struct sgang_conductor *c, struct gang *g)
{
	const struct sgang_host *h = c->host;
	size_t kept = 0, before = g->hold.n;

	for (size_t i = 0; i < before; i++) {
		struct sgang_job *job = h->jobs.find(g->hold.members[i].job_id);

		if (job && h->holds.held(job) && withdraw(c, g, job)) {
			count_hold(c, g, &g->hold.members[i]);
			continue;
		}
		if (job && (h->holds.held(job) ||
			    take_up(c, g, &g->hold.members[i], job))) {
			h->holds.still_held(job);
			g->hold.members[kept++] = g->hold.members[i];
			continue;
		}
		note_lost(c, g, &g->hold.members[i], job);
		if (job && g->hold.state == SGANG_HOLD_PREPARING)
			lose_prepared(c, g, job);
		if (job)
			drop(c, g, job);
	}
	g->hold.n = kept;
	if (kept == before)
		return;
	if (!sgang_hold_recovered(g))
		g->hold.described = false;
	if (!kept)
		nobody_holds(g);
	if (!kept && g->hold.ended)
		sgang_conductor_poke(c); /* their records get their start */
	c->changed = true;
	sgang_registry_refresh(c, g);
}

/* True if the holds cannot complete: of a strict gang, if its group is not
 * placed; of a nonstrict one, if its group could not be. */
static bool holds_in_vain(const struct sgang_conductor *c, const struct gang *g)
{
	if (sgang_hold_committing(g) && !g->stale)
		return !sgang_slices_as_planned(c, g);
	if (!g->hold.n || g->stale || sgang_hold_doubtful(g) ||
	    sgang_hold_begun(g) || g->placeholders.partial)
		return false;
	return sgang_gang_strict(&g->tally) ? !sgang_group_placed(g) :
					      !sgang_group_complete(g, NULL, 0);
}

static void end_vain_hold(struct sgang_conductor *c, struct gang *g)
{
	sgang_log(
		SGANG_LOG_INFO,
		"%s/%s: %zu of %u members are held and cannot start: rolled back",
		g->ns, g->name, g->hold.n, g->tally.min_member);
	/* The cause of a lost member is also that of the others. */
	sgang_hold_give_back(c, g,
			     (g->hold.end && g->hold.n) ?
				     g->hold.end :
				     SGANG_HOLD_END_INCOMPLETE);
	sgang_conductor_poke(c);
}

/* After the waiting time no nodes are held, and no member starts before a user
 * releases it (0.13, 0.14). */
static void time_out(struct sgang_conductor *c, struct gang *g)
{
	sgang_log(
		SGANG_LOG_INFO,
		"%s/%s: waiting time is over: %zu held members rolled back, all members stopped",
		g->ns, g->name, g->hold.n);
	sgang_hold_give_back(c, g, SGANG_HOLD_END_TIMEOUT);
	sgang_metrics_add(&c->metrics, SGANG_COUNT_TIMEOUTS);
	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];

		if (e->m.state != SGANG_MEMBER_PENDING)
			continue;
		sgang_fault_die("timeout", i + 1);
		c->host->jobs.stop(e->job, SGANG_TIMEOUT_TEXT);
		sgang_publish_phase(c, g, e->job, SGANG_PHASE_TIMEOUT);
	}
	sgang_registry_refresh(c, g);
	c->changed = true;
	c->wake_scheduler = true; /* other jobs may use the nodes now */
}

/* A member released by its user re-arms all of them. */
static void rearm(struct sgang_conductor *c, struct gang *g)
{
	sgang_log(SGANG_LOG_INFO, "%s/%s: re-armed", g->ns, g->name);
	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];

		if (e->m.state != SGANG_MEMBER_PENDING)
			continue;
		c->host->jobs.resume(e->job, SGANG_TIMEOUT_TEXT);
		sgang_publish_phase(c, g, e->job, SGANG_PHASE_WAITING);
	}
	g->attempt.failed = false;
	sgang_registry_refresh(c, g);
	c->changed = true;
	c->wake_scheduler = true;
}

/* Late members are stopped like the others. */
static void stop_latecomers(struct sgang_conductor *c, struct gang *g)
{
	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];

		if (e->m.state == SGANG_MEMBER_PENDING && !e->m.stopped)
			c->host->jobs.stop(e->job, SGANG_TIMEOUT_TEXT);
	}
}

/* A gang that is being committed does not wait. */
static void check_wait(struct sgang_conductor *c, struct gang *g)
{
	const struct sgang_gang_wait wait = sgang_hold_wait(c);

	if (g->stale || sgang_hold_doubtful(g) || sgang_hold_begun(g))
		return;
	if (g->tally.rearmed)
		rearm(c, g);
	else if (g->tally.timed_out)
		stop_latecomers(c, g);
	else if (!sgang_hold_committing(g) && !sgang_group_placed(g) &&
		 sgang_gang_wait_over(&g->tally, &wait, c->host->now()))
		time_out(c, g);
}

static void forget_all_lost(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!g->stale && g->hold.n)
			forget_lost(c, g);
	}
}

/* The nodes that one gang gives back may be those that another waits for. Each
 * round but the last ends the holds of at least one gang. */
static void end_vain_holds(struct sgang_conductor *c)
{
	bool again = true;

	while (again) {
		again = false;
		for (struct gang *g = c->gangs; g; g = g->next) {
			if (holds_in_vain(c, g)) {
				end_vain_hold(c, g);
				again = true;
			}
		}
	}
}

void sgang_hold_recheck_all(struct sgang_conductor *c)
{
	forget_all_lost(c);
	end_vain_holds(c);
}

void sgang_hold_check_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		find_out(c, g);
		adopt(c, g);
	}
	forget_all_lost(c);
	for (struct gang *g = c->gangs; g; g = g->next)
		check_wait(c, g);
	end_vain_holds(c);
}

/* ---- release ---- */

/* A hold and the key of its place in the ring. */
struct place {
	struct hold hold;
	const struct sgang_member *m; /* NULL: gone, goes last */
};

static int by_ring(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (!x->m || !y->m)
		return (x->m ? 0 : 1) - (y->m ? 0 : 1);
	return sgang_gang_ring_order(x->m, y->m);
}

static int sort_holds(const struct sgang_conductor *c, struct gang *g)
{
	struct place *places = calloc(g->hold.n, sizeof(*places));

	if (!places)
		return -1;
	for (size_t i = 0; i < g->hold.n; i++) {
		struct entry *e =
			sgang_registry_entry(c, g->hold.members[i].job_id);

		places[i].hold = g->hold.members[i];
		places[i].m = e ? &e->m : NULL;
	}
	qsort(places, g->hold.n, sizeof(*places), by_ring);
	for (size_t i = 0; i < g->hold.n; i++)
		g->hold.members[i] = places[i].hold;
	free(places);
	return 0;
}

/* If the members came one by one, or some were lost, describe the ring when
 * they are complete. Saved state stays valid. */
static void describe(struct sgang_conductor *c, struct gang *g)
{
	uint64_t best;

	if (!g->hold.n || g->hold.described || sgang_hold_doubtful(g))
		return;
	/* They were told before the earlier release. Some may have been lost
	 * since, and others have their ranks. */
	if (g->hold.state == SGANG_HOLD_RELEASED) {
		g->hold.described = true;
		return;
	}
	best = g->hold.members[0].record.ring_best;
	if (!best && c->fabric)
		best = sgang_probe_best_cost(c, g);
	for (size_t i = 0; i < g->hold.n; i++)
		g->hold.members[i].record.ring_best = best;
	if (sort_holds(c, g) < 0 || sgang_heir_describe(c, g, NULL) < 0) {
		snprintf(g->attempt.why, sizeof(g->attempt.why), "no memory");
		sgang_hold_give_back(c, g, SGANG_HOLD_END_FAILED);
	}
}

/* Holds must be saved before any launch, or a crash could leave only some of
 * them. A gang of one cannot be half started. */
static bool is_safe(const struct gang *g)
{
	return g->hold.saved ||
	       (g->hold.n == 1 && g->tally.total == 1 && g->group.n == 1);
}

static bool is_ready(struct sgang_conductor *c, struct gang *g)
{
	if (sgang_hold_doubtful(g) || g->hold.n != g->tally.held ||
	    (g->placeholders.any && sgang_placeholder_room(g, g->hold.n) < 0) ||
	    (g->hold.n && (!is_safe(g) || !g->hold.described)))
		return false;
	for (size_t i = 0; i < g->hold.n; i++) {
		if (!c->host->holds.ready(
			    c->host->jobs.find(g->hold.members[i].job_id)))
			return false;
	}
	return !g->stale;
}

/* A gang that is released. */
struct released {
	struct sgang_conductor *c;
	struct gang *g;
	int64_t started;
};

static void tell_ended(const struct sgang_job_info *info, void *arg)
{
	const struct released *to = arg;
	struct sgang_record r;

	if (sgang_publish_unstarted(info, &r) && !strcmp(r.ns, to->g->ns) &&
	    !strcmp(r.name, to->g->name))
		sgang_publish_started(to->c, to->g, info->job, &r, to->started);
}

/* The policies count those who were released with the others and have ended. */
static void announce_ended(struct sgang_conductor *c, struct gang *g,
			   int64_t started)
{
	struct released to = { .c = c, .g = g, .started = started };

	if (!g->hold.ended)
		return;
	g->hold.ended = false;
	c->host->jobs.each(tell_ended, &to);
}

/* First write into every record that the gang has started, then launch: a crash
 * in between must not leave a gang half held, half running. The start of a gang
 * released before slurmctld died is its earlier release, and members ended
 * since then count. */
static void announce(struct sgang_conductor *c, struct gang *g, int64_t now)
{
	int64_t new_start = sgang_branches_join(g) ? g->tally.started : now;

	announce_ended(c, g, g->hold.started ? g->hold.started : new_start);
	for (size_t i = 0; i < g->hold.n; i++) {
		struct sgang_record *r = &g->hold.members[i].record;
		const struct entry *e;

		count_hold(c, g, &g->hold.members[i]);
		e = sgang_registry_entry(c, g->hold.members[i].job_id);
		r->held_for = e ? e->m.held_for : 0;
		r->phase = SGANG_PHASE_RUNNING;
		r->satisfied = true;
		r->started = g->hold.started ? g->hold.started : new_start;
		r->hold_end = SGANG_HOLD_END_NONE;
		(void)sgang_publish_write(
			c, c->host->jobs.find(g->hold.members[i].job_id), r);
	}
}

static void count_start(struct sgang_conductor *c, const struct gang *g,
			const struct sgang_record *r)
{
	sgang_metrics_add(&c->metrics, SGANG_COUNT_STARTS);
	if (g->tally.created && r->started >= g->tally.created)
		sgang_metrics_observe(&c->metrics, SGANG_HIST_WAIT,
				      (double)(r->started - g->tally.created));
	if (r->ring_best)
		sgang_metrics_observe(&c->metrics, SGANG_HIST_RING,
				      (double)r->ring_cost /
					      (double)r->ring_best);
}

static void launch(struct sgang_conductor *c, struct gang *g)
{
	const struct sgang_record *r = &g->hold.members[0].record;

	for (size_t i = 0; i < g->hold.n; i++) {
		struct sgang_job *job =
			c->host->jobs.find(g->hold.members[i].job_id);

		sgang_fault_die("release", i + 1);
		if (sgang_placeholder_is(c, g->hold.members[i].job_id)) {
			sgang_placeholder_keep(c, g, job);
			continue;
		}
		g->placeholders.came |= g->placeholders.any;
		c->host->holds.release(job, g->hold.members[i].again);
		sgang_account_started(c, job, &g->hold.members[i].record);
	}
	sgang_log(
		SGANG_LOG_INFO,
		"%s/%s: started %zu %s, ring=%llu best=%llu cross=%llu tier=%s",
		g->ns, g->name, g->hold.n,
		g->placeholders.any && sgang_placeholder_all(c, g) ?
			"placeholders" :
			"members",
		(unsigned long long)r->ring_cost,
		(unsigned long long)r->ring_best,
		(unsigned long long)r->cross_links, r->tier);
	count_start(c, g, r);
	if (g->hold.started)
		sgang_below_recover(g); /* for the next record */
	g->hold.n = 0;
	g->hold.adopted = 0;
	g->hold.since = 0;
	g->hold.end = SGANG_HOLD_END_NONE;
	g->hold.described = false;
	(void)sgang_hold_move(g, SGANG_HOLD_NONE);
	g->hold.prepare_failures = 0;
	g->placeholders.partial = false;
	g->hold.started = 0;
	g->hold.unconfirmed = c->host->now();
	sgang_registry_refresh(c, g);
	/* a member may end before the next pass */
	sgang_below_look(g);
	/* which group each seat is of, for heirs of members that are gone */
	if (g->tally.roles.any)
		(void)sgang_ranks_look(c, g, 0);
}

/* A node reports that its Prolog has ended, and then that it has failed. Before
 * 23.11 the first message leaves only a line in slurmctld's log. */
#define FAILURE_US 1000000

/* True if a member's Prolog seems to run, but its end may have been reported to
 * an earlier slurmctld. */
static bool interrupted(struct sgang_conductor *c, const struct gang *g)
{
	if (g->hold.state == SGANG_HOLD_PREPARING)
		return false;
	for (size_t i = 0; i < g->hold.n; i++) {
		struct sgang_job *job =
			c->host->jobs.find(g->hold.members[i].job_id);

		if (c->host->holds.prepared(job) == SGANG_PREPARED_RUNS &&
		    !sgang_placeholder_is(c, g->hold.members[i].job_id))
			return true;
	}
	return false;
}

static void begin_preparing(struct sgang_conductor *c, struct gang *g)
{
	bool needless = true;

	for (size_t i = 0; i < g->hold.n; i++) {
		struct sgang_job *job =
			c->host->jobs.find(g->hold.members[i].job_id);

		if (sgang_placeholder_is(c, g->hold.members[i].job_id))
			continue;
		needless &= c->host->holds.prepared(job) ==
			    SGANG_PREPARED_NEEDLESS;
		if (c->host->holds.prepared(job) == SGANG_PREPARED_NOT)
			c->host->holds.prepare(job);
	}
	if (needless)
		return;
	sgang_log(SGANG_LOG_INFO, "%s/%s: its nodes run the Prolog", g->ns,
		  g->name);
	(void)sgang_hold_move(g, SGANG_HOLD_PREPARING);
	g->hold.prepared = 0;
	c->changed = true;
}

/* True if all nodes of the gang have run the Prolog and none has failed. On a
 * failure the member loses its nodes, which ends all holds. */
static bool is_prepared(struct sgang_conductor *c, struct gang *g)
{
	uint64_t now = c->host->clock_us();
	bool runs = false;

	for (size_t i = 0; i < g->hold.n; i++) {
		struct sgang_job *job =
			c->host->jobs.find(g->hold.members[i].job_id);

		if (sgang_placeholder_is(c, g->hold.members[i].job_id))
			continue;
		if (c->host->holds.prepared(job) == SGANG_PREPARED_NOT) {
			c->host->holds.prepare(job); /* it came to hold
						      * meanwhile */
			g->hold.prepared = 0;
			c->changed = true;
		}
		runs |= c->host->holds.prepared(job) == SGANG_PREPARED_RUNS;
	}
	if (runs)
		return false;
	if (!g->hold.prepared)
		g->hold.prepared = now ? now : 1;
	return now - g->hold.prepared >= FAILURE_US;
}

static bool prepare(struct sgang_conductor *c, struct gang *const *group,
		    size_t n)
{
	bool done = true;

	for (size_t i = 0; i < n; i++) {
		struct gang *g = group[i];

		if (!g->hold.n || sgang_hold_begun(g))
			continue;
		if (interrupted(c, g)) {
			sgang_hold_give_back(c, g, SGANG_HOLD_END_FAILED);
			return false;
		}
		if (g->hold.state != SGANG_HOLD_PREPARING)
			begin_preparing(c, g);
		if (g->hold.state == SGANG_HOLD_PREPARING)
			done &= is_prepared(c, g);
	}
	c->preparing |= !done;
	return done;
}

static void release(struct sgang_conductor *c, struct gang *const *gangs,
		    size_t n)
{
	int64_t now = c->host->now();

	for (size_t i = 0; i < n; i++) {
		if (!is_ready(c, gangs[i]))
			return;
	}
	if (!prepare(c, gangs, n))
		return;
	for (size_t i = 0; i < n; i++)
		announce(c, gangs[i], now);
	for (size_t i = 0; i < n; i++) {
		if (gangs[i]->hold.n)
			launch(c, gangs[i]);
	}
	c->changed = true;
	sgang_conductor_poke(c); /* late members become ordinary jobs */
}

static void release_group(struct sgang_conductor *c, struct gang *g)
{
	struct gang *alone, **group;
	size_t n;

	group = sgang_group_of(g, &alone, &n);
	for (size_t i = 0; i < n; i++)
		describe(c, group[i]);
	if (sgang_group_placed(g) || g->placeholders.partial)
		release(c, group, n);
}

void sgang_hold_release_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!g->hold.n || g->stale)
			continue;
		if (sgang_group_placed(g) || g->placeholders.partial) {
			release_group(c, g);
		} else if (sgang_hold_begun(g)) {
			/* the rest of its group was released and is gone */
			describe(c, g);
			release(c, &g, 1);
		}
	}
}
