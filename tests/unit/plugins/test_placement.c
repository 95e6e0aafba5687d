/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_placement.c - islands and policies of levels on a toy cluster */

#include "../unit.h"
#include "core/plan/place.h"
#include "../core/fuzz.h"
#include "toy_cluster.h"

#define ISLANDS_TEST(name) TEST_WITH(name, setup_islands, teardown)

/* ---- islands: each node has two of two CPUs ---- */

static int setup_islands(void **state)
{
	setup(state);
	sgang_conductor_destroy(c);
	toy_islands = 2;
	start_conductor();
	return 0;
}

static struct fake_request piece_of(const char *gang, uint32_t min,
				    uint32_t cpus)
{
	return MEMBER(gang, min, .cpus = cpus, .ranks = cpus);
}

/* The islands of its first node that a job has something of, as bits. */
static unsigned int islands_of(uint32_t id)
{
	const struct fake_job *j = fake_job(id);
	unsigned int found = 0, n = 0;

	while (!(j->nodes >> n & 1))
		n++;
	for (unsigned int i = 0; i < FAKE_ISLANDS; i++)
		found |= (j->cpus_in[n][i] != 0) << i;
	return found;
}

/* A job on one CPU of every node: the first island of each is half used. */
static void break_first_islands(uint32_t nodes)
{
	for (uint32_t n = 0; n < nodes; n++)
		run_on(JOB(1, 1000, .cpus = 1), (uint64_t)1 << n);
}

/* 4.20, 4.22, 4.30: two CPUs in one island whenever one is free. */
ISLANDS_TEST(test_one_island)
{
	break_first_islands(NODES);
	start_many(piece_of("train", 4, 2), 4, train);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(islands_of(train[i]), 2);
	/* 4 ranks pairs in 4 islands of 4 nodes of a leaf: 4 hops inside, 4 out
	 */
	recorded(train[0], "ring=%d hops=island:4,leaf:4 tier=leaf exact",
		 4 * 1 + 4 * 4);
	assert_false(record_of(train[0]).any_device);
	/* on an empty cluster two nodes would do */
	recorded(train[0], "best=%d", 4 * 1 + 2 * 2 + 2 * 4);
}

/* Two members of half a node fill it as two islands. */
ISLANDS_TEST(test_two_fill_a_node)
{
	start_many(piece_of("train", 2, 2), 2, train);
	assert_true(fake_job(train[0])->nodes == fake_job(train[1])->nodes);
	assert_int_equal(islands_of(train[0]) | islands_of(train[1]), 3);
	assert_int_equal(islands_of(train[0]) & islands_of(train[1]), 0);
	recorded(train[0], "tier=node ring=%d", 2 * 1 + 2 * 2);
	is_told(train[1], "SLURM_GANG_NODELIST", "n0,n0");
}

/* 4.20: tasks on any nodes have islands where tasks on one node have. */
ISLANDS_TEST(test_tasks_in_islands)
{
	struct fake_request rq = piece_of("train", 2, 2);

	rq.cpus = rq.nodes = 0;
	rq.total_cpus = 2;
	break_first_islands(NODES);
	start_many(rq, 2, train);
	assert_int_equal(islands_of(train[0]), 2);
	assert_int_equal(islands_of(train[1]), 2);
	recorded(train[0], "ring=%d", 2 * 1 + 2 * 4);
	assert_false(record_of(train[0]).any_device);
	recorded(train[0], "best=%d", 2 * 1 + 2 * 2);
}

/* Where no island has room, the pieces of several will do. */
ISLANDS_TEST(test_across_islands)
{
	start_many(piece_of("train", 2, 3), 2, train);
	assert_int_equal(islands_of(train[0]), 3);
	/* 2 + 1 on each of two nodes */
	recorded(train[0], "hops=island:2,node:2,leaf:2 ring=%d",
		 2 * 1 + 2 * 2 + 2 * 4);
}

/* A job on one CPU of that node. */
static uint32_t take_one(uint32_t node)
{
	uint32_t id;

	id = run_on(JOB(1, 1000, .cpus = 1), (uint64_t)1 << node);
	return id;
}

/* n0 and the last node have two CPUs free in one island, the others one in each
 * of two islands. */
static void leave_two(void)
{
	for (uint32_t n = 0; n < NODES; n++) {
		uint32_t first = take_one(n);

		take_one(n);
		if (n == 0 || n == NODES - 1)
			continue;
		take_one(n);
		fake_end(first);
	}
}

/* Two CPUs are in one island, but that is not the cheapest place: pieces of
 * several islands would be nearer. */
ISLANDS_TEST(test_nearer_across_islands)
{
	leave_two();
	start_many(piece_of("train", 2, 2), 2, train);
	assert_int_equal(islands_of(train[0]), 2);
	assert_int_equal(islands_of(train[1]), 2);
	/* on n0 and n1 it would be 1 + 2 + 2 * 4 */
	assert_true(record_of(train[0]).ring_cost > 11);
	recorded(train[0], "!exact bound=11");
}

/* ... also with communication groups. */
ISLANDS_TEST(test_groups_across_islands)
{
	leave_two();
	start_many(MEMBER("train", 2, .cpus = 2, .ranks = 2,
			  .more = "parallel=dp=4:dp=1"),
		   2, train);
	assert_int_equal(islands_of(train[1]), 2);
	assert_true(record_of(train[0]).weighted_cost > 11);
	recorded(train[0], "!exact");
	assert_true(record_of(train[0]).bound <= 11);
}

/* ... and where lighter nodes come first. */
ISLANDS_TEST(test_weights_across_islands)
{
	struct sgang_topologies *all = toy_tree();
	struct sgang_conf conf = default_conf();

	conf.weight_first = true;
	toy_look_inside(all);
	sgang_conductor_configure(c, all, &conf);
	fake_world.weight[0] = 2;
	leave_two();
	start_many(piece_of("train", 2, 2), 2, train);
	assert_int_equal(islands_of(train[0]), 2);
	assert_int_equal(islands_of(train[1]), 2);
	recorded(train[0], "!exact");
	assert_true(record_of(train[0]).bound <= 11);
}

/* Whole nodes have both: what is inside counts, and is the same everywhere. */
ISLANDS_TEST(test_whole_nodes)
{
	start_many(MEMBER("train", 2, .ranks = 4), 2, train);
	recorded(train[0], "ring=%d", 4 * 1 + 2 * 2 + 2 * 4);
	assert_int_equal(record_of(train[0]).ring_best,
			 record_of(train[0]).ring_cost);
	recorded(train[0], "exact");
	/* 4.34: the same in another place, in the same coin */
	if (strncmp(record_of(train[0]).others, "l1:16,", 6))
		fail_msg("%s", record_of(train[0]).others);
}

/* A member of two nodes: one island of each. */
ISLANDS_TEST(test_two_nodes_each)
{
	start_many(MEMBER("train", 2, .cpus = 2, .nodes = 2, .ranks = 4), 2,
		   train);
	for (uint32_t i = 0; i < 2; i++) {
		unsigned int both = islands_of(train[i]);

		assert_true(both == 1 || both == 2);
	}
	recorded(train[0], "tier=leaf");
}

/* Where Slurm cannot be kept to islands, the placement says so. */
ISLANDS_TEST(test_any_device)
{
	fake_world.hides_islands = true;
	start_many(piece_of("train", 2, 2), 2, train);
	assert_true(record_of(train[0]).any_device);
	recorded(train[0], "device=any");
}

/* One rank that has CPUs of both islands is not kept to the one it is in. */
ISLANDS_TEST(test_one_rank)
{
	uint32_t id;

	id = submit_one_to(MEMBER("train", 1, .cpus = 3, .ranks = 1),
			   FAKE_RUNNING);
	assert_int_equal(islands_of(id), 3);
	assert_int_equal(fake_counts.refused, 0);
}

/* 4.31: what a group must stay in can be less than the nodes that its member
 * takes as a whole. */
ISLANDS_TEST(test_group_in_island)
{
	static const struct {
		const char *topology;
		const char *parallel;
		enum fake_state state;
	} cases[] = {
		{ "require:tp:island", "parallel=tp=4,dp=2", FAKE_PENDING },
		{ "require:tp:node", "parallel=tp=4,dp=2", FAKE_RUNNING },
		{ "require:tp:island", "parallel=tp=2,dp=4", FAKE_RUNNING },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct fake_request rq =
			MEMBER("train", 2, .topology = cases[i].topology,
			       .more = cases[i].parallel, .ranks = 4);

		afresh(setup_islands, "case %zu", i);
		submit_many(rq, 2, train);
		schedule_to(train, 2, cases[i].state);
		if (cases[i].state == FAKE_PENDING &&
		    !strstr(text_of(train[0]),
			    "group tp: its rings must be "
			    "within one island each, in the best place they "
			    "are within one node"))
			fail_msg("%s", text_of(train[0]));
	}
}

/* Random pieces and ends: nothing is ever overbooked (the toy cluster watches),
 * and what fits into an island is in one if the plan could have it so. */
ISLANDS_TEST(test_random_islands)
{
	uint64_t seed = 4;

	for (int round = 0; round < 300; round++) {
		struct fake_request rq = piece_of("g", 1, 1);
		uint32_t n = 1 + (uint32_t)fuzz_below(&seed, 4), ids[4];
		char name[16];

		snprintf(name, sizeof(name), "g%d", round);
		rq.gang = name;
		rq.min = n;
		rq.cpus = 1 + (uint32_t)fuzz_below(&seed, 4);
		rq.ranks = rq.cpus;
		rq.nodes = 1 + (uint32_t)fuzz_below(&seed, 2);
		rq.ranks *= rq.nodes;
		submit_and_schedule(rq, n, ids);
		for (const struct fake_job *j = fake_next(NULL); j;
		     j = fake_next(j)) {
			if (j && j->state == FAKE_RUNNING &&
			    !fuzz_below(&seed, 3))
				fake_end(j->id);
		}
		if (fake_state(ids[0]) == FAKE_PENDING) {
			end_all(ids, n);
		}
		pass();
		fake_purge();
	}
}

