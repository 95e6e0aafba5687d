/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stays.c - why a member stays on a node that drains */

#include "core/gang/stays.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *word, *text;
} reasons[] = {
	{ SGANG_STAYS_REQUEUE, "Slurm does not requeue it" },
	{ SGANG_STAYS_RESTARTS, "it was restarted as often as it may be" },
	{ SGANG_STAYS_NODES, "no other node can take it now" },
	{ SGANG_STAYS_QUEUE, "jobs that wait come before it" },
};

const char *sgang_stays_text(const char *word)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (!strcmp(reasons[i].word, word))
			return reasons[i].text;
	}
	return word;
}
