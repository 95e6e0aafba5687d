/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cluster.c - the twin's jobs, their nodes, and what happens to them */

#include <stdlib.h>
#include <string.h>

#include "twin_private.h"

struct twin the;

/* ---- what is in use ---- */

uint32_t sgang_twin_pieces(const struct sgang_job *j, uint32_t node,
			   const struct twin_use *use)
{
	const struct sgang_site_node *n = &the.site->nodes[node];
	const struct twin_use *u = &use[node];
	uint64_t fit;

	if (!sgang_twin_fits(j, node, use))
		return 0;
	if (j->whole)
		return 1;
	fit = (n->cpus - u->cpus) / j->asks->cpus;
	if (j->asks->gpus && (n->gpus - u->gpus) / j->asks->gpus < fit)
		fit = (n->gpus - u->gpus) / j->asks->gpus;
	if (sgang_twin_counts_memory(n) && j->asks->memory &&
	    (n->memory - u->memory) / j->asks->memory < fit)
		fit = (n->memory - u->memory) / j->asks->memory;
	return (uint32_t)fit;
}

bool sgang_twin_same_units(const struct sgang_job *a, const struct sgang_job *b)
{
	return a->whole == b->whole && a->asks->cpus == b->asks->cpus &&
	       a->asks->gpus == b->asks->gpus &&
	       a->asks->memory == b->asks->memory;
}

bool sgang_twin_same(const struct sgang_job *a, const struct sgang_job *b)
{
	return sgang_twin_same_units(a, b) &&
	       a->asks->nodes == b->asks->nodes &&
	       a->partition == b->partition && a->limit == b->limit;
}

bool sgang_twin_has_any(const struct sgang_job *j,
			const struct sgang_nodeset *nodes)
{
	for (uint32_t i = 0; i < j->n_nodes; i++) {
		if (sgang_nodeset_has(nodes, j->nodes[i]))
			return true;
	}
	return false;
}

static struct twin_use share(const struct sgang_job *j, uint32_t node)
{
	const struct sgang_site_node *n = &the.site->nodes[node];

	return (struct twin_use){
		.cpus = j->whole ? n->cpus : j->asks->cpus,
		.gpus = j->whole ? n->gpus : j->asks->gpus,
		.memory = j->whole ? n->memory : j->asks->memory,
		.jobs = 1,
	};
}

void sgang_twin_add_use_on(const struct sgang_job *j, uint32_t node,
			   struct twin_use *use)
{
	struct twin_use its = share(j, node), *u = &use[node];

	u->cpus += its.cpus;
	u->gpus += its.gpus;
	u->memory += its.memory;
	u->jobs++;
}

void sgang_twin_add_use(const struct sgang_job *j, struct twin_use *use)
{
	for (uint32_t i = 0; i < j->n_nodes; i++)
		sgang_twin_add_use_on(j, j->nodes[i], use);
}

void sgang_twin_subtract_use(const struct sgang_job *j, struct twin_use *use)
{
	for (uint32_t i = 0; i < j->n_nodes; i++) {
		struct twin_use its = share(j, j->nodes[i]);
		struct twin_use *u = &use[j->nodes[i]];

		u->cpus -= its.cpus;
		u->gpus -= its.gpus;
		u->memory -= its.memory;
		u->jobs--;
	}
}

/* ---- lists ---- */

void sgang_twin_insert(struct twin_list *list, struct sgang_job *j,
		       bool (*before)(const struct sgang_job *a,
				      const struct sgang_job *b))
{
	size_t low = 0, high = list->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (before(j, list->at[middle]))
			high = middle;
		else
			low = middle + 1;
	}
	memmove(&list->at[low + 1], &list->at[low],
		(list->n - low) * sizeof(*list->at));
	list->at[low] = j;
	list->n++;
}

void sgang_twin_remove(struct twin_list *list, const struct sgang_job *j)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->at[i] != j)
			continue;
		list->n--;
		memmove(&list->at[i], &list->at[i + 1],
			(list->n - i) * sizeof(*list->at));
		return;
	}
}

