/* SPDX-License-Identifier: GPL-2.0-or-later */
/* await.c - wait until jobs or nodes are in a state, or print what they are
 *
 * await SECONDS all STATES ID...       each job is in one of STATES (A|B)
 * await SECONDS none STATES ID...      no job is
 * await SECONDS reason ID TEXT         squeue gives a reason with the text in it
 * await SECONDS record ID WORD N       the number in the job's record of its gang
 *                                      is N or more
 * await SECONDS idle N                 N nodes are idle
 * await SECONDS empty                  no job waits, runs or completes
 * await in STATES ID...                print the ids that are in one of STATES
 * await field NAME ID                  print a field as scontrol show job has it
 * await node NAME NODE                 likewise of a node
 *
 * One process asks slurmctld again and again, which costs a hundredth of what a
 * scontrol each time does. Of an array's id the record with that very id counts,
 * else the first. With 0 seconds it looks once. Exits 1 if it is not so in time;
 * while slurmctld is away it is not so.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "slurm/public.h"

#define PAUSE_FIRST 20 /* milliseconds between two questions, at first */
#define PAUSE_LAST 100

static job_info_msg_t *jobs;

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- what slurmctld has ---- */

/* What scontrol prints of it, to be freed. */
static char *text_of_job(slurm_job_info_t *job)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (f) {
		slurm_print_job_info(f, job, 0);
		fclose(f);
	}
	return text;
}

static char *text_of_node(node_info_t *node)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (f) {
		slurm_print_node_table(f, node, 0);
		fclose(f);
	}
	return text;
}

/* All of them: not each change of a job is one of last_job_update. */
static bool load_jobs(void)
{
	slurm_free_job_info_msg(jobs);
	jobs = NULL;
	return !slurm_load_jobs(0, &jobs, SHOW_ALL);
}

/* Is the task among those that wait, as "3,5-9%2" or "1-9:2"? */
static bool is_task_of(const slurm_job_info_t *job, uint32_t task)
{
	const char *at = job->array_task_id == NO_VAL ? job->array_task_str :
							NULL;

	while (at && *at && *at != '%') {
		char *rest;
		uint32_t from = strtoul(at, &rest, 10), to = from, step = 1;

		if (*rest == '-')
			to = strtoul(rest + 1, &rest, 10);
		if (*rest == ':')
			step = strtoul(rest + 1, &rest, 10);
		if (task >= from && task <= to && step &&
		    (task - from) % step == 0)
			return true;
		if (rest == at)
			return false;
		at = rest + (*rest == ',');
	}
	return false;
}

/* "12", "12_3" of an array, "12+1" of a heterogeneous job. */
static bool is_job(const slurm_job_info_t *job, const char *id)
{
	char *rest;
	uint32_t number = strtoul(id, &rest, 10), part = 0;

	if (*rest)
		part = strtoul(rest + 1, NULL, 10);
	switch (*rest) {
	case '_':
		return job->array_job_id == number &&
		       (job->array_task_id == part || is_task_of(job, part));
	case '+':
		return job->het_job_id == number && job->het_job_offset == part;
	default:
		return public_job_id(job) == number;
	}
}

static slurm_job_info_t *find_job(const char *id)
{
	for (uint32_t i = 0; i < jobs->record_count; i++)
		if (is_job(&jobs->job_array[i], id))
			return &jobs->job_array[i];
	if (strpbrk(id, "_+"))
		return NULL;
	for (uint32_t i = 0; i < jobs->record_count; i++)
		if (jobs->job_array[i].array_job_id == strtoul(id, NULL, 10))
			return &jobs->job_array[i];
	return NULL;
}

/* The last NAME= of a line; it begins a line or follows a blank. */
static char *last_of_line(char *line, const char *name)
{
	size_t len = strlen(name);
	char *found = NULL;

	for (char *at = line; (at = strstr(at, name)); at += len)
		if ((at == line || at[-1] == ' ') && at[len] == '=')
			found = at + len + 1;
	return found;
}

static bool has_blanks(const char *name)
{
	size_t len = strlen(name);

	return (len >= 7 && !strcmp(name + len - 7, "Comment")) ||
	       !strcmp(name, "Command") || !strcmp(name, "WorkDir") ||
	       !strncmp(name, "Std", 3);
}

/* The field in the text that scontrol prints, or NULL. Comments and paths may
 * have blanks and end with their line, other fields not. */
static char *field_of(char *text, const char *name)
{
	char *line, *rest = NULL, *value = NULL;

	for (line = text ? strtok_r(text, "\n", &rest) : NULL; line && !value;
	     line = strtok_r(NULL, "\n", &rest))
		value = last_of_line(line, name);
	if (value && has_blanks(name))
		for (size_t n = strlen(value); n && value[n - 1] == ' ';)
			value[--n] = '\0';
	else if (value)
		value[strcspn(value, " ")] = '\0';
	return value;
}

static bool is_in_list(const char *word, const char *list)
{
	size_t len = strlen(word);

	for (const char *at = list; len && (at = strstr(at, word)); at += len)
		if ((at == list || at[-1] == '|') &&
		    (!at[len] || at[len] == '|'))
			return true;
	return false;
}

static bool is_in(const char *id, const char *states)
{
	slurm_job_info_t *job = find_job(id);
	char *text, *state;
	bool is;

	if (!job)
		return false;
	text = text_of_job(job);
	state = field_of(text, "JobState");
	is = state && is_in_list(state, states);
	free(text);
	return is;
}

/* ---- conditions: true, or not yet ---- */

