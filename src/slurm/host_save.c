/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_save.c - the job state is written before a gang is launched
 *
 * A thread of slurmctld, slurmctld_state_save(), writes it at most every five
 * seconds (SAVE_MAX_WAIT). A gang does not wait so long: the conductor calls
 * dump_all_job_state() itself. Slurm does not expect two such calls at once:
 *
 * - dump_all_job_state() packs with the read lock on jobs, releases that, and
 *   takes lock_state_files() to write and rename. The other thread may have
 *   packed before a gang was held, and then write over what the conductor
 *   packed after that. No function shows whether the thread is between the two.
 *   This has no effect unless slurmctld is killed before the next save, which
 *   is the one after the release, some milliseconds later. Then the gang is
 *   launched but waits in the saved state: validate_jobs_on_node() ends its
 *   members as their nodes register, and it starts anew. Without gangs any job
 *   is in that state for up to five seconds after its start.
 * - dump_all_job_state() compares the time in the file with the time of its
 *   last write without a lock. If the other thread is just between rename and
 *   note, it takes that for another slurmctld: an error in the log, but fatal()
 *   on a backup controller (slurmctld_primary is not set there). On a backup
 *   controller the conductor therefore waits for slurmctld's thread.
 */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "host_private.h"

#include "src/slurmctld/state_save.h"

#pragma weak slurmctld_primary

/* The thread may save other things first, and a large state takes its time. */
#define WAIT_SECONDS 60
#define POLL_US 50000

/* Longer than what load_all_job_state() looks at first: a text that names the
 * version, with its length in four bytes before it, two bytes of the protocol,
 * and eight of the time. */
#define HEAD 64

static uint64_t number(const uint8_t *bytes, size_t n)
{
	uint64_t number = 0;

	for (size_t i = 0; i < n; i++)
		number = number << 8 | bytes[i];
	return number;
}

/* The time at which the saved state was begun; 0: none. */
static time_t saved_at(void)
{
	char *path = xstrdup_printf("%s/job_state",
				    slurm_conf.state_save_location);
	uint8_t head[HEAD] = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, head, sizeof(head));
	uint64_t text = number(head, 4);

	xfree(path);
	if (fd >= 0)
		close(fd);
	if (size != HEAD || text > HEAD - 4 - 2 - 8)
		return 0;
	return (time_t)number(head + 4 + text + 2, 8);
}

/* A write that begins in a later second than this one packs all that is now. */
static int wait_for_slurm(void)
{
	time_t asked = time(NULL), now = asked;

	while (saved_at() <= asked) {
		if (slurmctld_config.shutdown_time || !control_time)
			return EINTR;
		if (now - asked > WAIT_SECONDS || now < asked)
			return EIO;
		schedule_job_save();
		usleep(POLL_US);
		now = time(NULL);
	}
	return 0;
}

int sgang_host_save(void)
{
	return slurmctld_primary ? dump_all_job_state() : wait_for_slurm();
}
