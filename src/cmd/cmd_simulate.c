/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_simulate.c - sgang simulate: a recorded queue, and what gangs would do to
 * it */

#define _GNU_SOURCE /* open_memstream() */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/offline.h"
#include "cmd/simulate.h"
#include "cmd/write_file.h"
#include "core/base/text.h"
#include "files/fabric_file.h"

/* Words that may stand for a gang.conf. */
#define STOCK "stock"
#define DEFAULTS "defaults"

/* Seconds between two jobs of a gang, for --gangs=rule. */
#define WITHIN 60

enum {
	OPT_JOBS,
	OPT_TOPOLOGY,
	OPT_NODES,
	OPT_SLOTS,
	OPT_GPUS,
	OPT_CONF,
	OPT_STOCK,
	OPT_GANGS,
	OPT_PRIORITY,
	OPT_LONG,
	OPT_SVG,
	OPT_HTML,
	OPT_STARTS
};

static const struct sgang_cmd_option options[] = {
	[OPT_JOBS] = { "jobs", "FILE",
		       "the queue: of sacct -P, SWF, or CSV; - is stdin", 0 },
	[OPT_TOPOLOGY] = { "topology", "FILE", "topology.conf of the nodes",
			   0 },
	[OPT_NODES] = { "nodes", "FILE",
			"slurm.conf, or of scontrol show node -o", 0 },
	[OPT_SLOTS] = { "slots", "N", "without --nodes: CPUs of every node",
			0 },
	[OPT_GPUS] = { "gpus", "N", "without --nodes: GPUs of every node", 0 },
	[OPT_CONF] = { "conf", "FILE",
		       "gang.conf, stock or defaults; may be repeated", 0 },
	[OPT_STOCK] = { "stock", NULL, "compare with stock Slurm", 0 },
	[OPT_GANGS] = { "gangs", "WHICH",
			"none, recorded, rule[:SECONDS], or a column", 0 },
	[OPT_PRIORITY] = { "recorded-priority", NULL,
			   "jobs have the priorities that the queue says", 0 },
	[OPT_LONG] = { "long", NULL, "(-l) also by class of size", 'l' },
	[OPT_SVG] = { "svg", "FILE", "write the timelines as SVG", 0 },
	[OPT_HTML] = { "html", "FILE", "write a page with charts", 0 },
	[OPT_STARTS] = { "starts", "FILE",
			 "write what became of each job, as CSV", 0 },
	{ NULL, NULL, NULL, 0 }
};

struct request {
	struct sgang_simulation simulation;
	const char *topology;
	const char *nodes; /* NULL: they are alike, and as below */
	uint32_t slots;    /* 0: not said */
	uint32_t gpus;     /* UINT32_MAX: not said */
	struct sgang_trace_terms terms;
	bool stock;
	bool classes;
	const char *svg;    /* NULL: no picture */
	const char *html;   /* NULL: no page */
	const char *starts; /* NULL: not asked for */
};

/* ---- options ---- */

static int read_conf(struct sgang_simulation *simulation, const char *value,
		     struct sgang_error *err)
{
	struct sgang_simulate_config *bigger;

	bigger = realloc(simulation->config,
			 (simulation->n + 1) * sizeof(*bigger));
	if (!bigger)
		return sgang_err_memory(err);
	simulation->config = bigger;
	bigger += simulation->n++;
	memset(bigger, 0, sizeof(*bigger));
	sgang_conf_default(&bigger->conf);
	bigger->stock = !strcmp(value, STOCK);
	bigger->path = bigger->stock || !strcmp(value, DEFAULTS) ? NULL : value;
	return 0;
}

/* "rule:SECONDS" */
static int read_rule(struct sgang_trace_terms *terms, const char *value,
		     struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	uint64_t within = WITHIN;

	if (value[4] &&
	    sgang_text_number(value + 5, 0, UINT32_MAX - 1, &within))
		return sgang_errf(err, EINVAL,
				  "--gangs=%s: expected a number of seconds "
				  "behind rule:",
				  sgang_text_show(shown, value));
	terms->gangs = SGANG_TRACE_GANGS_RULE;
	terms->within = (uint32_t)within;
	return 0;
}

static int read_gangs(struct sgang_trace_terms *terms, const char *value,
		      struct sgang_error *err)
{
	terms->gangs = SGANG_TRACE_GANGS_COLUMN;
	if (!strcmp(value, "none"))
		terms->gangs = SGANG_TRACE_GANGS_NONE;
	else if (!strcmp(value, "recorded"))
		terms->gangs = SGANG_TRACE_GANGS_RECORDED;
	else if (!strncmp(value, "rule", 4) && (!value[4] || value[4] == ':'))
		return read_rule(terms, value, err);
	else if (!value[0])
		return sgang_errf(err, EINVAL,
				  "--gangs=: expected none, recorded, "
				  "rule[:SECONDS] or the name of a column");
	else
		terms->column = value;
	return 0;
}

