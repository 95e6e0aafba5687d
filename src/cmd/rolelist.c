/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rolelist.c - the groups of a gang that is a tree, as JSON */

#include <stdlib.h>

#include "cmd/json.h"
#include "cmd/rolelist.h"
#include "core/gang/role_tree.h"

/* Numbers by group. */
struct counts {
	struct sgang_role_tree tree;
	uint32_t *there;   /* members that have not ended */
	uint32_t *running; /* ... that have nodes */
	bool *has;         /* it has what it needs with those there */
	bool *runs;        /* ... with those that have nodes */
};

static bool counts(const struct sgang_jobrow *job)
{
	return job->record.role[0] && job->class != SGANG_ROW_ENDED;
}

static int make_tree(const struct sgang_gang *gang, struct counts *c,
		     struct sgang_role_said *said)
{
	size_t n = 0;

	for (size_t i = 0; i < gang->n_jobs; i++) {
		if (counts(gang->jobs[i]))
			said[n++] = (struct sgang_role_said){
				.text = gang->jobs[i]->record.role,
				.member = true,
			};
	}
	return n ? sgang_role_tree_make(&c->tree, gang->record->root_min, said,
					n, NULL) :
		   -1;
}

static void count(const struct sgang_gang *gang, struct counts *c,
		  const struct sgang_role_said *said)
{
	size_t n = 0;

	for (size_t i = 0; i < gang->n_jobs; i++) {
		const struct sgang_jobrow *job = gang->jobs[i];
		uint32_t g;

		if (!counts(job))
			continue;
		g = said[n++].node;
		if (g == SGANG_ROLE_NONE)
			continue;
		c->there[g] += job->tasks;
		if (job->class != SGANG_ROW_PENDING)
			c->running[g] += job->tasks;
	}
	sgang_role_satisfied(&c->tree, c->there, c->has);
	sgang_role_satisfied(&c->tree, c->running, c->runs);
}

/* Of a group with groups: those right in it that have what they need. */
static uint32_t satisfied_in(const struct counts *c, uint32_t g,
			     const bool *satisfied, const uint32_t *members)
{
	const struct sgang_role_node *node = c->tree.node;
	uint32_t n = 0;

	if (sgang_role_leaf(&c->tree, g))
		return members[g];
	for (uint32_t i = g + 1; i < node[g].end; i = node[i].end)
		n += satisfied[i];
	return n;
}

static void put_group(const struct counts *c, uint32_t g,
		      struct json_object *row)
{
	const struct sgang_role_group *group = &c->tree.node[g].group;
	char names[SGANG_ROLE_SIZE];

	sgang_json_string(row, "role", sgang_role_names(&c->tree, g, names));
	sgang_json_string(row, "of",
			  sgang_role_leaf(&c->tree, g) ? "members" : "groups");
	sgang_json_number(row, "min", sgang_role_min(&c->tree, g));
	sgang_json_number(row, "there", satisfied_in(c, g, c->has, c->there));
	sgang_json_number(row, "running",
			  satisfied_in(c, g, c->runs, c->running));
	sgang_json_text(row, "require", group->require);
	sgang_json_text(row, "prefer", group->prefer);
	sgang_json_number(row, "weight", group->weight_set ? group->weight : 1);
}

void sgang_rolelist_put(const struct sgang_gang *gang, struct json_object *list)
{
	struct sgang_role_said *said = calloc(gang->n_jobs + 1, sizeof(*said));
	struct counts c = { .tree = { .n = 0 } };
	uint32_t n;

	if (said && make_tree(gang, &c, said) >= 0) {
		n = c.tree.n;
		c.there = calloc(n, sizeof(*c.there));
		c.running = calloc(n, sizeof(*c.running));
		c.has = calloc(n, sizeof(*c.has));
		c.runs = calloc(n, sizeof(*c.runs));
		if (c.there && c.running && c.has && c.runs) {
			count(gang, &c, said);
			for (uint32_t g = 0; g < n; g++)
				put_group(&c, g, sgang_json_row(list));
		}
		free(c.there);
		free(c.running);
		free(c.has);
		free(c.runs);
		sgang_role_tree_clear(&c.tree);
	}
	free(said);
}
