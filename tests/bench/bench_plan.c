/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_plan.c - how long one plan takes, and what a fabric weighs
 *
 * Seeded fabrics of 1,000, 10,000 and 100,000 nodes of 8 slots, leaves of 16 and
 * 32 nodes, 3 and 4 levels of switches; 70 % load of three kinds, and nodes that
 * are partly used; gangs of whole nodes, and of 8192 slots, in pieces of eight
 * and one by one. Then gangs of several kinds of members, and of members in
 * different domains. `hard` is what takes all steps of a plan's budget: no plan
 * takes longer. The gap is the cost over the bound that the planner proves,
 * at the worst of the rounds; a bench reports it and fails nothing.
 * Trees of groups are 64 replicas of two roles with four units each.
 * Usage: bench_plan [ROUNDS [mixed [WITHOUT]|trees]]: with `mixed` only several
 * kinds, by a planner without the parts whose bits (enum sgang_part) WITHOUT has,
 * with `trees` only trees of groups
 *
 * Times are CPU times of the one thread that plans. Two kinds of rows, whose
 * first word is their kind; the lines with their columns begin with '#'.
 */

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_random.h"
#include "core/plan/plan_private.h"

#define SLOTS 8
#define ROUNDS_MAX 1000

enum load { UNIFORM, CLUSTERED, WHOLE_LEAF, PARTLY, LOADS };

static const char *const load_names[LOADS] = { "uniform", "clustered",
					       "whole-leaf", "partly" };

/* Units of so many slots; 0: of whole nodes. */
struct gang {
	const char *name;
	uint32_t units, slots;
};

static const struct gang gangs[] = {
	{ "64", 64, 0 },       { "512", 512, 0 },     { "4096", 4096, 0 },
	{ "1024x8", 1024, 8 }, { "8192x1", 8192, 1 },
};
#define GANGS (sizeof(gangs) / sizeof(gangs[0]))

struct cluster {
	uint32_t n_nodes;
	uint32_t leaf_size;
	uint32_t levels;
	struct sgang_fabric *fabric;
	struct sgang_costs costs;
	uint32_t *free;
	uint32_t *total;
	uint64_t random;
};

static uint32_t rnd(struct cluster *cluster, uint32_t below)
{
	return bench_random(&cluster->random, below);
}

