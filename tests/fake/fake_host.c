/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fake_host.c - a toy cluster behind struct sgang_host */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/gang/spec.h"
#include "fake_host.h"

/* Who stands in for another has its parameters, and uses few of them. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define LAUNCHES 65536 /* ids whose launches are counted */

struct node {
	uint32_t used, memory_used, gpus_used;
	uint32_t used_in[FAKE_ISLANDS];
};

/* What slurmctld keeps in memory and saves. */
struct state {
	struct fake_job jobs[FAKE_JOBS];
	size_t n_jobs; /* no record behind these was ever used */
	struct node nodes[FAKE_NODES];
	uint64_t down, unregistered, draining; /* sets of nodes */
	uint32_t licences_used;
};

static struct state live, saved;
/* What the nodes were told last, and how often they were told anything. */
static struct {
	char text[4096];
	uint32_t nodes, times;
} told;
static struct node freed[FAKE_NODES]; /* live.nodes while jobs are left out */
static struct fake_job nobody;        /* stands in for a wrong handle */

/* What outlives slurmctld, and what the tests ask for. */
static struct {
	uint32_t n_nodes, cpus, memory, licences;
	const struct sgang_nodeset *only; /* islands, in commit() */
	const uint32_t *most;             /* CPUs by node, in commit() */
	uint32_t next_id;
	uint64_t next_serial;
	int64_t now;
	uint64_t clock, stamp, submitted;
	uint64_t n_freed, freed_at[FAKE_NODES];
	struct set_aside {
		uint32_t id;
		uint64_t nodes;
		int64_t from, until;
	} aside; /* the only one */
	uint8_t launches[LAUNCHES];
	bool released[LAUNCHES]; /* since its last commit() */

	bool locked, dead;
	uintptr_t generation; /* of the lock */
	uint32_t save_dies_in;
	bool save_is_written;
	uint64_t undone_serial; /* last in this lock section */
	char undone_gang[100];
	bool preempts; /* PreemptType is set */
	bool left_out; /* jobs are: leave_out() */
	bool first;    /* what Slurm tries first is tried */
	void (*on_ended)(struct sgang_job *job);
	char extra[FAKE_NODES][256];
	uint64_t node_stamp;

	char fault[256];
	char trace[16384];
	size_t trace_len;
} world;

static char names[FAKE_NODES][16];
static const char *name_list[FAKE_NODES];

struct fake_counts fake_counts;
struct fake_world fake_world;

struct fake_job *fake_next(const struct fake_job *j)
{
	size_t i = j ? (size_t)(j - live.jobs) + 1 : 0;

	while (i < live.n_jobs && !live.jobs[i].live)
		i++;
	return i < live.n_jobs ? &live.jobs[i] : NULL;
}

/* ---- judging ---- */

