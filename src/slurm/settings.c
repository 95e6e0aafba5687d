/* SPDX-License-Identifier: GPL-2.0-or-later */
/* settings.c - the select plugin reads its files, and says what is in force
 *
 * gang.conf, the fabric and what is inside the nodes are read when slurmctld
 * has built its tables, and again when nodes come or go. A mistake in one of
 * them leaves what was in force before, and is logged as one error.
 */

#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "select_private.h"

#include "files/fabric_file.h"
#include "inside.h"
#include "kept.h"
#include "slurm_tree.h"

/* ---- settings and fabric ---- */

struct partition {
	char *name;
	char *topology;                   /* by slurm.conf, or NULL */
	char chosen[SGANG_TOPOLOGY_NAME]; /* by gang.conf as well */
};

/* A topology of slurmctld, and where its text does not say where nodes are. */
struct exceptions {
	char name[SGANG_TOPOLOGY_NAME]; /* "": the default one */
	char **only;                    /* of sgang_slurm_tree_only() */
};

/* The topologies that slurmctld has. */
struct live {
	char *text;         /* NULL: those of the file */
	const char *refuse; /* NULL, or a TopologyPlugin that is none of ours */
	struct exceptions *exceptions;
	int n_exceptions;
};

/* The contents of the files, and what the files are read for. The nodes,
 * partitions and slurmctld's topologies are those at the beginning of the
 * reading. */
struct reading {
	unsigned int after;       /* sgang_own.applied when it was begun */
	unsigned int nodes_since; /* sgang_own.node_changes at that time */
	uint64_t stamp;           /* of the places of nodes */
	struct live live;
	char **names; /* of the nodes */
	int n_nodes;
	struct partition *partitions;
	int n_partitions;
	bool plain;               /* Slurm reads a topology.conf */
	bool kept;                /* of the copies in kept.h */
	struct sgang_conf before; /* the settings until now */
	struct sgang_conf conf;
	struct sgang_error conf_err, fabric_err, partition_err, topos_err;
	struct sgang_topologies *topologies; /* NULL: see fabric_err */
	struct sgang_error elsewhere;        /* where slurmctld's differ */
	struct sgang_node_topos *topos;      /* NULL: none, or see topos_err */
};

/* The name of a node, or of a gap that dynamic nodes may fill, for which there
 * is room in 'gap'. */
static const char *node_name(int node, char gap[16])
{
	if (node_record_table_ptr[node])
		return node_record_table_ptr[node]->name;
	snprintf(gap, 16, "#%d", node);
	return gap;
}

static int note_partition(void *x, void *arg)
{
	const part_record_t *part = x;
	struct reading *r = arg;

	r->partitions[r->n_partitions++] = (struct partition){
		.name = xstrdup(part->name),
		.topology = xstrdup(release_partition_topology(part)),
	};
	return 0;
}

static void note_exceptions(struct live *live, const char *name)
{
	struct exceptions *more;

	for (int i = 0; i < live->n_exceptions; i++) {
		if (!strcmp(live->exceptions[i].name, name))
			return;
	}
	xrecalloc(live->exceptions, live->n_exceptions + 1, sizeof(*more));
	more = &live->exceptions[live->n_exceptions++];
	snprintf(more->name, sizeof(more->name), "%s", name);
	more->only = sgang_slurm_tree_only(name);
}

/* Those that gang.conf names anew are looked at in the reading after this one. */
static void note_live(struct reading *r)
{
	struct live *live = &r->live;
	char name[SGANG_TOPOLOGY_NAME];

	r->stamp = sgang_slurm_tree_stamp();
	live->text = sgang_slurm_tree_text();
	if (!live->text) {
		live->refuse = sgang_slurm_tree_unknown();
		return;
	}
	note_exceptions(live, "");
	note_exceptions(live, r->before.topology_name);
	for (int i = 0; i < r->n_partitions; i++) {
		(void)sgang_conf_topology_of(&r->before, r->partitions[i].name,
					     r->partitions[i].topology, name);
		note_exceptions(live, name);
	}
}

