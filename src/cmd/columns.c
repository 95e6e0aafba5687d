/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns.c - fields of a gang, and tables of them */

#define _GNU_SOURCE /* strverscmp(), qsort_r() */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/answer.h"
#include "cmd/colour.h"
#include "cmd/columns.h"
#include "cmd/progress.h"
#include "core/base/hostlist.h"
#include "core/base/text.h"

/* A wider field is a mistake. */
#define WIDTH_MAX 10000

/* The least width of a field on a screen that is not wide enough. */
#define NARROWEST 16

/* Characters of a bar. */
#define BAR 10

/* ---- the fields ---- */

/* Not a number: shown as a dash. */
#define NONE INT64_MIN

static void put_list(FILE *out, const struct sgang_gang *gang,
		     sgang_gangs_field_f field)
{
	const char **values = NULL;
	size_t i, n;

	if (sgang_gangs_distinct(gang, field, &values, &n)) {
		fputc('?', out);
		return;
	}
	for (i = 0; i < n; i++)
		fprintf(out, "%s%s", i ? "," : "", values[i]);
	free(values);
}

static void put_account(FILE *out, const struct sgang_gang *gang, int64_t now)
{
	(void)now;
	put_list(out, gang, sgang_gangs_account);
}

static void put_partition(FILE *out, const struct sgang_gang *gang, int64_t now)
{
	(void)now;
	put_list(out, gang, sgang_gangs_partition);
}

static void put_user(FILE *out, const struct sgang_gang *gang, int64_t now)
{
	(void)now;
	put_list(out, gang, sgang_gangs_user);
}

static void put_gang(FILE *out, const struct sgang_gang *gang, int64_t now)
{
	char name[SGANG_GANGS_NAME];

	(void)now;
	sgang_gangs_name(gang->record, name);
	fputs(name, out);
}

static void put_name(FILE *out, const struct sgang_gang *gang, int64_t now)
{
	(void)now;
	fputs(gang->record->name, out);
}

static void put_namespace(FILE *out, const struct sgang_gang *gang, int64_t now)
{
	(void)now;
	fputs(gang->record->ns, out);
}

static void put_groups(FILE *out, const struct sgang_gang *gang, int64_t now)
{
	(void)now;
	fputs(gang->record->groups, out);
}

static void put_phase(FILE *out, const struct sgang_gang *gang, int64_t now)
{
	(void)now;
	fputs(sgang_phase_name(gang->phase), out);
}

static int64_t phase_number(const struct sgang_gang *gang, int64_t now)
{
	(void)now;
	return gang->phase;
}

static void put_mode(FILE *out, const struct sgang_gang *gang, int64_t now)
{
	(void)now;
	fputs(sgang_gangs_mode(gang->record), out);
}

static int64_t members(const struct sgang_gang *gang, int64_t now)
{
	(void)now;
	return sgang_gangs_members(gang);
}

static void put_members(FILE *out, const struct sgang_gang *gang, int64_t now)
{
	const struct sgang_record *record = gang->record;

	fprintf(out, "%" PRId64, members(gang, now));
	if (record->min_member)
		fprintf(out, "/%" PRIu32 "/%" PRIu32, record->min_member,
			record->total);
	else /* Undefined */
		fputs("/-/-", out);
}

static void put_progress(FILE *out, const struct sgang_gang *gang, int64_t now)
{
	char bar[SGANG_PROGRESS_MAX + 1];

	(void)now;
	fputs(sgang_progress_bar(gang, BAR, bar), out);
}

static int64_t placeholders(const struct sgang_gang *gang, int64_t now)
{
	(void)now;
	return gang->placeholders;
}

static int64_t running(const struct sgang_gang *gang, int64_t now)
{
	(void)now;
	return gang->running;
}

static void put_duration(FILE *out, int64_t seconds)
{
	char text[SGANG_TIME_SHOWN];

	fputs(sgang_text_show_time(text, (uint32_t)seconds), out);
}

static int64_t waiting_limit(const struct sgang_gang *gang, int64_t now)
{
	(void)now;
	return gang->record->waiting_time ? gang->record->waiting_time : NONE;
}

static void put_waiting_limit(FILE *out, const struct sgang_gang *gang,
			      int64_t now)
{
	if (gang->record->waiting_time)
		put_duration(out, waiting_limit(gang, now));
}

