/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_job_submit.c - admission of gang members, over a cluster of 16 nodes
 *
 * Users: alice is 1000, bob 1001; uid 1002 has no name. Partitions: main has
 * all 16 nodes of 8 CPUs, half has 8 of them.
 */

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
	int64_t submitted;
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
	(void)state;
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

/* Jobs that are there, a job that comes, and what is said of it. */
struct admission {
	struct job there[THERE_MAX];
	struct job comes;
	enum sgang_submit_verdict verdict;
	const char *why;
};

#define REFUSED(as, because) .verdict = SGANG_SUBMIT_##as, .why = because

static void run_cases(const struct admission *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct sgang_error err = { "" };
		enum sgang_submit_verdict verdict;

		ctld.jobs = cases[i].there;
		for (ctld.n_jobs = 0; ctld.n_jobs < THERE_MAX; ctld.n_jobs++)
			if (!count_env(&cases[i].there[ctld.n_jobs]))
				break;
		verdict = submit(&cases[i].comes, &err);
		if (verdict != cases[i].verdict)
			fail_msg("case %zu: %d \"%s\"", i, (int)verdict,
				 err.text);
		submit_again(&cases[i].comes, verdict, err.text);
		if (verdict == SGANG_SUBMIT_FINE)
			continue;
		assert_null(strchr(err.text, '\n'));
		if (!strstr(err.text, cases[i].why))
			fail_msg("case %zu: \"%s\" lacks \"%s\"", i, err.text,
				 cases[i].why);
	}
}

#define RUN(cases) run_cases(cases, sizeof(cases) / sizeof((cases)[0]))

#define O "_SLURM_SPANK_OPTION_gang_gang"
#define GANG(name) O "=" name
#define MIN(n) O "_min_member=" #n
#define TOTAL(n) O "_total_number=" #n
#define TOPO(t) O "_topology=" t
#define TRES(t) O "_min_tres=" t
#define MATCH(m) O "_match=" m
#define MODE(m) O "_mode=" m
#define ROLE(text) O "_role=" text
#define WAIT(t) O "_waiting_time=" #t
#define EXCLUSIVE(level) O "_exclusive=" level
#define OBJECT O "_object=1"
#define POOL O "_pool=yes"

/* ---- the tests ---- */

/* An option without effect is taken, with a note: in the gang as it is, by all
 * that define it. */
SUBMIT_TEST(test_idle_options)
{
	static const struct admission cases[] = {
		{ .comes = { .env = { GANG("t"), MIN(2), WAIT(5) } },
		  REFUSED(IDLE, "--gang-waiting-time has no effect without "
				"--gang-mode=nonstrict") },
		{ .comes = { .env = { GANG("t"), MIN(2), WAIT(5),
				      MODE("strict") } },
		  REFUSED(IDLE, "--gang-waiting-time has no effect") },
		{ .comes = { .env = { GANG("t"), MIN(2), WAIT(5),
				      MODE("nonstrict") } } },
		{ .there = { { .env = { GANG("t"), MIN(2),
					MODE("nonstrict") } } },
		  .comes = { .env = { GANG("t"), WAIT(5) } } },
		{ .there = { { .env = { GANG("t"), MIN(2), WAIT(5) } } },
		  .comes = { .env = { GANG("t") } } },
		{ .comes = { .env = { GANG("held"), WAIT(5) } } },
		{ .comes = { .env = { GANG("plain"), WAIT(5) } },
		  REFUSED(IDLE, "--gang-waiting-time has no effect") },
		{ .comes = { .env = { GANG("t"), MIN(1), ROLE("a"), WAIT(5) } },
		  REFUSED(IDLE, "--gang-waiting-time has no effect") },
		/* its definition may say more */
		{ .comes = { .env = { GANG("t"), WAIT(5) } },
		  REFUSED(UNDEFINED, "not defined") },
		/* a refusal comes first */
		{ .comes = { .env = { GANG("t"), MIN(2), WAIT(5) },
			     .nodes = 17 },
		  REFUSED(NEVER_FITS, "17 nodes") },
	};

	configure("GangName=alice/held MinMember=2 Mode=nonstrict\n"
		  "GangName=alice/plain MinMember=2\n");
	RUN(cases);
}

/* Jobs without a gang cost nothing. */
SUBMIT_TEST(test_ordinary_job)
{
	static const struct admission cases[] = {
		{ .comes = { .env = { NULL } } },
		{ .comes = { .env = { "_SLURM_SPANK_OPTION_x_gang=A" } } },
		{ .comes = { .env = { "_SLURM_SPANK_OPTION_x_y=1" },
			     .nodes = 99,
			     .het = true } },
	};

	ctld.conf_error = "gang.conf:3: broken";
	RUN(cases);
	assert_int_equal(ctld.looked, 0);
	assert_false(sgang_spec_concerns((char *const *)cases[1].comes.env, 1));
	assert_true(sgang_spec_concerns((char *[]){ NULL, MIN(2) }, 2));
}

/* 0.18, 0.20, 0.26 */
SUBMIT_TEST(test_options)
{
	static const struct admission cases[] = {
		{ .comes = { .env = { GANG("t"), MIN(1) } } },
		{ .comes = { .env = { GANG("t"), MIN(4) } } },
		{ .comes = { .env = { GANG("t"), TOTAL(4) } } },
		{ .comes = { .env = { GANG("t"), MIN(4), TOTAL(8),
				      TOPO("require:leaf") } } },
		{ .comes = { .env = { GANG("T") } },
		  REFUSED(INVALID, "upper-case") },
		{ .comes = { .env = { GANG("t"), MIN(0) } },
		  REFUSED(INVALID, "from 1 to") },
		{ .comes = { .env = { GANG("t"), MIN(4), TOTAL(3) } },
		  REFUSED(INVALID, "is above") },
		{ .comes = { .env = { MIN(4) } },
		  REFUSED(INVALID, "add --gang=NAME") },
		{ .comes = { .env = { GANG("t"), TOPO("require:rack") } },
		  REFUSED(INVALID,
			  "no level \"rack\"; the levels are island, node, "
			  "leaf, spine, core") },
		{ .comes = { .env = { GANG("t"), MIN(1),
				      EXCLUSIVE("leaf") } } },
		{ .comes = { .env = { GANG("t"), MIN(1), EXCLUSIVE("spine") } },
		  REFUSED(INVALID,
			  "--gang-exclusive=spine is above MaxExclusive=leaf of "
			  "gang.conf") },
		{ .comes = { .env = { GANG("t"), MIN(1), EXCLUSIVE("core"),
				      OBJECT },
			     .held = true },
		  REFUSED(INVALID, "MaxExclusive") },
		{ .comes = { .env = { GANG("t") }, .het = true },
		  REFUSED(UNSUPPORTED, "heterogeneous job") },
	};

	RUN(cases);
}

/* How many gangs and members there may be: alice has two members in one gang,
 * bob has three in one of his and an array of 40 in the account's. */
SUBMIT_TEST(test_limits)
{
#define THERE                                                              \
	.there = {                                                         \
		{ .env = { GANG("t"), MIN(9) }, .tasks = 2 },              \
		{ .env = { GANG("t"), MIN(9) }, .uid = 1001, .tasks = 3 }, \
		{ .env = { GANG("proj/j"), MIN(9) },                       \
		  .uid = 1001,                                             \
		  .account = "proj",                                       \
		  .tasks = 40 },                                           \
		{ .env = { "_SLURM_SPANK_OPTION_x_y=1" } }                 \
	}
	static const struct admission users[] = {
		{ THERE, .comes = { .env = { GANG("t") } } },
		{ THERE, .comes = { .env = { GANG("t") }, .array = "1-2" },
		  .verdict = SGANG_SUBMIT_LIMIT,
		  .why = "MaxGangMembersPerUser=3 of gang.conf: alice has 2, "
			 "and with this job 4" },
		{ THERE, .comes = { .env = { GANG("alice/t") } } },
		{ THERE, .comes = { .env = { GANG("new"), MIN(2) } },
		  .verdict = SGANG_SUBMIT_LIMIT,
		  .why = "MaxGangsPerUser=1 of gang.conf: alice has 1, and "
			 "with this job 2" },
		{ THERE, .comes = { .env = { GANG("proj/j") },
				    .account = "proj" },
		  .verdict = SGANG_SUBMIT_LIMIT, .why = "MaxGangsPerUser=1" },
		{ THERE, .comes = { .env = { GANG("new"), MIN(2), OBJECT },
				    .held = true },
		  .verdict = SGANG_SUBMIT_LIMIT, .why = "MaxGangsPerUser=1" },
	}, all[] = {
		{ THERE, .comes = { .env = { GANG("t") }, .array = "1-5" } },
		{ THERE, .comes = { .env = { GANG("t") }, .array = "1-6" },
		  .verdict = SGANG_SUBMIT_LIMIT,
		  .why = "MaxGangMembers=50 of gang.conf: the cluster has 45, "
			 "and with this job 51" },
		{ THERE, .comes = { .env = { GANG("proj/j") },
				    .account = "proj" } },
		{ THERE, .comes = { .env = { GANG("new"), MIN(2) } },
		  .verdict = SGANG_SUBMIT_LIMIT,
		  .why = "MaxGangs=3 of gang.conf: the cluster has 3, and "
			 "with this job 4" },
	}, unlimited[] = {
		{ THERE, .comes = { .env = { GANG("new"), MIN(2) } } },
	};
#undef THERE

	configure("MaxGangMembersPerUser=3\nMaxGangsPerUser=1\n");
	RUN(users);
	configure("MaxGangMembers=50\nMaxGangs=3\n");
	RUN(all);
	configure("MaxGangMembers=UNLIMITED\nMaxGangs=UNLIMITED\n");
	RUN(unlimited);
}

