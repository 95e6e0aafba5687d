/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reason.c - is it so what a gang that waits says
 *
 * Numbers of members that are alike are counted again. Of those that differ
 * only what cannot be at all is a mistake, for they are in each other's way.
 */

#include <stdlib.h>
#include <string.h>

#include "run.h"

/* Nodes that it asks for are all that it can have, unless it has more. */
static bool is_requested(const struct lr_member *m, uint32_t node)
{
	return !m->required ||
	       (uint32_t)__builtin_popcount(m->required) < m->nodes ||
	       m->required >> node & 1;
}

/* Pieces of a member that a node has room for, as in "3 places with 2 CPUs";
 * each takes what the member takes of one node. */
static uint32_t pieces(const struct lr_cluster *c, const struct lr_member *m,
		       uint32_t node)
{
	uint32_t used[LR_DIMS], n = 0;

	if (!lr_allowed(c, m, node) || !is_requested(m, node))
		return 0;
	memcpy(used, c->node[node].used, sizeof(used));
	while (n < 64 && lr_room(c, m, node, used)) {
		used[LR_CPU] += m->whole ? c->node[node].has[LR_CPU] :
					   m->tasks * m->cpus;
		used[LR_MEM] += m->mem;
		used[LR_GPU] += m->gpus;
		used[LR_SHARERS] += m->shares;
		n++;
	}
	return n;
}

/* ---- causes ---- */

enum {
	BUSY,
	BUSY_MEMORY,
	BUSY_GPUS,
	RESERVED,
	DRAINED,
	GPUS,
	MEMORY,
	CPUS,
	FEATURE,
	REQUESTED,
	EXCLUDED,
	PARTITION,
	CAUSES,
	ROOM = CAUSES
};

static const char *const cause_text[CAUSES] = {
	"busy",
	"with too little free memory",
	"with too few free GPUs",
	"reserved",
	"drained",
	"with too few GPUs",
	"with too little memory",
	"with too few CPUs",
	"without the feature",
	"not requested",
	"excluded",
	"not in the partition",
};

/* What the node would lack if nobody used it. */
static uint32_t lacks(const struct lr_cluster *c, const struct lr_member *m,
		      uint32_t node)
{
	const struct lr_node *n = &c->node[node];

	if (!(n->parts >> m->part & 1))
		return PARTITION;
	if (m->excluded >> node & 1)
		return EXCLUDED;
	if (!is_requested(m, node))
		return REQUESTED;
	if (m->feature != LR_NONE && !(n->features >> m->feature & 1))
		return FEATURE;
	if (n->has[LR_CPU] < m->tasks * m->cpus)
		return CPUS;
	if (n->has[LR_MEM] < m->mem)
		return MEMORY;
	if (n->has[LR_GPU] < m->gpus ||
	    (m->gpu_type && m->gpu_type != n->gpu_type))
		return GPUS;
	return ROOM;
}

static uint32_t cause_of(const struct lr_cluster *c, const struct lr_member *m,
			 uint32_t node)
{
	const struct lr_node *n = &c->node[node];
	uint32_t cpus = lr_cpus_left(c, m, node, n->used);
	uint32_t lack = lacks(c, m, node);

	if (lack != ROOM)
		return lack;
	if (n->away)
		return DRAINED;
	if (n->reserved)
		return RESERVED;
	if (m->whole ? n->used[LR_CPU] != 0 : cpus < m->tasks * m->cpus)
		return BUSY;
	if (n->has[LR_GPU] - n->used[LR_GPU] < m->gpus)
		return BUSY_GPUS;
	return n->has[LR_MEM] - n->used[LR_MEM] < m->mem ? BUSY_MEMORY : ROOM;
}

/* The number before "with too few CPUs" in "(3 busy, 1 with too few CPUs)" or
 * "(nodes without room: 3 busy, ...)". */
