/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hold_state.h - the life of a gang's hold: its states, and the ways between
 *
 *	        commit, or            a commit pauses
 *	        found again         .-----------------> COMMITTING
 *	NONE ----------------> HOLDING <---------------'
 *	  |                     | ^ |   the last slice
 *	  |                     | | |
 *	  |                     | | '-----------------> PREPARING
 *	  |    found, perhaps   | |     nodes run the Prolog
 *	  |          launched   | |
 *	  |                     | | none runs
 *	  |                     v |     records tell of two
 *	  '------------------> DOUBTFUL --------------> TWO_ROUNDS
 *	       found, perhaps   | ^  ^-----------------'
 *	       launched         | |     the first is launched
 *	               one runs | |
 *	                        v | one more is asked
 *	                       RELEASED
 *
 *	HOLDING, COMMITTING, PREPARING, DOUBTFUL, RELEASED ---> NONE
 *	        all members are launched, given back or lost
 *
 * Members are launched within one hold of slurmctld's locks. Therefore no state
 * lies between PREPARING, or HOLDING where nodes run no Prolog, and NONE.
 *
 * What is no state, since it is true or not in several of them (members of
 * `hold` of struct gang, and of struct hold):
 *	described     the members know of their ring. A loss or one more member
 *	              takes it away from HOLDING and PREPARING alike, and what
 *	              is found again has it or not.
 *	saved         is about the file on the disk. Members that hold on are
 *	              saved, one that joins them is not.
 *	begun         a moment, known before the hold is found again or while
 *	              others are still asked; RELEASED is what follows from it.
 *	unconfirmed   launch messages of the round before are on their way. The
 *	              next round may hold meanwhile.
 *	asked_again   holds on when RELEASED becomes DOUBTFUL once more.
 *	again, lost_launch  are each member's own.
 */

#ifndef SGANG_SELECT_HOLD_STATE_H
#define SGANG_SELECT_HOLD_STATE_H

#include <stdbool.h>

struct gang;

enum sgang_hold_state {
	SGANG_HOLD_NONE,
	/* Members have their nodes and wait: for others, for the save, for
	 * their group. */
	SGANG_HOLD_HOLDING,
	/* A large gang: some members have their nodes, the next pass goes on
	 * (slices.c). */
	SGANG_HOLD_COMMITTING,
	/* The nodes of all run the Prolog, or have; what is given back from
	 * now on has to be cleaned. */
	SGANG_HOLD_PREPARING,
	/* Found after a restart, and perhaps launched before it. The nodes are
	 * asked, and nothing is done to the gang. */
	SGANG_HOLD_DOUBTFUL,
	/* The same, of a round that was released and of the next one. */
	SGANG_HOLD_TWO_ROUNDS,
	/* Found after a restart, and some run: nothing is given back, the
	 * others are launched. */
	SGANG_HOLD_RELEASED
};
#define SGANG_HOLD_STATES 7

/* May a hold go from one to the other? To stay is not a way. */
bool sgang_hold_state_may(enum sgang_hold_state from, enum sgang_hold_state to);
/* Its name, for the log. */
const char *sgang_hold_state_word(enum sgang_hold_state state);

/* In the log where a way was refused, which is a bug. */
#define SGANG_HOLD_REFUSED "a hold cannot go from"

/* The only writer of g->hold.state. To stay is fine. A way that is not drawn is
 * refused, and each is told once for a gang: the state stays. Whoever asks goes
 * on; what a pass finds, it finds again in the next one. */
bool sgang_hold_move(struct gang *g, enum sgang_hold_state to);

#endif
