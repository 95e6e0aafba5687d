/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exclusive.c - --gang-exclusive: gangs that bar each other from domains
 *
 * An exclusive gang uses no domain in which others have nodes, and others use
 * none of its own: now, and at each time that a gang may wait for.
 */

#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"

size_t sgang_exclusive_jobs(const struct gang *g)
{
	return g->n_entries + g->hold.n;
}

struct sgang_job *sgang_exclusive_job(const struct sgang_conductor *c,
				      const struct gang *g, size_t i)
{
	struct sgang_job_info info;
	struct sgang_job *job;

	if (i >= g->n_entries)
		job = c->host->jobs.find(
			g->hold.members[i - g->n_entries].job_id);
	else if (g->entries[i]->m.state == SGANG_MEMBER_PENDING)
		return NULL;
	else
		job = c->host->jobs.find(g->entries[i]->job_id);
	if (!job)
		return NULL;
	/* it may have ended or been requeued since the registry was built */
	c->host->jobs.info(job, &info);
	return (info.state == SGANG_JOB_RUNNING ||
		info.state == SGANG_JOB_CONFIGURING) ?
		       job :
		       NULL;
}

static int exclusive_level(const struct sgang_conductor *c,
			   const struct sgang_spec *spec)
{
	if (!spec->exclusive[0])
		return -1;
	return sgang_costs_level(&c->conf.costs, spec->exclusive);
}

/* The level of which two gangs must not share a domain; -1: they may share all.
 */
static int apart_level(const struct sgang_conductor *c,
		       const struct sgang_spec *a, const struct sgang_spec *b)
{
	int x = exclusive_level(c, a), y = exclusive_level(c, b);

	return (x > y) ? x : y;
}

/* True if the other may bar the gang from its domains. Gangs of a group do not bar
 * each other, nor the later members of these. */
static bool is_apart(struct sgang_conductor *c, const struct gang *g,
		     const struct gang *other)
{
	return (strcmp(g->name, other->name) || strcmp(g->ns, other->ns)) &&
	       (other->tally.running || other->tally.held || other->hold.n) &&
	       !sgang_group_together(c, g, other);
}

/* The latest time at which a job leaves its nodes: its time limit, or the end
 * of all jobs there if earlier. */
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
	c->host->jobs.info(job, &info);
	return (info.ends < when) ? info.ends : when;
}

/* Times by node and by domain, 0 at first. */
struct clear {
	struct sgang_nodeset *nodes; /* of one job */
	struct sgang_nodeset *used;  /* of one gang */
	uint32_t *share;             /* number of these, by domain */
	int64_t *node, *domain;
};

static void clear_free(struct clear *t)
{
	sgang_nodeset_destroy(t->nodes);
	sgang_nodeset_destroy(t->used);
	free(t->share);
	free(t->node);
	free(t->domain);
}

static int clear_alloc(struct clear *t, const struct sgang_fabric *fabric)
{
	uint32_t n_nodes = sgang_fabric_nodes(fabric);

	t->nodes = sgang_nodeset_create(n_nodes);
	t->used = sgang_nodeset_create(n_nodes);
	t->share = calloc(sgang_fabric_domains(fabric) + 1, sizeof(*t->share));
	t->node = calloc(n_nodes + 1, sizeof(*t->node));
	t->domain = calloc(sgang_fabric_domains(fabric) + 1,
			   sizeof(*t->domain));
	return (t->nodes && t->used && t->share && t->node && t->domain) ? 0 :
									   -1;
}

static void raise_time(int64_t *time, int64_t to)
{
	if (*time < to)
		*time = to;
}

