/* SPDX-License-Identifier: GPL-2.0-or-later */
/* toy_cluster.h - a conductor on a toy cluster, and a scheduler that drives it
 *
 * Included by tests of the conductor, after unit.h.
 */

#ifndef TESTS_TOY_CLUSTER_H
#define TESTS_TOY_CLUSTER_H

#include <fnmatch.h>

#include "core/gang/record.h"
#include "../../fake/fake_host.h"
#include "../../fake/fake_log.h"
#include "plugins/select/conductor.h"
#include "plugins/select/hold_state.h"
#include "../core/node_bits.h"

/* For tests in which memory runs out: what is counted is the conductor's. */
static struct {
	bool counting;
	uint64_t calls;
	uint64_t fail_at; /* 0: never */
	bool for_good;    /* all from there on */
} memory;

/* Two spines of two leaves of four nodes. */
static const char tree[] = "SwitchName=l0 Nodes=n[0-3]\n"
			   "SwitchName=l1 Nodes=n[4-7]\n"
			   "SwitchName=l2 Nodes=n[8-11]\n"
			   "SwitchName=l3 Nodes=n[12-15]\n"
			   "SwitchName=s0 Switches=l[0-1]\n"
			   "SwitchName=s1 Switches=l[2-3]\n"
			   "SwitchName=top Switches=s[0-1]\n";
#define NODES 16
#define CPUS 4
#define MEMORY 1000
#define LICENCES 6
#define LEAF(n) ((uint64_t)0xf << 4 * (n))
#define ALL_FREE ((uint64_t)0xffff)

static uint32_t toy_nodes = NODES;
static struct sgang_conductor *c;
static char context[160];  /* said when something is wrong */
static uint32_t train[32]; /* the members of the gang "train" of a test */

static uint32_t toy_islands = 1; /* in each node */
static bool toy_backfill;        /* it is backfill that looks at the queue */

static inline void toy_look_inside(struct sgang_topologies *all)
{
	uint32_t islands[FAKE_NODES];

	fake_world.islands = toy_islands;
	for (uint32_t n = 0; n < FAKE_NODES; n++)
		islands[n] = toy_islands;
	assert_int_equal(sgang_topologies_look_inside(
				 all, toy_islands == 1 ? NULL : islands, NULL),
			 0);
}

/* The tree, as the topology of a cluster. */
static inline struct sgang_topologies *toy_tree(void)
{
	struct sgang_error err = { "" };
	struct sgang_fabric *fabric = sgang_fabric_parse(
		tree, "tree", fake_node_names(), NODES, &err);

	if (!fabric)
		fail_msg("%s", err.text);
	return sgang_topologies_create(fabric, NULL);
}

/* What gang.conf says where it is empty. */
static inline struct sgang_conf default_conf(void)
{
	struct sgang_conf conf;

	sgang_conf_default(&conf);
	return conf;
}

/* With the tree, or without one where there are fewer nodes. */
static inline void start_conductor(void)
{
	struct sgang_topologies *all;
	struct sgang_conf conf = default_conf();

	if (toy_nodes == NODES)
		all = toy_tree();
	else
		all = sgang_topologies_create(
			sgang_fabric_flat(fake_node_names(), toy_nodes, NULL),
			NULL);
	assert_non_null(all);
	toy_look_inside(all);
	c = sgang_conductor_create(&fake_host);
	assert_non_null(c);
	sgang_conductor_configure(c, all, &conf);
}

static inline int setup(void **state)
{
	toy_nodes = NODES;
	toy_islands = 1;
	toy_backfill = false;
	fake_cluster(NODES, CPUS, MEMORY, LICENCES);
	fake_log_reset();
	context[0] = '\0';
	memset(train, 0, sizeof(train));
	memset(&memory, 0, sizeof(memory));
	start_conductor();
	return 0;
}

static inline int teardown(void **state)
{
	sgang_conductor_destroy(c);
	c = NULL;
	return 0;
}

/* A test that begins on an empty toy cluster. */
#define TOY_TEST(name) TEST_WITH(name, setup, teardown)

/* The next of several in one test begins like a test; what it is called is said
 * when something is wrong. */
