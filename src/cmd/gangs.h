/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gangs.h - the gangs that a list of job records amounts to
 *
 * A name may be used again once its gang is finished. The jobs of a name are
 * therefore distinguished by time: a job that was submitted when all earlier
 * ones had ended begins a new gang, and the newest gang of a name is the one
 * shown. A definition is no member, but its gang exists as long as it does,
 * even without members.
 */

#ifndef SGANG_GANGS_H
#define SGANG_GANGS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/jobs.h"
#include "core/base/err.h"
#include "core/gang/record.h"
#include "core/gang/spec.h"

struct sgang_gang {
	const struct sgang_jobrow **jobs; /* in ring order, then by submission
					   */
	size_t n_jobs;
	const struct sgang_jobrow *object; /* its definition, NULL: none */
	const struct sgang_record *record; /* the record of all members */
	enum sgang_phase phase;
	enum sgang_verdict verdict; /* what became of it; NONE: it lives */
	bool told;                  /* ... as slurmctld has said */
	uint32_t pending;           /* members, array tasks count */
	uint32_t held;
	uint32_t running;
	uint32_t placeholders; /* with nodes; neither held nor running */
	uint32_t ended;
	uint32_t incomplete; /* of a gang that has ended: members that decide
			      * about it and have not completed */
	char **nodes;        /* its nodes, sorted, each once */
	size_t n_nodes;
	const char *reason;  /* why it waits, "" */
	int64_t submit_time; /* of its first job */
	size_t position; /* in Slurm's queue, from 1 on (queue.h); 0: it does
			      * not wait in it, or nobody has counted */
};

struct sgang_gangs {
	struct sgang_gang *gang; /* by submit_time, then name */
	size_t count;
};

/* Borrows 'jobs'. Returns 0 and '*gangs', to be emptied with
 * sgang_gangs_clear(), or -1 with ENOMEM and 'err' filled. */
int sgang_gangs_build(const struct sgang_jobs *jobs, struct sgang_gangs *gangs,
		      struct sgang_error *err);
void sgang_gangs_clear(struct sgang_gangs *gangs);

/* Find a gang by the namespace and the name in 'name'. Without a namespace it
 * is first looked for in that of 'user' (NULL: has none), as --gang= does, then
 * everywhere. Returns 1 and '*found', 0 when there is none, or -1 with EINVAL
 * and 'err' when several namespaces have it. */
int sgang_gangs_find(const struct sgang_gangs *gangs,
		     const struct sgang_spec *name, const char *user,
		     const struct sgang_gang **found, struct sgang_error *err);

/* Members that have not ended; of a finished gang all of them. */
uint32_t sgang_gangs_members(const struct sgang_gang *gang);

/* Write "NAMESPACE/NAME", or "NAME" when the record has no namespace. */
#define SGANG_GANGS_NAME (SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + 2)
void sgang_gangs_name(const struct sgang_record *record,
		      char name[SGANG_GANGS_NAME]);

/* The reason, of the gang or of one of its jobs, without the gang's own name at
 * its beginning: for where that stands beside it. */
const char *sgang_gangs_reason(const struct sgang_gang *gang,
			       const char *reason);

/* The time at which its members are expected to start. All show the same, but
 * for a moment in which backfill has looked at some of them. 0: unknown; a time
 * that has passed is none. */
int64_t sgang_gangs_start(const struct sgang_gang *gang, int64_t now);

/* The end of its waiting time, in seconds since the epoch; 0: it does not run,
 * or its length is unknown here. */
int64_t sgang_gangs_wait_ends(const struct sgang_gang *gang);

/* The value in force, given or default: "strict", "ignore". */
const char *sgang_gangs_mode(const struct sgang_record *record);
const char *sgang_gangs_on_failure(const struct sgang_record *record);

/* A field of a job, for sgang_gangs_distinct(). */
typedef const char *(*sgang_gangs_field_f)(const struct sgang_jobrow *job);
const char *sgang_gangs_user(const struct sgang_jobrow *job);
const char *sgang_gangs_account(const struct sgang_jobrow *job);
const char *sgang_gangs_partition(const struct sgang_jobrow *job);

/* The values in the jobs of the gang and its definition, each once, in the
 * order of the jobs; "" is left out. Returns 0, '*n' and an array the caller
 * frees in '*values', which borrows from the jobs; or -1 with ENOMEM. */
int sgang_gangs_distinct(const struct sgang_gang *gang,
			 sgang_gangs_field_f field, const char ***values,
			 size_t *n);

/* Add the role of a member to its JSON: the names of its groups. Nothing for a
 * gang that is no tree of groups. */
void sgang_gangs_json_role(struct json_object *member,
			   const struct sgang_record *record);

/* True for the short record of a member that started, which accounting has of
 * what slurmctld has forgotten. The ranks of the gang are missing in it. */
bool sgang_gangs_is_short(const struct sgang_record *record);

/* The gang as JSON, without its jobs. What a short record does not say is null.
 */
struct json_object *sgang_gangs_json(const struct sgang_gang *gang);

#endif
