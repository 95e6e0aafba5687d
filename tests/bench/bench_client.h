/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_client.h - ask several private clusters from one program
 *
 * libslurm knows one slurm.conf a process, so each cluster has a process of its
 * own that takes requests through a pipe. Jobs are requested as by salloc:
 * slurmctld places them while it serves the request.
 */

#ifndef BENCH_CLIENT_H
#define BENCH_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

struct bench_client;

struct bench_answer {
	char *nodes;        /* host list, in the order the job sees; of a
			     * gang, its ring order; NULL: not placed
			     * within the time */
	double job_test_us; /* CPU time in job_test until it was placed */
	double wall_us;     /* from the request until it was placed */
};

/* 'folder' is that of a cluster of contrib/cluster.sh whose slurmctld writes
 * its job_tests there (bench_timer.c). Returns NULL with a message on stderr,
 * as all functions here that can fail return -1. */
struct bench_client *bench_client_start(const char *folder);
/* NULL is fine. */
void bench_client_stop(struct bench_client *client);

/* A job takes these nodes until bench_client_vacate(). */
int bench_client_occupy(struct bench_client *client, const char *nodes,
			uint32_t n_nodes);
int bench_client_vacate(struct bench_client *client);

/* Ask for whole nodes, as an ordinary job or as a gang of one, and give them
 * back. The caller frees answer->nodes. */
int bench_client_place(struct bench_client *client, uint32_t n_nodes, bool gang,
		       struct bench_answer *answer);

#endif
