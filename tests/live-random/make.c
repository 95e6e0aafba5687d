/* SPDX-License-Identifier: GPL-2.0-or-later */
/* make.c - random clusters and random gangs */

#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "slurm/public.h"

static const struct {
	const char *word;
	uint32_t kind;
} words[] = {
	{ "mixed", LR_MIXED },         { "share", LR_SHARE },
	{ "gres", LR_GRES },           { "memory", LR_MEMORY },
	{ "flexible", LR_FLEXIBLE },   { "policy", LR_POLICY },
	{ "partition", LR_PARTITION }, { "feature", LR_FEATURE },
	{ "exclude", LR_EXCLUDE },     { "batch", LR_BATCH },
	{ "modes", LR_MODES },         { "drain", LR_DRAIN },
	{ "order", LR_ORDER },         { "show", LR_SHOW },
	{ "reason", LR_REASON },       { "start", LR_START },
	{ "nodelist", LR_NODELIST },   { "best", LR_BEST },
	{ "rank", LR_RANK },           { "reserve", LR_RESERVE },
	{ "oversubscribe", LR_OVER },  { "groups", LR_GROUPS },
	{ "patient", LR_PATIENT },     { "range", LR_RANGE },
	{ "minimum", LR_MINIMUM },     { "weight", LR_WEIGHT },
	{ "parallel", LR_PARALLEL },   { "auto", LR_WAITING },
	{ "islands", LR_ISLANDS },     { "loose", LR_LOOSE },
	{ "gpus", LR_GPUS },
};

/* Knuth's MMIX generator, of which the high half is used. */
uint32_t lr_random(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) +
		 UINT64_C(1442695040888963407);
	return (uint32_t)((*state >> 33) % below);
}

static bool chance(uint64_t *state, uint32_t percent)
{
	return lr_random(state, 100) < percent;
}

static uint32_t kind_of(const char *word)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!strcmp(words[i].word, word))
			return words[i].kind;
	}
	fprintf(stderr, "live_random: no kind '%s'\n", word);
	exit(2);
}

uint32_t lr_kinds(const char *text)
{
	char copy[256], *word, *rest = copy;
	uint32_t kinds = 0;

	if (!text || !*text || !strcmp(text, "all"))
		return UINT32_MAX;
	snprintf(copy, sizeof(copy), "%s", text);
	while ((word = strsep(&rest, ",")))
		kinds |= strcmp(word, "plain") ? kind_of(word) : 0;
	return kinds;
}

const char *lr_level_name(uint32_t level)
{
	static const char *const names[] = { "leaf", "spine", "core",
					     "level5" };

	return level == LR_NODE_LEVEL ? "node" : names[level];
}

/* -- clusters -- */

/* Leaves of 1 to 6 nodes whose names say nothing, or all of it. */
static void make_leaves(struct lr_cluster *c, uint64_t *r)
{
	uint32_t at[LR_NODES], left = 0, leaf = LR_NONE;
	bool shuffled = chance(r, 60);

	for (uint32_t i = 0; i < c->n_nodes; i++)
		at[i] = i;
	for (uint32_t i = c->n_nodes; shuffled && i > 1; i--) {
		uint32_t j = lr_random(r, i), old = at[j];

		at[j] = at[i - 1];
		at[i - 1] = old;
	}
	for (uint32_t i = 0; i < c->n_nodes; i++) {
		if (!left) {
			left = 1 + lr_random(r, 6);
			leaf++;
		}
		left--;
		c->node[at[i]].up[0] = leaf;
	}
	c->n_domains[0] = leaf + 1;
}

/* A level above, of unequal domains, until one is left. */
static void make_tree(struct lr_cluster *c, uint64_t *r)
{
	uint32_t parent[LR_NODES], left, n;
	uint32_t deep = 2 + lr_random(r, 2);

	make_leaves(c, r);
	c->n_levels = 1;
	while (c->n_domains[c->n_levels - 1] > 1) {
		uint32_t below = c->n_domains[c->n_levels - 1], l = c->n_levels;

		n = 0;
		left = l + 1 == deep ? below : 1 + lr_random(r, 4);
		for (uint32_t d = 0; d < below; d++) {
			if (!left) {
				n++;
				left = 1 + lr_random(r, 4);
			}
			left--;
			parent[d] = n;
		}
		for (uint32_t i = 0; i < c->n_nodes; i++)
			c->node[i].up[l] = parent[c->node[i].up[l - 1]];
		c->n_domains[l] = n + 1;
		c->n_levels++;
		if (l + 1 == deep)
			break;
	}
}

