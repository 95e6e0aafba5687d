/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_spank_gang.c - the hooks of gang.so, called by a fake Slurm */

#include <sys/wait.h>
#include <unistd.h>

#include <slurm/slurm.h>

#include "../unit.h"
#include "../../fake/fake_spank.h"
#include "plugins/spank/in_use.h"

#define CLEAN_TEST(name) TEST_WITH(name, clean_environment, NULL)

#define OPTION "SLURM_SPANK__SLURM_SPANK_OPTION_gang_"

/* The names that can be typed, and those that cannot. */
#define TYPED 34
#define HIDDEN 3

/* A gang job's environment, and one variable that is nobody's. */
static const char *const inherited[][2] = {
	{ OPTION "gang", "parent" },
	{ OPTION "gang_min_member", "4" },
	{ OPTION "gang_on_failure", "kill" },
	{ OPTION "gang_object", "1" },
	{ "_SLURM_SPANK_OPTION_gang_gang", "parent" },
	{ "SLURM_GANG_NAME", "parent" },
	{ "SLURM_GANG_RANKS", "16" },
	{ "SLURM_SPANK__SLURM_SPANK_OPTION_other_x", "1" },
};
#define N_INHERITED (COUNT(inherited))

static int clean_environment(void **state)
{
	for (size_t i = 0; i < N_INHERITED; i++)
		unsetenv(inherited[i][0]);
	unsetenv("SLURM_JOB_ID");
	unsetenv("SLURM_JOBID");
	unsetenv("SLURM_CLUSTERS");
	return 0;
}

static void set_inherited(void)
{
	for (size_t i = 0; i < N_INHERITED; i++)
		assert_int_equal(setenv(inherited[i][0], inherited[i][1], 1),
				 0);
}

static void load(enum spank_context context)
{
	fake_spank_reset(context);
	assert_int_equal(slurm_spank_init(NULL, 0, NULL), 0);
}

/* The options are there where they are typed, and in slurmstepd, which looks
 * for them. */
TEST(test_contexts)
{
	static const struct {
		enum spank_context context;
		size_t n_options;
	} cases[] = {
		{ S_CTX_LOCAL, TYPED },  { S_CTX_ALLOCATOR, TYPED },
		{ S_CTX_REMOTE, TYPED }, { S_CTX_SLURMD, 0 },
		{ S_CTX_JOB_SCRIPT, 0 }, { S_CTX_ERROR, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		load(cases[i].context);
		assert_int_equal(fake_spank.n_options, cases[i].n_options);
		assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), 0);
		assert_int_equal(fake_spank.n_errors, 0);
	}
}

/* Nobody can say --gang-object, or find it in --help. */
TEST(test_hidden_option)
{
	load(S_CTX_ALLOCATOR);
	assert_int_equal(fake_spank_type("gang-on-failure", "kill", 0), 0);
	assert_int_equal(fake_spank_type("gang-object", "1", 0), -1);
}

TEST(test_not_registered)
{
	fake_spank_reset(S_CTX_ALLOCATOR);
	fake_spank.register_rc = ESPANK_BAD_ARG;
	assert_int_equal(slurm_spank_init(NULL, 0, NULL), -1);
	assert_non_null(strstr(fake_spank.error, "cannot register --gang"));
}

/* 0.18, 0.20: what is not understood is refused, in one sentence. */
TEST(test_bad_value)
{
	load(S_CTX_ALLOCATOR);
	assert_int_equal(fake_spank_type("gang", "train", 0), 0);
	assert_int_equal(fake_spank.n_errors, 0);
	assert_int_not_equal(fake_spank_type("gang", "Train", 0), 0);
	assert_int_equal(fake_spank.n_errors, 1);
	assert_string_equal(fake_spank.error, "gang: --gang=Train: a gang's "
					      "name has no upper-case letters");
	assert_int_not_equal(fake_spank_type("gang-min-available", "0", 0), 0);
	assert_int_equal(fake_spank.n_errors, 2);
}

/* In slurmstepd it is too late to refuse anything. */
TEST(test_remote_value)
{
	load(S_CTX_REMOTE);
	assert_int_equal(fake_spank_type("gang", "Train", 1), 0);
	assert_int_equal(fake_spank.n_errors, 0);
}

static void assert_environment(const bool kept[N_INHERITED])
{
	for (size_t i = 0; i < N_INHERITED; i++)
		if (!!getenv(inherited[i][0]) != kept[i])
			fail_msg("%s is %s", inherited[i][0],
				 kept[i] ? "gone" : "still there");
}

