/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_vector.c - struct sgang_host: requests that differ, counted together
 *
 * host_fit.c counts in pieces of one request. This file counts resource by
 * resource, so that a plan knows how requests that differ share a node.
 */

#include "config.h"

#include <stdio.h>
#include <string.h>

#include "host_private.h"

#include "inside.h"
#include "layout.h"
#include "rows.h"
#include "seats.h"

enum kind {
	CPUS,  /* of all kinds of partitions */
	ROWS,  /* CPUs of a partition that shares;
		* of: NULL: of the others */
	APART, /* nothing: who is of such a pool keeps
		* off nodes where others are */
	MEMORY,
	GRES /* id; type: 0: all types */
};

static uint32_t clamp(uint64_t amount)
{
	return (amount < SGANG_PLAN_UNTOUCHED) ? (uint32_t)amount :
						 SGANG_PLAN_UNTOUCHED - 1;
}

/* ---- the dimensions ---- */

static void add_dim(struct sgang_resources *res, enum kind kind, uint32_t id,
		    uint32_t type, const void *of, const char *name)
{
	uint32_t d;

	for (d = 0; d < res->n_dims; d++) {
		if (res->dim[d].kind == kind && res->dim[d].id == id &&
		    res->dim[d].type == type && res->dim[d].of == of)
			return;
	}
	if (res->n_dims == SGANG_PLAN_DIMS)
		return;
	res->n_dims++;
	res->dim[d].kind = kind;
	res->dim[d].id = id;
	res->dim[d].type = type;
	res->dim[d].of = of;
	res->dim[d].apart = kind == APART;
	snprintf(res->dim[d].name, sizeof(res->dim[d].name), "%s", name);
}

/* "gpu" is shown as "GPUs", other names as they are. */
static void add_gres(struct sgang_resources *res, const gres_state_t *gres,
		     const gres_job_state_t *js)
{
	const char *name = gres->gres_name ? gres->gres_name : "GRES";
	bool gpus = !xstrcmp(name, "gpu");
	char text[48];

	if (!sgang_host_gres_consumed(gres->plugin_id))
		return;
	snprintf(text, sizeof(text), "%s", gpus ? "GPUs" : name);
	add_dim(res, GRES, gres->plugin_id, 0, NULL, text);
	if (!js->type_name)
		return;
	snprintf(text, sizeof(text), "%.30s %.15s", js->type_name,
		 gpus ? "GPUs" : name);
	add_dim(res, GRES, gres->plugin_id, js->type_id, NULL, text);
}

static void add_all_gres(struct sgang_resources *res, list_t *list)
{
	list_itr_t *iter;
	gres_state_t *gres;

	if (!list)
		return;
	iter = list_iterator_create(list);
	while ((gres = list_next(iter))) {
		const gres_job_state_t *js = sgang_layout_gres(gres->gres_data,
							       sizeof(*js));

		if (js)
			add_gres(res, gres, js);
	}
	list_iterator_destroy(iter);
}

static const void *pool_of(const struct sgang_need *need)
{
	return (need->rows > 1) ? need->part : NULL;
}

/* A pool, and if some requests are in no pool that shares, the means to keep
 * them apart. */
static void add_pool(struct sgang_resources *res, const void *of, bool apart)
{
	add_dim(res, ROWS, 0, 0, of, apart && of ? "CPUs of all rows" : "CPUs");
	if (apart)
		add_dim(res, APART, 0, 0, of, "CPUs");
}

static bool any_alone(const struct sgang_asked *asked, size_t n)
{
	struct sgang_need need;

	for (size_t i = 0; i < n; i++) {
		sgang_host_need(record(asked[i].job), asked[i].shape, &need);
		if (!pool_of(&need))
			return true;
	}
	return false;
}

/* Requests have pools of their own if some share CPUs and others do not, or
 * share elsewhere. */
static void add_pools(const struct sgang_asked *asked, size_t n,
		      struct sgang_resources *res)
{
	struct sgang_need need;
	bool apart = any_alone(asked, n);
	const void *first;

	sgang_host_need(record(asked[0].job), asked[0].shape, &need);
	first = pool_of(&need);
	for (size_t i = 1; i < n; i++) {
		sgang_host_need(record(asked[i].job), asked[i].shape, &need);
		if (pool_of(&need) == first)
			continue;
		/* shortages of a request without -s are reported of this one */
		if (apart)
			add_pool(res, NULL, true);
		add_pool(res, first, apart);
		add_pool(res, pool_of(&need), apart);
	}
	/* the only one */
	if (res->n_dims == 1) {
		res->dim[0].kind = ROWS;
		res->dim[0].of = first;
	}
}

