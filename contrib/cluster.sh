# SPDX-License-Identifier: GPL-2.0-or-later
# cluster.sh - a private Slurm cluster on this host, for the tests and the demo
#
# To be sourced by bash. The cluster has its own folder, munge key and socket,
# ports and processes; it never looks at a Slurm that the machine runs. Before
# slurm_setup the script that sources this file sets
#
#   top_srcdir, top_builddir   of slurm-gang
#   slurm_first_port           where to look for free ports
#   slurm_prepare              a function: called first by slurm_setup, with
#                              its options
#   slurm_fatal                a function: print its arguments and end
#   slurm_daemon_env           an array of NAME=VALUE that only daemons get; it
#                              may be missing
#
# in the environment, TMPDIR, where the folder is to be (slurm_parent), and
# SGANG_PORT_LOCKS, where locks on ports are that others share who do not see our
# ${TMPDIR:-/tmp},
#
# and calls slurm_cleanup when it ends, whatever happens. What it can use:
#
#   slurm_setup [options]      write the configuration of a cluster, see below
#   slurm_start                start all of it and wait until it is idle
#   slurm_stop                 stop all daemons, keep the folder
#   slurm_cleanup              stop all, also what jobs left, remove the folder
#   slurm_start_ctld, slurm_stop_ctld, slurm_kill9_ctld
#   slurm_start_node NODE, slurm_stop_node NODE, slurm_kill_node NODE
#   slurm_fault [POINT N]      the failure to come (--faults); none: no more
#   slurm_logs [LINES]         the end of slurmctld's log
#   slurm_errors               its errors that should not be there
#   slurm_saved ID             wait until the job's state is on the disk
#   wait_for SECONDS COMMAND   until it succeeds; one word is evaluated
#   queue_empty                no job waits, runs or completes
#   submit [sbatch's options]  print the job's id; sleeps unless told what to do
#   job_state ID, job_field ID FIELD, job_output ID
#   wait_state ID STATE[|STATE...] [SECONDS]
#   nodes_in STATE             how many nodes are in it
#   nodes_idle                 all of them are idle
#
# and the variables slurm_dir (the folder; with etc, log, run, out), slurm_nodes
# (their number), slurm_port (of slurmctld) and the exported SLURM_CONF.

# A cluster must not inherit anything from a job it may be started in.
unset ${!SLURM_*} ${!SBATCH_*} ${!SALLOC_*} ${!SRUN_*} ${!SCANCEL_*} \
	${!SQUEUE_*} ${!SINFO_*}

PATH=$PATH:/usr/sbin:/sbin

# The ports of one cluster: slurmctld's and one a node.
slurm_port_step=40
slurm_dir=

# Deadlines are for a machine that has nothing else to do. On a busy one a
# longer wait costs nothing if the event comes in time. Under valgrind
# everything takes longer still. After a wait of that length without effect,
# later ones are short: what follows a failure mostly fails as well, and half an
# hour says no more of it.
slurm_patience=${SGANG_VALGRIND:+20}
: "${slurm_patience:=6}"

# A job that is requeued may begin when the credential of its last start has
# expired: two minutes by default, for which a test need not wait.
slurm_cred_expire=${SGANG_VALGRIND:+120}
: "${slurm_cred_expire:=20}"

# --- time ---

# Wait until the command succeeds. On failure say what was waited for.
wait_for()
{
	local seconds=$1 began=$SECONDS result

	shift
	case $1 in
	all_in | none_in | job_is | nodes_idle | queue_empty | squeue_says | \
		gang_attempted)
		# one process waits
		slurm_await=$((seconds * slurm_patience)) "$@" ;;
	*)
		slurm_poll $((seconds * slurm_patience)) "$@" ;;
	esac
	result=$?
	test $result != 0 || return 0
	echo "not within $seconds s: $*" >&2
	test $result = 1 ||
		echo "the wait ended with $result after $((SECONDS - began)) s" >&2
	slurm_logs 20 >&2
	slurm_patience=1
	return 1
}

