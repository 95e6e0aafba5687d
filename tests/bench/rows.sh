#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# rows.sh - the table of make bench, for the benchmarks to source
#
# bench_row WHAT UNIT TARGET FILE
#	Add a row about FILE, whose lines are "KIND NUMBER". KIND is gang for what
#	was measured with slurm-gang; stock for stock Slurm, and again for stock
#	Slurm a second time, taken in turn with the others. TARGET is +N: at most
#	that much more than stock; xN: at least that share of stock; N: at most
#	that; or -.
# bench_table
#	Print the rows as a table. make bench makes one of all.
# log_line, empty
#	The line of slurmctld's log that comes next; true if no job is left.
#
# Numbers are medians, with the range of the middle half. Noise is what stock
# differs from itself. Where it is larger than the difference, and could hide that
# the target is missed, there is no conclusion.
#
# BENCH_ROWS	the file of the rows (default: none; they are printed as they
#		come)

bench_row()
{
	sort -k1,1 -k2,2g "$4" | awk -v what="$1" -v unit="$2" -v target="$3" '
	{ v[$1, ++n[$1]] = $2 }
	function at(kind, share) {
		return v[kind, int((n[kind] - 1) * share + 0.5) + 1]
	}
	function size(x) { return x < 0 ? -x : x }
	function show(x) {
		return size(x) < 10 && x != int(x) ? sprintf("%.2f", x) :
			sprintf("%.0f", x)
	}
	function cell(kind) {
		if (!n[kind])
			return ""
		if (n[kind] == 1)
			return show(at(kind, 0.5))
		return show(at(kind, 0.5)) " (" show(at(kind, 0.25)) " to " \
			show(at(kind, 0.75)) ")"
	}
	# what is left until the target is missed; below 0: it is
	function room() {
		if (target ~ /^[+]/)
			return substr(target, 2) - more
		if (target ~ /^x/)
			return ours - substr(target, 2) * stock
		return target - ours
	}
	END {
		ours = at("gang", 0.5)
		stock = n["again"] ? (at("stock", 0.5) + at("again", 0.5)) / 2 : \
			at("stock", 0.5)
		noise = n["again"] ? size(at("again", 0.5) - at("stock", 0.5)) : 0
		more = ours - stock
		left = target == "-" ? 0 : room()
		if (target == "-")
			verdict = ""
		else if (size(left) < noise && size(more) < noise)
			verdict = "no conclusion"
		else
			verdict = left < 0 ? "missed" : "ok"
		printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", what, unit,
			cell("stock"), cell("gang"),
			n["again"] ? show(noise) : "",
			n["stock"] ? show(more) : "",
			target == "-" ? "" : target, verdict
	}' | tee -a "${BENCH_ROWS:-/dev/null}"
}

log_line() { echo $(($(wc -l <"$slurm_dir/log/slurmctld.log") + 1)); }
empty() { test -z "$(squeue -h -r -o %i)"; }

bench_table()
{
	echo '| | unit | stock | slurm-gang | noise | more | target | |'
	echo '|---|---|---|---|---|---|---|---|'
	cat "$BENCH_ROWS"
}
