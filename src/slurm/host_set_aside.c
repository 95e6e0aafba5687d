/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_set_aside.c - struct sgang_host: the nodes that backfill sets aside
 *
 * Each job that backfill has planned in its last cycle names its nodes. A pass
 * asks for these several times. As it holds the locks, only its own starts
 * change them meanwhile: it goes through the jobs, and reads the names, once.
 */

#include "config.h"

#include <stdlib.h>

#include "host_private.h"

struct planned {
	job_record_t *job_ptr;
	struct sgang_nodeset *nodes; /* NULL: not read yet */
};

static struct {
	struct planned *rows;
	size_t n, room;
	bool full;
} table;

static bool is_set_aside(const job_record_t *job_ptr, time_t now)
{
	return IS_JOB_PENDING(job_ptr) && job_ptr->sched_nodes &&
	       job_ptr->start_time > now && job_ptr->part_ptr &&
	       job_ptr->details;
}

static bool add(job_record_t *job_ptr)
{
	if (table.n == table.room) {
		size_t room = table.room ? 2 * table.room : 64;
		struct planned *rows = realloc(table.rows,
					       room * sizeof(*rows));

		if (!rows)
			return false;
		table.rows = rows;
		table.room = room;
	}
	table.rows[table.n++] = (struct planned){ .job_ptr = job_ptr };
	return true;
}

/* Without memory the last ones are missing, until somebody asks again. */
static void fill(time_t now)
{
	list_itr_t *iter = list_iterator_create(job_list);
	job_record_t *job_ptr;

	table.full = true;
	while (table.full && (job_ptr = list_next(iter))) {
		if (is_set_aside(job_ptr, now))
			table.full = add(job_ptr);
	}
	list_iterator_destroy(iter);
}

static const struct sgang_nodeset *nodes_of(struct planned *row)
{
	bitstr_t *bitmap;

	if (row->nodes)
		return row->nodes;
	row->nodes = sgang_nodeset_create((uint32_t)node_record_count);
	if (!row->nodes)
		return NULL;
	bitmap = release_named_nodes(row->job_ptr->sched_nodes);
	sgang_host_add_bitmap(row->nodes, bitmap);
	FREE_NULL_BITMAP(bitmap);
	return row->nodes;
}

static int64_t planned_end(const job_record_t *job_ptr)
{
	uint32_t limit = job_ptr->time_limit;

	if (limit == NO_VAL)
		limit = job_ptr->part_ptr->max_time;
	return limit >= NO_LIMIT ? INT64_MAX :
				   job_ptr->start_time + limit * 60L;
}

void sgang_host_set_aside(bool (*wants)(struct sgang_job *job, uint32_t job_id,
					void *arg),
			  void (*f)(const struct sgang_set_aside *s, void *arg),
			  void *arg)
{
	time_t now = time(NULL);
	size_t told = 0;

	if (!table.full) {
		sgang_host_set_aside_forget();
		fill(now);
	}
	for (size_t i = 0; i < table.n && told < SGANG_SET_ASIDE_MAX; i++) {
		job_record_t *job_ptr = table.rows[i].job_ptr;
		struct sgang_set_aside s = { .job = handle(job_ptr),
					     .job_id = job_ptr->job_id,
					     .from = job_ptr->start_time };

		/* It may have been started since. */
		if (!is_set_aside(job_ptr, now) || !wants(s.job, s.job_id, arg))
			continue;
		s.until = planned_end(job_ptr);
		s.nodes = nodes_of(&table.rows[i]);
		told++;
		if (s.nodes)
			f(&s, arg);
	}
}

void sgang_host_set_aside_forget(void)
{
	for (size_t i = 0; i < table.n; i++)
		sgang_nodeset_destroy(table.rows[i].nodes);
	free(table.rows);
	memset(&table, 0, sizeof(table));
}
