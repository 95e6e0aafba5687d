/* SPDX-License-Identifier: GPL-2.0-or-later */
/* victims.c - the jobs that the stock plugin may preempt for an ordinary job */

#include "config.h"

#include "victims.h"

#include "host_private.h"

struct sgang_victim_list {
	struct sgang_conductor *conductor;
	struct sgang_listed *v;
	job_record_t **job;
	size_t n;
	bool any_needed;
};

static bool is_needed(const struct sgang_listed *v)
{
	return v->kind > SGANG_VICTIM_ANY;
}

struct sgang_victim_list *sgang_victims_judge(
	list_t *candidates, struct sgang_conductor *conductor,
	bool (*is_member)(job_record_t *job_ptr, struct sgang_spec *spec))
{
	struct sgang_victim_list *victims;
	struct sgang_spec spec;
	bool any = false;
	list_itr_t *iter;
	job_record_t *job_ptr;

	if (!candidates || !list_count(candidates))
		return NULL;
	victims = xmalloc(sizeof(*victims));
	victims->conductor = conductor;
	victims->v = xcalloc(list_count(candidates), sizeof(*victims->v));
	victims->job = xcalloc(list_count(candidates), sizeof(*victims->job));
	iter = list_iterator_create(candidates);
	while ((job_ptr = list_next(iter))) {
		struct sgang_listed *v = &victims->v[victims->n];

		victims->job[victims->n++] = job_ptr;
		v->job_id = job_ptr->job_id;
		if (!is_member(job_ptr, &spec))
			continue;
		v->gang = sgang_conductor_victim(conductor, &spec);
		v->ends = sgang_host_ends_by(slurm_job_preempt_mode(job_ptr));
		any |= v->gang != NULL;
	}
	list_iterator_destroy(iter);
	if (!any || sgang_conductor_judge(conductor, victims->v, victims->n)) {
		sgang_victims_destroy(victims);
		return NULL;
	}
	for (size_t i = 0; i < victims->n; i++)
		victims->any_needed |= is_needed(&victims->v[i]);
	return victims;
}

void sgang_victims_destroy(struct sgang_victim_list *victims)
{
	if (!victims)
		return;
	xfree(victims->v);
	xfree(victims->job);
	xfree(victims);
}

static void add(const struct sgang_victim_list *victims, list_t *list,
		size_t from, size_t to, enum sgang_victim_kind first,
		enum sgang_victim_kind last)
{
	for (size_t i = from; i < to; i++) {
		if (victims->v[i].kind >= first && victims->v[i].kind <= last)
			list_append(list, victims->job[i]);
	}
}

/* Slurm's list is in the order of their standing. */
static size_t end_of_standing(const struct sgang_victim_list *victims,
			      size_t from)
{
	uint32_t priority = sgang_host_preempt_priority(victims->job[from]);
	size_t to = from + 1;

	while (to < victims->n &&
	       sgang_host_preempt_priority(victims->job[to]) == priority)
		to++;
	return to;
}

list_t *sgang_victims_list(const struct sgang_victim_list *victims, bool needed)
{
	list_t *list;

	if (!needed && !victims->any_needed)
		return NULL;
	list = list_create(NULL);
	for (size_t from = 0, to; from < victims->n; from = to) {
		to = end_of_standing(victims, from);
		add(victims, list, from, to, SGANG_VICTIM_EXTRA,
		    SGANG_VICTIM_EXTRA);
		add(victims, list, from, to, SGANG_VICTIM_ANY,
		    SGANG_VICTIM_ANY);
	}
	if (needed)
		add(victims, list, 0, victims->n, SGANG_VICTIM_LAST,
		    SGANG_VICTIM_WHOLE);
	if (!list_count(list))
		FREE_NULL_LIST(list);
	return list;
}

/* The gang of a chosen job that does not go alone; NULL: the job does. */
static struct gang *goes_with(const struct sgang_victim_list *victims,
			      const job_record_t *job_ptr)
{
	for (size_t i = 0; i < victims->n; i++) {
		if (victims->job[i] == job_ptr)
			return victims->v[i].kind == SGANG_VICTIM_WHOLE ?
				       victims->v[i].gang :
				       NULL;
	}
	return NULL;
}

static int is_job(void *x, void *key)
{
	return x == key;
}

static void add_gang(const struct sgang_victim_list *victims,
		     const struct gang *gang, list_t *chosen)
{
	for (size_t i = 0; i < victims->n; i++) {
		if (victims->v[i].gang == gang && victims->v[i].ends &&
		    !list_find_first(chosen, is_job, victims->job[i]))
			list_append(chosen, victims->job[i]);
	}
}

void sgang_victims_complete(struct sgang_victim_list *victims, list_t *chosen)
{
	struct gang **gangs = xcalloc(list_count(chosen) + 1, sizeof(*gangs));
	list_itr_t *iter = list_iterator_create(chosen);
	job_record_t *job_ptr;
	size_t n = 0;

	while ((job_ptr = list_next(iter))) {
		struct gang *gang = goes_with(victims, job_ptr);

		if (gang && (!n || gangs[n - 1] != gang))
			gangs[n++] = gang;
	}
	list_iterator_destroy(iter);
	for (size_t i = 0; i < n; i++) {
		add_gang(victims, gangs[i], chosen);
		sgang_conductor_struck(victims->conductor, gangs[i]);
	}
	xfree(gangs);
}
