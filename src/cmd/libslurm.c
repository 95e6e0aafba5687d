/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libslurm.c - entering and leaving libslurm, which may end the program */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "cmd/cmd.h"
#include "cmd/libslurm.h"

static bool inside;

static void correct_exit_status(void)
{
	if (!inside)
		return;
	fflush(NULL);
	_exit(SGANG_EXIT_BAD);
}

/* libslurm waits a minute for a missing file. */
static int check_slurm_conf(struct sgang_error *err)
{
	const char *path = getenv("SLURM_CONF");

	if (!path || !access(path, R_OK))
		return 0;
	return sgang_errf(err, errno, "SLURM_CONF=%s: %s", path,
			  strerror(errno));
}

int sgang_libslurm_enter(struct sgang_error *err)
{
	static bool ready;

	if (check_slurm_conf(err))
		return -1;
	if (!ready && atexit(correct_exit_status))
		return sgang_err_memory(err);
	inside = true;
	if (!ready)
		slurm_init(NULL);
	ready = true;
	return 0;
}

void sgang_libslurm_leave(void)
{
	inside = false;
}

/* "" where the error says enough. */
static const char *remedy(int error)
{
	switch (error) {
	case SLURM_COMMUNICATIONS_CONNECTION_ERROR:
	case SLURM_COMMUNICATIONS_SEND_ERROR:
	case SLURM_COMMUNICATIONS_RECEIVE_ERROR:
	case SLURM_COMMUNICATIONS_SHUTDOWN_ERROR:
	case SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR:
	case SLURMCTLD_COMMUNICATIONS_SEND_ERROR:
	case SLURMCTLD_COMMUNICATIONS_RECEIVE_ERROR:
	case SLURMCTLD_COMMUNICATIONS_SHUTDOWN_ERROR:
		return "; see scontrol ping";
	case SLURM_PROTOCOL_AUTHENTICATION_ERROR:
	case ESLURM_AUTH_CRED_INVALID:
		return "; does munged run on this host?";
	default:
		return "";
	}
}

bool sgang_libslurm_unheard(void)
{
	return remedy(errno)[0];
}

const char *sgang_libslurm_why(void)
{
	static char text[256];
	int error = errno;

	snprintf(text, sizeof(text), "%s%s", slurm_strerror(error),
		 remedy(error));
	return text;
}