static double now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static size_t heap_bytes(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/* -- fabrics -- */

/* Switches s<from>.. joined in groups, those of a level being numbered on. */
static char *write_level(char *p, uint32_t *from, uint32_t *to, uint32_t group)
{
	uint32_t next = *to;

	while (*from < next) {
		uint32_t last = *from + group < next ? *from + group : next;

		p += sprintf(p, "SwitchName=s%u Switches=s[%u-%u]\n", (*to)++,
			     *from, last - 1);
		*from = last;
	}
	return p;
}

static uint32_t group_for(uint32_t n, uint32_t levels)
{
	uint32_t group = 2, i;

	for (;; group++) {
		uint64_t reach = 1;

		for (i = 0; i < levels; i++)
			reach *= group;
		if (reach >= n)
			return group;
	}
}

/* A balanced tree with so many levels of switches. */
static char *make_topology(uint32_t n_nodes, uint32_t leaf_size,
			   uint32_t levels)
{
	uint32_t leaves = (n_nodes + leaf_size - 1) / leaf_size;
	uint32_t group = group_for(leaves, levels - 1), node, from = 0, to = 0;
	char *text = malloc((size_t)leaves * 2 * 64 + 4096), *p = text;

	if (!text)
		return NULL;
	for (node = 0; node < n_nodes; node += leaf_size) {
		uint32_t end = node + leaf_size;

		p += sprintf(p, "SwitchName=s%u Nodes=n[%u-%u]\n", to++, node,
			     (end < n_nodes ? end : n_nodes) - 1);
	}
	while (to - from > 1)
		p = write_level(p, &from, &to, group);
	return text;
}

/* -- load -- */

static void take_clusters(struct cluster *cluster, uint32_t busy)
{
	while (busy) {
		uint32_t size = 1 + rnd(cluster, 32);
		uint32_t node = rnd(cluster, cluster->n_nodes);

		for (; size && busy && node < cluster->n_nodes;
		     node++, size--) {
			busy -= cluster->free[node] != 0;
			cluster->free[node] = 0;
		}
	}
}

static void take_leaves(struct cluster *cluster, uint32_t busy)
{
	while (busy) {
		uint32_t node = rnd(cluster, cluster->n_nodes);
		uint32_t i;

		node -= node % cluster->leaf_size;
		for (i = 0; i < cluster->leaf_size && busy; i++, node++) {
			if (node >= cluster->n_nodes)
				break;
			busy -= cluster->free[node] != 0;
			cluster->free[node] = 0;
		}
	}
}

/* Nodes partly used: any number of slots free. */
static void take_parts(struct cluster *cluster)
{
	uint32_t node;

	for (node = 0; node < cluster->n_nodes; node++)
		cluster->free[node] = rnd(cluster, 2) ? 0 :
							1 + rnd(cluster, SLOTS);
}

static void take_nodes(struct cluster *cluster, uint32_t busy)
{
	while (busy) {
		uint32_t node = rnd(cluster, cluster->n_nodes);

		busy -= cluster->free[node] != 0;
		cluster->free[node] = 0;
	}
}

static void load(struct cluster *cluster, enum load how, uint64_t seed)
{
	uint32_t busy = cluster->n_nodes / 10 * 7, node;

	cluster->random = seed;
	for (node = 0; node < cluster->n_nodes; node++)
		cluster->free[node] = SLOTS;
	if (how == CLUSTERED)
		take_clusters(cluster, busy);
	else if (how == WHOLE_LEAF)
		take_leaves(cluster, busy);
	else if (how == PARTLY)
		take_parts(cluster);
	else
		take_nodes(cluster, busy);
}

/* The number of units of the gang that would fit. */
static uint64_t room(const struct cluster *cluster, const struct gang *gang)
{
	uint32_t slots = gang->slots ? gang->slots : SLOTS, node;
	uint64_t units = 0;

	for (node = 0; node < cluster->n_nodes; node++)
		units += cluster->free[node] / slots;
	return units;
}

/* -- one measurement -- */

struct result {
	double ms[ROUNDS_MAX];
	unsigned int n, fit, exact;
	uint64_t cost, bound;
	double gap;     /* the worst cost / bound - 1 */
	uint64_t steps; /* of the plan that took most */
};

/* The worst gap of all, and the plan that took most steps and most time. */
static double worst_gap;
static uint64_t worst_steps;
static double worst_ms;

static int by_ms(const void *one, const void *two)
{
	const double *a = one, *b = two;

	return *a < *b ? -1 : *a > *b;
}

static void count_steps(struct result *result, uint64_t steps)
{
	double ms = result->ms[result->n - 1];

	result->steps = steps > result->steps ? steps : result->steps;
	worst_steps = steps > worst_steps ? steps : worst_steps;
	worst_ms = ms > worst_ms ? ms : worst_ms;
}

static struct sgang_plan_limits limits;

static int plan_once(const struct sgang_plan_request *asked,
		     struct result *result)
{
	struct sgang_plan_request request = *asked;
	struct sgang_budget budget;
	struct sgang_placement *placement = NULL;
	struct sgang_nofit nofit;
	struct sgang_error err;
	double start = now_ms(), gap = 0;
	int rc;

	sgang_budget_init(&budget, SGANG_PLAN_STEPS);
	budget.limits = &limits;
	request.budget = &budget;
	rc = sgang_plan(&request, &placement, &nofit, &err);
	result->ms[result->n++] = now_ms() - start;
	count_steps(result, budget.taken);
	if (rc < 0) {
		fprintf(stderr, "bench_plan: %s\n", err.text);
		return -1;
	}
	if (rc) {
		uint64_t cost = request.n_groups ? placement->weighted_cost :
						   placement->ring.cost;

		result->fit++;
		result->exact += placement->exact;
		result->cost += cost;
		result->bound += placement->bound;
		if (placement->bound)
			gap = (double)cost / (double)placement->bound - 1;
		result->gap = gap > result->gap ? gap : result->gap;
		worst_gap = gap > worst_gap ? gap : worst_gap;
	}
	sgang_placement_destroy(placement);
	return 0;
}

static void print_result(const struct cluster *cluster, enum load how,
			 const char *gang, struct result *result)
{
	qsort(result->ms, result->n, sizeof(result->ms[0]), by_ms);
	printf("plan   %6u %6u %6u %-10s %-16s %8.3f %8.3f %9.0f %9.0f %7.2f %3u %3u %9" PRIu64
	       "\n",
	       cluster->n_nodes, cluster->leaf_size, cluster->levels,
	       load_names[how], gang, result->ms[result->n / 2],
	       result->ms[result->n - 1],
	       (double)result->cost / (result->fit ? result->fit : 1),
	       (double)result->bound / (result->fit ? result->fit : 1),
	       result->gap * 100, result->exact, result->fit, result->steps);
	fflush(stdout);
}

static void init_request(const struct cluster *cluster,
			 struct sgang_plan_request *request,
			 const struct sgang_plan_member *members, size_t n)
{
	memset(request, 0, sizeof(*request));
	request->fabric = cluster->fabric;
	request->costs = &cluster->costs;
	request->free = cluster->free;
	request->total = cluster->total;
	request->members = members;
	request->n_members = n;
	request->max_level = SGANG_LEVEL_UNCONNECTED;
}

/* What differs from round to round, beside the load. */
typedef void (*prepare_f)(struct cluster *cluster,
			  struct sgang_plan_request *request);

static int bench(struct cluster *cluster, enum load how, const char *name,
		 struct sgang_plan_request *request, prepare_f prepare,
		 unsigned int rounds)
{
	struct result result = { .n = 0 };

	while (result.n < rounds) {
		load(cluster, how, 1000 + result.n);
		if (prepare)
			prepare(cluster, request);
		if (plan_once(request, &result))
			return -1;
	}
	print_result(cluster, how, name, &result);
	return 0;
}

static int bench_gang(struct cluster *cluster, enum load how,
		      const struct gang *gang, unsigned int rounds)
{
	struct sgang_plan_member member = {
		.units = gang->units,
		.slots = gang->slots,
		.distinct = gang->slots != 1,
	};
	struct sgang_plan_request request;

	load(cluster, how, 1000);
	if (room(cluster, gang) < gang->units)
		return 0;
	init_request(cluster, &request, &member, 1);
	return bench(cluster, how, gang->name, &request, NULL, rounds);
}

static int bench_gangs(struct cluster *cluster, unsigned int rounds)
{
	size_t g;
	int how;

	for (how = 0; how < LOADS; how++) {
		for (g = 0; g < GANGS; g++) {
			if (bench_gang(cluster, (enum load)how, &gangs[g],
				       rounds))
				return -1;
		}
	}
	return 0;
}

static int open_cluster(struct cluster *cluster, uint32_t n_nodes,
			uint32_t leaf_size, uint32_t levels)
{
	char *text = make_topology(n_nodes, leaf_size, levels);
	struct sgang_error err = { "out of memory" };
	size_t before = heap_bytes() - (text ? malloc_usable_size(text) : 0);
	double start = now_ms(), loaded;
	uint32_t node;

	memset(cluster, 0, sizeof(*cluster));
	cluster->n_nodes = n_nodes;
	cluster->leaf_size = leaf_size;
	cluster->levels = levels;
	if (text)
		cluster->fabric = sgang_fabric_parse(text, "bench", NULL, 0,
						     &err);
	loaded = now_ms() - start;
	free(text);
	if (!cluster->fabric) {
		fprintf(stderr, "bench_plan: %s\n", err.text);
		return -1;
	}
	printf("fabric %6u %6u %6u %8.1f %8.1f\n", n_nodes, leaf_size, levels,
	       loaded, (double)(heap_bytes() - before) / n_nodes);
	sgang_costs_default(&cluster->costs);
	cluster->free = calloc(n_nodes, sizeof(*cluster->free));
	cluster->total = calloc(n_nodes, sizeof(*cluster->total));
	if (!cluster->free || !cluster->total)
		return -1;
	for (node = 0; node < n_nodes; node++)
		cluster->total[node] = SLOTS;
	return 0;
}

static void close_cluster(struct cluster *cluster)
{
	sgang_fabric_destroy(cluster->fabric);
	free(cluster->free);
	free(cluster->total);
}

static int bench_fabrics(unsigned int rounds)
{
	static const struct {
		uint32_t nodes, leaf, levels;
	} shapes[] = {
		{ 1000, 16, 3 },       { 1000, 32, 3 },   { 10000, 16, 3 },
		{ 10000, 16, 4 },      { 10000, 32, 3 },  { 100000, 16, 3 },
		{ 100000, 16, 4 },     { 100000, 32, 3 }, { 100000, 32, 4 },
		{ 100000, 100000, 1 },
	};
	size_t i;
	int rc = 0;

	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]) && !rc; i++) {
		struct cluster cluster;

		rc = open_cluster(&cluster, shapes[i].nodes, shapes[i].leaf,
				  shapes[i].levels);
		if (!rc)
			rc = bench_gangs(&cluster, rounds);
		close_cluster(&cluster);
	}
	return rc;
}