/* With the locks. */
static void begin_reading(struct reading *r)
{
	char gap[16];

	*r = (struct reading){ .after = sgang_own.applied,
			       .nodes_since = sgang_own.node_changes,
			       .n_nodes = node_record_count };
	r->names = xcalloc(r->n_nodes + 1, sizeof(char *));
	for (int i = 0; i < r->n_nodes; i++)
		r->names[i] = xstrdup(node_name(i, gap));
	if (part_list) {
		r->partitions = xcalloc(list_count(part_list) + 1,
					sizeof(*r->partitions));
		list_for_each(part_list, note_partition, r);
	}
	r->plain = xstrstr(slurm_conf.topology_plugin, "tree") ||
		   xstrstr(slurm_conf.topology_plugin, "block");
	sgang_conf_copy(&r->before, &sgang_own.conf);
	note_live(r);
}

static void end_reading(struct reading *r)
{
	for (int i = 0; i < r->n_nodes; i++)
		xfree(r->names[i]);
	xfree(r->names);
	for (int i = 0; i < r->n_partitions; i++) {
		xfree(r->partitions[i].name);
		xfree(r->partitions[i].topology);
	}
	xfree(r->partitions);
	for (int i = 0; i < r->live.n_exceptions; i++) {
		char **only = r->live.exceptions[i].only;

		for (int j = 0; only && j < r->n_nodes; j++)
			xfree(only[j]);
		xfree(only);
	}
	xfree(r->live.exceptions);
	xfree(r->live.text);
	sgang_conf_free(&r->before);
	sgang_conf_free(&r->conf);
}

/* With the locks: true if the nodes are still those, and nothing was read
 * since. */
static bool still_holds(const struct reading *r)
{
	char gap[16];

	if (r->after != sgang_own.applied ||
	    r->nodes_since != sgang_own.node_changes ||
	    r->n_nodes != node_record_count ||
	    r->stamp != sgang_slurm_tree_stamp())
		return false;
	for (int i = 0; i < r->n_nodes; i++) {
		if (strcmp(r->names[i], node_name(i, gap)))
			return false;
	}
	return true;
}

static int read_conf(bool kept, struct sgang_conf *conf,
		     struct sgang_error *err)
{
	char *path = kept ? sgang_kept_path(SGANG_KEPT_CONF) :
			    get_extra_conf_path("gang.conf");
	int rc = sgang_conf_load(path, conf, err);

	/* Without the file the built-in defaults hold. */
	if (rc < 0 && errno == ENOENT && !kept) {
		sgang_conf_default(conf);
		rc = 0;
	}
	xfree(path);
	return rc;
}

/* NULL for NULL. */
static struct sgang_topologies *only(struct sgang_fabric *fabric,
				     struct sgang_error *err)
{
	return fabric ? sgang_topologies_create(fabric, err) : NULL;
}

/* The nodes as they are, on one leaf. */
static struct sgang_topologies *flat(const struct reading *r,
				     struct sgang_error *err)
{
	return only(sgang_fabric_flat((const char *const *)r->names, r->n_nodes,
				      err),
		    err);
}

/* The topology file of Slurm itself: topology.yaml alone, if there is one. */
static char *slurm_topology_path(const struct reading *r)
{
	char *path = RELEASE_TOPOLOGY_YAML ?
			     get_extra_conf_path("topology.yaml") :
			     NULL;

	if (path && !access(path, F_OK))
		return path;
	xfree(path);
	return r->plain ? get_extra_conf_path("topology.conf") : NULL;
}

/* NULL: there is no such file; else xfree() it. */
static char *topology_path(const struct reading *r)
{
	const struct sgang_conf *conf = &r->conf;

	if (!conf->placement)
		return NULL;
	if (conf->topology_file[0])
		return xstrdup(conf->topology_file);
	return slurm_topology_path(r);
}

