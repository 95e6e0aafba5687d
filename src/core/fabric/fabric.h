/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric.h - the tree of places: node, leaf switch, ..., root
 *
 *                    core (level 4)
 *                  /              \
 *            spine (3)           spine (3)
 *            /     \             /     \
 *       leaf (2)  leaf (2)  leaf (2)  leaf (2)
 *        / | \     / | \     / | \     / | \
 *       n1 n2 n3  ...                              nodes, level 1
 *
 * A domain is a switch of this tree, a block of nodes, a larger block, an
 * NVLink domain of several nodes below a leaf, or the single invisible root
 * that is set above several real ones (level "unconnected"). Nodes are numbered
 * twice: by index (the caller's order, Slurm's own in slurmctld) and by
 * position (depth-first order of the tree), so that the nodes of every domain are one
 * run of positions. Children are ordered by the lowest node index they hold.
 */

#ifndef SGANG_FABRIC_H
#define SGANG_FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/nodeset.h"
#include "costs.h"

#define SGANG_DOMAIN_NONE UINT32_MAX

struct sgang_domain {
	const char *name;     /* "" for the invisible root */
	uint32_t level;       /* SGANG_LEVEL_LEAF or above */
	uint32_t parent;      /* SGANG_DOMAIN_NONE at the top */
	uint32_t first_child; /* children are numbered in a row */
	uint32_t n_children;  /* 0 for a leaf */
	uint32_t first_pos;   /* its nodes: positions first_pos .. */
	uint32_t n_nodes;     /* ... first_pos + n_nodes - 1 */
	uint32_t line;        /* where the file defines it; 0: nowhere */
};

struct sgang_fabric;

/* Read the text of a topology.conf, of the tree kind (SwitchName= Switches=
 * Nodes= LinkSpeed=) or of the block kind (BlockName= Nodes= BlockSizes=), with
 * hostlists, comments, continuation lines, Include. 'label' is its path, for
 * messages and included files. Files are read by sgang_fabric_load_file() of
 * src/files, which knows topology.yaml too.
 *
 * 'nodes' (may be NULL) are the names that exist, in the caller's order: node
 * i of the fabric is nodes[i], names in the file that are not among them are
 * dropped, and nodes the file puts in no switch become roots of their own; if it
 * has neither switch nor block they are all on one leaf called "flat". With
 * NULL the nodes are those of the file, in the order of their names
 * (sgang_text_compare()), which is that of slurmctld. The names are copied.
 *
 * Levels are heights: a switch with nodes is a leaf, a parent is one above its
 * highest child. Switches with the same nodes of which none is above the other,
 * such as the spines over the same leaves, are one domain, called after all of
 * them. A node on two leaves that are not one is left out, as if it were in no
 * switch; see sgang_fabric_warning(). A block is a leaf, each size of larger blocks one level above
 * the size before.
 *
 * Returns a fabric to free with sgang_fabric_destroy(), or NULL with errno
 * (EINVAL what is in it, ENOMEM) and 'err' saying file:line and what was
 * expected: unknown key, junk, switches beside blocks, a switch with both or
 * neither of Nodes and Switches, one defined twice, an unknown child, a cycle,
 * two switches that have some nodes in common and others each (both lines
 * named), a block size that is not the first one times a power of two, nothing at all
 * where 'nodes' is NULL, more levels than SGANG_LEVEL_MAX. */
struct sgang_fabric *sgang_fabric_parse(const char *text, const char *label,
					const char *const *nodes,
					uint32_t n_nodes,
					struct sgang_error *err);

/* No topology at all: every node on one leaf called "flat". */
struct sgang_fabric *sgang_fabric_flat(const char *const *nodes,
				       uint32_t n_nodes,
				       struct sgang_error *err);

/* NULL is fine. Keeps errno. */
void sgang_fabric_destroy(struct sgang_fabric *fabric);

