/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_branches_any.c - trees of groups on a toy cluster, against trying all
 *
 * 1,000 seeded fabrics with busy nodes and trees of up to three groups in each
 * other, with minima, weights, and levels that are required and preferred. The
 * judge knows what was submitted, which nodes are free, and which nodes members
 * got. It tries all sets of members and all their placements.
 */

#include "../unit.h"
#include "../core/fuzz.h"
#include "toy_cluster.h"

#ifndef WORLDS
#ifdef __SANITIZE_THREAD__
#define WORLDS 100
#else
#define WORLDS 1000
#endif
#endif
#define FEW 8 /* nodes */
#define MEMBERS 7
#define GROUPS 16
#define NONE 9 /* no level */

/* A group; 0 is the gang. Those in it follow it. */
struct group {
	int up;
	bool leaf;
	uint32_t min, weight, require, prefer;
	char name[8];
};

struct who {
	int leaf;
	uint32_t nodes, cpus; /* on each; 0: all */
	uint64_t must;        /* these nodes, by -w; 0: any */
};

struct world {
	uint32_t leaf_of[FEW], spine_of[FEW]; /* by node */
	uint32_t used[FEW];                   /* CPUs */
	struct group group[GROUPS];
	int n_groups;
	struct who who[MEMBERS];
	uint32_t n, ids[MEMBERS];
	char text[2048];
};

struct tally {
	uint32_t gathered, fit, ran, exact, best, never;
};

