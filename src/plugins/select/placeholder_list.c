/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placeholder_list.c - the placeholders of a gang (placeholder.c) */

#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"

static struct placeholder *find(const struct gang *g, uint32_t job_id)
{
	for (size_t i = 0; i < g->placeholders.n; i++) {
		if (g->placeholders.list[i].job_id == job_id)
			return &g->placeholders.list[i];
	}
	return NULL;
}

bool sgang_placeholder_has(const struct gang *g, uint32_t job_id)
{
	return find(g, job_id) != NULL;
}

int sgang_placeholder_room(struct gang *g, size_t n)
{
	size_t cap = g->placeholders.n + n;
	struct placeholder *more;

	if (cap <= g->placeholders.cap)
		return 0;
	more = realloc(g->placeholders.list, cap * sizeof(*more));
	if (!more)
		return -1;
	g->placeholders.list = more;
	g->placeholders.cap = cap;
	return 0;
}

void sgang_placeholder_add(struct gang *g, uint32_t job_id)
{
	g->placeholders.list[g->placeholders.n++] =
		(struct placeholder){ .job_id = job_id };
}

void sgang_placeholder_take_out(struct gang *g, uint32_t job_id)
{
	struct placeholder *p = find(g, job_id);
	size_t at;

	if (!p)
		return;
	at = (size_t)(p - g->placeholders.list);
	memmove(p, p + 1, (--g->placeholders.n - at) * sizeof(*p));
}

void sgang_placeholder_note_end(const struct gang *g, uint32_t job_id,
				enum sgang_hold_end why)
{
	struct placeholder *p = find(g, job_id);

	if (p)
		p->preempted = why == SGANG_HOLD_END_PREEMPTED;
}

bool sgang_placeholder_is(const struct sgang_conductor *c, uint32_t job_id)
{
	const struct entry *e = sgang_lookup_entry(c, job_id);

	return e && e->spec.placeholder;
}

bool sgang_placeholder_all(const struct sgang_conductor *c,
			   const struct gang *g)
{
	for (size_t i = 0; i < g->hold.n; i++) {
		if (!sgang_placeholder_is(c, g->hold.members[i].job_id))
			return false;
	}
	return true;
}

/* True if a placeholder keeps nodes for such a member, or will. */
static bool has_place(const struct gang *g, const struct entry *e)
{
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *p = g->entries[i];

		if (p->spec.placeholder &&
		    sgang_placeholder_same_role(p->spec.role, e->spec.role))
			return true;
	}
	return false;
}

/* Members that came before their placeholders must not start without them, and
 * Slurm must not plan for them. Those of a role without any start with the
 * placeholders of the others. */
void sgang_placeholder_bar(struct gang *g)
{
	bool started = false;

	g->placeholders.any = false;
	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];

		e->follows = false;
		g->placeholders.any |= e->spec.placeholder;
		started |= e->m.state == SGANG_MEMBER_RUNNING ||
			   (e->has_record && e->record.satisfied);
	}
	if (!g->placeholders.any || started)
		return;
	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];

		if (e->spec.placeholder || e->m.state != SGANG_MEMBER_PENDING ||
		    !has_place(g, e))
			continue;
		e->follows = e->m.eligible || e->parked;
		e->m.eligible = false;
	}
}

bool sgang_placeholder_same_role(const char *a, const char *b)
{
	if (!a[0] || !b[0])
		return a[0] == b[0];
	return sgang_role_path_order(a, b) == 0;
}
