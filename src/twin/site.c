/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site.c - which form a cluster is written in */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text_file.h"
#include "site_private.h"

#define DAY (24 * 60 * 60)

/* Source: slurm.conf(5) of 26.05 and the constants of backfill.c,
 * job_scheduler.c and read_config.h. Those of 22.05 differ in PriorityType
 * (basic), SelectType (linear) and SelectTypeParameters (none). */
void sgang_site_default(struct sgang_site_scheduling *scheduling)
{
	*scheduling = (struct sgang_site_scheduling){
		.backfill = true,
		.interval = 60,
		.queue_depth = 100,
		.bf_interval = 30,
		.bf_window = DAY,
		.bf_resolution = 60,
		.bf_max_job_test = 500,
		.multifactor = true,
		.max_age = 7 * DAY,
		.half_life = 7 * DAY,
		.counts_memory = true,
		.kill_wait = 30,
		.min_job_age = 300,
		.requeue_delay = 120,
	};
}

/* scontrol prints CPUTot, which slurm.conf does not know. */
static bool is_shown(const char *text)
{
	const char *at = strstr(text, "CPUTot=");
	const char *node = strstr(text, "NodeName=");

	return at && node && node < at && (node == text || node[-1] == '\n') &&
	       at[-1] == ' ';
}

static struct sgang_site *create(struct sgang_site_draft *draft)
{
	struct sgang_site *site = calloc(1, sizeof(*site));

	if (site)
		site->memory = calloc(1, sizeof(struct sgang_pool));
	if (!site || !site->memory) {
		free(site);
		sgang_err_memory(draft->err);
		return NULL;
	}
	sgang_site_default(&site->scheduling);
	draft->site = site;
	return site;
}

/* The site of a draft into which 'rc' says all could be read. */
static struct sgang_site *finish(struct sgang_site_draft *draft, int rc,
				 const char *label)
{
	int saved;

	if (!rc)
		rc = sgang_site_build(draft, label);
	saved = errno;
	sgang_site_draft_clear(draft);
	if (rc) {
		sgang_site_destroy(draft->site);
		draft->site = NULL;
	}
	errno = saved;
	return draft->site;
}

struct sgang_site *sgang_site_load(const char *path, struct sgang_error *err)
{
	struct sgang_site_draft draft = { .err = err };
	char *text = sgang_text_file_read(path, SGANG_SITE_FILE_MAX,
					  SGANG_SITE_FILE_KIND, err);
	struct sgang_site *site = NULL;
	int rc, saved;

	if (!text)
		return NULL;
	if (create(&draft)) {
		rc = is_shown(text) ?
			     sgang_site_read_shown(&draft, text, path) :
			     sgang_site_read_conf(&draft, text, path);
		site = finish(&draft, rc, path);
	}
	saved = errno;
	free(text);
	errno = saved;
	return site;
}

struct sgang_site *sgang_site_alike(const char *const *names, uint32_t n,
				    const struct sgang_site_node *like,
				    struct sgang_error *err)
{
	const struct sgang_place nowhere = { "", 0 };
	struct sgang_site_draft draft = { .err = err };
	const struct sgang_site_draft_node node = { .node = *like,
						    .features = "" };
	uint32_t i;
	int rc = 0;

	if (!create(&draft))
		return NULL;
	for (i = 0; i < n && !rc; i++)
		rc = sgang_site_add_nodes(&draft, names[i], &node, nowhere);
	return finish(&draft, rc, "the nodes");
}

void sgang_site_destroy(struct sgang_site *site)
{
	int saved = errno;
	size_t i;

	if (!site)
		return;
	for (i = 0; i < site->n_partitions; i++)
		sgang_nodeset_destroy(site->partitions[i].nodes);
	sgang_pool_clear(site->memory);
	free(site->memory);
	free(site);
	errno = saved;
}
