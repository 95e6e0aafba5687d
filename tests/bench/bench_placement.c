/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_placement.c - the ring cost of the nodes that Slurm gives to gangs
 *
 * bench_placement topology NODES SEED
 *	topology.conf of nodes n1..nNODES: leaves of 16, pods of 8 leaves. With a
 *	seed other than 0 the names are shuffled, so that neighbours in Slurm's
 *	node table are not neighbours in the fabric
 * bench_placement measure FABRIC TOPOLOGY NODES ROUNDS WAY=FOLDER...
 *	Every round has twelve fragmentations, three kinds at four loads. On each,
 *	gangs of 2 to 256 whole nodes are asked for one by one, every way on the
 *	same free nodes. FOLDER is that of a cluster (bench_client.h). The way
 *	"gang" asks for gangs of one job, others ask for ordinary jobs. Prints one
 *	row for each gang and way:
 *
 *	fabric, nodes, kind, load in %, round, gang size, way, placed (0 or 1), ring
 *	cost, ring cost of the same nodes in their best order, optimum (by the
 *	planner, on the free nodes), is it proved (0 or 1), cross links, those of
 *	the optimum, hops through the core, those of the optimum, CPU us in
 *	job_test, us from the request to the placement, are the nodes those that
 *	stock Slurm would choose by core/stock.h (0 or 1)
 *
 * Rings have one rank a node, hops cost 4, 16, 64 (doc/behaviours.md, 4.14). The
 * nodes of an ordinary job are in the order of Slurm's list, which is the order
 * of its ranks; those of a gang in that of SLURM_GANG_NODELIST.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_client.h"
#include "bench_random.h"
#include "core/base/hostlist.h"
#include "core/plan/plan.h"
#include "core/plan/stock.h"
#include "files/fabric_file.h"

#define LEAF 16
#define POD 8 /* leaves */
#define CORE (SGANG_LEVEL_LEAF + 2)
#define WAYS_MAX 8

static const uint32_t sizes[] = { 2,  3,  4,  6,  8,   12,  16, 24,
				  32, 48, 64, 96, 128, 192, 256 };
#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static const uint32_t loads[] = { 30, 50, 70, 85 };
#define LOADS (sizeof(loads) / sizeof(loads[0]))

/* -- fabric -- */

static void shuffle(uint32_t *node, uint32_t n, uint64_t seed)
{
	for (uint32_t i = n - 1; i; i--) {
		uint32_t j = bench_random(&seed, i + 1), was = node[i];

		node[i] = node[j];
		node[j] = was;
	}
}

static void print_leaves(const uint32_t *node, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (i % LEAF)
			printf(",n%u", node[i] + 1);
		else
			printf("%sSwitchName=l%u Nodes=n%u", i ? "\n" : "",
			       i / LEAF, node[i] + 1);
	}
	printf("\n");
}

static void print_switches(uint32_t n)
{
	uint32_t leaves = (n + LEAF - 1) / LEAF;
	uint32_t pods = (leaves + POD - 1) / POD;

	for (uint32_t p = 0; p < pods; p++) {
		uint32_t last = POD * (p + 1) < leaves ? POD * (p + 1) : leaves;

		printf("SwitchName=p%u Switches=l[%u-%u]\n", p, POD * p,
		       last - 1);
	}
	printf("SwitchName=core Switches=p[0-%u]\n", pods - 1);
}

static int print_topology(uint32_t n, uint64_t seed)
{
	uint32_t *node = malloc(n * sizeof(*node));

	if (!node)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		node[i] = i;
	if (seed)
		shuffle(node, n, seed);
	print_leaves(node, n);
	print_switches(n);
	free(node);
	return 0;
}

/* -- what is measured -- */

struct way {
	char name[32];
	struct bench_client *client;
};

struct bench {
	const char *name;
	struct sgang_fabric *fabric;
	struct sgang_costs costs;
	uint32_t n_nodes;
	const uint32_t *order; /* position -> node */
	uint32_t *free;        /* 1: free; by node */
	uint32_t *total;
	struct way way[WAYS_MAX];
	size_t n_ways;
};

/* -- fragmentations: what is busy, by position in the fabric -- */

struct load {
	uint8_t *busy;
	uint32_t n, left; /* nodes; still to be taken */
	uint64_t random;
};

static void take(struct load *load, uint32_t pos)
{
	if (!load->left || load->busy[pos])
		return;
	load->busy[pos] = 1;
	load->left--;
}

static void fill_uniform(struct load *load)
{
	while (load->left)
		take(load, bench_random(&load->random, load->n));
}

