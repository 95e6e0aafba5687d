/* SPDX-License-Identifier: GPL-2.0-or-later */
/* members.h - which jobs may be in a gang, without a look at all jobs
 *
 * Slurm numbers jobs in rising order, and a task that it splits from an array
 * has the next number. The numbers of jobs that came since the last submission
 * are therefore known, and these jobs are looked up one by one. All jobs are
 * walked when a --gang has changed, because a spare of a pool has joined a gang,
 * and where the numbers do not tell: for the first two submissions, where
 * numbers begin anew, before they reach numbers that were in use at the last
 * walk, and when too many are new.
 *
 *     numbers   ... known ... | from ... new ... next | free ... | limit
 *
 * The answer may have more than the gang's members: jobs that have ended, that
 * are gone, or of another gang. If jobs have other numbers, because root has
 * asked for one or in a federation, look at all jobs.
 */

#ifndef SGANG_MEMBERS_H
#define SGANG_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sgang_members;

/* A job that Slurm has a record of. The job may have ended, and may run again.
 */
struct sgang_members_job {
	uint32_t job_id;
	uint32_t uid;
	uint32_t tasks;   /* it stands for, 1 or more */
	const char *gang; /* what it named, borrowed, or NULL */
};

typedef void (*sgang_members_visit_f)(const struct sgang_members_job *job,
				      void *arg);

/* Functions of Slurm, which lets no job come or go meanwhile. */
struct sgang_members_host {
	/* The lowest number that the next job can get; 0: not known. Never
	 * above the next one of the row that is free. */
	uint32_t (*next_id)(void);
	/* Fill '*job'. False: there is none of that number. */
	bool (*find)(uint32_t job_id, struct sgang_members_job *job);
	/* Calls 'visit' for every job. */
	void (*each)(sgang_members_visit_f visit, void *arg);
};

/* Returns NULL with ENOMEM. */
struct sgang_members *
sgang_members_create(const struct sgang_members_host *host);

/* NULL is fine. */
void sgang_members_destroy(struct sgang_members *members);

/* Walk all jobs the next time. */
void sgang_members_forget(struct sgang_members *members);

/* Take in the jobs that have come. Returns 0, or -1 where they are not known
 * (no memory): then look at all jobs. */
int sgang_members_update(struct sgang_members *members);

/* Calls 'visit' for the number of each job that said --gang='gang', be it as
 * 'uid' if that has no namespace. Jobs that were known at 'since', a stamp, are
 * left out; 0: none is. */
void sgang_members_of(const struct sgang_members *members, const char *gang,
		      uint32_t uid, uint64_t since,
		      void (*visit)(uint32_t job_id, void *arg), void *arg);

/* The stamp of now. It rises with each job that is added. */
uint64_t sgang_members_stamp(const struct sgang_members *members);

/* The stamp at the last walk: what was told before is void. Never 0. */
uint64_t sgang_members_begun(const struct sgang_members *members);

/* The value of --gang in the environment, borrowed from it; NULL: none. */
const char *sgang_submit_gang(char *const *env, size_t n_env);

/* How many there are at most. */
struct sgang_members_count {
	uint64_t members, own_members; /* tasks; those of one user */
	uint64_t gangs, own_gangs;
};

struct sgang_members_count
sgang_members_count(const struct sgang_members *members, uint32_t uid);

#endif
