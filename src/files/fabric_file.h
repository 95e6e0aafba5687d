/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric_file.h - the fabric that gang.conf and a topology file describe */

#ifndef SGANG_FABRIC_FILE_H
#define SGANG_FABRIC_FILE_H

#include <stdint.h>

#include "core/base/err.h"
#include "core/fabric/fabric.h"
#include "core/gang/conf.h"
#include "files/fabric_yaml.h"

/* Read the fabric from 'path', a topology.conf (the tree or the block kind) or
 * a topology.yaml, of which conf->topology_name chooses one topology. Which of
 * the two formats it is, is seen from the text: YAML begins with '-', '[', '{'
 * or '%', or with a key and a colon. With NULL all of 'nodes' are on one leaf.
 * Then the NVLink domains of 'conf' are added.
 *
 * 'nodes' are the names that exist as in sgang_fabric_parse().
 *
 * Returns a fabric to free with sgang_fabric_destroy(), or NULL with errno (why
 * the file cannot be read, EINVAL for what is in it, ENOTSUP for a kind of
 * topology on which gangs cannot be placed, ENOMEM) and 'err' filled, which names
 * the file and the line. */
struct sgang_fabric *sgang_fabric_load_file(const struct sgang_conf *conf,
					    const char *path,
					    const char *const *nodes,
					    uint32_t n_nodes,
					    struct sgang_error *err);

/* The same of another topology than conf->topology_name, one that a partition
 * has. 'path' is not NULL. */
struct sgang_fabric *
sgang_fabric_load_other(const struct sgang_conf *conf, const char *path,
			const struct sgang_topology_choice *choice,
			const char *const *nodes, uint32_t n_nodes,
			struct sgang_error *err);

/* A topology that is not read from a file. */
struct sgang_fabric_text {
	const char *text;        /* as of a topology.conf or topology.yaml */
	const char *label;       /* what messages call it */
	const char *const *only; /* NULL, or by node: the leaf that it is on,
				  * wherever else the text has it; "": on
				  * none, NULL: where the text has it */
};

/* The same from memory. */
struct sgang_fabric *sgang_fabric_load_text(
	const struct sgang_conf *conf, const struct sgang_fabric_text *text,
	const struct sgang_topology_choice *choice, const char *const *nodes,
	uint32_t n_nodes, struct sgang_error *err);

#endif
