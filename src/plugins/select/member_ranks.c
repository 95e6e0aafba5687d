/* SPDX-License-Identifier: GPL-2.0-or-later */
/* member_ranks.c - the member ranks of a gang that has started
 *
 * Each member of a gang that has started has a seat: its member rank and its
 * ranks of the ring. A seat stays when its member is gone. Seats are read from
 * the records of the members. The seat of a member whose record is gone is
 * remembered until slurmctld ends; after a restart adjacent vacant seats are
 * assumed to be of equal size.
 */

#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"
#include "core/base/hostlist.h"
#include "core/gang/lists.h"

void sgang_ranks_forget(struct gang *g)
{
	for (uint32_t i = 0; i < g->seats.n; i++)
		free(g->seats.seat[i].role);
	free(g->seats.seat);
	memset(&g->seats, 0, sizeof(g->seats));
}

/* ---- records ---- */

/* Records are compared byte by byte. */
void sgang_ranks_ring(const struct sgang_conductor *c,
		      const struct sgang_ring *ring, struct sgang_record *r)
{
	r->ring_cost = ring->cost;
	r->cross_links = ring->cross_links;
	memset(r->tier, 0, sizeof(r->tier));
	strncpy(r->tier, c->conf.costs.name[ring->tier], sizeof(r->tier) - 1);
	memset(r->hops, 0, sizeof(r->hops));
	sgang_lists_write_hops(ring, &c->conf.costs, r->hops);
}

void sgang_ranks_tell(const struct sgang_conductor *c, const struct gang *g,
		      struct sgang_record *r)
{
	uint64_t cost = r->ring_cost;

	if (!g->seats.changes)
		return;
	r->members = g->seats.n;
	r->ranks = g->seats.ranks;
	sgang_ranks_ring(c, &g->seats.ring, r);
	r->exact = r->exact && r->ring_cost == cost;
}

/* ---- seats ---- */

static int make_seats(struct gang *g, uint32_t n)
{
	struct seat *more;

	if (n <= g->seats.n)
		return 0;
	more = realloc(g->seats.seat, n * sizeof(*more));
	if (!more)
		return -1;
	memset(more + g->seats.n, 0, (n - g->seats.n) * sizeof(*more));
	g->seats.seat = more;
	g->seats.n = n;
	return 0;
}

/* True if this member has a place in the ring now. */
static bool is_seated(const struct entry *e, const struct sgang_job_info *info)
{
	return e->has_record && e->record.placed &&
	       (info->state == SGANG_JOB_RUNNING ||
		info->state == SGANG_JOB_CONFIGURING);
}

/* State of a look at all members in turn. */
struct look {
	struct sgang_conductor *c;
	struct gang *g;
	uint32_t but;                /* not this job */
	struct sgang_nodeset *nodes; /* empty between members */
};

/* The ranks of a job that has its nodes. */
static uint32_t ranks_of(struct look *l, const struct sgang_job_info *info)
{
	uint32_t nodes;

	l->c->host->jobs.nodes(info->job, l->nodes);
	nodes = sgang_nodeset_count(l->nodes);
	sgang_nodeset_clear(l->nodes);
	return info->ranks > nodes ? info->ranks : nodes;
}

/* The group of a seat in a tree: its heirs are of the same one. */
static void note_role(const struct gang *g, struct seat *seat,
		      const struct entry *e)
{
	if (!g->tally.roles.any || seat->role)
		return;
	seat->role = strdup(e->spec.role);
}

/* The group of the next seat, on one side, of which it is known; NULL: none. */
static const char *role_beside(const struct gang *g, uint32_t seat, int step)
{
	for (uint32_t i = seat; i < g->seats.n; i += (uint32_t)step) {
		if (g->seats.seat[i].role)
			return g->seats.seat[i].role;
	}
	return NULL;
}

/* May the member have that seat? Members that start together are sorted by
 * group, so a seat whose owner is forgotten is of a group between those beside
 * it. */
bool sgang_ranks_suits(const struct gang *g, uint32_t seat,
		       const struct entry *e)
{
	const char *low, *high;

	if (!g->tally.roles.any || !e)
		return true;
	low = role_beside(g, seat, -1);
	high = role_beside(g, seat, 1);
	return (!low || sgang_role_path_order(low, e->spec.role) <= 0) &&
	       (!high || sgang_role_path_order(e->spec.role, high) <= 0);
}

