/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_map.c - where each rank of a gang is, written for others */

#include "../unit.h"
#include "../texts.h"
#include "cmd/jobs.h"
#include "cmd/map.h"
#include "core/base/hostlist.h"
#include "../core/node_shape.h"

TEST(test_indices)
{
	static const struct {
		const char *text;
		int n; /* -1: not such a list */
		uint32_t index[8];
	} cases[] = {
		{ "0", 1, { 0 } },
		{ "0-3,8", 5, { 0, 1, 2, 3, 8 } },
		{ "65535", 1, { 65535 } },
		{ "", -1, { 0 } },
		{ "1,", -1, { 0 } },
		{ "1-", -1, { 0 } },
		{ "3-1", -1, { 0 } },
		{ "2,1", -1, { 0 } },
		{ "1,1", -1, { 0 } },
		{ "65536", -1, { 0 } },
		{ "99999999999999999999", -1, { 0 } },
		{ "x", -1, { 0 } },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_indices list = { NULL, 0 };
		const char *text = cases[i].text;
		int rc = sgang_indices_read(text, text + strlen(text), &list);

		if (rc != (cases[i].n < 0 ? -1 : 0))
			fail_msg("\"%s\": %d", text, rc);
		if (rc) {
			assert_int_equal(errno, EINVAL);
			continue;
		}
		assert_int_equal(list.n, cases[i].n);
		assert_memory_equal(list.index, cases[i].index,
				    list.n * sizeof(*list.index));
		free(list.index);
	}
}

/* What `scontrol show job -d` shows of a node. */
TEST(test_gpus)
{
	static const struct {
		const char *gres;
		size_t n;
		uint32_t index[4];
	} cases[] = {
		{ "gpu:2(IDX:0-1)", 2, { 0, 1 } },
		{ "gpu:h100:3(IDX:0,2-3)", 3, { 0, 2, 3 } },
		{ "nic:1(IDX:7),gpu:1(IDX:2)", 1, { 2 } },
		{ "gpu(IDX:1)", 1, { 1 } },
		{ "gpus:1(IDX:1)", 0, { 0 } },
		{ "gpu:2(CNT:2)", 0, { 0 } },
		{ "gpu:0(IDX:N/A)", 0, { 0 } },
		{ "gpu:2(IDX:0", 0, { 0 } },
		{ "", 0, { 0 } },
		{ NULL, 0, { 0 } },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_indices list;

		assert_int_equal(sgang_indices_read_gpus(cases[i].gres, &list),
				 0);
		if (list.n != cases[i].n)
			fail_msg("%s: %zu", cases[i].gres, list.n);
		if (list.n)
			assert_memory_equal(list.index, cases[i].index,
					    list.n * sizeof(*list.index));
		free(list.index);
	}
}

