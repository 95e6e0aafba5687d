/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure.c - what a replayed queue tells of its jobs, gangs and nodes */

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "twin/measure.h"

const char *const sgang_measure_class_name[SGANG_MEASURE_CLASSES] = {
	"all", "1", "2-3", "4-7", "8-15", "16+"
};

/* ---- one job of no gang, or one gang ---- */

struct item {
	uint32_t size;
	bool can_start; /* not refused; complete */
	bool started;
	bool counts;                           /* in means */
	int64_t wait;                          /* if it started */
	int64_t run;                           /* -1: it has not ended */
	const struct sgang_outcome_gang *ring; /* on two nodes or more; NULL:
						* none */
};

/* The nodes of the members of a gang are one, or several. */
#define NODES_SEVERAL (UINT32_MAX - 1)

struct gang_sum {
	uint32_t node; /* SGANG_OUTCOME_NONE: none yet */
	int64_t run;   /* the longest; -1: none */
	bool refused;  /* a member is */
};

static int64_t not_below_zero(int64_t seconds)
{
	return seconds > 0 ? seconds : 0;
}

static int64_t run_of(const struct sgang_outcome_job *job)
{
	return job->work && job->end ? not_below_zero(job->end - job->work) :
				       -1;
}

static bool in_class(uint32_t size, size_t class)
{
	static const uint32_t least[SGANG_MEASURE_CLASSES + 1] = { 0, 1, 2,
								   4, 8, 16 };

	if (!class)
		return true;
	return size >= least[class] &&
	       (class + 1 == SGANG_MEASURE_CLASSES || size < least[class + 1]);
}

static struct item item_of_job(const struct sgang_trace_job *asked,
			       const struct sgang_outcome_job *job,
			       const struct sgang_outcome_gang *ring)
{
	return (struct item){
		.size = asked->nodes,
		.can_start = job->how != SGANG_OUTCOME_REFUSED,
		.started = job->start,
		.wait = not_below_zero(job->start - asked->submit),
		.run = run_of(job),
		.ring = ring && ring->start && job->n_nodes > 1 ? ring : NULL,
	};
}

static struct item item_of_gang(const struct sgang_outcome_gang *gang,
				const struct gang_sum *sum)
{
	return (struct item){
		.size = gang->n_members,
		.can_start = gang->complete && !sum->refused,
		.started = gang->start,
		.wait = not_below_zero(gang->start - gang->complete),
		.run = sum->run,
		.ring = gang->start && sum->node == NODES_SEVERAL ? gang : NULL,
	};
}

/* ---- lists of them ---- */

struct items {
	struct item *item;
	size_t n;
	double *scratch; /* room for as many values */
};

static int items_create(struct items *items, size_t n, struct sgang_error *err)
{
	items->n = 0;
	items->item = calloc(n + 1, sizeof(*items->item));
	items->scratch = calloc(n + 1, sizeof(*items->scratch));
	return items->item && items->scratch ? 0 : sgang_err_memory(err);
}

