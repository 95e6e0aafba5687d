/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene_json.c - a scene as JSON */

#include "cmd/json.h"
#include "cmd/scene_json.h"

static struct json_object *json_levels(const struct sgang_scene *scene)
{
	struct json_object *list = json_object_new_array(), *item;
	uint32_t top = sgang_fabric_top_level(scene->fabric), i;

	for (i = 0; i <= top; i++) {
		item = json_object_new_object();
		sgang_json_string(item, "name", scene->costs->name[i]);
		sgang_json_number(item, "hop_cost", scene->costs->hop[i]);
		json_object_array_add(list, item);
	}
	return list;
}

/* "this_gang" is there only if one was picked; then "gangs" are the others. */
static void put_kinds(const struct sgang_scene *scene,
		      struct json_object *object,
		      const uint64_t kind[SGANG_SCENE_KINDS])
{
	if (scene->picked != SGANG_SCENE_NONE)
		sgang_json_number(object, "this_gang", kind[SGANG_SCENE_THIS]);
	sgang_json_number(object, "gangs", kind[SGANG_SCENE_GANG]);
	sgang_json_number(object, "busy", kind[SGANG_SCENE_BUSY]);
	sgang_json_number(object, "free", kind[SGANG_SCENE_FREE]);
	sgang_json_number(object, "down", kind[SGANG_SCENE_DOWN]);
}

static struct json_object *json_domains(const struct sgang_scene *scene)
{
	struct json_object *list = json_object_new_array(), *item;
	uint32_t n = sgang_fabric_domains(scene->fabric), i;

	for (i = 0; i < n; i++) {
		const struct sgang_domain *domain =
			sgang_fabric_domain(scene->fabric, i);
		struct sgang_scene_sum sum;

		sgang_scene_sum(scene, i, &sum);
		item = json_object_new_object();
		sgang_json_string(item, "name", domain->name);
		sgang_json_string(item, "level",
				  scene->costs->name[domain->level]);
		json_object_object_add(
			item, "parent",
			domain->parent == SGANG_DOMAIN_NONE ?
				NULL :
				json_object_new_uint64(domain->parent));
		sgang_json_number(item, "nodes", sum.nodes);
		sgang_json_number(item, "slots", sum.slots);
		put_kinds(scene, item, sum.kind);
		json_object_array_add(list, item);
	}
	return list;
}

static struct json_object *json_nodes(const struct sgang_scene *scene)
{
	struct json_object *list = json_object_new_array(), *item;
	const uint32_t *order = sgang_fabric_order(scene->fabric);
	uint32_t n = sgang_fabric_nodes(scene->fabric), i;
	uint64_t kind[SGANG_SCENE_KINDS];
	int k;

	for (i = 0; i < n; i++) {
		const struct sgang_scene_node *node = &scene->node[order[i]];

		for (k = 0; k < SGANG_SCENE_KINDS; k++)
			kind[k] = node->kind[k];
		item = json_object_new_object();
		sgang_json_string(item, "name",
				  sgang_fabric_node_name(scene->fabric,
							 order[i]));
		sgang_json_number(item, "domain",
				  sgang_fabric_leaf(scene->fabric, order[i]));
		sgang_json_number(item, "slots", node->slots);
		put_kinds(scene, item, kind);
		json_object_array_add(list, item);
	}
	return list;
}

static struct json_object *json_hops(const struct sgang_scene *scene,
				     const struct sgang_ring *ring)
{
	struct json_object *list = json_object_new_array(), *item;
	int i;

	for (i = 0; i < SGANG_LEVELS; i++) {
		if (!ring->hops[i])
			continue;
		item = json_object_new_object();
		sgang_json_string(item, "level", scene->costs->name[i]);
		sgang_json_number(item, "hop_cost", scene->costs->hop[i]);
		sgang_json_number(item, "hops", ring->hops[i]);
		json_object_array_add(list, item);
	}
	return list;
}

static struct json_object *json_stops(const struct sgang_scene *scene,
				      const struct sgang_scene_gang *gang)
{
	struct json_object *list = json_object_new_array(), *item;
	size_t i;

	for (i = 0; i < gang->n_stops; i++) {
		item = json_object_new_object();
		sgang_json_string(item, "node",
				  sgang_fabric_node_name(scene->fabric,
							 gang->stop[i].node));
		sgang_json_number(item, "slots", gang->stop[i].slots);
		if (gang->stop[i].role != SGANG_SCENE_NO_ROLE)
			sgang_json_string(item, "role",
					  gang->role[gang->stop[i].role]);
		sgang_json_bool(item, "ring", i < gang->n_ring);
		json_object_array_add(list, item);
	}
	return list;
}

static struct json_object *json_gangs(const struct sgang_scene *scene)
{
	struct json_object *list = json_object_new_array(), *item;
	size_t i;

	for (i = 0; i < scene->n_gangs; i++) {
		const struct sgang_scene_gang *gang = &scene->gang[i];
		bool ring = gang->n_ring;

		item = json_object_new_object();
		sgang_json_string(item, "gang", gang->name);
		sgang_json_string(item, "phase", gang->phase);
		json_object_object_add(
			item, "members",
			!gang->members ? NULL :
					 json_object_new_uint64(gang->members));
		sgang_json_number(item, "slots", gang->slots);
		json_object_object_add(
			item, "ring_cost",
			!ring ? NULL : json_object_new_uint64(gang->ring.cost));
		json_object_object_add(
			item, "ring_best",
			!gang->best ? NULL :
				      json_object_new_uint64(gang->best));
		json_object_object_add(
			item, "cross_links",
			!ring ? NULL :
				json_object_new_uint64(gang->ring.cross_links));
		sgang_json_string(item, "tier",
				  gang->tier[0] ? gang->tier : NULL);
		json_object_object_add(item, "hops",
				       json_hops(scene, &gang->ring));
		json_object_object_add(item, "stops", json_stops(scene, gang));
		json_object_array_add(list, item);
	}
	return list;
}

struct json_object *sgang_scene_json(const struct sgang_scene *scene)
{
	struct json_object *object = json_object_new_object();

	sgang_json_string(object, "unit", scene->unit);
	json_object_object_add(
		object, "when",
		!scene->when ? NULL : json_object_new_int64(scene->when));
	sgang_json_text(object, "cluster", scene->cluster);
	sgang_json_string(object, "picked",
			  scene->picked == SGANG_SCENE_NONE ?
				  NULL :
				  scene->gang[scene->picked].name);
	json_object_object_add(object, "levels", json_levels(scene));
	json_object_object_add(object, "domains", json_domains(scene));
	json_object_object_add(object, "nodes", json_nodes(scene));
	json_object_object_add(object, "gangs", json_gangs(scene));
	return object;
}
