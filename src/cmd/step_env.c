/* SPDX-License-Identifier: GPL-2.0-or-later */
/* step_env.c - the environment in which srun starts a step in a member */

#define _GNU_SOURCE /* asprintf(), environ */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/step_env.h"
#include "core/base/text.h"
#include "core/gang/epoch.h"

/* What a user sets for all steps, and for sgang itself. All other variables of
 * Slurm may be about the job in which this runs. */
static const char *const wishes[] = {
	"SLURM_CONF",        "SLURM_CONF_SERVER",  "SLURM_DEBUG",
	"SLURM_EXPORT_ENV",  "SLURM_JWT",          "SLURM_KILL_BAD_EXIT",
	"SLURM_MPI_TYPE",    "SLURM_SACK_KEY",     "SLURM_TASK_EPILOG",
	"SLURM_TASK_PROLOG", "SLURM_UNBUFFEREDIO", "SLURM_WAIT",
};
#define N_WISHES (sizeof(wishes) / sizeof(wishes[0]))

static bool is_named(const char *entry, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(entry, name, n) && entry[n] == '=';
}

static bool is_of_job(const char *entry)
{
	if (strncmp(entry, "SLURM_", 6) && strncmp(entry, "SLURMD_", 7))
		return false;
	for (size_t i = 0; i < N_WISHES; i++)
		if (is_named(entry, wishes[i]))
			return false;
	return true;
}

/* Takes 'entry', which may be NULL. */
static int add(struct sgang_env *env, char *entry, struct sgang_error *err)
{
	char **bigger = entry ? realloc(env->entry,
					(env->n + 2) * sizeof(*bigger)) :
				NULL;

	if (!bigger) {
		free(entry);
		return sgang_err_memory(err);
	}
	env->entry = bigger;
	env->entry[env->n++] = entry;
	env->entry[env->n] = NULL;
	return 0;
}

int sgang_env_set(struct sgang_env *env, const char *name, const char *value,
		  struct sgang_error *err)
{
	char *entry;

	if (asprintf(&entry, "%s=%s", name, value) < 0)
		return sgang_err_memory(err);
	for (size_t i = 0; i < env->n; i++) {
		if (!is_named(env->entry[i], name))
			continue;
		free(env->entry[i]);
		env->entry[i] = entry;
		return 0;
	}
	return add(env, entry, err);
}

static int set_number(struct sgang_env *env, const char *name, uint64_t number,
		      struct sgang_error *err)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	return sgang_env_set(env, name, text, err);
}

/* What is not of a job, and with 'gang' what is of a gang. */
static int copy(struct sgang_env *env, bool gang, struct sgang_error *err)
{
	*env = (struct sgang_env){ .n = 0 };
	for (char **entry = environ; entry && *entry; entry++) {
		bool keep = !is_of_job(*entry) ||
			    (gang && !strncmp(*entry, "SLURM_GANG_", 11)) ||
			    (gang && is_named(*entry, "SLURMD_NODENAME"));

		if (keep && add(env, strdup(*entry), err)) {
			sgang_env_clear(env);
			return -1;
		}
	}
	return 0;
}

int sgang_env_of_nothing(struct sgang_env *env, struct sgang_error *err)
{
	return copy(env, true, err);
}

static const struct sgang_map_member *
member_of(const struct sgang_env_step *step)
{
	return &step->placed->member[step->i];
}

static const struct sgang_alloc *alloc_of(const struct sgang_env_step *step)
{
	return &step->placed->alloc[step->i];
}

static uint64_t ranks_of(const struct sgang_map_member *member)
{
	uint64_t ranks = 0;

	for (size_t i = 0; i < member->n; i++)
		ranks += member->node[i].ranks;
	return ranks;
}

uint64_t sgang_env_tasks(const struct sgang_env_step *step)
{
	const struct sgang_map_member *member = member_of(step);

	return step->per_node ? (uint64_t)step->per_node * member->n :
				ranks_of(member);
}

/* Tasks that are no ranks of the job share the CPUs of their node. */
uint32_t sgang_env_cpus(const struct sgang_env_step *step)
{
	const struct sgang_alloc *alloc = alloc_of(step);
	uint32_t least = UINT32_MAX;

	if (!step->per_node)
		return alloc->cpus_per_rank > 1 ? alloc->cpus_per_rank : 0;
	for (size_t i = 0; i < alloc->n; i++)
		if (alloc->node[i].cpus < least)
			least = alloc->node[i].cpus;
	return least / step->per_node;
}

/* ---- lists ---- */

enum list {
	JOB_NODES, /* in Slurm's order */
	JOB_TASKS, /* of each of these */
	RING,      /* the nodes in the order of the ring */
	LAYOUT,
	GANG_IDS,
	GANG_NODES,
	NODES_PER_MEMBER,
	RANKS_PER_MEMBER,
};

/* So long a list is left out, as slurmctld does. */
#define LIST_MAX 120000

static void write_job(const struct sgang_env_step *step, enum list list,
		      FILE *out)
{
	const struct sgang_map_member *member = member_of(step);
	const struct sgang_alloc *alloc = alloc_of(step);

	for (size_t i = 0; i < alloc->n; i++) {
		uint32_t tasks = step->per_node;

		for (size_t k = 0; !step->per_node && k < member->n; k++)
			if (member->node[k].has == &alloc->node[i])
				tasks = member->node[k].ranks;
		if (list == JOB_NODES)
			fprintf(out, "%s,", alloc->node[i].name);
		else
			fprintf(out, "%" PRIu32 ",", tasks);
	}
}

