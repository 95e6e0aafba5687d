/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_victims.c - how long it takes to choose the victims of a gang
 *
 * 2,000 nodes in leaves of 16, all of them used by 2,000 jobs that are
 * candidates: jobs that have whole nodes, or that share them, with 64 CPUs and
 * 8 GPUs each, of three priorities and three sorts of harm. Gangs want whole
 * nodes, or halves, anywhere, within a switch, or each in a leaf of its own,
 * which counting knows nothing of. sgang_plan() decides whether a set is good.
 * Usage: bench_victims [ROUNDS [STEPS]]
 *
 * Times are CPU times; `count` is all but the plans. The line with the columns
 * begins with '#'.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_random.h"
#include "core/plan/victims.h"

#define NODES 2000
#define LEAF 16
#define LEAVES_A_SPINE 32
#define JOBS 2000
#define HOLDINGS (8 * JOBS)
#define ROUNDS_MAX 1000
enum { CPUS, GPUS, DIMS };

struct load {
	const char *name;
	uint32_t nodes; /* of a job, at most */
	uint32_t parts; /* of a node that a job has one to all of */
};

static const struct load loads[] = {
	{ "whole", 1, 1 },
	{ "several", 6, 1 },
	{ "shared", 4, 4 },
};

struct gang {
	const char *name;
	uint32_t pieces;
	uint32_t need[DIMS];
	uint32_t level;
	bool spread; /* each in another leaf */
};

#define WHOLE                                  \
	{                                      \
		SGANG_PLAN_ALL, SGANG_PLAN_ALL \
	}
#define HALF          \
	{             \
		32, 4 \
	}
static const struct gang gangs[] = {
	{ "10", 10, WHOLE, SGANG_LEVEL_UNCONNECTED, false },
	{ "100", 100, WHOLE, SGANG_LEVEL_UNCONNECTED, false },
	{ "500", 500, WHOLE, SGANG_LEVEL_UNCONNECTED, false },
	{ "500/2", 500, HALF, SGANG_LEVEL_UNCONNECTED, false },
	{ "10-leaf", 10, WHOLE, SGANG_LEVEL_LEAF, false },
	{ "100-spine", 100, WHOLE, SGANG_LEVEL_LEAF + 1, false },
	{ "50-spread", 50, WHOLE, SGANG_LEVEL_UNCONNECTED, true },
};

struct cluster {
	struct sgang_fabric *fabric;
	struct sgang_costs costs;
	uint32_t total[NODES * DIMS], free[NODES * DIMS];
	struct sgang_victim victim[JOBS];
	size_t n_victims, n_holdings;
	uint32_t node[HOLDINGS], amounts[HOLDINGS * DIMS];
	uint64_t random;
	/* the gang */
	struct sgang_plan_member members[500];
	struct sgang_plan_request plan;
	uint32_t left[NODES * DIMS];
	double plans_ms;
};

static uint32_t rnd(struct cluster *c, uint32_t below)
{
	return bench_random(&c->random, below);
}

static double now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static struct sgang_fabric *make_fabric(void)
{
	static char text[NODES * 8];
	uint32_t leaves = (NODES + LEAF - 1) / LEAF, spines = 0;
	char *p = text;

	for (uint32_t l = 0; l < leaves; l++)
		p += sprintf(p, "SwitchName=l%u Nodes=n[%04u-%04u]\n", l,
			     l * LEAF, l * LEAF + LEAF - 1);
	for (uint32_t l = 0; l < leaves; l += LEAVES_A_SPINE, spines++) {
		uint32_t last = l + LEAVES_A_SPINE - 1;

		p += sprintf(p, "SwitchName=s%u Switches=l[%u-%u]\n", spines, l,
			     last < leaves ? last : leaves - 1);
	}
	sprintf(p, "SwitchName=top Switches=s[0-%u]\n", spines - 1);
	return sgang_fabric_parse(text, "bench", NULL, 0, NULL);
}

/* A job on some nodes in a row, from a random one on, where it finds room. */
static void add_job(struct cluster *c, const struct load *load)
{
	uint32_t size = 1 + rnd(c, load->nodes), node = rnd(c, NODES), tries;
	uint32_t parts = 1 + rnd(c, load->parts);
	struct sgang_victim *v = &c->victim[c->n_victims];

	*v = (struct sgang_victim){
		.harm = SGANG_HARM_REQUEUED + (rnd(c, 8) ? 0 : 1 + rnd(c, 2)),
		.priority = rnd(c, 3),
		.jobs = 1,
		.gang = SGANG_VICTIM_NONE,
		.lost = rnd(c, 100000),
		.first = c->n_holdings,
	};
	for (tries = 0; v->n < size && tries < NODES;
	     tries++, node = (node + 1) % NODES) {
		uint32_t *free_of = c->free + node * DIMS;
		uint32_t amounts[DIMS] = { 64 * parts / load->parts,
					   8 * parts / load->parts };

		if (free_of[CPUS] < amounts[CPUS] ||
		    free_of[GPUS] < amounts[GPUS])
			continue;
		for (uint32_t d = 0; d < DIMS; d++) {
			free_of[d] -= amounts[d];
			c->amounts[c->n_holdings * DIMS + d] = amounts[d];
		}
		c->node[c->n_holdings++] = node;
		v->n++;
	}
	if (v->n)
		c->n_victims++;
}

