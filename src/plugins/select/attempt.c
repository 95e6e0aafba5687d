/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attempt.c - one transaction for a gang: probe, plan, commit or roll back */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"
#include "faults.h"
#include "plugins/log.h"

/* ---- choosing members ---- */

/* All eligible members whose probe went well, at most `total` of them. */
static int choose_parts(struct attempt *a)
{
	struct gang *g = a->g;
	size_t n = 0, most = g->only_min ? g->tally.min_member : g->tally.total;

	a->parts = calloc(g->tally.eligible, sizeof(*a->parts));
	if (!a->parts)
		return -1;
	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = &g->entries[i];

		if (!a->of_entry[i] || !a->of_entry[i]->usable)
			continue;
		for (uint32_t t = 0; t < e->m.tasks; t++) {
			a->parts[n].entry = e;
			a->parts[n].probed = a->of_entry[i];
			a->parts[n++].copy = t;
		}
	}
	qsort(a->parts, n, sizeof(*a->parts), sgang_fit_choose_order);
	g->only_min = false;
	a->n_parts = (n < most) ? n : most;
	return 0;
}

/* ---- probe ---- */

static void probe_one(struct attempt *a, struct sgang_job *job,
		      struct probed *p)
{
	const struct sgang_host *h = a->c->host;
	struct sgang_nodeset *usable;

	p->job = job;
	usable = sgang_nodeset_create(h->node_count());
	p->ever = sgang_nodeset_create(h->node_count());
	if (!usable || !p->ever) {
		snprintf(a->g->why, sizeof(a->g->why), "no memory");
		goto fail;
	}
	if (h->probe(job, usable, p->ever, &p->shape, a->g->why,
		     sizeof(a->g->why)) < 0)
		goto fail;
	if (a->g->limit)
		sgang_nodeset_and(usable, a->g->limit);
	p->fixed = p->shape.whole ||
		   p->shape.min_nodes == p->shape.max_nodes ||
		   p->shape.total_cpus <= 1;
	p->usable = usable;
	return;
fail:
	sgang_nodeset_destroy(usable);
}

/* The members of a gang are mostly alike: one question answers for all that ask
 * for the same. What only shows with the second of them, a limit on the number
 * of jobs, commit finds out. */
static struct probed *probe_like(struct attempt *a, struct sgang_job *job)
{
	const struct sgang_host *h = a->c->host;
	struct probed *p;

	for (size_t i = 0; i < a->n_probed; i++) {
		p = &a->probed[i];
		if (h->same_request(p->job, job))
			return p;
	}
	p = &a->probed[a->n_probed++];
	probe_one(a, job, p);
	return p;
}

static void probe_all(struct attempt *a)
{
	struct gang *g = a->g;

	a->c->host->refresh();
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct sgang_member *m = &g->entries[i].m;

		if (m->state == SGANG_MEMBER_PENDING && m->eligible)
			a->of_entry[i] = probe_like(a, g->entries[i].job);
	}
}

/* ---- commit ---- */

static void planned_nodes(const struct attempt *a, size_t part,
			  struct sgang_nodeset *nodes)
{
	sgang_nodeset_clear(nodes);
	for (size_t r = 0; r < a->plan->n_runs; r++) {
		if (a->plan->runs[r].member == part)
			sgang_nodeset_add(nodes, a->plan->runs[r].node);
	}
}

/* The plan counts free slots; cores, memory and GRES are Slurm's to judge. When
 * it refuses the planned nodes, it may take others that no later member is
 * planned on, then any. */
static struct sgang_job *commit_one(struct attempt *a, size_t i)
{
	const struct sgang_host *h = a->c->host;
	struct part *part = &a->parts[i];
	struct sgang_nodeset *nodes, *others = NULL;
	struct sgang_job *job = NULL;
	char why[sizeof(a->g->why)] = "no memory";

	nodes = sgang_nodeset_create(h->node_count());
	if (!nodes)
		goto out;
	/* Of an array the record that holds the rest keeps the id. */
	part->job = h->find(part->entry->job_id);
	if (!part->job) {
		snprintf(why, sizeof(why), "it is gone");
		goto out;
	}
	planned_nodes(a, i, nodes);
	job = h->commit(part->job, nodes, why, sizeof(why));
	if (job)
		goto out;
	others = sgang_nodeset_copy(part->probed->usable);
	if (!others)
		goto out;
	for (size_t j = i + 1; j < a->n_parts; j++) {
		planned_nodes(a, j, nodes);
		sgang_nodeset_subtract(others, nodes);
	}
	job = h->commit(part->job, others, why, sizeof(why));
	if (!job)
		job = h->commit(part->job, part->probed->usable, why,
				sizeof(why));
out:
	if (!job)
		snprintf(a->g->why, sizeof(a->g->why), "%s",  why);
	sgang_nodeset_destroy(nodes);
	sgang_nodeset_destroy(others);
	return job;
}

