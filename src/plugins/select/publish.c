/* SPDX-License-Identifier: GPL-2.0-or-later */
/* publish.c - the reason, record and log of members and definitions */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"
#include "core/base/hash.h"
#include "plugins/log.h"

/* ---- the record ---- */

static bool same_record(const struct entry *e, const struct sgang_record *r)
{
	return e->has_record && !memcmp(&e->record, r, sizeof(*r));
}

/* True if it had that record already. */
static bool write_record(struct sgang_conductor *c, struct entry *e,
			 const struct sgang_record *r)
{
	char *text;

	if (same_record(e, r))
		return true;
	text = sgang_record_format(r, e->comment);
	if (text && (!e->comment || strcmp(text, e->comment)))
		c->host->jobs.comment(e->job, text);
	free(text);
	return false;
}

/* The phase of a member may differ from that of its gang. */
static enum sgang_phase phase_of(const struct gang *g, const struct entry *e)
{
	if (e->m.state == SGANG_MEMBER_PENDING && g->tally.timed_out &&
	    !g->tally.rearmed)
		return SGANG_PHASE_TIMEOUT;
	/* Found in this phase after a restart, it gives all back. */
	if (e->m.state == SGANG_MEMBER_HELD && sgang_hold_committing(g))
		return SGANG_PHASE_HOLDING;
	/* A released member differs from a holding one. */
	if (e->m.state == SGANG_MEMBER_HELD &&
	    g->hold.state == SGANG_HOLD_TWO_ROUNDS && e->has_record)
		return e->record.phase;
	/* After one more restart the nodes have to be asked again. */
	if (e->m.state == SGANG_MEMBER_HELD && sgang_hold_recovered(g))
		return SGANG_PHASE_STARTING;
	if (e->m.state == SGANG_MEMBER_RUNNING &&
	    (g->phase == SGANG_PHASE_HOLDING ||
	     g->phase == SGANG_PHASE_STARTING))
		return SGANG_PHASE_RUNNING;
	return g->phase;
}

/* The end of its waiting time; 0: not running, or without end. */
static int64_t wait_ends(const struct sgang_conductor *c, const struct gang *g)
{
	const struct sgang_gang_wait wait = sgang_hold_wait(c);
	uint32_t limit = sgang_gang_waiting_time(&g->tally, &wait);

	if (!g->hold.since || !g->tally.held || limit == SGANG_FOREVER)
		return 0;
	return g->hold.since + limit;
}

/* Clear the fields that only a waiting gang has. Records are compared byte by
 * byte. */
static void forget_wait(struct sgang_record *r)
{
	memset(r->lacks, 0, sizeof(r->lacks));
	memset(r->unit, 0, sizeof(r->unit));
	memset(r->helps, 0, sizeof(r->helps));
	memset(r->claim, 0, sizeof(r->claim));
	memset(r->victims, 0, sizeof(r->victims));
	memset(r->preempts, 0, sizeof(r->preempts));
	memset(r->would, 0, sizeof(r->would));
	r->claimed = 0;
}

static void write_claim(const struct claim *claim, struct sgang_record *r)
{
	strcpy(r->claim, claim->text);
	strcpy(r->victims, claim->told);
	r->claimed = claim->since;
}

/* Not before they were read from the records of an earlier slurmctld. */
static void show_failed(const struct gang *g, struct sgang_record *r)
{
	if (!g->failed.of || g->failed.of != g->tally.started)
		return;
	memset(r->lost, 0, sizeof(r->lost));
	strcpy(r->lost, g->failed.text);
}

/* A member keeps the fields of its placement while it has nodes. `started`, the
 * start with which it ran, is kept for --gang-on-failure. */
static bool show_record(struct sgang_conductor *c, const struct gang *g,
			struct entry *e)
{
	struct sgang_record r = e->record;

