#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0516-sgang-web.t - sgang web: what it serves, and to whom
#
# In a browser: 0517-sgang-web-page.t.

test_description='sgang web: page, JSON and metrics of a cluster, for reading alone'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

switches left=n[1-2] right=n[3-4] top:left,right >topology.conf
slurm_setup -n 4 -c 2 --gang --topology "$PWD/topology.conf" \
	--conf 'PrivateData=jobs'
web_needed
users_setup
slurm_start
as_nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"

member() { submit -o /dev/null --gang="$@"; }

# The status that curl is given, and the body in "body".
status() { web "$@" -o body -w '%{http_code}'; }

test_expect_success 'it says where it listens: on this host, for its user' '
	web_start &&
	grep -xE "http://127\.0\.0\.1:[0-9]+/" web.url &&
	test_must_be_empty web.err &&
	test "$(status /)" = 200 && grep "^Cluster private: fabric top" body
'
test_expect_success 'gangs for it to show: one runs, one holds, one waits' '
	run=($(member run -N 1 --exclusive -w n1 --time=60 --gang-min-member=2 \
			--wrap="sleep 3600") \
		$(member run -N 1 --exclusive -w n3 --time=60 \
			--wrap="sleep 3600")) &&
	wait_for 30 all_in RUNNING ${run[@]} &&
	late=($(member late -N 2 --exclusive --gang-min-member=2 --wrap=true) \
		$(member late -N 1 --exclusive --wrap=true)) &&
	wait_for 30 squeue_says ${late[0]} "3 nodes are needed" &&
	hold=$(member hold -N 1 --exclusive -J "<script>alert(1)</script>" \
		--gang-mode=nonstrict --gang-min-member=2 \
		--gang-waiting-time=60 --time=30 --wrap=true) &&
	also=$(member hold -N 2 --exclusive --time=30 --wrap=true) &&
	wait_for 30 "test \$(held_in $hold) = 1"
'

# The parts of it that do not change by the clock.
scene() { jq -S '{unit, cluster, levels, domains, nodes, gangs}'; }
same_scene()
{
	"$sgang" topology --json | scene >wanted && web /data.json | scene >got &&
		test_cmp wanted got
}
test_expect_success '4.34 the data is what sgang topology says' 'wait_for 10 same_scene'
test_expect_success 'and the metrics are what sgang metrics says' '
	"$sgang" metrics | sed "/oldest_wait/d" >wanted &&
	web /metrics -D head | sed "/oldest_wait/d" >got &&
	test_cmp wanted got && grep -i "^content-type: application/openmetrics-text" head