# A look may cost several processes: the longer it takes, the rarer they are.
slurm_poll()
{
	local deadline=$((${EPOCHREALTIME/./} + $1 * 1000000)) pauses=0

	shift
	while ! if test $# = 1; then eval "$1"; else "$@"; fi; do
		test ${EPOCHREALTIME/./} -lt $deadline || return 1
		read -r -t 0.$((++pauses < 20 ? 1 : 2)) -u $slurm_never
	done
	return 0
}

# What a read waits for that nobody writes: a pause without a process.
exec {slurm_never}<> <(:)

# Ask slurmctld (tests/t/await.c): once, or for as long as wait_for says.
slurm_ask()
{
	"$top_builddir/tests/t/await" ${slurm_await:-0} "$@"
}

slurm_logs()
{
	test -r "$slurm_dir/log/slurmctld.log" || return 0
	echo "--- the last of gangs in slurmctld.log"
	grep -a '\] gang: ' "$slurm_dir/log/slurmctld.log" | tail -n 40
	echo "--- the end of slurmctld.log"
	tail -n "${1:-40}" "$slurm_dir/log/slurmctld.log"
	echo "---"
}

# The errors in slurmctld's log, without those of every first start, of a host
# whose name is in no table, and of topology plugins of 26.05 about themselves.
slurm_errors()
{
	grep -E '\] (error|fatal): ' "$slurm_dir/log/slurmctld.log" | grep -Ev \
		-e 'Could not open .* state file .*: No such file' \
		-e 'NOTE: Trying backup .*state save file' \
		-e 'mpi/pmix|mpi_pmix' \
		-e '_eval_nodes_get_action: eval_action not set' \
		-e 'auth_p_get_host: Lookup failed' \
		-e 'xgetnameinfo: getnameinfo\(\) failed' \
		-e 'msg_type=SRUN_(JOB_COMPLETE|STEP_SIGNAL)\) failed: (Connection reset|Message send failure)' \
		-e "Nodes .* not responding"
}

# --- processes ---

