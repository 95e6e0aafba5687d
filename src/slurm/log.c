/* SPDX-License-Identifier: GPL-2.0-or-later */
/* log.c - sgang_log() of the plugins that slurmctld loads */

#include "config.h"

#include <stdarg.h>
#include <stdio.h>

#include "src/common/slurm_xlator.h"
#include "src/common/log.h"

#include "plugins/log.h"

void sgang_log(enum sgang_log_level level, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	switch (level) {
	case SGANG_LOG_ERROR:
		error("gang: %s", text);
		break;
	case SGANG_LOG_INFO:
		info("gang: %s", text);
		break;
	case SGANG_LOG_DEBUG:
		debug("gang: %s", text);
		break;
	}
}
