/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placed.c - the members of a gang that started together, and their ranks */

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/placed.h"
#include "core/base/text.h"

static bool has_job(const struct sgang_gang *gang, uint32_t job_id)
{
	size_t i;

	for (i = 0; i < gang->n_jobs; i++)
		if (gang->jobs[i]->job_id == job_id)
			return true;
	return false;
}

static int find_gang(const struct sgang_spec *name, uint32_t job_id,
		     struct sgang_placed *placed, struct sgang_error *err)
{
	size_t i;

	if (!job_id)
		return sgang_gangs_find(&placed->gangs, name, sgang_cmd_user(),
					&placed->gang, err);
	for (i = 0; i < placed->gangs.count; i++) {
		if (!has_job(&placed->gangs.gang[i], job_id))
			continue;
		placed->gang = &placed->gangs.gang[i];
		return 1;
	}
	return 0;
}

int sgang_placed_find(const struct sgang_spec *name, uint32_t job_id,
		      struct sgang_placed *placed, struct sgang_error *err)
{
	char hint[SGANG_JOBS_HINT];

	if (sgang_jobs_load(&placed->jobs, err) ||
	    sgang_gangs_build(&placed->jobs, &placed->gangs, err))
		return -1;
	switch (find_gang(name, job_id, placed, err)) {
	case 1:
		sgang_gangs_name(placed->gang->record, placed->name);
		return SGANG_EXIT_YES;
	case 0:
		if (job_id)
			return sgang_cmd_no("there is no gang with job "
					    "%" PRIu32,
					    job_id);
		return sgang_cmd_no("there is no gang %s%s%s%s", name->ns,
				    name->ns[0] ? "/" : "", name->name,
				    sgang_jobs_hint(&placed->jobs, name, hint));
	default:
		return -1;
	}
}

/* The reason why the places of this member's ranks are unknown; NULL: they are
 * known. */
static const char *what_is_missing(const struct sgang_jobrow *job)
{
	switch (job->class) {
	case SGANG_ROW_PENDING:
		return "is not running";
	case SGANG_ROW_ENDED:
		return "has ended, and Slurm does not know any more what it "
		       "had";
	default:
		return NULL;
	}
}

/* True if another member has its rank now. */
static bool has_heir(const struct sgang_gang *gang,
		     const struct sgang_jobrow *job)
{
	size_t i;

	for (i = 0; i < gang->n_jobs; i++) {
		const struct sgang_jobrow *other = gang->jobs[i];

		if (other != job && other->record.placed &&
		    other->class == SGANG_ROW_RUNNING &&
		    other->record.member_rank == job->record.member_rank)
			return true;
	}
	return false;
}

static bool is_chosen(const struct sgang_placed_choice *choice,
		      const struct sgang_jobrow *job)
{
	char role[SGANG_ROLE_SIZE];
	size_t length;

	if (!job->record.placed ||
	    (choice->job_id && job->job_id != choice->job_id))
		return false;
	if (!choice->role)
		return true;
	length = strlen(choice->role);
	sgang_role_path_names(job->record.role, role);
	return !strncmp(role, choice->role, length) &&
	       (!role[length] || role[length] == '/');
}

static int find_none(const struct sgang_placed *placed,
		     const struct sgang_placed_choice *choice)
{
	char shown[SGANG_TEXT_SHOWN];

	if (choice->role)
		return sgang_cmd_no(
			"no member of gang %s that has a place is in group %s",
			placed->name, sgang_text_show(shown, choice->role));
	if (choice->job_id)
		return sgang_cmd_no("job %" PRIu32 " has no place in the ring "
				    "of gang %s",
				    choice->job_id, placed->name);
	return sgang_cmd_no("gang %s is not placed yet", placed->name);
}

static int find_members(struct sgang_placed *placed,
			const struct sgang_placed_choice *choice)
{
	const struct sgang_gang *gang = placed->gang;
	uint32_t members = gang->record->members;
	size_t i;

	for (i = 0; i < gang->n_jobs; i++) {
		const struct sgang_jobrow *job = gang->jobs[i];

		if (!is_chosen(choice, job))
			continue;
		if (job->class == SGANG_ROW_ENDED && !choice->job_id &&
		    has_heir(gang, job))
			continue;
		if (what_is_missing(job))
			return sgang_cmd_no("gang %s: job %" PRIu32 " %s",
					    placed->name, job->job_id,
					    what_is_missing(job));
		placed->job[placed->n++] = job;
	}
	if (!placed->n)
		return find_none(placed, choice);
	if (!choice->job_id && !choice->role && placed->n != members)
		return sgang_cmd_no("gang %s started with %" PRIu32 " members, "
				    "and %zu of them are known",
				    placed->name, members, placed->n);
	return SGANG_EXIT_YES;
}

