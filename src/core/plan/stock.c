/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stock.c - where Slurm by itself would put the members of a gang */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stock.h"

#define NONE UINT32_MAX

/* A row of Slurm's table of switches, which is in the order of its file. */
struct row {
	const struct sgang_domain *domain;
	uint32_t above;    /* row of the switch above, NONE: none */
	uint32_t parent;   /* the same as Slurm has it: that of a
			    * root is never set and so row 0 */
	uint32_t depth;    /* switches above it */
	uint64_t usable;   /* nodes that the member could use */
	uint64_t units;    /* of the member, on these */
	uint64_t left;     /* nodes, while it is being placed, */
	uint64_t reach;    /* units when that began */
	uint64_t distance; /* hops to all leaves used so far */
};

struct table {
	const struct sgang_plan_request *request;
	enum sgang_stock_rule rule;
	const struct sgang_plan_member *member; /* being placed */
	struct row *row;
	uint32_t n_rows;
	uint32_t *row_of; /* by domain */
	uint32_t *node;   /* by position, those of a leaf switch
			   * in the order of their index */
	uint32_t *free;   /* as in the request */
	bool weigh;       /* nodes differ in weight, */
	uint32_t most;    /* and none heavier is taken now */
	bool given;       /* nor any that is not required */
	bool *taken;      /* by node: the member has it */
	struct sgang_stock *stock;
	size_t room; /* of stock->runs */
};

/* The remaining need of a member, counted as Slurm counts it. */
struct need {
	int64_t nodes; /* below 0: more than it asked for */
	uint64_t units;
};

/* -- the table of switches -- */

/* A node in no switch stands under the invisible root as a leaf of its own,
 * which Slurm does not know, and neither does it NVLink domains. */
static bool is_switch(const struct sgang_plan_request *request, uint32_t d)
{
	const struct sgang_fabric *fabric = request->fabric;
	const struct sgang_domain *domain = sgang_fabric_domain(fabric, d);
	uint32_t node;

	if (domain->level < request->costs->leaf)
		return false;
	if (domain->parent == SGANG_DOMAIN_NONE)
		return domain->level != SGANG_LEVEL_UNCONNECTED;
	if (domain->n_children || domain->n_nodes != 1 || domain->line)
		return true;
	node = sgang_fabric_order(fabric)[domain->first_pos];
	return strcmp(domain->name, sgang_fabric_node_name(fabric, node)) != 0;
}

/* qsort: by line, and those of one line in the order of the fabric. */
static int by_line(const void *one, const void *two)
{
	const struct sgang_domain *a = ((const struct row *)one)->domain;
	const struct sgang_domain *b = ((const struct row *)two)->domain;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a > b) - (a < b);
}

static void link_rows(struct table *table)
{
	const struct sgang_fabric *fabric = table->request->fabric;
	uint32_t d, n = sgang_fabric_domains(fabric);

	/* parents come before their children */
	for (d = 0; d < n; d++) {
		const struct sgang_domain *domain = sgang_fabric_domain(fabric,
									d);
		struct row *row;

		if (table->row_of[d] == NONE)
			continue;
		row = &table->row[table->row_of[d]];
		row->above = domain->parent == SGANG_DOMAIN_NONE ?
				     NONE :
				     table->row_of[domain->parent];
		if (row->above == NONE)
			continue;
		row->parent = row->above;
		row->depth = table->row[row->above].depth + 1;
	}
}

static void fill_table(struct table *table)
{
	const struct sgang_fabric *fabric = table->request->fabric;
	const struct sgang_domain *first = sgang_fabric_domain(fabric, 0);
	uint32_t d, n = sgang_fabric_domains(fabric), i;

	for (d = 0; d < n; d++) {
		table->row_of[d] = NONE;
		if (is_switch(table->request, d))
			table->row[table->n_rows++].domain = first + d;
	}
	qsort(table->row, table->n_rows, sizeof(*table->row), by_line);
	for (i = 0; i < table->n_rows; i++)
		table->row_of[table->row[i].domain - first] = i;
	link_rows(table);
}

