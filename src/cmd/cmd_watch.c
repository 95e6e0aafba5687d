/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_watch.c - sgang watch: gangs, or one of them, shown again and again */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/colour.h"
#include "cmd/gangs.h"
#include "cmd/listing.h"
#include "cmd/queue.h"
#include "cmd/progress.h"
#include "cmd/screen.h"
#include "core/base/text.h"

#define INTERVAL 2 /* seconds, by default */
#define INTERVAL_MAX 86400

/* The columns for all gangs unless a format is given. */
#define FORMAT "%j %T %p %m %L %D %C %v %r"

/* So many of those that have ended are shown with all others. */
#define ENDED 3

/* Characters of the bar of one gang. */
#define BAR 40

enum { OPT_ITERATE = SGANG_LISTING_OPTIONS };

static const struct sgang_cmd_option options[] = {
	SGANG_LISTING_ROWS,
	[OPT_ITERATE] = { "iterate", "SECONDS",
			  "(-i) look again after so many seconds (2)", 'i' },
	{ NULL, NULL, NULL, 0 }
};

struct request {
	struct sgang_listing listing;
	bool one; /* the gang 'spec', not all */
	struct sgang_spec spec;
	uint64_t interval;
};

/* The state at one moment. */
struct look {
	struct sgang_jobs jobs;
	struct sgang_gangs gangs;
	const struct sgang_gang *gang; /* the one that was asked for */
};

static void clear_look(struct look *look)
{
	sgang_gangs_clear(&look->gangs);
	sgang_jobs_clear(&look->jobs);
	look->gang = NULL;
}

/* Returns 1; 0 when the gang that was asked for does not exist; or -1 with
 * 'err' filled. */
static int take_look(const struct request *request, struct look *look,
		     struct sgang_error *err)
{
	if (sgang_jobs_load(&look->jobs, err) ||
	    sgang_gangs_build(&look->jobs, &look->gangs, err))
		return -1;
	sgang_queue_count(&look->jobs, &look->gangs);
	if (!request->one)
		return 1;
	return sgang_gangs_find(&look->gangs, &request->spec, sgang_cmd_user(),
				&look->gang, err);
}

/* ---- pages ---- */

/* A page that is being written, cut at the width of the screen. */
struct page {
	FILE *out;
	size_t columns; /* 0: not cut */
};

