/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_metrics.c - sgang metrics: gangs and counters as OpenMetrics text
 *
 * The present state is counted from the jobs. Past events are counted by
 * slurmctld, in the file that MetricsFile= names; that text is passed on, line
 * by line, without its end.
 */

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/gangs.h"
#include "cmd/gauges.h"
#include "cmd/metrics.h"
#include "core/base/text.h"
#include "core/base/text_file.h"
#include "core/gang/conf.h"

/* The file of counters is some kilobytes long. */
#define FILE_MAX 65536

enum { OPT_CONF, OPT_FILE, OPT_OUTPUT, OPT_PROMETHEUS };

static const struct sgang_cmd_option options[] = {
	[OPT_CONF] = { "conf", "FILE", "gang.conf; default: beside slurm.conf",
		       0 },
	[OPT_FILE] = { "file", "FILE",
		       "counters; default: what MetricsFile= "
		       "names",
		       0 },
	[OPT_OUTPUT] = { "output", "FILE",
			 "write to a file, whole or not at all", 0 },
	[OPT_PROMETHEUS] = { "prometheus", NULL,
			     "print Prometheus' older text "
			     "format",
			     0 },
	{ NULL, NULL, NULL, 0 }
};

struct request {
	const char *conf, *file, *output;
	bool prometheus;
};

/* The older format gives a counter the name of its sample, and has no unit.
 * 'line' is a comment that begins with "# TYPE NAME " or the like. */
static void print_older(const char *line, size_t length, bool counter,
			FILE *out)
{
	size_t name = strlen("# TYPE "), end;

	if (!strncmp(line, "# UNIT ", name))
		return;
	end = name + strcspn(line + name, " \n");
	fprintf(out, "%.*s%s%.*s\n", (int)end, line, counter ? "_total" : "",
		(int)(length - end), line + end);
}

static bool ends_with(const char *line, size_t length, const char *word)
{
	size_t n = strlen(word);

	return length >= n && !memcmp(line + length - n, word, n);
}

/* The type of a metric stands in front of all else about it. */
static void print_counters(const char *text, bool prometheus, FILE *out)
{
	bool counter = false;
	size_t length;

	for (; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		if (!strncmp(text, "# EOF", 5))
			break;
		if (!strncmp(text, "# TYPE ", 7))
			counter = ends_with(text, length, " counter");
		if (prometheus && text[0] == '#' && length > 7)
			print_older(text, length, counter, out);
		else
			fprintf(out, "%.*s\n", (int)length, text);
	}
}

/* The samples of the file by their names, "name{labels}" included. */
static void json_counters(struct json_object *object, const char *text)
{
	struct json_object *samples = json_object_new_object();
	size_t length, name;
	char key[128];

	for (; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		name = strcspn(text, " \n");
		if (*text == '#' || name == length || name >= sizeof(key))
			continue;
		snprintf(key, sizeof(key), "%.*s", (int)name, text);
		json_object_object_add(
			samples, key,
			json_object_new_double(strtod(text + name, NULL)));
	}
	json_object_object_add(object, "counters", samples);
}

static void print_json(const struct sgang_gauges *gauges, const char *counters)
{
	struct json_object *object = json_object_new_object();

	sgang_gauges_json(gauges, object);
	if (counters)
		json_counters(object, counters);
	else
		json_object_object_add(object, "counters", NULL);
	sgang_answer_print(object, NULL);
}

/* The text of the file of counters, which the caller frees. '*text' is NULL
 * when there is none, or when it is missing and was not asked for. */
static int read_counters(const struct request *request, char **text,
			 struct sgang_error *err)
{
	struct sgang_conf conf;
	const char *path = request->file;
	int rc = 0;

