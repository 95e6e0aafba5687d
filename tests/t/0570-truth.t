#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0570-truth.t - what jobs tell of their gangs is never wrong about the phase; and what
# monitoring reads of them, and that it can read it

test_description='Reason and record fit the state in every message; metrics'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang
echo "MetricsFile=\"$PWD/gang.prom\"" >>"$slurm_dir/etc/gang.conf"
slurm_start

# --- sgang metrics, as OpenMetrics and as older text ---

command -v promtool >/dev/null && test_set_prereq PROMTOOL
sgang=$(checked_sgang)
gang_script run

# A sample of what sgang prints.
sample() { $sgang metrics | awk -v name="$1" '$1 == name { print $2 }'; }

shows()
{
	test "$(sample "$1")" = "$2" ||
		{ echo "$1: $(sample "$1"), not $2" >&2; return 1; }
}

oldest_waits() { test "$(sample slurm_gang_oldest_wait_seconds)" -ge $1; }
some_held() { test "$(squeue -h -t CONFIGURING -o %N | wc -l)" -ge 1; }

# Each held member has a node of its own.
held_as_squeue_says()
{
	some_held && shows slurm_gang_held_nodes \
		"$(squeue -h -t CONFIGURING -o %N | sort -u | wc -l)"
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
test_expect_success 'and by partition and namespace, with the age of the oldest that waits' '
	block=$(run_job -N 2 --exclusive) &&
	full=$(submit -N 1 --exclusive --gang=full --gang-min-member=3 --array=1-3) &&
	where="partition=\"$(squeue -h -j $block -o %P)\",namespace=\"$(id -un)\"" &&
	wait_for 10 shows "slurm_gang_partition_gangs{$where,phase=\"running\"}" 1 &&
	wait_for 20 shows "slurm_gang_partition_gangs{$where,phase=\"waiting\"}" 1 &&
	shows "slurm_gang_partition_members{$where,state=\"waiting\"}" 5 &&
	shows "slurm_gang_held_nodes" 0 &&
	shows "slurm_gang_build_info{version=\"$($sgang --version |
		sed "s/^sgang //")\"}" 1 &&
	wait_for 10 oldest_waits 2 &&
	$sgang metrics --json >json &&
	jq -e ".partitions[0].members.waiting == 5 and .oldest_wait >= 2 and
		.partitions[0].namespace == \"$(id -un)\"" json &&
	scancel $full $block
'
test_expect_success 'members with nodes that do not run hold them' '
	holds=$(submit -N 1 --exclusive --gang=keep --gang-min-member=4 \
		--gang-mode=nonstrict --array=1-4) &&
	wait_for 20 some_held &&
	wait_for 10 held_as_squeue_says &&
	scancel $holds &&
	wait_for 20 shows slurm_gang_held_nodes 0
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
	block=$(run_job -N 2 --exclusive) &&
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
test_expect_success 'a file is written whole, or stays as it was' '
	$sgang metrics --prometheus --output=own.prom &&
	$sgang metrics --prometheus | grep -v wait_seconds >now &&
	grep -v wait_seconds own.prom | test_cmp now - &&
	test "$(stat -c %a own.prom)" = 644 &&
	mkdir own.prom.new &&
	test_expect_code 2 $sgang metrics --output=own.prom 2>said &&
	grep "^sgang: own.prom.new: cannot be written" said &&
	rmdir own.prom.new &&
	grep "^slurm_gang_starts_total" own.prom &&
	test_expect_code 2 $sgang metrics --json --output=own.json 2>said &&
	grep "does not go with --json" said && test ! -e own.json
'
test_expect_success PROMTOOL 'alerts and dashboard ask for metrics that are there' '
	from=$top_srcdir/contrib/monitoring &&
	promtool check rules $from/slurm-gang.rules.yml &&
	(cd $from && promtool test rules slurm-gang.rules-test.yml) &&
	$sgang metrics --prometheus >text &&
	{ jq -r ".panels[].targets[].expr" $from/grafana.json &&
		grep -v "^#" $from/slurm-gang.rules.yml; } |
		grep -o "slurm_gang_[a-z_]*" | sort -u >asked &&
	test $(wc -l <asked) -ge 15 &&
	for name in $(cat asked); do
		grep -q "^$name[ {]" text || { echo "no $name" >&2; return 1; }
	done &&
	: the best is 1, and a quantile reckons that a first bucket begins at 0 &&
	jq -r ".panels[].targets[].expr" $from/grafana.json |
		grep "quantile.*over_best" >quantiles &&
	! grep -v "^clamp_min(.*, 1)\$" quantiles
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
	let_end run ${ids[@]} &&
	wait_for 40 grep "error: gang: MetricsFile: .*gang.prom.new" \
		"$slurm_dir/log/slurmctld.log" &&
	rmdir gang.prom.new
