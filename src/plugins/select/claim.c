/* SPDX-License-Identifier: GPL-2.0-or-later */
/* claim.c - nodes freed for a gang, until it has started on them
 *
 * A gang that preempts jobs (preempt.c) claims the nodes of its plan. No job of
 * lower priority gets them while its victims end, which may take their whole
 * grace time. The claim is saved, in the records of the members, before the
 * first victim is signalled: if slurmctld dies in between it leaves a claim
 * without victims, never victims without a claim. When the last victim has
 * released its nodes, the gang has a turn of its own, on these nodes.
 *
 * A claim ends when the gang holds its nodes, or can no longer start, or when
 * its plan fails. Then the gang plans again, where victims already signalled
 * cost nothing, and after a few failed plans it pauses for a while. The
 * preemption of victims no longer needed is cancelled, as far as Slurm can.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"
#include "faults.h"
#include "plugins/log.h"

/* Failed plans in a row before the gang pauses ... */
#define PLANS_MAX 3
/* ... for so many seconds at first, doubling up to the longest. */
#define RETRY_FIRST 60
#define RETRY_LONGEST 600

/* A victim that is late by this time: its node does not answer. */
#define OVERDUE_SECONDS 60

/* ---- the claim ---- */

void sgang_claim_begin(struct sgang_conductor *c, struct gang *g,
		       struct claim *claim)
{
	sgang_claim_destroy(g->preempt.claim);
	claim->since = c->host->now();
	g->preempt.claim = claim;
	c->changed = true; /* first saved, then the victims are signalled */
	sgang_fault_die("claimed", 1);
}

void sgang_claim_destroy(struct claim *claim)
{
	if (!claim)
		return;
	sgang_nodeset_destroy(claim->nodes);
	for (size_t i = 0; i < claim->n_shares; i++)
		sgang_nodeset_destroy(claim->shares[i].nodes);
	free(claim->shares);
	free(claim->victims);
	free(claim);
}

void sgang_claim_forget(struct gang *g)
{
	sgang_claim_destroy(g->preempt.claim);
	g->preempt.claim = NULL;
	sgang_claim_destroy(g->preempt.former);
	g->preempt.former = NULL;
}

/* The victim, if it is still in the chosen run: a requeued one may run again
 * elsewhere. */
static struct sgang_job *find_victim(const struct sgang_conductor *c,
				     const struct victim *v)
{
	struct sgang_job *job = c->host->jobs.find(v->job_id);
	struct sgang_job_info info;

	if (!job || !c->host->preempt.occupies(job))
		return NULL;
	c->host->jobs.info(job, &info);
	return (!info.began || info.began == v->started) ? job : NULL;
}

static bool names_victim(const struct claim *claim, uint32_t job_id)
{
	for (size_t i = 0; claim && i < claim->n_victims; i++) {
		if (claim->victims[i].job_id == job_id)
			return true;
	}
	return false;
}

/* Cancel the preemption of all but those of 'except' (NULL: none). */
static void spare_victims(struct sgang_conductor *c, const struct claim *claim,
			  const struct claim *except)
{
	for (size_t i = 0; claim->struck && i < claim->n_victims; i++) {
		struct sgang_job *job = find_victim(c, &claim->victims[i]);

		if (job && !names_victim(except, claim->victims[i].job_id))
			c->host->preempt.spare(job);
	}
}

/* Call when the gang has planned again, or could not: victims that are not in
 * the new claim run on. */
static void let_former_go(struct sgang_conductor *c, struct gang *g)
{
	if (!g->preempt.former)
		return;
	spare_victims(c, g->preempt.former, g->preempt.claim);
	sgang_claim_destroy(g->preempt.former);
	g->preempt.former = NULL;
	c->changed = true;
}

/* End a claim that is no longer needed. Its victims keep nodes they have not
 * released. */
static void end_claim(struct sgang_conductor *c, struct gang *g,
		      const char *why)
{
	sgang_log(SGANG_LOG_INFO, "%s/%s: gives up its claim: %s", g->ns,
		  g->name, why);
	spare_victims(c, g->preempt.claim, NULL);
	sgang_claim_forget(g);
	sgang_retry_forget_all(c);
	c->changed = true;
	c->wake_scheduler = true;
}

