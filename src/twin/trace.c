/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.c - which form a recorded queue has, and its jobs in order */

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/text_file.h"
#include "trace_private.h"

/* Some million jobs. */
#define FILE_MAX ((size_t)2 << 30)

/* Seconds. */
#define FIRST_DAY (24 * 60 * 60)

enum form {
	FORM_SACCT,
	FORM_PADDED, /* sacct without --parsable2 */
	FORM_SWF,
	FORM_CSV
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* The first line that is not empty and no comment. */
static const char *first_line(const char *text)
{
	while (*text && (*text == '#' || !text[strspn(text, " \t\r")] ||
			 text[strspn(text, " \t\r")] == '\n')) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return text;
}

/* Does the header have a column JobID or JobIDRaw? */
static bool has_job_id(const char *line)
{
	static const char id[] = "jobid";
	const size_t length = sizeof(id) - 1;
	const char *at;

	for (at = line; *at && *at != '\n'; at++) {
		if ((at > line && is_word(at[-1])) ||
		    strncasecmp(at, id, length))
			continue;
		if (!is_word(at[length]) ||
		    (!strncasecmp(at + length, "raw", 3) &&
		     !is_word(at[length + 3])))
			return true;
	}
	return false;
}

/* What stands behind the first word of a header. */
static char find_delimiter(const char *line)
{
	line += strspn(line, "\"'");
	while (is_word(*line))
		line++;
	line += strspn(line, "\"'");
	return *line && *line != '\n' && *line != '\r' ? *line : ',';
}

static bool is_numbers(const char *line)
{
	size_t length = strcspn(line, "\n");

	return length && strspn(line, "0123456789-. \t\r") >= length &&
	       strspn(line, "0123456789-.") < length;
}

static enum form find_form(const char *text, char *delimiter)
{
	const char *line = first_line(text);

	if (*line == ';' || is_numbers(line))
		return FORM_SWF;
	*delimiter = find_delimiter(line);
	if (!has_job_id(line))
		return FORM_CSV;
	return *delimiter == ' ' ? FORM_PADDED : FORM_SACCT;
}

static int read_text(struct sgang_trace_draft *draft, const char *text)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	char delimiter = ',';

	if (!strncmp(text, byte_order_mark, 3))
		text += 3;
	switch (find_form(text, &delimiter)) {
	case FORM_SACCT:
		return sgang_trace_read_sacct(draft, text, delimiter);
	case FORM_SWF:
		return sgang_trace_read_swf(draft, text);
	case FORM_CSV:
		return sgang_trace_read_csv(draft, text, delimiter);
	case FORM_PADDED:
		break;
	}
	return sgang_errf(draft->err, EINVAL,
			  "%s: this is a table for people: call sacct with "
			  "--parsable2",
			  draft->label);
}

static int by_submit(const void *a, const void *b)
{
	const struct sgang_trace_job *x = a, *y = b;

	if (x->submit != y->submit)
		return x->submit < y->submit ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Times that count from the first job on, as in a queue without a date: 0 means
 * never in all that follows. */
static void begin_later(struct sgang_trace *trace)
{
	size_t i;

	if (trace->jobs[0].submit > 0)
		return;
	for (i = 0; i < trace->n_jobs; i++) {
		struct sgang_trace_job *job = &trace->jobs[i];

		job->submit += FIRST_DAY;
		if (job->started)
			job->started += FIRST_DAY;
	}
}

static int read_trace(struct sgang_trace_draft *draft, const char *text)
{
	struct sgang_trace *trace = draft->trace;

	if (read_text(draft, text))
		return -1;
	/* a few have the delimiter in a value; most have another header */
	if (2 * trace->n_broken > trace->n_jobs + trace->n_left_out)
		return sgang_errf(draft->err, EINVAL, "%s", draft->broken.text);
	if (!trace->n_jobs)
		return sgang_errf(draft->err, EINVAL,
				  "%s: no line of it is a job that ran (%zu "
				  "left out), expected the output of sacct "
				  "--parsable2, the Standard Workload Format "
				  "or CSV with a header",
				  draft->label, trace->n_left_out);
	qsort(trace->jobs, trace->n_jobs, sizeof(*trace->jobs), by_submit);
	begin_later(trace);
	return sgang_trace_gangs(draft);
}

struct sgang_trace *sgang_trace_load(const char *path,
				     const struct sgang_trace_terms *terms,
				     struct sgang_error *err)
{
	const bool standard_input = !strcmp(path, "-");
	struct sgang_trace_draft draft = {
		.terms = terms,
		.label = standard_input ? "standard input" : path,
		.err = err,
	};
	static const char kind[] = "a recorded queue";
	char *text = standard_input ?
			     sgang_text_stdin_read(FILE_MAX, kind, err) :
			     sgang_text_file_read(path, FILE_MAX, kind, err);
	int rc = -1, saved;

	if (!text)
		return NULL;
	draft.trace = calloc(1, sizeof(*draft.trace));
	if (draft.trace)
		draft.trace->memory = calloc(1, sizeof(struct sgang_pool));
	if (!draft.trace || !draft.trace->memory)
		sgang_err_memory(err);
	else
		rc = read_trace(&draft, text);
	saved = errno;
	sgang_trace_draft_clear(&draft);
	free(text);
	if (rc) {
		sgang_trace_destroy(draft.trace);
		draft.trace = NULL;
	}
	errno = saved;
	return draft.trace;
}

void sgang_trace_destroy(struct sgang_trace *trace)
{
	int saved = errno;

	if (!trace)
		return;
	if (trace->memory)
		sgang_pool_clear(trace->memory);
	free(trace->memory);
	free(trace->jobs);
	free(trace);
	errno = saved;
}
