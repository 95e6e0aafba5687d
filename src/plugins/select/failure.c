/* SPDX-License-Identifier: GPL-2.0-or-later */
/* failure.c - --gang-on-failure: a running member is lost
 *
 * A member is lost when it ran and ended without having completed: it failed,
 * was killed, could not be launched, or lost its node. Its record has the start
 * of the gang with which it ran, so that a later gang of the same name is not
 * taken for it.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"
#include "faults.h"
#include "plugins/log.h"

/* The start with which the affected gang ran; 0: none. */
static int64_t started(const struct gang *g)
{
	return g->tally.started ? g->tally.started : g->lost.started;
}

/* True if its members are of another gang of that name, which has not started.
 * A loss does not affect them. */
static bool came_later(const struct gang *g)
{
	return g->n_entries && !g->tally.started && !g->tally.satisfied;
}

/* True if a loss affects any job. The options of a user affect only that user's
 * jobs, see core/gang/own.h. */
static bool concerns(const struct gang *g)
{
	return g->lost.policy > SGANG_ON_FAILURE_IGNORE ||
	       (g->cares && !came_later(g));
}

/* The policy of this job. */
static enum sgang_on_failure policy(struct sgang_conductor *c,
				    const struct sgang_job_info *info)
{
	const struct entry *e = sgang_registry_entry(c, info->job_id);
	enum sgang_on_failure is;
	struct sgang_record r;

	if (e && info->state != SGANG_JOB_ENDED)
		is = e->m.on_failure;
	else if (sgang_record_parse(info->comment, &r) == 1)
		is = r.on_failure;
	else
		is = SGANG_ON_FAILURE_IGNORE;
	return is ? is : SGANG_ON_FAILURE_IGNORE;
}

/* A member that Slurm has requeued is recognised by the start in its record. A
 * placeholder has lost nothing but its node. */
static uint32_t find_lost(const struct gang *g)
{
	if (g->lost.member && g->lost.started == started(g))
		return g->lost.member;
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (e->m.state == SGANG_MEMBER_PENDING && e->has_record &&
		    !e->spec.placeholder && e->record.started &&
		    e->record.started == started(g) &&
		    (!e->record.spare ||
		     e->m.on_failure == SGANG_ON_FAILURE_REPLACE))
			return e->job_id;
	}
	return 0;
}

/* ---- affected jobs ---- */

/* A user with affected jobs. */
struct user {
	uint32_t uid;
	uint32_t max_restarts; /* 0: not set */
	uint32_t restarts;     /* the most of that user's jobs, or of ... */
	uint32_t unreplaced;   /* ... one that cannot be replaced; 0: none */
};

/* All jobs of the gang that slurmctld still knows. */
struct everybody {
	const struct gang *g;
	uint32_t *ids;
	size_t n, cap;
	struct user *users; /* owners of the jobs */
	size_t n_users;
	uint32_t lost;     /* the lost member */
	uint32_t restarts; /* its restarts */
	uint32_t before;   /* its restarts before it was lost */
	bool no_memory;
};

static void add_id(struct everybody *all, uint32_t job_id)
{
	if (all->n == all->cap) {
		size_t cap = all->cap ? all->cap * 2 : 16;
		uint32_t *more = realloc(all->ids, cap * sizeof(*more));

		if (!more) {
			all->no_memory = true;
			return;
		}
		all->ids = more;
		all->cap = cap;
	}
	all->ids[all->n++] = job_id;
}

/* Add members that have ended and ran with this start, also completed ones,
 * because a gang starts again as a whole. Jobs without a policy are added only
 * if they failed. */
static void add_ended(const struct sgang_job_info *info, void *arg)
{
	struct everybody *all = arg;
	struct sgang_record r;

	if (info->state == SGANG_JOB_ENDED &&
	    sgang_record_parse(info->comment, &r) == 1 &&
	    (info->failed || r.on_failure > SGANG_ON_FAILURE_IGNORE) &&
	    !r.success && r.started == started(all->g) &&
	    r.phase != SGANG_PHASE_FAILED && !strcmp(r.ns, all->g->ns) &&
	    !strcmp(r.name, all->g->name))
		add_id(all, info->job_id);
}

