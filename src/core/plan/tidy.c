/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tidy.c - of choices that cost the same, the tidier one
 *
 * Children are exchanged for others with an item of the same key: for those
 * that leave less unused space behind (best fit), then for those that come
 * first.
 */

#include <stdlib.h>

#include "plan_private.h"

/* An item that may be exchanged for one of the same key. */
struct option {
	sgang_plan_key key;
	uint64_t cap;
	uint64_t full;
	uint32_t child;
	uint32_t item;
};

static int by_key(const void *one, const void *two)
{
	const struct option *a = one, *b = two;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->full != b->full)
		return a->full < b->full ? -1 : 1;
	if (a->cap != b->cap)
		return a->cap < b->cap ? -1 : 1;
	return a->child < b->child ? -1 : a->child > b->child;
}

struct exchange {
	struct sgang_choice *choice;
	struct option *option; /* sorted by key, then by full */
	size_t n;
	uint64_t spare; /* units chosen beyond the need */
};

static bool chosen(const struct exchange *exchange, const struct option *option)
{
	return exchange->choice->item[option->child] == option->item;
}

static bool unused(const struct exchange *exchange, const struct option *option)
{
	return !exchange->choice->item[option->child];
}

/* Exchange one chosen option for the unused one of its key that has the least
 * room and just enough units. Returns whether there was one. */
static bool exchange_one(struct exchange *exchange, size_t at)
{
	const struct option *old = &exchange->option[at], *option;
	uint64_t enough = old->cap > exchange->spare ?
				  old->cap - exchange->spare :
				  1;
	size_t low = 0, high = at;

	/* the first of the key that has room for so many */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		option = &exchange->option[middle];
		if (option->key < old->key || option->full < enough)
			low = middle + 1;
		else
			high = middle;
	}
	for (option = &exchange->option[low]; option < old; option++) {
		if (option->full >= old->full)
			return false;
		if (option->cap < enough || !unused(exchange, option))
			continue;
		exchange->spare = exchange->spare + option->cap - old->cap;
		exchange->choice->item[old->child] = 0;
		exchange->choice->item[option->child] = option->item;
		return true;
	}
	return false;
}

static bool alike(const struct option *a, const struct option *b)
{
	return a->key == b->key && a->full == b->full && a->cap == b->cap;
}

/* Among options that are all alike use the first children. */
static void use_first(struct exchange *exchange, size_t from, size_t to)
{
	uint32_t *item = exchange->choice->item;
	size_t i, n = 0;

	for (i = from; i < to; i++) {
		if (chosen(exchange, &exchange->option[i])) {
			item[exchange->option[i].child] = 0;
			n++;
		}
	}
	for (i = from; i < to && n; i++) {
		if (!item[exchange->option[i].child]) {
			item[exchange->option[i].child] =
				exchange->option[i].item;
			n--;
		}
	}
}

/* Is this the key of an item that is chosen? 'keys' are those, sorted. */
static bool has_key(const sgang_plan_key *keys, size_t n, sgang_plan_key key)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (keys[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && keys[low] == key;
}

static int by_value(const void *one, const void *two)
{
	const sgang_plan_key *a = one, *b = two;

	return *a < *b ? -1 : *a > *b;
}

/* List every item that has the key of a chosen one. */
static void list_options(struct exchange *exchange, struct sgang_pool *pool)
{
	const struct sgang_choice *choice = exchange->choice;
	sgang_plan_key *keys = sgang_pool_alloc(pool, choice->n, sizeof(*keys));
	size_t n_keys = 0, items = 0;
	uint32_t i, k;

	for (i = 0; i < choice->n; i++) {
		const struct sgang_point *point = choice->front[i].point;

		items += choice->front[i].n;
		if (!choice->item[i])
			continue;
		keys[n_keys++] = point[choice->item[i] - 1].key;
		exchange->spare += point[choice->item[i] - 1].cap;
	}
	exchange->spare -= choice->need;
	exchange->option = sgang_pool_alloc(pool, items,
					    sizeof(*exchange->option));
	qsort(keys, n_keys, sizeof(*keys), by_value);
	for (i = 0; i < choice->n; i++) {
		for (k = 0; k < choice->front[i].n; k++) {
			const struct sgang_point *point =
				&choice->front[i].point[k];
			struct option *option = &exchange->option[exchange->n];

			if (!has_key(keys, n_keys, point->key))
				continue;
			option->key = point->key;
			option->cap = point->cap;
			option->full = choice->full[i];
			option->child = i;
			option->item = k + 1;
			exchange->n++;
		}
	}
	qsort(exchange->option, exchange->n, sizeof(*exchange->option), by_key);
}

void sgang_choose_tidy(struct sgang_choice *choice)
{
	struct exchange exchange = { .choice = choice };
	struct sgang_pool *pool = sgang_pool_inside(choice->pool);
	bool changed = true;
	size_t i, from;
	int rounds;

	list_options(&exchange, pool);
	for (rounds = 0; changed && rounds < 4; rounds++) {
		changed = false;
		for (i = 0; i < exchange.n; i++) {
			if (chosen(&exchange, &exchange.option[i]) &&
			    exchange_one(&exchange, i))
				changed = true;
		}
	}
	for (from = 0; from < exchange.n; from = i) {
		for (i = from + 1;
		     i < exchange.n &&
		     alike(&exchange.option[from], &exchange.option[i]);
		     i++)
			;
		use_first(&exchange, from, i);
	}
	sgang_pool_end(pool);
}
