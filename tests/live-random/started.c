/* SPDX-License-Identifier: GPL-2.0-or-later */
/* started.c - is all that is shown of a gang that has started so */

#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "run.h"

/* Members in the order that their records tell. -1: they tell of none. */
static int told_order(struct lr_run *r, struct lr_gang *in_order)
{
	uint32_t n = r->g.n_members, seen = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t rank = lr_number(r->jobs[i].record, "rank");

		if (rank >= n || seen & 1U << rank) {
			lr_violation(r, "job %u has rank=%u of %u members",
				     r->jobs[i].id, rank, n);
			return -1;
		}
		seen |= 1U << rank;
		r->order[rank] = i;
		in_order->member[rank] = r->g.member[i];
	}
	if (lr_number(r->jobs[0].record, "sorted") != 1)
		lr_violation(r, "sorted=1 is not said");
	return 0;
}

/* Members in the order of the ring, as the options of the gang say. */
static int ring_order(struct lr_run *r, struct lr_gang *in_order)
{
	const struct lr_gang *g = &r->g;

	*in_order = *g;
	if (g->sorted)
		return told_order(r, in_order);
	for (uint32_t i = 0; i < g->n_members; i++) {
		uint32_t at = i;

		while (at > 0 && g->rank[r->order[at - 1]] > g->rank[i]) {
			r->order[at] = r->order[at - 1];
			at--;
		}
		r->order[at] = i;
	}
	for (uint32_t i = 0; i < g->n_members; i++)
		in_order->member[i] = g->member[r->order[i]];
	return 0;
}

static uint64_t mask_of(const struct lr_place *place)
{
	uint64_t mask = 0;

	for (uint32_t i = 0; i < place->n; i++)
		mask |= UINT64_C(1) << place->node[i];
	return mask;
}

/* The ring as the jobs' environment has it. Whether all members are told the same,
 * and where Slurm has put them, is for the judge. */
static int read_ring(struct lr_run *r, struct lr_place place[LR_MEMBERS])
{
	int rc = 0;

	for (uint32_t i = 0; i < r->g.n_members; i++) {
		const struct lr_job *job = &r->jobs[r->order[i]];
		char *own = lr_variable(job->id, "SLURM_GANG_MEMBER_NODELIST");
		char *all = lr_variable(job->id, "SLURM_GANG_NODELIST");

		lr_tell_member(r, job, own, all);
		if (!own || lr_parse_nodes(&r->c, own, &place[i])) {
			lr_violation(r, "job %u: SLURM_GANG_MEMBER_NODELIST=%s",
				     job->id, own ? own : "(null)");
			rc = -1;
		}
		free(own);
		free(all);
	}
	return rc;
}

/* Where it is, and what others had there. */
static void tell_place(struct lr_run *r, const struct lr_place *place)
{
	memset(r->found, 0, sizeof(r->found));
	for (uint32_t i = 0; i < r->g.n_members; i++)
		r->found[i] = (uint32_t)mask_of(&place[i]);
	lr_tell_found(r, "it is on");
}

/* Does it fit with one node more than 'taken', by members from 'from' on? */
static bool fits_with_more(struct lr_run *r, struct lr_gang *g, uint32_t from,
			   uint32_t nodes)
{
	uint32_t most, least;

	if (from == g->n_members)
		return !nodes && lr_fits(&r->c, g, r->found) == 1;
	most = r->g.member[from].nodes;
	least = r->g.member[from].least ? r->g.member[from].least : most;
	g->member[from].least = 0;
	for (uint32_t n = least; n <= most && n <= nodes; n++) {
		g->member[from].nodes = most ? n : 0;
		if (fits_with_more(r, g, from + 1, nodes - n))
			return true;
	}
	return false;
}

