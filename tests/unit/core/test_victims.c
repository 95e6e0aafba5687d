/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_victims.c - whom a gang preempts (3.24, 3.29, 1.17) */

#include "../unit.h"
#include "core/plan/victims.h"
#include "fail_alloc.h"
#include "fuzz.h"

#define TREE_TEST(name) TEST_WITH(name, setup, teardown)

/* Leaves of 4 nodes below a top. */
#define NODES 16
#define LEAF 4
#define DIMS 3
#define VICTIMS 40
#define SOME 12 /* of which there are not too many subsets */
#define FEW 8   /* ... for the planner */
#define HOLDINGS (VICTIMS * NODES)

static const char tree[] = "SwitchName=l0 Nodes=n[00-03]\n"
			   "SwitchName=l1 Nodes=n[04-07]\n"
			   "SwitchName=l2 Nodes=n[08-11]\n"
			   "SwitchName=l3 Nodes=n[12-15]\n"
			   "SwitchName=top Switches=l[0-3]\n";

#define PIECES 16

struct world {
	uint32_t dims, pieces;
	uint32_t total[NODES * DIMS], free[NODES * DIMS];
	uint32_t need[DIMS]; /* of a piece */
	bool in_leaf;        /* all in one leaf */
	bool spread;         /* each in another leaf */
	/* What counting does not know, unless it is `spread`: no more pieces
	 * than that in a leaf (0: as many as there is room for), or only pairs
	 * of them. */
	uint32_t hidden;
	bool pairs;
	struct sgang_victim victim[VICTIMS];
	size_t n, n_holdings;
	uint32_t node[HOLDINGS], amounts[HOLDINGS * DIMS];
	/* What the ring costs when these are gone; 0: it does not fit. */
	uint64_t (*cost_of)(const struct world *w, const bool *gone);
	uint32_t others; /* of the pieces need something else */
	uint32_t other[DIMS];
	uint32_t max_plans, plans;
	uint64_t max_steps;
};

static struct sgang_fabric *fabric;
static struct sgang_costs costs;

static int setup(void **state)
{
	(void)state;
	fabric = sgang_fabric_parse(tree, "tree", NULL, 0, NULL);
	sgang_costs_default(&costs);
	return fabric ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	sgang_fabric_destroy(fabric);
	return 0;
}

/* ---- a packing ---- */

/* Pieces that fit on a node with so much free. */
static uint32_t pieces_on(const struct world *w, const uint32_t *free,
			  const uint32_t *total)
{
	uint32_t most = UINT32_MAX;

	for (uint32_t d = 0; d < w->dims; d++) {
		uint32_t fit = UINT32_MAX;

		if (w->need[d] == SGANG_PLAN_ALL)
			fit = free[d] == total[d];
		else if (w->need[d])
			fit = free[d] / w->need[d];
		most = fit < most ? fit : most;
	}
	return most;
}

static void free_without(const struct world *w, const bool *gone,
			 uint32_t *free)
{
	memcpy(free, w->free, sizeof(w->free));
	for (size_t i = 0; i < w->n; i++) {
		const struct sgang_victim *v = &w->victim[i];

		for (size_t h = v->first; gone[i] && h < v->first + v->n; h++) {
			for (uint32_t d = 0; d < w->dims; d++)
				free[w->node[h] * w->dims + d] +=
					w->amounts[h * w->dims + d];
		}
	}
}

/* Leaves that are needed. */
static uint64_t leaves_for(const struct world *w, const bool *gone)
{
	uint32_t free[NODES * DIMS], room[NODES / LEAF] = { 0 }, left;
	uint32_t leaves = 0;

	free_without(w, gone, free);
	for (uint32_t n = 0; n < NODES; n++)
		room[n / LEAF] += pieces_on(w, free + n * w->dims,
					    w->total + n * w->dims);
	for (uint32_t l = 0; l < NODES / LEAF; l++) {
		if (w->hidden && room[l] > w->hidden)
			room[l] = w->hidden;
		if (w->pairs)
			room[l] &= ~1u;
	}
	for (left = w->pieces; left; leaves++) {
		uint32_t best = 0;

		for (uint32_t l = 1; l < NODES / LEAF; l++)
			best = room[l] > room[best] ? l : best;
		if (!room[best] || (w->in_leaf && room[best] < left))
			return 0;
		left -= room[best] < left ? room[best] : left;
		room[best] = 0;
	}
	return leaves;
}