static uint32_t max_restarts(struct sgang_conductor *c,
			     const struct sgang_job_info *info)
{
	const struct entry *e = sgang_registry_entry(c, info->job_id);
	struct sgang_record r;

	if (e && info->state != SGANG_JOB_ENDED)
		return e->m.max_restarts;
	return sgang_record_parse(info->comment, &r) == 1 ? r.max_restarts : 0;
}

static struct user *find_user(const struct everybody *all, uint32_t uid)
{
	for (size_t i = 0; i < all->n_users; i++)
		if (all->users[i].uid == uid)
			return &all->users[i];
	return NULL;
}

static struct user *get_user(struct everybody *all, uint32_t uid)
{
	struct user *user = find_user(all, uid), *more;

	if (user)
		return user;
	more = realloc(all->users, (all->n_users + 1) * sizeof(*more));
	if (!more) {
		all->no_memory = true;
		return NULL;
	}
	all->users = more;
	user = &more[all->n_users++];
	*user = (struct user){ .uid = uid };
	return user;
}

static void count_restarts(struct sgang_conductor *c, struct everybody *all)
{
	struct sgang_job_info info = { .restarts = 0 };
	struct sgang_job *job = c->host->jobs.find(all->lost);
	struct user *user;

	if (job)
		c->host->jobs.info(job, &info);
	all->restarts = info.restarts;
	all->before = sgang_replace_restarts(&info);
	for (size_t i = 0; i < all->n; i++) {
		job = c->host->jobs.find(all->ids[i]);
		if (!job)
			continue;
		c->host->jobs.info(job, &info);
		user = get_user(all, info.uid);
		if (!user)
			return;
		if (!user->max_restarts)
			user->max_restarts = max_restarts(c, &info);
		if (info.restarts > user->restarts)
			user->restarts = info.restarts;
	}
}

static bool is_unreplaced(const struct everybody *all,
			  const struct sgang_job_info *info)
{
	const struct user *user = find_user(all, info->uid);

	return user && user->unreplaced;
}

/* True if the job has been restarted as often as its user allows. For a user
 * without a limit the restarts of the lost member count, else the user's own.
 */
static bool used_up(const struct everybody *all,
		    const struct sgang_job_info *info)
{
	const struct user *user = find_user(all, info->uid);

	if (user && user->max_restarts)
		return user->restarts >= user->max_restarts;
	return (user && user->unreplaced ? user->restarts : all->restarts) >=
	       SGANG_RESTARTS_MAX;
}

static void forget_everybody(struct everybody *all)
{
	free(all->users);
	free(all->ids);
}

static int find_everybody(struct sgang_conductor *c, const struct gang *g,
			  uint32_t lost, struct everybody *all)
{
	*all = (struct everybody){ .g = g, .lost = lost };
	c->host->jobs.each(add_ended, all);
	for (size_t i = 0; i < g->n_entries && !came_later(g); i++)
		add_id(all, g->entries[i]->job_id);
	count_restarts(c, all);
	if (all->no_memory)
		forget_everybody(all);
	return all->no_memory ? -1 : 0;
}

/* ---- end ---- */

/* Show why it is not restarted again. */
static void tell_used_up(struct sgang_conductor *c, const struct everybody *all,
			 const struct sgang_job_info *info)
{
	const struct user *user = find_user(all, info->uid);
	bool own = user && (user->max_restarts || user->unreplaced);
	char text[SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + 128];

	snprintf(text, sizeof(text),
		 "Gang %s/%s ended: job %u was lost, restarts %u of %u",
		 all->g->ns, all->g->name,
		 own && user->unreplaced ? user->unreplaced : all->lost,
		 own ? user->restarts : all->restarts,
		 own && user->max_restarts ? user->max_restarts :
					     SGANG_RESTARTS_MAX);
	c->host->jobs.tell_end(info->job, text);
}

