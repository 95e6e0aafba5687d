/* SPDX-License-Identifier: GPL-2.0-or-later */
/* log.c - sgang_log() of the plugins that slurmctld loads */

#include "config.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "src/common/slurm_xlator.h"
#include "src/common/log.h"

#include "plugins/log.h"

/* Written while slurmctld's node lock is held, read by any thread. */
static atomic_int most = SGANG_LOG_INFO;

void sgang_log_upto(enum sgang_log_level level)
{
	atomic_store(&most, (int)level);
}

void sgang_log(enum sgang_log_level level, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (level == SGANG_LOG_ERROR)
		error("gang: %s", text);
	else if ((int)level <= atomic_load(&most))
		info("gang: %s", text);
	else
		debug("gang: %s", text);
}
