/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site_conf.c - a cluster as slurm.conf says
 *
 * Keys that do not matter here are passed over without a look at their values:
 * slurmctld has read the file.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "site_private.h"

struct reader {
	struct sgang_site_draft *draft;
	struct sgang_site_draft_node node; /* NodeName=DEFAULT */
	struct shape {
		uint32_t cpus, boards, sockets, cores, threads;
	} shape;
	struct sgang_site_draft_partition partition; /* PartitionName=DEFAULT */
	struct {
		bool linear, cpus, memory, said;
	} select;
	struct sgang_place place; /* of the line at hand */
};

/* ---- nodes ---- */

struct node_line {
	struct reader *reader;
	struct sgang_site_draft_node *node;
	struct shape *shape;
};

static int take_u32(const struct reader *reader, const char *key,
		    const char *value, uint32_t *to)
{
	uint64_t number;

	if (sgang_site_number(key, value, 0, UINT32_MAX - 1, &number,
			      reader->place, reader->draft->err))
		return -1;
	*to = (uint32_t)number;
	return 0;
}

static int take_gres(const struct node_line *line, const char *value)
{
	const struct reader *reader = line->reader;

	if (!sgang_site_gpus(value, &line->node->node.gpus))
		return 0;
	if (errno == ENOMEM)
		return sgang_err_memory(reader->draft->err);
	return sgang_conf_complain(reader->place,
				   "expected Gres=gpu:TYPE:NUMBER, found",
				   value, reader->draft->err);
}

static int take_memory(const struct node_line *line, const char *value)
{
	return sgang_site_number("RealMemory", value, 0, UINT64_MAX,
				 &line->node->node.memory, line->reader->place,
				 line->reader->draft->err);
}

static int take_features(const struct node_line *line, const char *value)
{
	line->node->features = sgang_site_text(line->reader->draft, value);
	return line->node->features ? 0 : -1;
}

/* The number that a key sets; NULL: it sets none. */
static uint32_t *number_of(const struct node_line *line, const char *key)
{
	const struct {
		const char *name;
		uint32_t *number;
	} numbers[] = {
		{ "Boards", &line->shape->boards },
		{ "CoresPerSocket", &line->shape->cores },
		{ "CPUs", &line->shape->cpus },
		{ "Procs", &line->shape->cpus },
		{ "Sockets", &line->shape->sockets },
		{ "SocketsPerBoard", &line->shape->sockets },
		{ "ThreadsPerCore", &line->shape->threads },
		{ "Weight", &line->node->node.weight },
	};
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcasecmp(numbers[i].name, key))
			return numbers[i].number;
	return NULL;
}

static int take_node_key(const struct node_line *line, const char *key,
			 const char *value)
{
	uint32_t *number = number_of(line, key);

	if (number)
		return take_u32(line->reader, key, value, number);
	if (!strcasecmp(key, "Gres"))
		return take_gres(line, value);
	if (!strcasecmp(key, "RealMemory"))
		return take_memory(line, value);
	if (!strcasecmp(key, "Feature") || !strcasecmp(key, "Features"))
		return take_features(line, value);
	if (!strcasecmp(key, "State"))
		line->node->future = !strncasecmp(value, "FUTURE", 6);
	return 0;
}

static uint32_t at_least_one(uint32_t number)
{
	return number ? number : 1;
}

/* CPUs= counts more than what the others would give. */
static uint32_t cpus_of(const struct shape *shape)
{
	if (shape->cpus)
		return shape->cpus;
	return at_least_one(shape->boards) * at_least_one(shape->sockets) *
	       at_least_one(shape->cores) * at_least_one(shape->threads);
}

static int next_pair(struct reader *reader, char **text, char **key,
		     char **value)
{
	return sgang_conf_next_pair(text, reader->place, key, value,
				    reader->draft->err);
}