__attribute__((format(printf, 2, 3))) static inline void
afresh(CMFixtureFunction set_up, const char *format, ...)
{
	va_list args;

	assert_int_equal(teardown(NULL), 0);
	assert_int_equal(set_up(NULL), 0);
	va_start(args, format);
	vsnprintf(context, sizeof(context), format, args);
	va_end(args);
}

/* slurmctld ended, or died, and is there again. */
static inline void come_back(bool died)
{
	sgang_conductor_destroy(c);
	if (died)
		fake_crash();
	else
		fake_restart();
	start_conductor();
}

static inline void no_fault(void)
{
	if (fake_log_count(SGANG_LOG_ERROR, SGANG_HOLD_REFUSED))
		fail_msg("%s: %s", context, SGANG_HOLD_REFUSED);
	if (!fake_fault())
		return;
	fake_log_print();
	fail_msg("%s: %s", context, fake_fault());
}

/* A job began, ended or was submitted: slurmctld pokes. */
static inline void pass(void)
{
	sgang_conductor_poke(c);
	sgang_conductor_pass(c);
	no_fault();
}

static inline struct sgang_nodeset *toy_set(uint64_t nodes)
{
	bool counting = memory.counting;
	struct sgang_nodeset *set;

	memory.counting = false; /* this is the test's own */
	set = set_of(nodes, toy_nodes);
	memory.counting = counting;
	return set;
}

/* What it says of its gang. */
static inline struct sgang_spec spec_of(uint32_t id)
{
	const struct fake_job *j = fake_job(id);
	struct sgang_spec spec;

	assert_int_equal(sgang_spec_from_env(&spec, j->env, j->n_env, NULL), 1);
	if (!spec.ns[0])
		strcpy(spec.ns, j->user);
	return spec;
}

/* The scheduler reaches a member and may let it use 'nodes'. */
static inline enum sgang_turn turn_on(uint32_t id, uint64_t nodes,
				      bool reserving)
{
	struct sgang_standing s = { .tier = fake_job(id)->rq.tier,
				    .priority = fake_job(id)->rq.priority };
	struct sgang_nodeset *set = toy_set(nodes);
	struct sgang_spec spec = spec_of(id);
	enum sgang_turn turn;

	if (fake_scheduler(true)) {
		s.job = fake_host.jobs.find(id);
		s.record = id;
		sgang_conductor_look(c, s.job);
	}
	turn = sgang_conductor_turn(c, &spec, &s, set, reserving);
	fake_scheduler(false);
	sgang_nodeset_destroy(set);
	return turn;
}

static inline enum sgang_turn turn(uint32_t id)
{
	return turn_on(id, ALL_FREE, toy_backfill);
}

/* What is left of a set, which is gone then. */
static inline uint64_t bits_left(struct sgang_nodeset *set)
{
	uint64_t nodes = bits_of(set, toy_nodes);

	sgang_nodeset_destroy(set);
	return nodes;
}

/* The nodes of 'nodes' that a job that stands there may start on. */
static inline uint64_t fenced_from(const struct sgang_standing *s,
				   uint64_t nodes)
{
	struct sgang_nodeset *set = toy_set(nodes);
	bool taken;

	taken = sgang_conductor_fence(c, s, toy_backfill, set);
	assert_int_equal(taken, bits_of(set, toy_nodes) != nodes);
	return bits_left(set);
}

/* The same for one of this priority that comes after all that have it. */
static inline uint64_t fenced(uint32_t priority, uint64_t nodes)
{
	const struct sgang_standing s = { .priority = priority,
					  .job_id = UINT32_MAX };

	return fenced_from(&s, nodes);
}

/* ... for this one, and what it asks for is known. */
static inline uint64_t fenced_job(const struct fake_job *j, uint64_t nodes)
{
	struct sgang_standing s = { .priority = j->rq.priority,
				    .job_id = j->id };

	fake_scheduler(true);
	s.job = fake_host.jobs.find(j->id);
	nodes = fenced_from(&s, nodes);
	fake_scheduler(false);
	return nodes;
}

