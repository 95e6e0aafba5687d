/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pool.c - cold spares for several gangs
 *
 *	sgang create POOL --pool        sbatch --gang=POOL
 *	        |                              |
 *	(no member starts)      (waits) --> RESERVED, a cold spare of the pool
 *	                                       |
 *	    a gang with --gang-spare-pool=POOL | loses a member: move
 *	                                       v
 *	                        a cold spare of that gang --> PROMOTED
 *
 * The members of a pool are cold spares (cold_spare.c) without a gang. When a
 * gang that names the pool has lost a member while others run, and no spare of
 * its own fits, one of the pool becomes its member for good: the options in the job are replaced
 * by those of the lost member. spare.c then gives it the seat. Options, record
 * and nodes are in one job record, which Slurm saves as a whole: after a restart
 * the spare is in the pool or in the gang.
 *
 * A job runs with the script and the rights of its user, so a spare replaces
 * only members of the same user.
 */

#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"
#include "core/base/hash.h"
#include "faults.h"
#include "plugins/log.h"

struct gang *sgang_pool_of(struct sgang_conductor *c, const struct gang *g)
{
	const char *name = g->tally.spec.spare_pool;
	struct gang *pool = name[0] ? sgang_registry_find(c, g->ns, name) :
				      NULL;

	return pool && pool != g && !pool->stale && pool->tally.spec.pool ?
		       pool :
		       NULL;
}

uint64_t sgang_pool_state(const struct gang *pool)
{
	uint64_t hash = SGANG_HASH_SEED;

	for (size_t i = 0; i < pool->n_entries; i++)
		hash = sgang_hash(hash, pool->entries[i]->look);
	return hash;
}

/* ---- which spare may take the seat ---- */

static bool says(struct sgang_conductor *c, struct sgang_job *job,
		 struct sgang_spec *spec)
{
	struct sgang_job_info info;

	c->host->jobs.info(job, &info);
	return sgang_spec_of_job(spec, info.env, info.n_env, info.user, NULL) ==
	       1;
}

/* The member that had the seat, if its options are those of this gang. */
static struct sgang_job *lost_member(struct sgang_conductor *c,
				     const struct gang *g,
				     const struct seat *seat)
{
	struct sgang_job *job = seat->job_id ?
					c->host->jobs.find(seat->job_id) :
					NULL;
	struct sgang_spec spec;

	return job && says(c, job, &spec) && !strcmp(spec.ns, g->ns) &&
			       !strcmp(spec.name, g->name) ?
		       job :
		       NULL;
}

/* In a gang of several users nobody knows whose a forgotten member was. */
static bool has_one_user(const struct gang *g)
{
	for (size_t i = 1; i < g->n_entries; i++) {
		if (g->entries[i]->m.uid != g->entries[0]->m.uid)
			return false;
	}
	return true;
}

struct sgang_job *sgang_pool_model(struct sgang_conductor *c,
				   const struct gang *g, uint32_t rank)
{
	const struct seat *lost = &g->seats.seat[rank];
	struct sgang_job *job = lost_member(c, g, lost);

	for (uint32_t i = 0; !job && i < g->seats.n && has_one_user(g); i++) {
		const struct seat *seat = &g->seats.seat[i];

		if (seat->owner && seat->ranks == lost->ranks)
			job = c->host->jobs.find(seat->owner->job_id);
	}
	return job;
}

/* True if the levels that the gang asks for allow the nodes of the spare in the
 * place of the model. */
static bool is_allowed(struct sgang_conductor *c, struct gang *g,
		       struct sgang_job *model, struct sgang_job *spare)
{
	uint32_t n_nodes = c->host->nodes.count(), has = 0, left = 0;
	struct sgang_nodeset *nodes = sgang_nodeset_create(n_nodes);
	struct sgang_nodeset *one = sgang_nodeset_create(n_nodes);
	struct sgang_spec spec;
	int level;

	if (nodes && one && says(c, model, &spec)) {
		c->host->jobs.nodes(spare, nodes);
		has = sgang_nodeset_count(nodes);
		level = sgang_late_member_cut(c, g, &spec, NULL, nodes);
		left = sgang_nodeset_count(nodes);
		if (level >= 0 && sgang_fabric_split(g->topology->fabric, nodes,
						     (uint32_t)level, one))
			left = sgang_nodeset_count(one);
	}
	sgang_nodeset_destroy(nodes);
	sgang_nodeset_destroy(one);
	return has && left == has;
}

bool sgang_pool_fits(struct sgang_conductor *c, struct gang *g,
		     const struct entry *e, struct sgang_job *model)
{
	struct sgang_job *spare = c->host->jobs.find(e->job_id);

	return spare && model && sgang_cold_may_yield(c, e->gang, e->job_id) &&
	       c->host->jobs.replaces(spare, model) &&
	       is_allowed(c, g, model, spare);
}

/* ---- the move ---- */

/* The options of the spare, as those of that job. NULL without memory. */
static char **options_of(struct sgang_conductor *c, struct sgang_job *spare,
			 struct sgang_job *model, size_t *n)
{
	struct sgang_job_info own, other;

	c->host->jobs.info(spare, &own);
	c->host->jobs.info(model, &other);
	return sgang_spec_env_of(own.env, own.n_env, other.env, other.n_env, n);
}

/* The caller has made room in the list of cold spares. */
static void move_cold(struct gang *from, struct gang *to, uint32_t job_id)
{
	struct cold *cold = sgang_cold_find(from, job_id);

	if (!cold)
		return;
	*sgang_cold_add(to, job_id, cold->state) = *cold;
	sgang_cold_take_out(from, cold);
}

/* What its record remembers of the pool must not count for the gang, also when
 * there is no memory to read it again. */
static int take_record(struct sgang_conductor *c, const struct gang *g,
		       struct entry *e, struct sgang_job *spare)
{
	struct sgang_record r = e->record;

	strcpy(r.ns, g->ns);
	strcpy(r.name, g->name);
	r.pool = false;
	if (sgang_publish_write(c, spare, &r) < 0)
		return -1;
	e->record = r;
	return 0;
}

int sgang_pool_move(struct sgang_conductor *c, struct gang *g, struct entry *e,
		    struct sgang_job *model)
{
	struct sgang_job *spare = c->host->jobs.find(e->job_id);
	struct gang *pool = e->gang;
	char **options;
	size_t n;

	if (!spare || sgang_cold_room(g) < 0 || sgang_registry_room(g) < 0)
		return -1;
	options = options_of(c, spare, model, &n);
	if (!options || take_record(c, g, e, spare) < 0) {
		free(options);
		return -1;
	}
	c->host->jobs.options(spare, options, n);
	free(options);
	move_cold(pool, g, e->job_id);
	sgang_registry_move(c, e, g);
	sgang_registry_refresh(c, pool);
	sgang_registry_refresh(c, g); /* its user's policies */
	c->changed = true;
	sgang_log(SGANG_LOG_INFO, "%s/%s: job %u of pool %s is a member now",
		  g->ns, g->name, e->job_id, pool->name);
	sgang_fault_die("moved", 1);
	return 0;
}
