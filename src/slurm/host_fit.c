/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_fit.c - struct sgang_host: what a job needs of a node, and what it has
 *
 * Slurm decides what fits when a job starts. What is counted here says before
 * how many units of a job a node can take, so that nothing is planned that
 * Slurm would refuse.
 */

#include "config.h"

#include <string.h>

#include "host_private.h"

#include "inside.h"
#include "layout.h"

/* The parts of a request that count per node. */
struct need {
	bool whole;
	uint64_t cpus;
	uint32_t per_core;		/* uses so many CPUs of a core at most */
	uint64_t memory;		/* MB; 0: does not matter */
	bool all_memory;		/* takes all there is */
	list_t *gres;			/* of gres_state_t; NULL: none */
	uint32_t tasks;			/* per node */
	uint32_t nodes;
};

static bool memory_counts(void)
{
	return slurm_conf.select_type_param & RELEASE_BY_MEMORY;
}

/* --threads-per-core, --hint=nomultithread, --ntasks-per-core: the other CPUs of
 * its cores are nobody's. As common_cpus_per_core() of the stock plugin. */
static uint32_t cpus_per_core(const job_details_t *d)
{
	const multi_core_data_t *mc = d->mc_ptr;
	uint32_t cpus = UINT32_MAX;

	if (mc && mc->ntasks_per_core && mc->ntasks_per_core != INFINITE16)
		cpus = mc->ntasks_per_core *
		       (d->cpus_per_task ? d->cpus_per_task : 1);
	if (mc && mc->threads_per_core != NO_VAL16)
		cpus = MIN(cpus, mc->threads_per_core);
	return cpus ? cpus : 1;
}

static void need_of(const job_record_t *job_ptr,
		    const struct sgang_shape *shape, struct need *need)
{
	const job_details_t *d = job_ptr->details;

	memset(need, 0, sizeof(*need));
	need->whole = shape->whole;
	need->cpus = shape->node_cpus;
	need->per_core = cpus_per_core(d);
	need->nodes = shape->min_nodes ? shape->min_nodes : 1;
	need->tasks = (shape->tasks + need->nodes - 1) / need->nodes;
	need->gres = job_ptr->gres_list_req;
	if (!memory_counts())
		return;
	if (!d->pn_min_memory)
		need->all_memory = true;
	else if (d->pn_min_memory & MEM_PER_CPU)
		need->memory = (d->pn_min_memory & ~MEM_PER_CPU) * need->cpus;
	else
		need->memory = d->pn_min_memory;
}

static uint32_t ceil_div(uint64_t a, uint32_t b)
{
	return b ? (uint32_t) ((a + b - 1) / b) : (uint32_t) a;
}

static uint64_t gres_free(const gres_node_state_t *node,
			  const gres_job_state_t *job, bool empty)
{
	uint64_t avail = node->gres_cnt_avail;
	uint64_t alloc = node->no_consume ? 0 : node->gres_cnt_alloc;

	for (int t = 0; job->type_name && t < node->type_cnt; t++) {
		if (node->type_id[t] != job->type_id)
			continue;
		avail = node->type_cnt_avail[t];
		alloc = node->no_consume ? 0 : node->type_cnt_alloc[t];
	}
	if (empty)
		alloc = 0;
	return (avail > alloc) ? avail - alloc : 0;
}

static uint64_t units_by_gres(const node_record_t *node_ptr,
			      const struct need *need, bool empty)
{
	uint64_t units = UINT32_MAX;
	gres_state_t *job_gres, *node_gres;
	list_itr_t *iter;

	if (!need->gres)
		return units;
	iter = list_iterator_create(need->gres);
	while ((job_gres = list_next(iter))) {
		const gres_job_state_t *js = sgang_layout_gres(
			job_gres->gres_data, sizeof(*js));
		const gres_node_state_t *ns = NULL;
		uint64_t want = js ? sgang_inside_gres_needed(js, need->tasks,
							      need->nodes) : 0;
		uint64_t have = 0;

		if (!want)
			continue;
		node_gres = node_ptr->gres_list ?
			list_find_first(node_ptr->gres_list, gres_find_id,
					&job_gres->plugin_id) : NULL;
		if (node_gres)
			ns = sgang_layout_gres(node_gres->gres_data,
					       sizeof(*ns));
		if (node_gres && !ns)
			continue;
		if (ns)
			have = gres_free(ns, js, empty);
		if (have / want < units)
			units = have / want;
	}
	list_iterator_destroy(iter);
	return units;
}

struct usage {
	uint64_t cpus;			/* free */
	uint64_t memory;		/* MB free */
	bool memory_untouched;
};

static void usage_of(const node_record_t *node_ptr, bool empty,
		     struct usage *usage)
{
	uint16_t cpus = 0;
	uint64_t memory = 0, total;

	if (!empty)
		release_node_used(node_ptr, &cpus, &memory);
	usage->cpus = (node_ptr->cpus_efctv > cpus) ?
		      node_ptr->cpus_efctv - cpus : 0;
	total = node_ptr->real_memory - node_ptr->mem_spec_limit;
	usage->memory = (total > memory) ? total - memory : 0;
	usage->memory_untouched = !memory;
}

