/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_verdict.c - what became of a gang, and its members */

#include "../unit.h"
#include "core/gang/record.h"
#include "core/gang/verdict.h"

#define LEADER SGANG_ON_SUCCESS_LEADER
#define ALL SGANG_ON_SUCCESS_ALL
#define NONE SGANG_VERDICT_NONE
#define FINISHED SGANG_VERDICT_FINISHED
#define FAILED SGANG_VERDICT_FAILED
#define CANCELLED SGANG_VERDICT_CANCELLED
#define TIME_LIMIT SGANG_VERDICT_TIME_LIMIT

/* ---- a gang ---- */

/* Its members, a letter each, in the order of their member ranks: c completed,
 * f failed, t time limit, x cancelled, k taken with the gang, s the same as it
 * was stale, d not needed or replaced, p a placeholder; of a spare in capitals.
 */
static const struct verdict_case {
	const char *what, *members;
	uint32_t on_success, min;
	enum sgang_verdict verdict;
	uint32_t incomplete;
} cases[] = {
	{ "nobody", "", 0, 2, NONE, 0 },

	{ "all complete", "cc", 0, 2, FINISHED, 0 },
	{ "all complete, as asked", "cc", ALL, 2, FINISHED, 0 },
	{ "one fails", "cf", 0, 2, FAILED, 1 },
	{ "one of more than the minimum", "ccf", 0, 2, FAILED, 1 },
	{ "all fail", "ff", 0, 2, FAILED, 2 },
	{ "a failure is worse than a time limit", "tfx", 0, 2, FAILED, 3 },
	{ "time limit", "tt", 0, 2, TIME_LIMIT, 2 },
	{ "time limit of one", "ct", 0, 2, TIME_LIMIT, 1 },
	{ "a time limit is worse than a cancellation", "xt", 0, 1, TIME_LIMIT,
	  2 },

	{ "cancelled", "xx", 0, 2, CANCELLED, 2 },
	{ "cancelled, a gang of one", "x", 0, 1, CANCELLED, 1 },
	{ "below the minimum", "cx", 0, 2, CANCELLED, 1 },
	{ "one more than it needs", "ccx", 0, 2, FINISHED, 1 },
	{ "... with nobody knowing what it needs", "ccx", 0, 0, CANCELLED, 1 },
	{ "... and one fails", "ccxf", 0, 2, FAILED, 2 },

	{ "spares that nobody needs", "ccDD", 0, 2, FINISHED, 0 },
	{ "spares that fail or are cancelled", "ccFXT", 0, 2, FINISHED, 0 },
	{ "spares that complete are no members", "fC", 0, 1, FAILED, 1 },
	{ "a spare was taken too", "fkK", 0, 2, FAILED, 2 },
	{ "one was replaced by a spare", "cdc", 0, 2, FINISHED, 0 },
	{ "... which failed", "cdf", 0, 2, FAILED, 1 },
	{ "a pool that is cancelled", "XX", 0, 1, CANCELLED, 2 },
	{ "a pool whose time is over", "DD", 0, 1, FINISHED, 0 },

	{ "the leader is done", "cddd", LEADER, 4, FINISHED, 0 },
	{ "... a worker had failed", "cfd", LEADER, 3, FINISHED, 1 },
	{ "... and one was cancelled", "cxd", LEADER, 3, FINISHED, 1 },
	{ "the leader fails", "fcc", LEADER, 3, FAILED, 1 },
	{ "the leader is cancelled", "xcc", LEADER, 3, CANCELLED, 1 },
	{ "the leader's time limit", "tcc", LEADER, 3, TIME_LIMIT, 1 },
	{ "the leader is done, and a policy ends it", "ckf", LEADER, 3, FAILED,
	  2 },
	{ "the leader is forgotten", "dd", LEADER, 3, FINISHED, 0 },
	{ "as many as it says", "fccd", 2, 4, FINISHED, 1 },
	{ "fewer than it says, one fails", "fcd", 2, 3, FAILED, 1 },
	{ "fewer than it says, all complete", "cc", 3, 2, FINISHED, 0 },

	{ "a member fails, the others are taken", "fkk", 0, 3, FAILED, 3 },
	{ "... what took them is forgotten", "kk", 0, 3, FAILED, 2 },
	{ "a time limit takes the others", "tkk", 0, 3, TIME_LIMIT, 3 },
	{ "a cancellation takes the others", "xkk", 0, 3, CANCELLED, 3 },
	{ "a cancellation leaves too few", "xss", 0, 3, FAILED, 3 },

	{ "placeholders alone, in vain", "ppp", 0, 3, CANCELLED, 0 },
	{ "placeholders replaced by their members", "cpcpc", 0, 3, FINISHED,
	  0 },
	{ "placeholders not ready in time", "kpp", 0, 3, FAILED, 1 },
};

