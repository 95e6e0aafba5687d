/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model.h - what tests/live-random knows of a cluster and of a gang
 *
 * Nothing here is shared with src/: the rules are written down a second time,
 * so that a mistake shows as a difference.
 */

#ifndef LR_MODEL_H
#define LR_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define LR_NODES 32  /* of a cluster, at most: sets are bit masks */
#define LR_MEMBERS 8 /* of a gang, at most */
#define LR_LEVELS 4  /* of switches, at most */
#define LR_NONE UINT32_MAX

/* LR_SHARERS: not had by any node; how many of those that share CPUs use it. */
enum { LR_CPU, LR_MEM, LR_GPU, LR_SHARERS, LR_DIMS };

/* Kinds that can be switched on and off by name, see make.c. */
enum {
	LR_MIXED = 1 << 0, /* members that differ */
	LR_SHARE = 1 << 1, /* parts of nodes */
	LR_GRES = 1 << 2,
	LR_MEMORY = 1 << 3,   /* more of it than goes with the CPUs */
	LR_FLEXIBLE = 1 << 4, /* -n without -N */
	LR_POLICY = 1 << 5,   /* --gang-topology */
	LR_PARTITION = 1 << 6,
	LR_FEATURE = 1 << 7,
	LR_EXCLUDE = 1 << 8,
	LR_BATCH = 1 << 9,  /* batch jobs and arrays, a second each */
	LR_MODES = 1 << 10, /* nonstrict, min < total */
	LR_OVER = 1 << 11,  /* OverSubscribe=FORCE:n, YES:n and -s */
	LR_DRAIN = 1 << 12,
	LR_ORDER = 1 << 13,    /* --gang-rank */
	LR_SHOW = 1 << 14,     /* ask sgang, too */
	LR_REASON = 1 << 15,   /* count reasons again */
	LR_START = 1 << 16,    /* work out start times again */
	LR_GROUPS = 1 << 17,   /* --gang-groups of two gangs */
	LR_NODELIST = 1 << 18, /* -w */
	LR_RANK = 1 << 20,     /* --gang-rank-order=ring */
	LR_BEST = 1 << 19,     /* work out again what an empty cluster gives */
	LR_RESERVE = 1 << 21,  /* reservations of nodes for others */
	LR_PATIENT = 1 << 22,  /* prefer:LEVEL@TIME */
	LR_RANGE = 1 << 23,    /* -N2-4 */
	LR_PARALLEL = 1 << 26, /* --gang-parallel */
	LR_WEIGHT = 1 << 25,   /* of nodes, and WeightFirst */
	LR_MINIMUM = 1 << 24,  /* more members than the minimum, --gang-order */
	LR_WAITING = 1 << 27,  /* --gang-topology=auto */
	LR_ISLANDS = 1 << 28,  /* inside of nodes */
	LR_LOOSE = 1 << 29,    /* ranges in nonstrict gangs */
	LR_GPUS = 1 << 30,     /* --cpus-per-gpu */
};

struct lr_node {
	char name[16];
	uint32_t has[LR_DIMS];
	uint32_t used[LR_DIMS]; /* by others than the gang that is asked for */
	char gpu_type;          /* 'a', 'b'; 0: it has no GPUs */
	uint32_t features;      /* bit i: has feature f<i> */
	uint32_t parts;         /* bit i: is in partition p<i> */
	uint32_t islands;       /* of so many cores each; 1 or more */
	uint32_t weight;
	bool away;              /* drained or down */
	bool reserved;          /* for others */
	uint32_t up[LR_LEVELS]; /* its domain at each level, from the leaf up */
};

struct lr_cluster {
	uint64_t seed;
	uint32_t kinds;
	uint32_t n_nodes, n_levels, n_parts;
	uint32_t n_domains[LR_LEVELS];
	uint32_t rows; /* so many jobs share a CPU; 1: none */
	bool force;    /* ... and all do; else those that say so */
	struct lr_node node[LR_NODES];
	bool weighed, weight_first;
	bool inside;  /* some nodes have several islands */
	bool divided; /* nodes are islands: a member has one of each of the
		       * lowest domains */
	uint32_t hop[LR_NODES][LR_NODES]; /* cost; [i][i]: within it */
};

struct lr_member {
	uint32_t nodes; /* 0: as many as it takes */
	uint32_t least; /* ... of a range, the upper end of which is
			 * 'nodes'; 0: it has none */
	uint32_t upper; /* ... as it is asked for: Slurm may give fewer;
			 * 0: it is no range */
	uint32_t tasks; /* on each node; in all, where 'nodes' is 0 */
	uint32_t cpus;  /* of a task */
	uint32_t mem;   /* MB of each node; of a CPU, where 'nodes' is 0 */
	uint32_t gpus;  /* of each node */
	char gpu_type;  /* 0: any */
	bool gpu_cpus;  /* asked for as --cpus-per-gpu: a task for each GPU */
	bool whole;     /* --exclusive */
	bool shares;    /* CPUs, with others that do */
	uint32_t part;
	uint32_t feature;  /* LR_NONE: none */
	uint32_t excluded; /* bit masks of nodes: -x, -w */
	uint32_t required;
};

enum lr_policy {
	LR_ANYWHERE,
	LR_REQUIRE,
	LR_SPREAD,
	LR_PREFER,
	LR_EXCLUSIVE,
	LR_AUTO,
	LR_POLICIES
};