/* True if a partition before this one has that topology. Then it is read
 * already, or known to be none. */
static bool was_tried(const struct reading *r, int upto, const char *topology)
{
	for (int i = 0; i < upto; i++) {
		if (!strcmp(r->partitions[i].chosen, topology))
			return true;
	}
	return false;
}

/* What topologies are read from. */
struct source {
	const struct live *live; /* slurmctld's; NULL: a file */
	const char *path;        /* NULL: none, all nodes are on one leaf */
};

static const char *const *only_of(const struct live *live, const char *topology)
{
	for (int i = 0; i < live->n_exceptions; i++) {
		if (!strcmp(live->exceptions[i].name, topology))
			return (const char *const *)live->exceptions[i].only;
	}
	return NULL;
}

static struct sgang_fabric *load(const struct reading *r,
				 const struct source *from,
				 const struct sgang_topology_choice *choice,
				 struct sgang_error *err)
{
	const char *const *names = (const char *const *)r->names;
	struct sgang_fabric_text text = { .label = "slurmctld's topologies" };

	if (!from->live)
		return sgang_fabric_load_other(&r->conf, from->path, choice,
					       names, r->n_nodes, err);
	text.text = from->live->text;
	text.only = only_of(from->live, choice->name);
	return sgang_fabric_load_text(&r->conf, &text, choice, names,
				      r->n_nodes, err);
}

/* Read the partition's own topology, if it has one. */
static int add_topology(const struct reading *r, const struct source *from,
			int number, struct sgang_topologies *all,
			struct sgang_error *err)
{
	struct partition *partition = &r->partitions[number];
	char *name = partition->chosen;
	struct sgang_topology_choice choice = { name, NULL };
	struct sgang_fabric *fabric;
	struct sgang_error why;

	choice.by = sgang_conf_topology_of(&r->conf, partition->name,
					   partition->topology, name) ?
			    "PartitionTopology in gang.conf" :
			    "Topology in slurm.conf";
	if (!name[0] || was_tried(r, number, name))
		return 0;
	if (!from->live && !from->path)
		return sgang_errf(err, EINVAL,
				  "%s gives partition %s topology "
				  "\"%s\", but there is no topology.yaml",
				  choice.by, partition->name, name);
	fabric = load(r, from, &choice, &why);
	if (fabric)
		return sgang_topologies_add(all, name, fabric, err);
	if (errno == ENOTSUP)
		return sgang_topologies_bar(all, name, why.text, err);
	*err = why;
	return -1;
}

/* A mistake does not affect other topologies: such partitions have the
 * cluster's. One on which gangs cannot be placed has none. */
static struct sgang_topologies *read_all(const struct reading *r,
					 const struct source *from,
					 struct sgang_error *partition_err,
					 struct sgang_error *err)
{
	const struct sgang_topology_choice choice = {
		r->conf.topology_name, "TopologyName in gang.conf"
	};
	struct sgang_topologies *all = only(load(r, from, &choice, err), err);

	for (int i = 0; all && i < r->n_partitions; i++)
		(void)add_topology(r, from, i, all, partition_err);
	return all;
}

/* The name of what a node hangs on. */
static const char *leaf_of(const struct sgang_fabric *fabric, uint32_t node)
{
	uint32_t leaf = sgang_fabric_leaf(fabric, node);
	const char *name = sgang_fabric_domain(fabric, leaf)->name;

	return strcmp(name, sgang_fabric_node_name(fabric, node)) ? name :
								    "no leaf";
}

/* True if a node is elsewhere in 'there' than in the file at 'path'; 'err' says
 * which. Both have the same nodes. */
static bool differs(const struct sgang_fabric *there,
		    const struct sgang_fabric *file, const char *path,
		    struct sgang_error *err)
{
	uint32_t n = sgang_fabric_nodes(there), others = 0, first = n;

