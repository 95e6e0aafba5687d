/* SPDX-License-Identifier: GPL-2.0-or-later */
/* near.h - the most similar of several words
 *
 * A word is near to another when few letters have to be inserted, left out,
 * changed or exchanged with the next one: one of three, two of six, at most
 * three. Case does not count.
 */

#ifndef SGANG_NEAR_H
#define SGANG_NEAR_H

#include <stddef.h>

/* Starts with { .wanted = WORD }. */
struct sgang_near {
	const char *wanted;
	const char *found; /* the nearest so far, borrowed; NULL:
			    * none was near */
	size_t distance;   /* of that one */
};

/* Take 'word' if it is nearer than the words before. */
void sgang_near_offer(struct sgang_near *near, const char *word);

/* For a message: "did you mean "WORD"?", or where none was near 'otherwise'.
 * Returns 'hint'. */
#define SGANG_NEAR_HINT 128
const char *sgang_near_hint(const struct sgang_near *near,
			    char hint[SGANG_NEAR_HINT], const char *otherwise);

#endif
