/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_topology.c - sgang topology: a picture of the fabric, and the inside of
 * its nodes */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/collect.h"
#include "cmd/draw.h"
#include "cmd/in_force.h"
#include "cmd/json.h"
#include "cmd/nodes.h"
#include "cmd/probe.h"
#include "core/base/text.h"
#include "core/gang/conf.h"
#include "files/node_topo_hwloc.h"
#include "files/node_topos.h"
#include "files/paths.h"

enum {
	OPT_GANG,
	OPT_PARTITION,
	OPT_SVG,
	OPT_HTML,
	OPT_WIDTH,
	OPT_TOPOLOGY,
	OPT_SLOTS,
	OPT_FREE,
	OPT_DOWN,
	OPT_WITH,
	OPT_CONF
};

static const struct sgang_cmd_option options[] = {
	[OPT_GANG] = { "gang", "NAME", "draw the ring of this gang", 0 },
	[OPT_PARTITION] = { "partition", "NAME",
			    "(-p) topology of this partition (the gang's)",
			    'p' },
	[OPT_SVG] = { "svg", "FILE", "write the picture as SVG", 0 },
	[OPT_HTML] = { "html", "FILE", "write a page with picture and tables",
		       0 },
	[OPT_WIDTH] = { "width", "N", "columns (those of the terminal, 80)",
			0 },
	[OPT_TOPOLOGY] = { "topology", "FILE",
			   "topology.conf to draw, without a cluster", 0 },
	[OPT_SLOTS] = { "slots", "N", "slots of every node there (1)", 0 },
	[OPT_FREE] = { "free", "LIST", "free slots, n[1-4]=8,n5=2 (all)", 0 },
	[OPT_DOWN] = { "down", "LIST", "nodes that are down", 0 },
	[OPT_WITH] = { "with", "GANG",
		       "a gang, train=n[1-4]=8 in ring order; may be repeated",
		       0 },
	[OPT_CONF] = { "conf", "FILE", "gang.conf; default: beside slurm.conf",
		       0 },
	{ NULL, NULL, NULL, 0 }
};

struct request {
	const char *conf_path; /* --conf */
	struct sgang_draw draw;
	struct sgang_conf conf;
	char dir[SGANG_PATH]; /* the folder of gang.conf */
};

/* Read gang.conf, if it exists; one that is named must exist. */
static int load_conf(struct request *request, struct sgang_error *err)
{
	char path[SGANG_PATH];
	const char *from = request->conf_path ? request->conf_path : path;

	if ((!request->conf_path && sgang_cmd_conf_path(path, err)) ||
	    sgang_path_folder(request->dir, from, err))
		return -1;
	sgang_conf_default(&request->conf);
	if (!sgang_conf_load(from, &request->conf, err))
		return 0;
	return errno == ENOENT && !request->conf_path ? 0 : -1;
}

/* ---- show ---- */

/* Numbers from 0 on, those that belong to 'island', as "0-3,8". */
static void show_range(char *text, size_t size, const uint32_t *island_of,
		       uint32_t n, uint32_t island)
{
	uint32_t i, first = 0;
	size_t used = 0;
	bool inside;

	text[0] = '\0';
	for (i = 0; i <= n; i++) {
		inside = i < n && island_of[i] == island;
		if (inside && (!i || island_of[i - 1] != island))
			first = i;
		if (inside || !i || island_of[i - 1] != island)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%" PRIu32,
					 used ? "," : "", first);
		if (used < size && first < i - 1)
			used += (size_t)snprintf(text + used, size - used,
						 "-%" PRIu32, i - 1);
		if (used >= size)
			return;
	}
}

/* The islands of the GPUs, for show_range(). */
static uint32_t *gpu_islands(const struct sgang_node_topo *topo)
{
	uint32_t *island = calloc(topo->n_gpus + 1UL, sizeof(*island));
	uint32_t i;

	for (i = 0; island && i < topo->n_gpus; i++)
		island[i] = topo->gpu[i].island;
	return island;
}

static void put_islands(const struct sgang_node_topo *topo,
			const uint32_t *gpu_island, struct json_object *list)
{
	char gpus[4096], cores[4096];
	struct json_object *row;
	uint32_t i;

	for (i = 0; i < topo->n_islands; i++) {
		show_range(gpus, sizeof(gpus), gpu_island, topo->n_gpus, i);
		show_range(cores, sizeof(cores), topo->core_island,
			   topo->n_cores, i);
		row = sgang_json_row(list);
		sgang_json_string(row, "gpus", gpus);
		sgang_json_string(row, "cores", cores);
	}
}

/* A GPU or a network card, which is returned. */
static struct json_object *put_device(struct json_object *list,
				      const char *name, const char *bus,
				      uint32_t island)
{
	struct json_object *row = sgang_json_row(list);

	sgang_json_string(row, "name", name);
	sgang_json_text(row, "bus", bus);
	sgang_json_number(row, "island", island);
	return row;
}

