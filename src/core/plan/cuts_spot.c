/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cuts_spot.c - the cheapest node for one unit
 *
 * In each domain the best node is remembered, by class, until something in that
 * domain changes; so a domain is looked at again child by child, and of these
 * only those in which there was a change. Nodes of a leaf are in *bins* for
 * that, a level more below the leaf. Among nodes of one price that one is taken
 * where the unit fits best: a used node which has the least left, else one where
 * about as many units have room as are still to come, in a domain of which that
 * is true, too.
 */

#include "cuts_private.h"

/* The greatest slack of a place that is not used yet. */
#define SLACK_BITS 20
#define SLACK_MAX (UINT32_C(1) << (SLACK_BITS - 2))

/* When so many children have a node that costs nothing more, others which have
 * changed are not looked at. */
#define ENOUGH 5

/* The best node is not seen once out of so many times, while 'blink' is set. */
#define BLINK 40

/* How badly 'rest' units fit into the room of an unused place. */
static uint64_t misfit(uint32_t room, uint32_t rest)
{
	uint32_t most = SLACK_MAX / 2;

	if (room >= rest)
		return room - rest < most ? room - rest : most;
	return SLACK_MAX - (room < most ? room : most);
}

/* What a used node has left when one more unit is there, in 64ths of what it
 * has of each resource. */
static uint64_t leftover(const struct sgang_cuts *cuts, uint32_t kind,
			 uint32_t pos)
{
	const struct sgang_job *job = cuts->model->job;
	uint32_t node = sgang_fabric_order(job->request->fabric)[pos], d;
	const uint32_t *free = cuts->free + (size_t)pos * cuts->n_dims;
	const uint32_t *total = job->request->total +
				(size_t)node * cuts->n_dims;
	uint64_t sum = 0;

	for (d = 0; d < cuts->n_dims; d++) {
		uint32_t need = sgang_kind_need(job, &job->kind[kind], node, d);

		sum += (uint64_t)(free[d] - need) * 64 /
		       (total[d] + UINT64_C(1));
	}
	return sum < SLACK_MAX ? sum : SLACK_MAX;
}

/* Of two nodes of one price, is the first the better one? */
static bool is_nicer(const struct sgang_cuts *cuts, uint64_t tie,
		     uint64_t slack, uint64_t best_tie, uint64_t best_slack)
{
	if (cuts->light && tie != best_tie)
		return tie < best_tie;
	if (slack != best_slack)
		return slack < best_slack;
	return tie < best_tie;
}

/* How badly a unit fits on a node where there is room: by how many more of its
 * group fit, or by what is left for others. */
static uint64_t slack_of(const struct sgang_cuts *cuts, uint32_t class,
			 uint32_t pos, uint32_t rest)
{
	uint32_t kind = cuts->model->class[class].kind;

	if (cuts->row[pos][0] && !*cuts->chain[class])
		return leftover(cuts, kind, pos);
	return misfit(cuts->room[kind][pos], rest);
}

/* True for an unused node after another one that is the same. */
static bool is_same(const struct sgang_cuts *cuts, uint32_t pos)
{
	return cuts->sort[pos] == cuts->sort[pos - 1] && !cuts->row[pos][0] &&
	       !cuts->row[pos - 1][0] && !cuts->ban[pos] && !cuts->ban[pos - 1];
}

/* Look at the nodes of a bin. */
static void look_at_nodes(struct sgang_cuts *cuts, uint32_t class, uint32_t bin,
			  struct sgang_spot *spot)
{
	uint32_t first = cuts->bin[bin], end = cuts->bin[bin + 1], pos;
	const struct sgang_class *c = &cuts->model->class[class];
	const uint32_t *room = cuts->room[c->kind];
	uint32_t column = cuts->model->n_groups + class;
	struct sgang_spot one = *spot;

	cuts->steps += (end - first) / 4;
	for (pos = first; pos < end; pos++) {
		bool used;

		if (!room[pos] || cuts->ban[pos] ||
		    cuts->row[pos][column] >= c->per_node ||
		    (pos > first && is_same(cuts, pos)))
			continue;
		used = cuts->row[pos][0];
		cuts->steps++;
		one.pos = pos;
		one.price = sgang_cuts_more(cuts, class, pos) +
			    sgang_cuts_own(cuts, class, pos);
		one.tie = used ? 0 : cuts->weight[pos];
		one.slack = slack_of(cuts, class, pos, spot->rest);
		if (one.price < spot->price ||
		    (one.price == spot->price &&
		     is_nicer(cuts, one.tie, one.slack, spot->tie,
			      spot->slack)))
			*spot = one;
	}
}

/* What is remembered of a bin or domain: by class, or for all classes like it if
 * none of its groups are there but the gang. */
static struct sgang_spot *cell_of(const struct sgang_cuts *cuts, uint32_t class,
				  uint32_t cell)
{
	const uint32_t *g = cuts->chain[class];
	uint32_t place = cell < cuts->n_bins ?
				 cuts->model->up[cuts->bin[cell]] :
				 cuts->model->n_nodes + cell - cuts->n_bins;

	while (*g && g[1])
		g++;
	if (*g && cuts->row[place][*g])
		return &cuts->spot[class][cell];
	return &cuts->away[cuts->like[class]][cell];
}

/* Has something changed since the best node was found? */
static bool is_stale(const struct sgang_cuts *cuts, uint32_t class,
		     uint32_t cell)
{
	return cell_of(cuts, class, cell)->version != cuts->version[cell];
}

static const struct sgang_spot *spot_of(struct sgang_cuts *cuts, uint32_t class,
					uint32_t cell, uint32_t rest);

