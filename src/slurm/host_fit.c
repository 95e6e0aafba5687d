/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_fit.c - struct sgang_host: what a job needs of a node, and what it has
 *
 * Slurm decides what fits when a job starts. The counts here say beforehand how
 * many units of a job a node can take, so that nothing is planned that Slurm
 * would refuse.
 */

#include "config.h"

#include <string.h>

#include "host_private.h"

#include "inside.h"
#include "layout.h"
#include "rows.h"
#include "seats.h"

/* --threads-per-core, --hint=nomultithread, --ntasks-per-core: the other CPUs
 * of its cores stay unused. Same as common_cpus_per_core() of the stock plugin.
 */
uint32_t sgang_host_per_core(const struct job_record *job_ptr)
{
	const job_details_t *d = job_ptr->details;
	const multi_core_data_t *mc = d->mc_ptr;
	uint32_t cpus = UINT32_MAX;

	if (mc && mc->ntasks_per_core && mc->ntasks_per_core != INFINITE16)
		cpus = mc->ntasks_per_core *
		       (d->cpus_per_task ? d->cpus_per_task : 1);
	if (mc && mc->threads_per_core != NO_VAL16)
		cpus = MIN(cpus, mc->threads_per_core);
	return cpus ? cpus : 1;
}

/* --threads-per-core: the memory for its other CPUs is not needed. */
static uint32_t threads_per_core(const job_details_t *d)
{
	const multi_core_data_t *mc = d->mc_ptr;

	return (mc && mc->threads_per_core != NO_VAL16 &&
		mc->threads_per_core) ?
		       mc->threads_per_core :
		       UINT32_MAX;
}

bool sgang_host_counts_memory(void)
{
	return slurm_conf.select_type_param & RELEASE_BY_MEMORY;
}

/* The GRES of a piece. Slurm divides those of the whole job in any way; where
 * it matters, the shape says how many a node has. */
static uint64_t gres_needed(const gres_job_state_t *js,
			    const struct sgang_need *need)
{
	if (need->node_gres && !js->gres_per_node && !js->gres_per_task)
		return js->gres_per_job ? need->node_gres : 0;
	return sgang_inside_gres_needed(js, need->tasks, need->nodes);
}

/* --mem-per-gpu and its like count instead of all other memory. */
static uint64_t memory_by_gres(const struct sgang_need *need)
{
	gres_state_t *job_gres;
	list_itr_t *iter;
	uint64_t memory = 0;

	if (!need->gres)
		return 0;
	iter = list_iterator_create(need->gres);
	while ((job_gres = list_next(iter))) {
		const gres_job_state_t *js =
			sgang_layout_gres(job_gres->gres_data, sizeof(*js));
		uint64_t each = !js              ? 0 :
				js->mem_per_gres ? js->mem_per_gres :
						   js->def_mem_per_gres;

		if (each)
			memory += each * gres_needed(js, need);
	}
	list_iterator_destroy(iter);
	return memory;
}

static void memory_of(const job_record_t *job_ptr, struct sgang_need *need)
{
	const job_details_t *d = job_ptr->details;
	uint64_t by_gres;

	if (!sgang_host_counts_memory())
		return;
	by_gres = (job_ptr->bit_flags & JOB_MEM_SET) ? 0 : memory_by_gres(need);
	if (by_gres) {
		need->memory = by_gres;
	} else if (!d->pn_min_memory) {
		need->all_memory = true;
	} else if (d->pn_min_memory & MEM_PER_CPU) {
		need->memory_per_cpu = d->pn_min_memory & ~MEM_PER_CPU;
	} else {
		need->memory = d->pn_min_memory;
	}
}

void sgang_host_need(const struct job_record *job_ptr,
		     const struct sgang_shape *shape, struct sgang_need *need)
{
	const job_details_t *d = job_ptr->details;

	memset(need, 0, sizeof(*need));
	need->part = job_ptr->part_ptr;
	need->rows = sgang_rows_of(job_ptr);
	need->whole = shape->whole;
	need->open = !sgang_shape_fixed(shape);
	need->cpus = need->open ? sgang_shape_task_cpus(shape) :
				  shape->node_cpus;
	need->core_spec = (slurm_conf.conf_flags & RELEASE_OWN_CORE_SPEC) ?
				  d->core_spec :
				  NO_VAL16;
	need->per_core = sgang_host_per_core(job_ptr);
	need->threads = threads_per_core(d);
	need->nodes = need->open       ? shape->tasks :
		      shape->min_nodes ? shape->min_nodes :
					 1;
	need->tasks = (shape->tasks + need->nodes - 1) / need->nodes;
	need->gres = sgang_inside_gres(job_ptr);
	need->node_gres = shape->node_gres;
	memory_of(job_ptr, need);
}

static uint32_t ceil_div(uint64_t a, uint32_t b)
{
	return b ? (uint32_t)((a + b - 1) / b) : (uint32_t)a;
}

/* The share of one piece. If the number of nodes is open, each node has what is
 * asked for per node, whatever its pieces. */
uint64_t sgang_host_gres_share(const struct gres_job_state *js,
			       const struct sgang_need *need)
{
	if (need->open && js->gres_per_node)
		return 0;
	return gres_needed(js, need);
}

/* A node without the requested type has none. 'gone': what jobs that are left
 * out have. */
static uint64_t gres_free(const gres_node_state_t *node, bool typed,
			  uint32_t type_id, bool empty, uint64_t gone)
{
	uint64_t avail = typed ? 0 : node->gres_cnt_avail;
	uint64_t alloc = node->no_consume ? 0 : node->gres_cnt_alloc;

	for (int t = 0; typed && t < node->type_cnt; t++) {
		if (node->type_id[t] != type_id)
			continue;
		avail = node->type_cnt_avail[t];
		alloc = node->no_consume ? 0 : node->type_cnt_alloc[t];
	}
	if (empty || alloc < gone)
		alloc = gone = 0;
	alloc -= gone;
	return (avail > alloc) ? avail - alloc : 0;
}

