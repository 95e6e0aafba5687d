/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_conf.c - sgang conf: the settings in force, and where each comes from
 *
 * slurmctld is asked for them. If it does not say, it may have written them to a
 * file, see SGANG_CONF_IN_FORCE. If that is missing or unreadable, sgang prints
 * gang.conf and warns that the settings in force may differ.
 */

#define _GNU_SOURCE /* strsep() */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/json.h"
#include "cmd/control.h"
#include "core/base/text.h"
#include "core/base/text_file.h"
#include "core/gang/conf.h"
#include "core/gang/question.h"

/* The largest size of a gang.conf, and as much again for the comments. */
#define TEXT_MAX (2 * 1024 * 1024)

/* Columns that a setting may fill before its source. */
#define WIDTH_MAX 48

enum { OPT_CONF };

static const struct sgang_cmd_option options[] = {
	[OPT_CONF] = { "conf", "FILE", "what this gang.conf says, no more", 0 },
	{ NULL, NULL, NULL, 0 }
};

struct setting {
	const char *text;   /* "HopCosts=1,2,4" */
	const char *source; /* "default", "/etc/gang.conf:7" */
};

/* Settings as text, with its comments cut off. */
struct settings {
	char *text; /* what the rest borrows from */
	struct setting *list;
	size_t n;
	const char *file;    /* the gang.conf they are from */
	const char *mistake; /* in a newer one, NULL: none */
	const char *off;     /* why there are none, NULL: there are */
	int64_t since;       /* in force; 0: not in force, or unknown */
};

static void clear(struct settings *settings)
{
	free(settings->list);
	free(settings->text);
	memset(settings, 0, sizeof(*settings));
}

/* ---- reading ---- */

static void read_comment(struct settings *settings, const char *line)
{
	uint64_t seconds;

	if (!strncmp(line, "# file=", 7))
		settings->file = line + 7;
	else if (!strncmp(line, "# mistake=", 10))
		settings->mistake = line + 10;
	else if (!strncmp(line, "# off=", 6))
		settings->off = line + 6;
	else if (!strncmp(line, "# since=", 8) &&
		 !sgang_text_number(line + 8, 1, INT64_MAX, &seconds))
		settings->since = (int64_t)seconds;
}

/* The source follows the last tab: values have none behind them. */
static void read_setting(struct settings *settings, char *line)
{
	char *source = strrchr(line, '\t');

	if (!source || strncmp(source, "\t# ", 3))
		return;
	*source = '\0';
	settings->list[settings->n++] = (struct setting){ line, source + 3 };
}

/* Take 'text' apart, which is freed with the settings. */
static int read_settings(char *text, struct settings *settings,
			 struct sgang_error *err)
{
	size_t lines = 1;
	char *p, *line;

	for (p = text; *p; p++)
		lines += *p == '\n';
	settings->text = text;
	settings->list = calloc(lines, sizeof(*settings->list));
	if (!settings->list)
		return sgang_err_memory(err);
	p = text;
	while ((line = strsep(&p, "\n"))) {
		if (line[0] == '#')
			read_comment(settings, line);
		else
			read_setting(settings, line);
	}
	return 0;
}

/* The text of the file 'path', which may be missing if 'optional'. Returns a
 * string the caller frees, or NULL with errno and 'err'. */
static char *file_text(const char *path, bool optional, struct sgang_error *err)
{
	struct sgang_conf conf;
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	if (sgang_conf_load(path, &conf, err)) {
		if (errno != ENOENT || !optional)
			return NULL;
		sgang_conf_default(&conf);
	}
	out = open_memstream(&text, &size);
	if (out) {
		sgang_conf_print_sources(&conf, path, out);
		fclose(out);
	}
	if (!text)
		sgang_err_memory(err);
	sgang_conf_free(&conf);
	return text;
}

static int read_file(const char *path, bool optional, struct settings *settings,
		     struct sgang_error *err)
{
	char *text = file_text(path, optional, err);

	return text ? read_settings(text, settings, err) : -1;
}

/* The file that slurmctld writes; "" if its name is not known. True: it is on
 * this host. */
static bool find_written(char path[SGANG_PATH])
{
	char *dir = sgang_control_state_dir(NULL);

	path[0] = '\0';
	if (!dir)
		return false;
	snprintf(path, SGANG_PATH, "%s/" SGANG_CONF_IN_FORCE, dir);
	free(dir);
	return !access(path, F_OK) || errno != ENOENT;
}

/* Ask slurmctld, or read its file. Returns 1; 0 and in 'err' why slurmctld does
 * not say; or -1 with 'err' filled. 'at_home': this is its host. */
static int read_in_force(struct settings *settings, bool *at_home,
			 struct sgang_error *err)
{
	char *told = sgang_control_ask(SGANG_QUESTION_SETTINGS, err);
	char path[SGANG_PATH];

	if (!told && errno != EPROTO)
		return -1;
	*at_home = find_written(path);
	if (!told && *at_home)
		told = sgang_text_file_read(path, TEXT_MAX, "settings", NULL);
	if (!told)
		return 0;
	return read_settings(told, settings, err) ? -1 : 1;
}

/* ---- printing ---- */

static void print_text(const struct settings *settings)
{
	size_t width = 0, i;

	for (i = 0; i < settings->n; i++) {
		size_t length = strlen(settings->list[i].text);

		if (length > width && length <= WIDTH_MAX)
			width = length;
	}
	for (i = 0; i < settings->n; i++)
		printf("%-*s # %s\n", (int)width, settings->list[i].text,
		       settings->list[i].source);
}