static uint32_t said_of(const char *list, const char *cause)
{
	size_t n = strlen(cause);

	for (const char *at = list; at; at = strpbrk(at + 1, "(:,")) {
		char *end;
		uint32_t number;

		at += strspn(at, "(:, ");
		number = (uint32_t)strtoul(at, &end, 10);
		if (end > at && *end == ' ' && !strncmp(end + 1, cause, n) &&
		    (end[n + 1] == ',' || end[n + 1] == ')'))
			return number;
	}
	return 0;
}

/* Is each node told with its cause? */
static const char *wrong_causes(const struct lr_cluster *c,
				const struct lr_member *m, const char *text)
{
	static char what[128];
	const char *list = strrchr(text, '(');
	uint32_t count[CAUSES + 1] = { 0 }, commas = 0, kinds = 0;

	if (!list)
		return NULL;
	for (uint32_t i = 0; i < c->n_nodes; i++)
		count[cause_of(c, m, i)]++;
	for (const char *at = list; *at; at++)
		commas += *at == ',';
	for (uint32_t i = 0; i < CAUSES; i++) {
		kinds += count[i] > 0;
		if (said_of(list, cause_text[i]) == count[i])
			continue;
		snprintf(what, sizeof(what), "%u nodes are %s", count[i],
			 cause_text[i]);
		return what;
	}
	return commas + 1 == kinds ? NULL : "it has a cause that is none";
}

/* ---- numbers ---- */

/* "5 places with 2 CPUs are needed, 3 are free (2 busy)", "... are needed in one
 * leaf, 3 are free: l1 has 2" */
static bool needed_and_free(const char *text, uint32_t *needed, uint32_t *free)
{
	const char *at = strstr(text, " needed"), *start = at;
	const char *comma = at ? strchr(at, ',') : NULL;

	if (!comma || sscanf(comma, ", %u ", free) != 1)
		return false;
	while (start > text && start[-1] != ':')
		start--;
	return sscanf(start, " %u ", needed) == 1;
}

static const char *counted_again(const struct lr_cluster *c,
				 const struct lr_gang *g, const char *text,
				 uint32_t needed, uint32_t free)
{
	static char what[128];
	const struct lr_member *m = &g->member[0];
	uint32_t least = 0, most = 0, unit = 1;

	for (uint32_t i = 0; i < c->n_nodes; i++) {
		uint32_t n = pieces(c, m, i);

		most += n;
		least += n < g->n_members ? n : g->n_members;
	}
	if (m->gpus && strstr(text, " GPU") && !strstr(text, "place"))
		unit = m->gpus;
	else if (strstr(text, " CPU") && !strstr(text, "place"))
		unit = m->tasks * m->cpus;
	if (free < least * unit || free > most * unit)
		snprintf(what, sizeof(what), "%u to %u are free", least * unit,
			 most * unit);
	else if (needed != m->nodes * g->n_members * unit)
		snprintf(what, sizeof(what), "%u are needed",
			 m->nodes * g->n_members * unit);
	/* One that others share may lack more than CPUs. */
	else if (c->rows > 1 && !m->shares)
		return NULL;
	else
		return wrong_causes(c, m, text);
	return what;
}

/* ---- one member of several that differ ---- */

/* "needs 3 nodes, 2 have room for it" */
static const char *wrong_nodes(const struct lr_run *r,
			       const struct lr_member *m, uint32_t needed,
			       uint32_t room)
{
	static char what[128];
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->c.n_nodes; i++)
		n += lr_allowed(&r->c, m, i) &&
		     lr_room(&r->c, m, i, r->c.node[i].used);
	if (needed <= m->nodes && needed >= (m->least ? m->least : m->nodes) &&
	    room < needed &&
	    (room == n || (room < n && r->g.policy != LR_ANYWHERE)))
		return NULL;
	snprintf(what, sizeof(what), "it needs %u nodes, %u have room",
		 m->nodes, n);
	return what;
}

