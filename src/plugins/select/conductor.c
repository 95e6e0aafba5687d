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

struct sgang_conductor *sgang_conductor_create(const struct sgang_host *host)
{
	struct sgang_conductor *c = calloc(1, sizeof(*c));
	pthread_condattr_t attr;

	if (!c)
		return NULL;
	c->host = host;
	c->poked = true;	/* a restart may have left members to find */
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
	sgang_fabric_destroy(c->fabric);
	pthread_cond_destroy(&c->cond);
	pthread_mutex_destroy(&c->mutex);
	free(c);
}

void sgang_conductor_configure(struct sgang_conductor *c,
			       struct sgang_fabric *fabric,
			       const struct sgang_conf *conf)
{
	sgang_conductor_forget_nodes(c);
	if (fabric != c->fabric)
		sgang_fabric_destroy(c->fabric);
	c->fabric = fabric;
	c->conf = *conf;
}

void sgang_conductor_forget_nodes(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		sgang_nodeset_destroy(g->parts);
		g->parts = NULL;
		sgang_nodeset_destroy(g->limit);
		g->limit = NULL;
		g->turn = false;
	}
	c->turns = false;
}

void sgang_conductor_forget_jobs(struct sgang_conductor *c)
{
	while (c->gangs) {
		struct gang *g = c->gangs;

		c->gangs = g->next;
		sgang_registry_free(g);
	}
	memset(c->bucket, 0, sizeof(c->bucket));
	c->n_members = 0;
	c->turns = false;
}

/* ---- turns ---- */

/* Are too few nodes idle for the gang? False when that cannot be told by
 * counting nodes. The count is kept until something changes. */
static bool short_of_nodes(struct sgang_conductor *c, struct gang *g)
{
	uint64_t stamp = c->host->stamp();

	if (!g->whole_nodes || !g->parts)
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
	} else if (!g->turn) {
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
		struct sgang_job *job = c->host->find(g->entries[i].job_id);

		if (job)
			c->host->info(job, &info);
		if (info.state != SGANG_JOB_ENDED)
			return true;
	}
	return false;
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
	if (g->tally.satisfied && any_left(c, g))
		return SGANG_TURN_ORDINARY;
	/* While members are held the others wait for what comes of it. */
	if (g->n_holds || backed_off(c, g))
		return SGANG_TURN_TAKEN;
	if (widen_limit(g, nodes, reserving) < 0)
		return SGANG_TURN_TAKEN;
	if (!g->parts)
		g->parts = sgang_nodeset_copy(nodes);
	if (!g->turn || priority > g->turn_priority)
		g->turn_priority = priority;
	g->turn = true;
	c->turns = true;
	sgang_conductor_poke(c);
	return SGANG_TURN_TAKEN;
}

bool sgang_conductor_has_turns(const struct sgang_conductor *c)
{
	return c->turns;
}

bool sgang_conductor_fence(struct sgang_conductor *c, uint32_t priority,
			   struct sgang_nodeset *nodes)
{
	bool taken = false;

	if (!c->turns)
		return false;
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!g->turn || priority > g->turn_priority || !g->parts)
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

	if (!g || g->tally.satisfied || !g->failed ||
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

void sgang_conductor_wait(struct sgang_conductor *c)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	pthread_mutex_lock(&c->mutex);
	while (!c->poked &&
	       pthread_cond_timedwait(&c->cond, &c->mutex, &until) != ETIMEDOUT)
		;
	pthread_mutex_unlock(&c->mutex);
}

/* ---- holds ---- */

static int by_member_rank(const void *a, const void *b)
{
	const struct hold *x = a, *y = b;

	return (x->record.member_rank < y->record.member_rank) ? -1 :
	       (x->record.member_rank > y->record.member_rank);
}

static bool known_hold(const struct gang *g, uint32_t job_id)
{
	for (size_t i = 0; i < g->n_holds; i++) {
		if (g->holds[i].job_id == job_id)
			return true;
	}
	return false;
}

/* After a restart of slurmctld the holds are in the job records alone. */
static void adopt_holds(struct sgang_conductor *c, struct gang *g)
{
	size_t before = g->n_holds;

	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = &g->entries[i];
		struct hold *more;

		if (e->m.state != SGANG_MEMBER_HELD ||
		    known_hold(g, e->job_id))
			continue;
		more = realloc(g->holds, (g->n_holds + 1) * sizeof(*more));
		if (!more)
			return;		/* the next pass tries again */
		g->holds = more;
		g->holds[g->n_holds].job_id = e->job_id;
		g->holds[g->n_holds++].record = e->record;
		c->host->adopt(e->job);
	}
	if (g->n_holds == before)
		return;
	qsort(g->holds, g->n_holds, sizeof(*g->holds), by_member_rank);
	g->attempts = g->holds[0].record.attempts;
	g->holds_saved = true;
	sgang_log(SGANG_LOG_INFO, "%s/%s: found %zu held members again", g->ns,
		  g->name, g->n_holds - before);
}

