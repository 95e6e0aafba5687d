/* SPDX-License-Identifier: GPL-2.0-or-later */
/* victims.c - whom a gang preempts
 *
 * Each place that the gang may be in is searched by itself, by counting. The
 * best sets of all places are kept, and plans say of one after the other
 * whether it is good. Of sets of equal harm the one with the cheapest ring
 * wins. Where the counts allow what no plan does, room for more pieces than the
 * gang has is asked for, until a plan fits.
 */

#include <string.h>

#include "victims_private.h"

/* Sets that are kept. */
#define CHOICES_MAX 32
/* Plans that fail before more room is asked for, and those of one place. */
#define FAILURES_MAX 6
#define FAILURES_AT_SITE 3
/* Plans for sets with the same room. */
#define PIECES_PLANS 2
/* Plans that are kept to leave out some of a set that is not minimal. */
#define SHRINK_PLANS 4
/* Plans for sets of equal harm that gain nothing, until no more are made. */
#define VAIN_MAX 5

struct choice {
	bool *gone;
	struct sgang_toll toll;
	size_t site;
	bool asked; /* whether it fits */
};

struct hunt {
	const struct sgang_victims_request *rq;
	struct sgang_search search;
	struct sgang_site *site;
	size_t n_sites;
	/* by site: */
	uint64_t *room; /* for so many pieces when all are gone; 0: it is too
			 * small for the gang */
	bool *searched; /* longer */
	uint32_t *failures;
	size_t at;                              /* the site that is searched */
	struct choice *choice[CHOICES_MAX + 1]; /* best first; the last one is
						 * scratch */
	struct choice choices[CHOICES_MAX + 1];
	size_t n_choices;
	uint32_t plans_left;
	uint64_t steps_left;
	uint64_t least; /* what the ring costs when all are gone */
	bool *answer;   /* the best set that fits, and what it comes to */
	struct sgang_toll toll;
	bool answered;
	struct sgang_victims_report report;
};

/* -- the best sets by counting -- */

/* Sets of equal harm: those in smaller places first, whose rings are likely to
 * be cheaper, then those that lose less. */
static int compare_choices(const struct hunt *h, const struct choice *a,
			   const struct choice *b)
{
	return sgang_toll_compare(&h->search.room.harms, &a->toll,
				  h->site[a->site].n_nodes, &b->toll,
				  h->site[b->site].n_nodes);
}

/* A set that was found: keep it among the best. */
static void offer(void *arg, const bool *gone, const struct sgang_toll *toll)
{
	struct hunt *h = arg;
	struct choice *one = h->choice[h->n_choices];
	size_t low = 0, high = h->n_choices;

	sgang_toll_copy(&h->search.room.harms, &one->toll, toll);
	one->site = h->at;
	one->asked = false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int rc = compare_choices(h, one, h->choice[middle]);

		if (!rc)
			return; /* the same, or as good */
		if (rc < 0)
			high = middle;
		else
			low = middle + 1;
	}
	if (low == CHOICES_MAX)
		return;
	memcpy(one->gone, gone, h->rq->n_victims * sizeof(*gone));
	memmove(&h->choice[low + 1], &h->choice[low],
		(h->n_choices - low) * sizeof(h->choice[0]));
	h->choice[low] = one;
	if (h->n_choices < CHOICES_MAX)
		h->n_choices++;
}

/* Search longer in the place that it is at. */
static void search_at(struct hunt *h, const bool *start, uint64_t max_steps)
{
	uint64_t before = h->search.room.steps, taken;

	sgang_search_long(&h->search, &h->site[h->at], start, max_steps);
	taken = h->search.room.steps - before;
	h->steps_left -= taken < h->steps_left ? taken : h->steps_left;
}

/* -- plans -- */

static bool is_everyone(const struct hunt *h, const bool *gone)
{
	return !memchr(gone, false, h->rq->n_victims);
}

