/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_claim.c - gangs that preempt: all that they take, or nobody */

#include "../unit.h"
#include "core/base/hostlist.h"
#include "toy_cluster.h"
#include "no_memory.h"

#define PREEMPTION_TEST(name) TEST_WITH(name, setup_preemption, teardown)

#define GRACE 100 /* seconds, of those that have any */

/* A victim has given its nodes back, as the plugin is told by Slurm. */
static void gave_back(struct sgang_job *job)
{
	bool counting = memory.counting;

	memory.counting = false; /* as the record of one job is not the test */
	sgang_conductor_ended(c, job, SGANG_HOLD_END_PREEMPTED);
	memory.counting = counting;
}

static int setup_preemption(void **state)
{
	setup(state);
	fake_preempts(gave_back);
	return 0;
}

static uint32_t start_on(uint32_t node, struct fake_request rq)
{
	uint32_t id;

	rq.requested = UINT64_C(1) << node;
	id = run_on(rq, rq.requested);
	return id;
}

/* The victims to be. */
static uint32_t low[NODES];

/* A job on each node; ids[n] is that on node n. */
static void fill(uint32_t grace, uint32_t ids[NODES])
{
	struct fake_request rq = plain(1, 1);

	rq.grace = grace;
	for (uint32_t n = 0; n < NODES; n++)
		ids[n] = start_on(n, rq);
}

static struct fake_request high(const char *gang, uint32_t min)
{
	return MEMBER(gang, min, .tier = 1);
}

/* A gang of n that has claimed nodes. */
static void claim_for(struct fake_request rq, uint32_t n, uint32_t *ids)
{
	submit_and_pass(rq, n, ids);
	reach(ids[0]);
	recorded(ids[0], "claim");
}

/* Jobs that are being preempted. */
static uint32_t n_struck(void)
{
	uint32_t n = 0;

	for (const struct fake_job *j = fake_next(NULL); j; j = fake_next(j))
		n += j->struck != 0;
	return n;
}

/* How often these were preempted. */
static uint32_t restarts_of(const uint32_t *ids, uint32_t n)
{
	uint32_t restarts = 0;

	for (uint32_t i = 0; i < n; i++)
		restarts += fake_job(ids[i])->restarts;
	return restarts;
}

/* The nodes that the gang of this member has claimed. */
static uint64_t claimed_by(uint32_t id)
{
	struct sgang_record r = record_of(id);
	uint64_t nodes = 0;
	char **name;
	size_t n;

	if (!r.claim[0])
		return 0;
	assert_int_equal(sgang_hostlist_expand(r.claim, &name, &n, NULL), 0);
	for (size_t i = 0; i < n; i++)
		nodes |= UINT64_C(1) << atoi(name[i] + 1);
	sgang_hostlist_free(name);
	return nodes;
}

/* The gang "train" of three has claimed these, of jobs that have a grace. */
static uint64_t claim_three(void)
{
	fill(GRACE, low);
	claim_for(high("train", 3), 3, train);
	return claimed_by(train[0]);
}

/* The nodes that a job in the queue may start on. */
static uint64_t offered(uint32_t id)
{
	const struct fake_request *rq = &fake_job(id)->rq;
	struct sgang_standing s = { .tier = rq->tier,
				    .priority = rq->priority,
				    .record = id,
				    .job_id = id };
	struct sgang_nodeset *set = toy_set(ALL_FREE);

	fake_scheduler(true);
	s.job = fake_host.jobs.find(id);
	(void)sgang_conductor_keep(c, &s, NULL, INT64_MAX, set);
	fake_scheduler(false);
	return bits_left(set);
}

static uint32_t first_of(uint64_t nodes)
{
	return (uint32_t)__builtin_ctzll(nodes);
}

static struct sgang_conf settings(bool preemption)
{
	struct sgang_conf conf = default_conf();

	conf.preemption = preemption;
	return conf;
}

/* gang.conf is read again. */
static void configure(bool preemption)
{
	struct sgang_conf conf = settings(preemption);

	fake_scheduler(true);
	sgang_conductor_configure(c, toy_tree(), &conf);
	fake_scheduler(false);
	sgang_conf_free(&conf);
}

/* ---- from the claim to the start ---- */

static uint32_t saved_member;
static bool was_saved;

/* Whom it is for is on disk, and nobody has been touched. */
static void look_at_save(void)
{
	was_saved = true;
	assert_int_equal(n_struck(), 0);
	recorded(saved_member, "claim victims");
}

/* 3.24, 3.29, 3.30, 3.32: as many go as are needed, together, after the claim
 * is on disk; the gang starts on their nodes when the last of them has gone. */
