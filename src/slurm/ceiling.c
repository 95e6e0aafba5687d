/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ceiling.c - the most that an association and a QOS let run at a time */

#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ceiling.h"
#include "draft.h"

/* Data of slurmctld: the plugin can also be opened where there is none. */
#pragma weak acct_db_conn
#pragma weak assoc_mgr_tres_name_array
#pragma weak slurm_conf
#pragma weak slurmctld_tres_cnt

/* What is asked for, and the limits that count for all of it. */
struct asked {
	const slurmdb_assoc_rec_t *assoc;
	const slurmdb_qos_rec_t *qos[2]; /* the first goes before; or NULL */
	uint64_t jobs;
	uint64_t *tres; /* slurmctld_tres_cnt of them */
	char *why;
	size_t size;
};

/* ---- whose limits ---- */

static slurmdb_assoc_rec_t *find_assoc(const job_desc_msg_t *job_desc,
				       const job_record_t *job_ptr,
				       const char *account)
{
	slurmdb_assoc_rec_t *found = NULL;
	slurmdb_assoc_rec_t wanted = {
		.acct = (char *)account,
		.partition = job_ptr->part_ptr->name,
		.uid = job_desc->user_id,
	};

	if (assoc_mgr_fill_in_assoc(acct_db_conn, &wanted,
				    slurm_conf.accounting_storage_enforce,
				    &found, true))
		return NULL;
	return found;
}

static slurmdb_qos_rec_t *find_qos(const job_desc_msg_t *job_desc,
				   slurmdb_assoc_rec_t *assoc)
{
	slurmdb_qos_rec_t wanted = { .name = job_desc->qos };
	slurmdb_qos_rec_t *found = NULL;

	assoc_mgr_get_default_qos_info(assoc, &wanted);
	if (assoc_mgr_fill_in_qos(acct_db_conn, &wanted,
				  slurm_conf.accounting_storage_enforce, &found,
				  true))
		return NULL;
	return found;
}

/* ---- what is asked for ---- */

static void add(struct asked *a, const uint64_t *tres, uint64_t jobs)
{
	a->jobs += jobs;
	for (int i = 0; tres && i < slurmctld_tres_cnt; i++)
		a->tres[i] += tres[i] * jobs;
}

static void add_draft(struct asked *a, job_record_t *job_ptr, uint64_t jobs)
{
	const job_details_t *d = job_ptr->details;
	uint64_t tres[slurmctld_tres_cnt];

	memset(tres, 0, sizeof(tres));
	tres[TRES_ARRAY_CPU] = d->min_cpus;
	tres[TRES_ARRAY_NODE] = d->min_nodes;
	if (job_ptr->bit_flags & JOB_MEM_SET)
		tres[TRES_ARRAY_MEM] = job_get_tres_mem(
			NULL, d->pn_min_memory, d->min_cpus, d->min_nodes,
			job_ptr->part_ptr, job_ptr->gres_list_req, true,
			job_get_sockets_per_node(job_ptr), d->num_tasks);
	release_gres_tres(job_ptr->gres_list_req, d->min_nodes, tres);
	add(a, tres, jobs);
}

/* Nodes that jobs share are counted once. */
static void add_all(struct asked *a, job_record_t *draft,
		    const struct sgang_submit_asked *asked, size_t n)
{
	bool whole = true;

	for (size_t i = 0; i < n; i++) {
		const job_record_t *job_ptr =
			asked[i].job_id ? find_job_record(asked[i].job_id) :
					  draft;

		if (!job_ptr || job_ptr->assoc_ptr != draft->assoc_ptr ||
		    job_ptr->qos_ptr != draft->qos_ptr)
			continue;
		whole = whole && job_ptr->details &&
			release_whole_node(job_ptr->details);
		if (job_ptr == draft)
			add_draft(a, draft, asked[i].members);
		else
			add(a, job_ptr->tres_req_cnt, asked[i].members);
	}
	if (!whole)
		a->tres[TRES_ARRAY_NODE] = 0;
	a->tres[TRES_ARRAY_BILLING] = 0; /* depends on the nodes */
}

/* ---- the limits ---- */

static bool is_set(uint64_t limit)
{
	return limit != INFINITE64 && limit != NO_VAL64;
}

static uint64_t of_jobs(uint32_t limit)
{
	return limit == INFINITE || limit == NO_VAL ? INFINITE64 : limit;
}

static bool above(struct asked *a, uint64_t need, uint64_t limit,
		  const char *limit_name, const char *tres, const char *owner,
		  const char *name)
{
	if (!is_set(limit) || need <= limit)
		return false;
	snprintf(a->why, a->size,
		 "%s=%s%s%" PRIu64 " of %s %s, they need %s%s%" PRIu64,
		 limit_name, tres, tres[0] ? "=" : "", limit, owner, name,
		 tres[0] ? tres : "jobs", "=", need);
	return true;
}

/* One kind of limit of a QOS, of jobs (tres < 0) or of one TRES. */
enum kind { GROUP, USER, ACCOUNT };