/* The rest of a waiting time that runs. */
static int64_t waiting_left(const struct sgang_gang *gang, int64_t now)
{
	int64_t end = sgang_gangs_wait_ends(gang);

	if (!end)
		return NONE;
	return end > now ? end - now : 0;
}

static void put_waiting_left(FILE *out, const struct sgang_gang *gang,
			     int64_t now)
{
	int64_t left = waiting_left(gang, now);

	if (left != NONE)
		put_duration(out, left);
}

static int64_t n_nodes(const struct sgang_gang *gang, int64_t now)
{
	(void)now;
	return (int64_t)gang->n_nodes;
}

static void put_nodes(FILE *out, const struct sgang_gang *gang, int64_t now)
{
	char *text;

	(void)now;
	if (!gang->n_nodes)
		return;
	text = sgang_hostlist_fold((const char *const *)gang->nodes,
				   gang->n_nodes);
	fputs(text ? text : "?", out);
	free(text);
}

static int64_t position(const struct sgang_gang *gang, int64_t now)
{
	(void)now;
	return gang->position ? (int64_t)gang->position : NONE;
}

static void put_reason(FILE *out, const struct sgang_gang *gang, int64_t now)
{
	(void)now;
	fputs(sgang_gangs_reason(gang, gang->reason), out);
}

static void put_nodes_or_reason(FILE *out, const struct sgang_gang *gang,
				int64_t now)
{
	if (gang->n_nodes)
		put_nodes(out, gang, now);
	else if (gang->reason[0])
		fprintf(out, "(%s)", sgang_gangs_reason(gang, gang->reason));
}

/* The fields of a record that are numbers of a placement. */
#define PLACED_NUMBER(name)                                                 \
	static int64_t name(const struct sgang_gang *gang, int64_t now)     \
	{                                                                   \
		(void)now;                                                  \
		return gang->record->placed ? (int64_t)gang->record->name : \
					      NONE;                         \
	}

PLACED_NUMBER(ring_cost)
PLACED_NUMBER(ring_best)
PLACED_NUMBER(cross_links)
PLACED_NUMBER(ranks)

static void put_tier(FILE *out, const struct sgang_gang *gang, int64_t now)
{
	(void)now;
	if (gang->record->placed)
		fputs(gang->record->tier, out);
}

static int64_t attempts(const struct sgang_gang *gang, int64_t now)
{
	(void)now;
	return gang->record->attempts;
}

static void put_time(FILE *out, int64_t time)
{
	char text[SGANG_ANSWER_TIME];

	if (time != NONE)
		fputs(sgang_answer_time(time, text), out);
}

static int64_t started(const struct sgang_gang *gang, int64_t now)
{
	(void)now;
	return gang->record->started ? gang->record->started : NONE;
}

static void put_started(FILE *out, const struct sgang_gang *gang, int64_t now)
{
	put_time(out, started(gang, now));
}

static int64_t submitted(const struct sgang_gang *gang, int64_t now)
{
	(void)now;
	return gang->submit_time;
}

static void put_submitted(FILE *out, const struct sgang_gang *gang, int64_t now)
{
	put_time(out, submitted(gang, now));
}

/* The letters are those of squeue where it shows the same of a job. To add a
 * field: a row here, an item in sgang.1. A field with a number is sorted by it,
 * and printed as a number unless it has a 'put', which may print nothing for an
 * unknown value. A field without is sorted by its text. */
