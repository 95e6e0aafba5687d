/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_shares.c - nodes for members in any shares, against trying everything */

#include "../unit.h"
#include "core/plan/plan.h"
#include "core/plan/shares.h"
#include "fuzz.h"
#include "node_bits.h"

#define NODES 4
#define MEMBERS 3
#define PIECES 8
#define DIMS 2

/* A member as Slurm has it: -N nodes -n tasks, CPUs and memory of a task,
 * memory on each node. */
struct asked {
	uint32_t nodes, most_nodes, tasks, cpus, task_memory, memory;
	uint32_t allowed, required; /* bits */
};

struct world {
	uint32_t free[NODES][DIMS];
	uint32_t domain[NODES];
	bool apart; /* each in a domain of its own */
	struct asked asked[MEMBERS];
	size_t n;
};

/* -- everything -- */

static bool brute(struct world *w, size_t i);

/* Of member i, from that node on: so many tasks and nodes to go. */
static bool brute_nodes(struct world *w, size_t i, uint32_t node, uint32_t used,
			uint32_t tasks)
{
	const struct asked *a = &w->asked[i];

	if (node == NODES)
		return !tasks &&
		       (uint32_t)__builtin_popcount(used) >= a->nodes &&
		       (uint32_t)__builtin_popcount(used) <= a->most_nodes &&
		       (used & a->required) == a->required && brute(w, i + 1);
	if (brute_nodes(w, i, node + 1, used, tasks))
		return true;
	for (uint32_t t = 1; t <= tasks && (a->allowed >> node & 1); t++) {
		uint32_t cpus = t * a->cpus;
		uint32_t memory = a->memory + t * a->task_memory;
		uint32_t domain = w->domain[node], n;
		bool fits;

		if (cpus > w->free[node][0] || memory > w->free[node][1])
			return false;
		for (n = 0; w->apart && n < NODES; n++) {
			if ((used >> n & 1) && w->domain[n] != domain)
				return false;
		}
		w->free[node][0] -= cpus;
		w->free[node][1] -= memory;
		fits = brute_nodes(w, i, node + 1, used | 1u << node,
				   tasks - t);
		w->free[node][0] += cpus;
		w->free[node][1] += memory;
		if (fits)
			return true;
	}
	return false;
}

/* Domains are tried one by one: the others are closed. */
static bool brute(struct world *w, size_t i)
{
	uint32_t saved[NODES], d, n;
	bool fits = false;

	if (i == w->n)
		return true;
	if (!w->apart)
		return brute_nodes(w, i, 0, 0, w->asked[i].tasks);
	memcpy(saved, w->domain, sizeof(saved));
	for (d = 0; d < NODES && !fits; d++) {
		struct world next = *w;

		for (n = 0; n < NODES; n++) {
			if (saved[n] != d)
				next.asked[i].allowed &= ~(1u << n);
			else
				for (size_t k = i + 1; k < w->n; k++)
					next.asked[k].allowed &= ~(1u << n);
		}
		fits = brute_nodes(&next, i, 0, 0, w->asked[i].tasks);
	}
	return fits;
}

/* -- the same by search -- */

static void check_answer(const struct world *w, const uint32_t *share)
{
	uint32_t used[NODES][DIMS] = { { 0 } }, owner[NODES];

	memset(owner, 0xff, sizeof(owner));
	for (size_t i = 0; i < w->n; i++) {
		const struct asked *a = &w->asked[i];
		uint32_t nodes = 0, tasks = 0, bits = 0, in = UINT32_MAX;

		for (uint32_t n = 0; n < NODES; n++) {
			uint32_t t = share[i * NODES + n];

			if (!t)
				continue;
			nodes++;
			tasks += t;
			bits |= 1u << n;
			used[n][0] += t * a->cpus;
			used[n][1] += a->memory + t * a->task_memory;
			if (!w->apart)
				continue;
			assert_true(in == UINT32_MAX || in == w->domain[n]);
			in = w->domain[n];
			assert_true(owner[in] == UINT32_MAX || owner[in] == i);
			owner[in] = (uint32_t)i;
		}
		assert_int_equal(tasks, a->tasks);
		assert_in_range(nodes, a->nodes, a->most_nodes);
		assert_false(bits & ~a->allowed);
		assert_int_equal(bits & a->required, a->required);
	}
	for (uint32_t n = 0; n < NODES; n++) {
		assert_true(used[n][0] <= w->free[n][0]);
		assert_true(used[n][1] <= w->free[n][1]);
	}
}

