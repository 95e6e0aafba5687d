/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release_until_24_11.h - what releases up to 24.11 have in common
 *
 * Included by their headers after Slurm's own; what the names mean: release.h.
 */

#ifndef SGANG_RELEASE_UNTIL_24_11_H
#define SGANG_RELEASE_UNTIL_24_11_H

#include "slurm/release_until_25_05.h"

/* ---- start and end ---- */

static inline void release_completed(job_record_t *job_ptr)
{
	cleanup_completing(job_ptr);
}

static inline void release_set_certificate(slurm_msg_t *msg,
					   const job_record_t *job_ptr)
{
	(void)msg;
	(void)job_ptr;
}

static inline void release_free_certificate(slurm_msg_t *msg)
{
	(void)msg;
}

/* ---- nodes ---- */

static inline uint32_t release_power(const node_record_t *node_ptr)
{
	return IS_NODE_POWERED_DOWN(node_ptr) ? 1 : 0;
}

#define RELEASE_TOPOLOGY_YAML 0

static inline const char *release_partition_topology(const part_record_t *part)
{
	(void)part;
	return NULL;
}

static inline void release_node_used(const node_record_t *node_ptr,
				     uint16_t *cpus, uint64_t *memory)
{
	select_g_select_nodeinfo_get(node_ptr->select_nodeinfo,
				     SELECT_NODEDATA_SUBCNT,
				     NODE_STATE_ALLOCATED, cpus);
	select_g_select_nodeinfo_get(node_ptr->select_nodeinfo,
				     SELECT_NODEDATA_MEM_ALLOC,
				     NODE_STATE_ALLOCATED, memory);
}

/* ---- the select plugin ---- */

#define RELEASE_PASSED_UNTIL_24_11(CALL)                                    \
	CALL(int, state_save, (char *dir), (dir))                           \
	CALL(int, state_restore, (char *dir), (dir))                        \
	CALL(int, job_init, (list_t * jobs), (jobs))                        \
	CALL(int, job_ready, (job_record_t * job_ptr), (job_ptr))           \
	CALL(int, job_resume, (job_record_t * job_ptr, bool indefinite),    \
	     (job_ptr, indefinite))                                         \
	CALL(bitstr_t *, step_pick_nodes,                                   \
	     (job_record_t * job_ptr, select_jobinfo_t * jobinfo,           \
	      uint32_t nodes, bitstr_t * *avail),                           \
	     (job_ptr, jobinfo, nodes, avail))                              \
	CALL(int, step_start, (step_record_t * step), (step))               \
	CALL(int, step_finish, (step_record_t * step, bool killing),        \
	     (step, killing))                                               \
	CALL(int, select_nodeinfo_pack,                                     \
	     (select_nodeinfo_t * info, buf_t * buffer, uint16_t version),  \
	     (info, buffer, version))                                       \
	CALL(int, select_nodeinfo_unpack,                                   \
	     (select_nodeinfo_t * *info, buf_t * buffer, uint16_t version), \
	     (info, buffer, version))                                       \
	CALL(select_nodeinfo_t *, select_nodeinfo_alloc, (void), ())        \
	CALL(int, select_nodeinfo_free, (select_nodeinfo_t * info), (info)) \
	CALL(int, select_nodeinfo_set_all, (void), ())                      \
	CALL(int, select_nodeinfo_set, (job_record_t * job_ptr), (job_ptr)) \
	CALL(int, select_nodeinfo_get,                                      \
	     (select_nodeinfo_t * info, enum select_nodedata_type what,     \
	      enum node_states state, void *data),                          \
	     (info, what, state, data))                                     \
	CALL(select_jobinfo_t *, select_jobinfo_alloc, (void), ())          \
	CALL(int, select_jobinfo_free, (select_jobinfo_t * info), (info))   \
	CALL(int, select_jobinfo_set,                                       \
	     (select_jobinfo_t * info, enum select_jobdata_type what,       \
	      void *data),                                                  \
	     (info, what, data))                                            \
	CALL(int, select_jobinfo_get,                                       \
	     (select_jobinfo_t * info, enum select_jobdata_type what,       \
	      void *data),                                                  \
	     (info, what, data))                                            \
	CALL(select_jobinfo_t *, select_jobinfo_copy,                       \
	     (select_jobinfo_t * info), (info))                             \
	CALL(int, select_jobinfo_pack,                                      \
	     (select_jobinfo_t * info, buf_t * buffer, uint16_t version),   \
	     (info, buffer, version))                                       \
	CALL(int, select_jobinfo_unpack,                                    \
	     (select_jobinfo_t * *info, buf_t * buffer, uint16_t version),  \
	     (info, buffer, version))                                       \
	CALL(int, get_info_from_plugin,                                     \
	     (enum select_plugindata_info what, job_record_t * job_ptr,     \
	      void *data),                                                  \
	     (what, job_ptr, data))

#endif
