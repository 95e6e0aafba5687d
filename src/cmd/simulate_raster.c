/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulate_raster.c - who had which nodes at which time, as a picture */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/simulate_raster.h"

#define COLUMNS SGANG_SIMULATE_COLUMNS

struct drawing {
	const struct sgang_simulation *simulation;
	const struct sgang_simulate_config *config;
	struct sgang_simulate_raster *raster;
	size_t *first; /* by node: its jobs in 'job'; one more at the end */
	uint32_t *job;
	uint32_t *lane; /* the columns of each node of a row */
};

void sgang_simulate_raster_size(const struct sgang_simulation *simulation,
				struct sgang_simulate_raster *raster)
{
	uint32_t n = simulation->site->n_nodes;
	size_t i;

	memset(raster, 0, sizeof(*raster));
	raster->from = simulation->config[0].outcome.from;
	raster->until = simulation->config[0].outcome.until;
	for (i = 1; i < simulation->n; i++) {
		const struct sgang_outcome *outcome =
			&simulation->config[i].outcome;

		if (outcome->from < raster->from)
			raster->from = outcome->from;
		if (outcome->until > raster->until)
			raster->until = outcome->until;
	}
	if (raster->until <= raster->from)
		raster->until = raster->from + 1;
	raster->nodes = (n + SGANG_SIMULATE_ROWS - 1) / SGANG_SIMULATE_ROWS;
	if (!raster->nodes)
		raster->nodes = 1;
	raster->rows = (n + raster->nodes - 1) / raster->nodes;
}

/* ---- the jobs of each node ---- */

/* Call 'note' with each job and each node that it had. */
static void each_node(const struct drawing *drawing,
		      void (*note)(const struct drawing *drawing, size_t job,
				   uint32_t node))
{
	const struct sgang_outcome *outcome = &drawing->config->outcome;
	uint32_t n = drawing->simulation->site->n_nodes, k;
	size_t i;

	for (i = 0; i < outcome->n_jobs; i++) {
		const uint32_t *node = outcome->nodes + outcome->jobs[i].first;

		for (k = 0; k < outcome->jobs[i].n_nodes; k++)
			if (node[k] < n)
				note(drawing, i, node[k]);
	}
}

/* Counted two places on, they are filled in one place on, and end where they
 * belong. */
static void count(const struct drawing *drawing, size_t job, uint32_t node)
{
	(void)job;
	drawing->first[node + 2]++;
}

static void enter(const struct drawing *drawing, size_t job, uint32_t node)
{
	drawing->job[drawing->first[node + 1]++] = (uint32_t)job;
}

static int list_jobs(struct drawing *drawing, struct sgang_error *err)
{
	uint32_t n = drawing->simulation->site->n_nodes, node;

	drawing->first = calloc(n + 2UL, sizeof(*drawing->first));
	if (!drawing->first)
		return sgang_err_memory(err);
	each_node(drawing, count);
	for (node = 1; node <= n; node++)
		drawing->first[node + 1] += drawing->first[node];
	drawing->job = calloc(drawing->first[n + 1] + 1, sizeof(*drawing->job));
	if (!drawing->job)
		return sgang_err_memory(err);
	each_node(drawing, enter);
	return 0;
}

/* ---- cells ---- */

/* The first column whose middle is not before that time. */
static uint32_t column_of(const struct sgang_simulate_raster *raster,
			  int64_t time)
{
	double width = (double)(raster->until - raster->from) / COLUMNS;
	double at = ((double)(time - raster->from)) / width + 0.5;

	return at <= 0 ? 0 : at >= COLUMNS ? COLUMNS : (uint32_t)at;
}

/* Several jobs may share a node; gangs are seen before others. */
static void fill(uint32_t *lane, uint32_t from, uint32_t to, uint32_t value)
{
	for (; from < to; from++)
		if (value >= lane[from])
			lane[from] = value;
}