/* Members give up no more nodes than it takes. */
static void check_most(struct lr_run *r, const struct lr_place *place)
{
	struct lr_gang g = r->g;
	uint32_t taken = 0, most = 0;

	for (uint32_t i = 0; i < g.n_members; i++) {
		taken += g.member[r->order[i]].nodes ? place[i].n : 0;
		most += g.member[i].nodes;
	}
	if (taken >= most || !fits_with_more(r, &g, 0, taken + 1))
		return;
	/* of members that differ all that ask for the same give up, or none */
	if (lr_same(&r->g))
		lr_violation(r, "it has %u nodes, and fits on %u", taken,
			     taken + 1);
	else
		r->fewer++;
	lr_tell_found(r, "found with one more");
	tell_place(r, place);
}

/* From here on members have as many nodes as they have got. */
static bool settle_ranges(struct lr_run *r, struct lr_gang *in_order,
			  const struct lr_place *place, bool alone)
{
	for (uint32_t i = 0; i < in_order->n_members; i++) {
		struct lr_member *m = &in_order->member[i];

		if (!m->nodes)
			continue;
		if (place[i].n < (m->least ? m->least : m->nodes) ||
		    place[i].n > m->nodes) {
			lr_violation(r, "%u nodes", place[i].n);
			return false;
		}
	}
	if (alone && !r->g.nonstrict)
		check_most(r, place);
	for (uint32_t i = 0; i < in_order->n_members; i++) {
		struct lr_member *m = &in_order->member[i];

		m->nodes = m->nodes ? place[i].n : 0;
		m->least = 0;
	}
	return true;
}

static void check_policy(struct lr_run *r, const struct lr_place *place)
{
	uint32_t level = r->g.level;
	uint64_t taken = 0;

	for (uint32_t i = 0; i < r->g.n_members; i++) {
		uint64_t mine = 0;

		for (uint32_t j = 0; j < place[i].n; j++) {
			uint32_t node = place[i].node[j];

			mine |= UINT64_C(1)
				<< (level == LR_NODE_LEVEL ?
					    node :
					    r->c.node[node].up[level]);
		}
		if (r->g.policy == LR_SPREAD &&
		    (mine & taken || mine & (mine - 1)))
			lr_violation(r, "not spread:%s", lr_level_name(level));
		taken |= mine;
	}
	if (r->g.policy == LR_REQUIRE && taken & (taken - 1))
		lr_violation(r, "not within one %s", lr_level_name(level));
}

static void check_numbers(struct lr_run *r, const struct lr_gang *in_order,
			  uint32_t cost, uint32_t cross, uint32_t tier)
{
	static const uint32_t costs[] = { 1, 2, 4, 16, 64, 256 };
	static const char *const tiers[] = { "island", "node", "leaf",
					     "spine",  "core", "level5" };
	uint32_t level = 0;
	const char *text;

	while (level < 5 && costs[level] < tier)
		level++;
	for (uint32_t i = 0; i < r->g.n_members; i++) {
		const char *record = r->jobs[r->order[i]].record;

		if (lr_number(record, "ring") != cost)
			lr_violation(r, "ring=%u, counted %u",
				     lr_number(record, "ring"), cost);
		if (lr_number(record, "cross") != cross)
			lr_violation(r, "cross=%u, counted %u",
				     lr_number(record, "cross"), cross);
		if (lr_number(record, "ranks") != lr_ranks(in_order))
			lr_violation(r, "ranks=%u, not %u",
				     lr_number(record, "ranks"),
				     lr_ranks(in_order));
		if (lr_number(record, "rank") != i)
			lr_violation(r, "job %u has rank=%u, not %u",
				     r->jobs[r->order[i]].id,
				     lr_number(record, "rank"), i);
		text = lr_word(record, "tier");
		if (!text || strcmp(text, tiers[level]))
			lr_violation(r, "tier=%s, not %s",
				     text ? text : "(null)", tiers[level]);
	}
}

