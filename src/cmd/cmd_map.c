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
#include "cmd/gangs.h"
#include "cmd/map.h"
#include "core/base/text.h"
#include "core/gang/conf.h"
#include "core/gang/role_path.h"
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

/* The members that started together, in ring order. */
struct found {
	const struct sgang_gang *gang;
	const struct sgang_jobrow **job; /* borrowed from the gang */
	struct sgang_alloc *alloc;
	struct sgang_map_member *member;
	char (*role)[SGANG_ROLE_SIZE]; /* of a tree of groups */
	size_t n;
	struct sgang_node_topos *topos; /* of the gang's nodes; NULL:
					 * not known */
};

static bool has_job(const struct sgang_gang *gang, uint32_t job_id)
{
	size_t i;

	for (i = 0; i < gang->n_jobs; i++)
		if (gang->jobs[i]->job_id == job_id)
			return true;
	return false;
}

static int find_gang(const struct request *request,
		     const struct sgang_gangs *gangs,
		     const struct sgang_gang **gang, struct sgang_error *err)
{
	size_t i;

	if (!request->job_id)
		return sgang_gangs_find(gangs, &request->spec, sgang_cmd_user(),
					gang, err);
	for (i = 0; i < gangs->count; i++) {
		if (!has_job(&gangs->gang[i], request->job_id))
			continue;
		*gang = &gangs->gang[i];
		return 1;
	}
	return 0;
}

/* The reason why the places of this member's ranks are unknown; NULL: they are
 * known. */
static const char *what_is_missing(const struct sgang_jobrow *job)
{
	switch (job->class) {
	case SGANG_ROW_PENDING:
		return "is not running";
	case SGANG_ROW_ENDED:
		return "has ended, and Slurm does not know any more what it "
		       "had";
	default:
		return NULL;
	}
}

/* True if another member has its rank now. */
static bool has_heir(const struct sgang_gang *gang,
		     const struct sgang_jobrow *job)
{
	size_t i;

	for (i = 0; i < gang->n_jobs; i++) {
		const struct sgang_jobrow *other = gang->jobs[i];

		if (other != job && other->record.placed &&
		    other->class == SGANG_ROW_RUNNING &&
		    other->record.member_rank == job->record.member_rank)
			return true;
	}
	return false;
}

/* True if it is a member that is asked for. */
static bool is_meant(const struct request *request,
		     const struct sgang_jobrow *job)
{
	char role[SGANG_ROLE_SIZE];
	size_t length;

	if (!job->record.placed ||
	    (request->member && job->job_id != request->job_id))
		return false;
	if (!request->role)
		return true;
	length = strlen(request->role);
	sgang_role_path_names(job->record.role, role);
	return !strncmp(role, request->role, length) &&
	       (!role[length] || role[length] == '/');
}

static bool asks_for_all(const struct request *request)
{
	return !request->member && !request->role;
}

static int find_none(const char *name, const struct request *request)
{
	char shown[SGANG_TEXT_SHOWN];

	if (request->role)
		return sgang_cmd_no(
			"no member of gang %s that has a place is in group %s",
			name, sgang_text_show(shown, request->role));
	if (request->member)
		return sgang_cmd_no("job %" PRIu32 " has no place in the ring "
				    "of gang %s",
				    request->job_id, name);
	return sgang_cmd_no("gang %s is not placed yet", name);
}

static int find_members(struct found *found, const char *name,
			const struct request *request)
{
	uint32_t members = found->gang->record->members;
	size_t i;

	for (i = 0; i < found->gang->n_jobs; i++) {
		const struct sgang_jobrow *job = found->gang->jobs[i];

		if (!is_meant(request, job))
			continue;
		if (job->class == SGANG_ROW_ENDED && !request->member &&
		    has_heir(found->gang, job))
			continue;
		if (what_is_missing(job))
			return sgang_cmd_no("gang %s: job %" PRIu32 " %s", name,
					    job->job_id, what_is_missing(job));
		found->job[found->n++] = job;
	}
	if (!found->n)
		return find_none(name, request);
	if (asks_for_all(request) && found->n != members)
		return sgang_cmd_no("gang %s started with %" PRIu32 " members, "
				    "and %zu of them are known",
				    name, members, found->n);
	return SGANG_EXIT_YES;
}

