/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lists.c - the lists of a record, as values and as text */

#define _GNU_SOURCE /* strsep() */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "lists.h"

/* -- rows between commas -- */

static bool add_row(char *text, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* All of it, behind a comma if it is not the first, or nothing. */
static bool add_row(char *text, size_t size, const char *fmt, ...)
{
	char *end = text + strlen(text);
	size_t comma = end > text, room = size - (size_t)(end - text) - comma;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(end + comma, room, fmt, args);
	va_end(args);
	if (n < 0 || (size_t)n >= room) {
		*end = '\0';
		return false;
	}
	if (comma)
		*end = ',';
	return true;
}

/* Take the first row off '*text'. False: there is none, or it is too long; a
 * comma that nothing follows stays. */
static bool take_row(const char **text, char *row, size_t size)
{
	size_t length = strcspn(*text, ",");

	if (!length || length >= size)
		return false;
	memcpy(row, *text, length);
	row[length] = '\0';
	*text += length;
	if (**text && (*text)[1])
		++*text;
	return true;
}

static bool read_number(const char *word, uint64_t *number)
{
	return !sgang_text_number(word, 0, UINT64_MAX, number);
}

/* "7/8" */
static bool read_share(char *word, uint64_t *free, uint64_t *needed)
{
	char *slash = strchr(word, '/');

	if (!slash)
		return false;
	*slash++ = '\0';
	return read_number(word, free) && read_number(slash, needed);
}

/* -- hops -- */

void sgang_lists_write_hops(const struct sgang_ring *ring,
			    const struct sgang_costs *costs,
			    char text[SGANG_HOPS_SIZE])
{
	uint32_t level;

	text[0] = '\0';
	for (level = 0; level < SGANG_LEVELS; level++)
		if (ring->hops[level] &&
		    !add_row(text, SGANG_HOPS_SIZE, "%s:%" PRIu64,
			     costs->name[level], ring->hops[level]))
			return;
}

/* "leaf:2" */
static bool read_hops(char *row, const struct sgang_costs *costs,
		      uint64_t hops[SGANG_LEVELS])
{
	char *colon = strrchr(row, ':');
	int level;

	if (!colon)
		return false;
	*colon = '\0';
	level = sgang_costs_level(costs, row);
	return level >= 0 && read_number(colon + 1, &hops[level]);
}

int sgang_lists_read_hops(const char *text, const struct sgang_costs *costs,
			  struct sgang_ring *ring)
{
	uint64_t hops[SGANG_LEVELS] = { 0 };
	char row[SGANG_HOPS_SIZE];

	memset(ring->hops, 0, sizeof(ring->hops));
	while (*text)
		if (!take_row(&text, row, sizeof(row)) ||
		    !read_hops(row, costs, hops))
			return -1;
	memcpy(ring->hops, hops, sizeof(hops));
	return 0;
}

/* -- others -- */

bool sgang_lists_add_other(char text[SGANG_OTHERS_SIZE],
			   const struct sgang_list_other *row)
{
	if (row->fits)
		return add_row(text, SGANG_OTHERS_SIZE, "%s:%" PRIu64 "%s",
			       row->place, row->cost, row->heavier ? "w" : "");
	return add_row(text, SGANG_OTHERS_SIZE, "%s:%" PRIu64 "/%" PRIu64,
		       row->place, row->free, row->needed);
}

bool sgang_lists_next_other(const char **text, struct sgang_list_other *row)
{
	char *number;
	size_t length;

	memset(row, 0, sizeof(*row));
	if (!take_row(text, row->place, sizeof(row->place)))
		return false;
	number = strrchr(row->place, ':');
	if (!number)
		return false;
	*number++ = '\0';
	row->fits = !strchr(number, '/');
	if (!row->fits)
		return read_share(number, &row->free, &row->needed);
	length = strlen(number);
	row->heavier = length && number[length - 1] == 'w';
	if (row->heavier)
		number[length - 1] = '\0';
	return read_number(number, &row->cost);
}

/* -- lacks -- */

bool sgang_lists_add_lack(char text[SGANG_LACKS_SIZE],
			  const struct sgang_list_lack *row)
{
	char causes[SGANG_LACKS_SIZE] = "";
	size_t used = 0, i;

	for (i = 0; i < row->n_causes && used < sizeof(causes); i++)
		used += (size_t)snprintf(causes + used, sizeof(causes) - used,
					 ":%s=%" PRIu64, row->cause[i].word,
					 row->cause[i].nodes);
	return used < sizeof(causes) &&
	       add_row(text, SGANG_LACKS_SIZE, "%s:%" PRIu64 "/%" PRIu64 "%s",
		       row->place, row->free, row->needed, causes);
}

/* "busy=2" */
static bool read_cause(char *text, struct sgang_list_lack *row)
{
	size_t length = strcspn(text, "="), n = row->n_causes;

	if (!length || !text[length] || n == SGANG_LIST_CAUSES ||
	    length >= sizeof(row->cause[n].word) ||
	    !read_number(text + length + 1, &row->cause[n].nodes))
		return false;
	memcpy(row->cause[n].word, text, length);
	row->n_causes++;
	return true;
}

bool sgang_lists_next_lack(const char **text, struct sgang_list_lack *row)
{
	char *rest = row->place, *share, *cause;

	memset(row, 0, sizeof(*row));
	if (!take_row(text, row->place, sizeof(row->place)))
		return false;
	strsep(&rest, ":");
	share = strsep(&rest, ":");
	if (!share || !read_share(share, &row->free, &row->needed))
		return false;
	while ((cause = strsep(&rest, ":")))
		if (!read_cause(cause, row))
			return false;
	return true;
}

/* -- helps -- */

static const struct {
	const char *word;
	bool counted;
} helps[SGANG_HELPS] = {
	[SGANG_HELP_JOBS] = { "jobs", true },
	[SGANG_HELP_NODES] = { "nodes", true },
	[SGANG_HELP_RESERVED] = { "reserved", true },
	[SGANG_HELP_BLOCKED] = { "blocked", true },
	[SGANG_HELP_NEVER] = { "never", false },
	[SGANG_HELP_BEFORE] = { "before", false },
	[SGANG_HELP_PREFER] = { "prefer", false },
	[SGANG_HELP_PLACE] = { "place", false },
};

void sgang_lists_write_help(enum sgang_help what, uint64_t count,
			    const char *list, char text[SGANG_HELPS_SIZE])
{
	const char *word = helps[what].word;

	text[0] = '\0';
	if (!helps[what].counted)
		strcpy(text, word);
	else if (!list || !*list ||
		 !add_row(text, SGANG_HELPS_SIZE, "%s:%" PRIu64 ":%s", word,
			  count, list))
		(void)add_row(text, SGANG_HELPS_SIZE, "%s:%" PRIu64, word,
			      count);
}

/* ":2:n[3-4]" or ":2" */
static bool read_counted(const char *text, struct sgang_list_help *help)
{
	char number[24];
	size_t length;

	if (!*text)
		return false;
	length = strcspn(++text, ":");
	if (length >= sizeof(number))
		return false;
	memcpy(number, text, length);
	number[length] = '\0';
	text += length + (text[length] == ':');
	if (strlen(text) >= sizeof(help->list))
		return false;
	strcpy(help->list, text);
	return read_number(number, &help->count);
}

bool sgang_lists_read_help(const char *text, struct sgang_list_help *help)
{
	size_t length = strcspn(text, ":");
	int i;

	memset(help, 0, sizeof(*help));
	for (i = 0; i < SGANG_HELPS; i++) {
		if (strlen(helps[i].word) != length ||
		    memcmp(helps[i].word, text, length))
			continue;
		help->what = (enum sgang_help)i;
		return helps[i].counted ? read_counted(text + length, help) :
					  !text[length];
	}
	return false;
}

/* -- preempts -- */

static const struct {
	const char *word;
	bool numbered;
} spared[SGANG_SPARED] = {
	[SGANG_SPARED_OPTION] = { "option", false },
	[SGANG_SPARED_SITE] = { "site", false },
	[SGANG_SPARED_NONE] = { "none", false },
	[SGANG_SPARED_FEW] = { "few", true },
	[SGANG_SPARED_AFTER] = { "after", true },
	[SGANG_SPARED_LIMIT] = { "limit", false },
	[SGANG_SPARED_LEVELS] = { "levels", false },
};

void sgang_lists_write_spared(enum sgang_spared why, uint64_t number,
			      char text[SGANG_PREEMPTS_SIZE])
{
	text[0] = '\0';
	if (spared[why].numbered)
		(void)add_row(text, SGANG_PREEMPTS_SIZE, "%s:%" PRIu64,
			      spared[why].word, number);
	else
		(void)add_row(text, SGANG_PREEMPTS_SIZE, "%s",
			      spared[why].word);
}

bool sgang_lists_read_spared(const char *text, enum sgang_spared *why,
			     uint64_t *number)
{
	size_t length = strcspn(text, ":");
	int i;

	*number = 0;
	for (i = 0; i < SGANG_SPARED; i++) {
		if (strlen(spared[i].word) != length ||
		    memcmp(spared[i].word, text, length))
			continue;
		*why = (enum sgang_spared)i;
		return spared[i].numbered ?
			       text[length] &&
				       read_number(text + length + 1, number) :
			       !text[length];
	}
	return false;
}

bool sgang_lists_next_victim(const char **text, uint32_t *job_id,
			     char user[SGANG_VICTIMS_SIZE])
{
	char row[SGANG_VICTIMS_SIZE], *colon;
	uint64_t number;

	if (!take_row(text, row, sizeof(row)))
		return false;
	colon = strchr(row, ':');
	if (!colon)
		return false;
	*colon = '\0';
	if (!read_number(row, &number) || number > UINT32_MAX)
		return false;
	*job_id = (uint32_t)number;
	strcpy(user, colon + 1);
	return true;
}

/* -- choice -- */

void sgang_lists_write_choice(const struct sgang_list_choice *choice,
			      char text[SGANG_CHOICE_SIZE])
{
	text[0] = '\0';
	(void)add_row(text, SGANG_CHOICE_SIZE, "%" PRIu64 ":%" PRIu64,
		      choice->cost, choice->seconds);
	if (choice->later)
		(void)add_row(text, SGANG_CHOICE_SIZE,
			      "%" PRIu64 ":%" PRIu64 ":%" PRIu64, choice->when,
			      choice->later_cost, choice->later_seconds);
}

/* Take a row of just these numbers off '*text', "56:480". */
static bool take_numbers(const char **text, uint64_t *const number[], size_t n)
{
	char row[SGANG_CHOICE_SIZE], *rest = row, *word;
	size_t i;

	if (!take_row(text, row, sizeof(row)))
		return false;
	for (i = 0; i < n; i++) {
		word = strsep(&rest, ":");
		if (!word || !read_number(word, number[i]))
			return false;
	}
	return !rest;
}

bool sgang_lists_read_choice(const char *text, struct sgang_list_choice *choice)
{
	uint64_t *const here[] = { &choice->cost, &choice->seconds };
	uint64_t *const later[] = { &choice->when, &choice->later_cost,
				    &choice->later_seconds };

	memset(choice, 0, sizeof(*choice));
	if (!take_numbers(&text, here, 2))
		return false;
	choice->later = *text;
	return !*text || (take_numbers(&text, later, 3) && !*text);
}

/* -- layout -- */

void sgang_lists_write_layout(const uint32_t *rank, uint64_t n,
			      char text[SGANG_LAYOUT_SIZE])
{
	uint64_t i = 0;
	bool room = true;

	text[0] = '\0';
	while (i < n && room) {
		uint32_t from = rank[i], upto = from;

		while (++i < n && rank[i] == upto + 1)
			upto++;
		room = upto > from ?
			       add_row(text, SGANG_LAYOUT_SIZE,
				       "%" PRIu32 "-%" PRIu32, from, upto) :
			       add_row(text, SGANG_LAYOUT_SIZE, "%" PRIu32,
				       from);
	}
	if (!room)
		strcpy(text, "?");
}

/* "3" or "0-3" */
static bool read_range(char *row, uint64_t *from, uint64_t *upto)
{
	char *dash = strchr(row, '-');

	if (dash)
		*dash++ = '\0';
	return !sgang_text_number(row, 0, UINT32_MAX, from) &&
	       !sgang_text_number(dash ? dash : row, *from, UINT32_MAX, upto);
}

int sgang_lists_read_layout(const char *text, uint32_t *rank, uint64_t n)
{
	uint64_t done = 0, from, upto;
	char row[32];

	while (*text) {
		if (!take_row(&text, row, sizeof(row)) ||
		    !read_range(row, &from, &upto) || upto - from >= n - done)
			return -1;
		for (; from <= upto; from++)
			rank[done++] = (uint32_t)from;
	}
	return done == n ? 0 : -1;
}