static void make_hops(struct lr_cluster *c)
{
	static const uint32_t costs[LR_LEVELS] = { 4, 16, 64, 256 };

	for (uint32_t i = 0; i < c->n_nodes; i++) {
		for (uint32_t j = 0; j < c->n_nodes; j++) {
			uint32_t l = 0;

			while (c->node[i].up[l] != c->node[j].up[l])
				l++;
			c->hop[i][j] = i == j ? 1 : costs[l];
		}
	}
}

static void make_node(const struct lr_cluster *c, struct lr_node *n,
		      uint64_t *r)
{
	static const uint32_t sizes[] = { 4, 8, 8, 8, 16 };

	n->has[LR_CPU] = c->kinds & LR_SHARE ? sizes[lr_random(r, 5)] : 8;
	n->has[LR_MEM] = n->has[LR_CPU] * 1000;
	if (c->kinds & LR_MEMORY && chance(r, 40))
		n->has[LR_MEM] /= 2;
	if (c->kinds & LR_GRES && chance(r, 70)) {
		n->has[LR_GPU] = 2u << lr_random(r, 3);
		n->gpu_type = chance(r, 60) ? 'a' : 'b';
	}
	n->parts = 1;
	for (uint32_t p = 1; p < c->n_parts; p++)
		n->parts |= (uint32_t)chance(r, 60) << p;
	if (c->kinds & LR_FEATURE)
		n->features = lr_random(r, 4);
	n->weight = c->weighed ? 1 + lr_random(r, 4) : 1;
}

/* All islands together are no more than nodes can be. */
static void make_islands(struct lr_cluster *c, uint64_t *r)
{
	uint32_t left = LR_NODES - c->n_nodes;

	for (uint32_t i = 0; i < c->n_nodes; i++) {
		struct lr_node *n = &c->node[i];
		uint32_t islands = c->inside ? 1u << lr_random(r, 3) : 1;

		if (islands > left + 1 || islands == n->has[LR_CPU])
			islands = 1;
		n->islands = islands;
		left -= islands - 1;
	}
}

/* Where nodes have several islands all is in CPUs, and members are plain. */
static void make_inside(struct lr_cluster *c, uint64_t *r)
{
	c->inside = c->kinds & LR_ISLANDS && chance(r, 40);
	if (!c->inside)
		return;
	c->n_nodes = 6 + c->n_nodes % 6;
	c->kinds |= LR_SHARE;
	c->kinds &= LR_MIXED | LR_SHARE | LR_PARTITION | LR_FEATURE |
		    LR_POLICY | LR_EXCLUDE | LR_BATCH | LR_DRAIN | LR_ORDER |
		    LR_SHOW | LR_REASON | LR_START | LR_NODELIST | LR_RESERVE;
}

void lr_make_cluster(struct lr_cluster *c, uint64_t seed, uint32_t kinds)
{
	uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1, *r = &random;
	/* clusters without islands are the same with this kind */
	uint64_t own = random + 2;

	memset(c, 0, sizeof(*c));
	lr_random(r, 2);
	lr_random(&own, 2);
	c->seed = seed;
	c->kinds = kinds;
	c->n_nodes = 10 + lr_random(r, 19);
	make_inside(c, &own);
	kinds = c->kinds;
	c->n_parts = kinds & LR_PARTITION ? 1 + lr_random(r, 3) : 1;
	c->rows = 1;
	if (kinds & LR_OVER && chance(r, 30)) {
		c->rows = 2 + lr_random(r, 3);
		c->force = chance(r, 60);
		c->n_parts = 1;
	}
	c->weighed = kinds & LR_WEIGHT && chance(r, 30);
	c->weight_first = c->weighed && chance(r, 40);
	make_tree(c, r);
	make_hops(c);
	for (uint32_t i = 0; i < c->n_nodes; i++) {
		snprintf(c->node[i].name, sizeof(c->node[i].name), "n%u",
			 i + 1);
		make_node(c, &c->node[i], r);
	}
	make_islands(c, &own);
	/* No partition is empty. */
	for (uint32_t p = 1; p < c->n_parts; p++)
		c->node[lr_random(r, c->n_nodes)].parts |= 1u << p;
}

