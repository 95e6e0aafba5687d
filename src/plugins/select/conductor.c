/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conductor.c - the passes: adopt, attempt, release, tell */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conductor_private.h"
#include "faults.h"
#include "plugins/log.h"

/* A gang whose attempt failed is not tried again before something in the
 * cluster changed, or this many seconds have passed (limits, reservations and
 * licences change without telling). */
#define RETRY_SECONDS 5

/* One that wants more whole nodes than are idle cannot start, whatever has
 * changed. It is looked at again after this time to learn when it could. */
#define SHORT_SECONDS 30

/* The longest rest between two passes, in microseconds. */
#define REST_MAX 250000

struct sgang_conductor *sgang_conductor_create(const struct sgang_host *host)
{
	struct sgang_conductor *c = calloc(1, sizeof(*c));
	pthread_condattr_t attr;

	if (!c)
		return NULL;
	c->metrics_file = sgang_metrics_file_create();
	if (!c->metrics_file) {
		free(c);
		return NULL;
	}
	c->host = host;
	c->poked = true;	/* a restart may have left members to find */
	c->fresh = true;
	sgang_conf_default(&c->conf);
	pthread_mutex_init(&c->mutex, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&c->cond, &attr);
	pthread_condattr_destroy(&attr);
	return c;
}

void sgang_conductor_destroy(struct sgang_conductor *c)
{
	if (!c)
		return;
	sgang_conductor_forget_jobs(c);
	sgang_topologies_destroy(c->topologies);
	sgang_conf_free(&c->conf);
	sgang_metrics_file_destroy(c->metrics_file);
	pthread_cond_destroy(&c->cond);
	pthread_mutex_destroy(&c->mutex);
	free(c);
}

void sgang_conductor_configure(struct sgang_conductor *c,
			       struct sgang_topologies *all,
			       const struct sgang_conf *conf)
{
	const struct sgang_topology *first = all ? &all->topology[0] : NULL;

	sgang_conductor_forget_nodes(c);
	if (all != c->topologies)
		sgang_topologies_destroy(c->topologies);
	c->topologies = all;
	c->fabric = first ? first->fabric : NULL;
	c->devices = first ? first->devices : NULL;
	/* Until the next pass asks which of them it has. */
	for (struct gang *g = c->gangs; g; g = g->next)
		g->topology = first;
	sgang_conf_free(&c->conf);
	sgang_conf_copy(&c->conf, conf);
}

void sgang_conductor_forget_nodes(struct sgang_conductor *c)
{
	sgang_nodes_forget(c);
	for (struct gang *g = c->gangs; g; g = g->next) {
		sgang_nodeset_destroy(g->parts);
		g->parts = NULL;
		sgang_nodeset_destroy(g->limit);
		g->limit = NULL;
		sgang_nodeset_destroy(g->planned);
		g->planned = NULL;
		g->reserves = false;
		g->turn = false;
	}
	c->turns = false;
	c->reserving = false;
}

void sgang_conductor_forget_jobs(struct sgang_conductor *c)
{
	c->fresh = true;
	sgang_registry_clear(c);
	c->turns = false;
	c->reserving = false;
}

/* ---- turns ---- */

/* Are too few nodes idle for the gang? False when that cannot be told by
 * counting nodes, since holders might have to give way. The count is kept until
 * something changes. */
static bool short_of_nodes(struct sgang_conductor *c, struct gang *g)
{
	uint64_t stamp = c->host->stamp();

	if (!g->whole_nodes || !g->parts || c->holders)
		return false;
	if (!g->idle_known || g->idle_stamp != stamp) {
		g->idle = c->host->idle(g->parts);
		g->idle_stamp = stamp;
		g->idle_known = true;
	}
	return g->idle < g->whole_nodes;
}

/* Would another attempt only find out the same? */
static bool backed_off(struct sgang_conductor *c, struct gang *g)
{
	int64_t age = c->host->now() - g->failed_time;

	if (!g->failed)
		return false;
	if (g->failed_stamp == c->host->stamp() && age < RETRY_SECONDS)
		return true;
	return age < SHORT_SECONDS && short_of_nodes(c, g);
}

/* Nodes that backfill keeps for jobs before the gang are out of bounds for all
 * of it; what any member was offered is within. The main scheduler offers all
 * there is: no limit. */
