/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict.c - what became of a gang that has ended */

#include <stddef.h>
#include <string.h>

#include "record.h"
#include "verdict.h"

static const struct {
	const char *word, *text;
} verdicts[SGANG_VERDICTS] = {
	[SGANG_VERDICT_NONE] = { "none", "has not ended" },
	[SGANG_VERDICT_FINISHED] = { "finished", "has finished" },
	[SGANG_VERDICT_FAILED] = { "failed", "has failed" },
	[SGANG_VERDICT_CANCELLED] = { "cancelled", "was cancelled" },
	[SGANG_VERDICT_TIME_LIMIT] = { "timelimit", "reached its time limit" },
};

const char *sgang_verdict_word(enum sgang_verdict verdict)
{
	return (unsigned int)verdict < SGANG_VERDICTS ? verdicts[verdict].word :
							"unknown";
}

int sgang_verdict_find(const char *word)
{
	for (int i = 0; i < SGANG_VERDICTS; i++)
		if (!strcmp(verdicts[i].word, word))
			return i;
	return -1;
}

const char *sgang_verdict_text(enum sgang_verdict verdict)
{
	return (unsigned int)verdict < SGANG_VERDICTS ? verdicts[verdict].text :
							"has ended";
}

/* ---- members ---- */

/* A policy says in the record of each member that its gang has failed; of one
 * that had ended before, the cause is its own end. */
static enum sgang_member_end end_of(const struct sgang_record *r,
				    enum sgang_job_end end)
{
	if (r->placeholder || r->ended[0])
		return SGANG_MEMBER_PLACEHOLDER;
	if (r->success || r->replaced)
		return SGANG_MEMBER_DONE;
	if (end == SGANG_JOB_END_FAILED)
		return SGANG_MEMBER_FAILED;
	if (end == SGANG_JOB_END_TIME_LIMIT)
		return SGANG_MEMBER_TIME_LIMIT;
	if (r->phase == SGANG_PHASE_FAILED && !r->by_itself)
		return r->stale ? SGANG_MEMBER_STALE : SGANG_MEMBER_TAKEN;
	return end == SGANG_JOB_END_CANCELLED ? SGANG_MEMBER_CANCELLED :
						SGANG_MEMBER_COMPLETED;
}

void sgang_verdict_read(const struct sgang_record *record,
			enum sgang_job_end end,
			struct sgang_verdict_member *member)
{
	memset(member, 0, sizeof(*member));
	member->end = end_of(record, end);
	member->spare = record->spare;
	member->leader = record->placed && !record->spare &&
			 !record->member_rank;
	if (sgang_on_success_counts(record->on_success))
		member->on_success = record->on_success;
	member->min_member = record->min_member;
}

void sgang_verdict_add(struct sgang_verdict_sum *sum,
		       const struct sgang_verdict_member *member,
		       uint32_t members)
{
	if (member->spare)
		sum->spares[member->end] += members;
	else
		sum->members[member->end] += members;
	if (!sum->on_success)
		sum->on_success = member->on_success;
	if (member->min_member > sum->min_member)
		sum->min_member = member->min_member;
	if (member->leader && member->end == SGANG_MEMBER_COMPLETED)
		sum->leader = true;
}

/* ---- the gang ---- */

static uint32_t count(const uint32_t ends[SGANG_MEMBER_ENDS])
{
	uint32_t n = 0;

	for (int i = 0; i < SGANG_MEMBER_ENDS; i++)
		n += ends[i];
	return n;
}

/* The members that decide. */
static const uint32_t *deciding(const struct sgang_verdict_sum *sum)
{
	return count(sum->members) ? sum->members : sum->spares;
}

static bool is_done(const struct sgang_verdict_sum *sum, const uint32_t *ends)
{
	if (sum->on_success == SGANG_ON_SUCCESS_LEADER)
		return sum->leader;
	return sum->on_success &&
	       ends[SGANG_MEMBER_COMPLETED] >= sum->on_success;
}

/* It can do without those who were cancelled if enough have completed. */
static bool is_cancelled(const struct sgang_verdict_sum *sum,
			 const uint32_t *ends)
{
	uint32_t completed = ends[SGANG_MEMBER_COMPLETED];

	if (ends[SGANG_MEMBER_CANCELLED])
		return !completed || !sum->min_member ||
		       completed < sum->min_member;
	/* placeholders for which nobody came */
	return !completed && !ends[SGANG_MEMBER_DONE];
}

enum sgang_verdict sgang_verdict(const struct sgang_verdict_sum *sum)
{
	const uint32_t *ends = deciding(sum);
	bool taken = ends[SGANG_MEMBER_TAKEN] || ends[SGANG_MEMBER_STALE];

	if (!count(ends))
		return SGANG_VERDICT_NONE;
	if (!taken && is_done(sum, ends))
		return SGANG_VERDICT_FINISHED;
	if (ends[SGANG_MEMBER_FAILED])
		return SGANG_VERDICT_FAILED;
	if (ends[SGANG_MEMBER_TIME_LIMIT])
		return SGANG_VERDICT_TIME_LIMIT;
	if (taken)
		return ends[SGANG_MEMBER_CANCELLED] &&
				       !ends[SGANG_MEMBER_STALE] ?
			       SGANG_VERDICT_CANCELLED :
			       SGANG_VERDICT_FAILED;
	return is_cancelled(sum, ends) ? SGANG_VERDICT_CANCELLED :
					 SGANG_VERDICT_FINISHED;
}

uint32_t sgang_verdict_incomplete(const struct sgang_verdict_sum *sum)
{
	const uint32_t *ends = deciding(sum);

	return count(ends) - ends[SGANG_MEMBER_COMPLETED] -
	       ends[SGANG_MEMBER_DONE] - ends[SGANG_MEMBER_PLACEHOLDER];
}
