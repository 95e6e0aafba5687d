/* SPDX-License-Identifier: GPL-2.0-or-later */
/* islands.c - nodes whose cores are in several islands
 *
 * A hop costs 1 within an island, and 2 between those of a node. Which cores a
 * job has is read from Slurm, in which island each rank is from "sgang map".
 * Least costs are those of a cluster whose nodes are the islands: a piece that
 * fits into one is in one.
 */

#include <string.h>

#include "run.h"

#define SEATS 64 /* ranks of a gang, at most */

struct inside {
	uint32_t cores[LR_MEMBERS][LR_NODES]; /* by position in the ring */
	uint32_t taken[LR_NODES];             /* by others */
	struct lr_seat seat[SEATS];           /* by rank */
	uint32_t cost, cross, tier;
};

void lr_print_shape(uint32_t cores, uint32_t islands, FILE *out)
{
	uint32_t each = cores / islands, index = 1;

	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		     "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
		     "<topology version=\"2.0\">\n");
#define SET "cpuset=\"0x%08x\" complete_cpuset=\"0x%08x\""
#define NODES "nodeset=\"0x%08x\" complete_nodeset=\"0x%08x\" gp_index=\"%u\""
	fprintf(out,
		"<object type=\"Machine\" os_index=\"0\" " SET " " NODES ">\n",
		(1u << cores) - 1, (1u << cores) - 1, (1u << islands) - 1,
		(1u << islands) - 1, index++);
	for (uint32_t i = 0; i < islands; i++) {
		uint32_t set = ((1u << each) - 1) << i * each, nodes = 1u << i;

		fprintf(out,
			"<object type=\"Package\" os_index=\"%u\" " SET
			" " NODES ">\n<object type=\"NUMANode\" os_index=\"%u\""
			" " SET " " NODES " local_memory=\"4294967296\"/>\n",
			i, set, set, nodes, nodes, index, i, set, set, nodes,
			nodes, index + 1);
		index += 2;
		for (uint32_t j = i * each; j < (i + 1) * each; j++) {
			fprintf(out,
				"<object type=\"Core\" os_index=\"%u\" " SET
				" " NODES ">"
				"<object type=\"PU\" os_index=\"%u\" " SET
				" " NODES "/></object>\n",
				j, 1u << j, 1u << j, nodes, nodes, index, j,
				1u << j, 1u << j, nodes, nodes, index + 1);
			index += 2;
		}
		fprintf(out, "</object>\n");
	}
	fprintf(out, "</object>\n</topology>\n");
}

static uint32_t island_cores(const struct lr_node *n, uint32_t island)
{
	uint32_t each = n->has[LR_CPU] / n->islands;

	return ((1u << each) - 1) << island * each;
}

static uint32_t count(uint32_t cores)
{
	return (uint32_t)__builtin_popcount(cores);
}

static int read_cores(struct lr_run *r, struct inside *in)
{
	static uint32_t others[LR_NODES * 2][LR_NODES];
	uint32_t ids[LR_MEMBERS];

	for (uint32_t i = 0; i < r->g.n_members; i++)
		ids[i] = r->jobs[r->order[i]].id;
	if (lr_cores(&r->c, ids, r->g.n_members, in->cores) ||
	    lr_cores(&r->c, r->blocker, r->n_blockers, others))
		return -1;
	memset(in->taken, 0, sizeof(in->taken));
	for (uint32_t i = 0; i < r->n_blockers; i++)
		in->taken[r->blocks[i]] |= others[i][r->blocks[i]];
	return 0;
}

static uint32_t hop_of(const struct lr_cluster *c, const struct lr_seat *a,
		       const struct lr_seat *b)
{
	if (a->node != b->node)
		return c->hop[a->node][b->node];
	return a->island == b->island ? 1 : 2;
}

/* What the ring costs, by the map; is each rank where its job has cores? */
static int read_seats(struct lr_run *r, struct inside *in)
{
	uint32_t n = lr_read_map(&r->c, r->g.number, in->seat, SEATS);

	in->cost = in->cross = in->tier = 0;
	if (n != lr_ranks(&r->g)) {
		lr_violation(r, "sgang map has %u ranks, not %u", n,
			     lr_ranks(&r->g));
		return -1;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct lr_seat *seat = &in->seat[i];
		const struct lr_node *node = &r->c.node[seat->node];
		uint32_t hop = hop_of(&r->c, seat, &in->seat[(i + 1) % n]);

		if (seat->member >= r->g.n_members ||
		    seat->island >= node->islands ||
		    !(in->cores[seat->member][seat->node] &
		      island_cores(node, seat->island))) {
			lr_violation(r, "rank %u is not in island %u of %s", i,
				     seat->island, node->name);
			return -1;
		}
		if (n < 2)
			continue;
		in->cost += hop;
		in->cross += hop > 4;
		in->tier = hop > in->tier ? hop : in->tier;
	}
	return 0;
}

