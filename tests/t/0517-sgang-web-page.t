#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0517-sgang-web-page.t - the page of sgang web, in a headless Chromium
#
# Its screenshots stay in the build tree: tests/web-*.png. The same page as a
# file: 0126-sgang-page.t.

test_description='sgang web in a browser: the page renews itself'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

switches left=n[1-3] right=n[4-6] top:left,right >topology.conf
slurm_cluster -n 6 -c 4 --gang --topology "$PWD/topology.conf"
web_needed
browser_start

member() { submit -o /dev/null --gang="$@"; }

# Until the expression is true; the console keeps what was wrong meanwhile.
shows() { wait_for 20 "browser_is '$1' 2>/dev/null"; }

me=$(id -un)
test_expect_success '4.34 the page opens, and is alive' '
	web_start && browser_size 1280 1000 &&
	browser_media prefers-color-scheme=light &&
	browser_open $web_url/ &&
	browser_is "document.title === \"Cluster private: fabric top\"" &&
	browser_is "data.live && !document.getElementById(\"live\").hidden" &&
	shows "/^as of/.test(byId(\"age\").textContent)" &&
	browser_is "notice.hidden && byId(\"gangs\").textContent.includes(\"No gang has nodes\")"
'
test_expect_success 'a gang starts, and is there without a click' '
	browser_is "(window.stays = true)" &&
	run=($(member run -N 1 --exclusive -w n3 --time=60 --gang-min-member=2 \
			--wrap="sleep 3600") \
		$(member run -N 1 --exclusive -w n4 --time=60 \
			--wrap="sleep 3600")) &&
	wait_for 30 all_in RUNNING ${run[@]} &&
	shows "data.gangs.length === 1 && buttons.length === 1" &&
	browser_is "window.stays && buttons[0].textContent === \"$me/run\"" &&
	browser_is "byId(\"gangs\").rows[0].cells[8].textContent === \"$me\"" &&
	browser_is "/[0-9]:[0-9][0-9]\$/.test(byId(\"gangs\").rows[0].cells[9].textContent)"
'
test_expect_success 'what is picked, has the focus or was sought stays so' '
	browser_is "(buttons[0].focus(), true)" && browser_keys Enter &&
	browser_is "picked === 0 && svg.querySelectorAll(\".ring.picked\").length > 0" &&
	browser_is "(setZoom(2), colours.value = \"user\", paint(), window.old = svg, true)" &&
	wait=$(member wait -N 5 --exclusive --gang-min-member=2 --wrap=true) &&
	also=$(member wait -N 1 --exclusive --wrap=true) &&
	shows "svg !== window.old && byId(\"queue\").textContent.includes(\"6 nodes are needed\")" &&
	browser_is "picked === 0 && svg.querySelectorAll(\".ring.picked\").length > 0" &&
	browser_is "document.activeElement === buttons[0]" &&
	browser_is "zoom === 2 && svg.querySelectorAll(\".tinted\").length === 1"