/* What plans are made of. */
static void plan_request(const struct world *w,
			 struct sgang_plan_member *members,
			 struct sgang_plan_request *plan)
{
	for (uint32_t i = 0; i < w->pieces; i++) {
		const uint32_t *need = i < w->others ? w->other : w->need;

		members[i] = (struct sgang_plan_member){
			.units = 1,
			.slots = need[0] == SGANG_PLAN_ALL ? 0 : need[0],
			.ranks = 1,
			.need = need,
		};
	}
	*plan = (struct sgang_plan_request){
		.fabric = fabric,
		.costs = &costs,
		.n_dims = w->dims,
		.free = w->free,
		.total = w->total,
		.members = members,
		.n_members = w->pieces,
		.spread = w->spread,
		.spread_level = SGANG_LEVEL_LEAF,
		.max_level = w->in_leaf ? SGANG_LEVEL_LEAF :
					  SGANG_LEVEL_UNCONNECTED,
	};
}

/* A plan of the planner. */
static uint64_t plan_for(const struct world *w, const bool *gone)
{
	struct sgang_plan_member members[PIECES];
	struct sgang_placement *placement = NULL;
	struct sgang_plan_request plan;
	uint32_t free[NODES * DIMS];
	uint64_t cost = 0;

	plan_request(w, members, &plan);
	free_without(w, gone, free);
	plan.free = free;
	if (sgang_plan(&plan, &placement, NULL, NULL) == 1)
		cost = 1 + placement->ring.cost;
	sgang_placement_destroy(placement);
	return cost;
}

static bool fits(void *arg, const bool *gone, uint64_t *cost)
{
	struct world *w = arg;

	w->plans++;
	*cost = w->cost_of(w, gone);
	return *cost != 0;
}

static int choose(struct world *w, bool *gone,
		  struct sgang_victims_report *report)
{
	struct sgang_plan_member members[PIECES];
	struct sgang_plan_request plan;
	const struct sgang_victims_request rq = {
		.plan = &plan,
		.victims = w->victim,
		.n_victims = w->n,
		.node = w->node,
		.amounts = w->amounts,
		.fits = fits,
		.arg = w,
		.max_plans = w->max_plans,
		.max_steps = w->max_steps,
	};

	assert_in_range(w->pieces, 1, PIECES);
	plan_request(w, members, &plan);
	w->plans = 0;
	return sgang_victims_choose(&rq, gone, report);
}

/* ---- worlds as text ---- */

/* A victim: its harm (g, e, r, k, G), then words: p<priority>, j<jobs>,
 * l<lost>, a<extras after it>, o<victim that is the rest of its gang>, and what
 * it holds: <node>=<amount>[/<amount>...], "4-6=8" on each of several. */
