"use strict";
const byId = (id) => document.getElementById(id);
const figure = document.querySelector("figure");
const said = byId("said");
const shown = byId("node");
const SVG = "http://www.w3.org/2000/svg";
let data = JSON.parse(byId("data").textContent);
let svg, fabric, buttons;
let picked = -1;

function many(n, what)
{
	return `${n} ${what}${n === 1 ? "" : "s"}`;
}

/* Text is never read as HTML. */
function element(name, attributes, ...inside)
{
	const made = document.createElement(name);

	for (const [key, value] of Object.entries(attributes || {})) {
		if (key === "hue")
			made.style.setProperty("--hue", value);
		else if (key === "style")
			Object.assign(made.style, value);
		else
			made.setAttribute(key, value);
	}
	made.append(...inside);
	return made;
}

function drawn(name, attributes, text)
{
	const made = document.createElementNS(SVG, name);

	for (const [key, value] of Object.entries(attributes))
		made.setAttribute(key, value);
	if (text !== undefined)
		made.textContent = text;
	return made;
}

function moment(seconds)
{
	const date = new Date(seconds * 1000), now = new Date();
	const time = date.toTimeString().slice(0, 8);

	return date.toDateString() === now.toDateString() ? time :
		`${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")} ${time}`;
}

function duration(seconds)
{
	const days = Math.floor(seconds / 86400), rest = new Date(Math.max(seconds, 0) % 86400 * 1000).toISOString().slice(11, 19);

	return days > 0 ? `${days}-${rest}` : rest;
}

/* ---- gangs ---- */

function fillLevels(gang)
{
	for (const row of byId("levels").rows) {
		const name = row.cells[0].textContent;
		const hops = gang && gang.hops.find((h) => h.level === name);
		const count = hops ? hops.hops : 0;

		row.cells[2].textContent = gang ? count : "";
		row.cells[3].textContent = gang ? count * (hops ? hops.hop_cost : 0) : "";
		row.classList.toggle("crossed", count > 0 && row.hasAttribute("data-crosses"));
	}
	byId("levels-of").textContent = gang ? `${gang.gang}: its ring` : "No gang is picked.";
}

function sentence(gang)
{
	if (!gang)
		return "";
	if (gang.ring_cost === null)
		return `${gang.gang} has no ring yet.`;
	return `${gang.gang}: ring cost ${gang.ring_cost}, ${many(gang.cross_links, "cross link")}, tier ${gang.tier}` +
		(gang.ring_best ? `; in an empty cluster ${gang.ring_best}.` : ".");
}

/* Show the ring of that gang, -1: of none. */
function pick(which)
{
	const gang = which < 0 ? null : data.gangs[which];

	picked = which;
	svg.classList.toggle("has-pick", !!gang);
	for (const part of svg.querySelectorAll(".gang[data-gang]"))
		part.classList.toggle("picked", Number(part.dataset.gang) === which);
	for (const ring of svg.querySelectorAll(".ring"))
		ring.classList.toggle("picked", Number(ring.dataset.ring) === which);
	for (const button of buttons)
		button.setAttribute("aria-pressed", String(Number(button.dataset.gang) === which));
	fillLevels(gang);
	if (said.textContent !== sentence(gang))
		said.textContent = sentence(gang);
}

function focusOn(index)
{
	if (index < 0 || index >= buttons.length)
		return;
	for (const button of buttons)
		button.tabIndex = -1;
	buttons[index].tabIndex = 0;
	buttons[index].focus();
}

byId("gangs").addEventListener("click", (event) => {
	const button = event.target.closest(".pick");

	if (button)
		pick(picked === Number(button.dataset.gang) ? -1 : Number(button.dataset.gang));
});
byId("gangs").addEventListener("keydown", (event) => {
	const index = buttons.indexOf(event.target.closest(".pick"));
	const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: buttons.length - 1 }[event.key];

	if (index < 0 || to === undefined)
		return;
	event.preventDefault();
	focusOn(to);
});

/* The row of the queue for a gang of the picture, or nothing. */
function queued(gang)
{
	return (data.queue || []).find((row) => row.gang === gang.gang);
}

function usersOf(gang)
{
	const row = queued(gang);

	return row ? row.users : [gang.gang.split("/")[0]];
}

