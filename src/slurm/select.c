/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select.c - the select plugin, as Slurm calls it
 *
 * The file is installed as select_cons_tres.so in a directory that PluginDir
 * names before Slurm's own. It carries the type and id of the stock plugin of
 * that name, loads that one and forwards every call to it. Its own are
 * select_p_job_test(), where nodes are chosen and members of gangs are kept
 * back, and a thread in slurmctld, the conductor. Whatever goes wrong with our
 * own files, the stock plugin goes on alone.
 */

#define _GNU_SOURCE	/* dladdr() */

#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "release.h"

#include "core/conf.h"
#include "core/fabric.h"
#include "core/spec.h"
#include "core/text_file.h"
#include "files/fabric_file.h"
#include "files/node_topos.h"
#include "glue.h"
#include "inside.h"
#include "kept.h"
#include "layout.h"
#include "plugins/log.h"
#include "plugins/select/conductor.h"
#include "plugins/select/placer.h"

/* When this slurmctld took control; 0 on standby. No header declares it. */
extern time_t control_time;

/* Slurm looks the entry points up by name; no header declares them. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#pragma weak control_time
#pragma weak job_list
#pragma weak node_record_count
#pragma weak node_record_table_ptr
#pragma weak slurm_conf

const char plugin_name[] = SGANG_BUILT_FOR ", over cons_tres";
const char plugin_type[] = "select/cons_tres";
const uint32_t plugin_id = SELECT_PLUGIN_CONS_TRES;
const uint32_t plugin_version = SLURM_VERSION_NUMBER;
const uint32_t pstate_version = 7;

/* ---- the stock plugin ---- */

/* Calls that are noticed on their way. */
#define SEEN(CALL) \
	CALL(int, node_init, (void), ()) \
	CALL(int, job_test, (job_record_t *job_ptr, bitstr_t *node_bitmap, \
	     uint32_t min_nodes, uint32_t max_nodes, uint32_t req_nodes, \
	     uint16_t mode, list_t *candidates, list_t **victims, \
	     RELEASE_REST_PARAMETERS), ) \
	CALL(int, job_begin, (job_record_t *job_ptr), (job_ptr)) \
	CALL(int, job_fini, (job_record_t *job_ptr), (job_ptr)) \
	CALL(int, job_expand, (job_record_t *from, job_record_t *to), \
	     (from, to)) \
	CALL(int, job_resized, (job_record_t *job_ptr, \
	     node_record_t *node_ptr), (job_ptr, node_ptr)) \
	CALL(int, job_suspend, (job_record_t *job_ptr, bool indefinite), \
	     (job_ptr, indefinite)) \
	CALL(int, reconfigure, (void), ())

#define POINTER(type, name, parameters, arguments) type (*name) parameters;
#define NAME(type, name, parameters, arguments) "select_p_" #name,
#define PASS(type, name, parameters, arguments) \
	extern type select_p_##name parameters \
	{ \
		return stock.name arguments; \
	}

static struct stock {
	SEEN(POINTER)
	RELEASE_PASSED(POINTER)
} stock;

static const char *const stock_names[] = { SEEN(NAME) RELEASE_PASSED(NAME) };
#define STOCK_CALLS (sizeof(stock_names) / sizeof(stock_names[0]))
_Static_assert(sizeof(struct stock) == STOCK_CALLS * sizeof(void *),
	       "one name per call");

static int same_file(const char *path, const struct stat *mine)
{
	struct stat st;

	return !stat(path, &st) && st.st_dev == mine->st_dev &&
	       st.st_ino == mine->st_ino;
}

/* Slurm's own loader is not exported to programs that link libslurm, and they
 * load us too. The checks are the same: the version must match, every call be
 * there. */
static int load_stock_file(const char *path)
{
	void *file = dlopen(path, RTLD_LAZY), **call = (void **) &stock;
	const uint32_t *version;
	int (*start)(void);

	if (!file)
		return SLURM_ERROR;
	version = dlsym(file, "plugin_version");
	start = (int (*)(void)) dlsym(file, "init");
	if (!version || *version != SLURM_VERSION_NUMBER || !start)
		goto fail;
	for (size_t i = 0; i < STOCK_CALLS; i++) {
		call[i] = dlsym(file, stock_names[i]);
		if (!call[i])
			goto fail;
	}
	if (start() == SLURM_SUCCESS)
		return SLURM_SUCCESS;
fail:
	dlclose(file);
	return SLURM_ERROR;
}

/* Load the next select_cons_tres.so of PluginDir that is not this file. */
static int load_stock(void)
{
	char *dirs = xstrdup(slurm_conf.plugindir), *save = NULL, *dir;
	struct stat mine;
	Dl_info me;
	int rc = SLURM_ERROR;

	if (!dladdr(&stock, &me) || stat(me.dli_fname, &mine))
		goto out;
	for (dir = strtok_r(dirs, ":", &save); dir && rc != SLURM_SUCCESS;
	     dir = strtok_r(NULL, ":", &save)) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/select_cons_tres.so", dir);
		if (!access(path, R_OK) && !same_file(path, &mine))
			rc = load_stock_file(path);
	}
out:
	xfree(dirs);
	return rc;
}

/* ---- our own state, in slurmctld only ---- */

/* What sgang conf is to be told. */
struct settings {
	char *path;			/* of the file it goes to */
	char *text;
};

static struct {
	bool controller;		/* this is slurmctld */
	bool forward_only;		/* something is wrong: stay out */
	bool configured;		/* conf and fabric have been read once */
	bool wrong_layout;		/* no settings can repair that */
	atomic_bool other_nodes;	/* than those the files were read for */
	unsigned int applied;		/* how often that was done */
	struct sgang_conf conf;
	struct sgang_fabric *fabric;	/* the conductor owns it, */
	struct sgang_devices *devices;	/* and this */
	struct sgang_node_topos *topos;	/* what is inside the nodes, */
	const struct sgang_node_topo **topo;	/* where that fits them */
	struct sgang_conductor *conductor;
	pthread_t thread;
	_Atomic(struct settings *) settings;	/* to be written by the thread */
} own;

/* What backfill last offered to which job, on this thread: when it then starts
 * that job, the gang must keep to what backfill has not reserved for others. */
