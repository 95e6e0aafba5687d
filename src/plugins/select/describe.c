/* SPDX-License-Identifier: GPL-2.0-or-later */
/* describe.c - the environment (SLURM_GANG_*) and the record of members */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"
#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "core/fabric/parallel.h"
#include "core/gang/epoch.h"
#include "core/gang/lists.h"
#include "core/gang/node_order.h"
#include "core/gang/ranks.h"
#include "core/plan/explain.h"
#include "plugins/log.h"
#include "role_words.h"

/* The actual ring, by node and, if there are devices, by island. The nodes of a
 * member are in the planned order if they are the planned nodes, else in the
 * best order for the ring. Its ranks are on them as Slurm starts them
 * (core/gang/ranks.h), and inside a node by its share of each island. */
struct layout {
	const struct sgang_topology *topology;
	struct sgang_run *runs;
	size_t n, cap;
	bool unknown;        /* ... or evenly, if that is not known */
	bool sorted;         /* the members are sorted for the ring */
	uint64_t order_cost; /* of another order of members; 0: no order costs
			      * less */
	uint32_t *rank;      /* by position; NULL: the same */
	uint64_t weighted;   /* cost of communication groups */
	char **order;        /* by member: the order of its nodes, if the record
			      * has no room for names */
	size_t n_order;

	/* Scratch for one member at a time, allocated once: otherwise the time
	 * would grow with members times nodes of the cluster. */
	struct sgang_nodeset *left; /* empty between members */
	uint32_t *nodes;            /* room for all nodes, or more */
	uint32_t *ranks;
	uint32_t *cpus;
	uint32_t *counts;
	size_t *planned; /* by member: its first run of the plan,
			  * or SIZE_MAX; NULL: no plan */
};

/* The fabric that the runs of a layout are in. */
static const struct sgang_fabric *ring_fabric(const struct layout *l)
{
	const struct sgang_topology *t = l->topology;

	return t->devices ? t->devices->fabric : t->fabric;
}

static uint32_t run_node(const struct sgang_conductor *c,
			 const struct sgang_run *run)
{
	return c->devices ? c->devices->node[run->node] : run->node;
}

static int push_run(struct layout *l, uint32_t member, uint32_t node,
		    uint32_t ranks)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 64;
		struct sgang_run *more = realloc(l->runs, cap * sizeof(*more));

		if (!more)
			return -1;
		l->runs = more;
		l->cap = cap;
	}
	l->runs[l->n++] = (struct sgang_run){ .member = member,
					      .node = node,
					      .ranks = ranks };
	return 0;
}

/* Add the next node of the member, with its share of the node. */
static int push_node(struct sgang_conductor *c, struct layout *l,
		     uint32_t member, struct sgang_job *job, uint32_t node,
		     uint32_t ranks)
{
	uint32_t part[SGANG_ISLANDS_MAX], islands, done = 0;
	uint64_t all = 0, sum = 0;

	if (!c->devices)
		return push_run(l, member, node, ranks);
	islands = sgang_devices_islands(c->devices, node);
	if (!c->host->nodes.islands(job, node, part)) {
		l->unknown = true;
		for (uint32_t i = 0; i < islands; i++)
			part[i] = 1;
	}
	for (uint32_t i = 0; i < islands; i++)
		all += part[i];
	for (uint32_t i = 0; i < islands && all; i++) {
		uint32_t upto;

		sum += part[i];
		upto = (uint32_t)((ranks * sum + all - 1) / all);
		if (upto > done &&
		    push_run(l, member, c->devices->first[node] + i,
			     upto - done) < 0)
			return -1;
		done = upto;
	}
	return 0;
}

struct sgang_nodeset *sgang_describe_islands(struct sgang_conductor *c,
					     struct sgang_job *job,
					     const struct sgang_nodeset *nodes)
{
	const struct sgang_devices *devices = c->devices;
	uint32_t part[SGANG_ISLANDS_MAX];
	struct sgang_nodeset *islands;

	if (!devices)
		return NULL;
	islands = sgang_nodeset_create(devices->first[devices->n_nodes]);
	for (uint32_t n = sgang_nodeset_next(nodes, 0);
	     islands && n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1)) {
		if (!c->host->nodes.islands(job, n, part)) {
			sgang_nodeset_destroy(islands);
			return NULL;
		}
		for (uint32_t i = 0; i < sgang_devices_islands(devices, n); i++)
			if (part[i])
				sgang_nodeset_add(islands,
						  devices->first[n] + i);
	}
	return islands;
}

/* Move the nodes of 'left' to the list in planned order. The runs of a member
 * are adjacent. */
static uint32_t list_planned(struct sgang_conductor *c, struct layout *l,
			     const struct sgang_placement *plan,
			     uint32_t member)
{
	uint32_t n = 0;

	if (!plan || !l->planned)
		return 0;
	for (size_t r = l->planned[member];
	     r < plan->n_runs && plan->runs[r].member == member; r++) {
		uint32_t node = run_node(c, &plan->runs[r]);

		if (!sgang_nodeset_has(l->left, node))
			continue;
		l->nodes[n++] = node;
		sgang_nodeset_remove(l->left, node);
	}
	return n;
}

