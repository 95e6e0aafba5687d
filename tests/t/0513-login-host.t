#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0513-login-host.t - sgang where there is no gang.conf and no topology file
#
# A login host is a folder with slurm.conf alone. A configless host is a mount
# namespace, where nothing is in /etc/slurm and /run but what slurmd puts there.

test_description='Other hosts draw and count by what is in force in slurmctld'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

switches a=n[1-2] b=n[3-4] top:a,b >tree.conf

slurm_setup -n 4 -c 2 --gang --topology tree.conf \
	--conf 'SlurmctldParameters=enable_configless' \
	--gang-conf 'LevelNames=island,node,rack,row HopCosts=1,2,8,32'
sed -i '/^PlugStackConfig=/d' "$SLURM_CONF"
# As the packages do it: the line stands in a file that each host has.
mv "$slurm_dir/etc/plugstack.conf" "$slurm_dir/lib/gang-client.conf"
echo "include $slurm_dir/lib/gang-*.conf" >"$slurm_dir/etc/plugstack.conf"
PATH=$PWD/stubs:$top_builddir/src/cmd:$PATH
conf=$slurm_dir/etc/gang.conf
login=$slurm_dir/out/login
mkdir "$login" stubs
cp "$SLURM_CONF" "$slurm_dir/etc/plugstack.conf" "$login/"
slurm_start
users_setup

at_login() { SLURM_CONF=$login/slurm.conf "$@"; }

# Begin a host without files. Its first process goes on as COMMAND does.
hidden()
{
	env -u SLURM_CONF dir="$slurm_dir" unshare --mount bash -c '
		mount -t tmpfs tmpfs /run &&
		mkdir /run/munge /run/slurm &&
		ln -s "$dir/run/munge.sock" /run/munge/munge.socket.2 &&
		{ ! test -d /etc/slurm || mount -t tmpfs tmpfs /etc/slurm; } &&
		mount -t tmpfs tmpfs "$dir/etc" &&
		mount -t tmpfs tmpfs "$dir/state" &&
		exec "$@"' hidden "$@"
}

unshare --mount true 2>/dev/null && test_set_prereq MOUNT
command -v sackd >/dev/null && test_set_prereq SACKD
test -e "$slurm_stock/job_submit_lua.so" && test_set_prereq LUA

begin_configless()
{
	slurm_stop_node n4 &&
	hidden slurmd -N n4 --conf-server "127.0.0.1:$slurm_port" &&
	wait_for 20 slurm_alive n4 &&
	wait_for 20 nodes_are_back
}
nodes_are_back() { sinfo -h -n n4 -t idle -o %N | grep n4; }

on_node()
{
	nsenter --mount --root --target "$(slurm_pid n4)" \
		env -C / -u SLURM_CONF "$@"
}

restart() { slurm_stop_ctld && slurm_start_ctld && wait_for 20 nodes_are_back; }

# What is told on slurmctld's host, in each of these verbs.
verbs='conf topology explain'
expect()
{
	for verb in $verbs; do
		sgang $verb $(test $verb != explain || echo root/train) \
			>$verb.expected || return 1
	done
}
# The same on another host: same_by COMMAND... in front of sgang
same_by()
{
	for verb in $verbs; do
		"$@" sgang $verb $(test $verb != explain || echo root/train) \
			>out 2>err &&
		test_cmp $verb.expected out && test_must_be_empty err ||
			return 1
	done
}

gang_of_three()
{
	for i in 1 2 3; do
		id=$(submit -N1 --exclusive --gang=train --gang-min-member=3) ||
			return 1
	done
	wait_state $id RUNNING
}

test_expect_success 'a gang over two racks; its host calls them so' '
	gang_of_three &&
	expect &&
	grep "costs row 32, rack 8," topology.expected &&
	grep "Hops=rack:1,row:2" explain.expected &&
	grep "gang.conf:1" conf.expected
'
test_expect_success '4.14, 4.27 a host with slurm.conf alone says the same' '
	same_by at_login
