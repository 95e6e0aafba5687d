/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_lines.c - which nodes are described by which file */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hostlist.h"
#include "core/base/shared.h"
#include "core/base/text.h"
#include "node_lines.h"

struct sgang_node_lines {
	struct sgang_shared shared;
	struct sgang_node_line line[];
};

int sgang_node_lines_add(struct sgang_node_lines **lines, const char *nodes,
			 const char *file, unsigned int line)
{
	struct sgang_node_lines *all = sgang_shared_grow(*lines, sizeof(*all),
							 sizeof(all->line[0]));
	struct sgang_node_line *added;

	if (!all)
		return -1;
	*lines = all;
	added = &all->line[all->shared.count];
	added->nodes = strdup(nodes);
	added->file = strdup(file);
	added->line = line;
	if (added->nodes && added->file) {
		all->shared.count++;
		return 0;
	}
	free(added->nodes);
	free(added->file);
	errno = ENOMEM;
	return -1;
}

struct sgang_node_lines *sgang_node_lines_share(struct sgang_node_lines *lines)
{
	sgang_shared_take(lines);
	return lines;
}

void sgang_node_lines_release(struct sgang_node_lines *lines)
{
	int saved = errno;
	size_t i;

	if (!sgang_shared_leave(lines))
		return;
	for (i = 0; i < lines->shared.count; i++) {
		free(lines->line[i].nodes);
		free(lines->line[i].file);
	}
	free(lines);
	errno = saved;
}

size_t sgang_node_lines_count(const struct sgang_node_lines *lines)
{
	return lines ? lines->shared.count : 0;
}

const struct sgang_node_line *
sgang_node_lines_get(const struct sgang_node_lines *lines, size_t i)
{
	return &lines->line[i];
}

/* ---- the nodes ---- */

struct nodes {
	struct sgang_node_of_line *node;
	size_t n;
};

void sgang_node_lines_free_nodes(struct sgang_node_of_line *nodes, size_t count)
{
	int saved = errno;
	size_t i;

	for (i = 0; i < count; i++)
		free(nodes[i].name);
	free(nodes);
	errno = saved;
}

/* Take 'count' names over; the array they came in is left empty. Returns 0, or
 * -1 without memory. */
static int take_names(struct nodes *all, char **names, size_t count,
		      size_t line)
{
	struct sgang_node_of_line *bigger;
	size_t i;

	bigger = realloc(all->node, (all->n + count) * sizeof(*bigger));
	if (!bigger)
		return -1;
	all->node = bigger;
	for (i = 0; i < count; i++) {
		bigger[all->n].name = names[i];
		bigger[all->n++].line = line;
	}
	names[0] = NULL;
	return 0;
}

static int add_line(struct nodes *all, const struct sgang_node_lines *lines,
		    size_t i, const char *path, struct sgang_error *err)
{
	const struct sgang_node_line *line = &lines->line[i];
	struct sgang_error why;
	char **names;
	size_t count;
	int rc;

	if (sgang_hostlist_expand(line->nodes, &names, &count, &why))
		return sgang_errf(err, errno, "%s:%u: NodeTopology: %s", path,
				  line->line, why.text);
	rc = take_names(all, names, count, i);
	sgang_hostlist_free(names);
	return rc ? sgang_errf(err, ENOMEM, "%s:%u: out of memory", path,
			       line->line) :
		    0;
}

static int by_name(const void *a, const void *b)
{
	const struct sgang_node_of_line *x = a, *y = b;
	int rc = strcmp(x->name, y->name);

	return rc ? rc : (x->line > y->line) - (x->line < y->line);
}

static int check_twins(const struct nodes *all,
		       const struct sgang_node_lines *lines, const char *path,
		       struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	size_t i;

	for (i = 1; i < all->n; i++) {
		const struct sgang_node_of_line *a = &all->node[i - 1];
		const struct sgang_node_of_line *b = &all->node[i];

		if (!strcmp(a->name, b->name))
			return sgang_errf(err, EINVAL,
					  "%s:%u: NodeTopology: "
					  "node \"%s\" is named twice, first "
					  "in line %u",
					  path, lines->line[b->line].line,
					  sgang_text_show(shown, b->name),
					  lines->line[a->line].line);
	}
	return 0;
}

int sgang_node_lines_nodes(const struct sgang_node_lines *lines,
			   const char *path, struct sgang_node_of_line **nodes,
			   size_t *count, struct sgang_error *err)
{
	struct nodes all = { NULL, 0 };
	int rc = 0;
	size_t i;

	for (i = 0; i < sgang_node_lines_count(lines) && !rc; i++)
		rc = add_line(&all, lines, i, path, err);
	if (!rc && all.n) {
		qsort(all.node, all.n, sizeof(*all.node), by_name);
		rc = check_twins(&all, lines, path, err);
	}
	if (rc) {
		sgang_node_lines_free_nodes(all.node, all.n);
		return -1;
	}
	*nodes = all.node;
	*count = all.n;
	return 0;
}
