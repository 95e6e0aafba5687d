#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0580-install-check.t - contrib/install-check, on a good cluster and on bad ones

test_description='An admin is told what is set up wrong, and how to fix it'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

switches a=n[1-2] b=n[3-4] top:a,b >tree.conf

slurm_setup -n 4 -c 2 --gang --topology tree.conf \
	--conf 'SlurmctldDebug=info'
PATH=$PWD/stubs:$top_builddir/src/cmd:$PATH
conf=$slurm_dir/etc/gang.conf
version=$(slurmctld -V)
version=${version##* } version=${version%%-*}
release=${version%.*} micro=${version##*.}
# As long as it is: it takes its place in a plugin.
other=${micro%?}$(((${micro: -1} + 1) % 10))
lib=$slurm_dir/lib
plugstack=$slurm_dir/etc/plugstack.conf

# Files, not links, so that they can be replaced while they are in use.
for file in "$lib"/*.so; do
	cp --remove-destination "$(readlink -f "$file")" "$file"
done
mkdir stubs saved
cp "$slurm_dir"/etc/*.conf saved/
slurm_start

check()
{
	"$top_srcdir/contrib/install-check" >out 2>&1
	code=$?
	cat out
	return $code
}

# The check fails for this reason alone, and the next line says what to do.
only_failure()
{
	check && return 1
	test "$(grep -c ^FAIL out)" = 1 &&
		grep -F -A 1 -e "$1" out >found &&
		sed -n 1p found | grep ^FAIL &&
		sed -n 2p found | grep -F -e "$2" &&
		grep '^[0-9]* OK, [0-9]* WARN, 1 FAIL$' out
}

restart() { slurm_stop_ctld && slurm_start_ctld && wait_for 20 nodes_idle; }

# All files as they were, and slurmctld reads them.
mend() { cp saved/*.conf "$slurm_dir/etc/" && rm -f "$conf" && restart; }
sed_conf() { sed -i "$@" "$SLURM_CONF"; }

test_expect_success 'a good cluster: only OK, on one screen' '
	check &&
	! grep -v -e "^OK    " -e "^[0-9]* OK, 0 WARN, 0 FAIL\$" out &&
	test $(grep -c ^OK out) = 14 &&
	test $(wc -l <out) -le 24 &&
	grep "has loaded $lib/select_cons_tres.so" out
'
test_expect_success 'it changes nothing, and uses up no number of a job' '
	first=$(submit --hold) &&
	touch mark &&
	check &&
	test -z "$(find "$slurm_dir/etc" "$slurm_dir/out" -newer mark)" &&
	second=$(submit --hold) &&
	test $second = $((first + 1)) &&
	scancel $first $second
'
test_expect_success 'an option is wrong usage' '
	test_must_fail "$top_srcdir/contrib/install-check" --now >usage &&
	grep "FAIL" usage
'
test_expect_success 'on another host what can be seen there is checked' '
	printf "#!/bin/sh\necho elsewhere\n" >stubs/uname &&
	chmod 755 stubs/uname &&
	check &&
	rm stubs/uname &&
	grep "on a host of slurmctld alone" out &&
	! grep select_cons_tres.so out
'
test_expect_success 'a node that no switch has' '
	sed -i "s/n\[3-4\]/n3/" "$slurm_dir/etc/topology.conf" &&
	check &&
	grep -A 1 "^WARN  in no switch or block of .*/topology.conf: n4\$" out |
		grep "name them there" &&
	cp saved/topology.conf "$slurm_dir/etc/"
'
test_expect_success 'a topology with a mistake' '
	echo "SwitchName=c Nodes=n[" >>"$slurm_dir/etc/topology.conf" &&
	only_failure "$slurm_dir/etc/topology.conf:4: " "fix it" &&
	cp saved/topology.conf "$slurm_dir/etc/"
'
test_expect_success 'a TopologyFile that is not there' '
	echo "TopologyFile=/nowhere/topology.yaml" >"$conf" &&
	only_failure "/nowhere/topology.yaml cannot be read" "put it there" &&
	rm "$conf"
'
test_expect_success 'TopologyFile: a topology.yaml with all nodes' '
	yaml_tree default,default top:a,b a=n[1-2] b=n[3-4] >topology.yaml &&
	echo "TopologyFile=\"$PWD/topology.yaml\"" >"$conf" &&
	check &&
	grep "OK    $PWD/topology.yaml is valid and has all nodes" out &&
	rm "$conf"
'
# As slurmctld would answer on a later release: answers SED-SCRIPT
answers()
{
	printf '#!/bin/sh\n%s "$@" | sed -E "%s"\n' "$(command -v scontrol)" \
		"$1" >stubs/scontrol && chmod 755 stubs/scontrol
}

test_expect_success 'topology/block: topology.conf has blocks' '
	cat >"$slurm_dir/etc/topology.conf" <<-END &&
	BlockName=b1 Nodes=n[1-2]
	BlockName=b2 Nodes=n3
	BlockSizes=2
	END
	answers "s|^(TopologyPlugin .*)topology/tree|\\1topology/block|" &&
	check &&
	rm stubs/scontrol &&
	grep "^WARN  in no switch or block of .*/topology.conf: n4\$" out &&
	cp saved/topology.conf "$slurm_dir/etc/"
'
test_expect_success 'a topology.yaml beside slurm.conf counts from 25.05 on' '
	cp topology.yaml "$slurm_dir/etc/" &&
	answers "s|^(SLURM_VERSION .*= ).*|\\124.11.5|" &&
	check || : &&
	rm stubs/scontrol &&
	grep "OK    .*/etc/topology.conf is valid" out &&
	answers "s|^(SLURM_VERSION .*= ).*|\\125.05.1|" &&
	check || : &&
	rm stubs/scontrol &&
	grep "OK    .*/etc/topology.yaml is valid" out &&
	rm "$slurm_dir/etc/topology.yaml"
'
test_expect_success 'gang.conf with a mistake: file, line and what to do' '
	printf "Gangs=yes\nPlaceAll=perhaps\n" >"$conf" &&
	only_failure "$conf:2: PlaceAll: " "scontrol reconfigure"
'
test_expect_success '5.1 the same at a start: the settings from before hold' '
	restart &&
	only_failure "$conf:2: PlaceAll: " "scontrol reconfigure"
'
test_expect_success 'at the first start: slurmctld stays out, and its log says so' '
	slurm_stop_ctld &&
	rm -f "$slurm_dir"/state/gang_{conf,topology} &&
	slurm_start_ctld && wait_for 20 nodes_idle &&
	check || : &&
	grep -A 1 "^FAIL  slurmctld.s log: $conf:2: .*scheduled by Slurm alone" \
		out | grep "scontrol reconfigure" &&
	grep "^FAIL  gangs are off on this cluster: $conf:2: " out &&
	mend &&
	check
'
test_expect_success 'a gang.conf that slurmctld cannot read: one cause, one FAIL' '
	slurm_stop_ctld &&
	rm -f "$slurm_dir"/state/gang_{conf,topology} &&
	ln -s gang.conf "$conf" &&
	slurm_start_ctld && wait_for 20 nodes_idle &&
	rm "$conf" && (umask 077 && echo "Gangs=yes" >"$conf") &&
	answers "s|^(SlurmUser .*= ).*|\\1nobody(65534)|" &&
	only_failure "$conf cannot be read by nobody, who runs slurmctld" \
		"chmod a+r $conf, then scontrol reconfigure" &&
	sh -c "$(sed -n "s/^ *\(chmod .*\), then.*/\1/p" out)" &&
	scontrol reconfigure &&
	wait_for 10 slurm_ctld_answers &&
	check &&
	rm stubs/scontrol && hash -r && mend && check
'
test_expect_success 'files that root can read and users cannot' '
	chmod go-r "$plugstack" &&
	only_failure "$plugstack cannot be read by users" "chmod a+r $plugstack" &&
	sh -c "$(sed -n "s/^ *\(chmod .*\)/\1/p" out)" && check &&
	chmod go-x "$lib" &&
	only_failure "$lib/gang.so cannot be read by users" "chmod a+x $lib" &&
	sh -c "$(sed -n "s/^ *\(chmod .*\)/\1/p" out)" && check &&
	chmod go-x "$slurm_dir/etc" &&
	answers "s|^(SlurmUser .*= ).*|\\1nobody(65534)|" &&
	only_failure "$SLURM_CONF cannot be read by users" \
		"chmod a+x $slurm_dir/etc" &&
	rm stubs/scontrol && hash -r &&
	sh -c "$(sed -n "s/^ *\(chmod .*\)/\1/p" out)" && check
'
# warned TEXT CURE: a WARN with this text, and the next line with this one
warned()
{
	grep -F -A 1 -e "$1" out >found &&
		sed -n 1p found | grep ^WARN && sed -n 2p found | grep -F -e "$2"
}
reconfigure() { scontrol reconfigure && wait_for 10 slurm_ctld_answers; }

test_expect_success 'files that were changed since slurmctld has read them' '
	echo "PlaceAll=yes" >"$conf" &&
	check &&
	warned "$conf was changed since slurmctld has read it" \
		"scontrol reconfigure" &&
	reconfigure && check && grep " 0 WARN, 0 FAIL" out &&
	rm "$conf" && check &&
	warned "$conf was changed since" "scontrol reconfigure" &&
	reconfigure && check && grep " 0 WARN, 0 FAIL" out &&
	echo "# of the second floor" >>"$slurm_dir/etc/topology.conf" &&
	check &&
	warned "topology.conf was changed since" "scontrol reconfigure" &&
	cp saved/topology.conf "$slurm_dir/etc/" &&
	cp "$top_srcdir/topology/cpu-2socket.xml" "$slurm_dir/out/node.xml" &&
	echo "NodeTopology=n1 Hwloc=$slurm_dir/out/node.xml" >"$conf" &&
	reconfigure && touch -d "now + 1 minute" "$slurm_dir/out/node.xml" && check &&
	warned "$slurm_dir/out/node.xml was changed since" "scontrol reconfigure" &&
	rm "$conf" && mend && check && grep " 0 WARN, 0 FAIL" out
'
# Since 23.11 a reconfiguration starts another slurmctld.
after=3
! slurm_since 23.11 || after=0
test_expect_success 'each error of ours since the start is a WARN with its cure' '
	cat >"$conf" <<-END &&
	NodeTopology=n[1-2] Hwloc=$top_srcdir/topology/cpu-2socket.xml
	MetricsFile=$slurm_dir/out/nothing/metrics
	PartitionTopology=nobody:default
	END
	reconfigure &&
	wait_for 30 grep "error: gang: MetricsFile: " "$slurm_dir/log/slurmctld.log" &&
	check &&
	test $(grep -c "^WARN  slurmctld.s log, \[.*\]: " out) = 3 &&
	warned "node n1 and 1 others count as one island each" \
		"sgang topology collect" &&
	warned "MetricsFile: " "write to $slurm_dir/out/nothing, or name another" &&
	warned "there is no partition nobody; the rest of it counts" \
		"correct the name in $conf, then scontrol reconfigure" &&
	mkdir "$slurm_dir/out/nothing" && rm "$conf" && reconfigure && check &&
	test $(grep -c "^WARN  slurmctld.s log, \[.*\]: " out) = $after &&
	restart && check && grep " 0 WARN, 0 FAIL" out
'
test_expect_success 'so where slurmctld logs nothing but errors' '
	sed_conf "s/^SlurmctldDebug=.*/SlurmctldDebug=error/" &&
	mv "$slurm_dir/log/slurmctld.log" full.log &&
	echo "PartitionTopology=nobody:default" >"$conf" &&
	restart && check &&
	warned "there is no partition nobody" "correct the name" &&
	ended=$EPOCHSECONDS && wait_for 5 "test \$EPOCHSECONDS -gt $((ended + 2))" &&
	rm "$conf" && restart && check &&
	grep "error: gang: .*nobody" "$slurm_dir/log/slurmctld.log" &&
	grep " 0 WARN, 0 FAIL" out &&
	cat full.log "$slurm_dir/log/slurmctld.log" >all.log &&
	mv all.log "$slurm_dir/log/slurmctld.log" && mend && check
'
test_expect_success 'a key of ours that slurm.conf has twice' '
	echo "JobSubmitPlugins=gang" >>"$SLURM_CONF" &&
	check &&
	warned "$SLURM_CONF has JobSubmitPlugins more than once, and the last one counts: gang" \
		"make one line of them" &&
	test $(grep -c ^WARN out) = 1 &&
	cp saved/slurm.conf "$slurm_dir/etc/"
'
test_expect_success 'a log that cannot be read here' '
	answers "s|^(SlurmctldLogFile .*= ).*|\\1(null)|" &&
	check && rm stubs/scontrol && hash -r &&
	warned "log cannot be read here: SlurmctldLogFile=(null)" \
		"journalctl -u slurmctld"
'
test_expect_success 'gangs are switched off' '
	echo "Gangs=no" >"$conf" &&
	scontrol reconfigure &&
	wait_for 10 slurm_ctld_answers &&
	check &&
	grep -A 1 "^WARN  gangs are switched off" out | grep "Gangs=yes in $conf" &&
	rm "$conf" &&
	scontrol reconfigure &&
	wait_for 10 slurm_ctld_answers
'
test_expect_success 'a description of nodes that is there, and one that is not' '
	cat >"$conf" <<-END &&
	NodeTopology=n[1-2] Hwloc=$top_srcdir/topology/cpu-2socket.xml
	END
	check &&
	grep "OK    NodeTopology: 1 " out &&
	echo "NodeTopology=n[3-4] Hwloc=/nowhere/n.xml" >>"$conf" &&
	only_failure "/nowhere/n.xml" "fix the line" &&
	rm "$conf"
'
test_expect_success 'no line for gang.so in plugstack.conf' '
	: >"$plugstack" &&
	only_failure "$plugstack has no line for gang.so" \
		"add \"optional $lib/gang.so\"" &&
	cp saved/plugstack.conf "$plugstack"
'
test_expect_success 'plugstack.conf names a file that is not there' '
	echo "optional /nowhere/gang.so" >"$plugstack" &&
	only_failure "names /nowhere/gang.so" "install slurm-gang-client" &&
	cp saved/plugstack.conf "$plugstack"
'
test_expect_success 'the line stands in a file that plugstack.conf includes' '
	mkdir -p "$slurm_dir/etc/plugstack.d" &&
	echo "include $slurm_dir/etc/plugstack.d/*.conf" >"$plugstack" &&
	cp saved/plugstack.conf "$slurm_dir/etc/plugstack.d/gang.conf" &&
	check &&
	cp saved/plugstack.conf "$plugstack"
'
test_expect_success 'plugstack.conf beside slurm.conf, which does not name it' '
	sed_conf "s/^PlugStackConfig=.*//" &&
	restart &&
	check &&
	grep "^OK    $plugstack: " out &&
	rm "$plugstack" &&
	only_failure "$plugstack has no line for gang.so" "to $plugstack" &&
	cp saved/plugstack.conf "$plugstack" &&
	mend
'
test_expect_success 'a node with another Slurm' '
	printf "#!/bin/sh\n%s \"\$@\" | sed %s\n" "$(command -v sinfo)" \
		"\"s/^n3 $release/n3 99.11/\"" >stubs/sinfo &&
	chmod 755 stubs/sinfo &&
	check &&
	rm stubs/sinfo &&
	grep -A 1 "^WARN  nodes with another Slurm: n3 (99.11.$micro.*)\$" out |
		grep "install slurm-gang-client"
'
test_expect_success 'a plugin that was replaced since slurmctld was started' '
	cp "$lib/select_cons_tres.so" new &&
	mv new "$lib/select_cons_tres.so" &&
	only_failure "was replaced since" "restart slurmctld" &&
	restart &&
	check
'
test_expect_success 'plugins for another Slurm' '
	cp "$lib/job_submit_gang.so" good.so &&
	sed "s/\(slurm-gang for Slurm $release.\)$micro/\1$other/" good.so >new &&
	mv new "$lib/job_submit_gang.so" &&
	only_failure "job_submit_gang.so is built for Slurm $release.$other" \
		"build slurm-gang for Slurm $release.$micro" &&
	mv good.so "$lib/job_submit_gang.so" &&
	check
'
test_expect_success 'JobSubmitPlugins without gang' '
	sed_conf "s/^JobSubmitPlugins=.*//" &&
	restart &&
	only_failure "JobSubmitPlugins=" "add gang to JobSubmitPlugins=" &&
	mend
'
test_expect_success 'slurm.conf has it, and slurmctld was not started since' '
	sed_conf -e "s/^JobSubmitPlugins=.*//" \
		-e "s|^SelectType=.*|SelectType=select/linear|" \
		-e "s|^TopologyPlugin=.*|TopologyPlugin=topology/none|" \
		-e "s/^SelectTypeParameters=.*/SelectTypeParameters=CR_Memory/" &&
	restart && cp saved/slurm.conf "$slurm_dir/etc/" &&
	check || : &&
	grep -A 1 "^FAIL  JobSubmitPlugins=(null) is still in force: slurm.conf has gang" \
		out | grep "^      restart slurmctld\$" &&
	grep -A 1 "^FAIL  SelectType=select/linear is still in force" out |
		grep "let all jobs end, restart slurmctld" &&
	mend && check
'
test_expect_success 'the stock plugin stands in front' '
	sed_conf "s|^PluginDir=.*|PluginDir=$slurm_stock:$lib|" &&
	restart &&
	check || : &&
	grep -A 1 "^FAIL  $slurm_stock/select_cons_tres.so is found first" out |
		grep "put $lib in front in PluginDir=" &&
	grep "^FAIL  slurmctld (pid [0-9]*) has not loaded our select plugin" \
		out &&
	grep -A 1 "^FAIL  gangs are off .*it must be first\$" out |
		grep "first in PluginDir= of slurm.conf, restart slurmctld" &&
	! grep -e "scontrol reconfigure" -e "its administrator" out &&
	mend
'
test_expect_success 'PluginDir without us' '
	sed_conf "s|^PluginDir=.*|PluginDir=$slurm_stock|" \
		-e "s/^JobSubmitPlugins=.*//" &&
	restart &&
	check || : &&
	grep "^FAIL  .*select_cons_tres.so" out &&
	mend
'
test_expect_success 'another select plugin' '
	sed_conf -e "s|^SelectType=.*|SelectType=select/linear|" \
		-e "s|^TopologyPlugin=.*|TopologyPlugin=topology/none|" \
		-e "s/^SelectTypeParameters=.*/SelectTypeParameters=CR_Memory/" &&
	restart &&
	check || : &&
	grep -A 1 "^FAIL  SelectType=select/linear" out |
		grep "SelectType=select/cons_tres, restart" &&
	test $(grep -c ^FAIL out) = 1 && ! grep "^WARN  slurmctld.s log" out &&
	! grep "scontrol reconfigure" out &&
	mend
'
test_expect_success 'a folder of PluginDir that this host does not have' '
	sed "s|^PluginDir=|PluginDir=/nowhere/gang:|" "$SLURM_CONF" >other.conf &&
	SLURM_CONF=$PWD/other.conf only_failure "PluginDir names /nowhere/gang," \
		"mkdir -p /nowhere/gang"
'
test_expect_success 'no topology at all' '
	sed_conf "s|^TopologyPlugin=.*|TopologyPlugin=topology/none|" &&
	restart &&
	check &&
	grep -A 1 "^WARN  no topology" out | grep "TopologyFile= in gang.conf" &&
	mend
'
test_expect_success 'a slurmctld that does not run' '
	slurm_stop_ctld &&
	only_failure "slurmctld does not answer" "start slurmctld" &&
	sed_conf "s|^JobSubmitPlugins=.*|JobSubmitPlugins=gang,nonsense|" &&
	! timeout 30 slurmctld -D >died 2>&1 &&
	only_failure "slurmctld does not answer; its log ends with: fatal: " \
		"fix it, then start slurmctld" &&
	cp saved/slurm.conf "$slurm_dir/etc/" &&
	slurm_start_ctld &&
	wait_for 20 nodes_idle
'
# Without slurmctld, what its log says counts, and what files say. A clause of
# its own ends with "start slurmctld" where that cures it.
no_answer()
{
	check && return 1
	sed -n "1p" out | grep "^FAIL  slurmctld does not answer" &&
		test $(grep -c ^FAIL out) = $1 && ! grep "scontrol reconfigure" out
}
then_fail()
{
	grep -F -A 1 -e "$1" out >found &&
		sed -n 1p found | grep ^FAIL && sed -n 2p found | grep -F -e "$2"
}
test_expect_success 'slurmctld is down: the cure is named as if it ran' '
	slurm_stop_ctld &&
	sed_conf "s/^SlurmUser=.*//" &&
	echo "SlurmUser=nobody" >>"$SLURM_CONF" &&
	no_answer 1 && grep "job_submit_gang.so is ours" out &&
	chmod 700 "$lib" && no_answer 2 &&
	then_fail "$lib/select_cons_tres.so cannot be read by nobody, who runs" \
		"chmod a+rx $lib, then start slurmctld" &&
	chmod 755 "$lib" &&
	chmod 600 "$SLURM_CONF" && no_answer 2 &&
	then_fail "$SLURM_CONF cannot be read by nobody, who runs slurmctld" \
		"chmod a+r $SLURM_CONF, then start slurmctld" &&
	chmod 644 "$SLURM_CONF" &&
	chmod 600 "$lib/job_submit_gang.so" && no_answer 2 &&
	then_fail "$lib/job_submit_gang.so cannot be read by nobody" \
		"chmod a+r $lib/job_submit_gang.so, then start slurmctld" &&
	chmod 755 "$lib/job_submit_gang.so" &&
	printf "Gangs=yes\nPlaceAll=perhaps\n" >"$conf" && no_answer 2 &&
	then_fail "$conf:2: PlaceAll: " "fix it, then start slurmctld" &&
	rm "$conf" && no_answer 1
'
test_expect_success 'so where it died of a plugin that is missing' '
	cp saved/slurm.conf "$slurm_dir/etc/" &&
	mv "$lib/job_submit_gang.so" good.so &&
	! timeout 30 slurmctld -D >died 2>&1 &&
	no_answer 2 &&
	sed -n 1p out | grep "its log ends with: fatal: .*job_submit" &&
	then_fail "no folder of PluginDir has our job_submit_gang.so" \
		"install slurm-gang-plugins" &&
	mv good.so "$lib/job_submit_gang.so" &&
	sed_conf "s|^SelectType=.*|SelectType=select/linear|" && no_answer 2 &&
	then_fail "SelectType=select/linear" "set SelectType=select/cons_tres" &&
	cp saved/slurm.conf "$slurm_dir/etc/" &&
	grep PluginDir= "$SLURM_CONF" >"$slurm_dir/etc/dirs.conf" &&
	sed_conf "s/^PluginDir=.*/Include dirs.conf/" && no_answer 1 &&
	cp saved/slurm.conf "$slurm_dir/etc/" &&
	slurm_start_ctld && wait_for 20 nodes_idle && check
'
last_case '
	check &&
	nothing_left "gang: " "fatal: " "nonsense" "job_submit"
'
