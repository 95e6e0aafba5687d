/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wait.h - start now, or wait for a better place?
 *
 * A step of the best place takes the time 1, the share s of it communicates.
 * In a place whose communication takes f times as long a run that would take R
 * takes R * (1 + s * (f - 1)). Waiting for a place that is worth f' instead of f
 * therefore saves R * s * (f - f'), and pays if that is more than the wait
 * (behaviours 4.37; textbook exercise 33.5.3, where s is 1).
 */

#ifndef SGANG_WAIT_H
#define SGANG_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place that could be had. */
struct sgang_wait_place {
	int64_t when;  /* from this time on, in seconds */
	uint64_t cost; /* what communication costs there, in
			* any unit that all places share */
};

struct sgang_wait_question {
	uint64_t best;  /* cost of the best place that there is;
			 * above 0 */
	uint32_t run;   /* R in seconds */
	uint32_t share; /* s, in parts of 1000, 1 to 1000 */
	int64_t now;
	int64_t since; /* it could have started first: what was
			* waited already counts */
};

/* Seconds that one place instead of the best adds to the run. */
int64_t sgang_wait_extra(const struct sgang_wait_question *q, uint64_t cost);

/* Choose among the 'n' places (1 or more, the first can be had now): the one
 * with the earliest end. A later one is chosen only if the whole wait since
 * 'since' is shorter than what it saves, so that nobody ever waits longer than
 * the run that is saved; of equal ones the earlier. Returns its index. */
size_t sgang_wait_choose(const struct sgang_wait_question *q,
			 const struct sgang_wait_place *place, size_t n);

#endif