/* The piece of a member on that node is in one island if one has room. */
static void check_piece(struct lr_run *r, const struct inside *in,
			const struct lr_member *m, uint32_t position,
			uint32_t at)
{
	const struct lr_node *node = &r->c.node[at];
	uint32_t mine = in->cores[position][at], taken = in->taken[at];

	for (uint32_t i = 0; i < r->g.n_members; i++)
		taken |= i == position ? 0 : in->cores[i][at];
	if (mine & taken || count(mine) != m->tasks * m->cpus) {
		lr_violation(r, "%s: cores %#x, others have %#x", node->name,
			     mine, taken);
		return;
	}
	for (uint32_t k = 0; k < node->islands; k++) {
		if (!(mine & ~island_cores(node, k)))
			return;
	}
	for (uint32_t k = 0; k < node->islands; k++) {
		if (count(island_cores(node, k) & ~taken) < count(mine))
			continue;
		lr_violation(r,
			     "cores %#x of %s, and island %u has room, others "
			     "have %#x",
			     mine, node->name, k, taken);
		return;
	}
}

static void check_pieces(struct lr_run *r, const struct inside *in,
			 const struct lr_gang *in_order,
			 const struct lr_place *place)
{
	if (!lr_alike(in_order) || in_order->member[0].whole)
		return;
	for (uint32_t m = 0; m < in_order->n_members; m++) {
		for (uint32_t i = 0; i < place[m].n; i++)
			check_piece(r, in, &in_order->member[m], m,
				    place[m].node[i]);
	}
}

static uint32_t spread_out(const struct lr_cluster *c, uint32_t nodes)
{
	uint32_t islands = 0, at = 0;

	for (uint32_t i = 0; i < c->n_nodes; i++) {
		for (uint32_t k = 0; k < c->node[i].islands; k++, at++)
			islands |= (nodes >> i & 1) << at;
	}
	return islands;
}

/* A cluster with a node for each island, and the gang for it. */
static void divide(const struct lr_cluster *c, const struct inside *in,
		   struct lr_cluster *to, struct lr_gang *g)
{
	*to = *c;
	to->divided = true;
	to->n_nodes = 0;
	to->n_levels = c->n_levels + 1;
	to->n_domains[0] = c->n_nodes;
	memcpy(to->n_domains + 1, c->n_domains,
	       c->n_levels * sizeof(*c->n_domains));
	for (uint32_t i = 0; i < c->n_nodes; i++) {
		for (uint32_t k = 0; k < c->node[i].islands; k++) {
			struct lr_node *n = &to->node[to->n_nodes++];
			uint32_t cores = island_cores(&c->node[i], k);

			*n = c->node[i];
			n->has[LR_CPU] = count(cores);
			n->used[LR_CPU] = count(cores & in->taken[i]);
			n->used[LR_MEM] = 0;
			memcpy(n->up + 1, c->node[i].up,
			       c->n_levels * sizeof(*n->up));
			n->up[0] = i;
		}
	}
	for (uint32_t i = 0; i < to->n_nodes; i++) {
		for (uint32_t j = 0; j < to->n_nodes; j++) {
			uint32_t a = to->node[i].up[0], b = to->node[j].up[0];

			to->hop[i][j] = i == j ? 1 : a == b ? 2 : c->hop[a][b];
		}
	}
	g->level = g->level == LR_NODE_LEVEL ? 0 : g->level + 1;
	for (uint32_t m = 0; m < g->n_members; m++)
		g->member[m].excluded = spread_out(c, g->member[m].excluded);
}

/* -- pieces that may be in several islands -- */

/* All ways to put alike members of one node each on nodes. */
struct deal {
	const struct lr_cluster *c;
	const struct lr_member *m;
	uint8_t order[LR_NODES];          /* nodes that are near side by side */
	uint8_t room[LR_NODES][LR_NODES]; /* of islands, the largest first */
	uint32_t least;
};

/* By the domains of the highest level, then of the next one. */
static bool before(const struct lr_cluster *c, uint32_t a, uint32_t b)
{
	for (uint32_t l = c->n_levels; l > 0; l--) {
		uint32_t x = c->node[a].up[l - 1], y = c->node[b].up[l - 1];

		if (x != y)
			return x < y;
	}
	return a < b;
}

/* Into how few islands of the node do so many go, whole or not? 0: none. */
static uint32_t fewest_islands(const struct deal *d, uint32_t node, uint32_t n)
{
	uint32_t cores = n * d->m->tasks * d->m->cpus, sum = 0, k = 0;

	while (sum < cores && k < d->c->node[node].islands)
		sum += d->room[node][k++];
	return sum < cores ? 0 : k;
}

/* From order[at] on, after a path of that cost from 'first' to 'last'. */
static void deal(struct deal *d, uint32_t at, uint32_t left, uint32_t first,
		 uint32_t last, uint32_t cost)
{
	uint32_t node = d->order[at], islands;

	if (!left) {
		cost += first == last ? 0 : d->c->hop[last][first] - 1;
		d->least = cost < d->least ? cost : d->least;
	}
	if (!left || at == d->c->n_nodes)
		return;
	deal(d, at + 1, left, first, last, cost);
	if (!lr_allowed(d->c, d->m, node))
		return;
	for (uint32_t n = 1; n <= left; n++) {
		islands = fewest_islands(d, node, n);
		if (!islands)
			return;
		/* alone it is a round */
		deal(d, at + 1, left - n, first == LR_NONE ? node : first, node,
		     cost + islands - 1 +
			     (first == LR_NONE ? !(left - n) && islands > 1 :
						 d->c->hop[last][node] - 1));
	}
}

