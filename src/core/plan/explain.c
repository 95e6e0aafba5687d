/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.c - why a gang goes where it goes, or nowhere */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/gang/lists.h"
#include "explain.h"
#include "plan_private.h"

#define NONE SGANG_DOMAIN_NONE

/* -- the domains that could have been -- */

/* A domain before it is looked at. */
struct candidate {
	uint32_t domain;
	uint64_t free;   /* slots that the gang could use */
	uint32_t leaves; /* as few leaves as have room for it;
			  * NONE: all together have not */
};

/* Free slots of a leaf. */
struct leaf {
	uint32_t candidate; /* that it is below */
	uint64_t free;
};

struct search {
	const struct sgang_plan_request *request;
	struct sgang_pool *pool;
	uint64_t need;    /* slots of all members */
	bool whole;       /* of whole nodes alone */
	uint32_t *number; /* by domain: candidate, NONE: not one */
	struct candidate *candidate;
	uint32_t n;
	struct leaf *leaf;
	uint32_t n_leaves;
	/* the comparison with what was chosen */
	const struct sgang_placement *chosen;
	uint32_t *free;   /* as in the request, but for one
			   * domain: else 0 */
	uint64_t *broken; /* slots of wholly free domains */
};

static const struct sgang_domain *domain_at(const struct search *search,
					    uint32_t d)
{
	return sgang_fabric_domain(search->request->fabric, d);
}

static bool holds(const struct search *search, uint32_t d, uint32_t node)
{
	const struct sgang_domain *domain = domain_at(search, d);
	uint32_t pos = sgang_fabric_pos(search->request->fabric)[node];

	return pos - domain->first_pos < domain->n_nodes;
}

/* The lowest domain that holds it all. */
static uint32_t find_common(const struct search *search,
			    const struct sgang_placement *placement)
{
	uint32_t d = sgang_fabric_leaf(search->request->fabric,
				       placement->runs[0].node);
	size_t i;

	for (i = 0; i < placement->n_runs; i++)
		while (!holds(search, d, placement->runs[i].node))
			d = domain_at(search, d)->parent;
	return d;
}

/* Others of its level or, where there are none, its children. */
static void find_candidates(struct search *search, uint32_t common)
{
	const struct sgang_domain *place = domain_at(search, common);
	uint32_t d, n = sgang_fabric_domains(search->request->fabric);

	for (d = 0; d < n; d++) {
		search->number[d] = NONE;
		if (d != common && domain_at(search, d)->level == place->level)
			search->candidate[search->n++].domain = d;
	}
	for (d = 0; !search->n && d < place->n_children; d++)
		search->candidate[d].domain = place->first_child + d;
	if (!search->n)
		search->n = place->n_children;
	for (d = 0; d < search->n; d++)
		search->number[search->candidate[d].domain] = d;
}

/* Where the numbers of a node are in free[] and total[]; slots come first. */
static size_t at_node(const struct sgang_plan_request *request, uint32_t node)
{
	return (size_t)node * sgang_plan_dims(request);
}

static void find_need(struct search *search)
{
	const struct sgang_plan_request *request = search->request;
	uint32_t n = sgang_fabric_nodes(request->fabric), i, largest = 0;
	size_t m;

	for (i = 0; i < n; i++) {
		uint32_t slots = request->total[at_node(request, i)];

		largest = slots > largest ? slots : largest;
	}
	search->whole = true;
	for (m = 0; m < request->n_members; m++) {
		const struct sgang_plan_member *member = &request->members[m];

		if (member->slots)
			search->whole = false;
		search->need += (uint64_t)member->units *
				(member->slots ? member->slots : largest);
	}
}

static uint64_t free_on(const struct search *search, uint32_t node)
{
	const struct sgang_plan_request *request = search->request;

	size_t at = at_node(request, node);

	if (search->whole && request->free[at] < request->total[at])
		return 0;
	return request->free[at];
}

