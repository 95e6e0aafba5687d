/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulate_svg.c - who had which nodes at which time, as a picture in a file */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/markup.h"
#include "cmd/scene_svg.h"
#include "cmd/simulate.h"
#include "cmd/simulate_raster.h"

#define COLUMNS SGANG_SIMULATE_COLUMNS

/* In user units, of which a column is one wide. */
#define LEFT 90
#define RIGHT 10
#define TITLE 26 /* above a picture */
#define AXIS 30  /* below it */
#define KEY 30
#define WIDTH (LEFT + COLUMNS + RIGHT)

/* All rows together are not much higher than this. */
#define HEIGHT 384

/* Room for the name of a leaf, and of a leaf for its name. */
#define NAME_MAX_SHOWN 12
#define NAME_HEIGHT 12

/* Columns between two times at least. */
#define BETWEEN 80

/* Cells of one value beside each other. */
struct run {
	uint32_t value, row, column, length;
};

struct picture {
	const struct sgang_simulation *simulation;
	const struct sgang_simulate_config *config;
	struct sgang_simulate_raster raster;
	struct run *run;
	size_t n_runs;
	uint32_t height; /* of a row */
	uint32_t top;
	FILE *out;
};

static uint32_t height_of_rows(uint32_t rows)
{
	uint32_t height = rows ? HEIGHT / rows : 1;

	return height < 1 ? 1 : height > 12 ? 12 : height;
}

/* ---- cells ---- */

/* By value, then as they are. */
static int by_value(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->column > y->column) - (x->column < y->column);
}

/* Runs of what is idle are not drawn. */
static int find_runs(struct picture *picture, struct sgang_error *err)
{
	const struct sgang_simulate_raster *raster = &picture->raster;
	size_t n = (size_t)raster->rows * COLUMNS, i;

	picture->run = calloc(n + 1, sizeof(*picture->run));
	if (!picture->run)
		return sgang_err_memory(err);
	for (i = 0; i < n; i++) {
		struct run *last = picture->n_runs ?
					   &picture->run[picture->n_runs - 1] :
					   NULL;
		uint32_t row = (uint32_t)(i / COLUMNS);
		uint32_t column = (uint32_t)(i % COLUMNS);

		if (raster->cell[i] == SGANG_SIMULATE_IDLE)
			continue;
		if (last && last->row == row &&
		    last->value == raster->cell[i] &&
		    last->column + last->length == column)
			last->length++;
		else
			picture->run[picture->n_runs++] =
				(struct run){ raster->cell[i], row, column, 1 };
	}
	qsort(picture->run, picture->n_runs, sizeof(*picture->run), by_value);
	return 0;
}

/* As simulate.js: far from each other, and none like that of what is held. */
static uint32_t hue_of(uint32_t gang)
{
	return 60 + (uint32_t)((uint64_t)gang * 166869 % 270000 / 1000);
}

static void begin_path(const struct picture *picture, uint32_t value)
{
	if (value == SGANG_SIMULATE_JOBS)
		fputs("<path class=\"jobs\" d=\"", picture->out);
	else if (value == SGANG_SIMULATE_HELD)
		fputs("<path class=\"held\" d=\"", picture->out);
	else
		fprintf(picture->out,
			"<path class=\"of-gang\" style=\"--hue:%" PRIu32
			"\" d=\"",
			hue_of(value - SGANG_SIMULATE_GANG));
}

/* A path for each value. */
static void put_cells(const struct picture *picture)
{
	size_t i;

	for (i = 0; i < picture->n_runs; i++) {
		const struct run *run = &picture->run[i];

		if (!i || run->value != run[-1].value)
			begin_path(picture, run->value);
		fprintf(picture->out,
			"M%" PRIu32 " %" PRIu32 "h%" PRIu32 "v%" PRIu32
			"h-%" PRIu32 "z",
			LEFT + run->column,
			picture->top + run->row * picture->height, run->length,
			picture->height, run->length);
		if (i + 1 == picture->n_runs || run->value != run[1].value)
			fputs("\"/>\n", picture->out);
	}
}

/* ---- what is around them ---- */

static void put_leaves(const struct picture *picture)
{
	const struct sgang_fabric *fabric = picture->config->fabric;
	uint32_t n = sgang_fabric_domains(fabric), free = 0, i;

	for (i = 0; i < n; i++) {
		const struct sgang_domain *leaf = sgang_fabric_domain(fabric,
								      i);
		uint32_t y = leaf->first_pos / picture->raster.nodes *
			     picture->height;

		if (leaf->n_children || y < free)
			continue;
		free = y + NAME_HEIGHT;
		if (y)
			fprintf(picture->out,
				"<path class=\"edge\" d=\"M0 %" PRIu32
				"H%d\"/>\n",
				picture->top + y, LEFT + COLUMNS);
		fprintf(picture->out, "<text x=\"4\" y=\"%" PRIu32 "\">",
			picture->top + y + NAME_HEIGHT);
		sgang_markup_text(picture->out, leaf->name, NAME_MAX_SHOWN);
		fputs("</text>\n", picture->out);
	}
}

/* The time between two marks: at least so many seconds. */
static int64_t step_of(int64_t seconds)
{
	static const int64_t steps[] = { 60,    300,    900,     1800,
					 3600,  10800,  21600,   43200,
					 86400, 604800, 2592000, 31536000 };
	size_t i = 0;

	while (i + 1 < sizeof(steps) / sizeof(steps[0]) && steps[i] < seconds)
		i++;
	return steps[i];
}

