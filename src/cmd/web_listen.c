/* SPDX-License-Identifier: GPL-2.0-or-later */
/* web_listen.c - where sgang web listens, and to whom */

#define _GNU_SOURCE /* SOCK_NONBLOCK */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cmd/web_listen.h"
#include "core/base/text.h"

/* Connections that wait to be accepted. */
#define BACKLOG 64

/* Room for an address in text, or for a name. */
#define HOST_SIZE 256

/* ---- the address ---- */

/* The numeric address of "127.0.0.1:80", "[::1]:80", "localhost:80" and "80". */
static int split(const char *text, char host[HOST_SIZE], const char **port,
		 struct sgang_error *err)
{
	const char *colon = strrchr(text, ':'), *from = text;
	char shown[SGANG_TEXT_SHOWN];
	size_t length = colon ? (size_t)(colon - text) : 0;
	uint64_t number;

	*port = colon ? colon + 1 : text;
	if (length > 1 && text[0] == '[' && colon[-1] == ']') {
		from++;
		length -= 2;
	}
	snprintf(host, HOST_SIZE, "%.*s", (int)length, from);
	if (!colon || !strcmp(host, "localhost"))
		strcpy(host, "127.0.0.1");
	if (!host[0] || length >= HOST_SIZE ||
	    sgang_text_number(*port, 0, UINT16_MAX, &number))
		return sgang_errf(err, EINVAL,
				  "--listen=%s: expected ADDRESS:PORT, like "
				  "127.0.0.1:8080 or [::1]:8080",
				  sgang_text_show(shown, text));
	return 0;
}

static bool is_loopback(const struct sockaddr *address)
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)address;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;

	if (address->sa_family == AF_INET)
		return ntohl(four->sin_addr.s_addr) >> 24 == 127;
	return address->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

/* Port 0 has become a real one. */
static void fill_url(struct sgang_web_listener *listener)
{
	socklen_t size = sizeof(listener->address);
	char host[INET6_ADDRSTRLEN] = "", port[8] = "";
	bool six;

	getsockname(listener->fd, (struct sockaddr *)&listener->address, &size);
	getnameinfo((struct sockaddr *)&listener->address, size, host,
		    sizeof(host), port, sizeof(port),
		    NI_NUMERICHOST | NI_NUMERICSERV);
	six = listener->address.ss_family == AF_INET6;
	snprintf(listener->url, sizeof(listener->url), "http://%s%s%s:%s/",
		 six ? "[" : "", host, six ? "]" : "", port);
}

/* Returns an errno. */
static int bind_to(const struct addrinfo *found,
		   struct sgang_web_listener *listener)
{
	int on = 1, fd = socket(found->ai_family,
				SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		return errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (found->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (bind(fd, found->ai_addr, found->ai_addrlen) ||
	    listen(fd, BACKLOG)) {
		error = errno;
		close(fd);
		return error;
	}
	listener->fd = fd;
	return 0;
}

int sgang_web_listen(const struct sgang_web *web,
		     struct sgang_web_listener *listener,
		     struct sgang_error *err)
{
	const char *text = web->listen ? web->listen : "127.0.0.1:0", *port;
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_PASSIVE,
				  .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	char host[HOST_SIZE], shown[SGANG_TEXT_SHOWN];
	int rc;

	if (split(text, host, &port, err))
		return -1;
	sgang_text_show(shown, text);
	if (getaddrinfo(host, port, &hints, &found))
		return sgang_errf(err, EINVAL,
				  "--listen=%s: expected an address in "
				  "numbers, like 127.0.0.1:8080",
				  shown);
	listener->loopback = is_loopback(found->ai_addr);
	if (!listener->loopback && !web->open)
		rc = sgang_errf(err, EPERM,
				"--listen=%s: other hosts reach this address, "
				"and everybody there would see what you see "
				"in Slurm; --open allows that",
				shown);
	else if ((rc = bind_to(found, listener)))
		rc = sgang_errf(err, rc, "--listen=%s: %s%s", shown,
				strerror(rc),
				rc == EADDRINUSE ?
					"; sgang web without "
					"--listen takes a free port" :
					"");
	freeaddrinfo(found);
	if (!rc)
		fill_url(listener);
	return rc;
}

/* ---- whom it serves ---- */

/* "node1:8080" is node1, "[::1]:80" is ::1. False: it is none of that. */
static bool host_name(const char *host, char name[HOST_SIZE])
{
	const char *end = NULL;
	size_t length;

	if (host[0] == '[') {
		end = strchr(++host, ']');
		if (!end)
			return false;
	}
	length = end ? (size_t)(end - host) : strcspn(host, ":");
	if (!length || length >= HOST_SIZE)
		return false;
	memcpy(name, host, length);
	name[length] = '\0';
	return true;
}

/* Nobody can make a browser take an address for another one. */
static bool is_address(const char *name)
{
	unsigned char bytes[sizeof(struct in6_addr)];

	return inet_pton(AF_INET, name, bytes) == 1 ||
	       inet_pton(AF_INET6, name, bytes) == 1;
}

bool sgang_web_host_is_ours(const struct sgang_web *web, const char *host)
{
	char name[HOST_SIZE], own[HOST_SIZE];
	size_t i;

	if (!host || !host_name(host, name))
		return false;
	if (is_address(name) || !strcasecmp(name, "localhost"))
		return true;
	if (!gethostname(own, sizeof(own)) && !strcasecmp(name, own))
		return true;
	for (i = 0; i < web->n_names; i++)
		if (!strcasecmp(name, web->name[i]))
			return true;
	return false;
}

/* An address as the tables write it: words of 32 bits as this machine has
 * them. */
static void table_address(const struct sockaddr *address, bool six,
			  char text[64])
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)address;
	const struct sockaddr_in6 *real = (const struct sockaddr_in6 *)address;
	uint32_t words[4] = { 0, 0, htonl(0xffff), four->sin_addr.s_addr };

	if (address->sa_family == AF_INET6) {
		memcpy(words, &real->sin6_addr, sizeof(words));
	} else if (!six) {
		snprintf(text, 64, "%08" PRIX32 ":%04X", words[3],
			 ntohs(four->sin_port));
		return;
	}
	snprintf(text, 64,
		 "%08" PRIX32 "%08" PRIX32 "%08" PRIX32 "%08" PRIX32 ":%04X",
		 words[0], words[1], words[2], words[3], ntohs(four->sin_port));
}

/* The row of the socket that has this address of its own. A row is "0: LOCAL
 * REMOTE STATE QUEUES TIMER RETRANSMITS UID ..."; state 01 is established. */
static int find_in(const char *path, const char *address, uid_t *uid)
{
	FILE *in = fopen(path, "r");
	char line[512], local[64];
	unsigned state, owner;
	int rc = -1;

	while (in && rc && fgets(line, sizeof(line), in))
		if (sscanf(line, " %*[^:]: %63s %*s %x %*s %*s %*s %u", local,
			   &state, &owner) == 3 &&
		    state == 1 && !strcmp(local, address)) {
			*uid = owner;
			rc = 0;
		}
	if (in)
		fclose(in);
	return rc;
}

int sgang_web_peer(const struct sockaddr *peer, uid_t *uid)
{
	char address[64];

	if (peer->sa_family == AF_INET) {
		table_address(peer, false, address);
		if (!find_in("/proc/net/tcp", address, uid))
			return 0;
	}
	table_address(peer, true, address);
	return find_in("/proc/net/tcp6", address, uid);
}
