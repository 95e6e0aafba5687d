/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select.c - the select plugin, as Slurm calls it
 *
 * The file is installed as select_cons_tres.so in a directory that PluginDir
 * names before Slurm's own. It carries the type and id of the stock plugin of
 * that name, loads that one and forwards every call to it. Its own parts are
 * select_p_job_test(), where nodes are chosen and members of gangs are kept
 * back, and a thread in slurmctld, the conductor. If anything is wrong with our
 * own files, the stock plugin goes on alone.
 */

#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "select_private.h"

#include "at_work.h"
#include "draft.h"
#include "freed.h"
#include "host_private.h"
#include "layout.h"
#include "plugins/thread.h"
#include "rows.h"
#include "slurm_tree.h"

/* Slurm looks the entry points up by name; no header declares them. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

const char plugin_name[] = SGANG_BUILT_FOR ", over cons_tres";
const char plugin_type[] = "select/cons_tres";
const uint32_t plugin_id = SELECT_PLUGIN_CONS_TRES;
const uint32_t plugin_version = SLURM_VERSION_NUMBER;
const uint32_t pstate_version = 7;

extern const char *sgang_select_off(void)
{
	if (sgang_own.forward_only)
		return sgang_own.off;
	return sgang_own.configured ? NULL :
				      "slurmctld has not read gang.conf yet";
}

/* ---- what job_submit/gang asks ---- */

/* Nodes that are not there yet, for which MaxNodeCount leaves room in the table
 * or which are FUTURE, may have what the gang lacks. */
static bool nodes_may_come(void)
{
	for (int i = 0; i < node_record_count; i++) {
		if (!node_record_table_ptr[i] ||
		    IS_NODE_FUTURE(node_record_table_ptr[i]))
			return true;
	}
	return false;
}

/* False if a member is gone, or may have nodes of other partitions. */
static bool find_members(const struct sgang_select_member *members, size_t n,
			 struct sgang_draft *draft,
			 struct sgang_never_member *found)
{
	for (size_t i = 0; i < n; i++) {
		job_record_t *job_ptr =
			members[i].job_id ? find_job_record(members[i].job_id) :
					    &draft->job;

		if (!job_ptr || !job_ptr->details ||
		    sgang_host_asked_reservation(job_ptr))
			return false;
		found[i] = (struct sgang_never_member){
			.job = (struct sgang_job *)job_ptr,
			.members = members[i].members,
			.first = members[i].first,
			.draft = job_ptr == &draft->job,
		};
	}
	return true;
}

extern bool sgang_select_never(struct job_descriptor *job_desc,
			       const struct sgang_select_member *members,
			       size_t n, uint32_t spare, uint32_t others,
			       const struct sgang_spec *spec, char *why,
			       size_t size)
{
	struct sgang_never_member *found;
	struct sgang_draft draft;
	bool never;

	if (!sgang_select_at_work(NULL) ||
	    atomic_load(&sgang_own.other_nodes) || nodes_may_come() ||
	    !sgang_draft_make(&draft, job_desc))
		return false;
	sgang_rows_refresh();
	found = xcalloc(n, sizeof(*found));
	never = find_members(members, n, &draft, found) &&
		sgang_conductor_never(sgang_own.conductor, found, n, spare,
				      others, spec, why, size);
	xfree(found);
	sgang_draft_free(&draft);
	return never;
}

extern bool sgang_select_alike(uint32_t job_id, uint32_t other)
{
	job_record_t *a = find_job_record(job_id), *b = find_job_record(other);

	return a && b && a->details && b->details &&
	       sgang_host_same_request((struct sgang_job *)a,
				       (struct sgang_job *)b);
}

extern uint64_t sgang_select_written(void)
{
	return sgang_host_comments;
}

extern uint64_t sgang_select_moved(void)
{
	return sgang_host_moves;
}

/* ---- the conductor's thread ---- */

/* While the plugin stays out a poke must not stand, or the wait would return at
 * once. But the settings may have been read and have poked just now. */
static bool may_conduct(void)
{
	if (!sgang_own.forward_only && sgang_own.configured)
		return true;
	sgang_conductor_ignore(sgang_own.conductor);
	if (sgang_own.forward_only || !sgang_own.configured)
		return false;
	sgang_conductor_poke(sgang_own.conductor);
	return true;
}

