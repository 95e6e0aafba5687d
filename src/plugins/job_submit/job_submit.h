/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_submit.h - may this job join this gang, and can the gang ever start?
 *
 * The gang's other members are read from the job records, through the host.
 * Their data is remembered (roll.h), and so are the numbers of their jobs
 * (members.h). Knows nothing of Slurm.
 */

#ifndef SGANG_JOB_SUBMIT_H
#define SGANG_JOB_SUBMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/gang/conf.h"
#include "core/gang/spec.h"
#include "plugins/job_submit/members.h"

/* Least resources of one member. */
struct sgang_submit_need {
	uint32_t nodes; /* 1 or more */
	uint32_t cpus;  /* 1 or more */
	bool whole;     /* shares its nodes with no other job */
};

/* Resources of the cluster. 0: not known, nothing is refused for it. */
struct sgang_submit_room {
	uint32_t nodes;
	uint32_t cpus;   /* 0 also where jobs share CPUs */
	uint64_t memory; /* MB; of the cluster only */
};

/* The job that is submitted. Pointers are borrowed for the call. */
struct sgang_submit_job {
	char *const *env; /* spank_job_env */
	size_t n_env;
	uint32_t uid;          /* whose job it is */
	const char *account;   /* as it will be charged; NULL: none */
	bool account_checked;  /* Slurm refuses other people's */
	const char *array;     /* "0-9%2"; NULL: no array */
	bool held;             /* comes with priority 0 */
	bool het;              /* part of a heterogeneous job */
	bool time_min;         /* --time-min was said */
	bool expedited;        /* --requeue=expedite was said */
	const char *partition; /* or several, "a,b" */
	struct sgang_submit_need need;
	struct sgang_submit_room room; /* the largest of its partitions */
};

/* A job that is there and has not ended. */
struct sgang_submit_member {
	char *const *env;
	size_t n_env;
	const char *comment; /* with its record, or NULL */
	uint32_t job_id;
	int64_t submit_time;
	uint32_t uid;
	uint32_t tasks;    /* members it stands for, 1 or more */
	uint32_t throttle; /* array: tasks at a time; 0: any */
	bool pending;
	bool configuring; /* has nodes, is not launched */
	const char *partition;
	const char *account; /* that it is charged to; NULL: none */
	struct sgang_submit_need need;
};

/* Some of a gang's members that are alike. */
struct sgang_submit_asked {
	uint32_t job_id; /* 0: the job that is submitted */
	uint32_t members;
	bool first; /* --gang-order puts them into the minimum */
};

typedef void (*sgang_submit_visit_f)(const struct sgang_submit_member *member,
				     void *arg);

/* Functions of Slurm. */
struct sgang_submit_host {
	/* NULL when the user has no name. Borrowed until the next call. */
	const char *(*user_name)(uint32_t uid);
	/* Fill the number of the user of that name. False: there is none. */
	bool (*user_id)(const char *name, uint32_t *uid);
	/* May the user of that name charge the account of the same name? Asked
	 * only where Slurm checks associations. */
	bool (*own_account)(const char *name);
	/* gang.conf, or the defaults where there is none. The caller gives it
	 * up with sgang_conf_free(). */
	int (*load_conf)(struct sgang_conf *conf, struct sgang_error *err);
	/* Calls 'visit' for every live job that has a spank_job_env. All that a
	 * member points to stays valid until the judgment is over. */
	void (*each_member)(sgang_submit_visit_f visit, void *arg);
	/* Fill '*member', as above. False: there is no such job of that
	 * number. */
	bool (*member)(uint32_t job_id, struct sgang_submit_member *member);
	/* Which jobs may be of a gang; NULL: all. */
	struct sgang_members *members;
	/* The gangs that are remembered; NULL: none. */
	struct sgang_rolls *rolls;
	/* A number that is another one when member() fills something else;
	 * 'before' is the one that the job had, 0: not known. 0: it has ended
	 * or is not there. */
	uint32_t (*mark)(uint32_t job_id, uint32_t before);
	/* Changes when any of it may have changed although the marks are the
	 * same. */
	uint64_t (*stamp)(void);
	/* Would never() say the same of both jobs? */
	bool (*alike)(uint32_t job_id, uint32_t other);
	/* All nodes of the cluster. */
	struct sgang_submit_room (*cluster)(void);
	/* Is it certain that these members cannot start together, whichever
	 * 'spare' of them are left out, even if no other job ran, beside so
	 * many others of which nothing is known? Then 'why' says what they
	 * lack; 'spec' has what they ask of the levels. */
	bool (*never)(const struct sgang_submit_asked *asked, size_t n,
		      uint32_t spare, uint32_t others,
		      const struct sgang_spec *spec, char *why, size_t size);
	/* Is it certain that a limit of their association or QOS never lets
	 * all of these run at a time? Then 'why' has the limit, and what they
	 * need. 'account' is the new job's. */
	bool (*beyond_limits)(const char *account,
			      const struct sgang_submit_asked *asked, size_t n,
			      char *why, size_t size);
	/* Can gangs be placed on the topology of none of these partitions? Then
	 * 'why' names one, and says why. NULL: on that of each. */
	bool (*barred)(const char *partitions, char *why, size_t size);
};

enum sgang_submit_verdict {
	SGANG_SUBMIT_FINE,
	SGANG_SUBMIT_UNDEFINED, /* fine; the sentence is a note */
	SGANG_SUBMIT_IDLE,      /* the same: of options without effect */
	SGANG_SUBMIT_INVALID,   /* options are nonsense or disagree */
	SGANG_SUBMIT_OFF,       /* gangs are switched off */
	SGANG_SUBMIT_BROKEN,    /* ... because gang.conf has errors */
	SGANG_SUBMIT_UNSUPPORTED,
	SGANG_SUBMIT_NOT_YOURS, /* namespace */
	SGANG_SUBMIT_OBJECT,    /* a definition is no job to run */
	SGANG_SUBMIT_ARRAY,     /* the array's limit is too low */
	SGANG_SUBMIT_NEVER_FITS,
	SGANG_SUBMIT_LIMIT, /* too many gangs or members */
	SGANG_SUBMIT_NO_MEMORY,
	SGANG_SUBMIT_VERDICTS
};

/* Judge a new job. Jobs that say nothing about gangs are FINE. 'err' holds one
 * sentence for the user unless it is FINE. */
enum sgang_submit_verdict
sgang_submit_check(const struct sgang_submit_job *job,
		   const struct sgang_submit_host *host,
		   struct sgang_error *err);

/* Judge a change of a job that is there. */
struct sgang_submit_change {
	const char *account;   /* new one; NULL: stays */
	const char *partition; /* new one, or several; NULL: stays */
	uint32_t throttle;     /* new one; 0: stays, or no limit */
	bool priority;         /* a new one that is not 0, or what
				* Slurm computes one from */
	bool time_min;         /* --time-min, to be another */
};
enum sgang_submit_verdict
sgang_submit_check_change(const struct sgang_submit_member *member,
			  const struct sgang_submit_change *change,
			  const struct sgang_submit_host *host,
			  struct sgang_error *err);

#endif
