/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_job_submit.c - admission of gang members, over a cluster of 16 nodes
 *
 * Users: alice is 1000, bob 1001; uid 1002 has no name. Partitions: main has
 * all 16 nodes of 8 CPUs, half has 8 of them.
 */

#include <stddef.h>
#include <unistd.h>

#include "../unit.h"
#include "../core/fail_alloc.h"
#include "plugins/job_submit/job_submit.h"
#include "plugins/job_submit/roll.h"

#define SUBMIT_TEST(name) TEST_WITH(name, reset, NULL)

/* ---- a fake slurmctld ---- */

#define ENV_MAX 6
#define THERE_MAX 4

/* A job in short: what is left out is 0 or NULL. */
struct job {
	const char *env[ENV_MAX];
	uint32_t uid; /* 0: alice */
	const char *account;
	bool account_checked;
	const char *array;
	uint32_t tasks; /* of a job that is there; 0: 1 */
	uint32_t throttle;
	bool started;
	bool configuring;
	bool ended;
	const char *comment;
	uint32_t submitted;
	bool held;
	bool het;
	bool time_min;
	bool expedited;
	const char *partition; /* NULL: main */
	uint32_t nodes;        /* 0: 1 */
	uint32_t cpus;         /* 0: one a node */
	uint32_t gpus;         /* what else it asks for */
	bool whole;
};

static struct {
	const struct job *jobs;
	size_t n_jobs;
	struct sgang_conf conf;
	const char *conf_error;
	struct sgang_submit_room room;
	unsigned int looked; /* calls of any kind */
} ctld;

static const char *fake_user_name(uint32_t uid)
{
	ctld.looked++;
	if (uid == 1002)
		return NULL;
	return uid == 1001 ? "bob" : "alice";
}

static bool fake_user_id(const char *name, uint32_t *uid)
{
	ctld.looked++;
	if (strcmp(name, "alice") && strcmp(name, "bob"))
		return false;
	*uid = strcmp(name, "bob") ? 1000 : 1001;
	return true;
}

/* bob may charge the account bob, and alice none that is called alice. */
static bool fake_own_account(const char *name)
{
	ctld.looked++;
	return !strcmp(name, "bob");
}

static int fake_load_conf(struct sgang_conf *conf, struct sgang_error *err)
{
	ctld.looked++;
	if (ctld.conf_error)
		return sgang_errf(err, EINVAL, "%s", ctld.conf_error);
	sgang_conf_copy(conf, &ctld.conf);
	return 0;
}

static size_t count_env(const struct job *job)
{
	size_t n = 0;

	while (n < ENV_MAX && job->env[n])
		n++;
	return n;
}

static uint32_t at_least(uint32_t value, uint32_t floor)
{
	return value > floor ? value : floor;
}

static struct sgang_submit_need need_of(const struct job *job)
{
	uint32_t nodes = at_least(job->nodes, 1);

	return (struct sgang_submit_need){
		.nodes = nodes,
		.cpus = at_least(job->cpus, nodes),
		.whole = job->whole,
	};
}

static struct sgang_submit_member member_of(const struct job *job,
					    uint32_t job_id)
{
	return (struct sgang_submit_member){
		.env = (char *const *)job->env,
		.n_env = count_env(job),
		.comment = job->comment,
		.job_id = job_id,
		.submit_time = job->submitted,
		.uid = at_least(job->uid, 1000),
		.tasks = at_least(job->tasks, 1),
		.throttle = job->throttle,
		.pending = !job->started && !job->configuring,
		.configuring = job->configuring,
		.partition = job->partition ? job->partition : "main",
		.account = job->account,
		.need = need_of(job),
	};
}

static void fake_each_member(sgang_submit_visit_f visit, void *arg)
{
	ctld.looked++;
	for (size_t i = 0; i < ctld.n_jobs; i++) {
		struct sgang_submit_member member;

		if (ctld.jobs[i].ended)
			continue;
		member = member_of(&ctld.jobs[i], (uint32_t)i + 1);
		visit(&member, arg);
	}
}

static bool fake_member(uint32_t job_id, struct sgang_submit_member *member)
{
	ctld.looked++;
	if (!job_id || job_id > ctld.n_jobs || ctld.jobs[job_id - 1].ended)
		return false;
	*member = member_of(&ctld.jobs[job_id - 1], job_id);
	return true;
}

/* Do both ask for the same? */
static bool fake_alike(uint32_t job_id, uint32_t other)
{
	const struct job *a = &ctld.jobs[job_id - 1];
	const struct job *b = &ctld.jobs[other - 1];

	ctld.looked++;
	return a->nodes == b->nodes && a->cpus == b->cpus &&
	       a->gpus == b->gpus && a->whole == b->whole;
}

static uint32_t fake_next_id(void)
{
	ctld.looked++;
	return (uint32_t)ctld.n_jobs + 1;
}

static struct sgang_members_job gang_of(uint32_t job_id)
{
	const struct job *job = &ctld.jobs[job_id - 1];

	return (struct sgang_members_job){
		.job_id = job_id,
		.uid = at_least(job->uid, 1000),
		.tasks = at_least(job->tasks, 1),
		.gang = sgang_submit_gang((char *const *)job->env,
					  count_env(job)),
	};
}

static bool fake_find(uint32_t job_id, struct sgang_members_job *job)
{
	ctld.looked++;
	if (job_id > ctld.n_jobs)
		return false;
	*job = gang_of(job_id);
	return true;
}

static void fake_each(sgang_members_visit_f visit, void *arg)
{
	ctld.looked++;
	for (uint32_t id = 1; id <= ctld.n_jobs; id++) {
		struct sgang_members_job job = gang_of(id);

		visit(&job, arg);
	}
}

static const struct sgang_members_host numbers = {
	.next_id = fake_next_id,
	.find = fake_find,
	.each = fake_each,
};

static struct sgang_submit_room fake_cluster(void)
{
	ctld.looked++;
	return ctld.room;
}

/* Who was asked about, and what is told of them. */
static struct sgang_submit_asked asked[8];
static size_t n_asked;
static uint32_t n_spare, n_others;
static char asked_topology[SGANG_POLICY_SIZE];
static const char *lacks;

static bool fake_never(const struct sgang_submit_asked *members, size_t n,
		       uint32_t spare, uint32_t others,
		       const struct sgang_spec *spec, char *why, size_t size)
{
	snprintf(asked_topology, sizeof(asked_topology), "%s", spec->topology);
	n_asked = n;
	n_spare = spare;
	n_others = others;
	for (size_t i = 0; i < n && i < 8; i++)
		asked[i] = members[i];
	if (lacks)
		snprintf(why, size, "%s", lacks);
	return lacks;
}

/* A limit of so many jobs at a time; 0: none. */
static uint64_t quota;

static bool fake_beyond(const char *account,
			const struct sgang_submit_asked *members, size_t n,
			char *why, size_t size)
{
	uint64_t jobs = 0;

	for (size_t i = 0; i < n; i++)
		jobs += members[i].members;
	snprintf(why, size, "a limit of %s", account ? account : "nobody");
	return quota && jobs > quota;
}

static struct sgang_submit_host host = {
	.user_name = fake_user_name,
	.user_id = fake_user_id,
	.own_account = fake_own_account,
	.load_conf = fake_load_conf,
	.each_member = fake_each_member,
	.member = fake_member,
	.cluster = fake_cluster,
	.never = fake_never,
	.beyond_limits = fake_beyond,
	.alike = fake_alike,
};

static int reset(void **state)
{
	sgang_conf_free(&ctld.conf);
	memset(&ctld, 0, sizeof(ctld));
	sgang_conf_default(&ctld.conf);
	ctld.room.nodes = 16;
	ctld.room.cpus = 128;
	ctld.room.memory = 16000;
	return 0;
}

/* What gang.conf says. */
static void configure(const char *lines)
{
	char path[] = "test_job_submit.XXXXXX";
	struct sgang_error err = { "" };
	int fd = mkstemp(path);
	int rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, lines, strlen(lines)), strlen(lines));
	close(fd);
	sgang_conf_free(&ctld.conf);
	rc = sgang_conf_load(path, &ctld.conf, &err);
	unlink(path);
	if (rc)
		fail_msg("%s", err.text);
}

