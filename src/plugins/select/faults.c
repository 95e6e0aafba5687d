/* SPDX-License-Identifier: GPL-2.0-or-later */
/* faults.c - failures on demand, in the tests' plugin only */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults.h"
#include "slurm/tell_free.h"
#include "slurm/tell_victims.h"

static bool fails(const char *point, size_t n)
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

static void die(const char *point, size_t n)
{
	char name[32];

	snprintf(name, sizeof(name), "kill-%s", point);
	if (fails(name, n))
		raise(SIGKILL);
}

static void locked(void)
{
	sgang_tell_victims();
	sgang_tell_free();
}

static const struct sgang_faults faults = { fails, die, locked };

__attribute__((constructor)) static void be_there(void)
{
	sgang_faults = &faults;
}
