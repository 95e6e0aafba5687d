/* SPDX-License-Identifier: GPL-2.0-or-later */
/* freed.c - what has become free, for gangs that wait */

#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "freed.h"
#include "host_private.h"

/* The sets of nodes that are looked at. */
enum { IN_SERVICE, IDLE, COMPLETING, KINDS };

static struct {
	uint64_t count;
	uint64_t all; /* the count when something was last freed anywhere */
	uint64_t *at; /* ... on this node, by node */
	bitstr_t *of[KINDS]; /* as last seen */
	int nodes;
	time_t partitions, reservations;
} freed = { .count = 1, .all = 1 };

void sgang_freed_all(void)
{
	freed.all = ++freed.count;
}

/* Without memory each change is one of all nodes. */
static bool fits_nodes(void)
{
	if (freed.at && freed.nodes == node_record_count)
		return true;
	free(freed.at);
	freed.at = calloc((size_t)node_record_count + 1, sizeof(*freed.at));
	freed.nodes = node_record_count;
	for (int i = 0; i < KINDS; i++)
		FREE_NULL_BITMAP(freed.of[i]);
	sgang_freed_all();
	return freed.at != NULL;
}

static void note(const bitstr_t *nodes)
{
	bitoff_t n = bit_size((bitstr_t *)nodes);

	freed.count++;
	for (bitoff_t i = bit_ffs((bitstr_t *)nodes); i >= 0 && i < n; i++) {
		if (i < freed.nodes && bit_test((bitstr_t *)nodes, i))
			freed.at[i] = freed.count;
	}
}

void sgang_freed_by(const struct job_record *job)
{
	const bitstr_t *nodes = job->node_bitmap;

	if (!nodes && job->job_resrcs)
		nodes = job->job_resrcs->node_bitmap;
	if (!nodes || !fits_nodes())
		sgang_freed_all();
	else
		note(nodes);
}

/* Note the nodes that are in 'now' and were not before, or with 'gone' those that
 * were, and are not. */
static void look(int kind, bitstr_t *now, bool gone)
{
	bitstr_t *before = freed.of[kind];

	if (!now)
		return;
	if (before && bit_size(before) == bit_size(now)) {
		bitstr_t *more;

		if (bit_equal(before, now))
			return;
		more = bit_copy(gone ? before : now);
		bit_and_not(more, gone ? now : before);
		if (bit_ffs(more) >= 0)
			note(more);
		FREE_NULL_BITMAP(more);
	} else {
		sgang_freed_all();
	}
	FREE_NULL_BITMAP(freed.of[kind]);
	freed.of[kind] = bit_copy(now);
}

uint64_t sgang_freed_count(void)
{
	if (fits_nodes()) {
		look(IN_SERVICE, avail_node_bitmap, false);
		look(IDLE, idle_node_bitmap, false);
		look(COMPLETING, cg_node_bitmap, true);
	} else {
		sgang_freed_all();
	}
	if (freed.partitions != last_part_update ||
	    freed.reservations != last_resv_update)
		sgang_freed_all();
	freed.partitions = last_part_update;
	freed.reservations = last_resv_update;
	return freed.count;
}

void sgang_freed_since(uint64_t since, struct sgang_nodeset *nodes)
{
	(void)sgang_freed_count();
	if (freed.all > since || !freed.at) {
		sgang_nodeset_fill(nodes);
		return;
	}
	for (int i = 0; i < freed.nodes; i++) {
		if (freed.at[i] > since)
			sgang_nodeset_add(nodes, (uint32_t)i);
	}
}