static int note_seat(struct look *l, struct entry *e,
		     const struct sgang_job_info *info)
{
	const struct sgang_record *r = &e->record;
	struct gang *g = l->g;
	struct seat *seat;

	if (make_seats(g, r->members) < 0 ||
	    make_seats(g, r->member_rank + 1) < 0)
		return -1;
	seat = &g->seats.seat[r->member_rank];
	if (!seat->ranks || seat->job_id != e->job_id)
		seat->ranks = ranks_of(l, info);
	seat->job_id = e->job_id;
	seat->offset = r->rank_offset;
	if (r->layout[0])
		strcpy(seat->layout, r->layout);
	seat->owner = e;
	note_role(g, seat, e);
	if (r->ranks > g->seats.ranks)
		g->seats.ranks = r->ranks;
	return 0;
}

/* Seats of members that wait again, of which no pass has seen the owner. */
static void note_waiting(const struct gang *g)
{
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct entry *e = g->entries[i];
		uint32_t rank = e->record.was.rank;

		if (e->m.state == SGANG_MEMBER_PENDING && e->has_record &&
		    e->record.was.members && rank < g->seats.n &&
		    !g->seats.seat[rank].job_id)
			g->seats.seat[rank].job_id = e->job_id;
	}
}

static int look_round(struct look *l)
{
	struct gang *g = l->g;

	for (uint32_t i = 0; i < g->seats.n; i++)
		g->seats.seat[i].owner = NULL;
	for (size_t i = 0; i < g->n_entries; i++) {
		struct entry *e = g->entries[i];
		struct sgang_job *job = l->c->host->jobs.find(e->job_id);
		struct sgang_job_info info;

		if (!job || e->job_id == l->but)
			continue;
		l->c->host->jobs.info(job, &info);
		if (is_seated(e, &info) && note_seat(l, e, &info) < 0)
			return -1;
	}
	return 0;
}

/* Share ranks among the seats first to end - 1, between two known ones. */
static void share_out(struct gang *g, uint32_t first, uint32_t end)
{
	const struct seat *before = first ? &g->seats.seat[first - 1] : NULL;
	uint64_t from = before ? before->offset + before->ranks : 0;
	uint64_t upto = end < g->seats.n ? g->seats.seat[end].offset :
					   g->seats.ranks;
	uint32_t n = end - first;

	if (upto <= from || (upto - from) % n)
		return;
	for (uint32_t i = 0; i < n; i++) {
		struct seat *seat = &g->seats.seat[first + i];

		seat->ranks = (uint32_t)((upto - from) / n);
		seat->offset = from + (uint64_t)i * seat->ranks;
	}
}

/* After a restart of slurmctld the size of vacant seats is unknown. */
static void guess_seats(struct gang *g)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i <= g->seats.n; i++) {
		if (i < g->seats.n && !g->seats.seat[i].ranks)
			continue;
		if (first < i)
			share_out(g, first, i);
		first = i + 1;
	}
}

int sgang_ranks_look(struct sgang_conductor *c, struct gang *g, uint32_t but)
{
	struct look l = {
		.c = c,
		.g = g,
		.but = but,
		.nodes = sgang_nodeset_create(c->host->nodes.count()),
	};
	int rc = l.nodes ? look_round(&l) : -1;

	sgang_nodeset_destroy(l.nodes);
	if (rc < 0)
		return -1;
	note_waiting(g);
	guess_seats(g);
	return 0;
}

enum seat_fate sgang_ranks_fate(const struct sgang_conductor *c,
				const struct seat *seat)
{
	struct sgang_job *job;
	struct sgang_job_info info;

	if (seat->owner)
		return SEAT_OWNED;
	job = seat->job_id ? c->host->jobs.find(seat->job_id) : NULL;
	if (!job)
		return SEAT_FORGOTTEN;
	c->host->jobs.info(job, &info);
	return info.state == SGANG_JOB_ENDED && !info.failed ? SEAT_COMPLETED :
							       SEAT_LOST;
}

uint32_t sgang_ranks_find(const struct sgang_conductor *c, const struct gang *g,
			  uint32_t job_id, uint32_t ranks)
{
	const struct entry *e = sgang_lookup_entry(c, job_id);
	bool spares = sgang_spares_any(g);
	uint32_t first = g->seats.n;

	for (uint32_t i = g->seats.n; i-- > 0;) {
		const struct seat *seat = &g->seats.seat[i];

		if (seat->owner || seat->ranks != ranks ||
		    !sgang_ranks_suits(g, i, e))
			continue;
		if (seat->job_id == job_id)
			return i;
		if (!spares || !e || !e->restarts ||
		    sgang_ranks_fate(c, seat) != SEAT_COMPLETED)
			first = i;
	}
	return first;
}

