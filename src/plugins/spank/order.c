/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order.c - the ranks of a gang's job in ring order */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "core/gang/ranks.h"
#include "plugins/spank/order.h"

/* Slurm numbers a step's ranks with 32 bits; nobody has so many. */
#define RANKS_MAX 100000000

/* The effect of an option of srun on the places of the ranks. A number must be
 * the job's own, or the step is another one than all of the job. */
enum effect { NONE, NODES, RANKS, RANKS_PER_NODE, CPUS_PER_RANK };

enum value { NO_VALUE, VALUE, OPTIONAL_VALUE };

/* The options of srun 22.05 with which a step may stand in ring order. To add
 * one: a row here, a case in test_order.c; it must leave alone which nodes the
 * step has and how many ranks are on each. */
static const struct step_option {
	const char *name;
	char letter; /* 0: none */
	enum value value;
	enum effect effect;
} step_options[] = {
	{ "chdir", 'D', VALUE, NONE },
	{ "comment", 0, VALUE, NONE },
	{ "cpu-bind", 0, VALUE, NONE },
	{ "cpus-per-task", 'c', VALUE, CPUS_PER_RANK },
	{ "disable-status", 'X', NO_VALUE, NONE },
	{ "epilog", 0, VALUE, NONE },
	{ "error", 'e', VALUE, NONE },
	{ "exact", 0, NO_VALUE, NONE },
	{ "export", 0, VALUE, NONE },
	{ "gpu-bind", 0, VALUE, NONE },
	{ "input", 'i', VALUE, NONE },
	{ "job-name", 'J', VALUE, NONE },
	{ "kill-on-bad-exit", 'K', OPTIONAL_VALUE, NONE },
	{ "label", 'l', NO_VALUE, NONE },
	{ "mem-bind", 0, VALUE, NONE },
	{ "mpi", 0, VALUE, NONE },
	{ "nodes", 'N', VALUE, NODES },
	{ "ntasks", 'n', VALUE, RANKS },
	{ "ntasks-per-node", 0, VALUE, RANKS_PER_NODE },
	{ "open-mode", 0, VALUE, NONE },
	{ "output", 'o', VALUE, NONE },
	{ "overlap", 0, NO_VALUE, NONE },
	{ "prolog", 0, VALUE, NONE },
	{ "quiet", 'Q', NO_VALUE, NONE },
	{ "quit-on-interrupt", 'q', NO_VALUE, NONE },
	{ "task-epilog", 0, VALUE, NONE },
	{ "task-prolog", 0, VALUE, NONE },
	{ "time", 't', VALUE, NONE },
	{ "unbuffered", 'u', NO_VALUE, NONE },
	{ "verbose", 'v', NO_VALUE, NONE },
	{ "wait", 'W', VALUE, NONE },
};
#define N_STEP_OPTIONS (sizeof(step_options) / sizeof(step_options[0]))

/* Any of them in the environment: somebody has asked for other places, or the
 * step may not have all of the job. */
static const char *const other_wishes[] = {
	"SLURM_ARBITRARY_NODELIST",
	"SLURM_CLUSTERS",
	"SLURM_DISTRIBUTION",
	"SLURM_HET_SIZE",
	"SLURM_HOSTFILE",
	"SLURM_NCORES_PER_SOCKET",
	"SLURM_NO_KILL",
	"SLURM_NSOCKETS_PER_NODE",
	"SLURM_NTASKS_PER_GPU",
	"SLURM_NTASKS_PER_TRES",
	"SLURM_OVERCOMMIT",
	"SLURM_PACK_SIZE",
	"SLURM_SPREAD_JOB",
	"SLURM_SRUN_MULTI",
	"SLURM_THREADS_PER_CORE",
	"SLURM_USE_MIN_NODES",
};

/* The places of a job's ranks. Node listed[where[i]] is the i-th of the ring,
 * and has ranks[where[i]] ranks. */
struct places {
	char **listed;
	size_t n;
	size_t *where;
	uint32_t *ranks;
	uint64_t total;
};

static const char *lookup(char *const *env, const char *name)
{
	size_t length = strlen(name);

	for (; *env; env++)
		if (!strncmp(*env, name, length) && (*env)[length] == '=')
			return *env + length + 1;
	return NULL;
}

static void clear_places(struct places *places)
{
	int saved = errno;

	sgang_hostlist_free(places->listed);
	free(places->where);
	free(places->ranks);
	errno = saved;
}

