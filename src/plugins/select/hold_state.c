/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hold_state.c - the table of the transitions drawn in hold_state.h */

#include "conductor_private.h"
#include "plugins/log.h"

#define TO(state) (1u << SGANG_HOLD_##state)

/* Add a row for a new state, and its transitions to the drawing. */
static const struct {
	const char *word;
	unsigned int to;
} states[SGANG_HOLD_STATES] = {
	[SGANG_HOLD_NONE] = { "none", TO(HOLDING) | TO(DOUBTFUL) },
	[SGANG_HOLD_HOLDING] = { "holding", TO(NONE) | TO(COMMITTING) |
						    TO(PREPARING) |
						    TO(DOUBTFUL) },
	[SGANG_HOLD_COMMITTING] = { "committing", TO(NONE) | TO(HOLDING) },
	[SGANG_HOLD_PREPARING] = { "preparing", TO(NONE) },
	[SGANG_HOLD_DOUBTFUL] = { "doubtful", TO(NONE) | TO(HOLDING) |
						      TO(TWO_ROUNDS) |
						      TO(RELEASED) },
	[SGANG_HOLD_TWO_ROUNDS] = { "two rounds", TO(DOUBTFUL) },
	[SGANG_HOLD_RELEASED] = { "released", TO(NONE) | TO(DOUBTFUL) },
};

bool sgang_hold_state_may(enum sgang_hold_state from, enum sgang_hold_state to)
{
	return states[from].to & 1u << to;
}

const char *sgang_hold_state_word(enum sgang_hold_state state)
{
	return states[state].word;
}

static void tell_refused(struct gang *g, enum sgang_hold_state to)
{
	uint64_t bit = (uint64_t)1 << (g->hold.state * SGANG_HOLD_STATES + to);

	if (g->hold.refused & bit)
		return;
	g->hold.refused |= bit;
	sgang_log(SGANG_LOG_ERROR, "%s/%s: " SGANG_HOLD_REFUSED " %s to %s",
		  g->ns, g->name, states[g->hold.state].word, states[to].word);
}

bool sgang_hold_move(struct gang *g, enum sgang_hold_state to)
{
	if (g->hold.state == to)
		return true;
	if (!sgang_hold_state_may(g->hold.state, to)) {
		tell_refused(g, to);
		return false;
	}
	g->hold.state = to;
	return true;
}
