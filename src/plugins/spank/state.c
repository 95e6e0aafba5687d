/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state.c - what slurmstepd keeps for the members of gangs on its node */

#define _GNU_SOURCE /* asprintf(), struct ucred */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/gang/epoch.h"
#include "plugins/log.h"
#include "plugins/spank/state.h"
#include "plugins/spank/user_file.h"
#include "plugins/thread.h"

#define LOCK_SUFFIX ".lock"

/* What was told last of a gang, for members that begin on this node later:
 * their environment may be older. */
#define LAST_PREFIX "last."
/* A member begins at most so long after slurmctld has told of it. */
#define LAST_SECONDS 3600
/* Messages of one gang may come in another order within this time. */
#define ORDER_SECONDS 60

/* A step that is to take over looks that often. */
#define LOOK_MS 500
/* slurmd has all that it sends. */
#define SLURMD_SECONDS 5

struct sgang_state {
	char *folder, *path; /* path: of the job's file */
	char *lock_path;
	uid_t slurm_user;
	int lock;    /* on JOBID.lock, shared */
	int lead;    /* `lock`; -1: another step listens */
	int sock;    /* -1: as above */
	int ends[2]; /* a pipe: closed when the thread is to end */
	pthread_t thread;
	bool runs;
};

/* ---- files ---- */

static char *name_file(const char *folder, uint32_t job_id, const char *suffix)
{
	char *name = NULL;

	return asprintf(&name, "%s/%u%s", folder, job_id, suffix) < 0 ? NULL :
									name;
}

static char *read_all(FILE *in)
{
	char *text = NULL;
	size_t size = 0;
	ssize_t n = getdelim(&text, &size, '\0', in);

	if (n < 0 || (size_t)n > SGANG_EPOCH_MAX) {
		free(text);
		return NULL;
	}
	return text;
}

static char *read_fd(int fd)
{
	FILE *in = fdopen(fd, "r");
	char *text;

	if (!in) {
		close(fd);
		return NULL;
	}
	text = read_all(in);
	fclose(in);
	if (text && !sgang_epoch_number(text)) {
		free(text);
		text = NULL;
	}
	return text;
}

char *sgang_state_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size > SGANG_EPOCH_MAX) {
		close(fd);
		return NULL;
	}
	return read_fd(fd);
}

/* In its place at once, whole, and only its user's. */
static int write_file(const char *path, const char *text, uid_t uid, gid_t gid)
{
	char *other = NULL;
	int rc, saved;

	if (asprintf(&other, "%s.new.%d", path, (int)getpid()) < 0)
		return -1;
	rc = sgang_user_file_create(other, text, S_IRUSR, uid, gid);
	if (!rc && rename(other, path)) {
		rc = -1;
		saved = errno;
		(void)unlink(other);
		errno = saved;
	}
	free(other);
	return rc;
}

/* Unless what is there is as new. */
static int renew(const char *path, const char *text, uid_t uid, gid_t gid)
{
	char *old = sgang_state_read(path);
	bool newer = !old || sgang_epoch_number(text) > sgang_epoch_number(old);

	free(old);
	return newer ? write_file(path, text, uid, gid) : 0;
}

/* ---- what was told last ---- */

static char *name_last(const char *folder, const char *text)
{
	char *ns = sgang_epoch_value(text, SGANG_EPOCH_NAMESPACE);
	char *gang = sgang_epoch_value(text, SGANG_EPOCH_GANG), *name = NULL;
	uint64_t hash = sgang_hash_text(SGANG_HASH_SEED, ns);

	hash = sgang_hash_text(hash, gang);
	if (asprintf(&name, "%s/" LAST_PREFIX "%016llx", folder,
		     (unsigned long long)hash) < 0)
		name = NULL;
	free(ns);
	free(gang);
	return name;
}

static bool is_older(const char *path, time_t seconds)
{
	struct stat st;

	return lstat(path, &st) || time(NULL) - st.st_mtime > seconds;
}

