/* SPDX-License-Identifier: GPL-2.0-or-later */
/* draft.h - what the readers of fabric formats share with fabric.c
 *
 * A reader turns its source into a draft: switches with the place where they
 * are defined, who is whose child, which node hangs on which leaf. The draft
 * checks what is wrong in every format alike (cycles, too many levels, several
 * parents that make no tree, nodes on two leaves) and becomes a fabric in one
 * step, so that a bad source never leaves half a fabric behind. The reader of
 * topology.conf is here; that of topology.yaml, which needs libyaml, is in
 * src/files.
 */

#ifndef SGANG_FABRIC_PRIVATE_H
#define SGANG_FABRIC_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/conf_lines.h"
#include "fabric.h"

/* Which numbers of blocks are joined to larger ones: bit k stands for 2^k.
 * Source: BlockSizes= of topology.conf(5), Slurm 24.11 to 26.05. */
struct sgang_block_sizes {
	uint32_t base; /* nodes planned for a block; 0: no
			* size was given */
	uint32_t joined;
};

/* The most blocks that one size joins are 2 to the power of this. */
#define SGANG_BLOCK_POWER_MAX 15

struct sgang_fabric {
	char *names;         /* all names, one after the other */
	char *warning;       /* NULL: none */
	uint32_t *node_name; /* by node: offset in 'names' */
	uint32_t *order;     /* position -> node */
	uint32_t *pos;       /* node -> position */
	uint32_t *leaf;      /* by node: its leaf domain */
	uint32_t *hash;      /* node + 1 by name; 0 is empty */
	uint32_t hash_mask;
	uint32_t n_nodes;
	uint32_t n_domains;
	uint32_t top_level;
	bool of_switches;
	struct sgang_block_sizes sizes; /* base 0: there are no blocks */
	uint32_t block_level;           /* of a block by itself */
	struct sgang_domain *domain;
};

struct sgang_draft;

/* How messages call what nodes hang on. */
struct sgang_draft_words {
	const char *thing;  /* "switch" */
	const char *has;    /* a node is "on" a switch */
	const char *once;   /* where a node may be: "on one ..." */
	const char *define; /* what defines one, name follows */
	bool blocks;        /* or switches */
};

/* A topology.conf of 100,000 nodes that are named one by one has about two MiB;
 * what is far beyond that is some other file. */
#define SGANG_FABRIC_FILE_MAX (64 * 1024 * 1024)
#define SGANG_FABRIC_FILE_KIND "a topology file"

/* ---- drafts ---- */

/* 'nodes' as in sgang_fabric_parse(). NULL with errno EINVAL (a name twice) or
 * ENOMEM and 'err'. */
struct sgang_draft *sgang_draft_create(const char *const *nodes,
				       uint32_t n_nodes,
				       struct sgang_error *err);

/* NULL is fine. Keeps errno. */
void sgang_draft_destroy(struct sgang_draft *draft);

/* Say how messages call things; kept, not copied. Until then: switches of a
 * topology.conf. */
void sgang_draft_call(struct sgang_draft *draft,
		      const struct sgang_draft_words *words);

/* From now on the caller's node i hangs on what is called leaf[i] alone, wherever
 * else the source has it too; "": on nothing, NULL: on what the source says. Kept,
 * not copied. */
void sgang_draft_only(struct sgang_draft *draft, const char *const *leaf);

/* True if it knows what nodes there are, from the caller or from what was read
 * so far. */
bool sgang_draft_has_nodes(const struct sgang_draft *draft);

/* Define a switch or block; its number in '*number'. 0, or -1 with EINVAL (a
 * name that names several, defined before) or ENOMEM. 'place.file' is copied,
 * here and below. */
int sgang_draft_switch(struct sgang_draft *draft, const char *name,
		       struct sgang_place place, uint32_t *number,
		       struct sgang_error *err);

/* How many there are. */
uint32_t sgang_draft_switches(const struct sgang_draft *draft);

/* Hang the nodes of the host list expression 'list', which stands at 'place',
 * on switch 'leaf'. Nodes the caller does not know are only counted. 0, or -1
 * with EINVAL (not a list) or ENOMEM. A node on several leaves with the same
 * nodes hangs on what these become; on others it is left out. */
int sgang_draft_nodes(struct sgang_draft *draft, uint32_t leaf,
		      const char *list, struct sgang_place place,
		      struct sgang_error *err);

/* The line of the first node that is on another leaf as well; 0: none is. */
uint32_t sgang_draft_again(const struct sgang_draft *draft);

/* Note that there are these nodes, which hang nowhere yet. 0, or -1 with EINVAL
 * (not a list) or ENOMEM. */
