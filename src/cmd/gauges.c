/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gauges.c - the present state of all gangs as numbers for monitoring */

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/gauges.h"
#include "cmd/json.h"
#include "core/base/hostlist.h"

static const char *const states[SGANG_GAUGE_STATES] = {
	[SGANG_GAUGE_WAITING] = "waiting",
	[SGANG_GAUGE_HELD] = "held",
	[SGANG_GAUGE_PLACEHOLDER] = "placeholder",
	[SGANG_GAUGE_RUNNING] = "running",
};

/* "Waiting" as in the record: "waiting". */
static const char *phase_word(int phase, char word[16])
{
	snprintf(word, 16, "%s", sgang_phase_name((enum sgang_phase)phase));
	word[0] = (char)(word[0] | 0x20);
	return word;
}

/* ---- counting ---- */

static void add_gang(struct sgang_gauge *sum, const struct sgang_gang *gang,
		     int64_t now)
{
	int64_t age = now - gang->submit_time;

	sum->gangs[gang->phase]++;
	sum->members[SGANG_GAUGE_WAITING] += gang->pending;
	sum->members[SGANG_GAUGE_HELD] += gang->held;
	sum->members[SGANG_GAUGE_PLACEHOLDER] += gang->placeholders;
	sum->members[SGANG_GAUGE_RUNNING] += gang->running;
	if ((gang->phase == SGANG_PHASE_WAITING ||
	     gang->phase == SGANG_PHASE_HOLDING) &&
	    age > 0 && (uint64_t)age > sum->oldest_wait)
		sum->oldest_wait = (uint64_t)age;
}

static const char *partition_of(const struct sgang_gang *gang)
{
	const char *name = gang->n_jobs ? gang->jobs[0]->partition :
			   gang->object ? gang->object->partition :
					  NULL;

	return name ? name : "";
}

static int part_order(const void *a, const void *b)
{
	const struct sgang_gauge_part *x = a, *y = b;
	int order = strcmp(x->partition, y->partition);

	return order ? order : strcmp(x->ns, y->ns);
}

static void add(struct sgang_gauge *to, const struct sgang_gauge *from)
{
	size_t i;

	for (i = 0; i < SGANG_PHASES; i++)
		to->gangs[i] += from->gangs[i];
	for (i = 0; i < SGANG_GAUGE_STATES; i++)
		to->members[i] += from->members[i];
	if (from->oldest_wait > to->oldest_wait)
		to->oldest_wait = from->oldest_wait;
}

/* One part a gang, and then those of the same names together. */
static int count_parts(const struct sgang_gangs *gangs, int64_t now,
		       struct sgang_gauges *g)
{
	struct sgang_gauge_part *part;
	size_t i;

	g->part = part = calloc(gangs->count + 1, sizeof(*part));
	if (!part)
		return -1;
	for (i = 0; i < gangs->count; i++) {
		part[i].partition = partition_of(&gangs->gang[i]);
		part[i].ns = gangs->gang[i].record->ns;
		add_gang(&part[i].sum, &gangs->gang[i], now);
		add(&g->all, &part[i].sum);
	}
	qsort(part, gangs->count, sizeof(*part), part_order);
	for (i = 0; i < gangs->count; i++) {
		if (g->n && !part_order(&part[g->n - 1], &part[i]))
			add(&part[g->n - 1].sum, &part[i].sum);
		else
			part[g->n++] = part[i];
	}
	return 0;
}

static int name_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Slurm counts a placeholder of a gang that has started as running. */
static bool is_not_launched(const struct sgang_jobrow *job)
{
	return job->class == SGANG_ROW_HELD ||
	       (job->record.placeholder && job->class == SGANG_ROW_RUNNING);
}

static int count_held_nodes(const struct sgang_gangs *gangs,
			    struct sgang_gauges *g, struct sgang_error *err)
{
	char **names = NULL;
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < gangs->count; i++) {
		const struct sgang_gang *gang = &gangs->gang[i];

		if (!gang->held && !gang->placeholders)
			continue;
		for (size_t k = 0; k < gang->n_jobs && !rc; k++) {
			const struct sgang_jobrow *job = gang->jobs[k];

			if (is_not_launched(job) && job->nodes[0])
				rc = sgang_hostlist_append(job->nodes, &names,
							   &n, err);
		}
	}
	sgang_hostlist_unique(names, &n, name_order);
	g->held_nodes = n;
	sgang_hostlist_free(names);
	return rc;
}

int sgang_gauges_count(const struct sgang_gangs *gangs, int64_t now,
		       struct sgang_gauges *gauges, struct sgang_error *err)
{
	memset(gauges, 0, sizeof(*gauges));
	if (count_parts(gangs, now, gauges))
		return sgang_err_memory(err);
	if (count_held_nodes(gangs, gauges, err)) {
		sgang_gauges_clear(gauges);
		return -1;
	}
	return 0;
}