	for (uint32_t i = 0; i < n; i++) {
		if (!strcmp(leaf_of(there, i), leaf_of(file, i)))
			continue;
		others += first < n;
		first = first < n ? first : i;
	}
	if (first == n)
		return false;
	(void)sgang_errf(
		err, EEXIST,
		"slurmctld has node %s on %s, which %s puts on %s, and %u other nodes elsewhere as well",
		sgang_fabric_node_name(there, first), leaf_of(there, first),
		path, leaf_of(file, first), others);
	return true;
}

/* Note a difference between slurmctld's topologies and the file's. */
static void compare(struct reading *r, const struct sgang_topologies *there,
		    const struct sgang_topologies *file, const char *path)
{
	for (size_t i = 0; i < there->n; i++) {
		const struct sgang_topology *topology = &there->topology[i];
		const struct sgang_topology *same =
			sgang_topologies_find(file, topology->name);

		if (!strcmp(same->name, topology->name) &&
		    differs(topology->fabric, same->fabric, path,
			    &r->elsewhere))
			return;
	}
}

/* What slurmctld has counts, unless gang.conf names another file. */
static struct sgang_topologies *read_both(struct reading *r, const char *path,
					  struct sgang_error *err)
{
	const struct source from_file = { .path = path },
			    from_live = { .live = &r->live };
	bool own_file = r->conf.topology_file[0];
	struct sgang_error other, other_partition;
	struct sgang_topologies *file, *there;

	there = read_all(r, &from_live,
			 own_file ? &other_partition : &r->partition_err,
			 own_file ? &other : err);
	file = read_all(r, &from_file,
			own_file ? &r->partition_err : &other_partition,
			there && !own_file ? &other : err);
	if (there && file)
		compare(r, there, file, path);
	sgang_topologies_destroy(own_file ? there : file);
	return own_file ? file : there;
}

/* The file, when it must be a copy for the process that begins. */
static char *path_to_read(const struct reading *r)
{
	char *path = topology_path(r);

	/* slurmctld's own is never older than a copy */
	if (path && r->kept && !r->live.text) {
		xfree(path);
		path = sgang_kept_path(SGANG_KEPT_TOPOLOGY);
	}
	return path;
}

static struct sgang_topologies *read_topologies(struct reading *r,
						struct sgang_error *err)
{
	struct source from = { NULL, NULL };
	struct sgang_topologies *all;
	char *path;

	if (!r->conf.placement)
		return flat(r, err);
	if (r->live.refuse && !r->conf.topology_file[0]) {
		(void)sgang_errf(
			err, EINVAL,
			"TopologyPlugin=%s: slurm-gang cannot place gangs on it, it knows topology/tree, topology/block and topology/flat",
			r->live.refuse);
		return NULL;
	}
	path = path_to_read(r);
	from.path = path;
	all = r->live.text ? read_both(r, path, err) :
			     read_all(r, &from, &r->partition_err, err);
	if (!all && r->kept && r->live.text) {
		/* Slurm takes what is a mistake for us */
		xfree(path);
		from.path = path = sgang_kept_path(SGANG_KEPT_TOPOLOGY);
		all = read_all(r, &from, &r->partition_err, err);
	}
	xfree(path);
	return all;
}

bool sgang_settings_fit_nodes(void)
{
	const struct sgang_fabric *fabric;
	char gap[16];

	if (!sgang_own.topologies)
		return false;
	fabric = sgang_own.topologies->topology->fabric;
	if (sgang_fabric_nodes(fabric) != (uint32_t)node_record_count)
		return false;
	for (int i = 0; i < node_record_count; i++) {
		if (strcmp(node_name(i, gap),
			   sgang_fabric_node_name(fabric, i)))
			return false;
	}
	return true;
}