void lr_print_nodes(const struct lr_cluster *c, FILE *out)
{
	/* Nobody can be connected to at this address, so that what slurmctld
	 * tells the nodes of cancelled jobs costs nothing. */
	for (uint32_t i = 0; i < c->n_nodes; i++) {
		const struct lr_node *n = &c->node[i];

		fprintf(out,
			"NodeName=%s NodeAddr=255.255.255.255 Port=7000 "
			"State=CLOUD CPUs=%u Sockets=1 CoresPerSocket=%u "
			"ThreadsPerCore=1 RealMemory=%u",
			n->name, n->has[LR_CPU], n->has[LR_CPU],
			n->has[LR_MEM]);
		if (n->has[LR_GPU])
			fprintf(out, " Gres=gpu:%c:%u", n->gpu_type,
				n->has[LR_GPU]);
		if (c->weighed)
			fprintf(out, " Weight=%u", n->weight);
		if (n->features)
			fprintf(out, " Feature=%s%s%s",
				n->features & 1 ? "f0" : "",
				n->features == 3 ? "," : "",
				n->features & 2 ? "f1" : "");
		fprintf(out, "\n");
	}
	for (uint32_t p = 0; p < c->n_parts; p++) {
		fprintf(out, "PartitionName=p%u State=UP MaxTime=INFINITE%s ",
			p, p ? "" : " Default=YES");
		if (c->rows > 1)
			fprintf(out, "OverSubscribe=%s:%u ",
				c->force ? "FORCE" : "YES", c->rows);
		fprintf(out, "Nodes=");
		for (uint32_t i = 0, any = 0; i < c->n_nodes; i++) {
			if (c->node[i].parts >> p & 1)
				fprintf(out, "%s%s", any++ ? "," : "",
					c->node[i].name);
		}
		fprintf(out, "\n");
	}
}

/* What gang.conf has besides. */
void lr_print_conf(const struct lr_cluster *c, FILE *out)
{
	fprintf(out, "MaxExclusive=core\nWeightFirst=%s\n",
		c->weight_first ? "yes" : "no");
	for (uint32_t i = 0; i < c->n_nodes; i++) {
		const struct lr_node *n = &c->node[i];

		if (n->islands > 1)
			fprintf(out, "NodeTopology=%s Hwloc=%u-%u.xml\n",
				n->name, n->has[LR_CPU], n->islands);
	}
}

static void print_switch(const struct lr_cluster *c, uint32_t level,
			 uint32_t domain, FILE *out)
{
	bool seen[LR_NODES] = { false };
	uint32_t any = 0;

	fprintf(out, "SwitchName=s%u-%u %s=", level, domain,
		level ? "Switches" : "Nodes");
	for (uint32_t i = 0; i < c->n_nodes; i++) {
		const struct lr_node *n = &c->node[i];

		if (n->up[level] != domain)
			continue;
		if (!level)
			fprintf(out, "%s%s", any++ ? "," : "", n->name);
		else if (!seen[n->up[level - 1]])
			fprintf(out, "%ss%u-%u", any++ ? "," : "", level - 1,
				n->up[level - 1]);
		if (level)
			seen[n->up[level - 1]] = true;
	}
	fprintf(out, "\n");
}

void lr_print_topology(const struct lr_cluster *c, FILE *out)
{
	for (uint32_t l = 0; l < c->n_levels; l++) {
		for (uint32_t d = 0; d < c->n_domains[l]; d++)
			print_switch(c, l, d, out);
	}
}

/* -- gangs -- */

static void make_whole(struct lr_member *m, uint32_t most, uint64_t *r)
{
	m->nodes = 1 + lr_random(r, most);
	m->tasks = 1;
	m->cpus = 1;
	m->mem = 10;
	m->whole = true;
}

