/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_registry.c - what is kept of gangs from pass to pass is what the jobs
 * amount to
 *
 * A pass neither adds up nor shows what is as it was. Here jobs change in a
 * random order, and after each change a look at the cluster that remembers is
 * compared with one that does not.
 */

#include <pthread.h>
#include <unistd.h>

#include "../unit.h"
#include "plugins/select/conductor_private.h"
#include "../core/fuzz.h"
#include "toy_cluster.h"

#define GANGS 4
#define JOBS_MAX 40

static uint64_t dice;
static uint32_t kept, counted, told; /* gangs, over all looks */

static uint32_t below(uint32_t n)
{
	return (uint32_t)fuzz_below(&dice, n);
}

/* ---- what happens ---- */

static const struct fake_job *any_job(enum fake_state state)
{
	uint32_t first = below(FAKE_JOBS);

	for (uint32_t i = 0; i < FAKE_JOBS; i++) {
		const struct fake_job *j = fake_record((first + i) % FAKE_JOBS);

		if (j->live && j->state == state && j->gang[0])
			return j;
	}
	return NULL;
}

static uint32_t live_jobs(void)
{
	uint32_t n = 0;

	for (const struct fake_job *j = fake_next(NULL); j; j = fake_next(j))
		n += j->state != FAKE_GONE;
	return n;
}

/* In "shared" there are members of two users. */
static void submit_member(void)
{
	static const char *const gangs[GANGS] = { "a", "b", "c", "shared" };
	static const char *const more[] = {
		NULL,
		NULL,
		NULL,
		"mode=nonstrict",
		"waiting_time=5:00",
		"on_failure=kill",
		"order=0",
		"order=2",
		"object=1",
		"match=only-waiting",
		"groups=alice/b",
	};
	uint32_t g = below(GANGS);
	struct fake_request rq = {
		.gang = gangs[g],
		.min = below(3) ? 2 + below(4) : 0,
		.more = more[below(COUNT(more))],
		.nodes = 1 + below(2),
		.array = below(4) ? 0 : 1 + below(3),
		.priority = below(6) ? 1 + below(5) : 0,
	};

	if (g == GANGS - 1) {
		rq.gang = "team/shared";
		rq.user = below(2) ? "alice" : "bob";
	}
	if (rq.more && !strcmp(rq.more, "object=1")) {
		rq.min = 2 + below(4);
		rq.priority = 0; /* as job_submit sees to it */
	}
	if (live_jobs() < JOBS_MAX)
		fake_submit(&rq);
}

static void update(uint32_t id)
{
	struct fake_request rq = { .nodes = 1 + below(2), .cpus = below(3) };

	switch (below(5)) {
	case 0:
		fake_update(id, &rq);
		break;
	case 1:
		fake_job(id)->rq.priority = below(6);
		break;
	case 2:
		fake_reason(id, below(2) ? "Resources" : "");
		break;
	case 3:
		fake_spoil(id);
		break;
	case 4:
		fake_job(id)->expected = below(2) ? 5000 : 0;
		break;
	}
}

static void configure(void)
{
	static const char *const lines[] = {
		"Gangs=yes\n",
		"Gangs=no\n",
		"MaxWaitingTime=60\n",
		"GangName=alice/a MinMember=3\n",
		"GangName=alice/a MinMember=3 OnFailure=kill\n",
	};
	char path[] = "test_registry.XXXXXX";
	struct sgang_error err = { "" };
	const char *text = lines[below(COUNT(lines))];
	struct sgang_conf conf;
	int fd = mkstemp(path), rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	rc = sgang_conf_load(path, &conf, &err);
	unlink(path);
	if (rc)
		fail_msg("%s: %s", text, err.text);
	sgang_conductor_configure(c, toy_tree(), &conf);
	sgang_conf_free(&conf);
}

static void happen(void)
{
	const struct fake_job *pending = any_job(FAKE_PENDING);
	const struct fake_job *held = any_job(FAKE_HELD);
	const struct fake_job *running = any_job(FAKE_RUNNING);

	switch (below(12)) {
	case 0:
	case 1:
	case 2:
		submit_member();
		break;
	case 3:
		if (running)
			fake_fail(running->id, below(2));
		break;
	case 4:
		if (pending && below(2))
			fake_fail(pending->id, true);
		break;
	case 5:
		/* a definition that is released might run */
		if (pending && !spec_of(pending->id).object)
			fake_user_hold(pending->id, below(3));
		break;
	case 6:
	case 7:
	case 8:
		if (pending)
			update(pending->id);
		break;
	case 9:
		if (held)
			fake_requeue(held->id);
		break;
	case 10:
		fake_node_down(below(NODES), below(4));
		fake_purge();
		break;
	case 11:
		if (below(4) == 0)
			configure();
		break;
	}
}

/* ---- what is known of it ---- */

struct numbers {
	const struct gang *g;
	struct sgang_tally tally;
	char asks[SGANG_ASKS_SIZE];
	bool cares;
	uint64_t requests;
	struct sgang_member members[JOBS_MAX];
};