static void end_one(struct sgang_conductor *c, struct gang *g,
		    struct sgang_job *job, const struct everybody *all)
{
	struct sgang_job_info info;

	c->host->jobs.info(job, &info);
	if (info.state == SGANG_JOB_ENDED) {
		sgang_publish_passed(c, g, job);
	} else {
		sgang_publish_phase(c, g, job, SGANG_PHASE_FAILED);
		c->host->jobs.end(job);
	}
	c->host->jobs.info(job, &info);
	if (policy(c, &info) > SGANG_ON_FAILURE_KILL && used_up(all, &info))
		tell_used_up(c, all, &info);
	else if (info.labelled)
		c->host->jobs.unlabel(job);
}

/* Leave a job that is not affected. If it is the lost member, it must not be
 * found again. */
static void pass_over(struct sgang_conductor *c, struct gang *g,
		      struct sgang_job *job, const struct sgang_job_info *info)
{
	struct sgang_record r;

	if (info->state == SGANG_JOB_ENDED && info->failed) {
		if (info->labelled)
			c->host->jobs.unlabel(job);
		sgang_publish_passed(c, g, job);
	} else if (info->state == SGANG_JOB_PENDING &&
		   sgang_record_parse(info->comment, &r) == 1 && r.started) {
		r.started = 0;
		(void)sgang_publish_write(c, job, &r);
	}
}

/* End all jobs whose users want that, also those that never ran (3.2), except
 * requeued ones. False: none ends. */
static bool end_all(struct sgang_conductor *c, struct gang *g,
		    const struct everybody *all, bool requeued)
{
	bool any = false;

	for (size_t i = 0; i < all->n; i++) {
		struct sgang_job *job = c->host->jobs.find(all->ids[i]);
		struct sgang_job_info info;
		enum sgang_on_failure is;

		if (!job)
			continue;
		c->host->jobs.info(job, &info);
		is = policy(c, &info);
		if (is == SGANG_ON_FAILURE_IGNORE ||
		    (is == SGANG_ON_FAILURE_REPLACE &&
		     !is_unreplaced(all, &info)))
			pass_over(c, g, job, &info);
		else if (is != SGANG_ON_FAILURE_REQUEUE || !requeued ||
			 used_up(all, &info)) {
			end_one(c, g, job, all);
			any = true;
		}
	}
	return any;
}

/* ---- requeue of one member ---- */

/* The restarts of the member itself count. If a member cannot be replaced, its
 * user's jobs end with it. */
static void replace_one(struct sgang_conductor *c, const struct gang *g,
			const struct sgang_job_info *info,
			struct everybody *all)
{
	uint32_t most = max_restarts(c, info);
	struct user *user;

	if (info->cancelled ||
	    sgang_replace(c, g, info, most ? most : SGANG_RESTARTS_MAX))
		return;
	user = find_user(all, info->uid);
	if (!user)
		return;
	user->unreplaced = info->job_id;
	user->restarts = sgang_replace_restarts(info);
}

static void replace_all(struct sgang_conductor *c, const struct gang *g,
			struct everybody *all)
{
	struct sgang_job_info info;

	for (size_t i = 0; i < all->n && !came_later(g); i++) {
		struct sgang_job *job = c->host->jobs.find(all->ids[i]);

		if (!job)
			continue;
		c->host->jobs.info(job, &info);
		if (policy(c, &info) != SGANG_ON_FAILURE_REPLACE ||
		    !sgang_replace_is_lost(&info))
			continue;
		sgang_fault_die("replace", 1);
		replace_one(c, g, &info, all);
	}
}

/* After the requeue it is a gang that has not started. */
static bool requeue_one(struct sgang_conductor *c, struct gang *g,
			struct sgang_job *job, const struct everybody *all)
{
	struct sgang_job_info info;
	int64_t least;
	bool ran;

