/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_list.c - sgang list: the gangs that Slurm knows, one line each */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/gangs.h"
#include "core/text.h"

enum {
	OPT_USER,
	OPT_PARTITION,
	OPT_PHASE,
	OPT_NOHEADER,
	OPT_JSON
};

static const struct sgang_cmd_option options[] = {
	[OPT_USER] = { "user", "NAME", "gangs with a job of this user", 0 },
	[OPT_PARTITION] = { "partition", "NAME",
			    "gangs with a job in this partition", 0 },
	[OPT_PHASE] = { "phase", "PHASE", "gangs in this phase", 0 },
	[OPT_NOHEADER] = { "noheader", NULL, "leave out the line of titles",
			   0 },
	[OPT_JSON] = { "json", NULL, "print JSON", 0 },
	{ NULL, NULL, NULL, 0 }
};

struct request {
	const char *user;
	const char *partition;
	int phase;			/* -1: all */
	bool noheader;
	bool json;
};

enum {
	COL_GANG,
	COL_PHASE,
	COL_MEMBERS,
	COL_NODES,
	COL_RING,
	COL_CROSS,
	COL_TIER,
	COL_REASON,
	COLUMNS
};

static const char *const titles[COLUMNS] = {
	[COL_GANG] = "GANG",
	[COL_PHASE] = "PHASE",
	[COL_MEMBERS] = "MEMBERS",
	[COL_NODES] = "NODES",
	[COL_RING] = "RING",
	[COL_CROSS] = "CROSS",
	[COL_TIER] = "TIER",
	[COL_REASON] = "REASON",
};

/* A line of the table. A longer reason is cut. */
struct line {
	char cell[COLUMNS][SGANG_GANGS_NAME];
};

static int read_options(const struct sgang_verb *verb, int argc, char **argv,
			struct request *request)
{
	char shown[SGANG_TEXT_SHOWN];
	const char *value;
	int next;

	while ((next = sgang_cmd_next(verb, argc, argv, &value)) >= 0) {
		switch (next) {
		case OPT_USER:
			request->user = value;
			break;
		case OPT_PARTITION:
			request->partition = value;
			break;
		case OPT_PHASE:
			request->phase = sgang_phase_find(value);
			if (request->phase < 0) {
				sgang_cmd_bad("--phase=%s: expected a phase "
					      "like Waiting or Running",
					      sgang_text_show(shown, value));
				return SGANG_CMD_WRONG;
			}
			break;
		case OPT_NOHEADER:
			request->noheader = true;
			break;
		case OPT_JSON:
			request->json = true;
			break;
		}
	}
	return next;
}

/* Does the comma separated list, as Slurm has it for a job that may go to
 * several partitions, hold the word? */
static bool list_has(const char *list, const char *word)
{
	size_t length = strlen(word);

	while (list) {
		if (!strncmp(list, word, length) &&
		    (list[length] == ',' || list[length] == '\0'))
			return true;
		list = strchr(list, ',');
		if (list)
			list++;
	}
	return false;
}

static bool of_user(const struct sgang_jobrow *job,
		    const struct request *request)
{
	return !strcmp(job->user, request->user);
}

static bool in_partition(const struct sgang_jobrow *job,
			 const struct request *request)
{
	return list_has(job->partition, request->partition);
}

static bool wanted(const struct request *request, const struct sgang_gang *gang)
{
	bool user = !request->user, partition = !request->partition;
	size_t i;

	for (i = 0; i < gang->n_jobs; i++) {
		user = user || of_user(gang->jobs[i], request);
		partition = partition || in_partition(gang->jobs[i], request);
	}
	if (gang->object) {
		user = user || of_user(gang->object, request);
		partition = partition || in_partition(gang->object, request);
	}
	return user && partition &&
	       (request->phase < 0 || request->phase == (int)gang->phase);
}

