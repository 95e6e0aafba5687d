/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_plan_ilp.c - the planner against an integer linear programme
 *
 * Worlds that are too large for trying everything (test_plan_brute.c): seeded
 * trees of 10 to 14 nodes and rings of up to 9 places, a place being one unit
 * of a member. The model is the whole problem, not a relaxation:
 *
 *	x(p,v)	place p is on node v			(binary)
 *	e(p,d)	>= (is p+1 in d?) - (is p in d?), >= 0	(the ring enters d)
 *
 * where (is p in d?) is the sum of x(p,v) over the nodes of d:
 *
 *	minimise the sum of e(p,d) * (hop[level above d] - hop[level of d])
 *
 * over all domains below the top one and all nodes, since a hop that meets at a
 * level enters one domain of every level below it. Slots of a node are not
 * overbooked, and a member that is distinct has one unit on a node. The order
 * of a member's own units is free because they are all the same.
 *
 * glpsol (Debian: glpk-utils) solves it. Without it the test is skipped.
 */

#include <unistd.h>

#include "../unit.h"
#include "core/plan/plan.h"
#include "fuzz.h"

#define NODES_MAX 16
#define MEMBERS_MAX 8
#define PLACES_MAX 9
#define WORLDS 24
/* Seconds for one of them; then it says nothing. */
#define SECONDS "20"

struct world {
	uint64_t seed;
	uint64_t random;
	struct sgang_fabric *fabric;
	struct sgang_costs costs;
	uint32_t n_nodes;
	uint32_t free[NODES_MAX];
	uint32_t total[NODES_MAX];
	struct sgang_plan_member member[MEMBERS_MAX];
	uint32_t n_members;
	uint32_t owner[PLACES_MAX]; /* by place: its member */
	uint32_t n_places;
	struct sgang_plan_request request;
};

static uint32_t rnd(struct world *world, uint32_t below)
{
	return fuzz_small(&world->random, below);
}

/* -- worlds -- */

/* Leaves of 2 to 4 nodes, two or three of them under each of two spines. */
static void make_fabric(struct world *world)
{
	char text[1024], *p = text;
	struct sgang_error err;
	uint32_t node = 0, leaf, leaves = 4 + rnd(world, 2);

	for (leaf = 0; leaf < leaves; leaf++) {
		uint32_t n = 2 + rnd(world, 2);

		p += sprintf(p, "SwitchName=l%u Nodes=n[%u-%u]\n", leaf, node,
			     node + n - 1);
		node += n;
	}
	sprintf(p,
		"SwitchName=s0 Switches=l[0-1]\n"
		"SwitchName=s1 Switches=l[2-%u]\n"
		"SwitchName=top Switches=s[0-1]\n",
		leaves - 1);
	world->n_nodes = node;
	world->fabric = sgang_fabric_parse(text, "test", NULL, 0, &err);
	if (!world->fabric)
		fail_msg("seed %lu: %s", (unsigned long)world->seed, err.text);
}

/* Rings of one-slot and larger members, some whole, some distinct. */
static void make_members(struct world *world)
{
	/* most worlds have room for them */
	uint32_t left = 6 + rnd(world, PLACES_MAX - 5);

	while (left && world->n_members < MEMBERS_MAX) {
		uint32_t i = world->n_members++;
		struct sgang_plan_member *member = &world->member[i];

		member->slots = rnd(world, 6) ? 1 + rnd(world, 3) : 0;
		member->distinct = rnd(world, 2);
		member->units = 1 + rnd(world, 3);
		if (member->units > left)
			member->units = left;
		left -= member->units;
	}
}

static void number_places(struct world *world)
{
	for (uint32_t i = 0; i < world->n_members; i++) {
		for (uint32_t unit = 0; unit < world->member[i].units; unit++)
			world->owner[world->n_places++] = i;
	}
}

static void make_world(struct world *world, uint64_t seed)
{
	memset(world, 0, sizeof(*world));
	world->seed = seed;
	world->random = seed * 7919 + 5;
	make_fabric(world);
	sgang_costs_default(&world->costs);
	for (uint32_t i = 0; i < world->n_nodes; i++) {
		world->total[i] = 4;
		world->free[i] = rnd(world, 3) ? rnd(world, 5) : 4;
	}
	make_members(world);
	number_places(world);
	world->request.fabric = world->fabric;
	world->request.costs = &world->costs;
	world->request.free = world->free;
	world->request.total = world->total;
	world->request.members = world->member;
	world->request.n_members = world->n_members;
	world->request.max_level = SGANG_LEVEL_UNCONNECTED;
}

