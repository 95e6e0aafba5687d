/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_web_listen.c - where sgang web listens, and to whom */

#define _GNU_SOURCE /* accept4() */
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../unit.h"
#include "cmd/web_listen.h"

static const struct sgang_web named = { .name = { "gangs.example" },
					.n_names = 1 };

TEST(hosts_are_compared_whole)
{
	static const struct {
		const char *host;
		bool ours;
	} cases[] = {
		{ "127.0.0.1", true },
		{ "127.0.0.1:8080", true },
		{ "10.1.2.3:80", true }, /* by its address nobody is led here */
		{ "[::1]", true },
		{ "[::1]:8080", true },
		{ "localhost", true },
		{ "LocalHost:1", true },
		{ "gangs.example", true },
		{ "Gangs.Example:443", true },
		{ "", false },
		{ ":80", false },
		{ "evil.example", false },
		{ "localhost.evil.example", false },
		{ "127.0.0.1.evil.example:80", false },
		{ "gangs.example.evil.example", false },
		{ "[evil.example]", false },
		{ "[::1", false },
		{ "1", false },
		{ "2130706433", false }, /* browsers write 127.0.0.1 */
		{ "localhost@evil.example", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		if (sgang_web_host_is_ours(&named, cases[i].host) !=
		    cases[i].ours)
			fail_msg("Host: %s", cases[i].host);
	assert_false(sgang_web_host_is_ours(&named, NULL));
}

TEST(its_own_name_is_one)
{
	char name[256], more[512], host[300];

	assert_int_equal(gethostname(name, sizeof(name)), 0);
	snprintf(host, sizeof(host), "%s:8080", name);
	assert_true(sgang_web_host_is_ours(&named, host));
	snprintf(more, sizeof(more), "%s.evil.example", name);
	assert_false(sgang_web_host_is_ours(&named, more));
}

TEST(a_long_host_is_none)
{
	char host[4096];

	memset(host, 'a', sizeof(host) - 1);
	host[sizeof(host) - 1] = '\0';
	assert_false(sgang_web_host_is_ours(&named, host));
	host[0] = '[';
	assert_false(sgang_web_host_is_ours(&named, host));
}

/* "" where it listens, else a part of what is said. */
TEST(addresses_are_read_or_refused)
{
	static const struct {
		const char *listen, *said;
		bool open, loopback;
	} cases[] = {
		{ NULL, "", false, true },
		{ "127.0.0.1:0", "", false, true },
		{ "127.9.9.9:0", "", false, true },
		{ "localhost:0", "", false, true },
		{ "0", "", false, true },
		{ "0.0.0.0:0", "", true, false },
		{ "0.0.0.0:0", "--open allows", false, false },
		{ "[::]:0", "--open allows", false, false },
		{ "8.8.8.8:0", "Cannot assign", true, false },
		{ "", "expected ADDRESS:PORT", false, false },
		{ ":0", "expected ADDRESS:PORT", false, false },
		{ "127.0.0.1", "expected ADDRESS:PORT", false, false },
		{ "127.0.0.1:", "expected ADDRESS:PORT", false, false },
		{ "127.0.0.1:65536", "expected ADDRESS:PORT", false, false },
		{ "127.0.0.1:-1", "expected ADDRESS:PORT", false, false },
		{ "[]:80", "expected ADDRESS:PORT", false, false },
		{ "host.example:80", "in numbers", false, false },
	};
	struct sgang_web_listener listener;
	struct sgang_error err;
	int rc;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sgang_web web = { .listen = cases[i].listen,
					 .open = cases[i].open };

		rc = sgang_web_listen(&web, &listener, &err);
		if (rc &&
		    (!cases[i].said[0] || !strstr(err.text, cases[i].said)))
			fail_msg("%s: %s", cases[i].listen, err.text);
		if (!rc && cases[i].said[0])
			fail_msg("%s listens", cases[i].listen);
		if (rc)
			continue;
		assert_int_equal(listener.loopback, cases[i].loopback);
		assert_memory_equal(listener.url, "http://", 7);
		assert_int_equal(listener.url[strlen(listener.url) - 1], '/');
		close(listener.fd);
	}
}

/* A connection of this program is its user's. */
static void check_peer(const char *listen)
{
	struct sgang_web web = { .listen = listen };
	struct sgang_web_listener listener;
	struct sockaddr_storage peer;
	socklen_t size = sizeof(listener.address);
	struct sgang_error err;
	uid_t uid = (uid_t)-1;
	int fd, accepted;

	if (sgang_web_listen(&web, &listener, &err)) {
		assert_int_not_equal(listen[0], '1'); /* without IPv6 */
		return;
	}
	fd = socket(listener.address.ss_family, SOCK_STREAM, 0);
	assert_true(fd >= 0);
	if (listener.address.ss_family == AF_INET)
		size = sizeof(struct sockaddr_in);
	assert_int_equal(
		connect(fd, (struct sockaddr *)&listener.address, size), 0);
	size = sizeof(peer);
	accepted = accept4(listener.fd, (struct sockaddr *)&peer, &size, 0);
	assert_true(accepted >= 0);
	assert_int_equal(sgang_web_peer((struct sockaddr *)&peer, &uid), 0);
	assert_int_equal(uid, getuid());
	close(fd);
	close(accepted);
	close(listener.fd);
}

TEST(a_connection_has_a_user)
{
	check_peer("127.0.0.1:0");
	check_peer("[::1]:0");
}

/* One that nobody has is nobody's. */
TEST(an_unknown_one_has_none)
{
	struct sockaddr_in peer = { .sin_family = AF_INET };
	uid_t uid;

	peer.sin_addr.s_addr = htonl(0x7f0a0b0c);
	peer.sin_port = htons(1);
	assert_int_equal(sgang_web_peer((struct sockaddr *)&peer, &uid), -1);
}

TEST_MAIN(NULL, NULL)