static int read_gpus(const char *value, uint32_t *gpus, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	uint64_t number;

	if (sgang_text_number(value, 0, UINT16_MAX, &number))
		return sgang_errf(err, EINVAL,
				  "--gpus=%s: expected a number from 0 to %d",
				  sgang_text_show(shown, value), UINT16_MAX);
	*gpus = (uint32_t)number;
	return 0;
}

static int read_option(void *arg, int option, const char *value,
		       struct sgang_error *err)
{
	struct request *request = arg;

	switch (option) {
	case OPT_JOBS:
		request->simulation.jobs_path = value;
		return 0;
	case OPT_TOPOLOGY:
		request->topology = value;
		return 0;
	case OPT_NODES:
		request->nodes = value;
		return 0;
	case OPT_SLOTS:
		return sgang_offline_slots(value, &request->slots, err);
	case OPT_GPUS:
		return read_gpus(value, &request->gpus, err);
	case OPT_CONF:
		return read_conf(&request->simulation, value, err);
	case OPT_STOCK:
		request->stock = true;
		return 0;
	case OPT_GANGS:
		return read_gangs(&request->terms, value, err);
	case OPT_PRIORITY:
		request->simulation.recorded_priority = true;
		return 0;
	case OPT_LONG:
		request->classes = true;
		return 0;
	case OPT_SVG:
		request->svg = value;
		return 0;
	case OPT_HTML:
		request->html = value;
		return 0;
	default:
		request->starts = value;
		return 0;
	}
}

/* ---- configurations ---- */

/* "conf/a.conf" is a. */
static void name_config(struct sgang_simulate_config *config)
{
	const char *slash, *name;
	size_t length;

	if (!config->path) {
		strcpy(config->name, config->stock ? STOCK : DEFAULTS);
		return;
	}
	slash = strrchr(config->path, '/');
	name = slash ? slash + 1 : config->path;
	length = strlen(name);
	if (length > 5 && !strcmp(name + length - 5, ".conf"))
		length -= 5;
	if (length >= SGANG_SIMULATE_NAME)
		length = SGANG_SIMULATE_NAME - 1;
	memcpy(config->name, name, length);
	config->name[length] = '\0';
}

/* Two files of one name are told by their numbers. */
static void name_configs(struct sgang_simulation *simulation)
{
	char name[SGANG_SIMULATE_NAME];
	size_t i, k, before;

	for (i = 0; i < simulation->n; i++)
		name_config(&simulation->config[i]);
	for (i = simulation->n; i-- > 1;) {
		for (before = 0, k = 0; k < i; k++)
			before += !strcmp(simulation->config[k].name,
					  simulation->config[i].name);
		if (!before)
			continue;
		strcpy(name, simulation->config[i].name);
		snprintf(simulation->config[i].name, SGANG_SIMULATE_NAME,
			 "%.*s (%zu)", SGANG_SIMULATE_NAME - 24, name,
			 before + 1);
	}
}

/* The fabric and the costs by which the rings of stock Slurm are measured are
 * those that the first of the others has. */
static void share_costs(struct sgang_simulation *simulation)
{
	size_t i, other = 0;

	while (other < simulation->n && simulation->config[other].stock)
		other++;
	for (i = 0; i < simulation->n && other < simulation->n; i++)
		if (simulation->config[i].stock)
			sgang_conf_copy(&simulation->config[i].conf,
					&simulation->config[other].conf);
}

/* Stock Slurm is the first one, unless --conf=stock says where. */
static int settle_configs(struct request *request, struct sgang_error *err)
{
	struct sgang_simulation *simulation = &request->simulation;
	bool has_stock = false;
	size_t i;

	if (!simulation->n && (read_conf(simulation, STOCK, err) ||
			       read_conf(simulation, DEFAULTS, err)))
		return -1;
	for (i = 0; i < simulation->n; i++)
		has_stock |= simulation->config[i].stock;
	if (request->stock && !has_stock) {
		if (read_conf(simulation, STOCK, err))
			return -1;
		for (i = simulation->n - 1; i; i--)
			simulation->config[i] = simulation->config[i - 1];
		memset(&simulation->config[0], 0, sizeof(*simulation->config));
		sgang_conf_default(&simulation->config[0].conf);
		simulation->config[0].stock = true;
	}
	for (i = 0; i < simulation->n; i++)
		if (simulation->config[i].path &&
		    sgang_conf_load(simulation->config[i].path,
				    &simulation->config[i].conf, err))
			return -1;
	for (i = 0; i < simulation->n; i++)
		simulation->all_rings |= !simulation->config[i].stock &&
					 simulation->config[i].conf.place_all;
	share_costs(simulation);
	name_configs(simulation);
	return 0;
}