/* The free slots in the leaves below the candidates. */
static void find_leaves(struct search *search)
{
	const struct sgang_fabric *fabric = search->request->fabric;
	const uint32_t *order = sgang_fabric_order(fabric);
	uint32_t d, up, i, n = sgang_fabric_domains(fabric);

	for (d = 0; d < n; d++) {
		const struct sgang_domain *domain = domain_at(search, d);
		struct leaf *leaf = &search->leaf[search->n_leaves];

		if (domain->n_children)
			continue;
		for (up = d; up != NONE && search->number[up] == NONE;)
			up = domain_at(search, up)->parent;
		if (up == NONE)
			continue;
		leaf->candidate = search->number[up];
		for (i = 0; i < domain->n_nodes; i++)
			leaf->free += free_on(search,
					      order[domain->first_pos + i]);
		search->n_leaves++;
	}
}

/* qsort: by candidate, the freest first. */
static int by_candidate(const void *one, const void *two)
{
	const struct leaf *a = one, *b = two;

	if (a->candidate != b->candidate)
		return a->candidate < b->candidate ? -1 : 1;
	return (a->free < b->free) - (a->free > b->free);
}

/* qsort: the most promising first; without room those that are nearest, and
 * those with nothing free last. */
static int by_promise(const void *one, const void *two)
{
	const struct candidate *a = one, *b = two;

	if (a->leaves != b->leaves)
		return a->leaves < b->leaves ? -1 : 1;
	if (a->free != b->free && a->leaves != NONE)
		return a->free < b->free ? -1 : 1;
	if (a->free != b->free)
		return a->free > b->free ? -1 : 1;
	return (a->domain > b->domain) - (a->domain < b->domain);
}

static void rank(struct search *search)
{
	uint32_t i, used = 0;

	find_need(search);
	find_leaves(search);
	qsort(search->leaf, search->n_leaves, sizeof(*search->leaf),
	      by_candidate);
	for (i = 0; i < search->n; i++)
		search->candidate[i].leaves = NONE;
	for (i = 0; i < search->n_leaves; i++) {
		const struct leaf *leaf = &search->leaf[i];
		struct candidate *candidate =
			&search->candidate[leaf->candidate];

		if (!i || leaf[-1].candidate != leaf->candidate)
			used = 0;
		used++;
		candidate->free += leaf->free;
		if (candidate->leaves == NONE &&
		    candidate->free >= search->need)
			candidate->leaves = used;
	}
	qsort(search->candidate, search->n, sizeof(*search->candidate),
	      by_promise);
	while (search->n && !search->candidate[search->n - 1].free)
		search->n--;
}

/* -- why one of them is not it -- */

static uint64_t free_in(const struct search *search, uint32_t d)
{
	const struct sgang_domain *domain = domain_at(search, d);
	const uint32_t *order = sgang_fabric_order(search->request->fabric);
	uint64_t free = 0;
	uint32_t i;

	for (i = 0; i < domain->n_nodes; i++)
		free += search->request->free[at_node(
			search->request, order[domain->first_pos + i])];
	return free;
}

/* Slots that a placement leaves free. */
struct slack {
	uint32_t common;
	uint64_t in_common;
	uint64_t in_leaves; /* of those that it uses */
};

static void find_slack(struct search *search,
		       const struct sgang_placement *placement,
		       struct slack *slack)
{
	const struct sgang_fabric *fabric = search->request->fabric;
	bool *seen = sgang_pool_zalloc(
		search->pool, sgang_fabric_domains(fabric), sizeof(*seen));
	size_t i;

	slack->common = find_common(search, placement);
	slack->in_common = free_in(search, slack->common);
	slack->in_leaves = 0;
	for (i = 0; i < placement->n_runs; i++) {
		const struct sgang_run *run = &placement->runs[i];
		uint32_t leaf = sgang_fabric_leaf(fabric, run->node);

		if (!seen[leaf])
			slack->in_leaves += free_in(search, leaf);
		seen[leaf] = true;
		slack->in_leaves -= run->slots;
		slack->in_common -= run->slots;
	}
}

/* Is the other placement heavier than the one that was chosen? */
static bool is_heavier(struct search *search,
		       const struct sgang_placement *rival)
{
	return sgang_plan_weight(search->request, search->pool, rival) >
	       sgang_plan_weight(search->request, search->pool, search->chosen);
}

/* The largest wholly free domain that it begins to use; NONE: there is none. */
static uint32_t breaks_most(const struct search *search,
			    const struct sgang_placement *placement)
{
	uint32_t d, most = NONE;
	size_t i;

	for (i = 0; i < placement->n_runs; i++) {
		for (d = sgang_fabric_leaf(search->request->fabric,
					   placement->runs[i].node);
		     d != NONE && search->broken[d];
		     d = domain_at(search, d)->parent)
			if (most == NONE ||
			    search->broken[d] > search->broken[most])
				most = d;
	}
	return most;
}

