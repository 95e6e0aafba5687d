/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attempt.c - transactions for gangs: plan, commit or roll back */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"
#include "faults.h"
#include "plugins/log.h"

/* The number of members that would fit takes some more plans. Gangs beyond this
 * size do without. */
#define COUNTED_PARTS 128

/* The most rounds. In each, all gangs before the one that does not fit are
 * committed and rolled back. */
#define ROUNDS_MAX 3

/* The most places of a level that are tried when Slurm refuses the plan. */
#define PLACES_MAX 4

/* How what fits is committed. */
enum how { WHOLE, IN_SLICES, DRY };

/* ---- commit ---- */

static void planned_nodes(const struct attempt *a, size_t part,
			  struct sgang_nodeset *nodes)
{
	if (a->parts[part].probed->split) {
		/* just the nodes found for it */
		sgang_nodeset_clear(nodes);
		sgang_nodeset_or(nodes, a->parts[part].probed->usable);
		return;
	}
	sgang_nodeset_clear(nodes);
	for (size_t r = 0; r < a->plan->n_runs; r++) {
		const struct sgang_run *run = &a->plan->runs[r];

		if (run->member == part)
			sgang_nodeset_add(nodes, sgang_parts_node(a->c, run));
	}
}

/* All islands of a node. */
static void add_islands(const struct sgang_devices *devices, uint32_t node,
			struct sgang_nodeset *islands)
{
	for (uint32_t i = devices->first[node]; i < devices->first[node + 1];
	     i++)
		sgang_nodeset_add(islands, i);
}

/* The islands that the part is planned in; if it spans a whole node, all of
 * that node's. NULL if it does so everywhere, or without memory. */
static struct sgang_nodeset *planned_islands(const struct attempt *a, size_t i)
{
	const struct sgang_devices *devices = a->c->devices;
	struct sgang_nodeset *islands =
		sgang_nodeset_create(devices->first[devices->n_nodes]);
	bool any = false;

	for (size_t r = 0; islands && r < a->plan->n_runs; r++) {
		const struct sgang_run *run = &a->plan->runs[r];

		if (run->member != i)
			continue;
		any |= run->slots != 0;
		if (run->slots)
			sgang_nodeset_add(islands, run->node);
		else
			add_islands(devices, devices->node[run->node], islands);
	}
	if (any)
		return islands;
	sgang_nodeset_destroy(islands);
	return NULL;
}

/* From the tasks of each node their GRES, altogether no more than are asked for,
 * but for one on each; Slurm would allocate all that these nodes have. Nodes
 * without tasks are not bounded. */
static void share_out(const struct probed *p, uint32_t *gres, uint32_t n)
{
	uint32_t left = (uint32_t)p->shape.job_gres, nodes = 0;
	uint32_t each = (left + p->shape.tasks - 1) / p->shape.tasks;

	for (uint32_t i = 0; i < n; i++)
		nodes += gres[i] != 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t most;

		if (!gres[i]) {
			gres[i] = (uint32_t)p->shape.job_gres;
			continue;
		}
		nodes--;
		most = left > nodes ? left - nodes : 1;
		gres[i] = gres[i] * each < most ? gres[i] * each : most;
		left -= gres[i] < left ? gres[i] : left;
	}
}

/* The same for tasks on an open number of nodes. */
static uint32_t *open_gres(const struct attempt *a, size_t part)
{
	uint32_t n = a->c->host->nodes.count();
	uint32_t *gres = calloc(n + 1, sizeof(*gres));

	for (size_t r = 0; gres && r < a->plan->n_runs; r++) {
		const struct sgang_run *run = &a->plan->runs[r];

		if (run->member == part)
			gres[sgang_parts_node(a->c, run)] +=
				sgang_part_units(a, r);
	}
	if (gres)
		share_out(a->parts[part].probed, gres, n);
	return gres;
}

/* By node, the part's GRES of the whole job: what uneven.c found, or even
 * shares. NULL if they are not divided, or without memory. */
static uint32_t *planned_gres(const struct attempt *a, size_t part)
{
	const struct probed *p = a->parts[part].probed;
	uint32_t n = a->c->host->nodes.count(), *gres;
	uint32_t nodes = p->shape.min_nodes;

	if (!p->gres && sgang_uneven_rounded_up(p))
		return open_gres(a, part);
	if (!p->shape.job_gres || (!p->gres && (!p->fixed || nodes < 2)))
		return NULL;
	gres = malloc((n + 1) * sizeof(*gres));
	for (uint32_t i = 0; gres && i < n; i++)
		gres[i] = p->gres ? p->gres[i] :
				    (uint32_t)((p->shape.job_gres + nodes - 1) /
					       nodes);
	return gres;
}

static struct sgang_job *commit_within(struct attempt *a, size_t i,
				       const struct sgang_bounds *bounds,
				       struct sgang_refusal *refusal)
{
	struct sgang_bounds all = *bounds;
	uint32_t *gres = planned_gres(a, i);
	struct sgang_job *job;

	all.gres = gres;
	job = a->c->host->holds.commit(a->parts[i].job, &all, refusal);
	free(gres);
	return job;
}

static struct sgang_job *commit_nodes(struct attempt *a, size_t i,
				      const struct sgang_nodeset *nodes,
				      struct sgang_refusal *refusal)
{
	return commit_within(a, i, &(struct sgang_bounds){ .nodes = nodes },
			     refusal);
}

