/* SPDX-License-Identifier: GPL-2.0-or-later */
/* never.c - gangs that cannot start even if no other job ran
 *
 * Such a gang is parked, so it has no turn, no fence and no kept nodes, and
 * delays no job. Before its first turn a cheap count decides
 * (core/plan/never.h), after an attempt that no end of jobs would help a plan
 * on the empty cluster. The decision is repeated when the gang or the nodes
 * have changed, and from time to time, because limits and reservations change
 * with the clock.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"
#include "core/gang/lists.h"
#include "core/plan/never.h"
#include "plugins/log.h"

#define AGAIN_SECONDS 30

/* A pass judges no gang but the first after this time (microseconds). */
#define JUDGE_BUDGET 5000

/* The request of a pending member, with all nodes of its partitions. NULL
 * without memory. */
static struct probed *request_of(struct attempt *a, struct gang *g,
				 struct entry *e)
{
	const struct sgang_host *h = a->c->host;
	struct probed *p;

	for (size_t i = 0; i < a->n_probed; i++) {
		if (h->jobs.same_request(a->probed[i].job, e->job))
			return &a->probed[i];
	}
	p = &a->probed[a->n_probed++];
	p->g = g;
	p->job = e->job;
	h->jobs.shape(e->job, &p->shape);
	p->fixed = sgang_shape_fixed(&p->shape);
	/* the least of any shares, on each of its nodes */
	if (p->fixed && (p->shape.task_cpus || p->shape.job_gres))
		(void)h->jobs.least(e->job, &p->shape);
	p->usable = sgang_nodeset_create(h->nodes.count());
	if (!p->usable)
		return NULL;
	h->nodes.partition(e->job, p->usable);
	return p;
}

/* List all members that could be of the minimum, in take order, and the number
 * needed. False: their needs are not known. */
static bool list_members(struct attempt *a, struct gang *g, size_t *need)
{
	/* whichever groups start: not known */
	if (g->tally.roles.any)
		return false;
	*need = sgang_gang_missing(&g->tally);
	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];

		if (e->m.state != SGANG_MEMBER_PENDING || !e->m.eligible)
			continue;
		e->probed = request_of(a, g, e);
		if (!e->probed || !e->probed->fixed)
			return false;
		sgang_fit_add(a, 0, e);
	}
	qsort(a->parts, a->n_parts, sizeof(*a->parts), sgang_fit_take_order);
	return *need && a->n_parts >= *need;
}

/* ---- whichever members start ---- */

/* Each kind has members that --gang-order puts into the minimum, and others, of
 * which 'spare' may be left out. Leaves in 'kinds' the members of every choice.
 * Returns their number. */
static uint64_t keep_certain(struct sgang_never_kind *kinds,
			     const uint32_t *first, size_t n, uint64_t spare)
{
	uint64_t certain = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t others = kinds[i].members - first[i];

		kinds[i].members = first[i] +
				   (others > spare ? others - (uint32_t)spare :
						     0);
		certain += kinds[i].members;
	}
	return certain;
}

/* The rest of the minimum may be any members, anywhere. */
static void add_others(struct sgang_never_kind *kind, uint32_t others,
		       uint32_t *fit, uint32_t n_nodes)
{
	for (uint32_t i = 0; i < n_nodes; i++)
		fit[i] = others;
	*kind = (struct sgang_never_kind){
		.members = others,
		.units = 1,
		.fit = fit,
	};
}

static void fill_kinds(struct attempt *a, struct sgang_never_kind *kinds,
		       uint32_t *fit, uint32_t *first, size_t need)
{
	size_t n_first = sgang_which_first(a->parts, a->n_parts, need);
	const struct sgang_host *h = a->c->host;
	uint32_t n_nodes = h->nodes.count();

	for (size_t i = 0; i < a->n_probed; i++) {
		struct probed *p = &a->probed[i];

		h->nodes.units(p->job, &p->shape, p->usable, true,
			       fit + i * n_nodes);
		kinds[i] = (struct sgang_never_kind){
			.units = p->shape.min_nodes,
			.whole = p->shape.whole,
			.fit = fit + i * n_nodes,
		};
	}
	for (size_t i = 0; i < a->n_parts; i++) {
		size_t kind = (size_t)(a->parts[i].probed - a->probed);

		kinds[kind].members++;
		first[kind] += i < n_first;
	}
}

