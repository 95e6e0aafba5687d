/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roll.h - the members of a gang that are there, those that are alike counted
 * together
 *
 * A gang of thousands has a few sorts of members, and is judged by these. The
 * roll of a gang is remembered: with the next submission only the jobs that
 * came since are read, and each of the others is asked for its mark, which
 * tells in some nanoseconds that nothing has happened to it. Else the roll is
 * made anew.
 */

#ifndef SGANG_ROLL_H
#define SGANG_ROLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/gang/gang.h"
#include "plugins/job_submit/job_submit.h"

/* Members that nobody who judges a gang can tell apart, or definitions of it
 * that say the same. */
struct sgang_alike {
	/* The first of them in the order of submission; of definitions the
	 * last. `tasks` are those of all. */
	struct sgang_member m;
	struct sgang_submit_need need;
	uint32_t throttle;
	char *gang;                 /* what they say behind --gang */
	char *partition;            /* or several, or NULL */
	char *account;              /* or NULL */
	struct sgang_spec spec;     /* without rank */
	struct sgang_record record; /* what a tally reads of it */
	bool has_record;
	size_t index; /* in the roll's list */
	uint64_t hash;
	struct sgang_alike *chain;
};

struct sgang_roll_job {
	struct sgang_alike *alike; /* NULL: it is no member */
	int64_t submit_time;
	uint32_t job_id;
	uint32_t mark;
	uint32_t tasks;
};

#define SGANG_ROLL_CHAINS 64

struct sgang_roll {
	const struct sgang_submit_host *host;
	char ns[SGANG_NAMESPACE_MAX + 1];
	char name[SGANG_NAME_MAX + 1];
	uint32_t skip_job;          /* is left out; 0: none */
	struct sgang_alike **alike; /* in the order they were met */
	size_t n, cap;
	struct sgang_alike *chains[SGANG_ROLL_CHAINS];
	struct sgang_roll_job *jobs;
	size_t n_jobs, cap_jobs;
	bool no_memory; /* some are missing */

	/* what was read last; borrowed, so only while jobs are read */
	struct sgang_submit_member last;
	struct sgang_alike *last_alike;

	uint64_t known; /* of sgang_members_stamp() */
	uint64_t stamp; /* of the host's */
};

/* Begin a roll of no job. Borrows 'host'. */
void sgang_roll_begin(struct sgang_roll *roll,
		      const struct sgang_submit_host *host, const char *ns,
		      const char *name);

/* Take in the job if it is of the gang. */
void sgang_roll_add(struct sgang_roll *roll,
		    const struct sgang_submit_member *member);

/* Take in the jobs that host->members has for the gang, as 'uid' would name
 * it. */
void sgang_roll_call(struct sgang_roll *roll, uint32_t uid);

/* Free what it has. */
void sgang_roll_end(struct sgang_roll *roll);

/* Rolls that are remembered. */
struct sgang_rolls;

/* Returns NULL with ENOMEM. */
struct sgang_rolls *sgang_rolls_create(void);

/* NULL is fine. */
void sgang_rolls_destroy(struct sgang_rolls *rolls);

/* The roll of the gang as it is now, by host->members and host->rolls. Valid
 * until the next call; NULL: no memory. */
const struct sgang_roll *sgang_rolls_get(const struct sgang_submit_host *host,
					 const char *ns, const char *name,
					 uint32_t uid);

#endif
