#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0161-simulate-page.t - the page of sgang simulate, in a headless Chromium
#
# Behaviour 8.2. Its screenshots stay in the build tree: tests/simulate-*.png.

test_description='sgang simulate --html in a browser: mouse, keyboard, light and dark'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

unset SLURM_CONF
mkdir -p "$top_builddir/tests"
browser_start

# NODES in leaves of 8
leaves_of()
{
	seq 8 8 $1 | awk '{ printf "SwitchName=leaf%d Nodes=n[%d-%d]\n", NR, $1 - 7, $1 }'
	echo "SwitchName=spine Switches=leaf[1-$(($1 / 8))]"
}
# JOBS every SECONDS: of twenty, eight make two gangs of four
queue_of()
{
	awk -v jobs=$1 -v every=$2 'BEGIN {
		print "id,submit,run,limit,nodes,user,name,gang"
		for (i = 0; i < jobs; i++) {
			gang = i % 20 < 8 ? "g" int(i / 4) : ""
			printf "%d,%d,%d,%d,%d,%s,job,%s\n", i + 1, 1700000000 + every * i,
				600 + i * 7919 % 6007, 7200, gang ? 1 : 1 + i % 5,
				gang ? "carol" : i % 3 ? "alice" : "bob", gang
		}
	}'
}
leaves_of 64 >small.conf
leaves_of 1000 >large.conf
queue_of 600 60 >small.csv
queue_of 6000 3 >large.csv
"$sgang" simulate --jobs=small.csv --topology=small.conf --html=small.html >/dev/null 2>why ||
	! grep libcsv why || skip_test 'built without libcsv'
"$sgang" simulate --jobs=large.csv --topology=large.conf --html=large.html >/dev/null 2>&1 ||
	browser_fatal "no large page"

look_at() { browser_is "(byId(\"$1\").scrollIntoView(), true)"; }
said() { browser_is "said.textContent$1"; }

test_expect_success '8.2 the page opens, and asks for nothing else' '
	browser_size 1280 1000 &&
	browser_media prefers-color-scheme=light &&
	browser_open "$PWD/small.html" &&
	browser_is "document.title === \"Replay of small.csv\"" &&
	browser_is "data.configurations.length === 2 && pictures.length === 2" &&
	browser_is "performance.getEntriesByType(\"resource\").length === 0" &&
	browser_is "document.querySelectorAll(\"script\").length === 3"
'
test_expect_success 'the table has both configurations, and the way between them' '
	browser_is "[...document.querySelectorAll(\"#numbers thead th\")]
		.map((cell) => cell.textContent).join() === \"stock,defaults,Change\"" &&
	browser_is "document.querySelector(\"[data-row=idle_hours]\").cells.length === 4" &&
	browser_is "document.querySelectorAll(\"#numbers th[scope=rowgroup]\").length === 3"
'
# The dots of the first picture, of a copy that may be read.
cat >dots.js <<'END'
(() => {
	const from = pictures[0].canvas, copy = document.createElement("canvas");
	copy.width = from.width;
	copy.height = from.height;
	const context = copy.getContext("2d", { willReadFrequently: true });
	context.drawImage(from, 0, 0);
	return (x, y, width, height) => context.getImageData(x, y, width, height).data;
})()
END
cat >colours.js <<END
(() => {
	const { width, height } = pictures[0].canvas, dots = $(cat dots.js)(0, 0, width, height);
	const seen = new Set();
	for (let i = 0; i < dots.length; i += 4)
		seen.add(dots.slice(i, i + 3).join());
	return seen.size;
})()
END
test_expect_success 'the timeline is drawn, gangs in colours of their own' '
	browser_is "pictures.every((one) => one.raster.length === 64)" &&
	browser_is "$(cat colours.js) > 50" &&
	browser_is "rasters[0].some((row) => row.includes(HELD)) &&
		!rasters[1].some((row) => row.includes(HELD))"
