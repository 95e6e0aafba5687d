/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attempt.c - one transaction for a gang: probe, plan, commit or roll back */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"
#include "faults.h"
#include "plugins/log.h"

/* One member that the attempt wants to start; the tasks of a job array are one
 * part each and share what was found out about their common record. */
struct part {
	struct entry *entry;
	struct probed *probed;
	uint32_t copy;			/* which of the record's tasks */
	struct sgang_job *job;		/* who got the nodes, once committed */
};

/* What is known of a request; members that ask for the same share it. */
struct probed {
	struct sgang_job *job;		/* the one that was asked for */
	struct sgang_nodeset *usable;	/* NULL: it cannot start now */
	struct sgang_shape shape;
	bool fixed;			/* the number of nodes is */
	struct sgang_nodeset *allowed;	/* for the plan, see fill_cpus() */
};

struct attempt {
	struct sgang_conductor *c;
	struct gang *g;
	struct probed *probed;		/* the different requests */
	size_t n_probed;
	struct probed **of_entry;	/* which of them, by entry; or NULL */
	struct part *parts;
	size_t n_parts;
	struct sgang_placement *plan;
};

/* ---- choosing members ---- */

/* Who goes first into an attempt that cannot take all: priority, then order of
 * submission. */
static int choose_order(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	const struct sgang_member *mx = &x->entry->m, *my = &y->entry->m;

	if (mx->priority != my->priority)
		return (mx->priority > my->priority) ? -1 : 1;
	if (mx->submit_time != my->submit_time)
		return (mx->submit_time < my->submit_time) ? -1 : 1;
	if (x->entry != y->entry)
		return (mx->job_id != my->job_id) ?
			((mx->job_id < my->job_id) ? -1 : 1) :
			((mx->task_id < my->task_id) ? -1 : 1);
	return (x->copy < y->copy) ? -1 : (x->copy > y->copy);
}

static int ring_order(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->entry == y->entry)
		return (x->copy < y->copy) ? -1 : (x->copy > y->copy);
	return sgang_gang_ring_order(&x->entry->m, &y->entry->m);
}

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
	qsort(a->parts, n, sizeof(*a->parts), choose_order);
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
	if (!usable) {
		snprintf(a->g->why, sizeof(a->g->why), "no memory");
		return;
	}
	if (h->probe(job, usable, &p->shape, a->g->why,
		     sizeof(a->g->why)) < 0) {
		sgang_nodeset_destroy(usable);
		return;
	}
	if (a->g->limit)
		sgang_nodeset_and(usable, a->g->limit);
	p->fixed = p->shape.whole ||
		   p->shape.min_nodes == p->shape.max_nodes ||
		   p->shape.total_cpus <= 1;
	p->usable = usable;
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

/* ---- plan ---- */

/* Members that need the same on each of a fixed number of nodes are counted in
 * pieces of that size, which covers memory and GRES as well. A mixture is
 * counted in CPUs; what that overlooks, commit finds out. */
static bool uniform(const struct attempt *a)
{
	const struct sgang_host *h = a->c->host;

	for (size_t i = 0; i < a->n_probed; i++) {
		if (!a->probed[i].usable)
			continue;
		if (!a->probed[i].fixed ||
		    !h->same_units(a->parts[0].probed->job, a->probed[i].job))
			return false;
	}
	return true;
}

static uint32_t ranks_per_unit(const struct sgang_shape *shape)
{
	uint32_t ranks = shape->tasks / shape->min_nodes;

	return ranks ? ranks : 1;
}

struct slots {
	uint32_t *free, *total, *scratch;
	struct sgang_plan_member *members;
	struct sgang_nodeset *everywhere;	/* what any member could have */
};

static void slots_free(struct slots *s)
{
	free(s->free);
	free(s->total);
	free(s->scratch);
	free(s->members);
	sgang_nodeset_destroy(s->everywhere);
}

static int slots_alloc(struct slots *s, uint32_t n_nodes, size_t n_parts)
{
	memset(s, 0, sizeof(*s));
	s->free = calloc(n_nodes + 1, sizeof(*s->free));
	s->total = calloc(n_nodes + 1, sizeof(*s->total));
	s->scratch = calloc(n_nodes + 1, sizeof(*s->scratch));
	s->members = calloc(n_parts, sizeof(*s->members));
	s->everywhere = sgang_nodeset_create(n_nodes);
	return (s->free && s->total && s->scratch && s->members &&
		s->everywhere) ? 0 : -1;
}