'
test_expect_success 'who waits, why, and where there is how much room' '
	browser_is "byId(\"waiting-of\").textContent.startsWith(\"1 gang\")" &&
	browser_is "(() => { const cells = byId(\"queue\").rows[0].cells;
		return cells[0].textContent === \"$me/wait\" && cells[1].textContent === \"Waiting\" &&
			cells[3].textContent === \"2/2\" && cells[9].textContent.startsWith(\"top 4/6\") })()" &&
	browser_is "(document.querySelector(\"#queue [data-place]\").click(), frame !== null &&
		shown.textContent.startsWith(\"top: 6 nodes\"))"
'
test_expect_success 'who holds nodes, and until when' '
	hold=$(member hold -N 1 --exclusive --gang-mode=nonstrict --gang-min-member=3 \
		--gang-waiting-time=60 --time=20 --array=1-2 --wrap=true) &&
	more=$(member hold -N 4 --exclusive --time=20 --wrap=true) &&
	shows "[...byId(\"queue\").rows].some((row) => row.cells[0].textContent === \"$me/hold\" &&
		Number(row.cells[4].textContent) > 0 && /:/.test(row.cells[6].textContent))" &&
	browser_is "byId(\"waiting-of\").textContent.includes(\"1 of them holds\")" &&
	browser_is "document.querySelectorAll(\"#lines .holds\").length === 1 &&
		document.querySelectorAll(\"#lines .runs\").length >= 1 &&
		document.querySelectorAll(\"#lines .will\").length >= 1 &&
		document.querySelectorAll(\"#lines .waits\").length === 3"
'
test_expect_success 'pictures, light and dark' '
	browser_is "(zoom = 0, setSize(), colours.value = \"gang\", paint(), true)" &&
	browser_shot web-light && browser_media prefers-color-scheme=dark &&
	browser_shot web-dark && browser_media prefers-color-scheme=light &&
	browser_size 390 900 && browser_is "document.documentElement.scrollWidth <= 390" &&
	browser_shot web-narrow && browser_size 1280 1000
'
test_expect_success 'on a narrow screen gangs and reasons come before the picture' '
	top="(what) => document.querySelector(what).getBoundingClientRect().top" &&
	browser_is "(($top)(\"figure\") < ($top)(\"#waiting\"))" &&
	browser_size 390 900 &&
	browser_is "(($top)(\"#waiting\") < ($top)(\"#gangs\") && ($top)(\"#gangs\") < ($top)(\"figure\"))" &&
	browser_is "[...document.querySelectorAll(\"#queue td.words\")].every((cell) => {
		const box = cell.getBoundingClientRect(); return box.left >= 0 && box.right <= 390; })" &&
	browser_size 1280 1000 &&
	browser_is "[...document.querySelectorAll(\"#waiting thead th\")].some((cell) => cell.textContent === \"Members that hold\")"
'
test_expect_success 'names are text, whatever is in them' '
	evil="<img src=x onerror=window.evil=1>" &&
	browser_is "(() => { for (const row of data.queue) {
			row.reason = row.phase = row.unit = row.users[0] = \"$evil\";
			row.places = [{ place: \"$evil\", free: 1, needed: 2 }]; }
		fillQueue(); fillTimes(); fillGangs();
		data.gangs[0].gang = data.domains[1].name = data.nodes[0].name = \"$evil\";
		paint(); showFolds(); show(0); showDomain(1); lookFor(\"$evil\"); tagNodes();
		return document.querySelectorAll(\"img\").length === 0 &&
			byId(\"queue\").textContent.includes(\"onerror\") })()" &&
	browser_is "document.querySelectorAll(\"script\").length === 2" &&
	browser_is "(() => { const bad = document.createElement(\"script\");
		bad.textContent = \"window.evil = 2\"; document.body.append(bad); bad.remove();
		const image = document.createElement(\"div\"); image.innerHTML = \"$evil\";
		document.body.append(image); return true })()" &&
	browser_is "window.evil === undefined"
'
asked_last()
{
	browser_get "performance.getEntriesByType(\"resource\").length"
}
test_expect_success 'p pauses: nothing is asked until it goes on' '
	browser_open $web_url/ && shows "asOf > 0 && data.gangs.length >= 1" &&
	browser_keys p && browser_is "pause.getAttribute(\"aria-pressed\") === \"true\"" &&
	shows "!asking" && before=$(asked_last) &&
	browser_get "new Promise((done) => setTimeout(done, 2 * INTERVAL))" &&
	test "$(asked_last)" = "$before" &&
	browser_keys p && shows "performance.getEntriesByType(\"resource\").length > $before"
'
test_expect_success 'a page that is not seen asks nothing' '
	browser_is "(Object.defineProperty(document, \"hidden\", { value: true, configurable: true }),
		document.dispatchEvent(new Event(\"visibilitychange\")), true)" &&
	shows "!asking" && before=$(asked_last) &&
	browser_get "new Promise((done) => setTimeout(done, 2 * INTERVAL))" &&
	test "$(asked_last)" = "$before" &&
	browser_is "(delete document.hidden,
		document.dispatchEvent(new Event(\"visibilitychange\")), true)" &&
	shows "performance.getEntriesByType(\"resource\").length > $before"
'
test_expect_success 'without slurmctld it says how old it is, and then it is new' '
	slurm_stop_ctld &&
	wait_for 60 "browser_is \"!notice.hidden\" 2>/dev/null" &&
	browser_is "notice.textContent.startsWith(\"This is how it looked at\") &&
		notice.textContent.includes(\"slurmctld\")" &&
	shows "/ago\$/.test(byId(\"age\").textContent)" && browser_shot web-old &&
	slurm_start_ctld && wait_for 60 "browser_is \"notice.hidden\" 2>/dev/null"
'
test_expect_success 'without the server, too' '
	web_stop && shows "notice.textContent.startsWith(\"sgang web does not answer\")" &&
	web_start --listen=127.0.0.1:${web_url##*:} &&
	shows "notice.hidden"
'
test_expect_success 'the console has no complaint but of what was tried and stopped' '
	browser_complaints | grep -v -e "ERR_CONNECTION_REFUSED" \
		-e "Content Security Policy directive" >complaints
	test_must_be_empty complaints
'
last_case '
	drop ${run[@]} $wait $also && scancel $hold $more &&
	wait_for 30 queue_empty && nothing_left
'
