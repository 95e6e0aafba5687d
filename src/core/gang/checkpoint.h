/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checkpoint.h - the last checkpoint, from the comment of a job
 *
 * A word `ckpt=TIME` of the Comment or AdminComment of a job says that the work
 * up to that moment is safe. Words are separated by blanks, commas or
 * semicolons. TIME is in seconds since the epoch, or YYYY-MM-DDTHH:MM:SS in
 * local time, as Slurm shows times.
 */

#ifndef SGANG_CHECKPOINT_H
#define SGANG_CHECKPOINT_H

#include <stdint.h>

/* The last such moment in 'text' (NULL: nothing) that is not after 'now', in
 * seconds since the epoch; 0: none. Words that cannot be read are no moments. */
int64_t sgang_checkpoint_told(const char *text, int64_t now);

#endif
