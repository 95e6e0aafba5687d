/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state.h - what slurmstepd keeps for the members of gangs on its node
 *
 * In the folder "gang" of SlurmdSpoolDir there is, for each member that has a
 * step on the node:
 *
 *   JOBID        who is in its gang (core/gang/epoch.h), readable by its user
 *                alone, replaced as a whole; SLURM_GANG_STATE names it
 *   JOBID.lock each of its steps holds a shared lock on it; a step that gets an
 *   exclusive lock is the last one, and removes both
 *
 * and for all together:
 *
 *   lock         the step that has it listens ...
 *   sock         ... here for what slurmctld tells (slurm/messenger.h), and
 *                writes the files of all members that are concerned
 *
 * When that step ends, another one takes over within a second. The next step
 * that listens removes the files of steps that were killed.
 */

#ifndef SGANG_STATE_H
#define SGANG_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/err.h"

struct sgang_state;

/* Keep the file of this job while the step runs: its text is 'text', or what is
 * there already if that is newer. slurmctld runs as 'slurm_user'. Returns NULL
 * with 'err' filled. */
struct sgang_state *sgang_state_open(const char *spool, uint32_t job_id,
				     uid_t uid, gid_t gid, uid_t slurm_user,
				     const char *text, struct sgang_error *err);
const char *sgang_state_path(const struct sgang_state *state);
/* The step has ended. NULL is fine. */
void sgang_state_close(struct sgang_state *state);

/* The text of such a file, if it is whole. Returns a string the caller frees, or
 * NULL. */
char *sgang_state_read(const char *path);

#endif
