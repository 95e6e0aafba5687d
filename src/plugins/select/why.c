/* SPDX-License-Identifier: GPL-2.0-or-later */
/* why.c - why a gang is where it is, or has no place
 *
 * The planner says what it found. Here that is told in the words of those who
 * asked for nodes, GPUs or CPUs, with what Slurm knows of the nodes.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"

static const char *const causes[SGANG_CAUSES] = {
	[SGANG_CAUSE_BUSY] = "busy",
	[SGANG_CAUSE_DOWN] = "down",
	[SGANG_CAUSE_DRAINED] = "drained",
	[SGANG_CAUSE_RESERVED] = "reserved",
	[SGANG_CAUSE_GPUS] = "too few GPUs",
	[SGANG_CAUSE_SIZE] = "too small",
	[SGANG_CAUSE_FEATURE] = "feature",
	[SGANG_CAUSE_PARTITION] = "not in the partition",
	[SGANG_CAUSE_KEPT] = "kept for others",
};

/* In a record there are no blanks. */
static const char *const cause_words[SGANG_CAUSES] = {
	[SGANG_CAUSE_BUSY] = "busy",
	[SGANG_CAUSE_DOWN] = "down",
	[SGANG_CAUSE_DRAINED] = "drained",
	[SGANG_CAUSE_RESERVED] = "reserved",
	[SGANG_CAUSE_GPUS] = "gpus",
	[SGANG_CAUSE_SIZE] = "size",
	[SGANG_CAUSE_FEATURE] = "feature",
	[SGANG_CAUSE_PARTITION] = "partition",
	[SGANG_CAUSE_KEPT] = "kept",
};

/* What the slots of a request are to its user. */
static struct sgang_explain_unit unit_of(const struct attempt *a, bool alike)
{
	const struct sgang_shape *shape = &a->parts[0].probed->shape;

	if (alike && shape->whole)
		return (struct sgang_explain_unit) { "node", "nodes", 1 };
	if (alike && shape->node_gpus)
		return (struct sgang_explain_unit) {
			"GPU", "GPUs", shape->node_gpus
		};
	return (struct sgang_explain_unit) {
		"CPU", "CPUs",
		(alike && shape->node_cpus) ? shape->node_cpus : 1
	};
}

/* What would fit on each node that is kept for others. NULL: not known. */
static uint32_t *room_kept(const struct attempt *a)
{
	const struct probed *p = a->parts[0].probed;
	uint32_t *room = calloc(a->c->host->node_count() + 1, sizeof(*room));

	if (room && p->kept)
		a->c->host->units(p->job, &p->shape, p->kept, false, room);
	return room;
}

/* The nodes of a domain that have no room, by cause. */
static void count_causes(struct attempt *a, const struct sgang_plan_request *rq,
			 const uint32_t *room, uint32_t domain,
			 uint32_t count[SGANG_CAUSES])
{
	const struct sgang_domain *d = sgang_fabric_domain(rq->fabric, domain);
	const uint32_t *order = sgang_fabric_order(rq->fabric);
	const struct probed *p = a->parts[0].probed;
	bool islands = a->c->devices &&
		       rq->fabric == a->topology->devices->fabric;
	uint32_t last = SGANG_NODE_NONE;

	memset(count, 0, SGANG_CAUSES * sizeof(*count));
	for (uint32_t i = 0; i < d->n_nodes; i++) {
		uint32_t place = order[d->first_pos + i];
		uint32_t node = islands ? a->c->devices->node[place] : place;
		enum sgang_cause cause;

		if (rq->free[place] && sgang_nodeset_has(p->usable, node)) {
			last = node;
			continue;
		}
		if (node == last)
			continue;
		last = node;
		cause = a->c->host->cause(p->job, &p->shape, node);
		if (cause == SGANG_CAUSE_BUSY && room && room[node])
			cause = SGANG_CAUSE_KEPT;
		count[cause]++;
	}
}

/* " (3 busy, 1 drained)" */
static void append_causes(const uint32_t count[SGANG_CAUSES], char *text,
			  size_t size)
{
	size_t used = strlen(text);
	bool any = false;

	for (int i = 0; i < SGANG_CAUSES && used < size; i++) {
		if (!count[i])
			continue;
		used += (size_t) snprintf(text + used, size - used, "%s%u %s",
					  any ? ", " : " (", count[i],
					  causes[i]);
		any = true;
	}
	if (any && used + 1 < size)
		strcpy(text + used, ")");
}

/* "r1:2/4:busy=2,r2:3/4", as far as it fits. */
static void write_lacks(struct attempt *a, const struct sgang_plan_request *rq,
			const uint32_t *room, const struct sgang_nofit *nofit,
			char text[SGANG_LACKS_SIZE])
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < nofit->n_rows; i++) {
		uint32_t domain = nofit->row[i].domain, count[SGANG_CAUSES];
		char row[SGANG_LACKS_SIZE];
		size_t n;

		count_causes(a, rq, room, domain, count);
		n = (size_t) snprintf(row, sizeof(row), "%s%.64s:%llu/%llu",
				      used ? "," : "",
				      sgang_fabric_domain(rq->fabric,
							  domain)->name,
				      (unsigned long long) nofit->row[i].free,
				      (unsigned long long)
				      nofit->row[i].needed);
		for (int k = 0; k < SGANG_CAUSES && n < sizeof(row); k++) {
			if (count[k])
				n += (size_t) snprintf(row + n, sizeof(row) - n,
						       ":%s=%u",
						       cause_words[k],
						       count[k]);
		}
		if (n >= sizeof(row) || used + n >= SGANG_LACKS_SIZE)
			return;
		strcpy(text + used, row);
		used += n;
	}
}

void sgang_why_nofit(struct attempt *a, const struct sgang_plan_request *rq,
		     bool alike, struct sgang_nofit *nofit)
{
	struct sgang_explain_unit unit = unit_of(a, alike);
	char text[SGANG_EXPLAIN_SIZE];
	uint32_t count[SGANG_CAUSES], *room = room_kept(a);

	sgang_explain_nofit(rq, nofit, &unit, text);
	if (nofit->n_rows) {
		count_causes(a, rq, room, nofit->row[0].domain, count);
		append_causes(count, text, sizeof(text));
	}
	write_lacks(a, rq, room, nofit, a->lacks);
	free(room);
	snprintf(nofit->text, sizeof(nofit->text), "%.*s",
		 (int) sizeof(nofit->text) - 1, text);
}
