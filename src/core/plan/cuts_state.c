/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cuts_state.c - where units are, and what that costs */

#include <string.h>

#include "cuts_private.h"

/* Steps that it takes to put a unit on a node. */
#define STEPS 4

/* Nodes of a bin, at most. */
#define BIN_MAX 32

uint32_t sgang_cuts_any(struct sgang_cuts *cuts, uint32_t n)
{
	cuts->random = cuts->random * UINT64_C(6364136223846793005) +
		       UINT64_C(1442695040888963407);
	return (uint32_t)((cuts->random >> 33) % n);
}

/* -- the model, laid out -- */

static const struct sgang_kind *kind_of(const struct sgang_cuts *cuts,
					uint32_t class)
{
	return &cuts->model->job->kind[cuts->model->class[class].kind];
}

static uint32_t node_at(const struct sgang_cuts *cuts, uint32_t pos)
{
	return sgang_fabric_order(cuts->model->job->request->fabric)[pos];
}

/* Each class's groups, and each group's units. */
static void list_groups(struct sgang_cuts *cuts)
{
	const struct sgang_roles *model = cuts->model;
	uint32_t c, g, i, n, up;

	cuts->chain = sgang_pool_zalloc(cuts->pool, model->n_classes,
					sizeof(*cuts->chain));
	cuts->first = sgang_pool_zalloc(cuts->pool, model->n_groups,
					sizeof(*cuts->first));
	cuts->class_of = sgang_pool_zalloc(cuts->pool, model->n_units,
					   sizeof(*cuts->class_of));
	for (c = 0; c < model->n_classes; c++) {
		const struct sgang_class *class = &model->class[c];

		n = model->depth[class->leaf] + 2;
		cuts->chain[c] = sgang_pool_zalloc(cuts->pool, n,
						   sizeof(**cuts->chain));
		for (n = 0, g = class->leaf; g != SGANG_PLAN_NO_GROUP;
		     g = model->group[g].parent)
			cuts->chain[c][n++] = g;
		cuts->chain[c][n] = SGANG_PLAN_NO_GROUP;
		for (i = 0; i < class->units; i++)
			cuts->class_of[class->first + i] = c;
	}
	cuts->lowest = sgang_pool_zalloc(cuts->pool, model->n_groups,
					 sizeof(*cuts->lowest));
	memcpy(cuts->lowest, model->require,
	       model->n_groups * sizeof(*cuts->lowest));
	for (g = model->n_groups - 1; g > 0; g--) {
		up = model->group[g].parent;
		if (cuts->lowest[g] < cuts->lowest[up])
			cuts->lowest[up] = cuts->lowest[g];
	}
	/* classes follow each other as the groups do that have them */
	for (g = 0; g < model->n_groups; g++)
		cuts->first[g] =
			model->class[model->class_of[model->group[g].first]]
				.first;
}

/* Do all places cost the same to both, if they have none of their groups? */
static bool is_like(const struct sgang_cuts *cuts, uint32_t a, uint32_t b)
{
	const struct sgang_roles *model = cuts->model;
	const uint32_t *g = cuts->chain[a], *h = cuts->chain[b];
	uint32_t i;

	if (model->class[a].kind != model->class[b].kind)
		return false;
	for (; *g != SGANG_PLAN_NO_GROUP && *h != SGANG_PLAN_NO_GROUP;
	     g++, h++) {
		if ((model->units[*g] > 1) != (model->units[*h] > 1))
			return false;
		for (i = 0; i < model->n_pairs; i++) {
			if (model->pairs[i].price[*g] !=
			    model->pairs[i].price[*h])
				return false;
		}
	}
	return *g == *h;
}

static void find_likes(struct sgang_cuts *cuts)
{
	uint32_t n = cuts->model->n_classes, c, b;

	cuts->like = sgang_pool_zalloc(cuts->pool, n, sizeof(*cuts->like));
	for (c = 0; c < n; c++) {
		for (b = 0; b < c; b++) {
			if (cuts->like[b] == b && is_like(cuts, b, c))
				break;
		}
		cuts->like[c] = b;
	}
}