/* Two nodes of two sockets with four cores: all of n1, a part of n2. */
static uint32_t all[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
static uint32_t part[] = { 1, 3, 4, 5 };
static struct sgang_alloc_node nodes[] = {
	{ "n1", 8, { all, 4 }, { all, 8 }, 4, NULL },
	{ "n2", 4, { part, 1 }, { part, 4 }, 4, NULL },
};
static const struct sgang_alloc alloc = { nodes, 2, 1 };

/* Two members: six ranks along "ring", and two. */
static void fill(struct sgang_map_member members[2], const char *ring)
{
	static struct sgang_alloc second = { nodes + 1, 1, 2 };
	char *second_ring[] = { nodes[1].name };
	struct sgang_error err;
	char **names;

	members[0] = (struct sgang_map_member){ .job_id = 7 };
	members[1] = (struct sgang_map_member){ .job_id = 8,
						.first = 6,
						.member_rank = 1 };
	assert_int_equal(sgang_hostlist_expand(ring, &names, NULL, &err), 0);
	assert_int_equal(sgang_map_fill(&members[0], &alloc, 6, names, &err),
			 0);
	assert_int_equal(
		sgang_map_fill(&members[1], &second, 2, second_ring, &err), 0);
	sgang_hostlist_free(names);
}

static void clear(struct sgang_map_member members[2])
{
	sgang_map_clear(&members[0]);
	sgang_map_clear(&members[1]);
}

/* 4.28 */
TEST(test_hostfile)
{
	static const struct {
		const char *ring;
		const char *text;
	} cases[] = {
		{ "n[2,1]", "n2\nn2\nn2\nn1\nn1\nn1\nn2\nn2\n" },
		{ "n[1-2]", "n1\nn1\nn1\nn2\nn2\nn2\nn2\nn2\n" },
	};
	struct sgang_map_member members[2];

	for (size_t i = 0; i < COUNT(cases); i++) {
		fill(members, cases[i].ring);
		assert_int_equal(
			sgang_map_hostfile(printing(), members, 2, NULL), 0);
		assert_printed(cases[i].text);
		clear(members);
	}
}

/* 4.28: cores are dealt out in equal runs, and named by their socket. */
TEST(test_rankfile)
{
	static const char wanted[] = "rank 0=n1 slot=0:0-1\n"
				     "rank 1=n1 slot=0:2-3;1:0\n"
				     "rank 2=n1 slot=1:1-3\n"
				     "rank 3=n2 slot=0:1\n"
				     "rank 4=n2 slot=0:3\n"
				     "rank 5=n2 slot=1:0-1\n"
				     "rank 6=n2 slot=0:1;0:3\n"
				     "rank 7=n2 slot=1:0-1\n";
	struct sgang_map_member members[2];
	struct sgang_error err;

	fill(members, "n[1-2]");
	assert_int_equal(sgang_map_rankfile(printing(), members, 2, &err), 0);
	assert_printed(wanted);

	/* one member alone begins with rank 0 */
	assert_int_equal(sgang_map_rankfile(printing(), members + 1, 1, &err),
			 0);
	assert_printed("rank 0=n2 slot=0:1;0:3\nrank 1=n2 slot=1:0-1\n");

	nodes[1].cores_per_socket = 0;
	assert_int_equal(sgang_map_rankfile(printing(), members + 1, 1, &err),
			 -1);
	free(printed());
	assert_string_equal(err.text, "Slurm does not know the cores of job 8 "
				      "on node n2");
	nodes[1].cores_per_socket = 4;
	clear(members);
}

static void assert_seat(struct json_object *list, size_t rank,
			const char *wanted)
{
	assert_string_equal(json_object_to_json_string_ext(
				    json_object_array_get_idx(list, rank),
				    JSON_C_TO_STRING_PLAIN),
			    wanted);
}

/* 4.28: rank, node, GPU; what is inside the node where that is known. */
TEST(test_json)
{
	struct sgang_node_topo *topo = node_shape("shape", 2, 2, 4);
	struct sgang_map_member members[2];
	struct json_object *list, *seat;

	strcpy(topo->gpu[3].nic, "mlx5_1");
	fill(members, "n[1-2]");
	members[0].node[0].topo = topo;
	list = sgang_map_json(members, 2);
	assert_int_equal(json_object_array_length(list), 8);
	assert_seat(list, 2,
		    "{\"rank\":2,\"member\":0,\"job_id\":7,\"node\":\"n1\","
		    "\"local_rank\":2,\"gpu\":2,\"island\":1,\"nic\":null}");
	assert_seat(list, 7,
		    "{\"rank\":7,\"member\":1,\"job_id\":8,\"node\":\"n2\","
		    "\"local_rank\":1,\"gpu\":1,\"island\":null,\"nic\":null}");
	json_object_put(list);

	/* 2.15: the group of a member of a tree */
	members[1].role = "replica1/decode";
	list = sgang_map_json(members, 2);
	seat = json_object_array_get_idx(list, 2);
	assert_false(json_object_object_get_ex(seat, "role", NULL));
	seat = json_object_array_get_idx(list, 7);
	assert_string_equal(
		json_object_get_string(json_object_object_get(seat, "role")),
		"replica1/decode");
	json_object_put(list);

	/* the last of four ranks has the last GPU, and its card */
	members[0].node[0].ranks = 4;
	list = sgang_map_json(members, 1);
	assert_seat(list, 3,
		    "{\"rank\":3,\"member\":0,\"job_id\":7,\"node\":\"n1\","
		    "\"local_rank\":3,\"gpu\":3,\"island\":1,"
		    "\"nic\":\"mlx5_1\"}");
	json_object_put(list);

	/* without GPUs it is the island of the cores */
	nodes[0].gpus.n = 0;
	list = sgang_map_json(members, 1);
	seat = json_object_array_get_idx(list, 3);
	assert_null(json_object_object_get(seat, "gpu"));
	assert_int_equal(
		json_object_get_int(json_object_object_get(seat, "island")), 1);
	json_object_put(list);
	nodes[0].gpus.n = 4;
	clear(members);
	sgang_node_topo_destroy(topo);
}

static int gpu_at(struct json_object *list, size_t rank)
{
	return json_object_get_int(json_object_object_get(
		json_object_array_get_idx(list, rank), "gpu"));
}

/* 4.33: a hop between two nodes joins GPUs of one number. */
TEST(test_rails)
{
	static const struct sgang_alloc_node other = { "n3",       8,
						       { all, 4 }, { all, 8 },
						       4,          NULL };
	static const int wanted[] = { 0, 1, 2, 3, 3, 2, 1, 0 };
	struct sgang_map_member members[2];
	struct json_object *list;

	fill(members, "n[1-2]");
	members[0].n = members[1].n = 1;
	members[0].node[0].ranks = members[1].node[0].ranks = 4;
	members[1].node[0].has = &other;
	members[1].first = 4;
	sgang_map_rails(members, 2);
	list = sgang_map_json(members, 2);
	assert_int_equal(json_object_array_length(list), 8);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(gpu_at(list, i), wanted[i]);
	json_object_put(list);

	/* two members on one node go the same way */
	members[1].node[0].has = &nodes[0];
	sgang_map_rails(members, 2);
	assert_false(members[0].node[0].backwards);
	assert_false(members[1].node[0].backwards);
	clear(members);
}

/* 5.6: a record that is not of these nodes, or has no order of them, is not
 * guessed at. */
TEST(test_ring)
{
	static const struct {
		const char *at;    /* "" and ... */
		const char *order; /* ... NULL: not told */
		const char *listed;
		const char *ring; /* NULL: not known */
	} cases[] = {
		{ "n[3,1]", NULL, "n[1,3]", "n[3,1]" },
		{ "n[3,1]", NULL, "n[3,1]", "n[3,1]" },
		/* the job has given back a node */
		{ "n[3,1,2]", NULL, "n[1,3]", "n[3,1]" },
		{ "n[3,1]", NULL, "n[1-3]", NULL },
		{ "n[3,1]", NULL, "n[1,4]", NULL },
		{ "n[", NULL, "n[1,3]", NULL },
		{ "", NULL, "n[1,3]", NULL },
		{ "", NULL, "n1", "n1" },
		{ "", "1-0", "n[1,3]", "n[3,1]" },
		{ "", "1-0", "n[3,1]", "n[3,1]" },
		{ "", "1-0", "n[1-3]", NULL },
		{ "", "1,3-2,0", "n[7-10]", "n[7,9,8,10]" },
	};
	struct sgang_error err;
	size_t n;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_jobrow row = { .record.placed = true };
		const char *ring = cases[i].ring;
		char **names, *folded;

		strcpy(row.record.at, cases[i].at);
		row.order = (char *)cases[i].order;
		assert_int_equal(sgang_hostlist_expand(cases[i].listed, &names,
						       &n, &err),
				 0);
		assert_int_equal(sgang_jobs_ring(&row, names, n, &err),
				 ring != NULL);
		folded = sgang_hostlist_fold((const char *const *)names, n);
		assert_string_equal(folded, ring ? ring : cases[i].listed);
		free(folded);
		sgang_hostlist_free(names);
	}
}

