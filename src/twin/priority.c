/* SPDX-License-Identifier: GPL-2.0-or-later */
/* priority.c - the order of the queue: priority/basic, or the factors of
 * priority/multifactor
 *
 * Of those: age, size, partition and fair share. Fair share is the classic
 * formula, 2^-(usage/shares), of users that have equal shares. Usage is CPU
 * time that halves every PriorityDecayHalfLife.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "twin_private.h"

struct twin_user {
	const char *name;
	double usage;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct twin_user *)a)->name,
		      ((const struct twin_user *)b)->name);
}

bool sgang_twin_priority_init(void)
{
	const struct sgang_trace *trace = the.terms->trace;
	size_t n = 0;

	the.users = calloc(trace->n_jobs + 1, sizeof(*the.users));
	if (!the.users)
		return false;
	for (size_t i = 0; i < trace->n_jobs; i++)
		the.users[i].name = trace->jobs[i].user;
	qsort(the.users, trace->n_jobs, sizeof(*the.users), by_name);
	for (size_t i = 0; i < trace->n_jobs; i++) {
		if (!n || strcmp(the.users[n - 1].name, the.users[i].name))
			the.users[n++] = the.users[i];
	}
	the.n_users = n;
	return true;
}

void sgang_twin_priority_end(void)
{
	free(the.users);
}

static struct twin_user *user_of(const struct sgang_job *j)
{
	const struct twin_user key = { .name = j->asks->user };

	return bsearch(&key, the.users, the.n_users, sizeof(key), by_name);
}

static void decay(void)
{
	double factor;

	if (!the.rules->half_life || the.now <= the.decayed) {
		the.decayed = the.now;
		return;
	}
	factor = exp2(-(double)(the.now - the.decayed) / the.rules->half_life);
	for (size_t i = 0; i < the.n_users; i++)
		the.users[i].usage *= factor;
	the.usage *= factor;
	the.decayed = the.now;
}

/* Charged when it gives its nodes back. */
void sgang_twin_charge(const struct sgang_job *j)
{
	double cpus = 0;

	if (!the.rules->multifactor || !the.rules->weight_fairshare)
		return;
	for (uint32_t i = 0; i < j->n_nodes; i++)
		cpus += j->whole ? the.site->nodes[j->nodes[i]].cpus :
				   j->asks->cpus;
	user_of(j)->usage += cpus * (double)(the.now - j->start);
	the.usage += cpus * (double)(the.now - j->start);
}

static double fair_share(const struct sgang_job *j)
{
	if (the.usage <= 0)
		return 1;
	return exp2(-user_of(j)->usage / the.usage * (double)the.n_users);
}

/* As a share of the largest one. */
static double partition_factor(const struct sgang_job *j)
{
	double most = 0;

	for (size_t i = 0; i < the.site->n_partitions; i++) {
		if (the.site->partitions[i].job_factor > most)
			most = the.site->partitions[i].job_factor;
	}
	return j->partition && most > 0 ? j->partition->job_factor / most : 0;
}

static double factors(const struct sgang_job *j)
{
	const struct sgang_site_scheduling *r = the.rules;
	double age = (double)(the.now - j->asks->submit) /
		     (r->max_age ? r->max_age : 1);
	double size = (double)j->asks->nodes / the.n_nodes;
	double sum = 1;

	if (r->favor_small)
		size = 1 - size;
	sum += r->weight_age * (age < 1 ? age : 1);
	sum += r->weight_job_size * size;
	sum += r->weight_partition * partition_factor(j);
	if (r->weight_fairshare)
		sum += r->weight_fairshare * fair_share(j);
	return sum;
}

/* priority/basic gives each job one less than the last one. */
void sgang_twin_prioritise(struct sgang_job *j)
{
	if (the.terms->priorities && j->asks->priority)
		j->priority = j->asks->priority;
	else if (the.rules->multifactor)
		j->priority = (uint32_t)factors(j);
	else
		j->priority = UINT32_MAX - 100 - sgang_twin_id(j);
}

static int by_place(const void *a, const void *b)
{
	const struct sgang_job *x = *(struct sgang_job *const *)a;
	const struct sgang_job *y = *(struct sgang_job *const *)b;

	return sgang_twin_before(x, y) ? -1 : sgang_twin_before(y, x);
}

void sgang_twin_prioritise_all(void)
{
	if (!the.rules->multifactor)
		return;
	decay();
	for (size_t i = 0; i < the.queue.n; i++)
		sgang_twin_prioritise(the.queue.at[i]);
	qsort(the.queue.at, the.queue.n, sizeof(*the.queue.at), by_place);
}