/* 5.6: all CPUs that are needed, and of memory no more than is. */
static void check_least(const struct world *w,
			const struct sgang_shares_request *rq)
{
	uint64_t cpus = 0, memory = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct asked *a = &w->asked[i];

		cpus += (uint64_t)a->tasks * a->cpus;
		memory += (uint64_t)a->tasks * a->task_memory +
			  (uint64_t)a->nodes * a->memory;
	}
	assert_int_equal(sgang_shares_least(rq, 0), cpus);
	assert_true(sgang_shares_least(rq, 1) <= memory);
}

/* 'n' members on nodes that are all of one type. */
static struct sgang_shares_request
request_of(uint32_t n_dims, const uint32_t *free, uint32_t n_nodes,
	   const struct sgang_shares_member *members, size_t n, uint64_t *steps)
{
	static const uint8_t type[SGANG_SHARES_NODES + 1];
	static uint32_t nodes[SGANG_SHARES_NODES + 1];

	for (uint32_t i = 0; i < n_nodes; i++)
		nodes[i] = i;
	return (struct sgang_shares_request){
		.n_dims = n_dims,
		.n_types = 1,
		.free = free,
		.total = free,
		.type = type,
		.nodes = nodes,
		.n_nodes = n_nodes,
		.members = members,
		.n_members = n,
		.steps = steps,
	};
}

static int search(const struct world *w, uint64_t *steps)
{
	struct sgang_shares_member members[MEMBERS];
	uint32_t need[MEMBERS][PIECES][DIMS], share[MEMBERS * NODES];
	struct sgang_shares_request rq = request_of(DIMS, w->free[0], NODES,
						    members, w->n, steps);
	int rc;

	for (size_t i = 0; i < w->n; i++) {
		const struct asked *a = &w->asked[i];

		for (uint32_t t = 1; t <= a->tasks; t++) {
			need[i][t - 1][0] = t * a->cpus;
			need[i][t - 1][1] = a->memory + t * a->task_memory;
		}
		members[i] = (struct sgang_shares_member){
			.least_nodes = a->nodes,
			.most_nodes = a->most_nodes,
			.pieces = a->tasks,
			.most = a->tasks,
			.allowed = set_of(a->allowed, NODES),
			.required = set_of(a->required, NODES),
			.need = need[i][0],
		};
	}
	rq.domain = w->apart ? w->domain : NULL;
	check_least(w, &rq);
	rc = sgang_shares_find(&rq, share);
	if (rc == 1)
		check_answer(w, share);
	for (size_t i = 0; i < w->n; i++) {
		sgang_nodeset_destroy((void *)members[i].allowed);
		sgang_nodeset_destroy((void *)members[i].required);
	}
	return rc;
}

static void compare(struct world *w, const char *what, uint64_t seed)
{
	uint64_t steps = 1000000;
	bool fits = brute(w, 0);

	if (search(w, &steps) == fits && steps)
		return;
	fail_msg("%s %llu: %s by trying everything", what,
		 (unsigned long long)seed, fits ? "fits" : "does not fit");
}

/* -- tests -- */

/* 5.5 Every state of four nodes with 0 to 4 CPUs, each pair of members -N1 to
 * -N3, -n1 to -n6. */
TEST(test_all)
{
	struct asked all[18];
	struct world w = { .n = 2 };
	uint32_t bits, n_all = 0, fitting = 0;
	uint64_t checked = 0;

	for (uint32_t nodes = 1; nodes <= 3; nodes++) {
		for (uint32_t tasks = nodes; tasks <= 6; tasks++)
			all[n_all++] = (struct asked){ nodes, nodes, tasks, 1,
						       0,     0,     15,    0 };
	}
	for (bits = 0; bits < 625; bits++) {
		for (uint32_t n = 0, b = bits; n < NODES; n++, b /= 5) {
			w.free[n][0] = b % 5;
			w.free[n][1] = 1;
		}
		for (uint32_t i = 0; i < n_all; i++) {
			for (uint32_t j = 0; j < n_all; j++) {
				w.asked[0] = all[i];
				w.asked[1] = all[j];
				compare(&w, "state", bits);
				fitting += brute(&w, 0);
				checked++;
			}
		}
	}
	print_message("%llu gangs, %u fit\n", (unsigned long long)checked,
		      fitting);
	assert_int_equal(checked, 625 * n_all * n_all);
	assert_in_range(fitting, 1, checked - 1);
}

