/* SPDX-License-Identifier: GPL-2.0-or-later */
/* registry.c - the gangs, from the job records */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"
#include "core/base/hash.h"
#include "plugins/log.h"

/* Slurm delays a requeued job by two minutes. */
#define RETURN_SECONDS 150

/* ---- entries ---- */

static struct entry **entry_bucket(struct sgang_conductor *c, uint32_t job_id)
{
	return &c->entry_bucket[job_id % SGANG_ENTRY_BUCKETS];
}

static void set_seen(struct sgang_conductor *c, struct entry *e, bool seen)
{
	c->n_seen += seen;
	c->n_seen -= sgang_registry_seen(c, e);
	e->seen = seen ? c->looks : 0;
}

static void free_entry(struct sgang_conductor *c, struct entry *e)
{
	set_seen(c, e, false);
	c->n_entries--;
	sgang_cold_forget_offer(e);
	free(e->comment);
	free(e);
}

/* The job's entry at the last look. A new record, as for the rest of an array,
 * has its environment at another address with the same content. If the content
 * differs, it is another job. */
static struct entry *find_entry(struct sgang_conductor *c,
				const struct sgang_job_info *info)
{
	struct entry **at = entry_bucket(c, info->job_id), *e;
	struct sgang_spec spec;

	while (*at && (*at)->job_id != info->job_id)
		at = &(*at)->chain;
	e = *at;
	if (!e || (e->env == info->env && e->n_env == info->n_env))
		return e;
	if (sgang_spec_of_job(&spec, info->env, info->n_env, info->user,
			      NULL) == 1 &&
	    !strcmp(spec.ns, e->spec.ns) && !strcmp(spec.name, e->spec.name)) {
		e->spec = spec;
		e->env = info->env;
		e->n_env = info->n_env;
		e->version = ++c->versions;
		return e;
	}
	*at = e->chain;
	free_entry(c, e);
	return NULL;
}

/* A task just split off its array for a hold is the last one. */
static bool is_held(const struct gang *g, uint32_t job_id)
{
	for (size_t i = g->hold.n; i-- > 0;) {
		if (g->hold.members[i].job_id == job_id)
			return true;
	}
	return false;
}

static struct entry *new_entry(struct sgang_conductor *c,
			       const struct sgang_job_info *info,
			       const struct sgang_spec *spec)
{
	struct entry **bucket = entry_bucket(c, info->job_id);
	struct entry *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->gang = sgang_registry_get(c, spec->ns, spec->name);
	if (!e->gang) {
		free(e);
		return NULL;
	}
	e->job_id = info->job_id;
	e->hold = is_held(e->gang, e->job_id);
	e->gang->hold.marked |= e->hold;
	e->env = info->env;
	e->n_env = info->n_env;
	e->spec = *spec;
	e->m.spec = &e->spec;
	e->version = ++c->versions;
	e->chain = *bucket;
	*bucket = e;
	c->n_entries++;
	return e;
}

/* Drop the entries without a job. */
static void drop_unseen(struct sgang_conductor *c)
{
	for (size_t i = 0; i < SGANG_ENTRY_BUCKETS && c->n_seen < c->n_entries;
	     i++) {
		struct entry **at = &c->entry_bucket[i];

		while (*at) {
			struct entry *e = *at;

			if (sgang_registry_seen(c, e)) {
				at = &e->chain;
				continue;
			}
			*at = e->chain;
			free_entry(c, e);
		}
	}
}

static void unsee_all(struct sgang_conductor *c)
{
	c->looks++;
	c->n_seen = 0;
}

int sgang_registry_room(struct gang *g)
{
	if (g->n_entries == g->cap_entries) {
		size_t cap = g->cap_entries ? g->cap_entries * 2 : 8;
		struct entry **more = realloc(g->entries, cap * sizeof(*more));

		if (!more)
			return -1;
		g->entries = more;
		g->cap_entries = cap;
	}
	return 0;
}