#define CHECK(what)                                                          \
	do {                                                                 \
		if (!(what))                                                 \
			fail_msg("%s: not %s\n%s", context, #what, w->text); \
	} while (0)

/* ---- the judge: which sets of members are a minimum ---- */

static bool has_it(const struct world *w, uint32_t set, int g)
{
	uint32_t count = 0;

	if (w->group[g].leaf) {
		for (uint32_t i = 0; i < w->n; i++)
			count += (set >> i & 1) && w->who[i].leaf == g;
	} else {
		for (int i = g + 1; i < w->n_groups; i++)
			count += w->group[i].up == g && has_it(w, set, i);
	}
	return count >= w->group[g].min;
}

/* Without any of its members it is none. */
static bool is_minimum(const struct world *w, uint32_t set)
{
	if (!has_it(w, set, 0))
		return false;
	for (uint32_t i = 0; i < w->n; i++) {
		if ((set >> i & 1) && has_it(w, set & ~(1u << i), 0))
			return false;
	}
	return true;
}

/* ---- the judge: placements ---- */

static bool is_in(const struct world *w, int g, int in)
{
	for (; in > g; in = w->group[in].up)
		;
	return in == g;
}

/* The level at which two nodes meet. */
static uint32_t meet(const struct world *w, uint32_t a, uint32_t b)
{
	if (a == b)
		return 0;
	if (w->leaf_of[a] == w->leaf_of[b])
		return 2;
	return w->spine_of[a] == w->spine_of[b] ? 3 : 4;
}

struct worth {
	uint64_t above, cost;
};

/* What one group pays for the nodes of its members. False: it spans more than
 * it may. */
static bool add_group(const struct world *w, int g, const uint64_t *nodes,
		      uint32_t set, const uint32_t *hop, struct worth *worth)
{
	uint32_t ranks[FEW] = { 0 }, list[FEW], n = 0, all = 0;
	uint64_t ring = 0;

	for (uint32_t i = 0; i < w->n; i++) {
		if (!(set >> i & 1) || !is_in(w, g, w->who[i].leaf))
			continue;
		for (uint32_t k = 0; k < FEW; k++)
			ranks[k] += nodes[i] >> k & 1;
	}
	for (uint32_t k = 0; k < FEW; k++) {
		all += ranks[k];
		if (ranks[k])
			list[n++] = k;
	}
	for (uint32_t k = 0; n > 1 && k < n; k++) {
		uint32_t level = meet(w, list[k], list[(k + 1) % n]);

		ring += hop[level];
		if (level > w->group[g].require)
			return false;
		worth->above += level > w->group[g].prefer ?
					level - w->group[g].prefer :
					0;
	}
	if (all > 1)
		worth->cost += w->group[g].weight *
			       (ring + hop[0] * (n > 1 ? all - n : all));
	return true;
}

static bool add_all(const struct world *w, const uint64_t *nodes, uint32_t set,
		    const uint32_t *hop, struct worth *worth)
{
	memset(worth, 0, sizeof(*worth));
	for (int g = 0; g < w->n_groups; g++) {
		if (!add_group(w, g, nodes, set, hop, worth))
			return false;
	}
	return true;
}

static bool less(const struct worth *a, const struct worth *b)
{
	return a->above != b->above ? a->above < b->above : a->cost < b->cost;
}

struct search {
	const struct world *w;
	const uint32_t *hop;
	uint32_t set;
	uint32_t used[FEW];
	uint64_t nodes[MEMBERS];
	bool any; /* the first will do */
	bool found;
	struct worth best;
};

static bool same(const struct who *a, const struct who *b)
{
	return a->leaf == b->leaf && a->nodes == b->nodes &&
	       a->cpus == b->cpus && a->must == b->must;
}

/* All ways to give nodes to the i-th member and those behind it. */
static void try_member(struct search *s, uint32_t i)
{
	const struct world *w = s->w;
	uint32_t cpus;

	while (i < w->n && !(s->set >> i & 1))
		i++;
	if (i == w->n) {
		struct worth worth;

		if (add_all(w, s->nodes, s->set, s->hop, &worth) &&
		    (!s->found || less(&worth, &s->best))) {
			s->best = worth;
			s->found = true;
		}
		return;
	}
	cpus = w->who[i].cpus ? w->who[i].cpus : CPUS;
	for (uint64_t nodes = 1; nodes < UINT64_C(1) << FEW; nodes++) {
		bool room = (uint32_t)__builtin_popcountll(nodes) ==
				    w->who[i].nodes &&
			    (!w->who[i].must || nodes == w->who[i].must);

		/* of equal members the first has the first nodes */
		if (i && (s->set >> (i - 1) & 1) &&
		    same(&w->who[i], &w->who[i - 1]) && nodes < s->nodes[i - 1])
			continue;
		for (uint32_t k = 0; room && k < FEW; k++)
			room = !(nodes >> k & 1) || s->used[k] + cpus <= CPUS;
		if (!room)
			continue;
		for (uint32_t k = 0; k < FEW; k++)
			s->used[k] += (nodes >> k & 1) ? cpus : 0;
		s->nodes[i] = nodes;
		try_member(s, i + 1);
		for (uint32_t k = 0; k < FEW; k++)
			s->used[k] -= (nodes >> k & 1) ? cpus : 0;
		if (s->found && s->any)
			return;
	}
}

static bool set_fits(const struct world *w, uint32_t set, bool empty,
		     const uint32_t *hop, struct worth *best)
{
	struct search s = { .w = w, .set = set, .hop = hop, .any = !best };

	if (!empty)
		memcpy(s.used, w->used, sizeof(s.used));
	try_member(&s, 0);
	if (best)
		*best = s.best;
	return s.found;
}

static bool any_fits(const struct world *w, bool empty, const uint32_t *hop)
{
	for (uint32_t set = 1; set < 1u << w->n; set++) {
		if (is_minimum(w, set) && set_fits(w, set, empty, hop, NULL))
			return true;
	}
	return false;
}

/* ---- worlds ---- */

static uint32_t below(uint64_t *fuzz, uint32_t n)
{
	return (uint32_t)fuzz_below(fuzz, n);
}

/* Two to four leaves of unlike sizes, under one spine or two. */
static void make_fabric(struct world *w, uint64_t *fuzz, char *text)
{
	uint32_t leaf = 0, split = 1 + below(fuzz, 2), first = 0;
	char *p = text;

	for (uint32_t n = 0; n < FEW; n++) {
		if (n && leaf < 3 && n > first && !below(fuzz, 2)) {
			p += sprintf(p, "SwitchName=l%u Nodes=n[%u-%u]\n",
				     leaf++, first, n - 1);
			first = n;
		}
		w->leaf_of[n] = leaf;
		w->spine_of[n] = leaf >= split;
	}
	p += sprintf(p, "SwitchName=l%u Nodes=n[%u-%u]\n", leaf, first,
		     FEW - 1);
	p += sprintf(p, "SwitchName=s0 Switches=l[0-%u]\n",
		     leaf < split ? leaf : split - 1);
	if (leaf >= split)
		p += sprintf(p, "SwitchName=s1 Switches=l[%u-%u]\n", split,
			     leaf);
	sprintf(p, "SwitchName=top Switches=s[0-%d]\n", leaf >= split);
}

static int add(struct world *w, uint64_t *fuzz, int up, bool leaf)
{
	static const uint32_t require[] = { NONE, NONE, 2, 2, 3 };
	static const uint32_t weights[] = { 1, 1, 10, 100 };
	int g = w->n_groups++;

	w->group[g] = (struct group){
		.up = up,
		.leaf = leaf,
		.weight = weights[below(fuzz, 4)],
		.require = require[below(fuzz, 5)],
		.prefer = below(fuzz, 6) ? NONE : 2 + below(fuzz, 2),
		.min = 1,
	};
	snprintf(w->group[g].name, sizeof(w->group[g].name), "g%d", g);
	return g;
}

/* A group of members. They are all equal, unless 'mixed'. */
static void add_leaf(struct world *w, uint64_t *fuzz, int up, bool mixed)
{
	int g = add(w, fuzz, up, true);
	uint32_t n = 1 + below(fuzz, 3), first = w->n, at = below(fuzz, FEW);
	bool wants = mixed && !below(fuzz, 5);

	if (n > MEMBERS - w->n)
		n = MEMBERS - w->n;
	for (uint32_t i = 0; i < n; i++) {
		struct who *who = &w->who[w->n++];

		*who = (struct who){
			.leaf = g,
			.nodes = 1 + !below(fuzz, 6),
			.cpus = below(fuzz, 2) * below(fuzz, CPUS),
		};
		for (uint32_t k = 0; wants && k < who->nodes; k++)
			who->must |= UINT64_C(1) << (at + k) % FEW;
		if (i && !mixed)
			*who = w->who[first];
	}
	w->group[g].min = 1 + below(fuzz, n);
}

static void add_groups(struct world *w, uint64_t *fuzz, int up, int depth,
		       bool mixed)
{
	uint32_t n = 1 + below(fuzz, 3), made = 0;

	for (uint32_t i = 0; i < n && w->n < MEMBERS; i++, made++) {
		if (depth == 2 || below(fuzz, 2)) {
			add_leaf(w, fuzz, up, mixed);
		} else {
			int g = add(w, fuzz, up, false);

			add_groups(w, fuzz, g, depth + 1, mixed);
		}
	}
	w->group[up].min = 1 + below(fuzz, made);
	/* seldom one that nobody has named yet */
	w->group[up].min += !below(fuzz, 12);
}

static void make_tree(struct world *w, uint64_t *fuzz, bool mixed)
{
	w->group[0] = (struct group){
		.up = -1, .weight = 1, .require = NONE, .prefer = NONE
	};
	w->n_groups = 1;
	add_groups(w, fuzz, 0, 0, mixed);
}

static size_t write_group(const struct world *w, int g, char *text)
{
	static const char *const level[] = { "", "", "leaf", "spine" };
	const struct group *group = &w->group[g];
	size_t used = 0;

	if (group->up > 0) {
		used = write_group(w, group->up, text);
		text[used++] = '/';
	}
	used += (size_t)sprintf(text + used, "%s:min=%u:weight=%u", group->name,
				group->min, group->weight);
	if (group->require != NONE)
		used += (size_t)sprintf(text + used, ":require=%s",
					level[group->require]);
	if (group->prefer != NONE)
		used += (size_t)sprintf(text + used, ":prefer=%s",
					level[group->prefer]);
	return used;
}

static void say(struct world *w, const char *fabric)
{
	char *p = w->text + sprintf(w->text, "%sused", fabric);
	char role[256];

	for (uint32_t n = 0; n < FEW; n++)
		p += sprintf(p, " %u", w->used[n]);
	p += sprintf(p, "; minimum %u\n", w->group[0].min);
	for (uint32_t i = 0; i < w->n; i++) {
		write_group(w, w->who[i].leaf, role);
		p += sprintf(p, "%u nodes, %u CPUs, of %#llx: %s\n",
			     w->who[i].nodes, w->who[i].cpus,
			     (unsigned long long)w->who[i].must, role);
	}
}

/* ---- the toy ---- */

static void start_on(const char *fabric)
{
	struct sgang_error err = { "" };
	struct sgang_topologies *all;
	struct sgang_fabric *f;
	struct sgang_conf conf = default_conf();

	sgang_conductor_destroy(c);
	toy_nodes = FEW;
	fake_cluster(FEW, CPUS, MEMORY, LICENCES);
	f = sgang_fabric_parse(fabric, "text", fake_node_names(), FEW, &err);
	if (!f)
		fail_msg("%s: %s\n%s", context, err.text, fabric);
	all = sgang_topologies_create(f, NULL);
	assert_non_null(all);
	toy_look_inside(all);
	c = sgang_conductor_create(&fake_host);
	assert_non_null(c);
	sgang_conductor_configure(c, all, &conf);
}

static void begin_world(struct world *w, const char *fabric)
{
	start_on(fabric);
	for (uint32_t n = 0; n < FEW; n++) {
		struct fake_request rq = plain(1, 1000);

		if (!w->used[n])
			continue;
		rq.requested = UINT64_C(1) << n;
		rq.cpus = w->used[n] == CPUS ? 0 : w->used[n];
		run_on(rq, rq.requested);
	}
	for (uint32_t i = 0; i < w->n; i++) {
		const struct who *who = &w->who[i];
		char more[300] = "role=";

		write_group(w, who->leaf, more + strlen(more));
		w->ids[i] = submit(MEMBER(
			"t", w->group[0].min, .more = more, .nodes = who->nodes,
			.cpus = who->cpus, .required = who->must));
	}
	pass();
	schedule_and_pass();
}

/* ---- the comparison ---- */

static uint32_t who_runs(const struct world *w, uint64_t nodes[MEMBERS])
{
	uint32_t set = 0;

	for (uint32_t i = 0; i < w->n; i++) {
		nodes[i] = fake_job(w->ids[i])->nodes;
		set |= (uint32_t)(fake_state(w->ids[i]) == FAKE_RUNNING) << i;
	}
	return set;
}

static void check_started(struct world *w, uint32_t set,
			  const uint64_t nodes[MEMBERS], const uint32_t *hop,
			  struct tally *tally)
{
	struct worth worth, best;
	uint32_t any = 0;

	while (!(set >> any & 1))
		any++;
	CHECK(is_minimum(w, set));
	CHECK(add_all(w, nodes, set, hop, &worth));
	CHECK(set_fits(w, set, false, hop, &best));
	CHECK(!less(&worth, &best));
	tally->best += !less(&best, &worth);
	if (!record_of(w->ids[any]).exact)
		return;
	tally->exact++;
	CHECK(!less(&best, &worth));
}

static void check_world(struct world *w, const char *fabric,
			struct tally *tally)
{
	uint64_t nodes[MEMBERS];
	bool gathered = has_it(w, (1u << w->n) - 1, 0), fits, never;
	struct sgang_costs costs;
	struct sgang_conf conf = default_conf();
	uint32_t set;

	costs = conf.costs;
	begin_world(w, fabric);
	fits = gathered && any_fits(w, false, costs.hop);
	never = gathered && !fits && !any_fits(w, true, costs.hop);
	set = who_runs(w, nodes);
	if (fits && !set)
		fail_msg("%s: waits, and has room\n%s%s", context, w->text,
			 text_of(w->ids[0]));
	CHECK(fits == (set != 0));
	if (gathered && !fits && fake_job(w->ids[0])->parked != never)
		fail_msg("%s: %s never start\n%s%s", context,
			 never ? "it will" : "it does not", w->text,
			 text_of(w->ids[0]));
	tally->gathered += gathered;
	tally->fit += fits;
	tally->never += never;
	if (set)
		check_started(w, set, nodes, costs.hop, tally);
	no_fault();
}

static void try_worlds(bool mixed)
{
	struct tally tally = { 0 };

	for (uint64_t seed = 1; seed <= WORLDS; seed++) {
		uint64_t fuzz = seed * 2 + mixed;
		char fabric[512];
		struct world w = { .n = 0 };

		snprintf(context, sizeof(context), "seed %llu",
			 (unsigned long long)seed);
		make_fabric(&w, &fuzz, fabric);
		for (uint32_t n = 0; n < FEW; n++)
			w.used[n] = below(&fuzz, 3) ? 0 :
				    below(&fuzz, 2) ? CPUS :
						      1 + below(&fuzz, 3);
		make_tree(&w, &fuzz, mixed);
		say(&w, fabric);
		check_world(&w, fabric, &tally);
	}
	print_message(
		"# %u gathered, %u fit, %u optimal, %u proved, %u never\n",
		tally.gathered, tally.fit, tally.best, tally.exact,
		tally.never);
	assert_true(tally.fit > WORLDS / 3);
	assert_true(tally.gathered - tally.fit > WORLDS / 20);
	assert_true(tally.best * 1000 >= tally.fit * 995);
}

/* 2.15 2.16 2.17 5.4 5.5: no tree that fits waits, none that does not starts,
 * what starts is a minimum, what is called exact is optimal, and 99.5 % are. */
TOY_TEST(test_any)
{
	try_worlds(false);
}

/* ... and where members of one group ask for different resources, or for nodes
 * by name. */
TOY_TEST(test_mixed)
{
	try_worlds(true);
}

TEST_MAIN(NULL, NULL)