/* -- the model, in the format of CPLEX. A row has to have a variable: one that
 * may be empty begins with `none`, which is in no other place. -- */

static const struct sgang_plan_member *ask_of(const struct world *world,
					      uint32_t place)
{
	return &world->member[world->owner[place]];
}

/* Slots that a place takes on a node, 0 when it cannot be there. */
static uint32_t slots_at(const struct world *world, uint32_t place,
			 uint32_t node)
{
	uint32_t slots = ask_of(world, place)->slots;

	if (!slots && world->free[node] < world->total[node])
		return 0;
	if (!slots)
		slots = world->total[node];
	return slots <= world->free[node] ? slots : 0;
}

static uint32_t node_at(const struct world *world, uint32_t pos)
{
	return sgang_fabric_order(world->fabric)[pos];
}

/* " + x(p,v)" for all nodes at these positions, or with a minus. */
static void write_inside(const struct world *world, FILE *file, uint32_t place,
			 uint32_t first, uint32_t n, char sign)
{
	for (uint32_t pos = first; pos < first + n; pos++) {
		if (slots_at(world, place, node_at(world, pos)))
			fprintf(file, " %c x_%u_%u\n", sign, place,
				node_at(world, pos));
	}
}

/* Everything that the ring may enter: domains, then nodes. */
struct room {
	uint32_t first, n, step;
};

static uint32_t list_rooms(const struct world *world, struct room *room)
{
	const uint32_t *hop = world->costs.hop;
	uint32_t n = 0, d, pos;

	for (d = 1; d < sgang_fabric_domains(world->fabric); d++) {
		const struct sgang_domain *domain =
			sgang_fabric_domain(world->fabric, d);

		room[n].first = domain->first_pos;
		room[n].n = domain->n_nodes;
		room[n++].step =
			hop[sgang_fabric_domain(world->fabric, domain->parent)
				    ->level] -
			hop[domain->level];
	}
	for (pos = 0; pos < world->n_nodes; pos++) {
		room[n].first = pos;
		room[n].n = 1;
		room[n++].step = hop[SGANG_LEVEL_LEAF] -
				 hop[SGANG_LEVEL_ISLAND];
	}
	return n;
}

static void write_rows(const struct world *world, FILE *file,
		       const struct room *room, uint32_t n_rooms)
{
	for (uint32_t p = 0; p < world->n_places; p++) {
		uint32_t next = (p + 1) % world->n_places;

		fprintf(file, "p_%u:", p);
		write_inside(world, file, p, 0, world->n_nodes, '+');
		fprintf(file, " = 1\n");
		for (uint32_t r = 0; r < n_rooms; r++) {
			fprintf(file, "e_%u_%u: e_%u_%u\n", p, r, p, r);
			write_inside(world, file, next, room[r].first,
				     room[r].n, '-');
			write_inside(world, file, p, room[r].first, room[r].n,
				     '+');
			fprintf(file, " >= 0\n");
		}
	}
	for (uint32_t v = 0; v < world->n_nodes; v++) {
		fprintf(file, "v_%u: 0 none\n", v);
		for (uint32_t p = 0; p < world->n_places; p++) {
			if (slots_at(world, p, v))
				fprintf(file, " + %u x_%u_%u\n",
					slots_at(world, p, v), p, v);
		}
		fprintf(file, " <= %u\n", world->free[v]);
		for (uint32_t m = 0; m < world->n_members; m++) {
			if (!world->member[m].distinct &&
			    world->member[m].slots)
				continue;
			fprintf(file, "m_%u_%u: 0 none\n", m, v);
			for (uint32_t p = 0; p < world->n_places; p++) {
				if (world->owner[p] == m &&
				    slots_at(world, p, v))
					fprintf(file, " + x_%u_%u\n", p, v);
			}
			fprintf(file, " <= 1\n");
		}
	}
}

