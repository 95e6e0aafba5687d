/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stock.h - where Slurm by itself would put the members of a gang
 *
 * The rule is that of Slurm with topology/tree and select/cons_tres
 * (_eval_nodes_topo(), in job_test.c of 22.05 and in eval_nodes_tree.c since
 * 23.11), written anew. Jobs are placed one after the other. For each
 *
 *  1. the highest switch that reaches enough usable nodes is its world; of
 *     equally high ones the last of the file;
 *  2. leaf switches are used up one by one, their nodes in the order of the
 *     node table, until the job has what it asks for. The next leaf is the one
 *     that is nearest to all that are used already, in hops of switches; a
 *     nearer one is passed over if a switch above it fits worse, since 24.05
 *     if it does not reach all that are missing. Fitting well
 *     means: reaching as few nodes as possible but all that are missing; where
 *     none does, as many as possible. This is asked of the leaves, and of the
 *     switches above them until those are the same. Since 24.05 the nodes of
 *     used leaves count no longer in the switches above, and a switch must reach
 *     as many CPUs as are missing, too.
 *
 * Since 26.05 a job of one node has the first of the lightest that have room,
 * wherever it is (_get_one_res() in job_test.c).
 *
 * Where nodes differ in weight, a switch is no world whose lightest node is
 * heavier than that of one before it, and the job has the nodes of as many
 * classes as it takes, the lightest first: all of each class but the last, then
 * those of the last in leaves that it has nodes of, then by step 2. The same
 * holds for nodes that a member requires, whose world is the highest switch
 * above them.
 *
 * The ranks of a job follow the node table, so the cost of its ring depends on
 * the names of the nodes too.
 *
 * The rule is followed exactly for members that ask for whole nodes or for so
 * many nodes with so much on each, where all nodes have one weight. The answer
 * is an estimate for slots on any nodes, because Slurm counts CPUs there, for
 * members that require nodes, for fabrics that topology/tree does not describe,
 * and where nodes differ in weight.
 */

#ifndef SGANG_STOCK_H
#define SGANG_STOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"
#include "core/fabric/ring.h"
#include "plan.h"

/* Which releases' rule. */
enum sgang_stock_rule {
	SGANG_STOCK_22_05,
	SGANG_STOCK_24_05,
	SGANG_STOCK_26_05
};

struct sgang_stock {
	struct sgang_run *runs; /* by member, then by node index */
	size_t n_runs;
	struct sgang_ring ring;
	bool exact; /* no member asks for slots anywhere or
		     * requires nodes, the fabric is one of
		     * switches, and all nodes weigh the
		     * same; else it is an estimate */
};

/* Place the members of 'request', in their order. Its fabric is one of nodes;
 * max_level is nothing that Slurm knows and is ignored.
 * Returns 1 and '*stock' (free with sgang_stock_destroy()); 0 when a member
 * finds no room; -1 with ENOMEM and 'err' filled.
 * The time is that of a pass over nodes and switches for every change of shape
 * from one member to the next, and of one over the leaf switches for every
 * member and every leaf it uses. */
int sgang_stock_place(const struct sgang_plan_request *request,
		      enum sgang_stock_rule rule, struct sgang_stock **stock,
		      struct sgang_error *err);

/* NULL is fine. Keeps errno. */
void sgang_stock_destroy(struct sgang_stock *stock);

#endif
