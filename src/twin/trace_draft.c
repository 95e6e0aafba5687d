/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_draft.c - the jobs of a recorded queue while it is read */

#define _GNU_SOURCE /* tdestroy() */

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "trace_private.h"

#define JOBS_FIRST 1024

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

const char *sgang_trace_text(struct sgang_trace_draft *draft, const char *text)
{
	char *const *known;
	size_t size;
	char *copy;

	if (!*text)
		return "";
	known = tfind(text, &draft->texts, by_text);
	if (known)
		return *known;
	size = strlen(text) + 1;
	copy = sgang_pool_alloc(draft->trace->memory, size, 1);
	if (!copy ||
	    !tsearch(memcpy(copy, text, size), &draft->texts, by_text)) {
		sgang_errf(draft->err, ENOMEM, "%s: out of memory",
			   draft->label);
		return NULL;
	}
	return copy;
}

void sgang_trace_job_init(struct sgang_trace_job *job)
{
	*job = (struct sgang_trace_job){
		.limit = UINT32_MAX,
		.nodes = 1,
		.cpus = 1,
		.user = "",
		.account = "",
		.partition = "",
		.qos = "",
		.name = "",
		.gang = "",
		.options = "",
	};
}

int sgang_trace_add(struct sgang_trace_draft *draft,
		    const struct sgang_trace_job *job)
{
	struct sgang_trace *trace = draft->trace;
	struct sgang_trace_job *bigger;
	size_t room;

	if (trace->n_jobs == draft->room) {
		room = draft->room ? 2 * draft->room : JOBS_FIRST;
		bigger = realloc(trace->jobs, room * sizeof(*bigger));
		if (!bigger)
			return sgang_errf(draft->err, ENOMEM,
					  "%s: out of memory", draft->label);
		trace->jobs = bigger;
		draft->room = room;
	}
	trace->jobs[trace->n_jobs] = *job;
	if (!job->ranks)
		trace->jobs[trace->n_jobs].ranks = job->nodes;
	trace->n_jobs++;
	return 0;
}

/* The texts are in the pool. */
static void keep(void *text)
{
	(void)text;
}

void sgang_trace_draft_clear(struct sgang_trace_draft *draft)
{
	int saved = errno;

	tdestroy(draft->texts, keep);
	draft->texts = NULL;
	errno = saved;
}
