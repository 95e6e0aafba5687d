/* SPDX-License-Identifier: GPL-2.0-or-later */
/* epoch.c - each change of the members of a gang has a number
 *
 * Once a gang has started, an epoch begins when a member is lost, when a member
 * starts late, and when a node of the gang begins or ceases to drain. The
 * records have the number of the epoch and a hash of the members and the
 * draining nodes, so after a restart slurmctld neither misses a change nor
 * invents one. Members are told after the number is saved: a number never means
 * two states. An epoch costs a save of the job state, so all gangs are told
 * together, at most once a second, of their latest epoch.
 */

#include <stdlib.h>

#include "conductor_private.h"
#include "core/base/hash.h"
#include "faults.h"

/* The term of a member in the hash; a sum, so the order is free. */
static uint32_t who_is(uint32_t rank, uint32_t job_id)
{
	uint64_t hash = sgang_hash(sgang_hash(SGANG_HASH_SEED, rank), job_id);

	return (uint32_t)(hash ^ hash >> 32);
}

/* Read the epoch from the records of an earlier slurmctld, which may have died
 * before it told the members. Members ignore an epoch they know. */
static void recover(struct gang *g)
{
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct sgang_record *r = &g->entries[i]->record;

		if (!g->entries[i]->has_record || r->epoch <= g->epoch.number)
			continue;
		g->epoch.number = r->epoch;
		g->epoch.who = r->epoch_who;
		g->epoch.due = true;
	}
}

void sgang_epoch_recover_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next)
		recover(g);
}

/* Keep the hash of these members and this state of the nodes. */
static void keep(struct sgang_conductor *c, struct gang *g, uint32_t members,
		 uint32_t drains)
{
	g->epoch.members = members;
	g->epoch.drains = drains;
	g->epoch.drains_of = c->drains.version;
}

/* Members found after a restart may run already with this epoch. */
void sgang_epoch_begin(struct sgang_conductor *c, struct gang *g)
{
	uint32_t members = 0, drains = 0;

	if (!g->epoch.number)
		recover(g);
	for (size_t i = 0; i < g->hold.n; i++) {
		uint32_t id = g->hold.members[i].job_id;

		members += who_is((uint32_t)i, id);
		drains += sgang_drains_hash(c, c->host->jobs.find(id),
					    (uint32_t)i);
	}
	keep(c, g, members, drains);
	g->epoch.due = false; /* the environment has it */
	if (g->epoch.number && g->hold.adopted &&
	    members + drains == g->epoch.who)
		return;
	g->epoch.number++;
	g->epoch.who = members + drains;
}

void sgang_epoch_heir(struct sgang_conductor *c, struct gang *g, uint32_t rank,
		      uint32_t job_id)
{
	uint32_t who = who_is(rank, job_id), drains;

	if (!g->epoch.number)
		recover(g);
	if (!c->drains.nodes)
		sgang_drains_look(c);
	drains = rank == SGANG_RANK_SPARE ?
			 0 :
			 sgang_drains_hash(c, c->host->jobs.find(job_id), rank);

	g->epoch.number++;
	g->epoch.members += who;
	g->epoch.drains += drains;
	g->epoch.who += who + drains;
	g->epoch.due = true;
	sgang_conductor_poke(c);
}

static bool is_in(const struct entry *e)
{
	return e->m.state == SGANG_MEMBER_RUNNING && e->has_record &&
	       e->record.placed;
}

static uint32_t which_drain(struct sgang_conductor *c, const struct gang *g)
{
	uint32_t drains = 0;

	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (is_in(e))
			drains += sgang_drains_hash(c, e->job,
						    e->record.member_rank);
	}
	return drains;
}

static void check(struct sgang_conductor *c, struct gang *g)
{
	uint32_t members = 0;
	size_t seated = 0;

	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (is_in(e))
			members += who_is(e->record.member_rank, e->job_id);
		else if (sgang_ranks_spare(c, e))
			members += who_is(SGANG_RANK_SPARE, e->job_id);
		else
			continue;
		seated++;
	}
	/* A member may end before an epoch is told, which notes the seats, too:
	 * who takes its seat has the ranks that it had. */
	if (members != g->epoch.members)
		(void)sgang_ranks_look(c, g, 0);
	if (members != g->epoch.members ||
	    g->epoch.drains_of != c->drains.version)
		keep(c, g, members, which_drain(c, g));
	if (!seated || (g->epoch.number &&
			g->epoch.members + g->epoch.drains == g->epoch.who))
		return;
	g->epoch.due = true;
	g->epoch.number++;
	g->epoch.who = g->epoch.members + g->epoch.drains;
}

static void look(struct sgang_conductor *c, struct gang *g)
{
	if (!g->epoch.number)
		recover(g);
	if (g->tally.started && !g->hold.n)
		check(c, g);
	else
		keep(c, g, 0, 0);
	g->epoch.of = g->tally_of;
}

void sgang_epoch_check_all(struct sgang_conductor *c)
{
	bool known = c->fabric && c->drains.nodes;

	for (struct gang *g = c->gangs; g; g = g->next) {
		/* a stale gang waits for the next pass */
		if (known && !g->stale &&
		    (!g->tally_of || g->epoch.of != g->tally_of ||
		     g->epoch.drains_of != c->drains.version))
			look(c, g);
		/* The number is saved before members are told. */
		if (!g->epoch.due || g->hold.n || c->host->now() <= c->told)
			continue;
		c->changed = true;
		sgang_fault_die("epoch", 1);
	}
}