static void say_slack(const struct search *search, const struct slack *ours,
		      const struct slack *theirs, struct sgang_other *other)
{
	if (theirs->in_common > ours->in_common)
		snprintf(other->why, sizeof(other->why),
			 "same cost, but less "
			 "tight: %" PRIu64 " slots stay free in %.32s, %" PRIu64
			 " in %.32s",
			 theirs->in_common,
			 domain_at(search, theirs->common)->name,
			 ours->in_common,
			 domain_at(search, ours->common)->name);
	else if (theirs->in_common == ours->in_common &&
		 theirs->in_leaves > ours->in_leaves)
		snprintf(other->why, sizeof(other->why),
			 "same cost, but less "
			 "tight: %" PRIu64
			 " slots stay free in its leaves, not %" PRIu64,
			 theirs->in_leaves, ours->in_leaves);
	else
		snprintf(other->why, sizeof(other->why), "same cost, %s",
			 theirs->common > ours->common ?
				 "but comes later" :
				 "and nothing else is in its favour");
}

/* The tie rules of plan.h, for a placement that costs the same. */
static void say_tie(struct search *search, const struct sgang_placement *rival,
		    struct sgang_other *other)
{
	const struct sgang_plan_request *request = search->request;
	const struct sgang_placement *chosen = search->chosen;
	uint32_t most = breaks_most(search, rival);
	struct slack our_slack, their_slack;
	uint64_t ours = sgang_count_broken(request, search->pool,
					   search->broken, chosen->runs,
					   chosen->n_runs);
	uint64_t theirs = sgang_count_broken(request, search->pool,
					     search->broken, rival->runs,
					     rival->n_runs);

	find_slack(search, chosen, &our_slack);
	find_slack(search, rival, &their_slack);
	other->heavier = is_heavier(search, rival);
	if (other->heavier)
		snprintf(other->why, sizeof(other->why),
			 "same cost, but heavier nodes");
	else if (theirs > ours && most != NONE)
		snprintf(other->why, sizeof(other->why),
			 "same cost, but "
			 "breaks the free %s %.64s",
			 request->costs->name[domain_at(search, most)->level],
			 domain_at(search, most)->name);
	else
		say_slack(search, &our_slack, &their_slack, other);
}

/* The value that the planner has minimised. */
static uint64_t cost_of(const struct search *search,
			const struct sgang_placement *placement)
{
	return search->request->parallel ? placement->weighted_cost :
					   placement->ring.cost;
}

static void say_cost(struct sgang_other *other, uint64_t ours)
{
	if (other->heavier && other->cost < ours)
		snprintf(other->why, sizeof(other->why),
			 "%" PRIu64 " < %" PRIu64 ", but heavier nodes",
			 other->cost, ours);
	else if (other->cost > ours)
		snprintf(other->why, sizeof(other->why),
			 "%" PRIu64 " > %" PRIu64, other->cost, ours);
	else
		snprintf(other->why, sizeof(other->why),
			 "%" PRIu64 " < %" PRIu64
			 ", but the search did not come upon it",
			 other->cost, ours);
}

static void say_why(struct search *search, const struct sgang_placement *rival,
		    struct sgang_other *other)
{
	uint64_t ours = cost_of(search, search->chosen);

	if (!other->fits) {
		snprintf(other->why, sizeof(other->why),
			 "%" PRIu64 " of %" PRIu64 " fit", other->free,
			 other->needed);
	} else if (other->cost == ours) {
		say_tie(search, rival, other);
	} else {
		/* where weights come first, something cheaper may be heavier */
		other->heavier = search->request->weight_first &&
				 other->cost < ours &&
				 is_heavier(search, rival);
		say_cost(other, ours);
	}
}

