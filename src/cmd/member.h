/* SPDX-License-Identifier: GPL-2.0-or-later */
/* member.h - members of a gang on the command line of sgang place
 *
 * "4x8:gpu:a100=4,mem=1000:nodes=n[1-8]": a shape, and words behind it for the
 * other needs of a member on each node, and for its nodes.
 */

#ifndef SGANG_MEMBER_H
#define SGANG_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/resources.h"
#include "core/base/err.h"
#include "core/fabric/fabric.h"
#include "core/plan/plan.h"

/* All members so far; begins as { 0 }. */
struct sgang_members {
	struct sgang_plan_member *member; /* for a plan, when they are
					   * settled */
	struct sgang_member_ask *ask;     /* by member: what its words say */
	size_t n;
	uint32_t *need; /* by member and resource */
};

/* Read the value of a --member and add so many members as it stands for.
 * Resources that are new are added. Returns 0, or -1 with EINVAL or ENOMEM and
 * 'err'. */
int sgang_members_add(struct sgang_members *members,
		      struct sgang_resources *resources, const char *text,
		      struct sgang_error *err);

/* Call when all members are known: fill their needs and the nodes where they
 * may be. 'plan' has the fabric and the resources of nodes already. Returns as
 * sgang_members_add(). */
int sgang_members_settle(struct sgang_members *members,
			 const struct sgang_plan_request *plan,
			 struct sgang_error *err);

/* True if they ask for slots on any nodes, and for nothing else. */
bool sgang_members_plain(const struct sgang_members *members);

void sgang_members_clear(struct sgang_members *members);

#endif
