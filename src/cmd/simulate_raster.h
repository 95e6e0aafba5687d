/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulate_raster.h - who had which nodes at which time, as a picture
 *
 * A column is a part of the time, the same in all configurations. A row is one
 * node, or where there are too many of them some in a row of the fabric's
 * depth-first order. A cell says what most of its nodes did in the middle of
 * its time.
 */

#ifndef SGANG_SIMULATE_RASTER_H
#define SGANG_SIMULATE_RASTER_H

#include "cmd/simulate.h"

/* The most of a picture, which is a matter of bytes and of screens. */
#define SGANG_SIMULATE_ROWS 512
#define SGANG_SIMULATE_COLUMNS 960

/* What a cell holds: one of these, or from GANG on a gang, by its number in
 * the first configuration. */
enum {
	SGANG_SIMULATE_IDLE,
	SGANG_SIMULATE_JOBS, /* of no gang */
	SGANG_SIMULATE_HELD, /* by members whose work has not begun */
	SGANG_SIMULATE_GANG
};

struct sgang_simulate_raster {
	int64_t from, until;
	uint32_t rows;
	uint32_t nodes; /* of a row; the last one may have less */
	uint32_t *cell; /* rows of COLUMNS */
};

/* Its measures, without cells. */
void sgang_simulate_raster_size(const struct sgang_simulation *simulation,
				struct sgang_simulate_raster *raster);

/* Draw a configuration; 'cell' is to be freed. Returns 0, or -1 with ENOMEM and
 * 'err'. */
int sgang_simulate_raster(const struct sgang_simulation *simulation,
			  const struct sgang_simulate_config *config,
			  struct sgang_simulate_raster *raster,
			  struct sgang_error *err);

/* Write the cells as JSON: a list for each row, of a number and how often it is
 * there, and so on. */
void sgang_simulate_raster_json(const struct sgang_simulate_raster *raster,
				FILE *out);

#endif
