/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_which.c - which members start where neither all fit nor the first of them
 *
 * The judge is a search of all choices of members and all their nodes.
 */

#include "../unit.h"
#include "../core/fuzz.h"
#include "toy_cluster.h"

#define FEW 8         /* nodes */
#define MOST 8        /* members */
#define BEGIN 1000000 /* the clock of the toy cluster */

/* A member; its nodes are those of a partition. */
struct who {
	uint32_t nodes, cpus; /* on each; 0: all */
	uint64_t among;
	int order; /* -1: not said */
};

/* When each node is free; 0: it is, INT64_MAX: nobody knows. */
struct world {
	struct who who[MOST];
	uint32_t n, min, total;
	int64_t ends[FEW];
	uint32_t ids[MOST];
};

/* ---- the judge ---- */

/* Can those from 'i' on that are in 'set' have nodes, too? */
static bool place(const struct world *w, uint32_t set, uint32_t i,
		  uint32_t node, uint32_t left, uint32_t cpus[FEW])
{
	const struct who *who = &w->who[i];
	uint32_t need = who->cpus ? who->cpus : CPUS;

	if (i == w->n)
		return true;
	if (!left || !(set >> i & 1)) {
		while (++i < w->n && !(set >> i & 1))
			;
		return i == w->n || place(w, set, i, 0, w->who[i].nodes, cpus);
	}
	for (; node < FEW; node++) {
		bool placed;

		if (!(who->among >> node & 1) || cpus[node] < need)
			continue;
		cpus[node] -= need;
		placed = place(w, set, i, node + 1, left - 1, cpus);
		cpus[node] += need;
		if (placed)
			return true;
	}
	return false;
}

static bool set_fits(const struct world *w, uint32_t set, int64_t when)
{
	uint32_t cpus[FEW];

	for (uint32_t n = 0; n < FEW; n++)
		cpus[n] = (w->ends[n] <= when) ? CPUS : 0;
	return place(w, set, 0, 0, set & 1 ? w->who[0].nodes : 0, cpus);
}

static uint32_t order_of(const struct world *w, uint32_t i)
{
	return w->who[i].order < 0 ? UINT32_MAX : (uint32_t)w->who[i].order;
}

/* Has it all whom --gang-order puts into the minimum? */
static bool in_turn(const struct world *w, uint32_t set)
{
	for (uint32_t i = 0; i < w->n; i++) {
		uint32_t before = 0;

		for (uint32_t j = 0; j < w->n; j++)
			before += order_of(w, j) <= order_of(w, i);
		if (w->who[i].order >= 0 && before <= w->min && !(set >> i & 1))
			return false;
	}
	return true;
}

/* The members as they are taken. */
static void take_order(const struct world *w, uint32_t who[MOST])
{
	for (uint32_t i = 0; i < w->n; i++) {
		uint32_t at = i;

		while (at && order_of(w, who[at - 1]) > order_of(w, i)) {
			who[at] = who[at - 1];
			at--;
		}
		who[at] = i;
	}
}

/* The choice that has the first member in which two differ; 0: none fits. */
static uint32_t best_choice(const struct world *w, int64_t when)
{
	uint32_t who[MOST], best = 0, best_rank = 0;

	take_order(w, who);
	for (uint32_t set = 1; set < 1u << w->n; set++) {
		uint32_t rank = 0;

		for (uint32_t i = 0; i < w->n; i++)
			rank |= (set >> who[i] & 1) << (w->n - 1 - i);
		if ((uint32_t)__builtin_popcount(set) != w->min ||
		    rank < best_rank || !in_turn(w, set) ||
		    !set_fits(w, set, when))
			continue;
		best = set;
		best_rank = rank;
	}
	return best;
}

/* All that are expected, else the best choice. */
static uint32_t who_starts(const struct world *w)
{
	uint32_t who[MOST], all = 0;

	take_order(w, who);
	for (uint32_t i = 0; i < w->n && i < w->total; i++)
		all |= 1u << who[i];
	return set_fits(w, all, 0) ? all : best_choice(w, 0);
}

static int64_t first_start(const struct world *w)
{
	int64_t first = INT64_MAX;

	for (uint32_t n = 0; n < FEW; n++) {
		if (w->ends[n] < first && best_choice(w, w->ends[n]))
			first = w->ends[n];
	}
	return first;
}

/* ---- the toy ---- */

