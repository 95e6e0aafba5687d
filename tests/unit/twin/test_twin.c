/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_twin.c - replays, and a judge that shares no code with them
 *
 * The judge knows the queue, the nodes and what became of the jobs, and nothing
 * else. It walks over all starts and ends in the order of time.
 */

#include "../unit.h"
#include "../core/fail_alloc.h"
#include "../core/fuzz.h"
#include "core/fabric/fabric.h"
#include "twin/twin.h"

#define TWIN_TEST(name) TEST_WITH(name, setup, teardown)

#define NODES 32
#define CPUS 8
#define GPUS 4
#define MEMORY 1000
#define JOBS_MAX 400

static struct sgang_site_node nodes[NODES];
static const char *names[NODES];
static char name_text[NODES][8];
static struct sgang_site_partition partitions[2];
static struct sgang_site site;
static struct sgang_fabric *fabric;
static struct sgang_trace_job jobs[JOBS_MAX];
static struct sgang_trace trace;
static struct sgang_conf conf;

static int setup(void **state)
{
	static const char tree[] = "SwitchName=l0 Nodes=n[00-07]\n"
				   "SwitchName=l1 Nodes=n[08-15]\n"
				   "SwitchName=l2 Nodes=n[16-23]\n"
				   "SwitchName=l3 Nodes=n[24-31]\n"
				   "SwitchName=top Switches=l[0-3]\n";
	struct sgang_error err = { "" };

	for (uint32_t n = 0; n < NODES; n++) {
		snprintf(name_text[n], sizeof(name_text[n]), "n%02u", n);
		names[n] = name_text[n];
		nodes[n] = (struct sgang_site_node){ names[n], CPUS, GPUS,
						     MEMORY, 1 };
	}
	fabric = sgang_fabric_parse(tree, "tree", names, NODES, &err);
	if (!fabric)
		fail_msg("%s", err.text);
	memset(&site, 0, sizeof(site));
	for (int p = 0; p < 2; p++) {
		partitions[p] = (struct sgang_site_partition){
			.name = p ? "high" : "low",
			.nodes = sgang_nodeset_create(NODES),
			.tier = (uint16_t)(1 + p),
			.max_time = UINT32_MAX,
			.default_time = UINT32_MAX,
			.preempted = true,
			.requeues = true,
			.by_default = !p,
		};
		sgang_nodeset_fill(partitions[p].nodes);
	}
	site.nodes = nodes;
	site.n_nodes = NODES;
	site.names = names;
	site.partitions = partitions;
	site.n_partitions = 2;
	sgang_site_default(&site.scheduling);
	site.scheduling.counts_memory = true;
	sgang_conf_default(&conf);
	memset(&trace, 0, sizeof(trace));
	trace.jobs = jobs;
	return 0;
}

static int teardown(void **state)
{
	sgang_fabric_destroy(fabric);
	for (int p = 0; p < 2; p++)
		sgang_nodeset_destroy(partitions[p].nodes);
	sgang_conf_free(&conf);
	return 0;
}

/* ---- queues ---- */

static struct sgang_trace_job *add(int64_t submit, uint32_t n, uint32_t run,
				   const char *gang)
{
	struct sgang_trace_job *j = &jobs[trace.n_jobs++];

	*j = (struct sgang_trace_job){
		.id = trace.n_jobs,
		.submit = submit,
		.run = run,
		.limit = run,
		.nodes = n,
		.cpus = CPUS,
		.whole = true,
		.ranks = n,
		.user = "alice",
		.account = "",
		.partition = "",
		.qos = "",
		.name = "",
		.gang = gang,
		.options = "",
	};
	return j;
}

static char gang_names[JOBS_MAX][12];

/* What a gang of that many nodes, if it has all members, may ask for and always
 * gets on an empty cluster. */
static const char *random_options(uint64_t *seed, uint32_t members,
				  uint32_t size)
{
	switch (fuzz_below(seed, 5)) {
	case 0:
		return "gang_mode=nonstrict";
	case 1:
		return "gang_topology=prefer:leaf";
	case 2:
		return members * size <= 8 ? "gang_topology=require:leaf" : "";
	case 3:
		return members <= 4 ? "gang_topology=spread:leaf" : "";
	default:
		return "";
	}
}