/* "n7, which comes closest, has 0 of 1 GPUs free" */
static const char *wrong_closest(const struct lr_cluster *c, const char *text)
{
	static char what[128];
	char name[16], resource[16];
	uint32_t have, need, node, d, free;

	if (sscanf(text,
		   " no node has all it needs: %15[^,], which comes closest"
		   ", has %u of %u %15s",
		   name, &have, &need, resource) != 4)
		return "it does not name what is scarce";
	node = lr_node_called(c, name);
	d = !strcmp(resource, "CPUs") ? LR_CPU :
	    !strcmp(resource, "MB")   ? LR_MEM :
					LR_GPU;
	free = node == LR_NONE ? 0 :
				 c->node[node].has[d] - c->node[node].used[d];
	/* of a type it has none */
	if (node != LR_NONE && have < need && (have == free || !have))
		return NULL;
	snprintf(what, sizeof(what), "%s has %u free", name, free);
	return what;
}

/* "n7, which it requires, is busy", or "... has no room for it": others of the
 * gang are in its way, or a level. */
static const char *wrong_required(const struct lr_cluster *c,
				  const struct lr_member *m, const char *text)
{
	static char what[128];
	const char *is = strstr(text, ", which it requires, is ");
	char name[16];
	uint32_t node, cause;

	node = sscanf(text, " %15[^,]", name) == 1 ? lr_node_called(c, name) :
						     LR_NONE;
	if (node == LR_NONE || !(m->required >> node & 1))
		return "it does not require that node";
	cause = cause_of(c, m, node);
	if (is ? cause < CAUSES &&
			    !strcmp(strstr(is, " is ") + 4, cause_text[cause]) :
		 cause == ROOM)
		return NULL;
	snprintf(what, sizeof(what), "%s %s", name,
		 cause < CAUSES ? cause_text[cause] : "has room");
	return what;
}

/* Slurm's own words of a node that a member requires. */
static const char *wrong_not_available(const struct lr_cluster *c,
				       const struct lr_member *m)
{
	for (uint32_t i = 0; i < c->n_nodes; i++) {
		if (m->required >> i & 1 &&
		    (c->node[i].away || c->node[i].reserved))
			return NULL;
	}
	return "all nodes that it requires are available";
}

static const char *wrong_member(const struct lr_run *r, const char *text)
{
	uint32_t id = (uint32_t)strtoul(text + strlen("JobId="), NULL, 10);
	const char *at_most = strstr(text, ", at most "), *says;
	uint32_t needed, free, i = 0;

	/* all tasks of an array have its id, and ask for the same */
	while (i + 1 < r->g.n_members && r->ids[i] != id)
		i++;
	says = strchr(text, ':') + 1;
	if (at_most && sscanf(says, " needs %u ", &needed) == 1 &&
	    sscanf(at_most, ", at most %u ", &free) == 1)
		return free < needed ? NULL : "what is needed is free";
	if (sscanf(says, " needs %u nodes, %u ", &needed, &free) == 2)
		return wrong_nodes(r, &r->g.member[i], needed, free);
	if (!strncmp(says, " needs all ", strlen(" needs all ")))
		return NULL;
	if (strstr(says, ", which it requires, "))
		return wrong_required(&r->c, &r->g.member[i], says);
	if (!strncmp(says, " Required node not available", 28))
		return wrong_not_available(&r->c, &r->g.member[i]);
	return wrong_closest(&r->c, says);
}

const char *lr_wrong_reason(const struct lr_run *r, const char *reason)
{
	const struct lr_gang *g = &r->g;
	const char *text = strstr(reason, " waits: ");
	uint32_t needed, free;

	if (!text)
		return "it does not say for what it waits";
	text += strlen(" waits: ");
	if (!strncmp(text, "JobId=", 6))
		return wrong_member(r, text);
	if (!needed_and_free(text, &needed, &free))
		return NULL;
	if (free >= needed)
		return "what is needed is free";
	if (!lr_alike(g) || g->nonstrict || g->min < g->n_members ||
	    strstr(text, "member") || g->policy != LR_ANYWHERE)
		return NULL;
	return counted_again(&r->c, g, text, needed, free);
}
