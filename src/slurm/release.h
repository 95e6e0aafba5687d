/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release.h - Slurm's private headers, and what its releases do differently
 *
 * configure links slurm-private/sgang_release.h to release_<release>.h of the
 * Slurm it builds for. Each of those includes Slurm's headers and gives these
 * names; nothing outside them asks for a version.
 *
 *   list_t, list_itr_t, job_details_t
 *			types, as later releases call them
 *   release_set_state(), release_set_flag(), release_clear_flag()
 *			job_state; newer releases keep a second copy
 *   release_reason()	Slurm's word for a reason to wait
 *   release_whole_node()	does the job want all of its nodes?
 *   release_user_node()	... or shares them with jobs of its user alone?
 *   release_mcs_node()	... or of its MCS label?
 *   release_segments()	the size of its segments (--segment) in the lowest 16 bits,
 *			above them a bit for each option about them; 0: none
 *   RELEASE_UNNAMED_STAYS	is a node left where it was in topologies that its
 *			Topology= does not name? (25.05 and later)
 *   RELEASE_SPREAD_SEGMENTS, RELEASE_CONSOLIDATE_SEGMENTS
 *			these bits; 0: the release has no such option
 *   RELEASE_IMPLICIT_MAX_NODES
 *			among a job's flags: it has asked for no max_nodes, Slurm has
 *			set them; 0: Slurm leaves them 0 then
 *   release_nodes_bound()	it gets no more nodes than that; 0: as it asks
 *   release_select_nodes()	start the job as the main scheduler does
 *   release_nodes_ready()	could an allocated job be launched by now?
 *   release_count_begin(), release_count_end()
 *			count the job for the limits of its associations
 *   release_switch_complete(), release_completed(), release_epilog_done()
 *			the steps of an end, see host_undo()
 *   release_forget()	give back and forget what a start has given to the job
 *			besides nodes, GRES and TRES
 *   release_set_certificate(), release_free_certificate()
 *			of the receiver of a message, where connections have TLS
 *   release_requeue()	as scontrol requeue of root does it
 *   RELEASE_EXPEDITED	among a job's flags: --requeue=expedite; 0: there is no such
 *			thing
 *   release_requeue_is_new()
 *			does a requeue give the job another priority?
 *   release_renews_at_once()
 *			does slurmd take a requeued job for a new run, however
 *			soon it comes back?
 *   release_clear_grace()	the job is not in the grace of a preemption any more
 *   release_validate_gres()	make gres_list_req, which is NULL, anew
 *   release_gres_per_task()	does each task ask for GRES?
 *   release_gres_tres()	add the GRES of a request to an array of TRES; needs the
 *			read lock on TRES
 *   RELEASE_TOPOLOGY_YAML	does slurmctld read a topology.yaml? 0 or 1
 *   release_partition_topology()
 *			the topology of topology.yaml that the partition has for
 *			itself; NULL: none
 *   release_place_before()	the place that the node has when that of scontrol is
 *			gone; NULL: that of the file, or there is no such thing
 *   release_test_reservations()
 *			job_test_resv() for a start now: the nodes that no
 *			reservation keeps the job off, to be freed
 *   release_power()	the order in which Slurm takes nodes by their power: 0 for
 *			those that are up
 *   RELEASE_ORDERS_DOWN	does Weight count among those that are not? 0 or 1
 *   release_node_used()	CPUs and MB of memory in use on a node
 *   RELEASE_ORDERS_NODES	can a job's nodes have an order of their own, along
 *			which blocks of ranks are dealt?
 *   release_order_nodes()	a number for each of its nodes, the lowest first; from
 *			xcalloc(), now slurmctld's
 *   release_queue_record()	fill what only some releases have in a record of the
 *			scheduler's queue, of which the rest is set
 *   RELEASE_MORE_LOCKS	locks of backfill that only some releases have
 *   RELEASE_BY_MEMORY, RELEASE_BY_CORE, RELEASE_BY_SOCKET
 *			in SelectTypeParameters: what is counted
 *   RELEASE_LEAST_LOADED, RELEASE_ONE_TASK_PER_CORE
 *			there: CR_LLN, CR_ONE_TASK_PER_CORE
 *   RELEASE_OWN_CORE_SPEC	among slurm_conf.conf_flags: AllowSpecResourcesUsage=YES
 *   RELEASE_BITMAP_HEAD, BITSTR_SHIFT
 *			the words of a bitmap begin after so many, and hold 64
 *			bits each
 *
 * For the select plugin:
 *
 *   release_rest_t	the last arguments of job_test, which nobody but the
 *			stock plugin looks at: cores and GRES that the job may
 *			not have; RELEASE_REST_PARAMETERS, RELEASE_REST and
 *			RELEASE_REST_ARGUMENTS declare, collect and pass them
 *   release_exclude()	the same with more cores excluded, by a bitmap over
 *			the cluster, which it takes; release_free_excluded()
 *			ends it
 *   release_excludes_cores()	whether they exclude any core;
 *			release_exclude_nothing() gives those that do not
 *   RELEASE_PASSED	the calls that only pass through to the stock plugin,
 *			as CALL(type, name, parameters, arguments)
 */

#include "sgang_release.h"