void sgang_claim_lost(struct sgang_conductor *c, struct gang *g,
		      const char *why)
{
	int64_t wait = RETRY_FIRST;

	sgang_metrics_add(&c->metrics, SGANG_COUNT_CLAIMS_LOST);
	if (++g->preempt.lost < PLANS_MAX) {
		sgang_log(SGANG_LOG_INFO, "%s/%s: plans anew: %s", g->ns,
			  g->name, why);
		let_former_go(c, g);
		g->preempt.former = g->preempt.claim;
		g->preempt.claim = NULL;
		c->changed = true;
		return;
	}
	for (uint32_t i = PLANS_MAX;
	     i < g->preempt.lost && wait < RETRY_LONGEST; i++)
		wait *= 2;
	if (wait > RETRY_LONGEST)
		wait = RETRY_LONGEST;
	g->preempt.after = c->host->now() + wait;
	g->preempt.wake = g->preempt.after;
	end_claim(c, g, why);
}

/* The owner of a victim is only logged. */
static void strike_one(struct sgang_conductor *c, const struct gang *g,
		       const struct victim *v, struct sgang_job *by)
{
	struct sgang_job *job = find_victim(c, v);
	const struct entry *e = sgang_lookup_entry(c, v->job_id);
	struct sgang_job_info info;

	if (!job)
		return;
	c->host->jobs.info(job, &info);
	sgang_log(SGANG_LOG_INFO, "%s/%s: preempts job %u of %s%s%s%s%s", g->ns,
		  g->name, v->job_id, info.user ? info.user : "?",
		  e ? ", member of " : "", e ? e->gang->ns : "", e ? "/" : "",
		  e ? e->gang->name : "");
	sgang_metrics_add(&c->metrics, SGANG_COUNT_VICTIMS);
	c->host->preempt.preempt(job, by);
}

/* Any waiting member of the gang. */
static struct sgang_job *preemptor(const struct sgang_conductor *c,
				   const struct gang *g)
{
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (e->m.state == SGANG_MEMBER_PENDING)
			return c->host->jobs.find(e->job_id);
	}
	return NULL;
}

void sgang_claim_strike_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		struct sgang_job *by;

		if (!g->preempt.claim || g->preempt.claim->struck)
			continue;
		by = preemptor(c, g);
		sgang_metrics_add(&c->metrics, SGANG_COUNT_STRIKES);
		g->preempt.claim->struck = true;
		sgang_fault_die("strike", 0);
		for (size_t i = 0; by && i < g->preempt.claim->n_victims; i++) {
			strike_one(c, g, &g->preempt.claim->victims[i], by);
			sgang_fault_die("strike", i + 1);
		}
		sgang_conductor_poke(c);
	}
}

/* ---- while the victims end ---- */

/* Why the gang no longer waits for these nodes; NULL: it does. */
static const char *why_not(struct sgang_conductor *c, struct gang *g)
{
	if (!sgang_group_complete(g, NULL, 0))
		return "the gang is not complete any more";
	if (!g->tally.priority || g->limited || g->never.starts)
		return "the gang cannot start any more";
	if (!c->conf.gangs || !c->conf.preemption)
		return "gangs do not preempt any more";
	return NULL;
}

/* True if any node of the claim is one that 'add' adds. */
static bool any_node(const struct sgang_conductor *c, const struct claim *claim,
		     void (*add)(struct sgang_nodeset *nodes))
{
	struct sgang_nodeset *nodes =
		sgang_nodeset_create(c->host->nodes.count());
	bool any = false;

	if (nodes) {
		add(nodes);
		any = sgang_nodeset_intersects(nodes, claim->nodes);
	}
	sgang_nodeset_destroy(nodes);
	return any;
}

/* Preempt the remaining victims again, because their grace time may be over.
 * Returns how many still have nodes of the claim; '*until': the latest end of
 * the last. */
