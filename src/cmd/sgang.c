/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sgang.c - the command sgang: a table of verbs
 *
 * To add a verb: a file cmd_<verb>.c, a row here, a section in sgang.1.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "core/base/near.h"
#include "core/base/text.h"

/* The first one is what sgang does when no verb is given. */
static const struct sgang_verb *const verbs[] = {
	&sgang_verb_list,     &sgang_verb_show,    &sgang_verb_explain,
	&sgang_verb_watch,    &sgang_verb_map,     &sgang_verb_epoch,
	&sgang_verb_run,      &sgang_verb_submit,  &sgang_verb_cancel,
	&sgang_verb_hold,     &sgang_verb_release, &sgang_verb_requeue,
	&sgang_verb_retry,    &sgang_verb_create,  &sgang_verb_delete,
	&sgang_verb_ring,     &sgang_verb_place,   &sgang_verb_simulate,
	&sgang_verb_topology, &sgang_verb_conf,    &sgang_verb_metrics,
	&sgang_verb_web,
};

#define N_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static int print_help(void)
{
	size_t i;

	printf("Usage: sgang [VERB] [OPTION...]\n"
	       "Gangs of Slurm jobs: their jobs, what they wait for, and what "
	       "their rings\ncost.\n\n");
	for (i = 0; i < N_VERBS; i++)
		printf("  %-10s%s\n", verbs[i]->name, verbs[i]->summary);
	printf("\n"
	       "  --help     print this text; sgang VERB --help prints more\n"
	       "  --version  print the version\n"
	       "\nWithout a verb: sgang %s. More in sgang(1).\n",
	       verbs[0]->name);
	return SGANG_EXIT_YES;
}

static int print_version(void)
{
	printf("sgang %s\n", PACKAGE_VERSION);
	return SGANG_EXIT_YES;
}

static int unknown_verb(const char *word)
{
	struct sgang_near near = { .wanted = word };
	char shown[SGANG_TEXT_SHOWN];
	size_t i;

	for (i = 0; i < N_VERBS; i++)
		sgang_near_offer(&near, verbs[i]->name);
	sgang_text_show(shown, word);
	if (near.found)
		return sgang_cmd_bad("unknown verb \"%s\", did you mean "
				     "\"%s\"?",
				     shown, near.found);
	return sgang_cmd_bad("unknown verb \"%s\", see sgang --help", shown);
}

static int answer(const struct sgang_verb *verb, int argc, char **argv)
{
	sgang_answer_of(verb->name);
	return verb->run(verb, argc, argv);
}

static int run(int argc, char **argv)
{
	size_t i;

	if (argc < 2)
		return answer(verbs[0], argc, argv);
	if (!strcmp(argv[1], "--help"))
		return print_help();
	if (!strcmp(argv[1], "--version"))
		return print_version();
	if (argv[1][0] == '-')
		return answer(verbs[0], argc, argv);
	for (i = 0; i < N_VERBS; i++)
		if (!strcmp(argv[1], verbs[i]->name))
			return answer(verbs[i], argc - 1, argv + 1);
	return unknown_verb(argv[1]);
}

int main(int argc, char **argv)
{
	int code;

	/* hide hwloc's own messages about a file */
	(void)setenv("HWLOC_HIDE_ERRORS", "2", 0);
	code = run(argc, argv);

	/* a full disk must not look like an answer */
	if (fflush(stdout) || ferror(stdout))
		return sgang_cmd_bad("cannot write the output: %s",
				     strerror(errno));
	return sgang_answer_is_cut() ? SGANG_EXIT_BAD : code;
}
