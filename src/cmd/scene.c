/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene.c - what a picture of a fabric shows */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/scene.h"
#include "core/base/hostlist.h"
#include "core/base/nodeset.h"

struct sgang_scene *sgang_scene_create(const struct sgang_fabric *fabric,
				       const struct sgang_costs *costs,
				       struct sgang_error *err)
{
	struct sgang_scene *scene = calloc(1, sizeof(*scene));

	if (scene)
		scene->node = calloc(sgang_fabric_nodes(fabric) + 1UL,
				     sizeof(*scene->node));
	if (!scene || !scene->node) {
		free(scene);
		sgang_err_memory(err);
		return NULL;
	}
	scene->fabric = fabric;
	scene->costs = costs;
	scene->picked = SGANG_SCENE_NONE;
	scene->unit = "slot";
	return scene;
}

void sgang_scene_destroy(struct sgang_scene *scene)
{
	int saved = errno;
	size_t i;

	if (!scene)
		return;
	for (i = 0; i < scene->n_gangs; i++) {
		for (uint32_t r = 0; r < scene->gang[i].n_roles; r++)
			free(scene->gang[i].role[r]);
		free(scene->gang[i].role);
		free(scene->gang[i].name);
		free(scene->gang[i].stop);
	}
	free(scene->gang);
	free(scene->node);
	json_object_put(scene->queue);
	free(scene);
	errno = saved;
}

void sgang_scene_node(struct sgang_scene *scene, uint32_t node, uint32_t slots,
		      uint32_t busy, bool down)
{
	scene->node[node].slots = slots;
	scene->node[node].busy = busy;
	scene->node[node].down = down;
}

struct sgang_scene_gang *sgang_scene_gang(struct sgang_scene *scene,
					  const char *name, const char *phase,
					  struct sgang_error *err)
{
	struct sgang_scene_gang *bigger, *gang;
	char *copy = strdup(name);

	bigger = realloc(scene->gang, (scene->n_gangs + 1) * sizeof(*bigger));
	if (bigger)
		scene->gang = bigger;
	if (!bigger || !copy) {
		free(copy);
		sgang_err_memory(err);
		return NULL;
	}
	gang = &scene->gang[scene->n_gangs++];
	memset(gang, 0, sizeof(*gang));
	gang->name = copy;
	gang->phase = phase;
	return gang;
}

/* The array grows by doubling: it is full when its length is a power of two. */
static int grow(struct sgang_scene_gang *gang)
{
	size_t n = gang->n_stops;
	struct sgang_scene_stop *bigger;

	if (n & (n - 1))
		return 0;
	bigger = realloc(gang->stop, (n ? 2 * n : 1) * sizeof(*bigger));
	if (!bigger)
		return -1;
	gang->stop = bigger;
	return 0;
}

int sgang_scene_stop(struct sgang_scene_gang *gang, uint32_t node,
		     uint32_t slots, bool ring, struct sgang_error *err)
{
	if (grow(gang))
		return sgang_err_memory(err);
	gang->stop[gang->n_stops++] = (struct sgang_scene_stop){
		.node = node, .slots = slots, .role = SGANG_SCENE_NO_ROLE
	};
	gang->slots += slots;
	if (ring)
		gang->n_ring = gang->n_stops;
	return 0;
}

/* Its number; that of the last one is looked at first. n_roles: it is new. */
static uint32_t find_role(const struct sgang_scene_gang *gang, const char *role)
{
	uint32_t r = gang->n_roles;

	while (r && strcmp(gang->role[r - 1], role))
		r--;
	return r ? r - 1 : gang->n_roles;
}

static int add_role(struct sgang_scene_gang *gang, const char *role)
{
	char **bigger = realloc(gang->role,
				(gang->n_roles + 1UL) * sizeof(*bigger));

	if (bigger) {
		gang->role = bigger;
		gang->role[gang->n_roles] = strdup(role);
	}
	if (!bigger || !gang->role[gang->n_roles])
		return -1;
	gang->n_roles++;
	return 0;
}

int sgang_scene_role(struct sgang_scene_gang *gang, size_t first,
		     const char *role, struct sgang_error *err)
{
	uint32_t number = find_role(gang, role);

	if (first == gang->n_stops)
		return 0;
	if (number == gang->n_roles && add_role(gang, role))
		return sgang_err_memory(err);
	for (size_t i = first; i < gang->n_stops; i++)
		gang->stop[i].role = number;
	return 0;
}

char *sgang_scene_role_nodes(const struct sgang_scene *scene,
			     const struct sgang_scene_gang *gang, uint32_t role)
{
	struct sgang_nodeset *seen =
		sgang_nodeset_create(sgang_fabric_nodes(scene->fabric));
	const char **names = calloc(gang->n_stops + 1, sizeof(*names));
	char *text = NULL;
	size_t i, n = 0;

	for (i = 0; seen && names && i < gang->n_stops; i++) {
		uint32_t node = gang->stop[i].node;

		if (gang->stop[i].role != role || sgang_nodeset_has(seen, node))
			continue;
		sgang_nodeset_add(seen, node);
		names[n++] = sgang_fabric_node_name(scene->fabric, node);
	}
	if (seen && names)
		text = sgang_hostlist_fold(names, n);
	sgang_nodeset_destroy(seen);
	free(names);
	return text;
}

/* Give slots of the node to a kind, as many as are left. */
static void take(struct sgang_scene_node *node, enum sgang_scene_kind kind,
		 uint32_t slots)
{
	uint32_t left = node->kind[SGANG_SCENE_FREE];

	if (slots > left)
		slots = left;
	node->kind[SGANG_SCENE_FREE] -= slots;
	node->kind[kind] += slots;
}

