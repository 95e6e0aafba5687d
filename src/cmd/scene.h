/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene.h - what a picture of a fabric shows, but not how it looks
 *
 * Each node has slots, and each slot is one of five kinds. A gang is a row of
 * stops in the order of its ring; it is drawn through the nodes of the first
 * n_ring stops and back.
 *
 *   sgang_scene_create(), then _node(), _gang() and _stop() as often as needed,
 *   then _close(); from there on the scene is only read.
 */

#ifndef SGANG_SCENE_H
#define SGANG_SCENE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/fabric/fabric.h"
#include "core/fabric/ring.h"

/* In the order in which the slots of a node are drawn. */
enum sgang_scene_kind {
	SGANG_SCENE_THIS, /* of the gang that is picked */
	SGANG_SCENE_GANG, /* of another gang */
	SGANG_SCENE_BUSY, /* of jobs without a gang */
	SGANG_SCENE_FREE,
	SGANG_SCENE_DOWN, /* all slots of a node that is down */
	SGANG_SCENE_KINDS
};

#define SGANG_SCENE_NONE SIZE_MAX
#define SGANG_SCENE_NO_ROLE UINT32_MAX

struct sgang_scene_node {
	uint32_t slots;
	uint32_t busy;                    /* of jobs without a gang */
	bool down;                        /* takes no new job */
	uint32_t kind[SGANG_SCENE_KINDS]; /* add up to slots */
};

/* A member of a gang on a node. */
struct sgang_scene_stop {
	uint32_t node;
	uint32_t role;  /* of the gang's; SGANG_SCENE_NO_ROLE */
	uint32_t slots; /* 0: it is there, but has none of what
			 * is counted */
};

struct sgang_scene_gang {
	char *name;        /* "alice/train" */
	const char *phase; /* static */
	uint32_t members;  /* that have not ended; 0: not known */
	struct sgang_scene_stop *stop;
	size_t n_stops;
	size_t n_ring;  /* the first ones, in ring order */
	uint64_t slots; /* of all stops */
	char **role;    /* of a tree of groups: those of its members, each once,
			 * in the order of the stops */
	uint32_t n_roles;
	/* what its ring costs; all 0 and "" without a ring */
	struct sgang_ring ring;
	char tier[32];
	uint64_t best; /* in an empty cluster; 0: not known */
};

struct sgang_scene {
	char cluster[64];                  /* its name; "": not known */
	const struct sgang_fabric *fabric; /* borrowed */
	const struct sgang_costs *costs;   /* borrowed */
	struct sgang_scene_node *node;     /* by node index */
	struct sgang_scene_gang *gang;
	size_t n_gangs;
	size_t picked;             /* a gang, or SGANG_SCENE_NONE */
	const char *unit;          /* what a slot is, "slot", "CPU", "GPU";
			      * static */
	uint32_t most_slots;       /* of the largest node */
	int64_t when;              /* it looked so, in seconds since the
			      * epoch; 0: no moment */
	struct json_object *queue; /* queue.h, also of gangs without nodes;
				    * NULL: there is none */
};

/* An empty scene: nodes without slots. NULL with ENOMEM and 'err'. */
struct sgang_scene *sgang_scene_create(const struct sgang_fabric *fabric,
				       const struct sgang_costs *costs,
				       struct sgang_error *err);
/* NULL is fine. Keeps errno. */
void sgang_scene_destroy(struct sgang_scene *scene);

void sgang_scene_node(struct sgang_scene *scene, uint32_t node, uint32_t slots,
		      uint32_t busy, bool down);

/* Add a gang without stops; its name is copied. Returns the gang, valid until
 * the next is added, or NULL with ENOMEM and 'err'. */
struct sgang_scene_gang *sgang_scene_gang(struct sgang_scene *scene,
					  const char *name, const char *phase,
					  struct sgang_error *err);

/* Add a stop behind the others; with 'ring' it is one of the ring, and so must
 * be those before it. Returns 0, or -1 with ENOMEM and 'err'. */
int sgang_scene_stop(struct sgang_scene_gang *gang, uint32_t node,
		     uint32_t slots, bool ring, struct sgang_error *err);

/* The stops from 'first' on, up to the last that was added, are of a member with
 * this role: the names of its groups, which are copied. Returns 0, or -1 with
 * ENOMEM and 'err'. */
int sgang_scene_role(struct sgang_scene_gang *gang, size_t first,
		     const char *role, struct sgang_error *err);

/* The nodes of a role as a host list, each once, in the order of the stops. To
 * be freed; NULL with ENOMEM. */
char *sgang_scene_role_nodes(const struct sgang_scene *scene,
			     const struct sgang_scene_gang *gang,
			     uint32_t role);

/* Call when all is added. Counts the kinds of slots; if jobs have more than a
 * node has, the rest is cut off, gangs last. */
void sgang_scene_close(struct sgang_scene *scene);

/* The gang of that name, "NAMESPACE/NAME" or, if only one gang has it, "NAME".
 * SGANG_SCENE_NONE: none, or several. */
size_t sgang_scene_find(const struct sgang_scene *scene, const char *name);

/* The contents of a domain. */
struct sgang_scene_sum {
	uint32_t nodes;
	uint32_t down; /* nodes */
	uint64_t slots;
	uint64_t kind[SGANG_SCENE_KINDS];
	/* All slots are of one kind, which is this; else KINDS. A domain
	 * without slots is not of one kind. */
	enum sgang_scene_kind all;
};
void sgang_scene_sum(const struct sgang_scene *scene, uint32_t domain,
		     struct sgang_scene_sum *sum);

/* An arrow of a ring, between two different nodes. */
struct sgang_scene_hop {
	uint32_t from, to;
	uint32_t level; /* at which they meet */
	bool costly;    /* a cross link: it leaves a leaf switch
			 * or block */
};

/* The arrow that leaves stop 'i' of the ring. False: the ring stays on the
 * node. */
bool sgang_scene_hop(const struct sgang_scene *scene,
		     const struct sgang_scene_gang *gang, size_t i,
		     struct sgang_scene_hop *hop);

/* The name of a kind: "free", "busy", "down", ... */
const char *sgang_scene_kind(enum sgang_scene_kind kind);

/* Share out 'n' marks for 'total' slots: each kind that occurs gets one if
 * there are enough, and the others are shared by size. With n >= total each
 * slot has its own. */
void sgang_scene_marks(const uint64_t kind[SGANG_SCENE_KINDS], uint32_t n,
		       uint32_t marks[SGANG_SCENE_KINDS]);

/* True for the leaf of a node that is in no switch. Pictures do not show it as
 * a place. */
bool sgang_scene_alone(const struct sgang_scene *scene, uint32_t domain);

#endif