static enum sgang_submit_verdict submit(const struct job *job,
					struct sgang_error *err)
{
	bool half = job->partition && !strcmp(job->partition, "half");
	struct sgang_submit_job submitted = {
		.env = (char *const *)job->env,
		.n_env = count_env(job),
		.uid = at_least(job->uid, 1000),
		.account = job->account,
		.account_checked = job->account_checked,
		.array = job->array,
		.held = job->held,
		.het = job->het,
		.time_min = job->time_min,
		.expedited = job->expedited,
		.partition = job->partition ? job->partition : "main",
		.need = need_of(job),
		.room = {
			.nodes = half ? 8 : 16,
			.cpus = ctld.room.cpus ? (half ? 64 : 128) : 0,
		},
	};

	return sgang_submit_check(&submitted, &host, err);
}

/* The same is said where only those jobs are looked at that may be of the gang,
 * be they found by a walk or one by one. */
static void submit_again(const struct job *job,
			 enum sgang_submit_verdict verdict, const char *why)
{
	size_t n_jobs = ctld.n_jobs;
	struct sgang_error err = { "" };

	host.members = sgang_members_create(&numbers);
	for (ctld.n_jobs = 0; ctld.n_jobs < n_jobs; ctld.n_jobs++)
		(void)sgang_members_update(host.members);
	assert_int_equal(submit(job, &err), verdict);
	assert_string_equal(err.text, why);
	sgang_members_destroy(host.members);
	host.members = NULL;
}

/* ---- jobs in words ---- */

#define O "_SLURM_SPANK_OPTION_gang_gang"

/* A job in words, as in "t min=2 nodes=8 whole": the name of its gang ("-": none),
 * options without their gang_, and what else of struct job it is. */
struct told {
	struct job job;
	char text[400];
	char env[ENV_MAX][200];
};

static const struct {
	const char *name;
	enum { FLAG, NUMBER, STRING } kind;
	size_t at;
} fields[] = {
	{ "uid", NUMBER, offsetof(struct job, uid) },
	{ "tasks", NUMBER, offsetof(struct job, tasks) },
	{ "throttle", NUMBER, offsetof(struct job, throttle) },
	{ "submitted", NUMBER, offsetof(struct job, submitted) },
	{ "nodes", NUMBER, offsetof(struct job, nodes) },
	{ "cpus", NUMBER, offsetof(struct job, cpus) },
	{ "account", STRING, offsetof(struct job, account) },
	{ "array", STRING, offsetof(struct job, array) },
	{ "partition", STRING, offsetof(struct job, partition) },
	{ "comment", STRING, offsetof(struct job, comment) },
	{ "checked", FLAG, offsetof(struct job, account_checked) },
	{ "started", FLAG, offsetof(struct job, started) },
	{ "configuring", FLAG, offsetof(struct job, configuring) },
	{ "held", FLAG, offsetof(struct job, held) },
	{ "het", FLAG, offsetof(struct job, het) },
	{ "time_min", FLAG, offsetof(struct job, time_min) },
	{ "expedited", FLAG, offsetof(struct job, expedited) },
	{ "whole", FLAG, offsetof(struct job, whole) },
};

static bool is_field(struct job *job, const char *word, const char *value)
{
	for (size_t i = 0; i < COUNT(fields); i++) {
		char *field = (char *)job + fields[i].at;

		if (strcmp(word, fields[i].name) != 0)
			continue;
		if (fields[i].kind == FLAG)
			*(bool *)field = true;
		else if (fields[i].kind == NUMBER)
			*(uint32_t *)field = (uint32_t)atoi(value);
		else
			*(const char **)field = value;
		return true;
	}
	return false;
}

static void tell_option(struct told *told, const char *word, const char *value)
{
	size_t n = count_env(&told->job);
	const char *name = !strcmp(word, "min")   ? "min_member" :
			   !strcmp(word, "total") ? "total_number" :
						    word;

	if (*word == '_')
		snprintf(told->env[n], sizeof(*told->env), "%s=%s", word,
			 value);
	else
		snprintf(told->env[n], sizeof(*told->env), O "_%s=%s", name,
			 !strcmp(word, "object") ? "1" :
			 !strcmp(word, "pool")   ? "yes" :
						   value);
	told->job.env[n] = told->env[n];
}

/* A comment, which has blanks, comes last. */
static const struct job *tell(struct told *told, const char *words,
			      size_t length)
{
	char *at, *word;

	memset(told, 0, sizeof(*told));
	assert_true(length < sizeof(told->text));
	memcpy(told->text, words, length);
	word = strtok_r(told->text, " ", &at);
	if (strcmp(word, "-") != 0) {
		snprintf(told->env[0], sizeof(*told->env), O "=%s", word);
		told->job.env[0] = told->env[0];
	}
	while (*at) {
		char *value;

		word = strtok_r(NULL, strncmp(at, "comment=", 8) ? " " : "",
				&at);
		value = strchr(word, '=');
		if (value)
			*value++ = '\0';
		if (!is_field(&told->job, word, value))
			tell_option(told, word, value);
	}
	return &told->job;
}

/* Those that are there, with semicolons between them. */
static void there_are(const char *jobs)
{
	static struct job there[THERE_MAX];
	static struct told told[THERE_MAX];

	ctld.jobs = there;
	ctld.n_jobs = 0;
	while (jobs && *jobs) {
		size_t length = strcspn(jobs, ";");

		assert_true(ctld.n_jobs < THERE_MAX);
		there[ctld.n_jobs] = *tell(&told[ctld.n_jobs], jobs, length);
		ctld.n_jobs++;
		jobs += length + strspn(jobs + length, "; ");
	}
}

/* The one that comes. */
static const struct job *told(const char *words)
{
	static struct told comes;

	return tell(&comes, words, strlen(words));
}

static struct sgang_submit_member there(uint32_t job_id)
{
	return member_of(&ctld.jobs[job_id - 1], job_id);
}

static const char *const verdict_names[SGANG_SUBMIT_VERDICTS] = {
	"FINE",       "UNDEFINED",   "IDLE",      "INVALID", "OFF",
	"BROKEN",     "UNSUPPORTED", "NOT_YOURS", "OBJECT",  "ARRAY",
	"NEVER_FITS", "LIMIT",       "NO_MEMORY",
};

/* A case in words is "[THERE >] COMES [| VERDICT WHY]": the jobs that are there, the
 * one that comes, and what is said of it; without that it is fine. */
static void run_case(const char *all, const char *text)
{
	char words[1000], *arrow, *bar, *comes = words;
	const char *expected = "FINE", *why = "";
	struct sgang_error err = { "" };
	enum sgang_submit_verdict verdict;

	assert_true(strlen(text) < sizeof(words));
	strcpy(words, text);
	bar = strstr(words, " | ");
	if (bar) {
		*bar = '\0';
		expected = strtok_r(bar + 3, " ", &bar);
		why = bar;
	}
	arrow = strstr(words, " > ");
	if (arrow) {
		*arrow = '\0';
		comes = arrow + 3;
	}
	there_are(arrow ? words : all);
	verdict = submit(told(comes), &err);
	if (strcmp(verdict_names[verdict], expected) != 0 ||
	    !strstr(err.text, why))
		fail_msg("%s: %s \"%s\"", text, verdict_names[verdict],
			 err.text);
	assert_null(strchr(err.text, '\n'));
	submit_again(told(comes), verdict, err.text);
}

static void run_cases(const char *const *cases, size_t n, const char *all)
{
	for (size_t i = 0; i < n; i++)
		run_case(all, cases[i]);
}

#define RUN(cases) run_cases(cases, COUNT(cases), NULL)
/* With these there in each of them. */
#define RUN_WITH(jobs, cases) run_cases(cases, COUNT(cases), jobs)

/* ---- the tests ---- */

/* An option without effect is taken, with a note: in the gang as it is, by all
 * that define it. */
