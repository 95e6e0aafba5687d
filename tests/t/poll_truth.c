/* SPDX-License-Identifier: GPL-2.0-or-later */
/* poll_truth.c - does what jobs tell of their gangs fit their states?
 *
 * poll_truth COUNT STOPFILE
 *
 * Asks slurmctld for all jobs at least COUNT times and until there is a file
 * STOPFILE, and holds what each job says of its gang (reason, system_comment)
 * against its state in the same message. A job that was cancelled while it
 * waited is seen by no plugin at once, so it has GRACE for that. Prints each text
 * that is wrong, and in the end how many messages and texts were looked at, and
 * how long after its end the slowest of the cancelled ones was told. Exits 1
 * when a text was wrong or nothing was seen.
 */

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/gang/record.h"
#include "slurm/public.h"

#define JOBS 65536
#define GRACE 30000 /* milliseconds, on a busy machine */
#define GRACE_ENDED 2000
#define PACE 10000000 /* nanoseconds between two questions */

static int64_t late_since[JOBS]; /* when it was first seen; 0: it is not */
static uint64_t texts, wrong, seen[SGANG_PHASES];
static int64_t latest;

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static uint32_t base(const slurm_job_info_t *job)
{
	return job->job_state & JOB_STATE_BASE;
}

static bool in_phases(enum sgang_phase phase, const char *list)
{
	const char *name = sgang_phase_name(phase);
	const char *at = strstr(list, name);

	return at && (at[strlen(name)] == ' ' || !at[strlen(name)]);
}

/* Phases that a job in this state may tell of. A member that was requeued is
 * completing for a moment: nobody waits or runs then. */
static const char *phases_of(const slurm_job_info_t *job)
{
	if (job->job_state & JOB_COMPLETING)
		return base(job) == JOB_PENDING ?
			       "Running Finished Failed Waiting Gathering Holding" :
			       "Finished Failed";
	switch (base(job)) {
	case JOB_PENDING:
		return "Undefined Gathering Waiting Holding Starting Running Timeout";
	case JOB_RUNNING:
		return (job->job_state & JOB_CONFIGURING) ?
			       "Holding Starting Running" :
			       "Running";
	case JOB_SUSPENDED:
		return "Running";
	default:
		return "Finished Failed";
	}
}

/* The phases that go with a reason of ours. */
static const char *phases_of_reason(const char *reason)
{
	static const struct {
		const char *word, *phases;
	} words[] = {
		{ " undefined: ", "Undefined" },
		{ " gathering ", "Gathering" },
		{ " waits", "Waiting" },
		{ " holding ", "Holding Starting" },
	};

	if (!strcmp(reason, "GangTimeout"))
		return "Timeout";
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const char *name = strchr(reason + 5, ' ');

		if (name &&
		    !strncmp(name, words[i].word, strlen(words[i].word)))
			return words[i].phases;
	}
	return "";
}

/* NULL: all that the job tells is so. */
static const char *check(const slurm_job_info_t *job)
{
	const char *reason = job->state_desc;
	struct sgang_record r;
	bool ours = reason && !strncmp(reason, "Gang", 4);
	int known = sgang_record_parse(job->system_comment, &r);

	if (known && r.object)
		return NULL; /* no member */
	texts += ours + known;
	if (ours && base(job) != JOB_PENDING)
		return "a reason, and it does not wait";
	if (!known)
		return ours ? "a reason without a record" : NULL;
	seen[r.phase]++;
	if (!in_phases(r.phase, phases_of(job)))
		return "the phase does not fit the state";
	if (ours && !in_phases(r.phase, phases_of_reason(reason)))
		return "the reason does not fit the phase";
	if (base(job) == JOB_PENDING && !(job->job_state & JOB_COMPLETING) &&
	    r.placed)
		return "a place, and it waits";
	return NULL;
}

/* How long it may be wrong. No plugin is told at once of a job that ends and had
 * no nodes, nor of one that is put back into the queue. While the gang is looked
 * at for another member's end, the end of this one is told behind that, be its
 * nodes clean by then or not. */
static int64_t grace_of(const slurm_job_info_t *job)
{
	bool late = base(job) >= JOB_COMPLETE ?
			    !job->nodes || !*job->nodes :
			    base(job) == JOB_PENDING && job->restart_cnt;

	if (late)
		return GRACE;
	return (job->job_state & JOB_COMPLETING) || base(job) >= JOB_COMPLETE ?
		       GRACE_ENDED :
		       0;
}

static void look(const slurm_job_info_t *job, int64_t now)
{
	const char *why = check(job);
	int64_t *since = &late_since[public_job_id(job) % JOBS];

	if (!why) {
		if (*since && now - *since > latest)
			latest = now - *since;
		*since = 0;
		return;
	}
	if (!*since)
		*since = now;
	if (now - *since < grace_of(job))
		return;
	wrong++;
	printf("job %u, state 0x%x, %s: reason \"%s\", record \"%s\"\n",
	       public_job_id(job), job->job_state, why,
	       job->state_desc ? job->state_desc : "",
	       job->system_comment ? job->system_comment : "");
}

static int poll_once(void)
{
	job_info_msg_t *jobs = NULL;

	if (slurm_load_jobs(0, &jobs, SHOW_ALL | SHOW_DETAIL)) {
		fprintf(stderr, "%s\n", slurm_strerror(errno));
		return -1;
	}
	for (uint32_t i = 0; i < jobs->record_count; i++)
		look(&jobs->job_array[i], now_ms());
	slurm_free_job_info_msg(jobs);
	return 0;
}

int main(int argc, char **argv)
{
	struct timespec pace = { .tv_nsec = PACE };
	long count, n = 0;

	if (argc != 3)
		return 2;
	count = atol(argv[1]);
	signal(SIGPIPE, SIG_IGN); /* slurmctld may end while we ask */
	slurm_init(NULL);
	while (n < count || access(argv[2], F_OK)) {
		/* slurmctld may be away for a moment: reconfigure, restart */
		if (!poll_once())
			n++;
		nanosleep(&pace, NULL);
	}
	printf("%ld messages, %" PRIu64 " texts, %" PRIu64 " wrong, the latest "
	       "after %" PRId64 " ms\n",
	       n, texts, wrong, latest);
	for (int i = 0; i < SGANG_PHASES; i++)
		printf("%s %" PRIu64 "\n", sgang_phase_name(i), seen[i]);
	return wrong || !texts;
}
