/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_columns.c - the cells of a row by the names in the header */

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/near.h"
#include "core/base/text.h"
#include "trace_private.h"

/* The longest name of a column that can be known. */
#define NAME_SIZE 64

/* What becomes of the cells of one column. */
struct binding {
	const struct sgang_trace_column *column;
	const char *option;
	bool gangs; /* members of a gang share their words */
};

struct reader {
	struct sgang_trace_draft *draft;
	const struct sgang_trace_form *form;
	struct binding *bindings;
	size_t n;
};

/* A name as the forms have it: "Gang_Mode" is "gang-mode". */
static void plain_name(char plain[NAME_SIZE], const char *name)
{
	size_t i;

	for (i = 0; name[i] && i < NAME_SIZE - 1; i++)
		plain[i] = name[i] == '_' ?
				   '-' :
				   (char)tolower((unsigned char)name[i]);
	plain[i] = '\0';
}

static bool same_name(const char *one, const char *other)
{
	char plain_one[NAME_SIZE], plain_other[NAME_SIZE];

	plain_name(plain_one, one);
	plain_name(plain_other, other);
	return !strcmp(plain_one, plain_other);
}

static const struct sgang_trace_column *
find_column(const struct sgang_trace_form *form, const char *name)
{
	const struct sgang_trace_column *column;

	for (column = form->columns; column->name; column++)
		if (same_name(column->name, name) ||
		    (column->alias && same_name(column->alias, name)))
			return column;
	return NULL;
}

/* ---- the header ---- */

static const char *wanted_column(const struct reader *reader)
{
	const struct sgang_trace_terms *terms = reader->draft->terms;

	return terms->gangs == SGANG_TRACE_GANGS_COLUMN ? terms->column : NULL;
}

static int no_such_column(const struct reader *reader, const char *name,
			  uint32_t line)
{
	struct sgang_near near = { .wanted = name };
	const struct sgang_trace_column *column;
	char shown[SGANG_TEXT_SHOWN], hint[SGANG_NEAR_HINT];

	for (column = reader->form->columns; column->name; column++)
		sgang_near_offer(&near, column->name);
	return sgang_errf(
		reader->draft->err, EINVAL,
		"%s:%u: there is no column \"%s\" here: %s",
		reader->draft->label, line, sgang_text_show(shown, name),
		sgang_near_hint(&near, hint, "sgang(1) lists the columns"));
}

static int bind(struct reader *reader, struct binding *binding,
		const char *name, uint32_t line)
{
	const struct sgang_trace_form *form = reader->form;
	const char *wanted = wanted_column(reader);

	binding->gangs = wanted && same_name(wanted, name);
	binding->column = find_column(form, name);
	if (binding->column || !*name)
		return 0;
	if (form->option)
		binding->option = form->option(name);
	if (binding->option || binding->gangs || !form->option)
		return 0;
	return no_such_column(reader, name, line);
}

static int check_twice(const struct reader *reader, size_t i, const char *name,
		       uint32_t line)
{
	const struct binding *b = &reader->bindings[i];
	char shown[SGANG_TEXT_SHOWN];
	size_t before;

	for (before = 0; before < i; before++)
		if ((b->column || b->option) &&
		    reader->bindings[before].column == b->column &&
		    reader->bindings[before].option == b->option)
			return sgang_errf(reader->draft->err, EINVAL,
					  "%s:%u: the column \"%s\" is there "
					  "twice",
					  reader->draft->label, line,
					  sgang_text_show(shown, name));
	return 0;
}

static bool is_bound(const struct reader *reader, const char *name)
{
	const struct sgang_trace_column *column = find_column(reader->form,
							      name);
	size_t i;

	for (i = 0; i < reader->n; i++)
		if (reader->bindings[i].column == column)
			return true;
	return false;
}

/* Is one of these columns, separated by blanks, there? */
static int check_required(const struct reader *reader, const char *names,
			  uint32_t line)
{
	char copy[128], *rest = copy, *name;

	strcpy(copy, names);
	while ((name = strsep(&rest, " ")))
		if (is_bound(reader, name))
			return 0;
	for (rest = strcpy(copy, names); (rest = strchr(rest, ' '));)
		*rest = ',';
	return sgang_errf(reader->draft->err, EINVAL,
			  "%s:%u: a column is missing, expected %s%s: sgang(1) "
			  "lists the columns",
			  reader->draft->label, line,
			  strchr(copy, ',') ? "one of " : "", copy);
}

static int check_header(const struct reader *reader, uint32_t line)
{
	const char *wanted = wanted_column(reader);
	const char *const *names;
	size_t i;

	for (names = reader->form->required; *names; names++)
		if (check_required(reader, *names, line))
			return -1;
	for (i = 0; wanted && i < reader->n; i++)
		if (reader->bindings[i].gangs)
			return 0;
	return wanted ? no_such_column(reader, wanted, line) : 0;
}

