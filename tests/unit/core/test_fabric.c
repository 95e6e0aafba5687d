/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_fabric.c - reading topology.conf, and the tree it becomes */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/fabric.h"
#include "fail_alloc.h"
#include "fuzz.h"

static struct sgang_fabric *parse(const char *text)
{
	struct sgang_error err;
	struct sgang_fabric *fabric;

	fabric = sgang_fabric_parse(text, "t.conf", NULL, 0, &err);
	if (!fabric)
		fail_msg("%s", err.text);
	return fabric;
}

/* The whole tree as text: every domain with its level and nodes. */
static const char *describe(const struct sgang_fabric *fabric, char *buf)
{
	const uint32_t *order = sgang_fabric_order(fabric);
	char *p = buf;
	uint32_t d, i;

	*p = '\0';
	for (d = 0; d < sgang_fabric_domains(fabric); d++) {
		const struct sgang_domain *domain =
			sgang_fabric_domain(fabric, d);

		p += sprintf(p, "%s%s/%u:", d ? " " : "", domain->name,
			     domain->level);
		for (i = 0; i < domain->n_nodes; i++)
			p += sprintf(p, "%s%s", i ? "," : "",
				     sgang_fabric_node_name(fabric,
					order[domain->first_pos + i]));
	}
	return buf;
}

/* Everything in fabric.h that must hold of every tree. */
static void check_invariants(const struct sgang_fabric *fabric)
{
	const uint32_t *order = sgang_fabric_order(fabric);
	const uint32_t *pos = sgang_fabric_pos(fabric);
	uint32_t n = sgang_fabric_nodes(fabric), d, c, i;

	for (i = 0; i < n; i++) {
		const char *name = sgang_fabric_node_name(fabric, i);
		const struct sgang_domain *leaf = sgang_fabric_domain(fabric,
			sgang_fabric_leaf(fabric, i));

		assert_int_equal(order[pos[i]], i);
		assert_int_equal(sgang_fabric_find_node(fabric, name), i);
		assert_int_equal(leaf->n_children, 0);
		assert_in_range(pos[i], leaf->first_pos,
				leaf->first_pos + leaf->n_nodes - 1);
	}
	assert_int_equal(sgang_fabric_domain(fabric, 0)->n_nodes, n);
	assert_int_equal(sgang_fabric_domain(fabric, 0)->parent,
			 SGANG_DOMAIN_NONE);
	for (d = 0; d < sgang_fabric_domains(fabric); d++) {
		const struct sgang_domain *domain =
			sgang_fabric_domain(fabric, d);
		uint32_t at = domain->first_pos, lowest = 0;

		for (c = 0; c < domain->n_children; c++) {
			const struct sgang_domain *child = sgang_fabric_domain(
				fabric, domain->first_child + c);
			uint32_t low = UINT32_MAX;

			assert_int_equal(child->parent, d);
			assert_true(domain->first_child + c > d);
			assert_true(child->level < domain->level);
			assert_int_equal(child->first_pos, at);
			for (i = 0; i < child->n_nodes; i++) {
				if (order[at + i] < low)
					low = order[at + i];
			}
			assert_true(!c || low > lowest);
			lowest = low;
			at += child->n_nodes;
		}
		if (domain->n_children)
			assert_int_equal(at, domain->first_pos +
					 domain->n_nodes);
	}
}

