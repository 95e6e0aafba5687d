/* SPDX-License-Identifier: GPL-2.0-or-later */
/* preempt.c - the jobs that a gang preempts
 *
 * A gang that lacks only nodes may have the nodes of the jobs that Slurm lets
 * each of its members preempt. Candidates are taken as units: a job, or all
 * members of a gang together. The planner is asked with some units left out,
 * and core/plan/victims.h chooses those that do the least harm. If the gang
 * does not fit even without all of them, no job is preempted.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"
#include "core/gang/lists.h"
#include "core/plan/victims.h"
#include "plugins/log.h"

/* A candidate of one of the requests. */
struct candidate {
	struct sgang_candidate k;
	struct gang *gang; /* NULL: none */
	uint32_t seen;     /* number of requests that it is in the way of, and
			    * that may preempt it, or that it is in no way of */
	bool now;          /* the last request may preempt it */
};

/* A unit is preempted as a whole: jobs[first] to jobs[first + n - 1]. */
struct unit {
	struct gang *gang; /* the whole gang; NULL: a single job */
	size_t first, n;
};

struct preempt {
	struct attempt *a;
	struct sgang_nodeset *places; /* nodes the gang could use */
	struct sgang_nodeset *scratch;
	struct candidate *jobs;
	size_t n_jobs, cap_jobs;
	size_t n_sorted; /* ... of the requests before */
	uint32_t requests;
	struct unit *units;
	struct sgang_victim *victims; /* the same, for the choice */
	size_t n_units;
	struct sgang_job **gone;      /* jobs of a choice */
	struct sgang_placement *plan; /* of the last choice that fits ... */
	struct several *several;      /* ... or this, if a joint plan is not
				       * enough; else NULL */
	bool *chosen;                 /* by unit */
	struct sgang_victims_report report;
	bool stopped; /* by a limit on nodes, or by missing licences */
	bool off;     /* preempts no job: only reports the victims */
	bool no_memory;
};

/* ---- candidates ---- */

static int by_job(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return (x->k.job_id < y->k.job_id) ? -1 : (x->k.job_id > y->k.job_id);
}

static bool has_place(struct preempt *p, struct sgang_job *job)
{
	sgang_nodeset_clear(p->scratch);
	p->a->c->host->jobs.nodes(job, p->scratch);
	return sgang_nodeset_intersects(p->scratch, p->places);
}

static bool in_attempt(const struct attempt *a, const struct gang *g)
{
	for (size_t i = 0; i < a->n_gangs; i++) {
		if (a->gangs[i] == g)
			return true;
	}
	return false;
}

/* Note that a request may preempt it. One that comes for the first time stands
 * behind those of the requests before. */
static void add_candidate(const struct sgang_candidate *k, void *arg)
{
	const struct candidate key = { .k = *k };
	struct preempt *p = arg;
	struct candidate *c;
	const struct entry *e;

	c = p->n_sorted ?
		    bsearch(&key, p->jobs, p->n_sorted, sizeof(*c), by_job) :
		    NULL;
	if (c) {
		c->now = true;
		return;
	}
	if (p->n_jobs == p->cap_jobs) {
		size_t cap = p->cap_jobs ? p->cap_jobs * 2 : 64;

		c = realloc(p->jobs, cap * sizeof(*c));
		if (!c) {
			p->no_memory = true;
			return;
		}
		p->jobs = c;
		p->cap_jobs = cap;
	}
	e = sgang_registry_entry(p->a->c, k->job_id);
	p->jobs[p->n_jobs++] = (struct candidate){
		.k = *k,
		/* a completing job has left its gang */
		.gang = e && e->m.state != SGANG_MEMBER_PENDING ? e->gang :
								  NULL,
		.now = true,
	};
}

static bool may_preempt_for(const struct probed *asked)
{
	return asked->usable && !asked->asked;
}

/* True if the job has a node that the request could use. */
static bool is_in_the_way(struct preempt *p, const struct candidate *c,
			  const struct probed *asked)
{
	sgang_nodeset_clear(p->scratch);
	p->a->c->host->jobs.nodes(c->k.job, p->scratch);
	return sgang_nodeset_intersects(p->scratch, asked->ever);
}

