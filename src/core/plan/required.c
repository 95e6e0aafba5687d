/* SPDX-License-Identifier: GPL-2.0-or-later */
/* required.c - members some of whose nodes are given
 *
 * For the solvers such a member is two halves, side by side in the ring: a unit
 * on each node that it requires, and its other units. Joined again, its nodes
 * are laid in depth-first order, beginning where that suits the members beside
 * it. Which of its nodes comes when prove.c then looks through.
 *
 * Members in different domains (spread) keep to the domains of their required
 * nodes, and have these instead of others there.
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "plan_private.h"

static bool requires(const struct sgang_plan_member *member)
{
	return member->required && sgang_nodeset_count(member->required);
}

bool sgang_request_requires(const struct sgang_plan_request *request)
{
	size_t i;

	for (i = 0; i < request->n_members; i++) {
		if (requires(&request->members[i]))
			return true;
	}
	return false;
}

bool sgang_request_requires_some(const struct sgang_plan_request *request)
{
	size_t i;

	for (i = 0; i < request->n_members; i++) {
		const struct sgang_plan_member *member = &request->members[i];

		if (requires(member) &&
		    member->units > sgang_nodeset_count(member->required))
			return true;
	}
	return false;
}

static void end_set(void *set)
{
	sgang_nodeset_destroy(set);
}

struct sgang_nodeset *sgang_plan_set(struct sgang_pool *pool,
				     struct sgang_nodeset *set)
{
	return sgang_pool_keep(pool, set, end_set);
}

/* The nodes that a member may have, of those it requires (or of all others). */
static struct sgang_nodeset *part_of(const struct sgang_halves *halves,
				     const struct sgang_plan_member *member,
				     bool required)
{
	uint32_t n = sgang_fabric_nodes(halves->asked->fabric);
	struct sgang_nodeset *set = sgang_plan_set(
		halves->job.pool, member->allowed ?
					  sgang_nodeset_copy(member->allowed) :
					  sgang_nodeset_create(n));

	if (!member->allowed)
		sgang_nodeset_fill(set);
	if (required)
		sgang_nodeset_and(set, member->required);
	else
		sgang_nodeset_subtract(set, member->required);
	return set;
}

/* -- halves -- */

/* A member, or half of one. */
static void add_part(struct sgang_halves *halves, uint32_t member,
		     const struct sgang_plan_member *part)
{
	size_t i = halves->request.n_members;

	if (!part->units)
		return;
	halves->member[i] = *part;
	halves->member[i].required = NULL;
	halves->of[i] = member;
	halves->request.n_members++;
}

/* Both halves of a member. */
static void add_halves(struct sgang_halves *halves, uint32_t member, bool last)
{
	const struct sgang_plan_request *asked = halves->asked;
	struct sgang_plan_member given = asked->members[member], rest = given;
	uint32_t n = sgang_nodeset_count(given.required);

	given.units = n;
	given.distinct = true;
	given.allowed = part_of(halves, &asked->members[member], true);
	rest.units -= n;
	if (sgang_member_distinct(&asked->members[member]))
		rest.allowed = part_of(halves, &asked->members[member], false);
	add_part(halves, member, last ? &rest : &given);
	add_part(halves, member, last ? &given : &rest);
}

bool sgang_halves_make(const struct sgang_job *job, bool last,
		       struct sgang_halves *halves)
{
	const struct sgang_plan_request *asked = job->request;
	size_t n = asked->n_members, i;

	memset(halves, 0, sizeof(*halves));
	halves->asked = asked;
	halves->member = sgang_pool_alloc(job->pool, 2 * n,
					  sizeof(*halves->member));
	halves->of = sgang_pool_alloc(job->pool, 2 * n, sizeof(*halves->of));
	halves->job = (struct sgang_job){ .request = &halves->request,
					  .pool = job->pool,
					  .coin = job->coin };
	halves->request = *asked;
	halves->request.members = halves->member;
	halves->request.n_members = 0;
	for (i = 0; i < n; i++) {
		const struct sgang_plan_member *ask = &asked->members[i];

		if (!requires(ask))
			add_part(halves, (uint32_t)i, ask);
		else if (sgang_nodeset_count(ask->required) > ask->units)
			return false;
		else
			add_halves(halves, (uint32_t)i, last);
	}
	sgang_job_find_kinds(&halves->job);
	return true;
}