/* -- members in different domains -- */

#define SPREAD_MEMBERS 100

static int bench_apart(struct cluster *cluster, const char *name,
		       const struct sgang_plan_member *members, uint32_t level,
		       unsigned int rounds)
{
	struct sgang_plan_request request;

	init_request(cluster, &request, members, SPREAD_MEMBERS);
	request.spread = true;
	request.spread_level = level;
	return bench(cluster, PARTLY, name, &request, NULL, rounds);
}

static int bench_spread(unsigned int rounds)
{
	struct sgang_plan_member members[SPREAD_MEMBERS] = { { .units = 0 } };
	struct cluster cluster;
	size_t i;
	int rc = open_cluster(&cluster, 10000, 16, 3);

	for (i = 0; i < SPREAD_MEMBERS; i++) {
		members[i].units = 8;
		members[i].slots = 2;
	}
	if (!rc)
		rc = bench_apart(&cluster, "leaf:100*8x2", members,
				 SGANG_LEVEL_LEAF, rounds);
	for (i = 0; i < SPREAD_MEMBERS; i++)
		members[i].units = 1;
	if (!rc)
		rc = bench_apart(&cluster, "node:100*1x2", members,
				 SGANG_LEVEL_NODE, rounds);
	for (i = 0; i < SPREAD_MEMBERS; i++) {
		members[i].units = 1 + (uint32_t)i % 10;
		members[i].slots = 1 + (uint32_t)i / 50;
		members[i].ranks = 1 + (uint32_t)i / 10 % 5;
	}
	if (!rc)
		rc = bench_apart(&cluster, "leaf:100shapes", members,
				 SGANG_LEVEL_LEAF, rounds);
	close_cluster(&cluster);
	return rc;
}

