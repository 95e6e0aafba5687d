/* SPDX-License-Identifier: GPL-2.0-or-later */
/* resources.h - slots and other resources on the command line of sgang place
 *
 * Words are "gpu=4" and the like, those of a node behind its slots:
 * "n[1-4]=8:gpu=4:mem=64000". Resources are numbered as they are first named,
 * slots being number 0. A resource with a type, "gpu:a100=4", counts as one of
 * any type, too.
 */

#ifndef SGANG_RESOURCES_H
#define SGANG_RESOURCES_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/fabric/fabric.h"
#include "core/plan/plan.h"

#define SGANG_RESOURCE_NAME_SIZE 32

struct sgang_resources {
	char name[SGANG_PLAN_DIMS][SGANG_RESOURCE_NAME_SIZE]; /* from 1 on */
	uint32_t n; /* with slots: 1 or more */
};

/* By number of the resource. */
struct sgang_amounts {
	uint32_t of[SGANG_PLAN_DIMS];
	uint32_t said, typed; /* bits: by itself; as the sum of
			       * types */
};

struct sgang_node_amounts {
	uint32_t node;
	struct sgang_amounts amounts;
};

/* Read the word at the beginning of the text, of so many letters, into amounts
 * that are 0 or come from words before it. Returns 0, or -1 with EINVAL and
 * 'err'. */
int sgang_resources_word(struct sgang_resources *resources, const char *text,
			 size_t length, struct sgang_amounts *amounts,
			 struct sgang_error *err);

/* Read the amounts of nodes, at most 'max' slots. Returns 0 and an array to
 * free() in '*list', or -1 with EINVAL (a node that is not known or is named
 * twice, a bad number) or ENOMEM, and 'err'. */
int sgang_resources_nodes(struct sgang_resources *resources,
			  const struct sgang_fabric *fabric, const char *text,
			  uint32_t max, struct sgang_node_amounts **list,
			  size_t *count, struct sgang_error *err);

#endif
