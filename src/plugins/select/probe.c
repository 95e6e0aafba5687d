/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe.c - the nodes that members of gangs may use, before any commit
 *
 * By Slurm, by limits of associations and QOS, and by the nodes of members that
 * hold.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"

/* ---- begin and end ---- */

int sgang_probe_open(struct attempt *a, struct sgang_conductor *c,
		     struct gang **gangs, size_t n)
{
	size_t entries = 0, tasks = 0;

	*a = (struct attempt){
		.c = c,
		.gangs = gangs,
		.n_gangs = n,
		.topology = sgang_registry_topology(c, gangs, n),
	};
	for (size_t i = 0; i < n; i++) {
		/* by what is there: a tally may be older than the members where
		 * memory was missing */
		entries += gangs[i]->n_entries;
		for (size_t j = 0; j < gangs[i]->n_entries; j++)
			tasks += gangs[i]->entries[j]->m.tasks;
	}
	/* each request, two smaller ones of it (fewer.c), one on one node
	 * (one_node.c), and those of uneven.c */
	a->cap_probed = 4 * (entries ? entries : 1) + SGANG_FEWER_PARTS +
			SGANG_UNEVEN_PARTS;
	a->probed = calloc(a->cap_probed, sizeof(*a->probed));
	a->parts = calloc(tasks ? tasks : 1, sizeof(*a->parts));
	if (a->probed && a->parts)
		return 0;
	snprintf(a->why, sizeof(a->why), "no memory");
	return -1;
}

void sgang_probe_close(struct attempt *a)
{
	for (size_t i = 0; i < a->n_probed; i++)
		sgang_probed_free(&a->probed[i]);
	for (size_t i = 0; i < a->n_gangs; i++) {
		for (size_t j = 0; j < a->gangs[i]->n_entries; j++)
			a->gangs[i]->entries[j]->probed = NULL;
	}
	free(a->probed);
	free(a->parts);
	free(a->order);
	sgang_placement_destroy(a->plan);
}

/* ---- probe ---- */

/* Backfill reserves nodes for jobs before the gang that it reached. Nodes that
 * it did not offer are forbidden for the others of the group too. */
void sgang_probe_limit(const struct gang *g, struct sgang_nodeset *usable)
{
	if (g->turn.due) {
		if (g->turn.limit)
			sgang_nodeset_and(usable, g->turn.limit);
		return;
	}
	for (size_t i = 0; i < g->group.n; i++) {
		const struct gang *other = g->group.gangs[i];
		struct sgang_nodeset *kept;

		if (!other->turn.due || !other->turn.limit ||
		    !other->partitions.nodes)
			continue;
		kept = sgang_nodeset_copy(other->partitions.nodes);
		if (kept) {
			sgang_nodeset_subtract(kept, other->turn.limit);
			sgang_nodeset_subtract(usable, kept);
		}
		sgang_nodeset_destroy(kept);
	}
}

/* Find the nodes that it requires; a plan puts a unit on each. Without memory
 * Slurm finds that they are missing. */
static void find_required(const struct sgang_host *h, struct probed *p)
{
	uint32_t units = p->fixed ? p->shape.min_nodes : p->shape.tasks, n;

	p->required = sgang_nodeset_create(h->nodes.count());
	if (!p->required)
		return;
	h->nodes.required(p->job, p->required);
	n = sgang_nodeset_count(p->required);
	if (n && n <= units)
		return;
	sgang_nodeset_destroy(p->required);
	p->required = NULL;
}

/* Are some of these nodes in a block? */
static bool in_blocks(const struct sgang_fabric *fabric,
		      const struct sgang_nodeset *nodes)
{
	uint32_t n = sgang_nodeset_next(nodes, 0);

	while (n != SGANG_NODE_NONE && !sgang_fabric_in_block(fabric, n))
		n = sgang_nodeset_next(nodes, n + 1);
	return n != SGANG_NODE_NONE;
}