static void undo_parts(struct attempt *a, size_t n)
{
	while (n-- > 0)
		a->c->host->undo(a->parts[n].job);
}

static int commit(struct attempt *a)
{
	struct gang *g = a->g;

	for (size_t i = 0; i < a->n_parts; i++) {
		struct sgang_job *job = NULL;

		if (sgang_fault("commit", i + 1))
			snprintf(g->why, sizeof(g->why), "injected failure");
		else
			job = commit_one(a, i);
		if (!job) {
			sgang_log(SGANG_LOG_INFO,
				  "%s/%s: member %zu of %zu cannot start (%s): %zu rolled back, %zu not tried",
				  g->ns, g->name, i + 1, a->n_parts, g->why, i,
				  a->n_parts - i - 1);
			undo_parts(a, i);
			return -1;
		}
		a->parts[i].job = job;
	}
	return 0;
}

/* ---- the transaction ---- */

static int keep_holds(struct attempt *a)
{
	struct gang *g = a->g;
	struct hold *holds = calloc(a->n_parts, sizeof(*holds));
	uint64_t best = sgang_fit_best_cost(a);
	struct sgang_job_info info;

	if (!holds)
		return -1;
	for (size_t i = 0; i < a->n_parts; i++) {
		a->c->host->info(a->parts[i].job, &info);
		holds[i].job_id = info.job_id;
		holds[i].record.ring_best = best;
	}
	free(g->holds);
	g->holds = holds;
	g->n_holds = a->n_parts;
	g->holds_saved = false;
	return 0;
}

/* How many nodes the parts need if each takes whole ones, else 0. */
static uint32_t whole_nodes(const struct attempt *a)
{
	uint32_t nodes = 0;

	for (size_t i = 0; i < a->n_parts; i++) {
		if (!a->parts[i].probed->shape.whole)
			return 0;
		nodes += a->parts[i].probed->shape.min_nodes;
	}
	return nodes;
}

static void transact(struct attempt *a)
{
	struct gang *g = a->g;

	g->why[0] = '\0';
	g->joint_start = 0;
	g->whole_nodes = 0;
	probe_all(a);
	if (choose_parts(a) < 0) {
		snprintf(g->why, sizeof(g->why), "no memory");
		return;
	}
	if (a->n_parts < g->tally.min_member)
		return;		/* the probe said why */
	if (sgang_fit(a) < 0) {
		g->joint_start = sgang_fit_when(a);
		g->whole_nodes = whole_nodes(a);
		return;
	}
	if (commit(a) < 0) {
		/* Slurm knows of more than the plan, such as licences. */
		g->only_min = a->n_parts > g->tally.min_member;
		a->c->fenced |= g->only_min;	/* wake the scheduler */
		return;
	}
	if (keep_holds(a) < 0) {
		undo_parts(a, a->n_parts);
		snprintf(g->why, sizeof(g->why), "no memory");
		return;
	}
	a->c->changed = true;
	if (sgang_describe_holds(a->c, g, a->plan) < 0) {
		sgang_attempt_rollback(a->c, g);
		g->stale = true;
		snprintf(g->why, sizeof(g->why), "no memory");
	}
}

void sgang_attempt(struct sgang_conductor *c, struct gang *g)
{
	struct attempt a = { .c = c, .g = g };

	g->attempts++;
	a.probed = calloc(g->n_entries, sizeof(*a.probed));
	a.of_entry = calloc(g->n_entries, sizeof(*a.of_entry));
	if (a.probed && a.of_entry)
		transact(&a);
	else
		snprintf(g->why, sizeof(g->why), "no memory");
	/* What has not been tried yet need not wait for a change. */
	g->failed = !g->n_holds && !g->only_min;
	g->failed_stamp = c->host->stamp();
	g->failed_time = c->host->now();
	for (size_t i = 0; i < a.n_probed; i++) {
		sgang_nodeset_destroy(a.probed[i].usable);
		sgang_nodeset_destroy(a.probed[i].ever);
		sgang_nodeset_destroy(a.probed[i].allowed);
	}
	free(a.probed);
	free(a.of_entry);
	free(a.parts);
	sgang_placement_destroy(a.plan);
}

void sgang_attempt_rollback(struct sgang_conductor *c, struct gang *g)
{
	for (size_t i = g->n_holds; i-- > 0; ) {
		struct sgang_job *job = c->host->find(g->holds[i].job_id);

		if (job)
			c->host->undo(job);
	}
	g->n_holds = 0;
	g->holds_saved = false;
	c->changed = true;
}
