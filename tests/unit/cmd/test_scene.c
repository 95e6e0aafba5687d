/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_scene.c - what a picture shows, where its boxes are, and its text */

#include "../unit.h"
#include "../texts.h"
#include "cmd/markup.h"
#include "cmd/nodes.h"
#include "cmd/scene.h"
#include "cmd/scene_json.h"
#include "cmd/scene_layout.h"
#include "cmd/scene_live.h"

#define ON_STAGE(name) TEST_WITH(name, set_up, tear_down)

/* Two leaves of two nodes each below a top, and n5 in no switch. */
static const char tree[] = "SwitchName=left Nodes=n[1-2]\n"
			   "SwitchName=right Nodes=n[3-4]\n"
			   "SwitchName=top Switches=left,right\n";
static const char *const names[] = { "n1", "n2", "n3", "n4", "n5" };
enum { N1, N2, N3, N4, N5 };

struct stage {
	struct sgang_costs costs;
	struct sgang_fabric *fabric;
	struct sgang_scene *scene;
};

static int set_up(void **state)
{
	struct stage *stage = calloc(1, sizeof(*stage));
	struct sgang_error err;

	if (!stage)
		return -1;
	sgang_costs_default(&stage->costs);
	stage->fabric = sgang_fabric_parse(tree, "tree", names, COUNT(names),
					   &err);
	if (stage->fabric)
		stage->scene = sgang_scene_create(stage->fabric, &stage->costs,
						  &err);
	*state = stage;
	return stage->scene ? 0 : -1;
}

static int tear_down(void **state)
{
	struct stage *stage = *state;

	sgang_scene_destroy(stage->scene);
	sgang_fabric_destroy(stage->fabric);
	free(stage);
	return 0;
}

static struct sgang_scene_gang *add_gang(struct sgang_scene *scene,
					 const char *name)
{
	struct sgang_error err;
	struct sgang_scene_gang *gang = sgang_scene_gang(scene, name, "Running",
							 &err);

	assert_non_null(gang);
	return gang;
}

static void add_stop(struct sgang_scene_gang *gang, uint32_t node,
		     uint32_t slots)
{
	struct sgang_error err;

	assert_int_equal(sgang_scene_stop(gang, node, slots, true, &err), 0);
}

static void check_node(const struct sgang_scene *scene, uint32_t node,
		       uint32_t this_gang, uint32_t gangs, uint32_t busy,
		       uint32_t free_slots, uint32_t down)
{
	const uint32_t *kind = scene->node[node].kind;

	assert_int_equal(kind[SGANG_SCENE_THIS], this_gang);
	assert_int_equal(kind[SGANG_SCENE_GANG], gangs);
	assert_int_equal(kind[SGANG_SCENE_BUSY], busy);
	assert_int_equal(kind[SGANG_SCENE_FREE], free_slots);
	assert_int_equal(kind[SGANG_SCENE_DOWN], down);
}

/* The domain of that name. */
static uint32_t domain_of(const struct sgang_scene *scene, const char *name)
{
	for (uint32_t i = 0; i < sgang_fabric_domains(scene->fabric); i++)
		if (!strcmp(sgang_fabric_domain(scene->fabric, i)->name, name))
			return i;
	fail_msg("no domain %s", name);
	return 0;
}

ON_STAGE(slots_are_of_one_kind_each)
{
	struct sgang_scene *scene = ((struct stage *)*state)->scene;
	struct sgang_scene_sum sum;

	for (uint32_t i = N1; i <= N4; i++)
		sgang_scene_node(scene, i, 4, i == N2 ? 3 : 0, i == N4);
	add_stop(add_gang(scene, "a/x"), N1, 2);
	add_stop(&scene->gang[0], N4, 1);
	add_stop(add_gang(scene, "b/y"), N1, 1);
	scene->picked = 0;
	sgang_scene_close(scene);
	check_node(scene, N1, 2, 1, 0, 1, 0);
	check_node(scene, N2, 0, 0, 3, 1, 0);
	check_node(scene, N3, 0, 0, 0, 4, 0);
	/* what runs on a node that is down goes on */
	check_node(scene, N4, 1, 0, 0, 0, 3);
	check_node(scene, N5, 0, 0, 0, 0, 0);
	assert_int_equal(scene->most_slots, 4);
	sgang_scene_sum(scene, domain_of(scene, "right"), &sum);
	assert_int_equal(sum.nodes, 2);
	assert_int_equal(sum.down, 1);
	assert_int_equal(sum.slots, 8);
	assert_int_equal(sum.kind[SGANG_SCENE_FREE], 4);
	assert_int_equal(sum.all, SGANG_SCENE_KINDS);
	/* n5 has no slots: of no kind */
	sgang_scene_sum(scene, domain_of(scene, "n5"), &sum);
	assert_int_equal(sum.all, SGANG_SCENE_KINDS);
}

