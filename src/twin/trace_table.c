/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_table.c - rows of cells, read with libcsv
 *
 * A line of the file is handed over at a time, so that messages can name it; a
 * row with quoted line ends has several.
 */

#include <csv.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace_private.h"

#define CELL_FIRST 4096
#define ROW_FIRST 4096
#define COLUMNS_MAX 1000

struct reader {
	const struct sgang_trace_table *table;
	struct sgang_error *err;
	bool failed;
	uint32_t line;     /* at hand */
	uint32_t row_line; /* where its row began */
	size_t n_columns;  /* 0: the header is to come */
	/* The row, each cell a string, and where they begin. */
	char *text;
	size_t used, room;
	size_t start[COLUMNS_MAX];
	size_t n_cells;
	const char *cell[COLUMNS_MAX];
};

static void fail(struct reader *reader, int errnum, const char *what)
{
	if (!reader->failed)
		sgang_errf(reader->err, errnum, "%s:%u: %s",
			   reader->table->label, reader->row_line, what);
	reader->failed = true;
}

static bool make_room(struct reader *reader, size_t size)
{
	size_t room = reader->room ? reader->room : ROW_FIRST;
	char *bigger;

	while (room - reader->used < size)
		room *= 2;
	if (room == reader->room)
		return true;
	bigger = realloc(reader->text, room);
	if (!bigger)
		return false;
	reader->text = bigger;
	reader->room = room;
	return true;
}

/* libcsv has read a cell. */
static void take_cell(void *cell, size_t length, void *arg)
{
	struct reader *reader = arg;

	if (reader->failed)
		return;
	if (reader->n_cells == COLUMNS_MAX) {
		fail(reader, EINVAL, "it has more than 1000 columns");
		return;
	}
	if (!make_room(reader, length + 1)) {
		fail(reader, ENOMEM, "out of memory");
		return;
	}
	memcpy(reader->text + reader->used, cell, length);
	reader->text[reader->used + length] = '\0';
	reader->start[reader->n_cells++] = reader->used;
	reader->used += length + 1;
}

static int other_number(struct reader *reader)
{
	const struct sgang_trace_table *table = reader->table;
	struct sgang_error why;

	sgang_errf(&why, EINVAL,
		   "%s:%u: it has %zu columns, the header %zu: a value with "
		   "the delimiter '%c' in it %s",
		   table->label, reader->row_line, reader->n_cells,
		   reader->n_columns, table->delimiter,
		   table->quote ? "is written in quotes" :
				  "needs another one, see --delimiter of "
				  "sacct(1)");
	if (table->broken) {
		table->broken(table->arg, reader->row_line, &why);
		return 0;
	}
	return sgang_errf(reader->err, EINVAL, "%s", why.text);
}

static void hand_over(struct reader *reader)
{
	const struct sgang_trace_table *table = reader->table;
	size_t i;
	int rc;

	for (i = 0; i < reader->n_cells; i++)
		reader->cell[i] = reader->text + reader->start[i];
	if (!reader->n_columns) {
		reader->n_columns = reader->n_cells;
		rc = table->header(table->arg, reader->cell, reader->n_cells,
				   reader->row_line);
	} else if (reader->n_cells != reader->n_columns) {
		rc = other_number(reader);
	} else {
		rc = table->row(table->arg, reader->cell, reader->row_line);
	}
	reader->failed = rc != 0;
}

/* libcsv has read a row. */
static void take_row(int end, void *arg)
{
	struct reader *reader = arg;

	(void)end;
	if (!reader->failed)
		hand_over(reader);
	reader->n_cells = 0;
	reader->used = 0;
	reader->row_line = reader->line + 1;
}

/* Between rows: an empty line, or a comment. */
static bool passed_over(const char *line, size_t length)
{
	size_t blanks = strspn(line, " \t\r");

	return blanks >= length || line[blanks] == '\n' || *line == '#';
}

static void check_parser(struct reader *reader, struct csv_parser *parser)
{
	if (reader->failed || csv_error(parser) == CSV_SUCCESS)
		return;
	if (csv_error(parser) == CSV_EPARSE)
		fail(reader, EINVAL,
		     "a quote does not match: a value with '\"' in it is "
		     "written in quotes, with each '\"' doubled");
	else
		fail(reader, ENOMEM, "out of memory");
}

static void read_lines(struct reader *reader, struct csv_parser *parser)
{
	const char *at = reader->table->text, *end;
	size_t length;

	for (; *at && !reader->failed; at += length) {
		end = strchr(at, '\n');
		length = end ? (size_t)(end - at) + 1 : strlen(at);
		reader->line++;
		if (reader->row_line == reader->line &&
		    passed_over(at, length)) {
			reader->row_line++;
			continue;
		}
		if (csv_parse(parser, at, length, take_cell, take_row,
			      reader) != length)
			check_parser(reader, parser);
	}
	if (reader->failed)
		return;
	/* a last line without an end */
	if (csv_fini(parser, take_cell, take_row, reader))
		check_parser(reader, parser);
}

int sgang_trace_table_read(const struct sgang_trace_table *table,
			   struct sgang_error *err)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	struct csv_parser parser;
	int rc, saved;

	if (!reader)
		return sgang_err_memory(err);
	reader->table = table;
	reader->err = err;
	reader->row_line = 1;
	csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI);
	csv_set_realloc_func(&parser, realloc);
	csv_set_free_func(&parser, free);
	csv_set_blk_size(&parser, CELL_FIRST);
	csv_set_delim(&parser, (unsigned char)table->delimiter);
	csv_set_quote(&parser, (unsigned char)table->quote);
	read_lines(reader, &parser);
	csv_free(&parser);
	rc = reader->failed ? -1 : 0;
	saved = errno;
	free(reader->text);
	free(reader);
	errno = saved;
	return rc;
}
