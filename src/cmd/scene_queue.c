/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene_queue.c - all gangs for the page */

#include <time.h>

#include "cmd/json.h"
#include "cmd/scene_queue.h"
#include "core/gang/lists.h"

static void put_times(struct json_object *object, const struct sgang_gang *gang)
{
	bool over = gang->verdict != SGANG_VERDICT_NONE;
	int64_t ends = 0;
	size_t i;

	for (i = 0; i < gang->n_jobs; i++) {
		const struct sgang_jobrow *job = gang->jobs[i];

		if (job->end_time > ends &&
		    (job->class == SGANG_ROW_RUNNING ||
		     (job->class == SGANG_ROW_ENDED && over)))
			ends = job->end_time;
	}
	sgang_json_bool(object, "over", over);
	sgang_json_known(object, "expected",
			 (uint64_t)sgang_gangs_start(gang,
						     (int64_t)time(NULL)));
	sgang_json_known(object, "ends", (uint64_t)ends);
}

/* Places that a gang waits for are named in the record of one that waits. */
static void put_places(struct json_object *list,
		       const struct sgang_record *record)
{
	const char *text = record->lacks;
	struct sgang_list_lack lack;
	struct json_object *row;

	while (sgang_lists_next_lack(&text, &lack)) {
		row = sgang_json_row(list);
		sgang_json_string(row, "place", lack.place);
		sgang_json_number(row, "free", lack.free);
		sgang_json_number(row, "needed", lack.needed);
	}
}

struct json_object *sgang_scene_queue(const struct sgang_gangs *gangs)
{
	/* long, or different after each pass of the scheduler */
	static const char *const left_out[] = { "nodes", "attempts", "tried",
						"skipped" };
	struct json_object *list = json_object_new_array(), *object;
	size_t i, k;

	for (i = 0; i < gangs->count; i++) {
		const struct sgang_gang *gang = &gangs->gang[i];

		object = sgang_gangs_json(gang);
		for (k = 0; k < sizeof(left_out) / sizeof(left_out[0]); k++)
			json_object_object_del(object, left_out[k]);
		sgang_json_text(object, "reason",
				sgang_gangs_reason(gang, gang->reason));
		put_times(object, gang);
		sgang_json_text(object, "unit", gang->record->unit);
		put_places(sgang_json_list(object, "places"), gang->record);
		json_object_array_add(list, object);
	}
	return list;
}
