/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_metrics.c - sgang metrics: gangs and counters as OpenMetrics text
 *
 * The present state is counted from the jobs. Past events are counted by
 * slurmctld, in the file that MetricsFile= names; that text is passed on, line
 * by line, without its end.
 */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/gangs.h"
#include "core/base/text.h"
#include "core/base/text_file.h"
#include "core/gang/conf.h"

/* The file of counters is some kilobytes long. */
#define FILE_MAX 65536

enum { OPT_CONF, OPT_FILE, OPT_PROMETHEUS };

static const struct sgang_cmd_option options[] = {
	[OPT_CONF] = { "conf", "FILE", "gang.conf; default: beside slurm.conf",
		       0 },
	[OPT_FILE] = { "file", "FILE",
		       "counters; default: what MetricsFile= "
		       "names",
		       0 },
	[OPT_PROMETHEUS] = { "prometheus", NULL,
			     "print Prometheus' older text "
			     "format",
			     0 },
	{ NULL, NULL, NULL, 0 }
};

struct request {
	const char *conf, *file;
	bool prometheus;
};

enum member_state {
	MEMBER_WAITING,
	MEMBER_HELD,
	MEMBER_RUNNING,
	MEMBER_STATES
};

static const char *const member_states[MEMBER_STATES] = {
	[MEMBER_WAITING] = "waiting",
	[MEMBER_HELD] = "held",
	[MEMBER_RUNNING] = "running",
};

/* The present state. */
struct now {
	uint64_t gangs[SGANG_PHASES];
	uint64_t members[MEMBER_STATES];
};

static int count_now(struct now *now, struct sgang_error *err)
{
	struct sgang_jobs jobs = { NULL, 0 };
	struct sgang_gangs gangs = { NULL, 0 };
	int rc = -1;

	memset(now, 0, sizeof(*now));
	if (sgang_jobs_load(&jobs, err) ||
	    sgang_gangs_build(&jobs, &gangs, err))
		goto out;
	for (size_t i = 0; i < gangs.count; i++) {
		const struct sgang_gang *gang = &gangs.gang[i];

		now->gangs[gang->phase]++;
		now->members[MEMBER_WAITING] += gang->pending;
		now->members[MEMBER_HELD] += gang->held;
		now->members[MEMBER_RUNNING] += gang->running;
	}
	rc = 0;
out:
	sgang_gangs_clear(&gangs);
	sgang_jobs_clear(&jobs);
	return rc;
}

/* "Waiting" as in the record: "waiting". */
static const char *phase_word(int phase, char word[16])
{
	snprintf(word, 16, "%s", sgang_phase_name((enum sgang_phase)phase));
	word[0] = (char)(word[0] | 0x20);
	return word;
}

static void print_now(const struct now *now)
{
	char word[16];
	int i;

	printf("# TYPE slurm_gang_gangs gauge\n"
	       "# HELP slurm_gang_gangs Gangs that slurmctld knows.\n");
	for (i = 0; i < SGANG_PHASES; i++)
		printf("slurm_gang_gangs{phase=\"%s\"} %" PRIu64 "\n",
		       phase_word(i, word), now->gangs[i]);
	printf("# TYPE slurm_gang_members gauge\n"
	       "# HELP slurm_gang_members Members of gangs that have not "
	       "ended.\n");
	for (i = 0; i < MEMBER_STATES; i++)
		printf("slurm_gang_members{state=\"%s\"} %" PRIu64 "\n",
		       member_states[i], now->members[i]);
}

/* The older format gives a counter the name of its sample, and has no unit.
 * 'line' is a comment that begins with "# TYPE NAME " or the like. */
static void print_older(const char *line, size_t length, bool counter)
{
	size_t name = strlen("# TYPE "), end;

	if (!strncmp(line, "# UNIT ", name))
		return;
	end = name + strcspn(line + name, " \n");
	printf("%.*s%s%.*s\n", (int)end, line, counter ? "_total" : "",
	       (int)(length - end), line + end);
}

static bool ends_with(const char *line, size_t length, const char *word)
{
	size_t n = strlen(word);

	return length >= n && !memcmp(line + length - n, word, n);
}

/* The type of a metric stands in front of all else about it. */
static void print_counters(const char *text, bool prometheus)
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
			print_older(text, length, counter);
		else
			printf("%.*s\n", (int)length, text);
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

static void print_json(const struct now *now, const char *counters)
{
	struct json_object *object = json_object_new_object();
	struct json_object *gangs = json_object_new_object();
	struct json_object *members = json_object_new_object();
	char word[16];
	int i;

	for (i = 0; i < SGANG_PHASES; i++)
		json_object_object_add(
			gangs, phase_word(i, word),
			json_object_new_int64((int64_t)now->gangs[i]));
	for (i = 0; i < MEMBER_STATES; i++)
		json_object_object_add(
			members, member_states[i],
			json_object_new_int64((int64_t)now->members[i]));
	json_object_object_add(object, "gangs", gangs);
	json_object_object_add(object, "members", members);
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

static int answer(const struct request *request, struct sgang_error *err)
{
	struct now now;
	char *counters;

	if (read_counters(request, &counters, err))
		return -1;
	if (count_now(&now, err)) {
		free(counters);
		return -1;
	}
	if (!sgang_answer_is_text()) {
		print_json(&now, counters);
	} else {
		print_now(&now);
		if (counters)
			print_counters(counters, request->prometheus);
		if (!request->prometheus)
			printf("# EOF\n");
	}
	free(counters);
	return 0;
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
