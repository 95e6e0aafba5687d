/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_test.c - select_p_job_test(), where nodes are chosen
 *
 * What a job may have is decided in plugins/select/gate.h. Here are Slurm's
 * arguments and its own plugin, and what the conductor finds out through a call
 * of its own.
 */

#include "config.h"

#include <pthread.h>
#include <stdint.h>

#include "select_private.h"

#include "at_work.h"
#include "core/gang/spec.h"
#include "gres_share.h"
#include "host_private.h"
#include "inside.h"
#include "layout.h"
#include "plugins/select/gate.h"
#include "plugins/select/placer.h"
#include "victims.h"

/* Commands load the plugin, too, and have no nodes. */
#pragma weak avail_node_bitmap

/* Slurm looks the entry points up by name; no header declares them. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* Backfill's last offer on this thread: when backfill then starts that job, the
 * gang must keep to nodes that are not reserved for others. */
static __thread struct {
	uint32_t job_id;
	struct sgang_nodeset *nodes;
} offered;
/* Frees offered.nodes when a thread ends: a user's --test-only has its own. */
static pthread_key_t offered_key;

static void free_offered(void *nodes)
{
	sgang_nodeset_destroy(nodes);
}

void sgang_job_test_init(void)
{
	pthread_key_create(&offered_key, free_offered);
}

void sgang_job_test_forget(void)
{
	sgang_nodeset_destroy(offered.nodes);
	offered.nodes = NULL;
	pthread_setspecific(offered_key, NULL);
}

static struct sgang_nodeset *nodes_of(const bitstr_t *bitmap)
{
	struct sgang_nodeset *nodes = sgang_nodeset_create(node_record_count);

	if (nodes)
		sgang_host_add_bitmap(nodes, bitmap);
	return nodes;
}

static void add_nodes(bitstr_t *bitmap, const struct sgang_nodeset *nodes)
{
	uint32_t size = (uint32_t)bit_size(bitmap);

	for (uint32_t n = sgang_nodeset_next(nodes, 0); n < size;
	     n = sgang_nodeset_next(nodes, n + 1))
		bit_set(bitmap, (bitoff_t)n);
}

static void keep_nodes(bitstr_t *bitmap, const struct sgang_nodeset *nodes)
{
	bitstr_t *only = bit_alloc(bit_size(bitmap));

	add_nodes(only, nodes);
	bit_and(bitmap, only);
	FREE_NULL_BITMAP(only);
}

/* The arguments of one select_p_job_test(). */
struct job_test {
	job_record_t *job_ptr;
	bitstr_t *node_bitmap;
	uint32_t min_nodes, max_nodes, req_nodes;
	uint16_t mode;
	list_t *preemptee_candidates;
	list_t **preemptee_job_list;
	release_rest_t rest;
	struct sgang_victim_list *victims; /* NULL: no candidate is in a gang */
};

/* Read the job's options of gangs; false when it names no gang. */
static bool names_gang(job_record_t *job_ptr, struct sgang_spec *spec)
{
	if (!sgang_host_concerns(job_ptr))
		return false;
	if (sgang_own.conductor &&
	    sgang_conductor_spec(sgang_own.conductor, job_ptr->job_id,
				 job_ptr->spank_job_env,
				 job_ptr->spank_job_env_size, spec))
		return true;
	return sgang_spec_of_job(spec, job_ptr->spank_job_env,
				 job_ptr->spank_job_env_size,
				 sgang_host_user(job_ptr), NULL) == 1;
}

/* The same; false also while gangs are off. */
static bool is_member(job_record_t *job_ptr, struct sgang_spec *spec)
{
	return sgang_own.conf.gangs && names_gang(job_ptr, spec);
}

static int ask_with_victims(const struct job_test *t, list_t *candidates)
{
	return sgang_stock.job_test(t->job_ptr, t->node_bitmap, t->min_nodes,
				    t->max_nodes, t->req_nodes, t->mode,
				    candidates, t->preemptee_job_list,
				    RELEASE_REST_ARGUMENTS(&t->rest));
}

static bool in_future(const struct job_test *t)
{
	return (t->mode & SELECT_MODE_BASE) == SELECT_MODE_WILL_RUN;
}

/* A refusal, or a start after 'latest', changes nothing. After an answer the
 * call has the nodes of that; 'nodes' are of those that were offered. */
static int ask_on(const struct job_test *t, const struct sgang_nodeset *nodes,
		  list_t *candidates, int64_t latest)
{
	struct job_test confined = *t;
	time_t start = t->job_ptr->start_time;
	int rc;

	if (nodes) {
		confined.node_bitmap = bit_alloc(bit_size(t->node_bitmap));
		add_nodes(confined.node_bitmap, nodes);
	} else {
		confined.node_bitmap = bit_copy(t->node_bitmap);
	}
	rc = ask_with_victims(&confined, candidates);
	if (rc == SLURM_SUCCESS && in_future(t) &&
	    t->job_ptr->start_time > latest)
		rc = SLURM_ERROR;
	if (rc == SLURM_SUCCESS) {
		bit_copybits(t->node_bitmap, confined.node_bitmap);
	} else {
		t->job_ptr->start_time = start;
		if (t->preemptee_job_list)
			FREE_NULL_LIST(*t->preemptee_job_list);
	}
	FREE_NULL_BITMAP(confined.node_bitmap);
	return rc;
}

