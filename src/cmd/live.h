/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live.h - a running cluster at one moment: its records, and the scene of it */

#ifndef SGANG_LIVE_H
#define SGANG_LIVE_H

#include "cmd/gangs.h"
#include "cmd/jobs.h"
#include "cmd/nodes.h"
#include "cmd/scene.h"
#include "core/base/err.h"
#include "core/fabric/fabric.h"
#include "core/gang/conf.h"

/* Begins as { 0 }. */
struct sgang_live {
	struct sgang_nodes nodes;
	struct sgang_jobs jobs;
	struct sgang_gangs gangs;
	struct sgang_fabric *fabric; /* NULL: not loaded yet */
	struct sgang_scene *scene;   /* NULL: not drawn yet */
};

/* Ask slurmctld for its nodes and jobs. Returns 0, or -1 with 'err'; in both
 * cases 'live' is to be cleared. */
int sgang_live_load(struct sgang_live *live, struct sgang_error *err);

/* Make the scene from them and from 'fabric', over these nodes, which 'live'
 * owns from now on; NULL with 'err' filled is passed on. The scene is left open
 * (sgang_scene_close()) and borrows 'conf'. Returns 0, or -1 with 'err'. */
int sgang_live_draw(struct sgang_live *live, struct sgang_fabric *fabric,
		    const struct sgang_conf *conf, struct sgang_error *err);

void sgang_live_clear(struct sgang_live *live);

#endif
