/* SPDX-License-Identifier: GPL-2.0-or-later */
/* units.c - what fits on the nodes, asked once for all plans of a search
 *
 * A search plans again and again while nothing is committed. What Slurm says of a
 * request and a node is the same each time, and asking takes longer than the plan
 * where nodes have GRES.
 */

#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"

/* Requests whose answers are kept; then the oldest gives way. */
#define KEPT_MAX 64

/* Not asked yet. */
#define UNKNOWN UINT32_MAX

struct kept {
	struct sgang_job *job;
	struct sgang_shape shape;
	bool empty;
	uint32_t *units; /* by node */
};

struct sgang_units {
	struct kept kept[KEPT_MAX];
	size_t n, oldest;
	struct sgang_nodeset *ask; /* nodes that are not known */
	uint32_t *answer;
};

static void units_free(struct sgang_units *u)
{
	for (size_t i = 0; i < u->n; i++)
		free(u->kept[i].units);
	sgang_nodeset_destroy(u->ask);
	free(u->answer);
	free(u);
}

bool sgang_units_keep(struct attempt *a)
{
	uint32_t n_nodes = a->c->host->nodes.count();
	struct sgang_units *u;

	if (a->units)
		return false;
	u = calloc(1, sizeof(*u));
	if (!u)
		return false;
	u->ask = sgang_nodeset_create(n_nodes);
	u->answer = calloc(n_nodes + 1, sizeof(*u->answer));
	if (u->ask && u->answer)
		a->units = u;
	else
		units_free(u);
	return a->units;
}

void sgang_units_forget(struct attempt *a, bool kept)
{
	if (!kept)
		return;
	units_free(a->units);
	a->units = NULL;
}

/* Members that ask for the same have the same answer. */
static struct kept *find(struct sgang_units *u, const struct sgang_host *h,
			 struct sgang_job *job, const struct sgang_shape *shape,
			 bool empty)
{
	for (size_t i = 0; i < u->n; i++) {
		struct kept *k = &u->kept[i];

		if (k->empty == empty && sgang_shape_same(&k->shape, shape) &&
		    (k->job == job || h->jobs.same_request(k->job, job)))
			return k;
	}
	return NULL;
}

/* A request of which nothing is known. NULL without memory. */
static struct kept *add(struct sgang_units *u, struct sgang_job *job,
			const struct sgang_shape *shape, bool empty,
			uint32_t n_nodes)
{
	struct kept *k = &u->kept[u->n < KEPT_MAX ? u->n : u->oldest];

	if (u->n < KEPT_MAX) {
		k->units = malloc((n_nodes + 1) * sizeof(*k->units));
		if (!k->units)
			return NULL;
		u->n++;
	} else {
		u->oldest = (u->oldest + 1) % KEPT_MAX;
	}
	k->job = job;
	k->shape = *shape;
	k->empty = empty;
	memset(k->units, 0xff, (n_nodes + 1) * sizeof(*k->units));
	return k;
}

/* The nodes of a set of which it is not known. False: there are none. */
static bool list_unknown(const struct kept *k,
			 const struct sgang_nodeset *nodes, uint32_t n_nodes,
			 struct sgang_nodeset *ask)
{
	bool any = false;

	sgang_nodeset_clear(ask);
	for (uint32_t n = 0; n < n_nodes; n++) {
		if (k->units[n] != UNKNOWN || !sgang_nodeset_has(nodes, n))
			continue;
		sgang_nodeset_add(ask, n);
		any = true;
	}
	return any;
}

void sgang_units_on(struct attempt *a, struct sgang_job *job,
		    const struct sgang_shape *shape,
		    const struct sgang_nodeset *nodes, bool empty,
		    uint32_t *units)
{
	const struct sgang_host *h = a->c->host;
	struct sgang_units *u = a->units;
	uint32_t n_nodes = h->nodes.count();
	struct kept *k = u ? find(u, h, job, shape, empty) : NULL;

	if (u && !k)
		k = add(u, job, shape, empty, n_nodes);
	if (!k) {
		h->nodes.units(job, shape, nodes, empty, units);
		return;
	}
	if (list_unknown(k, nodes, n_nodes, u->ask))
		h->nodes.units(job, shape, u->ask, empty, u->answer);
	for (uint32_t n = 0; n < n_nodes; n++) {
		bool has = sgang_nodeset_has(nodes, n);

		if (has && k->units[n] == UNKNOWN)
			k->units[n] = u->answer[n];
		units[n] = has ? k->units[n] : 0;
	}
}