/* The same in the order of its record. */
static uint32_t list_told(struct sgang_conductor *c, struct layout *l,
			  const struct sgang_record *r)
{
	char **name;
	uint32_t n = 0;
	size_t n_names;

	if (!r || !r->at[0] ||
	    sgang_hostlist_expand(r->at, &name, &n_names, NULL) < 0)
		return 0;
	for (size_t i = 0; i < n_names; i++) {
		uint32_t node = sgang_fabric_find_node(c->fabric, name[i]);

		if (node == SGANG_NODE_NONE ||
		    !sgang_nodeset_has(l->left, node))
			continue;
		l->nodes[n++] = node;
		sgang_nodeset_remove(l->left, node);
	}
	sgang_hostlist_free(name);
	return n;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Add the rest of 'left' in fabric order. Empties 'left'. */
static uint32_t list_left(struct layout *l, uint32_t n)
{
	const uint32_t *pos = sgang_fabric_pos(l->topology->fabric);
	const uint32_t *order = sgang_fabric_order(l->topology->fabric);
	uint32_t planned = n;

	for (uint32_t node = sgang_nodeset_next(l->left, 0);
	     node != SGANG_NODE_NONE;
	     node = sgang_nodeset_next(l->left, node + 1))
		l->nodes[n++] = pos[node];
	qsort(l->nodes + planned, n - planned, sizeof(*l->nodes), by_number);
	for (uint32_t i = planned; i < n; i++)
		l->nodes[i] = order[l->nodes[i]];
	sgang_nodeset_clear(l->left);
	return n;
}

/* Count the member's ranks on each of its nodes, by node. */
static void count_ranks(struct sgang_conductor *c, struct layout *l,
			struct sgang_job *job, uint32_t tasks)
{
	uint32_t n = sgang_nodeset_count(l->left), each, i = 0;

	memset(l->cpus, 0, n * sizeof(*l->cpus));
	memset(l->counts, 0, n * sizeof(*l->counts));
	each = c->host->jobs.allotted(job, l->cpus);
	sgang_ranks_spread(l->cpus, n, each, tasks > n ? tasks : n, l->counts);
	for (uint32_t node = sgang_nodeset_next(l->left, 0);
	     node != SGANG_NODE_NONE;
	     node = sgang_nodeset_next(l->left, node + 1))
		l->ranks[node] = l->counts[i++];
}

static int push_member(struct sgang_conductor *c, struct layout *l,
		       const struct sgang_placement *plan,
		       const struct sgang_record *told, uint32_t member,
		       struct sgang_job *job, uint32_t tasks)
{
	uint32_t n;

	c->host->jobs.nodes(job, l->left);
	count_ranks(c, l, job, tasks);
	n = told ? list_told(c, l, told) : list_planned(c, l, plan, member);
	n = list_left(l, n);
	for (uint32_t i = 0; i < n; i++) {
		if (push_node(c, l, member, job, l->nodes[i],
			      l->ranks[l->nodes[i]]) < 0)
			return -1;
	}
	return 0;
}

static uint64_t ranks_of_member(const struct layout *l, uint32_t member)
{
	uint64_t ranks = 0;

	for (size_t r = 0; l->rank && r < l->n; r++)
		ranks += (l->runs[r].member == member) ? l->runs[r].ranks : 0;
	return ranks;
}

/* An environment string beyond this would make execve() fail (the kernel's
 * MAX_ARG_STRLEN is 128 KiB). */
#define ENV_MAX 120000

static void set_text(const struct sgang_host *h, struct sgang_job *job,
		     const char *name, const char *text)
{
	if (strlen(text) < ENV_MAX)
		h->jobs.setenv(job, name, text);
	else
		sgang_log(SGANG_LOG_INFO, "%s is too long and is left out",
			  name);
}

static void set_number(const struct sgang_host *h, struct sgang_job *job,
		       const char *name, uint64_t value)
{
	char buf[24];

	snprintf(buf, sizeof(buf), "%llu", (unsigned long long)value);
	h->jobs.setenv(job, name, buf);
}

static char *join_counts(const uint32_t *counts, size_t n)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (size_t i = 0; f && i < n; i++)
		fprintf(f, "%s%u", i ? "," : "", counts[i]);
	return sgang_text_close(f, &text);
}

/* The ranks of the member's tasks, in their order; "" if consecutive. Always
 * set, because the value of an earlier start may be another. */
static void set_layout(const struct sgang_host *h, const struct gang *g,
		       struct sgang_job *job, const struct layout *l,
		       uint64_t first, uint64_t n)
{
	char *text;

	if (!g->tally.spec.parallel[0])
		return;
	text = l->rank ? join_counts(l->rank + first, n) : NULL;
	set_text(h, job, "SLURM_GANG_LAYOUT", text ? text : "");
	free(text);
}

/* The part of the environment that is about the gang. */
struct whole {
	char *ids, *nodes, *draining;
	char *spares;        /* NULL: none */
	char *layouts;       /* NULL: consecutive */
	char *per_member[2]; /* its nodes, its ranks */
	const char *head;    /* its name, */
	char *address;       /* and where others reach it */
	uint64_t n_nodes;
	struct sgang_role_words roles; /* of a tree of groups */
};

static void free_whole(struct whole *w)
{
	free(w->ids);
	free(w->address);
	free(w->spares);
	free(w->layouts);
	free(w->nodes);
	free(w->draining);
	free(w->per_member[0]);
	free(w->per_member[1]);
	sgang_role_words_clear(&w->roles);
}

/* Set the variables that are equal for all members. */
static void describe_gang(const struct sgang_host *h, const struct gang *g,
			  const struct whole *w, struct sgang_job *job,
			  const struct sgang_record *r)
{
	h->jobs.setenv(job, "SLURM_GANG_NAME", g->name);
	h->jobs.setenv(job, "SLURM_GANG_NAMESPACE", g->ns);
	set_text(h, job, SGANG_EPOCH_IDS, w->ids);
	set_number(h, job, "SLURM_GANG_MEMBERS", r->members);
	set_text(h, job, "SLURM_GANG_NODELIST", w->nodes);
	set_number(h, job, SGANG_EPOCH_NNODES, w->n_nodes);
	h->jobs.setenv(job, "SLURM_GANG_HEAD_NODE", w->head);
	h->jobs.setenv(job, SGANG_EPOCH_HEAD_ADDR, w->address);
	set_number(h, job, "SLURM_GANG_RANKS", r->ranks);
	set_number(h, job, "SLURM_GANG_RING_COST", r->ring_cost);
	set_number(h, job, "SLURM_GANG_RING_COST_BEST", r->ring_best);
	set_number(h, job, "SLURM_GANG_CROSS_LINKS", r->cross_links);
	h->jobs.setenv(job, "SLURM_GANG_TIER", r->tier);
	set_number(h, job, SGANG_EPOCH_NUMBER, r->epoch);
	set_text(h, job, SGANG_EPOCH_NODES, w->per_member[0]);
	set_text(h, job, SGANG_EPOCH_RANKS, w->per_member[1]);
	set_text(h, job, SGANG_EPOCH_DRAINING, w->draining);
	set_text(h, job, SGANG_EPOCH_SPARES, w->spares ? w->spares : "");
	if (g->tally.spec.parallel[0])
		set_text(h, job, SGANG_EPOCH_LAYOUTS,
			 w->layouts ? w->layouts : "");
}

