/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nofit_report.c - why a gang has no place
 *
 * The planner's result is reported in terms of the request: nodes, GPUs or
 * CPUs, with Slurm's data of the nodes. Each node counts once: it has room for
 * a piece of the scarce resource, or it has one cause.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt_private.h"
#include "conductor.h"
#include "core/gang/lists.h"

/* Words for a sentence, and for a record, without blanks. */
static const struct {
	const char *text, *word;
} causes[SGANG_CAUSES] = {
	[SGANG_CAUSE_BUSY] = { "busy", "busy" },
	[SGANG_CAUSE_BUSY_MEMORY] = { "with too little free memory",
				      "busy_memory" },
	[SGANG_CAUSE_BUSY_GPUS] = { "with too few free GPUs", "busy_gpus" },
	[SGANG_CAUSE_BUSY_GRES] = { "with too few free GRES", "busy_gres" },
	[SGANG_CAUSE_KEPT] = { "kept for others", "kept" },
	[SGANG_CAUSE_OTHER] = { "not available", "other" },
	[SGANG_CAUSE_RESERVED] = { "reserved", "reserved" },
	[SGANG_CAUSE_DOWN] = { "down", "down" },
	[SGANG_CAUSE_DRAINED] = { "drained", "drained" },
	[SGANG_CAUSE_GPUS] = { "with too few GPUs", "gpus" },
	[SGANG_CAUSE_GRES] = { "with too few GRES", "gres" },
	[SGANG_CAUSE_MEMORY] = { "with too little memory", "memory" },
	[SGANG_CAUSE_CPUS] = { "with too few CPUs", "cpus" },
	[SGANG_CAUSE_FEATURE] = { "without the feature", "feature" },
	[SGANG_CAUSE_RESERVATION] = { "not in the reservation", "reservation" },
	[SGANG_CAUSE_REQUESTED] = { "not requested", "requested" },
	[SGANG_CAUSE_EXCLUDED] = { "excluded", "excluded" },
	[SGANG_CAUSE_PARTITION] = { "not in the partition", "partition" },
};

/* A node in the table of causes that has room. */
#define ROOM SGANG_CAUSE_NONE

/* ---- units ---- */

#define WITH_SIZE 48

/* "2 GPUs, 8 CPUs and 3000M": what a piece takes of a node. */
static void name_piece(const struct sgang_shape *shape, char text[WITH_SIZE])
{
	size_t used = 0;

	if (shape->node_gpus)
		used = (size_t)snprintf(text, WITH_SIZE, "%u GPU%s%s",
					shape->node_gpus,
					shape->node_gpus == 1 ? "" : "s",
					shape->node_memory ? ", " : " and ");
	used += (size_t)snprintf(text + used, WITH_SIZE - used, "%u CPU%s",
				 shape->node_cpus,
				 shape->node_cpus == 1 ? "" : "s");
	if (shape->node_memory && used < WITH_SIZE)
		snprintf(text + used, WITH_SIZE - used, " and %lluM",
			 (unsigned long long)shape->node_memory);
}

/* The unit of the plan for its user: a slot, which is a CPU, or a piece of a
 * request. A piece is named by its GPUs or CPUs alone only if no other resource
 * is 'scarce', or the numbers would not be the free amounts. */
static struct sgang_explain_unit unit_of(const struct probed *p, bool piece,
					 uint32_t scarce, char with[WITH_SIZE])
{
	const struct sgang_shape *shape = &p->shape;
	struct sgang_explain_unit unit = { "CPU", "CPUs", 1, NULL };

	if (!piece)
		return unit;
	if (shape->whole)
		return (struct sgang_explain_unit){ "node", "nodes", 1, NULL };
	unit.each = shape->node_cpus ? shape->node_cpus : 1;
	if (p->fixed && shape->node_gpus)
		unit = (struct sgang_explain_unit){ "GPU", "GPUs",
						    shape->node_gpus, NULL };
	if (scarce & ~(1U << (shape->node_gpus ? SGANG_CAUSE_BUSY_GPUS :
						 SGANG_CAUSE_BUSY))) {
		name_piece(shape, with);
		unit.with = with;
	}
	return unit;
}

