/* SPDX-License-Identifier: GPL-2.0-or-later */
/* client.h - what slurmctld is told and asked, through libslurm */

#ifndef LR_CLIENT_H
#define LR_CLIENT_H

#include <time.h>

#include "model.h"

/* What slurmctld says of a job. */
struct lr_job {
	uint32_t id; /* LR_NONE: it is not there */
	bool pending, has_nodes, ended;
	time_t start;          /* expected or real; 0: none */
	time_t end;            /* its time limit; 0: none */
	struct lr_place nodes; /* in Slurm's order */
	char reason[512];
	char record[2048]; /* its SystemComment */
};

/* Milliseconds that only go forward. */
double lr_now_ms(void);
void lr_nap(void);
/* Before all others: reads SLURM_CONF. */
void lr_begin(void);

/* A job that takes some of one node, or part of an array or gang. Returns its
 * id, or 0 with a message on stderr. 'minutes' 0: no time limit. */
uint32_t lr_block(const struct lr_cluster *c, uint32_t node,
		  const uint32_t use[LR_DIMS], bool whole, uint32_t minutes);
/* Submit all members, or as one array. Returns 0 and ids[]; for the tasks of an
 * array all have its id. */
int lr_submit(const struct lr_cluster *c, const struct lr_gang *g,
	      uint32_t ids[LR_MEMBERS]);
/* Look at them in one moment. jobs[].id is LR_NONE for one that is not there,
 * and that of the array for a task that is not yet a job of its own. */
int lr_look_members(const struct lr_cluster *c, const struct lr_gang *g,
		    const uint32_t *ids, struct lr_job *jobs);
/* Why the last job was refused. */
const char *lr_refusal(void);
/* Look at these jobs in one moment. */
int lr_look(const struct lr_cluster *c, const uint32_t *ids, uint32_t n,
	    struct lr_job *jobs);
/* Cancel and wait until they have given back all: these jobs, or 'g' is not
 * NULL and they are its members. */
int lr_cancel(const struct lr_cluster *c, const struct lr_gang *g,
	      const uint32_t *ids, uint32_t n);
/* A variable of the job's environment, which the caller frees; NULL: not set.
 */
char *lr_variable(uint32_t id, const char *name);
/* The CPUs that jobs have of each node, bit masks. */
int lr_cores(const struct lr_cluster *c, const uint32_t *ids, uint32_t n,
	     uint32_t cores[][LR_NODES]);
/* CPUs in use on each node, as slurmctld counts them. */
int lr_cpus_in_use(const struct lr_cluster *c, uint32_t cpus[LR_NODES]);
/* Begin to; how many have not begun. */
int lr_power_up(const struct lr_node *node);
int lr_powered_down(uint32_t *n);
int lr_drain(const struct lr_node *node, bool away);
/* Keep it for somebody else, or no more. */
int lr_reserve(const struct lr_node *node, bool reserved);

/* The node of that name, or LR_NONE. */
uint32_t lr_node_called(const struct lr_cluster *c, const char *name);
/* A host list, or names with commas between them. -1: one is not known. */
int lr_parse_nodes(const struct lr_cluster *c, const char *text,
		   struct lr_place *place);

/* -- show.c: what is wrong with what sgang says, or NULL -- */

struct lr_seat {
	uint32_t member, node, island;
};

/* What sgang map has of each rank; how many there are, 0 if it has none. */
uint32_t lr_read_map(const struct lr_cluster *c, uint32_t number,
		     struct lr_seat *seat, uint32_t n);

/* 'g', ids[] and place[] in the order of the ring */
const char *lr_wrong_map(const struct lr_cluster *c, const struct lr_gang *g,
			 const uint32_t *ids, const struct lr_place *place);
const char *lr_wrong_placement(const struct lr_gang *g, uint32_t cost,
			       uint32_t cross);
const char *lr_wrong_wait(const struct lr_gang *g, const char *reason);

#endif