/* What is charged to an account: proj has five members in two gangs, of two
 * users. */
SUBMIT_TEST(test_account_limits)
{
#define PROJ .account = "proj"
#define THERE                                                            \
	.there = {                                                       \
		{ .env = { GANG("t"), MIN(9) }, PROJ, .tasks = 2 },      \
		{ .env = { GANG("t"), MIN(9) },                          \
		  .uid = 1001,                                           \
		  PROJ,                                                  \
		  .tasks = 3 },                                          \
		{ .env = { GANG("t") }, .account = "lab", .tasks = 40 }, \
		{ .env = { GANG("u"), MIN(9) }, .tasks = 5 }             \
	}
	static const struct admission members[] = {
		{ THERE, .comes = { .env = { GANG("t") }, PROJ } },
		{ THERE, .comes = { .env = { GANG("t") }, PROJ, .array = "1-2" },
		  .verdict = SGANG_SUBMIT_LIMIT,
		  .why = "AccountMaxGangMembers=6 of gang.conf: account proj "
			 "has 5, and with this job 7; wait until" },
		{ THERE, .comes = { .env = { GANG("t") }, .account = "lab" },
		  .verdict = SGANG_SUBMIT_LIMIT,
		  .why = "AccountMaxGangMembers=40 of gang.conf: account lab "
			 "has 40, and with this job 41" },
		/* neither an account, nor one with a limit */
		{ THERE, .comes = { .env = { GANG("t") }, .array = "1-50" } },
		{ THERE, .comes = { .env = { GANG("t") }, .account = "free",
				    .array = "1-50" } },
	}, gangs[] = {
		{ THERE, .comes = { .env = { GANG("t") }, PROJ } },
		{ THERE, .comes = { .env = { GANG("u") }, PROJ },
		  .verdict = SGANG_SUBMIT_LIMIT,
		  .why = "AccountMaxGangs=2 of gang.conf: account proj has 2, "
			 "and with this job 3" },
		{ THERE, .comes = { .env = { GANG("u") } } },
		{ THERE, .comes = { .env = { GANG("u") }, .account = "lab" } },
	};
#undef THERE
#undef PROJ

	configure("AccountMaxGangMembers=Proj:6,*:40,free:UNLIMITED\n");
	RUN(members);
	configure("AccountMaxGangs=proj:2\n");
	RUN(gangs);
}

/* The strictest partition of a list counts; what a definition says, with each
 * member. */
SUBMIT_TEST(test_partition_exclusive)
{
	static const char strict[] = "--gang-exclusive=leaf is above "
				     "PartitionMaxExclusive=half:none of";
	static const struct admission cases[] = {
		{ .comes = { .env = { GANG("t"), MIN(1),
				      EXCLUSIVE("leaf") } } },
		{ .comes = { .env = { GANG("t"), MIN(1), EXCLUSIVE("spine") } },
		  REFUSED(INVALID,
			  "--gang-exclusive=spine is above MaxExclusive=leaf of") },
		{ .comes = { .env = { GANG("t"), MIN(1), EXCLUSIVE("leaf") },
			     .partition = "half" },
		  .verdict = SGANG_SUBMIT_INVALID,
		  .why = strict },
		{ .comes = { .env = { GANG("t"), MIN(1), EXCLUSIVE("leaf") },
			     .partition = "main,half,gpu" },
		  .verdict = SGANG_SUBMIT_INVALID,
		  .why = strict },
		{ .comes = { .env = { GANG("t"), MIN(1), EXCLUSIVE("spine") },
			     .partition = "gpu" } },
		{ .comes = { .env = { GANG("t"), MIN(1), EXCLUSIVE("core") },
			     .partition = "gpu" },
		  REFUSED(INVALID,
			  "above PartitionMaxExclusive=gpu:spine of") },
		{ .comes = { .env = { GANG("t"), MIN(1), EXCLUSIVE("spine"),
				      OBJECT },
			     .held = true } },
		{ .comes = { .env = { GANG("t"), MIN(1), EXCLUSIVE("core"),
				      OBJECT },
			     .held = true },
		  REFUSED(INVALID,
			  "above PartitionMaxExclusive=gpu:spine of") },
		{ .there = { { .env = { GANG("t"), MIN(2), EXCLUSIVE("spine"),
					OBJECT },
			       .held = true } },
		  .comes = { .env = { GANG("t") }, .partition = "gpu" } },
		{ .there = { { .env = { GANG("t"), MIN(2), EXCLUSIVE("leaf"),
					OBJECT },
			       .held = true } },
		  .comes = { .env = { GANG("t") }, .partition = "half" },
		  .verdict = SGANG_SUBMIT_INVALID,
		  .why = strict },
		{ .there = { { .env = { GANG("t"), MIN(2),
					EXCLUSIVE("leaf") } } },
		  .comes = { .env = { GANG("t") }, .partition = "half" },
		  .verdict = SGANG_SUBMIT_INVALID,
		  .why = strict },
		/* a line of gang.conf may say anything */
		{ .comes = { .env = { GANG("alice/set") },
			     .partition = "half" } },
	};

	configure("PartitionMaxExclusive=half:none,gpu:spine\n"
		  "GangName=alice/set MinMember=1 Exclusive=core\n");
	RUN(cases);
}

SUBMIT_TEST(test_switched_off)
{
	static const struct admission off = {
		.comes = { .env = { GANG("t") } },
		REFUSED(OFF, "Gangs=no in gang.conf")
	};
	static const struct admission broken = {
		.comes = { .env = { GANG("t") } },
		REFUSED(BROKEN, "gangs are off: gang.conf:3: unknown key")
	};

	ctld.conf.gangs = false;
	run_cases(&off, 1);
	ctld.conf_error = "gang.conf:3: unknown key";
	run_cases(&broken, 1);
}

/* 0.1: whose members are counted, whatever was read before them: those of other
 * gangs, of other users, alike and different, with their own records. */
SUBMIT_TEST(test_who_counts)
{
	static const struct admission cases[] = {
		{ .there = LIST(LIST(.env = LIST(GANG("pret"), MIN(2)),
				     .nodes = 9, .whole = true)),
		  .comes = LIST(.env = LIST(GANG("t"), MIN(2)), .nodes = 8,
				.whole = true) },
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(2)), .nodes = 9,
				     .whole = true)),
		  .comes = LIST(.env = LIST(GANG("t"), MIN(2)), .nodes = 8,
				.whole = true),
		  REFUSED(NEVER_FITS, "17 whole nodes") },
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(2)),
				     .uid = 1001, .nodes = 9, .whole = true)),
		  .comes = LIST(.env = LIST(GANG("t"), MIN(2)), .nodes = 8,
				.whole = true) },
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(3)),
				     .uid = 1001, .nodes = 9, .whole = true),
				LIST(.env = LIST(GANG("t"), MIN(3)), .nodes = 6,
				     .whole = true),
				LIST(.env = LIST(GANG("t"), MIN(3)), .nodes = 6,
				     .whole = true)),
		  .comes = LIST(.env = LIST(GANG("t"), MIN(3)), .nodes = 6,
				.whole = true),
		  REFUSED(NEVER_FITS, "18 whole nodes") },
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(3)), .nodes = 6,
				     .whole = true),
				LIST(.env = LIST(GANG("alice/t"), MIN(3)),
				     .nodes = 6, .whole = true),
				LIST(.env = LIST(GANG("t"), MIN(3)), .nodes = 6,
				     .whole = true, .uid = 1001)),
		  .comes = LIST(.env = LIST(GANG("t")), .nodes = 6,
				.whole = true),
		  REFUSED(NEVER_FITS, "18 whole nodes") },
	};

	RUN(cases);
}