static void add(struct sgang_verdict_sum *sum, const struct verdict_case *row,
		uint32_t rank)
{
	static const char letters[] = "cftxksdp";
	char letter = row->members[rank];
	bool spare = letter < 'a';
	const char *at = strchr(letters, spare ? letter - 'A' + 'a' : letter);
	const struct sgang_verdict_member member = {
		.end = (enum sgang_member_end)(at - letters),
		.spare = spare,
		.leader = !rank && !spare,
		.on_success = row->on_success == ALL ? 0 : row->on_success,
		.min_member = row->min,
	};

	assert_int_equal(strlen(letters), SGANG_MEMBER_ENDS);
	sgang_verdict_add(sum, &member, 1);
}

/* 3.19, 6.11, 6.14 */
TEST(test_gang)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_verdict_sum sum = { .leader = false };

		for (uint32_t k = 0; cases[i].members[k]; k++)
			add(&sum, &cases[i], k);
		if (sgang_verdict(&sum) != cases[i].verdict ||
		    sgang_verdict_incomplete(&sum) != cases[i].incomplete)
			fail_msg("%s: %s, %u incomplete", cases[i].what,
				 sgang_verdict_word(sgang_verdict(&sum)),
				 sgang_verdict_incomplete(&sum));
	}
}

/* A job that stands for several members counts as many. */
TEST(test_arrays)
{
	struct sgang_verdict_sum sum = { .leader = false };
	struct sgang_verdict_member member = { .min_member = 4 };

	sgang_verdict_add(&sum, &member, 4);
	member.end = SGANG_MEMBER_CANCELLED;
	sgang_verdict_add(&sum, &member, 3);
	assert_int_equal(sgang_verdict(&sum), SGANG_VERDICT_FINISHED);
	assert_int_equal(sgang_verdict_incomplete(&sum), 3);
	member.min_member = 5;
	sgang_verdict_add(&sum, &member, 1);
	assert_int_equal(sgang_verdict(&sum), SGANG_VERDICT_CANCELLED);
}

/* ---- a member ---- */

/* What counts of it, from its record and Slurm's word for its end. */
TEST(test_member)
{
	static const struct {
		const char *record;
		enum sgang_job_end end;
		struct sgang_verdict_member is;
	} members[] = {
		{ "phase=finished rank=0/2 ring=2 cross=0 tier=leaf min=2 "
		  "total=2 best=2 off=0 ranks=2 exact=1",
		  SGANG_JOB_END_COMPLETED,
		  LIST(SGANG_MEMBER_COMPLETED, false, true, 0, 2) },
		{ "phase=finished rank=1/2 ring=2 cross=0 tier=leaf min=2 "
		  "total=2 onsuccess=leader best=2 off=0 ranks=2 exact=1",
		  SGANG_JOB_END_FAILED,
		  LIST(SGANG_MEMBER_FAILED, false, false, LEADER, 2) },
		{ "phase=finished min=2 total=2 onsuccess=all",
		  SGANG_JOB_END_TIME_LIMIT,
		  LIST(SGANG_MEMBER_TIME_LIMIT, false, false, 0, 2) },
		{ "phase=gathering min=2 total=2 onsuccess=7",
		  SGANG_JOB_END_CANCELLED,
		  LIST(SGANG_MEMBER_CANCELLED, false, false, 7, 2) },
		/* ended by slurm-gang on purpose: Slurm says CANCELLED */
		{ "phase=finished min=2 total=2 success=1",
		  SGANG_JOB_END_CANCELLED,
		  LIST(SGANG_MEMBER_DONE, false, false, 0, 2) },
		{ "phase=finished min=2 total=2 success=1 spare=1",
		  SGANG_JOB_END_CANCELLED,
		  LIST(SGANG_MEMBER_DONE, true, false, 0, 2) },
		/* the exit code of one that was ended tells nothing */
		{ "phase=finished min=2 total=2 success=1",
		  SGANG_JOB_END_FAILED,
		  LIST(SGANG_MEMBER_DONE, false, false, 0, 2) },
		{ "phase=failed min=2 total=2 itself=1 replaced=1",
		  SGANG_JOB_END_FAILED,
		  LIST(SGANG_MEMBER_DONE, false, false, 0, 2) },
		{ "phase=finished min=2 total=2 placeholder=1",
		  SGANG_JOB_END_CANCELLED,
		  LIST(SGANG_MEMBER_PLACEHOLDER, false, false, 0, 2) },
		{ "phase=finished min=2 total=2 success=1 ended=timeout",
		  SGANG_JOB_END_CANCELLED,
		  LIST(SGANG_MEMBER_PLACEHOLDER, false, false, 0, 2) },
		/* by a policy, with its gang */
		{ "phase=failed min=2 total=2", SGANG_JOB_END_CANCELLED,
		  LIST(SGANG_MEMBER_TAKEN, false, false, 0, 2) },
		{ "phase=failed min=2 total=2", SGANG_JOB_END_COMPLETED,
		  LIST(SGANG_MEMBER_TAKEN, false, false, 0, 2) },
		{ "phase=failed min=2 total=2 stale=5", SGANG_JOB_END_CANCELLED,
		  LIST(SGANG_MEMBER_STALE, false, false, 0, 2) },
		/* the policy acted because of these, or passed over them */
		{ "phase=failed min=2 total=2", SGANG_JOB_END_FAILED,
		  LIST(SGANG_MEMBER_FAILED, false, false, 0, 2) },
		{ "phase=failed min=2 total=2 itself=1",
		  SGANG_JOB_END_CANCELLED,
		  LIST(SGANG_MEMBER_CANCELLED, false, false, 0, 2) },
		{ "phase=failed min=2 total=2 itself=1",
		  SGANG_JOB_END_COMPLETED,
		  LIST(SGANG_MEMBER_COMPLETED, false, false, 0, 2) },
	};

	for (size_t i = 0; i < COUNT(members); i++) {
		struct sgang_verdict_member is;
		struct sgang_record record;
		char text[256];

		snprintf(text, sizeof(text), "gang=alice/train %s",
			 members[i].record);
		assert_int_equal(sgang_record_parse(text, &record), 1);
		sgang_verdict_read(&record, members[i].end, &is);
		if (is.end != members[i].is.end ||
		    is.spare != members[i].is.spare ||
		    is.leader != members[i].is.leader ||
		    is.on_success != members[i].is.on_success ||
		    is.min_member != members[i].is.min_member)
			fail_msg("%s: %d %d %d %u %u", text, (int)is.end,
				 is.spare, is.leader, is.on_success,
				 is.min_member);
	}
}