/* Jobs of all kinds; some that can never run. */
static void random_queue(uint64_t *seed, size_t n)
{
	int64_t now = 1000000;
	uint32_t gang = 0;

	trace.n_jobs = 0;
	while (trace.n_jobs < n) {
		uint32_t members = fuzz_below(seed, 3) ?
					   1 :
					   1 + (uint32_t)fuzz_below(seed, 6);
		uint32_t size = 1 + (uint32_t)fuzz_below(seed,
							 members > 1 ? 4 : 12);
		uint32_t run = 1 + (uint32_t)fuzz_below(seed, 4000);
		const char *name = "", *options = "";
		bool whole = fuzz_below(seed, 2);

		if (members > 1) {
			snprintf(gang_names[gang], sizeof(gang_names[0]), "g%u",
				 gang);
			name = gang_names[gang++];
			options = random_options(seed, members, size);
		}
		for (uint32_t m = 0; m < members && trace.n_jobs < n; m++) {
			struct sgang_trace_job *j = add(now, size, run, name);

			j->options = options;
			j->whole = whole;
			j->cpus = 1 + (uint32_t)fuzz_below(seed, CPUS);
			j->gpus = fuzz_below(seed, GPUS + 1);
			j->memory = fuzz_below(seed, MEMORY);
			j->limit = fuzz_below(seed, 9) ?
					   run * (1 + fuzz_below(seed, 3)) :
					   1 + run / 2;
			j->partition = fuzz_below(seed, 5) ? "low" : "high";
			if (!fuzz_below(seed, 60))
				j->nodes = NODES + 1;
			now += fuzz_below(seed, 3) ? 0 : fuzz_below(seed, 300);
		}
		now += fuzz_below(seed, 400);
	}
}

static void replay(bool stock, struct sgang_outcome *o)
{
	const struct sgang_twin_terms terms = {
		.trace = &trace,
		.site = &site,
		.fabric = fabric,
		.conf = stock ? NULL : &conf,
	};
	struct sgang_error err = { "" };

	if (sgang_twin_run(&terms, o, &err))
		fail_msg("%s", err.text);
	assert_int_equal(o->n_jobs, trace.n_jobs);
}

static void assert_all(const struct sgang_outcome *o, uint8_t how)
{
	for (size_t i = 0; i < o->n_jobs; i++)
		assert_int_equal(o->jobs[i].how, how);
}

/* ---- the judge ---- */

/* Does job b have nodes while job a gets its own? Then they share none, or both
 * fit. */
static bool beside(const struct sgang_outcome_job *a,
		   const struct sgang_outcome_job *b)
{
	return b->n_nodes && b->start <= a->start &&
	       (!b->end || b->end > a->start);
}

static bool has_node(const struct sgang_outcome *o,
		     const struct sgang_outcome_job *j, uint32_t node)
{
	for (uint32_t i = 0; i < j->n_nodes; i++) {
		if (o->nodes[j->first + i] == node)
			return true;
	}
	return false;
}

/* At the start of job a no node of its own is overbooked. */
static void judge_node(const struct sgang_outcome *o, size_t a, uint32_t node)
{
	uint64_t cpus = 0, gpus = 0, memory = 0, n = 0;
	bool whole = false;

	for (size_t b = 0; b < o->n_jobs; b++) {
		const struct sgang_trace_job *t = &trace.jobs[b];

		if (!beside(&o->jobs[a], &o->jobs[b]) ||
		    !has_node(o, &o->jobs[b], node))
			continue;
		n++;
		whole |= t->whole;
		cpus += t->cpus;
		gpus += t->gpus;
		memory += t->memory;
	}
	if ((whole && n > 1) || cpus > CPUS || gpus > GPUS || memory > MEMORY)
		fail_msg("node %u is overbooked at the start of job %zu", node,
			 a);
}

/* Then the others wait for it for ever. */
static bool any_refused(const struct sgang_outcome *o, uint32_t gang)
{
	for (size_t i = 0; i < o->n_jobs; i++) {
		if (o->jobs[i].gang == gang &&
		    o->jobs[i].how == SGANG_OUTCOME_REFUSED)
			return true;
	}
	return false;
}