/* By node, the CPUs of a part of several nodes, of which Slurm would fill the
 * first. NULL for others, or without memory. */
static uint32_t *planned_cpus(const struct attempt *a, size_t i,
			      const struct sgang_nodeset *nodes)
{
	const struct probed *p = a->parts[i].probed;
	uint32_t n = a->c->host->nodes.count(), *cpus;

	if (p->shape.whole || sgang_nodeset_count(nodes) < 2)
		return NULL;
	cpus = calloc(n + 1, sizeof(*cpus));
	if (cpus && p->split)
		memcpy(cpus, p->split, n * sizeof(*cpus));
	for (size_t r = 0; cpus && !p->split && r < a->plan->n_runs; r++) {
		const struct sgang_run *run = &a->plan->runs[r];

		if (run->member == i)
			cpus[sgang_parts_node(a->c, run)] += sgang_part_cpus(a,
									     r);
	}
	return cpus;
}

/* If Slurm cannot use only the planned islands, commit on their nodes. */
static struct sgang_job *commit_islands(struct attempt *a, size_t i,
					const struct sgang_nodeset *nodes,
					const uint32_t *cpus,
					struct sgang_refusal *refusal)
{
	const struct probed *p = a->parts[i].probed;
	struct sgang_nodeset *islands;
	struct sgang_job *job = NULL;

	if (!a->c->devices || p->shape.whole)
		return NULL;
	islands = planned_islands(a, i);
	if (islands)
		job = commit_within(a, i,
				    &(struct sgang_bounds){ .nodes = nodes,
							    .islands = islands,
							    .cpus = cpus },
				    refusal);
	sgang_nodeset_destroy(islands);
	return job;
}

/* Leave CPUs for members of the gang that do not share. */
static struct sgang_job *commit_beside(struct attempt *a, size_t i,
				       const struct sgang_nodeset *nodes,
				       struct sgang_refusal *refusal)
{
	uint32_t *spare = sgang_sharing_spare(a, i);
	struct sgang_job *job;

	if (!spare)
		return NULL;
	job = commit_within(
		a, i, &(struct sgang_bounds){ .nodes = nodes, .spare = spare },
		refusal);
	free(spare);
	return job;
}

/* Other nodes that the part could have within the domain required for the gang.
 * NULL without memory, and if only the planned nodes satisfy the policy. */
static struct sgang_nodeset *other_nodes(const struct attempt *a, size_t i)
{
	struct sgang_nodeset *place, *others;
	struct sgang_policy policy;

	sgang_spec_policy(&a->parts[i].g->tally.spec, &policy);
	if (policy.spread[0] || policy.n_groups || sgang_branches_any(a))
		return NULL;
	place = sgang_levels_place(a);
	others = sgang_nodeset_copy(a->parts[i].probed->usable);
	if (place && others) {
		sgang_nodeset_and(others, place);
	} else {
		sgang_nodeset_destroy(others);
		others = NULL;
	}
	sgang_nodeset_destroy(place);
	return others;
}

/* Try nodes that no later member is planned on, then any. */
static struct sgang_job *commit_elsewhere(struct attempt *a, size_t nth,
					  struct sgang_nodeset *scratch,
					  struct sgang_refusal *refusal)
{
	size_t i = sgang_learn_nth(a, nth);
	struct sgang_nodeset *all = other_nodes(a, i);
	struct sgang_nodeset *others = all ? sgang_nodeset_copy(all) : NULL;
	struct sgang_job *job = NULL;
	struct sgang_refusal more;

	for (size_t k = nth + 1; others && k < a->n_parts; k++) {
		planned_nodes(a, sgang_learn_nth(a, k), scratch);
		sgang_nodeset_subtract(others, scratch);
	}
	/* The refusal of the planned nodes is reported. */
	if (others)
		job = commit_nodes(a, i, others, &more);
	if (others && !job)
		job = commit_nodes(a, i, all, &more);
	if (others && !job)
		refusal->limit |= more.limit;
	sgang_nodeset_destroy(others);
	sgang_nodeset_destroy(all);
	return job;
}

/* What was planned of the nodes first, then the nodes alone. */
static struct sgang_job *commit_on(struct attempt *a, size_t i,
				   const struct sgang_nodeset *nodes,
				   struct sgang_refusal *refusal)
{
	struct sgang_job *job = commit_beside(a, i, nodes, refusal);
	uint32_t *cpus = planned_cpus(a, i, nodes);

	if (!job && !refusal->limit)
		job = commit_islands(a, i, nodes, cpus, refusal);
	if (!job && !refusal->limit)
		job = commit_within(a, i,
				    &(struct sgang_bounds){ .nodes = nodes,
							    .cpus = cpus },
				    refusal);
	free(cpus);
	return job;
}

/* The plan counts free resources; only Slurm knows which cores and GRES go
 * together, and it may refuse the planned nodes. */
static struct sgang_job *commit_planned(struct attempt *a, size_t nth,
					struct sgang_refusal *refusal)
{
	const struct sgang_host *h = a->c->host;
	size_t i = sgang_learn_nth(a, nth);
	struct part *part = &a->parts[i];
	struct sgang_nodeset *nodes = sgang_nodeset_create(h->nodes.count());
	struct sgang_job *job;

