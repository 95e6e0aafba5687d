/* SPDX-License-Identifier: GPL-2.0-or-later */
/* web_server.c - the HTTP server of sgang web, on libmicrohttpd
 *
 * One thread waits for connections, for the child that looks at slurmctld
 * (web_look.h) and for signals. A request that comes when the newest look is
 * older than a second waits for the next one, though not long: then it is
 * answered from the one that is there, whose age is told.
 */

#define _GNU_SOURCE /* ppoll() */
#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/json.h"
#include "cmd/markup.h"
#include "cmd/scene_html.h"
#include "cmd/web.h"
#include "cmd/web_listen.h"
#include "cmd/web_look.h"
#include "core/base/text.h"

/* At once; more wait until some of these are gone. One address has so many of
 * them where other hosts reach us. */
#define CONNECTIONS 64
#define CONNECTIONS_EACH 16
/* Seconds in which nothing comes from a connection. */
#define IDLE_SECONDS 15
/* A whole request comes within this time of the connection, or of the answer
 * before; the answer is taken in that time. Otherwise a client that sends a byte
 * now and then would keep its place for ever. */
#define REQUEST_MS 15000
#define ANSWER_MS 60000
/* Bytes of a request, and of what is read and written at once. */
#define CONNECTION_BYTES 32768
#define BLOCK_BYTES 65536

/* A look is as good as new. */
#define FRESH_MS 1000
/* A request waits so long for a look. */
#define WAIT_MS 3000
/* An older look is no answer to Prometheus, which has a time of its own for
 * what it gets. */
#define METRICS_MS 5000

struct request {
	struct MHD_Connection *connection;
	struct request *next; /* of those that wait for a look */
	uint64_t until;       /* ... at most until then */
	bool waited;
};

/* A connection, and until when it does what it has to do. */
struct client {
	struct client *next;
	int fd;
	uint64_t until;
};

struct server {
	const struct sgang_web *web;
	struct client *clients;
	struct sgang_web_listener listener;
	struct MHD_Daemon *daemon;
	int epoll;
	struct sgang_web_child child;
	struct sgang_web_look *look; /* the newest; NULL: none yet */
	struct sgang_error failed;   /* why the last one was none, "" */
	uint64_t tried;              /* clock of the last one; 0: none */
	bool wanted;                 /* somebody wants a new one */
	struct request *waiting;
	int64_t asked;   /* slurmctld, at that time */
	char silent[64]; /* for why_old() */
	bool said;       /* whom it does not serve */
};

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

/* ---- what an answer is made of ---- */

/* Up to three texts behind each other; the second is borrowed from a look. */
#define PIECES 3

struct answer {
	struct sgang_web_look *look;
	struct {
		const char *text;
		size_t size;
	} piece[PIECES];
	char *own; /* of one of them */
};

static size_t answer_size(const struct answer *answer)
{
	size_t size = 0, i;

	for (i = 0; i < PIECES; i++)
		size += answer->piece[i].size;
	return size;
}

/* libmicrohttpd asks for the bytes at a position. */
static ssize_t read_answer(void *arg, uint64_t at, char *to, size_t most)
{
	const struct answer *answer = arg;
	size_t i, n, done = 0;

	for (i = 0; i < PIECES && done < most; i++) {
		if (at >= answer->piece[i].size) {
			at -= answer->piece[i].size;
			continue;
		}
		n = answer->piece[i].size - (size_t)at;
		n = n > most - done ? most - done : n;
		memcpy(to + done, answer->piece[i].text + at, n);
		done += n;
		at = 0;
	}
	return done ? (ssize_t)done : MHD_CONTENT_READER_END_OF_STREAM;
}

static void free_answer(void *arg)
{
	struct answer *answer = arg;

	sgang_web_look_drop(answer->look);
	free(answer->own);
	free(answer);
}

