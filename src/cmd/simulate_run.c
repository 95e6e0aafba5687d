/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulate_run.c - one process for each replay
 *
 * A replay has a process of its own: the code that it runs is a plugin's, which
 * has one cluster, and what ends it does not end us. The process writes a byte,
 * and then its outcome or a sentence, into a pipe.
 */

#define _GNU_SOURCE /* pipe2(), strsignal() */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/simulate.h"
#include "twin/twin.h"

/* How often the bar moves. */
#define LOOK_MS 200
#define BAR 40

enum { REPLAYED = 'r', FAILED = 'f' };

struct child {
	pid_t pid; /* 0: not started, or ended */
	int fd;
};

struct children {
	struct sgang_simulation *simulation;
	struct child *child;
	double *share; /* of the jobs that have ended; the children write it */
	size_t started, ended;
};

/* ---- in a child ---- */

static void note_share(double share, void *arg)
{
	*(double *)arg = share;
}

/* The byte and the sentence; who reads it has it all, or sees that we died. */
static int tell_failure(int fd, const struct sgang_error *why)
{
	const char byte = FAILED;

	if (write(fd, &byte, 1) != 1 ||
	    write(fd, why, sizeof(*why)) != (ssize_t)sizeof(*why))
		return -1;
	return 0;
}

static int replay(const struct sgang_simulation *simulation,
		  const struct sgang_simulate_config *config, double *share,
		  int fd)
{
	const struct sgang_twin_terms terms = {
		.trace = simulation->trace,
		.site = simulation->site,
		.fabric = config->fabric,
		.conf = config->stock ? NULL : &config->conf,
		.costs = &config->conf.costs,
		.all_rings = simulation->all_rings,
		.priorities = simulation->recorded_priority,
		.progress = note_share,
		.arg = share,
	};
	struct sgang_error err = { .text = "" };
	struct sgang_outcome outcome = { .n_jobs = 0 };
	const char byte = REPLAYED;
	int rc;

	if (sgang_twin_run(&terms, &outcome, &err))
		return tell_failure(fd, &err);
	*share = 1;
	rc = write(fd, &byte, 1) == 1 ?
		     sgang_outcome_write(&outcome, fd, &err) :
		     -1;
	sgang_outcome_clear(&outcome);
	return rc;
}

/* ---- in the parent ---- */

static int start(struct children *children, struct sgang_error *err)
{
	struct child *child = &children->child[children->started];
	pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return sgang_errf(err, errno, "no pipe: %s", strerror(errno));
	fflush(NULL);
	child->pid = fork();
	if (!child->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		_exit(replay(children->simulation,
			     &children->simulation->config[children->started],
			     &children->share[children->started], ends[1]) ?
			      1 :
			      0);
	}
	close(ends[1]);
	if (child->pid < 0) {
		child->pid = 0;
		close(ends[0]);
		return sgang_errf(err, errno, "no process: %s",
				  strerror(errno));
	}
	child->fd = ends[0];
	children->started++;
	return 0;
}

static int await(struct child *child)
{
	int status = 0;

	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		;
	child->pid = 0;
	close(child->fd);
	return status;
}

/* How a child ended that has not told it. */
static int tell_end(const struct sgang_simulate_config *config, int status,
		    struct sgang_error *err)
{
	if (WIFSIGNALED(status))
		return sgang_errf(err, ECANCELED,
				  "%s: the replay was ended by signal %d (%s)",
				  config->name, WTERMSIG(status),
				  strsignal(WTERMSIG(status)));
	return sgang_errf(err, ECANCELED, "%s: the replay ended with status %d",
			  config->name, WEXITSTATUS(status));
}

/* Takes what a child has for us: it has ended, or is about to. */
static int take(struct children *children, size_t which,
		struct sgang_error *err)
{
	struct sgang_simulate_config *config =
		&children->simulation->config[which];
	struct child *child = &children->child[which];
	struct sgang_error why = { .text = "" };
	char byte = 0;
	bool told = false;
	ssize_t n;
	int status;

	do
		n = read(child->fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1 && byte == FAILED)
		told = read(child->fd, &why, sizeof(why)) ==
		       (ssize_t)sizeof(why);
	else if (n == 1 && byte == REPLAYED)
		told = !sgang_outcome_read(&config->outcome, child->fd, &why);
	status = await(child);
	children->ended++;
	if (status || (!told && !why.text[0]))
		return tell_end(config, status, err);
	if (!told || byte == FAILED)
		return sgang_errf(err, EINVAL, "%s: %s", config->name,
				  why.text);
	return 0;
}

