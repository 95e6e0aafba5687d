/* SPDX-License-Identifier: GPL-2.0-or-later */
/* seats.c - which job has which nodes, and which jobs count as gone */

#include "config.h"

#include <stdatomic.h>
#include <string.h>

#include "release.h"

#include "glue.h"
#include "layout.h"
#include "seats.h"

#pragma weak job_list
#pragma weak node_record_count
#pragma weak node_record_table_ptr

#define NONE UINT32_MAX

static struct {
	struct sgang_seat *seat; /* job by job */
	uint32_t n, room;
	uint32_t *first, *last;  /* by node, of seat; NONE: none */
	struct sgang_gone *gone; /* by node */
	uint32_t *touched;       /* the nodes of which 'gone' is known */
	uint32_t n_touched;
	int nodes;        /* these arrays have so many entries */
	uint64_t counted; /* sgang_events */
	bool stale;
} seats = { .counted = UINT64_MAX, .stale = true };

static uint16_t suspend_below; /* PriorityTier; 0: no job is suspended */

static void suspend_all(void);

/* ---- all seats ---- */

static void add_seat(const struct sgang_seat *seat)
{
	if (seats.n == seats.room) {
		seats.room = seats.room ? 2 * seats.room : 256;
		xrecalloc(seats.seat, seats.room, sizeof(*seats.seat));
	}
	seats.seat[seats.n] = *seat;
	if (seats.first[seat->node] == NONE)
		seats.first[seat->node] = seats.n;
	else
		seats.seat[seats.last[seat->node]].next = seats.n;
	seats.last[seat->node] = seats.n++;
}

/* A job without a map of its cores counts for the whole node. */
static int cores_there(const job_resources_t *res, int first, int cores)
{
	if (res->whole_node == 1 || !res->core_bitmap)
		return cores;
	return bit_set_count_range(res->core_bitmap, first, first + cores);
}

/* A job's cores are numbered over its own nodes alone. After a node that is
 * gone, or has other cores than before, their numbers are unknown. */
static void add_job(const job_record_t *job_ptr)
{
	const job_resources_t *res = job_ptr->job_resrcs;
	struct sgang_seat seat = { .job = job_ptr,
				   .next = NONE,
				   .suspended = sgang_seats_suspends(job_ptr) };
	int last;

	if (!res || !res->node_bitmap)
		return;
	last = bit_fls(res->node_bitmap);
	for (int n = bit_ffs(res->node_bitmap); n >= 0 && n <= last; n++) {
		const node_record_t *node_ptr = node_record_table_ptr[n];

		if (!bit_test(res->node_bitmap, n))
			continue;
		if (!node_ptr ||
		    (res->core_bitmap && seat.first + node_ptr->tot_cores >
						 bit_size(res->core_bitmap)))
			return;
		seat.node = (uint32_t)n;
		seat.cores = cores_there(res, seat.first, node_ptr->tot_cores);
		add_seat(&seat);
		seat.index++;
		seat.first += node_ptr->tot_cores;
	}
}

static void forget(void)
{
	if (seats.nodes != node_record_count) {
		seats.nodes = node_record_count;
		xrecalloc(seats.first, seats.nodes + 1, sizeof(*seats.first));
		xrecalloc(seats.last, seats.nodes + 1, sizeof(*seats.last));
		xrecalloc(seats.gone, seats.nodes + 1, sizeof(*seats.gone));
		xrecalloc(seats.touched, seats.nodes + 1,
			  sizeof(*seats.touched));
	}
	memset(seats.first, 0xff, seats.nodes * sizeof(*seats.first));
	memset(seats.gone, 0, seats.nodes * sizeof(*seats.gone));
	seats.n_touched = 0;
	seats.n = 0;
}

/* Every change of what jobs have is an event: they begin, end, grow, shrink. */
static void take_seats(void)
{
	uint64_t now = atomic_load(&sgang_events);
	list_itr_t *iter;
	job_record_t *job_ptr;

	seats.stale = false;
	if (seats.counted == now && seats.nodes == node_record_count)
		return;
	seats.counted = now;
	forget();
	iter = list_iterator_create(job_list);
	while ((job_ptr = list_next(iter))) {
		if (IS_JOB_RUNNING(job_ptr) || IS_JOB_SUSPENDED(job_ptr))
			add_job(job_ptr);
	}
	list_iterator_destroy(iter);
	if (suspend_below)
		suspend_all();
}

