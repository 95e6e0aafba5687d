# SPDX-License-Identifier: GPL-2.0-or-later
# lib.sh - what contrib/check and contrib/demo share: packages, source, build
#
# To be sourced by bash. The script that sources it sets top_srcdir, the working
# tree, which is only read, and work, a temporary folder; and defines give_up,
# which prints its arguments and ends.

export LC_ALL=C

# Packages that Debian bookworm needs, by purpose. This is the only list.
build_packages="autoconf automake gcc libc6-dev libcmocka-dev libcsv-dev
	libhwloc-dev libjson-c-dev libmicrohttpd-dev libtool libyaml-dev make
	pkg-config zlib1g-dev"
# Those of them that only unit tests, "sgang simulate" and "sgang web" need.
optional_packages="libcmocka-dev libcsv-dev libmicrohttpd-dev zlib1g-dev"
slurm_build_packages="libslurm-dev"
cluster_packages="slurm-client slurm-wlm-basic-plugins slurmctld slurmd"
slurm_packages="$slurm_build_packages $cluster_packages slurmdbd slurmrestd"
source_packages="dpkg-dev patch xz-utils"
# For contrib/check --build-slurm: what the tests want Slurm to be built with.
own_slurm_packages="libcurl4-openssl-dev libhttp-parser-dev libhwloc-dev
	libjson-c-dev liblua5.3-dev libmariadb-dev libmunge-dev libyaml-dev"
# For contrib/fuzz and contrib/check --sanitizers alone.
fuzz_packages="clang libc6-dev libclang-rt-dev libcsv-dev libhwloc-dev
	libyaml-dev pkg-config"
deb_packages="build-essential debhelper"
# For tests of the night alone.
night_packages="$deb_packages cpio debootstrap glpk-utils rpm valgrind"
test_packages="binutils chromium chromium-driver clang-format curl
	fish g++ gdb jq libfaketime libopenmpi-dev libxml2-utils mandoc
	mariadb-server mount munge openmpi-bin passwd procps prometheus
	python3-jsonschema sharness util-linux zsh"

say()
{
	printf '== %s\n' "$*"
}

# The last line of contrib/check.
sum_line='^[0-9]+ passed, [0-9]+ failed$'

# Show what the child PID writes to FILE, as it comes and filtered by a command,
# until both have ended; with the child's status: show_output PID FILE COMMAND...
show_output()
{
	local pid=$1 file=$2 shown_pid result

	shift 2
	# In the background, because no trap comes before a command's end.
	tail --pid=$pid -n +1 -s 0.5 -f "$file" | "$@" &
	shown_pid=$!
	wait $pid
	result=$?
	wait $shown_pid
	return $result
}

without_sums()
{
	grep --line-buffered -aEv "$sum_line"
}

# Add the numbers in its output to passed and failed; false if there are none.
add_sums()
{
	local ran broke

	read -r ran broke < <(grep -aE "$sum_line" "$1" | tail -n 1 |
		sed 's/ passed,//; s/ failed//')
	test -n "$broke" || return 1
	passed=$((passed + ran)) failed=$((failed + broke))
}

installed_version()
{
	dpkg-query -W -f '${db:Status-Status} ${Version}\n' "$1" 2>/dev/null |
		sed -n 's/^installed //p'
}

# Print the packages that are wanted. Those of Slurm with the version of what is
# there already: a Slurm that this machine runs must stay as it is.
wanted_packages()
{
	local package slurm=

	for package in slurm-wlm-basic-plugins $slurm_packages; do
		test -n "$slurm" || slurm=$(installed_version $package)
	done
	for package in $slurm_packages; do
		echo "$package${slurm:+=$slurm}"
	done
	echo $build_packages $source_packages $test_packages
}

# Packages like to start the service they bring. A policy says no; RUNLEVEL=1
# is for those that do not ask.
apt_without_services()
{
	local policy=/usr/sbin/policy-rc.d rc

	if test -e $policy; then
		policy=
	else
		printf '#!/bin/sh\nexit 101\n' >$policy && chmod 755 $policy
	fi
	RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get \
		-o DPkg::Lock::Timeout=120 "$@" >>"$work/apt.log" 2>&1
	rc=$?
	test -z "$policy" || rm -f $policy
	return $rc
}

# Install those of the packages that are missing.
install_these()
{
	local package missing=

	for package; do
		test -n "$(installed_version "${package%%=*}")" ||
			missing="$missing $package"
	done
	test -n "$missing" || return 0
	say "packages to install:"$missing
	test "$(id -u)" = 0 || give_up "only root can install them"
	apt_without_services update || {
		tail -n 20 "$work/apt.log"
		give_up "apt-get update failed"
	}
	apt_without_services install -y --no-install-recommends $missing || {
		tail -n 20 "$work/apt.log"
		give_up "apt-get install failed"
	}
}