static void judge_job(const struct sgang_outcome *o, size_t i)
{
	const struct sgang_trace_job *t = &trace.jobs[i];
	const struct sgang_outcome_job *j = &o->jobs[i];

	switch (j->how) {
	case SGANG_OUTCOME_REFUSED:
		assert_true(t->nodes > NODES);
		assert_int_equal(j->start, 0);
		return;
	case SGANG_OUTCOME_COMPLETED:
		assert_int_equal(j->end - j->work, t->run);
		assert_true(t->run <= t->limit);
		break;
	case SGANG_OUTCOME_TIMEOUT:
		assert_int_equal(j->end - j->work, t->limit);
		break;
	case SGANG_OUTCOME_CANCELLED:
		return;
	case SGANG_OUTCOME_WAITS:
		assert_true(j->gang != SGANG_OUTCOME_NONE &&
			    any_refused(o, j->gang));
		return;
	default:
		fail_msg("job %zu of %zu: how %u", i, o->n_jobs, j->how);
	}
	assert_true(j->start >= t->submit);
	assert_int_equal(j->n_nodes, t->nodes);
	for (uint32_t k = 0; k < j->n_nodes; k++) {
		uint32_t node = o->nodes[j->first + k];

		assert_true(node < NODES);
		for (uint32_t l = 0; l < k; l++)
			assert_true(o->nodes[j->first + l] != node);
		judge_node(o, i, node);
	}
}

static bool is_asked(const struct sgang_outcome_gang *g, const char *option)
{
	return strstr(trace.jobs[g->first_job].options, option) != NULL;
}

static uint32_t leaf_of(const struct sgang_outcome *o,
			const struct sgang_outcome_job *j, uint32_t i)
{
	return o->nodes[j->first + i] / 8;
}

/* Members are in one leaf each; which one a gang requires is that of all, and
 * with `spread` of no other. */
static void judge_levels(const struct sgang_outcome *o, uint32_t gang)
{
	const struct sgang_outcome_gang *g = &o->gangs[gang];
	bool together = is_asked(g, "require:leaf");
	uint32_t members[4] = { 0 }, used = 0;

	if (!together && !is_asked(g, "spread:leaf"))
		return;
	for (size_t i = 0; i < o->n_jobs; i++) {
		const struct sgang_outcome_job *j = &o->jobs[i];

		if (j->gang != gang || !j->n_nodes || j->starts > 1)
			continue;
		members[leaf_of(o, j, 0)]++;
		for (uint32_t k = 1; k < j->n_nodes; k++)
			assert_int_equal(leaf_of(o, j, k), leaf_of(o, j, 0));
	}
	for (uint32_t leaf = 0; leaf < 4; leaf++) {
		used += members[leaf] > 0;
		assert_true(together || members[leaf] <= 1);
	}
	assert_true(!together || used <= 1);
}

/* 8.1: all members that the gang needs get their nodes in one second, and work
 * from then on. With gang_mode=nonstrict they may have them before. */
static void judge_gang(const struct sgang_outcome *o, uint32_t gang)
{
	const struct sgang_outcome_gang *g = &o->gangs[gang];
	bool strict = !is_asked(g, "nonstrict");
	uint32_t together = 0;

	for (size_t i = 0; i < o->n_jobs; i++) {
		const struct sgang_outcome_job *j = &o->jobs[i];

		if (j->gang != gang || !j->start)
			continue;
		if (strict)
			assert_int_equal(j->work, j->start);
		together += j->work == g->start || j->starts > 1;
	}
	if (!g->start && any_refused(o, gang))
		return;
	assert_true(g->start >= g->complete);
	if (together < g->min_member)
		fail_msg("gang %u: %u of %u started together", gang, together,
			 g->min_member);
	assert_true(g->ring_cost >= g->best_cost || !g->proved);
	judge_levels(o, gang);
}

/* SGANG_TWIN_SEEDS queues; more of them find more. */
TWIN_TEST(test_random_queues)
{
	const char *seeds = getenv("SGANG_TWIN_SEEDS");
	uint32_t n = seeds ? (uint32_t)atoi(seeds) : 12;

	for (uint32_t seed = 1; seed <= n; seed++) {
		struct sgang_outcome o;
		uint64_t s = seed;

		random_queue(&s, 60 + fuzz_below(&s, 140));
		site.scheduling.preempts = seed % 4 == 0;
		site.scheduling.multifactor = seed % 3 == 0;
		site.scheduling.weight_age = 1000;
		site.scheduling.weight_fairshare = 1000;
		conf.place_all = seed % 2;
		replay(false, &o);
		for (size_t i = 0; i < o.n_jobs; i++)
			judge_job(&o, i);
		for (uint32_t g = 0; g < o.n_gangs; g++)
			judge_gang(&o, g);
		assert_true(site.scheduling.preempts || !o.victims);
		sgang_outcome_clear(&o);
	}
}