static bool node_is_free(uint32_t node, bool empty)
{
	if (!node_record_table_ptr[node])
		return false;
	if (empty)
		return !IS_NODE_DOWN(node_record_table_ptr[node]) &&
		       !IS_NODE_DRAIN(node_record_table_ptr[node]);
	return bit_test(idle_node_bitmap, node) &&
	       bit_test(avail_node_bitmap, node);
}

uint32_t sgang_host_idle(const struct sgang_nodeset *nodes)
{
	uint32_t idle = 0;

	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1))
		idle += node_is_free(n, false);
	return idle;
}

void sgang_host_room(const struct sgang_nodeset *nodes,
		     struct sgang_room *room)
{
	memset(room, 0, sizeof(*room));
	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1)) {
		struct usage usage;

		if (!node_record_table_ptr[n] || !bit_test(avail_node_bitmap, n))
			continue;
		usage_of(node_record_table_ptr[n], false, &usage);
		room->cpus += usage.cpus;
		room->memory += usage.memory;
		room->nodes += node_is_free(n, false);
	}
}

/* The cores of a node that the need takes. */
static uint64_t cores_on(const node_record_t *node_ptr,
			 const struct need *need)
{
	return ceil_div(need->cpus, MIN(need->per_core, node_ptr->tpc));
}

/* How many times the need fits on the node. Whole cores are given out where
 * cores are what is counted. */
static uint32_t units_on(uint32_t node, const struct need *need, bool empty)
{
	const node_record_t *node_ptr = node_record_table_ptr[node];
	uint64_t cpus = need->cpus, units;
	struct usage usage;

	if (need->whole) {
		if (!node_is_free(node, empty) || cpus > node_ptr->cpus_efctv)
			return 0;
		return units_by_gres(node_ptr, need, empty) ? 1 : 0;
	}
	usage_of(node_ptr, empty, &usage);
	if (slurm_conf.select_type_param & RELEASE_BY_CORE)
		cpus = cores_on(node_ptr, need) * node_ptr->tpc;
	units = cpus ? usage.cpus / cpus : usage.cpus;
	if (need->all_memory && units > 0)
		units = usage.memory_untouched;
	if (need->memory && usage.memory / need->memory < units)
		units = usage.memory / need->memory;
	if (units) {
		uint64_t by_gres = units_by_gres(node_ptr, need, empty);

		if (by_gres < units)
			units = by_gres;
	}
	return (uint32_t) units;
}

void sgang_host_units(struct sgang_job *job, const struct sgang_shape *shape,
		      const struct sgang_nodeset *nodes, bool empty,
		      uint32_t *units)
{
	struct need need;

	need_of(record(job), shape, &need);
	for (uint32_t n = 0; n < (uint32_t) node_record_count; n++)
		units[n] = (node_record_table_ptr[n] &&
			    sgang_nodeset_has(nodes, n)) ?
			   units_on(n, &need, empty) : 0;
}

void sgang_host_cpus(struct sgang_job *job, const struct sgang_shape *shape,
		     const struct sgang_nodeset *nodes, bool empty,
		     uint32_t *cpus)
{
	struct need one;

	/* Where the number of nodes is open, a piece is a single CPU. */
	need_of(record(job), shape, &one);
	for (uint32_t n = 0; n < (uint32_t) node_record_count; n++) {
		struct usage usage;

		cpus[n] = 0;
		if (!node_record_table_ptr[n] || !sgang_nodeset_has(nodes, n))
			continue;
		if (!units_on(n, &one, empty))
			continue;
		usage_of(node_record_table_ptr[n], empty, &usage);
		cpus[n] = (uint32_t) usage.cpus;
	}
}

void sgang_host_island_units(struct sgang_job *job,
			     const struct sgang_shape *shape,
			     const struct sgang_nodeset *nodes, bool empty,
			     uint32_t *units)
{
	struct sgang_inside_need inside = { .job = record(job) };
	const struct sgang_devices *devices = sgang_host_devices;
	struct need need;

	need_of(record(job), shape, &need);
	inside.tasks = need.tasks;
	inside.nodes = need.nodes;
	memset(units, 0, devices->first[devices->n_nodes] * sizeof(*units));
	for (uint32_t n = sgang_nodeset_next(nodes, 0); n != SGANG_NODE_NONE;
	     n = sgang_nodeset_next(nodes, n + 1)) {
		const node_record_t *node_ptr = node_record_table_ptr[n];
		uint32_t most = node_ptr ? units_on(n, &need, empty) : 0;

		if (!most)
			continue;
		inside.cores = cores_on(node_ptr, &need);
		sgang_inside_units(&inside, n, empty, most,
				   units + devices->first[n]);
	}
}

/* Only what every node must have: of an alternative somebody else must tell. */
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