int sgang_draft_know(struct sgang_draft *draft, const char *list,
		     struct sgang_place place, struct sgang_error *err);

/* Hang the switches of the list under switch 'parent'. They may be defined
 * later: sgang_draft_build() looks them up. 0, or -1 with ENOMEM. */
int sgang_draft_children(struct sgang_draft *draft, uint32_t parent,
			 const char *list, struct sgang_place place,
			 struct sgang_error *err);

/* Define a domain without a place of its own, which is named after the 'count'
 * switches from 'first' on and stands where the first of them does. The new
 * domain becomes the last switch. 0, or -1 with ENOMEM. */
int sgang_draft_group(struct sgang_draft *draft, uint32_t first, uint32_t count,
		      struct sgang_error *err);

/* Define a domain that is not looked up by its name, and whose level is known
 * (LEAF or above); it becomes the last switch. 0, or -1 with ENOMEM. */
int sgang_draft_domain(struct sgang_draft *draft, const char *name,
		       uint32_t level, struct sgang_place place,
		       struct sgang_error *err);

/* Hang switch 'child', which has no parent, under switch 'parent'. */
void sgang_draft_move(struct sgang_draft *draft, uint32_t child,
		      uint32_t parent);

/* Hang every node that is known on one switch called "flat". */
int sgang_draft_flat(struct sgang_draft *draft, struct sgang_error *err);

/* After all else has been read: the nodes of 'list' are joined by NVLink. These
 * nodes become the lowest domain 'name' below their leaf; every other node is
 * such a domain by itself. 0, or -1 with EINVAL (not a list, nodes on different
 * leaf switches, in two such domains) or ENOMEM. */
int sgang_draft_nvlink(struct sgang_draft *draft, const char *name,
		       const char *list, struct sgang_place place,
		       struct sgang_error *err);

/* The switches are blocks of these sizes. Without a base it is the number of
 * nodes in the first block that has some. */
void sgang_draft_size(struct sgang_draft *draft,
		      const struct sgang_block_sizes *sizes);

/* The fabric, or NULL with EINVAL (an unknown child, a cycle, parents that
 * make no tree, too many levels) or ENOMEM. The draft is used up and can only be destroyed. */
struct sgang_fabric *sgang_draft_build(struct sgang_draft *draft,
				       struct sgang_error *err);

/* ---- blocks ---- */

extern const struct sgang_draft_words sgang_block_words;

/* Take one size in nodes, the smallest first: the base, then what is the base
 * times a power of two. 0, or -1 with EINVAL and 'err', which names 'place'. */
int sgang_block_size(struct sgang_block_sizes *sizes, const char *word,
		     struct sgang_place place, struct sgang_error *err);

/* Join the blocks of 'draft', which are all its switches, to larger ones as
 * Slurm does: 2^k blocks that follow each other, the first of them having a
 * number that 2^k divides; what is left over at the end is joined too when it
 * is more than the size before holds. Without sizes 1, 2, 4, 8 and 16 are
 * joined. Above the largest size one last domain joins all there are. 0, or -1
 * with ENOMEM. */
int sgang_draft_join(struct sgang_draft *draft,
		     const struct sgang_block_sizes *sizes,
		     struct sgang_error *err);

/* ---- topology.conf ---- */

#define SGANG_LINE_KEYS 4

struct sgang_conf_reader {
	struct sgang_draft *draft;
	struct sgang_block_sizes sizes;
	struct sgang_error *err;
};

/* A line that may stand in a topology.conf. To add one: a rule in the file of
 * its kind and its row in topology_conf.c. */
struct sgang_line_rule {
	/* The same for all lines of a kind; a file has lines of one kind. */
	const struct sgang_draft_words *words;
	/* The keys, the first of which begins the line. NULL: no more. */
	const char *key[SGANG_LINE_KEYS];
	/* 'value' is by key; NULL: it is not there. 0, or -1 with errno and
	 * reader->err. */
	int (*take)(struct sgang_conf_reader *reader, struct sgang_place place,
		    char *const value[SGANG_LINE_KEYS]);
};

extern const struct sgang_line_rule sgang_switch_line;
extern const struct sgang_line_rule sgang_block_line;
extern const struct sgang_line_rule sgang_block_sizes_line;
extern const struct sgang_draft_words sgang_switch_words;

/* Read the text of a topology.conf into 'draft'. 'label' names it in messages,
 * and the files it includes are sought beside it. 0, or -1 with errno and
 * 'err'. */
int sgang_fabric_read_conf(struct sgang_draft *draft, const char *text,
			   const char *label, struct sgang_error *err);

/* The hash of a name. Names are found by open addressing in a table of a power
 * of two slots, in the draft and in the fabric. */
uint32_t sgang_fabric_hash(const char *name);

#endif