static bool all_are(char **args)
{
	for (char **id = args + 1; *id; id++)
		if (!is_in(*id, args[0]))
			return false;
	return true;
}

static bool none_is(char **args)
{
	for (char **id = args + 1; *id; id++)
		if (is_in(*id, args[0]))
			return false;
	return true;
}

static bool has_reason(char **args)
{
	slurm_job_info_t *job = find_job(args[0]);
	char *text, *reason;
	bool has;

	if (!job)
		return false;
	if (job->state_desc)
		return strstr(job->state_desc, args[1]);
	text = text_of_job(job);
	reason = field_of(text, "Reason");
	has = reason && strstr(reason, args[1]);
	free(text);
	return has;
}

static bool has_number(char **args)
{
	slurm_job_info_t *job = find_job(args[0]);
	char *record = job && job->system_comment ?
			       strstr(job->system_comment, "gang=") :
			       NULL;
	char *value = record ? last_of_line(record, args[1]) : NULL;

	return (value ? strtoul(value, NULL, 10) : 0) >=
	       strtoul(args[2], NULL, 10);
}

static bool is_empty(char **args)
{
	(void)args;
	for (uint32_t i = 0; i < jobs->record_count; i++)
		if ((jobs->job_array[i].job_state & JOB_STATE_BASE) <
			    JOB_COMPLETE ||
		    jobs->job_array[i].job_state & JOB_COMPLETING)
			return false;
	return true;
}

/* A state of scontrol that sinfo calls idle. There may be no slurmd yet: then it
 * need not answer. */
static bool is_idle(node_info_t *node)
{
	char *text = text_of_node(node);
	char *state = field_of(text, "State"), *rest = NULL;
	char *word = state ? strtok_r(state, "+", &rest) : NULL;
	bool idle = word && !strcmp(word, "IDLE"), off = false, silent = false;

	while (idle && (word = strtok_r(NULL, "+", &rest))) {
		if (is_in_list(word, "POWERED_DOWN|POWERING_UP"))
			off = true;
		else if (!strcmp(word, "NOT_RESPONDING"))
			silent = true;
		else
			idle = is_in_list(word, "CLOUD|DYNAMIC_NORM");
	}
	free(text);
	return idle && (off || !silent);
}

static bool are_idle(char **args)
{
	node_info_msg_t *nodes = NULL;
	unsigned long n = 0;

	if (slurm_load_node(0, &nodes, SHOW_ALL))
		return false;
	for (uint32_t i = 0; i < nodes->record_count; i++)
		n += nodes->node_array[i].name &&
		     is_idle(&nodes->node_array[i]);
	slurm_free_node_info_msg(nodes);
	return n == strtoul(args[0], NULL, 10);
}

static const struct condition {
	const char *name;
	int args; /* at least */
	bool of_jobs;
	bool (*is_so)(char **args);
} conditions[] = {
	{ "all", 1, true, all_are },       { "none", 1, true, none_is },
	{ "reason", 2, true, has_reason }, { "record", 3, true, has_number },
	{ "empty", 0, true, is_empty },    { "idle", 1, false, are_idle },
};

static bool look(const struct condition *condition, char **args)
{
	return (!condition->of_jobs || load_jobs()) && condition->is_so(args);
}

static int await(double seconds, const struct condition *condition, char **args)
{
	int64_t deadline = now_ms() + (int64_t)(seconds * 1000);
	long pause = PAUSE_FIRST;

	while (!look(condition, args)) {
		struct timespec ts = { .tv_nsec = pause * 1000000 };

		if (now_ms() >= deadline)
			return 1;
		nanosleep(&ts, NULL);
		pause = pause * 3 / 2 < PAUSE_LAST ? pause * 3 / 2 : PAUSE_LAST;
	}
	return 0;
}

/* ---- what is printed ---- */

static int print_in(char **args)
{
	const char *blank = "";

	if (!load_jobs())
		return 1;
	for (char **id = args + 1; *id; id++)
		if (is_in(*id, args[0])) {
			printf("%s%s", blank, *id);
			blank = " ";
		}
	puts("");
	return 0;
}

/* scontrol asks for one job, too. */
static int print_field(const char *name, const char *id)
{
	slurm_job_info_t *job;
	char *text, *value;

	if (slurm_load_job(&jobs, public_id_of_job(strtoul(id, NULL, 10)),
			   SHOW_ALL) ||
	    !(job = find_job(id)))
		return 1;
	text = text_of_job(job);
	value = field_of(text, name);
	puts(value ? value : "");
	free(text);
	return 0;
}

static int print_node_field(const char *name, const char *node)
{
	node_info_msg_t *nodes = NULL;
	char *text, *value;

	if (slurm_load_node_single(&nodes, (char *)node, SHOW_ALL) ||
	    !nodes->record_count)
		return 1;
	text = text_of_node(&nodes->node_array[0]);
	value = field_of(text, name);
	if (value)
		puts(value);
	free(text);
	return 0;
}

static int usage(void)
{
	fputs("see the head of await.c\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	char *end;
	double seconds;

	if (argc < 3)
		return usage();
	slurm_init(NULL);
	if (!strcmp(argv[1], "in"))
		return print_in(argv + 2);
	if (!strcmp(argv[1], "field") && argc == 4)
		return print_field(argv[2], argv[3]);
	if (!strcmp(argv[1], "node") && argc == 4)
		return print_node_field(argv[2], argv[3]);
	seconds = strtod(argv[1], &end);
	for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++)
		if (!*end && !strcmp(argv[2], conditions[i].name) &&
		    argc - 3 >= conditions[i].args)
			return await(seconds, &conditions[i], argv + 3);
	return usage();
}
