/* SPDX-License-Identifier: GPL-2.0-or-later */
/* client.c - what sgang reads of libslurm's records with private headers */

#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "release.h"

#include "client.h"

uint32_t sgang_resources_cpus(const struct job_resources *res, uint32_t node)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < res->cpu_array_cnt; i++) {
		before += res->cpu_array_reps[i];
		if (node < before)
			return res->cpu_array_value[i];
	}
	return 0;
}

/* The bitmap has the cores of the job's nodes one after the other, and nodes
 * that are alike are described once. */
static int find_node(const struct job_resources *res, uint32_t node,
		     uint32_t *first, uint32_t *count)
{
	uint32_t before = 0, core = 0;

	if (node >= res->nhosts || !res->core_bitmap)
		return -1;
	for (uint32_t i = 0; before < res->nhosts; i++) {
		uint32_t each = res->sockets_per_node[i] *
				res->cores_per_socket[i];
		uint32_t alike = res->sock_core_rep_count[i];

		if (!alike)
			return -1;
		if (node < before + alike) {
			*first = core + (node - before) * each;
			*count = each;
			return (bitoff_t)*first + each <=
					       bit_size(res->core_bitmap) ?
				       0 :
				       -1;
		}
		before += alike;
		core += alike * each;
	}
	return -1;
}

int sgang_resources_cores(const struct job_resources *res, uint32_t node,
			  uint32_t **cores)
{
	uint32_t first, count;
	int n = 0;

	if (find_node(res, node, &first, &count)) {
		errno = EINVAL;
		return -1;
	}
	*cores = malloc((count + 1) * sizeof(**cores));
	if (!*cores)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		if (bit_test(res->core_bitmap, (bitoff_t)first + i))
			(*cores)[n++] = i;
	}
	return n;
}

const char *sgang_client_reason(uint32_t reason)
{
	return release_reason((enum job_state_reason)reason);
}
