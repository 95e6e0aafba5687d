/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_test.c - select_p_job_test(), where nodes are chosen
 *
 * A member that may not start by itself gets none. For others the nodes that the
 * stock plugin may choose from are those that gangs before them do not need, and
 * first of all those that we would take. What it says is what counts.
 */

#include "config.h"

#include <pthread.h>
#include <stdint.h>

#include "select_private.h"

#include "at_work.h"
#include "core/gang/spec.h"
#include "host_private.h"
#include "inside.h"
#include "layout.h"
#include "plugins/select/placer.h"

/* Commands load the plugin, too, and have no nodes. */
#pragma weak avail_node_bitmap

/* Slurm looks the entry points up by name; no header declares them. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* What backfill last offered to which job, on this thread: when it then starts
 * that job, the gang must keep to what backfill has not reserved for others. */
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

static void keep_nodes(bitstr_t *bitmap, const struct sgang_nodeset *nodes)
{
	bitstr_t *only = bit_alloc(bit_size(bitmap));
	uint32_t size = (uint32_t)bit_size(bitmap);

	for (uint32_t n = sgang_nodeset_next(nodes, 0); n < size;
	     n = sgang_nodeset_next(nodes, n + 1))
		bit_set(only, (bitoff_t)n);
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
};

/* What the job says of its gang; false when it names none. */
static bool names_gang(job_record_t *job_ptr, struct sgang_spec *spec)
{
	return sgang_host_concerns(job_ptr) &&
	       sgang_spec_of_job(spec, job_ptr->spank_job_env,
				 job_ptr->spank_job_env_size,
				 sgang_host_user(job_ptr), NULL) == 1;
}

/* The same; false also while there are no gangs. */
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

/* Would others of its gang lose their work with the job? */
static bool others_need(job_record_t *job_ptr)
{
	struct sgang_spec spec;

	return is_member(job_ptr, &spec) &&
	       !sgang_conductor_last_of_gang(sgang_own.conductor, &spec);
}

/* The candidates whose gang does not need them; NULL if all are such, or none
 * is. */
static list_t *victims_without_gangs(list_t *candidates)
{
	list_itr_t *iter = list_iterator_create(candidates);
	list_t *others = list_create(NULL);
	job_record_t *job_ptr;

	while ((job_ptr = list_next(iter))) {
		if (!others_need(job_ptr))
			list_append(others, job_ptr);
	}
	list_iterator_destroy(iter);
	if (!list_count(others) || list_count(others) == list_count(candidates))
		FREE_NULL_LIST(others);
	return others;
}

/* A member that is preempted leaves the rest of its gang with nothing to do, so
 * members are victims where no others will do. A gang of one has no rest. */
static int ask_stock(const struct job_test *t)
{
	bitstr_t *nodes;
	list_t *others;
	time_t start;
	int rc;

	others = t->preemptee_candidates ?
			 victims_without_gangs(t->preemptee_candidates) :
			 NULL;
	if (!others)
		return ask_with_victims(t, t->preemptee_candidates);
	nodes = bit_copy(t->node_bitmap);
	start = t->job_ptr->start_time;
	rc = ask_with_victims(t, others);
	FREE_NULL_LIST(others);
	if (rc != SLURM_SUCCESS ||
	    ((t->mode & SELECT_MODE_BASE) == SELECT_MODE_WILL_RUN &&
	     t->job_ptr->start_time > time(NULL))) {
		bit_copybits(t->node_bitmap, nodes);
		t->job_ptr->start_time = start;
		if (t->preemptee_job_list)
			FREE_NULL_LIST(*t->preemptee_job_list);
		rc = ask_with_victims(t, t->preemptee_candidates);
	}
	FREE_NULL_BITMAP(nodes);
	return rc;
}

/* When the job would reach its time limit if it started now. */
static int64_t end_if_now(const job_record_t *job_ptr)
{
	uint32_t limit = job_ptr->time_limit;

	if (limit == NO_VAL)
		limit = job_ptr->part_ptr->max_time;
	return (limit == INFINITE) ? INT64_MAX :
				     time(NULL) + (int64_t)limit * 60;
}

/* Keep the job off the nodes on which a gang before it starts while it would
 * run. Returns 0, or when that gang starts. */
