/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rendezvous.c - the ranks of a gang find each other over TCP
 *
 *	rendezvous [CHECKPOINT STEPS]
 *
 * Run by each rank, after gang_env.sh. Rank 0 listens at MASTER_ADDR and
 * MASTER_PORT. Every other rank connects and says "RANK NODE GANG". When all of
 * this gang are there rank 0 answers each with a line for every rank, and prints
 * the same. torchrun does that before the first all-reduce.
 *
 * With arguments the ranks then add up their numbers STEPS times. Rank 0 writes
 * "STEP SUM" to the file CHECKPOINT after each step, and begins after the step
 * in it. A rank that loses a peer ends with EXIT_LOST, for elastic.sh.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <netdb.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Seconds for which the others are waited for, and rank 0 by them. */
#define PATIENCE 60

#define NODE_MAX 256
#undef LINE_MAX
#define LINE_MAX (NODE_MAX + 64)

/* A failure of a peer, not of this rank, as sysexits.h has it: try again. */
#define EXIT_LOST 75

/* The time of a step. */
static const struct timespec pace = { 0, 20 * 1000 * 1000 };

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

static void lost(long rank)
{
	fprintf(stderr, "rendezvous: rank %ld is lost\n", rank);
	exit(EXIT_LOST);
}

static void no_peer(int signal)
{
	(void)signal;
	_exit(EXIT_LOST);
}

/* The same members in the same order are the same gang. */
static unsigned long gang_of(const char *ids)
{
	unsigned long hash = 5381;

	while (*ids)
		hash = hash * 33 + (unsigned char)*ids++;
	return hash;
}

static bool is_over(time_t deadline)
{
	const struct timespec pause = { 0, 50 * 1000 * 1000 };

	return nanosleep(&pause, NULL) || time(NULL) > deadline;
}

/* The former rank 0 may still be there. */
static int listen_at(const struct addrinfo *at, int backlog)
{
	time_t deadline = time(NULL) + PATIENCE;
	int one = 1, fd = socket(at->ai_family, at->ai_socktype, 0);

	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)))
		give_up("cannot listen: %s", strerror(errno));
	while (bind(fd, at->ai_addr, at->ai_addrlen) || listen(fd, backlog))
		if (errno != EADDRINUSE || is_over(deadline))
			give_up("cannot listen: %s", strerror(errno));
	return fd;
}

/* A line of a peer, without its end; false if the peer is gone. */
static bool hear(int fd, char line[LINE_MAX])
{
	size_t used = 0;

	while (used < LINE_MAX - 1 && read(fd, line + used, 1) == 1) {
		if (line[used] == '\n') {
			line[used] = '\0';
			return true;
		}
		used++;
	}
	return false;
}

/* Accept all other ranks of this gang, then send each of them the list of all;
 * returns their sockets, by rank. */
static int *lead(long size, const char *node, unsigned long gang)
{
	int *peer = calloc((size_t)size, sizeof(*peer));
	char(*nodes)[NODE_MAX] = calloc((size_t)size, sizeof(*nodes));
	struct addrinfo *at = resolve();
	int listener = listen_at(at, (int)size);
	long i, other, rank;

	if (!peer || !nodes)
		give_up("out of memory");
	alarm(PATIENCE);
	peer[0] = STDOUT_FILENO;
	snprintf(nodes[0], NODE_MAX, "%s", node);
	for (i = 1; i < size;) {
		char line[LINE_MAX], name[NODE_MAX];
		int fd = accept(listener, NULL, NULL);
		unsigned long its;

		if (!hear(fd, line) ||
		    sscanf(line, "%ld %255s %lx", &rank, name, &its) != 3 ||
		    its != gang || rank < 1 || rank >= size) {
			close(fd);
			continue;
		}
		if (peer[rank])
			give_up("there is no rank %ld left", rank);
		peer[rank] = fd;
		memcpy(nodes[rank], name, sizeof(name));
		i++;
	}
	alarm(0);
	for (rank = 0; rank < size; rank++)
		for (other = 0; other < size; other++)
			dprintf(peer[rank], "%ld %s\n", other, nodes[other]);
	close(listener);
	freeaddrinfo(at);
	free(nodes);
	return peer;
}