/* ---- one placement, for slurmctld and for sgang place ---- */

/* How often one was asked for, and of these for now. */
static unsigned int places, places_now;

int __real_sgang_place(const struct sgang_place_request *request,
		       struct sgang_placement **placement,
		       struct sgang_place_report *report,
		       struct sgang_nofit *nofit, struct sgang_error *err);
int __wrap_sgang_place(const struct sgang_place_request *request,
		       struct sgang_placement **placement,
		       struct sgang_place_report *report,
		       struct sgang_nofit *nofit, struct sgang_error *err);

int __wrap_sgang_place(const struct sgang_place_request *request,
		       struct sgang_placement **placement,
		       struct sgang_place_report *report,
		       struct sgang_nofit *nofit, struct sgang_error *err)
{
	places++;
	places_now += request->prove;
	return __real_sgang_place(request, placement, report, nofit, err);
}

/* Where it is, and what an empty cluster would give. */
ISLANDS_TEST(test_two_plans_start_a_gang)
{
	submit_many(piece_of("train", 4, 2), 4, train);
	places = 0;
	schedule_to(train, 4, FAKE_RUNNING);
	assert_int_equal(places, 2);
}

/* ... two say how many of the four fit, by halving, and more when all do. */
ISLANDS_TEST(test_a_plan_refuses_a_gang)
{
	for (uint32_t n = 0; n < NODES; n++)
		run_on(plain(1, 1000), (uint64_t)1 << n);
	submit_many(piece_of("train", 4, 2), 4, train);
	places_now = 0;
	schedule_to(train, 4, FAKE_PENDING);
	assert_int_equal(places_now, 1 + 2);
}

/* The state of the toy cluster as sgang place is told: the last slots of a node
 * are free. */
struct offline {
	const struct sgang_fabric *fabric;
	const struct sgang_devices *devices;
	uint32_t free[NODES], total[NODES];
	uint32_t island_free[NODES * 2], island_total[NODES * 2];
	struct sgang_plan_member member[8];
};

static int place_offline(struct offline *o, uint32_t members, uint32_t slots,
			 struct sgang_placement **placement)
{
	struct sgang_costs costs;
	struct sgang_conf conf = default_conf();
	const struct sgang_plan_request nodes = {
		.fabric = o->fabric,
		.costs = &costs,
		.free = o->free,
		.total = o->total,
		.members = o->member,
		.n_members = members,
		.max_level = SGANG_LEVEL_UNCONNECTED,
	};
	const struct sgang_place_islands islands = {
		.devices = o->devices,
		.free = o->island_free,
		.total = o->island_total,
	};
	const struct sgang_place_request request = {
		.nodes = &nodes,
		.islands = &islands,
		.prove = true,
	};
	struct sgang_nofit nofit;
	struct sgang_error err;

	costs = conf.costs;
	for (uint32_t i = 0; i < members; i++)
		o->member[i] = (struct sgang_plan_member){
			.units = 1,
			.slots = slots,
			.distinct = true,
		};
	return sgang_place(&request, placement, NULL, &nofit, &err);
}

/* Jobs on some CPUs of some nodes. */
static void fill_at_random(struct offline *o, uint64_t *seed)
{
	for (uint32_t n = 0; n < NODES; n++) {
		struct fake_request rq = plain(1, 1000);

		rq.cpus = (uint32_t)fuzz_below(seed, CPUS + 1);
		o->total[n] = CPUS;
		o->free[n] = CPUS - rq.cpus;
		for (uint32_t i = 0; i < 2; i++)
			o->island_total[2 * n + i] = CPUS / 2;
		o->island_free[2 * n] = rq.cpus < 2 ? 2 - rq.cpus : 0;
		o->island_free[2 * n + 1] = rq.cpus < 2 ? 2 : 4 - rq.cpus;
		if (rq.cpus)
			run_on(rq, (uint64_t)1 << n);
	}
}

/* Where the member's ranks are, as bits of islands. */
static uint64_t islands_in(const struct sgang_placement *placement,
			   uint32_t member)
{
	uint64_t found = 0;

	for (size_t i = 0; i < placement->n_runs; i++) {
		if (placement->runs[i].member == member)
			found |= UINT64_C(1) << placement->runs[i].node;
	}
	return found;
}

static uint64_t islands_had(uint32_t id)
{
	const struct fake_job *j = fake_job(id);

	return (uint64_t)islands_of(id) << 2 * __builtin_ctzll(j->nodes);
}

static void compare(struct offline *o, uint32_t n, uint32_t cpus,
		    const uint32_t *ids)
{
	struct sgang_placement *placement = NULL;
	uint64_t ours = 0, theirs = 0;
	bool fits = place_offline(o, n, cpus, &placement) == 1;

	assert_int_equal(fits, fake_state(ids[0]) == FAKE_RUNNING);
	if (!fits)
		return;
	assert_int_equal(placement->ring.cost, record_of(ids[0]).ring_cost);
	assert_int_equal(placement->exact, record_of(ids[0]).exact);
	if (!placement->exact)
		assert_int_equal(placement->bound, record_of(ids[0]).bound);
	for (uint32_t i = 0; i < n; i++) {
		ours |= islands_had(ids[i]);
		theirs |= islands_in(placement, i);
	}
	/* What three of the four CPUs leave of a node is not counted in pieces:
	 * of nodes that cost the same sgang place takes one without it. */
	if (cpus != 3)
		assert_int_equal(ours, theirs);
	sgang_placement_destroy(placement);
}

/* 4.20 */
ISLANDS_TEST(test_offline_answers_the_same)
{
	uint64_t seed = 11;

	for (int round = 0; round < 1000; round++) {
		uint32_t n = 1 + (uint32_t)fuzz_below(&seed, 6);
		uint32_t cpus = 1 + (uint32_t)fuzz_below(&seed, CPUS);
		struct sgang_topologies *all;
		struct offline o;

		afresh(setup_islands, "round %d", round);
		all = toy_tree();
		toy_look_inside(all);
		o.fabric = all->topology[0].fabric;
		o.devices = all->topology[0].devices;
		fill_at_random(&o, &seed);
		submit_and_schedule(piece_of("train", n, cpus), n, train);
		compare(&o, n, cpus, train);
		sgang_topologies_destroy(all);
	}
}

/* ---- policies of levels ---- */

/* Nor are they kept to one node where the rest of the leaf has room for them. */
ISLANDS_TEST(test_tasks_on_nodes)
{
	struct fake_request rq = piece_of("train", 2, 4);

	rq.cpus = rq.nodes = 0;
	rq.total_cpus = 4;
	occupy(LEAF(1) | LEAF(2) | LEAF(3), 0);
	break_first_islands(3);
	start_many(rq, 2, train);
	assert_int_equal(__builtin_popcountll(fake_job(train[0])->nodes |
					      fake_job(train[1])->nodes),
			 3);
	recorded(train[0], "tier=leaf");
}

static uint32_t leaves_of(uint64_t nodes)
{
	uint32_t leaves = 0;

	for (uint32_t leaf = 0; leaf < NODES / 4; leaf++)
		leaves += (nodes & LEAF(leaf)) != 0;
	return leaves;
}

/* 4.24, 4.25: refused while no leaf has room, with what each lacks and why. */
TOY_TEST(test_require_says_why)
{
	occupy(LEAF(0), 0);
	occupy((uint64_t)3 << 4, 0);
	occupy((uint64_t)1 << 8, 0);
	occupy((uint64_t)3 << 12, 0);
	fake_node_down(9, true);
	submit_to(MEMBER("train", 4, .topology = "require:leaf"), 4, train,
		  FAKE_PENDING);
	mentions(train[0], "6 nodes are free, but no leaf has 4: l1 "
			   "has 2 (2 busy)");
	recorded(train[0], "lacks=*l1:2/4:busy=2* "
			   "lacks=*l2:2/4:busy=1:down=1*");
}

/* 5.6: a node counts once, for what makes it useless first, and what is counted
 * has its name. */