/* ---- what the gate asks ---- */

static int try_on(const struct sgang_question *q,
		  const struct sgang_nodeset *nodes, enum sgang_victims victims,
		  int64_t latest, int64_t *start)
{
	const struct job_test *t = q->call;
	list_t *candidates = NULL, *own = NULL;
	int rc;

	if (victims != SGANG_VICTIMS_NONE && t->victims)
		candidates = own = sgang_victims_list(
			t->victims, victims == SGANG_VICTIMS_ALL);
	else if (victims == SGANG_VICTIMS_ALL)
		candidates = t->preemptee_candidates;
	if (victims == SGANG_VICTIMS_APART && !candidates)
		return SLURM_ERROR;
	/* A call without terms of ours is Slurm's, whatever it leaves. */
	if (!nodes && victims == SGANG_VICTIMS_ALL && latest == INT64_MAX)
		rc = ask_with_victims(t, candidates);
	else
		rc = ask_on(t, nodes, candidates, latest);
	FREE_NULL_LIST(own);
	*start = t->job_ptr->start_time;
	return rc;
}

static void shape_of(const struct job_test *t, struct sgang_shape *shape)
{
	sgang_host_shape(t->job_ptr, t->min_nodes, t->max_nodes, t->req_nodes,
			 shape);
}

static void with_room(const struct sgang_question *q,
		      struct sgang_nodeset *nodes)
{
	const struct job_test *t = q->call;
	struct sgang_shape shape;

	shape_of(t, &shape);
	if (!shape.whole)
		(void)sgang_stock.select_nodeinfo_set_all();
	sgang_placer_with_room(&sgang_host_slurm,
			       (uint32_t)bit_size(t->node_bitmap), q->job,
			       &shape, nodes);
}

static bool place(const struct sgang_question *q,
		  const struct sgang_nodeset *nodes,
		  const struct sgang_bound *bound, struct sgang_nodeset *chosen)
{
	const struct job_test *t = q->call;
	const struct sgang_fabric *fabric = sgang_settings_fabric(t->job_ptr);
	const job_details_t *d = t->job_ptr->details;
	struct sgang_shape shape;

	shape_of(t, &shape);
	if (!sgang_placer_concerns(fabric, &shape) || d->req_node_bitmap ||
	    d->contiguous || t->job_ptr->req_switch ||
	    release_segments(t->job_ptr))
		return false;
	if (!shape.whole)
		(void)sgang_stock.select_nodeinfo_set_all();
	return sgang_placer_choose(&sgang_host_slurm, fabric, &sgang_own.conf,
				   q->job, &shape, nodes, bound->level, chosen);
}

static const struct sgang_gate_slurm gate_slurm = {
	.try_on = try_on,
	.with_room = with_room,
	.place = place,
};

/* When the job would reach its time limit if it started now. */
static int64_t end_if_now(const job_record_t *job_ptr, int64_t now)
{
	uint32_t limit = job_ptr->time_limit;

	if (!job_ptr->part_ptr)
		return 0;
	if (limit == NO_VAL)
		limit = job_ptr->part_ptr->max_time;
	return (limit == INFINITE) ? INT64_MAX : now + (int64_t)limit * 60;
}

static bool wants_place(const job_record_t *job_ptr)
{
	return sgang_own.conf.placement && !sgang_settings_barred(job_ptr) &&
	       (sgang_own.conf.place_all || sgang_host_concerns(job_ptr));
}

/* No more than it has tasks. */
static uint32_t most_nodes(const struct job_test *t)
{
	uint32_t bound = release_nodes_bound(t->job_ptr->details);

	return bound ? MIN(t->max_nodes, MAX(bound, t->min_nodes)) :
		       t->max_nodes;
}

static struct sgang_question question(const struct job_test *t,
				      const struct sgang_spec *spec)
{
	job_record_t *job_ptr = t->job_ptr;
	struct sgang_question q = {
		.slurm = &gate_slurm,
		.call = t,
		.conductor = sgang_own.conductor,
		.job = (struct sgang_job *)job_ptr,
		.job_id = job_ptr->job_id,
		.spec = spec,
		.min_nodes = t->min_nodes,
		.max_nodes = most_nodes(t),
		.now = time(NULL),
		.later = in_future(t),
		.placed = wants_place(job_ptr),
	};

	q.end = end_if_now(job_ptr, q.now);
	q.standing.job = q.job;
	q.standing.record = job_ptr->job_id;
	q.standing.tier = job_ptr->part_ptr ? job_ptr->part_ptr->priority_tier :
					      0;
	q.standing.priority = job_ptr->priority;
	q.standing.job_id = job_ptr->array_job_id ? job_ptr->array_job_id :
						    job_ptr->job_id;
	if (spec && sgang_own.conf.placement)
		q.fabric = sgang_settings_fabric(job_ptr);
	return q;
}