ON_STAGE(what_is_too_much_is_cut)
{
	struct sgang_scene *scene = ((struct stage *)*state)->scene;
	struct sgang_scene_sum sum;

	sgang_scene_node(scene, N1, 4, 9, false);
	sgang_scene_node(scene, N2, 4, UINT32_MAX, true);
	add_stop(add_gang(scene, "a/x"), N1, 3);
	add_stop(add_gang(scene, "b/y"), N1, 3);
	sgang_scene_close(scene);
	check_node(scene, N1, 0, 4, 0, 0, 0);
	check_node(scene, N2, 0, 0, 4, 0, 0);
	sgang_scene_sum(scene, 0, &sum);
	assert_int_equal(sum.slots, 8);
}

ON_STAGE(a_gang_is_found_by_name)
{
	struct sgang_scene *scene = ((struct stage *)*state)->scene;

	add_gang(scene, "a/x");
	add_gang(scene, "b/x");
	add_gang(scene, "b/y");
	assert_int_equal(sgang_scene_find(scene, "b/x"), 1);
	assert_int_equal(sgang_scene_find(scene, "y"), 2);
	assert_int_equal(sgang_scene_find(scene, "x"), SGANG_SCENE_NONE);
	assert_int_equal(sgang_scene_find(scene, "z"), SGANG_SCENE_NONE);
}

ON_STAGE(hops_know_their_level)
{
	struct sgang_scene *scene = ((struct stage *)*state)->scene;
	struct sgang_scene_gang *gang = add_gang(scene, "a/x");
	struct sgang_scene_hop hop;

	add_stop(gang, N1, 1);
	add_stop(gang, N1, 1);
	add_stop(gang, N2, 1);
	add_stop(gang, N4, 1);
	assert_int_equal(gang->n_ring, 4);
	assert_false(sgang_scene_hop(scene, gang, 0, &hop));
	assert_true(sgang_scene_hop(scene, gang, 1, &hop));
	assert_int_equal(hop.level, SGANG_LEVEL_LEAF);
	assert_false(hop.costly);
	assert_true(sgang_scene_hop(scene, gang, 2, &hop));
	assert_int_equal(hop.to, N4);
	assert_int_equal(hop.level, SGANG_LEVEL_LEAF + 1);
	assert_true(hop.costly);
	assert_true(sgang_scene_hop(scene, gang, 3, &hop));
	assert_int_equal(hop.to, N1);
	assert_true(hop.costly);
}

TEST(marks_are_shared_out)
{
	static const struct {
		uint64_t kind[SGANG_SCENE_KINDS];
		uint32_t n;
		uint32_t marks[SGANG_SCENE_KINDS];
	} cases[] = {
		/* enough for all: as they are */
		{ { 1, 2, 0, 1, 0 }, 8, { 1, 2, 0, 1, 0 } },
		{ { 0, 0, 0, 0, 0 }, 8, { 0, 0, 0, 0, 0 } },
		{ { 0, 0, 0, 128, 0 }, 8, { 0, 0, 0, 8, 0 } },
		{ { 0, 0, 64, 64, 0 }, 8, { 0, 0, 4, 4, 0 } },
		/* the smallest is seen */
		{ { 1, 0, 0, 127, 0 }, 8, { 1, 0, 0, 7, 0 } },
		/* more kinds than marks */
		{ { 9, 9, 9, 9, 0 }, 2, { 1, 1, 0, 0, 0 } },
		/* counts of any size */
		{ { UINT32_MAX, 0, 0, (uint64_t)UINT32_MAX * 3, 0 },
		  4,
		  { 1, 0, 0, 3, 0 } },
	};
	uint32_t marks[SGANG_SCENE_KINDS];

	for (size_t i = 0; i < COUNT(cases); i++) {
		sgang_scene_marks(cases[i].kind, cases[i].n, marks);
		assert_memory_equal(marks, cases[i].marks, sizeof(marks));
	}
}

