/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows.c - CPUs of nodes that jobs share
 *
 * The stock plugin's rows (select_part_record) are in no header that plugins
 * share, so they are counted anew, from the cores of the jobs that run.
 */

#include "config.h"

#include <stdatomic.h>
#include <string.h>

#include "release.h"

#include "glue.h"
#include "rows.h"

#pragma weak job_list
#pragma weak node_record_count
#pragma weak node_record_table_ptr
#pragma weak part_list

/* What the jobs of one partition that shares have. */
struct shared {
	const part_record_t *part_ptr;
	uint32_t rows;
	uint16_t *used; /* CPUs, by node and row */
};

static struct {
	struct shared *part;
	uint32_t n_parts;
	bool *alone;              /* by node: a job there does not share */
	const part_record_t **by; /* by node: the partition of those that
				   * share; &several: more than one */
	uint64_t counted;         /* sgang_events */
	bool stale;
} rows = { .counted = UINT64_MAX, .stale = true };

static const part_record_t several;

uint32_t sgang_rows_of_part(const part_record_t *part_ptr)
{
	uint32_t n = part_ptr->max_share & ~SHARED_FORCE;

	return (n < 1) ? 1 : (n > SGANG_ROWS_MAX) ? SGANG_ROWS_MAX : n;
}

/* As _get_job_node_req() of the stock plugin. */
uint32_t sgang_rows_of(const struct job_record *job_ptr)
{
	const part_record_t *part_ptr = job_ptr->part_ptr;

	if (!part_ptr || !part_ptr->max_share)
		return 1;
	if (!(part_ptr->max_share & SHARED_FORCE) &&
	    (!job_ptr->details || job_ptr->details->share_res != 1))
		return 1;
	return sgang_rows_of_part(part_ptr);
}

void sgang_rows_refresh(void)
{
	rows.stale = true;
}

static void forget(void)
{
	for (uint32_t i = 0; i < rows.n_parts; i++)
		xfree(rows.part[i].used);
	xfree(rows.part);
	xfree(rows.alone);
	xfree(rows.by);
	rows.n_parts = 0;
}

static struct shared *find_part(const part_record_t *part_ptr)
{
	for (uint32_t i = 0; i < rows.n_parts; i++) {
		if (rows.part[i].part_ptr == part_ptr)
			return &rows.part[i];
	}
	return NULL;
}

static void list_parts(void)
{
	list_itr_t *iter = list_iterator_create(part_list);
	part_record_t *part_ptr;

	while ((part_ptr = list_next(iter))) {
		struct shared *s;

		if (!part_ptr->max_share || sgang_rows_of_part(part_ptr) < 2)
			continue;
		xrecalloc(rows.part, rows.n_parts + 1, sizeof(*rows.part));
		s = &rows.part[rows.n_parts++];
		s->part_ptr = part_ptr;
		s->rows = sgang_rows_of_part(part_ptr);
		s->used = xcalloc((size_t)node_record_count * s->rows + 1,
				  sizeof(*s->used));
	}
	list_iterator_destroy(iter);
}

/* Put the CPUs into the first row with room. */
static void fill_row(const struct shared *s, int node, uint32_t cpus)
{
	uint16_t *used = s->used + (size_t)node * s->rows;
	uint32_t total = node_record_table_ptr[node]->cpus_efctv, r = 0;

	while (r + 1 < s->rows && used[r] + cpus > total)
		r++;
	used[r] += (uint16_t)cpus;
}

static uint32_t cpus_there(const job_resources_t *res,
			   const node_record_t *node_ptr, int first)
{
	int cores = node_ptr->tot_cores;

	if (res->whole_node != 1 && res->core_bitmap)
		cores = bit_set_count_range(res->core_bitmap, first,
					    first + cores);
	return (uint32_t)cores * node_ptr->tpc;
}

static void count_job(const job_record_t *job_ptr)
{
	const job_resources_t *res = job_ptr->job_resrcs;
	const struct shared *s = find_part(job_ptr->part_ptr);
	int first = 0, last;

	if (!res || !res->node_bitmap)
		return;
	last = bit_fls(res->node_bitmap);
	for (int n = bit_ffs(res->node_bitmap); n >= 0 && n <= last; n++) {
		const node_record_t *node_ptr = node_record_table_ptr[n];

		if (!bit_test(res->node_bitmap, n))
			continue;
		/* behind a node that is gone nobody knows where cores are */
		if (!node_ptr)
			return;
		rows.alone[n] |= res->node_req != NODE_CR_AVAILABLE;
		if (s) {
			fill_row(s, n, cpus_there(res, node_ptr, first));
			if (rows.by[n] && rows.by[n] != s->part_ptr)
				rows.by[n] = &several;
			else
				rows.by[n] = s->part_ptr;
		}
		first += node_ptr->tot_cores;
	}
}

static void count(void)
{
	uint64_t now = atomic_load(&sgang_events);
	list_itr_t *iter;
	job_record_t *job_ptr;

	if (!rows.stale)
		return;
	rows.stale = false;
	if (rows.counted == now)
		return;
	rows.counted = now;
	forget();
	list_parts();
	if (!rows.n_parts)
		return;
	rows.alone = xcalloc(node_record_count + 1, sizeof(*rows.alone));
	rows.by = xcalloc(node_record_count + 1, sizeof(*rows.by));
	iter = list_iterator_create(job_list);
	while ((job_ptr = list_next(iter))) {
		if (IS_JOB_RUNNING(job_ptr) || IS_JOB_SUSPENDED(job_ptr))
			count_job(job_ptr);
	}
	list_iterator_destroy(iter);
}

void sgang_rows_free(const part_record_t *part_ptr, uint32_t n_rows,
		     uint32_t node, bool empty, uint32_t *cpus)
{
	uint32_t total = node_record_table_ptr[node]->cpus_efctv;
	const struct shared *s;

	count();
	s = find_part(part_ptr);
	for (uint32_t r = 0; r < n_rows; r++) {
		uint32_t used = (s && r < s->rows && !empty) ?
					s->used[(size_t)node * s->rows + r] :
					0;

		cpus[r] = (total > used) ? total - used : 0;
		if (!empty && rows.n_parts && rows.alone[node])
			cpus[r] = 0;
	}
}

bool sgang_rows_taken(const part_record_t *part_ptr, uint32_t node)
{
	count();
	return rows.n_parts && rows.by[node] && rows.by[node] != part_ptr;
}

bool sgang_rows_alone(uint32_t node)
{
	count();
	return rows.n_parts && rows.alone[node];
}