/* The nodes that the gate decides over; NULL: nothing to decide. */
static struct sgang_nodeset *decided(const struct sgang_question *q)
{
	const struct job_test *t = q->call;

	if (!q->spec && !q->placed && !sgang_gate_stands(q->conductor))
		return NULL;
	return nodes_of(t->node_bitmap);
}

/* Slurm's own answer. */
static int ask_stock(const struct job_test *t)
{
	struct sgang_question q = question(t, NULL);
	int64_t start;

	return sgang_gate_pass(&q, &start);
}

/* ---- the conductor's calls ---- */

/* The conductor asks which nodes the job could have. TEST_ONLY must not fail,
 * or the job would be held for ever. */
static int test_for_probe(const struct job_test *t)
{
	bool now = (t->mode & SELECT_MODE_BASE) == SELECT_MODE_RUN_NOW;
	bitstr_t *req = t->job_ptr->details->req_node_bitmap;
	struct sgang_nodeset *nodes = nodes_of(t->node_bitmap), *only;
	struct sgang_spec spec;

	/* Without the nodes that an earlier gang waits for. */
	if (nodes && now && is_member(t->job_ptr, &spec)) {
		struct sgang_question q = question(t, &spec);

		(void)sgang_gate_keep_off(&q, nodes);
	}

	/* Required nodes are all there is to choose from, unless the job may
	 * have more. */
	if (nodes && req && (uint32_t)bit_set_count(req) >= t->max_nodes) {
		only = nodes_of(req);
		if (only)
			sgang_nodeset_and(nodes, only);
		sgang_nodeset_destroy(only);
	}
	if (nodes) {
		if (now)
			sgang_nodeset_or(sgang_job_test.usable, nodes);
		/* Where too few are in service, these come with the others. */
		only = nodes_of(avail_node_bitmap);
		if (only)
			sgang_nodeset_and(nodes, only);
		sgang_nodeset_destroy(only);
		sgang_nodeset_or(sgang_job_test.ever, nodes);
		shape_of(t, sgang_job_test.shape);
		sgang_job_test.asked = true;
	}
	sgang_nodeset_destroy(nodes);
	return now ? SLURM_ERROR : SLURM_SUCCESS;
}

/* True if the job needs each of the nodes it is offered, and the order in which
 * Slurm takes them makes no difference. */
static bool needs_all(const struct job_test *t)
{
	uint32_t n = (uint32_t)bit_set_count(t->node_bitmap);

	return n == t->min_nodes && !t->job_ptr->details->req_node_bitmap &&
	       !t->job_ptr->req_switch && !release_segments(t->job_ptr) &&
	       (n == 1 || (!t->job_ptr->details->contiguous &&
			   release_whole_node(t->job_ptr->details)));
}

/* If nothing is left to choose, the stock plugin need not look at every switch
 * of the cluster, with bitmaps of all nodes, for each member. It does not if
 * the nodes are required, in a job that is indifferent to switches. After a
 * refusal it is asked without: then GRES may be taken from anywhere. */
static int ask_for_all(const struct job_test *t)
{
	job_details_t *d = t->job_ptr->details;
	uint16_t contiguous = d->contiguous;
	bitstr_t *nodes;
	int rc;

	if (!needs_all(t))
		return ask_with_victims(t, NULL);
	nodes = bit_copy(t->node_bitmap);
	d->req_node_bitmap = bit_copy(nodes);
	d->contiguous = 1;
	rc = ask_with_victims(t, NULL);
	FREE_NULL_BITMAP(d->req_node_bitmap);
	d->contiguous = contiguous;
	if (rc != SLURM_SUCCESS) {
		bit_copybits(t->node_bitmap, nodes);
		rc = ask_with_victims(t, NULL);
	}
	FREE_NULL_BITMAP(nodes);
	return rc;
}

/* The CPUs of the cores that the answer has taken beyond the job's own. A core is
 * taken as a whole, so that some of them may be left. */
static uint32_t cpus_beyond(const job_record_t *job_ptr)
{
	const job_resources_t *res = job_ptr->job_resrcs;
	uint32_t taken = 0, rest = 0;
	int last;

	if (!res)
		return 0;
	last = bit_fls(res->node_bitmap);
	for (uint32_t i = 0; i < res->nhosts; i++)
		taken += res->cpus[i];
	for (int n = bit_ffs(res->node_bitmap); n >= 0 && n <= last; n++) {
		if (bit_test(res->node_bitmap, n))
			rest += node_record_table_ptr[n]->tpc - 1;
	}
	return (taken > res->ncpus + rest) ? taken - res->ncpus : 0;
}

/* Without the cores outside the planned islands, those that are left to others,
 * and those beyond the planned CPUs. */