	c->host->jobs.info(job, &info);
	if (policy(c, &info) != SGANG_ON_FAILURE_REQUEUE || used_up(all, &info))
		return true;
	ran = info.state != SGANG_JOB_PENDING || sgang_replace_is_lost(&info);
	least = sgang_restart_least(c, &info);
	if (info.state != SGANG_JOB_PENDING && !c->host->jobs.requeue(job)) {
		sgang_log(SGANG_LOG_INFO, "%s/%s: job %u cannot be requeued",
			  g->ns, g->name, info.job_id);
		return false;
	}
	if (ran) /* else its user's begin time stays */
		sgang_restart(c, job, all->before, least);
	sgang_publish_phase(c, g, job, SGANG_PHASE_WAITING);
	return true;
}

/* All whose users want that: a partial requeue would leave too few for another
 * start. */
static bool requeue_all(struct sgang_conductor *c, struct gang *g,
			const struct everybody *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct sgang_job *job = c->host->jobs.find(all->ids[i]);

		sgang_fault_die("requeue", i + 1);
		if (job && !requeue_one(c, g, job, all))
			return false;
	}
	return true;
}

/* True if every gang it has to start with is still there. */
static bool group_is_there(struct sgang_conductor *c, const struct gang *g)
{
	char ns[SGANG_NAMESPACE_MAX + 1], name[SGANG_NAME_MAX + 1];
	const char *at = g->tally.spec.groups;

	while (sgang_spec_next_group(&at, ns, name)) {
		const struct gang *other = sgang_registry_find(c, ns, name);

		if (!other || (other != g && !other->n_entries))
			return false;
	}
	return true;
}

/* Not after scancel of a member, nor without the other gangs of its group,
 * because the gang could not start again. */
static bool may_requeue(struct sgang_conductor *c, const struct gang *g,
			uint32_t lost)
{
	return !came_later(g) &&
	       !(g->lost.member == lost && g->lost.cancelled) &&
	       group_is_there(c, g);
}

static bool wants_requeue(struct sgang_conductor *c,
			  const struct everybody *all)
{
	struct sgang_job_info info;

	for (size_t i = 0; i < all->n; i++) {
		struct sgang_job *job = c->host->jobs.find(all->ids[i]);

		if (!job)
			continue;
		c->host->jobs.info(job, &info);
		if (policy(c, &info) == SGANG_ON_FAILURE_REQUEUE &&
		    !used_up(all, &info))
			return true;
	}
	return false;
}

static void apply(struct sgang_conductor *c, struct gang *g, uint32_t lost)
{
	struct everybody all;
	bool again, ended;

	if (find_everybody(c, g, lost, &all) < 0)
		return; /* the next pass tries again */
	replace_all(c, g, &all);
	again = wants_requeue(c, &all) && may_requeue(c, g, lost) &&
		requeue_all(c, g, &all);
	ended = end_all(c, g, &all, again);
	sgang_fault_die("requeued", 1);
	if (again || (g->n_entries && ended))
		sgang_log(SGANG_LOG_INFO,
			  "%s/%s: member %u is lost: the gang is %s", g->ns,
			  g->name, lost, again ? "requeued" : "ended");
	forget_everybody(&all);
}

static void check(struct sgang_conductor *c, struct gang *g)
{
	uint32_t lost;

	/* a gang preempted as a whole has lost no member */
	if (g->stale || g->preempt.evicted || !started(g) || !concerns(g))
		return;
	lost = find_lost(g);
	if (!lost)
		return;
	/* Members that hold for a second start are not affected. */
	if (!came_later(g))
		sgang_hold_give_back(c, g, SGANG_HOLD_END_FAILED);
	apply(c, g, lost);
	sgang_registry_renew(c, g);
}

void sgang_failure_check_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!sgang_hold_doubtful(g) && !sgang_cold_any_again(g))
			check(c, g);
	}
}