static void make_part(const struct lr_cluster *c, struct lr_member *m,
		      uint32_t most, uint64_t *r)
{
	m->nodes = 1 + lr_random(r, most);
	m->tasks = 1 + lr_random(r, 4);
	m->cpus = 1 + lr_random(r, 2);
	m->mem = 10;
	if (c->kinds & LR_MEMORY && chance(r, 50))
		m->mem = 500 * (1 + lr_random(r, 10));
	if (c->kinds & LR_GRES && chance(r, 50)) {
		m->gpus = 1u << lr_random(r, 4);
		m->gpu_type = chance(r, 60) ? 0 : "ab"[lr_random(r, 2)];
	}
}

/* CPUs by the number of GPUs. There is no --gpus: when such a job ends, Slurm
 * 22.05 does not give back GPUs that have no file, also without gangs. */
static void make_gpus(const struct lr_cluster *c, struct lr_member *m,
		      uint64_t *r)
{
	if (!(c->kinds & LR_GPUS) || !m->gpus)
		return;
	m->gpu_cpus = chance(r, 30);
	if (m->gpu_cpus)
		m->tasks = m->gpus;
}

static void make_flexible(const struct lr_cluster *c, struct lr_member *m,
			  uint64_t *r)
{
	m->nodes = 0;
	m->tasks = 2 + lr_random(r, 5);
	m->cpus = 1 + lr_random(r, 3);
	m->mem = c->kinds & LR_MEMORY && chance(r, 40) ?
			 250 * (1 + lr_random(r, 4)) :
			 10;
}

/* See lr_cpus_left(). FORCE makes nothing of --exclusive. */
static void make_sharer(const struct lr_cluster *c, struct lr_member *m,
			uint64_t *r)
{
	if (!c->force && chance(r, 15)) {
		make_whole(m, 1, r);
		return;
	}
	make_part(c, m, 1, r);
	m->tasks = 1u << lr_random(r, 3);
	m->shares = c->force || chance(r, 70);
}

static void make_member(const struct lr_cluster *c, struct lr_member *m,
			uint32_t most, uint64_t *r)
{
	uint32_t dice = lr_random(r, 100);

	memset(m, 0, sizeof(*m));
	if (c->rows > 1)
		make_sharer(c, m, r);
	else if (c->kinds & LR_FLEXIBLE && dice < 20)
		make_flexible(c, m, r);
	else if (c->kinds & LR_SHARE && dice < 75)
		make_part(c, m, most, r);
	else
		make_whole(m, most, r);
	make_gpus(c, m, r);
	if (c->kinds & LR_RANGE && c->rows == 1 && m->nodes && !m->gpu_cpus &&
	    chance(r, 40)) {
		m->least = m->nodes;
		m->nodes += 1 + lr_random(r, 3);
		m->upper = m->nodes;
		if (PUBLIC_RANGE_BY_TASKS && !m->whole &&
		    m->nodes > m->least * m->tasks)
			m->nodes = m->least * m->tasks;
		m->least = m->nodes > m->least ? m->least : 0;
	}
	m->part = c->kinds & LR_PARTITION ? lr_random(r, c->n_parts) : 0;
	m->feature = c->kinds & LR_FEATURE && chance(r, 15) ? lr_random(r, 2) :
							      LR_NONE;
	if (c->kinds & LR_EXCLUDE && chance(r, 10))
		m->excluded = 1u << lr_random(r, c->n_nodes);
	if (c->kinds & LR_NODELIST && m->nodes && chance(r, 10))
		m->required = 1u << lr_random(r, c->n_nodes);
}

static void make_policy(const struct lr_cluster *c, struct lr_gang *g,
			uint64_t *r)
{
	if (!(c->kinds & LR_POLICY) || chance(r, 60))
		return;
	g->policy = 1 + lr_random(r, 4);
	g->level = lr_random(r, c->n_levels);
	if (g->policy == LR_SPREAD && chance(r, 40))
		g->level = LR_NODE_LEVEL;
	if (g->policy == LR_PREFER && c->kinds & LR_PATIENT && chance(r, 50)) {
		g->policy = LR_REQUIRE;
		g->patient = true;
	}
}

static void make_group(const struct lr_cluster *c, struct lr_gang *g,
		       uint64_t *r)
{
	if (!(c->kinds & LR_GROUPS) || g->array || g->late || g->nonstrict ||
	    g->policy || g->n_members < 2 || chance(r, 80))
		return;
	g->split = 1 + lr_random(r, g->n_members - 1);
	g->sorted = false;
	for (uint32_t i = 0; i < g->n_members; i++)
		g->rank[i] = LR_NONE;
}