static int describe_one(struct sgang_conductor *c, const struct gang *g,
			const struct layout *l, const struct whole *w,
			struct sgang_job *job, const struct sgang_record *r)
{
	const struct sgang_host *h = c->host;

	if (!job)
		return 0;
	describe_gang(h, g, w, job, r);
	sgang_role_words_tell(h, &w->roles, r->member_rank, job);
	set_number(h, job, "SLURM_GANG_MEMBER_RANK", r->member_rank);
	set_number(h, job, "SLURM_GANG_RANK_OFFSET", r->rank_offset);
	set_layout(h, g, job, l, r->rank_offset,
		   ranks_of_member(l, r->member_rank));
	return sgang_publish_place(c, job, r, l->order[r->member_rank]);
}

/* Clears the member rank that it may have had in an earlier run. */
static int describe_spare(struct sgang_conductor *c, const struct gang *g,
			  const struct whole *w, struct sgang_job *job,
			  struct sgang_record *r)
{
	static const char *const own[] = { "SLURM_GANG_MEMBER_RANK",
					   "SLURM_GANG_RANK_OFFSET",
					   "SLURM_GANG_MEMBER_NODELIST",
					   "SLURM_GANG_LAYOUT" };

	describe_gang(c->host, g, w, job, r);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		c->host->jobs.setenv(job, own[i], "");
	sgang_role_words_tell_spare(c->host, &w->roles, r->role, job);
	r->placed = false;
	r->spare = true;
	return sgang_publish_write(c, job, r);
}

/* True if this run and the one before differ in node or member. */
static bool starts_node(const struct sgang_conductor *c, const struct layout *l,
			size_t run)
{
	return !run || l->runs[run].member != l->runs[run - 1].member ||
	       run_node(c, &l->runs[run]) != run_node(c, &l->runs[run - 1]);
}

/* Write into the record the nodes of the member that begins at 'run', or only
 * their order if the names do not fit. */
static void list_nodes(const struct sgang_conductor *c, struct layout *l,
		       size_t run, struct sgang_record *r)
{
	uint32_t member = r->member_rank;
	const char **names;
	char *folded = NULL, *order = NULL;
	size_t n = 0, end = run;

	r->at[0] = '\0';
	r->ordered = false;
	while (end < l->n && l->runs[end].member == member)
		end++;
	names = calloc(end - run + 1, sizeof(*names));
	for (; names && run < end; run++) {
		if (starts_node(c, l, run))
			names[n++] = sgang_fabric_node_name(
				c->fabric, run_node(c, &l->runs[run]));
	}
	if (n)
		folded = sgang_hostlist_fold(names, n);
	if (folded && strlen(folded) < sizeof(r->at))
		strcpy(r->at, folded);
	else if (folded)
		order = sgang_node_order_write(names, n);
	if (order && strlen(order) <= SGANG_NODE_ORDER_MAX) {
		r->ordered = true;
		l->order[member] = order;
	} else {
		free(order);
	}
	free(folded);
	free(names);
}

/* ---- the order of members ---- */

/* Sort the holds into the order of the runs; holds without nodes come last. */
static int follow_runs(struct gang *g, struct layout *l)
{
	struct hold *holds = malloc(g->hold.n * sizeof(*holds));
	bool *seen = calloc(g->hold.n, sizeof(*seen));
	uint32_t member = UINT32_MAX;
	size_t n = 0;

	if (!holds || !seen) {
		free(holds);
		free(seen);
		return -1;
	}
	memcpy(holds, g->hold.members, g->hold.n * sizeof(*holds));
	for (size_t i = 0; i < l->n; i++) {
		if (l->runs[i].member != member) {
			member = l->runs[i].member;
			seen[member] = true;
			g->hold.members[n++] = holds[member];
		}
		l->runs[i].member = (uint32_t)n - 1;
	}
	for (size_t i = 0; n < g->hold.n; i++) {
		if (!seen[i])
			g->hold.members[n++] = holds[i];
	}
	free(holds);
	free(seen);
	return 0;
}

/* Sort the nodes of members without a common plan. Then sort the members, or
 * only find the cost of that order. -1 without memory. */
static int order_members(struct sgang_conductor *c, struct gang *g,
			 bool planned, struct layout *l)
{
	const struct sgang_plan_request request = {
		.fabric = ring_fabric(l),
		.costs = &c->conf.costs,
	};
	struct sgang_placement ring = { .runs = l->runs, .n_runs = l->n };
	uint64_t cost;

	if (g->tally.spec.parallel[0] || !l->n)
		return 0;
	if (planned)
		sgang_ring_measure(request.fabric, request.costs, ring.runs,
				   ring.n_runs, &ring.ring);
	else
		sgang_plan_arrange_nodes(&request, &ring);
	l->sorted = sgang_parts_any_order(c, g);
	if (l->sorted)
		return sgang_plan_arrange(&request, &ring) ||
				       follow_runs(g, l) ?
			       -1 :
			       0;
	if (sgang_explain_order(&request, &ring, &cost, NULL))
		return -1;
	l->order_cost = cost < ring.ring.cost ? cost : 0;
	return 0;
}

/* ---- communication groups ---- */

/* The order of ranks along the ring: as planned, or by weight if members were
 * placed one by one. NULL: the order of the ring. */
