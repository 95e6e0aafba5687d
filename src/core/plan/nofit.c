/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nofit.c - why a gang does not fit
 *
 * The first kind of members that would not even fit alone is what a user can do
 * something about. Only when every kind would, they fit alone but not together.
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "plan_private.h"

/* The shortage: so many units, and by position how many fit. */
struct shortage {
	const struct sgang_job *job;
	const uint32_t *cap;
	uint64_t needed;
	uint32_t slots;  /* of one unit; 0: a whole node */
	uint32_t member; /* as in the answer */
	char who[48];    /* "member 2: ", or nothing */
	char units[64];  /* "4 whole free nodes" */
	bool in_units;   /* more than slots are counted */
};

/* Does every member of this kind want distinct nodes? */
static bool all_distinct(const struct sgang_job *job, uint32_t kind)
{
	uint32_t i;

	for (i = 0; i < job->request->n_members; i++) {
		if (job->kind_of[i] == kind &&
		    !job->request->members[i].distinct)
			return false;
	}
	return true;
}

/* The unit of counting: whole nodes, nodes, slots or pieces of some slots;
 * units, where they are more than slots. */
static void name_units(struct shortage *shortage, uint32_t number)
{
	const struct sgang_kind *kind = &shortage->job->kind[number];
	const char *s = shortage->needed == 1 ? "" : "s";
	const char *slot_s = kind->slots == 1 ? "" : "s";
	char *buf = shortage->units;
	size_t size = sizeof(shortage->units);

	if (kind->whole)
		snprintf(buf, size, "%" PRIu64 " whole free node%s",
			 shortage->needed, s);
	else if (shortage->in_units)
		snprintf(buf, size, "%" PRIu64 " unit%s", shortage->needed, s);
	else if (all_distinct(shortage->job, number))
		snprintf(buf, size, "%" PRIu64 " node%s with %u free slot%s%s",
			 shortage->needed, s, kind->slots, slot_s,
			 *s ? " each" : "");
	else if (kind->slots == 1)
		snprintf(buf, size, "%" PRIu64 " free slot%s", shortage->needed,
			 s);
	else
		snprintf(buf, size, "%" PRIu64 " piece%s of %u free slots",
			 shortage->needed, s, kind->slots);
}

/* The kind that has this need, when there are several kinds. */
static void name_members(struct shortage *shortage, uint32_t number)
{
	const struct sgang_job *job = shortage->job;
	uint32_t i, n = 0, first = job->kind[number].first;

	for (i = 0; i < job->request->n_members; i++)
		n += job->kind_of[i] == number;
	if (job->n_kinds == 1)
		shortage->who[0] = '\0';
	else if (n == 1)
		snprintf(shortage->who, sizeof(shortage->who),
			 "member %u: ", first);
	else
		snprintf(shortage->who, sizeof(shortage->who),
			 "%u members "
			 "like member %u: ",
			 n, first);
}

bool sgang_nofit_has_row(const struct sgang_plan_request *request,
			 uint32_t domain)
{
	return sgang_tree_allowed(request, domain) &&
	       sgang_plan_highest(request, domain);
}

void sgang_nofit_row(struct sgang_nofit *nofit, uint32_t domain, uint64_t free,
		     uint64_t needed)
{
	size_t i = nofit->n_rows;

	if (i == SGANG_NOFIT_ROWS && nofit->row[i - 1].free >= free)
		return;
	if (i < SGANG_NOFIT_ROWS)
		nofit->n_rows++;
	else
		i--;
	for (; i && nofit->row[i - 1].free < free; i--)
		nofit->row[i] = nofit->row[i - 1];
	nofit->row[i].domain = domain;
	nofit->row[i].free = free;
	nofit->row[i].needed = needed;
}

/* The highest domains that the gang may span, and what is free in each. */
static void add_rows(const struct shortage *shortage, struct sgang_nofit *nofit)
{
	const struct sgang_plan_request *request = shortage->job->request;
	uint32_t d, i, n = sgang_fabric_domains(request->fabric);

	for (d = 0; d < n; d++) {
		const struct sgang_domain *domain =
			sgang_fabric_domain(request->fabric, d);
		uint64_t free = 0;

		if (!sgang_nofit_has_row(request, d))
			continue;
		for (i = 0; i < domain->n_nodes; i++)
			free += shortage->cap[domain->first_pos + i];
		sgang_nofit_row(nofit, d, free, shortage->needed);
	}
}

