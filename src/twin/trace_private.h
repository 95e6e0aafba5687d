/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_private.h - between the files that read a recorded queue
 *
 * trace.c finds the form of a file. trace_sacct.c and trace_csv.c name the
 * columns of theirs, trace_columns.c finds them in the header and hands the
 * cells over, trace_table.c takes the text apart with libcsv. trace_swf.c reads
 * the third form. trace_draft.c collects the jobs, trace_gangs.c makes gangs of
 * them, and trace_words.c reads single words.
 */

#ifndef SGANG_TRACE_PRIVATE_H
#define SGANG_TRACE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/pool.h"
#include "trace.h"

/* -- trace_draft.c: jobs as they are read -- */

struct sgang_trace_draft {
	struct sgang_trace *trace;
	size_t room; /* of trace->jobs */
	void *texts; /* each text once, as of tsearch() */
	const struct sgang_trace_terms *terms;
	const char *label;         /* for messages */
	struct sgang_error broken; /* the first row that was left out for it */
	bool min_observed; /* min_member is how many members started together,
			    * not what a user said */
	struct sgang_error *err;
};

/* The copy of 'text' that the trace owns, the same one each time. NULL without
 * memory, and 'err' says so. */
const char *sgang_trace_text(struct sgang_trace_draft *draft, const char *text);
/* A job of one node and one CPU that says nothing else. */
void sgang_trace_job_init(struct sgang_trace_job *job);
/* Takes a job whose texts are those of sgang_trace_text(); 'gang' is the word
 * that its members share. Returns 0, or -1 with 'err'. */
int sgang_trace_add(struct sgang_trace_draft *draft,
		    const struct sgang_trace_job *job);
/* All that is not in the trace. */
void sgang_trace_draft_clear(struct sgang_trace_draft *draft);

/* -- trace_gangs.c -- */

/* Make gangs of the jobs, which are in order of submission. Returns 0, or -1
 * with 'err'. */
int sgang_trace_gangs(struct sgang_trace_draft *draft);

/* -- trace_words.c: 0, or -1 with EINVAL (not such a word) or ERANGE -- */

/* Seconds since the epoch, or a date "2026-03-29T06:00:00" in local time, with
 * 'Z' or an offset "+01:00" behind it in that zone. */
int sgang_trace_moment(const char *text, int64_t *when);
/* Seconds, or a duration as of sgang_text_time(), 0 as well. */
int sgang_trace_span(const char *text, uint32_t *seconds);
/* MB: "64", "64G", "62.50G", with K, M, G or T in either case. */
int sgang_trace_size(const char *text, uint64_t *megabytes);

/* -- trace_table.c: rows of cells -- */

/* Both are called with 'n' cells, which end with the call. They return 0, or -1
 * with 'err' to end the reading. */
struct sgang_trace_table {
	const char *label;
	const char *text;
	char delimiter;
	char quote; /* '\0': none */
	int (*header)(void *arg, const char *const *cell, size_t n,
		      uint32_t line);
	int (*row)(void *arg, const char *const *cell, uint32_t line);
	/* A row with another number of cells, and what is wrong with it. NULL:
	 * it ends the reading. */
	void (*broken)(void *arg, uint32_t line, const struct sgang_error *why);
	void *arg;
};

/* Read all rows. Empty lines, and those that begin with '#', are none. Returns
 * 0, or -1 with errno (ENOTSUP where sgang is built without libcsv) and 'err'.
 */
int sgang_trace_table_read(const struct sgang_trace_table *table,
			   struct sgang_error *err);

/* -- trace_columns.c: cells by the name of their column -- */

/* What a row says of its job. The last part is of sacct, which tells sums over
 * all nodes of a job; 0 and NULL are always: it does not say so. */
struct sgang_trace_row {
	struct sgang_trace_draft *draft;
	struct sgang_trace_job job;
	bool submitted, ran; /* it has such a time */
	char options[2048];

	const char *id, *state;
	int64_t end;
	struct sgang_trace_sum {
		uint64_t nodes, cpus, gpus, memory;
	} allocated, requested;
	char memory_unit; /* of requested.memory: 'n' a node, 'c' a CPU */
};

struct sgang_trace_column {
	const char *name; /* in lower case, with '-' for '_' */
	const char *alias;
	/* Reads a cell that is not empty. 0, or -1 with errno: EINVAL and
	 * ERANGE get a sentence with 'expected', others have one in 'err'. */
	int (*take)(struct sgang_trace_row *row, const char *cell);
	const char *expected; /* "a number", ... */
};

struct sgang_trace_form {
	char quote;
	const struct sgang_trace_column *columns; /* ends with a NULL name */
	/* Columns of which one at least is there, "start end": ends with NULL. */
	const char *const *required;
	/* The option of sbatch whose values are in the column 'name' that is
	 * not in the list, or NULL; take_option() takes them, or says in 'err' why not. NULL:
	 * such columns are passed over. */
	const char *(*option)(const char *name);
	int (*take_option)(struct sgang_trace_row *row, const char *option,
			   const char *cell);
	/* A cell of which the row is no job: such rows are counted. May be
	 * NULL. */
	bool (*passes_over)(const char *name, const char *cell);
	/* A row has been read: add its job, or leave it out. */
	int (*end)(struct sgang_trace_row *row);
};

/* Returns 0, or -1 with errno and draft->err. */
int sgang_trace_columns_read(struct sgang_trace_draft *draft, const char *text,
			     char delimiter,
			     const struct sgang_trace_form *form);

/* Text columns of both forms. */
int sgang_trace_take_user(struct sgang_trace_row *row, const char *cell);
int sgang_trace_take_account(struct sgang_trace_row *row, const char *cell);
int sgang_trace_take_partition(struct sgang_trace_row *row, const char *cell);
int sgang_trace_take_qos(struct sgang_trace_row *row, const char *cell);
int sgang_trace_take_name(struct sgang_trace_row *row, const char *cell);
int sgang_trace_take_priority(struct sgang_trace_row *row, const char *cell);

/* -- the forms: 0, or -1 with errno and draft->err -- */

int sgang_trace_read_csv(struct sgang_trace_draft *draft, const char *text,
			 char delimiter);
int sgang_trace_read_sacct(struct sgang_trace_draft *draft, const char *text,
			   char delimiter);
int sgang_trace_read_swf(struct sgang_trace_draft *draft, const char *text);

#endif
