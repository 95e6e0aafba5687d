/* SPDX-License-Identifier: GPL-2.0-or-later */
/* step_env.h - the environment in which srun starts a step in a member
 *
 * That of the caller, but what it says of a job of Slurm is replaced by what the
 * member's own batch script was told: an srun there and one here start the same
 * step. What a gang's job is told besides, srun gets from slurmctld.
 */

#ifndef SGANG_STEP_ENV_H
#define SGANG_STEP_ENV_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/placed.h"
#include "core/base/err.h"

/* A vector of "NAME=value" that ends with NULL. */
struct sgang_env {
	char **entry;
	size_t n;
};

struct sgang_env_step {
	const struct sgang_placed *placed;
	size_t i;          /* which of its members */
	uint32_t per_node; /* so many tasks on each node; 0: as the job has
			    * ranks */
	uint64_t before;   /* tasks of the members before it */
	uint64_t total;    /* and of all */
};

/* The number of tasks of the step, and of the CPUs that each gets; 0: whatever
 * Slurm gives it. */
uint64_t sgang_env_tasks(const struct sgang_env_step *step);
uint32_t sgang_env_cpus(const struct sgang_env_step *step);

/* Returns 0 and '*env', to be cleared, or -1 with ENOMEM and 'err'. */
int sgang_env_of_step(const struct sgang_env_step *step, struct sgang_env *env,
		      struct sgang_error *err);

/* The same without any job: for a command that is not to know that it runs in
 * one. What it knows of a gang stays. */
int sgang_env_of_nothing(struct sgang_env *env, struct sgang_error *err);

/* Set "NAME=value". Returns as above. */
int sgang_env_set(struct sgang_env *env, const char *name, const char *value,
		  struct sgang_error *err);

void sgang_env_clear(struct sgang_env *env);

#endif