/* Whole cores are given out, so threads in a core make the difference. */
static uint8_t type_of(struct sgang_resources *res,
		       const node_record_t *node_ptr)
{
	uint32_t tpc = node_ptr ? node_ptr->tpc : 1, t;

	for (t = 0; t < res->n_types; t++) {
		if (res->type[t] == tpc)
			return (uint8_t)t;
	}
	if (t == SGANG_NODE_TYPES)
		return 0;
	res->type[res->n_types++] = tpc;
	return (uint8_t)t;
}

void sgang_host_resources(const struct sgang_asked *asked, size_t n,
			  struct sgang_resources *res, uint8_t *type)
{
	memset(res, 0, sizeof(*res));
	add_dim(res, CPUS, 0, 0, NULL, "CPUs");
	add_pools(asked, n, res);
	if (sgang_host_counts_memory())
		add_dim(res, MEMORY, 0, 0, NULL, "MB of memory");
	for (size_t i = 0; i < n; i++)
		add_all_gres(res, sgang_inside_gres(record(asked[i].job)));
	for (uint32_t i = 0; i < (uint32_t)node_record_count; i++)
		type[i] = type_of(res, node_record_table_ptr[i]);
}

/* ---- what a piece needs ---- */

static uint64_t gres_need(const struct sgang_need *need, uint32_t id,
			  uint32_t type)
{
	list_itr_t *iter;
	gres_state_t *gres;
	uint64_t sum = 0;

	if (!need->gres)
		return 0;
	iter = list_iterator_create(need->gres);
	while ((gres = list_next(iter))) {
		const gres_job_state_t *js = sgang_layout_gres(gres->gres_data,
							       sizeof(*js));

		if (js && gres->plugin_id == id &&
		    (!type || (js->type_name && js->type_id == type)))
			sum += sgang_host_gres_share(js, need);
	}
	list_iterator_destroy(iter);
	return sum;
}

/* The amount of a pool that a piece with so many CPUs takes. The cores of a
 * piece that does not share are in no row any more. */
static uint64_t need_of_pool(const struct sgang_need *need,
			     const part_record_t *pool, uint64_t cpus)
{
	if (pool == pool_of(need))
		return cpus;
	return pool_of(need) || !pool ? 0 : cpus * sgang_rows_of_part(pool);
}

static uint32_t need_on(const struct sgang_need *need,
			const struct sgang_resources *res, uint32_t d,
			uint32_t tpc)
{
	uint64_t cpus = sgang_host_cpus_taken(need, tpc);

	cpus = cpus ? cpus : 1;
	if (res->dim[d].apart)
		return res->dim[d].of == pool_of(need) ? 1 :
		       pool_of(need) && res->dim[d].of ? 0 :
							 SGANG_PLAN_UNTOUCHED;

	if (need->whole)
		return SGANG_PLAN_ALL;
	switch ((enum kind)res->dim[d].kind) {
	case CPUS:
		break;
	case ROWS:
		return clamp(need_of_pool(need, res->dim[d].of, cpus));
	case APART:
		break;
	case MEMORY:
		if (need->all_memory)
			return SGANG_PLAN_ALL;
		return (need->open && !need->memory_per_cpu) ?
			       0 :
			       clamp(sgang_host_memory_taken(need, tpc));
	case GRES:
		return clamp(gres_need(need, res->dim[d].id, res->dim[d].type));
	}
	return clamp(cpus);
}

void sgang_host_needs(const struct sgang_asked *asked,
		      const struct sgang_resources *res, uint32_t *needs)
{
	struct sgang_need need;

	sgang_host_need(record(asked->job), asked->shape, &need);
	for (uint32_t t = 0; t < res->n_types; t++) {
		for (uint32_t d = 0; d < res->n_dims; d++)
			*needs++ = need_on(&need, res, d, res->type[t]);
	}
}

/* Only GRES: CPUs and memory may be had in other ways, or are counted by Slurm.
 */
static uint64_t takes_of(const job_record_t *job_ptr, uint32_t id,
			 uint32_t type)
{
	list_t *list = sgang_inside_gres(job_ptr);
	const job_details_t *d = job_ptr->details;
	uint64_t nodes = d->min_nodes ? d->min_nodes : 1, sum = 0;
	list_itr_t *iter;
	gres_state_t *gres;

	if (!list)
		return 0;
	iter = list_iterator_create(list);
	while ((gres = list_next(iter))) {
		const gres_job_state_t *js = sgang_layout_gres(gres->gres_data,
							       sizeof(*js));

		if (js && gres->plugin_id == id &&
		    (!type || (js->type_name && js->type_id == type)))
			sum += MAX(js->gres_per_job, js->gres_per_node * nodes);
	}
	list_iterator_destroy(iter);
	return sum;
}