/* The first in the queue behind 'after' (NULL: at its head). */
static inline const struct fake_job *next_in_queue(const struct fake_job *after)
{
	const struct fake_job *best = NULL;

	for (const struct fake_job *j = fake_next(NULL); j; j = fake_next(j)) {
		if (j->state != FAKE_PENDING || j->parked || j->user_hold ||
		    j->holds)
			continue;
		if (after && (j->rq.priority > after->rq.priority ||
			      (j->rq.priority == after->rq.priority &&
			       j->id <= after->id)))
			continue;
		if (!best || j->rq.priority > best->rq.priority ||
		    (j->rq.priority == best->rq.priority && j->id < best->id))
			best = j;
	}
	return best;
}

/* The nodes of 'nodes' that a member whose gang has started may have; with
 * 'level', only those that are so near to it. */
static inline uint64_t late_on(uint32_t id, uint64_t nodes, uint32_t level)
{
	struct sgang_nodeset *set = toy_set(nodes);
	struct sgang_spec spec = spec_of(id);
	struct sgang_bound bound;

	fake_scheduler(true);
	if (sgang_conductor_late(c, &spec, set, &bound) && level)
		(void)sgang_conductor_near(c, &spec, fake_host.jobs.find(id), 1,
					   level, set);
	fake_scheduler(false);
	return bits_left(set);
}

/* The level of the domain in which all nodes of such a member must be;
 * SGANG_LEVEL_UNCONNECTED: none. */
static inline uint32_t late_within(uint32_t id)
{
	struct sgang_nodeset *set = toy_set(0);
	struct sgang_spec spec = spec_of(id);
	struct sgang_bound bound;

	fake_scheduler(true);
	assert_true(sgang_conductor_late(c, &spec, set, &bound));
	fake_scheduler(false);
	sgang_nodeset_destroy(set);
	assert_int_equal(bound.fabric == NULL,
			 bound.level == SGANG_LEVEL_UNCONNECTED);
	return bound.level;
}

/* One look of the scheduler at its queue, in the order of priority. */
static inline void schedule(void)
{
	const struct fake_job *next = NULL;
	struct fake_job j;

	while ((next = next_in_queue(next))) {
		uint64_t nodes;

		j = *next; /* its place in the queue, if it starts */
		next = &j;
		if (fake_barred(j.id))
			continue;
		if (j.gang[0] && turn(j.id) == SGANG_TURN_TAKEN)
			continue;
		nodes = toy_backfill ? fenced_job(&j, fake_fits(j.id)) :
				       fenced(j.rq.priority, fake_fits(j.id));
		if (j.gang[0])
			nodes = late_on(j.id, nodes, 0);
		while (fake_start(j.id, nodes))
			;
	}
}

/* The same by backfill, which keeps no nodes for jobs before a gang here. */
__attribute__((unused)) static inline void backfill(void)
{
	toy_backfill = true;
	schedule();
	toy_backfill = false;
}

static inline void schedule_and_pass(void)
{
	schedule();
	pass();
}

static inline void passes(int n)
{
	while (n-- > 0)
		pass();
}

/* So many looks at the queue, with a pass behind each. */
static inline void cycles(int n)
{
	while (n-- > 0)
		schedule_and_pass();
}

/* The scheduler reaches the member, and the conductor has its pass. */
static inline void reach(uint32_t id)
{
	(void)turn(id);
	pass();
}

/* Once before the gang is known to be complete, and once behind its start. */
static inline void settle(void)
{
	pass();
	schedule_and_pass();
	pass();
}

static inline void wait_and_pass(int64_t seconds)
{
	fake_clock(seconds);
	pass();
}

static inline void wait_and_schedule(int64_t seconds)
{
	fake_clock(seconds);
	schedule_and_pass();
}

static inline void end_and_pass(uint32_t id)
{
	fake_end(id);
	pass();
}

static inline void end_and_schedule(uint32_t id)
{
	fake_end(id);
	schedule_and_pass();
}

static inline void hold_and_pass(uint32_t id, bool hold)
{
	fake_user_hold(id, hold);
	pass();
}