/* "node", "GPU", "4xCPU", "place": the record's unit=. */
static void write_unit(const struct sgang_explain_unit *unit, uint32_t slots,
		       char text[SGANG_UNIT_SIZE])
{
	uint32_t each = (slots ? slots : 1) * unit->each;

	if (!slots || unit->with)
		strcpy(text, slots ? "place" : "node");
	else if (each == 1)
		snprintf(text, SGANG_UNIT_SIZE, "%s", unit->one);
	else
		snprintf(text, SGANG_UNIT_SIZE, "%ux%s", each, unit->one);
}

/* ---- by node ---- */

/* The nodes that gangs before this one wait for, and nodes kept for other
 * reasons. NULL without memory. */
static struct sgang_nodeset *nodes_kept(struct attempt *a,
					const struct probed *p)
{
	struct sgang_nodeset *left = sgang_nodeset_copy(p->ever);
	struct sgang_nodeset *kept = sgang_nodeset_copy(p->ever);
	struct sgang_standing standing;
	struct sgang_job_info info;

	a->c->host->jobs.info(p->job, &info);
	standing = (struct sgang_standing){
		.job = p->job,
		.tier = info.tier,
		.priority = info.priority,
		.job_id = info.array_id ? info.array_id : info.job_id,
	};
	if (left && kept) {
		(void)sgang_conductor_keep(a->c, &standing, &p->g->tally.spec,
					   info.time_limit == UINT32_MAX ?
						   INT64_MAX :
						   a->c->host->now() +
							   info.time_limit,
					   left);
		sgang_nodeset_subtract(kept, left);
		if (p->kept)
			sgang_nodeset_or(kept, p->kept);
	}
	sgang_nodeset_destroy(left);
	return kept;
}

/* Set causes that the host does not know. */
static void name_rest(struct attempt *a, const struct probed *p, uint8_t *cause)
{
	struct sgang_nodeset *kept = nodes_kept(a, p);

	for (uint32_t n = 0; n < a->c->host->nodes.count(); n++) {
		if (cause[n] != SGANG_CAUSE_NONE)
			continue;
		cause[n] = (kept && sgang_nodeset_has(kept, n)) ?
				   SGANG_CAUSE_KEPT :
				   SGANG_CAUSE_OTHER;
	}
	sgang_nodeset_destroy(kept);
}

/* True if a piece of that part fits there, in the plan. */
static bool has_room(const struct sgang_plan_request *rq, size_t part,
		     uint32_t node)
{
	return sgang_plan_fits(rq, &rq->members[part], node,
			       rq->free + (size_t)node * sgang_plan_dims(rq));
}

/* If all members are short, a node is no cause if any of them has room there.
 */
static void mark_room(const struct attempt *a,
		      const struct sgang_plan_request *rq,
		      const struct sgang_nofit *nofit, uint8_t *cause)
{
	const struct probed *last = NULL;

	for (size_t i = 0; i < a->n_parts; i++) {
		if (nofit->member != SGANG_NOFIT_ALL ?
			    i != nofit->member :
			    a->parts[i].probed == last)
			continue;
		last = a->parts[i].probed;
		for (uint32_t n = 0; n < a->c->host->nodes.count(); n++) {
			if (has_room(rq, i, n))
				cause[n] = ROOM;
		}
	}
}

/* The cause by node, as if none had room; '*least', also freed by the caller:
 * the scarcest resource of nodes with room. NULL without memory. */
static uint8_t *ask_causes(struct attempt *a, const struct probed *p,
			   uint8_t **least)
{
	uint32_t n_nodes = a->c->host->nodes.count();
	uint8_t *cause = calloc(n_nodes + 1UL, sizeof(*cause));

	*least = calloc(n_nodes + 1UL, sizeof(**least));
	if (cause && *least) {
		a->c->host->nodes.causes(p->job, &p->shape, cause, *least);
		name_rest(a, p, cause);
		return cause;
	}
	free(cause);
	free(*least);
	return NULL;
}

