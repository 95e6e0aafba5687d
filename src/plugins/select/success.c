/* SPDX-License-Identifier: GPL-2.0-or-later */
/* success.c - a gang that is done before all of its members are
 *
 * Servers among the members never end by themselves. Once the leader, or as
 * many members as --gang-on-success says, have completed, the rest is
 * cancelled, also pending members. --gang-on-failure does not count these as
 * lost. The options of its own user decide about a member (core/gang/own.h).
 */

#include <stdio.h>

#include "conductor_private.h"
#include "faults.h"
#include "plugins/log.h"

static bool is_done(const struct gang *g, uint32_t on_success)
{
	if (on_success == SGANG_ON_SUCCESS_LEADER)
		return g->below.leader;
	return sgang_on_success_counts(on_success) &&
	       g->below.done >= on_success;
}

static void end_one(struct sgang_conductor *c, struct gang *g,
		    const struct entry *e)
{
	char why[SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + 128];

	if (e->m.on_success == SGANG_ON_SUCCESS_LEADER)
		snprintf(
			why, sizeof(why),
			"Gang %s/%s is done: its leader, job %u, has completed",
			g->ns, g->name, g->below.leader);
	else
		snprintf(why, sizeof(why),
			 "Gang %s/%s is done: %u of its members have completed",
			 g->ns, g->name, g->below.done);
	sgang_log(SGANG_LOG_INFO, "%s; job %u ends", why, e->job_id);
	sgang_publish_end(c, g, e->job, SGANG_PHASE_FINISHED, why);
}

/* Members submitted after the gang was done belong to the next gang of that
 * name. If no member runs, these are all that no pass has seen together with
 * members that ran. */
static bool is_concerned(const struct gang *g, const struct entry *e)
{
	if (!is_done(g, e->m.on_success))
		return false;
	if (e->m.state != SGANG_MEMBER_PENDING)
		return true;
	return !g->below.over &&
	       (g->tally.started || (e->has_record && e->record.satisfied));
}

static void check(struct sgang_conductor *c, struct gang *g)
{
	bool any = false, counts = false;

	for (size_t i = 0; i < g->n_entries; i++)
		counts |= sgang_on_success_counts(g->entries[i]->m.on_success);
	if (!counts)
		return;
	sgang_below_recover(g);
	for (size_t i = 0; i < g->n_entries; i++) {
		if (!is_concerned(g, g->entries[i]))
			continue;
		sgang_fault_die("end", i + 1);
		end_one(c, g, g->entries[i]);
		any = true;
	}
	if (!any)
		return;
	sgang_fault_die("ended", 1);
	g->below.over = true;
	sgang_registry_renew(c, g);
}

void sgang_success_check_all(struct sgang_conductor *c)
{
	for (struct gang *g = c->gangs; g; g = g->next) {
		if (g->stale || g->preempt.evicted || sgang_hold_doubtful(g) ||
		    sgang_cold_any_again(g))
			continue;
		if (g->tally.started || (g->tally.satisfied && g->below.of))
			check(c, g);
		else if (!g->lost.member && !g->tally.satisfied)
			sgang_below_forget(g);
	}
}
