/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_topo_hwloc.c - hwloc's description of a machine becomes islands */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text_file.h"
#include "files/node_topo_hwloc.h"
#include "files/node_topo_private.h"

#define WHAT_IT_IS "an hwloc topology in XML"

/* ---- the text ---- */

/* Take comments out, and the blanks behind them: hwloc has a small parser of
 * its own for machines without libxml2, and that one knows no comments. In XML
 * a '<' stands nowhere but in front of a tag or a comment. */
static void drop_comments(char *xml)
{
	char *begin = xml, *end;

	while ((begin = strstr(begin, "<!--"))) {
		end = strstr(begin, "-->");
		if (!end)
			return;
		end += 3 + strspn(end + 3, " \t\r\n");
		memmove(begin, end, strlen(end) + 1);
	}
}

/* ---- hwloc ---- */

/* Returns 0, or -1 with errno: what hwloc did not like, it does not say. */
static int import(hwloc_topology_t hw, const char *xml)
{
	size_t length = strlen(xml);

	if (length >= INT_MAX) {
		errno = EINVAL;
		return -1;
	}
	if (hwloc_topology_set_flags(hw,
				     HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) ||
	    hwloc_topology_set_io_types_filter(hw,
					       HWLOC_TYPE_FILTER_KEEP_ALL) ||
	    hwloc_topology_set_xmlbuffer(hw, xml, (int)length + 1))
		return -1;
	return hwloc_topology_load(hw);
}

static int load_machine(struct sgang_machine *machine, const char *xml,
			struct sgang_error *err)
{
	if (hwloc_topology_init(&machine->hw)) {
		machine->hw = NULL;
		return sgang_err_memory(err);
	}
	if (import(machine->hw, xml))
		return sgang_errf(err, errno == ENOMEM ? ENOMEM : EINVAL,
				  "hwloc cannot read it; lstopo -i FILE "
				  "must be able to show it");
	return 0;
}

static void clear_machine(struct sgang_machine *machine)
{
	int saved = errno;

	free(machine->gpu);
	free(machine->nic);
	free(machine->core);
	free(machine->core_island);
	if (machine->hw)
		hwloc_topology_destroy(machine->hw);
	errno = saved;
}

/* ---- the result ---- */

/* The file's name, without folder and ".xml". */
static void set_name(struct sgang_node_topo *topo, const char *label)
{
	const char *slash = strrchr(label, '/');
	size_t length;

	snprintf(topo->name, sizeof(topo->name), "%s",
		 slash ? slash + 1 : label);
	length = strlen(topo->name);
	if (length > 4 && !strcmp(topo->name + length - 4, ".xml"))
		topo->name[length - 4] = '\0';
}

static void set_bus(char *bus, size_t size, const struct sgang_device *device)
{
	const struct hwloc_pcidev_attr_s *pci;

	if (device->obj->type != HWLOC_OBJ_PCI_DEVICE)
		return;
	pci = &device->obj->attr->pcidev;
	snprintf(bus, size, "%04x:%02x:%02x.%01x", (unsigned int)pci->domain,
		 pci->bus, pci->dev, pci->func);
}

static void copy_gpus(struct sgang_node_topo *topo,
		      const struct sgang_machine *machine,
		      const uint32_t *nearest)
{
	uint32_t i;

	for (i = 0; i < topo->n_gpus; i++) {
		const struct sgang_device *from = &machine->gpu[i];
		struct sgang_gpu *gpu = &topo->gpu[i];

		/* a longer name is none of a library's */
		snprintf(gpu->name, sizeof(gpu->name), "%.15s", from->name);
		set_bus(gpu->bus, sizeof(gpu->bus), from);
		gpu->island = from->island;
		topo->island[gpu->island].n_gpus++;
		if (nearest[i] != UINT32_MAX)
			memcpy(gpu->nic, machine->nic[nearest[i]].name,
			       sizeof(gpu->nic));
	}
}

static void copy_cores(struct sgang_node_topo *topo,
		       const struct sgang_machine *machine)
{
	uint32_t i;

	for (i = 0; i < topo->n_cores; i++) {
		topo->core_island[i] = machine->core_island[i];
		topo->island[topo->core_island[i]].n_cores++;
	}
}

static void copy_nics(struct sgang_node_topo *topo,
		      const struct sgang_machine *machine)
{
	uint32_t i;

	for (i = 0; i < topo->n_nics; i++) {
		const struct sgang_device *from = &machine->nic[i];

		memcpy(topo->nic[i].name, from->name,
		       sizeof(topo->nic[i].name));
		set_bus(topo->nic[i].bus, sizeof(topo->nic[i].bus), from);
		topo->nic[i].island = from->island;
	}
}

static struct sgang_node_topo *copy_machine(const struct sgang_machine *machine,
					    struct sgang_error *err)
{
	uint32_t *nearest = sgang_machine_nearest_nics(machine);
	struct sgang_node_topo *topo = NULL;

	if (!nearest)
		sgang_err_memory(err);
	else
		topo = sgang_node_topo_alloc(machine->n_islands,
					     machine->n_gpus, machine->n_cores,
					     machine->n_nics, err);
	if (topo) {
		copy_gpus(topo, machine, nearest);
		copy_cores(topo, machine);
		copy_nics(topo, machine);
	}
	free(nearest);
	return topo;
}

/* 'xml' is changed. */
static struct sgang_node_topo *parse(char *xml, const char *label,
				     struct sgang_error *err)
{
	struct sgang_machine machine = { .hw = NULL };
	struct sgang_node_topo *topo = NULL;
	struct sgang_error why;

	if (sgang_hwloc_text_check(xml, label, err))
		return NULL;
	drop_comments(xml);
	if (!load_machine(&machine, xml, &why) &&
	    !sgang_machine_find_gpus(&machine, &why) &&
	    !sgang_machine_find_nics(&machine, &why) &&
	    !sgang_machine_find_cores(&machine, &why) &&
	    !sgang_machine_find_islands(&machine, &why))
		topo = copy_machine(&machine, &why);
	if (topo)
		set_name(topo, label);
	else
		sgang_errf(err, errno, "%s: %s", label, why.text);
	clear_machine(&machine);
	return topo;
}

struct sgang_node_topo *sgang_node_topo_parse(const char *xml,
					      const char *label,
					      struct sgang_error *err)
{
	char *copy = strdup(xml);
	struct sgang_node_topo *topo = NULL;

	if (copy)
		topo = parse(copy, label, err);
	else
		sgang_errf(err, ENOMEM, "%s: out of memory", label);
	free(copy);
	return topo;
}

struct sgang_node_topo *sgang_node_topo_load(const char *path,
					     struct sgang_error *err)
{
	struct sgang_node_topo *topo = NULL;
	char *xml = sgang_text_file_read(path, SGANG_HWLOC_FILE_MAX, WHAT_IT_IS,
					 err);

	if (xml)
		topo = parse(xml, path, err);
	free(xml);
	return topo;
}
