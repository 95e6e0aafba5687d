#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0430-settings.t - gang.conf and topology.conf, good, bad and changed

test_description='Bad settings: the plugin says so once and stays out'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

switches a=n[1-2] b=n[3-4] top:a,b >good.conf
# Slurm takes these, too. The first is no tree of places, the others are.
switches a=n1 b=n[2-3] c=n4 s:a,b t:b,c all:s,t >crossed.conf
switches s1:a,b s2:a,b a=n[1-2] b=n[3-4] >spines.conf
switches a=n[1-2] b=n[2-4] top:a,b >twice.conf

slurm_cluster -n 4 -c 2 --gang --topology good.conf

conf=$slurm_dir/etc/gang.conf
topology=$slurm_dir/etc/topology.conf

# What was logged since mark was called.
mark() { seen=$(wc -l <"$slurm_dir/log/slurmctld.log"); }

logged()
{
	tail -n +$((seen + 1)) "$slurm_dir/log/slurmctld.log" | grep -F "$@"
}

restart()
{
	mark && slurm_stop_ctld && slurm_start_ctld && wait_for 20 nodes_idle
}

# As after an installation: nothing was good before.
restart_anew()
{
	mark && slurm_stop_ctld &&
		rm -f "$slurm_dir"/state/gang_{conf,topology} &&
		slurm_start_ctld && wait_for 20 nodes_idle
}

reread() { mark && scontrol reconfigure && wait_for 10 slurm_ctld_answers; }

# One line, with the file and the line number, and it says what follows.
stays_out()
{
	wait_for 10 logged "error: gang: $1" &&
		test "$(logged -c "error: gang: ")" = 1 &&
		logged "error: gang: $1" | grep -F "scheduled by Slurm alone"
}

stock_only()
{
	local id

	id=$(complete_job -N 4 --exclusive --wrap=true)
}

gang_of_two()
{
	local first second

	first=$(submit -N 1 --exclusive --gang=$1 --gang-min-member=2 \
		--wrap=true) &&
	wait_for 10 squeue_says $first "gathering 1/2" &&
	second=$(submit -N 1 --exclusive --gang=$1 --gang-min-member=2 \
		--wrap=true) &&
	wait_for 20 all_in COMPLETED $first $second
}

# sgang conf ends with that status, and has that setting from that source; with
# status 1 it says the rest on stderr.
in_force()
{
	local code=$1 setting=$2 source=$3 why=$4

	"$sgang" conf >out 2>err
	test $? = "$code" && grep -x "$setting  *# $source" out &&
		if test "$code" = 0; then
			test_must_be_empty err
		else
			test "$(wc -l <err)" = 1 && grep -F "sgang: $why" err
		fi
}

# In hundredths of a second, all threads of slurmctld.
ctld_cpu()
{
	sed 's/.*) //' /proc/$(slurm_pid slurmctld)/stat |
		awk '{ print $12 + $13 }'
}

test_expect_success 'broken before the first gang: the old settings stay' '
	printf "Gangs=perhaps\n" >"$conf" &&
	reread &&
	wait_for 10 logged "error: gang: $conf:1: Gangs: " &&
	gang_of_two early &&
	rm "$conf" &&
	reread
'
test_expect_success 'no gang.conf: the defaults' '
	grep "gang: 4 nodes in 3 domains, gangs on, placement of gangs" \
		"$slurm_dir/log/slurmctld.log" &&
	gang_of_two plain &&
	wait_for 10 in_force 0 Gangs=yes default &&
	! grep -v "# default\$" out
'
test_expect_success '5.1 a gang.conf with an error at a start: the old settings' '
	waits=$(submit -N 1 --exclusive --gang=waits --gang-min-member=2 \
		--wrap=true) &&
	wait_for 10 squeue_says $waits "gathering 1/2" &&
	slurm_saved $waits &&
	printf "# mine\nGangs=yes\nPlaceAll=perhaps\n" >"$conf" &&
	restart &&
	wait_for 10 logged "error: gang: $conf:3: PlaceAll: " &&
	logged "the settings stay as they were" &&
	wait_for 10 in_force 1 Gangs=yes default "$conf:3: PlaceAll: " &&
	gang_of_two again &&
	squeue_says $waits "gathering 1/2" &&
	submit -N 1 --exclusive --gang=waits --wrap=true &&
	wait_state $waits COMPLETED
'
test_expect_success 'a gang.conf with an error at the first start' '
	restart_anew &&
	stays_out "$conf:3: PlaceAll: " &&
	wait_for 10 "\"$sgang\" conf 2>&1 | grep \"gangs and placement are off\"" &&
	"$sgang" conf >out 2>err; test $? = 1 &&
	test_must_be_empty out &&
	grep -F "sgang: gangs and placement are off: $conf:3: PlaceAll: " err