static int read_node(struct reader *reader, const char *name, char *text)
{
	struct sgang_site_draft_node node = reader->node;
	struct shape shape = reader->shape;
	const struct node_line line = { reader, &node, &shape };
	char *key, *value;
	int rc;

	while ((rc = next_pair(reader, &text, &key, &value)) > 0)
		if (take_node_key(&line, key, value))
			return -1;
	if (rc)
		return -1;
	if (!strcasecmp(name, "DEFAULT")) {
		reader->node = node;
		reader->shape = shape;
		return 0;
	}
	node.node.cpus = cpus_of(&shape);
	return sgang_site_add_nodes(reader->draft, name, &node, reader->place);
}

/* ---- partitions and sets of nodes ---- */

static int read_partition(struct reader *reader, const char *name, char *text)
{
	struct sgang_site_draft_partition partition = reader->partition;
	char *key, *value;
	int rc;

	while ((rc = next_pair(reader, &text, &key, &value)) > 0)
		if (sgang_site_partition_key(&partition, key, value,
					     reader->place,
					     reader->draft->err) < 0)
			return -1;
	if (rc)
		return -1;
	if (strcasecmp(name, "DEFAULT")) {
		partition.partition.name = name;
		return sgang_site_add_partition(reader->draft, &partition,
						reader->place);
	}
	partition.nodes = sgang_site_text(reader->draft, partition.nodes);
	if (!partition.nodes)
		return -1;
	reader->partition = partition;
	return 0;
}

static int read_set(struct reader *reader, const char *name, char *text)
{
	struct sgang_site_draft_set set = { name, "", "", 0, NULL };
	char *key, *value;
	int rc;

	while ((rc = next_pair(reader, &text, &key, &value)) > 0) {
		if (!strcasecmp(key, "Nodes"))
			set.nodes = value;
		else if (!strcasecmp(key, "Feature"))
			set.feature = value;
	}
	if (rc)
		return -1;
	return sgang_site_add_set(reader->draft, &set, reader->place);
}

/* ---- scheduling ---- */

static struct sgang_site_scheduling *scheduling_of(const struct reader *reader)
{
	return &reader->draft->site->scheduling;
}

/* The value of "name=value" in a list; NULL: it is not there. */
static const char *value_in(const char *item, const char *name)
{
	size_t length = strlen(name);

	return !strncasecmp(item, name, length) && item[length] == '=' ?
		       item + length + 1 :
		       NULL;
}

/* Of locks and of the time that slurmctld takes, which a replay does not have,
 * and of steps, messages and rights: nothing starts at another time for them. */
static bool changes_nothing(const char *item)
{
	static const char *const names[] = {
		"bb_array_stage_cnt",     "bf_max_time",
		"bf_node_space_size",     "bf_yield_interval",
		"bf_yield_rpc_cnt",       "bf_yield_sleep",
		"build_queue_timeout",    "correspond_after_task_cnt",
		"default_gbytes",         "disable_hetjob_steps",
		"disable_job_shrink",     "enable_hetjob_steps",
		"enable_user_top",        "ignore_prefer_validation",
		"max_array_tasks",        "max_rpc_cnt",
		"max_rpc_count",          "max_sched_time",
		"max_script_size",        "no_backup_scheduling",
		"no_env_cache",           "nohold_on_prolog_fail",
		"requeue_setup_env_fail", "salloc_wait_nodes",
		"sbatch_wait_nodes",      "step_retry_count",
		"step_retry_time",
	};
	size_t length = strcspn(item, "="), i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == length &&
		    !strncasecmp(item, names[i], length))
			return true;
	return false;
}

/* Is it one of "defer,bf_busy_nodes"? */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (; list; list = strchr(list, ',')) {
		list += *list == ',';
		if (!strncasecmp(list, word, length) &&
		    (!list[length] || list[length] == ','))
			return true;
	}
	return false;
}

/* Note the name of a word that is not obeyed, once. */
static int pass_over(const struct reader *reader, const char *item)
{
	struct sgang_site_draft *draft = reader->draft;
	const char *before = draft->site->passed_over;
	char all[1024], name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(item, "="), item);
	if (before && has_word(before, name))
		return 0;
	snprintf(all, sizeof(all), "%s%s%s", before ? before : "",
		 before ? "," : "", name);
	draft->site->passed_over = sgang_site_text(draft, all);
	return draft->site->passed_over ? 0 : -1;
}

