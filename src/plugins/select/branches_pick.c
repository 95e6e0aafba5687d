/* SPDX-License-Identifier: GPL-2.0-or-later */
/* branches_pick.c - which members of a tree of groups start
 *
 * The rule is core/gang/role_choice.h. Where not all members fit, groups that
 * fit are looked for in the order of preference, plan by plan, and then what
 * fits with them: group by group, and member by member.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"

/* The least and the most plans of a search for groups that fit; in between the
 * limit is this CPU time (microseconds). */
#define PLANS_LEAST 8
#define PLANS_MOST 64
#define PLANS_TIME 20000

/* ---- what could be taken ---- */

/* A choice of members of one gang of an attempt. */
struct picking {
	struct attempt *a;
	size_t index;
	struct gang *g;
	struct sgang_role_stock *stock;
	struct sgang_role_choice choice;
	uint32_t *take; /* by group */
	uint32_t *left; /* scratch, by group */
	struct part *part;
	size_t n_parts; /* all that could be taken, in take order */
	uint32_t *top;  /* groups that could start, in the order of trial */
	size_t n_tops;
	size_t most; /* members to take, at the most */
};

static bool may_start(const struct entry *e)
{
	return e->m.state == SGANG_MEMBER_PENDING && e->m.eligible &&
	       e->probed && e->probed->usable && e->leaf != SGANG_ROLE_NONE;
}

static void count_entry(struct picking *p, const struct entry *e)
{
	struct sgang_role_stock *s;

	if (e->leaf == SGANG_ROLE_NONE)
		return;
	s = &p->stock[e->leaf];
	if (e->m.state == SGANG_MEMBER_RUNNING)
		s->running += e->m.tasks;
	if (e->m.state == SGANG_MEMBER_HELD ||
	    (e->m.state == SGANG_MEMBER_RUNNING &&
	     (p->g->tally.satisfied ||
	      sgang_spec_match(&p->g->tally.spec) ==
		      SGANG_MATCH_WAITING_AND_RUNNING)))
		s->have += e->m.tasks;
	if (!may_start(e))
		return;
	if (e->spec.order_set && e->spec.order < s->order)
		s->order = e->spec.order;
	s->more += e->m.tasks;
	s->alike += e->request * e->m.tasks;
}

static void list_entry(struct picking *p, struct entry *e)
{
	for (uint32_t t = 0; t < e->m.tasks; t++)
		p->part[p->n_parts++] = (struct part){
			.g = p->g,
			.g_index = p->index,
			.entry = e,
			.probed = e->probed,
			.copy = t,
		};
}

/* All parts that could be taken. */
static void list_parts(struct picking *p)
{
	for (size_t i = 0; i < p->g->n_entries; i++) {
		count_entry(p, p->g->entries[i]);
		if (may_start(p->g->entries[i]))
			list_entry(p, p->g->entries[i]);
	}
	qsort(p->part, p->n_parts, sizeof(*p->part), sgang_fit_take_order);
}

/* True if groups follow a start, instead of one. */
static bool grows(const struct gang *g)
{
	return g->tally.roles.grows;
}