static int list_entry(struct gang *g, struct entry *e)
{
	if (sgang_registry_room(g) < 0)
		return -1;
	g->entries[g->n_entries++] = e;
	return 0;
}

static void free_gang(struct gang *g)
{
	sgang_branches_forget(g);
	sgang_branches_forget_ends(g);
	sgang_ends_forget(g);
	free(g->entries);
	free(g->group.gangs);
	free(g->hold.members);
	while (g->cold.n)
		sgang_cold_take_out(g, g->cold.spares);
	free(g->cold.spares);
	free(g->placeholders.list);
	sgang_nodeset_destroy(g->partitions.nodes);
	sgang_nodeset_destroy(g->turn.limit);
	sgang_nodeset_destroy(g->turn.offer);
	sgang_retry_drop_plan(g);
	sgang_beside_drop(&g->joint.nodes, &g->joint.share);
	sgang_claim_forget(g);
	sgang_keep_forget(g);
	sgang_failed_forget(g);
	sgang_ranks_forget(g);
	free(g);
}

/* ---- reading jobs ---- */

/* Slurm replaces the field as a whole, so a change of text shows a new record.
 */
static int read_comment(struct sgang_conductor *c, struct entry *e,
			const char *comment)
{
	char *copy;

	if (e->comment ? comment && !strcmp(e->comment, comment) : !comment)
		return 0;
	copy = comment ? strdup(comment) : NULL;
	if (comment && !copy)
		return -1;
	free(e->comment);
	e->comment = copy;
	memset(&e->record, 0, sizeof(e->record));
	e->has_record = sgang_record_parse(comment, &e->record) == 1;
	e->version = ++c->versions;
	return 0;
}

/* True if slurmctld died before all launch messages had been sent: the time of
 * the hold is still in the record. */
static bool was_just_released(const struct entry *e)
{
	return e->has_record && e->record.phase == SGANG_PHASE_RUNNING &&
	       e->record.since && e->record.started;
}

/* A job that was allocated but not launched is a hold of ours when we remember
 * it, or when its record says so (slurmctld was restarted meanwhile). A member
 * of a gang that has started may be configuring for Slurm's own reasons. If a
 * record cannot be read after a restart, the state of the job decides: a hold
 * too many is released, a start too early cannot be undone. */
static bool is_hold(const struct sgang_conductor *c, const struct entry *e,
		    const struct sgang_job_info *info)
{
	if (info->state != SGANG_JOB_CONFIGURING)
		return false;
	if (e->hold)
		return true;
	return e->has_record ? e->record.phase == SGANG_PHASE_STARTING ||
				       e->record.phase == SGANG_PHASE_HOLDING :
			       c->fresh;
}

static enum sgang_member_state member_state(const struct sgang_conductor *c,
					    const struct entry *e,
					    const struct sgang_job_info *info)
{
	if (info->state == SGANG_JOB_PENDING)
		return SGANG_MEMBER_PENDING;
	/* Of a gang that has started; it is never launched. */
	if (e->spec.placeholder && !e->hold && e->has_record &&
	    e->record.phase == SGANG_PHASE_RUNNING)
		return SGANG_MEMBER_RUNNING;
	if ((c->fresh && was_just_released(e)) || is_hold(c, e, info))
		return SGANG_MEMBER_HELD;
	return SGANG_MEMBER_RUNNING;
}

/* All inputs of a gang's tally must be in this hash. */
static uint64_t hash_look(const struct entry *e)
{
	const struct sgang_member *m = &e->m;
	uint64_t hash = sgang_hash(e->version, e->request);

	hash = sgang_hash(hash, (uint64_t)m->job_id << 32 | m->task_id);
	hash = sgang_hash(hash, (uint64_t)m->tasks << 32 | m->priority);
	hash = sgang_hash(hash, (uint64_t)m->uid << 32 | m->held_for);
	hash = sgang_hash(hash, (uint64_t)m->hold_max << 32 | m->state << 2 |
					(uint64_t)m->eligible << 1 |
					m->stopped);
	hash = sgang_hash(hash, m->wait_max);
	hash = sgang_hash(hash, (uint64_t)m->submit_time);
	return sgang_hash(hash, (uint64_t)m->eligible_time);
}

