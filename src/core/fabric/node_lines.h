/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_lines.h - which nodes are described by which file
 *
 * The NodeTopology=NODES Hwloc=FILE lines of a gang.conf. Once read they are
 * shared and never changed.
 */

#ifndef SGANG_NODE_LINES_H
#define SGANG_NODE_LINES_H

#include <stddef.h>

#include "core/base/err.h"

struct sgang_node_line {
	char *nodes;       /* "n[1-64]" */
	char *file;        /* as it was written */
	unsigned int line; /* where it stands */
};

struct sgang_node_lines;

/* Add a copy of a line at the end; '*lines' is NULL before the first one. Only
 * while nobody else shares them. Returns 0, or -1 with ENOMEM. */
int sgang_node_lines_add(struct sgang_node_lines **lines, const char *nodes,
			 const char *file, unsigned int line);

/* Return 'lines' (NULL is fine) once more; each is given up by a release of its
 * own. Any thread. */
struct sgang_node_lines *sgang_node_lines_share(struct sgang_node_lines *lines);
void sgang_node_lines_release(struct sgang_node_lines *lines);

size_t sgang_node_lines_count(const struct sgang_node_lines *lines);
/* Borrowed as long as the lines are shared. */
const struct sgang_node_line *
sgang_node_lines_get(const struct sgang_node_lines *lines, size_t i);

/* A node of one of the lines. */
struct sgang_node_of_line {
	char *name;
	size_t line; /* its index */
};

/* All nodes that are named, sorted by strcmp(). Returns 0, '*count' and an
 * array for sgang_node_lines_free_nodes() in '*nodes'; or -1 with errno and
 * 'err', which begins with path:line: EINVAL (not a node list, or a node that
 * is named twice; both lines are told), ENOMEM. */
int sgang_node_lines_nodes(const struct sgang_node_lines *lines,
			   const char *path, struct sgang_node_of_line **nodes,
			   size_t *count, struct sgang_error *err);
void sgang_node_lines_free_nodes(struct sgang_node_of_line *nodes,
				 size_t count);

#endif