static inline void fail_and_pass(uint32_t id, bool cancelled)
{
	fake_fail(id, cancelled);
	pass();
}

static inline void come_back_and_pass(bool died)
{
	come_back(died);
	pass();
}

/* Killed right after a save. */
static inline void crash_and_pass(void)
{
	fake_snapshot();
	come_back_and_pass(true);
}

/* slurmctld tells, with its locks, that this job has ended or is requeued. */
static inline void tell_end(uint32_t id, enum sgang_hold_end how)
{
	assert_true(fake_host.lock());
	sgang_conductor_ended(c, fake_host.jobs.find(id), how);
	fake_host.unlock();
}

/* As slurmctld starts a member whose gang has started. */
static inline void start_later_on(uint32_t id, uint64_t nodes)
{
	assert_int_equal(turn(id), SGANG_TURN_ORDINARY);
	assert_true(fake_start(id, nodes));
	assert_true(fake_host.lock());
	sgang_conductor_begins(c, fake_host.jobs.find(id));
	fake_host.unlock();
}

/* As slurmctld asks where a late member could start now. Is it held, as a cold
 * spare? */
static inline bool offer_cold(uint32_t id, uint64_t nodes)
{
	struct sgang_nodeset *set = toy_set(nodes);
	struct sgang_spec spec = spec_of(id);
	struct sgang_job *job;
	bool cold;

	assert_true(fake_host.lock());
	job = fake_host.jobs.find(id);
	cold = sgang_conductor_wants_cold(c, &spec, job, 1);
	if (cold)
		sgang_conductor_cold(c, job, 1, set);
	fake_host.unlock();
	sgang_nodeset_destroy(set);
	return cold;
}

/* It gives its nodes to another job. */
static inline void yield_to(uint32_t id, uint32_t to)
{
	struct sgang_spec spec = spec_of(id);
	struct sgang_job *job;

	assert_true(fake_host.lock());
	job = fake_host.jobs.find(id);
	assert_true(sgang_conductor_may_yield(c, &spec, job));
	sgang_conductor_yield(c, &spec, job, to);
	fake_host.unlock();
}

/* Its slurmctld has died. */
static inline bool is_dead(void)
{
	bool lives = fake_scheduler(true);

	fake_scheduler(false);
	return !lives;
}

/* ---- small words for the tests ---- */

static inline struct sgang_spec named(const char *ns, const char *name)
{
	struct sgang_spec spec;

	sgang_spec_init(&spec);
	strcpy(spec.ns, ns);
	strcpy(spec.name, name);
	return spec;
}

/* The joint start of a gang of alice, as backfill is told. */
static inline int64_t joint_start(const char *name)
{
	struct sgang_spec spec = named("alice", name);

	return sgang_conductor_joint_start(c, &spec);
}

/* A member of one node, but for what else is said of it. */
#define MEMBER(of, least, ...)                   \
	((struct fake_request){ .gang = (of),    \
				.min = (least),  \
				.nodes = 1,      \
				.priority = 100, \
				__VA_ARGS__ })
#pragma GCC diagnostic ignored "-Woverride-init"

static inline struct fake_request member_of(const char *gang, uint32_t min)
{
	return MEMBER(gang, min);
}

/* A job without a gang. */
#define JOB(of_nodes, at, ...)  \
	((struct fake_request){ \
		.nodes = (of_nodes), .priority = (at), __VA_ARGS__ })

static inline struct fake_request plain(uint32_t nodes, uint32_t priority)
{
	return JOB(nodes, priority);
}

static inline uint32_t submit(struct fake_request rq)
{
	uint32_t id = fake_submit(&rq);

	assert_true(id != 0);
	return id;
}

static inline void submit_many(struct fake_request rq, uint32_t n,
			       uint32_t *ids)
{
	for (uint32_t i = 0; i < n; i++)
		ids[i] = submit(rq);
}

/* It starts at once, on nodes of these. */
static inline uint32_t run_on(struct fake_request rq, uint64_t nodes)
{
	uint32_t id = submit(rq);

	assert_true(fake_start(id, nodes));
	return id;
}

