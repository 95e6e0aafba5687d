/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attempt_private.h - what attempt.c, fit.c and describe.c share */

#ifndef SGANG_ATTEMPT_PRIVATE_H
#define SGANG_ATTEMPT_PRIVATE_H

#include "conductor_private.h"

/* One member that the attempt wants to start; the tasks of a job array are one
 * part each and share what was found out about their common record. */
struct part {
	struct entry *entry;
	struct probed *probed;
	uint32_t copy;			/* which of the record's tasks */
	struct sgang_job *job;		/* who got the nodes, once committed */
};

/* What is known of a request; members that ask for the same share it. */
struct probed {
	struct sgang_job *job;		/* the one that was asked for */
	struct sgang_nodeset *usable;	/* NULL: it cannot start now */
	struct sgang_nodeset *ever;	/* when jobs that run have ended */
	struct sgang_shape shape;
	bool fixed;			/* the number of nodes is */
	struct sgang_nodeset *allowed;	/* for the plan, see fill_cpus() */
};

struct attempt {
	struct sgang_conductor *c;
	struct gang *g;
	struct probed *probed;		/* the different requests */
	size_t n_probed;
	struct probed **of_entry;	/* which of them, by entry; or NULL */
	struct part *parts;
	size_t n_parts;
	struct sgang_placement *plan;
	int64_t *free_at;		/* for sgang_fit_when() alone */
	int64_t at;
};

/* --- fit.c --- */

/* Who goes first into an attempt that cannot take all, for qsort(): priority,
 * then order of submission. */
int sgang_fit_choose_order(const void *a, const void *b);

/* Plan for all parts, or if they do not fit, for as many as it takes; the
 * parts are in ring order then and a->plan is set. Returns 0, or -1 with
 * the gang's `why` filled. */
int sgang_fit(struct attempt *a);

/* What the same members would cost on an empty cluster; 0 when even that does
 * not fit. */
uint64_t sgang_fit_best_cost(struct attempt *a);

/* The first moment (seconds since the epoch) at which all parts fit if every
 * job runs to its time limit and no other starts; INT64_MAX when there is none,
 * 0 without memory. */
int64_t sgang_fit_when(struct attempt *a);

#endif
