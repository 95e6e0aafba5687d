/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_one.c - a program that asks the planner of slurm-gang for one placement
 *
 *	cc -o plan_one plan_one.c $(pkg-config --cflags --libs sgang)
 *	./plan_one TOPOLOGY SLOTS BUSY MEMBER...
 *	./plan_one topology.conf 4 n1,n2,n5,n6 2x4 2x4 2x4 2x4
 *
 * All nodes of the file have SLOTS slots, those in BUSY none that is free. A
 * member wants UNITSxSLOTS: so many nodes, with so many slots on each. Ends with
 * 0 and prints who gets what, in ring order; with 1 if they do not fit.
 */

#include <errno.h>
#include <sgang/sgang.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *what, const char *why)
{
	fprintf(stderr, "plan_one: %s: %s\n", what, why);
	return 2;
}

/* The text of a file, to be freed; NULL with errno. */
static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		return NULL;
	if (getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

/* Nothing is free on the nodes of a list with commas, which is changed. Returns
 * the name that is no node, or NULL. */
static const char *set_busy(const struct sgang_fabric *fabric, char *busy,
			    uint32_t *free_slots)
{
	char *name, *rest = busy;

	while ((name = strsep(&rest, ","))) {
		uint32_t node = sgang_fabric_find_node(fabric, name);

		if (node == SGANG_NODE_NONE && *name)
			return name;
		if (node != SGANG_NODE_NONE)
			free_slots[node] = 0;
	}
	return NULL;
}

static void print(const struct sgang_fabric *fabric,
		  const struct sgang_costs *costs,
		  const struct sgang_placement *placement)
{
	for (size_t i = 0; i < placement->n_runs; i++) {
		const struct sgang_run *run = &placement->runs[i];

		printf("member %u: %u slots on %s\n", run->member, run->slots,
		       sgang_fabric_node_name(fabric, run->node));
	}
	printf("ring cost %llu, spans one %s, %s\n",
	       (unsigned long long)placement->ring.cost,
	       costs->name[placement->ring.tier],
	       placement->exact ? "none is cheaper" :
				  "a cheaper one may exist");
}

/* Plan, print what came of it and return the status to exit with. */
static int plan(const struct sgang_plan_request *request)
{
	struct sgang_placement *placement;
	struct sgang_nofit nofit;
	struct sgang_error err;
	int fits = sgang_plan(request, &placement, &nofit, &err);

	if (fits < 0)
		return fail("no plan", err.text);
	if (fits == 0) {
		puts(nofit.text);
		return 1;
	}
	print(request->fabric, request->costs, placement);
	sgang_placement_destroy(placement);
	return 0;
}

/* Read the members of the command line. False: one is none. */
static bool read_members(char **words, size_t n,
			 struct sgang_plan_member *members)
{
	for (size_t i = 0; i < n; i++) {
		if (sscanf(words[i], "%ux%u", &members[i].units,
			   &members[i].slots) != 2)
			return false;
		members[i].distinct = true; /* each unit on its own node */
	}
	return true;
}

/* Plan 'n' members in a fabric whose nodes have 'slots' slots. */
static int plan_in(const struct sgang_fabric *fabric, uint32_t slots,
		   char *busy, char **words, size_t n)
{
	uint32_t nodes = sgang_fabric_nodes(fabric);
	uint32_t *total = calloc(nodes, sizeof *total);
	uint32_t *free_slots = calloc(nodes, sizeof *free_slots);
	struct sgang_plan_member *members = calloc(n, sizeof *members);
	struct sgang_costs costs;
	const char *unknown;
	int result = 2;

	if (!total || !free_slots || !members) {
		fail("no plan", strerror(ENOMEM));
		goto out;
	}
	for (uint32_t i = 0; i < nodes; i++)
		total[i] = free_slots[i] = slots;
	unknown = set_busy(fabric, busy, free_slots);
	if (unknown) {
		fail("no such node", unknown);
		goto out;
	}
	if (!read_members(words, n, members)) {
		fail("usage", "a member is UNITSxSLOTS, as in 2x4");
		goto out;
	}
	sgang_costs_default(&costs);
	result = plan(&(struct sgang_plan_request){
		.fabric = fabric,
		.costs = &costs,
		.free = free_slots,
		.total = total,
		.members = members,
		.n_members = n,
		.max_level = SGANG_LEVEL_UNCONNECTED,
	});
out:
	free(members);
	free(free_slots);
	free(total);
	return result;
}

int main(int argc, char **argv)
{
	struct sgang_fabric *fabric;
	struct sgang_error err;
	char *text;
	int result;

	if (argc < 5)
		return fail("usage", "plan_one TOPOLOGY SLOTS BUSY MEMBER...");
	text = read_file(argv[1]);
	if (!text)
		return fail(argv[1], strerror(errno));
	fabric = sgang_fabric_parse(text, argv[1], NULL, 0, &err);
	free(text);
	if (!fabric)
		return fail("no fabric", err.text);
	result = plan_in(fabric, strtoul(argv[2], NULL, 10), argv[3], argv + 4,
			 argc - 4);
	sgang_fabric_destroy(fabric);
	return result;
}