static bool count_fails(struct attempt *a, struct gang *g, size_t need)
{
	const struct sgang_fabric *fabric = a->topology->fabric;
	uint32_t n_nodes = a->c->host->nodes.count();
	size_t n = a->n_probed;
	struct sgang_never_kind *kinds = calloc(n + 1, sizeof(*kinds));
	uint32_t *fit = calloc((n + 1) * n_nodes + 1, sizeof(*fit));
	uint32_t *first = calloc(n + 1, sizeof(*first));
	struct sgang_policy policy;
	uint64_t certain;
	bool never = false;

	if (!kinds || !fit || !first)
		goto out;
	fill_kinds(a, kinds, fit, first, need);
	certain = keep_certain(kinds, first, n, a->n_parts - need);
	if (certain < need)
		add_others(&kinds[n], (uint32_t)(need - certain),
			   fit + n * n_nodes, n_nodes);
	sgang_spec_policy(&g->tally.spec, &policy);
	never = sgang_never(fabric, &a->c->conf.costs, kinds,
			    n + (certain < need),
			    sgang_levels_find(a->c, policy.require),
			    sgang_levels_find(a->c, policy.spread),
			    g->attempt.why, sizeof(g->attempt.why));
out:
	free(kinds);
	free(fit);
	free(first);
	return never;
}

/* Cheap: without a probe or a plan. */
static bool fails_by_count(struct sgang_conductor *c, struct gang *g)
{
	struct attempt a;
	bool never = false;
	size_t need;

	if (sgang_probe_open(&a, c, &g, 1) == 0 && list_members(&a, g, &need))
		never = count_fails(&a, g, need);
	if (never)
		sgang_lists_write_help(SGANG_HELP_NEVER, 0, NULL,
				       g->attempt.helps);
	sgang_probe_close(&a);
	return never;
}

/* By a plan, of all its group. */
static bool fails_by_plan(struct sgang_conductor *c, struct gang *g)
{
	struct sgang_nodeset *all =
		sgang_nodeset_create(c->host->nodes.count());
	struct gang *alone, **group;
	bool never = false;
	size_t n;

	group = sgang_group_of(g, &alone, &n);
	if (all) {
		sgang_nodeset_fill(all);
		never = !sgang_probe_could(c, group, n, all);
	}
	sgang_nodeset_destroy(all);
	return never;
}

static void note(struct sgang_conductor *c, struct gang *g, bool never)
{
	if (never && !g->never.starts)
		sgang_log(SGANG_LOG_INFO, "%s/%s: cannot start: %s", g->ns,
			  g->name, g->attempt.why);
	if (!never && g->never.starts) {
		g->attempt.why[0] = '\0';
		g->attempt.helps[0] = '\0';
		g->attempt.failed = false;
		c->wake_scheduler = true;
	}
	g->never.starts = never;
	g->never.judged_of = g->requests;
	g->never.judged_supply = c->host->supply();
	g->never.judged_time = c->host->now();
}

bool sgang_never_by_plan(struct sgang_conductor *c, struct gang *g)
{
	g->never.by_plan = fails_by_plan(c, g);
	g->never.planned_of = g->requests;
	g->never.planned_supply = c->host->supply();
	if (g->never.by_plan && !g->attempt.why[0])
		snprintf(g->attempt.why, sizeof(g->attempt.why),
			 "it does not fit, even if no other job ran");
	note(c, g, g->never.by_plan);
	return g->never.starts;
}

/* True if the gang or the nodes have changed. */
static bool is_due(const struct sgang_conductor *c, const struct gang *g)
{
	return g->never.judged_of != g->requests ||
	       g->never.judged_supply != c->host->supply() ||
	       (g->never.starts &&
		c->host->now() - g->never.judged_time >= AGAIN_SECONDS);
}

static bool may_be_judged(const struct sgang_conductor *c, const struct gang *g)
{
	return c->fabric && !g->stale && !g->hold.n && !g->tally.held &&
	       sgang_gang_may_try(&g->tally) &&
	       sgang_group_complete(g, NULL, 0);
}

void sgang_never_check_all(struct sgang_conductor *c)
{
	uint64_t begun = c->host->clock_us();

	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!may_be_judged(c, g)) {
			g->never.starts = g->never.starts && !g->hold.n;
			continue;
		}
		if (!is_due(c, g))
			continue;
		if (c->host->clock_us() - begun > JUDGE_BUDGET) {
			sgang_conductor_poke(c);
			return;
		}
		if (g->never.judged_of != g->requests)
			g->never.by_plan = false;
		if (fails_by_count(c, g))
			note(c, g, true);
		else if (g->never.by_plan)
			(void)sgang_never_by_plan(c, g);
		else
			note(c, g, false);
	}
}

