/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.h - a recorded queue: who asked for what, when, and how long it ran
 *
 * Three forms are read: the output of sacct --parsable2, the Standard Workload
 * Format, and a CSV file with named columns. sgang(1) lists the fields.
 */

#ifndef SGANG_TRACE_H
#define SGANG_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

/* What gangs the jobs make. */
enum sgang_trace_gangs {
	SGANG_TRACE_GANGS_NONE,
	SGANG_TRACE_GANGS_RECORDED, /* of sacct: what slurm-gang wrote into
				     * SystemComment or Comment, and parts of a
				     * heterogeneous job; of a CSV: its column
				     * gang; of SWF: none */
	SGANG_TRACE_GANGS_COLUMN,   /* equal words of 'column' that are not
				     * empty, of the same user. Here and above a
				     * word that comes again once all who had it
				     * are over is another gang, as far as it is
				     * known when they started */
	SGANG_TRACE_GANGS_RULE      /* the same user and job name, each
				     * submitted at most 'within' seconds after
				     * the one before; two jobs at least */
};

struct sgang_trace_terms {
	enum sgang_trace_gangs gangs;
	const char *column;
	uint32_t within;
	/* Of a form that knows processors and no nodes: how many a node has, if
	 * its own header says something else, too; and if that says nothing.
	 * 0: not known. */
	uint32_t slots, node_slots;
};

/* Texts are owned by the trace and never NULL: "" is not known. */
struct sgang_trace_job {
	uint64_t id;       /* as the trace calls it */
	uint32_t line;     /* of the file */
	int64_t submit;    /* seconds since the epoch */
	int64_t started;   /* as recorded; 0: not known */
	uint32_t run;      /* seconds of work, once all that it needs has
			    * started */
	uint32_t limit;    /* seconds; UINT32_MAX: none */
	uint32_t nodes;    /* 1 or more */
	uint32_t cpus;     /* on each node */
	uint32_t gpus;     /* on each node */
	uint64_t memory;   /* MB on each node; 0: not counted */
	bool whole;        /* it takes whole nodes */
	uint32_t ranks;    /* tasks, 1 or more */
	uint32_t priority; /* 0: not known */
	const char *user, *account, *partition, *qos, *name;
	const char *gang;    /* name of its gang, one for each gang of the user:
			      * one that struct sgang_spec can have */
	const char *options; /* of its gang, "gang_mode=nonstrict|gang_order=0",
			      * as SPANK has them; not gang nor
			      * gang_min_member */
	uint32_t min_member; /* 0: all members that the trace has */
};

struct sgang_trace {
	struct sgang_trace_job *jobs; /* in order of submission, then of
				       * lines */
	size_t n_jobs;
	size_t n_gangs;
	/* Lines that are no job to replay: steps, jobs that never ran (were
	 * cancelled while they waited), jobs without a size or a time. */
	size_t n_left_out;
	/* Of them: rows with more or fewer cells than the header, because a
	 * value has the delimiter or the end of a line in it. */
	size_t n_broken;
	uint32_t first_broken; /* its line */
	/* Nothing tells how many processors a node has: each one counts as a
	 * node. */
	bool processors_are_nodes;
	void *memory;
};

/* Read 'path'; "-" is standard input. What form it has is found in its first
 * lines. Returns a trace to free with sgang_trace_destroy(), or NULL with errno
 * (EINVAL, ENOMEM, ENOTSUP where sgang is built without libcsv, or that of
 * open()) and 'err' saying file:line, what is wrong and what to do. */
struct sgang_trace *sgang_trace_load(const char *path,
				     const struct sgang_trace_terms *terms,
				     struct sgang_error *err);

/* NULL is fine. */
void sgang_trace_destroy(struct sgang_trace *trace);

#endif
