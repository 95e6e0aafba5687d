/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alloc_slurm.c - what a running job has on each of its nodes, from libslurm */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/alloc.h"
#include "cmd/libslurm.h"
#include "core/base/hostlist.h"
#include "slurm/client.h"
#include "slurm/public.h"

/* Fill in what Slurm knows of a node that has its name. */
static int look_up(struct sgang_alloc_node *node, const node_info_msg_t *nodes)
{
	const char *address = node->name;
	uint32_t i;

	for (i = 0; i < nodes->record_count; i++) {
		const node_info_t *info = &nodes->node_array[i];

		if (!info->name || strcmp(info->name, node->name) != 0)
			continue;
		node->cores_per_socket = info->cores;
		if (info->node_addr)
			address = info->node_addr;
		break;
	}
	node->address = strdup(address);
	return node->address ? 0 : -1;
}

static int read_cores(const job_info_t *info, uint32_t node,
		      struct sgang_indices *cores)
{
	int n = sgang_resources_cores(info->job_resrcs, node, &cores->index);

	if (n < 0)
		return -1;
	cores->n = (size_t)n;
	return 0;
}

/* Fill in the job's i-th node, to which 'name' is moved. */
static int fill_node(struct sgang_alloc_node *node, const job_info_t *info,
		     size_t i, char *name, const node_info_msg_t *nodes,
		     struct sgang_error *err)
{
	const char *gres = i < info->gres_detail_cnt ?
				   info->gres_detail_str[i] :
				   NULL;

	node->name = name;
	node->cpus = sgang_resources_cpus(info->job_resrcs, (uint32_t)i);
	if (look_up(node, nodes) ||
	    read_cores(info, (uint32_t)i, &node->cores) ||
	    sgang_indices_read_gpus(gres, &node->gpus))
		return sgang_errf(err, errno,
				  "what job %" PRIu32 " has on "
				  "node %s cannot be read: %s",
				  public_job_id(info), name, strerror(errno));
	return 0;
}

static int fill_alloc(struct sgang_alloc *alloc, const job_info_t *info,
		      const node_info_msg_t *nodes, struct sgang_error *err)
{
	struct sgang_alloc found = { NULL, 0, 1 };
	char **names;
	size_t n, i;
	int rc = 0;

	if (!info->job_resrcs || !info->nodes || !info->nodes[0])
		return sgang_errf(err, ESRCH, "job %" PRIu32 " has no nodes",
				  public_job_id(info));
	if (sgang_hostlist_expand(info->nodes, &names, &n, err))
		return -1;
	found.node = calloc(n, sizeof(*found.node));
	if (!found.node) {
		sgang_hostlist_free(names);
		return sgang_err_memory(err);
	}
	if (info->cpus_per_task && info->cpus_per_task != NO_VAL16)
		found.cpus_per_rank = info->cpus_per_task;
	for (i = 0; i < n && !rc; i++) {
		found.n++;
		rc = fill_node(&found.node[i], info, i, names[i], nodes, err);
		names[i] = NULL;
	}
	for (; i < n; i++)
		free(names[i]);
	free(names);
	if (rc)
		sgang_alloc_clear(&found);
	else
		*alloc = found;
	return rc;
}

/* A task of an array is loaded with the other tasks. */
static int load_job(uint32_t job_id, const node_info_msg_t *nodes,
		    struct sgang_alloc *alloc, struct sgang_error *err)
{
	job_info_msg_t *message = NULL;
	uint32_t i;
	int rc;

	if (slurm_load_job(&message, public_id_of_job(job_id), SHOW_DETAIL))
		return sgang_errf(err, EIO,
				  "cannot read job %" PRIu32 " from "
				  "slurmctld: %s",
				  job_id, sgang_libslurm_why());
	rc = 0;
	for (i = 0; i < message->record_count; i++)
		if (public_job_id(&message->job_array[i]) == job_id)
			break;
	if (i == message->record_count)
		rc = sgang_errf(err, ESRCH,
				"slurmctld does not know job %" PRIu32, job_id);
	else
		rc = fill_alloc(alloc, &message->job_array[i], nodes, err);
	slurm_free_job_info_msg(message);
	return rc;
}

int sgang_alloc_load(const uint32_t *job_ids, size_t n,
		     struct sgang_alloc *allocs, struct sgang_error *err)
{
	node_info_msg_t *nodes = NULL;
	size_t i, done = 0;
	int rc = 0;

	if (sgang_libslurm_enter(err))
		return -1;
	if (slurm_load_node(0, &nodes, SHOW_ALL))
		rc = sgang_errf(err, EIO,
				"cannot read the nodes from "
				"slurmctld: %s",
				sgang_libslurm_why());
	for (i = 0; i < n && !rc; i++) {
		rc = load_job(job_ids[i], nodes, &allocs[i], err);
		done += !rc;
	}
	sgang_libslurm_leave();
	slurm_free_node_info_msg(nodes);
	for (i = 0; rc && i < done; i++)
		sgang_alloc_clear(&allocs[i]);
	return rc;
}
