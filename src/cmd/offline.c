/* SPDX-License-Identifier: GPL-2.0-or-later */
/* offline.c - shared by the verbs that need no Slurm */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/json.h"
#include "cmd/offline.h"
#include "cmd/ringtext.h"
#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "files/fabric_file.h"

int sgang_offline_load(struct sgang_offline *offline, struct sgang_error *err)
{
	sgang_conf_default(&offline->conf);
	offline->fabric = NULL;
	offline->inside = NULL;
	if (!offline->topology)
		return sgang_errf(err, EINVAL, "--topology=FILE is missing");
	if (offline->conf_path &&
	    sgang_conf_load(offline->conf_path, &offline->conf, err))
		return -1;
	offline->fabric = sgang_fabric_load_file(
		&offline->conf, offline->topology, NULL, 0, err);
	if (!offline->fabric)
		return -1;
	if (sgang_fabric_warning(offline->fabric))
		sgang_cmd_warn("%s", sgang_fabric_warning(offline->fabric));
	return offline->conf_path ?
		       sgang_islands_load(&offline->conf, offline->conf_path,
					  offline->fabric, &offline->inside,
					  err) :
		       0;
}

void sgang_offline_clear(struct sgang_offline *offline)
{
	sgang_islands_destroy(offline->inside);
	offline->inside = NULL;
	sgang_fabric_destroy(offline->fabric);
	offline->fabric = NULL;
	sgang_conf_free(&offline->conf);
}

const struct sgang_fabric *
sgang_offline_places(const struct sgang_offline *offline)
{
	return offline->inside ? offline->inside->devices->fabric :
				 offline->fabric;
}

uint32_t sgang_offline_node(const struct sgang_offline *offline, uint32_t place)
{
	return offline->inside ? offline->inside->devices->node[place] : place;
}

int sgang_offline_default_slots(const struct sgang_offline *offline,
				uint32_t *slots, struct sgang_error *err)
{
	uint32_t described = offline->inside ? offline->inside->slots : 0;

	if (*slots && described && *slots != described)
		return sgang_errf(err, EINVAL,
				  "--slots=%" PRIu32 ": nodes "
				  "have %" PRIu32 " slots by NodeTopology of "
				  "%s, expected --slots=%" PRIu32,
				  *slots, described, offline->conf_path,
				  described);
	if (!*slots)
		*slots = described;
	return 0;
}

/* To be ended with sgang_islands_clear(). */
static int begin_place(const struct sgang_offline *offline,
		       const struct sgang_plan_request *request,
		       struct sgang_place_request *place,
		       struct sgang_place_islands *islands,
		       struct sgang_error *err)
{
	*place = (struct sgang_place_request){ .nodes = request };
	*islands = (struct sgang_place_islands){ .devices = NULL };
	if (!offline->inside)
		return 0;
	place->islands = islands;
	return sgang_islands_fill(offline->inside, request, islands, err);
}

int sgang_offline_plan(const struct sgang_offline *offline,
		       const struct sgang_plan_request *request,
		       struct sgang_placement **placement,
		       struct sgang_others *others, struct sgang_nofit *nofit,
		       struct sgang_error *err)
{
	struct sgang_place_request place;
	struct sgang_place_islands islands;
	struct sgang_place_report report;
	int rc;

	if (begin_place(offline, request, &place, &islands, err))
		return -1;
	place.others = others ? SGANG_OTHERS_MAX : 0;
	place.prove = true;
	rc = sgang_place(&place, placement, &report, nofit, err);
	if (others)
		*others = report.others;
	sgang_islands_clear(&islands);
	return rc;
}

int sgang_offline_stock(const struct sgang_offline *offline,
			const struct sgang_plan_request *request,
			struct sgang_stock **stock, struct sgang_error *err)
{
	struct sgang_place_request place;
	struct sgang_place_islands islands;
	int rc;

	if (begin_place(offline, request, &place, &islands, err))
		return -1;
	rc = sgang_place_stock(&place, SGANG_STOCK_RULE, stock, err);
	sgang_islands_clear(&islands);
	return rc;
}

