/* SPDX-License-Identifier: GPL-2.0-or-later */
/* glue.h - what the entry points and the host calls of one release share
 *
 * select.c holds the functions Slurm looks up and decides which jobs they
 * concern; host*.c implement struct sgang_host on Slurm's records. The two meet
 * in select_nodes(): a host call sets the mode of its thread, calls
 * select_nodes(), and select_p_job_test() finds the mode here.
 */

#ifndef SGANG_GLUE_H
#define SGANG_GLUE_H

#include <stdatomic.h>

#include "plugins/select/host.h"

/* Slurm's headers are included by the .c files, in their own order. */
struct job_record;

enum sgang_job_test_mode {
	SGANG_JOB_TEST_NONE,  /* a scheduler of Slurm's */
	SGANG_JOB_TEST_PROBE, /* report nodes, allocate nothing */
	SGANG_JOB_TEST_COMMIT /* keep to the given nodes */
};

/* The request of a host call to the select_p_job_test() that it causes. Other
 * threads never see it. */
struct sgang_job_test {
	enum sgang_job_test_mode mode;
	bool asked;                        /* it got that far */
	struct sgang_nodeset *usable;      /* PROBE: free now, collected here */
	struct sgang_nodeset *ever;        /* PROBE: whether free or not */
	struct sgang_shape *shape;         /* PROBE: filled */
	const struct sgang_bounds *bounds; /* COMMIT: keep to these */
	bool refused;                      /* COMMIT: no place within */
	char bound[128]; /* COMMIT: the rule without which there was one; "":
			  * none is known */
};
extern __thread struct sgang_job_test sgang_job_test;

/* Grows with every change that is reported to the plugin. */
extern atomic_uint_fast64_t sgang_events;

/* The job records have just been read, by a slurmctld that is taking control.
 */
extern atomic_bool sgang_host_fresh;

/* True if gangs and placement are on and job records may be read. To be asked
 * with the locks held, because it can change while they are waited for. The
 * first job shows whether records are as the headers say; NULL: no job is going
 * to be read, or there is none. Answered by the entry points. */
bool sgang_select_at_work(struct job_record *job);

/* With the locks: true if a node has another place than in the fabric in force.
 * No pass is made until the fabric has been read again. Answered by the entry
 * points. */
bool sgang_select_nodes_moved(void);

extern const struct sgang_host sgang_host_slurm;

/* Brings what node_usage() reads up to date; set by the entry points to the
 * stock plugin's function. */
extern int (*sgang_host_refresh)(void);

/* The inside of the nodes, set by the entry points; NULL: each is one island.
 */
extern const struct sgang_devices *sgang_host_devices;

/* The topology by which the job is placed, that of its partition (see
 * sgang_conf_topology_of()). Answered by the entry points. */
void sgang_settings_topology(const struct job_record *job,
			     char name[SGANG_TOPOLOGY_NAME]);

/* True if gangs cannot be placed on the topology of the job's partition.
 * Answered by the entry points. */
bool sgang_settings_barred(const struct job_record *job);

/* True if the job has anything about gangs. Cheap. */
bool sgang_host_concerns(const struct job_record *job);

/* Clear --requeue=expedite of a member: a member that fails is restarted with
 * its gang or not at all. */
void sgang_host_no_expedite(struct job_record *job);

/* The user's name, remembered in the job record. May be NULL. */
const char *sgang_host_user(struct job_record *job);

/* The job's needs on its nodes, from the arguments of job_test. */
void sgang_host_shape(const struct job_record *job, uint32_t min_nodes,
		      uint32_t max_nodes, uint32_t req_nodes,
		      struct sgang_shape *shape);

#endif
