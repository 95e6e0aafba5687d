/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_timer.c - write down what every job_test takes
 *
 * To be preloaded into slurmctld 22.05. The library replaces
 * select_g_job_test(), through which slurmctld asks its select plugin,
 * whichever that is, and adds a line to the file that BENCH_JOB_TESTS names:
 * the mode (1: TEST_ONLY, else RUN_NOW or WILL_RUN), the nodes asked for, and
 * the CPU time of the thread in nanoseconds.
 */

#define _GNU_SOURCE /* RTLD_NEXT */

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef int job_test(void *job, void *nodes, uint32_t min_nodes,
		     uint32_t max_nodes, uint32_t req_nodes, uint16_t mode,
		     void *candidates, void **victims, void *exc_cores);

job_test select_g_job_test;

static job_test *next_job_test;
static int file;

/* At the first call: slurmctld closes what was open when it starts. */
static void begin(void)
{
	const char *path = getenv("BENCH_JOB_TESTS");

	next_job_test = (job_test *)dlsym(RTLD_NEXT, "select_g_job_test");
	file = open(path ? path : "/dev/null",
		    O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
}

static int64_t cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int select_g_job_test(void *job, void *nodes, uint32_t min_nodes,
		      uint32_t max_nodes, uint32_t req_nodes, uint16_t mode,
		      void *candidates, void **victims, void *exc_cores)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int64_t start, ns;
	int rc;

	pthread_once(&once, begin);
	start = cpu_ns();
	rc = next_job_test(job, nodes, min_nodes, max_nodes, req_nodes, mode,
			   candidates, victims, exc_cores);
	ns = cpu_ns() - start;
	dprintf(file, "%u %u %lld\n", mode & 0xffu, min_nodes, (long long)ns);
	return rc;
}
