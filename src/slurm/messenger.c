/* SPDX-License-Identifier: GPL-2.0-or-later */
/* messenger.c - text for what runs of gangs on nodes
 *
 * A message waits up to Slurm's MessageTimeout for each node that is dead, so
 * messages have a few threads of their own. These live as long as slurmctld,
 * hold none of its locks, and see nothing but their message.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "release.h"

#include "messenger.h"
#include "plugins/log.h"
#include "plugins/thread.h"
#include "src/common/slurm_protocol_api.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#pragma weak slurm_conf

#define THREADS 4
#define TRIES 4
/* More waiting messages mean that nodes are lost in large numbers: the newest
 * is dropped. */
#define WAITING_MAX 1024

struct message {
	struct message *next;
	char *nodes; /* of xmalloc(), as slurm_forward_data() wants it */
	char *text;
	unsigned tries;
	time_t due;
};

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	struct message *first;
	size_t n;
	unsigned threads;
} queue = { .mutex = PTHREAD_MUTEX_INITIALIZER,
	    .cond = PTHREAD_COND_INITIALIZER };

static void destroy(struct message *m)
{
	xfree(m->nodes);
	free(m->text);
	free(m);
}

/* Take the first message that is due; NULL: none is, and '*wake' is when one
 * will be (0: there is none). */
static struct message *take(time_t *wake)
{
	time_t now = time(NULL);

	*wake = 0;
	for (struct message **at = &queue.first; *at; at = &(*at)->next) {
		struct message *m = *at;

		if (m->due <= now) {
			*at = m->next;
			queue.n--;
			return m;
		}
		if (!*wake || m->due < *wake)
			*wake = m->due;
	}
	return NULL;
}

static struct message *wait_for_one(void)
{
	struct message *m;
	time_t wake;

	pthread_mutex_lock(&queue.mutex);
	while (!(m = take(&wake))) {
		struct timespec until = { .tv_sec = wake };

		if (wake)
			pthread_cond_timedwait(&queue.cond, &queue.mutex,
					       &until);
		else
			pthread_cond_wait(&queue.cond, &queue.mutex);
	}
	pthread_mutex_unlock(&queue.mutex);
	return m;
}

/* False: the message is dropped. */
static bool put(struct message *m)
{
	struct message **end;
	bool room;

	pthread_mutex_lock(&queue.mutex);
	room = queue.n < WAITING_MAX;
	if (room) {
		for (end = &queue.first; *end; end = &(*end)->next)
			;
		m->next = NULL;
		*end = m;
		queue.n++;
		pthread_cond_signal(&queue.cond);
	}
	pthread_mutex_unlock(&queue.mutex);
	return room;
}

/* Nodes that were not reached stay in the message. */
static bool send_it(struct message *m)
{
	char *address = xstrdup_printf("%s" SGANG_MESSENGER_SOCKET,
				       slurm_conf.slurmd_spooldir);
	int rc = slurm_forward_data(&m->nodes, address,
				    (uint32_t)strlen(m->text) + 1, m->text);

	xfree(address);
	return rc == SLURM_SUCCESS;
}

static void *work(void *arg)
{
	for (;;) {
		struct message *m = wait_for_one();

		if (send_it(m) || ++m->tries == TRIES) {
			if (m->tries == TRIES)
				sgang_log(SGANG_LOG_DEBUG,
					  "nobody on %s hears of an epoch",
					  m->nodes);
			destroy(m);
			continue;
		}
		m->due = time(NULL) + (1 << (m->tries - 1));
		if (!put(m))
			destroy(m);
	}
	return arg;
}

/* Threads start with the first message, because most slurmctlds have none. */
static void start_threads(void)
{
	pthread_t thread;

	pthread_mutex_lock(&queue.mutex);
	while (queue.threads < THREADS &&
	       !sgang_thread_start(&thread, work, NULL)) {
		pthread_detach(thread);
		queue.threads++;
	}
	if (!queue.threads)
		sgang_log(SGANG_LOG_ERROR,
			  "no thread that tells gangs of their epochs");
	pthread_mutex_unlock(&queue.mutex);
}

void sgang_messenger_send(const char *nodes, const char *text)
{
	struct message *m = calloc(1, sizeof(*m));

	if (m)
		m->text = strdup(text);
	if (!m || !m->text) {
		free(m);
		sgang_log(SGANG_LOG_ERROR, "no memory to tell of an epoch");
		return;
	}
	m->nodes = xstrdup(nodes);
	start_threads();
	if (put(m))
		return;
	sgang_log(SGANG_LOG_ERROR,
		  "too many nodes cannot be reached: %s do "
		  "not hear of an epoch",
		  nodes);
	destroy(m);
}