static const char form[] =
	"Shape={shape} Islands={islands%n} GPUs={gpus%n} Cores={cores}"
	" NICs={nics%n}\n"
	"<islands|  Island={#} GPUs={gpus|-} Cores={cores|-}\n>"
	"<gpus|  GPU={#} Name={name} Bus={bus|} Island={island} NIC={nic|-}\n>"
	"<nics|  NIC={name} Bus={bus|-} Island={island}\n>";

static int print(const struct sgang_node_topo *topo, struct sgang_error *err)
{
	uint32_t *gpu_island = gpu_islands(topo), i;
	struct json_object *object, *list;

	if (!gpu_island)
		return sgang_err_memory(err);
	sgang_answer_of("topology show");
	object = json_object_new_object();
	sgang_json_string(object, "shape", topo->name);
	sgang_json_number(object, "cores", topo->n_cores);
	put_islands(topo, gpu_island, sgang_json_list(object, "islands"));
	free(gpu_island);
	list = sgang_json_list(object, "gpus");
	for (i = 0; i < topo->n_gpus; i++)
		sgang_json_text(put_device(list, topo->gpu[i].name,
					   topo->gpu[i].bus,
					   topo->gpu[i].island),
				"nic", topo->gpu[i].nic);
	list = sgang_json_list(object, "nics");
	for (i = 0; i < topo->n_nics; i++)
		put_device(list, topo->nic[i].name, topo->nic[i].bus,
			   topo->nic[i].island);
	sgang_answer_print(object, form);
	return SGANG_EXIT_YES;
}

/* A topology that is to be printed and thrown away; NULL is fine. */
static int print_once(struct sgang_node_topo *topo, struct sgang_error *err)
{
	int code = topo ? print(topo, err) : -1;

	sgang_node_topo_destroy(topo);
	return code;
}

static int show_this_machine(struct sgang_error *err)
{
	char *xml = sgang_probe_xml(err);
	struct sgang_node_topo *topo = NULL;

	if (xml)
		topo = sgang_node_topo_parse(xml, "this-machine", err);
	free(xml);
	return print_once(topo, err);
}

/* slurmctld does not use a description that does not fit the node. Without a
 * slurmctld there is no warning. */
static void say_misfit(const char *node, const struct sgang_node_topo *topo)
{
	char shown[SGANG_TEXT_SHOWN], *gres;
	struct sgang_error err;
	uint32_t cores;

	if (access(sgang_cmd_slurm_conf(), R_OK) ||
	    sgang_nodes_look(node, &cores, &gres))
		return;
	if (sgang_node_topo_fits(topo, cores, sgang_node_topo_gres(gres), &err))
		fprintf(stderr, "sgang: node %s counts as one island: %s\n",
			sgang_text_show(shown, node), err.text);
	free(gres);
}

static int show_node(struct request *request, const char *node,
		     struct sgang_error *err)
{
	struct sgang_node_topos *topos;
	const struct sgang_node_topo *topo;
	char shown[SGANG_TEXT_SHOWN];
	int code;

	if (load_conf(request, err))
		return -1;
	topos = sgang_node_topos_load(&request->conf, request->dir, &node, 1,
				      err);
	if (!topos)
		return -1;
	topo = sgang_node_topos_array(topos)[0];
	if (topo) {
		code = print(topo, err);
		say_misfit(node, topo);
	} else {
		code = sgang_cmd_no("nothing describes node %s; sgang topology "
				    "collect asks it",
				    sgang_text_show(shown, node));
	}
	sgang_node_topos_destroy(topos);
	return code;
}

/* "./n1" and "n1.xml" are files, "n1" is a node. */
static bool is_file(const char *text)
{
	size_t length = strlen(text);

	return strchr(text, '/') ||
	       (length > 4 && !strcmp(text + length - 4, ".xml"));
}

static int run_show(struct request *request, const char *what,
		    struct sgang_error *err)
{
	if (!what)
		return show_this_machine(err);
	if (is_file(what))
		return print_once(sgang_node_topo_load(what, err), err);
	return show_node(request, what, err);
}

/* ---- collect ---- */

static void say_collected(const char *dir,
			  const struct sgang_collected *collected)
{
	struct json_object *object = json_object_new_object();

	sgang_answer_of("topology collect");
	sgang_json_string(object, "folder", dir);
	sgang_json_number(object, "nodes", collected->n_nodes);
	sgang_json_number(object, "shapes", collected->n_shapes);
	sgang_json_string(object, "missing", collected->missing);
	sgang_answer_print(object, "{folder}: {nodes} node{nodes%s} answered, "
				   "{shapes} shape{shapes%s}\n");
}

