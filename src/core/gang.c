/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gang.c - the rules of gangs */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gang.h"

static int submit_order(const struct sgang_member *a,
			const struct sgang_member *b)
{
	if (a->submit_time != b->submit_time)
		return (a->submit_time < b->submit_time) ? -1 : 1;
	if (a->job_id != b->job_id)
		return (a->job_id < b->job_id) ? -1 : 1;
	if (a->task_id != b->task_id)
		return (a->task_id < b->task_id) ? -1 : 1;
	return 0;
}

static int submit_order_qsort(const void *a, const void *b)
{
	return submit_order(*(const struct sgang_member *const *) a,
			    *(const struct sgang_member *const *) b);
}

static void count_member(const struct sgang_member *m,
			 struct sgang_tally *tally)
{
	switch (m->state) {
	case SGANG_MEMBER_PENDING:
		tally->pending += m->tasks;
		if (m->eligible)
			tally->eligible += m->tasks;
		if (m->priority > tally->priority)
			tally->priority = m->priority;
		break;
	case SGANG_MEMBER_HELD:
		tally->held += m->tasks;
		break;
	case SGANG_MEMBER_RUNNING:
		tally->running += m->tasks;
		break;
	}
	/* A gang has started once when any member says so or runs
	 * (0.11, 0.38). */
	if (m->satisfied || m->state == SGANG_MEMBER_RUNNING)
		tally->satisfied = true;
}

/* Records also hold the defaults of the time when nobody had said anything, so
 * the largest counts, and only where it says more. */
static void remember(const struct sgang_member *const *members, size_t n,
		     struct sgang_spec *spec)
{
	uint32_t min = 0, total = 0;

	for (size_t i = 0; i < n; i++) {
		if (members[i]->known_min > min)
			min = members[i]->known_min;
		if (members[i]->known_total > total)
			total = members[i]->known_total;
	}
	if (!spec->min_member && (!spec->total || min <= spec->total))
		spec->min_member = min;
	if (!spec->total && total > sgang_spec_min(spec))
		spec->total = total;
}

int sgang_gang_tally(const struct sgang_member *const *members, size_t n,
		     struct sgang_tally *tally)
{
	const struct sgang_member **sorted;

	memset(tally, 0, sizeof(*tally));
	sgang_spec_init(&tally->spec);
	sorted = calloc(n ? n : 1, sizeof(*sorted));
	if (!sorted)
		return -1;
	memcpy(sorted, members, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), submit_order_qsort);

	for (size_t i = 0; i < n; i++) {
		const struct sgang_member *m = sorted[i];

		count_member(m, tally);
		if (i) {
			sgang_spec_merge(&tally->spec, &m->spec);
		} else {
			tally->spec = m->spec;
			tally->first_submit = m->submit_time;
		}
	}
	remember(sorted, n, &tally->spec);
	free(sorted);
	tally->min_member = sgang_spec_min(&tally->spec);
	tally->total = sgang_spec_total(&tally->spec);
	return 0;
}

enum sgang_phase sgang_gang_phase(const struct sgang_tally *tally)
{
	if (tally->satisfied && (tally->running || tally->held ||
				 tally->pending))
		return SGANG_PHASE_RUNNING;
	if (tally->held)
		return SGANG_PHASE_STARTING;
	if (!tally->pending)
		return SGANG_PHASE_FINISHED;
	if (tally->pending < tally->min_member)
		return SGANG_PHASE_GATHERING;
	return SGANG_PHASE_WAITING;
}

bool sgang_gang_may_start(const struct sgang_tally *tally)
{
	return !tally->satisfied && !tally->held &&
	       tally->eligible >= tally->min_member;
}

int sgang_gang_turn_order(const struct sgang_tally *a,
			  const struct sgang_tally *b)
{
	int rc;

	if (a->priority != b->priority)
		return (a->priority > b->priority) ? -1 : 1;
	if (a->first_submit != b->first_submit)
		return (a->first_submit < b->first_submit) ? -1 : 1;
	rc = strcmp(a->spec.ns, b->spec.ns);
	return rc ? rc : strcmp(a->spec.name, b->spec.name);
}

int sgang_gang_ring_order(const struct sgang_member *a,
			  const struct sgang_member *b)
{
	if (a->spec.rank_set != b->spec.rank_set)
		return a->spec.rank_set ? -1 : 1;
	if (a->spec.rank_set && a->spec.rank != b->spec.rank)
		return (a->spec.rank < b->spec.rank) ? -1 : 1;
	return submit_order(a, b);
}

void sgang_gang_text(const struct sgang_tally *tally, const char *why,
		     char *buf, size_t size)
{
	const char *ns = tally->spec.ns, *name = tally->spec.name;

	if (tally->pending < tally->min_member)
		snprintf(buf, size, "Gang %s/%s gathering %u/%u members", ns,
			 name, tally->pending, tally->min_member);
	else if (tally->eligible < tally->min_member)
		snprintf(buf, size,
			 "Gang %s/%s waits for %u of %u members to be eligible",
			 ns, name, tally->min_member - tally->eligible,
			 tally->min_member);
	else if (why && *why)
		snprintf(buf, size, "Gang %s/%s waits: %s", ns, name, why);
	else
		snprintf(buf, size, "Gang %s/%s waits for its turn", ns, name);
}