static void make_world(struct world *w, uint64_t seed)
{
	uint64_t random = seed;

	memset(w, 0, sizeof(*w));
	w->n = 1 + fuzz_small(&random, MEMBERS);
	w->apart = !fuzz_small(&random, 3);
	for (uint32_t n = 0; n < NODES; n++) {
		w->free[n][0] = fuzz_small(&random, 7);
		w->free[n][1] = fuzz_small(&random, 9);
		w->domain[n] = fuzz_small(&random, 3);
	}
	for (size_t i = 0; i < w->n; i++) {
		struct asked *a = &w->asked[i];

		a->nodes = 1 + fuzz_small(&random, 3);
		a->most_nodes = a->nodes + fuzz_small(&random, 3);
		a->tasks = a->nodes + fuzz_small(&random, 4);
		a->cpus = 1 + fuzz_small(&random, 2);
		a->task_memory = fuzz_small(&random, 2);
		a->memory = fuzz_small(&random, 2);
		a->allowed = fuzz_small(&random, 3) ?
				     15 :
				     1 + fuzz_small(&random, 15);
		if (!fuzz_small(&random, 4))
			a->required = a->allowed & 1u << fuzz_small(&random, 4);
	}
}

/* 5.5 Ranges of nodes, memory, CPUs of a task, nodes that are not allowed or
 * are required, domains. */
TEST(test_random)
{
	struct world w;
	uint32_t fitting = 0;

	for (uint64_t seed = 1; seed <= 20000; seed++) {
		make_world(&w, seed);
		compare(&w, "seed", seed);
		fitting += brute(&w, 0);
	}
	print_message("20000 worlds, %u fit\n", fitting);
	assert_in_range(fitting, 3000, 17000);
}

TEST(test_steps)
{
	struct world w;
	uint64_t steps = 0;

	make_world(&w, 1);
	w.n = 1;
	w.apart = false;
	w.asked[0] = (struct asked){ 2, 2, 3, 1, 0, 0, 15, 0 };
	for (uint32_t n = 0; n < NODES; n++)
		w.free[n][0] = w.free[n][1] = 2;
	assert_int_equal(search(&w, &steps), 0);
	assert_int_equal(steps, 0);
	steps = 100;
	assert_int_equal(search(&w, &steps), 1);
	assert_in_range(steps, 80, 99);
}

/* A whole node is one that nobody uses. */
TEST(test_whole)
{
	static const uint32_t need[] = { SGANG_PLAN_ALL, SGANG_PLAN_ALL };
	static const uint32_t total[] = { 4, 9, 4, 9 };
	const struct sgang_shares_member member = {
		.least_nodes = 1,
		.most_nodes = 1,
		.pieces = 1,
		.most = 1,
		.need = need,
	};
	uint32_t free[] = { 4, 8, 4, 9 }, share[2];
	uint64_t steps = 100;
	struct sgang_shares_request rq = request_of(2, free, 2, &member, 1,
						    &steps);

	rq.total = total;
	assert_int_equal(sgang_shares_find(&rq, share), 1);
	assert_int_equal(share[0], 0);
	assert_int_equal(share[1], 1);
	free[2] = 3;
	assert_int_equal(sgang_shares_find(&rq, share), 0);
	assert_true(steps > 0);
}

/* Cores of two threads: six tasks on two nodes take six CPUs as four and two,
 * eight as three and three. Ten members have no room for three such. */
TEST(test_shares_that_waste_nothing)
{
	static const uint32_t need[] = { 2, 2, 4, 4, 6 };
	static const uint32_t total[] = { 16, 16, 16, 16 };
	struct sgang_shares_member members[11];
	uint32_t share[11 * 4], used[4] = { 0 };
	uint64_t steps = 20000;
	struct sgang_shares_request rq = request_of(1, total, 4, members, 10,
						    &steps);

	for (size_t i = 0; i < COUNT(members); i++)
		members[i] = (struct sgang_shares_member){
			.least_nodes = 2,
			.most_nodes = 2,
			.pieces = 6,
			.most = 5,
			.need = need,
		};
	assert_int_equal(sgang_shares_find(&rq, share), 1);
	for (size_t i = 0; i < 10; i++) {
		uint32_t pieces = 0;

		for (size_t n = 0; n < 4; n++) {
			pieces += share[i * 4 + n];
			used[n] += share[i * 4 + n] ?
					   need[share[i * 4 + n] - 1] :
					   0;
		}
		assert_int_equal(pieces, 6);
	}
	for (size_t n = 0; n < 4; n++)
		assert_in_range(used[n], 0, 16);
	/* the first node has as many as the others leave it, if it is to */
	for (size_t i = 0; i < 2; i++) {
		members[0].most_first = i;
		rq.n_members = 1;
		assert_int_equal(sgang_shares_find(&rq, share), 1);
		assert_int_equal(share[0], i ? 5 : 3);
		assert_int_equal(share[1], i ? 1 : 3);
	}
	/* of eleven it is known without a search */
	rq.n_members = 11;
	steps = 1;
	assert_int_equal(sgang_shares_find(&rq, share), 0);
	assert_int_equal(steps, 1);
}

