# SPDX-License-Identifier: GPL-2.0-or-later
# performance.gp - the plots of doc/performance.md
#
# gnuplot -e "data='FOLDER'; doc='doc'" tests/bench/performance.gp
#
# FOLDER has placement.dat, the rows of bench-placement, and plan.dat, what
# bench_plan printed. The plots are doc/performance-*.svg.

rows = data."/placement.dat"
plan = data."/plan.dat"

# Readable on a white and on a dark page, and by the colour-blind.
set terminal svg noenhanced size 760,380 font "sans-serif,13" background "#ffffff"
set style line 1 lc rgb "#d55e00" lw 2 pt 7 ps 0.6
set style line 2 lc rgb "#e69f00" lw 2 pt 5 ps 0.6
set style line 3 lc rgb "#0072b2" lw 2 pt 9 ps 0.7
set style line 4 lc rgb "#009e73" lw 2 pt 11 ps 0.7
set style line 5 lc rgb "#555555" lw 2 pt 13 ps 0.7
set style line 9 lc rgb "#999999" lw 1 dt 2
set grid lc rgb "#e0e0e0"
set border lc rgb "#555555"

# Rows of the placed gangs of a fabric and way.
of(fabric, way) = "$1 == \"".fabric."\" && $7 == \"".way."\" && $8"
# Their p, sorted, against the percentage of gangs that have at most that.
sorted(fabric, way, what) = "< awk '".of(fabric, way)." { print ".what." }' ".\
	rows." | sort -g | awk '{ v[NR] = $1 } END { for (i = 1; i <= NR; i++) if (i == NR || v[i] != v[i - 1] || v[i] != v[i + 1]) print 100 * i / NR, v[i] }'"

# --- ring cost over optimum ---

set output doc."/performance-ring.svg"
set multiplot layout 1,2
set logscale y 2
set yrange [0.95:16]
set xrange [0:100]
set ytics (1, 1.5, 2, 3, 4, 6, 8, 12)
set xlabel "% of gangs that cost at most this"
set ylabel "ring cost / optimum"
set key top left
set title "node names follow the fabric"
plot sorted("tree", "stock", "$9 / $11") with steps ls 1 title "stock", \
     sorted("tree", "all", "$9 / $11") with steps ls 2 title "PlaceAll=yes", \
     sorted("tree", "gang", "$9 / $11") with steps ls 3 title "--gang"
set title "node names ignore the fabric"
plot sorted("shuffled", "stock", "$9 / $11") with steps ls 1 title "stock", \
     sorted("shuffled", "all", "$9 / $11") with steps ls 2 title "PlaceAll=yes", \
     sorted("shuffled", "gang", "$9 / $11") with steps ls 3 title "--gang"
unset multiplot
set xrange [*:*]
set ytics auto

# --- hops that leave their leaf, and those through the core ---

# Gang size and mean, over that of the optimum.
over(fabric, way, what, best) = "< awk '".of(fabric, way)." { s[$6] += ".what.\
	"; b[$6] += ".best." } END { for (g in s) if (b[g]) print g, s[g] / b[g] }' ".\
	rows." | sort -n"
links(fabric, way) = over(fabric, way, "$13", "$14")
core(fabric, way) = over(fabric, way, "$15", "$16")

set output doc."/performance-cross.svg"
set multiplot layout 1,2
set logscale x 2
set logscale y 2
set yrange [0.7:1024]
set xrange [1.8:300]
set xlabel "nodes of the gang"
set ylabel "hops / hops of the optimum"
set key top right
set title "node names follow the fabric"
plot links("tree", "stock") with linespoints ls 1 dt 2 title "stock, out of a leaf", \
     core("tree", "stock") with linespoints ls 1 title "stock, through the core", \
     links("tree", "gang") with linespoints ls 3 dt 2 title "--gang, out of a leaf", \
     core("tree", "gang") with linespoints ls 3 title "--gang, through the core"
set title "node names ignore the fabric"
plot links("shuffled", "stock") with linespoints ls 1 dt 2 notitle, \
     core("shuffled", "stock") with linespoints ls 1 notitle, \
     links("shuffled", "gang") with linespoints ls 3 dt 2 notitle, \
     core("shuffled", "gang") with linespoints ls 3 notitle
unset multiplot
unset logscale
set xrange [*:*]
set yrange [*:*]

# --- CPU time of a job_test ---

# Nodes of the fabric, median, 5th and 95th percentile in ms.
spread(way) = "< awk '$1 != \"shuffled\" && $7 == \"".way."\" { print $2, $17 }' ".\
	rows." | sort -n -k1,1 -k2,2 | awk '$1 != at { if (n) out(); n = 0; at = $1 } { v[++n] = $2 / 1000 } function out() { print at, v[int(n / 2) + 1], v[int(n / 20) + 1], v[int(n * .95)] } END { out() }'"

set output doc."/performance-job-test.svg"
set logscale x
set logscale y
set xrange [800:13000]
set xtics (1024, 4000, 10000)
set xlabel "nodes of the cluster"
set ylabel "CPU time in job_test, ms"
set title "one gang is placed: median, 5th to 95th percentile"
set key top left
plot spread("stock") using ($1 * 0.96):2:3:4 with yerrorlines ls 1 title "stock", \
     spread("beside") using ($1 * 0.99):2:3:4 with yerrorlines ls 5 title "slurm-gang, PlaceAll=no", \
     spread("all") using ($1 * 1.02):2:3:4 with yerrorlines ls 2 title "slurm-gang, PlaceAll=yes", \
     spread("gang") using ($1 * 1.05):2:3:4 with yerrorlines ls 3 title "slurm-gang, --gang, without the planning"

# --- time of a plan ---

# Nodes of the fabric, median and maximum over its shapes and loads.
plans(gang) = "< awk '$1 == \"plan\" && $6 == \"".gang."\" { print $2, $7 }' ".\
	plan." | sort -n -k1,1 -k2,2 | awk '$1 != at { if (n) out(); n = 0; at = $1 } { v[++n] = $2 } function out() { print at, v[int((n + 1) / 2)], v[n] } END { out() }'"

set output doc."/performance-plan.svg"
set xrange [700:150000]
set yrange [0.01:40]
set xtics (1000, 10000, 100000)
set xlabel "nodes of the cluster, 8 GPUs each"
set ylabel "CPU time of a plan, ms"
set title "line: median of fabrics and loads; cross: the slowest of them"
set key bottom right
plot plans("64") using 1:2 with linespoints ls 4 title "64 nodes", \
     plans("64") using 1:3 with points lc rgb "#009e73" pt 2 notitle, \
     plans("4096") using 1:2 with linespoints ls 3 title "4096 nodes", \
     plans("4096") using 1:3 with points lc rgb "#0072b2" pt 2 notitle, \
     plans("1024x8") using 1:2 with linespoints ls 5 title "8192 GPUs, 8 a node", \
     plans("1024x8") using 1:3 with points lc rgb "#555555" pt 2 notitle, \
     plans("8192x1") using 1:2 with linespoints ls 1 title "8192 GPUs, anywhere", \
     plans("8192x1") using 1:3 with points lc rgb "#d55e00" pt 2 notitle, \
     10 with lines ls 9 title "10 ms"

# --- memory of the fabric ---

set output doc."/performance-memory.svg"
unset logscale y
set yrange [0:220]
set ylabel "bytes a node"
set title "memory of the fabric"
set key center right
plot "< awk '$1 == \"fabric\"' ".plan using 2:6 with points ls 3 ps 1.2 title "fabrics of bench_plan", \
     200 with lines ls 9 title "200 bytes"