bool sgang_host_gres_consumed(uint32_t id)
{
	for (int n = 0; n < node_record_count; n++) {
		const gres_node_state_t *ns =
			sgang_layout_node_gres((uint32_t)n, id);

		if (ns)
			return !ns->no_consume;
	}
	return true;
}

uint64_t sgang_host_gres_on(uint32_t node, uint32_t id, uint32_t type,
			    bool empty)
{
	const gres_node_state_t *ns = sgang_layout_node_gres(node, id);

	return ns ? gres_free(ns, type != 0, type, empty,
			      sgang_seats_gres_gone(node, id, type != 0,
						    type)) :
		    0;
}

uint64_t sgang_host_gres_of_one(uint32_t node, uint32_t id, bool one_used)
{
	const gres_node_state_t *ns = sgang_layout_node_gres(node, id);
	bool in_use = ns && one_used && ns->gres_cnt_alloc;
	uint64_t most = 0;

	if (!ns || !ns->topo_cnt || !ns->topo_gres_cnt_avail ||
	    !ns->topo_gres_cnt_alloc)
		return UINT64_MAX;
	for (int t = 0; t < ns->topo_cnt; t++) {
		uint64_t all = ns->topo_gres_cnt_avail[t];
		uint64_t used = ns->topo_gres_cnt_alloc[t];

		if (all > used && all - used > most && (used || !in_use))
			most = all - used;
	}
	return most;
}

/* The number of pieces for which the node's GRES suffice, and in '*scarce'
 * (NULL: it does not matter) the cause for the scarcest: GPUS or GRES. */
static uint64_t units_by_gres(const node_record_t *node_ptr,
			      const struct sgang_need *need, bool empty,
			      enum sgang_cause *scarce)
{
	uint64_t units = UINT32_MAX;
	gres_state_t *job_gres, *node_gres;
	list_itr_t *iter;

	if (!need->gres)
		return units;
	iter = list_iterator_create(need->gres);
	while ((job_gres = list_next(iter))) {
		const gres_job_state_t *js =
			sgang_layout_gres(job_gres->gres_data, sizeof(*js));
		const gres_node_state_t *ns = NULL;
		uint64_t want = js ? gres_needed(js, need) : 0;
		uint64_t have = 0;

		if (!want)
			continue;
		node_gres = node_ptr->gres_list ?
				    list_find_first(node_ptr->gres_list,
						    gres_find_id,
						    &job_gres->plugin_id) :
				    NULL;
		if (node_gres)
			ns = sgang_layout_gres(node_gres->gres_data,
					       sizeof(*ns));
		if (node_gres && !ns)
			continue;
		if (ns)
			have = gres_free(ns, js->type_name, js->type_id, empty,
					 sgang_seats_gres_gone(
						 node_ptr->index,
						 job_gres->plugin_id,
						 js->type_name, js->type_id));
		if (need->open && js->gres_per_node)
			have = (have >= want) ? units * want : 0;
		if (have / want >= units)
			continue;
		units = have / want;
		if (scarce)
			*scarce = xstrcmp(job_gres->gres_name, "gpu") ?
					  SGANG_CAUSE_GRES :
					  SGANG_CAUSE_GPUS;
	}
	list_iterator_destroy(iter);
	return units;
}

struct usage {
	uint64_t cpus;   /* free */
	uint64_t memory; /* MB free */
	bool memory_untouched;
};

/* CPUs and memory in use, without those of the jobs that are left out. */
static void node_used(const node_record_t *node_ptr, uint16_t *cpus,
		      uint64_t *memory)
{
	const struct sgang_gone *gone = sgang_seats_gone(node_ptr->index);

	release_node_used(node_ptr, cpus, memory);
	if (!gone)
		return;
	*cpus -= (uint16_t)MIN(*cpus, gone->cpus);
	*memory -= MIN(*memory, gone->memory);
}

static void usage_of(const node_record_t *node_ptr, bool empty,
		     struct usage *usage)
{
	uint16_t cpus = 0;
	uint64_t memory = 0, total;

	if (!empty)
		node_used(node_ptr, &cpus, &memory);
	usage->cpus = (node_ptr->cpus_efctv > cpus) ?
			      node_ptr->cpus_efctv - cpus :
			      0;
	total = node_ptr->real_memory - node_ptr->mem_spec_limit;
	usage->memory = (total > memory) ? total - memory : 0;
	usage->memory_untouched = !memory;
}

void sgang_host_node_room(uint32_t node, bool empty, struct sgang_room *room)
{
	struct usage usage;

	usage_of(node_record_table_ptr[node], empty, &usage);
	room->cpus = usage.cpus;
	room->memory = usage.memory;
}

/* The pieces of 'cpus' CPUs for which the node has room when jobs share, and in
 * 'usage' what it has for them. */
static uint64_t units_in_rows(uint32_t node, const struct sgang_need *need,
			      uint64_t cpus, bool empty, struct usage *usage)
{
	uint32_t row[SGANG_ROWS_MAX];
	uint64_t units = 0;

	usage->cpus = 0;
	sgang_rows_free(need->part, need->rows, node, empty, row);
	for (uint32_t r = 0; r < need->rows; r++) {
		usage->cpus += row[r];
		units += cpus ? row[r] / cpus : row[r];
	}
	return units;
}

/* True if the node will be idle when the jobs that are left out are gone. Same
 * as make_node_idle() of slurmctld, which takes a node that is to be powered
 * down out of service. */
static bool becomes_idle(uint32_t node)
{
	const node_record_t *node_ptr = node_record_table_ptr[node];
	const struct sgang_gone *gone = sgang_seats_gone(node);

	return gone && node_ptr->run_job_cnt <= gone->running &&
	       node_ptr->comp_job_cnt <= gone->completing &&
	       !IS_NODE_POWER_DOWN(node_ptr);
}

