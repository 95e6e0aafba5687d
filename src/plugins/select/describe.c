/* SPDX-License-Identifier: GPL-2.0-or-later */
/* describe.c - what held members are told: SLURM_GANG_* and their record */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"
#include "plugins/log.h"

/* The ring as it really is: each member's nodes in the planned order if they
 * are the planned ones, else in fabric order; its tasks spread evenly. */
struct layout {
	struct sgang_run *runs;
	size_t n, cap;
};

static int push_run(struct layout *l, uint32_t member, uint32_t node)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 64;
		struct sgang_run *more = realloc(l->runs,
						 cap * sizeof(*more));

		if (!more)
			return -1;
		l->runs = more;
		l->cap = cap;
	}
	l->runs[l->n++] = (struct sgang_run) { .member = member, .node = node };
	return 0;
}

static int push_planned(struct layout *l, const struct sgang_placement *plan,
			uint32_t member, struct sgang_nodeset *left)
{
	for (size_t r = 0; plan && r < plan->n_runs; r++) {
		const struct sgang_run *run = &plan->runs[r];

		if (run->member != member ||
		    !sgang_nodeset_has(left, run->node))
			continue;
		if (push_run(l, member, run->node) < 0)
			return -1;
		sgang_nodeset_remove(left, run->node);
	}
	return 0;
}

static int push_member(struct sgang_conductor *c, struct layout *l,
		       const struct sgang_placement *plan, uint32_t member,
		       struct sgang_job *job, uint32_t tasks)
{
	const uint32_t *order = sgang_fabric_order(c->fabric);
	uint32_t n_nodes = sgang_fabric_nodes(c->fabric);
	struct sgang_nodeset *left = sgang_nodeset_create(n_nodes);
	size_t first = l->n, n;
	int rc = -1;

	if (!left)
		return -1;
	c->host->nodes(job, left);
	if (push_planned(l, plan, member, left) < 0)
		goto out;
	for (uint32_t pos = 0; pos < n_nodes; pos++) {
		if (sgang_nodeset_has(left, order[pos]) &&
		    push_run(l, member, order[pos]) < 0)
			goto out;
	}
	n = l->n - first;
	for (size_t i = 0; i < n; i++) {
		l->runs[first + i].ranks = tasks / n + (i < tasks % n);
		if (!l->runs[first + i].ranks)
			l->runs[first + i].ranks = 1;
	}
	rc = 0;
out:
	sgang_nodeset_destroy(left);
	return rc;
}

/* An environment string beyond this would make execve() fail (the kernel's
 * MAX_ARG_STRLEN is 128 KiB). */
#define ENV_MAX 120000

static void set_text(const struct sgang_host *h, struct sgang_job *job,
		     const char *name, const char *text)
{
	if (strlen(text) < ENV_MAX)
		h->setenv(job, name, text);
	else
		sgang_log(SGANG_LOG_INFO, "%s is too long and is left out",
			  name);
}

static void set_number(const struct sgang_host *h, struct sgang_job *job,
		       const char *name, uint64_t value)
{
	char buf[24];

	snprintf(buf, sizeof(buf), "%llu", (unsigned long long) value);
	h->setenv(job, name, buf);
}

static int describe_one(struct sgang_conductor *c, const struct gang *g,
			const struct hold *hold, const char *ids,
			const char *nodelist, const char *head)
{
	const struct sgang_host *h = c->host;
	const struct sgang_record *r = &hold->record;
	struct sgang_job *job = h->find(hold->job_id);

	if (!job)
		return 0;
	h->setenv(job, "SLURM_GANG_NAME", g->name);
	h->setenv(job, "SLURM_GANG_NAMESPACE", g->ns);
	set_text(h, job, "SLURM_GANG_JOB_IDS", ids);
	set_number(h, job, "SLURM_GANG_MEMBERS", r->members);
	set_number(h, job, "SLURM_GANG_MEMBER_RANK", r->member_rank);
	set_text(h, job, "SLURM_GANG_NODELIST", nodelist);
	h->setenv(job, "SLURM_GANG_HEAD_NODE", head);
	set_number(h, job, "SLURM_GANG_RANK_OFFSET", r->rank_offset);
	set_number(h, job, "SLURM_GANG_RANKS", r->ranks);
	set_number(h, job, "SLURM_GANG_RING_COST", r->ring_cost);
	set_number(h, job, "SLURM_GANG_RING_COST_BEST", r->ring_best);
	set_number(h, job, "SLURM_GANG_CROSS_LINKS", r->cross_links);
	h->setenv(job, "SLURM_GANG_TIER", r->tier);
	return sgang_show_write(c, job, r);
}