/* The most of each resource that any node has. */
static void find_total(const struct sgang_job *job,
		       uint32_t total[SGANG_PLAN_DIMS])
{
	const struct sgang_plan_request *request = job->request;
	size_t n = (size_t)sgang_fabric_nodes(request->fabric), i;
	uint32_t d;

	memset(total, 0, SGANG_PLAN_DIMS * sizeof(*total));
	for (i = 0; i < n; i++) {
		for (d = 0; d < request->n_dims; d++) {
			uint32_t has = request->total[i * request->n_dims + d];

			total[d] = has > total[d] ? has : total[d];
		}
	}
}

/* What a unit of each kind takes at the least; and of each class, the largest
 * share of any resource of a node. */
static void find_shares(struct sgang_cuts *cuts)
{
	const struct sgang_job *job = cuts->model->job;
	uint32_t total[SGANG_PLAN_DIMS], c, k, d, n = cuts->n_dims;
	const uint32_t *g;

	find_total(job, total);
	cuts->least = sgang_pool_zalloc(cuts->pool, (size_t)job->n_kinds * n,
					sizeof(*cuts->least));
	cuts->hard = sgang_pool_zalloc(cuts->pool, cuts->model->n_groups,
				       sizeof(*cuts->hard));
	cuts->share = sgang_pool_zalloc(cuts->pool, cuts->model->n_classes,
					sizeof(*cuts->share));
	for (k = 0; k < job->n_kinds; k++) {
		for (d = 0; d < n; d++)
			cuts->least[(size_t)k * n + d] =
				sgang_kind_least(job, &job->kind[k], d);
	}
	for (c = 0; c < cuts->model->n_classes; c++) {
		const uint32_t *least = cuts->least +
					(size_t)cuts->model->class[c].kind * n;
		uint64_t most = 1, one;

		for (d = 0; d < n; d++) {
			one = total[d] ? ((uint64_t)least[d] << 16) / total[d] :
					 0;
			most = one > most ? one : most;
		}
		cuts->share[c] = kind_of(cuts, c)->whole ? UINT64_C(1) << 17 :
							   most;
		for (g = cuts->chain[c]; *g != SGANG_PLAN_NO_GROUP; g++) {
			if (cuts->share[c] > cuts->hard[*g])
				cuts->hard[*g] = cuts->share[c];
		}
	}
}

/* Units of each kind that fit on a node as it is. */
static uint32_t count_fits(const struct sgang_cuts *cuts, uint32_t k,
			   uint32_t pos)
{
	const struct sgang_job *job = cuts->model->job;
	const struct sgang_kind *kind = &job->kind[k];
	uint32_t fits =
		sgang_kind_fits(job, kind, node_at(cuts, pos),
				cuts->free + (size_t)pos * cuts->n_dims);

	return fits < kind->units ? fits : (uint32_t)kind->units;
}

/* The needs of a kind where no node has others; NULL: it has others. */
static const uint32_t *plain_need(const struct sgang_job *job,
				  const struct sgang_kind *kind)
{
	uint32_t d;

	for (d = 0; d < job->request->n_dims; d++) {
		if (kind->need[d] >= SGANG_PLAN_UNTOUCHED)
			return NULL;
	}
	return job->request->type ? NULL : kind->need;
}

/* The same, as a unit has just been put on the node, or taken from it. Most
 * often nothing changes, which is seen without a division. */
static uint32_t recount(const struct sgang_cuts *cuts, uint32_t k, uint32_t pos,
			int32_t change)
{
	const uint32_t *need = cuts->need[k];
	const uint32_t *free = cuts->free + (size_t)pos * cuts->n_dims;
	uint64_t n = cuts->room[k][pos];
	uint32_t d;

	if (!need)
		return count_fits(cuts, k, pos);
	for (d = 0; d < cuts->n_dims && change > 0; d++) {
		if (n * need[d] > free[d])
			n = free[d] / need[d];
	}
	for (d = 0; d < cuts->n_dims && change < 0; d++) {
		if ((n + 1) * need[d] > free[d])
			return (uint32_t)n;
	}
	return change > 0 ? (uint32_t)n : count_fits(cuts, k, pos);
}

/* A unit was put on a node, or taken from it, and so what fits has changed. */
static void update_room(struct sgang_cuts *cuts, uint32_t pos, int32_t change)
{
	const struct sgang_roles *model = cuts->model;
	uint32_t k, p, more;

	for (k = 0; k < model->job->n_kinds; k++) {
		uint32_t *room = cuts->room[k];

		if (!cuts->may[k][pos] || (change > 0 && !room[pos]))
			continue;
		more = recount(cuts, k, pos, change) - room[pos];
		for (p = pos; more && p != SGANG_DOMAIN_NONE; p = model->up[p])
			room[p] += more;
	}
	cuts->steps += model->job->n_kinds;
}