static const struct column {
	char letter;
	const char *title;
	bool right;
	int64_t (*number)(const struct sgang_gang *gang, int64_t now);
	void (*put)(FILE *out, const struct sgang_gang *gang, int64_t now);
} columns[] = {
	{ 'a', "ACCOUNT", false, NULL, put_account },
	{ 'A', "ATTEMPTS", true, attempts, NULL },
	{ 'b', "BEST", true, ring_best, NULL },
	{ 'c', "CROSS", true, cross_links, NULL },
	{ 'C', "RING", true, ring_cost, NULL },
	{ 'D', "NODES", true, n_nodes, NULL },
	{ 'g', "NAMESPACE", false, NULL, put_namespace },
	{ 'G', "GROUPS", false, NULL, put_groups },
	{ 'h', "PLACEHOLDERS", true, placeholders, NULL },
	{ 'j', "GANG", false, NULL, put_gang },
	{ 'K', "RANKS", true, ranks, NULL },
	{ 'l', "WAITING_LIMIT", true, waiting_limit, put_waiting_limit },
	{ 'L', "WAITING", true, waiting_left, put_waiting_left },
	{ 'm', "MEMBERS", false, members, put_members },
	{ 'M', "MODE", false, NULL, put_mode },
	{ 'n', "NAME", false, NULL, put_name },
	{ 'N', "NODELIST", false, NULL, put_nodes },
	{ 'p', "PROGRESS", false, NULL, put_progress },
	{ 'P', "PARTITION", false, NULL, put_partition },
	{ 'q', "POSITION", true, position, NULL },
	{ 'r', "REASON", false, NULL, put_reason },
	{ 'R', "NODELIST(REASON)", false, NULL, put_nodes_or_reason },
	{ 'S', "START_TIME", false, started, put_started },
	{ 't', "RUNNING", true, running, NULL },
	{ 'T', "PHASE", false, phase_number, put_phase },
	{ 'u', "USER", false, NULL, put_user },
	{ 'v', "TIER", false, NULL, put_tier },
	{ 'V', "SUBMIT_TIME", false, submitted, put_submitted },
};
#define N_COLUMNS (sizeof(columns) / sizeof(columns[0]))

static const struct column *find_column(char letter)
{
	size_t i;

	for (i = 0; i < N_COLUMNS; i++)
		if (columns[i].letter == letter)
			return &columns[i];
	return NULL;
}

/* Returns a string the caller frees, NULL without memory. The text is one line
 * without control characters, whatever a reason or a name holds. */
static char *cell_text(const struct column *column,
		       const struct sgang_gang *gang, int64_t now)
{
	int64_t number = column->number ? column->number(gang, now) : NONE;
	char *text = NULL, *p;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (column->put)
		column->put(out, gang, now);
	else if (number != NONE)
		fprintf(out, "%" PRId64, number);
	if (!ftell(out))
		fputc('-', out);
	text = sgang_text_close(out, &text);
	for (p = text; p && *p; p++)
		if ((unsigned char)*p < ' ' || *p == '\177')
			*p = '?';
	return text;
}

/* ---- formats ---- */

/* A field of a format, and the text behind it. */
struct field {
	const struct column *column;
	bool right;
	size_t width;       /* 0: as wide as it must be */
	bool narrow;        /* it may be less on a narrow screen */
	const char *behind; /* in the format */
	size_t n_behind;
};

/* Read the field at '*at', which is behind the '%'. Returns NULL, or a word for
 * what was expected. */
static const char *read_field(const char **at, struct field *field)
{
	const char *p = *at;

	*field = (struct field){ .width = 0 };
	field->right = *p == '.';
	p += field->right;
	for (; isdigit((unsigned char)*p); p++) {
		field->width = 10 * field->width + (size_t)(*p - '0');
		if (field->width > WIDTH_MAX)
			return "expected a width up to 10000";
	}
	field->column = *p ? find_column(*p) : NULL;
	if (!field->column)
		return "expected a field as sgang(1) lists them, like %j or "
		       "%.8D";
	field->right |= !field->width && field->column->right;
	field->behind = p + 1;
	field->n_behind = strcspn(p + 1, "%");
	*at = p + 1 + field->n_behind;
	return NULL;
}

int sgang_columns_check(const char *format, const char *what,
			struct sgang_error *err)
{
	const char *at = format + strcspn(format, "%"), *why;
	char shown[SGANG_TEXT_SHOWN];
	struct field field;

	if (!*at)
		return sgang_errf(err, EINVAL,
				  "%s=%s: it has no field, which "
				  "begins with %%",
				  what, sgang_text_show(shown, format));
	while (*at++) {
		const char *begin = at;

		why = read_field(&at, &field);
		if (why)
			return sgang_errf(err, EINVAL, "%s: %%%s: %s", what,
					  sgang_text_show(shown, begin), why);
	}
	return 0;
}

/* The number of fields of a checked format. */
static size_t count_fields(const char *format)
{
	size_t n = 0;

	for (; *format; format++)
		n += *format == '%';
	return n;
}

/* ---- tables ---- */

struct table {
	struct field *field;
	size_t n_fields;
	char **cell; /* n_fields for each of the lines */
	size_t n_lines;
};

static void clear_table(struct table *table)
{
	size_t i;

	for (i = 0; table->cell && i < table->n_fields * table->n_lines; i++)
		free(table->cell[i]);
	free(table->cell);
	free(table->field);
}

