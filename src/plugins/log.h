/* SPDX-License-Identifier: GPL-2.0-or-later */
/* log.h - one line into the log of whoever has loaded the plugin */

#ifndef SGANG_LOG_H
#define SGANG_LOG_H

enum sgang_log_level { SGANG_LOG_ERROR, SGANG_LOG_INFO, SGANG_LOG_DEBUG };

/* "gang: " is put in front. Each plugin has its own body. */
void sgang_log(enum sgang_log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Lines up to this level (INFO at first) go to slurmctld's log; those behind it
 * only when slurmctld itself is told to debug. Only in slurmctld. */
void sgang_log_upto(enum sgang_log_level level);

#endif