static void read_info(struct sgang_conductor *c, struct entry *e,
		      const struct sgang_job_info *info)
{
	struct gang *g = e->gang;

	e->job = info->job;
	set_seen(c, e, true);
	e->parked = info->parked;
	e->barred = info->barred;
	e->request = (info->state == SGANG_JOB_PENDING) ?
			     c->host->jobs.request(info->job) :
			     0;
	e->tier = info->tier;
	e->restarts = info->restarts;
	e->expected = info->expected;
	if (e->first_planned && e->first_planned < e->expected)
		e->expected = e->first_planned;
	if (read_comment(c, e, info->comment) < 0)
		g->stale = true;
	e->m.record = e->has_record ? &e->record : NULL;
	e->m.uid = info->uid;
	e->m.hold_max = info->hold_max;
	e->m.wait_max = sgang_conf_max_waiting_time(&c->conf, info->partitions);
	if (e->has_record && e->record.held_for > e->m.held_for)
		e->m.held_for = e->record.held_for;
	e->m.state = member_state(c, e, info);
	e->m.tasks = info->tasks;
	e->m.eligible = info->eligible;
	e->m.stopped = info->stopped;
	/* after a restart */
	if (e->has_record && e->record.attempts > g->attempt.nth)
		g->attempt.nth = e->record.attempts;
	if (e->has_record && c->fresh && !g->hold.end)
		g->hold.end = e->record.hold_end;
	if (e->has_record && e->record.round > e->round)
		e->round = e->record.round;
	e->m.job_id = info->array_id ? info->array_id : info->job_id;
	e->m.task_id = info->task_id;
	e->m.priority = info->priority;
	e->m.submit_time = info->submit_time;
	e->m.eligible_time = info->eligible_time;
	e->label = info->label;
	e->look = hash_look(e);
}

/* The newest definition counts (0.24). */
static void take_object(struct gang *g, struct entry *e)
{
	const struct entry *o = g->object;

	if (!o || e->m.submit_time > o->m.submit_time ||
	    (e->m.submit_time == o->m.submit_time && e->job_id > o->job_id))
		g->object = e;
}

static void note_lost(struct gang *g, const struct sgang_job_info *info,
		      const struct sgang_record *r)
{
	if (r->started < g->lost.started)
		return;
	if (r->started > g->lost.started) {
		g->lost.started = r->started;
		g->lost.cancelled = false;
		g->lost.policy = SGANG_ON_FAILURE_IGNORE;
	}
	if (r->on_failure > g->lost.policy)
		g->lost.policy = r->on_failure;
	g->lost.member = info->job_id;
	g->lost.cancelled |= info->cancelled;
}

/* A member that was leaving a draining node (move.c) is not lost. */
static bool look_at_leaver(struct sgang_conductor *c,
			   const struct sgang_job_info *info)
{
	struct sgang_record r;
	struct gang *g;

	if (!info->failed || !info->comment ||
	    !strstr(info->comment, " leaves=") ||
	    sgang_record_parse(info->comment, &r) != 1 || !r.leaves ||
	    !r.started)
		return false;
	g = sgang_registry_get(c, r.ns, r.name);
	if (g)
		g->move.ended = info->job_id;
	return g != NULL;
}

/* An ended job matters only if it ran in a gang that must not lose a member,
 * and has failed. Most gangs have no such policy, so this is checked first. All
 * members may have failed; then only they show the gang. A job with "ignore"
 * may be a loss to other users' members. */