/* A job submitted from inside a gang job does not join the gang. */
CLEAN_TEST(test_parent_is_forgotten)
{
	static const char *const markers[] = { "SLURM_JOB_ID", "SLURM_JOBID",
					       "SLURM_GANG_NAME" };
	static const enum spank_context contexts[] = { S_CTX_ALLOCATOR,
						       S_CTX_LOCAL };

	for (size_t m = 0; m < 3; m++) {
		for (size_t c = 0; c < 2; c++) {
			/* that is a step, see below */
			if (contexts[c] == S_CTX_LOCAL && m == 0)
				continue;
			clean_environment(NULL);
			set_inherited();
			setenv(markers[m], "7", 1);
			load(contexts[c]);
			assert_environment((const bool[]){ false, false, false,
							   false, false, false,
							   false, true });
		}
	}
}

/* A step does not parse its job's options again, and goes on being told. */
CLEAN_TEST(test_step)
{
	set_inherited();
	setenv("SLURM_JOB_ID", "7", 1);
	load(S_CTX_LOCAL);
	assert_environment((const bool[]){ false, false, false, false, false,
					   true, true, true });

	assert_int_equal(fake_spank_type("gang", "train", 0), 0);
	assert_int_equal(fake_spank.n_errors, 1);
	assert_non_null(strstr(fake_spank.error, "--gang is ignored"));
}

/* Outside of jobs such a variable is somebody's own default. */
CLEAN_TEST(test_default_by_hand)
{
	setenv(OPTION "gang", "mine", 1);
	load(S_CTX_ALLOCATOR);
	assert_string_equal(getenv(OPTION "gang"), "mine");
}

/* What a task starts does not find the options. */
CLEAN_TEST(test_hidden_from_tasks)
{
	size_t i, gang = 0, alias = 0, object = 0;

	load(S_CTX_REMOTE);
	assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), 0);
	/* and a hostfile that another host has */
	assert_int_equal(fake_spank.n_unset, TYPED + HIDDEN + 1);
	assert_string_equal(fake_spank.unset[TYPED + HIDDEN],
			    "SLURM_GANG_HOSTFILE");
	for (i = 0; i < fake_spank.n_unset; i++) {
		gang += !strcmp(fake_spank.unset[i], OPTION "gang");
		alias += !strcmp(fake_spank.unset[i],
				 OPTION "gang_min_available");
		object += !strcmp(fake_spank.unset[i], OPTION "gang_object");
	}
	assert_int_equal(gang, 1);
	assert_int_equal(alias, 1);
	assert_int_equal(object, 1);
}

/* 4.28: the batch script finds the hostfile of its job, as long as it runs. */
TEST(test_batch_hostfile)
{
	char folder[] = "/tmp/test_spank_gang.XXXXXX";
	char script[64], wanted[128];

	assert_non_null(mkdtemp(folder));
	snprintf(script, sizeof(script), "%s/slurm_script", folder);
	snprintf(wanted, sizeof(wanted), "SLURM_GANG_HOSTFILE=%s/gang_hostfile",
		 folder);
	load(S_CTX_REMOTE);
	fake_spank.step = SLURM_BATCH_SCRIPT;
	fake_spank.argv[0] = script;
	fake_spank.env[0] = "SLURM_GANG_MEMBER_NODELIST=n2,n1";
	fake_spank.env[1] = "SLURM_JOB_NODELIST=n[1-2]";
	assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), 0);
	assert_string_equal(fake_spank.set, wanted);
	assert_int_equal(access(strchr(wanted, '=') + 1, R_OK), 0);
	assert_int_equal(slurm_spank_exit(NULL, 0, NULL), 0);
	/* nothing is left in it */
	assert_int_equal(rmdir(folder), 0);

	/* no file, no variable, and the job runs */
	fake_spank.set[0] = '\0';
	assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), 0);
	assert_string_equal(fake_spank.set, "");
	assert_int_equal(slurm_spank_exit(NULL, 0, NULL), 0);
}

/* 4.21: in a step that we have put in ring order another one can start. */
TEST(test_ordered_step)
{
	load(S_CTX_REMOTE);
	fake_spank.step = 0;
	fake_spank.env[0] = "SLURM_GANG_RANK_ORDER=ring";
	fake_spank.env[1] = "SLURM_DISTRIBUTION=arbitrary";
	assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), 0);
	assert_string_equal(fake_spank.unset[fake_spank.n_unset - 1],
			    "SLURM_DISTRIBUTION");
	assert_string_equal(fake_spank.set, "");
}