static void begin_world(struct world *w)
{
	sgang_conductor_destroy(c);
	toy_nodes = FEW;
	fake_cluster(FEW, CPUS, MEMORY, LICENCES);
	start_conductor();
	for (uint32_t n = 0; n < FEW; n++) {
		struct fake_request rq = plain(1, 1);
		uint32_t id;

		if (!w->ends[n])
			continue;
		rq.requested = UINT64_C(1) << n;
		id = run_on(rq, rq.requested);
		if (w->ends[n] < INT64_MAX)
			fake_job(id)->ends = w->ends[n];
	}
	for (uint32_t i = 0; i < w->n; i++) {
		struct fake_request rq = member_of("t", w->min);
		char order[32];

		rq.total = w->total;
		rq.nodes = w->who[i].nodes;
		rq.cpus = w->who[i].cpus;
		rq.partition = w->who[i].among;
		snprintf(order, sizeof(order), "order=%d", w->who[i].order);
		rq.more = w->who[i].order < 0 ? NULL : order;
		w->ids[i] = submit(rq);
	}
	pass();
	schedule_and_pass();
}

static uint32_t who_runs(const struct world *w)
{
	uint32_t set = 0;

	for (uint32_t i = 0; i < w->n; i++)
		set |= (uint32_t)(fake_state(w->ids[i]) == FAKE_RUNNING) << i;
	return set;
}

static void say_world(const struct world *w)
{
	print_message("# %s: %u of %u, up to %u; nodes free at", context,
		      w->min, w->n, w->total);
	for (uint32_t n = 0; n < FEW; n++)
		print_message(" %lld", (long long)w->ends[n]);
	print_message("\n");
	for (uint32_t i = 0; i < w->n; i++)
		print_message("#  %u nodes, %u CPUs, of %#llx, order %d\n",
			      w->who[i].nodes, w->who[i].cpus,
			      (unsigned long long)w->who[i].among,
			      w->who[i].order);
	print_message("#  says: %s\n", fake_job(w->ids[0])->text);
}

/* What becomes of it is what the judge says. */
static void check_world(struct world *w)
{
	uint32_t expected = who_starts(w), runs;

	begin_world(w);
	runs = who_runs(w);
	if (runs != expected) {
		say_world(w);
		fail_msg("%s: %#x run, not %#x", context, runs, expected);
	}
	if (!expected) {
		int64_t when = first_start(w), says = joint_start("t");
		bool never = !best_choice(w, INT64_MAX);

		if (fake_job(w->ids[0])->parked != never ||
		    (!never && says != when)) {
			say_world(w);
			fail_msg("%s: starts at %lld, not %lld (%s)", context,
				 (long long)says, (long long)when,
				 never ? "never" : "some time");
		}
	}
	no_fault();
}

/* ---- cases ---- */

static const struct {
	const char *what;
	struct world w;
	uint32_t runs;  /* a set of members */
	int64_t starts; /* if none do; 0: never */
} cases[] = {
	{ "two want the same nodes",
	  LIST(.who = LIST(LIST(3, 0, 0x07, -1), LIST(3, 0, 0x07, -1),
			   LIST(1, 0, 0xf8, -1), LIST(1, 0, 0xf8, -1)),
	       .n = 4, .min = 3),
	  0xd, 0 },
	{ "the first is too large",
	  LIST(.who = LIST(LIST(8, 0, 0xff, -1), LIST(4, 0, 0xff, -1),
			   LIST(4, 0, 0xff, -1)),
	       .n = 3, .min = 2),
	  0x6, 0 },
	{ "--gang-order puts it into the minimum",
	  LIST(.who = LIST(LIST(8, 0, 0xff, 0), LIST(4, 0, 0xff, -1),
			   LIST(4, 0, 0xff, -1)),
	       .n = 3, .min = 2),
	  0, 0 },
	{ "one of two in the same order",
	  LIST(.who = LIST(LIST(5, 0, 0xff, 0), LIST(2, 0, 0xff, 1),
			   LIST(5, 0, 0xff, 2), LIST(3, 0, 0xff, 2)),
	       .n = 4, .min = 3),
	  0, 0 },
	{ "... that leaves room",
	  LIST(.who = LIST(LIST(3, 0, 0xff, 0), LIST(2, 0, 0xff, 1),
			   LIST(5, 0, 0xff, 2), LIST(3, 0, 0xff, 2)),
	       .n = 4, .min = 3),
	  0xb, 0 },
	{ "as many as are expected",
	  LIST(.who = LIST(LIST(2, 0, 0xff, -1), LIST(2, 0, 0xff, -1),
			   LIST(2, 0, 0xff, -1), LIST(1, 0, 0xff, -1)),
	       .n = 4, .min = 2, .total = 3),
	  0x7, 0 },
	{ "others fit sooner than the first",
	  LIST(.who = LIST(LIST(2, 0, 0x03, -1), LIST(2, 0, 0x0c, -1),
			   LIST(2, 0, 0x30, -1)),
	       .n = 3, .min = 2,
	       .ends = LIST(BEGIN + 900, BEGIN + 900, BEGIN + 300, BEGIN + 300,
			    0, 0)),
	  0, BEGIN + 300 },
	{ "the first would, after a job without a time limit",
	  LIST(.who = LIST(LIST(2, 0, 0x03, -1), LIST(2, 0, 0x0c, -1),
			   LIST(2, 0, 0x30, -1)),
	       .n = 3, .min = 2,
	       .ends = LIST(INT64_MAX, 0, BEGIN + 300, 0, 0, 0)),
	  0, BEGIN + 300 },
	{ "after a job without a time limit",
	  LIST(.who = LIST(LIST(2, 0, 0x03, -1), LIST(2, 0, 0x06, -1),
			   LIST(2, 0, 0x30, -1)),
	       .n = 3, .min = 2, .ends = LIST(INT64_MAX, INT64_MAX, INT64_MAX)),
	  0, INT64_MAX },
};