SUBMIT_TEST(test_idle_options)
{
	static const char *const cases[] = {
		"t min=2 waiting_time=5 | IDLE --gang-waiting-time has no "
		"effect without --gang-mode=nonstrict",
		"t min=2 waiting_time=5 mode=strict | IDLE "
		"--gang-waiting-time has no effect",
		"t min=2 waiting_time=5 mode=nonstrict",
		"t min=2 mode=nonstrict > t waiting_time=5",
		"t min=2 waiting_time=5 > t",
		"held waiting_time=5",
		"plain waiting_time=5 | IDLE --gang-waiting-time has no "
		"effect",
		"t min=1 role=a waiting_time=5 | IDLE --gang-waiting-time has "
		"no effect",
		/* its definition may say more */
		"t waiting_time=5 | UNDEFINED not defined",
		/* a refusal comes first */
		"t min=2 waiting_time=5 nodes=17 | NEVER_FITS 17 nodes",
	};

	configure("GangName=alice/held MinMember=2 Mode=nonstrict\n"
		  "GangName=alice/plain MinMember=2\n");
	RUN(cases);
}

/* Jobs without a gang cost nothing. */
SUBMIT_TEST(test_ordinary_job)
{
	static const char *const cases[] = {
		"-",
		"- _SLURM_SPANK_OPTION_x_gang=A",
		"- _SLURM_SPANK_OPTION_x_y=1 nodes=99 het",
	};

	ctld.conf_error = "gang.conf:3: broken";
	RUN(cases);
	assert_int_equal(ctld.looked, 0);
	assert_false(sgang_spec_concerns(
		(char *[]){ "_SLURM_SPANK_OPTION_x_gang=A" }, 1));
	assert_true(
		sgang_spec_concerns((char *[]){ NULL, O "_min_member=2" }, 2));
}

/* 0.18, 0.20, 0.26 */
SUBMIT_TEST(test_options)
{
	static const char *const cases[] = {
		"t min=1",
		"t min=4",
		"t total=4",
		"t min=4 total=8 topology=require:leaf",
		"T | INVALID upper-case",
		"t min=0 | INVALID from 1 to",
		"t min=4 total=3 | INVALID is above",
		"- min=4 | INVALID add --gang=NAME",
		"t topology=require:rack | INVALID no level \"rack\"; the "
		"levels are island, node, leaf, spine, core",
		"t min=1 exclusive=leaf",
		"t min=1 exclusive=spine | INVALID --gang-exclusive=spine is "
		"above MaxExclusive=leaf of gang.conf",
		"t min=1 exclusive=core object held | INVALID MaxExclusive",
		"t het | UNSUPPORTED heterogeneous job",
	};

	RUN(cases);
}

/* How many gangs and members there may be: alice has two members in one gang,
 * bob has three in one of his and an array of 40 in the account's. */
SUBMIT_TEST(test_limits)
{
	static const char all[] =
		"t min=9 tasks=2; "
		"t min=9 uid=1001 tasks=3; "
		"proj/j min=9 uid=1001 account=proj tasks=40; "
		"- _SLURM_SPANK_OPTION_x_y=1";
	static const char *const users[] = {
		"t",
		"t array=1-2 | LIMIT MaxGangMembersPerUser=3 of gang.conf: "
		"alice has 2, and with this job 4",
		"alice/t",
		"new min=2 | LIMIT MaxGangsPerUser=1 of gang.conf: alice has "
		"1, and with this job 2",
		"proj/j account=proj | LIMIT MaxGangsPerUser=1",
		"new min=2 object held | LIMIT MaxGangsPerUser=1",
	};
	static const char *const everybody[] = {
		"t array=1-5",
		"t array=1-6 | LIMIT MaxGangMembers=50 of gang.conf: the "
		"cluster has 45, and with this job 51",
		"proj/j account=proj",
		"new min=2 | LIMIT MaxGangs=3 of gang.conf: the cluster has "
		"3, and with this job 4",
	};

	configure("MaxGangMembersPerUser=3\nMaxGangsPerUser=1\n");
	RUN_WITH(all, users);
	configure("MaxGangMembers=50\nMaxGangs=3\n");
	RUN_WITH(all, everybody);
	configure("MaxGangMembers=UNLIMITED\nMaxGangs=UNLIMITED\n");
	run_case(all, "new min=2");
}

/* What is charged to an account: proj has five members in two gangs, of two
 * users. */
SUBMIT_TEST(test_account_limits)
{
	static const char all[] = "t min=9 account=proj tasks=2; "
				  "t min=9 uid=1001 account=proj tasks=3; "
				  "t account=lab tasks=40; "
				  "u min=9 tasks=5";
	static const char *const members[] = {
		"t account=proj",
		"t account=proj array=1-2 | LIMIT AccountMaxGangMembers=6 of "
		"gang.conf: account proj has 5, and with this job 7; wait "
		"until",
		"t account=lab | LIMIT AccountMaxGangMembers=40 of gang.conf: "
		"account lab has 40, and with this job 41",
		/* neither an account, nor one with a limit */
		"t array=1-50",
		"t account=free array=1-50",
	};
	static const char *const gangs[] = {
		"t account=proj",
		"u account=proj | LIMIT AccountMaxGangs=2 of gang.conf: "
		"account proj has 2, and with this job 3",
		"u",
		"u account=lab",
	};

	configure("AccountMaxGangMembers=Proj:6,*:40,free:UNLIMITED\n");
	RUN_WITH(all, members);
	configure("AccountMaxGangs=proj:2\n");
	RUN_WITH(all, gangs);
}

/* The strictest partition of a list counts; what a definition says, with each
 * member. */
SUBMIT_TEST(test_partition_exclusive)
{
	static const char *const cases[] = {
		"t min=1 exclusive=leaf",
		"t min=1 exclusive=spine | INVALID --gang-exclusive=spine is "
		"above MaxExclusive=leaf of",
		"t min=1 exclusive=leaf partition=half | INVALID "
		"--gang-exclusive=leaf is above "
		"PartitionMaxExclusive=half:none of",
		"t min=1 exclusive=leaf partition=main,half,gpu | INVALID "
		"--gang-exclusive=leaf is above "
		"PartitionMaxExclusive=half:none of",
		"t min=1 exclusive=spine partition=gpu",
		"t min=1 exclusive=core partition=gpu | INVALID above "
		"PartitionMaxExclusive=gpu:spine of",
		"t min=1 exclusive=spine object held",
		"t min=1 exclusive=core object held | INVALID above "
		"PartitionMaxExclusive=gpu:spine of",
		"t min=2 exclusive=spine object held > t partition=gpu",
		"t min=2 exclusive=leaf object held > t partition=half | "
		"INVALID --gang-exclusive=leaf is above "
		"PartitionMaxExclusive=half:none of",
		"t min=2 exclusive=leaf > t partition=half | INVALID "
		"--gang-exclusive=leaf is above "
		"PartitionMaxExclusive=half:none of",
		/* a line of gang.conf may say anything */
		"alice/set partition=half",
	};

	configure("PartitionMaxExclusive=half:none,gpu:spine\n"
		  "GangName=alice/set MinMember=1 Exclusive=core\n");
	RUN(cases);
}

SUBMIT_TEST(test_switched_off)
{
	ctld.conf.gangs = false;
	run_case(NULL, "t | OFF Gangs=no in gang.conf");
	ctld.conf_error = "gang.conf:3: unknown key";
	run_case(NULL, "t | BROKEN gangs are off: gang.conf:3: unknown key");
}

/* 0.1: whose members are counted, whatever was read before them: those of other
 * gangs, of other users, alike and different, with their own records. */
SUBMIT_TEST(test_who_counts)
{
	static const char *const cases[] = {
		"pret min=2 nodes=9 whole > t min=2 nodes=8 whole",
		"t min=2 nodes=9 whole > t min=2 nodes=8 whole | NEVER_FITS "
		"17 whole nodes",
		"t min=2 uid=1001 nodes=9 whole > t min=2 nodes=8 whole",
		"t min=3 uid=1001 nodes=9 whole; t min=3 nodes=6 whole; t "
		"min=3 nodes=6 whole > t min=3 nodes=6 whole | NEVER_FITS 18 "
		"whole nodes",
		"t min=3 nodes=6 whole; alice/t min=3 nodes=6 whole; t min=3 "
		"uid=1001 nodes=6 whole > t nodes=6 whole | NEVER_FITS 18 "
		"whole nodes",
	};

	RUN(cases);
}