static uint32_t value_of(const struct drawing *drawing, uint32_t gang)
{
	const struct sgang_outcome *outcome = &drawing->config->outcome;
	const struct sgang_outcome *first =
		&drawing->simulation->config[0].outcome;
	uint32_t there;

	if (gang == SGANG_OUTCOME_NONE)
		return SGANG_SIMULATE_JOBS;
	there = first->jobs[outcome->gangs[gang].first_job].gang;
	return there == SGANG_OUTCOME_NONE ? SGANG_SIMULATE_JOBS :
					     SGANG_SIMULATE_GANG + there;
}

static void draw_job(const struct drawing *drawing,
		     const struct sgang_outcome_job *job, uint32_t *lane)
{
	const struct sgang_simulate_raster *raster = drawing->raster;
	int64_t end = job->end ? job->end : raster->until;
	int64_t work = job->work ? job->work : end;

	if (!job->start)
		return;
	fill(lane, column_of(raster, job->start), column_of(raster, work),
	     SGANG_SIMULATE_HELD);
	fill(lane, column_of(raster, work), column_of(raster, end),
	     value_of(drawing, job->gang));
}

/* What most of the lanes have there. */
static uint32_t most_frequent(const uint32_t *lane, uint32_t n, uint32_t column)
{
	uint32_t best = 0, best_count = 0, i, k, count;

	for (i = 0; i < n; i++) {
		uint32_t value = lane[(size_t)i * COLUMNS + column];

		for (count = 0, k = 0; k < n; k++)
			count += lane[(size_t)k * COLUMNS + column] == value;
		if (count > best_count) {
			best = value;
			best_count = count;
		}
	}
	return best;
}

static void draw_row(const struct drawing *drawing, uint32_t row)
{
	const struct sgang_simulate_raster *raster = drawing->raster;
	const uint32_t *order = sgang_fabric_order(drawing->config->fabric);
	uint32_t *cell = raster->cell + (size_t)row * COLUMNS;
	uint32_t total = drawing->simulation->site->n_nodes;
	uint32_t at = row * raster->nodes, n = 0, column;
	size_t k;

	memset(drawing->lane, 0,
	       (size_t)raster->nodes * COLUMNS * sizeof(*drawing->lane));
	for (; n < raster->nodes && at + n < total; n++) {
		uint32_t node = order[at + n];

		for (k = drawing->first[node]; k < drawing->first[node + 1];
		     k++)
			draw_job(
				drawing,
				&drawing->config->outcome.jobs[drawing->job[k]],
				drawing->lane + (size_t)n * COLUMNS);
	}
	for (column = 0; column < COLUMNS; column++)
		cell[column] = most_frequent(drawing->lane, n, column);
}

int sgang_simulate_raster(const struct sgang_simulation *simulation,
			  const struct sgang_simulate_config *config,
			  struct sgang_simulate_raster *raster,
			  struct sgang_error *err)
{
	struct drawing drawing = {
		simulation, config, raster, NULL, NULL, NULL
	};
	uint32_t row;
	int rc;

	sgang_simulate_raster_size(simulation, raster);
	raster->cell = calloc((size_t)raster->rows * COLUMNS + 1,
			      sizeof(*raster->cell));
	drawing.lane = calloc((size_t)raster->nodes * COLUMNS,
			      sizeof(*drawing.lane));
	rc = raster->cell && drawing.lane ? list_jobs(&drawing, err) :
					    sgang_err_memory(err);
	for (row = 0; !rc && row < raster->rows; row++)
		draw_row(&drawing, row);
	free(drawing.lane);
	free(drawing.first);
	free(drawing.job);
	return rc;
}

void sgang_simulate_raster_json(const struct sgang_simulate_raster *raster,
				FILE *out)
{
	uint32_t row, column, run;

	fputc('[', out);
	for (row = 0; row < raster->rows; row++) {
		const uint32_t *cell = raster->cell + (size_t)row * COLUMNS;

		fputs(row ? ",\n[" : "[", out);
		for (column = 0; column < COLUMNS; column += run) {
			for (run = 1; column + run < COLUMNS &&
				      cell[column + run] == cell[column];)
				run++;
			fprintf(out, "%s%" PRIu32 ",%" PRIu32,
				column ? "," : "", cell[column], run);
		}
		fputc(']', out);
	}
	fputc(']', out);
}
