/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lookup.c - gangs by name, and their entries by job */

#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"
#include "core/base/hash.h"

static struct gang **bucket_of(struct sgang_conductor *c, const char *ns,
			       const char *name)
{
	uint64_t hash = sgang_hash_text(SGANG_HASH_SEED, ns);

	hash = sgang_hash_text(hash, name);
	return &c->bucket[hash % SGANG_BUCKETS];
}

struct gang *sgang_registry_find(struct sgang_conductor *c, const char *ns,
				 const char *name)
{
	for (struct gang *g = *bucket_of(c, ns, name); g; g = g->chain) {
		if (!strcmp(g->name, name) && !strcmp(g->ns, ns))
			return g;
	}
	return NULL;
}

bool sgang_registry_any_left(const struct sgang_conductor *c,
			     const struct gang *g)
{
	struct sgang_job_info info = { .state = SGANG_JOB_ENDED };

	for (size_t i = 0; i < g->n_entries; i++) {
		struct sgang_job *job =
			c->host->jobs.find(g->entries[i]->job_id);

		if (job)
			c->host->jobs.info(job, &info);
		if (info.state != SGANG_JOB_ENDED)
			return true;
	}
	return false;
}

struct gang *sgang_registry_get(struct sgang_conductor *c, const char *ns,
				const char *name)
{
	struct gang **bucket, *g = sgang_registry_find(c, ns, name);

	if (g)
		return g;
	g = calloc(1, sizeof(*g));
	if (!g)
		return NULL;
	strncpy(g->ns, ns, sizeof(g->ns) - 1);
	strncpy(g->name, name, sizeof(g->name) - 1);
	g->phase = SGANG_PHASES; /* none yet */
	g->topology = c->topologies ? &c->topologies->topology[0] : NULL;
	g->next = c->gangs;
	c->gangs = g;
	bucket = bucket_of(c, ns, name);
	g->chain = *bucket;
	*bucket = g;
	return g;
}

void sgang_lookup_drop(struct sgang_conductor *c, struct gang *g)
{
	struct gang **at = bucket_of(c, g->ns, g->name);

	while (*at != g)
		at = &(*at)->chain;
	*at = g->chain;
}

struct entry *sgang_lookup_entry(const struct sgang_conductor *c,
				 uint32_t job_id)
{
	struct entry *e = c->entry_bucket[job_id % SGANG_ENTRY_BUCKETS];

	while (e && e->job_id != job_id)
		e = e->chain;
	return e;
}

struct entry *sgang_registry_entry(const struct sgang_conductor *c,
				   uint32_t job_id)
{
	struct entry *e = sgang_lookup_entry(c, job_id);

	return (e && sgang_registry_seen(c, e)) ? e : NULL;
}

/* Tasks of an array, and jobs with a reused id, have their environment at
 * another address. */
bool sgang_conductor_spec(const struct sgang_conductor *c, uint32_t job_id,
			  char *const *env, size_t n_env,
			  struct sgang_spec *spec)
{
	const struct entry *e = sgang_registry_entry(c, job_id);

	if (!e || e->env != env || e->n_env != n_env)
		return false;
	*spec = e->spec;
	return true;
}

const struct sgang_topology *
sgang_registry_topology(const struct sgang_conductor *c,
			struct gang *const *gangs, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (gangs[i]->topology != gangs[0]->topology)
			return &c->topologies->topology[0];
	}
	return gangs[0]->topology;
}