/* Slurm lists jobs on nodes of a request's partition alone: jobs elsewhere are
 * none of its business. */
static void count_seen(struct preempt *p, size_t nth)
{
	for (size_t j = 0; j < p->n_jobs; j++) {
		struct candidate *c = &p->jobs[j];

		for (size_t i = j < p->n_sorted ? nth : 0; i <= nth; i++) {
			const struct probed *asked = &p->a->probed[i];

			if (may_preempt_for(asked))
				c->seen += (i == nth && c->now) ||
					   !is_in_the_way(p, c, asked);
		}
		c->now = false;
	}
}

/* Find the jobs that each waiting member may preempt where it could run. */
static void find_candidates(struct preempt *p)
{
	const struct attempt *a = p->a;

	for (size_t i = 0; i < a->n_probed; i++) {
		if (!may_preempt_for(&a->probed[i]))
			continue;
		a->c->host->preempt.candidates(a->probed[i].job, add_candidate,
					       p);
		count_seen(p, i);
		if (p->n_jobs > p->n_sorted)
			qsort(p->jobs, p->n_jobs, sizeof(*p->jobs), by_job);
		p->n_sorted = p->n_jobs;
		p->requests++;
	}
}

/* Find the nodes that any of its requests could use if no other job ran,
 * without claims of others. */
static int find_places(struct preempt *p)
{
	struct attempt *a = p->a;
	struct sgang_conductor *c = a->c;
	struct sgang_nodeset *out =
		sgang_nodeset_create(c->host->nodes.count());

	p->places = sgang_nodeset_create(c->host->nodes.count());
	p->scratch = sgang_nodeset_create(c->host->nodes.count());
	if (!out || !p->places || !p->scratch) {
		sgang_nodeset_destroy(out);
		return -1;
	}
	c->host->nodes.unavailable(out);
	for (size_t i = 0; i < a->n_probed; i++) {
		struct probed *asked = &a->probed[i];

		if (!asked->usable)
			continue;
		sgang_nodeset_subtract(asked->ever, out);
		if (asked->g->turn.limit)
			sgang_nodeset_and(asked->ever, asked->g->turn.limit);
		sgang_reservation_cut_before(c, asked->g, asked->ever);
		sgang_nodeset_or(p->places, asked->ever);
	}
	sgang_nodeset_destroy(out);
	return sgang_exclusive_then(a);
}

/* ---- units ---- */

/* The latest started members come first: those above the minimum are single
 * units. Jobs without a gang come before all. */
static int by_gang(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->gang != y->gang)
		return (x->gang < y->gang) ? -1 : 1;
	if (x->k.started != y->k.started)
		return (x->k.started > y->k.started) ? -1 : 1;
	return (x->k.job_id > y->k.job_id) ? -1 : 1;
}

static size_t count_placed(const struct gang *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n_entries; i++)
		n += g->entries[i]->m.state != SGANG_MEMBER_PENDING;
	return n;
}

static void add_unit(struct preempt *p, struct gang *g, size_t first, size_t n,
		     enum sgang_harm harm)
{
	struct sgang_victim *v = &p->victims[p->n_units];

	*v = (struct sgang_victim){
		.harm = harm,
		.gang = SGANG_VICTIM_NONE,
	};
	p->units[p->n_units++] =
		(struct unit){ .gang = g, .first = first, .n = n };
	for (size_t i = first; i < first + n; i++) {
		const struct sgang_candidate *k = &p->jobs[i].k;

		v->jobs++;
		v->lost += k->lost;
		if (k->priority > v->priority)
			v->priority = k->priority;
	}
}

static enum sgang_harm harm_of(const struct sgang_candidate *k)
{
	return k->going    ? SGANG_HARM_GOING :
	       k->requeues ? SGANG_HARM_REQUEUED :
			     SGANG_HARM_KILLED;
}

static bool all_going(const struct preempt *p, size_t first, size_t n)
{
	for (size_t i = first; i < first + n; i++) {
		if (!p->jobs[i].k.going)
			return false;
	}
	return true;
}