void sgang_never_after(struct sgang_conductor *c, struct gang *g)
{
	if (g->attempt.failed && g->joint.start == INT64_MAX && !g->limited &&
	    !sgang_branches_grow(g) && may_be_judged(c, g) &&
	    (g->never.planned_of != g->requests ||
	     g->never.planned_supply != c->host->supply()))
		(void)sgang_never_by_plan(c, g);
}

bool sgang_never_any(const struct gang *g)
{
	bool never = g->never.starts;

	for (size_t i = 0; i < g->group.n && !never; i++)
		never = g->group.gangs[i]->never.starts;
	return never;
}

/* ---- before they are submitted ---- */

/* A gang with more members is judged by counting alone. */
#define PLANNED_PARTS 128

/* Steps of the plan (core/plan/plan.h). */
#define PLANNED_STEPS 200000

/* Add a request of a job. -1: its needs are not known, or no memory. */
static int add_request(struct attempt *a, struct sgang_job *job)
{
	const struct sgang_host *h = a->c->host;
	struct probed *p = &a->probed[a->n_probed++];

	p->g = a->gangs[0];
	p->job = job;
	p->fixed = true;
	p->usable = sgang_nodeset_create(h->nodes.count());
	p->ever = sgang_nodeset_create(h->nodes.count());
	if (!p->usable || !p->ever || !h->jobs.least(job, &p->shape))
		return -1;
	h->nodes.partition(job, p->usable);
	sgang_nodeset_or(p->ever, p->usable);
	return 0;
}

/* For a job before its submission not all fields that make requests equal are
 * known. */
static bool same_need(const struct attempt *a, const struct probed *x,
		      const struct probed *y)
{
	return x->shape.min_nodes == y->shape.min_nodes &&
	       x->shape.node_cpus == y->shape.node_cpus &&
	       x->shape.whole == y->shape.whole &&
	       sgang_nodeset_equal(x->ever, y->ever) &&
	       a->c->host->jobs.same_units(x->job, y->job);
}

/* Merge request 'draft' into an equal one. */
static void merge_draft(struct attempt *a, struct sgang_never_kind *kinds,
			uint32_t *first, size_t draft)
{
	size_t last = a->n_probed - 1, i = 0;

	while (i <= last &&
	       (i == draft || !same_need(a, &a->probed[i], &a->probed[draft])))
		i++;
	if (i > last)
		return;
	kinds[i].members += kinds[draft].members;
	first[i] += first[draft];
	sgang_probed_free(&a->probed[draft]);
	a->probed[draft] = a->probed[last];
	kinds[draft] = kinds[last];
	first[draft] = first[last];
	a->n_probed--;
}

/* Sort the members by request; -1 as above. */
static int sort_members(struct attempt *a, struct sgang_never_kind *kinds,
			uint32_t *first,
			const struct sgang_never_member *members, size_t n)
{
	size_t draft = SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		struct sgang_job *job = members[i].job;
		size_t k = 0;

		while (k < a->n_probed &&
		       (members[i].draft || k == draft ||
			!a->c->host->jobs.same_request(a->probed[k].job, job)))
			k++;
		if (k == a->n_probed && add_request(a, job) < 0)
			return -1;
		if (members[i].draft)
			draft = k;
		kinds[k].members += members[i].members;
		first[k] += members[i].first ? members[i].members : 0;
	}
	if (draft != SIZE_MAX)
		merge_draft(a, kinds, first, draft);
	return 0;
}

/* The topology of their common partition, else the cluster's. */
static const struct sgang_topology *topology_of(const struct attempt *a)
{
	const struct sgang_topologies *all = a->c->topologies;
	const struct sgang_topology *common = NULL, *own;
	char name[SGANG_TOPOLOGY_NAME];

	for (size_t i = 0; all->n > 1 && i < a->n_probed; i++) {
		a->c->host->nodes.topology(a->probed[i].job, name);
		own = sgang_topologies_find(all, name);
		if (common && common != own)
			return &all->topology[0];
		common = own;
	}
	return common ? common : &all->topology[0];
}

