/* SPDX-License-Identifier: GPL-2.0-or-later */
/* twin.h - replay a recorded queue with the code that slurmctld runs
 *
 * The conductor, the gate, the placer and the planner are those of the plugin.
 * What they ask of slurmctld is answered by a cluster in memory with a clock of
 * its own: nodes with CPUs, memory and GPUs, partitions, priorities, the main
 * scheduler and backfill. sgang(1) says what of stock Slurm is modelled, and
 * how.
 */

#ifndef SGANG_TWIN_H
#define SGANG_TWIN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/fabric/topologies.h"
#include "core/gang/conf.h"
#include "outcome.h"
#include "site.h"
#include "trace.h"

/* All is borrowed. */
struct sgang_twin_terms {
	const struct sgang_trace *trace;
	const struct sgang_site *site;
	struct sgang_fabric *fabric;     /* node i is node i of the site */
	const struct sgang_conf *conf;   /* NULL: stock Slurm, in which members
					* start one by one, and a gang works
					* once those that it needs have nodes at
					* once */
	const struct sgang_costs *costs; /* with which rings of stock Slurm are
					  * measured; NULL: the defaults */
	bool all_rings;  /* measure those of jobs of no gang, too */
	bool priorities; /* those of the trace, where it has them */
	/* Called now and then with the share of the jobs that have ended; may
	 * be NULL. */
	void (*progress)(double share, void *arg);
	void *arg;
	FILE *log; /* what slurm-gang would write into slurmctld's log; NULL:
		    * nobody wants it */
};

/* Returns 0 and '*outcome', which sgang_outcome_clear() frees, or -1 with
 * ENOMEM and 'err'. The same terms give the same outcome, but for `seconds` and
 * `memory`. One replay at a time in a process. */
int sgang_twin_run(const struct sgang_twin_terms *terms,
		   struct sgang_outcome *outcome, struct sgang_error *err);

#endif
