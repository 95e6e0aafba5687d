/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_reserve.c - sbatch --gang-reserve: what is submitted, and cancelled
 *
 * This program is the sbatch that reserve.c runs, and the scancel: they write
 * what they were called for into a file.
 */

#include <limits.h>
#include <unistd.h>

#include "../unit.h"
#include "plugins/spank/reserve.h"

/* In the environment of both: the file. */
#define CALLS "TEST_RESERVE_CALLS"

/* ---- as another program ---- */

static unsigned int lines_of(const char *path)
{
	FILE *in = fopen(path, "r");
	unsigned int n = 0;

	for (int c; in && (c = getc(in)) != EOF;)
		n += c == '\n';
	if (in)
		fclose(in);
	return n;
}

static void note_call(const char *what, char **argv)
{
	FILE *out = fopen(getenv(CALLS), "a");

	if (!out)
		exit(2);
	fputs(what, out);
	for (size_t i = 0; argv[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", argv[i]);
	putc('\n', out);
	fclose(out);
}

static bool has_word(char **argv, const char *word)
{
	while (*argv && strcmp(*argv, word))
		argv++;
	return *argv;
}

/* The job itself is refused if its script says so. */
static int be_sbatch(char **argv)
{
	unsigned int number = 11 + lines_of(getenv(CALLS));
	const char *name = getenv("SBATCH_JOB_NAME");
	struct sgang_reserve_run run;
	char what[1024];

	if (!sgang_reserve_take(&run))
		return 2;
	snprintf(what, sizeof(what), "%s %s %s ", run.role, run.array,
		 name ? name : "-");
	note_call(what, argv);
	if (!strcmp(run.array, "no") && has_word(argv, "refused.sh"))
		return 3;
	if (has_word(argv, "--parsable"))
		printf("%u;cluster\n", number);
	else
		printf("Submitted batch job %u\n", number);
	return 0;
}

/* ---- the tests ---- */

static char dir[] = "test_reserve.XXXXXX";
static char calls[PATH_MAX], scancel[PATH_MAX];

static int setup(void **state)
{
	char here[PATH_MAX], self[PATH_MAX], path[2 * PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0 || !mkdtemp(dir) || !getcwd(here, sizeof(here)))
		return -1;
	self[n] = '\0';
	snprintf(calls, sizeof(calls), "%s/calls", dir);
	snprintf(scancel, sizeof(scancel), "%s/scancel", dir);
	snprintf(path, sizeof(path), "%s/%s:%s", here, dir, getenv("PATH"));
	unsetenv("SBATCH_JOB_NAME");
	unsetenv("SBATCH_ARRAY_INX");
	return setenv(CALLS, calls, 1) || setenv("PATH", path, 1) ||
	       symlink(self, scancel);
}

static int teardown(void **state)
{
	unlink(calls);
	return unlink(scancel) || rmdir(dir);
}

/* Submit with 'argv', ending with 'status'; these were the calls. */
static void submits(char *const *argv, int status, const char *expected)
{
	const struct sgang_reserve_request request = {
		.argv = argv,
		.list = "driver:1,executor:8",
		.role = "driver",
		.input = -1,
	};
	struct sgang_error err;
	char text[2048];
	FILE *in;

	unlink(calls);
	assert_int_equal(sgang_reserve_submit(&request, &err), status);
	in = fopen(calls, "r");
	assert_non_null(in);
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	fclose(in);
	assert_string_equal(text, expected);
}

/* Each group, then the job itself. Words that would keep a number back are left
 * out for the placeholders. */
TEST(each_group_is_submitted)
{
	char *argv[] = { "sbatch", "-W", "--quiet", "-N1", "driver.sh", NULL };

	submits(argv, 0,
		"driver:min=1 1-1 driver.placeholder sbatch -N1 driver.sh\n"
		"executor:min=8 1-8 executor.placeholder sbatch -N1 "
		"driver.sh\n"
		"driver:min=1 no - sbatch -W --quiet -N1 driver.sh\n");
}

/* When the job is refused, its placeholders are cancelled, in whichever way
 * their numbers were told. */
TEST(what_is_refused_leaves_nothing)
{
	char *told[] = { "sbatch", "refused.sh", NULL };
	char *parsable[] = { "sbatch", "--parsable", "refused.sh", NULL };

	submits(told, 3,
		"driver:min=1 1-1 driver.placeholder sbatch refused.sh\n"
		"executor:min=8 1-8 executor.placeholder sbatch refused.sh\n"
		"driver:min=1 no - sbatch refused.sh\n"
		"scancel 11 12\n");
	submits(parsable, 3,
		"driver:min=1 1-1 driver.placeholder sbatch --parsable "
		"refused.sh\n"
		"executor:min=8 1-8 executor.placeholder sbatch --parsable "
		"refused.sh\n"
		"driver:min=1 no - sbatch --parsable refused.sh\n"
		"scancel 11 12\n");
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');

	if (!strcmp(slash ? slash + 1 : argv[0], "scancel")) {
		note_call("", argv);
		return 0;
	}
	if (argc > 1)
		return be_sbatch(argv);
	return run_all_tests(setup, teardown);
}
