/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd.h - what the verbs of sgang share: options, messages, exit codes
 *
 * A verb is one file cmd_<verb>.c that defines one struct sgang_verb, and one
 * row in the table of sgang.c. Its options are a table too: the command line is
 * read by it and --help is printed from it.
 */

#ifndef SGANG_CMD_H
#define SGANG_CMD_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/gang/conf.h"
#include "core/gang/spec.h"
#include "files/paths.h"

enum {
	SGANG_EXIT_YES = 0,
	SGANG_EXIT_NO = 1, /* the reason was printed */
	SGANG_EXIT_BAD = 2 /* usage or bad input, one line said so */
};

struct sgang_cmd_option {
	const char *name; /* without the dashes */
	const char *arg;  /* "FILE"; NULL: takes no value */
	const char *help; /* one line, at most 54 characters */
	char letter;      /* -A for --account; 0: none */
};

/* The most rows that a verb can have. */
#define SGANG_CMD_OPTIONS_MAX 27

extern const struct sgang_cmd_option sgang_cmd_no_options[];

struct sgang_verb {
	const char *name;
	const char *operands; /* "PLACE,..." or NULL: takes none */
	const char *summary;  /* one line */
	const struct sgang_cmd_option *options; /* ends with name NULL */
	const char *json; /* help of --json, NULL: "print JSON" */
	bool command; /* the operands are a command with options of its own */
	int (*run)(const struct sgang_verb *verb, int argc, char **argv);
};

extern const struct sgang_verb sgang_verb_cancel;
extern const struct sgang_verb sgang_verb_conf;
extern const struct sgang_verb sgang_verb_create;
extern const struct sgang_verb sgang_verb_delete;
extern const struct sgang_verb sgang_verb_epoch;
extern const struct sgang_verb sgang_verb_explain;
extern const struct sgang_verb sgang_verb_hold;
extern const struct sgang_verb sgang_verb_list;
extern const struct sgang_verb sgang_verb_map;
extern const struct sgang_verb sgang_verb_metrics;
extern const struct sgang_verb sgang_verb_place;
extern const struct sgang_verb sgang_verb_release;
extern const struct sgang_verb sgang_verb_requeue;
extern const struct sgang_verb sgang_verb_retry;
extern const struct sgang_verb sgang_verb_ring;
extern const struct sgang_verb sgang_verb_run;
extern const struct sgang_verb sgang_verb_show;
extern const struct sgang_verb sgang_verb_simulate;
extern const struct sgang_verb sgang_verb_submit;
extern const struct sgang_verb sgang_verb_topology;
extern const struct sgang_verb sgang_verb_watch;
extern const struct sgang_verb sgang_verb_web;

/* Answers of sgang_cmd_next() that are no row number. */
enum {
	SGANG_CMD_END = -1,  /* operands begin at argv[optind] */
	SGANG_CMD_HELP = -2, /* --help was given and printed */
	SGANG_CMD_WRONG = -3 /* wrong usage, the line was printed */
};

/* The next option of the command line: its row in verb->options, with its value
 * (borrowed from argv) in '*value', or one of the numbers above. answer.h
 * remembers --json and --yaml. */
int sgang_cmd_next(const struct sgang_verb *verb, int argc, char **argv,
		   const char **value);

/* Read all options: 'read' takes each, or returns -1 with 'err', which is
 * printed then. Returns what sgang_cmd_next() ended with, or WRONG. */
int sgang_cmd_read(const struct sgang_verb *verb, int argc, char **argv,
		   int (*read)(void *arg, int option, const char *value,
			       struct sgang_error *err),
		   void *arg);

/* The exit code for HELP or WRONG, with which sgang_cmd_next() ended. */
int sgang_cmd_exit(int next);

/* The only operand behind the options; NULL: there are none or several, and the
 * line that asks for 'what' was printed. */
const char *sgang_cmd_operand(const struct sgang_verb *verb, int argc,
			      char **argv, const char *what);

/* The caller's name, NULL: it has none. Valid until the next call. */
const char *sgang_cmd_user(void);

/* Read gang.conf: 'path', or with NULL the one next to slurm.conf, which may be
 * missing or unreadable: then the defaults hold. Returns 0 and '*conf', to be
 * freed with sgang_conf_free(), or -1 with 'err' filled. */
int sgang_cmd_conf(const char *path, struct sgang_conf *conf,
		   struct sgang_error *err);

/* The path of slurm.conf: SLURM_CONF, the usual place, or where a configless
 * slurmd keeps it, as libslurm looks for it. */
const char *sgang_cmd_slurm_conf(void);

/* Write the path of the gang.conf next to slurm.conf, which SLURM_CONF may
 * name. Returns 0, or -1 with 'err' when it is too long. */
int sgang_cmd_conf_path(char path[SGANG_PATH], struct sgang_error *err);

/* Read the name of a gang, [NAMESPACE/]NAME, into 'spec', which is otherwise
 * empty. As with --gang the namespace is the caller's name by default. Returns
 * 0, or -1 with 'err' filled. */
int sgang_cmd_gang(const char *text, struct sgang_spec *spec,
		   struct sgang_error *err);

/* Print "sgang: ..." in one line on stderr, whatever the text holds, and return
 * SGANG_EXIT_BAD or SGANG_EXIT_NO; a warning ends nothing. */
void sgang_cmd_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int sgang_cmd_bad(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int sgang_cmd_no(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* {"gang":"alice/train"}, to which the caller adds. */
struct json_object *sgang_cmd_json_gang(const struct sgang_spec *gang);

/* Print, as a line on stderr or as JSON on stdout, why something cannot be done
 * with that gang, and return SGANG_EXIT_NO. */
int sgang_cmd_refuse(const struct sgang_spec *gang, const char *why);

/* True if two comma separated lists have a word in common. A job that may go to
 * several partitions has a list of them. */
bool sgang_cmd_lists_meet(const char *a, const char *b);

#endif