static int64_t keep_off(const struct job_test *t, const struct sgang_spec *spec)
{
	struct sgang_standing standing;
	struct sgang_nodeset *nodes;
	int64_t when = 0;

	if (!sgang_conductor_reserves(sgang_own.conductor) ||
	    !t->job_ptr->part_ptr)
		return 0;
	standing.tier = t->job_ptr->part_ptr->priority_tier;
	standing.priority = t->job_ptr->priority;
	standing.job_id = t->job_ptr->array_job_id ? t->job_ptr->array_job_id :
						     t->job_ptr->job_id;
	nodes = nodes_of(t->node_bitmap);
	if (nodes)
		when = sgang_conductor_keep(sgang_own.conductor, &standing,
					    spec, end_if_now(t->job_ptr),
					    nodes);
	if (when)
		keep_nodes(t->node_bitmap, nodes);
	sgang_nodeset_destroy(nodes);
	return when;
}

/* The conductor asks which nodes the job could have. TEST_ONLY must not fail,
 * or the job would be held for ever. */
static int test_for_probe(const struct job_test *t)
{
	bool now = (t->mode & SELECT_MODE_BASE) == SELECT_MODE_RUN_NOW;
	bitstr_t *req = t->job_ptr->details->req_node_bitmap;
	struct sgang_nodeset *nodes, *only;
	struct sgang_spec spec;

	/* Not what a gang before it waits for. */
	if (now && is_member(t->job_ptr, &spec))
		(void)keep_off(t, &spec);
	nodes = nodes_of(t->node_bitmap);

	/* What the user requires is all there is to choose from, unless it may
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
		sgang_host_shape(t->job_ptr, t->min_nodes, t->max_nodes,
				 t->req_nodes, sgang_job_test.shape);
		sgang_job_test.asked = true;
	}
	sgang_nodeset_destroy(nodes);
	return now ? SLURM_ERROR : SLURM_SUCCESS;
}

/* Does it need each of the nodes it is offered, and can it make no difference
 * in which order Slurm takes them? */
static bool needs_all(const struct job_test *t)
{
	uint32_t n = (uint32_t)bit_set_count(t->node_bitmap);

	return n == t->min_nodes && !t->job_ptr->details->req_node_bitmap &&
	       !t->job_ptr->req_switch &&
	       (n == 1 || (!t->job_ptr->details->contiguous &&
			   release_whole_node(t->job_ptr->details)));
}

/* Where nothing is left to choose the stock plugin need not look at every
 * switch of the cluster, with bitmaps of all nodes, for each member. It does
 * not for nodes that are required, in a job that is indifferent to switches.
 * Where it refuses, it is asked without: then GRES may be taken from anywhere.
 */
static int ask_for_all(const struct job_test *t)
{
	job_details_t *d = t->job_ptr->details;
	uint16_t contiguous = d->contiguous;
	bitstr_t *nodes;
	int rc;

	if (!needs_all(t))
		return ask_stock(t);
	nodes = bit_copy(t->node_bitmap);
	d->req_node_bitmap = bit_copy(nodes);
	d->contiguous = 1;
	rc = ask_stock(t);
	FREE_NULL_BITMAP(d->req_node_bitmap);
	d->contiguous = contiguous;
	if (rc != SLURM_SUCCESS) {
		bit_copybits(t->node_bitmap, nodes);
		rc = ask_stock(t);
	}
	FREE_NULL_BITMAP(nodes);
	return rc;
}

/* Only the cores of the planned islands, and only GPUs that are near to them;
 * or only as many cores as are planned. */
static int ask_confined(const struct job_test *t,
			const struct sgang_bounds *bounds)
{
	struct job_test inside = *t;
	bool bound = t->job_ptr->bit_flags & GRES_ENFORCE_BIND;
	bool bind = bounds->islands && t->job_ptr->gres_list_req;
	int rc;

	inside.rest = release_exclude(
		&t->rest,
		bounds->islands ?
			sgang_inside_others(bounds->nodes, bounds->islands) :
		bounds->spare ?
			sgang_inside_spare(bounds->nodes, bounds->spare) :
			sgang_inside_beyond(bounds->nodes, bounds->cpus));
	if (bind)
		t->job_ptr->bit_flags |= GRES_ENFORCE_BIND;
	rc = ask_for_all(&inside);
	if (bind && !bound)
		t->job_ptr->bit_flags &= ~GRES_ENFORCE_BIND;
	release_free_excluded(&inside.rest);
	return rc;
}

/* A gang has no victims: they would be killed for one member, before it is
 * known whether the others can start. */
static int test_for_commit(const struct job_test *t)
{
	const struct sgang_bounds *bounds = sgang_job_test.bounds;
	uint32_t planned = sgang_nodeset_count(bounds->nodes), n;
	uint32_t least = t->min_nodes;
	struct job_test alone = *t;
	int rc = SLURM_ERROR;

	if ((t->mode & SELECT_MODE_BASE) != SELECT_MODE_RUN_NOW)
		return SLURM_SUCCESS;
	sgang_job_test.asked = true;
	keep_nodes(t->node_bitmap, bounds->nodes);
	n = (uint32_t)bit_set_count(t->node_bitmap);
	alone.preemptee_candidates = NULL;
	/* It would keep a CPU for each node that is aimed at. */
	alone.req_nodes = MIN(t->req_nodes, n);
	/* Slurm offers the lightest nodes first, of which the plan may have
	 * some, and more if that is refused. A range gets all that are planned.
	 */
	if (planned > least && planned <= t->req_nodes)
		alone.min_nodes = least = planned;
	if (n >= least)
		rc = (bounds->islands || bounds->cpus || bounds->spare) ?
			     ask_confined(&alone, bounds) :
			     ask_for_all(&alone);
	sgang_job_test.refused = rc != SLURM_SUCCESS;
	if (rc == SLURM_SUCCESS)
		release_set_flag(t->job_ptr, JOB_CONFIGURING);
	return rc;
}

/* Let the stock plugin choose, but from the nodes we would take; if it cannot,
 * from all. */
static int test_placed(const struct job_test *t)
{
	struct sgang_nodeset *usable = NULL, *chosen = NULL;
	const struct sgang_fabric *fabric = sgang_settings_fabric(t->job_ptr);
	struct job_test confined = *t;
	struct sgang_shape shape;
	time_t start = t->job_ptr->start_time;
	int rc = SLURM_ERROR;

	sgang_host_shape(t->job_ptr, t->min_nodes, t->max_nodes, t->req_nodes,
			 &shape);
	if (!sgang_placer_concerns(fabric, &shape) ||
	    t->job_ptr->details->req_node_bitmap ||
	    t->job_ptr->details->contiguous || t->job_ptr->req_switch)
		return ask_stock(t);
	usable = nodes_of(t->node_bitmap);
	chosen = sgang_nodeset_create(node_record_count);
	if (!usable || !chosen)
		goto out;
	if (!shape.whole)
		(void)sgang_stock.select_nodeinfo_set_all();
	if (!sgang_placer_choose(&sgang_host_slurm, fabric, &sgang_own.conf,
				 (struct sgang_job *)t->job_ptr, &shape, usable,
				 chosen))
		goto out;
	/* Nobody is preempted on these nodes while others may be free. */
	confined.preemptee_candidates = NULL;
	confined.node_bitmap = bit_copy(t->node_bitmap);
	keep_nodes(confined.node_bitmap, chosen);
	rc = ask_stock(&confined);
	/* A start later than now is not what was planned for. */
	if (rc == SLURM_SUCCESS &&
	    (t->mode & SELECT_MODE_BASE) == SELECT_MODE_WILL_RUN &&
	    t->job_ptr->start_time > time(NULL))
		rc = SLURM_ERROR;
	if (rc == SLURM_SUCCESS)
		bit_copybits(t->node_bitmap, confined.node_bitmap);
	FREE_NULL_BITMAP(confined.node_bitmap);
out:
	sgang_nodeset_destroy(usable);
	sgang_nodeset_destroy(chosen);
	if (rc == SLURM_SUCCESS)
		return rc;
	t->job_ptr->start_time = start;
	if (t->preemptee_job_list)
		FREE_NULL_LIST(*t->preemptee_job_list);
	return ask_stock(t);
}

static bool wants_place(const job_record_t *job_ptr)
{
	return sgang_own.conf.placement &&
	       (sgang_own.conf.place_all || sgang_host_concerns(job_ptr));
}

static void look_at(job_record_t *job_ptr)
{
	sgang_conductor_look(sgang_own.conductor, (struct sgang_job *)job_ptr);
}

/* "[a*1&b*1]": backfill offers the nodes of one feature after the other, which
 * bounds nothing. While it does, the list of features is another one. */
static bool counts_features(const job_record_t *job_ptr)
{
	return job_ptr->details->features &&
	       strchr(job_ptr->details->features, '*');
}

/* May the member not start by itself? */
static bool kept_for_gang(const struct job_test *t,
			  const struct sgang_spec *spec)
{
	job_record_t *job_ptr = t->job_ptr;
	bool reserving = !counts_features(job_ptr) &&
			 offered.job_id == job_ptr->job_id && offered.nodes &&
			 sgang_nodeset_size(offered.nodes) ==
				 (uint32_t)node_record_count;
	struct sgang_nodeset *nodes = NULL;
	enum sgang_turn turn;

	if (!reserving) {
		nodes = nodes_of(t->node_bitmap);
		if (!nodes)
			return true;
	}
	look_at(job_ptr);
	turn = sgang_conductor_turn(sgang_own.conductor, spec,
				    job_ptr->priority,
				    reserving ? offered.nodes : nodes,
				    reserving);
	sgang_nodeset_destroy(nodes);
	return turn == SGANG_TURN_TAKEN;
}

/* Keep the job off the nodes of a gang whose turn has come. */
static void fence_off(const struct job_test *t)
{
	struct sgang_nodeset *nodes;

	if (!sgang_conductor_has_turns(sgang_own.conductor))
		return;
	nodes = nodes_of(t->node_bitmap);
	if (nodes && sgang_conductor_fence(sgang_own.conductor,
					   t->job_ptr->priority, nodes))
		keep_nodes(t->node_bitmap, nodes);
	sgang_nodeset_destroy(nodes);
}

/* A member whose gang has started keeps to what the gang asks of the levels.
 * False: its gang has not. */
static bool keep_late(const struct job_test *t, const struct sgang_spec *spec)
{
	struct sgang_nodeset *nodes = nodes_of(t->node_bitmap);
	bool late = nodes &&
		    sgang_conductor_late(sgang_own.conductor, spec, nodes);

	if (late)
		keep_nodes(t->node_bitmap, nodes);
	sgang_nodeset_destroy(nodes);
	return late;
}

static int ask_for_nodes(const struct job_test *t)
{
	return wants_place(t->job_ptr) ? test_placed(t) : ask_stock(t);
}

/* Leave only nodes that are as near as 'level' to the gang. False: there is no
 * gang to be near to. */
static bool keep_near(bitstr_t *bitmap, const struct sgang_spec *spec,
		      uint32_t level)
{
	struct sgang_nodeset *nodes = nodes_of(bitmap);
	bool near = nodes && sgang_conductor_near(sgang_own.conductor, spec,
						  level, nodes);

	if (near)
		keep_nodes(bitmap, nodes);
	sgang_nodeset_destroy(nodes);
	return near;
}

/* Can it start now on these nodes alone, without victims? Then they are chosen
 * from. */
static bool starts_near(const struct job_test *t, bitstr_t *nodes)
{
	struct job_test confined = *t;
	time_t start = t->job_ptr->start_time;

	confined.node_bitmap = nodes;
	confined.preemptee_candidates = NULL;
	if (ask_for_nodes(&confined) == SLURM_SUCCESS &&
	    ((t->mode & SELECT_MODE_BASE) == SELECT_MODE_RUN_NOW ||
	     t->job_ptr->start_time <= time(NULL))) {
		bit_copybits(t->node_bitmap, nodes);
		return true;
	}
	t->job_ptr->start_time = start;
	if (t->preemptee_job_list)
		FREE_NULL_LIST(*t->preemptee_job_list);
	return false;
}

/* The nodes nearest to the gang come first: one level after the other. */
static int ask_near(const struct job_test *t, const struct sgang_spec *spec)
{
	const struct sgang_fabric *fabric = sgang_settings_fabric(t->job_ptr);
	int before = 0, all = bit_set_count(t->node_bitmap), n = 0;
	bool starts = false;

	if (!sgang_own.conf.placement || sgang_fabric_domains(fabric) < 2)
		return ask_for_nodes(t);
	for (uint32_t level = SGANG_LEVEL_NODE;
	     !starts && n < all && level <= sgang_fabric_top_level(fabric);
	     level++) {
		bitstr_t *nodes = bit_copy(t->node_bitmap);

		if (!keep_near(nodes, spec, level))
			level = SGANG_LEVEL_UNCONNECTED;
		n = bit_set_count(nodes);
		if (n > before && n < all && (uint32_t)n >= t->min_nodes)
			starts = starts_near(t, nodes);
		before = n;
		FREE_NULL_BITMAP(nodes);
	}
	return starts ? SLURM_SUCCESS : ask_for_nodes(t);
}

/* For a member of a gang that has started, or any other job. */
static int ask_for_job(const struct job_test *t, const struct sgang_spec *late)
{
	return late ? ask_near(t, late) : ask_for_nodes(t);
}

static int test_run_now(const struct job_test *t)
{
	struct sgang_spec spec;
	bool member = is_member(t->job_ptr, &spec), late;

	/* A definition never runs, even if somebody released it. */
	if (member && (spec.object || kept_for_gang(t, &spec)))
		return SLURM_ERROR;
	fence_off(t);
	(void)keep_off(t, member ? &spec : NULL);
	late = member && keep_late(t, &spec);
	return ask_for_job(t, late ? &spec : NULL);
}

/* Backfill must not plan a start now that would be refused: it would keep the
 * nodes from jobs that end early enough. */
static int will_run_beside(const struct job_test *t,
			   const struct sgang_spec *spec,
			   const struct sgang_spec *late)
{
	struct job_test beside = *t;
	time_t start = t->job_ptr->start_time;
	int64_t when;
	int rc;

	if (!sgang_conductor_reserves(sgang_own.conductor))
		return ask_for_job(t, late);
	beside.node_bitmap = bit_copy(t->node_bitmap);
	when = keep_off(&beside, spec);
	rc = ask_for_job(&beside, late);
	if (!when ||
	    (rc == SLURM_SUCCESS && t->job_ptr->start_time <= time(NULL))) {
		if (rc == SLURM_SUCCESS)
			bit_copybits(t->node_bitmap, beside.node_bitmap);
		FREE_NULL_BITMAP(beside.node_bitmap);
		return rc;
	}
	FREE_NULL_BITMAP(beside.node_bitmap);
	if (t->preemptee_job_list)
		FREE_NULL_LIST(*t->preemptee_job_list);
	t->job_ptr->start_time = start;
	rc = ask_for_job(t, late);
	if (rc == SLURM_SUCCESS && t->job_ptr->start_time < when)
		t->job_ptr->start_time = when;
	return rc;
}

/* What backfill sets aside for a member of a gang should be what is kept for
 * the gang; others would be kept off both. False: it cannot be. */
static bool will_run_kept(const struct job_test *t,
			  const struct sgang_spec *spec)
{
	struct sgang_nodeset *nodes = NULL;
	struct job_test kept = *t;
	time_t start = t->job_ptr->start_time;
	bool does = false;

	if (sgang_conductor_joint_start(sgang_own.conductor, spec))
		nodes = nodes_of(t->node_bitmap);
	if (!nodes || !sgang_conductor_kept(sgang_own.conductor, spec, nodes) ||
	    sgang_nodeset_count(nodes) < t->min_nodes)
		goto out;
	kept.preemptee_candidates = NULL;
	kept.node_bitmap = bit_copy(t->node_bitmap);
	keep_nodes(kept.node_bitmap, nodes);
	does = ask_stock(&kept) == SLURM_SUCCESS;
	if (does)
		bit_copybits(t->node_bitmap, kept.node_bitmap);
	else
		t->job_ptr->start_time = start;
	FREE_NULL_BITMAP(kept.node_bitmap);
out:
	sgang_nodeset_destroy(nodes);
	return does;
}

static void remember_offer(const struct job_test *t)
{
	sgang_nodeset_destroy(offered.nodes);
	offered.nodes = nodes_of(t->node_bitmap);
	offered.job_id = t->job_ptr->job_id;
	pthread_setspecific(offered_key, offered.nodes);
}

/* A gang that has been found not to fit starts when all of it can: backfill
 * then sets nodes aside from that moment on, and lets others use them before.
 */
#define NEVER_SECONDS (365 * 24 * 3600)
static void wait_for_gang(job_record_t *job_ptr, const struct sgang_spec *spec)
{
	int64_t when = sgang_conductor_joint_start(sgang_own.conductor, spec);
	time_t far = time(NULL) + NEVER_SECONDS;

	if (when > far)
		when = far;
	if (job_ptr->start_time < when)
		job_ptr->start_time = when;
}

/* Backfill, and a user's --test-only. A reservation is tested with a job that
 * is no job: nothing of it may be looked at. */
static int test_will_run(const struct job_test *t)
{
	struct sgang_spec spec;
	bool member, late;
	int rc;

	if (find_job_record(t->job_ptr->job_id) != t->job_ptr ||
	    !sgang_select_at_work(t->job_ptr))
		return ask_with_victims(t, t->preemptee_candidates);
	if (!IS_JOB_PENDING(t->job_ptr))
		return ask_stock(t);
	member = is_member(t->job_ptr, &spec);
	if (member && spec.object) {
		/* sgang create asks, to let us know of it: a held job is never
		 * tested otherwise. */
		sgang_conductor_poke(sgang_own.conductor);
		return SLURM_ERROR;
	}
	if (member) {
		look_at(t->job_ptr);
		remember_offer(t);
		sgang_conductor_planned(sgang_own.conductor, t->job_ptr->job_id,
					t->job_ptr->start_time);
	}
	late = member && keep_late(t, &spec);
	rc = (member && will_run_kept(t, &spec)) ?
		     SLURM_SUCCESS :
		     will_run_beside(t, member ? &spec : NULL,
				     late ? &spec : NULL);
	if (member && rc == SLURM_SUCCESS)
		wait_for_gang(t->job_ptr, &spec);
	/* Whatever backfill makes of it, all members are to show one start. */
	if (member && !late)
		sgang_conductor_poke(sgang_own.conductor);
	return rc;
}

/* Those whom the last job that was to start now would replace. Scheduling calls
 * have the job lock, and keep it until they have preempted these. */
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
	return job_ptr->preempt_time; /* its time of grace is over */
}

