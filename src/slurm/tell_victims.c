/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tell_victims.c - in the tests' plugin only: preemption step by
 * step */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "host_private.h"

#include "plugins/select/faults.h"
#include "tell_victims.h"

static job_record_t *find_named(const char *point)
{
	list_itr_t *iter = list_iterator_create(job_list);
	job_record_t *job_ptr;

	while ((job_ptr = list_next(iter))) {
		if (sgang_fault(point, job_ptr->job_id))
			break;
	}
	list_iterator_destroy(iter);
	return job_ptr;
}

static void tell(const struct sgang_candidate *candidate, void *arg)
{
	fprintf(arg,
		"JobId=%u going=%d requeues=%d priority=%u started=%lld lost=%llu gone_by=%lld occupies=%d\n",
		candidate->job_id, candidate->going, candidate->requeues,
		candidate->priority, (long long)candidate->started,
		(unsigned long long)candidate->lost,
		(long long)sgang_host_gone_by(candidate->job),
		sgang_host_occupies(candidate->job));
}

/* True if all was told within one second, so that now= is the time of it all. */
static bool tell_at_once(job_record_t *by, const char *path)
{
	time_t now = time(NULL);
	FILE *f = fopen(path, "w");

	if (!f)
		return false;
	fprintf(f, "enabled=%d now=%lld\n", sgang_host_may_preempt(),
		(long long)now);
	sgang_host_candidates(handle(by), tell, f);
	fclose(f);
	return time(NULL) == now;
}

static void tell_candidates(job_record_t *by)
{
	char *path = xstrdup_printf("%s.candidates",
				    getenv("SGANG_FAULT_FILE"));
	char *new = xstrdup_printf("%s.new", path);

	if (tell_at_once(by, new) || tell_at_once(by, new))
		rename(new, path);
	xfree(new);
	xfree(path);
}

void sgang_tell_victims(void)
{
	job_record_t *by, *victim;

	if (!getenv("SGANG_FAULT_FILE"))
		return;
	by = find_named("candidates-of");
	if (!by)
		return;
	victim = find_named("preempt");
	if (victim)
		sgang_host_preempt(handle(victim), handle(by));
	victim = find_named("spare");
	if (victim)
		sgang_host_spare(handle(victim));
	tell_candidates(by);
}