#define LR_GROUPS_MAX 3 /* of --gang-parallel */
#define LR_LAID_OUT 8   /* ranks of a gang with such, at most */

#define LR_NODE_LEVEL LR_LEVELS /* spread:node */
#define LR_LIMIT 600            /* minutes that members may run */

struct lr_gang {
	uint32_t number;
	uint32_t n_members, min;
	struct lr_member member[LR_MEMBERS];
	uint32_t rank[LR_MEMBERS]; /* --gang-rank of each; LR_NONE: not said */
	enum lr_policy policy;
	uint32_t level; /* of the policy: an index into up[] */
	bool batch, array, nonstrict;
	uint32_t n_groups; /* of --gang-parallel: a, b, c */
	uint32_t size[LR_GROUPS_MAX], heavy[LR_GROUPS_MAX];
	bool late; /* the last member says what the minimum is */
	uint32_t turn[LR_MEMBERS]; /* --gang-order of each; LR_NONE: not
				    * said */
	bool sorted;               /* --gang-rank-order=ring */
	bool patient;   /* prefer:LEVEL@60: for this hour it requires */
	uint32_t run;   /* --gang-run-time in minutes; 0: not said */
	uint32_t share; /* --gang-comm-share in thousandths; 0: not said */
	uint32_t split; /* members from here on are a gang of their own
			 * in a group with the first; 0: one gang */
};

/* Where a member is: its nodes in ring order. */
struct lr_place {
	uint32_t n;
	uint8_t node[LR_NODES];
};

/* -- make.c: the same for the same seed on every machine -- */

uint32_t lr_random(uint64_t *state, uint32_t below);
/* In words, as in "mixed,share"; "all" or "" for all. Exits if one is unknown.
 */
uint32_t lr_kinds(const char *words);
void lr_make_cluster(struct lr_cluster *c, uint64_t seed, uint32_t kinds);
/* What contrib/cluster.sh is to be told: node lines, topology.conf. */
void lr_print_nodes(const struct lr_cluster *c, FILE *out);
void lr_print_conf(const struct lr_cluster *c, FILE *out);
void lr_print_topology(const struct lr_cluster *c, FILE *out);
void lr_make_gang(const struct lr_cluster *c, struct lr_gang *g,
		  uint64_t *random);
/* One line for people. */
void lr_print_gang(const struct lr_cluster *c, const struct lr_gang *g,
		   FILE *out);
const char *lr_level_name(uint32_t level);
/* May these members be the first to start, by --gang-order? */
bool lr_in_turn(const struct lr_gang *g, uint32_t set);
uint32_t lr_ranks(const struct lr_gang *g);

/* -- search.c -- */

/* How many CPUs of a node are left for 'm'. Where they are shared, all requests
 * and all nodes have powers of two, and members one node each: whatever fits by
 * the sum has a row, if each is put into the first with room. */
uint32_t lr_cpus_left(const struct lr_cluster *c, const struct lr_member *m,
		      uint32_t node, const uint32_t used[LR_DIMS]);
/* How many tasks of 'm' fit on a node that has so much in use; for a member
 * with a number of nodes 1 or 0. */
uint32_t lr_room(const struct lr_cluster *c, const struct lr_member *m,
		 uint32_t node, const uint32_t used[LR_DIMS]);
/* May 'm' ever have this node? */
bool lr_allowed(const struct lr_cluster *c, const struct lr_member *m,
		uint32_t node);
/* 1: it can start on what is not in use; 0: it cannot; -1: not decided. In
 * found[], bit masks: the nodes of each member. */
int lr_fits(const struct lr_cluster *c, const struct lr_gang *g,
	    uint32_t found[LR_MEMBERS]);
/* Cost and weight, of which one comes before the other. */
uint64_t lr_price(const struct lr_cluster *c, uint32_t cost, uint32_t weight);
uint32_t lr_price_cost(const struct lr_cluster *c, uint64_t price);
/* What comes first: is one better than the other by that? */
bool lr_cheaper(uint64_t a, uint64_t b);
/* What these nodes weigh for 'g': each what it is above the lightest one that
 * has room for a member. */
uint32_t lr_weight(const struct lr_cluster *c, const struct lr_gang *g,
		   uint32_t nodes);
/* The least price below 'below', with its nodes, or 'below' if there is none.
 * '*done' tells if the search was finished. */
uint64_t lr_least(const struct lr_cluster *c, const struct lr_gang *g,
		  uint64_t below, uint32_t found[LR_MEMBERS], bool *done);
/* The same for the weighted cost of its communication groups. */
uint64_t lr_least_weighted(const struct lr_cluster *c, const struct lr_gang *g,
			   uint32_t found[LR_MEMBERS], bool *done);
/* -- islands.c -- */

/* An hwloc file of a node. */
void lr_print_shape(uint32_t cores, uint32_t islands, FILE *out);

/* -- groups.c -- */

/* The weighted cost with these nodes, by rank. */
uint64_t lr_weighted(const struct lr_cluster *c, const struct lr_gang *g,
		     const uint8_t *node);
/* The least one with the ranks in any order on so many places of each node,
 * below 'below'; else 'below'. */
uint64_t lr_best_layout(const struct lr_cluster *c, const struct lr_gang *g,
			const uint8_t places[LR_NODES], uint64_t below);

/* -- search.c -- */

/* The ring cost of what it has. */
uint32_t lr_cost(const struct lr_cluster *c, const struct lr_gang *g,
		 const struct lr_place *place, uint32_t *cross, uint32_t *tier);

#endif
