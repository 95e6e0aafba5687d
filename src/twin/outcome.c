/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outcome.c - an outcome as a stream of bytes, from one process to another
 *
 * The stream is for a process of the same program: a head, the lists as they
 * are in memory, and the hash of all of it. The head has a hash of its own, so
 * that no memory is taken for numbers that are damaged.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "twin/outcome.h"

#define MARK 0x656d6f6374756f31ull

struct head {
	uint64_t mark;
	struct sgang_outcome outcome; /* its lists are of no account */
	uint64_t hash;                /* of what is before it */
};

/* A list of an outcome. */
struct list {
	void **items;
	size_t n, size;
};
#define N_LISTS 5

static void lists_of(struct sgang_outcome *outcome, struct list list[N_LISTS])
{
	list[0] = (struct list){ (void **)&outcome->jobs, outcome->n_jobs,
				 sizeof(*outcome->jobs) };
	list[1] = (struct list){ (void **)&outcome->gangs, outcome->n_gangs,
				 sizeof(*outcome->gangs) };
	list[2] = (struct list){ (void **)&outcome->nodes, outcome->n_nodes,
				 sizeof(*outcome->nodes) };
	list[3] = (struct list){ (void **)&outcome->samples, outcome->n_samples,
				 sizeof(*outcome->samples) };
	list[4] = (struct list){ (void **)&outcome->rings, outcome->n_rings,
				 sizeof(*outcome->rings) };
}

static uint64_t hash_of_head(const struct head *head)
{
	return sgang_hash_bytes(SGANG_HASH_SEED, head,
				offsetof(struct head, hash));
}

/* ---- write ---- */

static int put(int fd, const void *data, size_t size, struct sgang_error *err)
{
	const char *at = data;
	ssize_t n;

	while (size) {
		n = write(fd, at, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return sgang_errf(err, errno,
					  "cannot write what became of the "
					  "queue: %s",
					  strerror(errno));
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

/* Bytes between the fields are zero, whatever they are in 'from'. */
static void fill_head(const struct sgang_outcome *from, struct head *head)
{
	struct sgang_outcome *to = &head->outcome;

	memset(head, 0, sizeof(*head));
	head->mark = MARK;
	to->n_jobs = from->n_jobs;
	to->n_gangs = from->n_gangs;
	to->n_rings = from->n_rings;
	to->n_nodes = from->n_nodes;
	to->n_samples = from->n_samples;
	to->from = from->from;
	to->until = from->until;
	to->cpus = from->cpus;
	to->idle_work = from->idle_work;
	to->unused = from->unused;
	to->busy = from->busy;
	to->lost = from->lost;
	to->victims = from->victims;
	to->passes = from->passes;
	to->attempts = from->attempts;
	to->cycles = from->cycles;
	to->backfills = from->backfills;
	to->seconds = from->seconds;
	to->memory = from->memory;
	head->hash = hash_of_head(head);
}

int sgang_outcome_write(const struct sgang_outcome *outcome, int fd,
			struct sgang_error *err)
{
	struct sgang_outcome lists = *outcome;
	struct list list[N_LISTS];
	struct head head;
	uint64_t hash;
	size_t i;

	fill_head(outcome, &head);
	if (put(fd, &head, sizeof(head), err))
		return -1;
	hash = head.hash;
	lists_of(&lists, list);
	for (i = 0; i < N_LISTS; i++) {
		size_t size = list[i].n * list[i].size;

		if (!size)
			continue;
		hash = sgang_hash_bytes(hash, *list[i].items, size);
		if (put(fd, *list[i].items, size, err))
			return -1;
	}
	return put(fd, &hash, sizeof(hash), err);
}

/* ---- read ---- */

static int damaged(struct sgang_error *err)
{
	return sgang_errf(err, EINVAL,
			  "what became of the queue came damaged, or not as "
			  "a whole");
}

static int get(int fd, void *data, size_t size, struct sgang_error *err)
{
	char *at = data;
	ssize_t n;

	while (size) {
		n = read(fd, at, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return sgang_errf(err, errno,
					  "cannot read what became of the "
					  "queue: %s",
					  strerror(errno));
		if (!n)
			return damaged(err);
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

/* A list has one item of room more than it has items: it is never NULL. */
static int get_list(int fd, struct list *list, uint64_t *hash,
		    struct sgang_error *err)
{
	*list->items = calloc(list->n + 1, list->size);
	if (!*list->items)
		return sgang_err_memory(err);
	if (!list->n)
		return 0;
	if (get(fd, *list->items, list->n * list->size, err))
		return -1;
	*hash = sgang_hash_bytes(*hash, *list->items, list->n * list->size);
	return 0;
}

/* A reader may follow all numbers of places. */
static bool is_sound(const struct sgang_outcome *outcome)
{
	size_t i;

	for (i = 0; i < outcome->n_jobs; i++) {
		const struct sgang_outcome_job *job = &outcome->jobs[i];

		if (job->how > SGANG_OUTCOME_CANCELLED ||
		    (job->gang != SGANG_OUTCOME_NONE &&
		     job->gang >= outcome->n_gangs) ||
		    job->first > outcome->n_nodes ||
		    job->n_nodes > outcome->n_nodes - job->first)
			return false;
	}
	for (i = 0; i < outcome->n_gangs; i++) {
		const struct sgang_outcome_gang *gang = &outcome->gangs[i];

		if (gang->first_job >= outcome->n_jobs ||
		    !memchr(gang->tier, '\0', sizeof(gang->tier)))
			return false;
	}
	return !outcome->n_rings || outcome->n_rings == outcome->n_jobs;
}

static int get_all(int fd, struct sgang_outcome *outcome, uint64_t hash,
		   struct sgang_error *err)
{
	struct list list[N_LISTS];
	uint64_t wanted;
	size_t i;

	lists_of(outcome, list);
	for (i = 0; i < N_LISTS; i++)
		if (get_list(fd, &list[i], &hash, err))
			return -1;
	if (get(fd, &wanted, sizeof(wanted), err))
		return -1;
	return hash == wanted && is_sound(outcome) ? 0 : damaged(err);
}

int sgang_outcome_read(struct sgang_outcome *outcome, int fd,
		       struct sgang_error *err)
{
	struct head head;
	int errnum;

	memset(outcome, 0, sizeof(*outcome));
	if (get(fd, &head, sizeof(head), err))
		return -1;
	if (head.mark != MARK || head.hash != hash_of_head(&head))
		return damaged(err);
	*outcome = head.outcome;
	if (!get_all(fd, outcome, head.hash, err))
		return 0;
	errnum = errno;
	sgang_outcome_clear(outcome);
	errno = errnum;
	return -1;
}

void sgang_outcome_clear(struct sgang_outcome *outcome)
{
	free(outcome->jobs);
	free(outcome->gangs);
	free(outcome->rings);
	free(outcome->nodes);
	free(outcome->samples);
	memset(outcome, 0, sizeof(*outcome));
}