/* 8.3: the same queue gives the same outcome. */
TWIN_TEST(test_same_again)
{
	struct sgang_outcome a, b;
	uint64_t seed = 7;

	random_queue(&seed, 200);
	replay(false, &a);
	replay(false, &b);
	assert_memory_equal(a.jobs, b.jobs, a.n_jobs * sizeof(*a.jobs));
	assert_int_equal(a.n_nodes, b.n_nodes);
	assert_memory_equal(a.nodes, b.nodes, a.n_nodes * sizeof(*a.nodes));
	assert_memory_equal(a.gangs, b.gangs, a.n_gangs * sizeof(*a.gangs));
	sgang_outcome_clear(&a);
	sgang_outcome_clear(&b);
}

/* Two gangs of two members that need half of the cluster each. One by one in
 * the order a b a b two members of different gangs have all nodes. */
TWIN_TEST(test_stock_deadlock)
{
	struct sgang_outcome o;

	add(1000, 16, 100, "a");
	add(1000, 16, 100, "b");
	add(1001, 16, 100, "a");
	add(1001, 16, 100, "b");
	/* the first two sit there until their limit, and so do the others; also
	 * with Gangs=no */
	for (int stock = 0; stock < 2; stock++) {
		conf.gangs = stock;
		replay(stock, &o);
		assert_all(&o, SGANG_OUTCOME_TIMEOUT);
		assert_int_equal(o.gangs[0].start, 0);
		assert_int_equal(o.idle_work, 4 * 100 * 16);
		sgang_outcome_clear(&o);
	}
	replay(false, &o);
	assert_all(&o, SGANG_OUTCOME_COMPLETED);
	assert_int_equal(o.gangs[0].start, 1001);
	assert_int_equal(o.gangs[1].start, 1101);
	assert_int_equal(o.idle_work, 0);
	sgang_outcome_clear(&o);
}

/* A small job goes before a large one that it does not delay, and a longer one
 * does not. */
TWIN_TEST(test_backfill)
{
	struct sgang_outcome o;

	add(1000, 20, 600, "");
	add(1010, 32, 600, "");
	add(1020, 12, 3600, "");
	add(1030, 12, 300, "");
	for (int stock = 0; stock < 2; stock++) {
		replay(stock, &o);
		assert_int_equal(o.jobs[0].start, 1000);
		assert_int_equal(o.jobs[1].start, 1600);
		assert_int_equal(o.jobs[2].start, 2200);
		assert_in_range(o.jobs[3].start, 1030,
				1030 + site.scheduling.bf_interval);
		sgang_outcome_clear(&o);
	}
}

/* A job of half of the CPUs of its nodes. */
static void add_half(int64_t submit, uint32_t n, uint32_t run)
{
	struct sgang_trace_job *j = add(submit, n, run, "");

	j->whole = false;
	j->cpus = CPUS / 2;
}

/* A setting with a value, and when two small jobs start: before A ends ("<"),
 * or not (">"), and both together ("=") or not. */
struct limit {
	const char *name;
	uint32_t *number; /* NULL: as it is */
	uint32_t value;
	const char *starts; /* "<<=" */
};

static void try_limit(const struct limit *limit, void (*fill)(void),
		      size_t small)
{
	uint32_t before = limit->number ? *limit->number : 0;
	struct sgang_outcome o;
	char starts[4] = "";
	int64_t at[2];

	if (limit->number)
		*limit->number = limit->value;
	trace.n_jobs = 0;
	fill();
	replay(true, &o);
	for (size_t i = 0; i < 2; i++) {
		at[i] = o.jobs[small + i].start;
		starts[i] = at[i] < 1600 ? '<' : '>';
	}
	starts[2] = at[0] == at[1] ? '=' : '!';
	if (strncmp(starts, limit->starts, strlen(limit->starts)))
		fail_msg("%s=%u: they start at %lld and %lld", limit->name,
			 limit->value, (long long)at[0], (long long)at[1]);
	sgang_outcome_clear(&o);
	if (limit->number)
		*limit->number = before;
}

