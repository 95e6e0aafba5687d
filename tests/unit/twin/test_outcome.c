/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_outcome.c - an outcome goes from one process to another, or not at all
 *
 * Behaviour 8.2: configurations are replayed in processes of their own.
 */

#include <unistd.h>

#include "../unit.h"
#include "../core/fail_alloc.h"
#include "twin/outcome.h"

/* ---- read() and write() as a pipe has them ---- */

ssize_t __real_read(int fd, void *data, size_t size);
ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __wrap_read(int fd, void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size);

/* Every second call is interrupted, the others do this much; 0: all. */
static size_t piece;
static unsigned int calls;

static bool interrupted(void)
{
	if (!piece || ++calls % 2)
		return false;
	errno = EINTR;
	return true;
}

ssize_t __wrap_read(int fd, void *data, size_t size)
{
	if (interrupted())
		return -1;
	return __real_read(fd, data, piece && size > piece ? piece : size);
}

ssize_t __wrap_write(int fd, const void *data, size_t size)
{
	if (interrupted())
		return -1;
	return __real_write(fd, data, piece && size > piece ? piece : size);
}

/* ---- one with something of all ---- */

static struct sgang_outcome_job jobs[] = {
	{ .start = 1700000000,
	  .work = 1700000060,
	  .end = 1700003660,
	  .how = SGANG_OUTCOME_TIMEOUT,
	  .gang = 0,
	  .first = 0,
	  .n_nodes = 2,
	  .starts = 3,
	  .lost = 77 },
	{ .how = SGANG_OUTCOME_WAITS, .gang = SGANG_OUTCOME_NONE },
	{ .start = 1,
	  .end = 2,
	  .how = SGANG_OUTCOME_PREEMPTED,
	  .gang = SGANG_OUTCOME_NONE,
	  .first = 2,
	  .n_nodes = 1 },
};
static struct sgang_outcome_gang gangs[] = {
	{ .n_members = 2,
	  .min_member = 1,
	  .first_job = 2,
	  .complete = 5,
	  .start = 6,
	  .ring_cost = 40,
	  .best_cost = 32,
	  .proved = true,
	  .stock_cost = 64,
	  .cross_links = 2,
	  .leaves = 2,
	  .tier = "spine" },
};
static uint32_t nodes[] = { 4, 5, 0 };
static struct sgang_outcome_sample samples[] = {
	{ 10, 3, 2, 17, 4, 1, 3 },
	{ 3610, 0, 0, 20, 0, 0, 0 },
};

static struct sgang_outcome_gang rings[COUNT(jobs)] = {
	{ .n_members = 1 },
	{ .n_members = 1, .start = 7, .ring_cost = 8, .tier = "leaf" },
};

static struct sgang_outcome whole(void)
{
	return (struct sgang_outcome){
		.jobs = jobs,
		.n_jobs = COUNT(jobs),
		.gangs = gangs,
		.n_gangs = COUNT(gangs),
		.nodes = nodes,
		.n_nodes = COUNT(nodes),
		.samples = samples,
		.n_samples = COUNT(samples),
		.rings = rings,
		.n_rings = COUNT(rings),
		.from = 1,
		.until = 2,
		.cpus = 3,
		.idle_work = 4,
		.unused = 4.5,
		.busy = 5,
		.lost = 6,
		.victims = 7,
		.passes = 8,
		.attempts = 9,
		.cycles = 10,
		.backfills = 11,
		.seconds = 12.5,
		.memory = 13,
	};
}

#define assert_list(a, b, list, n)                                          \
	do {                                                                \
		assert_int_equal(a.n, b.n);                                 \
		assert_memory_equal(a.list, b.list, a.n * sizeof(*a.list)); \
	} while (0)

static void assert_same(struct sgang_outcome a, struct sgang_outcome b)
{
	assert_list(a, b, jobs, n_jobs);
	assert_list(a, b, gangs, n_gangs);
	assert_list(a, b, nodes, n_nodes);
	assert_list(a, b, samples, n_samples);
	assert_list(a, b, rings, n_rings);
	a.jobs = b.jobs = NULL;
	a.gangs = b.gangs = NULL;
	a.nodes = b.nodes = NULL;
	a.samples = b.samples = NULL;
	a.rings = b.rings = NULL;
	assert_int_equal(a.from, b.from);
	assert_int_equal(a.until, b.until);
	assert_int_equal(a.cpus, b.cpus);
	assert_int_equal(a.idle_work, b.idle_work);
	assert_true(a.unused == b.unused);
	assert_int_equal(a.busy, b.busy);
	assert_int_equal(a.lost, b.lost);
	assert_int_equal(a.victims, b.victims);
	assert_int_equal(a.passes, b.passes);
	assert_int_equal(a.attempts, b.attempts);
	assert_int_equal(a.cycles, b.cycles);
	assert_int_equal(a.backfills, b.backfills);
	assert_true(a.seconds == b.seconds);
	assert_int_equal(a.memory, b.memory);
}