PREEMPTION_TEST(test_whole)
{
	uint64_t nodes;

	fill(GRACE, low);
	submit_and_pass(high("train", 3), 3, train);
	saved_member = train[0];
	was_saved = false;
	fake_world.on_save = look_at_save;
	reach(train[0]);
	assert_true(was_saved);
	assert_int_equal(n_struck(), 3);
	nodes = claimed_by(train[0]);
	assert_int_equal(__builtin_popcountll(nodes), 3);
	for (uint32_t n = 0; n < NODES; n++)
		assert_int_equal(fake_job(low[n])->struck != 0,
				 (nodes >> n & 1));
	for (int i = 0; i < 3; i++) {
		assert_true(claimed_by(train[i]) == nodes);
		mentions(train[i], "3 of 3 preempted jobs are ending");
	}

	wait_to(GRACE - 1, low, NODES, FAKE_RUNNING);
	all_in_state(train, 3, FAKE_PENDING);
	assert_int_equal(n_struck(), 3);
	wait_to(1, train, 3, FAKE_RUNNING);
	assert_true(nodes_of(train, 3) == nodes);
	assert_int_equal(restarts_of(low, NODES), 3);
	assert_int_equal(n_struck(), 0);
	pass();
	recorded(train[0], "!claim");
	logged("preempts job", 3);
}

/* A member that ends while its gang waits for nodes that it claimed leaves
 * nothing of that behind. */
PREEMPTION_TEST(test_ends_with_claim)
{
	(void)claim_three();
	recorded(train[1], "claim");
	end_and_pass(train[1]);
	recorded(train[1], "phase=finished !claim !victims !claimed");
}

/* 3.32: no grace, and they are killed: it starts in the next pass. */
PREEMPTION_TEST(test_killed)
{
	uint32_t ended = 0;

	for (uint32_t n = 0; n < NODES; n++)
		low[n] = start_on(n, JOB(1, 1, .killed = true));
	claim_for(high("train", 3), 3, train);
	all_in_state(train, 3, FAKE_PENDING);
	pass_to(train, 3, FAKE_RUNNING);
	for (uint32_t n = 0; n < NODES; n++)
		ended += fake_state(low[n]) == FAKE_GONE;
	assert_int_equal(ended, 3);
}

/* 3.24: what is free is used first; jobs that are requeued go before those that
 * are killed; of the same kind those of the lower priority. */
PREEMPTION_TEST(test_least_harm)
{
	struct fake_request job = JOB(1, 1, .grace = GRACE, .killed = true);
	uint32_t killed[2], requeued[13];

	for (uint32_t n = 0; n < 2; n++)
		killed[n] = start_on(n, job);
	job.killed = false;
	for (uint32_t n = 0; n < 13; n++) {
		job.tier = (n == 4) ? 1 : 2;
		requeued[n] = start_on(n + 2, job);
	}
	claim_for(MEMBER("train", 3, .tier = 9), 3, train);
	assert_int_equal(n_struck(), 2);
	assert_true(fake_job(requeued[4])->struck != 0);
	assert_true(claimed_by(train[0]) >> 15 & 1);
	all_in_state(killed, 2, FAKE_RUNNING);
	assert_int_equal(fake_job(killed[0])->struck, 0);
}

/* 3.29: all or nobody: one of the nodes cannot be had. */
PREEMPTION_TEST(test_nobody)
{
	struct fake_request firm = plain(1, 1), rq = high("train", 4);

	fill(0, low);
	fake_end(low[3]);
	firm.tier = 1;
	(void)start_on(3, firm);
	rq.partition = 0x0f;
	submit_and_pass(rq, 4, train);
	for (int i = 0; i < 5; i++) {
		reach(train[0]);
		fake_clock(10);
	}
	assert_int_equal(n_struck(), 0);
	assert_int_equal(restarts_of(low, 3), 0);
	recorded(train[0], "!claim preempts=few:3");
}

/* 3.29: nor for a gang that something else would stop then: licences for one
 * of its members, or a limit on nodes. */
PREEMPTION_TEST(test_something_else)
{
	static const struct {
		uint32_t licences, most_nodes;
	} of[] = { { 3, 0 }, { 0, 2 } };

	for (size_t i = 0; i < COUNT(of); i++) {
		struct fake_request rq = MEMBER("train", 3, .tier = 1,
						.licences = of[i].licences,
						.most_nodes = of[i].most_nodes);

		afresh(setup_preemption, "i %zu", i);
		fill(0, low);
		submit_and_pass(rq, 3, train);
		reach(train[0]);
		pass();
		assert_int_equal(restarts_of(low, NODES), 0);
		recorded(train[0], "!claim preempts=limit");
	}
}

