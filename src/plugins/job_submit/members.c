/* SPDX-License-Identifier: GPL-2.0-or-later */
/* members.c - which jobs may be in a gang, without a look at all jobs */

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "plugins/job_submit/members.h"

/* Chains of both tables. The default limits allow 10,000 gangs. */
#define CHAINS 4096

/* To look up so many numbers takes about as long as to walk a long queue. */
#define GAP_MAX 20000

struct taken {
	uint64_t stamp; /* rises */
	uint32_t job_id;
};

/* The jobs of one user that say the same behind --gang. */
struct gang {
	struct gang *next;
	uint64_t key; /* of what they say */
	uint32_t uid;
	struct taken *jobs;
	size_t n, cap;
};

struct user {
	struct user *next;
	uint32_t uid;
	uint64_t members, gangs; /* at most */
};

struct sgang_members {
	const struct sgang_members_host *host;
	bool stale; /* holds nothing to go by */
	bool sure;  /* no job will get a number < from */
	uint32_t from;
	uint32_t limit; /* lowest above `from` that was taken */
	struct gang *gangs[CHAINS];
	struct user *users[CHAINS];
	uint64_t n_members, n_gangs;
	uint64_t stamp, begun;
};

/* ---- what is known ---- */

/* A name with a namespace means the same from every user. */
static uint64_t key_of(const char *gang, uint32_t uid)
{
	uint64_t key = SGANG_HASH_SEED;

	return sgang_hash_text(strchr(gang, '/') ? key : sgang_hash(key, uid),
			       gang);
}

static size_t chain_of(uint64_t key)
{
	return (key ^ key >> 32) % CHAINS;
}

static struct user *get_user(struct sgang_members *m, uint32_t uid)
{
	struct user **chain = &m->users[uid % CHAINS], *user = *chain;

	while (user && user->uid != uid)
		user = user->next;
	if (user)
		return user;
	user = calloc(1, sizeof(*user));
	if (!user)
		return NULL;
	user->uid = uid;
	user->next = *chain;
	*chain = user;
	return user;
}

static struct gang *get_gang(struct sgang_members *m, uint64_t key,
			     struct user *user)
{
	struct gang **chain = &m->gangs[chain_of(key)], *gang = *chain;

	while (gang && (gang->key != key || gang->uid != user->uid))
		gang = gang->next;
	if (gang)
		return gang;
	gang = calloc(1, sizeof(*gang));
	if (!gang)
		return NULL;
	gang->key = key;
	gang->uid = user->uid;
	gang->next = *chain;
	*chain = gang;
	m->n_gangs++;
	user->gangs++;
	return gang;
}

static int append(struct gang *gang, uint32_t job_id, uint64_t stamp)
{
	size_t cap = gang->cap ? gang->cap * 2 : 4;
	struct taken *more;

	if (gang->n == gang->cap) {
		more = realloc(gang->jobs, cap * sizeof(*more));
		if (!more)
			return -1;
		gang->jobs = more;
		gang->cap = cap;
	}
	gang->jobs[gang->n++] = (struct taken){ stamp, job_id };
	return 0;
}

/* Without memory all is stale. */
static void add(struct sgang_members *m, const struct sgang_members_job *job)
{
	struct user *user;
	struct gang *gang;

	if (!job->gang || m->stale)
		return;
	user = get_user(m, job->uid);
	gang = user ? get_gang(m, key_of(job->gang, job->uid), user) : NULL;
	if (!gang || append(gang, job->job_id, ++m->stamp) < 0) {
		m->stale = true;
		return;
	}
	m->n_members += job->tasks;
	user->members += job->tasks;
}

static void empty(struct sgang_members *m)
{
	for (size_t i = 0; i < CHAINS; i++) {
		while (m->gangs[i]) {
			struct gang *next = m->gangs[i]->next;

			free(m->gangs[i]->jobs);
			free(m->gangs[i]);
			m->gangs[i] = next;
		}
		while (m->users[i]) {
			struct user *next = m->users[i]->next;

			free(m->users[i]);
			m->users[i] = next;
		}
	}
	m->n_members = m->n_gangs = 0;
	m->begun = ++m->stamp;
}