/* Let what is free on the nodes of a domain be free in 'free', or nothing. */
static void open_domain(const struct search *search, uint32_t d, bool open)
{
	const struct sgang_domain *domain = domain_at(search, d);
	const struct sgang_plan_request *request = search->request;
	const uint32_t *order = sgang_fabric_order(request->fabric);
	size_t size = sgang_plan_dims(request) * sizeof(*search->free);
	uint32_t i;

	for (i = 0; i < domain->n_nodes; i++) {
		size_t at = at_node(request, order[domain->first_pos + i]);

		if (open)
			memcpy(search->free + at, request->free + at, size);
		else
			memset(search->free + at, 0, size);
	}
}

/* Plan once more, with nothing free but what is in that domain. */
static int look_at(struct search *search, uint32_t d, struct sgang_other *other,
		   struct sgang_error *err)
{
	struct sgang_plan_request request = *search->request;
	struct sgang_placement *rival = NULL;
	struct sgang_nofit nofit;
	int rc;

	open_domain(search, d, true);
	request.free = search->free;
	rc = sgang_plan_in(search->pool, &request, &rival, &nofit, err);
	open_domain(search, d, false);
	if (rc < 0)
		return -1;
	memset(other, 0, sizeof(*other));
	other->domain = d;
	other->fits = rc;
	if (rc) {
		other->cost = cost_of(search, rival);
	} else {
		other->free = nofit.best_free;
		other->needed = nofit.needed;
	}
	say_why(search, rival, other);
	return 0;
}

static void set_up(struct search *search)
{
	const struct sgang_fabric *fabric = search->request->fabric;
	uint32_t n = sgang_fabric_domains(fabric);
	struct sgang_pool *pool = search->pool;

	search->number = sgang_pool_alloc(pool, n, sizeof(*search->number));
	search->candidate = sgang_pool_zalloc(pool, n,
					      sizeof(*search->candidate));
	search->leaf = sgang_pool_zalloc(pool, n + 1, sizeof(*search->leaf));
	search->free = sgang_pool_zalloc(
		pool, at_node(search->request, sgang_fabric_nodes(fabric)),
		sizeof(*search->free));
	search->broken = sgang_find_broken(search->request, pool);
}

/* What sgang_explain_others() was asked. */
struct question {
	const struct sgang_plan_request *request;
	const struct sgang_placement *placement;
	size_t most;
	struct sgang_others *others;
	struct sgang_error *err;
};

static int find_others(struct sgang_pool *pool, void *arg)
{
	const struct question *q = arg;
	struct search search = { .request = q->request,
				 .chosen = q->placement,
				 .pool = pool };
	struct sgang_others found = { .n = 0 };
	uint32_t i;

	set_up(&search);
	found.common = find_common(&search, q->placement);
	find_candidates(&search, found.common);
	rank(&search);
	for (i = 0; i < search.n && found.n < q->most; i++) {
		struct sgang_other *other = &found.other[found.n];

		if (look_at(&search, search.candidate[i].domain, other, q->err))
			return -1;
		/* A place without a node that a member requires tells nothing.
		 */
		found.n += other->fits || other->needed;
	}
	found.left_out = search.n - i;
	found.cost = cost_of(&search, q->placement);
	*q->others = found;
	return 0;
}

int sgang_explain_others(const struct sgang_plan_request *request,
			 const struct sgang_placement *placement, size_t most,
			 struct sgang_others *others, struct sgang_error *err)
{
	struct question q = { request, placement, most, others, err };
	int rc = sgang_plan_run(request->budget, find_others, &q);

	return rc < 0 && errno == ENOMEM ?
		       sgang_errf(err, ENOMEM, "out of memory") :
		       rc;
}

int sgang_explain_order(const struct sgang_plan_request *request,
			const struct sgang_placement *placement, uint64_t *cost,
			struct sgang_error *err)
{
	struct sgang_plan_request alone = *request;
	struct sgang_placement other = *placement;
	size_t size = placement->n_runs * sizeof(*other.runs);
	int rc = -1;

	alone.budget = NULL;
	other.runs = malloc(size);
	if (other.runs) {
		memcpy(other.runs, placement->runs, size);
		rc = sgang_plan_arrange(&alone, &other);
		*cost = other.ring.cost;
	}
	free(other.runs);
	return rc ? sgang_errf(err, ENOMEM, "out of memory") : 0;
}

