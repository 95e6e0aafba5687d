/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_map.c - sgang map: where each rank of a gang is */

#define _GNU_SOURCE /* strverscmp() */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/map.h"
#include "cmd/placed.h"
#include "core/base/text.h"
#include "core/gang/conf.h"
#include "core/gang/spec.h"
#include "files/node_topos.h"
#include "files/paths.h"

enum { OPT_FORMAT, OPT_MEMBER, OPT_ROLE, OPT_CONF, OPT_RAILS };

static const struct sgang_cmd_option options[] = {
	[OPT_FORMAT] = { "format", "FORMAT",
			 "hostfile (the default), rankfile or json", 0 },
	[OPT_MEMBER] = { "member", NULL, "the ranks of that job alone", 0 },
	[OPT_ROLE] = { "role", "ROLE",
		       "the ranks of that group of a tree alone", 0 },
	[OPT_CONF] = { "conf", "FILE", "gang.conf; default: beside slurm.conf",
		       0 },
	[OPT_RAILS] = { "rails", NULL,
			"GPUs of every second node backwards, see sgang(1)",
			0 },
	{ NULL, NULL, NULL, 0 }
};

enum format { HOSTFILE, RANKFILE, JSON, FORMATS };

static const char *const formats[FORMATS] = {
	[HOSTFILE] = "hostfile",
	[RANKFILE] = "rankfile",
	[JSON] = "json",
};

struct request {
	const char *operand;
	struct sgang_spec spec; /* the gang's name, or ... */
	uint32_t job_id;        /* ... a job of it; 0: the name */
	enum format format;     /* of a text */
	bool member;
	const char *role; /* NULL: all */
	const char *conf; /* NULL: next to slurm.conf */
	bool rails;
};

/* Load the inside of the gang's nodes. Returns 0, or -1 with 'err' filled. */
static int load_topos(const struct sgang_gang *gang, const char *path,
		      struct sgang_node_topos **topos, struct sgang_error *err)
{
	struct sgang_conf conf;
	char dir[SGANG_PATH];

	if (sgang_path_folder(dir, path, err) ||
	    sgang_conf_load(path, &conf, err))
		return -1;
	*topos = sgang_node_topos_load(&conf, dir,
				       (const char *const *)gang->nodes,
				       (uint32_t)gang->n_nodes, err);
	sgang_conf_free(&conf);
	return *topos ? 0 : -1;
}

/* bsearch: a gang's nodes are in this order. */
static int by_node(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static void add_topo(const struct sgang_gang *gang,
		     const struct sgang_node_topos *topos,
		     struct sgang_map_node *node)
{
	char **at = bsearch(&node->has->name, gang->nodes, gang->n_nodes,
			    sizeof(*at), by_node);

	if (at)
		node->topo = sgang_node_topos_array(topos)[at - gang->nodes];
}

/* Without --conf the inside is unknown on a host that lacks the files. */
static int look_inside(struct sgang_placed *placed,
		       const struct request *request,
		       struct sgang_node_topos **topos, struct sgang_error *err)
{
	char path[SGANG_PATH];
	size_t i, k;

	if (!request->conf && sgang_cmd_conf_path(path, err))
		return -1;
	if (load_topos(placed->gang, request->conf ? request->conf : path,
		       topos, err))
		return request->conf ? -1 : 0;
	for (i = 0; i < placed->n; i++)
		for (k = 0; k < placed->member[i].n; k++)
			add_topo(placed->gang, *topos,
				 &placed->member[i].node[k]);
	return 0;
}

static int print_map(const struct sgang_placed *placed, enum format format,
		     struct sgang_error *err)
{
	struct json_object *list;

	if (sgang_answer_is_text())
		return (format == RANKFILE ? sgang_map_rankfile :
					     sgang_map_hostfile)(
			stdout, placed->member, placed->n, err);
	list = sgang_map_json(placed->member, placed->n);
	if (!list)
		return sgang_err_memory(err);
	sgang_answer_print(list, NULL);
	return 0;
}

/* Returns an exit code, or -1 with 'err' filled. */
static int answer(const struct request *request, struct sgang_error *err)
{
	struct sgang_node_topos *topos = NULL; /* not known */
	const struct sgang_placed_choice choice = {
		.job_id = request->member ? request->job_id : 0,
		.role = request->role,
	};
	struct sgang_placed placed = { .n = 0 };
	int code = sgang_placed_find(&request->spec, request->job_id, &placed,
				     err);

	if (code == SGANG_EXIT_YES)
		code = sgang_placed_fill(&placed, &choice, err);
	if (code == SGANG_EXIT_YES && request->rails)
		sgang_map_rails(placed.member, placed.n);
	if (code == SGANG_EXIT_YES &&
	    ((!sgang_answer_is_text() &&
	      look_inside(&placed, request, &topos, err)) ||
	     print_map(&placed, request->format, err)))
		code = -1;
	sgang_node_topos_destroy(topos);
	sgang_placed_clear(&placed);
	return code;
}

static int read_format(const char *text, enum format *format,
		       struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	int i;

	for (i = 0; i < FORMATS; i++) {
		if (strcmp(text, formats[i]))
			continue;
		*format = (enum format)i;
		sgang_answer_use_json(i == JSON);
		return 0;
	}
	return sgang_errf(err, EINVAL,
			  "--format=%s: expected hostfile, "
			  "rankfile or json",
			  sgang_text_show(shown, text));
}

/* Digits are a job; a gang with such a name is found by NAMESPACE/NAME. */
static int read_operand(struct request *request, struct sgang_error *err)
{
	uint64_t number;

	sgang_spec_init(&request->spec);
	if (!sgang_text_number(request->operand, 1, UINT32_MAX, &number)) {
		request->job_id = (uint32_t)number;
		return 0;
	}
	if (request->member)
		return sgang_errf(err, EINVAL,
				  "--member needs the id of a job "
				  "instead of the name of a gang");
	return sgang_spec_set(&request->spec, "gang", request->operand, err);
}

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	struct request request = { .format = HOSTFILE };
	const char *value;
	struct sgang_error err;
	int next, code;

	while ((next = sgang_cmd_next(verb, argc, argv, &value)) >= 0) {
		if (next == OPT_MEMBER)
			request.member = true;
		else if (next == OPT_ROLE)
			request.role = value;
		else if (next == OPT_CONF)
			request.conf = value;
		else if (next == OPT_RAILS)
			request.rails = true;
		else if (read_format(value, &request.format, &err))
			return sgang_cmd_bad("%s", err.text);
	}
	if (next != SGANG_CMD_END)
		return sgang_cmd_exit(next);
	request.operand = sgang_cmd_operand(verb, argc, argv,
					    "the name of one "
					    "gang or the id of one job");
	if (!request.operand)
		return SGANG_EXIT_BAD;
	if (read_operand(&request, &err))
		return sgang_cmd_bad("%s", err.text);
	code = answer(&request, &err);
	return code < 0 ? sgang_cmd_bad("%s", err.text) : code;
}

const struct sgang_verb sgang_verb_map = {
	.name = "map",
	.operands = "[NAMESPACE/]NAME|JOBID",
	.summary = "where each rank of a gang is: for mpirun, srun and others",
	.options = options,
	.json = "the same as --format=json",
	.run = run
};