/* Members that are there before the gang is told how many it needs. */
static void make_minimum(const struct lr_cluster *c, struct lr_gang *g,
			 uint64_t *r)
{
	for (uint32_t i = 0; i < g->n_members; i++)
		g->turn[i] = LR_NONE;
	if (!(c->kinds & LR_MINIMUM) || g->array || g->nonstrict ||
	    g->n_members < 2 || chance(r, 70))
		return;
	g->late = true;
	g->min = 1 + lr_random(r, g->n_members);
	for (uint32_t i = 0; i < g->n_members; i++)
		g->turn[i] = chance(r, 50) ? lr_random(r, 3) : LR_NONE;
}

static void make_ranks(const struct lr_cluster *c, struct lr_gang *g,
		       uint64_t *r)
{
	/* an array has one for all of its tasks */
	bool ranked = c->kinds & LR_ORDER && !g->array && chance(r, 10);

	for (uint32_t i = 0; i < g->n_members; i++)
		g->rank[i] = ranked && chance(r, 50) ? lr_random(r, 10) :
						       LR_NONE;
	g->sorted = !ranked && c->kinds & LR_RANK && chance(r, 30);
}

/* Ranks of a few nodes in rows, columns and layers. */
static void make_parallel(const struct lr_cluster *c, struct lr_gang *g,
			  uint64_t *r)
{
	static const uint32_t heavy[] = { 100, 10, 1, 1, 3 };
	uint32_t left = lr_ranks(g);

	if (!(c->kinds & LR_PARALLEL) || g->array || g->nonstrict || g->late ||
	    g->split || g->sorted || left < 2 || left > LR_LAID_OUT ||
	    chance(r, 30))
		return;
	for (uint32_t i = 0; i < g->n_members; i++) {
		if (!g->member[i].nodes || g->member[i].least)
			return;
	}
	g->n_groups = 2 + lr_random(r, 2);
	for (uint32_t i = 0; i < g->n_groups; i++) {
		uint32_t size = 1 + lr_random(r, 4);

		while (left % size)
			size--;
		g->size[i] = i + 1 < g->n_groups ? size : left;
		left /= g->size[i];
		g->heavy[i] = heavy[lr_random(r, 5)];
	}
}

static bool has_range(const struct lr_gang *g)
{
	for (uint32_t i = 0; i < g->n_members; i++) {
		if (g->member[i].least)
			return true;
	}
	return false;
}

/* It waits for a better place if that pays. Where weight comes first there are
 * better ones than the cheapest. */
static void make_auto(const struct lr_cluster *c, struct lr_gang *g,
		      uint64_t *r)
{
	static const uint32_t shares[] = { 0, 50, 300, 1000 };

	if (!(c->kinds & LR_WAITING) || g->policy || g->nonstrict || g->late ||
	    g->split || g->sorted || g->n_groups || g->min < g->n_members ||
	    c->weight_first || has_range(g) || chance(r, 30))
		return;
	for (uint32_t i = 0; i < g->n_members; i++) {
		if (g->rank[i] != LR_NONE)
			return;
	}
	g->policy = LR_AUTO;
	g->share = shares[lr_random(r, 4)];
	g->run = chance(r, 20) ? 0 : 20u << lr_random(r, 8);
}

void lr_make_gang(const struct lr_cluster *c, struct lr_gang *g, uint64_t *r)
{
	uint32_t number = g->number, most;
	bool mixed;

	memset(g, 0, sizeof(*g));
	g->number = number;
	g->n_members = g->min = 1 + lr_random(r, 6);
	most = g->n_members == 1 ? 8 : g->n_members < 4 ? 3 : 2;
	mixed = c->kinds & LR_MIXED && chance(r, 60);
	for (uint32_t i = 0; i < g->n_members; i++) {
		if (i && (!mixed || chance(r, 30)))
			g->member[i] = g->member[i - 1];
		else
			make_member(c, &g->member[i], most, r);
	}
	make_policy(c, g, r);
	g->batch = c->kinds & LR_BATCH && chance(r, 15);
	g->array = g->batch && !mixed && chance(r, 50);
	if (c->kinds & LR_MODES && chance(r, 20))
		g->nonstrict = !g->patient &&
			       (c->kinds & LR_LOOSE || !has_range(g));
	/* of others the minimum would start before the rest is submitted */
	if (c->kinds & LR_MODES && g->array && chance(r, 50))
		g->min = 1 + lr_random(r, g->n_members);
	make_minimum(c, g, r);
	make_ranks(c, g, r);
	make_group(c, g, r);
	make_parallel(c, g, r);
	make_auto(c, g, r);
}

