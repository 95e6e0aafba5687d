/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_metrics.c - counts of what the conductor did */

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit.h"
#include "../../fake/fake_log.h"
#include "plugins/select/metrics.h"
#include "plugins/select/metrics_file.h"

static char *printed(const struct sgang_metrics *m)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	sgang_metrics_print(m, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

TEST(test_print)
{
	static const char *const lines[] = {
		"# TYPE slurm_gang_starts counter\n"
		"# HELP slurm_gang_starts Gangs started.\n"
		"slurm_gang_starts_total 2\n",
		"slurm_gang_attempts_total 0\n",
		"# TYPE slurm_gang_holds_ended counter\n"
		"# HELP slurm_gang_holds_ended Holds of members that ended "
		"without a start.\n"
		"slurm_gang_holds_ended_total{cause=\"user\"} 0\n"
		"slurm_gang_holds_ended_total{cause=\"timeout\"} 5\n"
		"slurm_gang_holds_ended_total{cause=\"preempted\"} 0\n",
		"slurm_gang_holds_ended_total{cause=\"incomplete\"} 1\n"
		"# TYPE slurm_gang_ended counter\n"
		"# HELP slurm_gang_ended Gangs that ended.\n"
		"slurm_gang_ended_total{verdict=\"finished\"} 2\n"
		"slurm_gang_ended_total{verdict=\"failed\"} 0\n"
		"slurm_gang_ended_total{verdict=\"cancelled\"} 1\n"
		"slurm_gang_ended_total{verdict=\"timelimit\"} 0\n"
		"# TYPE slurm_gang_lock_seconds histogram\n",
		"# TYPE slurm_gang_wait_seconds histogram\n"
		"# UNIT slurm_gang_wait_seconds seconds\n# HELP ",
		"slurm_gang_wait_seconds_bucket{le=\"1.0\"} 2\n",
		"slurm_gang_wait_seconds_bucket{le=\"10.0\"} 2\n",
		"slurm_gang_wait_seconds_bucket{le=\"60.0\"} 3\n",
		"slurm_gang_wait_seconds_bucket{le=\"604800.0\"} 3\n",
		"slurm_gang_wait_seconds_bucket{le=\"+Inf\"} 4\n",
		"slurm_gang_wait_seconds_sum 1000061.500000\n",
		"slurm_gang_wait_seconds_count 4\n",
		/* with fewer bounds than others have */
		"slurm_gang_lock_seconds_bucket{le=\"0.0001\"} 1\n",
		"slurm_gang_lock_seconds_bucket{le=\"1.0\"} 1\n"
		"slurm_gang_lock_seconds_bucket{le=\"+Inf\"} 2\n",
		"slurm_gang_ring_over_best_ratio_bucket{le=\"1.0\"} 1\n",
		"slurm_gang_ring_over_best_ratio_bucket{le=\"1.1\"} 1\n",
		"slurm_gang_ring_over_best_ratio_bucket{le=\"1.25\"} 2\n",
	};
	struct sgang_metrics m;
	char *text;

	memset(&m, 0, sizeof(m));
	sgang_metrics_add(&m, SGANG_COUNT_STARTS);
	sgang_metrics_add(&m, SGANG_COUNT_STARTS);
	sgang_metrics_hold_ended(&m, SGANG_HOLD_END_TIMEOUT, 2);
	sgang_metrics_hold_ended(&m, SGANG_HOLD_END_TIMEOUT, 3);
	sgang_metrics_hold_ended(&m, SGANG_HOLD_END_INCOMPLETE, 1);
	sgang_metrics_gang_ended(&m, SGANG_VERDICT_FINISHED);
	sgang_metrics_gang_ended(&m, SGANG_VERDICT_FINISHED);
	sgang_metrics_gang_ended(&m, SGANG_VERDICT_CANCELLED);
	sgang_metrics_observe(&m, SGANG_HIST_WAIT, 0.5);
	sgang_metrics_observe(&m, SGANG_HIST_WAIT, 1);
	sgang_metrics_observe(&m, SGANG_HIST_WAIT, 60);
	sgang_metrics_observe(&m, SGANG_HIST_WAIT, 1e6);
	sgang_metrics_observe(&m, SGANG_HIST_LOCK, 0.00005);
	sgang_metrics_observe(&m, SGANG_HIST_LOCK, 7);
	sgang_metrics_observe(&m, SGANG_HIST_RING, 1);
	sgang_metrics_observe(&m, SGANG_HIST_RING, 1.2);
	text = printed(&m);
	for (size_t i = 0; i < COUNT(lines); i++) {
		if (!strstr(text, lines[i]))
			fail_msg("no \"%s\" in\n%s", lines[i], text);
	}
	assert_string_equal(text + strlen(text) - 6, "# EOF\n");
	free(text);
}

/* The file is replaced as a whole, or stays. */
TEST(test_write)
{
	char dir[] = "test_metrics.XXXXXX", path[64], new[80], text[64];
	struct sgang_metrics m;
	struct sgang_error err;
	struct stat st;
	FILE *in;

	memset(&m, 0, sizeof(m));
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/gang.prom", dir);
	snprintf(new, sizeof(new), "%s.new", path);
	assert_int_equal(sgang_metrics_write(&m, path, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	assert_int_equal(access(new, F_OK), -1);
	/* what a killed slurmctld has left is no obstacle, */
	in = fopen(new, "w");
	assert_non_null(in);
	assert_int_equal(fclose(in), 0);
	assert_int_equal(sgang_metrics_write(&m, path, &err), 0);
	/* a folder is one */
	assert_int_equal(mkdir(new, 0700), 0);
	errno = 0;
	assert_int_equal(sgang_metrics_write(&m, path, &err), -1);
	assert_int_not_equal(errno, 0);
	assert_non_null(strstr(err.text, "gang.prom.new: cannot be written: "));
	in = fopen(path, "r");
	assert_non_null(in);
	assert_non_null(fgets(text, sizeof(text), in));
	assert_string_equal(text, "# TYPE slurm_gang_attempts counter\n");
	assert_int_equal(fclose(in), 0);
	assert_int_equal(rmdir(new), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(sgang_metrics_write(&m, path, &err), -1);
	assert_int_equal(errno, ENOENT);
}

/* ---- a file that hangs ---- */

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	bool hangs;         /* rename() does not come back */
	unsigned int begun; /* calls of it, */
	unsigned int done;  /* those that came back */
} disk = {
	.mutex = PTHREAD_MUTEX_INITIALIZER,
	.cond = PTHREAD_COND_INITIALIZER,
};

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);

int __wrap_rename(const char *from, const char *to)
{
	int rc;

	pthread_mutex_lock(&disk.mutex);
	disk.begun++;
	pthread_cond_broadcast(&disk.cond);
	while (disk.hangs)
		pthread_cond_wait(&disk.cond, &disk.mutex);
	rc = __real_rename(from, to);
	disk.done++;
	pthread_cond_broadcast(&disk.cond);
	pthread_mutex_unlock(&disk.mutex);
	return rc;
}

static void disk_hangs(bool hangs)
{
	pthread_mutex_lock(&disk.mutex);
	disk.hangs = hangs;
	pthread_cond_broadcast(&disk.cond);
	pthread_mutex_unlock(&disk.mutex);
}

static unsigned int writes_begun(void)
{
	unsigned int n;

	pthread_mutex_lock(&disk.mutex);
	n = disk.begun;
	pthread_mutex_unlock(&disk.mutex);
	return n;
}

static void wait_until(const unsigned int *count, unsigned int n)
{
	pthread_mutex_lock(&disk.mutex);
	while (*count < n)
		pthread_cond_wait(&disk.cond, &disk.mutex);
	pthread_mutex_unlock(&disk.mutex);
}

static bool file_has(const char *path, const char *words)
{
	char text[8192];
	FILE *in = fopen(path, "r");
	size_t n;

	assert_non_null(in);
	n = fread(text, 1, sizeof(text) - 1, in);
	text[n] = '\0';
	assert_int_equal(fclose(in), 0);
	return strstr(text, words);
}

/* Mutexes that tell who unlocks what he has not locked. */
static atomic_uint unlocked_wrongly;

int __real_pthread_mutex_init(pthread_mutex_t *mutex,
			      const pthread_mutexattr_t *attr);
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex,
			      const pthread_mutexattr_t *attr);
int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);

