/* SPDX-License-Identifier: GPL-2.0-or-later */
/* preempt.c - PreemptType=preempt/partition_prio: jobs of higher tiers take the
 * nodes of those of lower ones
 *
 * A victim gives its nodes back at once: grace times are not modelled. */

#include "twin_private.h"

/* Slurm's order: those of the lowest tier first, of these those that started
 * last. */
static bool goes_before(const struct sgang_job *a, const struct sgang_job *b)
{
	if (a->partition->tier != b->partition->tier)
		return a->partition->tier < b->partition->tier;
	return a->start != b->start ? a->start > b->start : a > b;
}

void sgang_twin_candidates(const struct sgang_job *j, struct twin_list *list)
{
	list->n = 0;
	for (size_t i = 0; i < the.running.n; i++) {
		struct sgang_job *other = the.running.at[i];

		if (other->partition->preempted &&
		    other->partition->tier < j->partition->tier)
			sgang_twin_insert(list, other, goes_before);
	}
}

void sgang_twin_preempt(struct sgang_job *victim)
{
	the.outcome->victims++;
	the.woken = true;
	if (victim->partition->requeues)
		sgang_twin_requeue(victim,
				   the.now + (int64_t)the.rules->requeue_delay);
	else
		sgang_twin_end(victim, SGANG_OUTCOME_PREEMPTED);
	if (victim->spec)
		sgang_conductor_ended(the.conductor, victim,
				      SGANG_HOLD_END_PREEMPTED);
}