static void forget_lost_holds(struct sgang_conductor *c, struct gang *g)
{
	const struct sgang_host *h = c->host;
	size_t kept = 0;

	for (size_t i = 0; i < g->n_holds; i++) {
		struct sgang_job *job = h->find(g->holds[i].job_id);

		if (job && h->held(job)) {
			g->holds[kept++] = g->holds[i];
			continue;
		}
		sgang_log(SGANG_LOG_INFO,
			  "%s/%s: held member %u is lost", g->ns, g->name,
			  g->holds[i].job_id);
		if (job)
			h->drop(job);
		c->changed = true;
	}
	g->n_holds = kept;
}

/* A hold can end without us: scancel, a node that fails. The rest goes on if
 * it is still enough, else it gives everything back. */
static void check_holds(struct sgang_conductor *c, struct gang *g)
{
	size_t before = g->n_holds, expected;

	if (!before || g->stale)
		return;
	expected = g->holds[0].record.members;
	forget_lost_holds(c, g);
	if (g->n_holds == before && before >= expected)
		return;
	if (g->n_holds >= g->tally.min_member) {
		sgang_describe_holds(c, g, NULL);
		return;
	}
	sgang_log(SGANG_LOG_INFO,
		  "%s/%s: %zu of %u members are left: rolled back", g->ns,
		  g->name, g->n_holds, g->tally.min_member);
	sgang_attempt_rollback(c, g);
	g->stale = true;
	sgang_conductor_poke(c);
}

static void release(struct sgang_conductor *c, struct gang *g)
{
	const struct sgang_host *h = c->host;
	struct sgang_record *r;

	/* First say in every record that the gang has started, then launch:
	 * a crash in between must not find a gang half held, half running. */
	for (size_t i = 0; i < g->n_holds; i++) {
		struct sgang_job *job = h->find(g->holds[i].job_id);
		struct sgang_job_info info;
		char *text;

		r = &g->holds[i].record;
		r->phase = SGANG_PHASE_RUNNING;
		r->satisfied = true;
		h->info(job, &info);
		text = sgang_record_format(r, info.comment);
		if (text)
			h->comment(job, text);
		free(text);
	}
	for (size_t i = 0; i < g->n_holds; i++)
		h->release(h->find(g->holds[i].job_id));
	r = &g->holds[0].record;
	sgang_log(SGANG_LOG_INFO,
		  "%s/%s: started %zu members, ring cost %llu (empty cluster %llu), %llu cross links, tier %s",
		  g->ns, g->name, g->n_holds,
		  (unsigned long long) r->ring_cost,
		  (unsigned long long) r->ring_best,
		  (unsigned long long) r->cross_links, r->tier);
	g->n_holds = 0;
	g->tally.satisfied = true;
	g->phase = SGANG_PHASE_RUNNING;
	c->changed = true;
	sgang_conductor_poke(c);	/* later members become ordinary jobs */
}

static void release_if_ready(struct sgang_conductor *c, struct gang *g)
{
	if (!g->n_holds || !g->holds_saved || g->stale)
		return;
	for (size_t i = 0; i < g->n_holds; i++) {
		if (!c->host->ready(c->host->find(g->holds[i].job_id)))
			return;
	}
	release(c, g);
}

/* ---- what the members show ---- */

static void write_record(struct sgang_conductor *c, const struct gang *g,
			 struct entry *e)
{
	struct sgang_record r = e->record;
	char *text;

	if (!e->has_record || e->m.state == SGANG_MEMBER_PENDING)
		memset(&r, 0, sizeof(r));
	strcpy(r.ns, g->ns);
	strcpy(r.name, g->name);
	r.phase = g->phase;
	r.min_member = g->tally.min_member;
	r.total = g->tally.total;
	r.satisfied = g->tally.satisfied;
	r.attempts = g->attempts;
	text = sgang_record_format(&r, e->comment);
	if (text && (!e->comment || strcmp(text, e->comment)))
		c->host->comment(e->job, text);
	free(text);
}

