/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_topo_islands.c - which GPUs and cores of a description are together
 *
 * The rules and their reasons are in node_topo_hwloc.h.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files/node_topo_private.h"

/* A link joins that has at least the best one's bandwidth divided by this. */
#define GOOD_SHARE 4

static const char *const link_matrices[] = {
	"NVLinkBandwidth",
	"XGMIBandwidth",
	"XeLinkBandwidth",
};
#define N_LINK_MATRICES (sizeof(link_matrices) / sizeof(link_matrices[0]))

/* ---- islands of GPUs ----
 *
 * Until all are known, a GPU's 'island' is the index of the lowest GPU that it
 * is together with. */

static void join(struct sgang_machine *machine, uint32_t a, uint32_t b)
{
	uint32_t from = machine->gpu[a].island, to = machine->gpu[b].island;
	uint32_t i;

	if (from < to) {
		uint32_t swap = from;

		from = to;
		to = swap;
	}
	for (i = 0; from != to && i < machine->n_gpus; i++)
		if (machine->gpu[i].island == from)
			machine->gpu[i].island = to;
}

/* A matrix of links: what its rows stand for. */
struct links {
	const struct hwloc_distances_s *matrix;
	uint32_t *gpu;         /* UINT32_MAX: something else */
	uint64_t *to_switches; /* bandwidth from there to NVSwitches */
};

static uint32_t find_gpu(const struct sgang_machine *machine, hwloc_obj_t obj)
{
	uint32_t i;

	while (obj && obj->type != HWLOC_OBJ_PCI_DEVICE)
		obj = obj->parent;
	for (i = 0; obj && i < machine->n_gpus; i++)
		if (machine->gpu[i].obj == obj)
			return i;
	return UINT32_MAX;
}

static bool is_switch(hwloc_obj_t obj)
{
	return obj && obj->subtype && !strcmp(obj->subtype, "NVSwitch");
}