static int by_preference(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The groups that may start by themselves: the gang, or those that follow. */
static void list_tops(struct picking *p)
{
	uint32_t top;

	if (!grows(p->g)) {
		if (p->choice.need[0] != SGANG_ROLE_NEVER)
			p->top[p->n_tops++] = 0;
		return;
	}
	for (uint32_t g = 1; g < p->g->tree.n; g++) {
		if (!sgang_role_leaf(&p->g->tree, g) || !p->stock[g].more ||
		    !sgang_role_choice_begins(&p->choice, g, &top) ||
		    p->choice.need[top] == SGANG_ROLE_NEVER ||
		    !p->choice.need[top] ||
		    (p->n_tops && p->top[p->n_tops - 1] == top))
			continue;
		p->top[p->n_tops++] = top;
	}
	qsort(p->top, p->n_tops, sizeof(*p->top), by_preference);
}

static void end(struct picking *p)
{
	free(p->stock);
	free(p->take);
	free(p->left);
	free(p->part);
	free(p->top);
	sgang_role_choice_close(&p->choice);
}

static int begin(struct picking *p, struct attempt *a, size_t index)
{
	struct gang *g = a->gangs[index];
	uint32_t n = g->tree.n;

	*p = (struct picking){ .a = a, .index = index, .g = g };
	if (!n)
		return -1;
	p->stock = calloc(n, sizeof(*p->stock));
	p->take = calloc(n, sizeof(*p->take));
	p->left = calloc(n, sizeof(*p->left));
	p->top = calloc(n, sizeof(*p->top));
	p->part = calloc(g->tally.eligible + 1UL, sizeof(*p->part));
	if (!p->stock || !p->take || !p->left || !p->top || !p->part)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		p->stock[i].order = UINT32_MAX;
	list_parts(p);
	if (sgang_role_choice_open(&p->choice, &g->tree, p->stock) < 0)
		return -1;
	list_tops(p);
	p->most = g->tally.total > g->tally.held ?
			  g->tally.total - g->tally.held :
			  0;
	return 0;
}

/* ---- parts ---- */

/* Make the parts of the attempt of what is taken, behind those before
 * 'first'. */
static void use(struct picking *p, size_t first, const uint32_t *take)
{
	struct attempt *a = p->a;

	memcpy(p->left, take, p->g->tree.n * sizeof(*p->left));
	a->n_parts = first;
	for (size_t i = 0; i < p->n_parts; i++) {
		uint32_t *left = &p->left[p->part[i].entry->leaf];

		if (!*left)
			continue;
		--*left;
		a->parts[a->n_parts++] = p->part[i];
	}
}

static size_t sum_of(const struct picking *p, const uint32_t *take)
{
	size_t sum = 0;

	for (uint32_t g = 0; g < p->g->tree.n; g++)
		sum += take[g];
	return sum;
}

/* Add what a group that follows needs. */
static void add_group(struct picking *p, uint32_t g)
{
	sgang_role_choice_first(&p->choice, g);
	(void)sgang_role_choice_take(&p->choice, g, p->left);
	for (uint32_t i = g; i < p->g->tree.node[g].end; i++)
		p->take[i] += p->left[i];
}

static void remove_group(struct picking *p, uint32_t g)
{
	const struct sgang_role_node *node = &p->g->tree.node[g];

	memset(p->take + g, 0, (node->end - g) * sizeof(*p->take));
	memset(p->choice.taken + g, 0, node->end - g);
}

/* Add all that may follow, as far as the total lets it. */
static void add_rest(struct picking *p)
{
	const struct sgang_role_tree *tree = &p->g->tree;
	struct sgang_role_more more;
	size_t sum = sum_of(p, p->take);
	uint32_t cursor = 0;

	while (sgang_role_choice_more(&p->choice, p->take, &cursor, &more)) {
		if (sum + more.members > p->most) {
			cursor = more.group ? tree->node[more.g].end :
					      more.g + 1;
			continue;
		}
		sum += more.members;
		if (more.group)
			add_group(p, more.g);
		else
			p->take[more.g]++;
	}
}

int sgang_branches_choose(struct attempt *a, size_t index, enum extent extent)
{
	size_t first = a->n_parts;
	struct picking p;
	int rc = begin(&p, a, index);

	if (rc == 0 && !p.n_tops)
		rc = extent == SGANG_EXTENT_ANY ? 0 : -1;
	for (size_t i = 0; rc == 0 && i < p.n_tops; i++) {
		/* those that follow one by one, where not all fit */
		if (i && extent == SGANG_EXTENT_MINIMUM)
			break;
		add_group(&p, p.top[i]);
	}
	if (rc == 0 && !grows(p.g) && p.n_tops &&
	    extent != SGANG_EXTENT_MINIMUM)
		add_rest(&p);
	if (rc == 0)
		use(&p, first, p.take);
	end(&p);
	return rc;
}

/* ---- the search ---- */

struct trial {
	struct picking p;
	bool (*fits)(struct attempt *a);
	uint32_t plans;
	uint64_t begun;
};

static bool is_late(const struct trial *t)
{
	return t->plans >= PLANS_MOST ||
	       (t->plans >= PLANS_LEAST &&
		t->p.a->c->host->cpu_us() - t->begun > PLANS_TIME);
}

static bool fits_now(struct trial *t, const uint32_t *take)
{
	struct attempt *a = t->p.a;
	bool fit;

	t->plans++;
	use(&t->p, 0, take);
	sgang_fit_ring_order(a);
	a->trying = true;
	fit = a->n_parts && t->fits(a);
	a->trying = false;
	return fit;
}

/* The first choice for 'g' that fits; p.take has it. */
static bool find_choice(struct trial *t, uint32_t g)
{
	struct sgang_role_choice *c = &t->p.choice;
	bool any = true;

	sgang_role_choice_first(c, g);
	for (; any && !is_late(t); any = sgang_role_choice_next(c, g)) {
		(void)sgang_role_choice_take(c, g, t->p.take);
		if (fits_now(t, t->p.take))
			return true;
	}
	remove_group(&t->p, g);
	return false;
}

/* Group by group, and member by member, what fits too. */
static void find_rest(struct trial *t)
{
	const struct sgang_role_tree *tree = &t->p.g->tree;
	struct picking *p = &t->p;
	struct sgang_role_more more;
	size_t sum = sum_of(p, p->take);
	uint32_t cursor = 0;

	while (!is_late(t) &&
	       sgang_role_choice_more(&p->choice, p->take, &cursor, &more)) {
		bool fit = sum + more.members <= p->most;

		if (fit && more.group)
			add_group(p, more.g);
		else if (fit)
			p->take[more.g]++;
		if (fit && fits_now(t, p->take)) {
			sum += more.members;
			continue;
		}
		if (fit && more.group)
			remove_group(p, more.g);
		else if (fit)
			p->take[more.g]--;
		cursor = more.group ? tree->node[more.g].end : more.g + 1;
	}
}

int sgang_branches_fit(struct attempt *a, bool (*fits)(struct attempt *a))
{
	struct trial t = { .fits = fits, .begun = a->c->host->cpu_us() };
	bool found = false;
	struct sgang_told told;

	sgang_told_keep(a, &told);
	if (begin(&t.p, a, 0) == 0) {
		for (size_t i = 0; i < t.p.n_tops && !found; i++)
			found = find_choice(&t, t.p.top[i]);
		if (found && !grows(t.p.g))
			find_rest(&t);
		sgang_told_again(a, &told);
		/* the plan that is reported */
		if (found) {
			use(&t.p, 0, t.p.take);
			sgang_fit_ring_order(a);
			found = fits(a);
		}
	}
	end(&t.p);
	if (found)
		return 0;
	sgang_placement_destroy(a->plan);
	a->plan = NULL;
	return -1;
}