	if (!nodes)
		return NULL;
	/* The record of the rest of an array keeps the id. */
	part->job = h->jobs.find(part->entry->job_id);
	if (!part->job) {
		snprintf(refusal->why, sizeof(refusal->why), "it is gone");
		sgang_nodeset_destroy(nodes);
		return NULL;
	}
	planned_nodes(a, i, nodes);
	job = commit_on(a, i, nodes, refusal);
	if (!job && !refusal->limit &&
	    (!a->may_repeat || !refusal->nodes ||
	     sgang_learn_slurm_chooses(a, nth)))
		job = commit_elsewhere(a, nth, nodes, refusal);
	sgang_nodeset_destroy(nodes);
	return job;
}

static struct sgang_job *commit_one(struct attempt *a, size_t nth)
{
	struct sgang_refusal refusal = { .why = "no memory" };
	struct part *part = &a->parts[sgang_learn_nth(a, nth)];
	struct sgang_job *job = NULL;

	part->entry->round = part->g->attempt.nth;
	sgang_fault_die("commit", nth + 1);
	if (sgang_fault("commit", nth + 1))
		snprintf(refusal.why, sizeof(refusal.why), "injected failure");
	else
		job = commit_planned(a, nth, &refusal);
	if (refusal.nodes && !a->elsewhere[0])
		memcpy(a->elsewhere, refusal.why, sizeof(a->elsewhere));
	if (job)
		return job;
	if (refusal.nodes)
		memcpy(refusal.why, a->elsewhere, sizeof(refusal.why));
	a->limited |= refusal.limit;
	a->learned = a->may_repeat && refusal.nodes && sgang_learn(a, nth);
	a->culprit = part->g;
	/* which member matters where they differ */
	if (refusal.nodes && a->n_probed > 1)
		snprintf(a->why, sizeof(a->why), "JobId=%u: %.200s",
			 part->entry->job_id, refusal.why);
	else
		snprintf(a->why, sizeof(a->why), "%s", refusal.why);
	return NULL;
}

/* An undone task of an array has become a job of its own. */
static void undo_parts(struct attempt *a, size_t n)
{
	while (n-- > a->n_held) {
		struct sgang_job *job = a->parts[sgang_learn_nth(a, n)].job;

		a->c->host->holds.undo(job);
		sgang_registry_note(a->c, job);
	}
	for (size_t i = 0; i < a->n_gangs; i++)
		sgang_registry_refresh(a->c, a->gangs[i]);
}

/* A refusal that is learned from does not end the attempt, and is not logged.
 */
static void tell_rollback(struct attempt *a, const struct gang *g, size_t done)
{
	if (a->learned)
		return;
	sgang_log(
		SGANG_LOG_INFO,
		"%s/%s: member %zu of %zu cannot start (%s): %zu rolled back, %zu not tried",
		g->ns, g->name, done + 1, a->n_parts, a->why, done,
		a->n_parts - done - 1);
	sgang_metrics_add(&a->c->metrics, SGANG_COUNT_ROLLBACKS);
}

/* Commit the parts after those already held. */
static enum sgang_progress commit(struct attempt *a)
{
	bool repeat;

	if (!a->n_held && sgang_learn_order(a) < 0)
		return SGANG_REFUSED;
	repeat = sgang_learn_may_repeat(a);
	a->began = a->c->host->cpu_us();
	for (size_t k = a->n_held; k < a->n_parts; k++) {
		size_t i = sgang_learn_nth(a, k);
		struct gang *g = a->parts[i].g;
		struct sgang_job *job;

		if (sgang_slices_due(a, k))
			return SGANG_PAUSED;
		/* True only if undone members can be committed again. */
		a->may_repeat = repeat && (!k || a->c->host->holds.recommits());
		job = commit_one(a, k);
		g->attempt.tried = (uint32_t)k + 1;
		g->attempt.skipped = (uint32_t)(a->n_parts - k - 1);
		if (!job) {
			tell_rollback(a, g, k);
			undo_parts(a, k);
			return SGANG_REFUSED;
		}
		a->parts[i].job = job;
		a->n_done = k + 1;
	}
	return SGANG_DONE;
}

/* ---- all or nothing ---- */

/* A limit that only a commit has met stops the gang no less. */
static void note_limited(struct attempt *a)
{
	if (a->limited && a->culprit)
		a->culprit->limited = true;
}

static void give_back_all(struct attempt *a)
{
	for (size_t i = 0; i < a->n_gangs; i++)
		sgang_hold_give_back(a->c, a->gangs[i], SGANG_HOLD_END_NONE);
}

/* The parts are in ring order, gang after gang; the first 'n' of them. */
static int hold_parts(struct attempt *a, size_t n)
{
	struct sgang_job **jobs = calloc(a->n_parts, sizeof(*jobs));
	size_t done = a->n_held;

	for (size_t i = done; jobs && i < n; i++)
		jobs[i] = a->parts[i].job;
	while (jobs && done < n) {
		struct gang *g = a->parts[done].g;
		size_t more = 1;

		while (done + more < n && a->parts[done + more].g == g)
			more++;
		if (sgang_hold_add(a->c, g, jobs + done, more) < 0)
			break;
		done += more;
	}
	free(jobs);
	if (done == n)
		return 0;
	snprintf(a->why, sizeof(a->why), "no memory");
	/* Parts that are not holds yet are undone here, the others as holds. */
	for (size_t i = n; i-- > done;)
		a->c->host->holds.undo(a->parts[i].job);
	give_back_all(a);
	return -1;
}