void sgang_seats_refresh(void)
{
	seats.stale = true;
}

static const struct sgang_seat *seat_at(uint32_t at)
{
	return (at == NONE) ? NULL : &seats.seat[at];
}

const struct sgang_seat *sgang_seats_of_node(uint32_t node)
{
	if (seats.stale)
		take_seats();
	return seat_at(seats.first[node]);
}

const struct sgang_seat *sgang_seats_next(const struct sgang_seat *seat)
{
	return seat_at(seat->next);
}

static uint32_t first_of_job(const job_record_t *job_ptr)
{
	const job_resources_t *res = job_ptr->job_resrcs;
	bitoff_t node = (res && res->node_bitmap) ? bit_ffs(res->node_bitmap) :
						    -1;
	uint32_t at = (node < 0) ? NONE : seats.first[node];

	while (at != NONE && seats.seat[at].job != job_ptr)
		at = seats.seat[at].next;
	return at;
}

/* The seats must be of this moment, because they are found by the job's record,
 * which must not be that of another job by now. */
uint32_t sgang_seats_of_job(const struct job_record *job_ptr,
			    const struct sgang_seat **first)
{
	uint32_t at, n = 0;

	take_seats();
	at = first_of_job(job_ptr);
	if (at == NONE)
		return 0;
	*first = &seats.seat[at];
	while (at + n < seats.n && seats.seat[at + n].job == job_ptr)
		n++;
	return n;
}

/* ---- GRES ---- */

static bitstr_t *bits_there(const gres_job_state_t *js, uint32_t index)
{
	return js->gres_bit_alloc ? js->gres_bit_alloc[index] : NULL;
}

static uint64_t count_there(const gres_job_state_t *js, uint32_t index)
{
	bitstr_t *bits = bits_there(js, index);

	if (js->gres_cnt_node_alloc)
		return js->gres_cnt_node_alloc[index];
	return bits ? bit_set_count(bits) : 0;
}

/* Same as _job_dealloc() of slurmctld: GRES that have an index are of the type
 * that the node says. One bit stands for several where jobs share it. */
static uint64_t count_typed(const gres_job_state_t *js, uint32_t index,
			    const gres_node_state_t *ns, uint32_t type)
{
	bitstr_t *bits = bits_there(js, index);
	uint64_t all = count_there(js, index), n = 0;
	int set = bits ? bit_set_count(bits) : 0;

	if (!bits)
		return (js->type_name && js->type_id == type) ? all : 0;
	if (!ns || !ns->topo_gres_bitmap || !ns->topo_type_id || !set)
		return 0;
	for (int t = 0; t < ns->topo_cnt; t++) {
		bitstr_t *of = ns->topo_gres_bitmap[t];

		if (of && ns->topo_type_id[t] == type &&
		    bit_size(of) == bit_size(bits))
			n += bit_overlap(bits, of);
	}
	return n * (all / set);
}

/* Call 'each' for all that the job has there of the GRES. */
static void each_gres(const struct sgang_seat *seat, uint32_t id,
		      void (*each)(const gres_job_state_t *js, uint32_t index,
				   void *arg),
		      void *arg)
{
	list_itr_t *iter;
	gres_state_t *gres;

	if (!seat->job->gres_list_alloc)
		return;
	iter = list_iterator_create(seat->job->gres_list_alloc);
	while ((gres = list_next(iter))) {
		const gres_job_state_t *js = sgang_layout_gres(gres->gres_data,
							       sizeof(*js));

		if (js && gres->plugin_id == id &&
		    (uint32_t)seat->index < js->node_cnt)
			each(js, (uint32_t)seat->index, arg);
	}
	list_iterator_destroy(iter);
}

struct sum {
	const gres_node_state_t *ns; /* of the types */
	bool typed;
	uint32_t type;
	uint64_t n;
};

