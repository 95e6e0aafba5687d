/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_submit.c - job_submit/gang: the functions slurmctld looks up, and its
 * records in the terms of plugins/job_submit
 *
 * slurmctld holds read locks on configuration, jobs, nodes and partitions when
 * it submits, and a write lock on jobs when it modifies. Since 23.02 it lets in
 * several threads that submit; we let in one at a time.
 */

#define _GNU_SOURCE /* dl_iterate_phdr() */

#include "config.h"

#include <dlfcn.h>
#include <link.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "release.h"

#include "at_work.h"
#include "ceiling.h"
#include "core/base/hash.h"
#include "core/gang/question.h"
#include "core/gang/record.h"
#include "kept.h"
#include "layout.h"
#include "plugins/job_submit/job_submit.h"
#include "plugins/job_submit/roll.h"
#include "plugins/log.h"
#include "public.h"
#include "queue_guard.h"

/* Data of slurmctld: the plugin can also be opened where there is none. */
#pragma weak acct_db_conn
#pragma weak cluster_cpus
#pragma weak default_part_loc
#pragma weak fed_mgr_fed_rec
#pragma weak job_list
#pragma weak node_record_count
#pragma weak part_list
#pragma weak slurm_conf

const char plugin_name[] = SGANG_BUILT_FOR ", admission";
const char plugin_type[] = "job_submit/gang";
uint32_t plugin_version = SLURM_VERSION_NUMBER;

int init(void);
int fini(void);
int job_submit(job_desc_msg_t *job_desc, uint32_t submit_uid, char **err_msg);
int job_modify(job_desc_msg_t *job_desc, job_record_t *job_ptr,
	       uint32_t submit_uid);

/* The message that sbatch prints below ours. */
static const int slurm_code[SGANG_SUBMIT_VERDICTS] = {
	[SGANG_SUBMIT_FINE] = SLURM_SUCCESS,
	[SGANG_SUBMIT_UNDEFINED] = SLURM_SUCCESS,
	[SGANG_SUBMIT_IDLE] = SLURM_SUCCESS,
	[SGANG_SUBMIT_INVALID] = EINVAL,
	[SGANG_SUBMIT_OFF] = ESLURM_DISABLED,
	[SGANG_SUBMIT_BROKEN] = ESLURM_DISABLED,
	[SGANG_SUBMIT_UNSUPPORTED] = ESLURM_NOT_SUPPORTED,
	[SGANG_SUBMIT_NOT_YOURS] = ESLURM_ACCESS_DENIED,
	[SGANG_SUBMIT_OBJECT] = ESLURM_NOT_SUPPORTED,
	[SGANG_SUBMIT_ARRAY] = ESLURM_INVALID_ARRAY,
	[SGANG_SUBMIT_NEVER_FITS] = ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE,
	[SGANG_SUBMIT_LIMIT] = ESLURM_ACCOUNTING_POLICY,
	[SGANG_SUBMIT_NO_MEMORY] = ENOMEM,
};

/* Longest name of a user or an account that can be a namespace. */
#define NAME_SIZE 256

/* ---- a Slurm that it was not built for ---- */

/* slurmctld does not start without a plugin that JobSubmitPlugins= names. To
 * let an upgraded Slurm start, this plugin claims the version of whatever Slurm
 * loads it. If that is not its own version, it looks at nothing. */
static bool other_slurm;

/* Callback of dl_iterate_phdr(): stop at a plugin of Slurm, with its version.
 * SPANK plugins may have another version. */
static int version_of_plugin(struct dl_phdr_info *info, size_t size,
			     void *version)
{
	void *file = info->dlpi_name[0] ?
			     dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD) :
			     NULL;
	const char *type = file ? dlsym(file, "plugin_type") : NULL;
	const uint32_t *its = file ? dlsym(file, "plugin_version") : NULL;
	bool found = type && its && strcmp(type, plugin_type) &&
		     strcmp(type, "spank");

	(void)size;
	if (found)
		*(uint32_t *)version = *its;
	if (file)
		dlclose(file);
	return found;
}

