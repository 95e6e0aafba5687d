/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics.c - counts of the conductor's actions, for monitoring */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "metrics.h"

static const struct {
	const char *name, *help;
} counters[SGANG_COUNTERS] = {
	[SGANG_COUNT_ATTEMPTS] = { "slurm_gang_attempts",
				   "Transactions tried to start members of gangs." },
	[SGANG_COUNT_ROLLBACKS] = { "slurm_gang_rollbacks",
				    "Transactions taken back, since a member could not start." },
	[SGANG_COUNT_TIMEOUTS] = { "slurm_gang_timeouts",
				   "Gangs whose waiting time was over." },
	[SGANG_COUNT_STARTS] = { "slurm_gang_starts", "Gangs started." },
	[SGANG_COUNT_UNSAVED] = { "slurm_gang_save_failures",
				  "Saves of the job state that failed: no gang starts." },
	[SGANG_COUNT_STRIKES] = { "slurm_gang_preemptions",
				  "Gangs that began to preempt jobs." },
	[SGANG_COUNT_VICTIMS] = { "slurm_gang_preempted_jobs",
				  "Jobs that gangs preempted." },
	[SGANG_COUNT_CLAIMS_LOST] = { "slurm_gang_claims_lost",
				      "Nodes freed for a gang that it could not start on." },
	[SGANG_COUNT_REPLACED] = { "slurm_gang_placeholders_replaced",
				   "Placeholders replaced by their members." },
	[SGANG_COUNT_PLACEHOLDER_TIMEOUTS] = { "slurm_gang_placeholder_timeouts",
					       "Placeholders that no member replaced in time." },
	[SGANG_COUNT_PLACEHOLDERS_STOPPED] = { "slurm_gang_placeholders_stopped",
					       "Placeholders that a user ended or that lost a node." },
	[SGANG_COUNT_PLACEHOLDERS_PREEMPTED] = { "slurm_gang_placeholders_preempted",
						 "Placeholders that were preempted." },
};

/* A bound of 0 ends the list. */
static const struct {
	const char *name, *unit, *help;
	double bound[SGANG_METRICS_BUCKETS];
} histograms[SGANG_HISTOGRAMS] = {
	[SGANG_HIST_LOCK] = { "slurm_gang_lock_seconds",
			      "seconds",
			      "Time for which a pass held slurmctld's locks.",
			      { 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1,
				0.3, 1 } },
	[SGANG_HIST_WAIT] = { "slurm_gang_wait_seconds",
			      "seconds",
			      "Time from the first member of a gang to its start.",
			      { 1, 10, 60, 300, 900, 3600, 14400, 43200, 86400,
				604800 } },
	[SGANG_HIST_RING] = { "slurm_gang_ring_over_best_ratio",
			      "ratio",
			      "Ring cost of a gang over what an empty cluster would give.",
			      { 1, 1.1, 1.25, 1.5, 2, 3, 5, 10, 30, 100 } },
};

void sgang_metrics_add(struct sgang_metrics *m, enum sgang_counter counter)
{
	m->count[counter]++;
}

void sgang_metrics_hold_ended(struct sgang_metrics *m, enum sgang_hold_end why,
			      size_t members)
{
	m->holds_ended[why] += members;
}

void sgang_metrics_gang_ended(struct sgang_metrics *m,
			      enum sgang_verdict verdict)
{
	m->gangs_ended[verdict]++;
}

void sgang_metrics_observe(struct sgang_metrics *m,
			   enum sgang_histogram histogram, double value)
{
	const double *bound = histograms[histogram].bound;
	int i = 0;

	while (i < SGANG_METRICS_BUCKETS && bound[i] > 0 && value > bound[i])
		i++;
	if (i < SGANG_METRICS_BUCKETS && bound[i] <= 0)
		i = SGANG_METRICS_BUCKETS;
	m->hist[histogram].bucket[i]++;
	m->hist[histogram].sum += value;
}

static void print_counter(const struct sgang_metrics *m, int i, FILE *out)
{
	fprintf(out, "# TYPE %s counter\n# HELP %s %s\n%s_total %" PRIu64 "\n",
		counters[i].name, counters[i].name, counters[i].help,
		counters[i].name, m->count[i]);
}