static void add_victim(struct world *w, const char *text)
{
	static const char harms[] = "gerkG";
	struct sgang_victim *v = &w->victim[w->n++];
	char copy[200], *save, *word;

	*v = (struct sgang_victim){
		.harm = (enum sgang_harm)(strchr(harms, text[0]) - harms),
		.jobs = 1,
		.gang = SGANG_VICTIM_NONE,
		.first = w->n_holdings,
	};
	snprintf(copy, sizeof(copy), "%s", text + 1);
	for (word = strtok_r(copy, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		unsigned from, to, a[DIMS] = { 0 };
		unsigned long number = strtoul(word + 1, NULL, 10);

		switch (word[0]) {
		case 'p':
			v->priority = (uint32_t)number;
			continue;
		case 'j':
			v->jobs = (uint32_t)number;
			continue;
		case 'l':
			v->lost = number;
			continue;
		case 'a':
			v->later = (uint32_t)number;
			continue;
		case 'o':
			v->gang = number;
			continue;
		}
		if (sscanf(word, "%u-%u=", &from, &to) != 2) {
			assert_int_equal(sscanf(word, "%u=", &from), 1);
			to = from;
		}
		assert_in_range(sscanf(strchr(word, '=') + 1, "%u/%u/%u", &a[0],
				       &a[1], &a[2]),
				1, DIMS);
		for (; from <= to; from++, v->n++, w->n_holdings++) {
			w->node[w->n_holdings] = from;
			for (uint32_t d = 0; d < w->dims; d++)
				w->amounts[w->n_holdings * w->dims + d] = a[d];
		}
	}
}

struct row {
	const char *what;
	uint32_t pieces;
	const char *victims; /* "g 0=8; r 1=8" */
	const char *gone;    /* "x" or "." for each; "none" */
	const char *need;    /* of a piece, "4" or "4/1"; NULL: "all" */
	const char *total;   /* of each node; NULL: "8" */
	bool in_leaf;
	uint32_t plans;   /* that may be made; 0: 24 */
	const char *free; /* "node=amount ..." beside what they hold */
};

static const struct row rows[] = {
	/* all or nobody */
	{ "nobody if nobody has to go", 2, "r 0=8", ".", .plans = 2,
	  .free = "1=8 2=8" },
	{ "too few even if all went: counting says so", 3, "r 0=8; r 1=8",
	  .gone = "none" },
	{ "too few in a leaf", 2, "r 3=8; r 4=8", "none", .in_leaf = true },
	{ "what others have is not given back", 1, "r 0=4", .gone = "none" },
	{ "all of them", 2, "r 0=8; r 1=8", "xx", .plans = 1 },
	{ "no candidate", 1, "", .gone = "none" },

	/* the order of harm */
	{ "going before all others", 1, "e l1 0=8; g p9 l999 1=8", ".x",
	  .plans = 2 },
	{ "an extra before who is requeued", 1, "r l1 0=8; e p9 l999 1=8",
	  .gone = ".x" },
	{ "requeued before killed", 1, "k l1 0=8; r p9 l999 1=8",
	  .gone = ".x" },
	{ "killed before a gang", 1, "G l1 0=8; k p9 l999 1=8", .gone = ".x" },
	{ "many of less harm before one that is worse", 3,
	  "k 0-2=8; r 3=8; r 4=8; r 5=8", .gone = ".xxx" },
	{ "lower priority first", 1, "r p2 l1 0=8; r p1 l999 1=8",
	  .gone = ".x" },
	{ "many of low priority before one of a higher one", 2,
	  "r p2 0-1=8; r p1 2=8; r p1 3=8", .gone = ".xx" },
	{ "the highest priority counts first", 2,
	  "r p3 0=8; r p1 1=8; r p2 l9 2=8; r p2 3=8", .gone = ".x.x" },
	{ "the worse harm decides before priority", 2,
	  "k p1 0=8; r p9 1=8; r p9 2=8", .gone = ".xx" },
	{ "fewer jobs", 2, "r l1 0=8; r l1 1=8; r l999 2-3=8", .gone = "..x" },
	{ "the smaller of two gangs", 1, "G j3 l1 0=8; G j2 l9 1=8",
	  .gone = ".x" },
	{ "less lost work", 1, "r l10 0=8; r l9 1=8; r l11 2=8",
	  .gone = ".x." },
	{ "the cheaper ring before less lost work", 2,
	  "r l9 0=8; r l1 4=8; r l9 1=8; r l1 8=8", .gone = "x.x." },
	{ "fewer victims before the cheaper ring", 2, "r 0=8; r 1=8; r 4=8 8=8",
	  .gone = "..x" },

	/* gangs */
	{ "a gang goes whole", 1, "G j3 0=8 4=8 8=8", .gone = "x" },
	{ "... and with its extras", 2, "G j2 0-1=8; e o0 2=4; k 2=4",
	  .gone = "xx." },
	{ "an extra alone", 1, "G j2 0-1=8; e a1 o0 l1 2=8; e a0 o0 l9 3=8",
	  .gone = "..x" },
	{ "the last that came goes first", 2,
	  "e a2 l1 0=8; e a0 l9 1=8; e a1 l9 2=8", .gone = ".xx" },
	{ "extras before the gang, which then stays", 3,
	  "G 0-2=8; e o0 3=8; e o0 4=8; e o0 5=8", .gone = ".xxx" },
	{ "extras of a gang that is going stay if they can", 2,
	  "g j2 0=8; e o0 1=4; r 2=8", .gone = "x.x" },

	/* nobody who is not needed */
	{ "one large job, not the small ones before it", 4,
	  "r l1 0=8; r l2 1=8; r l9 4-7=8", .gone = "..x" },
	{ "two of three on shared nodes", 1, "r l1 0=4; r l1 1=4; r l9 0=4",
	  "x.x", .free = "1=2" },
	{ "free nodes are used first", 3, "r 0=8; r 1=8", "x.",
	  .free = "4=8 5=8" },

	/* shared nodes */
	{ "cores of two jobs on one node", 1, "r 0=3; r 0=3; r p1 1=8", "xx.",
	  .need = "6", .free = "0=2" },
	{ "what is free counts", 1, "r l9 0=4; r l1 1=4", "x.", .need = "6",
	  .free = "0=4 1=1" },
	{ "memory counts", 1, "r l1 0=8/2; r l9 1=2/8", ".x", .need = "2/6",
	  .total = "8/8", .free = "1=6/0" },
	{ "GPUs count", 2, "r 0=4/4/0; r p1 0=2/2/4", ".x", .need = "1/1/2",
	  .total = "8/8/4", .free = "0=2/2/0" },
	{ "two pieces on one node", 2, "r l9 0=8; r l1 1=4; r l1 2=4", "x..",
	  .need = "4" },

	/* places */
	{ "all in one leaf: two there, not one here", 3, "r 0=8; r 4=8; r 5=8",
	  ".xx", .in_leaf = true, .free = "1=8 6=8" },
	{ "the leaf of less harm, if more go there", 2, "k 0=8; r 4=8; r 5=8",
	  ".xx", .in_leaf = true, .free = "1=8" },
	{ "victims of other leaves stay", 1, "r l1 0=4; r l1 4=4; r l9 0=4",
	  "x.x", .in_leaf = true, .free = "4=2" },
};

static void read_amounts(const char *text, uint32_t *amounts)
{
	unsigned a[DIMS] = { 0 };

	sscanf(text, "%u/%u/%u", &a[0], &a[1], &a[2]);
	for (uint32_t d = 0; d < DIMS; d++)
		amounts[d] = strcmp(text, "all") ? a[d] : SGANG_PLAN_ALL;
}

static void read_free(struct world *w, const char *text)
{
	char copy[200], *save, *word;

	snprintf(copy, sizeof(copy), "%s", text);
	for (word = strtok_r(copy, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		uint32_t amounts[DIMS];

		read_amounts(strchr(word, '=') + 1, amounts);
		memcpy(w->free + strtoul(word, NULL, 10) * w->dims, amounts,
		       w->dims * sizeof(*amounts));
	}
}

static void read_row(struct world *w, const struct row *row)
{
	const char *totals = row->total ? row->total : "8";
	char copy[200], *save, *word;
	uint32_t total[DIMS];

	memset(w, 0, sizeof(*w));
	w->cost_of = leaves_for;
	w->dims = 1;
	for (const char *c = totals; *c; c++)
		w->dims += *c == '/';
	w->pieces = row->pieces;
	w->in_leaf = row->in_leaf;
	read_amounts(row->need ? row->need : "all", w->need);
	read_amounts(totals, total);
	for (uint32_t n = 0; n < NODES; n++)
		memcpy(w->total + n * w->dims, total, w->dims * sizeof(*total));
	read_free(w, row->free ? row->free : "");
	snprintf(copy, sizeof(copy), "%s", row->victims);
	for (word = strtok_r(copy, ";", &save); word;
	     word = strtok_r(NULL, ";", &save))
		add_victim(w, word + (word[0] == ' '));
}

/* 3.24, 3.29, 1.17: one rule a row. */
TREE_TEST(test_rows)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		struct sgang_victims_report report;
		bool gone[VICTIMS] = { false };
		char text[VICTIMS + 1] = "none";
		struct world w;
		int rc;

		read_row(&w, row);
		rc = choose(&w, gone, &report);
		for (size_t v = 0; rc == 1 && v <= w.n; v++)
			text[v] = v == w.n ? '\0' : gone[v] ? 'x' : '.';
		if (strcmp(text, row->gone))
			fail_msg("%s: %s instead of %s", row->what, text,
				 row->gone);
		assert_in_range(w.plans, 0, row->plans ? row->plans : 24);
	}
}

