/* SPDX-License-Identifier: GPL-2.0-or-later */
/* segments_private.h - members in segments: what the files of that planner share
 */

#ifndef SGANG_SEGMENTS_PRIVATE_H
#define SGANG_SEGMENTS_PRIVATE_H

#include "plan_private.h"

/* What the segments of a member must keep to. */
struct sgang_segments {
	uint32_t nodes; /* of a segment */
	uint32_t n;
	struct sgang_block_span span; /* of a segment, */
	uint32_t together;            /* and the level of all of them */
	uint32_t base;                /* nodes of a block by itself */
	bool spread;
};

/* Every file calls those that stand below it here. */

/* -- segments_tree.c -- */

/* Plan with a tree of groups: segments larger than a block in whole blocks and a
 * rest, or in even parts. Not every placement that it makes keeps to segments.
 * 'first' is the plan that knew nothing of them. NULL when it made none, and
 * '*never' says whether there is none. */
struct sgang_placement *
sgang_segments_tree(const struct sgang_plan_request *asked,
		    struct sgang_pool *pool, bool even,
		    const struct sgang_placement *first, bool *never);

/* -- segments_rule.c -- */

/* False if the member has no segments, or one is all there is. */
bool sgang_segments_of(const struct sgang_plan_request *request,
		       const struct sgang_plan_member *member,
		       struct sgang_segments *segments);

/* What the first plan's bound says of this placement. */
uint64_t sgang_segments_least(const struct sgang_plan_request *request,
			      const struct sgang_placement *first,
			      const struct sgang_placement *made);

/* Could units of a member lie beside each other on a node? Nobody keeps those of
 * two segments apart. */
bool sgang_segments_share(const struct sgang_plan_request *request,
			  const struct sgang_plan_member *member);

/* Is there room for a unit of the member? */
bool sgang_segments_room(const struct sgang_plan_request *request,
			 const struct sgang_plan_member *member, uint32_t node);

/* The nodes of a member that have room for a unit, of each block as many as
 * make whole segments, or no more than one segment. Which of them these are
 * differs by 'turn'. */
struct sgang_nodeset *sgang_segments_thin(
	const struct sgang_plan_request *request, struct sgang_pool *pool,
	const struct sgang_plan_member *member,
	const struct sgang_segments *segments, bool one, uint32_t turn);

#endif
