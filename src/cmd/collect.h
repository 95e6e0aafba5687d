/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collect.h - ask all nodes what is inside of them, and keep the answers
 *
 * The folder then has shape-1.xml, shape-2.xml, ..., one for each kind of node,
 * and nodes.conf, which names the kind of each node. Each file is written under
 * another name and renamed, nodes.conf last, so that a reader finds the old
 * files or the new ones.
 */

#ifndef SGANG_COLLECT_H
#define SGANG_COLLECT_H

#include <stddef.h>

#include "core/base/err.h"

struct sgang_collected {
	size_t n_nodes;  /* that answered */
	size_t n_shapes; /* of which there are, now, in all */
	char *missing;   /* nodes that did not answer; NULL: none */
};

/* Ask the nodes of the list 'nodes', or, NULL, all that can run jobs, and keep
 * the answers in the folder 'dir', which is made if it is missing. Descriptions
 * of other nodes stay. The nodes are asked by a job that has them alone,
 * because Slurm may hide devices from others; this job waits until they are
 * idle. Returns 0 and '*collected', whose 'missing' the caller frees; or -1
 * with errno and 'err'. */
int sgang_collect(const char *nodes, const char *dir,
		  struct sgang_collected *collected, struct sgang_error *err);

#endif