/* How a command with --gang-on-failure ends, or goes on: 100, and how often it
 * has asked slurmctld. */
static int post_opt(enum spank_context context, const char *plugins)
{
	int status;
	pid_t pid;

	load(context);
	fake_spank.plugins = plugins;
	setenv("_SLURM_SPANK_OPTION_gang_gang_on_failure", "kill", 1);
	pid = fork();
	if (!pid) {
		int rc = slurm_spank_init_post_opt(NULL, 0, NULL);

		_exit(rc ? 99 : 100 + (int)fake_spank.n_asked);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int forget_option(void **state)
{
	unsetenv("_SLURM_SPANK_OPTION_gang_gang_on_failure");
	unsetenv("SLURM_EXIT_ERROR");
	return clean_environment(state);
}

/* 0.20: where slurmctld has no gangs each member would start alone. */
TEST_WITH(test_no_gangs_in_slurmctld, clean_environment, forget_option)
{
	static const struct {
		const char *plugins;
		int ends;
	} cases[] = {
		{ "gang", 101 },     { "lua,gang", 101 },
		{ "gang,lua", 101 }, { "lua,job_submit/gang", 101 },
		{ NULL, 1 },         { "", 1 },
		{ "lua", 1 },        { "gangs", 1 },
		{ "lua,ga", 1 },     { "Gang", 1 },
	};
	struct sgang_error err;

	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(post_opt(S_CTX_ALLOCATOR, cases[i].plugins),
				 cases[i].ends);
		assert_int_equal(post_opt(S_CTX_LOCAL, cases[i].plugins),
				 cases[i].ends);
	}
	assert_int_equal(sgang_in_use(&err), -1);
	assert_string_equal(err.text,
			    "--gang: slurmctld does not use slurm-gang, its "
			    "JobSubmitPlugins= has no gang, so the job would "
			    "start alone; tell its administrator, or submit "
			    "the job without --gang");
	/* a script tells Slurm's errors from those of its program */
	setenv("SLURM_EXIT_ERROR", "7", 1);
	assert_int_equal(post_opt(S_CTX_ALLOCATOR, NULL), 7);
	setenv("SLURM_EXIT_ERROR", "x", 1);
	assert_int_equal(post_opt(S_CTX_ALLOCATOR, NULL), 1);
}

/* Its own settings count, slurm.conf only where it does not say them. */
TEST(test_slurmctld_is_down)
{
	struct sgang_error err = { "" };

	load(S_CTX_ALLOCATOR);
	fake_spank.is_down = true;
	slurm_conf.job_submit_plugins = "lua,gang";
	assert_int_equal(sgang_in_use(&err), 0);
	slurm_conf.job_submit_plugins = "lua";
	assert_int_equal(sgang_in_use(&err), -1);
	assert_non_null(strstr(err.text, "this host's slurm.conf"));
	fake_spank.is_down = false;
	assert_int_equal(sgang_in_use(&err), 0);
	fake_spank.plugins = "lua";
	slurm_conf.job_submit_plugins = "gang";
	assert_int_equal(sgang_in_use(&err), -1);
	assert_int_equal(fake_spank.n_asked, 4);
}

/* Neither of a job without a gang, nor of a step, nor of a job for another
 * cluster. A default of the user's own counts as what is typed. */
TEST_WITH(test_who_asks, clean_environment, forget_option)
{
	load(S_CTX_ALLOCATOR);
	fake_spank.plugins = NULL;
	assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), 0);
	assert_int_equal(fake_spank.n_asked, 0);
	setenv("SLURM_CLUSTERS", "other", 1);
	assert_int_equal(post_opt(S_CTX_ALLOCATOR, NULL), 100);
	unsetenv("SLURM_CLUSTERS");
	setenv("SLURM_JOB_ID", "7", 1);
	assert_int_equal(post_opt(S_CTX_LOCAL, NULL), 100);
	forget_option(NULL);
	setenv(OPTION "gang", "mine", 1);
	load(S_CTX_ALLOCATOR);
	assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), 0);
	assert_int_equal(fake_spank.n_asked, 1);
}

TEST_MAIN(NULL, clean_environment)
