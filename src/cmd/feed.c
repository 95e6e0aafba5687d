/* SPDX-License-Identifier: GPL-2.0-or-later */
/* feed.c - our standard input, given to several commands */

#include <errno.h>
#include <unistd.h>

#include "cmd/feed.h"

static void close_pipe(struct sgang_feed_pipe *pipe)
{
	if (pipe->fd >= 0)
		close(pipe->fd);
	pipe->fd = -1;
}

void sgang_feed_close(struct sgang_feed *feed)
{
	for (size_t i = 0; i < feed->n; i++)
		close_pipe(&feed->pipe[i]);
}

static bool lacks(const struct sgang_feed *feed, size_t i)
{
	return feed->pipe[i].fd >= 0 && feed->pipe[i].fed < feed->used;
}

void sgang_feed_poll(const struct sgang_feed *feed, struct pollfd *fds)
{
	bool open = false, lacking = false;

	for (size_t i = 0; i < feed->n; i++) {
		fds[i] = (struct pollfd){
			.fd = lacks(feed, i) ? feed->pipe[i].fd : -1,
			.events = POLLOUT,
		};
		open |= feed->pipe[i].fd >= 0;
		lacking |= lacks(feed, i);
	}
	fds[feed->n] = (struct pollfd){
		.fd = open && !lacking && !feed->ended ? STDIN_FILENO : -1,
		.events = POLLIN,
	};
}

/* A command need not read what it gets. */
static void write_chunk(struct sgang_feed *feed, struct sgang_feed_pipe *pipe)
{
	ssize_t n = write(pipe->fd, feed->chunk + pipe->fed,
			  feed->used - pipe->fed);

	if (n >= 0)
		pipe->fed += (size_t)n;
	else if (errno != EAGAIN && errno != EINTR)
		close_pipe(pipe);
}

static void read_chunk(struct sgang_feed *feed)
{
	ssize_t n = read(STDIN_FILENO, feed->chunk, sizeof(feed->chunk));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	feed->used = n > 0 ? (size_t)n : 0;
	feed->ended = n <= 0;
	for (size_t i = 0; i < feed->n; i++)
		feed->pipe[i].fed = 0;
	if (feed->ended)
		sgang_feed_close(feed);
}

void sgang_feed_move(struct sgang_feed *feed, const struct pollfd *fds)
{
	for (size_t i = 0; i < feed->n; i++)
		if (fds[i].fd >= 0 && fds[i].revents)
			write_chunk(feed, &feed->pipe[i]);
	if (fds[feed->n].fd >= 0 && fds[feed->n].revents)
		read_chunk(feed);
}
