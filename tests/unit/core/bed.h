/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bed.h - a fabric, what is free on it, and members to be placed
 *
 * To be included behind cmocka.h.
 */

#ifndef TESTS_UNIT_BED_H
#define TESTS_UNIT_BED_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/base/hostlist.h"
#include "core/plan/plan.h"

#define BED_NODES 1024
#define BED_MEMBERS 10

/* A request whose parts are all here. */
struct bed {
	struct sgang_fabric *fabric;
	struct sgang_costs costs;
	uint32_t free[BED_NODES];
	uint32_t total[BED_NODES];
	struct sgang_plan_member member[BED_MEMBERS];
	struct sgang_plan_request request;
};

/* Every node has 'slots' slots, all free. */
static inline void bed_open(struct bed *bed, const char *topology,
			    uint32_t slots)
{
	struct sgang_error err;
	uint32_t i;

	memset(bed, 0, sizeof(*bed));
	bed->fabric = sgang_fabric_parse(topology, "test", NULL, 0, &err);
	if (!bed->fabric)
		fail_msg("%s", err.text);
	assert_in_range(sgang_fabric_nodes(bed->fabric), 1, BED_NODES);
	sgang_costs_default(&bed->costs);
	for (i = 0; i < sgang_fabric_nodes(bed->fabric); i++)
		bed->free[i] = bed->total[i] = slots;
	bed->request.fabric = bed->fabric;
	bed->request.costs = &bed->costs;
	bed->request.free = bed->free;
	bed->request.total = bed->total;
	bed->request.members = bed->member;
	bed->request.max_level = SGANG_LEVEL_UNCONNECTED;
}

static inline void bed_close(struct bed *bed)
{
	sgang_fabric_destroy(bed->fabric);
}

/* So many slots are free on these nodes; BED_ALL: all they have. */
#define BED_ALL UINT32_MAX
static inline void bed_set(struct bed *bed, const char *list, uint32_t slots)
{
	char **names = NULL;
	size_t i;

	assert_int_equal(sgang_hostlist_expand(list, &names, NULL, NULL), 0);
	for (i = 0; names[i]; i++) {
		uint32_t node = sgang_fabric_find_node(bed->fabric, names[i]);

		assert_int_not_equal(node, SGANG_NODE_NONE);
		bed->free[node] = slots == BED_ALL ? bed->total[node] : slots;
	}
	sgang_hostlist_free(names);
}

/* These nodes are free, and no others. */
static inline void bed_only(struct bed *bed, const char *list)
{
	memset(bed->free, 0, sizeof(bed->free));
	bed_set(bed, list, BED_ALL);
}

static inline void bed_add(struct bed *bed, uint32_t units, uint32_t slots,
			   bool distinct)
{
	struct sgang_plan_member *member;

	assert_in_range(bed->request.n_members, 0, BED_MEMBERS - 1);
	member = &bed->member[bed->request.n_members++];
	member->units = units;
	member->slots = slots;
	member->distinct = distinct;
}

/* "n1 n2 | n3": the nodes in the order of the runs, members apart. */
static inline void bed_names(const struct bed *bed,
			     const struct sgang_run *runs, size_t n, char *buf)
{
	size_t i;

	*buf = '\0';
	for (i = 0; i < n; i++)
		buf += sprintf(buf, "%s%s",
			       !i                                   ? "" :
			       runs[i].member != runs[i - 1].member ? " | " :
								      " ",
			       sgang_fabric_node_name(bed->fabric,
						      runs[i].node));
}

#endif