/* NULL, or one sentence with file:line about nodes that the file has on two leaves
 * and that therefore are on none. Borrowed until the fabric is destroyed. */
const char *sgang_fabric_warning(const struct sgang_fabric *fabric);

uint32_t sgang_fabric_nodes(const struct sgang_fabric *fabric);

/* Borrowed until the fabric is destroyed. */
const char *sgang_fabric_node_name(const struct sgang_fabric *fabric,
				   uint32_t node);
/* SGANG_NODE_NONE when there is no such node. */
uint32_t sgang_fabric_find_node(const struct sgang_fabric *fabric,
				const char *name);

/* index <-> depth-first position; both arrays have one entry per node and are
 * borrowed until the fabric is destroyed. */
const uint32_t *sgang_fabric_order(const struct sgang_fabric *fabric);
const uint32_t *sgang_fabric_pos(const struct sgang_fabric *fabric);

/* Domains, the top one first (domain 0 holds every node), parents before
 * children. Borrowed until the fabric is destroyed. */
uint32_t sgang_fabric_domains(const struct sgang_fabric *fabric);
const struct sgang_domain *
sgang_fabric_domain(const struct sgang_fabric *fabric, uint32_t domain);
/* The leaf of a node. A node that is in no switch has a leaf of its own,
 * directly under the invisible root, with its node's name. */
uint32_t sgang_fabric_leaf(const struct sgang_fabric *fabric, uint32_t node);

/* The highest domain of a node that is not above 'level'; SGANG_DOMAIN_NONE
 * when there is none: then the node is by itself. */
uint32_t sgang_fabric_within(const struct sgang_fabric *fabric, uint32_t node,
			     uint32_t level);

/* Is it a tree of switches, as topology/tree knows it? Else it is blocks, or no
 * file describes it. */
bool sgang_fabric_of_switches(const struct sgang_fabric *fabric);

/* What a set of nodes that must be in one block of topology/block may span. */
struct sgang_block_span {
	uint32_t level;   /* the lowest whose blocks are made for so many;
			   * SGANG_LEVEL_UNCONNECTED: none is */
	uint32_t n_parts; /* how many blocks of the size below it may be in;
			   * 0: in all there are */
	uint32_t part;    /* the nodes that one of these is made for */
	uint32_t part_level;
};

/* 'nodes' is 1 or more. False: there are no blocks. Source: BlockSizes= of
 * topology.conf(5), and what topology/block of Slurm 24.11 to 26.05 does. */
bool sgang_fabric_block_span(const struct sgang_fabric *fabric, uint32_t nodes,
			     struct sgang_block_span *span);

/* The nodes that a block by itself is made for; 0: there are no blocks. */
uint32_t sgang_fabric_block_base(const struct sgang_fabric *fabric);

/* False for a node that the file puts in no block, and if there are none. */
bool sgang_fabric_in_block(const struct sgang_fabric *fabric, uint32_t node);

/* The highest level below UNCONNECTED that exists. */
uint32_t sgang_fabric_top_level(const struct sgang_fabric *fabric);

/* The level at which two nodes meet: ISLAND when a == b (a node without hwloc
 * data is one island), SGANG_LEVEL_UNCONNECTED when no switch joins them. */
uint32_t sgang_fabric_meet(const struct sgang_fabric *fabric, uint32_t a,
			   uint32_t b);

/* Add to 'out' the nodes of every domain of this level that has one of 'nodes';
 * a node that is in none is added alone. */
void sgang_fabric_widen(const struct sgang_fabric *fabric,
			const struct sgang_nodeset *nodes, uint32_t level,
			struct sgang_nodeset *out);

/* Move into 'part', emptied before, those of 'nodes' that are in one domain of
 * this level with the first of them; a node that is in none is moved alone.
 * False: 'nodes' was empty. */
bool sgang_fabric_split(const struct sgang_fabric *fabric,
			struct sgang_nodeset *nodes, uint32_t level,
			struct sgang_nodeset *part);

#endif
