/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulate_rows.c - the numbers of a replay, each with its name and its look */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cmd/simulate_rows.h"
#include "core/base/text.h"
#include "twin/measure.h"

#define CLASS(field) offsetof(struct sgang_measure_class, field)
#define CLUSTER(field) offsetof(struct sgang_measure, field)

const struct sgang_simulate_row sgang_simulate_class_rows[] = {
	{ "submitted", "submitted", SGANG_SIMULATE_COUNT, CLASS(n) },
	{ "started", "started", SGANG_SIMULATE_COUNT, CLASS(started) },
	{ "never_started", "never started", SGANG_SIMULATE_COUNT,
	  CLASS(never) },
	{ "not_in_all", "started, but not in all", SGANG_SIMULATE_COUNT,
	  CLASS(apart) },
	{ "wait_mean", "wait, mean", SGANG_SIMULATE_SECONDS, CLASS(wait.mean) },
	{ "wait_median", "wait, median", SGANG_SIMULATE_SECONDS,
	  CLASS(wait.median) },
	{ "wait_90", "wait, 90 %", SGANG_SIMULATE_SECONDS, CLASS(wait.p90) },
	{ "wait_99", "wait, 99 %", SGANG_SIMULATE_SECONDS, CLASS(wait.p99) },
	{ "wait_max", "wait, longest", SGANG_SIMULATE_SECONDS,
	  CLASS(wait.max) },
	{ "slowdown_mean", "bounded slowdown, mean", SGANG_SIMULATE_RATIO,
	  CLASS(slowdown.mean) },
	{ "slowdown_median", "bounded slowdown, median", SGANG_SIMULATE_RATIO,
	  CLASS(slowdown.median) },
	{ NULL, NULL, SGANG_SIMULATE_COUNT, 0 },
};

const struct sgang_simulate_row sgang_simulate_ring_rows[] = {
	{ "rings", "rings over several nodes", SGANG_SIMULATE_COUNT,
	  CLASS(rings) },
	{ "rings_proved", "whose cheapest is proved", SGANG_SIMULATE_COUNT,
	  CLASS(proved) },
	{ "cost_over_best", "ring cost over the cheapest", SGANG_SIMULATE_RATIO,
	  CLASS(over_best) },
	{ "cost_over_best_mean", "the same, mean of rings",
	  SGANG_SIMULATE_RATIO, CLASS(over_best_mean) },
	{ "cost_over_stock", "ring cost over Slurm's", SGANG_SIMULATE_RATIO,
	  CLASS(over_stock) },
	{ "cost_over_stock_mean", "the same, mean of rings",
	  SGANG_SIMULATE_RATIO, CLASS(over_stock_mean) },
	{ "cross_links", "cross links of a ring", SGANG_SIMULATE_AMOUNT,
	  CLASS(cross_links) },
	{ "leaves", "leaves of a ring", SGANG_SIMULATE_AMOUNT, CLASS(leaves) },
	{ NULL, NULL, SGANG_SIMULATE_COUNT, 0 },
};

const struct sgang_simulate_row sgang_simulate_cluster_rows[] = {
	{ "idle_hours", "node-hours held idle", SGANG_SIMULATE_AMOUNT,
	  CLUSTER(idle_hours) },
	{ "idle_share", "of all node-hours", SGANG_SIMULATE_SHARE,
	  CLUSTER(idle_share) },
	{ "unused_hours", "node-hours free for waiting jobs",
	  SGANG_SIMULATE_AMOUNT, CLUSTER(unused_hours) },
	{ "utilisation", "utilisation", SGANG_SIMULATE_SHARE,
	  CLUSTER(utilisation) },
	{ "makespan", "first submission to last end", SGANG_SIMULATE_SECONDS,
	  CLUSTER(makespan) },
	{ "idle_nodes", "idle nodes, mean", SGANG_SIMULATE_AMOUNT,
	  CLUSTER(idle_nodes) },
	{ "leaf_mean", "idle in the freest leaf, mean", SGANG_SIMULATE_AMOUNT,
	  CLUSTER(leaf_mean) },
	{ "leaf_min", "idle in the freest leaf, least", SGANG_SIMULATE_COUNT,
	  CLUSTER(leaf_min) },
	{ "timeouts", "jobs cut by their time limit", SGANG_SIMULATE_COUNT,
	  CLUSTER(timeouts) },
	{ "victims", "jobs preempted", SGANG_SIMULATE_COUNT, CLUSTER(victims) },
	{ "lost_hours", "node-hours lost by that", SGANG_SIMULATE_AMOUNT,
	  CLUSTER(lost_hours) },
	{ "cancelled", "jobs ended with their gang", SGANG_SIMULATE_COUNT,
	  CLUSTER(cancelled) },
	{ "refused", "jobs that can never run", SGANG_SIMULATE_COUNT,
	  CLUSTER(refused) },
	{ "waiting", "jobs waiting at the end", SGANG_SIMULATE_COUNT,
	  CLUSTER(waiting) },
	{ "incomplete", "gangs short of members", SGANG_SIMULATE_COUNT,
	  CLUSTER(incomplete) },
	{ NULL, NULL, SGANG_SIMULATE_COUNT, 0 },
};

double sgang_simulate_value(const struct sgang_simulate_row *row,
			    const void *of)
{
	double value;

	memcpy(&value, (const char *)of + row->offset, sizeof(value));
	return value;
}

const char *sgang_simulate_show(enum sgang_simulate_kind kind, double value,
				char text[SGANG_SIMULATE_SHOWN])
{
	if (isnan(value))
		return strcpy(text, "-");
	switch (kind) {
	case SGANG_SIMULATE_SECONDS:
		return sgang_text_show_time(text, (uint32_t)(value + 0.5));
	case SGANG_SIMULATE_RATIO:
		snprintf(text, SGANG_SIMULATE_SHOWN, "%.2f", value);
		break;
	case SGANG_SIMULATE_AMOUNT:
		snprintf(text, SGANG_SIMULATE_SHOWN, "%.1f", value);
		break;
	case SGANG_SIMULATE_SHARE:
		snprintf(text, SGANG_SIMULATE_SHOWN, "%.1f %%", value * 100);
		break;
	default:
		snprintf(text, SGANG_SIMULATE_SHOWN, "%.0f", value);
	}
	return text;
}

const char *sgang_simulate_show_change(enum sgang_simulate_kind kind,
				       double from, double to,
				       char text[SGANG_SIMULATE_SHOWN])
{
	if (isnan(from) || isnan(to))
		return strcpy(text, "-");
	if (kind == SGANG_SIMULATE_COUNT)
		snprintf(text, SGANG_SIMULATE_SHOWN, "%+.0f", to - from);
	else if (kind == SGANG_SIMULATE_SHARE)
		snprintf(text, SGANG_SIMULATE_SHOWN, "%+.1f",
			 (to - from) * 100);
	else if (from > 0)
		snprintf(text, SGANG_SIMULATE_SHOWN, "%+.1f %%",
			 (to - from) / from * 100);
	else
		strcpy(text, to > 0 ? "-" : "+0.0 %");
	return text;
}