static void raise_to(uint32_t *into, const uint32_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (from[i] > into[i])
			into[i] = from[i];
	}
}

/* Slots are pieces of the members' common size. */
static void fill_units(struct attempt *a, struct slots *s, bool empty)
{
	const struct sgang_host *h = a->c->host;
	const struct probed *first = a->parts[0].probed;
	uint32_t n_nodes = h->node_count();

	for (size_t i = 0; i < a->n_parts; i++) {
		const struct probed *p = a->parts[i].probed;

		s->members[i] = (struct sgang_plan_member) {
			.units = p->shape.min_nodes,
			.slots = 1,
			.ranks = ranks_per_unit(&p->shape),
			.distinct = true,
			.allowed = empty ? s->everywhere : p->usable,
		};
	}
	h->units(first->job, &first->shape, s->everywhere, true, s->total);
	if (empty)
		memcpy(s->free, s->total, n_nodes * sizeof(*s->free));
	else
		h->units(first->job, &first->shape, s->everywhere, false,
			 s->free);
}

/* A node counts for a request only if one piece of it fits there. */
static int fill_allowed(struct attempt *a, struct probed *p, struct slots *s,
			bool empty)
{
	const struct sgang_host *h = a->c->host;
	const struct sgang_nodeset *from = empty ? s->everywhere : p->usable;
	uint32_t n_nodes = h->node_count();

	sgang_nodeset_destroy(p->allowed);
	p->allowed = sgang_nodeset_copy(from);
	if (!p->allowed)
		return -1;
	h->units(p->job, &p->shape, from, empty, s->scratch);
	for (uint32_t n = 0; n < n_nodes; n++) {
		if (!s->scratch[n])
			sgang_nodeset_remove(p->allowed, n);
	}
	h->cpus(p->job, &p->shape, from, true, s->scratch);
	raise_to(s->total, s->scratch, n_nodes);
	if (!empty)
		h->cpus(p->job, &p->shape, from, false, s->scratch);
	raise_to(s->free, s->scratch, n_nodes);
	return 0;
}

/* A member whose number of nodes is open is counted in tasks on any nodes; in
 * single CPUs where these cannot be shared out evenly. */
static uint32_t task_cpus(const struct sgang_shape *shape)
{
	return (shape->total_cpus % shape->tasks) ? 1 :
	       shape->total_cpus / shape->tasks;
}

/* Slots are CPUs. */
static int fill_cpus(struct attempt *a, struct slots *s, bool empty)
{
	for (size_t i = 0; i < a->n_probed; i++) {
		if (a->probed[i].usable &&
		    fill_allowed(a, &a->probed[i], s, empty) < 0)
			return -1;
	}
	for (size_t i = 0; i < a->n_parts; i++) {
		const struct probed *p = a->parts[i].probed;
		const struct sgang_shape *shape = &p->shape;

		s->members[i] = (struct sgang_plan_member) {
			.units = p->fixed ? shape->min_nodes :
				 shape->total_cpus / task_cpus(shape),
			.slots = shape->whole ? 0 :
				 p->fixed ? shape->node_cpus :
					    task_cpus(shape),
			.ranks = p->fixed ? ranks_per_unit(shape) : 1,
			.distinct = p->fixed,
			.allowed = p->allowed,
		};
	}
	return 0;
}

/* Plan for the parts as they stand: on the nodes that are free, or on an empty
 * cluster. Returns as sgang_plan(). */
static int plan_parts(struct attempt *a, bool empty,
		      struct sgang_placement **plan, struct sgang_nofit *nofit)
{
	struct sgang_conductor *c = a->c;
	struct gang *g = a->g;
	struct sgang_plan_request rq = {
		.fabric = c->fabric,
		.costs = &c->conf.costs,
		.n_members = a->n_parts,
		.max_level = SGANG_LEVEL_UNCONNECTED,
	};
	struct sgang_error err = { "" };
	struct slots s;
	int rc = -1;