static void look_at_ended(struct sgang_conductor *c,
			  const struct sgang_job_info *info)
{
	struct sgang_record r;
	struct gang *g;

	if (!info->failed || !info->comment ||
	    !strstr(info->comment, " onfailure=") ||
	    sgang_record_parse(info->comment, &r) != 1 || !r.started ||
	    r.evicted || r.success || r.phase == SGANG_PHASE_FAILED ||
	    (r.spare && r.on_failure != SGANG_ON_FAILURE_REPLACE))
		return;
	g = r.on_failure == SGANG_ON_FAILURE_IGNORE ?
		    sgang_registry_find(c, r.ns, r.name) :
		    sgang_registry_get(c, r.ns, r.name);
	if (g)
		note_lost(g, info, &r);
}

/* A member held when slurmctld died that had been launched and has ended since.
 * Its start is that of the others, once they are released. If nobody is left, it
 * is the time of the hold. */
static void look_at_launched(struct sgang_conductor *c,
			     const struct sgang_job_info *info,
			     struct sgang_record *r)
{
	struct gang *g = sgang_registry_find(c, r->ns, r->name);

	if (g && (c->fresh || sgang_hold_recovered(g))) {
		g->hold.begun = r->since;
		g->hold.ended = true;
	} else if (!c->fresh) {
		sgang_publish_started(c, g, info->job, r, r->since);
	}
	/* Without a member that holds there may be no other event. */
	if (!g || !g->hold.n)
		sgang_conductor_poke(c);
}

static void no_memory(const struct sgang_job_info *info,
		      const struct sgang_spec *spec)
{
	sgang_log(SGANG_LOG_ERROR, "no memory for job %u of gang %s/%s",
		  info->job_id, spec->ns, spec->name);
}

static void look_at(const struct sgang_job_info *info, void *arg)
{
	struct sgang_conductor *c = arg;
	struct sgang_record r;
	struct sgang_spec spec;
	struct entry *e;
	bool listed;

	if (info->state == SGANG_JOB_ENDED) {
		e = find_entry(c, info);
		if (e)
			sgang_ends_note(c, e->gang, info);
		if (!look_at_leaver(c, info))
			look_at_ended(c, info);
		if (sgang_publish_unstarted(info, &r))
			look_at_launched(c, info, &r);
		else
			sgang_publish_ended(c, info);
		return;
	}
	e = find_entry(c, info);
	listed = e && sgang_registry_seen(c, e);
	if (!e) {
		if (sgang_spec_of_job(&spec, info->env, info->n_env, info->user,
				      NULL) != 1)
			return;
		e = new_entry(c, info, &spec);
		if (!e) {
			struct gang *g = sgang_registry_find(c, spec.ns,
							     spec.name);

			no_memory(info, &spec);
			if (g)
				g->stale = true;
			return;
		}
	}
	read_info(c, e, info);
	if (e->spec.object) {
		/* Older ones too: a released definition would be busy for ever.
		 */
		c->host->jobs.stop(e->job, "Gang definition");
		take_object(e->gang, e);
	} else if (!listed && list_entry(e->gang, e) < 0) {
		no_memory(info, &e->spec);
		e->gang->stale = true;
		set_seen(c, e, false);
	}
}

/* ---- adding up ---- */

/* Members in different partitions share only the cluster's topology. */
static const struct sgang_topology *topology_of(const struct sgang_conductor *c,
						const struct gang *g)
{
	const struct sgang_topologies *all = c->topologies;
	const struct sgang_topology *common = NULL, *own;
	char name[SGANG_TOPOLOGY_NAME];

	for (size_t i = 0; all && all->n > 1 && i < g->n_entries; i++) {
		c->host->nodes.topology(g->entries[i]->job, name);
		own = sgang_topologies_find(all, name);
		if (common && common != own)
			return &all->topology[0];
		common = own;
	}
	return (common || !all) ? common : &all->topology[0];
}

/* A hash of the requests of waiting members, in any order, and of the requests
 * of the whole gang. */
