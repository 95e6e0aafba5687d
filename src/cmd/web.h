/* SPDX-License-Identifier: GPL-2.0-or-later */
/* web.h - the cluster as a page that a browser on this host reads
 *
 * web_server.c is built on libmicrohttpd; a build without it has web_none.c in
 * its place.
 *
 *   /           the page of sgang topology --html, which renews itself
 *   /data.json  what it renews itself from
 *   /metrics    what sgang metrics prints
 *
 * All of them show one look at slurmctld (web_look.h). A look is taken when
 * somebody asks, at most one a second, however many ask.
 */

#ifndef SGANG_WEB_H
#define SGANG_WEB_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

/* The most names that can be accepted besides those of this host. */
#define SGANG_WEB_NAMES 16

/* Begins as { 0 }. */
struct sgang_web {
	const char *conf;   /* gang.conf, NULL: the usual one */
	const char *listen; /* "ADDRESS:PORT"; NULL: any free port of
			     * 127.0.0.1 */
	const char *name[SGANG_WEB_NAMES]; /* by which this host is called,
					    * too */
	size_t n_names;
	bool open; /* to other users and, by its address, to other hosts */
};

/* Serve until SIGINT or SIGTERM. Prints the address on stdout as soon as it
 * listens. Returns 0, or -1 with 'err'. */
int sgang_web_serve(const struct sgang_web *web, struct sgang_error *err);

#endif