static size_t count_left(struct sgang_conductor *c, struct gang *g,
			 int64_t *until)
{
	struct sgang_nodeset *nodes =
		sgang_nodeset_create(c->host->nodes.count());
	struct sgang_job *by = preemptor(c, g);
	struct claim *claim = g->preempt.claim;
	size_t left = 0;

	*until = 0;
	for (size_t i = 0; nodes && by && i < claim->n_victims; i++) {
		struct sgang_job *job = find_victim(c, &claim->victims[i]);
		int64_t gone;

		if (!job)
			continue;
		c->host->preempt.preempt(job, by);
		if (!find_victim(c, &claim->victims[i]))
			continue;
		sgang_nodeset_clear(nodes);
		c->host->jobs.nodes(job, nodes);
		if (!sgang_nodeset_intersects(nodes, claim->nodes))
			continue;
		gone = c->host->preempt.gone_by(job);
		if (gone > *until)
			*until = gone;
		left++;
	}
	sgang_nodeset_destroy(nodes);
	return left;
}

/* Give the gang a turn, on these nodes or on any (NULL). */
static void give_turn(struct sgang_conductor *c, struct gang *g,
		      const struct sgang_nodeset *nodes)
{
	sgang_nodeset_destroy(g->turn.limit);
	g->turn.limit = nodes ? sgang_nodeset_copy(nodes) : NULL;
	if (nodes && !g->turn.limit)
		return; /* the next pass */
	g->turn.due = true;
	g->turn.own = false;
	g->turn.first = g->joint.standing;
	c->turns = true;
}

/* Give each gang of the group a turn on the nodes freed for it, because on
 * others it might take those that another gang needs. */
static void give_turns(struct sgang_conductor *c, struct gang *g)
{
	const struct claim *claim = g->preempt.claim;
	struct gang *alone, **group;
	size_t n;

	group = sgang_group_of(g, &alone, &n);
	if (!claim->n_shares)
		give_turn(c, g, claim->nodes);
	for (size_t i = 0; i < claim->n_shares; i++) {
		for (size_t k = 0; k < n; k++) {
			if (group[k] == claim->shares[i].g)
				give_turn(c, group[k], claim->shares[i].nodes);
		}
	}
}

/* The plan of the claim is no longer possible. */
static void plan_anew(struct sgang_conductor *c, struct gang *g,
		      const char *why)
{
	sgang_claim_lost(c, g, why);
	if (g->preempt.after <= c->host->now())
		give_turn(c, g, NULL);
}

static void review(struct sgang_conductor *c, struct gang *g)
{
	struct claim *claim = g->preempt.claim;
	const char *why = why_not(c, g);
	int64_t now = c->host->now();

	if (sgang_group_placed(g) || sgang_gang_ordinary(&g->tally)) {
		g->preempt.lost = 0;
		spare_victims(c, claim, NULL);
		sgang_claim_forget(g);
		return;
	}
	if (why) {
		end_claim(c, g, why);
		return;
	}
	if (!claim->struck)
		return; /* not on disk yet */
	claim->n_left = count_left(c, g, &claim->until);
	claim->ripe = false;
	if (sgang_registering_any(c, claim->nodes))
		return;
	claim->ripe = !claim->n_left;
	if (claim->ripe)
		give_turns(c, g);
	else if (claim->until + OVERDUE_SECONDS < now)
		plan_anew(c, g, "a preempted job does not end");
	else if (any_node(c, claim, c->host->nodes.unavailable))
		plan_anew(c, g, "a node is out of service");
}

/* ---- after a restart ---- */

struct going {
	struct sgang_conductor *c;
	struct claim *claim;
	struct sgang_nodeset *nodes;
};

static bool is_there(const struct going *going, struct sgang_job *job)
{
	sgang_nodeset_clear(going->nodes);
	going->c->host->jobs.nodes(job, going->nodes);
	return sgang_nodeset_intersects(going->nodes, going->claim->nodes);
}

/* True if the job is of a gang preempted as a whole with a victim found there.
 */
