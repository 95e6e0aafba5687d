/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_members.c - which jobs may be in a gang, without a look at all jobs
 *
 * Over a Slurm that numbers jobs as slurmctld does: the lowest free number from
 * that of a row on, which begins anew behind the last number there is; a number
 * whose script is not removed yet is passed over. Scripts of jobs that are gone
 * may stay.
 */

#include "../unit.h"
#include "../core/fail_alloc.h"
#include "plugins/job_submit/members.h"

#define IDS 100000

struct job {
	bool there; /* Slurm has a record of it */
	bool live;
	bool script;
	uint32_t uid;
	uint32_t tasks;
	const char *gang;
};

static struct {
	struct job jobs[IDS]; /* by number */
	uint32_t last_id;     /* highest number there is */
	uint32_t row;         /* of the next job */
	bool unknown;
	unsigned int walks, found;
} ctld;

static uint32_t fake_next_id(void)
{
	uint32_t id = ctld.row;

	if (ctld.unknown)
		return 0;
	for (uint32_t i = 0; i < ctld.last_id; i++, id++) {
		if (id > ctld.last_id)
			id = 1;
		if (!ctld.jobs[id].there && !ctld.jobs[id].script)
			return id;
	}
	return 0;
}

static struct sgang_members_job job_of(uint32_t id)
{
	const struct job *job = &ctld.jobs[id];

	return (struct sgang_members_job){
		.job_id = id,
		.uid = job->uid,
		.tasks = job->tasks,
		.gang = job->gang,
	};
}

static bool fake_find(uint32_t id, struct sgang_members_job *job)
{
	ctld.found++;
	if (!ctld.jobs[id].there)
		return false;
	*job = job_of(id);
	return true;
}

static void fake_each(sgang_members_visit_f visit, void *arg)
{
	ctld.walks++;
	for (uint32_t id = 1; id <= ctld.last_id; id++) {
		struct sgang_members_job job = job_of(id);

		if (ctld.jobs[id].there)
			visit(&job, arg);
	}
}

static const struct sgang_members_host host = {
	.next_id = fake_next_id,
	.find = fake_find,
	.each = fake_each,
};

static void start(uint32_t row, uint32_t last_id)
{
	memset(&ctld, 0, sizeof(ctld));
	ctld.row = row;
	ctld.last_id = last_id;
}

/* Returns its number; 0: there is none left. */
static uint32_t submit(uint32_t uid, const char *gang, uint32_t tasks)
{
	uint32_t id = fake_next_id();

	if (!id)
		return 0;
	ctld.row = id + 1;
	ctld.jobs[id] = (struct job){
		.there = true,
		.live = true,
		.script = true,
		.uid = uid,
		.gang = gang,
		.tasks = tasks,
	};
	return id;
}

/* The task that goes gets a new number, the rest keeps that of the array. */
static void split(uint32_t id)
{
	if (submit(ctld.jobs[id].uid, ctld.jobs[id].gang, 1))
		ctld.jobs[id].tasks--;
}

static void purge(uint32_t id, bool script)
{
	ctld.jobs[id] = (struct job){ .script = script };
}

/* ---- what is told ---- */

static bool told[IDS];

static void tell(uint32_t id, void *arg)
{
	told[id] = true;
}

static unsigned int ask(struct sgang_members *members, const char *gang,
			uint32_t uid)
{
	unsigned int n = 0;

	memset(told, 0, sizeof(told));
	sgang_members_of(members, gang, uid, 0, tell, NULL);
	for (uint32_t id = 0; id < IDS; id++)
		n += told[id];
	return n;
}

static const char *const names[] = { "t", "u", "proj/t", "proj/u", "ann/t" };

#define N_NAMES (COUNT(names))
#define USERS 3

/* Are all told that a walk would find? */
static void check(struct sgang_members *members, const char *gang, uint32_t uid,
		  unsigned int seed)
{
	ask(members, gang, uid);
	for (uint32_t id = 1; id <= ctld.last_id; id++) {
		const struct job *job = &ctld.jobs[id];

		if (job->live && job->gang && !strcmp(job->gang, gang) &&
		    (strchr(gang, '/') || job->uid == uid) && !told[id])
			fail_msg("seed %u: job %u of %s is not known", seed,
				 (unsigned int)id, gang);
	}
}

