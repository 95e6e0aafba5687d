/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm_nowhere_25_05.c - the nodes that a topology does not have, 25.05 and 25.11
 *
 * slurmctld tells nobody where a node is but in the default topology. In another
 * one the text is believed.
 */

#include "config.h"

#include <string.h>

#include "slurm_nowhere.h"
#include "src/interfaces/topology.h"

#pragma weak node_record_table_ptr

/* Its address has the names of switches, or of a block, and dots before its
 * own. */
static bool is_nowhere(const node_record_t *node_ptr)
{
	char *addr = NULL, *pattern = NULL;
	bool nowhere;

	nowhere = !topology_g_get_node_addr(node_ptr->name, &addr, &pattern) &&
		  !strcmp(addr + strspn(addr, "."), node_ptr->name);
	xfree(addr);
	xfree(pattern);
	return nowhere;
}

/* Of nodes that are not dynamic the text is right. */
bitstr_t *sgang_slurm_nowhere(bitstr_t *nodes, int idx)
{
	bitstr_t *nowhere = bit_copy(nodes);
	node_record_t *node_ptr;
	int domains = 0;

	if (idx || topology_g_get(TOPO_DATA_REC_CNT, NULL, &domains) ||
	    !domains) {
		bit_clear_all(nowhere);
		return nowhere;
	}
	for (int i = 0; (node_ptr = next_node_bitmap(nodes, &i)); i++) {
		if (!IS_NODE_DYNAMIC_NORM(node_ptr) || !is_nowhere(node_ptr))
			bit_clear(nowhere, i);
	}
	return nowhere;
}
