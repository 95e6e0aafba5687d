/* SPDX-License-Identifier: GPL-2.0-or-later */
/* suggest.c - which sizes of communication groups suit a cluster */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The groups by weight, of equal ones the first first. */
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

/* A group that is large and where it belongs keeps much traffic cheap; what is
 * left decides by its cost. */
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

void sgang_suggest_print(const struct sgang_costs *costs,
			 const struct sgang_suggestion *list, size_t n)
{
	char shown[SGANG_PARALLEL_SHOWN];
	size_t i;
	uint32_t g;

	for (i = 0; i < n && list[i].fits; i++) {
		const struct sgang_suggestion *s = &list[i];

		printf("parallel=%s weighted_cost=%" PRIu64
		       " cross_links=%" PRIu64 " tiers=",
		       sizes(&s->parallel, shown), s->cost.weighted,
		       s->cross_links);
		for (g = 0; g < s->parallel.n; g++)
			printf("%s%s", g ? "," : "",
			       costs->name[s->cost.group[g].tier]);
		putchar('\n');
	}
}

static struct json_object *json_group(const struct sgang_costs *costs,
				      const struct sgang_suggestion *s,
				      uint32_t g)
{
	struct json_object *group = json_object_new_object();

	sgang_json_string(group, "group", s->parallel.group[g].name);
	sgang_json_number(group, "size", s->parallel.group[g].size);
	if (s->fits) {
		sgang_json_number(group, "cost", s->cost.group[g].cost);
		sgang_json_string(group, "tier",
				  costs->name[s->cost.group[g].tier]);
	}
	return group;
}

struct json_object *sgang_suggest_json(const struct sgang_costs *costs,
				       const struct sgang_suggestion *list,
				       size_t n)
{
	struct json_object *array = json_object_new_array();
	char shown[SGANG_PARALLEL_SHOWN];
	size_t i;
	uint32_t g;

	for (i = 0; i < n; i++) {
		const struct sgang_suggestion *s = &list[i];
		struct json_object *object = json_object_new_object();
		struct json_object *groups = json_object_new_array();

		sgang_json_string(object, "parallel",
				  sizes(&s->parallel, shown));
		sgang_json_bool(object, "fits", s->fits);
		if (s->fits) {
			sgang_json_number(object, "weighted_cost",
					  s->cost.weighted);
			sgang_json_number(object, "cross_links",
					  s->cross_links);
		}
		for (g = 0; g < s->parallel.n; g++)
			json_object_array_add(groups, json_group(costs, s, g));
		json_object_object_add(object, "groups", groups);
		json_object_array_add(array, object);
	}
	return array;
}
