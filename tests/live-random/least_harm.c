/* SPDX-License-Identifier: GPL-2.0-or-later */
/* least_harm.c - was it the least harm that a gang did when it preempted?
 *
 * Reads what squeue said before a gang was submitted, and which jobs had to go,
 * and tries all sets of those that may be preempted. It shares no code with the
 * plugins. One line each, words between blanks:
 *
 *   node NAME LEAF CPUS MB TILES
 *   job ID TIER KIND GANG START CPUS MB TILES NODE...
 *                            KIND: requeue, kill or firm; GANG: - or its
 *                            name; the amounts are those on each node
 *   gang NAME MIN
 *   ask MEMBERS CPUS MB TILES LEAF  a node for each member, CPUS 0: whole; LEAF
 *                            1: all in one leaf
 *   gone ID                  the job did not keep its nodes
 *   started 0|1              did the gang start?
 *
 * Prints one line, and returns 0 if it was right, 1 if it was not, 2 if the
 * input is no such text or there are too many to try.
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX 64
#define UNITS_MAX 20
#define DIMS 3 /* CPUs, MB, tiles */

enum { EXTRA, REQUEUE, KILL, GANG, KINDS };

static struct node {
	char name[32], leaf[32];
	int has[DIMS];
} nodes[MAX];
static struct job {
	int id, tier, takes[DIMS], n_on, on[MAX];
	long start;
	char kind[16], gang[32];
	bool gone;
} jobs[MAX];
static struct gang {
	char name[32];
	int min;
} gangs[MAX];
static int n_nodes, n_jobs, n_gangs, members, needs[DIMS], leaf, started;

/* What goes together: jobs[], and of an extra the unit that it belongs to. */
static struct unit {
	int job[MAX], n, kind, tier, later, rest;
} units[MAX];
static int n_units;

static int node_of(const char *name)
{
	for (int i = 0; i < n_nodes; i++) {
		if (!strcmp(nodes[i].name, name))
			return i;
	}
	fprintf(stderr, "no node %s\n", name);
	exit(2);
}

static void read_job(char *rest)
{
	struct job *j = &jobs[n_jobs++];
	int at = 0;

	if (sscanf(rest, "%d %d %15s %31s %ld %d %d %d%n", &j->id, &j->tier,
		   j->kind, j->gang, &j->start, &j->takes[0], &j->takes[1],
		   &j->takes[2], &at) != 8)
		exit(2);
	for (char *word = strtok(rest + at, " \n"); word;
	     word = strtok(NULL, " \n"))
		j->on[j->n_on++] = node_of(word);
}

static void read_line(char *line)
{
	struct node *n = &nodes[n_nodes];
	struct gang *g = &gangs[n_gangs];
	int id;

	if (n_nodes == MAX || n_jobs == MAX || n_gangs == MAX)
		exit(2);
	if (sscanf(line, "node %31s %31s %d %d %d", n->name, n->leaf,
		   &n->has[0], &n->has[1], &n->has[2]) == 5)
		n_nodes++;
	else if (!strncmp(line, "job ", 4))
		read_job(line + 4);
	else if (sscanf(line, "gang %31s %d", g->name, &g->min) == 2)
		n_gangs++;
	else if (sscanf(line, "gone %d", &id) == 1) {
		for (int i = 0; i < n_jobs; i++)
			jobs[i].gone |= jobs[i].id == id;
	} else if (sscanf(line, "ask %d %d %d %d %d", &members, &needs[0],
			  &needs[1], &needs[2], &leaf) != 5 &&
		   sscanf(line, "started %d", &started) != 1) {
		fprintf(stderr, "what is this: %s", line);
		exit(2);
	}
}

/* ---- units ---- */

/* The last that came first. */
static int by_start(const void *a, const void *b)
{
	const struct job *x = &jobs[*(const int *)a];
	const struct job *y = &jobs[*(const int *)b];

	if (x->start != y->start)
		return (x->start > y->start) ? -1 : 1;
	return (x->id > y->id) ? -1 : 1;
}

static struct unit *add_unit(int kind, int rest)
{
	units[n_units] = (struct unit){ .kind = kind, .rest = rest };
	return &units[n_units++];
}

static void add_job(struct unit *u, int job)
{
	u->job[u->n++] = job;
	if (jobs[job].tier > u->tier)
		u->tier = jobs[job].tier;
}

static int kind_of(const struct job *j)
{
	return strcmp(j->kind, "kill") ? REQUEUE : KILL;
}

static void add_gang(const struct gang *g)
{
	int list[MAX], n = 0, extra;
	bool firm = false;
	struct unit *u;

	for (int i = 0; i < n_jobs; i++) {
		if (strcmp(jobs[i].gang, g->name))
			continue;
		list[n++] = i;
		firm |= !strcmp(jobs[i].kind, "firm");
	}
	qsort(list, n, sizeof(*list), by_start);
	extra = n > g->min ? n - g->min : 0;
	if (firm || !n)
		return;
	u = add_unit(g->min > 1 ? GANG : kind_of(&jobs[list[n - 1]]), -1);
	for (int i = extra; i < n; i++)
		add_job(u, list[i]);
	for (int i = 0; i < extra; i++) {
		struct unit *one = add_unit(EXTRA, (int)(u - units));

		add_job(one, list[i]);
		one->later = i;
	}
}