static bool node_is_free(uint32_t node, bool empty)
{
	if (!node_record_table_ptr[node])
		return false;
	if (empty)
		return true;
	return (bit_test(idle_node_bitmap, node) || becomes_idle(node)) &&
	       bit_test(avail_node_bitmap, node);
}

/* A thousandth of what a node is loaded weighs as much as that part of one step
 * of Weight: Slurm looks at the load among nodes of one Weight. */
#define LOAD_FULL 1000

static bool takes_least_loaded(const job_record_t *job_ptr)
{
	return (slurm_conf.select_type_param & RELEASE_LEAST_LOADED) ||
	       (job_ptr->part_ptr &&
		(job_ptr->part_ptr->flags & PART_FLAG_LLN));
}

static uint32_t load_of(const node_record_t *node_ptr)
{
	struct usage usage;

	usage_of(node_ptr, false, &usage);
	return node_ptr->cpus_efctv && usage.cpus < node_ptr->cpus_efctv ?
		       (uint32_t)((node_ptr->cpus_efctv - usage.cpus) *
				  LOAD_FULL / node_ptr->cpus_efctv) :
		       0;
}

/* The lowest and the highest Weight that count. */
struct weights {
	uint32_t least, most;
	bool loaded; /* the load counts, too */
};

static bool weight_counts(const node_record_t *node_ptr)
{
	return RELEASE_ORDERS_DOWN || !release_power(node_ptr);
}

/* Slurm takes nodes that are not up after all others, however heavy these are:
 * for a sum of weights the next one above is enough. */
static uint32_t weigh(const node_record_t *node_ptr, const struct weights *w)
{
	uint64_t above = (uint64_t)w->most - w->least + 1;

	if (node_ptr)
		above *= release_power(node_ptr);
	if (node_ptr && weight_counts(node_ptr))
		above += node_ptr->config_ptr->weight - w->least;
	if (w->loaded)
		above *= LOAD_FULL + 1;
	if (w->loaded && node_ptr)
		above += load_of(node_ptr);
	return (uint32_t)MIN(above, UINT32_MAX);
}

static void find_weights(struct weights *w)
{
	w->least = UINT32_MAX;
	w->most = 0;
	for (int n = 0; n < node_record_count; n++) {
		const node_record_t *node_ptr = node_record_table_ptr[n];

		if (!node_ptr || !weight_counts(node_ptr))
			continue;
		w->least = MIN(w->least, node_ptr->config_ptr->weight);
		w->most = MAX(w->most, node_ptr->config_ptr->weight);
	}
	w->least = MIN(w->least, w->most);
}

bool sgang_host_weights(struct sgang_job *job, uint32_t *weight)
{
	struct weights w = { .loaded = takes_least_loaded(record(job)) };
	uint32_t least = UINT32_MAX, most = 0;

	find_weights(&w);
	for (int n = 0; n < node_record_count; n++) {
		if (!node_record_table_ptr[n])
			continue;
		least = MIN(least, weigh(node_record_table_ptr[n], &w));
		most = MAX(most, weigh(node_record_table_ptr[n], &w));
	}
	if (least >= most)
		return false;
	for (int n = 0; n < node_record_count; n++)
		weight[n] = weigh(node_record_table_ptr[n], &w);
	return true;
}

uint32_t sgang_host_idle(const struct sgang_nodeset *nodes)
{
	uint32_t idle = 0;

	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1))
		idle += node_is_free(n, false);
	return idle;
}

void sgang_host_room(const struct sgang_nodeset *nodes, struct sgang_room *room)
{
	memset(room, 0, sizeof(*room));
	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1)) {
		struct usage usage;

		if (!node_record_table_ptr[n] ||
		    !bit_test(avail_node_bitmap, n))
			continue;
		usage_of(node_record_table_ptr[n], false, &usage);
		room->cpus += usage.cpus;
		room->memory += usage.memory;
		room->nodes += node_is_free(n, false);
	}
}

/* The CPUs of the empty node for a job that has it whole. With --core-spec it
 * leaves the system so many cores, or with --thread-spec CPUs, and not as many as
 * the node has for it. Same as common_mark_avail_cores() and can_job_run() of the
 * stock plugin. */
static uint32_t whole_cpus(const node_record_t *node_ptr, uint16_t core_spec)
{
	uint32_t spec = core_spec & ~CORE_SPEC_THREAD;
	uint32_t cpus = node_ptr->cpus_efctv;

	if (core_spec == NO_VAL16 || core_spec == CORE_SPEC_THREAD)
		return cpus;
	if ((core_spec & CORE_SPEC_THREAD) &&
	    node_ptr->cpus != node_ptr->tot_cores)
		return (cpus + spec <= node_ptr->cpus) ? cpus :
		       (cpus > spec)                   ? cpus - spec :
							 0;
	return (spec < node_ptr->tot_cores) ?
		       (node_ptr->tot_cores - spec) * node_ptr->tpc :
		       0;
}

/* The cores that the need takes of a node. */
static uint64_t cores_on(const node_record_t *node_ptr,
			 const struct sgang_need *need)
{
	return ceil_div(need->cpus, MIN(need->per_core, node_ptr->tpc));
}

/* True if each piece gets whole cores. Tasks of one job share them. */
static bool by_core(const struct sgang_need *need, uint32_t threads)
{
	return (slurm_conf.select_type_param & RELEASE_BY_CORE) &&
	       (!need->open || need->per_core < threads);
}

uint64_t sgang_host_cpus_taken(const struct sgang_need *need, uint32_t threads)
{
	if (!by_core(need, threads))
		return need->cpus;
	return (uint64_t)ceil_div(need->cpus, MIN(need->per_core, threads)) *
	       threads;
}