/* 0.22, 0.23: whose names may be used. */
SUBMIT_TEST(test_namespace)
{
	static const struct admission cases[] = {
		{ .comes = { .env = { GANG("alice/t"), MIN(1) } } },
		{ .comes = { .env = { GANG("bob/t"), MIN(1) }, .uid = 1001 } },
		{ .comes = { .env = { GANG("phys/t"), MIN(1) },
			     .account = "phys" } },
		{ .comes = { .env = { GANG("phys/t"), MIN(1) },
			     .account = "phys",
			     .account_checked = true } },
		{ .comes = { .env = { GANG("bob/t") } },
		  REFUSED(NOT_YOURS,
			  "\"bob\" is neither your user name (alice) nor the "
			  "account that the job is charged to (none)") },
		{ .comes = { .env = { GANG("chem/t") }, .account = "phys" },
		  REFUSED(NOT_YOURS, "charged to (phys)") },
		/* --account=bob is free text where nobody checks it */
		{ .comes = { .env = { GANG("bob/t") }, .account = "bob" },
		  REFUSED(NOT_YOURS, "the name of another user") },
		/* an account that both belong to, and one that only the
		 * stranger belongs to */
		{ .comes = { .env = { GANG("bob/t"), MIN(1) },
			     .account = "bob",
			     .account_checked = true } },
		/* ... and then meet in one gang */
		{ .there = { { .env = { GANG("t"), MIN(2) }, .uid = 1001 } },
		  .comes = { .env = { GANG("bob/t") },
			     .account = "bob",
			     .account_checked = true } },
		{ .comes = { .env = { GANG("alice/t"), MIN(1) },
			     .uid = 1001,
			     .account = "alice",
			     .account_checked = true },
		  REFUSED(NOT_YOURS, "the name of another user") },
		/* nobody defines a gang for somebody else either */
		{ .comes = { .env = { GANG("bob/t"), MIN(1), OBJECT },
			     .held = true },
		  REFUSED(NOT_YOURS,
			  "\"bob\" is neither your user name (alice)") },
		{ .comes = { .env = { GANG("t") }, .uid = 1002 },
		  REFUSED(NOT_YOURS, "has no name") },
		{ .comes = { .env = { GANG("phys/t"), MIN(1) },
			     .uid = 1002,
			     .account = "phys" } },
	};

	RUN(cases);
}

/* A later member may leave out, but not contradict. */
SUBMIT_TEST(test_agreement)
{
	static const struct admission cases[] = {
		{ .there = { { .env = { GANG("t"), MIN(4) } } },
		  .comes = { .env = { GANG("t") } } },
		{ .there = { { .env = { GANG("t"), MIN(4) } } },
		  .comes = { .env = { GANG("alice/t"), MIN(4) } } },
		{ .there = { { .env = { GANG("t"), MIN(4) } } },
		  .comes = { .env = { GANG("t"), MIN(3) } },
		  REFUSED(INVALID, "earlier members said 4") },
		{ .there = { { .env = { GANG("alice/t"), MIN(4) } } },
		  .comes = { .env = { GANG("t"), MIN(3) } },
		  REFUSED(INVALID, "earlier members said 4") },
		{ .there = { { .env = { GANG("t") } },
			     { .env = { GANG("t"), MIN(4) } } },
		  .comes = { .env = { GANG("t"), TOTAL(3) } },
		  REFUSED(INVALID, "is above") },
		/* another gang: other name, other user's, other namespace */
		{ .there = { { .env = { GANG("u"), MIN(4) } },
			     { .env = { GANG("t"), MIN(4) }, .uid = 1001 },
			     { .env = { GANG("phys/t"), MIN(4) } } },
		  .comes = { .env = { GANG("t"), MIN(3) } } },
		/* the same account's gang, from another user */
		{ .there = { { .env = { GANG("phys/t"), MIN(4) },
			       .uid = 1001 } },
		  .comes = { .env = { GANG("phys/t"), MIN(3) },
			     .account = "phys" },
		  REFUSED(INVALID, "earlier members said 4") },
		/* what cannot be read is nobody's member */
		{ .there = { { .env = { GANG("T"), MIN(4) } },
			     { .env = { "_SLURM_SPANK_OPTION_x_y=1" } } },
		  .comes = { .env = { GANG("t"), MIN(3) } } },
	};

	RUN(cases);
}

/* An array limited to fewer tasks at a time than the gang needs. */
SUBMIT_TEST(test_array)
{
	static const struct admission cases[] = {
		{ .comes = { .env = { GANG("t"), MIN(4) }, .array = "0-7" } },
		{ .comes = { .env = { GANG("t"), MIN(4) }, .array = "0-7%4" } },
		{ .comes = { .env = { GANG("t"), MIN(4) }, .array = "0-7%3" },
		  REFUSED(ARRAY,
			  "3 tasks at a time is below --gang-min-member=4") },
		{ .comes = { .env = { GANG("t"), MIN(1) }, .array = "0-7%1" } },
		{ .there = { { .env = { GANG("t"), MIN(4) } } },
		  .comes = { .env = { GANG("t") }, .array = "0-7%3" },
		  REFUSED(ARRAY, "3 tasks at a time") },
		{ .there = { { .env = { GANG("t") },
			       .tasks = 8,
			       .throttle = 2 } },
		  .comes = { .env = { GANG("t"), MIN(4) } },
		  REFUSED(ARRAY, "array job 1 of this gang is limited to 2") },
		/* 0.11: a gang that has started asks nothing more */
		{ .there = { { .env = { GANG("t"), MIN(4) },
			       .started = true } },
		  .comes = { .env = { GANG("t") }, .array = "0-7%3" } },
		/* Slurm itself refuses this */
		{ .comes = { .env = { GANG("t"), MIN(4) }, .array = "7-0" } },
	};

	RUN(cases);
}

SUBMIT_TEST(test_never_fits_alone)
{
	static const struct admission cases[] = {
		{ .comes = { .env = { GANG("t"), MIN(1) }, .nodes = 16 } },
		{ .comes = { .env = { GANG("t") }, .nodes = 17 },
		  REFUSED(NEVER_FITS,
			  "needs 17 nodes and partition main has 16") },
		{ .comes = { .env = { GANG("t") },
			     .nodes = 9,
			     .partition = "half" },
		  REFUSED(NEVER_FITS,
			  "needs 9 nodes and partition half has 8") },
		{ .comes = { .env = { GANG("t") }, .cpus = 129 },
		  REFUSED(NEVER_FITS,
			  "needs 129 CPUs and partition main has 128") },
		/* also when the gang has started */
		{ .there = { { .env = { GANG("t") }, .started = true } },
		  .comes = { .env = { GANG("t") }, .nodes = 17 },
		  REFUSED(NEVER_FITS, "17 nodes") },
	};

	RUN(cases);
}