static int take_parameter(const struct reader *reader, const char *item)
{
	struct sgang_site_scheduling *to = scheduling_of(reader);
	const struct {
		const char *name;
		uint32_t *number;
		uint32_t unit; /* seconds */
	} numbers[] = {
		{ "bf_interval", &to->bf_interval, 1 },
		{ "bf_job_part_count_reserve", &to->bf_job_part_count_reserve,
		  1 },
		{ "bf_max_job_part", &to->bf_max_job_part, 1 },
		{ "bf_max_job_start", &to->bf_max_job_start, 1 },
		{ "bf_max_job_test", &to->bf_max_job_test, 1 },
		{ "bf_max_job_user", &to->bf_max_job_user, 1 },
		{ "bf_min_age_reserve", &to->bf_min_age_reserve, 1 },
		{ "bf_min_prio_reserve", &to->bf_min_prio_reserve, 1 },
		{ "bf_resolution", &to->bf_resolution, 1 },
		{ "bf_window", &to->bf_window, 60 },
		{ "default_queue_depth", &to->queue_depth, 1 },
		{ "max_job_bf", &to->bf_max_job_test, 1 },
		{ "partition_job_depth", &to->part_depth, 1 },
		{ "sched_interval", &to->interval, 1 },
		{ "sched_max_job_start", &to->max_start, 1 },
	};
	const char *value;
	uint32_t number;
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		value = value_in(item, numbers[i].name);
		if (!value)
			continue;
		if (!strcmp(value, "-1")) { /* never */
			*numbers[i].number = UINT32_MAX;
			return 0;
		}
		if (take_u32(reader, numbers[i].name, value, &number))
			return -1;
		*numbers[i].number = number < UINT32_MAX / numbers[i].unit ?
					     number * numbers[i].unit :
					     UINT32_MAX;
		return 0;
	}
	if (!strcasecmp(item, "bf_continue"))
		to->bf_continue = true;
	else if (*item && !changes_nothing(item))
		return pass_over(reader, item);
	return 0;
}

static int take_parameters(struct reader *reader, const char *key, char *value)
{
	char *item;

	(void)key;
	while ((item = strsep(&value, ",")))
		if (take_parameter(reader, item))
			return -1;
	return 0;
}

static int take_scheduler(struct reader *reader, const char *key, char *value)
{
	(void)key;
	scheduling_of(reader)->backfill = !strcasecmp(value,
						      "sched/backfill") ||
					  !strcasecmp(value, "backfill");
	return 0;
}

static int take_priority(struct reader *reader, const char *key, char *value)
{
	(void)key;
	scheduling_of(reader)->multifactor =
		!strcasecmp(value, "priority/multifactor") ||
		!strcasecmp(value, "multifactor");
	return 0;
}

static int take_favor(struct reader *reader, const char *key, char *value)
{
	(void)key;
	scheduling_of(reader)->favor_small = sgang_site_says_yes(value);
	return 0;
}

static int take_number(struct reader *reader, const char *key, char *value)
{
	struct sgang_site_scheduling *to = scheduling_of(reader);
	const struct {
		const char *name;
		uint32_t *number;
	} numbers[] = {
		{ "KillWait", &to->kill_wait },
		{ "MinJobAge", &to->min_job_age },
		{ "PriorityWeightAge", &to->weight_age },
		{ "PriorityWeightFairshare", &to->weight_fairshare },
		{ "PriorityWeightJobSize", &to->weight_job_size },
		{ "PriorityWeightPartition", &to->weight_partition },
	};
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcasecmp(numbers[i].name, key))
			return take_u32(reader, key, value, numbers[i].number);
	return 0;
}

static int take_age(struct reader *reader, const char *key, char *value)
{
	return sgang_site_time(key, value, &scheduling_of(reader)->max_age,
			       reader->place, reader->draft->err);
}

static int take_decay(struct reader *reader, const char *key, char *value)
{
	return sgang_site_time(key, value, &scheduling_of(reader)->half_life,
			       reader->place, reader->draft->err);
}

