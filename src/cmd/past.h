/* SPDX-License-Identifier: GPL-2.0-or-later */
/* past.h - gangs that slurmctld does not know any more, from slurmdbd
 *
 * slurmdbd has the members that started, each with its short record (record.h).
 */

#ifndef SGANG_PAST_H
#define SGANG_PAST_H

#include "cmd/gangs.h"
#include "cmd/jobs.h"
#include "core/base/err.h"
#include "core/gang/spec.h"

/* Begins as { 0 }. */
struct sgang_past {
	struct sgang_jobs jobs;
	struct sgang_gangs gangs;
};

/* As sgang_gangs_find(), but among jobs of the last week: those of the user
 * whose name is the namespace, if there is one, or without a namespace those of
 * the caller, 'user'. An error begins with what slurmctld does not know. */
int sgang_past_find(struct sgang_past *past, const struct sgang_spec *name,
		    const char *user, const struct sgang_gang **found,
		    struct sgang_error *err);
void sgang_past_clear(struct sgang_past *past);

#endif