function accountsOf(gang)
{
	const row = queued(gang);

	return row ? row.accounts : [];
}

/* Columns of the table of gangs that only slurmctld knows. */
function fillGangs()
{
	const rows = Array.from(byId("gangs").rows);

	for (const head of document.querySelectorAll(".from-queue"))
		head.hidden = !data.queue;
	if (!data.queue || !data.gangs.length)
		return;
	rows.forEach((row, index) => {
		const entry = queued(data.gangs[index]);

		row.append(element("td", {}, entry ? entry.users.join(", ") : "-"),
			element("td", {}, entry && entry.ends ? moment(entry.ends) : "-"));
	});
}

/* ---- colours ---- */

const colours = byId("colours");

/* The same name has the same hue for as long as no other one comes before it. */
function hues(keys)
{
	const names = Array.from(new Set(keys)).sort();

	return new Map(names.map((name, index) => [name, Math.round(index * 137.508 + 265) % 360]));
}

function keyOf(gang)
{
	if (colours.value === "gang")
		return gang.gang;
	return (colours.value === "user" ? usersOf(gang) : accountsOf(gang)).join(", ") || "(none)";
}

const LEGEND_MOST = 30;

function paint()
{
	const keys = colours.value ? data.gangs.map(keyOf) : [];
	const hue = hues(keys), legend = byId("legend");

	for (const part of svg.querySelectorAll(".gang[data-gang]")) {
		part.classList.toggle("tinted", !!colours.value);
		part.style.setProperty("--hue", hue.get(keys[Number(part.dataset.gang)]) || 0);
	}
	legend.hidden = !hue.size;
	legend.replaceChildren(...Array.from(hue).slice(0, LEGEND_MOST).map(([name, value]) =>
		element("li", {}, element("span", { class: "swatch", hue: value }), name)));
	if (hue.size > LEGEND_MOST)
		legend.append(element("li", {}, `and ${hue.size - LEGEND_MOST} more`));
}

colours.addEventListener("change", paint);

/* ---- domains ---- */

function domainName(domain)
{
	return domain.name || "(all)";
}

/* Hops of rings on the link above each domain, and how many gangs they are of. */
let links = [];
function countLoads()
{
	const domainOf = new Map(data.nodes.map((node) => [node.name, node.domain]));
	const loads = data.domains.map(() => ({ hops: 0, gangs: 0, last: -1 }));
	const depth = [];

	data.domains.forEach((domain, i) => { depth[i] = domain.parent === null ? 0 : depth[domain.parent] + 1; });
	const cross = (domain, gang) => {
		loads[domain].hops++;
		if (loads[domain].last !== gang)
			loads[domain].gangs++;
		loads[domain].last = gang;
		return data.domains[domain].parent;
	};
	data.gangs.forEach((gang, g) => {
		const stops = gang.stops.filter((stop) => stop.ring).map((stop) => domainOf.get(stop.node));

		stops.forEach((from, i) => {
			let a = from, b = stops[(i + 1) % stops.length];

			while (a !== b) {
				if (depth[a] >= depth[b])
					a = cross(a, g);
				else
					b = cross(b, g);
			}
		});
	});
	return loads;
}

function describeDomain(index)
{
	const domain = data.domains[index], load = links[index];

	return `${domainName(domain)}: ${many(domain.nodes, "node")}, ${domain.free} of ${many(domain.slots, data.unit)} free` +
		(load.hops ? `, ${many(load.hops, "hop")} of ${many(load.gangs, "ring")} on its link` : "");
}

/* What is folded, by name, so that it stays so when the data is renewed. */
const folded = new Set();

function domainKey(index)
{
	return `${index} ${data.domains[index].name}`;
}

function isFolded(index)
{
	return folded.has(domainKey(index));
}

/* The highest folded domain that it is in, itself included; -1: none. */
function foldedIn(index)
{
	let found = -1;

	for (; index !== null; index = data.domains[index].parent)
		if (isFolded(index))
			found = index;
	return found;
}

function hasChildren()
{
	const yes = data.domains.map(() => false);

	for (const domain of data.domains)
		if (domain.parent !== null)
			yes[domain.parent] = true;
	return yes;
}

