/* SPDX-License-Identifier: GPL-2.0-or-later */
/* queue.c - the position of gangs in Slurm's queue */

#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/queue.h"

/* What waits: a job, or a gang with that of its members which comes first. */
struct place {
	uint16_t tier;
	uint32_t priority;
	uint32_t job_id;
	const char *partitions;
	struct sgang_gang *gang; /* NULL: a job */
};

static uint16_t tier_of(const struct sgang_tiers *tiers, const char *partitions)
{
	uint16_t highest = 0;

	for (size_t i = 0; i < tiers->n; i++)
		if (tiers->tier[i] > highest &&
		    sgang_cmd_lists_meet(partitions, tiers->name[i]))
			highest = tiers->tier[i];
	return highest ? highest : 1;
}

/* qsort: the first to be looked at first. */
static int by_turn(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->tier != y->tier)
		return x->tier > y->tier ? -1 : 1;
	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	return (x->job_id > y->job_id) - (x->job_id < y->job_id);
}

static bool waits(const struct sgang_gang *gang)
{
	return gang->phase == SGANG_PHASE_WAITING ||
	       gang->phase == SGANG_PHASE_HOLDING;
}

/* False: none of its members is in the queue. */
static bool find_first(const struct sgang_tiers *tiers, struct sgang_gang *gang,
		       struct place *first)
{
	first->gang = NULL;
	for (size_t i = 0; waits(gang) && i < gang->n_jobs; i++) {
		const struct sgang_jobrow *job = gang->jobs[i];
		struct place place = {
			.priority = job->priority,
			.job_id = job->array_id ? job->array_id : job->job_id,
			.partitions = job->partition,
			.gang = gang,
		};

		if (job->class != SGANG_ROW_PENDING || !job->priority)
			continue;
		place.tier = tier_of(tiers, place.partitions);
		if (!first->gang || by_turn(&place, first) < 0)
			*first = place;
	}
	return first->gang;
}

static size_t list_places(const struct sgang_tiers *tiers,
			  const struct sgang_jobs *jobs,
			  const struct sgang_gangs *gangs, struct place *list)
{
	size_t n = 0;

	for (size_t i = 0; i < gangs->count; i++)
		n += find_first(tiers, &gangs->gang[i], &list[n]);
	for (size_t i = 0; n && i < jobs->n_queued; i++)
		list[n++] = (struct place){
			.tier = tier_of(tiers, jobs->queued[i].partitions),
			.priority = jobs->queued[i].priority,
			.job_id = jobs->queued[i].job_id,
			.partitions = jobs->queued[i].partitions,
		};
	return n;
}

static void count(const struct place *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t before = 0;

		for (size_t k = 0; list[i].gang && k < i; k++)
			before += sgang_cmd_lists_meet(list[i].partitions,
						       list[k].partitions);
		if (list[i].gang)
			list[i].gang->position = before + 1;
	}
}

void sgang_queue_count(const struct sgang_jobs *jobs,
		       const struct sgang_gangs *gangs)
{
	struct place *list = calloc(gangs->count + jobs->n_queued + 1,
				    sizeof(*list));
	struct sgang_tiers tiers = { .n = 0 };
	size_t n;

	if (!list)
		return;
	sgang_tiers_load(&tiers);
	n = list_places(&tiers, jobs, gangs, list);
	qsort(list, n, sizeof(*list), by_turn);
	count(list, n);
	sgang_tiers_clear(&tiers);
	free(list);
}

void sgang_tiers_clear(struct sgang_tiers *tiers)
{
	for (size_t i = 0; i < tiers->n; i++)
		free(tiers->name[i]);
	free(tiers->name);
	free(tiers->tier);
}
