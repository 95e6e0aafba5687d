/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inside.c - what is used and free inside nodes, as Slurm counts it
 *
 * Cores are counted from the allocations of jobs, GPUs from the GRES records of
 * nodes. With File= in gres.conf a GPU has an index, which is its place in the
 * node's description. With Cores= alone GPUs are known by the cores they are
 * near to. With neither, the GPUs of a job are unknown.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "release.h"

#include "glue.h"
#include "inside.h"
#include "layout.h"
#include "seats.h"

#pragma weak job_list
#pragma weak node_record_count
#pragma weak node_record_table_ptr

static struct {
	const struct sgang_devices *devices;
	const struct sgang_node_topo *const *topo;
	uint32_t *busy;   /* by island: cores in use ... */
	uint64_t counted; /* ... at this one of sgang_events */
	bool stale;       /* that is not to be relied on */
	uint32_t gpu_id;  /* Slurm's number of gres/gpu */
} inside;

/* The position of a node among a job's own: the last one that was asked about.
 */
struct seat {
	int index; /* which of its nodes it is */
	int first; /* its first core there */
};
static struct {
	struct seat *seat;         /* by node, where the job has it */
	const job_resources_t *of; /* NULL: of none */
	uint64_t when;             /* sgang_events */
} seats;

void sgang_inside_set(const struct sgang_devices *devices,
		      const struct sgang_node_topo *const *topo)
{
	xfree(inside.busy);
	xfree(seats.seat);
	seats.of = NULL;
	inside.devices = devices;
	inside.topo = topo;
	inside.stale = true;
	inside.counted = UINT64_MAX;
	inside.gpu_id = gres_build_id("gpu");
	if (!devices)
		return;
	inside.busy = xcalloc(devices->first[devices->n_nodes] + 1,
			      sizeof(*inside.busy));
	seats.seat = xcalloc(devices->n_nodes + 1, sizeof(*seats.seat));
}

/* ---- cores ---- */

static uint32_t island_of_core(const struct sgang_node_topo *topo, int core)
{
	return ((uint32_t)core < topo->n_cores) ? topo->core_island[core] : 0;
}

/* Add up by island the cores that the job has there. */
static void add_cores(const job_resources_t *res, int node, int first,
		      uint32_t *part)
{
	const struct sgang_node_topo *topo = inside.topo[node];
	int cores = node_record_table_ptr[node]->tot_cores;

	for (int core = 0; core < cores; core++) {
		if (res->whole_node == 1 ||
		    bit_test(res->core_bitmap, first + core))
			part[island_of_core(topo, core)]++;
	}
}

/* A job's cores are numbered over its own nodes alone. After a node that is
 * gone their numbers are unknown. */
static void each_node(const job_resources_t *res,
		      void (*each)(const job_resources_t *res, int node,
				   const struct seat *seat))
{
	struct seat seat = { .index = 0 };
	int last;

	if (!res || !res->core_bitmap || !res->node_bitmap)
		return;
	last = bit_fls(res->node_bitmap);
	for (int n = bit_ffs(res->node_bitmap); n >= 0 && n <= last; n++) {
		if (!bit_test(res->node_bitmap, n))
			continue;
		if (!node_record_table_ptr[n])
			return;
		each(res, n, &seat);
		seat.index++;
		seat.first += node_record_table_ptr[n]->tot_cores;
	}
}

static void add_busy(const job_resources_t *res, int node,
		     const struct seat *seat)
{
	if (inside.topo[node])
		add_cores(res, node, seat->first,
			  inside.busy + inside.devices->first[node]);
}

void sgang_inside_refresh(void)
{
	inside.stale = true;
}

