/* SPDX-License-Identifier: GPL-2.0-or-later */
/* victims.h - the jobs that the stock plugin may preempt for an ordinary job
 *
 * Slurm lists the candidates. For members of gangs the conductor decides how
 * they may go (enum sgang_victim_kind). Call with slurmctld's locks held; jobs
 * are borrowed until the locks are released.
 */

#ifndef SGANG_VICTIMS_H
#define SGANG_VICTIMS_H

#include "release.h"

#include "core/gang/spec.h"
#include "plugins/select/conductor.h"

struct sgang_victim_list;

/* Judge the candidates (may be NULL). 'is_member' reads a job's options of
 * gangs. To be destroyed; NULL: none is a member of a gang. */
struct sgang_victim_list *sgang_victims_judge(
	list_t *candidates, struct sgang_conductor *conductor,
	bool (*is_member)(job_record_t *job_ptr, struct sgang_spec *spec));

/* NULL is fine. */
void sgang_victims_destroy(struct sgang_victim_list *victims);

/* In Slurm's order, but within the same standing first the jobs whose gang has
 * more members than it needs. With 'needed' jobs whose gang loses its work come
 * after all others, else they are left out. To be freed; NULL: there are none,
 * or none is left out. */
list_t *sgang_victims_list(const struct sgang_victim_list *victims,
			   bool needed);

/* The stock plugin's choice: add the rest of gangs that go whole. */
void sgang_victims_complete(struct sgang_victim_list *victims, list_t *chosen);

#endif