/* Units of each kind that fit into each place in the beginning. */
static void count_room(struct sgang_cuts *cuts)
{
	const struct sgang_roles *model = cuts->model;
	const struct sgang_job *job = model->job;
	uint32_t k, pos, p, fits;

	cuts->room = sgang_pool_zalloc(cuts->pool, job->n_kinds,
				       sizeof(*cuts->room));
	cuts->most = sgang_pool_zalloc(cuts->pool, job->n_kinds,
				       sizeof(*cuts->most));
	cuts->may = sgang_pool_zalloc(cuts->pool, job->n_kinds,
				      sizeof(*cuts->may));
	cuts->need = sgang_pool_zalloc(cuts->pool, job->n_kinds,
				       sizeof(*cuts->need));
	for (k = 0; k < job->n_kinds; k++) {
		cuts->need[k] = plain_need(job, &job->kind[k]);
		cuts->room[k] = sgang_pool_zalloc(cuts->pool, model->n_places,
						  sizeof(**cuts->room));
		cuts->may[k] = sgang_pool_zalloc(cuts->pool, model->n_nodes,
						 sizeof(**cuts->may));
		for (pos = 0; pos < model->n_nodes; pos++) {
			fits = count_fits(cuts, k, pos);
			cuts->may[k][pos] = fits;
			if (fits > cuts->most[k])
				cuts->most[k] = fits;
			for (p = pos; fits && p != SGANG_DOMAIN_NONE;
			     p = model->up[p])
				cuts->room[k][p] += fits;
		}
	}
}

/* Are nodes of neighbouring positions alike, as long as they are unused? */
static bool are_alike(const struct sgang_cuts *cuts, uint32_t a, uint32_t b)
{
	const struct sgang_plan_request *request = cuts->model->job->request;
	size_t n_dims = cuts->n_dims, size = n_dims * sizeof(uint32_t), x, y;
	uint32_t k;

	x = node_at(cuts, a);
	y = node_at(cuts, b);
	if (cuts->model->up[a] != cuts->model->up[b] ||
	    cuts->weight[a] != cuts->weight[b] ||
	    memcmp(request->free + x * n_dims, request->free + y * n_dims,
		   size) ||
	    memcmp(request->total + x * n_dims, request->total + y * n_dims,
		   size) ||
	    (request->type && request->type[x] != request->type[y]))
		return false;
	for (k = 0; k < cuts->model->job->n_kinds; k++) {
		if (cuts->room[k][a] != cuts->room[k][b])
			return false;
	}
	return true;
}

static void number_places(struct sgang_cuts *cuts)
{
	const struct sgang_roles *model = cuts->model;
	const struct sgang_coin *coin = model->job->coin;
	uint32_t p, d, n = model->n_places - model->n_nodes;

	cuts->weight = sgang_pool_zalloc(cuts->pool, model->n_places,
					 sizeof(*cuts->weight));
	cuts->height = sgang_pool_zalloc(cuts->pool, model->n_places,
					 sizeof(*cuts->height));
	cuts->bin = sgang_pool_zalloc(cuts->pool, model->n_nodes + 1,
				      sizeof(*cuts->bin));
	cuts->bin_of = sgang_pool_zalloc(cuts->pool, model->n_nodes,
					 sizeof(*cuts->bin_of));
	cuts->sort = sgang_pool_zalloc(cuts->pool, model->n_nodes,
				       sizeof(*cuts->sort));
	for (d = 0; d < n; d++) {
		const struct sgang_domain *domain =
			sgang_fabric_domain(model->job->request->fabric, d);

		p = model->n_nodes + d;
		cuts->weight[p] = model->broken[d];
		if (!domain->n_children)
			cuts->weight[p] += sgang_coin_in(coin, d);
	}
	for (p = model->n_places - 1; p > model->n_nodes; p--) {
		uint32_t up = model->up[p];

		if (cuts->height[up] <= cuts->height[p])
			cuts->height[up] = cuts->height[p] + 1;
	}
	for (p = 0; p < model->n_nodes; p++) {
		cuts->weight[p] = sgang_coin_at(coin, p);
		if (!p || model->up[p] != model->up[p - 1] ||
		    p - cuts->bin[cuts->n_bins - 1] == BIN_MAX)
			cuts->bin[cuts->n_bins++] = p;
		cuts->bin_of[p] = cuts->n_bins - 1;
	}
	cuts->bin[cuts->n_bins] = model->n_nodes;
	for (p = 1; p < model->n_nodes; p++)
		cuts->sort[p] = cuts->sort[p - 1] + !are_alike(cuts, p - 1, p);
}