/* The ranks of a member end where those of the next one begin. */
static uint64_t ranks_of(const struct sgang_gang *gang,
			 const struct sgang_jobrow *job)
{
	uint64_t end = job->record.ranks;
	size_t i;

	for (i = 0; i < gang->n_jobs; i++) {
		const struct sgang_record *other = &gang->jobs[i]->record;

		if (other->placed && other->rank_offset < end &&
		    other->rank_offset > job->record.rank_offset)
			end = other->rank_offset;
	}
	return end > job->record.rank_offset ? end - job->record.rank_offset :
					       0;
}

/* A map shows the ring, so none is made up. Returns an exit code, or -1 with
 * 'err' filled. */
static int fill_member(struct found *found, size_t i, struct sgang_error *err)
{
	const struct sgang_jobrow *job = found->job[i];
	const struct sgang_alloc *alloc = &found->alloc[i];
	struct sgang_map_member *member = &found->member[i];
	char **ring = calloc(alloc->n + 1, sizeof(*ring));
	int rc = -1;
	size_t k;

	member->job_id = job->job_id;
	if (job->record.role[0])
		member->role = sgang_role_path_names(job->record.role,
						     found->role[i]);
	member->member_rank = job->record.member_rank;
	member->first = job->record.rank_offset;
	if (!ring)
		return sgang_err_memory(err);
	for (k = 0; k < alloc->n; k++)
		ring[k] = alloc->node[k].name;
	switch (sgang_jobs_ring(job, ring, alloc->n, err)) {
	case 0:
		rc = sgang_cmd_no("job %" PRIu32 ": its record does not tell "
				  "the order of its %zu nodes; in the job "
				  "SLURM_GANG_MEMBER_NODELIST has it",
				  job->job_id, alloc->n);
		break;
	case 1:
		if (!sgang_map_fill(member, alloc, ranks_of(found->gang, job),
				    ring, err) &&
		    !sgang_map_layout(member, job->record.layout, err))
			rc = SGANG_EXIT_YES;
		break;
	}
	free(ring);
	return rc;
}

/* Same as fill_member(). */
static int fill_members(struct found *found, struct sgang_error *err)
{
	uint32_t *ids = calloc(found->n, sizeof(*ids));
	size_t i;
	int rc;

	if (!ids)
		return sgang_err_memory(err);
	for (i = 0; i < found->n; i++)
		ids[i] = found->job[i]->job_id;
	rc = sgang_alloc_load(ids, found->n, found->alloc, err);
	free(ids);
	for (i = 0; i < found->n && !rc; i++)
		rc = fill_member(found, i, err);
	return rc;
}

/* Load the inside of the gang's nodes. Returns 0, or -1 with 'err' filled. */
static int load_topos(struct found *found, const char *path,
		      struct sgang_error *err)
{
	const struct sgang_gang *gang = found->gang;
	struct sgang_conf conf;
	char dir[SGANG_PATH];

	if (sgang_path_folder(dir, path, err) ||
	    sgang_conf_load(path, &conf, err))
		return -1;
	found->topos = sgang_node_topos_load(&conf, dir,
					     (const char *const *)gang->nodes,
					     (uint32_t)gang->n_nodes, err);
	sgang_conf_free(&conf);
	return found->topos ? 0 : -1;
}