static uint64_t hash_requests(const struct gang *g)
{
	uint64_t hash = SGANG_HASH_SEED, sum = 0;

	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (e->m.state == SGANG_MEMBER_PENDING)
			sum += sgang_hash(e->request, e->job_id);
	}
	hash = sgang_hash(hash, sum);
	hash = sgang_hash(hash, g->tally.min_member);
	hash = sgang_hash(hash, g->tally.total);
	hash = sgang_hash_text(hash, g->asks);
	return hash ? hash : 1;
}

static int settle_own(struct sgang_conductor *c, struct gang *g,
		      struct sgang_member **members,
		      const struct sgang_spec *const definitions[2])
{
	const struct entry *o = g->object;
	const struct sgang_own_definition by[] = {
		{ definitions[0], o && c->host->jobs.operator(o->m.uid),
		  o ? o->m.uid : 0 },
		{ definitions[1], true, 0 },
	};

	if (sgang_own_settle(members, g->n_entries, by, 2) < 0)
		return -1;
	g->cares = g->moves = false;
	for (size_t i = 0; i < g->n_entries; i++) {
		g->cares |= members[i]->on_failure > SGANG_ON_FAILURE_IGNORE;
		g->moves |= members[i]->on_drain > SGANG_ON_FAILURE_IGNORE;
	}
	return 0;
}

static void name_user(struct sgang_conductor *c, const struct gang *g,
		      uint32_t job_id, char name[SGANG_USER_SHOWN])
{
	struct sgang_job_info info;

	for (size_t i = 0; job_id && i < g->n_entries; i++) {
		if (g->entries[i]->m.job_id != job_id)
			continue;
		c->host->jobs.info(g->entries[i]->job, &info);
		snprintf(name, SGANG_USER_SHOWN, "%s",
			 info.user ? info.user : "");
		return;
	}
}

/* In a gang of several users the text names the user that the others wait for.
 */
static void name_users(struct sgang_conductor *c, struct gang *g)
{
	bool several = false;

	for (size_t i = 1; i < g->n_entries; i++)
		several |= g->entries[i]->m.uid != g->entries[0]->m.uid;
	if (!several)
		return;
	name_user(c, g, g->tally.first_job, g->tally.first_user);
	name_user(c, g, g->tally.min_job, g->tally.min_user);
}

/* Work out the gang's tally from its members and its definitions (a job, a line
 * of gang.conf). */
static void add_up(struct sgang_conductor *c, struct gang *g)
{
	struct sgang_member **members;
	const struct sgang_spec *definitions[2] = {
		g->object ? &g->object->spec : NULL,
		sgang_conf_gang(&c->conf, g->ns, g->name),
	};

	members = calloc(g->n_entries ? g->n_entries : 1, sizeof(*members));
	if (members) {
		for (size_t i = 0; i < g->n_entries; i++)
			members[i] = &g->entries[i]->m;
	}
	if (!members || settle_own(c, g, members, definitions) < 0 ||
	    sgang_gang_tally((const struct sgang_member *const *)members,
			     g->n_entries, definitions, 2, &g->tally) < 0) {
		/* Without a tally the gang is left alone in this pass. */
		memset(&g->tally, 0, sizeof(g->tally));
		g->stale = true;
		sgang_log(SGANG_LOG_ERROR, "no memory for gang %s/%s", g->ns,
			  g->name);
	}
	free(members);
	name_users(c, g);
	g->tally.spent = g->tally.held_for >=
			 (g->tally.wait_max ? g->tally.wait_max :
					      c->conf.max_waiting_time);
	/* The key has the namespace resolved; so has every entry. */
	strcpy(g->tally.spec.ns, g->ns);
	strcpy(g->tally.spec.name, g->name);
	if (sgang_branches_derive(g) < 0)
		g->stale = true;
	sgang_asks_write(&g->tally.spec, g->asks);
	g->requests = hash_requests(g);
	if (g->tally.held && g->hold.since)
		g->tally.since = g->hold.since;
}

