/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spread_nofit.c - why members cannot be in different domains
 *
 * What is missing is, in this order: room for one member alone, compartments
 * with room for a member, such compartments in one domain that the gang may
 * span, or only a way to share them out.
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "spread.h"

/* Units of a shape that fit into a compartment. */
static uint64_t room_in(const struct sgang_spread *spread,
			const struct sgang_shape *shape, uint32_t c)
{
	const struct sgang_compartment *at = &spread->at[c];

	if (at->domain == SGANG_DOMAIN_NONE)
		return shape->tree.cap[at->first_pos];
	return sgang_inside_room(shape->inside, at->domain);
}

static const char *name_of(const struct sgang_spread *spread, uint32_t c)
{
	const struct sgang_fabric *fabric = spread->job->request->fabric;
	const struct sgang_compartment *at = &spread->at[c];

	if (at->domain != SGANG_DOMAIN_NONE)
		return sgang_fabric_domain(fabric, at->domain)->name;
	return sgang_fabric_node_name(
		fabric, sgang_fabric_order(fabric)[at->first_pos]);
}

/* The compartment that comes closest to having room for this shape and has
 * not; spread->n when there is none. */
static uint32_t closest(const struct sgang_spread *spread,
			const struct sgang_shape *shape)
{
	uint32_t c, best = spread->n;
	uint64_t most = 0;

	for (c = 0; c < spread->n; c++) {
		uint64_t room = room_in(spread, shape, c);

		if (room < shape->tree.need &&
		    (best == spread->n || room > most)) {
			best = c;
			most = room;
		}
	}
	return best;
}

static bool has_room(const struct sgang_spread *spread,
		     const struct sgang_shape *shape, uint32_t c)
{
	return room_in(spread, shape, c) >= shape->tree.need;
}

/* Compartments that have room for a member of some shape. */
static uint32_t count_roomy(const struct sgang_spread *spread)
{
	uint32_t c, s, n = 0;

	for (c = 0; c < spread->n; c++) {
		for (s = 0; s < spread->n_shapes; s++) {
			if (has_room(spread, &spread->shape[s], c))
				break;
		}
		n += s < spread->n_shapes;
	}
	return n;
}

/* A row for each domain without room, best first. */
static void add_rows(const struct sgang_spread *spread,
		     const struct sgang_shape *shape, struct sgang_nofit *nofit)
{
	uint32_t c;

	for (c = 0; c < spread->n; c++) {
		if (!has_room(spread, shape, c) &&
		    spread->at[c].domain != SGANG_DOMAIN_NONE)
			sgang_nofit_row(nofit, spread->at[c].domain,
					room_in(spread, shape, c),
					shape->tree.need);
	}
}

/* ": r4 has 1 of 2" */
static void name_closest(const struct sgang_spread *spread,
			 const struct sgang_shape *shape, char *buf,
			 size_t size)
{
	uint32_t c = closest(spread, shape);

	*buf = '\0';
	if (c < spread->n)
		snprintf(buf, size, ": %.64s has %" PRIu64 " of %" PRIu64,
			 name_of(spread, c), room_in(spread, shape, c),
			 shape->tree.need);
}

/* "leaf domains", "nodes" */
static void name_level(const struct sgang_spread *spread, bool many, char *buf,
		       size_t size)
{
	const struct sgang_plan_request *request = spread->job->request;
	uint32_t level = request->spread_level;
	const char *s = many ? "s" : "";

	if (level <= SGANG_LEVEL_NODE)
		snprintf(buf, size, "%s%s", request->costs->name[level], s);
	else
		snprintf(buf, size, "%s domain%s", request->costs->name[level],
			 s);
}

/* A shape that fits nowhere; NULL: there is none. */
static const struct sgang_shape *homeless(const struct sgang_spread *spread)
{
	uint32_t s, c;

	for (s = 0; s < spread->n_shapes; s++) {
		for (c = 0; c < spread->n; c++) {
			if (has_room(spread, &spread->shape[s], c))
				break;
		}
		if (c == spread->n)
			return &spread->shape[s];
	}
	return NULL;
}

/* " of one spine": what must hold them all. */
static void name_whole(const struct sgang_plan_request *request, char *buf,
		       size_t size)
{
	*buf = '\0';
	if (request->max_level < SGANG_LEVEL_UNCONNECTED)
		snprintf(buf, size, " of one %s",
			 request->costs->name[request->max_level]);
	else if (!sgang_tree_allowed(request, 0))
		snprintf(buf, size, " that are connected");
}

/* 'shape' is one that fits nowhere, or NULL. */
static void say(const struct sgang_spread *spread,
		const struct sgang_shape *shape, uint32_t best, uint32_t placed,
		struct sgang_nofit *nofit)
{
	const struct sgang_plan_request *request = spread->job->request;
	uint32_t roomy = (uint32_t)nofit->free, n = spread->n_members;
	char near[128], level[64], whole[64];
	const size_t size = sizeof(nofit->text);

	name_level(spread, !shape || spread->n_shapes == 1, level,
		   sizeof(level));
	name_closest(spread, shape ? shape : &spread->shape[0], near,
		     sizeof(near));
	name_whole(request, whole, sizeof(whole));
	if (request->max_level <= request->spread_level)
		snprintf(nofit->text, size,
			 "%u members are to be in different "
			 "%s and all in one %s, which can never be",
			 n, level, request->costs->name[request->max_level]);
	else if (shape && spread->n_shapes > 1)
		snprintf(nofit->text, size,
			 "member %u is to be in one %s, but "
			 "none has room for it%s",
			 shape->first, level, near);
	else if (roomy < n)
		snprintf(nofit->text, size,
			 "%u members are to be in different "
			 "%s, but only %u %s room for one%s",
			 n, level, roomy, roomy == 1 ? "has" : "have", near);
	else if (best == SGANG_DOMAIN_NONE)
		snprintf(nofit->text, size,
			 "%u members are to be in different "
			 "%s%s, but no two of those with room for one are",
			 n, level, whole);
	else if (placed < n && spread->n_shapes == 1)
		snprintf(nofit->text, size,
			 "%u members are to be in different "
			 "%s%s, but the best (%.64s) has only %u with room for "
			 "one",
			 n, level, whole,
			 sgang_fabric_domain(request->fabric, best)->name,
			 placed);
	else
		snprintf(nofit->text, size,
			 "%u members are to be in different "
			 "%s%s, but only %u of them find room there",
			 n, level, whole, placed);
}

void sgang_near_explain(const struct sgang_spread *spread, uint32_t best,
			uint32_t placed, struct sgang_nofit *nofit)
{
	const struct sgang_fabric *fabric = spread->job->request->fabric;
	const struct sgang_shape *shape = homeless(spread);

	memset(nofit, 0, sizeof(*nofit));
	nofit->needed = spread->n_members;
	nofit->free = count_roomy(spread);
	nofit->best_free = placed;
	if (best != SGANG_DOMAIN_NONE)
		snprintf(nofit->best, sizeof(nofit->best), "%s",
			 sgang_fabric_domain(fabric, best)->name);
	nofit->member = (shape ? shape : &spread->shape[0])->first;
	add_rows(spread, shape ? shape : &spread->shape[0], nofit);
	say(spread, shape, best, placed, nofit);
}