TEST(test_limits)
{
	struct sgang_map_member member = { .job_id = 7 };
	char *names[] = { nodes[1].name, nodes[0].name };
	char *others[] = { nodes[1].name, nodes[1].name };
	struct sgang_error err;

	assert_int_equal(
		sgang_map_fill(&member, &alloc, UINT64_MAX, names, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(sgang_map_fill(&member, &alloc, 2, others, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_null(member.node);
	assert_int_equal(sgang_map_hostfile(printing(), NULL, 0, NULL), 0);
	assert_printed("");
}

/* 4.28, 4.30: ranks that communication groups lay out in another order. */
TEST(test_layout)
{
	struct sgang_map_member members[2];
	struct sgang_error err;
	FILE *out = printing();

	fill(members, "n[1-2]");
	assert_int_equal(sgang_map_layout(&members[0], "0-1,4,2-3,7", &err), 0);
	assert_int_equal(sgang_map_layout(&members[1], "5-6", &err), 0);
	assert_int_equal(sgang_map_hostfile(out, members, 2, &err), 0);
	fputc('\n', out);
	/* of one member alone: in the order of its ranks, counted from 0 */
	assert_int_equal(sgang_map_hostfile(out, members, 1, &err), 0);
	assert_printed("n1\nn1\nn2\nn2\nn1\nn2\nn2\nn2\n\n"
		       "n1\nn1\nn2\nn2\nn1\nn2\n");
	clear(members);
}

/* A layout that is not one of this member is refused, not guessed. */
TEST(test_bad_layout)
{
	static const char *const bad[] = {
		"?",        "0",     "0-4",
		"0-6",      "5-0",   "a",
		"0-1,,2-5", "0-1-5", "0-99999999999999999999",
	};
	struct sgang_map_member members[2];
	struct sgang_error err;

	for (size_t i = 0; i < COUNT(bad); i++) {
		fill(members, "n[1-2]");
		errno = 0;
		if (!sgang_map_layout(&members[0], bad[i], &err))
			fail_msg("%s", bad[i]);
		assert_int_equal(errno, EINVAL);
		clear(members);
	}
}

TEST_MAIN(NULL, NULL)