/* It was requeued and comes back soon, so a gang that starts again waits for it,
 * or would start with some of its members. */
static bool is_returning(const struct sgang_conductor *c, const struct entry *e)
{
	int64_t now = c->host->now(), when;

	if (!e->has_record || !e->record.was.members || e->m.eligible ||
	    !e->m.priority)
		return false;
	when = e->record.restart ? e->record.restart : e->m.eligible_time;
	return when > now - (e->record.restart ? RETURN_SECONDS : 0) &&
	       when <= now + RETURN_SECONDS;
}

static void count_waiting(const struct sgang_conductor *c, struct gang *g,
			  const struct entry *e)
{
	if (e->m.state != SGANG_MEMBER_PENDING)
		return;
	if (!g->count.waiting)
		g->label = e->label;
	else if (g->label != e->label)
		g->label = 0;
	g->count.waiting++;
	g->count.parked += e->parked;
	g->count.following += e->follows;
	g->count.eligible += e->m.eligible;
	g->count.barred += e->m.eligible && e->barred;
	g->count.again += e->restarts > 0;
	g->count.returning += is_returning(c, e);
	g->count.left += e->has_record && e->record.leaves && e->record.started;
	g->count.restarting += e->has_record && e->record.restart;
	g->count.keeping += e->has_record &&
			    (e->record.kept_until || e->record.lost[0]);
}

/* A hash of all inputs of add_up() but two: the time of the first hold, and
 * names of users, which Slurm may learn later. It is 0 for gangs that depend on
 * these. */
static uint64_t look_over(const struct sgang_conductor *c, struct gang *g)
{
	const struct entry *o = g->object;
	uint64_t hash = c->configured;
	bool other = g->hold.n > 0;

	memset(&g->count, 0, sizeof(g->count));
	g->label = 0;
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		g->count.spares += sgang_ranks_spare(c, e) != NULL;
		hash = sgang_hash(hash, e->look);
		other |= e->m.state == SGANG_MEMBER_HELD ||
			 e->m.uid != g->entries[0]->m.uid;
		g->count.failed += e->m.state == SGANG_MEMBER_RUNNING &&
				   e->has_record && e->record.lost[0];
		count_waiting(c, g, e);
	}
	if (o)
		hash = sgang_hash(sgang_hash(hash, o->look),
				  c->host->jobs.operator(o->m.uid));
	return (other || !hash) ? 0 : hash;
}

/* Skipped without a change: gangs wait for hours, and little changes from pass
 * to pass. */
static void tally(struct sgang_conductor *c, struct gang *g)
{
	bool returning = g->count.returning;
	uint64_t of;

	sgang_placeholder_bar(g);
	of = look_over(c, g);
	c->wake_scheduler |= returning && !g->count.returning;
	if (!of || of != g->tally_of)
		add_up(c, g);
	g->tally_of = g->stale ? 0 : of;
	g->topology = topology_of(c, g);
}

/* Collect the nodes that pending members could use. These are for the fence and
 * other estimates, so without memory the fence is only smaller. */
static void collect_parts(struct sgang_conductor *c, struct gang *g)
{
	const struct sgang_host *h = c->host;

	if (g->partitions.nodes && g->partitions.of == g->requests &&
	    g->partitions.stamp == c->stamp)
		return;
	sgang_nodeset_destroy(g->partitions.nodes);
	g->partitions.nodes = sgang_nodeset_create(h->nodes.count());
	g->partitions.of = g->requests;
	g->partitions.stamp = c->stamp;
	g->idle.known = false;
	for (size_t i = 0; g->partitions.nodes && i < g->n_entries; i++) {
		if (g->entries[i]->m.state == SGANG_MEMBER_PENDING)
			h->nodes.partition(g->entries[i]->job,
					   g->partitions.nodes);
	}
}