/* Memory per CPU is counted for all CPUs of the cores. */
uint64_t sgang_host_memory_taken(const struct sgang_need *need,
				 uint32_t threads)
{
	uint64_t cpus = need->cpus;

	if (!need->memory_per_cpu)
		return need->memory;
	if (by_core(need, threads))
		cpus = (uint64_t)ceil_div(need->cpus,
					  MIN(need->per_core, threads)) *
		       MIN(need->threads, threads);
	return need->memory_per_cpu * cpus;
}

static uint64_t units_by_cpus(uint32_t node, const struct sgang_need *need,
			      bool empty, const struct usage *usage)
{
	uint64_t cpus = sgang_host_cpus_taken(need,
					      node_record_table_ptr[node]->tpc);
	struct usage shared;

	if (need->rows > 1)
		return units_in_rows(node, need, cpus, empty, &shared);
	if (!empty && sgang_rows_taken(need->part, node))
		return 0;
	return cpus ? usage->cpus / cpus : usage->cpus;
}

static uint64_t units_by_memory(uint32_t node, const struct sgang_need *need,
				const struct usage *usage)
{
	uint64_t memory =
		sgang_host_memory_taken(need, node_record_table_ptr[node]->tpc);

	if (need->all_memory)
		return usage->memory_untouched;
	if (!memory)
		return UINT32_MAX;
	/* if the number of nodes is open each has it once */
	if (need->open && !need->memory_per_cpu)
		return (usage->memory >= memory) ? UINT32_MAX : 0;
	return usage->memory / memory;
}

/* The number of times that the need fits on the node. */
static uint32_t units_on(uint32_t node, const struct sgang_need *need,
			 bool empty)
{
	const node_record_t *node_ptr = node_record_table_ptr[node];
	struct usage usage;
	uint64_t units;

	if (need->whole) {
		usage_of(node_ptr, empty, &usage);
		if (!node_is_free(node, empty) ||
		    need->cpus > whole_cpus(node_ptr, need->core_spec) ||
		    (!usage.memory_untouched &&
		     !units_by_memory(node, need, &usage)))
			return 0;
		return units_by_gres(node_ptr, need, empty, NULL) ? 1 : 0;
	}
	usage_of(node_ptr, empty, &usage);
	units = units_by_cpus(node, need, empty, &usage);
	if (units)
		units = MIN(units, units_by_memory(node, need, &usage));
	if (units)
		units = MIN(units, units_by_gres(node_ptr, need, empty, NULL));
	return (uint32_t)units;
}

void sgang_host_units(struct sgang_job *job, const struct sgang_shape *shape,
		      const struct sgang_nodeset *nodes, bool empty,
		      uint32_t *units)
{
	struct sgang_need need;

	sgang_host_need(record(job), shape, &need);
	for (uint32_t n = 0; n < (uint32_t)node_record_count; n++)
		units[n] = (node_record_table_ptr[n] &&
			    sgang_nodeset_has(nodes, n)) ?
				   units_on(n, &need, empty) :
				   0;
}

void sgang_host_island_units(struct sgang_job *job,
			     const struct sgang_shape *shape,
			     const struct sgang_nodeset *nodes, bool empty,
			     uint32_t *units)
{
	struct sgang_inside_need inside = { .job = record(job) };
	const struct sgang_devices *devices = sgang_host_devices;
	struct sgang_need need;

	sgang_host_need(record(job), shape, &need);
	inside.tasks = need.tasks;
	/* a plan of shares has one of the GRES in each piece */
	inside.nodes = need.node_gres ? UINT32_MAX : need.nodes;
	memset(units, 0, devices->first[devices->n_nodes] * sizeof(*units));
	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1)) {
		const node_record_t *node_ptr = node_record_table_ptr[n];
		uint32_t most = node_ptr ? units_on(n, &need, empty) : 0;

		if (!most)
			continue;
		/* the row that a job will be in is unknown */
		inside.cores = (need.rows > 1) ? 0 : cores_on(node_ptr, &need);
		sgang_inside_units(&inside, n, empty, most,
				   units + devices->first[n]);
	}
}

/* Only features that every node must have: alternatives cannot be judged here.
 */
static bool lacks_feature(const job_record_t *job_ptr, uint32_t node)
{
	list_itr_t *iter;
	job_feature_t *feature;
	bool lacks = false;

	if (!job_ptr->details->feature_list)
		return false;
	iter = list_iterator_create(job_ptr->details->feature_list);
	while ((feature = list_next(iter))) {
		if (feature->op_code != FEATURE_OP_AND &&
		    feature->op_code != FEATURE_OP_END) {
			lacks = false;
			break;
		}
		if (feature->node_bitmap_avail && !feature->count &&
		    !bit_test(feature->node_bitmap_avail, node))
			lacks = true;
	}
	list_iterator_destroy(iter);
	return lacks;
}

static bool in_partition(const job_record_t *job_ptr, uint32_t node)
{
	list_itr_t *iter;
	part_record_t *part_ptr;
	bool found = false;

	if (!job_ptr->part_ptr_list)
		return job_ptr->part_ptr &&
		       bit_test(job_ptr->part_ptr->node_bitmap, node);
	iter = list_iterator_create(job_ptr->part_ptr_list);
	while (!found && (part_ptr = list_next(iter)))
		found = bit_test(part_ptr->node_bitmap, node);
	list_iterator_destroy(iter);
	return found;
}

static bool add_unreserved(job_record_t *job_ptr, void *arg)
{
	bitstr_t **all = arg, *nodes = NULL;
	int rc = release_test_reservations(job_ptr, &nodes);

	if (rc != SLURM_SUCCESS)
		FREE_NULL_BITMAP(nodes);
	if (rc == ESLURM_NODES_BUSY || rc == ESLURM_RESERVATION_MAINT)
		nodes = bit_alloc(node_record_count);
	if (*all && nodes)
		bit_or(*all, nodes);
	if (*all)
		FREE_NULL_BITMAP(nodes);
	else
		*all = nodes;
	return false; /* the next reservation adds to it */
}

