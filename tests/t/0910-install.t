#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0910-install.t - the lines under "Install" in the README, on a new machine
#
# The new machine is a chroot that debootstrap makes, with namespaces of its
# own for mounts, processes and its name: when the first process of it ends, all
# its processes and mounts are gone, whatever ends this test. It is of the
# release of Debian that runs here. It has Slurm as Debian ships it and a cluster
# of four nodes that runs, then the README's lines are run as they stand. The
# packages that they make are used for all else: lintian looks at them, and the
# tests that they bring run. What is downloaded is kept in ~/.cache/slurm-gang,
# about 200 MB for each release; 1 GB is needed in TMPDIR.

test_description='The nine lines of the README install slurm-gang'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release 2>/dev/null)
# sharness gives each test a HOME of its own
home=$(getent passwd "$(id -u)" | cut -d : -f 6)
cache=${XDG_CACHE_HOME:-$home/.cache}/slurm-gang/chroot
root=
machine=

missing()
{
	local command

	test "$SGANG_WITH_SLURM" != no || { echo "built without Slurm"; return; }
	test "$(id -u)" = 0 || { echo "only root can make a chroot"; return; }
	test -n "$release" && grep -qsx ID=debian /etc/os-release ||
		{ echo "this is no release of Debian"; return; }
	for command in apt-get debootstrap flock nsenter setpriv unshare; do
		command -v $command >/dev/null ||
			{ echo "there is no $command"; return; }
	done
	unshare --mount --pid --fork --uts true 2>/dev/null ||
		{ echo "there can be no namespaces here"; return; }
	mirrors >mirrors
	test -s mirrors || { echo "apt knows no mirror of Debian"; return; }
	/usr/lib/apt/apt-helper download-file \
		"$(sed -n "1s|^deb ||;1s| .*||p" mirrors)/dists/$release/Release" \
		release >/dev/null 2>&1 || echo "there is no network"
}

# The machine's own mirrors of Debian, the release itself first.
mirrors()
{
	apt-get indextargets \
		--format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)' \
		'Created-By: Packages' |
		sed -n "s|/* \($release[^ ]*\) \([^ ]*\) Debian\$| \1 \2|p" |
		sort -u -k 3,4
}

# The commands of the first block below the heading.
readme_lines()
{
	sed -n '/^## Install/,/^## [^I]/p' "$top_srcdir/README.md" |
		awk '/^```/ { blocks++; next } blocks == 1'
}

# A base system, made once a month.
make_base()
{
	local base=$cache/$release.tar.gz

	mkdir -p "$cache/archives" || return 1
	exec {lock}>"$cache/lock" && flock $lock || return 1
	if test -z "$(find "$base" -mtime -30 2>/dev/null)"; then
		setpriv --pdeathsig KILL unshare --mount --pid --fork \
			--kill-child debootstrap --variant=minbase $release \
			"$root" "$(sed -n '1s|^deb ||;1s| .*||p' mirrors)" &&
			rm -f "$root"/var/cache/apt/archives/*.deb &&
			tar -C "$root" -cz . >"$base.$$" &&
			mv "$base.$$" "$base" || return 1
	else
		tar -C "$root" -xzf "$base" || return 1
	fi
	exec {lock}>&-
}

# Names, mirrors and what was downloaded before; no package starts a service.
furnish()
{
	cp mirrors "$root/etc/apt/sources.list" &&
	apt-config dump |
		grep -E '^Acquire::(Check|Retries|Force|ftp|http|https)' \
		>"$root/etc/apt/apt.conf.d/50host"
	cp /etc/resolv.conf "$root/etc/" &&
	echo cluster >"$root/etc/hostname" &&
	echo "127.0.0.1 localhost cluster" >"$root/etc/hosts" &&
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" &&
	chmod 755 "$root/usr/sbin/policy-rc.d" &&
	echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/throw-away" &&
	find "$cache/archives" -name '*.deb' -mtime +30 -delete &&
	cp -a "$cache/archives/." "$root/var/cache/apt/archives"
}

# The first process of the new machine; it buries the others.
boot()
{
	setpriv --pdeathsig KILL unshare --mount --pid --uts --ipc --fork \
		--kill-child --mount-proc="$root/proc" chroot "$root" \
		/bin/bash -c 'hostname cluster; cd /root
			mount -t sysfs sysfs /sys; echo $$ >/run/up
			trap : CHLD; while :; do sleep 1 & wait; done' \
		</dev/null >/dev/null 2>&1 5>&- 6<&- &
	machine=$!
	wait_for 10 test -s "$root/run/up" &&
		machine_init=$(cat /proc/$machine/task/$machine/children) &&
		test -n "$machine_init"
}

# Run it there. What it starts must not keep our locks and descriptors. Behind
# a wait, for a signal is not looked at while a command runs.
there()
{
	timeout 3600 nsenter --target $machine_init --mount --pid --uts --ipc \
		--root --wd -- /usr/bin/env -i \
		HOME=/root LC_ALL=C PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin \
		DEBIAN_FRONTEND=noninteractive DEB_BUILD_OPTIONS=nocheck \
		"$@" </dev/null 5>&- 6<&- &
	wait $!
}

at_exit()
{
	local code=$?

	trap '' HUP INT TERM
	test -z "$machine" || { kill -KILL $machine; wait $machine; } 2>/dev/null
	slurm_give_ports
	test -z "$root" || rm -rf --one-file-system "$root"
	(exit $code)
	die
}

# Both have ended well, and started in the same second or the next.
first_gang_ran()
{
	local id

	for id in $ids; do
		there scontrol show job $id |
			sed -n 's/.*JobState=\([A-Z]*\).*/\1/p; s/.*StartTime=\([^ ]*\).*/\1/p'
	done >first &&
		test "$(grep -c '^COMPLETED$' first)" = 2 &&
		test "$(grep T first | grep -v COMPLETED | sort -u |
			while read -r time; do date -d "$time" +%s; done |
			sed -n '1h;$G;$s/\n/ - /p' |
			{ read -r last _ one; echo $((last - one)); })" -le 1
}