TEST(test_too_deep)
{
	enum { MANY = SGANG_SHARES_NODES + 1 };
	static uint32_t need[2] = { 1, 1 }, share[MANY], free[MANY];
	struct sgang_shares_member member = {
		.least_nodes = MANY,
		.most_nodes = MANY,
		.pieces = MANY,
		.most = 1,
		.need = need,
	};
	uint64_t steps = 100000;
	struct sgang_shares_request rq = request_of(1, free, MANY, &member, 1,
						    &steps);

	for (uint32_t n = 0; n < MANY; n++)
		free[n] = 1;
	assert_int_equal(sgang_shares_find(&rq, share), -1);
	assert_int_equal(errno, EINVAL);
	member.least_nodes = member.most_nodes = member.pieces = MANY - 1;
	assert_int_equal(sgang_shares_find(&rq, share), 1);
}

/* -- what members need besides -- */

struct beside {
	uint32_t free[NODES][DIMS]; /* CPUs, GPUs */
	uint32_t least, most, tasks, gpus;
};

static bool brute_beside(const struct beside *w, uint32_t node, uint32_t used,
			 uint32_t tasks, uint32_t gpus)
{
	if (node == NODES)
		return !tasks && !gpus && used >= w->least && used <= w->most;
	if (brute_beside(w, node + 1, used, tasks, gpus))
		return true;
	for (uint32_t t = 1; t <= tasks && t <= w->free[node][0]; t++) {
		for (uint32_t g = 1; g <= gpus && g <= w->free[node][1]; g++) {
			if (brute_beside(w, node + 1, used + 1, tasks - t,
					 gpus - g))
				return true;
		}
	}
	return false;
}

/* So many members of that kind, a CPU and no GPU for a task. */
static int find_beside(struct beside *w, size_t n, uint32_t *share,
		       uint32_t *gpus)
{
	struct sgang_shares_member members[MEMBERS];
	uint32_t need[PIECES][DIMS], more[PIECES][DIMS];
	uint64_t steps = 100000;
	struct sgang_shares_request rq = request_of(DIMS, w->free[0], NODES,
						    members, n, &steps);

	for (uint32_t i = 0; i < PIECES; i++) {
		need[i][0] = i + 1;
		need[i][1] = 1;
		more[i][0] = 0;
		more[i][1] = i;
	}
	for (size_t i = 0; i < n; i++)
		members[i] = (struct sgang_shares_member){
			.least_nodes = w->least,
			.most_nodes = w->most,
			.pieces = w->tasks,
			.most = w->tasks,
			.most_first = true,
			.need = need[0],
			.beside = w->gpus,
			.more = more[0],
		};
	rq.beside = gpus;
	return sgang_shares_find(&rq, share);
}

static void check_beside(const struct beside *w, size_t n,
			 const uint32_t *share, const uint32_t *gpus)
{
	uint32_t used[NODES][DIMS] = { { 0 } };

	for (size_t i = 0; i < n; i++) {
		uint32_t nodes = 0, tasks = 0, all = 0;

		for (uint32_t at = 0; at < NODES; at++) {
			uint32_t k = (uint32_t)i * NODES + at;

			assert_int_equal(share[k] != 0, gpus[k] != 0);
			nodes += share[k] != 0;
			tasks += share[k];
			all += gpus[k];
			used[at][0] += share[k];
			used[at][1] += gpus[k];
		}
		assert_int_equal(tasks, w->tasks);
		assert_int_equal(all, w->gpus);
		assert_in_range(nodes, w->least, w->most);
	}
	for (uint32_t at = 0; at < NODES; at++) {
		assert_in_range(used[at][0], 0, w->free[at][0]);
		assert_in_range(used[at][1], 0, w->free[at][1]);
	}
}

/* 4.20 Tasks and GPUs of the whole job in any shares: one member has its nodes
 * exactly if there are any, and several what they are said to have. */
