/* SPDX-License-Identifier: GPL-2.0-or-later */
/* group.c - groups of gangs that start together, and whether they are complete
 *
 * A gang that lists others starts with them. Each must list the other, or one
 * user could delay another's gang. So the group of a gang is found by following
 * the lists, and is the same for all its gangs. A gang whose lists lead to one
 * that is missing or does not agree is alone and waits; gangs that did not list
 * it are not affected.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"
#include "plugins/log.h"

/* The most gangs of a group. */
#define GROUP_MAX 64

static bool same_gang(const struct gang *g, const char *ns, const char *name)
{
	return !strcmp(g->name, name) && !strcmp(g->ns, ns);
}

struct search {
	struct gang *gangs[GROUP_MAX];
	size_t n;
	char why[sizeof(((struct gang *)NULL)->group.why)];
};

static bool found_before(const struct search *s, const struct gang *g)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->gangs[i] == g)
			return true;
	}
	return false;
}

/* Why a gang that 'g' lists is not in its group. Other users do not learn
 * whether such a gang exists: a site may hide users' jobs from each other. */
static void cannot_join(struct search *s, const struct gang *g,
			const struct gang *other, const char *ns,
			const char *name)
{
	const char *why = "does not list it in --gang-groups";

	if (strcmp(ns, g->ns))
		why = "is not there or does not list it in --gang-groups";
	else if (!other)
		why = "is not there";
	snprintf(s->why, sizeof(s->why), "gang %.60s/%s %s", ns, name, why);
}

/* Add a gang that 'g' lists. False if there can be no group. */
static bool add_listed(struct sgang_conductor *c, struct search *s,
		       const struct gang *g, const char *ns, const char *name)
{
	struct gang *other = sgang_registry_find(c, ns, name);

	if (other && !other->n_entries && !other->object)
		other = NULL;
	if (!other || !sgang_spec_lists(&other->tally.spec, g->ns, g->name)) {
		cannot_join(s, g, other, ns, name);
		return false;
	}
	if (found_before(s, other))
		return true;
	if (s->n == GROUP_MAX) {
		snprintf(s->why, sizeof(s->why),
			 "its group has more than %d gangs", GROUP_MAX);
		return false;
	}
	s->gangs[s->n++] = other;
	return true;
}

/* True if all lists in the group are mutual. */
static bool follow_lists(struct sgang_conductor *c, struct search *s)
{
	char ns[SGANG_NAMESPACE_MAX + 1], name[SGANG_NAME_MAX + 1];

	for (size_t i = 0; i < s->n; i++) {
		const struct gang *g = s->gangs[i];
		const char *at = g->tally.spec.groups;

		while (sgang_spec_next_group(&at, ns, name)) {
			if (!same_gang(g, ns, name) &&
			    !add_listed(c, s, g, ns, name))
				return false;
		}
	}
	return true;
}

/* Add all that it lists and that list it. */
static void add_mutual(struct sgang_conductor *c, struct search *s,
		       const struct gang *g)
{
	char ns[SGANG_NAMESPACE_MAX + 1], name[SGANG_NAME_MAX + 1];
	const char *at = g->tally.spec.groups;

	while (sgang_spec_next_group(&at, ns, name)) {
		if (!same_gang(g, ns, name))
			(void)add_listed(c, s, g, ns, name);
	}
}

bool sgang_group_together(struct sgang_conductor *c, const struct gang *g,
			  const struct gang *other)
{
	struct search s = { .n = 0, .why = "" };

	if (!g->tally.spec.groups[0])
		return false;
	add_mutual(c, &s, g);
	for (size_t i = 0; i < s.n; i++)
		add_mutual(c, &s, s.gangs[i]);
	return found_before(&s, other);
}

static int by_turn(const void *a, const void *b)
{
	const struct gang *const *x = a, *const *y = b;

	return sgang_gang_turn_order(&(*x)->tally, &(*y)->tally);
}

static void keep_group(struct gang *g, const struct search *s)
{
	struct gang **group = realloc(g->group.gangs, s->n * sizeof(*group));

	if (!group) {
		g->stale = true;
		g->group.n = 0;
		return;
	}
	memcpy(group, s->gangs, s->n * sizeof(*group));
	qsort(group, s->n, sizeof(*group), by_turn);
	g->group.gangs = group;
	g->group.n = s->n;
}