static uint64_t add_up(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void fill_links(const struct sgang_machine *machine, struct links *links)
{
	const struct hwloc_distances_s *matrix = links->matrix;
	size_t n = matrix->nbobjs, i, j;

	for (i = 0; i < n; i++) {
		links->gpu[i] = find_gpu(machine, matrix->objs[i]);
		for (j = 0; j < n; j++)
			if (is_switch(matrix->objs[j]))
				links->to_switches[i] =
					add_up(links->to_switches[i],
					       matrix->values[i * n + j]);
	}
}

/* The bandwidth between two rows of the matrix; 0 unless both are GPUs, and
 * different ones. */
static uint64_t bandwidth(const struct links *links, size_t i, size_t j)
{
	const struct hwloc_distances_s *matrix = links->matrix;
	size_t n = matrix->nbobjs;
	uint64_t direct;

	if (links->gpu[i] == UINT32_MAX || links->gpu[j] == UINT32_MAX ||
	    links->gpu[i] == links->gpu[j])
		return 0;
	direct = lesser(matrix->values[i * n + j], matrix->values[j * n + i]);
	return add_up(direct,
		      lesser(links->to_switches[i], links->to_switches[j]));
}

static void join_linked(struct sgang_machine *machine,
			const struct links *links)
{
	size_t n = links->matrix->nbobjs, i, j;
	uint64_t best = 0, good;

	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			if (bandwidth(links, i, j) > best)
				best = bandwidth(links, i, j);
	good = best / GOOD_SHARE + (best % GOOD_SHARE != 0);
	for (i = 0; best && i < n; i++)
		for (j = 0; j < i; j++)
			if (bandwidth(links, i, j) >= good)
				join(machine, links->gpu[i], links->gpu[j]);
}

static int join_by_matrix(struct sgang_machine *machine,
			  const struct hwloc_distances_s *matrix)
{
	struct links links = { .matrix = matrix };
	int rc = -1;

	links.gpu = calloc(matrix->nbobjs + 1UL, sizeof(*links.gpu));
	links.to_switches = calloc(matrix->nbobjs + 1UL,
				   sizeof(*links.to_switches));
	if (links.gpu && links.to_switches) {
		fill_links(machine, &links);
		join_linked(machine, &links);
		rc = 0;
	}
	free(links.gpu);
	free(links.to_switches);
	return rc;
}

static int join_by_links(struct sgang_machine *machine)
{
	struct hwloc_distances_s *matrix;
	unsigned int count;
	size_t i;
	int rc = 0;

	for (i = 0; i < N_LINK_MATRICES && !rc; i++) {
		count = 1;
		if (hwloc_distances_get_by_name(machine->hw, link_matrices[i],
						&count, &matrix, 0) ||
		    !count)
			continue;
		rc = join_by_matrix(machine, matrix);
		hwloc_distances_release(machine->hw, matrix);
	}
	return rc;
}

static hwloc_obj_t host_bridge(hwloc_obj_t obj)
{
	hwloc_obj_t bridge = NULL;

	for (; obj; obj = obj->parent)
		if (obj->type == HWLOC_OBJ_BRIDGE)
			bridge = obj;
	return bridge;
}

/* On the same NUMA node, or, if that is not known, the same host bridge? */
static bool are_near(const struct sgang_machine *machine,
		     const struct sgang_device *a, const struct sgang_device *b)
{
	hwloc_const_nodeset_t all =
		hwloc_topology_get_topology_nodeset(machine->hw);

	if (!hwloc_bitmap_isequal(a->place->nodeset, b->place->nodeset))
		return false;
	return hwloc_bitmap_weight(all) == 1 ||
	       !hwloc_bitmap_isequal(a->place->nodeset, all) ||
	       host_bridge(a->obj) == host_bridge(b->obj);
}

/* GPUs that no link joined with another. */
static int join_the_rest(struct sgang_machine *machine)
{
	bool *joined = calloc(machine->n_gpus + 1UL, sizeof(*joined));
	uint32_t i, j;

	if (!joined)
		return -1;
	for (i = 0; i < machine->n_gpus; i++)
		if (machine->gpu[i].island != i)
			joined[i] = joined[machine->gpu[i].island] = true;
	for (i = 0; i < machine->n_gpus; i++)
		for (j = 0; j < i; j++)
			if (!joined[i] && !joined[j] &&
			    are_near(machine, &machine->gpu[i],
				     &machine->gpu[j]))
				join(machine, i, j);
	free(joined);
	return 0;
}

/* From the index of the lowest GPU to 0, 1, 2, ... in that order. */
static void number_islands(struct sgang_machine *machine)
{
	uint32_t i;

	for (i = 0; i < machine->n_gpus; i++) {
		struct sgang_device *gpu = &machine->gpu[i];

		gpu->island = gpu->island == i ?
				      machine->n_islands++ :
				      machine->gpu[gpu->island].island;
	}
}

static int find_gpu_islands(struct sgang_machine *machine)
{
	uint32_t i;

	for (i = 0; i < machine->n_gpus; i++)
		machine->gpu[i].island = i;
	if (join_by_links(machine) || join_the_rest(machine))
		return -1;
	number_islands(machine);
	return 0;
}

/* ---- sets of cores ---- */

/* Cores that are alike: the same set and the same number. Each kind has 'count'
 * cores, of which 'dealt' have an island. */
struct kinds {
	hwloc_bitmap_t *set;
	uint32_t *number;
	uint32_t *count;
	uint32_t *dealt;
	uint32_t n;
};

static int kinds_init(struct kinds *kinds, uint32_t max)
{
	kinds->n = 0;
	kinds->set = calloc(max + 1UL, sizeof(hwloc_bitmap_t));
	kinds->number = calloc(max + 1UL, sizeof(*kinds->number));
	kinds->count = calloc(max + 1UL, sizeof(*kinds->count));
	kinds->dealt = calloc(max + 1UL, sizeof(*kinds->dealt));
	return kinds->set && kinds->number && kinds->count && kinds->dealt ? 0 :
									     -1;
}

static void kinds_clear(struct kinds *kinds)
{
	uint32_t i;

	for (i = 0; i < kinds->n; i++)
		hwloc_bitmap_free(kinds->set[i]);
	free(kinds->set);
	free(kinds->number);
	free(kinds->count);
	free(kinds->dealt);
}

/* Which kind a core with these is; a new one is added. Neighbours are often
 * of the same kind, so the last is looked at first. UINT32_MAX without
 * memory. */
static uint32_t kind_of(struct kinds *kinds, hwloc_const_bitmap_t set,
			uint32_t number)
{
	uint32_t i;

	for (i = kinds->n; i > 0; i--)
		if (kinds->number[i - 1] == number &&
		    hwloc_bitmap_isequal(kinds->set[i - 1], set)) {
			kinds->count[i - 1]++;
			return i - 1;
		}
	kinds->set[kinds->n] = hwloc_bitmap_dup(set);
	if (!kinds->set[kinds->n])
		return UINT32_MAX;
	kinds->number[kinds->n] = number;
	kinds->count[kinds->n] = 1;
	return kinds->n++;
}

/* ---- islands of cores, on a node without GPUs ---- */

static hwloc_obj_t package_of(const struct sgang_machine *machine,
			      hwloc_obj_t core)
{
	hwloc_obj_t package;

	package = hwloc_get_ancestor_obj_by_type(machine->hw, HWLOC_OBJ_PACKAGE,
						 core);
	return package ? package : hwloc_get_root_obj(machine->hw);
}

/* The cores of a package on the same NUMA nodes are an island. This makes one
 * for each NUMA node; where packages share the only one, one for each package.
 */
static int find_core_islands(struct sgang_machine *machine)
{
	struct kinds kinds;
	int rc = kinds_init(&kinds, machine->n_cores);
	uint32_t i, kind;

	for (i = 0; i < machine->n_cores && !rc; i++) {
		hwloc_obj_t core = machine->core[i];

		kind = kind_of(&kinds, core->nodeset,
			       package_of(machine, core)->logical_index);
		machine->core_island[i] = kind;
		if (kind == UINT32_MAX)
			rc = -1;
	}
	machine->n_islands = kinds.n;
	kinds_clear(&kinds);
	return rc;
}

/* ---- to which GPUs a core belongs ---- */

/* The CPUs near the GPUs of each island. NULL without memory. */
static hwloc_bitmap_t *island_cpus(const struct sgang_machine *machine)
{
	hwloc_bitmap_t *cpus = calloc(machine->n_islands,
				      sizeof(hwloc_bitmap_t));
	uint32_t i;

	for (i = 0; cpus && i < machine->n_islands; i++)
		cpus[i] = hwloc_bitmap_alloc();
	for (i = 0; cpus && i < machine->n_gpus; i++) {
		const struct sgang_device *gpu = &machine->gpu[i];

		if (cpus[gpu->island])
			hwloc_bitmap_or(cpus[gpu->island], cpus[gpu->island],
					gpu->place->cpuset);
	}
	return cpus;
}

/* The islands with GPUs near some of these CPUs. */
static bool islands_near(const struct sgang_machine *machine,
			 hwloc_bitmap_t *cpus, hwloc_const_bitmap_t these,
			 hwloc_bitmap_t islands)
{
	uint32_t i;

	hwloc_bitmap_zero(islands);
	for (i = 0; i < machine->n_islands; i++)
		if (cpus[i] && hwloc_bitmap_intersects(cpus[i], these))
			hwloc_bitmap_set(islands, i);
	return !hwloc_bitmap_iszero(islands);
}

/* How far a core looks for GPUs. */
enum { NEAR_CORE, NEAR_PACKAGE, ANYWHERE };

/* The islands that a core can belong to, never none. Returns how far it had to
 * look. */
static uint32_t islands_of_core(const struct sgang_machine *machine,
				hwloc_bitmap_t *cpus, hwloc_obj_t core,
				hwloc_bitmap_t islands)
{
	if (islands_near(machine, cpus, core->cpuset, islands))
		return NEAR_CORE;
	if (islands_near(machine, cpus, package_of(machine, core)->cpuset,
			 islands))
		return NEAR_PACKAGE;
	hwloc_bitmap_set_range(islands, 0, (int)machine->n_islands - 1);
	return ANYWHERE;
}

/* Deal the cores of each kind out to its islands, in equal runs; until then
 * 'core_island' is the kind. */
static void deal_cores(struct sgang_machine *machine, struct kinds *kinds)
{
	uint32_t i, kind;

	for (i = 0; i < machine->n_cores; i++) {
		uint64_t turn;
		int island = -1;

		kind = machine->core_island[i];
		turn = (uint64_t)kinds->dealt[kind]++ *
		       (uint64_t)hwloc_bitmap_weight(kinds->set[kind]) /
		       kinds->count[kind];
		do
			island = hwloc_bitmap_next(kinds->set[kind], island);
		while (turn--);
		machine->core_island[i] = (uint32_t)island;
	}
}

static int sort_cores(struct sgang_machine *machine, hwloc_bitmap_t *cpus,
		      hwloc_bitmap_t islands, struct kinds *kinds)
{
	uint32_t i, kind, how_far;

	for (i = 0; i < machine->n_cores; i++) {
		how_far = islands_of_core(machine, cpus, machine->core[i],
					  islands);
		kind = kind_of(kinds, islands, how_far);
		if (kind == UINT32_MAX)
			return -1;
		machine->core_island[i] = kind;
	}
	deal_cores(machine, kinds);
	return 0;
}

static int give_cores(struct sgang_machine *machine)
{
	hwloc_bitmap_t islands = hwloc_bitmap_alloc();
	hwloc_bitmap_t *cpus = island_cpus(machine);
	struct kinds kinds;
	int rc = kinds_init(&kinds, machine->n_cores);
	uint32_t i;

	if (!islands || !cpus)
		rc = -1;
	if (!rc)
		rc = sort_cores(machine, cpus, islands, &kinds);
	kinds_clear(&kinds);
	for (i = 0; cpus && i < machine->n_islands; i++)
		hwloc_bitmap_free(cpus[i]);
	free(cpus);
	hwloc_bitmap_free(islands);
	return rc;
}

/* ---- network cards ---- */

/* A card is where the nearest GPU is, or, without GPUs, the nearest core. */
static void place_nic(const struct sgang_machine *machine,
		      struct sgang_device *nic)
{
	uint32_t i, nearness, best = 0;

	nic->island = 0;
	for (i = 0; i < machine->n_gpus; i++) {
		nearness = sgang_device_nearness(nic, &machine->gpu[i]);
		if (i && nearness <= best)
			continue;
		best = nearness;
		nic->island = machine->gpu[i].island;
	}
	for (i = 0; !machine->n_gpus && i < machine->n_cores; i++)
		if (hwloc_bitmap_isincluded(machine->core[i]->cpuset,
					    nic->place->cpuset)) {
			nic->island = machine->core_island[i];
			return;
		}
}

int sgang_machine_find_islands(struct sgang_machine *machine,
			       struct sgang_error *err)
{
	uint32_t i;
	int rc;

	rc = machine->n_gpus ? find_gpu_islands(machine) :
			       find_core_islands(machine);
	if (!rc && machine->n_gpus)
		rc = give_cores(machine);
	for (i = 0; i < machine->n_nics && !rc; i++)
		place_nic(machine, &machine->nic[i]);
	return rc ? sgang_err_memory(err) : 0;
}