	if (!e->has_record || e->m.state == SGANG_MEMBER_PENDING)
		memset(&r, 0, sizeof(r));
	/* A member whose loss was ignored is not lost again. */
	if (e->has_record && (e->m.state != SGANG_MEMBER_PENDING ||
			      (g->cares && !e->record.spare)))
		r.started = e->record.started;
	if (e->has_record && e->m.state == SGANG_MEMBER_PENDING) {
		r.restart = e->record.restart;
		r.was = sgang_record_was(&e->record);
		r.leaves = r.started ? e->record.leaves : 0;
		sgang_keep_copy(&e->record, &r);
	}
	if (r.placed)
		memset(&r.was, 0, sizeof(r.was));
	r.user_hold = e->has_record && e->record.user_hold && e->m.stopped;
	sgang_publish_fill(g, &r);
	sgang_publish_own(g, e, &r);
	sgang_asks_add_own(&e->spec, r.asks);
	/* The cause that ended other holds is not the end of this one. */
	if (e->m.state == SGANG_MEMBER_HELD)
		r.hold_end = SGANG_HOLD_END_NONE;
	r.phase = phase_of(g, e);
	r.satisfied = g->tally.satisfied;
	r.until = wait_ends(c, g);
	r.round = e->round;
	forget_wait(&r);
	if (e->m.state == SGANG_MEMBER_PENDING) {
		strcpy(r.lacks, g->attempt.lacks);
		strcpy(r.unit, g->attempt.unit);
		strcpy(r.helps, g->attempt.helps);
		if (g->preempt.claim) {
			write_claim(g->preempt.claim, &r);
		} else {
			strcpy(r.preempts, g->preempt.none);
			strcpy(r.victims, g->preempt.would.victims);
			strcpy(r.would, g->preempt.would.nodes);
		}
	}
	r.cold = sgang_cold_has(g, e->job_id);
	r.stale = 0;
	r.done = 0;
	if (e->m.state != SGANG_MEMBER_PENDING)
		r.place = 0;
	if (e->m.state == SGANG_MEMBER_RUNNING) {
		r.stale = g->below.since;
		r.done = g->below.done;
		r.since = g->hold.unconfirmed ? e->record.since : 0;
		r.until = 0;
		if (!r.started)
			r.started = g->tally.started;
		show_failed(g, &r);
		if (r.placed)
			sgang_ranks_tell(c, g, &r);
	} else if (e->m.state == SGANG_MEMBER_HELD && sgang_hold_recovered(g)) {
		/* it may be running, and counts again when that is known */
		r.stale = e->record.stale;
		r.done = e->record.done;
	}
	return write_record(c, e, &r);
}

/* A hash of the inputs of show_record(), for a gang without holds; 0: none. */
static uint64_t hash_records(const struct gang *g)
{
	uint64_t hash = g->tally_of;

	if (!hash)
		return 0;
	hash = sgang_hash(hash,
			  (uint64_t)g->attempt.nth << 32 | g->attempt.tried);
	hash = sgang_hash(hash, (uint64_t)g->attempt.skipped << 32 |
					(uint32_t)g->hold.end << 16 |
					(uint32_t)g->phase << 1 |
					(g->hold.unconfirmed != 0));
	hash = sgang_hash(hash, (uint64_t)g->hold.since);
	hash = sgang_hash(hash, (uint64_t)g->below.since << 24 ^ g->below.done);
	hash = sgang_hash_text(hash, g->attempt.lacks);
	hash = sgang_hash_text(hash, g->attempt.unit);
	hash = sgang_hash_text(hash, g->preempt.none);
	hash = sgang_hash_text(hash, g->preempt.would.victims);
	hash = sgang_hash_text(hash, g->preempt.would.nodes);
	hash = sgang_hash(hash,
			  (uint64_t)g->seats.changes << 1 | g->preempt.evicted);
	hash = sgang_hash(hash,
			  (uint64_t)g->cold.n << 1 | g->placeholders.came);
	hash = sgang_hash(hash, (uint64_t)g->epoch.number << 32 | g->epoch.who);
	if (g->preempt.claim)
		hash = sgang_hash(sgang_hash_text(hash, g->preempt.claim->text),
				  (uint64_t)g->preempt.claim->since);
	hash = sgang_hash_text(hash, g->failed.text);
	return sgang_hash_text(hash, g->attempt.helps);
}

/* A cold spare has started with its gang, and has not run. */
static bool has_run(const struct sgang_record *r)
{
	return !(r->spare && r->cold);
}

/* Show in the record of an ended job that its part is over. The fields of its
 * placement stay, for later queries. */
