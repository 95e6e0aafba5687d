/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulate_json.c - configurations side by side, as JSON */

#include <math.h>
#include <stdio.h>

#include "cmd/json.h"
#include "cmd/simulate.h"
#include "cmd/simulate_rows.h"

/* As many as the page shows. */
#define CHANGES 20

static struct json_object *value_of(enum sgang_simulate_kind kind, double value)
{
	char text[32];

	if (isnan(value))
		return NULL;
	if (kind == SGANG_SIMULATE_COUNT)
		return json_object_new_int64((int64_t)value);
	snprintf(text, sizeof(text), "%.10g", value);
	return json_object_new_double_s(value, text);
}

static void put_rows(struct json_object *object,
		     const struct sgang_simulate_row *row, const void *of)
{
	for (; row->key; row++)
		json_object_object_add(object, row->key,
				       value_of(row->kind,
						sgang_simulate_value(row, of)));
}

static void put_classes(struct json_object *object,
			const struct sgang_measure_class *classes, bool rings)
{
	size_t class;

	for (class = 0; class < SGANG_MEASURE_CLASSES; class ++) {
		struct json_object *inner = sgang_json_inner(
			object, sgang_measure_class_name[class]);

		put_rows(inner, sgang_simulate_class_rows, &classes[class]);
		if (rings)
			put_rows(inner, sgang_simulate_ring_rows,
				 &classes[class]);
	}
}

static void put_change(struct json_object *row, const struct sgang_trace *trace,
		       const struct sgang_simulate_change *change)
{
	const struct sgang_trace_job *job = &trace->jobs[change->job];

	sgang_json_text(row, "gang", change->is_gang ? job->gang : NULL);
	sgang_json_number(row, "job", job->id);
	sgang_json_text(row, "user", job->user);
	sgang_json_number(row, "size", change->size);
	sgang_json_known(row, "before", (uint64_t)change->before);
	sgang_json_known(row, "after", (uint64_t)change->after);
	json_object_object_add(row, "later",
			       json_object_new_int64(change->later));
}

/* Against the first configuration, which has none. */
static int put_changes(const struct sgang_simulation *simulation, size_t which,
		       struct json_object *list, struct sgang_error *err)
{
	struct sgang_simulate_change change[CHANGES];
	ssize_t n, i;

	if (!which)
		return 0;
	n = sgang_simulate_changes(simulation, &simulation->config[0],
				   &simulation->config[which], change, CHANGES);
	if (n < 0)
		return sgang_err_memory(err);
	for (i = 0; i < n; i++)
		put_change(sgang_json_row(list), simulation->trace, &change[i]);
	return 0;
}

static int put_config(const struct sgang_simulation *simulation, size_t which,
		      struct json_object *row, struct sgang_error *err)
{
	const struct sgang_simulate_config *config = &simulation->config[which];
	const struct sgang_outcome *outcome = &config->outcome;
	struct json_object *replay;

	sgang_json_string(row, "name", config->name);
	sgang_json_bool(row, "stock", config->stock);
	sgang_json_string(row, "conf", config->path);
	put_classes(sgang_json_inner(row, "gangs"), config->measure.gangs,
		    true);
	put_classes(sgang_json_inner(row, "jobs"), config->measure.jobs,
		    simulation->all_rings);
	put_rows(sgang_json_inner(row, "cluster"), sgang_simulate_cluster_rows,
		 &config->measure);
	replay = sgang_json_inner(row, "replay");
	sgang_json_number(replay, "passes", outcome->passes);
	sgang_json_number(replay, "attempts", outcome->attempts);
	sgang_json_number(replay, "cycles", outcome->cycles);
	sgang_json_number(replay, "backfills", outcome->backfills);
	return put_changes(simulation, which, sgang_json_list(row, "changes"),
			   err);
}

struct json_object *
sgang_simulate_json(const struct sgang_simulation *simulation,
		    struct sgang_error *err)
{
	struct json_object *object = json_object_new_object(), *list;
	size_t i;

	sgang_json_string(object, "queue", simulation->jobs_path);
	sgang_json_number(object, "jobs", simulation->trace->n_jobs);
	sgang_json_number(object, "gangs", simulation->trace->n_gangs);
	sgang_json_number(object, "left_out", simulation->trace->n_left_out);
	sgang_json_number(object, "nodes", simulation->site->n_nodes);
	sgang_json_number(object, "cpus", simulation->config[0].outcome.cpus);
	sgang_json_number(object, "from",
			  (uint64_t)simulation->config[0].outcome.from);
	list = sgang_json_list(object, "configurations");
	for (i = 0; i < simulation->n; i++) {
		if (put_config(simulation, i, sgang_json_row(list), err)) {
			json_object_put(object);
			return NULL;
		}
	}
	return object;
}