/* topology/block has all nodes of a job in one block if it asks for no segments,
 * or for larger ones than it is, and leaves jobs alone that cannot have nodes in
 * blocks. What a TopologyFile has need not be Slurm's. */
static uint32_t segment_of(const struct attempt *a,
			   const struct sgang_shape *shape,
			   const struct sgang_nodeset *usable,
			   const struct sgang_nodeset *ever)
{
	const struct sgang_fabric *fabric = a->topology ? a->topology->fabric :
							  NULL;

	if (!fabric || !sgang_fabric_block_base(fabric) ||
	    shape->min_nodes < 2 ||
	    !in_blocks(fabric, sgang_nodeset_count(usable) ? usable : ever))
		return 0;
	if (shape->segment && shape->segment < shape->min_nodes)
		return shape->segment;
	return a->c->conf.topology_file[0] ? 0 : shape->min_nodes;
}

static void probe_one(struct attempt *a, struct gang *g, const struct entry *e,
		      struct probed *p)
{
	struct sgang_job *job = e->job;
	const struct sgang_host *h = a->c->host;
	struct sgang_nodeset *usable;

	p->g = g;
	p->job = job;
	usable = sgang_nodeset_create(h->nodes.count());
	p->ever = sgang_nodeset_create(h->nodes.count());
	if (!usable || !p->ever) {
		snprintf(a->why, sizeof(a->why), "no memory");
		goto fail;
	}
	if (h->nodes.probe(job, usable, p->ever, &p->shape, a->why,
			   sizeof(a->why)) < 0) {
		sgang_helps_refused(a, p);
		goto fail;
	}
	p->shape.segment = segment_of(a, &p->shape, usable, p->ever);
	p->alone = sgang_nodeset_copy(p->ever);
	if (!p->alone) {
		snprintf(a->why, sizeof(a->why), "no memory");
		goto fail;
	}
	p->kept = sgang_nodeset_copy(usable);
	sgang_probe_limit(g, usable);
	sgang_exclusive_cut(a->c, g, usable);
	sgang_levels_cut(a, g, usable);
	(void)sgang_branches_cut(a->c, g, &e->spec, NULL, usable);
	if (p->kept)
		sgang_nodeset_subtract(p->kept, usable);
	/* Nor does it wait for nodes that it must not use then. */
	sgang_levels_cut(a, g, p->ever);
	(void)sgang_branches_cut(a->c, g, &e->spec, NULL, p->ever);
	if (a->lessons && a->lessons->avoid) {
		sgang_nodeset_subtract(usable, a->lessons->avoid);
		sgang_nodeset_subtract(p->ever, a->lessons->avoid);
	}
	sgang_learn_forbid(a, job, usable);
	p->fixed = sgang_shape_fixed(&p->shape);
	find_required(h, p);
	p->usable = usable;
	return;
fail:
	sgang_nodeset_destroy(usable);
}

/* Most members of a gang are equal: one probe answers for all with the same
 * request. A limit on the number of jobs only shows in the commit. */
static struct probed *probe_like(struct attempt *a, struct gang *g,
				 const struct entry *e)
{
	bool apart = sgang_branches_grow(g);
	const struct sgang_host *h = a->c->host;
	struct probed *p;

	for (size_t i = 0; i < a->n_probed; i++) {
		p = &a->probed[i];
		/* groups that follow others are each kept to their nodes */
		if (p->g == g && (!apart || p->leaf == e->leaf) &&
		    h->jobs.same_request(p->job, e->job))
			return p;
	}
	p = &a->probed[a->n_probed++];
	p->leaf = e->leaf;
	probe_one(a, g, e, p);
	return p;
}

void sgang_probe_all(struct attempt *a)
{
	a->c->host->nodes.refresh();
	for (size_t i = 0; i < a->n_gangs; i++) {
		struct gang *g = a->gangs[i];

		g->attempt.wants_more = false;
		for (size_t j = 0; j < g->n_entries; j++) {
			struct entry *e = g->entries[j];

			if (e->m.state != SGANG_MEMBER_PENDING ||
			    !e->m.eligible)
				continue;
			e->probed = probe_like(a, g, e);
			g->attempt.wants_more |= !e->probed->usable;
		}
	}
}