static void put_mark(const struct picture *picture, int64_t at, bool days)
{
	const struct sgang_simulate_raster *raster = &picture->raster;
	time_t time = (time_t)at;
	struct tm broken = { 0 };
	char text[32] = "";
	int64_t x;

	x = LEFT +
	    (at - raster->from) * COLUMNS / (raster->until - raster->from);
	if (x < LEFT + 16 || x > LEFT + COLUMNS - 16 ||
	    !localtime_r(&time, &broken))
		return;
	days |= !broken.tm_hour && !broken.tm_min;
	(void)strftime(text, sizeof(text), days ? "%m-%d" : "%H:%M", &broken);
	fprintf(picture->out,
		"<text class=\"time\" x=\"%" PRId64 "\" y=\"%" PRIu32
		"\">%s</text>\n",
		x, picture->top + raster->rows * picture->height + 16, text);
}

/* Marks are at whole steps of local time. */
static void put_times(const struct picture *picture)
{
	const struct sgang_simulate_raster *raster = &picture->raster;
	int64_t span = raster->until - raster->from;
	int64_t step = step_of(span * BETWEEN / COLUMNS), at;
	time_t time = (time_t)raster->from;
	struct tm broken = { 0 };

	(void)localtime_r(&time, &broken);
	at = raster->from + broken.tm_gmtoff;
	at += (step - at % step) % step - broken.tm_gmtoff;
	for (; at <= raster->until; at += step)
		put_mark(picture, at, step >= 86400);
}

static int put_picture(struct picture *picture, struct sgang_error *err)
{
	int rc = sgang_simulate_raster(picture->simulation, picture->config,
				       &picture->raster, err);

	picture->n_runs = 0;
	picture->run = NULL;
	if (!rc)
		rc = find_runs(picture, err);
	if (!rc) {
		fprintf(picture->out,
			"<text class=\"name\" x=\"4\" y=\"%" PRIu32 "\">",
			picture->top - 8);
		sgang_markup_text(picture->out, picture->config->name,
				  SGANG_SIMULATE_NAME);
		fprintf(picture->out,
			"</text>\n<path class=\"idle\" d=\"M%d %" PRIu32
			"h%dv%" PRIu32 "h-%dz\"/>\n",
			LEFT, picture->top, COLUMNS,
			picture->raster.rows * picture->height, COLUMNS);
		put_cells(picture);
		put_leaves(picture);
		put_times(picture);
	}
	free(picture->run);
	free(picture->raster.cell);
	return rc;
}

/* ---- the file ---- */

static void put_head(const struct sgang_simulation *simulation, uint32_t height,
		     FILE *out)
{
	static const char style[] =
		"text { font: 12px system-ui, \"DejaVu Sans\", sans-serif; "
		"fill: var(--soft); }\n"
		".name { font-weight: 600; fill: var(--ink); }\n"
		".time { text-anchor: middle; }\n"
		".all { fill: var(--leaf); }\n"
		".idle { fill: var(--ground); stroke: var(--line); }\n"
		".edge { fill: none; stroke: var(--line); }\n"
		".jobs { fill: var(--busy); }\n"
		".held { fill: var(--far); }\n"
		".of-gang { fill: hsl(var(--hue) 60% 42%); }\n"
		"@media (prefers-color-scheme: dark) { .of-gang { fill: "
		"hsl(var(--hue) 60% 62%); } }\n";
	const char *const *line;

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
		"viewBox=\"0 0 %d %" PRIu32 "\" width=\"%d\" height=\"%" PRIu32
		"\">\n<title>Nodes by gang: ",
		WIDTH, height, WIDTH, height);
	sgang_simulate_words(simulation, out);
	fputs("</title>\n<style>\n", out);
	for (line = sgang_scene_css; *line; line++)
		if (strncmp(*line, ".scene", 6))
			fputs(*line, out);
	fprintf(out,
		"%s</style>\n<path class=\"all\" d=\"M0 0h%dv%" PRIu32
		"H0z\"/>\n",
		style, WIDTH, height);
}

static void put_key(uint32_t y, FILE *out)
{
	static const struct {
		const char *paint, *text;
		int x;
	} keys[] = {
		{ "class=\"of-gang\" style=\"--hue:226\"", "gangs", LEFT },
		{ "class=\"jobs\"", "jobs of no gang", LEFT + 120 },
		{ "class=\"held\"", "held: its work waits for other members",
		  LEFT + 290 },
		{ "class=\"idle\"", "idle", LEFT + 590 },
	};
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		fprintf(out,
			"<path %s d=\"M%d %" PRIu32 "h24v10h-24z\"/>"
			"<text x=\"%d\" y=\"%" PRIu32 "\">%s</text>\n",
			keys[i].paint, keys[i].x, y, keys[i].x + 30, y + 10,
			keys[i].text);
}

int sgang_simulate_svg(const struct sgang_simulation *simulation, FILE *out,
		       struct sgang_error *err)
{
	struct picture picture = { .simulation = simulation, .out = out };
	uint32_t each;
	size_t i;

	sgang_simulate_raster_size(simulation, &picture.raster);
	picture.height = height_of_rows(picture.raster.rows);
	each = TITLE + picture.raster.rows * picture.height + AXIS;
	put_head(simulation, (uint32_t)simulation->n * each + KEY, out);
	for (i = 0; i < simulation->n; i++) {
		picture.config = &simulation->config[i];
		picture.top = (uint32_t)i * each + TITLE;
		if (put_picture(&picture, err))
			return -1;
	}
	put_key((uint32_t)i * each + 6, out);
	fputs("</svg>\n", out);
	return 0;
}