void sgang_explain_raise(struct sgang_others *others, uint64_t more)
{
	size_t i;

	others->cost += more;
	for (i = 0; i < others->n; i++) {
		struct sgang_other *other = &others->other[i];
		bool differs = other->cost + more != others->cost;

		if (!other->fits)
			continue;
		other->cost += more;
		if (differs)
			say_cost(other, others->cost);
	}
}

void sgang_explain_write(const struct sgang_fabric *fabric,
			 const struct sgang_others *others,
			 char text[SGANG_OTHERS_SIZE])
{
	struct sgang_list_other row;
	size_t i;

	text[0] = '\0';
	for (i = 0; i < others->n; i++) {
		const struct sgang_other *other = &others->other[i];

		snprintf(row.place, sizeof(row.place), "%s",
			 sgang_fabric_domain(fabric, other->domain)->name);
		row.fits = other->fits;
		row.cost = other->cost;
		row.heavier = other->heavier;
		row.free = other->free;
		row.needed = other->needed;
		if (!sgang_lists_add_other(text, &row))
			return;
	}
}

/* -- why there is none -- */

/* "16 GPUs", "1 whole node", "3 places with 4 GPUs": of four GPUs that belong
 * together less than four may be free, so they are not counted one by one. */
static void name_amount(const struct sgang_nofit *nofit, uint64_t amount,
			const struct sgang_explain_unit *unit, char *buf,
			size_t size)
{
	uint64_t slots = (uint64_t)nofit->slots * unit->each;

	if (!nofit->slots)
		snprintf(buf, size, "%" PRIu64 " whole node%s", amount,
			 amount == 1 ? "" : "s");
	else if (unit->with)
		snprintf(buf, size, "%" PRIu64 " place%s with %.48s", amount,
			 amount == 1 ? "" : "s", unit->with);
	else if (slots == 1)
		snprintf(buf, size, "%" PRIu64 " %.32s", amount,
			 amount == 1 ? unit->one : unit->many);
	else
		snprintf(buf, size,
			 "%" PRIu64 " place%s with %" PRIu64 " %.32s", amount,
			 amount == 1 ? "" : "s", slots, unit->many);
}

/* Less is free than it needs. A gang that must stay within one of several
 * domains needs it all there. */
static void say_needed(const struct sgang_plan_request *request,
		       const struct sgang_nofit *nofit, const char *amount,
		       char text[SGANG_EXPLAIN_SIZE])
{
	bool one = request->max_level < SGANG_LEVEL_UNCONNECTED &&
		   nofit->n_rows != 1 && nofit->best[0];
	int used = snprintf(text, SGANG_EXPLAIN_SIZE,
			    "%s%s %s needed%s%s, %" PRIu64 " %s free",
			    nofit->who, amount,
			    strncmp(amount, "1 ", 2) ? "are" : "is",
			    one ? " in one " : "",
			    one ? request->costs->name[request->max_level] : "",
			    nofit->free, nofit->free == 1 ? "is" : "are");

	if (one && used > 0 && used < SGANG_EXPLAIN_SIZE)
		snprintf(text + used, SGANG_EXPLAIN_SIZE - (size_t)used,
			 ": %s has %" PRIu64, nofit->best, nofit->best_free);
}

void sgang_explain_nofit(const struct sgang_plan_request *request,
			 const struct sgang_nofit *nofit,
			 const struct sgang_explain_unit *unit,
			 char text[SGANG_EXPLAIN_SIZE])
{
	const char *level = "switch";
	uint64_t free = nofit->free;
	char amount[96];

	if (request->max_level < SGANG_LEVEL_UNCONNECTED)
		level = request->costs->name[request->max_level];
	if (request->spread || nofit->best_free >= nofit->needed) {
		/* the numbers alone are no reason */
		snprintf(text, SGANG_EXPLAIN_SIZE, "%s", nofit->text);
	} else if (free < nofit->needed) {
		name_amount(nofit, nofit->needed, unit, amount, sizeof(amount));
		say_needed(request, nofit, amount, text);
	} else {
		name_amount(nofit, free, unit, amount, sizeof(amount));
		snprintf(text, SGANG_EXPLAIN_SIZE,
			 "%s%s %s free, but no %s "
			 "has %" PRIu64 ": %s has %" PRIu64,
			 nofit->who, amount,
			 strncmp(amount, "1 ", 2) ? "are" : "is", level,
			 nofit->needed, nofit->best, nofit->best_free);
	}
}