static void items_clear(struct items *items)
{
	free(items->item);
	free(items->scratch);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Nearest rank, of values in order. */
static double percentile(const double *value, size_t n, size_t percent)
{
	size_t rank = (n * percent + 99) / 100;

	return value[rank ? rank - 1 : 0];
}

static struct sgang_measure_spread spread_of(double *value, size_t n)
{
	struct sgang_measure_spread spread = { NAN, NAN, NAN, NAN, NAN };
	double sum = 0;
	size_t i;

	if (!n)
		return spread;
	qsort(value, n, sizeof(*value), by_value);
	for (i = 0; i < n; i++)
		sum += value[i];
	spread.mean = sum / (double)n;
	spread.median = percentile(value, n, 50);
	spread.p90 = percentile(value, n, 90);
	spread.p99 = percentile(value, n, 99);
	spread.max = value[n - 1];
	return spread;
}

static double slowdown_of(const struct item *item)
{
	double run = (double)item->run;
	double least = run > SGANG_MEASURE_BOUND ? run : SGANG_MEASURE_BOUND;
	double slowdown = ((double)item->wait + run) / least;

	return slowdown > 1 ? slowdown : 1;
}

static struct sgang_measure_spread wait_of(const struct items *items,
					   size_t class)
{
	size_t n = 0, i;

	for (i = 0; i < items->n; i++)
		if (items->item[i].counts &&
		    in_class(items->item[i].size, class))
			items->scratch[n++] = (double)items->item[i].wait;
	return spread_of(items->scratch, n);
}

static struct sgang_measure_spread slowdowns_of(const struct items *items,
						size_t class)
{
	size_t n = 0, i;

	for (i = 0; i < items->n; i++)
		if (items->item[i].counts && items->item[i].run >= 0 &&
		    in_class(items->item[i].size, class))
			items->scratch[n++] = slowdown_of(&items->item[i]);
	return spread_of(items->scratch, n);
}

/* Costs of rings over others, where these are known. */
struct ratio {
	double sum, other, each;
	size_t n;
};

static void ratio_add(struct ratio *ratio, uint64_t cost, uint64_t other)
{
	if (!other)
		return;
	ratio->sum += (double)cost;
	ratio->other += (double)other;
	ratio->each += (double)cost / (double)other;
	ratio->n++;
}

static double of_sums(const struct ratio *ratio)
{
	return ratio->n ? ratio->sum / ratio->other : NAN;
}

static double mean(double sum, size_t n)
{
	return n ? sum / (double)n : NAN;
}

static void measure_rings(const struct items *items, size_t class,
			  struct sgang_measure_class *out)
{
	struct ratio best = { 0 }, stock = { 0 };
	double cross = 0, leaves = 0;
	size_t n = 0, proved = 0, i;

	for (i = 0; i < items->n; i++) {
		const struct sgang_outcome_gang *ring = items->item[i].ring;

		if (!ring || !in_class(items->item[i].size, class))
			continue;
		n++;
		proved += ring->best_cost && ring->proved;
		cross += ring->cross_links;
		leaves += ring->leaves;
		ratio_add(&best, ring->ring_cost, ring->best_cost);
		ratio_add(&stock, ring->ring_cost, ring->stock_cost);
	}
	out->rings = (double)n;
	out->proved = (double)proved;
	out->over_best = of_sums(&best);
	out->over_best_mean = mean(best.each, best.n);
	out->over_stock = of_sums(&stock);
	out->over_stock_mean = mean(stock.each, stock.n);
	out->cross_links = mean(cross, n);
	out->leaves = mean(leaves, n);
}

static void measure_class(const struct items *items, size_t class,
			  struct sgang_measure_class *out)
{
	size_t i;

	for (i = 0; i < items->n; i++) {
		const struct item *item = &items->item[i];

		if (!in_class(item->size, class))
			continue;
		out->n++;
		out->started += item->started;
		out->apart += item->started && !item->counts;
		out->never += item->can_start && !item->started;
	}
	out->wait = wait_of(items, class);
	out->slowdown = slowdowns_of(items, class);
	measure_rings(items, class, out);
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int keep_waits(const struct items *items, int64_t **waits,
		      size_t *n_waits, struct sgang_error *err)
{
	size_t n = 0, i;

	*waits = calloc(items->n + 1, sizeof(**waits));
	if (!*waits)
		return sgang_err_memory(err);
	for (i = 0; i < items->n; i++)
		if (items->item[i].counts)
			(*waits)[n++] = items->item[i].wait;
	qsort(*waits, n, sizeof(**waits), by_number);
	*n_waits = n;
	return 0;
}

static void measure_classes(const struct items *items,
			    struct sgang_measure_class *classes)
{
	size_t class;

	for (class = 0; class < SGANG_MEASURE_CLASSES; class ++)
		measure_class(items, class, &classes[class]);
}

/* ---- jobs of no gang, gangs ---- */

/* Add one that is in the means if it started in all replays. */
static void add(struct items *items, struct item item, bool common)
{
	item.counts = item.started && common;
	items->item[items->n++] = item;
}

static int measure_jobs(const struct sgang_trace *trace,
			const struct sgang_outcome *outcome,
			const struct sgang_measure_common *common,
			struct sgang_measure *measure, struct sgang_error *err)
{
	struct items items = { 0 };
	int rc = items_create(&items, outcome->n_jobs, err);
	size_t i;

	for (i = 0; !rc && i < outcome->n_jobs; i++)
		if (outcome->jobs[i].gang == SGANG_OUTCOME_NONE)
			add(&items,
			    item_of_job(&trace->jobs[i], &outcome->jobs[i],
					outcome->n_rings ? &outcome->rings[i] :
							   NULL),
			    !common || common->job[i]);
	if (!rc)
		measure_classes(&items, measure->jobs);
	if (!rc)
		rc = keep_waits(&items, &measure->job_wait,
				&measure->n_job_waits, err);
	items_clear(&items);
	return rc;
}

static void sum_member(const struct sgang_outcome *outcome,
		       const struct sgang_outcome_job *job,
		       struct gang_sum *sum)
{
	const uint32_t *node = outcome->nodes + job->first;
	uint32_t i;

	if (run_of(job) > sum->run)
		sum->run = run_of(job);
	sum->refused |= job->how == SGANG_OUTCOME_REFUSED;
	for (i = 0; i < job->n_nodes; i++) {
		if (sum->node == SGANG_OUTCOME_NONE)
			sum->node = node[i];
		else if (sum->node != node[i])
			sum->node = NODES_SEVERAL;
	}
}

/* To be freed; NULL with 'err'. */
static struct gang_sum *sum_gangs(const struct sgang_outcome *outcome,
				  struct sgang_error *err)
{
	struct gang_sum *sum = calloc(outcome->n_gangs + 1, sizeof(*sum));
	size_t i;

	if (!sum) {
		sgang_err_memory(err);
		return NULL;
	}
	for (i = 0; i < outcome->n_gangs; i++)
		sum[i] = (struct gang_sum){ SGANG_OUTCOME_NONE, -1, false };
	for (i = 0; i < outcome->n_jobs; i++)
		if (outcome->jobs[i].gang != SGANG_OUTCOME_NONE)
			sum_member(outcome, &outcome->jobs[i],
				   &sum[outcome->jobs[i].gang]);
	return sum;
}

static int measure_gangs(const struct sgang_outcome *outcome,
			 const struct sgang_measure_common *common,
			 struct sgang_measure *measure, struct sgang_error *err)
{
	struct gang_sum *sum = sum_gangs(outcome, err);
	struct items items = { 0 };
	int rc = sum ? items_create(&items, outcome->n_gangs, err) : -1;
	size_t i;

	for (i = 0; !rc && i < outcome->n_gangs; i++) {
		add(&items, item_of_gang(&outcome->gangs[i], &sum[i]),
		    !common || common->gang[i]);
		measure->incomplete += !outcome->gangs[i].complete;
	}
	if (!rc)
		measure_classes(&items, measure->gangs);
	if (!rc)
		rc = keep_waits(&items, &measure->gang_wait,
				&measure->n_gang_waits, err);
	items_clear(&items);
	free(sum);
	return rc;
}

/* ---- the cluster ---- */

static void count_ends(const struct sgang_outcome *outcome,
		       struct sgang_measure *measure)
{
	size_t i;

	for (i = 0; i < outcome->n_jobs; i++) {
		uint8_t how = outcome->jobs[i].how;

		measure->timeouts += how == SGANG_OUTCOME_TIMEOUT;
		measure->cancelled += how == SGANG_OUTCOME_CANCELLED;
		measure->refused += how == SGANG_OUTCOME_REFUSED;
		measure->waiting += how == SGANG_OUTCOME_WAITS;
	}
}

static void measure_samples(const struct sgang_outcome *outcome,
			    struct sgang_measure *measure)
{
	double leaf = 0, idle = 0, least = NAN;
	size_t i;

	for (i = 0; i < outcome->n_samples; i++) {
		const struct sgang_outcome_sample *at = &outcome->samples[i];

		leaf += at->largest_leaf;
		idle += at->idle_nodes;
		if (!i || at->largest_leaf < least)
			least = at->largest_leaf;
	}
	measure->leaf_mean = mean(leaf, outcome->n_samples);
	measure->leaf_min = least;
	measure->idle_nodes = mean(idle, outcome->n_samples);
}

static double share(double part, double all)
{
	return all > 0 ? part / all : NAN;
}

static void measure_cluster(const struct sgang_site *site,
			    const struct sgang_outcome *outcome,
			    struct sgang_measure *measure)
{
	double span = (double)not_below_zero(outcome->until - outcome->from);

	measure->makespan = span;
	measure->utilisation = share((double)outcome->busy,
				     (double)outcome->cpus * span);
	measure->idle_hours = (double)outcome->idle_work / 3600;
	measure->idle_share = share((double)outcome->idle_work,
				    (double)site->n_nodes * span);
	measure->unused_hours = outcome->unused / 3600;
	measure->lost_hours = (double)outcome->lost / 3600;
	measure->victims = outcome->victims;
	count_ends(outcome, measure);
	measure_samples(outcome, measure);
}

int sgang_measure(const struct sgang_trace *trace,
		  const struct sgang_site *site,
		  const struct sgang_outcome *outcome,
		  const struct sgang_measure_common *common,
		  struct sgang_measure *measure, struct sgang_error *err)
{
	memset(measure, 0, sizeof(*measure));
	if (outcome->n_jobs != trace->n_jobs)
		return sgang_errf(err, EINVAL,
				  "what became of the queue is of %zu jobs, "
				  "expected %zu",
				  outcome->n_jobs, trace->n_jobs);
	measure_cluster(site, outcome, measure);
	if (!measure_jobs(trace, outcome, common, measure, err) &&
	    !measure_gangs(outcome, common, measure, err))
		return 0;
	sgang_measure_clear(measure);
	errno = ENOMEM;
	return -1;
}

void sgang_measure_clear(struct sgang_measure *measure)
{
	free(measure->job_wait);
	free(measure->gang_wait);
	memset(measure, 0, sizeof(*measure));
}
