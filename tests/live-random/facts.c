/* SPDX-License-Identifier: GPL-2.0-or-later */
/* facts.c - what was seen of a gang, for tests/judge/judge
 *
 * That says whether gangs start whole, and whether what Slurm says of their nodes
 * and what the environments of all members say is the same. Times are of no
 * interest: all that is told of a gang was seen at once.
 */

#include "run.h"

static const char *name_of(const struct lr_run *r, bool second)
{
	static char name[16];

	snprintf(name, sizeof(name), "g%u%s", r->g.number, second ? "b" : "");
	return name;
}

/* Those of a nonstrict gang may start one by one. */
static void tell_gang(const struct lr_run *r, bool second, uint32_t min)
{
	fprintf(r->facts, "gang 0 %s %u\n", name_of(r, second),
		r->g.nonstrict ? 1 : min);
}

void lr_tell_states(const struct lr_run *r)
{
	uint32_t split = r->g.split;

	fprintf(r->facts, "event 0 %u random\n", r->g.number);
	tell_gang(r, false, split ? split : r->g.min);
	if (split) {
		tell_gang(r, true, r->g.min - split);
		fprintf(r->facts, "group 0 g%u g%ub\n", r->g.number,
			r->g.number);
	}
	fprintf(r->facts, "look 0\n");
	for (uint32_t i = 0; i < r->g.n_members; i++)
		fprintf(r->facts, "job 0 %u %s %s 0 N/A - None\n",
			r->jobs[i].id,
			r->jobs[i].has_nodes ? "RUNNING" : "PENDING",
			name_of(r, split && i >= split));
	fprintf(r->facts, "seen 0\n");
}

static void tell_nodes(const struct lr_run *r, const struct lr_place *place)
{
	for (uint32_t i = 0; i < place->n; i++)
		fprintf(r->facts, "%c%s", i ? ',' : ' ',
			r->c.node[place->node[i]].name);
	fprintf(r->facts, "\n");
}

void lr_tell_member(const struct lr_run *r, const struct lr_job *job,
		    const char *own, const char *all)
{
	const char *name = name_of(r, r->second);

	fprintf(r->facts, "ranks 0 %s %u\n", name, r->g.n_members);
	fprintf(r->facts, "told 0 %u 0 %s 1 ", job->id, name);
	for (uint32_t i = 0; i < r->g.n_members; i++)
		fprintf(r->facts, "%s%u", i ? "," : "",
			r->jobs[r->order[i]].id);
	fprintf(r->facts, " %s -\n", all ? all : "-");
	fprintf(r->facts, "has 0 %u %s\n", job->id, own ? own : "-");
	fprintf(r->facts, "at 0 %u %s 0", job->id, name);
	tell_nodes(r, &job->nodes);
}

void lr_tell_settled(const struct lr_run *r)
{
	fprintf(r->facts, "settled 0\n");
}

void lr_tell_end(const struct lr_run *r)
{
	fprintf(r->facts, "end 0 %s\n", name_of(r, false));
	fprintf(r->facts, "end 0 %s\n", name_of(r, true));
	fflush(r->facts);
}
