/* SPDX-License-Identifier: GPL-2.0-or-later */
/* helps.c - changes that would let a gang start
 *
 * Mostly this is the end of jobs within their time limits. If that does not
 * help, a user must know whether to wait, to ask an administrator, or to give
 * up: the plan is made again as if jobs without a time limit ended, then as if
 * nodes out of service were back, then as if no nodes were reserved. Changes
 * that are not needed are then removed again, so that only changes that help
 * are named. This is the record's helps=.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"
#include "core/base/hostlist.h"
#include "core/gang/lists.h"

/* The most nodes that are checked for need, with a plan each. */
#define NODES_TRIED 8

/* The most jobs that are named. */
#define JOBS_NAMED 4

/* Whether the parts, or other members of the gang, fit when all jobs have ended:
 * 1 or 0; -1: not known. In a tree other groups are left to none_fit(). */
static int fit_in_the_end(struct attempt *a, struct sgang_nodeset *nodes)
{
	int rc = sgang_fit_shaped_at(a, INT64_MAX, nodes), others;

	if (rc == 1 || sgang_branches_any(a))
		return rc;
	others = sgang_which_fit(a, INT64_MAX);
	if (others < 1)
		return others ? others : rc;
	a->other = true;
	return sgang_fit_shaped_at(a, INT64_MAX, nodes) == 1 ? 1 : -1;
}

static void write_nodes(struct attempt *a, enum sgang_help what,
			const struct sgang_nodeset *nodes)
{
	uint32_t n = sgang_nodeset_count(nodes);
	const char **names = calloc(n + 1UL, sizeof(*names));
	char *list = NULL;
	size_t i = 0;

	for (uint32_t k = sgang_nodeset_next(nodes, 0);
	     names && k != SGANG_NODE_NONE;
	     k = sgang_nodeset_next(nodes, k + 1))
		names[i++] = sgang_fabric_node_name(a->c->fabric, k);
	if (i)
		list = sgang_hostlist_fold(names, i);
	sgang_lists_write_help(what, n, list, a->helps);
	free(list);
	free(names);
}

/* None, if no job is endless: at which of the times the gang fits was not found.
 */
static void write_jobs(struct attempt *a, const struct sgang_nodeset *nodes)
{
	uint32_t id[JOBS_NAMED];
	size_t n = a->c->host->nodes.endless(nodes, id, JOBS_NAMED), used = 0;
	char list[JOBS_NAMED * sizeof("4294967295,")] = "";

	for (size_t i = 0; i < n && i < JOBS_NAMED; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used,
					 "%s%u", i ? "," : "", id[i]);
	if (n)
		sgang_lists_write_help(SGANG_HELP_JOBS, n, list, a->helps);
}

/* ---- jobs without a time limit ---- */

/* Leave in 'nodes' those that such jobs must release for the parts to fit. At
 * the time before the last all jobs with a limit have ended. */
static void reduce_endless(struct attempt *a, struct sgang_nodeset *nodes)
{
	struct sgang_nodeset *where = sgang_nodeset_copy(nodes);
	uint32_t tried = 0;

	for (uint32_t n = 0; n < a->c->host->nodes.count(); n++) {
		if (a->free_at[n] < INT64_MAX)
			sgang_nodeset_remove(nodes, n);
		else if (sgang_nodeset_has(nodes, n))
			a->free_at[n] = 0;
	}
	if (!where || sgang_fit_shaped_at(a, INT64_MAX - 1, where) != 1)
		goto out;
	for (uint32_t n = sgang_nodeset_next(nodes, 0);
	     n != SGANG_NODE_NONE && tried < NODES_TRIED;
	     n = sgang_nodeset_next(nodes, n + 1), tried++) {
		a->free_at[n] = INT64_MAX;
		if (sgang_fit_shaped_at(a, INT64_MAX - 1, where) == 1)
			sgang_nodeset_remove(nodes, n);
		else
			a->free_at[n] = 0;
	}
out:
	sgang_nodeset_destroy(where);
}

