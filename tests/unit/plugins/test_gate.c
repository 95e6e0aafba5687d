/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_gate.c - what Slurm is answered when it asks for the nodes of a job
 *
 * Slurm and the conductor are a table each: what nodes a gang keeps from others,
 * and when Slurm would start the job on which of them.
 */

#include "../unit.h"
#include "plugins/select/gate.h"
#include "../core/node_bits.h"

#define GATE_TEST(name) TEST_WITH(name, setup, teardown)

#define NODES 12
#define ALL 0xfff
#define NOW 1000
#define YEAR (365 * 24 * 3600)

static const char tree[] = "SwitchName=l0 Nodes=n[0-3]\n"
			   "SwitchName=l1 Nodes=n[4-7]\n"
			   "SwitchName=l2 Nodes=n[8-11]\n"
			   "SwitchName=s0 Switches=l[0-1]\n"
			   "SwitchName=top Switches=s0,l2\n";

static struct sgang_fabric *fabric;

/* What the conductor says. Sets are bits by node. */
static struct {
	enum sgang_turn turn;
	bool keeps_place;      /* of a placeholder, or waits for one's */
	uint64_t fenced;       /* by gangs whose turn has come */
	uint64_t reserved;     /* for gangs before it, */
	int64_t reserved_from; /* from then on */
	bool late;             /* its gang has started, */
	uint64_t cut;          /* and keeps it off these, */
	uint32_t within;       /* and within a domain of that level; 0: any */
	uint64_t gang;         /* where its gang is */
	uint64_t lost;         /* where it has lost members */
	uint64_t had;          /* kept for this one */
	uint64_t kept;         /* for its gang */
	int64_t joint_start;
	int looks, pokes;
	int64_t planned;
	uint64_t turn_nodes;
	bool turn_reserving;
} says;

/* What Slurm's plugin does, and was asked. */
static struct {
	int64_t free_at[NODES];
	uint64_t victims[3]; /* busy nodes that these victims would free */
	bool has_apart;
	uint64_t chosen; /* by place(); 0: it is Slurm's own */
	struct {
		uint64_t nodes;
		enum sgang_victims victims;
		int64_t latest;
	} asked[128];
	size_t n;
} stock;

/* NULL are all. */
static uint64_t bits(const struct sgang_nodeset *set)
{
	return set ? bits_of(set, NODES) : ALL;
}

static void leave(struct sgang_nodeset *set, uint64_t nodes)
{
	for (uint32_t n = 0; n < NODES; n++) {
		if (!(nodes >> n & 1))
			sgang_nodeset_remove(set, n);
	}
}

/* ---- the conductor ---- */

bool sgang_conductor_has_turns(const struct sgang_conductor *c)
{
	return says.fenced;
}

bool sgang_conductor_reserves(const struct sgang_conductor *c)
{
	return says.reserved;
}

bool sgang_conductor_fence(struct sgang_conductor *c,
			   const struct sgang_standing *s, bool backfill,
			   struct sgang_nodeset *nodes)
{
	leave(nodes, ~says.fenced);
	return true;
}

int64_t sgang_conductor_keep(struct sgang_conductor *c,
			     const struct sgang_standing *s,
			     const struct sgang_spec *spec, int64_t until,
			     struct sgang_nodeset *nodes)
{
	uint64_t taken = bits(nodes) & says.reserved;

	if (!taken || until <= says.reserved_from)
		return 0;
	leave(nodes, ~taken);
	return says.reserved_from;
}

void sgang_conductor_look(struct sgang_conductor *c, struct sgang_job *job)
{
	says.looks++;
}

bool sgang_conductor_keeps_place(struct sgang_conductor *c,
				 const struct sgang_spec *spec,
				 struct sgang_job *job)
{
	return says.keeps_place;
}

enum sgang_turn sgang_conductor_turn(struct sgang_conductor *c,
				     const struct sgang_spec *spec,
				     const struct sgang_standing *s,
				     const struct sgang_nodeset *nodes,
				     bool reserving)
{
	assert_true(says.looks > 0);
	says.turn_nodes = bits(nodes);
	says.turn_reserving = reserving;
	return says.turn;
}

