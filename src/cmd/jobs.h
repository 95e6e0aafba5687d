/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobs.h - the job records of slurmctld, as far as sgang needs them
 *
 * Only jobs that carry a gang's record in their system_comment are kept.
 * jobs_slurm.c reads them through libslurm; a build without Slurm has
 * jobs_none.c in its place.
 */

#ifndef SGANG_JOBS_H
#define SGANG_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/gang/record.h"
#include "core/gang/spec.h"

enum sgang_row_class {
	SGANG_ROW_PENDING,
	SGANG_ROW_HELD, /* has nodes, was not launched yet */
	SGANG_ROW_RUNNING,
	SGANG_ROW_ENDED
};

struct sgang_jobrow {
	struct sgang_record record;
	enum sgang_row_class class;
	uint32_t job_id;
	uint32_t array_id; /* 0: no array */
	uint32_t tasks;    /* members it stands for, 1 or more */
	char *array_tasks; /* "3", "0-3,7%2" or NULL */
	char *name;        /* of the job */
	char *user;
	bool own;      /* the caller is that user */
	char *account; /* "" when there is none */
	char *partition;
	char *state;            /* "CONFIGURING" */
	char *nodes;            /* hostlist expression, "" */
	char *order;            /* order= of its record; NULL: none */
	char *reason;           /* "" when there is none */
	int64_t submit_time;    /* seconds since the epoch */
	int64_t start_time;     /* of a pending job when Slurm expects
			      * it to start; 0: not known */
	int64_t end_time;       /* of an ended job */
	uint32_t exit_code;     /* of that, as wait() has it */
	uint32_t restarts;      /* how often Slurm has requeued it; 0 of a job
			      * that only accounting knows */
	uint32_t priority;      /* of a pending job */
	bool stopped;           /* held: it waits without a priority */
	bool requeues;          /* Slurm would requeue it */
	enum sgang_job_end end; /* of an ended job */
};

/* A pending job without a gang that Slurm could start now. */
struct sgang_queued {
	uint32_t job_id; /* of an array: the array's */
	uint32_t priority;
	char *partitions; /* "a,b" */
};

struct sgang_jobs {
	struct sgang_jobrow *row;
	size_t count;
	struct sgang_queued *queued; /* other jobs; only of now */
	size_t n_queued;
};

/* Returns 0 and '*jobs', to be emptied with sgang_jobs_clear(), or -1 with
 * 'err' filled. */
int sgang_jobs_load(struct sgang_jobs *jobs, struct sgang_error *err);
void sgang_jobs_clear(struct sgang_jobs *jobs);

/* Jobs that slurmctld does not know any more. */
struct sgang_jobs_past {
	uint32_t job_id; /* this one; 0: all that ... */
	int64_t since;   /* ... have been there since then, in seconds since
			  * the epoch */
	bool of_user;    /* ... are of the user uid */
	uint32_t uid;
};

/* The same from slurmdbd; a job that was requeued has a row for each run. No
 * row: slurmdbd does not know such a job either, or there is none. slurmctld
 * gives it the short record (record.h) of members that started; in the row,
 * values missing there are 0 or "". */
int sgang_jobs_load_past(const struct sgang_jobs_past *past,
			 struct sgang_jobs *jobs, struct sgang_error *err);

/* True if slurmctld says that this job does not run (any more). */
bool sgang_jobs_gone(uint32_t job_id);

/* Put the names of all nodes of the job into the order of the ring in its
 * record. Returns 1; 0 when the record has none; or -1 with ENOMEM and 'err'.
 * The names are as they were unless it returns 1. */
int sgang_jobs_ring(const struct sgang_jobrow *row, char **names, size_t n,
		    struct sgang_error *err);

/* The row as Slurm's commands name a job: "12", "12_3", "12_[4-6]"; 'whole' is
 * the whole array, "12". Returns a string the caller frees, or NULL with
 * ENOMEM. */
char *sgang_jobs_id(const struct sgang_jobrow *row, bool whole);

/* The end of the message "there is no gang alice/trian": ", did you mean
 * alice/train?", or where no name is near ", see sgang list". Returns 'text'.
 */
#define SGANG_JOBS_HINT (SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + 32)
const char *sgang_jobs_hint(const struct sgang_jobs *jobs,
			    const struct sgang_spec *missed,
			    char text[SGANG_JOBS_HINT]);

/* The class of a job that runs for Slurm. A job is configuring while its nodes
 * boot, and also while it is held by us, which only its record shows. */
enum sgang_row_class sgang_jobs_running(const struct sgang_record *record,
					bool configuring);

/* The number of tasks in the array expression: "0-3,7%2" is 5, "0-10:2" is 6. 1
 * for NULL and for what cannot be read. */
uint32_t sgang_jobs_count_tasks(const char *array_tasks);

#endif
