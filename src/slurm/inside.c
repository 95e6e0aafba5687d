/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inside.c - what is used and free inside nodes, as Slurm counts it
 *
 * Cores are counted from the allocations of jobs, GPUs from the GRES records of
 * nodes. With File= in gres.conf a GPU has an index, which is its place in the
 * node's description. With Cores= alone GPUs are known by the cores they are
 * near to. With neither nobody knows which GPU a job has.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "release.h"

#include "inside.h"

#pragma weak job_list
#pragma weak node_record_count
#pragma weak node_record_table_ptr

static struct {
	const struct sgang_devices *devices;
	const struct sgang_node_topo *const *topo;
	uint32_t *busy;			/* by island: cores in use */
	uint32_t gpu_id;		/* Slurm's number of gres/gpu */
} inside;

void sgang_inside_set(const struct sgang_devices *devices,
		      const struct sgang_node_topo *const *topo)
{
	xfree(inside.busy);
	inside.devices = devices;
	inside.topo = topo;
	if (!devices)
		return;
	inside.gpu_id = gres_build_id("gpu");
	inside.busy = xcalloc(devices->first[devices->n_nodes] + 1,
			      sizeof(*inside.busy));
}

/* ---- cores ---- */

static uint32_t island_of_core(const struct sgang_node_topo *topo, int core)
{
	return ((uint32_t) core < topo->n_cores) ? topo->core_island[core] : 0;
}

/* Call 'each' with the island of every core that the job has on its nodes. */
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

/* A job's cores are numbered over its own nodes alone. */
static void add_job(const job_resources_t *res)
{
	int first = 0, last;

	if (!res || !res->core_bitmap || !res->node_bitmap)
		return;
	last = bit_fls(res->node_bitmap);
	for (int n = bit_ffs(res->node_bitmap); n >= 0 && n <= last; n++) {
		if (!bit_test(res->node_bitmap, n))
			continue;
		if (inside.topo[n])
			add_cores(res, n, first,
				  inside.busy + inside.devices->first[n]);
		first += node_record_table_ptr[n]->tot_cores;
	}
}

void sgang_inside_refresh(void)
{
	list_itr_t *iter;
	job_record_t *job_ptr;

	if (!inside.devices)
		return;
	memset(inside.busy, 0, inside.devices->first[inside.devices->n_nodes] *
	       sizeof(*inside.busy));
	iter = list_iterator_create(job_list);
	while ((job_ptr = list_next(iter))) {
		if (IS_JOB_RUNNING(job_ptr) || IS_JOB_SUSPENDED(job_ptr))
			add_job(job_ptr->job_resrcs);
	}
	list_iterator_destroy(iter);
}

static uint64_t free_cores(uint32_t node, uint32_t island, bool empty)
{
	uint64_t all = inside.topo[node]->island[island].n_cores;
	uint64_t busy = empty ? 0 : inside.busy[inside.devices->first[node] +
						island];

	return (all > busy) ? all - busy : 0;
}

/* ---- GPUs ---- */

static const gres_job_state_t *job_gpus(list_t *list)
{
	gres_state_t *gres = list ? list_find_first(list, gres_find_id,
						    &inside.gpu_id) : NULL;

	return gres ? gres->gres_data : NULL;
}

static const gres_node_state_t *node_gpus(uint32_t node)
{
	list_t *list = node_record_table_ptr[node]->gres_list;
	gres_state_t *gres = list ? list_find_first(list, gres_find_id,
						    &inside.gpu_id) : NULL;

	return gres ? gres->gres_data : NULL;
}

static bool right_type(const gres_node_state_t *ns, int t,
		       const gres_job_state_t *js)
{
	return !js || !js->type_name ||
	       ns->topo_type_id[t] == js->type_id;
}

/* Is GPU 'index' of the type that the job asks for? */
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

static void count_by_index(const struct sgang_node_topo *topo,
			   const gres_node_state_t *ns,
			   const gres_job_state_t *js, bool empty,
			   uint64_t *gpus)
{
	int n = bit_size(ns->gres_bit_alloc);

	for (int i = 0; i < n && (uint32_t) i < topo->n_gpus; i++) {
		if ((empty || !bit_test(ns->gres_bit_alloc, i)) &&
		    right_gpu(ns, i, js))
			gpus[topo->gpu[i].island]++;
	}
}

