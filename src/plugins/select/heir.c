/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heir.c - the seat of a member that starts after its gang
 *
 * Slurm starts late members one by one: new members, requeued members, the next
 * tasks of a throttled array. When Slurm has allocated its nodes, and before
 * the launch, such a member takes a seat (member_ranks.c): the seat it had
 * before, else the first vacant seat with as many ranks, else a new seat at the
 * end of the ring, unless the gang wants another spare (spare.c). The other
 * members keep their seats, and no seat has two owners.
 */

#include <stdlib.h>

#include "conductor_private.h"
#include "faults.h"
#include "plugins/log.h"

static int describe(struct sgang_conductor *c, struct gang *g,
		    struct sgang_job *job, uint32_t rank)
{
	struct seated *seated = sgang_ranks_list(c, g);
	int rc = -1;

	if (!seated)
		return -1;
	seated[rank].job = job;
	seated[rank].job_id = g->seats.seat[rank].job_id;
	seated[rank].record = NULL;
	rc = sgang_describe_late(c, g, seated, g->seats.n, &rank, 1,
				 &g->seats.ring);
	free(seated);
	return rc;
}

int sgang_heir_seat(struct sgang_conductor *c, struct gang *g,
		    struct sgang_job *job, uint32_t job_id, uint32_t rank,
		    uint32_t ranks)
{
	bool vacant = rank < g->seats.n;
	uint32_t before = vacant ? g->seats.seat[rank].job_id : 0;

	if (sgang_ranks_take(g, rank, job_id, ranks) < 0)
		return -1;
	sgang_epoch_heir(c, g, rank, job_id);
	if (describe(c, g, job, rank) < 0)
		return -1;
	g->seats.changes++;
	sgang_log(SGANG_LOG_INFO,
		  "%s/%s: job %u starts with member rank %u of %u", g->ns,
		  g->name, job_id, rank, g->seats.n);
	if (vacant && before != job_id && sgang_spares_any(g))
		sgang_ends_replaced(c, g, rank, before);
	return 0;
}

/* True if a member that would get a new seat becomes a spare. One that was
 * requeued may have lost its seat to a spare of the pool. */
static bool wants_spare(const struct sgang_conductor *c, const struct gang *g,
			uint32_t job_id)
{
	const struct entry *own = sgang_lookup_entry(c, job_id);
	uint32_t spares = 0;

	if (own && own->restarts && g->tally.spec.spare_pool[0])
		return true;
	for (size_t i = 0; i < g->n_entries; i++)
		spares += sgang_ranks_spare(c, g->entries[i]) != NULL;
	return spares < g->tally.spec.spares;
}

bool sgang_heir_is_spare(struct sgang_conductor *c, struct gang *g,
			 uint32_t job_id, uint32_t ranks)
{
	return sgang_ranks_look(c, g, job_id) == 0 &&
	       sgang_ranks_find(c, g, job_id, ranks) == g->seats.n &&
	       wants_spare(c, g, job_id);
}

static int begin_spare(struct sgang_conductor *c, struct gang *g,
		       struct sgang_job *job, uint32_t job_id)
{
	struct seated *seated = sgang_ranks_list(c, g);
	int rc;

	if (!seated)
		return -1;
	sgang_epoch_heir(c, g, SGANG_RANK_SPARE, job_id);
	rc = sgang_describe_spare(c, g, seated, g->seats.n, job, job_id);
	free(seated);
	if (rc == 0)
		sgang_log(SGANG_LOG_INFO, "%s/%s: job %u starts as a spare",
			  g->ns, g->name, job_id);
	return rc;
}

static int begin(struct sgang_conductor *c, struct gang *g, struct entry *e,
		 const struct sgang_job_info *info)
{
	uint32_t ranks = info->ranks, nodes, rank;
	struct sgang_nodeset *own =
		sgang_nodeset_create(c->host->nodes.count());

	if (!own)
		return -1;
	c->host->jobs.nodes(info->job, own);
	nodes = sgang_nodeset_count(own);
	sgang_nodeset_destroy(own);
	if (ranks < nodes)
		ranks = nodes;
	if (sgang_ranks_look(c, g, e->job_id) < 0)
		return -1;
	rank = sgang_ranks_find(c, g, e->job_id, ranks);
	if (rank == g->seats.n && wants_spare(c, g, e->job_id))
		return begin_spare(c, g, info->job, e->job_id);
	return sgang_heir_seat(c, g, info->job, e->job_id, rank, ranks);
}

/* ---- members that follow together ---- */