TOY_TEST(test_reason_counts)
{
	static const struct {
		uint32_t members, cpus, memory;
		uint64_t requested, excluded, partition;
		const char *text, *unit;
	} cases[] = {
		/* n0 to n3 are busy, n4 has memory for nobody, n5 is down */
		{ 12, 0, 0, 0, 0, 0,
		  "12 nodes are needed, 10 are free (5 busy, 1 down)", "node" },
		{ 2, 0, 0, 0x201, 0, 0,
		  "2 nodes are needed, 1 is free (1 "
		  "busy, 14 not requested)",
		  "node" },
		{ 3, 0, 0, 0, 0xff3e, 0,
		  "3 nodes are needed, 2 are free (1 "
		  "busy, 13 excluded)",
		  "node" },
		{ 7, 0, 0, 0, 3, 0x1ff,
		  "7 nodes are needed, 3 are free (3 "
		  "busy, 1 down, 2 excluded, 7 not in the partition)",
		  "node" },
		{ 12, 1, 600, 0, 0, 0,
		  "12 places with 1 CPU and 600M are "
		  "needed, 10 are free (nodes without room: 4 busy, 1 with too "
		  "little free memory, 1 down)",
		  "place" },
		{ 30, 1, 0, 0, 0, 0x0ff0,
		  "30 CPUs are needed, 27 are free "
		  "(nodes without room: 1 down, 8 not in the partition)",
		  "CPU" },
		{ 15, 2, 0, 0, 0, 0x0ff0,
		  "15 places with 2 CPUs are needed, "
		  "13 are free (nodes without room: 1 down, 8 not in the "
		  "partition)",
		  "2xCPU" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct fake_request rq =
			MEMBER("train", cases[i].members, .cpus = cases[i].cpus,
			       .memory = cases[i].memory,
			       .requested = cases[i].requested,
			       .excluded = cases[i].excluded,
			       .partition = cases[i].partition);
		uint32_t ids[64], whole, part;

		whole = occupy(LEAF(0), 0);
		part = run_on(
			(struct fake_request){
				.nodes = 1,
				.cpus = 1,
				.memory = 500,
				.priority = 1,
			},
			1 << 4);
		fake_node_down(5, true);
		submit_and_schedule(rq, cases[i].members, ids);
		pass();
		if (!strstr(text_of(ids[0]), cases[i].text))
			fail_msg("case %zu: %s", i, text_of(ids[0]));
		assert_string_equal(record_of(ids[0]).unit, cases[i].unit);
		for (uint32_t k = 0; k < cases[i].members; k++)
			fake_end(ids[k]);
		fake_end(whole);
		fake_end(part);
		fake_node_down(5, false);
		pass();
		fake_purge();
	}
}

static void all_say(const uint32_t *ids, size_t n, const char *first,
		    const char *then)
{
	for (size_t i = 0; i < n; i++) {
		const char *text = strstr(text_of(ids[i]), first);

		if (!text || !strstr(text, then))
			fail_msg("%s", text_of(ids[i]));
	}
}

/* 5.5, 5.6: a node that a member requires is planned for, and told of where it
 * has no room. */
TOY_TEST(test_required)
{
	struct fake_request rq = MEMBER("train", 2, .nodes = 2,
					.required = 1 << 5);
	uint32_t busy = occupy(1 << 5, 0);

	submit_many(rq, 1, train);
	rq.required = 0;
	submit_many(rq, 1, train + 1);
	schedule_to(train, 2, FAKE_PENDING);
	mentions(train[0], ": n5, which it requires, is busy");
	end_and_schedule(busy);
	assert_true(fake_job(train[0])->nodes & 1 << 5);
	assert_int_equal(nodes_of(train, 2), LEAF(1));
	recorded(train[0], "exact");
}

/* 5.6: Slurm tries no job that requires a node which is out of service, so a
 * gang of such members alone has no turn: it says which node that is, and not
 * what an attempt before that has found. */
TOY_TEST(test_barred)
{
	struct fake_request rq = MEMBER("train", 2, .nodes = 2);
	uint32_t busy = occupy(1 << 5, 0);

	rq.cpus = CPUS / 2;
	rq.required = 1 << 5;
	submit_and_schedule(rq, 2, train);
	all_say(train, 2, "waits: JobId=", ": n5, which it requires, is busy");
	fake_node_down(5, true);
	schedule_and_pass();
	all_say(train, 2, "waits: JobId=", ": n5, which it requires, is down");
	recorded(train[0], "!lacks helps=nodes:1:n5");
	assert_int_equal(fake_job(train[0])->expected, 0);
	end_and_schedule(busy);
	all_say(train, 2, "waits: JobId=", ": n5, which it requires, is down");

	/* one that Slurm tries finds the same */
	fake_fail(train[1], true);
	rq.required = 0;
	train[1] = arrive(rq);
	schedule_and_pass();
	all_say(train, 2, "waits: JobId=", ": n5, which it requires, is down");
	fake_fail(train[1], true);
	rq.required = 1 << 5;
	train[1] = submit(rq);
	schedule_and_pass();
	all_say(train, 2, "waits: JobId=", ": n5, which it requires, is down");

	fake_node_down(5, false);
	pass();
	all_say(train, 2, "waits for its turn", "");
	recorded(train[0], "!helps");
	schedule_to(train, 2, FAKE_RUNNING);
}

/* 5.6: what helps is named, and no more of it than helps. */
TOY_TEST(test_helps)
{
	uint32_t early = occupy(0x3, 1000500), ids[16], other[16];
	uint32_t endless = occupy(0x4, 0), more = occupy(0x8, 0);
	char jobs[64];

	submit_and_schedule(member_of("ends", 14), 14, ids);
	pass();
	recorded(ids[0], "!helps");
	assert_int_equal(joint_start("ends"), 1000500);
	submit_and_schedule(member_of("endless", 16), 16, other);
	pass();
	snprintf(jobs, sizeof(jobs), "jobs:2:%u,%u", endless, more);
	assert_string_equal(record_of(other[0]).helps, jobs);
	assert_int_equal(fake_job(other[0])->expected, 0);
	/* too few nodes are idle still, but others than it says */
	fake_end(endless);
	wait_and_schedule(10);
	pass();
	snprintf(jobs, sizeof(jobs), "jobs:1:%u", more);
	assert_string_equal(record_of(other[0]).helps, jobs);
	fake_end(early);
	fake_end(more);
	fake_node_down(7, true);
	fake_node_down(9, true);
	wait_and_schedule(10);
	pass();
	recorded(other[0], "helps=nodes:2:n[7,9]");
}

/* 5.6: of two nodes that are down one would do; nothing helps who asks for more
 * than there is. */
TOY_TEST(test_helps_least)
{
	uint32_t other[2];

	fake_node_down(7, true);
	fake_node_down(9, true);
	submit_and_schedule(member_of("train", 15), 15, train);
	pass();
	assert_memory_equal(record_of(train[0]).helps, "nodes:1:n", 9);
	submit_and_schedule(MEMBER("near", 2, .topology = "require:node"), 2,
			    other);
	pass();
	recorded(other[0], "helps=never");
}

/* 5.6: whatever backfill makes of members that share a node, they show one
 * start. */
TOY_TEST(test_one_start)
{
	occupy(ALL_FREE, 1000500);
	submit_and_schedule(MEMBER("train", 3, .cpus = 1), 3, train);
	pass();
	for (int i = 0; i < 3; i++)
		assert_int_equal(fake_job(train[i])->expected, 1000500);
	for (int i = 0; i < 3; i++)
		fake_job(train[i])->expected = 1000500 + 3600 * i;
	pass();
	for (int i = 0; i < 3; i++)
		assert_int_equal(fake_job(train[i])->expected, 1000500);
	/* jobs before it have the nodes for longer */
	for (int i = 0; i < 3; i++)
		fake_job(train[i])->expected = 1000900 + 3600 * i;
	pass();
	for (int i = 0; i < 3; i++)
		assert_int_equal(fake_job(train[i])->expected, 1000900);
}

/* 4.24: where Slurm refuses a planned node no other domain will do. */
TOY_TEST(test_require_when_refused)
{
	struct fake_request rq = MEMBER("train", 2, .topology = "require:leaf",
					.cpus = 1, .memory = 100);

	/* in leaf 0 one node is left, whose CPUs would do for both members:
	 * that it lacks memory is not seen where members differ */
	occupy((uint64_t)7, 0);
	train[0] = submit(rq);
	rq.cpus = 2;
	rq.memory = 900;
	train[1] = submit(rq);
	rq = plain(1, 1);
	rq.cpus = 1;
	rq.memory = 50;
	run_on(rq, (uint64_t)8);
	schedule_to(train, 2, FAKE_RUNNING);
	assert_int_equal(leaves_of(nodes_of(train, 2)), 1);
	assert_false(nodes_of(train, 2) & LEAF(0));
}

/* 5.6: of places that Slurm has refused, what it said is the reason, and not
 * that they are kept for others. */
TOY_TEST(test_require_refused_everywhere)
{
	struct fake_request rq = MEMBER("train", 2, .topology = "require:leaf",
					.not_on = LEAF(0) | LEAF(3));

	occupy(LEAF(1) | LEAF(2), 0);
	submit_to(rq, 2, train, FAKE_PENDING);
	if (!strstr(text_of(train[0]), "nodes are busy") ||
	    strstr(text_of(train[0]), "kept"))
		fail_msg("%s", text_of(train[0]));
}

/* 4.24: prefer:LEVEL@TIME waits so long for a leaf, then takes anything. */
TOY_TEST(test_prefer_waits)
{
	occupy(LEAF(0), 0);
	occupy((uint64_t)1 << 4 | 1 << 8 | 1 << 12, 0);
	submit_to(MEMBER("train", 4, .topology = "prefer:leaf@5"), 4, train,
		  FAKE_PENDING);
	/* it is known when it will be content with less */
	assert_int_equal(joint_start("train"), fake_host.now() + 300);
	fake_clock(290);
	schedule_to(train, 4, FAKE_PENDING);
	fake_clock(20);
	schedule_to(train, 4, FAKE_RUNNING);
	recorded(train[0], "tier=spine");
}

/* ... and takes a leaf as soon as there is one. */
TOY_TEST(test_prefer_is_content)
{
	uint32_t other;

	occupy((uint64_t)1 | 1 << 8 | 1 << 12, 0);
	other = occupy((uint64_t)1 << 5, 0);
	submit_to(MEMBER("train", 4, .topology = "prefer:leaf@5"), 4, train,
		  FAKE_PENDING);
	fake_clock(60);
	fake_end(other);
	schedule_to(train, 4, FAKE_RUNNING);
	assert_true(nodes_of(train, 4) == LEAF(1));
}

/* Each member in another leaf; without that they would share one. */
TOY_TEST(test_spread)
{
	uint32_t more[5];

	start_many(MEMBER("train", 4, .topology = "spread:leaf"), 4, train);
	assert_int_equal(leaves_of(nodes_of(train, 4)), 4);
	/* there are no five leaves */
	submit_to(MEMBER("five", 5, .topology = "spread:leaf"), 5, more,
		  FAKE_PENDING);
	mentions(more[0], "5 members are to be in different leaf "
			  "domains, but only 4 have room for one");
}

/* --gang-exclusive keeps other gangs out of its leaves, also those that come
 * first, but not ordinary jobs. */
TOY_TEST(test_exclusive)
{
	uint32_t ids[2], others[2], own[2];

	start_many(MEMBER("alone", 2, .more = "exclusive=leaf"), 2, ids);
	assert_int_equal(leaves_of(nodes_of(ids, 2)), 1);
	start_many(member_of("other", 2), 2, others);
	for (uint32_t leaf = 0; leaf < 4; leaf++)
		assert_true(!(nodes_of(ids, 2) & LEAF(leaf)) ||
			    !(nodes_of(others, 2) & LEAF(leaf)));
	/* the other way round: it wants a leaf without gangs, in vain */
	for (uint32_t leaf = 0; leaf < 4; leaf++) {
		uint64_t left = LEAF(leaf) & ~nodes_of(ids, 2) &
				~nodes_of(others, 2);

		if (left == LEAF(leaf))
			occupy(left, 0);
	}
	submit_to(MEMBER("late", 2, .more = "exclusive=leaf"), 2, own,
		  FAKE_PENDING);
	run_on(plain(1, 50), ALL_FREE);
	/* idle nodes are not called busy */
	recorded(own[0], "lacks=*:kept=*");
	fake_end(others[0]);
	fake_end(others[1]);
	schedule_to(own, 2, FAKE_RUNNING);
}

/* Gangs that start together do not keep each other out. */
TOY_TEST(test_exclusive_group)
{
	uint32_t a[1], b[2], late;

	occupy(LEAF(1) | LEAF(2) | LEAF(3), 0);
	submit_many(MEMBER("a", 1, .more = "exclusive=leaf|groups=alice/b"), 1,
		    a);
	submit_and_schedule(
		MEMBER("b", 2, .more = "exclusive=leaf|groups=alice/a"), 2, b);
	all_in_state(a, 1, FAKE_RUNNING);
	all_in_state(b, 2, FAKE_RUNNING);
	/* nor does one keep out a later member of the other */
	late = submit(MEMBER("b", 2, .more = "exclusive=leaf|groups=alice/a"));
	passes(2);
	schedule_to(&late, 1, FAKE_RUNNING);
}

/* A domain counts where the gang uses a share of it (MinExclusiveShare=0.25):
 * one node of eight keeps nobody out of a spine, two do. */
static void exclusive_share(uint32_t n, enum fake_state state)
{
	uint32_t ids[2], others[12];

	start_many(MEMBER("alone", n, .more = "exclusive=spine"), n, ids);
	submit_to(member_of("other", 12), 12, others, state);
}

TOY_TEST(test_small_share)
{
	exclusive_share(1, FAKE_RUNNING);
}

TOY_TEST(test_large_share)
{
	exclusive_share(2, FAKE_PENDING);
}

/* ---- --gang-rank-order ---- */

/* Members in turn in two leaves of different spines. */
static void in_turn(const char *gang, const char *more, uint32_t min,
		    uint32_t n, uint32_t *ids)
{
	for (uint32_t i = 0; i < n; i++) {
		struct fake_request rq = MEMBER(gang, min, .more = more);

		rq.partition = LEAF(i % 2 ? 2 : 0);
		ids[i] = submit(rq);
	}
}

/* The first member is the first, then its leaf, then the other one; or as they
 * were submitted. */
static void check_turns(const uint32_t *ids, uint32_t n, bool sorted)
{
	uint64_t ring = (n - 2) * 4 + 2 * 64, turns = n * 64;

	all_in_state(ids, n, FAKE_RUNNING);
	for (uint32_t i = 0; i < n; i++) {
		struct sgang_record r = record_of(ids[i]);
		uint32_t rank = sorted ? i / 2 + (i % 2) * n / 2 : i;
		char text[16];

		assert_int_equal(r.ring_cost, sorted ? ring : turns);
		assert_int_equal(r.order_cost, sorted ? 0 : ring);
		assert_int_equal(r.sorted, sorted);
		if (i < 2 || !sorted)
			assert_int_equal(r.member_rank, rank);
		assert_int_equal(r.member_rank >= n / 2, rank >= n / 2);
		snprintf(text, sizeof(text), "%u", r.member_rank);
		is_told(ids[i], "SLURM_GANG_MEMBER_RANK", text);
	}
}

/* 7.9: as submitted, as the ring costs the least, and what was placed one by
 * one. */
TOY_TEST(test_rank_order)
{
	static const struct {
		const char *more;
		bool sorted;
	} cases[] = {
		{ NULL, false },
		{ "rank_order=ring", true },
		{ "mode=nonstrict|rank_order=ring", true },
		{ "mode=nonstrict", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		afresh(setup, "case %zu", i);
		in_turn("train", cases[i].more, 8, 8, train);
		schedule_and_pass();
		check_turns(train, 8, cases[i].sorted);
		if (cases[i].sorted)
			assert_true(record_of(train[0]).exact ==
				    (cases[i].more[0] == 'r'));
	}
}

/* 7.9: gangs that are planned as one have rings of their own. */
TOY_TEST(test_rank_order_of_group)
{
	uint32_t a[4], b[4];

	in_turn("a",
		"rank_order=ring|groups=alice/b|group_topology=require:core", 4,
		4, a);
	in_turn("b", "groups=alice/a", 4, 4, b);
	schedule_and_pass();
	check_turns(a, 4, true);
	check_turns(b, 4, false);
}

/* 7.9: --gang-rank of one member fixes the order of all. */
TOY_TEST(test_rank_fixes_order)
{
	struct fake_request rq = MEMBER("train", 8, .more = "rank_order=ring",
					.more = NULL, .rank = "0",
					.partition = LEAF(2));

	in_turn("train", "rank_order=ring", 8, 7, train);
	train[7] = submit(rq);
	schedule_to(train, 8, FAKE_RUNNING);
	recorded(train[0], "!sorted");
	recorded(train[7], "rank=0/*");
	recorded(train[0], "rank=1/* ring=%d ordercost=152", 8 * 64);
}

/* --gang-group-topology: two gangs in one spine, or each in another one. */
TOY_TEST(test_group_topology)
{
	static const struct {
		const char *more_a, *more_b;
		bool one;
	} cases[] = {
		{ "groups=alice/b|group_topology=require:spine",
		  "groups=alice/a", true },
		{ "groups=alice/b|group_topology=spread:spine",
		  "groups=alice/a", false },
	};

	for (size_t i = 0; i < 2; i++) {
		uint32_t a[3], b[3];
		uint64_t spine = LEAF(0) | LEAF(1), nodes;

		afresh(setup, "i %zu", i);
		/* five free in the first spine, eight in the other */
		occupy((uint64_t)7, 0);
		submit_many(MEMBER("a", 3, .more = cases[i].more_a), 3, a);
		submit_many(MEMBER("b", 3, .more = cases[i].more_b), 3, b);
		schedule_to(a, 3, FAKE_RUNNING);
		all_in_state(b, 3, FAKE_RUNNING);
		nodes = nodes_of(a, 3) | nodes_of(b, 3);
		if (cases[i].one) {
			assert_true(!(nodes & spine));
			continue;
		}
		assert_true((nodes_of(a, 3) & spine) == nodes_of(a, 3) ||
			    (nodes_of(a, 3) & spine) == 0);
		assert_true(!(nodes_of(a, 3) & spine) !=
			    !(nodes_of(b, 3) & spine));
	}
}

/* A gang of a group keeps to what it asked itself, in the place of the group,
 * whichever of them is planned first. */
TOY_TEST(test_group_and_own)
{
	for (size_t i = 0; i < 2; i++) {
		const char *own = i ? "b" : "a", *other = i ? "a" : "b";
		uint32_t ids[3], others[3];
		char more_own[64], more_other[64];

		afresh(setup, "gang %s", own);
		snprintf(more_own, sizeof(more_own), "groups=alice/%s", other);
		snprintf(more_other, sizeof(more_other),
			 "groups=alice/%s"
			 "|group_topology=require:spine",
			 own);
		occupy(LEAF(0) | LEAF(1) | (uint64_t)3 << 8, 0);
		submit_many(MEMBER(own, 3, .topology = "require:leaf",
				   .more = more_own),
			    3, ids);
		submit_many(MEMBER(other, 3, .more = more_other), 3, others);
		schedule_to(ids, 3, FAKE_RUNNING);
		all_in_state(others, 3, FAKE_RUNNING);
		assert_int_equal(leaves_of(nodes_of(ids, 3)), 1);
	}
}

/* A nonstrict gang keeps to the leaf in which its first members hold. */
TOY_TEST(test_nonstrict_requires)
{
	uint32_t other;

	occupy(LEAF(0) | LEAF(2) | LEAF(3), 0);
	other = occupy((uint64_t)3 << 4, 0);
	submit_and_schedule(MEMBER("train", 4, .topology = "require:leaf",
				   .more = "mode=nonstrict"),
			    4, train);
	assert_int_equal(in_state("train", FAKE_HELD), 2);
	fake_end(other);
	schedule_to(train, 4, FAKE_RUNNING);
	assert_true(nodes_of(train, 4) == LEAF(1));
}

/* 0.7, 4.24: a member that has no room beside the others is tried by itself,
 * and keeps to, or off, their domains as well. 'right': where it may be, which
 * is busy at first; 'wrong': where it may not. */
static void nonstrict_by_itself(const char *topology, uint64_t right,
				uint64_t wrong)
{
	struct fake_request rq = MEMBER("train", 2, .topology = topology,
					.more = "mode=nonstrict",
					.partition = 1);
	uint32_t other = occupy(right, 0);

	train[0] = submit(rq);
	rq.partition = right | wrong;
	train[1] = submit(rq);
	schedule_to(&train[0], 1, FAKE_HELD);
	assert_int_equal(fake_state(train[1]), FAKE_PENDING);
	fake_end(other);
	schedule_to(train, 2, FAKE_RUNNING);
	assert_int_equal(fake_job(train[1])->nodes & ~right, 0);
}

TOY_TEST(test_nonstrict_by_itself)
{
	nonstrict_by_itself("require:leaf", 1 << 1, LEAF(1));
}

TOY_TEST(test_nonstrict_by_itself_apart)
{
	nonstrict_by_itself("spread:leaf", 1 << 4, 1 << 1);
}

/* ---- partitions with a topology of their own ---- */

/* Leaves of the nodes that are as far from each other as they can be. */
static const char stripes[] = "SwitchName=x0 Nodes=n0,n4,n8,n12\n"
			      "SwitchName=x1 Nodes=n1,n5,n9,n13\n"
			      "SwitchName=x2 Nodes=n2,n6,n10,n14\n"
			      "SwitchName=x3 Nodes=n3,n7,n11,n15\n"
			      "SwitchName=top Switches=x[0-3]\n";
#define STRIPE(n) ((uint64_t)0x1111 << (n))

static void add_stripes(void)
{
	struct sgang_topologies *all = toy_tree();
	struct sgang_conf conf = default_conf();

	assert_int_equal(
		sgang_topologies_add(all, "stripes",
				     sgang_fabric_parse(stripes, "stripes",
							fake_node_names(),
							NODES, NULL),
				     NULL),
		0);
	toy_look_inside(all);
	sgang_conductor_configure(c, all, &conf);
}

static struct fake_request striped(struct fake_request rq)
{
	rq.partition_topology = "stripes";
	return rq;
}

static uint32_t stripes_of(uint64_t nodes)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < 4; i++)
		n += (nodes & STRIPE(i)) != 0;
	return n;
}

