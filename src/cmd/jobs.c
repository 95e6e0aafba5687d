/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobs.c - the job records of slurmctld: what needs no Slurm */

#define _GNU_SOURCE /* asprintf() */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/jobs.h"
#include "core/base/hostlist.h"
#include "core/base/near.h"
#include "core/gang/node_order.h"
#include "core/gang/ranks.h"

/* Take a number off the front of the text; one that is too large becomes the
 * largest possible. Returns 0, or -1. */
static int take_number(const char **text, uint64_t *number)
{
	char *end;

	if (**text < '0' || **text > '9')
		return -1;
	*number = strtoull(*text, &end, 10);
	if (*number > UINT32_MAX)
		*number = UINT32_MAX;
	*text = end;
	return 0;
}

uint32_t sgang_jobs_count_tasks(const char *array_tasks)
{
	const char *text = array_tasks ? array_tasks : "";
	uint64_t low, high, step, count = 0;

	while (take_number(&text, &low) == 0) {
		high = low;
		step = 1;
		if (*text == '-' && (text++, take_number(&text, &high)))
			break;
		if (*text == ':' && (text++, take_number(&text, &step)))
			break;
		if (high >= low && step)
			count += (high - low) / step + 1;
		if (*text == ',')
			text++;
	}
	if (count > UINT32_MAX)
		return UINT32_MAX;
	return count ? (uint32_t)count : 1;
}

char *sgang_jobs_id(const struct sgang_jobrow *row, bool whole)
{
	const char *tasks = row->array_tasks;
	char *text = NULL;
	size_t digits;
	int length;

	if (!row->array_id) {
		length = asprintf(&text, "%" PRIu32, row->job_id);
	} else if (whole || !tasks) {
		length = asprintf(&text, "%" PRIu32, row->array_id);
	} else {
		digits = strspn(tasks, "0123456789");
		length = asprintf(&text,
				  tasks[digits] ? "%" PRIu32 "_[%.*s]" :
						  "%" PRIu32 "_%.*s",
				  row->array_id, (int)strcspn(tasks, "%"),
				  tasks);
	}
	return length < 0 ? NULL : text;
}

void sgang_jobs_clear(struct sgang_jobs *jobs)
{
	size_t i;

	for (i = 0; i < jobs->count; i++) {
		free(jobs->row[i].array_tasks);
		free(jobs->row[i].user);
		free(jobs->row[i].name);
		free(jobs->row[i].account);
		free(jobs->row[i].partition);
		free(jobs->row[i].state);
		free(jobs->row[i].nodes);
		free(jobs->row[i].order);
		free(jobs->row[i].reason);
	}
	for (i = 0; i < jobs->n_queued; i++)
		free(jobs->queued[i].partitions);
	free(jobs->row);
	free(jobs->queued);
	*jobs = (struct sgang_jobs){ .count = 0 };
}

/* qsort, bsearch: names. */
static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Drop the names of 'ring' that 'names' does not have. Returns the number of
 * those left, or SIZE_MAX without memory. */
static size_t keep_named(char **ring, size_t n_ring, char *const *names,
			 size_t n)
{
	char **sorted = calloc(n + 1, sizeof(*sorted));
	size_t kept = 0, i;

	if (!sorted)
		return SIZE_MAX;
	memcpy(sorted, names, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_name);
	for (i = 0; i < n_ring; i++) {
		if (bsearch(&ring[i], sorted, n, sizeof(*sorted), by_name))
			ring[kept++] = ring[i];
		else
			free(ring[i]);
	}
	ring[kept] = NULL;
	free(sorted);
	return kept;
}

/* Put the names into the order of 'ring', which has the same ones. As
 * sgang_jobs_ring(). */
static int order_as(char *const *ring, char **names, size_t n,
		    struct sgang_error *err)
{
	char **ordered = calloc(n + 1, sizeof(*ordered));
	size_t *where = calloc(n + 1, sizeof(*where)), i;
	int rc = -1;

	if (!ordered || !where)
		sgang_err_memory(err);
	else if (!sgang_ranks_order(names, ring, n, where, err))
		rc = 1;
	else if (errno != ENOMEM)
		rc = 0;
	for (i = 0; rc == 1 && i < n; i++)
		ordered[i] = names[where[i]];
	if (rc == 1)
		memcpy(names, ordered, n * sizeof(*names));
	free(ordered);
	free(where);
	return rc;
}

/* By the names in at=. A job that has released some of its nodes keeps the
 * order of the others. */
static int order_by_names(const char *at, char **names, size_t n,
			  struct sgang_error *err)
{
	char **ring = NULL;
	size_t n_ring;
	int rc = 0;

	if (sgang_hostlist_expand(at, &ring, &n_ring, err))
		return errno == ENOMEM ? -1 : 0;
	n_ring = keep_named(ring, n_ring, names, n);
	if (n_ring == SIZE_MAX)
		rc = sgang_err_memory(err);
	else if (n_ring == n)
		rc = order_as(ring, names, n, err);
	sgang_hostlist_free(ring);
	return rc;
}

int sgang_jobs_ring(const struct sgang_jobrow *row, char **names, size_t n,
		    struct sgang_error *err)
{
	if (n == 1)
		return 1;
	if (!row->record.placed)
		return 0;
	if (row->record.at[0])
		return order_by_names(row->record.at, names, n, err);
	if (!row->order)
		return 0;
	if (!sgang_node_order_apply(row->order, names, n, err))
		return 1;
	return errno == ENOMEM ? -1 : 0;
}

/* True for a deleted definition, which is no gang. */
static bool is_forgotten(const struct sgang_jobrow *row)
{
	return row->record.object && row->class == SGANG_ROW_ENDED;
}

/* Names come first, because namespaces are left out most often. */
const char *sgang_jobs_hint(const struct sgang_jobs *jobs,
			    const struct sgang_spec *missed,
			    char text[SGANG_JOBS_HINT])
{
	struct sgang_near near = { .wanted = missed->name };
	const struct sgang_record *record = NULL;
	size_t i;

	for (i = 0; i < jobs->count; i++) {
		const char *before = near.found;

		if (!is_forgotten(&jobs->row[i]))
			sgang_near_offer(&near, jobs->row[i].record.name);
		if (near.found != before)
			record = &jobs->row[i].record;
	}
	if (record)
		snprintf(text, SGANG_JOBS_HINT, ", did you mean %s%s%s?",
			 record->ns, record->ns[0] ? "/" : "", record->name);
	else
		strcpy(text, ", see sgang list");
	return text;
}

enum sgang_row_class sgang_jobs_running(const struct sgang_record *record,
					bool configuring)
{
	if (configuring && (record->phase == SGANG_PHASE_HOLDING ||
			    record->phase == SGANG_PHASE_STARTING))
		return SGANG_ROW_HELD;
	return SGANG_ROW_RUNNING;
}
