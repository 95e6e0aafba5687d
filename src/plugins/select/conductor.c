/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conductor.c - the passes: adopt, attempt, release, publish */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conductor_private.h"
#include "faults.h"
#include "plugins/log.h"

/* A failed save is repeated after so many seconds, as in slurmctld itself. */
#define SAVE_SECONDS 5

/* The wait between passes while nodes run a Prolog, whose end sends no event,
 * in microseconds. */
#define PREPARE_WAIT 200000

/* The longest rest between two passes, in microseconds. */
#define REST_MAX 250000

/* A pass for submissions, and for what others have freed, comes after so many
 * times the length of the last pass: at most 2 % of the time is spent on
 * gathering members. The limits are in microseconds. */
#define GATHER_TIMES 49
#define GATHER_MIN 10000
#define GATHER_MAX 1000000

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
	c->poke.any = true; /* a restart may have left members to find */
	c->fresh = c->fresh_cold = true;
	c->fresh_since = host->now();
	c->looks = 1;
	sgang_conf_default(&c->conf);
	pthread_mutex_init(&c->poke.mutex, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&c->poke.cond, &attr);
	pthread_condattr_destroy(&attr);
	return c;
}

void sgang_conductor_destroy(struct sgang_conductor *c)
{
	if (!c)
		return;
	sgang_conductor_forget_jobs(c);
	sgang_drains_forget(c);
	sgang_topologies_destroy(c->topologies);
	sgang_conf_free(&c->conf);
	sgang_metrics_file_destroy(c->metrics_file);
	pthread_cond_destroy(&c->poke.cond);
	pthread_mutex_destroy(&c->poke.mutex);
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
	/* Until the next pass reads the gang's own. */
	for (struct gang *g = c->gangs; g; g = g->next)
		g->topology = first;
	sgang_conf_free(&c->conf);
	sgang_conf_copy(&c->conf, conf);
	c->configured++;
}

void sgang_conductor_forget_nodes(struct sgang_conductor *c)
{
	sgang_nodes_forget(c);
	sgang_drains_forget(c);
	for (struct gang *g = c->gangs; g; g = g->next) {
		sgang_nodeset_destroy(g->partitions.nodes);
		g->partitions.nodes = NULL;
		sgang_nodeset_destroy(g->turn.limit);
		g->turn.limit = NULL;
		sgang_nodeset_destroy(g->turn.offer);
		g->turn.offer = NULL;
		sgang_beside_drop(&g->joint.nodes, &g->joint.share);
		sgang_retry_drop_plan(g);
		sgang_slices_forget_nodes(g);
		sgang_claim_forget(g);
		sgang_keep_forget(g);
		sgang_failed_forget(g);
		for (size_t i = 0; i < g->n_entries; i++)
			sgang_cold_forget_offer(g->entries[i]);
		g->joint.reserved = false;
		g->turn.due = false;
	}
	sgang_reservation_changed(c);
	c->turns = false;
	c->reserving = false;
	c->lost_claims = true;
}

void sgang_conductor_forget_jobs(struct sgang_conductor *c)
{
	c->fresh = c->fresh_cold = true;
	c->fresh_since = c->host->now();
	sgang_slices_sweep(c, true);
	sgang_registry_clear(c);
	c->turns = false;
	c->slicing = false;
	c->reserving = false;
}

bool sgang_conductor_is_fresh(const struct sgang_conductor *c)
{
	return c->fresh;
}

/* ---- turns ---- */

/* Nodes that backfill reserves for jobs before the gang are forbidden for all
 * members; nodes offered to any member are allowed, also to a member that
 * cannot start yet, for which backfill keeps nodes from the others. The main
 * scheduler offers all nodes: no limit. */
static int widen_limit(struct sgang_conductor *c, struct gang *g,
		       const struct sgang_nodeset *nodes, bool reserving)
{
	if (!reserving) {
		sgang_nodeset_destroy(g->turn.limit);
		g->turn.limit = NULL;
		return 0;
	}
	if (!g->turn.due || g->turn.own) {
		sgang_nodeset_destroy(g->turn.limit);
		g->turn.limit = sgang_nodeset_copy(nodes);
		if (!g->turn.limit)
			return -1;
	}
	if (g->turn.limit)
		sgang_nodeset_or(g->turn.limit, nodes);
	if (g->turn.limit && g->turn.offer && g->turn.offer_cycle == c->cycle)
		sgang_nodeset_or(g->turn.limit, g->turn.offer);
	return 0;
}

/* While members are held the others wait for the result, unless the held ones
 * wait for the others. */
