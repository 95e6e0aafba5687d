/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_sacct.c - a recorded queue as sacct --parsable2 prints it
 *
 * What a job got counts more than what it asked for: a job that takes whole
 * nodes asks for one CPU. Sums over all nodes of a job are divided among them,
 * rounded up.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "core/gang/record.h"
#include "trace_private.h"

static int take_id(struct sgang_trace_row *row, const char *cell)
{
	const size_t length = strspn(cell, "0123456789");
	char digits[24];

	if (!row->id || strpbrk(cell, "_+"))
		row->id = cell;
	if (length >= sizeof(digits))
		return sgang_text_number(cell, 0, UINT64_MAX, &row->job.id);
	memcpy(digits, cell, length);
	digits[length] = '\0';
	return sgang_text_number(digits, 0, UINT64_MAX, &row->job.id);
}

/* "100_3" of an array and "100+1" of several parts have numbers of their own
 * in JobIDRaw. */
static int take_shown_id(struct sgang_trace_row *row, const char *cell)
{
	const uint64_t raw = row->job.id;
	int rc = take_id(row, cell);

	if (raw)
		row->job.id = raw;
	return rc;
}

static int take_moment(const char *cell, int64_t *when)
{
	if (!strcasecmp(cell, "Unknown") || !strcasecmp(cell, "None"))
		return 0;
	return sgang_trace_moment(cell, when);
}

static int take_submit(struct sgang_trace_row *row, const char *cell)
{
	int rc = take_moment(cell, &row->job.submit);

	row->submitted = row->job.submit > 0;
	return rc;
}

static int take_start(struct sgang_trace_row *row, const char *cell)
{
	return take_moment(cell, &row->job.started);
}

static int take_end(struct sgang_trace_row *row, const char *cell)
{
	return take_moment(cell, &row->end);
}

static int take_elapsed(struct sgang_trace_row *row, const char *cell)
{
	row->ran = true;
	return sgang_trace_span(cell, &row->job.run);
}

static int take_limit(struct sgang_trace_row *row, const char *cell)
{
	if (!strcasecmp(cell, "Partition_Limit"))
		return 0;
	return sgang_text_time(cell, &row->job.limit);
}

static int take_state(struct sgang_trace_row *row, const char *cell)
{
	row->state = cell;
	return 0;
}

static int take_alloc_nodes(struct sgang_trace_row *row, const char *cell)
{
	return sgang_text_number(cell, 0, UINT32_MAX, &row->allocated.nodes);
}

static int take_nodes(struct sgang_trace_row *row, const char *cell)
{
	return sgang_text_number(cell, 0, UINT32_MAX, &row->requested.nodes);
}

static int take_alloc_cpus(struct sgang_trace_row *row, const char *cell)
{
	return sgang_text_number(cell, 0, UINT32_MAX, &row->allocated.cpus);
}

static int take_cpus(struct sgang_trace_row *row, const char *cell)
{
	return sgang_text_number(cell, 0, UINT32_MAX, &row->requested.cpus);
}

static int take_ranks(struct sgang_trace_row *row, const char *cell)
{
	uint64_t number;

	if (sgang_text_number(cell, 0, UINT32_MAX, &number))
		return -1;
	row->job.ranks = (uint32_t)number;
	return 0;
}

/* "64G", "4Gn" a node or "500Mc" a CPU. */
static int take_memory(struct sgang_trace_row *row, const char *cell)
{
	size_t length = strlen(cell);
	char size[32];

	if (row->requested.memory)
		return 0; /* of ReqTRES */
	if (length >= sizeof(size)) {
		errno = EINVAL;
		return -1;
	}
	strcpy(size, cell);
	if (size[length - 1] == 'n' || size[length - 1] == 'c') {
		row->memory_unit = size[length - 1];
		size[length - 1] = '\0';
	}
	if (size[0] == '?') /* it is not known */
		return 0;
	return sgang_trace_size(size, &row->requested.memory);
}

/* ---- trackable resources: "cpu=8,gres/gpu:a100=4,gres/gpu=4,mem=64G" ---- */