static void test_trees(void **state)
{
	static const struct {
		const char *text;
		const char *tree;
	} cases[] = {
		{ "SwitchName=s1 Nodes=n[1-3]\n", "s1/2:n1,n2,n3" },
		{ "SwitchName=s1 Nodes=n1\nSwitchName=s2 Nodes=n2\n"
		  "SwitchName=top Switches=s[1-2]\n",
		  "top/3:n1,n2 s1/2:n1 s2/2:n2" },
		/* parents before children, any case, no newline at the end */
		{ "switchname=top SWITCHES=s1,s2\nSwitchName=s2 nodes=n2\n"
		  "SwitchName=s1 Nodes=n1 linkspeed=100",
		  "top/3:n2,n1 s2/2:n2 s1/2:n1" },
		/* several roots stand under an invisible one */
		{ "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\n",
		  "/13:n1,n2 a/2:n1 b/2:n2" },
		/* irregular: levels are heights */
		{ "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\n"
		  "SwitchName=c Switches=a\nSwitchName=d Switches=b,c\n",
		  "d/4:n1,n2 c/3:n1 b/2:n2 a/2:n1" },
		/* comments, an escaped one, blanks, continuation, quotes */
		{ "# a # b\n\n  SwitchName = a \\\n\tNodes=n1#x \\\n\n"
		  "SwitchName=\"b\" Nodes=\"n2\"\t# c\n"
		  "SwitchName=c\\#1 Nodes=n3\r\n",
		  "/13:n1,n2,n3 a/2:n1 b/2:n2 c#1/2:n3" },
		{ "SwitchName=a Nodes=n1,\\\nn2, n3\\\n",
		  NULL },
		/* the same node twice on one leaf is one node */
		{ "SwitchName=a Nodes=n1,n1,n2 LinkSpeed=UNLIMITED\n",
		  "a/2:n1,n2" },
		{ "SwitchName=a Nodes=n[08-10]\n", "a/2:n08,n09,n10" },
	};
	char buf[1024];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sgang_fabric *fabric;

		fabric = sgang_fabric_parse(cases[i].text, "t.conf", NULL, 0,
					    NULL);
		if (!cases[i].tree) {
			assert_null(fabric);
			continue;
		}
		assert_non_null(fabric);
		assert_string_equal(describe(fabric, buf), cases[i].tree);
		check_invariants(fabric);
		sgang_fabric_destroy(fabric);
	}
}

static void test_errors(void **state)
{
	static const struct {
		const char *text;
		const char *starts;	/* of the message */
		const char *has;
	} cases[] = {
		{ "", "t.conf: ", "no switch" },
		{ "# nothing\n", "t.conf: ", "no switch" },
		{ "\nSwitchName=a Nodes=n1 Speed=1\n", "t.conf:2: ", "Speed" },
		{ "SwitchName=a Nodes=n1 rubbish\n", "t.conf:1: ", "rubbish" },
		{ "SwitchName=a Nodes=n1 =x\n", "t.conf:1: ", "=x" },
		{ "SwitchName=a \\\n\\\nNodes=\n", "t.conf:1: ", "Nodes" },
		{ "SwitchName=a Nodes=\"n1\n", "t.conf:1: ", "Nodes" },
		{ "SwitchName=a Nodes=\"n1\"x\n", "t.conf:1: ", "Nodes" },
		{ "SwitchName=a Nodes=\"\"\n", "t.conf:1: ", "Nodes" },
		{ "Nodes=n1 SwitchName=a\n", "t.conf:1: ", "SwitchName=" },
		{ "SwitchName=a\n", "t.conf:1: ", "neither" },
		{ "SwitchName=a Nodes=n1 Switches=b\n", "t.conf:1: ", "both" },
		{ "SwitchName=a Nodes=n1 Nodes=n2\n", "t.conf:1: ", "two" },
		{ "SwitchName=a[1-2] Nodes=n1\n", "t.conf:1: ", "a[1-2]" },
		{ "SwitchName=a Nodes=n1 LinkSpeed=fast\n", "t.conf:1: ",
		  "fast" },
		{ "SwitchName=a Nodes=n1\n\n\nSwitchName=a Nodes=n2\n",
		  "t.conf:4: ", "t.conf:1" },
		{ "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2,n1\n",
		  "t.conf:2: ", "t.conf:1" },
		{ "SwitchName=a Nodes=n1\nSwitchName=t Switches=a,b\n",
		  "t.conf:2: ", "SwitchName=b" },
		{ "SwitchName=a Nodes=n1\nSwitchName=t Switches=a\n"
		  "SwitchName=u Switches=a\n", "t.conf:3: ", "t.conf:2" },
		{ "SwitchName=a Nodes=n1\nSwitchName=t Switches=t\n",
		  "t.conf:2: ", "tree" },
		{ "SwitchName=a Nodes=n1\nSwitchName=t Switches=a,u\n"
		  "SwitchName=u Switches=t\n", "t.conf:", "tree" },
		{ "SwitchName=a Nodes=n[1-\n", "t.conf:1: ", "n[1-" },
		{ "SwitchName=a Nodes=n[1-99999999]\n", "t.conf:1: ",
		  "too many" },
		{ "SwitchName=a Nodes=n1\nSwitchName=t Switches=a[\n",
		  "t.conf:2: ", "a[" },
		{ "Include nowhere.conf\n", "t.conf:1: ", "nowhere.conf" },
		{ "Include a b\n", "t.conf:1: ", "one file" },
		{ "Include=a\n", "t.conf:1: ", "Include" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sgang_error err = { "" };

		errno = 0;
		assert_null(sgang_fabric_parse(cases[i].text, "t.conf", NULL,
					       0, &err));
		assert_int_equal(errno, EINVAL);
		if (strncmp(err.text, cases[i].starts,
			    strlen(cases[i].starts)) ||
		    !strstr(err.text, cases[i].has))
			fail_msg("case %zu: %s", i, err.text);
	}
}

/* A chain of 11 switches is read, one of 12 is too high. */
static void test_level_max(void **state)
{
	char text[1024], *p = text;
	struct sgang_fabric *fabric;
	struct sgang_error err;
	int i;

	(void)state;
	p += sprintf(p, "SwitchName=s2 Nodes=n1\n");
	for (i = 3; i <= SGANG_LEVEL_MAX; i++)
		p += sprintf(p, "SwitchName=s%d Switches=s%d\n", i, i - 1);
	fabric = parse(text);
	assert_int_equal(sgang_fabric_top_level(fabric), SGANG_LEVEL_MAX);
	sgang_fabric_destroy(fabric);
	sprintf(p, "SwitchName=s%d Switches=s%d\n", i, i - 1);
	assert_null(sgang_fabric_parse(text, "t.conf", NULL, 0, &err));
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "t.conf:12:"));
}

