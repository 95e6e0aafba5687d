/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulate.h - a recorded queue replayed with several configurations
 *
 * What sgang simulate reads, runs and tells.
 */

#ifndef SGANG_SIMULATE_H
#define SGANG_SIMULATE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/fabric/fabric.h"
#include "core/gang/conf.h"
#include "twin/measure.h"
#include "twin/outcome.h"
#include "twin/site.h"
#include "twin/trace.h"

/* The longest name of a configuration. */
#define SGANG_SIMULATE_NAME 64

/* One of those that are compared. */
struct sgang_simulate_config {
	const char *path; /* of its gang.conf, borrowed; NULL: the defaults */
	bool stock;       /* Slurm without slurm-gang */
	char name[SGANG_SIMULATE_NAME];
	struct sgang_conf conf;
	struct sgang_fabric *fabric;
	struct sgang_outcome outcome;
	struct sgang_measure measure;
};

struct sgang_simulation {
	const char *jobs_path; /* borrowed */
	struct sgang_trace *trace;
	struct sgang_site *site;
	struct sgang_simulate_config *config; /* one or more */
	size_t n;
	bool recorded_priority; /* the priorities are those of the queue */
	bool all_rings;         /* also those of jobs of no gang */
};

/* Replay the queue with each configuration, in processes of their own, as many
 * at a time as there are cores, and measure what came of it. A bar on a
 * terminal tells how far they are. Returns 0, or -1 with 'err'. */
int sgang_simulate_run(struct sgang_simulation *simulation,
		       struct sgang_error *err);

/* A job of no gang, or a gang, that starts at another time. */
struct sgang_simulate_change {
	uint32_t job; /* of the trace; of a gang the first one */
	bool is_gang;
	uint32_t size;  /* nodes of the job, members of the gang */
	int64_t before; /* with the one configuration; 0: never */
	int64_t after;  /* with the other */
	int64_t later;  /* seconds; below 0: sooner. One that never starts
			  * counts as if it did at the very end */
};

/* Those with the largest difference, at most 'most', the largest first; returns
 * their number, or -1 with ENOMEM. */
ssize_t sgang_simulate_changes(const struct sgang_simulation *simulation,
			       const struct sgang_simulate_config *one,
			       const struct sgang_simulate_config *other,
			       struct sgang_simulate_change *change,
			       size_t most);

/* "500 jobs, 60 gangs from ... on; 64 nodes, 512 CPUs" */
void sgang_simulate_words(const struct sgang_simulation *simulation, FILE *out);

/* Print the table: a column for each configuration; with 'classes' also by
 * class of size. */
void sgang_simulate_print(const struct sgang_simulation *simulation,
			  bool classes, FILE *out);

/* The answer as JSON. NULL with 'err'. */
struct json_object *
sgang_simulate_json(const struct sgang_simulation *simulation,
		    struct sgang_error *err);

/* Write the timelines alone, as a picture. Returns 0, or -1 with 'err'. */
int sgang_simulate_svg(const struct sgang_simulation *simulation, FILE *out,
		       struct sgang_error *err);

/* Write what became of each job with each configuration, as CSV. Returns 0. */
int sgang_simulate_starts(const struct sgang_simulation *simulation, FILE *out,
			  struct sgang_error *err);

/* Write the page. Returns 0, or -1 with 'err'. */
int sgang_simulate_html(const struct sgang_simulation *simulation, FILE *out,
			struct sgang_error *err);

#endif