/* Headers that every answer has. Nobody else's page may show or read it. */
static void add_headers(struct MHD_Response *response)
{
	static const char *const headers[][2] = {
		{ MHD_HTTP_HEADER_CACHE_CONTROL, "no-store" },
		{ "X-Content-Type-Options", "nosniff" },
		{ "Referrer-Policy", "no-referrer" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
		{ "X-Frame-Options", "DENY" },
	};
	size_t i;

	for (i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		MHD_add_response_header(response, headers[i][0], headers[i][1]);
}

static enum MHD_Result queue(struct request *request, unsigned status,
			     struct MHD_Response *response)
{
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	add_headers(response);
	result = MHD_queue_response(request->connection, status, response);
	MHD_destroy_response(response);
	return result;
}

/* A sentence, as text. */
static enum MHD_Result say(struct request *request, unsigned status,
			   const char *sentence)
{
	char *text = NULL;
	struct MHD_Response *response;

	if (asprintf(&text, "%s\n", sentence) < 0)
		return MHD_NO;
	response = MHD_create_response_from_buffer(strlen(text), text,
						   MHD_RESPMEM_MUST_FREE);
	if (!response) {
		free(text);
		return MHD_NO;
	}
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
				"text/plain; charset=utf-8");
	if (status == MHD_HTTP_SERVICE_UNAVAILABLE) {
		/* a browser asks again by itself */
		MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER,
					"5");
		MHD_add_response_header(response, "Refresh", "5");
	}
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW,
					"GET, HEAD");
	return queue(request, status, response);
}

/* An answer of that type, which is the response's from now on. */
static struct MHD_Response *respond(struct answer *answer, const char *type)
{
	struct MHD_Response *response = MHD_create_response_from_callback(
		answer_size(answer), BLOCK_BYTES, read_answer, answer,
		free_answer);

	if (!response) {
		free_answer(answer);
		return NULL;
	}
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	return response;
}

/* ---- the three pages ---- */

static uint64_t age_of(const struct server *server)
{
	return server->look ? sgang_web_clock() - server->look->at : 0;
}

/* Why there is nothing newer than what is there. */
static const char *why_old(struct server *server)
{
	char when[SGANG_ANSWER_TIME];

	if (server->failed.text[0])
		return server->failed.text;
	snprintf(server->silent, sizeof(server->silent),
		 "slurmctld has not answered since %s",
		 sgang_answer_time(server->asked, when));
	return server->silent;
}

static bool is_old(const struct server *server)
{
	return server->failed.text[0] || age_of(server) >= METRICS_MS;
}

static struct answer *new_answer(struct server *server)
{
	struct answer *answer = calloc(1, sizeof(*answer));

	if (answer)
		answer->look = sgang_web_look_ref(server->look);
	return answer;
}

static void set_piece(struct answer *answer, int which, const char *text,
		      size_t size)
{
	answer->piece[which].text = text;
	answer->piece[which].size = size;
}

/* The paragraph in which the page says how old it is, to be freed. */
static char *make_notice(struct server *server)
{
	char when[SGANG_ANSWER_TIME], *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out && is_old(server)) {
		fprintf(out,
			"<p id=\"notice\" role=\"status\">This is how it "
			"looked at %s, %" PRIu64 " seconds before this page "
			"was sent: ",
			sgang_answer_time(server->look->when, when),
			age_of(server) / 1000);
		sgang_markup_text(out, why_old(server), SIZE_MAX);
		fputs(".</p>\n", out);
	} else if (out) {
		fputs("<p id=\"notice\" role=\"status\" hidden></p>\n", out);
	}
	return sgang_text_close(out, &text);
}

static void add_policy(struct MHD_Response *response, const char *nonce)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "default-src 'none'; img-src data:; "
		 "style-src 'unsafe-inline'; script-src 'nonce-%s'; "
		 "connect-src 'self'; base-uri 'none'; form-action 'none'; "
		 "frame-ancestors 'none'",
		 nonce);
	MHD_add_response_header(response, "Content-Security-Policy", text);
}

static enum MHD_Result send_page(struct server *server, struct request *request)
{
	const struct sgang_web_look *look = server->look;
	struct answer *answer = new_answer(server);
	const char *cut = memchr(look->page, SGANG_SCENE_HTML_NOTICE[0],
				 look->page_size);
	struct MHD_Response *response;