static void print_holds_ended(const struct sgang_metrics *m, FILE *out)
{
	fputs("# TYPE slurm_gang_holds_ended counter\n"
	      "# HELP slurm_gang_holds_ended Holds of members that ended "
	      "without a start.\n",
	      out);
	for (int i = SGANG_HOLD_END_NONE + 1; i < SGANG_HOLD_ENDS; i++)
		fprintf(out,
			"slurm_gang_holds_ended_total{cause=\"%s\"} %" PRIu64
			"\n",
			sgang_hold_end_word((enum sgang_hold_end)i),
			m->holds_ended[i]);
}

static void print_gangs_ended(const struct sgang_metrics *m, FILE *out)
{
	fputs("# TYPE slurm_gang_ended counter\n"
	      "# HELP slurm_gang_ended Gangs that ended.\n",
	      out);
	for (int i = SGANG_VERDICT_NONE + 1; i < SGANG_VERDICTS; i++)
		fprintf(out,
			"slurm_gang_ended_total{verdict=\"%s\"} %" PRIu64 "\n",
			sgang_verdict_word((enum sgang_verdict)i),
			m->gangs_ended[i]);
}

/* Each bucket includes the buckets below it. */
static void print_histogram(const struct sgang_metrics *m, int i, FILE *out)
{
	const char *name = histograms[i].name;
	const double *bound = histograms[i].bound;
	uint64_t n = 0;

	fprintf(out, "# TYPE %s histogram\n# UNIT %s %s\n# HELP %s %s\n", name,
		name, histograms[i].unit, name, histograms[i].help);
	for (int b = 0; b < SGANG_METRICS_BUCKETS && bound[b] > 0; b++) {
		n += m->hist[i].bucket[b];
		/* an OpenMetrics number has a point or an exponent */
		fprintf(out, "%s_bucket{le=\"%g%s\"} %" PRIu64 "\n", name,
			bound[b], bound[b] == (uint64_t)bound[b] ? ".0" : "",
			n);
	}
	n += m->hist[i].bucket[SGANG_METRICS_BUCKETS];
	fprintf(out, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", name, n);
	fprintf(out, "%s_sum %.6f\n%s_count %" PRIu64 "\n", name,
		m->hist[i].sum, name, n);
}

void sgang_metrics_print(const struct sgang_metrics *m, FILE *out)
{
	for (int i = 0; i < SGANG_COUNTERS; i++)
		print_counter(m, i, out);
	print_holds_ended(m, out);
	print_gangs_ended(m, out);
	for (int i = 0; i < SGANG_HISTOGRAMS; i++)
		print_histogram(m, i, out);
	fputs("# EOF\n", out);
}

/* Open 'path' as a new file, readable by all. */
static FILE *open_new(const char *path)
{
	FILE *out;
	int fd;

	(void)unlink(path); /* left by a killed slurmctld */
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return NULL;
	out = fchmod(fd, 0644) ? NULL : fdopen(fd, "w");
	if (!out)
		close(fd);
	return out;
}

int sgang_metrics_write(const struct sgang_metrics *m, const char *path,
			struct sgang_error *err)
{
	char new[PATH_MAX];
	FILE *out;
	int rc = 0;

	if ((size_t)snprintf(new, sizeof(new), "%s.new", path) >= sizeof(new))
		return sgang_errf(err, ENAMETOOLONG, "%s: the path is too long",
				  path);
	out = open_new(new);
	if (!out)
		return sgang_errf(err, errno, "%s: cannot be written: %s", new,
				  strerror(errno));
	sgang_metrics_print(m, out);
	if (fflush(out) || ferror(out))
		rc = errno ? errno : EIO;
	if ((fclose(out) && !rc) || (!rc && rename(new, path)))
		rc = errno;
	if (rc) {
		(void)unlink(new);
		return sgang_errf(err, rc, "%s: cannot be written: %s", path,
				  strerror(rc));
	}
	return 0;
}