bool lr_in_turn(const struct lr_gang *g, uint32_t set)
{
	for (uint32_t i = 0; i < g->n_members && g->late; i++) {
		uint32_t others = 0;

		for (uint32_t j = 0; j < g->n_members; j++)
			others += j != i && g->turn[j] <= g->turn[i];
		if (others < g->min && g->turn[i] != LR_NONE && !(set >> i & 1))
			return false;
	}
	return true;
}

uint32_t lr_ranks(const struct lr_gang *g)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->n_members; i++)
		n += g->member[i].nodes ?
			     g->member[i].nodes * g->member[i].tasks :
			     g->member[i].tasks;
	return n;
}

static void print_member(const struct lr_cluster *c, const struct lr_member *m,
			 FILE *out)
{
	uint32_t nodes = m->upper ? m->upper : m->nodes;
	char range[16] = "";

	fprintf(out, " '");
	if (m->upper)
		snprintf(range, sizeof(range), "%u-",
			 m->least ? m->least : m->nodes);
	if (!m->nodes)
		fprintf(out, "-n%u -c%u --mem-per-cpu=%u", m->tasks, m->cpus,
			m->mem);
	else if (m->whole)
		fprintf(out, "-N%s%u --exclusive --mem=%u", range, nodes,
			m->mem);
	else
		fprintf(out, "-N%s%u --ntasks-per-node=%u -c%u --mem=%u", range,
			nodes, m->tasks, m->cpus, m->mem);
	if (m->gpus)
		fprintf(out, " --gres=gpu:%s%u",
			m->gpu_type == 'a' ? "a:" :
			m->gpu_type        ? "b:" :
					     "",
			m->gpus);
	if (m->gpu_cpus)
		fprintf(out, " --cpus-per-gpu=%u", m->cpus);
	if (m->shares)
		fprintf(out, " -s");
	if (m->part)
		fprintf(out, " -p p%u", m->part);
	if (m->feature != LR_NONE)
		fprintf(out, " -C f%u", m->feature);
	for (uint32_t i = 0; i < c->n_nodes; i++) {
		if (m->excluded >> i & 1)
			fprintf(out, " -x %s", c->node[i].name);
		if (m->required >> i & 1)
			fprintf(out, " -w %s", c->node[i].name);
	}
	fprintf(out, "'");
}

void lr_print_gang(const struct lr_cluster *c, const struct lr_gang *g,
		   FILE *out)
{
	static const char *const policies[LR_POLICIES] = {
		"", "require:", "spread:", "prefer:", "exclusive:", "auto"
	};

	fprintf(out, "gang %u:%s%s%s", g->number, g->array ? " array" : "",
		g->batch ? " batch" : "", g->nonstrict ? " nonstrict" : "");
	for (uint32_t i = 0; i < g->n_groups; i++)
		fprintf(out, " %c=%u*%u", 'a' + i, g->size[i], g->heavy[i]);
	if (g->sorted)
		fprintf(out, " rank-order=ring");
	if (g->late)
		fprintf(out, " late");
	if (g->min < g->n_members)
		fprintf(out, " min=%u", g->min);
	if (g->policy == LR_AUTO)
		fprintf(out, " auto run=%u share=%u", g->run, g->share);
	else if (g->policy)
		fprintf(out, " %s%s%s",
			g->patient ? policies[LR_PREFER] : policies[g->policy],
			lr_level_name(g->level), g->patient ? "@60" : "");
	for (uint32_t i = 0; i < g->n_members; i++) {
		if (g->split && i == g->split)
			fprintf(out, " and");
		print_member(c, &g->member[i], out);
		if (g->rank[i] != LR_NONE)
			fprintf(out, "@%u", g->rank[i]);
		if (g->turn[i] != LR_NONE)
			fprintf(out, "^%u", g->turn[i]);
	}
	fprintf(out, "\n");
}