/* ---- nodes ---- */

/* What no option says of the nodes, the largest job says. */
static struct sgang_site_node node_like(const struct request *request)
{
	const struct sgang_trace *trace = request->simulation.trace;
	struct sgang_site_node like = { .cpus = 1, .weight = 1 };
	size_t i;

	for (i = 0; i < trace->n_jobs; i++) {
		if (trace->jobs[i].cpus > like.cpus)
			like.cpus = trace->jobs[i].cpus;
		if (trace->jobs[i].gpus > like.gpus)
			like.gpus = trace->jobs[i].gpus;
	}
	if (request->slots)
		like.cpus = request->slots;
	if (request->gpus != UINT32_MAX)
		like.gpus = request->gpus;
	return like;
}

/* The nodes are those of the topology. */
static struct sgang_site *make_site(const struct request *request,
				    struct sgang_error *err)
{
	const struct sgang_conf *conf = &request->simulation.config[0].conf;
	const struct sgang_site_node like = node_like(request);
	struct sgang_site *site = NULL;
	struct sgang_fabric *fabric;
	const char **names;
	uint32_t n, i;

	fabric = sgang_fabric_load_file(conf, request->topology, NULL, 0, err);
	if (!fabric)
		return NULL;
	n = sgang_fabric_nodes(fabric);
	names = calloc(n, sizeof(*names));
	for (i = 0; names && i < n; i++)
		names[i] = sgang_fabric_node_name(fabric, i);
	if (names)
		site = sgang_site_alike(names, n, &like, err);
	else
		sgang_err_memory(err);
	/* nobody has said how much they have */
	if (site)
		site->scheduling.counts_memory = false;
	free(names);
	sgang_fabric_destroy(fabric);
	return site;
}

/* Each configuration may see the fabric in its own way. */
static int load_fabrics(struct request *request, struct sgang_error *err)
{
	struct sgang_simulation *simulation = &request->simulation;
	const struct sgang_site *site = simulation->site;
	size_t i;

	for (i = 0; i < simulation->n; i++) {
		struct sgang_simulate_config *config = &simulation->config[i];

		config->fabric =
			sgang_fabric_load_file(&config->conf, request->topology,
					       site->names, site->n_nodes, err);
		if (!config->fabric)
			return -1;
		if (!i && sgang_fabric_warning(config->fabric))
			sgang_cmd_warn("%s",
				       sgang_fabric_warning(config->fabric));
	}
	return 0;
}

/* A job that takes them all fits on every node. */
static uint32_t fewest_cpus(const struct sgang_site *site)
{
	uint32_t fewest = UINT32_MAX, i;

	for (i = 0; i < site->n_nodes; i++)
		if (site->nodes[i].cpus < fewest)
			fewest = site->nodes[i].cpus;
	return site->n_nodes ? fewest : 0;
}

/* What was read otherwise than somebody may think. */
static void warn(const struct request *request)
{
	const struct sgang_simulation *simulation = &request->simulation;
	const struct sgang_trace *trace = simulation->trace;

	if (trace->n_broken)
		sgang_cmd_warn("%s: %zu row%s, the first in line %u, with more "
			       "or fewer columns than the header: left out; a "
			       "value has the delimiter in it",
			       simulation->jobs_path, trace->n_broken,
			       trace->n_broken == 1 ? "" : "s",
			       trace->first_broken);
	if (trace->processors_are_nodes)
		sgang_cmd_warn("%s: it does not say how many processors a node "
			       "has (\"; MaxNodes: N\"), so each one counts as "
			       "a node; --slots=N or --nodes=FILE says it",
			       simulation->jobs_path);
	if (simulation->site->passed_over)
		sgang_cmd_warn("%s: of SchedulerParameters the replay does not "
			       "know %s",
			       request->nodes, simulation->site->passed_over);
}

static int load(struct request *request, struct sgang_error *err)
{
	struct sgang_simulation *simulation = &request->simulation;

	if (settle_configs(request, err))
		return -1;
	if (request->nodes) {
		simulation->site = sgang_site_load(request->nodes, err);
		if (!simulation->site)
			return -1;
		request->terms.node_slots = fewest_cpus(simulation->site);
	}
	request->terms.slots = request->slots;
	simulation->trace = sgang_trace_load(simulation->jobs_path,
					     &request->terms, err);
	if (!simulation->trace)
		return -1;
	if (!simulation->site)
		simulation->site = make_site(request, err);
	if (!simulation->site)
		return -1;
	warn(request);
	return load_fabrics(request, err);
}

