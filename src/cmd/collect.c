/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collect.c - ask all nodes what is inside of them, and keep the answers */

#define _GNU_SOURCE /* strverscmp() */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/collect.h"
#include "cmd/probe.h"
#include "cmd/spawn.h"
#include "cmd/words.h"
#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "core/fabric/node_lines.h"
#include "core/gang/conf.h"
#include "files/node_topo_hwloc.h"
#include "files/node_topos.h"
#include "files/paths.h"

#define NO_SHAPE SIZE_MAX

/* A size above that of any description. */
#define XML_MAX SGANG_HWLOC_FILE_MAX

struct node {
	char *name;
	char *xml; /* received so far */
	size_t length;
	size_t room;
	bool asked;
	bool whole;   /* all was received */
	size_t shape; /* NO_SHAPE: not known */
};

struct shape {
	char *file; /* in the folder */
	struct sgang_node_topo *topo;
};

struct collection {
	const char *dir;
	struct node *node;
	size_t n_nodes;
	struct shape *shape;
	size_t n_shapes;
	bool no_memory;
};

static void clear(struct collection *all)
{
	size_t i;

	for (i = 0; i < all->n_nodes; i++) {
		free(all->node[i].name);
		free(all->node[i].xml);
	}
	for (i = 0; i < all->n_shapes; i++) {
		free(all->shape[i].file);
		sgang_node_topo_destroy(all->shape[i].topo);
	}
	free(all->node);
	free(all->shape);
}

/* ---- nodes ---- */

static int add_node(struct collection *all, const char *name, bool asked,
		    size_t shape)
{
	struct node *bigger;
	char *copy = strdup(name);

	bigger = realloc(all->node, (all->n_nodes + 1) * sizeof(*bigger));
	if (bigger)
		all->node = bigger;
	if (!bigger || !copy) {
		free(copy);
		all->no_memory = true;
		return -1;
	}
	all->node[all->n_nodes++] =
		(struct node){ .name = copy, .asked = asked, .shape = shape };
	return 0;
}

/* n2 before n10, so that neighbours can be folded. */
static int by_name(const void *a, const void *b)
{
	const struct node *x = a, *y = b;
	int rc = strverscmp(x->name, y->name);

	return rc ? rc : strcmp(x->name, y->name);
}

/* Sort the nodes. Of several with the same name one is left, which has been
 * asked if one of them was, and whose shape is known if that of one was. */
static void sort_nodes(struct collection *all)
{
	size_t kept = 0, i;

	qsort(all->node, all->n_nodes, sizeof(*all->node), by_name);
	for (i = 0; i < all->n_nodes; i++) {
		struct node *node = &all->node[i];
		struct node *last = kept ? &all->node[kept - 1] : NULL;

		if (!last || strcmp(last->name, node->name)) {
			all->node[kept++] = *node;
			continue;
		}
		last->asked |= node->asked;
		if (last->shape == NO_SHAPE)
			last->shape = node->shape;
		free(node->name);
	}
	all->n_nodes = kept;
}

static struct node *find_node(struct collection *all, char *name)
{
	struct node wanted = { .name = name };

	return bsearch(&wanted, all->node, all->n_nodes, sizeof(*all->node),
		       by_name);
}

/* The nodes with (or without) a whole answer among those that were asked, as a
 * node list the caller frees; NULL and 0: none. */
static char *fold_asked(const struct collection *all, bool whole, size_t *count)
{
	const char **names = calloc(all->n_nodes + 1, sizeof(*names));
	char *text = NULL;
	size_t i;

	*count = 0;
	for (i = 0; names && i < all->n_nodes; i++)
		if (all->node[i].asked && all->node[i].whole == whole)
			names[(*count)++] = all->node[i].name;
	if (names && *count)
		text = sgang_hostlist_fold(names, *count);
	free(names);
	return text;
}

/* ---- what is known already ---- */