static void note_numbers(struct numbers *n, const struct gang *g)
{
	memset(n, 0, sizeof(*n));
	n->g = g;
	n->tally = g->tally;
	memcpy(n->asks, g->asks, sizeof(n->asks));
	n->cares = g->cares;
	n->requests = g->requests;
	assert_true(g->n_entries <= JOBS_MAX);
	for (size_t i = 0; i < g->n_entries; i++)
		n->members[i] = g->entries[i]->m;
}

static size_t look(struct numbers *all)
{
	size_t n = 0;

	sgang_registry_collect(c);
	for (const struct gang *g = c->gangs; g; g = g->next)
		note_numbers(&all[n++], g);
	return n;
}

struct shown {
	char text[320], comment[FAKE_COMMENT];
	bool parked;
	int64_t expected;
};

static void show(struct shown all[FAKE_JOBS])
{
	sgang_publish_all(c);
	memset(all, 0, FAKE_JOBS * sizeof(*all));
	for (size_t i = 0; i < FAKE_JOBS; i++) {
		const struct fake_job *j = fake_record(i);

		if (!j->live)
			continue;
		strcpy(all[i].text, j->text);
		strcpy(all[i].comment, j->has_comment ? j->comment : "");
		all[i].parked = j->parked;
		all[i].expected = j->expected;
	}
}

static void forget_numbers(void)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		kept += g->n_entries && g->tally_of;
		counted += g->n_entries && !g->tally_of;
		g->tally_of = 0;
	}
}

static void compare_numbers(void)
{
	static struct numbers by_memory[64], anew[64];
	size_t n = look(by_memory);

	forget_numbers();
	assert_int_equal(look(anew), n);
	for (size_t i = 0; i < n; i++) {
		if (memcmp(&by_memory[i], &anew[i], sizeof(anew[i])))
			fail_msg("%s: the numbers of %s are old ones", context,
				 anew[i].g->name);
	}
}

static void forget_shown(void)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		told += g->recorded_of != 0;
		g->recorded_of = 0;
		g->label = 0;
		g->count.parked = SIZE_MAX; /* neither none nor all */
	}
}

static void compare_shown(void)
{
	static struct shown by_memory[FAKE_JOBS], anew[FAKE_JOBS];

	show(by_memory);
	forget_shown();
	show(anew);
	for (size_t i = 0; i < FAKE_JOBS; i++) {
		if (memcmp(&by_memory[i], &anew[i], sizeof(anew[i])))
			fail_msg("%s: job %u shows \"%s\" %s, not \"%s\" %s",
				 context, fake_record(i)->id, by_memory[i].text,
				 by_memory[i].comment, anew[i].text,
				 anew[i].comment);
	}
}

/* 2.30, 5.6: a pass that remembers says what one that counts anew would. */
TOY_TEST(test_nothing_is_old)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		afresh(setup, "seed %u", (unsigned int)seed);
		dice = seed;
		for (uint32_t step = 0; step < 150; step++) {
			snprintf(context, sizeof(context), "seed %u, step %u",
				 (unsigned int)seed, step);
			for (uint32_t n = below(3); n > 0; n--)
				happen();
			if (below(2))
				schedule();
			if (below(2))
				pass();
			assert_true(fake_host.lock());
			compare_numbers();
			compare_shown();
			sgang_registry_sweep(c);
			fake_host.unlock();
			fake_clock(below(40));
		}
	}
	/* the dice are worth something */
	assert_true(kept > 5000 && counted > 1000 && told > 5000);
}

/* Where nothing changes nothing is worked out: what stands there is kept. */
TOY_TEST(test_is_kept)
{
	struct gang *g;

	submit_many(member_of("train", 3), 2, train);
	passes(3);
	g = sgang_registry_find(c, "alice", "train");
	assert_non_null(g);
	assert_int_equal(g->tally.pending, 2);
	assert_true(g->recorded_of != 0);
	g->tally.created = 7;
	pass();
	assert_int_equal(g->tally.created, 7);
	hold_and_pass(train[0], true);
	assert_int_not_equal(g->tally.created, 7);
	assert_int_equal(g->tally.eligible, 1);
}

/* A pass has read a job's options: they are known, but not those of a job with
 * the same number and another environment. */
TOY_TEST(test_options_are_read_once)
{
	const struct fake_job *job;
	struct sgang_spec spec;
	uint32_t id;

	id = submit(nonstrict_of("train", 3));
	job = fake_job(id);
	assert_false(sgang_conductor_spec(c, id, job->env, job->n_env, &spec));
	pass();
	assert_true(sgang_conductor_spec(c, id, job->env, job->n_env, &spec));
	assert_string_equal(spec.name, "train");
	assert_int_equal(spec.min_member, 3);
	assert_int_equal(spec.mode, SGANG_MODE_NONSTRICT);
	assert_false(
		sgang_conductor_spec(c, id, job->env + 1, job->n_env, &spec));
	assert_false(
		sgang_conductor_spec(c, id, job->env, job->n_env + 1, &spec));
	assert_false(
		sgang_conductor_spec(c, id + 1, job->env, job->n_env, &spec));
	end_and_pass(id);
	assert_false(sgang_conductor_spec(c, id, job->env, job->n_env, &spec));
}

TEST_MAIN(NULL, NULL)