/* 0.22, 0.23: whose names may be used. */
SUBMIT_TEST(test_namespace)
{
	static const char *const cases[] = {
		"alice/t min=1",
		"bob/t min=1 uid=1001",
		"phys/t min=1 account=phys",
		"phys/t min=1 account=phys checked",
		"bob/t | NOT_YOURS \"bob\" is neither your user name (alice) "
		"nor the account that the job is charged to (none)",
		"chem/t account=phys | NOT_YOURS charged to (phys)",
		/* --account=bob is free text where nobody checks it */
		"bob/t account=bob | NOT_YOURS the name of another user",
		/* an account that both belong to, and one that only the
		 * stranger belongs to */
		"bob/t min=1 account=bob checked",
		/* ... and then meet in one gang */
		"t min=2 uid=1001 > bob/t account=bob checked",
		"alice/t min=1 uid=1001 account=alice checked | NOT_YOURS the "
		"name of another user",
		/* nobody defines a gang for somebody else either */
		"bob/t min=1 object held | NOT_YOURS \"bob\" is neither your "
		"user name (alice)",
		"t uid=1002 | NOT_YOURS has no name",
		"phys/t min=1 uid=1002 account=phys",
	};

	RUN(cases);
}

/* A later member may leave out, but not contradict. */
SUBMIT_TEST(test_agreement)
{
	static const char *const cases[] = {
		"t min=4 > t",
		"t min=4 > alice/t min=4",
		"t min=4 > t min=3 | INVALID earlier members said 4",
		"alice/t min=4 > t min=3 | INVALID earlier members said 4",
		"t; t min=4 > t total=3 | INVALID is above",
		/* another gang: other name, other user's, other namespace */
		"u min=4; t min=4 uid=1001; phys/t min=4 > t min=3",
		/* the same account's gang, from another user */
		"phys/t min=4 uid=1001 > phys/t min=3 account=phys | INVALID "
		"earlier members said 4",
		/* what cannot be read is nobody's member */
		"T min=4; - _SLURM_SPANK_OPTION_x_y=1 > t min=3",
	};

	RUN(cases);
}

/* An array limited to fewer tasks at a time than the gang needs. */
SUBMIT_TEST(test_array)
{
	static const char *const cases[] = {
		"t min=4 array=0-7",
		"t min=4 array=0-7%4",
		"t min=4 array=0-7%3 | ARRAY 3 tasks at a time is below "
		"--gang-min-member=4",
		"t min=1 array=0-7%1",
		"t min=4 > t array=0-7%3 | ARRAY 3 tasks at a time",
		"t tasks=8 throttle=2 > t min=4 | ARRAY array job 1 of this "
		"gang is limited to 2",
		/* 0.11: a gang that has started asks nothing more */
		"t min=4 started > t array=0-7%3",
		/* Slurm itself refuses this */
		"t min=4 array=7-0",
	};

	RUN(cases);
}

SUBMIT_TEST(test_never_fits_alone)
{
	static const char *const cases[] = {
		"t min=1 nodes=16",
		"t nodes=17 | NEVER_FITS needs 17 nodes and partition main "
		"has 16",
		"t nodes=9 partition=half | NEVER_FITS needs 9 nodes and "
		"partition half has 8",
		"t cpus=129 | NEVER_FITS needs 129 CPUs and partition main "
		"has 128",
		/* also when the gang has started */
		"t started > t nodes=17 | NEVER_FITS 17 nodes",
	};

	RUN(cases);
}

/* 1.8: the whole gang can never run; and what only looks so. */
SUBMIT_TEST(test_never_fits_together)
{
	static const char *const cases[] = {
		/* those to come may be smaller */
		"t min=15 nodes=2 whole",
		"t min=16 nodes=2 whole | NEVER_FITS 16 members need at least "
		"17 whole nodes together and the cluster has 16; if others "
		"share nodes",
		"t min=15 nodes=2 whole > t nodes=2 whole | NEVER_FITS 15 "
		"members need at least 17 whole nodes together",
		/* members may share nodes */
		"t min=127 nodes=2",
		"t min=128 nodes=2 | NEVER_FITS 129 CPUs together and the "
		"cluster has 128",
		"t min=129 | NEVER_FITS 129 CPUs",
		/* a smaller one is known, so a large one may come */
		"t min=9 nodes=1 whole > t nodes=8 whole",
		/* two partitions of 8 nodes hold 16 members */
		"t min=16 whole partition=half",
		"t min=16 tasks=8 whole partition=half > t whole",
		/* ... but one does not, once nobody else is expected */
		"t min=9 tasks=8 whole partition=half > t whole "
		"partition=half | NEVER_FITS 9 of its members need 9 whole "
		"nodes together and partition half has 8",
		"t min=9 total=10 tasks=8 whole partition=half > t whole "
		"partition=half",
		/* the tasks of an array are members */
		"t min=9 array=0-8 whole partition=half | NEVER_FITS "
		"partition half has 8",
		"t min=8 array=0-8 whole partition=half",
		/* in either of two partitions: their nodes may add up */
		"t min=9 array=0-8 whole partition=half,other",
		/* 0.11: started already */
		"t min=9 tasks=9 whole partition=half started > t whole "
		"partition=half",
	};

	RUN(cases);
}

/* 0.25, 0.26: a gang of which nobody says how many it needs. */
SUBMIT_TEST(test_undefined)
{
	static const char *const cases[] = {
		"t | UNDEFINED gang alice/t is not defined yet",
		"t > t topology=prefer:leaf | UNDEFINED sgang create",
		/* somebody did: a member, an object, gang.conf, a record */
		"t total=2 > t",
		"t min=2 object > t",
		"listed",
		"t comment=gang=alice/t phase=gathering min=3 total=3 "
		"satisfied=0 attempts=0 > t",
		/* a broken one gets no note but its refusal */
		"t nodes=17 | NEVER_FITS 17 nodes",
	};

	configure("GangName=alice/listed MinMember=2\n");
	RUN(cases);
}

/* What defines a gang is a job that never runs. */
SUBMIT_TEST(test_object)
{
	static const char *const cases[] = {
		"t min=4 object held",
		"t min=4 object | OBJECT submit it held",
		"t min=4 object array=0-3 held | OBJECT job array",
		"t min=4 object held het | UNSUPPORTED heterogeneous",
		"t min=4 object min_tres=node=17 held | NEVER_FITS 17 nodes",
		/* 0.29: what members that wait said wins, and it is said so; it
		 * can be contradicted, and be for the next gang */
		"t min=4 > t min=5 object held | INVALID --gang-min-member=5: "
		"the gang's earlier members said 4 (job 1 of alice), and what "
		"members say wins over a definition",
		"t min=4 > t min=4 object held",
		"t min=1 started > t min=5 object held",
		"t min=4 object > t min=5",
		/* another of that name, to replace it */
		"t min=4 object > t min=5 object held",
	};

	RUN(cases);
}