static void add_gres(const gres_job_state_t *js, uint32_t index, void *arg)
{
	struct sum *sum = arg;

	sum->n += sum->typed ? count_typed(js, index, sum->ns, sum->type) :
			       count_there(js, index);
}

uint64_t sgang_seats_gres(const struct sgang_seat *seat, uint32_t id,
			  bool typed, uint32_t type)
{
	struct sum sum = {
		.ns = typed ? sgang_layout_node_gres(seat->node, id) : NULL,
		.typed = typed,
		.type = type,
	};

	each_gres(seat, id, add_gres, &sum);
	return sum.n;
}

uint64_t sgang_seats_gres_gone(uint32_t node, uint32_t id, bool typed,
			       uint32_t type)
{
	uint64_t gone = 0;

	if (!sgang_seats_gone(node))
		return 0;
	for (const struct sgang_seat *seat = seat_at(seats.first[node]); seat;
	     seat = seat_at(seat->next)) {
		if (seat->left_out)
			gone += sgang_seats_gres(seat, id, typed, type);
	}
	return gone;
}

static void clear_bits(const gres_job_state_t *js, uint32_t index, void *arg)
{
	bitstr_t *used = arg, *bits = bits_there(js, index);
	bitoff_t n = (bits && bit_size(bits) == bit_size(used)) ?
			     bit_size(bits) :
			     0;

	for (bitoff_t i = 0; i < n; i++) {
		if (bit_test(bits, i))
			bit_clear(used, i);
	}
}

void sgang_seats_free_gres(uint32_t node, uint32_t id, int64_t *used)
{
	if (!sgang_seats_gone(node))
		return;
	for (const struct sgang_seat *seat = seat_at(seats.first[node]); seat;
	     seat = seat_at(seat->next)) {
		if (seat->left_out)
			each_gres(seat, id, clear_bits, used);
	}
}

/* ---- those who are left out ---- */

static struct sgang_gone *touch(uint32_t node)
{
	struct sgang_gone *gone = &seats.gone[node];

	if (!gone->known) {
		gone->known = true;
		seats.touched[seats.n_touched++] = node;
	}
	return gone;
}

void sgang_seats_keep_all(void)
{
	suspend_below = 0;
	for (uint32_t i = 0; i < seats.n_touched; i++) {
		uint32_t node = seats.touched[i];

		memset(&seats.gone[node], 0, sizeof(seats.gone[node]));
		for (uint32_t at = seats.first[node]; at != NONE;
		     at = seats.seat[at].next) {
			seats.seat[at].left_out = false;
			seats.seat[at].suspended = false;
		}
	}
	seats.n_touched = 0;
}

uint64_t sgang_seats_memory(const struct sgang_seat *seat)
{
	const job_resources_t *res = seat->job->job_resrcs;

	return (res->memory_allocated && (uint32_t)seat->index < res->nhosts) ?
		       res->memory_allocated[seat->index] :
		       0;
}

static void leave_seat(struct sgang_seat *seat)
{
	struct sgang_gone *gone = touch(seat->node);

	if (seat->left_out)
		return;
	seat->left_out = true;
	gone->running += IS_JOB_RUNNING(seat->job);
	gone->memory += sgang_seats_memory(seat);
}

/* Cores, memory and GRES of a completing job are free already. */
static void leave_completing(const job_record_t *job_ptr)
{
	bitstr_t *nodes = job_ptr->node_bitmap_cg;
	bitoff_t last = nodes ? bit_fls(nodes) : -1;

	for (bitoff_t n = last < 0 ? 0 : bit_ffs(nodes); n <= last; n++) {
		if (bit_test(nodes, n) && node_record_table_ptr[n])
			touch((uint32_t)n)->completing++;
	}
}

void sgang_seats_leave_out(const struct job_record *job_ptr)
{
	uint32_t at;

	take_seats();
	if (IS_JOB_COMPLETING(job_ptr)) {
		leave_completing(job_ptr);
		return;
	}
	for (at = first_of_job(job_ptr);
	     at < seats.n && seats.seat[at].job == job_ptr; at++)
		leave_seat(&seats.seat[at]);
}