static void make_load(struct cluster *c, const struct load *load, uint64_t seed)
{
	c->random = seed;
	c->n_victims = c->n_holdings = 0;
	for (uint32_t i = 0; i < NODES; i++) {
		c->total[i * DIMS + CPUS] = 64;
		c->total[i * DIMS + GPUS] = 8;
	}
	memcpy(c->free, c->total, sizeof(c->free));
	for (uint32_t i = 0; i < JOBS; i++)
		add_job(c, load);
}

static bool fits(void *arg, const bool *gone, uint64_t *cost)
{
	struct cluster *c = arg;
	struct sgang_plan_request rq = c->plan;
	struct sgang_placement *placement = NULL;
	double start = now_ms();
	bool rc;

	memcpy(c->left, c->free, sizeof(c->left));
	for (size_t i = 0; i < c->n_victims; i++) {
		const struct sgang_victim *v = &c->victim[i];

		for (size_t h = v->first; gone[i] && h < v->first + v->n; h++) {
			for (uint32_t d = 0; d < DIMS; d++)
				c->left[c->node[h] * DIMS + d] +=
					c->amounts[h * DIMS + d];
		}
	}
	rq.free = c->left;
	rc = sgang_plan(&rq, &placement, NULL, NULL) == 1;
	*cost = rc ? placement->ring.cost : 0;
	sgang_placement_destroy(placement);
	c->plans_ms += now_ms() - start;
	return rc;
}

static void make_gang(struct cluster *c, const struct gang *gang)
{
	for (uint32_t i = 0; i < gang->pieces; i++)
		c->members[i] = (struct sgang_plan_member){
			.units = 1,
			.slots = gang->need[0] == SGANG_PLAN_ALL ?
					 0 :
					 gang->need[0],
			.ranks = 1,
			.need = gang->need,
		};
	c->plan = (struct sgang_plan_request){
		.fabric = c->fabric,
		.costs = &c->costs,
		.n_dims = DIMS,
		.free = c->free,
		.total = c->total,
		.members = c->members,
		.n_members = gang->pieces,
		.max_level = gang->level,
		.spread = gang->spread,
		.spread_level = SGANG_LEVEL_LEAF,
	};
}

static int by_time(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

struct result {
	double count[ROUNDS_MAX], plans_ms;
	uint64_t jobs, worse, lost, steps, plans, found;
};

static int choose_once(struct cluster *c, unsigned round, uint64_t max_steps,
		       struct result *result)
{
	static bool gone[JOBS];
	struct sgang_victims_report report;
	const struct sgang_victims_request rq = {
		.plan = &c->plan,
		.victims = c->victim,
		.n_victims = c->n_victims,
		.node = c->node,
		.amounts = c->amounts,
		.fits = fits,
		.arg = c,
		.max_steps = max_steps,
	};
	double start = now_ms();
	int rc;

	c->plans_ms = 0;
	rc = sgang_victims_choose(&rq, gone, &report);
	result->count[round] = now_ms() - start - c->plans_ms;
	result->plans_ms += c->plans_ms;
	if (rc != 1)
		return rc;
	result->found++;
	result->jobs += report.jobs;
	result->steps += report.steps;
	result->plans += report.plans;
	for (size_t i = 0; i < c->n_victims; i++) {
		const struct sgang_victim *v = &c->victim[i];

		result->lost += gone[i] ? v->lost : 0;
		result->worse += gone[i] &&
				 (v->priority || v->harm > SGANG_HARM_REQUEUED);
	}
	return 0;
}

int main(int argc, char **argv)
{
	static struct cluster c;
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 5;
	uint64_t steps = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;

	if (!rounds || rounds > ROUNDS_MAX)
		return 2;
	c.fabric = make_fabric();
	sgang_costs_default(&c.costs);
	if (!c.fabric)
		return 1;
	printf("# victims load gang rounds found count_median_ms count_max_ms "
	       "plan_ms plans steps jobs worse lost\n");
	for (size_t l = 0; l < sizeof(loads) / sizeof(loads[0]); l++) {
		for (size_t g = 0; g < sizeof(gangs) / sizeof(gangs[0]); g++) {
			struct result r = { .plans_ms = 0 };

			for (unsigned i = 0; i < rounds; i++) {
				make_load(&c, &loads[l], 1 + i);
				make_gang(&c, &gangs[g]);
				if (choose_once(&c, i, steps, &r) < 0)
					return 1;
			}
			qsort(r.count, rounds, sizeof(*r.count), by_time);
			printf("victims %s %s %u %" PRIu64
			       " %.2f %.2f %.2f %.1f %" PRIu64
			       " %.1f %.1f %.0f\n",
			       loads[l].name, gangs[g].name, rounds, r.found,
			       r.count[rounds / 2], r.count[rounds - 1],
			       r.plans ? r.plans_ms / (double)r.plans : 0,
			       (double)r.plans / rounds, r.steps / rounds,
			       (double)r.jobs / rounds,
			       (double)r.worse / rounds,
			       (double)r.lost / rounds);
			fflush(stdout);
		}
	}
	sgang_fabric_destroy(c.fabric);
	return 0;
}