/* ---- what has come ---- */

/* A walk of all jobs. */
struct walk {
	struct sgang_members *m;
	bool follows; /* `from` and `limit` still tell */
	uint32_t next;
	uint32_t last; /* highest that is new; 0: none */
	uint32_t limit;
};

static void walk_by(const struct sgang_members_job *job, void *arg)
{
	struct walk *walk = arg;
	uint32_t id = job->job_id;

	if (id >= walk->next) {
		if (id < walk->limit)
			walk->limit = id;
	} else if (walk->follows && id >= walk->m->from && id > walk->last) {
		walk->last = id;
	}
	add(walk->m, job);
}

/* Is every number from `from` up to this one either free since the last walk or
 * given to a job that came after it? */
static bool follows(const struct sgang_members *m, uint32_t next)
{
	return m->from && m->from <= next && next <= m->limit;
}

/* The row has come beyond a number that is new. If jobs below were there before
 * it may not have reached `next`: then its place is unknown. */
static void walk_all(struct sgang_members *m, uint32_t next)
{
	struct walk walk = {
		.m = m,
		.follows = follows(m, next),
		.next = next,
		.limit = UINT32_MAX,
	};

	empty(m);
	m->stale = false;
	m->host->each(walk_by, &walk);
	if (walk.last)
		m->from = walk.last + 1;
	else if (!walk.follows || !m->sure)
		m->from = next;
	m->sure = walk.last || (walk.follows && m->sure);
	m->limit = walk.limit;
}

static void look_up_new(struct sgang_members *m, uint32_t next)
{
	struct sgang_members_job job;

	for (uint32_t id = m->from; id < next; id++) {
		if (!m->host->find(id, &job))
			continue;
		m->from = id + 1;
		add(m, &job);
	}
}

int sgang_members_update(struct sgang_members *m)
{
	uint32_t next = m->host->next_id();

	if (!next) {
		m->stale = true;
		m->from = 0;
		return -1;
	}
	if (!m->stale && m->sure && follows(m, next) &&
	    next - m->from <= GAP_MAX)
		look_up_new(m, next);
	else
		walk_all(m, next);
	return m->stale ? -1 : 0;
}

void sgang_members_forget(struct sgang_members *m)
{
	m->stale = true;
}

struct sgang_members *
sgang_members_create(const struct sgang_members_host *host)
{
	struct sgang_members *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->host = host;
	m->stale = true;
	return m;
}

void sgang_members_destroy(struct sgang_members *m)
{
	if (!m)
		return;
	empty(m);
	free(m);
}

/* ---- what is asked ---- */

const char *sgang_submit_gang(char *const *env, size_t n_env)
{
	static const char option[] = "_SLURM_SPANK_OPTION_gang_gang=";
	size_t i;

	for (i = 0; i < n_env; i++)
		if (env[i] && !strncmp(env[i], option, sizeof(option) - 1))
			return env[i] + sizeof(option) - 1;
	return NULL;
}

void sgang_members_of(const struct sgang_members *m, const char *gang,
		      uint32_t uid, uint64_t since,
		      void (*visit)(uint32_t job_id, void *arg), void *arg)
{
	uint64_t key = key_of(gang, uid);
	const struct gang *g;

	for (g = m->gangs[chain_of(key)]; g; g = g->next) {
		size_t i = g->n;

		if (g->key != key)
			continue;
		while (i && g->jobs[i - 1].stamp > since)
			i--;
		for (; i < g->n; i++)
			visit(g->jobs[i].job_id, arg);
	}
}

uint64_t sgang_members_stamp(const struct sgang_members *m)
{
	return m->stamp;
}

uint64_t sgang_members_begun(const struct sgang_members *m)
{
	return m->begun;
}

struct sgang_members_count sgang_members_count(const struct sgang_members *m,
					       uint32_t uid)
{
	struct sgang_members_count count = {
		.members = m->n_members,
		.gangs = m->n_gangs,
	};
	const struct user *user = m->users[uid % CHAINS];

	while (user && user->uid != uid)
		user = user->next;
	if (user) {
		count.own_members = user->members;
		count.own_gangs = user->gangs;
	}
	return count;
}