/* No pass is made while there are no gangs, but a node may be moved. */
static void look_at_nodes(void)
{
	if (sgang_slurm_tree_touched() && sgang_host_slurm.lock())
		sgang_host_slurm.unlock();
}

/* Members that the first pass has not taken for holds, or for which there is none,
 * go on. */
static void end_recovery(void)
{
	if (!sgang_host_recovered_any() || !sgang_host_slurm.lock())
		return;
	sgang_host_recovered_end();
	sgang_host_slurm.unlock();
}

static void *conduct(void *arg)
{
	(void)arg;
	/* A backup controller that gives back control goes on as a process and
	 * may take over again: the thread ends with the process alone. */
	for (;;) {
		sgang_conductor_wait(sgang_own.conductor);
		sgang_settings_write();
		if (control_time)
			atomic_store(&sgang_host_fresh, false);
		if (may_conduct())
			look_at_nodes();
		if (may_conduct())
			sgang_settings_read_again();
		if (!may_conduct())
			continue;
		/* No gang is placed on nodes that have not been looked up. The
		 * lookup pokes; until then the poke must not stand. */
		if (atomic_load(&sgang_own.other_nodes))
			sgang_conductor_ignore(sgang_own.conductor);
		else
			sgang_conductor_pass(sgang_own.conductor);
		if (!sgang_conductor_is_fresh(sgang_own.conductor))
			end_recovery();
	}
	return NULL;
}

static int start_thread(void)
{
	int rc = sgang_thread_start(&sgang_own.thread, conduct, NULL);

	if (!rc)
		pthread_detach(sgang_own.thread);
	return rc;
}

/* ---- plugin ---- */

extern int init(void)
{
	if (sgang_stock_load(plugin_name) != SLURM_SUCCESS) {
		error("gang: PluginDir=%s has no stock select_cons_tres.so that can be loaded",
		      slurm_conf.plugindir);
		return SLURM_ERROR;
	}
	sgang_host_refresh = sgang_stock.select_nodeinfo_set_all;
	sgang_own.controller = running_in_slurmctld();
	if (!sgang_own.controller)
		return SLURM_SUCCESS;
	sgang_job_test_init();
	sgang_own.conductor = sgang_conductor_create(&sgang_host_slurm);
	if (!sgang_own.conductor)
		sgang_settings_stay_out("no memory");
	else if (start_thread())
		sgang_settings_stay_out(
			"the conductor's thread cannot be started");
	else
		info("gang: " SGANG_BUILT_FOR);
	return SLURM_SUCCESS;
}

/* slurmctld does not call this when it ends, and the thread may be anywhere. */
extern int fini(void)
{
	return SLURM_SUCCESS;
}

/* ---- calls that tell us something on their way ---- */

static void noticed(job_record_t *job_ptr)
{
	atomic_fetch_add(&sgang_events, 1);
	if (sgang_select_at_work(job_ptr) && sgang_host_concerns(job_ptr))
		sgang_conductor_poke(sgang_own.conductor);
}

/* What a job gives back may be what a gang waits for. */
static void freed_by(const job_record_t *job_ptr)
{
	sgang_freed_by(job_ptr);
	sgang_conductor_freed(sgang_own.conductor);
}

extern int select_p_node_init(void)
{
	int rc = sgang_stock.node_init();

	if (!sgang_own.controller || !sgang_own.conductor ||
	    sgang_own.wrong_layout)
		return rc;
	sgang_job_test_forget();
	atomic_fetch_add(&sgang_events, 1);
	/* A start, or a takeover: what was held is in the job records. */
	if (!control_time) {
		sgang_conductor_forget_jobs(sgang_own.conductor);
		atomic_store(&sgang_host_fresh, true);
	}
	/* The saved jobs have been read by now. */
	if (sgang_select_records_fit(sgang_layout_tables()) &&
	    sgang_select_records_fit(
		    sgang_layout_jobs(job_list ? list_peek(job_list) : NULL)))
		sgang_settings_configure();
	return rc;
}