/* ---- all subsets ---- */

#define PRIORITIES 3

/* Harm as numbers of which the first that differs decides. */
#define HARM_NUMBERS (4 * PRIORITIES + 4)
enum { AT_JOBS = 4 * PRIORITIES, AT_LATER, AT_COST, AT_LOST };

static void harm_of(const struct world *w, uint32_t set, uint64_t cost,
		    uint64_t *harm)
{
	memset(harm, 0, HARM_NUMBERS * sizeof(*harm));
	harm[AT_COST] = cost;
	for (size_t i = 0; i < w->n; i++) {
		const struct sgang_victim *v = &w->victim[i];

		if (!(set & 1u << i) || v->harm == SGANG_HARM_GOING)
			continue;
		harm[(SGANG_HARM_GANG - v->harm) * PRIORITIES + PRIORITIES - 1 -
		     v->priority]++;
		harm[AT_JOBS] += v->jobs;
		harm[AT_LATER] += v->later;
		harm[AT_LOST] += v->lost;
	}
}

/* How many of the numbers are the same; '*less' says which is less then. */
static size_t same_numbers(const uint64_t *a, const uint64_t *b, bool *less)
{
	size_t i = 0;

	while (i < HARM_NUMBERS && a[i] == b[i])
		i++;
	*less = i < HARM_NUMBERS && a[i] < b[i];
	return i;
}

