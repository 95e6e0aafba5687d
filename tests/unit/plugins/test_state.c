/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_state.c - what slurmstepd keeps for members of gangs (6.3)
 *
 * Locks of one process exclude each other as those of several do, so steps are
 * just opened here. What slurmd sends is sent as slurmd does.
 */

#define _GNU_SOURCE /* asprintf() */
#include <arpa/inet.h>
#include <dirent.h>
#include <ftw.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "../unit.h"
#include "core/gang/epoch.h"
#include "plugins/log.h"
#include "plugins/spank/state.h"

static char spool[] = "/tmp/sgang-state.XXXXXX";

void sgang_log(enum sgang_log_level level, const char *fmt, ...)
{
}

static char *epoch_text(unsigned number)
{
	char *text = NULL;

	assert_true(asprintf(&text,
			     "SLURM_GANG_EPOCH='%u'\n"
			     "SLURM_GANG_JOB_IDS='11,0,12'\n# end\n",
			     number) > 0);
	return text;
}

static struct sgang_state *step(uint32_t job_id, unsigned epoch)
{
	char *text = epoch_text(epoch);
	struct sgang_error err = { "" };
	struct sgang_state *s = sgang_state_open(
		spool, job_id, geteuid(), getegid(), geteuid(), text, &err);

	free(text);
	if (!s)
		fail_msg("%s", err.text);
	return s;
}

static char *path_of(const char *name)
{
	char *path = NULL;

	assert_true(asprintf(&path, "%s/gang/%s", spool, name) > 0);
	return path;
}

static bool exists(const char *name)
{
	char *path = path_of(name);
	bool there = !access(path, F_OK);

	free(path);
	return there;
}

static uint64_t epoch_of(const char *name)
{
	char *path = path_of(name);
	char *text = sgang_state_read(path);
	uint64_t number = text ? sgang_epoch_number(text) : 0;

	free(text);
	free(path);
	return number;
}

/* -1: nobody listens. */
static int reach(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%s/gang/sock", spool);
	if (!connect(fd, (struct sockaddr *)&at, sizeof(at)))
		return fd;
	close(fd);
	return -1;
}

static bool put(int fd, const void *data, size_t size)
{
	return send(fd, data, size, MSG_NOSIGNAL) == (ssize_t)size;
}

/* False: nobody listens yet. */
static bool send_all(const void *data, size_t size)
{
	int fd = reach();
	bool sent;
	char end;

	if (fd < 0)
		return false;
	sent = put(fd, data, size);
	if (sent) {
		shutdown(fd, SHUT_WR);
		(void)!read(fd, &end, 1); /* until it has been looked at */
	}
	close(fd);
	return sent;
}

/* A message whose head says so; its size. */
static size_t message(uint32_t uid, const char *text, uint32_t length,
		      char **data)
{
	size_t n = strlen(text) + 1;
	uint32_t head[2] = { htonl(uid), htonl(length) };

	*data = malloc(n + 8);
	memcpy(*data, head, 8);
	memcpy(*data + 8, text, n);
	return n + 8;
}

static bool send_as(uint32_t uid, const char *text, uint32_t length)
{
	char *data;
	size_t size = message(uid, text, length, &data);
	bool sent = send_all(data, size);

	free(data);
	return sent;
}

static void rest(void)
{
	const struct timespec nap = { .tv_nsec = 20000000 };

	nanosleep(&nap, NULL);
}

static void tell_as(uint32_t uid, const char *text, uint32_t length)
{
	for (int i = 0; !send_as(uid, text, length); i++) {
		assert_true(i < 500);
		rest();
	}
}

static void tell(unsigned epoch)
{
	char *text = epoch_text(epoch);

	tell_as(geteuid(), text, (uint32_t)strlen(text) + 1);
	free(text);
}

static void becomes(const char *name, uint64_t epoch)
{
	for (int i = 0; epoch_of(name) != epoch; i++) {
		assert_true(i < 500);
		rest();
	}
}

/* The first makes the files, all of a gang are told, the last removes them. */
TEST(lives)
{
	struct sgang_state *one = step(11, 1), *two = step(12, 1),
			   *more = step(11, 1), *other = step(13, 1);
	struct stat st;
	char *path = path_of("11");

	assert_string_equal(sgang_state_path(one), path);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0400);
	free(path);
	tell(2);
	becomes("11", 2);
	becomes("12", 2);
	assert_int_equal(epoch_of("13"), 1); /* of another gang */
	/* who listened has gone: another one does */
	sgang_state_close(one);
	assert_true(exists("11"));
	tell(4);
	becomes("11", 4);
	becomes("12", 4);
	sgang_state_close(more);
	assert_false(exists("11"));
	assert_false(exists("11.lock"));
	tell(5);
	becomes("12", 5);
	assert_false(exists("11")); /* no member here any more */
	sgang_state_close(two);
	sgang_state_close(other);
	assert_false(exists("12"));
	assert_false(exists("13"));
	sgang_state_close(NULL);
}

