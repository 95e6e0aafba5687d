/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_cancel.c - sgang cancel: end a gang, or send it a signal */

#include <signal.h>
#include <stdbool.h>
#include <strings.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/control.h"
#include "cmd/jobs.h"
#include "cmd/targets.h"
#include "core/base/text.h"

enum { OPT_SIGNAL, OPT_ALL };

static const struct sgang_cmd_option options[] = {
	[OPT_SIGNAL] = { "signal", "SIGNAL",
			 "(-s) send this to the members that run", 's' },
	[OPT_ALL] = { "all", NULL, "the definition of the gang, too", 0 },
	{ NULL, NULL, NULL, 0 }
};

struct request {
	struct sgang_spec gang;
	int signal; /* 0: cancel */
	bool all;
};

/* The signals that scancel --signal takes. */
static const struct {
	const char *name;
	int number;
} signals[] = {
	{ "HUP", SIGHUP },   { "INT", SIGINT },   { "QUIT", SIGQUIT },
	{ "ABRT", SIGABRT }, { "KILL", SIGKILL }, { "ALRM", SIGALRM },
	{ "TERM", SIGTERM }, { "USR1", SIGUSR1 }, { "USR2", SIGUSR2 },
	{ "URG", SIGURG },   { "CONT", SIGCONT }, { "STOP", SIGSTOP },
	{ "TSTP", SIGTSTP }, { "TTIN", SIGTTIN }, { "TTOU", SIGTTOU },
};

/* Returns the number of the signal, 0: there is none of that name. */
static int find_signal(const char *text)
{
	uint64_t number;
	size_t i;

	if (!sgang_text_number(text, 1, 64, &number))
		return (int)number;
	if (!strncasecmp(text, "SIG", 3))
		text += 3;
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!strcasecmp(text, signals[i].name))
			return signals[i].number;
	return 0;
}

static int read_options(const struct sgang_verb *verb, int argc, char **argv,
			struct request *request)
{
	char shown[SGANG_TEXT_SHOWN];
	const char *value;
	int next;

	while ((next = sgang_cmd_next(verb, argc, argv, &value)) >= 0) {
		switch (next) {
		case OPT_SIGNAL:
			request->signal = find_signal(value);
			if (!request->signal) {
				sgang_cmd_bad("--signal=%s: expected a signal "
					      "such as TERM or 15",
					      sgang_text_show(shown, value));
				return SGANG_CMD_WRONG;
			}
			break;
		case OPT_ALL:
			request->all = true;
			break;
		}
	}
	return next;
}

static bool is_member(const struct sgang_jobrow *job)
{
	return job->class != SGANG_ROW_ENDED && !job->record.object;
}

static bool is_any(const struct sgang_jobrow *job)
{
	return job->class != SGANG_ROW_ENDED;
}

static bool is_running(const struct sgang_jobrow *job)
{
	return job->class == SGANG_ROW_RUNNING && !job->record.object;
}

/* Refuse: the gang has no job to cancel or signal. */
static int refuse(const struct request *request, const struct sgang_jobs *jobs)
{
	return sgang_targets_none(jobs, &request->gang,
				  request->signal ? "no member runs" :
						    "no member waits or runs");
}

/* Returns an exit code, or -1 with 'err' filled. */
static int answer(const struct request *request, struct sgang_error *err)
{
	struct sgang_jobs jobs = { .count = 0 };
	struct sgang_targets targets = { NULL, 0 };
	struct sgang_outcome outcome;
	int code = -1;

	if (sgang_jobs_load(&jobs, err) ||
	    sgang_targets_find(&jobs, &request->gang,
			       request->signal ? is_running :
			       request->all    ? is_any :
						 is_member,
			       &targets, err))
		goto out;
	if (!targets.n) {
		code = refuse(request, &jobs);
		goto out;
	}
	if (sgang_targets_ask(&targets, !request->signal,
			      !sgang_answer_is_text(), sgang_control_signal,
			      request->signal ? request->signal : SIGKILL,
			      &outcome, err))
		goto out;
	code = sgang_targets_report(&request->gang,
				    request->signal ? "signalled" : "cancelled",
				    &outcome);
out:
	sgang_targets_clear(&targets);
	sgang_jobs_clear(&jobs);
	return code;
}

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	struct request request = { .signal = 0 };
	int next = read_options(verb, argc, argv, &request);
	struct sgang_error err;
	const char *name;
	int code;

	if (next != SGANG_CMD_END)
		return sgang_cmd_exit(next);
	name = sgang_cmd_operand(verb, argc, argv, "the name of one gang");
	if (!name)
		return SGANG_EXIT_BAD;
	if (sgang_cmd_gang(name, &request.gang, &err))
		return sgang_cmd_bad("%s", err.text);
	code = answer(&request, &err);
	return code < 0 ? sgang_cmd_bad("%s", err.text) : code;
}

const struct sgang_verb sgang_verb_cancel = {
	.name = "cancel",
	.operands = "[NAMESPACE/]NAME",
	.summary = "cancel all members of a gang, or send them a signal",
	.options = options,
	.run = run
};