/* 1.8: the whole gang can never run; and what only looks so. */
SUBMIT_TEST(test_never_fits_together)
{
	static const struct admission cases[] = {
		/* those to come may be smaller */
		{ .comes = LIST(.env = LIST(GANG("t"), MIN(15)), .nodes = 2,
				.whole = true) },
		{ .comes = LIST(.env = LIST(GANG("t"), MIN(16)), .nodes = 2,
				.whole = true),
		  REFUSED(NEVER_FITS,
			  "16 members need at least 17 whole nodes together and "
			  "the cluster has 16; if others share nodes") },
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(15)),
				     .nodes = 2, .whole = true)),
		  .comes = LIST(.env = LIST(GANG("t")), .nodes = 2,
				.whole = true),
		  REFUSED(NEVER_FITS,
			  "15 members need at least 17 whole nodes together") },
		/* members may share nodes */
		{ .comes = LIST(.env = LIST(GANG("t"), MIN(127)), .nodes = 2) },
		{ .comes = LIST(.env = LIST(GANG("t"), MIN(128)), .nodes = 2),
		  REFUSED(NEVER_FITS,
			  "129 CPUs together and the cluster has 128") },
		{ .comes = LIST(.env = LIST(GANG("t"), MIN(129))),
		  REFUSED(NEVER_FITS, "129 CPUs") },
		/* a smaller one is known, so a large one may come */
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(9)), .nodes = 1,
				     .whole = true)),
		  .comes = LIST(.env = LIST(GANG("t")), .nodes = 8,
				.whole = true) },
		/* two partitions of 8 nodes hold 16 members */
		{ .comes = LIST(.env = LIST(GANG("t"), MIN(16)), .whole = true,
				.partition = "half") },
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(16)),
				     .whole = true, .partition = "half",
				     .tasks = 8)),
		  .comes = LIST(.env = LIST(GANG("t")), .whole = true) },
		/* ... but one does not, once nobody else is expected */
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(9)),
				     .whole = true, .partition = "half",
				     .tasks = 8)),
		  .comes = LIST(.env = LIST(GANG("t")), .whole = true,
				.partition = "half"),
		  REFUSED(NEVER_FITS,
			  "9 of its members need 9 whole nodes together and "
			  "partition half has 8") },
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(9), TOTAL(10)),
				     .whole = true, .partition = "half",
				     .tasks = 8)),
		  .comes = LIST(.env = LIST(GANG("t")), .whole = true,
				.partition = "half") },
		/* the tasks of an array are members */
		{ .comes = LIST(.env = LIST(GANG("t"), MIN(9)), .whole = true,
				.partition = "half", .array = "0-8"),
		  REFUSED(NEVER_FITS, "partition half has 8") },
		{ .comes = LIST(.env = LIST(GANG("t"), MIN(8)), .whole = true,
				.partition = "half", .array = "0-8") },
		/* in either of two partitions: their nodes may add up */
		{ .comes = LIST(.env = LIST(GANG("t"), MIN(9)), .whole = true,
				.partition = "half,other", .array = "0-8") },
		/* 0.11: started already */
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(9)),
				     .whole = true, .partition = "half",
				     .tasks = 9, .started = true)),
		  .comes = LIST(.env = LIST(GANG("t")), .whole = true,
				.partition = "half") },
	};

	RUN(cases);
}

/* 0.25, 0.26: a gang of which nobody says how many it needs. */
SUBMIT_TEST(test_undefined)
{
	static const struct admission cases[] = {
		{ .comes = { .env = { GANG("t") } },
		  REFUSED(UNDEFINED, "gang alice/t is not defined yet") },
		{ .there = { { .env = { GANG("t") } } },
		  .comes = { .env = { GANG("t"), TOPO("prefer:leaf") } },
		  REFUSED(UNDEFINED, "sgang create") },
		/* somebody did: a member, an object, gang.conf, a record */
		{ .there = { { .env = { GANG("t"), TOTAL(2) } } },
		  .comes = { .env = { GANG("t") } } },
		{ .there = { { .env = { GANG("t"), MIN(2), OBJECT } } },
		  .comes = { .env = { GANG("t") } } },
		{ .comes = { .env = { GANG("listed") } } },
		{ .there = { { .env = { GANG("t") },
			       .comment = "gang=alice/t phase=gathering min=3 "
					  "total=3 satisfied=0 attempts=0" } },
		  .comes = { .env = { GANG("t") } } },
		/* a broken one gets no note but its refusal */
		{ .comes = { .env = { GANG("t") }, .nodes = 17 },
		  REFUSED(NEVER_FITS, "17 nodes") },
	};

	configure("GangName=alice/listed MinMember=2\n");
	RUN(cases);
}

/* What defines a gang is a job that never runs. */
SUBMIT_TEST(test_object)
{
	static const struct admission cases[] = {
		{ .comes = { .env = { GANG("t"), MIN(4), OBJECT },
			     .held = true } },
		{ .comes = { .env = { GANG("t"), MIN(4), OBJECT } },
		  REFUSED(OBJECT, "submit it held") },
		{ .comes = { .env = { GANG("t"), MIN(4), OBJECT },
			     .held = true,
			     .array = "0-3" },
		  REFUSED(OBJECT, "job array") },
		{ .comes = { .env = { GANG("t"), MIN(4), OBJECT },
			     .held = true,
			     .het = true },
		  REFUSED(UNSUPPORTED, "heterogeneous") },
		{ .comes = { .env = { GANG("t"), MIN(4), OBJECT,
				      TRES("node=17") },
			     .held = true },
		  REFUSED(NEVER_FITS, "17 nodes") },
		/* 0.29: what members that wait said wins, and it is said so; it
		 * can be contradicted, and be for the next gang */
		{ .there = { { .env = { GANG("t"), MIN(4) } } },
		  .comes = { .env = { GANG("t"), MIN(5), OBJECT },
			     .held = true },
		  REFUSED(INVALID,
			  "--gang-min-member=5: the gang's earlier members "
			  "said 4 (job 1 of alice), and what members say wins "
			  "over a definition") },
		{ .there = { { .env = { GANG("t"), MIN(4) } } },
		  .comes = { .env = { GANG("t"), MIN(4), OBJECT },
			     .held = true } },
		{ .there = { { .env = { GANG("t"), MIN(1) },
			       .started = true } },
		  .comes = { .env = { GANG("t"), MIN(5), OBJECT },
			     .held = true } },
		{ .there = { { .env = { GANG("t"), MIN(4), OBJECT } } },
		  .comes = { .env = { GANG("t"), MIN(5) } } },
		/* another of that name, to replace it */
		{ .there = { { .env = { GANG("t"), MIN(4), OBJECT } } },
		  .comes = { .env = { GANG("t"), MIN(5), OBJECT },
			     .held = true } },
	};

	RUN(cases);
}

/* 6.5: who may be in a pool, name one, or become one. */
SUBMIT_TEST(test_pools)
{
#define A_POOL                                                   \
	{                                                        \
		.env = { GANG("p"), POOL, OBJECT }, .held = true \
	}
#define NAMES(pool) O "_spare_pool=" pool
	static const struct admission cases[] = {
		{ .comes = { .env = { GANG("p"), POOL, OBJECT },
			     .held = true } },
		{ .there = { A_POOL }, .comes = { .env = { GANG("p") } } },
		{ .there = { A_POOL },
		  .comes = { .env = { GANG("p") }, .array = "1-4%2" } },
		{ .comes = { .env = { GANG("conf") } } },
		{ .comes = { .env = { GANG("conf"), MIN(2) } },
		  REFUSED(INVALID, "--gang-min-member is given for a pool") },
		{ .there = { A_POOL },
		  .comes = { .env = { GANG("p"), O "_rank=1" } },
		  REFUSED(INVALID, "--gang-rank is given for a pool") },
		{ .comes = { .env = { GANG("p"), POOL } },
		  REFUSED(INVALID, "use sgang create --pool") },
		/* it names one */
		{ .there = { A_POOL },
		  .comes = { .env = { GANG("t"), MIN(1), NAMES("p") } } },
		{ .comes = { .env = { GANG("t"), MIN(1), NAMES("conf") } } },
		{ .there = { A_POOL },
		  .comes = { .env = { GANG("t"), MIN(1), NAMES("p"), OBJECT },
			     .held = true } },
		{ .comes = { .env = { GANG("t"), MIN(1), NAMES("p") } },
		  REFUSED(INVALID,
			  "there is no pool alice/p; create it first") },
		{ .comes = { .env = { GANG("t"), MIN(1), NAMES("p"), OBJECT },
			     .held = true },
		  REFUSED(INVALID, "there is no pool alice/p") },
		{ .there = { { .env = { GANG("p"), MIN(1) } } },
		  .comes = { .env = { GANG("t"), MIN(1), NAMES("p") } },
		  REFUSED(INVALID, "gang alice/p is no pool") },
		{ .comes = { .env = { GANG("t"), MIN(1), NAMES("gang") } },
		  REFUSED(INVALID, "gang alice/gang is no pool") },
		/* of the same name in another namespace */
		{ .there = { { .env = { GANG("p"), POOL, OBJECT },
			       .uid = 1001,
			       .held = true } },
		  .comes = { .env = { GANG("t"), MIN(1), NAMES("p") } },
		  REFUSED(INVALID, "there is no pool alice/p") },
		{ .there = { A_POOL },
		  .comes = { .env = { GANG("bob/t"), MIN(1), NAMES("p") } },
		  REFUSED(NOT_YOURS, "neither your user name") },
		/* one that is gone, whose spares are there */
		{ .there = { { .env = { GANG("p") },
			       .comment = "gang=alice/p phase=running min=0 "
					  "total=0 pool=1" } },
		  .comes = { .env = { GANG("t"), MIN(1), NAMES("p") } } },
		{ .there = { { .env = { GANG("p") },
			       .comment = "gang=alice/p phase=running min=0 "
					  "total=0 pool=1" } },
		  .comes = { .env = { GANG("p"), MIN(2), OBJECT },
			     .held = true },
		  REFUSED(INVALID,
			  "alice/p is a pool and has members: cancel them "
			  "before it becomes a gang") },
		/* it becomes one */
		{ .there = { { .env = { GANG("p") } } },
		  .comes = { .env = { GANG("p"), POOL, OBJECT },
			     .held = true } },
		{ .there = { { .env = { GANG("p"), MIN(2) } } },
		  .comes = { .env = { GANG("p"), POOL, OBJECT }, .held = true },
		  REFUSED(INVALID, "alice/p is a gang and has members") },
		{ .there = { { .env = { GANG("p") }, .started = true } },
		  .comes = { .env = { GANG("p"), POOL, OBJECT }, .held = true },
		  REFUSED(INVALID, "alice/p is a gang and has members") },
		{ .there = { A_POOL },
		  .comes = { .env = { GANG("p"), MIN(2), OBJECT },
			     .held = true } },
	};
#undef A_POOL
#undef NAMES

	configure("GangName=alice/conf Pool=yes\n"
		  "GangName=alice/gang MinMember=2\n");
	RUN(cases);
}

