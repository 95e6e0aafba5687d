/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roles_private.h - trees of groups: what the files of that planner share
 *
 *                     gang                  a group, the first one
 *                   /      \
 *              replica1   replica2          groups
 *              /     \     /     \
 *           encode decode encode decode     leaves: groups with members
 *             |      | |    |      |
 *            ...   ...   ...      ...       classes: units that are alike
 *
 * A ring in the order of the fabric has one hop, more than it would have in an
 * island, out of each place that has some of its ranks, and not all of them:
 * the place *cuts* the group. So the cost of a placement is a constant and, for
 * each place, the prices of the groups that it cuts. A group that is cut by a
 * place spans the domain above it, so levels that are required and preferred
 * are prices too.
 *
 * A place is a node, by position, or a domain: number of nodes + domain.
 */

#ifndef SGANG_ROLES_PRIVATE_H
#define SGANG_ROLES_PRIVATE_H

#include "plan_private.h"

/* Units of members of one leaf that are all alike. */
struct sgang_class {
	uint32_t leaf; /* which group */
	uint32_t kind;
	uint32_t first;    /* its units have the numbers from here on, */
	uint32_t units;    /* so many */
	uint32_t per_node; /* at most so many of them on a node */
	uint32_t each;     /* units of a distinct member; 0: members are not
			    * distinct */
	uint64_t toll;     /* what each unit pays on its node in the bound
			    * (roles_cut.c), and gets back in the end */
};

/* Places of one level right under domains of another one. */
struct sgang_pair {
	uint32_t low;
	uint32_t high;
	uint64_t *price; /* by group: of being cut there */
	uint64_t *least; /* by number of units, below 'n_least': no set of so
			  * many is cheaper (roles_cut.c) */
	uint64_t n_least;
};

#define SGANG_PAIR_NONE UINT32_MAX
#define SGANG_ROLES_PAIRS (SGANG_LEVELS * SGANG_LEVELS / 2)

struct sgang_roles {
	const struct sgang_job *job;
	const uint64_t *broken; /* as in struct sgang_tree */
	/* by group */
	const struct sgang_plan_group *group;
	uint32_t n_groups;
	bool pieces;       /* groups are pieces of the gang's ring, which lie in
			    * one piece each; else they have own rings */
	uint32_t *require; /* of it and of all above it */
	uint32_t *units;
	uint32_t *depth; /* of the gang: 0 */
	uint32_t *kind;  /* groups of the same number are alike in all but
			  * name, and may change places */
	/* by class */
	struct sgang_class *class;
	uint32_t n_classes;
	uint32_t *class_of; /* by member */
	uint32_t n_units;
	uint64_t *least_ranks; /* of a unit, by kind */
	/* by place */
	uint32_t n_nodes;
	uint32_t n_places;
	uint32_t *up;   /* the place above; SGANG_DOMAIN_NONE: none */
	uint32_t *pair; /* of it and the one above */
	struct sgang_pair pairs[SGANG_ROLES_PAIRS];
	uint32_t n_pairs;
	/* All prices of a placement add up to (wrong * 'never' + above * 'wish'
	 * + cost): hops above what is required, hops above what is preferred,
	 * and what the rest costs. */
	uint64_t never;
	uint64_t wish;
	struct sgang_tree tree; /* all units as if alike: how many fit */
};

static inline bool sgang_roles_leaf(const struct sgang_roles *roles, uint32_t g)
{
	return g + 1 == roles->n_groups ||
	       roles->depth[g + 1] <= roles->depth[g];
}

/* The level of a place, and of the one above: SGANG_LEVELS where the gang may
 * not span that. */
static inline uint32_t sgang_roles_level(const struct sgang_roles *roles,
					 uint32_t place)
{
	if (place < roles->n_nodes)
		return SGANG_LEVEL_ISLAND;
	return sgang_fabric_domain(roles->job->request->fabric,
				   place - roles->n_nodes)
		->level;
}

static inline uint32_t sgang_roles_above(const struct sgang_roles *roles,
					 uint32_t place)
{
	uint32_t up = roles->up[place], level;

	if (up == SGANG_DOMAIN_NONE)
		return SGANG_LEVELS;
	level = sgang_roles_level(roles, up);
	return level > roles->require[0] ? SGANG_LEVELS : level;
}

/* The number of children right in a domain: nodes of a leaf switch, or domains.
 */
static inline uint32_t sgang_roles_children(const struct sgang_domain *domain)
{
	return domain->n_children ? domain->n_children : domain->n_nodes;
}

static inline uint32_t sgang_roles_child(const struct sgang_roles *roles,
					 const struct sgang_domain *domain,
					 uint32_t i)
{
	return domain->n_children ? roles->n_nodes + domain->first_child + i :
				    domain->first_pos + i;
}