void sgang_host_takes(struct sgang_job *job, const struct sgang_resources *res,
		      uint64_t *takes)
{
	for (uint32_t d = 0; d < res->n_dims; d++)
		takes[d] = (res->dim[d].kind == GRES) ?
				   takes_of(record(job), res->dim[d].id,
					    res->dim[d].type) :
				   0;
}

/* ---- what nodes have ---- */

static bool keeps_apart(const struct sgang_resources *res)
{
	for (uint32_t d = 0; d < res->n_dims; d++) {
		if (res->dim[d].apart)
			return true;
	}
	return false;
}

/* CPUs of partitions that share; NULL: of the others. A node with a job that
 * does not share has room for such requests only: others are not allowed there.
 */
static uint64_t cpus_in_pool(const struct sgang_resources *res,
			     const part_record_t *part_ptr, uint32_t node,
			     bool empty)
{
	struct sgang_room room;
	uint32_t row[SGANG_ROWS_MAX], rows;
	uint64_t cpus = 0;

	sgang_host_node_room(node, empty, &room);
	if (!part_ptr)
		return room.cpus;
	rows = sgang_rows_of_part(part_ptr);
	if (!empty && keeps_apart(res) && sgang_rows_alone(node))
		return room.cpus * rows;
	sgang_rows_free(part_ptr, rows, node, empty, row);
	for (uint32_t r = 0; r < rows; r++)
		cpus += row[r];
	return cpus;
}

/* All that the pools have together: no bound of its own. */
static uint64_t cpus_of_pools(const struct sgang_resources *res, uint32_t node,
			      bool empty)
{
	uint64_t cpus = 0;

	for (uint32_t d = 0; d < res->n_dims; d++) {
		if (res->dim[d].kind == ROWS)
			cpus += cpus_in_pool(res, res->dim[d].of, node, empty);
	}
	return cpus;
}

static uint64_t amount_on(const struct sgang_resources *res, uint32_t d,
			  uint32_t node, bool empty)
{
	struct sgang_room room;

	switch ((enum kind)res->dim[d].kind) {
	case CPUS:
		return cpus_of_pools(res, node, empty);
	case ROWS:
		return cpus_in_pool(res, res->dim[d].of, node, empty);
	case APART:
		return cpus_of_pools(res, node, true);
	case MEMORY:
		sgang_host_node_room(node, empty, &room);
		return room.memory;
	case GRES:
		return sgang_host_gres_on(node, res->dim[d].id,
					  res->dim[d].type, empty);
	}
	return 0;
}

void sgang_host_amounts(const struct sgang_resources *res, bool empty,
			uint32_t *amounts)
{
	for (uint32_t n = 0; n < (uint32_t)node_record_count; n++) {
		for (uint32_t d = 0; d < res->n_dims; d++)
			*amounts++ =
				node_record_table_ptr[n] ?
					clamp(amount_on(res, d, n, empty)) :
					0;
	}
}

/* ---- what a job has ---- */

/* Pools are as in need_of_pool(). CPUs of jobs that share are not free for
 * others. */
static uint64_t held_of_pool(const struct sgang_seat *seat,
			     const part_record_t *pool)
{
	const job_record_t *job_ptr = seat->job;
	uint64_t cpus = (uint64_t)seat->cores *
			node_record_table_ptr[seat->node]->tpc;

	if (!sgang_seats_uses_cores(seat))
		return 0;
	if (!pool)
		return cpus;
	if (sgang_rows_of(job_ptr) > 1)
		return (job_ptr->part_ptr == pool) ? cpus : 0;
	return cpus * sgang_rows_of_part(pool);
}

static uint64_t held_of_pools(const struct sgang_seat *seat,
			      const struct sgang_resources *res)
{
	uint64_t cpus = 0;

	for (uint32_t d = 0; d < res->n_dims; d++) {
		if (res->dim[d].kind == ROWS)
			cpus += held_of_pool(seat, res->dim[d].of);
	}
	return cpus;
}

static uint64_t held_on(const struct sgang_seat *seat,
			const struct sgang_resources *res, uint32_t d)
{
	switch ((enum kind)res->dim[d].kind) {
	case CPUS:
		return held_of_pools(seat, res);
	case ROWS:
		return held_of_pool(seat, res->dim[d].of);
	case APART:
		return 0;
	case MEMORY:
		return sgang_seats_memory(seat);
	case GRES:
		return sgang_seats_gres(seat, res->dim[d].id,
					res->dim[d].type != 0,
					res->dim[d].type);
	}
	return 0;
}