/* What is free on each node and in each domain. */
static void count_free(struct sgang_cuts *cuts)
{
	const struct sgang_roles *model = cuts->model;
	uint32_t n = model->n_places - model->n_nodes, pos, p, d;

	cuts->free = sgang_pool_zalloc(cuts->pool,
				       (size_t)model->n_nodes * cuts->n_dims,
				       sizeof(*cuts->free));
	cuts->sum = sgang_pool_zalloc(cuts->pool, (size_t)n * cuts->n_dims,
				      sizeof(*cuts->sum));
	for (pos = 0; pos < model->n_nodes; pos++) {
		const uint32_t *free = sgang_job_free(model->job,
						      node_at(cuts, pos));

		memcpy(cuts->free + (size_t)pos * cuts->n_dims, free,
		       cuts->n_dims * sizeof(*free));
		for (p = model->up[pos]; p != SGANG_DOMAIN_NONE;
		     p = model->up[p]) {
			size_t at = (size_t)(p - model->n_nodes) * cuts->n_dims;

			for (d = 0; d < cuts->n_dims; d++)
				cuts->sum[at + d] += free[d];
		}
	}
}

/* Nothing is placed. */
static void begin(struct sgang_cuts *cuts)
{
	const struct sgang_roles *model = cuts->model;
	uint32_t n = model->n_units, i;

	cuts->at = sgang_pool_zalloc(cuts->pool, n, sizeof(*cuts->at));
	cuts->next = sgang_pool_zalloc(cuts->pool, n, sizeof(*cuts->next));
	cuts->last = sgang_pool_zalloc(cuts->pool, n, sizeof(*cuts->last));
	cuts->head = sgang_pool_zalloc(cuts->pool, model->n_nodes,
				       sizeof(*cuts->head));
	cuts->ban = sgang_pool_zalloc(cuts->pool, model->n_nodes,
				      sizeof(*cuts->ban));
	cuts->row = sgang_pool_zalloc(cuts->pool, model->n_places,
				      sizeof(*cuts->row));
	cuts->zero = sgang_pool_zalloc(cuts->pool,
				       model->n_groups + model->n_classes,
				       sizeof(*cuts->zero));
	cuts->version = sgang_pool_zalloc(
		cuts->pool, cuts->n_bins + model->n_places - model->n_nodes,
		sizeof(*cuts->version));
	cuts->spot = sgang_pool_zalloc(cuts->pool, model->n_classes,
				       sizeof(*cuts->spot));
	cuts->away = sgang_pool_zalloc(cuts->pool, model->n_classes,
				       sizeof(*cuts->away));
	cuts->turn = sgang_pool_zalloc(cuts->pool, n, sizeof(*cuts->turn));
	cuts->list = sgang_pool_zalloc(cuts->pool, n, sizeof(*cuts->list));
	cuts->units = sgang_pool_zalloc(cuts->pool, model->job->n_kinds,
					sizeof(*cuts->units));
	cuts->come = sgang_pool_zalloc(cuts->pool, model->n_groups,
				       sizeof(*cuts->come));
	cuts->split = sgang_pool_zalloc(cuts->pool, model->n_places,
					sizeof(*cuts->split));
	cuts->above = sgang_pool_zalloc(cuts->pool, model->n_places,
					sizeof(*cuts->above));
	for (i = 0; i < n; i++)
		cuts->at[i] = SGANG_CUTS_NOWHERE;
	for (i = 0; i < model->n_nodes; i++)
		cuts->head[i] = SGANG_CUTS_NOWHERE;
	for (i = 0; i < model->n_places; i++)
		cuts->row[i] = cuts->zero;
	/* what nobody has looked at has the version 0 */
	for (i = 0; i < cuts->n_bins + model->n_places - model->n_nodes; i++)
		cuts->version[i] = 1;
	cuts->missing = n;
	cuts->price = (int64_t)cuts->base;
	cuts->random = 1;
}

