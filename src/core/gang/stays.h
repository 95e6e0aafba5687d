/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stays.h - why a member stays on a node that drains: stays= of its record */

#ifndef SGANG_STAYS_H
#define SGANG_STAYS_H

/* To add one: a row in stays.c, a line in doc/formats. */
#define SGANG_STAYS_REQUEUE "requeue"
#define SGANG_STAYS_RESTARTS "restarts"
#define SGANG_STAYS_NODES "nodes"
#define SGANG_STAYS_QUEUE "queue"

/* What follows "it stays, because"; a word of a newer writer as it is. */
const char *sgang_stays_text(const char *word);

#endif
