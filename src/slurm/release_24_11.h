/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release_24_11.h - Slurm 24.11's private headers; what the names mean: release.h */

#ifndef SGANG_RELEASE_H
#define SGANG_RELEASE_H

#include "slurm/slurm_errno.h"
#include "src/common/slurm_xlator.h"
#include "src/common/assoc_mgr.h"
#include "src/common/bitstring.h"
#include "src/common/core_array.h"
#include "src/common/job_features.h"
#include "src/common/job_record.h"
#include "src/common/job_resources.h"
#include "src/common/job_state_reason.h"
#include "src/common/list.h"
#include "src/common/log.h"
#include "src/common/node_conf.h"
#include "src/common/port_mgr.h"
#include "src/common/read_config.h"
#include "src/common/run_in_daemon.h"
#include "src/common/uid.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/interfaces/accounting_storage.h"
#include "src/interfaces/gres.h"
#include "src/interfaces/preempt.h"
#include "src/interfaces/prep.h"
#include "src/interfaces/priority.h"
#include "src/interfaces/select.h"
#include "src/interfaces/switch.h"
#include "src/slurmctld/acct_policy.h"
#include "src/slurmctld/agent.h"
#include "src/slurmctld/fed_mgr.h"
#include "src/slurmctld/job_scheduler.h"
#include "src/slurmctld/licenses.h"
#include "src/slurmctld/locks.h"
#include "src/slurmctld/node_scheduler.h"
#include "src/slurmctld/proc_req.h"
#include "src/slurmctld/reservation.h"
#include "src/slurmctld/slurmctld.h"
#include "src/stepmgr/gres_stepmgr.h"
#include "src/stepmgr/stepmgr.h"

#include "slurm/release_since_24_11.h"
#include "slurm/release_until_24_11.h"

static inline uint64_t release_segments(const job_record_t *job_ptr)
{
	return job_ptr->details->segment_size;
}

/* ---- start and end ---- */

static inline void release_forget(job_record_t *job_ptr)
{
	release_forget_ports(job_ptr);
}

/* ---- the select plugin ---- */

#define RELEASE_PASSED(CALL) RELEASE_PASSED_UNTIL_24_11(CALL)

#endif