/* Does the gang fit? That it does when everyone is gone is known. */
static bool ask(struct hunt *h, const bool *gone, uint64_t *cost)
{
	*cost = h->least;
	if (is_everyone(h, gone))
		return true;
	if (!h->plans_left)
		return false;
	h->plans_left--;
	h->report.plans++;
	return h->rq->fits(h->rq->arg, gone, cost);
}

/* A set that fits: is it the answer, since it is better than what was? */
static bool answer(struct hunt *h, const bool *gone,
		   const struct sgang_toll *toll, uint64_t cost)
{
	const struct sgang_harms *harms = &h->search.room.harms;

	if (h->answered && sgang_toll_compare(harms, toll, cost, &h->toll,
					      h->report.cost) >= 0)
		return false;
	memcpy(h->answer, gone, h->rq->n_victims * sizeof(*gone));
	sgang_toll_copy(harms, &h->toll, toll);
	h->report.cost = cost;
	h->answered = true;
	return true;
}

/* Could it be better than the answer, if its ring is cheap? */
static bool may_win(const struct hunt *h, const struct choice *choice)
{
	return !h->answered ||
	       sgang_toll_compare(&h->search.room.harms, &choice->toll,
				  h->least, &h->toll, h->report.cost) < 0;
}

/* The next set worth a plan; NULL: there is none. */
static struct choice *next_choice(const struct hunt *h)
{
	for (size_t i = 0; i < h->n_choices; i++) {
		struct choice *choice = h->choice[i];

		if (!choice->asked &&
		    h->failures[choice->site] < FAILURES_AT_SITE &&
		    may_win(h, choice))
			return choice;
	}
	return NULL;
}

/* Ask of the best sets, and of those that are no more harm than one that
 * fits, which ring is the cheapest. */
static void ask_choices(struct hunt *h)
{
	struct choice *choice;
	uint32_t failed = 0, in_vain = 0;
	uint64_t cost;

	while (failed < FAILURES_MAX && in_vain < VAIN_MAX && h->plans_left &&
	       (choice = next_choice(h))) {
		choice->asked = true;
		if (!ask(h, choice->gone, &cost)) {
			h->failures[choice->site]++;
			failed++;
		} else if (answer(h, choice->gone, &choice->toll, cost)) {
			in_vain = 0;
		} else {
			in_vain++;
		}
	}
}

/* -- where counts allow what no plan does -- */

/* The place with the most room of those that were not tried; n_sites: none. */
static size_t widest_site(const struct hunt *h, const bool *tried)
{
	size_t best = h->n_sites;

	for (size_t i = 0; i < h->n_sites; i++) {
		if (h->room[i] && !tried[i] &&
		    (best == h->n_sites || h->room[i] > h->room[best]))
			best = i;
	}
	return best;
}

/* A place in which the gang fits if everybody there goes: that is an answer, if
 * a bad one. n_sites: there is none. */
static size_t find_wide(struct hunt *h)
{
	struct sgang_room *room = &h->search.room;
	bool *tried = h->searched; /* that is over */
	uint64_t cost;

	memset(tried, false, h->n_sites * sizeof(*tried));
	while (h->plans_left) {
		size_t site = widest_site(h, tried);

		if (site == h->n_sites)
			break;
		tried[site] = true;
		(void)sgang_search_possible(&h->search, &h->site[site]);
		if (ask(h, room->gone, &cost)) {
			(void)answer(h, room->gone, &room->toll, cost);
			return site;
		}
	}
	return h->n_sites;
}

/* The best sets with room for so many pieces: is one of them an answer? */
static bool ask_pieces(struct hunt *h, uint64_t pieces)
{
	uint64_t cost;

	h->n_choices = 0;
	sgang_room_ask(&h->search.room, pieces);
	sgang_search_again(&h->search);
	search_at(h, h->choice[0]->gone, h->steps_left / 8);
	for (size_t i = 0; i < h->n_choices && i < PIECES_PLANS; i++) {
		const struct choice *choice = h->choice[i];

		if (h->plans_left > SHRINK_PLANS &&
		    ask(h, choice->gone, &cost) &&
		    answer(h, choice->gone, &choice->toll, cost))
			return true;
	}
	return false;
}