/* Runs before Slurm looks at plugin_version. */
__attribute__((constructor)) static void look_at_slurm(void)
{
	uint32_t version;

	if (dl_iterate_phdr(version_of_plugin, &version)) {
		other_slurm = version != plugin_version;
		plugin_version = version;
	}
}

#define VERSION_SIZE 32

/* The version in the form "22.05.8". */
static const char *running_version(char text[VERSION_SIZE])
{
	sgang_at_work_version(plugin_version, text, VERSION_SIZE);
	return text;
}

/* Copy a name. False if it is missing or does not fit. */
static bool copy_name(char name[NAME_SIZE], const char *found)
{
	return found && snprintf(name, NAME_SIZE, "%s", found) < NAME_SIZE;
}

/* ---- what the decision asks of Slurm ---- */

static const char *user_name(uint32_t uid)
{
	static char name[NAME_SIZE];
	char *found = uid_to_string_or_null((uid_t)uid);
	bool known = copy_name(name, found);

	xfree(found);
	return known ? name : NULL;
}

static bool user_id(const char *name, uint32_t *uid)
{
	uid_t owner;
	bool known = uid_from_string(name, &owner) == 0;

	if (known)
		*uid = (uint32_t)owner;
	return known;
}

static bool own_account(const char *name)
{
	slurmdb_assoc_rec_t assoc = { .acct = (char *)name };
	uid_t uid;

	if (uid_from_string(name, &uid))
		return false;
	assoc.uid = uid;
	return assoc_mgr_fill_in_assoc(acct_db_conn, &assoc,
				       ACCOUNTING_ENFORCE_ASSOCS, NULL,
				       false) == SLURM_SUCCESS;
}

/* The last good settings. */
static struct sgang_conf last_conf;
static bool have_last_conf;

static void remember_conf(const struct sgang_conf *conf)
{
	if (have_last_conf)
		sgang_conf_free(&last_conf);
	sgang_conf_copy(&last_conf, conf);
	have_last_conf = true;
}

/* The file that last_conf was read from, as it was; st_ino 0: none. */
static struct stat last_file;

static bool is_unchanged(const struct stat *now)
{
	return have_last_conf && last_file.st_ino &&
	       now->st_ino == last_file.st_ino &&
	       now->st_dev == last_file.st_dev &&
	       now->st_size == last_file.st_size &&
	       now->st_mtim.tv_sec == last_file.st_mtim.tv_sec &&
	       now->st_mtim.tv_nsec == last_file.st_mtim.tv_nsec &&
	       now->st_ctim.tv_sec == last_file.st_ctim.tv_sec &&
	       now->st_ctim.tv_nsec == last_file.st_ctim.tv_nsec;
}

/* Same as in the select plugin: the last good settings stay when the file is
 * broken later. A file that has not changed is not read for each submission. */
static int load_conf(struct sgang_conf *conf, struct sgang_error *err)
{
	char *path = get_extra_conf_path("gang.conf");
	struct stat now = { .st_ino = 0 };
	int rc = 0;

	if (stat(path, &now) < 0) {
		memset(&now, 0, sizeof(now));
		sgang_conf_default(conf);
	} else if (is_unchanged(&now)) {
		xfree(path);
		sgang_conf_copy(conf, &last_conf);
		return 0;
	} else {
		rc = sgang_conf_load(path, conf, err);
	}
	xfree(path);
	if (!rc) {
		remember_conf(conf);
		last_file = now;
	} else if (have_last_conf) {
		sgang_conf_copy(conf, &last_conf);
	} else {
		return -1;
	}
	return 0;
}

/* The last good settings of the process before this one. */
static void load_kept_conf(void)
{
	char *path = sgang_kept_path(SGANG_KEPT_CONF);
	struct sgang_conf conf;

	if (!sgang_conf_load(path, &conf, NULL)) {
		remember_conf(&conf);
		sgang_conf_free(&conf);
	}
	xfree(path);
}

/* True if every job of the partition has its nodes for itself. */
static bool is_exclusive(const part_record_t *part_ptr)
{
	return part_ptr && part_ptr->max_share == 0;
}

/* The tasks a job record stands for. */
static uint32_t task_count(const job_record_t *job_ptr)
{
	if (job_ptr->array_recs && job_ptr->array_recs->task_cnt)
		return job_ptr->array_recs->task_cnt;
	return 1;
}

