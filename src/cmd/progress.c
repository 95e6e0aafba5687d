/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress.c - how far a gang is, as a bar of characters */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/progress.h"

/* The part of the bar for 'part' of 'all': something if it is not 0, the whole
 * bar only for all. */
static size_t share(uint64_t part, uint64_t all, size_t width)
{
	size_t n = (size_t)(part * width / all);

	return part && !n ? 1 : n;
}

const char *sgang_progress_bar(const struct sgang_gang *gang, size_t width,
			       char text[SGANG_PROGRESS_MAX + 1])
{
	uint64_t placed = (uint64_t)gang->held + gang->running +
			  gang->placeholders;
	uint64_t here = placed + gang->pending;
	uint64_t all = gang->record->min_member;
	size_t n_placed, n_here;

	text[0] = '\0';
	if (!here || !all)
		return text;
	if (all < here)
		all = here;
	n_placed = share(placed, all, width);
	n_here = share(here, all, width);
	memset(text, '.', width);
	memset(text, '+', n_here);
	memset(text, '#', n_placed);
	text[width] = '\0';
	return text;
}

const char *sgang_progress_words(const struct sgang_gang *gang,
				 char text[SGANG_PROGRESS_WORDS])
{
	uint32_t members = sgang_gangs_members(gang);
	uint32_t min = gang->record->min_member;

	if (!gang->pending && !gang->held && !gang->running &&
	    !gang->placeholders && gang->ended)
		snprintf(text, SGANG_PROGRESS_WORDS,
			 "%" PRIu32 " member%s "
			 "ended",
			 gang->ended, gang->ended == 1 ? "" : "s");
	else if (!min)
		snprintf(text, SGANG_PROGRESS_WORDS,
			 "%" PRIu32 " members, "
			 "nobody has said how many it needs",
			 members);
	else
		snprintf(text, SGANG_PROGRESS_WORDS,
			 "%" PRIu32 "/%" PRIu32 " members, %" PRIu32
			 " with nodes",
			 members, min,
			 gang->held + gang->running + gang->placeholders);
	return text;
}