/* The nodes that reservations leave to the job, those that are active or begin
 * before it would end: all but theirs, or only its own, or both where it may run
 * in a magnetic one. NULL: unknown. */
static bitstr_t *unreserved(job_record_t *job_ptr)
{
	bitstr_t *nodes = NULL;

	(void)sgang_host_each_reservation(job_ptr, add_unreserved, &nodes);
	return nodes;
}

/* Requested nodes are all that the job can have, unless it may have more. */
static bool is_requested(const job_details_t *d, uint32_t node)
{
	return !d->req_node_bitmap || !d->max_nodes ||
	       (uint32_t)bit_set_count(d->req_node_bitmap) < d->max_nodes ||
	       bit_test(d->req_node_bitmap, node);
}

/* The cause that would keep the job off the node if that were empty and in
 * service. */
static enum sgang_cause lacks(const job_record_t *job_ptr,
			      const struct sgang_need *need, uint32_t node)
{
	const node_record_t *node_ptr = node_record_table_ptr[node];
	const job_details_t *d = job_ptr->details;
	enum sgang_cause gres = SGANG_CAUSE_NONE;
	struct usage usage;

	/* A partition may still name a dynamic node that is gone. */
	if (!node_ptr || !in_partition(job_ptr, node))
		return SGANG_CAUSE_PARTITION;
	if (d->exc_node_bitmap && bit_test(d->exc_node_bitmap, node))
		return SGANG_CAUSE_EXCLUDED;
	if (!is_requested(d, node))
		return SGANG_CAUSE_REQUESTED;
	if (lacks_feature(job_ptr, node))
		return SGANG_CAUSE_FEATURE;
	usage_of(node_ptr, true, &usage);
	if (need->whole ?
		    whole_cpus(node_ptr, need->core_spec) < need->cpus :
		    usage.cpus < sgang_host_cpus_taken(need, node_ptr->tpc))
		return SGANG_CAUSE_CPUS;
	if (!units_by_memory(node, need, &usage))
		return SGANG_CAUSE_MEMORY;
	return units_by_gres(node_ptr, need, true, &gres) ? SGANG_CAUSE_NONE :
							    gres;
}

/* The same of what is free now, and the scarcest of it. */
static enum sgang_cause is_busy(const struct sgang_need *need, uint32_t node,
				uint8_t *scarce)
{
	const node_record_t *node_ptr = node_record_table_ptr[node];
	enum sgang_cause gres = SGANG_CAUSE_NONE;
	uint64_t by_cpus, by_memory, by_gres;
	struct usage usage;

	usage_of(node_ptr, false, &usage);
	by_cpus = need->whole ? node_is_free(node, false) :
				units_by_cpus(node, need, false, &usage);
	by_memory = units_by_memory(node, need, &usage);
	by_gres = units_by_gres(node_ptr, need, false, &gres);
	if (by_gres <= by_cpus && by_gres <= by_memory)
		*scarce = (gres == SGANG_CAUSE_GPUS) ? SGANG_CAUSE_BUSY_GPUS :
						       SGANG_CAUSE_BUSY_GRES;
	else
		*scarce = (by_cpus <= by_memory) ? SGANG_CAUSE_BUSY :
						   SGANG_CAUSE_BUSY_MEMORY;
	if (by_cpus && by_memory && by_gres)
		return SGANG_CAUSE_NONE;
	return by_cpus ? *scarce : SGANG_CAUSE_BUSY;
}

static enum sgang_cause cause_on(const job_record_t *job_ptr,
				 const struct sgang_need *need,
				 const bitstr_t *unreserved, uint32_t node,
				 uint8_t *scarce)
{
	const node_record_t *node_ptr = node_record_table_ptr[node];
	bool reserved = unreserved && !bit_test((bitstr_t *)unreserved, node);
	enum sgang_cause lack = lacks(job_ptr, need, node);

	if (reserved && sgang_host_asked_reservation(job_ptr) &&
	    (lack < SGANG_CAUSE_RESERVATION || lack == SGANG_CAUSE_NONE))
		return SGANG_CAUSE_RESERVATION;
	if (lack != SGANG_CAUSE_NONE)
		return lack;
	if (IS_NODE_DRAIN(node_ptr) || IS_NODE_FAIL(node_ptr))
		return SGANG_CAUSE_DRAINED;
	if (!bit_test(avail_node_bitmap, node))
		return SGANG_CAUSE_DOWN;
	return reserved ? SGANG_CAUSE_RESERVED : is_busy(need, node, scarce);
}

void sgang_host_causes(struct sgang_job *job, const struct sgang_shape *shape,
		       uint8_t *cause, uint8_t *scarce)
{
	bitstr_t *nodes = unreserved(record(job));
	struct sgang_need need;
	uint8_t least;

	sgang_host_need(record(job), shape, &need);
	for (uint32_t n = 0; n < (uint32_t)node_record_count; n++) {
		least = SGANG_CAUSE_BUSY;
		cause[n] = cause_on(record(job), &need, nodes, n, &least);
		if (scarce)
			scarce[n] = least;
	}
	FREE_NULL_BITMAP(nodes);
}

bool sgang_host_islands(struct sgang_job *job, uint32_t node,
			uint32_t part[SGANG_ISLANDS_MAX])
{
	return sgang_inside_of_job(record(job), node, part);
}

static bool same_gres(const job_record_t *a, const job_record_t *b)
{
	return !xstrcmp(a->tres_per_node, b->tres_per_node) &&
	       !xstrcmp(a->tres_per_job, b->tres_per_job) &&
	       !xstrcmp(a->tres_per_task, b->tres_per_task) &&
	       !xstrcmp(a->tres_per_socket, b->tres_per_socket) &&
	       !xstrcmp(a->mem_per_tres, b->mem_per_tres) &&
	       !xstrcmp(a->cpus_per_tres, b->cpus_per_tres) &&
	       a->details->ntasks_per_tres == b->details->ntasks_per_tres;
}