/* Look for room for more pieces than the gang has, as few more as a plan
 * wants. */
static void ask_for_more(struct hunt *h, size_t site)
{
	uint64_t units = h->search.room.job.units;
	uint64_t low = units, high = h->room[site];

	h->at = site;
	sgang_search_quick(&h->search, &h->site[site]);
	while (high - low > 1 && h->plans_left > SHRINK_PLANS) {
		uint64_t middle = low + (high - low) / 2;

		if (ask_pieces(h, middle))
			high = middle;
		else
			low = middle;
	}
	sgang_room_ask(&h->search.room, units);
}

/* The answer without some of it, the worst first: what is left of the plans
 * says whether these are needed. */
static void shrink(struct hunt *h)
{
	struct choice *trial = h->choice[CHOICES_MAX];
	const struct sgang_search *s = &h->search;
	size_t n = h->rq->n_victims, size = 0, some, i = s->n;
	uint64_t cost;

	for (size_t v = 0; v < n; v++)
		size += h->answer[v] && s->room.harms.kind[v];
	some = h->plans_left ? (size + h->plans_left - 1) / h->plans_left : 0;
	while (i && h->plans_left) {
		memcpy(trial->gone, h->answer, n * sizeof(*trial->gone));
		for (size_t without = 0; i && without < some;) {
			size_t v = sgang_search_victim(s, --i);

			if (trial->gone[v] &&
			    !sgang_harm_bound(&s->room.harms, v, trial->gone)) {
				trial->gone[v] = false;
				without++;
			}
		}
		sgang_toll_sum(&s->room.harms, &trial->toll, trial->gone, n);
		if (ask(h, trial->gone, &cost))
			(void)answer(h, trial->gone, &trial->toll, cost);
	}
}

/* No set of those that were found is good. */
static void ask_widely(struct hunt *h)
{
	size_t site = find_wide(h);

	if (site == h->n_sites)
		return;
	ask_for_more(h, site);
	shrink(h);
}

/* -- the request -- */

static void search_quick(struct hunt *h)
{
	for (h->at = 0; h->at < h->n_sites; h->at++) {
		if (h->room[h->at])
			sgang_search_quick(&h->search, &h->site[h->at]);
	}
}

static bool is_within(const struct sgang_site *in, const struct sgang_site *out)
{
	return in->first_pos >= out->first_pos &&
	       in->first_pos - out->first_pos + in->n_nodes <= out->n_nodes;
}

/* The next place to search longer: where one of the best sets is, then those
 * around the best, where some of it may not be needed. n_sites: none. */
static size_t next_site(const struct hunt *h)
{
	for (size_t i = 0; i < h->n_choices; i++) {
		if (!h->searched[h->choice[i]->site])
			return h->choice[i]->site;
	}
	for (size_t i = 0; i < h->n_sites; i++) {
		if (!h->searched[i] &&
		    is_within(&h->site[h->choice[0]->site], &h->site[i]))
			return i;
	}
	return h->n_sites;
}

/* The best set that makes room there. */
static const bool *start_at(const struct hunt *h, size_t site)
{
	for (size_t i = 0; i < h->n_choices; i++) {
		if (is_within(&h->site[h->choice[i]->site], &h->site[site]))
			return h->choice[i]->gone;
	}
	return NULL; /* it has a set itself, or one around which it is */
}

/* Search longer where the best sets are, each time with half of what is left of
 * the steps. */
static void search_long(struct hunt *h)
{
	while (h->steps_left && (h->at = next_site(h)) < h->n_sites) {
		h->searched[h->at] = true;
		search_at(h, start_at(h, h->at), h->steps_left / 2);
	}
}

