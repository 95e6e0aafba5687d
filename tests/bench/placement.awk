# SPDX-License-Identifier: GPL-2.0-or-later
# placement.awk - tables from the rows of bench_placement.c

function key(fabric, way) { return fabric SUBSEP way }

# The value below which a part of the n sorted values v[k, 1..n] is.
function part(v, k, n, p,   i)
{
	i = int(p * n)
	return v[k, i < p * n ? i + 1 : i]
}

# Sort v[k, 1..n], n small.
function sort(v, k, n,   i, j, x)
{
	for (i = 2; i <= n; i++) {
		x = v[k, i]
		for (j = i - 1; j > 0 && v[k, j] > x; j--)
			v[k, j + 1] = v[k, j]
		v[k, j + 1] = x
	}
}

{
	k = key($1, $7)
	if (!(k in asked)) {
		if (!($1 in nodes))
			fabrics[++n_fabrics] = $1
		nodes[$1] = $2
	}
	asked[k]++
	proved[k] += $12
	placed[k] += $8
	us[k, asked[k]] = $17
	job[$1, $3, $4, $5, $6, $7] = $17
	wall[k, asked[k]] = $18
	if ($7 == "stock")
		gangs[$1, ++n_gangs[$1]] = $1 SUBSEP $3 SUBSEP $4 SUBSEP $5 \
			SUBSEP $6
	if (!$8)
		next
	foretold[k] += $19
	ratio[k, placed[k]] = $9 / $11
	sum[k] += $9 / $11
	set[k] += $10 / $11
	optimal[k] += $9 == $11
	cross[k] += $13
	best_cross[k] += $14
	core[k] += $15
	best_core[k] += $16
	if ($11 > 4 * $6) {		# more than one leaf is needed
		wide[k]++
		wide_sum[k] += $9 / $11
		wide_optimal[k] += $9 == $11
	}
}

END {
	n_ways = split("stock again beside all gang", ways, " ")
	print "Ring cost over optimum. set: the same nodes in their best order;" \
		" wide: gangs that need"
	print "more than one leaf; cross, core: hops that leave their leaf," \
		" and their pod, over those of the optimum"
	printf "%-10s %-7s %6s %7s %8s %7s %7s %7s %7s %9s %9s %7s %7s\n", \
		"fabric", "way", "gangs", "placed", "optimal", "mean", "p95", \
		"worst", "set", "wide mean", "wide opt", "cross", "core"
	for (f = 1; f <= n_fabrics; f++) {
		for (w = 1; w <= n_ways; w++) {
			k = key(fabrics[f], ways[w])
			if (!placed[k])
				continue
			sort(ratio, k, placed[k])
			printf "%-10s %-7s %6d %6.1f%% %7.1f%% %7.3f %7.3f" \
				" %7.3f %7.3f %9.3f %8.1f%% %7.3f %7.3f\n",
				fabrics[f], ways[w], asked[k],
				100 * placed[k] / asked[k],
				100 * optimal[k] / asked[k],
				sum[k] / placed[k],
				part(ratio, k, placed[k], 0.95),
				ratio[k, placed[k]], set[k] / placed[k],
				wide[k] ? wide_sum[k] / wide[k] : 1,
				wide[k] ? 100 * wide_optimal[k] / wide[k] : 100,
				cross[k] / best_cross[k],
				core[k] / best_core[k]
			if (proved[k] != asked[k])
				printf "(%d optima are not proved)\n",
					asked[k] - proved[k]
		}
	}
	print "\nGangs that stock Slurm placed on the nodes that sgang says it" \
		" would (core/stock.h)"
	for (f = 1; f <= n_fabrics; f++) {
		k = key(fabrics[f], "stock")
		printf "%-10s %d of %d\n", fabrics[f], foretold[k], placed[k]
	}
	print "\nCPU time in job_test until a gang is placed: median, 95th" \
		" percentile, median of the ratios to"
	print "stock's for the same gang; median time from the request to the" \
		" placement"
	printf "%-10s %-7s %12s %12s %18s %12s\n", "fabric", "way", \
		"job_test us", "p95", "of stock", "wall us"
	for (f = 1; f <= n_fabrics; f++) {
		fabric = fabrics[f]
		for (w = 1; w <= n_ways; w++) {
			k = key(fabric, ways[w])
			if (!asked[k])
				continue
			for (g = 1; g <= n_gangs[fabric]; g++)
				pair[k, g] = job[gangs[fabric, g], ways[w]] / \
					job[gangs[fabric, g], "stock"]
			sort(us, k, asked[k])
			sort(wall, k, asked[k])
			sort(pair, k, n_gangs[fabric])
			printf "%-10s %-7s %12.0f %12.0f %18.3f %12.0f\n",
				fabric, ways[w], part(us, k, asked[k], 0.5),
				part(us, k, asked[k], 0.95),
				part(pair, k, n_gangs[fabric], 0.5),
				part(wall, k, asked[k], 0.5)
		}
	}
}
