/* SPDX-License-Identifier: GPL-2.0-or-later */
/* at_work.h - is slurm-gang at work in this slurmctld?
 *
 * A job with --gang must not start alone because the select plugin is not there
 * or stays out. job_submit/gang asks the select plugin of the same process and
 * refuses such jobs. Both plugins include this file.
 */

#ifndef SGANG_AT_WORK_H
#define SGANG_AT_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exported by the select plugin, and found by this name among the plugins that
 * slurmctld has loaded. Returns NULL while gangs are scheduled as such, else a
 * clause that says why not, as in "slurmctld's job records are not laid out as
 * in the headers this was built with"; the plugin owns it. Needs any lock of
 * slurmctld on jobs and nodes. */
const char *sgang_select_off(void);
#define SGANG_SELECT_OFF "sgang_select_off"

/* Exported in the same way. True if a gang can never start with the job that is
 * submitted, these members of it, and so many others of which nothing is known;
 * 'why' then says what they lack. 'spec' has what the gang asks of the levels.
 * False also if this is unknown. Needs read locks on slurmctld's jobs, nodes
 * and partitions. */
struct job_descriptor; /* job_desc_msg_t */
struct sgang_spec;
struct sgang_select_member {
	uint32_t job_id;  /* 0: the job that is submitted */
	uint32_t members; /* the number it counts as */
	bool first;       /* --gang-order puts them into the minimum */
};
bool sgang_select_never(struct job_descriptor *job_desc,
			const struct sgang_select_member *members, size_t n,
			uint32_t spare, uint32_t others,
			const struct sgang_spec *spec, char *why, size_t size);
#define SGANG_SELECT_NEVER "sgang_select_never"

/* Exported in the same way. True if two jobs ask for the same, so that the
 * answer is the same for both. Needs a read lock on jobs. */
bool sgang_select_alike(uint32_t job_id, uint32_t other);
#define SGANG_SELECT_ALIKE "sgang_select_alike"

/* Exported in the same way. Rises when the record of a gang is written into any
 * job. Needs a read lock on jobs. */
uint64_t sgang_select_written(void);
#define SGANG_SELECT_WRITTEN "sgang_select_written"

/* Exported in the same way. Rises when a job becomes a member of another gang:
 * a spare of a pool. Needs a read lock on jobs. */
uint64_t sgang_select_moved(void);
#define SGANG_SELECT_MOVED "sgang_select_moved"

/* Exported in the same way. The marked answer to a question (question.h), for
 * the caller to free(); NULL: there is none, or no memory. Needs read locks on
 * slurmctld's jobs and nodes. */
char *sgang_select_answer(const char *question);
#define SGANG_SELECT_ANSWER "sgang_select_answer"

/* Exported in the same way. True if gangs cannot be placed on the topology of
 * any of these partitions ("a,b"); 'why' names one of them, and says why. Needs
 * read locks on slurmctld's nodes and partitions. */
bool sgang_select_barred(const char *partitions, char *why, size_t size);
#define SGANG_SELECT_BARRED "sgang_select_barred"

/* For job_submit/gang: the same by the select plugin that is loaded. */
bool sgang_at_work_barred(const char *partitions, char *why, size_t size);

/* For job_submit/gang: the same by the select plugin that is loaded. */
char *sgang_at_work_answer(const char *question);

/* For job_submit/gang: these by the select plugin that is loaded. If that is
 * not ours, no two jobs are alike. */
uint64_t sgang_at_work_moved(void);
bool sgang_at_work_alike(uint32_t job_id, uint32_t other);
uint64_t sgang_at_work_written(void);

/* For job_submit/gang: the same by the select plugin that is loaded. */
bool sgang_at_work_never(struct job_descriptor *job_desc,
			 const struct sgang_select_member *members, size_t n,
			 uint32_t spare, uint32_t others,
			 const struct sgang_spec *spec, char *why, size_t size);

/* For job_submit/gang: the same of the select plugin that is loaded. If that is
 * not ours, a clause that says why, with what to change in slurm.conf; valid
 * until the next call. 'told': the select plugin has logged it. Needs any lock
 * on slurmctld's configuration. */
const char *sgang_at_work_off(bool *told);

/* True if a job whose record, or job_desc_msg_t, is not laid out as in the
 * headers has options of gangs. Searches all that Slurm's allocator gave for
 * it; takes a tenth of a millisecond. */
bool sgang_at_work_concerns(const void *job);

/* Version number of a plugin as text, "22.05.8". */
void sgang_at_work_version(unsigned int version, char *text, size_t size);

#endif