/* Every change of what jobs have is an event: they begin, end, grow, shrink. */
static void count_busy(void)
{
	uint64_t now = atomic_load(&sgang_events);
	list_itr_t *iter;
	job_record_t *job_ptr;

	if (!inside.stale)
		return;
	inside.stale = false;
	if (inside.counted == now)
		return;
	inside.counted = now;
	memset(inside.busy, 0,
	       inside.devices->first[inside.devices->n_nodes] *
		       sizeof(*inside.busy));
	iter = list_iterator_create(job_list);
	while ((job_ptr = list_next(iter))) {
		if (IS_JOB_RUNNING(job_ptr) || IS_JOB_SUSPENDED(job_ptr))
			each_node(job_ptr->job_resrcs, add_busy);
	}
	list_iterator_destroy(iter);
}

/* Cores that CoreSpecCount= or CpuSpecList= keep from jobs are no room; they
 * are known once the node has registered. */
static void count_usable(uint32_t node, uint32_t *usable)
{
	const struct sgang_node_topo *topo = inside.topo[node];
	const node_record_t *node_ptr = node_record_table_ptr[node];

	for (uint32_t i = 0; i < topo->n_islands; i++)
		usable[i] = topo->island[i].n_cores;
	if (!node_ptr->node_spec_bitmap)
		return;
	for (uint32_t core = 0; core < topo->n_cores &&
				core < bit_size(node_ptr->node_spec_bitmap);
	     core++) {
		if (!bit_test(node_ptr->node_spec_bitmap, core))
			usable[topo->core_island[core]]--;
	}
}

/* Add up by island the cores of the jobs that are left out. */
static void count_gone(uint32_t node, uint32_t *gone)
{
	const struct sgang_seat *seat = sgang_seats_of_node(node);

	for (; seat; seat = sgang_seats_next(seat)) {
		const job_resources_t *res = seat->job->job_resrcs;

		if ((seat->left_out || seat->suspended) && res->core_bitmap)
			add_cores(res, (int)node, seat->first, gone);
	}
}

static void free_cores(uint32_t node, bool empty, uint32_t *cores)
{
	const uint32_t *busy = inside.busy + inside.devices->first[node];
	uint32_t gone[SGANG_ISLANDS_MAX] = { 0 };

	count_usable(node, cores);
	if (empty)
		return;
	if (sgang_seats_gone(node))
		count_gone(node, gone);
	for (uint32_t i = 0; i < inside.topo[node]->n_islands; i++)
		cores[i] -= MIN(cores[i], busy[i] - MIN(busy[i], gone[i]));
}

/* ---- GPUs ---- */

struct xlist *sgang_inside_gres(const struct job_record *job_ptr)
{
	bool asks = job_ptr->tres_per_job || job_ptr->tres_per_node ||
		    job_ptr->tres_per_socket || release_gres_per_task(job_ptr);

	if (!asks && job_ptr->node_bitmap &&
	    release_whole_node(job_ptr->details))
		return NULL;
	return job_ptr->gres_list_req;
}

uint64_t sgang_inside_gres_needed(const struct gres_job_state *gres,
				  uint32_t tasks, uint32_t nodes)
{
	if (gres->gres_per_node)
		return gres->gres_per_node;
	if (gres->gres_per_task)
		return gres->gres_per_task * tasks;
	return (gres->gres_per_job + nodes - 1) / nodes;
}

/* A request may name several types, each of which is a record of its own. */
static const gres_job_state_t *next_gpus(list_itr_t *iter)
{
	gres_state_t *gres;

	while ((gres = list_next(iter))) {
		if (gres->plugin_id == inside.gpu_id)
			return sgang_layout_gres(gres->gres_data,
						 sizeof(gres_job_state_t));
	}
	return NULL;
}

uint64_t sgang_inside_gpus_needed(const struct job_record *job_ptr,
				  uint32_t tasks, uint32_t nodes)
{
	list_t *list = sgang_inside_gres(job_ptr);
	const gres_job_state_t *js;
	list_itr_t *iter;
	uint64_t gpus = 0;

	if (!list)
		return 0;
	iter = list_iterator_create(list);
	while ((js = next_gpus(iter)))
		gpus += sgang_inside_gres_needed(js, tasks, nodes);
	list_iterator_destroy(iter);
	return gpus;
}