/* May this set go? Those that are going do, and with a gang its extras. */
static bool may_go(const struct world *w, uint32_t set)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct sgang_victim *v = &w->victim[i];
		bool goes = set & 1u << i;

		if (v->harm == SGANG_HARM_GOING && !goes)
			return false;
		if (v->harm == SGANG_HARM_EXTRA && !goes &&
		    v->gang != SGANG_VICTIM_NONE && set & 1u << v->gang)
			return false;
	}
	return true;
}

static void flags_of(uint32_t set, bool *gone)
{
	for (size_t i = 0; i < SOME; i++)
		gone[i] = set & 1u << i;
}

/* The least harm of all subsets. False: there is none that fits. */
static bool least_harm(const struct world *w, uint64_t *least)
{
	bool found = false, less;

	for (uint32_t set = 0; set < 1u << w->n; set++) {
		uint64_t harm[HARM_NUMBERS];
		bool gone[VICTIMS];
		uint64_t cost;

		flags_of(set, gone);
		if (!may_go(w, set) || !(cost = w->cost_of(w, gone)))
			continue;
		harm_of(w, set, cost, harm);
		(void)same_numbers(harm, least, &less);
		if (!found || less)
			memcpy(least, harm, sizeof(harm));
		found = true;
	}
	return found;
}

/* ---- random worlds ---- */

/* How worlds are made. */
enum {
	WHOLE = 1,    /* jobs have whole nodes */
	ALL = 2,      /* the gang wants whole nodes */
	GANGS = 4,    /* gangs and their extras are among the victims */
	IN_LEAF = 8,  /* often all has to be in one leaf */
	PAIRS = 16,   /* pieces come in pairs within a leaf */
	PLANNED = 32, /* members of two sorts, and the planner says who fits */
	MANY = 64,    /* victims */
	SPREAD = 128, /* each piece in a leaf of its own */
};

struct making {
	const char *what;
	uint32_t dims;
	unsigned how;
	uint32_t hidden; /* as in a world */
};

static const struct making makings[] = {
	{ "whole nodes", 1, WHOLE | ALL, 0 },
	{ "whole nodes in a leaf", 1, WHOLE | ALL | IN_LEAF, 0 },
	{ "shared nodes", 2, 0, 0 },
	{ "shared nodes in a leaf", 2, IN_LEAF, 0 },
	{ "shared nodes, all of each", 3, ALL, 0 },
	{ "gangs", 3, GANGS, 0 },
	{ "gangs in a leaf", 2, ALL | GANGS | IN_LEAF, 0 },
	{ "gangs on whole nodes", 1, WHOLE | ALL | GANGS, 0 },
	{ "different leaves", 2, SPREAD, 1 },
};