/* The same, and it ends then; 0: never. */
static inline uint32_t run_until(struct fake_request rq, uint64_t nodes,
				 int64_t ends)
{
	uint32_t id = run_on(rq, nodes);

	fake_job(id)->ends = ends;
	return id;
}

/* It ends by itself, with an error or without. */
static inline void end_as(uint32_t id, bool fails)
{
	if (fails)
		fake_fail(id, false);
	else
		fake_end(id);
}

/* What nodes say of them after a restart. */
static inline void all_launched(const uint32_t *ids, uint32_t n,
				enum sgang_launch launch)
{
	for (uint32_t i = 0; i < n; i++)
		fake_job(ids[i])->launch = launch;
}

static inline void end_all(const uint32_t *ids, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		fake_end(ids[i]);
}

static inline uint32_t in_state(const char *gang, enum fake_state state)
{
	uint32_t n = 0;

	for (const struct fake_job *j = fake_next(NULL); j; j = fake_next(j)) {
		if (j->state == state && !strcmp(j->gang, gang))
			n += j->tasks;
	}
	return n;
}

static inline void all_in_state(const uint32_t *ids, uint32_t n,
				enum fake_state state)
{
	for (uint32_t i = 0; i < n; i++) {
		if (fake_state(ids[i]) != state)
			fail_msg("%s: job %u is in state %d, not %d", context,
				 ids[i], fake_state(ids[i]), state);
	}
}

/* A pass, behind which these jobs are in that state. */
static inline void pass_to(const uint32_t *ids, uint32_t n,
			   enum fake_state state)
{
	pass();
	all_in_state(ids, n, state);
}

static inline void schedule_to(const uint32_t *ids, uint32_t n,
			       enum fake_state state)
{
	schedule_and_pass();
	all_in_state(ids, n, state);
}

static inline void wait_to(int64_t seconds, const uint32_t *ids, uint32_t n,
			   enum fake_state state)
{
	fake_clock(seconds);
	pass_to(ids, n, state);
}

static inline void submit_and_pass(struct fake_request rq, uint32_t n,
				   uint32_t *ids)
{
	submit_many(rq, n, ids);
	pass();
}

static inline void submit_and_schedule(struct fake_request rq, uint32_t n,
				       uint32_t *ids)
{
	submit_many(rq, n, ids);
	schedule_and_pass();
}

/* They are submitted, and in that state behind the next cycle. */
static inline void submit_to(struct fake_request rq, uint32_t n, uint32_t *ids,
			     enum fake_state state)
{
	submit_many(rq, n, ids);
	schedule_to(ids, n, state);
}

/* The same, and a pass has seen them before that cycle. */
static inline void gather_to(struct fake_request rq, uint32_t n, uint32_t *ids,
			     enum fake_state state)
{
	submit_and_pass(rq, n, ids);
	schedule_to(ids, n, state);
}

/* The same in the next cycle, for those that are there. */
static inline void settle_to(const uint32_t *ids, uint32_t n,
			     enum fake_state state)
{
	pass();
	schedule_to(ids, n, state);
}

/* A pass sees them, and then a cycle. */
static inline void gather(struct fake_request rq, uint32_t n, uint32_t *ids)
{
	submit_and_pass(rq, n, ids);
	schedule_and_pass();
}

static inline void submit_and_settle(struct fake_request rq, uint32_t n,
				     uint32_t *ids)
{
	submit_many(rq, n, ids);
	settle();
}

/* One comes, and a pass sees it. */
static inline uint32_t arrive(struct fake_request rq)
{
	uint32_t id = submit(rq);

	pass();
	return id;
}

/* One comes, and is in that state behind the next cycle. */
static inline uint32_t submit_one_to(struct fake_request rq,
				     enum fake_state state)
{
	uint32_t id;

	submit_to(rq, 1, &id, state);
	return id;
}

static inline void start_many(struct fake_request rq, uint32_t n, uint32_t *ids)
{
	submit_to(rq, n, ids, FAKE_RUNNING);
}

static inline struct fake_request nonstrict_of(const char *gang, uint32_t min)
{
	return MEMBER(gang, min, .more = "mode=nonstrict");
}

