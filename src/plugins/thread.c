/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thread.c - threads of ours in a daemon of Slurm */

#include <signal.h>
#include <stddef.h>

#include "plugins/thread.h"

int sgang_thread_start(pthread_t *thread, void *(*body)(void *), void *arg)
{
	sigset_t all, before;
	int rc;

	/* A thread begins with what its creator blocks. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(thread, NULL, body, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc;
}