extern int select_p_job_begin(job_record_t *job_ptr)
{
	int rc = sgang_stock.job_begin(job_ptr);

	noticed(job_ptr);
	if (rc || !sgang_select_at_work(job_ptr))
		return rc;
	sgang_conductor_began(sgang_own.conductor, (struct sgang_job *)job_ptr);
	if (!sgang_host_concerns(job_ptr))
		return rc;
	sgang_host_no_expedite(job_ptr);
	sgang_conductor_begins(sgang_own.conductor,
			       (struct sgang_job *)job_ptr);
	return rc;
}

/* slurmctld requeues or cancels a job whose PrologSlurmctld has failed between
 * two counts: no script runs any more, but prolog_running has it still, next to
 * the hold. The same is true for the moment before the script begins. */
static bool prolog_failed(const job_record_t *job_ptr)
{
	return job_ptr->details && job_ptr->details->prolog_running == 2 &&
	       !job_ptr->prep_prolog_cnt;
}

/* The job's state shows it, for some jobs that Slurm requeues for a moment. */
static enum sgang_hold_end end_of_hold(const job_record_t *job_ptr)
{
	switch (job_ptr->job_state & JOB_STATE_BASE) {
	case JOB_NODE_FAIL:
		return SGANG_HOLD_END_NODE;
	case JOB_PREEMPTED:
		return SGANG_HOLD_END_PREEMPTED;
	case JOB_FAILED:
	case JOB_BOOT_FAIL:
	case JOB_TIMEOUT:
	case JOB_DEADLINE:
		return SGANG_HOLD_END_FAILED;
	default:
		break;
	}
	if (sgang_job_test_is_victim(job_ptr))
		return SGANG_HOLD_END_PREEMPTED;
	return prolog_failed(job_ptr) ? SGANG_HOLD_END_FAILED :
					SGANG_HOLD_END_USER;
}

extern int select_p_job_fini(job_record_t *job_ptr)
{
	int rc = sgang_stock.job_fini(job_ptr);

	noticed(job_ptr);
	if (!sgang_select_at_work(job_ptr))
		return rc;
	freed_by(job_ptr);
	if (!sgang_host_concerns(job_ptr))
		return rc;
	sgang_host_unhold_prepared(job_ptr);
	sgang_conductor_ended(sgang_own.conductor, (struct sgang_job *)job_ptr,
			      end_of_hold(job_ptr));
	return rc;
}

extern int select_p_job_expand(job_record_t *from, job_record_t *to)
{
	atomic_fetch_add(&sgang_events, 1);
	return sgang_stock.job_expand(from, to);
}

extern int select_p_job_resized(job_record_t *job_ptr, node_record_t *node_ptr)
{
	int rc = sgang_stock.job_resized(job_ptr, node_ptr);

	atomic_fetch_add(&sgang_events, 1);
	sgang_freed_all();
	return rc;
}

extern int select_p_reconfigure(void)
{
	int rc = sgang_stock.reconfigure();

	atomic_fetch_add(&sgang_events, 1);
	sgang_freed_all();
	/* scontrol create and delete, and slurmd -Z end in this call. */
	sgang_own.node_changes++;
	if (!sgang_select_at_work(NULL))
		return rc;
	if (!control_time)
		sgang_host_recovered_begin();
	if (!sgang_settings_fit_nodes())
		sgang_settings_outdated();
	return rc;
}

/* A held member has nothing to suspend yet, and its hold would be lost. */
extern int select_p_job_suspend(job_record_t *job_ptr, bool indefinite)
{
	bool at_work = sgang_select_at_work(job_ptr);
	int rc;

	if (at_work && sgang_host_concerns(job_ptr) &&
	    sgang_host_slurm.holds.held((struct sgang_job *)job_ptr))
		return ESLURM_TRANSITION_STATE_NO_UPDATE;
	rc = sgang_stock.job_suspend(job_ptr, indefinite);
	if (at_work)
		freed_by(job_ptr);
	return rc;
}

/* ---- calls that only pass through ---- */

#define PASS(type, name, parameters, arguments)    \
	extern type select_p_##name parameters     \
	{                                          \
		return sgang_stock.name arguments; \
	}
RELEASE_PASSED(PASS)