TEST(test_gpus_beside_tasks)
{
	uint32_t share[MEMBERS * NODES], gpus[MEMBERS * NODES], several = 0;
	uint32_t fitting = 0, rounds = 20000;

	for (uint64_t seed = 1; seed <= rounds; seed++) {
		uint64_t random = seed;
		struct beside w;
		bool fits;

		for (uint32_t at = 0; at < NODES; at++) {
			w.free[at][0] = fuzz_below(&random, 7);
			w.free[at][1] = fuzz_below(&random, 5);
		}
		w.least = 1 + fuzz_below(&random, 3);
		w.most = w.least + fuzz_below(&random, 3);
		w.tasks = w.least + fuzz_below(&random, PIECES - w.least);
		w.gpus = w.least + fuzz_below(&random, PIECES - w.least);
		fits = brute_beside(&w, 0, 0, w.tasks, w.gpus);
		for (size_t n = 1; n <= MEMBERS; n++) {
			int rc = find_beside(&w, n, share, gpus);

			if (rc == 1)
				check_beside(&w, n, share, gpus);
			if (n == 1 && rc != fits)
				fail_msg("seed %llu: %s by trying everything",
					 (unsigned long long)seed,
					 fits ? "fits" : "does not fit");
			fitting += n == 1 && rc == 1;
			several += n > 1 && rc == 1;
		}
	}
	print_message("%u of %u fit, %u of two or three\n", fitting, rounds,
		      several);
	assert_in_range(fitting, 1000, rounds - 1000);
	assert_in_range(several, 1000, 2 * rounds - 1000);
}

/* 4.20 Every CPU of fifty nodes is needed, two by two. */
TEST(test_full_cluster)
{
	enum { N = 50, FIT = 40 };
	static const uint32_t need[] = { 2, 4, 6, 8 };
	static uint32_t share[FIT * N], free[N];
	struct sgang_shares_member members[FIT];
	uint64_t steps = 100000;
	struct sgang_shares_request rq = request_of(1, free, N, members, FIT,
						    &steps);

	for (size_t n = 0; n < N; n++)
		free[n] = 8;
	for (size_t i = 0; i < FIT; i++)
		members[i] = (struct sgang_shares_member){
			.least_nodes = 2,
			.most_nodes = 2,
			.pieces = 5,
			.most = 4,
			.need = need,
		};
	assert_int_equal(sgang_shares_find(&rq, share), 1);
	for (size_t n = 0; n < N; n++) {
		uint32_t tasks = 0;

		for (size_t i = 0; i < FIT; i++)
			tasks += share[i * N + n];
		assert_int_equal(tasks, 4);
	}
}

/* 4.20 Members without GPUs leave those of their nodes to the others. */
TEST(test_gpus_are_scarce)
{
	enum { N = 6, WITH = 5, ALL = 7 };
	static const uint32_t free[N][DIMS] = { { 8, 4 }, { 6, 6 }, { 4, 8 },
						{ 8, 2 }, { 5, 5 }, { 8, 8 } };
	static const uint32_t need[][DIMS] = { { 1, 1 }, { 2, 1 }, { 3, 1 } };
	static const uint32_t more[][DIMS] = { { 0, 0 }, { 0, 1 }, { 0, 2 },
					       { 0, 3 }, { 0, 4 }, { 0, 5 } };
	static const uint32_t plain[][DIMS] = {
		{ 1, 0 }, { 2, 0 }, { 3, 0 }, { 4, 0 }
	};
	struct sgang_shares_member members[ALL];
	uint32_t share[ALL * N], gpus[ALL * N], all = 0;
	uint64_t steps = 100000;
	struct sgang_shares_request rq = request_of(DIMS, free[0], N, members,
						    ALL, &steps);

	for (size_t i = 0; i < ALL; i++)
		members[i] = i < WITH ?
				     (struct sgang_shares_member){
					     .least_nodes = 2,
					     .most_nodes = 2,
					     .pieces = 3,
					     .most = 2,
					     .most_first = true,
					     .need = need[0],
					     .beside = 6,
					     .more = more[0],
				     } :
				     (struct sgang_shares_member){
					     .least_nodes = 1,
					     .most_nodes = 4,
					     .pieces = 4,
					     .most = 4,
					     .most_first = true,
					     .need = plain[0],
				     };
	rq.beside = gpus;
	assert_int_equal(sgang_shares_find(&rq, share), 1);
	for (size_t n = 0; n < N; n++) {
		uint32_t cpus = 0, used = 0;

		for (size_t i = 0; i < ALL; i++) {
			cpus += share[i * N + n];
			used += gpus[i * N + n];
		}
		assert_in_range(cpus, 0, free[n][0]);
		assert_in_range(used, 0, free[n][1]);
		all += used;
	}
	assert_int_equal(all, WITH * 6);
}

TEST_MAIN(NULL, NULL)
