/* SPDX-License-Identifier: GPL-2.0-or-later */
/* colour.c - colours on a terminal, never the only way to tell something */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/colour.h"

bool sgang_colour_wanted(int fd)
{
	const char *objection = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	return !(objection && objection[0]) && terminal && terminal[0] &&
	       strcmp(terminal, "dumb") && isatty(fd);
}

const char *sgang_colour_phase(enum sgang_phase phase)
{
	switch (phase) {
	case SGANG_PHASE_WAITING:
		return "\033[33m"; /* yellow */
	case SGANG_PHASE_HOLDING:
		return "\033[35m"; /* magenta */
	case SGANG_PHASE_STARTING:
		return "\033[36m"; /* cyan */
	case SGANG_PHASE_RUNNING:
		return "\033[32m"; /* green */
	case SGANG_PHASE_TIMEOUT:
	case SGANG_PHASE_FAILED:
	case SGANG_PHASE_TIME_LIMIT:
		return "\033[31m"; /* red */
	default:
		return "";
	}
}