/* A later gang of that name begins with a lower number. */
static void keep_last(const char *folder, const char *text)
{
	char *path = name_last(folder, text);
	int rc = 0;

	if (path && is_older(path, ORDER_SECONDS))
		rc = write_file(path, text, geteuid(), getegid());
	else if (path)
		rc = renew(path, text, geteuid(), getegid());
	if (rc)
		sgang_log(SGANG_LOG_ERROR, "%s: %s", path, strerror(errno));
	free(path);
}

static bool names_job(const char *text, const char *name, uint32_t job_id)
{
	char *ids = sgang_epoch_value(text, name);
	const char *list = ids;
	uint32_t id = 0;

	while (list && id != job_id && sgang_epoch_next_id(&list, &id))
		;
	free(ids);
	return id == job_id;
}

/* What was told of the gang before this job had its files. */
static int take_last(const char *folder, const char *path, const char *text,
		     uint32_t job_id, uid_t uid, gid_t gid)
{
	char *name = name_last(folder, text);
	char *last = name ? sgang_state_read(name) : NULL;
	int rc = 0;

	if (last && (names_job(last, SGANG_EPOCH_IDS, job_id) ||
		     names_job(last, SGANG_EPOCH_SPARES, job_id)))
		rc = renew(path, last, uid, gid);
	free(last);
	free(name);
	return rc;
}

/* Remove what is kept of gangs; all of it, or what is old. */
static void forget_last(const char *folder, bool all)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *path = NULL;

		if (strncmp(entry->d_name, LAST_PREFIX, strlen(LAST_PREFIX)) ||
		    asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
			continue;
		if (all || is_older(path, LAST_SECONDS))
			(void)unlink(path);
		free(path);
	}
	if (dir)
		closedir(dir);
}

/* ---- locks ---- */

/* Whoever had the lock last may have removed it in between. */
static int lock_file(const char *path)
{
	struct stat mine, there;

	for (;;) {
		int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
			      S_IRUSR | S_IWUSR);

		if (fd < 0)
			return -1;
		if (flock(fd, LOCK_SH) || fstat(fd, &mine)) {
			close(fd);
			return -1;
		}
		if (!stat(path, &there) && there.st_ino == mine.st_ino &&
		    there.st_dev == mine.st_dev)
			return fd;
		close(fd);
	}
}

/* The last step of a job removes its files. */
static void remove_if_last(int lock, const char *lock_path, const char *path)
{
	if (flock(lock, LOCK_EX | LOCK_NB))
		return;
	(void)unlink(path);
	(void)unlink(lock_path);
}

/* True if no job has files here. */
static bool is_empty(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	bool any = false;

	while (dir && !any && (entry = readdir(dir))) {
		const char *end = strstr(entry->d_name, LOCK_SUFFIX);

		any = end && end != entry->d_name;
	}
	if (dir)
		closedir(dir);
	return dir && !any;
}

/* ---- the step that listens ---- */

/* Files of steps that were killed. */
static void clear(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *end = strstr(entry->d_name, LOCK_SUFFIX), *lock = NULL,
		     *path = NULL;
		int fd = -1;

		if (!end || end == entry->d_name || end[strlen(LOCK_SUFFIX)])
			continue;
		if (asprintf(&lock, "%s/%s", folder, entry->d_name) < 0)
			lock = NULL;
		if (asprintf(&path, "%s/%.*s", folder,
			     (int)(end - entry->d_name), entry->d_name) < 0)
			path = NULL;
		if (lock && path)
			fd = open(lock, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0) {
			remove_if_last(fd, lock, path);
			close(fd);
		}
		free(lock);
		free(path);
	}
	if (dir)
		closedir(dir);
}

