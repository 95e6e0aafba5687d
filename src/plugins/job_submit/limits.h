/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limits.h - how many gangs and members there may be: MaxGangs= and the like
 *
 * Every job that has not ended and names a gang counts, a definition too; an
 * array counts by its tasks. A new gang is one that nobody has named yet.
 */

#ifndef SGANG_LIMITS_H
#define SGANG_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/gang/conf.h"
#include "plugins/job_submit/members.h"

/* Different numbers, open addressing. */
struct sgang_limits_set {
	uint64_t *slot;			/* 0: free */
	size_t n, cap;
};

struct sgang_limits {
	const struct sgang_conf *conf;	/* NULL: nothing is counted */
	uint32_t uid;			/* of who submits */
	char user[SGANG_NAMESPACE_MAX + 1];	/* "": has no name */
	uint64_t gang;			/* of the new job, as a hash */
	uint64_t last;			/* gang that was seen last ... */
	bool last_own;			/* ... of the same user */
	bool known_all, known_own;	/* somebody, or the user, has named it */
	uint64_t members, own_members;
	struct sgang_limits_set gangs, own_gangs;
	bool no_memory;
};

/* Begin to count for a job of 'uid' in gang 'ns'/'name'. Borrows
 * 'conf'; 'user' may be NULL. */
void sgang_limits_begin(struct sgang_limits *limits,
			const struct sgang_conf *conf, uint32_t uid,
			const char *user, const char *ns, const char *name);

/* Count a job of 'uid' that says --gang='gang' and stands for so many tasks. */
void sgang_limits_see(struct sgang_limits *limits, const char *gang,
		      uint32_t uid, uint32_t tasks);

/* Forget what was counted, and begin again. */
void sgang_limits_restart(struct sgang_limits *limits);

/* May a job of so many tasks come in for certain, where there are no more than
 * 'most'? The jobs of its gang have been counted. */
bool sgang_limits_below(const struct sgang_limits *limits,
			const struct sgang_members_count *most, uint32_t tasks);

/* May a job of so many tasks come in? Returns 0, or -1 with EDQUOT or ENOMEM
 * and 'err' naming the limit. */
int sgang_limits_check(const struct sgang_limits *limits, uint32_t tasks,
		       struct sgang_error *err);

/* Free what was counted. */
void sgang_limits_end(struct sgang_limits *limits);

#endif