/* What a job takes of a node; nothing where it does not fit. */
static bool take_some(struct world *w, const struct making *m, uint32_t node,
		      uint64_t *seed, uint32_t *amounts)
{
	uint32_t *free = w->free + node * w->dims;

	for (uint32_t d = 0; d < w->dims; d++) {
		amounts[d] = m->how & WHOLE ?
				     w->total[node * w->dims + d] :
				     (uint32_t)fuzz_below(seed, d ? 5 : 6);
		if (!d && !amounts[d])
			amounts[d] = 1;
		if (amounts[d] > free[d])
			return false;
	}
	for (uint32_t d = 0; d < w->dims; d++)
		free[d] -= amounts[d];
	return true;
}

/* A job on some nodes, if it finds room. */
static void add_random(struct world *w, const struct making *m, uint64_t *seed)
{
	static const uint32_t sizes[] = { 1, 1, 1, 2, 2, 3, 4, 6 };
	uint32_t size = sizes[fuzz_below(seed, 8)], tries = 0;
	struct sgang_victim v = {
		.harm = fuzz_below(seed, 8) ? fuzz_below(seed, 3) ?
					      SGANG_HARM_REQUEUED :
					      SGANG_HARM_KILLED :
					      SGANG_HARM_GOING,
		.priority = (uint32_t)(fuzz_below(seed, 3) / 2),
		.jobs = 1,
		.gang = SGANG_VICTIM_NONE,
		.lost = fuzz_below(seed, 1000),
		.first = w->n_holdings,
	};
	uint32_t node = (uint32_t)fuzz_below(seed, NODES);
	bool keeps = fuzz_below(seed, 9) == 0; /* it is no victim */

	if (m->how & GANGS && !fuzz_below(seed, 3)) {
		v.harm = SGANG_HARM_GANG;
		v.jobs = 1 + (uint32_t)fuzz_below(seed, 3);
	} else if (m->how & GANGS && !fuzz_below(seed, 2)) {
		v.harm = SGANG_HARM_EXTRA;
		v.later = (uint32_t)fuzz_below(seed, 3);
		if (w->n && w->victim[w->n - 1].harm == SGANG_HARM_GANG)
			v.gang = w->n - 1;
		else if (w->n)
			v.gang = w->victim[w->n - 1].gang;
	}
	for (; v.n < size && tries < NODES;
	     tries++, node = (node + 1) % NODES) {
		uint32_t amounts[DIMS];

		if (!take_some(w, m, node, seed, amounts) || keeps)
			continue;
		w->node[w->n_holdings] = node;
		memcpy(w->amounts + w->n_holdings * w->dims, amounts,
		       w->dims * sizeof(*amounts));
		w->n_holdings++;
		v.n++;
	}
	if (v.n)
		w->victim[w->n++] = v;
}

static void make_world(struct world *w, const struct making *m, uint64_t *seed)
{
	uint32_t most = m->how & MANY ? VICTIMS : m->how & PLANNED ? FEW : SOME;
	uint32_t tries = 0;

	memset(w, 0, sizeof(*w));
	w->cost_of = m->how & PLANNED ? plan_for : leaves_for;
	w->dims = m->dims;
	for (uint32_t n = 0; n < NODES; n++) {
		for (uint32_t d = 0; d < w->dims; d++)
			w->total[n * w->dims + d] = d ? 4 + 4 * d : 8;
		w->total[n * w->dims] += fuzz_below(seed, 6) == 0 ? 4 : 0;
	}
	memcpy(w->free, w->total, sizeof(w->free));
	while (w->n < most && tries++ < 2 * most)
		add_random(w, m, seed);
	for (uint32_t n = 0; n < NODES; n++) { /* what others have */
		for (uint32_t d = 0; d < w->dims && fuzz_below(seed, 2); d++)
			w->free[n * w->dims + d] -= (uint32_t)fuzz_below(
				seed, w->free[n * w->dims + d] + 1);
	}
	for (uint32_t d = 0; d < w->dims; d++)
		w->need[d] = m->how & ALL ? SGANG_PLAN_ALL :
			     d            ? (uint32_t)fuzz_below(seed, 5) :
					    2 + (uint32_t)fuzz_below(seed, 5);
	w->pieces = 1 + (uint32_t)fuzz_below(seed, 8);
	w->others = m->how & PLANNED ?
			    (uint32_t)fuzz_below(seed, w->pieces + 1) :
			    0;
	for (uint32_t d = 0; d < w->dims; d++)
		w->other[d] = 1 + (uint32_t)fuzz_below(seed, d ? 3 : 8);
	w->in_leaf = m->how & IN_LEAF && fuzz_below(seed, 4);
	w->hidden = m->hidden;
	w->spread = m->how & SPREAD;
	if (w->spread)
		w->pieces = 1 + (uint32_t)fuzz_below(seed, NODES / LEAF);
	w->pairs = m->how & PAIRS;
	if (w->pairs)
		w->pieces = 2 * (1 + (uint32_t)fuzz_below(seed, 4));
	if (w->in_leaf && m->how & ALL)
		w->pieces = 1 + (uint32_t)fuzz_below(seed, LEAF);
}