/* ---- nodes that are out of service or reserved ---- */

static bool is_out(uint8_t cause)
{
	return cause == SGANG_CAUSE_DOWN || cause == SGANG_CAUSE_DRAINED;
}

/* Add these nodes to the nodes of each request, and to 'added'. Returns -1
 * without memory. */
static int add_nodes(struct attempt *a, bool reserved,
		     struct sgang_nodeset *added)
{
	uint32_t n_nodes = a->c->host->nodes.count();
	uint8_t *cause = calloc(n_nodes + 1UL, sizeof(*cause));

	if (!cause)
		return -1;
	for (size_t i = 0; i < a->n_probed; i++) {
		struct probed *p = &a->probed[i];

		if (!p->ever || !p->usable)
			continue;
		a->c->host->nodes.causes(p->job, &p->shape, cause, NULL);
		for (uint32_t n = 0; n < n_nodes; n++) {
			if (!is_out(cause[n]) &&
			    (!reserved || cause[n] != SGANG_CAUSE_RESERVED))
				continue;
			if (sgang_nodeset_has(p->ever, n))
				continue;
			sgang_nodeset_add(p->ever, n);
			sgang_nodeset_add(added, n);
		}
		sgang_levels_cut(a, p->g, p->ever);
	}
	free(cause);
	return 0;
}

static void remove_node(struct attempt *a, uint32_t node)
{
	for (size_t i = 0; i < a->n_probed; i++) {
		if (a->probed[i].ever)
			sgang_nodeset_remove(a->probed[i].ever, node);
	}
}

/* Leave in 'added' the nodes needed for the parts to fit; 'used': the nodes on
 * which they fit. */
