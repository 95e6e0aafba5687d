/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thread.h - threads of ours in a daemon of Slurm
 *
 * They take no signals, which are the business of the daemon itself.
 */

#ifndef SGANG_THREAD_H
#define SGANG_THREAD_H

#include <pthread.h>

/* Run 'body(arg)' in a thread. The caller joins or detaches '*thread'. Returns
 * 0, or an errno. */
int sgang_thread_start(pthread_t *thread, void *(*body)(void *), void *arg);

#endif