static int add_shape(struct collection *all, const char *file,
		     struct sgang_node_topo *topo, struct sgang_error *err)
{
	struct shape *bigger;
	char *copy = strdup(file);

	bigger = realloc(all->shape, (all->n_shapes + 1) * sizeof(*bigger));
	if (bigger)
		all->shape = bigger;
	if (!bigger || !copy) {
		free(copy);
		sgang_node_topo_destroy(topo);
		return sgang_err_memory(err);
	}
	all->shape[all->n_shapes++] = (struct shape){ copy, topo };
	return 0;
}

/* A shape for each line of the old map. */
static int load_shapes(struct collection *all,
		       const struct sgang_node_lines *lines,
		       struct sgang_error *err)
{
	struct sgang_node_topo *topo;
	char path[SGANG_PATH];
	size_t i;

	for (i = 0; i < sgang_node_lines_count(lines); i++) {
		const char *file = sgang_node_lines_get(lines, i)->file;

		if (sgang_path_in(path, all->dir, file, err))
			return -1;
		topo = sgang_node_topo_load(path, err);
		if (!topo || add_shape(all, file, topo, err))
			return -1;
	}
	return 0;
}

static int load_nodes(struct collection *all,
		      const struct sgang_node_lines *lines, const char *path,
		      struct sgang_error *err)
{
	struct sgang_node_of_line *nodes;
	size_t count, i;

	if (sgang_node_lines_nodes(lines, path, &nodes, &count, err))
		return -1;
	for (i = 0; i < count; i++)
		if (add_node(all, nodes[i].name, false, nodes[i].line))
			break;
	sgang_node_lines_free_nodes(nodes, count);
	return i < count ? sgang_err_memory(err) : 0;
}

static int load_map(struct collection *all, struct sgang_error *err)
{
	struct sgang_conf map;
	char path[SGANG_PATH];
	int rc;

	if (sgang_path_in(path, all->dir, SGANG_NODE_TOPOLOGY_MAP, err))
		return -1;
	if (sgang_conf_load(path, &map, err))
		return errno == ENOENT ? 0 : -1;
	rc = load_shapes(all, map.node_lines, err);
	if (!rc)
		rc = load_nodes(all, map.node_lines, path, err);
	sgang_conf_free(&map);
	return rc;
}

/* ---- who is asked ---- */

static void take_name(void *ctx, char *line)
{
	if (line[0])
		add_node(ctx, line, true, NO_SHAPE);
}

/* All nodes that can run a job. */
static int ask_sinfo(struct collection *all, struct sgang_error *err)
{
	static char *argv[] = { "sinfo",
				"--noheader",
				"--Node",
				"--responding",
				"--states=idle,mixed,allocated,completing",
				"--format=%N",
				NULL };
	int rc = sgang_spawn_lines(argv, take_name, all, err);

	if (rc > 0)
		rc = sgang_errf(err, EIO, "sinfo ended with status %d", rc);
	return rc;
}

static int choose_nodes(struct collection *all, const char *list,
			struct sgang_error *err)
{
	char **names;
	size_t i;

	if (!list)
		return ask_sinfo(all, err);
	if (sgang_hostlist_expand(list, &names, NULL, err))
		return -1;
	for (i = 0; names[i]; i++)
		if (add_node(all, names[i], true, NO_SHAPE))
			break;
	sgang_hostlist_free(names);
	return 0;
}

/* ---- what they say ---- */

static int append(struct node *node, const char *text)
{
	size_t length = strlen(text);
	char *bigger;

	if (node->length + length > XML_MAX)
		return 0; /* it will not become whole XML */
	if (node->length + length >= node->room) {
		node->room = 2 * (node->length + length) + 4096;
		bigger = realloc(node->xml, node->room);
		if (!bigger)
			return -1;
		node->xml = bigger;
	}
	memcpy(node->xml + node->length, text, length + 1);
	node->length += length;
	return 0;
}