static void put_line(const struct page *page, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void put_line(const struct page *page, const char *fmt, ...)
{
	char text[1024], *p;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	for (p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == '\177')
			*p = '?';
	fprintf(page->out, "%.*s\n",
		page->columns && page->columns < sizeof(text) ?
			(int)page->columns :
			(int)sizeof(text),
		text);
}

static void put_clock(const struct page *page, const char *what)
{
	char now[SGANG_ANSWER_TIME];

	put_line(page, "%s  %s%s", sgang_answer_time(time(NULL), now), what,
		 sgang_screen_is_terminal() ? "  (q ends)" : "");
}

static void put_phase(const struct page *page, const struct sgang_gang *gang)
{
	const char *colour = sgang_colour_wanted(STDOUT_FILENO) ?
				     sgang_colour_phase(gang->phase) :
				     "";

	/* shorter than any screen */
	fprintf(page->out, "Phase     %s%s%s\n", colour,
		sgang_phase_name(gang->phase),
		colour[0] ? SGANG_COLOUR_END : "");
}

static void put_progress(const struct page *page, const struct sgang_gang *gang)
{
	char bar[SGANG_PROGRESS_MAX + 1], words[SGANG_PROGRESS_WORDS];

	sgang_progress_bar(gang, BAR, bar);
	put_line(page, "Progress  %s%s%s%s", bar[0] ? "[" : "", bar,
		 bar[0] ? "] " : "", sgang_progress_words(gang, words));
}

/* The length of the text that goes on a line of that width: whole words, if one
 * fits. */
static size_t line_of(const char *text, size_t width)
{
	size_t n = strlen(text), end;

	if (n <= width)
		return n;
	for (end = width; end && text[end] != ' '; end--)
		;
	return end ? end : strcspn(text, " ");
}

/* The reason for a wait may take more than one line. */
static void put_reason(const struct page *page, const char *reason)
{
	static const char head[] = "Reason    ";
	size_t indent = strlen(head), n;
	size_t width = page->columns > indent ? page->columns - indent :
						SIZE_MAX;
	const char *at = reason;

	while (*at) {
		n = line_of(at, width);
		put_line(page, "%-*s%.*s", (int)indent,
			 at == reason ? head : "", (int)n, at);
		at += n + strspn(at + n, " ");
	}
}

static void put_wait(const struct page *page, const struct sgang_gang *gang)
{
	int64_t end = sgang_gangs_wait_ends(gang), now = time(NULL);
	char text[SGANG_TIME_SHOWN];

	if (end)
		put_line(page, "Waiting   %s left",
			 sgang_text_show_time(
				 text, end > now ? (uint32_t)(end - now) : 0));
	put_reason(page, sgang_gangs_reason(gang, gang->reason));
}

static void put_ring(const struct page *page, const struct sgang_record *record)
{
	if (record->placed)
		put_line(page,
			 "Ring      cost %" PRIu64 ", %" PRIu64
			 " cross links, tier %s",
			 record->ring_cost, record->cross_links, record->tier);
}

static void put_jobs(const struct page *page, const struct sgang_gang *gang)
{
	size_t i;

	put_line(page, "%-16s %-12s %6s %s", "JOBID", "STATE", "MEMBER",
		 "NODELIST(REASON)");
	for (i = 0; i < gang->n_jobs; i++) {
		const struct sgang_jobrow *job = gang->jobs[i];
		char *id = sgang_jobs_id(job, false), rank[16] = "-";

		if (job->record.placed)
			snprintf(rank, sizeof(rank), "%" PRIu32,
				 job->record.member_rank);
		put_line(page,
			 job->nodes[0] || !job->reason[0] ?
				 "%-16s %-12s %6s %s" :
				 "%-16s %-12s %6s (%s)",
			 id ? id : "?", job->state, rank,
			 job->nodes[0] ? job->nodes :
					 sgang_gangs_reason(gang, job->reason));
		free(id);
	}
}

static void write_gang(const struct page *page, const struct sgang_gang *gang)
{
	char name[SGANG_GANGS_NAME];

	sgang_gangs_name(gang->record, name);
	put_clock(page, name);
	put_phase(page, gang);
	put_progress(page, gang);
	put_wait(page, gang);
	put_ring(page, gang->record);
	put_jobs(page, gang);
}

static int write_list(const struct page *page, const struct request *request,
		      const struct sgang_gangs *gangs, struct sgang_error *err)
{
	char what[64];

	snprintf(what, sizeof(what), "gangs, every %" PRIu64 " s",
		 request->interval);
	put_clock(page, what);
	return sgang_listing_print(&request->listing, gangs, page->columns,
				   page->out, err);
}

/* Draw 'look', or if that is NULL, 'why' there is none. */
static int draw(const struct request *request, const struct look *look,
		const char *why, struct sgang_error *err)
{
	char *text = NULL;
	size_t size = 0, lines;
	struct page page = { .out = open_memstream(&text, &size) };
	int rc = 0;

	if (!page.out)
		return sgang_err_memory(err);
	sgang_screen_size(&page.columns, &lines);
	if (!look)
		put_clock(&page, why);
	else if (look->gang)
		write_gang(&page, look->gang);
	else
		rc = write_list(&page, request, &look->gangs, err);
	if (fclose(page.out) && !rc)
		rc = sgang_err_memory(err);
	if (!rc)
		sgang_screen_draw(text);
	free(text);
	return rc;
}

static int print_json(const struct request *request, const struct look *look,
		      struct sgang_error *err)
{
	struct json_object *object =
		look->gang ? sgang_gangs_json(look->gang) :
			     sgang_listing_json(&request->listing, &look->gangs,
						err);

	if (!object)
		return -1;
	sgang_answer_print(object, NULL);
	fflush(stdout);
	return 0;
}

/* ---- the end ---- */

/* slurmctld says what became of a gang, or requeues its members, within a second
 * or so. An older one says nothing. */
#define TOLD_SECONDS 10

/* True if nothing more will happen; a job that is completing has no end yet. */
static bool is_over(const struct sgang_gang *gang)
{
	int64_t end = 0;
	size_t i;

	if (!gang->verdict)
		return false;
	for (i = 0; i < gang->n_jobs; i++) {
		const struct sgang_jobrow *job = gang->jobs[i];

		if (job->class != SGANG_ROW_ENDED ||
		    !strcmp(job->state, "COMPLETING"))
			return false;
		if (job->end_time > end)
			end = job->end_time;
	}
	return gang->told || (int64_t)time(NULL) - end >= TOLD_SECONDS;
}

/* The result at its end. */
static int judge(const struct sgang_gang *gang)
{
	char name[SGANG_GANGS_NAME];

	if (gang->verdict == SGANG_VERDICT_FINISHED)
		return SGANG_EXIT_YES;
	sgang_gangs_name(gang->record, name);
	if (!gang->incomplete) /* who did not is forgotten */
		return sgang_cmd_no("gang %s %s", name,
				    sgang_verdict_text(gang->verdict));
	return sgang_cmd_no("gang %s %s: %" PRIu32 " of %" PRIu32
			    " members did not complete",
			    name, sgang_verdict_text(gang->verdict),
			    gang->incomplete, gang->ended);
}

static int not_there(const struct request *request, const struct look *look,
		     bool seen)
{
	const struct sgang_spec *spec = &request->spec;
	char hint[SGANG_JOBS_HINT];

	return sgang_cmd_no("there is no gang %s%s%s%s", spec->ns,
			    spec->ns[0] ? "/" : "", spec->name,
			    seen ? " any more" :
				   sgang_jobs_hint(&look->jobs, spec, hint));
}

/* Look once. Returns the exit code; -1 with 'err' when it cannot go on; -2 when
 * it does. After the first look slurmctld may be away for a while. */
#define GO_ON (-2)
static int step(const struct request *request, bool first,
		struct sgang_error *err)
{
	struct look look = { .gang = NULL };
	int rc = take_look(request, &look, err), code = GO_ON;

	if (rc < 0) {
		code = first || errno == ENOMEM || errno == EINVAL ||
				       draw(request, NULL, err->text, err) ?
			       -1 :
			       GO_ON;
	} else if (!rc) {
		sgang_screen_close();
		code = not_there(request, &look, !first);
	} else {
		if (first && sgang_answer_is_text())
			sgang_screen_open();
		if (look.gang && is_over(look.gang)) {
			sgang_screen_close();
			code = SGANG_EXIT_YES;
		}
		if (sgang_answer_is_text() ? draw(request, &look, NULL, err) :
					     print_json(request, &look, err))
			code = -1;
		else if (code != GO_ON)
			code = judge(look.gang);
	}
	clear_look(&look);
	return code;
}

/* Returns an exit code, or -1 with 'err' filled. */
static int watch(const struct request *request, struct sgang_error *err)
{
	int code = step(request, true, err);

	while (code == GO_ON) {
		if (!sgang_screen_wait((unsigned int)request->interval))
			code = request->one ? SGANG_EXIT_NO : SGANG_EXIT_YES;
		else
			code = step(request, false, err);
	}
	sgang_screen_close();
	return code;
}

/* ---- the verb ---- */

static int set_interval(struct request *request, const char *value)
{
	char shown[SGANG_TEXT_SHOWN];

	if (!sgang_text_number(value, 1, INTERVAL_MAX, &request->interval))
		return 0;
	sgang_cmd_bad("--iterate=%s: expected a number of seconds from 1 to %d",
		      sgang_text_show(shown, value), INTERVAL_MAX);
	return -1;
}

static int read_options(const struct sgang_verb *verb, int argc, char **argv,
			struct request *request)
{
	const char *value;
	int next, rc = 0;

	while ((next = sgang_cmd_next(verb, argc, argv, &value)) >= 0) {
		if (next == OPT_ITERATE)
			rc = set_interval(request, value);
		else
			rc = sgang_listing_set(&request->listing, next, value);
		if (rc)
			return SGANG_CMD_WRONG;
	}
	if (next == SGANG_CMD_END &&
	    sgang_listing_ready(&request->listing, FORMAT))
		return SGANG_CMD_WRONG;
	return next;
}

static int read_gang(const struct sgang_verb *verb, int argc, char **argv,
		     struct request *request)
{
	struct sgang_error err;
	const char *name;

	if (optind == argc)
		return 0;
	name = sgang_cmd_operand(verb, argc, argv, "the name of one gang");
	if (!name)
		return -1;
	request->one = true;
	sgang_spec_init(&request->spec);
	if (!sgang_spec_set(&request->spec, "gang", name, &err))
		return 0;
	sgang_cmd_bad("%s", err.text);
	return -1;
}

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	struct request request = { .interval = INTERVAL,
				   .listing.ended = ENDED };
	int next = read_options(verb, argc, argv, &request), code;
	struct sgang_error err;

	if (next != SGANG_CMD_END) {
		code = sgang_cmd_exit(next);
	} else if (read_gang(verb, argc, argv, &request)) {
		code = SGANG_EXIT_BAD;
	} else {
		code = watch(&request, &err);
		if (code < 0)
			code = sgang_cmd_bad("%s", err.text);
	}
	sgang_listing_clear(&request.listing);
	return code;
}

const struct sgang_verb sgang_verb_watch = {
	.name = "watch",
	.operands = "[[NAMESPACE/]NAME]",
	.summary = "gangs, or one until it ends, looked at again and again",
	.options = options,
	.json = "print JSON, a line for each look",
	.run = run
};