/* What came out for the worlds of some makings. */
struct score {
	unsigned worlds; /* in which somebody has to go */
	unsigned least;  /* no set is less harm */
	unsigned number; /* ... or has fewer victims of a kind, or jobs */
	unsigned plans;
	double more; /* jobs that are preempted, for one that must be */
};

static void choose_for(struct world *w, struct score *score)
{
	uint64_t best[HARM_NUMBERS] = { 0 }, found[HARM_NUMBERS], cost;
	struct sgang_victims_report report;
	bool gone[VICTIMS] = { false }, less;
	uint32_t set = 0;
	size_t same;
	int rc = choose(w, gone, &report);

	assert_int_equal(rc, least_harm(w, best));
	assert_true(rc || w->plans <= 1);
	assert_in_range(w->plans, 0, SGANG_VICTIMS_PLANS);
	if (!rc)
		return;
	for (size_t i = 0; i < w->n; i++)
		set |= gone[i] ? 1u << i : 0;
	assert_true(may_go(w, set));
	cost = w->cost_of(w, gone);
	assert_true(cost);
	harm_of(w, set, cost, found);
	assert_int_equal(report.cost, cost);
	assert_int_equal(report.jobs, found[AT_JOBS]);
	assert_int_equal(report.plans, w->plans);
	same = same_numbers(best, found, &less);
	assert_true(less || same == HARM_NUMBERS);
	if (!best[AT_JOBS])
		return;
	score->worlds++;
	score->least += same == HARM_NUMBERS;
	score->number += same >= AT_LATER;
	score->plans += w->plans;
	score->more += (double)found[AT_JOBS] / (double)best[AT_JOBS];
}

static void score_all(const struct making *making, size_t n, unsigned rounds,
		      uint64_t seed, struct score *score)
{
	for (; n--; making++) {
		struct score before = *score;

		for (unsigned i = 0; i < rounds; i++) {
			struct world w;

			make_world(&w, making, &seed);
			choose_for(&w, score);
		}
		print_message("%s: %u worlds, least harm in %u, right number "
			      "in %u, %.1f plans, %.3f jobs\n",
			      making->what, score->worlds - before.worlds,
			      score->least - before.least,
			      score->number - before.number,
			      (score->plans - before.plans) /
				      (double)(score->worlds - before.worlds),
			      (score->more - before.more) /
				      (double)(score->worlds - before.worlds));
	}
}

/* 3.24, 3.29, 1.17: as good as the best of all subsets. */
TREE_TEST(test_all_subsets)
{
	struct score score = { .worlds = 0 };

	score_all(makings, COUNT(makings), 300, 15, &score);
	assert_true(score.worlds >= 1000);
	assert_true(score.least >= 0.99 * score.worlds);
	assert_true(score.number >= 0.995 * score.worlds);
}

static const struct making hidden[] = {
	{ "two in a leaf", 1, WHOLE | ALL, 2 },
	{ "one in a leaf", 2, 0, 1 },
	{ "pairs", 1, WHOLE | ALL | GANGS | PAIRS, 0 },
	{ "pairs on shared nodes", 2, PAIRS, 0 },
};

/* 3.29: what counting does not know is found out by plans. Who fits is right in
 * any case. */