/* slurmctld rebuilds its nodes twice in one reconfigure. */
static void complain(const char *what, const char *then)
{
	static char last[sizeof(struct sgang_error)];

	if (strcmp(what, last))
		sgang_log(SGANG_LOG_ERROR, "%s; %s", what, then);
	snprintf(last, sizeof(last), "%s", what);
}

static bool has_partition(const struct reading *r, const char *name)
{
	for (int i = 0; i < r->n_partitions; i++) {
		if (!strcmp(r->partitions[i].name, name))
			return true;
	}
	return false;
}

static void tell_unknown(const struct reading *r, const char *key,
			 const char *words)
{
	char partition[SGANG_TOPOLOGY_NAME], value[SGANG_TOPOLOGY_NAME];
	struct sgang_error what;

	for (size_t i = 0;
	     sgang_partition_words_get(words, i, partition, value); i++) {
		if (has_partition(r, partition))
			continue;
		sgang_errf(&what, ENOENT,
			   "%s in gang.conf: there is no partition %s", key,
			   partition);
		complain(what.text, "the rest of it counts");
	}
}

/* Once, until there is none any more. */
static void tell_elsewhere(const struct reading *r)
{
	static bool told;
	bool any = r->elsewhere.text[0];

	if (any && !told)
		sgang_log(SGANG_LOG_INFO, "%s; gangs are placed as %s",
			  r->elsewhere.text,
			  r->conf.topology_file[0] ?
				  "TopologyFile in gang.conf says" :
				  "slurmctld has it");
	told = any;
}

/* Each once, while it is so. */
static void tell_barred(const struct reading *r,
			const struct sgang_topologies *all)
{
	static char *told;
	char *now = NULL, *line;

	for (int i = 0; i < r->n_partitions; i++) {
		const char *why =
			sgang_topologies_barred(all, r->partitions[i].chosen);

		if (!why)
			continue;
		line = xstrdup_printf("partition %s: %s\n",
				      r->partitions[i].name, why);
		if (!xstrstr(told, line))
			sgang_log(SGANG_LOG_ERROR,
				  "partition %s: %s; gangs there are refused",
				  r->partitions[i].name, why);
		xstrcat(now, line);
		xfree(line);
	}
	xfree(told);
	told = now;
}

/* Nodes that are on two leaves: each sentence once, while it is so. */
static void tell_warnings(const struct sgang_topologies *all)
{
	static char *told;
	char *now = NULL;

	for (size_t i = 0; i < all->n; i++) {
		const char *what =
			sgang_fabric_warning(all->topology[i].fabric);

		if (!what)
			continue;
		if (!xstrstr(told, what))
			sgang_log(SGANG_LOG_ERROR, "%s", what);
		xstrfmtcat(now, "%s\n", what);
	}
	xfree(told);
	told = now;
}

static void tell_partitions(const struct reading *r,
			    const struct sgang_topologies *all)
{
	tell_warnings(all);
	tell_barred(r, all);
	if (r->partition_err.text[0])
		complain(r->partition_err.text,
			 "that partition has the topology of the cluster");
	tell_unknown(r, "PartitionTopology", r->conf.partition_topology);
	tell_unknown(r, "PartitionMaxWaitingTime",
		     r->conf.partition_max_waiting_time);
	tell_unknown(r, "PartitionPlaceholders",
		     r->conf.partition_placeholders);
	tell_unknown(r, "PartitionMaxExclusive",
		     r->conf.partition_max_exclusive);
}

/* If nothing was good before, a mistake means: stay out. Otherwise the last
 * good topologies stay, or if the nodes are others by now, what is known of
 * these. */
static struct sgang_topologies *after_mistake(const struct reading *r)
{
	const char *what = r->fabric_err.text;
	struct sgang_topologies *all;

	if (!sgang_own.configured) {
		sgang_settings_stay_out(what);
		return NULL;
	}
	if (sgang_settings_fit_nodes()) {
		complain(what, "the fabric stays as it was");
		return sgang_own.topologies;
	}
	complain(what, "the nodes have changed, so all count as one leaf");
	all = flat(r, NULL);
	if (!all)
		sgang_settings_stay_out("no memory for the fabric");
	return all;
}