/* Who may reserve. A has half of each node, B reserves eight whole ones behind
 * A, C all of them behind B: D and E would begin beside A, on half a node, and
 * end while C runs. */
static void fill_behind(void)
{
	add_half(1000, 32, 600);
	add(1010, 8, 600, "");
	add(1020, 32, 600, "");
	add_half(1030, 1, 1500);
	add_half(1030, 1, 1500);
}

TWIN_TEST(test_backfill_limits)
{
	uint32_t *age = &site.scheduling.bf_min_age_reserve;
	uint32_t *count = &site.scheduling.bf_job_part_count_reserve;
	const struct limit limits[] = {
		{ "none", NULL, 0, ">>" },
		{ "bf_min_age_reserve", age, 100000, "<<=" },
		{ "bf_job_part_count_reserve", count, 1, "<<=" },
		{ "bf_job_part_count_reserve", count, 2, ">>" },
	};

	for (size_t i = 0; i < COUNT(limits); i++)
		try_limit(&limits[i], fill_behind, 3);
}

/* How many jobs a scheduler looks at, and starts, in one go. B waits for all
 * nodes, and the small ones behind it could start at once beside A. */
static void fill_beside(void)
{
	add(1000, 20, 600, "");
	add(1010, 32, 600, "");
	add(1030, 4, 300, "");
	add(1030, 4, 300, "");
}

TWIN_TEST(test_scheduler_limits)
{
	struct sgang_site_scheduling *rules = &site.scheduling;
	const struct limit limits[] = {
		{ "none", NULL, 0, "<<=" },
		{ "bf_max_job_start", &rules->bf_max_job_start, 1, "<<!" },
		{ "bf_max_job_part", &rules->bf_max_job_part, 1, ">>=" },
		{ "bf_max_job_part", &rules->bf_max_job_part, 3, "<<=" },
		{ "bf_max_job_user", &rules->bf_max_job_user, 1, ">>=" },
		{ "bf_max_job_user", &rules->bf_max_job_user, 3, "<<=" },
	};

	for (size_t i = 0; i < COUNT(limits); i++)
		try_limit(&limits[i], fill_beside, 2);
}

/* The main scheduler alone; all three fit. */
TWIN_TEST(test_main_scheduler_limits)
{
	uint32_t *const numbers[] = { NULL, &site.scheduling.max_start,
				      &site.scheduling.part_depth };
	struct sgang_outcome o;

	site.scheduling.backfill = false;
	for (size_t i = 0; i < COUNT(numbers); i++) {
		if (numbers[i])
			*numbers[i] = 2;
		trace.n_jobs = 0;
		for (int k = 0; k < 3; k++)
			add(1000, 4, 300, "");
		replay(true, &o);
		assert_int_equal(o.jobs[1].start, o.jobs[0].start);
		assert_int_equal(o.jobs[2].start == o.jobs[0].start, !i);
		sgang_outcome_clear(&o);
		if (numbers[i])
			*numbers[i] = 0;
	}
	site.scheduling.backfill = true;
}

/* The priorities of the queue, which priority/basic never looks at again. */
TWIN_TEST(test_priorities)
{
	struct sgang_twin_terms terms = {
		.trace = &trace,
		.site = &site,
		.fabric = fabric,
	};
	struct sgang_error err = { "" };
	struct sgang_outcome o;

	site.scheduling.multifactor = false;
	add(1000, 32, 600, "")->priority = 10;
	add(1010, 32, 600, "")->priority = 10;
	add(1020, 32, 600, "")->priority = 20;
	for (int asked = 0; asked < 2; asked++) {
		terms.priorities = asked;
		assert_int_equal(sgang_twin_run(&terms, &o, &err), 0);
		assert_int_equal(o.jobs[0].start, 1000);
		assert_int_equal(o.jobs[1].start, asked ? 2200 : 1600);
		assert_int_equal(o.jobs[2].start, asked ? 1600 : 2200);
		sgang_outcome_clear(&o);
	}
}

/* 8.1: a gang is placed in one leaf, where stock Slurm's members lie where there
 * is room at the moment. */