static int listen_at(const struct sgang_state *s)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd;

	if (snprintf(at.sun_path, sizeof(at.sun_path), "%s/sock", s->folder) >=
	    (int)sizeof(at.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	(void)unlink(at.sun_path);
	/* slurmd connects as the user of slurmctld */
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) ||
	    (!geteuid() && chown(at.sun_path, s->slurm_user, (gid_t)-1)) ||
	    chmod(at.sun_path, S_IRUSR | S_IWUSR) || listen(fd, 64)) {
		int saved = errno;

		close(fd);
		errno = saved;
		return -1;
	}
	return fd;
}

static void take_the_lead(struct sgang_state *s)
{
	char *path = NULL;

	if (asprintf(&path, "%s/lock", s->folder) < 0)
		return;
	s->lead = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
		       S_IRUSR | S_IWUSR);
	free(path);
	if (s->lead >= 0 && !flock(s->lead, LOCK_EX | LOCK_NB)) {
		clear(s->folder);
		forget_last(s->folder, false);
		s->sock = listen_at(s);
		if (s->sock >= 0)
			return;
		sgang_log(
			SGANG_LOG_ERROR,
			"members of gangs here hear of no epochs: %s/sock: %s",
			s->folder, strerror(errno));
	}
	if (s->lead >= 0)
		close(s->lead);
	s->lead = -1;
}

static bool read_exactly(int fd, void *data, size_t size)
{
	char *at = data;

	while (size) {
		ssize_t n = read(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

/* As slurmd hands it on: the uid of the sender, the length, the text, both
 * numbers in network order. NULL: it is none of slurmctld's. */
static char *receive(const struct sgang_state *s, int fd)
{
	const struct timeval patience = { .tv_sec = SLURMD_SECONDS };
	struct ucred peer;
	socklen_t size = sizeof(peer);
	uint32_t head[2];
	char *text;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
		       sizeof(patience)) ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) ||
	    (peer.uid && peer.uid != s->slurm_user) ||
	    !read_exactly(fd, head, sizeof(head)))
		return NULL;
	head[0] = ntohl(head[0]);
	head[1] = ntohl(head[1]);
	if ((head[0] && head[0] != s->slurm_user) || !head[1] ||
	    head[1] > SGANG_EPOCH_MAX)
		return NULL;
	text = malloc(head[1] + 1UL);
	if (text && read_exactly(fd, text, head[1])) {
		text[head[1]] = '\0';
		if (sgang_epoch_number(text))
			return text;
	}
	free(text);
	return NULL;
}

/* The file is its user's, so it tells whose the new one is. Its last step may end
 * meanwhile and leave it to us to remove it. */