int __wrap_pthread_mutex_init(pthread_mutex_t *mutex,
			      const pthread_mutexattr_t *attr)
{
	pthread_mutexattr_t checks;

	pthread_mutexattr_init(&checks);
	pthread_mutexattr_settype(&checks, PTHREAD_MUTEX_ERRORCHECK);
	return __real_pthread_mutex_init(mutex, &checks);
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	int rc = __real_pthread_mutex_unlock(mutex);

	if (rc)
		atomic_fetch_add(&unlocked_wrongly, 1);
	return rc;
}

#define SECONDS UINT64_C(1000000) /* of the clock of who offers */

/* Counts of one start, and the file they are for. */
struct offered {
	struct sgang_metrics m;
	struct sgang_metrics_file *f;
	char dir[32], path[64];
};

static void open_offered(struct offered *o)
{
	memset(&o->m, 0, sizeof(o->m));
	sgang_metrics_add(&o->m, SGANG_COUNT_STARTS);
	o->f = sgang_metrics_file_create();
	assert_non_null(o->f);
	strcpy(o->dir, "test_metrics.XXXXXX");
	assert_non_null(mkdtemp(o->dir));
	snprintf(o->path, sizeof(o->path), "%s/gang.prom", o->dir);
	disk.begun = disk.done = 0;
}