static void set_group(struct gang *g, const struct search *s)
{
	snprintf(g->group.why, sizeof(g->group.why), "%s", s->why);
	keep_group(g, s);
}

/* The case of nearly all gangs in every pass. */
static void set_alone(struct gang *g)
{
	g->group.why[0] = '\0';
	if (!g->group.gangs)
		g->group.gangs = malloc(sizeof(*g->group.gangs));
	if (!g->group.gangs) {
		g->stale = true;
		return;
	}
	g->group.gangs[0] = g;
	g->group.n = 1;
}

/* Mutual lists lead from each gang found to all others, so the result, a group
 * or the reason why there is none, is the same for all. */
static void find_group(struct sgang_conductor *c, struct gang *g)
{
	struct search s = { .gangs = { g }, .n = 1, .why = "" };
	struct search alone = s;

	if (follow_lists(c, &s)) {
		for (size_t i = 0; i < s.n; i++) {
			if (s.gangs[i] == g ||
			    !sgang_gang_ordinary(&s.gangs[i]->tally))
				set_group(s.gangs[i], &s);
		}
		return;
	}
	memcpy(alone.why, s.why, sizeof(alone.why));
	for (size_t i = 0; i < s.n; i++) {
		if (sgang_gang_ordinary(&s.gangs[i]->tally))
			continue;
		alone.gangs[0] = s.gangs[i];
		set_group(s.gangs[i], &alone);
	}
}

struct gang **sgang_group_of(struct gang *g, struct gang **alone, size_t *n)
{
	*alone = g;
	*n = g->group.n ? g->group.n : 1;
	return g->group.n ? g->group.gangs : alone;
}

void sgang_group_collect(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next)
		g->group.n = 0;
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (g->group.n)
			continue;
		if (g->tally.spec.groups[0] && !sgang_gang_ordinary(&g->tally))
			find_group(c, g);
		else
			set_alone(g);
	}
}

/* The text about an incomplete gang for the others of its group. */
static void explain(const struct gang *g, char *why, size_t size)
{
	char text[256];

	/* Only the time, or the text would change by itself. */
	sgang_gang_text(&g->tally, NULL, g->tally.since, text, sizeof(text));
	if (g->tally.timed_out && !g->tally.rearmed)
		snprintf(why, size, "gang %.60s/%s has timed out", g->ns,
			 g->name);
	else
		snprintf(why, size, "%s", text);
}

bool sgang_group_complete(const struct gang *g, char *why, size_t size)
{
	if (g->group.why[0]) {
		if (why)
			snprintf(why, size, "%s", g->group.why);
		return false;
	}
	if (!g->group.n && why)
		why[0] = '\0'; /* known in the next pass */
	for (size_t i = 0; i < g->group.n; i++) {
		const struct gang *other = g->group.gangs[i];

		if (!other->stale && !other->group.why[0] &&
		    sgang_gang_complete(&other->tally))
			continue;
		if (why && other != g)
			explain(other, why, size);
		return false;
	}
	return g->group.n > 0;
}

static bool has_its_nodes(const struct gang *g)
{
	if (sgang_hold_committing(g))
		return false;
	return sgang_gang_ordinary(&g->tally) || sgang_gang_placed(&g->tally) ||
	       sgang_hold_begun(g);
}

bool sgang_group_placed(const struct gang *g)
{
	if (g->group.why[0])
		return false;
	for (size_t i = 0; i < g->group.n; i++) {
		if (g->group.gangs[i]->stale ||
		    !has_its_nodes(g->group.gangs[i]))
			return false;
	}
	return g->group.n > 0;
}

int sgang_group_turn_order(const struct gang *a, const struct gang *b)
{
	const struct gang *x = a->group.n ? a->group.gangs[0] : a;
	const struct gang *y = b->group.n ? b->group.gangs[0] : b;

	return (x == y) ? 0 : sgang_gang_turn_order(&x->tally, &y->tally);
}

static int turn_order(const void *a, const void *b)
{
	const struct gang *const *x = a, *const *y = b;

	return sgang_group_turn_order(*x, *y);
}

void sgang_group_sort_turns(struct gang **list, size_t n)
{
	qsort(list, n, sizeof(*list), turn_order);
}