static void describe_member(job_record_t *job_ptr,
			    struct sgang_submit_member *member)
{
	const job_details_t *details = job_ptr->details;
	bool whole = details && release_whole_node(details);

	*member = (struct sgang_submit_member) {
		.env = job_ptr->spank_job_env,
		.n_env = job_ptr->spank_job_env_size,
		.comment = job_ptr->system_comment,
		.job_id = job_ptr->job_id,
		.submit_time = details ? details->submit_time : 0,
		.uid = job_ptr->user_id,
		.tasks = task_count(job_ptr),
		.throttle = job_ptr->array_recs ?
			    job_ptr->array_recs->max_run_tasks : 0,
		.pending = IS_JOB_PENDING(job_ptr),
		.configuring = IS_JOB_CONFIGURING(job_ptr),
		.partition = job_ptr->partition,
		.account = job_ptr->account,
		.need = {
			.nodes = details ? MAX(details->min_nodes, 1) : 1,
			.cpus = details ? MAX(details->min_cpus, 1) : 1,
			.whole = whole || is_exclusive(job_ptr->part_ptr),
		},
	};
}

static bool may_be_member(const job_record_t *job_ptr)
{
	return !IS_JOB_FINISHED(job_ptr) && job_ptr->spank_job_env_size;
}

static void each_member(sgang_submit_visit_f visit, void *arg)
{
	list_itr_t *iter = list_iterator_create(job_list);
	job_record_t *job_ptr;

	while ((job_ptr = list_next(iter))) {
		struct sgang_submit_member member;

		if (!may_be_member(job_ptr))
			continue;
		describe_member(job_ptr, &member);
		visit(&member, arg);
	}
	list_iterator_destroy(iter);
}

static bool find_member(uint32_t job_id, struct sgang_submit_member *member)
{
	job_record_t *job_ptr = find_job_record(job_id);

	if (!job_ptr || !may_be_member(job_ptr))
		return false;
	describe_member(job_ptr, member);
	return true;
}

/* ---- has anything happened to them ---- */

/* In marks. */
#define MARK_LIVE 1u
#define MARK_ARRAY 2u

/* Other properties of a member are only changed by job_modify(), by the select
 * plugin, or with its partition. A record is large, so no more of it is fetched
 * than must be: a job that is no array never becomes one. */
static uint32_t mark(uint32_t job_id, uint32_t before)
{
	const job_record_t *job_ptr = find_job_record(job_id);
	bool array;
	uint64_t hash;

	if (!job_ptr || IS_JOB_FINISHED(job_ptr))
		return 0;
	hash = sgang_hash(SGANG_HASH_SEED, job_ptr->job_state);
	array = (!before || before & MARK_ARRAY) && job_ptr->array_recs;
	if (array)
		hash = sgang_hash(
			hash, (uint64_t)job_ptr->array_recs->task_cnt << 32 |
				      job_ptr->array_recs->max_run_tasks);
	return ((uint32_t)hash & ~MARK_ARRAY) | MARK_LIVE |
	       (array ? MARK_ARRAY : 0);
}

static int note_exclusive(void *part_ptr, void *hash)
{
	*(uint64_t *)hash = sgang_hash(*(uint64_t *)hash,
				       is_exclusive(part_ptr));
	return 0;
}

/* The number of changes of jobs that were begun. */
static uint64_t modified;

static uint64_t stamp(void)
{
	uint64_t hash = sgang_hash(sgang_at_work_written(), modified);

	list_for_each(part_list, note_exclusive, &hash);
	return hash;
}

/* ---- which jobs may be members ---- */

/* Called with the read lock on jobs that slurmctld holds: no record comes, goes
 * or gets another number meanwhile. */

static uint32_t next_id(void)
{
	uint32_t job_id = get_next_job_id(true);

	return job_id == (uint32_t)SLURM_ERROR ? 0 : job_id;
}

static struct sgang_members_job describe_gang(const job_record_t *job_ptr)
{
	return (struct sgang_members_job){
		.job_id = job_ptr->job_id,
		.uid = job_ptr->user_id,
		.tasks = task_count(job_ptr),
		.gang = sgang_submit_gang(job_ptr->spank_job_env,
					  job_ptr->spank_job_env_size),
	};
}