'
test_expect_success 'jobs run as with stock Slurm' 'stock_only'
test_expect_success 'a gang is refused with a sentence' '
	test_must_fail submit -N 1 --gang=refused --wrap=true 2>err &&
	cat err &&
	grep -i gang err
'
test_expect_success 'slurmctld is not busy doing nothing' '
	before=$(ctld_cpu) &&
	id=$(complete_job -N 1 --wrap="sleep 2") &&
	test $(($(ctld_cpu) - before)) -lt 100
'
test_expect_success 'repaired and reread: gangs are on' '
	printf "# mine\nGangs=yes\n" >"$conf" &&
	reread &&
	wait_for 10 logged "gangs on, placement of gangs" &&
	gang_of_two repaired &&
	wait_for 10 in_force 0 Gangs=yes "$conf:2"
'
test_expect_success 'a gang.conf that is broken later: the old settings stay' '
	printf "Gangs=no\nHopCosts=4,1\n" >"$conf" &&
	reread &&
	wait_for 10 logged "error: gang: $conf:2: HopCosts: " &&
	logged "the settings stay as they were" &&
	gang_of_two kept &&
	wait_for 10 in_force 1 Gangs=yes "$conf:2" "$conf:2: HopCosts: "
'
test_expect_success 'a gang.conf that was changed and not read yet' '
	printf "Gangs=yes\n" >"$conf" &&
	reread &&
	wait_for 10 in_force 0 Gangs=yes "$conf:1" &&
	printf "Gangs=yes\nPlaceAll=yes\n" >"$conf" &&
	in_force 1 PlaceAll=no default "$conf was changed since slurmctld" &&
	printf "Gangs=odd\n" >"$conf" &&
	in_force 1 PlaceAll=no default "$conf was changed since slurmctld"
'
# slurmctld may write its file once more, when nodes have registered.
asked_elsewhere()
{
	rm -f "$slurm_dir"/state/gang_settings
	"$sgang" conf >out 2>err && ! test -e "$slurm_dir"/state/gang_settings
}
test_expect_success 'on a host without the files of slurmctld gang.conf does not count' '
	cp "$slurm_dir"/state/gang_settings kept.settings &&
	printf "Gangs=no\n" >"$conf" &&
	wait_for 10 asked_elsewhere &&
	grep -x "Gangs=yes  *# $conf:1" out &&
	test_must_be_empty err &&
	mv kept.settings "$slurm_dir"/state/gang_settings
'
test_expect_success 'a topology.conf that is broken later: the old fabric stays' '
	rm "$conf" &&
	cp crossed.conf "$topology" &&
	reread &&
	wait_for 10 logged "error: gang: $topology:5: " &&
	logged "the fabric stays as it was" &&
	gang_of_two fabric
'
test_expect_success '5.1 a topology.conf with an error at a start: the same' '
	restart &&
	wait_for 10 logged "error: gang: $topology:5: " &&
	logged "the fabric stays as it was" &&
	wait_for 10 in_force 1 Gangs=yes default "$topology:5: " &&
	gang_of_two fabric2
'
test_expect_success 'a topology.conf with an error at the first start' '
	restart_anew &&
	stays_out "$topology:5: " &&
	stock_only
'
test_expect_success 'two spines over all leaves are one' '
	cp spines.conf "$topology" &&
	restart_anew &&
	wait_for 10 logged "gang: 4 nodes in 3 domains" &&
	! logged "error: gang: " &&
	"$sgang" topology >out && grep "^s\[1-2\] " out &&
	gang_of_two spines
'
# Later releases read the settings anew in another process, which says it again, and
# have no place for a job where no switch has a node.
# slurmctld's own topologies are read since 25.05.
once=$topology:1 twice=$topology:2
! slurm_since 25.05 || once="slurmctld's topologies:4" twice="slurmctld's topologies:6"
test_expect_success 'a node in two switches is left out, and the rest counts' '
	cp twice.conf "$topology" &&
	restart_anew &&
	wait_for 10 logged "gang: 4 nodes in 5 domains" &&
	logged "error: gang: $twice: node n2 is on switch b, and on\
 switch a at $once: it is left out" &&
	test "$(logged -c "error: gang: ")" = 1 &&
	gang_of_two twice &&
	reread && wait_for 10 nodes_idle && gang_of_two twice2 &&
	{ ! slurm_release 22.05 || ! logged "error: gang: "; }
'
# It ends slurmctld since 25.11.
slurm_since 25.11 || test_set_prereq NO_SWITCHES
test_expect_success NO_SWITCHES 'a topology.conf of comments alone is one leaf' '
	echo "# later" >"$topology" &&
	restart_anew &&
	wait_for 10 logged "gang: 4 nodes in 1 domains" &&
	! logged "error: gang: " &&
	{ ! slurm_release 22.05 || gang_of_two later; }