static uint32_t *order_ranks(const struct sgang_parallel *parallel,
			     const struct sgang_placement *plan, uint64_t ranks)
{
	struct sgang_parallel_digit digits[SGANG_PARALLEL_MAX];
	uint32_t *layout, n;

	if (plan && plan->ring.ranks == ranks && !plan->layout)
		return NULL;
	layout = malloc(ranks * sizeof(*layout));
	if (!layout)
		return NULL;
	if (plan && plan->ring.ranks == ranks)
		return memcpy(layout, plan->layout, ranks * sizeof(*layout));
	n = sgang_parallel_heaviest_first(parallel, digits);
	if (!sgang_parallel_layout(parallel, digits, n, layout))
		return layout;
	free(layout);
	return NULL;
}

/* Measure the communication groups, if the gang's ranks form any. */
static void weigh(struct sgang_conductor *c, const struct gang *g,
		  const struct sgang_placement *plan, uint64_t ranks,
		  struct layout *l)
{
	struct sgang_parallel parallel;
	struct sgang_parallel_cost cost;

	if (!g->tally.spec.parallel[0] ||
	    sgang_parallel_of(g->tally.spec.parallel, ranks, &parallel, NULL) ||
	    sgang_parallel_check(&parallel, ranks, NULL))
		return;
	l->rank = order_ranks(&parallel, plan, ranks);
	if (sgang_parallel_measure(ring_fabric(l), &c->conf.costs, l->runs,
				   l->n, &parallel, l->rank, &cost, NULL) == 0)
		l->weighted = cost.weighted;
}

/* ---- records ---- */

/* Proved optimal only if the members got the planned nodes. For a chosen order
 * the plan proves the cost, and seldom the tie breakers. */
static bool is_exact(const struct sgang_conductor *c, const struct layout *l,
		     const struct sgang_ring *ring,
		     const struct sgang_placement *plan)
{
	if (plan && l->sorted && !c->conf.weight_first)
		return ring->cost <= plan->bound;
	if (!plan || !plan->exact)
		return false;
	return l->weighted ? l->weighted <= plan->weighted_cost :
			     ring->cost <= plan->ring.cost;
}

static void fill_records(struct sgang_conductor *c, struct gang *g,
			 struct layout *l, const struct sgang_placement *plan)
{
	struct sgang_ring ring;
	uint64_t offset = 0;
	size_t run = 0;

	sgang_ring_measure(ring_fabric(l), &c->conf.costs, l->runs, l->n,
			   &ring);
	weigh(c, g, plan, ring.ranks, l);
	for (size_t i = 0; i < g->hold.n; i++) {
		struct sgang_record *r = &g->hold.members[i].record;
		const struct entry *e =
			sgang_registry_entry(c, g->hold.members[i].job_id);

		sgang_publish_fill(g, r);
		if (e)
			sgang_publish_own(g, e, r);
		r->phase = SGANG_PHASE_STARTING;
		r->round = g->attempt.nth;
		r->placed = true;
		r->exact = is_exact(c, l, &ring, plan);
		r->member_rank = (uint32_t)i;
		r->members = (uint32_t)g->hold.n;
		r->rank_offset = offset;
		r->ranks = ring.ranks;
		sgang_ranks_ring(c, &ring, r);
		/* The empty-cluster cost is not always proved optimal. */
		if (r->ring_best > ring.cost)
			r->ring_best = ring.cost;
		r->bound = (r->exact || !plan) ? 0 : plan->bound;
		r->sorted = l->sorted;
		r->order_cost = l->order_cost;
		r->any_device = l->unknown;
		r->weighted_cost = l->weighted;
		if (r->weighted_best > l->weighted)
			r->weighted_best = l->weighted;
		r->layout[0] = '\0';
		if (l->rank)
			sgang_lists_write_layout(
				l->rank + offset,
				ranks_of_member(l, (uint32_t)i), r->layout);
		list_nodes(c, l, run, r);
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

	for (size_t i = 0; f && i < g->hold.n; i++)
		fprintf(f, "%s%u", i ? "," : "", g->hold.members[i].job_id);
	return sgang_text_close(f, &text);
}

/* The nodes of a part of the layout, in order, and their number. The caller
 * frees them; NULL: no memory. */
static uint32_t *nodes_along(const struct sgang_conductor *c,
			     const struct layout *l, size_t first, size_t end,
			     size_t *n)
{
	uint32_t *nodes = calloc(end - first + 1, sizeof(*nodes));

	*n = 0;
	for (size_t r = first; nodes && r < end; r++) {
		if (starts_node(c, l, r))
			nodes[(*n)++] = run_node(c, &l->runs[r]);
	}
	return nodes;
}

static char *join_nodes(const struct sgang_conductor *c, const uint32_t *nodes,
			size_t n)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (size_t i = 0; f && i < n; i++)
		fprintf(f, "%s%s", i ? "," : "",
			sgang_fabric_node_name(c->fabric, nodes[i]));
	return sgang_text_close(f, &text);
}

static char *join_ring(const struct sgang_conductor *c, const struct layout *l)
{
	size_t n;
	uint32_t *nodes = nodes_along(c, l, 0, l->n, &n);
	char *text = nodes ? join_nodes(c, nodes, n) : NULL;

	free(nodes);
	return text;
}

/* The draining nodes of the ring, each once. */
static char *join_draining(const struct sgang_conductor *c,
			   const struct layout *l)
{
	size_t n, kept = 0;
	uint32_t *nodes = nodes_along(c, l, 0, l->n, &n);
	char *text;

	for (size_t i = 0; nodes && i < n; i++) {
		if (!sgang_drains_has(c, nodes[i]) ||
		    sgang_nodeset_has(l->left, nodes[i]))
			continue;
		sgang_nodeset_add(l->left, nodes[i]);
		nodes[kept++] = nodes[i];
	}
	sgang_nodeset_clear(l->left);
	text = nodes ? join_nodes(c, nodes, kept) : NULL;
	free(nodes);
	return text;
}