TWIN_TEST(test_placed)
{
	struct sgang_outcome o;

	for (int i = 0; i < 4; i++)
		add(1000, 5, 5000, ""); /* leaves three nodes in each leaf */
	for (int i = 0; i < 4; i++)
		add(1001, 1, 100, "g");
	replay(false, &o);
	assert_int_equal(o.gangs[0].start, 1001);
	assert_int_equal(o.gangs[0].leaves, 2);
	assert_true(o.gangs[0].proved);
	assert_int_equal(o.gangs[0].cross_links, 2);
	sgang_outcome_clear(&o);
}

/* Members of the tier above take the nodes of jobs below, which wait again. */
TWIN_TEST(test_preempts)
{
	struct sgang_outcome o;

	site.scheduling.preempts = true;
	for (int i = 0; i < 4; i++)
		add(1000, 8, 5000, "");
	for (int i = 0; i < 2; i++)
		add(1500, 8, 100, "g")->partition = "high";
	replay(false, &o);
	assert_int_equal(o.victims, 2);
	assert_in_range(o.gangs[0].start, 1500, 1531);
	assert_int_equal(o.lost, 2 * 8 * (o.gangs[0].start - 1000));
	assert_all(&o, SGANG_OUTCOME_COMPLETED);
	sgang_outcome_clear(&o);
}

/* What is left of a gang after others have ended is no gang that could start
 * together again: it waits by itself. */
TWIN_TEST(test_preempts_rest)
{
	struct sgang_outcome o;

	site.scheduling.preempts = true;
	add(1000, 8, 100, "g");
	add(1000, 8, 5000, "g");
	for (int i = 0; i < 2; i++)
		add(1500, 16, 100, "h")->partition = "high";
	replay(false, &o);
	assert_int_equal(o.victims, 1);
	assert_in_range(o.gangs[1].start, 1500, 1531);
	assert_all(&o, SGANG_OUTCOME_COMPLETED);
	sgang_outcome_clear(&o);
}

/* ---- 8.5: what is free while jobs wait ---- */

static bool is_there(const struct sgang_outcome_job *j, int64_t time)
{
	return j->start && j->start <= time && (!j->end || j->end > time);
}

/* Those of the queue that the judge has let run, and where. */
static bool runs[JOBS_MAX][NODES];

static bool room_beside(const struct sgang_outcome *o, size_t i, uint32_t node,
			int64_t time)
{
	const struct sgang_trace_job *t = &trace.jobs[i];
	uint64_t cpus = t->cpus, gpus = t->gpus, memory = t->memory, n = 0;
	bool whole = t->whole;

	for (size_t b = 0; b < o->n_jobs; b++) {
		if (!runs[b][node] && !(is_there(&o->jobs[b], time) &&
					has_node(o, &o->jobs[b], node)))
			continue;
		n++;
		whole |= trace.jobs[b].whole;
		cpus += trace.jobs[b].cpus;
		gpus += trace.jobs[b].gpus;
		memory += trace.jobs[b].memory;
	}
	return !(whole && n) && cpus <= CPUS && gpus <= GPUS &&
	       memory <= MEMORY;
}

static double largest_share(const struct sgang_trace_job *t)
{
	double cpus = (double)t->cpus / CPUS, gpus = (double)t->gpus / GPUS;
	double memory = (double)t->memory / MEMORY;

	if (t->whole)
		return 1;
	cpus = gpus > cpus ? gpus : cpus;
	return memory > cpus ? memory : cpus;
}

/* In nodes, at that time: the job runs where it finds room first. */
static double let_run(const struct sgang_outcome *o, size_t i, int64_t time)
{
	const struct sgang_trace_job *t = &trace.jobs[i];
	uint32_t found[NODES], n = 0;

	for (uint32_t node = 0; node < NODES; node++)
		if (room_beside(o, i, node, time))
			found[n++] = node;
	if (n < t->nodes)
		return 0;
	for (uint32_t k = 0; k < t->nodes; k++)
		runs[i][found[k]] = true;
	return t->nodes * largest_share(t);
}

static double unused_at(const struct sgang_outcome *o, int64_t time)
{
	double sum = 0;

	memset(runs, 0, sizeof(runs));
	for (int high = 1; high >= 0; high--) {
		for (size_t i = 0; i < o->n_jobs; i++) {
			const struct sgang_outcome_job *j = &o->jobs[i];
			bool first = !strcmp(trace.jobs[i].partition, "high");

			if (first == high && !trace.jobs[i].gang[0] &&
			    trace.jobs[i].submit <= time &&
			    j->how != SGANG_OUTCOME_REFUSED && j->start > time)
				sum += let_run(o, i, time);
		}
	}
	return sum;
}