/* Fill in where the ring goes. */
static int read_ring(struct places *places, const char *ring,
		     struct sgang_error *err)
{
	char **names;
	size_t n;
	int rc;

	if (sgang_hostlist_expand(ring, &names, &n, err))
		return -1;
	if (n == places->n)
		rc = sgang_ranks_order(places->listed, names, n, places->where,
				       err);
	else
		rc = sgang_errf(err, EINVAL,
				"the job has %zu nodes, its part "
				"of the ring %zu",
				places->n, n);
	sgang_hostlist_free(names);
	return rc;
}

/* Without a number of ranks srun starts one on each node. */
static int read_ranks(struct places *places, char *const *env,
		      struct sgang_error *err)
{
	const char *total = lookup(env, "SLURM_NTASKS");
	const char *each = lookup(env, "SLURM_TASKS_PER_NODE");
	uint64_t sum = 0;
	size_t i;

	if (!total) {
		for (i = 0; i < places->n; i++)
			places->ranks[i] = 1;
		places->total = places->n;
		return 0;
	}
	if (sgang_text_number(total, 1, RANKS_MAX, &places->total))
		return sgang_errf(err, EINVAL,
				  "SLURM_NTASKS is no number of "
				  "ranks");
	if (sgang_ranks_read(each ? each : "", places->n, places->ranks, err))
		return -1;
	for (i = 0; i < places->n; i++)
		sum += places->ranks[i];
	if (sum == places->total)
		return 0;
	return sgang_errf(err, EINVAL,
			  "SLURM_TASKS_PER_NODE and SLURM_NTASKS "
			  "do not agree");
}

/* Returns 0 and '*places', to be cleared, or -1 with errno and 'err'. */
static int read_places(char *const *env, struct places *places,
		       struct sgang_error *err)
{
	const char *ring = lookup(env, "SLURM_GANG_MEMBER_NODELIST");
	const char *listed = lookup(env, "SLURM_JOB_NODELIST");
	struct places found = { NULL, 0, NULL, NULL, 0 };

	if (!ring || !listed)
		return sgang_errf(err, ENOENT, "the job is in no gang");
	if (sgang_hostlist_expand(listed, &found.listed, &found.n, err))
		return -1;
	found.where = calloc(found.n, sizeof(*found.where));
	found.ranks = calloc(found.n, sizeof(*found.ranks));
	if (!found.where || !found.ranks) {
		sgang_err_memory(err);
	} else if (!read_ring(&found, ring, err) &&
		   !read_ranks(&found, env, err)) {
		*places = found;
		return 0;
	}
	clear_places(&found);
	return -1;
}

static char *write_places(const struct places *places, struct sgang_error *err)
{
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	for (i = 0; out && i < places->n; i++) {
		size_t node = places->where[i];
		uint32_t rank;

		for (rank = 0; rank < places->ranks[node]; rank++)
			fprintf(out, "%s\n", places->listed[node]);
	}
	text = sgang_text_close(out, &text);
	if (!text)
		sgang_err_memory(err);
	return text;
}

char *sgang_order_hostfile(char *const *env, struct sgang_error *err)
{
	struct places places;
	char *text;

	if (read_places(env, &places, err))
		return NULL;
	text = write_places(&places, err);
	clear_places(&places);
	return text;
}

/* Is the number that was asked for that of the job? */
static bool agrees(enum effect effect, const char *value,
		   const struct places *places, char *const *env)
{
	const char *cpus = lookup(env, "SLURM_CPUS_PER_TASK");
	uint64_t number;

	if (effect == NONE)
		return true;
	if (sgang_text_number(value, 1, RANKS_MAX, &number))
		return false;
	switch (effect) {
	case NODES:
		return number == places->n;
	case RANKS:
		return number == places->total;
	case RANKS_PER_NODE:
		return number * places->n == places->total;
	default:
		return cpus && !strcmp(cpus, value);
	}
}

static const struct step_option *find_option(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < N_STEP_OPTIONS; i++)
		if (strlen(step_options[i].name) == length &&
		    !memcmp(step_options[i].name, name, length))
			return &step_options[i];
	return NULL;
}

static const struct step_option *find_letter(char letter)
{
	size_t i;

	for (i = 0; i < N_STEP_OPTIONS; i++)
		if (step_options[i].letter == letter)
			return &step_options[i];
	return NULL;
}