/* A box instead of what is in a domain: its name, and a bar of its slots. */
function cover(index)
{
	const domain = data.domains[index];
	const [x, y, w, h] = data.boxes.slice(4 * index, 4 * index + 4);
	const size = Math.max(5, Math.min(h / 4, w / 9, 60));
	const bar = { x: x + size / 2, y: y + size * 2.6, w: w - size, h: size * .8 };
	const group = drawn("g", { class: "covered", "data-domain": index });
	let left = bar.x;

	group.append(drawn("rect", { class: "cover", x, y, width: w, height: h, rx: 5 }),
		drawn("text", { class: "name", x: bar.x, y: y + size * 1.2, "font-size": size }, domainName(domain)),
		drawn("text", { class: "name", x: bar.x, y: y + size * 2.2, "font-size": size * .75 }, `${domain.free}/${domain.slots} free`),
		drawn("rect", { class: "cover-back", x: bar.x, y: bar.y, width: bar.w, height: bar.h }));
	for (const [name, count] of [["cover-gangs", domain.gangs + (domain.this_gang || 0)], ["busy", domain.busy], ["cover-down", domain.down]]) {
		const width = domain.slots ? bar.w * count / domain.slots : 0;

		if (width)
			group.append(drawn("rect", { class: name === "cover-down" ? "down" : name, x: left, y: bar.y, width, height: bar.h }));
		left += width;
	}
	return group;
}

function drawCovers()
{
	const old = fabric.querySelector(".covers");
	const group = drawn("g", { class: "covers" });

	if (old)
		old.remove();
	data.domains.forEach((domain, index) => {
		if (isFolded(index) && foldedIn(index) === index)
			group.append(cover(index));
	});
	svg.classList.toggle("is-folded", folded.size > 0);
	fabric.append(group);
	if (folded.size)
		fabric.append(...fabric.querySelectorAll(".ring"));
}

const loads = byId("loads");

function drawLoads()
{
	const old = fabric.querySelector(".loads");
	const group = drawn("g", { class: "loads" });
	const most = Math.max(1, ...links.map((load) => load.hops)), by = scale();

	if (old)
		old.remove();
	(loads.checked ? links : []).forEach((load, index) => {
		const [x, y, w, h] = data.boxes.slice(4 * index, 4 * index + 4);
		const above = data.domains[index].parent;
		const text = `${load.hops}`, size = Math.min(11 / by, h / 3, w / (text.length + 1));

		if (!load.hops || (above !== null && foldedIn(above) >= 0))
			return;
		group.append(drawn("rect", { class: "load", x, y, width: w, height: h, rx: 5, "stroke-width": 1 + 2 * load.hops / most,
			"stroke-opacity": .45 + .55 * load.hops / most }));
		group.append(drawn("rect", { class: "load-plate", x: x + w / 2 - size * (text.length * .35 + .4), y: y - size / 2,
			width: size * (text.length * .7 + .8), height: size * 1.25, rx: size / 2 }),
			drawn("text", { class: "load-text", x: x + w / 2, y: y + size * .48, "font-size": size }, text));
	});
	fabric.append(group);
}

loads.addEventListener("change", drawLoads);

/* The table of domains: rows of a folded one are hidden, links have numbers. */
function fillDomains()
{
	const parents = hasChildren();
	const rows = Array.from(byId("domains").rows);

	rows.forEach((row, index) => {
		const above = data.domains[index].parent;
		let deep = 0;

		for (let at = above; at !== null; at = data.domains[at].parent)
			deep++;
		row.hidden = above !== null && foldedIn(above) >= 0;
		if (row.querySelector(".fold")) {
			row.querySelector(".fold").setAttribute("aria-expanded", String(!isFolded(index)));
			row.querySelector(".fold").textContent = isFolded(index) ? "\u25b8" : "\u25be";
			return;
		}
		row.cells[0].style.paddingLeft = `${.4 + 1.1 * deep}rem`;
		row.cells[0].prepend(element("button", { type: "button", class: "fold", "data-domain": index, "data-key": `fold ${domainKey(index)}`,
			"aria-expanded": String(!isFolded(index)), "aria-label": `${parents[index] ? "Switches below" : "Nodes of"} ${domainName(data.domains[index])}` },
			isFolded(index) ? "\u25b8" : "\u25be"));
		row.append(element("td", { class: "number" }, above === null ? "" : links[index].hops));
	});
}

function showFolds()
{
	fillDomains();
	drawCovers();
	drawLoads();
}

