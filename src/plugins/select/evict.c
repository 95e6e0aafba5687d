/* SPDX-License-Identifier: GPL-2.0-or-later */
/* evict.c - gangs that are preempted, or requeued by a user, as a whole
 *
 * Their members end one by one, each after its own grace time. Requeued members
 * must not start alone meanwhile, as late members would, and do not count as
 * lost. When none runs the gang is as if never started. The mark is in the
 * records, so that a restart does not lose it.
 *
 * sgang requeue marks each running member, by an update that Slurm and
 * job_submit/gang allow only to users who may requeue the job. When all have
 * the mark, they are requeued in one step, and none counts as lost.
 */

#include "conductor_private.h"
#include "plugins/log.h"

void sgang_evict(struct sgang_conductor *c, struct gang *g)
{
	g->preempt.evicted = true;
	g->recorded_of = 0;
	c->changed = true;
}

/* The number of members with nodes, and whether any is being preempted. */
static size_t count_running(const struct sgang_conductor *c,
			    const struct gang *g, bool *going)
{
	size_t running = 0;

	*going = false;
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (e->m.state == SGANG_MEMBER_PENDING)
			continue;
		running++;
		*going |= c->host->preempt.gone_by(e->job) != 0;
	}
	return running;
}

/* True if it is listed as a victim and not signalled yet. */
static bool is_chosen(const struct sgang_conductor *c, const struct gang *g)
{
	for (const struct gang *by = c->gangs; by; by = by->next) {
		const struct claim *claim = by->preempt.claim;

		for (size_t i = 0; claim && i < claim->n_victims; i++) {
			const struct entry *e = sgang_registry_entry(
				c, claim->victims[i].job_id);

			if (e && e->gang == g)
				return true;
		}
	}
	return false;
}

static void begin_anew(struct sgang_conductor *c, struct gang *g,
		       const char *what)
{
	g->preempt.evicted = false;
	for (size_t i = 0; i < g->n_entries; i++)
		sgang_publish_phase(c, g, g->entries[i]->job,
				    SGANG_PHASE_WAITING);
	sgang_registry_renew(c, g);
	sgang_log(SGANG_LOG_INFO, "%s/%s: was %s as a whole, waits again",
		  g->ns, g->name, what);
}

static void check(struct sgang_conductor *c, struct gang *g)
{
	size_t running;
	bool going;

	running = count_running(c, g, &going);
	if (!running && g->n_entries)
		begin_anew(c, g, "preempted");
	else if (!going && !is_chosen(c, g))
		g->preempt.evicted = false; /* spared, or ended */
}

/* The life of a mark: a user who has not marked all by then has given up. */
#define RECALL_SECONDS 60

static bool is_recalled(const struct entry *e, int64_t now)
{
	return e->m.state == SGANG_MEMBER_RUNNING && e->has_record &&
	       e->record.recall && now >= e->record.recall &&
	       now - e->record.recall <= RECALL_SECONDS;
}

/* True if all running members are marked, each by its own user. */
static bool all_recalled(const struct sgang_conductor *c, const struct gang *g)
{
	int64_t now = c->host->now();
	size_t running = 0;

	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (e->m.state == SGANG_MEMBER_PENDING)
			continue;
		if (!is_recalled(e, now))
			return false;
		running++;
	}
	return running != 0;
}

static void requeue_all(struct sgang_conductor *c, struct gang *g)
{
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (e->m.state != SGANG_MEMBER_RUNNING)
			continue;
		if (c->host->jobs.requeue(e->job))
			sgang_restart(c, e->job, 0, 0);
		else
			sgang_log(SGANG_LOG_INFO,
				  "%s/%s: job %u cannot be requeued", g->ns,
				  g->name, e->job_id);
	}
	g->preempt.evicted = false;
	begin_anew(c, g, "requeued");
}

void sgang_evict_check_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!g->stale && !sgang_hold_doubtful(g) && all_recalled(c, g))
			requeue_all(c, g);
		for (size_t i = 0; i < g->n_entries && !g->preempt.evicted; i++)
			g->preempt.evicted = g->entries[i]->has_record &&
					     g->entries[i]->record.evicted;
		if (g->preempt.evicted && !g->stale)
			check(c, g);
	}
}