static void write_model(const struct world *world, const char *path)
{
	struct room room[2 * NODES_MAX + 8];
	uint32_t n = list_rooms(world, room), p, r, v;
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fprintf(file, "Minimize\ncost:\n");
	for (p = 0; p < world->n_places; p++) {
		for (r = 0; r < n; r++)
			fprintf(file, " + %u e_%u_%u\n", room[r].step, p, r);
	}
	fprintf(file, "Subject To\n");
	write_rows(world, file, room, n);
	fprintf(file, "Binary\n");
	for (p = 0; p < world->n_places; p++) {
		for (v = 0; v < world->n_nodes; v++) {
			if (slots_at(world, p, v))
				fprintf(file, " x_%u_%u\n", p, v);
		}
	}
	fprintf(file, "End\n");
	assert_int_equal(fclose(file), 0);
}

/* -- the oracle -- */

enum answer { OPTIMAL, NONE, UNKNOWN };

/* Run glpsol and read the line "s mip ROWS COLUMNS STATUS VALUE". */
static enum answer solve(const char *folder, uint64_t *cost)
{
	char command[512], line[256], status;
	enum answer answer = UNKNOWN;
	double value;
	FILE *file;

	snprintf(command, sizeof(command),
		 "glpsol --lp %s/model --cuts "
		 "--tmlim " SECONDS " -w %s/answer >/dev/null",
		 folder, folder);
	if (system(command))
		return UNKNOWN;
	snprintf(command, sizeof(command), "%s/answer", folder);
	file = fopen(command, "r");
	if (!file)
		return NONE; /* the relaxation has no solution */
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "s mip %*d %*d %c %lf", &status, &value) != 2)
			continue;
		*cost = (uint64_t)(value + 0.5);
		answer = status == 'o' ? OPTIMAL :
			 status == 'n' ? NONE :
					 UNKNOWN;
	}
	fclose(file);
	unlink(command);
	return answer;
}

struct tally {
	unsigned int optimal, fit, same;
	double ratio;
};

#define CHECK(what)                                                  \
	do {                                                         \
		if (!(what))                                         \
			fail_msg("seed %lu: not %s",                 \
				 (unsigned long)world->seed, #what); \
	} while (0)

static void compare(const struct world *world, enum answer answer,
		    uint64_t extra, struct tally *tally)
{
	struct sgang_placement *placement = NULL;
	struct sgang_nofit nofit;
	uint64_t ranks;
	int rc = sgang_plan(&world->request, &placement, &nofit, NULL);

	CHECK(rc >= 0);
	if (answer == UNKNOWN) {
		sgang_placement_destroy(placement);
		return;
	}
	tally->optimal++;
	CHECK((rc > 0) == (answer == OPTIMAL));
	if (rc > 0) {
		ranks = placement->ring.ranks * world->costs.hop[0];
		CHECK(placement->bound <= extra + ranks);
		CHECK(placement->ring.cost >= extra + ranks);
		CHECK(!placement->exact ||
		      placement->ring.cost == extra + ranks);
		tally->fit++;
		tally->same += placement->ring.cost == extra + ranks;
		tally->ratio += (double)placement->ring.cost /
				(double)(extra + ranks);
	}
	sgang_placement_destroy(placement);
}

/* Design section 4: members of different shapes, slots and nodes. */
TEST(test_ilp)
{
	char folder[] = "test_plan_ilp.XXXXXX", path[64];
	struct tally tally = { 0 };

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/model", folder);
	for (uint64_t seed = 1; seed <= WORLDS; seed++) {
		struct world world;
		uint64_t extra = 0;
		enum answer answer;

		make_world(&world, seed);
		write_model(&world, path);
		answer = solve(folder, &extra);
		compare(&world, answer, extra, &tally);
		sgang_fabric_destroy(world.fabric);
	}
	unlink(path);
	rmdir(folder);
	print_message("# %u of %u solved, %u fit, %u at the optimum, "
		      "cost/optimum %.4f\n",
		      tally.optimal, WORLDS, tally.fit, tally.same,
		      tally.ratio / (tally.fit ? tally.fit : 1));
	assert_true(tally.fit > WORLDS / 4);
	assert_true(tally.ratio <= 1.02 * tally.fit);
}

int main(void)
{
	if (system("glpsol --version >/dev/null 2>&1")) {
		printf("1..0 # SKIP glpsol (glpk-utils) is not installed\n");
		return 0;
	}
	return run_all_tests(NULL, NULL);
}
