"use strict";
const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const said = byId("said");
const SVG = "http://www.w3.org/2000/svg";
const IDLE = 0, JOBS = 1, HELD = 2, GANG = 3;
let picked = -1;

function drawn(name, attributes, text)
{
	const made = document.createElementNS(SVG, name);

	for (const [key, value] of Object.entries(attributes))
		made.setAttribute(key, value);
	if (text !== undefined)
		made.textContent = text;
	return made;
}

const two = (number) => String(number).padStart(2, "0");

function moment(seconds)
{
	const date = new Date(seconds * 1000);

	return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function duration(seconds)
{
	if (seconds < 60)
		return `${Math.round(seconds)} s`;
	if (seconds < 3600)
		return `${Math.round(seconds / 60)} min`;
	if (seconds < 86400)
		return `${+(seconds / 3600).toFixed(1)} h`;
	return `${+(seconds / 86400).toFixed(1)} d`;
}

/* ---- the timeline ---- */

/* A list of numbers and how often they are there, in an array for each row. */
function unfold(rows)
{
	return rows.map((runs) => {
		const row = new Uint32Array(data.columns);

		for (let i = 0, at = 0; i < runs.length; i += 2) {
			row.fill(runs[i], at, at + runs[i + 1]);
			at += runs[i + 1];
		}
		return row;
	});
}

const rasters = JSON.parse(byId("rasters").textContent).map(unfold);
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const isDark = matchMedia("(prefers-color-scheme: dark)");

/* Hues far from each other for gangs near to each other, and none that is like
 * that of what is held. */
const hue = (gang) => 60 + gang * 166.869 % 270;

function toBytes(hue, saturation, light)
{
	const part = (n) => {
		const k = (n + hue / 30) % 12;

		return Math.round(255 * (light - saturation * Math.min(light, 1 - light) * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
	};

	return [part(0), part(8), part(4)];
}

function fromHex(text)
{
	return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
}

/* Where another gang is picked, a colour is nearer to the ground. */
function colours()
{
	const ground = fromHex(style("--ground"));
	const fixed = { [IDLE]: ground, [JOBS]: fromHex(style("--busy")), [HELD]: fromHex(style("--far")) };
	const known = new Map();

	return (value) => {
		if (!known.has(value)) {
			let colour = fixed[value] || toBytes(hue(value - GANG), 0.6, isDark.matches ? 0.62 : 0.42);

			if (picked >= 0 && value !== picked + GANG)
				colour = colour.map((part, i) => Math.round(ground[i] + (part - ground[i]) * 0.25));
			known.set(value, colour);
		}
		return known.get(value);
	};
}

/* One dot a cell, which is then made larger. */
function image(raster)
{
	const off = document.createElement("canvas");
	const colour = colours();

	off.width = data.columns;
	off.height = raster.length;
	const context = off.getContext("2d");
	const dots = context.createImageData(off.width, off.height);

	raster.forEach((row, y) => {
		for (let x = 0; x < row.length; x++) {
			const at = 4 * (y * row.length + x), [r, g, b] = colour(row[x]);

			dots.data[at] = r;
			dots.data[at + 1] = g;
			dots.data[at + 2] = b;
			dots.data[at + 3] = 255;
		}
	});
	context.putImageData(dots, 0, 0);
	return off;
}

const LEFT = 84, BELOW = 22, ABOVE = 2;
const pictures = [...document.querySelectorAll("canvas")].map((canvas) => ({
	canvas, raster: rasters[canvas.dataset.config], x: 0, y: 0, seen: false, image: null
}));

function rowHeight()
{
	const rows = data.rows.length;

	return rows ? Math.max(1, Math.min(14, Math.round(448 / rows))) : 1;
}

/* Moments that people like, and how they are written: at most so many. */
function ticks(from, until, most)
{
	const steps = [60, 300, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2592000, 7776000, 31536000];
	const step = steps.find((one) => (until - from) / one <= most) || steps[steps.length - 1];
	const zone = new Date(from * 1000).getTimezoneOffset() * 60;
	const list = [];

	for (let at = Math.ceil((from - zone) / step) * step + zone; at <= until; at += step) {
		const date = new Date(at * 1000);

		list.push([at, step >= 86400 || (date.getHours() === 0 && date.getMinutes() === 0) ?
			`${two(date.getMonth() + 1)}-${two(date.getDate())}` :
			`${two(date.getHours())}:${two(date.getMinutes())}`]);
	}
	return list;
}

function drawLeaves(context, width, height)
{
	let free = -1;

	context.textBaseline = "top";
	context.textAlign = "left";
	data.leaves.forEach((leaf) => {
		const y = ABOVE + leaf.row * height;

		context.fillStyle = style("--line");
		if (leaf.row > 0 && data.leaves.length <= 64)
			context.fillRect(0, Math.round(y), width, 1);
		if (y < free)
			return;
		context.fillStyle = style("--soft");
		context.fillText(leaf.name, 6, y + 2, LEFT - 12);
		free = y + 14;
	});
}

function drawTimes(context, width, bottom)
{
	const scale = (width - LEFT) / (data.until - data.from);

	context.textBaseline = "top";
	context.textAlign = "center";
	for (const [at, text] of ticks(data.from, data.until, Math.max(2, Math.floor((width - LEFT) / 90)))) {
		const x = LEFT + (at - data.from) * scale;

		context.fillStyle = style("--soft");
		context.fillRect(Math.round(x), bottom, 1, 4);
		if (x > LEFT + 16 && x < width - 20)
			context.fillText(text, x, bottom + 6);
	}
}

function drawCursor(context, picture, width, height)
{
	const x = LEFT + picture.x * (width - LEFT) / data.columns;
	const y = ABOVE + picture.y * height;

	context.strokeStyle = style("--ink");
	context.lineWidth = 1;
	context.strokeRect(LEFT + 0.5, Math.round(y) - 0.5, width - LEFT - 1, Math.max(height, 2) + 1);
	context.strokeRect(Math.round(x) - 0.5, ABOVE + 0.5, Math.max((width - LEFT) / data.columns, 2) + 1, picture.raster.length * height - 1);
}

function draw(picture)
{
	const canvas = picture.canvas, context = canvas.getContext("2d");
	const height = rowHeight(), width = canvas.clientWidth;
	const bottom = ABOVE + picture.raster.length * height;
	const ratio = devicePixelRatio || 1;

	canvas.style.height = `${bottom + BELOW}px`;
	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round((bottom + BELOW) * ratio);
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.imageSmoothingEnabled = false;
	if (!picture.image)
		picture.image = image(picture.raster);
	context.drawImage(picture.image, LEFT, ABOVE, width - LEFT, picture.raster.length * height);
	context.font = "11px system-ui, \"DejaVu Sans\", sans-serif";
	drawLeaves(context, width, height);
	drawTimes(context, width, bottom);
	if (picture.seen)
		drawCursor(context, picture, width, height);
}

function drawAll(anew)
{
	for (const picture of pictures) {
		if (anew)
			picture.image = null;
		draw(picture);
	}
}

/* "alice/train: 8 members; stock 2026-01-05 12:00, A 2026-01-05 11:40" */
function tellGang(gang)
{
	const starts = data.configurations.map((config) =>
		`${config.name} ${config.starts[gang] ? moment(config.starts[gang]) : "never"}`);

	return `${data.gangs[gang].name}: ${data.gangs[gang].members} members, starts: ${starts.join(", ")}`;
}

function tellCell(picture)
{
	const value = picture.raster[picture.y][picture.x];
	const time = data.from + (picture.x + 0.5) * (data.until - data.from) / data.columns;
	const what = value === IDLE ? "idle" : value === JOBS ? "jobs of no gang" :
		value === HELD ? "held, its work waits for other members" : `gang ${tellGang(value - GANG)}`;

	return `${data.rows[picture.y]}, ${moment(time)}: ${what}`;
}

function pick(gang)
{
	picked = gang === picked ? -1 : gang;
	drawAll(true);
}

function move(picture, x, y)
{
	picture.x = Math.max(0, Math.min(data.columns - 1, x));
	picture.y = Math.max(0, Math.min(picture.raster.length - 1, y));
	said.textContent = tellCell(picture);
	draw(picture);
}

function pickHere(picture)
{
	const value = picture.raster[picture.y][picture.x];

	pick(value >= GANG ? value - GANG : -1);
}

function listen(picture)
{
	const canvas = picture.canvas;
	const goTo = (event) => {
		const box = canvas.getBoundingClientRect();
		const x = (event.clientX - box.left - LEFT) / (box.width - LEFT);

		move(picture, Math.floor(x * data.columns), Math.floor((event.clientY - box.top - ABOVE) / rowHeight()));
	};

	canvas.addEventListener("mousemove", (event) => { picture.seen = true; goTo(event); });
	canvas.addEventListener("mouseleave", () => { picture.seen = document.activeElement === canvas; draw(picture); });
	canvas.addEventListener("click", (event) => { goTo(event); pickHere(picture); });
	canvas.addEventListener("focus", () => { picture.seen = true; move(picture, picture.x, picture.y); });
	canvas.addEventListener("blur", () => { picture.seen = false; draw(picture); });
	canvas.addEventListener("keydown", (event) => {
		const far = event.shiftKey ? 10 : 1;
		const way = { ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, -far], ArrowDown: [0, far],
			Home: [-data.columns, 0], End: [data.columns, 0] }[event.key];

		if (way)
			move(picture, picture.x + way[0], picture.y + way[1]);
		else if (event.key === "Enter" || event.key === " ")
			pickHere(picture);
		else
			return;
		event.preventDefault();
	});
}

/* The first gang of which the word is the name, or a part of it. */
function find(word)
{
	const names = data.gangs.map((gang) => gang.name);
	const exact = names.indexOf(word);

	if (!word)
		return -1;
	return exact >= 0 ? exact : names.findIndex((name) => name.includes(word));
}

byId("find").addEventListener("input", (event) => {
	const gang = find(event.target.value.trim());

	picked = gang;
	said.textContent = gang >= 0 ? tellGang(gang) : event.target.value.trim() ? "No such gang." : "";
	drawAll(true);
});
document.addEventListener("keydown", (event) => {
	if (event.key === "Escape" && picked >= 0)
		pick(-1);
});

/* ---- charts ---- */

const WIDE = 560, HIGH = 260, SIDE = 52, TOP = 12, RIGHT = 14, FOOT = 30;

function frame(svg, xTicks, yTicks)
{
	svg.setAttribute("viewBox", `0 0 ${WIDE} ${HIGH}`);
	svg.replaceChildren();
	for (const [y, text] of yTicks) {
		svg.append(drawn("line", { class: "grid", x1: SIDE, x2: WIDE - RIGHT, y1: y, y2: y }));
		svg.append(drawn("text", { x: SIDE - 6, y: y + 4, "text-anchor": "end" }, text));
	}
	for (const [x, text] of xTicks) {
		svg.append(drawn("line", { class: "axis", x1: x, x2: x, y1: HIGH - FOOT, y2: HIGH - FOOT + 4 }));
		svg.append(drawn("text", { x, y: HIGH - FOOT + 18, "text-anchor": "middle" }, text));
	}
	svg.append(drawn("line", { class: "axis", x1: SIDE, x2: WIDE - RIGHT, y1: HIGH - FOOT, y2: HIGH - FOOT }));
}

const toX = (share) => SIDE + share * (WIDE - SIDE - RIGHT);
const toY = (share) => HIGH - FOOT - share * (HIGH - FOOT - TOP);

function line(svg, points, config)
{
	if (points.length)
		svg.append(drawn("path", { class: `c${config % 4}`,
			d: points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("") }));
}

function nothing(svg)
{
	frame(svg, [], []);
	svg.append(drawn("text", { x: WIDE / 2, y: HIGH / 2, "text-anchor": "middle" }, "none"));
}

/* Seconds grow tenfold by equal steps, from one on. */
function distribution(id, key)
{
	const svg = byId(id), lists = data.configurations.map((config) => config[key]);
	const most = Math.max(60, ...lists.map((list) => list.length ? list[list.length - 1] : 0));
	const place = (seconds) => toX(Math.log10(Math.max(seconds, 1)) / Math.log10(most));
	const marks = [1, 10, 60, 600, 3600, 21600, 86400, 604800, 2592000].filter((mark) => mark <= most);

	if (!lists.some((list) => list.length)) {
		nothing(svg);
		return;
	}
	frame(svg, marks.map((mark) => [place(mark), mark === 1 ? "1 s" : duration(mark)]),
		[0, 0.25, 0.5, 0.75, 1].map((share) => [toY(share), `${share * 100} %`]));
	lists.forEach((list, config) =>
		line(svg, list.map((wait, i) => [place(wait), toY(i / (list.length - 1 || 1))]), config));
}

/* A round number that is not below. */
function round(most)
{
	const power = 10 ** Math.floor(Math.log10(most || 1));

	return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= most);
}

/* 'show' writes a number of that list. */
function overTime(id, key, top, show)
{
	const svg = byId(id), span = data.until - data.from;

	frame(svg, ticks(data.from, data.until, 7).map(([at, text]) => [toX((at - data.from) / span), text])
		.filter(([x]) => x > SIDE + 12 && x < WIDE - 20),
		[0, 0.25, 0.5, 0.75, 1].map((share) => [toY(share), show(share * top)]));
	data.configurations.forEach((config, i) =>
		line(svg, config.samples[key].map((value, k) =>
			[toX((config.samples.time[k] - data.from) / span), toY(value / top)]), i));
}

function largest(key)
{
	return Math.max(0, ...data.configurations.map((config) =>
		config.samples[key].reduce((most, value) => Math.max(most, value), 0)));
}

function fillKeys()
{
	for (const list of document.querySelectorAll(".key.lines"))
		data.configurations.forEach((config, i) => {
			const item = document.createElement("li"), svg = drawn("svg", { viewBox: "0 0 36 12", "aria-hidden": "true" });

			svg.append(drawn("path", { class: `c${i % 4}`, d: "M0 6H36" }));
			item.append(svg, config.name);
			list.append(item);
		});
}

const percent = (value) => `${+(value * 100).toPrecision(3)} %`;

pictures.forEach(listen);
drawAll(true);
fillKeys();
distribution("gang-waits", "gang_waits");
distribution("job-waits", "job_waits");
overTime("busy", "busy", 1, percent);
overTime("held", "held", round(largest("held") || 0.01), percent);
overTime("waiting", "waiting", round(largest("waiting") || 1), (value) => String(+value.toPrecision(3)));
byId("changes").hidden = data.configurations.length < 2;
addEventListener("resize", () => drawAll(false));
isDark.addEventListener("change", () => drawAll(true));
