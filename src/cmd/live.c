/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live.c - a running cluster at one moment */

#include <time.h>

#include "cmd/live.h"
#include "cmd/scene_queue.h"
#include "cmd/scene_live.h"

int sgang_live_load(struct sgang_live *live, struct sgang_error *err)
{
	return sgang_nodes_load(&live->nodes, err) ||
			       sgang_jobs_load(&live->jobs, err) ||
			       sgang_gangs_build(&live->jobs, &live->gangs,
						 err) ?
		       -1 :
		       0;
}

int sgang_live_draw(struct sgang_live *live, struct sgang_fabric *fabric,
		    const struct sgang_conf *conf, struct sgang_error *err)
{
	live->fabric = fabric;
	if (fabric)
		live->scene = sgang_scene_create(fabric, &conf->costs, err);
	if (!live->scene)
		return -1;
	live->scene->when = (int64_t)time(NULL);
	live->scene->queue = sgang_scene_queue(&live->gangs);
	return sgang_scene_live(live->scene, &live->nodes, &live->gangs, err);
}

void sgang_live_clear(struct sgang_live *live)
{
	sgang_scene_destroy(live->scene);
	sgang_fabric_destroy(live->fabric);
	sgang_gangs_clear(&live->gangs);
	sgang_jobs_clear(&live->jobs);
	sgang_nodes_clear(&live->nodes);
	live->scene = NULL;
	live->fabric = NULL;
}
