/* SPDX-License-Identifier: GPL-2.0-or-later */
/* apart.c - gangs that keep each other out of domains: --gang-exclusive
 *
 * A gang that wants a level for itself keeps off the domains in which others
 * have nodes, and others keep off its own: now, and at each moment that a gang
 * may wait for.
 */

#include <stdlib.h>

#include "attempt_private.h"

size_t sgang_apart_jobs(const struct gang *g)
{
	return g->n_entries + g->n_holds;
}

struct sgang_job *sgang_apart_job(const struct sgang_conductor *c,
				  const struct gang *g, size_t i)
{
	struct sgang_job_info info;
	struct sgang_job *job;

	if (i >= g->n_entries)
		job = c->host->find(g->holds[i - g->n_entries].job_id);
	else if (g->entries[i]->m.state == SGANG_MEMBER_PENDING)
		return NULL;
	else
		job = c->host->find(g->entries[i]->job_id);
	if (!job)
		return NULL;
	/* it may have ended or been requeued since the registry looked */
	c->host->info(job, &info);
	return (info.state == SGANG_JOB_RUNNING ||
		info.state == SGANG_JOB_CONFIGURING) ? job : NULL;
}

static int exclusive_level(const struct sgang_conductor *c,
			   const struct sgang_spec *spec)
{
	if (!spec->exclusive[0])
		return -1;
	return sgang_costs_level(&c->conf.costs, spec->exclusive);
}

/* The level of which two gangs do not share a domain; -1: they may. */
static int apart_level(const struct sgang_conductor *c,
		       const struct sgang_spec *a, const struct sgang_spec *b)
{
	int x = exclusive_level(c, a), y = exclusive_level(c, b);

	return (x > y) ? x : y;
}

static bool in_group(const struct gang *g, const struct gang *other)
{
	for (size_t i = 0; i < g->n_group; i++) {
		if (g->group[i] == other)
			return true;
	}
	return g == other;
}

/* Must the gang keep off domains in which the other is? Gangs that start
 * together do not keep each other out. */
static int keeps_off(const struct sgang_conductor *c, const struct gang *g,
		     const struct gang *other)
{
	if (in_group(g, other) ||
	    (!other->tally.running && !other->tally.held && !other->n_holds))
		return -1;
	return apart_level(c, &g->tally.spec, &other->tally.spec);
}

/* When a job is gone from its nodes, if not before: at its time limit, or when
 * all that is there is gone. */
static int64_t gone_at(struct sgang_conductor *c, struct sgang_job *job,
		       const struct sgang_nodeset *nodes,
		       const int64_t *free_at)
{
	struct sgang_job_info info;
	int64_t when = 0;

	if (!free_at)
		return INT64_MAX;
	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1)) {
		if (free_at[n] > when)
			when = free_at[n];
	}
	c->host->info(job, &info);
	return (info.ends < when) ? info.ends : when;
}

/* Times by node and by domain, 0 at first. */
struct clear {
	struct sgang_nodeset *nodes;	/* of one job */
	int64_t *node, *domain;
};

static void clear_free(struct clear *t)
{
	sgang_nodeset_destroy(t->nodes);
	free(t->node);
	free(t->domain);
}

static int clear_alloc(struct clear *t, const struct sgang_fabric *fabric)
{
	uint32_t n_nodes = sgang_fabric_nodes(fabric);

	t->nodes = sgang_nodeset_create(n_nodes);
	t->node = calloc(n_nodes + 1, sizeof(*t->node));
	t->domain = calloc(sgang_fabric_domains(fabric) + 1,
			   sizeof(*t->domain));
	return (t->nodes && t->node && t->domain) ? 0 : -1;
}

static void raise_time(int64_t *time, int64_t to)
{
	if (*time < to)
		*time = to;
}

