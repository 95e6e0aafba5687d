/* SPDX-License-Identifier: GPL-2.0-or-later */
/* past.c - gangs that slurmctld does not know any more, from slurmdbd */

#include <errno.h>
#include <pwd.h>
#include <time.h>

#include "cmd/past.h"

/* All jobs of longer may be more than slurmdbd likes to send. */
#define PAST_SECONDS (7 * 24 * 3600)

int sgang_past_find(struct sgang_past *past, const struct sgang_spec *name,
		    const char *user, const struct sgang_gang **found,
		    struct sgang_error *err)
{
	const char *owner = name->ns[0] ? name->ns : user;
	const struct passwd *entry = owner ? getpwnam(owner) : NULL;
	struct sgang_jobs_past wanted = {
		.since = (int64_t)time(NULL) - PAST_SECONDS,
		.of_user = entry != NULL,
		.uid = entry ? entry->pw_uid : 0,
	};
	struct sgang_error why;

	if (sgang_jobs_load_past(&wanted, &past->jobs, &why))
		return sgang_errf(err, EIO,
				  "slurmctld does not know gang %s%s%s, and %s",
				  name->ns, name->ns[0] ? "/" : "", name->name,
				  why.text);
	if (sgang_gangs_build(&past->jobs, &past->gangs, err))
		return -1;
	return sgang_gangs_find(&past->gangs, name, user, found, err);
}

void sgang_past_clear(struct sgang_past *past)
{
	sgang_gangs_clear(&past->gangs);
	sgang_jobs_clear(&past->jobs);
}