static bool find_gang(uint32_t job_id, struct sgang_members_job *job)
{
	job_record_t *job_ptr = find_job_record(job_id);

	if (job_ptr)
		*job = describe_gang(job_ptr);
	return job_ptr;
}

static void each_gang(sgang_members_visit_f visit, void *arg)
{
	list_itr_t *iter = list_iterator_create(job_list);
	job_record_t *job_ptr;

	while ((job_ptr = list_next(iter))) {
		struct sgang_members_job job = describe_gang(job_ptr);

		visit(&job, arg);
	}
	list_iterator_destroy(iter);
}

static const struct sgang_members_host numbers = {
	.next_id = next_id,
	.find = find_gang,
	.each = each_gang,
};

/* True if two jobs can be on one CPU: then CPUs cannot be added up. */
static bool shares_cpus(const part_record_t *part_ptr)
{
	return (part_ptr->max_share & ~SHARED_FORCE) > 1;
}

static int note_sharing(void *part_ptr, void *shared)
{
	if (shares_cpus(part_ptr))
		*(bool *)shared = true;
	return 0;
}

static struct sgang_submit_room cluster(void)
{
	struct sgang_submit_room room = {
		.nodes = (uint32_t)node_record_count,
		.cpus = cluster_cpus,
	};
	node_record_t *node_ptr;
	bool shared = false;

	for (int i = 0; (node_ptr = next_node(&i)); i++)
		room.memory += node_ptr->config_ptr->real_memory;
	list_for_each(part_list, note_sharing, &shared);
	if (shared)
		room.cpus = 0;
	return room;
}

/* The job that is submitted. */
static job_desc_msg_t *submitted;

static bool never(const struct sgang_submit_asked *asked, size_t n,
		  uint32_t spare, uint32_t others,
		  const struct sgang_spec *spec, char *why, size_t size)
{
	struct sgang_select_member *members = xcalloc(n, sizeof(*members));
	bool is;

	for (size_t i = 0; i < n; i++)
		members[i] = (struct sgang_select_member){
			.job_id = asked[i].job_id,
			.members = asked[i].members,
			.first = asked[i].first,
		};
	is = sgang_at_work_never(submitted, members, n, spare, others, spec,
				 why, size);
	xfree(members);
	return is;
}

static bool beyond_limits(const char *account,
			  const struct sgang_submit_asked *asked, size_t n,
			  char *why, size_t size)
{
	return sgang_ceiling_exceeded(submitted, account, asked, n, why, size);
}

static struct sgang_submit_host slurm = {
	.user_name = user_name,
	.user_id = user_id,
	.own_account = own_account,
	.load_conf = load_conf,
	.each_member = each_member,
	.member = find_member,
	.mark = mark,
	.stamp = stamp,
	.alike = sgang_at_work_alike,
	.cluster = cluster,
	.never = never,
	.beyond_limits = beyond_limits,
	.barred = sgang_at_work_barred,
};

/* Seconds between two walks over all jobs. A backup controller that takes over
 * finds other jobs, and jobs that are gone are to be forgotten. */
#define WALK_SECONDS 60

static struct sgang_members *members;

/* An admin has requested a job id: that job may come yet, with any number. */
static bool is_numbered;

/* Decide whether the jobs can be known without a look at all of them. Siblings
 * of a federation number their jobs themselves. */
static void choose_members(void)
{
	static uint64_t moved;
	static time_t walked;
	uint64_t moves = sgang_at_work_moved();
	time_t now = time(NULL);

	if (!members)
		members = sgang_members_create(&numbers);
	if (!slurm.rolls)
		slurm.rolls = sgang_rolls_create();
	slurm.members = is_numbered || fed_mgr_fed_rec ? NULL : members;
	if (members && (now - walked >= WALK_SECONDS || now < walked ||
			moves != moved || !slurm.members)) {
		sgang_members_forget(members);
		walked = now;
		moved = moves;
	}
}

/* Slurm refuses a job id that other users request. */
static void note_number(job_desc_msg_t *job_desc, uint32_t submit_uid)
{
	if (public_job_id(job_desc) != NO_VAL &&
	    (!submit_uid || submit_uid == slurm_conf.slurm_user_id))
		is_numbered = true;
}

