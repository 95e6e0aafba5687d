# SPDX-License-Identifier: GPL-2.0-or-later
# 06-slurmdbd.sh - accounting for a private cluster
#
#   slurmdbd_setup 'LINES'   between slurm_setup and slurm_start: MariaDB,
#                            slurmdbd and the cluster's name in it are there;
#                            LINES go to slurm.conf. Without the packages the
#                            test is skipped
#   slurmdbd_start           start slurmdbd again,
#   slurmdbd_stop            after this
#   slurmdbd_has TABLE       the rows of "select TABLE" in slurmdbd's database;
#                            @job is the cluster's table of jobs
#   acct ARGUMENTS           sacctmgr, which does not ask
#   acct_used WORD ACCOUNT   what slurmctld counts against a limit of the whole
#                            account, such as GrpJobs or cpu
#   qos_used WORD QOS        the same for a QOS
#   sacct_rows ID FIELDS     what sacct knows of a job, without its steps, with
#                            earlier runs; the fields have a | between them
#
# The database listens to a socket in the cluster's folder alone. slurmdbd finds
# it by MYSQL_UNIX_PORT: its own settings have no word for a socket.

test -n "$BASH_VERSION" || return 0

slurmdbd_missing()
{
	local command

	for command in mariadb mariadb-install-db mariadbd sacct sacctmgr \
		slurmdbd; do
		command -v $command >/dev/null ||
			{ echo "there is no $command"; return; }
	done
	test -f "$slurm_stock/accounting_storage_mysql.so" ||
		echo "slurmdbd has no plugin for MariaDB"
}

# After ports that the cluster itself can have taken.
slurmdbd_conf()
{
	slurmdbd_port=$((slurm_port + slurm_port_step - 1))
	! slurm_ports_busy $slurmdbd_port $slurmdbd_port ||
		slurm_fatal "port $slurmdbd_port is not free"
	(umask 077 && cat >"$slurm_dir/etc/slurmdbd.conf") <<-END
	AuthType=auth/munge
	AuthInfo=socket=$slurm_dir/run/munge.sock
	DbdHost=$(uname -n | cut -d. -f1)
	DbdAddr=127.0.0.1
	DbdPort=$slurmdbd_port
	SlurmUser=root
	PidFile=$slurm_dir/run/slurmdbd.pid
	LogFile=$slurm_dir/log/slurmdbd.log
	PluginDir=$slurm_stock
	StorageType=accounting_storage/mysql
	StorageHost=localhost
	StorageUser=root
	StorageLoc=accounting
	END
	cat >>"$SLURM_CONF" <<-END
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=127.0.0.1
	AccountingStoragePort=$slurmdbd_port
	AccountingStoragePass=$slurm_dir/run/munge.sock
	$1
	END
}

# Of a database that is thrown away nothing need reach the disk. slurmdbd would
# make its own, but then goes on with a connection that MariaDB's client of
# 11.8.9 has spoilt by then.
mariadb_start()
{
	local run=$slurm_dir/run data=$slurm_dir/mariadb

	export MYSQL_UNIX_PORT=$run/mariadbd.sock
	# One that starts removes what others have in a folder of temporary files.
	mkdir "$data" "$data.tmp" &&
		mariadb-install-db --no-defaults --user=root \
			--datadir="$data" --skip-test-db --tmpdir="$data.tmp" \
			--innodb-flush-log-at-trx-commit=0 \
			--innodb-log-file-size=8M \
			>>"$slurm_dir/log/start.log" 2>&1 || return 1
	slurm_launch mariadbd --no-defaults --user=root --datadir="$data" \
		--tmpdir="$data.tmp" \
		--skip-networking --socket="$MYSQL_UNIX_PORT" \
		--pid-file="$run/mariadbd.pid" \
		--log-error="$slurm_dir/log/mariadbd.log" \
		--innodb-buffer-pool-size=16M --innodb-log-file-size=8M \
		--innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=0 \
		--sync-binlog=0 --performance-schema=OFF &
	wait_for 20 mariadb_answers &&
		mariadb_ask 'create database accounting'
}

# The system's own settings name the socket of the system's own server.
mariadb_ask() { mariadb --no-defaults -N -B -e "$1"; }
mariadb_answers() { mariadb_ask 'select 1' >/dev/null 2>&1; }
slurmdbd_answers() { timeout 20 sacctmgr -n list cluster >/dev/null 2>&1; }
slurmdbd_start() { slurm_launch slurmdbd && wait_for 15 slurmdbd_answers; }
slurmdbd_stop() { slurm_end TERM slurmdbd; }

# The last word of slurmctld finds somebody who hears it.
slurmdbd_at_exit()
{
	local code=$?

	trap '' HUP INT TERM
	slurm_end TERM slurmctld
	slurm_end TERM slurmdbd
	slurm_end TERM mariadbd
	(exit $code)
	slurm_at_exit
}

slurmdbd_setup()
{
	skip_missing "$(slurmdbd_missing)"
	trap slurmdbd_at_exit EXIT
	slurmdbd_conf "$1"
	slurm_start_munge || slurm_no_start "munged does not start"
	mariadb_start || slurm_no_start "MariaDB does not start"
	slurmdbd_start || slurm_no_start "slurmdbd does not start"
	acct add cluster private || slurm_no_start "sacctmgr does not work"
}

slurmdbd_has()
{
	mariadb_ask "use accounting; select ${1//@job/private_job_table}"
}

acct() { timeout 120 sacctmgr -i "$@" >>"$slurm_dir/log/sacctmgr.log" 2>&1; }

# The record that the pattern begins, then WORD=LIMIT(USED).
slurmctld_counts()
{
	scontrol show assoc_mgr "flags=$1" | awk -v head="$2" -v word="$3=" '
		/^[A-Z]/ { mine = index($0, head) == 1 }
		mine && match($0, "[ =,]" word "[^(]*[(]") {
			used = substr($0, RSTART + RLENGTH)
			sub(/[).].*/, "", used)
			print used
			exit
		}'
}

acct_used()
{
	slurmctld_counts assoc \
		"ClusterName=private Account=$2 UserName= " "$1"
}

qos_used() { slurmctld_counts qos "QOS=$2(" "$1"; }
sacct_rows() { sacct -n -P -D -X -j "$1" -o "$2"; }
