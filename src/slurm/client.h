/* SPDX-License-Identifier: GPL-2.0-or-later */
/* client.h - what sgang reads of libslurm's records with Slurm's private
 * headers
 *
 * The public headers have functions for it in some releases only.
 */

#ifndef SGANG_CLIENT_H
#define SGANG_CLIENT_H

#include <stddef.h>
#include <stdint.h>

struct job_resources;

/* The CPUs the job has on its i-th node, from 0. 0 where it
 * has no such node. */
uint32_t sgang_resources_cpus(const struct job_resources *res, uint32_t node);

/* The job's cores on its i-th node, numbered socket by socket from 0, in
 * ascending order. Returns their number, and in 'cores' an array that the
 * caller frees, or -1 with errno ENOMEM, or EINVAL if the record is
 * inconsistent. */
int sgang_resources_cores(const struct job_resources *res, uint32_t node,
			  uint32_t **cores);

/* Slurm's word for an enum job_state_reason. */
const char *sgang_client_reason(uint32_t reason);

#endif