/* ---- a submitted job in our terms ---- */

/* The account a job is charged to: the one it names, in lower case as Slurm
 * will store it, else the user's default. Returns NULL where there is none. */
static const char *charged_account(const job_desc_msg_t *job_desc)
{
	static char account[NAME_SIZE];
	assoc_mgr_lock_t locks = { .user = READ_LOCK };
	slurmdb_user_rec_t user = { .uid = job_desc->user_id };
	const char *found = job_desc->account;
	bool known;

	assoc_mgr_lock(&locks);
	if (!found || !found[0]) {
		assoc_mgr_fill_in_user(NULL, &user, 0, NULL, true);
		found = user.default_acct;
	}
	known = copy_name(account, found);
	assoc_mgr_unlock(&locks);
	if (!known)
		return NULL;
	xstrtolower(account);
	return account;
}

static uint32_t said(uint32_t value)
{
	return value == NO_VAL || value == INFINITE || !value ? 1 : value;
}

/* The fewest CPUs the job can do with, before slurmctld has normalised its
 * numbers. */
static uint32_t least_cpus(const job_desc_msg_t *job_desc)
{
	uint64_t cpus = MAX(said(job_desc->min_cpus),
			    said(job_desc->min_nodes)),
		 tasks;

	if (job_desc->overcommit == NO_VAL8) {
		tasks = said(job_desc->num_tasks);
		if (job_desc->cpus_per_task != NO_VAL16)
			tasks *= MAX(job_desc->cpus_per_task, 1);
		cpus = MAX(cpus, tasks);
	}
	return (uint32_t)MIN(cpus, UINT32_MAX);
}

/* Fill what depends on the job's partitions. Slurm itself refuses a partition
 * that does not exist, a moment later. */
static void look_at_partitions(const job_desc_msg_t *job_desc,
			       struct sgang_submit_job *job)
{
	bool all_exclusive = true, any_shared = false;
	char *names, *name, *rest = NULL;

	names = xstrdup(job->partition);
	for (name = strtok_r(names, ",", &rest); name;
	     name = strtok_r(NULL, ",", &rest)) {
		part_record_t *part_ptr = find_part_record(name);

		if (!part_ptr)
			continue;
		job->room.nodes = MAX(job->room.nodes, part_ptr->total_nodes);
		job->room.cpus = MAX(job->room.cpus, part_ptr->total_cpus);
		all_exclusive = all_exclusive && is_exclusive(part_ptr);
		any_shared = any_shared || shares_cpus(part_ptr);
	}
	xfree(names);
	job->need.whole = job_desc->shared == JOB_SHARED_NONE || all_exclusive;
	if (any_shared)
		job->room.cpus = 0;
	/* a reservation may have nodes of other partitions */
	if (job_desc->reservation)
		memset(&job->room, 0, sizeof(job->room));
}

static bool has_time_min(const job_desc_msg_t *job_desc)
{
	return job_desc->time_min != NO_VAL && job_desc->time_min;
}

static void describe_job(const job_desc_msg_t *job_desc,
			 struct sgang_submit_job *job)
{
	*job = (struct sgang_submit_job) {
		.env = job_desc->spank_job_env,
		.n_env = job_desc->spank_job_env_size,
		.uid = job_desc->user_id,
		.account = charged_account(job_desc),
		.account_checked = slurm_conf.accounting_storage_enforce &
				   ACCOUNTING_ENFORCE_ASSOCS,
		.array = job_desc->array_inx,
		.held = job_desc->priority == 0,
		.het = job_desc->het_job_offset != NO_VAL,
		.time_min = has_time_min(job_desc),
		.expedited = job_desc->bitflags & RELEASE_EXPEDITED,
		.partition = job_desc->partition,
		.need = {
			.nodes = said(job_desc->min_nodes),
			.cpus = least_cpus(job_desc),
		},
	};
	if (!job->partition && default_part_loc)
		job->partition = default_part_loc->name;
	look_at_partitions(job_desc, job);
}

/* ---- entry points ---- */

/* False if records are not laid out as in the headers: then gangs are off, and
 * the select plugin has logged it. */