static struct fake_request only_on(struct fake_request rq, uint64_t partition,
				   uint64_t nodes)
{
	rq.partition = partition;
	rq.excluded = ~nodes;
	return rq;
}

/* 5.6: what an empty cluster would give is told of the nodes that the members
 * may have, and not of those that they exclude or of others' partitions. */
static void best_of_what_it_may_have(const char *mode)
{
	struct fake_request rq = MEMBER("train", 2, .more = mode);

	train[0] = submit(only_on(rq, ALL_FREE, LEAF(0) | LEAF(1)));
	train[1] = submit(only_on(rq, LEAF(2) | LEAF(3), ALL_FREE));
	schedule_and_pass();
	pass_to(train, 2, FAKE_RUNNING);
	recorded(train[0], "ring=%d best=%d", 2 * 64, 2 * 64);
}

TOY_TEST(test_best_of_allowed)
{
	best_of_what_it_may_have(NULL);
}

TOY_TEST(test_best_of_allowed_nonstrict)
{
	best_of_what_it_may_have("mode=nonstrict");
}

/* 4.27: each gang by the topology of its partition, with its costs. */
TOY_TEST(test_partition_topology)
{
	uint32_t others[4];

	add_stripes();
	start_many(striped(member_of("train", 4)), 4, train);
	assert_int_equal(stripes_of(nodes_of(train, 4)), 1);
	recorded(train[0], "tier=leaf ring=%d best=%d", 4 * 4, 4 * 4);
	/* one node of each leaf of the tree is gone */
	start_many(member_of("other", 4), 4, others);
	assert_int_equal(leaves_of(nodes_of(others, 4)), 2);
	recorded(others[0], "tier=spine");
}