'
test_expect_success 'nothing is left so far' 'nothing_left "MetricsFile: "'

# --- reason and record ---

poll=$top_builddir/tests/t/poll_truth
gang_script stay

# One round of all that can happen to gangs, side by side.
strict()
{
	local name=strict$1 ids

	ids=($(submit -n 2 --exclusive -N 2 --gang=$name --gang-min-member=2 \
		--wrap="sleep 1")) || return 1
	wait_for 20 squeue_says ${ids[0]} "gathering 1/2" &&
	ids+=($(submit -n 1 --gang=$name --wrap="sleep 1")) &&
	wait_for 40 all_in "COMPLETED" ${ids[@]}
}

holders()
{
	local name=holders$1 block ids

	block=$(submit -N 2 --exclusive) &&
	wait_state $block RUNNING 40 &&
	ids=$(submit -n 2 -N 1 --gang=$name --gang-min-member=4 \
		--gang-mode=nonstrict --array=1-4) &&
	wait_for 20 "squeue -h -r -j $ids -t PD -o %r |
		grep -q \"Gang root/$name holding 2/4 members since\"" &&
	gang_setting WaitingTime 0:01 &&
	wait_for 40 squeue_says ${ids}_4 GangTimeout &&
	gang_setting WaitingTime 10:00 &&
	scancel $ids $block
}

plain()
{
	local ids

	ids=($(submit -n 1 --wrap=true) $(submit -N 2 --wrap=true)) &&
	wait_for 60 all_in "COMPLETED" ${ids[@]}
}

test_expect_success '2000 messages are asked for from now on' '
	{ $poll 2000 stop >polled 2>&1 & } &&
	poller=$!
'
for round in 1 2 3; do
	test_expect_success "$round: a gang gathers, starts and ends" '
		strict $round
	'
	test_expect_success "$round: members hold, time out and are cancelled" '
		holders $round
	'
	test_expect_success "$round: plain jobs between them" '
		plain
	'
	test_expect_success "$round: members that wait are held and cancelled" '
		ids=($(submit -n 1 --gang=wait --gang-min-member=3) \
			$(submit -n 1 --gang=wait) $(submit -n 1 --gang=wait \
			--hold)) &&
		wait_for 20 squeue_says ${ids[0]} "waits for 1 of 3 members" &&
		scontrol hold ${ids[1]} &&
		wait_for 20 squeue_says ${ids[0]} "waits for 2 of 3 members" &&
		scancel ${ids[0]} &&
		scontrol release ${ids[1]} &&
		wait_for 20 squeue_says ${ids[1]} "gathering 2/3" &&
		scontrol reconfigure &&
		scancel ${ids[@]:1}
	'
	test_expect_success "$round: of a gang that runs one is requeued, one\
 cancelled" '
		ids=($(submit -n 1 --gang=stay --gang-min-member=2 stay.sh) \
			$(submit -n 1 --gang=stay stay.sh)) &&
		wait_for 40 all_in RUNNING ${ids[@]} &&
		scontrol requeue ${ids[0]} &&
		wait_for 20 "test \"\$(restarts_of ${ids[0]})\" = 1" &&
		scancel ${ids[1]} &&
		wait_state ${ids[1]} CANCELLED 40 &&
		scancel ${ids[0]}
	'
done
test_expect_success 'slurmctld is started again while a gang runs and one waits' '
	ids=($(submit -n 1 --gang=over --gang-min-member=2 stay.sh) \
		$(submit -n 1 --gang=over stay.sh)) &&
	wait_for 40 all_in RUNNING ${ids[@]} &&
	ids+=($(submit -n 1 --gang=lone --gang-min-member=2 stay.sh)) &&
	wait_for 20 squeue_says ${ids[2]} "gathering 1/2" &&
	ctld_restarts &&
	wait_for 20 squeue_says ${ids[2]} "gathering 1/2" &&
	scancel ${ids[@]}
'
test_expect_success 'all that was told in 2000 messages was so' '
	touch stop &&
	wait_for 240 "! kill -0 $poller 2>/dev/null" &&
	cat polled &&
	wait $poller &&
	for phase in Gathering Waiting Holding Running Timeout Finished; do
		grep -q "^$phase [1-9]" polled || return 1
	done
'
last_case 'nothing_left "MetricsFile: "'