/* The least cost with members from 'from' on in any order: the first stays. */
static uint64_t least_of_orders(struct lr_run *r, struct lr_gang *g,
				uint32_t from, uint64_t least, bool *done)
{
	bool one;

	if (from + 1 >= g->n_members) {
		least = lr_least(&r->c, g, least, r->found, &one);
		*done &= one;
		return least;
	}
	for (uint32_t i = from; i < g->n_members; i++) {
		struct lr_member member = g->member[from];

		g->member[from] = g->member[i];
		g->member[i] = member;
		least = least_of_orders(r, g, from + 1, least, done);
		g->member[i] = g->member[from];
		g->member[from] = member;
	}
	return least;
}

static uint64_t least_price(struct lr_run *r, const struct lr_gang *in_order,
			    uint64_t price, bool *done)
{
	struct lr_gang g = *in_order;

	*done = true;
	if (g.sorted)
		return least_of_orders(r, &g, 1, price, done);
	return lr_least(&r->c, in_order, price, r->found, done);
}

static uint32_t weight_of(const struct lr_run *r, const struct lr_gang *g,
			  const struct lr_place *place)
{
	uint32_t nodes = 0;

	for (uint32_t i = 0; i < g->n_members; i++)
		nodes |= (uint32_t)mask_of(&place[i]);
	return lr_weight(&r->c, g, nodes);
}

/* Cost and weight, as in "18/2". Static, of two in turn. */
static const char *words_of(const struct lr_cluster *c, uint64_t price)
{
	static char text[2][32];
	static int turn;
	uint32_t high = (uint32_t)(price >> 32), low = (uint32_t)price;

	turn = !turn;
	if (c->weighed)
		snprintf(text[turn], sizeof(*text), "%u/%u",
			 c->weight_first ? low : high,
			 c->weight_first ? high : low);
	else
		snprintf(text[turn], sizeof(*text), "%u", high);
	return text[turn];
}

static void check_optimum(struct lr_run *r, const struct lr_gang *in_order,
			  const struct lr_place *place, uint32_t cost)
{
	const char *record = r->jobs[0].record;
	bool exact = lr_number(record, "exact") == 1, done;
	uint32_t bound = lr_number(record, "bound");
	uint64_t price = lr_price(&r->c, cost, weight_of(r, in_order, place));
	uint64_t least = least_price(r, in_order, price, &done);

	r->exact += exact;
	r->unproved += !done;
	r->optimal += done && least == price;
	r->over += least < price && lr_price_cost(&r->c, least) ?
			   (double)cost / lr_price_cost(&r->c, least) :
			   1;
	/* then the planner is exact, and all are planned together */
	if (lr_cheaper(least, price) && lr_alike(in_order) &&
	    r->g.policy != LR_SPREAD && !r->g.nonstrict)
		lr_violation(r,
			     "%u members that are alike cost %s, there is one "
			     "of %s",
			     r->g.n_members, words_of(&r->c, price),
			     words_of(&r->c, least));
	if (least < price) {
		lr_tell(r);
		printf("# seed %llu gang %u: cost %s, there is one of %s\n",
		       (unsigned long long)r->c.seed, r->g.number,
		       words_of(&r->c, price), words_of(&r->c, least));
		lr_tell_found(r, "found");
		tell_place(r, place);
	}
	if (exact && least < price)
		lr_violation(r, "exact=1 with %s, there is one of %s",
			     words_of(&r->c, price), words_of(&r->c, least));
	if (!exact && bound != LR_NONE && bound > lr_price_cost(&r->c, least))
		lr_violation(r, "bound=%u, there is one of %s", bound,
			     words_of(&r->c, least));
}

static void check_environment(struct lr_run *r, uint32_t cost)
{
	for (uint32_t i = 0; i < r->g.n_members; i++) {
		char *text = lr_variable(r->jobs[i].id, "SLURM_GANG_RING_COST");

		if (!text || strtoul(text, NULL, 10) != cost)
			lr_violation(r,
				     "job %u: SLURM_GANG_RING_COST=%s, not %u",
				     r->jobs[i].id, text ? text : "", cost);
		free(text);
	}
}

