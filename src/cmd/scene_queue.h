/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene_queue.h - all gangs for the page: what they wait for, hold, and until when */

#ifndef SGANG_SCENE_QUEUE_H
#define SGANG_SCENE_QUEUE_H

#include <json-c/json.h>

#include "cmd/gangs.h"

/* A list of objects: sgang_gangs_json() of each gang but for its nodes and the
 * counts of attempts, with
 *
 *   expected  when Slurm expects its first pending member to start
 *   ends      when the last of its members that run ends by its time limit, or
 *             of a gang that is over, when the last one ended
 *   places    where it looked for room: place, free and needed units
 *
 * Times are seconds since the epoch, null where nothing is known. To be dropped
 * with json_object_put(). */
struct json_object *sgang_scene_queue(const struct sgang_gangs *gangs);

#endif
