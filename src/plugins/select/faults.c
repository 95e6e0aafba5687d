/* SPDX-License-Identifier: GPL-2.0-or-later */
/* faults.c - failures on demand, in the tests' build of the plugin only */

#include "faults.h"

#ifdef SGANG_FAULTS

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sgang_fault(const char *point, size_t n)
{
	const char *path = getenv("SGANG_FAULT_FILE");
	char name[32];
	size_t at;
	bool hit = false;
	FILE *f;

	if (!path || !(f = fopen(path, "r")))
		return false;
	while (!hit && fscanf(f, "%31s %zu", name, &at) == 2)
		hit = !strcmp(name, point) && at == n;
	fclose(f);
	return hit;
}

void sgang_fault_die(const char *point, size_t n)
{
	char name[32];

	snprintf(name, sizeof(name), "kill-%s", point);
	if (sgang_fault(name, n))
		raise(SIGKILL);
}

#endif