/* -- trees of groups -- */

#define REPLICAS 64
#define ROLE_UNITS 4

/* A gang of replicas, with two roles each, of units of so many slots. */
struct tree {
	const char *name;
	uint32_t slots;
	uint32_t require; /* of a replica */
};

static void make_tree(const struct tree *tree,
		      struct sgang_plan_member *members,
		      struct sgang_plan_group *groups)
{
	uint32_t r, k, n = 0, g = 0;

	groups[g++] = (struct sgang_plan_group){ .name = "gang",
						 .parent = SGANG_PLAN_NO_GROUP,
						 .weight = 1,
						 .n_members = (size_t)REPLICAS *
							      2 * ROLE_UNITS };
	for (r = 0; r < REPLICAS; r++) {
		uint32_t replica = g;

		groups[g++] = (struct sgang_plan_group){
			.name = "replica",
			.weight = 10,
			.require = tree->require,
			.first = n,
			.n_members = 2 * ROLE_UNITS
		};
		for (k = 0; k < 2; k++, n += ROLE_UNITS)
			groups[g++] = (struct sgang_plan_group){
				.name = k ? "decode" : "encode",
				.parent = replica,
				.weight = k ? 100 : 10,
				.first = n,
				.n_members = ROLE_UNITS
			};
	}
	while (g--) {
		groups[g].prefer = SGANG_LEVEL_UNCONNECTED;
		if (!groups[g].require)
			groups[g].require = SGANG_LEVEL_UNCONNECTED;
	}
	while (n--)
		members[n] = (struct sgang_plan_member){ .units = 1,
							 .slots = tree->slots };
}

