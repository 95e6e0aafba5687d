/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_submit.c - submit many small batch jobs from one process
 *
 * bench_submit JOBS
 *	that many jobs of one task
 * bench_submit GANGS MEMBERS COMPLETE jobs|array|tree
 *	gangs g1, g2, ... that need MEMBERS members of one whole node each: the
 *	first COMPLETE of them have all, the others one less; as separate jobs
 *	or as one array a gang; "tree": jobs in groups of 20 on a leaf, ten
 *	encoders and ten decoders
 * bench_submit GANGS MEMBERS COMPLETE jobs|array PRESENT
 *	as many of each gang as PRESENT says instead, of one CPU each, or of
 *	BENCH_CPUS: numbers with commas between, for the members in turn
 *
 * BENCH_UID names another user, for whom root submits; BENCH_GANG replaces "g"
 * at the beginning of the names of gangs. With BENCH_WHOLE jobs have whole nodes,
 * those of no gang too. With BENCH_HELD jobs are held; with
 * BENCH_NODES they ask for so many nodes, and are to be refused.
 *
 * sbatch takes ten times as long, most of it to start itself.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

static uid_t user(void)
{
	const char *other = getenv("BENCH_UID");

	return other ? (uid_t)strtoul(other, NULL, 10) : getuid();
}

/* The CPUs of the member of this number, from 0 on. */
static uint16_t cpus(int member)
{
	const char *list = getenv("BENCH_CPUS"), *next = list;

	for (; member; member--) {
		next = strchr(next, ',');
		next = next ? next + 1 : list;
	}
	return (uint16_t)atoi(next);
}

static int submit(char **options, uint32_t n_options, char *array, int whole,
		  int member)
{
	static char *environment[] = { "PATH=/bin:/usr/bin", NULL };
	const char *nodes = getenv("BENCH_NODES");
	submit_response_msg_t *response = NULL;
	job_desc_msg_t job;

	slurm_init_job_desc_msg(&job);
	job.name = "bench";
	job.script = "#!/bin/sh\nsleep 3600\n";
	job.environment = environment;
	job.env_size = 1;
	job.work_dir = "/";
	job.std_out = "/dev/null";
	job.user_id = user();
	job.group_id = getgid();
	job.time_limit = 60;
	job.num_tasks = 1;
	if (!whole && getenv("BENCH_CPUS"))
		job.cpus_per_task = cpus(member);
	job.min_nodes = job.max_nodes = nodes ? (uint32_t)atoi(nodes) : 1;
	if (getenv("BENCH_HELD"))
		job.priority = 0;
	if (n_options) {
		job.spank_job_env = options;
		job.spank_job_env_size = n_options;
	}
	if (whole)
		job.shared = 0;
	job.array_inx = array;
	if (slurm_submit_batch_job(&job, &response) != SLURM_SUCCESS) {
		if (nodes)
			return 0;
		slurm_perror("bench_submit");
		return -1;
	}
	slurm_free_submit_response_response_msg(response);
	return 0;
}

static int submit_plain(int jobs)
{
	for (int i = 0; i < jobs; i++) {
		if (submit(NULL, 0, NULL, !!getenv("BENCH_WHOLE"), 0) < 0)
			return -1;
	}
	return 0;
}

static int submit_gang(int number, int members, int present, const char *kind,
		       int whole)
{
	const char *prefix = getenv("BENCH_GANG");
	int tree = !strcmp(kind, "tree");
	char name[64], min[64], role[128], array[32];
	char *options[] = { name, min, role };

	snprintf(name, sizeof(name), "_SLURM_SPANK_OPTION_gang_gang=%s%d",
		 prefix ? prefix : "g", number);
	snprintf(min, sizeof(min),
		 "_SLURM_SPANK_OPTION_gang_gang_min_member=%d",
		 tree ? members / 20 : members);
	snprintf(array, sizeof(array), "1-%d", present);
	if (!strcmp(kind, "array"))
		return submit(options, 2, array, whole, 0);
	for (int i = 0; i < present; i++) {
		snprintf(role, sizeof(role),
			 "_SLURM_SPANK_OPTION_gang_gang_role="
			 "r%d:min=2:require=leaf/%s:min=10",
			 i / 20, i % 20 < 10 ? "encode" : "decode");
		if (submit(options, 2 + tree, NULL, whole, i) < 0)
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int members, complete;

	if (argc == 2)
		return submit_plain(atoi(argv[1])) < 0;
	if (argc != 5 && argc != 6) {
		fprintf(stderr, "bench_submit: see its source\n");
		return 2;
	}
	members = atoi(argv[2]);
	complete = atoi(argv[3]);
	for (int i = 1; i <= atoi(argv[1]); i++) {
		int present = (argc == 6) ? atoi(argv[5]) :
					    members - (i > complete);

		if (submit_gang(i, members, present, argv[4], argc == 5) < 0)
			return 1;
	}
	return 0;
}
