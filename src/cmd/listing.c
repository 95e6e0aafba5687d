/* SPDX-License-Identifier: GPL-2.0-or-later */
/* listing.c - which gangs are shown, in which order and by which fields */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/colour.h"
#include "cmd/columns.h"
#include "cmd/listing.h"
#include "core/base/hostlist.h"
#include "core/base/near.h"
#include "core/base/text.h"

/* ---- options ---- */

static int unknown_phase(const char *word)
{
	struct sgang_near near = { .wanted = word };
	char shown[SGANG_TEXT_SHOWN];
	int i;

	for (i = 0; i < SGANG_PHASES; i++)
		sgang_near_offer(&near, sgang_phase_name(i));
	sgang_text_show(shown, word);
	if (near.found)
		sgang_cmd_bad("--phase=%s: did you mean %s?", shown,
			      near.found);
	else
		sgang_cmd_bad("--phase=%s: expected a phase like Waiting or "
			      "Running",
			      shown);
	return -1;
}

static int set_phases(struct sgang_listing *listing, const char *list)
{
	char word[32];
	int phase;

	listing->by_phase = true;
	memset(listing->phase, 0, sizeof(listing->phase));
	for (;;) {
		size_t length = strcspn(list, ",");

		snprintf(word, sizeof(word), "%.*s", (int)length, list);
		phase = sgang_phase_find(word);
		if (phase < 0)
			return unknown_phase(word);
		listing->phase[phase] = true;
		if (!list[length])
			return 0;
		list += length + 1;
	}
}

static int set_nodes(struct sgang_listing *listing, const char *list)
{
	char shown[SGANG_TEXT_SHOWN];
	struct sgang_error err;
	char **names;
	size_t n;

	if (sgang_hostlist_expand(list, &names, &n, &err)) {
		sgang_cmd_bad("--nodelist=%s: %s", sgang_text_show(shown, list),
			      err.text);
		return -1;
	}
	sgang_hostlist_free(listing->node);
	listing->node = names;
	return 0;
}

/* 0 or -1, after the line that 'rc' asks for. */
static int told(int rc, const struct sgang_error *err)
{
	if (rc)
		sgang_cmd_bad("%s", err->text);
	return rc;
}

int sgang_listing_set(struct sgang_listing *listing, int option,
		      const char *value)
{
	struct sgang_error err;

	switch (option) {
	case SGANG_LISTING_USER:
		listing->user = value;
		return 0;
	case SGANG_LISTING_ME:
		listing->me = true;
		return 0;
	case SGANG_LISTING_ACCOUNT:
		listing->account = value;
		return 0;
	case SGANG_LISTING_PARTITION:
		listing->partition = value;
		return 0;
	case SGANG_LISTING_PHASE:
		return set_phases(listing, value);
	case SGANG_LISTING_NODELIST:
		return set_nodes(listing, value);
	case SGANG_LISTING_FORMAT:
		listing->format = value;
		return told(sgang_columns_check(value, "--format", &err), &err);
	case SGANG_LISTING_NOHEADER:
		listing->noheader = true;
		return 0;
	default:
		listing->sort = value;
		return told(sgang_columns_check_order(value, "--sort", &err),
			    &err);
	}
}

/* A variable that is not empty, else NULL. */
static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && value[0] ? value : NULL;
}

int sgang_listing_ready(struct sgang_listing *listing, const char *format)
{
	struct sgang_error err;

	if (!listing->format) {
		listing->format = variable("SGANG_FORMAT");
		if (!listing->format)
			listing->format = format;
		else if (sgang_columns_check(listing->format, "SGANG_FORMAT",
					     &err))
			return told(-1, &err);
	}
	if (!listing->sort) {
		listing->sort = variable("SGANG_SORT");
		if (listing->sort && sgang_columns_check_order(
					     listing->sort, "SGANG_SORT", &err))
			return told(-1, &err);
	}
	return 0;
}

void sgang_listing_clear(struct sgang_listing *listing)
{
	sgang_hostlist_free(listing->node);
	listing->node = NULL;
}

/* ---- which gangs ---- */

static bool wants_job(const struct sgang_listing *listing,
		      const struct sgang_jobrow *job)
{
	if (listing->me && !job->own)
		return false;
	if (listing->user && !sgang_cmd_lists_meet(listing->user, job->user))
		return false;
	if (listing->account &&
	    !sgang_cmd_lists_meet(listing->account, job->account))
		return false;
	return !listing->partition ||
	       sgang_cmd_lists_meet(listing->partition, job->partition);
}

static bool has_node(const struct sgang_listing *listing,
		     const struct sgang_gang *gang)
{
	size_t i, k;

	for (i = 0; listing->node[i]; i++)
		for (k = 0; k < gang->n_nodes; k++)
			if (!strcmp(listing->node[i], gang->nodes[k]))
				return true;
	return false;
}