static int take_header(void *arg, const char *const *cell, size_t n,
		       uint32_t line)
{
	struct reader *reader = arg;
	size_t i;

	reader->bindings = calloc(n, sizeof(*reader->bindings));
	if (!reader->bindings)
		return sgang_err_memory(reader->draft->err);
	reader->n = n;
	for (i = 0; i < n; i++)
		if (bind(reader, &reader->bindings[i], cell[i], line) ||
		    check_twice(reader, i, cell[i], line))
			return -1;
	return check_header(reader, line);
}

/* ---- rows ---- */

static int bad_cell(const struct sgang_trace_row *row,
		    const struct sgang_trace_column *column, const char *cell)
{
	char shown[SGANG_TEXT_SHOWN];

	if (errno != EINVAL && errno != ERANGE)
		return -1;
	return sgang_errf(row->draft->err, EINVAL,
			  "%s:%u: column %s: \"%s\" is %s, expected %s",
			  row->draft->label, row->job.line, column->name,
			  sgang_text_show(shown, cell),
			  errno == ERANGE ? "out of range" : "not understood",
			  column->expected);
}

static int take_cell(struct sgang_trace_row *row, const struct reader *reader,
		     const struct binding *binding, const char *cell)
{
	if (binding->column && binding->column->take(row, cell))
		return bad_cell(row, binding->column, cell);
	if (binding->option &&
	    reader->form->take_option(row, binding->option, cell))
		return -1;
	if (!binding->gangs)
		return 0;
	row->job.gang = sgang_trace_text(row->draft, cell);
	return row->job.gang ? 0 : -1;
}

static bool is_no_job(const struct reader *reader, const char *const *cell)
{
	size_t i;

	for (i = 0; i < reader->n; i++)
		if (reader->bindings[i].column &&
		    reader->form->passes_over(reader->bindings[i].column->name,
					      cell[i]))
			return true;
	return false;
}

static int take_row(void *arg, const char *const *cell, uint32_t line)
{
	const struct reader *reader = arg;
	struct sgang_trace_row row = { .draft = reader->draft };
	size_t i;

	if (reader->form->passes_over && is_no_job(reader, cell)) {
		reader->draft->trace->n_left_out++;
		return 0;
	}
	sgang_trace_job_init(&row.job);
	row.job.line = line;
	for (i = 0; i < reader->n; i++)
		if (*cell[i] &&
		    take_cell(&row, reader, &reader->bindings[i], cell[i]))
			return -1;
	return reader->form->end(&row);
}

/* sacct quotes nothing. */
static void take_broken(void *arg, uint32_t line, const struct sgang_error *why)
{
	const struct reader *reader = arg;
	struct sgang_trace *trace = reader->draft->trace;

	if (!trace->n_broken++) {
		trace->first_broken = line;
		reader->draft->broken = *why;
	}
	trace->n_left_out++;
}

int sgang_trace_columns_read(struct sgang_trace_draft *draft, const char *text,
			     char delimiter,
			     const struct sgang_trace_form *form)
{
	struct reader reader = { .draft = draft, .form = form };
	const struct sgang_trace_table table = {
		.label = draft->label,
		.text = text,
		.delimiter = delimiter,
		.quote = form->quote,
		.header = take_header,
		.row = take_row,
		.broken = form->quote ? NULL : take_broken,
		.arg = &reader,
	};
	int rc = sgang_trace_table_read(&table, draft->err), saved = errno;

	free(reader.bindings);
	errno = saved;
	return rc;
}

/* ---- columns of both forms ---- */

static int take_text(struct sgang_trace_row *row, const char **text,
		     const char *cell)
{
	*text = sgang_trace_text(row->draft, cell);
	return *text ? 0 : -1;
}

int sgang_trace_take_user(struct sgang_trace_row *row, const char *cell)
{
	return take_text(row, &row->job.user, cell);
}

int sgang_trace_take_account(struct sgang_trace_row *row, const char *cell)
{
	return take_text(row, &row->job.account, cell);
}

int sgang_trace_take_partition(struct sgang_trace_row *row, const char *cell)
{
	return take_text(row, &row->job.partition, cell);
}

int sgang_trace_take_qos(struct sgang_trace_row *row, const char *cell)
{
	return take_text(row, &row->job.qos, cell);
}

int sgang_trace_take_name(struct sgang_trace_row *row, const char *cell)
{
	return take_text(row, &row->job.name, cell);
}

int sgang_trace_take_priority(struct sgang_trace_row *row, const char *cell)
{
	uint64_t number;

	if (sgang_text_number(cell, 0, UINT32_MAX, &number))
		return -1;
	row->job.priority = (uint32_t)number;
	return 0;
}