/* With the caller's nodes: his order, unknown ones dropped, lone ones roots. */
static void test_callers_nodes(void **state)
{
	static const char *const nodes[] = { "z", "n4", "n3", "n2", "n1" };
	static const char text[] =
		"SwitchName=a Nodes=n[1-2],x\nSwitchName=b Nodes=n[3-4]\n"
		"SwitchName=empty Nodes=y[1-9]\n"
		"SwitchName=t Switches=a,b,empty\n";
	struct sgang_fabric *fabric;
	struct sgang_error err;
	char buf[1024];

	(void)state;
	fabric = sgang_fabric_parse(text, "t.conf", nodes, 5, NULL);
	assert_non_null(fabric);
	assert_string_equal(describe(fabric, buf),
			    "/13:z,n4,n3,n2,n1 z/2:z t/3:n4,n3,n2,n1 "
			    "b/2:n4,n3 a/2:n2,n1");
	check_invariants(fabric);
	assert_int_equal(sgang_fabric_nodes(fabric), 5);
	assert_int_equal(sgang_fabric_unknown(fabric), 10);
	assert_int_equal(sgang_fabric_top_level(fabric), 3);
	assert_int_equal(sgang_fabric_find_node(fabric, "n3"), 2);
	assert_int_equal(sgang_fabric_find_node(fabric, "x"), SGANG_NODE_NONE);
	assert_int_equal(sgang_fabric_meet(fabric, 1, 1), SGANG_LEVEL_ISLAND);
	assert_int_equal(sgang_fabric_meet(fabric, 1, 2), SGANG_LEVEL_LEAF);
	assert_int_equal(sgang_fabric_meet(fabric, 4, 2), SGANG_LEVEL_LEAF + 1);
	assert_int_equal(sgang_fabric_meet(fabric, 0, 2),
			 SGANG_LEVEL_UNCONNECTED);
	assert_int_equal(sgang_fabric_domain(fabric, 1)->line, 0);
	assert_int_equal(sgang_fabric_domain(fabric, 2)->line, 4);
	sgang_fabric_destroy(fabric);

	{
		static const char *const twice[] = { "a", "b", "a" };

		assert_null(sgang_fabric_parse(text, "t.conf", twice, 3,
					       &err));
		assert_int_equal(errno, EINVAL);
		assert_non_null(strstr(err.text, "twice"));
	}
	fabric = sgang_fabric_parse(text, "t.conf", nodes, 0, NULL);
	assert_non_null(fabric);
	assert_int_equal(sgang_fabric_nodes(fabric), 0);
	assert_int_equal(sgang_fabric_domains(fabric), 1);
	sgang_fabric_destroy(fabric);
}