static bool ends_before(const struct sgang_job *a, const struct sgang_job *b)
{
	return a->ends != b->ends ? a->ends < b->ends : a < b;
}

static bool is_older(const struct sgang_job *a, const struct sgang_job *b)
{
	return a < b;
}

/* ---- events ---- */

static bool comes_first(const struct twin_event *a, const struct twin_event *b)
{
	return a->time != b->time ? a->time < b->time : a->job < b->job;
}

static void sift_up(size_t i)
{
	struct twin_event e = the.events[i];

	while (i && comes_first(&e, &the.events[(i - 1) / 2])) {
		the.events[i] = the.events[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	the.events[i] = e;
}

void sgang_twin_at(struct sgang_job *j, int64_t time)
{
	j->serial = ++the.serial;
	if (the.n_events == the.max_events) {
		size_t max = the.max_events ? 2 * the.max_events : 1024;
		struct twin_event *more = realloc(the.events,
						  max * sizeof(*more));

		if (!more) {
			the.no_memory = true;
			return;
		}
		the.events = more;
		the.max_events = max;
	}
	the.events[the.n_events] = (struct twin_event){ .time = time,
							.serial = j->serial,
							.job = j };
	sift_up(the.n_events++);
}

void sgang_twin_pop(void)
{
	struct twin_event e = the.events[--the.n_events];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < the.n_events &&
		    comes_first(&the.events[child + 1], &the.events[child]))
			child++;
		if (child >= the.n_events ||
		    !comes_first(&the.events[child], &e))
			break;
		the.events[i] = the.events[child];
		i = child;
	}
	the.events[i] = e;
}

const struct twin_event *sgang_twin_next(void)
{
	while (the.n_events &&
	       the.events[0].serial != the.events[0].job->serial)
		sgang_twin_pop();
	return the.n_events ? &the.events[0] : NULL;
}

/* ---- nodes of a job ---- */

static void note_change(void)
{
	the.stamp++;
	the.changed++;
}

/* Slurm counts a time limit from the start, and from the launch of a member
 * that was held. */
static void set_end(struct sgang_job *j)
{
	j->ends = (j->limit == UINT32_MAX) ? INT64_MAX : the.now + j->limit;
}

bool sgang_twin_take(struct sgang_job *j, const struct sgang_nodeset *nodes)
{
	uint32_t n = sgang_nodeset_count(nodes), i = 0;

	j->nodes = malloc((n + 1) * sizeof(*j->nodes));
	if (!j->nodes) {
		the.no_memory = true;
		return false;
	}
	for (uint32_t node = sgang_nodeset_next(nodes, 0);
	     node != SGANG_NODE_NONE;
	     node = sgang_nodeset_next(nodes, node + 1))
		j->nodes[i++] = node;
	j->n_nodes = n;
	sgang_twin_remove(&the.queue, j);
	j->state = TWIN_HELD;
	j->start = the.now;
	j->work = 0;
	j->label = 0;
	j->parked = false;
	j->expected = 0;
	j->starts++;
	set_end(j);
	the.uses++;
	sgang_twin_add_use(j, the.use);
	sgang_twin_insert(&the.running, j, ends_before);
	the.started++;
	note_change();
	return true;
}

void sgang_twin_restart_limit(struct sgang_job *j)
{
	the.uses++;
	sgang_twin_remove(&the.running, j);
	set_end(j);
	sgang_twin_insert(&the.running, j, ends_before);
}

static void begin_work(struct sgang_job *j)
{
	int64_t done = the.now + j->asks->run;

	j->state = TWIN_RUNNING;
	j->work = the.now;
	j->done = done;
	sgang_twin_at(j, done < j->ends ? done : j->ends);
	note_change();
	if (j->gang == SGANG_OUTCOME_NONE)
		sgang_twin_job_started(j);
}

/* Without a conductor members start one by one, and compute nothing before
 * those that the gang needs are there. */