static void write_ring(const struct sgang_map_member *member, FILE *out)
{
	for (size_t i = 0; i < member->n; i++)
		fprintf(out, "%s,", member->node[i].has->name);
}

static void write_layout(const struct sgang_env_step *step, FILE *out)
{
	const struct sgang_map_member *member = member_of(step);

	for (uint64_t i = 0;
	     member->rank && !step->per_node && i < ranks_of(member); i++)
		fprintf(out, "%" PRIu32 ",", member->rank[i]);
}

static void write_gang(const struct sgang_placed *placed, enum list list,
		       FILE *out)
{
	for (size_t i = 0; i < placed->n; i++) {
		const struct sgang_map_member *member = &placed->member[i];

		if (list == GANG_IDS)
			fprintf(out, "%" PRIu32 ",", member->job_id);
		else if (list == GANG_NODES)
			write_ring(member, out);
		else if (list == NODES_PER_MEMBER)
			fprintf(out, "%zu,", member->n);
		else
			fprintf(out, "%" PRIu64 ",", ranks_of(member));
	}
}

static char *write_list(const struct sgang_env_step *step, enum list list)
{
	char *text = NULL;
	size_t size, n;
	FILE *out = open_memstream(&text, &size);

	if (out && (list == JOB_NODES || list == JOB_TASKS))
		write_job(step, list, out);
	else if (out && list == RING)
		write_ring(member_of(step), out);
	else if (out && list == LAYOUT)
		write_layout(step, out);
	else if (out)
		write_gang(step->placed, list, out);
	text = sgang_text_close(out, &text);
	n = text ? strlen(text) : 0;
	if (n)
		text[n - 1] = '\0'; /* the last comma */
	return text;
}

static int set_lists(struct sgang_env *env, const struct sgang_env_step *step,
		     struct sgang_error *err)
{
	static const struct {
		const char *name;
		enum list list;
	} lists[] = {
		{ "SLURM_JOB_NODELIST", JOB_NODES },
		{ "SLURM_TASKS_PER_NODE", JOB_TASKS },
		{ "SLURM_GANG_MEMBER_NODELIST", RING },
		{ "SLURM_GANG_LAYOUT", LAYOUT },
		{ SGANG_EPOCH_IDS, GANG_IDS },
		{ "SLURM_GANG_NODELIST", GANG_NODES },
		{ SGANG_EPOCH_NODES, NODES_PER_MEMBER },
		{ SGANG_EPOCH_RANKS, RANKS_PER_MEMBER },
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		char *text = write_list(step, lists[i].list);
		int rc = text ? 0 : sgang_err_memory(err);

		if (text && strlen(text) < LIST_MAX)
			rc = sgang_env_set(env, lists[i].name, text, err);
		free(text);
		if (rc)
			return -1;
	}
	return 0;
}

/* ---- single values ---- */

static uint64_t count_nodes(const struct sgang_placed *placed)
{
	uint64_t n = 0;

	for (size_t i = 0; i < placed->n; i++)
		n += placed->member[i].n;
	return n;
}

/* A job that was a spare when it started was told no rank then, and one that
 * started long ago of members that are gone. */
static int set_numbers(struct sgang_env *env, const struct sgang_env_step *step,
		       struct sgang_error *err)
{
	const struct sgang_record *record = &step->placed->job[step->i]->record;
	const struct {
		const char *name;
		uint64_t number;
	} numbers[] = {
		{ "SLURM_JOB_ID", member_of(step)->job_id },
		{ "SLURM_JOB_NUM_NODES", alloc_of(step)->n },
		{ "SLURM_NTASKS", sgang_env_tasks(step) },
		{ SGANG_EPOCH_NUMBER, record->epoch },
		{ "SLURM_GANG_MEMBERS", step->placed->n },
		{ "SLURM_GANG_RANKS", record->ranks },
		{ SGANG_EPOCH_NNODES, count_nodes(step->placed) },
		{ "SLURM_GANG_MEMBER_RANK", record->member_rank },
		{ "SLURM_GANG_RANK_OFFSET", record->rank_offset },
		{ "SLURM_GANG_RUN_OFFSET", step->before },
		{ "SLURM_GANG_RUN_RANKS", step->total },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (set_number(env, numbers[i].name, numbers[i].number, err))
			return -1;
	return sgang_env_cpus(step) ? set_number(env, "SLURM_CPUS_PER_TASK",
						 sgang_env_cpus(step), err) :
				      0;
}

static int set_names(struct sgang_env *env, const struct sgang_env_step *step,
		     struct sgang_error *err)
{
	const struct sgang_record *record = &step->placed->job[step->i]->record;
	const struct sgang_alloc_node *head = step->placed->member->node->has;

	return sgang_env_set(env, "SLURM_GANG_NAME", record->name, err) ||
			       sgang_env_set(env, "SLURM_GANG_NAMESPACE",
					     record->ns, err) ||
			       sgang_env_set(env, "SLURM_GANG_HEAD_NODE",
					     head->name, err) ||
			       sgang_env_set(env, SGANG_EPOCH_HEAD_ADDR,
					     head->address, err) ?
		       -1 :
		       0;
}

int sgang_env_of_step(const struct sgang_env_step *step, struct sgang_env *env,
		      struct sgang_error *err)
{
	if (copy(env, false, err))
		return -1;
	if (!set_numbers(env, step, err) && !set_lists(env, step, err) &&
	    !set_names(env, step, err))
		return 0;
	sgang_env_clear(env);
	return -1;
}

void sgang_env_clear(struct sgang_env *env)
{
	for (size_t i = 0; i < env->n; i++)
		free(env->entry[i]);
	free(env->entry);
	*env = (struct sgang_env){ .n = 0 };
}