/* -- the order of a member's nodes -- */

struct nodes {
	const struct sgang_plan_request *request;
	struct sgang_run *run; /* of one member */
	size_t n;
};

static uint64_t hop_of(const struct nodes *nodes, uint32_t a, uint32_t b)
{
	const struct sgang_plan_request *request = nodes->request;

	return request->costs
		->hop[a == b ? SGANG_LEVEL_ISLAND :
			       sgang_fabric_meet(request->fabric, a, b)];
}

/* The i-th one, counted round. */
static uint32_t nth(const struct nodes *nodes, size_t i)
{
	return nodes->run[i % nodes->n].node;
}

/* Merge two sorted parts of 'from' into 'to'. */
static void merge_runs(const uint32_t *pos, const struct sgang_run *from,
		       size_t middle, size_t n, struct sgang_run *to)
{
	size_t a = 0, b = middle;

	while (a < middle || b < n) {
		bool first = b == n || (a < middle &&
					pos[from[a].node] <= pos[from[b].node]);

		*to++ = from[first ? a++ : b++];
	}
}

/* Depth first; 'copy' has room for as many. */
static void sort_runs(struct nodes *nodes, struct sgang_run *copy)
{
	const uint32_t *pos = sgang_fabric_pos(nodes->request->fabric);
	size_t n = nodes->n, width, at;

	for (width = 1; width < n; width *= 2) {
		for (at = 0; at < n; at += 2 * width) {
			size_t left = n - at;

			merge_runs(pos, nodes->run + at,
				   left < width ? left : width,
				   left < 2 * width ? left : 2 * width,
				   copy + at);
		}
		memcpy(nodes->run, copy, n * sizeof(*copy));
	}
}

/* Runs in a row for one node become one. */
static void join_runs(struct nodes *nodes)
{
	size_t i, n = 0;

	for (i = 0; i < nodes->n; i++) {
		if (n && nodes->run[n - 1].node == nodes->run[i].node) {
			nodes->run[n - 1].ranks += nodes->run[i].ranks;
			nodes->run[n - 1].slots += nodes->run[i].slots;
		} else {
			nodes->run[n++] = nodes->run[i];
		}
	}
	nodes->n = n;
}

/* Begin where it costs the least to come from one node and to go on to another:
 * in a round one hop is left out. */
static void turn_runs(struct nodes *nodes, uint32_t from, uint32_t to,
		      struct sgang_run *copy)
{
	size_t n = nodes->n, i, first = 0;
	bool back = false;
	int64_t least = INT64_MAX, cost;

	for (i = 0; i < n; i++) {
		int64_t gap = (int64_t)hop_of(nodes, nth(nodes, i + n - 1),
					      nth(nodes, i));

		cost = (int64_t)hop_of(nodes, from, nth(nodes, i)) - gap +
		       (int64_t)hop_of(nodes, nth(nodes, i + n - 1), to);
		if (cost < least) {
			least = cost;
			first = i;
			back = false;
		}
		cost = (int64_t)hop_of(nodes, from, nth(nodes, i + n - 1)) -
		       gap + (int64_t)hop_of(nodes, nth(nodes, i), to);
		if (cost < least) {
			least = cost;
			first = i + n - 1;
			back = true;
		}
	}
	memcpy(copy, nodes->run, n * sizeof(*copy));
	for (i = 0; i < n; i++)
		nodes->run[i] = copy[(back ? first + n - i : first + i) % n];
}

/* Lay the nodes of each member that requires some in the best order of a
 * depth-first round. 'n_runs' becomes less where a node came twice. */
