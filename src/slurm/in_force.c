/* SPDX-License-Identifier: GPL-2.0-or-later */
/* in_force.c - are gangs and placement on, by which settings, and why not
 *
 * settings.c puts settings in force; all other files ask here. Users ask
 * through job_submit/gang (core/gang/question.h).
 */

#include "config.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "select_private.h"

#include "at_work.h"
#include "core/base/text.h"
#include "core/base/text_file.h"
#include "core/fabric/fabric_lines.h"
#include "core/gang/question.h"
#include "kept.h"
#include "layout.h"
#include "slurm_tree.h"

struct sgang_own sgang_own;

struct sgang_settings_told {
	char *path; /* of the file it goes to */
	char *text;
};

static void free_settings(struct sgang_settings_told *told)
{
	if (!told)
		return;
	xfree(told->path);
	free(told->text);
	xfree(told);
}

/* Returns a string for free(), or NULL without memory. 'off' and 'mistake' are
 * NULL if there is nothing to say. */
static char *settings_text(const char *off, const char *mistake)
{
	char *path = get_extra_conf_path("gang.conf"), *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (out) {
		fprintf(out, "# file=%s\n# since=%" PRIdMAX "\n", path,
			(intmax_t)time(NULL));
		if (mistake)
			fprintf(out, "# mistake=%s\n", mistake);
		if (off)
			fprintf(out, "# off=%s\n", off);
		else
			sgang_conf_print_sources(&sgang_own.conf, path, out);
		if (fclose(out)) {
			free(text);
			text = NULL;
		}
	}
	xfree(path);
	return text;
}

/* ---- what users ask ---- */

/* What was told last. Of the fabric it is made when somebody asks first. */
static struct {
	pthread_mutex_t lock; /* nothing waits for it for long */
	char *settings;
	char *fabric;
	unsigned int fabric_of; /* sgang_own.applied when it was made */
} known = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void remember(const char *text)
{
	pthread_mutex_lock(&known.lock);
	free(known.settings);
	known.settings = strdup(text);
	pthread_mutex_unlock(&known.lock);
}

/* NULL: there is none, or no memory. */
static char *fabric_text(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out;
	int rc;

	if (sgang_own.forward_only || !sgang_own.topologies)
		return NULL;
	out = open_memstream(&text, &size);
	rc = out ? sgang_fabric_lines_print(sgang_own.topologies, out) : -1;
	if (!sgang_text_close(out, &text) || !rc)
		return text;
	free(text);
	return NULL;
}

extern char *sgang_select_answer(const char *question)
{
	char *answer = NULL, *text = NULL;

	pthread_mutex_lock(&known.lock);
	if (!strcmp(question, SGANG_QUESTION_SETTINGS)) {
		text = known.settings;
	} else if (!strcmp(question, SGANG_QUESTION_FABRIC)) {
		if (!known.fabric || known.fabric_of != sgang_own.applied ||
		    sgang_own.forward_only) {
			free(known.fabric);
			known.fabric = fabric_text();
			known.fabric_of = sgang_own.applied;
		}
		text = known.fabric;
	}
	if (text)
		answer = sgang_question_mark(text);
	pthread_mutex_unlock(&known.lock);
	return answer;
}

void sgang_settings_tell(const char *off, const char *mistake)
{
	struct sgang_settings_told *told;
	char *text = settings_text(off, mistake);

	if (!text)
		return;
	remember(text);
	if (!sgang_own.conductor) {
		free(text);
		return;
	}
	told = xmalloc(sizeof(*told));
	told->text = text;
	told->path = xstrdup_printf("%s/" SGANG_CONF_IN_FORCE,
				    slurm_conf.state_save_location);
	free_settings(atomic_exchange(&sgang_own.told, told));
	sgang_conductor_poke(sgang_own.conductor);
}

void sgang_settings_write(void)
{
	struct sgang_settings_told *told = atomic_exchange(&sgang_own.told,
							   NULL);
	struct sgang_error err;

	if (told && sgang_text_file_write(told->path, told->text, &err) < 0)
		sgang_log(SGANG_LOG_ERROR, "%s", err.text);
	free_settings(told);
}

void sgang_settings_stay_out(const char *why)
{
	if (!sgang_own.forward_only)
		sgang_log(
			SGANG_LOG_ERROR,
			"%s; gangs and placement are off, jobs are scheduled by Slurm alone",
			why);
	sgang_settings_tell(why, NULL);
	snprintf(sgang_own.off, sizeof(sgang_own.off), "%s", why);
	sgang_own.forward_only = true;
}

void sgang_settings_topology(const job_record_t *job_ptr,
			     char name[SGANG_TOPOLOGY_NAME])
{
	const part_record_t *part = job_ptr->part_ptr;

	name[0] = '\0';
	if (part)
		(void)sgang_conf_topology_of(&sgang_own.conf, part->name,
					     release_partition_topology(part),
					     name);
}

/* True if gangs cannot be placed on its topology; 'why' names both. */
static bool is_barred(const part_record_t *part, char *why, size_t size)
{
	const struct sgang_topologies *all = sgang_own.topologies;
	char name[SGANG_TOPOLOGY_NAME];
	const char *barred;

	if (!part || !all || !all->n_barred)
		return false;
	(void)sgang_conf_topology_of(&sgang_own.conf, part->name,
				     release_partition_topology(part), name);
	barred = sgang_topologies_barred(all, name);
	if (barred && size)
		snprintf(why, size, "partition %s: %s", part->name, barred);
	return barred;
}

bool sgang_settings_barred(const job_record_t *job_ptr)
{
	return is_barred(job_ptr->part_ptr, NULL, 0);
}

extern bool sgang_select_barred(const char *partitions, char *why, size_t size)
{
	char *names = xstrdup(partitions), *rest = NULL, *name;
	bool barred = false, open = false;

	for (name = strtok_r(names, ",", &rest); name && !open;
	     name = strtok_r(NULL, ",", &rest)) {
		part_record_t *part_ptr = find_part_record(name);

		if (!part_ptr)
			continue;
		if (is_barred(part_ptr, why, size))
			barred = true;
		else
			open = true;
	}
	xfree(names);
	return barred && !open;
}

const struct sgang_fabric *sgang_settings_fabric(const job_record_t *job_ptr)
{
	const struct sgang_topologies *all = sgang_own.topologies;
	char name[SGANG_TOPOLOGY_NAME] = "";

	if (all->n > 1)
		sgang_settings_topology(job_ptr, name);
	return sgang_topologies_find(all, name)->fabric;
}

void sgang_settings_outdated(void)
{
	atomic_store(&sgang_own.other_nodes, true);
	sgang_conductor_poke(sgang_own.conductor);
}

bool sgang_select_nodes_moved(void)
{
	if (!sgang_own.configured || atomic_load(&sgang_own.other_nodes) ||
	    sgang_slurm_tree_stamp() == sgang_own.node_stamp)
		return false;
	sgang_settings_outdated();
	return true;
}

bool sgang_select_records_fit(const char *wrong)
{
	char why[128];

	if (!wrong)
		return true;
	sgang_own.wrong_layout = true;
	snprintf(
		why, sizeof(why),
		"slurmctld's %s are not laid out as in the headers this was built with",
		wrong);
	sgang_settings_stay_out(why);
	return false;
}

bool sgang_select_at_work(job_record_t *job_ptr)
{
	return sgang_own.controller && sgang_own.configured &&
	       !sgang_own.forward_only &&
	       sgang_select_records_fit(sgang_layout_jobs(job_ptr));
}