static void renew_job(const char *lock_path, const char *path, const char *text)
{
	int lock = open(lock_path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (lock < 0)
		return; /* no member on this node */
	if (!flock(lock, LOCK_SH) && !lstat(path, &st) && S_ISREG(st.st_mode) &&
	    renew(path, text, st.st_uid, st.st_gid))
		sgang_log(SGANG_LOG_ERROR, "%s: %s", path, strerror(errno));
	remove_if_last(lock, lock_path, path);
	close(lock);
}

/* To those of the members that a list of the text names. */
static void spread(const struct sgang_state *s, const char *text,
		   const char *name)
{
	char *ids = sgang_epoch_value(text, name);
	const char *list = ids;
	uint32_t id;

	while (ids && sgang_epoch_next_id(&list, &id)) {
		char *path = id ? name_file(s->folder, id, "") : NULL;
		char *lock = id ? name_file(s->folder, id, LOCK_SUFFIX) : NULL;

		if (path && lock)
			renew_job(lock, path, text);
		free(path);
		free(lock);
	}
	free(ids);
}

/* False: nobody has sent anything. */
static bool serve(const struct sgang_state *s)
{
	int fd = accept4(s->sock, NULL, NULL, SOCK_CLOEXEC);
	char *text;

	if (fd < 0)
		return false;
	text = receive(s, fd);
	close(fd);
	if (text) {
		/* before, or a member that begins now would have neither */
		keep_last(s->folder, text);
		spread(s, text, SGANG_EPOCH_IDS);
		spread(s, text, SGANG_EPOCH_SPARES);
	}
	free(text);
	return true;
}

/* slurmd takes what it has sent for received, so nobody sends it again. What it
 * sends after shutdown() is refused, and slurmctld tries that again. */
static void serve_the_last(const struct sgang_state *s)
{
	if (s->sock < 0 || shutdown(s->sock, SHUT_RD))
		return;
	while (serve(s))
		;
}

static void *listen_on(void *arg)
{
	struct sgang_state *s = arg;

	for (;;) {
		struct pollfd fds[] = { { .fd = s->ends[0], .events = POLLIN },
					{ .fd = -1, .events = POLLIN } };

		if (s->sock < 0)
			take_the_lead(s);
		fds[1].fd = s->sock;
		if (poll(fds, 2, s->sock < 0 ? LOOK_MS : -1) < 0)
			continue;
		if (fds[0].revents)
			break;
		if (fds[1].revents)
			(void)serve(s);
	}
	serve_the_last(s);
	return NULL;
}

/* ---- a step ---- */

static int make_folder(const char *folder)
{
	struct stat st;

	if (mkdir(folder, S_IRWXU | S_IXGRP | S_IXOTH) && errno != EEXIST)
		return -1;
	if (lstat(folder, &st))
		return -1;
	if (S_ISDIR(st.st_mode) && st.st_uid == geteuid())
		return 0;
	errno = EPERM;
	return -1;
}

static int start(struct sgang_state *s)
{
	if (pipe2(s->ends, O_CLOEXEC)) {
		s->ends[0] = s->ends[1] = -1;
		return -1;
	}
	errno = sgang_thread_start(&s->thread, listen_on, s);
	s->runs = !errno;
	return s->runs ? 0 : -1;
}

struct sgang_state *sgang_state_open(const char *spool, uint32_t job_id,
				     uid_t uid, gid_t gid, uid_t slurm_user,
				     const char *text, struct sgang_error *err)
{
	struct sgang_state *s = calloc(1, sizeof(*s));

	if (!s) {
		sgang_err_memory(err);
		return NULL;
	}
	*s = (struct sgang_state){ .slurm_user = slurm_user,
				   .lock = -1,
				   .lead = -1,
				   .sock = -1,
				   .ends = { -1, -1 } };
	if (asprintf(&s->folder, "%s/gang", spool) < 0)
		s->folder = NULL;
	if (s->folder) {
		s->path = name_file(s->folder, job_id, "");
		s->lock_path = name_file(s->folder, job_id, LOCK_SUFFIX);
	}
	if (!s->path || !s->lock_path) {
		sgang_err_memory(err);
	} else if (make_folder(s->folder) ||
		   (s->lock = lock_file(s->lock_path)) < 0 ||
		   renew(s->path, text, uid, gid) ||
		   take_last(s->folder, s->path, text, job_id, uid, gid) ||
		   start(s)) {
		sgang_errf(err, errno, "%s: %s", s->path, strerror(errno));
	} else {
		return s;
	}
	sgang_state_close(s);
	return NULL;
}

const char *sgang_state_path(const struct sgang_state *state)
{
	return state->path;
}

static void close_it(int fd)
{
	if (fd >= 0)
		close(fd);
}

void sgang_state_close(struct sgang_state *s)
{
	if (!s)
		return;
	close_it(s->ends[1]);
	if (s->runs)
		pthread_join(s->thread, NULL);
	close_it(s->ends[0]);
	close_it(s->sock);
	close_it(s->lead);
	if (s->lock >= 0) {
		remove_if_last(s->lock, s->lock_path, s->path);
		close(s->lock);
		if (is_empty(s->folder))
			forget_last(s->folder, true);
	}
	free(s->folder);
	free(s->path);
	free(s->lock_path);
	free(s);
}