static release_rest_t rest_within(const struct job_test *t, bool keep_cpus)
{
	const struct sgang_bounds *b = sgang_job_test.bounds;
	int64_t *cores =
		b->islands ?
			sgang_inside_others(b->nodes, b->islands) :
			bit_alloc(cr_get_coremap_offset(node_record_count));

	if (b->spare)
		sgang_inside_spare(b->nodes, b->spare, cores);
	if (keep_cpus)
		sgang_inside_beyond(b->nodes, b->cpus,
				    sgang_host_per_core(t->job_ptr), cores);
	return release_exclude(&t->rest, cores);
}

/* Ask for these nodes. The answer before is undone, because nothing starts by
 * it. */
static int ask_within(const struct job_test *t, const bitstr_t *nodes,
		      bool keep_cpus, bool keep_gres)
{
	const struct sgang_bounds *b = sgang_job_test.bounds;
	bool confined = b->islands || b->spare || keep_cpus;
	struct sgang_gres_bound *bound =
		keep_gres ? sgang_gres_share_bind(t->job_ptr, nodes, b->gres) :
			    NULL;
	struct job_test inside = *t;
	int rc;

	free_job_resources(&t->job_ptr->job_resrcs);
	bit_copybits(t->node_bitmap, (bitstr_t *)nodes);
	if (confined)
		inside.rest = rest_within(t, keep_cpus);
	rc = ask_for_all(&inside);
	if (confined)
		release_free_excluded(&inside.rest);
	sgang_gres_share_unbind(bound);
	return rc;
}

/* True if the answer has more cores of a node than the planned CPUs need. */
static bool exceeds_cpus(const job_record_t *job_ptr, const uint32_t *cpus)
{
	const job_resources_t *res = job_ptr->job_resrcs;
	uint32_t per_core = sgang_host_per_core(job_ptr), i = 0;
	int last;

	if (!res)
		return false;
	last = bit_fls(res->node_bitmap);
	for (int n = bit_ffs(res->node_bitmap); n >= 0 && n <= last; n++) {
		uint32_t cores;

		if (!bit_test(res->node_bitmap, n))
			continue;
		cores = sgang_inside_cores((uint32_t)n, cpus[n], per_core);
		if (res->cpus[i++] > cores * node_record_table_ptr[n]->tpc)
			return true;
	}
	return false;
}

/* With no more CPUs and GRES of a node than are planned there, if that is
 * possible. Slurm often has the same shares by itself; to keep it to them needs a
 * look at all jobs. */
static int ask_shares(const struct job_test *t, const bitstr_t *nodes)
{
	const struct sgang_bounds *b = sgang_job_test.bounds;
	const job_record_t *job_ptr = t->job_ptr;
	bool cpus = false, gres = false, more;
	int rc;

	do {
		bool refused;

		rc = ask_within(t, nodes, cpus, gres);
		refused = rc != SLURM_SUCCESS;
		more = false;
		if (!cpus && b->cpus &&
		    (refused || exceeds_cpus(job_ptr, b->cpus)))
			cpus = more = true;
		if (!gres && b->gres &&
		    (refused || sgang_gres_share_exceeded(job_ptr, b->gres)))
			gres = more = true;
	} while (more);
	if (rc != SLURM_SUCCESS && (cpus || gres))
		rc = ask_within(t, nodes, false, false);
	return rc;
}

/* With a job that is bound to its GRES or not. */
static int ask_bound(const struct job_test *t, const bitstr_t *nodes, bool bind)
{
	job_record_t *job_ptr = t->job_ptr;
	bool bound = job_ptr->bit_flags & GRES_ENFORCE_BIND;
	int rc;

	if (bind)
		job_ptr->bit_flags |= GRES_ENFORCE_BIND;
	rc = ask_shares(t, nodes);
	if (!bound)
		job_ptr->bit_flags &= ~GRES_ENFORCE_BIND;
	return rc;
}

/* Only GPUs that are near to the cores. Slurm prefers these by itself. A job that
 * is bound to its GRES may get more cores, with Slurm 24.11 all of their sockets:
 * then it is not bound. */
static int ask_near(const struct job_test *t, const bitstr_t *nodes)
{
	int rc = ask_bound(t, nodes, false);
	uint32_t beyond;

	if (rc != SLURM_SUCCESS ||
	    sgang_inside_answer_near(t->job_ptr,
				     sgang_job_test.bounds->islands))
		return rc;
	beyond = cpus_beyond(t->job_ptr);
	rc = ask_bound(t, nodes, true);
	if (rc != SLURM_SUCCESS || cpus_beyond(t->job_ptr) > beyond)
		rc = ask_bound(t, nodes, false);
	return rc;
}

/* ---- why the stock plugin refused ---- */

/* Ask again without a rule, on the same nodes. What the answer left is undone,
 * because nothing starts by it. */