/* A value without the quotes around it. */
static struct json_object *json_value(const char *value)
{
	size_t n = strlen(value);

	if (n >= 2 && value[0] == '"' &&
	    strchr(value + 1, '"') == value + n - 1)
		return json_object_new_string_len(value + 1, (int)n - 2);
	return json_object_new_string(value);
}

static struct json_object *json_setting(const struct setting *setting)
{
	struct json_object *object = json_object_new_object();
	const char *value = strchr(setting->text, '=');
	const char *colon = strrchr(setting->source, ':');
	uint64_t line = 0;
	bool from_file = colon &&
			 !sgang_text_number(colon + 1, 1, UINT32_MAX, &line);

	json_object_object_add(
		object, "key",
		json_object_new_string_len(setting->text,
					   (int)(value - setting->text)));
	json_object_object_add(object, "value", json_value(value + 1));
	json_object_object_add(object, "file",
			       !from_file ?
				       NULL :
				       json_object_new_string_len(
					       setting->source,
					       (int)(colon - setting->source)));
	json_object_object_add(object, "line",
			       !from_file ? NULL :
					    json_object_new_uint64(line));
	return object;
}

static void print_json(const struct settings *settings, const char *remark)
{
	struct json_object *object = json_object_new_object();
	struct json_object *list = json_object_new_array();
	size_t i;

	for (i = 0; i < settings->n; i++)
		json_object_array_add(list, json_setting(&settings->list[i]));
	json_object_object_add(object, "in_force_since",
			       !settings->since ?
				       NULL :
				       json_object_new_int64(settings->since));
	sgang_json_string(object, "remark", remark);
	json_object_object_add(object, "settings", list);
	sgang_answer_print(object, NULL);
}

/* ---- the verb ---- */

static bool are_same(const struct settings *a, const struct settings *b)
{
	size_t i;

	for (i = 0; i < a->n && i < b->n; i++)
		if (strcmp(a->list[i].text, b->list[i].text))
			return false;
	return a->n == b->n;
}

/* True if gang.conf, as far as it can be seen here, agrees with the settings in
 * force. If not, 'why' says so. What another host than slurmctld's has does not
 * count. */
static bool holds(const struct settings *settings, bool at_home,
		  struct sgang_error *why)
{
	struct settings file = { .n = 0 };
	struct sgang_error err;
	bool same = true;

	if (settings->off) {
		sgang_errf(why, EINVAL, "gangs and placement are off: %s",
			   settings->off);
		return false;
	}
	if (settings->mistake) {
		sgang_errf(why, EINVAL,
			   "%s; the settings from before hold "
			   "until it is fixed and scontrol reconfigure is run",
			   settings->mistake);
		return false;
	}
	if (!settings->file || !at_home)
		return true;
	if (!read_file(settings->file, true, &file, &err))
		same = are_same(settings, &file);
	else if (errno == EINVAL)
		same = false; /* the file has a mistake by now */
	if (!same)
		sgang_errf(why, EINVAL,
			   "%s was changed since slurmctld has "
			   "read it; scontrol reconfigure makes it count",
			   settings->file);
	clear(&file);
	return same;
}

/* Returns an exit code and a remark in 'why', or -1 with 'err' filled. */
static int find_settings(const char *conf, struct settings *settings,
			 struct sgang_error *why, struct sgang_error *err)
{
	bool at_home = false;
	char path[SGANG_PATH];
	int rc;

	why->text[0] = '\0';
	if (conf)
		return read_file(conf, false, settings, err);
	if (sgang_cmd_conf_path(path, err))
		return -1;
	rc = read_in_force(settings, &at_home, err);
	if (rc < 0)
		return -1;
	if (rc)
		return holds(settings, at_home, why) ? SGANG_EXIT_YES :
						       SGANG_EXIT_NO;
	sgang_errf(why, EPROTO,
		   "slurmctld does not say what is in force (%s); so this is "
		   "what %s says, which slurmctld may not have read",
		   err->text, path);
	return read_file(path, true, settings, err);
}

/* Returns an exit code, or -1 with 'err' filled. */
static int answer(const char *conf, struct sgang_error *err)
{
	struct settings settings = { .n = 0 };
	struct sgang_error why;
	int code = find_settings(conf, &settings, &why, err);

	if (code >= 0 && !sgang_answer_is_text()) {
		print_json(&settings, why.text[0] ? why.text : NULL);
	} else if (code >= 0) {
		print_text(&settings);
		if (why.text[0])
			sgang_cmd_no("%s", why.text);
	}
	clear(&settings);
	return code;
}

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	const char *value, *conf = NULL;
	char shown[SGANG_TEXT_SHOWN];
	struct sgang_error err;
	int next, code;

	while ((next = sgang_cmd_next(verb, argc, argv, &value)) >= 0)
		conf = value;
	if (next != SGANG_CMD_END)
		return sgang_cmd_exit(next);
	if (optind < argc)
		return sgang_cmd_bad("unexpected word \"%s\", see sgang conf "
				     "--help",
				     sgang_text_show(shown, argv[optind]));
	code = answer(conf, &err);
	return code < 0 ? sgang_cmd_bad("%s", err.text) : code;
}

const struct sgang_verb sgang_verb_conf = {
	.name = "conf",
	.operands = NULL,
	.summary = "the settings in force, and where each comes from",
	.options = options,
	.run = run
};