static int widen_limit(struct gang *g, const struct sgang_nodeset *nodes,
		       bool reserving)
{
	if (!reserving) {
		sgang_nodeset_destroy(g->limit);
		g->limit = NULL;
	} else if (!g->turn || g->self_turn) {
		sgang_nodeset_destroy(g->limit);
		g->limit = sgang_nodeset_copy(nodes);
		return g->limit ? 0 : -1;
	} else if (g->limit) {
		sgang_nodeset_or(g->limit, nodes);
	}
	return 0;
}

/* Since the last pass all members may have ended, and the name may be that of
 * another gang now. */
static bool any_left(const struct sgang_conductor *c, const struct gang *g)
{
	struct sgang_job_info info = { .state = SGANG_JOB_ENDED };

	for (size_t i = 0; i < g->n_entries; i++) {
		struct sgang_job *job = c->host->find(g->entries[i]->job_id);

		if (job)
			c->host->info(job, &info);
		if (info.state != SGANG_JOB_ENDED)
			return true;
	}
	return false;
}

/* While members are held the others wait for what comes of it, except where
 * they are held until the others are. */
static bool waits_for_holds(const struct gang *g)
{
	return g->n_holds &&
	       (sgang_gang_placed(&g->tally) ||
		sgang_gang_strict(&g->tally));
}

enum sgang_turn sgang_conductor_turn(struct sgang_conductor *c,
				     const struct sgang_spec *spec,
				     uint32_t priority,
				     const struct sgang_nodeset *nodes,
				     bool reserving)
{
	struct gang *g = sgang_registry_get(c, spec->ns, spec->name);

	if (!g)
		return SGANG_TURN_TAKEN;	/* no memory: next cycle */
	if (g->stale)
		return SGANG_TURN_TAKEN;	/* the next pass knows */
	if (sgang_gang_ordinary(&g->tally) && any_left(c, g))
		return SGANG_TURN_ORDINARY;
	if (waits_for_holds(g) || backed_off(c, g))
		return SGANG_TURN_TAKEN;
	if (widen_limit(g, nodes, reserving) < 0)
		return SGANG_TURN_TAKEN;
	if (!g->parts) {
		g->parts = sgang_nodeset_copy(nodes);
		g->parts_of = 0;	/* not all of them */
	}
	if (!g->turn || priority > g->turn_priority)
		g->turn_priority = priority;
	g->turn = true;
	g->self_turn = false;
	c->turns = true;
	sgang_conductor_poke(c);
	return SGANG_TURN_TAKEN;
}

bool sgang_conductor_has_turns(const struct sgang_conductor *c)
{
	return c->turns;
}

/* Has it, or one that it starts with, a turn before jobs of this priority? */
static bool has_turn(const struct gang *g, uint32_t priority)
{
	if (g->turn)
		return priority <= g->turn_priority;
	for (size_t i = 0; i < g->n_group; i++) {
		if (g->group[i]->turn &&
		    priority <= g->group[i]->turn_priority)
			return true;
	}
	return false;
}

bool sgang_conductor_fence(struct sgang_conductor *c, uint32_t priority,
			   struct sgang_nodeset *nodes)
{
	bool taken = false;

	if (!c->turns)
		return false;
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!g->parts || !has_turn(g, priority))
			continue;
		if (!sgang_nodeset_intersects(nodes, g->parts))
			continue;
		sgang_nodeset_subtract(nodes, g->parts);
		taken = true;
	}
	if (taken)
		c->fenced = true;
	return taken;
}

/* What is known of a later start holds until something has changed that could
 * make it sooner, or until it is past. */
int64_t sgang_conductor_joint_start(struct sgang_conductor *c,
				    const struct sgang_spec *spec)
{
	struct gang *g = sgang_registry_find(c, spec->ns, spec->name);

	if (g && c->holders)
		g->wishes = true;
	if (!g || sgang_gang_ordinary(&g->tally) || !g->failed ||
	    g->joint_start <= c->host->now())
		return 0;
	if (g->failed_stamp != c->host->stamp() && !short_of_nodes(c, g))
		return 0;
	return g->joint_start;
}

void sgang_conductor_poke(struct sgang_conductor *c)
{
	pthread_mutex_lock(&c->mutex);
	c->poked = true;
	pthread_cond_signal(&c->cond);
	pthread_mutex_unlock(&c->mutex);
}

void sgang_conductor_ignore(struct sgang_conductor *c)
{
	pthread_mutex_lock(&c->mutex);
	c->poked = false;
	pthread_mutex_unlock(&c->mutex);
}

/* Every submission of a member pokes. Passes that take long leave the locks to
 * others for nine times as long, within reason. */
