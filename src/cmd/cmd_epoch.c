/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_epoch.c - sgang epoch: the members of a gang now, and its next change
 *
 * In a member of the gang the file that SLURM_GANG_STATE names is read, which
 * costs slurmctld nothing; elsewhere slurmctld is asked for the records.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/gangs.h"
#include "cmd/json.h"
#include "cmd/nodes.h"
#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "core/base/text_file.h"
#include "core/gang/epoch.h"
#include "core/gang/lists.h"
#include "core/gang/role_path.h"

/* Milliseconds between two looks. */
#define FILE_MS 100
#define SLURMCTLD_MS 2000

enum { OPT_WAIT, OPT_FORMAT };

static const struct sgang_cmd_option options[] = {
	[OPT_WAIT] = { "wait", "N", "wait until the epoch is N or more", 0 },
	[OPT_FORMAT] = { "format", "FORMAT", "env (the default) or json", 0 },
	{ NULL, NULL, NULL, 0 }
};

/* ---- what slurmctld knows ---- */

/* Data for sgang_epoch_write(), which asks for one thing after the other. */
struct known {
	const struct sgang_gang *gang;
	const struct sgang_record *record; /* of one that runs */
	struct sgang_nodes nodes;          /* that drain, until listed */
	bool knows_nodes;
	char *text; /* what was asked for last */
};

static const struct sgang_jobrow *find_rank(const struct sgang_gang *gang,
					    uint32_t rank)
{
	for (size_t i = 0; i < gang->n_jobs; i++) {
		const struct sgang_jobrow *job = gang->jobs[i];

		if (job->class == SGANG_ROW_RUNNING && job->record.placed &&
		    job->record.member_rank == rank)
			return job;
	}
	return NULL;
}

/* The nodes of a member in ring order; returns their number. */
static size_t list_nodes(const struct sgang_jobrow *job, FILE *out,
			 const char *between)
{
	const char *list = job->record.at[0] ? job->record.at : job->nodes;
	char **name;
	size_t n = 0;

	if (sgang_hostlist_expand(list, &name, &n, NULL) < 0)
		return 0;
	for (size_t i = 0; out && i < n; i++)
		fprintf(out, "%s%s", i ? "," : between, name[i]);
	sgang_hostlist_free(name);
	return n;
}

static struct sgang_noderow *find_draining(const struct known *k,
					   const char *name)
{
	for (size_t i = 0; i < k->nodes.count; i++) {
		struct sgang_noderow *row = &k->nodes.row[i];

		if (row->draining && !strcmp(row->name, name))
			return row;
	}
	return NULL;
}

/* The draining nodes of a member, each once. */
static bool list_draining(const struct known *k, const struct sgang_jobrow *job,
			  FILE *out, bool any)
{
	const char *list = job->record.at[0] ? job->record.at : job->nodes;
	char **name;
	size_t n;

	if (sgang_hostlist_expand(list, &name, &n, NULL) < 0)
		return any;
	for (size_t i = 0; i < n; i++) {
		struct sgang_noderow *row = find_draining(k, name[i]);

		if (!row)
			continue;
		fprintf(out, "%s%s", any ? "," : "", name[i]);
		row->draining = false;
		any = true;
	}
	sgang_hostlist_free(name);
	return any;
}

enum list { IDS, NODES, COUNTS, DRAINING };

static void write_list(const struct known *k, enum list list, FILE *out)
{
	bool any = false;

	for (uint32_t i = 0; i < k->record->members; i++) {
		const struct sgang_jobrow *job = find_rank(k->gang, i);
		const char *between = i ? "," : "";

		if (list == IDS)
			fprintf(out, "%s%" PRIu32, between,
				job ? job->job_id : 0);
		else if (list == COUNTS)
			fprintf(out, "%s%zu", between,
				job ? list_nodes(job, NULL, "") : 0);
		else if (job && list == DRAINING)
			any = list_draining(k, job, out, any);
		else if (job)
			any |= list_nodes(job, out, any ? "," : "") > 0;
	}
}

static size_t count_nodes(const struct known *k)
{
	size_t n = 0;

	for (uint32_t i = 0; i < k->record->members; i++) {
		const struct sgang_jobrow *job = find_rank(k->gang, i);

		n += job ? list_nodes(job, NULL, "") : 0;
	}
	return n;
}

static void write_spares(const struct known *k, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < k->gang->n_jobs; i++) {
		const struct sgang_jobrow *job = k->gang->jobs[i];

		if (job->class != SGANG_ROW_RUNNING || !job->record.spare)
			continue;
		fprintf(out, "%s%" PRIu32, any ? "," : "", job->job_id);
		any = true;
	}
}