/* ---- the answer ---- */

/* What is not the same each time is not in the answer. */
static void say_effort(const struct sgang_simulation *simulation)
{
	size_t i;

	for (i = 0; i < simulation->n; i++)
		fprintf(stderr,
			"sgang: %s: %zu job%s in %.1f s, with %" PRIu64 " MB\n",
			simulation->config[i].name, simulation->trace->n_jobs,
			simulation->trace->n_jobs == 1 ? "" : "s",
			simulation->config[i].outcome.seconds,
			simulation->config[i].outcome.memory / 1000000);
}

/* "-" is the standard output, which has nothing else then. */
static bool is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

/* 'path' may be NULL: nothing is asked for. */
static int write_file(const struct sgang_simulation *simulation,
		      const char *path,
		      int (*draw)(const struct sgang_simulation *simulation,
				  FILE *out, struct sgang_error *err),
		      struct sgang_error *err)
{
	char *text = NULL;
	size_t size;
	FILE *out;
	int rc;

	if (!path)
		return 0;
	out = open_memstream(&text, &size);
	if (!out)
		return sgang_err_memory(err);
	rc = draw(simulation, out, err);
	if (!sgang_text_close(out, &text))
		return sgang_err_memory(err);
	if (!rc && is_stdout(path))
		fwrite(text, 1, size, stdout); /* checked by main() */
	else if (!rc)
		rc = sgang_write_file(path, text, size, err);
	free(text);
	return rc;
}

static int answer(struct request *request, struct sgang_error *err)
{
	struct json_object *object;

	if (load(request, err) || sgang_simulate_run(&request->simulation, err))
		return -1;
	say_effort(&request->simulation);
	if (write_file(&request->simulation, request->svg, sgang_simulate_svg,
		       err) ||
	    write_file(&request->simulation, request->html, sgang_simulate_html,
		       err) ||
	    write_file(&request->simulation, request->starts,
		       sgang_simulate_starts, err))
		return -1;
	if (is_stdout(request->svg) || is_stdout(request->html) ||
	    is_stdout(request->starts))
		return SGANG_EXIT_YES;
	if (sgang_answer_is_text()) {
		sgang_simulate_print(&request->simulation, request->classes,
				     stdout);
		return SGANG_EXIT_YES;
	}
	object = sgang_simulate_json(&request->simulation, err);
	if (!object)
		return -1;
	sgang_answer_print(object, NULL);
	return SGANG_EXIT_YES;
}

static void clear(struct sgang_simulation *simulation)
{
	size_t i;

	for (i = 0; i < simulation->n; i++) {
		sgang_fabric_destroy(simulation->config[i].fabric);
		sgang_conf_free(&simulation->config[i].conf);
		sgang_outcome_clear(&simulation->config[i].outcome);
		sgang_measure_clear(&simulation->config[i].measure);
	}
	free(simulation->config);
	sgang_site_destroy(simulation->site);
	sgang_trace_destroy(simulation->trace);
}

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	struct request request = {
		.gpus = UINT32_MAX,
		.terms = { .gangs = SGANG_TRACE_GANGS_RECORDED }
	};
	int next = sgang_cmd_read(verb, argc, argv, read_option, &request);
	char shown[SGANG_TEXT_SHOWN];
	struct sgang_error err;
	int code;

	if (next != SGANG_CMD_END)
		code = sgang_cmd_exit(next);
	else if (optind < argc)
		code = sgang_cmd_bad("unexpected word \"%s\", see sgang "
				     "simulate --help",
				     sgang_text_show(shown, argv[optind]));
	else if (!request.simulation.jobs_path)
		code = sgang_cmd_bad("--jobs=FILE is missing");
	else if (!request.topology && !request.nodes)
		code = sgang_cmd_bad("--topology=FILE is missing");
	else if (request.nodes && (request.slots || request.gpus != UINT32_MAX))
		code = sgang_cmd_bad("--slots and --gpus are for nodes that no "
				     "--nodes describes");
	else if ((code = answer(&request, &err)) < 0)
		code = sgang_cmd_bad("%s", err.text);
	clear(&request.simulation);
	return code;
}

const struct sgang_verb sgang_verb_simulate = {
	.name = "simulate",
	.operands = NULL,
	.summary = "what gangs would do to a recorded queue; needs no Slurm",
	.options = options,
	.run = run
};