int sgang_ranks_take(struct gang *g, uint32_t rank, uint32_t job_id,
		     uint32_t ranks)
{
	if (rank == g->seats.n) {
		if (make_seats(g, rank + 1) < 0)
			return -1;
		g->seats.seat[rank].offset = g->seats.ranks;
		g->seats.seat[rank].ranks = ranks;
		g->seats.ranks += ranks;
	}
	g->seats.seat[rank].job_id = job_id;
	return 0;
}

bool sgang_ranks_own(const struct sgang_conductor *c, struct gang *g,
		     uint32_t rank)
{
	struct seat *seat = &g->seats.seat[rank];

	seat->owner = sgang_lookup_entry(c, seat->job_id);
	if (seat->owner)
		note_role(g, seat, seat->owner);
	return seat->owner;
}

struct seated *sgang_ranks_list(const struct sgang_conductor *c,
				const struct gang *g)
{
	struct seated *list = calloc(g->seats.n + 1UL, sizeof(*list));

	for (uint32_t i = 0; list && i < g->seats.n; i++) {
		const struct seat *seat = &g->seats.seat[i];

		list[i].offset = seat->offset;
		list[i].ranks = seat->ranks;
		list[i].layout = seat->layout;
		list[i].role = seat->role;
		if (!seat->owner)
			continue;
		list[i].job = c->host->jobs.find(seat->owner->job_id);
		list[i].job_id = seat->owner->job_id;
		list[i].record = &seat->owner->record;
	}
	return list;
}

/* ---- members without a seat ---- */

uint32_t sgang_ranks_of(struct sgang_conductor *c, struct sgang_job *job)
{
	struct sgang_nodeset *on = sgang_nodeset_create(c->host->nodes.count());
	struct sgang_job_info info;
	uint32_t nodes = 0;

	c->host->jobs.info(job, &info);
	if (on) {
		c->host->jobs.nodes(job, on);
		nodes = sgang_nodeset_count(on);
	}
	sgang_nodeset_destroy(on);
	return info.ranks > nodes ? info.ranks : nodes;
}

/* The job is asked, because it may have started since the last pass. */
struct sgang_job *sgang_ranks_spare(const struct sgang_conductor *c,
				    const struct entry *e)
{
	struct sgang_job *job;
	struct sgang_job_info info;

	if (!e->has_record || !e->record.spare)
		return NULL;
	job = c->host->jobs.find(e->job_id);
	if (!job)
		return NULL;
	c->host->jobs.info(job, &info);
	return info.state == SGANG_JOB_RUNNING ||
			       info.state == SGANG_JOB_CONFIGURING ?
		       job :
		       NULL;
}

/* ---- neighbours in the ring ---- */

/* Add the first or last node of a member, in the order of its record; without
 * an order, any node. */
static void add_end(struct sgang_conductor *c, const struct seat *seat,
		    bool last, struct sgang_nodeset *nodes)
{
	const struct sgang_record *r = &seat->owner->record;
	struct sgang_job *job = c->host->jobs.find(seat->owner->job_id);
	uint32_t node = SGANG_NODE_NONE;
	char **name;
	size_t n;

	if (r->at[0] && sgang_hostlist_expand(r->at, &name, &n, NULL) == 0) {
		node = sgang_fabric_find_node(c->fabric,
					      name[last ? n - 1 : 0]);
		sgang_hostlist_free(name);
	}
	if (node != SGANG_NODE_NONE)
		sgang_nodeset_add(nodes, node);
	else if (job)
		c->host->jobs.nodes(job, nodes);
}

bool sgang_ranks_beside(struct sgang_conductor *c, const struct gang *g,
			uint32_t rank, struct sgang_nodeset *nodes)
{
	uint32_t n = g->seats.n, seats = rank < n ? n : n + 1;
	bool before = false, after = false;

	for (uint32_t i = 1; i < seats && !(before && after); i++) {
		uint32_t down = (rank + seats - i) % seats;
		uint32_t up = (rank + i) % seats;

		if (!before && down < n && g->seats.seat[down].owner) {
			add_end(c, &g->seats.seat[down], true, nodes);
			before = true;
		}
		if (!after && up < n && g->seats.seat[up].owner) {
			add_end(c, &g->seats.seat[up], false, nodes);
			after = true;
		}
	}
	return before;
}