static bool records_fit(job_record_t *job_ptr)
{
	return !sgang_layout_tables() && !sgang_layout_jobs(job_ptr);
}

/* Settings that are good now stay, even if the file is broken before the first
 * gang comes. */
int init(void)
{
	struct sgang_conf conf;
	char text[VERSION_SIZE];

	sgang_queue_guard_start(plugin_version);
	if (other_slurm) {
		sgang_log(
			SGANG_LOG_ERROR,
			"slurm-gang was built for another Slurm than this, which is %s: gangs are off until it is built anew",
			running_version(text));
		return SLURM_SUCCESS;
	}
	load_kept_conf();
	if (load_conf(&conf, NULL) == 0)
		sgang_conf_free(&conf);
	return SLURM_SUCCESS;
}

int fini(void)
{
	sgang_queue_guard_stop();
	sgang_members_destroy(members);
	sgang_rolls_destroy(slurm.rolls);
	members = NULL;
	slurm.rolls = NULL;
	return SLURM_SUCCESS;
}

static void tell(char **err_msg, const char *sentence)
{
	if (!err_msg)
		return;
	xfree(*err_msg);
	*err_msg = xstrdup(sentence);
}

/* Refuse a job with options of gangs: alone it must not start. */
static int refuse_off(const char *why, uint32_t submit_uid, char **err_msg)
{
	struct sgang_error err;

	sgang_errf(&err, 0,
		   "gangs are off on this cluster: %s; tell its "
		   "administrator, or submit the job without --gang",
		   why);
	if (err_msg && !*err_msg)
		*err_msg = xstrdup(err.text);
	sgang_log(SGANG_LOG_DEBUG, "job of uid %u refused: gangs are off: %s",
		  submit_uid, why);
	return ESLURM_DISABLED;
}

/* A program that is not one of Slurm's commands, as slurmrestd, has the options
 * of gangs in the script's environment, where they have no effect. */
static int refuse_exported(char **err_msg)
{
	tell(err_msg,
	     "the environment of the job says --gang, which only commands of "
	     "Slurm with slurm-gang's plugin take as an option; in JSON for "
	     "slurmrestd write spank_environment (Slurm 23.02 and later)");
	return slurm_code[SGANG_SUBMIT_INVALID];
}

/* Not even the job can be read as in the headers. */
static int submit_to_unknown(job_desc_msg_t *job_desc, uint32_t submit_uid,
			     char **err_msg)
{
	char version[VERSION_SIZE];
	struct sgang_error why;

	if (!sgang_at_work_concerns(job_desc))
		return SLURM_SUCCESS;
	if (other_slurm)
		sgang_errf(&why, 0,
			   "slurm-gang was built for Slurm " SGANG_SLURM
			   " and this is %s; it must be built anew",
			   running_version(version));
	else
		sgang_errf(&why, 0,
			   "slurmctld's records are not laid out as in "
			   "the headers that slurm-gang was built with");
	return refuse_off(why.text, submit_uid, err_msg);
}

/* A slurmctld without slurm-gang would run it. */
static void take_script(job_desc_msg_t *job_desc)
{
	if (!job_desc->script ||
	    !sgang_spec_is_placeholder(job_desc->spank_job_env,
				       job_desc->spank_job_env_size))
		return;
	xfree(job_desc->script);
	job_desc->script = xstrdup("#!/bin/sh\nexit 0\n");
}

/* A job that is a question is refused with the answer. */
static int answer_question(const char *question, char **err_msg)
{
	char *answer = sgang_at_work_answer(question);
	struct sgang_error why;
	const char *off;
	bool told;

	if (!answer) {
		off = sgang_at_work_off(&told);
		sgang_errf(&why, 0, "gangs are off on this cluster: %s",
			   off ? off : "nothing is known of them");
	}
	tell(err_msg, answer ? answer : why.text);
	free(answer);
	return ESLURM_NOT_SUPPORTED;
}