static int bench_tree(struct cluster *cluster, enum load how,
		      const struct tree *tree, unsigned int rounds)
{
	struct sgang_plan_member members[REPLICAS * 2 * ROLE_UNITS];
	struct sgang_plan_group groups[1 + 3 * REPLICAS];
	struct sgang_plan_request request;

	memset(groups, 0, sizeof(groups));
	make_tree(tree, members, groups);
	init_request(cluster, &request, members,
		     (size_t)REPLICAS * 2 * ROLE_UNITS);
	request.group = groups;
	request.n_groups = 1 + 3 * REPLICAS;
	return bench(cluster, how, tree->name, &request, NULL, rounds);
}

static int bench_trees(unsigned int rounds)
{
	static const struct tree trees[] = {
		{ "64*(4+4)", 0, 0 },
		{ "64*(4+4)/leaf", 0, SGANG_LEVEL_LEAF },
		{ "64*(4+4)/spine", 0, SGANG_LEVEL_LEAF + 1 },
		{ "64*(4+4)x1", 1, 0 },
		{ "64*(4+4)x1/leaf", 1, SGANG_LEVEL_LEAF },
		{ "64*(4+4)x4/leaf", 4, SGANG_LEVEL_LEAF },
	};
	struct cluster cluster;
	int rc = open_cluster(&cluster, 10000, 32, 3), how;
	size_t i;

	for (how = 0; how < LOADS && !rc; how++) {
		for (i = 0; i < sizeof(trees) / sizeof(trees[0]) && !rc; i++)
			rc = bench_tree(&cluster, (enum load)how, &trees[i],
					rounds);
	}
	close_cluster(&cluster);
	return rc;
}

/* -- members of several kinds -- */

#define MEMBERS 500

static int bench_members(struct cluster *cluster, const char *name,
			 const struct sgang_plan_member *members, size_t n,
			 unsigned int rounds)
{
	struct sgang_plan_request request;

	init_request(cluster, &request, members, n);
	return bench(cluster, PARTLY, name, &request, NULL, rounds);
}

static int bench_mixed(unsigned int rounds)
{
	struct sgang_plan_member members[MEMBERS];
	struct sgang_nodeset *half = NULL;
	struct cluster cluster;
	uint32_t node;
	size_t i;
	int rc = open_cluster(&cluster, 2000, 16, 3);

	if (!rc)
		half = sgang_nodeset_create(2000);
	if (!half)
		goto out;
	for (node = 0; node < 1400; node++)
		sgang_nodeset_add(half, node);
	memset(members, 0, sizeof(members));
	for (i = 0; i < MEMBERS; i++) {
		members[i].units = 1;
		members[i].slots = 1;
	}
	rc = bench_members(&cluster, "500*1x1", members, MEMBERS, rounds);
	for (i = 0; i < MEMBERS; i++)
		members[i].slots = 1 + (uint32_t)i / 250;
	if (!rc)
		rc = bench_members(&cluster, "250*1x1+250*1x2", members,
				   MEMBERS, rounds);
	for (i = 0; i < MEMBERS; i++)
		members[i].slots = 1 + (uint32_t)i % 3;
	if (!rc)
		rc = bench_members(&cluster, "500*1x[1-3]", members, MEMBERS,
				   rounds);
	for (i = 0; i < MEMBERS; i++) {
		members[i].slots = i < 50 ? 0 : 1;
		members[i].allowed = i < 250 ? half : NULL;
	}
	if (!rc)
		rc = bench_members(&cluster, "partitions", members, MEMBERS,
				   rounds);
out:
	sgang_nodeset_destroy(half);
	close_cluster(&cluster);
	return rc;
}

/* -- launchers and workers, and GPUs -- */

