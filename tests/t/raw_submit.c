/* SPDX-License-Identifier: GPL-2.0-or-later */
/* raw_submit.c - submit a job with a spank_job_env of one's own
 *
 * raw_submit [-H] [-a ARRAY] [-A ACCOUNT] [-j JOB] [-n NAME] ENTRY...
 *
 * What anybody can do who has Slurm's library: no plugin of a command has seen
 * the entries, which are like _SLURM_SPANK_OPTION_gang_gang=train. Root may ask
 * for a number of the job. Prints the job's id; a refusal is printed by the
 * library.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "slurm/public.h"

static void describe(job_desc_msg_t *job)
{
	static char *environment[] = { "PATH=/bin:/usr/bin", NULL };

	slurm_init_job_desc_msg(job);
	job->script = "#!/bin/sh\nexit 1\n";
	job->environment = environment;
	job->env_size = 1;
	job->work_dir = "/";
	job->std_out = "/dev/null";
	job->user_id = geteuid();
	job->group_id = getegid();
	job->num_tasks = 1;
	job->min_nodes = 1;
}

static int read_options(int argc, char **argv, job_desc_msg_t *job)
{
	int option;

	while ((option = getopt(argc, argv, "HA:a:j:n:")) != -1) {
		switch (option) {
		case 'H':
			job->priority = 0;
			break;
		case 'A':
			job->account = optarg;
			break;
		case 'a':
			job->array_inx = optarg;
			break;
		case 'j':
			public_job_id(job) = (uint32_t)atoi(optarg);
			break;
		case 'n':
			job->name = optarg;
			break;
		default:
			return -1;
		}
	}
	return optind;
}

int main(int argc, char **argv)
{
	submit_response_msg_t *response = NULL;
	job_desc_msg_t job;
	int first;

	describe(&job);
	first = read_options(argc, argv, &job);
	if (first < 0)
		return 2;
	job.spank_job_env = argv + first;
	job.spank_job_env_size = (uint32_t)(argc - first);
	slurm_init(NULL);
	if (slurm_submit_batch_job(&job, &response)) {
		fprintf(stderr, "raw_submit: %s\n", slurm_strerror(errno));
		return 1;
	}
	if (response->job_submit_user_msg)
		fprintf(stderr, "%s\n", response->job_submit_user_msg);
	printf("%" PRIu32 "\n", public_job_id(response));
	slurm_free_submit_response_response_msg(response);
	return 0;
}
