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
 * await field NAME ID                  print JobState, NodeList, Partition, Priority,
 *                                      Restarts or SystemComment as scontrol does
 *
 * One process asks slurmctld again and again, which costs a hundredth of what a
 * scontrol each time does. Of an array's id the record with that very id counts,
 * else the first. With 0 seconds it looks once. Exits 1 if it is not so in time;
 * while slurmctld is away it is not so.
 */

#include <signal.h>
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

static const slurm_job_info_t *find_job(const char *id)
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

/* Slurm's words, the flags before what is below them. */
static const char *state_of(const slurm_job_info_t *job)
{
	static const struct {
		uint32_t flag;
		const char *word;
	} flags[] = {
		{ JOB_COMPLETING, "COMPLETING" },
		{ JOB_STAGE_OUT, "STAGE_OUT" },
		{ JOB_CONFIGURING, "CONFIGURING" },
		{ JOB_RESIZING, "RESIZING" },
		{ JOB_REQUEUE, "REQUEUED" },
		{ JOB_REQUEUE_HOLD, "REQUEUE_HOLD" },
		{ JOB_SPECIAL_EXIT, "SPECIAL_EXIT" },
		{ JOB_STOPPED, "STOPPED" },
		{ JOB_SIGNALING, "SIGNALING" },
	};
	static const char *const words[] = {
		[JOB_PENDING] = "PENDING",     [JOB_RUNNING] = "RUNNING",
		[JOB_SUSPENDED] = "SUSPENDED", [JOB_COMPLETE] = "COMPLETED",
		[JOB_CANCELLED] = "CANCELLED", [JOB_FAILED] = "FAILED",
		[JOB_TIMEOUT] = "TIMEOUT",     [JOB_NODE_FAIL] = "NODE_FAIL",
		[JOB_PREEMPTED] = "PREEMPTED", [JOB_BOOT_FAIL] = "BOOT_FAIL",
		[JOB_DEADLINE] = "DEADLINE",   [JOB_OOM] = "OUT_OF_MEMORY",
	};
	uint32_t base = job->job_state & JOB_STATE_BASE;

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (job->job_state & flags[i].flag)
			return flags[i].word;
	return base < sizeof(words) / sizeof(*words) ? words[base] : "?";
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
	const slurm_job_info_t *job = find_job(id);

	return job && is_in_list(state_of(job), states);
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

/* Slurm's own words for the numbers of reasons are those of squeue. */
static bool has_reason(char **args)
{
	const slurm_job_info_t *job = find_job(args[0]);
	char line[1024] = "";
	FILE *f;

	if (!job)
		return false;
	if (job->state_desc && *job->state_desc)
		return strstr(job->state_desc, args[1]);
	snprintf(line, sizeof(line), "squeue -h -r -j '%s' -o %%r", args[0]);
	f = popen(line, "r");
	line[0] = '\0';
	if (f) {
		if (!fgets(line, sizeof(line), f))
			line[0] = '\0';
		pclose(f);
	}
	return strstr(line, args[1]);
}

static bool has_number(char **args)
{
	const slurm_job_info_t *job = find_job(args[0]);
	const char *at = job && job->system_comment ?
				 strstr(job->system_comment, "gang=") :
				 NULL;
	size_t len = strlen(args[1]);
	unsigned long n = 0;

	for (; at; at = strchr(at + 1, ' '))
		if (at[0] == ' ' && !strncmp(at + 1, args[1], len) &&
		    at[1 + len] == '=')
			n = strtoul(at + 2 + len, NULL, 10);
	return job && n >= strtoul(args[2], NULL, 10);
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

/* As sinfo says it. Before there is a slurmd a node need not answer. */
static bool is_idle(const node_info_t *node)
{
	const uint32_t starts = NODE_STATE_POWERED_DOWN |
				NODE_STATE_POWERING_UP;
	const uint32_t never = NODE_STATE_COMPLETING | NODE_STATE_DRAIN |
			       NODE_STATE_FAIL | NODE_STATE_INVALID_REG |
			       NODE_STATE_MAINT | NODE_STATE_PLANNED |
			       NODE_STATE_POWERING_DOWN |
			       NODE_STATE_POWER_DOWN |
			       NODE_STATE_REBOOT_ISSUED |
			       NODE_STATE_REBOOT_REQUESTED | NODE_STATE_RES;

	return (node->node_state & NODE_STATE_BASE) == NODE_STATE_IDLE &&
	       !(node->node_state & never) &&
	       (node->node_state & starts ||
		!(node->node_state & NODE_STATE_NO_RESPOND));
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

static const char *or_nothing(const char *text)
{
	return text ? text : "";
}

/* scontrol asks for one job, too. */
static int print_field(const char *name, const char *id)
{
	const slurm_job_info_t *job;

	if (slurm_load_job(&jobs, public_id_of_job(strtoul(id, NULL, 10)),
			   SHOW_ALL) ||
	    !(job = find_job(id)))
		return 1;
	if (!strcmp(name, "JobState"))
		puts(state_of(job));
	else if (!strcmp(name, "NodeList"))
		puts(or_nothing(job->nodes));
	else if (!strcmp(name, "Partition"))
		puts(or_nothing(job->partition));
	else if (!strcmp(name, "Priority"))
		printf("%u\n", job->priority);
	else if (!strcmp(name, "Restarts"))
		printf("%u\n", job->restart_cnt);
	else if (!strcmp(name, "SystemComment"))
		puts(or_nothing(job->system_comment));
	else
		return 2;
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
	/* slurmctld may have closed a connection that waited long for munge; it
	 * is asked again */
	signal(SIGPIPE, SIG_IGN);
	slurm_init(NULL);
	if (!strcmp(argv[1], "in"))
		return print_in(argv + 2);
	if (!strcmp(argv[1], "field") && argc == 4)
		return print_field(argv[2], argv[3]);
	seconds = strtod(argv[1], &end);
	for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++)
		if (!*end && !strcmp(argv[2], conditions[i].name) &&
		    argc - 3 >= conditions[i].args)
			return await(seconds, &conditions[i], argv + 3);
	return usage();
}
