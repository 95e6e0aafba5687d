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
#include <stdio.h>

struct job_resources;
struct will_run_response_msg;

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

/* From now on libslurm's errors go to a file in memory instead of the standard
 * error. Returns it, or NULL with errno. */
FILE *sgang_client_log_catch(void);
/* They go to the standard error again. Returns the text in the file, a string
 * the caller frees, or NULL with errno; closes 'log'. */
char *sgang_client_log_end(FILE *log);

/* slurm_free_will_run_response_msg(). */
void sgang_client_free_will_run(struct will_run_response_msg *answer);

#endif
