/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_thread.c - threads of ours leave the daemon's signals to the daemon */

#include <signal.h>

#include "../unit.h"
#include "plugins/thread.h"

static void *tell_mask(void *arg)
{
	pthread_sigmask(SIG_SETMASK, NULL, arg);
	return NULL;
}

/* A signal that a thread of ours took would be lost for the daemon. Those that
 * nobody can block are in no mask. */
TEST(no_signal_is_taken)
{
	sigset_t mask, all;
	pthread_t thread;

	sigemptyset(&mask);
	sigfillset(&all);
	sigdelset(&all, SIGKILL);
	sigdelset(&all, SIGSTOP);
	assert_int_equal(sgang_thread_start(&thread, tell_mask, &mask), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	for (int number = 1; number <= SIGRTMAX; number++) {
		if (sigismember(&all, number) == 1 &&
		    sigismember(&mask, number) != 1)
			fail_msg("signal %d is not blocked", number);
	}
}

/* Who starts one goes on with what it blocked. */
TEST(the_own_mask_stays)
{
	sigset_t mask;
	pthread_t thread;

	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, &mask, NULL), 0);
	assert_int_equal(sgang_thread_start(&thread, tell_mask, &mask), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
	assert_int_equal(sigismember(&mask, SIGUSR1), 1);
	assert_int_equal(sigismember(&mask, SIGTERM), 0);
	assert_int_equal(sigismember(&mask, SIGUSR2), 0);
}

TEST_MAIN(NULL, NULL)