bool sgang_host_same_units(struct sgang_job *a, struct sgang_job *b)
{
	struct sgang_shape sa, sb;
	struct sgang_need na, nb;

	if (a == b)
		return true;
	sgang_host_shape_of(a, &sa);
	sgang_host_shape_of(b, &sb);
	sgang_host_need(record(a), &sa, &na);
	sgang_host_need(record(b), &sb, &nb);
	return na.whole == nb.whole && na.cpus == nb.cpus &&
	       na.per_core == nb.per_core && na.threads == nb.threads &&
	       na.memory == nb.memory && na.all_memory == nb.all_memory &&
	       na.memory_per_cpu == nb.memory_per_cpu && na.rows == nb.rows &&
	       (na.rows == 1 || na.part == nb.part) &&
	       same_gres(record(a), record(b));
}

static bool same_text_request(const job_record_t *a, const job_record_t *b)
{
	const job_details_t *da = a->details, *db = b->details;

	return !xstrcmp(a->partition, b->partition) &&
	       !xstrcmp(sgang_host_asked_reservation(a),
			sgang_host_asked_reservation(b)) &&
	       !xstrcmp(a->licenses, b->licenses) &&
	       !xstrcmp(a->burst_buffer, b->burst_buffer) &&
	       !xstrcmp(a->mcs_label, b->mcs_label) &&
	       !xstrcmp(a->network, b->network) &&
	       !xstrcmp(da->features, db->features) &&
	       !xstrcmp(da->cluster_features, db->cluster_features) &&
	       !xstrcmp(da->prefer, db->prefer) &&
	       !xstrcmp(da->req_nodes, db->req_nodes) &&
	       !xstrcmp(da->exc_nodes, db->exc_nodes);
}

/* Sockets, cores and threads that were asked for. */
static bool same_layout(const multi_core_data_t *a, const multi_core_data_t *b)
{
	return a == b || (a && b && !memcmp(a, b, sizeof(*a)));
}

bool sgang_host_same_request(struct sgang_job *x, struct sgang_job *y)
{
	const job_record_t *a = record(x), *b = record(y);
	const job_details_t *da = a->details, *db = b->details;

	if (a == b)
		return true;
	return a->user_id == b->user_id && a->assoc_ptr == b->assoc_ptr &&
	       a->qos_ptr == b->qos_ptr && a->reboot == b->reboot &&
	       a->time_limit == b->time_limit && a->time_min == b->time_min &&
	       a->deadline == b->deadline && a->req_switch == b->req_switch &&
	       da->min_nodes == db->min_nodes &&
	       da->max_nodes == db->max_nodes && da->min_cpus == db->min_cpus &&
	       da->max_cpus == db->max_cpus &&
	       da->pn_min_cpus == db->pn_min_cpus &&
	       da->pn_min_memory == db->pn_min_memory &&
	       da->pn_min_tmp_disk == db->pn_min_tmp_disk &&
	       da->num_tasks == db->num_tasks &&
	       da->ntasks_per_node == db->ntasks_per_node &&
	       da->cpus_per_task == db->cpus_per_task &&
	       da->whole_node == db->whole_node &&
	       da->share_res == db->share_res &&
	       da->contiguous == db->contiguous &&
	       release_segments(a) == release_segments(b) &&
	       da->core_spec == db->core_spec &&
	       da->overcommit == db->overcommit &&
	       same_layout(da->mc_ptr, db->mc_ptr) && same_gres(a, b) &&
	       same_text_request(a, b);
}

/* Limits of time, accounts and QOS are the user's own matter. */
bool sgang_host_replaces(struct sgang_job *spare, struct sgang_job *lost)
{
	const job_record_t *a = record(spare), *b = record(lost);

	return a != b && a->details && b->details && a->user_id == b->user_id &&
	       a->part_ptr == b->part_ptr &&
	       a->details->min_nodes == b->details->min_nodes &&
	       !xstrcmp(sgang_host_asked_reservation(a),
			sgang_host_asked_reservation(b)) &&
	       !xstrcmp(a->licenses, b->licenses) &&
	       !xstrcmp(a->burst_buffer, b->burst_buffer) &&
	       !xstrcmp(a->mcs_label, b->mcs_label) &&
	       !xstrcmp(a->network, b->network) &&
	       !xstrcmp(a->details->features, b->details->features) &&
	       !xstrcmp(a->details->cluster_features,
			b->details->cluster_features) &&
	       sgang_host_same_units(spare, lost);
}

static bool of_one_user(const job_record_t *job_ptr)
{
	return release_user_node(job_ptr->details) ||
	       (job_ptr->part_ptr &&
		(job_ptr->part_ptr->flags & PART_FLAG_EXCLUSIVE_USER));
}

bool sgang_host_excludes(struct sgang_job *one, struct sgang_job *other)
{
	const job_record_t *a = record(one), *b = record(other);

	if (!a->details || !b->details)
		return false;
	if (a->user_id != b->user_id && (of_one_user(a) || of_one_user(b)))
		return true;
	return (release_mcs_node(a->details) || release_mcs_node(b->details)) &&
	       xstrcmp(a->mcs_label, b->mcs_label);
}

/* MB that a piece of so many CPUs takes; 0: does not matter, or all there is.
 */
static uint64_t piece_memory(const job_details_t *d, uint32_t cpus)
{
	if (!sgang_host_counts_memory())
		return 0;
	if (!(d->pn_min_memory & MEM_PER_CPU))
		return d->pn_min_memory;
	return (d->pn_min_memory & ~MEM_PER_CPU) * cpus;
}

/* Slurm gives no more nodes than there are tasks, whatever the range. */
static void bound_nodes(const job_details_t *d, uint32_t min_nodes,
			uint32_t *req_nodes, uint32_t *max_nodes)
{
	uint32_t bound = release_nodes_bound(d);

	if (bound && *req_nodes > bound)
		*req_nodes = *max_nodes = MAX(bound, min_nodes);
}