/* Check that as much is free as --gang-min-tres asks for (0.15). */
int sgang_probe_room(struct attempt *a)
{
	for (size_t i = 0; i < a->n_gangs; i++) {
		const struct sgang_spec *spec = &a->gangs[i]->tally.spec;
		struct sgang_room room;
		const char *what = NULL;

		if ((!spec->min_cpus && !spec->min_memory &&
		     !spec->min_nodes) ||
		    !a->gangs[i]->partitions.nodes)
			continue;
		a->c->host->nodes.room(a->gangs[i]->partitions.nodes, &room);
		if (room.nodes < spec->min_nodes)
			what = "nodes";
		else if (room.memory < spec->min_memory)
			what = "memory";
		else if (room.cpus < spec->min_cpus)
			what = "CPUs";
		if (!what)
			continue;
		snprintf(a->why, sizeof(a->why),
			 "fewer %s are free than --gang-min-tres asks for",
			 what);
		a->culprit = a->gangs[i];
		return -1;
	}
	return 0;
}

/* ---- limits ---- */

/* ---- questions about members that hold ---- */

/* The request of a member that has nodes. The nodes it could use are no longer
 * known: assume its partition and its present nodes. */
static struct probed *ask_held(struct attempt *a, struct gang *g,
			       struct entry *e)
{
	const struct sgang_host *h = a->c->host;
	struct probed *p = &a->probed[a->n_probed++];

	p->g = g;
	p->job = e->job;
	h->jobs.shape(e->job, &p->shape);
	p->fixed = sgang_shape_fixed(&p->shape);
	find_required(h, p);
	p->usable = sgang_nodeset_create(h->nodes.count());
	p->ever = sgang_nodeset_create(h->nodes.count());
	if (!p->usable || !p->ever) {
		sgang_nodeset_destroy(p->usable);
		p->usable = NULL;
		return NULL;
	}
	/* first the nodes out of service, to be subtracted */
	h->nodes.unavailable(p->usable);
	h->nodes.partition(e->job, p->ever);
	sgang_nodeset_subtract(p->ever, p->usable);
	sgang_nodeset_clear(p->usable);
	h->jobs.nodes(e->job, p->usable);
	sgang_nodeset_or(p->ever, p->usable);
	return p;
}

/* Find the nodes for it if no other job ran: those without a cause that an
 * empty node would have. -1 without memory. */
static int find_alone(struct attempt *a, struct probed *p)
{
	uint32_t n_nodes = a->c->host->nodes.count();
	uint8_t *cause = calloc(n_nodes + 1UL, sizeof(*cause));

	p->alone = sgang_nodeset_create(n_nodes);
	if (cause && p->alone) {
		a->c->host->nodes.causes(p->job, &p->shape, cause, NULL);
		for (uint32_t n = 0; n < n_nodes; n++) {
			if (cause[n] < SGANG_CAUSE_RESERVED ||
			    cause[n] == SGANG_CAUSE_NONE)
				sgang_nodeset_add(p->alone, n);
		}
	}
	free(cause);
	return (cause && p->alone) ? 0 : -1;
}

/* One answer serves all with the same request. NULL without memory. */
static struct probed *ask_held_alone(struct attempt *a, struct gang *g,
				     struct entry *e)
{
	struct probed *p;

	for (size_t i = 0; i < a->n_probed; i++) {
		if (a->c->host->jobs.same_request(a->probed[i].job, e->job))
			return &a->probed[i];
	}
	p = ask_held(a, g, e);
	return (p && find_alone(a, p) == 0) ? p : NULL;
}

/* Choose the minimum of each gang from members that hold and that could start.
 */