/* Members that start again by themselves: those of a nonstrict gang, and what is
 * left of one of which others have ended. Together these would wait for its
 * minimum for ever. */
static void add_each(struct preempt *p, size_t first, size_t n)
{
	for (size_t i = first; i < first + n; i++)
		add_unit(p, NULL, i, 1,
			 p->jobs[i].k.going ? SGANG_HARM_GOING :
					      SGANG_HARM_GANG);
}

/* Add the members of a gang: extra members one by one, the others together or
 * not at all. A gang that holds nodes for its other members is no victim. If
 * some member cannot be a victim, only the extra ones are. */
static void add_gang(struct preempt *p, size_t first, size_t n)
{
	struct gang *g = p->jobs[first].gang;
	size_t placed = count_placed(g), min = g->tally.min_member;
	/* of a tree any member may be needed by its group */
	size_t extra = placed > min && !g->tally.roles.any ? placed - min : 0,
	       rest = SGANG_VICTIM_NONE;

	if (g->stale || g->hold.n || in_attempt(p->a, g))
		return;
	if (!sgang_victims_whole(g)) {
		add_each(p, first, n);
		return;
	}
	if (n == placed && n > extra) {
		rest = p->n_units;
		add_unit(p, g, first + extra, n - extra,
			 all_going(p, first + extra, n - extra) ?
				 SGANG_HARM_GOING :
			 min <= 1 ? harm_of(&p->jobs[first + extra].k) :
				    SGANG_HARM_GANG);
	}
	for (size_t i = 0; i < n && i < extra; i++) {
		bool going = p->jobs[first + i].k.going;

		add_unit(p, NULL, first + i, 1,
			 going ? SGANG_HARM_GOING : SGANG_HARM_EXTRA);
		p->victims[p->n_units - 1].gang = rest;
		p->victims[p->n_units - 1].later = (uint32_t)i;
	}
}

/* Add jobs that no request may not preempt and that have a node the gang could
 * use; of a gang all members, if one of them has. */
static void make_units(struct preempt *p)
{
	size_t i, n;

	for (i = n = 0; i < p->n_jobs; i++) {
		if (p->jobs[i].seen == p->requests)
			p->jobs[n++] = p->jobs[i];
	}
	p->n_jobs = n;
	if (!n)
		return;
	qsort(p->jobs, n, sizeof(*p->jobs), by_gang);
	for (i = 0; i < p->n_jobs; i += n) {
		bool useful = has_place(p, p->jobs[i].k.job);

		for (n = 1; p->jobs[i].gang && i + n < p->n_jobs &&
			    p->jobs[i + n].gang == p->jobs[i].gang;
		     n++)
			useful |= has_place(p, p->jobs[i + n].k.job);
		if (useful && p->jobs[i].gang)
			add_gang(p, i, n);
		else if (useful)
			add_unit(p, NULL, i, 1, harm_of(&p->jobs[i].k));
	}
}

/* ---- the choice ---- */

static size_t list_gone(struct preempt *p, const bool *gone)
{
	size_t n = 0;

	for (size_t u = 0; u < p->n_units; u++) {
		for (size_t i = 0; gone[u] && i < p->units[u].n; i++)
			p->gone[n++] = p->jobs[p->units[u].first + i].k.job;
	}
	return n;
}

/* True if the gang fits without these. */
static bool fits(void *arg, const bool *gone, uint64_t *cost)
{
	struct preempt *p = arg;
	struct attempt *a = p->a;
	struct sgang_placement *plan = NULL;
	struct sgang_nofit nofit;
	bool done;

	a->c->host->preempt.leave_out(p->gone, list_gone(p, gone));
	if (p->several) {
		done = sgang_several_fit(p->several, cost);
		a->c->host->preempt.leave_out(NULL, 0);
		return done;
	}
	done = sgang_parts_place(a, SGANG_LATER, NULL, &plan, &nofit) == 1;
	a->c->host->preempt.leave_out(NULL, 0);
	if (!done)
		return false;
	*cost = sgang_fit_cost(plan);
	sgang_placement_destroy(p->plan);
	p->plan = plan;
	return true;
}