/* ---- the bar ---- */

static void draw(const struct children *children)
{
	char bar[BAR + 1];
	double sum = 0;
	size_t filled, i;

	if (!isatty(STDERR_FILENO))
		return;
	for (i = 0; i < children->started; i++)
		sum += children->share[i];
	sum /= (double)children->simulation->n;
	filled = sum > 0 ? (size_t)(sum * BAR) : 0;
	memset(bar, '.', BAR);
	memset(bar, '#', filled < BAR ? filled : BAR);
	bar[BAR] = '\0';
	fprintf(stderr, "\r%s %3.0f%% of %zu jobs, %zu of %zu replays ", bar,
		sum * 100, children->simulation->trace->n_jobs, children->ended,
		children->simulation->n);
}

static void wipe(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

/* ---- all of them ---- */

static size_t cores(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (size_t)n : 1;
}

/* Wait until one has something to say. */
static int look(struct children *children, struct pollfd *fds,
		struct sgang_error *err)
{
	size_t i;

	for (i = 0; i < children->started; i++)
		fds[i] = (struct pollfd){ .fd = children->child[i].pid ?
							children->child[i].fd :
							-1,
					  .events = POLLIN };
	if (poll(fds, children->started, LOOK_MS) < 0 && errno != EINTR)
		return sgang_errf(err, errno, "poll: %s", strerror(errno));
	for (i = 0; i < children->started; i++)
		if (children->child[i].pid && fds[i].revents &&
		    take(children, i, err))
			return -1;
	return 0;
}

static int run_all(struct children *children, struct pollfd *fds,
		   struct sgang_error *err)
{
	size_t n = children->simulation->n, most = cores();

	while (children->ended < n) {
		while (children->started < n &&
		       children->started - children->ended < most)
			if (start(children, err))
				return -1;
		draw(children);
		if (look(children, fds, err))
			return -1;
	}
	return 0;
}

static void stop_all(struct children *children)
{
	size_t i;

	for (i = 0; i < children->started; i++) {
		if (!children->child[i].pid)
			continue;
		kill(children->child[i].pid, SIGKILL);
		await(&children->child[i]);
	}
}

/* Which jobs, and which gangs, started in all of them. */
static void find_common(const struct sgang_simulation *simulation, bool *job,
			bool *gang)
{
	const struct sgang_outcome *first = &simulation->config[0].outcome;
	size_t i, k;

	memset(job, true, first->n_jobs);
	memset(gang, true, first->n_gangs);
	for (i = 0; i < simulation->n; i++) {
		const struct sgang_outcome *o = &simulation->config[i].outcome;

		for (k = 0; k < first->n_jobs; k++)
			job[k] &= o->jobs[k].start != 0;
		for (k = 0; k < first->n_gangs; k++)
			gang[k] &= o->gangs[k].start != 0;
	}
}

static int measure_all(struct sgang_simulation *simulation,
		       struct sgang_error *err)
{
	const struct sgang_outcome *first = &simulation->config[0].outcome;
	bool *job = malloc(first->n_jobs + 1);
	bool *gang = malloc(first->n_gangs + 1);
	const struct sgang_measure_common common = { job, gang };
	int rc = job && gang ? 0 : sgang_err_memory(err);
	size_t i;

	if (!rc)
		find_common(simulation, job, gang);
	for (i = 0; !rc && i < simulation->n; i++)
		rc = sgang_measure(simulation->trace, simulation->site,
				   &simulation->config[i].outcome, &common,
				   &simulation->config[i].measure, err);
	free(job);
	free(gang);
	return rc;
}

int sgang_simulate_run(struct sgang_simulation *simulation,
		       struct sgang_error *err)
{
	size_t size = simulation->n * sizeof(double);
	struct children children = { .simulation = simulation };
	struct pollfd *fds = calloc(simulation->n, sizeof(*fds));
	int rc;

	children.child = calloc(simulation->n, sizeof(*children.child));
	children.share = mmap(NULL, size, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!fds || !children.child || children.share == MAP_FAILED)
		rc = sgang_err_memory(err);
	else
		rc = run_all(&children, fds, err);
	wipe();
	if (children.child)
		stop_all(&children);
	if (children.share != MAP_FAILED)
		munmap(children.share, size);
	free(children.child);
	free(fds);
	return rc ? rc : measure_all(simulation, err);
}
