/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roll.c - the members of a gang that are there */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "plugins/job_submit/roll.h"

/* A gang of more sorts than this is read anew each time: what it takes to
 * remember it grows with them. */
#define REMEMBER_MAX 256

/* The most members with the same hash that are compared with a new one, which
 * is then counted by itself. */
#define COMPARE_MAX 32

#define ROLLS 64

struct sgang_rolls {
	struct sgang_roll *roll[ROLLS]; /* by hash of the name */
};

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* ---- what a job says ---- */

/* Could it be the gang of that name? Cheap, for the members of all others. */
static bool may_name(const char *gang, const char *name)
{
	size_t has = strlen(gang), length = strlen(name);

	return has >= length && !strcmp(gang + has - length, name);
}

static bool is_in_gang(const struct sgang_roll *roll,
		       const struct sgang_spec *spec, uint32_t uid)
{
	const char *ns;

	if (strcmp(spec->name, roll->name))
		return false;
	ns = spec->ns[0] ? spec->ns : roll->host->user_name(uid);
	return ns && !strcmp(ns, roll->ns);
}

static void take_record(struct sgang_alike *alike, const char *comment)
{
	struct sgang_record r;

	alike->has_record = comment && sgang_record_parse(comment, &r) == 1;
	if (!alike->has_record)
		return;
	sgang_gang_told(&r, &alike->record);
	alike->m.record = &alike->record;
}

static enum sgang_member_state
state_of(const struct sgang_submit_member *member,
	 const struct sgang_record *record)
{
	if (member->pending)
		return SGANG_MEMBER_PENDING;
	if (member->configuring && record &&
	    (record->phase == SGANG_PHASE_STARTING ||
	     record->phase == SGANG_PHASE_HOLDING))
		return SGANG_MEMBER_HELD;
	return SGANG_MEMBER_RUNNING;
}

/* ---- who is alike ---- */

static uint64_t hash_of(const struct sgang_alike *alike)
{
	const struct sgang_submit_need *need = &alike->need;
	uint64_t hash = SGANG_HASH_SEED;

	hash = sgang_hash(hash, (uint64_t)alike->m.uid << 32 |
					(uint64_t)alike->m.state << 1 |
					need->whole);
	hash = sgang_hash(hash, (uint64_t)need->nodes << 32 | need->cpus);
	hash = sgang_hash(hash, alike->throttle);
	hash = sgang_hash_text(hash, alike->gang);
	hash = sgang_hash_text(hash, alike->partition);
	hash = sgang_hash_text(hash, alike->account);
	hash = sgang_hash_bytes(hash, &alike->record, sizeof(alike->record));
	return sgang_hash_bytes(hash, &alike->spec, sizeof(alike->spec));
}

/* The records in slurmctld are read last, because this takes longest. */
static bool are_alike(const struct sgang_roll *roll,
		      const struct sgang_alike *a, const struct sgang_alike *b)
{
	return a->hash == b->hash && a->m.uid == b->m.uid &&
	       a->m.state == b->m.state && a->need.whole == b->need.whole &&
	       a->need.nodes == b->need.nodes && a->need.cpus == b->need.cpus &&
	       a->throttle == b->throttle && a->has_record == b->has_record &&
	       same_text(a->gang, b->gang) &&
	       same_text(a->partition, b->partition) &&
	       same_text(a->account, b->account) &&
	       !memcmp(&a->record, &b->record, sizeof(a->record)) &&
	       !memcmp(&a->spec, &b->spec, sizeof(a->spec)) &&
	       roll->host->alike(a->m.job_id, b->m.job_id);
}

static void free_alike(struct sgang_alike *alike)
{
	if (!alike)
		return;
	free(alike->gang);
	free(alike->partition);
	free(alike->account);
	free(alike);
}

/* NULL: no memory. */
static struct sgang_alike *read_alike(const struct sgang_submit_member *member,
				      const char *gang,
				      const struct sgang_spec *spec)
{
	struct sgang_alike *alike = calloc(1, sizeof(*alike));

	if (!alike)
		return NULL;
	alike->spec = *spec;
	alike->spec.rank_set = false;
	alike->spec.rank = 0;
	alike->gang = strdup(gang);
	alike->partition = member->partition ? strdup(member->partition) : NULL;
	alike->account = member->account ? strdup(member->account) : NULL;
	if (!alike->gang || (member->partition && !alike->partition) ||
	    (member->account && !alike->account)) {
		free_alike(alike);
		return NULL;
	}
	take_record(alike, member->comment);
	alike->need = member->need;
	alike->throttle = member->throttle;
	alike->m.spec = &alike->spec;
	alike->m.eligible = true;
	alike->m.state = state_of(member, alike->m.record);
	alike->m.job_id = member->job_id;
	alike->m.uid = member->uid;
	alike->m.submit_time = member->submit_time;
	alike->hash = hash_of(alike);
	return alike;
}