/* The worth of a placement: the less, the better. */
struct sgang_worth {
	uint64_t price;
	uint64_t tie; /* what it weighs and breaks, as sgang_coin_tie() */
};

static inline bool sgang_worth_less(const struct sgang_worth *a,
				    const struct sgang_worth *b)
{
	return a->price != b->price ? a->price < b->price : a->tie < b->tie;
}

/* Several small numbers in one: a field for each, with a free bit above, so
 * that such vectors are added and compared at once. Beside it each has a number
 * of its own, which is a sum too. */
#define SGANG_FIELDS_MAX 32

struct sgang_fields {
	uint32_t n;
	uint32_t shift[SGANG_FIELDS_MAX];
	uint64_t mask[SGANG_FIELDS_MAX];
	uint32_t stride[SGANG_FIELDS_MAX]; /* of the vectors' numbers */
	uint64_t full;                     /* the most of each */
	uint64_t guard;                    /* the free bits */
	uint32_t numbers;                  /* their number */
};

/* Add a field for numbers up to 'most'. False when there are more than 'limit'
 * vectors then. */
static inline bool sgang_fields_add(struct sgang_fields *fields, uint32_t most,
				    uint32_t limit)
{
	uint32_t bits = 1, at = 0, n = fields->n;
	uint64_t numbers = n ? fields->numbers : 1;

	if (n)
		at = fields->shift[n - 1] + 1 +
		     (uint32_t)__builtin_popcountll(fields->mask[n - 1]);
	while (most >> bits)
		bits++;
	if (n == SGANG_FIELDS_MAX || at + bits + 1 > 64 ||
	    numbers * (most + UINT64_C(1)) > limit)
		return false;
	fields->shift[n] = at;
	fields->mask[n] = (UINT64_C(1) << bits) - 1;
	fields->stride[n] = (uint32_t)numbers;
	fields->full |= (uint64_t)most << at;
	fields->guard |= UINT64_C(1) << (at + bits);
	fields->numbers = (uint32_t)(numbers * (most + UINT64_C(1)));
	fields->n++;
	return true;
}

static inline uint32_t sgang_fields_get(const struct sgang_fields *fields,
					uint64_t vector, uint32_t field)
{
	return (uint32_t)(vector >> fields->shift[field] & fields->mask[field]);
}

/* True if 'all' has as much of each. Both are sums of no more than two vectors.
 */
static inline bool sgang_fields_within(const struct sgang_fields *fields,
				       uint64_t part, uint64_t all)
{
	return (((all | fields->guard) - part) & fields->guard) ==
	       fields->guard;
}

/* -- roles_model.c -- */

/* Look through the request. -1 with EOVERFLOW. */
int sgang_roles_open(struct sgang_roles *roles, const struct sgang_job *job,
		     const uint64_t *broken);

/* The cost that a unit of a class adds at a node, wherever the others are. */
uint64_t sgang_roles_own(const struct sgang_roles *roles, uint32_t class,
			 uint32_t pos);

/* The least that it adds at any node, */
uint64_t sgang_roles_least(const struct sgang_roles *roles, uint32_t class);

/* ... and that all units add together. */
uint64_t sgang_roles_base(const struct sgang_roles *roles);

/* The placement of units, by number the position of each. */
struct sgang_placement *sgang_roles_place(const struct sgang_roles *roles,
					  const uint32_t *at);

/* Measure a placement, ring by ring. */
struct sgang_worth sgang_roles_measure(const struct sgang_roles *roles,
				       const uint32_t *at);

/* True if there is room for all units where they are. */
bool sgang_roles_valid(const struct sgang_roles *roles, const uint32_t *at);

/* -- roles_cut.c -- */

/* A lower bound of the price of so many units in such a place, with the tolls
 * of nodes; SGANG_CUT_NEVER: no such set is allowed. For struct sgang_blocks,
 * with a struct sgang_roles. */
uint64_t sgang_roles_part(const void *roles, uint32_t low, uint32_t high,
			  uint64_t units);

/* Fill the tables of all pairs, with tolls or without. */
void sgang_roles_cut(struct sgang_roles *roles, bool tolls);

/* The tolls of all units. */
uint64_t sgang_roles_tolls(const struct sgang_roles *roles);

/* -- roles_lay.c -- */

/* Choose units for the places that 'pick' has, so many for each: fills 'at'.
 * False when units do not fit there. */
bool sgang_roles_lay(const struct sgang_roles *roles,
		     const struct sgang_pick *pick, size_t n_picks,
		     uint32_t *at);

/* -- roles_exact.c -- */

/* The best placement of all, if it is better than 'worth'. Returns 1 and fills
 * 'at' and 'worth'; 0 when there is none that is better; 2 when it took too
 * long. */
int sgang_roles_exact(const struct sgang_roles *roles,
		      struct sgang_worth *worth, uint32_t *at);

#endif