/* Accounting has the short record alone, of which nothing else is known. */
TEST(test_short)
{
	struct sgang_verdict_sum sum = { .leader = false };
	struct sgang_verdict_member member;
	struct sgang_record record;

	assert_int_equal(sgang_record_parse_brief("gang=a/b phase=finished "
						  "rank=0/2 ring=2 cross=0 "
						  "tier=leaf",
						  &record),
			 1);
	sgang_verdict_read(&record, SGANG_JOB_END_COMPLETED, &member);
	sgang_verdict_add(&sum, &member, 1);
	assert_int_equal(sgang_verdict(&sum), SGANG_VERDICT_FINISHED);
	sgang_verdict_read(&record, SGANG_JOB_END_CANCELLED, &member);
	sgang_verdict_add(&sum, &member, 1);
	assert_int_equal(sgang_verdict(&sum), SGANG_VERDICT_CANCELLED);
}

/* ---- words ---- */

TEST(test_words)
{
	static const enum sgang_phase phases[SGANG_VERDICTS] = {
		[SGANG_VERDICT_FINISHED] = SGANG_PHASE_FINISHED,
		[SGANG_VERDICT_FAILED] = SGANG_PHASE_FAILED,
		[SGANG_VERDICT_CANCELLED] = SGANG_PHASE_CANCELLED,
		[SGANG_VERDICT_TIME_LIMIT] = SGANG_PHASE_TIME_LIMIT,
	};

	for (int i = SGANG_VERDICT_NONE + 1; i < SGANG_VERDICTS; i++) {
		enum sgang_verdict verdict = (enum sgang_verdict)i;
		const char *word = sgang_verdict_word(verdict);
		enum sgang_phase phase = sgang_phase_of_verdict(verdict);

		assert_int_equal(phase, phases[i]);
		/* it is the phase in lower case */
		assert_int_equal(sgang_phase_find(word), phase);
		assert_int_equal(sgang_verdict_find(word), i);
		assert_string_not_equal(sgang_verdict_text(verdict),
					sgang_verdict_text(SGANG_VERDICT_NONE));
	}
	assert_int_equal(sgang_verdict_find("Failed"), -1);
	assert_int_equal(sgang_verdict_find(""), -1);
	assert_string_equal(sgang_verdict_word(SGANG_VERDICTS), "unknown");
	assert_string_equal(sgang_verdict_text(SGANG_VERDICTS), "has ended");
}

TEST_MAIN(NULL, NULL)