/* The gang is in domains of this level until its jobs are gone. */
static void note_gang(struct sgang_conductor *c, struct clear *t,
		      const struct sgang_fabric *fabric, const struct gang *g,
		      uint32_t level, const int64_t *free_at)
{
	for (size_t i = 0; i < sgang_apart_jobs(g); i++) {
		struct sgang_job *job = sgang_apart_job(c, g, i);
		int64_t when;

		if (!job)
			continue;
		sgang_nodeset_clear(t->nodes);
		c->host->nodes(job, t->nodes);
		when = gone_at(c, job, t->nodes, free_at);
		for (uint32_t n = sgang_nodeset_next(t->nodes, 0);
		     n != SGANG_NODE_NONE;
		     n = sgang_nodeset_next(t->nodes, n + 1)) {
			uint32_t d = sgang_fabric_within(fabric, n, level);

			raise_time(d == SGANG_DOMAIN_NONE ? &t->node[n] :
							    &t->domain[d],
				   when);
		}
	}
}

static void spread_over_domains(const struct sgang_fabric *fabric,
				struct clear *t)
{
	const uint32_t *order = sgang_fabric_order(fabric);

	for (uint32_t d = 0; d < sgang_fabric_domains(fabric); d++) {
		const struct sgang_domain *domain =
			sgang_fabric_domain(fabric, d);

		for (uint32_t i = 0; t->domain[d] && i < domain->n_nodes; i++)
			raise_time(&t->node[order[domain->first_pos + i]],
				   t->domain[d]);
	}
}

/* For each node, from when on --gang-exclusive, of this gang and of others, lets
 * the gang be there; 0: it does now. By the times at which nodes become free;
 * NULL: those that are there stay. '*times' is NULL where the gang keeps off
 * nothing. -1 without memory. */
static int clear_times(struct sgang_conductor *c, const struct gang *g,
		       const int64_t *free_at, int64_t **times)
{
	const struct sgang_fabric *fabric = g->topology->fabric;
	struct clear t = { NULL, NULL, NULL };
	int rc = 0;

	*times = NULL;
	for (const struct gang *o = c->gangs; o && !rc; o = o->next) {
		int level = keeps_off(c, g, o);

		if (level < 0)
			continue;
		if (!t.node)
			rc = clear_alloc(&t, fabric);
		if (!rc)
			note_gang(c, &t, fabric, o, (uint32_t) level, free_at);
	}
	if (!rc && t.node) {
		spread_over_domains(fabric, &t);
		*times = t.node;
		t.node = NULL;
	}
	clear_free(&t);
	return rc;
}

void sgang_apart_cut(struct sgang_conductor *c, const struct gang *g,
		     struct sgang_nodeset *nodes)
{
	int64_t *times;

	if (!c->fabric)
		return;
	if (clear_times(c, g, NULL, &times) < 0) {
		sgang_nodeset_clear(nodes);	/* rather none than a wrong one */
		return;
	}
	for (uint32_t n = 0; times && n < sgang_fabric_nodes(c->fabric); n++) {
		if (times[n])
			sgang_nodeset_remove(nodes, n);
	}
	free(times);
}

int sgang_apart_prepare(struct attempt *a)
{
	for (size_t i = 0; i < a->n_probed; i++) {
		struct probed *p = &a->probed[i];

		if (!a->c->fabric || !p->ever)
			continue;
		free(p->clear_at);
		if (clear_times(a->c, p->g, a->free_at, &p->clear_at) < 0)
			return -1;
	}
	return 0;
}

int sgang_apart_then(struct attempt *a)
{
	for (size_t i = 0; i < a->n_probed; i++) {
		struct probed *p = &a->probed[i];

		sgang_nodeset_destroy(p->then);
		p->then = NULL;
		if (!p->clear_at)
			continue;
		p->then = sgang_nodeset_copy(p->ever);
		if (!p->then)
			return -1;
		for (uint32_t n = 0; n < a->c->host->node_count(); n++) {
			if (p->clear_at[n] > a->at)
				sgang_nodeset_remove(p->then, n);
		}
	}
	return 0;
}

struct sgang_nodeset *sgang_apart_around(struct sgang_conductor *c,
					 const struct gang *g,
					 const struct sgang_spec *other,
					 const struct sgang_nodeset *nodes)
{
	int level = c->fabric ? apart_level(c, &g->tally.spec, other) : -1;
	struct sgang_nodeset *around;

	if (level < 0)
		return sgang_nodeset_copy(nodes);
	around = sgang_nodeset_create(sgang_fabric_nodes(c->fabric));
	if (around)
		sgang_levels_add(g->topology->fabric, nodes, (uint32_t) level,
				 around);
	return around;
}
