/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics.h - counts of the conductor's actions, for monitoring
 *
 * Counters since slurmctld started, and histograms. Only the conductor's thread
 * uses them, so they need no lock.
 */

#ifndef SGANG_METRICS_H
#define SGANG_METRICS_H

#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/gang/record.h"

enum sgang_counter {
	SGANG_COUNT_ATTEMPTS,    /* transactions tried */
	SGANG_COUNT_ROLLBACKS,   /* ... taken back after a refusal */
	SGANG_COUNT_TIMEOUTS,    /* waiting times that ended */
	SGANG_COUNT_STARTS,      /* gangs started */
	SGANG_COUNT_UNSAVED,     /* saves of the job state that failed */
	SGANG_COUNT_STRIKES,     /* gangs that began to preempt */
	SGANG_COUNT_VICTIMS,     /* jobs preempted */
	SGANG_COUNT_CLAIMS_LOST, /* without a start on the freed nodes */
	SGANG_COUNT_REPLACED,    /* placeholders, by their members */
	SGANG_COUNT_PLACEHOLDER_TIMEOUTS, /* placeholders in vain */
	SGANG_COUNT_PLACEHOLDERS_STOPPED, /* ... lost */
	SGANG_COUNT_PLACEHOLDERS_PREEMPTED,
	SGANG_COUNTERS
};

enum sgang_histogram {
	SGANG_HIST_LOCK, /* seconds slurmctld's locks were held */
	SGANG_HIST_WAIT, /* seconds from a gang's first member to
			  * its start */
	SGANG_HIST_RING, /* ring cost over that of an empty
			  * cluster */
	SGANG_HISTOGRAMS
};

#define SGANG_METRICS_BUCKETS 10

/* All zero at first. */
struct sgang_metrics {
	uint64_t count[SGANG_COUNTERS];
	uint64_t holds_ended[SGANG_HOLD_ENDS]; /* members; NONE: unused */
	uint64_t gangs_ended[SGANG_VERDICTS];  /* NONE: unused */
	struct {
		uint64_t bucket[SGANG_METRICS_BUCKETS + 1]; /* last: above */
		double sum;
	} hist[SGANG_HISTOGRAMS];
};

void sgang_metrics_add(struct sgang_metrics *m, enum sgang_counter counter);
/* The holds of so many members ended without a start. */
void sgang_metrics_hold_ended(struct sgang_metrics *m, enum sgang_hold_end why,
			      size_t members);
/* That became of a gang. */
void sgang_metrics_gang_ended(struct sgang_metrics *m,
			      enum sgang_verdict verdict);
void sgang_metrics_observe(struct sgang_metrics *m,
			   enum sgang_histogram histogram, double value);

/* All of them as OpenMetrics text, with its end. */
void sgang_metrics_print(const struct sgang_metrics *m, FILE *out);

/* Replace the file 'path' by that text in one step. The file is not forced onto
 * the disk, because the counts restart after a crash of the machine. Returns 0,
 * or -1 with errno and 'err' filled; the old file then stays. */
int sgang_metrics_write(const struct sgang_metrics *m, const char *path,
			struct sgang_error *err);

#endif