/* The layouts of all tasks along the ring; nothing if some are unknown. */
static void write_layouts(const struct known *k, FILE *out)
{
	uint32_t *rank = calloc(k->record->ranks + 1, sizeof(*rank));
	uint64_t done = 0;

	for (uint32_t i = 0; rank && i < k->record->members; i++) {
		const struct sgang_jobrow *job = find_rank(k->gang, i);
		const struct sgang_jobrow *next = find_rank(k->gang, i + 1);
		uint64_t end = next ? next->record.rank_offset :
				      k->record->ranks;

		if (!job || job->record.rank_offset != done || end < done ||
		    end > k->record->ranks ||
		    sgang_lists_read_layout(job->record.layout, rank + done,
					    end - done))
			break;
		done = end;
	}
	for (uint64_t i = 0; done == k->record->ranks && i < done; i++)
		fprintf(out, "%s%" PRIu32, i ? "," : "", rank[i]);
	free(rank);
}

static int by_role(const void *a, const void *b)
{
	const struct sgang_record *x = *(const struct sgang_record *const *)a;
	const struct sgang_record *y = *(const struct sgang_record *const *)b;
	int order = sgang_role_path_order(x->role, y->role);

	return order ? order :
		       (x->member_rank > y->member_rank) -
			       (x->member_rank < y->member_rank);
}

/* The first node of the job with this record. */
static void write_head(const struct known *k, const struct sgang_record *r,
		       FILE *out)
{
	const struct sgang_jobrow *job = find_rank(k->gang, r->member_rank);
	char *text = NULL;
	size_t size;
	FILE *nodes = open_memstream(&text, &size);

	if (nodes && job)
		list_nodes(job, nodes, "");
	if (nodes && !fclose(nodes))
		fprintf(out, "%.*s", (int)strcspn(text, ","), text);
	free(text);
}

/* "replica1/decode=n2,replica1/encode=n1": of each group of a tree the node of
 * its first member. */
static void write_heads(const struct known *k, FILE *out)
{
	const struct sgang_record **list = calloc(k->record->members + 1UL,
						  sizeof(const void *));
	char names[SGANG_ROLE_SIZE];
	size_t n = 0;

	for (uint32_t i = 0; list && i < k->record->members; i++) {
		const struct sgang_jobrow *job = find_rank(k->gang, i);

		if (job && job->record.role[0])
			list[n++] = &job->record;
	}
	if (list)
		qsort(list, n, sizeof(*list), by_role);
	for (size_t i = 0; i < n; i++) {
		if (i &&
		    !sgang_role_path_order(list[i - 1]->role, list[i]->role))
			continue;
		fprintf(out, "%s%s=", i ? "," : "",
			sgang_role_path_names(list[i]->role, names));
		write_head(k, list[i], out);
	}
	free(list);
}

static const char *get(void *arg, const char *name)
{
	struct known *k = arg;
	const struct sgang_record *r = k->record;
	size_t size;
	FILE *out;

	free(k->text);
	k->text = NULL;
	out = open_memstream(&k->text, &size);
	if (!out)
		return NULL;
	if (!strcmp(name, SGANG_EPOCH_NUMBER))
		fprintf(out, "%" PRIu32, r->epoch);
	else if (!strcmp(name, "SLURM_GANG_NAMESPACE"))
		fputs(r->ns, out);
	else if (!strcmp(name, "SLURM_GANG_NAME"))
		fputs(r->name, out);
	else if (!strcmp(name, "SLURM_GANG_MEMBERS"))
		fprintf(out, "%" PRIu32, r->members);
	else if (!strcmp(name, "SLURM_GANG_RANKS"))
		fprintf(out, "%" PRIu64, r->ranks);
	else if (!strcmp(name, "SLURM_GANG_RING_COST"))
		fprintf(out, "%" PRIu64, r->ring_cost);
	else if (!strcmp(name, SGANG_EPOCH_IDS))
		write_list(k, IDS, out);
	else if (!strcmp(name, SGANG_EPOCH_NODES))
		write_list(k, COUNTS, out);
	else if (!strcmp(name, SGANG_EPOCH_NNODES))
		fprintf(out, "%zu", count_nodes(k));
	else if (!strcmp(name, "SLURM_GANG_NODELIST"))
		write_list(k, NODES, out);
	else if (!strcmp(name, SGANG_EPOCH_DRAINING) && k->knows_nodes)
		write_list(k, DRAINING, out);
	else if (!strcmp(name, SGANG_EPOCH_SPARES))
		write_spares(k, out);
	else if (!strcmp(name, SGANG_EPOCH_LAYOUTS) && r->layout[0])
		write_layouts(k, out);
	else if (!strcmp(name, SGANG_EPOCH_HEADS))
		write_heads(k, out);
	fclose(out);
	if ((!strcmp(name, SGANG_EPOCH_DRAINING) && k->knows_nodes) ||
	    !strcmp(name, SGANG_EPOCH_SPARES))
		return k->text; /* "": there are none */
	return k->text && k->text[0] ? k->text : NULL;
}

