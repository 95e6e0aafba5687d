/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm_nowhere_26_05.c - the nodes that a topology does not have, 26.05 */

#include "config.h"

#include "slurm_nowhere.h"
#include "src/interfaces/topology.h"

#pragma weak node_record_count
#pragma weak node_record_table_ptr

/* Of 'nodes', of which each is in the first block or in none, add those that
 * are in the block to 'found', unless one alone is. Any two nodes differ in a
 * bit of their numbers, and each half finds those of the other. */
static void find_first_block(bitstr_t *nodes, int idx, bitstr_t *found)
{
	for (int bit = 0; (node_record_count - 1) >> bit; bit++) {
		for (int side = 0; side < 2; side++) {
			bitstr_t *half = bit_copy(nodes), *whole;

			for (int i = 0; i < node_record_count; i++) {
				if (((i >> bit) & 1) != side)
					bit_clear(half, i);
			}
			whole = bit_copy(half);
			(void)topology_g_whole_topo(whole, idx);
			bit_and_not(whole, half);
			bit_or(found, whole);
			FREE_NULL_BITMAP(whole);
			FREE_NULL_BITMAP(half);
		}
	}
}

/* Leaves of a tree have ranks from 1 on, blocks from 0 on, and what is nowhere
 * has 0. */
static void drop_first_block(bitstr_t *nowhere, int idx)
{
	bitstr_t *found = bit_alloc(node_record_count);

	find_first_block(nowhere, idx, found);
	if (bit_ffs(found) < 0)
		bit_clear_all(nowhere);
	bit_and_not(nowhere, found);
	FREE_NULL_BITMAP(found);
}

bitstr_t *sgang_slurm_nowhere(bitstr_t *nodes, int idx)
{
	bitstr_t *nowhere = bit_copy(nodes);
	uint32_t *rank = NULL, n = 0, at = 0;

	if (topology_g_get_rank(nodes, &rank, &n, idx) || !n)
		bit_clear_all(nowhere);
	for (int i = 0; n && next_node_bitmap(nodes, &i); i++) {
		if (at >= n || rank[at++])
			bit_clear(nowhere, i);
	}
	xfree(rank);
	if (bit_ffs(nowhere) >= 0 && topology_g_whole_topo_enabled(idx))
		drop_first_block(nowhere, idx);
	return nowhere;
}