/* The cause or ROOM by node, and a bit in '*scarce' for each kind of busy that
 * bounds the room of some node. NULL without memory. */
static uint8_t *find_causes(struct attempt *a,
			    const struct sgang_plan_request *rq,
			    const struct probed *p,
			    const struct sgang_nofit *nofit, uint32_t *scarce)
{
	uint8_t *least, *cause = ask_causes(a, p, &least);

	*scarce = 0;
	if (!cause)
		return NULL;
	mark_room(a, rq, nofit, cause);
	for (uint32_t n = 0; n < a->c->host->nodes.count(); n++) {
		if (cause[n] == ROOM)
			*scarce |= 1U << least[n];
		else if (cause[n] <= SGANG_CAUSE_BUSY_GRES)
			*scarce |= 1U << cause[n];
	}
	free(least);
	return cause;
}

/* Count the nodes of a domain without room, by cause. */
static void count_causes(const struct sgang_plan_request *rq,
			 const uint8_t *cause, uint32_t domain,
			 uint32_t count[SGANG_CAUSES])
{
	const struct sgang_domain *d = sgang_fabric_domain(rq->fabric, domain);
	const uint32_t *order = sgang_fabric_order(rq->fabric);

	memset(count, 0, SGANG_CAUSES * sizeof(*count));
	for (uint32_t i = 0; i < d->n_nodes; i++) {
		uint8_t why = cause[order[d->first_pos + i]];

		if (why < SGANG_CAUSES)
			count[why]++;
	}
}

/* ---- in words ---- */

/* " (3 busy, 1 drained)"; where other things than nodes are counted, " (nodes
 * without room: 3 busy, 1 drained)". */
static void append_causes(const uint32_t count[SGANG_CAUSES], bool nodes,
			  char *text, size_t size)
{
	const char *before = nodes ? " (" : " (nodes without room: ";
	size_t used = strlen(text), begin = used;

	for (int i = 0; i < SGANG_CAUSES && used < size; i++) {
		if (!count[i])
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%u %s",
					 before, count[i], causes[i].text);
		before = ", ";
	}
	/* all or nothing: a part would not add up */
	if (used + 1 >= size)
		text[begin] = '\0';
	else if (used > begin)
		strcpy(text + used, ")");
}

/* The record's lacks=, a row for each place. */
static void write_lacks(const struct sgang_plan_request *rq,
			const uint8_t *cause, const struct sgang_nofit *nofit,
			char text[SGANG_LACKS_SIZE])
{
	text[0] = '\0';
	for (size_t i = 0; i < nofit->n_rows; i++) {
		uint32_t domain = nofit->row[i].domain, count[SGANG_CAUSES];
		struct sgang_list_lack lack = { .free = nofit->row[i].free,
						.needed =
							nofit->row[i].needed };

		snprintf(lack.place, sizeof(lack.place), "%.64s",
			 sgang_fabric_domain(rq->fabric, domain)->name);
		count_causes(rq, cause, domain, count);
		_Static_assert(SGANG_CAUSES <= SGANG_LIST_CAUSES, "room");
		for (int k = 0; k < SGANG_CAUSES; k++) {
			if (!count[k])
				continue;
			strcpy(lack.cause[lack.n_causes].word, causes[k].word);
			lack.cause[lack.n_causes++].nodes = count[k];
		}
		if (!sgang_lists_add_lack(text, &lack))
			return;
	}
}

/* ---- members that differ ---- */

static uint32_t need_on(const struct sgang_plan_request *rq,
			const struct probed *p, uint32_t node, uint32_t d)
{
	return p->need[(size_t)rq->type[node] * rq->n_dims + d];
}

