/* SPDX-License-Identifier: GPL-2.0-or-later */
/* evict.c - gangs that are preempted as a whole
 *
 * Their members end one after the other, each in its own grace. Those that are
 * requeued must not start alone meanwhile, as members that come late would, and
 * nobody has lost them. When none runs any more the gang is one that has never
 * started. The mark is in the records, so that a restart does not lose it.
 */

#include "conductor_private.h"
#include "plugins/log.h"

void sgang_evict(struct sgang_conductor *c, struct gang *g)
{
	g->preempt.evicted = true;
	g->recorded_of = 0;
	c->changed = true;
}

/* The members that have nodes, and whether any of them is being preempted. */
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

/* Is it named as a victim that was not signalled yet? */
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

static void begin_anew(struct sgang_conductor *c, struct gang *g)
{
	g->preempt.evicted = false;
	for (size_t i = 0; i < g->n_entries; i++)
		sgang_publish_phase(c, g, g->entries[i]->job,
				    SGANG_PHASE_WAITING);
	g->attempt.failed = false;
	g->attempt.why[0] = '\0';
	c->changed = true;
	sgang_registry_refresh(c, g);
	g->stale = true; /* the next pass sees what it has become */
	sgang_conductor_poke(c);
	sgang_log(SGANG_LOG_INFO,
		  "%s/%s: was preempted as a whole, waits again", g->ns,
		  g->name);
}

static void check(struct sgang_conductor *c, struct gang *g)
{
	size_t running;
	bool going;

	running = count_running(c, g, &going);
	if (!running && g->n_entries)
		begin_anew(c, g);
	else if (!going && !is_chosen(c, g))
		g->preempt.evicted = false; /* it was spared, or has ended */
}

void sgang_evict_check_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		for (size_t i = 0; i < g->n_entries && !g->preempt.evicted; i++)
			g->preempt.evicted = g->entries[i]->has_record &&
					     g->entries[i]->record.evicted;
		if (g->preempt.evicted && !g->stale)
			check(c, g);
	}
}
