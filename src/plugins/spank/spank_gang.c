/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spank_gang.c - the SPANK plugin: --gang... in sbatch, salloc and srun
 *
 * SPANK loads it into every command and daemon; which of them it is decides
 * what a hook does:
 *
 *   sbatch, salloc       allocator   options; forget the parent job's gang;
 *                                    refuse a gang where slurmctld has none
 *                                    (in_use.h); --gang-reserve
 *                                    (spank_reserve.h)
 *   srun                 local       the same; as a step it keeps what the job
 *                                    was told about its gang, hears what is
 *                                    new of it, and puts its ranks in ring
 *                                    order where it may
 *   slurmstepd           remote      options, so that Slurm finds them; hide
 *                                    them from what the job starts; write the
 *                                    hostfile of a batch script; keep the file
 *                                    that tells who is in the gang (state.h);
 *                                    tell each task its place in the gang
 *   slurmd, job scripts              nothing
 *
 * The values reach slurmctld in the job's spank_job_env without our doing.
 */

#define _GNU_SOURCE /* environ */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <slurm/slurm.h>
#include <slurm/spank.h>

#include "core/gang/epoch.h"
#include "plugins/log.h"
#include "plugins/spank/cmdline.h"
#include "plugins/spank/hostfile.h"
#include "plugins/spank/in_use.h"
#include "plugins/spank/opts.h"
#include "plugins/spank/order.h"
#include "plugins/spank/spank_reserve.h"
#include "plugins/spank/state.h"
#include "plugins/spank/task.h"

SPANK_PLUGIN(gang, 1)

/* Told to a step whose ranks we put in ring order. */
#define RANK_ORDER "SLURM_GANG_RANK_ORDER"

#define HOSTFILE "SLURM_GANG_HOSTFILE"

/* A file that this process keeps until it ends: srun the hostfile of its step
 * (-1: none), slurmstepd of a batch script the path of the job's (NULL: none).
 */
static int step_hostfile = -1;
static char *job_hostfile;

/* slurmstepd's file of the job; NULL: it is in no gang. */
static struct sgang_state *job_state;

/* libslurm's, which has read slurm.conf. Only its type is public; the public
 * way is a message to slurmctld, which a step should not need. */
extern slurm_conf_t slurm_conf;
#pragma weak slurm_conf

/* An srun inside an allocation starts a step of it. */
static bool is_step(void)
{
	return spank_context() == S_CTX_LOCAL && getenv("SLURM_JOB_ID");
}

/* In a job's batch script or steps, or in the shell of salloc. */
static bool is_inside_job(void)
{
	return getenv("SLURM_JOB_ID") || getenv("SLURM_JOBID") ||
	       getenv("SLURM_GANG_NAME");
}

static void unset_all(bool (*matches)(const char *entry))
{
	char name[256];
	size_t i = 0;

	while (environ && environ[i]) {
		size_t length = strcspn(environ[i], "=");

		if (length >= sizeof(name) || !matches(environ[i])) {
			i++;
			continue;
		}
		memcpy(name, environ[i], length);
		name[length] = '\0';
		/* the entries behind it move up */
		if (unsetenv(name))
			i++;
	}
}

/* Slurm exports a job's options to the job, and takes exported options as
 * defaults: without this a job submitted from inside a gang would join it, and
 * hear of the gang in SLURM_GANG_*. Outside of jobs such a variable was set on
 * purpose and stays. Called before Slurm reads the environment. */
static void forget_parent(void)
{
	if (!is_inside_job())
		return;
	unset_all(sgang_opts_is_option);
	if (!is_step())
		unset_all(sgang_opts_is_told);
}

static int take_option(int slot, const char *value, int remote)
{
	struct sgang_opts_slot option;
	struct sgang_error err;

	/* slurmctld has accepted it long ago */
	if (remote)
		return 0;
	if (sgang_opts_check((size_t)slot, value, &err)) {
		sgang_log(SGANG_LOG_ERROR, "%s", err.text);
		return -1;
	}
	if (is_step() && sgang_opts_slot((size_t)slot, &option))
		sgang_log(SGANG_LOG_ERROR,
			  "--%s is ignored: a step cannot "
			  "join a gang, its job can",
			  option.name);
	return 0;
}

static int register_options(spank_t spank)
{
	struct sgang_opts_slot slot;
	int i;

	for (i = 0; sgang_opts_slot((size_t)i, &slot); i++) {
		struct spank_option option = {
			.name = (char *)slot.name,
			.arginfo = (char *)slot.arg,
			.usage = (char *)slot.help,
			.has_arg = 1,
			.val = i,
			.cb = take_option,
		};

		if (slot.hidden)
			continue;
		/* Slurm copies all of it */
		if (spank_option_register(spank, &option) != ESPANK_SUCCESS) {
			sgang_log(SGANG_LOG_ERROR, "cannot register --%s",
				  slot.name);
			return -1;
		}
	}
	return 0;
}