/* The sort that 'alike' is to be counted with: itself, if it is the first.
 * NULL: no memory. */
static struct sgang_alike *enter(struct sgang_roll *roll,
				 struct sgang_alike *alike)
{
	struct sgang_alike **chain =
		&roll->chains[alike->hash % SGANG_ROLL_CHAINS];
	struct sgang_alike *other = *chain;
	unsigned int compared = 0;

	for (; other && compared < COMPARE_MAX; other = other->chain) {
		compared += other->hash == alike->hash;
		if (!are_alike(roll, other, alike))
			continue;
		free_alike(alike);
		return other;
	}
	if (roll->n == roll->cap) {
		size_t cap = roll->cap ? roll->cap * 2 : 8;
		struct sgang_alike **more = realloc(roll->alike,
						    cap * sizeof(*more));

		if (!more) {
			free_alike(alike);
			return NULL;
		}
		roll->alike = more;
		roll->cap = cap;
	}
	alike->chain = *chain;
	*chain = alike;
	alike->index = roll->n;
	roll->alike[roll->n++] = alike;
	return alike;
}

/* ---- taking in ---- */

static bool same_options(const struct sgang_submit_member *a,
			 const struct sgang_submit_member *b)
{
	if (a->uid != b->uid || a->n_env != b->n_env)
		return false;
	for (size_t i = 0; i < a->n_env; i++) {
		if (!same_text(a->env[i], b->env[i]))
			return false;
	}
	return true;
}

/* Is it what was read last once more? Members mostly come so. */
static bool is_as_last(const struct sgang_roll *roll,
		       const struct sgang_submit_member *member)
{
	const struct sgang_submit_member *last = &roll->last;

	return roll->last_alike && last->pending == member->pending &&
	       last->configuring == member->configuring &&
	       last->throttle == member->throttle &&
	       last->need.nodes == member->need.nodes &&
	       last->need.cpus == member->need.cpus &&
	       last->need.whole == member->need.whole &&
	       same_text(last->partition, member->partition) &&
	       same_text(last->account, member->account) &&
	       same_text(last->comment, member->comment) &&
	       same_options(last, member) &&
	       roll->host->alike(roll->last_alike->m.job_id, member->job_id);
}

/* The oldest member decides, and of definitions the newest. */
static void count_in(struct sgang_alike *alike,
		     const struct sgang_submit_member *member)
{
	const struct sgang_member m = {
		.job_id = member->job_id,
		.submit_time = member->submit_time,
	};
	int order = sgang_gang_submit_order(&m, &alike->m);

	alike->m.tasks += member->tasks;
	if (alike->spec.object ? order < 0 : order > 0)
		return;
	alike->m.job_id = m.job_id;
	alike->m.submit_time = m.submit_time;
}

/* Returns NULL if it is no member, or without memory. */
static struct sgang_alike *take_in(struct sgang_roll *roll,
				   const struct sgang_submit_member *member)
{
	const char *gang = sgang_submit_gang(member->env, member->n_env);
	struct sgang_alike *alike;
	struct sgang_spec spec;

	if (!gang || !may_name(gang, roll->name) ||
	    (member->job_id == roll->skip_job && roll->skip_job))
		return NULL;
	if (is_as_last(roll, member))
		return roll->last_alike;
	if (sgang_spec_from_env(&spec, member->env, member->n_env, NULL) != 1 ||
	    !is_in_gang(roll, &spec, member->uid))
		return NULL;
	alike = read_alike(member, gang, &spec);
	if (alike)
		alike = enter(roll, alike);
	roll->no_memory |= !alike;
	return alike;
}

static void list_job(struct sgang_roll *roll, const struct sgang_roll_job *job)
{
	if (roll->n_jobs == roll->cap_jobs) {
		size_t cap = roll->cap_jobs ? roll->cap_jobs * 2 : 16;
		struct sgang_roll_job *more = realloc(roll->jobs,
						      cap * sizeof(*more));

		if (!more) {
			roll->no_memory = true;
			return;
		}
		roll->jobs = more;
		roll->cap_jobs = cap;
	}
	roll->jobs[roll->n_jobs++] = *job;
}

static struct sgang_alike *add(struct sgang_roll *roll,
			       const struct sgang_submit_member *member)
{
	struct sgang_alike *alike = take_in(roll, member);

	if (!alike)
		return NULL;
	count_in(alike, member);
	roll->last = *member;
	roll->last_alike = alike;
	return alike;
}