/* Never fewer than there are. */
static void check_count(struct sgang_members *members, uint32_t uid)
{
	struct sgang_members_count most = sgang_members_count(members, uid);
	bool all[N_NAMES][USERS] = { { false } };
	uint64_t n = 0, own = 0, gangs = 0, own_gangs = 0;

	for (uint32_t id = 1; id <= ctld.last_id; id++) {
		const struct job *job = &ctld.jobs[id];

		if (!job->live || !job->gang)
			continue;
		n += job->tasks;
		own += job->uid == uid ? job->tasks : 0;
		for (size_t i = 0; i < N_NAMES; i++)
			if (job->gang == names[i])
				all[i][job->uid] = true;
	}
	for (size_t i = 0; i < N_NAMES; i++) {
		bool any = false;

		for (size_t u = 0; u < USERS; u++) {
			gangs += all[i][u] && (!strchr(names[i], '/') || !any);
			any = any || all[i][u];
		}
		own_gangs += all[i][uid];
	}
	assert_true(most.members >= n && most.own_members >= own);
	assert_true(most.gangs >= gangs && most.own_gangs >= own_gangs);
}

static void check_all(struct sgang_members *members, unsigned int seed)
{
	if (sgang_members_update(members))
		fail_msg("seed %u: not known", seed);
	for (uint32_t uid = 0; uid < USERS; uid++) {
		for (size_t i = 0; i < N_NAMES; i++)
			check(members, names[i], uid, seed);
		check_count(members, uid);
	}
}

/* ---- the tests ---- */

/* What waits is not looked at again, whoever waits. */
TEST(test_cost)
{
	struct sgang_members *members = sgang_members_create(&host);

	start(1, IDS - 1);
	for (int i = 0; i < 10000; i++)
		submit(1, i % 2 ? "proj/t" : NULL, 1);
	assert_int_equal(sgang_members_update(members), 0);
	submit(2, "t", 1);
	assert_int_equal(sgang_members_update(members), 0);
	assert_int_equal(ctld.walks, 2);
	ctld.walks = ctld.found = 0;
	for (unsigned int i = 0; i < 100; i++) {
		submit(2, i % 2 ? "t" : NULL, 1);
		assert_int_equal(sgang_members_update(members), 0);
		assert_int_equal(ask(members, "t", 2), 1 + (i + 1) / 2);
		assert_int_equal(ask(members, "t", 1), 0);
		assert_int_equal(ask(members, "u", 2), 0);
	}
	assert_int_equal(ask(members, "proj/t", 0), 5000);
	assert_int_equal(ctld.walks, 0);
	assert_int_equal(ctld.found, 100);
	sgang_members_destroy(members);
}

/* A row that begins anew, or goes on much later; forgotten; not known. */
TEST(test_walks)
{
	struct sgang_members *members = sgang_members_create(&host);

	start(1, IDS - 1);
	submit(1, "t", 1);
	assert_int_equal(sgang_members_update(members), 0);
	submit(1, "t", 1);
	assert_int_equal(sgang_members_update(members), 0);
	ctld.walks = 0;

	sgang_members_forget(members);
	assert_int_equal(sgang_members_update(members), 0);
	assert_int_equal(sgang_members_update(members), 0);
	assert_int_equal(ctld.walks, 1);
	assert_int_equal(ask(members, "t", 1), 2);

	ctld.row = 90000;
	submit(1, "t", 1);
	assert_int_equal(sgang_members_update(members), 0);
	assert_int_equal(ctld.walks, 2);
	assert_int_equal(sgang_members_update(members), 0);
	assert_int_equal(ctld.walks, 2);

	ctld.row = 1;
	submit(1, "t", 1);
	assert_int_equal(sgang_members_update(members), 0);
	submit(1, "t", 1);
	assert_int_equal(sgang_members_update(members), 0);
	assert_int_equal(ctld.walks, 4);
	assert_int_equal(sgang_members_update(members), 0);
	assert_int_equal(ctld.walks, 4);
	assert_int_equal(ask(members, "t", 1), 5);

	ctld.unknown = true;
	assert_int_equal(sgang_members_update(members), -1);
	ctld.unknown = false;
	assert_int_equal(sgang_members_update(members), 0);
	assert_int_equal(ask(members, "t", 1), 5);
	sgang_members_destroy(members);
	sgang_members_destroy(NULL);
}

/* Jobs below the row's place were there before it; its true place is lower than
 * it seems. */