/* Only 22.05 takes a hostfile for a step with --nodes. */
static bool takes_nodes_too(spank_t spank)
{
	const char *major = NULL;

	return !spank_get_item(spank, S_SLURM_VERSION_MAJOR, &major) && major &&
	       !strcmp(major, "22");
}

/* Let srun find a hostfile, or the distribution, where a user would have put
 * it; it is read while the options are. Whatever fails here, the step goes
 * Slurm's way. */
static void order_step(spank_t spank)
{
	char path[SGANG_HOSTFILE_PATH], *text = NULL;
	char **argv = sgang_cmdline();
	struct sgang_error err;
	int how = argv ? sgang_order_step(argv, environ, takes_nodes_too(spank),
					  &text, &err) :
			 SGANG_ORDER_SLURM;

	if (how == SGANG_ORDER_HOSTFILE)
		step_hostfile = sgang_hostfile_keep(text, path, &err);
	if (how < 0 || (how == SGANG_ORDER_HOSTFILE && step_hostfile < 0))
		sgang_log(SGANG_LOG_INFO,
			  "the ranks of this step are not in "
			  "ring order: %s",
			  err.text);
	if (step_hostfile >= 0)
		setenv("SLURM_HOSTFILE", path, 1);
	if (how == SGANG_ORDER_BLOCK)
		setenv("SLURM_DISTRIBUTION", "block", 1);
	if (how == SGANG_ORDER_BLOCK || step_hostfile >= 0)
		setenv(RANK_ORDER, "ring", 1);
	free(text);
	free(argv);
}

/* The sum of the first n numbers of a list. */
static uint64_t add_first(const char *list, size_t n)
{
	uint64_t sum = 0;

	while (n-- && *list) {
		char *end;

		sum += strtoull(list, &end, 10);
		list = end + (*end == ',');
	}
	return sum;
}

/* The list without its first n items. */
static const char *skip_items(const char *list, uint64_t n)
{
	while (n-- && list[0]) {
		list += strcspn(list, ",");
		list += list[0] == ',';
	}
	return list;
}

static void set_count(const char *name, uint64_t count)
{
	char number[24];

	snprintf(number, sizeof(number), "%" PRIu64, count);
	setenv(name, number, 1);
}

/* 'count' items of a list, as a list of their own. */
static void set_items(const char *name, const char *list, uint64_t before,
		      uint64_t count)
{
	const char *first = skip_items(list, before);
	const char *end = skip_items(first, count);
	char *own = strndup(first, (size_t)(end - first));

	if (!own)
		return;
	own[strlen(own) - (end[0] && end > first)] = '\0';
	setenv(name, own, 1);
	free(own);
}

/* The values of the member with this rank, as the select plugin gives them to one
 * that has a rank when it starts. */
static void take_rank(size_t rank, const char *ranks, const char *counts,
		      const char *nodes, const char *layouts)
{
	uint64_t offset = add_first(ranks, rank);

	set_count("SLURM_GANG_MEMBER_RANK", rank);
	set_count("SLURM_GANG_RANK_OFFSET", offset);
	set_items("SLURM_GANG_MEMBER_NODELIST", nodes, add_first(counts, rank),
		  add_first(skip_items(counts, rank), 1));
	if (layouts)
		set_items("SLURM_GANG_LAYOUT", layouts, offset,
			  add_first(skip_items(ranks, rank), 1));
}

/* A job that was started as a spare may have a member rank by now. */
static void learn_rank(const char *text)
{
	const char *rank = getenv("SLURM_GANG_MEMBER_RANK");
	const char *job = getenv("SLURM_JOB_ID");
	char *ids = sgang_epoch_value(text, SGANG_EPOCH_IDS);
	char *ranks = sgang_epoch_value(text, SGANG_EPOCH_RANKS);
	char *counts = sgang_epoch_value(text, SGANG_EPOCH_NODES);
	char *nodes = sgang_epoch_value(text, "SLURM_GANG_NODELIST");
	char *layouts = sgang_epoch_value(text, SGANG_EPOCH_LAYOUTS);
	const char *list = ids;
	uint32_t id;

	if (rank && !rank[0] && job && ids && ranks && counts && nodes) {
		for (size_t i = 0; sgang_epoch_next_id(&list, &id); i++) {
			if (!id || id != strtoul(job, NULL, 10))
				continue;
			take_rank(i, ranks, counts, nodes, layouts);
			break;
		}
	}
	free(ids);
	free(ranks);
	free(counts);
	free(nodes);
	free(layouts);
}

/* The job was told of its gang when it started; the file on its node knows more
 * than that. */