static void launch_stock(struct sgang_job *j)
{
	const struct sgang_outcome_gang *gang = &the.outcome->gangs[j->gang];
	uint32_t there = 0;

	j->state = TWIN_RUNNING;
	sgang_twin_at(j, j->ends);
	for (size_t i = 0; i < the.running.n; i++)
		there += the.running.at[i]->gang == j->gang;
	if (there < gang->min_member)
		return;
	for (size_t i = 0; i < the.running.n; i++) {
		struct sgang_job *member = the.running.at[i];

		if (member->gang == j->gang && !member->work)
			begin_work(member);
	}
	sgang_twin_gang_started(j);
}

void sgang_twin_launch(struct sgang_job *j)
{
	if (j->stock_gang) {
		launch_stock(j);
		return;
	}
	sgang_twin_restart_limit(j);
	begin_work(j);
}

static void give_back(struct sgang_job *j)
{
	the.uses++;
	sgang_twin_subtract_use(j, the.use);
	sgang_twin_remove(&the.running, j);
	the.outcome->idle_work +=
		(uint64_t)((j->work ? j->work : the.now) - j->start) *
		j->n_nodes;
	sgang_twin_charge(j);
	j->struck = 0;
	the.releases++;
	for (uint32_t i = 0; i < j->n_nodes; i++)
		the.released_at[j->nodes[i]] = the.releases;
	note_change();
}

static void drop_nodes(struct sgang_job *j)
{
	free(j->nodes);
	free(j->order);
	j->nodes = j->order = NULL;
	j->n_nodes = 0;
}

static void wait_again(struct sgang_job *j)
{
	drop_nodes(j);
	j->state = TWIN_PENDING;
	j->serial = ++the.serial; /* nothing happens to it */
	j->start = j->work = j->done = 0;
	sgang_twin_prioritise(j);
	sgang_twin_insert(&the.queue, j, sgang_twin_before);
}

void sgang_twin_put_back(struct sgang_job *j)
{
	give_back(j);
	wait_again(j);
}

void sgang_twin_requeue(struct sgang_job *j, int64_t begin)
{
	if (sgang_twin_has_nodes(j)) {
		if (j->work)
			j->lost += (uint64_t)(the.now - j->work) * j->n_nodes;
		give_back(j);
	} else if (j->state == TWIN_ENDED) {
		the.n_left++;
	}
	j->timed_out = j->cancelled = false;
	j->restarts++;
	wait_again(j);
	j->begin = begin;
	if (begin > the.now)
		sgang_twin_at(j, begin);
}

/* Keep what it had for the outcome. */
static void keep_nodes(struct sgang_job *j, struct sgang_outcome_job *out)
{
	struct sgang_outcome *o = the.outcome;

	if (o->n_nodes + j->n_nodes > the.max_nodes) {
		size_t max = 2 * the.max_nodes + j->n_nodes + 1024;
		uint32_t *more = realloc(o->nodes, max * sizeof(*more));

		if (!more) {
			the.no_memory = true;
			return;
		}
		o->nodes = more;
		the.max_nodes = max;
	}
	out->first = o->n_nodes;
	out->n_nodes = j->n_nodes;
	memcpy(o->nodes + o->n_nodes, j->nodes, j->n_nodes * sizeof(*j->nodes));
	o->n_nodes += j->n_nodes;
}

void sgang_twin_end(struct sgang_job *j, enum sgang_outcome_end how)
{
	struct sgang_outcome_job *out = &the.outcome->jobs[j - the.jobs];

	if (sgang_twin_has_nodes(j)) {
		give_back(j);
		if (how == SGANG_OUTCOME_PREEMPTED && j->work)
			j->lost += (uint64_t)(the.now - j->work) * j->n_nodes;
		keep_nodes(j, out);
	} else {
		sgang_twin_remove(&the.queue, j);
		note_change();
	}
	out->start = j->start;
	out->work = j->work;
	out->end = the.now;
	out->how = (uint8_t)how;
	out->starts = j->starts;
	out->lost = j->lost;
	j->timed_out = how != SGANG_OUTCOME_COMPLETED;
	j->cancelled = how == SGANG_OUTCOME_CANCELLED;
	j->state = TWIN_ENDED;
	drop_nodes(j);
	the.n_left--;
	if (the.now > the.outcome->until)
		the.outcome->until = the.now;
	sgang_twin_at(j, the.now + (int64_t)the.rules->min_job_age);
}