/* 5.5 */
TOY_TEST(test_cases)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct world w = cases[i].w;

		w.total = w.total ? w.total : w.min;
		snprintf(context, sizeof(context), "%s", cases[i].what);
		assert_int_equal(who_starts(&w), cases[i].runs);
		check_world(&w);
		if (!cases[i].runs && cases[i].starts)
			assert_int_equal(joint_start("t"), cases[i].starts);
	}
}

/* However many choices are planned, at however many times, Slurm judges a node
 * once for each kind of member: for now and with nothing on it for the attempt,
 * and again for the look ahead and for the question whether it can ever fit. */
TOY_TEST(test_nodes_are_judged_once)
{
	struct world w = {
		.who = { { 3, 1, 0xff, -1 },
			 { 3, 2, 0xff, -1 },
			 { 3, 3, 0xff, -1 },
			 { 3, 4, 0xff, -1 } },
		.n = 4,
		.min = 3,
		.total = 3,
		.ends = { BEGIN + 100, BEGIN + 200, BEGIN + 300, BEGIN + 400,
			  BEGIN + 500, BEGIN + 600, BEGIN + 700, BEGIN + 800 },
	};

	snprintf(context, sizeof(context), "judged once");
	check_world(&w);
	assert_true(fake_counts.units > 0);
	assert_true(fake_counts.units <= 6 * w.n * FEW);
}

/* ---- any ---- */

/* What is exhaustive takes its time. */
#ifdef __SANITIZE_THREAD__
#define SEEDS 300
#else
#define SEEDS 3000
#endif

static void any_world(struct world *w, uint64_t *fuzz)
{
	static const uint64_t among[] = { 0xff, 0x0f, 0xf0, 0x3c };
	uint32_t sorts = 2 + (uint32_t)fuzz_below(fuzz, 4);
	struct who sort[5];

	*w = (struct world){ .n = 0 };
	for (uint32_t i = 0; i < sorts; i++)
		sort[i] = (struct who){
			.nodes = 1 + (uint32_t)fuzz_below(fuzz, 4),
			.cpus = (uint32_t)fuzz_below(fuzz, CPUS),
			.among = among[fuzz_below(fuzz, COUNT(among))],
			.order = -1,
		};
	w->n = 2 + (uint32_t)fuzz_below(fuzz, MOST - 1);
	w->min = 1 + (uint32_t)fuzz_below(fuzz, w->n);
	w->total = w->min + (uint32_t)fuzz_below(fuzz, w->n - w->min + 1);
	for (uint32_t i = 0; i < w->n; i++) {
		w->who[i] = sort[fuzz_below(fuzz, sorts)];
		if (fuzz_below(fuzz, 4) == 0)
			w->who[i].order = (int)fuzz_below(fuzz, 3);
	}
	for (uint32_t n = 0; n < FEW; n++) {
		uint64_t dice = fuzz_below(fuzz, 8);

		w->ends[n] = dice < 4 ? 0 :
			     dice < 7 ? BEGIN + 100 * (int64_t)dice :
					INT64_MAX;
	}
}

/* 2.5, 2.9, 5.4, 5.5: a gang that fits with some of its members starts, with the first
 * that do; one that does not says when some will, and only one of which none
 * ever will is parked. */
TOY_TEST(test_any)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		uint64_t fuzz = seed;
		struct world w;

		any_world(&w, &fuzz);
		snprintf(context, sizeof(context), "seed %llu",
			 (unsigned long long)seed);
		check_world(&w);
	}
}

TEST_MAIN(NULL, NULL)
