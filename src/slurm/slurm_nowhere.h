/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm_nowhere.h - the nodes that a topology of slurmctld does not have */

#ifndef SGANG_SLURM_NOWHERE_H
#define SGANG_SLURM_NOWHERE_H

#include "release.h"

/* Those of 'nodes' that the topology of this index has on no leaf, whatever its
 * text says: they were created after slurmctld had built it. Until 26.05 none of
 * a topology that is not the default one, index 0. Needs slurmctld's lock on
 * nodes; the caller frees the bitmap. */
bitstr_t *sgang_slurm_nowhere(bitstr_t *nodes, int idx);

#endif
