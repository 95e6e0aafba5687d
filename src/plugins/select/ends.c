/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ends.c - the members of a gang that have ended, and what became of the gang
 *
 * Slurm forgets jobs that have ended, so how each member ended is noted when a
 * pass first sees it. When the last member has ended the verdict
 * (core/gang/verdict.h) is written into the record of that one, which Slurm
 * forgets last, and of the last that has run, which accounting knows; sgang and
 * accounting have it from there. Members that Slurm has forgotten are only
 * counted. After a restart of slurmctld those that it still knows are noted
 * again.
 */

#include <stdlib.h>

#include "conductor_private.h"

void sgang_ends_forget(struct gang *g)
{
	free(g->ends.list);
	g->ends = (struct ends){ .n = 0 };
}

/* ---- the list ---- */

/* qsort: the ends of a job side by side, the last one first. */
static int by_job(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	if (x->job_id != y->job_id)
		return x->job_id < y->job_id ? -1 : 1;
	return (x->nth < y->nth) - (x->nth > y->nth);
}

/* A job that was requeued counts by its last end. One that Slurm has forgotten
 * does not change any more and becomes a number, so that a gang that lives for
 * long does not grow with each member that it ever had. */
static void tidy(struct sgang_conductor *c, struct gang *g)
{
	struct ends *ends = &g->ends;
	uint32_t before = 0;
	size_t kept = 0;

	if (ends->n)
		qsort(ends->list, ends->n, sizeof(*ends->list), by_job);
	for (size_t i = 0; i < ends->n; i++) {
		const struct end *end = &ends->list[i];

		if (end->job_id == before)
			continue;
		before = end->job_id;
		if (!c->host->jobs.find(end->job_id))
			sgang_verdict_add(&ends->gone, &end->member, 1);
		else
			ends->list[kept++] = *end;
	}
	ends->n = kept;
}

static int make_room(struct sgang_conductor *c, struct gang *g)
{
	struct end *more;
	size_t cap;

	if (g->ends.n < g->ends.cap)
		return 0;
	tidy(c, g);
	if (g->ends.cap && g->ends.n <= g->ends.cap / 2)
		return 0;
	cap = g->ends.cap ? g->ends.cap * 2 : 8;
	more = realloc(g->ends.list, cap * sizeof(*more));
	if (!more)
		return g->ends.n < g->ends.cap ? 0 : -1;
	g->ends.list = more;
	g->ends.cap = cap;
	return 0;
}

/* A gang of the same name that came to be at another time is another one. */
static void note(struct sgang_conductor *c, struct gang *g,
		 const struct sgang_job_info *info,
		 const struct sgang_record *r)
{
	struct end *end;

	if (r->created > g->ends.created) {
		sgang_ends_forget(g);
		g->ends.created = r->created;
	}
	if (r->created < g->ends.created || make_room(c, g) < 0)
		return; /* the verdict is about the others */
	end = &g->ends.list[g->ends.n++];
	end->job_id = info->job_id;
	end->nth = g->ends.noted++;
	end->rank = r->member_rank;
	end->ranked = r->placed && !r->spare;
	end->accounted = r->started && !r->placeholder &&
			 !(r->spare && r->cold);
	sgang_verdict_read(r, info->end, &end->member);
}

void sgang_ends_note(struct sgang_conductor *c, struct gang *g,
		     const struct sgang_job_info *info)
{
	struct sgang_record r;

	if (sgang_record_parse(info->comment, &r) == 1 && !r.object)
		note(c, g, info, &r);
}

/* The job and its record, if it has ended and Slurm still knows it; else NULL. */
static struct sgang_job *find_ended(struct sgang_conductor *c, uint32_t job_id,
				    struct sgang_record *r)
{
	struct sgang_job *job = c->host->jobs.find(job_id);
	struct sgang_job_info info;

	if (!job)
		return NULL;
	c->host->jobs.info(job, &info);
	return info.state == SGANG_JOB_ENDED &&
			       sgang_record_parse(info.comment, r) == 1 ?
		       job :
		       NULL;
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
		note(c, g, info, &r);
}

void sgang_ends_recover_all(struct sgang_conductor *c)
{
	c->host->jobs.each(find_end, c);
}

/* ---- a spare has its place ---- */

/* Whose place that was is not known any more, but that one of those is made up
 * for. */
static void replace_forgotten(struct gang *g)
{
	static const enum sgang_member_end lost[] = {
		SGANG_MEMBER_FAILED,
		SGANG_MEMBER_TIME_LIMIT,
		SGANG_MEMBER_CANCELLED,
	};
	uint32_t *ends = g->ends.gone.members;

	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
		if (!ends[lost[i]])
			continue;
		ends[lost[i]]--;
		ends[SGANG_MEMBER_DONE]++;
		return;
	}
}

/* The last that ended with this member rank. */
static struct end *end_of_rank(const struct gang *g, uint32_t rank)
{
	struct end *last = NULL;

	for (size_t i = 0; i < g->ends.n; i++) {
		struct end *end = &g->ends.list[i];

		if (end->ranked && end->rank == rank &&
		    (!last || end->nth > last->nth))
			last = end;
	}
	return last;
}

static void write_replaced(struct sgang_conductor *c, uint32_t job_id)
{
	struct sgang_record r;
	struct sgang_job *job = find_ended(c, job_id, &r);

	if (!job)
		return;
	r.replaced = true;
	(void)sgang_publish_write(c, job, &r);
}

void sgang_ends_replaced(struct sgang_conductor *c, struct gang *g,
			 uint32_t rank, uint32_t job_id)
{
	struct end *end;

	tidy(c, g);
	end = end_of_rank(g, rank);
	if (!end && (!job_id || !c->host->jobs.find(job_id)))
		replace_forgotten(g);
	if (!end || end->member.end == SGANG_MEMBER_COMPLETED)
		return; /* it was requeued, or is done */
	end->member.end = SGANG_MEMBER_DONE;
	write_replaced(c, end->job_id);
}

/* ---- the gang has ended ---- */

static void write_verdict(struct sgang_conductor *c, uint32_t job_id,
			  enum sgang_verdict verdict)
{
	struct sgang_record r;
	struct sgang_job *job = find_ended(c, job_id, &r);

	if (!job)
		return;
	r.verdict = verdict;
	if (sgang_publish_write(c, job, &r) == 0)
		sgang_account_ended(c, job, &r);
}

enum sgang_verdict sgang_ends_judge(struct sgang_conductor *c, struct gang *g)
{
	const struct end *last = NULL, *known = NULL;
	struct sgang_verdict_sum sum;
	enum sgang_verdict verdict;

	tidy(c, g);
	sum = g->ends.gone;
	for (size_t i = 0; i < g->ends.n; i++) {
		const struct end *end = &g->ends.list[i];

		sgang_verdict_add(&sum, &end->member, 1);
		if (!last || end->nth > last->nth)
			last = end;
		if (end->accounted && (!known || end->nth > known->nth))
			known = end;
	}
	verdict = sgang_verdict(&sum);
	if (verdict && last)
		write_verdict(c, last->job_id, verdict);
	if (verdict && known && known != last)
		write_verdict(c, known->job_id, verdict);
	sgang_ends_forget(g);
	return verdict;
}
