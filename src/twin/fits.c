/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fits.c - from when on the share that a job has of a node fits on which nodes
 *
 * Backfill asks for many jobs with shares alike, on other nodes each time. So the
 * jobs that run are run out once for each kind of share, in the order of their ends,
 * and no further than anybody has asked.
 */

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "twin_private.h"

/* Kinds of shares that are known at a time, by a hash. */
#define KINDS 32

bool sgang_twin_fits_init(void)
{
	the.fits = calloc(KINDS, sizeof(*the.fits));
	for (size_t i = 0; the.fits && i < KINDS; i++) {
		struct twin_fits *f = &the.fits[i];

		f->order = calloc(the.n_nodes + 1, sizeof(*f->order));
		f->from = calloc(the.n_nodes + 1, sizeof(*f->from));
		f->use = calloc(the.n_nodes + 1, sizeof(*f->use));
		if (!f->order || !f->from || !f->use)
			return false;
	}
	return the.fits != NULL;
}

void sgang_twin_fits_end(void)
{
	for (size_t i = 0; the.fits && i < KINDS; i++) {
		free(the.fits[i].order);
		free(the.fits[i].from);
		free(the.fits[i].use);
	}
	free(the.fits);
}

static void add(struct twin_fits *f, uint32_t node, int64_t from)
{
	f->from[node] = from;
	f->order[f->n++] = node;
}

static void begin(struct twin_fits *f, const struct sgang_job *j)
{
	f->like = j;
	f->of = the.uses;
	f->n = 0;
	f->run_out = 0;
	for (uint32_t n = 0; n < the.n_nodes; n++) {
		f->from[n] = INT64_MAX;
		if (sgang_twin_fits(j, n, the.use))
			add(f, n, 0);
	}
}

struct twin_fits *sgang_twin_fits_of(const struct sgang_job *j)
{
	uint64_t hash = sgang_hash(SGANG_HASH_SEED, j->asks->memory);
	struct twin_fits *f;

	hash = sgang_hash(hash, (uint64_t)j->asks->cpus << 32 | j->asks->gpus);
	f = &the.fits[sgang_hash(hash, j->whole) % KINDS];
	if (!f->like || f->of != the.uses || !sgang_twin_same_units(f->like, j))
		begin(f, j);
	return f;
}

/* The job leaves its nodes. */
static void leave(struct twin_fits *f, const struct sgang_job *ends)
{
	sgang_twin_subtract_use(ends, f->use);
	for (uint32_t i = 0; i < ends->n_nodes; i++) {
		uint32_t n = ends->nodes[i];

		if (f->from[n] == INT64_MAX &&
		    sgang_twin_fits(f->like, n, f->use))
			add(f, n, ends->ends);
	}
}

/* All that end next. False: none ends by then. */
static bool run_out(struct twin_fits *f, int64_t last)
{
	int64_t end;

	if (f->run_out == the.running.n ||
	    the.running.at[f->run_out]->ends > last)
		return false;
	if (!f->run_out)
		memcpy(f->use, the.use, the.n_nodes * sizeof(*f->use));
	end = the.running.at[f->run_out]->ends;
	while (f->run_out < the.running.n &&
	       the.running.at[f->run_out]->ends == end)
		leave(f, the.running.at[f->run_out++]);
	return true;
}

uint32_t sgang_twin_fits_node(struct twin_fits *fits, uint32_t k, int64_t last)
{
	while (k >= fits->n) {
		if (!run_out(fits, last))
			return SGANG_NODE_NONE;
	}
	return fits->from[fits->order[k]] <= last ? fits->order[k] :
						    SGANG_NODE_NONE;
}
