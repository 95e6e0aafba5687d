/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_csv.c - a recorded queue as a CSV file with named columns
 *
 * To add a column add a function and a row to the table at the end, and a line
 * to sgang(1). Columns that are options of gangs need neither.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "core/gang/spec.h"
#include "trace_private.h"

static int read_u32(const char *cell, uint32_t min, uint32_t *value)
{
	uint64_t number;

	if (sgang_text_number(cell, min, UINT32_MAX - 1, &number))
		return -1;
	*value = (uint32_t)number;
	return 0;
}

static int take_id(struct sgang_trace_row *row, const char *cell)
{
	return sgang_text_number(cell, 0, UINT64_MAX, &row->job.id);
}

static int take_submit(struct sgang_trace_row *row, const char *cell)
{
	row->submitted = true;
	return sgang_trace_moment(cell, &row->job.submit);
}

static int take_start(struct sgang_trace_row *row, const char *cell)
{
	return sgang_trace_moment(cell, &row->job.started);
}

static int take_run(struct sgang_trace_row *row, const char *cell)
{
	row->ran = true;
	return sgang_trace_span(cell, &row->job.run);
}

static int take_limit(struct sgang_trace_row *row, const char *cell)
{
	return sgang_trace_span(cell, &row->job.limit);
}

static int take_nodes(struct sgang_trace_row *row, const char *cell)
{
	return read_u32(cell, 1, &row->job.nodes);
}

static int take_cpus(struct sgang_trace_row *row, const char *cell)
{
	return read_u32(cell, 1, &row->job.cpus);
}

static int take_gpus(struct sgang_trace_row *row, const char *cell)
{
	return read_u32(cell, 0, &row->job.gpus);
}

static int take_memory(struct sgang_trace_row *row, const char *cell)
{
	return sgang_trace_size(cell, &row->job.memory);
}

static int take_whole(struct sgang_trace_row *row, const char *cell)
{
	static const char *const words[] = { "no", "yes",   "0",
					     "1",  "false", "true" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcasecmp(cell, words[i]))
			continue;
		row->job.whole = i % 2;
		return 0;
	}
	errno = EINVAL;
	return -1;
}

static int take_ranks(struct sgang_trace_row *row, const char *cell)
{
	return read_u32(cell, 1, &row->job.ranks);
}

static int take_gang(struct sgang_trace_row *row, const char *cell)
{
	if (row->draft->terms->gangs != SGANG_TRACE_GANGS_RECORDED)
		return 0;
	row->job.gang = sgang_trace_text(row->draft, cell);
	return row->job.gang ? 0 : -1;
}

static int take_min_member(struct sgang_trace_row *row, const char *cell)
{
	uint64_t number;

	if (sgang_text_number(cell, 0, SGANG_MEMBERS_MAX, &number))
		return -1;
	row->job.min_member = (uint32_t)number;
	return 0;
}

#define NUMBER "a number of 1 or more"
#define DURATION "seconds, or a duration such as 1-12:30:00"
#define MOMENT "seconds since 1970, or a date such as 2026-03-29T06:00:00"

static const struct sgang_trace_column columns[] = {
	{ "id", "job", take_id, "a number" },
	{ "submit", NULL, take_submit, MOMENT },
	{ "start", NULL, take_start, MOMENT },
	{ "run", NULL, take_run, DURATION },
	{ "limit", NULL, take_limit, DURATION ", or UNLIMITED" },
	{ "nodes", NULL, take_nodes, NUMBER },
	{ "cpus", NULL, take_cpus, NUMBER },
	{ "gpus", NULL, take_gpus, "a number" },
	{ "memory", NULL, take_memory, "MB, or a size such as 64G" },
	{ "whole", "exclusive", take_whole, "yes or no" },
	{ "ranks", "tasks", take_ranks, NUMBER },
	{ "priority", NULL, sgang_trace_take_priority,
	  "a number up to 4294967295" },
	{ "user", NULL, sgang_trace_take_user, NULL },
	{ "account", NULL, sgang_trace_take_account, NULL },
	{ "partition", NULL, sgang_trace_take_partition, NULL },
	{ "qos", NULL, sgang_trace_take_qos, NULL },
	{ "name", NULL, sgang_trace_take_name, NULL },
	{ "gang", NULL, take_gang, NULL },
	{ "gang-min-member", "gang-min-available", take_min_member,
	  "a number up to 100000" },
	{ NULL, NULL, NULL, NULL },
};

static const char *const required[] = { "submit", "run", NULL };

/* ---- options of gangs ---- */

static bool is_called(const char *option, const char *name)
{
	for (; *option && *name; option++, name++)
		if (strncasecmp(option, *name == '_' ? "-" : name, 1))
			return false;
	return !*option && !*name;
}

static const char *find_option(const char *name)
{
	const struct sgang_option *option;

	for (option = sgang_spec_options(); option->name; option++)
		if (!option->hidden &&
		    (is_called(option->name, name) ||
		     (option->alias && is_called(option->alias, name))))
			return option->name;
	return NULL;
}

/* As SPANK has it behind those before: "gang_mode=nonstrict|gang_order=0". */
static int append_option(struct sgang_trace_row *row, const char *option,
			 const char *cell)
{
	size_t used = strlen(row->options);
	char *at = row->options + used;
	size_t room = sizeof(row->options) - used;
	int length = snprintf(at, room, "%s%s=%s", used ? "|" : "", option,
			      cell);

	if (length < 0 || (size_t)length >= room || strchr(cell, '|'))
		return sgang_errf(row->draft->err, EINVAL,
				  "%s:%u: column %s: its options are longer "
				  "than %zu characters, or have a '|' in them",
				  row->draft->label, row->job.line, option,
				  sizeof(row->options) - 1);
	at += used != 0;
	for (; *at != '='; at++)
		if (*at == '-')
			*at = '_';
	return 0;
}

static int take_option(struct sgang_trace_row *row, const char *option,
		       const char *cell)
{
	struct sgang_error why;
	struct sgang_spec spec;

	sgang_spec_init(&spec);
	if (sgang_spec_set(&spec, option, cell, &why))
		return sgang_errf(row->draft->err, EINVAL, "%s:%u: %s",
				  row->draft->label, row->job.line, why.text);
	return append_option(row, option, cell);
}

/* ---- rows ---- */

static int end_row(struct sgang_trace_row *row)
{
	struct sgang_trace_draft *draft = row->draft;

	if (!row->submitted || !row->ran) {
		draft->trace->n_left_out++;
		return 0;
	}
	if (!row->job.id)
		row->job.id = draft->trace->n_jobs + draft->trace->n_left_out +
			      1;
	row->job.options = sgang_trace_text(draft, row->options);
	return row->job.options ? sgang_trace_add(draft, &row->job) : -1;
}

int sgang_trace_read_csv(struct sgang_trace_draft *draft, const char *text,
			 char delimiter)
{
	static const struct sgang_trace_form form = {
		.quote = '"',
		.columns = columns,
		.required = required,
		.option = find_option,
		.take_option = take_option,
		.end = end_row,
	};

	return sgang_trace_columns_read(draft, text, delimiter, &form);
}
