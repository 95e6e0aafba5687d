/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz.h - seeded random numbers, and words for the tests of the parsers */

#ifndef TESTS_UNIT_FUZZ_H
#define TESTS_UNIT_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The next number of a fixed sequence (splitmix64). */
static inline uint64_t fuzz_next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static inline uint64_t fuzz_below(uint64_t *state, uint64_t limit)
{
	return fuzz_next(state) % limit;
}

/* The next number below 'limit' of another fixed sequence (Knuth's MMIX), by
 * which the worlds of the planner's tests are made. */
static inline uint32_t fuzz_small(uint64_t *state, uint32_t limit)
{
	*state = *state * UINT64_C(6364136223846793005) +
		 UINT64_C(1442695040888963407);
	return (uint32_t)((*state >> 33) % limit);
}

/* Fill 'text' with less than 'size' bytes. Half of them come from 'spice', the
 * bytes that mean something to the parser, the others are any byte but NUL. */
static inline void fuzz_text(uint64_t *state, const char *spice, char *text,
			     size_t size)
{
	size_t length = fuzz_below(state, size), i;

	for (i = 0; i < length; i++) {
		if (fuzz_below(state, 2))
			text[i] = spice[fuzz_below(state, strlen(spice))];
		else
			text[i] = (char)(1 + fuzz_below(state, 255));
	}
	text[length] = '\0';
}

/* Change a few bytes of 'text', or cut it. */
static inline void fuzz_spoil(uint64_t *state, char *text)
{
	size_t length = strlen(text), n = 1 + fuzz_below(state, 3);

	while (n-- && length) {
		size_t at = fuzz_below(state, length);

		text[at] = (char)fuzz_below(state, 256);
		length = strlen(text);
	}
}

#endif
