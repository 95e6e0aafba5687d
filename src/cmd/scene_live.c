/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene_live.c - the scene of a running cluster, from slurmctld's records */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/scene_live.h"
#include "core/base/hostlist.h"
#include "core/gang/lists.h"
#include "core/gang/role_path.h"

static bool has_nodes(const struct sgang_jobrow *job)
{
	return (job->class == SGANG_ROW_HELD ||
		job->class == SGANG_ROW_RUNNING) &&
	       job->nodes[0];
}

/* '*told' becomes false if the record of a member with a place does not have
 * the order of its nodes. */
static int add_job(struct sgang_scene *scene, struct sgang_scene_gang *gang,
		   const struct sgang_nodes *nodes,
		   const struct sgang_jobrow *job, bool *told,
		   struct sgang_error *err)
{
	char **names, role[SGANG_ROLE_SIZE];
	size_t n, i, first = gang->n_stops;
	int rc, known;

	if (sgang_hostlist_expand(job->nodes, &names, &n, err))
		return -1;
	known = sgang_jobs_ring(job, names, n, err);
	rc = known < 0 ? -1 : 0;
	if (job->record.placed && !known)
		*told = false;
	for (i = 0; i < n && !rc; i++) {
		uint32_t node = sgang_fabric_find_node(scene->fabric, names[i]);

		if (node != SGANG_NODE_NONE)
			rc = sgang_scene_stop(
				gang, node,
				sgang_nodes_share(nodes, job->job_id, names[i]),
				job->record.placed, err);
	}
	sgang_hostlist_free(names);
	if (!rc && job->record.role[0])
		rc = sgang_scene_role(
			gang, first,
			sgang_role_path_names(job->record.role, role), err);
	return rc;
}

static void read_ring(const struct sgang_scene *scene,
		      const struct sgang_record *record,
		      struct sgang_scene_gang *gang)
{
	int tier;

	if (!record->placed)
		return;
	gang->ring.cost = record->ring_cost;
	gang->ring.cross_links = record->cross_links;
	gang->ring.ranks = record->ranks;
	/* names of levels may be others by now: then there is no table */
	(void)sgang_lists_read_hops(record->hops, scene->costs, &gang->ring);
	tier = sgang_costs_level(scene->costs, record->tier);
	gang->ring.tier = tier < 0 ? 0 : (uint32_t)tier;
	memcpy(gang->tier, record->tier, sizeof(gang->tier));
	gang->best = record->ring_best;
}

/* The gang's jobs are sorted: those that have a rank first, by it. */
static int add_gang(struct sgang_scene *scene, const struct sgang_nodes *nodes,
		    const struct sgang_gang *from, struct sgang_error *err)
{
	char name[SGANG_GANGS_NAME];
	struct sgang_scene_gang *gang;
	bool told = true;
	size_t i;

	sgang_gangs_name(from->record, name);
	gang = sgang_scene_gang(scene, name, sgang_phase_name(from->phase),
				err);
	if (!gang)
		return -1;
	gang->members = sgang_gangs_members(from);
	read_ring(scene, from->record, gang);
	for (i = 0; i < from->n_jobs; i++)
		if (has_nodes(from->jobs[i]) &&
		    add_job(scene, gang, nodes, from->jobs[i], &told, err))
			return -1;
	if (!told)
		gang->n_ring = 0; /* none rather than a wrong one */
	return 0;
}

/* The used slots of a node that no gang has. */
static int add_nodes(struct sgang_scene *scene, const struct sgang_nodes *nodes,
		     struct sgang_error *err)
{
	uint32_t *of_gangs = calloc(nodes->count + 1, sizeof(*of_gangs));
	size_t g, i;

	if (!of_gangs)
		return sgang_err_memory(err);
	for (g = 0; g < scene->n_gangs; g++)
		for (i = 0; i < scene->gang[g].n_stops; i++)
			of_gangs[scene->gang[g].stop[i].node] +=
				scene->gang[g].stop[i].slots;
	for (i = 0; i < nodes->count; i++) {
		const struct sgang_noderow *row = &nodes->row[i];

		sgang_scene_node(
			scene, (uint32_t)i, row->slots,
			row->used > of_gangs[i] ? row->used - of_gangs[i] : 0,
			row->down);
	}
	free(of_gangs);
	return 0;
}

int sgang_scene_live(struct sgang_scene *scene, const struct sgang_nodes *nodes,
		     const struct sgang_gangs *gangs, struct sgang_error *err)
{
	size_t i, j;

	scene->unit = nodes->gpus ? "GPU" : "CPU";
	snprintf(scene->cluster, sizeof(scene->cluster), "%s", nodes->cluster);
	for (i = 0; i < gangs->count; i++) {
		const struct sgang_gang *gang = &gangs->gang[i];

		for (j = 0; j < gang->n_jobs && !has_nodes(gang->jobs[j]); j++)
			;
		if (j < gang->n_jobs && add_gang(scene, nodes, gang, err))
			return -1;
	}
	return add_nodes(scene, nodes, err);
}