	if (g->tally.spec.topo == SGANG_TOPO_REQUIRE) {
		int level = sgang_costs_level(rq.costs, g->tally.spec.level);

		if (level < 0) {
			snprintf(nofit->text, sizeof(nofit->text),
				 "no level is called %s", g->tally.spec.level);
			return 0;
		}
		rq.max_level = (uint32_t) level;
	}
	if (slots_alloc(&s, c->host->node_count(), a->n_parts) < 0)
		goto out;
	for (size_t i = 0; i < a->n_probed; i++) {
		if (!a->probed[i].usable)
			continue;
		if (empty)
			c->host->partition(a->probed[i].job, s.everywhere);
		else
			sgang_nodeset_or(s.everywhere, a->probed[i].usable);
	}
	if (uniform(a))
		fill_units(a, &s, empty);
	else if (fill_cpus(a, &s, empty) < 0)
		goto out;
	rq.free = s.free;
	rq.total = s.total;
	rq.members = s.members;
	rc = sgang_plan(&rq, plan, nofit, &err);
out:
	slots_free(&s);
	if (rc < 0)
		snprintf(nofit->text, sizeof(nofit->text), "%.*s",
			 (int) sizeof(nofit->text) - 1,
			 err.text[0] ? err.text : "no memory");
	return rc;
}

/* All that are there, or if they do not fit, as many as it takes. */
static int plan(struct attempt *a)
{
	struct gang *g = a->g;
	struct sgang_nofit nofit = { .text = "" };
	int rc;

	qsort(a->parts, a->n_parts, sizeof(*a->parts), ring_order);
	rc = plan_parts(a, false, &a->plan, &nofit);
	if (rc == 0 && a->n_parts > g->tally.min_member) {
		qsort(a->parts, a->n_parts, sizeof(*a->parts), choose_order);
		a->n_parts = g->tally.min_member;
		qsort(a->parts, a->n_parts, sizeof(*a->parts), ring_order);
		rc = plan_parts(a, false, &a->plan, &nofit);
	}
	if (rc == 1)
		return 0;
	snprintf(g->why, sizeof(g->why), "%s", nofit.text);
	return -1;
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

/* ---- what the members are told ---- */

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
	struct sgang_job_info info;
	char *text;

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
	h->info(job, &info);
	text = sgang_record_format(r, info.comment);
	if (!text)
		return -1;
	h->comment(job, text);
	free(text);
	return 0;
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

		strcpy(r->ns, g->ns);
		strcpy(r->name, g->name);
		r->phase = SGANG_PHASE_STARTING;
		r->min_member = g->tally.min_member;
		r->total = g->tally.total;
		r->attempts = g->attempts;
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

int sgang_attempt_describe(struct sgang_conductor *c, struct gang *g,
			   const struct sgang_placement *plan)
{
	struct layout l = { 0 };
	char *ids, *nodes = NULL;
	const char *head = "";
	int rc = -1;

	if (!c->fabric)
		return 0;	/* what was said before stays */
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
out:
	free(l.runs);
	free(ids);
	free(nodes);
	return rc;
}

/* ---- the transaction ---- */

/* What the same members would cost on an empty cluster; 0 when even that does
 * not fit. */
static uint64_t best_cost(struct attempt *a)
{
	struct sgang_placement *best = NULL;
	struct sgang_nofit nofit;
	uint64_t cost = 0;

	if (plan_parts(a, true, &best, &nofit) == 1)
		cost = best->ring.cost;
	sgang_placement_destroy(best);
	return cost;
}

static int keep_holds(struct attempt *a)
{
	struct gang *g = a->g;
	struct hold *holds = calloc(a->n_parts, sizeof(*holds));
	uint64_t best = best_cost(a);
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

static void transact(struct attempt *a)
{
	struct gang *g = a->g;

	g->why[0] = '\0';
	probe_all(a);
	if (choose_parts(a) < 0) {
		snprintf(g->why, sizeof(g->why), "no memory");
		return;
	}
	if (a->n_parts < g->tally.min_member)
		return;		/* the probe said why */
	if (plan(a) < 0)
		return;
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
	if (sgang_attempt_describe(a->c, g, a->plan) < 0) {
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