void sgang_host_held_on(const struct sgang_seat *seat,
			const struct sgang_resources *res, uint32_t *amounts)
{
	for (uint32_t d = 0; d < res->n_dims; d++)
		amounts[d] = clamp(held_on(seat, res, d));
}

/* ---- why Slurm refused ---- */

/* The dimension of which the node has too little for a piece; -1: none that is
 * counted. */
static int lacks_on(const struct sgang_resources *res, const uint32_t *need,
		    const uint8_t *type, uint32_t node, uint64_t *have)
{
	for (uint32_t d = res->n_dims; d-- > 0;) {
		uint32_t want = need[type[node] * res->n_dims + d];
		uint64_t all = amount_on(res, d, node, true);

		*have = amount_on(res, d, node, false);
		if (want == SGANG_PLAN_ALL ? *have < all : *have < want)
			return (int)d;
	}
	return -1;
}

/* mps and shards are had of one GPU. The most that one has free; UINT64_MAX: it
 * does not matter. */
static uint64_t most_of_one(const struct sgang_resources *res, uint32_t d,
			    uint32_t node)
{
	bool mps = !strcmp(res->dim[d].name, "mps");

	if (res->dim[d].kind != GRES ||
	    (!mps && strcmp(res->dim[d].name, "shard")))
		return UINT64_MAX;
	return sgang_host_gres_of_one(node, res->dim[d].id, mps);
}

/* With CR_Socket Slurm gives out whole sockets. */
static bool by_socket(const job_record_t *job_ptr)
{
	uint16_t type = job_ptr->part_ptr ? job_ptr->part_ptr->cr_type : 0;

	return (type ? type : slurm_conf.select_type_param) & RELEASE_BY_SOCKET;
}

/* True if this node lacks something that is counted. */
static bool say_lack_on(const job_record_t *job_ptr,
			const struct sgang_resources *res, const uint32_t *need,
			const uint8_t *type, uint32_t node, char *why,
			size_t size)
{
	const char *at = node_record_table_ptr[node]->name, *name;
	size_t rest;
	uint64_t have;
	uint32_t want;
	int d = lacks_on(res, need, type, node, &have);

	for (uint32_t i = 0; d < 0 && i < res->n_dims; i++) {
		want = need[type[node] * res->n_dims + i];
		have = most_of_one(res, i, node);
		if (want == SGANG_PLAN_ALL || have >= want)
			continue;
		snprintf(why, size, "needs %u %s of one GPU, %s has %llu free",
			 want, res->dim[i].name, at, (unsigned long long)have);
		return true;
	}
	if (d < 0)
		return false;
	want = need[type[node] * res->n_dims + (uint32_t)d];
	name = res->dim[d].name;
	rest = strcspn(name, " ");
	if (want == SGANG_PLAN_ALL)
		snprintf(why, size, "not all %s of %s are free", name, at);
	else
		snprintf(why, size, "needs %u %.*s%s, %s has %llu free%s", want,
			 want == 1 ? sgang_resource_one(name) : (int)rest, name,
			 name + rest, at, (unsigned long long)have,
			 (res->dim[d].kind == CPUS ||
			  res->dim[d].kind == ROWS) &&
					 by_socket(job_ptr) ?
				 " in sockets without a job" :
				 "");
	return true;
}

void sgang_host_explain(struct sgang_job *job, const struct sgang_shape *shape,
			const struct sgang_nodeset *nodes, char *why,
			size_t size)
{
	const struct sgang_asked asked = { .job = job, .shape = shape };
	uint32_t need[SGANG_NODE_TYPES * SGANG_PLAN_DIMS];
	uint8_t *type = xcalloc(node_record_count + 1, sizeof(*type));
	uint32_t first = sgang_nodeset_next(nodes, 0);
	struct sgang_resources res;
	bool said = false;

	sgang_host_resources(&asked, 1, &res, type);
	sgang_host_needs(&asked, &res, need);
	for (uint32_t n = first; !said && n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1))
		said = node_record_table_ptr[n] &&
		       say_lack_on(record(job), &res, need, type, n, why, size);
	if (!said && shape->segment)
		snprintf(
			why, size,
			shape->segment < shape->min_nodes ?
				"Slurm finds no blocks with room for its segments of %u nodes" :
				"Slurm finds no blocks with room for its %u nodes",
			shape->segment);
	else if (!said)
		snprintf(why, size,
			 "Slurm finds no cores%s that go together on %s",
			 sgang_inside_gres(record(job)) ? " and GRES" : "",
			 (first != SGANG_NODE_NONE &&
			  node_record_table_ptr[first]) ?
				 node_record_table_ptr[first]->name :
				 "its nodes");
	xfree(type);
}
