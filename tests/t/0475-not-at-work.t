#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0475-not-at-work.t - slurmctld comes up, and slurm-gang is not at work in it
#
# Records that do not fit are in 0470-layout.t.

test_description='No member of a gang starts while slurm-gang is not at work'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_cluster -n 4 -c 2 --gang

gang_script waits
gang_script holds
cp "$SLURM_CONF" good.conf
conf=$slurm_dir/etc/gang.conf
ours=$slurm_dir/lib
cons_tres=1

# --- the causes: each spoils what repair makes good again ---

order()
{
	sed "s|^PluginDir=.*|PluginDir=$slurm_stock:$ours|" good.conf \
		>"$SLURM_CONF"
}

other_select()
{
	sed -e 's|^SelectType=.*|SelectType=select/linear|' \
		-e 's|^SelectTypeParameters=.*|SelectTypeParameters=CR_Memory|' \
		good.conf >"$SLURM_CONF"
}

no_select() { rm "$ours/select_cons_tres.so"; }

# A plugin as it was built for a later micro release.
later()
{
	local file=$ours/$1

	set_plugin_micro "$file" 99 &&
		sed -i 's/slurm-gang for Slurm \([0-9]*\.[0-9]*\)\../slurm-gang for Slurm \1.9/' "$file"
}

later_select() { later select_cons_tres.so; }
later_both() { later select_cons_tres.so && later job_submit_gang.so; }

# As after an installation: no copy of what was good before.
forget() { rm -f "$slurm_dir"/state/gang_{conf,topology}; }

topology()
{
	forget &&
	cat >torus.yaml <<-END &&
	- topology: torus
	  cluster_default: true
	  torus3d:
	    toruses:
	      - name: t1
	END
	echo "TopologyFile=\"$PWD/torus.yaml\"" >"$conf"
}

settings() { forget && echo "Gangs=perhaps" >"$conf"; }