static void lay_nodes(const struct sgang_plan_request *request,
		      struct sgang_pool *pool, struct sgang_run *runs,
		      size_t *n_runs)
{
	struct sgang_run *copy = sgang_pool_alloc(pool, *n_runs, sizeof(*copy));
	size_t i = 0, end, n = 0;

	for (; i < *n_runs; i = end) {
		struct nodes nodes = { .request = request, .run = runs + n };
		uint32_t member = runs[i].member;

		for (end = i; end < *n_runs && runs[end].member == member;
		     end++)
			runs[n + nodes.n++] = runs[end];
		if (requires(&request->members[member])) {
			sort_runs(&nodes, copy);
			join_runs(&nodes);
			turn_runs(&nodes,
				  n ? runs[n - 1].node : runs[*n_runs - 1].node,
				  end < *n_runs ? runs[end].node : runs[0].node,
				  copy);
		}
		n += nodes.n;
	}
	*n_runs = n;
}

void sgang_halves_join(const struct sgang_halves *halves,
		       struct sgang_run *runs, size_t *n_runs)
{
	size_t i;

	for (i = 0; i < *n_runs; i++)
		runs[i].member = halves->of[runs[i].member];
	lay_nodes(halves->asked, halves->job.pool, runs, n_runs);
}

/* -- which nodes members may have -- */

/* Is the node in the domain of its own that holds another one? */
static bool same_domain(const struct sgang_plan_request *request, uint32_t a,
			uint32_t b)
{
	return a == b || sgang_fabric_meet(request->fabric, a, b) <=
				 request->spread_level;
}

