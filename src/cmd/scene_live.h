/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene_live.h - the scene of a running cluster, from slurmctld's records */

#ifndef SGANG_SCENE_LIVE_H
#define SGANG_SCENE_LIVE_H

#include "cmd/gangs.h"
#include "cmd/nodes.h"
#include "cmd/scene.h"
#include "core/base/err.h"

/* Put all nodes and all gangs that have some into the scene, whose fabric was
 * loaded with the names of 'nodes' in their order; sgang_scene_close() is left
 * to the caller. Members that started together stand in ring order; later
 * members are no part of the ring. The cost of a ring is taken from its record,
 * because that includes the inside of nodes. Returns 0, or -1 with 'err'. */
int sgang_scene_live(struct sgang_scene *scene, const struct sgang_nodes *nodes,
		     const struct sgang_gangs *gangs, struct sgang_error *err);

#endif
