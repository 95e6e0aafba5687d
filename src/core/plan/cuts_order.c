/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cuts_order.c - pieces of a ring in a cheap order */

#include <stdlib.h>

#include "cuts_private.h"

/* Steps for one order. */
#define STEPS 20000

static int ascending(const void *one, const void *two)
{
	const uint32_t *a = one, *b = two;

	return (*a > *b) - (*a < *b);
}

static int by_position(const void *one, const void *two)
{
	const struct sgang_turn *a = one, *b = two;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->what > b->what) - (a->what < b->what);
}

static void open_tour(struct sgang_cuts *cuts)
{
	const struct sgang_plan_request *request = cuts->model->job->request;
	uint32_t n = cuts->model->n_groups - 1, units = cuts->model->n_units;

	cuts->tour = (struct sgang_tour){
		.fabric = request->fabric,
		.costs = request->costs,
		.n = n,
		.first = sgang_pool_alloc(cuts->pool, n + 1, sizeof(uint32_t)),
		.node = sgang_pool_alloc(cuts->pool, units, sizeof(uint32_t)),
		.order = sgang_pool_alloc(cuts->pool, n, sizeof(uint32_t)),
		.from = sgang_pool_alloc(cuts->pool, n, sizeof(uint32_t)),
		.to = sgang_pool_alloc(cuts->pool, n, sizeof(uint32_t)),
	};
}

/* The nodes of each piece, and the pieces in the order of their first ones. */
static void fill_tour(struct sgang_cuts *cuts)
{
	const uint32_t *order =
		sgang_fabric_order(cuts->model->job->request->fabric);
	struct sgang_tour *tour = &cuts->tour;
	uint32_t m, i, n = 0;

	for (m = 0; m < tour->n; m++) {
		uint32_t *list = cuts->list, first = cuts->first[m + 1];
		uint32_t units = cuts->model->units[m + 1];

		for (i = 0; i < units; i++)
			list[i] = cuts->at[first + i];
		qsort(list, units, sizeof(*list), ascending);
		cuts->turn[m].key = list[0];
		cuts->turn[m].what = m;
		tour->first[m] = n;
		for (i = 0; i < units; i++) {
			if (!i || list[i] != list[i - 1])
				tour->node[n++] = order[list[i]];
		}
	}
	tour->first[m] = n;
	qsort(cuts->turn, tour->n, sizeof(*cuts->turn), by_position);
	for (m = 0; m < tour->n; m++)
		tour->order[m] = cuts->turn[m].what;
}

int64_t sgang_cuts_order(struct sgang_cuts *cuts)
{
	int64_t price = (int64_t)cuts->base;
	struct sgang_budget budget;
	uint32_t i;

	if (!cuts->tour.n)
		open_tour(cuts);
	fill_tour(cuts);
	for (i = 0; i < cuts->model->n_units; i++)
		price += sgang_cuts_own(cuts, cuts->class_of[i], cuts->at[i]);
	sgang_budget_init(&budget, STEPS);
	cuts->tour.budget = &budget;
	price += sgang_tour_find(&cuts->tour, cuts->tour.n > SGANG_CUTS_FEW ?
						      cuts->price - price :
						      0);
	cuts->steps += budget.taken;
	return price;
}