/* What was found was for other requests. */
static void drop_result(struct gang *g)
{
	g->attempt.failed = false;
	sgang_retry_drop_plan(g);
	sgang_beside_drop(&g->joint.nodes, &g->joint.share);
}

/* Drop results for other requests. The scheduler is woken, so that the gang has
 * its turn before jobs of lower priority. */
static void note_update(struct sgang_conductor *c, struct gang *g)
{
	if ((g->attempt.failed || g->plan.nodes) &&
	    g->failed_at.of != g->requests) {
		drop_result(g);
		c->wake_scheduler = true;
	}
	if (g->loan.in_vain && g->loan.of != g->requests)
		g->loan.in_vain = false;
}

static void mark_holds(struct sgang_conductor *c, struct gang *g)
{
	if (!g->hold.n && !g->hold.marked)
		return;
	g->hold.marked = g->hold.n > 0;
	for (size_t i = 0; i < g->n_entries; i++)
		g->entries[i]->hold = false;
	for (size_t i = 0; i < g->hold.n; i++) {
		struct entry *e = sgang_lookup_entry(c,
						     g->hold.members[i].job_id);

		if (e)
			e->hold = true;
	}
}

void sgang_registry_collect(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		mark_holds(c, g);
		g->n_entries = 0;
		g->object = NULL;
		g->stale = false;
		g->lost.member = 0;
		g->lost.started = 0;
		g->lost.policy = SGANG_ON_FAILURE_UNSET;
		g->move.ended = 0;
	}
	c->stamp = c->host->stamp();
	unsee_all(c);
	c->host->jobs.each(look_at, c);
	drop_unseen(c);
	c->n_members = 0;
	for (struct gang *g = c->gangs; g; g = g->next) {
		tally(c, g);
		c->n_members += g->tally.pending + g->tally.held +
				g->tally.running + (g->object != NULL);
		note_update(c, g);
		if (sgang_gang_may_try(&g->tally))
			collect_parts(c, g);
	}
}

void sgang_registry_note(struct sgang_conductor *c, struct sgang_job *job)
{
	struct sgang_job_info info;

	c->host->jobs.look(job, &info);
	look_at(&info, c);
}

void sgang_conductor_look(struct sgang_conductor *c, struct sgang_job *job)
{
	struct sgang_job_info info;
	struct entry *e;

	c->host->jobs.info(job, &info);
	e = sgang_lookup_entry(c, info.job_id);
	if (!e || (!e->gang->attempt.failed && !e->gang->plan.nodes))
		return;
	if (info.state != SGANG_JOB_PENDING ||
	    c->host->jobs.request(job) == e->request)
		return;
	drop_result(e->gang);
	/* The next pass adds the nodes of the others. */
	if (e->gang->partitions.nodes)
		c->host->nodes.partition(job, e->gang->partitions.nodes);
}

void sgang_registry_refresh(struct sgang_conductor *c, struct gang *g)
{
	size_t kept = 0;

	mark_holds(c, g);
	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];
		struct sgang_job_info info = { .state = SGANG_JOB_ENDED };
		struct sgang_job *job = c->host->jobs.find(e->job_id);

		if (job)
			c->host->jobs.look(job, &info);
		/* Unseen entries are dropped by the next pass. */
		set_seen(c, e, job && info.state != SGANG_JOB_ENDED);
		if (job && !sgang_registry_seen(c, e))
			sgang_ends_note(c, g, &info);
		if (!sgang_registry_seen(c, e))
			continue;
		read_info(c, e, &info);
		g->entries[kept++] = e;
	}
	g->n_entries = kept;
	tally(c, g);
}

void sgang_registry_renew(struct sgang_conductor *c, struct gang *g)
{
	g->attempt.why[0] = '\0';
	g->attempt.failed = false;
	c->changed = true;
	sgang_registry_refresh(c, g);
	g->stale = true; /* the next pass adds it up */
	sgang_conductor_poke(c);
}

