/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placeholder_misfit.c - members for which no placeholder is large enough */

#include <stdio.h>

#include "conductor_private.h"
#include "core/base/hash.h"
#include "host_jobs.h"
#include "plugins/log.h"

/* Its role is the same, and so is its user: an account can have gangs of all its
 * users, but each has the nodes that it is charged for. */
bool sgang_misfit_is_for(const struct entry *placeholder,
			 const struct sgang_spec *spec, uint32_t uid)
{
	return placeholder->m.uid == uid &&
	       sgang_placeholder_same_role(placeholder->spec.role, spec->role);
}

void sgang_misfit_set(const struct sgang_conductor *c, struct entry *e,
		      int64_t seconds, const char *why)
{
	e->misfit.request = e->request;
	e->misfit.until = c->host->now() + seconds;
	snprintf(e->misfit.why, sizeof(e->misfit.why), "%s", why);
}

bool sgang_misfit_is(const struct sgang_conductor *c, const struct entry *e,
		     uint64_t request)
{
	return e->misfit.request && e->misfit.request == request &&
	       c->host->now() < e->misfit.until;
}

#define MISFIT_SIZE (SGANG_ROLE_SIZE + 128)

static const char *misfit_words(const struct entry *e, char words[MISFIT_SIZE])
{
	char names[SGANG_ROLE_SIZE] = "";

	if (e->spec.role[0])
		(void)sgang_role_path_names(e->spec.role, names);
	snprintf(words, MISFIT_SIZE, "larger than the placeholders%s%s (%s)",
		 names[0] ? " of role " : "", names, e->misfit.why);
	return words;
}

static void tell_misfit(struct sgang_conductor *c, const struct gang *g,
			struct entry *e)
{
	char text[SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + MISFIT_SIZE + 16];
	char words[MISFIT_SIZE];

	snprintf(text, sizeof(text), "Gang %s/%s: %s", g->ns, g->name,
		 misfit_words(e, words));
	c->host->jobs.tell(e->job, text, false);
	e->misfit.label = sgang_hash_text(SGANG_HASH_SEED, text);
}

void sgang_misfit_note(struct sgang_conductor *c, const struct gang *g,
		       struct entry *e, const char *why)
{
	bool known = e->misfit.request == e->request && e->misfit.why[0];
	char words[MISFIT_SIZE];

	sgang_misfit_set(c, e, SGANG_NEVER_SECONDS, why);
	tell_misfit(c, g, e);
	if (!known)
		sgang_log(SGANG_LOG_INFO, "%s/%s: job %u is %s", g->ns, g->name,
			  e->job_id, misfit_words(e, words));
}

bool sgang_misfit_any_for(const struct sgang_conductor *c, const struct gang *g,
			  const struct sgang_spec *spec, uint32_t uid)
{
	for (size_t i = 0; i < g->placeholders.n; i++) {
		const struct entry *e =
			sgang_lookup_entry(c, g->placeholders.list[i].job_id);

		if (e && sgang_misfit_is_for(e, spec, uid))
			return true;
	}
	return false;
}

bool sgang_misfit_tell(struct sgang_conductor *c, const struct gang *g,
		       struct entry *e)
{
	if (!g->placeholders.n || !e->misfit.why[0] ||
	    !sgang_misfit_is(c, e, e->request))
		return false;
	/* Slurm writes its own reason at each of its looks */
	if (e->label != e->misfit.label) {
		if (!sgang_misfit_any_for(c, g, &e->spec, e->m.uid))
			return false;
		tell_misfit(c, g, e);
	}
	return true;
}
