/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limits.h - how many gangs and members there may be: MaxGangs= and the like, in
 * all, of a user, and charged to an account
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
	uint64_t *slot; /* 0: free */
	size_t n, cap;
};

struct sgang_limits {
	const struct sgang_conf *conf;      /* NULL: nothing is counted */
	uint32_t uid;                       /* of who submits */
	char user[SGANG_NAMESPACE_MAX + 1]; /* "": has no name */
	char account[SGANG_TOPOLOGY_NAME];  /* that it is charged to; "":
					     * none, or it has no limits */
	uint32_t account_gangs_max, account_members_max;
	uint64_t gang;     /* of the new job, as a hash */
	uint64_t last;     /* gang that was seen last ... */
	bool last_own;     /* ... of the same user ... */
	bool last_charged; /* ... and of the account */
	/* Somebody, the user, or somebody of the account has named it. */
	bool known_all, known_own, known_charged;
	uint64_t members, own_members, charged_members;
	struct sgang_limits_set gangs, own_gangs, charged_gangs;
	bool no_memory;
};

/* Begin to count for a job of 'uid' that is charged to 'account', in gang
 * 'ns'/'name'. Borrows 'conf'; 'user' and 'account' may be NULL. */
void sgang_limits_begin(struct sgang_limits *limits,
			const struct sgang_conf *conf, uint32_t uid,
			const char *user, const char *account, const char *ns,
			const char *name);

/* Count a job of 'uid' that says --gang='gang', stands for so many tasks, and
 * is charged to 'account', which may be NULL. */
void sgang_limits_see(struct sgang_limits *limits, const char *gang,
		      uint32_t uid, const char *account, uint32_t tasks);

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

/* The same where a job that is there, and was not counted, is to be charged to
 * the account: by the limits of that alone. */
int sgang_limits_check_account(const struct sgang_limits *limits,
			       uint32_t tasks, struct sgang_error *err);

/* Free what was counted. */
void sgang_limits_end(struct sgang_limits *limits);

#endif
