/* SPDX-License-Identifier: GPL-2.0-or-later */
/* web_look.h - one look at slurmctld, taken by a process of its own
 *
 * libslurm may wait long for a slurmctld that does not answer, and may end the
 * process. So a child asks, draws and writes all texts into a pipe. Its parent
 * goes on serving meanwhile, and kills it when it takes too long.
 */

#ifndef SGANG_WEB_LOOK_H
#define SGANG_WEB_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cmd/web_gzip.h"
#include "core/base/err.h"

/* A nonce is so many letters. */
#define SGANG_WEB_NONCE 32

/* The texts of a look, which are counted. */
struct sgang_web_look {
	unsigned refs;
	char nonce[SGANG_WEB_NONCE + 1];
	const char *page, *data, *metrics; /* in 'bytes', end with 0 */
	size_t page_size, data_size, metrics_size;
	struct sgang_web_gzip gzip; /* data but for its first byte */
	uint64_t hash;              /* of data */
	int64_t when; /* it began, in seconds since the epoch ... */
	uint64_t at;  /* ... and by sgang_web_clock() */
	char bytes[];
};

/* A child, or with pid 0 none. Begins as { 0 }. */
struct sgang_web_child {
	pid_t pid;
	int fd; /* becomes readable when there is something to read */
	uint64_t at;
	int64_t when;
	char *bytes;
	size_t used, room;
};

/* Milliseconds that never go back. */
uint64_t sgang_web_clock(void);

/* Start it. 'conf' as in web.h. Returns 0, or -1 with 'err'. */
int sgang_web_child_start(struct sgang_web_child *child, const char *conf,
			  struct sgang_error *err);

/* Read what is there. Returns 1 when there is more to come; 0 at the end with
 * '*look', one reference of which is the caller's; or -1 with 'err', also when
 * it has taken too long. After 0 and -1 there is no child any more. */
int sgang_web_child_read(struct sgang_web_child *child,
			 struct sgang_web_look **look, struct sgang_error *err);

/* Milliseconds until it has taken too long. */
uint64_t sgang_web_child_left(const struct sgang_web_child *child);

/* End it, if there is one. */
void sgang_web_child_stop(struct sgang_web_child *child);

/* NULL is fine in both. Returns 'look'. */
struct sgang_web_look *sgang_web_look_ref(struct sgang_web_look *look);
void sgang_web_look_drop(struct sgang_web_look *look);

#endif