/* True if the node has enough of it for a piece. */
static bool has_enough(const struct sgang_plan_request *rq,
		       const struct probed *p, uint32_t node, uint32_t d)
{
	size_t i = (size_t)node * rq->n_dims + d;
	uint32_t need = need_on(rq, p, node, d);

	return (need >= SGANG_PLAN_UNTOUCHED) ? rq->free[i] >= rq->total[i] :
						rq->free[i] >= need;
}

/* 'most': what any node has free of the resource that 'best', the node which
 * comes closest, lacks. */
static void say_lack(const struct sgang_plan_request *rq,
		     const struct probed *p, uint32_t best, uint32_t lacking,
		     uint32_t most, const char *resource, char *text,
		     size_t size)
{
	uint32_t need = need_on(rq, p, best, lacking);
	uint32_t room = sgang_nodeset_count(p->allowed);

	if (room)
		snprintf(text, size, "needs %u nodes, %u %s room for it",
			 p->shape.min_nodes, room, room == 1 ? "has" : "have");
	else if (need == SGANG_PLAN_ALL)
		snprintf(text, size,
			 "needs all %s of a node, and no node has "
			 "all of it free",
			 resource);
	else if (most < need)
		snprintf(text, size,
			 "needs %u %s on a node, at most %u are "
			 "free on one",
			 need, resource, most);
	else
		snprintf(text, size,
			 "no node has all it needs: %s, which comes "
			 "closest, has %u of %u %s free",
			 sgang_fabric_node_name(rq->fabric, best),
			 rq->free[(size_t)best * rq->n_dims + lacking], need,
			 resource);
}

/* No node has room for a piece of this one: name a resource lacking on the node
 * that lacks the fewest, and the most of it that a node has. */
static bool say_alone(const struct sgang_plan_request *rq,
		      const struct sgang_resources *res,
		      const struct part *part, char *text, size_t size)
{
	const struct probed *p = part->probed;
	uint32_t best = 0, best_lacks = UINT32_MAX, lacking = 0, node, most = 0;
	int used;

	if (sgang_nodeset_count(p->allowed) >= p->shape.min_nodes)
		return false;
	for (node = sgang_nodeset_next(p->usable, 0); node != SGANG_NODE_NONE;
	     node = sgang_nodeset_next(p->usable, node + 1)) {
		uint32_t lacks = 0, first = 0;

		for (uint32_t d = res->n_dims; d-- > 0;) {
			if (has_enough(rq, p, node, d))
				continue;
			lacks++;
			first = d;
		}
		if (lacks && lacks < best_lacks) {
			best_lacks = lacks;
			best = node;
			lacking = first;
		}
	}
	if (best_lacks == UINT32_MAX || p->shape.whole)
		return false;
	for (node = sgang_nodeset_next(p->usable, 0); node != SGANG_NODE_NONE;
	     node = sgang_nodeset_next(p->usable, node + 1)) {
		uint32_t have = rq->free[(size_t)node * rq->n_dims + lacking];

		most = (have > most) ? have : most;
	}
	used = snprintf(text, size, "JobId=%u: ", part->entry->job_id);
	if (used > 0 && (size_t)used < size)
		say_lack(rq, p, best, lacking, most, res->dim[lacking].name,
			 text + used, size - used);
	return true;
}

static void name_one(const char *what, char one[SGANG_UNIT_SIZE])
{
	snprintf(one, SGANG_UNIT_SIZE, "%.*s", sgang_resource_one(what), what);
}

static uint64_t need_of_all(const struct sgang_plan_request *rq, uint32_t d)
{
	uint64_t need = 0;

	for (size_t i = 0; i < rq->n_members; i++) {
		uint32_t each = rq->members[i].need[d];

		if (each < SGANG_PLAN_UNTOUCHED)
			need += (uint64_t)each * rq->members[i].units;
	}
	return need;
}

/* True if a member of the attempt may be there. */
static bool may_be_on(const struct attempt *a, uint32_t node)
{
	for (size_t i = 0; i < a->n_probed; i++) {
		const struct probed *p = &a->probed[i];

		if (p->usable && p->allowed &&
		    sgang_nodeset_has(p->allowed, node))
			return true;
	}
	return false;
}

