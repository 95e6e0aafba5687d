/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_topo_devices.c - the GPUs, network cards and cores of a description */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/node_topo_private.h"

/* hwloc's names of the libraries that know GPUs. The first that knows a GPU
 * gives it its name; 'numbers' are those that Slurm numbers GPUs by. */
static const struct library {
	const char *subtype;
	const char *prefix;
	bool numbers;
} libraries[] = {
	{ "NVML", "nvml", true },
	{ "RSMI", "rsmi", true },
	{ "LevelZero", "ze", false },
	{ "CUDA", "cuda", false },
};
#define N_LIBRARIES (sizeof(libraries) / sizeof(libraries[0]))

/* PCI classes of GPUs where no library knows one: vendor, class. */
static const struct gpu_class {
	unsigned short vendor;
	unsigned short class_id;
} gpu_classes[] = {
	{ 0x1002, 0x0300 },                     /* AMD: VGA */
	{ 0x1002, 0x0302 },                     /* 3D */
	{ 0x1002, 0x0380 },                     /* display */
	{ 0x1002, 0x1200 },                     /* processing accelerator */
	{ 0x10de, 0x0300 },                     /* NVIDIA */
	{ 0x10de, 0x0302 }, { 0x8086, 0x0302 }, /* Intel */
	{ 0x8086, 0x0380 },
};
#define N_GPU_CLASSES (sizeof(gpu_classes) / sizeof(gpu_classes[0]))

/* ---- the object tree ---- */

/* The PCI device that an operating system's device belongs to, NULL: none. */
static hwloc_obj_t pci_device_of(hwloc_obj_t obj)
{
	while (obj && obj->type != HWLOC_OBJ_PCI_DEVICE)
		obj = obj->parent;
	return obj;
}

static uint32_t height(hwloc_obj_t obj)
{
	uint32_t n = 0;

	while ((obj = obj->parent))
		n++;
	return n;
}

uint32_t sgang_device_nearness(const struct sgang_device *a,
			       const struct sgang_device *b)
{
	hwloc_obj_t x = a->obj, y = b->obj;
	uint32_t up_x = height(x), up_y = height(y);

	while (x != y) {
		hwloc_obj_t *lower = up_x >= up_y ? &x : &y;

		*lower = (*lower)->parent;
		if (lower == &x)
			up_x--;
		else
			up_y--;
	}
	return up_x;
}

/* The PCI address of a device as a number to sort by, UINT64_MAX: it is on no
 * PCI bus. */