/* Members of partitions that differ go by the topology of the cluster. */
TOY_TEST(test_partitions_differ)
{
	add_stripes();
	train[0] = submit(striped(member_of("train", 2)));
	train[1] = submit(member_of("train", 2));
	schedule_to(train, 2, FAKE_RUNNING);
	assert_int_equal(leaves_of(nodes_of(train, 2)), 1);
	recorded(train[0], "ring=%d", 2 * 4);
}

/* 4.24, 4.26: levels are those of the gang's topology, at the start and later.
 */
TOY_TEST(test_partition_levels)
{
	struct fake_request rq =
		striped(MEMBER("train", 2, .topology = "require:leaf"));
	uint32_t late, id;

	add_stripes();
	occupy(ALL_FREE & ~(LEAF(0) | STRIPE(2)), 0);
	start_many(rq, 2, train);
	assert_true((nodes_of(train, 2) & STRIPE(2)) == nodes_of(train, 2));
	late = arrive(rq);
	assert_int_equal(turn(late), SGANG_TURN_ORDINARY);
	assert_true(late_on(late, ALL_FREE, 0) == STRIPE(2));
	assert_true(late_on(late, ALL_FREE, SGANG_LEVEL_LEAF) == STRIPE(2));
	id = submit_one_to(
		striped(MEMBER("alone", 1, .more = "exclusive=leaf")),
		FAKE_RUNNING);
	assert_true(fake_job(id)->nodes & ~STRIPE(2));
}

/* 4.20: islands meet by the topology of the partition, too. */
ISLANDS_TEST(test_partition_islands)
{
	add_stripes();
	break_first_islands(NODES);
	start_many(striped(piece_of("train", 4, 2)), 4, train);
	assert_int_equal(stripes_of(nodes_of(train, 4)), 1);
	recorded(train[0], "ring=%d", 4 * 1 + 4 * 4);
}

/* ---- members that start after their gang ---- */

/* 4.24: a requeued member and a new one stay in the leaf of the others, wait
 * for it, and say so. */
TOY_TEST(test_late_requires)
{
	uint32_t late, other;

	occupy(LEAF(0), 0);
	start_many(MEMBER("train", 3, .topology = "require:leaf"), 3, train);
	assert_true((nodes_of(train, 3) & LEAF(1)) == nodes_of(train, 3));
	other = occupy(LEAF(1) & ~nodes_of(train, 3), 0);
	late = arrive(MEMBER("train", 3, .topology = "require:leaf"));
	assert_int_equal(turn(late), SGANG_TURN_ORDINARY);
	assert_true(late_on(late, ALL_FREE, 0) == LEAF(1));
	schedule_to(&late, 1, FAKE_PENDING);
	says(late, "Gang alice/train runs in leaf l1, "
		   "where this member waits for room");
	fake_lose(train[1]);
	schedule_to(train, 3, FAKE_RUNNING);
	assert_int_equal(fake_state(late), FAKE_PENDING);
	assert_int_equal(leaves_of(nodes_of(train, 3)), 1);
	fake_end(other);
	schedule_to(&late, 1, FAKE_RUNNING);
	assert_true(fake_job(late)->nodes & LEAF(1));
}

/* Where nobody runs any more there is nothing to keep to. */
TOY_TEST(test_late_alone)
{
	start_many(MEMBER("train", 2, .topology = "require:leaf"), 2, train);
	fake_lose(train[0]);
	fake_lose(train[1]);
	/* the conductor has not looked since */
	assert_true(late_on(train[0], ALL_FREE, 0) == ALL_FREE);
	assert_true(late_on(train[0], ALL_FREE, SGANG_LEVEL_LEAF) == ALL_FREE);
	assert_int_equal(late_within(train[0]), SGANG_LEVEL_LEAF);
}

/* 4.24: one of its own leaf for each, later too. */
TOY_TEST(test_late_spreads)
{
	uint32_t late;

	occupy(LEAF(0), 0);
	start_many(MEMBER("train", 3, .topology = "spread:leaf"), 3, train);
	late = arrive(MEMBER("train", 3, .topology = "spread:leaf"));
	assert_true(late_on(late, ALL_FREE, 0) == LEAF(0));
	assert_int_equal(late_within(late), SGANG_LEVEL_LEAF);
	schedule_to(&late, 1, FAKE_PENDING);
	says(late, "Gang alice/train is spread: this "
		   "member waits for room in a leaf without another");
	fake_lose(train[1]);
	schedule_and_pass();
	assert_int_equal(leaves_of(nodes_of(train, 3)), 3);
}

/* Many that are late cost a pass no more than one: why they wait is found out
 * once for all of them. */
TOY_TEST(test_many_are_late)
{
	uint32_t late[12], questions[2];

	occupy(LEAF(0), 0);
	start_many(MEMBER("train", 3, .topology = "require:leaf"), 3, train);
	occupy(LEAF(1) & ~nodes_of(train, 3), 0);
	for (uint32_t n = 0; n < 2; n++) {
		submit_and_pass(MEMBER("train", 3, .topology = "require:leaf"),
				n ? 11 : 1, late + n);
		fake_counts.nodes = 0;
		pass();
		questions[n] = fake_counts.nodes;
		mentions(late[n], "waits for room");
	}
	assert_int_equal(questions[0], questions[1]);
}

/* Domains of others are none for a late member, and it says why it waits. */
TOY_TEST(test_late_exclusive)
{
	uint32_t ids[1], others[1], late;

	occupy(LEAF(2) | LEAF(3), 0);
	submit_and_schedule(MEMBER("alone", 1, .more = "exclusive=leaf"), 1,
			    ids);
	submit_many(member_of("other", 1), 1, others);
	schedule_to(ids, 1, FAKE_RUNNING);
	all_in_state(others, 1, FAKE_RUNNING);
	occupy(LEAF(1) & ~nodes_of(others, 1) & ~nodes_of(ids, 1), 0);
	occupy(LEAF(0) & ~nodes_of(others, 1) & ~nodes_of(ids, 1), 0);
	late = arrive(member_of("other", 1));
	assert_true(
		late_on(late, ALL_FREE, 0) ==
		(ALL_FREE & ~(nodes_of(ids, 1) & LEAF(0) ? LEAF(0) : LEAF(1))));
	schedule_to(&late, 1, FAKE_PENDING);
	mentions(late, "apart from other gangs");
}

/* 4.20: without a policy, and with a preference, it is only the order: the leaf
 * first, then the spine, then all. */
TOY_TEST(test_late_order)
{
	static const char *const policies[] = { NULL, "prefer:leaf@60" };

	for (size_t i = 0; i < 2; i++) {
		uint32_t late;

		afresh(setup, "i %zu", i);
		occupy(LEAF(0) | LEAF(1), 0);
		start_many(MEMBER("train", 2, .topology = policies[i]), 2,
			   train);
		assert_int_equal(leaves_of(nodes_of(train, 2)), 1);
		late = arrive(MEMBER("train", 2, .topology = policies[i]));
		assert_true(late_on(late, ALL_FREE, 0) == ALL_FREE);
		assert_int_equal(late_within(late), SGANG_LEVEL_UNCONNECTED);
		assert_true(late_on(late, ALL_FREE, SGANG_LEVEL_NODE) ==
			    nodes_of(train, 2));
		assert_int_equal(
			leaves_of(late_on(late, ALL_FREE, SGANG_LEVEL_LEAF)),
			1);
		assert_true(late_on(late, ALL_FREE, SGANG_LEVEL_LEAF + 1) ==
			    (LEAF(2) | LEAF(3)));
		says(late, "");
	}
}