'
test_expect_success 'a gang.conf that is no file' '
	cp good.conf "$topology" &&
	mkdir "$conf" &&
	restart_anew &&
	stays_out "$conf: " &&
	stock_only &&
	rmdir "$conf"
'
test_expect_success 'TopologyFile= that is not there' '
	echo "TopologyFile=\"$PWD/none.conf\"" >"$conf" &&
	restart_anew &&
	stays_out "$PWD/none.conf" &&
	stock_only
'
test_expect_success 'TopologyFile= that is: Slurm reads its own' '
	echo "SwitchName=all Nodes=n[1-4]" >one.conf &&
	echo "TopologyFile=\"$PWD/one.conf\"" >"$conf" &&
	reread &&
	wait_for 10 logged "4 nodes in 1 domains" &&
	gang_of_two own
'
test_expect_success '4.27 TopologyFile= that is a topology.yaml' '
	yaml_tree switches top:s[1-2] s1=n[1-2] s2=n[3-4] >two.yaml &&
	yaml_blocks racks 1 r1=n1 r2=n[2-3] >>two.yaml &&
	echo "TopologyFile=\"$PWD/two.yaml\"" >"$conf" &&
	reread &&
	wait_for 10 logged "4 nodes in 3 domains" &&
	gang_of_two yaml
'
test_expect_success '4.27 TopologyName= chooses; n4 is in no block' '
	echo "TopologyName=racks" >>"$conf" &&
	reread &&
	wait_for 10 logged "4 nodes in 5 domains" &&
	gang_of_two name
'
test_expect_success '4.27 a child of a topology.yaml that is not there' '
	sed "s/s\[1-2\]/s[1-3]/" two.yaml >bad.yaml &&
	echo "TopologyFile=\"$PWD/bad.yaml\"" >"$conf" &&
	reread &&
	wait_for 10 logged "error: gang: $PWD/bad.yaml:4: switch top has the child s3" &&
	logged "the fabric stays as it was" &&
	gang_of_two kept2 &&
	restart_anew &&
	stays_out "$PWD/bad.yaml:4: " &&
	stock_only
'
test_expect_success '4.14 NVLinkDomain= lines, and one that crosses leaf switches' '
	echo "NVLinkDomain=nv Nodes=n[1-2]" >"$conf" &&
	reread &&
	wait_for 10 logged "4 nodes in 6 domains" &&
	gang_of_two nvlink &&
	echo "NVLinkDomain=nv Nodes=n[2-3]" >"$conf" &&
	reread &&
	wait_for 10 logged "error: gang: $conf:1: NVLink domain nv has" &&
	logged "on switch b at $topology:2" &&
	gang_of_two kept3
'
test_expect_success '4.19 Placement=no: gangs start together, no fabric is read' '
	printf "Placement=no\n" >"$conf" &&
	reread &&
	wait_for 10 logged "gangs on, placement off" &&
	gang_of_two together
'
test_expect_success '4.19 PlaceAll=yes' '
	printf "PlaceAll=yes\n" >"$conf" &&
	reread &&
	wait_for 10 logged "gangs on, placement of all jobs" &&
	stock_only &&
	gang_of_two placed
'
test_expect_success '4.19 Gangs=no: a waiting member goes on waiting' '
	id=$(submit -N 1 --gang=lonely --gang-min-member=2 --wrap=true) &&
	wait_for 10 squeue_says $id "gathering 1/2" &&
	printf "Gangs=no\n" >"$conf" &&
	reread &&
	wait_for 10 logged "gangs off" &&
	wait_for 10 squeue_says $id "Gangs=no in gang.conf" &&
	complete_job -N 1 --wrap=true && all_in PENDING $id
'
test_expect_success '4.19 Gangs=no: so it does after a restart of slurmctld' '
	restart &&
	wait_for 10 squeue_says $id "Gangs=no in gang.conf" &&
	complete_job -N 1 --wrap=true && all_in PENDING $id
'
test_expect_success '4.19 Gangs=yes again: the gang goes on' '
	printf "Gangs=yes\n" >"$conf" &&
	reread &&
	wait_for 10 squeue_says $id "gathering 1/2" &&
	late=$(submit -N 1 --gang=lonely --wrap=true) &&
	wait_for 20 all_in COMPLETED $id $late
'
test_expect_success 'nothing is left but the errors that were asked for' '
	nothing_left "gang: .*(scheduled by Slurm alone|stay.* as .* w)" \
		"gang: job of uid 0 refused: gangs are off" \
		"gang: .*: it is left out of the fabric" \
		"No switches configured" \
		"WARNING: Multiple leaf switches contain nodes"
'

test_done
