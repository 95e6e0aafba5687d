/* SPDX-License-Identifier: GPL-2.0-or-later */
/* suggest.c - which sizes of communication groups suit a cluster */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/answer.h"
#include "cmd/json.h"
#include "cmd/suggest.h"

static uint64_t count_ranks(const struct sgang_plan_request *plan)
{
	uint64_t ranks = 0;
	size_t i;

	for (i = 0; i < plan->n_members; i++)
		ranks += (uint64_t)plan->members[i].units *
			 plan->members[i].slots;
	return ranks;
}

/* Returns 0, also when it does not fit, or -1. */
static int weigh(const struct sgang_offline *offline,
		 const struct sgang_plan_request *plan,
		 struct sgang_suggestion *s, struct sgang_error *err)
{
	struct sgang_plan_request request = *plan;
	struct sgang_placement *placement = NULL;
	struct sgang_nofit nofit;
	uint32_t g;
	int rc;

	request.parallel = &s->parallel;
	rc = sgang_offline_plan(offline, &request, &placement, NULL, &nofit,
				err);
	if (rc <= 0)
		return rc;
	rc = sgang_parallel_measure(sgang_offline_places(offline), plan->costs,
				    placement->runs, placement->n_runs,
				    &s->parallel, placement->layout, &s->cost,
				    err);
	sgang_placement_destroy(placement);
	if (rc)
		return -1;
	s->fits = true;
	for (g = 0; g < s->parallel.n; g++)
		s->cross_links += s->cost.group[g].cross_links;
	return 0;
}

/* The groups by weight; ties: in their order. */
static void by_weight(const struct sgang_parallel *parallel,
		      uint32_t order[SGANG_PARALLEL_MAX])
{
	uint32_t i, at;

	for (i = 0; i < parallel->n; i++) {
		for (at = i; at && parallel->group[order[at - 1]].weight <
					   parallel->group[i].weight;
		     at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
}

/* Behaviour 4.30: the heaviest group's rings belong into an island, those of
 * the second below one leaf switch, the others anywhere. */
static bool strays(const struct sgang_suggestion *s, uint32_t place,
		   uint32_t group)
{
	return s->cost.group[group].tier >
		       (place ? SGANG_LEVEL_LEAF : SGANG_LEVEL_ISLAND) &&
	       place < 2;
}

/* A group that is large and in its proper place keeps much traffic cheap; ties:
 * by cost. */
static int better(const void *a, const void *b)
{
	const struct sgang_suggestion *x = a, *y = b;
	uint32_t order[SGANG_PARALLEL_MAX], i;

	if (x->fits != y->fits)
		return x->fits ? -1 : 1;
	by_weight(&x->parallel, order);
	for (i = 0; i < x->parallel.n && i < 2; i++) {
		uint32_t g = order[i];

		if (strays(x, i, g) != strays(y, i, g))
			return strays(x, i, g) ? 1 : -1;
		if (x->parallel.group[g].size != y->parallel.group[g].size)
			return x->parallel.group[g].size >
					       y->parallel.group[g].size ?
				       -1 :
				       1;
	}
	if (x->cost.weighted != y->cost.weighted)
		return x->cost.weighted < y->cost.weighted ? -1 : 1;
	return 0;
}

int sgang_suggest(const struct sgang_offline *offline,
		  const struct sgang_plan_request *plan,
		  const struct sgang_open_sizes *sizes,
		  struct sgang_suggestion **list, size_t *n,
		  struct sgang_error *err)
{
	struct sgang_suggestion *found;
	struct sgang_parallel *ways;
	size_t count, i;
	int rc = 0;

	if (sgang_open_sizes_ways(sizes, count_ranks(plan), &ways, &count, err))
		return -1;
	found = calloc(count, sizeof(*found));
	if (!found)
		rc = sgang_err_memory(err);
	for (i = 0; i < count && !rc; i++) {
		found[i].parallel = ways[i];
		rc = weigh(offline, plan, &found[i], err);
	}
	free(ways);
	if (rc) {
		free(found);
		return -1;
	}
	qsort(found, count, sizeof(*found), better);
	*list = found;
	*n = count;
	return 0;
}

/* "tp=8,dp=4": the sizes alone. */
static const char *sizes(const struct sgang_parallel *parallel,
			 char shown[SGANG_PARALLEL_SHOWN])
{
	char *colon;

	sgang_parallel_format(shown, parallel);
	colon = strchr(shown, ':');
	if (colon)
		*colon = '\0';
	return shown;
}

static void put_groups(const struct sgang_costs *costs,
		       const struct sgang_suggestion *s,
		       struct json_object *list)
{
	struct json_object *group;
	uint32_t g;

	for (g = 0; g < s->parallel.n; g++) {
		group = sgang_json_row(list);
		sgang_json_string(group, "group", s->parallel.group[g].name);
		sgang_json_number(group, "size", s->parallel.group[g].size);
		if (!s->fits)
			continue;
		sgang_json_number(group, "cost", s->cost.group[g].cost);
		sgang_json_string(group, "tier",
				  costs->name[s->cost.group[g].tier]);
	}
}

/* Sizes that do not fit have no cost. */
static const char form[] =
	"<suggestions|[parallel={parallel} weighted_cost={weighted_cost}"
	" cross_links={cross_links} tiers={groups.tier}\n]>";

void sgang_suggest_print(const struct sgang_costs *costs,
			 const struct sgang_suggestion *list, size_t n)
{
	struct json_object *object = json_object_new_object(), *row;
	struct json_object *rows = sgang_json_list(object, "suggestions");
	char shown[SGANG_PARALLEL_SHOWN];

	for (; n; n--, list++) {
		row = sgang_json_row(rows);
		sgang_json_string(row, "parallel",
				  sizes(&list->parallel, shown));
		sgang_json_bool(row, "fits", list->fits);
		if (list->fits) {
			sgang_json_number(row, "weighted_cost",
					  list->cost.weighted);
			sgang_json_number(row, "cross_links",
					  list->cross_links);
		}
		put_groups(costs, list, sgang_json_list(row, "groups"));
	}
	sgang_answer_print(object, form);
}