/* A launcher of one slot, eight workers of four nodes. */
static int bench_workers(struct cluster *cluster, unsigned int rounds)
{
	struct sgang_plan_member members[9] = { { .units = 1, .slots = 1 } };
	size_t i;

	for (i = 1; i < 9; i++)
		members[i] = (struct sgang_plan_member){ .units = 4,
							 .slots = 8,
							 .distinct = true };
	return bench_members(cluster, "1x1+8*4x8", members, 9, rounds);
}

/* Members of one kind, each on several nodes, which they may share: eight of
 * four nodes, a hundred of sixteen. */
static int bench_shared(struct cluster *cluster, unsigned int rounds)
{
	struct sgang_plan_member members[100];
	size_t i;

	for (i = 0; i < 8; i++)
		members[i] = (struct sgang_plan_member){ .units = 4,
							 .slots = 2,
							 .distinct = true };
	if (bench_members(cluster, "8*4x2", members, 8, rounds))
		return -1;
	for (i = 0; i < 100; i++)
		members[i] = (struct sgang_plan_member){ .units = 16,
							 .slots = 1,
							 .distinct = true };
	return bench_members(cluster, "100*16x1", members, 100, rounds);
}

/* Five small members that differ. */
static int bench_few(struct cluster *cluster, unsigned int rounds)
{
	static const uint32_t slots[] = { 1, 2, 4, 3, 8 };
	struct sgang_plan_member members[5];
	size_t i;

	for (i = 0; i < 5; i++)
		members[i] = (struct sgang_plan_member){
			.units = 1 + (uint32_t)i % 2,
			.slots = slots[i],
			.distinct = true
		};
	return bench_members(cluster, "5*[1-2]x[1-8]", members, 5, rounds);
}

/* 4 to 32 members of 1, 2, 4 and 8 GPUs, a gang for each round. */
#define GPU_MEMBERS 32
#define HARD_MEMBERS 200
#define GPU_NODES 1024

static struct sgang_plan_member gpu_members[HARD_MEMBERS];

/* Only the GPUs count. */
static void draw_gpus(struct cluster *cluster,
		      struct sgang_plan_request *request)
{
	size_t n = 4 + rnd(cluster, GPU_MEMBERS - 3);

	for (size_t i = 0; i < n; i++)
		gpu_members[i] = (struct sgang_plan_member){
			.units = rnd(cluster, 4) ? 1 : 2,
			.distinct = true,
			.slots = 1u << rnd(cluster, 4),
			.ranks = 1
		};
	init_request(cluster, request, gpu_members, n);
}

/* CPUs and memory count, too: what is free of them goes with the GPUs, more or
 * less. */
enum { CPUS, MEMORY, GPUS, DIMS };

static uint32_t need[HARD_MEMBERS][DIMS];
static uint32_t free_of[GPU_NODES][DIMS], total_of[GPU_NODES][DIMS];

static void load_vectors(struct cluster *cluster)
{
	for (uint32_t node = 0; node < cluster->n_nodes; node++) {
		uint32_t *at = free_of[node];
		uint32_t gpus = cluster->free[node], more = rnd(cluster, 3);

		total_of[node][CPUS] = 64;
		total_of[node][MEMORY] = 1024;
		total_of[node][GPUS] = SLOTS;
		at[GPUS] = gpus;
		at[CPUS] = more == 2 || gpus == SLOTS ?
				   8 * gpus :
				   rnd(cluster, 8 * gpus + 1);
		at[MEMORY] = more == 1 || gpus == SLOTS ?
				     128 * gpus :
				     rnd(cluster, 128 * gpus + 1);
	}
}

static void use_vectors(struct sgang_plan_request *request)
{
	for (size_t i = 0; i < request->n_members; i++)
		gpu_members[i].need = need[i];
	request->n_dims = DIMS;
	request->free = free_of[0];
	request->total = total_of[0];
}

static void draw_vectors(struct cluster *cluster,
			 struct sgang_plan_request *request)
{
	draw_gpus(cluster, request);
	load_vectors(cluster);
	for (size_t i = 0; i < request->n_members; i++) {
		need[i][GPUS] = need[i][CPUS] = gpu_members[i].slots;
		need[i][MEMORY] = 100 * gpu_members[i].slots;
	}
	use_vectors(request);
}

