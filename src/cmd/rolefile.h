/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rolefile.h - a file that describes a gang as a tree of roles
 *
 *   gang: serve
 *   min: 2			# roles right below that must have theirs
 *   topology: require:spine
 *   options: [--exclusive]	# of sbatch, for all roles
 *   roles:
 *     - name: replica1
 *       min: 2
 *       topology: require:leaf
 *       weight: 10		# of the ring over all that is in it
 *       roles:
 *         - {name: encode, count: 1, options: [-N1], script: encode.sh}
 *         - {name: decode, min: 4, count: 6, options: [-N1], weight: 100}
 *     - {name: replica2, like: replica1}
 *
 * sgang place reads from the file of sgang submit how many members each role
 * has, how large they are by the options of sbatch, and the groups that they
 * are in. The gang itself is the first group.
 */

#ifndef SGANG_ROLEFILE_H
#define SGANG_ROLEFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/gang/policy.h"
#include "core/plan/plan.h"
#include "files/tree.h"

/* The name of the gang itself in messages and answers. */
#define SGANG_ROLEFILE_GANG "(gang)"

struct sgang_filerole {
	char *path; /* "replica1/decode" */
	uint32_t parent;
	uint32_t count; /* members; of one with roles in it, roles */
	uint32_t min;   /* so many of them are required */
	uint32_t weight;
	struct sgang_policy policy; /* require and prefer, or nothing */
	char *shape;                /* of a member, as sgang place --member has
				     * it; NULL: it has roles */
	size_t line;
};

struct sgang_rolefile {
	const char *path;            /* borrowed */
	struct sgang_tree *tree;     /* has the texts */
	struct sgang_filerole *role; /* each after the one it is in */
	uint32_t n;
};

/* Read 'path', which must outlive 'file'. Returns 0 and '*file', to be emptied
 * with sgang_rolefile_clear(), or -1 with errno and 'err' filled, which names
 * the file and, where there is one, the line. '*file' is then untouched. */
int sgang_rolefile_load(const char *path, struct sgang_rolefile *file,
			struct sgang_error *err);
void sgang_rolefile_clear(struct sgang_rolefile *file);

#endif