/* The resources of victims, for the count. */
struct holdings {
	struct preempt *p;
	size_t n, cap, n_dims;
	uint32_t *node, *amounts;
	size_t first; /* of the victim being listed */
	size_t *at;   /* by node: the last of its holdings */
};

/* Jobs of a gang may share a node. Entries of `at` for other victims' nodes are
 * before the holdings of this one. */
static size_t find_holding(const struct holdings *h, uint32_t node)
{
	size_t i = h->at[node];

	return (i >= h->first && i < h->n && h->node[i] == node) ? i : h->n;
}

static bool grow_holdings(struct holdings *h)
{
	size_t cap = h->cap ? h->cap * 2 : 256;
	uint32_t *node, *amounts;

	if (h->n < h->cap)
		return true;
	node = realloc(h->node, cap * sizeof(*node));
	if (node)
		h->node = node;
	amounts = realloc(h->amounts, cap * h->n_dims * sizeof(*amounts));
	if (amounts)
		h->amounts = amounts;
	if (node && amounts)
		h->cap = cap;
	return node && amounts;
}

static void add_holding(uint32_t node, const uint32_t *amounts, void *arg)
{
	struct holdings *h = arg;
	size_t i = find_holding(h, node);

	if (i == h->n) {
		if (!grow_holdings(h)) {
			h->p->no_memory = true;
			return;
		}
		h->at[node] = h->n;
		h->node[h->n++] = node;
		memset(h->amounts + i * h->n_dims, 0,
		       h->n_dims * sizeof(*amounts));
	}
	for (size_t d = 0; d < h->n_dims; d++)
		h->amounts[i * h->n_dims + d] += amounts[d];
}

static void list_holdings(struct holdings *h,
			  const struct sgang_resources *resources)
{
	struct preempt *p = h->p;

	h->n_dims = resources->n_dims;
	for (size_t u = 0; u < p->n_units; u++) {
		const struct unit *unit = &p->units[u];

		h->first = h->n;
		for (size_t i = 0; i < unit->n; i++)
			p->a->c->host->preempt.holdings(
				p->jobs[unit->first + i].k.job, resources,
				add_holding, h);
		p->victims[u].first = h->first;
		p->victims[u].n = h->n - h->first;
	}
}

static int choose_by(const struct sgang_plan_request *request,
		     const struct sgang_resources *resources, void *arg)
{
	struct preempt *p = arg;
	uint32_t n_nodes = p->a->c->host->nodes.count();
	struct holdings h = { .p = p };
	struct sgang_victims_request rq = {
		.plan = request,
		.victims = p->victims,
		.n_victims = p->n_units,
		.fits = fits,
		.arg = p,
		.max_plans = p->several ? sgang_several_sets(p->a) : 0,
	};
	int rc = -1;

	h.at = calloc(n_nodes + 1UL, sizeof(*h.at));
	if (!h.at)
		return -1;
	list_holdings(&h, resources);
	rq.node = h.node;
	rq.amounts = h.amounts;
	if (!p->no_memory)
		rc = sgang_victims_choose(&rq, p->chosen, &p->report);
	free(h.at);
	free(h.node);
	free(h.amounts);
	return rc;
}

/* Jobs already being preempted are no choice: the gang waits for them. The plan
 * is made again for the chosen ones. */
static bool choose(struct preempt *p)
{
	uint64_t cost;

	for (size_t u = 0; u < p->n_units; u++)
		p->chosen[u] = true;
	return sgang_parts_count(p->a, p->gone, list_gone(p, p->chosen),
				 choose_by, p) == 1 &&
	       fits(p, p->chosen, &cost);
}

/* ---- the claim ---- */

/* Single jobs that the plan does not need stay. The rest of a gang that loses
 * its minimum is preempted too. */
static bool is_victim(struct preempt *p, size_t job,
		      const struct sgang_nodeset *nodes)
{
	const struct candidate *c = &p->jobs[job];

	for (size_t u = 0; u < p->n_units; u++) {
		const struct unit *unit = &p->units[u];

		if (!p->chosen[u])
			continue;
		if (unit->gang && unit->gang == c->gang)
			return true;
		if (job < unit->first || job >= unit->first + unit->n)
			continue;
		sgang_nodeset_clear(p->scratch);
		p->a->c->host->jobs.nodes(c->k.job, p->scratch);
		return sgang_nodeset_intersects(p->scratch, nodes);
	}
	return false;
}