static bool inside(const struct sgang_box *a, const struct sgang_box *b)
{
	return a->x >= b->x && a->y >= b->y && a->x + a->w <= b->x + b->w &&
	       a->y + a->h <= b->y + b->h;
}

static bool apart(const struct sgang_box *a, const struct sgang_box *b)
{
	return a->x + a->w <= b->x || b->x + b->w <= a->x ||
	       a->y + a->h <= b->y || b->y + b->h <= a->y;
}

/* Each box is in that of its parent and beside its siblings. */
static void check_layout(const struct sgang_scene *scene)
{
	const struct sgang_fabric *fabric = scene->fabric;
	uint32_t n = sgang_fabric_domains(fabric), nodes, i, j;
	struct sgang_scene_layout *layout;
	struct sgang_error err;

	layout = sgang_scene_layout_create(scene, &err);
	assert_non_null(layout);
	assert_true(layout->width == layout->domain[0].w);
	/* many nodes are about as wide as a screen, and no column of them */
	if (sgang_fabric_nodes(fabric) >= 60) {
		assert_true(layout->width > layout->height);
		assert_true(layout->width < 3 * layout->height);
	}
	for (i = 1; i < n; i++)
		assert_true(
			inside(&layout->domain[i],
			       &layout->domain[sgang_fabric_domain(fabric, i)
						       ->parent]));
	for (i = 1; i < n; i++)
		for (j = i + 1; j < n; j++)
			if (sgang_fabric_domain(fabric, i)->parent ==
			    sgang_fabric_domain(fabric, j)->parent)
				assert_true(apart(&layout->domain[i],
						  &layout->domain[j]));
	nodes = sgang_fabric_nodes(fabric);
	for (i = 0; i < nodes; i++) {
		assert_true(
			inside(&layout->node[i],
			       &layout->domain[sgang_fabric_leaf(fabric, i)]));
		assert_true(layout->lane_y > layout->seats_y &&
			    layout->lane_y < layout->node[i].h);
		for (j = i + 1; j < nodes; j++)
			assert_true(apart(&layout->node[i], &layout->node[j]));
	}
	sgang_scene_layout_destroy(layout);
}

ON_STAGE(boxes_are_in_their_parents)
{
	struct sgang_scene *scene = ((struct stage *)*state)->scene;

	/* nobody said how many slots they have */
	sgang_scene_close(scene);
	check_layout(scene);
	sgang_scene_node(scene, N1, 4, 0, false);
	sgang_scene_node(scene, N5, 700, 0, false);
	sgang_scene_close(scene);
	check_layout(scene);
}

/* One leaf of 60 nodes, of 400, all of them alone: every degree of detail. */
ON_STAGE(large_fabrics_have_their_layout)
{
	static const uint32_t sizes[] = { 1, 60, 400 };
	struct stage *stage = *state;
	char text[400][8];
	const char *list[400];
	uint32_t alone;

	for (uint32_t i = 0; i < COUNT(list); i++) {
		snprintf(text[i], sizeof(text[i]), "n%u", (unsigned)i);
		list[i] = text[i];
	}
	for (uint32_t n = 0; n < 2 * COUNT(sizes); n++) {
		uint32_t size = sizes[n / 2];
		struct sgang_scene *scene;
		struct sgang_error err;
		struct sgang_fabric *fabric;

		alone = n % 2;
		fabric = alone ? sgang_fabric_parse("SwitchName=s Nodes=n0\n",
						    "alone", list, size, &err) :
				 sgang_fabric_flat(list, size, &err);
		assert_non_null(fabric);
		scene = sgang_scene_create(fabric, &stage->costs, &err);
		assert_non_null(scene);
		for (uint32_t i = 0; i < size; i++)
			sgang_scene_node(scene, i, 8, 0, false);
		sgang_scene_close(scene);
		check_layout(scene);
		if (alone && size > 1)
			assert_true(sgang_scene_alone(scene,
						      domain_of(scene, "n1")));
		assert_false(sgang_scene_alone(scene, 0));
		sgang_scene_destroy(scene);
		sgang_fabric_destroy(fabric);
	}
}