/* Leaves are used up to a node. */
static void fill_leaves(struct load *load)
{
	uint32_t leaves = (load->n + LEAF - 1) / LEAF;

	while (load->left) {
		uint32_t first = LEAF * bench_random(&load->random, leaves);
		uint32_t n = 1 + bench_random(&load->random, LEAF);

		for (uint32_t i = first; i < first + n && i < load->n; i++)
			take(load, i);
	}
}

/* Jobs of 1 to 64 nodes come, each takes the first free nodes; when it would be
 * more than the load, one that was there goes. After some generations of jobs
 * the last one takes what is missing. */
#define GENERATIONS 20
static int fill_in_turn(struct load *load)
{
	uint16_t *owner = calloc(load->n, sizeof(*owner));
	uint32_t target = load->left, used = 0, jobs = 0;
	uint32_t turns = GENERATIONS * load->n / 16;

	if (!owner)
		return -1;
	while (turns || used < target) {
		uint32_t size = 1u << bench_random(&load->random, 7);
		uint16_t leaver;

		turns -= turns != 0;
		if (used + size <= target || !turns) {
			uint16_t job = (uint16_t)(1 + jobs++ % UINT16_MAX);

			for (uint32_t i = 0;
			     i < load->n && size && used < target; i++) {
				if (owner[i])
					continue;
				owner[i] = job;
				used++;
				size--;
			}
			continue;
		}
		do {
			leaver = owner[bench_random(&load->random, load->n)];
		} while (!leaver);
		for (uint32_t i = 0; i < load->n; i++) {
			used -= owner[i] == leaver;
			owner[i] = owner[i] == leaver ? 0 : owner[i];
		}
	}
	for (uint32_t i = 0; i < load->n; i++) {
		if (owner[i])
			take(load, i);
	}
	free(owner);
	return 0;
}

enum kind { UNIFORM, LEAVES, TURNS, KINDS };

static const char *const kind_names[KINDS] = { "uniform", "leaves", "turns" };

static int fill(struct bench *bench, enum kind kind, uint32_t percent,
		uint32_t round)
{
	struct load load = {
		.busy = calloc(bench->n_nodes, 1),
		.n = bench->n_nodes,
		.left = (uint32_t)((uint64_t)bench->n_nodes * percent / 100),
		.random = 1000003u * (round + 1) + 1009u * percent + kind,
	};
	int rc = 0;

	if (!load.busy)
		return -1;
	if (kind == UNIFORM)
		fill_uniform(&load);
	else if (kind == LEAVES)
		fill_leaves(&load);
	else
		rc = fill_in_turn(&load);
	for (uint32_t i = 0; i < load.n; i++)
		bench->free[bench->order[i]] = !load.busy[i];
	free(load.busy);
	return rc;
}

/* -- judging -- */

struct question {
	struct sgang_plan_member member;
	struct sgang_plan_request request;
};

/* 'size' of the free nodes. The question must stay where it is. */
static void ask(const struct bench *bench, const uint32_t *free_nodes,
		uint32_t size, struct question *question)
{
	question->member = (struct sgang_plan_member){
		.units = size,
		.slots = 1,
		.ranks = 1,
		.distinct = true,
	};
	question->request = (struct sgang_plan_request){
		.fabric = bench->fabric,
		.costs = &bench->costs,
		.free = free_nodes,
		.total = bench->total,
		.members = &question->member,
		.n_members = 1,
		.max_level = SGANG_LEVEL_UNCONNECTED,
	};
}

/* The cost of the cheapest ring over 'size' of the free nodes. */
static int best(const struct bench *bench, const uint32_t *free_nodes,
		uint32_t size, struct sgang_ring *ring, bool *exact)
{
	struct question question;
	struct sgang_placement *placement = NULL;
	struct sgang_error err = { "it does not fit" };

	ask(bench, free_nodes, size, &question);
	if (sgang_plan(&question.request, &placement, NULL, &err) != 1) {
		fprintf(stderr, "bench_placement: %s\n", err.text);
		return -1;
	}
	*ring = placement->ring;
	*exact = placement->exact;
	sgang_placement_destroy(placement);
	return 0;
}

struct gang {
	enum kind kind;
	uint32_t load, round, size;
	struct sgang_ring best;
	bool exact;
	struct sgang_stock *stock; /* stock Slurm's expected placement */
};

struct verdict {
	struct sgang_ring ring; /* in the order of the ranks */
	struct sgang_ring set;  /* in the best order */
	bool as_stock;          /* these are the nodes of gang->stock */
};