TEST(test_place_in_row)
{
	struct sgang_members *members = sgang_members_create(&host);

	start(10, IDS - 1);
	ctld.jobs[10] = ctld.jobs[11] = (struct job){
		.there = true,
		.live = true,
		.tasks = 1,
	};
	assert_int_equal(sgang_members_update(members), 0);
	purge(10, false);
	assert_int_equal(submit(1, "t", 1), 10);
	assert_int_equal(sgang_members_update(members), 0);
	assert_int_equal(ask(members, "t", 1), 1);
	assert_int_equal(submit(1, "t", 1), 12);
	assert_int_equal(sgang_members_update(members), 0);
	assert_int_equal(ask(members, "t", 1), 2);

	/* a script that stays, seen by a walk */
	ctld.jobs[13].script = true;
	sgang_members_forget(members);
	assert_int_equal(sgang_members_update(members), 0);
	ctld.jobs[13].script = false;
	assert_int_equal(submit(1, "t", 1), 13);
	assert_int_equal(sgang_members_update(members), 0);
	assert_int_equal(ask(members, "t", 1), 3);
	sgang_members_destroy(members);
}

/* A job of the last time around stands in the row's way, and ends there. */
TEST(test_way_of_row)
{
	struct sgang_members *members = sgang_members_create(&host);

	start(10, IDS - 1);
	ctld.jobs[14] = (struct job){
		.there = true,
		.live = true,
		.tasks = 1,
	};
	assert_int_equal(sgang_members_update(members), 0);
	for (uint32_t id = 10; id < 14; id++) {
		assert_int_equal(submit(1, "t", 1), id);
		assert_int_equal(sgang_members_update(members), 0);
	}
	purge(14, false);
	assert_int_equal(submit(1, "t", 1), 14);
	assert_int_equal(sgang_members_update(members), 0);
	assert_int_equal(ask(members, "t", 1), 5);
	sgang_members_destroy(members);
}

static uint32_t any_job(bool live)
{
	uint32_t id = 1 + (uint32_t)rand() % ctld.last_id;

	for (uint32_t i = 0; i < ctld.last_id; i++, id++) {
		if (id > ctld.last_id)
			id = 1;
		if (ctld.jobs[id].there && ctld.jobs[id].live == live)
			return id;
	}
	return 0;
}

/* Half of the numbers are free: no row comes around between two looks. */
static bool is_full(void)
{
	uint32_t used = 0;

	for (uint32_t id = 1; id <= ctld.last_id; id++)
		used += ctld.jobs[id].there || ctld.jobs[id].script;
	return used * 2 > ctld.last_id;
}

/* Something happens to a job. */
static void happen(void)
{
	uint32_t live = any_job(true), ended = any_job(false);

	switch (rand() % 12) {
	case 0:
	case 1:
	case 2:
		if (is_full())
			break;
		submit((uint32_t)rand() % USERS,
		       rand() % 3 ? names[(size_t)rand() % N_NAMES] : NULL,
		       1 + (uint32_t)rand() % 3);
		break;
	case 3:
		if (live && ctld.jobs[live].tasks > 1 && !is_full())
			split(live);
		break;
	case 4:
	case 5:
		if (live)
			ctld.jobs[live].live = false;
		break;
	case 6:
		if (ended)
			ctld.jobs[ended].live = true;
		break;
	case 7:
	case 8:
	case 9:
		if (ended)
			purge(ended, rand() % 2);
		break;
	default:
		live = 1 + (uint32_t)rand() % ctld.last_id;
		if (!ctld.jobs[live].there)
			ctld.jobs[live].script = false;
		break;
	}
}

/* 0.1: they are those that a walk finds, also where numbers come again. */
TEST(test_as_a_walk)
{
	unsigned int walks = 0, updates = 0;

	for (unsigned int seed = 1; seed <= 200; seed++) {
		struct sgang_members *members = sgang_members_create(&host);

		srand(seed);
		start(1, 20 + (uint32_t)rand() % 200);
		for (int i = 0; i < 500; i++) {
			for (int n = rand() % 4; n; n--)
				happen();
			check_all(members, seed);
			updates++;
		}
		walks += ctld.walks;
		sgang_members_destroy(members);
	}
	/* it is no walk each time that is compared with one */
	assert_true(walks < updates / 2);
}

/* Without memory nobody is told half of it. */
TEST(test_no_memory)
{
	long live = fail_live;

	for (unsigned long n = 1; n < 40; n++) {
		struct sgang_members *members;

		start(1, IDS - 1);
		for (int i = 0; i < 20; i++)
			submit(1, i % 2 ? "t" : names[(size_t)i % N_NAMES], 1);
		fail_at(n);
		members = sgang_members_create(&host);
		for (int i = 0; members && i < 9; i++) {
			submit(2, "t", 1);
			if (!sgang_members_update(members))
				check(members, "t", 2, (unsigned int)n);
		}
		fail_at(0);
		if (members)
			check_all(members, (unsigned int)n);
		sgang_members_destroy(members);
		assert_int_equal(fail_live, live);
	}
}

TEST_MAIN(NULL, NULL)