/* A line of a probe; other lines are of prologs and the like. */
static void take_line(void *ctx, char *line)
{
	struct collection *all = ctx;
	size_t skip = strlen(SGANG_PROBE_WORD);
	struct node *node;
	char *text;

	if (strncmp(line, SGANG_PROBE_WORD, skip))
		return;
	text = strchr(line + skip, ' ');
	if (!text)
		return;
	*text++ = '\0';
	node = find_node(all, line + skip);
	if (!node || !node->asked)
		return;
	if (!strcmp(text, "."))
		node->whole = true;
	if (text[0] != '+')
		return;
	sgang_probe_unescape(text + 1);
	if (append(node, text + 1))
		all->no_memory = true;
}

/* The path of this program; nodes have it at the same place. */
static int own_path(char path[SGANG_PATH], struct sgang_error *err)
{
	ssize_t length = readlink("/proc/self/exe", path, SGANG_PATH - 1);

	if (length <= 0 || length == SGANG_PATH - 1)
		return sgang_errf(err, EIO, "cannot tell where sgang is");
	path[length] = '\0';
	return 0;
}

static int make_command(const struct collection *all, struct sgang_words *words,
			struct sgang_error *err)
{
	char path[SGANG_PATH];
	size_t count;
	char *list = fold_asked(all, false, &count);
	int rc = -1;

	if (!count)
		sgang_errf(err, ENOENT, "there is no node to be asked");
	else if (!list)
		sgang_err_memory(err);
	else if (!own_path(path, err) && !sgang_words_add(words, err, "srun") &&
		 !sgang_words_add(words, err, "--job-name=sgang-topology") &&
		 !sgang_words_add(words, err, "--nodelist=%s", list) &&
		 !sgang_words_add(words, err, "--nodes=%zu", count) &&
		 !sgang_words_add(words, err, "--ntasks=%zu", count) &&
		 !sgang_words_add(words, err, "--ntasks-per-node=1") &&
		 !sgang_words_add(words, err, "--exclusive") &&
		 !sgang_words_add(words, err, "--mem=0") &&
		 !sgang_words_add(words, err, "--kill-on-bad-exit=0") &&
		 !sgang_words_add(words, err, "%s", path) &&
		 !sgang_words_add(words, err, "topology") &&
		 !sgang_words_add(words, err, "probe"))
		rc = 0;
	free(list);
	return rc;
}

static int ask(struct collection *all, struct sgang_error *err)
{
	struct sgang_words words = { NULL, 0 };
	size_t count;
	int rc = make_command(all, &words, err);

	if (!rc)
		rc = sgang_spawn_lines(words.word, take_line, all, err);
	sgang_words_clear(&words);
	if (rc < 0)
		return -1;
	if (all->no_memory)
		return sgang_err_memory(err);
	free(fold_asked(all, true, &count));
	if (!count)
		return sgang_errf(err, EIO,
				  "no node answered; srun ended with "
				  "status %d",
				  rc);
	return 0;
}

/* ---- keeping it ---- */

/* Write a temporary file and rename it. */
static int write_file(const char *dir, const char *file, const char *text,
		      struct sgang_error *err)
{
	char path[SGANG_PATH], temporary[SGANG_PATH + 8];
	bool good;
	FILE *out;
	int fd;