/* 6.5: who may be in a pool, name one, or become one. */
SUBMIT_TEST(test_pools)
{
	static const char *const cases[] = {
		"p pool object held",
		"p pool object held > p",
		"p pool object held > p array=1-4%2",
		"conf",
		"conf min=2 | INVALID --gang-min-member is given for a pool",
		"p pool object held > p rank=1 | INVALID --gang-rank is given "
		"for a pool",
		"p pool | INVALID use sgang create --pool",
		/* it names one */
		"p pool object held > t min=1 spare_pool=p",
		"t min=1 spare_pool=conf",
		"p pool object held > t min=1 spare_pool=p object held",
		"t min=1 spare_pool=p | INVALID there is no pool alice/p; "
		"create it first",
		"t min=1 spare_pool=p object held | INVALID there is no pool "
		"alice/p",
		"p min=1 > t min=1 spare_pool=p | INVALID gang alice/p is no "
		"pool",
		"t min=1 spare_pool=gang | INVALID gang alice/gang is no pool",
		/* of the same name in another namespace */
		"p pool object uid=1001 held > t min=1 spare_pool=p | INVALID "
		"there is no pool alice/p",
		"p pool object held > bob/t min=1 spare_pool=p | NOT_YOURS "
		"neither your user name",
		/* one that is gone, whose spares are there */
		"p comment=gang=alice/p phase=running min=0 total=0 pool=1 > "
		"t min=1 spare_pool=p",
		"p comment=gang=alice/p phase=running min=0 total=0 pool=1 > "
		"p min=2 object held | INVALID alice/p is a pool and has "
		"members: cancel them before it becomes a gang",
		/* it becomes one */
		"p > p pool object held",
		"p min=2 > p pool object held | INVALID alice/p is a gang and "
		"has members",
		"p started > p pool object held | INVALID alice/p is a gang "
		"and has members",
		"p pool object held > p min=2 object held",
	};

	configure("GangName=alice/conf Pool=yes\n"
		  "GangName=alice/gang MinMember=2\n");
	RUN(cases);
}

/* 1.1: a gang with placeholders has none of what places members one by one. */
SUBMIT_TEST(test_placeholders_alone)
{
	static const char *const cases[] = {
		"t min=1 placeholders=soft",
		"conf min=1 placeholders=soft | INVALID --gang-placeholders: "
		"a gang with placeholders has no --gang-spare-pool, leave it "
		"out",
		"t min=1 placeholders=soft > t spares=1 | INVALID has no "
		"--gang-spares, leave it out",
		"pool placeholders=soft | INVALID --gang-placeholders is "
		"given for a pool",
	};

	configure("GangName=alice/pool Pool=yes\n"
		  "GangName=alice/conf MinMember=1 SparePool=pool\n");
	RUN(cases);
}

/* 6.5: a member that comes alone waits for a whole gang, so none replaces
 * another, whoever says the one and the other. */
SUBMIT_TEST(test_only_waiting)
{
	static const char *const cases[] = {
		"t min=1 match=only-waiting > t spares=1 | INVALID so no lost "
		"one is replaced; leave out --gang-spares",
		"t min=1 spares=1 > t match=only-waiting | INVALID so no lost "
		"one is replaced; leave out --gang-spares",
		"t min=1 match=only-waiting started > t on_drain=replace | "
		"INVALID so no lost one is replaced; leave out "
		"--gang-on-drain=replace",
		/* that of another user is heeded for that one's members */
		"lab/t min=1 on_failure=kill account=lab; lab/t "
		"on_failure=replace uid=1001 account=lab > lab/t "
		"match=only-waiting account=lab | INVALID so no lost one is "
		"replaced; leave out --gang-on-failure=replace",
		/* gang.conf and definitions */
		"spares match=only-waiting | INVALID so no lost one is "
		"replaced; leave out --gang-spares",
		"alone min=1 on_failure=replace | INVALID so no lost one is "
		"replaced; leave out --gang-on-failure=replace",
		"alone match=waiting-and-running on_failure=replace",
		"t min=1 match=only-waiting object > t spares=1 | INVALID so "
		"no lost one is replaced; leave out --gang-spares",
		"t min=1 match=only-waiting > t min=1 spares=1 object held | "
		"INVALID so no lost one is replaced; leave out --gang-spares",
		"t min=1 placeholders=soft > t min=1 spares=1 object held | "
		"INVALID has no --gang-spares, leave it out",
	};

	configure("GangName=alice/spares MinMember=1 Spares=1\n"
		  "GangName=alice/alone MinMember=1 Match=only-waiting\n");
	RUN(cases);
}

/* 1.7, 1.8: the sum of all placeholders is above the partition or a limit, the new
 * ones among them; of the members that come later nothing is asked. */
SUBMIT_TEST(test_placeholders_sum)
{
	static const char *const cases[] = {
		"sum placeholders=soft placeholder=1 role=a:min=1 > sum "
		"placeholders=soft placeholder=1 role=b:min=4 account=alice "
		"array=0-3 | LIMIT the gang can never start: its 5 "
		"placeholders are together above a limit of alice",
		"sum placeholders=soft placeholder=1 role=a:min=1 > sum "
		"placeholders=soft placeholder=1 role=b:min=3 array=0-2",
		"sum placeholders=soft placeholder=1 role=a:min=4 tasks=4 > "
		"sum placeholders=soft role=a:min=4",
		"sum placeholders=soft placeholder=1 role=b:min=3 array=0-2 "
		"nodes=4 whole partition=half | NEVER_FITS 12 whole nodes "
		"together and partition half has 8",
	};

	quota = 4;
	RUN(cases);
	quota = 0;
}

/* 0.29, 0.24: members, then the newest object, then gang.conf. The minimum that
 * holds shows in the limit of an array that is too low for it. */
SUBMIT_TEST(test_precedence)
{
	static const char *const cases[] = {
		"listed array=0-7%1 | ARRAY --gang-min-member=2:",
		"listed min=3 object > listed array=0-7%1 | ARRAY "
		"--gang-min-member=3:",
		"listed min=3 object submitted=7; listed min=5 object "
		"submitted=8; listed min=6 object submitted=6 > listed "
		"array=0-7%1 | ARRAY --gang-min-member=5:",
		/* in the same second: the later number */
		"listed min=3 object; listed min=5 object > listed "
		"array=0-7%1 | ARRAY --gang-min-member=5:",
		"listed min=5 object; listed min=4 > listed array=0-7%1 | "
		"ARRAY --gang-min-member=4:",
		"listed min=1 > listed array=0-7%1",
		/* the record of a member knows what one that is gone said */
		"t comment=gang=alice/t phase=gathering min=6 total=6 "
		"satisfied=0 attempts=0 > t array=0-7%1 | ARRAY "
		"--gang-min-member=6:",
		/* another user's object is for another gang */
		"t min=6 object uid=1001 > t array=0-7%1 | UNDEFINED alice/t "
		"is not defined",
	};

	configure("GangName=alice/listed MinMember=2\n");
	RUN(cases);
}

/* An object takes no room: 16 nodes hold 16 members and their object. */
SUBMIT_TEST(test_object_is_not_counted)
{
	static const char *const cases[] = {
		"t min=16 object; t tasks=15 whole > t whole",
		"t min=17 object; t tasks=15 whole > t whole | NEVER_FITS 17 "
		"whole nodes",
	};

	RUN(cases);
}

/* 0.15: more than the cluster has is never free. */
SUBMIT_TEST(test_min_tres)
{
	static const char *const cases[] = {
		"t min=2 min_tres=cpu=128,mem=16000M,node=16",
		"t min=2 min_tres=cpu=129 | NEVER_FITS --gang-min-tres wants "
		"129 CPUs to be free and the cluster has 128",
		"t min=2 min_tres=mem=16001M | NEVER_FITS 16001 MB of memory",
		"t min=2 min_tres=node=17 | NEVER_FITS 17 nodes",
		"t min=2 object min_tres=node=17 > t | NEVER_FITS 17 nodes",
		/* it is asked before the start only (0.11) */
		"t min=2 min_tres=node=17 started > t",
	};

	RUN(cases);
}

/* Whether the gang still asks for something depends on its --gang-match. The
 * cluster has 16 nodes; each member takes one. */
SUBMIT_TEST(test_match)
{
	static const char *const cases[] = {
		/* what was said first holds when the gang has started */
		"t min=9 tasks=9 whole partition=half started > t array=0-8%1 "
		"whole partition=half",
		/* nine more have to start together, and can: the running ones
		 * are another matter */
		"t min=9 match=only-waiting tasks=9 whole started > t "
		"array=0-8 whole",
		"t min=9 match=only-waiting tasks=9 whole started > t "
		"array=0-8%8 | ARRAY 8 tasks at a time",
		"t min=9 match=only-waiting tasks=9 whole started > t "
		"array=0-8 whole partition=half | NEVER_FITS 9 of its members "
		"need 9 whole nodes together and partition half has 8",
		/* those that run make up for those that may not */
		"t min=9 match=waiting-and-running tasks=9 started > t "
		"array=0-8%1",
		"t min=9 match=waiting-and-running tasks=8 started > t "
		"array=0-8%1",
		"t min=9 match=waiting-and-running tasks=7 started > t "
		"array=0-8%1 | ARRAY 1 tasks at a time",
		"t min=9 match=waiting-and-running tasks=8 whole "
		"partition=half started > t whole partition=half | NEVER_FITS "
		"partition half has 8",
	};

	RUN(cases);
}