/* 3.29: where it is not wanted nobody goes, and the record says why. */
PREEMPTION_TEST(test_not_wanted)
{
	uint32_t other;
	struct fake_request rq = MEMBER("train", 2, .tier = 1,
					.more = "preempt=no");

	fill(0, low);
	submit_and_pass(rq, 2, train);
	reach(train[0]);
	recorded(train[0], "preempts=option");

	configure(false);
	other = arrive(high("other", 1));
	reach(other);
	recorded(other, "preempts=site");

	configure(true);
	rq = member_of("same", 1);
	other = arrive(rq);
	reach(other);
	recorded(other, "preempts=none");
	assert_int_equal(restarts_of(low, NODES), 0);
}

/* 3.24, 3.29: only those go that each of the members may preempt. */
PREEMPTION_TEST(test_by_each)
{
	for (int first = 0; first < 2; first++) {
		afresh(setup_preemption, "first %d", first);
		fill(0, low);
		for (int i = 0; i < 2; i++)
			train[i] =
				submit(MEMBER("train", 2, .tier = i == first));
		pass();
		reach(train[first]);
		pass();
		assert_int_equal(restarts_of(low, NODES), 0);
		recorded(train[0], "preempts=none");
	}
}

/* 3.24: a job that is exempt for a while goes when it is not so any more; the
 * conductor wakes the scheduler then. */
PREEMPTION_TEST(test_exempt)
{
	uint32_t woken;

	for (uint32_t n = 0; n < NODES; n++)
		(void)start_on(n, JOB(1, 1, .exempt = 50));
	submit_and_pass(high("train", 2), 2, train);
	reach(train[0]);
	recorded(train[0], "preempts=none");
	pass();
	woken = fake_counts.woken;
	wait_and_pass(49);
	assert_int_equal(fake_counts.woken, woken);
	wait_and_pass(1);
	assert_true(fake_counts.woken > woken);
	reach(train[0]);
	pass_to(train, 2, FAKE_RUNNING);
}

/* 3.32: what was freed is kept from those behind the gang, however short, and
 * not from those before it. Another gang leaves it out. */
PREEMPTION_TEST(test_kept)
{
	struct fake_request rq = JOB(1, 1000, .time_limit = 1);
	uint32_t more[2], behind, before;
	uint64_t nodes = claim_three();

	behind = submit(rq);
	rq.tier = 2;
	before = submit(rq);
	assert_true(offered(behind) == (ALL_FREE & ~nodes));
	assert_true(offered(before) == ALL_FREE);

	rq = high("more", 2);
	rq.priority = 50;
	claim_for(rq, 2, more);
	assert_false(claimed_by(more[0]) & nodes);
	assert_int_equal(n_struck(), 5);
	wait_to(GRACE, train, 3, FAKE_RUNNING);
	all_in_state(more, 2, FAKE_RUNNING);
	assert_int_equal(restarts_of(low, NODES), 5);
	assert_true(offered(behind) == ALL_FREE);
}

/* 3.31: a victim that has gone and runs again elsewhere is none any more. */
PREEMPTION_TEST(test_runs_again)
{
	struct fake_request job = plain(1, 1), rq = high("train", 3);
	uint32_t victim, other = 0;

	job.grace = GRACE;
	for (uint32_t n = 1; n < NODES; n++)
		other = start_on(n, job);
	victim = run_on(job, 1);
	rq.partition = 0x7;
	claim_for(rq, 3, train);
	assert_true(fake_job(victim)->struck != 0);
	fake_clock(1);
	fake_lose(victim);
	fake_end(other);
	assert_true(fake_start(victim, UINT64_C(1) << (NODES - 1)));
	pass();
	assert_int_equal(fake_job(victim)->struck, 0);
	wait_to(GRACE, train, 3, FAKE_RUNNING);
	assert_int_equal(fake_state(victim), FAKE_RUNNING);
	assert_int_equal(fake_job(victim)->restarts, 1);
}

/* ---- slurmctld dies ---- */

/* 3.30: before the claim is on disk: as if nothing had been. */
PREEMPTION_TEST(test_dies_unsaved)
{
	fill(GRACE, low);
	submit_and_pass(high("train", 3), 3, train);
	fake_snapshot();
	fake_die_at_save(1, false);
	reach(train[0]);
	come_back_and_pass(true);
	assert_int_equal(n_struck(), 0);
	recorded(train[0], "!claim");
	reach(train[0]);
	assert_int_equal(n_struck(), 3);
	wait_to(GRACE, train, 3, FAKE_RUNNING);
	assert_int_equal(restarts_of(low, NODES), 3);
}

/* 3.30, 3.31: after that, and before anybody was signalled: the claim is found,
 * and planned anew. */
PREEMPTION_TEST(test_dies_saved)
{
	uint64_t nodes;

	fill(GRACE, low);
	submit_and_pass(high("train", 3), 3, train);
	fake_die_at_save(1, true);
	reach(train[0]);
	come_back(true);
	assert_int_equal(n_struck(), 0);
	nodes = claimed_by(train[0]);
	assert_int_equal(__builtin_popcountll(nodes), 3);
	pass();
	logged("plans anew", 1);
	assert_int_equal(n_struck(), 3);
	wait_to(GRACE, train, 3, FAKE_RUNNING);
	assert_int_equal(restarts_of(low, NODES), 3);
}