static bool waits_for_holds(const struct gang *g)
{
	return g->hold.n &&
	       (sgang_gang_placed(&g->tally) || sgang_gang_strict(&g->tally));
}

enum sgang_turn sgang_conductor_turn(struct sgang_conductor *c,
				     const struct sgang_spec *spec,
				     const struct sgang_standing *s,
				     const struct sgang_nodeset *nodes,
				     bool reserving)
{
	struct gang *g = sgang_registry_get(c, spec->ns, spec->name);

	if (!g)
		return SGANG_TURN_TAKEN; /* no memory: next cycle */
	if (g->stale)
		return SGANG_TURN_TAKEN; /* known in the next pass */
	if (g->preempt.evicted)
		return SGANG_TURN_TAKEN; /* waits as a whole */
	if (sgang_branches_ordinary(g, spec) && sgang_registry_any_left(c, g)) {
		c->wake_scheduler |= c->slicing;
		return c->slicing ? SGANG_TURN_TAKEN : SGANG_TURN_ORDINARY;
	}
	/* the group of the member cannot follow yet */
	if (g->tally.roles.any && sgang_gang_ordinary(&g->tally) &&
	    sgang_registry_any_left(c, g))
		return SGANG_TURN_TAKEN;
	if (g->never.starts || c->save.error || waits_for_holds(g) ||
	    (g->count.returning && !g->tally.satisfied) ||
	    sgang_retry_in_vain(c, g, reserving))
		return SGANG_TURN_TAKEN;
	if (widen_limit(c, g, nodes, reserving) < 0)
		return SGANG_TURN_TAKEN;
	if (!g->partitions.nodes) {
		g->partitions.nodes = sgang_nodeset_copy(nodes);
		g->partitions.of = 0; /* incomplete */
	}
	if (!g->turn.due || g->turn.own ||
	    !sgang_reserve_before(c, &g->turn.first, s))
		g->turn.first = *s;
	g->turn.first.job = NULL; /* later it may be gone */
	g->turn.due = true;
	g->turn.own = false;
	c->turns = true;
	sgang_reservation_changed(c);
	sgang_conductor_poke(c);
	return SGANG_TURN_TAKEN;
}

/* A known later start is valid until a change that could make it earlier, or
 * until it has passed. */
int64_t sgang_conductor_joint_start(struct sgang_conductor *c,
				    const struct sgang_spec *spec)
{
	struct gang *g = sgang_registry_find(c, spec->ns, spec->name);

	if (g && c->holders)
		g->turn.wishes = true;
	if (g && g->preempt.claim)
		return sgang_claim_until(c, g);
	if (!g || sgang_branches_ordinary(g, spec) || !g->attempt.failed ||
	    g->joint.start <= c->host->now())
		return 0;
	return sgang_retry_stands(c, g) ? g->joint.start : 0;
}

void sgang_conductor_planned(struct sgang_conductor *c, uint32_t job_id,
			     int64_t start)
{
	struct entry *e = sgang_registry_entry(c, job_id);

	if (e && start && (!e->first_planned || start < e->first_planned))
		e->first_planned = start;
}

void sgang_conductor_submitted(struct sgang_conductor *c)
{
	pthread_mutex_lock(&c->poke.mutex);
	c->poke.gathered = true;
	pthread_cond_signal(&c->poke.cond);
	pthread_mutex_unlock(&c->poke.mutex);
}

void sgang_conductor_freed(struct sgang_conductor *c)
{
	if (c->waiting)
		sgang_conductor_submitted(c);
}

void sgang_conductor_ignore(struct sgang_conductor *c)
{
	pthread_mutex_lock(&c->poke.mutex);
	c->poke.any = false;
	c->poke.gathered = false;
	pthread_mutex_unlock(&c->poke.mutex);
}

