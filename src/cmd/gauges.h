/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gauges.h - the present state of all gangs as numbers for monitoring
 *
 * The names and labels of the metrics are in sgang.1.
 */

#ifndef SGANG_GAUGES_H
#define SGANG_GAUGES_H

#include <json-c/json.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/gangs.h"
#include "core/base/err.h"
#include "core/gang/record.h"

enum sgang_gauge_state {
	SGANG_GAUGE_WAITING,
	SGANG_GAUGE_HELD,
	SGANG_GAUGE_PLACEHOLDER,
	SGANG_GAUGE_RUNNING,
	SGANG_GAUGE_STATES
};

struct sgang_gauge {
	uint64_t gangs[SGANG_PHASES];
	uint64_t members[SGANG_GAUGE_STATES];
	uint64_t oldest_wait; /* seconds; 0: no gang waits for nodes */
};

/* Those of a partition and namespace. */
struct sgang_gauge_part {
	const char *partition, *ns; /* borrowed; a waiting job may be
				     * for several partitions, "a,b" */
	struct sgang_gauge sum;
};

struct sgang_gauges {
	struct sgang_gauge all;
	uint64_t held_nodes; /* of members that were not launched yet, each
			      * once */
	struct sgang_gauge_part *part; /* sorted */
	size_t n;
};

/* Count at the time 'now', in seconds since the epoch. Borrows 'gangs'. Returns
 * 0 and '*gauges', to be emptied with sgang_gauges_clear(), or -1 with 'err'. */
int sgang_gauges_count(const struct sgang_gangs *gangs, int64_t now,
		       struct sgang_gauges *gauges, struct sgang_error *err);
void sgang_gauges_clear(struct sgang_gauges *gauges);

/* Write them in the text format of Prometheus, which is that of OpenMetrics but
 * for its end. */
void sgang_gauges_print(const struct sgang_gauges *gauges, FILE *out);
/* Add them to an object. */
void sgang_gauges_json(const struct sgang_gauges *gauges,
		       struct json_object *object);

#endif