/* 3.31, 3.32: while the victims end: the claim is found, with them. */
PREEMPTION_TEST(test_dies_struck)
{
	uint64_t nodes = claim_three();

	crash_and_pass();
	assert_true(claimed_by(train[0]) == nodes);
	mentions(train[0], "3 of 3 preempted jobs are ending");
	wait_to(GRACE - 1, low, NODES, FAKE_RUNNING);
	wait_to(1, train, 3, FAKE_RUNNING);
	assert_true(nodes_of(train, 3) == nodes);
	assert_int_equal(restarts_of(low, NODES), 3);
	logged("plans anew", 0);
}

/* 3.31: after some of the victims have been signalled: the others are, later,
 * and nobody else. */
PREEMPTION_TEST(test_dies_half_struck)
{
	uint64_t nodes = claim_three();

	fake_scheduler(true);
	fake_host.preempt.spare(fake_host.jobs.find(low[first_of(nodes)]));
	fake_scheduler(false);
	crash_and_pass();
	mentions(train[0], "2 of 2 preempted jobs are ending");
	for (int i = 0; i < 3; i++)
		wait_and_pass(GRACE);
	all_in_state(train, 3, FAKE_RUNNING);
	assert_true(nodes_of(train, 3) == nodes);
	assert_int_equal(restarts_of(low, NODES), 3);
}

/* 3.32: slurmctld has read its jobs anew. Before it is known what is claimed
 * nobody starts, but not for ever. */
PREEMPTION_TEST(test_forgets_jobs)
{
	uint32_t behind;
	uint64_t nodes = claim_three();

	behind = submit(plain(1, 1));
	fake_scheduler(true);
	sgang_conductor_forget_jobs(c);
	fake_scheduler(false);
	assert_true(offered(behind) == 0);
	fake_clock(5);
	assert_true(offered(behind) == ALL_FREE);
	pass();
	assert_true(claimed_by(train[0]) == nodes);
	assert_true(offered(behind) == (ALL_FREE & ~nodes));
	wait_to(GRACE, train, 3, FAKE_RUNNING);
	assert_int_equal(restarts_of(low, NODES), 3);
}

/* 3.32: the files are read again: the claim is found in the records. */
PREEMPTION_TEST(test_reconfigured)
{
	uint64_t nodes = claim_three();

	configure(true);
	pass();
	assert_true(claimed_by(train[0]) == nodes);
	wait_to(GRACE, train, 3, FAKE_RUNNING);
	assert_true(nodes_of(train, 3) == nodes);
	assert_int_equal(restarts_of(low, NODES), 3);
}

/* slurmctld was away while the victims went, and these nodes of the claim have
 * not registered with the new one. */
static uint64_t back_unregistered(void)
{
	uint64_t nodes = claim_three();

	fake_snapshot();
	come_back(true);
	for (uint32_t n = 0; n < NODES; n++) {
		if (nodes >> n & 1)
			fake_unregistered(n);
	}
	for (uint32_t n = 0; n < NODES; n++) {
		if (nodes >> n & 1)
			fake_lose(low[n]);
	}
	pass();
	return nodes;
}

/* 3.32: a node that registers after a restart is waited for. */
PREEMPTION_TEST(test_registers)
{
	uint64_t nodes = back_unregistered();

	wait_and_pass(59);
	assert_true(claimed_by(train[0]) == nodes);
	assert_int_equal(n_struck(), 0);
	for (uint32_t n = 0; n < NODES; n++)
		fake_node_down(n, false);
	pass_to(train, 3, FAKE_RUNNING);
	assert_true(nodes_of(train, 3) == nodes);
}

/* 3.31: one that does not is not waited for longer than that. */
PREEMPTION_TEST(test_never_registers)
{
	uint64_t nodes = back_unregistered();

	wait_and_pass(60);
	logged("plans anew", 1);
	assert_false(claimed_by(train[0]) & nodes);
	assert_int_equal(n_struck(), 3);
	wait_to(GRACE, train, 3, FAKE_RUNNING);
}

/* ---- claims that fail ---- */

/* A node of the claim breaks down for a moment. */
static void lose_claim(uint32_t id)
{
	uint32_t node = first_of(claimed_by(id));

	fake_node_down(node, true);
	pass();
	fake_node_down(node, false);
}

/* 3.31: a node is out of service: the gang plans anew, with the victims that go
 * anyway. */
