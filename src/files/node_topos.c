/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_topos.c - what is inside each node of a cluster */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fabric/node_lines.h"
#include "files/node_topo_hwloc.h"
#include "files/node_topos.h"

struct shape {
	char *path;
	struct sgang_node_topo *topo;
};

struct sgang_node_topos {
	const struct sgang_node_topo **topo; /* by node */
	uint32_t n_nodes;
	struct shape *shape;
	size_t n_shapes;
};

int sgang_node_topos_dir(const struct sgang_conf *conf, const char *dir,
			 char path[SGANG_PATH], struct sgang_error *err)
{
	return sgang_path_in(path, dir,
			     conf->node_topology_dir[0] ?
				     conf->node_topology_dir :
				     SGANG_NODE_TOPOLOGY_DIR,
			     err);
}

/* ---- the files ---- */

/* The shape in that file, which is read when it is asked for first. */
static const struct sgang_node_topo *get_shape(struct sgang_node_topos *topos,
					       const char *path,
					       struct sgang_error *err)
{
	struct shape *shape;
	size_t i;

	for (i = 0; i < topos->n_shapes; i++)
		if (!strcmp(topos->shape[i].path, path))
			return topos->shape[i].topo;
	shape = realloc(topos->shape, (i + 1) * sizeof(*shape));
	if (!shape)
		goto no_memory;
	topos->shape = shape;
	shape += i;
	shape->path = strdup(path);
	if (!shape->path)
		goto no_memory;
	shape->topo = sgang_node_topo_load(path, err);
	if (shape->topo)
		topos->n_shapes++;
	else
		free(shape->path);
	return shape->topo;
no_memory:
	sgang_errf(err, ENOMEM, "%s: out of memory", path);
	return NULL;
}

/* ---- names ---- */

/* The caller's nodes in the order of their names. */
struct name {
	const char *name;
	uint32_t node;
};

struct names {
	struct name *sorted;
	uint32_t n;
};

static int by_name(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int sort_names(struct names *names, const char *const *list, uint32_t n,
		      struct sgang_error *err)
{
	uint32_t i;

	names->n = n;
	names->sorted = calloc(n + 1UL, sizeof(*names->sorted));
	if (!names->sorted)
		return sgang_err_memory(err);
	for (i = 0; i < n; i++)
		names->sorted[i] = (struct name){ list[i], i };
	qsort(names->sorted, n, sizeof(*names->sorted), by_name);
	return 0;
}

/* NULL when there is no such node. */
static const struct name *find_name(const struct names *names, const char *name)
{
	struct name wanted = { name, 0 };

	return bsearch(&wanted, names->sorted, names->n, sizeof(*names->sorted),
		       by_name);
}

/* ---- lines ---- */

/* Describe the nodes of the lines of 'path' that are not described yet. */
static int take_nodes(struct sgang_node_topos *topos, const struct names *names,
		      const struct sgang_node_lines *lines, const char *path,
		      const char *dir, struct sgang_error *err)
{
	struct sgang_node_of_line *nodes;
	char file[SGANG_PATH];
	size_t count, i;
	int rc = 0;

	if (sgang_node_lines_nodes(lines, path, &nodes, &count, err))
		return -1;
	for (i = 0; i < count && !rc; i++) {
		const struct name *name = find_name(names, nodes[i].name);
		const struct sgang_node_line *line;

		if (!name || topos->topo[name->node])
			continue;
		line = sgang_node_lines_get(lines, nodes[i].line);
		rc = sgang_path_in(file, dir, line->file, err);
		if (rc)
			continue;
		topos->topo[name->node] = get_shape(topos, file, err);
		if (!topos->topo[name->node])
			rc = -1;
	}
	sgang_node_lines_free_nodes(nodes, count);
	return rc;
}

/* The collected descriptions, if there are any. */
static int take_collected(struct sgang_node_topos *topos,
			  const struct names *names,
			  const struct sgang_conf *conf, const char *dir,
			  struct sgang_error *err)
{
	struct sgang_conf map;
	char folder[SGANG_PATH], path[SGANG_PATH];
	int rc;

	if (sgang_node_topos_dir(conf, dir, folder, err) ||
	    sgang_path_in(path, folder, SGANG_NODE_TOPOLOGY_MAP, err))
		return -1;
	if (sgang_conf_load(path, &map, err))
		return errno == ENOENT ? 0 : -1;
	rc = take_nodes(topos, names, map.node_lines, path, folder, err);
	sgang_conf_free(&map);
	return rc;
}

struct sgang_node_topos *sgang_node_topos_load(const struct sgang_conf *conf,
					       const char *dir,
					       const char *const *names,
					       uint32_t n_names,
					       struct sgang_error *err)
{
	struct sgang_node_topos *topos = calloc(1, sizeof(*topos));
	struct names sorted = { NULL, 0 };
	int rc = -1;

	if (topos)
		topos->topo = calloc(n_names + 1UL, sizeof(*topos->topo));
	if (!topos || !topos->topo) {
		sgang_err_memory(err);
		goto out;
	}
	topos->n_nodes = n_names;
	if (sort_names(&sorted, names, n_names, err) ||
	    take_nodes(topos, &sorted, conf->node_lines, "gang.conf", dir,
		       err) ||
	    take_collected(topos, &sorted, conf, dir, err))
		goto out;
	rc = 0;
out:
	free(sorted.sorted);
	if (rc) {
		sgang_node_topos_destroy(topos);
		topos = NULL;
	}
	return topos;
}

void sgang_node_topos_destroy(struct sgang_node_topos *topos)
{
	int saved = errno;
	size_t i;

	if (!topos)
		return;
	for (i = 0; i < topos->n_shapes; i++) {
		free(topos->shape[i].path);
		sgang_node_topo_destroy(topos->shape[i].topo);
	}
	free(topos->shape);
	free(topos->topo);
	free(topos);
	errno = saved;
}

const struct sgang_node_topo *const *
sgang_node_topos_array(const struct sgang_node_topos *topos)
{
	return topos->topo;
}

uint32_t sgang_node_topos_described(const struct sgang_node_topos *topos)
{
	uint32_t n = 0, i;

	for (i = 0; i < topos->n_nodes; i++)
		n += topos->topo[i] != NULL;
	return n;
}