/* bsearch: a gang's nodes are in this order. */
static int by_node(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static void add_topo(const struct found *found, struct sgang_map_node *node)
{
	char **at = bsearch(&node->has->name, found->gang->nodes,
			    found->gang->n_nodes, sizeof(*at), by_node);

	if (at)
		node->topo = sgang_node_topos_array(
			found->topos)[at - found->gang->nodes];
}

/* Without --conf the inside is unknown on a host that lacks the files. */
static int look_inside(struct found *found, const struct request *request,
		       struct sgang_error *err)
{
	char path[SGANG_PATH];
	size_t i, k;

	if (!request->conf && sgang_cmd_conf_path(path, err))
		return -1;
	if (load_topos(found, request->conf ? request->conf : path, err))
		return request->conf ? -1 : 0;
	for (i = 0; i < found->n; i++)
		for (k = 0; k < found->member[i].n; k++)
			add_topo(found, &found->member[i].node[k]);
	return 0;
}

static int print_map(const struct found *found, enum format format,
		     struct sgang_error *err)
{
	struct json_object *list;

	if (sgang_answer_is_text())
		return (format == RANKFILE ? sgang_map_rankfile :
					     sgang_map_hostfile)(
			stdout, found->member, found->n, err);
	list = sgang_map_json(found->member, found->n);
	if (!list)
		return sgang_err_memory(err);
	sgang_answer_print(list, NULL);
	return 0;
}

static void clear_found(struct found *found)
{
	size_t i;

	for (i = 0; found->alloc && found->member && i < found->n; i++) {
		sgang_map_clear(&found->member[i]);
		sgang_alloc_clear(&found->alloc[i]);
	}
	sgang_node_topos_destroy(found->topos);
	free(found->job);
	free(found->alloc);
	free(found->member);
	free(found->role);
}

/* Returns an exit code, or -1 with 'err' filled. */
static int map_gang(const struct request *request,
		    const struct sgang_gang *gang, struct sgang_error *err)
{
	struct found found = {
		.gang = gang,
		.job = calloc(gang->n_jobs + 1, sizeof(*found.job)),
		.alloc = calloc(gang->n_jobs + 1, sizeof(*found.alloc)),
		.member = calloc(gang->n_jobs + 1, sizeof(*found.member)),
		.role = calloc(gang->n_jobs + 1, sizeof(*found.role)),
	};
	char name[SGANG_GANGS_NAME];
	int code = -1;

	sgang_gangs_name(gang->record, name);
	if (!found.job || !found.alloc || !found.member || !found.role)
		sgang_err_memory(err);
	else
		code = find_members(&found, name, request);
	if (code == SGANG_EXIT_YES)
		code = fill_members(&found, err);
	if (code == SGANG_EXIT_YES && request->rails)
		sgang_map_rails(found.member, found.n);
	if (code == SGANG_EXIT_YES &&
	    ((!sgang_answer_is_text() && look_inside(&found, request, err)) ||
	     print_map(&found, request->format, err)))
		code = -1;
	clear_found(&found);
	return code;
}

/* Same as map_gang(). */
static int answer(const struct request *request, struct sgang_error *err)
{
	const struct sgang_gang *gang = NULL;
	struct sgang_jobs jobs = { NULL, 0 };
	struct sgang_gangs gangs = { NULL, 0 };
	char shown[SGANG_TEXT_SHOWN], hint[SGANG_JOBS_HINT];
	int code = -1;

	if (sgang_jobs_load(&jobs, err) ||
	    sgang_gangs_build(&jobs, &gangs, err))
		goto out;
	switch (find_gang(request, &gangs, &gang, err)) {
	case 0:
		code = sgang_cmd_no(
			request->job_id ? "there is no gang with job %s%s" :
					  "there is no gang %s%s",
			sgang_text_show(shown, request->operand),
			request->job_id ?
				"" :
				sgang_jobs_hint(&jobs, &request->spec, hint));
		break;
	case 1:
		code = map_gang(request, gang, err);
		break;
	}
out:
	sgang_gangs_clear(&gangs);
	sgang_jobs_clear(&jobs);
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
