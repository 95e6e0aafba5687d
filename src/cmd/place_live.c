/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place_live.c - sgang place --live: when a gang would start on this cluster
 *
 * slurmctld answers, so what counts is what it knows: partitions, limits of
 * time, reservations, the jobs that run.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/control.h"
#include "cmd/gangs.h"
#include "cmd/json.h"
#include "cmd/place_live.h"
#include "core/base/hostlist.h"

static bool is_alike(const struct sgang_plan_member *a,
		     const struct sgang_plan_member *b)
{
	return a->units == b->units && a->slots == b->slots &&
	       a->distinct == b->distinct;
}

/* Slurm is asked about one member, and takes the others to be as this one. */
static int describe(const struct sgang_place_live *live,
		    struct sgang_start_ask *what, struct sgang_error *err)
{
	const struct sgang_plan_member *first = live->members->member;

	for (size_t i = 1; i < live->members->n; i++)
		if (!is_alike(first, &live->members->member[i]))
			return sgang_errf(err, EINVAL,
					  "--live: members that differ are not "
					  "asked about together; submit some, "
					  "and ask about the last");
	if (live->n_resources > 1)
		return sgang_errf(err, EINVAL,
				  "--live takes nodes and slots; sbatch "
				  "--test-only takes all options");
	what->nodes = first->distinct ? first->units : 0;
	what->tasks = first->distinct ? first->slots : first->units;
	return 0;
}

/* The gang is there already: ask about one of its members. */
static int find_member(const struct sgang_place_live *live,
		       struct sgang_start_ask *what, struct sgang_error *err)
{
	const struct sgang_gang *gang = NULL;
	struct sgang_jobs jobs = { .count = 0 };
	struct sgang_gangs gangs = { NULL, 0 };
	int rc = -1;

	if (sgang_jobs_load(&jobs, err) ||
	    sgang_gangs_build(&jobs, &gangs, err))
		goto out;
	rc = sgang_gangs_find(&gangs, live->spec, sgang_cmd_user(), &gang, err);
	for (size_t i = 0; rc == 1 && i < gang->n_jobs && !what->job_id; i++)
		if (gang->jobs[i]->class == SGANG_ROW_PENDING)
			what->job_id = gang->jobs[i]->job_id;
	if (rc >= 0 && !what->job_id) {
		rc = sgang_errf(err, ENOENT,
				"--live --gang=%s: no member of such a gang "
				"waits; describe one with --member",
				live->spec->name);
	}
out:
	sgang_gangs_clear(&gangs);
	sgang_jobs_clear(&jobs);
	return rc < 0 ? -1 : 0;
}

static int no_start(const struct sgang_error *why)
{
	struct json_object *object;

	if (sgang_answer_is_text())
		return sgang_cmd_no("the gang would not start: %s", why->text);
	object = json_object_new_object();
	sgang_json_bool(object, "fits", false);
	sgang_json_string(object, "reason", why->text);
	sgang_json_list(object, "domains");
	sgang_answer_print(object, NULL);
	return SGANG_EXIT_NO;
}

static int print(const struct sgang_will_run *answer, struct sgang_error *err)
{
	struct json_object *object, *list;
	char **names;
	size_t n;

	if (sgang_hostlist_expand(answer->nodes, &names, &n, err))
		return -1;
	object = json_object_new_object();
	sgang_json_bool(object, "fits", answer->start <= (int64_t)time(NULL));
	sgang_json_number(object, "start_time", (uint64_t)answer->start);
	list = sgang_json_list(object, "nodes");
	for (size_t i = 0; i < n; i++)
		sgang_json_item(list, names[i]);
	sgang_json_string(object, "partition", answer->partition);
	sgang_hostlist_free(names);
	sgang_answer_print(object, "start={start_time%t} nodes={nodes%f} "
				   "partition={partition} now={fits}\n");
	return SGANG_EXIT_YES;
}

int sgang_place_live(const struct sgang_place_live *live,
		     struct sgang_error *err)
{
	struct sgang_start_ask what = { .spec = live->spec,
					.partition = live->partition,
					.time_limit = live->time_limit };
	struct sgang_will_run answer;
	struct sgang_error why;
	int code;

	if (live->members->n ? describe(live, &what, err) :
			       find_member(live, &what, err))
		return -1;
	if (!live->spec->name[0])
		snprintf(live->spec->name, sizeof(live->spec->name),
			 "what-if-%ld", (long)getpid());
	if (!live->spec->min_member)
		live->spec->min_member = (uint32_t)live->members->n;
	if (sgang_control_what_if(&what, &answer, &why))
		return no_start(&why);
	code = print(&answer, err);
	sgang_control_forget(&answer);
	return code;
}
