/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd.c - what the verbs of sgang share: options, messages, exit codes */

#include <errno.h>
#include <getopt.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/json.h"
#include "core/base/near.h"
#include "core/base/text.h"

/* The path of slurm.conf unless SLURM_CONF is set. */
#define SLURM_CONF_DEFAULT "/etc/slurm/slurm.conf"

/* The first of getopt's numbers of our options: above all characters, which
 * stand for the short options that we do not have. */
#define OPTION_FIRST 256
#define OPTION_HELP (OPTION_FIRST + SGANG_CMD_OPTIONS_MAX)
#define OPTION_JSON (OPTION_HELP + 1)
#define OPTION_YAML (OPTION_HELP + 2)

/* The options of a verb, --json, --help, --yaml and the end. */
#define LONGOPTS (SGANG_CMD_OPTIONS_MAX + 4)

const struct sgang_cmd_option sgang_cmd_no_options[] = { { NULL, NULL, NULL,
							   0 } };

static void print_option(const char *name, const char *arg, const char *help)
{
	char left[32];

	snprintf(left, sizeof(left), "--%s%s%s", name, arg ? "=" : "",
		 arg ? arg : "");
	printf("  %-22s %s\n", left, help);
}

static void print_help(const struct sgang_verb *verb)
{
	const struct sgang_cmd_option *option;

	printf("Usage: sgang %s [OPTION...]%s%s\n%s\n\n", verb->name,
	       verb->operands ? " " : "", verb->operands ? verb->operands : "",
	       verb->summary);
	for (option = verb->options; option->name; option++)
		print_option(option->name, option->arg, option->help);
	print_option("json", NULL, verb->json ? verb->json : "print JSON");
	print_option("yaml", NULL, "print YAML");
	print_option("help", NULL, "print this text");
	printf("\nExit status: 0 yes, 1 no, 2 usage or bad input. "
	       "More in sgang(1).\n");
}

/* The colon in front distinguishes a missing value from an unknown option; the
 * plus ends the options where the operands begin. */
static void fill_letters(const struct sgang_verb *verb,
			 char letters[2 * SGANG_CMD_OPTIONS_MAX + 3])
{
	const struct sgang_cmd_option *option;

	if (verb->command)
		*letters++ = '+';
	*letters++ = ':';
	for (option = verb->options; option->name; option++) {
		if (!option->letter)
			continue;
		*letters++ = option->letter;
		if (option->arg)
			*letters++ = ':';
	}
	*letters = '\0';
}

/* The row of the option with that letter, -1: none. */
static int find_letter(const struct sgang_verb *verb, int letter)
{
	int i;

	for (i = 0; verb->options[i].name; i++)
		if (verb->options[i].letter &&
		    verb->options[i].letter == letter)
			return i;
	return -1;
}

static void fill_longopts(const struct sgang_verb *verb,
			  struct option longopts[LONGOPTS])
{
	int i;

	for (i = 0; verb->options[i].name; i++) {
		longopts[i].name = verb->options[i].name;
		longopts[i].has_arg = verb->options[i].arg ? required_argument :
							     no_argument;
		longopts[i].flag = NULL;
		longopts[i].val = OPTION_FIRST + i;
	}
	longopts[i++] = (struct option){ "help", no_argument, NULL,
					 OPTION_HELP };
	longopts[i++] = (struct option){ "json", no_argument, NULL,
					 OPTION_JSON };
	longopts[i++] = (struct option){ "yaml", no_argument, NULL,
					 OPTION_YAML };
	longopts[i] = (struct option){ NULL, 0, NULL, 0 };
}

/* The option that a wrong long one may mean, NULL: none is like it. */
static const char *near_option(const struct sgang_verb *verb, const char *word)
{
	const struct sgang_cmd_option *option;
	char name[64];
	struct sgang_near near = { .wanted = name };

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	for (option = verb->options; option->name; option++)
		sgang_near_offer(&near, option->name);
	sgang_near_offer(&near, "json");
	return near.found;
}

/* Report what getopt refused: the word before argv[optind], or, inside of a
 * word, the short option 'optopt'. */
static void complain(const struct sgang_verb *verb, char **argv, int found)
{
	char shown[SGANG_TEXT_SHOWN], letter[] = { '-', (char)optopt, '\0' };
	bool is_short = optopt && optopt < OPTION_FIRST;
	const char *what = "unknown option", *near = NULL;

	if (found == ':')
		what = "a value is missing:";
	else if (optopt >= OPTION_FIRST)
		what = "this option takes no value:";
	else if (!is_short)
		near = near_option(verb, argv[optind - 1] + 2);
	if (near) {
		sgang_cmd_bad("unknown option %s, did you mean --%s?",
			      sgang_text_show(shown, argv[optind - 1]), near);
		return;
	}
	sgang_cmd_bad("%s %s, see sgang %s --help", what,
		      sgang_text_show(shown,
				      is_short ? letter : argv[optind - 1]),
		      verb->name);
}

