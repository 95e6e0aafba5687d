/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site_private.h - between the files that read a cluster
 *
 * site.c finds the form of a file. site_conf.c reads slurm.conf, site_shown.c
 * what scontrol prints; both write down in a draft (site_draft.c) what they
 * find, which becomes a site when all is read: a partition may name nodes of
 * later lines.
 */

#ifndef SGANG_SITE_PRIVATE_H
#define SGANG_SITE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/conf_lines.h"
#include "core/base/err.h"
#include "core/base/pool.h"
#include "site.h"

/* A node, or one of FUTURE, which is left out. */
struct sgang_site_draft_node {
	struct sgang_site_node node;
	const char *features;
	bool future;
	uint32_t index; /* in the site */
	uint32_t line;
};

struct sgang_site_draft_partition {
	struct sgang_site_partition partition;
	const char *nodes; /* host lists and sets of nodes, or ALL */
	bool has_default_time, has_preempt_mode;
	uint32_t line;
	const char *file;
};

struct sgang_site_draft_set {
	const char *name;
	const char *nodes;   /* "": none */
	const char *feature; /* "": none */
	uint32_t line;
	const char *file;
};

struct sgang_site_draft {
	struct sgang_site *site;
	struct sgang_site_draft_node *nodes;
	size_t n_nodes;
	struct sgang_site_draft_partition *partitions;
	size_t n_partitions;
	struct sgang_site_draft_set *sets;
	size_t n_sets;
	bool requeues, preempted; /* PreemptMode of the cluster */
	struct sgang_error *err;
};

/* A copy of 'text' that ends with the site. NULL without memory, and 'err'. */
const char *sgang_site_text(struct sgang_site_draft *draft, const char *text);

/* Take all nodes of the host list 'names', which are like 'node'. Returns 0, or
 * -1 with 'err'. */
int sgang_site_add_nodes(struct sgang_site_draft *draft, const char *names,
			 const struct sgang_site_draft_node *node,
			 struct sgang_place place);
int sgang_site_add_partition(struct sgang_site_draft *draft,
			     const struct sgang_site_draft_partition *partition,
			     struct sgang_place place);
int sgang_site_add_set(struct sgang_site_draft *draft,
		       const struct sgang_site_draft_set *set,
		       struct sgang_place place);

/* What Slurm does where a partition says nothing. */
void sgang_site_partition_init(struct sgang_site_draft_partition *partition);

/* Make the site of all that was read. Returns 0, or -1 with 'err'. */
int sgang_site_build(struct sgang_site_draft *draft, const char *label);

/* All that is not in the site. */
void sgang_site_draft_clear(struct sgang_site_draft *draft);

/* -- site_words.c: values of slurm.conf that scontrol prints, too -- */

/* "gpu:a100:4(S:0-1),mps:100" has 4 GPUs. 0, or -1 with EINVAL. */
int sgang_site_gpus(const char *gres, uint32_t *gpus);

/* Takes one value of a partition. Returns 1, 0 if 'key' does not count here, or
 * -1 with 'err'. */
int sgang_site_partition_key(struct sgang_site_draft_partition *partition,
			     const char *key, const char *value,
			     struct sgang_place place, struct sgang_error *err);

/* Reads a number from 'min' to 'max', or says in 'err' what is wrong with 'key'.
 */
int sgang_site_number(const char *key, const char *value, uint64_t min,
		      uint64_t max, uint64_t *number, struct sgang_place place,
		      struct sgang_error *err);

/* The same for a duration, 0 or UINT32_MAX (UNLIMITED). */
int sgang_site_time(const char *key, const char *value, uint32_t *seconds,
		    struct sgang_place place, struct sgang_error *err);

bool sgang_site_says_yes(const char *value);

/* PreemptMode=. */
void sgang_site_preempt_mode(const char *value, bool *preempted,
			     bool *requeues);

/* -- the forms: 0, or -1 with errno and draft->err -- */

int sgang_site_read_conf(struct sgang_site_draft *draft, const char *text,
			 const char *label);
int sgang_site_read_shown(struct sgang_site_draft *draft, const char *text,
			  const char *label);

#define SGANG_SITE_FILE_MAX (64 * 1024 * 1024)
#define SGANG_SITE_FILE_KIND "slurm.conf or what scontrol show node -o prints"

#endif