byId("domains").addEventListener("click", (event) => {
	const button = event.target.closest(".fold");

	if (!button)
		return;
	const key = domainKey(Number(button.dataset.domain));

	if (!folded.delete(key))
		folded.add(key);
	byId("folds").value = "";
	showFolds();
});

/* Fold all domains of a level, or none. */
const folds = byId("folds");
folds.addEventListener("change", () => {
	folded.clear();
	data.domains.forEach((domain, index) => {
		if (domain.level === folds.value)
			folded.add(domainKey(index));
	});
	showFolds();
});

function fillFolds()
{
	const levels = new Set(data.domains.map((domain) => domain.level));

	for (const level of data.levels)
		if (levels.has(level.name))
			folds.append(element("option", { value: level.name }, `each ${level.name}`));
}

/* With more nodes neither their names nor those of leaves can be read: then the
 * lowest level is folded from the first on whose boxes have names that can. */
const NODES_MOST = 2000, LETTERS_LEAST = 9 /* px */;

function foldMany()
{
	if (data.nodes.length <= NODES_MOST)
		return;
	fit();
	for (const option of [...folds.options].slice(1)) {
		folds.value = option.value;
		folds.dispatchEvent(new Event("change"));
		if ([...fabric.querySelectorAll(".covered .name")].every((name) => name.getBoundingClientRect().height >= LETTERS_LEAST))
			return;
	}
}

/* ---- size ---- */

let zoom = 0; /* 0: as wide as the page, but neither blurred by size nor too small to read */

function setSize()
{
	const width = svg.viewBox.baseVal.width;

	svg.style.width = zoom ? `${Math.round(width * zoom)}px` : "100%";
	svg.style.maxWidth = zoom ? "none" : `${Math.round(width * 1.3)}px`;
	svg.style.minWidth = zoom ? "0" : `${Math.round(width * 0.7)}px`;
	figure.style.maxHeight = zoom ? "82vh" : "none";
	drawLoads();
	tagNodes();
}

function scale()
{
	return svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
}

/* What is in the middle stays there. */
function setZoom(to)
{
	const before = scale(), x = figure.scrollLeft + figure.clientWidth / 2, y = figure.scrollTop + figure.clientHeight / 2;

	zoom = to;
	setSize();
	const by = scale() / before;

	figure.scrollLeft = x * by - figure.clientWidth / 2;
	figure.scrollTop = y * by - figure.clientHeight / 2;
	tagNodes();
}

function zoomBy(factor)
{
	setZoom(Math.min(12, Math.max(0.05, scale() * factor)));
}

function fit()
{
	setZoom(Math.min((figure.clientWidth - 2) / svg.viewBox.baseVal.width, innerHeight * .8 / svg.viewBox.baseVal.height));
}

byId("larger").addEventListener("click", () => zoomBy(1.4));
byId("smaller").addEventListener("click", () => zoomBy(1 / 1.4));
byId("fit").addEventListener("click", fit);
figure.addEventListener("wheel", (event) => {
	if (!event.ctrlKey)
		return;
	event.preventDefault();
	zoomBy(event.deltaY < 0 ? 1.15 : 1 / 1.15);
}, { passive: false });

/* Names of the nodes that are seen, where the picture has none but there is
 * room for them. */
const TAGS_MOST = 600;
function tagNodes()
{
	const old = fabric.querySelector(".tags"), by = scale();
	const group = drawn("g", { class: "tags" });

	if (old)
		old.remove();
	if (svg.querySelector(".label") || data.width * by < 34)
		return;
	const frame = figure.getBoundingClientRect(), origin = fabric.getScreenCTM();
	const letters = Math.max(3, Math.floor(data.width * by / 6.2)), size = 10 / by;

	for (let i = 0; i < data.nodes.length && group.childElementCount < TAGS_MOST; i++) {
		const x = origin.e + data.places[2 * i] * by, y = origin.f + data.places[2 * i + 1] * by;

		if (x < frame.left - 40 || x > frame.right || y < Math.max(frame.top, 0) - 40 || y > Math.min(frame.bottom, innerHeight))
			continue;
		if (foldedIn(data.nodes[i].domain) < 0)
			group.append(drawn("text", { class: "tag", x: data.places[2 * i], y: data.places[2 * i + 1] + size * .8,
				"font-size": size, "stroke-width": size / 4 }, data.nodes[i].name.slice(-letters)));
	}
	fabric.append(group);
}

