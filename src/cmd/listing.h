/* SPDX-License-Identifier: GPL-2.0-or-later */
/* listing.h - which gangs are shown, in which order and by which fields
 *
 * The first options of list and watch are these.
 */

#ifndef SGANG_LISTING_H
#define SGANG_LISTING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/gangs.h"

enum {
	SGANG_LISTING_USER,
	SGANG_LISTING_ME,
	SGANG_LISTING_ACCOUNT,
	SGANG_LISTING_PARTITION,
	SGANG_LISTING_PHASE,
	SGANG_LISTING_NODELIST,
	SGANG_LISTING_FORMAT,
	SGANG_LISTING_NOHEADER,
	SGANG_LISTING_SORT,
	SGANG_LISTING_OPTIONS /* their number */
};

#define SGANG_LISTING_ROWS                                                         \
	[SGANG_LISTING_USER] = { "user", "NAMES",                                  \
				 "(-u) gangs with a job of these users",           \
				 'u' },                                            \
	[SGANG_LISTING_ME] = { "me", NULL, "gangs with a job of yours", 0 },       \
	[SGANG_LISTING_ACCOUNT] = { "account", "NAMES",                            \
				    "(-A) gangs with a job of these accounts",     \
				    'A' },                                         \
	[SGANG_LISTING_PARTITION] = { "partition", "NAMES",                        \
				      "(-p) gangs with a job in these partitions", \
				      'p' },                                       \
	[SGANG_LISTING_PHASE] = { "phase", "PHASES",                               \
				  "(-t) gangs in these phases", 't' },             \
	[SGANG_LISTING_NODELIST] = { "nodelist", "NODES",                          \
				     "(-w) gangs that have one of these nodes",    \
				     'w' },                                        \
	[SGANG_LISTING_FORMAT] = { "format", "FORMAT",                             \
				   "(-o) fields, as in \"%j %.8D %r\"", 'o' },     \
	[SGANG_LISTING_NOHEADER] = { "noheader", NULL,                             \
				     "(-h) leave out the line of titles",          \
				     'h' },                                        \
	[SGANG_LISTING_SORT] = { "sort", "FIELDS",                                 \
				 "(-S) by these fields, as in \"-C,j\"", 'S' }

/* Starts with { .user = NULL }. Values that were given are borrowed. */
struct sgang_listing {
	const char *user; /* "alice,bob"; NULL: all */
	const char *account;
	const char *partition;
	bool me; /* the caller's alone */
	bool by_phase;
	bool phase[SGANG_PHASES]; /* wanted, if by_phase */
	char **node;              /* ends with NULL; NULL: any */
	const char *format;
	const char *sort; /* NULL: those that live, oldest first, then those
			   * that have ended */
	bool noheader;
	size_t ended; /* the table has so many that have ended, the latest to
		       * end, unless phases are asked for; 0: all */
};

/* Take the option in row 'option'. Returns 0, or -1 after a line about the
 * mistake in it. */
int sgang_listing_set(struct sgang_listing *listing, int option,
		      const char *value);

/* Complete the listing by SGANG_FORMAT, or else 'format', and SGANG_SORT of the
 * environment. Returns 0, or -1 after a line about a mistake in these. */
int sgang_listing_ready(struct sgang_listing *listing, const char *format);
void sgang_listing_clear(struct sgang_listing *listing);

/* Print the table of the gangs that are wanted, in order, as it is to be on
 * stdout. Lines are cut at 'width' if that is not 0. Returns 0, or -1 with
 * ENOMEM and 'err'. */
int sgang_listing_print(const struct sgang_listing *listing,
			const struct sgang_gangs *gangs, size_t width,
			FILE *out, struct sgang_error *err);

/* {"gangs":[...]} */
struct json_object *sgang_listing_json(const struct sgang_listing *listing,
				       const struct sgang_gangs *gangs,
				       struct sgang_error *err);

#endif