/* Takes over 'ids'. The caller frees the contents of 'w' in any case. */
static int tell_whole(const struct sgang_conductor *c, const struct layout *l,
		      size_t members, char *ids, struct whole *w)
{
	uint32_t *nodes = calloc(members + 1, sizeof(*nodes));
	uint32_t *ranks = calloc(members + 1, sizeof(*ranks));

	w->ids = ids;
	for (size_t r = 0; nodes && ranks && r < l->n; r++) {
		nodes[l->runs[r].member] += starts_node(c, l, r);
		w->n_nodes += starts_node(c, l, r);
		ranks[l->runs[r].member] += l->runs[r].ranks;
	}
	w->nodes = join_ring(c, l);
	w->draining = join_draining(c, l);
	w->per_member[0] = nodes ? join_counts(nodes, members) : NULL;
	w->per_member[1] = ranks ? join_counts(ranks, members) : NULL;
	w->head = l->n ? sgang_fabric_node_name(c->fabric,
						run_node(c, &l->runs[0])) :
			 "";
	w->address = strdup(
		l->n ? c->host->nodes.address(run_node(c, &l->runs[0])) : "");
	free(nodes);
	free(ranks);
	return w->ids && w->nodes && w->draining && w->address &&
			       w->per_member[0] && w->per_member[1] ?
		       0 :
		       -1;
}

/* The role of a member, and its nodes. */
static int find_worded(const struct sgang_conductor *c, const struct layout *l,
		       uint32_t job_id, uint32_t member, size_t *run,
		       struct sgang_worded *worded)
{
	const struct entry *e = sgang_lookup_entry(c, job_id);
	size_t end = *run, n;
	uint32_t *nodes;

	while (end < l->n && l->runs[end].member == member)
		end++;
	nodes = nodes_along(c, l, *run, end, &n);
	*run = end;
	if (e)
		worded->role = e->spec.role;
	worded->nodes = nodes ? join_nodes(c, nodes, n) : NULL;
	worded->address = strdup(nodes && n ? c->host->nodes.address(nodes[0]) :
					      "");
	free(nodes);
	return worded->nodes && worded->address ? 0 : -1;
}

/* Of a tree of groups. 'ids': the job of each member. */
static int tell_roles(const struct sgang_conductor *c, const struct gang *g,
		      const struct layout *l, const uint32_t *ids,
		      const struct seated *seats, uint32_t n, struct whole *w)
{
	struct sgang_worded *worded;
	size_t run = 0;
	int rc = 0;

	if (!g->tally.roles.any)
		return 0;
	worded = calloc(n + 1UL, sizeof(*worded));
	for (uint32_t i = 0; worded && !rc && i < n; i++) {
		/* a vacant place counts in its group */
		worded[i].role = seats ? seats[i].role : NULL;
		rc = find_worded(c, l, ids[i], i, &run, &worded[i]);
	}
	if (!worded || rc < 0 || sgang_role_words_make(&w->roles, worded, n))
		rc = -1;
	for (uint32_t i = 0; worded && i < n; i++) {
		free(worded[i].nodes);
		free(worded[i].address);
	}
	free(worded);
	return rc;
}

static int tell_hold_roles(const struct sgang_conductor *c,
			   const struct gang *g, const struct layout *l,
			   struct whole *w)
{
	uint32_t *ids = calloc(g->hold.n + 1, sizeof(*ids));
	int rc = -1;

	for (size_t i = 0; ids && i < g->hold.n; i++)
		ids[i] = g->hold.members[i].job_id;
	if (ids)
		rc = tell_roles(c, g, l, ids, NULL, (uint32_t)g->hold.n, w);
	free(ids);
	return rc;
}

static int tell_seat_roles(const struct sgang_conductor *c,
			   const struct gang *g, const struct layout *l,
			   const struct seated *seats, uint32_t n,
			   struct whole *w)
{
	uint32_t *ids = calloc(n + 1UL, sizeof(*ids));
	int rc = -1;

	for (uint32_t i = 0; ids && i < n; i++)
		ids[i] = seats[i].job_id;
	if (ids)
		rc = tell_roles(c, g, l, ids, seats, n, w);
	free(ids);
	return rc;
}

static uint64_t ranks_of_ring(const struct layout *l)
{
	uint64_t ranks = 0;

	for (size_t r = 0; r < l->n; r++)
		ranks += l->runs[r].ranks;
	return ranks;
}

static void tell_layouts(const struct layout *l, uint64_t ranks,
			 struct whole *w)
{
	w->layouts = l->rank ? join_counts(l->rank, ranks) : NULL;
}

/* The ranks of its steps follow this order of nodes: by Slurm where it can,
 * else by gang.so. */
static int order_nodes(struct sgang_conductor *c, struct sgang_job *job,
		       const uint32_t *nodes, size_t n)
{
	char *text = join_nodes(c, nodes, n);

	if (!text)
		return -1;
	set_text(c->host, job, "SLURM_GANG_MEMBER_NODELIST", text);
	free(text);
	if (c->host->jobs.order(job, nodes, n))
		c->host->jobs.setenv(job, "SLURM_GANG_NATIVE_ORDER", "ring");
	return 0;
}

/* Describe the nodes of each member. The runs of a member are adjacent, and the
 * members are in order. */
static int describe_nodes(struct sgang_conductor *c, const struct gang *g,
			  const struct layout *l)
{
	size_t first = 0, end;

	for (size_t i = 0; i < g->hold.n; i++, first = end) {
		struct sgang_job *job =
			c->host->jobs.find(g->hold.members[i].job_id);
		uint32_t *nodes;
		size_t n;
		int rc;

		for (end = first; end < l->n && l->runs[end].member == i;)
			end++;
		if (!job)
			continue;
		nodes = nodes_along(c, l, first, end, &n);
		rc = nodes ? order_nodes(c, job, nodes, n) : -1;
		free(nodes);
		if (rc < 0)
			return -1;
	}
	return 0;
}

