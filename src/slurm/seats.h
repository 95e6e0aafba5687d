/* SPDX-License-Identifier: GPL-2.0-or-later */
/* seats.h - which job has which nodes, and which jobs count as gone
 *
 * A seat is what a job has of one of its nodes. Jobs that count as gone are
 * said to be left out: slurmctld's own numbers of a node are then too high by
 * what they have there. Everything is called with slurmctld's locks held, and
 * pointers last as long as these.
 */

#ifndef SGANG_SEATS_H
#define SGANG_SEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct job_record;

/* The seat of a job that runs or is suspended. */
struct sgang_seat {
	const struct job_record *job;
	uint32_t node;
	int index; /* index of the node among the job's */
	int first; /* its first core there, among those of its nodes */
	int cores; /* how many it has there, if that is known; else all */
	bool left_out;
	bool suspended; /* only its cores are */
	uint32_t next;  /* private: of the same node */
};

/* The part of a node's resources in use that the jobs left out have; their GRES
 * are known by their seats. */
struct sgang_gone {
	uint32_t cpus;
	uint64_t memory;     /* MB */
	uint32_t running;    /* number of jobs that run there */
	uint32_t completing; /* ... or are completing */
	bool known;          /* private */
};

/* From now on seats are those of this moment. Costs nothing; the first question
 * takes the time to look at every job and all nodes of those that run, unless
 * no job has got or given back nodes since. */
void sgang_seats_refresh(void);

/* The seats on a node, in the order of slurmctld's list of jobs; NULL: no more.
 */
const struct sgang_seat *sgang_seats_of_node(uint32_t node);
const struct sgang_seat *sgang_seats_next(const struct sgang_seat *seat);

/* The seats of a job, in the order of its nodes, contiguous in memory. Returns
 * their number; 0 if it does not run. Nodes that are no longer known, and those
 * after them, are not among them. */
uint32_t sgang_seats_of_job(const struct job_record *job,
			    const struct sgang_seat **seats);

/* True if slurmctld counts the job's cores as in use. */
bool sgang_seats_uses_cores(const struct sgang_seat *seat);

/* MB of the job there; 0: none, or unknown. */
uint64_t sgang_seats_memory(const struct sgang_seat *seat);

/* The job's number of GRES with that id on the node; 'typed': of that type. */
uint64_t sgang_seats_gres(const struct sgang_seat *seat, uint32_t id,
			  bool typed, uint32_t type);

/* From now on no job is left out. */
void sgang_seats_keep_all(void);

/* Leave out the job, too, if it has nodes or is completing; a completing job
 * must not be left out twice. Takes the time to look at its nodes. When jobs
 * have got or given back nodes afterwards none is left out. */
void sgang_seats_leave_out(const struct job_record *job);

/* Call when all jobs are left out. Takes the time to look at their nodes, and
 * at the jobs that have a part of these. */
void sgang_seats_left_out(void);

/* From now on, until no job is left out, the cores of jobs in partitions below
 * this PriorityTier count as free, because Slurm suspends these jobs; their
 * memory and GRES do not. This lasts when jobs have got or given back nodes.
 * Returns whether there are any. Takes the time to look at every job and their
 * nodes. */
bool sgang_seats_suspend(uint16_t below);

/* True if Slurm suspends the job then. */
bool sgang_seats_suspends(const struct job_record *job);

/* NULL: no job that is left out has a part of that node. */
const struct sgang_gone *sgang_seats_gone(uint32_t node);

/* The same of a GRES of that node. */
uint64_t sgang_seats_gres_gone(uint32_t node, uint32_t id, bool typed,
			       uint32_t type);

/* Take the GRES of jobs that are left out out of a map of the node's GRES in
 * use, by index. */
void sgang_seats_free_gres(uint32_t node, uint32_t id, int64_t *used);

#endif
