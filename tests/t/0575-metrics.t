#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0575-metrics.t - sgang metrics: what monitoring reads, and that it can read it

test_description='Metrics of gangs, as OpenMetrics and as older text'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang
echo "MetricsFile=\"$PWD/gang.prom\"" >>"$slurm_dir/etc/gang.conf"
slurm_start

command -v promtool >/dev/null && test_set_prereq PROMTOOL
sgang=$top_builddir/src/cmd/sgang
gang_script run

# A sample of what sgang prints.
sample()
{
	$sgang metrics | awk -v name="$1" '$1 == name { print $2 }'
}

shows()
{
	test "$(sample "$1")" = "$2" ||
		{ echo "$1: $(sample "$1"), not $2" >&2; return 1; }
}

test_expect_success 'without gangs there are no gangs, and an end' '
	wait_for 10 shows "slurm_gang_gangs{phase=\"running\"}" 0 &&
	test "$($sgang metrics | tail -n 1)" = "# EOF"
'
test_expect_success 'gangs are counted by phase, members by state' '
	ids=($(submit -N 1 -n 1 --gang=run --gang-min-member=2 run.sh) \
		$(submit -N 1 -n 1 --gang=run run.sh)) &&
	wait_for 20 all_in RUNNING ${ids[@]} &&
	more=$(submit -n 1 --gang=wait --gang-min-member=3 --array=1-2) &&
	wait_for 20 squeue_says ${more}_1 "gathering 2/3" &&
	wait_for 10 shows "slurm_gang_gangs{phase=\"running\"}" 1 &&
	wait_for 10 shows "slurm_gang_gangs{phase=\"gathering\"}" 1 &&
	wait_for 10 shows "slurm_gang_members{state=\"waiting\"}" 2 &&
	wait_for 10 shows "slurm_gang_members{state=\"held\"}" 0 &&
	wait_for 10 shows "slurm_gang_members{state=\"running\"}" 2
'
test_expect_success '4.34 slurmctld writes its counters into a file for all' '
	wait_for 30 "shows slurm_gang_starts_total 1 2>/dev/null" &&
	shows slurm_gang_wait_seconds_count 1 &&
	shows slurm_gang_ring_over_best_ratio_count 1 &&
	test "$(sample slurm_gang_attempts_total)" -ge 1 &&
	test "$(sample slurm_gang_lock_seconds_count)" -ge 3 &&
	test "$(stat -c %a gang.prom)" = 644 &&
	test ! -e gang.prom.new
'
test_expect_success 'a waiting time that is over is counted' '
	block=$(submit -N 2 --exclusive) &&
	wait_state $block RUNNING &&
	scancel $more &&
	late=$(submit -N 1 --exclusive --gang=late --gang-min-member=4 \
		--gang-mode=nonstrict --gang-waiting-time=0:01 --array=1-4) &&
	wait_for 30 "squeue -h -r -j $late -o %r | grep -q GangTimeout" &&
	wait_for 30 "shows slurm_gang_timeouts_total 1 2>/dev/null" &&
	wait_for 10 shows "slurm_gang_gangs{phase=\"timeout\"}" 1 &&
	scancel $late $block
'
test_expect_success PROMTOOL 'promtool finds nothing to complain about' '
	$sgang metrics --prometheus >text &&
	promtool check metrics <text >said 2>&1 ||
		{ cat text said >&2; return 1; }
	test ! -s said
'
# Prometheus reads OpenMetrics with time stamps only to fill its store with.
test_expect_success PROMTOOL 'Prometheus reads the OpenMetrics text' '
	$sgang metrics | awk -v now=$EPOCHSECONDS "
		/^#/ { print; next }
		{ print \$0, now }" >stamped &&
	mkdir store &&
	promtool tsdb create-blocks-from openmetrics stamped store >said 2>&1 ||
		{ cat stamped said >&2; return 1; }
	promtool tsdb analyze store >about &&
	test "$(sed -n "s/^\(Total \)*Series: //p" about)" = "$(grep -vc "^#" stamped)"
'
test_expect_success 'every metric has its type and help in front, units fit' '
	$sgang metrics | awk "
		\$2 == \"TYPE\" { name = \$3; typed[name]++ }
		\$2 == \"HELP\" && \$3 != name { exit 1 }
		\$2 == \"UNIT\" && \$3 !~ \"_\" \$4 \"\$\" { exit 1 }
		\$2 == \"HELP\" { helped[name]++ }
		/^[^#]/ && index(\$1, name) != 1 { exit 1 }
		END { for (n in typed)
			if (typed[n] != 1 || helped[n] != 1) exit 1 }"
'
test_expect_success 'as JSON' '
	$sgang metrics --json >json &&
	test "$(jq ".gangs.running, .members.running" json | xargs)" = "1 2" &&
	jq -e ".counters.slurm_gang_starts_total >= 1" json
'
test_expect_success 'a file that is named must be there, another need not' '
	test_expect_code 2 $sgang metrics --file=none 2>said &&
	grep "^sgang: none: " said &&
	: >empty.conf &&
	$sgang metrics --conf=empty.conf >now &&
	! grep attempts now &&
	test "$(tail -n 1 now)" = "# EOF"
'
test_expect_success 'a file that cannot be written is told of once' '
	mkdir dir && mv dir gang.prom.new &&
	touch run.go &&
	wait_for 30 all_in COMPLETED ${ids[@]} &&
	wait_for 40 grep "error: gang: MetricsFile: .*gang.prom.new" \
		"$slurm_dir/log/slurmctld.log" &&
	rmdir gang.prom.new
'
test_expect_success 'nothing is left' '
	nothing_left "MetricsFile: "
'
test_done