static void test_flat(void **state)
{
	static const char *const nodes[] = { "b", "a", "c" };
	struct sgang_fabric *fabric = sgang_fabric_flat(nodes, 3, NULL);
	char buf[256];

	(void)state;
	assert_non_null(fabric);
	assert_string_equal(describe(fabric, buf), "flat/2:b,a,c");
	check_invariants(fabric);
	sgang_fabric_destroy(fabric);
	errno = EDOM;
	sgang_fabric_destroy(NULL);
	assert_int_equal(errno, EDOM);
}

/* 4.14: 1, 4, 16 */
static void test_costs(void **state)
{
	struct sgang_costs costs;

	(void)state;
	sgang_costs_default(&costs);
	assert_int_equal(costs.hop[SGANG_LEVEL_ISLAND], 1);
	assert_int_equal(costs.hop[SGANG_LEVEL_NODE], 2);
	assert_int_equal(costs.hop[SGANG_LEVEL_LEAF], 4);
	assert_int_equal(costs.hop[SGANG_LEVEL_LEAF + 1], 16);
	assert_int_equal(costs.hop[SGANG_LEVEL_UNCONNECTED],
			 4 * costs.hop[SGANG_LEVEL_MAX]);
	assert_false(costs.allow_unconnected);
	assert_int_equal(sgang_costs_level(&costs, "island"), 0);
	assert_int_equal(sgang_costs_level(&costs, "LEAF"), SGANG_LEVEL_LEAF);
	assert_int_equal(sgang_costs_level(&costs, "core"), 4);
	assert_int_equal(sgang_costs_level(&costs, "level5"), 5);
	assert_int_equal(sgang_costs_level(&costs, "level12"), 12);
	assert_int_equal(sgang_costs_level(&costs, "rack"), -1);
	assert_int_equal(sgang_costs_level(&costs, ""), -1);
}

/* -- files -- */

static void write_file(const char *path, const void *text, size_t size)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void test_files(void **state)
{
	char dir[] = "/tmp/test_fabric.XXXXXX", path[64], part[64];
	static const char text[] = "# 1\nInclude part.conf\n"
				   "SwitchName=t Switches=a,b\n";
	struct sgang_fabric *fabric;
	struct sgang_error err;
	char buf[256];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/topology.conf", dir);
	snprintf(part, sizeof(part), "%s/part.conf", dir);

	assert_null(sgang_fabric_load(path, NULL, 0, &err));
	assert_int_equal(errno, ENOENT);
	assert_non_null(strstr(err.text, path));
	assert_null(sgang_fabric_load(dir, NULL, 0, &err));
	assert_int_equal(errno, EISDIR);

	write_file(path, text, strlen(text));
	write_file(part, "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\n", 44);
	fabric = sgang_fabric_load(path, NULL, 0, &err);
	assert_non_null(fabric);
	assert_string_equal(describe(fabric, buf),
			    "t/3:n1,n2 a/2:n1 b/2:n2");
	sgang_fabric_destroy(fabric);

	/* a message names the file that is at fault */
	write_file(part, "SwitchName=a Nodes=n1\n\nSwitchName=b\n", 36);
	assert_null(sgang_fabric_load(path, NULL, 0, &err));
	assert_non_null(strstr(err.text, "part.conf:3:"));
	write_file(part, "Include part.conf\n", 18);
	assert_null(sgang_fabric_load(path, NULL, 0, &err));
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "deep"));
	write_file(part, "SwitchName=a\0Nodes=n1\n", 22);
	assert_null(sgang_fabric_load(path, NULL, 0, &err));
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "zero byte"));

	assert_int_equal(unlink(path), 0);
	assert_int_equal(unlink(part), 0);
	assert_int_equal(rmdir(dir), 0);
}