/* Only the plan of a single gang is one of its ring, in the same order. */
static int describe(struct attempt *a, const struct account *account)
{
	struct gang *g = a->gangs[0];

	if (a->n_gangs > 1)
		return 0; /* before the release */
	for (size_t i = 0; i < g->hold.n; i++) {
		struct sgang_record *r = &g->hold.members[i].record;

		r->ring_best = account->best;
		r->weighted_best = account->weighted_best;
		r->stock_cost = account->stock_cost;
		r->stock_estimate = account->stock_estimate;
		strcpy(r->others, account->others);
		strcpy(r->choice, g->attempt.choice);
	}
	if (sgang_heir_describe(a->c, g, a->plan) == 0)
		return 0;
	snprintf(a->why, sizeof(a->why), "no memory");
	give_back_all(a);
	return -1;
}

static bool once_more_with_fewer(const struct attempt *a)
{
	uint32_t least = 0;

	for (size_t i = 0; i < a->n_gangs; i++)
		least += sgang_gang_missing(&a->gangs[i]->tally);
	/* Members held by slices are not missing. */
	return a->n_parts - a->n_held > least;
}

static void remember_why(struct attempt *a)
{
	for (size_t i = 0; i < a->n_gangs; i++) {
		struct gang *g = a->gangs[i];

		if (a->n_gangs > 1 && a->culprit && a->culprit != g)
			snprintf(g->attempt.why, sizeof(g->attempt.why),
				 "%.40s/%s: %.140s", a->culprit->ns,
				 a->culprit->name, a->why);
		else
			snprintf(g->attempt.why, sizeof(g->attempt.why), "%s",
				 a->why);
		memcpy(g->attempt.lacks, a->lacks, sizeof(g->attempt.lacks));
		memcpy(g->attempt.unit, a->unit, sizeof(g->attempt.unit));
		memcpy(g->attempt.helps, a->helps, sizeof(g->attempt.helps));
	}
}

/* Slurm checks more than the plan, such as licences. */
static void after_refusal(struct attempt *a)
{
	a->refused = true;
	for (size_t i = 0; i < a->n_gangs; i++)
		a->gangs[i]->attempt.refused = true;
	if (a->learned)
		return;
	if (once_more_with_fewer(a)) {
		a->gangs[0]->attempt.only_min = true;
		a->c->wake_scheduler = true;
	} else {
		note_limited(a);
	}
}

/* Commit the rest, or a slice of it. */
static enum sgang_progress carry_out(struct attempt *a,
				     const struct account *account)
{
	enum sgang_progress progress = commit(a);

	if (progress == SGANG_REFUSED) {
		after_refusal(a);
		return progress;
	}
	if (hold_parts(a, a->n_done) < 0)
		return SGANG_REFUSED;
	if (progress == SGANG_DONE && describe(a, account) < 0)
		return SGANG_REFUSED;
	return progress;
}

static bool transact(struct attempt *a)
{
	bool only_min = a->gangs[0]->attempt.only_min, fits;
	struct account account = { .told = false };
	enum sgang_progress progress;

	a->gangs[0]->attempt.only_min = false;
	sgang_probe_all(a);
	if (a->dry)
		a->gangs[0]->failed_at.limited = sgang_before_take(a);
	if (sgang_probe_room(a) < 0 ||
	    sgang_fit_choose(a, only_min ? SGANG_EXTENT_MINIMUM :
					   SGANG_EXTENT_TOTAL) < 0)
		return false;
	a->account = a->dry ? NULL : &account;
	fits = sgang_fit(a) == 0;
	a->account = NULL;
	if (!fits)
		return false;
	/* The plan of several gangs is one ring, not theirs. */
	if (a->n_gangs == 1 && !(a->search && a->search->decided) &&
	    !a->lessons->rounds && sgang_wait_policy_waits(a))
		return false;
	if (a->dry) {
		a->gangs[0]->plan.nodes = sgang_fit_planned(a);
		sgang_beside_note(a, a->plan, &a->gangs[0]->plan.share);
		return a->gangs[0]->plan.nodes != NULL;
	}
	sgang_parts_account(a, &account);
	sgang_one_node_account(a, &account);
	progress = carry_out(a, &account);
	if (progress == SGANG_PAUSED)
		progress = sgang_slices_keep(a, &account);
	return progress != SGANG_REFUSED;
}

enum sgang_progress sgang_attempt_go_on(struct attempt *a,
					const struct account *account)
{
	enum sgang_progress progress = carry_out(a, account);

	if (progress != SGANG_REFUSED)
		return progress;
	give_back_all(a);
	remember_why(a);
	return progress;
}

