/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_list.c - nodes as the host lists of records */

#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"
#include "core/base/hostlist.h"

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