/* 1.1: a gang with placeholders has none of what places members one by one. */
SUBMIT_TEST(test_placeholders_alone)
{
#define PLACES O "_placeholders=soft"
	static const struct admission cases[] = {
		{ .comes = { .env = { GANG("t"), MIN(1), PLACES } } },
		{ .comes = { .env = { GANG("conf"), MIN(1), PLACES } },
		  REFUSED(INVALID,
			  "--gang-placeholders: a gang with placeholders has "
			  "no --gang-spare-pool, leave it out") },
		{ .there = { { .env = { GANG("t"), MIN(1), PLACES } } },
		  .comes = { .env = { GANG("t"), O "_spares=1" } },
		  REFUSED(INVALID, "has no --gang-spares, leave it out") },
		{ .comes = { .env = { GANG("pool"), PLACES } },
		  REFUSED(INVALID, "--gang-placeholders is given for a pool") },
	};
#undef PLACES

	configure("GangName=alice/pool Pool=yes\n"
		  "GangName=alice/conf MinMember=1 SparePool=pool\n");
	RUN(cases);
}

/* 6.5: a member that comes alone waits for a whole gang, so none replaces
 * another, whoever says the one and the other. */
SUBMIT_TEST(test_only_waiting)
{
#define ALONE MATCH("only-waiting")
#define SPARES O "_spares=1"
#define REPLACE O "_on_failure=replace"
#define DRAIN O "_on_drain=replace"
#define WHY(option) \
	REFUSED(INVALID, "so no lost one is replaced; leave out " option)
	static const struct admission cases[] = {
		{ .there = { { .env = { GANG("t"), MIN(1), ALONE } } },
		  .comes = { .env = { GANG("t"), SPARES } },
		  WHY("--gang-spares") },
		{ .there = { { .env = { GANG("t"), MIN(1), SPARES } } },
		  .comes = { .env = { GANG("t"), ALONE } },
		  WHY("--gang-spares") },
		{ .there = { { .env = { GANG("t"), MIN(1), ALONE },
			       .started = true } },
		  .comes = { .env = { GANG("t"), DRAIN } },
		  WHY("--gang-on-drain=replace") },
		/* that of another user is heeded for that one's members */
		{ .there = { { .env = { GANG("lab/t"), MIN(1),
					O "_on_failure=kill" },
			       .account = "lab" },
			     { .env = { GANG("lab/t"), REPLACE },
			       .account = "lab",
			       .uid = 1001 } },
		  .comes = { .env = { GANG("lab/t"), ALONE },
			     .account = "lab" },
		  WHY("--gang-on-failure=replace") },
		/* gang.conf and definitions */
		{ .comes = { .env = { GANG("spares"), ALONE } },
		  WHY("--gang-spares") },
		{ .comes = { .env = { GANG("alone"), MIN(1), REPLACE } },
		  WHY("--gang-on-failure=replace") },
		{ .comes = { .env = { GANG("alone"),
				      O "_match=waiting-and-running",
				      REPLACE } } },
		{ .there = { { .env = { GANG("t"), MIN(1), ALONE, OBJECT } } },
		  .comes = { .env = { GANG("t"), SPARES } },
		  WHY("--gang-spares") },
		{ .there = { { .env = { GANG("t"), MIN(1), ALONE } } },
		  .comes = { .env = { GANG("t"), MIN(1), SPARES, OBJECT },
			     .held = true },
		  WHY("--gang-spares") },
		{ .there = { { .env = { GANG("t"), MIN(1),
					O "_placeholders=soft" } } },
		  .comes = { .env = { GANG("t"), MIN(1), SPARES, OBJECT },
			     .held = true },
		  REFUSED(INVALID, "has no --gang-spares, leave it out") },
	};
#undef ALONE
#undef SPARES
#undef REPLACE
#undef DRAIN
#undef WHY

	configure("GangName=alice/spares MinMember=1 Spares=1\n"
		  "GangName=alice/alone MinMember=1 Match=only-waiting\n");
	RUN(cases);
}

/* 1.7, 1.8: the sum of all placeholders is above the partition or a limit, the new
 * ones among them; of the members that come later nothing is asked. */
SUBMIT_TEST(test_placeholders_sum)
{
#define PLACES O "_placeholders=soft"
#define PLACE(role) GANG("sum"), PLACES, O "_placeholder=1", O "_role=" role
	static const struct admission cases[] = {
		{ .there = { { .env = { PLACE("a:min=1") } } },
		  .comes = { .env = { PLACE("b:min=4") },
			     .array = "0-3",
			     .account = "alice" },
		  REFUSED(LIMIT,
			  "the gang can never start: its 5 placeholders are "
			  "together above a limit of alice") },
		{ .there = { { .env = { PLACE("a:min=1") } } },
		  .comes = { .env = { PLACE("b:min=3") }, .array = "0-2" } },
		{ .there = { { .env = { PLACE("a:min=4") }, .tasks = 4 } },
		  .comes = { .env = { GANG("sum"), PLACES,
				      O "_role=a:min=4" } } },
		{ .comes = { .env = { PLACE("b:min=3") },
			     .array = "0-2",
			     .nodes = 4,
			     .whole = true,
			     .partition = "half" },
		  REFUSED(NEVER_FITS,
			  "12 whole nodes together and partition half has 8") },
	};
#undef PLACE
#undef PLACES

	quota = 4;
	RUN(cases);
	quota = 0;
}

/* 0.29, 0.24: members, then the newest object, then gang.conf. The minimum that
 * holds shows in the limit of an array that is too low for it. */
SUBMIT_TEST(test_precedence)
{
#define LIMITED(gang)                                   \
	{                                               \
		.env = { GANG(gang) }, .array = "0-7%1" \
	}
	static const struct admission cases[] = {
		{ .comes = LIMITED("listed"),
		  REFUSED(ARRAY, "--gang-min-member=2:") },
		{ .there = { { .env = { GANG("listed"), MIN(3), OBJECT } } },
		  .comes = LIMITED("listed"),
		  REFUSED(ARRAY, "--gang-min-member=3:") },
		{ .there = { { .env = { GANG("listed"), MIN(3), OBJECT },
			       .submitted = 7 },
			     { .env = { GANG("listed"), MIN(5), OBJECT },
			       .submitted = 8 },
			     { .env = { GANG("listed"), MIN(6), OBJECT },
			       .submitted = 6 } },
		  .comes = LIMITED("listed"),
		  REFUSED(ARRAY, "--gang-min-member=5:") },
		/* in the same second: the later number */
		{ .there = { { .env = { GANG("listed"), MIN(3), OBJECT } },
			     { .env = { GANG("listed"), MIN(5), OBJECT } } },
		  .comes = LIMITED("listed"),
		  REFUSED(ARRAY, "--gang-min-member=5:") },
		{ .there = { { .env = { GANG("listed"), MIN(5), OBJECT } },
			     { .env = { GANG("listed"), MIN(4) } } },
		  .comes = LIMITED("listed"),
		  REFUSED(ARRAY, "--gang-min-member=4:") },
		{ .there = { { .env = { GANG("listed"), MIN(1) } } },
		  .comes = LIMITED("listed") },
		/* the record of a member knows what one that is gone said */
		{ .there = { { .env = { GANG("t") },
			       .comment = "gang=alice/t phase=gathering min=6 "
					  "total=6 satisfied=0 attempts=0" } },
		  .comes = LIMITED("t"),
		  REFUSED(ARRAY, "--gang-min-member=6:") },
		/* another user's object is for another gang */
		{ .there = { { .env = { GANG("t"), MIN(6), OBJECT },
			       .uid = 1001 } },
		  .comes = LIMITED("t"),
		  REFUSED(UNDEFINED, "alice/t is not defined") },
	};
#undef LIMITED

	configure("GangName=alice/listed MinMember=2\n");
	RUN(cases);
}

