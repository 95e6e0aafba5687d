/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own.c - whose word counts for whose jobs */

#include <stdlib.h>
#include <string.h>

#include "own.h"

/* The options in force for a user's members. */
struct word {
	enum sgang_on_failure on_failure;
	uint32_t max_restarts;
	enum sgang_on_failure on_stale;
	uint32_t stale_grace;
	uint32_t on_success;
	enum sgang_on_failure on_drain;
	uint32_t waiting_time;
};

#define ADD(policy)        \
	if (!word->policy) \
		word->policy = from->policy;

static void add_spec(struct word *word, const struct sgang_spec *from)
{
	SGANG_OWN_POLICIES(ADD)
	ADD(waiting_time)
}

static void add_definitions(struct word *word, uint32_t uid,
			    const struct sgang_own_definition *definitions,
			    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (definitions[i].spec &&
		    (definitions[i].for_all || definitions[i].uid == uid))
			add_spec(word, definitions[i].spec);
	}
}

/* The options of the user's members that are gone. */
static void add_record(struct word *word, const struct sgang_record *from)
{
	if (!from)
		return;
	SGANG_OWN_POLICIES(ADD)
	ADD(waiting_time)
}

#undef ADD

static bool has_started(const struct sgang_member *m)
{
	return m->state == SGANG_MEMBER_RUNNING && m->record &&
	       m->record->started;
}

static void settle(struct sgang_member *m, const struct word *word)
{
#define SETTLE(policy) \
	m->policy = has_started(m) ? m->record->policy : word->policy;
	SGANG_OWN_POLICIES(SETTLE)
#undef SETTLE
	m->waiting_time = word->waiting_time;
}

static int user_order_qsort(const void *a, const void *b)
{
	const struct sgang_member *x = *(const struct sgang_member *const *)a;
	const struct sgang_member *y = *(const struct sgang_member *const *)b;

	if (x->uid != y->uid)
		return (x->uid < y->uid) ? -1 : 1;
	return sgang_gang_submit_order(x, y);
}

int sgang_own_settle(struct sgang_member *const *members, size_t n,
		     const struct sgang_own_definition *definitions,
		     size_t n_definitions)
{
	struct sgang_member **sorted = calloc(n ? n : 1, sizeof(*sorted));
	size_t first, end, i;

	if (!sorted)
		return -1;
	if (n)
		memcpy(sorted, members, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), user_order_qsort);
	for (first = 0; first < n; first = end) {
		struct word word = { .waiting_time = 0 };
		uint32_t uid = sorted[first]->uid;

		for (end = first; end < n && sorted[end]->uid == uid; end++)
			add_spec(&word, sorted[end]->spec);
		add_definitions(&word, uid, definitions, n_definitions);
		for (i = first; i < end; i++)
			add_record(&word, sorted[i]->record);
		for (i = first; i < end; i++)
			settle(sorted[i], &word);
	}
	free(sorted);
	return 0;
}