static uint64_t address_of(const struct sgang_device *device)
{
	const struct hwloc_pcidev_attr_s *pci;

	if (device->obj->type != HWLOC_OBJ_PCI_DEVICE)
		return UINT64_MAX;
	pci = &device->obj->attr->pcidev;
	return (uint64_t)pci->domain << 24 | (uint64_t)pci->bus << 16 |
	       (uint64_t)pci->dev << 8 | pci->func;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_address(const void *a, const void *b)
{
	const struct sgang_device *x = a, *y = b;
	int rc = compare(address_of(x), address_of(y));

	return rc ? rc : strcmp(x->name, y->name);
}

/* ---- GPUs ---- */

/* The row of the library that gave this device of the operating system its
 * name, or -1. */
static int library_of(hwloc_obj_t osdev)
{
	size_t i;

	for (i = 0; i < N_LIBRARIES; i++)
		if (osdev->subtype && osdev->name &&
		    !strcmp(osdev->subtype, libraries[i].subtype))
			return (int)i;
	return -1;
}

/* "nvml3" is 3. */
static uint32_t number_of(const char *name, const struct library *library)
{
	size_t skip = strlen(library->prefix);
	unsigned long number;
	char *end;

	if (!library->numbers || strncmp(name, library->prefix, skip) ||
	    name[skip] < '0' || name[skip] > '9')
		return UINT32_MAX;
	number = strtoul(name + skip, &end, 10);
	return *end || number >= UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

/* Does a library know this PCI device? If so, take its name from there. */
static bool take_name(hwloc_obj_t pci, struct sgang_device *gpu)
{
	int best = -1, row;
	hwloc_obj_t child;

	for (child = pci->io_first_child; child; child = child->next_sibling) {
		row = library_of(child);
		if (row < 0 || (best >= 0 && row >= best))
			continue;
		best = row;
		snprintf(gpu->name, sizeof(gpu->name), "%s", child->name);
		gpu->number = number_of(child->name, &libraries[row]);
	}
	return best >= 0;
}

static bool has_gpu_class(hwloc_obj_t pci)
{
	size_t i;

	for (i = 0; i < N_GPU_CLASSES; i++)
		if (pci->attr->pcidev.vendor_id == gpu_classes[i].vendor &&
		    pci->attr->pcidev.class_id == gpu_classes[i].class_id)
			return true;
	return false;
}

/* By what NVML or RSMI calls them; those it does not know come last. */
static int by_number(const void *a, const void *b)
{
	const struct sgang_device *x = a, *y = b;
	int rc = compare(x->number, y->number);

	return rc ? rc : by_address(a, b);
}

static void sort_gpus(struct sgang_machine *machine)
{
	bool all_numbered = true;
	uint32_t i;

	for (i = 0; i < machine->n_gpus; i++)
		if (machine->gpu[i].number == UINT32_MAX)
			all_numbered = false;
	qsort(machine->gpu, machine->n_gpus, sizeof(*machine->gpu),
	      all_numbered ? by_number : by_address);
	for (i = 0; i < machine->n_gpus; i++)
		if (!machine->gpu[i].name[0])
			snprintf(machine->gpu[i].name,
				 sizeof(machine->gpu[i].name), "gpu%u", i);
}

/* Room for devices is for 'max' of them and one more, which is one too many. */
static struct sgang_device *device_room(uint32_t max, struct sgang_error *err)
{
	struct sgang_device *room = calloc(max + 1, sizeof(*room));

	if (!room)
		sgang_err_memory(err);
	return room;
}

static int too_many(uint32_t max, const char *what, struct sgang_error *err)
{
	return sgang_errf(err, EINVAL, "it has more than %u %s", max, what);
}

static void add_gpu(struct sgang_machine *machine, hwloc_obj_t pci,
		    const struct sgang_device *found)
{
	struct sgang_device *gpu = &machine->gpu[machine->n_gpus++];

	*gpu = *found;
	gpu->obj = pci;
	gpu->place = hwloc_get_non_io_ancestor_obj(machine->hw, pci);
	gpu->island = SGANG_ISLAND_NONE;
}

/* Add the devices that a library knows, or those whose class says what they
 * are. */
static int add_gpus(struct sgang_machine *machine, bool by_library,
		    struct sgang_error *err)
{
	hwloc_obj_t pci = NULL;

	while ((pci = hwloc_get_next_pcidev(machine->hw, pci))) {
		struct sgang_device found = { .number = UINT32_MAX };

		if (by_library ? !take_name(pci, &found) : !has_gpu_class(pci))
			continue;
		add_gpu(machine, pci, &found);
		if (machine->n_gpus > SGANG_NODE_GPUS_MAX)
			return too_many(SGANG_NODE_GPUS_MAX, "GPUs", err);
	}
	return 0;
}

int sgang_machine_find_gpus(struct sgang_machine *machine,
			    struct sgang_error *err)
{
	machine->gpu = device_room(SGANG_NODE_GPUS_MAX, err);
	if (!machine->gpu || add_gpus(machine, true, err) ||
	    (!machine->n_gpus && add_gpus(machine, false, err)))
		return -1;
	sort_gpus(machine);
	return 0;
}

/* ---- network cards ---- */

static bool is_fabric_card(hwloc_obj_t osdev)
{
	return osdev->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS;
}

static bool is_card(hwloc_obj_t osdev)
{
	return osdev->name &&
	       (is_fabric_card(osdev) ||
		osdev->attr->osdev.type == HWLOC_OBJ_OSDEV_NETWORK);
}

/* The card that stands for this PCI device already, NULL: none does. */
static struct sgang_device *find_nic(struct sgang_machine *machine,
				     hwloc_obj_t pci)
{
	uint32_t i;

	for (i = 0; i < machine->n_nics; i++)
		if (machine->nic[i].obj == pci)
			return &machine->nic[i];
	return NULL;
}

/* "mlx5_0" and "ib0" are one card: the first is what libraries of collectives
 * want to hear. */
static void add_nic(struct sgang_machine *machine, hwloc_obj_t osdev)
{
	hwloc_obj_t pci = pci_device_of(osdev);
	struct sgang_device *nic = pci ? find_nic(machine, pci) : NULL;

	if (nic && !is_fabric_card(osdev))
		return;
	if (!nic)
		nic = &machine->nic[machine->n_nics++];
	nic->obj = pci ? pci : osdev;
	nic->place = hwloc_get_non_io_ancestor_obj(machine->hw, osdev);
	nic->fabric = is_fabric_card(osdev);
	snprintf(nic->name, sizeof(nic->name), "%s", osdev->name);
	nic->island = SGANG_ISLAND_NONE;
}

int sgang_machine_find_nics(struct sgang_machine *machine,
			    struct sgang_error *err)
{
	hwloc_obj_t osdev = NULL;

	machine->nic = device_room(SGANG_NODE_NICS_MAX, err);
	if (!machine->nic)
		return -1;
	while ((osdev = hwloc_get_next_osdev(machine->hw, osdev))) {
		if (!is_card(osdev))
			continue;
		add_nic(machine, osdev);
		if (machine->n_nics > SGANG_NODE_NICS_MAX)
			return too_many(SGANG_NODE_NICS_MAX, "network cards",
					err);
	}
	qsort(machine->nic, machine->n_nics, sizeof(*machine->nic), by_address);
	return 0;
}

/* Is card a the better one for a GPU, given how near both are and how many GPUs
 * have got each? */
static bool is_better(const struct sgang_device *gpu,
		      const struct sgang_device *a, uint32_t given_a,
		      const struct sgang_device *b, uint32_t given_b)
{
	uint32_t near_a = sgang_device_nearness(gpu, a);
	uint32_t near_b = sgang_device_nearness(gpu, b);

	if (a->fabric != b->fabric)
		return a->fabric;
	if (near_a != near_b)
		return near_a > near_b;
	if (a->island != b->island &&
	    (a->island == gpu->island || b->island == gpu->island))
		return a->island == gpu->island;
	return given_a < given_b;
}

uint32_t *sgang_machine_nearest_nics(const struct sgang_machine *machine)
{
	uint32_t *nearest = calloc(machine->n_gpus + 1, sizeof(*nearest));
	uint32_t *given = calloc(machine->n_nics + 1, sizeof(*given));
	uint32_t i, j, best;

	for (i = 0; nearest && given && i < machine->n_gpus; i++) {
		nearest[i] = UINT32_MAX;
		for (j = 0; j < machine->n_nics; j++) {
			best = nearest[i];
			if (best == UINT32_MAX ||
			    is_better(&machine->gpu[i], &machine->nic[j],
				      given[j], &machine->nic[best],
				      given[best]))
				nearest[i] = j;
		}
		if (nearest[i] != UINT32_MAX)
			given[nearest[i]]++;
	}
	if (!given) {
		free(nearest);
		nearest = NULL;
	}
	free(given);
	return nearest;
}

/* ---- cores ---- */

int sgang_machine_find_cores(struct sgang_machine *machine,
			     struct sgang_error *err)
{
	int n = hwloc_get_nbobjs_by_type(machine->hw, HWLOC_OBJ_CORE), i;
	hwloc_obj_type_t type = n > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;

	n = hwloc_get_nbobjs_by_type(machine->hw, type);
	if (n <= 0)
		return sgang_errf(err, EINVAL, "it has no core");
	if (n > SGANG_NODE_CORES_MAX)
		return too_many(SGANG_NODE_CORES_MAX, "cores", err);
	machine->core = calloc((size_t)n, sizeof(*machine->core));
	machine->core_island = calloc((size_t)n, sizeof(*machine->core_island));
	if (!machine->core || !machine->core_island)
		return sgang_err_memory(err);
	for (i = 0; i < n; i++)
		machine->core[i] = hwloc_get_obj_by_type(machine->hw, type,
							 (unsigned int)i);
	machine->n_cores = (uint32_t)n;
	return 0;
}