/* The ranks of a member end where those of the next one begin. */
static uint64_t ranks_of(const struct sgang_gang *gang,
			 const struct sgang_jobrow *job)
{
	uint64_t end = job->record.ranks;
	size_t i;

	for (i = 0; i < gang->n_jobs; i++) {
		const struct sgang_record *other = &gang->jobs[i]->record;

		if (other->placed && other->rank_offset < end &&
		    other->rank_offset > job->record.rank_offset)
			end = other->rank_offset;
	}
	return end > job->record.rank_offset ? end - job->record.rank_offset :
					       0;
}

/* The places are those of the ring, so none is made up. */
static int fill_member(struct sgang_placed *placed, size_t i,
		       struct sgang_error *err)
{
	const struct sgang_jobrow *job = placed->job[i];
	const struct sgang_alloc *alloc = &placed->alloc[i];
	struct sgang_map_member *member = &placed->member[i];
	char **ring = calloc(alloc->n + 1, sizeof(*ring));
	int rc = -1;
	size_t k;

	member->job_id = job->job_id;
	if (job->record.role[0])
		member->role = sgang_role_path_names(job->record.role,
						     placed->role[i]);
	member->member_rank = job->record.member_rank;
	member->first = job->record.rank_offset;
	if (!ring)
		return sgang_err_memory(err);
	for (k = 0; k < alloc->n; k++)
		ring[k] = alloc->node[k].name;
	switch (sgang_jobs_ring(job, ring, alloc->n, err)) {
	case 0:
		rc = sgang_cmd_no("job %" PRIu32 ": its record does not tell "
				  "the order of its %zu nodes; in the job "
				  "SLURM_GANG_MEMBER_NODELIST has it",
				  job->job_id, alloc->n);
		break;
	case 1:
		if (!sgang_map_fill(member, alloc, ranks_of(placed->gang, job),
				    ring, err) &&
		    !sgang_map_layout(member, job->record.layout, err))
			rc = SGANG_EXIT_YES;
		break;
	}
	free(ring);
	return rc;
}

static int fill_members(struct sgang_placed *placed, struct sgang_error *err)
{
	uint32_t *ids = calloc(placed->n, sizeof(*ids));
	size_t i;
	int rc;

	if (!ids)
		return sgang_err_memory(err);
	for (i = 0; i < placed->n; i++)
		ids[i] = placed->job[i]->job_id;
	rc = sgang_alloc_load(ids, placed->n, placed->alloc, err);
	free(ids);
	for (i = 0; i < placed->n && !rc; i++)
		rc = fill_member(placed, i, err);
	return rc;
}

int sgang_placed_fill(struct sgang_placed *placed,
		      const struct sgang_placed_choice *choice,
		      struct sgang_error *err)
{
	size_t room = placed->gang->n_jobs + 1;
	int code;

	placed->job = calloc(room, sizeof(*placed->job));
	placed->alloc = calloc(room, sizeof(*placed->alloc));
	placed->member = calloc(room, sizeof(*placed->member));
	placed->role = calloc(room, sizeof(*placed->role));
	if (!placed->job || !placed->alloc || !placed->member || !placed->role)
		return sgang_err_memory(err);
	code = find_members(placed, choice);
	return code == SGANG_EXIT_YES ? fill_members(placed, err) : code;
}

void sgang_placed_clear(struct sgang_placed *placed)
{
	size_t i;

	for (i = 0; placed->alloc && placed->member && i < placed->n; i++) {
		sgang_map_clear(&placed->member[i]);
		sgang_alloc_clear(&placed->alloc[i]);
	}
	free(placed->job);
	free(placed->alloc);
	free(placed->member);
	free(placed->role);
	sgang_gangs_clear(&placed->gangs);
	sgang_jobs_clear(&placed->jobs);
}