/* ---- what is inside the nodes ---- */

static struct sgang_node_topos *read_topos(const struct reading *r,
					   struct sgang_error *err)
{
	char *path = get_extra_conf_path("gang.conf"), dir[SGANG_PATH];
	struct sgang_node_topos *topos = NULL;

	if (!sgang_path_folder(dir, path, err))
		topos = sgang_node_topos_load(&r->conf, dir,
					      (const char *const *)r->names,
					      r->n_nodes, err);
	xfree(path);
	return topos;
}

/* Needs no locks. Mistakes are kept for apply(). */
static void read_files(struct reading *r)
{
	if (read_conf(r->kept, &r->conf, &r->conf_err) < 0)
		sgang_conf_copy(&r->conf, &r->before);
	else
		r->conf_err.text[0] = '\0';
	r->partition_err.text[0] = '\0';
	r->topologies = read_topologies(r, &r->fabric_err);
	if (r->conf.placement)
		r->topos = read_topos(r, &r->topos_err);
}

/* A description that does not fit its node, and all nodes like that. */
struct misfit {
	struct sgang_error err;
	const char *first; /* name of one of them */
	uint32_t nodes;
};

static void note_misfit(struct misfit **list, size_t *n,
			const node_record_t *node_ptr,
			const struct sgang_error *err)
{
	size_t i = 0;

	while (i < *n && xstrcmp((*list)[i].err.text, err->text))
		i++;
	if (i == *n) {
		xrecalloc(*list, *n + 1, sizeof(**list));
		(*list)[(*n)++] = (struct misfit){ .err = *err,
						   .first = node_ptr->name };
	}
	(*list)[i].nodes++;
}

/* Each shape and cause once; slurmctld rebuilds its nodes twice in one
 * reconfigure. */
static void tell_misfits(const struct misfit *list, size_t n)
{
	static char *told;
	char *all = NULL;

	for (size_t i = 0; i < n; i++) {
		xstrfmtcat(all, "%s\n", list[i].err.text);
		if (xstrstr(told, list[i].err.text))
			continue;
		sgang_log(SGANG_LOG_ERROR,
			  "node %s and %u others count as one island each: %s",
			  list[i].first, list[i].nodes - 1, list[i].err.text);
	}
	xfree(told);
	told = all;
}

/* The inside of each node; NULL: one island, because nothing describes it or
 * the description is of another machine. Of the copies of the process before
 * this one nothing is told: the files may be right by now. The caller frees the
 * array. */
static const struct sgang_node_topo **
find_topo(const struct sgang_node_topos *topos, bool tell)
{
	const struct sgang_node_topo *const *described =
		sgang_node_topos_array(topos);
	const struct sgang_node_topo **topo = xcalloc(node_record_count + 1,
						      sizeof(*topo));
	struct misfit *misfits = NULL;
	node_record_t *node_ptr;
	size_t n = 0;

	for (int i = 0; (node_ptr = next_node(&i)); i++) {
		struct sgang_error err;

		if (!described[i])
			continue;
		if (!sgang_node_topo_fits(
			    described[i], node_ptr->tot_cores,
			    sgang_node_topo_gres(node_ptr->config_ptr->gres),
			    &err))
			topo[i] = described[i];
		else
			note_misfit(&misfits, &n, node_ptr, &err);
	}
	if (tell)
		tell_misfits(misfits, n);
	xfree(misfits);
	return topo;
}

/* Without memory every node is one island. */
static void look_inside(struct sgang_topologies *all,
			const struct sgang_node_topo *const *topo)
{
	uint32_t *islands = xcalloc(node_record_count + 1, sizeof(*islands));
	bool any = false;

	for (int i = 0; topo && i < node_record_count; i++) {
		islands[i] = topo[i] ? topo[i]->n_islands : 1;
		any |= islands[i] > 1;
	}
	(void)sgang_topologies_look_inside(all, any ? islands : NULL, NULL);
	xfree(islands);
}

