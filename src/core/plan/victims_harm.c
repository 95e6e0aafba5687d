/* SPDX-License-Identifier: GPL-2.0-or-later */
/* victims_harm.c - what harm sets of victims are */

#include <stdlib.h>
#include <string.h>

#include "victims_private.h"

static int order(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

struct sorted {
	const struct sgang_victim *victim;
	size_t number;
};

static int by_kind(const void *one, const void *two)
{
	const struct sgang_victim *a = ((const struct sorted *)one)->victim;
	const struct sgang_victim *b = ((const struct sorted *)two)->victim;
	int rc = order(a->harm, b->harm);

	return rc ? rc : order(a->priority, b->priority);
}

void sgang_harm_init(struct sgang_harms *harms, struct sgang_pool *pool,
		     const struct sgang_victim *victims, size_t n)
{
	struct sorted *sorted = sgang_pool_alloc(pool, n, sizeof(*sorted));

	harms->victims = victims;
	harms->n_kinds = 0;
	harms->kind = sgang_pool_alloc(pool, n, sizeof(*harms->kind));
	for (size_t i = 0; i < n; i++)
		sorted[i] = (struct sorted){ &victims[i], i };
	qsort(sorted, n, sizeof(*sorted), by_kind);
	for (size_t i = 0; i < n; i++) {
		if (sorted[i].victim->harm != SGANG_HARM_GOING &&
		    (!harms->n_kinds || by_kind(&sorted[i - 1], &sorted[i])))
			harms->n_kinds++;
		harms->kind[sorted[i].number] = harms->n_kinds;
	}
}

bool sgang_harm_bound(const struct sgang_harms *harms, size_t victim,
		      const bool *set)
{
	const struct sgang_victim *v = &harms->victims[victim];

	return v->harm == SGANG_HARM_EXTRA && v->gang != SGANG_VICTIM_NONE &&
	       set[v->gang] && harms->kind[v->gang];
}

void sgang_toll_init(const struct sgang_harms *harms, struct sgang_pool *pool,
		     struct sgang_toll *toll)
{
	memset(toll, 0, sizeof(*toll));
	toll->victims = sgang_pool_zalloc(pool, harms->n_kinds + 1,
					  sizeof(*toll->victims));
}

void sgang_toll_clear(const struct sgang_harms *harms, struct sgang_toll *toll)
{
	memset(toll->victims, 0, (harms->n_kinds + 1) * sizeof(*toll->victims));
	toll->jobs = toll->later = toll->lost = 0;
}

void sgang_toll_copy(const struct sgang_harms *harms, struct sgang_toll *to,
		     const struct sgang_toll *from)
{
	memcpy(to->victims, from->victims,
	       (harms->n_kinds + 1) * sizeof(*to->victims));
	to->jobs = from->jobs;
	to->later = from->later;
	to->lost = from->lost;
}

void sgang_toll_add(const struct sgang_harms *harms, struct sgang_toll *toll,
		    size_t victim, bool less)
{
	const struct sgang_victim *v = &harms->victims[victim];
	uint64_t later = v->harm == SGANG_HARM_EXTRA ? v->later : 0;

	if (!harms->kind[victim])
		return;
	toll->victims[harms->kind[victim]] += less ? UINT32_MAX : 1;
	toll->jobs += less ? -(uint64_t)v->jobs : v->jobs;
	toll->later += less ? -later : later;
	toll->lost += less ? -v->lost : v->lost;
}

void sgang_toll_sum(const struct sgang_harms *harms, struct sgang_toll *toll,
		    const bool *set, size_t n)
{
	sgang_toll_clear(harms, toll);
	for (size_t i = 0; i < n; i++) {
		if (set[i])
			sgang_toll_add(harms, toll, i, false);
	}
}

int sgang_toll_harm(const struct sgang_harms *harms, const struct sgang_toll *a,
		    const struct sgang_toll *b)
{
	int rc = 0;

	for (uint32_t kind = harms->n_kinds; kind && !rc; kind--)
		rc = order(a->victims[kind], b->victims[kind]);
	if (!rc)
		rc = order(a->jobs, b->jobs);
	return rc ? rc : order(a->later, b->later);
}

int sgang_toll_compare(const struct sgang_harms *harms,
		       const struct sgang_toll *a, uint64_t cost_a,
		       const struct sgang_toll *b, uint64_t cost_b)
{
	int rc = sgang_toll_harm(harms, a, b);

	if (!rc)
		rc = order(cost_a, cost_b);
	return rc ? rc : order(a->lost, b->lost);
}