static bool kinds_fail(struct attempt *a, struct sgang_never_kind *kinds,
		       uint32_t others, char *why, size_t size)
{
	const struct sgang_conductor *c = a->c;
	const struct sgang_host *h = c->host;
	size_t n_nodes = h->nodes.count();
	struct sgang_policy policy;
	uint32_t *fit;
	bool never;

	fit = calloc((a->n_probed + 1) * n_nodes + 1, sizeof(*fit));
	if (!fit)
		return false;
	for (size_t i = 0; i < a->n_probed; i++) {
		const struct probed *p = &a->probed[i];

		h->nodes.units(p->job, &p->shape, p->ever, true,
			       fit + i * n_nodes);
		kinds[i].units = p->shape.min_nodes;
		kinds[i].whole = p->shape.whole;
		kinds[i].fit = fit + i * n_nodes;
	}
	add_others(&kinds[a->n_probed], others, fit + a->n_probed * n_nodes,
		   (uint32_t)n_nodes);
	sgang_spec_policy(&a->gangs[0]->tally.spec, &policy);
	never = sgang_never(a->topology->fabric, &c->conf.costs, kinds,
			    a->n_probed + (others != 0),
			    sgang_levels_find(c, policy.require),
			    sgang_levels_find(c, policy.spread), why, size);
	free(fit);
	return never;
}

/* ---- resources in any shares ---- */

/* The resources of the nodes of one kind of members, or of all. */
struct supply {
	struct sgang_resources resources;
	uint32_t *amounts; /* of the empty cluster, by node */
	uint64_t *takes;   /* by request and dimension */
	struct sgang_nodeset *nodes;
};

static int count_supply(struct attempt *a, struct supply *s)
{
	const struct sgang_host *h = a->c->host;
	struct sgang_asked *asked = calloc(a->n_probed + 1, sizeof(*asked));
	uint8_t *type = calloc(h->nodes.count() + 1, sizeof(*type));
	int rc = -1;

	if (!asked || !type)
		goto out;
	for (size_t i = 0; i < a->n_probed; i++)
		asked[i] = (struct sgang_asked){
			.job = a->probed[i].job,
			.shape = &a->probed[i].shape,
		};
	h->nodes.resources(asked, a->n_probed, &s->resources, type);
	s->nodes = sgang_nodeset_create(h->nodes.count());
	s->amounts = calloc((size_t)h->nodes.count() * s->resources.n_dims + 1,
			    sizeof(*s->amounts));
	s->takes = calloc(a->n_probed * s->resources.n_dims + 1,
			  sizeof(*s->takes));
	if (!s->nodes || !s->amounts || !s->takes)
		goto out;
	h->nodes.amounts(&s->resources, true, s->amounts);
	for (size_t i = 0; i < a->n_probed; i++)
		h->nodes.takes(a->probed[i].job, &s->resources,
			       s->takes + i * s->resources.n_dims);
	rc = 0;
out:
	free(asked);
	free(type);
	return rc;
}

/* True if the 'n' kinds from 'first' on take more than their nodes have. */
static bool too_little(const struct attempt *a, struct supply *s,
		       const struct sgang_never_kind *kinds, size_t first,
		       size_t n, char *why, size_t size)
{
	uint32_t n_dims = s->resources.n_dims;

	sgang_nodeset_clear(s->nodes);
	for (size_t i = first; i < first + n; i++)
		sgang_nodeset_or(s->nodes, a->probed[i].ever);
	for (uint32_t d = 0; d < n_dims; d++) {
		uint64_t taken = 0, have = 0;

		for (size_t i = first; i < first + n; i++)
			taken += kinds[i].members * s->takes[i * n_dims + d];
		for (uint32_t node = sgang_nodeset_next(s->nodes, 0);
		     node != SGANG_NODE_NONE && have < taken;
		     node = sgang_nodeset_next(s->nodes, node + 1))
			have += s->amounts[(size_t)node * n_dims + d];
		if (have >= taken)
			continue;
		snprintf(why, size,
			 "its members need %llu %s together, all "
			 "their nodes have %llu",
			 (unsigned long long)taken, s->resources.dim[d].name,
			 (unsigned long long)have);
		return true;
	}
	return false;
}

/* True if --gpus or --gpus-per-task ask for too much, even if each member has a
 * node. */