'
test_expect_success 'who waits and why, where there is room for it' '
	web /data.json >data &&
	jq -e ".queue[] | select(.gang == \"$(id -un)/late\") |
		.phase == \"Waiting\" and .members == 2 and .expected > .submitted and
		(.reason | test(\"3 nodes are needed\")) and
		(.places | any(.place == \"top\" and .needed == 3))" data
'
test_expect_success 'who holds nodes, and until when; when it ends' '
	web /data.json >data &&
	jq -e ".queue[] | select(.gang == \"$(id -un)/hold\") |
		.held == 1 and .pending == 1 and .wait_ends > .since" data &&
	jq -e ".queue[] | select(.gang == \"$(id -un)/run\") | .running == 2 and
		.ends - .started >= 3600 and .ends - .started < 3700" data
'
test_expect_success 'a job that is called like a script does not reach the page' '
	web / >page && ! grep "alert(1)" page &&
	test "$(grep -c "</script>" page)" = 2
'

test_expect_success 'it is for reading alone' '
	for method in POST PUT DELETE OPTIONS; do
		test "$(status / -X $method -d x=1 -D head)" = 405 &&
		grep -i "^allow: GET, HEAD" head && grep "for reading" body ||
			return 1
	done &&
	web / -I >head && grep "^HTTP/1.1 200" head &&
	test "$(status /../../etc/passwd --path-as-is)" = 404 &&
	test "$(status /data.json?x=1)" = 200
'
test_expect_success 'a page of elsewhere cannot borrow this host for its own name' '
	test "$(status / -H "Host: evil.example")" = 421 &&
	grep "This host has another name" body &&
	test "$(status /data.json -H "Host: 127.0.0.1.evil.example:80")" = 421 &&
	test "$(status /metrics -H Host:)" -ge 400 &&
	for host in localhost 127.0.0.1:9 "[::1]:80" "$(hostname)"; do
		test "$(status / -H "Host: $host")" = 200 || return 1
	done
'
test_expect_success 'nothing is kept, framed, or read by other pages' '
	web / -I >head &&
	for line in "cache-control: no-store" "x-frame-options: DENY" \
		"cross-origin-resource-policy: same-origin" \
		"x-content-type-options: nosniff" \
		"content-security-policy: default-src .none.;.* frame-ancestors .none."; do
		grep -qi "^$line" head || { echo "not: $line" >&2; return 1; }
	done &&
	! grep -i "^access-control" head
'
test_expect_success 'each look has a nonce of its own, which the script has' '
	nonce() { sed -n "s/.*script-src .nonce-\([0-9a-f]*\).*/\1/p" head; } &&
	web / -D head >page && first=$(nonce) && test ${#first} = 32 &&
	grep -x "<script nonce=\"$first\">" page &&
	! grep "unsafe-inline.*script-src\|http-equiv" page &&
	wait_for 10 "web / -D head >page && test \"\$(nonce)\" != $first"
'
# Slurm expects starts at other times after some of its passes.
unchanged()
{
	web /data.json -D head >data &&
		tag=$(sed -n 's/^[Ee][Tt]ag: \(.*\)\r/\1/p' head) &&
		test -n "$tag" && rm -f body &&
		test "$(status /data.json -H "If-None-Match: $tag" -D head)" = 304
}
test_expect_success 'what has not changed is not sent again' '
	wait_for 20 unchanged && test ! -s body && grep -i "^age: " head &&
	scontrol update NodeName=n4 State=DRAIN Reason=test &&
	wait_for 10 "test \$(status /data.json -H \"If-None-Match: \$tag\") = 200" &&
	jq -e ".nodes[] | select(.name == \"n4\") | .down > 0" body &&
	scontrol update NodeName=n4 State=RESUME
'

# How often slurmctld was asked for its nodes, as it is once for each look.
asked() { sdiag | sed -n 's/.*REQUEST_NODE_INFO .*count:\([0-9]*\) .*/\1/p'; }
# The bytes that come, and what they are.
test_expect_success 'who takes gzip gets the same data, and fewer bytes' '
	same_when() { jq "del(.when, .age)"; } &&
	same_twice() {
		web /data.json | same_when >got && web /data.json \
			-H "Accept-Encoding: gzip, deflate, br" -D head -o small &&
			gzip -t small && gzip -dc small >large &&
			same_when <large | cmp -s - got
	} &&
	wait_for 20 same_twice &&
	grep -i "^content-encoding: gzip" head && grep -i "^vary: accept-enc" head &&
	grep -i "^etag: .*-gzip" head &&
	test $(stat -c %s small) -lt $(($(stat -c %s large) / 2)) &&
	not_again() {
		web /data.json -H "Accept-Encoding: gzip" -D head -o small &&
			tag=$(sed -n "s/^[Ee][Tt][Aa][Gg]: \([^\r]*\)\r*\$/\1/p" head) &&
			test "$(status /data.json -H "Accept-Encoding: gzip" \
				-H "If-None-Match: $tag")" = 304
	} &&
	wait_for 20 not_again &&
	for words in "gzip;q=0" "identity" "xgzip" "gzipx, br"; do
		web /data.json -H "Accept-Encoding: $words" -D head | jq -e .nodes >nodes &&
		! grep -i "^content-encoding" head || return 1
	done
'
test_expect_success 'many clients are no more work for slurmctld than one' '
	begun=${EPOCHREALTIME/./} && before=$(asked) &&
	for i in $(seq 20); do
		{ for j in 1 2 3 4 5; do
			web /data.json -o /dev/null && web / -o /dev/null
		done; } &
		clients[i]=$!
	done &&
	wait ${clients[@]} &&
	looks=$(($(asked) - before)) &&
	took=$(((${EPOCHREALTIME/./} - begun) / 1000)) &&
	echo "200 requests in $took ms: $looks looks" &&
	test $looks -ge 1 && test $((1000 * (looks - 2))) -le $took
'
test_expect_success 'without clients it asks nothing' '
	wait_for 10 "test -z \"\$(pgrep -P $web_pid)\"" &&
	before=$(asked) &&
	cycles() { sdiag | sed -n "s/.*Total cycles: //p" | tail -n 1; } &&
	pass=$(cycles) && wait_for 60 "test \$(cycles) -gt $pass" &&
	test "$(asked)" = "$before"
'

sockets() { ls -l /proc/$web_pid/fd | grep -c socket:; }
# Who connects is looked for among all connections of the machine, which takes a
# busy one with thousands of them half a second.
test_expect_success 'connections are counted' '
	port=${web_url##*:} && fds= &&
	for i in $(seq 90); do
		exec {fd}<>/dev/tcp/127.0.0.1/$port && fds="$fds $fd" || return 1
	done &&
	wait_for 10 "test \$(sockets) -ge 60" &&
	test "$(sockets)" -le 66 &&
	for fd in $fds; do
		exec {fd}>&- || return 1
	done &&
	test "$(status / -m 120)" = 200 &&
	wait_for 10 "test \$(sockets) -le 4"
'
# Byte by byte, so that none of them is ever silent for long.
test_expect_success 'clients that are slow on purpose keep nobody out' '
	fds= && for i in $(seq 64); do
		exec {fd}<>/dev/tcp/127.0.0.1/$port && fds="$fds $fd" || return 1
	done &&
	wait_for 10 "test \$(sockets) -ge 60" &&
	{ (
		trap "" PIPE
		while read -rt 1 <> <(:); test $? -gt 128; do
			for fd in $fds; do printf G >&$fd || :; done
		done
	) 2>/dev/null & } && feeder=$! &&
	test "$(status / -m 120)" = 200 &&
	wait_for 20 "test \$(sockets) -le 4" || { kill $feeder; return 1; }
	kill $feeder && for fd in $fds; do
		exec {fd}>&- || return 1
	done
'
test_expect_success 'half a request, rubbish and a long one do no harm' '
	exec 7<>/dev/tcp/127.0.0.1/$port && printf "GET / HT" >&7 &&
	exec 8<>/dev/tcp/127.0.0.1/$port && head -c 100000 /dev/zero >&8
	test "$(status / -H "X: $(head -c 40000 /dev/zero | tr "\0" x)")" -ge 400 &&
	test "$(status /)" = 200 &&
	exec 7>&- 8>&- && test "$(status /)" = 200
'
test_expect_success 'other users are not served' '
	test_must_fail $as_nobody curl -sS -m 20 --noproxy "*" $web_url/ 2>said &&
	grep "a program of another user was not served" web.err &&
	test "$(status /)" = 200
'
test_expect_success 'a port is taken once' '
	test_expect_code 2 "$sgang" web --listen=127.0.0.1:$port 2>said &&
	test "$(wc -l <said)" = 1 && grep "Address already in use; sgang web without" said
'
test_expect_success 'SIGTERM ends it, with a connection or without' '
	exec 7<>/dev/tcp/127.0.0.1/$port && printf "GET / HT" >&7 &&
	web_stop && exec 7>&- &&
	test_must_fail web / 2>/dev/null
'

test_expect_success 'other addresses and users are served when that is asked for' '
	test_expect_code 2 "$sgang" web --listen=0.0.0.0:0 2>said &&
	grep "other hosts reach this address.*--open allows" said &&
	web_start --listen=127.0.0.1:0 --open --name=gangs.example &&
	grep "all users of this host see without a password" web.err &&
	$as_nobody curl -sS -m 20 --noproxy "*" $web_url/ >body &&
	grep "Cluster private" body &&
	test "$(status / -H "Host: gangs.example")" = 200 &&
	test "$(status / -H "Host: evil.example")" = 421 &&
	web_stop &&
	web_start --listen=0.0.0.0:0 --open &&
	grep "all hosts that reach this address see" web.err
'
test_expect_success 'there one address has some of the connections, not all' '
	port=${web_url##*:} && fds= && for i in $(seq 16); do
		exec {fd}<>/dev/tcp/127.0.0.1/$port && fds="$fds $fd" || return 1
	done &&
	wait_for 10 "test \$(sockets) -ge 16" &&
	test_must_fail curl -sS -m 10 --noproxy "*" http://127.0.0.1:$port/ &&
	curl -sS -m 20 --noproxy "*" --interface 127.0.0.2 \
		http://127.0.0.1:$port/ >body && grep "Cluster private" body &&
	for fd in $fds; do
		exec {fd}>&- || return 1
	done && web_stop
'
# A Slurm that was built for the tests may be in a folder that only root reads.
! as $alice sbatch --version >/dev/null 2>&1 || test_set_prereq USERS
test_expect_success USERS 'it shows what its user may see, and does so at an IPv6 address' '
	theirs=$(submit_as $alice --gang=theirs --gang-min-member=2) &&
	wait_for 20 squeue_says $theirs gathering &&
	web_as="setpriv --reuid $alice --regid $(id -g $alice) --clear-groups" &&
	web_start --listen=[::1]:0 && web_as= &&
	grep -xE "http://\[::1\]:[0-9]+/" web.url &&
	test "$(web_data "[.queue[].gang] | join(\" \")")" = "$alice/theirs" &&
	test "$(web_data "[.gangs[].gang] | length")" = 0 &&
	test_must_fail $as_nobody curl -sS -m 20 --noproxy "*" $web_url/ >body \
		2>said &&
	test_must_be_empty body && scancel $theirs && web_stop
'
test_expect_success 'wrong options are one sentence' '
	for word in --listen=127.0.0.1 --listen=127.0.0.1:70000 --listen=:80 \
		--listen=host.example:80 --listen= extra; do
		test_expect_code 2 "$sgang" web $word 2>said &&
		test "$(wc -l <said)" = 1 || { echo "$word" >&2; return 1; }
	done
'

failing() { test "$(web_data .error)" != null; }
healthy() { test "$(web_data .error)" = null; }
test_expect_success 'without slurmctld the page says how old it is' '
	web_start && healthy && when=$(web_data .when) &&
	slurm_stop_ctld &&
	wait_for 90 failing &&
	web_data .error | grep "slurmctld" &&
	test "$(web_data .when)" -ge "$when" &&
	wait_for 20 "test \$(web_data .age) -ge 2" &&
	web / >page && grep "id=\"notice\" role=\"status\">This is how it looked" page &&
	test "$(status /metrics)" = 503 && grep slurmctld body
'
test_expect_success 'and with slurmctld it is new again' '
	slurm_start_ctld && wait_for 60 healthy &&
	test "$(web_data .age)" -le 3 &&
	web / >page && grep "id=\"notice\" role=\"status\" hidden" page &&
	test "$(status /metrics)" = 200
'
test_expect_success 'one that has never seen slurmctld says so, and ends' '
	web_stop && slurm_stop_ctld && web_start &&
	for path in / /data.json /metrics; do
		test "$(status $path -D head)" = 503 && grep slurmctld body &&
		grep -i "^refresh: 5" head && grep -i "^retry-after: 5" head ||
			return 1
	done &&
	web_stop && slurm_start_ctld
'
last_case '
	drop ${run[@]} $hold $also ${late[@]} && nothing_left
'