/* The next time at which one is submitted, starts or ends. */
static int64_t next_change(const struct sgang_outcome *o, int64_t time)
{
	int64_t next = INT64_MAX;

	for (size_t i = 0; i < o->n_jobs; i++) {
		const int64_t times[] = { trace.jobs[i].submit,
					  o->jobs[i].start, o->jobs[i].end };

		for (size_t k = 0; k < COUNT(times); k++)
			if (times[k] > time && times[k] < next)
				next = times[k];
	}
	return next;
}

/* Without backfill nothing is planned. */
TWIN_TEST(test_random_unused)
{
	site.scheduling.backfill = false;
	for (uint64_t s = 1; s <= 6; s++) {
		struct sgang_outcome o;
		uint64_t seed = s;
		double want = 0;

		random_queue(&seed, 120);
		replay(true, &o);
		for (int64_t at = o.from, next; at < o.until; at = next) {
			next = next_change(&o, at);
			want += unused_at(&o, at) * (double)(next - at);
		}
		assert_true(want > 10000);
		if (o.unused < want * 0.999999 || o.unused > want * 1.000001)
			fail_msg("queue %d: %.0f, expected %.0f", (int)s,
				 o.unused, want);
		sgang_outcome_clear(&o);
	}
}

/* What is left beside a large job that waits is not free for one that would
 * delay it; the small job could run from its submission on. Backfill plans the
 * large one, or the conductor keeps the nodes of a gang of which backfill may
 * plan one member. */
TWIN_TEST(test_unused)
{
	const struct {
		uint32_t members, size, reserve;
		bool gang, stock;
	} trials[] = {
		{ 1, 32, 0, false, false }, { 1, 32, 0, false, true },
		{ 2, 16, 0, true, false },  { 2, 16, 0, true, true },
		{ 4, 8, 1, true, false },
	};
	struct sgang_outcome o;

	for (size_t i = 0; i < COUNT(trials); i++) {
		int64_t small;

		site.scheduling.bf_job_part_count_reserve = trials[i].reserve;
		trace.n_jobs = 0;
		add(1000, 20, 600, "");
		for (uint32_t m = 0; m < trials[i].members; m++)
			add(1010, trials[i].size, 600,
			    trials[i].gang ? "large" : "");
		add(1020, 2, 3600, "");
		add(1030, 12, 300, "");
		replay(trials[i].stock, &o);
		small = o.jobs[trace.n_jobs - 1].start;
		assert_in_range(small, 1031, 1300);
		if (o.unused != 12.0 * (double)(small - 1030))
			fail_msg("trial %zu: %.0f, the small one starts at "
				 "%" PRId64,
				 i, o.unused, small);
		sgang_outcome_clear(&o);
	}
}

TWIN_TEST(test_empty)
{
	struct sgang_outcome o;

	replay(false, &o);
	assert_int_equal(o.until, o.from);
	sgang_outcome_clear(&o);
}

/* Wherever memory runs out, the replay says so or goes on as if it had not: the
 * conductor tries again. Nothing is lost. */
TWIN_TEST(test_no_memory)
{
	const struct sgang_twin_terms terms = {
		.trace = &trace,
		.site = &site,
		.fabric = fabric,
		.conf = &conf,
	};
	unsigned long failed = 0;
	uint64_t seed = 3;

	random_queue(&seed, 12);
	site.scheduling.preempts = true;
	for (unsigned long n = 1;; n += 1 + n / 50) {
		struct sgang_error err = { "" };
		struct sgang_outcome o;
		int rc;

		fail_at(n);
		rc = sgang_twin_run(&terms, &o, &err);
		if (!fail_happened) {
			assert_int_equal(rc, 0);
			sgang_outcome_clear(&o);
			break;
		}
		fail_at(0);
		failed += rc < 0;
		if (rc < 0)
			assert_string_equal(err.text, "out of memory");
		else
			sgang_outcome_clear(&o);
	}
	assert_true(failed > 20);
	fail_at(0);
}

TEST_MAIN(NULL, NULL)