/* Count the members that fit; the plan did not try others. */
static void count_fitting(struct attempt *a)
{
	struct gang *g = a->gangs[0];
	char groups;
	size_t fit;

	if (!a->unfit || a->n_parts > COUNTED_PARTS)
		return;
	/* as chosen, not as planned */
	qsort(a->parts, a->n_parts, sizeof(*a->parts), sgang_fit_take_order);
	groups = sgang_fit_groups(a, '\0');
	fit = sgang_fit_how_many(a, a->n_parts - 1);
	sgang_fit_groups(a, groups);
	sgang_retry_lack(a, fit);
	g->attempt.tried = (uint32_t)fit + 1;
	g->attempt.skipped = (uint32_t)(a->n_parts - fit - 1);
	for (size_t i = 0; i <= fit && i < a->n_parts; i++)
		a->parts[i].entry->round = g->attempt.nth;
}

/* Members that share CPUs and members that do not surely fit on different
 * nodes. On the same nodes this is not known, and was tried now. */
static int64_t when_apart(struct attempt *a)
{
	int64_t when;

	a->apart = sgang_sharing_differ(a);
	when = sgang_fit_when(a);
	if (!a->apart || when != INT64_MAX)
		return when;
	a->apart = false;
	when = sgang_fit_when(a);
	return (when > a->c->host->now()) ? when : INT64_MAX;
}

/* Other members will start first: report what the first ones lack. */
static void say_of_others(struct attempt *a)
{
	struct sgang_told told;

	sgang_told_keep(a, &told);
	sgang_fit_ring_order(a);
	if (sgang_fit_any(a))
		sgang_told_again(a, &told);
	else
		memcpy(a->helps, told.helps, sizeof(a->helps));
	sgang_placement_destroy(a->plan);
	a->plan = NULL;
}

void sgang_attempt_look_ahead(struct attempt *a)
{
	char why[sizeof(a->why)];
	int64_t when;

	memcpy(why, a->why, sizeof(why));
	if (sgang_fit_choose(a, SGANG_EXTENT_MINIMUM) < 0) {
		/* Slurm would not try some of them now, whatever ends. A start
		 * of the others is not theirs. */
		for (size_t i = 0; i < a->n_gangs; i++)
			a->gangs[i]->joint.start = INT64_MAX;
		return;
	}
	sgang_fit_ring_order(a);
	sgang_fewer_least(a, a->c->host->now());
	when = when_apart(a);
	for (size_t i = 0; i < a->n_gangs; i++)
		a->gangs[i]->joint.start = when;
	if (a->n_gangs == 1) {
		a->gangs[0]->joint.whole_nodes = sgang_which_whole_nodes(a);
		count_fitting(a);
	}
	memcpy(a->why, why, sizeof(why));
	if (a->other)
		say_of_others(a);
}

/* Slurm may refuse the planned nodes for reasons that the plan does not know. A
 * gang confined to a domain would plan the same for ever: choose another
 * domain. False: there is no such level. */
static bool avoid_place(struct attempt *a)
{
	struct sgang_conductor *c = a->c;
	struct lessons *l = a->lessons;
	struct sgang_nodeset *place;
	struct sgang_nofit nofit;

	if (!a->refused || a->limited || a->gangs[0]->attempt.only_min ||
	    sgang_levels_limit(a, c->host->now(), &nofit) >=
		    SGANG_LEVEL_UNCONNECTED)
		return false;
	place = sgang_levels_place(a);
	if (!place)
		return false;
	if (l->avoid) {
		sgang_nodeset_or(l->avoid, place);
		sgang_nodeset_destroy(place);
	} else {
		l->avoid = place;
	}
	l->last = false;
	sgang_learn_forget(l);
	return true;
}

/* True if another round may help: with lessons, or if these left no room, a
 * last one without them, or in another domain. */
static bool go_on(struct attempt *a)
{
	struct lessons *l = a->lessons;

	if (a->learned)
		return true;
	if (!a->plan && l->apart && !l->together) {
		sgang_learn_forget(l);
		l->apart = false;
		l->together = true;
		return true;
	}
	if (!a->plan && l->n) {
		sgang_learn_forget(l);
		l->last = true;
		return true;
	}
	return ++l->places < PLACES_MAX && avoid_place(a);
}

/* True if only domains that Slurm refused have room. Then Slurm's refusal is
 * the reason to wait. */
static bool only_elsewhere(const struct attempt *a)
{
	return a->lessons && a->lessons->avoid && a->unfit;
}

/* A transaction for gangs that are planned together. '*again': another try may
 * help. */
static bool one_transaction(struct sgang_conductor *c,
			    const struct search *search, struct gang **gangs,
			    size_t n, enum how how, struct lessons *lessons,
			    bool *again)
{
	struct attempt a;
	bool done = false;

	*again = false;
	if (sgang_probe_open(&a, c, gangs, n) == 0) {
		a.search = search;
		a.lessons = lessons;
		a.slices = how == IN_SLICES;
		a.dry = how == DRY;
		if (a.dry && !sgang_wait_policy_any(gangs[0]))
			a.effort = SGANG_EFFORT_GOOD;
		done = transact(&a);
		if (!done)
			*again = go_on(&a);
		if (!done && !*again && !a.plan && !a.gangs[0]->limited)
			sgang_attempt_look_ahead(&a);
	}
	if (!done && !only_elsewhere(&a))
		remember_why(&a);
	sgang_probe_close(&a);
	return done;
}

static bool together(struct sgang_conductor *c, const struct search *search,
		     struct gang **gangs, size_t n, enum how how)
{
	struct lessons lessons = { .n = 0 };
	bool done = false, again = true;