static void learn_epoch(void)
{
	const char *path = getenv(SGANG_EPOCH_STATE);
	const char *number = getenv(SGANG_EPOCH_NUMBER);
	char *text = path ? sgang_state_read(path) : NULL;

	if (text && number &&
	    sgang_epoch_number(text) > strtoull(number, NULL, 10)) {
		for (size_t i = 0; sgang_epoch_name(i); i++) {
			char *value = sgang_epoch_value(text,
							sgang_epoch_name(i));

			if (value)
				setenv(sgang_epoch_name(i), value, 1);
			free(value);
		}
	}
	if (text)
		learn_rank(text);
	free(text);
}

int slurm_spank_init(spank_t spank, int ac, char **av)
{
	(void)ac;
	(void)av;
	switch (spank_context()) {
	case S_CTX_LOCAL:
		forget_parent();
		unsetenv(RANK_ORDER);
		if (is_step()) {
			learn_epoch();
			order_step(spank);
		}
		return register_options(spank);
	case S_CTX_ALLOCATOR:
		forget_parent();
		sgang_spank_reserve_begin();
		return register_options(spank);
	case S_CTX_REMOTE:
		return register_options(spank);
	default:
		return 0;
	}
}

/* Jobs that a task submits must not find the options in their environment. */
static void hide_options(spank_t spank)
{
	char name[256];
	size_t slot;

	for (slot = 0; sgang_opts_variable(slot, name, sizeof(name)); slot++)
		spank_unsetenv(spank, name);
}

/* The hostfile has been read; the tasks must not inherit it. */
static void forget_hostfile(void)
{
	if (step_hostfile < 0)
		return;
	unsetenv("SLURM_HOSTFILE");
	close(step_hostfile);
	step_hostfile = -1;
}

static bool is_batch_script(spank_t spank)
{
	uint32_t step = 0;

	return !spank_get_item(spank, S_JOB_STEPID, &step) &&
	       step == SLURM_BATCH_SCRIPT;
}

/* Beside the batch script, where the job's user can write nothing. */
static void write_hostfile(spank_t spank)
{
	struct sgang_error err;
	char **env, **argv, *text;
	int argc;
	uid_t uid;
	gid_t gid;

	if (spank_get_item(spank, S_JOB_ENV, &env) ||
	    spank_get_item(spank, S_JOB_ARGV, &argc, &argv) || argc < 1 ||
	    spank_get_item(spank, S_JOB_UID, &uid) ||
	    spank_get_item(spank, S_JOB_GID, &gid))
		return;
	text = sgang_order_hostfile(env, &err);
	if (!text && errno == ENOENT)
		return;
	if (text)
		job_hostfile = sgang_hostfile_write(argv[0], text, uid, gid,
						    &err);
	if (job_hostfile)
		spank_setenv(spank, HOSTFILE, job_hostfile, 1);
	else
		sgang_log(SGANG_LOG_INFO, "no " HOSTFILE ": %s", err.text);
	free(text);
}

/* srun tells a step what distribution it has, and a step in this step would
 * take that as a wish for a hostfile that it does not have. */
static void hide_distribution(spank_t spank)
{
	char order[8];

	if (!spank_getenv(spank, RANK_ORDER, order, sizeof(order)))
		spank_unsetenv(spank, "SLURM_DISTRIBUTION");
}

static const char *find_variable(char **env, const char *name)
{
	size_t n = strlen(name);

	for (; env && *env; env++) {
		if (!strncmp(*env, name, n) && (*env)[n] == '=')
			return *env + n + 1;
	}
	return NULL;
}

static const char *get_variable(void *arg, const char *name)
{
	return find_variable(arg, name);
}

/* SlurmdSpoolDir on this node, as slurmd expands it for what is forwarded to it:
 * its NodeName for both %n and %h. Returns a string the caller frees, or NULL. */
static char *name_spool(const char *node)
{
	const char *p = &slurm_conf ? slurm_conf.slurmd_spooldir : NULL;
	char *spool = NULL;
	size_t size;
	FILE *out = node && p ? open_memstream(&spool, &size) : NULL;

	for (; out && *p; p++) {
		if (*p == '%' && (p[1] == 'n' || p[1] == 'h')) {
			fputs(node, out);
			p++;
		} else {
			fputc(*p, out);
		}
	}
	if (out)
		fclose(out);
	return spool;
}

