/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_ring.c - sgang ring: what does a ring over these places cost? */

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/offline.h"

enum { OPT_TOPOLOGY, OPT_CONF, OPT_SLOTS, OPT_PARALLEL };

static const struct sgang_cmd_option options[] = {
	[OPT_TOPOLOGY] = { "topology", "FILE", "topology.conf to read", 0 },
	[OPT_CONF] = { "conf", "FILE", "gang.conf with hop costs and names",
		       0 },
	[OPT_SLOTS] = { "slots", "N", "slots of every node (1)", 0 },
	[OPT_PARALLEL] = { "parallel", "GROUPS",
			   "groups over the ranks, tp=8,dp=4[:tp=100,dp=10]",
			   0 },
	{ NULL, NULL, NULL, 0 }
};

/* The place of one rank, or, without has_slot, of one for each slot of the
 * node. */
struct place {
	uint32_t node;
	uint32_t slot;
	bool has_slot;
};

struct request {
	struct sgang_offline offline;
	uint32_t slots;
	struct sgang_parallel parallel;
	struct place *places;
	size_t n_places;
};

/* Add the places of one operand, in its order. */
static int add_places(struct request *request, const char *text,
		      struct sgang_error *err)
{
	struct sgang_node_word *words;
	struct place *bigger;
	size_t n, i;

	if (sgang_offline_words(request->offline.fabric, text, ':',
				request->slots - 1, &words, &n, err))
		return -1;
	bigger = realloc(request->places,
			 (request->n_places + n) * sizeof(*bigger));
	if (!bigger) {
		free(words);
		return sgang_err_memory(err);
	}
	for (i = 0; i < n; i++) {
		bigger[request->n_places + i] =
			(struct place){ .node = words[i].node,
					.slot = words[i].number,
					.has_slot = words[i].has_number };
	}
	request->places = bigger;
	request->n_places += n;
	free(words);
	return 0;
}

/* By node; on a node the place that takes all slots first. */
static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->has_slot != y->has_slot)
		return x->has_slot ? 1 : -1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

/* A slot can hold one rank only. */
static int check_places(const struct request *request, struct sgang_error *err)
{
	size_t n = request->n_places, i;
	struct place *sorted = calloc(n, sizeof(*sorted));
	int rc = 0;

	if (!sorted)
		return sgang_err_memory(err);
	for (i = 0; i < n; i++)
		sorted[i] = request->places[i];
	qsort(sorted, n, sizeof(*sorted), compare_places);
	for (i = 1; i < n && !rc; i++) {
		const struct place *a = &sorted[i - 1], *b = &sorted[i];
		const char *name = sgang_fabric_node_name(
			request->offline.fabric, b->node);

		if (a->node != b->node)
			continue;
		if (!a->has_slot)
			rc = sgang_errf(err, EINVAL,
					"all slots of node %s are taken by %s "
					"and it is named again",
					name, name);
		else if (a->slot == b->slot)
			rc = sgang_errf(err, EINVAL,
					"the place %s:%u is named twice", name,
					b->slot);
	}
	free(sorted);
	return rc;
}

struct runs {
	struct sgang_run *run;
	size_t n, room;
};

static int measure_runs(const struct request *request, const struct runs *runs,
			struct sgang_offline_cost *cost,
			struct sgang_error *err)
{
	const struct sgang_fabric *fabric =
		sgang_offline_places(&request->offline);
	const struct sgang_costs *costs = &request->offline.conf.costs;
	struct sgang_error why;

	cost->parallel = &request->parallel;
	sgang_ring_measure(fabric, costs, runs->run, runs->n, &cost->ring);
	if (request->parallel.n &&
	    sgang_parallel_measure(fabric, costs, runs->run, runs->n,
				   &request->parallel, NULL, &cost->groups,
				   &why))
		return sgang_errf(err, errno, "--parallel: %s", why.text);
	return 0;
}

/* Ranks in a row that are in one place are one run. */
static int add_ranks(struct runs *runs, uint32_t place, uint32_t ranks,
		     struct sgang_error *err)
{
	if (runs->n && runs->run[runs->n - 1].node == place) {
		runs->run[runs->n - 1].ranks += ranks;
		return 0;
	}
	if (runs->n == runs->room) {
		size_t room = 2 * runs->room + 64;
		struct sgang_run *more = realloc(runs->run,
						 room * sizeof(*more));

		if (!more)
			return sgang_err_memory(err);
		runs->run = more;
		runs->room = room;
	}
	runs->run[runs->n++] = (struct sgang_run){
		.node = place,
		.ranks = ranks,
	};
	return 0;
}

/* The ranks of one place, slot by slot where islands are known. */
static int add_place(const struct request *request, const struct place *place,
		     struct runs *runs, struct sgang_error *err)
{
	const struct sgang_islands *inside = request->offline.inside;
	uint32_t first = place->has_slot ? place->slot : 0;
	uint32_t n = place->has_slot ? 1 : request->slots, i;

	if (!inside)
		return add_ranks(runs, place->node, n, err);
	for (i = first; i < first + n; i++)
		if (add_ranks(runs, sgang_islands_place(inside, place->node, i),
			      1, err))
			return -1;
	return 0;
}

static int measure(const struct request *request,
		   struct sgang_offline_cost *cost, struct sgang_error *err)
{
	struct runs runs = { .n = 0 };
	size_t i;
	int rc = 0;

	for (i = 0; i < request->n_places && !rc; i++)
		rc = add_place(request, &request->places[i], &runs, err);
	if (!rc)
		rc = measure_runs(request, &runs, cost, err);
	free(runs.run);
	return rc;
}

static int read_option(void *arg, int option, const char *value,
		       struct sgang_error *err)
{
	struct request *request = arg;

	switch (option) {
	case OPT_TOPOLOGY:
		request->offline.topology = value;
		return 0;
	case OPT_CONF:
		request->offline.conf_path = value;
		return 0;
	case OPT_SLOTS:
		return sgang_offline_slots(value, &request->slots, err);
	default:
		return sgang_offline_parallel(value, &request->parallel, err);
	}
}

static int answer(struct request *request, int n_operands, char **operands,
		  struct sgang_error *err)
{
	struct sgang_offline_cost cost;
	struct json_object *object;
	int i;

	if (sgang_offline_load(&request->offline, err) ||
	    sgang_offline_default_slots(&request->offline, &request->slots,
					err))
		return -1;
	if (!request->slots)
		request->slots = 1;
	for (i = 0; i < n_operands; i++)
		if (add_places(request, operands[i], err))
			return -1;
	if (check_places(request, err) || measure(request, &cost, err))
		return -1;
	object = json_object_new_object();
	sgang_offline_json_cost(&request->offline, &cost, object);
	sgang_answer_print(object, SGANG_OFFLINE_FORM_COST);
	return 0;
}

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	struct request request = { .slots = 0 };
	int next = sgang_cmd_read(verb, argc, argv, read_option, &request);
	int code = SGANG_EXIT_YES;
	struct sgang_error err;

	if (next != SGANG_CMD_END)
		return sgang_cmd_exit(next);
	if (optind >= argc)
		return sgang_cmd_bad("no place is named, see sgang ring "
				     "--help");
	if (answer(&request, argc - optind, argv + optind, &err))
		code = sgang_cmd_bad("%s", err.text);
	free(request.places);
	sgang_offline_clear(&request.offline);
	return code;
}

const struct sgang_verb sgang_verb_ring = {
	.name = "ring",
	.operands = "PLACE,PLACE,...",
	.summary = "what a ring over NODE or NODE:SLOT places costs; needs no "
		   "Slurm",
	.options = options,
	.run = run
};