static bool any_last(void)
{
	char *path = path_of("");
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool any = false;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		any |= !strncmp(entry->d_name, "last.", 5);
	closedir(dir);
	free(path);
	return any;
}

/* Two start in one pass: the epoch with both is told before the first has its
 * files, while another member listens. What another gang was told is not
 * theirs, nor what is older than their environment. */
TEST(before_its_files)
{
	struct sgang_state *other = step(13, 1), *one, *two, *late;

	tell(3);
	tell(2); /* overtaken */
	one = step(11, 1);
	assert_int_equal(epoch_of("11"), 3);
	two = step(12, 4);
	assert_int_equal(epoch_of("12"), 4);
	late = step(14, 1);
	assert_int_equal(epoch_of("14"), 1);
	assert_int_equal(epoch_of("13"), 1);
	sgang_state_close(late);
	sgang_state_close(other);
	tell(5);
	becomes("11", 5);
	becomes("12", 5);
	sgang_state_close(one);
	assert_true(any_last());
	sgang_state_close(two);
	assert_false(any_last());
}

/* A number never goes back, whoever says so. */
TEST(never_back)
{
	struct sgang_state *one = step(11, 3), *two;

	tell(7);
	becomes("11", 7);
	tell(6);
	two = step(11, 3); /* from an environment that is old */
	assert_int_equal(epoch_of("11"), 7);
	tell(8);
	becomes("11", 8);
	sgang_state_close(two);
	sgang_state_close(one);
}

/* What is not slurmctld's, or not whole, is nothing; the next is heard. */
TEST(nonsense)
{
	struct sgang_state *one = step(11, 1);
	char *text = epoch_text(2);
	uint32_t n = (uint32_t)strlen(text) + 1;

	tell_as(geteuid() + 4711, text,
		n);                        /* another user had slurmd send it */
	tell_as(geteuid(), text, n - 3);   /* cut */
	tell_as(geteuid(), text, n + 100); /* less than was promised */
	tell_as(geteuid(), text, UINT32_MAX);
	tell_as(geteuid(), "", 1);
	tell_as(geteuid(), "SLURM_GANG_EPOCH='9'\n# end\n", 27);
	(void)send_all("abc", 3);
	(void)send_all("", 0);
	assert_int_equal(epoch_of("11"), 1);
	tell(3);
	becomes("11", 3);
	free(text);
	sgang_state_close(one);
}

/* Steps that were killed leave files without locks; the next step that listens
 * removes them. What is not a file of ours stays. */
TEST(killed)
{
	static const char *const left[] = { "99", "99.lock", "keep" };
	struct sgang_state *one = step(11, 1);

	sgang_state_close(one);
	for (size_t i = 0; i < 3; i++) {
		char *path = path_of(left[i]);
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		fclose(f);
		free(path);
	}
	one = step(11, 1);
	tell(2);
	becomes("11", 2);
	assert_false(exists("99"));
	assert_false(exists("99.lock"));
	assert_true(exists("keep"));
	sgang_state_close(one);
}

static int open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void *close_step(void *step)
{
	sgang_state_close(step);
	return NULL;
}

/* What slurmd has sent to a step that ends is not lost: nobody sends it again. */
TEST(ends_while_told)
{
	char *text = epoch_text(3), *data;
	size_t size = message(geteuid(), text, (uint32_t)strlen(text) + 1,
			      &data);
	struct sgang_state *first = step(11, 1), *second;
	int busy, told, before;
	pthread_t ending;

	tell(2);
	becomes("11", 2);
	second = step(12, 1);
	busy = reach(); /* the step waits for what this one says */
	told = reach();
	assert_true(busy >= 0 && told >= 0);
	assert_true(put(told, data, size));
	before = open_files();
	assert_int_equal(pthread_create(&ending, NULL, close_step, first), 0);
	for (int i = 0; open_files() == before; i++) {
		assert_true(i < 500);
		rest();
	}
	close(busy);
	pthread_join(ending, NULL);
	becomes("12", 3);
	close(told);
	sgang_state_close(second);
	free(data);
	free(text);
}

/* Nothing that somebody else has put there is followed or trusted. */
TEST(links)
{
	struct sgang_error err = { "" };
	char *path = path_of("21"), *lock = path_of("21.lock");
	char *text = epoch_text(1);

	assert_int_equal(symlink("/etc/passwd", lock), 0);
	assert_null(sgang_state_open(spool, 21, geteuid(), getegid(), geteuid(),
				     text, &err));
	assert_non_null(strstr(err.text, "/gang/21"));
	assert_int_equal(unlink(lock), 0);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_null(sgang_state_read(path));
	assert_null(sgang_state_open("/nowhere", 21, geteuid(), getegid(),
				     geteuid(), text, &err));
	unlink(path);
	free(path);
	free(lock);
	free(text);
}

static int remove_one(const char *path, const struct stat *st, int flag,
		      struct FTW *at)
{
	return remove(path);
}

static int begin(void **state)
{
	return mkdtemp(spool) ? 0 : -1;
}

static int end(void **state)
{
	return nftw(spool, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

TEST_MAIN(begin, end)