bool sgang_conductor_late(struct sgang_conductor *c,
			  const struct sgang_spec *spec,
			  struct sgang_nodeset *nodes,
			  struct sgang_bound *bound)
{
	*bound = SGANG_UNBOUND;
	if (!says.late)
		return false;
	leave(nodes, ~says.cut);
	if (says.within)
		*bound = (struct sgang_bound){ fabric, says.within };
	return true;
}

bool sgang_conductor_lost(struct sgang_conductor *c, const struct sgang_spec *s,
			  struct sgang_nodeset *nodes)
{
	if (!(bits(nodes) & says.lost))
		return false;
	leave(nodes, ~says.lost);
	return true;
}

bool sgang_conductor_had(struct sgang_conductor *c, uint32_t job_id,
			 struct sgang_nodeset *nodes)
{
	if (!(bits(nodes) & says.had))
		return false;
	leave(nodes, says.had);
	return true;
}

bool sgang_conductor_near(struct sgang_conductor *c,
			  const struct sgang_spec *spec, struct sgang_job *job,
			  uint32_t min_nodes, uint32_t level,
			  struct sgang_nodeset *nodes)
{
	uint64_t near = 0;

	for (uint32_t n = 0; n < NODES; n++) {
		for (uint32_t g = 0; g < NODES; g++) {
			if ((says.gang >> g & 1) &&
			    sgang_fabric_meet(fabric, n, g) <= level)
				near |= UINT64_C(1) << n;
		}
	}
	if (near)
		leave(nodes, near);
	return near;
}

bool sgang_conductor_kept(struct sgang_conductor *c,
			  const struct sgang_spec *spec,
			  struct sgang_nodeset *nodes)
{
	if (says.kept)
		leave(nodes, says.kept);
	return says.kept;
}

int64_t sgang_conductor_joint_start(struct sgang_conductor *c,
				    const struct sgang_spec *spec)
{
	return says.joint_start;
}

void sgang_conductor_planned(struct sgang_conductor *c, uint32_t job_id,
			     int64_t start)
{
	says.planned = start;
}

void sgang_conductor_poke(struct sgang_conductor *c)
{
	says.pokes++;
}

/* ---- Slurm ---- */

static bool future;

