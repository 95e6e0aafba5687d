/* SPDX-License-Identifier: GPL-2.0-or-later */
/* log.c - what the SPANK plugin says, in the log of where it is */

#include <stdarg.h>
#include <stdio.h>

#include <slurm/slurm.h>
#include <slurm/spank.h>

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
		slurm_error("gang: %s", text);
		break;
	case SGANG_LOG_INFO:
		slurm_info("gang: %s", text);
		break;
	case SGANG_LOG_DEBUG:
		slurm_debug("gang: %s", text);
		break;
	}
}
