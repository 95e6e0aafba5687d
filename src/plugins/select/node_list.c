/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_list.c - nodes as the host lists of records */

#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"
#include "core/base/hostlist.h"
#include "plugins/log.h"

void sgang_node_list_fold(const struct sgang_conductor *c,
			  const struct sgang_nodeset *nodes,
			  char text[SGANG_CLAIM_SIZE])
{
	uint32_t n = 0;
	const char **names = calloc(sgang_nodeset_count(nodes) + 1UL,
				    sizeof(*names));
	char *folded = NULL;

	for (uint32_t i = sgang_nodeset_next(nodes, 0);
	     names && i != SGANG_NODE_NONE;
	     i = sgang_nodeset_next(nodes, i + 1))
		names[n++] = sgang_fabric_node_name(c->fabric, i);
	if (names)
		folded = sgang_hostlist_fold(names, n);
	text[0] = '\0';
	if (folded && strlen(folded) < SGANG_CLAIM_SIZE)
		strcpy(text, folded);
	free(folded);
	free(names);
}

struct sgang_nodeset *sgang_node_list_read(const struct sgang_conductor *c,
					   const char *text)
{
	struct sgang_nodeset *nodes =
		sgang_nodeset_create(c->host->nodes.count());
	char **name = NULL;
	size_t n = 0;

	if (nodes && text[0] &&
	    sgang_hostlist_expand(text, &name, &n, NULL) < 0) {
		sgang_nodeset_destroy(nodes);
		return NULL;
	}
	for (size_t i = 0; nodes && i < n; i++) {
		uint32_t node = sgang_fabric_find_node(c->fabric, name[i]);

		if (node != SGANG_NODE_NONE)
			sgang_nodeset_add(nodes, node);
	}
	sgang_hostlist_free(name);
	return nodes;
}

/* The first n nodes of the set. NULL without memory. */
static struct sgang_nodeset *first_of(const struct sgang_nodeset *nodes,
				      uint32_t n)
{
	struct sgang_nodeset *first = sgang_nodeset_copy(nodes);
	uint32_t i = 0;

	for (; first && n; n--)
		i = sgang_nodeset_next(first, i) + 1;
	for (; first && (i = sgang_nodeset_next(first, i)) != SGANG_NODE_NONE;)
		sgang_nodeset_remove(first, i);
	return first;
}

void sgang_node_list_fit(struct sgang_conductor *c,
			 const struct sgang_nodeset *nodes,
			 char text[SGANG_CLAIM_SIZE])
{
	uint32_t most = sgang_nodeset_count(nodes), fit = 0, over = most;
	char tried[SGANG_CLAIM_SIZE];

	sgang_node_list_fold(c, nodes, text);
	if (text[0] || !most)
		return;
	while (fit + 1 < over) {
		uint32_t n = fit + (over - fit) / 2;
		struct sgang_nodeset *some = first_of(nodes, n);

		tried[0] = '\0';
		if (some)
			sgang_node_list_fold(c, some, tried);
		sgang_nodeset_destroy(some);
		if (tried[0]) {
			fit = n;
			strcpy(text, tried);
		} else {
			over = n;
		}
	}
	if (!c->told_long)
		sgang_log(
			SGANG_LOG_INFO,
			"a list of nodes is too long for the record of a member: of %u nodes that it had %u are kept for it, or left alone",
			most, fit);
	c->told_long = true;
}

struct sgang_nodeset *sgang_node_list_of(const struct sgang_conductor *c,
					 struct sgang_job *job,
					 const struct sgang_record *r)
{
	struct sgang_nodeset *nodes = sgang_node_list_read(c, r->at);

	if (nodes && !r->at[0]) /* too many nodes for that */
		c->host->jobs.nodes(job, nodes);
	return nodes;
}