static int by_victim(const void *a, const void *b)
{
	const struct victim *x = a, *y = b;

	return (x->job_id < y->job_id) ? -1 : (x->job_id > y->job_id);
}

/* List as many victims as there is room for. */
static void tell_victims(const struct sgang_conductor *c, struct claim *claim)
{
	size_t used = 0, room = sizeof(claim->told) - sizeof(",...");

	for (size_t i = 0; i < claim->n_victims; i++) {
		uint32_t job_id = claim->victims[i].job_id;
		struct sgang_job *job = c->host->jobs.find(job_id);
		struct sgang_job_info info = { .user = NULL };
		int n;

		if (job)
			c->host->jobs.info(job, &info);
		n = snprintf(claim->told + used, room - used, "%s%u:%s",
			     used ? "," : "", job_id,
			     info.user ? info.user : "");
		if (n < 0 || (size_t)n >= room - used) {
			strcpy(claim->told + used, used ? ",..." : "...");
			return;
		}
		used += (size_t)n;
	}
}

static void add_victims(struct preempt *p, struct claim *claim)
{
	for (size_t i = 0; i < p->n_jobs; i++) {
		if (is_victim(p, i, claim->nodes))
			claim->victims[claim->n_victims++] = (struct victim){
				.job_id = p->jobs[i].k.job_id,
				.started = p->jobs[i].k.started,
			};
	}
	qsort(claim->victims, claim->n_victims, sizeof(*claim->victims),
	      by_victim);
	tell_victims(p->a->c, claim);
}

/* Gangs that are victims wait again once none of them runs. */
static void evict_gangs(const struct preempt *p)
{
	for (size_t u = 0; u < p->n_units; u++) {
		if (p->chosen[u] && p->units[u].gang)
			sgang_evict(p->a->c, p->units[u].gang);
	}
}

/* True if there are licences for all parts together. The probe has checked one
 * of each request. */
static bool licensed(const struct attempt *a)
{
	for (size_t i = 0; i < a->n_probed; i++) {
		size_t n = 0;

		for (size_t k = 0; k < a->n_parts; k++)
			n += a->parts[k].probed == &a->probed[i];
		if (n && !a->c->host->preempt.licensed(a->probed[i].job, n))
			return false;
	}
	return true;
}

/* True if nothing but nodes stops the gang; otherwise no victim may be
 * preempted for it. */
static bool nothing_else(const struct preempt *p,
			 const struct sgang_nodeset *nodes)
{
	const struct attempt *a = p->a;

	for (size_t i = 0; i < a->n_probed; i++) {
		if (a->probed[i].usable &&
		    !a->c->host->preempt.may_have(a->probed[i].job, nodes))
			return false;
	}
	return licensed(a);
}

/* The count ignores levels of single gangs, so for a group it may choose more
 * victims than the plans need. */
static void spare_gangs(struct preempt *p, const struct sgang_nodeset *nodes)
{
	for (size_t u = 0; u < p->n_units; u++) {
		const struct unit *unit = &p->units[u];
		const struct candidate *jobs = &p->jobs[unit->first];

		if (!p->chosen[u] || !unit->gang)
			continue;
		sgang_nodeset_clear(p->scratch);
		for (size_t i = 0; i < unit->n; i++)
			p->a->c->host->jobs.nodes(jobs[i].k.job, p->scratch);
		p->chosen[u] = sgang_nodeset_intersects(p->scratch, nodes);
	}
}

static int set_nodes(const struct preempt *p, struct claim *claim)
{
	const struct attempt *a = p->a;

	for (size_t r = 0; !p->several && r < p->plan->n_runs; r++)
		sgang_nodeset_add(claim->nodes,
				  sgang_parts_node(a->c, &p->plan->runs[r]));
	if (!p->several)
		return 0;
	claim->shares = calloc(a->n_gangs, sizeof(*claim->shares));
	for (size_t i = 0; claim->shares && i < a->n_gangs; i++) {
		struct claim_share *share = &claim->shares[claim->n_shares];

		share->g = a->gangs[i];
		share->nodes = sgang_nodeset_copy(p->several->nodes[i]);
		if (!share->nodes)
			return -1;
		claim->n_shares++;
		sgang_nodeset_or(claim->nodes, share->nodes);
	}
	return claim->shares ? 0 : -1;
}