/* At least one job must match all filters for jobs. */
static bool wants(const struct sgang_listing *listing,
		  const struct sgang_gang *gang)
{
	size_t i;

	if (listing->by_phase && !listing->phase[gang->phase])
		return false;
	if (listing->node && !has_node(listing, gang))
		return false;
	for (i = 0; i < gang->n_jobs; i++)
		if (wants_job(listing, gang->jobs[i]))
			return true;
	return gang->object && wants_job(listing, gang->object);
}

/* Those that live first, both in their order. */
static void part_ended(const struct sgang_gang **gangs,
		       const struct sgang_gang **room, size_t n)
{
	size_t live = 0, ended = 0, i;

	for (i = 0; i < n; i++) {
		if (gangs[i]->verdict)
			room[ended++] = gangs[i];
		else
			gangs[live++] = gangs[i];
	}
	memcpy(gangs + live, room, ended * sizeof(*room));
}

/* The gangs that are wanted, in order. Returns 0, '*n' and an array the caller
 * frees in '*wanted', which borrows from 'gangs'; or -1 with ENOMEM and
 * 'err'. */
static int choose(const struct sgang_listing *listing,
		  const struct sgang_gangs *gangs, int64_t now,
		  const struct sgang_gang ***wanted, size_t *n,
		  struct sgang_error *err)
{
	/* twice as many, as part_ended() needs */
	const struct sgang_gang **chosen = calloc(2 * gangs->count + 1,
						  sizeof(*chosen));
	size_t i, count = 0;

	if (!chosen)
		return sgang_err_memory(err);
	for (i = 0; i < gangs->count; i++)
		if (wants(listing, &gangs->gang[i]))
			chosen[count++] = &gangs->gang[i];
	if (!listing->sort) {
		part_ended(chosen, chosen + gangs->count, count);
	} else if (sgang_columns_sort(listing->sort, now, chosen, count, err)) {
		free(chosen);
		return -1;
	}
	*wanted = chosen;
	*n = count;
	return 0;
}

static int64_t end_of(const struct sgang_gang *gang)
{
	int64_t end = INT64_MIN;
	size_t i;

	for (i = 0; i < gang->n_jobs; i++)
		if (gang->jobs[i]->end_time > end)
			end = gang->jobs[i]->end_time;
	return end;
}

/* The number of gangs that ended later than this one, up to 'most'; of those
 * that ended in the same second the last in order is the latest. */
static size_t later_than(const struct sgang_gang *const *gangs, size_t n,
			 size_t which, size_t most)
{
	int64_t end = end_of(gangs[which]), other;
	size_t later = 0, i;

	for (i = n; i-- > 0 && later < most;) {
		if (!gangs[i]->verdict)
			continue;
		other = end_of(gangs[i]);
		later += other > end || (other == end && i > which);
	}
	return later;
}

/* Keep the latest 'most' of those that have ended, in their order. Returns how
 * many gangs are left. */
static size_t keep_latest(const struct sgang_gang **gangs, size_t n,
			  const struct sgang_gang **room, size_t most)
{
	size_t kept = 0, i;

	for (i = 0; i < n; i++)
		if (!gangs[i]->verdict || later_than(gangs, n, i, most) < most)
			room[kept++] = gangs[i];
	memcpy(gangs, room, kept * sizeof(*room));
	return kept;
}

/* ---- answers ---- */

int sgang_listing_print(const struct sgang_listing *listing,
			const struct sgang_gangs *gangs, size_t width,
			FILE *out, struct sgang_error *err)
{
	const struct sgang_look look = {
		.header = !listing->noheader,
		.colour = sgang_colour_wanted(STDOUT_FILENO),
		.width = width,
		.now = time(NULL),
	};
	const struct sgang_gang **wanted;
	size_t n;
	int rc;

	if (choose(listing, gangs, look.now, &wanted, &n, err))
		return -1;
	if (listing->ended && !listing->by_phase)
		n = keep_latest(wanted, n, wanted + gangs->count,
				listing->ended);
	rc = sgang_columns_print(listing->format, &look, wanted, n, out, err);
	free(wanted);
	return rc;
}

struct json_object *sgang_listing_json(const struct sgang_listing *listing,
				       const struct sgang_gangs *gangs,
				       struct sgang_error *err)
{
	struct json_object *object, *list;
	const struct sgang_gang **wanted;
	size_t i, n;

	if (choose(listing, gangs, time(NULL), &wanted, &n, err))
		return NULL;
	object = json_object_new_object();
	list = json_object_new_array();
	for (i = 0; i < n; i++)
		json_object_array_add(list, sgang_gangs_json(wanted[i]));
	json_object_object_add(object, "gangs", list);
	free(wanted);
	return object;
}