/* The known inside of nodes. */
struct inside {
	struct sgang_node_topos *topos;
	const struct sgang_node_topo **topo; /* of these, by node */
};

/* A mistake means to stay out (false) if nothing was good before, as with the
 * fabric. Otherwise the last description stays, as long as the nodes are the
 * same. */
static bool find_inside(const struct reading *r, struct sgang_topologies *all,
			struct inside *in)
{
	*in = (struct inside){ .topos = r->topos };
	if (!r->conf.placement)
		return true;
	if (in->topos) {
		in->topo = find_topo(in->topos, !r->kept);
	} else if (!sgang_own.configured && !r->kept) {
		sgang_settings_stay_out(r->topos_err.text);
		return false;
	} else if (sgang_own.topos && sgang_settings_fit_nodes()) {
		complain(r->topos_err.text,
			 "what is inside nodes stays as it was");
		in->topos = sgang_own.topos;
		in->topo = sgang_own.topo;
	} else if (!r->kept) {
		complain(r->topos_err.text, "every node counts as one island");
	}
	look_inside(all, in->topo);
	return true;
}

/* The conductor takes the topologies. */
static void use(const struct sgang_conf *conf, struct sgang_topologies *all,
		const struct inside *in)
{
	const struct sgang_devices *devices = all->topology->devices;
	const struct sgang_node_topo **topo = sgang_own.topo;
	struct sgang_node_topos *before = sgang_own.topos;

	sgang_conductor_configure(sgang_own.conductor, all, conf);
	sgang_own.topologies = all;
	sgang_own.topos = in->topos;
	sgang_own.topo = in->topo;
	sgang_host_devices = devices;
	sgang_inside_set(devices, in->topo);
	if (topo != in->topo)
		xfree(topo);
	if (before != in->topos)
		sgang_node_topos_destroy(before);
}

static uint32_t described_inside(void)
{
	uint32_t nodes = 0;

	for (int i = 0; sgang_own.topo && i < node_record_count; i++)
		nodes += sgang_own.topo[i] != NULL;
	return nodes;
}

static void say_configured(void)
{
	const struct sgang_fabric *fabric =
		sgang_own.topologies->topology->fabric;
	const struct sgang_conf *conf = &sgang_own.conf;

	sgang_log(
		SGANG_LOG_INFO,
		"%u nodes in %u domains, gangs %s, placement %s, %u nodes described inside",
		sgang_fabric_nodes(fabric), sgang_fabric_domains(fabric),
		conf->gangs ? "on" : "off",
		!conf->placement ? "off" :
		conf->place_all  ? "of all jobs" :
				   "of gangs",
		described_inside());
	for (size_t i = 1; i < sgang_own.topologies->n; i++)
		sgang_log(
			SGANG_LOG_INFO,
			"%u domains in topology %s, which partitions have for themselves",
			sgang_fabric_domains(
				sgang_own.topologies->topology[i].fabric),
			sgang_own.topologies->topology[i].name);
}

/* NULL: there is none. */
static const char *mistake_of(const struct reading *r)
{
	if (r->conf_err.text[0])
		return r->conf_err.text;
	if (!r->topologies)
		return r->fabric_err.text;
	if (r->conf.placement && !r->topos)
		return r->topos_err.text;
	return NULL;
}

/* See note_live(). */
static bool names_others(const struct reading *r)
{
	return r->live.text &&
	       (strcmp(r->conf.topology_name, r->before.topology_name) ||
		strcmp(r->conf.partition_topology,
		       r->before.partition_topology));
}

/* With the locks, and while the nodes are those for which it was read. Takes
 * the contents of 'r'. */