static bool is_leaf(const struct table *table, const struct row *row)
{
	return row->domain->level == table->request->costs->leaf;
}

/* qsort: the lowest index first. */
static int by_index(const void *one, const void *two)
{
	const uint32_t *a = one, *b = two;

	return (*a > *b) - (*a < *b);
}

/* Where a leaf switch has NVLink domains, its nodes stand in their order. */
static void fill_nodes(struct table *table)
{
	const struct sgang_fabric *fabric = table->request->fabric;
	uint32_t i;

	memcpy(table->node, sgang_fabric_order(fabric),
	       sgang_fabric_nodes(fabric) * sizeof(*table->node));
	for (i = 0; i < table->n_rows; i++) {
		const struct sgang_domain *domain = table->row[i].domain;

		if (domain->n_children && is_leaf(table, &table->row[i]))
			qsort(table->node + domain->first_pos, domain->n_nodes,
			      sizeof(*table->node), by_index);
	}
}

/* -- what the member could use -- */

static uint32_t *free_on(const struct table *table, uint32_t node)
{
	return table->free + (size_t)node * sgang_plan_dims(table->request);
}

/* Units of the member that fit on the node. */
static uint32_t fits(const struct table *table, uint32_t node)
{
	uint32_t units = sgang_plan_fits(table->request, table->member, node,
					 free_on(table, node));

	return table->member->distinct && units ? 1 : units;
}

static uint32_t weight_of(const struct table *table, uint32_t node)
{
	return table->weigh ? table->request->weight[node] : 0;
}

/* The n-th node of a switch. */
static uint32_t node_of(const struct table *table, const struct row *row,
			uint32_t n)
{
	return table->node[row->domain->first_pos + n];
}

static bool same_shape(const struct sgang_plan_member *a,
		       const struct sgang_plan_member *b)
{
	return a->slots == b->slots && a->need == b->need &&
	       a->units == b->units && a->allowed == b->allowed &&
	       !a->required && !b->required && a->distinct == b->distinct;
}

static void add_usable(struct table *table, uint32_t row, uint64_t nodes,
		       uint64_t units)
{
	for (; row != NONE; row = table->row[row].above) {
		table->row[row].usable += nodes;
		table->row[row].units += units;
	}
}

static void count_usable(struct table *table)
{
	uint32_t i, j;

	for (i = 0; i < table->n_rows; i++)
		table->row[i].usable = table->row[i].units = 0;
	for (i = 0; i < table->n_rows; i++) {
		const struct sgang_domain *domain = table->row[i].domain;
		uint64_t nodes = 0, units = 0;

		for (j = 0;
		     is_leaf(table, &table->row[i]) && j < domain->n_nodes;
		     j++) {
			uint32_t n = fits(table,
					  table->node[domain->first_pos + j]);

			nodes += n > 0;
			units += n;
		}
		add_usable(table, i, nodes, units);
	}
}

/* -- the rule -- */

/* The least weight, above 'above' (below 0: any), of nodes of a switch that the
 * member could use; -1: there is none. */
static int64_t next_weight(const struct table *table, const struct row *row,
			   int64_t above)
{
	int64_t least = -1, weight;
	uint32_t i;

	for (i = 0; i < row->domain->n_nodes; i++) {
		uint32_t node = node_of(table, row, i);

		weight = weight_of(table, node);
		if (weight > above && (least < 0 || weight < least) &&
		    fits(table, node))
			least = weight;
	}
	return least;
}

/* Is the lightest node of one switch heavier than that of another? */
static bool is_heavier(const struct table *table, const struct row *a,
		       const struct row *b)
{
	return table->weigh &&
	       next_weight(table, a, -1) > next_weight(table, b, -1);
}

