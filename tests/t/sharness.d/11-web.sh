# SPDX-License-Identifier: GPL-2.0-or-later
# 11-web.sh - a sgang web of a private cluster
#
#   web_needed            skip all of the test where sgang has no sgang web
#   web_start OPTION...   start it; $web_url is its address, without the last
#                         slash, $web_pid the process, and web.err what it
#                         says; $web_as may be a command that runs it, such as
#                         setpriv
#   web_stop              end it as a user does; false if it says that it failed
#   web PATH [OPTION...]  ask for it with curl
#   web_data FILTER       what jq -r makes of /data.json
#
# It is stopped when the test ends, however it ends.

test -n "$BASH_VERSION" || return 0

web_pid=
web_as=

web_missing()
{
	local command

	"$top_builddir/src/cmd/sgang" web --listen=nonsense 2>&1 |
		grep -q "expected ADDRESS:PORT" ||
		{ echo "built without libmicrohttpd"; return; }
	for command in curl jq; do
		command -v $command >/dev/null ||
			{ echo "there is no $command"; return; }
	done
}

web_needed() { skip_missing "$(web_missing)"; }

# The end that was planned before comes last.
web_at_exit()
{
	local code=$?

	trap '' HUP INT TERM
	test -z "$web_pid" || kill -KILL $web_pid 2>/dev/null
	(exit $code)
	$web_next_at_exit
}

web_listens() { test -s web.url || ! kill -0 $web_pid 2>/dev/null; }

web_start()
{
	if test -z "$web_next_at_exit"; then
		web_next_at_exit=$(trap -p EXIT | cut -d "'" -f 2)
		trap web_at_exit EXIT
	fi
	rm -f web.url
	$web_as "${sgang:-$top_builddir/src/cmd/sgang}" web "$@" \
		>web.url 2>web.err 3>&- 4>&- 5>&- &
	web_pid=$!
	wait_for 15 web_listens && test -s web.url || {
		cat web.err >&2
		return 1
	}
	web_url=$(cat web.url)
	web_url=${web_url%/}
}

web_stop()
{
	local pid=$web_pid

	web_pid=
	kill $pid && wait $pid
}

web()
{
	local path=$1

	curl -sS --noproxy '*' "${@:2}" "$web_url$path"
}

web_data() { web /data.json | jq -r "$1"; }
