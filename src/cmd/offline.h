/* SPDX-License-Identifier: GPL-2.0-or-later */
/* offline.h - shared by the verbs that need no Slurm
 *
 * These verbs read a topology.conf and, if wanted, a gang.conf. Every node has
 * the same number of slots. The answer ends in the cost of a ring.
 */

#ifndef SGANG_OFFLINE_H
#define SGANG_OFFLINE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/islands.h"
#include "core/base/err.h"
#include "core/fabric/fabric.h"
#include "core/fabric/parallel.h"
#include "core/fabric/ring.h"
#include "core/gang/conf.h"

/* The most slots a node can have: as many as Slurm can count CPUs on a node. */
#define SGANG_SLOTS_MAX 65533

struct sgang_offline {
	const char *topology;  /* --topology, borrowed */
	const char *conf_path; /* --conf, borrowed; NULL: defaults */
	struct sgang_conf conf;
	struct sgang_fabric *fabric;
	struct sgang_islands *inside; /* NULL: nothing is known of it */
};

/* The places of a placement's runs: islands, where they are known, else nodes;
 * and the node of such a place. */
const struct sgang_fabric *
sgang_offline_places(const struct sgang_offline *offline);
uint32_t sgang_offline_node(const struct sgang_offline *offline,
			    uint32_t place);

/* The number of slots that all nodes have: 'slots', or where that is 0 (not
 * given) that of the nodes that gang.conf describes, else 0. Returns 0, or -1
 * with 'err' filled when both are given and differ. */
int sgang_offline_default_slots(const struct sgang_offline *offline,
				uint32_t *slots, struct sgang_error *err);

/* sgang_place() for a request of nodes; with islands the runs are over them.
 * 'others' (may be NULL) as there. */
int sgang_offline_plan(const struct sgang_offline *offline,
		       const struct sgang_plan_request *request,
		       struct sgang_placement **placement,
		       struct sgang_others *others, struct sgang_nofit *nofit,
		       struct sgang_error *err);

/* The placement of stock Slurm, as sgang_place_stock(). */
int sgang_offline_stock(const struct sgang_offline *offline,
			const struct sgang_plan_request *request,
			struct sgang_stock **stock, struct sgang_error *err);

/* Read the files that the two paths name. Returns 0, or -1 with 'err' filled.
 * In both cases sgang_offline_clear() ends it. */
int sgang_offline_load(struct sgang_offline *offline, struct sgang_error *err);
void sgang_offline_clear(struct sgang_offline *offline);

/* Read the value of --slots. Returns 0, or -1 with 'err' filled. */
int sgang_offline_slots(const char *value, uint32_t *slots,
			struct sgang_error *err);

/* A word of a node list, "n1", "n1:3" or "n1=8". */
struct sgang_node_word {
	uint32_t node;
	bool has_number;
	uint32_t number;
};

/* Expand 'text', a hostlist expression, and read the number behind 'mark' in
 * each of its names, at most 'max'. Returns 0 and an array to free() in
 * '*words', or -1 with 'err' filled (an unknown node, a bad number). */
int sgang_offline_words(const struct sgang_fabric *fabric, const char *text,
			char mark, uint32_t max, struct sgang_node_word **words,
			size_t *count, struct sgang_error *err);

/* Read the value of --parallel. Returns 0, or -1 with 'err' filled. */
int sgang_offline_parallel(const char *value, struct sgang_parallel *parallel,
			   struct sgang_error *err);

/* The answer on a ring and on the groups over its ranks. */
struct sgang_offline_cost {
	struct sgang_ring ring;
	const struct sgang_parallel *parallel; /* n 0: no groups */
	struct sgang_parallel_cost groups;
};

/* Put the cost into 'object', the hops by level too; and the form (answer.h) of
 * what was put there. */
void sgang_offline_json_cost(const struct sgang_offline *offline,
			     const struct sgang_offline_cost *cost,
			     struct json_object *object);
#define SGANG_OFFLINE_FORM_COST                                         \
	"ring_cost={ring_cost} cross_links={cross_links} tier={tier}"   \
	" ranks={ranks}[ weighted_cost={weighted_cost}]\n"              \
	"<groups|group={group} size={size} weight={weight} cost={cost}" \
	" cross_links={cross_links} tier={tier}\n>"

/* The same for the ring alone. */
void sgang_offline_json_ring(const struct sgang_costs *costs,
			     const struct sgang_ring *ring,
			     struct json_object *object);

#endif
