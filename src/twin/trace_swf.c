/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_swf.c - a recorded queue in the Standard Workload Format, version 2.2
 *
 * 18 numbers a line, -1 where something is not known; lines that begin with ';'
 * are comments, of which "; UnixStartTime: 1027839845" and "; MaxProcs: 512"
 * count. The format knows processors and no nodes: a node has as many as the
 * caller says, or MaxProcs / MaxNodes of them, or as many as the nodes of the
 * cluster, otherwise one.
 * Source: https://www.cs.huji.ac.il/labs/parallel/workload/swf.html
 */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "trace_private.h"

enum field {
	JOB,
	SUBMIT,
	WAIT,
	RUN,
	PROCESSORS,
	CPU_TIME,
	MEMORY, /* KB a processor */
	ASKED_PROCESSORS,
	ASKED_TIME,
	ASKED_MEMORY,
	STATUS,
	USER,
	GROUP,
	PROGRAM,
	QUEUE,
	PARTITION,
	PRECEDING,
	THINK_TIME,
	FIELDS
};

static const char *const field_names[FIELDS] = {
	"job number",    "submit time",      "wait time",   "run time",
	"processors",    "average CPU time", "used memory", "asked processors",
	"asked time",    "asked memory",     "status",      "user",
	"group",         "executable",       "queue",       "partition",
	"preceding job", "think time",
};

/* Lines of jobs that were stopped and went on tell their parts behind a line
 * that tells the whole. */
enum status { STATUS_FIRST_PART = 2, STATUS_LAST_PART = 4 };

struct reader {
	struct sgang_trace_draft *draft;
	uint32_t line;
	int64_t epoch;
	uint64_t max_nodes, max_processors;
	uint64_t on_node; /* processors of a node; 0: not settled */
};

static int complain(const struct reader *reader, const char *what)
{
	return sgang_errf(reader->draft->err, EINVAL, "%s:%u: %s",
			  reader->draft->label, reader->line, what);
}

/* "; MaxProcs:  512 (or so)". Others are passed over. */
static void read_header(struct reader *reader, const char *line)
{
	int64_t number;
	char name[32];

	if (sscanf(line, ";%*[ \t;]%31[A-Za-z]: %15" SCNd64, name, &number) !=
		    2 ||
	    number < 0)
		return;
	if (!strcasecmp(name, "UnixStartTime"))
		reader->epoch = number;
	else if (!strcasecmp(name, "MaxNodes"))
		reader->max_nodes = (uint64_t)number;
	else if (!strcasecmp(name, "MaxProcs"))
		reader->max_processors = (uint64_t)number;
}

/* Read a number of at most 15 digits, of which what is behind the point does
 * not count. */
static char *read_number(char *at, int64_t *number)
{
	bool negative = *at == '-';
	size_t digits, more;

	at += negative;
	digits = strspn(at, "0123456789");
	if (!digits || digits > 15)
		return NULL;
	*number = strtoll(at, NULL, 10) * (negative ? -1 : 1);
	at += digits;
	if (*at == '.') {
		more = strspn(at + 1, "0123456789");
		at += 1 + more;
	}
	return *at && !isspace((unsigned char)*at) ? NULL : at;
}

static int read_fields(const struct reader *reader, char *line,
		       int64_t value[FIELDS])
{
	char what[128], shown[SGANG_TEXT_SHOWN];
	enum field field;
	char *at = line, *end;

	for (field = JOB; field < FIELDS; field++) {
		at += strspn(at, " \t\r");
		end = read_number(at, &value[field]);
		if (!end) {
			at[strcspn(at, " \t\r")] = '\0';
			snprintf(what, sizeof(what),
				 "field %d (%s): expected a number, found "
				 "\"%.40s\"",
				 field + 1, field_names[field],
				 sgang_text_show(shown, at));
			return complain(reader, what);
		}
		at = end;
	}
	at += strspn(at, " \t\r");
	return *at ? complain(reader, "it has more than 18 fields") : 0;
}

/* "user12"; "" if it is not known. */
static const char *named(struct sgang_trace_draft *draft, const char *what,
			 int64_t number)
{
	char text[40];

	if (number < 0)
		return "";
	snprintf(text, sizeof(text), "%s%" PRId64, what, number);
	return sgang_trace_text(draft, text);
}

