/* SPDX-License-Identifier: GPL-2.0-or-later */
/* victims.c - members of gangs among the jobs that an ordinary job may preempt
 *
 * A strict gang that loses a member of its minimum loses the work of all, so
 * all are preempted or none (evict.c).
 */

#include <stdlib.h>

#include "conductor_private.h"

/* A member among them, and its state at the last pass; NULL: unknown. */
struct seen {
	struct sgang_listed *v;
	const struct entry *e;
};

struct gang *sgang_conductor_victim(struct sgang_conductor *c,
				    const struct sgang_spec *spec)
{
	return sgang_registry_find(c, spec->ns, spec->name);
}

/* A rank: spares and members not launched are preempted first. */
static int idle(const struct entry *e)
{
	return e->has_record ? e->record.spare + e->record.cold +
				       3 * e->record.placeholder :
			       0;
}

/* By gang: spares first, then the latest. */
static int last_first(const void *x, const void *y)
{
	const struct seen *a = x, *b = y;

	if (a->v->gang != b->v->gang)
		return ((uintptr_t)a->v->gang < (uintptr_t)b->v->gang) ? -1 : 1;
	if (!a->e || !b->e)
		return (a->e != NULL) - (b->e != NULL);
	if (idle(a->e) != idle(b->e))
		return idle(b->e) - idle(a->e);
	return sgang_gang_take_order(&b->e->m, &a->e->m);
}

static uint32_t with_nodes(const struct gang *g)
{
	return g->tally.running + g->tally.held;
}

/* Has it started, and does its minimum run? A tree of groups of which a group
 * waits to follow is not ordinary. */
static bool runs_whole(const struct sgang_tally *tally)
{
	if (tally->roles.any)
		return tally->satisfied && tally->roles.whole;
	return sgang_gang_ordinary(tally) &&
	       tally->running >= tally->min_member;
}

/* If members have ended and fewer than its minimum run, they could not start
 * again as a gang. */
bool sgang_victims_whole(const struct gang *g)
{
	return sgang_gang_strict(&g->tally) && !g->tally.held &&
	       runs_whole(&g->tally);
}

static void judge_gang(const struct gang *g, struct seen *seen, size_t n)
{
	uint32_t all = with_nodes(g), extra = 0, end = 0;

	for (size_t i = 0; i < n; i++)
		end += seen[i].v->ends;
	for (size_t i = 0; i < n; i++) {
		struct sgang_listed *v = seen[i].v;

		if (sgang_placeholder_has(g, v->job_id))
			v->kind = SGANG_VICTIM_EXTRA;
		else if (all <= 1)
			v->kind = SGANG_VICTIM_ANY;
		else if (!sgang_victims_whole(g) || !v->ends)
			v->kind = SGANG_VICTIM_LAST;
		else if (!g->tally.roles.any &&
			 extra++ < all - g->tally.min_member)
			v->kind = SGANG_VICTIM_EXTRA;
		else
			v->kind = end < all ? SGANG_VICTIM_NEVER :
					      SGANG_VICTIM_WHOLE;
	}
}

int sgang_conductor_judge(struct sgang_conductor *c, struct sgang_listed *v,
			  size_t n)
{
	struct seen *seen = calloc(n ? n : 1, sizeof(*seen));
	size_t n_seen = 0, next;

	if (!seen)
		return -1;
	for (size_t i = 0; i < n; i++) {
		v[i].kind = SGANG_VICTIM_ANY;
		if (v[i].gang)
			seen[n_seen++] = (struct seen){
				&v[i], sgang_lookup_entry(c, v[i].job_id)
			};
	}
	qsort(seen, n_seen, sizeof(*seen), last_first);
	for (size_t i = 0; i < n_seen; i = next) {
		for (next = i + 1;
		     next < n_seen && seen[next].v->gang == seen[i].v->gang;)
			next++;
		judge_gang(seen[i].v->gang, seen + i, next - i);
	}
	free(seen);
	return 0;
}

void sgang_conductor_struck(struct sgang_conductor *c, struct gang *g)
{
	sgang_evict(c, g);
}
