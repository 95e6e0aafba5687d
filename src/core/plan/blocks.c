/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blocks.c - two or three blocks of the ring whose members are alike
 *
 * Such a block is one member of as many units. Three of them follow each other in
 * the same order however they are put into a ring, so the planner of cuts may
 * choose; then each block's nodes are dealt to its members on the way.
 */

#include <stdlib.h>
#include <string.h>

#include "cuts_private.h"
#include "mixed.h"

#define BLOCKS_MAX 3

struct blocks {
	struct sgang_plan_member member[BLOCKS_MAX];
	uint32_t first[BLOCKS_MAX];
	uint32_t n;
};

/* False when there are others. */
static bool find_blocks(const struct mixed *mixed, struct blocks *blocks)
{
	uint32_t n = (uint32_t)mixed->request->n_members, i;

	blocks->n = 0;
	for (i = 0; i < n; i++) {
		const struct sgang_plan_member *member = ask_of(mixed, i);

		if (member->units > 1)
			return false;
		if (i && kind_of(mixed, i) == kind_of(mixed, i - 1)) {
			blocks->member[blocks->n - 1].units++;
			continue;
		}
		if (blocks->n == BLOCKS_MAX)
			return false;
		blocks->first[blocks->n] = i;
		blocks->member[blocks->n] = *member;
		blocks->member[blocks->n++].distinct = false;
	}
	return blocks->n > 1 && n > blocks->n;
}

/* Whole nodes have one unit each. */
static uint32_t units_of(const struct mixed *mixed, const struct sgang_run *run,
			 uint32_t member)
{
	return run->slots / sgang_kind_need(mixed->job, kind_of(mixed, member),
					    run->node, 0);
}

/* Deal the nodes of blocks, which are in the ring in this order or in the
 * opposite one. */
static void deal(struct mixed *mixed, const struct blocks *blocks,
		 const struct sgang_placement *made)
{
	const uint32_t *pos = sgang_fabric_pos(mixed->request->fabric);
	size_t n = made->n_runs, i, k;
	uint32_t next[BLOCKS_MAX], b, units;
	bool back = false;

	for (i = 1; i < n; i++) {
		if (made->runs[i].member != made->runs[i - 1].member &&
		    (made->runs[i - 1].member + 1) % blocks->n !=
			    made->runs[i].member)
			back = true;
	}
	memcpy(next, blocks->first, sizeof(next));
	sgang_mixed_clear(mixed, 0, mixed->n_nodes);
	for (i = 0; i < n; i++) {
		const struct sgang_run *run = &made->runs[back ? n - 1 - i : i];

		b = run->member;
		units = units_of(mixed, run, blocks->first[b]);
		for (k = 0; k < units; k++)
			put(mixed, next[b]++, pos[run->node], 1);
	}
	/* the order of the blocks may begin with another one */
	qsort(mixed->now.piece, mixed->now.n, sizeof(*mixed->now.piece),
	      sgang_mixed_by_member);
}

int sgang_mixed_try_blocks(struct mixed *mixed)
{
	struct sgang_plan_request request = *mixed->request;
	struct sgang_job job = *mixed->job;
	bool unproved = request.budget->unproved;
	struct sgang_placement *made;
	struct blocks blocks;
	int rc;

	if (!find_blocks(mixed, &blocks))
		return 0;
	request.members = blocks.member;
	request.n_members = blocks.n;
	job.request = &request;
	job.n_kinds = 0;
	job.units = 0;
	sgang_job_find_kinds(&job);
	rc = sgang_cuts_plan(&job, mixed->broken, &made);
	/* others are to look for a place, too */
	request.budget->unproved = unproved;
	if (rc <= 0)
		return rc;
	deal(mixed, &blocks, made);
	sgang_mixed_finish(mixed);
	return 0;
}