/* Count the nodes that the gang has in each domain of this level. */
static void count_share(struct sgang_conductor *c, struct clear *t,
			const struct sgang_fabric *fabric, const struct gang *g,
			uint32_t level)
{
	memset(t->share, 0,
	       (sgang_fabric_domains(fabric) + 1) * sizeof(*t->share));
	sgang_nodeset_clear(t->used);
	for (size_t i = 0; i < sgang_exclusive_jobs(g); i++) {
		struct sgang_job *job = sgang_exclusive_job(c, g, i);

		if (job)
			c->host->jobs.nodes(job, t->used);
	}
	for (uint32_t n = sgang_nodeset_next(t->used, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(t->used, n + 1)) {
		uint32_t d = sgang_fabric_within(fabric, n, level);

		if (d != SGANG_DOMAIN_NONE)
			t->share[d]++;
	}
}

/* True if the gang has enough of the domain to be exclusive there: one job of
 * one CPU must not bar others (MinExclusiveShare=). */
static bool has_share(const struct sgang_conductor *c, const struct clear *t,
		      const struct sgang_fabric *fabric, uint32_t domain)
{
	const struct sgang_domain *d = sgang_fabric_domain(fabric, domain);

	return t->share[domain] >= c->conf.exclusive_share * d->n_nodes;
}

/* Note that the gang is in domains of this level until its jobs end. 'own':
 * only domains that it has for itself, else all. */
static void note_gang(struct sgang_conductor *c, struct clear *t,
		      const struct sgang_fabric *fabric, const struct gang *g,
		      uint32_t level, bool own, const int64_t *free_at)
{
	if (own)
		count_share(c, t, fabric, g, level);
	for (size_t i = 0; i < sgang_exclusive_jobs(g); i++) {
		struct sgang_job *job = sgang_exclusive_job(c, g, i);
		int64_t when;

		if (!job)
			continue;
		sgang_nodeset_clear(t->nodes);
		c->host->jobs.nodes(job, t->nodes);
		when = gone_at(c, job, t->nodes, free_at);
		for (uint32_t n = sgang_nodeset_next(t->nodes, 0);
		     n != SGANG_NODE_NONE;
		     n = sgang_nodeset_next(t->nodes, n + 1)) {
			uint32_t d = sgang_fabric_within(fabric, n, level);

			if (d == SGANG_DOMAIN_NONE)
				raise_time(&t->node[n], when);
			else if (!own || has_share(c, t, fabric, d))
				raise_time(&t->domain[d], when);
		}
	}
}

static void spread_over_domains(const struct sgang_fabric *fabric,
				struct clear *t)
{
	const uint32_t *order = sgang_fabric_order(fabric);

	for (uint32_t d = 0; d < sgang_fabric_domains(fabric); d++) {
		const struct sgang_domain *domain = sgang_fabric_domain(fabric,
									d);

		for (uint32_t i = 0; t->domain[d] && i < domain->n_nodes; i++)
			raise_time(&t->node[order[domain->first_pos + i]],
				   t->domain[d]);
	}
}

/* Find for each node the time from which --gang-exclusive, of this gang and of
 * others, allows the gang there; 0: now. 'free_at': the times at which nodes
 * become free; NULL: present jobs stay. '*times' is NULL if no node is barred.
 * -1 without memory. */
static int clear_times(struct sgang_conductor *c, const struct gang *g,
		       const int64_t *free_at, int64_t **times)
{
	const struct sgang_fabric *fabric = g->topology->fabric;
	int wants = exclusive_level(c, &g->tally.spec);
	struct clear t = { .nodes = NULL };
	int rc = 0;

	*times = NULL;
	for (const struct gang *o = c->gangs; o && !rc; o = o->next) {
		int has = exclusive_level(c, &o->tally.spec);

		if ((wants < 0 && has < 0) || !is_apart(c, g, o))
			continue;
		if (!t.node)
			rc = clear_alloc(&t, fabric);
		if (!rc && wants >= 0)
			note_gang(c, &t, fabric, o, (uint32_t)wants, false,
				  free_at);
		if (!rc && has >= 0)
			note_gang(c, &t, fabric, o, (uint32_t)has, true,
				  free_at);
	}
	if (!rc && t.node) {
		spread_over_domains(fabric, &t);
		*times = t.node;
		t.node = NULL;
	}
	clear_free(&t);
	return rc;
}

void sgang_exclusive_cut(struct sgang_conductor *c, const struct gang *g,
			 struct sgang_nodeset *nodes)
{
	int64_t *times;

	if (!c->fabric)
		return;
	if (clear_times(c, g, NULL, &times) < 0) {
		sgang_nodeset_clear(nodes); /* no node rather than a wrong one
					     */
		return;
	}
	for (uint32_t n = 0; times && n < sgang_fabric_nodes(c->fabric); n++) {
		if (times[n])
			sgang_nodeset_remove(nodes, n);
	}
	free(times);
}

int sgang_exclusive_prepare(struct attempt *a)
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

int sgang_exclusive_then(struct attempt *a)
{
	for (size_t i = 0; i < a->n_probed; i++) {
		struct probed *p = &a->probed[i];

		sgang_nodeset_destroy(p->then);
		p->then = NULL;
		if ((!p->clear_at && !a->aside) || !p->ever)
			continue;
		p->then = sgang_nodeset_copy(p->ever);
		if (!p->then)
			return -1;
		for (uint32_t n = 0; n < a->c->host->nodes.count(); n++) {
			if ((p->clear_at && p->clear_at[n] > a->at) ||
			    (a->aside && a->aside[n] > a->at))
				sgang_nodeset_remove(p->then, n);
		}
	}
	return 0;
}

struct sgang_nodeset *sgang_exclusive_around(struct sgang_conductor *c,
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
		sgang_fabric_widen(g->topology->fabric, nodes, (uint32_t)level,
				   around);
	return around;
}
