/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nodes_none.c - the node records in a build without Slurm: there are none */

#include <errno.h>
#include <string.h>

#include "cmd/nodes.h"

int sgang_nodes_load(struct sgang_nodes *nodes, struct sgang_error *err)
{
	memset(nodes, 0, sizeof(*nodes));
	return sgang_errf(err, ENOTSUP,
			  "this sgang was built without Slurm; "
			  "say --topology=FILE");
}

int sgang_nodes_look(const char *node, uint32_t *cores, char **gres)
{
	(void)node;
	(void)cores;
	(void)gres;
	return -1;
}