static __thread struct {
	uint32_t job_id;
	struct sgang_nodeset *nodes;
} offered;
/* Frees offered.nodes when a thread ends: a user's --test-only has its own. */
static pthread_key_t offered_key;

static void free_offered(void *nodes)
{
	sgang_nodeset_destroy(nodes);
}

/* ---- what sgang conf is told ---- */

static void free_settings(struct settings *settings)
{
	if (!settings)
		return;
	xfree(settings->path);
	free(settings->text);
	xfree(settings);
}

/* Returns a string for free(), or NULL without memory. 'off' and 'mistake' are
 * NULL if there is nothing to say. */
static char *settings_text(const char *off, const char *mistake)
{
	char *path = get_extra_conf_path("gang.conf"), *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (out) {
		fprintf(out, "# file=%s\n# since=%" PRIdMAX "\n", path,
			(intmax_t) time(NULL));
		if (mistake)
			fprintf(out, "# mistake=%s\n", mistake);
		if (off)
			fprintf(out, "# off=%s\n", off);
		else
			sgang_conf_print_sources(&own.conf, path, out);
		if (fclose(out)) {
			free(text);
			text = NULL;
		}
	}
	xfree(path);
	return text;
}

/* Have the conductor's thread write it: here slurmctld's locks are held. */
static void tell_settings(const char *off, const char *mistake)
{
	struct settings *settings;
	char *text;

	if (!own.conductor)
		return;
	text = settings_text(off, mistake);
	if (!text)
		return;
	settings = xmalloc(sizeof(*settings));
	settings->text = text;
	settings->path = xstrdup_printf("%s/" SGANG_CONF_IN_FORCE,
					slurm_conf.state_save_location);
	free_settings(atomic_exchange(&own.settings, settings));
	sgang_conductor_poke(own.conductor);
}

/* No locks are held. */
static void write_settings(void)
{
	struct settings *settings = atomic_exchange(&own.settings, NULL);
	struct sgang_error err;

	if (settings && sgang_text_file_write(settings->path, settings->text,
					      &err) < 0)
		sgang_log(SGANG_LOG_ERROR, "%s", err.text);
	free_settings(settings);
}

static void stay_out(const char *why)
{
	if (!own.forward_only)
		sgang_log(SGANG_LOG_ERROR,
			  "%s; gangs and placement are off, jobs are scheduled by Slurm alone",
			  why);
	tell_settings(why, NULL);
	own.forward_only = true;
}

/* ---- layout self-test ---- */

/* For good: no settings can repair that. */
static bool records_fit(const char *wrong)
{
	char why[128];

	if (!wrong)
		return true;
	own.wrong_layout = true;
	snprintf(why, sizeof(why),
		 "slurmctld's %s are not laid out as in the headers this was built with",
		 wrong);
	stay_out(why);
	return false;
}

/* Else nothing may be looked at in the job's record; the first that comes
 * shows whether it may. */
static bool is_at_work(job_record_t *job_ptr)
{
	return own.controller && own.configured && !own.forward_only &&
	       records_fit(sgang_layout_jobs(job_ptr));
}

bool sgang_host_admitted(struct job_record *first)
{
	return is_at_work(first);
}

/* ---- settings and fabric ---- */

/* What is read from files, and what the files are read for. The nodes are those
 * of the moment at which it was begun. */
struct reading {
	unsigned int after;		/* own.applied when it was begun */
	char **names;			/* of the nodes */
	int n_nodes;
	bool plain;			/* Slurm reads a topology.conf */
	bool kept;			/* of the copies in kept.h */
	struct sgang_conf before;	/* the settings until now */
	struct sgang_conf conf;
	struct sgang_error conf_err, fabric_err, topos_err;
	struct sgang_fabric *fabric;	/* NULL: see fabric_err */
	struct sgang_node_topos *topos;	/* NULL: none, or see topos_err */
};

/* The name of a node, or of a gap that dynamic nodes may fill, for which there is
 * room in 'gap'. */
static const char *node_name(int node, char gap[16])
{
	if (node_record_table_ptr[node])
		return node_record_table_ptr[node]->name;
	snprintf(gap, 16, "#%d", node);
	return gap;
}

/* With the locks. */
static void begin_reading(struct reading *r)
{
	char gap[16];

	*r = (struct reading) {
		.after = own.applied, .n_nodes = node_record_count
	};
	r->names = xcalloc(r->n_nodes + 1, sizeof(char *));
	for (int i = 0; i < r->n_nodes; i++)
		r->names[i] = xstrdup(node_name(i, gap));
	r->plain = xstrstr(slurm_conf.topology_plugin, "tree") ||
		   xstrstr(slurm_conf.topology_plugin, "block");
	sgang_conf_copy(&r->before, &own.conf);
}

static void end_reading(struct reading *r)
{
	for (int i = 0; i < r->n_nodes; i++)
		xfree(r->names[i]);
	xfree(r->names);
	sgang_conf_free(&r->before);
	sgang_conf_free(&r->conf);
}