static bool same_nodes(const struct sgang_stock *stock,
		       const struct sgang_run *runs, size_t n)
{
	if (!stock || stock->n_runs != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (stock->runs[i].node != runs[i].node)
			return false;
	}
	return true;
}

/* The ring over these nodes, which must be as many different free ones as the
 * gang asks for. */
static int judge(const struct bench *bench, const struct gang *gang,
		 const char *nodes, struct verdict *verdict)
{
	uint32_t size = gang->size;
	struct sgang_run *runs = calloc(size, sizeof(*runs));
	uint32_t *only = calloc(bench->n_nodes, sizeof(*only));
	struct sgang_error err = { "out of memory" };
	char **names = NULL;
	size_t n = 0;
	bool exact;
	int rc = -1;

	if (!runs || !only ||
	    sgang_hostlist_expand(nodes, &names, &n, &err) < 0)
		goto out;
	snprintf(err.text, sizeof(err.text), "%s is not %u free nodes", nodes,
		 size);
	if (n != size)
		goto out;
	for (size_t i = 0; i < n; i++) {
		uint32_t node = sgang_fabric_find_node(bench->fabric, names[i]);

		if (node == SGANG_NODE_NONE || !bench->free[node] || only[node])
			goto out;
		only[node] = 1;
		runs[i] = (struct sgang_run){ .node = node, .ranks = 1 };
	}
	sgang_ring_measure(bench->fabric, &bench->costs, runs, n,
			   &verdict->ring);
	verdict->as_stock = same_nodes(gang->stock, runs, n);
	rc = best(bench, only, size, &verdict->set, &exact);
	goto free;
out:
	fprintf(stderr, "bench_placement: %s\n", err.text);
free:
	sgang_hostlist_free(names);
	free(runs);
	free(only);
	return rc;
}

/* -- the rows -- */

static int measure_way(struct bench *bench, const struct gang *gang,
		       struct way *way)
{
	struct verdict verdict;
	struct bench_answer answer;
	bool placed;

	memset(&verdict, 0, sizeof(verdict));
	if (bench_client_place(way->client, gang->size,
			       !strcmp(way->name, "gang"), &answer) < 0)
		return -1;
	placed = answer.nodes;
	if (placed && judge(bench, gang, answer.nodes, &verdict) < 0)
		return -1;
	free(answer.nodes);
	printf("%s %u %s %u %u %u %s %d ", bench->name, bench->n_nodes,
	       kind_names[gang->kind], gang->load, gang->round, gang->size,
	       way->name, placed);
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %d ", verdict.ring.cost,
	       verdict.set.cost, gang->best.cost, gang->exact);
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %.1f %.1f %d\n",
	       verdict.ring.cross_links, gang->best.cross_links,
	       verdict.ring.hops[CORE], gang->best.hops[CORE],
	       answer.job_test_us, answer.wall_us, verdict.as_stock);
	return 0;
}

/* The facts about the gang that need no Slurm. */
static int foretell(const struct bench *bench, struct gang *gang)
{
	struct question question;
	struct sgang_error err;

	if (best(bench, bench->free, gang->size, &gang->best, &gang->exact))
		return -1;
	ask(bench, bench->free, gang->size, &question);
	if (sgang_stock_place(&question.request, SGANG_STOCK_RULE, &gang->stock,
			      &err) < 0) {
		fprintf(stderr, "bench_placement: %s\n", err.text);
		return -1;
	}
	return 0;
}

/* The ways take turns in being the first. */
static int measure_gang(struct bench *bench, struct gang *gang)
{
	static size_t first;
	int rc = foretell(bench, gang);

	first++;
	for (size_t w = 0; w < bench->n_ways && !rc; w++)
		rc = measure_way(bench, gang,
				 &bench->way[(first + w) % bench->n_ways]);
	sgang_stock_destroy(gang->stock);
	gang->stock = NULL;
	fflush(stdout);
	return rc;
}

static char *busy_nodes(const struct bench *bench, uint32_t *n)
{
	const char **names = malloc(bench->n_nodes * sizeof(*names));
	char *text = NULL;

	*n = 0;
	for (uint32_t i = 0; names && i < bench->n_nodes; i++) {
		if (!bench->free[i])
			names[(*n)++] = sgang_fabric_node_name(bench->fabric,
							       i);
	}
	if (names)
		text = sgang_hostlist_fold(names, *n);
	free(names);
	return text;
}