/* An ordinary job on exactly these nodes. */
static inline uint32_t occupy(uint64_t nodes, int64_t ends)
{
	uint32_t n = (uint32_t)__builtin_popcountll(nodes);

	return run_until(plain(n, 1000), nodes, ends);
}

/* All nodes of these jobs. */
static inline uint64_t nodes_of(const uint32_t *ids, uint32_t n)
{
	uint64_t nodes = 0;

	for (uint32_t i = 0; i < n; i++)
		nodes |= fake_job(ids[i])->nodes;
	return nodes;
}

static inline uint32_t busy(uint32_t nodes)
{
	return run_on(plain(nodes, 1000), ALL_FREE);
}

static inline const char *text_of(uint32_t id)
{
	return fake_job(id)->text;
}

/* What squeue shows of the job. */
static inline void says(uint32_t id, const char *text)
{
	if (strcmp(text_of(id), text))
		fail_msg("%s: job %u says \"%s\", not \"%s\"", context, id,
			 text_of(id), text);
}

static inline void mentions(uint32_t id, const char *part)
{
	if (!strstr(text_of(id), part))
		fail_msg("%s: job %u says \"%s\", without \"%s\"", context, id,
			 text_of(id), part);
}

/* What the job finds in its environment. */
static inline void is_told(uint32_t id, const char *name, const char *value)
{
	const char *is = fake_getenv(id, name);

	if (!is || strcmp(is, value))
		fail_msg("%s: job %u has %s=%s, not %s", context, id, name,
			 is ? is : "(none)", value);
}

static inline struct sgang_record record_of(uint32_t id)
{
	struct sgang_record r;

	memset(&r, 0, sizeof(r));
	assert_non_null(fake_job(id));
	if (sgang_record_parse(fake_job(id)->comment, &r) != 1)
		fail_msg("job %u: no record in \"%s\"", id,
			 fake_job(id)->comment);
	return r;
}

/* The value of that word of the record in the job's comment, or "". */
static inline void record_word(uint32_t id, const char *name, char *value,
			       size_t size)
{
	const char *at = fake_job(id)->comment;
	size_t length = strlen(name);

	*value = '\0';
	for (; at; at = strchr(at, ' ')) {
		at += *at == ' ';
		if (!strncmp(at, name, length) && at[length] == '=')
			snprintf(value, size, "%.*s",
				 (int)strcspn(at + length + 1, " "),
				 at + length + 1);
	}
}

/* What the job's record says, in its own words: "phase=running spare !role". One
 * without a value is there and not 0, with a mark before it is not so. An asterisk
 * stands for anything, as in the "rank=" of a gang of three, whichever it is. */
__attribute__((format(printf, 2, 3))) static inline void
recorded(uint32_t id, const char *format, ...)
{
	char words[400], is[SGANG_AT_SIZE], *at;
	va_list args;

	(void)record_of(id);
	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	for (char *word = strtok_r(words, " ", &at); word;
	     word = strtok_r(NULL, " ", &at)) {
		bool unsaid = *word == '!', agrees;
		char *value = strchr(word, '=');

		if (value)
			*value++ = '\0';
		record_word(id, word + unsaid, is, sizeof(is));
		if (!value)
			agrees = unsaid == (!*is || !strcmp(is, "0"));
		else if (strchr(value, '*'))
			agrees = !fnmatch(value, is, 0);
		else
			agrees = !strcmp(value, is);
		if (!agrees)
			fail_msg("%s: job %u: not %s%s%s: %s", context, id,
				 word, value ? "=" : "", value ? value : "",
				 fake_job(id)->comment);
	}
}

static inline void all_recorded(const uint32_t *ids, uint32_t n,
				const char *words)
{
	for (uint32_t i = 0; i < n; i++)
		recorded(ids[i], "%s", words);
}

/* So often the log told that. */
static inline void logged(const char *text, uint32_t times)
{
	if (fake_log_count(SGANG_LOG_INFO, text) != times)
		fail_msg("%s: \"%s\" is in the log %u times, not %u", context,
			 text,
			 (unsigned int)fake_log_count(SGANG_LOG_INFO, text),
			 times);
}

#endif
