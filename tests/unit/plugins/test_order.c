/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_order.c - the ranks of a gang's job in ring order, and their hostfile */

#include <sys/stat.h>
#include <unistd.h>

#include "../unit.h"
#include "plugins/spank/hostfile.h"
#include "plugins/spank/order.h"

#define VARIABLES_MAX 8
#define WORDS_MAX 10

/* Four nodes with two ranks each, the ring along n1 n3 n2 n4. */
#define JOB                                                                    \
	"SLURM_GANG_MEMBER_NODELIST=n1,n3,n2,n4", "SLURM_JOB_NODELIST=n[1-4]", \
		"SLURM_TASKS_PER_NODE=2(x4)", "SLURM_NTASKS=8"
#define UNEVEN                                                           \
	"SLURM_GANG_MEMBER_NODELIST=n2,n1", "SLURM_JOB_NODELIST=n[1-2]", \
		"SLURM_TASKS_PER_NODE=2,1", "SLURM_NTASKS=3"
#define NATIVE "SLURM_GANG_NATIVE_ORDER=ring"
#define RING "n1\nn1\nn3\nn3\nn2\nn2\nn4\nn4\n"

/* 4.28: what the hostfile of a batch script says. */
TEST(test_hostfile)
{
	static const struct {
		char *env[VARIABLES_MAX];
		const char *text; /* NULL: none, with this errno */
		int error;
	} cases[] = {
		{ LIST(JOB), RING, 0 },
		{ LIST("SLURM_GANG_MEMBER_NODELIST=n2,n1",
		       "SLURM_JOB_NODELIST=n[1-2]", "SLURM_TASKS_PER_NODE=8,4"),
		  "n2\nn1\n", 0 },
		{ LIST("SLURM_GANG_MEMBER_NODELIST=n2,n1",
		       "SLURM_JOB_NODELIST=n[1-2]", "SLURM_NTASKS=3",
		       "SLURM_TASKS_PER_NODE=2,1"),
		  "n2\nn1\nn1\n", 0 },
		{ LIST("SLURM_GANG_MEMBER_NODELIST=n1",
		       "SLURM_JOB_NODELIST=n1"),
		  "n1\n", 0 },
		{ LIST("SLURM_JOB_NODELIST=n1"), NULL, ENOENT },
		{ LIST("SLURM_GANG_MEMBER_NODELIST=n1"), NULL, ENOENT },
		{ LIST(NULL), NULL, ENOENT },
		/* the job has lost a node since, or the step has not all */
		{ LIST("SLURM_GANG_MEMBER_NODELIST=n1,n2",
		       "SLURM_JOB_NODELIST=n1"),
		  NULL, EINVAL },
		{ LIST("SLURM_GANG_MEMBER_NODELIST=n1,n2",
		       "SLURM_JOB_NODELIST=n[2-3]"),
		  NULL, EINVAL },
		{ LIST("SLURM_GANG_MEMBER_NODELIST=n2,n1",
		       "SLURM_JOB_NODELIST=n[1-2]", "SLURM_NTASKS=4",
		       "SLURM_TASKS_PER_NODE=2,1"),
		  NULL, EINVAL },
		{ LIST("SLURM_GANG_MEMBER_NODELIST=n2,n1",
		       "SLURM_JOB_NODELIST=n[1-2]", "SLURM_NTASKS=4"),
		  NULL, EINVAL },
		{ LIST("SLURM_GANG_MEMBER_NODELIST=n2,n1",
		       "SLURM_JOB_NODELIST=n[1-2]", "SLURM_NTASKS=0",
		       "SLURM_TASKS_PER_NODE=2,1"),
		  NULL, EINVAL },
		{ LIST("SLURM_GANG_MEMBER_NODELIST=n1",
		       "SLURM_JOB_NODELIST=n["),
		  NULL, EINVAL },
		{ LIST("SLURM_GANG_MEMBER_NODELIST=]", "SLURM_JOB_NODELIST=n1"),
		  NULL, EINVAL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_error err;
		char *text = sgang_order_hostfile(cases[i].env, &err);

		if (!text && errno != cases[i].error)
			fail_msg("case %zu: %s", i, err.text);
		if (!text != !cases[i].text ||
		    (text && strcmp(text, cases[i].text)))
			fail_msg("case %zu: %s", i, text ? text : "nothing");
		free(text);
	}
}

/* 4.21: which steps are put in ring order. */
TEST(test_command_line)
{
	static const struct {
		char *argv[WORDS_MAX]; /* behind srun */
		bool ordered;
	} cases[] = {
		{ { "app" }, true },
		{ { NULL }, true },
		{ { "-l", "app", "-n2" }, true },
		{ { "-ul", "app" }, true },
		{ { "-uln8", "app" }, true },
		{ { "-n", "8", "-N", "4", "app" }, true },
		{ { "-n8", "-N4", "app" }, true },
		{ { "--ntasks=8", "--nodes", "4", "app" }, true },
		{ { "--ntasks-per-node=2", "app" }, true },
		{ { "-K", "app" }, true },
		{ { "--quit-on-interrupt", "-q", "app" }, true },
		{ { "-K0", "app" }, true },
		{ { "--kill-on-bad-exit", "app" }, true },
		{ { "--mpi=pmix", "--", "-n2" }, true },
		{ { "-c2", "app" }, true },
		{ { "-o", "-n2", "app" }, true },
		{ { "-n2", "app" }, false },
		{ { "-ln2", "app" }, false },
		{ { "-l", "-n", "16", "app" }, false },
		{ { "-n" }, false },
		{ { "-N3", "app" }, false },
		{ { "-N1-4", "app" }, false },
		{ { "--nodes", "app" }, false },
		{ { "--ntasks-per-node=4", "app" }, false },
		{ { "-c1", "app" }, false },
		{ { "-w", "n1", "app" }, false },
		{ { "-wn1", "app" }, false },
		{ { "--nodelist=n1", "app" }, false },
		{ { "--distribution=block", "app" }, false },
		{ { "-m", "cyclic", "app" }, false },
		{ { "-lm", "cyclic", "app" }, false },
		{ { "--jobid=7", "app" }, false },
		{ { "--multi-prog", "conf" }, false },
		/* short for --ntasks, or for something we do not know */
		{ { "--ntask=8", "app" }, false },
		{ { "--label=yes", "app" }, false },
		{ { "-", "app" }, false },
		{ { "app", ":", "app" }, false },
		{ { "--het-group=0", "app" }, false },
	};
	char *env[] = { JOB, "SLURM_CPUS_PER_TASK=2", NULL };

	for (size_t i = 0; i < COUNT(cases); i++) {
		char *argv[WORDS_MAX + 1] = { "srun" }, *text = NULL;
		struct sgang_error err;
		int rc;

		for (size_t w = 0; w < WORDS_MAX - 1; w++)
			argv[w + 1] = cases[i].argv[w];
		rc = sgang_order_step(argv, env, true, &text, &err);
		if (rc != (cases[i].ordered ? SGANG_ORDER_HOSTFILE :
					      SGANG_ORDER_SLURM))
			fail_msg("case %zu, %s: %d", i, argv[1], rc);
		if (cases[i].ordered)
			assert_string_equal(text, RING);
		free(text);
	}
}

/* 4.21: what Slurm is asked for depends on what it takes. */
TEST(test_ways)
{
	static const struct {
		char *argv[4];
		char *env[VARIABLES_MAX];
		bool nodes_too;
		enum sgang_order order;
	} cases[] = {
		{ LIST("srun", "-N4", "app"), LIST(JOB), true,
		  SGANG_ORDER_HOSTFILE },
		{ LIST("srun", "-N4", "app"), LIST(JOB), false,
		  SGANG_ORDER_SLURM },
		{ LIST("srun", "--nodes=4", "app"), LIST(JOB), false,
		  SGANG_ORDER_SLURM },
		{ LIST("srun", "-n8", "app"), LIST(JOB), false,
		  SGANG_ORDER_HOSTFILE },
		{ LIST("srun", "-N4", "app"), LIST(JOB, NATIVE), false,
		  SGANG_ORDER_BLOCK },
		{ LIST("srun", "app"), LIST(JOB, NATIVE), false,
		  SGANG_ORDER_BLOCK },
		{ LIST("srun", "-n4", "app"), LIST(JOB, NATIVE), false,
		  SGANG_ORDER_SLURM },
		/* not as many ranks on each */
		{ LIST("srun", "app"), LIST(UNEVEN, NATIVE), false,
		  SGANG_ORDER_HOSTFILE },
		{ LIST("srun", "-N2", "app"), LIST(UNEVEN, NATIVE), false,
		  SGANG_ORDER_SLURM },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_error err;
		char *text = NULL;
		int rc = sgang_order_step(cases[i].argv, cases[i].env,
					  cases[i].nodes_too, &text, &err);

		if (rc != (int)cases[i].order ||
		    !text != (rc != SGANG_ORDER_HOSTFILE))
			fail_msg("case %zu: %d", i, rc);
		free(text);
	}
}

TEST(test_environment)
{
	static const struct {
		char *env[VARIABLES_MAX];
		bool ordered;
	} cases[] = {
		{ { JOB, "SLURM_JOB_NUM_NODES=4" }, true },
		{ { JOB, "SLURM_NTASKS_PER_NODE=2" }, true },
		{ { JOB, "SLURM_CPUS_PER_TASK=2", "SRUN_CPUS_PER_TASK=2" },
		  true },
		{ { JOB, "SLURM_JOB_NUM_NODES=3" }, false },
		{ { JOB, "SLURM_NTASKS_PER_NODE=4" }, false },
		{ { JOB, "SLURM_CPUS_PER_TASK=2", "SRUN_CPUS_PER_TASK=1" },
		  false },
		{ { JOB, "SLURM_DISTRIBUTION=cyclic" }, false },
		{ { JOB, "SLURM_HOSTFILE=mine" }, false },
		{ { JOB, "SLURM_HET_SIZE=2" }, false },
		/* the ring goes as Slurm does anyway */
		{ { "SLURM_GANG_MEMBER_NODELIST=n[1-2]",
		    "SLURM_JOB_NODELIST=n[1-2]" },
		  false },
		{ { "SLURM_GANG_MEMBER_NODELIST=n1", "SLURM_JOB_NODELIST=n1" },
		  false },
		{ { "SLURM_JOB_NODELIST=n[1-2]" }, false },
		{ { "SLURM_GANG_MEMBER_NODELIST=n2,n1",
		    "SLURM_JOB_NODELIST=n[1-3]" },
		  false },
	};
	char *argv[] = { "srun", "app", NULL };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_error err;
		char *text = NULL;

		if (sgang_order_step(argv, cases[i].env, true, &text, &err) !=
		    (cases[i].ordered ? SGANG_ORDER_HOSTFILE :
					SGANG_ORDER_SLURM))
			fail_msg("case %zu", i);
		free(text);
	}
}

