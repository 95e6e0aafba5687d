/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulate_text.c - configurations side by side, as a table */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/answer.h"
#include "cmd/simulate.h"
#include "cmd/simulate_rows.h"

/* Columns of labels, and of numbers at least and at most. */
#define LABEL 34
#define NARROW 12
#define WIDE 24

struct table {
	const struct sgang_simulation *simulation;
	FILE *out;
};

static int width_of(const char *name)
{
	size_t length = strlen(name);

	return length < NARROW ? NARROW : length > WIDE ? WIDE : (int)length;
}

/* Blanks at the end of a line are left out. */
static void put_title(const struct table *table, const char *title)
{
	fputs(title, table->out);
	fputc('\n', table->out);
}

/* 'find' is the struct of the row in what was measured. */
static void
put_row(const struct table *table, const struct sgang_simulate_row *row,
	const void *(*find)(const struct sgang_measure *measure, size_t class),
	size_t class)
{
	const struct sgang_simulate_config *config = table->simulation->config;
	size_t n = table->simulation->n, i;
	char text[SGANG_SIMULATE_SHOWN];

	fprintf(table->out, "  %-*s", LABEL - 2, row->label);
	for (i = 0; i < n; i++)
		fprintf(table->out, "  %*s", width_of(config[i].name),
			sgang_simulate_show(
				row->kind,
				sgang_simulate_value(
					row, find(&config[i].measure, class)),
				text));
	if (n == 2)
		fprintf(table->out, "  %*s", NARROW,
			sgang_simulate_show_change(
				row->kind,
				sgang_simulate_value(
					row, find(&config[0].measure, class)),
				sgang_simulate_value(
					row, find(&config[1].measure, class)),
				text));
	fputc('\n', table->out);
}

static const void *gangs_of(const struct sgang_measure *measure, size_t class)
{
	return &measure->gangs[class];
}

static const void *jobs_of(const struct sgang_measure *measure, size_t class)
{
	return &measure->jobs[class];
}

static const void *cluster_of(const struct sgang_measure *measure, size_t class)
{
	(void)class;
	return measure;
}

/* True if the queue has some of that class; the numbers submitted are those of
 * the queue, whatever the configuration. */
static bool has_class(const struct table *table,
		      const void *(*find)(const struct sgang_measure *, size_t),
		      size_t class)
{
	const struct sgang_measure_class *of =
		find(&table->simulation->config[0].measure, class);

	return of->n > 0;
}

static void put_gangs(const struct table *table, size_t class)
{
	const struct sgang_simulate_row *row;

	for (row = sgang_simulate_class_rows; row->key; row++)
		put_row(table, row, gangs_of, class);
	for (row = sgang_simulate_ring_rows; row->key; row++)
		put_row(table, row, gangs_of, class);
}

static void put_jobs(const struct table *table, size_t class)
{
	const struct sgang_simulate_row *row;

	for (row = sgang_simulate_class_rows; row->key; row++)
		put_row(table, row, jobs_of, class);
	row = sgang_simulate_ring_rows;
	for (; table->simulation->all_rings && row->key; row++)
		put_row(table, row, jobs_of, class);
}

static void put_classes(const struct table *table)
{
	size_t class;

	for (class = 1; class < SGANG_MEASURE_CLASSES; class ++) {
		if (!has_class(table, gangs_of, class))
			continue;
		fprintf(table->out, "\nGangs of %s member%s\n",
			sgang_measure_class_name[class], class > 1 ? "s" : "");
		put_gangs(table, class);
	}
	for (class = 1; class < SGANG_MEASURE_CLASSES; class ++) {
		if (!has_class(table, jobs_of, class))
			continue;
		fprintf(table->out, "\nJobs of no gang, %s node%s\n",
			sgang_measure_class_name[class], class > 1 ? "s" : "");
		put_jobs(table, class);
	}
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

void sgang_simulate_words(const struct sgang_simulation *simulation, FILE *out)
{
	const struct sgang_outcome *outcome = &simulation->config[0].outcome;
	size_t n_jobs = simulation->trace->n_jobs;
	size_t n_gangs = simulation->trace->n_gangs;
	uint32_t n_nodes = simulation->site->n_nodes;
	char from[SGANG_ANSWER_TIME];

	fprintf(out,
		"%zu job%s, %zu gang%s from %s on; %" PRIu32 " node%s, %" PRIu64
		" CPU%s",
		n_jobs, plural(n_jobs), n_gangs, plural(n_gangs),
		sgang_answer_time(outcome->from, from), n_nodes,
		plural(n_nodes), outcome->cpus, plural(outcome->cpus));
}

static void put_head(const struct table *table)
{
	const struct sgang_simulation *simulation = table->simulation;
	size_t i;

	sgang_simulate_words(simulation, table->out);
	fputc('\n', table->out);
	if (simulation->trace->n_left_out)
		fprintf(table->out,
			"%zu lines of the queue are no job to replay\n",
			simulation->trace->n_left_out);
	fprintf(table->out, "\n%-*s", LABEL, "");
	for (i = 0; i < simulation->n; i++)
		fprintf(table->out, "  %*.*s",
			width_of(simulation->config[i].name), WIDE,
			simulation->config[i].name);
	if (simulation->n == 2)
		fprintf(table->out, "  %*s", NARROW, "change");
	fputc('\n', table->out);
}

void sgang_simulate_print(const struct sgang_simulation *simulation,
			  bool classes, FILE *out)
{
	const struct table table = { simulation, out };
	const struct sgang_simulate_row *row;

	put_head(&table);
	put_title(&table, "Cluster");
	for (row = sgang_simulate_cluster_rows; row->key; row++)
		put_row(&table, row, cluster_of, 0);
	if (has_class(&table, gangs_of, 0)) {
		put_title(&table, "\nGangs");
		put_gangs(&table, 0);
	}
	if (has_class(&table, jobs_of, 0)) {
		put_title(&table, "\nJobs of no gang");
		put_jobs(&table, 0);
	}
	if (classes)
		put_classes(&table);
}