static bool starts_without(const struct job_test *t, const bitstr_t *nodes)
{
	struct job_test other = *t;
	bool starts;

	other.node_bitmap = bit_copy((bitstr_t *)nodes);
	starts = ask_with_victims(&other, NULL) == SLURM_SUCCESS;
	FREE_NULL_BITMAP(other.node_bitmap);
	if (starts)
		free_job_resources(&t->job_ptr->job_resrcs);
	return starts;
}

static bool is_by_switches(const struct job_test *t, const bitstr_t *nodes)
{
	job_record_t *job_ptr = t->job_ptr;
	uint32_t switches = job_ptr->req_switch;
	bool best = job_ptr->best_switch, starts;

	if (!switches)
		return false;
	job_ptr->req_switch = 0;
	job_ptr->best_switch = true;
	starts = starts_without(t, nodes);
	job_ptr->req_switch = switches;
	job_ptr->best_switch = best;
	return starts;
}

static bool is_by_contiguous(const struct job_test *t, const bitstr_t *nodes)
{
	job_details_t *d = t->job_ptr->details;
	uint16_t contiguous = d->contiguous;
	bool starts;

	if (!contiguous)
		return false;
	d->contiguous = 0;
	starts = starts_without(t, nodes);
	d->contiguous = contiguous;
	return starts;
}

/* Readers of a partition wait for the locks that are held here. */
static bool is_by_partition(const struct job_test *t, const bitstr_t *nodes)
{
	part_record_t *part_ptr = t->job_ptr->part_ptr;
	uint32_t most = part_ptr ? part_ptr->max_cpus_per_node : INFINITE;
	bool starts;

	if (most == INFINITE)
		return false;
	part_ptr->max_cpus_per_node = INFINITE;
	starts = starts_without(t, nodes);
	part_ptr->max_cpus_per_node = most;
	return starts;
}

static bool is_by_reservation(const struct job_test *t, const bitstr_t *nodes)
{
	struct job_test other = *t;

	if (!release_excludes_cores(&t->rest))
		return false;
	other.rest = release_exclude_nothing(&t->rest);
	return starts_without(&other, nodes);
}

/* 'nodes': those that were planned. */
static void find_bound(const struct job_test *t, const bitstr_t *nodes)
{
	const job_record_t *job_ptr = t->job_ptr;
	const char *own = sgang_host_asked_reservation(job_ptr);
	char *text = sgang_job_test.bound;
	const size_t size = sizeof(sgang_job_test.bound);

	if (is_by_switches(t, nodes))
		snprintf(text, size, "there is no room within --switches=%u",
			 job_ptr->req_switch);
	else if (is_by_contiguous(t, nodes))
		snprintf(text, size,
			 "no neighbouring nodes have room (--contiguous)");
	else if (is_by_partition(t, nodes))
		snprintf(text, size,
			 "MaxCPUsPerNode=%u of partition %.64s leaves no room",
			 job_ptr->part_ptr->max_cpus_per_node,
			 job_ptr->part_ptr->name);
	else if (is_by_reservation(t, nodes))
		snprintf(text, size,
			 own ? "reservation %.64s has too few free cores" :
			       "cores are reserved, too few others are free",
			 own);
	else
		text[0] = '\0';
}

/* A gang has no victims: they would be killed for one member, before it is
 * known whether the others can start. */
static int test_for_commit(const struct job_test *t)
{
	const struct sgang_bounds *bounds = sgang_job_test.bounds;
	uint32_t planned = sgang_nodeset_count(bounds->nodes), n;
	uint32_t least = t->min_nodes;
	bool confined = bounds->islands || bounds->spare;
	struct job_test alone = *t;
	bitstr_t *nodes;
	int rc = SLURM_ERROR;

	if ((t->mode & SELECT_MODE_BASE) != SELECT_MODE_RUN_NOW)
		return SLURM_SUCCESS;
	sgang_job_test.asked = true;
	keep_nodes(t->node_bitmap, bounds->nodes);
	n = (uint32_t)bit_set_count(t->node_bitmap);
	/* The stock plugin would keep a CPU for each requested node. */
	alone.req_nodes = MIN(t->req_nodes, n);
	/* Slurm offers the lightest nodes first, of which the plan may have
	 * some, and more if that is refused. A range gets all that are planned.
	 */
	if (planned > least && planned <= t->req_nodes)
		alone.min_nodes = least = planned;
	nodes = bit_copy(t->node_bitmap);
	if (n >= least)
		rc = bounds->islands && t->job_ptr->gres_list_req ?
			     ask_near(&alone, nodes) :
			     ask_shares(&alone, nodes);
	sgang_job_test.refused = rc != SLURM_SUCCESS;
	if (rc != SLURM_SUCCESS && n >= least && !confined)
		find_bound(&alone, nodes);
	FREE_NULL_BITMAP(nodes);
	if (rc == SLURM_SUCCESS)
		release_set_flag(t->job_ptr, JOB_CONFIGURING);
	return rc;
}

/* ---- the scheduler's and backfill's ---- */