/* ---- options of gangs ---- */

static void free_env(struct sgang_job *j)
{
	for (size_t i = 0; i < j->n_env; i++)
		free(j->env[i]);
	free(j->env);
	j->env = NULL;
	j->n_env = 0;
}

void sgang_twin_read_spec(struct sgang_job *j)
{
	if (!j->spec)
		j->spec = malloc(sizeof(*j->spec));
	if (!j->spec) {
		the.no_memory = true;
		return;
	}
	if (sgang_spec_of_job(j->spec, j->env, j->n_env, j->asks->user, NULL) !=
	    1) {
		free(j->spec);
		j->spec = NULL;
	}
}

/* The entries of 'env' may be those that it has. */
bool sgang_twin_set_env(struct sgang_job *j, char *const *env, size_t n)
{
	char **copy = calloc(n + 1, sizeof(*copy));
	size_t i = 0;

	while (copy && i < n && (copy[i] = strdup(env[i])))
		i++;
	if (!copy || i < n) {
		the.no_memory = true;
		while (copy && i)
			free(copy[--i]);
		free(copy);
		return false;
	}
	free_env(j);
	j->env = copy;
	j->n_env = n;
	return true;
}

/* "gang_mode=nonstrict|gang_order=0" */
static void add_options(const char *more, char text[TWIN_OPTIONS][256],
			size_t *n)
{
	while (*more && *n < TWIN_OPTIONS) {
		int len = (int)strcspn(more, "|");

		snprintf(text[(*n)++], 256, SGANG_SPEC_ENV "%.*s", len, more);
		more += len + (more[len] == '|');
	}
}

static void set_options(struct sgang_job *j)
{
	char text[TWIN_OPTIONS][256], *env[TWIN_OPTIONS];
	size_t n = 2;

	snprintf(text[0], 256, SGANG_SPEC_ENV "gang=%s", j->asks->gang);
	snprintf(text[1], 256, SGANG_SPEC_ENV "gang_min_member=%u",
		 the.outcome->gangs[j->gang].min_member);
	add_options(j->asks->options, text, &n);
	for (size_t i = 0; i < n; i++)
		env[i] = text[i];
	if (sgang_twin_set_env(j, env, n))
		sgang_twin_read_spec(j);
}

/* ---- submission ---- */

static bool can_ever_run(const struct sgang_job *j)
{
	uint32_t n = 0;

	if (!j->partition)
		return false;
	for (uint32_t node = 0; node < the.n_nodes && n < j->asks->nodes;
	     node++)
		n += sgang_nodeset_has(j->partition->nodes, node) &&
		     sgang_twin_has_room(j, node);
	return n == j->asks->nodes;
}

void sgang_twin_submit(struct sgang_job *j)
{
	j->state = TWIN_PENDING;
	j->begin = the.now;
	the.submissions++;
	note_change();
	sgang_twin_prioritise(j);
	sgang_twin_insert(&the.queue, j, sgang_twin_before);
	if (!can_ever_run(j)) {
		sgang_twin_end(j, SGANG_OUTCOME_REFUSED);
		the.outcome->jobs[j - the.jobs].end = 0;
		return;
	}
	if (j->gang == SGANG_OUTCOME_NONE)
		return;
	j->stock_gang = !the.conductor || !the.conf.gangs;
	if (j->stock_gang)
		return;
	set_options(j);
	sgang_twin_insert(&the.members, j, is_older);
	sgang_conductor_submitted(the.conductor);
}

void sgang_twin_forget(struct sgang_job *j)
{
	if (j->spec)
		sgang_twin_remove(&the.members, j);
	free_env(j);
	free(j->spec);
	free(j->comment);
	j->spec = NULL;
	j->comment = NULL;
	drop_nodes(j);
	j->state = TWIN_FORGOTTEN;
}
