/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fake_log.c - the body of sgang_log() for unit tests: it records the lines */

#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "fake_log.h"

#define LINES 256
#define LINE_SIZE 320

static struct {
	enum sgang_log_level level;
	char text[LINE_SIZE];
} lines[LINES];
static uint64_t n_lines;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void sgang_log(enum sgang_log_level level, const char *fmt, ...)
{
	va_list args;
	size_t at;

	pthread_mutex_lock(&mutex);
	at = n_lines++ % LINES;
	lines[at].level = level;
	va_start(args, fmt);
	vsnprintf(lines[at].text, LINE_SIZE, fmt, args);
	va_end(args);
	pthread_mutex_unlock(&mutex);
}

void fake_log_reset(void)
{
	n_lines = 0;
}

static uint64_t oldest(void)
{
	return (n_lines > LINES) ? n_lines - LINES : 0;
}

size_t fake_log_count(enum sgang_log_level level, const char *part)
{
	size_t n = 0;

	pthread_mutex_lock(&mutex);
	for (uint64_t i = oldest(); i < n_lines; i++) {
		if (lines[i % LINES].level == level &&
		    strstr(lines[i % LINES].text, part))
			n++;
	}
	pthread_mutex_unlock(&mutex);
	return n;
}

void fake_log_print(void)
{
	for (uint64_t i = oldest(); i < n_lines; i++)
		fprintf(stderr, "# log: %s\n", lines[i % LINES].text);
}
