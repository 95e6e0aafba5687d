/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opts.c - the --gang... options as a command sees them */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/gang/spec.h"
#include "plugins/spank/opts.h"

#define TOLD_PREFIX "SLURM_GANG_"

bool sgang_opts_slot(size_t slot, struct sgang_opts_slot *found)
{
	const struct sgang_option *option;

	for (option = sgang_spec_options(); option->name; option++) {
		size_t names = option->alias ? 2 : 1;

		if (slot < names) {
			found->name = slot ? option->alias : option->name;
			found->arg = option->arg;
			found->help = option->help;
			found->hidden = option->hidden;
			return true;
		}
		slot -= names;
	}
	return false;
}

int sgang_opts_check(size_t slot, const char *value, struct sgang_error *err)
{
	struct sgang_opts_slot option;
	struct sgang_spec scratch;

	if (!sgang_opts_slot(slot, &option))
		return sgang_errf(err, EINVAL, "there is no option %zu", slot);
	sgang_spec_init(&scratch);
	return sgang_spec_set(&scratch, option.name, value, err);
}

bool sgang_opts_variable(size_t slot, char *buf, size_t size)
{
	static const char prefix[] = SGANG_SPEC_EXPORT SGANG_SPEC_ENV;
	struct sgang_opts_slot option;
	char *p;

	if (!sgang_opts_slot(slot, &option))
		return false;
	snprintf(buf, size, "%s%s", prefix, option.name);
	for (p = buf; *p; p++)
		if (*p == '-')
			*p = '_';
	return true;
}

static bool begins(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

bool sgang_opts_is_option(const char *entry)
{
	return begins(entry, SGANG_SPEC_EXPORT SGANG_SPEC_ENV) ||
	       begins(entry, SGANG_SPEC_ENV);
}

bool sgang_opts_is_told(const char *entry)
{
	return begins(entry, TOLD_PREFIX);
}