/* The least cost of any place, or LR_NONE. */
static uint32_t least_of_any(const struct lr_cluster *c,
			     const struct inside *in, const struct lr_gang *g)
{
	struct deal d = { .c = c, .m = &g->member[0], .least = LR_NONE / 2 };

	for (uint32_t i = 0; i < c->n_nodes; i++) {
		uint32_t at = i;

		for (; at > 0 && before(c, i, d.order[at - 1]); at--)
			d.order[at] = d.order[at - 1];
		d.order[at] = (uint8_t)i;
		for (uint32_t k = 0; k < c->node[i].islands; k++) {
			uint32_t room = count(island_cores(&c->node[i], k) &
					      ~in->taken[i]);

			for (at = k; at > 0 && d.room[i][at - 1] < room; at--)
				d.room[i][at] = d.room[i][at - 1];
			d.room[i][at] = (uint8_t)room;
		}
	}
	deal(&d, 0, g->n_members, LR_NONE, LR_NONE, lr_ranks(g));
	return d.least;
}

static void check_any(struct lr_run *r, const struct inside *in,
		      const struct lr_gang *g)
{
	const char *record = r->jobs[0].record;
	uint32_t bound = lr_number(record, "bound"), least;
	bool exact = lr_number(record, "exact") == 1;

	if (g->policy == LR_REQUIRE || g->policy == LR_SPREAD ||
	    g->member[0].whole || g->member[0].nodes != 1 || lr_ranks(g) < 2)
		return;
	least = least_of_any(&r->c, in, g);
	if (exact && least < in->cost)
		lr_violation(r,
			     "exact=1 with %u, with pieces in several islands "
			     "there is one of %u",
			     in->cost, least);
	if (!exact && bound != LR_NONE && bound > least)
		lr_violation(r,
			     "bound=%u, with pieces in several islands there "
			     "is one of %u",
			     bound, least);
}

/* Of members that are not alike, and of those that require a node, the least is
 * not known. */
static void check_least(struct lr_run *r, const struct inside *in,
			const struct lr_gang *in_order)
{
	static struct lr_cluster islands;
	const char *record = r->jobs[0].record;
	bool exact = lr_number(record, "exact") == 1, done;
	uint32_t bound = lr_number(record, "bound"), least;
	struct lr_gang g = *in_order;
	const struct lr_cluster *c = &r->c;

	if (!lr_alike(in_order) || g.member[0].required) {
		r->unproved++;
		r->over++;
		return;
	}
	check_any(r, in, in_order);
	if (!g.member[0].whole) {
		divide(&r->c, in, &islands, &g);
		c = &islands;
	}
	least = lr_price_cost(c, lr_least(c, &g, lr_price(c, in->cost, 0),
					  r->found, &done));
	r->exact += exact;
	r->unproved += !done;
	r->optimal += done && least == in->cost;
	r->over += least < in->cost ? (double)in->cost / least : 1;
	if (least < in->cost && g.member[0].nodes == 1 && g.policy != LR_SPREAD)
		lr_violation(r, "cost %u, there is one of %u", in->cost, least);
	if (exact && least < in->cost)
		lr_violation(r, "exact=1 with %u, there is one of %u", in->cost,
			     least);
	if (!exact && bound != LR_NONE && bound > least)
		lr_violation(r, "bound=%u, there is one of %u", bound, least);
	if (least == in->cost && !r->told)
		return;
	for (uint32_t m = 0; m < g.n_members; m++) {
		printf("# seed %llu gang %u:", (unsigned long long)r->c.seed,
		       r->g.number);
		for (uint32_t i = 0; i < r->c.n_nodes; i++) {
			if (in->cores[m][i])
				printf(" %s %#x of %u/%u, taken %#x",
				       r->c.node[i].name, in->cores[m][i],
				       r->c.node[i].has[LR_CPU],
				       r->c.node[i].islands, in->taken[i]);
		}
		for (uint32_t i = 0; i < c->n_nodes; i++) {
			if (r->found[m] >> i & 1)
				printf(", found %s", c->node[i].name);
		}
		printf("\n");
	}
}

int lr_check_islands(struct lr_run *r, const struct lr_gang *in_order,
		     const struct lr_place *place, uint32_t *cost,
		     uint32_t *cross, uint32_t *tier)
{
	static struct inside in;

	if (read_cores(r, &in) || read_seats(r, &in))
		return -1;
	*cost = in.cost;
	*cross = in.cross;
	*tier = in.tier;
	check_pieces(r, &in, in_order, place);
	check_least(r, &in, in_order);
	r->divided++;
	return 0;
}
