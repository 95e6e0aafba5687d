/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric_lines.h - the topologies in force as lines of text
 *
 * slurmctld tells them to sgang, which may run where no topology file is
 * (question.h). A line each:
 *
 *	topology NAME            a topology begins; no NAME: the cluster's
 *	kind switches|blocks     what nodes hang on
 *	domain LEVEL PARENT NAME the next domain, counted from 0 in its topology;
 *	                         PARENT is one before it, or "-"
 *	nodes LIST               hang on the last domain
 *	barred WHY               no gang is placed on it; there is no more of it
 *
 * LEVEL is a number of costs.h. The invisible root, and the leaves of nodes
 * that are in no switch, are left out.
 */

#ifndef SGANG_FABRIC_LINES_H
#define SGANG_FABRIC_LINES_H

#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"
#include "topologies.h"

/* Print all topologies. Nodes whose names begin with '#' are no nodes
 * (settings.c) and are left out. Returns 0, or -1 with ENOMEM. */
int sgang_fabric_lines_print(const struct sgang_topologies *all, FILE *out);

/* The topology of that name in 'text', or the cluster's if there is none, over
 * 'nodes' as in sgang_fabric_parse(). Returns a fabric to free with
 * sgang_fabric_destroy(), or NULL with errno (EINVAL, ENOMEM) and 'err' saying
 * which line cannot be read; ENOTSUP: no gang is placed on it, and why. */
struct sgang_fabric *sgang_fabric_lines_read(const char *text, const char *name,
					     const char *const *nodes,
					     uint32_t n_nodes,
					     struct sgang_error *err);

#endif