/* All running members have the same epoch, except in the moment of a change.
 * Slurm may hide its nodes from users; then draining nodes are left out. */
static char *write_gang(const struct sgang_gang *gang, uint64_t wait)
{
	struct known k = { .gang = gang };
	struct sgang_error err;
	char *text;

	for (size_t i = 0; i < gang->n_jobs; i++) {
		const struct sgang_jobrow *job = gang->jobs[i];

		if (job->class == SGANG_ROW_RUNNING && job->record.placed &&
		    job->record.epoch &&
		    (!k.record || job->record.epoch > k.record->epoch))
			k.record = &job->record;
	}
	if (!k.record)
		return NULL;
	k.knows_nodes = k.record->epoch >= wait &&
			!sgang_nodes_load(&k.nodes, &err);
	text = sgang_epoch_write(get, &k);
	sgang_nodes_clear(&k.nodes);
	free(k.text);
	return text;
}

/* ---- one look ---- */

struct request {
	struct sgang_spec spec;
	uint64_t wait;
};

static bool says(const char *text, const char *name, const char *wanted)
{
	char *value = sgang_epoch_value(text, name);
	bool same = value && !strcmp(value, wanted);

	free(value);
	return same;
}

/* NULL: this is no member of that gang. */
static char *read_file(const struct request *request)
{
	const char *path = getenv(SGANG_EPOCH_STATE);
	struct sgang_error err;
	char *text = path ? sgang_text_file_read(path, SGANG_EPOCH_MAX,
						 "the state of a gang", &err) :
			    NULL;

	if (text && sgang_epoch_number(text) &&
	    says(text, "SLURM_GANG_NAME", request->spec.name) &&
	    (!request->spec.ns[0] ||
	     says(text, "SLURM_GANG_NAMESPACE", request->spec.ns)))
		return text;
	free(text);
	return NULL;
}

/* Returns an exit code: YES with '*text', or with NULL while it has not started;
 * or -1 with 'err' filled. */
static int ask_slurmctld(const struct request *request, char **text,
			 struct sgang_error *err)
{
	const struct sgang_gang *gang = NULL;
	struct sgang_jobs jobs = { .count = 0 };
	struct sgang_gangs gangs = { NULL, 0 };
	char hint[SGANG_JOBS_HINT];
	int code = -1;

	*text = NULL;
	if (sgang_jobs_load(&jobs, err) ||
	    sgang_gangs_build(&jobs, &gangs, err))
		goto out;
	switch (sgang_gangs_find(&gangs, &request->spec, sgang_cmd_user(),
				 &gang, err)) {
	case 0:
		code = sgang_cmd_no(
			"there is no gang %s%s%s%s", request->spec.ns,
			request->spec.ns[0] ? "/" : "", request->spec.name,
			sgang_jobs_hint(&jobs, &request->spec, hint));
		break;
	case 1:
		*text = write_gang(gang, request->wait);
		code = SGANG_EXIT_YES;
		if (gang->verdict)
			code = sgang_cmd_no("the gang %s has ended",
					    gang->record->name);
		break;
	}
out:
	sgang_gangs_clear(&gangs);
	sgang_jobs_clear(&jobs);
	return code;
}

/* ---- the answer ---- */

enum kind { TEXT, NUMBER, TEXTS, NUMBERS };

/* All but texts. */
static enum kind kind_of(const char *name)
{
	static const struct {
		const char *name;
		enum kind kind;
	} kinds[] = {
		{ SGANG_EPOCH_NUMBER, NUMBER },
		{ "SLURM_GANG_MEMBERS", NUMBER },
		{ "SLURM_GANG_RANKS", NUMBER },
		{ SGANG_EPOCH_NNODES, NUMBER },
		{ "SLURM_GANG_RING_COST", NUMBER },
		{ "SLURM_GANG_NODELIST", TEXTS },
		{ SGANG_EPOCH_DRAINING, TEXTS },
		{ SGANG_EPOCH_IDS, NUMBERS },
		{ SGANG_EPOCH_RANKS, NUMBERS },
		{ SGANG_EPOCH_NODES, NUMBERS },
		{ SGANG_EPOCH_SPARES, NUMBERS },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(name, kinds[i].name))
			return kinds[i].kind;
	return TEXT;
}