static void fault(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void fault(const char *fmt, ...)
{
	va_list args;

	if (world.fault[0])
		return;
	va_start(args, fmt);
	vsnprintf(world.fault, sizeof(world.fault), fmt, args);
	va_end(args);
}

const char *fake_fault(void)
{
	return world.fault[0] ? world.fault : NULL;
}

static void trace(const char *what, uint32_t id)
{
	char word[48];
	size_t len;

	if (id)
		snprintf(word, sizeof(word), "%s%s %u",
			 world.trace_len ? ", " : "", what, id);
	else
		snprintf(word, sizeof(word), "%s%s",
			 world.trace_len ? ", " : "", what);
	len = strlen(word);
	if (world.trace_len + len >= sizeof(world.trace))
		return;
	strcpy(world.trace + world.trace_len, word);
	world.trace_len += len;
}

const char *fake_trace(void)
{
	return world.trace;
}

void fake_trace_reset(void)
{
	world.trace_len = 0;
	world.trace[0] = '\0';
}

static void need_lock(const char *call)
{
	if (world.dead)
		fault("%s() after lock() said that slurmctld ends", call);
	else if (!world.locked)
		fault("%s() without the lock", call);
}

/* A handle carries the number of its lock section. */
#define SLOT_BITS 12

static struct sgang_job *handle(const struct fake_job *j)
{
	uintptr_t slot = (uintptr_t)(j - live.jobs) + 1;

	return (struct sgang_job *)(world.generation << SLOT_BITS | slot);
}

static struct fake_job *job_of(struct sgang_job *job, const char *call)
{
	uintptr_t value = (uintptr_t)job;
	uintptr_t slot = value & ((1u << SLOT_BITS) - 1);

	need_lock(call);
	if (!slot || slot > FAKE_JOBS ||
	    value >> SLOT_BITS != world.generation ||
	    !live.jobs[slot - 1].live) {
		fault("%s() with a handle that is not valid", call);
		return &nobody;
	}
	return &live.jobs[slot - 1];
}

/* Do the nodes' counters agree with the jobs, and is nothing overbooked? */
static void audit(void)
{
	uint32_t used[FAKE_NODES] = { 0 }, memory[FAKE_NODES] = { 0 };
	uint32_t licences = 0;

	for (const struct fake_job *j = fake_next(NULL); j; j = fake_next(j)) {
		bool has = j->state == FAKE_HELD || j->state == FAKE_RUNNING;

		if (has != (j->nodes != 0))
			fault("job %u has nodes or not, against its state",
			      j->id);
		if (has)
			licences += j->rq.licences;
		for (uint32_t n = 0; has && n < world.n_nodes; n++) {
			if (!(j->nodes >> n & 1))
				continue;
			used[n] += j->cpus_on[n];
			memory[n] += j->rq.memory;
		}
	}
	for (uint32_t n = 0; n < world.n_nodes; n++) {
		const struct node *node = &live.nodes[n];

		if (used[n] != node->used || memory[n] != node->memory_used)
			fault("n%u counts %u CPUs, its jobs have %u", n,
			      node->used, used[n]);
		if (used[n] > world.cpus || memory[n] > world.memory ||
		    node->gpus_used > fake_world.gpus)
			fault("n%u is overbooked", n);
	}
	if (licences != live.licences_used || licences > world.licences)
		fault("%u licences used, %u counted", licences,
		      live.licences_used);
}

/* ---- resources ---- */

/* What is free there now, as all are told that ask. */
static const struct node *node_now(uint32_t n)
{
	return world.left_out ? &freed[n] : &live.nodes[n];
}

static bool is_whole(const struct fake_job *j)
{
	return j->rq.nodes && !j->rq.cpus;
}

/* What stays together of a job on any number of nodes: a task. */
static uint32_t task_cpus(const struct fake_job *j)
{
	return (j->rq.total_cpus % j->rq.ranks) ?
		       1 :
		       j->rq.total_cpus / j->rq.ranks;
}

/* The CPUs of one node that the job cannot do without. */
static uint32_t cpus_each(const struct fake_job *j)
{
	if (is_whole(j))
		return world.cpus;
	return j->rq.nodes ? j->rq.cpus : task_cpus(j);
}

/* How often the job's share of one node fits there. */
static uint32_t pieces(const struct fake_job *j, uint32_t n, bool empty)
{
	const struct node *node = node_now(n);
	uint32_t cpus = world.cpus - (empty ? 0 : node->used);
	uint32_t memory = world.memory - (empty ? 0 : node->memory_used);
	uint32_t gpus = fake_world.gpus - (empty ? 0 : node->gpus_used);
	uint32_t each = j->rq.nodes ? j->rq.cpus : task_cpus(j), fit;

	if ((live.down >> n & 1) && !empty)
		return 0;
	if (is_whole(j))
		return cpus == world.cpus && j->rq.memory <= memory &&
		       j->rq.gpus <= gpus;
	fit = cpus / each;
	if (j->rq.memory && memory / j->rq.memory < fit)
		fit = memory / j->rq.memory;
	if (j->rq.gpus && gpus / j->rq.gpus < fit)
		fit = gpus / j->rq.gpus;
	return fit;
}

static uint64_t all_nodes(void)
{
	return UINT64_MAX >> (FAKE_NODES - world.n_nodes);
}

static uint64_t allowed(const struct fake_job *j)
{
	uint64_t all = all_nodes();

	if (j->rq.partition)
		all &= j->rq.partition;
	if (j->rq.requested)
		all &= j->rq.requested;
	return all & ~j->rq.excluded;
}

static uint32_t free_in(uint32_t n, uint32_t island)
{
	return world.cpus / fake_world.islands - node_now(n)->used_in[island];
}

static bool may_use(uint32_t n, uint32_t island)
{
	return !world.only ||
	       sgang_nodeset_has(world.only, n * fake_world.islands + island);
}

/* Where it may take CPUs of the node, and how many there are. */
static uint32_t cpus_to_take(uint32_t n)
{
	uint32_t cpus = 0;

	for (uint32_t i = 0; i < fake_world.islands; i++)
		cpus += may_use(n, i) ? free_in(n, i) : 0;
	return cpus;
}

static void take_inside(struct fake_job *j, uint32_t n)
{
	uint32_t left = j->cpus_on[n];

	for (uint32_t i = 0; i < fake_world.islands; i++) {
		uint32_t take = may_use(n, i) ? free_in(n, i) : 0;

		take = (take < left) ? take : left;
		j->cpus_in[n][i] = (uint8_t)take;
		live.nodes[n].used_in[i] += take;
		left -= take;
	}
	if (left)
		fault("job %u does not fit into its islands", j->id);
}

/* As a plain first fit; true when all of the job is placed. */
static bool choose(struct fake_job *j, uint64_t among)
{
	uint32_t nodes = j->rq.nodes, cpus = j->rq.total_cpus;

	if (j->rq.required & ~among)
		return false;
	among &= allowed(j) & ~j->rq.not_on;
	for (uint32_t n = 0; n < world.n_nodes; n++) {
		uint32_t take;

		if (!(among >> n & 1) || !pieces(j, n, false) ||
		    (world.only && cpus_to_take(n) < j->rq.cpus))
			continue;
		if (j->rq.nodes) {
			take = is_whole(j) ? world.cpus : j->rq.cpus;
			nodes--;
		} else {
			take = pieces(j, n, false) * task_cpus(j);
			if (take > cpus)
				take = cpus;
			if (world.most && take > world.most[n])
				take = world.most[n];
			if (take > cpus_to_take(n))
				take = cpus_to_take(n);
			cpus -= take;
		}
		j->nodes |= (uint64_t)1 << n;
		j->cpus_on[n] = take;
		if (j->rq.nodes ? !nodes : !cpus)
			return true;
	}
	j->nodes = 0;
	return false;
}

static bool allocate(struct fake_job *j, uint64_t among)
{
	if (live.licences_used + j->rq.licences > world.licences ||
	    !choose(j, among))
		return false;
	for (uint32_t n = 0; n < world.n_nodes; n++) {
		if (!(j->nodes >> n & 1))
			continue;
		take_inside(j, n);
		live.nodes[n].used += j->cpus_on[n];
		live.nodes[n].memory_used += j->rq.memory;
		live.nodes[n].gpus_used += j->rq.gpus;
	}
	live.licences_used += j->rq.licences;
	j->began = world.now;
	world.stamp++;
	return true;
}

static void subtract(const struct fake_job *j, struct node *nodes)
{
	for (uint32_t n = 0; n < world.n_nodes; n++) {
		if (!(j->nodes >> n & 1))
			continue;
		for (uint32_t i = 0; i < fake_world.islands; i++)
			nodes[n].used_in[i] -= j->cpus_in[n][i];
		nodes[n].used -= j->cpus_on[n];
		nodes[n].memory_used -= j->rq.memory;
		nodes[n].gpus_used -= j->rq.gpus;
	}
}

static void note_freed(uint64_t nodes)
{
	world.n_freed++;
	for (uint32_t n = 0; n < FAKE_NODES; n++) {
		if (nodes >> n & 1)
			world.freed_at[n] = world.n_freed;
	}
}

static void give_back(struct fake_job *j)
{
	note_freed(j->nodes);
	subtract(j, live.nodes);
	j->nodes = 0;
	j->began = j->struck = 0;
	live.licences_used -= j->rq.licences;
	world.stamp++;
}

static void launch(struct fake_job *j)
{
	j->state = FAKE_RUNNING;
	j->holds = 0;
	if (j->launch == SGANG_LAUNCH_YES)
		return;
	j->launches++;
	if (world.launches[j->id % LAUNCHES]++)
		fault("job %u was launched twice", j->id);
}

/* ---- locks ---- */

static bool host_lock(void)
{
	fake_counts.locks++;
	if (world.locked)
		fault("lock() twice");
	if (fake_world.shutdown_at && !--fake_world.shutdown_at)
		world.dead = true;
	if (world.dead)
		return false;
	world.locked = true;
	world.generation++;
	world.undone_gang[0] = '\0';
	for (struct fake_job *j = fake_next(NULL); j; j = fake_next(j)) {
		if (j->prolog)
			j->prolog--;
	}
	return true;
}

static void host_unlock(void)
{
	need_lock("unlock");
	if (world.left_out)
		fault("unlock() while jobs are left out");
	audit();
	world.locked = false;
	world.generation++;
}

/* ---- looking ---- */

/* "root" is the operator; nobody else has that number. */
static uint32_t uid_of(const char *user)
{
	uint32_t uid = 1000;

	if (!strcmp(user, "root"))
		return 0;
	for (const char *p = user; *p; p++)
		uid = uid * 31 + (unsigned char)*p;
	return uid | 1;
}

static void host_still_held(struct sgang_job *job)
{
	(void)job_of(job, "still_held");
}

static bool host_operator(uint32_t uid)
{
	return uid == 0;
}

static void fill_info(const struct fake_job *j, struct sgang_job_info *info)
{
	static const enum sgang_job_state states[] = {
		[FAKE_GONE] = SGANG_JOB_ENDED,
		[FAKE_PENDING] = SGANG_JOB_PENDING,
		[FAKE_HELD] = SGANG_JOB_CONFIGURING,
		[FAKE_RUNNING] = SGANG_JOB_RUNNING,
	};

	memset(info, 0, sizeof(*info));
	info->job = handle(j);
	info->job_id = j->id;
	info->array_id = j->array_id;
	info->task_id = j->task_id;
	info->tasks = j->tasks;
	info->ranks = j->rq.ranks;
	info->state = states[j->state];
	info->labelled = !strncmp(j->text, "Gang", 4);
	info->priority = j->user_hold ? 0 : j->rq.priority;
	info->stopped = j->state == FAKE_PENDING && j->user_hold;
	info->withdrawn = j->state == FAKE_HELD && j->user_hold;
	info->failed = j->state == FAKE_GONE && j->failed;
	info->cancelled = info->failed && j->cancelled;
	info->end = !info->failed   ? SGANG_JOB_END_COMPLETED :
		    info->cancelled ? SGANG_JOB_END_CANCELLED :
		    j->out_of_time  ? SGANG_JOB_END_TIME_LIMIT :
				      SGANG_JOB_END_FAILED;
	info->launch = j->launch;
	info->restarts = j->restarts;
	info->submit_time = j->submit_time;
	info->eligible_time = j->delayed > j->submit_time ? j->delayed :
							    j->submit_time;
	info->time_limit = j->rq.time_limit ? j->rq.time_limit : UINT32_MAX;
	info->ends = j->ends ? j->ends : INT64_MAX;
	info->expected = j->state == FAKE_PENDING ? j->expected : 0;
	info->began = j->began;
	info->tier = j->rq.tier;
	info->uid = uid_of(j->user);
	info->user = j->user;
	info->comment = j->has_comment ? j->comment : NULL;
	info->env = j->env;
	info->n_env = j->n_env;
}

static bool is_eligible(const struct fake_job *j)
{
	return j->state == FAKE_PENDING && !j->user_hold && !j->holds &&
	       j->delayed <= world.now;
}

static uint64_t nodes_up(void)
{
	return all_nodes() & ~live.down;
}

static bool is_barred(const struct fake_job *j)
{
	return j->state == FAKE_PENDING && (j->rq.required & ~nodes_up());
}

/* As in slurmctld, only this finds all out. */
static void look(const struct fake_job *j, struct sgang_job_info *info)
{
	fill_info(j, info);
	info->eligible = is_eligible(j);
	info->barred = is_barred(j);
	info->parked = j->parked;
	if (j->state == FAKE_PENDING && info->labelled)
		info->label = sgang_hash_text(SGANG_HASH_SEED, j->text);
}

static uint64_t host_supply(void)
{
	return live.down;
}

static uint64_t host_request(struct sgang_job *job)
{
	const struct fake_job *j = job_of(job, "request");

	return ((uint64_t)j->rq.nodes << 48 | (uint64_t)j->rq.cpus << 32 |
		j->rq.memory) ^
	       j->rq.partition * 31 ^ j->rq.licences * 17 ^
	       (uint64_t)j->user_hold << 63;
}

static void host_jobs(void (*each)(const struct sgang_job_info *, void *),
		      void *arg)
{
	need_lock("jobs");
	for (const struct fake_job *j = fake_next(NULL); j; j = fake_next(j)) {
		struct sgang_job_info info;

		if (!j->n_env)
			continue;
		look(j, &info);
		each(&info, arg);
	}
}

static struct fake_job *find(uint32_t id)
{
	for (struct fake_job *j = fake_next(NULL); j; j = fake_next(j)) {
		if (j->id == id)
			return j;
	}
	return NULL;
}

static struct sgang_job *host_find(uint32_t id)
{
	struct fake_job *j = find(id);

	need_lock("find");
	return j ? handle(j) : NULL;
}

static void host_info(struct sgang_job *job, struct sgang_job_info *info)
{
	fill_info(job_of(job, "info"), info);
}

static void host_look(struct sgang_job *job, struct sgang_job_info *info)
{
	look(job_of(job, "look"), info);
}

static bool host_before(struct sgang_job *waiting, struct sgang_job *asking)
{
	const struct fake_job *a = job_of(waiting, "before");
	const struct fake_job *b = job_of(asking, "before");

	if (a->rq.preempts != b->rq.preempts)
		return a->rq.preempts;
	if (a->rq.tier != b->rq.tier)
		return a->rq.tier > b->rq.tier;
	if (a->rq.priority != b->rq.priority)
		return a->rq.priority > b->rq.priority;
	return a->id < b->id;
}

static uint32_t host_node_count(void)
{
	need_lock("node_count");
	return world.n_nodes;
}

static void host_refresh(void)
{
	need_lock("refresh");
}

static void add_nodes(struct sgang_nodeset *set, uint64_t nodes)
{
	for (uint32_t n = 0; n < world.n_nodes; n++) {
		if (nodes >> n & 1)
			sgang_nodeset_add(set, n);
	}
}

static uint64_t nodes_in(const struct sgang_nodeset *set)
{
	uint64_t nodes = 0;

	if (sgang_nodeset_size(set) != world.n_nodes)
		fault("a node set of %u nodes", sgang_nodeset_size(set));
	for (uint32_t n = 0; n < world.n_nodes; n++) {
		if (sgang_nodeset_has(set, n))
			nodes |= (uint64_t)1 << n;
	}
	return nodes;
}

static void shape_of(const struct fake_job *j, struct sgang_shape *shape)
{
	memset(shape, 0, sizeof(*shape));
	shape->min_nodes = j->rq.nodes ? j->rq.nodes : 1;
	shape->max_nodes = j->rq.nodes ? j->rq.nodes : world.n_nodes;
	shape->whole = is_whole(j);
	shape->node_cpus = j->rq.nodes ? j->rq.cpus : task_cpus(j);
	shape->total_cpus = j->rq.nodes ? j->rq.nodes * j->rq.cpus :
					  j->rq.total_cpus;
	shape->tasks = j->rq.ranks;
	shape->task_cpus = j->rq.task_cpus;
	shape->node_memory = j->rq.memory;
}

static void host_shape(struct sgang_job *job, struct sgang_shape *shape)
{
	shape_of(job_of(job, "shape"), shape);
}

static void host_fewer(struct sgang_job *job, uint32_t nodes,
		       struct sgang_shape *shape)
{
	shape_of(job_of(job, "fewer"), shape);
	shape->min_nodes = shape->max_nodes = nodes;
	shape->node_cpus = (shape->total_cpus + nodes - 1) / nodes;
}

static void host_share(struct sgang_job *job, uint32_t nodes, uint32_t pieces,
		       struct sgang_shape *shape)
{
	shape_of(job_of(job, "share"), shape);
	shape->min_nodes = shape->max_nodes = nodes;
	shape->node_cpus = pieces * shape->task_cpus;
	shape->tasks = nodes * pieces;
}

/* With one task on each node at least, where they lie in any shares. */
static bool host_least(struct sgang_job *job, struct sgang_shape *shape)
{
	const struct fake_job *j = job_of(job, "least");

	shape_of(j, shape);
	if (shape->task_cpus)
		host_share(job, shape->min_nodes, 1, shape);
	return true;
}

static int host_probe(struct sgang_job *job, struct sgang_nodeset *usable,
		      struct sgang_nodeset *ever, struct sgang_shape *shape,
		      char *why, size_t why_size)
{
	const struct fake_job *j = job_of(job, "probe");
	uint64_t nodes = allowed(j) & nodes_up();
	uint32_t n = (uint32_t)__builtin_popcountll(nodes);

	fake_counts.probes++;
	if (!is_eligible(j))
		fault("probe(%u), which cannot start", j->id);
	if (nodes_in(usable) || nodes_in(ever))
		fault("probe(%u) into a set that is not empty", j->id);
	if (j->unprobable || is_barred(j) || n < j->rq.nodes || !n ||
	    live.licences_used + j->rq.licences > world.licences) {
		snprintf(why, why_size, "JobId=%u: probe says no", j->id);
		return -1;
	}
	add_nodes(usable, nodes);
	add_nodes(ever, nodes);
	shape_of(j, shape);
	return 0;
}

static void
host_set_aside(bool (*wants)(struct sgang_job *job, uint32_t job_id, void *arg),
	       void (*f)(const struct sgang_set_aside *s, void *arg), void *arg)
{
	const struct fake_job *j = find(world.aside.id);
	struct sgang_nodeset *nodes;

	need_lock("set_aside");
	if (!j || j->state != FAKE_PENDING || !wants(handle(j), j->id, arg))
		return;
	nodes = sgang_nodeset_create(world.n_nodes);
	if (nodes)
		add_nodes(nodes, world.aside.nodes);
	if (nodes)
		f(&(struct sgang_set_aside){ .job = handle(j),
					     .job_id = j->id,
					     .from = world.aside.from,
					     .until = world.aside.until,
					     .nodes = nodes },
		  arg);
	sgang_nodeset_destroy(nodes);
}

static void host_releases(int64_t *free_at)
{
	need_lock("releases");
	for (uint32_t n = 0; n < world.n_nodes; n++)
		free_at[n] = 0;
	for (const struct fake_job *j = fake_next(NULL); j; j = fake_next(j)) {
		if (j->state == FAKE_GONE)
			continue;
		for (uint32_t n = 0; n < world.n_nodes; n++) {
			int64_t ends = j->ends ? j->ends : INT64_MAX;

			if ((j->nodes >> n & 1) && free_at[n] < ends)
				free_at[n] = ends;
		}
	}
}

static void host_topology(struct sgang_job *job, char name[SGANG_TOPOLOGY_NAME])
{
	const char *topology = job_of(job, "topology")->rq.partition_topology;

	snprintf(name, SGANG_TOPOLOGY_NAME, "%s", topology ? topology : "");
}

static void host_required(struct sgang_job *job, struct sgang_nodeset *nodes)
{
	add_nodes(nodes, job_of(job, "required")->rq.required);
}

static void host_partition(struct sgang_job *job, struct sgang_nodeset *nodes)
{
	add_nodes(nodes, allowed(job_of(job, "partition")));
}

static bool host_weights(struct sgang_job *job, uint32_t *weight)
{
	bool differ = false;

	for (uint32_t n = 1; n < world.n_nodes; n++)
		differ |= fake_world.weight[n] != fake_world.weight[0];
	for (uint32_t n = 0; differ && n < world.n_nodes; n++)
		weight[n] = fake_world.weight[n];
	return differ;
}

static bool host_prefer(struct sgang_job *const *jobs, size_t n)
{
	world.first = n && fake_world.prefers && !world.first;
	return world.first;
}

static uint32_t host_idle(const struct sgang_nodeset *nodes)
{
	uint64_t among = nodes_in(nodes) & nodes_up();
	uint32_t idle = 0;

	for (uint32_t n = 0; n < world.n_nodes; n++)
		idle += (among >> n & 1) && !node_now(n)->used;
	return idle;
}

static void host_room(const struct sgang_nodeset *nodes,
		      struct sgang_room *room)
{
	uint64_t among = nodes_in(nodes) & nodes_up();

	memset(room, 0, sizeof(*room));
	for (uint32_t n = 0; n < world.n_nodes; n++) {
		if (!(among >> n & 1))
			continue;
		room->cpus += world.cpus - node_now(n)->used;
		room->memory += world.memory - node_now(n)->memory_used;
		room->nodes += !node_now(n)->used;
	}
}

/* CPUs of one unit: a task, or all of a job that is planned on one node. */
static uint32_t unit_cpus(const struct fake_job *j,
			  const struct sgang_shape *shape)
{
	if (j->rq.nodes && !j->rq.task_cpus)
		return j->rq.cpus;
	return sgang_shape_fixed(shape) ? shape->node_cpus : task_cpus(j);
}

static uint32_t units_of(const struct fake_job *j,
			 const struct sgang_shape *shape, uint32_t n,
			 bool empty)
{
	uint32_t units = pieces(j, n, empty);

	return j->rq.nodes ? units : units * task_cpus(j) / unit_cpus(j, shape);
}

static void host_units(struct sgang_job *job, const struct sgang_shape *shape,
		       const struct sgang_nodeset *nodes, bool empty,
		       uint32_t *units)
{
	const struct fake_job *j = job_of(job, "units");
	uint64_t among = nodes_in(nodes);

	fake_counts.units += (uint32_t)__builtin_popcountll(among);
	for (uint32_t n = 0; n < world.n_nodes; n++)
		units[n] = (among >> n & 1) ? units_of(j, shape, n, empty) : 0;
}

/* CPUs, memory, GPUs. */
static void host_resources(const struct sgang_asked *asked, size_t n,
			   struct sgang_resources *res, uint8_t *type)
{
	static const char *const name[] = { "CPUs", "MB of memory", "GPUs" };

	for (size_t i = 0; i < n; i++)
		(void)job_of(asked[i].job, "resources");
	memset(res, 0, sizeof(*res));
	res->n_types = 1;
	res->n_dims = 3;
	for (uint32_t d = 0; d < res->n_dims; d++)
		strcpy(res->dim[d].name, name[d]);
	memset(type, 0, world.n_nodes * sizeof(*type));
}

static void host_need(const struct sgang_asked *asked,
		      const struct sgang_resources *res, uint32_t *need)
{
	const struct fake_job *j = job_of(asked->job, "need");

	need[0] = unit_cpus(j, asked->shape);
	need[1] = j->rq.nodes ? j->rq.memory : 0;
	need[2] = j->rq.nodes ? j->rq.gpus : 0;
	if (is_whole(j))
		need[0] = need[1] = need[2] = SGANG_PLAN_ALL;
}

static void host_amounts(const struct sgang_resources *res, bool empty,
			 uint32_t *amounts)
{
	need_lock("amounts");
	for (uint32_t n = 0; n < world.n_nodes; n++) {
		const struct node *node = node_now(n);

		*amounts++ = world.cpus - (empty ? 0 : node->used);
		*amounts++ = world.memory - (empty ? 0 : node->memory_used);
		*amounts++ = fake_world.gpus - (empty ? 0 : node->gpus_used);
	}
}

static void host_island_units(struct sgang_job *job,
			      const struct sgang_shape *shape,
			      const struct sgang_nodeset *nodes, bool empty,
			      uint32_t *units)
{
	const struct fake_job *j = job_of(job, "island_units");
	uint64_t among = nodes_in(nodes);

	for (uint32_t n = 0; n < world.n_nodes; n++) {
		uint32_t most = (among >> n & 1) ?
					units_of(j, shape, n, empty) :
					0;
		uint32_t cpus = unit_cpus(j, shape);
		uint32_t *room = units + n * fake_world.islands;

		for (uint32_t i = 0; i < fake_world.islands; i++) {
			uint32_t fit = empty ? world.cpus / fake_world.islands :
					       free_in(n, i);

			room[i] = cpus ? fit / cpus : most;
		}
		sgang_devices_hand_out(room, fake_world.islands, most, room);
	}
}

/* As on the real cluster: what the node is, then whether it is there, then what
 * is free. */
static enum sgang_cause cause_on(const struct fake_job *j, uint32_t n)
{
	const struct node *node = node_now(n);
	uint64_t bit = (uint64_t)1 << n;
	uint32_t each = cpus_each(j);

	if (j->rq.partition && !(j->rq.partition & bit))
		return SGANG_CAUSE_PARTITION;
	if (j->rq.excluded & bit)
		return SGANG_CAUSE_EXCLUDED;
	if (j->rq.requested && !(j->rq.requested & bit))
		return SGANG_CAUSE_REQUESTED;
	if (each > world.cpus)
		return SGANG_CAUSE_CPUS;
	if (j->rq.memory > world.memory)
		return SGANG_CAUSE_MEMORY;
	if (live.down & bit)
		return SGANG_CAUSE_DOWN;
	if (each > world.cpus - node->used)
		return SGANG_CAUSE_BUSY;
	if (j->rq.memory > world.memory - node->memory_used)
		return SGANG_CAUSE_BUSY_MEMORY;
	return SGANG_CAUSE_NONE;
}

static void host_causes(struct sgang_job *job, const struct sgang_shape *shape,
			uint8_t *cause, uint8_t *scarce)
{
	const struct fake_job *j = job_of(job, "causes");
	uint32_t each = cpus_each(j);

	for (uint32_t n = 0; n < world.n_nodes; n++) {
		const struct node *node = node_now(n);

		cause[n] = cause_on(j, n);
		if (scarce)
			scarce[n] = (j->rq.memory &&
				     (world.memory - node->memory_used) /
						     j->rq.memory <
					     (world.cpus - node->used) / each) ?
					    SGANG_CAUSE_BUSY_MEMORY :
					    SGANG_CAUSE_BUSY;
	}
}

static size_t host_endless(const struct sgang_nodeset *nodes, uint32_t *job_ids,
			   size_t max)
{
	size_t n = 0;

	need_lock("endless");
	for (const struct fake_job *j = fake_next(NULL); j; j = fake_next(j)) {
		if (j->state == FAKE_GONE || j->ends ||
		    !(j->nodes & nodes_in(nodes)))
			continue;
		if (n < max)
			job_ids[n] = j->id;
		n++;
	}
	return n;
}

static void host_unavailable(struct sgang_nodeset *nodes)
{
	need_lock("unavailable");
	add_nodes(nodes, live.down);
}

static void host_unregistered(struct sgang_nodeset *nodes)
{
	need_lock("unregistered");
	add_nodes(nodes, live.unregistered);
}

static void host_draining(struct sgang_nodeset *nodes)
{
	need_lock("draining");
	fake_counts.drain_looks++;
	add_nodes(nodes, live.draining);
}

static void host_tell_nodes(const struct sgang_nodeset *nodes, const char *text)
{
	need_lock("tell");
	snprintf(told.text, sizeof(told.text), "%s", text);
	told.nodes = sgang_nodeset_count(nodes);
	told.times++;
}

uint32_t fake_told(const char **text, uint32_t *nodes)
{
	*text = told.text;
	*nodes = told.nodes;
	return told.times;
}

static bool host_islands(struct sgang_job *job, uint32_t node,
			 uint32_t part[SGANG_ISLANDS_MAX])
{
	const struct fake_job *j = job_of(job, "islands");

	for (uint32_t i = 0; i < fake_world.islands; i++)
		part[i] = j->cpus_in[node][i];
	return !fake_world.hides_islands;
}

static bool host_same_units(struct sgang_job *a, struct sgang_job *b)
{
	const struct fake_job *x = job_of(a, "same_units");
	const struct fake_job *y = job_of(b, "same_units");

	return !x->rq.nodes == !y->rq.nodes && x->rq.cpus == y->rq.cpus &&
	       x->rq.memory == y->rq.memory && x->rq.gpus == y->rq.gpus;
}

/* 'unprobable' is a whim of one job, so such a job is like no other. */
static bool host_same_request(struct sgang_job *a, struct sgang_job *b)
{
	const struct fake_job *x = job_of(a, "same_request");
	const struct fake_job *y = job_of(b, "same_request");

	return x == y ||
	       (!x->unprobable && !y->unprobable && !strcmp(x->user, y->user) &&
		x->rq.nodes == y->rq.nodes && x->rq.cpus == y->rq.cpus &&
		x->rq.total_cpus == y->rq.total_cpus &&
		x->rq.memory == y->rq.memory && x->rq.gpus == y->rq.gpus &&
		x->rq.not_on == y->rq.not_on && x->rq.ranks == y->rq.ranks &&
		x->rq.licences == y->rq.licences && x->rq.tier == y->rq.tier &&
		x->rq.requested == y->rq.requested &&
		x->rq.required == y->rq.required &&
		x->rq.excluded == y->rq.excluded &&
		x->rq.partition == y->rq.partition);
}

static bool host_replaces(struct sgang_job *spare, struct sgang_job *lost)
{
	const struct fake_job *x = job_of(spare, "replaces");
	const struct fake_job *y = job_of(lost, "replaces");

	return !strcmp(x->user, y->user) && x->rq.nodes == y->rq.nodes &&
	       x->rq.partition == y->rq.partition &&
	       host_same_units(spare, lost);
}

static bool host_excludes(struct sgang_job *a, struct sgang_job *b)
{
	const struct fake_job *x = job_of(a, "excludes");
	const struct fake_job *y = job_of(b, "excludes");

	return (x->rq.own_user || y->rq.own_user) && strcmp(x->user, y->user);
}

/* ---- starting ---- */

static struct fake_job *free_record(void)
{
	for (int ended = 0; ended < 2; ended++) {
		for (size_t i = 0; i < FAKE_JOBS; i++) {
			struct fake_job *j = &live.jobs[i];

			if (!j->live || (ended && j->state == FAKE_GONE)) {
				memset(j, 0, sizeof(*j));
				if (i >= live.n_jobs)
					live.n_jobs = i + 1;
				return j;
			}
		}
	}
	return NULL;
}

/* A record is large, and most are never used. */
static void copy_state(struct state *to, const struct state *from)
{
	memcpy(to->jobs, from->jobs, from->n_jobs * sizeof(*to->jobs));
	if (to->n_jobs > from->n_jobs)
		memset(&to->jobs[from->n_jobs], 0,
		       (to->n_jobs - from->n_jobs) * sizeof(*to->jobs));
	to->n_jobs = from->n_jobs;
	memcpy(to->nodes, from->nodes, sizeof(to->nodes));
	to->down = from->down;
	to->unregistered = from->unregistered;
	to->draining = from->draining;
	to->licences_used = from->licences_used;
}

static void copy_record(struct fake_job *to, const struct fake_job *from)
{
	*to = *from;
	for (size_t i = 0; i < to->n_env; i++)
		to->env[i] = to->spank[i];
}

/* Give the job nodes of 'among'. Of an array, the record that was passed
 * becomes the lowest task; the others are in a new record that takes over the
 * array's id. NULL, or why not and nothing has changed. */
static const char *start(struct fake_job *j, uint64_t among)
{
	struct fake_job *rest = NULL;

	if (j->array_id && j->tasks > 1) {
		rest = free_record();
		if (!rest)
			return "too many jobs";
		copy_record(rest, j);
		rest->live = false;
	}
	if (!allocate(j, among))
		return "nodes are busy";
	if (rest) {
		rest->live = true;
		rest->tasks--;
		rest->task_id++;
		j->id = world.next_id++;
		j->tasks = 1;
	}
	j->parked = false;
	j->text[0] = '\0';
	return NULL;
}

static uint32_t host_allotted(struct sgang_job *job, uint32_t *cpus)
{
	const struct fake_job *j = job_of(job, "allotted");
	uint32_t i = 0;

	for (uint32_t n = 0; n < world.n_nodes; n++) {
		if (j->nodes >> n & 1)
			cpus[i++] = j->cpus_on[n];
	}
	return j->rq.nodes ? 1 : task_cpus(j);
}

static struct sgang_job *host_commit(struct sgang_job *job,
				     const struct sgang_bounds *bounds,
				     struct sgang_refusal *refusal)
{
	struct fake_job *j = job_of(job, "commit");
	const char *what = "refused";
	bool asked = false;

	fake_counts.commits++;
	world.clock += fake_world.commit_us;
	if (world.left_out)
		fault("commit(%u) while jobs are left out", j->id);
	world.released[j->id % LAUNCHES] = false;
	if (!is_eligible(j))
		fault("commit(%u), which cannot start", j->id);
	world.only = fake_world.hides_islands ? NULL : bounds->islands;
	world.most = bounds->cpus;
	if (fake_world.commits_allowed && !j->refuses && !j->limited) {
		what = start(j, nodes_in(bounds->nodes));
		world.most = NULL;
		if (what)
			what = start(j, nodes_in(bounds->nodes));
		asked = true;
	}
	world.only = NULL;
	if (what) {
		fake_counts.refused++;
		snprintf(refusal->why, sizeof(refusal->why), "JobId=%u: %s",
			 j->id, j->limited ? "AssocGrpCpuLimit" : what);
		refusal->limit = j->limited;
		refusal->nodes = asked;
		return NULL;
	}
	if (fake_world.commits_allowed != UINT32_MAX)
		fake_world.commits_allowed--;
	j->state = FAKE_HELD;
	j->holds = 1;
	j->saved = false;
	j->prolog = j->rq.prolog;
	j->serial = ++world.next_serial;
	world.undone_gang[0] = '\0';
	trace("commit", j->id);
	return handle(j);
}

/* All that are asked for together; that of `limited` stops them. */
static int host_limits(struct sgang_job *const *jobs, size_t n, char *why,
		       size_t why_size)
{
	for (size_t i = 0; i < n; i++) {
		const struct fake_job *j = job_of(jobs[i], "limits");

		if (!j->limited)
			continue;
		snprintf(why, why_size, "JobId=%u: AssocGrpCpuLimit", j->id);
		return -1;
	}
	return 0;
}

/* Within one rollback the last comes first. */
static void check_undo_order(const struct fake_job *j)
{
	char gang[sizeof(world.undone_gang)];

	snprintf(gang, sizeof(gang), "%s/%s", j->user, j->gang);
	if (!j->nonstrict && !strcmp(gang, world.undone_gang) &&
	    j->serial > world.undone_serial)
		fault("undo(%u) not in reverse order", j->id);
	strcpy(world.undone_gang, gang);
	world.undone_serial = j->serial;
}

static void host_undo(struct sgang_job *job)
{
	struct fake_job *j = job_of(job, "undo");

	fake_counts.undone++;
	trace("undo", j->id);
	if (j->state != FAKE_HELD || !j->holds) {
		fault("undo(%u), which is not held", j->id);
		return;
	}
	check_undo_order(j);
	give_back(j);
	j->state = FAKE_PENDING;
	j->holds = 0;
}

static bool host_recommits(void)
{
	need_lock("recommits");
	return fake_world.recommits;
}

static void host_nodes(struct sgang_job *job, struct sgang_nodeset *nodes)
{
	fake_counts.nodes++;
	add_nodes(nodes, job_of(job, "nodes")->nodes);
}

static bool is_held(const struct fake_job *j)
{
	return j->state == FAKE_HELD && j->holds;
}

static void host_prepare(struct sgang_job *job)
{
	struct fake_job *j = job_of(job, "prepare");

	if (!is_held(j) || j->prepared != SGANG_PREPARED_NOT)
		fault("prepare(%u), which is not ready for it", j->id);
	trace("prepare", j->id);
	j->prepared = SGANG_PREPARED_RUNS;
}

static enum sgang_prepared host_prepared(struct sgang_job *job)
{
	return fake_world.prepares ? job_of(job, "prepared")->prepared :
				     SGANG_PREPARED_NEEDLESS;
}

static bool host_ready(struct sgang_job *job)
{
	const struct fake_job *j;

	if (!job)
		return false;
	j = job_of(job, "ready");
	return is_held(j) && !j->prolog;
}

static bool host_held(struct sgang_job *job)
{
	return is_held(job_of(job, "held"));
}

static void host_adopt(struct sgang_job *job)
{
	struct fake_job *j = job_of(job, "adopt");

	fake_counts.adopted++;
	trace("adopt", j->id);
	if (j->state == FAKE_RUNNING)
		j->state = FAKE_HELD;
	if (j->state != FAKE_HELD)
		fault("adopt(%u), which has no nodes or runs", j->id);
	if (!j->holds)
		j->holds = 1;
	j->saved = true; /* it was found in the saved state */
	j->serial = 0;   /* in which order is not known any more */
}

static void host_ask(struct sgang_job *job)
{
	fake_counts.asked++;
	trace("ask", job_of(job, "ask")->id);
}

static bool host_refused(struct sgang_job *job)
{
	return job_of(job, "refused")->refused;
}

static void host_clear_launch_failure(struct sgang_job *job, bool at_once)
{
	struct fake_job *j = job_of(job, "clear_launch_failure");

	trace("clear_launch_failure", j->id);
	if (j->refused)
		j->user_hold = false;
	j->refused = false;
}

static void host_release(struct sgang_job *job, bool again)
{
	struct fake_job *j = job_of(job, "release");

	fake_counts.released++;
	trace("release", j->id);
	if (!is_held(j) || j->prolog) {
		fault("release(%u), which is not held or not ready", j->id);
		return;
	}
	if (j->launch == SGANG_LAUNCH_UNKNOWN)
		fault("release(%u), which may run", j->id);
	if (world.released[j->id % LAUNCHES] && !again)
		fault("release(%u) as if it had not been released", j->id);
	world.released[j->id % LAUNCHES] = true;
	if (!j->saved && (j->rq.min > 1 || j->rq.total > 1))
		fault("release(%u) before it was saved as held", j->id);
	launch(j);
}

static void host_drop(struct sgang_job *job, bool yield)
{
	struct fake_job *j = job_of(job, "drop");

	fake_counts.dropped++;
	fake_counts.yielded += yield;
	trace("drop", j->id);
	if (is_held(j))
		fault("drop(%u), which is still held", j->id);
	j->holds = 0;
}

/* ---- ending ---- */

/* Of the end of a job that waits no stamp tells. */
static void end_job(struct fake_job *j, bool failed, bool cancelled)
{
	if (j->state != FAKE_PENDING && j->state != FAKE_GONE) {
		give_back(j);
		world.stamp++;
	}
	j->state = FAKE_GONE;
	j->failed = failed;
	j->cancelled = cancelled;
	j->out_of_time = false;
	j->holds = 0;
}

static void host_end(struct sgang_job *job)
{
	struct fake_job *j = job_of(job, "end");

	fake_counts.ended++;
	trace("end", j->id);
	if (j->state == FAKE_GONE)
		fault("end(%u), which has ended", j->id);
	end_job(j, true, true);
}

/* Another start is another run, which may be launched. */
static void wait_again(struct fake_job *j)
{
	if (j->state == FAKE_RUNNING || j->state == FAKE_HELD)
		give_back(j);
	j->state = FAKE_PENDING;
	j->failed = j->cancelled = false;
	j->holds = 0;
	j->restarts++;
	j->submit_time = world.now;
	world.launches[j->id % LAUNCHES] = 0;
	world.stamp++;
}

static bool host_requeue(struct sgang_job *job)
{
	struct fake_job *j = job_of(job, "requeue");

	fake_counts.requeued++;
	trace("requeue", j->id);
	if (j->state == FAKE_PENDING)
		fault("requeue(%u), which is pending", j->id);
	if (j->no_requeue)
		return false;
	wait_again(j);
	return true;
}

static bool host_requeues(struct sgang_job *job)
{
	return !job_of(job, "requeues")->no_requeue;
}

static bool host_overtaken(struct sgang_job *job)
{
	(void)job_of(job, "overtaken");
	for (struct fake_job *j = fake_next(NULL); j; j = fake_next(j)) {
		if (j->state == FAKE_PENDING && j->rq.priority && !j->parked &&
		    !j->user_hold && !j->rq.gang && host_before(handle(j), job))
			return true;
	}
	return false;
}

static uint64_t host_keep_place(struct sgang_job *job)
{
	const struct fake_job *j = job_of(job, "keep_place");

	return fake_world.requeue_is_new ? j->rq.priority : 0;
}

static int64_t host_begin(struct sgang_job *job, int64_t when, uint64_t place)
{
	struct fake_job *j = job_of(job, "begin");

	/* it has ended everywhere, and is the last in the queue */
	if (fake_world.requeue_is_new)
		j->rq.priority = 1;
	if (place && !j->user_hold)
		j->rq.priority = (uint32_t)place;

	trace("begin", j->id);
	if (j->state != FAKE_PENDING)
		fault("begin(%u), which is not pending", j->id);
	j->begins = when;
	return when;
}

static uint32_t host_kill_wait(void)
{
	return 30;
}

/* ---- telling ---- */

static void show(struct fake_job *j, const char *text, const char *call)
{
	if (j->state != FAKE_PENDING)
		fault("%s(%u), which is not pending", call, j->id);
	snprintf(j->text, sizeof(j->text), "%s", text);
}

static void host_park(struct sgang_job *job, const char *text)
{
	struct fake_job *j = job_of(job, "park");

	fake_counts.parked++;
	show(j, text, "park");
	j->parked = true;
}

static void host_unpark(struct sgang_job *job)
{
	struct fake_job *j = job_of(job, "unpark");

	fake_counts.unparked++;
	show(j, "", "unpark");
	j->parked = false;
}

static void host_tell(struct sgang_job *job, const char *text, bool behind_own)
{
	struct fake_job *j = job_of(job, "tell");

	if (j->state == FAKE_HELD)
		snprintf(j->text, sizeof(j->text), "%s", text);
	else
		show(j, text, "tell");
}

static void host_stop(struct sgang_job *job, const char *text)
{
	struct fake_job *j = job_of(job, "stop");

	if (j->state != FAKE_PENDING)
		fault("stop(%u), which is not pending", j->id);
	if (j->user_hold)
		return;
	fake_counts.stopped++;
	trace("stop", j->id);
	j->user_hold = true;
	j->parked = false;
	snprintf(j->text, sizeof(j->text), "%s", text);
}

static void host_resume(struct sgang_job *job, const char *text)
{
	struct fake_job *j = job_of(job, "resume");

	if (j->state != FAKE_PENDING || !j->user_hold || strcmp(j->text, text))
		return;
	fake_counts.resumed++;
	trace("resume", j->id);
	j->user_hold = false;
	j->text[0] = '\0';
}

static void host_expect(struct sgang_job *job, int64_t when)
{
	struct fake_job *j = job_of(job, "expect");

	if (j->state != FAKE_PENDING)
		fault("expect(%u), which is not pending", j->id);
	j->expected = when;
}

static void host_label(struct sgang_job *job, const char *text)
{
	struct fake_job *j = job_of(job, "label");

	if (j->state == FAKE_PENDING && j->user_hold)
		snprintf(j->text, sizeof(j->text), "%s", text);
}

static void host_unlabel(struct sgang_job *job)
{
	struct fake_job *j = job_of(job, "unlabel");

	if (j->state == FAKE_RUNNING || (j->state == FAKE_PENDING && j->parked))
		fault("the reason of job %u is taken while it lives", j->id);
	j->text[0] = '\0';
	j->parked = false;
}

static void host_tell_end(struct sgang_job *job, const char *text)
{
	struct fake_job *j = job_of(job, "tell_end");

	if (j->state != FAKE_PENDING)
		snprintf(j->text, sizeof(j->text), "%s", text);
}

static void host_comment(struct sgang_job *job, const char *text)
{
	struct fake_job *j = job_of(job, "comment");

	if (strlen(text) >= sizeof(j->comment))
		fault("the comment of job %u is too long", j->id);
	snprintf(j->comment, sizeof(j->comment), "%s", text);
	j->has_comment = true;
}

static void host_account(struct sgang_job *job, const char *brief)
{
	struct fake_job *j = job_of(job, "account");

	if (strlen(brief) >= sizeof(j->brief))
		fault("the brief of job %u is too long", j->id);
	snprintf(j->brief, sizeof(j->brief), "%s", brief);
	fake_counts.accounted++;
}

void fake_set_extra(uint32_t node, const char *text)
{
	snprintf(world.extra[node], sizeof(world.extra[node]), "%s", text);
	world.node_stamp++;
}

static const char *host_address(uint32_t node)
{
	static char address[32];

	need_lock("address");
	snprintf(address, sizeof(address), "10.0.0.%u", node);
	return address;
}

static const char *host_extra(uint32_t node)
{
	need_lock("extra");
	return world.extra[node];
}

static void host_set_extra(uint32_t node, const char *text)
{
	need_lock("set_extra");
	if (strlen(text) >= sizeof(world.extra[node]))
		fault("the extra field of node %u is too long", node);
	fake_set_extra(node, text);
}

static void host_setenv(struct sgang_job *job, const char *name,
			const char *value)
{
	struct fake_job *j = job_of(job, "setenv");
	size_t i = 0;

	if (fake_world.drops_env)
		return;
	while (i < j->n_vars && strcmp(j->vars[i].name, name))
		i++;
	if (i == sizeof(j->vars) / sizeof(j->vars[0]) ||
	    strlen(value) >= sizeof(j->vars[i].value)) {
		fault("too much environment for job %u", j->id);
		return;
	}
	if (i == j->n_vars)
		j->n_vars++;
	snprintf(j->vars[i].name, sizeof(j->vars[i].name), "%s", name);
	snprintf(j->vars[i].value, sizeof(j->vars[i].value), "%s", value);
}

static void host_options(struct sgang_job *job, char *const *env, size_t n)
{
	struct fake_job *j = job_of(job, "options");
	struct fake_job before = *j;
	struct sgang_spec spec;

	if (n > sizeof(j->spank) / sizeof(j->spank[0])) {
		fault("too many options for job %u", j->id);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		bool own = env[i] >= j->spank[0] &&
			   env[i] < j->spank[0] + sizeof(j->spank);
		const char *from =
			own ? before.spank[0] + (env[i] - j->spank[0]) : env[i];

		snprintf(j->spank[i], sizeof(j->spank[0]), "%s", from);
		j->env[i] = j->spank[i];
	}
	j->n_env = n;
	if (sgang_spec_of_job(&spec, j->env, n, j->user, NULL) != 1)
		fault("job %u has no gang any more", j->id);
	snprintf(j->gang, sizeof(j->gang), "%s", spec.name);
}

static bool host_order(struct sgang_job *job, const uint32_t *nodes, size_t n)
{
	struct fake_job *j = job_of(job, "order");
	uint64_t left = j->nodes;

	for (size_t i = 0; i < n; i++) {
		if (nodes[i] >= world.n_nodes || !(left >> nodes[i] & 1)) {
			fault("job %u does not have node %u once", j->id,
			      nodes[i]);
			return false;
		}
		left &= ~(UINT64_C(1) << nodes[i]);
		j->order[i] = nodes[i];
	}
	if (left)
		fault("job %u has nodes without a place", j->id);
	j->n_order = n;
	return fake_world.orders_nodes;
}

static bool host_quiet(void)
{
	need_lock("quiet");
	return true;
}

static int host_save(void)
{
	void (*hook)(void) = fake_world.on_save;
	bool dies = world.save_dies_in && !--world.save_dies_in;

	fake_counts.saves++;
	trace("save", 0);
	if (world.dead)
		fault("save() after lock() said that slurmctld ends");
	if (world.locked)
		fault("save() under the lock");
	if (fake_world.save_error)
		return fake_world.save_error;
	if (!dies || world.save_is_written)
		fake_snapshot();
	if (dies)
		fake_world.shutdown_at = 1;
	fake_world.on_save = NULL;
	if (hook)
		hook();
	return 0;
}

static void host_wake_scheduler(void)
{
	if (world.dead)
		fault("wake_scheduler() after lock() said slurmctld ends");
	fake_counts.woken++;
}

static uint64_t host_stamp(void)
{
	return world.stamp;
}

static uint64_t host_freed(void)
{
	return world.n_freed + 1;
}

static void host_freed_since(uint64_t since, struct sgang_nodeset *nodes)
{
	for (uint32_t n = 0; n < world.n_nodes; n++) {
		if (!since || world.freed_at[n] >= since)
			sgang_nodeset_add(nodes, n);
	}
}

static uint64_t host_job_stamp(void)
{
	return world.submitted;
}

static uint64_t host_node_stamp(void)
{
	return world.node_stamp;
}

static int64_t host_now(void)
{
	return world.now;
}

static uint64_t host_clock_us(void)
{
	return ++world.clock;
}

/* ---- preemption ---- */

static bool host_enabled(void)
{
	need_lock("enabled");
	return world.preempts;
}

static bool is_exempt(const struct fake_job *j)
{
	return world.now < j->began + j->rq.exempt;
}

static bool is_overdue(const struct fake_job *j)
{
	return j->struck && world.now > j->struck + j->rq.grace;
}

static void
host_candidates(struct sgang_job *job,
		void (*each)(const struct sgang_candidate *, void *), void *arg)
{
	const struct fake_job *by = job_of(job, "candidates");

	for (const struct fake_job *j = fake_next(NULL); j; j = fake_next(j)) {
		struct sgang_candidate k = {
			.going = j->struck,
			.requeues = !j->rq.killed,
			.priority = j->rq.tier,
			.started = j->began,
		};

		if (!(j->nodes & allowed(by)) || j->rq.tier >= by->rq.tier ||
		    (is_exempt(j) && !j->struck) || is_overdue(j))
			continue;
		k.job = handle(j);
		k.job_id = j->id;
		k.lost = (uint64_t)(world.now - j->began) *
			 (uint64_t)__builtin_popcountll(j->nodes);
		each(&k, arg);
	}
}

static int64_t host_next_candidate(void)
{
	int64_t next = INT64_MAX;

	need_lock("next_candidate");
	for (const struct fake_job *j = fake_next(NULL); j; j = fake_next(j)) {
		if (j->nodes && is_exempt(j) && j->began + j->rq.exempt < next)
			next = j->began + j->rq.exempt;
	}
	return next;
}

static bool host_licensed(struct sgang_job *job, size_t n)
{
	return live.licences_used + n * job_of(job, "licensed")->rq.licences <=
	       world.licences;
}

static bool host_may_have(struct sgang_job *job,
			  const struct sgang_nodeset *nodes)
{
	const struct fake_job *j = job_of(job, "may_have");

	return !j->rq.most_nodes ||
	       __builtin_popcountll(nodes_in(nodes)) <= (int)j->rq.most_nodes;
}

static void host_leave_out(struct sgang_job *const *jobs, size_t n)
{
	need_lock("leave_out");
	memcpy(freed, live.nodes, sizeof(freed));
	for (size_t i = 0; i < n; i++)
		subtract(job_of(jobs[i], "leave_out"), freed);
	world.left_out = n;
}

static void
host_holdings(struct sgang_job *job, const struct sgang_resources *res,
	      void (*each)(uint32_t node, const uint32_t *amounts, void *arg),
	      void *arg)
{
	const struct fake_job *j = job_of(job, "holdings");

	for (uint32_t n = 0; n < world.n_nodes; n++) {
		const uint32_t has[3] = { j->cpus_on[n], j->rq.memory,
					  j->rq.gpus };

		if (j->nodes >> n & 1)
			each(n, has, arg);
	}
}

/* Its grace is over. */
static void leave(struct fake_job *j)
{
	if (j->rq.killed)
		end_job(j, true, true);
	else
		wait_again(j);
	if (world.on_ended)
		world.on_ended(handle(j));
}

static void host_preempt(struct sgang_job *victim, struct sgang_job *by)
{
	struct fake_job *j = job_of(victim, "preempt");

	if (j->rq.tier >= job_of(by, "preempt")->rq.tier)
		fault("preempt(%u), which is no candidate", j->id);
	if (!j->nodes)
		fault("preempt(%u), which has no nodes", j->id);
	if (!j->struck) {
		trace("preempt", j->id);
		j->struck = world.now;
	}
	if (world.now >= j->struck + j->rq.grace && !j->rq.hangs)
		leave(j);
}

static void host_spare(struct sgang_job *victim)
{
	struct fake_job *j = job_of(victim, "spare");

	trace("spare", j->id);
	if (world.now < j->struck + j->rq.grace)
		j->struck = 0;
}

static bool host_occupies(struct sgang_job *victim)
{
	return job_of(victim, "occupies")->nodes;
}

static int64_t host_gone_by(struct sgang_job *victim)
{
	const struct fake_job *j = job_of(victim, "gone_by");

	return j->struck ? j->struck + j->rq.grace : 0;
}

const struct sgang_host fake_host = {
	.preempt = {
		.enabled = host_enabled,
		.candidates = host_candidates,
		.next_candidate = host_next_candidate,
		.licensed = host_licensed,
		.may_have = host_may_have,
		.leave_out = host_leave_out,
		.holdings = host_holdings,
		.preempt = host_preempt,
		.spare = host_spare,
		.occupies = host_occupies,
		.gone_by = host_gone_by,
	},
	.jobs = {
		.each = host_jobs,
		.find = host_find,
		.info = host_info,
		.look = host_look,
		.before = host_before,
		.operator = host_operator,
		.request = host_request,
		.shape = host_shape,
		.fewer = host_fewer,
		.least = host_least,
		.share = host_share,
		.same_units = host_same_units,
		.replaces = host_replaces,
		.excludes = host_excludes,
		.same_request = host_same_request,
		.limits = host_limits,
		.nodes = host_nodes,
		.allotted = host_allotted,
		.order = host_order,
		.park = host_park,
		.unpark = host_unpark,
		.stop = host_stop,
		.resume = host_resume,
		.end = host_end,
		.requeue = host_requeue,
		.requeues = host_requeues,
		.overtaken = host_overtaken,
		.keep_place = host_keep_place,
		.begin = host_begin,
		.kill_wait = host_kill_wait,
		.tell = host_tell,
		.expect = host_expect,
		.label = host_label,
		.unlabel = host_unlabel,
		.tell_end = host_tell_end,
		.comment = host_comment,
		.setenv = host_setenv,
		.options = host_options,
		.account = host_account,
	},
	.nodes = {
		.count = host_node_count,
		.refresh = host_refresh,
		.unavailable = host_unavailable,
		.unregistered = host_unregistered,
		.draining = host_draining,
		.weights = host_weights,
		.prefer = host_prefer,
		.address = host_address,
		.extra = host_extra,
		.set_extra = host_set_extra,
		.tell = host_tell_nodes,
		.probe = host_probe,
		.topology = host_topology,
		.required = host_required,
		.partition = host_partition,
		.releases = host_releases,
		.set_aside = host_set_aside,
		.endless = host_endless,
		.idle = host_idle,
		.freed_since = host_freed_since,
		.room = host_room,
		.units = host_units,
		.island_units = host_island_units,
		.islands = host_islands,
		.causes = host_causes,
		.resources = host_resources,
		.need = host_need,
		.amounts = host_amounts,
	},
	.holds = {
		.commit = host_commit,
		.undo = host_undo,
		.recommits = host_recommits,
		.ready = host_ready,
		.undisturbed = host_ready,
		.prepare = host_prepare,
		.prepared = host_prepared,
		.held = host_held,
		.still_held = host_still_held,
		.release = host_release,
		.adopt = host_adopt,
		.ask = host_ask,
		.refused = host_refused,
		.clear_launch_failure = host_clear_launch_failure,
		.drop = host_drop,
	},
	.lock = host_lock,
	.unlock = host_unlock,
	.quiet = host_quiet,
	.save = host_save,
	.wake_scheduler = host_wake_scheduler,
	.stamp = host_stamp,
	.freed = host_freed,
	.node_stamp = host_node_stamp,
	.supply = host_supply,
	.job_stamp = host_job_stamp,
	.now = host_now,
	.clock_us = host_clock_us,
	.cpu_us = host_clock_us,
};

/* ---- the tests' side ---- */

const char *fake_extra(uint32_t node)
{
	return world.extra[node];
}

void fake_cluster(uint32_t n_nodes, uint32_t cpus, uint32_t memory,
		  uint32_t licences)
{
	uintptr_t generation = world.generation;

	memset(live.jobs, 0, live.n_jobs * sizeof(*live.jobs));
	live.n_jobs = 0;
	memset(live.nodes, 0, sizeof(live.nodes));
	live.down = live.unregistered = live.draining = 0;
	live.licences_used = 0;
	memset(&told, 0, sizeof(told));
	memset(&world, 0, sizeof(world));
	memset(&fake_counts, 0, sizeof(fake_counts));
	fake_world = (struct fake_world){
		.islands = 1,
		.recommits = true,
		.commits_allowed = UINT32_MAX,
	};
	world.generation = generation + 1;
	world.n_nodes = n_nodes;
	world.cpus = cpus;
	world.memory = memory;
	world.licences = licences;
	world.next_id = 1;
	world.now = 1000000;
	for (uint32_t n = 0; n < n_nodes; n++) {
		snprintf(names[n], sizeof(names[n]), "n%u", n);
		name_list[n] = names[n];
	}
	fake_snapshot();
}

const char *const *fake_node_names(void)
{
	return name_list;
}

static void spank(struct fake_job *j, const char *option, const char *value)
{
	if (!value)
		return;
	snprintf(j->spank[j->n_env], sizeof(j->spank[0]),
		 "_SLURM_SPANK_OPTION_gang_%s=%s", option, value);
	j->env[j->n_env] = j->spank[j->n_env];
	j->n_env++;
}

/* "mode=nonstrict|order=0" */
static void spank_more(struct fake_job *j, const char *more)
{
	while (more && *more) {
		int len = (int)strcspn(more, "|");

		snprintf(j->spank[j->n_env], sizeof(j->spank[0]),
			 "_SLURM_SPANK_OPTION_gang_gang_%.*s", len, more);
		j->env[j->n_env] = j->spank[j->n_env];
		j->n_env++;
		more += len + (more[len] == '|');
	}
}

static const char *number(uint32_t n, char buf[12])
{
	snprintf(buf, 12, "%u", n);
	return n ? buf : NULL;
}

uint32_t fake_submit(const struct fake_request *rq)
{
	struct fake_job *j = free_record();
	char buf[12];

	if (!j)
		return 0;
	world.submitted++;
	j->live = true;
	j->state = FAKE_PENDING;
	j->rq = *rq;
	j->id = world.next_id++;
	j->tasks = 1;
	if (rq->array) {
		j->array_id = j->id;
		j->tasks = rq->array;
	}
	if (!j->rq.ranks)
		j->rq.ranks = rq->nodes ? rq->nodes : rq->total_cpus;
	j->user_hold = !rq->priority;
	j->submit_time = world.now;
	snprintf(j->user, sizeof(j->user), "%s", rq->user ? rq->user : "alice");
	snprintf(j->gang, sizeof(j->gang), "%s", rq->gang ? rq->gang : "");
	spank(j, "gang", rq->gang);
	spank(j, "gang_min_member", number(rq->min, buf));
	spank(j, "gang_total_number", number(rq->total, buf));
	spank(j, "gang_topology", rq->topology);
	spank(j, "gang_rank", rq->rank);
	spank_more(j, rq->more);
	j->nonstrict = rq->more && strstr(rq->more, "nonstrict");
	/* texts are the caller's */
	j->rq.more = NULL;
	j->rq.gang = j->rq.user = j->rq.topology = j->rq.rank = NULL;
	return j->id;
}

struct fake_job *fake_job(uint32_t id)
{
	return find(id);
}

enum fake_state fake_state(uint32_t id)
{
	const struct fake_job *j = find(id);

	return j ? j->state : FAKE_GONE;
}

const struct fake_job *fake_record(size_t i)
{
	return (i < FAKE_JOBS) ? &live.jobs[i] : NULL;
}

const char *fake_getenv(uint32_t id, const char *name)
{
	const struct fake_job *j = find(id);

	for (size_t i = 0; j && i < j->n_vars; i++) {
		if (!strcmp(j->vars[i].name, name))
			return j->vars[i].value;
	}
	return NULL;
}

bool fake_start(uint32_t id, uint64_t among)
{
	struct fake_job *j = find(id);

	if (!j || !is_eligible(j) || start(j, among))
		return false;
	launch(j);
	return true;
}

bool fake_barred(uint32_t id)
{
	const struct fake_job *j = find(id);

	return j && is_barred(j);
}

uint64_t fake_fits(uint32_t id)
{
	const struct fake_job *j = find(id);
	uint64_t nodes = 0;

	for (uint32_t n = 0; j && n < world.n_nodes; n++) {
		if ((allowed(j) >> n & 1) && pieces(j, n, false))
			nodes |= (uint64_t)1 << n;
	}
	return nodes;
}

void fake_end(uint32_t id)
{
	struct fake_job *j = find(id);

	if (j && j->state != FAKE_GONE)
		end_job(j, false, false);
}

void fake_fail(uint32_t id, bool cancelled)
{
	struct fake_job *j = find(id);

	if (j && j->state != FAKE_GONE)
		end_job(j, true, cancelled);
}

void fake_time_out(uint32_t id)
{
	struct fake_job *j = find(id);

	if (j && j->state != FAKE_GONE)
		end_job(j, true, false);
	if (j)
		j->out_of_time = true;
}

void fake_lose(uint32_t id)
{
	wait_again(find(id));
}

void fake_delay(uint32_t id, int64_t seconds)
{
	find(id)->delayed = world.now + seconds;
}

void fake_refuse_launch(uint32_t id)
{
	struct fake_job *j = find(id);

	wait_again(j);
	j->refused = j->user_hold = true;
}

void fake_requeue(uint32_t id)
{
	struct fake_job *j = find(id);

	if (!j || j->state != FAKE_HELD)
		return;
	give_back(j);
	j->state = FAKE_PENDING;
	j->prepared = SGANG_PREPARED_NOT;
	world.stamp++;
}

void fake_update(uint32_t id, const struct fake_request *rq)
{
	struct fake_job *j = find(id);

	j->rq.nodes = rq->nodes;
	j->rq.cpus = rq->cpus;
	j->rq.memory = rq->memory;
	j->rq.partition = rq->partition;
}

void fake_user_hold(uint32_t id, bool hold)
{
	struct fake_job *j = find(id);

	if (!j)
		return;
	j->user_hold = hold;
	if (hold)
		j->parked = false;
}

void fake_reason(uint32_t id, const char *text)
{
	struct fake_job *j = find(id);

	j->parked = false;
	snprintf(j->text, sizeof(j->text), "%s", text);
}

void fake_purge(void)
{
	for (struct fake_job *j = fake_next(NULL); j; j = fake_next(j)) {
		if (j->state == FAKE_GONE)
			j->live = false;
	}
}

static void put(uint64_t *set, uint32_t node, bool in)
{
	*set = in ? *set | UINT64_C(1) << node : *set & ~(UINT64_C(1) << node);
}

void fake_node_down(uint32_t node, bool down)
{
	put(&live.down, node, down);
	put(&live.unregistered, node, false);
	if (!down)
		note_freed(UINT64_C(1) << node);
	world.stamp++;
}

void fake_drain(uint32_t node, bool drain)
{
	fake_node_down(node, drain);
	put(&live.draining, node, drain);
	world.node_stamp++;
}

void fake_unregistered(uint32_t node)
{
	fake_node_down(node, true);
	put(&live.unregistered, node, true);
}

void fake_set_aside(uint32_t id, uint64_t nodes, int64_t from, int64_t until)
{
	world.aside = (struct set_aside){ id, nodes, from, until };
}

uint64_t fake_idle_nodes(void)
{
	uint64_t idle = 0;

	for (uint32_t n = 0; n < world.n_nodes; n++) {
		if (!live.nodes[n].used && !live.nodes[n].memory_used)
			idle |= (uint64_t)1 << n;
	}
	return idle;
}

const char *fake_free_map(void)
{
	static char map[FAKE_NODES * 24 + 32];
	size_t len = 0;

	for (uint32_t n = 0; n < world.n_nodes; n++)
		len += (size_t)snprintf(map + len, sizeof(map) - len, "%u:%u ",
					live.nodes[n].used,
					live.nodes[n].memory_used);
	snprintf(map + len, sizeof(map) - len, "licences %u",
		 live.licences_used);
	return map;
}

uint32_t fake_licences_used(void)
{
	return live.licences_used;
}

bool fake_scheduler(bool locks)
{
	world.locked = locks;
	world.generation++;
	return !world.dead;
}

void fake_preempts(void (*on_ended)(struct sgang_job *job))
{
	world.preempts = true;
	world.on_ended = on_ended;
}

void fake_time_limits(void)
{
	fake_scheduler(true);
	for (struct fake_job *j = fake_next(NULL); j; j = fake_next(j)) {
		if (j->struck && !j->rq.hangs &&
		    world.now >= j->struck + j->rq.grace)
			leave(j);
	}
	fake_scheduler(false);
}

void fake_die_at_save(uint32_t n, bool written)
{
	world.save_dies_in = n;
	world.save_is_written = written;
}

void fake_snapshot(void)
{
	for (struct fake_job *j = fake_next(NULL); j; j = fake_next(j)) {
		if (is_held(j))
			j->saved = true;
	}
	copy_state(&saved, &live);
}

void fake_restart(void)
{
	world.dead = world.locked = world.left_out = false;
	world.generation++;
	fake_world.shutdown_at = world.save_dies_in = 0;
	fake_world.on_save = NULL;
	note_freed(UINT64_MAX);
	world.stamp++;
	for (struct fake_job *j = fake_next(NULL); j; j = fake_next(j)) {
		if (j->state == FAKE_RUNNING)
			j->launch = SGANG_LAUNCH_YES;
		j->holds = 0;
		j->prolog = 0;
	}
}

/* The nodes go on with what they run. */
static void keep_running(void)
{
	for (size_t i = 0; i < saved.n_jobs; i++) {
		struct fake_job *j = &saved.jobs[i];
		const struct fake_job *now = find(j->id);

		j->launch = (now && now->state == FAKE_RUNNING) ?
				    SGANG_LAUNCH_YES :
				    SGANG_LAUNCH_NO;
	}
}

void fake_crash(void)
{
	keep_running();
	copy_state(&live, &saved);
	fake_restart();
}

void fake_spoil(uint32_t id)
{
	char *phase = strstr(find(id)->comment, " phase=");

	if (phase)
		phase[sizeof(" phase=") - 1] = '#';
}

void fake_clock(int64_t seconds)
{
	world.clock += (uint64_t)seconds * 1000000;
	world.now += seconds;
}