/* The best place that may be used, a domain or one node, by name. */
static const char *best_place(const struct shortage *shortage,
			      const struct sgang_nofit *nofit, uint64_t *free)
{
	const struct sgang_fabric *fabric = shortage->job->request->fabric;
	uint32_t pos, best = 0, n = sgang_fabric_nodes(fabric);

	*free = 0;
	if (nofit->n_rows) {
		*free = nofit->row[0].free;
		return sgang_fabric_domain(fabric, nofit->row[0].domain)->name;
	}
	if (!n)
		return "";
	for (pos = 1; pos < n; pos++) {
		if (shortage->cap[pos] > shortage->cap[best])
			best = pos;
	}
	*free = shortage->cap[best];
	return sgang_fabric_node_name(fabric, sgang_fabric_order(fabric)[best]);
}

/* All but the sentence. */
static void fill_numbers(const struct shortage *shortage,
			 struct sgang_nofit *nofit)
{
	uint32_t n = sgang_fabric_nodes(shortage->job->request->fabric), pos;
	const char *place;

	memset(nofit, 0, sizeof(*nofit));
	strcpy(nofit->who, shortage->who);
	nofit->needed = shortage->needed;
	nofit->slots = shortage->slots;
	nofit->member = shortage->member;
	for (pos = 0; pos < n; pos++)
		nofit->free += shortage->cap[pos];
	add_rows(shortage, nofit);
	place = best_place(shortage, nofit, &nofit->best_free);
	snprintf(nofit->best, sizeof(nofit->best), "%s", place);
}

/* Fill 'nofit'. Returns false, and says nothing, when it would fit alone. */
static bool say(const struct shortage *shortage, struct sgang_nofit *nofit)
{
	const struct sgang_plan_request *request = shortage->job->request;
	const char *level = "switch";
	uint64_t free;

	fill_numbers(shortage, nofit);
	free = nofit->best_free;
	if (free >= shortage->needed)
		return false;
	if (request->max_level < SGANG_LEVEL_UNCONNECTED)
		level = request->costs->name[request->max_level];
	if (nofit->n_rows == 1 && shortage->in_units)
		snprintf(nofit->text, sizeof(nofit->text),
			 "%sneeds room for %s, there is room for %" PRIu64,
			 shortage->who, shortage->units, free);
	else if (nofit->n_rows == 1)
		snprintf(nofit->text, sizeof(nofit->text),
			 "%sneeds %s, %" PRIu64 " %s free", shortage->who,
			 shortage->units, free, free == 1 ? "is" : "are");
	else
		snprintf(nofit->text, sizeof(nofit->text),
			 "%sno %s has room for %s, the best (%s) has %" PRIu64,
			 shortage->who, level, shortage->units, nofit->best,
			 free);
	return true;
}

/* Each kind alone. True when one does not fit. */
static bool explain_kinds(const struct sgang_job *job,
			  struct sgang_nofit *nofit)
{
	const struct sgang_fabric *fabric = job->request->fabric;
	const uint32_t *order = sgang_fabric_order(fabric);
	uint32_t n = sgang_fabric_nodes(fabric), pos, k;
	bool in_units = job->request->n_dims > 1;
	uint32_t *cap = sgang_pool_alloc(job->pool, n, sizeof(*cap));

	for (k = 0; k < job->n_kinds; k++) {
		struct shortage shortage = { .job = job,
					     .cap = cap,
					     .needed = job->kind[k].units,
					     .slots = job->kind[k].slots,
					     .member = job->kind[k].first,
					     .in_units = in_units };

		for (pos = 0; pos < n; pos++)
			cap[pos] = sgang_kind_fits(
				job, &job->kind[k], order[pos],
				sgang_job_free(job, order[pos]));
		name_units(&shortage, k);
		name_members(&shortage, k);
		if (say(&shortage, nofit))
			return true;
	}
	return false;
}

void sgang_nofit_explain(const struct sgang_job *job, struct sgang_nofit *nofit)
{
	struct shortage shortage = { .job = job };
	struct sgang_tree slots;

	if (explain_kinds(job, nofit))
		return;
	sgang_job_in_dim(job, 0, NULL, &slots);
	shortage.cap = slots.cap;
	shortage.needed = slots.need;
	shortage.slots = 1;
	shortage.member = SGANG_NOFIT_ALL;
	snprintf(shortage.units, sizeof(shortage.units),
		 "%" PRIu64 " free "
		 "slots in all",
		 slots.need);
	if (say(&shortage, nofit))
		return;
	if (job->request->n_dims > 1)
		snprintf(nofit->text, sizeof(nofit->text),
			 "every member has "
			 "room alone, but not all of them together");
	else
		snprintf(nofit->text, sizeof(nofit->text),
			 "%" PRIu64 " free "
			 "slots are needed and there, but not so that every "
			 "member has what it asks for",
			 slots.need);
}
