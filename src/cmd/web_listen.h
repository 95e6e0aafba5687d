/* SPDX-License-Identifier: GPL-2.0-or-later */
/* web_listen.h - where sgang web listens, and to whom */

#ifndef SGANG_WEB_LISTEN_H
#define SGANG_WEB_LISTEN_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "cmd/web.h"
#include "core/base/err.h"

/* "http://[::1]:65535/" and more. */
#define SGANG_WEB_URL 96

struct sgang_web_listener {
	int fd; /* does not block */
	struct sockaddr_storage address;
	char url[SGANG_WEB_URL];
	bool loopback; /* no other host reaches it */
};

/* Listen at web->listen. Returns 0 and '*listener', whose fd is to be closed; or
 * -1 with 'err', also for an address of other hosts without web->open. */
int sgang_web_listen(const struct sgang_web *web,
		     struct sgang_web_listener *listener,
		     struct sgang_error *err);

/* True if the Host of a request is an address, localhost, this host's name or
 * one that 'web' has. A page of elsewhere that makes a browser take its own
 * name for this host is told by its name. NULL: there was none. */
bool sgang_web_host_is_ours(const struct sgang_web *web, const char *host);

/* The user whose program on this host has the connection with 'peer' as its own
 * address, in the tables of /proc/net. Returns 0 and '*uid', or -1: it is not
 * known. */
int sgang_web_peer(const struct sockaddr *peer, uid_t *uid);

#endif