/* A hold takes a seat. */
static int seat_hold(struct sgang_conductor *c, struct gang *g,
		     const struct hold *hold, uint32_t *rank)
{
	struct sgang_job *job = c->host->jobs.find(hold->job_id);
	uint32_t ranks;

	*rank = g->seats.n;
	if (!job)
		return 0;
	if (!sgang_lookup_entry(c, hold->job_id)) /* just split off its array */
		sgang_registry_note(c, job);
	ranks = sgang_ranks_of(c, job);
	*rank = sgang_ranks_find(c, g, hold->job_id, ranks);
	if (sgang_ranks_take(g, *rank, hold->job_id, ranks) < 0)
		return -1;
	return sgang_ranks_own(c, g, *rank) ? 0 : -1;
}

/* Holds that were found again after a restart have seats by their records: those
 * are theirs to take. */
static void vacate(const struct sgang_conductor *c, struct gang *g)
{
	for (size_t i = 0; i < g->hold.n; i++) {
		const struct entry *e =
			sgang_lookup_entry(c, g->hold.members[i].job_id);

		if (e && e->has_record && e->record.placed &&
		    e->record.member_rank < g->seats.n &&
		    g->seats.seat[e->record.member_rank].owner == e)
			g->seats.seat[e->record.member_rank].owner = NULL;
	}
}

/* Its record says again that it is a hold. */
static int hold_again(struct sgang_conductor *c, struct gang *g,
		      struct hold *hold)
{
	struct sgang_job *job = c->host->jobs.find(hold->job_id);
	struct sgang_job_info info;

	if (!job)
		return 0;
	c->host->jobs.info(job, &info);
	if (sgang_record_parse(info.comment, &hold->record) != 1)
		return -1;
	hold->record.phase = SGANG_PHASE_STARTING;
	hold->record.started = 0;
	hold->record.since = g->hold.since;
	hold->record.round = g->attempt.nth;
	if (sgang_publish_write(c, job, &hold->record) < 0)
		return -1;
	sgang_registry_note(c, job);
	return 0;
}

/* Tell the first 'n' holds, with these ranks, who all the others are. */
static int describe_holds(struct sgang_conductor *c, struct gang *g,
			  const uint32_t *rank, size_t n)
{
	struct seated *seated = sgang_ranks_list(c, g);
	int rc = -1;

	for (size_t i = 0; seated && i < n; i++)
		seated[rank[i]].record = NULL;
	if (seated)
		rc = sgang_describe_late(c, g, seated, g->seats.n, rank, n,
					 &g->seats.ring);
	free(seated);
	return rc;
}

static int seat_holds(struct sgang_conductor *c, struct gang *g)
{
	uint32_t *rank = calloc(g->hold.n + 1, sizeof(*rank));
	int rc = rank ? sgang_ranks_look(c, g, 0) : -1;
	size_t n = 0;

	vacate(c, g);
	for (size_t i = 0; rc == 0 && i < g->hold.n; i++) {
		rc = seat_hold(c, g, &g->hold.members[i], &rank[n]);
		n += rank[n] < g->seats.n;
	}
	if (rc == 0)
		rc = describe_holds(c, g, rank, n);
	free(rank);
	for (size_t i = 0; rc == 0 && i < g->hold.n; i++)
		rc = hold_again(c, g, &g->hold.members[i]);
	if (rc < 0)
		return -1;
	g->seats.changes++;
	g->hold.described = true;
	return 0;
}

int sgang_heir_describe(struct sgang_conductor *c, struct gang *g,
			const struct sgang_placement *plan)
{
	return sgang_branches_join(g) && c->fabric ?
		       seat_holds(c, g) :
		       sgang_describe_holds(c, g, plan);
}

void sgang_conductor_begins(struct sgang_conductor *c, struct sgang_job *job)
{
	struct sgang_job_info info;
	bool fresh = false;
	struct entry *e;

	if (c->committing_cold) /* the caller describes it */
		return;
	c->host->jobs.info(job, &info);
	e = sgang_lookup_entry(c, info.job_id);
	if (!e) { /* a task just split off its array */
		sgang_registry_note(c, job);
		e = sgang_lookup_entry(c, info.job_id);
		fresh = true;
	}
	/* During an attempt the tally does not call the gang ordinary, and must
	 * not be renewed before all its members have their nodes. */
	if (!e || !c->conf.gangs || !c->fabric || !e->gang->topology ||
	    e->hold || !sgang_branches_ordinary(e->gang, &e->spec))
		return;
	if (fresh) /* its record needs the policies of its gang */
		sgang_registry_refresh(c, e->gang);
	sgang_fault_die("seat", 1);
	if (begin(c, e->gang, e, &info) == 0)
		sgang_registry_note(c, job);
	else
		sgang_log(SGANG_LOG_ERROR,
			  "%s/%s: no memory for SLURM_GANG_* of job %u",
			  e->gang->ns, e->gang->name, e->job_id);
	sgang_fault_die("seated", 1);
}