static void keep_state(spank_t spank)
{
	char **env, *text, *spool = NULL;
	struct sgang_error err;
	uint32_t job_id;
	uid_t uid;
	gid_t gid;

	if (spank_get_item(spank, S_JOB_ENV, &env) ||
	    !find_variable(env, SGANG_EPOCH_NUMBER) ||
	    spank_get_item(spank, S_JOB_ID, &job_id) ||
	    spank_get_item(spank, S_JOB_UID, &uid) ||
	    spank_get_item(spank, S_JOB_GID, &gid))
		return;
	text = sgang_epoch_write(get_variable, env);
	if (text && sgang_epoch_number(text))
		spool = name_spool(getenv("SLURMD_NODENAME"));
	if (spool) {
		job_state = sgang_state_open(spool, job_id, uid, gid,
					     slurm_conf.slurm_user_id, text,
					     &err);
		if (!job_state)
			sgang_log(SGANG_LOG_INFO,
				  "no " SGANG_EPOCH_STATE ": %s", err.text);
	}
	if (job_state)
		spank_setenv(spank, SGANG_EPOCH_STATE,
			     sgang_state_path(job_state), 1);
	else
		spank_unsetenv(spank, SGANG_EPOCH_STATE);
	free(spool);
	free(text);
}

/* By now Slurm has exported what was typed. */
static bool is_option_given(void)
{
	size_t i;

	for (i = 0; environ && environ[i]; i++) {
		if (sgang_opts_is_option(environ[i]))
			return true;
	}
	return false;
}

/* As of a command that refuses an option. */
static int error_code(void)
{
	const char *code = getenv("SLURM_EXIT_ERROR");
	int number = code ? atoi(code) : 0;

	return number ? number : 1;
}

/* A member of a gang that slurmctld would start alone. Of a plugin that is
 * optional in plugstack.conf Slurm takes no refusal here, so the command ends.
 * What --gang-reserve runs needs not ask again. */
static void check_in_use(void)
{
	struct sgang_error err;

	if (!is_option_given() || sgang_spank_reserve_runs() ||
	    !sgang_in_use(&err))
		return;
	sgang_log(SGANG_LOG_ERROR, "%s", err.text);
	fflush(NULL);
	_exit(error_code());
}

int slurm_spank_init_post_opt(spank_t spank, int ac, char **av)
{
	(void)ac;
	(void)av;
	switch (spank_context()) {
	case S_CTX_ALLOCATOR:
		check_in_use();
		return sgang_spank_reserve(spank);
	case S_CTX_LOCAL:
		forget_hostfile();
		if (!is_step())
			check_in_use();
		break;
	case S_CTX_REMOTE:
		hide_options(spank);
		spank_unsetenv(spank, HOSTFILE);
		if (is_batch_script(spank))
			write_hostfile(spank);
		else
			hide_distribution(spank);
		keep_state(spank);
		break;
	default:
		break;
	}
	return 0;
}

static void tell_number(spank_t spank, const char *name, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	spank_setenv(spank, name, text, 1);
}

/* In the task itself, before it becomes its program. What the step was started
 * with may be the place of a task of another step. */
int slurm_spank_task_init(spank_t spank, int ac, char **av)
{
	struct sgang_task task = { .node = getenv("SLURMD_NODENAME") };
	uint64_t node = 0, rank = 0, ranks = 0, offset = 0;
	bool has_node, has_rank, is_run;
	char **env;

	(void)ac;
	(void)av;
	if (!task.node || spank_get_item(spank, S_JOB_ENV, &env) ||
	    !find_variable(env, SGANG_EPOCH_NUMBER) ||
	    spank_get_item(spank, S_TASK_GLOBAL_ID, &task.id))
		return 0;
	task.env = env;
	if (!is_batch_script(spank))
		spank_get_item(spank, S_JOB_TOTAL_TASK_COUNT, &task.tasks);
	/* all of it before the environment moves */
	has_node = sgang_task_node(&task, &node);
	has_rank = sgang_task_rank(&task, &rank);
	is_run = sgang_task_run(&task, &ranks, &offset) && ranks;
	if (has_node)
		tell_number(spank, "SLURM_GANG_NODE_RANK", node);
	else
		spank_unsetenv(spank, "SLURM_GANG_NODE_RANK");
	if (has_rank)
		tell_number(spank, "SLURM_GANG_RANK", rank);
	else
		spank_unsetenv(spank, "SLURM_GANG_RANK");
	if (is_run) {
		tell_number(spank, "SLURM_GANG_RANKS", ranks);
		tell_number(spank, "SLURM_GANG_RANK_OFFSET", offset);
	}
	spank_unsetenv(spank, "SLURM_GANG_RUN_OFFSET");
	spank_unsetenv(spank, "SLURM_GANG_RUN_RANKS");
	return 0;
}

/* slurmstepd calls it before it removes the folder of the batch script, which
 * must then be empty. */
int slurm_spank_exit(spank_t spank, int ac, char **av)
{
	(void)spank;
	(void)ac;
	(void)av;
	if (job_hostfile && unlink(job_hostfile) && errno != ENOENT)
		sgang_log(SGANG_LOG_INFO, "cannot remove %s: %s", job_hostfile,
			  strerror(errno));
	free(job_hostfile);
	job_hostfile = NULL;
	sgang_state_close(job_state);
	job_state = NULL;
	return 0;
}
