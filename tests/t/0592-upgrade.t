#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0592-upgrade.t - slurm-gang is taken out with gangs in the queue, and comes back
#
# What earlier versions have written into jobs is read in test_record.c.

test_description='slurmctld without slurm-gang, contrib/unpark, and with it again'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang
cp "$SLURM_CONF" with.conf
sed -e "s|^PluginDir=.*|PluginDir=$slurm_stock|" -e /^JobSubmitPlugins=/d \
	with.conf >without.conf
cp "$slurm_dir/etc/plugstack.conf" with.plugstack
: >without.plugstack
slurm_start

for name in runs few late wide; do
	gang_script $name
done

unpark() { timeout 300 "$top_srcdir/contrib/unpark" "$@"; }

# slurm_gang with, slurm_gang without
slurm_gang()
{
	slurm_stop_ctld &&
		cp $1.conf "$SLURM_CONF" &&
		cp $1.plugstack "$slurm_dir/etc/plugstack.conf" &&
		slurm_start_ctld &&
		wait_for 20 'test "$(sinfo -h -N -o "%n %T" |
			grep -cE " (idle|allocated|mixed)\$")" = 4'
}

# The text stays as it was, and nobody starts.
waits_as_before()
{
	all_in PENDING $runs_later ${few[@]} ${wide[@]} ${late[@]} \
		$definition $mine &&
		test "$(squeue -h -j ${few[2]} -o %r)" = "$text" &&
		stopped_by_timeout ${late[@]} &&
		test "$(job_field $mine Priority)" = 0
}

test_expect_success 'a gang that runs, two that gather, one that timed out' '
	runs=$(run_job -N 2 -w "n[1-2]" --exclusive --gang=runs \
		--gang-min-member=1 runs.sh) &&
	late=($(submit -n 1 --gang=late --gang-min-member=3 \
			--gang-mode=nonstrict --gang-waiting-time=0:00:05 \
			late.sh)
		$(submit -n 1 --gang=late late.sh)
		$(submit -n 5 --gang=late late.sh)) &&
	options="--gang=few --gang-min-member=5" &&
	array=$(submit -n 1 -a 1-2 $options few.sh) &&
	few=(${array}_1 ${array}_2 $(submit -n 3 $options few.sh)) &&
	options="-w n1 -n 1 --gang=wide --gang-min-member=3" &&
	wide=($(submit $options wide.sh) $(submit $options wide.sh)) &&
	definition=$("$sgang" create etl --min-member=2 |
		sed "s/.*(JobId=\([0-9]*\)).*/\1/") &&
	mine=$(submit -n 1 -H --gang=few few.sh) &&
	wait_for 10 squeue_says ${few[2]} "Gang root/few gathering" &&
	wait_for 30 stopped_by_timeout ${late[@]} &&
	text=$(squeue -h -j ${few[2]} -o %r)
'
test_expect_success 'unpark refuses while slurm-gang is on' '
	runs_later=$(submit -N 4 --exclusive --gang=runs --gang-min-member=1 \
		runs.sh) &&
	test_must_fail unpark 2>err &&
	grep "restore PluginDir and JobSubmitPlugins" err &&
	waits_as_before
'
test_expect_success 'without slurm-gang: what runs runs, what waits waits' '
	slurm_saved $mine &&
	slurm_gang without &&
	! grep "gang: slurm-gang for" <(tail -n 50 "$slurm_dir/log/slurmctld.log" |
		sed -n "/slurmctld version/,\$p") &&
	job_is $runs RUNNING &&
	waits_as_before
'
test_expect_success 'with it again: the gangs are as they were' '
	slurm_gang with &&
	job_is $runs RUNNING &&
	wait_for 10 waits_as_before &&
	test "$(gang_record $runs phase)" = running
'
test_expect_success 'without it, contrib/unpark says whom it would give back' '
	priority=$(job_field ${few[2]} Priority) &&
	slurm_saved $mine &&
	slurm_gang without &&
	unpark --dry-run >would &&
	test "$(wc -l <would)" = 7 &&
	waits_as_before
'
test_expect_success '5.3 then they are ordinary jobs, which start one by one' '
	unpark >did &&
	test_cmp would did &&
	wait_for 20 all_in RUNNING ${few[0]} ${few[1]} &&
	job_is ${few[2]} PENDING &&
	test "$(job_field ${few[2]} Priority)" = $priority &&
	for id in ${few[2]} ${wide[@]} ${late[@]}; do
		! squeue_says $id Gang &&
		test "$(job_field $id Priority)" != 0 || return 1
	done
'
test_expect_success 'what others hold, and definitions, stay held' '
	all_in PENDING $mine $definition &&
	test "$(job_field $mine Priority)" = 0 &&
	test "$(job_field $definition Priority)" = 0 &&
	unpark >again 2>told &&
	test_must_be_empty again &&
	echo "unpark: definition $definition (gang/etl) stays held: scancel it" \
		"if slurm-gang does not come back" >want &&
	test_cmp want told
'
test_expect_success 'with it again: of a gang of which nobody started' '
	slurm_saved $mine &&
	slurm_gang with &&
	wait_for 15 squeue_says ${wide[0]} "Gang root/wide gathering 2/3" &&
	all_in RUNNING $runs ${few[0]} ${few[1]}
'
test_expect_success 'all start together; of others the rest starts later' '
	scancel ${late[@]} &&
	more=$(submit -n 1 --gang=wide wide.sh) &&
	touch runs.go few.go wide.go &&
	wait_for 40 all_in COMPLETED $runs $runs_later ${few[@]} ${wide[@]} \
		$more &&
	started_together ${wide[@]} $more &&
	job_is $mine PENDING &&
	scontrol release $mine &&
	wait_for 20 all_in COMPLETED $mine &&
	"$sgang" delete etl
'
# A driver, and one executor that comes later: keeping GANG
keeping()
{
	cat >$1.yaml <<-END
	gang: $1
	placeholders: soft
	options: [--exclusive, -N1, -t10]
	roles:
	  - {name: driver, min: 1, script: $1.sh}
	  - {name: executor, min: 1}
	END
	gang_script $1 && "$sgang" submit $1.yaml >submitted &&
		ids=($(sed -n 's/^JobId=\([0-9]*\) .*/\1/p' submitted)) &&
		test ${#ids[@]} = 3
}

test_expect_success '1.56 1.58 placeholders: without slurm-gang those with nodes run "exit 0"' '
	keeping kept && kept=(${ids[@]}) && wait_state ${kept[2]} RUNNING &&
	wait_state ${kept[1]}_0 CONFIGURING &&
	busy=$(submit -N 2 --exclusive) && wait_state $busy RUNNING &&
	next=$(submit -N 1 --exclusive) && # has the node of the one that ends
	keeping late && waiting=(${ids[@]}) && slurm_saved $busy && all_in PENDING ${waiting[@]} &&
	slurm_gang without && wait_state ${kept[1]}_0 COMPLETED 40 &&
	wait_state $next RUNNING && job_is ${kept[2]} RUNNING
'
test_expect_success '1.40 ... and unpark cancels those that wait; members are ordinary jobs' '
	unpark >did && cat did &&
	for id in ${waiting[@]}; do grep -x $id did || return 1; done &&
	wait_for 10 all_in CANCELLED ${waiting[0]}_0 ${waiting[1]}_0 &&
	scancel $busy $next && wait_state ${waiting[2]} RUNNING &&
	slurm_gang with && touch kept.go late.go &&
	wait_for 40 all_in COMPLETED ${kept[2]} ${waiting[2]}
'
last_case
