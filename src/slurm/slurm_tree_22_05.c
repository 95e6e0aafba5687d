/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm_tree_22_05.c - the topologies that slurmctld has: those of the file,
 * until 24.11 */

#include <stddef.h>

#include "slurm_tree.h"

char *sgang_slurm_tree_text(void)
{
	return NULL;
}

char **sgang_slurm_tree_only(const char *topology)
{
	(void)topology;
	return NULL;
}

uint64_t sgang_slurm_tree_stamp(void)
{
	return 0;
}

bool sgang_slurm_tree_touched(void)
{
	return false;
}

const char *sgang_slurm_tree_unknown(void)
{
	return NULL;
}