'
! as $alice sbatch --version >/dev/null 2>&1 || test_set_prereq USERS
test_expect_success USERS 'so does any user' '
	for verb in topology conf; do
		as $alice env SLURM_CONF="$login/slurm.conf" \
			"$sgang" $verb >out 2>err &&
		test_cmp $verb.expected out && test_must_be_empty err ||
			return 1
	done
'
test_expect_success 'files that slurmctld has not read change nothing' '
	cp "$conf" good.conf &&
	echo "LevelNames=island,node,shelf HopCosts=1,2,3" >"$conf" &&
	mv "$slurm_dir/etc/topology.conf" good.topology &&
	verbs="topology explain" same_by &&
	verbs="topology explain" same_by at_login &&
	test_expect_code 1 sgang conf >out 2>err &&
	test_cmp conf.expected out &&
	grep "$conf was changed since slurmctld has read it" err &&
	cp good.conf "$conf" &&
	cp good.topology "$slurm_dir/etc/topology.conf"
'
test_expect_success '--conf counts where it is given' '
	echo "LevelNames=island,node,shelf,hall HopCosts=1,2,3,4" >other.conf &&
	cp tree.conf topology.conf &&
	at_login sgang topology --conf=other.conf >out &&
	grep "hall 4, shelf 3" out
'
test_expect_success MOUNT 'a configless node: the same, without SLURM_CONF' '
	begin_configless &&
	on_node test ! -e "$slurm_dir/etc/slurm.conf" &&
	same_by on_node
'
test_expect_success MOUNT 'a host without any file that asks SLURM_CONF_SERVER' '
	same_by hidden env SLURM_CONF_SERVER=127.0.0.1:$slurm_port
'
test_expect_success MOUNT,SACKD 'a login host with sackd' '
	hidden bash -c "sackd -D --conf-server 127.0.0.1:$slurm_port &
		for i in {1..300}; do
			test ! -e /run/slurm/conf/slurm.conf || break
			sleep 0.1
		done
		sgang topology
		kill \$! && wait \$!" >out 2>err || : &&
	test_cmp topology.expected out
'

# As the host of a node: install-check must not take it for slurmctld's.
check_elsewhere()
{
	printf '#!/bin/sh\necho elsewhere\n' >stubs/uname &&
	chmod 755 stubs/uname
	"$@" "$top_srcdir/contrib/install-check" >out 2>&1
	code=$?
	rm stubs/uname
	cat out
	return $code
}

test_expect_success 'install-check on the login host: no FAIL, no WARN' '
	check_elsewhere at_login &&
	grep "OK    slurmctld says what is in force" out &&
	grep "OK    $login/plugstack.conf: " out &&
	grep " 0 WARN, 0 FAIL" out
'
test_expect_success MOUNT 'nor on the configless host' '
	check_elsewhere on_node &&
	grep "OK    /run/slurm/conf/plugstack.conf: " out &&
	grep " 0 WARN, 0 FAIL" out
'

test_expect_success MOUNT 'nor where SLURM_CONF_SERVER is all there is' '
	check_elsewhere hidden env SLURM_CONF_SERVER=127.0.0.1:$slurm_port &&
	grep "OK    sbatch has --gang, by the plugstack.conf of 127.0.0.1:$slurm_port" \
		out &&
	grep " 0 WARN, 0 FAIL" out
'
# The host has the folder of our package, and nothing in it.
bare()
{
	hidden bash -c '
		mount -t tmpfs tmpfs "$dir/lib" && exec "$@"' bare "$@"
}
test_expect_success MOUNT 'without our package there: what to install' '
	check_elsewhere bare env SLURM_CONF_SERVER=127.0.0.1:$slurm_port || : &&
	grep -A 1 "^FAIL  sbatch has no --gang with SLURM_CONF_SERVER=" out |
		grep "install slurm-gang-client on this host" &&
	test $(grep -c ^FAIL out) = 1