static const gres_node_state_t *node_gpus(uint32_t node)
{
	return sgang_layout_node_gres(node, inside.gpu_id);
}

static bool right_type(const gres_node_state_t *ns, int t,
		       const gres_job_state_t *js)
{
	return !js || !js->type_name || ns->topo_type_id[t] == js->type_id;
}

/* True if GPU 'index' is of the type that the job asks for. */
static bool right_gpu(const gres_node_state_t *ns, int index,
		      const gres_job_state_t *js)
{
	if (!js || !js->type_name)
		return true;
	for (int t = 0; t < ns->topo_cnt; t++) {
		if (ns->topo_gres_bitmap && ns->topo_gres_bitmap[t] &&
		    index < bit_size(ns->topo_gres_bitmap[t]) &&
		    bit_test(ns->topo_gres_bitmap[t], index))
			return right_type(ns, t, js);
	}
	return false;
}

static void count_by_index(uint32_t node, const gres_node_state_t *ns,
			   const gres_job_state_t *js, bool empty,
			   uint64_t *gpus)
{
	const struct sgang_node_topo *topo = inside.topo[node];
	bitstr_t *copy = NULL, *used = ns->gres_bit_alloc;
	int n = bit_size(used);

	if (sgang_seats_gone(node)) {
		used = copy = bit_copy(used);
		sgang_seats_free_gres(node, inside.gpu_id, used);
	}
	for (int i = 0; i < n && (uint32_t)i < topo->n_gpus; i++) {
		if ((empty || !bit_test(used, i)) && right_gpu(ns, i, js))
			gpus[topo->gpu[i].island]++;
	}
	FREE_NULL_BITMAP(copy);
}

/* The island that most of an entry's cores are in. */
static uint32_t island_of_entry(const struct sgang_node_topo *topo,
				const bitstr_t *cores)
{
	uint32_t part[SGANG_ISLANDS_MAX] = { 0 }, best = 0;
	bitoff_t n = bit_size((bitstr_t *)cores);

	for (bitoff_t core = 0; core < n; core++) {
		if (bit_test((bitstr_t *)cores, core))
			part[island_of_core(topo, core)]++;
	}
	for (uint32_t i = 1; i < topo->n_islands; i++) {
		if (part[i] > part[best])
			best = i;
	}
	return best;
}

static void count_by_cores(const struct sgang_node_topo *topo,
			   const gres_node_state_t *ns,
			   const gres_job_state_t *js, bool empty,
			   uint64_t *gpus)
{
	for (int t = 0; t < ns->topo_cnt; t++) {
		uint64_t used = empty ? 0 : ns->topo_gres_cnt_alloc[t];

		if (!ns->topo_core_bitmap || !ns->topo_core_bitmap[t] ||
		    !right_type(ns, t, js) ||
		    ns->topo_gres_cnt_avail[t] <= used)
			continue;
		gpus[island_of_entry(topo, ns->topo_core_bitmap[t])] +=
			ns->topo_gres_cnt_avail[t] - used;
	}
}

static void count_gpus(uint32_t node, const gres_job_state_t *js, bool empty,
		       uint64_t *gpus)
{
	const gres_node_state_t *ns = node_gpus(node);

	memset(gpus, 0, SGANG_ISLANDS_MAX * sizeof(*gpus));
	if (ns && ns->gres_bit_alloc)
		count_by_index(node, ns, js, empty, gpus);
	else if (ns)
		count_by_cores(inside.topo[node], ns, js, empty, gpus);
}

/* ---- both ---- */