repair()
{
	local plugin

	cp good.conf "$SLURM_CONF" &&
		rm -f "$conf" "$ours"/*.so &&
		for plugin in $(slurm_plugin_files); do
			ln -s "$plugin" "$ours/" || return 1
		done
}

# --- what must be so ---

# slurmds do not take jobs of another select plugin.
restart()
{
	slurm_stop_ctld && "$@" && slurm_start_ctld || return 1
	if test "$(scontrol show config | grep -c "^SelectType .*cons_tres")" != \
		"$cons_tres"; then
		cons_tres=$((1 - cons_tres))
		slurm_stop_node n4 && slurm_start_node n4 || return 1
	fi
	wait_for 30 'test "$(node_field n4 State)" = IDLE'
}

none_started()
{
	test "$(starts_of waits)" = 0 && test "$(starts_of holds)" = 0
}

# Twenty submissions, by options and by the environment, arrays and single jobs.
all_refused()
{
	local i cause=$1

	for i in {1..5}; do
		test_must_fail submit -n 1 --gang=r$i --gang-min-member=2 \
			--wrap=true 2>err &&
		grep "gangs are off on this cluster: .*$cause" err &&
		test_must_fail submit -n 1 -a 1-4 --gang=r$i \
			--gang-min-member=4 --wrap=true 2>err &&
		grep "gangs are off on this cluster: .*$cause" err &&
		test_must_fail submit -n 1 -H --gang=r$i 2>err &&
		grep "gangs are off on this cluster: .*$cause" err &&
		test_must_fail env \
			SLURM_SPANK__SLURM_SPANK_OPTION_gang_gang=r$i \
			sbatch -n 1 --wrap=true 2>err &&
		grep "gangs are off on this cluster: .*$cause" err || {
			cat err
			return 1
		}
	done
}

# A queue in every state: two members that gather, a complete gang whose nodes
# are busy, one that holds a node. On the fourth node run the ordinary jobs.
test_expect_success 'gangs in the queue, of each kind' '
	block=$(run_job -w "n[1-2]" --exclusive) &&
	gathers=$(submit -n 1 --gang=gathers --gang-min-member=2 waits.sh) &&
	whole=($(submit -w n1 --exclusive --gang=whole --gang-min-member=2 \
			waits.sh)
		$(submit -w n2 --exclusive --gang=whole waits.sh)) &&
	options="--exclusive --gang=half --gang-mode=nonstrict
		--gang-waiting-time=1-0" &&
	half=($(submit -w n3 $options --gang-min-member=2 holds.sh)
		$(submit -w n2 $options holds.sh)) &&
	wait_for 10 squeue_says $gathers "gathering 1/2" &&
	wait_for 20 "test \$(held_in \${half[@]}) = 1" &&
	wait_for 10 gang_attempted ${whole[0]} 1 &&
	slurm_saved $gathers
'
while IFS='|' read -r name cause; do
	test_expect_success "5.1 5.2 $name: nobody starts" '
		restart $name &&
		wait_for 15 squeue_says ${whole[1]} "slurm-gang is not at work" &&
		waiting=($gathers ${whole[@]} $(pending_of ${half[@]})) &&
		all_in PENDING ${waiting[@]} &&
		for id in ${waiting[@]}; do
			wait_for 10 squeue_says $id \
				"slurm-gang is not at work: " &&
			squeue -h -j $id -o %r | grep "$cause" || return 1
		done &&
		test "$(held_in ${half[@]})" = 1 &&
		none_started
	'
	test_expect_success "5.1 $name: gangs are refused, and the cause is named" '
		all_refused "$cause"
	'
	test_expect_success "5.1 $name: ordinary jobs are as with stock Slurm" '
		id=$(complete_job -w n4 --exclusive --wrap=true) &&
		job_is $block RUNNING &&
		all_in PENDING ${waiting[@]} &&
		test "$(held_in ${half[@]})" = 1 &&
		none_started
	'
	test_expect_success "5.2 $name: with it at work again they are as before" '
		slurm_saved $block &&
		restart repair &&
		wait_for 10 squeue_says $gathers "gathering 1/2" &&
		wait_for 10 "! squeue_says ${whole[0]} \"not at work\"" &&
		test "$(held_in ${half[@]})" = 1 &&
		none_started
	'
done <<'END'
order|it must be first
other_select|SelectType=select/linear
no_select|names no folder that has
later_select|was built for Slurm .*9, and this is
later_both|built for
topology|torus
settings|Gangs
END

test_expect_success '5.2 a member that is released waits on' '
	restart settings &&
	wait_for 15 squeue_says $gathers "slurm-gang is not at work" &&
	scontrol hold $gathers &&
	test_must_fail scontrol release $gathers &&
	job_is $gathers PENDING &&
	none_started
'
test_expect_success '5.2 fixed and reread, without a restart' '
	rm "$conf" &&
	scontrol reconfigure &&
	wait_for 15 "! squeue_says ${whole[0]} \"not at work\"" &&
	scontrol release $gathers &&
	wait_for 10 squeue_says $gathers "gathering 1/2"
'
test_expect_success '5.2 then all of them start together' '
	scancel $block &&
	more=$(submit -n 1 -w n4 --gang=gathers waits.sh) &&
	touch holds.go waits.go &&
	wait_for 60 all_in COMPLETED ${whole[@]} ${half[@]} $gathers $more &&
	started_together ${whole[@]} &&
	started_together ${half[@]} &&
	started_together $gathers $more &&
	ran_once waits 4 &&
	ran_once holds 2
'
test_expect_success '5.1 two folders of PluginDir have slurm-gang: the first is it' '
	mkdir "$slurm_dir/again" &&
	cp -L "$ours"/*.so "$slurm_dir/again/" &&
	slurm_stop_ctld &&
	sed "s|^PluginDir=|&$slurm_dir/again:|" good.conf >"$SLURM_CONF" &&
	slurm_start_ctld &&
	id=$(run_job -N 1 --gang=twice --gang-min-member=1) &&
	drop $id &&
	slurm_stop_ctld &&
	cp good.conf "$SLURM_CONF" &&
	slurm_start_ctld
'
last_case '
	nothing_left "gang: (job of uid 0 refused: )?gangs are off" \
		"slurm-gang was built for another Slurm" \
		"scheduled by Slurm alone" "Incompatible Slurm plugin" \
		"select plugin"
'
