/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placewhy.c - sgang place --explain: the reasons for a placement */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/json.h"
#include "cmd/offline.h"
#include "cmd/placewhy.h"
#include "cmd/ringtext.h"
#include "core/base/hostlist.h"
#include "core/gang/lists.h"
#include "core/plan/explain.h"
#include "core/plan/stock.h"

struct sgang_placewhy {
	const struct sgang_offline *offline;
	const struct sgang_plan_request *request;
	const struct sgang_placement *placement;
	uint64_t bytes;
	struct sgang_ring empty;   /* of the best place, were all free */
	struct sgang_stock *stock; /* NULL: Slurm finds no place */
	char *stock_nodes;         /* host list, in the order of ranks */
	const struct sgang_others *others;
	uint64_t ordered; /* what the ring would cost with the
			   * members in another order */
};

/* The plan if all nodes were free. Where that is no proved optimum, the
 * placement can be better. */
static int find_empty(struct sgang_placewhy *why, struct sgang_error *err)
{
	struct sgang_plan_request request = *why->request;
	struct sgang_placement *placement = NULL;
	struct sgang_nofit nofit;
	bool better;
	int rc;

	request.free = request.total;
	rc = sgang_offline_plan(why->offline, &request, &placement, NULL,
				&nofit, err);
	if (rc < 0)
		return -1;
	better = rc &&
		 (request.parallel ?
			  placement->weighted_cost <=
				  why->placement->weighted_cost :
			  placement->ring.cost <= why->placement->ring.cost);
	why->empty = better ? placement->ring : why->placement->ring;
	sgang_placement_destroy(placement);
	return 0;
}

static int find_stock(struct sgang_placewhy *why, struct sgang_error *err)
{
	int rc = sgang_offline_stock(why->offline, why->request, &why->stock,
				     err);
	const char **names;
	size_t i;

	if (rc <= 0)
		return rc;
	names = calloc(why->stock->n_runs, sizeof(*names));
	for (i = 0; names && i < why->stock->n_runs; i++)
		names[i] = sgang_fabric_node_name(why->request->fabric,
						  why->stock->runs[i].node);
	if (names)
		why->stock_nodes = sgang_hostlist_fold(names,
						       why->stock->n_runs);
	free(names);
	return why->stock_nodes ? 0 : sgang_err_memory(err);
}

/* Groups determine the place of each rank. */
static int find_order(struct sgang_placewhy *why, struct sgang_error *err)
{
	struct sgang_plan_request request = *why->request;

	request.fabric = sgang_offline_places(why->offline);
	why->ordered = why->placement->ring.cost;
	if (request.parallel)
		return 0;
	return sgang_explain_order(&request, why->placement, &why->ordered,
				   err);
}

struct sgang_placewhy *
sgang_placewhy_create(const struct sgang_offline *offline,
		      const struct sgang_plan_request *request,
		      const struct sgang_placement *placement,
		      const struct sgang_others *others, uint64_t bytes,
		      struct sgang_error *err)
{
	struct sgang_placewhy *why = calloc(1, sizeof(*why));

	if (!why) {
		sgang_err_memory(err);
		return NULL;
	}
	why->offline = offline;
	why->request = request;
	why->placement = placement;
	why->others = others;
	why->bytes = bytes;
	if (find_empty(why, err) || find_stock(why, err) ||
	    find_order(why, err)) {
		sgang_placewhy_destroy(why);
		return NULL;
	}
	return why;
}

void sgang_placewhy_destroy(struct sgang_placewhy *why)
{
	int saved = errno;

	if (why) {
		sgang_stock_destroy(why->stock);
		free(why->stock_nodes);
	}
	free(why);
	errno = saved;
}

/* The cost by which places are compared. */
static const char *other_cost(const struct sgang_placewhy *why)
{
	return why->request->parallel ? "weighted_cost" : "ring_cost";
}

/* True if the ring would cost less on these nodes in another order. */
static bool another_order(const struct sgang_placewhy *why)
{
	return why->ordered < why->placement->ring.cost;
}

static void put_ring(const struct sgang_placewhy *why,
		     const struct sgang_ring *ring, struct json_object *object)
{
	sgang_offline_json_ring(why->request->costs, ring, object);
	sgang_ringtext_json_time(ring, why->request->costs, why->bytes, object);
}

static void put_stock(const struct sgang_placewhy *why,
		      struct json_object *object)
{
	put_ring(why, &why->stock->ring, object);
	sgang_json_bool(object, "estimate", !why->stock->exact);
	sgang_json_string(object, "nodes", why->stock_nodes);
}

static void put_other(const struct sgang_placewhy *why,
		      const struct sgang_other *other,
		      struct json_object *object)
{
	const struct sgang_domain *domain = sgang_fabric_domain(
		sgang_offline_places(why->offline), other->domain);

	sgang_json_string(object, "domain", domain->name);
	sgang_json_string(object, "level",
			  why->request->costs->name[domain->level]);
	sgang_json_bool(object, "fits", other->fits);
	if (other->fits) {
		sgang_json_number(object, other_cost(why), other->cost);
	} else {
		sgang_json_number(object, "free", other->free);
		sgang_json_number(object, "needed", other->needed);
	}
	sgang_json_string(object, "why", other->why);
}

struct json_object *sgang_placewhy_json(const struct sgang_placewhy *why)
{
	struct json_object *object = json_object_new_object(), *others;
	size_t i;

	sgang_json_number(object, "bytes", why->bytes);
	sgang_ringtext_json_time(&why->placement->ring, why->request->costs,
				 why->bytes, object);
	put_ring(why, &why->empty, sgang_json_inner(object, "empty"));
	if (why->stock)
		put_stock(why, sgang_json_inner(object, "stock"));
	else
		sgang_json_string(object, "stock", NULL);
	sgang_json_maybe(object, "order_cost", another_order(why),
			 why->ordered);
	others = sgang_json_list(object, "others");
	for (i = 0; i < why->others->n; i++)
		put_other(why, &why->others->other[i], sgang_json_row(others));
	sgang_json_number(object, "others_left_out", why->others->left_out);
	return object;
}

void sgang_placewhy_nofit(const struct sgang_plan_request *request,
			  struct sgang_nofit *nofit)
{
	static const struct sgang_explain_unit unit = { "slot", "slots", 1,
							NULL };
	char text[SGANG_EXPLAIN_SIZE];

	sgang_explain_nofit(request, nofit, &unit, text);
	snprintf(nofit->text, sizeof(nofit->text), "%.255s", text);
}