/* An object takes no room: 16 nodes hold 16 members and their object. */
SUBMIT_TEST(test_object_is_not_counted)
{
	static const struct admission cases[] = {
		{ .there = { { .env = { GANG("t"), MIN(16), OBJECT } },
			     { .env = { GANG("t") },
			       .whole = true,
			       .tasks = 15 } },
		  .comes = { .env = { GANG("t") }, .whole = true } },
		{ .there = { { .env = { GANG("t"), MIN(17), OBJECT } },
			     { .env = { GANG("t") },
			       .whole = true,
			       .tasks = 15 } },
		  .comes = { .env = { GANG("t") }, .whole = true },
		  REFUSED(NEVER_FITS, "17 whole nodes") },
	};

	RUN(cases);
}

/* 0.15: more than the cluster has is never free. */
SUBMIT_TEST(test_min_tres)
{
	static const struct admission cases[] = {
		{ .comes = { .env = { GANG("t"), MIN(2),
				      TRES("cpu=128,mem=16000M,node=16") } } },
		{ .comes = { .env = { GANG("t"), MIN(2), TRES("cpu=129") } },
		  REFUSED(NEVER_FITS,
			  "--gang-min-tres wants 129 CPUs to be free and the "
			  "cluster has 128") },
		{ .comes = { .env = { GANG("t"), MIN(2), TRES("mem=16001M") } },
		  REFUSED(NEVER_FITS, "16001 MB of memory") },
		{ .comes = { .env = { GANG("t"), MIN(2), TRES("node=17") } },
		  REFUSED(NEVER_FITS, "17 nodes") },
		{ .there = { { .env = { GANG("t"), MIN(2), OBJECT,
					TRES("node=17") } } },
		  .comes = { .env = { GANG("t") } },
		  REFUSED(NEVER_FITS, "17 nodes") },
		/* it is asked before the start only (0.11) */
		{ .there = { { .env = { GANG("t"), MIN(2), TRES("node=17") },
			       .started = true } },
		  .comes = { .env = { GANG("t") } } },
	};

	RUN(cases);
}

/* Whether the gang still asks for something depends on its --gang-match. The
 * cluster has 16 nodes; each member takes one. */
SUBMIT_TEST(test_match)
{
	static const struct admission cases[] = {
		/* what was said first holds when the gang has started */
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(9)),
				     .whole = true, .partition = "half",
				     .tasks = 9, .started = true)),
		  .comes = LIST(.env = LIST(GANG("t")), .whole = true,
				.partition = "half", .array = "0-8%1") },
		/* nine more have to start together, and can: the running ones
		 * are another matter */
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(9),
						 MATCH("only-waiting")),
				     .whole = true, .tasks = 9,
				     .started = true)),
		  .comes = LIST(.env = LIST(GANG("t")), .whole = true,
				.array = "0-8") },
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(9),
						 MATCH("only-waiting")),
				     .whole = true, .tasks = 9,
				     .started = true)),
		  .comes = LIST(.env = LIST(GANG("t")), .array = "0-8%8"),
		  REFUSED(ARRAY, "8 tasks at a time") },
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(9),
						 MATCH("only-waiting")),
				     .whole = true, .tasks = 9,
				     .started = true)),
		  .comes = LIST(.env = LIST(GANG("t")), .whole = true,
				.partition = "half", .array = "0-8"),
		  REFUSED(NEVER_FITS,
			  "9 of its members need 9 whole nodes together and "
			  "partition half has 8") },
		/* those that run make up for those that may not */
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(9),
						 MATCH("waiting-and-running")),
				     .tasks = 9, .started = true)),
		  .comes = LIST(.env = LIST(GANG("t")), .array = "0-8%1") },
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(9),
						 MATCH("waiting-and-running")),
				     .tasks = 8, .started = true)),
		  .comes = LIST(.env = LIST(GANG("t")), .array = "0-8%1") },
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(9),
						 MATCH("waiting-and-running")),
				     .tasks = 7, .started = true)),
		  .comes = LIST(.env = LIST(GANG("t")), .array = "0-8%1"),
		  REFUSED(ARRAY, "1 tasks at a time") },
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(9),
						 MATCH("waiting-and-running")),
				     .whole = true, .partition = "half",
				     .tasks = 8, .started = true)),
		  .comes = LIST(.env = LIST(GANG("t")), .whole = true,
				.partition = "half"),
		  REFUSED(NEVER_FITS, "partition half has 8") },
	};

	RUN(cases);
}

/* A member that is only held has not started its gang, one whose record says
 * that the gang has started once has. */
SUBMIT_TEST(test_what_has_started)
{
#define RECORD(phase, satisfied)                      \
	"gang=alice/t phase=" phase " min=9 total=9 " \
	"satisfied=" satisfied " attempts=1"
#define NINTH                                                            \
	{                                                                \
		.env = { GANG("t") }, .whole = true, .partition = "half" \
	}
	static const struct admission cases[] = {
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(9),
						 MODE("nonstrict")),
				     .whole = true, .partition = "half",
				     .tasks = 8, .configuring = true,
				     .comment = RECORD("holding", "0"))),
		  .comes = NINTH,
		  REFUSED(NEVER_FITS, "partition half has 8") },
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(9)),
				     .whole = true, .partition = "half",
				     .tasks = 8, .configuring = true,
				     .comment = RECORD("starting", "0"))),
		  .comes = NINTH,
		  REFUSED(NEVER_FITS, "partition half has 8") },
		/* configuring for reasons of Slurm's */
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(9)),
				     .whole = true, .partition = "half",
				     .tasks = 8, .configuring = true,
				     .comment = RECORD("running", "1"))),
		  .comes = NINTH },
		/* requeued */
		{ .there = LIST(LIST(.env = LIST(GANG("t"), MIN(9)),
				     .whole = true, .partition = "half",
				     .tasks = 8,
				     .comment = RECORD("running", "1"))),
		  .comes = NINTH },
	};
#undef NINTH
#undef RECORD

	RUN(cases);
}

SUBMIT_TEST(test_shared_cpus)
{
	static const struct admission cases[] = {
		{ .comes = { .env = { GANG("t"), MIN(1000) }, .cpus = 200 } },
		{ .comes = { .env = { GANG("t"), MIN(17) }, .whole = true },
		  REFUSED(NEVER_FITS, "17 whole nodes") },
	};

	ctld.room.cpus = 0;
	RUN(cases);
}

