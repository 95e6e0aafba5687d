/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parts.c - the members of an attempt, and their order */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"

uint32_t sgang_parts_node(const struct sgang_conductor *c,
			  const struct sgang_run *run)
{
	return c->devices ? c->devices->node[run->node] : run->node;
}

/* A copy of NULL is NULL. */
static struct sgang_nodeset *copy_of(const struct sgang_nodeset *nodes,
				     bool *failed)
{
	struct sgang_nodeset *copy = nodes ? sgang_nodeset_copy(nodes) : NULL;

	*failed |= nodes && !copy;
	return copy;
}

int sgang_probed_copy(struct probed *to, const struct probed *from,
		      uint32_t n_nodes)
{
	bool failed = false;

	*to = (struct probed){
		.g = from->g,
		.job = from->job,
		.shape = from->shape,
		.fixed = from->fixed,
		.usable = copy_of(from->usable, &failed),
		.kept = copy_of(from->kept, &failed),
		.ever = copy_of(from->ever, &failed),
		.alone = copy_of(from->alone, &failed),
		.required = copy_of(from->required, &failed),
	};
	if (from->clear_at) {
		to->clear_at = calloc(n_nodes + 1, sizeof(*to->clear_at));
		failed |= !to->clear_at;
	}
	if (failed) {
		sgang_probed_free(to);
		return -1;
	}
	if (from->clear_at)
		memcpy(to->clear_at, from->clear_at,
		       n_nodes * sizeof(*to->clear_at));
	return 0;
}

void sgang_probed_free(struct probed *p)
{
	sgang_nodeset_destroy(p->usable);
	sgang_nodeset_destroy(p->kept);
	sgang_nodeset_destroy(p->ever);
	sgang_nodeset_destroy(p->alone);
	sgang_nodeset_destroy(p->required);
	free(p->clear_at);
	sgang_nodeset_destroy(p->then);
	sgang_nodeset_destroy(p->allowed);
	free(p->split);
}

int sgang_fit_take_order(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	int rc;

	if (x->entry == y->entry)
		return (x->copy < y->copy) ? -1 : (x->copy > y->copy);
	rc = sgang_gang_take_order(&x->entry->m, &y->entry->m);
	return rc ? rc : ((x->entry->job_id < y->entry->job_id) ? -1 : 1);
}

static int ring_order(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->g_index != y->g_index)
		return (x->g_index < y->g_index) ? -1 : 1;
	if (x->entry == y->entry)
		return (x->copy < y->copy) ? -1 : (x->copy > y->copy);
	return sgang_gang_ring_order(&x->entry->m, &y->entry->m);
}

void sgang_fit_ring_order(struct attempt *a)
{
	qsort(a->parts, a->n_parts, sizeof(*a->parts), ring_order);
}

static size_t most_of(const struct gang *g, enum extent extent)
{
	uint32_t missing = sgang_gang_missing(&g->tally);
	uint32_t held = g->tally.held;

	if (extent == SGANG_EXTENT_MINIMUM || g->tally.total < held + missing)
		return missing;
	return g->tally.total - held;
}

/* Members beyond the minimum start with the others if they are no spares. */
static size_t without_spares(const struct gang *g, size_t n, size_t most)
{
	size_t missing = sgang_gang_missing(&g->tally);
	size_t spares = g->tally.spec.spares;
	size_t rest = n > spares ? n - spares : 0;

	if (!spares || rest >= most)
		return most;
	return rest > missing ? rest : missing;
}

/* All members with an order below this are in the minimum; members with the
 * last order, too, if all of them are needed. */
static uint32_t order_end(const struct gang *g)
{
	uint32_t last = g->tally.last_order;
	uint64_t n = 0;

	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (e->m.state == SGANG_MEMBER_PENDING && e->spec.order_set &&
		    e->spec.order <= last)
			n += e->m.tasks;
	}
	return last +
	       (last != UINT32_MAX && n <= sgang_gang_missing(&g->tally));
}

/* A member that --gang-order puts into the minimum cannot be left out. */
static bool left_out(const struct gang *g, const struct entry *e, uint32_t end)
{
	uint32_t below = e->m.eligible ? end : g->tally.last_order;

	return e->m.state == SGANG_MEMBER_PENDING && e->spec.order_set &&
	       e->spec.order < below && (!e->probed || !e->probed->usable);
}

void sgang_fit_add(struct attempt *a, size_t index, struct entry *e)
{
	for (uint32_t t = 0; t < e->m.tasks; t++)
		a->parts[a->n_parts++] = (struct part){
			.g = a->gangs[index],
			.g_index = index,
			.entry = e,
			.probed = e->probed,
			.copy = t,
		};
}

static int choose_of(struct attempt *a, size_t index, enum extent extent)
{
	struct gang *g = a->gangs[index];
	size_t first = a->n_parts, n, most = most_of(g, extent);
	uint32_t end = order_end(g);

	a->culprit = g;
	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];

		if (extent != SGANG_EXTENT_ANY && left_out(g, e, end))
			return -1;
		if (e->m.state != SGANG_MEMBER_PENDING || !e->m.eligible ||
		    !e->probed || !e->probed->usable)
			continue;
		sgang_fit_add(a, index, e);
	}
	n = a->n_parts - first;
	most = without_spares(g, n, most);
	if (extent != SGANG_EXTENT_ANY && n < sgang_gang_missing(&g->tally))
		return -1;
	qsort(a->parts + first, n, sizeof(*a->parts), sgang_fit_take_order);
	a->n_parts = first + ((n < most) ? n : most);
	return 0;
}

int sgang_fit_choose(struct attempt *a, enum extent extent)
{
	a->n_parts = 0;
	for (size_t i = 0; i < a->n_gangs; i++) {
		/* the probe has set why */
		if (choose_of(a, i, extent) < 0)
			return -1;
	}
	return 0;
}

uint64_t sgang_fit_cost(const struct sgang_placement *plan)
{
	return plan->weighted_cost ? plan->weighted_cost : plan->ring.cost;
}

uint32_t sgang_part_cpus(const struct probed *p, const struct sgang_run *run)
{
	return (p->fixed ? 1 : run->ranks) * p->shape.node_cpus;
}

void sgang_told_keep(const struct attempt *a, struct sgang_told *told)
{
	memcpy(told->why, a->why, sizeof(told->why));
	memcpy(told->lacks, a->lacks, sizeof(told->lacks));
	memcpy(told->unit, a->unit, sizeof(told->unit));
	memcpy(told->helps, a->helps, sizeof(told->helps));
}

void sgang_told_again(struct attempt *a, const struct sgang_told *told)
{
	memcpy(a->why, told->why, sizeof(told->why));
	memcpy(a->lacks, told->lacks, sizeof(told->lacks));
	memcpy(a->unit, told->unit, sizeof(told->unit));
	memcpy(a->helps, told->helps, sizeof(told->helps));
}
