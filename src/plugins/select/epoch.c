/* SPDX-License-Identifier: GPL-2.0-or-later */
/* epoch.c - each change of who is in a gang has a number, and its members know
 *
 * Once a gang has started, a member that is lost and one that comes later each
 * begin an epoch. Its number and a hash of who is in are in the records, so that
 * a restart of slurmctld neither misses a change nor makes one up. Members are
 * told when the number is on disk: the same number never means two things. That
 * costs a save of the job state, so they are told at most once a second, all at
 * once, each of the last epoch of its gang.
 */

#include <stdlib.h>

#include "conductor_private.h"
#include "core/base/hash.h"

/* Added up over the members, in any order. */
static uint32_t who_is(uint32_t rank, uint32_t job_id)
{
	uint64_t hash = sgang_hash(sgang_hash(SGANG_HASH_SEED, rank), job_id);

	return (uint32_t)(hash ^ hash >> 32);
}

/* What the records say that an earlier slurmctld has written. */
static void recover(struct gang *g)
{
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct sgang_record *r = &g->entries[i]->record;

		if (!g->entries[i]->has_record || r->epoch <= g->epoch.number)
			continue;
		g->epoch.number = r->epoch;
		g->epoch.who = r->epoch_who;
	}
}

/* Those that were found again after a restart may run already, and know it. */
void sgang_epoch_begin(struct gang *g)
{
	uint32_t who = 0;

	if (!g->epoch.number)
		recover(g);
	for (size_t i = 0; i < g->hold.n; i++)
		who += who_is((uint32_t)i, g->hold.members[i].job_id);
	g->epoch.due = false; /* it is in their environment */
	if (g->epoch.number && g->hold.adopted && who == g->epoch.who)
		return;
	g->epoch.number++;
	g->epoch.who = who;
}

void sgang_epoch_heir(struct sgang_conductor *c, struct gang *g, uint32_t rank,
		      uint32_t job_id)
{
	g->epoch.number++;
	g->epoch.who += who_is(rank, job_id);
	g->epoch.due = true;
	sgang_conductor_poke(c);
}

static void check(struct gang *g)
{
	uint32_t who = 0;
	size_t seated = 0;

	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];

		if (e->m.state != SGANG_MEMBER_RUNNING || !e->has_record ||
		    !e->record.placed)
			continue;
		seated++;
		who += who_is(e->record.member_rank, e->job_id);
	}
	if (!seated || (g->epoch.number && who == g->epoch.who))
		return;
	g->epoch.due = true;
	g->epoch.number++;
	g->epoch.who = who;
}

void sgang_epoch_check_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (!g->tally_of || g->epoch.of != g->tally_of) {
			if (!g->epoch.number)
				recover(g);
			g->epoch.of = g->tally_of;
			if (g->tally.started && !g->hold.n)
				check(g);
		}
		/* The number is saved before anybody is told. */
		if (g->epoch.due && !g->hold.n && c->host->now() > c->told)
			c->changed = true;
	}
}