/* What it would cost if nobody else were there. */
static void check_best(struct lr_run *r, const struct lr_gang *in_order)
{
	uint32_t best = lr_number(r->jobs[0].record, "best"), least;
	struct lr_cluster empty = r->c;
	struct lr_gang any = *in_order;
	bool done;

	/* with a range it is that of the upper end */
	for (uint32_t i = 0; i < r->g.n_members; i++) {
		if (r->g.member[i].least)
			return;
	}
	for (uint32_t i = 0; i < empty.n_nodes; i++)
		memset(empty.node[i].used, 0, sizeof(empty.node[i].used));
	if (r->g.patient)
		any.policy = LR_ANYWHERE;
	empty.weight_first = false;
	least = lr_price_cost(&empty, lr_least(&empty, &any,
					       lr_price(&empty, LR_NONE / 2, 0),
					       r->found, &done));
	if (done && lr_alike(in_order) && best != least)
		lr_violation(r, "best=%u, on the empty cluster it is %u", best,
			     least);
}

/* A fifth of them: each question starts a program. */
static void check_sgang(struct lr_run *r, const struct lr_gang *in_order,
			const struct lr_place *place, uint32_t cost,
			uint32_t cross)
{
	uint32_t ids[LR_MEMBERS];
	const char *wrong;

	if (!(r->c.kinds & LR_SHOW) || r->g.number % 5)
		return;
	for (uint32_t i = 0; i < r->g.n_members; i++)
		ids[i] = r->jobs[r->order[i]].id;
	wrong = lr_wrong_map(&r->c, in_order, ids, place);
	if (wrong)
		lr_violation(r, "%s", wrong);
	wrong = lr_wrong_placement(in_order, cost, cross);
	if (wrong)
		lr_violation(r, "%s", wrong);
	r->shown++;
}

/* The node of each rank, from SLURM_GANG_LAYOUT; without it ranks follow each
 * other. -1: some rank has none, or two. */
static int read_layout(struct lr_run *r, const struct lr_gang *in_order,
		       const struct lr_place *place, uint8_t node[LR_LAID_OUT])
{
	uint32_t position = 0, seen = 0, ranks = lr_ranks(in_order);

	for (uint32_t m = 0; m < in_order->n_members; m++) {
		char *text = lr_variable(r->jobs[r->order[m]].id,
					 "SLURM_GANG_LAYOUT");
		char *at = text;

		for (uint32_t i = 0; i < place[m].n * in_order->member[m].tasks;
		     i++) {
			unsigned long rank = at ? strtoul(at, &at, 10) :
						  position;

			if (rank < ranks) {
				seen |= 1u << rank;
				node[rank] =
					place[m].node[i / in_order->member[m]
								  .tasks];
			}
			at += at && *at == ',';
			position++;
		}
		free(text);
	}
	return seen == (1u << ranks) - 1 ? 0 : -1;
}