/* "[a*1&b*1]": backfill offers the nodes of one feature after the other, which
 * bounds nothing. Meanwhile the list of features is another one. */
static bool counts_features(const job_record_t *job_ptr)
{
	return job_ptr->details->features &&
	       strchr(job_ptr->details->features, '*');
}

/* The job is not started: the conductor holds it on the chosen nodes. */
static int hold_cold(const struct job_test *t)
{
	struct sgang_nodeset *nodes = nodes_of(t->node_bitmap);

	/* these are the nodes of one of the features */
	if (nodes && counts_features(t->job_ptr))
		sgang_nodeset_fill(nodes);
	if (nodes)
		sgang_conductor_cold(sgang_own.conductor,
				     (struct sgang_job *)t->job_ptr,
				     t->min_nodes, nodes);
	sgang_nodeset_destroy(nodes);
	free_job_resources(&t->job_ptr->job_resrcs);
	return SLURM_ERROR;
}

static int run_now(const struct job_test *t, const struct sgang_spec *spec)
{
	struct sgang_question q = question(t, spec);
	struct sgang_nodeset *nodes = decided(&q);
	int rc;

	if (offered.job_id == q.job_id && !counts_features(t->job_ptr) &&
	    offered.nodes &&
	    sgang_nodeset_size(offered.nodes) == (uint32_t)node_record_count)
		q.reserved = offered.nodes;
	q.backfill = t->job_ptr->bit_flags & BACKFILL_SCHED;
	rc = sgang_gate_now(&q, nodes);
	sgang_nodeset_destroy(nodes);
	return rc;
}

static int test_run_now(const struct job_test *t)
{
	struct sgang_spec spec;
	struct job_test alone = *t;
	int rc;

	/* the conductor parks it in a moment */
	if (!sgang_own.conf.gangs && names_gang(t->job_ptr, &spec))
		return SLURM_ERROR;
	if (!is_member(t->job_ptr, &spec))
		return run_now(t, NULL);
	if (!sgang_conductor_wants_cold(sgang_own.conductor, &spec,
					(struct sgang_job *)t->job_ptr,
					t->min_nodes))
		return run_now(t, &spec);
	alone.preemptee_candidates = NULL;
	alone.victims = NULL;
	rc = run_now(&alone, &spec);
	return rc == SLURM_SUCCESS ? hold_cold(&alone) : rc;
}

static void remember_offer(const struct job_test *t)
{
	sgang_nodeset_destroy(offered.nodes);
	offered.nodes = nodes_of(t->node_bitmap);
	offered.job_id = t->job_ptr->job_id;
	pthread_setspecific(offered_key, offered.nodes);
}

/* Backfill goes through its queue, and this is next. */
static void note_offer(const struct job_test *t, const struct sgang_question *q)
{
	bool bounds = q->spec && !q->spec->object && offered.nodes &&
		      !counts_features(t->job_ptr);

	if (t->job_ptr->bit_flags & BACKFILL_TEST)
		sgang_conductor_offered(sgang_own.conductor, &q->standing,
					bounds ? q->spec : NULL, offered.nodes);
}

/* All CPUs of its nodes, if all members take whole ones. */
static uint64_t whole_cpus(const struct sgang_what_if *what)
{
	uint64_t cpus = 0;

	for (uint32_t n = sgang_nodeset_next(what->nodes, 0);
	     what->whole && n < (uint32_t)node_record_count;
	     n = sgang_nodeset_next(what->nodes, n + 1))
		cpus += node_record_table_ptr[n]->cpus_efctv;
	return cpus;
}

static uint32_t known_or(uint32_t number, uint32_t otherwise)
{
	return number == NO_VAL ? otherwise : number;
}

/* CPU minutes of a job in a queue, as Slurm estimates them for what is behind.
 */
static uint64_t space_time(const job_record_t *job_ptr)
{
	const part_record_t *part_ptr = job_ptr->part_ptr;
	uint32_t on_node = part_ptr->total_cpus > part_ptr->total_nodes ?
				   part_ptr->total_cpus /
					   part_ptr->total_nodes :
				   1;
	uint32_t nodes = known_or(job_ptr->details->min_nodes, 1);
	uint32_t cpus = known_or(job_ptr->details->min_cpus, 1);

	return (uint64_t)MAX(cpus, nodes * on_node) *
	       known_or(job_ptr->time_limit, part_ptr->max_time);
}

/* Slurm adds to the start of a job that is asked about what jobs before it will
 * take, if they run one after the other. Returns the part of the gang's own
 * members, which start with it, in seconds. */