/* A member that is only held has not started its gang, one whose record says
 * that the gang has started once has. */
SUBMIT_TEST(test_what_has_started)
{
	static const char *const cases[] = {
		"t min=9 mode=nonstrict tasks=8 whole partition=half "
		"configuring comment=gang=alice/t phase=holding min=9 total=9 "
		"satisfied=0 attempts=1 > t whole partition=half | NEVER_FITS "
		"partition half has 8",
		"t min=9 tasks=8 whole partition=half configuring "
		"comment=gang=alice/t phase=starting min=9 total=9 "
		"satisfied=0 attempts=1 > t whole partition=half | NEVER_FITS "
		"partition half has 8",
		/* configuring for reasons of Slurm's */
		"t min=9 tasks=8 whole partition=half configuring "
		"comment=gang=alice/t phase=running min=9 total=9 satisfied=1 "
		"attempts=1 > t whole partition=half",
		/* requeued */
		"t min=9 tasks=8 whole partition=half comment=gang=alice/t "
		"phase=running min=9 total=9 satisfied=1 attempts=1 > t whole "
		"partition=half",
	};

	RUN(cases);
}

SUBMIT_TEST(test_shared_cpus)
{
	static const char *const cases[] = {
		"t min=1000 cpus=200",
		"t min=17 whole | NEVER_FITS 17 whole nodes",
	};

	ctld.room.cpus = 0;
	RUN(cases);
}

/* Whichever allocation fails, the job is refused and nothing leaks. */
SUBMIT_TEST(test_no_memory)
{
	const struct job *comes = told("t array=0-3");
	unsigned long n;

	there_are("t min=2; t; t min=2 object");
	for (n = 1;; n++) {
		struct sgang_error err = { "" };
		enum sgang_submit_verdict verdict;
		long live = fail_live;

		fail_at(n);
		verdict = submit(comes, &err);
		assert_int_equal(fail_live, live);
		if (!fail_happened) {
			assert_int_equal(verdict, SGANG_SUBMIT_FINE);
			break;
		}
		assert_int_equal(verdict, SGANG_SUBMIT_NO_MEMORY);
		assert_non_null(strstr(err.text, "no memory"));
	}
	fail_at(0);
	assert_in_range(n, 8, 32);
}

#define REFUSED(as, because) .verdict = SGANG_SUBMIT_##as, .why = because
#define ALLOWED .verdict = SGANG_SUBMIT_FINE

/* Changes of a job that is there. */
struct change_case {
	uint32_t job_id;
	struct sgang_submit_change change;
	enum sgang_submit_verdict verdict;
	const char *why;
};

static void run_changes(const char *jobs, const struct change_case *cases,
			size_t n)
{
	there_are(jobs);
	for (size_t i = 0; i < n; i++) {
		struct sgang_submit_member member = there(cases[i].job_id);
		struct sgang_error err = { "" };

		if (sgang_submit_check_change(&member, &cases[i].change, &host,
					      &err) != cases[i].verdict)
			fail_msg("%s: case %zu: %s", jobs, i, err.text);
		if (cases[i].why ? !strstr(err.text, cases[i].why) :
				   !cases[i].verdict && err.text[0])
			fail_msg("%s: case %zu: %s", jobs, i, err.text);
	}
}

#define RUN_CHANGES(jobs, cases) run_changes(jobs, cases, COUNT(cases))

SUBMIT_TEST(test_change)
{
	static const struct {
		const char *job;
		struct change_case of;
	} cases[] = {
		{ "- _X=1",
		  { 1, { .account = "any", .throttle = 1 }, ALLOWED } },
		{ "t min=4 throttle=5", { 1, { .throttle = 4 }, ALLOWED } },
		{ "t min=4 throttle=5",
		  { 1, { .throttle = 3 }, REFUSED(ARRAY, "3 tasks") } },
		{ "t min=4 throttle=2", { 1, { .throttle = 4 }, ALLOWED } },
		{ "t min=4 started", { 1, { .throttle = 1 }, ALLOWED } },
		{ "t min=4", { 1, { .account = "chem" }, ALLOWED } },
		{ "phys/t min=4",
		  { 1, { .account = "chem" }, REFUSED(NOT_YOURS, "chem") } },
		{ "phys/t min=4", { 1, { .account = "phys" }, ALLOWED } },
		{ "phys/t min=4",
		  { 1, { .account = "" }, REFUSED(NOT_YOURS, "") } },
		/* a member may be released, an object never */
		{ "t min=4", { 1, { .priority = true }, ALLOWED } },
		{ "t min=4 object",
		  { 1, { .priority = true }, REFUSED(OBJECT, "") } },
		{ "t min=4 object", { 1, { .account = "chem" }, ALLOWED } },
		{ "phys/t min=4 object",
		  { 1, { .account = "chem" }, REFUSED(NOT_YOURS, "chem") } },
		/* the minimum of a gang that gang.conf defines */
		{ "listed",
		  { 1, { .throttle = 1 }, REFUSED(ARRAY, "1 tasks") } },
		{ "listed", { 1, { .throttle = 2 }, ALLOWED } },
		/* ... or that another member has said */
		{ "t min=4; t tasks=8",
		  { 2,
		    { .throttle = 3 },
		    REFUSED(ARRAY, "3 tasks at a time") } },
	};

	configure("GangName=alice/listed MinMember=2\n");
	for (size_t i = 0; i < COUNT(cases); i++)
		run_changes(cases[i].job, &cases[i].of, 1);
}

/* What could not be submitted cannot be had by a change. */
SUBMIT_TEST(test_change_account_or_partition)
{
	static const struct change_case cases[] = {
		{ 2,
		  { .account = "proj" },
		  REFUSED(LIMIT,
			  "AccountMaxGangMembers=4 of gang.conf: account proj has 3, and with this job 5") },
		{ 3,
		  { .account = "proj" },
		  REFUSED(LIMIT,
			  "AccountMaxGangs=1 of gang.conf: account proj has 1, and with this job 2") },
		{ 3, { .account = "free" }, ALLOWED },
		{ 1, { .account = "proj" }, ALLOWED },
		{ 3,
		  { .partition = "main,half" },
		  REFUSED(INVALID,
			  "--gang-exclusive=leaf is above PartitionMaxExclusive=half:none") },
		{ 3, { .partition = "main" }, ALLOWED },
		{ 1, { .partition = "half" }, ALLOWED },
	};

	configure("AccountMaxGangMembers=proj:4 AccountMaxGangs=proj:1\n"
		  "PartitionMaxExclusive=half:none\n");
	RUN_CHANGES("proj/t min=4 account=proj tasks=3; "
		    "u min=4 exclusive=leaf account=lab tasks=2; "
		    "u account=lab",
		    cases);
}

/* Of these in any order. */
static void expect_asked(uint32_t job_id, uint32_t members, bool first)
{
	size_t i = 0;

	while (i < n_asked && asked[i].job_id != job_id)
		i++;
	assert_true(i < n_asked);
	assert_int_equal(asked[i].members, members);
	assert_int_equal(asked[i].first, first);
}

/* What never() is asked when that job comes, and what is said when it says no;
 * without that it is not to. */
struct asked_case {
	const char *comes, *says, *topology;
	uint32_t spare, others;
	struct sgang_submit_asked of[3];
};

