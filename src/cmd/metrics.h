/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics.h - what sgang metrics prints, for others than the terminal */

#ifndef SGANG_METRICS_H
#define SGANG_METRICS_H

#include <stdio.h>

#include "cmd/gangs.h"
#include "core/base/err.h"

/* Write the state of the gangs now, and the counters that MetricsFile= of the
 * gang.conf 'conf' (NULL: the usual one) names, as OpenMetrics text. Returns 0,
 * or -1 with 'err', perhaps with a part written. */
int sgang_metrics_text(const struct sgang_gangs *gangs, const char *conf,
		       FILE *out, struct sgang_error *err);

#endif