static void show_end(struct sgang_conductor *c, struct sgang_job *job,
		     struct sgang_record *r)
{
	/* a member held when slurmctld died may not have started */
	bool ran = r->phase != SGANG_PHASE_HOLDING &&
		   r->phase != SGANG_PHASE_STARTING && has_run(r);
	struct sgang_job_info info;

	c->host->jobs.info(job, &info);
	sgang_below_note_end(c, &info, r, false);
	if (r->phase != SGANG_PHASE_FAILED)
		r->phase = SGANG_PHASE_FINISHED;
	forget_wait(r);
	if (sgang_publish_write(c, job, r) == 0 && ran)
		sgang_account_ended(c, job, r);
}

/* True for a job that failed with its gang, or a spare that was not needed. */
static bool was_told_why(const struct sgang_job_info *info, bool seen)
{
	return info->comment &&
	       ((seen && strstr(info->comment, " phase=failed")) ||
		strstr(info->comment, " success=1") ||
		strstr(info->comment, " spare=1"));
}

void sgang_publish_tell_ended(const struct gang *g,
			      const struct sgang_job_info *info)
{
	sgang_log(SGANG_LOG_INFO, "%s/%s: member %u was started and %s", g->ns,
		  g->name, info->job_id,
		  info->cancelled ? "was cancelled" :
		  info->failed    ? "has failed" :
				    "has completed");
}

bool sgang_publish_unstarted(const struct sgang_job_info *info,
			     struct sgang_record *r)
{
	return info->state == SGANG_JOB_ENDED &&
	       info->launch == SGANG_LAUNCH_YES && info->comment &&
	       strstr(info->comment, " phase=starting ") &&
	       sgang_record_parse(info->comment, r) == 1;
}

void sgang_publish_started(struct sgang_conductor *c, struct gang *g,
			   struct sgang_job *job, struct sgang_record *r,
			   int64_t started)
{
	struct sgang_job_info info;

	r->phase = SGANG_PHASE_RUNNING;
	r->satisfied = true;
	if (!r->started)
		r->started = started;
	r->hold_end = SGANG_HOLD_END_NONE;
	if (sgang_publish_write(c, job, r) < 0 || !g)
		return;
	c->host->jobs.info(job, &info);
	sgang_ends_note(c, g, &info); /* accounting knows it now */
}

/* After a restart it is not known whether accounting has the end. */
void sgang_publish_ended(struct sgang_conductor *c,
			 const struct sgang_job_info *info)
{
	bool seen = info->comment && sgang_record_has_ended(info->comment);
	struct sgang_record r;

	if (info->labelled && !was_told_why(info, seen))
		c->host->jobs.unlabel(info->job);
	if ((seen && !c->fresh) || sgang_record_parse(info->comment, &r) != 1)
		return;
	if (seen) {
		sgang_below_note_end(c, info, &r, true);
		sgang_account_ended(c, info->job, &r);
	} else
		show_end(c, info->job, &r);
}

/* An undone or requeued member waits, and the pass shows for what. The pass no
 * longer knows why a hold ended, unless by a user. */
static void show_requeue(struct sgang_conductor *c, struct sgang_job *job,
			 struct sgang_record *r, enum sgang_hold_end why)
{
	if (why == SGANG_HOLD_END_USER || (r->phase != SGANG_PHASE_HOLDING &&
					   r->phase != SGANG_PHASE_STARTING))
		return;
	r->hold_end = why;
	(void)sgang_publish_write(c, job, r);
}

/* Without grace time it has ended before a pass could record that. */
static bool went_with_gang(struct sgang_conductor *c, struct sgang_record *r,
			   enum sgang_hold_end why)
{
	const struct gang *g = sgang_registry_find(c, r->ns, r->name);

	if (why != SGANG_HOLD_END_PREEMPTED ||
	    r->phase != SGANG_PHASE_RUNNING || !g || !g->preempt.evicted)
		return false;
	r->evicted = true;
	return true;
}

void sgang_conductor_ended(struct sgang_conductor *c, struct sgang_job *job,
			   enum sgang_hold_end why)
{
	struct sgang_job_info info;
	struct sgang_record r;
	bool evicted;