static void rest(const struct sgang_conductor *c)
{
	uint64_t us = c->last_lock * 9;
	struct timespec nap;

	if (us > REST_MAX)
		us = REST_MAX;
	nap = (struct timespec) { .tv_nsec = (long) us * 1000 };
	nanosleep(&nap, NULL);
}

void sgang_conductor_wait(struct sgang_conductor *c)
{
	struct timespec until;

	rest(c);

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	pthread_mutex_lock(&c->mutex);
	while (!c->poked &&
	       pthread_cond_timedwait(&c->cond, &c->mutex, &until) != ETIMEDOUT)
		;
	pthread_mutex_unlock(&c->mutex);
}

/* ---- the pass ---- */

static bool any_unsaved(const struct sgang_conductor *c)
{
	for (const struct gang *g = c->gangs; g; g = g->next) {
		if (g->n_holds && !g->holds_saved)
			return true;
	}
	return false;
}

static bool any_waiting_holder(const struct sgang_conductor *c)
{
	for (const struct gang *g = c->gangs; g; g = g->next) {
		if (g->n_holds && !sgang_group_placed(g))
			return true;
	}
	return false;
}

static void unlock(struct sgang_conductor *c, uint64_t since)
{
	uint64_t held = c->host->clock_us() - since;

	c->last_lock = held;
	sgang_metrics_observe(&c->metrics, SGANG_HIST_LOCK, (double) held / 1e6);
	/* The settings may change once the locks are free. */
	strcpy(c->metrics_path, c->conf.metrics_file);
	if (held > c->longest_lock)
		c->longest_lock = held;
	c->host->unlock();
}

/* Look at everything, attempt what is due. Returns whether the job state has to
 * be saved; -1 when slurmctld is ending. */
static int first_half(struct sgang_conductor *c)
{
	uint64_t since;
	int save;

	if (!c->host->lock())
		return -1;
	since = c->host->clock_us();
	c->changed = false;
	sgang_registry_collect(c);
	c->fresh = false;
	if (c->conf.gangs)
		sgang_failure_check_all(c);
	sgang_hold_check_all(c);
	sgang_turns_take(c);
	if (any_unsaved(c))
		sgang_fault_die("committed", 1);
	sgang_hold_release_all(c);
	sgang_show_all(c);
	sgang_nodes_show(c);
	sgang_reserve_all(c);
	c->holders = any_waiting_holder(c);
	save = any_unsaved(c) || c->changed;
	if (c->fenced)
		c->host->wake_scheduler();
	c->fenced = false;
	sgang_registry_sweep(c);
	sgang_log(SGANG_LOG_DEBUG, "pass: %llu us, %zu members",
		  (unsigned long long) (c->host->clock_us() - since),
		  c->n_members);
	unlock(c, since);
	return save;
}

/* The holds are on disk: release those that are complete. */
static void second_half(struct sgang_conductor *c)
{
	uint64_t since;

	c->changed = false;
	if (!c->host->lock())
		return;
	since = c->host->clock_us();
	if (any_unsaved(c))
		sgang_fault_die("saved", 1);
	for (struct gang *g = c->gangs; g; g = g->next) {
		g->holds_saved = true;
		/* The pointers to jobs are those of the first half. */
		if (g->n_holds)
			sgang_registry_refresh(c, g);
	}
	sgang_group_collect(c);
	sgang_hold_recheck_all(c);
	sgang_hold_release_all(c);
	unlock(c, since);
}

static void make_pass(struct sgang_conductor *c)
{
	uint64_t stamp;
	bool poked;
	int save;

	pthread_mutex_lock(&c->mutex);
	poked = c->poked;
	c->poked = false;
	pthread_mutex_unlock(&c->mutex);
	stamp = c->host->job_stamp();
	if (!poked && !c->missed && !c->n_members && stamp == c->job_stamp)
		return;		/* no gang, no event: cost nothing */
	c->job_stamp = stamp;
	/* The time between a turn and its attempt, made long. */
	while (sgang_fault("delay", 1))
		usleep(10000);
	save = first_half(c);
	c->missed = save < 0;
	if (save != 1)
		return;
	c->host->save();
	second_half(c);
	if (!c->changed)
		return;
	sgang_fault_die("released", 1);
	c->host->save();
	sgang_fault_die("known", 1);
}

void sgang_conductor_pass(struct sgang_conductor *c)
{
	make_pass(c);
	if (c->metrics_path[0])
		sgang_metrics_file_offer(c->metrics_file, &c->metrics,
					 c->metrics_path,
					 c->host->clock_us());
}

uint64_t sgang_conductor_longest_lock(const struct sgang_conductor *c)
{
	return c->longest_lock;
}