enum sgang_cause sgang_host_cause(struct sgang_job *job,
				  const struct sgang_shape *shape,
				  uint32_t node)
{
	const node_record_t *node_ptr = node_record_table_ptr[node];
	const job_record_t *job_ptr = record(job);
	struct need need;

	need_of(job_ptr, shape, &need);
	/* A partition may still name a dynamic node that is gone. */
	if (!node_ptr || !in_partition(job_ptr, node))
		return SGANG_CAUSE_PARTITION;
	if (IS_NODE_DRAIN(node_ptr) || IS_NODE_FAIL(node_ptr))
		return SGANG_CAUSE_DRAINED;
	if (!bit_test(avail_node_bitmap, node))
		return SGANG_CAUSE_DOWN;
	if (lacks_feature(job_ptr, node))
		return SGANG_CAUSE_FEATURE;
	if (!units_by_gres(node_ptr, &need, true))
		return SGANG_CAUSE_GPUS;
	if (node_ptr->cpus_efctv < need.cpus ||
	    node_ptr->real_memory - node_ptr->mem_spec_limit < need.memory)
		return SGANG_CAUSE_SIZE;
	if ((node_ptr->node_state & NODE_STATE_RES) && !job_ptr->resv_name)
		return SGANG_CAUSE_RESERVED;
	return SGANG_CAUSE_BUSY;
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
	struct need na, nb;

	if (a == b)
		return true;
	sgang_host_shape_of(a, &sa);
	sgang_host_shape_of(b, &sb);
	need_of(record(a), &sa, &na);
	need_of(record(b), &sb, &nb);
	return na.whole == nb.whole && na.cpus == nb.cpus &&
	       na.per_core == nb.per_core &&
	       na.memory == nb.memory && na.all_memory == nb.all_memory &&
	       same_gres(record(a), record(b));
}

static bool same_text_request(const job_record_t *a, const job_record_t *b)
{
	const job_details_t *da = a->details, *db = b->details;

	return !xstrcmp(a->partition, b->partition) &&
	       !xstrcmp(a->resv_name, b->resv_name) &&
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
	       a->time_limit == b->time_limit &&
	       a->time_min == b->time_min && a->deadline == b->deadline &&
	       a->req_switch == b->req_switch &&
	       da->min_nodes == db->min_nodes &&
	       da->max_nodes == db->max_nodes &&
	       da->min_cpus == db->min_cpus && da->max_cpus == db->max_cpus &&
	       da->pn_min_cpus == db->pn_min_cpus &&
	       da->pn_min_memory == db->pn_min_memory &&
	       da->pn_min_tmp_disk == db->pn_min_tmp_disk &&
	       da->num_tasks == db->num_tasks &&
	       da->ntasks_per_node == db->ntasks_per_node &&
	       da->cpus_per_task == db->cpus_per_task &&
	       da->whole_node == db->whole_node &&
	       da->share_res == db->share_res &&
	       da->contiguous == db->contiguous &&
	       da->core_spec == db->core_spec &&
	       da->overcommit == db->overcommit &&
	       same_layout(da->mc_ptr, db->mc_ptr) && same_gres(a, b) &&
	       same_text_request(a, b);
}

void sgang_host_shape(const struct job_record *job_ptr, uint32_t min_nodes,
		      uint32_t max_nodes, uint32_t req_nodes,
		      struct sgang_shape *shape)
{
	const job_details_t *d = job_ptr->details;
	uint32_t per_task = d->cpus_per_task ? d->cpus_per_task : 1;
	uint32_t cpus;

	memset(shape, 0, sizeof(*shape));
	shape->min_nodes = min_nodes ? min_nodes : 1;
	if (req_nodes > shape->min_nodes && req_nodes <= max_nodes)
		shape->min_nodes = req_nodes;
	shape->max_nodes = max_nodes ? max_nodes : shape->min_nodes;
	shape->whole = release_whole_node(d) ||
		       (job_ptr->part_ptr && !job_ptr->part_ptr->max_share);
	shape->tasks = sgang_host_task_count(job_ptr);
	shape->total_cpus = d->min_cpus ? d->min_cpus : 1;
	cpus = ceil_div(shape->total_cpus, shape->min_nodes);
	if (d->ntasks_per_node * per_task > cpus)
		cpus = d->ntasks_per_node * per_task;
	if (d->pn_min_cpus > cpus)
		cpus = d->pn_min_cpus;
	shape->node_cpus = cpus;
	shape->node_gpus = (uint32_t) sgang_inside_gpus_needed(
		job_ptr, ceil_div(shape->tasks, shape->min_nodes),
		shape->min_nodes);
	if (shape->max_nodes == shape->min_nodes)
		return;
	/* The number of nodes is open. Whole nodes: as few as have the CPUs, as
	 * Slurm's own choice does. Else its CPUs may be anywhere, a task's
	 * together. */
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
}

void sgang_host_shape_of(struct sgang_job *job, struct sgang_shape *shape)
{
	const job_details_t *d = record(job)->details;

	sgang_host_shape(record(job), d->min_nodes, d->max_nodes, 0, shape);
}