static int by_moment(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* When 'count' of these nodes are free, INT64_MAX: never. */
static int64_t free_when(uint64_t nodes, uint64_t freed, uint32_t count)
{
	int64_t moment[NODES];
	uint32_t n = 0;

	for (uint32_t i = 0; i < NODES; i++) {
		if (nodes >> i & 1)
			moment[n++] = (freed >> i & 1) ? NOW : stock.free_at[i];
	}
	if (n < count)
		return INT64_MAX;
	qsort(moment, n, sizeof(*moment), by_moment);
	return moment[count - 1];
}

static int try_on(const struct sgang_question *q,
		  const struct sgang_nodeset *nodes, enum sgang_victims victims,
		  int64_t latest, int64_t *start)
{
	int64_t when;

	if (victims == SGANG_VICTIMS_APART && !stock.has_apart)
		return -1;
	assert_true(stock.n < COUNT(stock.asked));
	stock.asked[stock.n].nodes = bits(nodes);
	stock.asked[stock.n].victims = victims;
	stock.asked[stock.n++].latest = latest;
	when = free_when(bits(nodes), stock.victims[victims], q->min_nodes);
	if (when == INT64_MAX || when > latest || (!future && when > NOW))
		return 7;
	*start = when;
	return 0;
}

/* True if the nodes are in one domain of that level, or meet at all. */
static bool is_one(uint64_t nodes, uint32_t level)
{
	for (uint32_t a = 0; a < NODES; a++) {
		for (uint32_t b = 0; b < a; b++) {
			if ((nodes >> a & 1) && (nodes >> b & 1) &&
			    sgang_fabric_meet(fabric, a, b) > level)
				return false;
		}
	}
	return true;
}

static bool place(const struct sgang_question *q,
		  const struct sgang_nodeset *nodes,
		  const struct sgang_bound *bound, struct sgang_nodeset *chosen)
{
	for (uint32_t n = 0; n < NODES; n++) {
		if (stock.chosen & bits(nodes) & UINT64_C(1) << n)
			sgang_nodeset_add(chosen, n);
	}
	return stock.chosen && is_one(bits(chosen), bound->level);
}

static void with_room(const struct sgang_question *q,
		      struct sgang_nodeset *nodes)
{
	for (uint32_t n = 0; n < NODES; n++)
		if (stock.free_at[n] > NOW)
			sgang_nodeset_remove(nodes, n);
}

static const struct sgang_gate_slurm slurm = {
	.try_on = try_on,
	.with_room = with_room,
	.place = place,
};
static struct sgang_spec spec;

static struct sgang_question question(bool member, uint32_t min_nodes)
{
	return (struct sgang_question){
		.slurm = &slurm,
		.spec = member ? &spec : NULL,
		.min_nodes = min_nodes,
		.max_nodes = NODES,
		.now = NOW,
		.end = NOW + 600,
		.fabric = fabric,
		.placed = stock.chosen,
	};
}

static int ask_now(const struct sgang_question *q, uint64_t offered)
{
	struct sgang_nodeset *nodes = set_of(offered, NODES);
	int rc;

	future = false;
	assert_false(q->later);
	rc = sgang_gate_now(q, nodes);
	sgang_nodeset_destroy(nodes);
	return rc;
}

static int ask_later(const struct sgang_question *q, int64_t *start)
{
	struct sgang_nodeset *nodes = set_of(ALL, NODES);
	struct sgang_question later = *q;
	int rc;

	future = true;
	later.later = true;
	rc = sgang_gate_later(&later, nodes, start);
	sgang_nodeset_destroy(nodes);
	return rc;
}

/* Slurm's plugin was asked for a start on these nodes. */
struct asked {
	uint64_t nodes;
	enum sgang_victims victims;
	int64_t latest;
};

/* For one now without victims, and for any. */
#define SPARING(on) ((struct asked){ (on), SGANG_VICTIMS_NONE, NOW })
#define ANYHOW(on) ((struct asked){ (on), SGANG_VICTIMS_ALL, INT64_MAX })

static void assert_asked(size_t n, const struct asked *asked)
{
	assert_int_equal(stock.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(stock.asked[i].nodes, asked[i].nodes);
		assert_int_equal(stock.asked[i].victims, asked[i].victims);
		assert_int_equal(stock.asked[i].latest, asked[i].latest);
	}
	stock.n = 0;
}

/* These, one after the other, and no more since it was looked at last. */
#define ASKED(...)                                             \
	assert_asked(sizeof((struct asked[]){ __VA_ARGS__ }) / \
			     sizeof(struct asked),             \
		     (struct asked[]){ __VA_ARGS__ })

/* It may start now, after these were asked; or not. */
#define STARTS(q, ...)                                \
	do {                                          \
		assert_int_equal(ask_now(q, ALL), 0); \
		ASKED(__VA_ARGS__);                   \
	} while (0)
#define WAITS(q, ...)                                 \
	do {                                          \
		assert_int_equal(ask_now(q, ALL), 7); \
		ASKED(__VA_ARGS__);                   \
	} while (0)

/* All nodes of these are free then. */
static void free_at(uint64_t nodes, int64_t when)
{
	for (uint32_t n = 0; n < NODES; n++)
		if (nodes >> n & 1)
			stock.free_at[n] = when;
}

static void expect_later(const struct sgang_question *q, int64_t when)
{
	int64_t start = 3;

	assert_int_equal(ask_later(q, &start), 0);
	assert_int_equal(start, when);
}

static int setup(void **state)
{
	static char name[NODES][4];
	static const char *names[NODES];
	struct sgang_error err = { "" };

	memset(&says, 0, sizeof(says));
	memset(&stock, 0, sizeof(stock));
	memset(&spec, 0, sizeof(spec));
	for (uint32_t n = 0; n < NODES; n++) {
		name[n][0] = 'n';
		name[n][1] = (char)('0' + n % 10);
		if (n > 9)
			memcpy(name[n] + 1, n == 10 ? "10" : "11", 3);
		names[n] = name[n];
		stock.free_at[n] = NOW;
	}
	fabric = sgang_fabric_parse(tree, "tree", names, NODES, &err);
	if (!fabric)
		fail_msg("%s", err.text);
	return 0;
}

static int teardown(void **state)
{
	sgang_fabric_destroy(fabric);
	return 0;
}

/* 0.1 */
GATE_TEST(a_member_does_not_start_by_itself)
{
	struct sgang_question q = question(true, 1);
	struct sgang_nodeset *offered = set_of(0x0f, NODES);

	says.turn = SGANG_TURN_TAKEN;
	assert_int_equal(ask_now(&q, ALL), SGANG_GATE_CLOSED);
	assert_int_equal(stock.n, 0);
	assert_int_equal(says.turn_nodes, ALL);
	assert_false(says.turn_reserving);
	/* and its gang keeps to what backfill offered it */
	says.looks = 0;
	q.reserved = offered;
	assert_int_equal(ask_now(&q, ALL), SGANG_GATE_CLOSED);
	assert_int_equal(says.turn_nodes, 0x0f);
	assert_true(says.turn_reserving);
	sgang_nodeset_destroy(offered);
	/* without memory */
	assert_int_equal(sgang_gate_now(&q, NULL), SGANG_GATE_CLOSED);
	assert_int_equal(stock.n, 0);
}

/* 1.6: the next pass gives it the nodes of a placeholder. */
GATE_TEST(a_member_waits_for_its_placeholder)
{
	struct sgang_question q = question(true, 1);

	says.turn = SGANG_TURN_ORDINARY;
	says.keeps_place = true;
	assert_int_equal(ask_now(&q, ALL), SGANG_GATE_CLOSED);
	assert_int_equal(stock.n, 0);
	says.keeps_place = false;
	assert_int_not_equal(ask_now(&q, ALL), SGANG_GATE_CLOSED);
}

GATE_TEST(a_definition_never_starts)
{
	struct sgang_question q = question(true, 1);
	int64_t start = 0;

	spec.object = true;
	assert_int_equal(ask_now(&q, ALL), SGANG_GATE_CLOSED);
	assert_int_equal(ask_later(&q, &start), SGANG_GATE_CLOSED);
	assert_int_equal(stock.n + (size_t)says.looks, 0);
	assert_int_equal(says.pokes, 1);
}

GATE_TEST(without_gangs_slurm_answers)
{
	struct sgang_question q = question(false, 1);
	int64_t start = 5;

	assert_false(sgang_gate_stands(NULL));
	assert_int_equal(sgang_gate_now(&q, NULL), 0);
	future = true;
	assert_int_equal(sgang_gate_later(&q, NULL, &start), 0);
	ASKED(ANYHOW(ALL), ANYHOW(ALL));
	assert_int_equal(start, NOW);
	assert_int_equal(says.pokes, 0);
}

/* 3.18, 4.11 */
GATE_TEST(members_are_the_last_victims)
{
	const struct asked apart = { ALL, SGANG_VICTIMS_APART, NOW };
	struct sgang_question q = question(false, 2);

	free_at(ALL, NOW + 100);
	stock.has_apart = true;
	stock.victims[SGANG_VICTIMS_APART] = 1;
	stock.victims[SGANG_VICTIMS_ALL] = 3;
	STARTS(&q, apart, ANYHOW(ALL));
	/* not later, to spare a gang: Slurm would preempt now */
	expect_later(&q, NOW);
	assert_int_equal(stock.n, 2);
	stock.n = 0;
	stock.victims[SGANG_VICTIMS_APART] = 3;
	STARTS(&q, apart);
}

/* 4.8, 4.9 */
GATE_TEST(others_keep_off_what_gangs_need)
{
	struct sgang_question q = question(false, 2);

	says.fenced = 0x00f;
	says.reserved = 0x0f0;
	says.reserved_from = NOW + 60;
	assert_true(sgang_gate_stands(NULL));
	STARTS(&q, ANYHOW(0xf00));
	/* a job that ends before the gang starts may have its nodes */
	q.end = NOW + 60;
	STARTS(&q, ANYHOW(0xff0));
	/* too few are left: Slurm's own code */
	q.end = NOW + 600;
	q.min_nodes = 5;
	assert_int_equal(ask_now(&q, ALL), 7);
}

GATE_TEST(what_is_planned_now_starts_beside_a_gang)
{
	struct sgang_question q = question(false, 2);

	says.reserved = 0xff0;
	says.reserved_from = NOW + 60;
	expect_later(&q, NOW);
	ASKED({ 0x00f, SGANG_VICTIMS_ALL, NOW });
	/* else not before the gang has */
	q.min_nodes = 5;
	expect_later(&q, NOW + 60);
	/* nor earlier than Slurm says */
	free_at(0xff0, NOW + 900);
	expect_later(&q, NOW + 900);
}

/* 4.7 */
GATE_TEST(all_members_show_the_start_of_their_gang)
{
	struct sgang_question q = question(true, 2);

	says.joint_start = NOW + 300;
	expect_later(&q, NOW + 300);
	assert_int_equal(says.planned, 3);
	assert_int_equal(says.pokes, 1);
	assert_int_equal(says.looks, 1);
	/* on what is kept for it, without victims */
	stock.n = 0;
	says.kept = 0x0f0;
	expect_later(&q, NOW + 300);
	ASKED({ 0x0f0, SGANG_VICTIMS_NONE, INT64_MAX });
	/* never */
	says.joint_start = INT64_MAX;
	expect_later(&q, NOW + YEAR);
	/* its gang has started */
	says.joint_start = 0;
	says.pokes = 0;
	says.late = true;
	expect_later(&q, NOW);
	assert_int_equal(says.pokes, 0);
}

GATE_TEST(the_cheapest_nodes_come_first)
{
	struct sgang_question q;

	stock.chosen = 0x030;
	q = question(false, 2);
	STARTS(&q, SPARING(0x030));
	/* Slurm takes others if it cannot have them */
	stock.free_at[4] = NOW + 5;
	STARTS(&q, SPARING(0x030), ANYHOW(ALL));
}

GATE_TEST(late_members_come_near_to_their_gang)
{
	struct sgang_question q = question(true, 2);

	says.late = true;
	says.cut = 0x004;
	says.gang = 0x001;
	free_at(0x00b, NOW + 50);
	/* the leaf has nodes enough, none free; then the spine */
	STARTS(&q, SPARING(0x00b), SPARING(0x0fb));
	/* and with victims only from all */
	free_at(ALL, NOW + 50);
	WAITS(&q, SPARING(0x00b), SPARING(0x0fb), ANYHOW(0xffb));
	/* the next level has no more nodes */
	says.gang = 0x100;
	WAITS(&q, SPARING(0xf00), ANYHOW(0xffb));
	/* none has nodes */
	says.gang = 0;
	WAITS(&q, ANYHOW(0xffb));
}

/* 6.4: elsewhere if it starts there now; else nobody minds. */
GATE_TEST(late_members_leave_nodes_that_failed_alone)
{
	struct sgang_question q = question(true, 2);

	says.late = true;
	says.gang = 0;
	says.lost = 0x003;
	STARTS(&q, SPARING(0xffc));
	/* not for a later start, nor for a victim */
	free_at(0xffc, NOW + 50);
	stock.victims[SGANG_VICTIMS_ALL] = ALL;
	STARTS(&q, SPARING(0xffc), ANYHOW(ALL));
}

/* 6.7: among nodes that are as near. */
GATE_TEST(late_members_have_their_nodes_back)
{
	struct sgang_question q = question(true, 2);

	says.late = true;
	says.gang = 0x001;
	says.had = 0xf0c;
	STARTS(&q, SPARING(0x00c));
	/* not worth a later start; nor are fewer nodes than it needs */
	stock.free_at[3] = NOW + 50;
	STARTS(&q, SPARING(0x00c), SPARING(0x00f));
	says.had = 0x008;
	STARTS(&q, SPARING(0x00f));
}

/* 4.24: all nodes of one are in a domain of its level, or it waits. */
GATE_TEST(late_members_stay_within_a_domain)
{
	struct sgang_question q = question(true, 2);

	says.late = true;
	says.within = SGANG_LEVEL_LEAF;
	says.cut = 0xf00;
	/* one node of each leaf is free */
	free_at(ALL & ~0x018, NOW + 50);
	WAITS(&q, ANYHOW(0x00f), ANYHOW(0x0f0));
	free_at(0x080, NOW);
	STARTS(&q, SPARING(0x090));
	/* not for a victim where others are free */
	stock.victims[SGANG_VICTIMS_ALL] = 0x00f;
	STARTS(&q, SPARING(0x090));
	free_at(0x080, NOW + 50);
	STARTS(&q, ANYHOW(0x00f));
	/* nearest first: the leaf, the spine */
	stock.victims[SGANG_VICTIMS_ALL] = 0;
	says.cut = 0;
	says.gang = 0x010;
	free_at(0xf00, NOW);
	STARTS(&q, SPARING(0xf00));
	free_at(0x002, NOW);
	STARTS(&q, SPARING(0x00a));
	/* one node is in one domain */
	says.gang = 0;
	q.min_nodes = q.max_nodes = 1;
	STARTS(&q, ANYHOW(ALL));
	q.min_nodes = 2;
	q.max_nodes = NODES;
	/* a leaf with too few nodes is not asked for */
	says.gang = 0;
	says.cut = 0x0f7;
	STARTS(&q, SPARING(0xf00));
}

/* The first of them, without what it would preempt elsewhere. */
GATE_TEST(late_members_start_in_the_first_domain_that_is_free)
{
	struct sgang_question q = question(true, 2);

	says.late = true;
	says.within = SGANG_LEVEL_LEAF;
	free_at(0x00f, NOW + 90);
	free_at(0x0f0, NOW + 30);
	free_at(0xf00, NOW + 60);
	expect_later(&q, NOW + 30);
	assert_int_equal(stock.asked[stock.n - 1].nodes, 0x0f0);
	/* no more after one that starts now */
	stock.n = 0;
	free_at(0x00f, NOW);
	expect_later(&q, NOW);
	ASKED(ANYHOW(0x00f));
	/* none is enough for it */
	q.min_nodes = 5;
	assert_int_not_equal(ask_later(&q, &(int64_t){ 0 }), 0);
	assert_int_equal(stock.n, 0);
}

/* ---- whatever there is ---- */

static uint64_t seed;

static uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void a_random_world(void)
{
	memset(&says, 0, sizeof(says));
	stock.n = 0;
	says.turn = SGANG_TURN_ORDINARY;
	says.fenced = random64() % 2 ? random64() & random64() & ALL : 0;
	says.reserved = random64() % 2 ? random64() & random64() & ALL : 0;
	says.reserved_from = NOW + (int64_t)(random64() % 1200);
	says.late = random64() % 2;
	says.within = random64() % 2 ? SGANG_LEVEL_LEAF : 0;
	says.cut = random64() & random64() & ALL;
	says.gang = random64() & random64() & random64() & ALL;
	says.kept = random64() % 2 ? random64() & ALL : 0;
	says.had = random64() % 2 ? random64() & random64() & ALL : 0;
	says.lost = random64() % 2 ? random64() & random64() & ALL : 0;
	says.joint_start = says.late || random64() % 2 ?
				   0 :
				   NOW + 60 * (1 + random64() % 9);
	stock.chosen = random64() % 2 ? random64() & ALL : 0;
	stock.has_apart = random64() % 2;
	stock.victims[SGANG_VICTIMS_ALL] = random64() & random64() & ALL;
	stock.victims[SGANG_VICTIMS_APART] = stock.victims[SGANG_VICTIMS_ALL] &
					     random64();
	for (uint32_t n = 0; n < NODES; n++)
		stock.free_at[n] = random64() % 2 ?
					   NOW :
					   NOW + (int64_t)(random64() % 1000);
}

/* When the job has nodes enough of 'left', in one domain if it is bound. */
static int64_t free_within(const struct sgang_question *q, uint64_t left,
			   uint64_t freed)
{
	static const uint64_t leaf[] = { 0x00f, 0x0f0, 0xf00 };
	int64_t first = INT64_MAX;

	if (!q->spec || !says.late || !says.within)
		return free_when(left, freed, q->min_nodes);
	for (size_t i = 0; i < COUNT(leaf); i++) {
		int64_t when = free_when(left & leaf[i], freed, q->min_nodes);

		if (when < first)
			first = when;
	}
	return first;
}

/* Starts now: exactly if it can on what is left to it, and nowhere else. */
static void check_now(const struct sgang_question *q)
{
	bool kept_off = q->end > says.reserved_from;
	uint64_t left = ALL & ~says.fenced & ~(kept_off ? says.reserved : 0) &
			~((q->spec && says.late) ? says.cut : 0);
	bool can = free_within(q, left, stock.victims[SGANG_VICTIMS_ALL]) <=
		   NOW;
	bool bound = q->spec && says.late && says.within;

	int rc = ask_now(q, ALL);

	if (bound && !can)
		assert_true(rc == 7 || rc == SGANG_GATE_CLOSED);
	else
		assert_int_equal(rc, can ? 0 : 7);
	for (size_t i = 0; i < stock.n; i++) {
		assert_int_equal(stock.asked[i].nodes & ~left, 0);
		assert_true(!bound ||
			    is_one(stock.asked[i].nodes, says.within));
	}
	if (can && !bound &&
	    stock.asked[stock.n - 1].victims != SGANG_VICTIMS_NONE)
		assert_int_equal(stock.asked[stock.n - 1].nodes, left);
}

/* Later: never before its gang, nor on nodes of others before they start. */
static void check_later(const struct sgang_question *q)
{
	bool late = q->spec && says.late;
	bool kept_off = q->end > says.reserved_from;
	uint64_t left = ALL & ~(late ? says.cut : 0);
	int64_t start = 0, least;
	uint64_t nodes;

	stock.n = 0;
	says.looks = 0;
	if (ask_later(q, &start) != 0) {
		assert_int_equal(free_within(q, left,
					     stock.victims[SGANG_VICTIMS_ALL]),
				 INT64_MAX);
		return;
	}
	nodes = stock.asked[stock.n - 1].nodes;
	assert_true(!late || !says.within || is_one(nodes, says.within));
	least = free_when(nodes,
			  stock.victims[stock.asked[stock.n - 1].victims],
			  q->min_nodes);
	assert_true(start >= least);
	assert_int_equal(nodes & ~left, 0);
	if (q->spec && !late)
		assert_true(start >= says.joint_start);
	if (kept_off && (nodes & says.reserved) &&
	    !(q->spec && says.joint_start && (nodes & ~says.kept) == 0))
		assert_true(start >= says.reserved_from);
}

GATE_TEST(whatever_there_is)
{
	for (uint64_t i = 1; i <= 20000; i++) {
		struct sgang_question q;

		seed = i * 0x9e3779b97f4a7c15;
		a_random_world();
		q = question(random64() % 2, 1 + random64() % 6);
		q.end = NOW + (int64_t)(random64() % 1500);
		check_now(&q);
		check_later(&q);
	}
}

TEST_MAIN(NULL, NULL)