static void show_pending(struct sgang_conductor *c, const struct gang *g,
			 struct entry *e)
{
	bool ordinary = g->tally.satisfied || !c->conf.gangs;
	char text[320];

	if (ordinary || sgang_gang_may_start(&g->tally)) {
		if (e->parked) {
			c->host->unpark(e->job);
			c->fenced = true;
		}
	}
	if (ordinary)
		return;
	sgang_gang_text(&g->tally, g->why, text, sizeof(text));
	if (sgang_gang_may_start(&g->tally))
		c->host->tell(e->job, text, g->failed);
	else if (e->parked || e->m.eligible)
		c->host->park(e->job, text);
}

static void log_phase(const struct gang *g, enum sgang_phase phase)
{
	if (phase == SGANG_PHASE_FINISHED)
		sgang_log(SGANG_LOG_INFO, "%s/%s: %s", g->ns, g->name,
			  sgang_phase_name(phase));
	else
		sgang_log(SGANG_LOG_INFO, "%s/%s: %s (%u of %u members)",
			  g->ns, g->name, sgang_phase_name(phase),
			  g->tally.pending + g->tally.running,
			  g->tally.min_member);
}

static void show(struct sgang_conductor *c, struct gang *g)
{
	enum sgang_phase phase = sgang_gang_phase(&g->tally);

	/* attempt.c and release() have said it, or the next pass will. */
	if (g->n_holds || g->stale)
		return;
	if (phase != g->phase)
		log_phase(g, phase);
	g->phase = phase;
	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = &g->entries[i];

		if (e->m.state == SGANG_MEMBER_PENDING)
			show_pending(c, g, e);
		write_record(c, g, e);
	}
}

/* ---- the pass ---- */

static int turn_order(const void *a, const void *b)
{
	const struct gang *const *x = a, *const *y = b;

	return sgang_gang_turn_order(&(*x)->tally, &(*y)->tally);
}

/* One attempt for each gang that has its turn, in the order of their turns. */
static void take_turns(struct sgang_conductor *c)
{
	struct gang **list;
	size_t n = 0;

	for (struct gang *g = c->gangs; g; g = g->next)
		n += g->turn;
	list = calloc(n ? n : 1, sizeof(*list));
	if (!list)
		return;		/* the turns stay, the next pass takes them */
	n = 0;
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (g->turn)
			list[n++] = g;
	}
	qsort(list, n, sizeof(*list), turn_order);
	for (size_t i = 0; i < n; i++) {
		if (c->fabric && !list[i]->stale &&
		    sgang_gang_may_start(&list[i]->tally))
			sgang_attempt(c, list[i]);
		list[i]->turn = false;
		sgang_nodeset_destroy(list[i]->limit);
		list[i]->limit = NULL;
	}
	c->turns = false;
	free(list);
}

static bool any_unsaved(const struct sgang_conductor *c)
{
	for (const struct gang *g = c->gangs; g; g = g->next) {
		if (g->n_holds && !g->holds_saved)
			return true;
	}
	return false;
}

static void unlock(struct sgang_conductor *c, uint64_t since)
{
	uint64_t held = c->host->clock_us() - since;

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
	for (struct gang *g = c->gangs; g; g = g->next) {
		adopt_holds(c, g);
		check_holds(c, g);
	}
	take_turns(c);
	for (struct gang *g = c->gangs; g; g = g->next) {
		show(c, g);
		/* A gang of one cannot be half started: nothing to save. */
		if (g->n_holds == 1 && g->tally.total == 1)
			g->holds_saved = true;
		release_if_ready(c, g);
	}
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
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!g->n_holds)
			continue;
		g->holds_saved = true;
		check_holds(c, g);
		release_if_ready(c, g);
	}
	unlock(c, since);
}

void sgang_conductor_pass(struct sgang_conductor *c)
{
	bool poked;
	int save;

	pthread_mutex_lock(&c->mutex);
	poked = c->poked;
	c->poked = false;
	pthread_mutex_unlock(&c->mutex);
	if (!poked && !c->missed && !c->n_members)
		return;		/* no gang, no event: cost nothing */
	/* The time between a turn and its attempt, made long. */
	while (sgang_fault("delay", 1))
		usleep(10000);
	save = first_half(c);
	c->missed = save < 0;
	if (save != 1)
		return;
	c->host->save();
	second_half(c);
	if (c->changed)
		c->host->save();
}

uint64_t sgang_conductor_longest_lock(const struct sgang_conductor *c)
{
	return c->longest_lock;
}