/* Domains that the gang may be in, and nodes where it may be in no domain. */
static void find_sites(struct hunt *h, struct sgang_pool *pool)
{
	const struct sgang_plan_request *plan = h->rq->plan;
	uint32_t domains = sgang_fabric_domains(plan->fabric);
	uint32_t nodes = sgang_fabric_nodes(plan->fabric);

	h->site = sgang_pool_alloc(pool, (size_t)domains + nodes,
				   sizeof(*h->site));
	for (uint32_t d = 0; d < domains; d++) {
		const struct sgang_domain *domain =
			sgang_fabric_domain(plan->fabric, d);

		if (sgang_tree_allowed(plan, d))
			h->site[h->n_sites++] = (struct sgang_site){
				domain->first_pos, domain->n_nodes
			};
	}
	for (uint32_t node = 0; node < nodes; node++) {
		uint32_t leaf = sgang_fabric_leaf(plan->fabric, node);

		if (!sgang_tree_allowed(plan, leaf))
			h->site[h->n_sites++] = (struct sgang_site){
				sgang_fabric_pos(plan->fabric)[node], 1
			};
	}
	h->room = sgang_pool_alloc(pool, h->n_sites, sizeof(*h->room));
	h->failures = sgang_pool_zalloc(pool, h->n_sites, sizeof(*h->failures));
	h->searched = sgang_pool_zalloc(pool, h->n_sites, sizeof(*h->searched));
}

static int init(struct hunt *h, struct sgang_pool *pool,
		const struct sgang_victims_request *rq)
{
	h->rq = rq;
	h->plans_left = rq->max_plans ? rq->max_plans : SGANG_VICTIMS_PLANS;
	h->steps_left = rq->max_steps ? rq->max_steps : SGANG_VICTIMS_STEPS;
	if (sgang_search_init(&h->search, pool, rq))
		return -1;
	find_sites(h, pool);
	h->search.offer = offer;
	h->search.arg = h;
	h->answer = sgang_pool_alloc(pool, rq->n_victims, sizeof(bool));
	for (size_t i = 0; i <= CHOICES_MAX; i++) {
		h->choice[i] = &h->choices[i];
		h->choices[i].gone = sgang_pool_alloc(pool, rq->n_victims,
						      sizeof(bool));
		sgang_toll_init(&h->search.room.harms, pool,
				&h->choices[i].toll);
	}
	sgang_toll_init(&h->search.room.harms, pool, &h->toll);
	return 0;
}

/* Is there a place where counting finds room when all are gone? */
static bool is_possible(struct hunt *h)
{
	bool any = false;

	for (size_t i = 0; i < h->n_sites; i++) {
		bool fits = sgang_search_possible(&h->search, &h->site[i]);

		h->room[i] = fits ? sgang_room_most(&h->search.room) : 0;
		any |= fits;
	}
	return any;
}

static bool all_fit(struct hunt *h)
{
	bool *all = h->choice[CHOICES_MAX]->gone;

	for (size_t i = 0; i < h->rq->n_victims; i++)
		all[i] = true;
	h->plans_left--;
	h->report.plans++;
	return h->rq->fits(h->rq->arg, all, &h->least);
}

static void fill(struct hunt *h, bool *gone,
		 struct sgang_victims_report *report)
{
	h->report.steps = h->search.room.steps;
	h->report.jobs = h->toll.jobs;
	memcpy(gone, h->answer, h->rq->n_victims * sizeof(*gone));
	if (report)
		*report = h->report;
}

/* What sgang_victims_choose() was asked. */
struct question {
	const struct sgang_victims_request *rq;
	bool *gone;
	struct sgang_victims_report *report;
};

/* Once it has begun it asks for no more memory: the caller is called back. */
static int choose(struct sgang_pool *pool, void *arg)
{
	const struct question *q = arg;
	struct hunt h;

	memset(&h, 0, sizeof(h));
	if (init(&h, pool, q->rq))
		return -1;
	if (!is_possible(&h) || !all_fit(&h))
		return 0;
	search_quick(&h);
	search_long(&h);
	ask_choices(&h);
	if (!h.answered)
		ask_widely(&h);
	if (h.answered)
		fill(&h, q->gone, q->report);
	return h.answered;
}

int sgang_victims_choose(const struct sgang_victims_request *rq, bool *gone,
			 struct sgang_victims_report *report)
{
	struct question q = { rq, gone, report };

	return sgang_pool_run(choose, &q);
}
