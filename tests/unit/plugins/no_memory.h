/* SPDX-License-Identifier: GPL-2.0-or-later */
/* no_memory.h - memory that runs out, in tests of the conductor
 *
 * The linker sends the conductor's and the core's allocations here. Included
 * once, after toy_cluster.h, which has the numbers.
 */

#ifndef TESTS_NO_MEMORY_H
#define TESTS_NO_MEMORY_H

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
FILE *__real_open_memstream(char **text, size_t *size);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
FILE *__wrap_open_memstream(char **text, size_t *size);

static bool runs_out(void)
{
	if (!memory.counting)
		return false;
	memory.calls++;
	return memory.fail_at &&
	       (memory.calls == memory.fail_at ||
		(memory.for_good && memory.calls > memory.fail_at));
}

void *__wrap_malloc(size_t size)
{
	return runs_out() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return runs_out() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return runs_out() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
	return runs_out() ? NULL : __real_strdup(text);
}

FILE *__wrap_open_memstream(char **text, size_t *size)
{
	return runs_out() ? NULL : __real_open_memstream(text, size);
}

/* A pass in which the allocation 'at' fails, from 1 on, or also all behind it.
 * True: there were so many. */
static inline bool pass_without_memory(uint64_t at, bool for_good)
{
	memory.calls = 0;
	memory.fail_at = at;
	memory.for_good = for_good;
	memory.counting = true;
	pass();
	memory.counting = false;
	return memory.calls >= at;
}

#endif