/* 4.37: auto waits for a better place while that saves more than it costs. */
TOY_TEST(test_auto)
{
	static const struct {
		const char *more;
		int64_t ends; /* of what is in the way */
		bool waits;
		const char *choice;
	} cases[] = {
		/* now: 3 + 1 nodes over two spines, 2 * 4 + 2 * 64 = 136,
		 * best 16: 7.5 times. Half of a step communicates, so an hour
		 * becomes 4.75 hours */
		{ "run_time=60|comm_share=0.5", 3600, true, NULL },
		{ "run_time=60|comm_share=0.5", 14000, false, "136:13500" },
		{ "run_time=1|comm_share=0.5", 3600, false, "136:225" },
		{ "run_time=60|comm_share=0.5", 13450, true, NULL },
		{ "run_time=60|comm_share=0.001", 3600, false, "136:27" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		afresh(setup, "case %zu", i);
		occupy(LEAF(0) | LEAF(2), 0);
		occupy((uint64_t)7 << 12, 0);
		occupy((uint64_t)1 << 5, fake_host.now() + cases[i].ends);
		submit_many(MEMBER("train", 4, .topology = "auto",
				   .more = cases[i].more),
			    4, train);
		schedule_to(train, 4,
			    cases[i].waits ? FAKE_PENDING : FAKE_RUNNING);
		if (!cases[i].waits) {
			/* and says why */
			assert_string_equal(record_of(train[0]).choice,
					    cases[i].choice);
			continue;
		}
		assert_int_equal(joint_start("train"),
				 fake_host.now() + cases[i].ends);
		mentions(train[0], "a place of ring cost 16 is "
				   "expected");
		/* it never waits longer than the run that it saves */
		fake_clock(15000);
		schedule_to(train, 4, FAKE_RUNNING);
	}
}

/* 4.37: whether it waits is weighed with what it would cost if it started, and
 * not with a placement that was only to show that it fits. */
TOY_TEST(test_auto_of_unlike)
{
	static const uint32_t cpus[] = { 2, 1, 3, 2, 3 };
	struct fake_request rq = MEMBER("train", COUNT(cpus),
					.topology = "auto",
					.more = "run_time=60|comm_share=0.9");
	uint32_t brief;

	occupy(0x79f8, 0); /* nodes 0, 1, 9, 10 and 15 are free */
	occupy(0x0004, fake_host.now() + 681);
	for (size_t i = 0; i < COUNT(cpus); i++) {
		rq.cpus = cpus[i];
		submit_many(rq, 1, train + i);
	}
	settle();
	for (int i = 0; i < 2; i++) {
		assert_non_null(strstr(text_of(train[0]), "here it costs 41,"));
		brief = run_on(plain(1, 500), FAKE_ALL_NODES);
		fake_end(brief);
		wait_and_pass(1);
	}
	all_in_state(train, COUNT(cpus), FAKE_PENDING);
	assert_non_null(strstr(text_of(train[0]), "here it costs 41,"));
}

/* 4.29, 4.34: communication groups are measured, and told. */
TOY_TEST(test_parallel)
{
	start_many(MEMBER("train", 4, .more = "parallel=tp=4,dp=4", .ranks = 4),
		   4, train);
	/* four tp rings inside a node each, four dp rings over the leaf */
	recorded(train[0], "wcost=%d", 100 * 4 * 4 + 10 * 4 * 16);
	assert_int_equal(record_of(train[0]).weighted_best,
			 record_of(train[0]).weighted_cost);
	recorded(train[0], "!layout");
	is_told(train[0], "SLURM_GANG_LAYOUT", "");
	recorded(train[0], "exact");
}

/* 4.30: the heavier group varies slower, so ranks do not follow the ring. */
TOY_TEST(test_layout)
{
	start_many(MEMBER("train", 2, .more = "parallel=dp=2,tp=4:dp=1,tp=100",
			  .ranks = 4),
		   2, train);
	recorded(train[0], "layout=0,2,4,6");
	recorded(train[1], "layout=1,3,5,7");
	is_told(train[0], "SLURM_GANG_LAYOUT", "0,2,4,6");
	recorded(train[0], "wcost=%d", 100 * 2 * 4 + 1 * 4 * 8);
}

/* 4.29: of four and two CPUs four and two ranks, as Slurm starts them. Three on
 * each would tear a pair apart. */
TOY_TEST(test_ranks_of_nodes)
{
	struct fake_request rq =
		MEMBER("train", 1, .more = "parallel=tp=2,dp=3", .nodes = 0);
	uint32_t id;

	rq.total_cpus = rq.ranks = 6;
	rq.partition = 3;
	id = run_on((struct fake_request){ .nodes = 1,
					   .cpus = 2,
					   .priority = 1000 },
		    2);
	id = submit_one_to(rq, FAKE_RUNNING);
	assert_int_equal(fake_job(id)->cpus_on[0], 4);
	/* three tp rings of 2 hops inside of a node; two dp rings over all */
	recorded(id, "wcost=%d", 100 * 3 * 2 * 1 + 10 * 2 * (1 + 4 + 4));
}

/* 4.29: three ranks on two nodes are three. */
TOY_TEST(test_uneven_ranks)
{
	struct fake_request rq = MEMBER("train", 3,
					.more = "parallel=tp=3,dp=3",
					.nodes = 2, .cpus = 2, .ranks = 3);

	start_many(rq, 3, train);
	recorded(train[2], "ranks=9");
	assert_int_not_equal(record_of(train[0]).weighted_cost, 0);
	assert_int_equal(record_of(train[0]).weighted_best,
			 record_of(train[0]).weighted_cost);
	rq.gang = "wrong";
	rq.more = "parallel=tp=3,dp=2";
	submit_to(rq, 3, train, FAKE_PENDING);
	mentions(train[0], "make 6 ranks, but the gang has 9");
}

/* 4.32: of an elastic gang as many members start as make the ranks of the groups, also
 * if it had to wait; a size that is open follows them. */
TOY_TEST(test_elastic_groups)
{
	static const struct {
		const char *groups;
		uint32_t free, wait, start;
	} cases[] = {
		{ "parallel=tp=2,dp=3", 16, 0, 3 },
		{ "parallel=tp=2,dp=3", 2, 3, 3 },
		{ "parallel=tp=2,dp=?", 16, 0, 4 },
		{ "parallel=tp=2,dp=?", 2, 0, 2 },
		{ "parallel=tp=4,dp=?", 3, 0, 2 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t started = 0, busy = 0;

		afresh(setup, "case %zu", i);
		if (cases[i].free < NODES)
			busy = occupy(ALL_FREE << cases[i].free & ALL_FREE, 0);
		gather(MEMBER("train", 2, .more = cases[i].groups, .total = 4,
			      .ranks = 2),
		       4, train);
		if (cases[i].wait) {
			all_in_state(train, 4, FAKE_PENDING);
			end_and_pass(busy);
			schedule_and_pass();
		}
		for (int k = 0; k < 4; k++)
			started += record_of(train[k]).placed &&
				   record_of(train[k]).members ==
					   cases[i].start;
		assert_int_equal(started, cases[i].start);
	}
}

/* The best place has as many ranks as the one that it is compared with. */
TOY_TEST(test_uneven_best)
{
	start_many(MEMBER("train", 2, .nodes = 2, .cpus = 4, .ranks = 5), 2,
		   train);
	recorded(train[0], "ring=%d best=%d exact", 6 * 1 + 4 * 4,
		 6 * 1 + 4 * 4);
}

/* Groups that its ranks do not make up are a reason, not a start. */
TOY_TEST(test_parallel_mismatch)
{
	submit_to(MEMBER("train", 2, .more = "parallel=tp=4,dp=4"), 2, train,
		  FAKE_PENDING);
	mentions(train[0], "16");
}

/* 4.34: what was not chosen, and what Slurm would have chosen, is in the
 * record.
 */
TOY_TEST(test_account)
{
	occupy((uint64_t)1, 0);
	start_many(member_of("train", 4), 4, train);
	recorded(train[0], "ring=16");
	assert_true(record_of(train[0]).stock_cost >= 16);
	recorded(train[0], "others=*l0:3/4*");
	recorded(train[0], "hops=leaf:4");
	assert_int_equal(record_of(train[2]).at[0], 'n');
}

/* ---- what waits for a domain of its own ---- */

/* Which of all nodes may a job that stands there, without an end, start on? */
static uint64_t not_kept_from(const struct sgang_standing *s,
			      const struct sgang_spec *spec)
{
	struct sgang_nodeset *set = toy_set(ALL_FREE);

	fake_scheduler(true);
	(void)sgang_conductor_keep(c, s, spec, INT64_MAX, set);
	fake_scheduler(false);
	return bits_left(set);
}

/* And one that comes after every gang? */
static uint64_t not_kept(const struct sgang_spec *spec)
{
	const struct sgang_standing behind = { .priority = 1, .job_id = 9999 };

	return not_kept_from(&behind, spec);
}

static uint64_t not_kept_from_gang(const char *exclusive)
{
	struct sgang_spec spec;

	spec = named("bob", "behind");
	strcpy(spec.exclusive, exclusive);
	return not_kept(&spec);
}

/* Start a gang of one node on one of these, to its time limit. */
static void small_gang(const char *name, uint64_t nodes, int64_t ends)
{
	struct fake_request rq = member_of(name, 1);
	uint32_t id;

	rq.partition = nodes;
	id = submit_one_to(rq, FAKE_RUNNING);
	if (ends)
		fake_job(id)->ends = ends;
}

/* One small gang in each leaf, for 400, 200, 300 seconds, and for ever. */
static void one_in_each_leaf(void)
{
	static const int64_t seconds[] = { 400, 200, 300, 0 };

	for (uint32_t leaf = 0; leaf < 4; leaf++) {
		char name[8];

		snprintf(name, sizeof(name), "s%u", leaf);
		small_gang(name, LEAF(leaf),
			   seconds[leaf] ? fake_host.now() + seconds[leaf] : 0);
	}
}

/* What backfill sets aside for a member of the gang. */
static uint64_t kept_for(const char *name)
{
	struct sgang_nodeset *set = toy_set(ALL_FREE);
	struct sgang_spec spec = named("alice", name);
	bool kept = sgang_conductor_kept(c, &spec, set);
	uint64_t nodes = bits_left(set);

	return kept ? nodes : 0;
}

/* Who wants a leaf alone has it when the first is free of gangs, and until then
 * that leaf is kept: all of it from gangs, from others what it will use. */
TOY_TEST(test_exclusive_later)
{
	uint32_t ids[2];

	one_in_each_leaf();
	submit_to(MEMBER("alone", 2, .more = "exclusive=leaf"), 2, ids,
		  FAKE_PENDING);
	assert_int_equal(joint_start("alone"), fake_host.now() + 200);
	assert_true(not_kept_from_gang("") == (ALL_FREE & ~LEAF(1)));
	assert_int_equal(__builtin_popcountll(not_kept(NULL)), NODES - 2);
	assert_true((not_kept(NULL) | LEAF(1)) == ALL_FREE);
	assert_true(kept_for("alone") == (ALL_FREE & ~not_kept(NULL)));
	assert_true(!kept_for("s0") && !kept_for("nobody"));
}

/* 4.9: what waits for a later start keeps nodes from jobs that Slurm puts after
 * it, and from no others, whatever the priorities are. */
TOY_TEST(test_kept_by_slurms_order)
{
	struct fake_request rq = plain(1, 1);
	struct sgang_standing s = { .priority = 1 };
	uint32_t last;

	fake_job(busy(1))->ends = fake_host.now() + 300;
	submit_to(member_of("train", NODES), NODES, train, FAKE_PENDING);
	last = submit(rq);
	rq.preempts = true;
	s.record = submit(rq);
	assert_true(not_kept(NULL) == 0);
	assert_true(not_kept_from(&s, NULL) == ALL_FREE);
	s.record = last;
	assert_true(not_kept_from(&s, NULL) == 0);
}

/* As Slurm's: what is kept for a gang before it is not offered. */
static int probe_kept(struct sgang_job *job, struct sgang_nodeset *usable,
		      struct sgang_nodeset *ever, struct sgang_shape *shape,
		      char *why, size_t size)
{
	struct sgang_standing standing;
	struct sgang_job_info info;
	struct sgang_spec spec;
	int rc = fake_host.nodes.probe(job, usable, ever, shape, why, size);

	fake_host.jobs.info(job, &info);
	assert_int_equal(sgang_spec_from_env(&spec, info.env, info.n_env, NULL),
			 1);
	strcpy(spec.ns, info.user);
	standing = (struct sgang_standing){
		.priority = info.priority,
		.job_id = info.job_id,
	};
	if (!rc)
		(void)sgang_conductor_keep(c, &standing, &spec,
					   fake_host.now() + info.time_limit,
					   usable);
	return rc;
}

static void use_host(const struct sgang_host *host)
{
	struct sgang_conf conf = default_conf();

	sgang_conductor_destroy(c);
	c = sgang_conductor_create(host);
	assert_non_null(c);
	sgang_conductor_configure(c, toy_tree(), &conf);
}

/* What was kept for a gang that is cancelled while it waits is free at once,
 * for those that have been told to keep off it as well. */
TOY_TEST(test_nothing_kept_for_gone)
{
	static struct sgang_host keeping;
	uint32_t first[16], second[2];

	keeping = fake_host;
	keeping.nodes.probe = probe_kept;
	use_host(&keeping);
	occupy(LEAF(0), fake_host.now() + 200);
	submit_and_schedule(member_of("all", 16), 16, first);
	submit_to(MEMBER("behind", 2, .priority = 50, .time_limit = 600), 2,
		  second, FAKE_PENDING);
	assert_int_equal(not_kept(NULL), 0);
	for (uint32_t i = 0; i < 16; i++)
		fake_fail(first[i], true);
	assert_true(not_kept(NULL) == ALL_FREE);
	schedule_and_pass();
	schedule_to(second, 2, FAKE_RUNNING);
}

/* What is not of gangs does not keep it off, nor do jobs beside those of gangs
 * on the same nodes. */
TOY_TEST(test_exclusive_beside_jobs)
{
	struct fake_request rq = piece_of("small", 1, 1), job = plain(1, 1);
	uint32_t small, ids[2];

	occupy(LEAF(1) | LEAF(2) | LEAF(3), 0);
	rq.partition = 1;
	small = submit_one_to(rq, FAKE_RUNNING);
	fake_job(small)->ends = fake_host.now() + 500;
	job.cpus = 1;
	run_on(job, (uint64_t)1);
	submit_to(MEMBER("alone", 2, .more = "exclusive=leaf"), 2, ids,
		  FAKE_PENDING);
	assert_int_equal(joint_start("alone"), fake_host.now() + 500);
	assert_true(not_kept(NULL) & 1);
	assert_int_equal(__builtin_popcountll(not_kept(NULL)), NODES - 2);
}

/* The other way round: what waits beside a gang that is exclusive. Who comes
 * later and wants to be alone keeps off its leaf, others off its nodes. */
TOY_TEST(test_beside_exclusive_later)
{
	uint32_t alone[1], ids[2];

	occupy(LEAF(1) | LEAF(2) | LEAF(3), 0);
	start_many(MEMBER("alone", 1, .more = "exclusive=leaf"), 1, alone);
	fake_job(alone[0])->ends = fake_host.now() + 700;
	submit_to(member_of("other", 2), 2, ids, FAKE_PENDING);
	assert_int_equal(joint_start("other"), fake_host.now() + 700);
	assert_int_equal(__builtin_popcountll(not_kept_from_gang("")),
			 NODES - 2);
	assert_true(not_kept_from_gang("leaf") == (ALL_FREE & ~LEAF(0)));
}

/* The gangs named "s..." run for 600 seconds. Returns how many run. */
static uint32_t end_small_gangs(void)
{
	uint32_t n = 0;

	for (const struct fake_job *j = fake_next(NULL); j; j = fake_next(j)) {
		if (j->state != FAKE_RUNNING || j->gang[0] != 's')
			continue;
		if (!j->ends)
			fake_job(j->id)->ends = fake_host.now() + 600;
		else if (j->ends <= fake_host.now())
			fake_end(j->id);
		n += j->state == FAKE_RUNNING;
	}
	return n;
}

/* Small gangs behind it come faster than they end: they may have what does not
 * delay it, and nothing else. Two that want a leaf each have them in turn. */
TOY_TEST(test_exclusive_does_not_starve)
{
	static struct sgang_host keeping;
	uint32_t first[2], second[2], most = 0, began[2] = { 0, 0 };

	keeping = fake_host;
	keeping.nodes.probe = probe_kept;
	use_host(&keeping);
	for (uint32_t t = 0; t <= 1600; t += 50) {
		struct fake_request rq;
		char name[8];
		uint32_t n;

		snprintf(name, sizeof(name), "s%u", t);
		rq = member_of(name, 1);
		rq.priority = 50;
		rq.time_limit = 600;
		/* first one in each leaf, then anywhere */
		rq.partition = (t < 200) ? LEAF(t / 50) : 0;
		submit(rq);
		if (t == 200) {
			rq = MEMBER("first", 2, .more = "exclusive=leaf");
			submit_many(rq, 2, first);
			rq.gang = "second";
			submit_many(rq, 2, second);
		}
		n = end_small_gangs();
		schedule_and_pass();
		n = end_small_gangs();
		most = (n > most) ? n : most;
		if (t >= 200 && !began[0] &&
		    fake_state(first[0]) == FAKE_RUNNING)
			began[0] = t;
		if (t >= 200 && !began[1] &&
		    fake_state(second[0]) == FAKE_RUNNING)
			began[1] = t;
		fake_clock(50);
		fake_purge();
	}
	/* The second leaf: what is kept is known at the end of a pass, and one
	 * small gang came into the first leaf in that of t = 200. */
	assert_int_equal(began[0], 650);
	assert_true(began[1] && began[1] <= 1300);
	assert_int_equal(leaves_of(nodes_of(first, 2)), 1);
	assert_int_equal(leaves_of(nodes_of(second, 2)), 1);
	/* and the others did not stand still */
	assert_true(most >= 8);
}

/* A holder that comes after it gives way not only with its nodes: with its
 * being there. */
TOY_TEST(test_exclusive_holder_gives_way)
{
	static const uint64_t partitions[] = { 0, (uint64_t)0xe };

	for (size_t i = 0; i < COUNT(partitions); i++) {
		struct fake_request rq;
		uint32_t holder[2], ids[2];

		afresh(setup, "case %zu", i);
		occupy(LEAF(1) | LEAF(2) | LEAF(3), 0);
		rq = MEMBER("holder", 2, .more = "mode=nonstrict");
		rq.partition = (uint64_t)1 | 1 << 4;
		rq.priority = 50;
		submit_and_schedule(rq, 2, holder);
		assert_int_equal(in_state("holder", FAKE_HELD), 1);
		rq = MEMBER("alone", 2, .more = "exclusive=leaf");
		rq.partition = partitions[i];
		start_many(rq, 2, ids);
		assert_int_equal(in_state("holder", FAKE_HELD), 0);
	}
}

/* ---- groups ---- */

/* A group that is required to share a spine takes the one in which each of its
 * gangs has what it asks for itself. */
TOY_TEST(test_group_other_place)
{
	uint32_t a[2], b[2];

	/* spine 0: all of l0; spine 1: two nodes of l2, two of l3 */
	occupy(LEAF(1), 0);
	occupy((uint64_t)3 << 8 | (uint64_t)3 << 12, 0);
	submit_many(MEMBER("a", 2, .topology = "spread:leaf",
			   .more = "groups=alice/b|"
				   "group_topology=require:spine"),
		    2, a);
	submit_many(MEMBER("b", 2, .more = "groups=alice/a"), 2, b);
	for (int i = 0; i < 20; i++) {
		schedule_and_pass();
		fake_clock(30);
	}
	if (fake_state(a[0]) != FAKE_RUNNING)
		fail_msg("waits: %s", text_of(a[0]));
	all_in_state(a, 2, FAKE_RUNNING);
	all_in_state(b, 2, FAKE_RUNNING);
}

/* 4.31: what a gang requires of its communication groups holds in a group of
 * gangs too. */
TOY_TEST(test_group_keeps_parallel)
{
	static const char *const more[] = {
		"parallel=tp=4",
		"parallel=tp=4|groups=alice/b",
		"parallel=tp=4|groups=alice/b|group_topology=require:core",
	};

	for (size_t i = 0; i < 3; i++) {
		uint32_t a[4], b[1];

		afresh(setup, "case %zu", i);
		/* two free nodes in each leaf */
		occupy((uint64_t)0x3333, 0);
		submit_many(MEMBER("a", 4, .topology = "require:tp:leaf",
				   .more = more[i]),
			    4, a);
		if (i)
			submit_many(MEMBER("b", 1, .more = "groups=alice/a"), 1,
				    b);
		schedule_to(a, 4, FAKE_PENDING);
	}
}

/* prefer:LEVEL@TIME of a group is counted from when the group is complete. */
TOY_TEST(test_group_prefers)
{
	uint32_t a[2], b[2];

	/* two free nodes in each leaf */
	occupy((uint64_t)0x3333, 0);
	submit_and_schedule(MEMBER("a", 2,
				   .more = "groups=alice/b|"
					   "group_topology=prefer:leaf@5"),
			    2, a);
	fake_clock(400);
	submit_many(MEMBER("b", 2, .more = "groups=alice/a"), 2, b);
	schedule_to(a, 2, FAKE_PENDING);
	fake_clock(310);
	schedule_to(a, 2, FAKE_RUNNING);
	all_in_state(b, 2, FAKE_RUNNING);
}

/* 4.37: auto waits in a group of gangs too, or the group's others do not come
 * and go meanwhile. */
TOY_TEST(test_auto_in_group)
{
	uint32_t b[1], commits;

	occupy(LEAF(0) | LEAF(2), 0);
	occupy((uint64_t)3 << 12, 0);
	occupy((uint64_t)1 << 5, fake_host.now() + 3600);
	submit_many(MEMBER("b", 1, .more = "groups=alice/train"), 1, b);
	submit_to(MEMBER("train", 4, .topology = "auto",
			 .more = "run_time=60|"
				 "comm_share=0.5|groups=alice/b"),
		  4, train, FAKE_PENDING);
	commits = fake_counts.commits;
	for (int i = 0; i < 10; i++)
		wait_and_schedule(10);
	assert_int_equal(fake_counts.commits, commits);
}

/* A nonstrict gang with communication groups holds what it can have. */
TOY_TEST(test_nonstrict_parallel)
{
	uint32_t other;

	occupy(LEAF(0) | LEAF(2) | LEAF(3), 0);
	other = occupy((uint64_t)3 << 4, 0);
	submit_and_schedule(MEMBER("train", 4,
				   .more = "mode=nonstrict|parallel=tp=4"),
			    4, train);
	if (in_state("train", FAKE_HELD) != 2)
		fail_msg("%u hold: %s", in_state("train", FAKE_HELD),
			 text_of(train[0]));
	fake_end(other);
	schedule_to(train, 4, FAKE_RUNNING);
}

/* 4.37: what auto waits for is said once, until it is something else. */
TOY_TEST(test_auto_log)
{
	uint32_t way;

	occupy(LEAF(0) | LEAF(2), 0);
	occupy((uint64_t)7 << 12, 0);
	way = occupy((uint64_t)1 << 5, fake_host.now() + 3600);
	submit_many(MEMBER("train", 4, .topology = "auto",
			   .more = "run_time=60|comm_share=0.5"),
		    4, train);
	for (int i = 0; i < 4; i++) {
		schedule_and_pass();
		fake_clock(10);
	}
	all_in_state(train, 4, FAKE_PENDING);
	logged("train waits:", 1);
	fake_job(way)->ends = fake_host.now() + 7200;
	schedule_and_pass();
	logged("train waits:", 2);
}

/* ---- members that differ ---- */

static uint32_t gpus_of(const char *gang, uint32_t min, uint32_t gpus,
			uint64_t not_on)
{
	return submit(
		MEMBER(gang, min, .cpus = 1, .gpus = gpus, .not_on = not_on));
}

/* A job that has so many GPUs of the node. */
static void take_gpus(uint32_t node, uint32_t gpus)
{
	struct fake_request rq = JOB(1, 1000, .cpus = 1);

	rq.gpus = gpus;
	run_on(rq, (uint64_t)1 << node);
}

/* 5.5: n0 has 8 GPUs free, n1 has 4, all others none. */
static void two_nodes_of_gpus(void)
{
	fake_world.gpus = 8;
	take_gpus(1, 4);
	for (uint32_t n = 2; n < NODES; n++)
		take_gpus(n, 8);
}

TOY_TEST(test_gpus_in_any_order)
{
	static const uint32_t gpus[][2] = { { 4, 8 }, { 8, 4 } };

	two_nodes_of_gpus();
	for (size_t i = 0; i < COUNT(gpus); i++) {
		snprintf(context, sizeof(context), "%u first", gpus[i][0]);
		for (size_t j = 0; j < 2; j++)
			train[j] = gpus_of("train", 2, gpus[i][j], 0);
		schedule_to(train, 2, FAKE_RUNNING);
		assert_true(fake_job(train[gpus[i][0] == 8 ? 0 : 1])->nodes ==
			    1);
		end_all(train, 2);
		pass();
	}
}

/* 5.5: what Slurm refuses is planned otherwise in the same attempt. */
TOY_TEST(test_refused_node_is_learned)
{
	fake_world.gpus = 8;
	train[0] = gpus_of("train", 3, 8, 0);
	/* the nodes of its leaf, and all but one of the next */
	train[1] = gpus_of("train", 3, 4, LEAF(0));
	train[2] = gpus_of("train", 3, 2, LEAF(0) | 0x70);
	schedule_to(train, 3, FAKE_RUNNING);
	recorded(train[0], "attempts=1");
	/* the ring of what they have is that of the plan */
	recorded(train[0], "tier=leaf");
}

/* 5.5: what was learned may keep more off a node than Slurm would refuse, so
 * nothing that is planned with it is proved. */
TOY_TEST(test_learned_is_no_proof)
{
	/* both fit on n0; n4, in another leaf, has room for one */
	fake_world.gpus = 8;
	for (uint32_t n = 1; n < NODES; n++)
		take_gpus(n, n == 4 ? 5 : 8);
	train[0] = gpus_of("train", 2, 4, 0);
	train[1] = gpus_of("train", 2, 3, 1);
	schedule_to(train, 2, FAKE_RUNNING);
	assert_int_equal(nodes_of(train, 2), 0x11);
	recorded(train[0], "!exact !bound");
}

/* 5.5, 5.6: the one that Slurm refuses everywhere is told, and nothing is left.
 */
TOY_TEST(test_refused_everywhere)
{
	fake_world.gpus = 8;
	train[0] = gpus_of("train", 2, 8, 0);
	train[1] = gpus_of("train", 2, 4, ALL_FREE);
	schedule_to(train, 2, FAKE_PENDING);
	mentions(train[0], "busy");
	assert_int_equal(fake_idle_nodes(), ALL_FREE);
	/* bounded */
	assert_true(fake_counts.commits <= 2 * 26 + 4);
}

/* 5.6: the resource that is short is named. */
TOY_TEST(test_short_of_gpus)
{
	two_nodes_of_gpus();
	train[0] = gpus_of("train", 2, 5, 0);
	train[1] = gpus_of("train", 2, 8, 0);
	schedule_to(train, 2, FAKE_PENDING);
	mentions(train[0], "13 GPUs are needed, 8 are free");
}

/* 5.6: of tasks in any shares, CPUs are counted, and not even shares. */
TOY_TEST(test_short_of_shares)
{
	occupy(1, 0);
	submit_to(MEMBER("train", 8, .nodes = 2, .cpus = 4, .task_cpus = 1), 8,
		  train, FAKE_PENDING);
	mentions(train[0], "64 CPUs are needed, 60 are free");
	recorded(train[0], "unit=CPU");
}

/* 4.25: the leaf that comes closest is named, of members that differ too. */
TOY_TEST(test_short_in_a_leaf)
{
	struct fake_request rq = MEMBER("train", 2, .topology = "require:leaf",
					.cpus = 1, .gpus = 3);
	uint32_t first;

	fake_world.gpus = 8;
	for (uint32_t n = 0; n < NODES; n++)
		take_gpus(n, n == 0 || n == 4 ? 1 : 8);
	first = submit(rq);
	rq.gpus = 5;
	(void)submit(rq);
	schedule_and_pass();
	mentions(first, "14 GPUs are free, but no leaf has 8: l0 has 7");
	take_gpus(0, 5);
	take_gpus(4, 2);
	/* that jobs begin gives it nothing */
	wait_and_pass(5);
	schedule_and_pass();
	mentions(first, "8 GPUs are needed in one leaf, 5 are free: l1 has 5");
}

/* 5.5: tasks on any nodes are split as planned, beside one that needs the rest
 * of a node. */
TOY_TEST(test_split_as_planned)
{
	struct fake_request any = member_of("train", 2), one = any;

	for (uint32_t n = 2; n < NODES; n++)
		run_on(plain(1, 1000), (uint64_t)1 << n);
	any.nodes = 0;
	any.total_cpus = 5;
	any.ranks = 5;
	one.cpus = 3;
	train[0] = submit(any);
	train[1] = submit(one);
	schedule_to(train, 2, FAKE_RUNNING);
}

TEST_MAIN(NULL, NULL)