static void apply(struct reading *r)
{
	struct sgang_topologies *all = r->topologies;
	struct inside in;

	if (r->conf_err.text[0] && !sgang_own.configured) {
		sgang_settings_stay_out(r->conf_err.text);
		goto fail;
	}
	if (r->conf_err.text[0])
		complain(r->conf_err.text, "the settings stay as they were");
	if (!all)
		all = after_mistake(r);
	if (!all || !find_inside(r, all, &in))
		goto fail;
	if (!r->kept) {
		tell_partitions(r, all);
		tell_elsewhere(r);
	}
	sgang_own.applied++;
	sgang_own.forward_only = false;
	sgang_own.configured = true;
	/* everybody can read what is in nodes */
	if (slurm_conf.private_data & PRIVATE_DATA_JOBS)
		r->conf.node_extra = false;
	use(&r->conf, all, &in);
	sgang_conf_free(&sgang_own.conf);
	sgang_conf_copy(&sgang_own.conf, &r->conf);
	sgang_own.node_stamp = r->stamp;
	atomic_store(&sgang_own.other_nodes, names_others(r));
	sgang_settings_tell(NULL, mistake_of(r));
	sgang_log_upto(sgang_own.conf.log_level == SGANG_CONF_LOG_ERROR ?
			       SGANG_LOG_ERROR :
		       sgang_own.conf.log_level == SGANG_CONF_LOG_DEBUG ?
			       SGANG_LOG_DEBUG :
			       SGANG_LOG_INFO);
	if (!r->kept)
		say_configured();
	sgang_conductor_poke(sgang_own.conductor);
	return;
fail:
	if (all != sgang_own.topologies)
		sgang_topologies_destroy(all);
	sgang_node_topos_destroy(r->topos);
}

/* Copy the good files for the process that reads them next. */
static void keep(const struct reading *r, bool good_fabric)
{
	char *path;

	if (!sgang_select_at_work(NULL))
		return;
	if (!r->conf_err.text[0]) {
		path = get_extra_conf_path("gang.conf");
		sgang_kept_copy(path, SGANG_KEPT_CONF);
		xfree(path);
	}
	path = topology_path(r);
	if (path && good_fabric)
		sgang_kept_copy(path, SGANG_KEPT_TOPOLOGY);
	xfree(path);
}

/* Read the copies of the process before this one (kept.h). Without them, as at
 * the first start, a mistake in a file means to stay out. */
static void restore(void)
{
	struct reading r;

	begin_reading(&r);
	r.kept = true;
	read_files(&r);
	if (!r.conf_err.text[0] && r.topologies) {
		apply(&r);
	} else {
		sgang_topologies_destroy(r.topologies);
		sgang_node_topos_destroy(r.topos);
	}
	end_reading(&r);
}

/* slurmctld has built its tables: nothing may look at them before this call. */
void sgang_settings_configure(void)
{
	struct reading r;
	bool good_fabric;

	if (!sgang_own.configured)
		restore();
	begin_reading(&r);
	read_files(&r);
	good_fabric = r.topologies;
	apply(&r);
	keep(&r, good_fabric);
	end_reading(&r);
}

/* Dynamic nodes have come or gone: read what the files say of them. The locks
 * are not held meanwhile. If the nodes change again, or a reconfigure has read
 * newer files, the result is discarded. */
void sgang_settings_read_again(void)
{
	struct reading r;
	bool used = false, good_fabric;

	if (!atomic_load(&sgang_own.other_nodes) || !sgang_host_slurm.lock())
		return;
	begin_reading(&r);
	sgang_host_slurm.unlock();
	read_files(&r);
	good_fabric = r.topologies;
	if (sgang_host_slurm.lock()) {
		used = still_holds(&r);
		if (used)
			apply(&r);
		sgang_host_slurm.unlock();
	}
	if (used) {
		keep(&r, good_fabric);
	} else {
		sgang_topologies_destroy(r.topologies);
		sgang_node_topos_destroy(r.topos);
	}
	end_reading(&r);
}