static int take_preempt_type(struct reader *reader, const char *key,
			     char *value)
{
	(void)key;
	scheduling_of(reader)->preempts =
		!strcasecmp(value, "preempt/partition_prio") ||
		!strcasecmp(value, "partition_prio");
	return 0;
}

static int take_preempt_mode(struct reader *reader, const char *key,
			     char *value)
{
	(void)key;
	sgang_site_preempt_mode(value, &reader->draft->preempted,
				&reader->draft->requeues);
	return 0;
}

static int take_select(struct reader *reader, const char *key, char *value)
{
	(void)key;
	reader->select.linear = !strcasecmp(value, "select/linear") ||
				!strcasecmp(value, "linear");
	return 0;
}

static int take_select_words(struct reader *reader, const char *key,
			     char *value)
{
	char *item;

	(void)key;
	reader->select.said = true;
	while ((item = strsep(&value, ","))) {
		if (!strncasecmp(item, "CR_CPU", 6) ||
		    !strcasecmp(item, "CR_Core") ||
		    !strcasecmp(item, "CR_Core_Memory") ||
		    !strncasecmp(item, "CR_Socket", 9))
			reader->select.cpus = true;
		if (!strcasecmp(item, "CR_Memory") ||
		    (!strncasecmp(item, "CR_", 3) && strlen(item) > 7 &&
		     !strcasecmp(item + strlen(item) - 7, "_Memory")))
			reader->select.memory = true;
	}
	return 0;
}

static const struct {
	const char *name;
	int (*take)(struct reader *reader, const char *key, char *value);
} keys[] = {
	{ "KillWait", take_number },
	{ "MinJobAge", take_number },
	{ "PreemptMode", take_preempt_mode },
	{ "PreemptType", take_preempt_type },
	{ "PriorityDecayHalfLife", take_decay },
	{ "PriorityFavorSmall", take_favor },
	{ "PriorityMaxAge", take_age },
	{ "PriorityType", take_priority },
	{ "PriorityWeightAge", take_number },
	{ "PriorityWeightFairshare", take_number },
	{ "PriorityWeightJobSize", take_number },
	{ "PriorityWeightPartition", take_number },
	{ "SchedulerParameters", take_parameters },
	{ "SchedulerType", take_scheduler },
	{ "SelectType", take_select },
	{ "SelectTypeParameters", take_select_words },
};

/* ---- lines ---- */

static int take_key(struct reader *reader, const char *key, char *value)
{
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcasecmp(keys[i].name, key))
			return keys[i].take(reader, key, value);
	return 0;
}

static int take_line(void *arg, struct sgang_place place, char *text)
{
	struct reader *reader = arg;
	char *key, *value;
	int rc;

	reader->place = place;
	while ((rc = next_pair(reader, &text, &key, &value)) > 0) {
		if (!strcasecmp(key, "NodeName"))
			return read_node(reader, value, text);
		if (!strcasecmp(key, "PartitionName"))
			return read_partition(reader, value, text);
		if (!strcasecmp(key, "NodeSet"))
			return read_set(reader, value, text);
		if (take_key(reader, key, value))
			return -1;
	}
	return rc;
}

/* What CR_ words come to once all are known. */
static void finish_select(const struct reader *reader)
{
	struct sgang_site_scheduling *to = scheduling_of(reader);

	if (!reader->select.said) {
		to->whole_nodes = reader->select.linear;
		to->counts_memory = !reader->select.linear;
		return;
	}
	to->whole_nodes = reader->select.linear || !reader->select.cpus;
	to->counts_memory = reader->select.memory;
}

int sgang_site_read_conf(struct sgang_site_draft *draft, const char *text,
			 const char *label)
{
	struct reader reader = { .draft = draft };
	const struct sgang_conf_lines lines = {
		.max = SGANG_SITE_FILE_MAX,
		.kind = SGANG_SITE_FILE_KIND,
		.take = take_line,
		.arg = &reader,
	};

	reader.node.node.weight = 1;
	reader.node.features = "";
	sgang_site_partition_init(&reader.partition);
	if (sgang_conf_lines_read(&lines, text, label, draft->err))
		return -1;
	finish_select(&reader);
	return 0;
}