/* Send our name, and receive who is there; the socket, or -1 where rank 0 is of
 * another gang, or not there yet: members start in one moment, not in one
 * order. */
static int follow(const struct addrinfo *at, long rank, long size,
		  const char *node, unsigned long gang)
{
	int fd = socket(at->ai_family, at->ai_socktype, 0);
	char line[LINE_MAX];
	long seen;

	if (fd < 0)
		give_up("no socket: %s", strerror(errno));
	if (connect(fd, at->ai_addr, at->ai_addrlen))
		goto not_yet;
	dprintf(fd, "%ld %s %lx\n", rank, node, gang);
	for (seen = 0; seen < size; seen++)
		if (!hear(fd, line) || strtol(line, NULL, 10) != seen)
			goto not_yet;
	return fd;
not_yet:
	close(fd);
	return -1;
}

static int meet_rank_0(long rank, long size, const char *node,
		       unsigned long gang)
{
	time_t deadline = time(NULL) + PATIENCE;
	struct addrinfo *at = resolve();
	int fd;

	while ((fd = follow(at, rank, size, node, gang)) < 0)
		if (is_over(deadline))
			lost(0);
	freeaddrinfo(at);
	return fd;
}

/* The file is written whole or not at all: the next rank 0 reads it. */
static void note(const char *checkpoint, long step, long sum)
{
	char *path;
	FILE *file;

	if (asprintf(&path, "%s.new", checkpoint) < 0)
		give_up("out of memory");
	file = fopen(path, "w");
	if (!file || fprintf(file, "%ld %ld\n", step, sum) < 0 ||
	    fclose(file) || rename(path, checkpoint))
		give_up("%s: %s", path, strerror(errno));
	free(path);
}

/* As rank 0: take each rank's number, and report each finished step to all. */
static void add_up(int *peer, long size, const char *checkpoint, long steps)
{
	FILE *file = fopen(checkpoint, "r");
	long step = 0, sum = 0, rank;
	char line[LINE_MAX];

	if (file && fscanf(file, "%ld %ld", &step, &sum) != 2)
		give_up("%s: expected STEP SUM", checkpoint);
	if (file)
		fclose(file);
	for (;;) {
		for (rank = 1; rank < size; rank++)
			if (dprintf(peer[rank], "%ld\n", step) < 0)
				lost(rank);
		if (step >= steps)
			return;
		sum += 1;
		for (rank = 1; rank < size; rank++) {
			if (!hear(peer[rank], line))
				lost(rank);
			sum += strtol(line, NULL, 10);
		}
		nanosleep(&pace, NULL);
		note(checkpoint, ++step, sum);
	}
}

static void take_part(int fd, long rank, long steps)
{
	char line[LINE_MAX];

	for (;;) {
		if (!hear(fd, line))
			lost(0);
		if (strtol(line, NULL, 10) >= steps)
			return;
		if (dprintf(fd, "%ld\n", rank + 1) < 0)
			lost(0);
	}
}

int main(int argc, char **argv)
{
	long rank = strtol(need("RANK"), NULL, 10);
	long size = strtol(need("WORLD_SIZE"), NULL, 10);
	unsigned long gang = gang_of(need("SLURM_GANG_JOB_IDS"));
	const char *node = need("SLURMD_NODENAME");
	long steps = argc > 2 ? strtol(argv[2], NULL, 10) : 0;

	if (rank < 0 || rank >= size)
		give_up("RANK=%ld is not below WORLD_SIZE=%ld", rank, size);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGALRM, no_peer);
	if (rank) {
		int fd = meet_rank_0(rank, size, node, gang);

		if (steps)
			take_part(fd, rank, steps);
		close(fd);
	} else {
		int *peer = lead(size, node, gang);

		if (steps)
			add_up(peer, size, argv[1], steps);
		free(peer);
	}
	return 0;
}
