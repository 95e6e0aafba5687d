/* SPDX-License-Identifier: GPL-2.0-or-later */
/* epoch_tell.c - send the members the current epoch of their gang */

#include <stdlib.h>

#include "conductor_private.h"
#include "faults.h"
#include "plugins/log.h"

static void tell(struct sgang_conductor *c, struct gang *g)
{
	struct sgang_nodeset *nodes =
		sgang_nodeset_create(c->host->nodes.count());
	char *text = nodes ? sgang_describe_epoch(c, g, nodes) : NULL;

	if (text) {
		c->host->nodes.tell(nodes, text);
		g->epoch.due = false;
		sgang_log(SGANG_LOG_INFO, "%s/%s: epoch %u", g->ns, g->name,
			  g->epoch.number);
	}
	free(text);
	sgang_nodeset_destroy(nodes);
}

void sgang_epoch_tell_all(struct sgang_conductor *c)
{
	int64_t now = c->host->now();

	if (now <= c->told || !c->fabric || !c->drains.nodes)
		return;
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!g->epoch.due || g->hold.n)
			continue;
		sgang_fault_die("tell", 1);
		tell(c, g);
		sgang_fault_die("told", 1);
		c->told = now;
	}
}
