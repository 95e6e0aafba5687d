/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rendezvous.c - the ranks of a gang find each other over TCP
 *
 * Run by each rank, after gang_env.sh. Rank 0 listens at MASTER_ADDR and
 * MASTER_PORT. Every other rank connects and says "RANK NODE". When all are
 * there rank 0 answers each with a line for every rank, and prints the same. It
 * is what torchrun does before the first all-reduce, and no more.
 */

#include <errno.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* How long the others are waited for, and rank 0 by them. */
#define PATIENCE 60

#define NODE_MAX 256

static void give_up(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("rendezvous: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

static const char *need(const char *name)
{
	const char *value = getenv(name);

	if (!value || !value[0])
		give_up("%s is not set; source gang_env.sh first", name);
	return value;
}

static struct addrinfo *resolve(void)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	int rc = getaddrinfo(need("MASTER_ADDR"), need("MASTER_PORT"), &hints,
			     &found);

	if (rc)
		give_up("%s: %s", need("MASTER_ADDR"), gai_strerror(rc));
	return found;
}

static int listen_at(const struct addrinfo *at, int backlog)
{
	int one = 1, fd = socket(at->ai_family, at->ai_socktype, 0);

	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(fd, at->ai_addr, at->ai_addrlen) || listen(fd, backlog))
		give_up("cannot listen: %s", strerror(errno));
	alarm(PATIENCE);
	return fd;
}

/* Rank 0 may not listen yet: members start in one moment, not in one order. */
static int connect_to(const struct addrinfo *at)
{
	const struct timespec pause = { 0, 50 * 1000 * 1000 };
	time_t deadline = time(NULL) + PATIENCE;

	for (;;) {
		int fd = socket(at->ai_family, at->ai_socktype, 0);

		if (fd >= 0 && !connect(fd, at->ai_addr, at->ai_addrlen))
			return fd;
		if (fd < 0 || errno != ECONNREFUSED || time(NULL) > deadline)
			give_up("cannot reach rank 0: %s", strerror(errno));
		close(fd);
		nanosleep(&pause, NULL);
	}
}

/* "RANK NODE" of a peer that has connected; returns the rank. */
static long hear(int fd, char node[NODE_MAX])
{
	char line[NODE_MAX + 32];
	size_t used = 0;
	long rank;

	while (used < sizeof(line) - 1 && read(fd, line + used, 1) == 1 &&
	       line[used] != '\n')
		used++;
	line[used] = '\0';
	if (sscanf(line, "%ld %255s", &rank, node) != 2)
		give_up("a peer that is no rank of this gang");
	return rank;
}

/* Take in all other ranks, then tell each of them about all. */
static void lead(long size, const char *node)
{
	int *peer = calloc((size_t)size, sizeof(*peer));
	char (*nodes)[NODE_MAX] = calloc((size_t)size, sizeof(*nodes));
	struct addrinfo *at = resolve();
	int listener = listen_at(at, (int)size);
	long i, other, rank;

	if (!peer || !nodes)
		give_up("out of memory");
	peer[0] = STDOUT_FILENO;
	snprintf(nodes[0], NODE_MAX, "%s", node);
	for (i = 1; i < size; i++) {
		char name[NODE_MAX];
		int fd = accept(listener, NULL, NULL);

		rank = hear(fd, name);
		if (rank < 1 || rank >= size || peer[rank])
			give_up("there is no rank %ld left", rank);
		peer[rank] = fd;
		memcpy(nodes[rank], name, sizeof(name));
	}
	for (rank = 0; rank < size; rank++) {
		for (other = 0; other < size; other++)
			if (dprintf(peer[rank], "%ld %s\n", other,
				    nodes[other]) < 0)
				give_up("rank %ld is gone", rank);
		close(peer[rank]);
	}
	close(listener);
	freeaddrinfo(at);
	free(peer);
	free(nodes);
}

/* Say who we are, and count who is there. */
static void follow(long rank, long size, const char *node)
{
	struct addrinfo *at = resolve();
	int fd = connect_to(at);
	char other[NODE_MAX];
	long seen;

	dprintf(fd, "%ld %s\n", rank, node);
	for (seen = 0; seen < size; seen++)
		if (hear(fd, other) != seen)
			give_up("rank %ld did not hear of rank %ld", rank,
				seen);
	close(fd);
	freeaddrinfo(at);
}

int main(void)
{
	long rank = strtol(need("RANK"), NULL, 10);
	long size = strtol(need("WORLD_SIZE"), NULL, 10);
	const char *node = need("SLURMD_NODENAME");

	if (rank < 0 || rank >= size)
		give_up("RANK=%ld is not below WORLD_SIZE=%ld", rank, size);
	if (rank)
		follow(rank, size, node);
	else
		lead(size, node);
	return 0;
}