	while (again && !done)
		done = one_transaction(c, search, gangs, n, how, &lessons,
				       &again);
	sgang_learn_end(&lessons);
	return done;
}

/* Each gang of a group has a ring of its own, so each is planned by itself
 * where the ones before it leave room. A gang that finds no room goes first the
 * next time. Returns the gang that could not be placed, or NULL. */
static struct gang *one_by_one(struct sgang_conductor *c,
			       const struct search *search, struct gang **gangs,
			       size_t n)
{
	struct gang *stuck = NULL;

	for (size_t round = 0; round < n && round < ROUNDS_MAX; round++) {
		size_t i = 0;

		while (i < n && together(c, search, &gangs[i], 1, WHOLE))
			i++;
		if (i == n)
			return NULL;
		stuck = gangs[i];
		for (size_t j = 0; j < i; j++)
			sgang_hold_give_back(c, gangs[j], SGANG_HOLD_END_NONE);
		if (i == 0)
			break;
		memmove(gangs + 1, gangs, i * sizeof(*gangs));
		gangs[0] = stuck;
	}
	return stuck;
}

bool sgang_attempt_any_level(struct gang *const *gangs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct sgang_policy policy;

		sgang_spec_policy(&gangs[i]->tally.spec, &policy);
		if (gangs[i]->tally.roles.any || policy.require[0] ||
		    policy.prefer_time || policy.spread[0] || policy.n_groups ||
		    policy.automatic)
			return true;
	}
	return false;
}

/* None can start before the last can. 'stuck' is NULL if they were planned as
 * one: then each has its reason. */
static void blame(struct gang *const *gangs, size_t n, const struct gang *stuck)
{
	int64_t when = 0;

	for (size_t i = 0; i < n; i++) {
		if (gangs[i]->joint.start > when)
			when = gangs[i]->joint.start;
	}
	for (size_t i = 0; i < n; i++) {
		gangs[i]->joint.start = when;
		if (stuck && gangs[i] != stuck)
			snprintf(gangs[i]->attempt.why,
				 sizeof(gangs[i]->attempt.why),
				 "no room for gang %.60s/%s of its group",
				 stuck->ns, stuck->name);
	}
}

/* Find a domain of the group's level that has room for all of them. Returns its
 * nodes, or NULL; then, if none was tried before, the gangs keep the reason. */
static struct sgang_nodeset *find_place(struct sgang_conductor *c,
					const struct search *search,
					struct gang **gangs, size_t n)
{
	struct sgang_nodeset *place = NULL;
	struct attempt a;

	if (sgang_probe_open(&a, c, gangs, n) == 0) {
		a.search = search;
		sgang_probe_all(&a);
		if (sgang_probe_room(&a) == 0 &&
		    sgang_fit_choose(&a, SGANG_EXTENT_MINIMUM) == 0 &&
		    sgang_fit(&a) == 0)
			place = sgang_levels_place(&a);
		else if (!search->tried && !gangs[0]->limited)
			sgang_attempt_look_ahead(&a);
	}
	if (!place && !search->tried)
		remember_why(&a);
	sgang_probe_close(&a);
	return place;
}

/* True if a gang that would fit now waits for a better place. */
static bool one_waits(struct sgang_conductor *c, const struct search *search,
		      struct gang *g)
{
	struct sgang_policy policy;
	struct attempt a;
	bool waits = false;

	sgang_spec_policy(&g->tally.spec, &policy);
	if (!policy.automatic)
		return false;
	if (sgang_probe_open(&a, c, &g, 1) == 0) {
		a.search = search;
		sgang_probe_all(&a);
		waits = sgang_probe_room(&a) == 0 &&
			sgang_fit_choose(&a, SGANG_EXTENT_TOTAL) == 0 &&
			sgang_fit(&a) == 0 && sgang_wait_policy_waits(&a);
	}
	if (waits)
		remember_why(&a);
	sgang_probe_close(&a);
	return waits;
}

/* The gang that waits for a better place. Checked before any commit: otherwise
 * the others would be committed and undone with each try, and count as jobs in
 * its way. */
static struct gang *any_waits(struct sgang_conductor *c,
			      const struct search *search, struct gang **gangs,
			      size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (one_waits(c, search, gangs[i]))
			return gangs[i];
	}
	return NULL;
}

/* Returns the gang that could not be placed or waits, or NULL. */
static struct gang *each(struct sgang_conductor *c, struct search *search,
			 struct gang **gangs, size_t n)
{
	struct gang *stuck = any_waits(c, search, gangs, n);

	if (stuck)
		return stuck;
	search->decided = true;
	stuck = one_by_one(c, search, gangs, n);
	search->decided = false;
	return stuck;
}

/* Exclude the domain just tried. False: there is no other. */
static bool try_elsewhere(struct search *search)
{
	bool all = sgang_nodeset_count(search->place) ==
		   sgang_nodeset_size(search->place);

	if (!search->tried) {
		search->tried = search->place;
		search->place = NULL;
		return !all;
	}
	sgang_nodeset_or(search->tried, search->place);
	sgang_nodeset_destroy(search->place);
	search->place = NULL;
	return !all;
}

/* A joint plan does not know the level requests of each gang. So it only finds
 * the domain in which they are then placed one by one; if one of them does not
 * fit there, another domain is tried. */
