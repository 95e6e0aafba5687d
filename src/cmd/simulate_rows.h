/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulate_rows.h - the numbers of a replay, each with its name and its look
 *
 * Table, JSON and page have the same rows, in this order.
 */

#ifndef SGANG_SIMULATE_ROWS_H
#define SGANG_SIMULATE_ROWS_H

#include <stddef.h>

enum sgang_simulate_kind {
	SGANG_SIMULATE_COUNT,
	SGANG_SIMULATE_SECONDS,
	SGANG_SIMULATE_RATIO,  /* two digits behind the point */
	SGANG_SIMULATE_AMOUNT, /* one */
	SGANG_SIMULATE_SHARE   /* 0 to 1, shown as per cent */
};

struct sgang_simulate_row {
	const char *key; /* in JSON; NULL: the end */
	const char *label;
	enum sgang_simulate_kind kind;
	size_t offset; /* of the double */
};

/* Of a struct sgang_measure_class, of gangs and of jobs of no gang; and the
 * further ones of gangs. */
extern const struct sgang_simulate_row sgang_simulate_class_rows[];
extern const struct sgang_simulate_row sgang_simulate_ring_rows[];
/* Of a struct sgang_measure. */
extern const struct sgang_simulate_row sgang_simulate_cluster_rows[];

/* The number of that row in 'of', the struct. */
double sgang_simulate_value(const struct sgang_simulate_row *row,
			    const void *of);

/* Write the number, "-" if it is not known, into 'text', which is returned. */
#define SGANG_SIMULATE_SHOWN 32
const char *sgang_simulate_show(enum sgang_simulate_kind kind, double value,
				char text[SGANG_SIMULATE_SHOWN]);

/* The same of the way from one number to another: counts by their difference,
 * shares in points, others in per cent of the first. */
const char *sgang_simulate_show_change(enum sgang_simulate_kind kind,
				       double from, double to,
				       char text[SGANG_SIMULATE_SHOWN]);

#endif