PREEMPTION_TEST(test_node_down)
{
	uint32_t down;
	uint64_t nodes = claim_three();

	down = first_of(nodes);
	fake_clock(10);
	fake_node_down(down, true);
	pass();
	logged("plans anew: a node is out of service", 1);
	assert_false(claimed_by(train[0]) >> down & 1);
	assert_int_equal(__builtin_popcountll(claimed_by(train[0]) & nodes), 2);
	wait_to(GRACE - 10, train, 3, FAKE_PENDING);
	wait_to(10, train, 3, FAKE_RUNNING);
}

/* 3.29, 3.31: after three plans in a row it gives up, and its victims run on;
 * it waits for a minute then, and twice as long after each further one, up to
 * ten. */
PREEMPTION_TEST(test_back_off)
{
	static const int64_t wait[] = { 60, 120, 240, 480, 600, 600 };

	fill(10 * GRACE, low);
	claim_for(high("train", 3), 3, train);
	lose_claim(train[0]);
	lose_claim(train[0]);
	recorded(train[0], "claim");
	for (size_t i = 0; i < COUNT(wait); i++) {
		uint32_t woken;

		lose_claim(train[0]);
		recorded(train[0], "!claim");
		assert_int_equal(n_struck(), 0);
		pass();
		fake_clock(wait[i] - 1);
		reach(train[0]);
		recorded(train[0], "!claim");
		assert_memory_equal(record_of(train[0]).preempts, "after:", 6);
		pass();
		woken = fake_counts.woken;
		pass();
		assert_int_equal(fake_counts.woken, woken);
		wait_and_pass(1);
		assert_true(fake_counts.woken > woken);
		reach(train[0]);
		recorded(train[0], "claim");
	}
	logged("gives up its claim", COUNT(wait));
	assert_int_equal(restarts_of(low, NODES), 0);
	wait_to(10 * GRACE, train, 3, FAKE_RUNNING);
}

/* It is requeued, before its grace is over if it is a victim. */
static void ends_early(uint32_t id)
{
	fake_lose(id);
	fake_scheduler(true);
	gave_back(fake_host.jobs.find(id));
	fake_scheduler(false);
}

/* 3.31: what it was freed for starts: the count of failures begins anew. */
PREEMPTION_TEST(test_back_off_ends)
{
	fill(GRACE, low);
	claim_for(MEMBER("train", 3, .tier = 1, .more = "on_failure=requeue"),
		  3, train);
	lose_claim(train[0]);
	lose_claim(train[0]);
	wait_to(GRACE, train, 3, FAKE_RUNNING);
	pass();
	ends_early(train[0]);
	pass_to(train, 3, FAKE_PENDING);
	for (uint32_t n = 0; n < NODES; n++) {
		if (fake_state(low[n]) == FAKE_PENDING)
			assert_true(fake_start(low[n], ALL_FREE));
	}
	pass();
	reach(train[0]);
	recorded(train[0], "claim");
	lose_claim(train[0]);
	recorded(train[0], "claim");
}

/* 3.29: the new plan has no use for some victims of the old one: they run on.
 */
PREEMPTION_TEST(test_spared_by_plan)
{
	uint64_t nodes;

	fill(GRACE, low);
	claim_for(MEMBER("train", 4, .tier = 1, .topology = "require:leaf"), 4,
		  train);
	nodes = claimed_by(train[0]);
	fake_node_down(first_of(nodes), true);
	pass();
	assert_false(claimed_by(train[0]) & nodes);
	assert_int_equal(n_struck(), 4);
	for (uint32_t n = 0; n < NODES; n++) {
		if (nodes >> n & 1)
			assert_int_equal(fake_job(low[n])->struck, 0);
	}
	fake_clock(GRACE);
	fake_time_limits();
	pass_to(train, 4, FAKE_RUNNING);
	assert_int_equal(restarts_of(low, NODES), 4);
}

/* 3.29: there is no other plan: all of them run on. */
PREEMPTION_TEST(test_spared_by_none)
{
	fill(GRACE, low);
	claim_for(MEMBER("train", 4, .tier = 1, .partition = LEAF(1)), 4,
		  train);
	fake_node_down(4, true);
	pass();
	recorded(train[0], "!claim");
	assert_int_equal(n_struck(), 0);
	fake_node_down(4, false);
	wait_and_pass(10);
	reach(train[0]);
	assert_int_equal(n_struck(), 4);
	wait_to(GRACE, train, 4, FAKE_RUNNING);
}

/* 3.31: a victim that does not end a minute after it should have is given up
 * on. */
PREEMPTION_TEST(test_overdue)
{
	uint32_t hangs;
	uint64_t nodes = claim_three();

	hangs = low[first_of(nodes)];
	fake_job(hangs)->rq.hangs = true;
	wait_and_pass(GRACE + 60);
	mentions(train[0], "1 of 3 preempted jobs are ending");
	assert_true(claimed_by(train[0]) == nodes);
	wait_and_pass(1);
	logged("a preempted job does not end", 1);
	assert_false(claimed_by(train[0]) & fake_job(hangs)->nodes);
	wait_to(GRACE, train, 3, FAKE_RUNNING);
	assert_int_equal(restarts_of(low, NODES), 3);
}