static int take_resource(struct sgang_trace_sum *sum, uint64_t *typed_gpus,
			 const char *name, const char *value)
{
	static const char gpu[] = "gres/gpu";
	uint64_t number;

	if (!strcmp(name, "mem"))
		return sgang_trace_size(value, &sum->memory);
	if (strcmp(name, "cpu") && strcmp(name, "node") &&
	    strncmp(name, gpu, sizeof(gpu) - 1))
		return 0;
	if (sgang_text_number(value, 0, UINT32_MAX, &number))
		return -1;
	if (!strcmp(name, "cpu"))
		sum->cpus = number;
	else if (!strcmp(name, "node"))
		sum->nodes = number;
	else if (!name[sizeof(gpu) - 1])
		sum->gpus = number;
	else if (name[sizeof(gpu) - 1] == ':')
		*typed_gpus += number;
	return 0;
}

static int take_resources(struct sgang_trace_sum *sum, const char *cell)
{
	char copy[1024], *rest = copy, *name, *value;
	uint64_t typed_gpus = 0;

	if (strlen(cell) >= sizeof(copy)) {
		errno = ERANGE;
		return -1;
	}
	strcpy(copy, cell);
	while ((name = strsep(&rest, ","))) {
		value = strchr(name, '=');
		if (!value) {
			errno = EINVAL;
			return -1;
		}
		*value++ = '\0';
		if (take_resource(sum, &typed_gpus, name, value))
			return -1;
	}
	if (!sum->gpus)
		sum->gpus = typed_gpus;
	return 0;
}

static int take_alloc_tres(struct sgang_trace_row *row, const char *cell)
{
	return take_resources(&row->allocated, cell);
}

static int take_tres(struct sgang_trace_row *row, const char *cell)
{
	row->requested.memory = 0; /* of ReqMem */
	row->memory_unit = '\0';
	return take_resources(&row->requested, cell);
}

/* ---- gangs ---- */

static int take_record(struct sgang_trace_row *row, const char *cell)
{
	char name[SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + 2];
	struct sgang_record record;

	if (row->draft->terms->gangs != SGANG_TRACE_GANGS_RECORDED ||
	    !strstr(cell, "gang=") ||
	    sgang_record_parse_brief(cell, &record) != 1)
		return 0;
	snprintf(name, sizeof(name), "%s/%s", record.ns, record.name);
	row->job.gang = sgang_trace_text(row->draft, name);
	row->job.min_member = record.min_member ? record.min_member :
			      record.placed     ? record.members :
						  0;
	return row->job.gang ? 0 : -1;
}

/* Slurm starts the parts of a heterogeneous job together. */
static int name_parts(struct sgang_trace_row *row)
{
	char name[32];

	if (row->draft->terms->gangs != SGANG_TRACE_GANGS_RECORDED ||
	    row->job.gang[0] || !row->id || !strchr(row->id, '+'))
		return 0;
	snprintf(name, sizeof(name), "/het-%.*s",
		 (int)strspn(row->id, "0123456789") % 24, row->id);
	row->job.gang = sgang_trace_text(row->draft, name);
	return row->job.gang ? 0 : -1;
}

#define MOMENT "a date such as 2026-03-29T06:00:00, or seconds since 1970"
#define RESOURCES "resources such as cpu=8,mem=64G,node=2"
#define NUMBER "a number"
#define DURATION "a duration such as 1-12:30:00"

