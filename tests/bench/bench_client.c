/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_client.c - ask several private clusters from one program
 *
 * Requests are lines: "occupy N NODES", "vacate", "place N", "gang N", "end".
 * "place" and "gang" are answered by "JOB_TEST_US WALL_US NODES", NODES being "-"
 * if there are none, "occupy" and "vacate" by "done", and all of them by "failed"
 * on an error, with a message on stderr.
 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench_client.h"
#include "slurm/public.h"

#define PATIENCE_US 20e6 /* a job is placed by then, or never */
#define POLL_NS 1000000

static double now_us(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void nap(void)
{
	static const struct timespec length = { .tv_nsec = POLL_NS };

	nanosleep(&length, NULL);
}

/* -- the process of one cluster -- */

struct worker {
	FILE *times;     /* written by bench_timer.c */
	uint32_t filler; /* the job that occupies nodes; 0: none */
	uint32_t gangs;  /* each has a name of its own */
};

static int complain(const char *what)
{
	slurm_perror((char *)what);
	return -1;
}

/* A job for whole nodes. Its answer has no nodes if it is pending. */
static resource_allocation_response_msg_t *
ask(uint32_t n_nodes, char *nodes, char **options, uint32_t n_options)
{
	resource_allocation_response_msg_t *response = NULL;
	job_desc_msg_t job;

	slurm_init_job_desc_msg(&job);
	job.name = "bench";
	job.alloc_node = "localhost";
	job.work_dir = "/";
	job.user_id = getuid();
	job.group_id = getgid();
	job.time_limit = 60;
	job.min_nodes = job.max_nodes = job.num_tasks = n_nodes;
	job.shared = 0;
	job.req_nodes = nodes;
	job.spank_job_env = options;
	job.spank_job_env_size = n_options;
	if (slurm_allocate_resources(&job, &response) != SLURM_SUCCESS ||
	    !response) {
		complain("bench_placement: no allocation");
		return NULL;
	}
	return response;
}

/* Returns when nothing of the job is left on its nodes. */
static int cancel(uint32_t job_id)
{
	double deadline = now_us() + PATIENCE_US;
	job_info_msg_t *jobs;
	uint32_t state;

	if (slurm_kill_job(public_id_of_job(job_id), SIGKILL, 0) !=
	    SLURM_SUCCESS)
		return complain("bench_placement: no cancel");
	do {
		if (slurm_load_job(&jobs, public_id_of_job(job_id), 0) !=
		    SLURM_SUCCESS)
			return complain("bench_placement: no job");
		state = jobs->job_array[0].job_state;
		slurm_free_job_info_msg(jobs);
		if (!(state & JOB_COMPLETING) &&
		    (state & JOB_STATE_BASE) > JOB_SUSPENDED)
			return 0;
		nap();
	} while (now_us() < deadline);
	fprintf(stderr, "bench_placement: job %u does not end\n", job_id);
	return -1;
}

/* Its own, or NULL. */
static const char *gang_nodes(const resource_allocation_response_msg_t *job)
{
	static const char name[] = "SLURM_GANG_NODELIST=";

	for (uint32_t i = 0; i < job->env_size; i++) {
		if (!strncmp(job->environment[i], name, sizeof(name) - 1))
			return job->environment[i] + sizeof(name) - 1;
	}
	return NULL;
}

/* The caller frees it; NULL when the job is not placed. */
static char *placed_on(const resource_allocation_response_msg_t *job, bool gang)
{
	const char *nodes = gang ? gang_nodes(job) : job->node_list;

	return job->node_list && *job->node_list && nodes ? strdup(nodes) :
							    NULL;
}

/* Nodes of a job that is pending yet. */
static char *wait_for_nodes(uint32_t job_id, bool gang)
{
	double deadline = now_us() + PATIENCE_US;
	char *nodes = NULL;

	do {
		resource_allocation_response_msg_t *job = NULL;

		nap();
		if (slurm_allocation_lookup(public_id_of_job(job_id), &job) ==
		    SLURM_SUCCESS) {
			nodes = placed_on(job, gang);
			slurm_free_resource_allocation_response_msg(job);
		}
	} while (!nodes && now_us() < deadline);
	return nodes;
}

static int occupy(struct worker *worker, uint32_t n_nodes, char *nodes)
{
	resource_allocation_response_msg_t *job = ask(n_nodes, nodes, NULL, 0);
	char *got;

	if (!job)
		return -1;
	worker->filler = public_job_id(job);
	got = placed_on(job, false);
	if (!got)
		got = wait_for_nodes(public_job_id(job), false);
	slurm_free_resource_allocation_response_msg(job);
	if (!got)
		fprintf(stderr, "bench_placement: %s is not free\n", nodes);
	free(got);
	return got ? 0 : -1;
}

static int vacate(struct worker *worker)
{
	uint32_t filler = worker->filler;

	worker->filler = 0;
	return filler ? cancel(filler) : 0;
}

/* The time written since the last call. TEST_ONLY chooses no nodes. */
static double job_test_us(struct worker *worker)
{
	unsigned int mode, n_nodes;
	long long ns;
	double us = 0;

	clearerr(worker->times);
	while (fscanf(worker->times, "%u %u %lld\n", &mode, &n_nodes, &ns) ==
	       3) {
		if (mode != 1)
			us += (double)ns / 1e3;
	}
	return us;
}

static int place(struct worker *worker, uint32_t n_nodes, bool gang, FILE *out)
{
	char name[64], min[] = "_SLURM_SPANK_OPTION_gang_gang_min_member=1";
	char *options[] = { name, min };
	resource_allocation_response_msg_t *job;
	double start;
	uint32_t id;
	char *nodes;
	int rc;

	snprintf(name, sizeof(name), "_SLURM_SPANK_OPTION_gang_gang=g%u",
		 ++worker->gangs);
	(void)job_test_us(worker);
	start = now_us();
	job = ask(n_nodes, NULL, options, gang ? 2 : 0);
	if (!job)
		return -1;
	id = public_job_id(job);
	nodes = placed_on(job, gang);
	slurm_free_resource_allocation_response_msg(job);
	if (!nodes)
		nodes = wait_for_nodes(id, gang);
	fprintf(out, "%.1f %.1f %s\n", job_test_us(worker), now_us() - start,
		nodes ? nodes : "-");
	rc = cancel(id);
	free(nodes);
	return rc;
}

static int obey(struct worker *worker, char *line, FILE *out)
{
	char *word = strtok(line, " \n"), *number = strtok(NULL, " \n");
	uint32_t n = number ? (uint32_t)strtoul(number, NULL, 10) : 0;
	int rc;

	if (!strcmp(word, "place") || !strcmp(word, "gang"))
		return place(worker, n, *word == 'g', out);
	if (!strcmp(word, "occupy"))
		rc = occupy(worker, n, strtok(NULL, " \n"));
	else
		rc = vacate(worker);
	if (!rc)
		fprintf(out, "done\n");
	return rc;
}

static int work(const char *folder, FILE *in, FILE *out)
{
	struct worker worker = { .filler = 0 };
	char path[4096], *line = NULL;
	size_t size = 0;
	int rc = 0;

	snprintf(path, sizeof(path), "%s/etc/slurm.conf", folder);
	setenv("SLURM_CONF", path, 1);
	slurm_init(NULL);
	snprintf(path, sizeof(path), "%s/job_tests", folder);
	worker.times = fopen(path, "a+"); /* no request may have come yet */
	if (!worker.times) {
		perror(path);
		return -1;
	}
	while (!rc && getline(&line, &size, in) > 0 && strcmp(line, "end\n")) {
		rc = obey(&worker, line, out);
		if (rc)
			fprintf(out, "failed\n");
		fflush(out);
	}
	free(line);
	fclose(worker.times);
	slurm_fini();
	return rc;
}

/* -- the client -- */

struct bench_client {
	pid_t pid;
	FILE *in, *out;
};

static void close_pipe(int *ends)
{
	close(ends[0]);
	close(ends[1]);
}

struct bench_client *bench_client_start(const char *folder)
{
	struct bench_client *client = malloc(sizeof(*client));
	int to[2], from[2];

	if (!client || pipe(to))
		goto fail;
	if (pipe(from)) {
		close_pipe(to);
		goto fail;
	}
	client->pid = fork();
	if (client->pid < 0) {
		close_pipe(to);
		close_pipe(from);
		goto fail;
	}
	if (!client->pid) {
		close(to[1]);
		close(from[0]);
		_exit(work(folder, fdopen(to[0], "r"), fdopen(from[1], "w")) ?
			      1 :
			      0);
	}
	close(to[0]);
	close(from[1]);
	client->out = fdopen(to[1], "w");
	client->in = fdopen(from[0], "r");
	return client;
fail:
	perror("bench_placement");
	free(client);
	return NULL;
}

void bench_client_stop(struct bench_client *client)
{
	if (!client)
		return;
	/* other clients have inherited this pipe: its end would not be seen */
	fprintf(client->out, "end\n");
	fclose(client->out);
	fclose(client->in);
	waitpid(client->pid, NULL, 0);
	free(client);
}

/* The caller frees the answer; NULL: it failed, and has printed why. */
static char *answer_of(struct bench_client *client)
{
	char *line = NULL;
	size_t size = 0;

	fflush(client->out);
	if (getline(&line, &size, client->in) > 0 && strcmp(line, "failed\n"))
		return line;
	free(line);
	return NULL;
}

int bench_client_occupy(struct bench_client *client, const char *nodes,
			uint32_t n_nodes)
{
	char *line;

	fprintf(client->out, "occupy %u %s\n", n_nodes, nodes);
	line = answer_of(client);
	free(line);
	return line ? 0 : -1;
}

int bench_client_vacate(struct bench_client *client)
{
	char *line;

	fprintf(client->out, "vacate\n");
	line = answer_of(client);
	free(line);
	return line ? 0 : -1;
}

int bench_client_place(struct bench_client *client, uint32_t n_nodes, bool gang,
		       struct bench_answer *answer)
{
	int used = 0;
	char *line;

	fprintf(client->out, "%s %u\n", gang ? "gang" : "place", n_nodes);
	line = answer_of(client);
	if (!line)
		return -1;
	memset(answer, 0, sizeof(*answer));
	if (sscanf(line, "%lf %lf %n", &answer->job_test_us, &answer->wall_us,
		   &used) == 2 &&
	    used && line[used] != '-')
		answer->nodes = strndup(line + used,
					strcspn(line + used, "\n"));
	free(line);
	return 0;
}