int sgang_cmd_next(const struct sgang_verb *verb, int argc, char **argv,
		   const char **value)
{
	struct option longopts[LONGOPTS];
	char letters[2 * SGANG_CMD_OPTIONS_MAX + 3];
	int found;

	fill_longopts(verb, longopts);
	fill_letters(verb, letters);
	opterr = 0;
	while ((found = getopt_long(argc, argv, letters, longopts, NULL)) ==
		       OPTION_JSON ||
	       found == OPTION_YAML) {
		sgang_answer_use_json(true);
		if (found == OPTION_YAML)
			sgang_answer_use_yaml();
	}
	*value = optarg;
	if (found == -1)
		return SGANG_CMD_END;
	if (found == OPTION_HELP) {
		print_help(verb);
		return SGANG_CMD_HELP;
	}
	if (found >= OPTION_FIRST)
		return found - OPTION_FIRST;
	if (find_letter(verb, found) >= 0)
		return find_letter(verb, found);
	complain(verb, argv, found);
	return SGANG_CMD_WRONG;
}

int sgang_cmd_read(const struct sgang_verb *verb, int argc, char **argv,
		   int (*read)(void *arg, int option, const char *value,
			       struct sgang_error *err),
		   void *arg)
{
	struct sgang_error err;
	const char *value;
	int next;

	while ((next = sgang_cmd_next(verb, argc, argv, &value)) >= 0) {
		if (read(arg, next, value, &err)) {
			sgang_cmd_bad("%s", err.text);
			return SGANG_CMD_WRONG;
		}
	}
	return next;
}

int sgang_cmd_exit(int next)
{
	return next == SGANG_CMD_HELP ? SGANG_EXIT_YES : SGANG_EXIT_BAD;
}

const char *sgang_cmd_operand(const struct sgang_verb *verb, int argc,
			      char **argv, const char *what)
{
	if (argc - optind == 1)
		return argv[optind];
	sgang_cmd_bad("expected %s, see sgang %s --help", what, verb->name);
	return NULL;
}

const char *sgang_cmd_user(void)
{
	const struct passwd *entry = getpwuid(getuid());

	return entry ? entry->pw_name : NULL;
}

const char *sgang_cmd_slurm_conf(void)
{
	static const char cached[] = "/run/slurm/conf/slurm.conf";
	const char *path = getenv("SLURM_CONF");

	if (path && path[0])
		return path;
	return access(SLURM_CONF_DEFAULT, F_OK) && !access(cached, F_OK) ?
		       cached :
		       SLURM_CONF_DEFAULT;
}

int sgang_cmd_conf_path(char path[SGANG_PATH], struct sgang_error *err)
{
	char folder[SGANG_PATH];

	return sgang_path_folder(folder, sgang_cmd_slurm_conf(), err) ?
		       -1 :
		       sgang_path_in(path, folder, "gang.conf", err);
}

int sgang_cmd_gang(const char *text, struct sgang_spec *spec,
		   struct sgang_error *err)
{
	const char *user = sgang_cmd_user();

	sgang_spec_init(spec);
	if (sgang_spec_set(spec, "gang", text, err))
		return -1;
	if (spec->ns[0])
		return 0;
	if (!user || strlen(user) >= sizeof(spec->ns))
		return sgang_errf(err, EINVAL,
				  "you have no name to be the "
				  "gang's namespace, say NAMESPACE/%s",
				  spec->name);
	strcpy(spec->ns, user);
	return 0;
}

bool sgang_cmd_lists_meet(const char *a, const char *b)
{
	for (;;) {
		size_t n_a = strcspn(a, ",");
		const char *at = b;

		for (;;) {
			size_t n_b = strcspn(at, ",");

			if (n_a == n_b && n_a && !memcmp(a, at, n_a))
				return true;
			if (!at[n_b])
				break;
			at += n_b + 1;
		}
		if (!a[n_a])
			return false;
		a += n_a + 1;
	}
}

/* Print one line, even if a file name in it holds control characters. */
static void say(const char *fmt, va_list args)
{
	char text[2048];
	char *p;

	vsnprintf(text, sizeof(text), fmt, args);
	for (p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == '\177')
			*p = '?';
	fprintf(stderr, "sgang: %s\n", text);
}

void sgang_cmd_warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}

int sgang_cmd_bad(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
	return SGANG_EXIT_BAD;
}

int sgang_cmd_no(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
	return SGANG_EXIT_NO;
}

int sgang_cmd_conf(const char *path, struct sgang_conf *conf,
		   struct sgang_error *err)
{
	char beside[SGANG_PATH];

	sgang_conf_default(conf);
	if (path)
		return sgang_conf_load(path, conf, err);
	if (sgang_cmd_conf_path(beside, err) || access(beside, R_OK))
		return 0;
	return sgang_conf_load(beside, conf, err);
}

struct json_object *sgang_cmd_json_gang(const struct sgang_spec *gang)
{
	char name[SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + 2];
	struct json_object *object = json_object_new_object();

	snprintf(name, sizeof(name), "%s/%s", gang->ns, gang->name);
	sgang_json_string(object, "gang", name);
	return object;
}

int sgang_cmd_refuse(const struct sgang_spec *gang, const char *why)
{
	struct json_object *object;

	if (sgang_answer_is_text())
		return sgang_cmd_no("gang %s/%s: %s", gang->ns, gang->name,
				    why);
	object = sgang_cmd_json_gang(gang);
	sgang_json_string(object, "reason", why);
	sgang_answer_print(object, NULL);
	return SGANG_EXIT_NO;
}
