/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placed.h - the members of a gang that started together, and their ranks
 *
 * A gang is looked for by its name or by the id of one of its jobs. A member of
 * it with a place in the ring is one of `job`; what it has on its nodes is in
 * `alloc`, and which of its ranks is where in `member` (map.h).
 */

#ifndef SGANG_PLACED_H
#define SGANG_PLACED_H

#include <stddef.h>
#include <stdint.h>

#include "cmd/alloc.h"
#include "cmd/gangs.h"
#include "cmd/jobs.h"
#include "cmd/map.h"
#include "core/base/err.h"
#include "core/gang/role_path.h"
#include "core/gang/spec.h"

/* Begins as { 0 }. */
struct sgang_placed {
	struct sgang_jobs jobs;
	struct sgang_gangs gangs;
	const struct sgang_gang *gang; /* one of `gangs` */
	char name[SGANG_GANGS_NAME];
	const struct sgang_jobrow **job; /* in ring order */
	struct sgang_alloc *alloc;
	struct sgang_map_member *member;
	char (*role)[SGANG_ROLE_SIZE]; /* of a tree of groups */
	size_t n;
};

/* Ask slurmctld for the gang with this name, or with this job (0: the name).
 * Returns an exit code, YES with the gang, otherwise with its line printed; or
 * -1 with 'err' filled. In each case 'placed' is to be cleared. */
int sgang_placed_find(const struct sgang_spec *name, uint32_t job_id,
		      struct sgang_placed *placed, struct sgang_error *err);

/* Some of the members; { 0 } are all. */
struct sgang_placed_choice {
	uint32_t job_id;  /* this job alone; 0: any */
	const char *role; /* a group of a tree, and those in it; NULL: any */
};

/* Fill in the members of the gang that are chosen. Returns as
 * sgang_placed_find(); NO where the places of some ranks are not known. */
int sgang_placed_fill(struct sgang_placed *placed,
		      const struct sgang_placed_choice *choice,
		      struct sgang_error *err);

void sgang_placed_clear(struct sgang_placed *placed);

#endif
