/* SPDX-License-Identifier: GPL-2.0-or-later */
/* client.c - what sgang reads of libslurm's records with private headers */

#define _GNU_SOURCE /* memfd_create() */

#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "release.h"

#include "client.h"

uint32_t sgang_resources_cpus(const struct job_resources *res, uint32_t node)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < res->cpu_array_cnt; i++) {
		before += res->cpu_array_reps[i];
		if (node < before)
			return res->cpu_array_value[i];
	}
	return 0;
}

/* The bitmap has the cores of the job's nodes one after the other, and nodes
 * that are alike are described once. */
static int find_node(const struct job_resources *res, uint32_t node,
		     uint32_t *first, uint32_t *count)
{
	uint32_t before = 0, core = 0;

	if (node >= res->nhosts || !res->core_bitmap)
		return -1;
	for (uint32_t i = 0; before < res->nhosts; i++) {
		uint32_t each = res->sockets_per_node[i] *
				res->cores_per_socket[i];
		uint32_t alike = res->sock_core_rep_count[i];

		if (!alike)
			return -1;
		if (node < before + alike) {
			*first = core + (node - before) * each;
			*count = each;
			return (bitoff_t)*first + each <=
					       bit_size(res->core_bitmap) ?
				       0 :
				       -1;
		}
		before += alike;
		core += alike * each;
	}
	return -1;
}

int sgang_resources_cores(const struct job_resources *res, uint32_t node,
			  uint32_t **cores)
{
	uint32_t first, count;
	int n = 0;

	if (find_node(res, node, &first, &count)) {
		errno = EINVAL;
		return -1;
	}
	*cores = malloc((count + 1) * sizeof(**cores));
	if (!*cores)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		if (bit_test(res->core_bitmap, (bitoff_t)first + i))
			(*cores)[n++] = i;
	}
	return n;
}

const char *sgang_client_reason(uint32_t reason)
{
	return release_reason((enum job_state_reason)reason);
}

/* The library has no call for what slurmctld says beside an error: it logs it.
 * Its log takes a file with a descriptor, and closes it. */
FILE *sgang_client_log_catch(void)
{
	log_options_t options = LOG_OPTS_STDERR_ONLY;
	int fd = memfd_create("sgang-log", MFD_CLOEXEC);
	FILE *log = fd < 0 ? NULL : fdopen(fd, "w+");

	if (!log) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	options.stderr_level = LOG_LEVEL_QUIET;
	options.logfile_level = LOG_LEVEL_ERROR;
	log_alter_with_fp(options, 0, log);
	return log;
}

/* NULL with errno. */
static char *read_back(FILE *log)
{
	struct stat st;
	char *text;

	if (fflush(log) || fstat(fileno(log), &st))
		return NULL;
	text = malloc((size_t)st.st_size + 1);
	if (!text)
		return NULL;
	if (pread(fileno(log), text, (size_t)st.st_size, 0) != st.st_size) {
		free(text);
		errno = EIO;
		return NULL;
	}
	text[st.st_size] = '\0';
	return text;
}

char *sgang_client_log_end(FILE *log)
{
	log_options_t options = LOG_OPTS_STDERR_ONLY;
	char *text = read_back(log);
	int saved = errno;

	log_alter_with_fp(options, 0, NULL);
	errno = saved;
	return text;
}

void sgang_client_free_will_run(struct will_run_response_msg *answer)
{
	slurm_free_will_run_response_msg((will_run_response_msg_t *)answer);
}