static bool supply_fails(struct attempt *a,
			 const struct sgang_never_kind *kinds, char *why,
			 size_t size)
{
	struct supply s = { .nodes = NULL };
	bool fails = false;

	if (count_supply(a, &s) == 0) {
		for (size_t i = 0; i < a->n_probed && !fails; i++)
			fails = too_little(a, &s, kinds, i, 1, why, size);
		fails = fails ||
			too_little(a, &s, kinds, 0, a->n_probed, why, size);
	}
	sgang_nodeset_destroy(s.nodes);
	free(s.amounts);
	free(s.takes);
	return fails;
}

/* ---- by a plan ---- */

/* True if a plan can prove more. For equal members the count is exact; for
 * islands and spread members a plan is no proof. */
static bool worth_a_plan(const struct attempt *a,
			 const struct sgang_never_kind *kinds)
{
	uint64_t n = 0;

	for (size_t i = 0; i < a->n_probed; i++)
		n += kinds[i].members;
	return a->n_probed > 1 && n <= PLANNED_PARTS && !a->c->devices &&
	       sgang_levels_spread(a) < 0;
}

static int add_parts(struct attempt *a, const struct sgang_never_kind *kinds)
{
	a->parts = calloc(PLANNED_PARTS, sizeof(*a->parts));
	a->free_at = calloc(a->c->host->nodes.count() + 1, sizeof(*a->free_at));
	if (!a->parts || !a->free_at)
		return -1;
	for (size_t i = 0; i < a->n_probed; i++) {
		for (uint32_t k = 0; k < kinds[i].members; k++)
			a->parts[a->n_parts++] = (struct part){
				.g = a->gangs[0],
				.probed = &a->probed[i],
			};
	}
	return 0;
}

static bool plan_fails(struct attempt *a, const struct sgang_never_kind *kinds,
		       char *why, size_t size)
{
	struct sgang_placement *plan = NULL;
	struct sgang_budget budget;
	struct sgang_nofit nofit;
	int rc;

	if (!worth_a_plan(a, kinds) || add_parts(a, kinds) < 0)
		return false;
	sgang_budget_init(&budget, PLANNED_STEPS);
	a->budget = &budget;
	a->at = a->c->host->now();
	rc = sgang_parts_place(a, SGANG_LATER, NULL, &plan, &nofit);
	sgang_placement_destroy(plan);
	if (rc || budget.unproved || !budget.left)
		return false;
	snprintf(why, size,
		 "its members do not fit together, even if no other "
		 "job ran");
	return true;
}

/* True if every choice fails. 'spare' members may be left out, so the members
 * of every choice are judged beside any others. */
static bool all_fail(struct attempt *a, struct sgang_never_kind *kinds,
		     const uint32_t *first, uint32_t spare, uint32_t others,
		     char *why, size_t size)
{
	uint64_t all = 0, certain;

	for (size_t i = 0; i < a->n_probed; i++)
		all += kinds[i].members;
	certain = keep_certain(kinds, first, a->n_probed, spare);
	if (!certain)
		return false;
	others += (uint32_t)(all - spare - certain);
	return kinds_fail(a, kinds, others, why, size) ||
	       supply_fails(a, kinds, why, size) ||
	       plan_fails(a, kinds, why, size);
}

bool sgang_conductor_never(struct sgang_conductor *c,
			   const struct sgang_never_member *members, size_t n,
			   uint32_t spare, uint32_t others,
			   const struct sgang_spec *spec, char *why,
			   size_t size)
{
	struct gang *g = calloc(1, sizeof(*g));
	struct sgang_never_kind *kinds = calloc(n + 1, sizeof(*kinds));
	uint32_t *first = calloc(n + 1, sizeof(*first));
	struct attempt a = {
		.c = c,
		.gangs = &g,
		.n_gangs = g != NULL,
		.trying = true,
		.probed = calloc(n + 1, sizeof(*a.probed)),
	};
	bool never = false;

	if (!c->fabric || !g || !kinds || !first || !a.probed)
		goto out;
	g->tally.spec = *spec;
	/* A plan for some of the ranks cannot use their communication groups.
	 */
	g->tally.spec.parallel[0] = '\0';
	if (sort_members(&a, kinds, first, members, n) < 0)
		goto out;
	a.topology = topology_of(&a);
	never = all_fail(&a, kinds, first, spare, others, why, size);
out:
	free(a.free_at);
	free(kinds);
	free(first);
	if (a.probed)
		sgang_probe_close(&a);
	free(g);
	return never;
}
