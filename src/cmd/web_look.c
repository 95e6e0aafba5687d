/* SPDX-License-Identifier: GPL-2.0-or-later */
/* web_look.c - one look at slurmctld, taken by a process of its own */

#define _GNU_SOURCE /* pipe2(), close_range() */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/live.h"
#include "cmd/live_fabric.h"
#include "cmd/metrics.h"
#include "cmd/scene_html.h"
#include "cmd/web_look.h"
#include "core/base/hash.h"
#include "core/base/text.h"

/* libslurm tries for MessageTimeout, 10 seconds by default, and gives up. */
#define LOOK_MS 60000

/* 100,000 nodes are some 50 MB. */
#define BYTES_MAX ((size_t)1 << 30)

/* What the child writes first. An error is followed by its text alone. */
struct head {
	bool failed;
	char nonce[SGANG_WEB_NONCE + 1];
	size_t page, data, metrics; /* bytes, each with its final 0 */
};

uint64_t sgang_web_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- in the child ---- */

/* Letters that nobody can know before: they go where scripts are let run. */
static int make_nonce(char nonce[SGANG_WEB_NONCE + 1], struct sgang_error *err)
{
	unsigned char bytes[SGANG_WEB_NONCE / 2];
	size_t i;

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return sgang_errf(err, errno, "no random bytes: %s",
				  strerror(errno));
	for (i = 0; i < sizeof(bytes); i++)
		snprintf(nonce + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

/* The three texts while they are written. */
struct texts {
	struct head head;
	char *page, *data, *metrics;
};

/* What is shown does not change by the clock alone: the server says when it was
 * looked at. */
static int draw(struct sgang_live *live, struct texts *texts, FILE *page,
		FILE *data, struct sgang_error *err)
{
	struct sgang_scene_layout *layout;
	int rc;

	live->scene->when = 0;
	sgang_scene_close(live->scene);
	layout = sgang_scene_layout_create(live->scene, err);
	if (!layout)
		return -1;
	rc = sgang_scene_html_served(live->scene, layout, texts->head.nonce,
				     page, err) ||
			     sgang_scene_html_data(live->scene, layout, data,
						   err) ?
		     -1 :
		     0;
	sgang_scene_layout_destroy(layout);
	return rc;
}

static int look(struct sgang_live *live, const char *conf_path,
		const struct sgang_conf *conf, struct texts *texts,
		FILE *out[3], struct sgang_error *err)
{
	char path[SGANG_PATH], dir[SGANG_PATH];
	const char *from = conf_path ? conf_path : path;

	if ((!conf_path && sgang_cmd_conf_path(path, err)) ||
	    sgang_path_folder(dir, from, err) || sgang_live_load(live, err) ||
	    sgang_live_draw(live,
			    sgang_live_fabric(&live->nodes, conf, dir, NULL, 0,
					      err),
			    conf, err) ||
	    draw(live, texts, out[0], out[1], err))
		return -1;
	return sgang_metrics_text(&live->gangs, conf_path, out[2], err);
}

/* Close the streams; the sizes are those with a final 0. */
static int close_texts(struct texts *texts, FILE *out[3],
		       struct sgang_error *err)
{
	char **text[3] = { &texts->page, &texts->data, &texts->metrics };
	size_t *size[3] = { &texts->head.page, &texts->head.data,
			    &texts->head.metrics };
	int rc = 0, i;

	for (i = 0; i < 3; i++) {
		if (sgang_text_close(out[i], text[i]))
			*size[i] = strlen(*text[i]) + 1;
		else
			rc = sgang_err_memory(err);
	}
	return rc;
}

static int make_texts(const char *conf_path, struct texts *texts,
		      struct sgang_error *err)
{
	struct sgang_live live = { 0 };
	struct sgang_conf conf;
	size_t size[3];
	FILE *out[3];
	int rc = -1;

	if (sgang_cmd_conf(conf_path, &conf, err) ||
	    make_nonce(texts->head.nonce, err))
		return -1;
	out[0] = open_memstream(&texts->page, &size[0]);
	out[1] = open_memstream(&texts->data, &size[1]);
	out[2] = open_memstream(&texts->metrics, &size[2]);
	if (!out[0] || !out[1] || !out[2])
		sgang_err_memory(err);
	else
		rc = look(&live, conf_path, &conf, texts, out, err);
	if (close_texts(texts, out, rc ? &(struct sgang_error){ 0 } : err))
		rc = -1;
	sgang_live_clear(&live);
	sgang_conf_free(&conf);
	return rc;
}

static void write_all(int fd, const void *data, size_t size)
{
	const char *from = data;
	ssize_t n;

	while (size) {
		n = write(fd, from, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(SGANG_EXIT_BAD);
		from += n;
		size -= (size_t)n;
	}
}

/* Never returns. It ends with its parent, and has none of its connections. */
static void run_child(const char *conf, int fd, pid_t parent)
{
	struct texts texts = { .page = NULL };
	struct sgang_error err;
	sigset_t none;

	sigemptyset(&none);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || dup2(fd, 3) < 0 || close_range(4, ~0U, 0))
		_exit(SGANG_EXIT_BAD);
	texts.head.failed = make_texts(conf, &texts, &err) != 0;
	write_all(3, &texts.head, sizeof(texts.head));
	if (texts.head.failed) {
		write_all(3, err.text, strlen(err.text));
	} else {
		write_all(3, texts.page, texts.head.page);
		write_all(3, texts.data, texts.head.data);
		write_all(3, texts.metrics, texts.head.metrics);
	}
	_exit(texts.head.failed ? SGANG_EXIT_BAD : SGANG_EXIT_YES);
}

/* ---- in the parent ---- */

int sgang_web_child_start(struct sgang_web_child *child, const char *conf,
			  struct sgang_error *err)
{
	pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return sgang_errf(err, errno, "no pipe: %s", strerror(errno));
	fflush(NULL);
	child->pid = fork();
	if (!child->pid)
		run_child(conf, ends[1], parent);
	close(ends[1]);
	if (child->pid < 0) {
		child->pid = 0;
		close(ends[0]);
		return sgang_errf(err, errno, "no process: %s",
				  strerror(errno));
	}
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	child->fd = ends[0];
	child->at = sgang_web_clock();
	child->when = (int64_t)time(NULL);
	return 0;
}

/* Forget the child, which has ended or is ended now. */
static void reap(struct sgang_web_child *child)
{
	kill(child->pid, SIGKILL);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(child->fd);
	free(child->bytes);
	memset(child, 0, sizeof(*child));
}

void sgang_web_child_stop(struct sgang_web_child *child)
{
	if (child->pid)
		reap(child);
}

uint64_t sgang_web_child_left(const struct sgang_web_child *child)
{
	uint64_t taken = sgang_web_clock() - child->at;

	return taken < LOOK_MS ? LOOK_MS - taken : 0;
}

/* Returns 1 with something read, 0 with nothing there, -1 at the end. */
static int read_some(struct sgang_web_child *child)
{
	char *bigger;
	ssize_t n;

	if (child->room - child->used < 65536 && child->room < BYTES_MAX) {
		bigger = realloc(child->bytes, child->room * 2 + 131072);
		if (!bigger)
			return -1;
		child->bytes = bigger;
		child->room = child->room * 2 + 131072;
	}
	n = read(child->fd, child->bytes + child->used,
		 child->room - child->used);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return -1;
	child->used += (size_t)n;
	return 1;
}

static struct sgang_web_look *make_look(const struct sgang_web_child *child,
					const struct head *head)
{
	size_t size = head->page + head->data + head->metrics;
	struct sgang_web_look *look = malloc(sizeof(*look) + size);

	if (!look)
		return NULL;
	memcpy(look->bytes, child->bytes + sizeof(*head), size);
	memcpy(look->nonce, head->nonce, sizeof(look->nonce));
	look->refs = 1;
	memset(&look->gzip, 0, sizeof(look->gzip));
	look->when = child->when;
	look->at = child->at;
	look->page = look->bytes;
	look->page_size = head->page - 1;
	look->data = look->page + head->page;
	look->data_size = head->data - 1;
	look->metrics = look->data + head->data;
	look->metrics_size = head->metrics - 1;
	look->hash = sgang_hash_bytes(SGANG_HASH_SEED, look->data,
				      look->data_size);
	return look;
}

/* All that it wrote has been read. */
static int finish(struct sgang_web_child *child, struct sgang_web_look **look,
		  struct sgang_error *err)
{
	struct head head = { .failed = true };
	size_t rest;

	if (child->used < sizeof(head))
		return sgang_errf(err, EIO,
				  "libslurm has ended the process "
				  "that asked slurmctld; its "
				  "messages are those of sgang "
				  "web");
	memcpy(&head, child->bytes, sizeof(head));
	rest = child->used - sizeof(head);
	if (head.failed)
		return sgang_errf(err, EIO, "%.*s", (int)rest,
				  child->bytes + sizeof(head));
	if (rest != head.page + head.data + head.metrics)
		return sgang_errf(err, EIO,
				  "the process that asked slurmctld "
				  "has not told all");
	*look = make_look(child, &head);
	return *look ? 0 : sgang_err_memory(err);
}

int sgang_web_child_read(struct sgang_web_child *child,
			 struct sgang_web_look **look, struct sgang_error *err)
{
	int got = read_some(child), rc;

	if (got > 0)
		return 1;
	if (!got && sgang_web_child_left(child))
		return 1;
	if (!got)
		rc = sgang_errf(err, ETIMEDOUT,
				"slurmctld has not answered within %d seconds",
				LOOK_MS / 1000);
	else
		rc = finish(child, look, err);
	reap(child);
	return rc;
}

struct sgang_web_look *sgang_web_look_ref(struct sgang_web_look *look)
{
	if (look)
		look->refs++;
	return look;
}

void sgang_web_look_drop(struct sgang_web_look *look)
{
	if (!look || --look->refs)
		return;
	sgang_web_gzip_clear(&look->gzip);
	free(look);
}