/* The words of a command line are read as getopt_long() does, without its
 * abbreviations: '*argv' is left at the last word that was used. */
struct reading {
	char *const *argv;
	const struct places *places;
	char *const *env;
	bool nodes; /* --nodes is among them */
};

static bool read_long(struct reading *r)
{
	const char *name = *r->argv + 2;
	size_t length = strcspn(name, "=");
	const struct step_option *option = find_option(name, length);
	const char *value = name[length] ? name + length + 1 : NULL;

	if (!option || (value && option->value == NO_VALUE))
		return false;
	if (option->value == VALUE && !value)
		value = *++r->argv;
	r->nodes |= option->effect == NODES;
	return option->value != VALUE ||
	       (value && agrees(option->effect, value, r->places, r->env));
}

/* "-l", "-ul", "-n4", "-n 4", "-K1" */
static bool read_letters(struct reading *r)
{
	const char *at;

	for (at = *r->argv + 1; *at; at++) {
		const struct step_option *option = find_letter(*at);
		const char *value = at + 1;

		if (!option)
			return false;
		if (option->value == NO_VALUE)
			continue;
		if (option->value == OPTIONAL_VALUE)
			return true;
		if (!*value)
			value = *++r->argv;
		r->nodes |= option->effect == NODES;
		return value &&
		       agrees(option->effect, value, r->places, r->env);
	}
	return true;
}

/* Does a ":" part the command line into the components of a step? */
static bool has_components(char *const *argv)
{
	for (; *argv; argv++)
		if (!strcmp(*argv, ":"))
			return true;
	return false;
}

static bool is_plain(struct reading *r)
{
	if (!*r->argv || has_components(r->argv))
		return false;
	for (r->argv++; *r->argv && (*r->argv)[0] == '-'; r->argv++) {
		if (!strcmp(*r->argv, "--"))
			return true;
		if (!strcmp(*r->argv, "-"))
			return false;
		if (!((*r->argv)[1] == '-' ? read_long(r) : read_letters(r)))
			return false;
	}
	return true;
}

/* The variables that srun reads where no option is given. */
static bool environment_agrees(const struct places *places, char *const *env)
{
	static const struct {
		const char *name;
		enum effect effect;
	} variables[] = {
		{ "SLURM_JOB_NUM_NODES", NODES },
		{ "SLURM_NTASKS_PER_NODE", RANKS_PER_NODE },
		{ "SRUN_CPUS_PER_TASK", CPUS_PER_RANK },
	};
	size_t i;

	for (i = 0; i < sizeof(other_wishes) / sizeof(other_wishes[0]); i++)
		if (lookup(env, other_wishes[i]))
			return false;
	for (i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *value = lookup(env, variables[i].name);

		if (value && !agrees(variables[i].effect, value, places, env))
			return false;
	}
	return true;
}

static bool follows_list(const struct places *places)
{
	size_t i;

	for (i = 0; i < places->n; i++)
		if (places->where[i] != i)
			return false;
	return true;
}

/* Slurm deals blocks so, when it is asked to. */
static bool same_ranks(const struct places *places)
{
	size_t i;

	for (i = 1; i < places->n; i++)
		if (places->ranks[i] != places->ranks[0])
			return false;
	return true;
}

int sgang_order_step(char *const *argv, char *const *env, bool nodes_too,
		     char **hostfile, struct sgang_error *err)
{
	struct places places;
	struct reading reading = { argv, &places, env, false };
	enum sgang_order order = SGANG_ORDER_SLURM;
	char *text = NULL;

	if (read_places(env, &places, err))
		return errno == ENOMEM ? -1 : SGANG_ORDER_SLURM;
	if (!follows_list(&places) && environment_agrees(&places, env) &&
	    is_plain(&reading)) {
		if (lookup(env, "SLURM_GANG_NATIVE_ORDER") &&
		    same_ranks(&places))
			order = SGANG_ORDER_BLOCK;
		else if (!reading.nodes || nodes_too)
			order = SGANG_ORDER_HOSTFILE;
	}
	if (order == SGANG_ORDER_HOSTFILE)
		text = write_places(&places, err);
	clear_places(&places);
	if (order == SGANG_ORDER_HOSTFILE && !text)
		return -1;
	if (text)
		*hostfile = text;
	return order;
}