	if (!answer)
		return MHD_NO;
	answer->own = make_notice(server);
	if (!answer->own || !cut) {
		free_answer(answer);
		return MHD_NO;
	}
	set_piece(answer, 0, look->page, (size_t)(cut - look->page));
	set_piece(answer, 1, answer->own, strlen(answer->own));
	set_piece(answer, 2, cut + 1,
		  look->page_size - (size_t)(cut + 1 - look->page));
	response = respond(answer, "text/html; charset=utf-8");
	if (response)
		add_policy(response, look->nonce);
	return queue(request, MHD_HTTP_OK, response);
}

/* How old the data is stands in front of it, because the data itself changes
 * only with the cluster. */
static char *make_front(struct server *server)
{
	struct json_object *object = json_object_new_object();
	const char *text;
	char *front = NULL;

	sgang_json_number(object, "when", (uint64_t)server->look->when);
	sgang_json_number(object, "age", age_of(server) / 1000);
	sgang_json_text(object, "error", is_old(server) ? why_old(server) : "");
	text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);
	if (text && (front = strdup(text)))
		front[strlen(front) - 1] = ',';
	json_object_put(object);
	return front;
}

static void add_age(struct MHD_Response *response, const struct server *server,
		    const char *tag)
{
	char number[24];

	snprintf(number, sizeof(number), "%" PRIu64, age_of(server) / 1000);
	MHD_add_response_header(response, MHD_HTTP_HEADER_AGE, number);
	MHD_add_response_header(response, MHD_HTTP_HEADER_ETAG, tag);
	MHD_add_response_header(response, MHD_HTTP_HEADER_VARY,
				MHD_HTTP_HEADER_ACCEPT_ENCODING);
}

/* Does it take gzip? "gzip, br", "br, gzip;q=0.5"; not "gzip;q=0". */
static bool takes_gzip(struct request *request)
{
	const char *list = MHD_lookup_connection_value(
		request->connection, MHD_HEADER_KIND,
		MHD_HTTP_HEADER_ACCEPT_ENCODING);
	const char *at = list ? strcasestr(list, "gzip") : NULL;
	double share = 1;

	if (!at || (at > list && !strchr(" \t,", at[-1])))
		return false;
	at += strlen("gzip");
	at += strspn(at, " \t");
	if (*at && *at != ',' && *at != ';')
		return false;
	return sscanf(at, "; q=%lf", &share) != 1 || share > 0;
}

/* The data behind 'front', which it frees, compressed. NULL: not compressed, and
 * 'front' is as it was. */
static struct answer *gzip_answer(struct server *server, char *front)
{
	struct sgang_web_look *look = server->look;
	size_t length = strlen(front), head;
	struct answer *answer;
	unsigned char *ends;

	if (length > SGANG_WEB_GZIP_FRONT ||
	    sgang_web_gzip(&look->gzip, look->data + 1, look->data_size - 1))
		return NULL;
	ends = malloc(SGANG_WEB_GZIP_TAIL + SGANG_WEB_GZIP_HEAD(length));
	answer = ends ? new_answer(server) : NULL;
	if (!answer) {
		free(ends);
		return NULL;
	}
	head = sgang_web_gzip_ends(&look->gzip, front, length,
				   ends + SGANG_WEB_GZIP_TAIL, ends);
	free(front);
	answer->own = (char *)ends;
	set_piece(answer, 0, answer->own + SGANG_WEB_GZIP_TAIL, head);
	set_piece(answer, 1, (const char *)look->gzip.body, look->gzip.size);
	set_piece(answer, 2, answer->own, SGANG_WEB_GZIP_TAIL);
	return answer;
}

static enum MHD_Result send_data(struct server *server, struct request *request)
{
	const char *known = MHD_lookup_connection_value(
		request->connection, MHD_HEADER_KIND,
		MHD_HTTP_HEADER_IF_NONE_MATCH);
	struct MHD_Response *response;
	bool gzip = takes_gzip(request);
	struct answer *answer;
	char tag[40], *front;

