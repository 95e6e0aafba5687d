/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_own.c - whose word counts for whose jobs (3.36, 0.28) */

#include "../unit.h"
#include "core/gang/own.h"

#define MEMBERS 4

#define IGNORE SGANG_ON_FAILURE_IGNORE
#define KILL SGANG_ON_FAILURE_KILL
#define REQUEUE SGANG_ON_FAILURE_REQUEUE

enum { NOBODY, ALICE, BOB, OPERATOR, CONF };

/* A member: what it says, what is remembered in it, what is to come of it. */
struct says {
	uint32_t uid; /* NOBODY ends the list */
	int64_t submit;
	enum sgang_on_failure says;
	uint32_t wait;
	bool started;
	enum sgang_on_failure recorded;
	enum sgang_on_failure on_failure;
	uint32_t waiting_time;
};

static const struct {
	const char *what;
	struct says m[MEMBERS];
	int by; /* who has defined the gang */
	enum sgang_on_failure defined;
} cases[] = {
	{ "a user's oldest member speaks for the others of that user",
	  LIST(LIST(ALICE, 2, REQUEUE, 30, false, 0, KILL, 60),
	       LIST(ALICE, 1, KILL, 60, false, 0, KILL, 60),
	       LIST(ALICE, 3, 0, 0, false, 0, KILL, 60)),
	  NOBODY, 0 },
	{ "but not for another's",
	  LIST(LIST(ALICE, 1, KILL, 60, false, 0, KILL, 60),
	       LIST(BOB, 2, 0, 0, false, 0, 0, 0)),
	  NOBODY, 0 },
	{ "a definition speaks for its own user",
	  LIST(LIST(ALICE, 1, 0, 0, false, 0, 0, 0),
	       LIST(BOB, 2, 0, 0, false, 0, KILL, 0)),
	  BOB, KILL },
	{ "an operator's for all, behind what they say",
	  LIST(LIST(ALICE, 1, 0, 0, false, 0, KILL, 0),
	       LIST(BOB, 2, IGNORE, 0, false, 0, IGNORE, 0)),
	  OPERATOR, KILL },
	{ "gang.conf likewise", LIST(LIST(ALICE, 1, 0, 0, false, 0, KILL, 0)),
	  CONF, KILL },
	{ "what a user's member that is gone said is remembered",
	  LIST(LIST(ALICE, 1, 0, 0, false, KILL, KILL, 0),
	       LIST(ALICE, 2, 0, 0, false, 0, KILL, 0),
	       LIST(BOB, 3, 0, 0, false, 0, 0, 0)),
	  NOBODY, 0 },
	{ "who has started keeps what held then",
	  LIST(LIST(ALICE, 1, 0, 0, true, 0, 0, 0),
	       LIST(ALICE, 2, 0, 0, true, REQUEUE, REQUEUE, 0),
	       LIST(ALICE, 3, KILL, 0, false, 0, KILL, 0)),
	  OPERATOR, KILL },
};

TEST(test_words)
{
	for (size_t c = 0; c < COUNT(cases); c++) {
		struct sgang_spec spec[MEMBERS] = { { .min_member = 2 } };
		struct sgang_record record[MEMBERS] = { { .min_member = 2 } };
		struct sgang_spec defined = { .on_failure = cases[c].defined };
		struct sgang_member member[MEMBERS], *list[MEMBERS];
		struct sgang_own_definition by = {
			.spec = cases[c].by == NOBODY ? NULL : &defined,
			.for_all = cases[c].by >= OPERATOR,
			.uid = (uint32_t)cases[c].by,
		};
		size_t n = 0;

		memset(member, 0, sizeof(member));
		for (; n < MEMBERS && cases[c].m[n].uid; n++) {
			const struct says *s = &cases[c].m[n];

			spec[n].on_failure = s->says;
			spec[n].waiting_time = s->wait;
			record[n].on_failure = s->recorded;
			record[n].started = s->started;
			member[n].spec = &spec[n];
			member[n].record = &record[n];
			member[n].uid = s->uid;
			member[n].submit_time = s->submit;
			member[n].state = s->started ? SGANG_MEMBER_RUNNING :
						       SGANG_MEMBER_PENDING;
			list[n] = &member[n];
		}
		assert_int_equal(sgang_own_settle(list, n, &by, 1), 0);
		for (size_t i = 0; i < n; i++)
			if (member[i].on_failure != cases[c].m[i].on_failure ||
			    member[i].waiting_time !=
				    cases[c].m[i].waiting_time)
				fail_msg("%s: member %zu", cases[c].what, i);
	}
}

/* Of several users' words the longest counts; who says none has the site's. */
TEST(test_waiting_time)
{
	static const struct {
		uint32_t alice, bob, counts;
	} waits[] = {
		{ 0, 0, 600 },   { 60, 60, 60 },
		{ 60, 90, 90 },  { 60, 0, 600 },
		{ 900, 0, 900 }, { 60, SGANG_FOREVER, SGANG_FOREVER },
	};

	for (size_t i = 0; i < COUNT(waits); i++) {
		struct sgang_spec spec = { .min_member = 2 };
		struct sgang_member m[] = {
			{ .spec = &spec,
			  .tasks = 1,
			  .uid = ALICE,
			  .waiting_time = waits[i].alice },
			{ .spec = &spec,
			  .tasks = 1,
			  .uid = BOB,
			  .waiting_time = waits[i].bob },
		};
		const struct sgang_member *list[] = { &m[0], &m[1] };
		struct sgang_tally tally;

		assert_int_equal(sgang_gang_tally(list, 2, NULL, 0, &tally), 0);
		assert_int_equal(
			sgang_gang_waiting_time(&tally,
						&(struct sgang_gang_wait){
							600, SGANG_FOREVER }),
			waits[i].counts);
	}
}

TEST_MAIN(NULL, NULL)
