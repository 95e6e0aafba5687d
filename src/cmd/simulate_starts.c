/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulate_starts.c - what became of each job, for other programs to read */

#include <inttypes.h>

#include "cmd/simulate.h"

static const char *const how_word[] = {
	[SGANG_OUTCOME_WAITS] = "waits",
	[SGANG_OUTCOME_COMPLETED] = "completed",
	[SGANG_OUTCOME_TIMEOUT] = "timeout",
	[SGANG_OUTCOME_REFUSED] = "refused",
	[SGANG_OUTCOME_PREEMPTED] = "preempted",
	[SGANG_OUTCOME_CANCELLED] = "cancelled",
};

static void print_nodes(const struct sgang_simulation *simulation,
			const struct sgang_outcome *o,
			const struct sgang_outcome_job *j, FILE *out)
{
	uint32_t i;

	for (i = 0; i < j->n_nodes; i++)
		fprintf(out, "%s%s", i ? " " : "",
			simulation->site->nodes[o->nodes[j->first + i]].name);
}

static void print_job(const struct sgang_simulation *simulation,
		      const struct sgang_simulate_config *config, size_t i,
		      FILE *out)
{
	const struct sgang_trace_job *t = &simulation->trace->jobs[i];
	const struct sgang_outcome_job *j = &config->outcome.jobs[i];

	fprintf(out,
		"%s,%" PRIu64 ",%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
		",%s,",
		config->name, t->id, t->gang, t->submit, j->start, j->work,
		j->end, how_word[j->how]);
	print_nodes(simulation, &config->outcome, j, out);
	fputc('\n', out);
}

int sgang_simulate_starts(const struct sgang_simulation *simulation, FILE *out,
			  struct sgang_error *err)
{
	size_t c, i;

	(void)err;
	fputs("configuration,id,gang,submit,start,work,end,how,nodes\n", out);
	for (c = 0; c < simulation->n; c++)
		for (i = 0; i < simulation->trace->n_jobs; i++)
			print_job(simulation, &simulation->config[c], i, out);
	return 0;
}