static int check_submission(job_desc_msg_t *job_desc, uint32_t submit_uid,
			    char **err_msg)
{
	enum sgang_submit_verdict verdict;
	struct sgang_submit_job job;
	struct sgang_error err;

	describe_job(job_desc, &job);
	choose_members();
	submitted = job_desc;
	verdict = sgang_submit_check(&job, &slurm, &err);
	if (slurm_code[verdict] == SLURM_SUCCESS)
		take_script(job_desc);
	if (verdict == SGANG_SUBMIT_FINE)
		return SLURM_SUCCESS;
	tell(err_msg, err.text);
	if (verdict == SGANG_SUBMIT_BROKEN)
		sgang_log(SGANG_LOG_ERROR, "job of uid %u refused: %s",
			  submit_uid, err.text);
	else if (slurm_code[verdict] != SLURM_SUCCESS)
		sgang_log(SGANG_LOG_DEBUG, "job of uid %u refused: %s",
			  submit_uid, err.text);
	return slurm_code[verdict];
}

/* Guards all static data of this file. A thread that waits for it has Slurm's
 * read locks; its holder waits for none of those. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static int submit_one(job_desc_msg_t *job_desc, uint32_t submit_uid,
		      char **err_msg)
{
	const char *off, *question;
	bool told;

	if (other_slurm || !records_fit(list_peek(job_list)))
		return submit_to_unknown(job_desc, submit_uid, err_msg);
	question = sgang_question(job_desc->spank_job_env,
				  job_desc->spank_job_env_size);
	if (question)
		return answer_question(question, err_msg);
	note_number(job_desc, submit_uid);
	if (!sgang_spec_concerns(job_desc->spank_job_env,
				 job_desc->spank_job_env_size))
		return sgang_spec_exported(job_desc->environment,
					   job_desc->env_size) ?
			       refuse_exported(err_msg) :
			       SLURM_SUCCESS;
	off = sgang_at_work_off(&told);
	return off ? refuse_off(off, submit_uid, err_msg) :
		     check_submission(job_desc, submit_uid, err_msg);
}

int job_submit(job_desc_msg_t *job_desc, uint32_t submit_uid, char **err_msg)
{
	int rc, saved = errno;

	pthread_mutex_lock(&one_at_a_time);
	rc = submit_one(job_desc, submit_uid, err_msg);
	pthread_mutex_unlock(&one_at_a_time);
	errno = saved;
	return rc;
}

/* "5" of scontrol update ArrayTaskThrottle=5; 0 lifts the limit. */
static uint32_t new_throttle(const job_desc_msg_t *job_desc)
{
	long limit = job_desc->array_inx ?
			     strtol(job_desc->array_inx, NULL, 10) :
			     0;

	return limit > 0 && limit < INT32_MAX ? (uint32_t)limit : 0;
}

/* While gangs are off a member waits: scontrol must not release it for the
 * moment that Slurm needs to start it. */
static bool would_start(const job_desc_msg_t *job_desc,
			const job_record_t *job_ptr)
{
	bool told;

	return IS_JOB_PENDING(job_ptr) && job_desc->priority == INFINITE &&
	       sgang_at_work_off(&told);
}

/* priority/basic makes a new priority out of a new nice value, also for a held
 * job. */
static bool has_new_priority(const job_desc_msg_t *job_desc)
{
	return (job_desc->priority != NO_VAL && job_desc->priority != 0) ||
	       job_desc->nice != NO_VAL;
}

/* ---- what changes note in the record ---- */

static bool write_record(job_record_t *job_ptr,
			 const struct sgang_record *record)
{
	char *text = sgang_record_format(record, job_ptr->system_comment);

	if (!text)
		return false;
	xfree(job_ptr->system_comment);
	job_ptr->system_comment = xstrdup(text);
	free(text);
	return true;
}

/* ---- sgang requeue ---- */

static bool asks_recall(const job_desc_msg_t *job_desc)
{
	for (uint32_t i = 0; i < job_desc->spank_job_env_size; i++)
		if (!xstrcmp(job_desc->spank_job_env[i], SGANG_RECORD_RECALL))
			return true;
	return false;
}

/* Mark the member as one that is to be requeued with all others of its gang,
 * which the select plugin does when all have the mark. Slurm itself checks the
 * user only later. */