install_packages()
{
	command -v dpkg-query >/dev/null ||
		give_up "this is for Debian; elsewhere see CONTRIBUTING.md"
	install_these $(wanted_packages)
}

# Set cache to a folder for what is fetched, or to the temporary one.
find_cache()
{
	cache=${XDG_CACHE_HOME:-$HOME/.cache}/slurm-gang
	mkdir -p "$cache" 2>/dev/null && test -w "$cache" || cache=$work
}

# Set slurm_source to the source of the installed Slurm, fetched once.
fetch_slurm_source()
{
	local version

	find_cache
	version=$(installed_version libslurm-dev)
	slurm_source=$cache/slurm-${version//[^A-Za-z0-9.+-]/_}
	test -f "$slurm_source/META" && return 0
	say "fetching the source of Slurm $version"
	"$top_srcdir/contrib/slurm-source" "$slurm_source" \
		>"$work/source.log" 2>&1 || {
		tail -n 20 "$work/source.log"
		give_up "no source of Slurm $version"
	}
}

# Print the version in the source of Slurm in the folder.
source_version()
{
	awk '$1 == "Version:" { print $2 }' "$1/META"
}

# What was changed in the source of Slurm in the folder, if git knows: names of
# files in one line.
source_patches()
{
	test -e "$1/.git" || return 0
	git -C "$1" -c safe.directory='*' diff --name-only HEAD 2>/dev/null |
		sort | xargs
}

# The folder for what root builds: other users run it in tests, and cannot look
# into root's home.
root_cache=/var/cache/slurm-gang

# Build the Slurm in the folder slurm_source, in a folder of its own that is kept,
# and let this one come first: its commands, and its headers and libraries in
# the array own_slurm, which is for configure. In another Debian its libraries
# are others.
build_own_slurm()
{
	local name inst

	find_cache
	test "$(id -u)" != 0 || cache=$root_cache
	name=$(. /etc/os-release && echo "$VERSION_CODENAME")
	name=$name-$(source_version "$slurm_source")
	name=$name-$(cksum <<<"$slurm_source" | cut -d' ' -f1)
	inst=$cache/built-$name
	mkdir -p "$inst/build" || give_up "cannot write to $inst"
	say "building Slurm $(source_version "$slurm_source") from $slurm_source"
	(
		cd "$inst/build" &&
			{ test -f Makefile || "$slurm_source/configure" \
				--prefix="$inst" --sysconfdir="$inst/etc" \
				--enable-multiple-slurmd --disable-static; } &&
			make -j"$(nproc)" && make install
	) >"$work/slurm.log" 2>&1 || {
		tail -n 20 "$work/slurm.log"
		give_up "Slurm was not built"
	}
	export PATH="$inst/bin:$inst/sbin:$PATH"
	own_slurm=(CPPFLAGS="-I$inst/include"
		LDFLAGS="-L$inst/lib -Wl,-rpath,$inst/lib")
}

# Copy what belongs to the project to $work/src: the working tree stays as it
# is and may be read-only. In a clone git knows what belongs to it.
copy_tree()
{
	local git=(git -C "$top_srcdir" -c safe.directory='*') file

	mkdir "$work/src" || return 1
	if test -e "$top_srcdir/.git" && "${git[@]}" rev-parse 2>/dev/null; then
		"${git[@]}" ls-files -z --cached --others --exclude-standard |
			while IFS= read -r -d '' file; do
				test ! -e "$top_srcdir/$file" ||
					printf '%s\0' "$file"
			done |
			tar -C "$top_srcdir" -c --null -T - |
			tar -C "$work/src" -x
	else
		tar -C "$top_srcdir" -c --exclude=.git . |
			tar -C "$work/src" -x &&
			find "$work/src" \( -name '*.o' -o -name '*.l[ao]' \
				-o -name .libs -o -name .deps \
				-o -name Makefile -o -name config.status \) \
				-prune -exec rm -rf {} +
	fi || return 1
	chmod -R u+w "$work/src"
	(cd "$top_srcdir" && build-aux/gen-version) >"$work/version" &&
		mv "$work/version" "$work/src/.tarball-version"
}

# Build in $work/NAME with the rest of the arguments to configure: all, or what is
# in the array build_targets.
build_tree()
{
	local name=$1

	shift
	test -d "$work/src" || copy_tree || give_up "cannot copy the sources"
	test -f "$work/src/configure" ||
		(cd "$work/src" && ./autogen.sh) >"$work/autogen.log" 2>&1 || {
		tail -n 20 "$work/autogen.log"
		give_up "autogen.sh failed"
	}
	mkdir "$work/$name" && cd "$work/$name" || give_up "no folder $name"
	../src/configure "$@" >configure.out 2>&1 || {
		tail -n 20 configure.out
		give_up "configure failed"
	}
	make -j2 "${build_targets[@]}" >make.out 2>&1 || {
		grep -E -A3 'error|\*\*\*' make.out | tail -n 40
		give_up "make failed"
	}
}