TEST(gpus_are_counted)
{
	static const struct {
		const char *text;
		uint32_t gpus;
	} cases[] = {
		{ NULL, 0 },
		{ "", 0 },
		{ "(null)", 0 },
		{ "nic:2", 0 },
		{ "gpu", 1 },
		{ "gpu:8", 8 },
		{ "gpu:h100:8", 8 },
		{ "gpu:8(S:0-1)", 8 },
		{ "gpu:h100:2(IDX:0-1),nic:1(IDX:0)", 2 },
		{ "nic:1,gpu:a:2(IDX:0,2),gpu:b:4", 6 },
		{ "gpu:tesla", 1 },
		{ "gpus:4", 0 },
		{ "gpu:0", 0 },
		{ "gpu:99999999999999999999", UINT16_MAX },
		{ "gpu:(", 1 },
		{ ",,gpu:1,", 1 },
		{ "gpu:(null):0(IDX:N/A)", 0 },
		{ "gpu:(null):2(IDX:0-1),gpu:b:1(IDX:2)", 3 },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(sgang_nodes_gpus(cases[i].text),
				 cases[i].gpus);
}

/* A job of the gang a/x. */
#define RUNNING(id, has, ...)                                         \
	{                                                             \
		.class = SGANG_ROW_RUNNING, .job_id = id, .tasks = 1, \
		.nodes = (char *)has,                                 \
		.record = { .ns = "a",                                \
			    .name = "x",                              \
			    .phase = SGANG_PHASE_RUNNING,             \
			    __VA_ARGS__ },                            \
	}

/* Members in the wrong order, one that came later, one that waits. */
ON_STAGE(a_cluster_becomes_a_scene)
{
	struct sgang_scene *scene = ((struct stage *)*state)->scene;
	struct sgang_noderow rows[] = {
		{ (char *)"n1", 4, 3, false }, { (char *)"n2", 4, 4, false },
		{ (char *)"n3", 4, 1, true },  { (char *)"n4", 4, 2, false },
		{ (char *)"n5", 4, 0, false },
	};
	struct sgang_share shares[] = {
		{ 7, (char *)"n1", 2 },
		{ 8, (char *)"n4", 2 },
		{ 8, (char *)"n2", 3 },
		{ 9, (char *)"n3", 1 },
	};
	struct sgang_nodes nodes = {
		.row = rows,
		.count = COUNT(rows),
		.share = shares,
		.n_shares = COUNT(shares),
		.gpus = true,
		.topology_conf = true,
	};
	struct sgang_jobrow row[] = {
		RUNNING(7, "n1", .placed = true, .member_rank = 1,
			.ring_cost = 33, .ring_best = 14, .cross_links = 2,
			.tier = "spine", .hops = "leaf:1,spine:2,island:1"),
		RUNNING(8, "n[2,4]", .placed = true, .ring_cost = 33,
			.ring_best = 14, .cross_links = 2, .tier = "spine",
			.hops = "leaf:1,spine:2,island:1", .at = "n4,n2"),
		{ .record = LIST(.ns = "a", .name = "x",
				 .phase = SGANG_PHASE_RUNNING),
		  .class = SGANG_ROW_RUNNING,
		  .job_id = 9,
		  .tasks = 1,
		  .nodes = (char *)"n3",
		  .submit_time = 5 },
		{ .record = LIST(.ns = "b", .name = "y",
				 .phase = SGANG_PHASE_WAITING),
		  .class = SGANG_ROW_PENDING,
		  .job_id = 10,
		  .tasks = 1,
		  .nodes = (char *)"" },
	};
	static const uint32_t ring[] = { N4, N2, N1, N3 };
	struct sgang_jobs jobs = { .row = row, .count = COUNT(row) };
	struct sgang_gangs gangs;
	struct sgang_error err;

	sgang_nodes_sort(&nodes);
	assert_int_equal(sgang_nodes_share(&nodes, 8, "n1"), 0);
	assert_int_equal(sgang_nodes_share(&nodes, 6, "n1"), 0);
	for (size_t i = 0; i < COUNT(row); i++)
		row[i].reason = row[i].user = row[i].state = (char *)"";
	assert_int_equal(sgang_gangs_build(&jobs, &gangs, &err), 0);
	assert_int_equal(sgang_scene_live(scene, &nodes, &gangs, &err), 0);
	sgang_scene_close(scene);
	assert_string_equal(scene->unit, "GPU");
	assert_int_equal(scene->n_gangs, 1);
	assert_string_equal(scene->gang[0].name, "a/x");
	assert_int_equal(scene->gang[0].n_ring, 3);
	assert_int_equal(scene->gang[0].n_stops, COUNT(ring));
	for (size_t i = 0; i < COUNT(ring); i++)
		assert_int_equal(scene->gang[0].stop[i].node, ring[i]);
	assert_int_equal(scene->gang[0].slots, 8);
	assert_int_equal(scene->gang[0].ring.cost, 33);
	assert_int_equal(scene->gang[0].ring.hops[SGANG_LEVEL_LEAF + 1], 2);
	assert_string_equal(scene->gang[0].tier, "spine");
	check_node(scene, N1, 0, 2, 1, 1, 0);
	check_node(scene, N2, 0, 3, 1, 0, 0);
	check_node(scene, N3, 0, 1, 0, 0, 3);
	check_node(scene, N4, 0, 2, 0, 2, 0);
	check_node(scene, N5, 0, 0, 0, 4, 0);
	sgang_gangs_clear(&gangs);
}

/* 2.15: several members have one role, and one node has several roles. */
ON_STAGE(roles_have_nodes)
{
	struct sgang_scene *scene = ((struct stage *)*state)->scene;
	struct sgang_scene_gang *gang = add_gang(scene, "a/x");
	static const struct {
		const char *role;
		uint32_t node;
	} stops[] = {
		{ "r1/encode", N1 }, { "r1/decode", N1 }, { "r1/decode", N2 },
		{ "r2/decode", N4 }, { "r1/decode", N3 }, { "r1/decode", N2 },
	};
	static const char *const wanted[] = { "n1", "n[1-3]", "n4" };
	struct json_object *json, *list;
	struct sgang_error err;
	size_t i;

	for (i = 0; i < COUNT(stops); i++) {
		size_t first = gang->n_stops;

		add_stop(gang, stops[i].node, 1);
		assert_int_equal(
			sgang_scene_role(gang, first, stops[i].role, &err), 0);
	}
	add_stop(gang, N5, 1); /* of nobody's role */
	sgang_scene_close(scene);
	assert_int_equal(gang->n_roles, COUNT(wanted));
	for (i = 0; i < COUNT(wanted); i++) {
		char *nodes = sgang_scene_role_nodes(scene, gang, (uint32_t)i);

		assert_string_equal(nodes, wanted[i]);
		free(nodes);
	}
	json = sgang_scene_json(scene);
	list = json_object_object_get(
		json_object_array_get_idx(json_object_object_get(json, "gangs"),
					  0),
		"stops");
	for (i = 0; i < COUNT(stops); i++)
		assert_string_equal(
			json_object_get_string(json_object_object_get(
				json_object_array_get_idx(list, i), "role")),
			stops[i].role);
	assert_false(json_object_object_get_ex(
		json_object_array_get_idx(list, i), "role", NULL));
	json_object_put(json);
}

static void check_markup(const char *text, size_t most, const char *wanted)
{
	sgang_markup_text(printing(), text, most);
	assert_printed(wanted);
}

TEST(markup_is_plain_text)
{
	struct json_object *object = json_object_new_string("</script><!--&");

	check_markup("n1", 80, "n1");
	check_markup("<a b=\"c\" d='e'>&", 80,
		     "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
	check_markup("a\nb\033\xc3\xa4\x7f", 80, "a?b????");
	check_markup("123456", 6, "123456");
	check_markup("1234567", 6, "123...");
	check_markup("<<<<<<<", 6, "&lt;&lt;&lt;...");
	check_markup("1234", 2, "");
	assert_int_equal(sgang_markup_json(printing(), object), 0);
	assert_printed("\"\\u003c\\/script\\u003e\\u003c!--\\u0026\"");
	json_object_put(object);
}

TEST_MAIN(NULL, NULL)
