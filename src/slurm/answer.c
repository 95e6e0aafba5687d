/* SPDX-License-Identifier: GPL-2.0-or-later */
/* answer.c - salloc or srun is notified of its nodes, perhaps for the second
 * time
 *
 * If slurmctld was killed after a release that it had not saved, it does not
 * know whether the command was notified. A command that was notified no longer
 * listens, and Slurm's own way (srun_allocate()) ends the job of such a
 * command. Therefore a thread that ignores failures sends the answer.
 */

#include "config.h"

#include <pthread.h>
#include <stdlib.h>

#include "host_private.h"

struct answer {
	slurm_msg_t msg;
	uint32_t job_id;
};

static void free_answer(struct answer *answer)
{
	slurm_free_resource_allocation_response_msg(answer->msg.data);
	release_free_certificate(&answer->msg);
	xfree(answer);
}

static void *send_answer(void *arg)
{
	struct answer *answer = arg;

	if (slurm_send_only_node_msg(&answer->msg))
		verbose("gang: who waited for JobId=%u does not listen any more",
			answer->job_id);
	free_answer(answer);
	return NULL;
}

void sgang_host_answer_again(job_record_t *job_ptr)
{
	struct answer *answer;
	slurm_msg_t *msg;
	pthread_attr_t attr;
	pthread_t thread;
	int rc = -1;

	if (!job_ptr->alloc_resp_port || !job_ptr->resp_host ||
	    job_ptr->het_job_id)
		return;
	answer = xmalloc(sizeof(*answer));
	answer->job_id = job_ptr->job_id;
	msg = &answer->msg;
	slurm_msg_t_init(msg);
	msg->msg_type = RESPONSE_RESOURCE_ALLOCATION;
	msg->data = build_alloc_msg(job_ptr, SLURM_SUCCESS, NULL);
	msg->protocol_version = job_ptr->start_protocol_ver;
	slurm_set_addr(&msg->address, job_ptr->alloc_resp_port,
		       job_ptr->resp_host);
	slurm_msg_set_r_uid(msg, job_ptr->user_id);
	release_set_certificate(msg, job_ptr);
	if (!pthread_attr_init(&attr)) {
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
		rc = pthread_create(&thread, &attr, send_answer, answer);
		pthread_attr_destroy(&attr);
	}
	if (rc)
		free_answer(answer);
}