/* Members of random needs, until they take most of the GPUs that are free: hard
 * to fit, so the plans take all steps of a budget. */
static void draw_hard(struct cluster *cluster,
		      struct sgang_plan_request *request)
{
	uint64_t room = 0, taken = 0;
	size_t n;

	load_vectors(cluster);
	for (uint32_t node = 0; node < cluster->n_nodes; node++)
		room += free_of[node][GPUS];
	for (n = 0; n < HARD_MEMBERS && taken * 100 < room * 88; n++) {
		need[n][GPUS] = 1 + rnd(cluster, 5);
		need[n][CPUS] = 1 + rnd(cluster, 6 * need[n][GPUS]);
		need[n][MEMORY] = 1 + rnd(cluster, 90 * need[n][GPUS]);
		gpu_members[n] = (struct sgang_plan_member){
			.units = 1,
			.slots = need[n][CPUS],
			.ranks = 1,
			.distinct = true,
		};
		taken += need[n][GPUS];
	}
	init_request(cluster, request, gpu_members, n);
	use_vectors(request);
}

static int bench_drawn(struct cluster *cluster, const char *name,
		       prepare_f draw, unsigned int rounds)
{
	struct sgang_plan_request request;

	return bench(cluster, PARTLY, name, &request, draw,
		     rounds < 24 ? 24 : rounds);
}

static int bench_hard(unsigned int rounds)
{
	struct cluster cluster;
	int rc = open_cluster(&cluster, 64, 16, 2);

	if (!rc)
		rc = bench_drawn(&cluster, "hard", draw_hard, rounds);
	close_cluster(&cluster);
	return rc;
}

static int bench_small(unsigned int rounds)
{
	struct cluster cluster;
	int rc = open_cluster(&cluster, 64, 8, 3);

	if (!rc)
		rc = bench_few(&cluster, rounds < 24 ? 24 : rounds);
	close_cluster(&cluster);
	if (!rc)
		rc = open_cluster(&cluster, GPU_NODES, 16, 3);

	if (!rc)
		rc = bench_workers(&cluster, rounds);
	if (!rc)
		rc = bench_shared(&cluster, rounds);
	if (!rc)
		rc = bench_drawn(&cluster, "gpus", draw_gpus, rounds);
	if (!rc)
		rc = bench_drawn(&cluster, "gpus+cpus+memory", draw_vectors,
				 rounds);
	close_cluster(&cluster);
	if (rc)
		return rc;
	rc = open_cluster(&cluster, 32768, 16, 4);
	if (!rc)
		rc = bench_shared(&cluster, rounds);
	close_cluster(&cluster);
	return rc;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 9;

	if (rounds < 1 || rounds > ROUNDS_MAX ||
	    (argc > 2 && strcmp(argv[2], "mixed") &&
	     strcmp(argv[2], "trees"))) {
		fprintf(stderr,
			"usage: bench_plan [ROUNDS [mixed [WITHOUT]|trees]]\n");
		return 2;
	}
	limits = sgang_plan_limits_default;
	if (argc > 3)
		limits.without = (uint32_t)strtoul(argv[3], NULL, 0);
	printf("#fabric nodes leaf levels load_ms bytes_per_node\n");
	printf("#plan   nodes leaf levels load gang median_ms max_ms cost bound gap_percent exact fit max_steps\n");
	if (argc > 2 && !strcmp(argv[2], "trees"))
		return bench_trees((unsigned int)rounds) ? 1 : 0;
	if (argc < 3 && bench_fabrics((unsigned int)rounds))
		return 1;
	if (argc < 3 && bench_trees((unsigned int)rounds))
		return 1;
	if (bench_mixed((unsigned int)rounds) ||
	    bench_small((unsigned int)rounds) ||
	    bench_hard((unsigned int)rounds))
		return 1;
	if (argc < 3 && bench_spread((unsigned int)rounds))
		return 1;
	printf("# worst gap %.2f %%\n", worst_gap * 100);
	printf("# most steps %" PRIu64 " of %" PRIu64
	       ", longest plan %.1f ms\n",
	       worst_steps, SGANG_PLAN_STEPS, worst_ms);
	return 0;
}
