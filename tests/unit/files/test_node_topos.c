/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_node_topos.c - what is inside each node of a cluster; behaviour 4.27 */

#include <sys/stat.h>
#include <unistd.h>

#include "../unit.h"
#include "../texts.h"
#include "files/node_topos.h"
#include "../core/fail_alloc.h"

/* The folder of gang.conf, and in it the shapes that we ship. */
static char dir[] = "test_node_topos.XXXXXX";

static void path_of(char path[4096], const char *file)
{
	snprintf(path, 4096, "%s/%s", dir, file);
}

static void write_file(const char *file, const char *text)
{
	char path[4096];

	path_of(path, file);
	write_text(path, text);
}

static int make_dir(void **state)
{
	char from[4096], to[4096];

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	path_of(to, "node-topology");
	if (mkdir(to, 0700) || !realpath(source_path("topology"), from))
		return -1;
	path_of(to, "shapes");
	return symlink(from, to);
}

static int remove_dir(void **state)
{
	static const char *const files[] = { "gang.conf",
					     "node-topology/nodes.conf",
					     "shapes", "broken.xml" };
	char path[4096];

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		path_of(path, files[i]);
		unlink(path);
	}
	path_of(path, "node-topology");
	return rmdir(path) || rmdir(dir);
}

static void read_conf(const char *text, struct sgang_conf *conf)
{
	struct sgang_error err;
	char path[4096];

	write_file("gang.conf", text);
	path_of(path, "gang.conf");
	if (sgang_conf_load(path, conf, &err))
		fail_msg("%s", err.text);
}

static const char *const names[] = { "n10", "n2", "n1", "m1", "x" };
#define N_NAMES 5

static struct sgang_node_topos *load(const char *text, struct sgang_error *err)
{
	struct sgang_node_topos *topos;
	struct sgang_conf conf;

	read_conf(text, &conf);
	topos = sgang_node_topos_load(&conf, dir, names, N_NAMES, err);
	sgang_conf_free(&conf);
	return topos;
}

/* How many different ones: nodes with the same file share one. */
static size_t count_shapes(const struct sgang_node_topo *const *topo)
{
	size_t n = 0, i, before;

	for (i = 0; i < N_NAMES; i++) {
		for (before = 0; before < i && topo[before] != topo[i];)
			before++;
		n += topo[i] && before == i;
	}
	return n;
}

/* The shapes of the nodes, "-" for none. */
static const char *shapes(const char *text)
{
	static char shown[512];
	const struct sgang_node_topo *const *topo;
	struct sgang_node_topos *topos;
	struct sgang_error err;

	topos = load(text, &err);
	if (!topos)
		fail_msg("%s", err.text);
	topo = sgang_node_topos_array(topos);
	shown[0] = '\0';
	for (size_t i = 0; i < N_NAMES; i++)
		snprintf(shown + strlen(shown), sizeof(shown) - strlen(shown),
			 "%s%s", i ? " " : "", topo[i] ? topo[i]->name : "-");
	snprintf(shown + strlen(shown), sizeof(shown) - strlen(shown),
		 " %zu/%u", count_shapes(topo),
		 sgang_node_topos_described(topos));
	sgang_node_topos_destroy(topos);
	return shown;
}

TEST(test_lines)
{
	char absolute[4096], text[8192];

	assert_string_equal(shapes(""), "- - - - - 0/0");
	/* nodes that the cluster does not have are of no interest */
	assert_string_equal(shapes("NodeTopology=n[1-64] "
				   "Hwloc=shapes/dgx-h100.xml\n"
				   "NodeTopology=y Hwloc=not-there.xml\n"),
			    "dgx-h100 dgx-h100 dgx-h100 - - 1/3");
	assert_non_null(realpath(dir, absolute));
	snprintf(text, sizeof(text),
		 "NodeTopology=x "
		 "Hwloc=\"%s/shapes/cpu-2socket.xml\"\n"
		 "NodeTopology=n1,n10 Hwloc=shapes/pcie-8gpu.xml\n",
		 absolute);
	assert_string_equal(shapes(text),
			    "pcie-8gpu - pcie-8gpu - cpu-2socket 2/3");
}

/* What was collected is for nodes of which gang.conf says nothing. */
TEST(test_collected)
{
	write_file("node-topology/nodes.conf",
		   "NodeTopology=n[1-9],m1 Hwloc=../shapes/cpu-2socket.xml\n");
	assert_string_equal(shapes(""),
			    "- cpu-2socket cpu-2socket cpu-2socket - 1/3");
	assert_string_equal(shapes("NodeTopology=n2 "
				   "Hwloc=shapes/gb200-tray.xml"),
			    "- gb200-tray cpu-2socket cpu-2socket - 2/3");
	assert_string_equal(shapes("NodeTopologyDir=not-there"),
			    "- - - - - 0/0");
	write_file("node-topology/nodes.conf", "");
}

static void check_wrong(const char *text, int errnum, const char *file,
			const char *why)
{
	struct sgang_error err;
	char path[4096];

	errno = 0;
	assert_null(load(text, &err));
	assert_int_equal(errno, errnum);
	path_of(path, file);
	if (strncmp(err.text, path, strlen(path)) || !strstr(err.text, why))
		fail_msg("%s", err.text);
}

TEST(test_wrong)
{
	char path[4096];

	check_wrong("NodeTopology=n1 Hwloc=not-there.xml", ENOENT,
		    "not-there.xml", "cannot be opened");
	write_file("broken.xml", "<topology version=\"2.0\">\n<object/>\n");
	check_wrong("NodeTopology=n[1-2] Hwloc=broken.xml", EINVAL,
		    "broken.xml", ":2: an object without a type");
	write_file("node-topology/nodes.conf", "NodeTopology=n1\n");
	check_wrong("", EINVAL, "node-topology/nodes.conf",
		    ":1: NodeTopology: add Hwloc=FILE");
	write_file("node-topology/nodes.conf", "");
	path_of(path, "node-topology/nodes.conf");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	check_wrong("", EINVAL, "node-topology/nodes.conf", "cannot be read");
	assert_int_equal(rmdir(path), 0);
}

TEST(test_no_memory)
{
	struct sgang_node_topos *topos;
	struct sgang_conf conf;
	struct sgang_error err;
	unsigned long n;
	long live;

	write_file("node-topology/nodes.conf",
		   "NodeTopology=n1 Hwloc=../shapes/cpu-2socket.xml\n");
	read_conf("NodeTopology=n2 Hwloc=shapes/nvlink-4gpu-pairs.xml", &conf);
	live = fail_live;
	for (n = 1;; n++) {
		fail_at(n);
		topos = sgang_node_topos_load(&conf, dir, names, N_NAMES, &err);
		if (!fail_happened)
			break;
		fail_at(0);
		assert_null(topos);
		assert_int_equal(errno, ENOMEM);
		assert_non_null(strstr(err.text, "out of memory"));
		assert_int_equal(fail_live, live);
	}
	fail_at(0);
	assert_true(n > 30);
	assert_non_null(topos);
	sgang_node_topos_destroy(topos);
	assert_int_equal(fail_live, live);
	sgang_conf_free(&conf);
	sgang_node_topos_destroy(NULL);
}

TEST_MAIN(make_dir, remove_dir)