int sgang_offline_slots(const char *value, uint32_t *slots,
			struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	uint64_t number;

	if (sgang_text_number(value, 1, SGANG_SLOTS_MAX, &number))
		return sgang_errf(err, EINVAL,
				  "--slots=%s: expected a number from 1 to %d",
				  sgang_text_show(shown, value),
				  SGANG_SLOTS_MAX);
	*slots = (uint32_t)number;
	return 0;
}

/* Read one name, "n1:3"; it is cut at the mark. */
static int read_word(const struct sgang_fabric *fabric, char *name, char mark,
		     uint32_t max, struct sgang_node_word *word,
		     struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN], shown_node[SGANG_TEXT_SHOWN];
	char *tail = strrchr(name, mark);
	uint64_t number = 0;

	if (tail)
		*tail++ = '\0';
	word->node = sgang_fabric_find_node(fabric, name);
	if (word->node == SGANG_NODE_NONE)
		return sgang_errf(err, EINVAL,
				  "node \"%s\" is not in the topology",
				  sgang_text_show(shown, name));
	if (tail && sgang_text_number(tail, 0, max, &number))
		return sgang_errf(err, EINVAL,
				  "%s%c%s: expected a number from 0 to %" PRIu32
				  " behind the '%c'",
				  sgang_text_show(shown_node, name), mark,
				  sgang_text_show(shown, tail), max, mark);
	word->has_number = tail;
	word->number = (uint32_t)number;
	return 0;
}

int sgang_offline_words(const struct sgang_fabric *fabric, const char *text,
			char mark, uint32_t max, struct sgang_node_word **words,
			size_t *count, struct sgang_error *err)
{
	struct sgang_node_word *list = NULL;
	char **names = NULL;
	size_t n, i;
	int rc = -1;

	if (sgang_hostlist_expand(text, &names, &n, err))
		return -1;
	list = calloc(n, sizeof(*list));
	if (!list) {
		sgang_err_memory(err);
		goto out;
	}
	for (i = 0; i < n; i++)
		if (read_word(fabric, names[i], mark, max, &list[i], err))
			goto out;
	*words = list;
	*count = n;
	list = NULL;
	rc = 0;
out:
	free(list);
	sgang_hostlist_free(names);
	return rc;
}

int sgang_offline_parallel(const char *value, struct sgang_parallel *parallel,
			   struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	struct sgang_error why;

	if (sgang_parallel_parse(value, parallel, &why))
		return sgang_errf(err, EINVAL, "--parallel=%s: %s",
				  sgang_text_show(shown, value), why.text);
	return 0;
}

void sgang_offline_json_ring(const struct sgang_costs *costs,
			     const struct sgang_ring *ring,
			     struct json_object *object)
{
	sgang_json_number(object, "ring_cost", ring->cost);
	sgang_json_number(object, "cross_links", ring->cross_links);
	sgang_json_string(object, "tier", costs->name[ring->tier]);
	sgang_json_number(object, "ranks", ring->ranks);
	sgang_ringtext_json_hops(ring, costs, object);
}

void sgang_offline_json_cost(const struct sgang_offline *offline,
			     const struct sgang_offline_cost *cost,
			     struct json_object *object)
{
	const struct sgang_costs *costs = &offline->conf.costs;
	struct json_object *groups, *row;
	uint32_t g;

	sgang_offline_json_ring(costs, &cost->ring, object);
	if (!cost->parallel->n)
		return;
	sgang_json_number(object, "weighted_cost", cost->groups.weighted);
	groups = sgang_json_list(object, "groups");
	for (g = 0; g < cost->parallel->n; g++) {
		row = sgang_json_row(groups);
		sgang_json_string(row, "group", cost->parallel->group[g].name);
		sgang_json_number(row, "size", cost->parallel->group[g].size);
		sgang_json_number(row, "weight",
				  cost->parallel->group[g].weight);
		sgang_json_number(row, "cost", cost->groups.group[g].cost);
		sgang_json_number(row, "cross_links",
				  cost->groups.group[g].cross_links);
		sgang_json_string(row, "tier",
				  costs->name[cost->groups.group[g].tier]);
	}
}
