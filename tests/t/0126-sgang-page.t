#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0126-sgang-page.t - the page of sgang topology, in a headless Chromium
#
# Its screenshots stay in the build tree: tests/page-*.png.

test_description='sgang topology --html in a browser: mouse, keyboard, screen reader'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

unset SLURM_CONF
mkdir -p "$top_builddir/tests"
browser_start

"$sgang" topology --topology="$top_srcdir/topology/demo.conf" --slots=4 \
	--free='n[3-4,7-16]' --with='alice/train=n[9-16]' --with=bob/x=n3=2,n7=2 \
	--with='eve/<script>alert(1)</script>=n4=2' --down=n8 \
	--html=demo.html || browser_fatal "no page"
fabric_of_4096 >big.conf
"$sgang" topology --topology=big.conf --gang=llm \
	--free='c[1-100,200-700]=8,c[1000-2100]=8,c[2200-2600]=4,c[3000-4096]=8' \
	--with='alice/train=c[200-327]' --with='bob/llm=c[1000-1511]' \
	--with='c/d=c[2200-2216]=4' --down='c[4000-4040]' --html=big.html ||
	browser_fatal "no large page"

fabric_of 10000 >huge.conf
"$sgang" topology --topology=huge.conf --slots=8 --gang=llm \
	--with='alice/train=c[200-1327]' --with='bob/llm=c[5000-5511]' \
	--with='dora/x=c[8000-9023]' --down='c[9900-9940]' --html=huge.html ||
	browser_fatal "no huge page"

# The ring of that gang is seen, and no other.
cat >only_ring.js <<'END'
(which => [...document.querySelectorAll(".ring")].every(ring =>
	(getComputedStyle(ring).display !== "none") ===
	(ring.dataset.ring === which)) &&
	[...document.querySelectorAll(".gang[data-gang]")].every(part =>
	part.classList.contains("picked") === (part.dataset.gang === which)))
END
only_ring() { browser_is "$(cat only_ring.js)(\"$1\")"; }

# What has the focus.
focus_is() { browser_is "document.activeElement.$1"; }

# Text whose colour is too near to what is behind it (WCAG 2: 4.5 to 1).
{
	echo "(() => {"
	browser_contrast
	cat <<'END'
	const fill = (css) => rgb(getComputedStyle(document.querySelector(css)).fill);
	const pairs = texts().filter((e) => !e.closest("svg")).map((e) =>
		[e.outerHTML.slice(0, 80), rgb(getComputedStyle(e).color), behind(e)]);
	for (const text of [".name", ".count"])
		for (const box of [".above", ".leaf"])
			pairs.push([text + box, fill(".domains " + text), fill(box)]);
	if (document.querySelector(".label"))
		pairs.push(["label", fill(".label"), fill(".node")]);
	if (document.querySelector(".cost"))
		pairs.push(["cost", fill(".cost"), fill(".plate")]);
	return pairs.filter(([what, a, b]) => contrast(a, b) < 4.5)
		.map(([what, a, b]) => what + " " + contrast(a, b).toFixed(2));
})()
END
} >faint.js

test_expect_success 'the page opens' '
	browser_size 1280 900 &&
	browser_media prefers-color-scheme=light &&
	browser_open "$PWD/demo.html" &&
	browser_is "document.title === \"Fabric core\"" &&
	browser_is "data.nodes.length === 16 && data.gangs.length === 3" &&
	browser_is "document.querySelectorAll(\"#gangs tr\").length === 3" &&
	only_ring none
'
test_expect_success 'it asked for nothing else' '
	browser_is "performance.getEntriesByType(\"resource\").length === 0"
'
test_expect_success 'a name is no script' '
	browser_is "document.querySelectorAll(\"script\").length === 2" &&
	browser_is "buttons[2].textContent.includes(\"<script>\")"
'

test_expect_success 'the keyboard: Tab finds the gangs, and goes on behind them' '
	browser_keys Tab && focus_is "id === \"find\"" &&
	for id in colours folds loads smaller larger fit; do
		browser_keys Tab && focus_is "id === \"$id\"" || return 1
	done &&
	browser_keys Tab && focus_is "tagName === \"FIGURE\"" &&
	browser_keys Tab && focus_is "textContent === \"alice/train\"" &&
	browser_keys ArrowDown && focus_is "textContent === \"bob/x\"" &&
	browser_keys ArrowUp && focus_is "textContent === \"alice/train\"" &&
	only_ring none