/* With the locks: are the nodes still those, and has nobody read since? */
static bool still_holds(const struct reading *r)
{
	char gap[16];

	if (r->after != own.applied || r->n_nodes != node_record_count)
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

/* The nodes as they are, on one leaf. */
static struct sgang_fabric *flat_fabric(const struct reading *r,
					struct sgang_error *err)
{
	return sgang_fabric_flat((const char *const *) r->names, r->n_nodes,
				 err);
}

/* What Slurm itself reads: where there is a topology.yaml, that alone. */
static char *slurm_topology_path(const struct reading *r)
{
	char *path = RELEASE_TOPOLOGY_YAML ?
		     get_extra_conf_path("topology.yaml") : NULL;

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

static struct sgang_fabric *read_fabric(const struct reading *r,
					struct sgang_error *err)
{
	char *path = topology_path(r);
	struct sgang_fabric *fabric;

	if (!r->conf.placement)
		return flat_fabric(r, err);
	if (path && r->kept) {
		xfree(path);
		path = sgang_kept_path(SGANG_KEPT_TOPOLOGY);
	}
	fabric = sgang_fabric_load_file(&r->conf, path,
					(const char *const *) r->names,
					r->n_nodes, err);
	xfree(path);
	return fabric;
}

static bool same_nodes(const struct sgang_fabric *fabric)
{
	char gap[16];

	if (!fabric ||
	    sgang_fabric_nodes(fabric) != (uint32_t) node_record_count)
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

/* At start a mistake means: stay out. Later it means: what was good stays, or
 * if the nodes are others by now, what is known of them holds. */
static struct sgang_fabric *fabric_after_mistake(const struct reading *r)
{
	const char *what = r->fabric_err.text;
	struct sgang_fabric *flat;

	if (!own.configured) {
		stay_out(what);
		return NULL;
	}
	if (same_nodes(own.fabric)) {
		complain(what, "the fabric stays as it was");
		return own.fabric;
	}
	complain(what, "the nodes have changed, so all count as one leaf");
	flat = flat_fabric(r, NULL);
	if (!flat)
		stay_out("no memory for the fabric");
	return flat;
}

/* ---- what is inside the nodes ---- */

/* The folder of gang.conf. */
static char *conf_dir(void)
{
	char *path = get_extra_conf_path("gang.conf");
	char *slash = strrchr(path, '/');

	if (slash)
		*slash = '\0';
	return path;
}

static struct sgang_node_topos *read_topos(const struct reading *r,
					   struct sgang_error *err)
{
	char *dir = conf_dir();
	struct sgang_node_topos *topos =
		sgang_node_topos_load(&r->conf, dir,
				      (const char *const *) r->names,
				      r->n_nodes, err);

	xfree(dir);
	return topos;
}

/* Needs no locks. Mistakes are kept for apply(). */
static void read_files(struct reading *r)
{
	if (read_conf(r->kept, &r->conf, &r->conf_err) < 0)
		sgang_conf_copy(&r->conf, &r->before);
	else
		r->conf_err.text[0] = '\0';
	r->fabric = read_fabric(r, &r->fabric_err);
	if (r->conf.placement)
		r->topos = read_topos(r, &r->topos_err);
}

/* A description that does not fit its node, and all nodes like that. */
struct misfit {
	struct sgang_error err;
	const char *first;		/* name of one of them */
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
		(*list)[(*n)++] = (struct misfit) { .err = *err,
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

/* What is inside each node; NULL: one island, since nothing describes it or what
 * does is of another machine. The caller frees the array. */
static const struct sgang_node_topo **
find_topo(const struct sgang_node_topos *topos)
{
	const struct sgang_node_topo *const *described =
		sgang_node_topos_array(topos);
	const struct sgang_node_topo **topo =
		xcalloc(node_record_count + 1, sizeof(*topo));
	struct misfit *misfits = NULL;
	node_record_t *node_ptr;
	size_t n = 0;

	for (int i = 0; (node_ptr = next_node(&i)); i++) {
		struct sgang_error err;

		if (!described[i])
			continue;
		if (!sgang_node_topo_fits(described[i], node_ptr->tot_cores,
					  sgang_node_topo_gres(
						node_ptr->config_ptr->gres),
					  &err))
			topo[i] = described[i];
		else
			note_misfit(&misfits, &n, node_ptr, &err);
	}
	tell_misfits(misfits, n);
	xfree(misfits);
	return topo;
}

/* NULL when every node is one island, or there is no memory. */
static struct sgang_devices *
find_devices(const struct sgang_fabric *fabric,
	     const struct sgang_node_topo *const *topo)
{
	uint32_t *islands = xcalloc(node_record_count + 1, sizeof(*islands));
	struct sgang_devices *devices = NULL;
	bool any = false;

	for (int i = 0; i < node_record_count; i++) {
		islands[i] = topo[i] ? topo[i]->n_islands : 1;
		any |= islands[i] > 1;
	}
	if (any)
		devices = sgang_devices_create(fabric, islands, NULL);
	xfree(islands);
	return devices;
}

/* What is known of the inside of nodes. */
struct inside {
	struct sgang_node_topos *topos;
	const struct sgang_node_topo **topo;	/* of these, by node */
	struct sgang_devices *devices;
};

/* As with the fabric: a mistake at start means to stay out (false), later that
 * what was good stays, as long as the nodes are the same. */
static bool find_inside(const struct reading *r,
			const struct sgang_fabric *fabric, struct inside *in)
{
	*in = (struct inside) { .topos = r->topos };
	if (!r->conf.placement)
		return true;
	if (in->topos) {
		in->topo = find_topo(in->topos);
		in->devices = find_devices(fabric, in->topo);
	} else if (!own.configured && !r->kept) {
		stay_out(r->topos_err.text);
		return false;
	} else if (own.topos && same_nodes(own.fabric)) {
		complain(r->topos_err.text,
			 "what is inside nodes stays as it was");
		in->topos = own.topos;
		in->topo = own.topo;
		in->devices = (fabric == own.fabric) ? own.devices :
			      find_devices(fabric, own.topo);
	} else {
		complain(r->topos_err.text,
			 "every node counts as one island");
	}
	return true;
}

/* The conductor takes the fabric and the devices. */
static void use(const struct sgang_conf *conf, struct sgang_fabric *fabric,
		const struct inside *in)
{
	const struct sgang_node_topo **topo = own.topo;
	struct sgang_node_topos *before = own.topos;

	sgang_conductor_configure(own.conductor, fabric, in->devices, conf);
	own.fabric = fabric;
	own.devices = in->devices;
	own.topos = in->topos;
	own.topo = in->topo;
	sgang_host_devices = in->devices;
	sgang_inside_set(in->devices, in->topo);
	if (topo != in->topo)
		xfree(topo);
	if (before != in->topos)
		sgang_node_topos_destroy(before);
}

static uint32_t described_inside(void)
{
	uint32_t nodes = 0;

	for (int i = 0; own.topo && i < node_record_count; i++)
		nodes += own.topo[i] != NULL;
	return nodes;
}

static void say_configured(void)
{
	const struct sgang_conf *conf = &own.conf;

	sgang_log(SGANG_LOG_INFO,
		  "%u nodes in %u domains, gangs %s, placement %s, %u nodes described inside",
		  sgang_fabric_nodes(own.fabric),
		  sgang_fabric_domains(own.fabric), conf->gangs ? "on" : "off",
		  !conf->placement ? "off" : conf->place_all ? "of all jobs" :
		  "of gangs",
		  described_inside());
}

/* With the locks, and while the nodes are those for which it was read. Takes
 * what was read. */
static void apply(struct reading *r)
{
	struct sgang_fabric *fabric = r->fabric;
	struct inside in;

	if (r->conf_err.text[0] && !own.configured) {
		stay_out(r->conf_err.text);
		goto fail;
	}
	if (r->conf_err.text[0])
		complain(r->conf_err.text, "the settings stay as they were");
	if (!fabric)
		fabric = fabric_after_mistake(r);
	if (!fabric || !find_inside(r, fabric, &in))
		goto fail;
	own.applied++;
	own.forward_only = false;
	own.configured = true;
	use(&r->conf, fabric, &in);
	sgang_conf_free(&own.conf);
	sgang_conf_copy(&own.conf, &r->conf);
	atomic_store(&own.other_nodes, false);
	tell_settings(NULL, r->conf_err.text[0] ? r->conf_err.text : NULL);
	sgang_log_upto(own.conf.log_level == SGANG_CONF_LOG_ERROR ?
		       SGANG_LOG_ERROR :
		       own.conf.log_level == SGANG_CONF_LOG_DEBUG ?
		       SGANG_LOG_DEBUG : SGANG_LOG_INFO);
	if (!r->kept)
		say_configured();
	sgang_conductor_poke(own.conductor);
	return;
fail:
	if (fabric != own.fabric)
		sgang_fabric_destroy(fabric);
	sgang_node_topos_destroy(r->topos);
}

/* For the process that reads the files next, what of these was good. */
static void keep(const struct reading *r, bool good_fabric)
{
	char *path;

	if (!RELEASE_REREAD_BY_EXEC || !is_at_work(NULL))
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

/* What the process before this one had read. If that is no longer to be had,
 * this is a start like any other. */
static void restore(void)
{
	struct reading r;

	begin_reading(&r);
	r.kept = true;
	read_files(&r);
	if (!r.conf_err.text[0] && r.fabric) {
		apply(&r);
	} else {
		sgang_fabric_destroy(r.fabric);
		sgang_node_topos_destroy(r.topos);
	}
	end_reading(&r);
}

/* slurmctld has built its tables, and nobody may look at them before we have. */
static void configure(void)
{
	struct reading r;
	bool good_fabric;

	if (release_is_reread() && !own.configured)
		restore();
	begin_reading(&r);
	read_files(&r);
	good_fabric = r.fabric;
	apply(&r);
	keep(&r, good_fabric);
	end_reading(&r);
}

/* Dynamic nodes have come or gone: read what the files say of them. The locks are
 * not held meanwhile; if the nodes change again, or a reconfigure has read newer
 * files, what was read is for nobody. */
static void read_again(void)
{
	struct reading r;
	bool used = false, good_fabric;

	if (!atomic_load(&own.other_nodes) || !sgang_host_slurm.lock())
		return;
	begin_reading(&r);
	sgang_host_slurm.unlock();
	read_files(&r);
	good_fabric = r.fabric;
	if (sgang_host_slurm.lock()) {
		used = still_holds(&r);
		if (used)
			apply(&r);
		sgang_host_slurm.unlock();
	}
	if (used) {
		keep(&r, good_fabric);
	} else {
		sgang_fabric_destroy(r.fabric);
		sgang_node_topos_destroy(r.topos);
	}
	end_reading(&r);
}

/* ---- the conductor's thread ---- */

/* While we stay out a poke must not stand, or the wait would return at once;
 * but configure() may have poked just now. */
static bool may_conduct(void)
{
	if (!own.forward_only && own.configured)
		return true;
	sgang_conductor_ignore(own.conductor);
	if (own.forward_only || !own.configured)
		return false;
	sgang_conductor_poke(own.conductor);
	return true;
}

static void *conduct(void *arg)
{
	(void) arg;
	/* A backup controller that gives back control goes on as a process and
	 * may take over again: the thread ends with the process alone. */
	for (;;) {
		sgang_conductor_wait(own.conductor);
		write_settings();
		if (control_time)
			atomic_store(&sgang_host_fresh, false);
		if (may_conduct())
			read_again();
		if (!may_conduct())
			continue;
		/* No gang is placed on nodes that nobody has looked up. Whoever
		 * does pokes; until then the poke must not stand. */
		if (atomic_load(&own.other_nodes))
			sgang_conductor_ignore(own.conductor);
		else
			sgang_conductor_pass(own.conductor);
	}
	return NULL;
}

static int start_thread(void)
{
	sigset_t all, before;
	int rc;

	/* Signals are slurmctld's signal thread's business. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&own.thread, NULL, conduct, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!rc)
		pthread_detach(own.thread);
	return rc;
}

/* ---- plugin ---- */

extern int init(void)
{
	if (load_stock() != SLURM_SUCCESS) {
		error("gang: PluginDir=%s has no stock select_cons_tres.so that can be loaded",
		      slurm_conf.plugindir);
		return SLURM_ERROR;
	}
	sgang_host_refresh = stock.select_nodeinfo_set_all;
	own.controller = running_in_slurmctld();
	if (!own.controller)
		return SLURM_SUCCESS;
	pthread_key_create(&offered_key, free_offered);
	own.conductor = sgang_conductor_create(&sgang_host_slurm);
	if (!own.conductor)
		stay_out("no memory");
	else if (start_thread())
		stay_out("the conductor's thread cannot be started");
	else
		info("gang: " SGANG_BUILT_FOR);
	return SLURM_SUCCESS;
}

/* slurmctld does not call this when it ends, and the thread may be anywhere. */
extern int fini(void)
{
	return SLURM_SUCCESS;
}

/* ---- job_test ---- */

static struct sgang_nodeset *nodes_of(const bitstr_t *bitmap)
{
	struct sgang_nodeset *nodes = sgang_nodeset_create(node_record_count);
	bitstr_t *map = (bitstr_t *) bitmap;
	bitoff_t first = bit_ffs(map), last;

	if (!nodes || first < 0)
		return nodes;
	last = bit_fls(map);
	for (bitoff_t i = first; i <= last; i++) {
		if (bit_test(map, i))
			sgang_nodeset_add(nodes, i);
	}
	return nodes;
}

static void keep_nodes(bitstr_t *bitmap, const struct sgang_nodeset *nodes)
{
	bitoff_t first = bit_ffs(bitmap), last;

	if (first < 0)
		return;
	last = bit_fls(bitmap);
	for (bitoff_t i = first; i <= last; i++) {
		if (bit_test(bitmap, i) && !sgang_nodeset_has(nodes, i))
			bit_clear(bitmap, i);
	}
}

/* The arguments of one select_p_job_test(). */
struct job_test {
	job_record_t *job_ptr;
	bitstr_t *node_bitmap;
	uint32_t min_nodes, max_nodes, req_nodes;
	uint16_t mode;
	list_t *preemptee_candidates;
	list_t **preemptee_job_list;
	release_rest_t rest;
};

/* What the job says of its gang; false when it is no member. */
static bool is_member(job_record_t *job_ptr, struct sgang_spec *spec)
{
	return own.conf.gangs && sgang_host_concerns(job_ptr) &&
	       sgang_spec_of_job(spec, job_ptr->spank_job_env,
				 job_ptr->spank_job_env_size,
				 sgang_host_user(job_ptr), NULL) == 1;
}

static int ask_with_victims(const struct job_test *t, list_t *candidates)
{
	return stock.job_test(t->job_ptr, t->node_bitmap, t->min_nodes,
			      t->max_nodes, t->req_nodes, t->mode, candidates,
			      t->preemptee_job_list,
			      RELEASE_REST_ARGUMENTS(&t->rest));
}

/* The candidates that are no members of a gang; NULL if all are such, or none
 * is. */
static list_t *victims_without_gangs(list_t *candidates)
{
	list_itr_t *iter = list_iterator_create(candidates);
	list_t *others = list_create(NULL);
	job_record_t *job_ptr;

	while ((job_ptr = list_next(iter))) {
		struct sgang_spec spec;

		if (!is_member(job_ptr, &spec))
			list_append(others, job_ptr);
	}
	list_iterator_destroy(iter);
	if (!list_count(others) ||
	    list_count(others) == list_count(candidates))
		FREE_NULL_LIST(others);
	return others;
}

/* A member that is preempted leaves the rest of its gang with nothing to do, so
 * members are victims where no others will do. */
static int ask_stock(const struct job_test *t)
{
	bitstr_t *nodes;
	list_t *others;
	time_t start;
	int rc;

	others = t->preemptee_candidates ?
		 victims_without_gangs(t->preemptee_candidates) : NULL;
	if (!others)
		return ask_with_victims(t, t->preemptee_candidates);
	nodes = bit_copy(t->node_bitmap);
	start = t->job_ptr->start_time;
	rc = ask_with_victims(t, others);
	FREE_NULL_LIST(others);
	if (rc != SLURM_SUCCESS ||
	    ((t->mode & SELECT_MODE_BASE) == SELECT_MODE_WILL_RUN &&
	     t->job_ptr->start_time > time(NULL))) {
		bit_copybits(t->node_bitmap, nodes);
		t->job_ptr->start_time = start;
		if (t->preemptee_job_list)
			FREE_NULL_LIST(*t->preemptee_job_list);
		rc = ask_with_victims(t, t->preemptee_candidates);
	}
	FREE_NULL_BITMAP(nodes);
	return rc;
}

/* When the job would reach its time limit if it started now. */
static int64_t end_if_now(const job_record_t *job_ptr)
{
	uint32_t limit = job_ptr->time_limit;

	if (limit == NO_VAL)
		limit = job_ptr->part_ptr->max_time;
	return (limit == INFINITE) ? INT64_MAX :
				     time(NULL) + (int64_t) limit * 60;
}

/* Keep the job off the nodes on which a gang before it starts while it would
 * run. Returns 0, or when that gang starts. */
static int64_t keep_off(const struct job_test *t, const struct sgang_spec *spec)
{
	struct sgang_standing standing;
	struct sgang_nodeset *nodes;
	int64_t when = 0;

	if (!sgang_conductor_reserves(own.conductor) || !t->job_ptr->part_ptr)
		return 0;
	standing.tier = t->job_ptr->part_ptr->priority_tier;
	standing.priority = t->job_ptr->priority;
	standing.job_id = t->job_ptr->array_job_id ?
			  t->job_ptr->array_job_id : t->job_ptr->job_id;
	nodes = nodes_of(t->node_bitmap);
	if (nodes)
		when = sgang_conductor_keep(own.conductor, &standing, spec,
					    end_if_now(t->job_ptr), nodes);
	if (when)
		keep_nodes(t->node_bitmap, nodes);
	sgang_nodeset_destroy(nodes);
	return when;
}

/* The conductor asks which nodes the job could have. TEST_ONLY must not fail,
 * or the job would be held for ever. */
static int test_for_probe(const struct job_test *t)
{
	bool now = (t->mode & SELECT_MODE_BASE) == SELECT_MODE_RUN_NOW;
	bitstr_t *req = t->job_ptr->details->req_node_bitmap;
	struct sgang_nodeset *nodes, *only;
	struct sgang_spec spec;

	/* Not what a gang before it waits for. */
	if (now && is_member(t->job_ptr, &spec))
		(void) keep_off(t, &spec);
	nodes = nodes_of(t->node_bitmap);

	/* What the user requires is all there is to choose from. */
	if (nodes && req && (uint32_t) bit_set_count(req) >= t->min_nodes) {
		only = nodes_of(req);
		if (only)
			sgang_nodeset_and(nodes, only);
		sgang_nodeset_destroy(only);
	}
	if (nodes) {
		if (now)
			sgang_nodeset_or(sgang_job_test.usable, nodes);
		sgang_nodeset_or(sgang_job_test.ever, nodes);
		sgang_host_shape(t->job_ptr, t->min_nodes, t->max_nodes,
				 t->req_nodes, sgang_job_test.shape);
		sgang_job_test.asked = true;
	}
	sgang_nodeset_destroy(nodes);
	return now ? SLURM_ERROR : SLURM_SUCCESS;
}

/* Only the cores of the planned islands, and only GPUs that are near to them. */
static int ask_confined(const struct job_test *t)
{
	struct job_test inside = *t;
	bool bound = t->job_ptr->bit_flags & GRES_ENFORCE_BIND;
	int rc;

	inside.rest = release_exclude(&t->rest, sgang_inside_others(
		sgang_job_test.confine, sgang_job_test.islands));
	if (t->job_ptr->gres_list_req)
		t->job_ptr->bit_flags |= GRES_ENFORCE_BIND;
	rc = ask_stock(&inside);
	if (!bound)
		t->job_ptr->bit_flags &= ~GRES_ENFORCE_BIND;
	release_free_excluded(&inside.rest);
	return rc;
}

/* A gang has no victims: they would be killed for one member, before it is
 * known whether the others can start. */
static int test_for_commit(const struct job_test *t)
{
	struct job_test alone = *t;
	int rc;

	if ((t->mode & SELECT_MODE_BASE) != SELECT_MODE_RUN_NOW)
		return SLURM_SUCCESS;
	keep_nodes(t->node_bitmap, sgang_job_test.confine);
	if ((uint32_t) bit_set_count(t->node_bitmap) < t->min_nodes)
		return SLURM_ERROR;
	alone.preemptee_candidates = NULL;
	rc = sgang_job_test.islands ? ask_confined(&alone) : ask_stock(&alone);
	if (rc == SLURM_SUCCESS)
		release_set_flag(t->job_ptr, JOB_CONFIGURING);
	return rc;
}

/* Let the stock plugin choose, but from the nodes we would take; if it cannot,
 * from all. */
static int test_placed(const struct job_test *t)
{
	struct sgang_nodeset *usable = NULL, *chosen = NULL;
	struct job_test confined = *t;
	struct sgang_shape shape;
	time_t start = t->job_ptr->start_time;
	int rc = SLURM_ERROR;

	sgang_host_shape(t->job_ptr, t->min_nodes, t->max_nodes, t->req_nodes,
			 &shape);
	if (!sgang_placer_concerns(own.fabric, &shape) ||
	    t->job_ptr->details->req_node_bitmap ||
	    t->job_ptr->details->contiguous || t->job_ptr->req_switch)
		return ask_stock(t);
	usable = nodes_of(t->node_bitmap);
	chosen = sgang_nodeset_create(node_record_count);
	if (!usable || !chosen)
		goto out;
	if (!shape.whole)
		(void) stock.select_nodeinfo_set_all();
	if (!sgang_placer_choose(&sgang_host_slurm, own.fabric, &own.conf,
				 (struct sgang_job *) t->job_ptr, &shape,
				 usable, chosen))
		goto out;
	/* Nobody is preempted on these nodes while others may be free. */
	confined.preemptee_candidates = NULL;
	confined.node_bitmap = bit_copy(t->node_bitmap);
	keep_nodes(confined.node_bitmap, chosen);
	rc = ask_stock(&confined);
	/* A start later than now is not what was planned for. */
	if (rc == SLURM_SUCCESS &&
	    (t->mode & SELECT_MODE_BASE) == SELECT_MODE_WILL_RUN &&
	    t->job_ptr->start_time > time(NULL))
		rc = SLURM_ERROR;
	if (rc == SLURM_SUCCESS)
		bit_copybits(t->node_bitmap, confined.node_bitmap);
	FREE_NULL_BITMAP(confined.node_bitmap);
out:
	sgang_nodeset_destroy(usable);
	sgang_nodeset_destroy(chosen);
	if (rc == SLURM_SUCCESS)
		return rc;
	t->job_ptr->start_time = start;
	if (t->preemptee_job_list)
		FREE_NULL_LIST(*t->preemptee_job_list);
	return ask_stock(t);
}

static bool wants_place(const job_record_t *job_ptr)
{
	return own.conf.placement &&
	       (own.conf.place_all || sgang_host_concerns(job_ptr));
}

/* May the member not start by itself? */
static bool kept_for_gang(const struct job_test *t,
			  const struct sgang_spec *spec)
{
	job_record_t *job_ptr = t->job_ptr;
	bool reserving = offered.job_id == job_ptr->job_id && offered.nodes &&
			 sgang_nodeset_size(offered.nodes) ==
			 (uint32_t) node_record_count;
	struct sgang_nodeset *nodes = NULL;
	enum sgang_turn turn;

	if (!reserving) {
		nodes = nodes_of(t->node_bitmap);
		if (!nodes)
			return true;
	}
	turn = sgang_conductor_turn(own.conductor, spec, job_ptr->priority,
				    reserving ? offered.nodes : nodes,
				    reserving);
	sgang_nodeset_destroy(nodes);
	return turn == SGANG_TURN_TAKEN;
}

/* Keep the job off the nodes of a gang whose turn has come. */
static void fence_off(const struct job_test *t)
{
	struct sgang_nodeset *nodes;

	if (!sgang_conductor_has_turns(own.conductor))
		return;
	nodes = nodes_of(t->node_bitmap);
	if (nodes && sgang_conductor_fence(own.conductor,
					   t->job_ptr->priority, nodes))
		keep_nodes(t->node_bitmap, nodes);
	sgang_nodeset_destroy(nodes);
}

/* A member whose gang has started keeps to what the gang asks of the levels.
 * False: its gang has not. */
static bool keep_late(const struct job_test *t, const struct sgang_spec *spec)
{
	struct sgang_nodeset *nodes = nodes_of(t->node_bitmap);
	bool late = nodes && sgang_conductor_late(own.conductor, spec, nodes);

	if (late)
		keep_nodes(t->node_bitmap, nodes);
	sgang_nodeset_destroy(nodes);
	return late;
}

static int ask_for_nodes(const struct job_test *t)
{
	return wants_place(t->job_ptr) ? test_placed(t) : ask_stock(t);
}

/* Leave only nodes that are as near as 'level' to the gang. False: there is no
 * gang to be near to. */
static bool keep_near(bitstr_t *bitmap, const struct sgang_spec *spec,
		      uint32_t level)
{
	struct sgang_nodeset *nodes = nodes_of(bitmap);
	bool near = nodes && sgang_conductor_near(own.conductor, spec, level,
						  nodes);

	if (near)
		keep_nodes(bitmap, nodes);
	sgang_nodeset_destroy(nodes);
	return near;
}

/* Can it start now on these nodes alone, without victims? Then they are chosen
 * from. */
static bool starts_near(const struct job_test *t, bitstr_t *nodes)
{
	struct job_test confined = *t;
	time_t start = t->job_ptr->start_time;

	confined.node_bitmap = nodes;
	confined.preemptee_candidates = NULL;
	if (ask_for_nodes(&confined) == SLURM_SUCCESS &&
	    ((t->mode & SELECT_MODE_BASE) == SELECT_MODE_RUN_NOW ||
	     t->job_ptr->start_time <= time(NULL))) {
		bit_copybits(t->node_bitmap, nodes);
		return true;
	}
	t->job_ptr->start_time = start;
	if (t->preemptee_job_list)
		FREE_NULL_LIST(*t->preemptee_job_list);
	return false;
}

/* The nodes nearest to the gang come first: one level after the other. */
static int ask_near(const struct job_test *t, const struct sgang_spec *spec)
{
	int before = 0, all = bit_set_count(t->node_bitmap), n = 0;
	bool starts = false;

	if (!own.conf.placement || sgang_fabric_domains(own.fabric) < 2)
		return ask_for_nodes(t);
	for (uint32_t level = SGANG_LEVEL_NODE; !starts && n < all &&
	     level <= sgang_fabric_top_level(own.fabric); level++) {
		bitstr_t *nodes = bit_copy(t->node_bitmap);

		if (!keep_near(nodes, spec, level))
			level = SGANG_LEVEL_UNCONNECTED;
		n = bit_set_count(nodes);
		if (n > before && n < all && (uint32_t) n >= t->min_nodes)
			starts = starts_near(t, nodes);
		before = n;
		FREE_NULL_BITMAP(nodes);
	}
	return starts ? SLURM_SUCCESS : ask_for_nodes(t);
}

/* For a member of a gang that has started, or any other job. */
static int ask_for_job(const struct job_test *t, const struct sgang_spec *late)
{
	return late ? ask_near(t, late) : ask_for_nodes(t);
}

static int test_run_now(const struct job_test *t)
{
	struct sgang_spec spec;
	bool member = is_member(t->job_ptr, &spec), late;

	/* A definition never runs, even if somebody released it. */
	if (member && (spec.object || kept_for_gang(t, &spec)))
		return SLURM_ERROR;
	fence_off(t);
	(void) keep_off(t, member ? &spec : NULL);
	late = member && keep_late(t, &spec);
	return ask_for_job(t, late ? &spec : NULL);
}

/* Backfill must not plan a start now that would be refused: it would keep the
 * nodes from jobs that end early enough. */
static int will_run_beside(const struct job_test *t,
			   const struct sgang_spec *spec,
			   const struct sgang_spec *late)
{
	struct job_test beside = *t;
	time_t start = t->job_ptr->start_time;
	int64_t when;
	int rc;

	if (!sgang_conductor_reserves(own.conductor))
		return ask_for_job(t, late);
	beside.node_bitmap = bit_copy(t->node_bitmap);
	when = keep_off(&beside, spec);
	rc = ask_for_job(&beside, late);
	if (!when || (rc == SLURM_SUCCESS &&
		      t->job_ptr->start_time <= time(NULL))) {
		if (rc == SLURM_SUCCESS)
			bit_copybits(t->node_bitmap, beside.node_bitmap);
		FREE_NULL_BITMAP(beside.node_bitmap);
		return rc;
	}
	FREE_NULL_BITMAP(beside.node_bitmap);
	if (t->preemptee_job_list)
		FREE_NULL_LIST(*t->preemptee_job_list);
	t->job_ptr->start_time = start;
	rc = ask_for_job(t, late);
	if (rc == SLURM_SUCCESS && t->job_ptr->start_time < when)
		t->job_ptr->start_time = when;
	return rc;
}

/* What backfill sets aside for a member of a gang should be what is kept for the
 * gang; others would be kept off both. False: it cannot be. */
static bool will_run_kept(const struct job_test *t,
			  const struct sgang_spec *spec)
{
	struct sgang_nodeset *nodes = NULL;
	struct job_test kept = *t;
	time_t start = t->job_ptr->start_time;
	bool does = false;

	if (sgang_conductor_joint_start(own.conductor, spec))
		nodes = nodes_of(t->node_bitmap);
	if (!nodes || !sgang_conductor_kept(own.conductor, spec, nodes) ||
	    sgang_nodeset_count(nodes) < t->min_nodes)
		goto out;
	kept.preemptee_candidates = NULL;
	kept.node_bitmap = bit_copy(t->node_bitmap);
	keep_nodes(kept.node_bitmap, nodes);
	does = ask_stock(&kept) == SLURM_SUCCESS;
	if (does)
		bit_copybits(t->node_bitmap, kept.node_bitmap);
	else
		t->job_ptr->start_time = start;
	FREE_NULL_BITMAP(kept.node_bitmap);
out:
	sgang_nodeset_destroy(nodes);
	return does;
}

static void remember_offer(const struct job_test *t)
{
	sgang_nodeset_destroy(offered.nodes);
	offered.nodes = nodes_of(t->node_bitmap);
	offered.job_id = t->job_ptr->job_id;
	pthread_setspecific(offered_key, offered.nodes);
}

/* A gang that has been found not to fit starts when all of it can: backfill
 * then sets nodes aside from that moment on, and lets others use them before. */
#define NEVER_SECONDS (365 * 24 * 3600)
static void wait_for_gang(job_record_t *job_ptr, const struct sgang_spec *spec)
{
	int64_t when = sgang_conductor_joint_start(own.conductor, spec);
	time_t far = time(NULL) + NEVER_SECONDS;

	if (when > far)
		when = far;
	if (job_ptr->start_time < when)
		job_ptr->start_time = when;
}

/* Backfill, and a user's --test-only. A reservation is tested with a job that
 * is no job: nothing of it may be looked at. */
static int test_will_run(const struct job_test *t)
{
	struct sgang_spec spec;
	bool member, late;
	int rc;

	if (find_job_record(t->job_ptr->job_id) != t->job_ptr ||
	    !is_at_work(t->job_ptr))
		return ask_with_victims(t, t->preemptee_candidates);
	if (!IS_JOB_PENDING(t->job_ptr))
		return ask_stock(t);
	member = is_member(t->job_ptr, &spec);
	if (member && spec.object) {
		/* sgang create asks, to let us know of it: a held job is never
		 * tested otherwise. */
		sgang_conductor_poke(own.conductor);
		return SLURM_ERROR;
	}
	if (member)
		remember_offer(t);
	late = member && keep_late(t, &spec);
	rc = (member && will_run_kept(t, &spec)) ? SLURM_SUCCESS :
	     will_run_beside(t, member ? &spec : NULL, late ? &spec : NULL);
	if (member && rc == SLURM_SUCCESS)
		wait_for_gang(t->job_ptr, &spec);
	return rc;
}

extern int select_p_job_test(job_record_t *job_ptr, bitstr_t *node_bitmap,
			     uint32_t min_nodes, uint32_t max_nodes,
			     uint32_t req_nodes, uint16_t mode,
			     list_t *preemptee_candidates,
			     list_t **preemptee_job_list,
			     RELEASE_REST_PARAMETERS)
{
	struct job_test t = {
		.job_ptr = job_ptr,
		.node_bitmap = node_bitmap,
		.min_nodes = min_nodes,
		.max_nodes = max_nodes,
		.req_nodes = req_nodes,
		.mode = mode,
		.preemptee_candidates = preemptee_candidates,
		.preemptee_job_list = preemptee_job_list,
		.rest = RELEASE_REST,
	};
	bool in_future = (mode & SELECT_MODE_BASE) == SELECT_MODE_WILL_RUN;

	/* a reservation is tested with a job that is none */
	if (!is_at_work(in_future ? NULL : job_ptr))
		return ask_with_victims(&t, preemptee_candidates);
	switch (sgang_job_test.mode) {
	case SGANG_JOB_TEST_PROBE:
		return test_for_probe(&t);
	case SGANG_JOB_TEST_COMMIT:
		return test_for_commit(&t);
	case SGANG_JOB_TEST_NONE:
		break;
	}
	switch (mode & SELECT_MODE_BASE) {
	case SELECT_MODE_RUN_NOW:
		return test_run_now(&t);
	case SELECT_MODE_WILL_RUN:
		return test_will_run(&t);
	default:
		/* A member was submitted: see soon whether it is the last. */
		if (own.conf.gangs && sgang_host_concerns(job_ptr))
			sgang_conductor_poke(own.conductor);
		return ask_stock(&t);
	}
}

/* ---- calls that tell us something on their way ---- */

static void noticed(job_record_t *job_ptr)
{
	atomic_fetch_add(&sgang_events, 1);
	if (is_at_work(job_ptr) && sgang_host_concerns(job_ptr))
		sgang_conductor_poke(own.conductor);
}

extern int select_p_node_init(void)
{
	int rc = stock.node_init();

	if (!own.controller || !own.conductor || own.wrong_layout)
		return rc;
	sgang_nodeset_destroy(offered.nodes);
	offered.nodes = NULL;
	pthread_setspecific(offered_key, NULL);
	atomic_fetch_add(&sgang_events, 1);
	/* A start, or a takeover: what was held is in the job records. */
	if (!control_time) {
		sgang_conductor_forget_jobs(own.conductor);
		atomic_store(&sgang_host_fresh, true);
	}
	/* The saved jobs have been read by now. */
	if (records_fit(sgang_layout_tables()) &&
	    records_fit(sgang_layout_jobs(job_list ? list_peek(job_list) :
						     NULL)))
		configure();
	return rc;
}

extern int select_p_job_begin(job_record_t *job_ptr)
{
	int rc = stock.job_begin(job_ptr);

	noticed(job_ptr);
	return rc;
}

/* Slurm tells by the state, also for a moment of a job that it requeues. */
static enum sgang_hold_end end_of_hold(const job_record_t *job_ptr)
{
	switch (job_ptr->job_state & JOB_STATE_BASE) {
	case JOB_NODE_FAIL:
		return SGANG_HOLD_END_NODE;
	case JOB_PREEMPTED:
		return SGANG_HOLD_END_PREEMPTED;
	case JOB_FAILED:
	case JOB_BOOT_FAIL:
	case JOB_TIMEOUT:
	case JOB_DEADLINE:
		return SGANG_HOLD_END_FAILED;
	default:
		return SGANG_HOLD_END_USER;
	}
}

extern int select_p_job_fini(job_record_t *job_ptr)
{
	int rc = stock.job_fini(job_ptr);

	noticed(job_ptr);
	if (is_at_work(job_ptr) && sgang_host_concerns(job_ptr))
		sgang_conductor_ended(own.conductor,
				      (struct sgang_job *) job_ptr,
				      end_of_hold(job_ptr));
	return rc;
}

extern int select_p_job_expand(job_record_t *from, job_record_t *to)
{
	atomic_fetch_add(&sgang_events, 1);
	return stock.job_expand(from, to);
}

extern int select_p_job_resized(job_record_t *job_ptr, node_record_t *node_ptr)
{
	atomic_fetch_add(&sgang_events, 1);
	return stock.job_resized(job_ptr, node_ptr);
}

extern int select_p_reconfigure(void)
{
	int rc = stock.reconfigure();

	atomic_fetch_add(&sgang_events, 1);
	/* scontrol create and delete, and slurmd -Z end in this call. */
	if (is_at_work(NULL) && !same_nodes(own.fabric)) {
		atomic_store(&own.other_nodes, true);
		sgang_conductor_poke(own.conductor);
	}
	return rc;
}

/* A held member has nothing to suspend yet, and its hold would be lost. */
extern int select_p_job_suspend(job_record_t *job_ptr, bool indefinite)
{
	if (is_at_work(job_ptr) && sgang_host_concerns(job_ptr) &&
	    sgang_host_slurm.held((struct sgang_job *) job_ptr))
		return ESLURM_TRANSITION_STATE_NO_UPDATE;
	return stock.job_suspend(job_ptr, indefinite);
}

/* ---- calls that only pass through ---- */

RELEASE_PASSED(PASS)
