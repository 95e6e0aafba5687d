/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select_private.h - what the parts of the select plugin share
 *
 * select.c: the calls of Slurm and the conductor's thread. job_test.c: the call
 * in which nodes are chosen. settings.c: reads gang.conf, the fabric and what
 * is inside the nodes. in_force.c: what of that is in force. stock_plugin.c:
 * finds the plugin to which calls are passed on.
 */

#ifndef SGANG_SELECT_PRIVATE_H
#define SGANG_SELECT_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "release.h"

#include "core/fabric/fabric.h"
#include "core/gang/conf.h"
#include "files/node_topos.h"
#include "glue.h"
#include "plugins/log.h"
#include "plugins/select/conductor.h"

/* When this slurmctld took control; 0 on standby. No header declares it. */
extern time_t control_time;

/* The plugin is also loaded by commands, which have none of this data. */
#pragma weak control_time
#pragma weak job_list
#pragma weak node_record_count
#pragma weak node_record_table_ptr
#pragma weak part_list
#pragma weak slurm_conf

/* ---- the stock plugin ---- */

/* Calls that are noticed on their way. */
#define SEEN(CALL)                                                        \
	CALL(int, node_init, (void), ())                                  \
	CALL(int, job_test,                                               \
	     (job_record_t * job_ptr, bitstr_t * node_bitmap,             \
	      uint32_t min_nodes, uint32_t max_nodes, uint32_t req_nodes, \
	      uint16_t mode, list_t * candidates, list_t * *victims,      \
	      RELEASE_REST_PARAMETERS), )                                 \
	CALL(int, job_begin, (job_record_t * job_ptr), (job_ptr))         \
	CALL(int, job_fini, (job_record_t * job_ptr), (job_ptr))          \
	CALL(int, job_expand, (job_record_t * from, job_record_t * to),   \
	     (from, to))                                                  \
	CALL(int, job_resized,                                            \
	     (job_record_t * job_ptr, node_record_t * node_ptr),          \
	     (job_ptr, node_ptr))                                         \
	CALL(int, job_suspend, (job_record_t * job_ptr, bool indefinite), \
	     (job_ptr, indefinite))                                       \
	CALL(int, reconfigure, (void), ())

/* The calls of the stock plugin; all are set when init() has succeeded. */
#define POINTER(type, name, parameters, arguments) type(*name) parameters;
struct sgang_stock {
	SEEN(POINTER)
	RELEASE_PASSED(POINTER)
};
#undef POINTER
extern struct sgang_stock sgang_stock;

/* ---- our own state, in slurmctld only ---- */

/* The text for sgang conf. */
struct sgang_settings_told;

struct sgang_own {
	bool controller;           /* this is slurmctld */
	atomic_bool forward_only;  /* something is wrong: stay out */
	atomic_bool configured;    /* conf and fabric have been read once */
	bool wrong_layout;         /* no settings can repair that */
	char off[512];             /* forward_only: why */
	atomic_bool other_nodes;   /* than those the files were read for */
	unsigned int applied;      /* how often that was done */
	unsigned int node_changes; /* how often nodes came or went */
	uint64_t node_stamp;       /* of the places of nodes in force */
	struct sgang_conf conf;
	struct sgang_topologies *topologies; /* the conductor owns them */
	struct sgang_node_topos *topos;      /* what is inside the nodes, */
	const struct sgang_node_topo **topo; /* where that fits them */
	struct sgang_conductor *conductor;
	pthread_t thread;
	/* to be written by the thread */
	_Atomic(struct sgang_settings_told *) told;
};
extern struct sgang_own sgang_own;

/* ---- stock_plugin.c ---- */

/* Load the next select_cons_tres.so of PluginDir that is not this file, nor
 * called 'our_name'. SLURM_SUCCESS or SLURM_ERROR. */
int sgang_stock_load(const char *our_name);

/* ---- in_force.c ---- */

/* Takes the answer of sgang_layout_...(), the name of records or NULL. If
 * records are not as the headers say, gangs and placement are off for good: no
 * settings can repair that. */
bool sgang_select_records_fit(const char *wrong);

/* The fabric by which the job is placed. Only while placement is on. */
const struct sgang_fabric *sgang_settings_fabric(const job_record_t *job_ptr);

/* Turn gangs and placement off, and log why, once. */
void sgang_settings_stay_out(const char *why);

/* Have the conductor's thread write down what is in force for sgang conf,
 * because slurmctld's locks are held: the settings, or why they are 'off', and
 * what the mistake is in a file that was not taken. Either may be NULL. */
void sgang_settings_tell(const char *off, const char *mistake);

/* The topologies in force are not those of slurmctld's nodes any more: no pass
 * is made until they have been read again. With the locks. */
void sgang_settings_outdated(void);

/* Write the text for sgang conf. Without the locks, on the conductor's thread.
 */
void sgang_settings_write(void);

/* ---- job_test.c ---- */

/* Once, in init(). */
void sgang_job_test_init(void);

/* Forget what backfill was offered on this thread: the nodes are others. */
void sgang_job_test_forget(void);

/* True if a requeue of the job now is a preemption; its record looks the same
 * when a user requeues it. With the job lock. */
bool sgang_job_test_is_victim(const job_record_t *job_ptr);

/* ---- settings.c ---- */

/* slurmctld has built its tables: read the files before anything uses them.
 * With the locks. After a mistake in a file the settings stay as they were; if
 * there were none, gangs and placement are off. */
void sgang_settings_configure(void);

/* Dynamic nodes have come or gone: read what the files say of them. Without the
 * locks, on the conductor's thread. */
void sgang_settings_read_again(void);

/* True if the topologies in force are those of slurmctld's nodes, in their
 * order. */
bool sgang_settings_fit_nodes(void);

#endif
