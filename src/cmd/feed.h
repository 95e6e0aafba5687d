/* SPDX-License-Identifier: GPL-2.0-or-later */
/* feed.h - our standard input, given to several commands
 *
 * Each of them gets all of it. What was read last is kept until all have it, so
 * the slowest one says how fast it goes.
 */

#ifndef SGANG_FEED_H
#define SGANG_FEED_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#define SGANG_FEED_CHUNK 16384

/* A pipe to a command; -1: it is closed. */
struct sgang_feed_pipe {
	int fd;
	size_t fed; /* bytes of the chunk */
};

struct sgang_feed {
	struct sgang_feed_pipe *pipe;
	size_t n;
	bool ended; /* nothing more will come */
	char chunk[SGANG_FEED_CHUNK];
	size_t used;
};

/* Fill n + 1 entries: what is waited for. */
void sgang_feed_poll(const struct sgang_feed *feed, struct pollfd *fds);

/* Read and write what poll() found to be possible. The pipes do not block. */
void sgang_feed_move(struct sgang_feed *feed, const struct pollfd *fds);

void sgang_feed_close(struct sgang_feed *feed);

#endif