/* 3.32: somebody before it in the queue has taken a node: it plans anew. */
PREEMPTION_TEST(test_taken)
{
	uint64_t nodes = claim_three();

	fake_lose(low[first_of(nodes)]);
	(void)start_on(first_of(nodes), JOB(1, 1, .tier = 2));
	wait_and_pass(GRACE);
	logged("plans anew", 1);
	wait_to(GRACE, train, 3, FAKE_RUNNING);
	assert_int_equal(restarts_of(low, NODES), 4);
}

/* ---- claims that are not needed any more ---- */

static void cancel_all(uint32_t *ids)
{
	end_all(ids, 3);
}

static void cancel_one(uint32_t *ids)
{
	fake_end(ids[1]);
}

static void hold_one(uint32_t *ids)
{
	fake_user_hold(ids[2], true);
}

static void switch_off(uint32_t *ids)
{
	configure(false);
}

/* 3.29: a gang that is cancelled, or not complete any more, and gangs that do
 * not preempt any more: victims that have time left run on. */
PREEMPTION_TEST(test_given_up)
{
	static const struct {
		void (*change)(uint32_t *train);
		const char *why;
	} of[] = {
		{ cancel_all, "the gang is not complete any more" },
		{ cancel_one, "the gang is not complete any more" },
		{ hold_one, "the gang is not complete any more" },
		{ switch_off, "gangs do not preempt any more" },
	};

	for (size_t i = 0; i < COUNT(of); i++) {
		uint32_t behind;

		afresh(setup_preemption, "i %zu", i);
		(void)claim_three();
		behind = submit(plain(1, 1));
		of[i].change(train);
		pass();
		snprintf(context, sizeof(context), "case %zu", i);
		if (!fake_log_count(SGANG_LOG_INFO, of[i].why))
			fail_msg("%s: not told", context);
		assert_int_equal(n_struck(), 0);
		assert_true(offered(behind) == ALL_FREE);
		wait_to(GRACE, low, NODES, FAKE_RUNNING);
	}
}

/* 3.29: a member wants more nodes now: what was freed is not enough, and more
 * are. */
PREEMPTION_TEST(test_wants_more)
{
	struct fake_request rq = high("train", 3);

	fill(GRACE, low);
	claim_for(rq, 3, train);
	rq.nodes = 2;
	fake_update(train[0], &rq);
	for (int i = 0; i < 3; i++)
		wait_and_pass(GRACE);
	all_in_state(train, 3, FAKE_RUNNING);
	assert_int_equal(restarts_of(low, NODES), 4);
}

/* ---- gangs that are victims ---- */

/* A gang of n on the first nodes, of which 'min' are needed, and on all others
 * jobs that nobody may preempt. */
static void low_gang(uint32_t grace, uint32_t min, uint32_t n, uint32_t *ids)
{
	struct fake_request rq = member_of("low", min), firm = plain(1, 1);

	rq.total = n;
	rq.grace = grace;
	rq.partition = (UINT64_C(1) << n) - 1;
	submit_and_pass(rq, n, ids);
	reach(ids[0]);
	for (uint32_t i = min; i < n; i++)
		assert_true(fake_state(ids[i]) == FAKE_RUNNING ||
			    fake_start(ids[i], rq.partition));
	pass_to(ids, n, FAKE_RUNNING);
	firm.tier = 9;
	for (uint32_t i = n; i < NODES; i++)
		(void)start_on(i, firm);
}

/* 3.29, 3.30: a gang goes as a whole, each member in its own grace; none starts
 * alone meanwhile, and they start together again. */
PREEMPTION_TEST(test_gang_goes)
{
	low_gang(GRACE, 3, 3, low);
	claim_for(high("train", 2), 2, train);
	assert_int_equal(n_struck(), 3);
	pass();
	all_recorded(low, 3, "evicted");
	fake_clock(10);
	ends_early(low[1]);
	pass();
	recorded(low[1], "evicted");
	assert_int_equal(turn(low[1]), SGANG_TURN_TAKEN);
	pass_to(&low[1], 1, FAKE_PENDING);

	wait_to(GRACE - 10, train, 2, FAKE_RUNNING);
	all_in_state(low, 3, FAKE_PENDING);
	assert_int_equal(restarts_of(low, 3), 3);
	pass();
	logged("was preempted as a whole", 1);
	all_recorded(low, 3, "phase=waiting !evicted");
	fake_end(train[0]);
	end_and_pass(train[1]);
	fake_clock(10);
	reach(low[2]);
	all_in_state(low, 3, FAKE_RUNNING);
}

