/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nodes_slurm.c - the node records of slurmctld, read through libslurm */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/libslurm.h"
#include "cmd/nodes.h"
#include "core/base/hostlist.h"
#include "core/gang/record.h"
#include "slurm/client.h"
#include "slurm/public.h"

/* States in which no job may start, whatever runs. */
#define AWAY                                                          \
	(NODE_STATE_DRAIN | NODE_STATE_FAIL | NODE_STATE_NO_RESPOND | \
	 NODE_STATE_MAINT)

static bool is_down(uint32_t state)
{
	uint32_t base = state & NODE_STATE_BASE;

	return base == NODE_STATE_DOWN || base == NODE_STATE_UNKNOWN ||
	       base == NODE_STATE_ERROR || base == NODE_STATE_FUTURE ||
	       state & AWAY;
}

static int read_nodes(const node_info_msg_t *message, struct sgang_nodes *nodes)
{
	uint32_t i;

	nodes->row = calloc(message->record_count + 1UL, sizeof(*nodes->row));
	if (!nodes->row)
		return -1;
	for (i = 0; i < message->record_count; i++)
		if (sgang_nodes_gpus(message->node_array[i].gres))
			nodes->gpus = true;
	for (i = 0; i < message->record_count; i++) {
		const node_info_t *info = &message->node_array[i];
		struct sgang_noderow *row = &nodes->row[nodes->count];

		/* a node that was taken away leaves a gap */
		if (!info->name || !info->name[0])
			continue;
		row->name = strdup(info->name);
		if (!row->name)
			return -1;
		nodes->count++;
		row->slots = nodes->gpus ? sgang_nodes_gpus(info->gres) :
					   info->cpus;
		row->used = nodes->gpus ? sgang_nodes_gpus(info->gres_used) :
					  public_used_cpus(info);
		row->down = is_down(info->node_state);
		row->draining = info->node_state &
				(NODE_STATE_DRAIN | NODE_STATE_FAIL);
	}
	return 0;
}

/* The job's share of its node 'i', whose name is moved there. */
static void fill_share(const struct sgang_nodes *nodes,
		       struct sgang_share *share, const job_info_t *info,
		       uint32_t i, char *name)
{
	share->job_id = public_job_id(info);
	share->node = name;
	if (!nodes->gpus)
		share->slots = sgang_resources_cpus(info->job_resrcs, i);
	else
		share->slots =
			i < info->gres_detail_cnt ?
				sgang_nodes_gpus(info->gres_detail_str[i]) :
				0;
}

static int add_job(struct sgang_nodes *nodes, const job_info_t *info,
		   struct sgang_error *err)
{
	struct sgang_share *bigger;
	char **names;
	size_t n, i;

	if (sgang_hostlist_expand(info->nodes, &names, &n, err))
		return -1;
	bigger = realloc(nodes->share, (nodes->n_shares + n) * sizeof(*bigger));
	if (!bigger) {
		sgang_hostlist_free(names);
		return sgang_err_memory(err);
	}
	nodes->share = bigger;
	for (i = 0; i < n; i++)
		fill_share(nodes, &nodes->share[nodes->n_shares++], info,
			   (uint32_t)i, names[i]);
	free(names);
	return 0;
}

static int read_jobs(const job_info_msg_t *message, struct sgang_nodes *nodes,
		     struct sgang_error *err)
{
	struct sgang_record record;
	uint32_t i;

	for (i = 0; i < message->record_count; i++) {
		const job_info_t *info = &message->job_array[i];
		uint32_t base = info->job_state & JOB_STATE_BASE;

		if ((base != JOB_RUNNING && base != JOB_SUSPENDED) ||
		    !info->job_resrcs || !info->nodes || !info->nodes[0] ||
		    !sgang_record_parse(info->system_comment, &record))
			continue;
		if (add_job(nodes, info, err))
			return -1;
	}
	sgang_nodes_sort(nodes);
	return 0;
}

static int read_partitions(const partition_info_msg_t *message,
			   struct sgang_nodes *nodes)
{
	uint32_t i;

	nodes->partition = calloc(message->record_count + 1UL,
				  sizeof(*nodes->partition));
	if (!nodes->partition)
		return -1;
	for (i = 0; i < message->record_count; i++) {
		const partition_info_t *info = &message->partition_array[i];
		const char *topology = public_partition_topology(info);
		struct sgang_partition *partition =
			&nodes->partition[nodes->n_partitions++];

		partition->name = strdup(info->name);
		partition->topology = topology ? strdup(topology) : NULL;
		if (!partition->name || (topology && !partition->topology))
			return -1;
	}
	return 0;
}

/* All answers of slurmctld. */
struct answer {
	slurm_conf_t *conf;
	node_info_msg_t *nodes;
	job_info_msg_t *jobs;
	partition_info_msg_t *partitions;
};

static int ask(struct answer *answer, struct sgang_error *err)
{
	int rc = 0;

	if (sgang_libslurm_enter(err))
		return -1;
	if (slurm_load_ctl_conf(0, &answer->conf) ||
	    slurm_load_node(0, &answer->nodes, SHOW_ALL | SHOW_DETAIL) ||
	    slurm_load_jobs(0, &answer->jobs, SHOW_ALL | SHOW_DETAIL) ||
	    slurm_load_partitions(0, &answer->partitions, SHOW_ALL))
		rc = sgang_errf(err, EIO,
				"cannot read nodes and jobs from "
				"slurmctld: %s",
				sgang_libslurm_why());
	sgang_libslurm_leave();
	return rc;
}

int sgang_nodes_load(struct sgang_nodes *nodes, struct sgang_error *err)
{
	struct answer answer = { .conf = NULL };
	int rc = -1;

	memset(nodes, 0, sizeof(*nodes));
	if (ask(&answer, err))
		goto out;
	snprintf(nodes->cluster, sizeof(nodes->cluster), "%s",
		 answer.conf->cluster_name ? answer.conf->cluster_name : "");
	nodes->topology_conf = answer.conf->topology_plugin &&
			       (strstr(answer.conf->topology_plugin, "tree") ||
				strstr(answer.conf->topology_plugin, "block"));
	nodes->topology_yaml = PUBLIC_TOPOLOGY_YAML;
	if (sgang_libslurm_enter(err))
		goto out;
	rc = read_nodes(answer.nodes, nodes) ||
			     read_partitions(answer.partitions, nodes) ?
		     sgang_err_memory(err) :
		     read_jobs(answer.jobs, nodes, err);
	sgang_libslurm_leave();
out:
	public_free_conf(answer.conf);
	slurm_free_node_info_msg(answer.nodes);
	slurm_free_job_info_msg(answer.jobs);
	slurm_free_partition_info_msg(answer.partitions);
	if (rc)
		sgang_nodes_clear(nodes);
	return rc;
}

int sgang_nodes_look(const char *node, uint32_t *cores, char **gres)
{
	char *name = strdup(node);
	node_info_msg_t *message = NULL;
	const node_info_t *info;
	struct sgang_error err;
	int rc = -1;

	if (!name || sgang_libslurm_enter(&err))
		goto out;
	rc = slurm_load_node_single(&message, name, SHOW_ALL) ? -1 : 0;
	sgang_libslurm_leave();
	if (!rc && message->record_count != 1)
		rc = -1;
	if (rc)
		goto out;
	info = &message->node_array[0];
	*cores = (uint32_t)info->sockets * info->cores;
	*gres = strdup(info->gres ? info->gres : "");
	rc = *gres ? 0 : -1;
out:
	slurm_free_node_info_msg(message);
	free(name);
	return rc;
}
