/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_pool.c - memory that is given back all at once, and how one leaves */

#include "../unit.h"
#include "core/base/pool.h"
#include "fail_alloc.h"

#define LARGE (100u << 10) /* more than a chunk */

/* -- without an exit -- */

TEST(test_asked)
{
	struct sgang_pool pool = { NULL };
	long live = fail_live;
	uint32_t *list = NULL;
	char *zero;

	for (uint32_t n = 1; n < 2000; n += n) {
		list = sgang_pool_resize(&pool, list, n, sizeof(*list));
		assert_non_null(list);
		for (uint32_t i = n / 2; i < n; i++)
			list[i] = i;
		assert_non_null(sgang_pool_alloc(&pool, n, 3));
		assert_non_null(sgang_pool_resize(&pool, NULL, n, 1));
	}
	for (uint32_t i = 0; i < 1024; i++)
		assert_int_equal(list[i], i);
	zero = sgang_pool_zalloc(&pool, LARGE, 1);
	assert_non_null(zero);
	assert_int_equal(zero[0] | zero[LARGE - 1], 0);
	sgang_pool_clear(&pool);
	assert_int_equal(fail_live, live);
}

/* Who asks a pool without an exit is told. */
TEST(test_told)
{
	struct sgang_pool pool = { NULL };
	long live = fail_live;
	void *list;

	assert_null(sgang_pool_alloc(&pool, SIZE_MAX, 2));
	assert_int_equal(errno, ENOMEM);
	assert_null(sgang_pool_resize(&pool, NULL, SIZE_MAX / 4, 3));
	assert_int_equal(errno, ENOMEM);
	fail_at(1);
	assert_null(sgang_pool_zalloc(&pool, LARGE, 1));
	list = sgang_pool_resize(&pool, NULL, 10, 1);
	assert_non_null(list);
	fail_at(1);
	assert_null(sgang_pool_resize(&pool, list, LARGE, 1));
	fail_at(0);
	/* it is still there */
	assert_non_null(sgang_pool_resize(&pool, list, LARGE, 1));
	sgang_pool_clear(&pool);
	assert_int_equal(fail_live, live);
}

/* -- what runs -- */

struct run {
	int begun, ended;   /* things that the pools keep */
	bool inner, closed; /* something in pools inside; which end by
			     * themselves */
};

static void end(void *thing)
{
	struct run **run = thing;

	(*run)->ended++;
	free(thing);
}

static void begin(struct run *run, struct sgang_pool *pool)
{
	struct run **thing = malloc(sizeof(*thing));

	if (thing) {
		*thing = run;
		run->begun++;
	}
	assert_ptr_equal(sgang_pool_keep(pool, thing, end), thing);
}

static void use(struct run *run, struct sgang_pool *pool)
{
	void *list = sgang_pool_resize(pool, NULL, 100, 1);

	begin(run, pool);
	memset(sgang_pool_alloc(pool, LARGE, 1), 1, LARGE);
	memset(sgang_pool_resize(pool, list, LARGE, 1), 1, LARGE);
	begin(run, pool);
}

static int take(struct sgang_pool *pool, void *arg)
{
	struct run *run = arg;
	struct sgang_pool *one, *two, *in;

	use(run, pool);
	if (!run->inner)
		return 5;
	one = sgang_pool_inside(pool);
	use(run, one);
	two = sgang_pool_inside(pool);
	in = sgang_pool_inside(two);
	use(run, in);
	if (run->closed) {
		sgang_pool_end(one); /* not the latest one */
		assert_int_equal(run->ended, 2);
		use(run, two);
		sgang_pool_end(two); /* and what is in it */
		assert_int_equal(run->ended, 6);
	}
	use(run, pool);
	return -3;
}

/* Whichever allocation fails, it ends with nothing left. */
static void check_run(bool inner, bool closed, int result)
{
	unsigned long n;

	for (n = 1;; n++) {
		struct run run = { .inner = inner, .closed = closed };
		long live = fail_live;
		int rc;

		errno = 0;
		fail_at(n);
		rc = sgang_pool_run(take, &run);
		fail_countdown = 0;
		assert_int_equal(rc, fail_happened ? -1 : result);
		assert_int_equal(errno, fail_happened ? ENOMEM : 0);
		assert_int_equal(run.ended, run.begun);
		assert_int_equal(fail_live, live);
		if (!fail_happened)
			break;
	}
	assert_true(n > (inner ? 25 : 5));
}

TEST(test_run)
{
	check_run(false, false, 5);
	check_run(true, false, -3);
	check_run(true, true, -3);
}

/* A run in a run leaves by its own exit, and no further. */
static int outer(struct sgang_pool *pool, void *arg)
{
	struct run *run = arg;
	int rc;

	begin(run, pool);
	fail_at(3);
	rc = sgang_pool_run(take, run);
	fail_at(0);
	assert_int_equal(rc, -1);
	assert_int_equal(run->ended, run->begun - 1);
	use(run, pool);
	return 1;
}

TEST(test_run_in_run)
{
	struct run run = { .inner = false };

	assert_int_equal(sgang_pool_run(outer, &run), 1);
	assert_int_equal(run.ended, run.begun);
}

TEST_MAIN(NULL, NULL)