	c->host->jobs.info(job, &info);
	if (sgang_record_parse(info.comment, &r) != 1)
		return;
	sgang_keep_ended(c, job, &info, &r);
	sgang_failed_note(c, job, &info, &r);
	if (r.cold && sgang_registry_find(c, r.ns, r.name))
		sgang_cold_note_end(sgang_registry_find(c, r.ns, r.name),
				    info.job_id, why);
	if (r.placeholder && sgang_registry_find(c, r.ns, r.name))
		sgang_placeholder_note_end(sgang_registry_find(c, r.ns, r.name),
					   info.job_id, why);
	evicted = went_with_gang(c, &r, why);
	if (info.state == SGANG_JOB_PENDING) {
		/* lost: it will start again, see restart.c */
		if (r.phase == SGANG_PHASE_RUNNING &&
		    why != SGANG_HOLD_END_PREEMPTED &&
		    r.on_failure >= SGANG_ON_FAILURE_REQUEUE)
			r.place = c->host->jobs.keep_place(job);
		if (evicted || r.place)
			(void)sgang_publish_write(c, job, &r);
		else
			show_requeue(c, job, &r, why);
		return;
	}
	switch (r.phase) {
	case SGANG_PHASE_HOLDING:
	case SGANG_PHASE_STARTING:
		/* Launched before slurmctld died: a pass has to see it. */
		if (info.launch == SGANG_LAUNCH_YES)
			return;
		r.hold_end = why;
		show_end(c, job, &r);
		break;
	case SGANG_PHASE_RUNNING:
		show_end(c, job, &r);
		break;
	case SGANG_PHASE_FAILED:
	case SGANG_PHASE_FINISHED:
		if (has_run(&r))
			sgang_account_ended(c, job, &r);
		break;
	default:
		break;
	}
}

/* A launch message not delivered within this time is left to Slurm. */
#define LAUNCH_SECONDS 10

/* Until the nodes have their messages the records say that the nodes must be
 * asked if slurmctld dies. */
static void confirm(struct sgang_conductor *c, struct gang *g)
{
	int64_t age;

	if (!g->hold.unconfirmed)
		return;
	age = c->host->now() - g->hold.unconfirmed;
	if (age > LAUNCH_SECONDS || (age > 0 && c->host->quiet()))
		g->hold.unconfirmed = 0;
}

static void show_definition(struct sgang_conductor *c, struct gang *g,
			    const char *text)
{
	struct entry *o = g->object;
	struct sgang_record r;

	if (o->m.state != SGANG_MEMBER_PENDING)
		return;
	if (!o->m.stopped)
		c->host->jobs.stop(o->job, text); /* released by a user */
	c->host->jobs.label(o->job, text);
	memset(&r, 0, sizeof(r));
	sgang_publish_fill(g, &r);
	r.object = true;
	r.phase = g->phase == SGANG_PHASE_FINISHED ? SGANG_PHASE_GATHERING :
						     g->phase;
	/* Its counts are in its text; the rest are its own options. */
	r.attempts = r.tried = r.skipped = 0;
	r.since = 0;
	r.created = o->m.submit_time;
	(void)write_record(c, o, &r);
}

/* ---- the reason ---- */

static bool any_late(const struct gang *g)
{
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct sgang_member *m = &g->entries[i]->m;

		if (m->state == SGANG_MEMBER_PENDING && m->eligible)
			return true;
	}
	return false;
}

/* Slurm shows why ordinary jobs wait, but does not know the nodes that we
 * forbid. The text is "" if there are none. It needs a look at all members, and
 * is the same for each of a gang without groups. */
static void late_text(struct sgang_conductor *c, const struct gang *g,
		      char *text, size_t size)
{
	if (!c->conf.gangs || g->tally.roles.any || !any_late(g) ||
	    !sgang_late_member_text(c, g, SGANG_ROLE_NONE, text, size))
		text[0] = '\0';
}

/* The same for the members of one group: they wait for the rest of it, or are
 * late. */
struct branch {
	bool known, ordinary;
	char text[SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + SGANG_ROLE_SIZE + 192];
};

/* The last of them: those that are in no group. NULL: the gang has none. */
static struct branch *branch_of(const struct gang *g, const struct entry *e,
				struct branch *branches)
{
	if (!branches)
		return NULL;
	return &branches[e->leaf == SGANG_ROLE_NONE ? g->tree.n : e->leaf];
}