void sgang_cuts_open(struct sgang_cuts *cuts)
{
	cuts->n_dims = cuts->model->job->request->n_dims;
	cuts->base = sgang_roles_base(cuts->model);
	list_groups(cuts);
	find_likes(cuts);
	count_free(cuts);
	count_room(cuts);
	find_shares(cuts);
	number_places(cuts);
	begin(cuts);
}

/* -- one unit -- */

static bool is_cut(uint32_t units, uint32_t all)
{
	return units && units < all;
}

/* The same where groups are pieces. */
static int64_t more_of_piece(const struct sgang_cuts *cuts, uint32_t piece,
			     uint32_t place)
{
	const struct sgang_roles *model = cuts->model;
	const uint32_t *row = cuts->row[place];
	uint32_t split = cuts->split[place] +
			 is_cut(row[piece] + 1, model->units[piece]) -
			 is_cut(row[piece], model->units[piece]);

	return ((int64_t)sgang_cuts_leaves(cuts, row[0] + 1, split) -
		(int64_t)sgang_cuts_leaves(cuts, row[0], cuts->split[place])) *
	       (int64_t)model->pairs[model->pair[place]].price[0];
}

int64_t sgang_cuts_more(const struct sgang_cuts *cuts, uint32_t class,
			uint32_t place)
{
	const struct sgang_roles *model = cuts->model;
	const uint32_t *row = cuts->row[place], *g;
	const uint64_t *price = model->pairs[model->pair[place]].price;
	int64_t sum = 0;

	if (cuts->model->pieces)
		return more_of_piece(cuts, *cuts->chain[class], place);
	for (g = cuts->chain[class]; *g != SGANG_PLAN_NO_GROUP; g++) {
		uint32_t all = model->units[*g], n = row[*g];

		if (!n && all > 1)
			sum += (int64_t)price[*g];
		else if (n && n + 1 == all)
			sum -= (int64_t)price[*g];
	}
	return sum;
}

int64_t sgang_cuts_own(const struct sgang_cuts *cuts, uint32_t class,
		       uint32_t pos)
{
	const struct sgang_roles *model = cuts->model;

	if (kind_of(cuts, class)->ranks)
		return 0;
	return (int64_t)(sgang_roles_own(model, class, pos) -
			 sgang_roles_least(model, class));
}

/* The row of a place that is to be counted in. */
static uint32_t *own_row(struct sgang_cuts *cuts, uint32_t place)
{
	const struct sgang_roles *model = cuts->model;
	uint32_t n = model->n_groups;

	if (cuts->row[place] == cuts->zero)
		cuts->row[place] = sgang_pool_zalloc(
			cuts->pool,
			place < model->n_nodes ? n + model->n_classes : n,
			sizeof(**cuts->row));
	return cuts->row[place];
}

/* How often the ring of the gang leaves a place. */
static uint32_t leaves(const struct sgang_cuts *cuts, uint32_t place)
{
	return sgang_cuts_leaves(cuts, cuts->row[place][0], cuts->split[place]);
}

/* Count a unit of a class more or less in a place. */
static void count(struct sgang_cuts *cuts, uint32_t class, uint32_t place,
		  int32_t change)
{
	const struct sgang_roles *model = cuts->model;
	uint32_t *row = own_row(cuts, place), pair = model->pair[place];
	const uint64_t *price = pair == SGANG_PAIR_NONE ?
					NULL :
					model->pairs[pair].price;
	int64_t times = -(int64_t)leaves(cuts, place);
	const uint32_t *g;

	for (g = cuts->chain[class]; *g != SGANG_PLAN_NO_GROUP; g++) {
		uint32_t all = model->units[*g], n = row[*g];
		int32_t cut;

		row[*g] = n + (uint32_t)change;
		cut = is_cut(row[*g], all) - is_cut(n, all);
		if (*g)
			cuts->split[place] += (uint32_t)cut;
		if (*g && price && !cuts->seat)
			cuts->price += cut * (int64_t)price[*g];
	}
	times += leaves(cuts, place);
	if (price && !cuts->seat)
		cuts->price += times * (int64_t)price[0];
	if (change > 0 && row[0] == 1)
		cuts->tie += cuts->weight[place];
	if (change < 0 && !row[0])
		cuts->tie -= cuts->weight[place];
}