/* Continuation bytes of UTF-8 begin no letter. */
static bool begins_letter(char byte)
{
	return ((unsigned char)byte & 0xc0) != 0x80;
}

static size_t letters_in(const char *text, size_t n_bytes)
{
	size_t i, n = 0;

	for (i = 0; i < n_bytes; i++)
		n += begins_letter(text[i]);
	return n;
}

static size_t letters(const char *text)
{
	return letters_in(text, strlen(text));
}

/* Give the fields without a width the one they need. */
static void widen(struct table *table, bool header)
{
	size_t f, i;

	for (f = 0; f < table->n_fields; f++) {
		struct field *field = &table->field[f];
		size_t need = header ? strlen(field->column->title) : 0;

		field->narrow = !field->width && !field->right;
		if (field->width)
			continue;
		for (i = 0; i < table->n_lines; i++) {
			size_t n =
				letters(table->cell[i * table->n_fields + f]);

			if (n > need)
				need = n;
		}
		field->width = need;
	}
}

/* The width at which something is seen of the last field, too. */
static size_t width_needed(const struct table *table, const char *format)
{
	size_t width = letters_in(format, strcspn(format, "%")), f;
	size_t last = table->field[table->n_fields - 1].width;

	for (f = 0; f + 1 < table->n_fields; f++)
		width += table->field[f].width +
			 letters_in(table->field[f].behind,
				    table->field[f].n_behind);
	return width + (last < NARROWEST ? last : NARROWEST);
}

/* A long name must not push all that stands behind it off the screen. The
 * widest of the fields that may be narrower shrinks first. */
static void narrow(struct table *table, const char *format, size_t screen)
{
	while (width_needed(table, format) > screen) {
		struct field *widest = NULL;
		size_t f;

		for (f = 0; f + 1 < table->n_fields; f++) {
			struct field *field = &table->field[f];

			if (field->narrow && field->width > NARROWEST &&
			    (!widest || field->width > widest->width))
				widest = field;
		}
		if (!widest)
			return;
		widest->width--;
	}
}

static int fill_table(struct table *table, const char *format,
		      const struct sgang_look *look,
		      const struct sgang_gang *const *gangs, size_t n)
{
	const char *at = format + strcspn(format, "%");
	size_t i, f;

	table->n_fields = count_fields(format);
	table->n_lines = n;
	table->field = calloc(table->n_fields, sizeof(*table->field));
	table->cell = calloc(table->n_fields * n + 1, sizeof(*table->cell));
	if (!table->field || !table->cell)
		return -1;
	for (f = 0; *at++; f++)
		(void)read_field(&at, &table->field[f]);
	for (i = 0; i < n; i++)
		for (f = 0; f < table->n_fields; f++) {
			char *text = cell_text(table->field[f].column, gangs[i],
					       look->now);

			if (!text)
				return -1;
			table->cell[i * table->n_fields + f] = text;
		}
	widen(table, look->header);
	if (look->width)
		narrow(table, format, look->width);
	return 0;
}

/* A line that is printed from left to right. */
struct line {
	FILE *out;
	size_t room;   /* letters that still fit */
	size_t blanks; /* not printed unless more follows */
};

/* Print the letters of 'text' that fit, at most 'most' of them. */
static void put_letters(struct line *line, const char *text, size_t most)
{
	for (; line->blanks && line->room; line->blanks--, line->room--)
		fputc(' ', line->out);
	for (; *text; text++) {
		if (begins_letter(*text)) {
			if (!most || !line->room)
				return;
			most--;
			line->room--;
		}
		fputc(*text, line->out);
	}
}

static void put_cell(struct line *line, const struct field *field,
		     const char *text, const char *colour)
{
	size_t n = letters(text), shown = n;

	if (n > field->width)
		shown = field->width ? field->width - 1 : 0;
	if (field->right && n < field->width)
		line->blanks += field->width - n;
	/* nothing is printed in between but what the colour is for */
	put_letters(line, "", 0);
	fputs(colour, line->out);
	put_letters(line, text, shown);
	if (shown < n)
		put_letters(line, "+", 1);
	if (colour[0])
		fputs(SGANG_COLOUR_END, line->out);
	if (!field->right && n < field->width)
		line->blanks += field->width - n;
}