static uint32_t at_most(int64_t number)
{
	return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX - 1;
}

/* Before the first job: all of the header was read. */
static void settle_nodes(struct reader *reader)
{
	const struct sgang_trace_terms *terms = reader->draft->terms;

	if (terms->slots)
		reader->on_node = terms->slots;
	else if (reader->max_nodes && reader->max_processors)
		reader->on_node = reader->max_processors / reader->max_nodes;
	else
		reader->on_node = terms->node_slots;
	reader->draft->trace->processors_are_nodes = !reader->on_node;
	if (!reader->on_node)
		reader->on_node = 1;
}

/* Nodes, and processors and memory of each. */
static void share_out(const struct reader *reader, const int64_t value[FIELDS],
		      struct sgang_trace_job *job)
{
	uint64_t processors = at_most(value[PROCESSORS] > 0 ?
					      value[PROCESSORS] :
					      value[ASKED_PROCESSORS]);
	uint64_t on_node = reader->on_node;
	int64_t memory = value[ASKED_MEMORY] > 0 ? value[ASKED_MEMORY] :
						   value[MEMORY];

	job->nodes = (uint32_t)((processors + on_node - 1) / on_node);
	job->cpus = (uint32_t)((processors + job->nodes - 1) / job->nodes);
	job->ranks = (uint32_t)processors;
	if (memory > 0 && memory < INT64_MAX / UINT32_MAX)
		job->memory = ((uint64_t)memory * job->cpus + 1023) / 1024;
}

static int read_job(struct reader *reader, const int64_t value[FIELDS])
{
	struct sgang_trace_draft *draft = reader->draft;
	struct sgang_trace_job job;

	if (value[SUBMIT] < 0 || value[RUN] < 0 ||
	    (value[PROCESSORS] <= 0 && value[ASKED_PROCESSORS] <= 0) ||
	    (value[STATUS] >= STATUS_FIRST_PART &&
	     value[STATUS] <= STATUS_LAST_PART)) {
		draft->trace->n_left_out++;
		return 0;
	}
	if (!reader->on_node)
		settle_nodes(reader);
	sgang_trace_job_init(&job);
	job.line = reader->line;
	job.id = value[JOB] > 0 ? (uint64_t)value[JOB] : reader->line;
	job.submit = reader->epoch + value[SUBMIT];
	if (value[WAIT] >= 0)
		job.started = job.submit + value[WAIT];
	job.run = at_most(value[RUN]);
	if (value[ASKED_TIME] > 0)
		job.limit = at_most(value[ASKED_TIME]);
	share_out(reader, value, &job);
	job.user = named(draft, "user", value[USER]);
	job.account = named(draft, "group", value[GROUP]);
	job.name = named(draft, "app", value[PROGRAM]);
	job.qos = named(draft, "queue", value[QUEUE]);
	if (!job.user || !job.account || !job.name || !job.qos)
		return -1;
	return sgang_trace_add(draft, &job);
}

static int read_line(struct reader *reader, char *line)
{
	int64_t value[FIELDS];

	if (!line[strspn(line, " \t\r")])
		return 0;
	if (*line == ';') {
		read_header(reader, line);
		return 0;
	}
	return read_fields(reader, line, value) ? -1 : read_job(reader, value);
}

int sgang_trace_read_swf(struct sgang_trace_draft *draft, const char *text)
{
	struct reader reader = { .draft = draft };
	char *copy = strdup(text), *rest = copy, *line;
	int rc = 0, saved;

	if (!copy)
		return sgang_err_memory(draft->err);
	if (draft->terms->gangs == SGANG_TRACE_GANGS_COLUMN)
		rc = sgang_errf(draft->err, EINVAL,
				"%s: the Standard Workload Format has no "
				"columns with names, expected gangs by a rule "
				"or none",
				draft->label);
	while (!rc && (line = strsep(&rest, "\n"))) {
		reader.line++;
		rc = read_line(&reader, line);
	}
	saved = errno;
	free(copy);
	errno = saved;
	return rc;
}