static bool in_one_place(struct sgang_conductor *c, struct gang **gangs,
			 size_t n, struct gang **stuck)
{
	struct search search = { .decided = false };
	bool done = false, again = true;

	for (int i = 0; i < PLACES_MAX && again && !done; i++) {
		search.place = find_place(c, &search, gangs, n);
		if (!search.place)
			break;
		for (size_t j = 0; j < n; j++)
			gangs[j]->joint.start = 0;
		*stuck = each(c, &search, gangs, n);
		done = !*stuck;
		again = try_elsewhere(&search);
	}
	sgang_nodeset_destroy(search.tried);
	return done;
}

static bool whole_group(struct sgang_conductor *c, struct gang *const *gangs,
			size_t n)
{
	struct gang **order = malloc(n * sizeof(*order)), *stuck = NULL;
	struct search anywhere = { .decided = false };
	struct sgang_policy policy;
	bool done = false;

	if (!order)
		return false;
	memcpy(order, gangs, n * sizeof(*order));
	sgang_levels_of_group(gangs[0], &policy);
	/* A joint plan finds room where single plans conflict, but has only one
	 * ring. Only it can apply a level to all gangs. */
	if (policy.require[0] || policy.prefer_time) {
		done = sgang_attempt_any_level(order, n) ?
			       in_one_place(c, order, n, &stuck) :
			       together(c, NULL, order, n, WHOLE);
	} else {
		stuck = each(c, &anywhere, order, n);
		done = !stuck || (!policy.spread[0] &&
				  !sgang_attempt_any_level(order, n) &&
				  together(c, NULL, order, n, WHOLE));
	}
	if (!done)
		blame(gangs, n, stuck);
	free(order);
	return done;
}

/* Gangs stopped by a limit hold no nodes and are parked, or they would keep
 * nodes from jobs that may run. */
static bool stopped_by_limits(struct sgang_conductor *c,
			      struct gang *const *gangs, size_t n)
{
	char why[sizeof(gangs[0]->attempt.why)] = "";
	bool over = sgang_limits_over(c, gangs, n, why, sizeof(why));

	for (size_t i = 0; i < n; i++) {
		gangs[i]->limited = over;
		if (!over)
			continue;
		snprintf(gangs[i]->attempt.why, sizeof(gangs[i]->attempt.why),
			 "%s", why);
		sgang_hold_give_back(c, gangs[i], SGANG_HOLD_END_LIMIT);
	}
	return over;
}

static void clear_result(struct gang *g)
{
	g->attempt.nth++;
	g->attempt.refused = false;
	g->attempt.why[0] = '\0';
	g->attempt.lacks[0] = '\0';
	g->attempt.choice[0] = '\0';
	g->joint.start = 0;
	g->joint.behind = g->joint.outdated = false;
	g->joint.whole_nodes = 0;
	g->lack.members = 0;
	sgang_beside_drop(&g->joint.nodes, &g->joint.share);
}

static void begin_try(struct sgang_conductor *c, struct gang *g)
{
	clear_result(g);
	sgang_metrics_add(&c->metrics, SGANG_COUNT_ATTEMPTS);
}

bool sgang_attempt(struct sgang_conductor *c, struct gang **gangs, size_t n,
		   bool slices)
{
	for (size_t i = 0; i < n; i++) {
		begin_try(c, gangs[i]);
		gangs[i]->attempt.tried = 0;
		gangs[i]->attempt.skipped = 0;
	}
	if (stopped_by_limits(c, gangs, n))
		return false;
	return (n == 1) ?
		       together(c, NULL, gangs, 1, slices ? IN_SLICES : WHOLE) :
		       whole_group(c, gangs, n);
}

/* The attempt that follows a plan is the one that counts. */
bool sgang_attempt_plan(struct sgang_conductor *c, struct gang *g)
{
	bool fits;

	clear_result(g);
	fits = !stopped_by_limits(c, &g, 1) && together(c, NULL, &g, 1, DRY);
	if (fits)
		g->attempt.nth--;
	else
		sgang_metrics_add(&c->metrics, SGANG_COUNT_ATTEMPTS);
	return fits;
}

bool sgang_attempt_fits(struct sgang_conductor *c, struct gang *g)
{
	struct lessons lessons = { .n = 0 };
	struct attempt a;
	bool fits = false;

	if (sgang_probe_open(&a, c, &g, 1) == 0) {
		a.lessons = &lessons;
		a.dry = a.trying = true;
		a.effort = SGANG_EFFORT_ANY;
		fits = transact(&a);
	}
	sgang_probe_close(&a);
	sgang_learn_end(&lessons);
	return fits;
}

/* ---- as many as there is room for ---- */

struct some {
	struct attempt a;
	struct sgang_job **jobs; /* that have nodes now */
	size_t n_jobs;
};

/* The probe did not know the nodes of members just committed: apply the gang's
 * level requests to the others, relative to these nodes. */