/* Lower 'room' to what the GPUs of each island are enough for. */
static void limit_by_gpus(const struct sgang_inside_need *need, uint32_t node,
			  bool empty, uint32_t *room)
{
	const struct sgang_node_topo *topo = inside.topo[node];
	uint64_t all = sgang_inside_gpus_needed(need->job, need->tasks,
						need->nodes);
	uint64_t gpus[SGANG_ISLANDS_MAX];
	const gres_job_state_t *js = NULL;
	list_itr_t *iter;

	if (!all)
		return;
	iter = list_iterator_create(sgang_inside_gres(need->job));
	/* each type, and all of them */
	do {
		uint64_t wanted;

		js = next_gpus(iter);
		wanted = js ? sgang_inside_gres_needed(js, need->tasks,
						       need->nodes) :
			      all;
		if (!wanted)
			continue;
		count_gpus(node, js, empty, gpus);
		for (uint32_t i = 0; i < topo->n_islands; i++) {
			if (gpus[i] / wanted < room[i])
				room[i] = (uint32_t)(gpus[i] / wanted);
		}
	} while (js);
	list_iterator_destroy(iter);
}

void sgang_inside_units(const struct sgang_inside_need *need, uint32_t node,
			bool empty, uint32_t most, uint32_t *units)
{
	const struct sgang_node_topo *topo = inside.topo[node];
	uint32_t room[SGANG_ISLANDS_MAX];

	if (!topo) {
		units[0] = most;
		return;
	}
	if (!empty)
		count_busy();
	free_cores(node, empty, room);
	for (uint32_t i = 0; i < topo->n_islands; i++)
		room[i] = need->cores ? (uint32_t)(room[i] / need->cores) :
					most;
	limit_by_gpus(need, node, empty, room);
	sgang_devices_hand_out(room, topo->n_islands, most, units);
}

static void note_seat(const job_resources_t *res, int node,
		      const struct seat *seat)
{
	(void)res;
	seats.seat[node] = *seat;
}

/* The position of a node in a job that has it. Questions go through all nodes
 * of a job in order. */
static const struct seat *seat_of(const job_resources_t *res, uint32_t node)
{
	uint64_t now = atomic_load(&sgang_events);

	if (seats.of != res || seats.when != now) {
		each_node(res, note_seat);
		seats.of = res;
		seats.when = now;
	}
	return &seats.seat[node];
}

/* Add up the job's GPUs there by index, of all types. False when they have no
 * index. */
static bool gpus_of_job(const job_record_t *job_ptr, int index,
			const struct sgang_node_topo *topo, uint32_t *part)
{
	const gres_job_state_t *js;
	bool any = false;
	list_itr_t *iter;

	if (!job_ptr->gres_list_alloc)
		return false;
	iter = list_iterator_create(job_ptr->gres_list_alloc);
	while ((js = next_gpus(iter))) {
		bitstr_t *gpus = js->gres_bit_alloc && (uint32_t)index <
							       js->node_cnt ?
					 js->gres_bit_alloc[index] :
					 NULL;
		bitoff_t n = gpus ? bit_size(gpus) : 0;

		any |= gpus != NULL;
		for (bitoff_t i = 0; i < n && (uint32_t)i < topo->n_gpus; i++)
			if (bit_test(gpus, i))
				part[topo->gpu[i].island]++;
	}
	list_iterator_destroy(iter);
	return any;
}

static bool has_gpus(const job_record_t *job_ptr)
{
	return job_ptr->gres_list_alloc &&
	       list_find_first(job_ptr->gres_list_alloc, gres_find_id,
			       &inside.gpu_id);
}

bool sgang_inside_of_job(const struct job_record *job_ptr, uint32_t node,
			 uint32_t part[SGANG_ISLANDS_MAX])
{
	const job_resources_t *res = job_ptr->job_resrcs;
	const struct sgang_node_topo *topo;
	const struct seat *seat;
	const gres_node_state_t *ns;

	memset(part, 0, SGANG_ISLANDS_MAX * sizeof(*part));
	part[0] = 1;
	topo = inside.devices ? inside.topo[node] : NULL;
	if (!topo)
		return true;
	if (!res || !res->node_bitmap || !res->core_bitmap ||
	    !bit_test(res->node_bitmap, node))
		return false;
	part[0] = 0;
	seat = seat_of(res, node);
	if (gpus_of_job(job_ptr, seat->index, topo, part))
		return true;
	/* GPUs without an index are bound to cores, if to anything */
	ns = has_gpus(job_ptr) ? node_gpus(node) : NULL;
	if (ns && (!ns->topo_cnt || !ns->topo_core_bitmap))
		return false;
	add_cores(res, node, seat->first, part);
	return true;
}

