/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_fabric.c - the fabric of a cluster that runs */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/in_force.h"
#include "cmd/live_fabric.h"
#include "files/fabric_file.h"
#include "files/paths.h"

/* The file that gang.conf names, or Slurm's own next to slurm.conf, for which
 * there is room in 'path'. NULL: none of them. */
static const char *fabric_path(const struct sgang_nodes *nodes,
			       const struct sgang_conf *conf, const char *dir,
			       char path[SGANG_PATH])
{
	if (conf->topology_file[0])
		return conf->topology_file;
	if (nodes->topology_yaml &&
	    !sgang_path_in(path, dir, "topology.yaml", NULL) &&
	    !access(path, F_OK))
		return path;
	return nodes->topology_conf && !sgang_path_in(path, dir,
						      "topology.conf", NULL) ?
		       path :
		       NULL;
}

/* The topology that the partitions have in common; "": the cluster's. True if
 * gang.conf sets it. */
static bool common_topology(const struct sgang_nodes *nodes,
			    const struct sgang_conf *conf,
			    const char *const *partitions, size_t n,
			    char name[SGANG_TOPOLOGY_NAME])
{
	char other[SGANG_TOPOLOGY_NAME];
	bool ours = false;
	size_t i;

	name[0] = '\0';
	for (i = 0; i < n; i++) {
		const struct sgang_partition *partition =
			sgang_nodes_partition(nodes, partitions[i]);

		other[0] = '\0';
		if (partition)
			ours = sgang_conf_topology_of(conf, partition->name,
						      partition->topology,
						      other);
		if (i && strcmp(name, other)) {
			name[0] = '\0';
			return false;
		}
		strcpy(name, other);
	}
	return ours;
}

/* From the files of this host. */
static struct sgang_fabric *
read_files(const struct sgang_conf *conf, const char *file,
	   const struct sgang_topology_choice *choice, const char *const *names,
	   uint32_t n, struct sgang_error *err)
{
	return file && choice->name[0] ?
		       sgang_fabric_load_other(conf, file, choice, names, n,
					       err) :
		       sgang_fabric_load_file(conf, file, names, n, err);
}

struct sgang_fabric *sgang_live_fabric(const struct sgang_nodes *nodes,
				       const struct sgang_conf *conf,
				       const char *dir,
				       const char *const *partitions, size_t n,
				       struct sgang_error *err)
{
	const char **names = calloc(nodes->count + 1, sizeof(*names));
	char here[SGANG_PATH], path[SGANG_PATH], name[SGANG_TOPOLOGY_NAME];
	struct sgang_topology_choice choice = { name, NULL };
	uint32_t count = (uint32_t)nodes->count;
	struct sgang_fabric *fabric = NULL;
	const char *file;
	size_t i;

	if (!names) {
		sgang_err_memory(err);
		return NULL;
	}
	for (i = 0; i < nodes->count; i++)
		names[i] = nodes->row[i].name;
	choice.by = common_topology(nodes, conf, partitions, n, name) ?
			    "PartitionTopology in gang.conf" :
			    "Topology in slurm.conf";
	if (!dir[0] && sgang_path_folder(here, sgang_cmd_slurm_conf(), err))
		goto out;
	file = fabric_path(nodes, conf, dir[0] ? dir : here, path);
	errno = 0;
	/* with Placement=no slurmctld knows no fabric */
	if (!dir[0] && (conf->placement || !file || access(file, R_OK)))
		fabric = sgang_in_force_fabric(name, names, count, err);
	if (!fabric && errno != ENOTSUP)
		fabric = read_files(conf, file, &choice, names, count, err);
out:
	free(names);
	return fabric;
}
