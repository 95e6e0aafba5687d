# SPDX-License-Identifier: GPL-2.0-or-later
# 09-browser.sh - a page in a headless Chromium, asked by WebDriver
#
#   browser_start            skips all of the test where there is no Chromium, but
#                            with SGANG_NO_SKIP that is a failure
#   browser_open FILE|URL    and wait until it is loaded
#   browser_is JS            the expression is true
#   browser_get JS           print its value as JSON
#   browser_keys KEY...      press these one by one: Tab, Enter, Escape, ArrowUp,
#                            ArrowDown, or letters
#   browser_media NAME=VALUE...   pretend: prefers-color-scheme=dark
#   browser_size WIDTH HEIGHT
#   browser_shot NAME        keep tests/NAME.png in the build tree
#   browser_complaints       what the page wrote to the console as errors
#   browser_contrast         print JS that has contrast(A, B) of two colours, 1 to
#                            21 as in WCAG 2, rgb(TEXT), behind(ELEMENT), and
#                            texts(): the elements that show some
#
# The browser has folders of its own, needs no network, and is stopped when the
# test ends.

test -n "$BASH_VERSION" || return 0

browser_url=
browser_pid=

browser_missing()
{
	local command

	for command in base64 chromium chromedriver curl jq; do
		command -v $command >/dev/null ||
			{ echo "there is no $command"; return; }
	done
}

# Ask for METHOD PATH, with the JSON on stdin if it is a POST, and print the
# value of the answer. An error is printed and fails.
browser_ask()
{
	local method=$1 path=$2

	shift 2
	test $method != POST || set -- --data-binary @- \
		-H 'Content-Type: application/json'
	curl -sS --noproxy '*' -X $method "$@" "$browser_url$path" >answer.json &&
		jq -e '.value | if type == "object" and has("error") then
			(.message | error) else true end' answer.json \
			>/dev/null && jq -c .value answer.json
}

browser_port()
{
	sed -n 's/.*started successfully on port \([0-9]*\).*/\1/p' driver.log
}

# Wait until a command says yes, or for three minutes.
browser_wait()
{
	local end=$((SECONDS + 180))

	until "$@"; do
		test $SECONDS -lt $end || return 1
		read -rt 0.1 <> <(:) || :
	done
}

has_browser_port() { test -n "$(browser_port)"; }

browser_start()
{
	skip_missing "$(browser_missing)" browser_fatal
	browser_next_at_exit=$(trap -p EXIT | cut -d "'" -f 2)
	trap browser_at_exit EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	mkdir -p home
	HOME=$PWD/home chromedriver --port=0 >driver.log 2>&1 3>&- 4>&- 5>&- &
	browser_pid=$!
	browser_wait has_browser_port ||
		browser_fatal "chromedriver does not start"
	browser_url=http://127.0.0.1:$(browser_port)
	browser_session || browser_fatal "Chromium does not start"
}

browser_session()
{
	local id

	id=$(jq -n --arg dir "$PWD/home/profile" --arg binary \
		"$(command -v chromium)" '{capabilities: {alwaysMatch: {
		browserName: "chrome", "goog:loggingPrefs": {browser: "ALL"},
		"goog:chromeOptions": {binary: $binary, args: ["--headless",
		"--no-sandbox", "--disable-gpu", "--disable-quic",
		"--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking",
		"--disable-component-update", "--disable-sync",
		"--user-data-dir=\($dir)"]}}}}' |
		browser_ask POST /session | jq -r .sessionId) &&
		test -n "$id" && browser_url=$browser_url/session/$id
}

browser_fatal()
{
	test ! -e driver.log || cat driver.log >&2
	echo >&5 "Bail out! $*"
	EXIT_OK=t
	exit 1
}

browser_at_exit()
{
	local code=$?

	trap '' HUP INT TERM
	case $browser_url in
	*/session/*) browser_ask DELETE "" >/dev/null 2>&1 ;;
	esac
	test -z "$browser_pid" || { kill $browser_pid; wait $browser_pid; } \
		2>/dev/null
	(exit $code)
	$browser_next_at_exit
}

# A file, or http://...
browser_open()
{
	local url=$1

	case $url in
	/*) url=file://$url ;;
	esac
	jq -n --arg url "$url" '{url: $url}' | browser_ask POST /url
}

# The value may be a promise.
browser_get()
{
	jq -n --arg js "return ($1);" '{script: $js, args: []}' |
		browser_ask POST /execute/sync
}

browser_is()
{
	test "$(browser_get "$1")" = true || {
		echo "not true: $1" >&2
		return 1
	}
}

browser_keys()
{
	printf '%s\n' "$@" | jq -R '{Tab: "\ue004", Enter: "\ue007",
		Escape: "\ue00c", ArrowUp: "\ue013", ArrowDown: "\ue015"}[.] // .
		| {type: "keyDown", value: .}, {type: "keyUp", value: .}' |
		jq -s '{actions: [{type: "key", id: "keys", actions: .}]}' |
		browser_ask POST /actions
}

browser_devtools()
{
	jq -n --arg cmd "$1" --argjson params "$2" \
		'{cmd: $cmd, params: $params}' |
		browser_ask POST /goog/cdp/execute
}

browser_media()
{
	browser_devtools Emulation.setEmulatedMedia "$(printf '%s\n' "$@" |
		jq -R 'split("=") | {name: .[0], value: .[1]}' |
		jq -s '{features: .}')"
}

browser_size()
{
	browser_devtools Emulation.setDeviceMetricsOverride \
		"{\"width\": $1, \"height\": $2, \"deviceScaleFactor\": 1,
		\"mobile\": false}"
}

browser_shot()
{
	browser_ask GET /screenshot | jq -r . |
		base64 -d >"$top_builddir/tests/$1.png" &&
		test "$(head -c 4 "$top_builddir/tests/$1.png" | tail -c 3)" = \
			PNG
}

browser_complaints()
{
	jq -n '{type: "browser"}' | browser_ask POST /se/log |
		jq -c '.[] | select(.level == "SEVERE" or .level == "WARNING")'
}

browser_contrast()
{
	cat <<-'END'
	const rgb = (text) => text.match(/[\d.]+/g).map(Number);
	const clear = (colour) => colour.length > 3 && colour[3] === 0;
	const light = (colour) => colour.slice(0, 3).map((c) => c / 255)
		.map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) /
		(Math.min(light(a), light(b)) + 0.05);
	const behind = (element) => {
		for (; element; element = element.parentElement) {
			const colour = rgb(getComputedStyle(element).backgroundColor);
			if (!clear(colour))
				return colour;
		}
		return [255, 255, 255];
	};
	const texts = () => [...document.querySelectorAll("main *")]
		.filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 &&
			n.textContent.trim()) && e.checkVisibility());
	END
}

# By the file faint.js.
nothing_faint()
{
	local faint

	faint=$(browser_get "$(cat faint.js)") && test "$faint" = '[]' || {
		echo "too faint: $faint" >&2
		return 1
	}
}
