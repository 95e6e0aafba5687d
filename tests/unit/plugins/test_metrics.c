/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_metrics.c - counts of what the conductor did */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "plugins/select/metrics.h"

static char *printed(const struct sgang_metrics *m)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	sgang_metrics_print(m, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void test_print(void **state)
{
	static const char *const lines[] = {
		"# TYPE slurm_gang_starts counter\n"
		"# HELP slurm_gang_starts Gangs started.\n"
		"slurm_gang_starts_total 2\n",
		"slurm_gang_attempts_total 0\n",
		"# TYPE slurm_gang_wait_seconds histogram\n"
		"# UNIT slurm_gang_wait_seconds seconds\n# HELP ",
		"slurm_gang_wait_seconds_bucket{le=\"1.0\"} 2\n",
		"slurm_gang_wait_seconds_bucket{le=\"10.0\"} 2\n",
		"slurm_gang_wait_seconds_bucket{le=\"60.0\"} 3\n",
		"slurm_gang_wait_seconds_bucket{le=\"604800.0\"} 3\n",
		"slurm_gang_wait_seconds_bucket{le=\"+Inf\"} 4\n",
		"slurm_gang_wait_seconds_sum 1000061.500000\n",
		"slurm_gang_wait_seconds_count 4\n",
		/* with fewer bounds than others have */
		"slurm_gang_lock_seconds_bucket{le=\"0.0001\"} 1\n",
		"slurm_gang_lock_seconds_bucket{le=\"1.0\"} 1\n"
		"slurm_gang_lock_seconds_bucket{le=\"+Inf\"} 2\n",
		"slurm_gang_ring_over_best_ratio_bucket{le=\"1.0\"} 1\n",
		"slurm_gang_ring_over_best_ratio_bucket{le=\"1.1\"} 1\n",
		"slurm_gang_ring_over_best_ratio_bucket{le=\"1.25\"} 2\n",
	};
	struct sgang_metrics m;
	char *text;

	(void) state;
	memset(&m, 0, sizeof(m));
	sgang_metrics_add(&m, SGANG_COUNT_STARTS);
	sgang_metrics_add(&m, SGANG_COUNT_STARTS);
	sgang_metrics_observe(&m, SGANG_HIST_WAIT, 0.5);
	sgang_metrics_observe(&m, SGANG_HIST_WAIT, 1);
	sgang_metrics_observe(&m, SGANG_HIST_WAIT, 60);
	sgang_metrics_observe(&m, SGANG_HIST_WAIT, 1e6);
	sgang_metrics_observe(&m, SGANG_HIST_LOCK, 0.00005);
	sgang_metrics_observe(&m, SGANG_HIST_LOCK, 7);
	sgang_metrics_observe(&m, SGANG_HIST_RING, 1);
	sgang_metrics_observe(&m, SGANG_HIST_RING, 1.2);
	text = printed(&m);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		if (!strstr(text, lines[i]))
			fail_msg("no \"%s\" in\n%s", lines[i], text);
	}
	assert_string_equal(text + strlen(text) - 6, "# EOF\n");
	free(text);
}

/* The file is replaced as a whole, or stays. */
static void test_write(void **state)
{
	char dir[] = "test_metrics.XXXXXX", path[64], new[80], text[64];
	struct sgang_metrics m;
	struct sgang_error err;
	struct stat st;
	FILE *in;

	(void) state;
	memset(&m, 0, sizeof(m));
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/gang.prom", dir);
	snprintf(new, sizeof(new), "%s.new", path);
	assert_int_equal(sgang_metrics_write(&m, path, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	assert_int_equal(access(new, F_OK), -1);
	/* what a killed slurmctld has left is no obstacle, */
	in = fopen(new, "w");
	assert_non_null(in);
	assert_int_equal(fclose(in), 0);
	assert_int_equal(sgang_metrics_write(&m, path, &err), 0);
	/* a folder is one */
	assert_int_equal(mkdir(new, 0700), 0);
	errno = 0;
	assert_int_equal(sgang_metrics_write(&m, path, &err), -1);
	assert_int_not_equal(errno, 0);
	assert_non_null(strstr(err.text, "gang.prom.new: cannot be written: "));
	in = fopen(path, "r");
	assert_non_null(in);
	assert_non_null(fgets(text, sizeof(text), in));
	assert_string_equal(text, "# TYPE slurm_gang_attempts counter\n");
	assert_int_equal(fclose(in), 0);
	assert_int_equal(rmdir(new), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(sgang_metrics_write(&m, path, &err), -1);
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