static void assert_holds(const char *path, const char *wanted)
{
	char text[64] = "";
	FILE *in = fopen(path, "r");

	assert_non_null(in);
	assert_int_equal(fread(text, 1, sizeof(text) - 1, in), strlen(wanted));
	fclose(in);
	assert_string_equal(text, wanted);
}

TEST(test_keep)
{
	char path[SGANG_HOSTFILE_PATH];
	struct sgang_error err;
	int fd = sgang_hostfile_keep(RING, path, &err);

	assert_true(fd >= 0);
	assert_non_null(strchr(path, '/'));
	assert_holds(path, RING);
	close(fd);
}

/* 4.28: for its owner's eyes, and nobody can bend the path. */
TEST(test_write)
{
	char folder[] = "/tmp/test_order.XXXXXX";
	char script[64], target[64];
	struct sgang_error err;
	struct stat info;
	char *path;

	assert_non_null(mkdtemp(folder));
	snprintf(script, sizeof(script), "%s/slurm_script", folder);
	snprintf(target, sizeof(target), "%s/gang_hostfile", folder);
	assert_int_equal(symlink("/dev/null", target), 0);
	path = sgang_hostfile_write(script, RING, getuid(), getgid(), &err);
	assert_string_equal(path, target);
	assert_int_equal(lstat(path, &info), 0);
	assert_true(S_ISREG(info.st_mode));
	assert_int_equal(info.st_mode & 07777, 0600);
	assert_holds(path, RING);
	free(path);
	assert_int_equal(unlink(target), 0);

	/* a folder in its place cannot be replaced */
	assert_int_equal(mkdir(target, 0700), 0);
	assert_null(
		sgang_hostfile_write(script, RING, getuid(), getgid(), &err));
	assert_non_null(strstr(err.text, target));
	assert_int_equal(rmdir(target), 0);
	assert_int_equal(rmdir(folder), 0);

	assert_null(
		sgang_hostfile_write(script, RING, getuid(), getgid(), &err));
	assert_int_equal(errno, ENOENT);
	assert_null(
		sgang_hostfile_write("script", RING, getuid(), getgid(), &err));
	assert_int_equal(errno, EINVAL);
}

TEST_MAIN(NULL, NULL)
