/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_list.c - sgang list: the gangs that Slurm knows, one line each */

#include <getopt.h>
#include <stdbool.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/columns.h"
#include "cmd/gangs.h"
#include "cmd/listing.h"
#include "cmd/queue.h"
#include "core/base/text.h"

static const struct sgang_cmd_option options[] = { SGANG_LISTING_ROWS,
						   { NULL, NULL, NULL, 0 } };

static int read_options(const struct sgang_verb *verb, int argc, char **argv,
			struct sgang_listing *listing)
{
	const char *value;
	int next;

	while ((next = sgang_cmd_next(verb, argc, argv, &value)) >= 0)
		if (sgang_listing_set(listing, next, value))
			return SGANG_CMD_WRONG;
	if (next == SGANG_CMD_END &&
	    sgang_listing_ready(listing, SGANG_COLUMNS_DEFAULT))
		return SGANG_CMD_WRONG;
	return next;
}

static int print_json(const struct sgang_listing *listing,
		      const struct sgang_gangs *gangs, struct sgang_error *err)
{
	struct json_object *object = sgang_listing_json(listing, gangs, err);

	if (!object)
		return -1;
	sgang_answer_print(object, NULL);
	return 0;
}

static int answer(const struct sgang_listing *listing, struct sgang_error *err)
{
	struct sgang_jobs jobs = { .count = 0 };
	struct sgang_gangs gangs = { NULL, 0 };
	int rc = -1;

	if (!sgang_jobs_load(&jobs, err) &&
	    !sgang_gangs_build(&jobs, &gangs, err)) {
		sgang_queue_count(&jobs, &gangs);
		rc = sgang_answer_is_text() ?
			     sgang_listing_print(listing, &gangs, 0, stdout,
						 err) :
			     print_json(listing, &gangs, err);
	}
	sgang_gangs_clear(&gangs);
	sgang_jobs_clear(&jobs);
	return rc;
}

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	struct sgang_listing listing = { .user = NULL };
	int next = read_options(verb, argc, argv, &listing);
	char shown[SGANG_TEXT_SHOWN];
	struct sgang_error err;
	int code = SGANG_EXIT_YES;

	if (next != SGANG_CMD_END)
		code = sgang_cmd_exit(next);
	else if (optind < argc)
		code = sgang_cmd_bad("unexpected word \"%s\", see sgang list "
				     "--help",
				     sgang_text_show(shown, argv[optind]));
	else if (answer(&listing, &err))
		code = sgang_cmd_bad("%s", err.text);
	sgang_listing_clear(&listing);
	return code;
}

const struct sgang_verb sgang_verb_list = {
	.name = "list",
	.operands = NULL,
	.summary = "the gangs that Slurm knows, one line each",
	.options = options,
	.run = run
};