static void keep_beside(struct some *s, const struct probed *p)
{
	struct sgang_conductor *c = s->a.c;
	struct sgang_nodeset *theirs =
		sgang_nodeset_create(c->host->nodes.count());

	for (size_t i = 0; theirs && i < s->n_jobs; i++)
		c->host->jobs.nodes(s->jobs[i], theirs);
	for (size_t i = 0; i < s->a.n_probed; i++) {
		struct probed *same = &s->a.probed[i];

		/* fewer.c adds copies, for fewer nodes */
		if (same->g != p->g || same->job != p->job || !same->usable)
			continue;
		if (!theirs)
			sgang_nodeset_clear(same->usable);
		else if (s->n_jobs)
			sgang_levels_cut_beside(c, p->g, theirs, same->usable);
	}
	sgang_nodeset_destroy(theirs);
}

/* Commit the parts first to first + n - 1 by a plan of their own. */
static void commit_some(struct some *s, size_t first, size_t n)
{
	struct attempt view = s->a;

	view.parts = s->a.parts + first;
	view.n_parts = n;
	view.plan = NULL;
	view.order = NULL;
	sgang_fit_ring_order(&view);
	view.c->host->nodes.refresh();
	if (sgang_fit_any(&view) && sgang_learn_order(&view) == 0) {
		for (size_t i = 0; i < n; i++) {
			struct sgang_job *job = commit_one(&view, i);

			if (job)
				s->jobs[s->n_jobs++] = job;
		}
	}
	free(view.order);
	sgang_placement_destroy(view.plan);
	s->a.n_probed = view.n_probed;
	memcpy(s->a.why, view.why, sizeof(view.why));
	s->a.limited = view.limited;
}

/* The most members that are tried one by one in an attempt. */
#define SINGLE_TRIES 32

/* Members that share CPUs avoid the nodes of those that do not, unless more fit
 * on the same: no round follows here if Slurm refuses one. */
static size_t how_many(struct attempt *a)
{
	size_t fit, more;

	a->lessons->apart = sgang_sharing_differ(a);
	fit = sgang_fit_how_many(a, a->n_parts);
	if (!a->lessons->apart || fit == a->n_parts)
		return fit;
	a->lessons->apart = false;
	more = sgang_fit_how_many(a, a->n_parts);
	a->lessons->apart = more <= fit;
	return more > fit ? more : fit;
}

/* Commit those that fit together, then each of the others by itself: one that
 * does not fit affects only members with the same request (0.7). */
static void place_some(struct some *s)
{
	struct attempt *a = &s->a;
	const struct probed *hopeless = NULL;
	size_t fit = how_many(a), tries = 0;

	if (fit)
		commit_some(s, 0, fit);
	for (size_t i = fit; i < a->n_parts && tries < SINGLE_TRIES; i++) {
		size_t before = s->n_jobs;

		if (a->parts[i].probed == hopeless)
			continue;
		tries++;
		keep_beside(s, a->parts[i].probed);
		commit_some(s, i, 1);
		if (s->n_jobs == before)
			hopeless = a->parts[i].probed;
	}
}

/* A gang stopped by a limit of an association or QOS must hold nothing, because
 * its holds count against the limit, and the limit would stop it for ever. */
static bool refused_by_limit(const struct some *s, const struct gang *g)
{
	return s->a.limited && s->n_jobs < sgang_gang_missing(&g->tally);
}

/* A gang without room for its minimum even after all jobs have ended would hold
 * without effect. A gang that holds has found room before: a node that is down
 * may return, and its waiting time ends (0.7). */
static bool never_fits(struct sgang_conductor *c, struct gang *g)
{
	return !g->hold.n && sgang_never_by_plan(c, g);
}

static void keep_some(struct some *s, struct gang *g)
{
	struct sgang_conductor *c = s->a.c;
	bool limited = refused_by_limit(s, g);

	if (!limited &&
	    (!s->n_jobs || sgang_hold_add(c, g, s->jobs, s->n_jobs) == 0))
		return;
	for (size_t i = s->n_jobs; i-- > 0;) {
		c->host->holds.undo(s->jobs[i]);
		sgang_registry_note(c, s->jobs[i]);
	}
	s->n_jobs = 0;
	if (limited) {
		sgang_hold_give_back(c, g, SGANG_HOLD_END_LIMIT);
		g->limited = true;
	}
}

size_t sgang_attempt_some(struct sgang_conductor *c, struct gang *g)
{
	struct lessons lessons = { .last = true };
	struct some s = { .jobs = NULL };
	struct gang *alone, **group;
	size_t n;

	begin_try(c, g);
	group = sgang_group_of(g, &alone, &n);
	if (stopped_by_limits(c, group, n) || never_fits(c, g))
		return 0;
	if (sgang_probe_open(&s.a, c, &g, 1) < 0)
		goto out;
	s.a.lessons = &lessons;
	sgang_probe_all(&s.a);
	if (sgang_probe_room(&s.a) < 0 ||
	    sgang_fit_choose(&s.a, SGANG_EXTENT_ANY) < 0 || !s.a.n_parts)
		goto out;
	s.jobs = calloc(s.a.n_parts, sizeof(*s.jobs));
	if (!s.jobs)
		goto out;
	place_some(&s);
	g->attempt.tried = (uint32_t)s.a.n_parts;
	g->attempt.skipped = 0;
	keep_some(&s, g);
	sgang_registry_refresh(c, g);
out:
	n = s.n_jobs;
	if (sgang_gang_missing(&g->tally))
		snprintf(g->attempt.why, sizeof(g->attempt.why), "%s", s.a.why);
	sgang_probe_close(&s.a);
	free(s.jobs);
	return n;
}