/* A state file is what its writer made of it. */
static struct json_object *json_value(const char *text, bool is_number)
{
	uint64_t number;

	if (is_number && !sgang_text_number(text, 0, UINT64_MAX, &number))
		return json_object_new_uint64(number);
	return json_object_new_string(text);
}

static void put(struct json_object *object, const char *key, char *value,
		enum kind kind)
{
	struct json_object *list;
	char *save = NULL;

	if (kind == TEXT || kind == NUMBER) {
		json_object_object_add(object, key,
				       json_value(value, kind == NUMBER));
		return;
	}
	list = sgang_json_list(object, key);
	for (char *word = strtok_r(value, ",", &save); word;
	     word = strtok_r(NULL, ",", &save))
		json_object_array_add(list, json_value(word, kind == NUMBERS));
}

/* SLURM_GANG_JOB_IDS is job_ids. */
static void print_json(const char *text)
{
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; sgang_epoch_name(i); i++) {
		const char *name = sgang_epoch_name(i);
		char *value = sgang_epoch_value(text, name), key[64];
		size_t n = 0;

		for (const char *p = name + strlen("SLURM_GANG_"); *p; p++)
			key[n++] = *p == '_' ? '_' : (char)(*p | 0x20);
		key[n] = '\0';
		if (value)
			put(object, key, value, kind_of(name));
		free(value);
	}
	sgang_answer_print(object, NULL);
}

static void rest(unsigned ms)
{
	const struct timespec nap = { .tv_sec = ms / 1000,
				      .tv_nsec = (long)(ms % 1000) * 1000000 };

	nanosleep(&nap, NULL);
}

static int answer(const struct request *request, struct sgang_error *err)
{
	for (;;) {
		char *text = read_file(request);
		bool local = text != NULL;
		int code = local ? SGANG_EXIT_YES :
				   ask_slurmctld(request, &text, err);

		if (code != SGANG_EXIT_YES) {
			free(text);
			return code;
		}
		if (!text && !request->wait)
			return sgang_cmd_no("the gang %s does not run",
					    request->spec.name);
		if (text && sgang_epoch_number(text) >= request->wait) {
			if (sgang_answer_is_text())
				fputs(text, stdout);
			else
				print_json(text);
			free(text);
			return SGANG_EXIT_YES;
		}
		free(text);
		rest(local ? FILE_MS : SLURMCTLD_MS);
	}
}

static int read_option(void *arg, int option, const char *value,
		       struct sgang_error *err)
{
	struct request *request = arg;
	char shown[SGANG_TEXT_SHOWN];

	if (option == OPT_WAIT) {
		if (!sgang_text_number(value, 1, UINT32_MAX, &request->wait))
			return 0;
		return sgang_errf(err, EINVAL,
				  "--wait=%s: expected a number from 1",
				  sgang_text_show(shown, value));
	}
	if (strcmp(value, "env") && strcmp(value, "json"))
		return sgang_errf(err, EINVAL,
				  "--format=%s: expected env or json",
				  sgang_text_show(shown, value));
	sgang_answer_use_json(!strcmp(value, "json"));
	return 0;
}

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	struct request request = { .wait = 0 };
	struct sgang_error err;
	const char *name;
	int next = sgang_cmd_read(verb, argc, argv, read_option, &request);
	int code;

	if (next != SGANG_CMD_END)
		return sgang_cmd_exit(next);
	name = sgang_cmd_operand(verb, argc, argv, "the name of one gang");
	if (!name)
		return SGANG_EXIT_BAD;
	sgang_spec_init(&request.spec);
	if (sgang_spec_set(&request.spec, "gang", name, &err))
		return sgang_cmd_bad("%s", err.text);
	code = answer(&request, &err);
	return code < 0 ? sgang_cmd_bad("%s", err.text) : code;
}

const struct sgang_verb sgang_verb_epoch = {
	.name = "epoch",
	.operands = "[NAMESPACE/]NAME",
	.summary = "who is in a gang that runs, and wait for a change of it",
	.options = options,
	.json = "the same as --format=json",
	.run = run
};