static time_t added_for_gang(const struct job_test *t,
			     const struct sgang_spec *spec)
{
	const job_record_t *job_ptr = t->job_ptr;
	uint64_t sum = 0;
	struct sgang_spec its;
	list_itr_t *iter;
	job_record_t *other;

	if (!job_ptr->part_ptr || !job_ptr->part_ptr->total_cpus)
		return 0;
	iter = list_iterator_create(job_list);
	while ((other = list_next(iter))) {
		if (IS_JOB_PENDING(other) && other->details &&
		    other != job_ptr && other->part_ptr == job_ptr->part_ptr &&
		    other->priority >= job_ptr->priority &&
		    !IS_JOB_REVOKED(other) && is_member(other, &its) &&
		    !strcmp(its.ns, spec->ns) && !strcmp(its.name, spec->name))
			sum += space_time(other);
	}
	list_iterator_destroy(iter);
	return (time_t)(sum / job_ptr->part_ptr->total_cpus * 60);
}

/* The answer is the gang's: its start, its nodes, and the processors of all. */
static int tell_gang(const struct job_test *t, const struct sgang_spec *spec,
		     struct sgang_what_if *what)
{
	job_record_t *job_ptr = t->job_ptr;

	if (what->start == INT64_MAX || !what->nodes) {
		sgang_nodeset_destroy(what->nodes);
		return SLURM_ERROR;
	}
	job_ptr->start_time = what->start - added_for_gang(t, spec);
	if (what->cpus || what->whole)
		job_ptr->total_cpus = (uint32_t)(what->cpus + whole_cpus(what));
	bit_clear_all(t->node_bitmap);
	add_nodes(t->node_bitmap, what->nodes);
	sgang_nodeset_destroy(what->nodes);
	return SLURM_SUCCESS;
}

/* Backfill plans job by job; a user who asks for one member means the gang. */
static bool is_question(const struct job_test *t, const struct sgang_spec *spec)
{
	return spec && !spec->object &&
	       !(t->job_ptr->bit_flags & BACKFILL_TEST);
}

/* Backfill, and a user's --test-only. A reservation is tested with a dummy job:
 * nothing of it may be read. */
static int test_will_run(const struct job_test *t)
{
	struct sgang_what_if what;
	struct sgang_nodeset *nodes;
	struct sgang_question q;
	struct sgang_spec spec;
	int64_t start;
	int rc;

	if (find_job_record(t->job_ptr->job_id) != t->job_ptr ||
	    !sgang_select_at_work(t->job_ptr))
		return ask_with_victims(t, t->preemptee_candidates);
	if (!IS_JOB_PENDING(t->job_ptr))
		return ask_stock(t);
	q = question(t, is_member(t->job_ptr, &spec) ? &spec : NULL);
	nodes = decided(&q);
	if (q.spec && !spec.object)
		remember_offer(t);
	note_offer(t, &q);
	start = t->job_ptr->start_time;
	rc = sgang_gate_later(&q, nodes, &start);
	if (rc == SLURM_SUCCESS)
		t->job_ptr->start_time = start;
	sgang_nodeset_destroy(nodes);
	if (rc == SLURM_SUCCESS && is_question(t, q.spec) &&
	    sgang_conductor_what_if(q.conductor, q.spec, q.job, &what))
		rc = tell_gang(t, q.spec, &what);
	return rc;
}

/* The victims of the last job that was to start now. Scheduling calls have the
 * job lock, and keep it until they have preempted these. */
static struct {
	uint32_t *job_id;
	int n;
} victims;

static void note_victims(const struct job_test *t)
{
	list_t *list = t->preemptee_job_list ? *t->preemptee_job_list : NULL;
	list_itr_t *iter;
	job_record_t *job_ptr;

	victims.n = 0;
	if (!list || !list_count(list))
		return;
	xrecalloc(victims.job_id, list_count(list), sizeof(*victims.job_id));
	iter = list_iterator_create(list);
	while ((job_ptr = list_next(iter)))
		victims.job_id[victims.n++] = job_ptr->job_id;
	list_iterator_destroy(iter);
}

bool sgang_job_test_is_victim(const job_record_t *job_ptr)
{
	for (int i = 0; i < victims.n; i++) {
		if (victims.job_id[i] == job_ptr->job_id)
			return true;
	}
	return job_ptr->preempt_time; /* its grace time is over */
}

/* ---- victims that only hold ---- */

static bool only_holds(job_record_t *job_ptr, struct sgang_spec *spec)
{
	return is_member(job_ptr, spec) &&
	       sgang_conductor_may_yield(sgang_own.conductor, spec,
					 (struct sgang_job *)job_ptr);
}

/* Take the held members out of the list of victims. */
static list_t *holds_among(list_t *victims_list)
{
	list_itr_t *iter = list_iterator_create(victims_list);
	list_t *holds = list_create(NULL);
	struct sgang_spec spec;
	job_record_t *job_ptr;

	while ((job_ptr = list_next(iter))) {
		if (!only_holds(job_ptr, &spec))
			continue;
		list_append(holds, job_ptr);
		list_remove(iter);
	}
	list_iterator_destroy(iter);
	return holds;
}

static void yield(list_t *holds, const job_record_t *to)
{
	struct sgang_spec spec;
	job_record_t *job_ptr;

	while ((job_ptr = list_pop(holds))) {
		if (only_holds(job_ptr, &spec))
			sgang_conductor_yield(sgang_own.conductor, &spec,
					      (struct sgang_job *)job_ptr,
					      to->job_id);
	}
}

