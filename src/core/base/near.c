/* SPDX-License-Identifier: GPL-2.0-or-later */
/* near.c - the most similar of several words */

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "near.h"

/* Longer words are not compared. */
#define LENGTH_MAX 64

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Optimal string alignment; row i of the table is the first i letters of 'a',
 * column k the first k of 'b', and three rows are all it takes. */
static size_t distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
	size_t rows[3][LENGTH_MAX + 1];
	size_t i, k;

	for (k = 0; k <= n_b; k++)
		rows[0][k] = k;
	for (i = 1; i <= n_a; i++) {
		size_t *row = rows[i % 3], *above = rows[(i - 1) % 3];

		row[0] = i;
		for (k = 1; k <= n_b; k++) {
			row[k] = least(above[k - 1] + !same(a[i - 1], b[k - 1]),
				       least(above[k], row[k - 1]) + 1);
			if (i > 1 && k > 1 && same(a[i - 1], b[k - 2]) &&
			    same(a[i - 2], b[k - 1]))
				row[k] = least(row[k],
					       rows[(i - 2) % 3][k - 2] + 1);
		}
	}
	return rows[n_a % 3][n_b];
}

void sgang_near_offer(struct sgang_near *near, const char *word)
{
	size_t n_wanted = strlen(near->wanted), n_word = strlen(word);
	size_t found, most = n_wanted / 3;

	if (!n_wanted || !n_word || n_wanted > LENGTH_MAX ||
	    n_word > LENGTH_MAX)
		return;
	if (most < 1)
		most = 1;
	if (most > 3)
		most = 3;
	found = distance(near->wanted, n_wanted, word, n_word);
	if (found > most || found >= n_wanted ||
	    (near->found && found >= near->distance))
		return;
	near->found = word;
	near->distance = found;
}

const char *sgang_near_hint(const struct sgang_near *near,
			    char hint[SGANG_NEAR_HINT], const char *otherwise)
{
	if (near->found)
		snprintf(hint, SGANG_NEAR_HINT, "did you mean \"%s\"?",
			 near->found);
	else
		snprintf(hint, SGANG_NEAR_HINT, "%s", otherwise);
	return hint;
}