/* Groups of --gang-parallel: is the weighted cost so, and the least? */
static void check_groups(struct lr_run *r, const struct lr_gang *in_order,
			 const struct lr_place *place)
{
	const char *record = r->jobs[0].record;
	bool exact = lr_number(record, "exact") == 1, done;
	uint32_t bound = lr_number(record, "bound");
	uint8_t node[LR_LAID_OUT];
	uint64_t cost, least;

	if (read_layout(r, in_order, place, node)) {
		lr_violation(r, "SLURM_GANG_LAYOUT is no order of the ranks");
		return;
	}
	cost = lr_weighted(&r->c, in_order, node);
	for (uint32_t i = 0; i < r->g.n_members; i++) {
		uint32_t said = lr_number(r->jobs[i].record, "wcost");

		if (said != cost)
			lr_violation(r, "wcost=%u, counted %llu", said,
				     (unsigned long long)cost);
	}
	r->laid_out++;
	least = lr_least_weighted(&r->c, in_order, r->found, &done);
	r->exact += exact;
	r->unproved += !done;
	r->optimal += done && least >= cost;
	r->over += done ? (double)cost / (double)least : 1;
	if (least < cost) {
		lr_tell(r);
		printf("# seed %llu gang %u: weighted cost %llu, there is one of "
		       "%llu\n",
		       (unsigned long long)r->c.seed, r->g.number,
		       (unsigned long long)cost, (unsigned long long)least);
		lr_tell_found(r, "found");
		tell_place(r, place);
	}
	if (exact && least < cost)
		lr_violation(r, "exact=1 with %llu, there is one of %llu",
			     (unsigned long long)cost,
			     (unsigned long long)least);
	if (done && least > cost)
		lr_violation(r, "%llu, and we know of none below %llu",
			     (unsigned long long)cost,
			     (unsigned long long)least);
	if (!exact && bound != LR_NONE && bound > least)
		lr_violation(r, "bound=%u, there is one of %llu", bound,
			     (unsigned long long)least);
}

static void check_gang(struct lr_run *r, bool alone)
{
	struct lr_place place[LR_MEMBERS];
	struct lr_gang in_order;
	uint32_t cost, cross, tier;

	if (ring_order(r, &in_order) || read_ring(r, place))
		return;
	if (!settle_ranges(r, &in_order, place, alone))
		return;
	cost = lr_cost(&r->c, &in_order, place, &cross, &tier);
	check_policy(r, place);
	if (r->c.inside &&
	    lr_check_islands(r, &in_order, place, &cost, &cross, &tier))
		return;
	check_environment(r, cost);
	check_numbers(r, &in_order, cost, cross, tier);
	if (!alone)
		return;
	if (in_order.n_groups) {
		check_groups(r, &in_order, place);
		return;
	}
	check_sgang(r, &in_order, place, cost, cross);
	if (r->c.inside)
		return;
	check_optimum(r, &in_order, place, cost);
	if (in_order.policy == LR_AUTO)
		lr_check_chosen(r, cost);
	if (r->c.kinds & LR_BEST && r->g.number % 5 == 0 && !r->c.weight_first)
		check_best(r, &in_order);
}

/* Each gang of a group has a ring of its own. Which has the cheaper one is
 * open, so nothing is the least. */
static void check_part(struct lr_run *r, uint32_t set, bool alone)
{
	static struct lr_run part;
	uint32_t n = 0;

	part = *r;
	part.second = r->g.split && set >> r->g.split & 1;
	part.g.split = 0;
	part.g.late = false;
	for (uint32_t i = 0; i < r->g.n_members; i++) {
		if (!(set >> i & 1))
			continue;
		part.g.member[n] = r->g.member[i];
		part.g.rank[n] = r->g.rank[i];
		part.jobs[n] = r->jobs[i];
		part.ids[n++] = r->ids[i];
	}
	part.g.n_members = part.g.min = n;
	check_gang(&part, alone);
	r->violations = part.violations;
	r->told = part.told;
	r->optimal = part.optimal;
	r->unproved = part.unproved;
	r->exact = part.exact;
	r->over = part.over;
	r->fewer = part.fewer;
}

/* What sgang shows has the members that wait, too. */
void lr_check_some(struct lr_run *r, uint32_t set)
{
	uint32_t kinds = r->c.kinds;

	r->c.kinds &= ~LR_SHOW;
	check_part(r, set, true);
	lr_tell_settled(r);
	r->c.kinds = kinds;
}

void lr_check_start(struct lr_run *r)
{
	if (r->g.split) {
		check_part(r, (1u << r->g.split) - 1, false);
		check_part(r, (1u << r->g.n_members) - (1u << r->g.split),
			   false);
	} else {
		check_gang(r, true);
	}
	lr_tell_settled(r);
	r->checked++;
}