/* -n8 --ntasks-per-node=4: Slurm gives each node as many tasks, so their number
 * says how many nodes there are. */
static void count_nodes_of_tasks(const job_details_t *d, uint32_t *min_nodes,
				 uint32_t *max_nodes)
{
	uint32_t nodes;

	if (!d->ntasks_per_node || !d->num_tasks)
		return;
	nodes = ceil_div(d->num_tasks, d->ntasks_per_node);
	if (nodes >= *min_nodes && nodes <= *max_nodes)
		*min_nodes = *max_nodes = nodes;
}

/* The upper end of a range, by -N. */
static bool asks_for_most(const job_record_t *job_ptr)
{
	return job_ptr->details->max_nodes &&
	       !(job_ptr->bit_flags & RELEASE_IMPLICIT_MAX_NODES);
}

static void count_segments(const struct job_record *job_ptr,
			   struct sgang_shape *shape)
{
	uint64_t segments = release_segments(job_ptr);

	shape->segment = (uint16_t)segments;
	shape->spread_segments = segments & RELEASE_SPREAD_SEGMENTS;
	shape->consolidate_segments = segments & RELEASE_CONSOLIDATE_SEGMENTS;
}

static void count_shape(const struct job_record *job_ptr, uint32_t min_nodes,
			uint32_t max_nodes, uint32_t req_nodes,
			struct sgang_shape *shape)
{
	const job_details_t *d = job_ptr->details;
	uint32_t per_task = d->cpus_per_task ? d->cpus_per_task : 1;
	uint32_t cpus;

	memset(shape, 0, sizeof(*shape));
	count_segments(job_ptr, shape);
	shape->min_nodes = min_nodes ? min_nodes : 1;
	bound_nodes(d, shape->min_nodes, &req_nodes, &max_nodes);
	if (!req_nodes || !asks_for_most(job_ptr))
		count_nodes_of_tasks(d, &shape->min_nodes, &max_nodes);
	if (req_nodes > shape->min_nodes && req_nodes <= max_nodes) {
		shape->least_nodes = shape->min_nodes;
		shape->min_nodes = req_nodes;
	}
	shape->max_nodes = max_nodes ? max_nodes : shape->min_nodes;
	shape->whole = release_whole_node(d) ||
		       (job_ptr->part_ptr && !job_ptr->part_ptr->max_share);
	shape->tasks = sgang_host_task_count(job_ptr);
	shape->shares = sgang_rows_of(job_ptr) > 1;
	shape->total_cpus = d->min_cpus ? d->min_cpus : 1;
	cpus = ceil_div(shape->total_cpus, shape->min_nodes);
	if (d->ntasks_per_node * per_task > cpus)
		cpus = d->ntasks_per_node * per_task;
	if (d->pn_min_cpus > cpus)
		cpus = d->pn_min_cpus;
	shape->node_cpus = cpus;
	shape->node_gpus = (uint32_t)sgang_inside_gpus_needed(
		job_ptr, ceil_div(shape->tasks, shape->min_nodes),
		shape->min_nodes);
	shape->node_memory = piece_memory(d, cpus);
	if (shape->max_nodes == shape->min_nodes)
		return;
	/* The number of nodes is open. Whole nodes: as few as have the CPUs,
	 * the same as in Slurm's own choice. Else the CPUs may be anywhere, a
	 * task's together. */
	if (shape->whole && job_ptr->part_ptr &&
	    job_ptr->part_ptr->max_cpu_cnt) {
		cpus = ceil_div(shape->total_cpus,
				job_ptr->part_ptr->max_cpu_cnt);
		if (cpus > shape->min_nodes && cpus <= shape->max_nodes)
			shape->min_nodes = cpus;
		shape->node_cpus = ceil_div(shape->total_cpus,
					    shape->min_nodes);
		shape->max_nodes = shape->min_nodes;
	} else if (!shape->whole) {
		shape->node_cpus = per_task;
	}
	shape->node_memory = piece_memory(d, shape->node_cpus);
}

static bool tasks_by_tres(const job_details_t *d)
{
	return d->ntasks_per_tres && d->ntasks_per_tres != NO_VAL16;
}

/* The number of its only kind of GRES, if all are for the whole job; else 0. */
static uint64_t gres_of_job(const job_record_t *job_ptr)
{
	list_t *list = sgang_inside_gres(job_ptr);
	gres_state_t *gres = (list && list_count(list) == 1) ? list_peek(list) :
							       NULL;
	const gres_job_state_t *js =
		gres ? sgang_layout_gres(gres->gres_data, sizeof(*js)) : NULL;

	return (js && !js->gres_per_node && !js->gres_per_socket &&
		!js->gres_per_task && !js->cpus_per_gres &&
		!js->def_cpus_per_gres) ?
		       js->gres_per_job :
		       0;
}

static uint32_t fewest_nodes(const struct sgang_shape *shape)
{
	return shape->least_nodes ? shape->least_nodes : shape->min_nodes;
}

/* The same to plan with: one for each node where the tasks need more nodes than
 * it asks for GRES. Slurm, too, runs such a job on nodes that have one free each,
 * if no number of nodes is said, and leaves some without. */
static uint64_t gres_to_plan(const job_record_t *job_ptr, uint32_t min_nodes,
			     uint32_t max_nodes)
{
	uint64_t gres = gres_of_job(job_ptr), cpus = job_ptr->details->min_cpus;
	uint32_t nodes,
		most = job_ptr->part_ptr ? job_ptr->part_ptr->max_cpu_cnt : 0;

	if (!gres || !most || max_nodes <= min_nodes)
		return gres;
	nodes = ceil_div(cpus, most);
	return nodes > gres && nodes >= min_nodes && nodes <= max_nodes ?
		       nodes :
		       gres;
}

/* True if GRES do not say which tasks a node has: there are none of a task or a
 * socket, and those of the whole job are in any shares, or one on each node. */