void sgang_roll_add(struct sgang_roll *roll,
		    const struct sgang_submit_member *member)
{
	struct sgang_roll_job job = {
		.alike = add(roll, member),
		.job_id = member->job_id,
		.submit_time = member->submit_time,
		.tasks = member->tasks,
	};

	if (job.alike)
		list_job(roll, &job);
}

/* Jobs that are no members are listed too: one that has ended may run again. */
static void visit_number(uint32_t job_id, void *arg)
{
	struct sgang_submit_member member;
	struct sgang_roll *roll = arg;
	struct sgang_roll_job job = {
		.job_id = job_id,
		.mark = roll->host->rolls ? roll->host->mark(job_id, 0) : 0,
	};

	if (roll->host->member(job_id, &member)) {
		job.alike = add(roll, &member);
		job.submit_time = member.submit_time;
		job.tasks = member.tasks;
	}
	list_job(roll, &job);
}

/* The user whose namespace it is, if it is a user's. */
static bool owner_of(const struct sgang_roll *roll, uint32_t uid,
		     uint32_t *owner)
{
	const char *user = roll->host->user_name(uid);

	*owner = uid;
	return (user && !strcmp(roll->ns, user)) ||
	       roll->host->user_id(roll->ns, owner);
}

/* A gang is named with its namespace, or without by the user of that name. */
void sgang_roll_call(struct sgang_roll *roll, uint32_t uid)
{
	const struct sgang_members *members = roll->host->members;
	char gang[SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + 2];
	uint32_t owner;

	snprintf(gang, sizeof(gang), "%s/%s", roll->ns, roll->name);
	sgang_members_of(members, gang, uid, roll->known, visit_number, roll);
	if (owner_of(roll, uid, &owner))
		sgang_members_of(members, roll->name, owner, roll->known,
				 visit_number, roll);
	roll->known = sgang_members_stamp(members);
	roll->last_alike = NULL;
}

void sgang_roll_begin(struct sgang_roll *roll,
		      const struct sgang_submit_host *host, const char *ns,
		      const char *name)
{
	memset(roll, 0, sizeof(*roll));
	roll->host = host;
	snprintf(roll->ns, sizeof(roll->ns), "%s", ns);
	snprintf(roll->name, sizeof(roll->name), "%s", name);
}

void sgang_roll_end(struct sgang_roll *roll)
{
	for (size_t i = 0; i < roll->n; i++)
		free_alike(roll->alike[i]);
	free(roll->alike);
	free(roll->jobs);
	memset(roll, 0, sizeof(*roll));
}

/* ---- what is remembered ---- */

struct sgang_rolls *sgang_rolls_create(void)
{
	return calloc(1, sizeof(struct sgang_rolls));
}

static void forget(struct sgang_roll **slot)
{
	if (*slot)
		sgang_roll_end(*slot);
	free(*slot);
	*slot = NULL;
}

void sgang_rolls_destroy(struct sgang_rolls *rolls)
{
	for (size_t i = 0; rolls && i < ROLLS; i++)
		forget(&rolls->roll[i]);
	free(rolls);
}

static bool is_of(const struct sgang_roll *roll, const char *ns,
		  const char *name)
{
	return !strcmp(roll->name, name) && !strcmp(roll->ns, ns);
}

/* Has nothing happened to any of its jobs? */
static bool is_current(const struct sgang_roll *roll)
{
	const struct sgang_submit_host *host = roll->host;

	if (roll->n > REMEMBER_MAX || roll->stamp != host->stamp() ||
	    roll->known < sgang_members_begun(host->members))
		return false;
	for (size_t i = 0; i < roll->n_jobs; i++) {
		const struct sgang_roll_job *job = &roll->jobs[i];

		if (host->mark(job->job_id, job->mark) != job->mark)
			return false;
	}
	return true;
}

const struct sgang_roll *sgang_rolls_get(const struct sgang_submit_host *host,
					 const char *ns, const char *name,
					 uint32_t uid)
{
	uint64_t hash = sgang_hash_text(sgang_hash_text(SGANG_HASH_SEED, ns),
					name);
	struct sgang_roll **slot = &host->rolls->roll[hash % ROLLS];

	if (*slot && (!is_of(*slot, ns, name) || !is_current(*slot)))
		forget(slot);
	if (!*slot) {
		*slot = malloc(sizeof(**slot));
		if (!*slot)
			return NULL;
		sgang_roll_begin(*slot, host, ns, name);
		(*slot)->stamp = host->stamp();
	}
	sgang_roll_call(*slot, uid);
	if ((*slot)->no_memory)
		forget(slot);
	return *slot;
}
