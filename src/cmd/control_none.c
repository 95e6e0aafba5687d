/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control_none.c - what sgang asks in a build without Slurm: nothing */

#include <errno.h>

#include "cmd/control.h"

static int refuse(struct sgang_error *err)
{
	return sgang_errf(err, ENOTSUP, "this sgang was built without Slurm");
}

int sgang_control_define(const struct sgang_definition *definition,
			 uint32_t *job_id, struct sgang_error *err)
{
	(void)definition;
	(void)job_id;
	return refuse(err);
}

int sgang_control_what_if(const struct sgang_start_ask *what,
			  struct sgang_will_run *answer,
			  struct sgang_error *err)
{
	(void)what;
	(void)answer;
	return refuse(err);
}

void sgang_control_forget(struct sgang_will_run *answer)
{
	(void)answer;
}

char *sgang_control_ask(const char *question, struct sgang_error *err)
{
	(void)question;
	refuse(err);
	return NULL;
}

char *sgang_control_state_dir(struct sgang_error *err)
{
	refuse(err);
	return NULL;
}

int sgang_control_signal(const char *job, int signal, struct sgang_error *err)
{
	(void)job;
	(void)signal;
	return refuse(err);
}

int sgang_control_recall(const char *job, struct sgang_error *err)
{
	(void)job;
	return refuse(err);
}

int sgang_control_hold(const char *job, struct sgang_error *err)
{
	(void)job;
	return refuse(err);
}

int sgang_control_release(const char *job, struct sgang_error *err)
{
	(void)job;
	return refuse(err);
}
