/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placewhy.c - sgang place --explain: what speaks for a placement */

#include <errno.h>
#include <inttypes.h>
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

/* What was planned, were all nodes free. Where that is no proved optimum, the
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

/* Groups say by themselves which rank goes where. */
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

/* "hops=leaf:4,spine:2 slowest=spine seconds=0.35" */
static void print_time(const struct sgang_placewhy *why,
		       const struct sgang_ring *ring)
{
	struct sgang_ringtext_time time;
	char hops[SGANG_HOPS_SIZE];

	sgang_lists_write_hops(ring, why->request->costs, hops);
	sgang_ringtext_time(ring, why->request->costs, why->bytes, &time);
	printf("hops=%s slowest=%s seconds=%s", hops[0] ? hops : "(null)",
	       time.slowest, time.seconds);
}

static void print_ring(const struct sgang_placewhy *why, const char *title,
		       const struct sgang_ring *ring)
{
	printf("%s: ring_cost=%" PRIu64 " cross_links=%" PRIu64 " tier=%s ",
	       title, ring->cost, ring->cross_links,
	       why->request->costs->name[ring->tier]);
	print_time(why, ring);
}

/* What places are compared by. */
static const char *other_cost(const struct sgang_placewhy *why)
{
	return why->request->parallel ? "weighted_cost" : "ring_cost";
}

static void print_other(const struct sgang_placewhy *why,
			const struct sgang_other *other)
{
	const struct sgang_domain *domain = sgang_fabric_domain(
		sgang_offline_places(why->offline), other->domain);

	printf("other: domain=%s level=%s ", domain->name,
	       why->request->costs->name[domain->level]);
	if (other->fits)
		printf("%s=%" PRIu64, other_cost(why), other->cost);
	else
		printf("free=%" PRIu64 " needed=%" PRIu64, other->free,
		       other->needed);
	printf(" why=%s\n", other->why);
}

/* Would the ring cost less on these nodes in another order? */
static bool another_order(const struct sgang_placewhy *why)
{
	return why->ordered < why->placement->ring.cost;
}

void sgang_placewhy_print(const struct sgang_placewhy *why)
{
	size_t i;

	print_time(why, &why->placement->ring);
	printf(" bytes=%" PRIu64 "\n", why->bytes);
	print_ring(why, "empty", &why->empty);
	putchar('\n');
	if (why->stock) {
		print_ring(why, "stock", &why->stock->ring);
		printf(" estimate=%s nodes=%s\n",
		       why->stock->exact ? "no" : "yes", why->stock_nodes);
	} else {
		printf("stock: no place\n");
	}
	if (another_order(why))
		printf("order: ring_cost=%" PRIu64 "\n", why->ordered);
	for (i = 0; i < why->others->n; i++)
		print_other(why, &why->others->other[i]);
	if (why->others->left_out)
		printf("others_left_out=%" PRIu32 "\n", why->others->left_out);
}

static struct json_object *json_ring(const struct sgang_placewhy *why,
				     const struct sgang_ring *ring)
{
	struct json_object *object = json_object_new_object();

	sgang_offline_json_ring(why->request->costs, ring, object);
	sgang_ringtext_json_time(ring, why->request->costs, why->bytes, object);
	return object;
}

static struct json_object *json_stock(const struct sgang_placewhy *why)
{
	struct json_object *object;

	if (!why->stock)
		return NULL;
	object = json_ring(why, &why->stock->ring);
	sgang_json_bool(object, "estimate", !why->stock->exact);
	sgang_json_string(object, "nodes", why->stock_nodes);
	return object;
}

static struct json_object *json_other(const struct sgang_placewhy *why,
				      const struct sgang_other *other)
{
	const struct sgang_domain *domain = sgang_fabric_domain(
		sgang_offline_places(why->offline), other->domain);
	struct json_object *object = json_object_new_object();

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
	return object;
}

struct json_object *sgang_placewhy_json(const struct sgang_placewhy *why)
{
	struct json_object *object = json_object_new_object();
	struct json_object *others = json_object_new_array();
	size_t i;

	for (i = 0; i < why->others->n; i++)
		json_object_array_add(others,
				      json_other(why, &why->others->other[i]));
	sgang_json_number(object, "bytes", why->bytes);
	sgang_ringtext_json_time(&why->placement->ring, why->request->costs,
				 why->bytes, object);
	json_object_object_add(object, "empty", json_ring(why, &why->empty));
	json_object_object_add(object, "stock", json_stock(why));
	json_object_object_add(object, "order_cost",
			       another_order(why) ?
				       json_object_new_uint64(why->ordered) :
				       NULL);
	json_object_object_add(object, "others", others);
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