/* The claim of the plan; NULL: none, or no memory. */
static struct claim *plan_claim(struct preempt *p)
{
	struct attempt *a = p->a;
	struct claim *claim = calloc(1, sizeof(*claim));

	if (!claim)
		return NULL;
	claim->nodes = sgang_nodeset_create(a->c->host->nodes.count());
	claim->victims = calloc(p->n_jobs + 1, sizeof(*claim->victims));
	if (!claim->nodes || !claim->victims || set_nodes(p, claim) < 0) {
		sgang_claim_destroy(claim);
		return NULL;
	}
	if (p->several)
		spare_gangs(p, claim->nodes);
	p->stopped = !nothing_else(p, claim->nodes);
	if (!p->stopped)
		add_victims(p, claim);
	if (!claim->n_victims) { /* Slurm itself refuses */
		sgang_claim_destroy(claim);
		return NULL;
	}
	return claim;
}

static void tell_would(struct preempt *p, const struct claim *claim)
{
	for (size_t i = 0; i < p->a->n_gangs; i++) {
		struct gang *g = p->a->gangs[i];

		strcpy(g->preempt.would.victims, claim->told);
		strcpy(g->preempt.would.nodes, claim->text);
	}
}

static bool claim_plan(struct preempt *p)
{
	struct attempt *a = p->a;
	struct claim *claim = plan_claim(p);

	if (!claim)
		return false;
	sgang_node_list_fold(a->c, claim->nodes, claim->text);
	if (p->off) {
		tell_would(p, claim);
		sgang_claim_destroy(claim);
		return false;
	}
	evict_gangs(p);
	sgang_claim_begin(a->c, a->gangs[0], claim);
	return true;
}

/* ---- permission ---- */

/* Record why the gang preempts no job. */
static void tell_spared(struct gang *g, enum sgang_spared why, int64_t number)
{
	sgang_lists_write_spared(why, (uint64_t)number, g->preempt.none);
}

static bool may_preempt_one(const struct sgang_conductor *c, struct gang *g)
{
	g->preempt.none[0] = '\0';
	if (!c->host->preempt.enabled() || g->preempt.claim || g->limited ||
	    g->never.starts)
		return false;
	if (sgang_preempt_may(c, g) && g->preempt.after <= c->host->now())
		return true;
	if (!c->conf.preemption)
		tell_spared(g, SGANG_SPARED_SITE, 0);
	else if (!sgang_preempt_may(c, g))
		tell_spared(g, SGANG_SPARED_OPTION, 0);
	else
		tell_spared(g, SGANG_SPARED_AFTER, g->preempt.after);
	return false;
}

static bool may_preempt(const struct sgang_conductor *c, struct gang **gangs,
			size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!may_preempt_one(c, gangs[i]))
			return false;
	}
	return true;
}

/* A gang that may not preempt finds the jobs it would preempt at most once in
 * so many seconds, because only its text depends on them. */
#define WOULD_SECONDS 60

/* True if only an option of the gang or the site keeps it from preempting. */
static bool is_off(struct sgang_conductor *c, struct gang **gangs, size_t n)
{
	int64_t now = c->host->now();
	bool off = false;

	for (size_t i = 0; i < n; i++) {
		struct gang *g = gangs[i];

		if (g->preempt.claim || g->limited || g->never.starts ||
		    g->preempt.after > now || g->preempt.would.after > now)
			return false;
		off |= !sgang_preempt_may(c, g);
	}
	if (!off || !c->host->preempt.enabled())
		return false;
	for (size_t i = 0; i < n; i++)
		gangs[i]->preempt.would.after = now + WOULD_SECONDS;
	return true;
}

