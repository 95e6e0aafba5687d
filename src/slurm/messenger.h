/* SPDX-License-Identifier: GPL-2.0-or-later */
/* messenger.h - text for what runs of gangs on nodes, by way of their slurmds
 *
 * slurmctld sends it as it sends all else, through the tree of slurmds. Each
 * slurmd hands it to a socket in its SlurmdSpoolDir, where gang.so of a
 * slurmstepd listens (plugins/spank/state.h). No other port is needed.
 */

#ifndef SGANG_MESSENGER_H
#define SGANG_MESSENGER_H

/* The socket, below SlurmdSpoolDir. */
#define SGANG_MESSENGER_SOCKET "/gang/sock"

/* Send the text to these nodes (a host list), without waiting. A node on which
 * nothing takes it gets it again after 1, 2 and 4 s. */
void sgang_messenger_send(const char *nodes, const char *text);

#endif