/* ---- victims that only hold ---- */

static bool only_holds(job_record_t *job_ptr, struct sgang_spec *spec)
{
	return is_member(job_ptr, spec) &&
	       sgang_conductor_may_yield(sgang_own.conductor, spec,
					 (struct sgang_job *)job_ptr);
}

/* Takes them out of the list of victims. */
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

/* The job starts now on the nodes that were chosen for it. What was chosen when
 * others had them is no allocation yet. */
static int start_on_chosen(const struct job_test *t)
{
	bitstr_t *chosen = bit_copy(t->node_bitmap);
	int rc = ask_with_victims(t, NULL);

	if (rc != SLURM_SUCCESS)
		bit_copybits(t->node_bitmap, chosen);
	FREE_NULL_BITMAP(chosen);
	return rc;
}

/* Slurm would end a held member as it ends a job that runs, with a time of
 * grace and two minutes until it may start again, and would start the other job
 * later. There is nothing to end, so its nodes are given to that job here.
 * Where others have to end first it holds on until they have, or somebody else
 * had the nodes. The job may be refused by a limit even now, and with counted
 * features it is asked for one after the other: then nobody is to lose
 * anything. */
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

/* Something keeps us from work, and the job is a member that Slurm would start
 * alone. job_submit/gang parks it a moment later (queue_guard.h), unless
 * records are not laid out as we know them: then it can only be refused here,
 * also when it was the first job that anybody looked at, and is just being
 * submitted. */
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
	bool in_future = (mode & SELECT_MODE_BASE) == SELECT_MODE_WILL_RUN;
	int rc;

	/* a reservation is tested with a job that is none */
	if (!sgang_select_at_work(in_future ? NULL : job_ptr))
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
	switch (mode & SELECT_MODE_BASE) {
	case SELECT_MODE_RUN_NOW:
		rc = test_run_now(&t);
		note_victims(&t);
		return rc == SLURM_SUCCESS ? take_from_holds(&t) : rc;
	case SELECT_MODE_WILL_RUN:
		return test_will_run(&t);
	default:
		/* A member was submitted: see soon whether it is the last. */
		if (sgang_own.conf.gangs && sgang_host_concerns(job_ptr))
			sgang_conductor_submitted(sgang_own.conductor);
		return ask_stock(&t);
	}
}