/* 3.29: slurmctld dies while a gang goes: its members still go as a whole. */
PREEMPTION_TEST(test_dies_while_gang_goes)
{
	low_gang(GRACE, 3, 3, low);
	claim_for(high("train", 2), 2, train);
	fake_clock(10);
	ends_early(low[1]);
	crash_and_pass();
	assert_int_equal(turn(low[1]), SGANG_TURN_TAKEN);
	fake_clock(GRACE - 10);
	fake_time_limits();
	pass();
	pass_to(train, 2, FAKE_RUNNING);
	all_in_state(low, 3, FAKE_PENDING);
	all_recorded(low, 3, "phase=waiting");
}

/* 3.29: without a grace all of it is gone with the pass that signals it. */
PREEMPTION_TEST(test_gang_goes_at_once)
{
	low_gang(0, 3, 3, low);
	claim_for(high("train", 2), 2, train);
	all_recorded(low, 3, "evicted");
	pass();
	pass_to(train, 2, FAKE_RUNNING);
	all_in_state(low, 3, FAKE_PENDING);
	all_recorded(low, 3, "phase=waiting");
}

/* 3.29: the same where an ordinary job preempts it, and it is gone before a
 * pass could write that down. */
PREEMPTION_TEST(test_gang_goes_for_job)
{
	struct sgang_spec spec;
	uint32_t by;

	low_gang(0, 3, 3, low);
	spec = spec_of(low[0]);
	by = submit(JOB(3, 1, .tier = 5, .requested = 0x7));
	fake_scheduler(true);
	sgang_conductor_struck(c, sgang_conductor_victim(c, &spec));
	for (int i = 0; i < 3; i++)
		fake_host.preempt.preempt(fake_host.jobs.find(low[i]),
					  fake_host.jobs.find(by));
	fake_scheduler(false);
	all_recorded(low, 3, "evicted");
	assert_int_equal(turn(low[1]), SGANG_TURN_TAKEN);
	assert_true(fake_start(by, ALL_FREE));
	pass();
	pass_to(low, 3, FAKE_PENDING);
	all_recorded(low, 3, "phase=waiting");
}

/* 3.24: members above the minimum go alone, those that came last first. */
PREEMPTION_TEST(test_extra_goes)
{
	low_gang(0, 2, 4, low);
	claim_for(high("train", 1), 1, train);
	pass_to(train, 1, FAKE_RUNNING);
	assert_int_equal(restarts_of(low, 4), 1);
	assert_int_equal(fake_state(low[3]), FAKE_PENDING);
	recorded(low[0], "!evicted");
}

/* 3.29: a gang whose preemptor gives up runs on as if nothing had been. */
PREEMPTION_TEST(test_gang_is_spared)
{
	low_gang(GRACE, 3, 3, low);
	claim_for(high("train", 2), 2, train);
	pass();
	recorded(low[0], "evicted");
	end_and_pass(train[0]);
	pass();
	assert_int_equal(n_struck(), 0);
	all_in_state(low, 3, FAKE_RUNNING);
	all_recorded(low, 3, "!evicted phase=running");
}

/* 3.29: the same after a restart in between, also for a member that is not on
 * nodes of the claim. */
PREEMPTION_TEST(test_gang_is_spared_later)
{
	low_gang(GRACE, 3, 3, low);
	claim_for(high("train", 2), 2, train);
	pass();
	crash_and_pass();
	assert_int_equal(n_struck(), 3);
	end_and_pass(train[0]);
	assert_int_equal(n_struck(), 0);
	fake_clock(GRACE);
	fake_time_limits();
	pass_to(low, 3, FAKE_RUNNING);
	recorded(low[0], "!evicted");
}

/* 3.29: a gang of which one member is no candidate is no victim. */
PREEMPTION_TEST(test_gang_in_part)
{
	low_gang(0, 3, 3, low);
	fake_job(low[1])->rq.exempt = 1000000;
	submit_and_pass(high("train", 2), 2, train);
	reach(train[0]);
	pass_to(low, 3, FAKE_RUNNING);
	recorded(train[0], "!claim");
}

/* 3.29: gangs that start together preempt together, with one claim. */
PREEMPTION_TEST(test_group)
{
	struct fake_request rq = MEMBER("a", 2, .tier = 1,
					.more = "groups=alice/b");
	uint32_t a[2], b[1];

	fill(GRACE, low);
	submit_many(rq, 2, a);
	rq = high("b", 1);
	rq.more = "groups=alice/a";
	rq.nodes = 2;
	submit_and_pass(rq, 1, b);
	reach(a[0]);
	assert_int_equal(n_struck(), 4);
	fake_clock(GRACE - 1);
	reach(b[0]);
	all_in_state(a, 2, FAKE_PENDING);
	all_in_state(b, 1, FAKE_PENDING);
	wait_to(1, a, 2, FAKE_RUNNING);
	all_in_state(b, 1, FAKE_RUNNING);
	assert_int_equal(restarts_of(low, NODES), 4);
}

