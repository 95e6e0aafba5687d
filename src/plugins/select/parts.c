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
	free(p->gres);
}

bool sgang_probed_unknown(const struct gang *g)
{
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct probed *p = g->entries[i]->probed;

		if (p && !p->usable)
			return true;
	}
	return false;
}

struct probed *sgang_probed_fewer(struct attempt *a, const struct probed *asked,
				  uint32_t nodes)
{
	struct probed *p = &a->probed[a->n_probed];

	if (a->n_probed == a->cap_probed ||
	    sgang_probed_copy(p, asked, a->c->host->nodes.count()) < 0)
		return NULL;
	a->n_probed++;
	a->c->host->jobs.fewer(p->job, nodes, &p->shape);
	return p;
}

void sgang_parts_restore(struct attempt *a, const struct part *parts,
			 size_t n_probed)
{
	memcpy(a->parts, parts, a->n_parts * sizeof(*a->parts));
	while (a->n_probed > n_probed)
		sgang_probed_free(&a->probed[--a->n_probed]);
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
	if (x->entry->leaf != y->entry->leaf)
		return (x->entry->leaf < y->entry->leaf) ? -1 : 1;
	return sgang_gang_ring_order(&x->entry->m, &y->entry->m);
}

void sgang_fit_ring_order(struct attempt *a)
{
	qsort(a->parts, a->n_parts, sizeof(*a->parts), ring_order);
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

uint64_t sgang_fit_cost(const struct sgang_placement *plan)
{
	return plan->weighted_cost ? plan->weighted_cost : plan->ring.cost;
}

/* A piece that spans islands of its node has a run for each. */
static bool is_piece_again(const struct attempt *a, size_t r)
{
	const struct sgang_run *run = &a->plan->runs[r];

	return r && run[-1].member == run->member &&
	       sgang_parts_node(a->c, &run[-1]) == sgang_parts_node(a->c, run);
}

uint32_t sgang_part_units(const struct attempt *a, size_t r)
{
	const struct sgang_run *run = &a->plan->runs[r];

	if (!a->parts[run->member].probed->fixed)
		return run->ranks;
	return is_piece_again(a, r) ? 0 : 1;
}

uint32_t sgang_part_cpus(const struct attempt *a, size_t r)
{
	const struct probed *p = a->parts[a->plan->runs[r].member].probed;

	return sgang_part_units(a, r) * p->shape.node_cpus;
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
