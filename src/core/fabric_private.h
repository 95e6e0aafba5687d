/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric_private.h - what the readers of fabric formats share with fabric.c
 *
 * A reader turns its source into a draft: switches with the place where they
 * are defined, who is whose child, which node hangs on which leaf. The draft
 * checks what is wrong in every format alike (two parents, two leaves, cycles,
 * too many levels) and becomes a fabric in one step, so that a bad source never
 * leaves half a fabric behind.
 */

#ifndef SGANG_FABRIC_PRIVATE_H
#define SGANG_FABRIC_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric.h"

struct sgang_fabric {
	char *names;			/* all names, one after the other */
	uint32_t *node_name;		/* by node: offset in 'names' */
	uint32_t *order;		/* position -> node */
	uint32_t *pos;			/* node -> position */
	uint32_t *leaf;			/* by node: its leaf domain */
	uint32_t *hash;			/* node + 1 by name; 0 is empty */
	uint32_t hash_mask;
	uint32_t n_nodes;
	uint32_t n_unknown;
	uint32_t n_domains;
	uint32_t top_level;
	struct sgang_domain *domain;
};

struct sgang_draft;

/* Where something is defined. */
struct sgang_place {
	const char *file;
	uint32_t line;			/* 0: nowhere */
};

/* One format that a fabric can be read from. */
struct sgang_fabric_ops {
	const char *name;
	/* Is 'text' of this format? NULL: yes, whatever it is. */
	bool (*probe)(const char *text);
	/* Read 'text' into 'draft'. 'label' names it in messages, and the
	 * files it includes are sought beside it. 0, or -1 with errno and
	 * 'err'. */
	int (*read)(struct sgang_draft *draft, const char *text,
		    const char *label, struct sgang_error *err);
};

extern const struct sgang_fabric_ops sgang_fabric_tree;

/* Read a whole file. Returns a string the caller frees, or NULL with errno
 * (those of open and read, EINVAL too large or not text, ENOMEM) and 'err'. */
char *sgang_fabric_slurp(const char *path, struct sgang_error *err);

/* 'nodes' as in sgang_fabric_load(). NULL with errno EINVAL (a name twice) or
 * ENOMEM and 'err'. */
struct sgang_draft *sgang_draft_create(const char *const *nodes,
				       uint32_t n_nodes,
				       struct sgang_error *err);

/* NULL is fine. Keeps errno. */
void sgang_draft_destroy(struct sgang_draft *draft);

/* Define a switch; its number in '*number'. 0, or -1 with EINVAL (defined
 * before) or ENOMEM. 'place.file' is copied. */
int sgang_draft_switch(struct sgang_draft *draft, const char *name,
		       struct sgang_place place, uint32_t *number,
		       struct sgang_error *err);

/* How many switches there are. */
uint32_t sgang_draft_switches(const struct sgang_draft *draft);

/* Hang node 'name' on switch 'leaf'. A node the caller does not know is only
 * counted. 0, or -1 with EINVAL (it hangs on another leaf) or ENOMEM. */
int sgang_draft_node(struct sgang_draft *draft, uint32_t leaf,
		     const char *name, struct sgang_error *err);

/* Hang switch 'name' under switch 'parent'. 0, or -1 with EINVAL (no such
 * switch, it has another parent). */
int sgang_draft_child(struct sgang_draft *draft, uint32_t parent,
		      const char *name, struct sgang_error *err);

/* The fabric, or NULL with EINVAL (a cycle, too many levels) or ENOMEM. The
 * draft is used up and can only be destroyed. */
struct sgang_fabric *sgang_draft_build(struct sgang_draft *draft,
				       struct sgang_error *err);

/* The hash of a name. Names are found by open addressing in a table of a power
 * of two slots, in the draft and in the fabric. */
uint32_t sgang_fabric_hash(const char *name);

#endif