/* Take what a unit needs, or give it back. */
static void move_amounts(struct sgang_cuts *cuts, uint32_t class, uint32_t pos,
			 int32_t change)
{
	const struct sgang_roles *model = cuts->model;
	uint32_t *free = cuts->free + (size_t)pos * cuts->n_dims;
	uint32_t kind = model->class[class].kind, d, p;
	uint32_t own[SGANG_PLAN_DIMS];
	const uint32_t *need = cuts->need[kind];

	for (d = 0; d < cuts->n_dims && !need; d++)
		own[d] = sgang_kind_need(model->job, &model->job->kind[kind],
					 node_at(cuts, pos), d);
	need = need ? need : own;
	for (d = 0; d < cuts->n_dims; d++)
		free[d] -= (uint32_t)change * need[d];
	for (p = model->up[pos]; p != SGANG_DOMAIN_NONE; p = model->up[p]) {
		uint64_t *sum = cuts->sum +
				(size_t)(p - model->n_nodes) * cuts->n_dims;

		for (d = 0; d < cuts->n_dims; d++)
			sum[d] -= (uint64_t)((int64_t)change * need[d]);
	}
	update_room(cuts, pos, change);
}

void sgang_cuts_touch(struct sgang_cuts *cuts, uint32_t pos)
{
	const struct sgang_roles *model = cuts->model;
	uint32_t p;

	cuts->version[cuts->bin_of[pos]]++;
	for (p = model->up[pos]; p != SGANG_DOMAIN_NONE; p = model->up[p])
		cuts->version[cuts->n_bins + p - model->n_nodes]++;
}

static void shift(struct sgang_cuts *cuts, uint32_t unit, uint32_t pos,
		  int32_t change)
{
	const struct sgang_roles *model = cuts->model;
	uint32_t class = cuts->class_of[unit], p;

	for (p = pos; p != SGANG_DOMAIN_NONE; p = model->up[p])
		count(cuts, class, p, change);
	cuts->row[pos][model->n_groups + class] += (uint32_t)change;
	sgang_cuts_touch(cuts, pos);
	move_amounts(cuts, class, pos, change);
	cuts->price += change * sgang_cuts_own(cuts, class, pos);
	cuts->missing -= (uint32_t)change;
	cuts->steps += STEPS;
}

void sgang_cuts_put(struct sgang_cuts *cuts, uint32_t unit, uint32_t pos)
{
	uint32_t head = cuts->head[pos];

	if (cuts->seat)
		cuts->price += sgang_cuts_hops(cuts, unit, pos);
	cuts->at[unit] = pos;
	cuts->next[unit] = head;
	cuts->last[unit] = SGANG_CUTS_NOWHERE;
	if (head != SGANG_CUTS_NOWHERE)
		cuts->last[head] = unit;
	cuts->head[pos] = unit;
	shift(cuts, unit, pos, 1);
}

void sgang_cuts_take(struct sgang_cuts *cuts, uint32_t unit)
{
	uint32_t pos = cuts->at[unit], next = cuts->next[unit];
	uint32_t last = cuts->last[unit];

	if (next != SGANG_CUTS_NOWHERE)
		cuts->last[next] = last;
	if (last != SGANG_CUTS_NOWHERE)
		cuts->next[last] = next;
	else
		cuts->head[pos] = next;
	cuts->at[unit] = SGANG_CUTS_NOWHERE;
	if (cuts->seat)
		cuts->price -= sgang_cuts_hops(cuts, unit, pos);
	shift(cuts, unit, pos, -1);
}

void sgang_cuts_clear(struct sgang_cuts *cuts)
{
	uint32_t i;

	for (i = 0; i < cuts->model->n_units; i++) {
		if (cuts->at[i] != SGANG_CUTS_NOWHERE)
			sgang_cuts_take(cuts, i);
	}
}

void sgang_cuts_load(struct sgang_cuts *cuts, const uint32_t *at)
{
	uint32_t i;

	sgang_cuts_clear(cuts);
	for (i = 0; i < cuts->model->n_units; i++) {
		if (at[i] != SGANG_CUTS_NOWHERE)
			sgang_cuts_put(cuts, i, at[i]);
	}
}