/* Step 1. NONE: no switch reaches enough nodes. */
static uint32_t choose_top(const struct table *table, const struct need *need)
{
	uint32_t i, top = NONE;

	for (i = 0; i < table->n_rows; i++) {
		const struct row *row = &table->row[i];

		if (!row->usable || (int64_t)row->usable < need->nodes ||
		    (table->rule != SGANG_STOCK_22_05 &&
		     row->units < need->units))
			continue;
		if (top == NONE ||
		    (row->domain->level >= table->row[top].domain->level &&
		     !is_heavier(table, row, &table->row[top])))
			top = i;
	}
	return top;
}

/* Nodes that the top switch does not reach are out of the question. */
static void begin_below(struct table *table, uint32_t top)
{
	const struct sgang_domain *world = table->row[top].domain;
	uint32_t i;

	for (i = 0; i < table->n_rows; i++) {
		struct row *row = &table->row[i];
		uint32_t pos = row->domain->first_pos;

		row->left = pos >= world->first_pos &&
					    pos < world->first_pos +
							    world->n_nodes ?
				    row->usable :
				    0;
		row->reach = row->units;
		row->distance = 0;
	}
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Does the row reach all that is missing? */
static bool reaches(const struct table *table, const struct row *row,
		    const struct need *need)
{
	return (int64_t)row->left >= need->nodes &&
	       (table->rule == SGANG_STOCK_22_05 || row->reach >= need->units);
}

/* May the two be climbed above? The rows of roots were never told that they
 * have no parent, and have row 0; that was fixed with the rule. */
static bool may_climb(const struct table *table, const struct row *a,
		      const struct row *b)
{
	if (table->rule != SGANG_STOCK_22_05 &&
	    (a->above == NONE || b->above == NONE))
		return false;
	return a->parent != b->parent;
}

/* Does leaf i fit better (1), worse (-1) or as well (0) as leaf j? '*fits': the
 * last switch above leaf i that was asked reaches all that are missing. Where
 * roots have row 0 as their parent the climb need not end by itself. */
static int compare_fit(const struct table *table, uint32_t i, uint32_t j,
		       const struct need *need, bool *fits)
{
	const struct row *a = &table->row[i], *b = &table->row[j];
	uint32_t climbed;

	for (climbed = 0; climbed <= 2 * SGANG_LEVELS; climbed++) {
		bool a_fits = reaches(table, a, need);
		bool b_fits = reaches(table, b, need);

		*fits = a_fits;
		if (a_fits && b_fits && a->left != b->left)
			return compare(b->left, a->left);
		if (a_fits != b_fits)
			return a_fits ? 1 : -1;
		if (a_fits || !may_climb(table, a, b))
			break;
		a = &table->row[a->parent];
		b = &table->row[b->parent];
	}
	if (a->left != b->left)
		return compare(a->left, b->left);
	return compare(b->domain->level, a->domain->level);
}

/* Step 2: the next leaf. NONE: all are used up. */
static uint32_t choose_leaf(const struct table *table, const struct need *need)
{
	uint32_t i, best = NONE;

	for (i = 0; i < table->n_rows; i++) {
		const struct row *row = &table->row[i];
		bool fits = false, near_enough;
		int better;

		if (!is_leaf(table, row) || !row->left)
			continue;
		if (best == NONE) {
			best = i;
			continue;
		}
		better = compare_fit(table, i, best, need, &fits);
		near_enough = table->rule == SGANG_STOCK_22_05 ? better >= 0 :
								 fits;
		if ((row->distance < table->row[best].distance &&
		     near_enough) ||
		    (row->distance == table->row[best].distance && better > 0))
			best = i;
	}
	return best;
}

/* Hops of switches from one leaf to another below the same root. */
static uint64_t distance(const struct table *table, uint32_t i, uint32_t j)
{
	uint64_t hops = 0;

	for (; i != j; hops++) {
		if (table->row[i].depth >= table->row[j].depth)
			i = table->row[i].above;
		else
			j = table->row[j].above;
	}
	return hops;
}

static void add_distances(struct table *table, uint32_t leaf)
{
	uint32_t i;

	for (i = 0; i < table->n_rows; i++)
		if (is_leaf(table, &table->row[i]) && table->row[i].left)
			table->row[i].distance += distance(table, i, leaf);
}

/* -- what is taken -- */

static int add_run(struct table *table, const struct sgang_run *run)
{
	struct sgang_stock *stock = table->stock;

	if (stock->n_runs == table->room) {
		size_t room = table->room ? 2 * table->room : 64;
		struct sgang_run *more = realloc(stock->runs,
						 room * sizeof(*more));

		if (!more)
			return -1;
		stock->runs = more;
		table->room = room;
	}
	stock->runs[stock->n_runs++] = *run;
	return 0;
}

static int take_node(struct table *table, uint32_t leaf, uint32_t node,
		     struct need *need)
{
	const struct sgang_plan_member *member = table->member;
	uint32_t slots = sgang_plan_need(table->request, member, node, 0);
	uint32_t before = fits(table, node), lost, row;
	uint32_t units = before, ranks = member->ranks, done;
	struct sgang_run run = {
		.member = (uint32_t)(member - table->request->members),
		.node = node,
	};

	if (units > need->units)
		units = (uint32_t)need->units;
	if (!ranks)
		ranks = member->slots ? member->slots : slots;
	run.slots = units * slots;
	run.ranks = units * ranks;
	done = (uint32_t)(member->units - need->units);
	if (done < member->more)
		run.ranks += units < member->more - done ? units :
							   member->more - done;
	if (add_run(table, &run))
		return -1;
	table->taken[node] = true;
	need->nodes--;
	need->units -= units;
	sgang_plan_take(table->request, member, node, units,
			free_on(table, node));
	lost = before - fits(table, node);
	for (row = leaf; row != NONE; row = table->row[row].above) {
		table->row[row].usable -= lost == before;
		table->row[row].units -= lost;
	}
	return 0;
}

/* All that is left in the leaf is used. */
static void leave(struct table *table, uint32_t leaf)
{
	uint64_t used = table->row[leaf].left;
	uint32_t row;

	table->row[leaf].left = 0;
	if (table->rule == SGANG_STOCK_22_05)
		return;
	for (row = table->row[leaf].above; row != NONE;
	     row = table->row[row].above)
		table->row[row].left -= used < table->row[row].left ?
						used :
						table->row[row].left;
}

/* Is the node one of those that are taken now? */
static bool is_wanted(const struct table *table, uint32_t node)
{
	if (table->given)
		return sgang_nodeset_has(table->member->required, node);
	return weight_of(table, node) <= table->most;
}

/* Use the nodes of a leaf in their order. */
static int use_nodes(struct table *table, uint32_t leaf, struct need *need)
{
	const struct sgang_domain *domain = table->row[leaf].domain;
	uint32_t i;

	for (i = 0; i < domain->n_nodes && need->units; i++) {
		uint32_t node = node_of(table, &table->row[leaf], i);

		if (is_wanted(table, node) && !table->taken[node] &&
		    fits(table, node) && take_node(table, leaf, node, need))
			return -1;
	}
	return 0;
}

/* ... of all leaves, or of those in which the member has nodes. */
static int use_all(struct table *table, const bool *used, struct need *need)
{
	uint32_t row;

	for (row = 0; row < table->n_rows; row++) {
		if (table->row[row].left && is_leaf(table, &table->row[row]) &&
		    (!used || used[row]) && use_nodes(table, row, need))
			return -1;
	}
	return 0;
}

static int use_leaf(struct table *table, uint32_t leaf, struct need *need)
{
	if (use_nodes(table, leaf, need))
		return -1;
	leave(table, leaf);
	return 0;
}

/* Nodes up to this weight that the member could use in a switch. */
static uint64_t count_light(const struct table *table, const struct row *row,
			    uint32_t most, uint64_t *units)
{
	uint64_t nodes = 0;
	uint32_t i;

	*units = 0;
	for (i = 0; i < row->domain->n_nodes; i++) {
		uint32_t node = node_of(table, row, i), n;

		n = weight_of(table, node) <= most ? fits(table, node) : 0;
		nodes += n > 0;
		*units += n;
	}
	return nodes;
}

/* The class of weights that is enough with all that are lighter; '*before': the
 * one before it, -1: none. */
static void find_class(struct table *table, const struct row *top,
		       const struct need *need, int64_t *before)
{
	int64_t weight = -1, next;
	uint64_t nodes, units;

	do {
		*before = weight;
		next = next_weight(table, top, weight);
		weight = next < 0 ? UINT32_MAX : next;
		nodes = count_light(table, top, (uint32_t)weight, &units);
	} while (next >= 0 &&
		 ((int64_t)nodes < need->nodes || units < need->units));
	table->most = (uint32_t)weight;
}

/* Take what comes before all others: required nodes, and all of the lighter
 * classes. Returns as use_nodes(). */
static int take_first(struct table *table, uint32_t top, struct need *need)
{
	int64_t before = -1;
	uint32_t i, most;

	table->given = table->member->required;
	if (table->given && use_all(table, NULL, need))
		return -1;
	table->given = false;
	if (!table->weigh)
		return 0;
	find_class(table, &table->row[top], need, &before);
	for (i = 0; i < table->n_rows; i++) {
		struct row *row = &table->row[i];

		if (row->left)
			row->left = count_light(table, row, table->most,
						&row->reach);
	}
	if (before < 0)
		return 0;
	most = table->most;
	table->most = (uint32_t)before;
	i = (uint32_t)use_all(table, NULL, need);
	table->most = most;
	return (int)i;
}

/* The switches in which the member has nodes. NULL without memory. */
static bool *find_used(const struct table *table)
{
	bool *used = calloc(table->n_rows + 1, sizeof(*used));
	uint32_t row, i;

	for (row = 0; used && row < table->n_rows; row++) {
		for (i = 0; table->row[row].left &&
			    i < table->row[row].domain->n_nodes;
		     i++)
			used[row] |= table->taken[node_of(table,
							  &table->row[row], i)];
	}
	return used;
}

/* Nodes that come first, and then others in the same leaves. Returns as
 * use_nodes(). */
static int begin(struct table *table, uint32_t top, struct need *need)
{
	uint32_t row;
	bool *used;
	int rc;

	if (take_first(table, top, need))
		return -1;
	used = find_used(table);
	if (!used)
		return -1;
	rc = use_all(table, used, need);
	for (row = 0; row < table->n_rows; row++) {
		if (!used[row])
			continue;
		if (is_leaf(table, &table->row[row]))
			leave(table, row);
		add_distances(table, row);
	}
	free(used);
	return rc;
}

/* The world of a member that requires nodes. NONE: there is none that has them
 * all, with room. */
static uint32_t choose_required(const struct table *table)
{
	const struct sgang_nodeset *required = table->member->required;
	uint32_t i, j, n, top = NONE, most = 0;

	for (i = 0; i < table->n_rows; i++) {
		const struct row *row = &table->row[i];

		for (j = 0, n = 0; j < row->domain->n_nodes; j++) {
			uint32_t node = node_of(table, row, j);

			n += sgang_nodeset_has(required, node) &&
			     fits(table, node);
		}
		if (n && (top == NONE ||
			  row->domain->level > table->row[top].domain->level)) {
			top = i;
			most = n;
		}
	}
	return most == sgang_nodeset_count(required) ? top : NONE;
}

static int by_node(const void *one, const void *two)
{
	const struct sgang_run *a = one, *b = two;

	return (a->node > b->node) - (a->node < b->node);
}

/* Use the first of the lightest nodes. Returns as place_member(). */
static int use_first(struct table *table, struct need *need)
{
	uint32_t leaf = NONE, first = 0, i, j;

	for (i = 0; i < table->n_rows; i++) {
		const struct row *row = &table->row[i];

		for (j = 0; is_leaf(table, row) && j < row->domain->n_nodes;
		     j++) {
			uint32_t node = node_of(table, row, j);
			bool before = weight_of(table, node) <
					      weight_of(table, first) ||
				      (weight_of(table, node) ==
					       weight_of(table, first) &&
				       node < first);

			if ((leaf == NONE || before) && fits(table, node)) {
				leaf = i;
				first = node;
			}
		}
	}
	if (leaf == NONE)
		return 0;
	if (take_node(table, leaf, first, need))
		return -1;
	table->taken[first] = false;
	return 1;
}

/* Returns 1, 0 when there is no room, -1 without memory. */
static int place_member(struct table *table)
{
	const struct sgang_plan_member *member = table->member;
	size_t first = table->stock->n_runs;
	struct need need = {
		.nodes = member->distinct || !member->slots ? member->units : 1,
		.units = member->units,
	};
	bool required = member->required &&
			sgang_nodeset_count(member->required);
	uint32_t leaf;

	if (table->rule >= SGANG_STOCK_26_05 && !required && need.nodes == 1 &&
	    need.units == 1)
		return use_first(table, &need);
	leaf = required ? choose_required(table) : choose_top(table, &need);
	if (leaf == NONE)
		return 0;
	begin_below(table, leaf);
	table->most = UINT32_MAX;
	if ((required || table->weigh) && begin(table, leaf, &need))
		return -1;
	while (need.units) {
		leaf = choose_leaf(table, &need);
		if (leaf == NONE)
			return 0;
		if (use_leaf(table, leaf, &need))
			return -1;
		add_distances(table, leaf);
	}
	qsort(table->stock->runs + first, table->stock->n_runs - first,
	      sizeof(*table->stock->runs), by_node);
	while (first < table->stock->n_runs)
		table->taken[table->stock->runs[first++].node] = false;
	return 1;
}

static int place_all(struct table *table)
{
	const struct sgang_plan_request *request = table->request;
	int rc = 1;
	size_t i;

	table->weigh = sgang_plan_weights_differ(request);
	table->stock->exact = sgang_fabric_of_switches(request->fabric) &&
			      !table->weigh;
	for (i = 0; i < request->n_members && rc > 0; i++) {
		const struct sgang_plan_member *before = table->member;

		table->member = &request->members[i];
		if (!before || !same_shape(before, table->member))
			count_usable(table);
		if ((table->member->slots && !table->member->distinct) ||
		    table->member->required)
			table->stock->exact = false;
		rc = place_member(table);
	}
	if (rc > 0)
		sgang_ring_measure(request->fabric, request->costs,
				   table->stock->runs, table->stock->n_runs,
				   &table->stock->ring);
	return rc;
}

void sgang_stock_destroy(struct sgang_stock *stock)
{
	int saved = errno;

	if (stock)
		free(stock->runs);
	free(stock);
	errno = saved;
}

int sgang_stock_place(const struct sgang_plan_request *request,
		      enum sgang_stock_rule rule, struct sgang_stock **stock,
		      struct sgang_error *err)
{
	uint32_t n = sgang_fabric_nodes(request->fabric);
	uint32_t n_domains = sgang_fabric_domains(request->fabric);
	size_t n_free = (size_t)n * sgang_plan_dims(request);
	struct table table = { .request = request, .rule = rule };
	int rc = -1;

	table.row = calloc(n_domains, sizeof(*table.row));
	table.row_of = calloc(n_domains, sizeof(*table.row_of));
	table.node = calloc(n + 1, sizeof(*table.node));
	table.free = calloc(n_free + 1, sizeof(*table.free));
	table.taken = calloc(n + 1, sizeof(*table.taken));
	table.stock = calloc(1, sizeof(*table.stock));
	if (table.row && table.row_of && table.node && table.free &&
	    table.taken && table.stock) {
		memcpy(table.free, request->free, n_free * sizeof(*table.free));
		fill_table(&table);
		fill_nodes(&table);
		rc = place_all(&table);
	}
	if (rc > 0)
		*stock = table.stock;
	else
		sgang_stock_destroy(table.stock);
	free(table.row);
	free(table.row_of);
	free(table.node);
	free(table.free);
	free(table.taken);
	return rc < 0 ? sgang_errf(err, ENOMEM, "out of memory") : rc;
}