static void make_units(void)
{
	for (int i = 0; i < n_gangs; i++)
		add_gang(&gangs[i]);
	for (int i = 0; i < n_jobs; i++) {
		if (!strcmp(jobs[i].gang, "-") && strcmp(jobs[i].kind, "firm"))
			add_job(add_unit(kind_of(&jobs[i]), -1), i);
	}
	if (n_units > UNITS_MAX)
		exit(2);
}

/* ---- does it fit? ---- */

static int used_on(int node, int dim, const bool *gone)
{
	int used = 0;

	for (int i = 0; i < n_jobs; i++) {
		for (int k = 0; !gone[i] && k < jobs[i].n_on; k++)
			used += jobs[i].on[k] == node ? jobs[i].takes[dim] : 0;
	}
	return used;
}

static int places_on(int node, const bool *gone)
{
	int places = MAX;

	if (!needs[0] && used_on(node, 0, gone))
		return 0;
	for (int d = 0; d < DIMS; d++) {
		int room = nodes[node].has[d] - used_on(node, d, gone);

		if (needs[d] && room / needs[d] < places)
			places = room / needs[d];
	}
	return !needs[0] && places > 1 ? 1 : places;
}

static bool fits_in(const char *in, const bool *gone)
{
	int places = 0;

	for (int n = 0; n < n_nodes; n++) {
		if (!in || !strcmp(nodes[n].leaf, in))
			places += places_on(n, gone);
	}
	return places >= members;
}

static bool fits(const bool *gone)
{
	if (!leaf)
		return fits_in(NULL, gone);
	for (int n = 0; n < n_nodes; n++) {
		if (fits_in(nodes[n].leaf, gone))
			return true;
	}
	return false;
}

/* ---- harm ---- */

/* Numbers of units by kind and tier, the worst first, then jobs, then how late
 * extras came. */
#define TIERS 16
struct harm {
	int number[KINDS * TIERS + 2];
};

static struct harm harm_of(unsigned int set)
{
	struct harm h = { { 0 } };

	for (int u = 0; u < n_units; u++) {
		if (!(set & 1u << u))
			continue;
		h.number[(KINDS - 1 - units[u].kind) * TIERS + TIERS - 1 -
			 units[u].tier]++;
		h.number[KINDS * TIERS] += units[u].n;
		h.number[KINDS * TIERS + 1] += units[u].later;
	}
	return h;
}

static int compare(const struct harm *a, const struct harm *b)
{
	for (int i = 0; i < KINDS * TIERS + 2; i++) {
		if (a->number[i] != b->number[i])
			return a->number[i] - b->number[i];
	}
	return 0;
}

/* A gang goes only with its extras. */
static bool holds_together(unsigned int set)
{
	for (int u = 0; u < n_units; u++) {
		if (units[u].rest >= 0 && (set & 1u << units[u].rest) &&
		    !(set & 1u << u))
			return false;
	}
	return true;
}

static void mark(unsigned int set, bool *gone)
{
	memset(gone, 0, MAX * sizeof(*gone));
	for (int u = 0; u < n_units; u++) {
		for (int i = 0; (set & 1u << u) && i < units[u].n; i++)
			gone[units[u].job[i]] = true;
	}
}

static int say(const char *what)
{
	printf("%s\n", what);
	return strncmp(what, "ok", 2) != 0;
}

/* The set of units that went; false: some went in part. */
static bool who_went(unsigned int *set)
{
	int in_units = 0, went = 0;

	*set = 0;
	for (int u = 0; u < n_units; u++) {
		int n = 0;

		for (int i = 0; i < units[u].n; i++)
			n += jobs[units[u].job[i]].gone;
		if (n && n < units[u].n)
			return false;
		in_units += n;
		if (n)
			*set |= 1u << u;
	}
	for (int i = 0; i < n_jobs; i++)
		went += jobs[i].gone;
	return went == in_units;
}

int main(void)
{
	unsigned int set, best_set = 0;
	struct harm best, is;
	bool gone[MAX], any = false;
	char line[512];

	while (fgets(line, sizeof(line), stdin))
		read_line(line);
	make_units();
	for (set = 0; set < 1u << n_units; set++) {
		struct harm h = harm_of(set);

		if (!holds_together(set) || (any && compare(&h, &best) >= 0))
			continue;
		mark(set, gone);
		if (!fits(gone))
			continue;
		any = true;
		best = h;
		best_set = set;
	}
	if (!who_went(&set))
		return say("a gang went in part, or one that may not go");
	if (!any)
		return say(set     ? "jobs went though nothing makes room" :
			   started ? "it started though nothing makes room" :
				     "ok: nothing makes room");
	if (!started)
		return say(set ? "jobs went and it did not start" :
				 "it fits and did not start");
	mark(set, gone);
	if (!fits(gone))
		return say("it started on less than it needs");
	is = harm_of(set);
	if (compare(&is, &best) > 0) {
		printf("more harm than needed: %x instead of %x\n", set,
		       best_set);
		return 1;
	}
	return say(set ? "ok: the least harm" : "ok: there was room");
}