	*text = NULL;
	if (sgang_cmd_conf(request->conf, &conf, err))
		return -1;
	if (!path && conf.metrics_file[0])
		path = conf.metrics_file;
	if (path) {
		*text = sgang_text_file_read(path, FILE_MAX, "a metrics file",
					     err);
		if (!*text && (request->file || errno != ENOENT))
			rc = -1;
	}
	sgang_conf_free(&conf);
	return rc;
}

static void print_text(const struct request *request,
		       const struct sgang_gauges *gauges, const char *counters,
		       FILE *out)
{
	sgang_gauges_print(gauges, out);
	if (counters)
		print_counters(counters, request->prometheus, out);
	if (!request->prometheus)
		fprintf(out, "# EOF\n");
}

int sgang_metrics_text(const struct sgang_gangs *gangs, const char *conf,
		       FILE *out, struct sgang_error *err)
{
	struct request request = { .conf = conf };
	struct sgang_gauges gauges = { .part = NULL };
	char *counters;
	int rc;

	if (read_counters(&request, &counters, err))
		return -1;
	rc = sgang_gauges_count(gangs, time(NULL), &gauges, err);
	if (!rc)
		print_text(&request, &gauges, counters, out);
	sgang_gauges_clear(&gauges);
	free(counters);
	return rc;
}

/* Who reads the file meanwhile finds all or what it was. */
static int write_text(const struct request *request,
		      const struct sgang_gauges *gauges, const char *counters,
		      struct sgang_error *err)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc;

	if (out)
		print_text(request, gauges, counters, out);
	if (!sgang_text_close(out, &text))
		return sgang_err_memory(err);
	rc = sgang_text_file_write(request->output, text, err);
	free(text);
	return rc;
}

static int print(const struct request *request,
		 const struct sgang_gauges *gauges, const char *counters,
		 struct sgang_error *err)
{
	if (request->output)
		return write_text(request, gauges, counters, err);
	if (sgang_answer_is_text())
		print_text(request, gauges, counters, stdout);
	else
		print_json(gauges, counters);
	return 0;
}

static int answer(const struct request *request, struct sgang_error *err)
{
	struct sgang_jobs jobs = { .count = 0 };
	struct sgang_gangs gangs = { NULL, 0 };
	struct sgang_gauges gauges = { .part = NULL };
	char *counters;
	int rc = -1;

	if (read_counters(request, &counters, err))
		return -1;
	if (!sgang_jobs_load(&jobs, err) &&
	    !sgang_gangs_build(&jobs, &gangs, err) &&
	    !sgang_gauges_count(&gangs, time(NULL), &gauges, err))
		rc = print(request, &gauges, counters, err);
	sgang_gauges_clear(&gauges);
	sgang_gangs_clear(&gangs);
	sgang_jobs_clear(&jobs);
	free(counters);
	return rc;
}

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	struct request request = { .conf = NULL };
	char shown[SGANG_TEXT_SHOWN];
	struct sgang_error err;
	const char *value;
	int next;

	while ((next = sgang_cmd_next(verb, argc, argv, &value)) >= 0) {
		if (next == OPT_CONF)
			request.conf = value;
		else if (next == OPT_FILE)
			request.file = value;
		else if (next == OPT_OUTPUT)
			request.output = value;
		else
			request.prometheus = true;
	}
	if (next != SGANG_CMD_END)
		return sgang_cmd_exit(next);
	if (optind < argc)
		return sgang_cmd_bad(
			"unexpected word \"%s\", see sgang metrics "
			"--help",
			sgang_text_show(shown, argv[optind]));
	if (request.output && !sgang_answer_is_text())
		return sgang_cmd_bad("--output writes text: it does not go "
				     "with --json and --yaml");
	if (answer(&request, &err))
		return sgang_cmd_bad("%s", err.text);
	return SGANG_EXIT_YES;
}

const struct sgang_verb sgang_verb_metrics = {
	.name = "metrics",
	.operands = NULL,
	.summary = "gangs and counters for monitoring, as OpenMetrics text",
	.options = options,
	.run = run
};