let tagging = false;
function tagSoon()
{
	if (!tagging)
		requestAnimationFrame(() => { tagging = false; tagNodes(); });
	tagging = true;
}
figure.addEventListener("scroll", tagSoon);
addEventListener("scroll", tagSoon);
addEventListener("resize", tagSoon);

/* ---- nodes ---- */

function describe(index)
{
	const node = data.nodes[index];
	const parts = [`${node.free} of ${many(node.slots, data.unit)} free`];

	if (node.busy)
		parts.push(`${node.busy} busy`);
	if (node.down)
		parts.push(`${node.down} down`);
	for (const gang of data.gangs) {
		const slots = gang.stops.reduce((sum, stop) => stop.node === node.name ? sum + stop.slots : sum, 0);

		const roles = new Set(gang.stops.filter((stop) => stop.node === node.name && stop.role).map((stop) => stop.role));

		if (slots)
			parts.push([slots, gang.gang, ...roles].join(" "));
	}
	return `${node.name} in ${data.domains[node.domain].name || "no switch"}: ${parts.join(", ")}`;
}

let frame = null;
function mark(x, y, w, h)
{
	if (frame)
		frame.remove();
	frame = w ? drawn("rect", { class: "found", x: x - 2, y: y - 2, width: w + 4, height: h + 4, rx: 3 }) : null;
	if (frame)
		fabric.append(frame);
}

function say(text)
{
	if (shown.textContent !== text)
		shown.textContent = text;
}

function show(index)
{
	say(index < 0 ? "" : describe(index));
	if (index < 0)
		mark();
	else
		mark(data.places[2 * index], data.places[2 * index + 1], data.width, data.height);
}

function showDomain(index)
{
	say(describeDomain(index));
	mark(...data.boxes.slice(4 * index, 4 * index + 4));
}

function nodeAt(event)
{
	const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(fabric.getScreenCTM().inverse());

	for (let i = 0; i < data.nodes.length; i++) {
		const x = point.x - data.places[2 * i], y = point.y - data.places[2 * i + 1];

		if (x >= 0 && y >= 0 && x < data.width && y < data.height)
			return i;
	}
	return -1;
}

let last = -1;
byId("picture").addEventListener("pointermove", (event) => {
	const covered = event.target.closest(".covered");
	const index = covered ? -2 - Number(covered.dataset.domain) : nodeAt(event);

	if (index === last)
		return;
	last = index;
	if (index <= -2)
		showDomain(-2 - index);
	else
		show(index);
});
byId("picture").addEventListener("click", (event) => {
	const covered = event.target.closest(".covered");

	if (covered) {
		folded.delete(domainKey(Number(covered.dataset.domain)));
		folds.value = "";
		showFolds();
	} else if (event.target.dataset && event.target.dataset.gang !== undefined) {
		pick(Number(event.target.dataset.gang));
	}
});

/* ---- finding ---- */

const find = byId("find");

/* Gangs that fit are bright, and alone in the tables; null: all do. */
let wanted = null;
function showMatches()
{
	svg.classList.toggle("has-match", !!wanted);
	for (const part of svg.querySelectorAll(".gang[data-gang]"))
		part.classList.toggle("match", !!wanted && wanted.has(data.gangs[Number(part.dataset.gang)].gang));
	for (const button of buttons)
		button.closest("tr").hidden = !!wanted && !wanted.has(data.gangs[Number(button.dataset.gang)].gang);
	for (const row of document.querySelectorAll("#queue tr, #lines tr[data-gang]"))
		row.hidden = !!wanted && !wanted.has(row.dataset.gang);
}

function allGangs()
{
	const names = new Map(data.gangs.map((gang) => [gang.gang, { gang: gang.gang, users: usersOf(gang), accounts: accountsOf(gang) }]));

	for (const row of data.queue || [])
		names.set(row.gang, row);
	return Array.from(names.values());
}

