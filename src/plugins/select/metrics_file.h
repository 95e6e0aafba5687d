/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics_file.h - MetricsFile=, written by a thread that may hang
 *
 * The file may be on a server that does not answer. Therefore a thread of its
 * own writes it; the caller passes the counts on and continues. While a write
 * hangs the file stays as it is.
 */

#ifndef SGANG_METRICS_FILE_H
#define SGANG_METRICS_FILE_H

#include <stdint.h>

#include "metrics.h"

struct sgang_metrics_file;

/* NULL with ENOMEM. The thread begins with the first counts. */
struct sgang_metrics_file *sgang_metrics_file_create(void);

/* Waits for a write in progress: slurmctld does not call this, its threads end
 * with the process. */
void sgang_metrics_file_destroy(struct sgang_metrics_file *f);

/* Pass on the counts of the moment 'now' (microseconds of a clock that does not
 * jump), for the file 'path'. The counts are written unless the file has them
 * already or the last attempt was less than 15 seconds ago. A failure is logged
 * once, and tried again. Does not wait; called by one thread. */
void sgang_metrics_file_offer(struct sgang_metrics_file *f,
			      const struct sgang_metrics *m, const char *path,
			      uint64_t now);

#endif