static bool choose_anew(struct attempt *a, bool *unknown)
{
	for (size_t i = 0; i < a->n_gangs; i++) {
		struct gang *g = a->gangs[i];
		size_t first = a->n_parts;
		uint32_t need = sgang_gang_missing(&g->tally) + g->tally.held;

		if (g->tally.roles.any) {
			*unknown |= sgang_probed_unknown(g);
			if (sgang_branches_choose(a, i, SGANG_EXTENT_MINIMUM))
				return false;
			continue;
		}
		for (size_t j = 0; j < g->n_entries; j++) {
			struct entry *e = g->entries[j];

			if (e->m.state == SGANG_MEMBER_HELD)
				e->probed = ask_held(a, g, e);
			*unknown |= e->probed && !e->probed->usable;
			if (e->m.state != SGANG_MEMBER_RUNNING && e->probed &&
			    e->probed->usable)
				sgang_fit_add(a, i, e);
		}
		if (a->n_parts - first < need)
			return false;
		qsort(a->parts + first, a->n_parts - first, sizeof(*a->parts),
		      sgang_fit_take_order);
		a->n_parts = first + sgang_grouped_members(a, g, first, need,
							   a->n_parts - first,
							   true);
	}
	sgang_fit_ring_order(a);
	return a->n_parts > 0;
}

/* True if members other than the first fit. 'unknown': one of them could not be
 * probed. */
static bool others_fit(struct attempt *a, int64_t when, bool sure, bool unknown)
{
	int fit = a->n_gangs == 1 && sgang_branches_any(a) ?
			  sgang_branches_fit(a, when) :
			  sgang_which_fit(a, when);

	return fit > 0 || (!sure && (fit < 0 || unknown));
}

/* The time after which a preferred level no longer applies. */
static int64_t once_relaxed(const struct attempt *a)
{
	int64_t relax = sgang_levels_relax(a), now = a->c->host->now();

	return (relax > now) ? relax : now;
}

/* 'sure': true only if it is known to fit. */
static bool fits_then(struct attempt *a, int64_t when, bool sure)
{
	int rc = sgang_fit_shaped(a, when);

	return rc > 0 || (rc < 0 && !sure);
}

bool sgang_probe_could(struct sgang_conductor *c, struct gang **gangs, size_t n,
		       const struct sgang_nodeset *lent)
{
	uint32_t n_nodes = c->host->nodes.count();
	bool could = true, unknown = false, enough;
	bool some = sgang_nodeset_count(lent) < n_nodes;
	struct attempt a;

	if (sgang_probe_open(&a, c, gangs, n) < 0)
		goto out;
	a.free_at = calloc(n_nodes + 1, sizeof(*a.free_at));
	if (!a.free_at)
		goto out;
	for (uint32_t i = 0; i < n_nodes; i++)
		a.free_at[i] = sgang_nodeset_has(lent, i) ? 0 : INT64_MAX;
	sgang_probe_all(&a);
	/* A member that lacks a licence now may get it later. */
	if (sgang_exclusive_prepare(&a) == 0) {
		int64_t when = once_relaxed(&a);
		bool kept = sgang_units_keep(&a);

		enough = choose_anew(&a, &unknown);
		could = enough ? fits_then(&a, when, some) ||
					 others_fit(&a, when, some, unknown) :
				 unknown;
		sgang_units_forget(&a, kept);
	}
out:
	free(a.free_at);
	sgang_probe_close(&a);
	return could;
}

uint64_t sgang_probe_best_cost(struct sgang_conductor *c, struct gang *g)
{
	struct attempt a;
	uint64_t best = 0;

	if (sgang_probe_open(&a, c, &g, 1) < 0)
		goto out;
	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];

		if (e->m.state != SGANG_MEMBER_HELD)
			continue;
		e->probed = ask_held_alone(&a, g, e);
		if (!e->probed)
			goto out;
		sgang_fit_add(&a, 0, e);
	}
	sgang_fit_ring_order(&a);
	if (a.n_parts)
		best = sgang_fit_best_cost(&a, NULL);
out:
	sgang_probe_close(&a);
	return best;
}