/* Gangs by name, then by who they are of. */
function findGangs(name)
{
	const all = allGangs();
	const tries = [
		["gang", (row) => row.gang === name],
		["gang", (row) => row.gang.split("/").pop() === name],
		["user", (row) => row.users.includes(name)],
		["account", (row) => row.accounts.includes(name)],
		["part", (row) => row.gang.includes(name)],
	];

	for (const [what, fits] of tries) {
		const found = all.filter(fits).map((row) => row.gang);

		if (found.length)
			return { what, found };
	}
	return { what: "", found: [] };
}

function lookFor(name)
{
	const node = data.nodes.findIndex((one) => one.name === name);
	const domain = data.domains.findIndex((one) => one.name && one.name === name);

	wanted = null;
	show(name ? node : -1);
	if (name && node < 0 && domain >= 0) {
		showDomain(domain);
	} else if (name && node < 0) {
		const { what, found } = findGangs(name);

		wanted = found.length ? new Set(found) : null;
		say(what === "user" || what === "account" ? `${what} ${name}: ${many(found.length, "gang")}` :
			found.length === 1 ? `gang ${found[0]}` : found.length ? many(found.length, "gang") : "nothing has that name");
		if (found.length === 1)
			pick(data.gangs.findIndex((gang) => gang.gang === found[0]));
	}
	showMatches();
}

function lookAgain()
{
	lookFor(find.value.trim());
}

find.addEventListener("input", () => {
	lookAgain();
	if (frame)
		frame.scrollIntoView(zoom ? { block: "center", inline: "center" } : { block: "nearest", inline: "nearest" });
});

/* ---- the queue ---- */

/* A place that leads to it in the picture. */
function placeButton(place, key)
{
	const name = place.place || "(all)";

	return element("button", { type: "button", class: "pick", "data-place": place.place, "data-key": `${key} ${name}` },
		`${name} ${place.free}/${place.needed}`);
}

function queueRow(row)
{
	const holds = row.held > 0;
	const members = `${row.pending + row.held + row.running}/${row.min_member || "-"}`;
	const made = element("tr", { "data-gang": row.gang },
		element("th", { scope: "row" }, row.gang), element("td", {}, row.phase), element("td", {}, row.users.join(", ")),
		element("td", { class: "number", "data-title": "members" }, members),
		element("td", { class: "number", "data-title": "hold" }, holds ? row.held : "-"),
		element("td", { "data-title": "since" }, moment(row.since || row.submitted)),
		element("td", { "data-title": "until" }, row.wait_ends ? moment(row.wait_ends) : "-"),
		element("td", { "data-title": "start expected" }, row.expected ? moment(row.expected) : "-"),
		element("td", { class: "words" }, row.reason || "-"));
	const places = element("td", {});

	for (const place of row.places)
		places.append(placeButton(place, row.gang), " ");
	if (row.places.length && row.unit)
		places.append(` ${row.unit}`);
	made.append(places);
	return made;
}

function fillQueue()
{
	const rows = (data.queue || []).filter((row) => row.held > 0 || row.pending > 0);
	const holding = rows.filter((row) => row.held > 0).length;

	byId("waiting").hidden = !data.queue;
	byId("queue").replaceChildren(...rows.map(queueRow));
	if (!rows.length)
		byId("queue").append(element("tr", {}, element("td", { colspan: 10 }, "No gang waits.")));
	byId("waiting-of").textContent = `${many(rows.length, "gang")}; ${holding} of them hold${holding === 1 ? "s" : ""} nodes that do not run yet.`;
}

byId("queue").addEventListener("click", (event) => {
	const button = event.target.closest("[data-place]");
	const index = button ? data.domains.findIndex((domain) => domain.name === button.dataset.place) : -1;

	if (index < 0)
		return;
	find.value = button.dataset.place;
	lookAgain();
	showDomain(index);
	frame.scrollIntoView({ block: "center", inline: "center" });
});

/* ---- the timeline ---- */

const LINES_MOST = 60, DAY = 86400;

/* What of a gang is between two times: [class, from, to]. */
function spans(row, now)
{
	const over = row.over, end = over ? row.ends || now : now;
	const begun = row.started || 0, held = row.held > 0 && row.since ? row.since : 0;
	const list = [["waits", row.submitted, begun || held || end]];

	if (held)
		list.push(["holds", Math.max(held, row.submitted), now]);
	if (begun)
		list.push(["runs", begun, end]);
	if (begun && !over && row.ends > now)
		list.push(["will", now, row.ends]);
	if (!begun && row.expected > now)
		list.push(["starts", row.expected, row.expected]);
	return list;
}

