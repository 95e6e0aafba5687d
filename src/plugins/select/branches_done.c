/* SPDX-License-Identifier: GPL-2.0-or-later */
/* branches_done.c - completed members of a tree of groups, and what it lacks
 *
 * A completed member counts as there in its own group alone. Slurm purges its
 * record, so its role is kept when it ends. After a restart only the number of
 * those that were purged is known: they count where they are needed.
 */

#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"
#include "core/gang/role_sum.h"

struct done {
	char role[SGANG_ROLE_SIZE]; /* as in the record */
	uint32_t members;
};

/* NULL without memory: its members are then some that were purged. */
static struct done *count_of(struct gang *g, const char *role)
{
	struct done *bigger;

	for (uint32_t i = 0; i < g->below.n_roles; i++) {
		if (!strcmp(g->below.roles[i].role, role))
			return &g->below.roles[i];
	}
	bigger = realloc(g->below.roles,
			 (g->below.n_roles + 1UL) * sizeof(*bigger));
	if (!bigger)
		return NULL;
	g->below.roles = bigger;
	bigger += g->below.n_roles++;
	memset(bigger, 0, sizeof(*bigger));
	strcpy(bigger->role, role);
	return bigger;
}

void sgang_branches_note_end(struct gang *g, const struct sgang_record *r)
{
	struct done *done = r->role[0] ? count_of(g, r->role) : NULL;

	if (done)
		done->members++;
}

bool sgang_branches_done_in(const struct gang *g, uint32_t leaf)
{
	for (uint32_t i = 0; i < g->below.n_roles; i++) {
		if (sgang_role_find(&g->tree, g->below.roles[i].role) == leaf)
			return true;
	}
	return false;
}

void sgang_branches_forget_ends(struct gang *g)
{
	free(g->below.roles);
	g->below.roles = NULL;
	g->below.n_roles = 0;
}

/* Those that have completed in groups that are not known. */
static uint32_t count_unknown(const struct gang *g)
{
	uint32_t known = 0;

	for (uint32_t i = 0; i < g->below.n_roles; i++)
		known += g->below.roles[i].members;
	return g->below.done > known ? g->below.done - known : 0;
}

/* Members that are there, and then those that have completed. Returns their
 * number. */
static size_t list_members(const struct gang *g, struct sgang_role_member *list)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n_entries; i++)
		sgang_gang_role_member(&g->entries[i]->m, &list[n++]);
	for (uint32_t i = 0; i < g->below.n_roles; i++)
		list[n++] = (struct sgang_role_member){
			.role = g->below.roles[i].role,
			.tasks = g->below.roles[i].members,
			.running = true,
		};
	return n;
}

/* The fewest members that it lacks, wherever they come from; SGANG_ROLE_NEVER:
 * groups that nobody names. 0 without memory. */
static uint32_t count_lacking(const struct sgang_role_tree *tree,
			      struct sgang_role_stock *stock)
{
	struct sgang_role_choice choice;
	uint32_t lacking = 0;

	for (uint32_t i = 0; i < tree->n; i++) {
		stock[i].more = SGANG_ROLE_MIN_MAX;
		stock[i].running = 0; /* any order */
		stock[i].order = UINT32_MAX;
	}
	if (sgang_role_choice_open(&choice, tree, stock) == 0)
		lacking = choice.need[0];
	sgang_role_choice_close(&choice);
	return lacking;
}

bool sgang_branches_below(const struct gang *g)
{
	size_t n = g->n_entries + g->below.n_roles;
	struct sgang_role_member *list = calloc(n + 1, sizeof(*list));
	uint32_t *leaf = calloc(n + 1, sizeof(*leaf));
	struct sgang_role_tree tree = { .n = 0 };
	struct sgang_role_stock *stock = NULL;
	struct sgang_role_gang gang;
	uint32_t lacking = 0, unknown = count_unknown(g);

	sgang_gang_roles(&g->tally, &gang);
	gang.counts = true;
	if (list && leaf) {
		n = list_members(g, list);
		if (sgang_role_gang_tree(&gang, list, n, &tree, leaf, NULL) >=
		    0)
			stock = calloc(tree.n + 1, sizeof(*stock));
	}
	if (stock && tree.n) {
		sgang_role_gang_stock(&gang, list, n, &tree, leaf, false,
				      stock);
		lacking = count_lacking(&tree, stock);
	}
	free(stock);
	sgang_role_tree_clear(&tree);
	free(leaf);
	free(list);
	return lacking == SGANG_ROLE_NEVER ? !unknown : lacking > unknown;
}