static void close_offered(struct offered *o)
{
	sgang_metrics_file_destroy(o->f);
	assert_int_equal(unlink(o->path), 0);
	assert_int_equal(rmdir(o->dir), 0);
	assert_int_equal(unlocked_wrongly, 0);
}

static void offer(struct offered *o, uint64_t seconds)
{
	sgang_metrics_file_offer(o->f, &o->m, o->path, seconds * SECONDS);
}

/* Offer until another write begins: the thread may not have seen yet that the
 * last one is over. */
static void offer_until_begun(struct offered *o, uint64_t now)
{
	unsigned int before = writes_begun();

	while (writes_begun() == before)
		offer(o, now += 20);
}

/* Whoever offers counts is not kept waiting by a disk that hangs, and they are
 * in the file when it does no more. */
TEST(test_hang)
{
	struct offered o;
	uint64_t now = 0;

	open_offered(&o);
	disk_hangs(true);
	offer(&o, now);
	wait_until(&disk.begun, 1);
	for (int i = 0; i < 9; i++) {
		sgang_metrics_add(&o.m, SGANG_COUNT_STARTS);
		offer(&o, now += 20);
	}
	assert_int_equal(access(o.path, F_OK), -1);
	disk_hangs(false);
	wait_until(&disk.done, 1);
	assert_true(file_has(o.path, "slurm_gang_starts_total 1\n"));
	offer_until_begun(&o, now);
	wait_until(&disk.done, 2);
	assert_true(file_has(o.path, "slurm_gang_starts_total 10\n"));
	close_offered(&o);
	assert_int_equal(disk.begun, 2);
}

/* Not what is in the file already, and not within 15 seconds. */
TEST(test_pause)
{
	struct offered o;

	open_offered(&o);
	offer(&o, 100);
	wait_until(&disk.done, 1);
	offer(&o, 200);
	sgang_metrics_add(&o.m, SGANG_COUNT_STARTS);
	sgang_metrics_file_offer(o.f, &o.m, o.path, 115 * SECONDS - 1);
	close_offered(&o);
	assert_int_equal(disk.begun, 1);
}

/* What cannot be written is said once and tried again, until it can be. */
TEST(test_retry)
{
	struct offered o;
	uint64_t now = 0;
	char new[80];

	open_offered(&o);
	snprintf(new, sizeof(new), "%s.new", o.path);
	assert_int_equal(mkdir(new, 0700), 0);
	fake_log_reset();
	while (!fake_log_count(SGANG_LOG_ERROR, "MetricsFile: "))
		offer(&o, now += 20);
	for (int i = 0; i < 5; i++) {
		offer(&o, now += 20);
		sched_yield();
	}
	assert_int_equal(rmdir(new), 0);
	while (access(o.path, F_OK))
		offer(&o, now += 20);
	assert_true(file_has(o.path, "slurm_gang_starts_total 1\n"));
	close_offered(&o);
	assert_int_equal(fake_log_count(SGANG_LOG_ERROR, "MetricsFile: "), 1);
}

TEST_MAIN(NULL, NULL)