static void close_layout(struct layout *l)
{
	for (size_t i = 0; l->order && i < l->n_order; i++)
		free(l->order[i]);
	free(l->order);
	free(l->runs);
	free(l->rank);
	sgang_nodeset_destroy(l->left);
	free(l->nodes);
	free(l->ranks);
	free(l->cpus);
	free(l->counts);
	free(l->planned);
}

/* Find the first run of each of the n members. */
static int find_planned(struct layout *l, const struct sgang_placement *plan,
			size_t n)
{
	l->planned = malloc((n + 1) * sizeof(*l->planned));
	if (!l->planned)
		return -1;
	for (size_t i = 0; i < n; i++)
		l->planned[i] = SIZE_MAX;
	for (size_t r = plan->n_runs; r-- > 0;) {
		if (plan->runs[r].member < n)
			l->planned[plan->runs[r].member] = r;
	}
	return 0;
}

static int open_layout(struct sgang_conductor *c, size_t members,
		       const struct sgang_placement *plan, struct layout *l)
{
	size_t n = c->host->nodes.count() + 1UL;

	l->left = sgang_nodeset_create((uint32_t)n - 1);
	l->nodes = calloc(n, sizeof(*l->nodes));
	l->ranks = calloc(n, sizeof(*l->ranks));
	l->cpus = calloc(n, sizeof(*l->cpus));
	l->counts = calloc(n, sizeof(*l->counts));
	l->n_order = members;
	l->order = calloc(members + 1, sizeof(*l->order));
	if (!l->order || !l->left || !l->nodes || !l->ranks || !l->cpus ||
	    !l->counts)
		return -1;
	return plan ? find_planned(l, plan, members) : 0;
}

static int lay_out(struct sgang_conductor *c, const struct gang *g,
		   const struct sgang_placement *plan, struct layout *l)
{
	if (open_layout(c, g->hold.n, plan, l) < 0)
		return -1;
	for (size_t i = 0; i < g->hold.n; i++) {
		struct sgang_job *job =
			c->host->jobs.find(g->hold.members[i].job_id);
		struct sgang_job_info info;

		if (!job)
			continue;
		c->host->jobs.info(job, &info);
		if (push_member(c, l, plan, NULL, (uint32_t)i, job,
				info.ranks) < 0)
			return -1;
	}
	return 0;
}

int sgang_describe_holds(struct sgang_conductor *c, struct gang *g,
			 const struct sgang_placement *plan)
{
	struct layout l = { .topology = g->topology };
	struct whole w = { NULL };
	int rc = -1;

	if (!c->fabric) {
		g->hold.described = true; /* the earlier description stays */
		return 0;
	}
	if (lay_out(c, g, plan, &l) || order_members(c, g, plan, &l) ||
	    tell_whole(c, &l, g->hold.n, join_ids(g), &w) ||
	    tell_hold_roles(c, g, &l, &w) || describe_nodes(c, g, &l)) {
		sgang_log(SGANG_LOG_ERROR, "%s/%s: no memory for SLURM_GANG_*",
			  g->ns, g->name);
		goto out;
	}
	sgang_epoch_begin(c, g);
	fill_records(c, g, &l, plan);
	tell_layouts(&l, ranks_of_ring(&l), &w);
	sgang_ranks_forget(g);
	rc = 0;
	for (size_t i = 0; i < g->hold.n && rc == 0; i++)
		rc = describe_one(c, g, &l, &w,
				  c->host->jobs.find(g->hold.members[i].job_id),
				  &g->hold.members[i].record);
	g->hold.described = rc == 0;
out:
	close_layout(&l);
	free_whole(&w);
	return rc;
}

/* ---- members that start after their gang ---- */

/* Members that were not told the order of their nodes yet have the cheapest. */
static int order_new(const struct seated *seats, uint32_t n, struct layout *l)
{
	for (uint32_t i = 0; i < n; i++) {
		if (seats[i].job && !seats[i].record &&
		    sgang_plan_arrange_member(ring_fabric(l), l->runs, l->n, i))
			return -1;
	}
	return 0;
}

static int lay_out_seats(struct sgang_conductor *c, const struct seated *seats,
			 uint32_t n, struct layout *l)
{
	if (open_layout(c, n, NULL, l) < 0)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		struct sgang_job_info info;

		if (!seats[i].job)
			continue;
		c->host->jobs.info(seats[i].job, &info);
		if (push_member(c, l, NULL, seats[i].record, i, seats[i].job,
				info.ranks) < 0)
			return -1;
	}
	return order_new(seats, n, l);
}

/* In order of member ranks; "0" for a vacant one. */
static char *join_seats(const struct seated *seats, uint32_t n)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (uint32_t i = 0; f && i < n; i++)
		fprintf(f, "%s%u", i ? "," : "", seats[i].job_id);
	return sgang_text_close(f, &text);
}

/* 'also' (0: none) has just become a spare, and 'but' a member with a rank. */
static char *join_spares(const struct sgang_conductor *c, const struct gang *g,
			 uint32_t also, uint32_t but)
{
	char *text = NULL;
	bool any = false;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (size_t i = 0; f && i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (e->job_id == but ||
		    (e->job_id != also && !sgang_ranks_spare(c, e)))
			continue;
		fprintf(f, "%s%u", any ? "," : "", e->job_id);
		any = true;
	}
	return sgang_text_close(f, &text);
}

/* Read the ranks of a seat, from it or its owner. 1: done; 0: not known; -1:
 * unreadable. */
static int read_ranks(const struct seated *seat, uint32_t *rank)
{
	if (seat->layout && seat->layout[0])
		return sgang_lists_read_layout(seat->layout, rank,
					       seat->ranks) ?
			       -1 :
			       1;
	for (uint32_t k = 0; seat->record && k < seat->ranks; k++)
		rank[k] = (uint32_t)seat->offset + k;
	return seat->record != NULL;
}

/* Read the known ranks. 1: some seat has ranks other than those from its offset
 * on; 0: none has; -1: unreadable. 'had': the ranks that are owned. */
