/* SPDX-License-Identifier: GPL-2.0-or-later */
/* never.c - can a gang ever start? Conditions that are necessary */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "never.h"

/* The room of a domain, or of a node that is in none. */
struct room {
	uint64_t units; /* of one kind */
	uint32_t nodes; /* with room for one of them */
	uint64_t whole; /* with room for any that is alone */
	uint32_t kinds; /* that fit by themselves */
	bool any;       /* ... of one member of some kind */
};

struct search {
	const struct sgang_fabric *fabric;
	const struct sgang_costs *costs;
	const struct sgang_never_kind *kinds;
	size_t n_kinds;
	struct room *rooms; /* domains, then nodes */
	uint32_t n_rooms;
	char *why;
	size_t size;
};

/* The room that a node belongs to at a level; -1: all nodes are in one. */
static uint32_t room_of(const struct search *s, uint32_t node, int level)
{
	uint32_t domain;

	if (level < 0)
		return 0;
	domain = sgang_fabric_within(s->fabric, node, (uint32_t)level);
	return domain == SGANG_DOMAIN_NONE ?
		       sgang_fabric_domains(s->fabric) + node :
		       domain;
}

static const char *room_name(const struct search *s, uint32_t room)
{
	uint32_t domains = sgang_fabric_domains(s->fabric);

	return room < domains ?
		       sgang_fabric_domain(s->fabric, room)->name :
		       sgang_fabric_node_name(s->fabric, room - domains);
}

/* Count what one kind finds in each room. No node has more than one unit of the
 * same member. */
static void count_kind(struct search *s, const struct sgang_never_kind *k,
		       int level)
{
	uint32_t n_nodes = sgang_fabric_nodes(s->fabric);

	for (uint32_t i = 0; i < s->n_rooms; i++) {
		s->rooms[i].units = 0;
		s->rooms[i].nodes = 0;
	}
	for (uint32_t n = 0; n < n_nodes; n++) {
		struct room *room = &s->rooms[room_of(s, n, level)];

		room->units += k->fit[n] < k->members ? k->fit[n] : k->members;
		room->nodes += k->fit[n] != 0;
	}
}

/* Nodes that members which are alone could have, each once. */
static void count_whole(struct search *s, int level)
{
	uint32_t n_nodes = sgang_fabric_nodes(s->fabric);

	for (uint32_t n = 0; n < n_nodes; n++) {
		bool fits = false;

		for (size_t i = 0; i < s->n_kinds; i++)
			fits |= s->kinds[i].whole && s->kinds[i].fit[n];
		s->rooms[room_of(s, n, level)].whole += fits;
	}
}

static uint64_t units_needed(const struct sgang_never_kind *k)
{
	return (uint64_t)k->members * k->units;
}

static uint64_t whole_needed(const struct search *s)
{
	uint64_t nodes = 0;

	for (size_t i = 0; i < s->n_kinds; i++)
		nodes += s->kinds[i].whole ? units_needed(&s->kinds[i]) : 0;
	return nodes;
}

/* "5 nodes in one leaf are needed, the largest (l1) has 4" */
static void say(const struct search *s, uint64_t needed, bool whole, int level,
		uint32_t best, uint64_t has)
{
	const char *many = needed == 1 ? "" : "s";

	if (level >= 0)
		snprintf(s->why, s->size,
			 whole ? "%" PRIu64
				 " node%s in one %s %s needed, the largest "
				 "(%s) has %" PRIu64 " that fit" :
				 "%" PRIu64 " place%s in one %s %s needed, the "
				 "largest (%s) has %" PRIu64,
			 needed, many, s->costs->name[level],
			 needed == 1 ? "is" : "are", room_name(s, best), has);
	else
		snprintf(s->why, s->size,
			 whole ? "%" PRIu64 " node%s %s needed, and %" PRIu64
				 " %s what its members ask for" :
				 "%" PRIu64
				 " place%s %s needed, all nodes together "
				 "have %" PRIu64,
			 needed, many, needed == 1 ? "is" : "are", has,
			 has == 1 ? "has" : "have");
}

/* Does one kind find no room by itself? Then say so. */
static bool kind_fails(struct search *s, const struct sgang_never_kind *k,
		       int level)
{
	uint32_t best = 0;
	bool fits = !k->members, few = false;

	count_kind(s, k, level);
	for (uint32_t i = 0; i < s->n_rooms; i++) {
		struct room *room = &s->rooms[i];

		few = k->members && room->nodes < k->units;
		if (!few && room->units >= units_needed(k)) {
			room->kinds++;
			fits = true;
		}
		if (room->units > s->rooms[best].units)
			best = i;
	}
	if (fits)
		return false;
	few = s->rooms[best].nodes < k->units;
	say(s, few ? k->units : units_needed(k), few || k->whole, level, best,
	    few ? s->rooms[best].nodes : s->rooms[best].units);
	return true;
}

/* Is there no domain in which all kinds find room? */
static bool none_together(struct search *s, int level)
{
	uint64_t whole = whole_needed(s);
	uint32_t best = 0;

	for (size_t i = 0; i < s->n_kinds; i++) {
		if (kind_fails(s, &s->kinds[i], level))
			return true;
	}
	count_whole(s, level);
	for (uint32_t i = 0; i < s->n_rooms; i++) {
		if (s->rooms[i].kinds == s->n_kinds &&
		    s->rooms[i].whole >= whole)
			return false;
		if (s->rooms[i].whole > s->rooms[best].whole)
			best = i;
	}
	if (s->rooms[best].whole < whole)
		say(s, whole, true, level, best, s->rooms[best].whole);
	else
		snprintf(s->why, s->size, "no %s has room for all its members",
			 level < 0 ? "place" : s->costs->name[level]);
	return true;
}

/* Are there fewer domains than members, counting those with room for one? */
static bool too_few(struct search *s, int level)
{
	uint64_t members = 0;
	uint32_t rooms = 0;

	for (size_t i = 0; i < s->n_kinds; i++) {
		const struct sgang_never_kind *k = &s->kinds[i];

		members += k->members;
		count_kind(s, k, level);
		for (uint32_t r = 0; r < s->n_rooms; r++)
			s->rooms[r].any |= s->rooms[r].nodes >= k->units;
	}
	for (uint32_t r = 0; r < s->n_rooms; r++)
		rooms += s->rooms[r].any;
	if (rooms >= members)
		return false;
	snprintf(s->why, s->size,
		 "%" PRIu64 " members are to be in different "
		 "%s domains, but only %" PRIu32 " %s room for one",
		 members, s->costs->name[level], rooms,
		 rooms == 1 ? "has" : "have");
	return true;
}

bool sgang_never(const struct sgang_fabric *fabric,
		 const struct sgang_costs *costs,
		 const struct sgang_never_kind *kinds, size_t n_kinds,
		 int require, int spread, char *why, size_t size)
{
	struct search s = {
		.fabric = fabric,
		.costs = costs,
		.kinds = kinds,
		.n_kinds = n_kinds,
		.why = why,
		.size = size,
		.n_rooms = sgang_fabric_domains(fabric) +
			   sgang_fabric_nodes(fabric),
	};
	bool never;

	s.rooms = calloc(s.n_rooms + 1, sizeof(*s.rooms));
	if (!s.rooms || !n_kinds) {
		free(s.rooms);
		return false;
	}
	never = none_together(&s, require) ||
		(spread >= 0 && too_few(&s, spread));
	free(s.rooms);
	return never;
}