static void reduce_added(struct attempt *a, struct sgang_nodeset *added,
			 const struct sgang_nodeset *used)
{
	struct sgang_nodeset *where = sgang_nodeset_copy(used);
	uint32_t tried = 0;

	for (uint32_t n = sgang_nodeset_next(added, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(added, n + 1)) {
		if (sgang_nodeset_has(used, n))
			continue;
		remove_node(a, n);
		sgang_nodeset_remove(added, n);
	}
	for (uint32_t n = sgang_nodeset_next(added, 0);
	     where && n != SGANG_NODE_NONE && tried < NODES_TRIED;
	     n = sgang_nodeset_next(added, n + 1), tried++) {
		struct probed *p = &a->probed[0];
		bool had = a->n_probed == 1 && sgang_nodeset_has(p->ever, n);

		/* with several requests its owner is not known */
		if (!had)
			continue;
		sgang_nodeset_remove(p->ever, n);
		if (sgang_fit_shaped_at(a, INT64_MAX, where) == 1)
			sgang_nodeset_remove(added, n);
		else
			sgang_nodeset_add(p->ever, n);
	}
	sgang_nodeset_destroy(where);
}

/* 1, 0 or -1 as fit_in_the_end(), with these nodes added. */
static int fit_with(struct attempt *a, bool reserved,
		    struct sgang_nodeset *nodes)
{
	struct sgang_nodeset *added =
		sgang_nodeset_create(a->c->host->nodes.count());
	struct sgang_nodeset *out =
		sgang_nodeset_create(a->c->host->nodes.count());
	int fit = -1;

	if (added && out && add_nodes(a, reserved, added) == 0)
		fit = fit_in_the_end(a, nodes);
	if (fit == 1) {
		reduce_added(a, added, nodes);
		a->c->host->nodes.unavailable(out);
		write_nodes(a,
			    !reserved ? SGANG_HELP_NODES :
			    sgang_nodeset_intersects(added, out) ?
					SGANG_HELP_BLOCKED :
					SGANG_HELP_RESERVED,
			    added);
	}
	sgang_nodeset_destroy(added);
	sgang_nodeset_destroy(out);
	return fit;
}

/* ---- the search ---- */

/* The nodes that were added are there: is it certain that no members of the gangs
 * fit, those that Slurm would not try now and in a tree other groups included? */
static bool none_fit(struct attempt *a)
{
	for (size_t i = 0; i < a->n_gangs; i++) {
		if (sgang_probed_unknown(a->gangs[i]))
			return false;
	}
	if (!sgang_branches_any(a))
		return true;
	return a->n_gangs == 1 && sgang_branches_fit(a, INT64_MAX) == 0;
}

/* Call when the parts never fit in the present state. */
static void find_never(struct attempt *a)
{
	struct sgang_nodeset *nodes =
		sgang_nodeset_create(a->c->host->nodes.count());
	int fit;

	if (!nodes)
		return;
	fit = fit_in_the_end(a, nodes);
	if (fit == 1) {
		reduce_endless(a, nodes);
		write_jobs(a, nodes);
	}
	if (fit != 1)
		fit = fit_with(a, false, nodes);
	if (fit != 1)
		fit = fit_with(a, true, nodes);
	if (fit == 0 && none_fit(a))
		sgang_lists_write_help(SGANG_HELP_NEVER, 0, NULL, a->helps);
	sgang_nodeset_destroy(nodes);
}

void sgang_helps_find(struct attempt *a, int64_t when)
{
	a->helps[0] = '\0';
	if (when == INT64_MAX)
		find_never(a);
	else if (when <= a->c->host->now())
		sgang_lists_write_help(SGANG_HELP_BEFORE, 0, NULL, a->helps);
	else if (when == sgang_levels_relax(a))
		sgang_lists_write_help(SGANG_HELP_PREFER, 0, NULL, a->helps);
}

/* Nodes that the job requires are out of service: others do not help. */
static bool say_required(struct attempt *a, struct sgang_job *job,
			 const uint8_t *cause)
{
	struct sgang_nodeset *nodes =
		sgang_nodeset_create(a->c->host->nodes.count());
	struct sgang_job_info info;
	uint32_t first;

	if (!nodes)
		return false;
	a->c->host->nodes.required(job, nodes);
	for (uint32_t n = 0; n < a->c->host->nodes.count(); n++) {
		if (!is_out(cause[n]))
			sgang_nodeset_remove(nodes, n);
	}
	first = sgang_nodeset_next(nodes, 0);
	if (first != SGANG_NODE_NONE) {
		a->c->host->jobs.info(job, &info);
		snprintf(a->why, sizeof(a->why),
			 "JobId=%u: %s, which it requires, is %s", info.job_id,
			 sgang_fabric_node_name(a->c->fabric, first),
			 cause[first] == SGANG_CAUSE_DOWN ? "down" : "drained");
		write_nodes(a, SGANG_HELP_NODES, nodes);
	}
	sgang_nodeset_destroy(nodes);
	return first != SGANG_NODE_NONE;
}

void sgang_helps_refused(struct attempt *a, const struct probed *p)
{
	uint32_t n_nodes = a->c->host->nodes.count(), good = 0;
	uint8_t *cause = calloc(n_nodes + 1UL, sizeof(*cause));
	struct sgang_nodeset *out = sgang_nodeset_create(n_nodes);
	struct sgang_shape shape;

	if (!cause || !out)
		goto done;
	a->c->host->jobs.shape(p->job, &shape);
	a->c->host->nodes.causes(p->job, &shape, cause, NULL);
	if (say_required(a, p->job, cause))
		goto done;
	for (uint32_t n = 0; n < n_nodes; n++) {
		if (is_out(cause[n]))
			sgang_nodeset_add(out, n);
		else if (cause[n] < SGANG_CAUSE_DOWN ||
			 cause[n] == SGANG_CAUSE_NONE)
			good++;
	}
	if (good < shape.min_nodes &&
	    good + sgang_nodeset_count(out) >= shape.min_nodes)
		write_nodes(a, SGANG_HELP_NODES, out);
done:
	free(cause);
	sgang_nodeset_destroy(out);
}
