/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tell_free.c - in the tests' plugin only: what is free */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "host_private.h"

#include "inside.h"
#include "plugins/select/faults.h"
#include "rows.h"
#include "tell_free.h"

/* Jobs to be left out, and those that are asked for. */
struct told {
	struct sgang_job **out, **asks;
	size_t n_out, n_asks;
	bool add_held; /* what the first have is free, too */
};

static void find_jobs(struct told *told)
{
	size_t room = (size_t)list_count(job_list) + 1;
	list_itr_t *iter = list_iterator_create(job_list);
	job_record_t *job_ptr;

	told->out = xcalloc(room, sizeof(*told->out));
	told->asks = xcalloc(room, sizeof(*told->asks));
	while ((job_ptr = list_next(iter))) {
		if (sgang_fault("leave-out", job_ptr->job_id))
			told->out[told->n_out++] = handle(job_ptr);
		if (IS_JOB_PENDING(job_ptr) && !IS_JOB_COMPLETING(job_ptr) &&
		    sgang_host_concerns(job_ptr))
			told->asks[told->n_asks++] = handle(job_ptr);
	}
	list_iterator_destroy(iter);
}

static void tell_numbers(FILE *f, const char *what, const uint32_t *number,
			 uint32_t n)
{
	fprintf(f, "%s", what);
	for (uint32_t i = 0; i < n; i++)
		fprintf(f, " %u", number[i]);
	fprintf(f, "\n");
}

static void tell_bytes(FILE *f, const char *what, const uint8_t *byte,
		       uint32_t n)
{
	fprintf(f, "%s", what);
	for (uint32_t i = 0; i < n; i++)
		fprintf(f, " %u", byte[i]);
	fprintf(f, "\n");
}

static void tell_job(FILE *f, struct sgang_job *job,
		     const struct sgang_nodeset *all, uint32_t *number)
{
	uint32_t n = (uint32_t)node_record_count;
	uint8_t *cause = xcalloc(2 * n + 1, sizeof(*cause));
	struct sgang_shape shape;

	sgang_host_shape_of(job, &shape);
	fprintf(f, "JobId=%u\n", record(job)->job_id);
	sgang_host_units(job, &shape, all, false, number);
	tell_numbers(f, "units", number, n);
	sgang_host_causes(job, &shape, cause, cause + n);
	tell_bytes(f, "causes", cause, n);
	if (sgang_host_devices) {
		sgang_host_island_units(job, &shape, all, false, number);
		tell_numbers(f, "islands", number,
			     sgang_host_devices->first[n]);
	}
	xfree(cause);
}

/* Amounts of jobs are added to the free ones. */
struct sum {
	uint32_t *number, n_dims;
};

static void add_held(uint32_t node, const uint32_t *amounts, void *arg)
{
	const struct sum *sum = arg;

	for (uint32_t d = 0; d < sum->n_dims; d++)
		sum->number[node * sum->n_dims + d] += amounts[d];
}

static void add_all_held(const struct told *told,
			 const struct sgang_resources *res, uint32_t *number)
{
	struct sum sum = { .number = number, .n_dims = res->n_dims };

	for (size_t i = 0; i < told->n_out; i++)
		sgang_host_holdings(told->out[i], res, add_held, &sum);
}

/* Each job by itself, and the resources of all of them together. */
static void tell_amounts(FILE *f, const struct told *told, uint32_t *number)
{
	struct sgang_shape *shape = xcalloc(told->n_asks + 1, sizeof(*shape));
	struct sgang_asked *asked = xcalloc(told->n_asks + 1, sizeof(*asked));
	uint8_t *type = xcalloc(node_record_count + 1, sizeof(*type));
	struct sgang_resources res;

	for (size_t i = 0; i < told->n_asks; i++) {
		sgang_host_shape_of(told->asks[i], &shape[i]);
		asked[i].job = told->asks[i];
		asked[i].shape = &shape[i];
	}
	if (told->n_asks) {
		sgang_host_resources(asked, told->n_asks, &res, type);
		for (uint32_t d = 0; d < res.n_dims; d++)
			fprintf(f, "%s%s", d ? ", " : "", res.dim[d].name);
		sgang_host_amounts(&res, false, number);
		if (told->add_held)
			add_all_held(told, &res, number);
		tell_numbers(f, ":", number,
			     (uint32_t)node_record_count * res.n_dims);
	}
	xfree(type);
	xfree(asked);
	xfree(shape);
}

static void tell(FILE *f, const struct told *told)
{
	uint32_t n = (uint32_t)node_record_count;
	struct sgang_nodeset *all = sgang_nodeset_create(n);
	uint32_t *number =
		xcalloc((n + 1) * (SGANG_PLAN_DIMS + SGANG_ISLANDS_MAX),
			sizeof(*number));
	struct sgang_room room;

	for (uint32_t i = 0; i < n; i++)
		if (node_record_table_ptr[i])
			sgang_nodeset_add(all, i);
	sgang_host_room(all, &room);
	fprintf(f, "cpus=%llu memory=%llu nodes=%llu idle=%u\n",
		(unsigned long long)room.cpus, (unsigned long long)room.memory,
		(unsigned long long)room.nodes, sgang_host_idle(all));
	tell_amounts(f, told, number);
	for (size_t i = 0; i < told->n_asks; i++)
		tell_job(f, told->asks[i], all, number);
	xfree(number);
	sgang_nodeset_destroy(all);
}

static void tell_in(const char *suffix, const struct told *told)
{
	char *path = xstrdup_printf("%s.%s", getenv("SGANG_FAULT_FILE"),
				    suffix);
	char *new = xstrdup_printf("%s.new", path);
	FILE *f = fopen(new, "w");

	if (f) {
		fprintf(f, "left out:");
		for (size_t i = 0; i < told->n_out; i++)
			fprintf(f, " %u", record(told->out[i])->job_id);
		fprintf(f, "\n");
		tell(f, told);
		fclose(f);
		rename(new, path);
	}
	xfree(new);
	xfree(path);
}

void sgang_tell_free(void)
{
	struct told told = { 0 };

	if (!getenv("SGANG_FAULT_FILE"))
		return;
	find_jobs(&told);
	if (told.n_out || sgang_fault("leave-out", 0)) {
		(void)sgang_host_refresh();
		sgang_inside_refresh();
		sgang_rows_refresh();
		tell_in("now", &told);
		told.add_held = true;
		tell_in("held", &told);
		told.add_held = false;
		sgang_host_leave_out(told.out, told.n_out);
		tell_in("without", &told);
		sgang_host_leave_out(NULL, 0);
	}
	xfree(told.asks);
	xfree(told.out);
}