/* Look at the children of a domain, or at its bins. */
static void look_at_children(struct sgang_cuts *cuts, uint32_t class,
			     uint32_t place, uint32_t rest,
			     struct sgang_spot *spot)
{
	const struct sgang_roles *model = cuts->model;
	uint32_t d = place - model->n_nodes, from, end, n, start, i, good = 0;
	const struct sgang_domain *domain =
		sgang_fabric_domain(model->job->request->fabric, d);
	const uint32_t *room = cuts->room[model->class[class].kind];
	const struct sgang_spot *best = NULL, *one;
	uint64_t slack = 0, least = 0;

	from = domain->n_children ? cuts->n_bins + domain->first_child :
				    cuts->bin_of[domain->first_pos];
	end = domain->n_children ?
		      from + domain->n_children :
		      cuts->bin_of[domain->first_pos + domain->n_nodes - 1] + 1;
	n = end - from;
	start = cuts->few ? sgang_cuts_any(cuts, n) : 0;
	cuts->steps += n / 4;
	for (i = 0; i < n; i++) {
		uint32_t cell = from + (start + i) % n;
		uint32_t child = model->n_nodes + cell - cuts->n_bins;

		if (domain->n_children && !room[child])
			continue;
		if (cuts->few && good >= ENOUGH && is_stale(cuts, class, cell))
			continue;
		one = spot_of(cuts, class, cell, rest);
		if (one->pos == SGANG_CUTS_NOWHERE ||
		    (best && one->price > best->price))
			continue;
		slack = one->slack;
		/* the lowest two levels of domains count */
		if (domain->n_children && !cuts->row[child][0] &&
		    cuts->height[child] < 2)
			slack += misfit(room[child], rest)
				 << SLACK_BITS * (cuts->height[child] + 1);
		good += !best || one->price <= 0;
		if (best && one->price == best->price &&
		    !is_nicer(cuts, one->tie, slack, best->tie, least))
			continue;
		good = best && one->price == best->price ? good : 0;
		best = one;
		least = slack;
	}
	if (!best)
		return;
	spot->pos = best->pos;
	spot->price = best->price;
	spot->tie = best->tie;
	spot->slack = least;
	if (model->pair[place] != SGANG_PAIR_NONE)
		spot->price += sgang_cuts_more(cuts, class, place);
	if (!cuts->row[place][0])
		spot->tie += cuts->weight[place];
}

/* The best node of a bin or, behind all bins, of a domain, which may be
 * remembered. Not deeper than the fabric. */
static const struct sgang_spot *spot_of(struct sgang_cuts *cuts, uint32_t class,
					uint32_t cell, uint32_t rest)
{
	uint32_t kind = cuts->model->class[class].kind, most = cuts->most[kind];
	uint32_t place = cuts->model->n_nodes + cell - cuts->n_bins;
	struct sgang_spot *spot = cell_of(cuts, class, cell);

	/* how many, matters among domains; else whether they fill a node */
	if ((cell < cuts->n_bins || !cuts->height[place]))
		rest = rest >= most ? most : *cuts->chain[class] ? rest : 1;
	else if (rest > cuts->room[kind][place])
		rest = cuts->room[kind][place];
	if (spot->version == cuts->version[cell] && spot->rest == rest &&
	    spot->light == cuts->light)
		return spot;
	*spot = (struct sgang_spot){ .version = cuts->version[cell],
				     .rest = rest,
				     .light = cuts->light,
				     .pos = SGANG_CUTS_NOWHERE,
				     .price = SGANG_CUTS_DEAR };
	if (cell < cuts->n_bins)
		look_at_nodes(cuts, class, cell, spot);
	else if (cuts->room[kind][place])
		look_at_children(cuts, class, place, rest, spot);
	return spot;
}

/* Make room for what is to be remembered. */
static void remember(struct sgang_cuts *cuts, struct sgang_spot **spot)
{
	uint32_t n = cuts->model->n_places - cuts->model->n_nodes;

	if (!*spot)
		*spot = sgang_pool_zalloc(cuts->pool, cuts->n_bins + n,
					  sizeof(**spot));
}

uint32_t sgang_cuts_spot(struct sgang_cuts *cuts, uint32_t unit,
			 uint32_t domain)
{
	uint32_t class = cuts->class_of[unit], bits, pos, other;
	uint32_t cell = cuts->n_bins + domain - cuts->model->n_nodes;
	uint64_t rest = cuts->coming / cuts->share[class] + 1;

	remember(cuts, &cuts->spot[class]);
	remember(cuts, &cuts->away[cuts->like[class]]);
	cuts->steps++;
	rest = rest < SLACK_MAX ? rest : SLACK_MAX;
	/* about will do, and is remembered for longer: a power of 4 */
	bits = (31 - (uint32_t)__builtin_clz((uint32_t)rest)) & ~1u;
	if (!*cuts->chain[class])
		rest = rest >> bits << bits;
	pos = spot_of(cuts, class, cell, (uint32_t)rest)->pos;
	if (pos == SGANG_CUTS_NOWHERE || !cuts->blink ||
	    sgang_cuts_any(cuts, BLINK))
		return pos;
	sgang_cuts_ban(cuts, pos, true);
	other = spot_of(cuts, class, cell, (uint32_t)rest)->pos;
	sgang_cuts_ban(cuts, pos, false);
	return other == SGANG_CUTS_NOWHERE ? pos : other;
}

void sgang_cuts_ban(struct sgang_cuts *cuts, uint32_t place, bool ban)
{
	uint32_t first = sgang_cuts_first(cuts, place), i;

	for (i = first; i < first + sgang_cuts_size(cuts, place); i++) {
		cuts->ban[i] += ban ? 1 : -1;
		sgang_cuts_touch(cuts, i);
	}
}
