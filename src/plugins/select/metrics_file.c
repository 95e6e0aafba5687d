/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics_file.c - MetricsFile=, written by a thread that may hang */

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics_file.h"
#include "plugins/log.h"
#include "plugins/thread.h"

/* Time between two writes. */
#define PAUSE_US 15000000

struct sgang_metrics_file {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	pthread_t thread;
	bool running; /* the thread runs */
	bool end;     /* of the thread */
	bool busy;    /* it is writing: then `given` belongs to it */
	struct sgang_metrics given;
	char path[PATH_MAX];
	struct sgang_metrics written; /* content of the file */
	bool tried;
	uint64_t tried_at;
	bool failed; /* ... and that was logged */
};

struct sgang_metrics_file *sgang_metrics_file_create(void)
{
	struct sgang_metrics_file *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	pthread_mutex_init(&f->mutex, NULL);
	pthread_cond_init(&f->cond, NULL);
	return f;
}

void sgang_metrics_file_destroy(struct sgang_metrics_file *f)
{
	if (!f)
		return;
	pthread_mutex_lock(&f->mutex);
	f->end = true;
	pthread_cond_signal(&f->cond);
	pthread_mutex_unlock(&f->mutex);
	if (f->running)
		pthread_join(f->thread, NULL);
	pthread_cond_destroy(&f->cond);
	pthread_mutex_destroy(&f->mutex);
	free(f);
}

/* With the mutex. */
static void note(struct sgang_metrics_file *f, const char *failure)
{
	if (!failure)
		f->written = f->given;
	else if (!f->failed)
		sgang_log(SGANG_LOG_ERROR,
			  "MetricsFile: %s; tried again every 15 seconds",
			  failure);
	f->failed = failure;
	f->busy = false;
}

static void *write_all(void *arg)
{
	struct sgang_metrics_file *f = arg;
	struct sgang_error err;
	int rc;

	pthread_mutex_lock(&f->mutex);
	while (!f->end) {
		if (!f->busy) {
			pthread_cond_wait(&f->cond, &f->mutex);
			continue;
		}
		pthread_mutex_unlock(&f->mutex);
		rc = sgang_metrics_write(&f->given, f->path, &err);
		pthread_mutex_lock(&f->mutex);
		note(f, rc ? err.text : NULL);
	}
	pthread_mutex_unlock(&f->mutex);
	return NULL;
}

/* With the mutex. */
static bool is_due(const struct sgang_metrics_file *f,
		   const struct sgang_metrics *m, uint64_t now)
{
	if (f->busy || (f->tried && now - f->tried_at < PAUSE_US))
		return false;
	return memcmp(m, &f->written, sizeof(*m)) != 0;
}

void sgang_metrics_file_offer(struct sgang_metrics_file *f,
			      const struct sgang_metrics *m, const char *path,
			      uint64_t now)
{
	pthread_mutex_lock(&f->mutex);
	if (is_due(f, m, now)) {
		f->tried = true;
		f->tried_at = now;
		f->given = *m;
		snprintf(f->path, sizeof(f->path), "%s", path);
		f->busy = true;
		if (!f->running)
			f->running = !sgang_thread_start(&f->thread, write_all,
							 f);
		if (f->running)
			pthread_cond_signal(&f->cond);
		else
			note(f, "no thread can be started to write it");
	}
	pthread_mutex_unlock(&f->mutex);
}