static bool gres_go_with_nodes(const job_record_t *job_ptr,
			       const struct sgang_shape *shape)
{
	if (release_gres_per_task(job_ptr) || job_ptr->tres_per_socket ||
	    job_ptr->cpus_per_tres)
		return false;
	return !job_ptr->tres_per_job || shape->job_gres ||
	       gres_of_job(job_ptr) == shape->min_nodes;
}

/* True if Slurm divides the tasks over the nodes by their room. The job then
 * asks for one on each node, and for CPUs for all of them together. */
static bool in_any_shares(const job_record_t *job_ptr,
			  const struct sgang_shape *shape)
{
	const job_details_t *d = job_ptr->details;
	uint32_t per_task = d->cpus_per_task ? d->cpus_per_task : 1;

	return !shape->whole &&
	       (shape->job_gres ||
		(sgang_shape_fixed(shape) && shape->min_nodes > 1)) &&
	       !d->ntasks_per_node && !d->overcommit && !tasks_by_tres(d) &&
	       (d->num_tasks > fewest_nodes(shape) ||
		(shape->job_gres && d->num_tasks == fewest_nodes(shape))) &&
	       shape->total_cpus == (uint64_t)d->num_tasks * per_task &&
	       gres_go_with_nodes(job_ptr, shape);
}

/* True if Slurm divides the job's GRES over its nodes by what they have, and
 * the tasks too, if their number on a node is not said. */
static bool gres_in_any_shares(const job_record_t *job_ptr,
			       const struct sgang_shape *shape, uint64_t gres)
{
	const job_details_t *d = job_ptr->details;
	uint32_t per_task = d->cpus_per_task ? d->cpus_per_task : 1;

	return job_ptr->tres_per_job && !shape->whole && shape->max_nodes > 1 &&
	       (!d->ntasks_per_node || sgang_shape_fixed(shape)) &&
	       !tasks_by_tres(d) &&
	       shape->total_cpus <= (uint64_t)shape->tasks * per_task &&
	       gres > fewest_nodes(shape);
}

void sgang_host_shape(const struct job_record *job_ptr, uint32_t min_nodes,
		      uint32_t max_nodes, uint32_t req_nodes,
		      struct sgang_shape *shape)
{
	const job_details_t *d = job_ptr->details;
	uint64_t gres = gres_to_plan(job_ptr, min_nodes, max_nodes);

	/* each node has one of them at least */
	if (gres && gres >= min_nodes && gres < max_nodes)
		max_nodes = (uint32_t)gres;
	count_shape(job_ptr, min_nodes, max_nodes, req_nodes, shape);
	if (gres_in_any_shares(job_ptr, shape, gres))
		shape->job_gres = gres;
	if (in_any_shares(job_ptr, shape))
		shape->task_cpus = d->cpus_per_task ? d->cpus_per_task : 1;
}

/* GRES lie beside tasks that are in any shares, with one at least on each node.
 * Where they say where the tasks are, these go with their part of the GRES. */
void sgang_host_share(struct sgang_job *job, uint32_t nodes, uint32_t pieces,
		      struct sgang_shape *shape)
{
	const job_details_t *d = record(job)->details;
	uint32_t least = shape->least_nodes, task_cpus = shape->task_cpus;
	uint64_t gres = shape->job_gres;
	uint32_t tasks = pieces;

	count_shape(record(job), nodes, nodes, 0, shape);
	shape->least_nodes = least;
	shape->task_cpus = task_cpus;
	shape->job_gres = gres;
	if (gres && task_cpus) {
		shape->node_gres = 1;
	} else if (gres) {
		tasks = d->ntasks_per_node ?
				d->ntasks_per_node :
				ceil_div((uint64_t)shape->tasks * pieces,
					 (uint32_t)gres);
		task_cpus = d->cpus_per_task ? d->cpus_per_task : 1;
		shape->node_gres = pieces;
	}
	if (!d->overcommit)
		shape->node_cpus = MAX(tasks * task_cpus, d->pn_min_cpus);
	shape->node_memory = piece_memory(d, shape->node_cpus);
}

/* Slurm's own bound if the number of nodes has no maximum. */
#define NODES_MAX 500000

void sgang_host_shape_of(struct sgang_job *job, struct sgang_shape *shape)
{
	const job_details_t *d = record(job)->details;

	/* as select_nodes() asks job_test(): without a maximum it is open */
	sgang_host_shape(record(job), d->min_nodes,
			 d->max_nodes ? d->max_nodes : NODES_MAX, 0, shape);
}

void sgang_host_fewer(struct sgang_job *job, uint32_t nodes,
		      struct sgang_shape *shape)
{
	uint32_t least = shape->least_nodes;

	sgang_host_shape(record(job), nodes, nodes, 0, shape);
	shape->least_nodes = least;
}

/* Tasks are placed in any way, but each node has at least one. */
bool sgang_host_least(struct sgang_job *job, struct sgang_shape *shape)
{
	const job_record_t *job_ptr = record(job);
	const job_details_t *d = job_ptr->details;
	uint32_t per_task = d->cpus_per_task ? d->cpus_per_task : 1;
	uint32_t nodes = d->min_nodes ? d->min_nodes : 1, cpus;

	sgang_host_shape(job_ptr, nodes, nodes, 0, shape);
	if (nodes == 1 && d->max_nodes == 1)
		return true;
	/* GRES of the whole job are split in any way, too. */
	shape->node_gres = 1;
	if (shape->total_cpus <= 1) {
		shape->tasks = nodes;
		return true;
	}
	cpus = MAX(d->ntasks_per_node, 1) * per_task;
	if (d->overcommit || cpus > shape->node_cpus)
		cpus = 1;
	shape->node_cpus = MAX(cpus, d->pn_min_cpus);
	shape->node_memory = piece_memory(d, shape->node_cpus);
	shape->tasks = nodes;
	return true;
}