static uint64_t qos_limit(const slurmdb_qos_rec_t *qos, enum kind kind,
			  int tres)
{
	const uint64_t *of[] = { qos->grp_tres_ctld, qos->max_tres_pu_ctld,
				 qos->max_tres_pa_ctld };
	const uint32_t jobs[] = { qos->grp_jobs, qos->max_jobs_pu,
				  qos->max_jobs_pa };

	if (tres < 0)
		return of_jobs(jobs[kind]);
	return of[kind] ? of[kind][tres] : INFINITE64;
}

static const char *name_of(int tres)
{
	return tres < 0 ? "" : assoc_mgr_tres_name_array[tres];
}

/* A limit of the first QOS counts before the same one of the second, and both
 * before that of associations. True in 'set': there is one. */
static bool above_qos(struct asked *a, enum kind kind, int tres, bool *set)
{
	static const char *const names[][2] = {
		{ "GrpJobs", "GrpTRES" },
		{ "MaxJobsPerUser", "MaxTRESPerUser" },
		{ "MaxJobsPerAccount", "MaxTRESPerAccount" },
	};
	uint64_t need = tres < 0 ? a->jobs : a->tres[tres];

	for (int i = 0; i < 2 && a->qos[i]; i++) {
		uint64_t limit = qos_limit(a->qos[i], kind, tres);

		if (!is_set(limit))
			continue;
		*set = true;
		return above(a, need, limit, names[kind][tres >= 0],
			     name_of(tres), "QOS", a->qos[i]->name);
	}
	return false;
}

/* Every level of the tree (1.16). */
static bool above_assocs(struct asked *a, int tres)
{
	const slurmdb_assoc_rec_t *assoc = a->assoc;

	for (; assoc; assoc = assoc->usage->parent_assoc_ptr) {
		const char *owner = assoc->user ? "user" : "account";
		const char *name = assoc->user ? assoc->user : assoc->acct;

		if (tres < 0 ?
			    above(a, a->jobs, of_jobs(assoc->grp_jobs),
				  "GrpJobs", "", owner, name) :
			    assoc->grp_tres_ctld &&
				    above(a, a->tres[tres],
					  assoc->grp_tres_ctld[tres], "GrpTRES",
					  name_of(tres), owner, name))
			return true;
		if (!assoc->usage)
			return false;
	}
	return false;
}

static bool above_any(struct asked *a)
{
	bool own = false;

	for (int tres = -1; tres < slurmctld_tres_cnt; tres++) {
		bool group = false;

		if (above_qos(a, GROUP, tres, &group) ||
		    above_qos(a, USER, tres, &own) ||
		    above_qos(a, ACCOUNT, tres, &own) ||
		    (!group && above_assocs(a, tres)))
			return true;
		if (tres < 0 && !own &&
		    above(a, a->jobs, of_jobs(a->assoc->max_jobs), "MaxJobs",
			  "", a->assoc->user ? "user" : "account",
			  a->assoc->user ? a->assoc->user : a->assoc->acct))
			return true;
	}
	return false;
}

/* ---- */

static bool is_above(job_desc_msg_t *job_desc, job_record_t *draft,
		     const char *account,
		     const struct sgang_submit_asked *asked, size_t n,
		     struct asked *a)
{
	slurmdb_qos_rec_t *qos[2] = { NULL, NULL };
	uint64_t tres[slurmctld_tres_cnt];

	memset(tres, 0, sizeof(tres));
	draft->assoc_ptr = find_assoc(job_desc, draft, account);
	if (!draft->assoc_ptr)
		return false;
	draft->qos_ptr = find_qos(job_desc, draft->assoc_ptr);
	acct_policy_set_qos_order(draft, &qos[0], &qos[1]);
	a->assoc = draft->assoc_ptr;
	a->qos[0] = qos[0] ? qos[0] : qos[1];
	a->qos[1] = qos[0] ? qos[1] : NULL;
	a->tres = tres;
	add_all(a, draft, asked, n);
	return above_any(a);
}

/* Of several partitions or QOS, any may let the jobs run. */
bool sgang_ceiling_exceeded(job_desc_msg_t *job_desc, const char *account,
			    const struct sgang_submit_asked *asked, size_t n,
			    char *why, size_t size)
{
	assoc_mgr_lock_t locks = { .assoc = READ_LOCK,
				   .qos = READ_LOCK,
				   .tres = READ_LOCK,
				   .user = READ_LOCK };
	struct asked a = { .why = why, .size = size };
	struct sgang_draft draft;
	bool is = false;

	if (!(slurm_conf.accounting_storage_enforce &
	      ACCOUNTING_ENFORCE_LIMITS) ||
	    xstrchr(job_desc->qos, ',') || !sgang_draft_make(&draft, job_desc))
		return false;
	if (!draft.job.part_ptr_list) {
		assoc_mgr_lock(&locks);
		is = is_above(job_desc, &draft.job, account, asked, n, &a);
		assoc_mgr_unlock(&locks);
	}
	sgang_draft_free(&draft);
	return is;
}