/* 'gang' is NULL for the line of titles. */
static void print_line(const struct table *table, const char *format,
		       const struct sgang_look *look,
		       const struct sgang_gang *gang, char *const *cell,
		       FILE *out)
{
	struct line line = { out, look->width ? look->width : SIZE_MAX, 0 };
	size_t f;

	put_letters(&line, format, letters_in(format, strcspn(format, "%")));
	for (f = 0; f < table->n_fields; f++) {
		const struct field *field = &table->field[f];
		bool coloured = gang && look->colour &&
				field->column->letter == 'T';

		put_cell(&line, field, gang ? cell[f] : field->column->title,
			 coloured ? sgang_colour_phase(gang->phase) : "");
		if (field->n_behind == 1 && field->behind[0] == ' ')
			line.blanks++;
		else if (field->n_behind)
			put_letters(&line, field->behind,
				    letters_in(field->behind, field->n_behind));
	}
	fputc('\n', out);
}

int sgang_columns_print(const char *format, const struct sgang_look *look,
			const struct sgang_gang *const *gangs, size_t n,
			FILE *out, struct sgang_error *err)
{
	struct table table = { .n_fields = 0 };
	size_t i;
	int rc = -1;

	if (fill_table(&table, format, look, gangs, n)) {
		sgang_err_memory(err);
		goto out;
	}
	if (look->header)
		print_line(&table, format, look, NULL, NULL, out);
	for (i = 0; i < n; i++)
		print_line(&table, format, look, gangs[i],
			   table.cell + i * table.n_fields, out);
	rc = 0;
out:
	clear_table(&table);
	return rc;
}

/* ---- orders ---- */

/* Take the next item off '*at'. Returns NULL at the end, or for no field. */
static const struct column *next_key(const char **at, bool *backwards)
{
	const char *p = *at;
	const struct column *column;

	*backwards = *p == '-';
	p += *p == '-' || *p == '+';
	column = *p ? find_column(*p) : NULL;
	if (!column || (p[1] && p[1] != ','))
		return NULL;
	*at = p + 1 + (p[1] == ',');
	return column;
}

int sgang_columns_check_order(const char *order, const char *what,
			      struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	const char *at = order;
	bool backwards;

	do {
		if (!next_key(&at, &backwards))
			return sgang_errf(err, EINVAL,
					  "%s=%s: expected letters "
					  "of fields as sgang(1) lists them, "
					  "like -C,j",
					  what, sgang_text_show(shown, order));
	} while (*at);
	return 0;
}

/* A gang, and the key that it is sorted by. */
struct sorted {
	const struct sgang_gang *gang;
	size_t before; /* its place before */
	int64_t number;
	char *text; /* NULL: the number counts */
};

static int compare(const void *a, const void *b, void *arg)
{
	const struct sorted *x = a, *y = b;
	const bool *backwards = arg;
	int order;

	if (x->text)
		order = strverscmp(x->text, y->text);
	else
		order = (x->number > y->number) - (x->number < y->number);
	if (order)
		return *backwards ? -order : order;
	return (x->before > y->before) - (x->before < y->before);
}

static int sort_by(const struct column *column, bool backwards, int64_t now,
		   const struct sgang_gang **gangs, size_t n)
{
	struct sorted *list = calloc(n + 1, sizeof(*list));
	size_t i;
	int rc = -1;

	if (!list)
		return -1;
	for (i = 0; i < n; i++) {
		list[i].gang = gangs[i];
		list[i].before = i;
		if (column->number) {
			list[i].number = column->number(gangs[i], now);
			continue;
		}
		list[i].text = cell_text(column, gangs[i], now);
		if (!list[i].text)
			goto out;
	}
	qsort_r(list, n, sizeof(*list), compare, &backwards);
	for (i = 0; i < n; i++)
		gangs[i] = list[i].gang;
	rc = 0;
out:
	for (i = 0; i < n; i++)
		free(list[i].text);
	free(list);
	return rc;
}

/* From the last key to the first, each leaving equals as they are. */
int sgang_columns_sort(const char *order, int64_t now,
		       const struct sgang_gang **gangs, size_t n,
		       struct sgang_error *err)
{
	const char *at = order;
	const struct column *column;
	bool backwards;

	column = next_key(&at, &backwards);
	if (!column)
		return 0;
	if (*at && sgang_columns_sort(at, now, gangs, n, err))
		return -1;
	if (sort_by(column, backwards, now, gangs, n))
		return sgang_err_memory(err);
	return 0;
}
