/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_hold_state.c - the ways between the states of a hold, each pair of them
 */

#include "../unit.h"
#include "../../fake/fake_log.h"
#include "plugins/select/conductor_private.h"

/* The arrows of the drawing in hold_state.h. */
static const struct {
	enum sgang_hold_state from, to;
} drawn[] = {
	{ SGANG_HOLD_NONE, SGANG_HOLD_HOLDING },
	{ SGANG_HOLD_NONE, SGANG_HOLD_DOUBTFUL },
	{ SGANG_HOLD_HOLDING, SGANG_HOLD_NONE },
	{ SGANG_HOLD_HOLDING, SGANG_HOLD_COMMITTING },
	{ SGANG_HOLD_HOLDING, SGANG_HOLD_PREPARING },
	{ SGANG_HOLD_HOLDING, SGANG_HOLD_DOUBTFUL },
	{ SGANG_HOLD_COMMITTING, SGANG_HOLD_NONE },
	{ SGANG_HOLD_COMMITTING, SGANG_HOLD_HOLDING },
	{ SGANG_HOLD_PREPARING, SGANG_HOLD_NONE },
	{ SGANG_HOLD_DOUBTFUL, SGANG_HOLD_NONE },
	{ SGANG_HOLD_DOUBTFUL, SGANG_HOLD_HOLDING },
	{ SGANG_HOLD_DOUBTFUL, SGANG_HOLD_TWO_ROUNDS },
	{ SGANG_HOLD_DOUBTFUL, SGANG_HOLD_RELEASED },
	{ SGANG_HOLD_TWO_ROUNDS, SGANG_HOLD_DOUBTFUL },
	{ SGANG_HOLD_RELEASED, SGANG_HOLD_NONE },
	{ SGANG_HOLD_RELEASED, SGANG_HOLD_DOUBTFUL },
};
#define DRAWN (COUNT(drawn))

static bool is_drawn(enum sgang_hold_state from, enum sgang_hold_state to)
{
	for (size_t i = 0; i < DRAWN; i++) {
		if (drawn[i].from == from && drawn[i].to == to)
			return true;
	}
	return false;
}

/* Call 'check' with a gang in each state and each state to go to. */
static void each_pair(void (*check)(struct gang *g, enum sgang_hold_state to))
{
	for (unsigned int from = 0; from < SGANG_HOLD_STATES; from++) {
		for (unsigned int to = 0; to < SGANG_HOLD_STATES; to++) {
			struct gang g = { .ns = "alice", .name = "train" };

			fake_log_reset();
			g.hold.state = (enum sgang_hold_state)from;
			check(&g, (enum sgang_hold_state)to);
		}
	}
}

static void goes_as_drawn(struct gang *g, enum sgang_hold_state to)
{
	enum sgang_hold_state from = g->hold.state;
	bool may = is_drawn(from, to);

	assert_int_equal(sgang_hold_state_may(from, to), may);
	assert_int_equal(sgang_hold_move(g, to), may || from == to);
	assert_int_equal(g->hold.state, may ? to : from);
}

/* A hold goes the ways of the drawing and no other; to stay is fine. */
TEST(test_pairs)
{
	each_pair(goes_as_drawn);
}

static void tells_once(struct gang *g, enum sgang_hold_state to)
{
	enum sgang_hold_state from = g->hold.state;
	bool refused = from != to && !is_drawn(from, to);
	char text[128];

	snprintf(text, sizeof(text),
		 "alice/train: " SGANG_HOLD_REFUSED " %s to %s",
		 sgang_hold_state_word(from), sgang_hold_state_word(to));
	for (int i = 0; i < 3; i++) {
		(void)sgang_hold_move(g, to);
		assert_int_equal(fake_log_count(SGANG_LOG_ERROR, text),
				 refused);
		g->hold.state = from;
	}
	assert_int_equal(fake_log_count(SGANG_LOG_ERROR, ""), refused);
}

/* A way that is refused is an error in the log, with both names, once for a
 * gang. */
TEST(test_told)
{
	each_pair(tells_once);
}

/* ... and another way of the same gang is told as well. */
TEST(test_told_each)
{
	struct gang g = { .ns = "alice", .name = "train" };

	fake_log_reset();
	assert_false(sgang_hold_move(&g, SGANG_HOLD_PREPARING));
	assert_false(sgang_hold_move(&g, SGANG_HOLD_RELEASED));
	assert_false(sgang_hold_move(&g, SGANG_HOLD_PREPARING));
	assert_int_equal(fake_log_count(SGANG_LOG_ERROR, SGANG_HOLD_REFUSED),
			 2);
}

/* Every state has a name of its own, can be reached and can be left. */
TEST(test_states)
{
	for (unsigned int a = 0; a < SGANG_HOLD_STATES; a++) {
		bool reached = false, left = false;

		assert_non_null(
			sgang_hold_state_word((enum sgang_hold_state)a));
		for (unsigned int b = 0; b < SGANG_HOLD_STATES; b++) {
			enum sgang_hold_state x = (enum sgang_hold_state)a;
			enum sgang_hold_state y = (enum sgang_hold_state)b;

			reached |= sgang_hold_state_may(y, x);
			left |= sgang_hold_state_may(x, y);
			if (a != b)
				assert_string_not_equal(
					sgang_hold_state_word(x),
					sgang_hold_state_word(y));
		}
		assert_true(reached && left);
	}
}

TEST_MAIN(NULL, NULL)
