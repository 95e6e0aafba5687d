/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulate_changes.c - what starts sooner or later with another configuration */

#include <errno.h>
#include <stdlib.h>

#include "cmd/simulate.h"

struct list {
	struct sgang_simulate_change *change;
	size_t n;
};

static int64_t size_of(int64_t seconds)
{
	return seconds < 0 ? -seconds : seconds;
}

/* The largest difference first; ties as they are in the queue. */
static int by_size(const void *a, const void *b)
{
	const struct sgang_simulate_change *x = a, *y = b;

	if (size_of(x->later) != size_of(y->later))
		return size_of(x->later) < size_of(y->later) ? 1 : -1;
	return (x->job > y->job) - (x->job < y->job);
}

/* What starts with neither has not changed. */
static void add(struct list *list, struct sgang_simulate_change change,
		int64_t end)
{
	int64_t before = change.before ? change.before : end;
	int64_t after = change.after ? change.after : end;

	change.later = after - before;
	if (change.later && (change.before || change.after))
		list->change[list->n++] = change;
}

/* Both replays have the same jobs in the same order; gangs are known by their
 * first job. */
static void add_jobs(struct list *list,
		     const struct sgang_simulation *simulation,
		     const struct sgang_outcome *one,
		     const struct sgang_outcome *other, int64_t end)
{
	size_t i;

	for (i = 0; i < one->n_jobs; i++) {
		if (one->jobs[i].gang != SGANG_OUTCOME_NONE)
			continue;
		add(list,
		    (struct sgang_simulate_change){
			    .job = (uint32_t)i,
			    .size = simulation->trace->jobs[i].nodes,
			    .before = one->jobs[i].start,
			    .after = other->jobs[i].start,
		    },
		    end);
	}
}

static void add_gangs(struct list *list, const struct sgang_outcome *one,
		      const struct sgang_outcome *other, int64_t end)
{
	size_t i;

	for (i = 0; i < one->n_gangs; i++) {
		const struct sgang_outcome_gang *gang = &one->gangs[i];
		uint32_t there = other->jobs[gang->first_job].gang;

		if (there == SGANG_OUTCOME_NONE)
			continue;
		add(list,
		    (struct sgang_simulate_change){
			    .job = gang->first_job,
			    .is_gang = true,
			    .size = gang->n_members,
			    .before = gang->start,
			    .after = other->gangs[there].start,
		    },
		    end);
	}
}

ssize_t sgang_simulate_changes(const struct sgang_simulation *simulation,
			       const struct sgang_simulate_config *one,
			       const struct sgang_simulate_config *other,
			       struct sgang_simulate_change *change,
			       size_t most)
{
	const struct sgang_outcome *a = &one->outcome, *b = &other->outcome;
	int64_t end = a->until > b->until ? a->until : b->until;
	struct list list = { .n = 0 };
	size_t i;

	list.change = calloc(a->n_jobs + a->n_gangs + 1, sizeof(*list.change));
	if (!list.change) {
		errno = ENOMEM;
		return -1;
	}
	add_jobs(&list, simulation, a, b, end);
	add_gangs(&list, a, b, end);
	qsort(list.change, list.n, sizeof(*list.change), by_size);
	for (i = 0; i < list.n && i < most; i++)
		change[i] = list.change[i];
	free(list.change);
	return (ssize_t)i;
}