/* Whichever allocation fails, the job is refused and nothing leaks. */
SUBMIT_TEST(test_no_memory)
{
	static const struct job there[] = {
		{ .env = { GANG("t"), MIN(2) } },
		{ .env = { GANG("t") } },
		{ .env = { GANG("t"), MIN(2), OBJECT } },
	};
	static const struct job comes = { .env = { GANG("t") },
					  .array = "0-3" };
	unsigned long n;

	ctld.jobs = there;
	ctld.n_jobs = 3;
	for (n = 1;; n++) {
		struct sgang_error err = { "" };
		enum sgang_submit_verdict verdict;
		long live = fail_live;

		fail_at(n);
		verdict = submit(&comes, &err);
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

SUBMIT_TEST(test_change)
{
	static const struct {
		struct job job;
		struct sgang_submit_change change;
		enum sgang_submit_verdict verdict;
	} cases[] = {
		{ LIST(.env = LIST("X=1")),
		  LIST(.account = "any", .throttle = 1), SGANG_SUBMIT_FINE },
		{ LIST(.env = LIST(GANG("t"), MIN(4)), .throttle = 5),
		  LIST(.throttle = 4), SGANG_SUBMIT_FINE },
		{ LIST(.env = LIST(GANG("t"), MIN(4)), .throttle = 5),
		  LIST(.throttle = 3), SGANG_SUBMIT_ARRAY },
		{ LIST(.env = LIST(GANG("t"), MIN(4)), .throttle = 2),
		  LIST(.throttle = 4), SGANG_SUBMIT_FINE },
		{ LIST(.env = LIST(GANG("t"), MIN(4)), .started = true),
		  LIST(.throttle = 1), SGANG_SUBMIT_FINE },
		{ LIST(.env = LIST(GANG("t"), MIN(4))), LIST(.account = "chem"),
		  SGANG_SUBMIT_FINE },
		{ LIST(.env = LIST(GANG("phys/t"), MIN(4))),
		  LIST(.account = "chem"), SGANG_SUBMIT_NOT_YOURS },
		{ LIST(.env = LIST(GANG("phys/t"), MIN(4))),
		  LIST(.account = "phys"), SGANG_SUBMIT_FINE },
		{ LIST(.env = LIST(GANG("phys/t"), MIN(4))),
		  LIST(.account = ""), SGANG_SUBMIT_NOT_YOURS },
		/* a member may be released, an object never */
		{ LIST(.env = LIST(GANG("t"), MIN(4))), LIST(.priority = true),
		  SGANG_SUBMIT_FINE },
		{ LIST(.env = LIST(GANG("t"), MIN(4), OBJECT)),
		  LIST(.priority = true), SGANG_SUBMIT_OBJECT },
		{ LIST(.env = LIST(GANG("t"), MIN(4), OBJECT)),
		  LIST(.account = "chem"), SGANG_SUBMIT_FINE },
		{ LIST(.env = LIST(GANG("phys/t"), MIN(4), OBJECT)),
		  LIST(.account = "chem"), SGANG_SUBMIT_NOT_YOURS },
		/* the minimum of a gang that gang.conf defines */
		{ LIST(.env = LIST(GANG("listed"))), LIST(.throttle = 1),
		  SGANG_SUBMIT_ARRAY },
		{ LIST(.env = LIST(GANG("listed"))), LIST(.throttle = 2),
		  SGANG_SUBMIT_FINE },
	};

	configure("GangName=alice/listed MinMember=2\n");
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_submit_member member;
		struct sgang_error err = { "" };

		ctld.jobs = &cases[i].job;
		ctld.n_jobs = 1;
		member = member_of(&cases[i].job, 1);
		if (sgang_submit_check_change(&member, &cases[i].change, &host,
					      &err) != cases[i].verdict)
			fail_msg("case %zu: %s", i, err.text);
	}
}

/* What could not be submitted cannot be had by a change. */
SUBMIT_TEST(test_change_account_or_partition)
{
	static const struct job there[] = {
		{ .env = { GANG("proj/t"), MIN(4) },
		  .account = "proj",
		  .tasks = 3 },
		{ .env = { GANG("u"), MIN(4), EXCLUSIVE("leaf") },
		  .account = "lab",
		  .tasks = 2 },
		{ .env = { GANG("u") }, .account = "lab" },
	};
	static const struct {
		uint32_t job_id;
		struct sgang_submit_change change;
		const char *why; /* NULL: it is fine */
	} cases[] = {
		{ 2,
		  { .account = "proj" },
		  "AccountMaxGangMembers=4 of "
		  "gang.conf: account proj has 3, and with this job 5" },
		{ 3,
		  { .account = "proj" },
		  "AccountMaxGangs=1 of gang.conf: "
		  "account proj has 1, and with this job 2" },
		{ 3, { .account = "free" }, NULL },
		{ 1, { .account = "proj" }, NULL },
		{ 3,
		  { .partition = "main,half" },
		  "--gang-exclusive=leaf is "
		  "above PartitionMaxExclusive=half:none" },
		{ 3, { .partition = "main" }, NULL },
		{ 1, { .partition = "half" }, NULL },
	};

	configure("AccountMaxGangMembers=proj:4 AccountMaxGangs=proj:1\n"
		  "PartitionMaxExclusive=half:none\n");
	ctld.jobs = there;
	ctld.n_jobs = COUNT(there);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_submit_member member =
			member_of(&there[cases[i].job_id - 1], cases[i].job_id);
		struct sgang_error err = { "" };

		(void)sgang_submit_check_change(&member, &cases[i].change,
						&host, &err);
		if (cases[i].why ? !strstr(err.text, cases[i].why) :
				   err.text[0] != '\0')
			fail_msg("case %zu: %s", i, err.text);
	}
}

/* The minimum may have been said by another member. */
SUBMIT_TEST(test_change_minimum_of_another)
{
	static const struct job there[] = {
		{ .env = { GANG("t"), MIN(4) } },
		{ .env = { GANG("t") }, .tasks = 8 },
	};
	struct sgang_submit_change change = { .throttle = 3 };
	struct sgang_submit_member member = member_of(&there[1], 2);
	struct sgang_error err;

	ctld.jobs = there;
	ctld.n_jobs = 2;
	assert_int_equal(sgang_submit_check_change(&member, &change, &host,
						   &err),
			 SGANG_SUBMIT_ARRAY);
	assert_non_null(strstr(err.text, "3 tasks at a time"));
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

/* 5.4: judged with all members that there are, as many as it needs of them,
 * whichever these may be. */
SUBMIT_TEST(test_never_on_the_empty_cluster)
{
	static const struct job there[] = {
		{ .env = { GANG("t"), MIN(5) }, .submitted = 20 },
		{ .env = { GANG("t") }, .tasks = 3, .submitted = 10 },
		{ .env = { GANG("other"), MIN(2) } },
	};
	const struct job comes = { .env = { GANG("t") } };
	const struct job many = { .env = { GANG("t") }, .array = "0-9" };
	struct sgang_error err = { "" };

	ctld.jobs = there;
	ctld.n_jobs = 1;
	assert_int_equal(submit(&comes, &err), SGANG_SUBMIT_FINE);
	assert_int_equal(n_asked, 2);
	expect_asked(0, 1, false);
	expect_asked(1, 1, false);
	assert_int_equal(n_spare, 0);
	assert_int_equal(n_others, 3);

	ctld.n_jobs = 3;
	lacks = "no leaf has room";
	assert_int_equal(submit(&comes, &err), SGANG_SUBMIT_NEVER_FITS);
	assert_string_equal(err.text, "the gang can never start: no leaf has "
				      "room");
	assert_int_equal(n_asked, 3);
	expect_asked(0, 1, false);
	expect_asked(1, 1, false);
	expect_asked(2, 3, false);
	assert_int_equal(n_spare, 0);
	assert_int_equal(n_others, 0);
	/* 14 of which it needs 5 */
	assert_int_equal(submit(&many, &err), SGANG_SUBMIT_NEVER_FITS);
	expect_asked(0, 10, false);
	expect_asked(2, 3, false);
	assert_int_equal(n_spare, 9);
	assert_int_equal(n_others, 0);
	lacks = NULL;
}

/* 2.15, 2.18: groups that contradict those of members before it. */
SUBMIT_TEST(test_tree)
{
	static const struct job there[] = {
		{ .env = { GANG("t"), MIN(2),
			   ROLE("r1:min=2:require=leaf/encode:min=1") } },
		{ .env = { GANG("t"), ROLE("r1/decode:min=3:weight=10") } },
		{ .env = { GANG("u"), ROLE("r1:min=9/encode/x") } },
	};
	static const struct {
		const char *role;
		const char *why; /* NULL: it is fine */
	} cases[] = {
		{ ROLE("r1/encode"), NULL },
		{ ROLE("r1:min=2/decode:weight=10"), NULL },
		{ ROLE("r1:prefer=node/decode"), NULL },
		{ ROLE("r2:min=1"), NULL },
		{ ROLE("r1:min=3/decode"),
		  "group r1: min=3 and min=2 are said of it: all members must "
		  "say the same" },
		{ ROLE("r1/decode:weight=1"),
		  "group r1/decode: weight=1 and weight=10 are said of it: all "
		  "members must say the same" },
		{ ROLE("r1:require=spine/decode"),
		  "group r1: require=spine and require=leaf are said of it: all "
		  "members must say the same" },
		{ ROLE("r1"), "has members and groups in it" },
		{ ROLE("r1/encode/left"), "has members and groups in it" },
		{ NULL, "give each --gang-role" },
	};

	ctld.jobs = there;
	ctld.n_jobs = 3;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct job comes = { .env = { GANG("t"),
						    cases[i].role } };
		struct sgang_error err = { "" };
		int verdict = submit(&comes, &err);

		if (verdict != (cases[i].why ? SGANG_SUBMIT_INVALID :
					       SGANG_SUBMIT_FINE) ||
		    (cases[i].why && !strstr(err.text, cases[i].why)))
			fail_msg("case %zu: %d, %s", i, verdict, err.text);
	}
}

/* 2.15, 5.4: a group is judged with the members that it has, as many as it needs
 * of them, at the lowest level that it or a group around it requires. */