/* 4.27: the shapes that are shipped. */
static void test_shipped(void **state)
{
	static const struct {
		const char *name;
		uint32_t nodes, domains, top_level;
	} cases[] = {
		{ "textbook.conf", 8, 5, 3 },
		{ "demo.conf", 16, 7, 4 },
		{ "dgx.conf", 128, 5, 3 },
		{ "nvl72.conf", 144, 9, 3 },
		{ "tree1024.conf", 1024, 73, 4 },
	};
	const char *top = getenv("top_srcdir");
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sgang_fabric *fabric;
		struct sgang_error err;
		char path[4096];

		snprintf(path, sizeof(path), "%s/topology/%s", top ? top : ".",
			 cases[i].name);
		fabric = sgang_fabric_load(path, NULL, 0, &err);
		if (!fabric)
			fail_msg("%s", err.text);
		check_invariants(fabric);
		assert_int_equal(sgang_fabric_nodes(fabric), cases[i].nodes);
		assert_int_equal(sgang_fabric_domains(fabric),
				 cases[i].domains);
		assert_int_equal(sgang_fabric_top_level(fabric),
				 cases[i].top_level);
		sgang_fabric_destroy(fabric);
	}
}

/* Whatever stands in it, a text is read or refused with a reason. */
static void test_fuzz(void **state)
{
	static const char good[] =
		"SwitchName=a Nodes=n[1-3],x\n# comment\n"
		"SwitchName=b Nodes=\"m[1-3]\" LinkSpeed=7\n"
		"SwitchName=t \\\n Switches=a,b\n";
	static const char spice[] = "SwitchName=a Nodes=n[1-2]\n\\\"#,tb ";
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= 20000; seed++) {
		struct sgang_fabric *fabric;
		struct sgang_error err = { "" };
		uint64_t random = seed;
		char text[256];

		if (seed % 4) {
			strcpy(text, good);
			fuzz_spoil(&random, text);
		} else {
			fuzz_text(&random, spice, text, sizeof(text));
		}
		fabric = sgang_fabric_parse(text, "t.conf", NULL, 0, &err);
		if (!fabric &&
		    (errno != EINVAL || strncmp(err.text, "t.conf:", 7)))
			fail_msg("seed %lu: %s", (unsigned long)seed,
				 err.text);
		if (fabric)
			check_invariants(fabric);
		sgang_fabric_destroy(fabric);
	}
}

/* -- lack of memory -- */

/* Whichever allocation fails, ENOMEM is said and nothing is kept. */
static void test_no_memory(void **state)
{
	static const char text[] =
		"SwitchName=a Nodes=n[1-200]\nSwitchName=b Nodes=m[1-200]\n"
		"SwitchName=t Switches=a,b\n";
	struct sgang_error err;
	unsigned long n;

	(void)state;
	for (n = 1; ; n++) {
		struct sgang_fabric *fabric;
		long before = fail_live;

		fail_at(n);
		fabric = sgang_fabric_parse(text, "t.conf", NULL, 0, &err);
		if (!fail_happened) {
			fail_at(0);
			assert_non_null(fabric);
			sgang_fabric_destroy(fabric);
			break;
		}
		fail_at(0);
		if (fabric) {
			/* only giving memory back may fail without harm */
			check_invariants(fabric);
			sgang_fabric_destroy(fabric);
		} else {
			assert_int_equal(errno, ENOMEM);
		}
		assert_int_equal(fail_live, before);
	}
	assert_true(n > 400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trees),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_level_max),
		cmocka_unit_test(test_callers_nodes),
		cmocka_unit_test(test_flat),
		cmocka_unit_test(test_costs),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_shipped),
		cmocka_unit_test(test_fuzz),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests_name("fabric", tests, NULL, NULL);
}