/* Take out of the node's cores those of the planned islands. */
static void exclude_rest(uint32_t node, const struct sgang_nodeset *islands,
			 bitstr_t *cores)
{
	uint32_t offset = cr_get_coremap_offset(node);
	uint32_t first = inside.devices->first[node];

	for (int core = 0; core < node_record_table_ptr[node]->tot_cores;
	     core++) {
		uint32_t island = island_of_core(inside.topo[node], core);

		if (!sgang_nodeset_has(islands, first + island))
			bit_set(cores, offset + core);
	}
}

static bool any_planned(uint32_t node, const struct sgang_nodeset *islands)
{
	uint32_t next = sgang_nodeset_next(islands,
					   inside.devices->first[node]);

	return next < inside.devices->first[node + 1];
}

int64_t *sgang_inside_others(const struct sgang_nodeset *nodes,
			     const struct sgang_nodeset *islands)
{
	bitstr_t *cores = bit_alloc(cr_get_coremap_offset(node_record_count));

	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1)) {
		if (inside.topo[n] && any_planned(n, islands))
			exclude_rest(n, islands, cores);
	}
	return cores;
}

/* True if these of the node's GPUs are in the planned islands. */
static bool are_planned(uint32_t node, const struct sgang_nodeset *islands,
			bitstr_t *gpus)
{
	const struct sgang_node_topo *topo = inside.topo[node];
	uint32_t first = inside.devices->first[node];
	bitoff_t n = bit_size(gpus);

	for (bitoff_t i = 0; i < n && (uint32_t)i < topo->n_gpus; i++) {
		if (bit_test(gpus, i) &&
		    !sgang_nodeset_has(islands, first + topo->gpu[i].island))
			return false;
	}
	return true;
}

/* The job's cores may be in any of the islands. */
static bool spans_islands(uint32_t node, const struct sgang_nodeset *islands)
{
	uint32_t first = inside.devices->first[node];
	uint32_t n = inside.topo[node]->n_islands, planned = 0;

	for (uint32_t i = 0; i < n; i++)
		planned += sgang_nodeset_has(islands, first + i);
	return planned > 1;
}

static bool has_planned_gpus(const job_record_t *job_ptr, uint32_t node,
			     const struct sgang_nodeset *islands)
{
	const gres_node_state_t *ns = node_gpus(node);
	list_itr_t *iter;
	const gres_job_state_t *js;
	bool planned = true;

	if (!ns || !ns->topo_cnt || !ns->topo_core_bitmap)
		return true; /* they are near to all cores */
	if (spans_islands(node, islands))
		return false;
	iter = list_iterator_create(sgang_inside_gres(job_ptr));
	while (planned && (js = next_gpus(iter))) {
		bitstr_t *gpus = js->gres_bit_select ?
					 js->gres_bit_select[node] :
					 NULL;

		planned = gpus && are_planned(node, islands, gpus);
	}
	list_iterator_destroy(iter);
	return planned;
}

bool sgang_inside_answer_near(const struct job_record *job_ptr,
			      const struct sgang_nodeset *islands)
{
	const job_resources_t *res = job_ptr->job_resrcs;
	int last;

	if (!res || !sgang_inside_gres(job_ptr))
		return true;
	last = bit_fls(res->node_bitmap);
	for (int n = bit_ffs(res->node_bitmap); n >= 0 && n <= last; n++) {
		if (bit_test(res->node_bitmap, n) && inside.topo[n] &&
		    any_planned((uint32_t)n, islands) &&
		    !has_planned_gpus(job_ptr, (uint32_t)n, islands))
			return false;
	}
	return true;
}

/* ---- cores of nodes, whatever is inside ---- */

/* While exclude_on() counts: on these nodes. */
static bitstr_t *taken, *counted_on;