static void run_asked(const char *jobs, const struct asked_case *cases,
		      size_t n)
{
	there_are(jobs);
	for (size_t i = 0; i < n; i++) {
		const struct asked_case *c = &cases[i];
		struct sgang_error err = { "" };
		size_t members = 0;

		lacks = c->says ? "no leaf has room" : NULL;
		assert_int_equal(submit(told(c->comes), &err),
				 c->says ? SGANG_SUBMIT_NEVER_FITS :
					   SGANG_SUBMIT_FINE);
		lacks = NULL;
		assert_string_equal(err.text, c->says ? c->says : "");
		assert_string_equal(asked_topology,
				    c->topology ? c->topology : "");
		for (; members < COUNT(c->of) && c->of[members].members;
		     members++)
			expect_asked(c->of[members].job_id,
				     c->of[members].members,
				     c->of[members].first);
		assert_int_equal(n_asked, members);
		assert_int_equal(n_spare, c->spare);
		assert_int_equal(n_others, c->others);
	}
}

#define RUN_ASKED(jobs, cases) run_asked(jobs, cases, COUNT(cases))
#define NEVER "the gang can never start"

/* 5.4: judged with all members that there are, as many as it needs of them,
 * whichever these may be. */
SUBMIT_TEST(test_never_on_the_empty_cluster)
{
	static const struct asked_case first[] = {
		{ "t", .others = 3, .of = { { 0, 1, false }, { 1, 1, false } } },
	}, more[] = {
		{ "t", .says = NEVER ": no leaf has room", .of = { { 0, 1, false }, { 1, 1, false }, { 2, 3, false } } },
		/* 14 of which it needs 5 */
		{ "t array=0-9", .says = NEVER ": no leaf has room", .spare = 9, .of = { { 0, 10, false }, { 1, 1, false }, { 2, 3, false } } },
	};

	RUN_ASKED("t min=5 submitted=20", first);
	RUN_ASKED("t min=5 submitted=20; t tasks=3 submitted=10; other min=2",
		  more);
}

/* 2.15, 2.18: groups that contradict those of members before it. */
SUBMIT_TEST(test_tree)
{
	static const char *const cases[] = {
		"t role=r1/encode",
		"t role=r1:min=2/decode:weight=10",
		"t role=r1:prefer=node/decode",
		"t role=r2:min=1",
		"t role=r1:min=3/decode | INVALID group r1: min=3 and min=2 "
		"are said of it: all members must say the same",
		"t role=r1/decode:weight=1 | INVALID group r1/decode: "
		"weight=1 and weight=10 are said of it: all members must say "
		"the same",
		"t role=r1:require=spine/decode | INVALID group r1: "
		"require=spine and require=leaf are said of it: all members "
		"must say the same",
		"t role=r1 | INVALID has members and groups in it",
		"t role=r1/encode/left | INVALID has members and groups in it",
		"t | INVALID give each --gang-role",
	};

	RUN_WITH("t min=2 role=r1:min=2:require=leaf/encode:min=1; "
		 "t role=r1/decode:min=3:weight=10; "
		 "u role=r1:min=9/encode/x",
		 cases);
}

/* 2.15, 5.4: a group is judged with the members that it has, as many as it needs
 * of them, at the lowest level that it or a group around it requires. */
SUBMIT_TEST(test_group_never_fits)
{
	static const struct asked_case cases[] = {
		{ "t role=r1/decode:require=spine",
		  .says = NEVER " with group r1/decode: no leaf has room",
		  .topology = "require:leaf", .others = 1,
		  .of = { { 0, 1, false }, { 1, 2, false } } },
		{ "t role=r1/decode array=0-5",
		  .says = NEVER " with group r1/decode: no leaf has room",
		  .topology = "require:leaf", .spare = 4,
		  .of = { { 0, 6, false }, { 1, 2, false } } },
		{ "t role=r2/decode",
		  .says = NEVER " with group r2/decode: no leaf has room",
		  .spare = 5, .of = { { 0, 1, false }, { 3, 5, false } } },
	};
	static const char jobs[] =
		"t min=1 role=r1:require=leaf/decode:min=4 tasks=2; "
		"t role=r1/encode tasks=5; t role=r2/decode tasks=5";

	RUN_ASKED(jobs, cases);
	run_case(jobs, "t role=r1/decode:require=spine");
}

/* 5.5: whom --gang-order puts into the minimum is needed in any case, unless
 * others are expected that may come before. */
SUBMIT_TEST(test_never_by_order)
{
	static const struct asked_case cases[] = {
		{ "t order=0", .spare = 1,
		  .of = { { 0, 1, true }, { 1, 1, true }, { 2, 3, false } } },
		{ "t order=2", .spare = 1,
		  .of = { { 0, 1, false }, { 1, 1, true }, { 2, 3, false } } },
		{ "t", .spare = 1,
		  .of = { { 0, 1, false }, { 1, 1, true }, { 2, 3, true } } },
		{ "t order=0 array=0-3", .spare = 4,
		  .of = { { 0, 4, true }, { 1, 1, false }, { 2, 3, false } } },
		{ "t order=0 array=0-4", .spare = 5,
		  .of = { { 0, 5, false }, { 1, 1, false }, { 2, 3, false } } },
		/* five are there, and one is expected */
		{ "u", .spare = 2, .others = 1,
		  .of = { { 0, 1, false }, { 3, 1, true }, { 4, 3, false } } },
		{ "u order=0", .spare = 2, .others = 1,
		  .of = { { 0, 1, true }, { 3, 1, true }, { 4, 3, false } } },
	};

	RUN_ASKED("t min=4 order=1; t order=2 tasks=3; "
		  "u min=4 total=6 order=1; u order=2 tasks=3",
		  cases);
}

/* 6.9: also of a gang that has started, and of a definition. */
SUBMIT_TEST(test_expedited)
{
	static const char *const cases[] = {
		"new min=1 expedited | UNSUPPORTED --requeue=expedite",
		"new expedited | UNSUPPORTED --requeue=expedite",
		"new min=1 array=0-3 expedited | UNSUPPORTED "
		"--requeue=expedite",
		"ran expedited | UNSUPPORTED --requeue=expedite",
		"new min=1 object held expedited | UNSUPPORTED "
		"--gang-on-failure=requeue",
		"- _PATH=/bin expedited",
	};

	RUN_WITH("ran min=1 started "
		 "comment=gang=alice/ran phase=running started=1",
		 cases);
}

/* Members start together, with the limit that they asked for. */
SUBMIT_TEST(test_time_min)
{
	static const char *const cases[] = {
		"t time_min | UNSUPPORTED --time-min",
		"ran time_min",
	};
	static const struct change_case changes[] = {
		{ 1, { .time_min = true }, REFUSED(UNSUPPORTED, "") },
		{ 2, { .time_min = true }, ALLOWED },
	};
	static const char jobs[] =
		"t min=2; ran min=1 started "
		"comment=gang=alice/ran phase=running started=1";

	RUN_WITH(jobs, cases);
	RUN_CHANGES(jobs, changes);
}

/* Partitions on a ring. */
static bool fake_barred(const char *partitions, char *why, size_t size)
{
	ctld.looked++;
	if (strcmp(partitions, "ringed") != 0)
		return false;
	snprintf(why, size, "partition ringed: a ring");
	return true;
}

/* 7.3: a member comes into no partition in which it could never start; a
 * definition has none. */
SUBMIT_TEST(test_barred)
{
	static const char *const cases[] = {
		"t partition=ringed | UNSUPPORTED partition ringed: a ring; "
		"submit the job to another partition, or without --gang",
		"t partition=main",
	};
	static const struct change_case changes[] = {
		{ 1, { .partition = "ringed" }, REFUSED(UNSUPPORTED, "") },
		{ 1, { .partition = "main" }, ALLOWED },
	}, free_changes[] = {
		{ 1, { .partition = "ringed" }, ALLOWED },
	};

	host.barred = fake_barred;
	RUN_WITH("t min=2", cases);
	RUN_CHANGES("t min=2", changes);
	host.barred = NULL;
	run_case("t min=2", "t partition=ringed");
	RUN_CHANGES("t min=2", free_changes);
}

/* ---- what is remembered ---- */

#define WORLD_MAX 120

/* Jobs that come, change and go. */
static struct job world[WORLD_MAX];
static uint64_t world_stamp;

