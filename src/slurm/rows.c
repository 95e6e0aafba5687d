/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows.c - CPUs of nodes that jobs share
 *
 * The stock plugin's rows (select_part_record) are in no header that plugins
 * share, so they are counted anew, from the cores of the jobs on the node.
 */

#include "config.h"

#include "release.h"

#include "glue.h"
#include "rows.h"
#include "seats.h"

#pragma weak node_record_table_ptr
#pragma weak part_list

static struct {
	bool any;   /* does any partition share? */
	bool stale; /* that is not to be relied on */
} sharing = { .stale = true };

uint32_t sgang_rows_of_part(const part_record_t *part_ptr)
{
	uint32_t n = part_ptr->max_share & ~SHARED_FORCE;

	return (n < 1) ? 1 : (n > SGANG_ROWS_MAX) ? SGANG_ROWS_MAX : n;
}

/* Same as _get_job_node_req() of the stock plugin. */
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
	sharing.stale = true;
	sgang_seats_refresh();
}

static bool shares(const part_record_t *part_ptr)
{
	return part_ptr->max_share && sgang_rows_of_part(part_ptr) > 1;
}

static bool any_shares(void)
{
	list_itr_t *iter;
	part_record_t *part_ptr;

	if (!sharing.stale)
		return sharing.any;
	sharing.stale = sharing.any = false;
	iter = list_iterator_create(part_list);
	while (!sharing.any && (part_ptr = list_next(iter)))
		sharing.any = shares(part_ptr);
	list_iterator_destroy(iter);
	return sharing.any;
}

/* ---- the jobs on a node that do not count as gone ---- */

static const struct sgang_seat *first_stays(const struct sgang_seat *seat)
{
	while (seat && seat->left_out)
		seat = sgang_seats_next(seat);
	return seat;
}

static const struct sgang_seat *first_on(uint32_t node)
{
	return any_shares() ? first_stays(sgang_seats_of_node(node)) : NULL;
}

static const struct sgang_seat *next_on(const struct sgang_seat *seat)
{
	return first_stays(sgang_seats_next(seat));
}

/* ---- rows ---- */

/* Put the CPUs into the first row with room. */
static void fill_row(uint32_t *used, uint32_t n_rows, uint32_t total,
		     uint32_t cpus)
{
	uint32_t r = 0;

	while (r + 1 < n_rows && used[r] + cpus > total)
		r++;
	used[r] += cpus;
}

void sgang_rows_free(const part_record_t *part_ptr, uint32_t n_rows,
		     uint32_t node, bool empty, uint32_t *cpus)
{
	const node_record_t *node_ptr = node_record_table_ptr[node];
	uint32_t total = node_ptr->cpus_efctv, used[SGANG_ROWS_MAX] = { 0 };
	bool fills = !empty && part_ptr && shares(part_ptr);
	bool alone = !empty && sgang_rows_alone(node);
	const struct sgang_seat *seat = fills ? first_on(node) : NULL;

	for (; seat; seat = next_on(seat)) {
		if (seat->job->part_ptr == part_ptr)
			fill_row(used, sgang_rows_of_part(part_ptr), total,
				 (uint32_t)seat->cores * node_ptr->tpc);
	}
	for (uint32_t r = 0; r < n_rows; r++)
		cpus[r] = (alone || total < used[r]) ? 0 : total - used[r];
}

bool sgang_rows_taken(const part_record_t *part_ptr, uint32_t node)
{
	const struct sgang_seat *seat = first_on(node);

	for (; seat; seat = next_on(seat)) {
		const part_record_t *other = seat->job->part_ptr;

		if (other && other != part_ptr && shares(other))
			return true;
	}
	return false;
}

bool sgang_rows_alone(uint32_t node)
{
	const struct sgang_seat *seat = first_on(node);

	while (seat && seat->job->job_resrcs->node_req == NODE_CR_AVAILABLE)
		seat = next_on(seat);
	return seat;
}