# True if every one of these processes has ended, also if it was not waited for.
# The first thread of one that was killed may have ended while another waits for
# the disk: sockets are open until then. Field 20 of proc(5)'s stat: the threads.
slurm_ended()
{
	local pid stat

	for pid; do
		read -r stat 2>/dev/null <"/proc/$pid/stat" || continue
		stat=(${stat##*) })
		test "$stat" = Z && test "${stat[17]}" -le 1 || return 1
	done
}

# Was the process started with our folder in its environment? One that is about
# to end may have none any more.
slurm_owns()
{
	local environ

	mapfile -td '' environ <"/proc/$1/environ" || return 1
	test ${#environ[@]} = 0 || [[ ${environ[*]} == *"$slurm_dir"* ]]
} 2>/dev/null

# The process of a pid file, if it is alive; the number may be another's by now.
slurm_pid()
{
	local pid

	read -r pid 2>/dev/null <"$slurm_dir/run/$1.pid" && test -n "$pid" &&
		! slurm_ended "$pid" && slurm_owns "$pid" && echo "$pid"
}

slurm_alive()
{
	slurm_pid "$1" >/dev/null
}

# Since 24.11 a slurmctld that reads its settings anew hands over to another
# process, which has no pid file at first. Without a cluster there is none.
slurm_heir()
{
	local proc name

	test "$1" = slurmctld && test -n "$slurm_dir" || return 1
	for proc in /proc/[0-9]*; do
		read -r name <"$proc/comm" && test "$name" = slurmctld &&
			grep -qzxF "SLURM_CONF=$slurm_dir/etc/slurm.conf" \
				"$proc/environ" &&
			! slurm_ended "${proc#/proc/}" && echo "${proc#/proc/}" &&
			return
	done 2>/dev/null
	return 1
}

# Daemon names as in the names of their pid files.
slurm_end()
{
	local signal=$1 name pid pids=

	shift
	for name; do
		pid=$(slurm_pid "$name" || slurm_heir "$name") || continue
		pids="$pids $pid"
		kill -"$signal" "$pid" 2>/dev/null
	done
	wait_for 15 slurm_ended $pids || {
		kill -KILL $pids 2>/dev/null
		return 1
	}
	for name; do
		slurm_alive "$name" || slurm_heir "$name" >/dev/null || continue
		slurm_end "$signal" "$name" || return 1
	done
}

# Every process that was started with our folder in its environment: steps and
# what they run, commands that wait in the background. A slurmstepd may have
# none, but works in the folder of its log. With an argument, those of that node:
# a job knows its name, and its slurmstepd writes to its log.
slurm_strays()
{
	local proc pid

	# the search must not find itself
	for proc in $(env -i PATH="$PATH" sh -c '{
			grep -lzsF "$1/" /proc/[0-9]*/environ
			find /proc/[0-9]*/cwd -maxdepth 0 -lname "$1/*" \
				2>/dev/null
		} | sed "s,/[a-z]*\$,," | sort -u' sh "$slurm_dir"); do
		pid=${proc#/proc/}
		test "$pid" != $$ || continue
		test -z "$1" || grep -qzsx "SLURMD_NODENAME=$1" "$proc/environ" ||
			slurm_has_open "$proc" "$slurm_dir/log/$1.log" || continue
		echo "$pid"
	done
}

slurm_has_open()
{
	local fd

	for fd in "$1"/fd/*; do
		test "$fd" -ef "$2" && return 0
	done
	return 1
}

# A slurmstepd that has lost its slurmd does not end for less.
slurm_kill_strays()
{
	local pids

	pids=$(slurm_strays)
	test -n "$pids" || return 0
	kill -KILL $pids 2>/dev/null
	return 1
}

# Try again and again: killed processes may just have started others.
slurm_end_strays()
{
	wait_for 20 slurm_kill_strays
}

# --- ports ---

# True if a port is in use. The kernel's table has them in hex.
slurm_ports_busy()
{
	local first=$1 last=$2

	cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk \
		-v first="$first" -v last="$last" '
		function hex(s,   i, n) {
			for (i = 1; i <= length(s); i++)
				n = 16 * n + index("0123456789ABCDEF",
						   substr(s, i, 1)) - 1
			return n
		}
		$4 == "0A" {
			sub(/.*:/, "", $2)
			port = hex($2)
			if (port >= first && port <= last)
				busy = 1
		}
		END { exit !busy }'
}

# Take a range of ports that nobody listens to and that no other private cluster
# has taken: the lock lasts as long as this shell. A cluster that ends removes
# the file, so ours must still be the one of that name.
slurm_take_ports()
{
	local count=$1 try lock

	slurm_port=$slurm_first_port
	for try in {1..50}; do
		lock=${SGANG_PORT_LOCKS:-${TMPDIR:-/tmp}}/slurm-gang.port.$slurm_port
		exec {slurm_port_fd}>"$lock" || return 1
		if flock -n $slurm_port_fd &&
		   test "$lock" -ef /dev/fd/$slurm_port_fd; then
			slurm_port_lock=$lock
			slurm_ports_busy $slurm_port $((slurm_port + count)) ||
				return 0
			rm -f "$lock"
			slurm_port_lock=
		fi
		exec {slurm_port_fd}>&-
		slurm_port=$((slurm_port + slurm_port_step * 7))
		test $((slurm_port + count)) -lt 30000 ||
			slurm_port=$((slurm_port - 9000))
	done
	return 1
}

slurm_give_ports()
{
	test -n "$slurm_port_lock" || return 0
	rm -f "$slurm_port_lock"
	exec {slurm_port_fd}>&-
	slurm_port_lock=
}

# --- configuration ---

# Where the folder is: in memory, if 4 GiB are free there and programs may be. A
# slurmctld that waits for a slow disk says and does all else late.
slurm_parent()
{
	local kind free options

	read -r kind free < <(df -k --output=fstype,avail /dev/shm 2>/dev/null |
		tail -n 1)
	options=$(awk '$2 == "/dev/shm" { print $4 }' /proc/mounts | tail -n 1)
	if test -z "$TMPDIR" && test "$kind" = tmpfs && test -w /dev/shm &&
		test $free -ge $((4 << 20)) && [[ ,$options, != *,noexec,* ]]; then
		echo /dev/shm
	else
		echo "${TMPDIR:-/tmp}"
	fi
}

# The stock plugins are where configure found them, or next to the library that
# Slurm's commands are linked to.
slurm_find_stock()
{
	local full

	slurm_stock=$SGANG_SLURM_PLUGINDIR
	if test -z "$slurm_stock"; then
		full=$(ldd "$(command -v sinfo)" |
			awk '$1 ~ /libslurmfull/ { print $3 }')
		slurm_stock=${full%/*}
	fi
	test -f "$slurm_stock/select_cons_tres.so"
}

# Our plugins in the build tree, by the name Slurm looks for.
slurm_plugin_files()
{
	local select=src/plugins/select

	test -z "$slurm_faults" || select=src/plugins/select/faults
	echo "$top_builddir/$select/.libs/select_cons_tres.so"
	echo "$top_builddir/src/plugins/job_submit/.libs/job_submit_gang.so"
	echo "$top_builddir/src/plugins/spank/.libs/gang.so"
}

# Print the lines of stdin whose keys the caller's own lines do not set.
slurm_defaults()
{
	local line key set=$'\n'${slurm_conf,,}

	while read -r line; do
		key=${line%%=*}
		test $key != PartitionName || key+==main
		[[ $set =~ $'\n'[[:blank:]]*${key,,}([^a-z0-9_]|$) ]] ||
			echo "$line"
	done
}

slurm_common_conf()
{
	local host

	host=$(uname -n)
	host=${host%%.*}
	cat <<-END
	ClusterName=private
	SlurmctldHost=$host(127.0.0.1)
	SlurmctldPort=$slurm_port
	SlurmUser=root
	SlurmdUser=root
	AuthType=auth/munge
	AuthInfo=socket=$slurm_dir/run/munge.sock,cred_expire=$slurm_cred_expire
	StateSaveLocation=$slurm_dir/state
	SlurmdSpoolDir=$slurm_dir/spool/%n
	SlurmctldPidFile=$slurm_dir/run/slurmctld.pid
	SlurmdPidFile=$slurm_dir/run/%n.pid
	SlurmctldLogFile=$slurm_dir/log/slurmctld.log
	SlurmdLogFile=$slurm_dir/log/%n.log
	SlurmctldDebug=verbose
	SlurmdDebug=verbose
	PluginDir=$slurm_plugindir
	PlugStackConfig=$slurm_dir/etc/plugstack.conf
	MailProg=/bin/true
	MpiDefault=none
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	PropagateResourceLimits=NONE
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core_Memory
	SchedulerType=sched/backfill
	PriorityType=priority/basic
	SchedulerParameters=bf_interval=2,sched_interval=2,batch_sched_delay=0,sched_min_interval=0,bf_continue
	TopologyPlugin=topology/$slurm_topology
	ReturnToService=2
	KillWait=2
	SlurmdTimeout=60
	MessageTimeout=30
	BatchStartTimeout=120
	UnkillableStepTimeout=300
	MinJobAge=86400
	DefMemPerCPU=10
	PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
	END
}

# Nodes that are slurmds on this host.
slurm_real_nodes_conf()
{
	local ports

	# Slurm refuses a range of one.
	if test $slurm_nodes = 1; then
		ports=$((slurm_port + 1))
	else
		ports="[$((slurm_port + 1))-$((slurm_port + slurm_nodes))]"
	fi
	cat <<-END
	SlurmdParameters=config_overrides
	NodeName=$slurm_node_list NodeHostname=$(uname -n | cut -d. -f1) NodeAddr=127.0.0.1 Port=$ports $slurm_node_conf
	END
}

# Nodes without a slurmd: jobs get them and stay CONFIGURING. SuspendTime keeps
# the power saving thread from treating nodes that were used once differently.
# Their address has no listener, because a name that cannot be resolved takes
# seconds; without cloud_dns salloc would wait for their addresses.
slurm_cloud_nodes_conf()
{
	cat <<-END
	PrivateData=cloud
	SlurmctldParameters=cloud_dns
	ResumeProgram=/bin/true
	SuspendProgram=/bin/true
	ResumeTimeout=60000
	ResumeRate=0
	SuspendRate=0
	SuspendTime=-1
	InactiveLimit=0
	SlurmdTimeout=0
	NodeName=$slurm_node_list NodeAddr=127.0.0.1 Port=$((slurm_port + 1)) State=CLOUD $slurm_node_conf
	END
}

# Options of slurm_setup:
#   -n NODES          slurmds n1 to nNODES [4]
#   --cloud N         instead of them N nodes without a slurmd
#   -c CPUS           of each node, one thread a core, one socket [8]
#   --node 'KEY=...'  more for the line of the nodes
#   --topology FILE   topology/tree with this file (of folder topology)
#   --conf 'LINES'    more lines of slurm.conf; a key set here wins
#   --gres 'LINES'    gres.conf
#   --stock           without our plugins; this is the default
#   --gang            with our plugins
#   --faults          with our plugins, the one that can be made to fail
#   --gang-conf 'LINES'   gang.conf
slurm_setup()
{
	local cpus=8 node= topology= gres= gang_conf= plugin
	local spank=

	slurm_prepare "$@"
	test -z "$slurm_dir" || slurm_fatal "the last cluster is still there"
	slurm_nodes=4 slurm_cloud= slurm_conf= slurm_gang= slurm_faults=
	slurm_topology=none
	while test $# -gt 0; do
		case $1 in
		-n) slurm_nodes=$2; shift ;;
		-c) cpus=$2; shift ;;
		--cloud) slurm_nodes=$2 slurm_cloud=t; shift ;;
		--node) node=$2; shift ;;
		--topology) topology=$2 slurm_topology=tree; shift ;;
		--conf) slurm_conf=$2; shift ;;
		--gres) gres=$2; shift ;;
		--stock) slurm_gang= ;;
		--gang) slurm_gang=t ;;
		--faults) slurm_gang=t slurm_faults=t ;;
		--gang-conf) gang_conf=$2; shift ;;
		*) slurm_fatal "slurm_setup: what is '$1'?" ;;
		esac
		shift
	done

	slurm_find_stock || slurm_fatal "Slurm's plugins are not found"
	slurm_dir=$(mktemp -d "$(slurm_parent)/slurm-gang.XXXXXX") ||
		slurm_fatal "no folder for a cluster"
	chmod 755 "$slurm_dir"
	mkdir "$slurm_dir"/{etc,lib,log,out,run,spool,state}
	chmod 1777 "$slurm_dir/out"
	export SLURM_CONF=$slurm_dir/etc/slurm.conf

	if test -n "$slurm_cloud"; then
		slurm_take_ports 1
	elif test $slurm_nodes -lt $slurm_port_step; then
		slurm_take_ports $slurm_nodes
	else
		slurm_fatal "at most $((slurm_port_step - 1)) slurmds"
	fi || slurm_fatal "no free ports from $slurm_first_port on"

	slurm_plugindir=$slurm_stock
	if test -n "$slurm_gang"; then
		slurm_plugindir=$slurm_dir/lib:$slurm_stock
		for plugin in $(slurm_plugin_files); do
			test -f "$plugin" || slurm_fatal "no plugin $plugin"
			ln -s "$plugin" "$slurm_dir/lib/"
		done
		spank="required $slurm_dir/lib/gang.so"
		slurm_conf="JobSubmitPlugins=gang"$'\n'$slurm_conf
	fi
	printf '%s\n' "$spank" >"$slurm_dir/etc/plugstack.conf"
	# Nothing here uses control groups. This kind is the one that does not
	# look for them: a container may have none it can write.
	echo CgroupPlugin=cgroup/v1 >"$slurm_dir/etc/cgroup.conf"
	test -z "$gang_conf" ||
		printf '%s\n' "$gang_conf" >"$slurm_dir/etc/gang.conf"
	test -z "$gres" || printf '%s\n' "$gres" >"$slurm_dir/etc/gres.conf"
	if test -n "$topology"; then
		test -f "$topology" || topology=$top_srcdir/topology/$topology
		cp "$topology" "$slurm_dir/etc/topology.conf" ||
			slurm_fatal "no topology $topology"
	fi

	slurm_node_list="n[1-$slurm_nodes]"
	slurm_node_conf="CPUs=$cpus Sockets=1 CoresPerSocket=$cpus"
	slurm_node_conf+=" ThreadsPerCore=1 RealMemory=$((cpus * 1000)) $node"
	{
		if test -n "$slurm_cloud"; then
			slurm_cloud_nodes_conf | slurm_defaults
		else
			slurm_real_nodes_conf | slurm_defaults
		fi
		# If a key is set twice the cloud's line must win.
		slurm_common_conf | slurm_defaults |
			if test -n "$slurm_cloud"; then
				grep -v '^SlurmdTimeout='
			else
				cat
			fi
		printf '%s\n' "$slurm_conf"
	} >"$SLURM_CONF"
}

# --- daemons ---

# A daemon must not keep our locks, nor the terminal.
slurm_launch()
{
	(
		test -z "$slurm_port_fd" || exec {slurm_port_fd}>&-
		test -z "$slurm_daemon_env" || set -- env "${slurm_daemon_env[@]}" "$@"
		exec "$@" </dev/null >>"$slurm_dir/log/start.log" 2>&1 5>&- 6<&-
	)
}

slurm_start_munge()
{
	local run=$slurm_dir/run

	slurm_alive munged && return 0
	test -f "$slurm_dir/etc/munge.key" ||
		(umask 077 && mungekey --create \
			--keyfile "$slurm_dir/etc/munge.key") || return 1
	slurm_launch munged --socket "$run/munge.sock" \
		--key-file "$slurm_dir/etc/munge.key" \
		--pid-file "$run/munged.pid" \
		--seed-file "$slurm_dir/etc/munge.seed" \
		--log-file "$slurm_dir/log/munged.log" --num-threads 4 \
		--origin 127.0.0.1 &&
		wait_for 10 test -S "$run/munge.sock"
}

slurm_ctld_answers()
{
	test "$(scontrol ping 2>/dev/null | grep -c 'is UP')" = 1
}

# Since 25.11 a child of a slurmctld that was killed has its port for a moment.
slurm_port_free()
{
	awk -v port=$(printf ":%04X" $slurm_port) '
		$4 == "0A" && substr($2, length($2) - 4) == port { taken = 1 }
		END { exit taken }' /proc/net/tcp
}

# Called "slurmctld", not by a path that ends differently: by this name Slurm's
# own code knows where it runs. Under valgrind it finds itself only by its full
# path.
# One that was killed has its port until its last thread is back from the disk.
slurm_start_ctld()
{
	wait_for 100 slurm_port_free
	test -z "$slurm_faults" || export SGANG_FAULT_FILE=$slurm_dir/etc/faults
	if test -n "$SGANG_VALGRIND"; then
		slurm_launch valgrind --leak-check=full --num-callers=30 \
			--log-file="$slurm_dir/log/valgrind.%p.log" \
			"$(command -v slurmctld)" -D &
	else
		slurm_launch slurmctld
	fi
	wait_for 15 slurm_ctld_answers
}

slurm_stop_ctld()
{
	slurm_end TERM slurmctld
}

slurm_kill9_ctld()
{
	slurm_end KILL slurmctld
}

slurm_start_node()
{
	local node

	for node; do
		mkdir -p "$slurm_dir/spool/$node"
		slurm_launch slurmd -N "$node" &
	done
	wait_for 20 slurm_all_alive "$@"
}

slurm_all_alive()
{
	local name

	for name; do
		slurm_alive "$name" || return 1
	done
}

slurm_stop_node()
{
	slurm_end TERM "$@"
}

# Like a power failure: slurmd, its steps and what they run. They are stopped
# first so that none can report how another ended.
slurm_kill_node()
{
	local pids more pid

	# A process that is being started meanwhile must not escape and report.
	more=$(slurm_pid "$1")
	while test -n "$more"; do
		kill -STOP $more 2>/dev/null
		pids="$pids $more"
		more=
		for pid in $(slurm_strays "$1"); do
			case " "$(echo $pids)" " in
			*" $pid "*) ;;
			*) more="$more $pid" ;;
			esac
		done
	done
	kill -KILL $pids 2>/dev/null
	wait_for 5 slurm_ended $pids || return 1
	# another process may soon have that number
	rm -f "$slurm_dir/run/$1.pid"
}

slurm_node_names()
{
	test -z "$slurm_cloud" || return 0
	seq -f n%g "$slurm_nodes"
}

slurm_start()
{
	slurm_start_munge || slurm_no_start "munged does not start"
	slurm_start_ctld || slurm_no_start "slurmctld does not start"
	slurm_start_node $(slurm_node_names) ||
		slurm_no_start "a slurmd does not start"
	wait_for 20 nodes_idle || slurm_no_start "not all nodes become idle"
}

slurm_no_start()
{
	echo "--- what the daemons said when they started" >&2
	grep -i -E 'error|fatal' "$slurm_dir/log/start.log" | tail -n 20 >&2
	slurm_fatal "$@"
}

slurm_stop()
{
	slurm_end TERM slurmctld $(slurm_node_names) munged
}

slurm_cleanup()
{
	test -n "$slurm_dir" || return 0
	slurm_end TERM slurmctld $(slurm_node_names)
	slurm_end_strays
	slurm_end TERM munged
	slurm_give_ports
	test -n "$SGANG_KEEP" && echo "kept: $slurm_dir" >&2 ||
		rm -rf "$slurm_dir"
	slurm_dir=
	unset SLURM_CONF SGANG_FAULT_FILE
}

# slurmctld may read the file at any time.
slurm_fault()
{
	local faults=$slurm_dir/etc/faults

	if test $# -gt 0; then
		echo "$*" >"$faults.part" && mv "$faults.part" "$faults"
	else
		rm -f "$faults"
	fi
}

# Wait until the present state of the job is on the disk, too.
slurm_saved()
{
	local mark=saved-$EPOCHREALTIME

	scontrol update "JobId=$1" "AdminComment=$mark" &&
		wait_for 15 grep -aq "$mark" "$slurm_dir/state/job_state"
}

# --- jobs and nodes ---

submit()
{
	local last=${*: -1} wrap=--wrap='sleep 3600' id

	case " $* " in
	*" --wrap"*) wrap= ;;
	*) test ! -f "$last" || wrap= ;;
	esac
	id=$(sbatch --parsable --output "$slurm_dir/out/%j" \
		${wrap:+"$wrap"} "$@") || return 1
	echo "${id%%;*}" | tee -a "$slurm_dir/jobs"
}

# Comments and paths may have blanks and end with their line, other fields not.
job_field()
{
	local value

	case $2 in
	JobState | NodeList | Partition | Priority | Restarts | SystemComment)
		"$top_builddir/tests/t/await" field "$2" "$1" 2>/dev/null
		return ;;
	esac
	value=$(scontrol show job "$1" 2>/dev/null |
		sed -n "s/^\(.* \)\?$2=\(.*[^ ]\) *\$/\2/p" | head -n 1)
	case $2 in
	*Comment | Command | WorkDir | Std*) echo "$value" ;;
	*) echo "${value%% *}" ;;
	esac
}

job_state()
{
	job_field "$1" JobState
}

# The output of its script.
job_output()
{
	cat "$slurm_dir/out/$1"
}

job_is()
{
	slurm_ask all "$2" "$1"
}

wait_state()
{
	wait_for "${3:-15}" job_is "$1" "$2" || {
		echo "job $1 is not $2:" >&2
		scontrol show job "$1" >&2
		return 1
	}
}

# A mark behind the state says that there is no slurmd (~) or that one is
# being waited for (#).
nodes_in()
{
	sinfo -h -N -o '%N %T' | sed 's/[~#]$//' | sort -u |
		grep -c " $1\$"
}

nodes_idle()
{
	slurm_ask idle "$slurm_nodes"
}

queue_empty()
{
	slurm_ask empty
}
