/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm_tree_25_05.c - the topologies that slurmctld has, since 25.05
 *
 * slurmctld keeps what it has read from topology.yaml up to date, and can print
 * it: scontrol show topoconf. Of a topology.conf it prints no more than the
 * records of scontrol show topology. These it cannot print with a topology.yaml
 * of several topologies: it looks for the printing plugin by the number of a
 * topology.
 */

#include "config.h"

#include <stdlib.h>

#include "release.h"
#include "src/interfaces/topology.h"

#include "core/base/hash.h"
#include "files/fabric_records.h"
#include "files/fabric_yaml.h"
#include "slurm_nowhere.h"
#include "slurm_tree.h"

#pragma weak last_node_update
#pragma weak node_record_count
#pragma weak node_record_table_ptr
#pragma weak slurm_conf

/* ---- the text ---- */

/* xfree() it; NULL: TopologyPlugin joins no nodes. */
static char *records_of_conf(void)
{
	dynamic_plugin_data_t *info = NULL;
	char *records = NULL;

	if (xstrcmp(slurm_conf.topology_plugin, "topology/tree") &&
	    xstrcmp(slurm_conf.topology_plugin, "topology/block"))
		return NULL;
	if (topology_g_get(TOPO_DATA_TOPOLOGY_PTR, NULL, &info))
		return NULL;
	(void)topology_g_topoinfo_print(info, NULL, NULL, &records);
	(void)topology_g_topoinfo_free(info);
	return records;
}

char *sgang_slurm_tree_text(void)
{
	char *text = topology_g_get_config(), *records, *yaml;

	if (text && !sgang_fabric_yaml_is_bare(text))
		return text;
	xfree(text);
	records = records_of_conf();
	yaml = records ? sgang_fabric_records_yaml(records) : NULL;
	text = xstrdup(yaml);
	free(yaml);
	xfree(records);
	return text;
}

/* ---- nodes that say where they are ---- */

static bitstr_t *all_nodes(void)
{
	bitstr_t *nodes = bit_alloc(node_record_count);

	for (int i = 0; next_node(&i); i++)
		bit_set(nodes, i);
	return nodes;
}

/* Of "fabric:top:s1:a,racks:r1" the last word about this topology; "": it is on
 * no leaf of it. */
static char *leaf_in(const char *place, int idx)
{
	char *words = xstrdup(place), *rest = NULL, *word, *leaf = NULL;
	int is;

	for (word = strtok_r(words, ",", &rest); word && !leaf;
	     word = strtok_r(NULL, ",", &rest)) {
		char *colon = strchr(word, ':');

		if (!colon)
			continue;
		*colon = '\0';
		if (topology_g_get(TOPO_DATA_TCTX_IDX, word, &is) || is != idx)
			continue;
		leaf = strrchr(colon + 1, ':');
		leaf = xstrdup(leaf ? leaf + 1 : colon + 1);
	}
	xfree(words);
	return leaf ? leaf : xstrdup("");
}

/* The leaf in its address, which ends in ".leaf.node", in the default topology;
 * "": none. */
static char *leaf_in_address(const node_record_t *node_ptr)
{
	char *addr = NULL, *pattern = NULL, *leaf = NULL, *dot;

	if (!topology_g_get_node_addr(node_ptr->name, &addr, &pattern)) {
		dot = strrchr(addr, '.');
		if (dot)
			*dot = '\0';
		leaf = dot ? strrchr(addr, '.') : NULL;
		leaf = xstrdup(leaf ? leaf + 1 : dot ? addr : "");
	}
	xfree(addr);
	xfree(pattern);
	return leaf ? leaf : xstrdup("");
}

/* As in leaf_in(); NULL: where the text has it. */
static char *place_of(const node_record_t *node_ptr, bitstr_t *nowhere, int idx)
{
	char *leaf;

	if (!node_ptr->topology_str)
		return bit_test(nowhere, node_ptr->index) ? xstrdup("") : NULL;
	leaf = leaf_in(node_ptr->topology_str, idx);
	if (*leaf || !RELEASE_UNNAMED_STAYS)
		return leaf;
	xfree(leaf);
	return idx ? NULL : leaf_in_address(node_ptr);
}

char **sgang_slurm_tree_only(const char *topology)
{
	bitstr_t *nodes, *nowhere;
	char **only = NULL, *leaf;
	node_record_t *node_ptr;
	int idx = 0;

	if (*topology &&
	    topology_g_get(TOPO_DATA_TCTX_IDX, (char *)topology, &idx))
		return NULL;
	nodes = all_nodes();
	nowhere = sgang_slurm_nowhere(nodes, idx);
	for (int i = 0; (node_ptr = next_node(&i)); i++) {
		leaf = place_of(node_ptr, nowhere, idx);
		if (!leaf)
			continue;
		if (!only)
			only = xcalloc(node_record_count, sizeof(*only));
		only[i] = leaf;
	}
	FREE_NULL_BITMAP(nowhere);
	FREE_NULL_BITMAP(nodes);
	return only;
}

/* ---- changes ---- */

/* When places were looked at last. */
struct look {
	time_t update; /* last_node_update then */
	time_t at;
};

/* A drained node that boots elsewhere may change no time. */
#define LOOK_SECONDS 60

/* The time has whole seconds: one that has not passed may see more changes. */
static bool may_differ(struct look *last)
{
	time_t now = time(NULL);

	if (last_node_update == last->update && now >= last->at &&
	    now < last->at + LOOK_SECONDS)
		return false;
	if (last_node_update < now)
		*last = (struct look){ last_node_update, now };
	return true;
}

/* A node whose place is that of the file has neither text. */
static uint64_t hash_places(void)
{
	uint64_t stamp = SGANG_HASH_SEED;
	node_record_t *node_ptr;

	for (int i = 0; (node_ptr = next_node(&i)); i++) {
		const char *before = release_place_before(node_ptr);

		if (!node_ptr->topology_str && !before)
			continue;
		stamp = sgang_hash(stamp, (uint64_t)i);
		stamp = sgang_hash_text(stamp, node_ptr->topology_str);
		stamp = sgang_hash_text(stamp, before);
	}
	return stamp;
}

uint64_t sgang_slurm_tree_stamp(void)
{
	static struct look last;
	static uint64_t stamp;

	if (may_differ(&last))
		stamp = hash_places();
	return stamp;
}

bool sgang_slurm_tree_touched(void)
{
	static struct look last;

	return may_differ(&last);
}

const char *sgang_slurm_tree_unknown(void)
{
	const char *plugin = slurm_conf.topology_plugin;

	return xstrcmp(plugin, "topology/ring") &&
			       xstrcmp(plugin, "topology/torus3d") ?
		       NULL :
		       plugin;
}