# What runs on the machine before. A chroot has no systemd: what its units
# would run, a script runs.
stock_cluster()
{
	local ports="[$((slurm_port + 1))-$((slurm_port + 4))]"

	cat >"$root/etc/slurm/slurm.conf" <<-END &&
	ClusterName=cluster
	SlurmctldHost=cluster(127.0.0.1)
	SlurmctldPort=$slurm_port
	SlurmUser=slurm
	StateSaveLocation=/var/lib/slurm/slurmctld
	SlurmdSpoolDir=/var/lib/slurm/%n
	SlurmctldPidFile=/run/slurmctld.pid
	SlurmdPidFile=/run/slurmd.%n.pid
	SlurmctldLogFile=/var/log/slurm/slurmctld.log
	SlurmdLogFile=/var/log/slurm/slurmd.%n.log
	SlurmdParameters=config_overrides
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	ReturnToService=2
	MailProg=/bin/true
	NodeName=n[1-4] NodeHostname=cluster NodeAddr=127.0.0.1 Port=$ports CPUs=2
	PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
	END
	echo CgroupPlugin=cgroup/v1 >"$root/etc/slurm/cgroup.conf" &&
	cat >"$root/usr/local/sbin/systemctl" <<-'END' &&
	#!/bin/bash
	# systemctl restart UNIT...
	end()
	{
		read -r pid 2>/dev/null <$1 || return 0
		kill $pid 2>/dev/null
		while kill -0 $pid 2>/dev/null; do sleep 0.1; done
	}
	test "$1" = restart || exit 1
	shift
	for unit; do
		case $unit in
		munge) mkdir -p -m 755 /run/munge; chown munge: /run/munge
			runuser -u munge -- munged ;;
		slurmctld) end /run/slurmctld.pid; slurmctld ;;
		slurmd) for n in n1 n2 n3 n4; do
				end /run/slurmd.$n.pid; slurmd -N $n
			done ;;
		*) exit 1 ;;
		esac || exit 1
	done
	until test $(sinfo -h -N -r -t idle,alloc,mix -o %N | sort -u |
		wc -l) = 4
	do
		sleep 0.2
	done 2>/dev/null
	END
	chmod 755 "$root/usr/local/sbin/systemctl" &&
	there timeout 600 systemctl restart munge slurmctld slurmd
}

skip_missing "$(missing)"
# The new machine has to fetch it, and an archive may have dropped it.
"$top_srcdir/contrib/slurm-source" "$PWD/source" >source.log 2>&1 ||
	skip_test "$(tail -n 1 source.log)"
mkdir -p "$cache" 2>/dev/null && test -w "$cache" || cache=$PWD/cache
root=$(mktemp -d "${TMPDIR:-/tmp}/slurm-gang-install.XXXXXX") ||
	slurm_fatal "no temporary folder"
chmod 755 "$root"
trap at_exit EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
slurm_take_ports 4 || slurm_fatal "no free ports"

test_expect_success 'the README has nine lines' '
	readme_lines >lines &&
	test $(wc -l <lines) = 9
'
test_expect_success 'a new machine' '
	make_base >base.log 2>&1 || { tail -n 20 base.log; return 1; } &&
	furnish &&
	boot
'
test_expect_success 'with a cluster of stock Slurm, which runs a job' '
	there apt-get -q update >apt.log 2>&1 &&
	there apt-get -q install -y --no-install-recommends slurmctld slurmd \
		slurm-client munge >>apt.log 2>&1 ||
		{ tail -n 20 apt.log; return 1; } &&
	stock_cluster &&
	there sh -c "cd /tmp && srun -N 2 hostname" >out &&
	test $(grep -c "^cluster\$" out) = 2 &&
	there scontrol show config | grep "^PluginDir *= /usr/lib/[^:]*\$"
'
test_expect_success 'a job that runs while slurm-gang is installed' '
	there sbatch --parsable -D /tmp -w n4 --wrap="sleep 36000" >before