void sgang_gauges_clear(struct sgang_gauges *gauges)
{
	free(gauges->part);
	memset(gauges, 0, sizeof(*gauges));
}

/* ---- text ---- */

static void print_head(const char *name, const char *help, FILE *out)
{
	fprintf(out, "# TYPE slurm_gang_%s gauge\n# HELP slurm_gang_%s %s\n",
		name, name, help);
}

static void print_label(const char *name, const char *value, FILE *out)
{
	fprintf(out, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '\n')
			fputs("\\n", out);
		else
			fprintf(out, "%s%c",
				*value == '"' || *value == '\\' ? "\\" : "",
				*value);
	}
	fputc('"', out);
}

/* "{partition="gpu",namespace="alice"", and more labels may follow. */
static void print_part(const char *metric, const struct sgang_gauge_part *part,
		       FILE *out)
{
	fprintf(out, "slurm_gang_%s{", metric);
	print_label("partition", part->partition, out);
	fputc(',', out);
	print_label("namespace", part->ns, out);
}

static void print_all(const struct sgang_gauges *g, FILE *out)
{
	char word[16];
	int i;

	print_head("build_info", "The slurm-gang that sgang is of.", out);
	fprintf(out, "slurm_gang_build_info{version=\"%s\"} 1\n",
		PACKAGE_VERSION);
	print_head("gangs", "Gangs that slurmctld knows.", out);
	for (i = 0; i < SGANG_PHASES; i++)
		fprintf(out, "slurm_gang_gangs{phase=\"%s\"} %" PRIu64 "\n",
			phase_word(i, word), g->all.gangs[i]);
	print_head("members", "Members of gangs that have not ended.", out);
	for (i = 0; i < SGANG_GAUGE_STATES; i++)
		fprintf(out, "slurm_gang_members{state=\"%s\"} %" PRIu64 "\n",
			states[i], g->all.members[i]);
	print_head("held_nodes", "Nodes of members that were not launched yet.",
		   out);
	fprintf(out, "slurm_gang_held_nodes %" PRIu64 "\n", g->held_nodes);
	print_head("oldest_wait_seconds",
		   "Age of the oldest gang that waits for nodes.", out);
	fprintf(out, "slurm_gang_oldest_wait_seconds %" PRIu64 "\n",
		g->all.oldest_wait);
}

static void print_parts(const struct sgang_gauges *g, FILE *out)
{
	char word[16];
	size_t i;
	int k;

	print_head("partition_gangs", "Gangs by partition and namespace.", out);
	for (i = 0; i < g->n; i++) {
		for (k = 0; k < SGANG_PHASES; k++) {
			print_part("partition_gangs", &g->part[i], out);
			fprintf(out, ",phase=\"%s\"} %" PRIu64 "\n",
				phase_word(k, word), g->part[i].sum.gangs[k]);
		}
	}
	print_head("partition_members", "Members by partition and namespace.",
		   out);
	for (i = 0; i < g->n; i++) {
		for (k = 0; k < SGANG_GAUGE_STATES; k++) {
			print_part("partition_members", &g->part[i], out);
			fprintf(out, ",state=\"%s\"} %" PRIu64 "\n", states[k],
				g->part[i].sum.members[k]);
		}
	}
	print_head("partition_oldest_wait_seconds",
		   "Age of the oldest gang that waits for nodes.", out);
	for (i = 0; i < g->n; i++) {
		print_part("partition_oldest_wait_seconds", &g->part[i], out);
		fprintf(out, "} %" PRIu64 "\n", g->part[i].sum.oldest_wait);
	}
}

void sgang_gauges_print(const struct sgang_gauges *gauges, FILE *out)
{
	print_all(gauges, out);
	if (gauges->n)
		print_parts(gauges, out);
}

/* ---- JSON ---- */

static void put_gauge(const struct sgang_gauge *gauge,
		      struct json_object *object)
{
	struct json_object *gangs = sgang_json_inner(object, "gangs");
	struct json_object *members = sgang_json_inner(object, "members");
	char word[16];
	int i;

	for (i = 0; i < SGANG_PHASES; i++)
		sgang_json_number(gangs, phase_word(i, word), gauge->gangs[i]);
	for (i = 0; i < SGANG_GAUGE_STATES; i++)
		sgang_json_number(members, states[i], gauge->members[i]);
	sgang_json_number(object, "oldest_wait", gauge->oldest_wait);
}

void sgang_gauges_json(const struct sgang_gauges *gauges,
		       struct json_object *object)
{
	struct json_object *list, *row;

	put_gauge(&gauges->all, object);
	sgang_json_number(object, "held_nodes", gauges->held_nodes);
	list = sgang_json_list(object, "partitions");
	for (size_t i = 0; i < gauges->n; i++) {
		row = sgang_json_row(list);
		sgang_json_string(row, "partition", gauges->part[i].partition);
		sgang_json_string(row, "namespace", gauges->part[i].ns);
		put_gauge(&gauges->part[i].sum, row);
	}
}