static int take_known(const struct seated *seats, uint32_t n, uint64_t ranks,
		      uint32_t *rank, bool *had, bool *known)
{
	int other = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t first = seats[i].offset;
		int is;

		if (first + seats[i].ranks > ranks)
			return -1;
		is = read_ranks(&seats[i], rank + first);
		if (is < 0)
			return -1;
		known[i] = is;
		for (uint32_t k = 0; is && k < seats[i].ranks; k++) {
			if (rank[first + k] >= ranks)
				return -1;
			had[rank[first + k]] = true;
			other |= rank[first + k] != first + k;
		}
	}
	return other;
}

/* Give the remaining ranks to the unknown seats in order, lowest first. */
static int share_rest(const struct seated *seats, uint32_t n, uint64_t ranks,
		      uint32_t *rank, const bool *had, const bool *known)
{
	uint64_t next = 0;

	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = 0; !known[i] && k < seats[i].ranks; k++) {
			while (next < ranks && had[next])
				next++;
			if (next == ranks)
				return -1;
			rank[seats[i].offset + k] = (uint32_t)next++;
		}
	}
	return 0;
}

/* The ranks of all seats along the ring. False: all are consecutive, or not all
 * are known. */
static bool rank_seats(const struct seated *seats, uint32_t n, uint64_t ranks,
		       struct layout *l)
{
	bool *had = calloc(ranks + 1, sizeof(*had));
	bool *known = calloc(n + 1UL, sizeof(*known));
	bool other;

	l->rank = calloc(ranks + 1, sizeof(*l->rank));
	other = had && known && l->rank &&
		take_known(seats, n, ranks, l->rank, had, known) == 1 &&
		share_rest(seats, n, ranks, l->rank, had, known) == 0;
	free(had);
	free(known);
	if (!other) {
		free(l->rank);
		l->rank = NULL;
	}
	return other;
}

static void fill_running(struct sgang_conductor *c, const struct gang *g,
			 const struct seated *seats, uint32_t n,
			 uint32_t job_id, const struct sgang_ring *ring,
			 struct sgang_record *r)
{
	const struct entry *e = sgang_lookup_entry(c, job_id);

	memset(r, 0, sizeof(*r));
	sgang_publish_fill(g, r);
	if (e) {
		sgang_publish_own(g, e, r);
		sgang_asks_add_own(&e->spec, r->asks);
		r->round = e->round;
	}
	r->cold = sgang_cold_has(g, job_id);
	r->since = 0;
	r->phase = SGANG_PHASE_RUNNING;
	r->satisfied = true;
	r->started = g->tally.started;
	r->members = n;
	r->ranks = g->seats.ranks;
	for (uint32_t i = 0; i < n; i++) {
		const struct sgang_record *other = seats[i].record;

		if (!other)
			continue;
		r->ring_best = other->ring_best;
		r->sorted = other->sorted;
		r->weighted_best = other->weighted_best;
		break;
	}
	sgang_ranks_ring(c, ring, r);
}

static void fill_late(struct sgang_conductor *c, const struct gang *g,
		      const struct seated *seats, uint32_t n, uint32_t rank,
		      const struct sgang_ring *ring, struct sgang_record *r)
{
	fill_running(c, g, seats, n, seats[rank].job_id, ring, r);
	r->placed = true;
	r->member_rank = rank;
	r->rank_offset = seats[rank].offset;
}

/* The nodes of one member, for its steps. '*first' is its first run. */
static int tell_own_nodes(struct sgang_conductor *c, struct layout *l,
			  const struct seated *seat, uint32_t rank,
			  size_t *first)
{
	uint32_t *own;
	size_t end, n;
	int rc = -1;

	*first = 0;
	while (*first < l->n && l->runs[*first].member != rank)
		++*first;
	for (end = *first; end < l->n && l->runs[end].member == rank;)
		end++;
	own = nodes_along(c, l, *first, end, &n);
	if (own)
		rc = order_nodes(c, seat->job, own, n);
	free(own);
	return rc;
}

/* All that holds for the others too is in 'l' and 'w'; 'r' is scratch. */
static int describe_seat(struct sgang_conductor *c, struct gang *g,
			 const struct seated *seats, uint32_t n, uint32_t rank,
			 const struct sgang_ring *ring, struct layout *l,
			 struct whole *w, struct sgang_record *r)
{
	size_t first;

	if (tell_own_nodes(c, l, &seats[rank], rank, &first) < 0)
		return -1;
	free(w->spares);
	w->spares = join_spares(c, g, 0, seats[rank].job_id);
	fill_late(c, g, seats, n, rank, ring, r);
	r->any_device = l->unknown;
	list_nodes(c, l, first, r);
	if (l->rank)
		sgang_lists_write_layout(l->rank + r->rank_offset,
					 seats[rank].ranks, r->layout);
	return describe_one(c, g, l, w, seats[rank].job, r);
}

int sgang_describe_late(struct sgang_conductor *c, struct gang *g,
			const struct seated *seats, uint32_t n,
			const uint32_t *ranks, size_t n_ranks,
			struct sgang_ring *ring)
{
	struct layout l = { .topology = g->topology };
	struct whole w = { NULL };
	struct sgang_record *r = calloc(1, sizeof(*r));
	int rc = -1;

	if (!r || lay_out_seats(c, seats, n, &l) < 0 ||
	    tell_whole(c, &l, n, join_seats(seats, n), &w) < 0 ||
	    tell_seat_roles(c, g, &l, seats, n, &w) < 0)
		goto out;
	sgang_ring_measure(ring_fabric(&l), &c->conf.costs, l.runs, l.n, ring);
	(void)rank_seats(seats, n, g->seats.ranks, &l);
	tell_layouts(&l, g->seats.ranks, &w);
	rc = 0;
	for (size_t i = 0; i < n_ranks && rc == 0; i++)
		rc = describe_seat(c, g, seats, n, ranks[i], ring, &l, &w, r);
out:
	close_layout(&l);
	free_whole(&w);
	free(r);
	return rc;
}

