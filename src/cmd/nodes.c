/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nodes.c - the node records of slurmctld: what needs no Slurm */

#include <stdlib.h>
#include <string.h>

#include "cmd/nodes.h"
#include "core/fabric/node_topo.h"

uint32_t sgang_nodes_gpus(const char *gres)
{
	uint64_t gpus = sgang_node_topo_gres(gres);

	return gpus > UINT16_MAX ? UINT16_MAX : (uint32_t)gpus;
}

/* qsort, bsearch: by job, then by node. */
static int compare_shares(const void *a, const void *b)
{
	const struct sgang_share *x = a, *y = b;

	if (x->job_id != y->job_id)
		return x->job_id < y->job_id ? -1 : 1;
	return strcmp(x->node, y->node);
}

void sgang_nodes_sort(struct sgang_nodes *nodes)
{
	if (nodes->n_shares)
		qsort(nodes->share, nodes->n_shares, sizeof(*nodes->share),
		      compare_shares);
}

uint32_t sgang_nodes_share(const struct sgang_nodes *nodes, uint32_t job_id,
			   const char *node)
{
	const struct sgang_share key = { job_id, (char *)node, 0 }, *found;

	if (!nodes->n_shares)
		return 0;
	found = bsearch(&key, nodes->share, nodes->n_shares, sizeof(key),
			compare_shares);
	return found ? found->slots : 0;
}

const struct sgang_partition *
sgang_nodes_partition(const struct sgang_nodes *nodes, const char *name)
{
	size_t i;

	for (i = 0; i < nodes->n_partitions; i++)
		if (!strcmp(nodes->partition[i].name, name))
			return &nodes->partition[i];
	return NULL;
}

void sgang_nodes_clear(struct sgang_nodes *nodes)
{
	size_t i;

	for (i = 0; i < nodes->count; i++)
		free(nodes->row[i].name);
	free(nodes->row);
	for (i = 0; i < nodes->n_shares; i++)
		free(nodes->share[i].node);
	free(nodes->share);
	for (i = 0; i < nodes->n_partitions; i++) {
		free(nodes->partition[i].name);
		free(nodes->partition[i].topology);
	}
	free(nodes->partition);
	memset(nodes, 0, sizeof(*nodes));
}
