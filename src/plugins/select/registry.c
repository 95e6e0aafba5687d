/* SPDX-License-Identifier: GPL-2.0-or-later */
/* registry.c - the gangs, as the job records show them */

#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"
#include "plugins/log.h"

/* FNV-1a over "ns/name". */
static struct gang **bucket_of(struct sgang_conductor *c, const char *ns,
			       const char *name)
{
	uint32_t hash = 2166136261u;

	for (const char *p = ns; *p; p++)
		hash = (hash ^ (unsigned char) *p) * 16777619u;
	hash = (hash ^ '/') * 16777619u;
	for (const char *p = name; *p; p++)
		hash = (hash ^ (unsigned char) *p) * 16777619u;
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
	g->phase = SGANG_PHASES;	/* none yet */
	g->next = c->gangs;
	c->gangs = g;
	bucket = bucket_of(c, ns, name);
	g->chain = *bucket;
	*bucket = g;
	return g;
}

static void clear_entries(struct gang *g)
{
	for (size_t i = 0; i < g->n_entries; i++)
		free(g->entries[i].comment);
	g->n_entries = 0;
}

void sgang_registry_free(struct gang *g)
{
	clear_entries(g);
	free(g->entries);
	free(g->holds);
	sgang_nodeset_destroy(g->parts);
	sgang_nodeset_destroy(g->limit);
	free(g);
}

static struct entry *add_entry(struct gang *g)
{
	struct entry *e;

	if (g->n_entries == g->cap_entries) {
		size_t cap = g->cap_entries ? g->cap_entries * 2 : 8;

		e = realloc(g->entries, cap * sizeof(*e));
		if (!e)
			return NULL;
		g->entries = e;
		g->cap_entries = cap;
	}
	e = &g->entries[g->n_entries++];
	memset(e, 0, sizeof(*e));
	return e;
}

static bool is_hold(const struct gang *g, uint32_t job_id)
{
	for (size_t i = 0; i < g->n_holds; i++) {
		if (g->holds[i].job_id == job_id)
			return true;
	}
	return false;
}

/* A job that was allocated but not launched is a hold of ours when we remember
 * it, or when its record says so (slurmctld was restarted meanwhile). A member
 * of a gang that has started may be configuring for Slurm's own reasons. */
static enum sgang_member_state member_state(const struct gang *g,
					    const struct entry *e,
					    const struct sgang_job_info *info)
{
	switch (info->state) {
	case SGANG_JOB_PENDING:
		return SGANG_MEMBER_PENDING;
	case SGANG_JOB_CONFIGURING:
		if (is_hold(g, info->job_id) ||
		    (e->has_record && !e->record.satisfied &&
		     e->record.phase == SGANG_PHASE_STARTING))
			return SGANG_MEMBER_HELD;
		return SGANG_MEMBER_RUNNING;
	default:
		return SGANG_MEMBER_RUNNING;
	}
}

static void collect_one(const struct sgang_job_info *info, void *arg)
{
	struct sgang_conductor *c = arg;
	struct sgang_spec spec;
	struct gang *g;
	struct entry *e;

	if (info->state == SGANG_JOB_ENDED ||
	    sgang_spec_of_job(&spec, info->env, info->n_env, info->user,
			      NULL) != 1)
		return;
	g = sgang_registry_get(c, spec.ns, spec.name);
	e = g ? add_entry(g) : NULL;
	if (!e) {
		sgang_log(SGANG_LOG_ERROR, "no memory for job %u of gang %s/%s",
			  info->job_id, spec.ns, spec.name);
		if (g)
			g->stale = true;
		return;
	}
	e->job = info->job;
	e->job_id = info->job_id;
	e->parked = info->parked;
	e->comment = info->comment ? strdup(info->comment) : NULL;
	if (info->comment && !e->comment)
		g->stale = true;
	e->has_record = sgang_record_parse(info->comment, &e->record) == 1;
	e->m.spec = spec;
	e->m.state = member_state(g, e, info);
	e->m.tasks = info->tasks;
	e->m.eligible = info->eligible;
	e->m.satisfied = e->has_record && e->record.satisfied;
	if (e->has_record) {
		e->m.known_min = e->record.min_member;
		e->m.known_total = e->record.total;
	}
	if (e->has_record && e->record.attempts > g->attempts)
		g->attempts = e->record.attempts;	/* after a restart */
	e->m.job_id = info->array_id ? info->array_id : info->job_id;
	e->m.task_id = info->task_id;
	e->m.priority = info->priority;
	e->m.submit_time = info->submit_time;
}

void sgang_registry_tally(struct gang *g)
{
	const struct sgang_member **members;

	members = calloc(g->n_entries ? g->n_entries : 1, sizeof(*members));
	if (members) {
		for (size_t i = 0; i < g->n_entries; i++)
			members[i] = &g->entries[i].m;
	}
	if (!members ||
	    sgang_gang_tally(members, g->n_entries, &g->tally) < 0) {
		/* Without numbers nothing is done to the gang in this pass. */
		memset(&g->tally, 0, sizeof(g->tally));
		g->stale = true;
		sgang_log(SGANG_LOG_ERROR, "no memory for gang %s/%s", g->ns,
			  g->name);
	}
	free(members);
	/* The key has the namespace resolved; so has every entry. */
	strcpy(g->tally.spec.ns, g->ns);
	strcpy(g->tally.spec.name, g->name);
}

/* Where could members that are still pending go? Needed by the fence only, so
 * a lack of memory just makes the fence smaller. */
static void collect_parts(struct sgang_conductor *c, struct gang *g)
{
	const struct sgang_host *h = c->host;
	struct sgang_nodeset *one;

	sgang_nodeset_destroy(g->parts);
	g->idle_known = false;
	g->parts = sgang_nodeset_create(h->node_count());
	one = sgang_nodeset_create(h->node_count());
	for (size_t i = 0; g->parts && one && i < g->n_entries; i++) {
		if (g->entries[i].m.state != SGANG_MEMBER_PENDING)
			continue;
		sgang_nodeset_clear(one);
		h->partition(g->entries[i].job, one);
		sgang_nodeset_or(g->parts, one);
	}
	sgang_nodeset_destroy(one);
}

void sgang_registry_collect(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		clear_entries(g);
		g->stale = false;
	}
	c->host->jobs(collect_one, c);
	c->n_members = 0;
	for (struct gang *g = c->gangs; g; g = g->next) {
		sgang_registry_tally(g);
		c->n_members += g->tally.pending + g->tally.held +
				g->tally.running;
		if (sgang_gang_may_start(&g->tally))
			collect_parts(c, g);
	}
}

static void unchain(struct sgang_conductor *c, struct gang *g)
{
	struct gang **at = bucket_of(c, g->ns, g->name);

	while (*at != g)
		at = &(*at)->chain;
	*at = g->chain;
}

void sgang_registry_sweep(struct sgang_conductor *c)
{
	struct gang **at = &c->gangs;

	while (*at) {
		struct gang *g = *at;

		for (size_t i = 0; i < g->n_entries; i++)
			g->entries[i].job = NULL;
		if (!g->n_holds && !g->stale && !g->tally.pending &&
		    !g->tally.running && !g->tally.held) {
			*at = g->next;
			unchain(c, g);
			sgang_registry_free(g);
		} else {
			at = &g->next;
		}
	}
}