	if (sgang_path_in(path, dir, file, err))
		return -1;
	snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path);
	fd = mkstemp(temporary);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out) {
		sgang_errf(err, errno, "%s: cannot be written: %s", path,
			   strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	good = fputs(text, out) >= 0 && !fflush(out) && !fchmod(fd, 0644) &&
	       !fsync(fd);
	if (fclose(out) || !good || rename(temporary, path)) {
		sgang_errf(err, errno, "%s: cannot be written: %s", path,
			   strerror(errno));
		unlink(temporary);
		return -1;
	}
	return 0;
}

/* A new file for a new shape. */
static int keep_shape(struct collection *all, const char *xml,
		      struct sgang_node_topo *topo, struct sgang_error *err)
{
	char file[64], path[SGANG_PATH];
	unsigned int n = 0;

	do {
		snprintf(file, sizeof(file), "shape-%u.xml", ++n);
		if (sgang_path_in(path, all->dir, file, err))
			goto failed;
	} while (!access(path, F_OK));
	if (!write_file(all->dir, file, xml, err))
		return add_shape(all, file, topo, err);
failed:
	sgang_node_topo_destroy(topo);
	return -1;
}

/* Find out the shape of one node, from its answer. An answer that cannot be
 * read counts as none. */
static int recognise(struct collection *all, struct node *node,
		     struct sgang_error *err)
{
	struct sgang_node_topo *topo = NULL;
	struct sgang_error why;
	size_t i;

	topo = sgang_node_topo_parse(node->xml ? node->xml : "", node->name,
				     &why);
	if (!topo) {
		sgang_cmd_no("%s", why.text);
		node->whole = false;
		return 0;
	}
	for (i = 0; i < all->n_shapes; i++)
		if (sgang_node_topo_equal(all->shape[i].topo, topo))
			break;
	node->shape = i;
	if (i == all->n_shapes)
		return keep_shape(all, node->xml, topo, err);
	sgang_node_topo_destroy(topo);
	return 0;
}

static void print_shape(const struct collection *all, size_t shape,
			const char **names, FILE *out, bool *used)
{
	size_t count = 0, i;
	char *list;

	for (i = 0; i < all->n_nodes; i++)
		if (all->node[i].shape == shape)
			names[count++] = all->node[i].name;
	*used = count;
	if (!count)
		return;
	list = sgang_hostlist_fold(names, count);
	if (list)
		fprintf(out, "NodeTopology=%s Hwloc=\"%s\"\n", list,
			all->shape[shape].file);
	free(list);
}

/* The text of the new map, NULL without memory; '*used' shapes are in it. */
static char *make_map(const struct collection *all, size_t *used)
{
	const char **names = calloc(all->n_nodes + 1, sizeof(*names));
	char *text = NULL;
	size_t size, i;
	FILE *out = names ? open_memstream(&text, &size) : NULL;
	bool is_used;

	*used = 0;
	if (out) {
		fputs("# Written by \"sgang topology collect\".\n", out);
		for (i = 0; i < all->n_shapes; i++) {
			print_shape(all, i, names, out, &is_used);
			*used += is_used;
		}
	}
	free(names);
	return sgang_text_close(out, &text);
}

static int keep(struct collection *all, struct sgang_collected *collected,
		struct sgang_error *err)
{
	size_t i, missing;
	char *map;
	int rc;

	if (mkdir(all->dir, 0755) && errno != EEXIST)
		return sgang_errf(err, errno, "%s: cannot be made: %s",
				  all->dir, strerror(errno));
	for (i = 0; i < all->n_nodes; i++)
		if (all->node[i].whole && recognise(all, &all->node[i], err))
			return -1;
	map = make_map(all, &collected->n_shapes);
	if (!map)
		return sgang_err_memory(err);
	rc = write_file(all->dir, SGANG_NODE_TOPOLOGY_MAP, map, err);
	free(map);
	if (rc)
		return -1;
	free(fold_asked(all, true, &collected->n_nodes));
	collected->missing = fold_asked(all, false, &missing);
	return missing && !collected->missing ? sgang_err_memory(err) : 0;
}

int sgang_collect(const char *nodes, const char *dir,
		  struct sgang_collected *collected, struct sgang_error *err)
{
	struct collection all = { .dir = dir };
	int rc = -1;

	if (load_map(&all, err) || choose_nodes(&all, nodes, err))
		goto out;
	if (all.no_memory) {
		sgang_err_memory(err);
		goto out;
	}
	sort_nodes(&all);
	if (!ask(&all, err))
		rc = keep(&all, collected, err);
out:
	clear(&all);
	return rc;
}