/* Once for all members of its group. */
static void look_at_branch(struct sgang_conductor *c, const struct gang *g,
			   const struct entry *e, struct branch *b)
{
	if (b->known)
		return;
	b->known = true;
	b->ordinary = c->conf.gangs && sgang_branches_ordinary(g, &e->spec);
	if (!b->ordinary ||
	    !sgang_late_member_text(c, g, e->leaf, b->text, sizeof(b->text)))
		b->text[0] = '\0';
}

static bool is_ordinary(const struct sgang_conductor *c, const struct gang *g)
{
	return c->conf.gangs && sgang_gang_ordinary(&g->tally);
}

static void show_pending(struct sgang_conductor *c, struct gang *g,
			 struct entry *e, bool may_start, const char *text,
			 struct branch *branch)
{
	bool ordinary = is_ordinary(c, g);

	if (branch) {
		look_at_branch(c, g, e, branch);
		ordinary = branch->ordinary;
		if (ordinary)
			text = branch->text;
	}
	may_start = may_start && !e->follows;
	if ((ordinary || may_start) && e->parked) {
		c->host->jobs.unpark(e->job);
		c->wake_scheduler = true;
	}
	if (ordinary) {
		if (e->m.eligible && !sgang_misfit_tell(c, g, e) && text[0])
			c->host->jobs.tell(e->job, text, false);
		return;
	}
	if (may_start)
		c->host->jobs.tell(e->job, text, g->attempt.failed);
	else if (e->parked || e->m.eligible || e->follows)
		c->host->jobs.park(e->job, text);
}

static void unsaved_words(const struct sgang_conductor *c, char *why,
			  size_t size)
{
	snprintf(why, size, "slurmctld cannot save its state (%s)",
		 strerror(c->save.error));
}

/* True if its members may be in the queue; then a text that Slurm overwrites is
 * shown again, else they are parked with it. A member beyond the total of a
 * gang that is placed waits for the release. */
static bool may_start(const struct sgang_conductor *c, const struct gang *g,
		      char *why, size_t size)
{
	if (!c->conf.gangs || !sgang_gang_may_try(&g->tally) || g->limited ||
	    g->never.starts || !sgang_group_complete(g, why, size))
		return false;
	if (c->save.error)
		unsaved_words(c, why, size);
	return !c->save.error;
}

/* Its members have nodes, and Slurm would not say why they wait. */
static void show_unsaved(struct sgang_conductor *c, struct gang *g)
{
	bool tell = c->save.error && g->phase == SGANG_PHASE_STARTING;
	char words[64], why[96], text[512];

	if (!tell && !g->hold.told_unsaved)
		return;
	unsaved_words(c, why, sizeof(why));
	sgang_gang_words(&g->tally, "", c->host->now(), words, sizeof(words));
	snprintf(text, sizeof(text), "Gang %s/%s %s: %s", g->ns, g->name, words,
		 why);
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (e->m.state != SGANG_MEMBER_HELD)
			continue;
		if (tell)
			c->host->jobs.tell(e->job, text, false);
		else
			c->host->jobs.unlabel(e->job);
	}
	g->hold.told_unsaved = tell;
}

static void log_phase(const struct sgang_conductor *c, const struct gang *g,
		      const char *why)
{
	char words[320];

	sgang_gang_words(&g->tally, why, c->host->now(), words, sizeof(words));
	sgang_log(SGANG_LOG_INFO, "%s/%s: %s", g->ns, g->name, words);
}

/* The tally of a gang without members does not say what became of it. */
static void close_gang(struct sgang_conductor *c, struct gang *g)
{
	enum sgang_verdict verdict = sgang_ends_judge(c, g);

	if (verdict)
		sgang_metrics_gang_ended(&c->metrics, verdict);
	else /* it had a definition alone */
		verdict = SGANG_VERDICT_FINISHED;
	sgang_log(SGANG_LOG_INFO, "%s/%s: %s", g->ns, g->name,
		  sgang_verdict_word(verdict));
}

/* Backfill plans for members one by one, and gives whole nodes to each in its
 * plan: members that share a node seem to start one by one. All start together,
 * not before the joint start, and not before backfill has room for the first.
 * Returns -1 if backfill knows as much. */
