/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hold_state.h - the states of a gang's hold, and its transitions
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
 * These are no states, because each is true or not in several states (members
 * of `hold` of struct gang, and of struct hold):
 *	described     the members know their ring. A loss or a new member clears
 *	              it in HOLDING and PREPARING alike; holds found again have
 *	              it or not.
 *	saved         is about the file on the disk. Members that hold on are
 *	              saved, a member that joins them is not.
 *	begun         a time, known before the hold is found again or while
 *	              others are still asked; RELEASED follows from it.
 *	unconfirmed   launch messages of the round before are in transit. The
 *	              next round may hold meanwhile.
 *	asked_again   stays when RELEASED becomes DOUBTFUL once more.
 *	again, lost_launch  belong to each member.
 */

#ifndef SGANG_SELECT_HOLD_STATE_H
#define SGANG_SELECT_HOLD_STATE_H

#include <stdbool.h>

struct gang;

enum sgang_hold_state {
	SGANG_HOLD_NONE,
	/* Members have nodes and wait: for others, for the save, for their
	 * group. */
	SGANG_HOLD_HOLDING,
	/* A large gang: some members have nodes, the next pass continues
	 * (slices.c). */
	SGANG_HOLD_COMMITTING,
	/* The nodes of all run the Prolog, or have; nodes given back from now
	 * on have to be cleaned. */
	SGANG_HOLD_PREPARING,
	/* Found after a restart, and perhaps launched before it. The nodes are
	 * asked, and the gang is left alone. */
	SGANG_HOLD_DOUBTFUL,
	/* The same, of a round that was released and of the next one. */
	SGANG_HOLD_TWO_ROUNDS,
	/* Found after a restart, and some run: nothing is given back, the
	 * others are launched. */
	SGANG_HOLD_RELEASED
};
#define SGANG_HOLD_STATES 7

/* True if a hold may go from one state to the other; false for from == to. */
bool sgang_hold_state_may(enum sgang_hold_state from, enum sgang_hold_state to);
/* Its name, for the log. */
const char *sgang_hold_state_word(enum sgang_hold_state state);

/* Logged when a transition was refused, which is a bug. */
#define SGANG_HOLD_REFUSED "a hold cannot go from"

/* The only writer of g->hold.state. True also if the state stays. A transition
 * that is not drawn is refused and logged once for a gang: the state stays. The
 * caller continues; the next pass finds the same again. */
bool sgang_hold_move(struct gang *g, enum sgang_hold_state to);

#endif
