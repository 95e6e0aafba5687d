/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns.h - fields of a gang, and tables of them
 *
 * Formats are those of squeue --format: "%j %.8D %r" is three fields with
 * blanks between them. A field is %[[.]WIDTH]LETTER; '.' aligns right. Unlike
 * in squeue, a field without a width is as wide as its longest value, so that
 * columns stay columns. A value that does not fit into a given width is cut and
 * ends in '+'. Orders are those of squeue --sort: "-T,j" is by phase backwards,
 * then by name.
 */

#ifndef SGANG_COLUMNS_H
#define SGANG_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/gangs.h"
#include "core/base/err.h"

/* The columns that are printed by default. */
#define SGANG_COLUMNS_DEFAULT "%j %T %m %M %L %D %C %c %v %r"

/* The look of a table. */
struct sgang_look {
	bool header;  /* begin with the titles */
	bool colour;  /* the phase has one */
	size_t width; /* of the screen, at which lines are
		       * cut, and before that fields without
		       * a width; 0: there is none */
	int64_t now;  /* seconds since the epoch */
};

/* Check a format. Returns 0, or -1 with EINVAL and 'err', which begins with
 * 'what', such as "--format". */
int sgang_columns_check(const char *format, const char *what,
			struct sgang_error *err);

/* The same for an order. */
int sgang_columns_check_order(const char *order, const char *what,
			      struct sgang_error *err);

/* Sort by a checked order; ties stay as they are. Returns 0, or -1 with ENOMEM
 * and 'err'. */
int sgang_columns_sort(const char *order, int64_t now,
		       const struct sgang_gang **gangs, size_t n,
		       struct sgang_error *err);

/* Print a line for each of the gangs by a checked format. Returns 0, or -1 with
 * ENOMEM and 'err'. */
int sgang_columns_print(const char *format, const struct sgang_look *look,
			const struct sgang_gang *const *gangs, size_t n,
			FILE *out, struct sgang_error *err);

#endif