'
test_expect_success 'Enter picks: the ring is drawn and told' '
	browser_keys Enter && only_ring 0 &&
	focus_is "getAttribute(\"aria-pressed\") === \"true\"" &&
	browser_is "document.querySelector(\".picked .costly\").getTotalLength() > 100" &&
	browser_is "document.querySelectorAll(\".picked .cost\").length === 2" &&
	browser_is "document.getElementById(\"said\").textContent ===
		\"alice/train: ring cost 80, 2 cross links, tier spine.\"" &&
	browser_is "[...document.querySelectorAll(\"#levels tr.crossed\")]
		.map((row) => row.innerText).join() === \"spine\\t16\\t2\\t32\"" &&
	browser_shot page-light
'
test_expect_success 'the picked slots look different from all others' '
	browser_is "(() => { const fill = (css) => getComputedStyle(
		document.querySelector(\".scene > #fabric > \" + css)).fill;
		return new Set([\".gang.picked\", \".gang:not(.picked)\",
			\".busy\", \".free\", \".down\"].map(fill)).size === 5 })()"
'
test_expect_success 'another one, and none' '
	browser_keys ArrowDown Enter && only_ring 1 &&
	browser_keys Escape && only_ring none &&
	browser_is "document.getElementById(\"said\").textContent === \"\"" &&
	browser_keys Enter && only_ring 1 && browser_keys Enter && only_ring none
'
test_expect_success 'the mouse picks in the picture' '
	browser_is "document.querySelector(\".gang[data-gang=\\\"1\\\"]\")
		.dispatchEvent(new MouseEvent(\"click\", {bubbles: true}))" &&
	only_ring 1
'
test_expect_success 'a node is found by name' '
	browser_is "document.getElementById(\"find\").focus() === undefined" &&
	browser_keys n 1 0 &&
	browser_is "shown.textContent ===
		\"n10 in leaf3: 0 of 4 slots free, 4 alice/train\"" &&
	browser_is "document.querySelectorAll(\".found\").length === 1" &&
	browser_keys x &&
	browser_is "shown.textContent === \"nothing has that name\"" &&
	browser_is "document.querySelectorAll(\".found\").length === 0"
'

# Type that into the field, and nothing else.
find_that()
{
	browser_is "(find.value = \"$1\", find.dispatchEvent(new Event(\"input\")))"
}
seen_gangs()
{
	browser_is "[...document.querySelectorAll(\"#gangs tr\")]
		.filter((row) => !row.hidden).map((row) => row.cells[0].textContent)
		.join() === \"$1\""
}
test_expect_success 'so are a switch, a gang by its name, a user, a part of a name' '
	find_that leaf3 &&
	browser_is "shown.textContent.startsWith(\"leaf3: 4 nodes, 0 of 16 slots free, 2 hops of 1 ring\")" &&
	browser_is "document.querySelector(\".found\").getAttribute(\"width\") > 2 * data.width" &&
	find_that x && seen_gangs bob/x && only_ring 1 &&
	find_that alice && seen_gangs alice/train &&
	browser_is "shown.textContent === \"user alice: 1 gang\"" &&
	browser_is "document.querySelectorAll(\".gang.match\").length === 1" &&
	find_that i && seen_gangs "alice/train,eve/<script>alert(1)</script>" &&
	browser_is "find.focus() === undefined" && browser_keys Escape &&
	seen_gangs "alice/train,bob/x,eve/<script>alert(1)</script>" &&
	browser_is "find.value === \"\" && document.querySelectorAll(\".match, .found\").length === 0"
'
test_expect_success 'gangs have colours, by gang or by user, with a legend' '
	browser_is "(document.activeElement.blur(), pick(-1), true)" &&
	browser_keys c &&
	browser_is "new Set([...document.querySelectorAll(\".gang[data-gang]\")]
		.map((part) => getComputedStyle(part).fill)).size === 3" &&
	browser_is "[...document.querySelectorAll(\"#legend li\")]
		.map((one) => one.textContent).join() ===
		\"alice/train,bob/x,eve/<script>alert(1)</script>\"" &&
	browser_keys c && browser_is "document.querySelectorAll(\"#legend li\")[1].textContent === \"bob\"" &&
	browser_keys c &&
	browser_is "document.getElementById(\"legend\").hidden &&
		document.querySelectorAll(\".tinted\").length === 0"
'
# alice/train leaves leaf3 once and comes back once, and so it does leaf4.
test_expect_success 'the load of links is counted and shown' '
	browser_keys l &&
	browser_is "data.domains.map((domain, i) => [domain.name, links[i].hops, links[i].gangs].join(\" \"))
		.filter((text) => /leaf/.test(text)).join() ===
		\"leaf1 2 1,leaf2 2 1,leaf3 2 1,leaf4 2 1\"" &&
	browser_is "document.querySelectorAll(\".load-text\").length > 3" &&
	browser_shot page-load &&
	browser_keys l && browser_is "document.querySelectorAll(\".load-text\").length === 0"
'
test_expect_success 'domains fold, in the picture and in the table' '
	browser_keys f && browser_is "folds.value !== \"\"" &&
	browser_is "document.querySelectorAll(\".covered\").length ===
		data.domains.filter((domain) => domain.level === folds.value).length" &&
	browser_shot page-folded &&
	browser_is "(folds.value = \"\", folds.dispatchEvent(new Event(\"change\")))" &&
	browser_is "document.querySelectorAll(\".covered\").length === 0" &&
	browser_is "(document.querySelector(\".fold\").click(), true)" &&
	browser_is "[...document.querySelectorAll(\"#domains tr\")]
		.filter((row) => !row.hidden).length === 1" &&
	browser_is "document.querySelector(\".fold\").getAttribute(\"aria-expanded\") === \"false\"" &&
	browser_is "document.querySelector(\".covered\").dispatchEvent(new MouseEvent(\"click\", {bubbles: true}))" &&
	browser_is "document.querySelectorAll(\".covered, #domains tr[hidden]\").length === 0"
'
test_expect_success 'the picture grows and shrinks' '
	width="svg.getBoundingClientRect().width" &&
	was=$(browser_get "$width") && browser_keys + &&
	browser_is "$width > 1.3 * $was && $width < 1.5 * $was" &&
	browser_keys - - && browser_is "$width < $was" &&
	browser_keys 0 && browser_is "$width <= figure.clientWidth"
'

# What a screen reader is told, as the browser itself computes it.
test_expect_success 'everything has a name, headings and tables are there' '
	browser_devtools Accessibility.enable "{}" &&
	browser_devtools Accessibility.getFullAXTree "{}" |
		jq "[.nodes[] | select(.ignored | not) | {role: .role.value,
			name: (.name.value // \"\")}]" >tree &&
	jq -e "map(select((.role | IN(\"button\", \"searchbox\", \"image\",
		\"table\", \"figure\", \"region\", \"heading\")) and .name == \"\"))
		== []" tree &&
	jq -e "[.[].role] as \$roles | [\"button\", \"searchbox\", \"image\",
		\"table\", \"heading\", \"status\", \"rowheader\", \"columnheader\",
		\"main\"] - \$roles == []" tree &&
	jq -e "any(.role == \"image\" and (.name | test(\"16 nodes with 64 slots\")))" \
		tree &&
	browser_is "document.documentElement.lang === \"en\"" &&
	browser_is "(() => { const ids = [...document.querySelectorAll(\"[id]\")]
		.map((e) => e.id); return new Set(ids).size === ids.length })()"
'
test_expect_success 'the fabric is there as a table, too' '
	browser_is "(() => { const rows = [...document.querySelectorAll(
		\"details tbody tr\")].map((row) => row.textContent);
		return rows.length === 7 && rows.some((row) =>
			row === \"\u25beleaf3leaf416001602\") })()"
'

test_expect_success 'text is readable, light and dark' '
	nothing_faint &&
	browser_keys Escape && browser_is "pick(0) === undefined" &&
	nothing_faint &&
	browser_media prefers-color-scheme=dark &&
	nothing_faint && browser_shot page-dark
'
test_expect_success 'nothing moves for those who ask for that' '
	css=".gang[data-gang]" &&
	browser_is "getComputedStyle(document.querySelector(\"$css\"))
		.transitionDuration !== \"0s\"" &&
	browser_media prefers-reduced-motion=reduce prefers-color-scheme=light &&
	browser_is "getComputedStyle(document.querySelector(\"$css\"))
		.transitionDuration === \"0s\""
'
test_expect_success 'on a telephone the picture scrolls, the page does not' '
	browser_size 390 800 &&
	browser_is "document.documentElement.scrollWidth <= 390" &&
	browser_is "figure.scrollWidth > figure.clientWidth" &&
	browser_shot page-narrow
'

# From the start of the navigation to the first frame after it was loaded. A
# machine that is busy gets several tries.
loads_within()
{
	local took try

	for try in 1 2 3 4 5 6 7 8; do
		browser_open "$PWD/$2" || return 1
		took=$(browser_get "new Promise((done) => requestAnimationFrame(() =>
			setTimeout(() => done(Math.round(performance.now())))))") ||
			return 1
		echo "loaded and drawn in $took ms"
		test "$took" -gt "$1" || return 0
	done
	return 1
}

# Where there are more than 2,000 it is folded so that names can be read.
folded="folds.value !== \"\" && document.querySelectorAll(\".covered\").length > 1 &&
	[...document.querySelectorAll(\".covered .name\")].every((name) => name.getBoundingClientRect().height >= 9)"
unfold()
{
	browser_is "(zoom = 0, setSize(), folds.value = \"\", folds.dispatchEvent(new Event(\"change\")))"
}

test_expect_success '4,096 nodes are there within 2 seconds' '
	browser_size 1600 1000 &&
	loads_within 2000 big.html &&
	only_ring 1 &&
	browser_is "data.nodes.length === 4096" &&
	browser_is "$folded" && unfold &&
	browser_is "document.querySelectorAll(\"svg *\").length < 2000" &&
	browser_is "svg.getBoundingClientRect().width <= figure.clientWidth" &&
	browser_shot page-4096 &&
	browser_media prefers-color-scheme=dark && browser_shot page-4096-dark
'
test_expect_success 'names of leaves can be read' '
	browser_is "document.querySelector(\".domains .name\")
		.getBoundingClientRect().height >= 10"
'
test_expect_success 'nodes have their names where there is room for them' '
	browser_media prefers-color-scheme=light &&
	browser_is "document.querySelectorAll(\".tag\").length === 0" &&
	browser_is "(setZoom(4), find.value = \"c1010\",
		find.dispatchEvent(new Event(\"input\")))" &&
	browser_get "new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))" &&
	browser_is "[...document.querySelectorAll(\".tag\")].some((tag) => tag.textContent === \"c1010\")" &&
	browser_is "document.querySelectorAll(\".tag\").length < 601" &&
	browser_shot page-4096-near &&
	browser_is "(find.value = \"\", lookAgain(), folds.value = \"leaf\",
		folds.dispatchEvent(new Event(\"change\")), fit(), true)" &&
	browser_shot page-4096-folded
'
# Folding draws all domains anew; the layout is a part of what it takes.
test_expect_success '10,000 nodes are there within 4 seconds, and fold within one' '
	browser_size 1600 1000 && loads_within 4000 huge.html && only_ring 1 &&
	browser_is "data.nodes.length === 10000 && folds.options.length > 2" &&
	browser_is "$folded" && browser_shot page-10000 &&
	browser_is "(() => { const begun = performance.now();
		folds.value = \"spine\"; folds.dispatchEvent(new Event(\"change\")); fit();
		window.folding = performance.now() - begun;
		return document.querySelectorAll(\".covered\").length === 20 &&
			window.folding < 1000 })()" &&
	echo "folded in $(browser_get "Math.round(window.folding)") ms" &&
	browser_shot page-10000-folded
'
test_expect_success 'the console has no complaint' '
	browser_complaints >complaints && test_must_be_empty complaints
'

test_done