	snprintf(tag, sizeof(tag), "\"%016" PRIx64 "%s%s\"", server->look->hash,
		 is_old(server) ? "-old" : "", gzip ? "-gzip" : "");
	if (known && !strcmp(known, tag)) {
		response = MHD_create_response_from_buffer(
			0, "", MHD_RESPMEM_PERSISTENT);
		if (response)
			add_age(response, server, tag);
		return queue(request, MHD_HTTP_NOT_MODIFIED, response);
	}
	front = make_front(server);
	if (!front)
		return MHD_NO;
	answer = gzip ? gzip_answer(server, front) : NULL;
	gzip = answer;
	if (!answer)
		answer = new_answer(server);
	if (!answer) {
		free(front);
		return MHD_NO;
	}
	if (!gzip) {
		answer->own = front;
		set_piece(answer, 0, front, strlen(front));
		set_piece(answer, 1, server->look->data + 1,
			  server->look->data_size - 1);
	}
	response = respond(answer, "application/json");
	if (response && gzip)
		MHD_add_response_header(
			response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	if (response)
		add_age(response, server, tag);
	return queue(request, MHD_HTTP_OK, response);
}

static enum MHD_Result send_metrics(struct server *server,
				    struct request *request)
{
	struct answer *answer;

	if (is_old(server))
		return say(request, MHD_HTTP_SERVICE_UNAVAILABLE,
			   why_old(server));
	answer = new_answer(server);
	if (!answer)
		return MHD_NO;
	set_piece(answer, 0, server->look->metrics, server->look->metrics_size);
	return queue(request, MHD_HTTP_OK,
		     respond(answer, "application/openmetrics-text; "
				     "version=1.0.0; charset=utf-8"));
}

static const struct route {
	const char *path;
	enum MHD_Result (*send)(struct server *server, struct request *request);
} routes[] = {
	{ "/", send_page },
	{ "/data.json", send_data },
	{ "/metrics", send_metrics },
};

static const struct route *find_route(const char *path)
{
	size_t i;

	for (i = 0; i < sizeof(routes) / sizeof(routes[0]); i++)
		if (!strcmp(path, routes[i].path))
			return &routes[i];
	return NULL;
}

/* ---- requests ---- */

/* True if the newest look will do, though it be a failure. */
static bool is_fresh(const struct server *server)
{
	return server->tried && !server->child.pid &&
	       sgang_web_clock() - server->tried < FRESH_MS;
}

/* Nobody waits while slurmctld is in trouble: the answer is there. */
static bool must_wait(struct server *server, struct request *request)
{
	if (request->waited || is_fresh(server))
		return false;
	if (!server->child.pid)
		server->wanted = true;
	else if (sgang_web_clock() - server->tried >= WAIT_MS)
		return false;
	return !(server->look && server->failed.text[0]);
}

static void wait_for_look(struct server *server, struct request *request)
{
	request->until = sgang_web_clock() + WAIT_MS;
	request->next = server->waiting;
	server->waiting = request;
	MHD_suspend_connection(request->connection);
}

/* Wake those that have waited long enough, at the time 'now'. */
static void wake(struct server *server, uint64_t now)
{
	struct request **at = &server->waiting, *request;

	while ((request = *at)) {
		if (request->until > now) {
			at = &request->next;
			continue;
		}
		*at = request->next;
		request->waited = true;
		MHD_resume_connection(request->connection);
	}
}

static enum MHD_Result refuse(struct request *request,
			      const struct server *server, const char *method,
			      bool *refused)
{
	const char *host = MHD_lookup_connection_value(
		request->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);

	*refused = true;
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return say(request, MHD_HTTP_METHOD_NOT_ALLOWED,
			   "This server is for reading: GET and HEAD.");
	if (!sgang_web_host_is_ours(server->web, host))
		return say(request, MHD_HTTP_MISDIRECTED_REQUEST,
			   "This host has another name; sgang web --name=HOST "
			   "allows that one.");
	*refused = false;
	return MHD_YES;
}

/* It has so long for what comes now. */
static void set_time(struct MHD_Connection *connection, uint64_t ms)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct client *client = info ? info->socket_context : NULL;

	if (client)
		client->until = sgang_web_clock() + ms;
}

