/* SPDX-License-Identifier: GPL-2.0-or-later */
/* colour.h - colours on a terminal, never the only way to tell something */

#ifndef SGANG_COLOUR_H
#define SGANG_COLOUR_H

#include <stdbool.h>

#include "core/gang/record.h"

/* Ends what sgang_colour_phase() begins. */
#define SGANG_COLOUR_END "\033[0m"

/* True if the file is a terminal that shows colours, and NO_COLOR
 * (https://no-color.org) does not forbid them. */
bool sgang_colour_wanted(int fd);

/* The escape sequence that begins the colour of a phase, "" for those that
 * have none. */
const char *sgang_colour_phase(enum sgang_phase phase);

#endif