function inWords(row)
{
	return [`submitted ${moment(row.submitted)}`, row.held && row.since ? `holds nodes since ${moment(row.since)}` : "",
		row.started ? `started ${moment(row.started)}` : "", row.expected && !row.started ? `start expected ${moment(row.expected)}` : "",
		row.ends ? `${row.over ? "ended" : "ends"} ${moment(row.ends)}` : ""].filter((text) => text).join(", ");
}

function lineOf(row, now, from, to)
{
	const at = (time) => 100 * (Math.min(Math.max(time, from), to) - from) / (to - from);
	const line = element("div", { class: "line", role: "img", "aria-label": inWords(row), title: inWords(row) });

	for (const [name, begin, end] of spans(row, now)) {
		if (end < from || begin > to)
			continue;
		const span = element("span", { class: name, style: { left: `${at(begin)}%` } });

		if (name !== "starts")
			span.style.width = `max(2px, ${at(end) - at(begin)}%)`;
		line.append(span);
	}
	line.append(element("span", { class: "now", style: { left: `${at(now)}%` } }));
	return line;
}

/* The times at the top: a handful of round ones. */
function tickLine(from, to)
{
	const steps = [60, 300, 900, 1800, 3600, 7200, 14400, 21600, 43200, DAY];
	const step = steps.find((one) => (to - from) / one <= 7) || 2 * DAY;
	const shift = new Date(from * 1000).getTimezoneOffset() * 60;
	const line = element("div", { class: "line", "aria-hidden": "true" });

	for (let time = Math.ceil((from - shift) / step) * step + shift; time < to - (to - from) / 20; time += step)
		line.append(element("span", { class: "tick", style: { left: `${100 * (time - from) / (to - from)}%` } }, moment(time).slice(0, -3)));
	return element("tr", {}, element("td", {}), element("td", {}, line));
}

function fillTimes()
{
	const now = data.when || Math.floor(Date.now() / 1000);
	const rank = (row) => row.running || row.held ? 0 : row.pending ? 1 : 2;
	const rows = (data.queue || []).filter((row) => row.submitted)
		.sort((a, b) => rank(a) - rank(b) || (a.started || a.submitted) - (b.started || b.submitted));
	const some = rows.slice(0, LINES_MOST);
	const from = Math.max(now - DAY, Math.min(now - 300, ...some.map((row) => row.submitted)));
	const to = Math.min(now + DAY, Math.max(now + 300, ...some.map((row) => Math.max(row.ends || 0, row.expected || 0)))) + 60;

	byId("times").hidden = !rows.length;
	byId("times-of").textContent = rows.length > some.length ? `${some.length} of ${rows.length} gangs` : many(rows.length, "gang");
	byId("lines").replaceChildren(tickLine(from, to), ...some.map((row) => element("tr", { "data-gang": row.gang },
		element("th", { scope: "row" }, row.gang), element("td", {}, lineOf(row, now, from, to)))));
}

/* ---- all of it, at first and when it is renewed ---- */

/* From the parts of the page that are there now. */
function adopt()
{
	svg = document.querySelector("svg.scene");
	fabric = byId("fabric");
	buttons = Array.from(document.querySelectorAll("#gangs .pick"));
	frame = null;
	last = -1;
	links = countLoads();
	setSize();
	fillGangs();
	fillQueue();
	fillTimes();
	showFolds();
	paint();
	byId("roles").hidden = !data.gangs.some((gang) => gang.stops.some((stop) => stop.role));
}

function focusKey(at)
{
	return at && (at.dataset.key || (at.classList.contains("pick") ? `gang ${at.textContent}` : ""));
}

/* Put the new parts in the places of the old ones. They come from this page's
 * own server, which has escaped all names in them. */
function renew(fresh)
{
	const name = picked < 0 ? null : data.gangs[picked].gang;
	const key = focusKey(document.activeElement), left = figure.scrollLeft, top = figure.scrollTop;
	const places = { picture: "picture", gangs: "gangs", levels: "levels", roles: "role-rows", domains: "domains", summary: "summary" };

	data = fresh;
	for (const [part, id] of Object.entries(places))
		byId(id).innerHTML = data.parts[part];
	delete data.parts;
	adopt();
	pick(name === null ? -1 : data.gangs.findIndex((gang) => gang.gang === name));
	if (find.value)
		lookAgain();
	figure.scrollLeft = left;
	figure.scrollTop = top;
	if (key) {
		const again = Array.from(document.querySelectorAll("button")).find((button) => focusKey(button) === key);

		if (again)
			again.focus({ preventScroll: true });
	}
}

