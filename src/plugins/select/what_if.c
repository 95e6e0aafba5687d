/* SPDX-License-Identifier: GPL-2.0-or-later */
/* what_if.c - when a gang could start, for somebody who asks before submission
 *
 * The gang is drafted: the members that are there and the job that is asked
 * about, which is no member yet. The draft is probed and planned as for an
 * attempt, and nothing is committed.
 */

#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"

struct unseen {
	struct sgang_conductor *c;
	const struct sgang_job *asked;
};

/* The job that is asked about is gone afterwards. */
static void note_unseen(const struct sgang_job_info *info, void *arg)
{
	const struct unseen *u = arg;

	if (info->state != SGANG_JOB_ENDED && info->job != u->asked &&
	    !sgang_lookup_entry(u->c, info->job_id))
		sgang_registry_note(u->c, info->job);
}

/* Members that were submitted since the last pass are there, too. */
static void look_for_more(struct sgang_conductor *c,
			  const struct sgang_job *asked)
{
	struct unseen u = { c, asked };

	c->host->jobs.each(note_unseen, &u);
}

/* Add the members of the gang that wait or hold. */
static bool add_known(struct sgang_conductor *c, struct gang *draft)
{
	struct gang *g = sgang_registry_find(c, draft->ns, draft->name);

	for (size_t i = 0; g && i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];
		struct sgang_job *job = c->host->jobs.find(e->job_id);
		struct sgang_job_info info;

		if (!job)
			continue;
		c->host->jobs.info(job, &info);
		if (info.state != SGANG_JOB_ENDED &&
		    !sgang_registry_draft_add(c, draft, job, &e->spec))
			return false;
	}
	return true;
}

static struct entry *find_entry(const struct gang *draft, uint32_t job_id)
{
	for (size_t i = 0; i < draft->n_entries; i++) {
		if (draft->entries[i]->job_id == job_id)
			return draft->entries[i];
	}
	return NULL;
}

/* Members that are missing are as this one. */
static bool fill_up(struct sgang_conductor *c, struct gang *draft,
		    struct entry *e)
{
	uint32_t missing;

	e->m.eligible = true;
	if (!sgang_registry_draft_tally(c, draft))
		return false;
	if (!draft->tally.defined) {
		draft->tally.min_member = draft->tally.eligible;
		draft->tally.total = draft->tally.eligible;
	}
	missing = sgang_gang_missing(&draft->tally);
	if (draft->tally.roles.any || missing <= draft->tally.eligible)
		return true;
	e->m.tasks += missing - draft->tally.eligible;
	return sgang_registry_draft_tally(c, draft);
}

static struct gang *draft_gang(struct sgang_conductor *c,
			       const struct sgang_spec *spec,
			       struct sgang_job *job)
{
	struct gang *draft = sgang_registry_draft(c, spec);
	struct sgang_job_info info;
	struct entry *e;

	if (!draft)
		return NULL;
	c->host->jobs.info(job, &info);
	look_for_more(c, job);
	if (add_known(c, draft)) {
		e = find_entry(draft, info.job_id);
		if (!e)
			e = sgang_registry_draft_add(c, draft, job, spec);
		if (e && fill_up(c, draft, e))
			return draft;
	}
	sgang_registry_draft_end(c, draft);
	return NULL;
}

static void add_parts(const struct attempt *a, struct sgang_what_if *what)
{
	what->members = (uint32_t)a->n_parts;
	what->whole = true;
	for (size_t i = 0; i < a->n_parts; i++) {
		const struct probed *p = a->parts[i].probed;

		what->cpus += p->shape.whole ? 0 : p->shape.total_cpus;
		what->whole &= p->shape.whole;
	}
}

static void plan(struct attempt *a, struct sgang_what_if *what)
{
	struct gang *draft = a->gangs[0];

	sgang_probe_all(a);
	if (sgang_probe_room(a) == 0 &&
	    sgang_fit_choose(a, SGANG_EXTENT_TOTAL) == 0 && sgang_fit(a) == 0 &&
	    !sgang_wait_policy_waits(a)) {
		what->start = a->c->host->now();
		what->nodes = sgang_nodeset_create(a->c->host->nodes.count());
		for (size_t i = 0; what->nodes && i < a->plan->n_runs; i++)
			sgang_nodeset_add(what->nodes,
					  sgang_parts_node(a->c,
							   &a->plan->runs[i]));
	} else {
		if (!a->plan)
			sgang_attempt_look_ahead(a);
		what->start = draft->joint.start;
		if (draft->joint.nodes)
			what->nodes = sgang_nodeset_copy(draft->joint.nodes);
	}
	add_parts(a, what);
}

bool sgang_conductor_what_if(struct sgang_conductor *c,
			     const struct sgang_spec *spec,
			     struct sgang_job *job, struct sgang_what_if *what)
{
	struct gang *g = sgang_registry_find(c, spec->ns, spec->name), *draft;
	struct attempt a;

	memset(what, 0, sizeof(*what));
	if (!c->fabric || (g && sgang_branches_ordinary(g, spec)))
		return false;
	draft = draft_gang(c, spec, job);
	if (!draft)
		return false;
	if (sgang_probe_open(&a, c, &draft, 1) == 0) {
		a.trying = true;
		plan(&a, what);
	}
	sgang_probe_close(&a);
	sgang_registry_draft_end(c, draft);
	return what->start;
}