int sgang_describe_spare(struct sgang_conductor *c, struct gang *g,
			 const struct seated *seats, uint32_t n,
			 struct sgang_job *job, uint32_t job_id)
{
	struct layout l = { .topology = g->topology };
	struct whole w = { NULL };
	struct sgang_record *r = calloc(1, sizeof(*r));
	struct sgang_ring ring;
	int rc = -1;

	if (!r || lay_out_seats(c, seats, n, &l) < 0 ||
	    tell_whole(c, &l, n, join_seats(seats, n), &w) < 0 ||
	    tell_seat_roles(c, g, &l, seats, n, &w) < 0)
		goto out;
	w.spares = join_spares(c, g, job_id, 0);
	sgang_ring_measure(ring_fabric(&l), &c->conf.costs, l.runs, l.n, &ring);
	fill_running(c, g, seats, n, job_id, &ring, r);
	(void)rank_seats(seats, n, r->ranks, &l);
	tell_layouts(&l, r->ranks, &w);
	rc = describe_spare(c, g, &w, job, r);
out:
	close_layout(&l);
	free_whole(&w);
	free(r);
	return rc;
}

uint64_t sgang_describe_cost(struct sgang_conductor *c, const struct gang *g,
			     const struct seated *seats, uint32_t n)
{
	struct layout l = { .topology = g->topology };
	struct sgang_ring ring = { .cost = UINT64_MAX };

	if (lay_out_seats(c, seats, n, &l) == 0)
		sgang_ring_measure(ring_fabric(&l), &c->conf.costs, l.runs, l.n,
				   &ring);
	close_layout(&l);
	return ring.cost;
}

/* ---- the members now ---- */

/* An iterator over the members for sgang_epoch_write(). */
struct told {
	const struct gang *g;
	const struct whole *whole;
	uint64_t cost;
	char number[24]; /* the last one returned */
};

static const char *show_number(struct told *t, uint64_t number)
{
	snprintf(t->number, sizeof(t->number), "%llu",
		 (unsigned long long)number);
	return t->number;
}

static const char *value_of(void *arg, const char *name)
{
	struct told *t = arg;
	const struct {
		const char *name, *text;
		uint64_t number;
	} values[] = {
		{ SGANG_EPOCH_NUMBER, NULL, t->g->epoch.number },
		{ "SLURM_GANG_NAMESPACE", t->g->ns, 0 },
		{ "SLURM_GANG_NAME", t->g->name, 0 },
		{ "SLURM_GANG_MEMBERS", NULL, t->g->seats.n },
		{ SGANG_EPOCH_IDS, t->whole->ids, 0 },
		{ "SLURM_GANG_RANKS", NULL, t->g->seats.ranks },
		{ SGANG_EPOCH_RANKS, t->whole->per_member[1], 0 },
		{ "SLURM_GANG_NODELIST", t->whole->nodes, 0 },
		{ SGANG_EPOCH_NODES, t->whole->per_member[0], 0 },
		{ SGANG_EPOCH_DRAINING, t->whole->draining, 0 },
		{ SGANG_EPOCH_SPARES, t->whole->spares, 0 },
		{ SGANG_EPOCH_NNODES, NULL, t->whole->n_nodes },
		{ "SLURM_GANG_HEAD_NODE", t->whole->head, 0 },
		{ SGANG_EPOCH_HEAD_ADDR, t->whole->address, 0 },
		{ "SLURM_GANG_RING_COST", NULL, t->cost },
	};

	/* as in the environment of a member that starts */
	if (strcmp(name, SGANG_EPOCH_LAYOUTS) == 0)
		return t->whole->layouts            ? t->whole->layouts :
		       t->g->tally.spec.parallel[0] ? "" :
						      NULL;
	if (strcmp(name, SGANG_EPOCH_HEADS) == 0)
		return t->whole->roles.n ? t->whole->roles.heads : NULL;
	if (strcmp(name, SGANG_EPOCH_HEAD_ADDRS) == 0)
		return t->whole->roles.n ? t->whole->roles.addresses : NULL;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		if (strcmp(values[i].name, name) == 0)
			return values[i].text ?
				       values[i].text :
				       show_number(t, values[i].number);
	}
	return NULL;
}

char *sgang_describe_epoch(struct sgang_conductor *c, struct gang *g,
			   struct sgang_nodeset *nodes)
{
	struct layout l = { .topology = g->topology };
	struct whole w = { NULL };
	struct told told = { .g = g, .whole = &w };
	struct seated *seats = NULL;
	struct sgang_ring ring;
	char *text = NULL;

	if (sgang_ranks_look(c, g, 0) == 0)
		seats = sgang_ranks_list(c, g);
	if (!seats || lay_out_seats(c, seats, g->seats.n, &l) < 0 ||
	    tell_whole(c, &l, g->seats.n, join_seats(seats, g->seats.n), &w) <
		    0 ||
	    tell_seat_roles(c, g, &l, seats, g->seats.n, &w) < 0)
		goto out;
	for (uint32_t i = 0; i < g->seats.n; i++) {
		if (seats[i].job && !sgang_placeholder_has(g, seats[i].job_id))
			c->host->jobs.nodes(seats[i].job, nodes);
	}
	for (size_t i = 0; i < g->n_entries; i++) {
		struct sgang_job *job = sgang_ranks_spare(c, g->entries[i]);

		/* on a cold spare's nodes no process listens */
		if (job && !g->entries[i]->record.cold)
			c->host->jobs.nodes(job, nodes);
	}
	w.spares = join_spares(c, g, 0, 0);
	(void)rank_seats(seats, g->seats.n, g->seats.ranks, &l);
	tell_layouts(&l, g->seats.ranks, &w);
	sgang_ring_measure(ring_fabric(&l), &c->conf.costs, l.runs, l.n, &ring);
	told.cost = ring.cost;
	text = sgang_epoch_write(value_of, &told);
out:
	close_layout(&l);
	free_whole(&w);
	free(seats);
	return text;
}