/* A file with the stream of 'outcome', at its beginning. */
static int stream_of(const struct sgang_outcome *outcome)
{
	FILE *file = tmpfile();
	struct sgang_error err;
	int fd;

	assert_non_null(file);
	fd = dup(fileno(file));
	fclose(file);
	assert_int_equal(sgang_outcome_write(outcome, fd, &err), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static void assert_refused(int fd)
{
	struct sgang_outcome got;
	struct sgang_error err;
	long live = fail_live;

	assert_int_equal(sgang_outcome_read(&got, fd, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, "what became of the queue came damaged, "
				      "or not as a whole");
	assert_null(got.jobs);
	assert_int_equal(got.n_jobs, 0);
	assert_int_equal(fail_live, live);
}

/* ---- the tests ---- */

TEST(goes_there_and_back)
{
	const struct sgang_outcome all = whole(), none = { .from = 5 };
	const struct sgang_outcome *const cases[] = { &all, &none };
	static const size_t pieces[] = { 0, 1, 7, 4096 };
	struct sgang_outcome got;
	struct sgang_error err;
	int fd;

	for (size_t i = 0; i < COUNT(cases); i++) {
		for (size_t k = 0; k < COUNT(pieces); k++) {
			piece = pieces[k];
			fd = stream_of(cases[i]);
			assert_int_equal(sgang_outcome_read(&got, fd, &err), 0);
			piece = 0;
			assert_same(got, *cases[i]);
			sgang_outcome_clear(&got);
			assert_null(got.jobs);
			close(fd);
		}
	}
}

/* The next one begins where this one ended. */
TEST(two_in_one_stream)
{
	struct sgang_outcome a = whole(), b = whole(), got;
	struct sgang_error err;
	int fds[2];

	b.until = 99;
	b.n_jobs = 0;
	b.n_gangs = 0;
	b.n_rings = 0;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(sgang_outcome_write(&a, fds[1], &err), 0);
	assert_int_equal(sgang_outcome_write(&b, fds[1], &err), 0);
	assert_int_equal(sgang_outcome_read(&got, fds[0], &err), 0);
	assert_same(got, a);
	sgang_outcome_clear(&got);
	assert_int_equal(sgang_outcome_read(&got, fds[0], &err), 0);
	assert_same(got, b);
	sgang_outcome_clear(&got);
	close(fds[1]);
	assert_refused(fds[0]);
	close(fds[0]);
}

TEST(each_byte_counts)
{
	const struct sgang_outcome all = whole();
	int fd = stream_of(&all);
	off_t size = lseek(fd, 0, SEEK_END), at;
	unsigned char byte, wrong;

	for (at = 0; at < size; at++) {
		assert_int_equal(pread(fd, &byte, 1, at), 1);
		wrong = byte ^ 0x10;
		assert_int_equal(pwrite(fd, &wrong, 1, at), 1);
		lseek(fd, 0, SEEK_SET);
		assert_refused(fd);
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
	for (at = size; at--;) {
		assert_int_equal(ftruncate(fd, at), 0);
		lseek(fd, 0, SEEK_SET);
		assert_refused(fd);
	}
	close(fd);
}

/* Numbers of places that are not there. */
TEST(what_leads_nowhere_is_refused)
{
	const struct sgang_outcome all = whole();
	const struct sgang_outcome_job job = jobs[0];
	const struct sgang_outcome_gang gang = gangs[0];
	int fd;

	for (int which = 0; which < 6; which++) {
		if (which == 0)
			jobs[0].how = SGANG_OUTCOME_CANCELLED + 1;
		else if (which == 1)
			jobs[0].gang = 1;
		else if (which == 2)
			jobs[0].first = 2;
		else if (which == 3)
			jobs[0].first = (size_t)-1;
		else if (which == 4)
			gangs[0].first_job = 3;
		else
			memset(gangs[0].tier, 'x', sizeof(gangs[0].tier));
		fd = stream_of(&all);
		assert_refused(fd);
		close(fd);
		jobs[0] = job;
		gangs[0] = gang;
	}
	fd = stream_of(&all);
	{
		struct sgang_outcome got;

		assert_int_equal(sgang_outcome_read(&got, fd, NULL), 0);
		sgang_outcome_clear(&got);
	}
	close(fd);
}

TEST(without_memory)
{
	const struct sgang_outcome all = whole();
	struct sgang_outcome got;
	struct sgang_error err;
	int fd = stream_of(&all), rc = -1;
	long live = fail_live;
	unsigned long n;

	for (n = 1; rc; n++) {
		lseek(fd, 0, SEEK_SET);
		fail_at(n);
		rc = sgang_outcome_read(&got, fd, &err);
		fail_at(0);
		if (rc) {
			assert_int_equal(errno, ENOMEM);
			assert_null(got.jobs);
			assert_int_equal(fail_live, live);
		}
	}
	assert_int_equal(n, 7);
	sgang_outcome_clear(&got);
	close(fd);
}

TEST(what_the_file_says)
{
	const struct sgang_outcome all = whole();
	struct sgang_outcome got;
	struct sgang_error err;

	assert_int_equal(sgang_outcome_write(&all, -1, &err), -1);
	assert_int_equal(errno, EBADF);
	assert_string_equal(err.text, "cannot write what became of the queue: "
				      "Bad file descriptor");
	assert_int_equal(sgang_outcome_read(&got, -1, &err), -1);
	assert_int_equal(errno, EBADF);
	assert_string_equal(err.text, "cannot read what became of the queue: "
				      "Bad file descriptor");
	assert_null(got.jobs);
}

TEST_MAIN(NULL, NULL)