static const struct sgang_trace_column columns[] = {
	{ "jobidraw", NULL, take_id, "the number of a job" },
	{ "jobid", NULL, take_shown_id, "the number of a job" },
	{ "jobname", NULL, sgang_trace_take_name, NULL },
	{ "user", NULL, sgang_trace_take_user, NULL },
	{ "account", NULL, sgang_trace_take_account, NULL },
	{ "partition", NULL, sgang_trace_take_partition, NULL },
	{ "qos", NULL, sgang_trace_take_qos, NULL },
	{ "submit", NULL, take_submit, MOMENT },
	{ "start", NULL, take_start, MOMENT },
	{ "end", NULL, take_end, MOMENT },
	{ "elapsed", NULL, take_elapsed, DURATION },
	{ "elapsedraw", NULL, take_elapsed, "seconds" },
	{ "timelimit", NULL, take_limit, DURATION },
	{ "timelimitraw", NULL, take_limit, "minutes" },
	{ "state", NULL, take_state, NULL },
	{ "allocnodes", NULL, take_alloc_nodes, NUMBER },
	{ "nnodes", NULL, take_nodes, NUMBER },
	{ "reqnodes", NULL, take_nodes, NUMBER },
	{ "alloccpus", NULL, take_alloc_cpus, NUMBER },
	{ "ncpus", NULL, take_cpus, NUMBER },
	{ "reqcpus", NULL, take_cpus, NUMBER },
	{ "alloctres", NULL, take_alloc_tres, RESOURCES },
	{ "reqtres", NULL, take_tres, RESOURCES },
	{ "reqmem", NULL, take_memory, "a size such as 64G" },
	{ "ntasks", NULL, take_ranks, NUMBER },
	{ "priority", NULL, sgang_trace_take_priority, NUMBER },
	{ "systemcomment", NULL, take_record, NULL },
	{ "comment", NULL, take_record, NULL },
	{ NULL, NULL, NULL, NULL },
};

static const char *const required[] = {
	"jobidraw jobid",
	"submit",
	"start",
	"elapsedraw elapsed end",
	"allocnodes nnodes reqnodes alloctres reqtres",
	NULL,
};

/* ---- rows ---- */

/* "1234.batch" is a part of 1234. */
static bool is_step(const char *name, const char *cell)
{
	return !strncasecmp(name, "jobid", 5) && strchr(cell, '.');
}

/* What its accounting says of a job that never had nodes differs with the
 * release: no start, or one when it was cancelled, with nothing allocated. */
static bool never_ran(const struct sgang_trace_row *row)
{
	if (!row->job.started || !row->ran)
		return true;
	if (row->job.run || !row->state)
		return false;
	return !strncmp(row->state, "PENDING", 7) ||
	       !strncmp(row->state, "DEADLINE", 8) ||
	       !strncmp(row->state, "CANCELLED", 9);
}

static uint64_t of_each(uint64_t sum, uint64_t parts)
{
	return (sum + parts - 1) / parts;
}

/* Sums over all nodes are known last. */
static void share_out(struct sgang_trace_row *row)
{
	const struct sgang_trace_sum *got = &row->allocated;
	const struct sgang_trace_sum *asked = &row->requested;
	struct sgang_trace_job *job = &row->job;
	uint64_t cpus = got->cpus ? got->cpus : asked->cpus;
	uint64_t gpus = got->gpus ? got->gpus : asked->gpus;
	uint64_t memory = got->memory ? got->memory : asked->memory;

	job->nodes = (uint32_t)(got->nodes ? got->nodes : asked->nodes);
	if (!job->nodes)
		return;
	if (cpus)
		job->cpus = (uint32_t)of_each(cpus, job->nodes);
	job->gpus = (uint32_t)of_each(gpus, job->nodes);
	job->memory = of_each(memory, job->nodes);
	if (!got->memory && row->memory_unit == 'n')
		job->memory = memory;
	else if (!got->memory && row->memory_unit == 'c')
		job->memory = memory * job->cpus;
}

static int end_row(struct sgang_trace_row *row)
{
	struct sgang_trace_draft *draft = row->draft;

	if (!row->ran && row->end >= row->job.started && row->job.started) {
		row->job.run = (uint32_t)(row->end - row->job.started);
		row->ran = true;
	}
	share_out(row);
	if (!row->submitted || !row->job.nodes || never_ran(row)) {
		draft->trace->n_left_out++;
		return 0;
	}
	if (name_parts(row))
		return -1;
	return sgang_trace_add(draft, &row->job);
}

int sgang_trace_read_sacct(struct sgang_trace_draft *draft, const char *text,
			   char delimiter)
{
	static const struct sgang_trace_form form = {
		.columns = columns,
		.required = required,
		.passes_over = is_step,
		.end = end_row,
	};

	draft->min_observed = true;
	return sgang_trace_columns_read(draft, text, delimiter, &form);
}