static void take_gang(struct sgang_scene *scene, size_t which)
{
	const struct sgang_scene_gang *gang = &scene->gang[which];
	size_t i;

	for (i = 0; i < gang->n_stops; i++)
		take(&scene->node[gang->stop[i].node],
		     which == scene->picked ? SGANG_SCENE_THIS :
					      SGANG_SCENE_GANG,
		     gang->stop[i].slots);
}

void sgang_scene_close(struct sgang_scene *scene)
{
	uint32_t n = sgang_fabric_nodes(scene->fabric), i;
	struct sgang_scene_node *node;
	size_t g;

	for (i = 0; i < n; i++) {
		node = &scene->node[i];
		memset(node->kind, 0, sizeof(node->kind));
		node->kind[SGANG_SCENE_FREE] = node->slots;
		if (node->slots > scene->most_slots)
			scene->most_slots = node->slots;
	}
	for (g = 0; g < scene->n_gangs; g++)
		take_gang(scene, g);
	for (i = 0; i < n; i++) {
		node = &scene->node[i];
		take(node, SGANG_SCENE_BUSY, node->busy);
		/* jobs may go on where no new one may start */
		if (node->down)
			take(node, SGANG_SCENE_DOWN, node->slots);
	}
}

size_t sgang_scene_find(const struct sgang_scene *scene, const char *name)
{
	size_t found = SGANG_SCENE_NONE, n = 0, i;
	const char *slash;

	for (i = 0; i < scene->n_gangs; i++) {
		if (!strcmp(scene->gang[i].name, name))
			return i;
		slash = strchr(scene->gang[i].name, '/');
		if (slash && !strcmp(slash + 1, name)) {
			found = i;
			n++;
		}
	}
	return n == 1 ? found : SGANG_SCENE_NONE;
}

void sgang_scene_sum(const struct sgang_scene *scene, uint32_t domain,
		     struct sgang_scene_sum *sum)
{
	const struct sgang_domain *place = sgang_fabric_domain(scene->fabric,
							       domain);
	const uint32_t *order = sgang_fabric_order(scene->fabric);
	uint32_t i;
	int kind;

	memset(sum, 0, sizeof(*sum));
	sum->nodes = place->n_nodes;
	sum->all = SGANG_SCENE_KINDS;
	for (i = place->first_pos; i < place->first_pos + place->n_nodes; i++) {
		const struct sgang_scene_node *node = &scene->node[order[i]];

		sum->down += node->down;
		sum->slots += node->slots;
		for (kind = 0; kind < SGANG_SCENE_KINDS; kind++)
			sum->kind[kind] += node->kind[kind];
	}
	for (kind = 0; sum->slots && kind < SGANG_SCENE_KINDS; kind++)
		if (sum->kind[kind] == sum->slots)
			sum->all = kind;
}

bool sgang_scene_hop(const struct sgang_scene *scene,
		     const struct sgang_scene_gang *gang, size_t i,
		     struct sgang_scene_hop *hop)
{
	hop->from = gang->stop[i].node;
	hop->to = gang->stop[(i + 1) % gang->n_ring].node;
	if (hop->from == hop->to)
		return false;
	hop->level = sgang_fabric_meet(scene->fabric, hop->from, hop->to);
	hop->costly = hop->level > scene->costs->leaf;
	return true;
}

const char *sgang_scene_kind(enum sgang_scene_kind kind)
{
	static const char *const names[SGANG_SCENE_KINDS] = {
		[SGANG_SCENE_THIS] = "this gang",
		[SGANG_SCENE_GANG] = "other gangs",
		[SGANG_SCENE_BUSY] = "busy",
		[SGANG_SCENE_FREE] = "free",
		[SGANG_SCENE_DOWN] = "down"
	};

	return names[kind];
}

/* Add a mark to the kind that has the fewest for its size. */
static void add_mark(const uint64_t kind[SGANG_SCENE_KINDS],
		     uint32_t marks[SGANG_SCENE_KINDS])
{
	int best = -1, i;

	for (i = 0; i < SGANG_SCENE_KINDS; i++) {
		if (!kind[i])
			continue;
		if (best < 0 || (double)kind[i] / (marks[i] + 1) >
					(double)kind[best] / (marks[best] + 1))
			best = i;
	}
	marks[best]++;
}

void sgang_scene_marks(const uint64_t kind[SGANG_SCENE_KINDS], uint32_t n,
		       uint32_t marks[SGANG_SCENE_KINDS])
{
	uint64_t total = 0;
	int i;

	memset(marks, 0, SGANG_SCENE_KINDS * sizeof(*marks));
	for (i = 0; i < SGANG_SCENE_KINDS; i++)
		total += kind[i];
	if (total <= n) {
		for (i = 0; i < SGANG_SCENE_KINDS; i++)
			marks[i] = (uint32_t)kind[i];
		return;
	}
	for (i = 0; i < SGANG_SCENE_KINDS && n; i++) {
		if (kind[i]) {
			marks[i] = 1;
			n--;
		}
	}
	while (n--)
		add_mark(kind, marks);
}

bool sgang_scene_alone(const struct sgang_scene *scene, uint32_t domain)
{
	const struct sgang_domain *place = sgang_fabric_domain(scene->fabric,
							       domain);
	const uint32_t *order = sgang_fabric_order(scene->fabric);

	return !place->n_children && place->n_nodes == 1 && !place->line &&
	       !strcmp(place->name,
		       sgang_fabric_node_name(scene->fabric,
					      order[place->first_pos]));
}