/* What is free of it on the nodes of a domain where the gang may be. */
static uint64_t free_in(const struct attempt *a,
			const struct sgang_plan_request *rq,
			const struct sgang_domain *domain, uint32_t d)
{
	const uint32_t *order = sgang_fabric_order(rq->fabric);
	uint64_t free = 0;

	for (uint32_t i = 0; i < domain->n_nodes; i++) {
		uint32_t node = order[domain->first_pos + i];

		if (may_be_on(a, node))
			free += rq->free[(size_t)node * rq->n_dims + d];
	}
	return free;
}

/* The same in all domains that it may span, and in the one that has the most.
 */
static void find_free(const struct attempt *a,
		      const struct sgang_plan_request *rq, uint32_t d,
		      struct sgang_nofit *nofit)
{
	for (uint32_t i = 0; i < sgang_fabric_domains(rq->fabric); i++) {
		uint64_t free;

		if (!sgang_nofit_has_row(rq, i))
			continue;
		free = free_in(a, rq, sgang_fabric_domain(rq->fabric, i), d);
		nofit->free += free;
		sgang_nofit_row(nofit, i, free, nofit->needed);
	}
	if (!nofit->n_rows)
		return;
	nofit->best_free = nofit->row[0].free;
	snprintf(nofit->best, sizeof(nofit->best), "%.63s",
		 sgang_fabric_domain(rq->fabric, nofit->row[0].domain)->name);
}

/* Name a resource of which all together need more than is free, or is in one
 * domain of the level that they require. */
static bool say_sum(const struct attempt *a,
		    const struct sgang_plan_request *rq,
		    const struct sgang_resources *res, char *text, size_t size)
{
	char said[SGANG_EXPLAIN_SIZE], one[SGANG_UNIT_SIZE];

	for (uint32_t d = res->n_dims; d-- > 0;) {
		struct sgang_nofit nofit = { .needed = need_of_all(rq, d),
					     .slots = 1 };
		struct sgang_explain_unit unit = { one, res->dim[d].name, 1,
						   NULL };

		find_free(a, rq, d, &nofit);
		if (!nofit.n_rows || nofit.needed <= nofit.best_free)
			continue;
		name_one(res->dim[d].name, one);
		sgang_explain_nofit(rq, &nofit, &unit, said);
		snprintf(text, size, "%.*s", (int)size - 1, said);
		return true;
	}
	return false;
}

/* Each fits, but not all together: name the scarcest resource that members
 * need. */
static void say_scarce(const struct attempt *a,
		       const struct sgang_plan_request *rq,
		       const struct sgang_resources *res, char *text,
		       size_t size)
{
	uint32_t scarce = 0;
	double worst = -1;

	for (uint32_t d = 0; d < res->n_dims; d++) {
		double need = (double)need_of_all(rq, d), have = 0;

		for (uint32_t n = 0; n < a->c->host->nodes.count(); n++)
			have += rq->free[(size_t)n * rq->n_dims + d];
		if (have > 0 && need / have > worst) {
			worst = need / have;
			scarce = d;
		}
	}
	snprintf(
		text, size,
		"each member has room, all together have not: %s are the scarcest",
		res->dim[scarce].name);
}

/* The report for several resources. */
static void say_mixed(struct attempt *a, const struct sgang_plan_request *rq,
		      const struct sgang_resources *res,
		      struct sgang_nofit *nofit)
{
	for (size_t i = 0; i < a->n_parts; i++) {
		if (say_alone(rq, res, &a->parts[i], nofit->text,
			      sizeof(nofit->text)))
			return;
	}
	if (say_sum(a, rq, res, nofit->text, sizeof(nofit->text)))
		return;
	if (rq->max_level >= SGANG_LEVEL_UNCONNECTED && !rq->spread)
		say_scarce(a, rq, res, nofit->text, sizeof(nofit->text));
}

