/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_web.c - sgang web: the cluster as a page that renews itself */

#include <errno.h>
#include <getopt.h>

#include "cmd/cmd.h"
#include "cmd/web.h"
#include "core/base/text.h"

enum { OPT_CONF, OPT_LISTEN, OPT_NAME, OPT_OPEN };

static const struct sgang_cmd_option options[] = {
	[OPT_CONF] = { "conf", "FILE", "gang.conf; default: beside slurm.conf",
		       0 },
	[OPT_LISTEN] = { "listen", "ADDRESS:PORT",
			 "where (a free port of 127.0.0.1)", 0 },
	[OPT_NAME] = { "name", "HOST",
		       "browsers call this host so; may be repeated", 0 },
	[OPT_OPEN] = { "open", NULL, "to other users and hosts, too", 0 },
	{ NULL, NULL, NULL, 0 }
};

static int read_option(void *arg, int option, const char *value,
		       struct sgang_error *err)
{
	struct sgang_web *web = arg;

	switch (option) {
	case OPT_CONF:
		web->conf = value;
		return 0;
	case OPT_LISTEN:
		web->listen = value;
		return 0;
	case OPT_OPEN:
		web->open = true;
		return 0;
	default:
		if (web->n_names == SGANG_WEB_NAMES)
			return sgang_errf(err, EINVAL,
					  "--name: %d names are the most",
					  SGANG_WEB_NAMES);
		web->name[web->n_names++] = value;
		return 0;
	}
}

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	struct sgang_web web = { 0 };
	char shown[SGANG_TEXT_SHOWN];
	struct sgang_error err;
	int next = sgang_cmd_read(verb, argc, argv, read_option, &web);

	if (next != SGANG_CMD_END)
		return sgang_cmd_exit(next);
	if (optind < argc)
		return sgang_cmd_bad("unexpected word \"%s\", see sgang web "
				     "--help",
				     sgang_text_show(shown, argv[optind]));
	return sgang_web_serve(&web, &err) ? sgang_cmd_bad("%s", err.text) :
					     SGANG_EXIT_YES;
}

const struct sgang_verb sgang_verb_web = {
	.name = "web",
	.operands = NULL,
	.summary = "a page of the cluster that renews itself, for browsers",
	.options = options,
	.run = run
};
