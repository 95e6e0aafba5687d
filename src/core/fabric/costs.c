/* SPDX-License-Identifier: GPL-2.0-or-later */
/* costs.c - the levels of a fabric: numbers, names, and what a hop costs */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "costs.h"

/* Levels above those that are priced cost this many times the one below. */
#define HOP_COST_STEP 4

void sgang_costs_numbered(char name[32], uint32_t level)
{
	snprintf(name, 32, "level%" PRIu32, level);
}

static void set_defaults(struct sgang_costs *costs, const char *const *names,
			 uint32_t n_names, const uint32_t *hops,
			 uint32_t n_hops)
{
	uint32_t level;

	memset(costs, 0, sizeof(*costs));
	for (level = 0; level < SGANG_LEVELS; level++) {
		char *name = costs->name[level];

		costs->hop[level] = level < n_hops ? hops[level] :
						     costs->hop[level - 1] *
							     HOP_COST_STEP;
		if (level < n_names)
			strcpy(name, names[level]);
		else if (level == SGANG_LEVEL_UNCONNECTED)
			strcpy(name, "unconnected");
		else
			sgang_costs_numbered(name, level);
	}
}

void sgang_costs_default(struct sgang_costs *costs)
{
	static const char *const names[] = { "island", "node", "leaf", "spine",
					     "core" };
	static const uint32_t hops[] = { 1, 2, 4 };

	set_defaults(costs, names, 5, hops, 3);
	costs->leaf = SGANG_LEVEL_LEAF;
}

void sgang_costs_default_nvlink(struct sgang_costs *costs)
{
	static const char *const names[] = { "island", "node",  "nvlink",
					     "leaf",   "spine", "core" };
	static const uint32_t hops[] = { 1, 1, 1, 4 };

	set_defaults(costs, names, 6, hops, 4);
	costs->leaf = SGANG_LEVEL_LEAF + 1;
}

int sgang_costs_level(const struct sgang_costs *costs, const char *name)
{
	int level;

	for (level = 0; level < SGANG_LEVELS; level++) {
		if (!strcasecmp(costs->name[level], name))
			return level;
	}
	return -1;
}

const char *sgang_costs_names(const struct sgang_costs *costs,
			      char names[SGANG_LEVEL_NAMES_SIZE])
{
	uint32_t n = SGANG_LEVEL_UNCONNECTED, level;
	char number[32];
	size_t used = 0;

	for (; n; n--) {
		sgang_costs_numbered(number, n - 1);
		if (strcmp(costs->name[n - 1], number))
			break;
	}
	names[0] = '\0';
	for (level = 0; level < n; level++)
		used += (size_t)snprintf(names + used,
					 SGANG_LEVEL_NAMES_SIZE - used, "%s%s",
					 level ? ", " : "", costs->name[level]);
	return names;
}