static void unlist(struct gang *g, const struct entry *e)
{
	size_t kept = 0;

	for (size_t i = 0; i < g->n_entries; i++) {
		if (g->entries[i] != e)
			g->entries[kept++] = g->entries[i];
	}
	g->n_entries = kept;
}

void sgang_registry_move(struct sgang_conductor *c, struct entry *e,
			 struct gang *g)
{
	struct sgang_job_info info;

	c->host->jobs.info(e->job, &info);
	unlist(e->gang, e);
	e->gang = g;
	g->entries[g->n_entries++] = e;
	(void)sgang_spec_of_job(&e->spec, info.env, info.n_env, info.user,
				NULL);
	e->env = info.env;
	e->n_env = info.n_env;
	e->version = ++c->versions;
}

/* ---- drafts ---- */

struct gang *sgang_registry_draft(struct sgang_conductor *c,
				  const struct sgang_spec *spec)
{
	struct gang *known = sgang_registry_find(c, spec->ns, spec->name);
	struct gang *draft = calloc(1, sizeof(*draft));

	if (!draft)
		return NULL;
	strcpy(draft->ns, spec->ns);
	strcpy(draft->name, spec->name);
	draft->object = known ? known->object : NULL;
	return draft;
}

struct entry *sgang_registry_draft_add(struct sgang_conductor *c,
				       struct gang *draft,
				       struct sgang_job *job,
				       const struct sgang_spec *spec)
{
	struct entry *e = calloc(1, sizeof(*e));
	struct sgang_job_info info;

	if (!e || list_entry(draft, e) < 0) {
		free(e);
		return NULL;
	}
	c->host->jobs.look(job, &info);
	c->n_entries++;
	e->gang = draft;
	e->job_id = info.job_id;
	e->env = info.env;
	e->n_env = info.n_env;
	e->spec = *spec;
	e->m.spec = &e->spec;
	read_info(c, e, &info);
	return e;
}

bool sgang_registry_draft_tally(struct sgang_conductor *c, struct gang *draft)
{
	add_up(c, draft);
	draft->topology = topology_of(c, draft);
	collect_parts(c, draft);
	return !draft->stale;
}

void sgang_registry_draft_end(struct sgang_conductor *c, struct gang *draft)
{
	for (size_t i = 0; i < draft->n_entries; i++)
		free_entry(c, draft->entries[i]);
	free_gang(draft);
}

/* ---- forgetting ---- */

static bool is_empty(const struct gang *g)
{
	return !g->hold.n && !g->cold.n && !g->placeholders.n && !g->stale &&
	       !g->n_entries && !g->object && !g->shown.on;
}

static bool any_empty(const struct sgang_conductor *c)
{
	for (const struct gang *g = c->gangs; g; g = g->next) {
		if (is_empty(g))
			return true;
	}
	return false;
}

/* The next pass finds the groups again; until then no group may point to a gang
 * that is gone. */
static void forget_groups(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next)
		g->group.n = 0;
}

void sgang_registry_sweep(struct sgang_conductor *c)
{
	struct gang **at = &c->gangs;

	drop_unseen(c);
	if (any_empty(c))
		forget_groups(c);
	while (*at) {
		struct gang *g = *at;

		for (size_t i = 0; i < g->n_entries; i++)
			g->entries[i]->job = NULL;
		if (is_empty(g)) {
			*at = g->next;
			sgang_lookup_drop(c, g);
			free_gang(g);
		} else {
			at = &g->next;
		}
	}
}

void sgang_registry_clear(struct sgang_conductor *c)
{
	sgang_nodes_forget(c);
	unsee_all(c);
	drop_unseen(c);
	while (c->gangs) {
		struct gang *g = c->gangs;

		c->gangs = g->next;
		free_gang(g);
	}
	memset(c->bucket, 0, sizeof(c->bucket));
	c->n_members = 0;
	sgang_reservation_changed(c);
}