static int64_t expected_start(const struct sgang_conductor *c,
			      const struct gang *g)
{
	int64_t now = c->host->now(), first = INT64_MAX;

	if (g->never.starts ||
	    (g->attempt.failed && g->joint.start == INT64_MAX))
		return 0;
	if (!g->attempt.failed || !g->joint.start)
		return -1;
	if (g->waits.until > now)
		return g->waits.until; /* as its reason says */
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (e->m.state == SGANG_MEMBER_PENDING && e->m.eligible &&
		    e->expected > now && e->expected < first)
			first = e->expected;
	}
	if (first == INT64_MAX)
		return g->joint.start > now ? g->joint.start : 0;
	return first > g->joint.start ? first : g->joint.start;
}

static void show_start(const struct sgang_conductor *c, const struct gang *g)
{
	int64_t when = expected_start(c, g);

	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];

		if (when >= 0 && e->m.state == SGANG_MEMBER_PENDING &&
		    e->m.eligible && (e->expected != when || e->first_planned))
			c->host->jobs.expect(e->job, when);
		e->first_planned = 0;
	}
}

/* True if all that wait show this already, and are parked as they should be.
 * Late members of groups, and those beside placeholders, have texts of their
 * own. */
static bool all_told(const struct sgang_conductor *c, const struct gang *g,
		     bool start, const char *text)
{
	bool same = g->label == sgang_hash_text(SGANG_HASH_SEED, text);

	if (is_ordinary(c, g))
		return !g->count.parked && !g->tally.roles.any &&
		       !g->placeholders.n && (same || !text[0]);
	return same && g->count.parked ==
			       (start ? g->count.following : g->count.waiting);
}

/* Without a change the jobs are not read again. */
static void show_members(struct sgang_conductor *c, struct gang *g, bool start,
			 const char *text)
{
	uint64_t of = hash_records(g);
	bool told = !g->count.waiting || all_told(c, g, start, text);
	bool recorded = of && of == g->recorded_of;
	struct branch *branches = NULL;

	if (!recorded)
		g->recorded_of = of;
	if (!told && g->tally.roles.any) {
		branches = calloc(g->tree.n + 1, sizeof(*branches));
		told = !branches; /* the next pass tells */
	}
	for (size_t i = 0; i < g->n_entries && !(told && recorded); i++) {
		struct entry *e = g->entries[i];

		if (!told && e->m.state == SGANG_MEMBER_PENDING)
			show_pending(c, g, e, start, text,
				     branch_of(g, e, branches));
		/* describe.c wrote more */
		if (recorded ||
		    (e->m.state == SGANG_MEMBER_HELD && g->hold.described))
			continue;
		if (!show_record(c, g, e))
			g->recorded_of = 0;
	}
	free(branches);
}

static void show(struct sgang_conductor *c, struct gang *g)
{
	enum sgang_phase phase = sgang_gang_phase(&g->tally);
	char text[320], why[256];
	bool start;

	if (g->stale)
		return; /* the next pass knows */
	sgang_limits_check(c, g);
	snprintf(why, sizeof(why), "%s", g->attempt.why);
	start = may_start(c, g, why, sizeof(why));
	if (phase != g->phase && phase == SGANG_PHASE_FINISHED)
		close_gang(c, g);
	else if (phase != g->phase)
		log_phase(c, g, why);
	g->phase = phase;
	show_unsaved(c, g);
	if (!c->conf.gangs)
		snprintf(
			text, sizeof(text),
			"Gang %.60s/%s waits, as gangs are off: Gangs=no in gang.conf",
			g->ns, g->name);
	else if (is_ordinary(c, g) && !g->tally.roles.lacks[0])
		late_text(c, g, text, sizeof(text));
	else
		sgang_gang_text(&g->tally, why, c->host->now(), text,
				sizeof(text));
	show_members(c, g, start, text);
	if (start || g->never.starts)
		show_start(c, g);
	if (g->object) {
		sgang_gang_object_text(&g->tally, text, sizeof(text));
		show_definition(c, g, text);
	}
}

void sgang_publish_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		confirm(c, g);
		show(c, g);
	}
}