/* May a member that has all it requires have this node? */
static bool is_beside(const struct sgang_plan_request *request,
		      const struct sgang_plan_member *member, uint32_t node)
{
	uint32_t n;

	for (n = sgang_nodeset_next(member->required, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(member->required, n + 1)) {
		if (!same_domain(request, n, node) ||
		    !sgang_plan_fits(request, member, n,
				     request->free +
					     (size_t)n *
						     sgang_plan_dims(request)))
			return false;
	}
	return true;
}

/* May a member that requires 'n' nodes have this node? None if it requires more
 * of them than it has units. */
static bool may_have(const struct sgang_plan_request *request,
		     const struct sgang_plan_member *member, uint32_t n,
		     uint32_t node)
{
	return (!member->allowed || sgang_nodeset_has(member->allowed, node)) &&
	       member->units >= n &&
	       (member->units > n ||
		sgang_nodeset_has(member->required, node)) &&
	       (!request->spread || is_beside(request, member, node));
}

void sgang_confine(struct sgang_plan_request *request, struct sgang_pool *pool)
{
	size_t n = request->n_members, i;
	uint32_t nodes = sgang_fabric_nodes(request->fabric), node;
	struct sgang_plan_member *own = sgang_pool_alloc(pool, n, sizeof(*own));

	memcpy(own, request->members, n * sizeof(*own));
	for (i = 0; i < n; i++) {
		struct sgang_plan_member *member = &own[i];
		struct sgang_nodeset *set;
		uint32_t required;

		if (!requires(member))
			continue;
		required = sgang_nodeset_count(member->required);
		/* The others of its nodes may be anywhere. */
		if (!request->spread && member->units > required)
			continue;
		set = sgang_plan_set(pool, sgang_nodeset_create(nodes));
		for (node = 0; node < nodes; node++) {
			if (may_have(request, member, required, node))
				sgang_nodeset_add(set, node);
		}
		member->allowed = set;
		if (member->units == required) {
			member->required = NULL;
			member->distinct = true;
		}
	}
	request->members = own;
}

static bool has_node(const struct sgang_placement *placement, uint32_t member,
		     uint32_t node)
{
	size_t i;

	for (i = 0; i < placement->n_runs; i++) {
		if (placement->runs[i].member == member &&
		    placement->runs[i].node == node)
			return true;
	}
	return false;
}

static uint32_t ranks_of_unit(const struct sgang_job *job,
			      const struct sgang_run *run)
{
	return sgang_kind_ranks(job, &job->kind[job->kind_of[run->member]],
				run->node);
}

/* The half of a member that can do without a unit: the one with the fewest.
 * NULL: none. */
static struct sgang_run *find_spare(const struct sgang_job *job,
				    struct sgang_placement *placement,
				    uint32_t member)
{
	const struct sgang_nodeset *required =
		job->request->members[member].required;
	struct sgang_run *best = NULL;
	size_t i;

	for (i = 0; i < placement->n_runs; i++) {
		struct sgang_run *run = &placement->runs[i];

		if (run->member == member &&
		    (run->ranks > ranks_of_unit(job, run) ||
		     !sgang_nodeset_has(required, run->node)) &&
		    (!best || run->ranks < best->ranks))
			best = run;
	}
	return best;
}

/* Move a unit of a run to a node; the ranks of whole nodes are those of the
 * node. */
static void move_unit(const struct sgang_job *job,
		      struct sgang_placement *placement, struct sgang_run *run,
		      uint32_t node)
{
	const struct sgang_kind *kind = &job->kind[job->kind_of[run->member]];
	size_t i = (size_t)(run - placement->runs);
	uint32_t ranks = ranks_of_unit(job, run);

	if (run->ranks > ranks) {
		run->ranks -= ranks;
		run->slots -= sgang_kind_need(job, kind, run->node, 0);
		memmove(run + 1, run, (placement->n_runs++ - i) * sizeof(*run));
	}
	run->node = node;
	run->ranks = sgang_kind_ranks(job, kind, node);
	run->slots = sgang_kind_need(job, kind, node, 0);
}

/* Let a member have a unit on a node that it requires. False if it had one
 * there. */
static bool have_one(const struct sgang_job *job,
		     struct sgang_placement *placement, uint32_t member,
		     uint32_t node)
{
	struct sgang_run *spare;

	if (has_node(placement, member, node))
		return false;
	spare = find_spare(job, placement, member);
	if (spare)
		move_unit(job, placement, spare, node);
	return true;
}

void sgang_have_required(const struct sgang_job *job,
			 struct sgang_placement *placement)
{
	const struct sgang_plan_request *request = job->request;
	struct sgang_run *runs;
	bool moved = false;
	uint32_t i, node;

	if (!sgang_request_requires(request))
		return;
	/* each run may come to be as many as it has units */
	runs = sgang_pool_alloc(job->pool, job->units, sizeof(*runs));
	memcpy(runs, placement->runs, placement->n_runs * sizeof(*runs));
	placement->runs = runs;
	for (i = 0; i < request->n_members; i++) {
		const struct sgang_nodeset *required =
			request->members[i].required;

		for (node = required ? sgang_nodeset_next(required, 0) :
				       SGANG_NODE_NONE;
		     node != SGANG_NODE_NONE;
		     node = sgang_nodeset_next(required, node + 1))
			moved |= have_one(job, placement, i, node);
	}
	if (!moved)
		return;
	placement->exact = false;
	lay_nodes(request, job->pool, placement->runs, &placement->n_runs);
	sgang_ring_measure(request->fabric, request->costs, placement->runs,
			   placement->n_runs, &placement->ring);
}

/* -- why not -- */

/* The first node that has no room for a member which requires it. */
static uint32_t find_full(const struct sgang_plan_request *request,
			  const struct sgang_plan_member *member)
{
	uint32_t n = requires(member) ?
			     sgang_nodeset_next(member->required, 0) :
			     SGANG_NODE_NONE;

	while (n != SGANG_NODE_NONE &&
	       sgang_plan_fits(request, member, n,
			       request->free +
				       (size_t)n * sgang_plan_dims(request)))
		n = sgang_nodeset_next(member->required, n + 1);
	return n;
}

void sgang_required_nofit(const struct sgang_plan_request *request,
			  struct sgang_nofit *nofit)
{
	uint32_t i, node = SGANG_NODE_NONE;

	for (i = 0; i < request->n_members; i++) {
		node = find_full(request, &request->members[i]);
		if (node != SGANG_NODE_NONE)
			break;
	}
	if (node == SGANG_NODE_NONE)
		return;
	memset(nofit, 0, sizeof(*nofit));
	nofit->member = i;
	snprintf(nofit->best, sizeof(nofit->best), "%s",
		 sgang_fabric_node_name(request->fabric, node));
	snprintf(nofit->text, sizeof(nofit->text),
		 "member %" PRIu32 ": %s, which it requires, has no room for "
		 "it",
		 i, nofit->best);
}