SUBMIT_TEST(test_group_never_fits)
{
	static const struct job there[] = {
		{ .env = { GANG("t"), MIN(1),
			   ROLE("r1:require=leaf/decode:min=4") },
		  .tasks = 2 },
		{ .env = { GANG("t"), ROLE("r1/encode") }, .tasks = 5 },
		{ .env = { GANG("t"), ROLE("r2/decode") }, .tasks = 5 },
	};
	const struct job one = { .env = { GANG("t"),
					  ROLE("r1/decode:require=spine") } };
	const struct job many = { .env = { GANG("t"), ROLE("r1/decode") },
				  .array = "0-5" };
	const struct job other = { .env = { GANG("t"), ROLE("r2/decode") } };
	struct sgang_error err = { "" };

	ctld.jobs = there;
	ctld.n_jobs = 3;
	lacks = "no leaf has room";
	assert_int_equal(submit(&one, &err), SGANG_SUBMIT_NEVER_FITS);
	assert_string_equal(err.text, "the gang can never start with group "
				      "r1/decode: no leaf has room");
	assert_string_equal(asked_topology, "require:leaf");
	assert_int_equal(n_asked, 2);
	expect_asked(0, 1, false);
	expect_asked(1, 2, false);
	assert_int_equal(n_spare, 0);
	assert_int_equal(n_others, 1);

	assert_int_equal(submit(&many, &err), SGANG_SUBMIT_NEVER_FITS);
	assert_int_equal(n_asked, 2);
	assert_int_equal(n_spare, 4);
	assert_int_equal(n_others, 0);

	assert_int_equal(submit(&other, &err), SGANG_SUBMIT_NEVER_FITS);
	assert_string_equal(asked_topology, "");
	assert_int_equal(n_asked, 2);
	assert_int_equal(n_spare, 5);
	lacks = NULL;
	assert_int_equal(submit(&one, &err), SGANG_SUBMIT_FINE);
}

/* 5.5: whom --gang-order puts into the minimum is needed in any case, unless
 * others are expected that may come before. */
SUBMIT_TEST(test_never_by_order)
{
	static const struct job there[] = {
		{ .env = { GANG("t"), MIN(4), O "_order=1" } },
		{ .env = { GANG("t"), O "_order=2" }, .tasks = 3 },
		{ .env = { GANG("u"), MIN(4), TOTAL(6), O "_order=1" } },
		{ .env = { GANG("u"), O "_order=2" }, .tasks = 3 },
	};
	static const struct {
		struct job comes;
		uint32_t spare, others;
		bool first, one, three; /* the new job, those there */
	} cases[] = {
		{ LIST(.env = LIST(GANG("t"), O "_order=0")), 1, 0, true, true,
		  false },
		{ LIST(.env = LIST(GANG("t"), O "_order=2")), 1, 0, false, true,
		  false },
		{ LIST(.env = LIST(GANG("t"))), 1, 0, false, true, true },
		{ LIST(.env = LIST(GANG("t"), O "_order=0"), .array = "0-3"), 4,
		  0, true, false, false },
		{ LIST(.env = LIST(GANG("t"), O "_order=0"), .array = "0-4"), 5,
		  0, false, false, false },
		/* five are there, and one is expected */
		{ LIST(.env = LIST(GANG("u"))), 2, 1, false, true, false },
		{ LIST(.env = LIST(GANG("u"), O "_order=0")), 2, 1, true, true,
		  false },
	};
	struct sgang_error err = { "" };

	ctld.jobs = there;
	ctld.n_jobs = 4;
	for (size_t i = 0; i < COUNT(cases); i++) {
		bool u = i >= 5;

		n_asked = 0;
		assert_int_equal(submit(&cases[i].comes, &err),
				 SGANG_SUBMIT_FINE);
		assert_int_equal(n_asked, 3);
		assert_int_equal(n_spare, cases[i].spare);
		assert_int_equal(n_others, cases[i].others);
		expect_asked(0, (uint32_t)(cases[i].spare > 2 ? i + 1 : 1),
			     cases[i].first);
		expect_asked(u ? 3 : 1, 1, cases[i].one);
		expect_asked(u ? 4 : 2, 3, cases[i].three);
	}
}

/* 6.9: also of a gang that has started, and of a definition. */
SUBMIT_TEST(test_expedited)
{
	static const struct job there[] = {
		{ .env = { GANG("ran"), MIN(1) },
		  .started = true,
		  .comment = "gang=alice/ran phase=running started=1" },
	};
	static const struct job refused[] = {
		{ .env = { GANG("new"), MIN(1) }, .expedited = true },
		{ .env = { GANG("new") }, .expedited = true },
		{ .env = { GANG("new"), MIN(1) },
		  .array = "0-3",
		  .expedited = true },
		{ .env = { GANG("ran") }, .expedited = true },
		{ .env = { GANG("new"), MIN(1), OBJECT },
		  .held = true,
		  .expedited = true },
	};
	struct job ordinary = { .env = { "PATH=/bin" }, .expedited = true };
	struct sgang_error err = { "" };

	ctld.jobs = there;
	ctld.n_jobs = 1;
	for (size_t i = 0; i < COUNT(refused); i++) {
		assert_int_equal(submit(&refused[i], &err),
				 SGANG_SUBMIT_UNSUPPORTED);
		assert_non_null(strstr(err.text, "--requeue=expedite"));
		assert_non_null(strstr(err.text, "--gang-on-failure=requeue"));
	}
	assert_int_equal(submit(&ordinary, &err), SGANG_SUBMIT_FINE);
}

/* Members start together, with the limit that they asked for. */
SUBMIT_TEST(test_time_min)
{
	static const struct job there[] = {
		{ .env = { GANG("t"), MIN(2) } },
		{ .env = { GANG("ran"), MIN(1) },
		  .started = true,
		  .comment = "gang=alice/ran phase=running started=1" },
	};
	struct job comes = { .env = { GANG("t") }, .time_min = true };
	struct sgang_submit_change change = { .time_min = true };
	struct sgang_submit_member member = member_of(&there[0], 1);
	struct sgang_error err = { "" };

	ctld.jobs = there;
	ctld.n_jobs = 2;
	assert_int_equal(submit(&comes, &err), SGANG_SUBMIT_UNSUPPORTED);
	assert_non_null(strstr(err.text, "--time-min"));
	assert_int_equal(sgang_submit_check_change(&member, &change, &host,
						   &err),
			 SGANG_SUBMIT_UNSUPPORTED);
	member.pending = false;
	assert_int_equal(sgang_submit_check_change(&member, &change, &host,
						   &err),
			 SGANG_SUBMIT_FINE);
	comes.env[0] = GANG("ran");
	assert_int_equal(submit(&comes, &err), SGANG_SUBMIT_FINE);
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
	static const struct job there = { .env = { GANG("t"), MIN(2) } };
	struct job comes = { .env = { GANG("t") }, .partition = "ringed" };
	struct sgang_submit_change change = { .partition = "ringed" };
	struct sgang_submit_member member = member_of(&there, 1);
	struct sgang_error err = { "" };

	ctld.jobs = &there;
	ctld.n_jobs = 1;
	host.barred = fake_barred;
	assert_int_equal(submit(&comes, &err), SGANG_SUBMIT_UNSUPPORTED);
	assert_string_equal(err.text,
			    "partition ringed: a ring; submit the job to "
			    "another partition, or without --gang");
	assert_int_equal(sgang_submit_check_change(&member, &change, &host,
						   &err),
			 SGANG_SUBMIT_UNSUPPORTED);
	change.partition = comes.partition = "main";
	assert_int_equal(submit(&comes, &err), SGANG_SUBMIT_FINE);
	assert_int_equal(sgang_submit_check_change(&member, &change, &host,
						   &err),
			 SGANG_SUBMIT_FINE);
	host.barred = NULL;
	change.partition = comes.partition = "ringed";
	assert_int_equal(submit(&comes, &err), SGANG_SUBMIT_FINE);
	assert_int_equal(sgang_submit_check_change(&member, &change, &host,
						   &err),
			 SGANG_SUBMIT_FINE);
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

	(void)before;
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
		MIN(3),
		MIN(3),
		MIN(3),
		MIN(5),
		TOTAL(6),
		MODE("nonstrict"),
		MATCH("only-waiting"),
		MATCH("waiting-and-running"),
		O "_rank=1",
		O "_rank=2",
		O "_order=1",
		O "_order=2",
	};
	size_t said = (size_t)rand() % 30;
	struct job job = {
		.env = { rand() % 4 ? GANG("t") : GANG("alice/t"),
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
		job.env[2] = OBJECT;
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
			job.submitted = (int64_t)ctld.n_jobs / 4;
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
	static const struct job job = { .env = { GANG("t"), MIN(9999) } };
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