static int run_collect(struct request *request, const char *nodes,
		       struct sgang_error *err)
{
	struct sgang_collected collected;
	char dir[SGANG_PATH];
	int code = SGANG_EXIT_YES;

	if (load_conf(request, err) ||
	    sgang_node_topos_dir(&request->conf, request->dir, dir, err) ||
	    sgang_collect(nodes, dir, &collected, err))
		return -1;
	say_collected(dir, &collected);
	if (collected.missing)
		code = sgang_cmd_no("no answer from %s; what was known of them "
				    "stays",
				    collected.missing);
	free(collected.missing);
	return code;
}

/* ---- probe ---- */

/* The command that collect runs on each node. */
static int run_probe(struct request *request, const char *nothing,
		     struct sgang_error *err)
{
	const char *node = getenv("SLURMD_NODENAME");
	char *xml;

	(void)request;
	if (nothing || !node)
		return sgang_errf(err, EINVAL,
				  "sgang topology collect runs "
				  "this, as a step of a job");
	xml = sgang_probe_xml(err);
	if (!xml)
		return -1;
	sgang_probe_print(node, xml, stdout);
	free(xml);
	return SGANG_EXIT_YES;
}

/* ---- the picture ---- */

static int run_draw(struct request *request, struct sgang_error *err)
{
	request->draw.conf_path = request->conf_path;
	if (sgang_draw_check(&request->draw, err))
		return -1;
	if (!request->draw.topology &&
	    sgang_in_force_conf(request->conf_path, &request->conf,
				request->dir, err))
		return -1;
	return sgang_draw_run(&request->draw, &request->conf, request->dir,
			      err);
}

/* ---- the verb ---- */

/* The actions. Each returns an exit code, or -1 with 'err' filled. */
static const struct action {
	const char *name;
	int (*run)(struct request *request, const char *operand,
		   struct sgang_error *err);
} actions[] = {
	{ "collect", run_collect },
	{ "probe", run_probe },
	{ "show", run_show },
};
#define N_ACTIONS (sizeof(actions) / sizeof(actions[0]))

static const struct action *find_action(const char *name)
{
	size_t i;

	for (i = 0; name && i < N_ACTIONS; i++)
		if (!strcmp(name, actions[i].name))
			return &actions[i];
	return NULL;
}

static int read_option(void *arg, int option, const char *value,
		       struct sgang_error *err)
{
	struct request *request = arg;
	struct sgang_draw *draw = &request->draw;
	const char **const text[] = { [OPT_GANG] = &draw->gang,
				      [OPT_PARTITION] = &draw->partition,
				      [OPT_SVG] = &draw->svg,
				      [OPT_HTML] = &draw->html,
				      [OPT_TOPOLOGY] = &draw->topology,
				      [OPT_FREE] = &draw->free_list,
				      [OPT_DOWN] = &draw->down_list,
				      [OPT_CONF] = &request->conf_path };

	switch (option) {
	case OPT_WIDTH:
		return sgang_draw_width(draw, value, err);
	case OPT_SLOTS:
		return sgang_draw_slots(draw, value, err);
	case OPT_WITH:
		return sgang_draw_with(draw, value, err);
	default:
		*text[option] = value;
		return 0;
	}
}

/* Returns an exit code, or -1 with 'err' filled. */
static int answer(struct request *request, int n_operands, char **operands,
		  struct sgang_error *err)
{
	const struct action *action = find_action(operands[0]);

	if (!n_operands)
		return run_draw(request, err);
	if (!action || n_operands > 2)
		return sgang_errf(err, EINVAL,
				  "expected show [NODE|FILE], "
				  "collect [NODES] or nothing, see sgang "
				  "topology --help");
	if (sgang_draw_asked(&request->draw))
		return sgang_errf(err, EINVAL,
				  "sgang topology %s takes --conf "
				  "and --json alone; the other options are of "
				  "the picture",
				  action->name);
	return action->run(request, operands[1], err);
}

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	struct request request = { .conf_path = NULL };
	int next = sgang_cmd_read(verb, argc, argv, read_option, &request),
	    code;
	struct sgang_error err;

	if (next != SGANG_CMD_END) {
		code = sgang_cmd_exit(next);
	} else {
		sgang_conf_default(&request.conf);
		code = answer(&request, argc - optind, argv + optind, &err);
		sgang_conf_free(&request.conf);
		if (code < 0)
			code = sgang_cmd_bad("%s", err.text);
	}
	sgang_draw_clear(&request.draw);
	return code;
}

const struct sgang_verb sgang_verb_topology = {
	.name = "topology",
	.operands = "[show [NODE|FILE] | collect [NODES]]",
	.summary = "draw the fabric and its gangs, or tell what is inside of "
		   "nodes",
	.options = options,
	.run = run
};