static enum MHD_Result handle(void *arg, struct MHD_Connection *connection,
			      const char *path, const char *method,
			      const char *version, const char *upload,
			      size_t *upload_size, void **state)
{
	struct server *server = arg;
	struct request first = { .connection = connection }, *request = *state;
	const struct route *route = find_route(path);
	enum MHD_Result result;
	bool refused;

	(void)version;
	(void)upload;
	if (!request) {
		set_time(connection, ANSWER_MS);
		result = refuse(&first, server, method, &refused);
		if (refused)
			return result;
		*state = request = calloc(1, sizeof(*request));
		if (!request)
			return MHD_NO;
		request->connection = connection;
		return MHD_YES;
	}
	if (*upload_size) { /* not read, and not ours */
		*upload_size = 0;
		return MHD_YES;
	}
	if (!route)
		return say(request, MHD_HTTP_NOT_FOUND,
			   "There are /, /data.json and /metrics.");
	if (must_wait(server, request)) {
		wait_for_look(server, request);
		return MHD_YES;
	}
	if (!server->look)
		return say(request, MHD_HTTP_SERVICE_UNAVAILABLE,
			   why_old(server));
	return route->send(server, request);
}

static void forget(void *arg, struct MHD_Connection *connection, void **state,
		   enum MHD_RequestTerminationCode code)
{
	(void)arg;
	(void)code;
	set_time(connection, REQUEST_MS);
	free(*state);
	*state = NULL;
}

/* A connection begins or ends. Without memory it has its time by libmicrohttpd
 * alone. */
static void count_client(void *arg, struct MHD_Connection *connection,
			 void **context,
			 enum MHD_ConnectionNotificationCode code)
{
	struct server *server = arg;
	struct client *client = *context, **at = &server->clients;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		*context = client = calloc(1, sizeof(*client));
		if (!client)
			return;
		client->fd = MHD_get_connection_info(
				     connection,
				     MHD_CONNECTION_INFO_CONNECTION_FD)
				     ->connect_fd;
		client->until = sgang_web_clock() + REQUEST_MS;
		client->next = server->clients;
		server->clients = client;
		return;
	}
	while (*at && *at != client)
		at = &(*at)->next;
	if (*at)
		*at = client->next;
	free(client);
	*context = NULL;
}

/* What libmicrohttpd does when the other side is gone. */
static void end_slow_clients(struct server *server, uint64_t now)
{
	struct client *client;

	for (client = server->clients; client; client = client->next) {
		if (client->until > now)
			continue;
		shutdown(client->fd, SHUT_RDWR);
		client->until = UINT64_MAX;
	}
}

/* Other users of this host are not served unless that was asked for. */
static enum MHD_Result may_connect(void *arg, const struct sockaddr *peer,
				   socklen_t size)
{
	struct server *server = arg;
	uid_t uid = 0;
	bool known;

	(void)size;
	if (server->web->open)
		return MHD_YES;
	known = !sgang_web_peer(peer, &uid);
	if (known && (uid == getuid() || uid == 0))
		return MHD_YES;
	if (known && !server->said) /* otherwise it has gone already */
		fprintf(stderr, "sgang: a program of another user was not "
				"served; --open serves all users of this "
				"host\n");
	server->said = server->said || known;
	return MHD_NO;
}

/* ---- the loop ---- */

static void begin_look(struct server *server)
{
	uint64_t now = sgang_web_clock();

	if (!server->wanted || server->child.pid ||
	    (server->tried && now - server->tried < FRESH_MS))
		return;
	server->wanted = false;
	server->tried = now;
	server->asked = (int64_t)time(NULL);
	if (sgang_web_child_start(&server->child, server->web->conf,
				  &server->failed))
		wake(server, UINT64_MAX);
}

static void read_look(struct server *server)
{
	struct sgang_web_look *look;
	int rc = sgang_web_child_read(&server->child, &look, &server->failed);

	if (rc > 0)
		return;
	if (!rc) {
		sgang_web_look_drop(server->look);
		server->look = look;
		server->failed.text[0] = '\0';
	}
	wake(server, UINT64_MAX);
}

