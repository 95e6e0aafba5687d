/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ends.c - the members of a gang that have ended, and what became of the gang
 *
 * Slurm forgets jobs that have ended, so how each member ended is noted when a
 * pass first sees it. When the last member has ended the verdict
 * (core/gang/verdict.h) is written into the record of that one, which Slurm
 * forgets last, and of the last that decided, which accounting knows; sgang and
 * accounting have it from there. After a restart of slurmctld the members that
 * Slurm still knows are noted again.
 */

#include <stdlib.h>

#include "conductor_private.h"

void sgang_ends_forget(struct gang *g)
{
	free(g->ends.list);
	g->ends = (struct ends){ .n = 0 };
}

static void append(struct gang *g, const struct sgang_job_info *info,
		   const struct sgang_verdict_member *member)
{
	if (g->ends.n == g->ends.cap) {
		size_t cap = g->ends.cap ? g->ends.cap * 2 : 8;
		struct end *more = realloc(g->ends.list, cap * sizeof(*more));

		if (!more)
			return; /* the verdict is about the others */
		g->ends.list = more;
		g->ends.cap = cap;
	}
	g->ends.list[g->ends.n] = (struct end){
		.job_id = info->job_id,
		.nth = (uint32_t)g->ends.n,
		.member = *member,
	};
	g->ends.n++;
}

/* A gang of the same name that came to be at another time is another one. */
static void note(struct gang *g, const struct sgang_job_info *info,
		 const struct sgang_record *r)
{
	struct sgang_verdict_member member;

	if (r->created > g->ends.created) {
		sgang_ends_forget(g);
		g->ends.created = r->created;
	}
	if (r->created < g->ends.created)
		return;
	sgang_verdict_read(r, info->end, &member);
	append(g, info, &member);
}

void sgang_ends_note(struct gang *g, const struct sgang_job_info *info)
{
	struct sgang_record r;

	if (sgang_record_parse(info->comment, &r) == 1 && !r.object)
		note(g, info, &r);
}

/* ---- after a restart ---- */

static void find_end(const struct sgang_job_info *info, void *arg)
{
	struct sgang_conductor *c = arg;
	struct sgang_record r;
	struct gang *g;

	if (info->state != SGANG_JOB_ENDED ||
	    sgang_record_parse(info->comment, &r) != 1 || r.object)
		return;
	g = sgang_registry_find(c, r.ns, r.name);
	/* The slurmctld before this one has said it. */
	if (g && !g->n_entries && r.verdict)
		g->phase = SGANG_PHASE_FINISHED;
	if (g && r.created && (!g->n_entries || r.created == g->tally.created))
		note(g, info, &r);
}

void sgang_ends_recover_all(struct sgang_conductor *c)
{
	c->host->jobs.each(find_end, c);
}

/* ---- a spare has its place ---- */

void sgang_ends_replaced(struct sgang_conductor *c, struct gang *g,
			 uint32_t job_id)
{
	struct sgang_job *job = c->host->jobs.find(job_id);
	struct sgang_job_info info = { .state = SGANG_JOB_ENDED };
	struct sgang_record r;

	if (job)
		c->host->jobs.info(job, &info);
	if (info.state != SGANG_JOB_ENDED)
		return; /* it was requeued */
	for (size_t i = 0; i < g->ends.n; i++)
		if (g->ends.list[i].job_id == job_id)
			g->ends.list[i].member.end = SGANG_MEMBER_DONE;
	if (!job || sgang_record_parse(info.comment, &r) != 1)
		return;
	r.replaced = true;
	(void)sgang_publish_write(c, job, &r);
}

/* ---- the gang has ended ---- */

/* qsort: the ends of a job side by side, the last one first. */
static int by_job(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	if (x->job_id != y->job_id)
		return x->job_id < y->job_id ? -1 : 1;
	return (x->nth < y->nth) - (x->nth > y->nth);
}

static enum sgang_verdict judge(struct gang *g)
{
	struct sgang_verdict_sum sum = { .leader = false };

	if (g->ends.n)
		qsort(g->ends.list, g->ends.n, sizeof(*g->ends.list), by_job);
	for (size_t i = 0; i < g->ends.n; i++) {
		const struct end *end = &g->ends.list[i];

		if (!i || end->job_id != end[-1].job_id)
			sgang_verdict_add(&sum, &end->member, 1);
	}
	return sgang_verdict(&sum);
}

static void write_verdict(struct sgang_conductor *c, uint32_t job_id,
			  enum sgang_verdict verdict)
{
	struct sgang_job *job = c->host->jobs.find(job_id);
	struct sgang_job_info info;
	struct sgang_record r;

	if (!job)
		return;
	c->host->jobs.info(job, &info);
	if (info.state != SGANG_JOB_ENDED ||
	    sgang_record_parse(info.comment, &r) != 1)
		return;
	r.verdict = verdict;
	if (sgang_publish_write(c, job, &r) == 0)
		sgang_account_ended(c, job, &r);
}

static bool has_decided(const struct end *end)
{
	return !end->member.spare && end->member.end != SGANG_MEMBER_DONE &&
	       end->member.end != SGANG_MEMBER_PLACEHOLDER;
}

enum sgang_verdict sgang_ends_judge(struct sgang_conductor *c, struct gang *g)
{
	uint32_t last = 0, decided = 0;
	enum sgang_verdict verdict;

	for (size_t i = 0; i < g->ends.n; i++) {
		last = g->ends.list[i].job_id;
		if (has_decided(&g->ends.list[i]))
			decided = last;
	}
	verdict = judge(g);
	if (verdict)
		write_verdict(c, last, verdict);
	if (verdict && decided && decided != last)
		write_verdict(c, decided, verdict);
	sgang_ends_forget(g);
	return verdict;
}
