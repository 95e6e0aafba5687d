/* SPDX-License-Identifier: GPL-2.0-or-later */
/* in_force.h - the settings and the fabric by which slurmctld places jobs
 *
 * slurmctld is asked, because this host may have no gang.conf, an older one, or
 * no topology file. Where it does not say, the files of this host take their
 * place, and a line on the standard error says so, and why.
 */

#ifndef SGANG_IN_FORCE_H
#define SGANG_IN_FORCE_H

#include <stdint.h>

#include "core/base/err.h"
#include "core/fabric/fabric.h"
#include "core/gang/conf.h"
#include "files/paths.h"

/* Read the settings: of the gang.conf 'path' (--conf), or with NULL those in
 * force. 'dir' becomes the folder of the file they are from; "": slurmctld told
 * them, and can tell the fabric. Returns 0 and '*conf', to be freed with
 * sgang_conf_free(), or -1 with 'err' filled: a named file cannot be read, or
 * slurmctld cannot be reached. */
int sgang_in_force_conf(const char *path, struct sgang_conf *conf,
			char dir[SGANG_PATH], struct sgang_error *err);

/* The fabric in force of the topology of that name ("", or an unknown one: the
 * cluster's), over 'nodes' as in sgang_fabric_parse(). Returns NULL with 'err'
 * and ENOTSUP when no gang is placed on it; with another errno when slurmctld
 * does not say, which was told on the standard error. */
struct sgang_fabric *sgang_in_force_fabric(const char *topology,
					   const char *const *nodes,
					   uint32_t n_nodes,
					   struct sgang_error *err);

#endif