/* ---- the server ---- */

const notice = byId("notice"), pause = byId("pause");
const INTERVAL = 2000; /* ms, at least; ten times what a renewal takes */
let tag = "", asOf = 0, heard = 0, timer = 0, asking = false, took = 0;

function warn(text)
{
	notice.hidden = !text;
	if (notice.textContent !== text)
		notice.textContent = text;
}

function tellAge()
{
	const age = asOf ? Math.max(0, Math.round(Date.now() / 1000 - asOf)) : 0;

	byId("age").textContent = !asOf ? "" : age < 5 ? `as of ${moment(asOf)}` : `as of ${moment(asOf)}, ${duration(age)} ago`;
}

/* What is here already, or what has come. The age is the server's word. */
async function take(answer)
{
	const age = Number(answer.headers.get("Age") || 0), begun = performance.now();

	heard = Date.now();
	asOf = heard / 1000 - age;
	if (answer.status === 304)
		return;
	if (!answer.ok)
		throw new Error((await answer.text()).trim());
	const fresh = await answer.json();

	tag = answer.headers.get("ETag");
	warn(fresh.error ? `This is how it looked at ${moment(fresh.when)}: ${fresh.error}.` : "");
	renew(fresh);
	took = performance.now() - begun;
}

async function ask()
{
	if (asking)
		return;
	asking = true;
	clearTimeout(timer);
	try {
		await take(await fetch("data.json", { cache: "no-store", headers: tag ? { "If-None-Match": tag } : {}, signal: AbortSignal.timeout(20000) }));
	} catch (error) {
		tag = "";
		warn(`sgang web does not answer${asOf ? `; this is how it looked at ${moment(asOf)}` : ""}: ${error.message}`);
	}
	asking = false;
	tellAge();
	askLater();
}

/* A page that nobody sees asks for nothing. */
function askLater()
{
	clearTimeout(timer);
	if (!document.hidden && pause.getAttribute("aria-pressed") === "false")
		timer = setTimeout(ask, Math.max(INTERVAL, 10 * took));
}

function togglePause()
{
	const paused = pause.getAttribute("aria-pressed") === "false";

	pause.setAttribute("aria-pressed", String(paused));
	if (paused)
		clearTimeout(timer);
	else
		ask();
}

function goLive()
{
	byId("live").hidden = byId("pause-hint").hidden = false;
	pause.addEventListener("click", togglePause);
	document.addEventListener("visibilitychange", () => document.hidden ? clearTimeout(timer) :
		pause.getAttribute("aria-pressed") === "false" && ask());
	setInterval(tellAge, 1000);
	ask();
}

/* ---- keys ---- */

function choose(list, by)
{
	list.selectedIndex = (list.selectedIndex + by) % list.options.length;
	list.dispatchEvent(new Event("change"));
}

const keys = {
	"/": () => find.focus(),
	"+": () => zoomBy(1.4),
	"=": () => zoomBy(1.4),
	"-": () => zoomBy(1 / 1.4),
	0: fit,
	c: () => choose(colours, 1),
	f: () => choose(folds, 1),
	l: () => loads.click(),
	p: () => data.live && togglePause(),
};

document.addEventListener("keydown", (event) => {
	if (event.key === "Escape") {
		if (find.value && document.activeElement === find) {
			find.value = "";
			lookAgain();
		} else if (picked >= 0) {
			pick(-1);
		}
		return;
	}
	if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea") || !Object.hasOwn(keys, event.key))
		return;
	event.preventDefault();
	keys[event.key]();
});

byId("tools").hidden = false;
document.querySelector("#fabric-table thead tr").append(element("th", { scope: "col", class: "number" }, "Hops above"));
fillFolds();
if (!data.queue)
	colours.querySelector("[value=account]").remove();
adopt();
foldMany();
pick(data.gangs.findIndex((gang) => gang.gang === data.picked));
if (data.live)
	goLive();