/* ---- those who are suspended ---- */

/* The test of the stock plugin with preempt/partition_prio. */
bool sgang_seats_suspends(const struct job_record *job_ptr)
{
	const part_record_t *part_ptr = job_ptr->part_ptr;

	return part_ptr && part_ptr->priority_tier < suspend_below &&
	       part_ptr->preempt_mode != PREEMPT_MODE_OFF;
}

static void suspend_all(void)
{
	for (uint32_t i = 0; i < seats.n; i++) {
		const struct sgang_seat *seat = &seats.seat[i];

		if (seat->suspended)
			touch(seat->node)->running += IS_JOB_RUNNING(seat->job);
	}
	sgang_seats_left_out();
}

bool sgang_seats_suspend(uint16_t below)
{
	sgang_seats_keep_all();
	suspend_below = below;
	seats.counted = UINT64_MAX;
	take_seats();
	return seats.n_touched;
}

/* ---- cores, which several jobs can have ---- */

static bool keeps_cores(const struct sgang_seat *seat)
{
	return !seat->left_out && !seat->suspended;
}

/* True if the job has that core of the node. */
static bool has_core(const struct sgang_seat *seat, int core)
{
	const job_resources_t *res = seat->job->job_resrcs;

	return res->whole_node == 1 || !res->core_bitmap ||
	       bit_test(res->core_bitmap, seat->first + core);
}

/* The cores of a job that `scontrol suspend` has stopped are free. */
bool sgang_seats_uses_cores(const struct sgang_seat *seat)
{
	return seat->job->job_resrcs->core_bitmap &&
	       (!IS_JOB_SUSPENDED(seat->job) || seat->job->priority);
}

/* Same as select_p_select_nodeinfo_set_all() of the stock plugin. */
static uint32_t cpus_of_cores(const node_record_t *node_ptr, uint32_t cores)
{
	uint32_t usable = node_ptr->tot_cores - node_ptr->core_spec_cnt;

	return MIN(cores, usable) * node_ptr->tpc;
}

/* Cores in use on the node, with or without the jobs left out, if no core has
 * two jobs. */
static uint32_t cores_added_up(uint32_t node, bool with)
{
	uint32_t cores = 0;

	for (uint32_t at = seats.first[node]; at != NONE;
	     at = seats.seat[at].next) {
		const struct sgang_seat *seat = &seats.seat[at];

		if (sgang_seats_uses_cores(seat) && (with || keeps_cores(seat)))
			cores += (uint32_t)seat->cores;
	}
	return cores;
}

/* The same, core by core. */
static uint32_t cores_used(uint32_t node, bool with)
{
	uint32_t cores = 0;

	for (int core = 0; core < node_record_table_ptr[node]->tot_cores;
	     core++) {
		bool used = false;

		for (uint32_t at = seats.first[node]; !used && at != NONE;
		     at = seats.seat[at].next)
			used = sgang_seats_uses_cores(&seats.seat[at]) &&
			       (with || keeps_cores(&seats.seat[at])) &&
			       has_core(&seats.seat[at], core);
		cores += used;
	}
	return cores;
}

static void count_cpus(uint32_t node)
{
	const node_record_t *node_ptr = node_record_table_ptr[node];
	uint32_t all = cores_added_up(node, true);
	uint32_t rest = cores_added_up(node, false);
	uint64_t memory;
	uint16_t cpus;

	release_node_used(node_ptr, &cpus, &memory);
	if (all * node_ptr->tpc > cpus) {
		all = cores_used(node, true);
		rest = cores_used(node, false);
	}
	seats.gone[node].cpus = cpus_of_cores(node_ptr, all) -
				cpus_of_cores(node_ptr, rest);
}

void sgang_seats_left_out(void)
{
	for (uint32_t i = 0; i < seats.n_touched; i++)
		count_cpus(seats.touched[i]);
}

const struct sgang_gone *sgang_seats_gone(uint32_t node)
{
	if (suspend_below && seats.stale)
		take_seats();
	return (seats.n_touched && seats.gone[node].known) ? &seats.gone[node] :
							     NULL;
}