static void add_us(struct timespec *time, uint64_t us)
{
	time->tv_sec += (time_t)(us / 1000000);
	time->tv_nsec += (long)(us % 1000000) * 1000;
	if (time->tv_nsec >= 1000000000) {
		time->tv_nsec -= 1000000000;
		time->tv_sec++;
	}
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec ||
	       (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/* After a long pass the locks are left to others for nine times as long, up to
 * REST_MAX; only for as long while nodes are kept for the next slice. */
static void rest(const struct sgang_conductor *c)
{
	uint64_t us = c->last_lock * (c->slicing ? 1 : 9);
	struct timespec nap;

	if (us > REST_MAX)
		us = REST_MAX;
	nap = (struct timespec){ .tv_nsec = (long)us * 1000 };
	nanosleep(&nap, NULL);
}

/* A pass for each submission, or each end of another job, would read all members
 * each time. The first of them has its pass at once. */
static struct timespec gather_until(const struct sgang_conductor *c)
{
	struct timespec until = c->passed;
	uint64_t us = c->last_lock * GATHER_TIMES;

	if (us < GATHER_MIN)
		us = GATHER_MIN;
	add_us(&until, us > GATHER_MAX ? GATHER_MAX : us);
	return until;
}

/* True if a pass is due. If not, '*until' may become earlier. */
static bool is_due(const struct sgang_conductor *c, struct timespec *until)
{
	struct timespec now, end;

	if (c->poke.any || !c->poke.gathered)
		return c->poke.any;
	clock_gettime(CLOCK_MONOTONIC, &now);
	end = gather_until(c);
	if (!is_before(&now, &end))
		return true;
	if (is_before(&end, until))
		*until = end;
	return false;
}

void sgang_conductor_wait(struct sgang_conductor *c)
{
	struct timespec until;

	rest(c);

	clock_gettime(CLOCK_MONOTONIC, &until);
	add_us(&until, c->preparing ? PREPARE_WAIT : 1000000);
	pthread_mutex_lock(&c->poke.mutex);
	while (!is_due(c, &until) &&
	       pthread_cond_timedwait(&c->poke.cond, &c->poke.mutex, &until) !=
		       ETIMEDOUT)
		;
	pthread_mutex_unlock(&c->poke.mutex);
}

/* ---- the pass ---- */

static bool any_unsaved(const struct sgang_conductor *c)
{
	for (const struct gang *g = c->gangs; g; g = g->next) {
		if (g->hold.n && !g->hold.saved && !sgang_hold_committing(g))
			return true;
	}
	return false;
}

static bool any_failed(const struct sgang_conductor *c)
{
	const struct gang *g = c->gangs;

	while (g && !g->attempt.failed)
		g = g->next;
	return g != NULL;
}

static bool any_waiting_holder(const struct sgang_conductor *c)
{
	for (const struct gang *g = c->gangs; g; g = g->next) {
		if (g->hold.n && !sgang_hold_committing(g) &&
		    !sgang_group_placed(g))
			return true;
	}
	return false;
}

/* The time at which the locks were taken. */
struct since {
	uint64_t wall, cpu;
};

static struct since begin(struct sgang_conductor *c)
{
	sgang_reservation_stand(c, false);
	return (struct since){ c->host->clock_us(), c->host->cpu_us() };
}

/* tests/bench reads this line. */
static void unlock(struct sgang_conductor *c, const struct since *since)
{
	uint64_t held = c->host->clock_us() - since->wall;

	sgang_log(SGANG_LOG_DEBUG, "pass: %llu us, %zu members, %llu us of CPU",
		  (unsigned long long)held, c->n_members,
		  (unsigned long long)(c->host->cpu_us() - since->cpu));
	c->last_lock = held;
	sgang_metrics_observe(&c->metrics, SGANG_HIST_LOCK, (double)held / 1e6);
	/* The settings may change once the locks are free. */
	strcpy(c->metrics_path, c->conf.metrics_file);
	sgang_reservation_stand(c, true);
	c->host->unlock();
}

/* Take the locks. What was told while they were waited for is in this pass, too;
 * files that are to be read or written by then wait for a second at most. */
static bool lock(struct sgang_conductor *c)
{
	bool locked = c->host->lock();

	sgang_conductor_ignore(c);
	return locked;
}

/* Read all jobs and attempt gangs whose turn is due. Returns whether the job
 * state must be saved; -1 when slurmctld is ending. */
static int first_half(struct sgang_conductor *c)
{
	struct since since;
	int save;

	if (!lock(c))
		return -1;
	since = begin(c);
	c->locked_at = since.cpu;
	c->changed = false;
	c->preparing = false;
	sgang_registry_collect(c);
	sgang_group_collect(c);
	sgang_drains_look(c);
	if (c->fresh || c->lost_claims)
		sgang_claim_recover_all(c);
	if (c->fresh) {
		sgang_epoch_recover_all(c);
		sgang_ends_recover_all(c);
		sgang_below_recover_all(c);
	}
	c->fresh = false;
	sgang_reserve_review(c);
	sgang_evict_check_all(c);
	sgang_move_check_all(c);
	sgang_cold_again_look_all(c);
	if (c->conf.gangs) {
		sgang_failure_check_all(c);
		sgang_success_check_all(c);
		sgang_stale_check_all(c);
	}
	sgang_cold_check_all(c);
	sgang_placeholder_check_all(c);
	sgang_placeholder_wait_all(c);
	sgang_spare_check_all(c);
	sgang_replace_check_all(c);
	sgang_restart_check_all(c);
	sgang_hold_check_all(c);
	sgang_never_check_all(c);
	sgang_barred_check_all(c);
	sgang_claim_review_all(c);
	sgang_keep_look_all(c);
	sgang_failed_look_all(c);
	sgang_ahead_plan_all(c);
	sgang_turns_take(c);
	sgang_cold_again_all(c);
	sgang_cold_take_all(c);
	sgang_placeholder_swap_all(c);
	sgang_claim_tell_all(c);
	if (any_unsaved(c))
		sgang_fault_die("committed", 1);
	sgang_hold_release_all(c);
	sgang_cold_release_all(c);
	sgang_epoch_check_all(c);
	sgang_publish_all(c);
	sgang_nodes_show(c);
	sgang_reserve_all(c);
	c->holders = any_waiting_holder(c);
	c->waiting = any_failed(c);
	save = any_unsaved(c) || c->changed || c->save.error;
	c->slicing = sgang_slices_gang(c) != NULL;
	if (c->wake_scheduler && !c->slicing) {
		c->host->wake_scheduler();
		c->wake_scheduler = false;
	}
	sgang_slices_sweep(c, false);
	sgang_registry_sweep(c);
	unlock(c, &since);
	return save;
}

/* The holds are saved: release the complete ones. */
static void second_half(struct sgang_conductor *c)
{
	struct since since;

	c->changed = false;
	if (!c->host->lock())
		return;
	since = begin(c);
	if (any_unsaved(c))
		sgang_fault_die("saved", 1);
	for (struct gang *g = c->gangs; g; g = g->next) {
		g->hold.saved = true;
		sgang_cold_saved(g);
		/* The pointers to jobs are those of the first half, and holds
		 * may have been given to a job that preempts. */
		if (g->hold.n || g->tally.held)
			sgang_registry_refresh(c, g);
	}
	sgang_group_collect(c);
	sgang_hold_recheck_all(c);
	sgang_hold_release_all(c);
	sgang_cold_release_all(c);
	sgang_claim_strike_all(c);
	sgang_move_go_all(c);
	sgang_epoch_tell_all(c);
	unlock(c, &since);
}

static void log_save(const struct sgang_conductor *c, int error)
{
	if (error && !c->save.error)
		sgang_log(
			SGANG_LOG_ERROR,
			"slurmctld cannot save its state (%s): no gang starts until it can; see StateSaveLocation",
			strerror(error));
	else if (!error && c->save.error)
		sgang_log(SGANG_LOG_INFO,
			  "slurmctld saves its state again: gangs start");
}

/* Holds that a crash would lose must not be launched. */
static bool save_state(struct sgang_conductor *c)
{
	int64_t now = c->host->now();
	int error;

	if (c->save.error && now - c->save.time < SAVE_SECONDS)
		return false;
	error = c->host->save();
	if (error)
		sgang_metrics_add(&c->metrics, SGANG_COUNT_UNSAVED);
	log_save(c, error);
	c->save.error = error;
	c->save.time = now;
	return !error;
}

static void make_pass(struct sgang_conductor *c)
{
	uint64_t stamp;
	bool poked;
	int save;

	pthread_mutex_lock(&c->poke.mutex);
	poked = c->poke.any || c->poke.gathered;
	pthread_mutex_unlock(&c->poke.mutex);
	stamp = c->host->job_stamp();
	if (!poked && !c->missed && !c->n_members && stamp == c->job_stamp)
		return; /* no gang, no event: no cost */
	c->job_stamp = stamp;
	/* Extends the time between a turn and its attempt. */
	while (sgang_fault("delay", 1))
		usleep(10000);
	save = first_half(c);
	c->missed = save < 0;
	if (save != 1 || !save_state(c))
		return;
	second_half(c);
	if (!c->changed)
		return;
	sgang_fault_die("released", 1);
	(void)save_state(c);
	sgang_fault_die("known", 1);
}

void sgang_conductor_pass(struct sgang_conductor *c)
{
	make_pass(c);
	clock_gettime(CLOCK_MONOTONIC, &c->passed);
	if (c->metrics_path[0])
		sgang_metrics_file_offer(c->metrics_file, &c->metrics,
					 c->metrics_path, c->host->clock_us());
}
