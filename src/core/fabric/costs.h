/* SPDX-License-Identifier: GPL-2.0-or-later */
/* costs.h - the levels of a fabric: numbers, names, and what a hop costs */

#ifndef SGANG_COSTS_H
#define SGANG_COSTS_H

#include <stdbool.h>
#include <stdint.h>

/* Level numbers from the bottom. LEAF is that of the lowest domains, which are
 * leaf switches or blocks, or the NVLink domains below these
 * (sgang_costs.leaf); what is above counts on from there. */
enum {
	SGANG_LEVEL_ISLAND = 0,
	SGANG_LEVEL_NODE = 1,
	SGANG_LEVEL_LEAF = 2,
	SGANG_LEVEL_MAX = 12, /* highest switch level that is read */
	SGANG_LEVEL_UNCONNECTED = SGANG_LEVEL_MAX + 1,
	SGANG_LEVELS = SGANG_LEVEL_UNCONNECTED + 1
};

/* Cost of a ring hop, by the lowest level that contains both ends, bottom level
 * first, and what levels are called.
 * Source of the defaults: behaviours 4.14 (1, 4, 16) and design section 4. */
struct sgang_costs {
	uint32_t hop[SGANG_LEVELS];
	char name[SGANG_LEVELS][32];
	double bandwidth[SGANG_LEVELS]; /* of one hop, GB/s; 0: not known */
	double latency[SGANG_LEVELS];   /* of one hop, us; 0: not known */
	/* The level of leaf switches or blocks: LEAF, or the one above it where
	 * NVLink domains are below. A hop above this level crosses links. */
	uint32_t leaf;
	bool allow_unconnected; /* may one gang span two roots? */
};

/* The defaults: hop costs 1 2 4 16 64 ..., x4 a level, unconnected x4 above
 * the highest; names island node leaf spine core level5 level6 ... */
void sgang_costs_default(struct sgang_costs *costs);

/* The defaults of a fabric with NVLink domains of several nodes: 1 1 1 4 16 64
 * ..., island node nvlink leaf spine core level6 ... A hop within such a domain
 * is as cheap as one within a node, and a hop through a leaf switch costs the
 * same as in other fabrics. */
void sgang_costs_default_nvlink(struct sgang_costs *costs);

/* The level that is called 'name' in 'costs', or -1. Case is ignored. */
int sgang_costs_level(const struct sgang_costs *costs, const char *name);

/* Name of a level that has no other: "level5". */
void sgang_costs_numbered(char name[32], uint32_t level);

/* The names of the levels for a message, from the bottom up: "island, node,
 * leaf, spine, core". Levels above that are called by their number are left
 * out. Returns 'names'. */
#define SGANG_LEVEL_NAMES_SIZE (SGANG_LEVELS * 34)
const char *sgang_costs_names(const struct sgang_costs *costs,
			      char names[SGANG_LEVEL_NAMES_SIZE]);

#endif
