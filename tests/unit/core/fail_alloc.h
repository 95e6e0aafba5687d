/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fail_alloc.h - let the n-th allocation fail
 *
 * For a test that is linked with --wrap=malloc, calloc, realloc, strdup and
 * free. Only what the program's own objects call is counted, which is what is
 * to be tested.
 */

#ifndef FAIL_ALLOC_H
#define FAIL_ALLOC_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Allocations until one fails; 0: none does. */
static unsigned long fail_countdown;
static bool fail_happened;

static inline bool fail_now(void)
{
	if (!fail_countdown || --fail_countdown)
		return false;
	fail_happened = true;
	errno = ENOMEM;
	return true;
}

/* Blocks that are allocated now. */
static long fail_live;

static inline void *fail_count(void *block)
{
	fail_live += block != NULL;
	return block;
}

/* Let the n-th allocation from now fail; 0 ends that. */
static inline void fail_at(unsigned long n)
{
	fail_countdown = n;
	fail_happened = false;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *ptr, size_t size);
void __real_free(void *ptr);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *ptr, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *ptr);

void *__wrap_malloc(size_t size)
{
	return fail_now() ? NULL : fail_count(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fail_now() ? NULL : fail_count(__real_calloc(n, size));
}

void *__wrap_realloc(void *ptr, size_t size)
{
	void *block = fail_now() ? NULL : __real_realloc(ptr, size);

	return ptr ? block : fail_count(block);
}

char *__wrap_strdup(const char *text)
{
	char *copy = __wrap_malloc(strlen(text) + 1);

	return copy ? strcpy(copy, text) : NULL;
}

void __wrap_free(void *ptr)
{
	fail_live -= ptr != NULL;
	__real_free(ptr);
}

#endif