static int recall(job_record_t *job_ptr, uint32_t submit_uid)
{
	struct sgang_record record;

	if (job_ptr->user_id != submit_uid && !validate_operator(submit_uid))
		return ESLURM_ACCESS_DENIED;
	if (!IS_JOB_RUNNING(job_ptr) ||
	    sgang_record_parse(job_ptr->system_comment, &record) != 1)
		return ESLURM_JOB_NOT_RUNNING;
	record.recall = (int64_t)time(NULL);
	return write_record(job_ptr, &record) ? SLURM_SUCCESS : ENOMEM;
}

/* ---- holds of users ---- */

/* While a Prolog runs for a job that no longer has nodes, and afterwards,
 * slurmctld forgets that its user held it, and lets no user release it. */
static void remember_user_hold(const job_desc_msg_t *job_desc,
			       job_record_t *job_ptr, uint32_t submit_uid)
{
	bool operator= validate_operator(submit_uid);
	struct sgang_record record;

	if ((!operator&& job_ptr->user_id != submit_uid) ||
	    sgang_record_parse(job_ptr->system_comment, &record) != 1)
		return;
	if (job_desc->priority == 0 && (operator|| job_ptr->priority)) {
		record.user_hold = (!operator|| job_desc->alloc_sid ==
				     ALLOC_SID_USER_HOLD) &&
				   job_ptr->details &&
				   job_ptr->details->prolog_running;
		(void)write_record(job_ptr, &record);
	}
	if (job_desc->priority == INFINITE && !job_ptr->priority &&
	    record.user_hold &&
	    (job_ptr->state_reason == WAIT_CLEANING ||
	     job_ptr->state_reason == WAIT_HELD))
		job_ptr->state_reason = WAIT_HELD_USER;
}

static int check_change(job_desc_msg_t *job_desc, job_record_t *job_ptr,
			uint32_t submit_uid)
{
	struct sgang_submit_change change = {
		.account = job_desc->account,
		.partition = job_desc->partition,
		.throttle = new_throttle(job_desc),
		.priority = has_new_priority(job_desc),
		.time_min = has_time_min(job_desc),
	};
	enum sgang_submit_verdict verdict;
	struct sgang_submit_member member;
	struct sgang_error err;

	if (asks_recall(job_desc))
		return records_fit(job_ptr) ? recall(job_ptr, submit_uid) :
					      ESLURM_DISABLED;
	if (job_desc->priority != NO_VAL && records_fit(job_ptr))
		remember_user_hold(job_desc, job_ptr, submit_uid);
	/* of what can be changed, these could spoil a gang */
	if ((!change.account && !change.partition && !change.throttle &&
	     !change.priority && !change.time_min) ||
	    !records_fit(job_ptr) ||
	    !sgang_spec_concerns(job_ptr->spank_job_env,
				 job_ptr->spank_job_env_size))
		return SLURM_SUCCESS;
	if (would_start(job_desc, job_ptr))
		return ESLURM_DISABLED;
	describe_member(job_ptr, &member);
	choose_members();
	verdict = sgang_submit_check_change(&member, &change, &slurm, &err);
	/* 22.05 can return only the code to the user */
	if (verdict != SGANG_SUBMIT_FINE)
		sgang_log(SGANG_LOG_INFO,
			  "change of job %u by uid %u refused: "
			  "%s",
			  job_ptr->job_id, submit_uid, err.text);
	return slurm_code[verdict];
}

/* True if the change is laid out as in the headers. In another release it is
 * not. */
static bool change_fits(job_desc_msg_t *job_desc)
{
	return !other_slurm ||
	       (plugin_version >> 8 == SLURM_VERSION_NUMBER >> 8 &&
		xsize(job_desc) == sizeof(*job_desc));
}

int job_modify(job_desc_msg_t *job_desc, job_record_t *job_ptr,
	       uint32_t submit_uid)
{
	int rc = SLURM_SUCCESS;

	pthread_mutex_lock(&one_at_a_time);
	modified++;
	if (change_fits(job_desc))
		rc = check_change(job_desc, job_ptr, submit_uid);
	pthread_mutex_unlock(&one_at_a_time);
	/* slurmctld takes an errno that is left for a mistake in the new
	 * partition, in 24.11 also the EAGAIN of its own read of the request */
	errno = 0;
	return rc;
}