'
test_expect_success 'the lines of the README' '
	mkdir "$root/root/slurm-gang" work &&
	(
		work=$PWD/work &&
		give_up() { echo "$*"; exit 1; } &&
		. "$top_srcdir/contrib/lib.sh" &&
		copy_tree &&
		mv work/src/.tarball-version work/version &&
		cp -a work/src/. "$root/root/slurm-gang" &&
		cp work/version "$root/root/slurm-gang/.tarball-version"
	) &&
	cp lines "$root/root/lines" &&
	there bash -e -c "cd slurm-gang && set -x && . /root/lines" \
		>install.log 2>&1 || {
		cat install.log
		there tail -n 40 /var/log/slurm/slurmctld.log
		return 1
	}
'
test_expect_success 'install-check finds nothing to fix' '
	grep "^[0-9]* OK, [0-9]* WARN, 0 FAIL\$" install.log &&
	grep "slurmctld (pid [0-9]*) has loaded /usr/lib/slurm-gang/" install.log
'
test_expect_success 'both jobs of the first gang ran, at the same time' '
	ids=$(sed -n "s/^Submitted batch job //p" install.log) &&
	test $(echo $ids | wc -w) = 2 &&
	wait_for 60 first_gang_ran &&
	test "$(there sh -c "cat slurm-gang/slurm-*.out" | sort -u | wc -l)" = 1
'
test_expect_success 'the job that ran before still does' '
	test "$(there squeue -h -o "%T %N" -j "$(cat before)")" = "RUNNING n4"
'
test_expect_success 'the manual pages and the command are there' '
	there sgang --version | grep "^sgang " &&
	for page in man1/sgang.1 man5/gang.conf.5 man7/slurm-gang.7 \
		man8/spank_gang.8
	do
		test -s "$root/usr/share/man/$page.gz" || return 1
	done
'
test_expect_success 'the packages want the Slurm they were built for' '
	there dpkg-query -W -f "\${Depends}\n" slurm-gang-plugins >depends &&
	slurm=$(there dpkg-query -W -f "\${Version}" slurmctld | sed "s/-.*//") &&
	grep -F "slurmctld (>= $slurm), slurmctld (<< ${slurm%.*}.$((${slurm##*.} + 1))~)" \
		depends
'
# What autopkgtest would run, on the same packages.
test_expect_success 'the test that the packages bring starts a gang' '
	there slurm_first_port=$((slurm_port + 10)) bash slurm-gang/debian/tests/gang
'
test_expect_success 'a program is built with the packages of the library' '
	there sh -c "apt-get -q install -y /var/tmp/slurm-gang/libsgang0_*.deb \
		/var/tmp/slurm-gang/libsgang-dev_*.deb" >>apt.log 2>&1 &&
	there sh slurm-gang/debian/tests/library &&
	there dpkg-query -W -f "\${Depends}\n" libsgang0 >depends &&
	! grep -i slurm depends
'
# Each release of lintian wants the Standards-Version of its time. The version of a
# snapshot is long.
test_expect_success 'lintian finds nothing, pedantic as it is' '
	there apt-get -q install -y --no-install-recommends lintian >>apt.log 2>&1 &&
	there sh -c "dpkg-source -b slurm-gang && exec lintian --allow-root \
		--display-info --pedantic --fail-on error,warning,info,pedantic \
		--suppress-tags out-of-date-standards-version,package-has-long-file-name \
		slurm-gang_*.dsc /var/tmp/slurm-gang/*.deb" >lintian.log 2>&1 ||
		{ cat lintian.log; return 1; } &&
	! grep "^[EWIP]: " lintian.log
'
test_expect_success 'versions sort by time' '
	version=$(there dpkg-query -W -f "\${Version}" slurm-gang-client) &&
	older=$(sed "s/~[0-9]*/~20200101000000/" <<<"$version") &&
	dpkg --compare-versions "$older" lt "$version" &&
	dpkg --compare-versions "$version" lt "${version%%~*}+slurm"
'
# With the settings as they are: what is removed is still named in them.
test_expect_success 'without the packages the commands of Slurm work' '
	there apt-get -q remove -y slurm-gang-client >removed.log 2>&1 &&
	grep "JobSubmitPlugins: slurmctld will not start again" removed.log &&
	grep "PluginDir: an empty folder stays" removed.log &&
	there sinfo >out 2>err &&
	there sh -c "cd /tmp && srun -N 1 true" 2>>err &&
	test_must_be_empty err
'
test_expect_success 'and back: the cluster is one of stock Slurm again' '
	sed -i "/^PluginDir=\\|^JobSubmitPlugins=/d" \
		"$root/etc/slurm/slurm.conf" &&
	there apt-get -q purge -y slurm-gang-client >>apt.log 2>&1 &&
	there scancel -u root &&
	there timeout 600 systemctl restart slurmctld slurmd &&
	there sh -c "cd /tmp && srun -N 2 hostname" &&
	test ! -e "$root/usr/lib/slurm-gang"
'
test_expect_success 'what was downloaded is kept; no mount and no process is left' '
	cp -an "$root"/var/cache/apt/archives/*.deb "$cache/archives/" &&
	kill -KILL $machine &&
	wait_for 10 "test ! -e /proc/$machine_init" &&
	machine= &&
	! grep -F "$root" /proc/mounts
'

test_done