static bool goes_along(const struct going *going, uint32_t job_id)
{
	const struct claim *claim = going->claim;
	const struct entry *e = sgang_registry_entry(going->c, job_id);

	if (!e || !e->has_record || !e->record.evicted)
		return false;
	for (size_t i = 0; i < claim->n_victims; i++) {
		const struct entry *other = sgang_registry_entry(
			going->c, claim->victims[i].job_id);

		if (other && other->gang == e->gang)
			return true;
	}
	return false;
}

static void add_going(const struct sgang_candidate *candidate, void *arg)
{
	struct going *going = arg;
	struct claim *claim = going->claim;
	struct victim *more;

	if (!candidate->going || names_victim(claim, candidate->job_id) ||
	    (!is_there(going, candidate->job) &&
	     !goes_along(going, candidate->job_id)))
		return;
	more = realloc(claim->victims, (claim->n_victims + 1) * sizeof(*more));
	if (!more)
		return; /* its nodes are then busy to the plan */
	claim->victims = more;
	more[claim->n_victims++] = (struct victim){
		.job_id = candidate->job_id,
		.started = candidate->started,
	};
}

/* The victims are jobs being preempted there, and, in a second round, their
 * gangs. */
static void recover(struct sgang_conductor *c, struct gang *g,
		    const struct entry *e)
{
	struct going going = { .c = c };

	going.claim = calloc(1, sizeof(*going.claim));
	going.nodes = sgang_nodeset_create(c->host->nodes.count());
	if (going.claim)
		going.claim->nodes = sgang_node_list_read(c, e->record.claim);
	if (going.nodes && going.claim && going.claim->nodes) {
		strcpy(going.claim->text, e->record.claim);
		going.claim->since = e->record.claimed;
		going.claim->struck = true;
		c->host->preempt.candidates(e->job, add_going, &going);
		c->host->preempt.candidates(e->job, add_going, &going);
		g->preempt.claim = going.claim;
	} else {
		sgang_claim_destroy(going.claim);
	}
	sgang_nodeset_destroy(going.nodes);
}

void sgang_claim_recover_all(struct sgang_conductor *c)
{
	c->lost_claims = !c->fabric;
	for (struct gang *g = c->gangs; g && c->fabric; g = g->next) {
		for (size_t i = 0; i < g->n_entries && !g->preempt.claim; i++) {
			const struct entry *e = g->entries[i];

			if (e->m.state == SGANG_MEMBER_PENDING &&
			    e->has_record && e->record.claim[0])
				recover(c, g, e);
		}
	}
}

/* ---- review and display ---- */

void sgang_claim_review_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (g->preempt.claim && !g->stale)
			review(c, g);
		if (!g->preempt.wake || g->preempt.wake > c->host->now())
			continue;
		g->preempt.wake = 0;
		g->attempt.failed = false;
		c->wake_scheduler = true;
	}
}

/* Set the start for backfill and squeue --start. */
void sgang_claim_tell_all(struct sgang_conductor *c)
{
	c->claims = false;
	for (struct gang *g = c->gangs; g; g = g->next) {
		const struct claim *claim = g->preempt.claim;

		c->claims |= g->kept.nodes != NULL;
		if (!g->turn.due) /* else it has not planned again yet */
			let_former_go(c, g);
		if (!claim)
			continue;
		c->claims = true;
		g->attempt.failed = true;
		g->joint.start = sgang_claim_until(c, g);
		sgang_beside_drop(&g->joint.nodes, &g->joint.share);
		g->joint.nodes = sgang_nodeset_copy(claim->nodes);
		if (!claim->struck || claim->n_left)
			snprintf(g->attempt.why, sizeof(g->attempt.why),
				 "%zu of %zu preempted jobs are ending",
				 claim->struck ? claim->n_left :
						 claim->n_victims,
				 claim->n_victims);
	}
}

int64_t sgang_claim_until(const struct sgang_conductor *c, const struct gang *g)
{
	int64_t soon = c->host->now() + 1;

	return g->preempt.claim->until > soon ? g->preempt.claim->until : soon;
}