/* Whatever changes without a change of the stamp. */
static uint32_t fake_mark(uint32_t job_id, uint32_t before)
{
	const struct job *job = &world[job_id - 1];

	return job->ended ? 0 :
			    1 | (uint32_t)job->started << 1 |
				    (uint32_t)job->configuring << 2 |
				    job->tasks << 3 | job->throttle << 8;
}

static uint64_t fake_stamp(void)
{
	return world_stamp;
}

static bool never_alike(uint32_t job_id, uint32_t other)
{
	return job_id == other;
}

/* What never() is asked, whatever the order; it says no for some of it. */
static uint64_t asked_sum;
static const struct job *world_comes;

static bool sum_never(const struct sgang_submit_asked *members, size_t n,
		      uint32_t spare, uint32_t others,
		      const struct sgang_spec *spec, char *why, size_t size)
{
	asked_sum = (uint64_t)others << 40 ^ (uint64_t)spare << 50 ^
		    spec->min_member;
	for (size_t i = 0; i < n; i++) {
		const struct job *job = members[i].job_id ?
						&world[members[i].job_id - 1] :
						world_comes;

		asked_sum += members[i].members *
			     (uint64_t)(1 + job->nodes * 1000 +
					job->cpus * 100 + job->gpus * 30 +
					members[i].first * 7000);
	}
	if (asked_sum % 7)
		return false;
	snprintf(why, size, "%u others", (unsigned int)others);
	return true;
}

#define R "gang=alice/t phase="

static struct job any_world_job(void)
{
	static const char *const says[] = {
		O "_min_member=3",
		O "_min_member=3",
		O "_min_member=3",
		O "_min_member=5",
		O "_total_number=6",
		O "_mode=nonstrict",
		O "_match=only-waiting",
		O "_match=waiting-and-running",
		O "_rank=1",
		O "_rank=2",
		O "_order=1",
		O "_order=2",
	};
	size_t said = (size_t)rand() % 30;
	struct job job = {
		.env = { rand() % 4 ? O "=t" : O "=alice/t",
			 said < 12 ? says[said] : NULL },
		.uid = rand() % 8 ? 1000 : 1001,
		.tasks = rand() % 4 ? 1 : 1 + (uint32_t)rand() % 3,
		.nodes = 1 + (rand() % 8 == 0),
		.cpus = 2 + (rand() % 8 == 0),
		.whole = rand() % 8 == 0,
		.gpus = rand() % 8 == 0,
		.partition = rand() % 8 ? "main" : "half",
	};

	if (rand() % 10 == 0) {
		job.env[2] = O "_object=1";
		job.held = true;
	}
	return job;
}

/* Something happens to a job that is there. */
static void world_happen(void)
{
	static const char *const comments[] = {
		NULL,
		R "gathering min=3 total=3 satisfied=0 attempts=0",
		R "running min=3 total=3 satisfied=1 attempts=1 started=5",
		R "timeout min=4 total=6 satisfied=0 attempts=1",
		R "starting min=3 total=3 satisfied=0 attempts=1 since=4",
		R "running min=2 total=2 satisfied=1 attempts=1 started=5 "
		  "match=only-waiting",
	};
	struct job *job = &world[(size_t)rand() % ctld.n_jobs];

	switch (rand() % 8) {
	case 0:
	case 1:
		job->ended = !job->ended;
		break;
	case 2:
		job->started = !job->started;
		break;
	case 3:
		job->configuring = !job->configuring;
		break;
	case 4:
		job->tasks = 1 + (uint32_t)rand() % 3;
		break;
	case 5:
		job->throttle = rand() % 2 ? 0 : 1 + (uint32_t)rand() % 3;
		break;
	case 6:
		job->comment = comments[rand() % 6];
		world_stamp++;
		break;
	default:
		job->nodes = 1 + (uint32_t)rand() % 2;
		job->partition = rand() % 2 ? "main" : "half";
		world_stamp++;
	}
}

/* Which jobs are named in it depends on the order in which they were seen. */
static bool is_comparable(enum sgang_submit_verdict verdict)
{
	return verdict != SGANG_SUBMIT_INVALID && verdict != SGANG_SUBMIT_ARRAY;
}

/* The same is said as after a look at all jobs one by one. */
static enum sgang_submit_verdict submit_to_world(const struct job *job,
						 struct sgang_members *members,
						 struct sgang_rolls *rolls,
						 unsigned int seed)
{
	enum sgang_submit_verdict walked, remembered;
	struct sgang_error one = { "" }, two = { "" };
	uint64_t sum;

	world_comes = job;
	asked_sum = 0;
	host.alike = never_alike;
	walked = submit(job, &one);
	host.alike = fake_alike;
	sum = asked_sum;
	asked_sum = 0;
	host.members = members;
	host.rolls = rolls;
	remembered = submit(job, &two);
	host.members = NULL;
	host.rolls = NULL;
	if (walked != remembered || sum != asked_sum ||
	    (is_comparable(walked) && strcmp(one.text, two.text)))
		fail_msg("seed %u, %zu jobs: %d \"%s\", remembered %d \"%s\"",
			 seed, ctld.n_jobs, (int)walked, one.text,
			 (int)remembered, two.text);
	return walked;
}

/* 0.1: what is remembered of a gang is what a look at all jobs tells,
 * whatever has happened to them since. */
SUBMIT_TEST(test_as_a_walk)
{
	unsigned int verdicts[SGANG_SUBMIT_VERDICTS] = { 0 };

	ctld.jobs = world;
	host.mark = fake_mark;
	host.stamp = fake_stamp;
	host.never = sum_never;
	for (unsigned int seed = 1; seed <= 300; seed++) {
		struct sgang_members *members = sgang_members_create(&numbers);
		struct sgang_rolls *rolls = sgang_rolls_create();

		srand(seed);
		ctld.n_jobs = 0;
		while (ctld.n_jobs < WORLD_MAX) {
			struct job job = any_world_job();
			enum sgang_submit_verdict verdict;

			for (int n = rand() % 3; n && ctld.n_jobs; n--)
				world_happen();
			if (rand() % 30 == 0)
				sgang_members_forget(members);
			verdict = submit_to_world(&job, members, rolls, seed);
			verdicts[verdict]++;
			job.submitted = (uint32_t)ctld.n_jobs / 4;
			if (verdict <= SGANG_SUBMIT_IDLE || rand() % 4 == 0)
				world[ctld.n_jobs++] = job;
		}
		sgang_rolls_destroy(rolls);
		sgang_members_destroy(members);
	}
	host.never = fake_never;
	assert_true(verdicts[SGANG_SUBMIT_FINE] > 1000);
	assert_true(verdicts[SGANG_SUBMIT_UNDEFINED] > 100);
	assert_true(verdicts[SGANG_SUBMIT_NEVER_FITS] > 100);
	assert_true(verdicts[SGANG_SUBMIT_ARRAY] > 20);
}

/* Of members that wait already nothing is read again. */
SUBMIT_TEST(test_cost)
{
	const struct job job = { .env = { O "=t", O "_min_member=9999" } };
	struct sgang_error err;

	ctld.jobs = world;
	ctld.room.cpus = 0;
	host.mark = fake_mark;
	host.stamp = fake_stamp;
	host.members = sgang_members_create(&numbers);
	host.rolls = sgang_rolls_create();
	for (ctld.n_jobs = 0; ctld.n_jobs < WORLD_MAX; ctld.n_jobs++) {
		ctld.looked = 0;
		assert_int_equal(submit(&job, &err), SGANG_SUBMIT_FINE);
		if (ctld.n_jobs > 2)
			assert_in_range(ctld.looked, 1, 20);
		world[ctld.n_jobs] = job;
		world[ctld.n_jobs].gpus = ctld.n_jobs == 5 || ctld.n_jobs == 7;
	}
	assert_int_equal(n_asked, 3);
	expect_asked(0, 1, false);
	expect_asked(1, WORLD_MAX - 3, false);
	expect_asked(6, 2, false);
	sgang_rolls_destroy(host.rolls);
	sgang_members_destroy(host.members);
	host.rolls = NULL;
	host.members = NULL;
}

TEST_MAIN(NULL, NULL)