static void fill_records(struct sgang_conductor *c, struct gang *g,
			 const struct layout *l,
			 const struct sgang_placement *plan)
{
	struct sgang_ring ring;
	uint64_t offset = 0;
	size_t run = 0;

	/* Proved optimal only where the members got what was planned. */
	sgang_ring_measure(c->fabric, &c->conf.costs, l->runs, l->n, &ring);
	for (size_t i = 0; i < g->n_holds; i++) {
		struct sgang_record *r = &g->holds[i].record;

		sgang_show_fill(g, r);
		r->phase = SGANG_PHASE_STARTING;
		r->round = g->attempts;
		r->placed = true;
		r->exact = plan && plan->exact && ring.cost <= plan->ring.cost;
		r->member_rank = (uint32_t) i;
		r->members = (uint32_t) g->n_holds;
		r->rank_offset = offset;
		r->ranks = ring.ranks;
		r->ring_cost = ring.cost;
		/* That one is not always proved to be the best. */
		if (r->ring_best > ring.cost)
			r->ring_best = ring.cost;
		r->cross_links = ring.cross_links;
		strncpy(r->tier, c->conf.costs.name[ring.tier],
			sizeof(r->tier) - 1);
		for (; run < l->n && l->runs[run].member == i; run++)
			offset += l->runs[run].ranks;
	}
}

/* "11,12,13" and "n1,n2,...": strings the caller frees, or NULL. */
static char *join_ids(const struct gang *g)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (size_t i = 0; i < g->n_holds; i++)
		fprintf(f, "%s%u", i ? "," : "", g->holds[i].job_id);
	return (fclose(f) == 0) ? text : NULL;
}

static char *join_nodes(const struct sgang_fabric *fabric,
			const struct layout *l)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (size_t r = 0; r < l->n; r++)
		fprintf(f, "%s%s", r ? "," : "",
			sgang_fabric_node_name(fabric, l->runs[r].node));
	return (fclose(f) == 0) ? text : NULL;
}

static int lay_out(struct sgang_conductor *c, const struct gang *g,
		   const struct sgang_placement *plan, struct layout *l)
{
	for (size_t i = 0; i < g->n_holds; i++) {
		struct sgang_job *job = c->host->find(g->holds[i].job_id);
		struct sgang_job_info info;

		if (!job)
			continue;
		c->host->info(job, &info);
		if (push_member(c, l, plan, (uint32_t) i, job, info.ranks) < 0)
			return -1;
	}
	return 0;
}

int sgang_describe_holds(struct sgang_conductor *c, struct gang *g,
			   const struct sgang_placement *plan)
{
	struct layout l = { 0 };
	char *ids, *nodes = NULL;
	const char *head = "";
	int rc = -1;

	if (!c->fabric) {
		g->described = true;	/* what was said before stays */
		return 0;
	}
	ids = join_ids(g);
	if (lay_out(c, g, plan, &l) == 0)
		nodes = join_nodes(c->fabric, &l);
	if (!ids || !nodes) {
		sgang_log(SGANG_LOG_ERROR,
			  "%s/%s: no memory for SLURM_GANG_*", g->ns, g->name);
		goto out;
	}
	if (l.n)
		head = sgang_fabric_node_name(c->fabric, l.runs[0].node);
	fill_records(c, g, &l, plan);
	rc = 0;
	for (size_t i = 0; i < g->n_holds && rc == 0; i++)
		rc = describe_one(c, g, &g->holds[i], ids, nodes, head);
	g->described = rc == 0;
out:
	free(l.runs);
	free(ids);
	free(nodes);
	return rc;
}