'
test_expect_success MOUNT 'slurmctld is told of nodes without it, by --nodes' '
	clear_cluster && "$top_srcdir/contrib/install-check" --nodes >out &&
	grep "^OK    4 nodes that are idle have $slurm_dir/lib/gang.so" out &&
	slurm_stop_node n4 && bare slurmd -N n4 --conf-server "127.0.0.1:$slurm_port" &&
	wait_for 20 slurm_alive n4 && wait_for 20 nodes_are_back &&
	"$top_srcdir/contrib/install-check" --nodes >out &&
	grep -A 1 "^WARN  nodes without $slurm_dir/lib/gang.so: n4\$" out |
		grep "install slurm-gang-client there" &&
	begin_configless && gang_of_three && expect
'
# One line says why, and explain goes on with what there is.
warns()
{
	at_login sgang explain root/train >out 2>err &&
	cat out err &&
	test $(wc -l <err) = 1 &&
	grep -F "slurmctld does not say what is in force ($1" err
}

test_expect_success LUA 'a job_submit.lua that refuses it: the cause is told' '
	cat >"$slurm_dir/etc/job_submit.lua" <<-END &&
	function slurm_job_submit(job_desc, part_list, submit_uid)
	    if job_desc.account == nil then
	        slurm.log_user("say --account")
	        return slurm.ERROR
	    end
	    return slurm.SUCCESS
	end
	function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
	    return slurm.SUCCESS
	end
	END
	sed -i "s/^JobSubmitPlugins=.*/JobSubmitPlugins=lua,gang/" "$SLURM_CONF" &&
	restart &&
	warns "say --account" &&
	check_elsewhere at_login &&
	grep "^WARN  a plugin in front of gang .*: sbatch: error: say --acc" \
		out &&
	grep "^WARN  slurmctld does not say what is in force (say --acc" out
'
test_expect_success LUA 'one that lets questions pass, as doc/site.md has it' '
	cp "$slurm_dir/etc/job_submit.lua" strict.lua &&
	sed -n "/^\`\`\`lua\$/,/^\`\`\`\$/p" "$top_srcdir/doc/site.md" |
		grep -v "^\`\`\`" >question.lua &&
	test -s question.lua &&
	sed -i "1r question.lua" "$slurm_dir/etc/job_submit.lua" &&
	restart &&
	same_by at_login &&
	test_must_fail sbatch --wrap=true --gang=train --test-only 2>err &&
	grep "say --account" err
'
test_expect_success LUA 'gang in front of lua: no more is needed' '
	cp strict.lua "$slurm_dir/etc/job_submit.lua" &&
	sed -i "s/^JobSubmitPlugins=.*/JobSubmitPlugins=gang,lua/" "$SLURM_CONF" &&
	restart &&
	same_by at_login
'
test_expect_success 'gangs are off: one line says so, and why' '
	sed -i "s/^JobSubmitPlugins=.*/JobSubmitPlugins=gang/" "$SLURM_CONF" &&
	echo "Gangs=perhaps" >"$conf" &&
	rm "$slurm_dir"/state/gang_{conf,topology} &&
	restart &&
	warns "gangs and placement are off: $conf:1: " &&
	grep "are the defaults, because $login/gang.conf cannot be read" err
'
test_expect_success 'without job_submit/gang nobody can be asked' '
	sed -i "/^JobSubmitPlugins=/d" "$SLURM_CONF" &&
	cp good.conf "$conf" &&
	restart &&
	warns "it has no job_submit/gang that can be asked" &&
	cp good.conf "$login/gang.conf" &&
	at_login sgang explain root/train >out 2>err &&
	test_cmp explain.expected out &&
	grep "are those of $login/gang.conf" err
'
test_expect_success MOUNT 'on another host there is no file of settings either' '
	on_node sgang conf >out 2>err &&
	grep "HopCosts=1,2,4,16,64  *# default" out &&
	grep "(it has no .*so this is what /run/slurm/conf/gang.conf says" err
'
test_expect_success 'slurmctld does not run: one line, and no long wait' '
	slurm_stop_ctld &&
	test_expect_code 2 at_login sgang topology >out 2>err &&
	test $(wc -l <err) = 1 &&
	grep "cannot ask slurmctld: .*scontrol ping" err
'

test_done
