# SPDX-License-Identifier: GPL-2.0-or-later
# cluster.sh - the private cluster of a soak, with all that can fail
#
# The backup controller has another host name and address, which slurmctld needs
# to tell who it is: name spaces of its own for both. StateSaveLocation is a
# file system of its own, so that it can be full or read-only.

soak_state_megabytes=16

# All faults that are possible, unless some were named.
choose_faults()
{
	test -z "$faults" || return 0
	faults=ctl,node,conf,state,dbd
	test -z "$tsan" || return 0
	if test -f "$(faketime_library)"; then
		faults+=,clock
	else
		echo "# there is no libfaketime: the clock does not jump"
	fi
}

# Print why there can be no soak, or nothing.
soak_missing()
{
	local command

	for command in flock gdb mount munged mungekey slurmctld slurmd \
		unshare; do
		command -v $command >/dev/null ||
			{ echo "there is no $command"; return; }
	done
	slurm_find_stock || { echo "Slurm's plugins are not found"; return; }
	slurmdbd_missing
	unshare --uts --mount true 2>/dev/null ||
		echo "no name spaces can be made here"
	case ,$faults, in
	*,clock,*) test -f "$(faketime_library)" ||
		echo "there is no libfaketime" ;;
	esac
}

# SGANG_FAKETIME names it where it is in no usual place.
faketime_library()
{
	ls $SGANG_FAKETIME /usr/lib/*/faketime/libfaketimeMT.so.1 \
		/usr/lib*/faketime/libfaketimeMT.so.1 2>/dev/null | head -n 1
}

soak_conf='SlurmctldHost=primary(127.0.0.1)
SlurmctldHost=backup(127.0.0.2)
CommunicationParameters=NoCtldInAddrAny
SlurmctldTimeout=40
Licenses=lic:6
MinJobAge=120
MessageTimeout=20
PartitionName=left Nodes=n[1-3] MaxTime=INFINITE State=UP
PartitionName=right Nodes=n[4-6] MaxTime=INFINITE State=UP'

soak_start()
{
	ulimit -c unlimited
	cat >"$work/topology.conf" <<-END
	SwitchName=l1 Nodes=n[1-3]
	SwitchName=l2 Nodes=n[4-6]
	SwitchName=top Switches=l1,l2
	END
	slurm_setup -n $soak_nodes -c 2 --gang \
		--topology "$work/topology.conf" \
		--conf "$soak_conf"
	printf '127.0.0.1 localhost primary\n127.0.0.2 backup\n' \
		>"$slurm_dir/etc/hosts"
	mount -t tmpfs -o mode=755,size=${soak_state_megabytes}m soak \
		"$slurm_dir/state" || slurm_fatal "no file system can be mounted"
	slurmdbd_conf ''
	test -z "$tsan" || link_tsan_plugins
	controller_conf slurmctld
	controller_conf backup
	set_clock
	slurm_start_munge || slurm_no_start "munged does not start"
	mariadb_start || slurm_no_start "MariaDB does not start"
	start_daemon_env
	slurmdbd_start || slurm_no_start "slurmdbd does not start"
	acct add cluster private || wait_for 20 cluster_is_known ||
		slurm_no_start "sacctmgr does not work"
	slurm_start
	controller_launch backup
	wait_for 20 slurm_alive backup ||
		slurm_no_start "the backup controller does not start"
}

# sacctmgr can be too slow to say so.
cluster_is_known()
{
	timeout 60 sacctmgr -n list cluster format=cluster | grep -q private
}

# Daemons with the time of the soak.
start_daemon_env()
{
	slurm_daemon_env=(SGANG_SOAK=$slurm_dir/etc)
	case ,$faults, in
	*,clock,*) slurm_daemon_env+=(LD_PRELOAD=$(faketime_library)
		FAKETIME_TIMESTAMP_FILE=$slurm_dir/etc/clock
		FAKETIME_CACHE_DURATION=1 FAKETIME_DONT_FAKE_MONOTONIC=1
		NO_FAKE_STAT=1) ;;
	esac
}

# A crash is to leave a core as it does otherwise.
tsan_options=die_after_fork=0:handle_segv=0:handle_abort=0:disable_coredump=0

# Each of the two has its own pid file and log.
controller_conf()
{
	sed "s,/run/slurmctld.pid,/run/$1.pid,
		s,/log/slurmctld.log,/log/$1.log,
		${tsan:+s,^PluginDir=$slurm_dir/lib:,PluginDir=$slurm_dir/tsan:,}" "$SLURM_CONF" \
		>"$slurm_dir/etc/$1.conf"
}

# Slurm's commands load the plugins of slurm.conf: theirs are the ordinary ones.
link_tsan_plugins()
{
	local plugin

	mkdir "$slurm_dir/tsan"
	for plugin in $(top_builddir=$tsan; slurm_plugin_files); do
		case $plugin in
		*/gang.so) ;;
		*) ln -s "$plugin" "$slurm_dir/tsan/" ;;
		esac
	done
	libtsan=$(ldd "$slurm_dir/tsan/select_cons_tres.so" |
		awk '$1 ~ /libtsan/ { print $3 }')
	test -n "$libtsan" || slurm_fatal "$tsan has no thread sanitizer"
}

# Since when, in SECONDS, each of the two has to be there.
declare -A runs_since

controller_launch()
{
	local host=$1

	runs_since[$1]=$SECONDS
	test $host != slurmctld || host=primary
	slurm_launch unshare --uts --mount sh -c '
		hostname "$1" && mount --bind "$2/hosts" /etc/hosts &&
		exec env ${4:+LD_PRELOAD=$4 "TSAN_OPTIONS=$6:log_path=$5"} \
			slurmctld ${4:+-D} -f "$2/$3.conf"' sh $host "$slurm_dir/etc" \
		$1 "$libtsan" "$slurm_dir/log/tsan" "$tsan_options" &
}

slurm_ctld_answers()
{
	timeout 20 scontrol show licenses >/dev/null 2>&1
}

slurm_start_ctld()
{
	controller_launch slurmctld
	wait_for 20 slurm_ctld_answers
}