/* ---- memory runs out ---- */

static uint32_t victims[NODES];

/* About to claim. */
static void prepare_claim(uint32_t *ids)
{
	fill(GRACE, victims);
	submit_and_pass(high("train", 3), 3, ids);
	(void)turn(ids[0]);
}

/* The last victim is about to go. */
static void prepare_start(uint32_t *ids)
{
	fill(GRACE, victims);
	claim_for(high("train", 3), 3, ids);
	fake_clock(GRACE);
}

/* A claim is about to be found, with victims that are going. */
static void prepare_recovery(uint32_t *ids)
{
	fill(GRACE, victims);
	claim_for(high("train", 3), 3, ids);
	fake_snapshot();
	come_back(true);
}

/* About to plan anew. */
static void prepare_anew(uint32_t *ids)
{
	fill(GRACE, victims);
	claim_for(MEMBER("train", 3, .tier = 1, .topology = "require:leaf"), 3,
		  ids);
	fake_node_down(first_of(claimed_by(ids[0])), true);
}

/* About to claim the nodes of a gang. */
static void prepare_gang(uint32_t *ids)
{
	low_gang(GRACE, 4, 4, victims);
	submit_and_pass(high("train", 3), 3, ids);
	(void)turn(ids[0]);
}

/* 3.29: all of a gang goes, or nobody of it. */
static void whole_gang(void)
{
	uint32_t gone = 0;

	if (!fake_job(victims[0])->gang[0])
		return;
	for (int i = 0; i < 4; i++)
		gone += fake_job(victims[i])->struck ||
			fake_state(victims[i]) == FAKE_PENDING;
	if (gone && gone != 4)
		fail_msg("%s: %u of 4 members go", context, gone);
}

/* Until it has started, slurmctld does what it does all the time. */
static void go_on(uint32_t *ids)
{
	for (int i = 0; i < 20 && !in_state("train", FAKE_RUNNING); i++) {
		fake_clock(GRACE / 4);
		fake_time_limits();
		reach(ids[0]);
		whole_gang();
		if (in_state("train", FAKE_RUNNING) % 3)
			fail_msg("%s: started in part", context);
	}
	all_in_state(ids, 3, FAKE_RUNNING);
}

/* 3.24, 3.29, 3.32: one allocation, or all from one on, fail in a pass: nothing
 * is lost, no gang goes in part, and afterwards it starts. */
PREEMPTION_TEST(test_no_memory)
{
#ifdef __SANITIZE_THREAD__
	skip(); /* half an hour is not enough, and it has one thread */
#endif
	static void (*const prepare[])(uint32_t *) = {
		prepare_claim, prepare_start, prepare_recovery,
		prepare_anew,  prepare_gang,
	};

	for (size_t p = 0; p < 2 * COUNT(prepare); p++) {
		bool reached = true;

		for (uint64_t at = 1; reached; at++) {
			afresh(setup_preemption, "case %zu, allocation %u",
			       p / 2, (unsigned int)at);
			prepare[p / 2](train);
			reached = pass_without_memory(at, p % 2);
			whole_gang();
			go_on(train);
			passes(2);
			if (n_struck())
				fail_msg("%s: %u go for nobody", context,
					 n_struck());
		}
	}
}

/* 3.24: members of partitions that share no node. Slurm lists for each request the
 * jobs on the nodes of its partition alone. */
PREEMPTION_TEST(test_unlike_partitions)
{
	struct fake_request left = high("apart", 2), right = left;

	left.partition = 0x3;
	right.partition = 0xc;
	fill(0, low);
	train[0] = submit(left);
	train[1] = arrive(right);
	reach(train[0]);
	assert_int_equal(__builtin_popcountll(claimed_by(train[0]) & 0x3), 1);
	assert_int_equal(__builtin_popcountll(claimed_by(train[0]) & 0xc), 1);
	assert_int_equal(restarts_of(low, NODES), 2);
}

/* ... and a job in the way of one of them, which that one may not preempt, stays.
 */
PREEMPTION_TEST(test_unlike_partitions_spared)
{
	struct fake_request left = high("apart", 2), right = left;

	left.partition = 0x1;
	right.partition = 0x2;
	low[0] = start_on(0, plain(1, 1));
	low[1] = start_on(1, JOB(1, 1, .tier = 1));
	train[0] = submit(left);
	train[1] = arrive(right);
	reach(train[0]);
	assert_int_equal(claimed_by(train[0]), 0);
	assert_int_equal(restarts_of(low, 2), 0);
}

TEST_MAIN(NULL, NULL)