static void forget_would(struct gang **gangs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		memset(&gangs[i]->preempt.would, 0,
		       sizeof(gangs[i]->preempt.would));
}

static int alloc_units(struct preempt *p)
{
	p->units = calloc(p->n_jobs + 1, sizeof(*p->units));
	p->victims = calloc(p->n_jobs + 1, sizeof(*p->victims));
	p->gone = calloc(p->n_jobs + 1, sizeof(*p->gone));
	p->chosen = calloc(p->n_jobs + 1, sizeof(*p->chosen));
	return (p->units && p->victims && p->gone && p->chosen &&
		!p->no_memory) ?
		       0 :
		       -1;
}

static void free_preempt(struct preempt *p)
{
	sgang_nodeset_destroy(p->places);
	sgang_nodeset_destroy(p->scratch);
	free(p->jobs);
	free(p->units);
	free(p->victims);
	free(p->gone);
	free(p->chosen);
	sgang_placement_destroy(p->plan);
	if (p->several)
		sgang_several_close(p->several);
}

/* If the gangs are planned one by one, there must be enough plans. */
static int open_several(struct preempt *p, struct several *several)
{
	struct attempt *a = p->a;

	if (!sgang_several_needed(a))
		return 0;
	if (!sgang_several_sets(a)) {
		for (size_t i = 0; !p->off && i < a->n_gangs; i++)
			tell_spared(a->gangs[i], SGANG_SPARED_LEVELS, 0);
		return -1;
	}
	p->several = several;
	return sgang_several_open(several, a);
}

/* Call when the parts are chosen and do not fit now. */
static bool preempt_for(struct attempt *a, bool off)
{
	uint64_t begun = a->c->host->clock_us();
	struct preempt p = { .a = a, .off = off };
	struct several several;
	bool done = false;

	if (open_several(&p, &several) < 0 || find_places(&p) < 0)
		goto out;
	find_candidates(&p);
	if (alloc_units(&p) < 0)
		goto out;
	make_units(&p);
	done = p.n_units && choose(&p) && claim_plan(&p);
	for (size_t i = 0; !done && !off && i < a->n_gangs; i++)
		tell_spared(a->gangs[i],
			    p.stopped ? SGANG_SPARED_LIMIT :
			    p.n_units ? SGANG_SPARED_FEW :
					SGANG_SPARED_NONE,
			    (int64_t)p.n_jobs);
	sgang_log(SGANG_LOG_DEBUG,
		  "%s/%s: preemption: %zu candidates, %u plans, %llu us: %s",
		  a->gangs[0]->ns, a->gangs[0]->name, p.n_jobs, p.report.plans,
		  (unsigned long long)(a->c->host->clock_us() - begun),
		  done ? "claimed" : "no use");
out:
	free_preempt(&p);
	return done;
}

/* Count nodes in use as such, whenever they become free. */
static int forget_ends(struct attempt *a)
{
	uint32_t n = a->c->host->nodes.count();

	a->free_at = calloc(n + 1UL, sizeof(*a->free_at));
	if (!a->free_at)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		a->free_at[i] = INT64_MAX;
	a->at = a->c->host->now();
	return sgang_exclusive_prepare(a);
}

bool sgang_preempt(struct sgang_conductor *c, struct gang **gangs, size_t n)
{
	struct attempt a;
	bool done = false, off = false;

	if (!may_preempt(c, gangs, n)) {
		off = is_off(c, gangs, n);
		if (!off)
			return false;
	} else {
		forget_would(gangs, n);
	}
	if (sgang_probe_open(&a, c, gangs, n) == 0) {
		sgang_probe_all(&a);
		if (sgang_probe_room(&a) == 0 &&
		    sgang_fit_choose(&a, SGANG_EXTENT_MINIMUM) == 0 &&
		    forget_ends(&a) == 0) {
			sgang_fit_ring_order(&a);
			sgang_fewer_least(&a, a.at);
			done = preempt_for(&a, off);
		}
	}
	free(a.free_at);
	a.free_at = NULL;
	sgang_probe_close(&a);
	if (!done && !off) /* the end of an exemption sends no event */
		gangs[0]->preempt.wake = c->host->preempt.next_candidate();
	return done;
}