static void fill_line(struct line *line, const struct sgang_gang *gang)
{
	const struct sgang_record *record = gang->record;
	size_t size = sizeof(line->cell[0]);

	sgang_gangs_name(record, line->cell[COL_GANG]);
	snprintf(line->cell[COL_PHASE], size, "%s",
		 sgang_phase_name(gang->phase));
	if (record->min_member)
		snprintf(line->cell[COL_MEMBERS], size,
			 "%" PRIu32 "/%" PRIu32 "/%" PRIu32,
			 sgang_gangs_members(gang), record->min_member,
			 record->total);
	else	/* Undefined */
		snprintf(line->cell[COL_MEMBERS], size, "%" PRIu32 "/-/-",
			 sgang_gangs_members(gang));
	snprintf(line->cell[COL_NODES], size, "%zu", gang->n_nodes);
	snprintf(line->cell[COL_REASON], size, "%s",
		 gang->reason[0] ? gang->reason : "-");
	if (!record->placed) {
		strcpy(line->cell[COL_RING], "-");
		strcpy(line->cell[COL_CROSS], "-");
		strcpy(line->cell[COL_TIER], "-");
		return;
	}
	snprintf(line->cell[COL_RING], size, "%" PRIu64, record->ring_cost);
	snprintf(line->cell[COL_CROSS], size, "%" PRIu64, record->cross_links);
	snprintf(line->cell[COL_TIER], size, "%s", record->tier);
}

/* Numbers stand right, words left; nothing follows the last column. */
static void print_cell(const char *text, int column, int width)
{
	if (column == COL_REASON)
		printf("%s\n", text);
	else if (column == COL_NODES || column == COL_RING ||
		 column == COL_CROSS)
		printf("%*s ", width, text);
	else
		printf("%-*s ", width, text);
}

static void print_lines(const struct line *lines, size_t n, bool noheader)
{
	int width[COLUMNS];
	size_t i;
	int c;

	for (c = 0; c < COLUMNS; c++) {
		width[c] = noheader ? 0 : (int)strlen(titles[c]);
		for (i = 0; i < n; i++)
			if ((int)strlen(lines[i].cell[c]) > width[c])
				width[c] = (int)strlen(lines[i].cell[c]);
	}
	for (c = 0; c < COLUMNS && !noheader; c++)
		print_cell(titles[c], c, width[c]);
	for (i = 0; i < n; i++)
		for (c = 0; c < COLUMNS; c++)
			print_cell(lines[i].cell[c], c, width[c]);
}

static int print_table(const struct request *request,
		       const struct sgang_gangs *gangs, struct sgang_error *err)
{
	struct line *lines = calloc(gangs->count + 1, sizeof(*lines));
	size_t i, n = 0;

	if (!lines)
		return sgang_errf(err, ENOMEM, "out of memory");
	for (i = 0; i < gangs->count; i++)
		if (wanted(request, &gangs->gang[i]))
			fill_line(&lines[n++], &gangs->gang[i]);
	print_lines(lines, n, request->noheader);
	free(lines);
	return 0;
}

static void print_json(const struct request *request,
		       const struct sgang_gangs *gangs)
{
	struct json_object *object = json_object_new_object();
	struct json_object *list = json_object_new_array();
	size_t i;

	for (i = 0; i < gangs->count; i++)
		if (wanted(request, &gangs->gang[i]))
			json_object_array_add(
				list, sgang_gangs_json(&gangs->gang[i]));
	json_object_object_add(object, "gangs", list);
	sgang_cmd_print_json(object);
}

static int answer(const struct request *request, struct sgang_error *err)
{
	struct sgang_jobs jobs = { NULL, 0 };
	struct sgang_gangs gangs = { NULL, 0 };
	int rc = -1;

	if (sgang_jobs_load(&jobs, err) ||
	    sgang_gangs_build(&jobs, &gangs, err))
		goto out;
	rc = 0;
	if (request->json)
		print_json(request, &gangs);
	else
		rc = print_table(request, &gangs, err);
out:
	sgang_gangs_clear(&gangs);
	sgang_jobs_clear(&jobs);
	return rc;
}

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	struct request request = { .phase = -1 };
	int next = read_options(verb, argc, argv, &request);
	char shown[SGANG_TEXT_SHOWN];
	struct sgang_error err;

	if (next != SGANG_CMD_END)
		return sgang_cmd_exit(next);
	if (optind < argc)
		return sgang_cmd_bad("unexpected word \"%s\", see sgang list "
				     "--help",
				     sgang_text_show(shown, argv[optind]));
	if (answer(&request, &err))
		return sgang_cmd_bad("%s", err.text);
	return SGANG_EXIT_YES;
}

const struct sgang_verb sgang_verb_list = {
	.name = "list",
	.operands = NULL,
	.summary = "the gangs that Slurm knows, one line each",
	.options = options,
	.run = run
};