static int occupy_all(struct bench *bench)
{
	uint32_t n;
	char *nodes = busy_nodes(bench, &n);
	int rc = nodes ? 0 : -1;

	for (size_t w = 0; w < bench->n_ways && !rc; w++) {
		rc = bench_client_occupy(bench->way[w].client, nodes, n);
	}
	free(nodes);
	return rc;
}

static int vacate_all(struct bench *bench)
{
	for (size_t w = 0; w < bench->n_ways; w++) {
		if (bench_client_vacate(bench->way[w].client) < 0)
			return -1;
	}
	return 0;
}

static int measure_fragmentation(struct bench *bench, struct gang gang)
{
	uint32_t n_free = 0;

	if (fill(bench, gang.kind, gang.load, gang.round) < 0 ||
	    occupy_all(bench) < 0)
		return -1;
	for (uint32_t i = 0; i < bench->n_nodes; i++)
		n_free += bench->free[i];
	for (size_t s = 0; s < SIZES && sizes[s] <= n_free; s++) {
		gang.size = sizes[s];
		if (measure_gang(bench, &gang) < 0)
			return -1;
	}
	return vacate_all(bench);
}

static int measure_all(struct bench *bench, uint32_t rounds)
{
	for (uint32_t round = 0; round < rounds; round++) {
		for (int kind = 0; kind < KINDS; kind++) {
			for (size_t l = 0; l < LOADS; l++) {
				struct gang gang = {
					.kind = (enum kind)kind,
					.load = loads[l],
					.round = round,
				};

				if (measure_fragmentation(bench, gang) < 0)
					return -1;
			}
		}
	}
	return 0;
}

/* -- start and end -- */

/* WAY=FOLDER */
static int open_way(struct bench *bench, const char *text)
{
	struct way *way = &bench->way[bench->n_ways];
	char folder[256];

	if (bench->n_ways == WAYS_MAX ||
	    sscanf(text, "%31[^=]=%255s", way->name, folder) != 2) {
		fprintf(stderr, "bench_placement: '%s' is no WAY=FOLDER\n",
			text);
		return -1;
	}
	way->client = bench_client_start(folder);
	bench->n_ways += way->client != NULL;
	return way->client ? 0 : -1;
}

static struct sgang_fabric *load_fabric(const char *path, uint32_t n)
{
	char **names = NULL, all[32];
	struct sgang_fabric *fabric = NULL;
	struct sgang_error err;
	struct sgang_conf conf;
	size_t count;

	sgang_conf_default(&conf);
	snprintf(all, sizeof(all), "n[1-%u]", n);
	if (!sgang_hostlist_expand(all, &names, &count, &err))
		fabric = sgang_fabric_load_file(
			&conf, path, (const char *const *)names, n, &err);
	if (!fabric)
		fprintf(stderr, "bench_placement: %s\n", err.text);
	sgang_hostlist_free(names);
	return fabric;
}

static int open_bench(struct bench *bench, const char *topology)
{
	bench->fabric = load_fabric(topology, bench->n_nodes);
	bench->free = calloc(bench->n_nodes, sizeof(*bench->free));
	bench->total = calloc(bench->n_nodes, sizeof(*bench->total));
	if (!bench->fabric || !bench->free || !bench->total)
		return -1;
	bench->order = sgang_fabric_order(bench->fabric);
	sgang_costs_default(&bench->costs);
	for (uint32_t i = 0; i < bench->n_nodes; i++)
		bench->total[i] = 1;
	return 0;
}

static void close_bench(struct bench *bench)
{
	for (size_t w = 0; w < bench->n_ways; w++) {
		bench_client_stop(bench->way[w].client);
	}
	sgang_fabric_destroy(bench->fabric);
	free(bench->free);
	free(bench->total);
}

static uint32_t number(const char *text)
{
	return (uint32_t)strtoul(text, NULL, 10);
}

static int measure(int argc, char **argv)
{
	struct bench bench = { .name = argv[2], .n_nodes = number(argv[4]) };
	int rc = open_bench(&bench, argv[3]);

	for (int i = 6; i < argc && !rc; i++)
		rc = open_way(&bench, argv[i]);
	if (!rc)
		rc = measure_all(&bench, number(argv[5]));
	close_bench(&bench);
	return rc;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "topology") && number(argv[2]))
		return print_topology(number(argv[2]), number(argv[3])) ? 1 : 0;
	if (argc > 6 && !strcmp(argv[1], "measure") && number(argv[4]))
		return measure(argc, argv) ? 1 : 0;
	fprintf(stderr, "bench_placement: see its source\n");
	return 2;
}
