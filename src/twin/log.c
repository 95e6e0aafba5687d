/* SPDX-License-Identifier: GPL-2.0-or-later */
/* log.c - what the conductor would write into slurmctld's log */

#include <stdarg.h>

#include "plugins/log.h"
#include "twin_private.h"

void sgang_log(enum sgang_log_level level, const char *fmt, ...)
{
	static const char *const word[] = { "error: ", "", "debug: " };
	va_list args;

	if (!the.terms || !the.terms->log)
		return;
	fprintf(the.terms->log, "%lld %sgang: ", (long long)the.now,
		word[level]);
	va_start(args, fmt);
	vfprintf(the.terms->log, fmt, args);
	va_end(args);
	fputc('\n', the.terms->log);
}

void sgang_log_upto(enum sgang_log_level level)
{
	(void)level;
}
