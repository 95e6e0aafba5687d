/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spank_reserve.h - --gang-reserve, in the process of sbatch
 *
 * The process that the user has started submits nothing: it runs sbatch for
 * each group and for the job, as reserve.h says, and ends as the last of them.
 * Those are run by it with what they are for in their environment.
 */

#ifndef SGANG_SPANK_RESERVE_OPTION_H
#define SGANG_SPANK_RESERVE_OPTION_H

#include <stdbool.h>

#include <slurm/spank.h>

/* Before sbatch reads its options and the script. */
void sgang_spank_reserve_begin(void);

/* Is this sbatch run by another one, for one of the groups? */
bool sgang_spank_reserve_runs(void);

/* When the options are known. Returns 0: sbatch goes on; or -1: it must not, and
 * the reason was shown. */
int sgang_spank_reserve(spank_t spank);

#endif
