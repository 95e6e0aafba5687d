/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map.h - where each rank of a gang is, in the words of those who need it
 *
 *   member 0: job 7, ranks from 0     member 1: job 8, ranks from 4
 *     n3: ranks 0 1   n1: 2 3           n2: 4 5   n4: 6 7
 *
 * Of the GPUs that a job has on a node, rank L of its R ranks there has number
 * L * GPUs / R and those up to the next rank's; the same with its cores. With
 * as many GPUs as ranks that is one each.
 */

#ifndef SGANG_MAP_H
#define SGANG_MAP_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/alloc.h"
#include "core/base/err.h"
#include "core/fabric/node_topo.h"

/* The most ranks of a gang that can be listed. */
#define SGANG_MAP_RANKS_MAX 10000000

struct sgang_map_node {
	const struct sgang_alloc_node *has; /* borrowed */
	const struct sgang_node_topo *topo; /* borrowed; NULL: not known */
	uint32_t ranks;
	bool backwards; /* its first rank has the last share */
};

struct sgang_map_member {
	uint32_t job_id;
	const char *role; /* borrowed; NULL: the gang is no tree of
			   * groups */
	uint32_t member_rank;
	uint64_t first;              /* its first place in the ring */
	uint32_t *rank;              /* by place from there on: the
				      * rank; NULL: the place */
	struct sgang_map_node *node; /* in ring order */
	size_t n;
};

/* Put the ranks of a member on its nodes. 'ring' has the names of all nodes of
 * 'alloc' in ring order. The member borrows 'alloc'. Returns 0 and a member to
 * be emptied with sgang_map_clear(), or -1 with 'err': other names (EINVAL),
 * too many ranks, no memory. */
int sgang_map_fill(struct sgang_map_member *member,
		   const struct sgang_alloc *alloc, uint64_t ranks,
		   char *const *ring, struct sgang_error *err);
void sgang_map_clear(struct sgang_map_member *member);

/* Communication groups may lay ranks out in another order than that of the
 * ring. 'text' is the list of the member's ranks, in ring order: "0-3,8-11",
 * the record's layout=; "" is the order of the ring. Call it once the member is
 * filled. Returns 0, or -1 with errno EINVAL (not so many ranks, "?": the
 * record had no room for them) or ENOMEM and 'err'. */
int sgang_map_layout(struct sgang_map_member *member, const char *text,
		     struct sgang_error *err);

/* If GPU i of every node is at leaf switch i, its rail, a hop between nodes is
 * short if both ends have GPUs of one number. This lets every second node of
 * the ring give out its GPUs and cores from the last to the first: the last GPU
 * of a node is then followed by the same one of the next (behaviour 4.33). With
 * an odd number of nodes the hop that closes the ring changes rails. */
void sgang_map_rails(struct sgang_map_member *members, size_t n);

/* All that follows lists ranks by number. -1, or NULL, with ENOMEM. */

/* A line with its node for each rank. */
int sgang_map_hostfile(FILE *out, const struct sgang_map_member *members,
		       size_t n, struct sgang_error *err);

/* "rank 0=n1 slot=0:0-1" for each rank, as mpirun --rankfile of Open MPI reads
 * it: socket and cores, numbered from 0 on each socket; what is no range
 * follows behind ";", as in "0:0-1;1:0". Ranks are numbered from 0 without
 * gaps. Returns 0, or -1 with 'err': ENODATA when Slurm does not know the
 * cores. */
int sgang_map_rankfile(FILE *out, const struct sgang_map_member *members,
		       size_t n, struct sgang_error *err);

/* An array with an object for each rank; rank counts over the whole gang, and
 * local_rank over the ranks of its job on the node. */
struct json_object *sgang_map_json(const struct sgang_map_member *members,
				   size_t n);

#endif
