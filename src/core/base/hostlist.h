/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hostlist.h - Slurm's node list expressions, "n[1-3,7],login0" */

#ifndef SGANG_HOSTLIST_H
#define SGANG_HOSTLIST_H

#include <stddef.h>

#include "err.h"

/* No expression may name more nodes than this (a typing error like
 * n[1-99999999] must not eat the memory of slurmctld). */
#define SGANG_HOSTLIST_MAX 1000000

/* Nor may one name be longer than a DNS name can be. */
#define SGANG_HOSTLIST_NAME_MAX 255

/* Expand 'expr' in order, duplicates kept, leading zeros kept as Slurm does,
 * several brackets in one name allowed ("r[1-2]n[1-4]"), text may follow a
 * bracket ("n[1-2]-ib").
 * Returns 0 and a NULL-terminated array in '*names' ('*count' may be NULL),
 * which the caller frees with sgang_hostlist_free(); -1 with errno EINVAL
 * (unbalanced bracket, empty name, reversed or junk range, above a limit)
 * or ENOMEM and 'err' filled. Outputs are untouched on failure. */
int sgang_hostlist_expand(const char *expr, char ***names, size_t *count,
			  struct sgang_error *err);
void sgang_hostlist_free(char **names);

/* Put the names of 'expr' behind the '*count' names that '*names' has; NULL and 0
 * at first. Returns as sgang_hostlist_expand(), and leaves what was there. */
int sgang_hostlist_append(const char *expr, char ***names, size_t *count,
			  struct sgang_error *err);
/* Sort them by 'order', as of qsort(), and keep each once. */
void sgang_hostlist_unique(char **names, size_t *count,
			   int (*order)(const void *a, const void *b));

/* The reverse, order kept: n1 n2 n3 n7 -> "n[1-3,7]". Only neighbours with the
 * same prefix, suffix and number width are joined, so expanding the result
 * gives the same list again. Returns a string the caller frees, or NULL with
 * errno ENOMEM. */
char *sgang_hostlist_fold(const char *const *names, size_t count);

#endif