static void add_taken(const job_resources_t *res, int node,
		      const struct seat *seat)
{
	uint32_t offset = cr_get_coremap_offset(node);

	if (!bit_test(counted_on, node))
		return;
	for (int core = 0; core < node_record_table_ptr[node]->tot_cores;
	     core++) {
		if (res->whole_node == 1 ||
		    bit_test(res->core_bitmap, seat->first + core))
			bit_set(taken, offset + core);
	}
}

static bool is_counted(const job_record_t *job_ptr)
{
	return (IS_JOB_RUNNING(job_ptr) || IS_JOB_SUSPENDED(job_ptr)) &&
	       !sgang_seats_suspends(job_ptr) && job_ptr->job_resrcs &&
	       job_ptr->job_resrcs->node_bitmap &&
	       bit_overlap_any(job_ptr->job_resrcs->node_bitmap, counted_on);
}

static void count_taken(void)
{
	list_itr_t *iter = list_iterator_create(job_list);
	job_record_t *job_ptr;

	while ((job_ptr = list_next(iter))) {
		if (is_counted(job_ptr))
			each_node(job_ptr->job_resrcs, add_taken);
	}
	list_iterator_destroy(iter);
}

static bool is_free(const node_record_t *node_ptr, uint32_t offset, int core)
{
	return !bit_test(taken, offset + core) &&
	       (!node_ptr->node_spec_bitmap ||
		core >= bit_size(node_ptr->node_spec_bitmap) ||
		bit_test(node_ptr->node_spec_bitmap, core));
}

/* Leave the first free cores, so many. */
static void exclude_beyond(uint32_t node, uint32_t left, bitstr_t *cores)
{
	const node_record_t *node_ptr = node_record_table_ptr[node];
	uint32_t offset = cr_get_coremap_offset(node);

	for (int core = 0; core < node_ptr->tot_cores; core++) {
		if (!is_free(node_ptr, offset, core) ||
		    bit_test(cores, offset + core))
			continue;
		if (left)
			left--;
		else
			bit_set(cores, offset + core);
	}
}

/* Take out the last free cores, so many. */
static void exclude_spare(uint32_t node, uint32_t left, bitstr_t *cores)
{
	const node_record_t *node_ptr = node_record_table_ptr[node];
	uint32_t offset = cr_get_coremap_offset(node);

	for (int core = node_ptr->tot_cores; left && core-- > 0;) {
		if (!is_free(node_ptr, offset, core))
			continue;
		bit_set(cores, offset + core);
		left--;
	}
}

uint32_t sgang_inside_cores(uint32_t node, uint32_t cpus, uint32_t per_core)
{
	uint32_t of_core = MIN(per_core, node_record_table_ptr[node]->tpc);

	return (cpus + of_core - 1) / of_core;
}

static void exclude_on(const struct sgang_nodeset *nodes, const uint32_t *cpus,
		       uint32_t per_core, int64_t *cores,
		       void (*exclude)(uint32_t node, uint32_t left,
				       bitstr_t *cores))
{
	taken = bit_alloc(cr_get_coremap_offset(node_record_count));
	counted_on = bit_alloc(node_record_count);
	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1))
		bit_set(counted_on, (bitoff_t)n);
	count_taken();
	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1)) {
		if (node_record_table_ptr[n])
			exclude(n, sgang_inside_cores(n, cpus[n], per_core),
				cores);
	}
	FREE_NULL_BITMAP(counted_on);
	FREE_NULL_BITMAP(taken);
}

void sgang_inside_beyond(const struct sgang_nodeset *nodes,
			 const uint32_t *cpus, uint32_t per_core,
			 int64_t *cores)
{
	exclude_on(nodes, cpus, per_core, cores, exclude_beyond);
}

void sgang_inside_spare(const struct sgang_nodeset *nodes, const uint32_t *cpus,
			int64_t *cores)
{
	exclude_on(nodes, cpus, UINT32_MAX, cores, exclude_spare);
}