/* Report a required node without room for its member. */
static void say_required(struct attempt *a, const struct sgang_plan_request *rq,
			 struct sgang_nofit *nofit)
{
	const struct part *part = &a->parts[nofit->member];
	uint32_t node = sgang_fabric_find_node(rq->fabric, nofit->best), scarce;
	uint8_t *cause = find_causes(a, rq, part->probed, nofit, &scarce);

	a->lacks[0] = '\0';
	if (!cause || node == SGANG_NODE_NONE || cause[node] == ROOM)
		snprintf(nofit->text, sizeof(nofit->text),
			 "JobId=%u: %s, which it requires, has no room for it",
			 part->entry->job_id, nofit->best);
	else
		snprintf(nofit->text, sizeof(nofit->text),
			 "JobId=%u: %s, which it requires, is %s",
			 part->entry->job_id, nofit->best,
			 causes[cause[node]].text);
	free(cause);
}

void sgang_nofit_report(struct attempt *a, const struct sgang_plan_request *rq,
			const struct sgang_resources *resources,
			struct sgang_nofit *nofit)
{
	bool all = nofit->member == SGANG_NOFIT_ALL, piece;
	const struct probed *p = a->parts[all ? 0 : nofit->member].probed;
	struct sgang_explain_unit unit;
	char text[SGANG_EXPLAIN_SIZE], with[WITH_SIZE];
	uint32_t count[SGANG_CAUSES], scarce;
	uint8_t *cause;

	if (!nofit->needed && nofit->best[0]) {
		say_required(a, rq, nofit);
		return;
	}
	cause = find_causes(a, rq, p, nofit, &scarce);
	piece = !all && (!resources || rq->n_dims > 1);
	unit = unit_of(p, piece, scarce, with);
	if (piece)
		nofit->slots = 1;
	sgang_explain_nofit(rq, nofit, &unit, text);
	write_unit(&unit, nofit->slots, a->unit);
	a->lacks[0] = '\0';
	if (cause && nofit->n_rows) {
		count_causes(rq, cause, nofit->row[0].domain, count);
		append_causes(count, !strcmp(a->unit, "node"), text,
			      sizeof(nofit->text));
	}
	if (cause)
		write_lacks(rq, cause, nofit, a->lacks);
	free(cause);
	snprintf(nofit->text, sizeof(nofit->text), "%.*s",
		 (int)sizeof(nofit->text) - 1, text);
	if (resources)
		say_mixed(a, rq, resources, nofit);
}

/* ---- members in any shares ---- */

/* The cause by node, or ROOM. NULL without memory. */
static uint8_t *causes_elsewhere(struct attempt *a, const struct probed *p,
				 const struct sgang_nodeset *room)
{
	uint8_t *least, *cause = ask_causes(a, p, &least);

	if (!cause)
		return NULL;
	for (uint32_t n = 0; n < a->c->host->nodes.count(); n++) {
		if (sgang_nodeset_has(room, n))
			cause[n] = ROOM;
	}
	free(least);
	return cause;
}

void sgang_nofit_report_shares(struct attempt *a, uint32_t level,
			       const struct sgang_nodeset *room,
			       const char *what, struct sgang_nofit *nofit)
{
	struct sgang_plan_request rq = {
		.fabric = a->topology->fabric,
		.costs = &a->c->conf.costs,
		.max_level = level,
	};
	struct sgang_explain_unit unit = { a->unit, what, 1, NULL };
	char text[SGANG_EXPLAIN_SIZE];
	uint32_t count[SGANG_CAUSES];
	uint8_t *cause = causes_elsewhere(a, a->parts[0].probed, room);

	name_one(what, a->unit);
	nofit->slots = 1;
	sgang_explain_nofit(&rq, nofit, &unit, text);
	a->lacks[0] = '\0';
	if (cause && nofit->n_rows) {
		count_causes(&rq, cause, nofit->row[0].domain, count);
		append_causes(count, false, text, sizeof(a->why));
		write_lacks(&rq, cause, nofit, a->lacks);
	}
	free(cause);
	snprintf(a->why, sizeof(a->why), "%.*s", (int)sizeof(a->why) - 1, text);
}