TREE_TEST(test_hidden)
{
	struct score score = { .worlds = 0 };

	score_all(hidden, COUNT(hidden), 300, 16, &score);
	assert_true(score.worlds >= 500);
	assert_true(score.number >= 0.85 * score.worlds);
	assert_true(score.more <= 1.1 * score.worlds);
}

static const struct making planned[] = {
	{ "two sorts on shared nodes", 2, PLANNED, 0 },
	{ "two sorts in a leaf", 2, GANGS | IN_LEAF | PLANNED, 0 },
	{ "whole nodes and others", 2, ALL | GANGS | PLANNED, 0 },
};

/* 3.24, 3.29: members that differ, and the planner itself. */
TREE_TEST(test_planned)
{
	struct score score = { .worlds = 0 };

	score_all(planned, COUNT(planned), 250, 17, &score);
	assert_true(score.worlds >= 200);
	assert_true(score.least >= 0.97 * score.worlds);
}

/* ---- more victims than can be gone through ---- */

static const struct making many[] = {
	{ "many whole nodes", 1, WHOLE | ALL | MANY, 0 },
	{ "many on shared nodes", 3, MANY, 0 },
	{ "many on shared nodes, all of each", 2, ALL | GANGS | MANY, 0 },
	{ "many in a leaf", 2, GANGS | IN_LEAF | MANY, 0 },
};

/* Nobody of a set can be left out, its gang and extras apart. */
static void check_minimal(const struct world *w, bool *gone)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct sgang_victim *v = &w->victim[i];

		if (!gone[i] || v->harm == SGANG_HARM_GOING ||
		    (v->gang != SGANG_VICTIM_NONE && gone[v->gang]))
			continue;
		gone[i] = false;
		assert_int_equal(w->cost_of(w, gone), 0);
		gone[i] = true;
	}
}

/* 3.24, 3.29: with and without a search nobody goes who need not, and the same
 * question has the same answer. */
TREE_TEST(test_many)
{
	uint64_t seed = 18;
	unsigned n = 0;

	for (size_t i = 0; i < 4 * 200; i++) {
		struct sgang_victims_report report;
		bool gone[VICTIMS], again[VICTIMS], all[VICTIMS];
		struct world w;
		int rc;

		make_world(&w, &many[i / 200], &seed);
		w.max_steps = i % 2;
		memset(all, true, sizeof(all));
		rc = choose(&w, gone, &report);
		assert_int_equal(rc, w.cost_of(&w, all) != 0);
		if (!rc)
			continue;
		n += report.jobs > 1;
		assert_true(w.cost_of(&w, gone));
		check_minimal(&w, gone);
		assert_int_equal(choose(&w, again, NULL), 1);
		assert_memory_equal(gone, again, w.n);
	}
	assert_true(n > 200);
}

/* 3.24: no more plans than are allowed, whatever they say. */
TREE_TEST(test_few_plans)
{
	uint64_t seed = 19;

	for (size_t i = 0; i < 1200; i++) {
		uint32_t plans = 1 + (uint32_t)i % 12;
		bool gone[VICTIMS], all[VICTIMS];
		struct world w;

		make_world(&w, &hidden[i % 4], &seed);
		w.max_plans = plans;
		memset(all, true, sizeof(all));
		if (choose(&w, gone, NULL)) {
			assert_true(w.cost_of(&w, gone));
		} else if (plans == 12) {
			assert_int_equal(w.cost_of(&w, all), 0);
		}
		assert_in_range(w.plans, 0, plans);
	}
}

TREE_TEST(test_no_memory)
{
	bool gone[VICTIMS], before[VICTIMS];
	struct world w;
	unsigned long n;

	read_row(&w, &rows[7]);
	memset(gone, true, sizeof(gone));
	memcpy(before, gone, sizeof(gone));
	for (n = 1;; n++) {
		long live = fail_live;
		int rc;

		fail_at(n);
		rc = choose(&w, gone, NULL);
		fail_countdown = 0;
		assert_int_equal(fail_live, live);
		if (!fail_happened) {
			assert_int_equal(rc, 1);
			break;
		}
		assert_int_equal(rc, -1);
		assert_int_equal(errno, ENOMEM);
		assert_memory_equal(gone, before, sizeof(gone));
	}
	assert_true(n > 1);
}

TEST_MAIN(NULL, NULL)
