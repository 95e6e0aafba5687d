/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place.h - a place for a gang, down to the islands inside the nodes
 *
 * The planner (plan.h) plans over the places of one fabric: nodes, or islands.
 * Here both are one question. Units that one island can hold are planned by
 * islands; what is left is planned by nodes and then laid into their islands, so
 * that every placement is one of islands and costs can be compared. slurmctld
 * and sgang place ask here.
 */

#ifndef SGANG_PLACE_H
#define SGANG_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/fabric/devices.h"
#include "explain.h"
#include "plan.h"
#include "stock.h"

/* The islands inside the nodes of a request. */
struct sgang_place_islands {
	const struct sgang_devices *devices;
	/* By island: slots, as the request has them by node. NULL: nobody knows
	 * in which islands the slots of a node are, and they are counted on all
	 * of them evenly. */
	uint32_t *free, *total;
	bool opaque; /* a slot is more than one device, and may lie over several
		      * islands */
	bool whole;  /* every member has all of each of its nodes */
};

struct sgang_place_request {
	const struct sgang_plan_request *nodes;    /* of nodes */
	const struct sgang_place_islands *islands; /* NULL: they do not count */
	size_t others; /* other domains to look at, up to SGANG_OTHERS_MAX */
	bool prove;    /* bound and exact hold for every place; else only
			* for those that were looked at, which takes one plan
			* less */
};

/* The report on the answer. */
struct sgang_place_report {
	struct sgang_others others;        /* 'n' of them; none, where only
				     * the nodes' part of their costs is known */
	const struct sgang_fabric *fabric; /* whose domains they are, and the
					    * rows of 'nofit' */
};

/* As sgang_plan(); with islands the runs are over islands. 'report' may be
 * NULL. */
int sgang_place(const struct sgang_place_request *request,
		struct sgang_placement **placement,
		struct sgang_place_report *report, struct sgang_nofit *nofit,
		struct sgang_error *err);

/* sgang_stock_place(), with the ring down to islands. The runs are over
 * nodes. */
int sgang_place_stock(const struct sgang_place_request *request,
		      enum sgang_stock_rule rule, struct sgang_stock **stock,
		      struct sgang_error *err);

#endif