/* Milliseconds for which nothing happens by the clock. */
static uint64_t quiet_for(const struct server *server)
{
	uint64_t now = sgang_web_clock(), most = 60000, at;
	MHD_UNSIGNED_LONG_LONG theirs;
	const struct request *request;
	const struct client *client;

	if (MHD_get_timeout(server->daemon, &theirs) == MHD_YES &&
	    theirs < most)
		most = theirs;
	for (request = server->waiting; request; request = request->next) {
		at = request->until > now ? request->until - now : 0;
		most = at < most ? at : most;
	}
	for (client = server->clients; client; client = client->next) {
		at = client->until > now ? client->until - now : 0;
		most = at < most ? at : most;
	}
	at = server->child.pid ? sgang_web_child_left(&server->child) : most;
	most = at < most ? at : most;
	if (server->wanted && !server->child.pid) {
		at = server->tried + FRESH_MS;
		at = at > now ? at - now : 0;
		most = at < most ? at : most;
	}
	return most;
}

static void turn(struct server *server, const sigset_t *mask)
{
	uint64_t quiet = quiet_for(server);
	struct timespec time = { .tv_sec = (time_t)(quiet / 1000),
				 .tv_nsec = (long)(quiet % 1000) * 1000000 };
	struct pollfd fds[2] = { { .fd = server->epoll, .events = POLLIN },
				 { .fd = -1, .events = POLLIN } };

	if (server->child.pid)
		fds[1].fd = server->child.fd;
	if (ppoll(fds, 2, &time, mask) < 0 && errno != EINTR)
		stopped = 1;
	if (server->child.pid &&
	    (fds[1].revents || !sgang_web_child_left(&server->child)))
		read_look(server);
	wake(server, sgang_web_clock());
	end_slow_clients(server, sgang_web_clock());
	/* with all connections in use it listens again only in the second run
	 * after one has gone */
	MHD_run(server->daemon);
	MHD_run(server->daemon);
	begin_look(server);
}

static int start(struct server *server, struct sgang_error *err)
{
	const union MHD_DaemonInfo *info = NULL;

	server->daemon = MHD_start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, may_connect,
		server, handle, server, MHD_OPTION_LISTEN_SOCKET,
		server->listener.fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)CONNECTION_BYTES, MHD_OPTION_NOTIFY_COMPLETED, forget,
		NULL, MHD_OPTION_NOTIFY_CONNECTION, count_client, server,
		MHD_OPTION_PER_IP_CONNECTION_LIMIT,
		/* all users of this host have one address */
		server->listener.loopback ? 0U : (unsigned)CONNECTIONS_EACH,
		MHD_OPTION_END);
	if (server->daemon)
		info = MHD_get_daemon_info(server->daemon,
					   MHD_DAEMON_INFO_EPOLL_FD);
	if (!info)
		return sgang_errf(err, errno,
				  "libmicrohttpd does not start: %s",
				  strerror(errno));
	server->epoll = info->epoll_fd;
	return 0;
}

/* To whom it is open; and the address, for a person or a script, who may go there
 * at once. */
static void print_url(const struct server *server)
{
	struct json_object *object = json_object_new_object();

	if (server->web->open)
		fprintf(stderr,
			"sgang: all users of %s see without a password what "
			"you see in Slurm\n",
			server->listener.loopback ?
				"this host" :
				"all hosts that reach this address");
	sgang_json_string(object, "url", server->listener.url);
	sgang_answer_print(object, "{url}\n");
	fflush(stdout);
}

/* Signals are let through only where the loop waits. */
static void block_signals(sigset_t *waiting)
{
	struct sigaction action = { .sa_handler = stop };
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, waiting);
	sigdelset(waiting, SIGINT);
	sigdelset(waiting, SIGTERM);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

int sgang_web_serve(const struct sgang_web *web, struct sgang_error *err)
{
	struct server server = { .web = web, .listener = { .fd = -1 } };
	sigset_t waiting;
	int rc = -1;

	if (sgang_web_listen(web, &server.listener, err))
		return -1;
	block_signals(&waiting);
	if (start(&server, err)) {
		close(server.listener.fd);
	} else {
		print_url(&server);
		while (!stopped)
			turn(&server, &waiting);
		rc = 0;
	}
	wake(&server, UINT64_MAX);
	sgang_web_child_stop(&server.child);
	if (server.daemon)
		MHD_stop_daemon(server.daemon);
	sgang_web_look_drop(server.look);
	return rc;
}