'
test_expect_success 'the charts are drawn' '
	for id in gang-waits job-waits busy held waiting; do
		browser_is "document.querySelectorAll(\"#$id path\").length === 2" ||
			return 1
	done &&
	browser_is "[...document.querySelectorAll(\".chart path\")]
		.every((path) => !/NaN|Infinity/.test(path.getAttribute(\"d\")))"
'
test_expect_success 'the keyboard moves through a picture, picks and lets go' '
	browser_is "(pictures[0].canvas.focus(), true)" &&
	said ".startsWith(\"n1, 2023-11-1\")" &&
	browser_keys ArrowDown && said ".startsWith(\"n2, \")" &&
	browser_keys ArrowUp ArrowDown ArrowUp && said ".startsWith(\"n1, \")" &&
	browser_is "(() => { const row = rasters[0].findIndex((row) => row.some((value) => value >= GANG));
		move(pictures[0], rasters[0][row].findIndex((value) => value >= GANG), row);
		return true })()" &&
	said ".includes(\": gang carol/g\")" &&
	browser_keys Enter && browser_is "picked >= 0" &&
	browser_keys Escape && browser_is "picked === -1"
'
test_expect_success 'a gang is found by its name' '
	browser_is "(byId(\"find\").focus(), true)" && browser_keys g 5 &&
	browser_is "picked >= 0 && data.gangs[picked].name.includes(\"g5\")" &&
	said ".includes(\" members, starts: stock 2023-\")" &&
	browser_shot simulate-picked && browser_keys x && said " === \"No such gang.\""
'
test_expect_success 'the mouse picks' '
	browser_is "(() => { const row = rasters[1].findIndex((row) => row.some((value) => value >= GANG));
		const column = rasters[1][row].findIndex((value, i, all) => value >= GANG && all[i + 4] === value) + 2;
		const canvas = pictures[1].canvas, box = canvas.getBoundingClientRect();
		canvas.dispatchEvent(new MouseEvent(\"click\", { bubbles: true,
			clientX: box.left + LEFT + (column + 0.5) * (box.width - LEFT) / data.columns,
			clientY: box.top + ABOVE + (row + 0.5) * rowHeight() }));
		return picked === rasters[1][row][column] - GANG })()" &&
	browser_is "(pick(-1), picked === -1)"
'
# Text whose colour is too near to what is behind it (WCAG 2: 4.5 to 1).
{
	echo "(() => {"
	browser_contrast
	cat <<'END'
	return texts().map((e) => [e.outerHTML.slice(0, 80), contrast(
		rgb(getComputedStyle(e)[e.namespaceURI === SVG ? "fill" : "color"]), behind(e))])
		.filter(([what, is]) => is < 4.5);
})()
END
} >faint.js
# The colour of what is idle at the end of the first picture.
cat >ground.js <<END
(() => {
	const ratio = devicePixelRatio;
	const row = rasters[0].findIndex((row) => row[data.columns - 1] === IDLE);
	const dot = $(cat dots.js)(pictures[0].canvas.width - 2 * ratio,
		Math.round((ABOVE + (row + 0.5) * rowHeight()) * ratio), 1, 1);
	return fromHex(style("--ground")).join() === dot.slice(0, 3).join() ? dot[0] : "other";
})()
END
test_expect_success 'light and dark can be read, and the pictures are drawn anew' '
	browser_is "(document.querySelector(\"details\").open = true)" &&
	nothing_faint && look_at timeline-title && browser_shot simulate-light &&
	light=$(browser_get "$(cat ground.js)") && test $light -gt 200 &&
	browser_media prefers-color-scheme=dark &&
	browser_is "new Promise((done) => requestAnimationFrame(() => done(isDark.matches)))" &&
	dark=$(browser_get "$(cat ground.js)") && test $dark -lt 60 &&
	nothing_faint && look_at waits-title && browser_shot simulate-dark &&
	browser_media prefers-color-scheme=light
'
test_expect_success 'in a narrow window nothing but tables scrolls sideways' '
	browser_size 390 900 &&
	browser_is "document.documentElement.scrollWidth <= 390" &&
	look_at timeline-title && browser_shot simulate-narrow && browser_size 1280 1000
'
test_expect_success 'a thousand nodes: two in a row' '
	browser_open "$PWD/large.html" &&
	browser_is "data.rows.length === 500 && pictures[0].raster.length === 500" &&
	browser_is "data.rows[0] === \"n1 to n2\"" &&
	browser_is "pictures[0].canvas.clientHeight > 400" &&
	look_at timeline-title && browser_shot simulate-large
'
test_expect_success 'nothing was wrong in any page' '
	browser_complaints >complaints && test_must_be_empty complaints
'

test_done