/* The job starts now on the nodes that were chosen for it. Nodes that were
 * chosen while other jobs had them are no allocation yet. */
static int start_on_chosen(const struct job_test *t)
{
	bitstr_t *chosen = bit_copy(t->node_bitmap);
	int rc = ask_with_victims(t, NULL);

	if (rc != SLURM_SUCCESS)
		bit_copybits(t->node_bitmap, chosen);
	FREE_NULL_BITMAP(chosen);
	return rc;
}

/* Slurm would end a held member like a running job, with a grace time and two
 * minutes until it may start again, and would start the other job later.
 * Nothing of a held member has to end, so its nodes are given to that job here.
 * If other victims have to end first, the member holds its nodes until they
 * have, or a third job would get them. The job may be refused by a limit even
 * now, and with counted features it is asked for one after the other: then no
 * member may lose its nodes. */
static int take_from_holds(const struct job_test *t)
{
	list_t **list = t->preemptee_job_list;
	list_t *holds;
	int rc = SLURM_SUCCESS;

	if (!list || !*list || !list_count(*list) ||
	    sgang_host_counts_features(t->job_ptr) ||
	    !sgang_host_within_limits(t->job_ptr))
		return rc;
	holds = holds_among(*list);
	if (list_count(*list) || !list_count(holds))
		goto out;
	FREE_NULL_LIST(*list);
	yield(holds, t->job_ptr);
	rc = start_on_chosen(t);
out:
	FREE_NULL_LIST(holds);
	return rc;
}

/* True if the plugin is off, and the job is a member that Slurm would start
 * alone. job_submit/gang parks it a moment later (queue_guard.h), unless
 * records are not laid out as in the headers. Then it can only be refused here,
 * even if it was the first job that was looked at, and is just being submitted.
 */
static bool stays_back(const struct job_test *t)
{
	uint16_t mode = t->mode & SELECT_MODE_BASE;
	struct sgang_spec spec;

	if (!sgang_own.forward_only || mode == SELECT_MODE_WILL_RUN)
		return false;
	if (sgang_own.wrong_layout)
		return sgang_at_work_concerns(t->job_ptr);
	return mode == SELECT_MODE_RUN_NOW && sgang_own.conductor &&
	       sgang_select_records_fit(sgang_layout_tables()) &&
	       sgang_select_records_fit(sgang_layout_jobs(t->job_ptr)) &&
	       names_gang(t->job_ptr, &spec);
}

/* Slurm preempts the victims that are chosen now. */
static void complete_victims(const struct job_test *t)
{
	list_t *chosen = t->preemptee_job_list ? *t->preemptee_job_list : NULL;

	if (t->victims && chosen)
		sgang_victims_complete(t->victims, chosen);
}

static int answer(const struct job_test *t)
{
	int rc;

	switch (t->mode & SELECT_MODE_BASE) {
	case SELECT_MODE_RUN_NOW:
		rc = test_run_now(t);
		complete_victims(t);
		note_victims(t);
		return rc == SLURM_SUCCESS ? take_from_holds(t) : rc;
	case SELECT_MODE_WILL_RUN:
		return test_will_run(t);
	default:
		/* A member was submitted: check soon whether it is the last. */
		if (sgang_own.conf.gangs && sgang_host_concerns(t->job_ptr))
			sgang_conductor_submitted(sgang_own.conductor);
		return ask_stock(t);
	}
}

extern int select_p_job_test(job_record_t *job_ptr, bitstr_t *node_bitmap,
			     uint32_t min_nodes, uint32_t max_nodes,
			     uint32_t req_nodes, uint16_t mode,
			     list_t *preemptee_candidates,
			     list_t **preemptee_job_list,
			     RELEASE_REST_PARAMETERS)
{
	struct job_test t = {
		.job_ptr = job_ptr,
		.node_bitmap = node_bitmap,
		.min_nodes = min_nodes,
		.max_nodes = max_nodes,
		.req_nodes = req_nodes,
		.mode = mode,
		.preemptee_candidates = preemptee_candidates,
		.preemptee_job_list = preemptee_job_list,
		.rest = RELEASE_REST,
	};
	int rc;

	/* a reservation is tested with a dummy job */
	if (!sgang_select_at_work(in_future(&t) ? NULL : job_ptr))
		return stays_back(&t) ?
			       SLURM_ERROR :
			       ask_with_victims(&t, preemptee_candidates);
	switch (sgang_job_test.mode) {
	case SGANG_JOB_TEST_PROBE:
		return test_for_probe(&t);
	case SGANG_JOB_TEST_COMMIT:
		return test_for_commit(&t);
	case SGANG_JOB_TEST_NONE:
		break;
	}
	t.victims = sgang_victims_judge(preemptee_candidates,
					sgang_own.conductor, is_member);
	rc = answer(&t);
	sgang_victims_destroy(t.victims);
	return rc;
}