/* The island that most of an entry's cores are in. */
static uint32_t island_of_entry(const struct sgang_node_topo *topo,
				const bitstr_t *cores)
{
	uint32_t part[SGANG_ISLANDS_MAX] = { 0 }, best = 0;
	bitoff_t n = bit_size((bitstr_t *) cores);

	for (bitoff_t core = 0; core < n; core++) {
		if (bit_test((bitstr_t *) cores, core))
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
		count_by_index(inside.topo[node], ns, js, empty, gpus);
	else if (ns)
		count_by_cores(inside.topo[node], ns, js, empty, gpus);
}

/* ---- both ---- */

void sgang_inside_units(const struct sgang_inside_need *need, uint32_t node,
			bool empty, uint32_t most, uint32_t *units)
{
	const struct sgang_node_topo *topo = inside.topo[node];
	uint64_t gpus[SGANG_ISLANDS_MAX];

	if (!topo) {
		units[0] = most;
		return;
	}
	if (need->gpus)
		count_gpus(node, job_gpus(need->job->gres_list_req), empty,
			   gpus);
	for (uint32_t i = 0; i < topo->n_islands; i++) {
		uint64_t fit = need->cores ?
			       free_cores(node, i, empty) / need->cores : most;

		if (need->gpus && gpus[i] / need->gpus < fit)
			fit = gpus[i] / need->gpus;
		if (fit > most)
			fit = most;
		units[i] = (uint32_t) fit;
		most -= (uint32_t) fit;
	}
}

/* Which of the job's nodes is this one; '*first' is its first core there. */
static int index_of(const job_resources_t *res, uint32_t node, int *first)
{
	int index = 0;

	*first = 0;
	for (uint32_t n = 0; n < node; n++) {
		if (!bit_test(res->node_bitmap, n))
			continue;
		index++;
		*first += node_record_table_ptr[n]->tot_cores;
	}
	return index;
}

/* Its GPUs by index; false when they have none. */
static bool gpus_of_job(const job_record_t *job_ptr, int index,
			const struct sgang_node_topo *topo, uint32_t *part)
{
	const gres_job_state_t *js = job_gpus(job_ptr->gres_list_alloc);
	const bitstr_t *gpus;
	bitoff_t n;

	if (!js || !js->gres_bit_alloc || (uint32_t) index >= js->node_cnt ||
	    !js->gres_bit_alloc[index])
		return false;
	gpus = js->gres_bit_alloc[index];
	n = bit_size((bitstr_t *) gpus);
	for (bitoff_t i = 0; i < n && (uint32_t) i < topo->n_gpus; i++) {
		if (bit_test((bitstr_t *) gpus, i))
			part[topo->gpu[i].island]++;
	}
	return true;
}

bool sgang_inside_of_job(const struct job_record *job_ptr, uint32_t node,
			 uint32_t part[SGANG_ISLANDS_MAX])
{
	const job_resources_t *res = job_ptr->job_resrcs;
	const struct sgang_node_topo *topo;
	const gres_node_state_t *ns;
	int index, first;

	memset(part, 0, SGANG_ISLANDS_MAX * sizeof(*part));
	part[0] = 1;
	topo = inside.devices ? inside.topo[node] : NULL;
	if (!topo)
		return true;
	if (!res || !res->node_bitmap || !res->core_bitmap ||
	    !bit_test(res->node_bitmap, node))
		return false;
	part[0] = 0;
	index = index_of(res, node, &first);
	if (gpus_of_job(job_ptr, index, topo, part))
		return true;
	/* GPUs without an index are bound to cores, if to anything */
	ns = job_gpus(job_ptr->gres_list_alloc) ? node_gpus(node) : NULL;
	if (ns && (!ns->topo_cnt || !ns->topo_core_bitmap))
		return false;
	add_cores(res, node, first, part);
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
